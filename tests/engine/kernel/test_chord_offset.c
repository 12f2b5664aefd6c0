/* Edges and triangles of surfaces stay out of what is round. The oracle is the distance in
   tests/support/pair_oracle.h, which the engine shares nothing with. */
#include "tests/support/colliders.h"
#include "tests/support/pair_oracle.h"

enum { SIDE = 8, PARTICLES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), FRAMES = 60 };

static const double FRAME = 1.0 / 60, RADIUS = 0.2, PITCH = 0.15, THICKNESS = 0.005;

static triple place_of(const msd_world *world, int32_t particle) {
  return triple_of(msd_particle_get_position(world, particle));
}

static msd_world *heavy_world(msd_simd simd, int threads) {
  msd_world_def def = msd_default_world_def();
  def.linear_damping = 2;
  def.simd = simd;
  def.thread_count = threads;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

/* A coarse sheet above the origin, stiff; its triangles go to `triangles`. */
static void add_sheet(msd_world *world, double height, int32_t triangles[TRIANGLES][3]) {
  msd_cloth_def def = msd_default_cloth_def();
  const double size = PITCH * (SIDE - 1);
  def.columns = def.rows = SIDE;
  def.origin = vector(0.03 - size / 2, height, 0.01 - size / 2);
  def.u = vector(size, 0, 0);
  def.v = vector(0, 0, size);
  def.stretch = physical(2000, 0.5);
  def.shear = physical(400, 0.2);
  ok(world, msd_add_cloth(world, &def, NULL));
  int32_t count = 0;
  for (int32_t n = 0; n < PARTICLES; n++) {
    if (n % SIDE == SIDE - 1 || n / SIDE == SIDE - 1)
      continue;
    const int32_t two[2][3] = {{n, n + 1, n + SIDE}, {n + 1, n + SIDE + 1, n + SIDE}};
    memcpy(triangles[count], two, sizeof two);
    count += 2;
  }
  msd_collision_mesh_def skin = msd_default_collision_mesh_def();
  skin.triangles = triangles[0];
  skin.triangle_count = TRIANGLES;
  skin.self_collision = false;
  ok(world, msd_add_collision_meshes(world, &skin, 1, NULL));
}

/* Of the line between two points and a triangle: the nearest of edges and ends, or where it goes through. */
static double distance_to_line_of(const msd_world *world, const int32_t *corners, triple from, triple to) {
  const triple c[3] = {place_of(world, corners[0]), place_of(world, corners[1]), place_of(world, corners[2])};
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const triple edges[] = {from, to, c[k], c[(k + 1) % 3]};
    least = fmin(least, triple_length(oracle_between(PAIR_EDGE_EDGE, edges)));
  }
  for (int k = 0; k <= 64; k++) {
    const triple point[] = {triple_add(from, triple_add(to, from, -1), k / 64.0), c[0], c[1], c[2]};
    least = fmin(least, triple_length(oracle_between(PAIR_POINT_TRIANGLE, point)));
  }
  return least;
}

Test(chord_offset, no_triangle_of_a_coarse_sheet_comes_into_a_ball_or_a_bar) {
  for (int bar = 0; bar < 2; bar++) {
    msd_world *world = heavy_world(MSD_SIMD_WIDEST, 1);
    static int32_t triangles[TRIANGLES][3];
    const msd_vec3 from = vector(-0.3 * bar, 0.05 * bar, -0.4 * bar),
                   to = vector(0.3 * bar, -0.05 * bar, 0.4 * bar);
    add_collider(world, capsule_of(RADIUS, from, to));
    add_sheet(world, 0.4, triangles);
    double nearest = INFINITY;
    for (int frame = 0; frame < FRAMES; frame++) {
      step(world, FRAME, 40);
      for (int n = 0; n < TRIANGLES; n++)
        nearest = fmin(nearest, distance_to_line_of(world, triangles[n], triple_of(from), triple_of(to)));
      cr_assert_gt(nearest, RADIUS, "frame %d", frame);
    }
    cr_expect_lt(nearest, RADIUS + 4 * THICKNESS, "it lies on it");
    msd_destroy_world(world);
  }
}

/* 25 particles over a bar across it, with links as long as the bar is thick. */
Test(chord_offset, no_link_of_a_rope_comes_into_a_bar) {
  enum { LINKS = 24 };
  msd_world *world = heavy_world(MSD_SIMD_WIDEST, 1);
  const double radius = 0.05, link = 0.1;
  add_collider(world, capsule_of(radius, vector(0, 0, -1), vector(0, 0, 1)));
  int32_t segments[LINKS][2];
  for (int32_t n = 0; n <= LINKS; n++) {
    add_particle(world, 0.01, (n - LINKS / 2 + 0.3) * link, 0.2, 0);
    if (n > 0) {
      add_spring(world, physical(1000, 0.5), n - 1, n, link);
      segments[n - 1][0] = n - 1;
      segments[n - 1][1] = n;
    }
  }
  msd_collision_mesh_def skin = msd_default_collision_mesh_def();
  skin.segments = segments[0];
  skin.segment_count = LINKS;
  ok(world, msd_add_collision_meshes(world, &skin, 1, NULL));
  double nearest = INFINITY;
  for (int frame = 0; frame < FRAMES; frame++) {
    step(world, FRAME, 40);
    for (int32_t n = 0; n < LINKS; n++) {
      const triple edges[] = {place_of(world, n), place_of(world, n + 1), {{0, 0, -1}}, {{0, 0, 1}}};
      nearest = fmin(nearest, triple_length(oracle_between(PAIR_EDGE_EDGE, edges)));
    }
    cr_assert_gt(nearest, radius, "frame %d", frame);
  }
  cr_expect_lt(nearest, radius + 2 * THICKNESS, "it hangs on it");
  msd_destroy_world(world);
}

/* sqrt((R + h)^2 + L^2/3) of a triangle with the edges L, L, sqrt(2) L. */
Test(chord_offset, a_lone_particle_of_a_triangle_stands_off_by_its_longest_edge) {
  for (int part = 0; part < 2; part++) {
    msd_world *world = heavy_world(MSD_SIMD_WIDEST, 1);
    add_collider(world, sphere_of(RADIUS));
    static const int32_t corners[] = {0, 1, 2};
    add_particle(world, 0.1, 0, 0.4, 0);
    add_pin(world, PITCH, 5, 0);
    add_pin(world, 0, 5, PITCH);
    ok(world, msd_particle_set_position(world, 1, vector(PITCH, 0.4, 0)));
    ok(world, msd_particle_set_position(world, 2, vector(0, 0.4, PITCH)));
    msd_collision_mesh_def skin = msd_default_collision_mesh_def();
    skin.triangles = corners;
    skin.triangle_count = 1;
    if (part)
      ok(world, msd_add_collision_meshes(world, &skin, 1, NULL));
    for (int frame = 0; frame < 120; frame++)
      step(world, FRAME, 40);
    const double reach = RADIUS + THICKNESS, longest = 2 * PITCH * PITCH;
    cr_expect_float_eq((double)msd_particle_get_position(world, 0).y,
                       sqrt(reach * reach + (part ? longest / 3 : 0)), 1e-5);
    msd_destroy_world(world);
  }
}

Test(chord_offset, has_the_same_bits_with_any_threads_and_vectors) {
  uint64_t hash = 0;
  for (int n = 0; n < 6; n++) {
    static const msd_simd widths[] = {MSD_SIMD_SCALAR, MSD_SIMD_128, MSD_SIMD_256, MSD_SIMD_512};
    msd_world *world = heavy_world(widths[n % 4], 1 + n / 4);
    static int32_t triangles[TRIANGLES][3];
    add_collider(world, sphere_of(RADIUS));
    add_sheet(world, 0.25, triangles);
    for (int frame = 0; frame < 20; frame++)
      step(world, FRAME, 20);
    hash = n == 0 ? msd_world_hash(world) : hash;
    cr_expect_eq(msd_world_hash(world), hash, "%d", n);
    msd_destroy_world(world);
  }
}

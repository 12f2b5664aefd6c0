/* Edges and corners of boxes stay out of the triangles and segments of collision meshes, in every substep,
   however coarse the mesh, thin the box and fast either is. The oracle is support/box_depth.h, after each
   substep. */
#include "tests/support/box_depth.h"
#include "tests/support/colliders.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

static const double FRAME = 1.0 / 60;

/* m: what rounding may add at a meter from the origin. */
static const double ROUNDING = 2e-6;

/* m: deeper than this or nearer than this is reported. */
static const double NEAR = 0.02;

/* ----------------------------------------------------------------------------------------------- the oracle
   */

static double depth_in_cube(double turn, double a[3], double b[3], double c[3]) {
  msd_collider_def cube = box_of(2, 2, 2);
  cube.rotation = degrees(0, 0, turn);
  double corners[3][3];
  memcpy(corners[0], a, sizeof *corners);
  memcpy(corners[1], b, sizeof *corners);
  memcpy(corners[2], c, sizeof *corners);
  return box_depth_of(&cube, corners, 3, 10);
}

Test(box_edges, the_oracle_knows_depths_of_triangles) {
  double left[3] = {-9, 0.75, 0}, right[3] = {9, 0.75, 0}, up[3] = {0, 9, 0};
  cr_expect_float_eq(depth_in_cube(0, left, right, up), 0.25, 1e-6, "all corners outside");
  const double top = sqrt(2);
  left[1] = right[1] = top - 0.5;
  cr_expect_float_eq(depth_in_cube(45, left, right, up), 0.5 / sqrt(2), 1e-6, "over an edge");
  left[1] = right[1] = 1.5;
  cr_expect_float_eq(depth_in_cube(0, left, right, up), -0.5, 1e-6, "outside");
}

/* ---------------------------------------------------------------------------------------------------- scenes
   */

enum { SHAPES = 8, STAIRS = 4 };

/* Adds the boxes of a shape around the origin, whose highest point is at most 0.35 m above it. */
static const char *add_shape(msd_world *world, int shape) {
  static const char *const names[SHAPES] = {
      "turned box",    "box on its corner", "stairs",       "table of 20 mm",
      "wall of 20 mm", "blade of 4 mm",     "tilted blade", "needle"};
  msd_collider_def def = box_of(0.4, 0.4, 0.4);
  def.rotation = degrees(10, 30, 8);
  if (shape == 1)
    def.rotation = degrees(45, 35.26, 0);
  if (shape >= 2)
    def.rotation = degrees(0, 0, 0);
  if (shape == 2)
    for (int step = 1; step < STAIRS; step++) {
      def = box_of(0.2, 0.16, 1);
      def.position = vector(-0.4 + 0.2 * step, -0.2 + 0.08 * step, 0);
      add_collider(world, def);
    }
  if (shape >= 2) {
    const double sides[SHAPES][3] = {{0},
                                     {0},
                                     {0.2, 0.16, 1},
                                     {0.5, 0.02, 0.5},
                                     {0.02, 0.5, 0.5},
                                     {0.004, 0.5, 0.5},
                                     {0.004, 0.5, 0.5},
                                     {0.003, 0.6, 0.003}};
    def.size = vector(sides[shape][0], sides[shape][1], sides[shape][2]);
    def.position = shape == 2 ? vector(-0.4, -0.2, 0) : vector(0.013, 0, 0.017);
  }
  if (shape == 6)
    def.rotation = degrees(0, 20, 30);
  add_collider(world, def);
  return names[shape];
}

/* What after_substep has seen of a world. */
typedef struct depth_watch {
  double deepest;
} depth_watch;

static double deepest_of(const msd_world *world) {
  double deepest = -NEAR;
  for (int32_t collider = 0; collider < msd_world_get_collider_count(world); collider++)
    for (int32_t mesh = 0; mesh < msd_world_get_collision_mesh_count(world); mesh++)
      if (msd_collider_get_def(world, collider).kind == MSD_COLLIDER_BOX)
        deepest = fmax(deepest, box_depth_of_mesh(world, mesh, collider, NEAR));
  return deepest;
}

static void watch_substep(const msd_world *world, const msd_substep_info *info, void *context) {
  depth_watch *watch = context;
  (void)info;
  watch->deepest = fmax(watch->deepest, deepest_of(world));
}

/* Colliders that move report their pose at the end of the frame only, so only static ones are watched in
   between. */
static void watch_all(msd_world *world, depth_watch *watch) {
  msd_callbacks callbacks = {.after_substep = watch_substep, .context = watch};
  ok(world, msd_world_set_callbacks(world, &callbacks));
}

static touching new_scene(int32_t cells, double height, double speed, double friction) {
  touching t = contact_step_new(vector(0, -10, 0), friction, 0);
  const int32_t first = touching_sheet(&t, cells + 1, cells + 1, vector(-0.5, height, -0.5), vector(1, 0, 0),
                                       vector(0, 0, 1), true);
  throw_all(t.world, first, (cells + 1) * (cells + 1), vector(0, -speed, 0));
  return t;
}

static void expect_outside(msd_world *world, double deepest, const char *what) {
  cr_expect_leq(deepest, ROUNDING, "%s: %g mm deep", what, 1e3 * deepest);
  cr_expect_eq(msd_world_get_counts(world).squeezed, 0, "%s", what);
}

/* -------------------------------------------------------------------------------------------- boxes at rest
   */

static void expect_held_by(int32_t cells, double speed, int frames, int substeps) {
  for (int shape = 0; shape < SHAPES; shape += in_part ? 3 : 1) {
    touching t = new_scene(cells, 0.4, speed, 0.3);
    const char *name = add_shape(t.world, shape);
    depth_watch watch = {.deepest = -1};
    watch_all(t.world, &watch);
    step(t.world, FRAME, substeps);
    for (int frame = 1; frame < frames; frame++)
      step(t.world, FRAME, substeps);
    expect_outside(t.world, watch.deepest, name);
    cr_expect_geq(watch.deepest, -0.01, "%s is not touched: %g", name, watch.deepest);
    cr_expect_eq(touching_intersections(&t), 0, "%s", name);
    contact_step_free(&t);
  }
}

Test(box_edges, sheets_of_143_mm_stay_outside_of_boxes) {
  expect_held_by(7, 0, 90, 8);
}

Test(box_edges, sheets_of_67_mm_stay_outside_of_boxes) {
  expect_held_by(15, 0, 60, 12);
}

Test(box_edges, sheets_of_32_mm_stay_outside_of_boxes) {
  expect_held_by(31, 1, 30, 16);
}

/* In part coarser ones are enough. */
Test(box_edges, sheets_of_16_mm_stay_outside_of_boxes, .disabled = in_part) {
  expect_held_by(63, 3, 7, 16);
}

Test(box_edges, fast_sheets_stay_outside_of_boxes) {
  expect_held_by(15, 40, 20, 24);
}

Test(box_edges, elements_keep_the_thickness_where_they_rest) {
  touching t = new_scene(15, 0.3, 0, 1);
  add_shape(t.world, 0);
  for (int frame = 0; frame < 180; frame++)
    step(t.world, FRAME, 12);
  const double deepest = deepest_of(t.world);
  cr_expect(deepest < -0.002 && deepest > -0.0051, "%g mm deep", 1e3 * deepest);
  contact_step_free(&t);
}

Test(box_edges, a_mesh_without_self_collision_is_held_too) {
  touching t = contact_step_new(vector(0, -10, 0), 0.3, 0);
  const int32_t first =
      touching_sheet(&t, 16, 16, vector(-0.5, 0.4, -0.5), vector(1, 0, 0), vector(0, 0, 1), true);
  ok(t.world, msd_collision_mesh_exclude(t.world, 0, 0));
  add_shape(t.world, 5);
  throw_all(t.world, first, 256, vector(0, -3, 0));
  depth_watch watch = {.deepest = -1};
  watch_all(t.world, &watch);
  for (int frame = 0; frame < 60; frame++)
    step(t.world, FRAME, 12);
  expect_outside(t.world, watch.deepest, "blade");
  contact_step_free(&t);
}

Test(box_edges, soft_contact_and_zero_thickness_hold_too) {
  for (int which = 0; which < 2; which++) {
    touching t = new_scene(10, 0.4, 2, 0.3);
    set_contact(t.world, which ? 0 : 0.005, 0.3, which ? 0 : 0.9);
    add_shape(t.world, 6);
    depth_watch watch = {.deepest = -1};
    watch_all(t.world, &watch);
    for (int frame = 0; frame < 60; frame++)
      step(t.world, FRAME, 12);
    cr_expect_leq(watch.deepest, ROUNDING, "%d: %g mm deep", which, 1e3 * watch.deepest);
    contact_step_free(&t);
  }
}

/* A planes' solid is the union of half-spaces, so what is outside is convex: vertices suffice. */
Test(box_edges, elements_stay_outside_of_planes_that_intersect) {
  touching t = new_scene(7, 1.2, 5, 0.3);
  const msd_vec3 normals[3] = {vector(1, 1, 0), vector(-1, 1, 0.5), vector(0, 1, -1)};
  for (int n = 0; n < 3; n++)
    add_collider(t.world, plane_of(normals[n]));
  for (int frame = 0; frame < 60; frame++) {
    step(t.world, FRAME, 12);
    for (int32_t i = 0; i < 64; i++)
      cr_assert_gt(distance_from_all(t.world, msd_particle_get_position(t.world, i)), 0);
  }
  contact_step_free(&t);
}

/* The triangles hold each other, so that they cannot leave. */
Test(box_edges, sheets_that_begin_around_a_blade_come_no_deeper) {
  touching t = new_scene(7, 0.1, 0, 0.3);
  ok(t.world, msd_world_set_gravity(t.world, vector(0, 0, 0)));
  add_shape(t.world, 5);
  cr_expect_gt(deepest_of(t.world), 0.001);
  double before = deepest_of(t.world);
  for (int frame = 0; frame < 60; frame++) {
    step(t.world, FRAME, 12);
    const double depth = deepest_of(t.world);
    cr_expect_leq(depth, before + ROUNDING, "frame %d", frame);
    before = fmax(depth, 0);
  }
  contact_step_free(&t);
}

/* ---------------------------------------------------------------------------------------------------- ropes
   */

Test(box_edges, segments_of_ropes_stay_outside_of_boxes) {
  for (int shape = 0; shape < 7; shape++) {
    touching t = contact_step_new(vector(0, -10, 0), 1, 0);
    const int32_t first = touching_rope(&t, 12, vector(-0.5, 0.37, 0.02), vector(0.5, 0.39, -0.02));
    const char *name = add_shape(t.world, shape);
    throw_all(t.world, first, 12, vector(0, -10, 0));
    depth_watch watch = {.deepest = -1};
    watch_all(t.world, &watch);
    for (int frame = 0; frame < 60; frame++)
      step(t.world, FRAME, 12);
    expect_outside(t.world, watch.deepest, name);
    cr_expect_geq(watch.deepest, -0.01, "%s is not touched", name);
    contact_step_free(&t);
  }
}

/* m: how far a plate of two triangles slides in 1 s over the edges of two bars, which no vertex of it is
   near, on a slope of that tangent. */
static double slide_over_bars(double friction, double slope) {
  const double steep = sqrt(1 + slope * slope);
  touching t = contact_step_new(vector(10 * slope / steep, -10 / steep, 0), friction, 0);
  msd_cloth_def def = msd_default_cloth_def();
  def.origin = vector(-0.5, 0.0551, -0.3);
  def.u = vector(1, 0, 0);
  def.v = vector(0, 0, 0.6);
  def.stretch = def.shear = physical(3000, 3);
  msd_body body;
  ok(t.world, msd_add_cloth(t.world, &def, &body));
  const int32_t triangles[6] = {0, 1, 2, 1, 3, 2};
  msd_collision_mesh_def mesh = msd_default_collision_mesh_def();
  mesh.triangles = triangles;
  mesh.triangle_count = 2;
  touching_add(&t, mesh);
  for (int side = -1; side < 2; side += 2) {
    msd_collider_def bar = box_of(0.004, 0.1, 2);
    bar.position = vector(0.2 * side, 0, 0);
    add_collider(t.world, bar);
  }
  for (int frame = 0; frame < 60; frame++)
    step(t.world, FRAME, 20);
  double slid = 0;
  for (int32_t i = 0; i < 4; i++)
    slid += ((double)msd_particle_get_position(t.world, i).x - (i % 2 ? 0.5 : -0.5)) / 4;
  cr_expect_leq(deepest_of(t.world), ROUNDING);
  contact_step_free(&t);
  return slid;
}

/* Coulomb: it rests where the tangent of the slope is below the coefficient, and else accelerates by the
   rest. */
Test(box_edges, friction_holds_what_lies_on_edges_alone) {
  cr_expect_lt(fabs(slide_over_bars(0.3, 0.2)), 1e-3);
  const double slope = 0.25, fall = 10 * (slope - 0.2) / sqrt(1 + slope * slope) / 2;
  cr_expect_float_eq(slide_over_bars(0.2, slope), fall, 0.1 * fall);
  cr_expect_gt(slide_over_bars(0, 0.05), 0.24);
}

/* ------------------------------------------------------------------------------------------------ moving
   boxes */

typedef struct box_course {
  const char *name;
  msd_vec3 size, from, turn;
  /* m and degrees a frame. */
  msd_vec3 way, turns;
  /* The way turns round after so many frames. */
  int frames;
} box_course;

static const box_course COURSES[] = {
    {"blade, 30 m/s", {0.004f, 0.5f, 0.5f}, {0.013f, -1.2f, 0}, {0, 0, 0}, {0, 0.5f, 0}, {0, 0, 0}, 20},
    {"table, 18 m/s", {0.5f, 0.02f, 0.5f}, {0, -1, 0}, {20, 0, 15}, {0, 0.3f, 0}, {0, 0, 0}, 20},
    {"bar, 10 revolutions/s", {0.02f, 0.02f, 1.2f}, {0, 0.28f, 0}, {0, 0, 0}, {0, 0, 0}, {60, 0, 0}, 60},
    {"blade, 15 revolutions/s", {0.004f, 1, 0.3f}, {0, 0.05f, 0}, {90, 0, 0}, {0, 0.01f, 0}, {0, 0, 90}, 20},
    {"hammer, 7 m/s to and fro",
     {0.3f, 0.1f, 0.3f},
     {0, -0.5f, 0},
     {20, 10, 0},
     {0, 0.12f, 0},
     {0, 20, 0},
     9},
    {"corner, 30 m/s sideways",
     {0.2f, 0.2f, 0.2f},
     {-1.5f, 0.3f, 0},
     {45, 35, 0},
     {0.5f, 0, 0},
     {0, 0, 0},
     20},
};

static void move_on(msd_world *world, const box_course *c, int frame) {
  const int round = frame % (2 * c->frames), at = round < c->frames ? round : 2 * c->frames - round;
  const msd_vec3 place = {c->from.x + (msd_real)at * c->way.x, c->from.y + (msd_real)at * c->way.y,
                          c->from.z + (msd_real)at * c->way.z};
  const msd_vec3 turn = {c->turn.x + (msd_real)frame * c->turns.x, c->turn.y + (msd_real)frame * c->turns.y,
                         c->turn.z + (msd_real)frame * c->turns.z};
  move_collider(world, 0, place, msd_quaternion_from_degrees(turn));
}

static touching new_course(const box_course *c, int32_t cells, int32_t sheets) {
  touching t = contact_step_new(vector(0, -10, 0), 0.3, 0);
  msd_collider_def def = box_of((double)c->size.x, (double)c->size.y, (double)c->size.z);
  def.position = c->from;
  def.rotation = msd_quaternion_from_degrees(c->turn);
  add_collider(t.world, def);
  for (int32_t sheet = 0; sheet < sheets; sheet++)
    touching_sheet(&t, cells + 1, cells + 1, vector(-0.5, 0.4 + 0.008 * sheet, -0.5), vector(1, 0, 0),
                   vector(0, 0, 1), true);
  return t;
}

static void expect_pushed(int32_t cells, int32_t sheets, int frames) {
  for (size_t n = 0; n < sizeof COURSES / sizeof *COURSES; n += in_part ? 2 : 1) {
    touching t = new_course(&COURSES[n], cells, sheets);
    double deepest = -1;
    for (int frame = 1; frame <= frames; frame++) {
      move_on(t.world, &COURSES[n], frame);
      step(t.world, FRAME, 16);
      deepest = fmax(deepest, deepest_of(t.world));
      cr_expect_eq(msd_world_get_counts(t.world).squeezed, 0, "%s, frame %d", COURSES[n].name, frame);
    }
    cr_expect_leq(deepest, ROUNDING, "%s: %g mm deep", COURSES[n].name, 1e3 * deepest);
    cr_expect_geq(deepest, -0.01, "%s touches nothing", COURSES[n].name);
    cr_expect_eq(touching_intersections(&t), 0, "%s", COURSES[n].name);
    cr_expect_eq(msd_world_get_counts(t.world).forced_intersections, 0, "%s", COURSES[n].name);
    contact_step_free(&t);
  }
}

Test(box_edges, fast_boxes_do_not_pass_through_coarse_sheets) {
  expect_pushed(7, 1, 60);
}

Test(box_edges, fast_boxes_do_not_pass_through_fine_sheets, .disabled = in_part) {
  expect_pushed(16, 1, 12);
}

Test(box_edges, fast_boxes_carry_two_layers) {
  expect_pushed(10, 2, 12);
}

/* ------------------------------------------------------------------------------------------- energy and bits
   */

static double kinetic_of(const msd_world *world, int32_t first) {
  double sum = 0;
  for (int32_t i = first; i < first + 3; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    sum += component(v, 0) * component(v, 0) + component(v, 1) * component(v, 1) +
           component(v, 2) * component(v, 2);
  }
  return sum;
}

/* m^2/s^2: three corners that came nearer than the thickness are pushed out at 5 cm/s each. */
static const double PUSHED = 3 * 0.05 * 0.05;

Test(box_edges, static_boxes_give_no_kinetic_energy_to_triangles) {
  generator random = {7};
  for (int trial = 0; trial < 40; trial++) {
    touching t = contact_step_new(vector(0, 0, 0), trial % 3 * 0.4, 0);
    add_shape(t.world, 4 + trial % 3);
    const msd_vec3 a = vector(0.3, 0.1, 0.3), b = vector(0.3, -0.15, -0.3), c = vector(0.45, 0.2, -0.1);
    const int32_t first = touching_triangle(&t, 0.1, a, b, c);
    for (int32_t i = first; i < first + 3; i++) {
      const msd_vec3 v = random_vector(&random, 4);
      ok(t.world, msd_particle_set_velocity(t.world, i, vector((double)v.x - 8, (double)v.y, (double)v.z)));
    }
    double energy = kinetic_of(t.world, first);
    for (int substep = 0; substep < 100; substep++) {
      step(t.world, 0.002, 1);
      const double now = kinetic_of(t.world, first);
      cr_assert_leq(now, energy * (1 + 1e-5) + PUSHED, "trial %d, substep %d: %g to %g", trial, substep,
                    energy, now);
      cr_assert_leq(deepest_of(t.world), ROUNDING);
      energy = now;
    }
    contact_step_free(&t);
  }
}

/* The hash after each frame of a sheet that boxes move. */
static uint64_t hash_of_run(int threads, msd_simd simd, int restored) {
  touching t = new_course(&COURSES[4], 15, 1);
  ok(t.world, msd_world_set_thread_count(t.world, threads));
  ok(t.world, msd_world_set_simd(t.world, simd));
  uint64_t hash = 0;
  for (int frame = 1; frame <= 30; frame++) {
    if (frame == restored) {
      snapshot s = snapshot_of(t.world);
      ok(t.world, msd_world_restore(t.world, s.data, s.size));
      free(s.data);
    }
    move_on(t.world, &COURSES[4], frame);
    step(t.world, FRAME, 13);
    hash = hash * 31 + msd_world_hash(t.world);
  }
  contact_step_free(&t);
  return hash;
}

Test(box_edges, results_depend_on_neither_threads_nor_vectors_nor_snapshots) {
  const uint64_t expected = hash_of_run(1, MSD_SIMD_SCALAR, 0);
  for (int threads = 1; threads < 5; threads += 3)
    for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++)
      cr_expect_eq(hash_of_run(threads, (msd_simd)simd, 0), expected, "%d threads, width %d", threads, simd);
  for (int frame = 5; frame < 30; frame += 9)
    cr_expect_eq(hash_of_run(1, MSD_SIMD_WIDEST, frame), expected, "restored before frame %d", frame);
}

/* What a program replays from a state of its own is bitwise identical: the caches of the frames in between
   are of no effect. */
Test(box_edges, frames_that_are_rolled_back_are_the_same_again) {
  enum { AHEAD = 7, FRAMES = 28 };
  const uint64_t expected = hash_of_run(1, MSD_SIMD_WIDEST, 0);
  touching t = new_course(&COURSES[4], 15, 1);
  uint64_t hash = 0;
  for (int frame = 1; frame <= 30; frame++) {
    snapshot s = saved_state_of(t.world);
    for (int ahead = frame; frame % AHEAD == 0 && frame < FRAMES && ahead < frame + AHEAD; ahead++) {
      move_on(t.world, &COURSES[4], ahead);
      step(t.world, FRAME, 13);
    }
    ok(t.world, msd_world_restore_state(t.world, s.data, s.size));
    free(s.data);
    move_on(t.world, &COURSES[4], frame);
    step(t.world, FRAME, 13);
    hash = hash * 31 + msd_world_hash(t.world);
  }
  cr_expect_eq(hash, expected);
  contact_step_free(&t);
}

/* A sheet that hangs over the edges of a table falls asleep, and wakes when a corner is thrown. */
static uint64_t hash_of_sleepers(int threads) {
  enum { CELLS = 11, PARTICLES = (CELLS + 1) * (CELLS + 1), LONGEST = 900 };
  touching t = new_scene(CELLS, 0.02, 0, 1);
  ok(t.world, msd_world_set_thread_count(t.world, threads));
  ok(t.world, msd_world_set_linear_damping(t.world, 4));
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)0.02;
  sleep.delay = (msd_real)0.25;
  ok(t.world, msd_world_set_sleep(t.world, &sleep));
  add_shape(t.world, 3);
  depth_watch watch = {.deepest = -1};
  watch_all(t.world, &watch);
  int frame = 0;
  for (; frame < LONGEST && msd_world_get_stats(t.world).asleep < PARTICLES; frame++)
    step(t.world, FRAME, 12);
  cr_expect_lt(frame, LONGEST, "it does not fall asleep");
  cr_expect_lt((double)msd_particle_get_position(t.world, 0).y, -0.1, "it lies flat");
  step(t.world, FRAME, 12);
  ok(t.world, msd_particle_set_velocity(t.world, 0, vector(3, 2, 3)));
  for (int n = 0; n < 30; n++)
    step(t.world, FRAME, 12);
  cr_expect_lt(msd_world_get_stats(t.world).asleep, PARTICLES);
  expect_outside(t.world, watch.deepest, "asleep");
  const uint64_t hash = msd_world_hash(t.world);
  contact_step_free(&t);
  return hash;
}

Test(box_edges, sheets_sleep_on_boxes_and_wake_outside_of_them) {
  cr_expect_eq(hash_of_sleepers(1), hash_of_sleepers(3));
}

/* A box that nothing comes near changes no bit. */
Test(box_edges, a_box_far_away_changes_nothing) {
  uint64_t hash[2];
  for (int which = 0; which < 2; which++) {
    touching t = new_scene(12, 0.2, 1, 0.3);
    add_collider(t.world, plane_of(vector(0, 1, 0)));
    if (which) {
      msd_collider_def def = box_of(1, 1, 1);
      def.position = vector(20, 0, 0);
      add_collider(t.world, def);
    }
    for (int frame = 0; frame < 40; frame++)
      step(t.world, FRAME, 12);
    hash[which] = msd_world_hash(t.world);
    contact_step_free(&t);
  }
  cr_expect_eq(hash[0], hash[1]);
}

#include "tests/support/render_stage.h"

#include "render/view/pick.h"

/* Pixels: the width and height of the picture. */
enum { SIDE = 800 };

typedef struct look {
  topology shapes;
  float (*points)[4];
  pick_view view;
} look;

/* The camera is 5 m in front of the origin, where a meter is 400 / (5 tan 15) = 298.56 pixels. */
static void look_make(look *l, const stage *st) {
  msd_view at = msd_world_get_positions(st->scene.world);
  cr_assert(topology_make(&st->scene, 2, &l->shapes));
  l->points = calloc((size_t)at.count + 1, sizeof *l->points);
  for (int32_t i = 0; i < at.count; i++) {
    msd_vec3 x = msd_particle_get_position(st->scene.world, i);
    l->points[i][0] = (float)x.x, l->points[i][1] = (float)x.y, l->points[i][2] = (float)x.z;
  }
  l->view = (pick_view){&l->shapes, (const float(*)[4])l->points, camera_default(), SIDE, SIDE};
  l->view.camera.distance = 5;
}

static void look_free(look *l) {
  topology_free(&l->shapes);
  free(l->points);
}

static int32_t particle_at(const look *l, double x, double y) {
  float pixel[2] = {(float)(SIDE / 2 + 298.56 * x), (float)(SIDE / 2 - 298.56 * y)};
  return pick_particle(&l->view, pixel, 9);
}

static int32_t mesh_collider_at(const look *l, double x, double y, float *depth) {
  float pixel[2] = {(float)(SIDE / 2 + 298.56 * x), (float)(SIDE / 2 - 298.56 * y)};
  return pick_mesh_collider(&l->view, pixel, 9, depth);
}

static int32_t index_of(int row, int column) {
  return row * 21 + column;
}

Test(pick, finds_the_particle_of_a_surface_under_the_pointer) {
  stage st;
  look l;
  make_cloth(&st, nowhere);
  look_make(&l, &st);
  /* particle (row, column) is at -1 + column / 10, 0.5 - row / 10 */
  cr_expect_eq(particle_at(&l, 0, 0), index_of(5, 10));
  cr_expect_eq(particle_at(&l, 0.32, 0.18), index_of(3, 13));
  cr_expect_eq(particle_at(&l, -1, 0.5), index_of(0, 0));
  cr_expect_eq(particle_at(&l, 1.02, -0.51), index_of(10, 20), "just outside, but within reach");
  cr_expect_eq(particle_at(&l, 1.1, 0), -1);
  look_free(&l);
  stage_free(&st);
}

Test(pick, takes_what_is_in_front) {
  stage st;
  look l;
  make_cloth(&st, nowhere);
  /* Fold the lower half up behind the upper one: row 5 + k comes behind row 5 - k. */
  for (int32_t row = 6; row <= 10; row++)
    for (int32_t column = 0; column < 21; column++) {
      msd_vec3 x = msd_particle_get_position(st.scene.world, index_of(row, column));
      x.y = -x.y;
      x.z = (msd_real)-0.01;
      msd_particle_set_position(st.scene.world, index_of(row, column), x);
    }
  look_make(&l, &st);
  cr_expect_eq(particle_at(&l, 0.2, 0.3), index_of(2, 12));
  l.view.camera.azimuth = 180;
  cr_expect_eq(particle_at(&l, -0.2, 0.3), index_of(8, 12), "and from behind, what is behind");
  look_free(&l);
  stage_free(&st);
}

/* The cloth, and particles that are part of no surface, in a body of their own. */
static void make_cloth_and_particles(stage *st, scene_body bodies[2], const msd_vec3 *at, int32_t count) {
  make_cloth(st, nowhere);
  int32_t first = 0;
  for (int32_t i = 0; i < count; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = at[i];
    cr_assert(msd_add_particles(st->scene.world, &def, 1, i == 0 ? &first : NULL) == MSD_OK);
  }
  bodies[0] = st->body;
  bodies[1] =
      (scene_body){.name = "loose", .kind = "particles", .particles = {first, count}, .surface.number = -1};
  st->scene.bodies = bodies;
  st->scene.body_count = 2;
}

Test(pick, what_a_surface_hides_is_not_found) {
  stage st;
  scene_body bodies[2];
  look l;
  make_cloth_and_particles(
      &st, bodies, (msd_vec3[]){{(msd_real)0.02, 0, (msd_real)-0.5}, {(msd_real)0.45, 0, (msd_real)0.5}}, 2);
  look_make(&l, &st);
  cr_expect_eq(particle_at(&l, 0.02 * 5 / 5.5, 0), index_of(5, 10), "behind the cloth");
  cr_expect_eq(particle_at(&l, 0.45 * 5 / 4.5, 0), 231 + 1, "in front of it");
  look_free(&l);
  stage_free(&st);
}

Test(pick, a_mesh_collider_hides_what_is_behind_it_and_is_found_as_such) {
  stage st;
  scene_body bodies[2];
  look l;
  make_cloth_and_particles(&st, bodies,
                           (msd_vec3[]){{(msd_real)-0.5, (msd_real)-0.5, (msd_real)0.5},
                                        {(msd_real)0.5, (msd_real)-0.5, (msd_real)0.5},
                                        {0, (msd_real)0.5, (msd_real)0.5}},
                           3);
  int32_t triangle[] = {231, 232, 233};
  bodies[1].is_collider = true;
  bodies[1].triangles = triangle;
  bodies[1].triangle_count = 1;
  look_make(&l, &st);
  cr_expect_eq(particle_at(&l, 0, 0), -1);
  cr_expect_eq(particle_at(&l, 0.8, 0), index_of(5, 18));
  float depth;
  const int32_t found = mesh_collider_at(&l, 0, 0, &depth);
  cr_expect(found >= 231 && found < 234, "a corner of it: %d", found);
  cr_expect_float_eq((double)depth, 4.5, 1e-4);
  cr_expect_eq(mesh_collider_at(&l, 0.8, 0, &depth), -1, "the cloth alone");
  look_free(&l);
  stage_free(&st);
}

/* Lines 0.5 m in front of the cloth and as far behind it. */
Test(pick, lines_of_a_mesh_collider_are_found_where_nothing_hides_them) {
  stage st;
  scene_body bodies[2];
  look l;
  make_cloth_and_particles(&st, bodies,
                           (msd_vec3[]){{(msd_real)-0.5, (msd_real)0.2, (msd_real)0.5},
                                        {(msd_real)0.5, (msd_real)0.2, (msd_real)0.5},
                                        {(msd_real)-0.5, (msd_real)-0.2, (msd_real)-0.5},
                                        {(msd_real)0.5, (msd_real)-0.2, (msd_real)-0.5}},
                           4);
  int32_t segments[] = {231, 232, 233, 234};
  bodies[1].is_collider = true;
  bodies[1].segments = segments;
  bodies[1].segment_count = 2;
  look_make(&l, &st);
  float depth;
  const int32_t found = mesh_collider_at(&l, 0, 0.2 * 5 / 4.5, &depth);
  cr_expect(found == 231 || found == 232, "%d", found);
  cr_expect_float_eq((double)depth, 4.5, 1e-4);
  cr_expect_eq(mesh_collider_at(&l, 0, 0.3 * 5 / 4.5, &depth), -1, "30 pixels above it");
  cr_expect_eq(mesh_collider_at(&l, 0, -0.2 * 5 / 5.5, &depth), -1, "behind the cloth");
  look_free(&l);
  stage_free(&st);
}

/* The cloth is turned: z = 2 x, from 2 m behind the origin to 2 m in front of it. A particle 0.02 m in front of
   it is seen, and one 0.02 m behind it is not, although a single triangle extends over 0.2 m of depth. */
Test(pick, a_slanted_triangle_has_its_own_depth_at_every_pixel) {
  enum { PLACES = 4 };
  stage st;
  scene_body bodies[2];
  look l;
  msd_vec3 at[2 * PLACES];
  for (int i = 0; i < PLACES; i++) {
    const double x = -0.79 + 0.425 * i;
    for (int before = 0; before < 2; before++)
      at[2 * i + before] = (msd_vec3){(msd_real)x, (msd_real)(before ? 0.03 : -0.07),
                                      (msd_real)(2 * x + (before ? 0.02 : -0.02))};
  }
  make_cloth_and_particles(&st, bodies, at, 2 * PLACES);
  for (int32_t i = 0; i < 231; i++) {
    msd_vec3 x = msd_particle_get_position(st.scene.world, i);
    x.z = 2 * x.x;
    cr_assert(msd_particle_set_position(st.scene.world, i, x) == MSD_OK);
  }
  look_make(&l, &st);
  for (int32_t i = 0; i < 2 * PLACES; i++) {
    float pixel[2], depth;
    cr_assert(pick_project(&l.view, 231 + i, pixel, &depth));
    const int32_t found = pick_particle(&l.view, pixel, 0.5f);
    if (i % 2)
      cr_expect_eq(found, 231 + i, "%d is hidden by %d", i, found);
    else
      cr_expect_lt(found, 231, "%d is seen", i);
  }
  look_free(&l);
  stage_free(&st);
}

Test(pick, finds_particles_of_a_rope_within_reach) {
  stage st;
  look l;
  /* From 0 to 1 m along x. */
  make_rope(&st);
  look_make(&l, &st);
  cr_expect_eq(particle_at(&l, 0.3, 0), 3);
  cr_expect_eq(particle_at(&l, 0.31, 0.02), 3);
  cr_expect_eq(particle_at(&l, 0.3, 0.1), -1);
  look_free(&l);
  stage_free(&st);
}

Test(pick, finds_the_nearest_unbroken_spring) {
  stage st;
  look l;
  make_rope(&st);
  cr_assert(msd_spring_break(st.scene.world, 5) == MSD_OK);
  look_make(&l, &st);
  const float on[2] = {SIDE / 2 + 0.35f * 298.56f, SIDE / 2 + 2},
              beside[2] = {SIDE / 2 + 0.35f * 298.56f, SIDE / 2 + 30},
              broken[2] = {SIDE / 2 + 0.55f * 298.56f, SIDE / 2};
  cr_expect_eq(pick_spring(&l.view, on, 9), 3);
  cr_expect_eq(pick_spring(&l.view, beside, 9), -1);
  cr_expect_eq(pick_spring(&l.view, broken, 9), -1);
  look_free(&l);
  stage_free(&st);
}

/* A horizontal stroke between rows 4 and 5, from column 3.5 to 7.5, crosses the vertical springs of columns 4
   to 7, and diagonals of the cells that it passes. */
Test(pick, a_stroke_crosses_the_springs_that_it_crosses) {
  stage st;
  look l;
  make_cloth(&st, nowhere);
  look_make(&l, &st);
  float y = SIDE / 2 - 298.56f * 0.05f;
  const float from[2] = {SIDE / 2 - 298.56f * 0.65f, y + 1}, to[2] = {SIDE / 2 - 298.56f * 0.25f, y + 1};
  int32_t found[64];
  int32_t count = pick_crossed(&l.view, from, to, found, 64);
  int upright = 0, diagonal = 0;
  for (int32_t i = 0; i < count; i++) {
    topology_line line = l.shapes.lines[found[i]];
    int row_a = line.a / 21, row_b = line.b / 21, column_a = line.a % 21, column_b = line.b % 21;
    cr_expect((row_a == 4 && row_b == 5) || (row_a == 5 && row_b == 4), "spring %d to %d is not crossed",
              line.a, line.b);
    cr_expect(column_a >= 3 && column_a <= 8 && column_b >= 3 && column_b <= 8);
    upright += column_a == column_b;
    diagonal += column_a != column_b;
  }
  cr_expect_eq(upright, 4);
  /* In three whole cells both diagonals; in each of the two cells at the ends, of which the stroke passes one
     half, only the diagonal that at this height is in that half. */
  cr_expect_eq(diagonal, 6 + 2);
  cr_expect_eq(pick_crossed(&l.view, from, to, found, 3), 3, "no more than there is room for");
  look_free(&l);
  stage_free(&st);
}

Test(pick, a_stroke_through_the_air_crosses_nothing) {
  stage st;
  look l;
  make_cloth(&st, nowhere);
  look_make(&l, &st);
  int32_t found[4];
  cr_expect_eq(pick_crossed(&l.view, (float[]){10, 10}, (float[]){700, 12}, found, 4), 0);
  cr_expect_eq(pick_crossed(&l.view, (float[]){300, 300}, (float[]){300, 300}, found, 4), 0, "a point");
  look_free(&l);
  stage_free(&st);
}

Test(pick, sees_nothing_behind_the_eye) {
  stage st;
  look l;
  make_cloth(&st, nowhere);
  look_make(&l, &st);
  /* The cloth is 15 m behind the eye. */
  l.view.camera.target[2] = -20;
  cr_expect_eq(particle_at(&l, 0, 0), -1);
  cr_expect_eq(pick_spring(&l.view, (float[]){400, 400}, 1e6f), -1);
  look_free(&l);
  stage_free(&st);
}

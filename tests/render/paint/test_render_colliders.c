#include "render/paint/colliders.h"

#include "tests/support/render_pixels.h"

/* A particle at (0, 1, 0) that marks the extent of the scene below it, and colliders. */
static void make_colliders(stage *st, const msd_collider_def *defs, int count) {
  stage_make(st, "particles", down);
  msd_particle_def p = msd_default_particle_def();
  p.position.y = 1;
  cr_assert(msd_add_particles(st->scene.world, &p, 1, NULL) == MSD_OK);
  st->body.particles = (msd_range){0, 1};
  cr_assert(msd_add_colliders(st->scene.world, defs, count, NULL) == MSD_OK);
}

static msd_collider_def of_kind(msd_collider_kind kind) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = kind;
  return def;
}

static colliders read_places(const stage *st, collider_solid *all, int32_t count) {
  colliders c = {.scene = &st->scene, .all = all, .count = count};
  colliders_update(&c);
  return c;
}

static void expect_box(const box *b, double x, double y, double z, double u, double v, double w) {
  const double wanted[6] = {x, y, z, u, v, w};
  for (int c = 0; c < 6; c++) {
    const double found = (double)(c < 3 ? b->low[c] : b->high[c - 3]);
    cr_expect(fabs(found - wanted[c]) < 1e-5, "%d: %g, not %g", c, found, wanted[c]);
  }
}

/* A capsule of radius 1 from (0, 0, 0) to (0, 3, 4), turned by a quarter about z: y goes to -x. */
Test(colliders, their_boxes_hold_what_has_an_end_and_no_more) {
  msd_collider_def defs[4] = {of_kind(MSD_COLLIDER_PLANE), of_kind(MSD_COLLIDER_SPHERE),
                              of_kind(MSD_COLLIDER_CAPSULE), of_kind(MSD_COLLIDER_BOX)};
  defs[1].position = (msd_vec3){1, 2, 3};
  defs[1].radius = 2;
  defs[2].to = (msd_vec3){0, 3, 4};
  defs[2].rotation = msd_quaternion_from_degrees((msd_vec3){0, 0, 90});
  defs[3].size = (msd_vec3){2, 4, 6};
  defs[3].position = (msd_vec3){10, 0, 0};
  defs[3].rotation = msd_quaternion_from_degrees((msd_vec3){0, 0, 45});
  const double wanted[4][6] = {{0},
                               {-1, 0, 1, 3, 4, 5},
                               {-4, -1, -1, 1, 1, 5},
                               {10 - 4.5 / 1.5 * 0.70710678, -2.1213203, -3, 12.1213203, 2.1213203, 3}};
  for (int i = 0; i < 4; i++) {
    stage st;
    collider_solid all[1];
    make_colliders(&st, &defs[i], 1);
    const colliders c = read_places(&st, all, 1);
    box b = box_empty();
    colliders_add_to_box(&c, &b);
    cr_expect_eq(box_is_empty(&b), i == 0, "a plane has no end");
    const double *w = wanted[i];
    if (i > 0)
      expect_box(&b, w[0], w[1], w[2], w[3], w[4], w[5]);
    const float lowest = colliders_lowest(&c, (vec3){0, 1, 0});
    cr_expect(i == 0 ? isinf(lowest) : fabs((double)lowest - w[1]) < 1e-5);
    stage_free(&st);
  }
}

/* The highest of those that face up; a ceiling and a slope are none. */
Test(colliders, a_level_plane_is_the_ground) {
  msd_collider_def defs[4];
  const double normals[4][3] = {{0, 2, 0}, {0, 1, 0}, {0, -1, 0}, {0.1, 1, 0}};
  for (int i = 0; i < 4; i++) {
    defs[i] = of_kind(MSD_COLLIDER_PLANE);
    defs[i].position.y = (msd_real)i;
    defs[i].normal = (msd_vec3){(msd_real)normals[i][0], (msd_real)normals[i][1], (msd_real)normals[i][2]};
  }
  stage st;
  collider_solid all[4];
  make_colliders(&st, defs, 4);
  colliders c = read_places(&st, all, 4);
  box b = box_empty();
  box_add(&b, (float[]){5, 6, 7});
  cr_expect(isinf(colliders_ground(&c)), "without an up there is none");
  colliders_place_planes(&c, &b, 2, (vec3){0, 1, 0}, true);
  cr_expect_eq(colliders_ground(&c), 1);
  cr_expect(all[2].place[0] == 5 && all[2].place[1] == 2 && all[2].place[2] == 7, "below the middle");
  stage_free(&st);
}

/* Rays along -z from (x, y, 10): a sphere of radius 1 is at the origin, a box behind it, and a capsule beside
   it. */
Test(colliders, a_ray_meets_the_first_in_its_way) {
  msd_collider_def defs[4] = {of_kind(MSD_COLLIDER_BOX), of_kind(MSD_COLLIDER_SPHERE),
                              of_kind(MSD_COLLIDER_CAPSULE), of_kind(MSD_COLLIDER_PLANE)};
  defs[0].size = (msd_vec3){4, 4, 1};
  defs[0].position.z = -5;
  defs[2].position.x = 5;
  defs[2].to = (msd_vec3){0, 3, 0};
  defs[2].radius = (msd_real)0.5;
  defs[3].normal = (msd_vec3){0, 0, 1};
  const struct {
    float x, y, distance;
    int32_t found;
  } rays[] = {{0, 0, 9, 1},       {0, 0.6f, 9.2f, 1}, {0, 1.5f, 14.5f, 0}, {5, 2, 9.5f, 2},
              {5, 3.3f, 9.6f, 2}, {5, 3.6f, 99, -1},  {9, 9, 99, -1}};
  stage st;
  collider_solid all[4];
  make_colliders(&st, defs, 4);
  const colliders c = read_places(&st, all, 4);
  for (size_t i = 0; i < sizeof rays / sizeof *rays; i++) {
    float distance = 99;
    const int32_t found = colliders_hit(&c, (vec3){rays[i].x, rays[i].y, 10}, (vec3){0, 0, -1}, &distance);
    cr_expect_eq(found, rays[i].found, "ray %zu meets %d", i, (int)found);
    cr_expect(fabsf(distance - rays[i].distance) < 0.002f, "ray %zu: %g m", i, (double)distance);
  }
  float near = 8.9f;
  cr_expect_eq(colliders_hit(&c, (vec3){0, 0, 10}, (vec3){0, 0, -1}, &near), -1, "nothing is as near");
  cr_expect_eq(near, 8.9f);
  stage_free(&st);
}

/* With a sphere of radius 1 around the origin, and its top a particle. */
Test(colliders, a_sphere_is_a_disc_in_its_place) {
  stage st;
  msd_collider_def def = of_kind(MSD_COLLIDER_SPHERE);
  make_colliders(&st, &def, 1);
  picture_options o = plain_options();
  const rgb gray = {178, 173, 167};
  picture *p = open_picture(&st, &o);
  int width = 0, height = 0;
  for (int i = 0; i < SIDE; i++) {
    width += difference(pixel(p, i, SIDE / 2), gray) < 20;
    height += difference(pixel(p, SIDE / 2, i), gray) < 20;
  }
  cr_expect(width > SIDE / 2, "it is %d of %d pixels wide", width, SIDE);
  cr_expect(abs(width - height) < SIDE / 20, "%d and %d: round, but for the particle", width, height);
  picture_close(p);
  stage_free(&st);
}

Test(colliders, colors_of_values_leave_them_gray) {
  stage st;
  msd_collider_def def = of_kind(MSD_COLLIDER_BOX);
  make_colliders(&st, &def, 1);
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_SPEED;
  o.color_max = 1;
  picture *p = open_picture(&st, &o);
  expect_color(p, SIDE / 2, SIDE / 2 + SIDE / 8, ((rgb){158, 163, 171}), 9);
  picture_close(p);
  stage_free(&st);
}

/* It moves between two pictures of one painter. */
Test(colliders, a_picture_shows_where_they_now_are) {
  stage st;
  msd_collider_def def = of_kind(MSD_COLLIDER_BOX);
  def.size = (msd_vec3){(msd_real)0.5, (msd_real)0.5, (msd_real)0.5};
  make_colliders(&st, &def, 1);
  picture_options o = plain_options();
  o.camera.has_target = true;
  picture *p = open_picture(&st, &o);
  const rgb gray = {178, 173, 167};
  cr_expect(difference(pixel(p, SIDE / 2, SIDE / 2), gray) < 20);
  def.position.x = 3;
  cr_assert(msd_collider_set_def(st.scene.world, 0, &def) == MSD_OK);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  cr_expect(difference(pixel(p, SIDE / 2, SIDE / 2), gray) > 40);
  picture_close(p);
  stage_free(&st);
}

#include "render/paint/contact_marks.h"

#include "tests/support/render_pixels.h"

static void step(stage *st, int steps) {
  for (int i = 0; i < steps; i++)
    cr_assert(msd_world_step(st->scene.world, (msd_real)1 / 60, 10) == MSD_OK, "%s",
              msd_world_message(st->scene.world));
}

/* Particles that lie on the plane y = 0, 1 m apart along x, the last one of another mass than the rest. */
static void lie_on_a_plane(stage *st, int count, double last_mass) {
  stage_make(st, "particles", down);
  const msd_collider_def plane = msd_default_collider_def();
  cr_assert(msd_add_colliders(st->scene.world, &plane, 1, NULL) == MSD_OK);
  for (int i = 0; i < count; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)i, msd_default_contact_settings().thickness, 0};
    def.mass = i < count - 1 ? 1 : (msd_real)last_mass;
    cr_assert(msd_add_particles(st->scene.world, &def, 1, NULL) == MSD_OK);
  }
  st->body.particles = (msd_range){0, count};
  step(st, 2);
}

static double length_of(const contact_mark *m) {
  return hypot(hypot((double)m->to[0] - (double)m->from[0], (double)m->to[1] - (double)m->from[1]),
               (double)m->to[2] - (double)m->from[2]);
}

Test(contact_marks, a_world_without_contacts_has_none) {
  stage st;
  contact_marks m = {0};
  make_ball(&st, down);
  step(&st, 1);
  contact_marks_find(&m, st.scene.world, 1);
  cr_expect_eq(m.count, 0);
  contact_marks_free(&m);
  stage_free(&st);
}

/* The forces are the weights, in whose mean a line has the length CONTACT_LENGTH. */
Test(contact_marks, of_a_collider_leads_out_of_it_as_long_as_its_share_of_the_mean_force) {
  const struct {
    int count;
    double last_mass, first, last;
  } cases[] = {{2, 3, 0.5, 1.5}, {2, 1.5, 0.8, 1.2}, {2, 99, 0.5, 1.98}, {10, 991, 0.5, 4}};
  for (int i = 0; i < 4; i++) {
    stage st;
    contact_marks m = {0};
    lie_on_a_plane(&st, cases[i].count, cases[i].last_mass);
    contact_marks_find(&m, st.scene.world, 2);
    cr_assert_eq(m.count, cases[i].count);
    for (int c = 0; c < m.count; c++) {
      const contact_mark *mark = &m.all[c];
      const double wanted = 2 * (double)CONTACT_LENGTH * (c < m.count - 1 ? cases[i].first : cases[i].last);
      cr_expect_float_eq(length_of(mark), wanted, 0.002 * wanted, "case %d, contact %d: %g m", i, c,
                         length_of(mark));
      cr_expect_eq(mark->dot, 0);
      cr_expect(fabsf(mark->from[0] - (float)c) < 1e-4f && fabsf(mark->from[1]) < 1e-4f, "on the plane");
      cr_expect(fabsf(mark->to[0] - (float)c) < 1e-4f && mark->to[1] > 0, "away from it");
    }
    contact_marks_free(&m);
    stage_free(&st);
  }
}

/* A triangle lies on a larger one that is pinned, 5 mm above it. */
static void lie_on_a_triangle(stage *st) {
  static const double at[6][3] = {{-2, 0, -2}, {0, 0, 4}, {2, 0, -2}, {-0.5, 0, 0}, {0.5, 0, 0}, {0, 0, 0.5}};
  static const int32_t corners[6] = {0, 1, 2, 3, 4, 5};
  stage_make(st, "mesh", down);
  for (int i = 0; i < 6; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)at[i][0], i < 3 ? 0 : (msd_real)0.005, (msd_real)at[i][2]};
    def.pinned = i < 3;
    cr_assert(msd_add_particles(st->scene.world, &def, 1, NULL) == MSD_OK);
  }
  st->body.particles = (msd_range){0, 6};
  st->body.triangles = malloc(sizeof corners);
  memcpy(st->body.triangles, corners, sizeof corners);
  st->body.triangle_count = 2;
  for (int i = 0; i < 2; i++) {
    msd_collision_mesh_def def = msd_default_collision_mesh_def();
    def.triangles = corners + 3 * i;
    def.triangle_count = 1;
    cr_assert(msd_add_collision_meshes(st->scene.world, &def, 1, NULL) == MSD_OK);
  }
  step(st, 20);
}

Test(contact_marks, between_surfaces_reaches_to_both_sides_of_the_place) {
  stage st;
  contact_marks m = {0};
  lie_on_a_triangle(&st);
  contact_marks_find(&m, st.scene.world, 1);
  cr_assert_eq(m.count, 3, "one for each corner: %d", m.count);
  for (int c = 0; c < 3; c++) {
    const contact_mark *mark = &m.all[c];
    const double high = ((double)mark->from[1] + (double)mark->to[1]) / 2;
    cr_expect_eq(mark->dot, 0.5f);
    cr_expect(high > 0.001 && high < 0.003, "half of 5 mm: %g", high);
    cr_expect_float_eq(fabs((double)mark->to[1] - (double)mark->from[1]), length_of(mark), 1e-4, "upright");
    cr_expect_float_eq(length_of(mark), (double)CONTACT_LENGTH, 0.2 * (double)CONTACT_LENGTH,
                       "each bears about a third");
  }
  contact_marks_free(&m);
  stage_free(&st);
}

/* Seen from above. */
static void draw_contacts(const stage *st, bool wanted, rgb pixels[SIDE * SIDE]) {
  picture_options o = plain_options();
  o.contacts = wanted;
  o.camera.elevation = 60;
  picture *p = open_picture(st, &o);
  for (int i = 0; i < SIDE * SIDE; i++)
    pixels[i] = pixel(p, i % SIDE, i / SIDE);
  picture_close(p);
}

/* Gray ones of colliders, and red ones between surfaces. */
Test(contact_marks, a_picture_has_them_when_they_are_wanted) {
  static rgb without[SIDE * SIDE], with[SIDE * SIDE];
  for (int between_surfaces = 0; between_surfaces < 2; between_surfaces++) {
    stage st;
    int changed = 0, red = 0;
    if (between_surfaces)
      lie_on_a_triangle(&st);
    else
      lie_on_a_plane(&st, 3, 1);
    draw_contacts(&st, false, without);
    draw_contacts(&st, true, with);
    for (int i = 0; i < SIDE * SIDE; i++) {
      const bool is_changed = difference(with[i], without[i]) > 20;
      changed += is_changed;
      red += is_changed && with[i].r > with[i].g + 40;
    }
    cr_expect(changed > 30 && changed < 1000, "%d pixels", changed);
    cr_expect(between_surfaces ? red > changed / 2 : red == 0, "%d of %d pixels are red", red, changed);
    stage_free(&st);
  }
}

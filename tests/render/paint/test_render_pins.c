#include "tests/support/render_solids.h"

#include "render/paint/pins.h"

static void pin(stage *st, int32_t particle) {
  cr_assert(msd_particle_pin(st->scene.world, particle) == MSD_OK);
}

/* The pins of a stage of 2 m. */
static pins find(stage *st, topology *t) {
  pins p = {0};
  cr_assert(topology_make(&st->scene, 2, t));
  pins_find(&p, &st->scene, t, 2);
  return p;
}

static bool has_rod(const pins *p, int32_t a, int32_t b) {
  for (int32_t i = 0; i < p->rod_count; i++)
    if (p->rods[i].a == a && p->rods[i].b == b)
      return true;
  return false;
}

/* The 21 particles of the upper row. */
Test(pins, a_row_is_a_rod) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  for (int32_t i = 0; i < 21; i++)
    pin(&st, i);
  pins p = find(&st, &t);
  cr_expect_eq(p.rod_count, 20);
  for (int32_t i = 0; i < 20; i++)
    cr_expect(has_rod(&p, i, i + 1), "none from %d", i);
  cr_expect_eq(p.ball_count, 21, "they round its bends");
  for (int32_t i = 0; i < p.ball_count; i++)
    cr_expect_eq(p.balls[i].radius, p.rods[0].radius);
  pins_free(&p);
  topology_free(&t);
  stage_free(&st);
}

Test(pins, pins_that_stand_apart_are_balls) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  pin(&st, 0);
  pin(&st, 2);
  /* Across a cell from particle 2. */
  pin(&st, 2 + 21 + 1);
  pins p = find(&st, &t);
  cr_expect_eq(p.rod_count, 0);
  cr_expect_eq(p.ball_count, 3);
  cr_expect_eq(p.balls[1].particle, 2);
  cr_expect_eq(p.balls[1].radius, t.pin_radii[2]);
  pins_free(&p);
  topology_free(&t);
  stage_free(&st);
}

/* Of 3 x 3 pins in the middle of a cloth only those at the corners have no more than two neighbors, and they
   are not next to each other. At a corner of the cloth two sides of the 3 x 3 run along its border. */
Test(pins, an_area_has_rods_at_its_edge_only) {
  for (int at_corner = 0; at_corner < 2; at_corner++) {
    stage st;
    topology t;
    make_cloth(&st, nowhere);
    for (int32_t i = 0; i < 9; i++)
      pin(&st, (i / 3 + (at_corner ? 0 : 4)) * 21 + i % 3 + (at_corner ? 0 : 4));
    pins p = find(&st, &t);
    cr_expect_eq(p.rod_count, at_corner ? 4 : 0);
    cr_expect_eq(p.ball_count, 9);
    if (at_corner)
      cr_expect(has_rod(&p, 0, 1) && has_rod(&p, 1, 2) && has_rod(&p, 0, 21) && has_rod(&p, 21, 42));
    pins_free(&p);
    topology_free(&t);
    stage_free(&st);
  }
}

Test(pins, they_are_found_anew) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  for (int32_t i = 0; i < 231; i++)
    pin(&st, i);
  pins p = find(&st, &t);
  cr_expect_eq(p.ball_count, 231);
  for (int32_t i = 1; i < 231; i++)
    cr_assert(msd_particle_unpin(st.scene.world, i) == MSD_OK);
  pins_find(&p, &st.scene, &t, 2);
  cr_expect_eq(p.ball_count, 1);
  cr_expect_eq(p.rod_count, 0);
  pins_free(&p);
  topology_free(&t);
  stage_free(&st);
}

/* A rope has a tube already. */
Test(pins, ropes_have_no_rods) {
  stage st;
  topology t;
  make_rope(&st);
  pin(&st, 0);
  pin(&st, 1);
  pins p = find(&st, &t);
  cr_expect_eq(p.rod_count, 0);
  cr_expect_eq(p.ball_count, 2);
  pins_free(&p);
  topology_free(&t);
  stage_free(&st);
}

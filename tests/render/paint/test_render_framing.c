#include "tests/support/render_pixels.h"

#include "render/paint/framing.h"

Test(framing, frames_stand_still_until_something_leaves_the_view) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  stretch(&st, 0.5, 0.5);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  int row = body_width(p, SIDE / 2);
  cr_expect(abs(row - 168) <= 2, "half the cloth is %d pixels wide", row);
  stretch(&st, 40, 40);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  row = body_width(p, SIDE / 2);
  cr_expect(abs(row - 336) <= 2, "twenty times the cloth is %d pixels wide", row);
  picture_close(p);
  stage_free(&st);
}

/* The camera has stepped back for a cloth twenty times as large. */
Test(framing, a_picture_that_begins_anew_shows_the_next_frame_alone) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  stretch(&st, 20, 20);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  stretch(&st, 0.05, 0.05);
  picture_begin_anew(p);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  int row = body_width(p, SIDE / 2);
  cr_expect(abs(row - 336) <= 2, "the cloth is %d pixels wide", row);
  picture_close(p);
  stage_free(&st);
}

/* The shadow of a hanging cloth of 2 m x 1 m falls to its right, as far away as the cloth is high. The picture
   has ground on all sides of it. */
Test(framing, the_shadow_is_in_the_picture) {
  stage st;
  make_cloth(&st, down);
  picture_options o = plain_options();
  o.camera.azimuth = 25;
  o.camera.elevation = 20;
  o.ground = true;
  uint8_t *pixels = take_pixels(&st, &o);
  o.flat = false;
  picture *p = open_picture(&st, &o);
  int darker = 0, at_edge = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    const uint8_t *before = pixels + 3 * i, *after = picture_pixels(p) + 3 * i;
    bool is_shadow = before[2] > 190 && after[0] < before[0] - 20 && after[2] < before[2] - 20;
    darker += is_shadow;
    at_edge += is_shadow && i % SIDE == SIDE - 1;
  }
  cr_expect(darker > 1000, "%d pixels of shadow", darker);
  cr_expect_eq(at_edge, 0, "it leaves the picture over %d pixels of its edge", at_edge);
  free(pixels);
  picture_close(p);
  stage_free(&st);
}

/* How many pixels wide a cloth of 2 m is beside a particle that is 50 m below it. */
static int width_above_a_particle(bool is_held, msd_vec3 gravity) {
  stage st;
  make_cloth(&st, gravity);
  msd_particle_def far = msd_default_particle_def();
  far.position = (msd_vec3){0, -50, 0};
  far.pinned = is_held;
  cr_assert(msd_add_particles(st.scene.world, &far, 1, NULL) == MSD_OK);
  cr_assert(msd_particle_pin(st.scene.world, 0) == MSD_OK);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  int widest = 0;
  for (int y = 0; y < SIDE; y++)
    widest = body_width(p, y) > widest ? body_width(p, y) : widest;
  picture_close(p);
  stage_free(&st);
  return widest;
}

Test(framing, what_falls_for_ever_is_not_followed) {
  const int alone = width_above_a_particle(false, down);
  cr_expect(abs(alone - 336) <= 2, "the cloth is %d pixels wide", alone);
  cr_expect_lt(width_above_a_particle(true, down), 30, "what is held stays in the picture");
  cr_expect_lt(width_above_a_particle(false, nowhere), 30, "and so does what does not fall");
}

/* It shows the scale, and has no shadow. */
Test(framing, without_gravity_there_is_a_grid) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  o.camera.elevation = 20;
  uint8_t *pixels = take_pixels(&st, &o);
  o.ground = true;
  picture *p = open_picture(&st, &o);
  int lines = 0, same = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    int change = abs(pixels[3 * i] - picture_pixels(p)[3 * i]);
    lines += change > 20;
    same += change <= 2;
  }
  cr_expect(lines > 500 && same > SIDE * SIDE / 2, "%d pixels of lines, %d as before", lines, same);
  free(pixels);
  picture_close(p);
  stage_free(&st);
}

static box box_of(vec3 low, vec3 high) {
  box b = box_empty();
  box_add(&b, low);
  box_add(&b, high);
  return b;
}

/* The camera for a cube of 2 m around the origin, with a shadow that reaches to x = `reach`. */
static camera framed(float reach) {
  framing f = {box_of((vec3){-1, -1, -1}, (vec3){1, 1, 1}), box_of((vec3){-1, -1, -1}, (vec3){reach, -1, 1})};
  camera c = camera_default();
  framing_apply(&f, &c, 1, 0.9f);
  return c;
}

static bool sees(const camera *c, float x, float y, float z) {
  float pixel[2], depth;
  return camera_project(c, 1000, 1000, (vec3){x, y, z}, pixel, &depth) && fabsf(pixel[0] - 500) < 451 &&
         fabsf(pixel[1] - 500) < 451;
}

Test(framing, a_long_shadow_moves_the_camera_away_by_a_quarter_at_most) {
  const camera alone = framed(1), beside = framed(1.5f), far = framed(50);
  cr_expect(sees(&beside, 1.5f, -1, 1) && sees(&beside, -1, 1, 1), "a short one is in the picture");
  cr_expect_lt(beside.distance, 1.25f * alone.distance);
  cr_expect_float_eq(far.distance, 1.25f * alone.distance, 1e-3f);
  cr_expect(sees(&far, -1, -1, 1) && sees(&far, -1, 1, 1) && sees(&far, 1, 1, 1), "and so is the cube");
}

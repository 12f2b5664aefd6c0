#include "tests/support/render_pixels.h"

/* A rotor of 2 kg m^2 that turns at 3 rad/s about z, drawn as a wheel with a radius of 1 m. */
static void make_wheel(stage *st, msd_rotor_def *def) {
  static msd_vec3 middle = {0, 0, 0};
  static double radius = 1;
  stage_make(st, "rotors", down);
  *def = msd_default_rotor_def();
  def->inertia = 2;
  def->angular_velocity = 3;
  scene_rotors *r = &st->scene.bodies[0].rotors;
  cr_assert(msd_add_rotors(st->scene.world, def, 1, &r->rotors.first) == MSD_OK);
  r->rotors.count = 1;
  r->positions = &middle;
  r->radii = &radius;
  r->axis = (msd_vec3){0, 0, 1};
}

/* Its radius is 168 pixels; its axis points at the eye. */
Test(wheels, a_rotor_turns_its_hand_counterclockwise_seen_from_the_tip_of_its_axis) {
  stage st;
  msd_rotor_def def;
  make_wheel(&st, &def);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  /* Pixels: the middle, and how far from it the places between two spokes and on the hand are. */
  const int half = SIDE / 2, reach = 80;
  const int at[4][2] = {
      {half, half - reach}, {half - reach, half}, {half, half + reach}, {half + reach, half}};
  for (int quarter = 0; quarter < 9; quarter++) {
    def.angle = (msd_real)(quarter * 1.5707963267948966);
    cr_assert(msd_rotor_set_def(st.scene.world, 0, &def) == MSD_OK);
    cr_assert(picture_draw(p, error, sizeof error), "%s", error);
    for (int side = 0; side < 4; side++) {
      bool is_dark = brightness(pixel(p, at[side][0], at[side][1])) < 150;
      cr_expect_eq(is_dark, side == quarter % 4, "a quarter turn times %d, at side %d", quarter, side);
    }
    /* The rim, 152 of 168 pixels from the middle. */
    expect_color(p, half + 130, half + 78, body_color(0), 6);
  }
  picture_close(p);
  stage_free(&st);
}

/* The rim moves at 1 m times 3 rad/s, and the energy is 2 / 2 * 9 J. A rotor has no other values. */
Test(wheels, a_rotor_has_the_color_of_its_speed_or_energy) {
  static const struct {
    picture_color color;
    double max;
    rgb found;
  } known[] = {{PICTURE_COLOR_SPEED, 6, {0x21, 0x90, 0x8c}},
               {PICTURE_COLOR_ENERGY, 12, {0x5d, 0xc8, 0x63}},
               {PICTURE_COLOR_STRAIN, 1, {158, 163, 171}}};
  stage st;
  msd_rotor_def def;
  make_wheel(&st, &def);
  for (int i = 0; i < 3; i++) {
    picture_options o = plain_options();
    o.color = known[i].color;
    o.color_max = known[i].max;
    picture *p = open_picture(&st, &o);
    expect_color(p, SIDE / 2 + 130, SIDE / 2 + 78, known[i].found, 9);
    uint8_t *pixels = malloc(3 * SIDE * SIDE);
    memcpy(pixels, picture_pixels(p), 3 * SIDE * SIDE);
    picture_close(p);
    o.legend = true;
    p = open_picture(&st, &o);
    bool is_same = memcmp(pixels, picture_pixels(p), 3 * SIDE * SIDE) == 0;
    cr_expect_eq(is_same, known[i].color == PICTURE_COLOR_STRAIN,
                 "a legend for what there is, and for no more");
    free(pixels);
    picture_close(p);
  }
  stage_free(&st);
}

/* From 12 degrees above its plane a wheel is a closed body: straight through the hub its picture has the
   rim's far wall, and no ground between the upper and lower edge of the hand. */
Test(wheels, a_wheel_seen_from_the_side_has_walls) {
  stage st;
  msd_rotor_def def;
  make_wheel(&st, &def);
  /* At angle 0 the hand points along +x. */
  st.scene.bodies[0].rotors.axis = (msd_vec3){0, 1, 0};
  picture_options o = plain_options();
  o.camera.elevation = 12;
  picture *p = open_picture(&st, &o);
  int x = SIDE / 2 + 90, runs = 0;
  bool was_dark = false;
  for (int y = 0; y < SIDE; y++) {
    bool is_dark = brightness(pixel(p, x, y)) < 150;
    runs += is_dark && !was_dark;
    was_dark = is_dark;
  }
  cr_expect_eq(runs, 1, "the hand falls apart into %d sheets", runs);
  picture_close(p);
  stage_free(&st);
}

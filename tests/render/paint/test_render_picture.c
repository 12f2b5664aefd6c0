#define _POSIX_C_SOURCE 200809L
#include "tests/support/render_pixels.h"
#include "tests/support/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stb/stb_image.h>

/* The origin is in the middle of the picture; the 2 m of the cloth fill 84 % of its width, 168 pixels per
   meter. */
Test(picture, the_cloth_is_where_the_projection_says_and_the_background_elsewhere) {
  stage cloth, empty;
  make_cloth(&cloth, nowhere);
  stage_make(&empty, "particles", nowhere);
  picture_options o = plain_options();
  uint8_t *pixels = take_pixels(&cloth, &o);
  picture *p = open_picture(&empty, &o);
  rgb front = body_color(0);
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++) {
      double meters_x = (x + 0.5 - SIDE / 2) / 168, meters_y = (y + 0.5 - SIDE / 2) / 168;
      double outside = fmax(fabs(meters_x) - 1, fabs(meters_y) - 0.5) * 168; /* pixels */
      const uint8_t *at = pixels + 3 * (y * SIDE + x);
      rgb found = {at[0], at[1], at[2]};
      if (outside < -1)
        cr_assert(difference(found, front) <= 3, "no cloth at %d, %d", x, y);
      if (outside > 1)
        cr_assert(difference(found, pixel(p, x, y)) == 0, "no background at %d, %d", x, y);
    }
  }
  free(pixels);
  picture_close(p);
  stage_free(&cloth);
  stage_free(&empty);
}

Test(picture, a_surface_shows_its_back_from_behind) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  o.camera.azimuth = 180;
  picture *p = open_picture(&st, &o);
  expect_color(p, SIDE / 2, SIDE / 2, body_back_color(0), 3);
  picture_close(p);
  stage_free(&st);
}

Test(picture, strain_has_the_color_of_the_scale) {
  /* The published colors of viridis at 0, 1/4, 1/2, 3/4 and 1. */
  static const struct {
    double strain;
    rgb color;
  } known[] = {{0, {0x44, 0x01, 0x54}},     {0.025, {0x3b, 0x52, 0x8b}}, {0.05, {0x21, 0x90, 0x8c}},
               {0.075, {0x5d, 0xc8, 0x63}}, {0.1, {0xfd, 0xe7, 0x25}},   {0.3, {0xfd, 0xe7, 0x25}},
               {-0.2, {0x44, 0x01, 0x54}}};
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_STRAIN;
  o.color_max = 0.1;
  stage st;
  make_cloth(&st, nowhere);
  picture *p = open_picture(&st, &o);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    stretch(&st, 1 + known[i].strain, 1 + known[i].strain);
    cr_assert(picture_draw(p, error, sizeof error), "%s", error);
    expect_color(p, SIDE / 2, SIDE / 2, known[i].color, 9);
    expect_color(p, SIDE / 2 + 80, SIDE / 2 - 40, known[i].color, 9);
    stretch(&st, 1 / (1 + known[i].strain), 1 / (1 + known[i].strain));
  }
  picture_close(p);
  stage_free(&st);
}

/* Expects a color in the middle of the picture, with `max` at the top of the scale. */
static void expect_middle(const stage *st, picture_color color, double max, rgb expected) {
  picture_options o = plain_options();
  o.color = color;
  o.color_max = max;
  picture *p = open_picture(st, &o);
  expect_color(p, SIDE / 2, SIDE / 2, expected, 9);
  picture_close(p);
}

/* Each inner particle has two stretch springs along x and two along y. */
Test(picture, the_strain_of_a_surface_is_the_mean_of_its_stretch_springs) {
  stage st;
  make_cloth(&st, nowhere);
  stretch(&st, 1.1, 1);
  expect_middle(&st, PICTURE_COLOR_STRAIN, 0.1, (rgb){0x21, 0x90, 0x8c});
  stage_free(&st);
}

/* Of fibers along x and y, and then of those along y alone. */
Test(picture, the_strain_of_a_surface_of_fibers_is_their_mean) {
  stage st;
  make_fiber_cloth(&st);
  stretch(&st, 1.1, 1);
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_STRAIN;
  o.color_max = 0.1;
  picture *p = open_picture(&st, &o);
  const rgb half = {0x21, 0x90, 0x8c}, top = {0xfd, 0xe7, 0x25};
  expect_color(p, SIDE / 2, SIDE / 2, half, 9);
  for (int32_t c = 1; c < 800; c += 2)
    cr_assert(msd_constraint_break(st.scene.world, c) == MSD_OK);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  expect_color(p, SIDE / 2, SIDE / 2, top, 9);
  picture_close(p);
  stage_free(&st);
}

/* Fibers of 1.5 N m that are 10 % longer have 0.15 N m, which their weights make forces. A particle inside has
   12 fibers, 8 of them with a weight of 10 1/m there, the others with 0: in the mean 1 N. */
Test(picture, the_force_of_fibers_is_that_at_their_particles) {
  stage st;
  make_fiber_cloth(&st);
  stretch(&st, 1.1, 1.1);
  expect_middle(&st, PICTURE_COLOR_FORCE, 2, (rgb){0x21, 0x90, 0x8c});
  stage_free(&st);
}

/* Springs of 0.1 m and 100 N/m that are 10 % longer pull with 1 N. */
Test(picture, force_has_the_color_of_the_scale) {
  stage st;
  make_cloth(&st, nowhere);
  stretch(&st, 1.1, 1.1);
  expect_middle(&st, PICTURE_COLOR_FORCE, 2, (rgb){0x21, 0x90, 0x8c});
  stage_free(&st);
}

/* 231 particles share 0.3 kg: at 2 m/s each has an energy of 0.3 / 231 / 2 * 4 J. */
Test(picture, speed_and_energy_have_the_color_of_the_scale) {
  stage st;
  make_cloth(&st, nowhere);
  for (int32_t i = 0; i < st.body.particles.count; i++)
    msd_particle_set_velocity(st.scene.world, i, (msd_vec3){0, (msd_real)1.2, (msd_real)-1.6});
  expect_middle(&st, PICTURE_COLOR_SPEED, 8, (rgb){0x3b, 0x52, 0x8b});
  expect_middle(&st, PICTURE_COLOR_ENERGY, 0.3 / 231 / 2 * 4 * 4 / 3, (rgb){0x5d, 0xc8, 0x63});
  stage_free(&st);
}

Test(picture, a_lone_particle_is_a_sphere) {
  stage st;
  make_ball(&st, nowhere);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  int area = 0, widest = 0, tallest = 0;
  for (int a = 0; a < SIDE; a++) {
    int row = 0, column = 0;
    for (int b = 0; b < SIDE; b++) {
      row += difference(pixel(p, b, a), body_color(0)) < 120;
      column += difference(pixel(p, a, b), body_color(0)) < 120;
    }
    area += row;
    widest = row > widest ? row : widest;
    tallest = column > tallest ? column : tallest;
  }
  cr_expect(widest >= 15 && abs(widest - tallest) <= 1, "it is %d pixels wide and %d high", widest, tallest);
  double circle = 3.14159265 / 4 * widest * tallest;
  cr_expect(fabs(area - circle) < 0.06 * circle, "its area is %d pixels; a circle's would be %g", area,
            circle);
  expect_color(p, SIDE / 2, SIDE / 2, body_color(0), 3);
  picture_close(p);
  stage_free(&st);
}

/* 1 m of rope fills 84 % of the width. Between its eleven beads, 33.6 pixels apart, it is a band of constant
   width around the middle row. */
Test(picture, a_rope_is_a_band_between_its_ends) {
  stage st;
  make_rope(&st);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  int widths[3];
  for (int i = 0; i < 3; i++) {
    const int places[] = {-151, 17, 151};
    int x = SIDE / 2 + places[i];
    widths[i] = 0;
    for (int y = 0; y < SIDE; y++)
      widths[i] += difference(pixel(p, x, y), body_color(0)) < 60;
    expect_color(p, x, SIDE / 2, body_color(0), 3);
  }
  cr_expect(widths[0] >= 2 && abs(widths[0] - widths[1]) <= 1 && abs(widths[1] - widths[2]) <= 1);
  int bead = 0;
  for (int y = 0; y < SIDE; y++)
    bead += difference(pixel(p, SIDE / 2, y), body_color(0)) < 60;
  cr_expect(bead >= 2 * widths[1], "a bead is %d pixels high, the rope %d", bead, widths[1]);
  cr_expect(difference(pixel(p, SIDE / 2 - 180, SIDE / 2), body_color(0)) > 120, "the rope ends at its ends");
  picture_close(p);
  stage_free(&st);
}

Test(picture, pins_are_marked) {
  stage st;
  make_cloth(&st, nowhere);
  cr_assert(msd_particle_pin(st.scene.world, 0) == MSD_OK);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  int x = SIDE / 2 - 168, y = SIDE / 2 - 84;
  cr_expect(brightness(pixel(p, x, y)) < 150, "the pinned corner is not dark");
  cr_expect(brightness(pixel(p, SIDE - 1 - x, SIDE - 1 - y)) > 150, "the free corner is");
  cr_assert(msd_particle_unpin(st.scene.world, 0) == MSD_OK);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  cr_expect(brightness(pixel(p, x - 1, y - 1)) > 150, "the mark stays when the pin is gone");
  picture_close(p);
  stage_free(&st);
}

Test(picture, kinds_of_springs_have_their_colors) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_KIND;
  o.width = o.height = 1600;
  picture *p = open_picture(&st, &o);
  /* Springs are 67 pixels long and 3 wide. A stretch one lies in the middle row, and shear springs cross in
     the middle of four particles. */
  expect_color(p, 820, 800, kind_color(KIND_STRETCH), 20);
  expect_color(p, 833, 833, kind_color(KIND_SHEAR), 20);
  picture_close(p);
  stage_free(&st);
}

Test(picture, light_falls_on_what_faces_it) {
  picture_options o = plain_options();
  o.flat = false;
  int levels[2];
  for (int i = 0; i < 2; i++) {
    stage st;
    make_cloth(&st, down);
    /* Leans back towards the light, or forward. */
    for (int32_t k = 0; k < st.body.particles.count; k++) {
      msd_vec3 at = msd_particle_get_position(st.scene.world, k);
      at.z = i == 0 ? -at.y : at.y;
      msd_particle_set_position(st.scene.world, k, at);
    }
    picture *p = open_picture(&st, &o);
    levels[i] = brightness(pixel(p, SIDE / 2 + 8, SIDE / 2 + 8));
    picture_close(p);
    stage_free(&st);
  }
  cr_expect(levels[0] > levels[1] + 60, "leaning back %d, leaning forward %d", levels[0], levels[1]);
}

/* A face of a cube has one normal, and so one brightness up to its edges. Seen from 30 degrees beside its
   front. */
Test(picture, a_cube_is_sharp_at_its_edges) {
  stage st;
  make_cube(&st, down);
  picture_options o = plain_options();
  o.flat = false;
  o.camera.azimuth = 30;
  picture *p = open_picture(&st, &o);
  int levels[2][2];
  for (int side = 0; side < 2; side++) {
    /* Between the two faces that are seen: the one column at which the brightness jumps. */
    int edge = SIDE / 2;
    while (edge < SIDE &&
           abs(brightness(pixel(p, edge + 2, SIDE / 2)) - brightness(pixel(p, edge - 2, SIDE / 2))) < 40)
      edge++;
    cr_assert(edge < SIDE * 9 / 10, "there is no edge");
    for (int i = 0; i < 2; i++)
      levels[side][i] = brightness(pixel(p, edge + (side ? 1 : -1) * (i ? 40 : 4), SIDE / 2));
    cr_expect(abs(levels[side][0] - levels[side][1]) <= 12, "%d at the edge, %d away from it",
              levels[side][0], levels[side][1]);
  }
  picture_close(p);
  stage_free(&st);
}

/* For a cloth in the plane x = 0 the sun is behind it when it is seen from azimuth 25, and in front of it from
   azimuth -25. It shows its front both times. */
Test(picture, light_shines_through_a_sheet) {
  picture_options o = plain_options();
  o.flat = false;
  int levels[2];
  for (int side = -1; side <= 1; side += 2) {
    stage st;
    make_cloth(&st, down);
    for (int32_t k = 0; k < st.body.particles.count; k++) {
      msd_vec3 at = msd_particle_get_position(st.scene.world, k);
      msd_particle_set_position(st.scene.world, k, (msd_vec3){0, at.y, (msd_real)-side * at.x});
    }
    o.camera.azimuth = side * 25;
    picture *p = open_picture(&st, &o);
    levels[side > 0] = brightness(pixel(p, SIDE / 2, SIDE / 2));
    picture_close(p);
    stage_free(&st);
  }
  cr_expect(levels[1] > 0.6 * levels[0] && levels[1] < levels[0], "%d with the sun behind it, %d before it",
            levels[1], levels[0]);
}

Test(picture, the_ground_has_a_shadow) {
  stage st;
  make_cloth(&st, down);
  picture_options o = plain_options();
  o.camera.elevation = 20;
  o.camera.zoom = 0.6;
  o.ground = true;
  uint8_t *pixels = take_pixels(&st, &o);
  o.flat = false;
  picture *p = open_picture(&st, &o);
  int darker = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    const uint8_t *before = pixels + 3 * i, *after = picture_pixels(p) + 3 * i;
    bool was_ground = before[0] > 190 && before[1] > 190 && before[2] > 190;
    darker += was_ground && after[0] < before[0] - 40 && after[1] < before[1] - 40;
  }
  cr_expect(darker > 1000 && darker < SIDE * SIDE / 4, "%d pixels of ground are in shadow", darker);
  free(pixels);
  picture_close(p);
  stage_free(&st);
}

/* How many pixels wide the right edge of the shadow of a horizontal cloth is, from a quarter of its darkness to
   three quarters. One corner of the cloth is on the ground, the rest at this height in m. */
static double edge_of_shadow(double height) {
  stage st;
  make_cloth(&st, down);
  for (int32_t i = 0; i < 231; i++) {
    const msd_vec3 x = msd_particle_get_position(st.scene.world, i);
    const msd_vec3 to = {x.x, (msd_real)(i > 0 ? height : 0), -x.y};
    cr_assert(msd_particle_set_position(st.scene.world, i, to) == MSD_OK);
  }
  picture_options o = plain_options();
  o.camera.elevation = 80;
  o.ground = true;
  picture *bright = open_picture(&st, &o);
  o.flat = false;
  picture *p = open_picture(&st, &o);
  int edge = 0;
  const int rows[] = {SIDE / 2 - 40, SIDE / 2 - 20, SIDE / 2};
  for (int n = 0; n < 3; n++) {
    int dark[SIDE], darkest = 0;
    for (int x = 0; x < SIDE; x++) {
      dark[x] = brightness(pixel(bright, x, rows[n])) - brightness(pixel(p, x, rows[n]));
      darkest = x > SIDE - 120 && dark[x] > darkest ? dark[x] : darkest;
    }
    for (int x = SIDE - 1; 4 * dark[x] < 3 * darkest; x--)
      edge += 4 * dark[x] > darkest;
  }
  picture_close(bright);
  picture_close(p);
  stage_free(&st);
  return edge / 3.0;
}

Test(picture, the_higher_a_thing_the_softer_the_edge_of_its_shadow) {
  const double low = edge_of_shadow(0.1), high = edge_of_shadow(0.8);
  cr_expect_gt(low, 0);
  cr_expect_gt(high, 1.5 * low, "%g pixels from high above, %g from near the ground", high, low);
}

/* Beside the scene a plain background shows the shadow and nothing else. */
Test(picture, a_plain_background_has_no_floor_but_its_shadow) {
  stage st;
  make_cloth(&st, down);
  picture_options o = plain_options();
  o.flat = false;
  o.ground = true;
  o.camera.elevation = 20;
  o.background = (picture_background){true, {240, 230, 210}};
  picture *p = open_picture(&st, &o);
  int plain = 0, shadow = 0, other = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    rgb c = pixel(p, i % SIDE, i / SIDE);
    plain += difference(c, (rgb){240, 230, 210}) == 0;
    /* Darker by the same factor in all channels. */
    bool is_shade = abs(c.r * 230 - c.g * 240) < 240 && abs(c.r * 210 - c.b * 240) < 240;
    shadow += is_shade && c.r < 225;
    other += !is_shade && c.r > c.b;
  }
  cr_expect(plain > SIDE * SIDE / 3 && shadow > 1000, "%d pixels of background, %d of shadow", plain, shadow);
  cr_expect(other < 100, "%d pixels are of something else", other);
  picture_close(p);
  stage_free(&st);
}

Test(picture, without_gravity_a_plain_background_is_empty) {
  stage st;
  make_ball(&st, nowhere);
  picture_options o = plain_options();
  o.ground = true;
  o.camera.elevation = 20;
  o.background = (picture_background){true, {0, 0, 0}};
  picture *p = open_picture(&st, &o);
  for (int i = 0; i < SIDE; i++)
    cr_expect_eq(brightness(pixel(p, i, SIDE - 20)), 0);
  picture_close(p);
  stage_free(&st);
}

/* Over white it gives the picture with a white background. */
Test(picture, a_transparent_picture_can_be_laid_over_anything) {
  stage st;
  make_cloth(&st, down);
  picture_options o = plain_options();
  o.flat = false;
  o.ground = true;
  o.camera.elevation = 20;
  o.background = (picture_background){true, {255, 255, 255}};
  uint8_t *pixels = take_pixels(&st, &o);
  o.is_transparent = true;
  picture *p = open_picture(&st, &o);
  cr_assert_eq(picture_channels(p), 4);
  int opaque = 0, clear = 0, shadow = 0;
  for (int i = 0; i < SIDE * SIDE; i++) {
    const uint8_t *c = picture_pixels(p) + 4 * i;
    for (int k = 0; k < 3; k++)
      cr_assert(abs((c[k] * c[3] + 255 * (255 - c[3])) / 255 - pixels[3 * i + k]) <= 3,
                "pixel %d: %d %d %d, opacity %d", i, c[0], c[1], c[2], c[3]);
    opaque += c[3] == 255;
    clear += c[3] == 0;
    shadow += c[3] > 60 && c[3] < 120 && c[0] + c[1] + c[2] < 9;
  }
  cr_expect(opaque > 10000 && clear > 50000 && shadow > 1000, "%d pixels are opaque, %d clear, %d shadow",
            opaque, clear, shadow);
  free(pixels);
  picture_close(p);
  stage_free(&st);
}

Test(picture, up_is_against_gravity) {
  stage st;
  /* Down is +x, so that the cloth stands on its short side. */
  make_cloth(&st, (msd_vec3){3, 0, 0});
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  int row = 0, column = 0;
  for (int i = 0; i < SIDE; i++) {
    row += difference(pixel(p, i, SIDE / 2), body_color(0)) < 60;
    column += difference(pixel(p, SIDE / 2, i), body_color(0)) < 60;
  }
  cr_expect(abs(column - 336) <= 2 && abs(row - 168) <= 2, "%d pixels wide, %d high", row, column);
  picture_close(p);
  stage_free(&st);
}

/* picture_draw fails when OpenGL reports an error. */
Test(picture, every_color_and_option_draws_without_an_error) {
  picture_options o = picture_default_options();
  o.width = 96;
  o.height = 64;
  for (int kind = 0; kind < 4; kind++) {
    stage st;
    const int step = kind == 3 && !in_part ? 1 : 3;
    if (kind == 0)
      stage_make(&st, "particles", down);
    else if (kind == 1)
      make_ball(&st, down);
    else if (kind == 2)
      make_rope(&st);
    else
      make_cloth(&st, down);
    for (int color = kind % 3; color < PICTURE_COLOR_COUNT; color += step) {
      o.color = (picture_color)color;
      o.springs = o.particles = color % 2 == 0;
      o.samples = color % 2 == 0 ? 1 : 16;
      picture_close(open_picture(&st, &o));
    }
    stage_free(&st);
  }
}

Test(picture, every_scene_that_ships_draws_without_an_error) {
  scene_error cause;
  int count;
  scene_listing *list = scene_list(&count, &cause);
  cr_assert(list != NULL && count > 0, "%s", list == NULL ? cause.text : "no scene");
  picture_options o = picture_default_options();
  o.width = 120;
  o.height = 80;
  for (int i = 0; i < count; i += MSD_TEST_SHARE) {
    scene *s = scene_load(list[i].path, &cause);
    cr_assert(s != NULL, "%s", cause.text);
    cr_assert(scene_step(s, s->frame_time, s->substeps) == MSD_OK, "%s", list[i].name);
    o.color = (picture_color)(i % PICTURE_COLOR_COUNT);
    picture_close(open_scene_picture(s, &o));
    scene_free(s);
  }
  scene_list_free(list, count);
}

/* The springs of the particle in the middle, and with them its triangles: a hole as wide as two cells, and a
   pixel in it beside the particle. */
Test(picture, what_breaks_between_two_pictures_is_missing_in_the_second) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  picture *p = open_picture(&st, &o);
  const int32_t middle = 5 * 21 + 10;
  const int x = SIDE / 2 + SIDE / 80, y = SIDE / 2 - SIDE / 160;
  expect_color(p, x, y, body_color(0), 60);
  for (int32_t e = 0; e < msd_world_get_spring_count(st.scene.world); e++) {
    const msd_spring_def def = msd_spring_get_def(st.scene.world, e);
    if (def.a == middle || def.b == middle)
      cr_assert(msd_spring_break(st.scene.world, e) == MSD_OK);
  }
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  cr_expect(difference(pixel(p, x, y), body_color(0)) > 60);
  picture_close(p);
  stage_free(&st);
}

Test(picture, one_scene_gives_the_same_picture_twice) {
  stage st;
  make_cloth(&st, down);
  picture_options o = picture_default_options();
  o.width = o.height = 128;
  uint8_t *pixels = take_pixels(&st, &o);
  picture *p = open_picture(&st, &o);
  cr_expect(memcmp(pixels, picture_pixels(p), 3 * 128 * 128) == 0);
  free(pixels);
  picture_close(p);
  stage_free(&st);
}

Test(picture, bad_options_are_refused_with_a_line) {
  stage st;
  make_ball(&st, down);
  for (int i = 0; i < 9; i++) {
    picture_options o = picture_default_options();
    switch (i) {
    case 0:
      o.width = 15;
      break;
    case 1:
      o.height = PICTURE_SIDE_MAX + 1;
      break;
    case 2:
      o.samples = 0;
      break;
    case 3:
      o.color = PICTURE_COLOR_COUNT;
      break;
    case 4:
      o.color_max = NAN;
      break;
    case 5:
      o.color_max = -1;
      break;
    case 6:
      o.camera.elevation = 90;
      break;
    case 7:
      o.camera.zoom = 0;
      break;
    case 8:
      o.camera.has_target = true;
      o.camera.target[1] = INFINITY;
      break;
    }
    picture *p = (picture *)&st;
    error[0] = '\0';
    cr_expect_not(picture_open(&st.scene, &o, &p, error, sizeof error), "option %d", i);
    cr_expect_null(p);
    cr_expect(error[0] != '\0' && strchr(error, '\n') == NULL);
  }
  stage_free(&st);
}

static void expect_png(const picture *p, int channels) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/msd_test_picture_%ld.png", (long)getpid());
  cr_assert(picture_write_png(p, path, error, sizeof error), "%s", error);
  int width, height, found;
  unsigned char *read = stbi_load(path, &width, &height, &found, 0);
  cr_assert(read != NULL && width == 200 && height == 120 && found == channels);
  cr_expect(memcmp(read, picture_pixels(p), (size_t)channels * 200 * 120) == 0);
  stbi_image_free(read);
  remove(path);
}

Test(picture, a_png_file_holds_the_pixels) {
  stage st;
  make_cloth(&st, down);
  picture_options o = picture_default_options();
  o.width = 200;
  o.height = 120;
  for (int transparent = 0; transparent < 2; transparent++) {
    o.is_transparent = transparent;
    picture *p = open_picture(&st, &o);
    expect_png(p, transparent ? 4 : 3);
    cr_expect_not(picture_write_png(p, "/tmp/no such folder/a.png", error, sizeof error));
    cr_expect(strstr(error, "/tmp/no such folder/a.png") != NULL, "%s", error);
    picture_close(p);
  }
  stage_free(&st);
}

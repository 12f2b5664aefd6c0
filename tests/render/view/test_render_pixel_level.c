/* How many pixels are drawn as one, for frames of made-up times. */
#include "render/view/pixel_level.h"

#include <criterion/criterion.h>

/* s of a frame of which the pixels take `pixels` s where each is drawn by itself. */
static double frame_of(const pixel_level *p, double fixed, double pixels) {
  return fixed + pixels / (p->side * p->side);
}

static void draw(pixel_level *p, int frames, double fixed, double pixels) {
  for (int n = 0; n < frames; n++)
    pixel_level_look(p, frame_of(p, fixed, pixels));
}

Test(pixel_level, frames_that_are_short_have_all_of_their_pixels) {
  pixel_level p = pixel_level_make();
  draw(&p, 100, 0.01, 0.08);
  cr_expect_eq(p.side, 1);
}

/* From 20 to 500 ms of pixels beside 0 to 60 ms of others: whatever can keep to the time does, within as many
   frames as there are levels, and then each frame is like the last. */
Test(pixel_level, frames_come_to_keep_to_their_time_and_stay_as_they_are) {
  for (double fixed = 0; fixed < 0.065; fixed += 0.01)
    for (double pixels = 0.02; pixels < 0.5; pixels += 0.02) {
      pixel_level p = pixel_level_make();
      draw(&p, PIXELS_SIDE_MAX, fixed, pixels);
      const int side = p.side;
      cr_expect(frame_of(&p, fixed, pixels) <= PIXELS_SECONDS_MAX, "%g and %g s: %d pixels", fixed, pixels,
                side);
      for (int n = 0; n < 200; n++) {
        draw(&p, 1, fixed, pixels);
        cr_assert_eq(p.side, side, "%g and %g s: frame %d", fixed, pixels, n);
      }
    }
}

Test(pixel_level, frames_that_nothing_makes_short_have_the_fewest_pixels) {
  pixel_level p = pixel_level_make();
  draw(&p, 20, 1, 1);
  cr_expect_eq(p.side, PIXELS_SIDE_MAX);
}

Test(pixel_level, a_machine_that_has_time_again_draws_all_pixels_again) {
  pixel_level p = pixel_level_make();
  draw(&p, 20, 0.09, 0.3);
  cr_assert_eq(p.side, PIXELS_SIDE_MAX);
  draw(&p, 60, 0.001, 0.01);
  cr_expect_eq(p.side, 1);
}

/* Every second frame has to read the world first. */
Test(pixel_level, frames_that_take_turns_do_not_turn_the_level) {
  pixel_level p = pixel_level_make();
  int changes = 0;
  for (int n = 0; n < 200; n++) {
    const int before = p.side;
    draw(&p, 1, n % 2 == 0 ? 0.06 : 0, 0.07);
    changes += p.side != before && n >= 10;
  }
  cr_expect_eq(changes, 0);
  cr_expect_gt(p.side, 1);
}

/* Fewer triangles where a frame takes long: when they are drawn, and that they look like all of them. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/viewer_stage.h"

#include <stdlib.h>

/* As if a frame in full detail had taken so long, and someone turned the view. */
static void turn_slowly(fixture *f, double full_seconds) {
  f->viewer->full_seconds = full_seconds;
  f->viewer->gesture = GESTURE_TURN;
}

/* The number of pixels in which two pictures differ by more than a shade. */
static int different_pixels(const uint8_t *one, const uint8_t *other) {
  int count = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    int most = 0;
    for (int c = 0; c < 3; c++)
      most = abs(one[3 * i + c] - other[3 * i + c]) > most ? abs(one[3 * i + c] - other[3 * i + c]) : most;
    count += most > 24;
  }
  return count;
}

Test(detail, where_full_detail_takes_long_what_moves_is_drawn_coarsely_and_what_stands_is_not) {
  fixture f;
  viewer_options options = front();
  options.is_lockstep = false;
  options.is_paused = true;
  open_viewer(&f, options, 4);
  frames(&f, 1);
  cr_expect_not(status(&f).is_coarse);
  turn_slowly(&f, 1);
  frames(&f, 2);
  cr_expect(status(&f).is_coarse && !viewer_is_still(f.viewer));
  viewer_key(f.viewer, 'P');
  f.viewer->full_seconds = 1;
  frames(&f, 1);
  cr_expect_not(status(&f).is_coarse, "a picture has all of it");
  cr_expect(viewer_wants_picture(f.viewer));
  turn_slowly(&f, 1);
  frames(&f, 1);
  f.viewer->gesture = GESTURE_NONE;
  frames(&f, 1);
  cr_expect_not(status(&f).is_coarse);
  turn_slowly(&f, 0.05);
  frames(&f, 1);
  cr_expect_not(status(&f).is_coarse, "fast enough");
  turn_slowly(&f, 1);
  f.viewer->is_lockstep = true;
  frames(&f, 1);
  cr_expect_not(status(&f).is_coarse, "every frame is kept");
  f.viewer->gesture = GESTURE_NONE;
  close_viewer(&f);
}

/* Of 48,400 particles some 3,000 are left, and of 169 all. */
Test(detail, a_coarse_surface_looks_like_the_fine_one) {
  static uint8_t fine[3 * WIDTH * HEIGHT], rough[3 * WIDTH * HEIGHT];
  static const struct { int side, most; } cloths[] = {{13, 0}, {220, WIDTH * HEIGHT / 50}};
  for (int n = 0; n < 2; n++) {
    fixture f;
    viewer_options options = front();
    options.is_lockstep = false;
    options.is_paused = options.hides_help = options.hides_status = true;
    options.camera.azimuth = 30;
    open_viewer_of(&f, options, 4, cloths[n].side);
    frames(&f, 2);
    canvas_read(f.canvas, fine);
    turn_slowly(&f, 1);
    frames(&f, 1);
    cr_assert(status(&f).is_coarse);
    canvas_read(f.canvas, rough);
    const int different = different_pixels(fine, rough);
    cr_expect(different <= cloths[n].most, "%d x %d: %d of %d pixels differ", cloths[n].side, cloths[n].side,
              different, WIDTH * HEIGHT);
    f.viewer->gesture = GESTURE_NONE;
    frames(&f, 1);
    canvas_read(f.canvas, rough);
    cr_expect_eq(different_pixels(fine, rough), 0);
    close_viewer(&f);
  }
}

/* Half of the pixels in both directions: edges are softer, and the texts are what they are. */
Test(detail, fewer_pixels_show_the_same_picture_and_all_of_the_texts) {
  static uint8_t all[3 * WIDTH * HEIGHT], fewer[3 * WIDTH * HEIGHT];
  fixture f;
  viewer_options options = front();
  options.is_lockstep = false;
  options.is_paused = options.hides_help = true;
  options.camera.azimuth = 30;
  open_viewer(&f, options, 4);
  for (int side = 1; side <= 2; side++) {
    turn_slowly(&f, 1);
    /* The status tells the time of drawing. */
    f.viewer->draw_seconds = 0;
    f.viewer->level = (pixel_level){.side = side};
    frames(&f, 1);
    cr_assert(status(&f).is_coarse);
    canvas_read(f.canvas, side == 1 ? all : fewer);
  }
  const int different = different_pixels(all, fewer);
  cr_expect(different > 0 && different <= WIDTH * HEIGHT / 12, "%d of %d pixels differ", different,
            WIDTH * HEIGHT);
  int beside_letters = 0;
  for (int y = 4; y < 24; y++)
    for (int x = 4; x < 60; x++)
      beside_letters += abs(all[3 * (y * WIDTH + x)] - fewer[3 * (y * WIDTH + x)]) > 24;
  cr_expect_eq(beside_letters, 0, "the title");
  f.viewer->gesture = GESTURE_NONE;
  close_viewer(&f);
}

#include "tests/support/render_pixels.h"

#include "render/paint/legend.h"

TestSuite(legend, .timeout = 900);

/* By default the scale ends at the next round number: 7.5 % of strain is three quarters up a scale to 10 %. */
Test(legend, the_scale_chooses_a_round_top) {
  stage st;
  make_cloth(&st, nowhere);
  stretch(&st, 1.075, 1.075);
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_STRAIN;
  picture *p = open_picture(&st, &o);
  expect_color(p, SIDE / 2, SIDE / 2, ((rgb){0x5d, 0xc8, 0x63}), 9);
  /* The scale stays as it is, so that colors mean the same in all frames. */
  stretch(&st, 1.025 / 1.075, 1.025 / 1.075);
  cr_assert(picture_draw(p, error, sizeof error), "%s", error);
  expect_color(p, SIDE / 2, SIDE / 2, ((rgb){0x3b, 0x52, 0x8b}), 9);
  picture_close(p);
  stage_free(&st);
}

Test(legend, it_shows_the_scale_and_its_labels) {
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_STRAIN;
  o.width = o.height = 800;
  uint8_t *pixels = take_pixels(&st, &o);
  o.legend = true;
  picture *with = open_picture(&st, &o);
  /* The bar is where the pictures with and without a legend differ. */
  int row = -1;
  for (int y = 799; y > 600 && row < 0; y--)
    if (difference(pixel(with, 30, y), (rgb){0x44, 0x01, 0x54}) <= 20)
      row = y;
  cr_assert(row > 0, "there is no bar in the lower left corner");
  int left = 30, right = 30;
  while (difference(pixel(with, left - 1, row), colormap_entry(0)) < 60)
    left--;
  while (right < 799 &&
         memcmp(pixels + 3 * (row * 800 + right), picture_pixels(with) + 3 * (row * 800 + right), 3) != 0)
    right++;
  cr_assert(right - left > 150, "the bar goes from %d to %d", left, right);
  for (int i = 1; i < 16; i++)
    expect_color(with, left + (right - left) * i / 16, row, colormap_entry(255 * i / 16), 12);
  int label_pixels = 0, title_pixels = 0;
  for (int x = 0; x < 800; x++) {
    for (int y = 0; y < 800; y++) {
      bool differs = memcmp(pixels + 3 * (y * 800 + x), picture_pixels(with) + 3 * (y * 800 + x), 3) != 0;
      label_pixels += differs && y > row + 4;
      title_pixels += differs && y < row - 12;
    }
  }
  cr_expect(label_pixels > 100 && title_pixels > 100, "labels of %d pixels, a title of %d", label_pixels,
            title_pixels);
  free(pixels);
  picture_close(with);
  stage_free(&st);
}

/* Dark letters on light backgrounds, light letters on dark ones. */
Test(legend, it_can_be_read_on_any_background) {
  static const uint8_t backgrounds[][3] = {{255, 255, 255}, {0, 0, 0}, {250, 220, 60}, {20, 30, 120}};
  stage st;
  make_cloth(&st, nowhere);
  picture_options o = plain_options();
  o.color = PICTURE_COLOR_STRAIN;
  o.legend = true;
  for (int i = 0; i < 4; i++) {
    o.background.is_plain = true;
    memcpy(o.background.color, backgrounds[i], 3);
    picture *p = open_picture(&st, &o);
    rgb behind = pixel(p, 2, SIDE - 2);
    int most = 0;
    /* Where the title is. */
    for (int y = SIDE - 70; y < SIDE - 45; y++)
      for (int x = 0; x < 100; x++)
        most = abs(brightness(pixel(p, x, y)) - brightness(behind)) > most
                   ? abs(brightness(pixel(p, x, y)) - brightness(behind))
                   : most;
    cr_expect(most > 300, "the letters differ by %d of 765 from background %d", most, i);
    picture_close(p);
  }
  stage_free(&st);
}

Test(legend, a_scale_ends_at_1_2_or_5_times_a_power_of_ten) {
  const struct {
    double value, end;
  } table[] = {{0.9, 1}, {1, 1},          {1.0001, 2},  {2.1, 5}, {5.1, 10},
               {37, 50}, {0.0011, 0.002}, {1e-9, 1e-9}, {0, 1}};
  for (size_t n = 0; n < sizeof table / sizeof *table; n++)
    cr_expect_float_eq(legend_round_up(PICTURE_COLOR_FORCE, table[n].value), table[n].end,
                       1e-9 * table[n].end, "%g: %g", table[n].value,
                       legend_round_up(PICTURE_COLOR_FORCE, table[n].value));
}

/* Rounding positions to single precision gives strains of 1e-7 where there are none. */
Test(legend, a_scale_of_strain_does_not_show_rounding) {
  cr_expect_float_eq(legend_round_up(PICTURE_COLOR_STRAIN, 3e-7), 0.001, 1e-12);
  cr_expect_float_eq(legend_round_up(PICTURE_COLOR_STRAIN, 0), 0.001, 1e-12);
  cr_expect_float_eq(legend_round_up(PICTURE_COLOR_STRAIN, 0.0015), 0.002, 1e-12);
}

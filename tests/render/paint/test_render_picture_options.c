#include "render/paint/picture.h"

#include <criterion/criterion.h>
#include <string.h>

static char error[PICTURE_ERROR_MAX];

Test(picture_options, sizes_are_width_x_height) {
  int width = 0, height = 0;
  cr_assert(picture_parse_size("640x480", &width, &height, error, sizeof error));
  cr_expect(width == 640 && height == 480);
  const char *bad[] = {"",        "640",    "640x",     "x480", "640x480x3", "640 x 480",       "-640x480",
                       "640x-48", "15x480", "640x8193", "0x0",  " 640x480",  "99999999999x480", "640x480 "};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    error[0] = '\0';
    cr_expect_not(picture_parse_size(bad[i], &width, &height, error, sizeof error), "took \"%s\"", bad[i]);
    cr_expect(strstr(error, "WIDTHxHEIGHT") != NULL && strchr(error, '\n') == NULL, "%s", error);
  }
  cr_expect(width == 640 && height == 480, "a bad size changes nothing");
}

Test(picture_options, every_color_has_a_name_that_reads_back) {
  for (int i = 0; i < PICTURE_COLOR_COUNT; i++) {
    picture_color color = PICTURE_COLOR_COUNT;
    cr_assert(picture_parse_color(picture_color_name((picture_color)i), &color, error, sizeof error));
    cr_expect_eq((int)color, i);
  }
  picture_color color;
  cr_expect_not(picture_parse_color("Strain", &color, error, sizeof error));
  cr_expect(strstr(error, "none, strain, force, speed, energy, kind") != NULL, "%s", error);
  cr_expect_null(picture_color_name(PICTURE_COLOR_COUNT));
}

Test(picture_options, cameras_are_two_three_or_six_numbers) {
  picture_camera c;
  cr_assert(picture_parse_camera("30,15", &c, error, sizeof error));
  cr_expect(c.azimuth == 30 && c.elevation == 15 && c.zoom == 1 && !c.has_target);
  cr_assert(picture_parse_camera("-30.5,-15,2.5", &c, error, sizeof error));
  cr_expect(c.azimuth == -30.5 && c.elevation == -15 && c.zoom == 2.5 && !c.has_target);
  cr_assert(picture_parse_camera("30,15,2,0,1.5,-7", &c, error, sizeof error));
  cr_expect(c.has_target && c.target[0] == 0 && c.target[1] == 1.5 && c.target[2] == -7);
  const char *bad[] = {
      "",      "30",     "30,",   "30,15,",  "30,15,2,1", "30,15,2,1,2", "a,b", "30;15", "30,15,2,0,1,2,3",
      "nan,0", "30,inf", "30,90", "30,15,0", "30,15,-1",  "30,15,1000"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    error[0] = '\0';
    cr_expect_not(picture_parse_camera(bad[i], &c, error, sizeof error), "took \"%s\"", bad[i]);
    cr_expect(error[0] != '\0' && strchr(error, '\n') == NULL);
  }
}

Test(picture_options, backgrounds_are_names_or_hexadecimal_numbers) {
  picture_background b = {0};
  cr_assert(picture_parse_background("#0aF410", &b, error, sizeof error));
  cr_expect(b.is_plain && b.color[0] == 0x0a && b.color[1] == 0xf4 && b.color[2] == 0x10);
  cr_assert(picture_parse_background("sky", &b, error, sizeof error));
  cr_expect_not(b.is_plain);
  cr_assert(picture_parse_background("white", &b, error, sizeof error));
  cr_expect(b.is_plain && b.color[0] == 255 && b.color[1] == 255 && b.color[2] == 255);
  cr_assert(picture_parse_background("black", &b, error, sizeof error));
  cr_expect(b.is_plain && b.color[0] == 0 && b.color[1] == 0 && b.color[2] == 0);
  const char *bad[] = {"", "#", "#12345", "#1234567", "123456", "#12345g", "#-12345", "White", "# 12345"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    error[0] = '\0';
    cr_expect_not(picture_parse_background(bad[i], &b, error, sizeof error), "took \"%s\"", bad[i]);
    cr_expect(strstr(error, "#rrggbb") != NULL && strchr(error, '\n') == NULL, "%s", error);
  }
  cr_expect(b.is_plain && b.color[0] == 0, "a bad background changes nothing");
}

static const char *path_of(const char *pattern, int frame) {
  static char path[64];
  return picture_frame_path(pattern, frame, path, sizeof path, error, sizeof error) ? path : NULL;
}

Test(picture_options, frame_numbers_go_where_the_pattern_says) {
  cr_expect_str_eq(path_of("out.png", 7), "out.png");
  cr_expect_str_eq(path_of("out%d.png", 7), "out7.png");
  cr_expect_str_eq(path_of("out%04d.png", 7), "out0007.png");
  cr_expect_str_eq(path_of("out%02d.png", 1234), "out1234.png");
  cr_expect_str_eq(path_of("50%%_%d.png", 7), "50%_7.png");
}

Test(picture_options, other_patterns_are_refused) {
  const char *bad[] = {"%s.png",      "%n",         "%d%d.png",   "%x", "%",
                       "out%10d.png", "out%4d.png", "out%0d.png", "%ld"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    error[0] = '\0';
    cr_expect_null(path_of(bad[i], 1), "took \"%s\"", bad[i]);
    cr_expect(error[0] != '\0');
  }
  cr_expect_null(path_of("a name that is quite a bit longer than the buffer that it has to fit into.png", 1));
}

Test(picture_options, defaults_are_what_the_header_says) {
  picture_options o = picture_default_options();
  cr_expect(o.width == 1280 && o.height == 800 && o.samples == 4 && o.color == PICTURE_COLOR_NONE);
  cr_expect(o.camera.azimuth == 25 && o.camera.elevation == 12 && o.camera.zoom == 1 && !o.camera.has_target);
  cr_expect(!o.background.is_plain && !o.is_transparent);
  cr_expect(o.ground && o.legend && !o.flat && !o.springs && !o.particles && o.color_max == 0);
}

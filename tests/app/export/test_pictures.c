/* msd run --png */
#include "tests/support/command.h"

/* Graphics drivers keep memory to the end of the process, which is no leak of the command. */
static void setup(void) {
  command_setup();
  setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
}

TestSuite(pictures, .init = setup, .fini = command_teardown);

/* The size that a PNG file states: signature, then the IHDR chunk with width and height, most significant
   byte first. */
static void expect_png(const char *name, int width, int height) {
  size_t size;
  const unsigned char *bytes = (const unsigned char *)read_bytes(name, &size);
  cr_assert_geq(size, 33);
  cr_assert_eq(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8), 0);
  cr_assert_eq(memcmp(bytes + 12, "IHDR", 4), 0);
  cr_expect_eq(bytes[16] << 24 | bytes[17] << 16 | bytes[18] << 8 | bytes[19], width);
  cr_expect_eq(bytes[20] << 24 | bytes[21] << 16 | bytes[22] << 8 | bytes[23], height);
  cr_expect_eq(memcmp(bytes + size - 8, "IEND", 4), 0);
}

Test(pictures, one_picture_is_of_the_end) {
  command_result result = msd("run mixed.json --png end.png --size 64x48 --color strain --camera 40,20");
  cr_assert_eq(result.status, 0, "%s", result.err);
  expect_png("end.png", 64, 48);
}

Test(pictures, a_number_in_the_name_makes_one_for_every_frame) {
  command_result result = msd("run mixed.json --png '%%03d.png' --size 32x32 --every 4");
  cr_assert_eq(result.status, 0, "%s", result.err);
  for (int i = 0; i < 5; i++)
    expect_png(format_text("%03d.png", i), 32, 32);
  cr_expect_not(exists("005.png"));
}

Test(pictures, looking_does_not_change_what_is_computed) {
  const char *unseen = hash_of(msd("run mixed.json --json"));
  cr_expect_str_eq(hash_of(msd("run mixed.json --json --png '%%d.png' --size 32x32")), unseen);
}

Test(pictures, bad_views_are_refused_in_one_line) {
  expect_refused(msd("run mixed.json --png x.png --size 0x0"), 2, "--size");
  expect_refused(msd("run mixed.json --png x.png --color blue"), 2, "--color");
  expect_refused(msd("run mixed.json --png x.png --camera up"), 2, "--camera");
  expect_refused(msd("run mixed.json --png x.png --background blue"), 2, "--background");
  expect_refused(msd("run mixed.json --png '%%s.png'"), 2, "--png");
  expect_refused(msd("run mixed.json --png x.jpg"), 2, "ends in .png");
  expect_refused(msd("view mixed.json --frames 1 --png x.jpg"), 2, "ends in .png");
  expect_refused(msd("run mixed.json --video 'x%%d.mp4'"), 2, "one file");
  expect_refused(msd("run mixed.json --video out.avi"), 2, "a name that ends in .mp4");
  expect_refused(msd("run mixed.json --png out.jpg"), 2, "a name that ends in .png");
}

/* Byte 25 of the file is the color type: 2 is red, green and blue, 6 these with an opacity. */
Test(pictures, a_background_is_plain_or_none) {
  static const char *const options[] = {"", "--background white", "--transparent"};
  static const int types[] = {2, 2, 6};
  for (int i = 0; i < 3; i++) {
    command_result result = msd("run mixed.json --png x.png --size 64x48 %s", options[i]);
    cr_assert_eq(result.status, 0, "%s", result.err);
    size_t size;
    cr_expect_eq(read_bytes("x.png", &size)[25], types[i], "%s", options[i]);
  }
  expect_refused(msd("run mixed.json --png x.png --transparent --background white"), 2, "--background");
  expect_refused(msd("run mixed.json --video x.mp4 --transparent"), 2, "--video");
}

Test(pictures, contacts_are_drawn_where_they_are_wanted) {
  static const char scene[] =
      "{\"msd\": 1, \"duration\": 0.1, \"bodies\": [{\"type\": \"rope\", \"from\": [0, 0.005, "
      "0], \"to\": [1, 0.005, 0]}], \"colliders\": [{\"type\": \"plane\"}]}";
  static const char *const options[] = {"", "", "--show-contacts"};
  const unsigned char *bytes[3];
  size_t sizes[3];
  write_file("lying.json", scene, strlen(scene));
  for (int i = 0; i < 3; i++) {
    command_result result = msd("run lying.json --png %d.png --size 64x48 %s", i, options[i]);
    cr_assert_eq(result.status, 0, "%s", result.err);
    bytes[i] = (const unsigned char *)read_bytes(format_text("%d.png", i), &sizes[i]);
  }
  cr_expect(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
  cr_expect(sizes[0] != sizes[2] || memcmp(bytes[0], bytes[2], sizes[0]) != 0);
}

/* A stand-in for ffmpeg that keeps what it is given, in the folder of the test and at the head of PATH. */
static void put_ffmpeg(const char *script) {
  write_file("ffmpeg", script, strlen(script));
  cr_assert_eq(chmod(format_text("%s/ffmpeg", command_folder), 0755), 0);
  setenv("PATH", format_text("%s:/usr/bin:/bin", command_folder), 1);
}

Test(pictures, a_film_has_every_frame_at_the_speed_of_the_simulation) {
  put_ffmpeg("#!/bin/sh\nfor last; do :; done\necho \"$@\" >arguments\ncat >\"${last#file:}\"\n");
  command_result result = msd("run mixed.json --video film.mp4 --size 32x16 --every 2");
  cr_assert_eq(result.status, 0, "%s", result.err);
  size_t size;
  read_bytes("film.mp4", &size);
  cr_expect_eq(size, 9 * 32 * 16 * 3, "frames 0, 2 .. 16");
  cr_expect_not_null(strstr(read_text("arguments"), "-s 32x16 -r 32 "), "%s", read_text("arguments"));
  cr_expect_not(exists("film.part.mp4"));
}

Test(pictures, without_ffmpeg_no_film_is_begun) {
  setenv("PATH", command_folder, 1);
  command_result result = msd("run mixed.json --video film.mp4 --size 32x16");
  setenv("PATH", "/usr/bin:/bin", 1);
  expect_refused(result, 2, "ffmpeg");
  cr_expect_not(exists("film.mp4"));
}

Test(pictures, an_ffmpeg_that_fails_leaves_no_film) {
  put_ffmpeg("#!/bin/sh\nexit 3\n");
  command_result result = msd("run mixed.json --video film.mp4 --size 32x16");
  cr_expect_eq(result.status, 3);
  cr_expect_not_null(strstr(result.err, "film.mp4: ffmpeg"), "%s", result.err);
  cr_expect_not(exists("film.mp4"));
  cr_expect_not(exists("film.part.mp4"));
}

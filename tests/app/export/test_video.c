#define _POSIX_C_SOURCE 200809L
#include "app/export/video.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stand-in for ffmpeg at the head of PATH: what is tested is what it is given and how its end is taken. */

static problem p;
static char folder[64], path[128], part[128];

static void write_program(const char *text) {
  char program[128];
  snprintf(program, sizeof program, "%s/ffmpeg", folder);
  FILE *file = fopen(program, "w");
  cr_assert(file != NULL);
  fprintf(file, "#!/bin/sh\n%s\n", text);
  fclose(file);
  cr_assert(chmod(program, 0755) == 0);
}

static void make_folder(void) {
  snprintf(folder, sizeof folder, "/tmp/msd_test_video_XXXXXX");
  cr_assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/film.mp4", folder);
  snprintf(part, sizeof part, "%s/film.part.mp4", folder);
  char search[4096];
  snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
  setenv("PATH", search, 1);
}

static void remove_folder(void) {
  char command[128];
  snprintf(command, sizeof command, "/bin/rm -rf '%s'", folder);
  cr_expect(system(command) == 0);
}

TestSuite(video, .init = make_folder, .fini = remove_folder);

/* The last argument is the file; all before it go into a file beside. */
#define KEEP "for last; do :; done; file=${last#file:}; echo \"$@\" > \"$file.arguments\"; cat > \"$file\""

Test(video, gives_all_frames_to_ffmpeg_in_order) {
  write_program(KEEP);
  video *v = video_open(path, 4, 2, 60, &p);
  cr_assert(v != NULL, "%s", p.text);
  uint8_t frame[4 * 2 * 3];
  for (int i = 0; i < 5; i++) {
    memset(frame, 10 * i, sizeof frame);
    cr_assert(video_write(v, frame, &p), "%s", p.text);
  }
  cr_expect(access(path, F_OK) != 0, "nothing is in its place before it is whole");
  cr_assert(video_close(v, &p), "%s", p.text);
  cr_expect(access(part, F_OK) != 0);
  FILE *file = fopen(path, "rb");
  cr_assert(file != NULL);
  uint8_t bytes[200];
  cr_expect_eq(fread(bytes, 1, sizeof bytes, file), 5 * sizeof frame);
  fclose(file);
  for (size_t i = 0; i < 5 * sizeof frame; i++)
    cr_assert_eq(bytes[i], 10 * (i / sizeof frame));
  char arguments[140], text[512] = "";
  snprintf(arguments, sizeof arguments, "%s.arguments", part);
  file = fopen(arguments, "r");
  cr_assert(file != NULL && fgets(text, sizeof text, file) != NULL);
  fclose(file);
  cr_expect(strstr(text, "-f rawvideo -pix_fmt rgb24 -s 4x2 -r 60 -i -") != NULL, "%s", text);
}

Test(video, says_when_ffmpeg_is_missing) {
  setenv("PATH", folder, 1);
  cr_expect_null(video_open(path, 4, 2, 60, &p));
  cr_expect(strstr(p.text, "ffmpeg") != NULL && strstr(p.text, path) == p.text &&
                strchr(p.text, '\n') == NULL,
            "%s", p.text);
}

Test(video, leaves_nothing_behind_when_ffmpeg_fails) {
  write_program(KEEP "; exit 3");
  video *v = video_open(path, 4, 2, 60, &p);
  cr_assert(v != NULL, "%s", p.text);
  cr_expect_not(video_close(v, &p));
  cr_expect(strstr(p.text, "ffmpeg") != NULL);
  cr_expect(access(path, F_OK) != 0 && access(part, F_OK) != 0);
}

Test(video, survives_an_ffmpeg_that_ends_early) {
  write_program("exit 1");
  video *v = video_open(path, 1000, 1000, 60, &p);
  cr_assert(v != NULL, "%s", p.text);
  uint8_t *frame = calloc(3, 1000 * 1000);
  bool written = true;
  for (int i = 0; i < 20 && written; i++)
    written = video_write(v, frame, &p);
  cr_expect_not(written);
  cr_expect(strstr(p.text, "ended before") != NULL, "%s", p.text);
  video_abandon(v);
  free(frame);
}

Test(video, keeps_a_film_that_was_there_when_it_is_abandoned) {
  write_program(KEEP);
  FILE *file = fopen(path, "w");
  cr_assert(file != NULL);
  fputs("old", file);
  fclose(file);
  video *v = video_open(path, 4, 2, 60, &p);
  cr_assert(v != NULL, "%s", p.text);
  video_abandon(v);
  struct stat now;
  cr_expect(stat(path, &now) == 0 && now.st_size == 3);
  cr_expect(access(part, F_OK) != 0);
}

Test(video, needs_an_ending_that_says_the_format) {
  const char *bad[] = {"film", "/tmp/a.b/film", "film."};
  for (int i = 0; i < 3; i++) {
    p.text[0] = '\0';
    cr_expect_null(video_open(bad[i], 4, 2, 60, &p));
    cr_expect(strstr(p.text, ".mp4") != NULL, "%s", p.text);
  }
}

/* What ffmpeg is given as the name of the film. */
static void expect_name(const char *name) {
  cr_assert_eq(chdir(folder), 0);
  write_program("for last; do :; done; echo \"$last\" > name; cat > \"${last#file:}\"");
  const uint8_t frame[2 * 2 * 3] = {0};
  video *v = video_open(name, 2, 2, 60, &p);
  cr_assert_not_null(v, "%s", p.text);
  cr_expect(video_write(v, frame, &p), "%s", p.text);
  cr_assert(video_close(v, &p), "%s", p.text);
  cr_expect_eq(access(name, F_OK), 0);
  char text[200] = "";
  FILE *file = fopen("name", "r");
  cr_assert_not_null(file);
  cr_expect_not_null(fgets(text, sizeof text, file));
  fclose(file);
  cr_expect_eq(strncmp(text, "file:", 5), 0, "%s", text);
}

/* An option and an address to send the film to. */
Test(video, names_are_files_to_ffmpeg_whatever_they_look_like) {
  expect_name("-h.mp4");
  expect_name("tcp:127.0.0.1:9.mp4");
}

Test(video, an_ffmpeg_that_wrote_no_film_is_a_failure) {
  write_program("cat > /dev/null");
  video *v = video_open(path, 4, 2, 60, &p);
  cr_assert_not_null(v, "%s", p.text);
  cr_expect_not(video_close(v, &p));
  cr_expect(access(path, F_OK) != 0 && access(part, F_OK) != 0);
}

#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[] = "/tmp/msd_test_XXXXXX";

void enter_scratch_folder(void) {
  cr_assert(mkdtemp(scratch) != NULL);
  cr_assert(chdir(scratch) == 0);
}

void leave_scratch_folder(void) {
  DIR *folder = opendir(scratch);
  if (!folder)
    return;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    unlink(entry->d_name);
  closedir(folder);
  rmdir(scratch);
}

void write_file(const char *name, const void *bytes, size_t size) {
  FILE *file = fopen(name, "wb");
  cr_assert(file != NULL);
  cr_assert(fwrite(bytes, 1, size, file) == size);
  fclose(file);
}

void write_text(const char *name, const char *text) {
  write_file(name, text, strlen(text));
}

scene *load_text(const char *text, scene_error *error) {
  write_text("test.json", text);
  return scene_load("./test.json", error);
}

/* Puts `text` where `frame` has its %s. */
static void fill_frame(char *filled, size_t size, const char *frame, const char *text) {
  const char *hole = strstr(frame, "%s");
  cr_assert(hole != NULL);
  int head = (int)(hole - frame);
  cr_assert((size_t)snprintf(filled, size, "%.*s%s%s", head, frame, text, hole + 2) < size);
}

scene *load_framed(const char *frame, const char *text) {
  char filled[4096];
  fill_frame(filled, sizeof filled, frame, text);
  scene_error error;
  scene *s = load_text(filled, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

scene *load_bodies(const char *bodies) {
  return load_framed("{ \"msd\": 1, \"bodies\": [ %s ] }", bodies);
}

const char *pins_of_scene(scene *s) {
  static char pins[256];
  const int32_t count = msd_world_get_particle_count(s->world);
  cr_assert((size_t)count < sizeof pins);
  for (int32_t i = 0; i < count; i++)
    pins[i] = msd_particle_is_pinned(s->world, i) ? '1' : '0';
  pins[count] = '\0';
  scene_free(s);
  return pins;
}

void expect_refused(const bad_text *cases, size_t count, const char *frame) {
  for (size_t i = 0; i < count; i++) {
    char filled[4096];
    if (frame)
      fill_frame(filled, sizeof filled, frame, cases[i].text);
    scene_error error = {{0}};
    scene *s = load_text(frame ? filled : cases[i].text, &error);
    cr_expect(s == NULL, "loaded: %s", cases[i].text);
    cr_expect(strstr(error.text, "test.json") && strstr(error.text, cases[i].place),
              "%s\n  should name %s: %s", cases[i].text, cases[i].place, error.text);
    cr_expect(strstr(error.text, cases[i].remedy), "%s\n  should say %s: %s", cases[i].text, cases[i].remedy,
              error.text);
    cr_expect(strpbrk(error.text, "\n\r\t") == NULL, "more than a line: %s", error.text);
    scene_free(s);
  }
}

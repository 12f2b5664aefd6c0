#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include "tests/support/json_schema.h"

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

/* What the loader alone can see, by what it says: a schema knows each value and its neighbors in one object,
   but no names, no sums and no files. */
static const char *const beyond_schemas[] = {
    /* Names, indices and files. */
    "there is no ", "is the name of", "no group of", "has no group", "has no component", "has no joint",
    ".obj:", ".ele:", ".bvh:", "is left out", "none is called", "No such file", "format that msd reads",
    "names no particle", "of type rotors and has none", "unknown key; did you mean \"Leg\"",
    "is only for bodies of type mesh and balloon",
    /* Numbers beside each other, in lists and in different objects. */
    "would take about", "for 1 particles", "for 2 particles", "for 3 particles", "for 4 particles",
    "for 1 rotors", "for 2 rotors", "for 3 rotors", "to a list of", "with itself", "the same particle as",
    "names a particle twice", "is where the rope begins", "ends where it begins", "it needs 2 or more",
    "is zero; it must", "is parallel to u", "has no length", "after the keyframe before it",
    "after its begin", "which is more than the", "both must be 2 or more",
    /* What a network is, when it has been made. */
    "moves a vertex", "moves a joint", "is a corner of no", "that no border leads", "where borders meet",
    "that is on no border", "both ways along the border", "means 2 particles", "means 4 particles",
    "is perpendicular to", "has no bone", "so there is no bone", "which is not pinned",
    "is moved by another animation", "cuts nothing", "releases nothing", "contains no particle",
    "already has a soft pin", "sews nothing", "has nothing to tie", "is pinned; pin one first",
    "cannot stiffen", "makes no springs on lengths", "has no bending", "its volume is", "too flat",
    "has no effect without a",
    /* Settings that the world refuses. */
    "needs integrator", "need integrator", "cannot be combined with energy_mode",
    "cannot be combined with mass_scaling", "does not support", "sleep needs",
    /* Text. */
    "has a line break or tab", NULL};

static bool is_beyond_schemas(const char *error) {
  for (const char *const *part = beyond_schemas; *part; part++)
    if (strstr(error, *part))
      return true;
  return false;
}

const json_t *scene_schema(void) {
  static json_t *schema;
  json_error_t error;
  if (!schema)
    schema = json_load_file(MSD_SCENE_SCHEMA, JSON_REJECT_DUPLICATES, &error);
  cr_assert(schema != NULL, "%s:%d: %s", MSD_SCENE_SCHEMA, error.line, error.text);
  return schema;
}

void expect_schema_agrees(const json_t *value, bool loads, const scene_error *error) {
  schema_error wrong = {"", "", false};
  const bool accepted = schema_accepts(scene_schema(), value, &wrong);
  if (loads)
    cr_expect(accepted, "loads, but scene.schema.json refuses it: %s", wrong.text);
  else
    cr_expect(!accepted || is_beyond_schemas(error->text),
              "scene.schema.json accepts what the loader refuses: %s", error->text);
}

scene *load_text(const char *text, scene_error *error) {
  write_text("test.json", text);
  scene *s = scene_load("./test.json", error);
  json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  if (value)
    expect_schema_agrees(value, s != NULL, error);
  json_decref(value);
  return s;
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

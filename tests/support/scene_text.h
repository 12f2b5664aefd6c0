/* Scenes and mesh files made from text, in a folder of their own that goes when the test ends. */
#ifndef MSD_TESTS_SUPPORT_SCENE_TEXT_H
#define MSD_TESTS_SUPPORT_SCENE_TEXT_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stddef.h>

/* Makes the folder and goes there, so that files below have short names. Each test runs in its own process. */
void enter_scratch_folder(void);
void leave_scratch_folder(void);

void write_file(const char *name, const void *bytes, size_t size);
void write_text(const char *name, const char *text);

/* scenes/loader/scene.schema.json. */
const json_t *scene_schema(void);

/* Expects that the schema accepts what loads, and refuses what does not, where that is for something that a
   schema can see. */
void expect_schema_agrees(const json_t *value, bool loads, const scene_error *error);

/* Writes "test.json" and loads it; the schema must agree. */
scene *load_text(const char *text, scene_error *error);

/* A scene file, `frame` with `text` in place of its %s, loads; the test ends when it does not. */
scene *load_framed(const char *frame, const char *text);

/* A scene file with these bodies (the inside of the list) loads; the test ends when it does not. */
scene *load_bodies(const char *bodies);

/* Which particles of a scene are pinned, as a string of 1 and 0 in the order of the indices, until the next
   call. Frees the scene. */
const char *pins_of_scene(scene *s);

/* A text that must be refused, with parts of the line that must say so: the place and the remedy. */
typedef struct bad_text {
  const char *text, *place, *remedy;
} bad_text;

/* Expects that each is refused with one line that holds its place and its remedy. With `frame`, the text is put
   in place of its %s first. */
void expect_refused(const bad_text *cases, size_t count, const char *frame);

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif

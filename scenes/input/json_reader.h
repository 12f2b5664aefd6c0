/* Reading JSON with places: every value knows the path to it, and every error says it.

   A place is a link to the value that holds it, up to the root; it lives on the stack of the function that
   reads it, and its path is put together only when there is something to complain about. Functions that read
   return false when the file is wrong, with the error filled; then the caller returns false too. */
#ifndef MSD_SCENES_JSON_READER_H
#define MSD_SCENES_JSON_READER_H

#include "scenes/loader/scene.h"

#include <jansson.h>

typedef struct json_source {
  const char *file; /* as errors name it */
  scene_error *error;
} json_source;

typedef struct json_place {
  const json_source *source;
  const struct json_place *parent; /* NULL: the root */
  const char *key;                 /* when the parent is an object, else NULL */
  size_t index;                    /* when the parent is an array */
  const json_t *value;             /* NULL: absent */
} json_place;

/* Numbers of scene files lie in this range, so that their squares and quotients are finite in float too. */
#define NUMBER_LARGEST  1e18
#define NUMBER_SMALLEST 1e-18

/* What a number must be. */
typedef struct quantity {
  const char *text; /* "a mass above 0 in kg" */
  double least, most;
} quantity;

extern const quantity quantity_coordinate; /* any number, in m */

/* The file, parsed; NULL with the error filled as file:line:column. Freed by json_decref. */
json_t *json_source_parse(const json_source *source);

json_place place_root(const json_source *source, const json_t *value);
json_place place_member(const json_place *object, const char *key);
json_place place_item(const json_place *array, size_t index);

/* Fills the error with "file: path: text". Always false. */
__attribute__((format(printf, 2, 3))) bool place_fail(const json_place *place, const char *format, ...);
bool place_out_of_memory(const json_place *place);

/* "is missing; it must be TEXT" or "is a string; it must be TEXT". Always false. */
bool place_fail_type(const json_place *place, const char *text);

/* `bodies[2].rows`; "" for the root. */
void place_path(const json_place *place, char *text, size_t size);

/* The place holds an object whose keys are all among `keys`, ended by NULL. */
bool place_check_object(const json_place *place, const char *const *keys);

/* The place holds a list; `text` says of what. */
bool place_check_array(const json_place *place, const char *text);

/* The value at a place, which must be there. */
bool place_get_number(const json_place *place, const quantity *what, double *out);
bool place_get_whole(const json_place *place, const quantity *what, double *out);
bool place_get_vector(const json_place *place, msd_vec3 *out);

/* A member of an object; an absent one leaves *out as it is. */
bool read_double(const json_place *object, const char *key, const quantity *what, double *out);
bool read_real(const json_place *object, const char *key, const quantity *what, msd_real *out);
bool read_vector(const json_place *object, const char *key, msd_vec3 *out);
bool read_flag(const json_place *object, const char *key, bool *out);

/* One line of text; *out points into the parsed file. */
bool read_text(const json_place *object, const char *key, const char **out);

/* One of the words, ended by NULL: *out is its number. */
bool read_choice(const json_place *object, const char *key, const char *const *words, int *out);

/* Whether it is there at all: reports "is missing; it must be TEXT" when it is not. */
bool require_member(const json_place *object, const char *key, const char *text);

#endif

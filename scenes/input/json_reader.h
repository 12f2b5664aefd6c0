/* Reading JSON with places: every value knows the path to it, and every error says it.

   A place is a link to the value that holds it, up to the root; it lives on the stack of the function that
   reads it, and its path is put together only when there is something to complain about. Functions that read
   return false when the file is wrong, with the error filled; then the caller returns false too. */
#ifndef MSD_SCENES_INPUT_JSON_READER_H
#define MSD_SCENES_INPUT_JSON_READER_H

#include "scenes/input/number_range.h"
#include "scenes/input/scene_error.h"
#include "scenes/input/scene_warnings.h"

#include <msd/msd.h>

#include <jansson.h>

typedef struct json_source {
  /* As errors name it. */
  const char *file;
  scene_error *error;

  /* NULL: nobody wants them. */
  scene_warnings *warnings;

  /* Of how many processes each loads a part; 0: one loads it all. */
  int processes;

  /* m: the point that becomes the origin of the world. Points are read relative to it. */
  double origin[3];
} json_source;

typedef struct json_place {
  const json_source *source;

  /* NULL: the root. */
  const struct json_place *parent;

  /* When the parent is an object, else NULL. */
  const char *key;

  /* When the parent is an array. */
  size_t index;

  /* NULL: absent. */
  const json_t *value;
} json_place;

/* What a number must be. */
typedef struct quantity {
  /* "a mass above 0 in kg" */
  const char *text;
  double least, most;
} quantity;

/* Any number, in m. */
extern const quantity quantity_coordinate;

/* The file of a scene, parsed; NULL with the error filled as file:line:column. Freed by json_decref. */
json_t *json_source_parse(const json_source *source);

/* The same of text that has been read from the file. */
json_t *json_source_parse_text(const json_source *source, const char *text, size_t size);

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

/* The same of a list of that many items. */
bool place_check_array_of(const json_place *place, size_t size, const char *text);

/* The value at a place, which must be there. */
bool place_get_number(const json_place *place, const quantity *what, double *out);
bool place_get_whole(const json_place *place, const quantity *what, double *out);
bool place_get_vector(const json_place *place, msd_vec3 *out);

/* A point in m, relative to the origin of the source. The difference is computed in double precision, so points
   far from 0 lose nothing where the origin is near them. *out has the default, a point of the file too; it is
   made relative where the place is absent. */
bool place_get_point(const json_place *place, double out[3]);
bool place_get_position(const json_place *place, msd_vec3 *out);

/* A member of an object; an absent one leaves *out as it is. */
bool read_double(const json_place *object, const char *key, const quantity *what, double *out);
bool read_real(const json_place *object, const char *key, const quantity *what, msd_real *out);
bool read_whole(const json_place *object, const char *key, const quantity *what, double *out);
bool read_vector(const json_place *object, const char *key, msd_vec3 *out);
bool read_flag(const json_place *object, const char *key, bool *out);

/* A member that is a point, as place_get_point. */
bool read_point(const json_place *object, const char *key, double out[3]);
bool read_position(const json_place *object, const char *key, msd_vec3 *out);

/* One line of text; *out points into the parsed file. */
bool read_text(const json_place *object, const char *key, const char **out);

/* One of the words, ended by NULL: *out is its number. */
bool read_choice(const json_place *object, const char *key, const char *const *words, int *out);

/* Whether it is there at all: reports "is missing; it must be TEXT" when it is not. */
bool require_member(const json_place *object, const char *key, const char *text);

/* The items of a list, each read into a struct of its own. */
typedef struct json_list {
  /* To be freed; NULL when there are none. */
  void *items;
  size_t count;
} json_list;

typedef bool (*item_reader)(const void *context, const json_place *place, void *item);

/* Reads a member that is a list of `text`, item by item; an absent one is an empty list. */
bool read_list(const json_place *object, const char *key, const char *text, size_t item_size,
               item_reader read_item, const void *context, json_list *list);

#endif

/* Whether a JSON value is what a JSON Schema (draft 7) says, for the keywords that the schema of scenes has. */
#ifndef MSD_TESTS_SUPPORT_JSON_SCHEMA_H
#define MSD_TESTS_SUPPORT_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

enum { SCHEMA_PATH_MAX = 256, SCHEMA_ERROR_MAX = 400 };

/* The first thing that is wrong: where, "bodies[0].rows", and which keyword says so. */
typedef struct schema_error {
  char path[SCHEMA_PATH_MAX];
  char text[SCHEMA_ERROR_MAX];
  /* A key that does not belong there. */
  bool is_unknown_key;
} schema_error;

/* `root` is the whole schema. */
bool schema_accepts(const json_t *root, const json_t *value, schema_error *error);

/* Calls `visit` for each schema that a value is held against, and accepted by, with the value; for finding what
   of a schema some values make use of. */
typedef void (*schema_visitor)(const json_t *schema, const json_t *value, void *context);
bool schema_visit(const json_t *root, const json_t *value, schema_visitor visit, void *context);

/* NULL when every keyword of a schema and what it holds is known here, else one that is not. */
const char *schema_unknown_keyword(const json_t *schema);

#endif

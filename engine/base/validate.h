/* Validation of arguments and definitions. Each function returns MSD_OK, or fails with a message that states
   the valid range. */
#ifndef MSD_ENGINE_BASE_VALIDATE_H
#define MSD_ENGINE_BASE_VALIDATE_H

#include "engine/base/definition.h"
#include "engine/base/error.h"

/* Checks that `index` is below `count`: "there is no spring 7; the world has 5". */
msd_result check_index(report *r, const char *what, int32_t index, int32_t count);

/* The same for a field of a definition. -1 is valid if `otherwise` describes it. */
msd_result check_field_index(report *r, subject about, const char *field, int32_t index, int32_t count,
                             const char *of, const char *otherwise);

/* Checks the number and the pointer of a list of definitions. */
msd_result check_list(report *r, const char *function, int count, const void *list);

/* Checks that a definition was initialized by its default function. `cookie` is NULL if there is no
   definition. */
msd_result check_cookie(report *r, subject about, const uint32_t *cookie, definition_cookie expected);

msd_result check_finite(report *r, subject about, const char *field, double value);
msd_result check_vector(report *r, subject about, const char *field, msd_vec3 value);
msd_result check_turn(report *r, subject about, msd_turn turn);

#endif

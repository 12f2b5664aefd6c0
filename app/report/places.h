/* Short names of springs and constraints, as summaries print them: "curtain, shear spring, row 0 column 63". */
#ifndef MSD_APP_REPORT_PLACES_H
#define MSD_APP_REPORT_PLACES_H

#include "scenes/loader/scene.h"

#include <stddef.h>

enum { PLACE_TEXT_MAX = 256 };

/* NULL for springs between bodies. */
const scene_body *place_body_of_spring(const scene *s, int32_t spring);
const scene_body *place_body_of_constraint(const scene *s, int32_t constraint);

/* The group of the body that it belongs to; NULL: none. */
const scene_group *place_group_of_spring(const scene_body *body, int32_t spring);
const scene_constraint_group *place_group_of_constraint(const scene_body *body, int32_t constraint);

/* "shear springs", "tethers": the springs of a group; NULL: "connections", which are between bodies. */
void place_springs_noun(const scene_group *group, bool many, char *text, size_t size);

/* "fibers", "hinges", "volume constraints", "pressure": the constraints of one kind. */
const char *place_constraints_noun(msd_constraint_kind kind, bool many);

/* Where a particle is in its body: "row 0 column 63", "vertex 45". */
void place_in_body(const scene *s, int32_t particle, char *text, size_t size);

/* "curtain, shear spring, row 0 column 63": the place of the first end. */
void place_of_spring(const scene *s, int32_t spring, char *text, size_t size);

/* "skirt, fiber at vertex 45": the place of the first corner. */
void place_of_constraint(const scene *s, int32_t constraint, char *text, size_t size);

#endif

/* Particles of a body by where they are, or by the group of a mesh file that they belong to. */
#ifndef MSD_SCENES_LOADER_PARTICLE_SELECTOR_H
#define MSD_SCENES_LOADER_PARTICLE_SELECTOR_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Whether the object at a place is { "box": ... }, { "sphere": ... } or { "group": ... }, as bodies of this
   kind know them; the body may still have to be built. */
bool selector_check(const json_place *place, const scene_body *body);

/* The particles that it selects, as indices of the world in ascending order: an array of *count >= 1, freed by
   the caller; NULL with the error filled, also where there is none. A part of a body may have none of those:
   then *count is 0. */
int32_t *selector_read(const json_place *place, const msd_world *world, const scene_body *body,
                       int32_t *count);

#endif

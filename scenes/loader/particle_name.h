/* Particles of a body: by index, by name ("first", "top_left", "all", ...), or by a selector. */
#ifndef MSD_SCENES_LOADER_PARTICLE_NAME_H
#define MSD_SCENES_LOADER_PARTICLE_NAME_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* Whether a place holds an index, a name that bodies of this kind know, or a selector; the body may still have
   to be built. */
bool particles_check(const json_place *place, const scene_body *body);

/* Reads what is at a place into the particles of the body that it means, as indices of the world:
   an array of *count, freed by the caller; NULL with the error filled. The body has just been added: its
   particles stand where they begin. Of a part of a body: those that it has, if any. */
int32_t *particles_read(const json_place *place, const msd_world *world, const scene_body *body,
                        int32_t *count);

/* The same where exactly one particle is wanted. Without a world it is checked as above, and *particle is
   -1. */
bool particle_read(const json_place *place, const msd_world *world, const scene_body *body,
                   int32_t *particle);

#endif

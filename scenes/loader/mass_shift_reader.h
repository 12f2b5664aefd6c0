/* The key "mass_shift" of bodies from meshes, a few of whose vertices ask for most of the substeps. */
#ifndef MSD_SCENES_LOADER_MASS_SHIFT_READER_H
#define MSD_SCENES_LOADER_MASS_SHIFT_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* For lists of the keys of a body. */
#define MASS_SHIFT_KEY "mass_shift"

/* What a mesh with a material has by itself: few vertices gain, and hardly any region of them changes its
   weight. */
#define MASS_SHIFT_OF_MATERIALS 0.001

/* `usual` where the key is not there. */
bool mass_shift_read(const json_place *body, double usual, scene_body *out);

/* Moves the mass of all bodies that have the key, when everything that holds them is there. */
bool mass_shift_apply(const json_place *root, scene *s);

#endif

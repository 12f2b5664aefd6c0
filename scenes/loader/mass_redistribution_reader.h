/* The key "mass_redistribution" of bodies from meshes, a few of whose vertices ask for most of the substeps. */
#ifndef MSD_SCENES_LOADER_MASS_REDISTRIBUTION_READER_H
#define MSD_SCENES_LOADER_MASS_REDISTRIBUTION_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* For lists of the keys of a body. */
#define MASS_REDISTRIBUTION_KEY "mass_redistribution"

/* What a mesh with a material has by itself: few vertices gain, and hardly any region of them changes its
   weight. */
#define MASS_REDISTRIBUTION_OF_MATERIALS 0.001

/* `usual` where the key is not there. */
bool mass_redistribution_read(const json_place *body, double usual, scene_body *out);

/* Moves the mass of all bodies that have the key, when everything that holds them is there. */
bool mass_redistribution_apply(const json_place *root, scene *s);

#endif

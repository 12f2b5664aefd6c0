/* What of a scene touches what: the settings of contact, and the surfaces of its bodies. */
#ifndef MSD_SCENES_LOADER_CONTACT_READER_H
#define MSD_SCENES_LOADER_CONTACT_READER_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

extern const quantity friction_coefficient;

/* The member "surface" of a body, of which `kind` is the kind. */
bool surface_keys_read(const json_place *body, const char *kind, scene_surface *out);

/* Takes the member "contact" to the world of a scene that has its bodies, colliders and air, and gives it their
   surfaces; while it has no world the member is only checked. */
bool contact_read(const json_place *root, scene *s);

#endif

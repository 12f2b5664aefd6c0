/* Bodies by name. */
#ifndef MSD_SCENES_LOADER_BODY_NAMES_H
#define MSD_SCENES_LOADER_BODY_NAMES_H

#include "scenes/input/json_reader.h"
#include "scenes/loader/scene.h"

/* The number of each body by its name: an object of jansson, which is a hash table. */
typedef json_t body_names;

/* Names the bodies of *s, whose kinds are set, from the list that they stand in: those that have none there
   get one like "cloth 2". Fills *names, to be freed by json_decref also on failure. */
bool body_names_read(const json_place *list, scene *s, body_names **names);

/* The body whose name a place holds. */
bool body_names_find(const json_place *place, const scene *s, const body_names *names,
                     const scene_body **body);

#endif

/* A hash set of faces, told apart by which vertices their corners are. */
#ifndef MSD_SCENES_MESHES_CORNER_SET_H
#define MSD_SCENES_MESHES_CORNER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct corner_set corner_set;

/* Room for so many faces of so many corners in all; NULL when out of memory. */
corner_set *corner_set_make(size_t faces, size_t corners);
void corner_set_free(corner_set *set);

/* Whether a face with these corners, in any order, is there. */
bool corner_set_has(corner_set *set, const int32_t *corners, int32_t count);

/* Adds one; false when it is there already. */
bool corner_set_add(corner_set *set, const int32_t *corners, int32_t count);

#endif

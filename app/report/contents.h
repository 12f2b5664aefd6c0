/* The contents of a scene in one line, as msd run and msd info print them. */
#ifndef MSD_APP_REPORT_CONTENTS_H
#define MSD_APP_REPORT_CONTENTS_H

#include "scenes/loader/scene.h"

#include <stddef.h>

enum { CONTENTS_MAX = 512 };

/* "4,096 particles (4 pinned), 23,938 springs": particles, springs and constraints by kind, soft pins, rotors.
   */
void contents_describe_elements(const scene *s, const msd_stats *stats, char *text, size_t size);

/* "3 cloths, 2 colliders, self-collision on": several bodies, and what collides; empty for one body that
   collides with nothing. */
void contents_describe_bodies(const scene *s, const msd_stats *stats, char *text, size_t size);

/* Whether one of the bodies collides with itself. */
bool contents_have_self_collision(const scene *s);

/* Particles of collision meshes that are not pinned. */
int64_t contents_count_colliding(const scene *s);

#endif

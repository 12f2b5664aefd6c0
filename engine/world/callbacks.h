/* What a step tells the program, and what it has to remember for that. */
#ifndef MSD_ENGINE_WORLD_CALLBACKS_H
#define MSD_ENGINE_WORLD_CALLBACKS_H

#include "engine/base/memory.h"

#include <msd/callbacks.h>

/* Pairs that touch, by the first and then by the second. */
typedef struct touching_pair {
  int32_t first, second;
} touching_pair;

typedef struct touch_list {
  touching_pair *pairs;
  int32_t count, capacity;
} touch_list;

/* Of a particle and a collider; of two surfaces. */
enum { TOUCHES_COLLIDER, TOUCHES_SURFACE, TOUCH_KINDS };

typedef struct callback_work {
  msd_callbacks given;
  /* Of each kind: what contact_begin has been told, and what there is now. */
  touch_list told[TOUCH_KINDS], found[TOUCH_KINDS];
  /* The latter is of the step at hand. */
  bool has_found;
  /* Whether each spring was torn before the step: `torn_count` of `torn_room`. */
  uint8_t *was_torn;
  int32_t torn_count, torn_room;
} callback_work;

void callback_work_free(callback_work *c, memory *m);

/* Before a step. MSD_OUT_OF_MEMORY. */
msd_result callbacks_begin_step(msd_world *world);

/* Other indices of particles, colliders and surfaces; NULL: they stay. -1: gone, with what touched it. */
void callbacks_close_gaps(callback_work *c, const int32_t *particle_to, const int32_t *collider_to,
                          const int32_t *surface_to);

/* Calls one of the functions for moments, unless it is NULL. */
void callbacks_tell(const msd_world *world, msd_moment_function function, msd_moment moment);

/* Behind the last substep. MSD_OUT_OF_MEMORY: what touches will not be told. */
msd_result callbacks_find_touches(msd_world *world);

/* At the end of a step: tells what has torn and what touches, then the end. */
void callbacks_end_step(msd_world *world, msd_moment moment);

#endif

/* Events that a frame reports to the program, and the data needed to detect them. */
#ifndef MSD_ENGINE_WORLD_EVENTS_H
#define MSD_ENGINE_WORLD_EVENTS_H

#include "engine/base/memory.h"

#include <msd/callbacks.h>

/* Pairs in contact, sorted by first and then by second. */
typedef struct touching_pair {
  int32_t first, second;
} touching_pair;

typedef struct contact_list {
  touching_pair *pairs;
  int32_t count, capacity;
} contact_list;

/* Particle and collider; two collision meshes. */
enum { TOUCHES_COLLIDER, TOUCHES_SURFACE, TOUCH_KINDS };

typedef struct callback_work {
  msd_callbacks given;
  /* For each kind: the pairs reported by contact_begin, and the current pairs. */
  contact_list told[TOUCH_KINDS], found[TOUCH_KINDS];
  /* The pairs that were in contact in the frame, but not in its last substep. */
  contact_list left[TOUCH_KINDS];
  /* True if `found` belongs to the current frame. */
  bool has_found;
  /* Whether each spring was torn before the frame; torn_room is the capacity. */
  uint8_t *was_torn;
  int32_t torn_count, torn_room;
} callback_work;

void callback_work_free(callback_work *c, memory *m);

/* Before a frame. Returns MSD_OUT_OF_MEMORY if memory runs out. */
msd_result callbacks_begin_step(msd_world *world);

/* Renumbers particles, colliders and collision meshes; NULL: unchanged. Contacts of objects with index -1 are
   removed. */
void callbacks_close_gaps(callback_work *c, const int32_t *particle_to, const int32_t *collider_to,
                          const int32_t *surface_to);

/* True if there are contact events, which need the contacts of all substeps. */
bool callbacks_need_contacts(const msd_world *world);

/* Calls a frame or substep callback, unless it is NULL. */
void events_emit(const msd_world *world, msd_substep_function function, msd_substep_info moment);

/* After the last substep: finds the current contacts. On MSD_OUT_OF_MEMORY no contact events are reported. */
msd_result callbacks_find_touches(msd_world *world);

/* At the end of a frame: reports torn springs and contact events, then calls after_step. */
void callbacks_end_step(msd_world *world, msd_substep_info moment);

#endif

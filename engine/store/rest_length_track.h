/* Springs whose rest lengths change to a target, which they reach at the end of the next frame. */
#ifndef MSD_ENGINE_STORE_REST_LENGTH_TRACK_H
#define MSD_ENGINE_STORE_REST_LENGTH_TRACK_H

#include "engine/base/growth.h"

#include "msd/base.h"

/* m. While the change is in progress, `from` is the initial rest length. `given` is the initial rest length
   before plastic flow; it differs from `from` where the spring has yielded. */
typedef struct rest_move {
  int32_t spring;
  msd_real from, given, target;
} rest_move;

/* At most one per spring, in ascending order of the springs. */
typedef struct rest_length_store {
  rest_move *items;
  int32_t count, capacity;
} rest_length_store;

extern const growth_table rest_move_growth;

/* Sets the target of a spring and replaces an earlier target. Returns false if memory runs out. */
bool rest_move_send(rest_length_store *s, memory *m, int32_t spring, msd_real target);

/* Cancels the change; the spring keeps its current rest length. */
void rest_move_cancel(rest_length_store *s, int32_t spring);

#endif

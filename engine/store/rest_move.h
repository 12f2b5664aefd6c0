/* Rest lengths of springs on their way to another, which they reach at the end of the next step. */
#ifndef MSD_ENGINE_STORE_REST_MOVE_H
#define MSD_ENGINE_STORE_REST_MOVE_H

#include "engine/base/growth.h"

#include "msd/base.h"

/* m. Where it comes from is known while it goes: the rest length, and the one that the spring was given, which
   is another where it has yielded. */
typedef struct rest_move {
  int32_t spring;
  msd_real from, given, target;
} rest_move;

/* One at most for each spring, in ascending order of the springs. */
typedef struct rest_move_store {
  rest_move *items;
  int32_t count, capacity;
} rest_move_store;

extern const growth_table rest_move_growth;

/* Sends a spring's rest length somewhere, in the place of where it was sent before. False when there is no
   memory. */
bool rest_move_send(rest_move_store *s, memory *m, int32_t spring, msd_real target);

/* Where it is goes nowhere. */
void rest_move_cancel(rest_move_store *s, int32_t spring);

#endif

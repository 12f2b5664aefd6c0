#include "engine/kernel/warm_start.h"

#include "engine/base/growth.h"

#include <string.h>

bool given_impulses_reserve(given_impulses *g, memory *m, int32_t count) {
  if (count <= g->count)
    return true;
  given_impulses larger = {.count = count};
  for (int n = 0; n < 2; n++)
    larger.of[n] = memory_allocate(m, (size_t)count * sizeof(msd_real));
  const bool done = larger.of[0] && larger.of[1];
  if (done && g->count > 0)
    memcpy(larger.of[0], g->of[g->current], (size_t)g->count * sizeof(msd_real));
  given_impulses_free(done ? g : &larger, m);
  if (done)
    *g = larger;
  return done;
}

void given_impulses_close_gaps(given_impulses *g, const int32_t *to) {
  if (to && g->count > 0)
    g->count = growth_move_items(g->of[g->current], sizeof(msd_real), g->count, to);
}

void given_impulses_free(given_impulses *g, memory *m) {
  memory_release(m, g->of[0]);
  memory_release(m, g->of[1]);
  *g = (given_impulses){0};
}

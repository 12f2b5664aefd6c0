#include "order.h"

#include "sort.h"

#include <math.h>

enum { CURVE_BITS = 20, WINDOW = 64 };

/* Bit k of a number below 2^20 goes to bit 3k. */
static uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 32) & 0x001f00000000ffffu;
  bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
  bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
  return (bits | bits << 2) & 0x1249249249249249u;
}

/* A cube; halved, because a side from the least to the largest number would be infinite. */
typedef struct box {
  double half_least[3], half_size;
} box;

static box bounding_cube(const particle_store *p) {
  box b = {.half_size = 0};
  for (int c = 0; c < 3; c++) {
    double most = -HUGE_VAL, least = HUGE_VAL;
    const msd_real *x = particle_state(p) + (size_t)c * p->stride;
    for (int32_t i = 0; i < p->count; i++) {
      const double at = (double)x[i];
      least = at < least ? at : least;
      most = at > most ? at : most;
    }
    b.half_least[c] = least / 2;
    b.half_size = fmax(b.half_size, most / 2 - least / 2);
  }
  return b;
}

static uint64_t curve_key(const box *b, msd_vec3 at) {
  const double position[3] = {(double)at.x, (double)at.y, (double)at.z};
  uint64_t key = 0;
  for (int c = 0; c < 3 && b->half_size > 0; c++) {
    const double place = (position[c] / 2 - b->half_least[c]) / b->half_size * ((1 << CURVE_BITS) - 1);
    key |= spread((uint64_t)place) << c;
  }
  return key;
}

/* Most springs first, which the key says upside down; the order along the curve otherwise. */
static void sort_window(sort_item *items, int32_t count, const int32_t *springs) {
  for (int32_t n = 1; n < count; n++) {
    const sort_item moving = items[n];
    int32_t to = n;
    for (; to > 0 && springs[items[to - 1].index] < springs[moving.index]; to--)
      items[to] = items[to - 1];
    items[to] = moving;
  }
}

bool order_along_curve(const particle_store *p, const spring_store *s, memory *m, int32_t *slot) {
  sort_item *items = memory_allocate(m, (size_t)p->count * sizeof *items);
  sort_item *spare = memory_allocate(m, (size_t)p->count * sizeof *spare);
  int32_t *springs = memory_allocate(m, (size_t)p->count * sizeof *springs);
  const bool done = items && spare && springs;
  if (done) {
    for (int32_t e = 0; e < s->count; e++) {
      springs[s->a[e]]++;
      springs[s->b[e]]++;
    }
    const box b = bounding_cube(p);
    for (int32_t i = 0; i < p->count; i++)
      items[i] = (sort_item){curve_key(&b, particle_vector(p, POSITION_X, i)), i};
    sort_item *sorted = sort_by_key(items, spare, p->count);
    for (int32_t first = 0; first < p->count; first += WINDOW)
      sort_window(sorted + first, p->count - first < WINDOW ? p->count - first : WINDOW, springs);
    for (int32_t n = 0; n < p->count; n++)
      slot[sorted[n].index] = n;
  }
  memory_release(m, items);
  memory_release(m, spare);
  memory_release(m, springs);
  return done;
}

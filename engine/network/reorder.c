#include "engine/network/reorder.h"

#include "engine/base/min_max.h"
#include "engine/base/sort.h"
#include "engine/network/network.h"

#include <math.h>
#include <string.h>

/* A key has STRIP_BITS and twice CELL_BITS. */
enum { STRIP_BITS = 24, CELL_BITS = 16, WINDOW = 256, DEGREES = 64, SAMPLE = 20000 };

/* Moves bit k of a number below 2^16 to bit 2k. */
static uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 8) & 0x00ff00ffu;
  bits = (bits | bits << 4) & 0x0f0f0f0fu;
  bits = (bits | bits << 2) & 0x33333333u;
  return (bits | bits << 1) & 0x55555555u;
}

/* Lengths are halved, because the difference of the lowest and highest number would be infinite. */
typedef struct box {
  double half_least[3], half_size[3];
  /* The axis of its largest size. */
  int longest;
} box;

static box bounding_box(const particle_store *p) {
  box b = {.longest = 0};
  for (int c = 0; c < 3; c++) {
    double most = -HUGE_VAL, least = HUGE_VAL;
    const msd_real *x = particle_state(p) + (size_t)c * p->stride;
    for (int32_t i = 0; i < p->count; i++) {
      const double at = (double)x[i];
      least = at < least ? at : least;
      most = at > most ? at : most;
    }
    b.half_least[c] = least / 2;
    b.half_size[c] = most / 2 - least / 2;
    if (b.half_size[c] > b.half_size[b.longest])
      b.longest = c;
  }
  return b;
}

/* Half the mean length of the springs between free particles, from a sample if there are many. Springs to
   pins may be tethers, which need not be near. 0 without springs. */
static double half_length(const particle_store *p, const spring_store *s) {
  double mean = 0;
  int32_t count = 0;
  for (int64_t e = 0; e < s->count; e += 1 + s->count / SAMPLE) {
    const int32_t a = s->a[e], b = s->b[e];
    if (spring_is_broken(s, (int32_t)e) || p->inverse_mass[a] == 0 || p->inverse_mass[b] == 0)
      continue;
    const msd_vec3 from = particle_vector(p, POSITION_X, a), to = particle_vector(p, POSITION_X, b);
    const double dx = (double)from.x / 2 - (double)to.x / 2, dy = (double)from.y / 2 - (double)to.y / 2,
                 dz = (double)from.z / 2 - (double)to.z / 2;
    mean += (sqrt(dx * dx + dy * dy + dz * dz) - mean) / ++count;
  }
  return mean;
}

/* The cell index, 0 to `most`, of a coordinate within the bounding box. */
static uint64_t cell(const box *b, int axis, double place, double most) {
  const double share = b->half_size[axis] > 0 ? (place / 2 - b->half_least[axis]) / b->half_size[axis] : 0;
  return (uint64_t)(share * most);
}

static uint64_t key_of(const box *b, double strips, msd_vec3 at) {
  const double place[3] = {(double)at.x, (double)at.y, (double)at.z};
  const int x = b->longest, y = (x + 1) % 3, z = (x + 2) % 3;
  /* Cells are cubes. */
  const double finest = (1 << CELL_BITS) - 1, side = b->half_size[x] > 0 ? b->half_size[x] : 1;
  return cell(b, x, place[x], strips) << 2 * CELL_BITS |
         spread(cell(b, y, place[y], finest * (b->half_size[y] / side))) |
         spread(cell(b, z, place[z], finest * (b->half_size[z] / side))) << 1;
}

/* Most springs first, then in strip order. Counts of DEGREES - 1 and more are equal. */
static void sort_window(sort_item *items, int32_t count, const int32_t *springs) {
  int32_t place[DEGREES] = {0}; /* counts, then the next position for each; most springs first */
  uint8_t fewer[WINDOW];
  for (int32_t n = 0; n < count; n++) {
    const int32_t degree = springs[items[n].index];
    fewer[n] = (uint8_t)(DEGREES - 1 - (degree < DEGREES ? degree : DEGREES - 1));
    place[fewer[n]]++;
  }
  for (int32_t d = 0, before = 0; d < DEGREES; d++) {
    const int32_t here = place[d];
    place[d] = before;
    before += here;
  }
  sort_item sorted[WINDOW];
  for (int32_t n = 0; n < count; n++)
    sorted[place[fewer[n]]++] = items[n];
  memcpy(items, sorted, (size_t)count * sizeof *items);
}

void order_count_springs(const particle_store *p, const spring_store *s, bool with_hard_limits,
                         int32_t *springs) {
  memset(springs, 0, (size_t)p->count * sizeof *springs);
  for (int32_t e = 0; e < s->count; e++) {
    if (!with_hard_limits && spring_is_hard_limit(s, e))
      continue;
    springs[s->a[e]]++;
    springs[s->b[e]]++;
  }
}

void order_add_groups(order_worth *worth, const int32_t *springs, int32_t count) {
  for (int32_t first = 0; first < count; first += NETWORK_GROUP) {
    int32_t most = 0;
    for (int32_t i = first; i < first + NETWORK_GROUP && i < count; i++) {
      worth->ends += springs[i];
      most = int_max(most, springs[i]);
    }
    worth->lanes += (int64_t)NETWORK_GROUP * most;
  }
}

void order_add_reach(order_worth *worth, const spring_store *s, msd_range springs) {
  for (int32_t e = springs.first; e < springs.first + springs.count; e++)
    if (!spring_is_hard_limit(s, e))
      worth->reach = int_max(worth->reach, int_max(s->a[e], s->b[e]) - int_min(s->a[e], s->b[e]));
}

/* A reach up to this is near for any number of particles. */
enum { NEAR_REACH = 512 };

/* Exact integers in double, rounded identically everywhere. */
static bool is_near(int32_t reach, int32_t count) {
  const double beyond = (double)reach - NEAR_REACH, all = count;
  return reach <= count / 4 && (beyond <= 0 || 8 * beyond * beyond * beyond <= 27 * all * all);
}

bool order_serves(const order_worth *worth, int32_t count) {
  return is_near(worth->reach, count) && worth->lanes - worth->ends <= worth->lanes / 9;
}

bool order_in_strips(const particle_store *p, const spring_store *s, memory *m, int32_t *slot) {
  sort_item *items = memory_allocate(m, (size_t)p->count * sizeof *items);
  sort_item *spare = memory_allocate(m, (size_t)p->count * sizeof *spare);
  int32_t *springs = memory_allocate(m, (size_t)p->count * sizeof *springs);
  const bool done = items && spare && springs;
  if (done) {
    order_count_springs(p, s, true, springs);
    const box b = bounding_box(p);
    const double width = half_length(p, s), most = (1 << STRIP_BITS) - 1;
    const double strips = fmin(width > 0 ? b.half_size[b.longest] / width : 0, most);
    for (int32_t i = 0; i < p->count; i++)
      items[i] = (sort_item){key_of(&b, strips, particle_vector(p, POSITION_X, i)), i};
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

#include "engine/kernel/tether_projection.h"

#include "engine/base/lane.h"

/* ------------------------------------------------------------------------------------------------- layout */

/* The free end of a spring that is an exact tether to a pin; -1 otherwise. */
static int32_t held_end(const spring_store *s, const particle_store *p, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const bool moves_a = p->inverse_mass[a] > 0, moves_b = p->inverse_mass[b] > 0;
  if (spring_side(s, spring) != MSD_SPRING_TENSION_ONLY || law_hard_limit_share(spring_law(s, spring)) < 1 ||
      moves_a == moves_b)
    return -1;
  return moves_a ? a : b;
}

/* Counts the tethers of each particle, and stores the lanes of the first two. */
static void count_tethers(const hard_limit_list *c, const spring_store *s, const particle_store *p,
                          tether_projection *balls, int32_t *count) {
  for (int32_t n = 0; n < c->count; n++) {
    const int32_t end = held_end(s, p, c->springs[n]);
    if (end < 0)
      continue;
    const size_t slot = particle_slot(p, end);
    const int32_t *lanes = c->lanes + 2 * (size_t)n;
    if (count[slot] < 2)
      balls[slot].lane[count[slot]] = lanes[0] >= 0 ? lanes[0] : lanes[1];
    count[slot]++;
  }
}

bool tether_projections_make(tether_projections *t, memory *m, const hard_limit_list *c,
                             const spring_store *s, const particle_store *p) {
  tether_projections_free(t, m);
  t->items = memory_allocate(m, (size_t)p->count * sizeof *t->items);
  int32_t *count = memory_allocate(m, (size_t)p->count * sizeof *count);
  const bool done = t->items && count;
  if (done) {
    for (int32_t slot = 0; slot < p->count; slot++)
      t->items[slot] = (tether_projection){slot, {-1, -1}};
    count_tethers(c, s, p, t->items, count);
    for (int32_t slot = 0; slot < p->count; slot++)
      if (count[slot] == 1 || count[slot] == 2)
        t->items[t->count++] = t->items[slot];
  }
  memory_release(m, count);
  if (!done)
    tether_projections_free(t, m);
  return done;
}

void tether_projections_free(tether_projections *t, memory *m) {
  memory_release(m, t->items);
  *t = (tether_projections){.items = NULL};
}

/* ------------------------------------------------------------------------------------------ nearest point */

typedef struct ball {
  msd_real center[3], radius;
} ball;

static msd_real square_between(const msd_real a[3], const msd_real b[3]) {
  const msd_real d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static bool has_place(const ball *b, const msd_real y[3]) {
  return !(square_between(y, b->center) > b->radius * b->radius);
}

static void project_on_ball(const ball *b, const msd_real y[3], msd_real to[3]) {
  const msd_real shrink = b->radius / lane_sqrt(square_between(y, b->center));
  for (int c = 0; c < 3; c++)
    to[c] = b->center[c] + (y[c] - b->center[c]) * shrink;
}

/* The component of y - first.center orthogonal to the axis between two centers, or an arbitrary orthogonal
   vector if that is 0. Returns its squared length. */
static msd_real find_across(const msd_real axis[3], const msd_real from[3], msd_real across[3]) {
  msd_real along = 0, square = 0;
  for (int c = 0; c < 3; c++)
    along += axis[c] * from[c];
  for (int c = 0; c < 3; c++) {
    across[c] = from[c] - along * axis[c];
    square += across[c] * across[c];
  }
  if (square > 0)
    return square;
  int least = 0;
  for (int c = 1; c < 3; c++)
    least = axis[c] * axis[c] < axis[least] * axis[least] ? c : least;
  for (int c = 0; c < 3; c++) {
    across[c] = (c == least ? 1 : 0) - axis[least] * axis[c];
    square += across[c] * across[c];
  }
  return square;
}

/* The nearest point on the circle of both spheres; on the axis between them if they do not intersect. */
static void project_on_circle(const ball *one, const ball *other, const msd_real y[3], msd_real to[3]) {
  const msd_real apart = lane_sqrt(square_between(other->center, one->center));
  const msd_real r0 = one->radius, r1 = other->radius;
  msd_real axis[3], from[3], across[3];
  for (int c = 0; c < 3; c++) {
    axis[c] = (other->center[c] - one->center[c]) / apart;
    from[c] = y[c] - one->center[c];
  }
  const msd_real along = (apart + (r0 - r1) * ((r0 + r1) / apart)) / 2;
  const msd_real height = (r0 - along) * (r0 + along), square = find_across(axis, from, across);
  const msd_real scale = height > 0 ? lane_sqrt(height / square) : 0;
  for (int c = 0; c < 3; c++)
    to[c] = one->center[c] + along * axis[c] + scale * across[c];
}

/* Returns false if y is in all balls already. */
static bool project(const ball *balls, int count, const msd_real y[3], msd_real to[3]) {
  bool inside = true;
  for (int n = 0; n < count; n++)
    inside = inside && has_place(&balls[n], y);
  if (inside)
    return false;
  for (int n = 0; n < count; n++) {
    if (has_place(&balls[n], y))
      continue;
    project_on_ball(&balls[n], y, to);
    if (count == 1 || has_place(&balls[1 - n], to))
      return true;
  }
  project_on_circle(&balls[0], &balls[1], y, to);
  return true;
}

static void predict(const tether_state *s, size_t slot, msd_real y[3]) {
  for (size_t c = 0; c < 3; c++)
    y[c] = s->position[c * s->stride + slot] + s->dt * s->velocity[c * s->stride + slot];
}

static void hold(const tether_projection *t, const hard_limit_list *c, const tether_state *s) {
  ball balls[2];
  int count = 0;
  for (int n = 0; n < 2; n++)
    if (t->lane[n] >= 0 && isfinite(c->rest[t->lane[n]])) {
      predict(s, (size_t)c->partner[t->lane[n]], balls[count].center);
      balls[count++].radius = c->rest[t->lane[n]];
    }
  msd_real y[3], to[3];
  predict(s, (size_t)t->slot, y);
  if (count == 0 || !project(balls, count, y, to))
    return;
  for (size_t k = 0; k < 3; k++)
    s->velocity[k * s->stride + (size_t)t->slot] += (to[k] - y[k]) / s->dt;
}

/* The first item whose slot is not below `slot`. */
static int32_t place_of(const tether_projections *t, size_t slot) {
  int32_t low = 0, high = t->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if ((size_t)t->items[middle].slot < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void tether_projections_hold(const tether_projections *t, const hard_limit_list *c, const tether_state *state,
                             size_t first, size_t last) {
  for (int32_t n = place_of(t, first); n < t->count && (size_t)t->items[n].slot < last; n++)
    hold(&t->items[n], c, state);
}

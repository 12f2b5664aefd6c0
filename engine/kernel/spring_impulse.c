#include "engine/kernel/spring_impulse.h"

#include "engine/kernel/spring_force.h"

#include <math.h>

#ifdef MSD_DOUBLE
#define square_root sqrt
#else
#define square_root sqrtf
#endif

/* ------------------------------------------------------------------------------------------------ colours */

static int lowest_bit(uint64_t bits) {
  int bit = 0;
  while (bit < IMPULSE_COLORS && !(bits >> bit & 1))
    bit++;
  return bit;
}

/* The colour of each spring, IMPULSE_COLORS where none was free, into color; used[i] are the colours at i. */
static void choose_colors(const network_source *source, uint64_t *used, uint8_t *color) {
  for (int32_t s = 0; s < source->spring_count; s++) {
    int32_t a = source->a[s], b = source->b[s];
    if (network_is_held(source, s))
      a = b = network_free_end(source, s);
    const uint64_t free = ~(used[a] | used[b]);
    color[s] = (uint8_t)lowest_bit(free);
    if (color[s] == IMPULSE_COLORS)
      continue;
    used[a] |= (uint64_t)1 << color[s];
    used[b] |= (uint64_t)1 << color[s];
  }
}

static void sort_by_color(impulse_plan *plan, const network *net, const network_source *source,
                          const uint8_t *color) {
  const int32_t *a = source->a, *b = source->b, *slot = source->slot;
  int32_t next[IMPULSE_COLORS + 1] = {0};
  for (int32_t s = 0; s < plan->count; s++)
    next[color[s]]++;
  for (int c = 0, begin = 0; c <= IMPULSE_COLORS; c++) {
    const int32_t springs = next[c];
    plan->first[c] = next[c] = begin;
    begin += springs;
  }
  plan->first[IMPULSE_COLORS + 1] = plan->count;
  for (int32_t s = 0; s < plan->count; s++)
    plan->springs[next[color[s]]++] = (impulse_spring){.a = slot ? slot[a[s]] : a[s],
                                                       .b = slot ? slot[b[s]] : b[s],
                                                       .lane = network_place_of(net, source, s).a,
                                                       .index = s};
}

bool impulse_plan_make(impulse_plan *plan, memory *m, const network *net, const network_source *source) {
  impulse_plan_free(plan, m);
  const int32_t count = net->spring_count;
  uint64_t *used = memory_allocate(m, (size_t)net->group_count * NETWORK_GROUP * sizeof *used);
  uint8_t *color = memory_allocate(m, (size_t)count);
  plan->springs = memory_allocate(m, (size_t)count * sizeof *plan->springs);
  plan->count = count;
  const bool done = used && color && plan->springs;
  if (done) {
    choose_colors(source, used, color);
    sort_by_color(plan, net, source, color);
  }
  memory_release(m, used);
  memory_release(m, color);
  if (!done)
    impulse_plan_free(plan, m);
  return done;
}

void impulse_plan_tune(impulse_plan *plan, const network *net, const network_source *source) {
  for (impulse_spring *s = plan->springs; s < plan->springs + plan->count; s++) {
    const network_place place = network_place_of(net, source, s->index);
    const network_material tuning = network_tuning_at(net, network_material_of(net, place.part), place.a);
    const bool moves = net->inverse_mass[s->a] > 0 || net->inverse_mass[s->b] > 0;
    s->stiffness = moves ? tuning.stiffness : 0;
    s->damping = moves ? tuning.damping : 0;
  }
  plan->is_tuned = true;
}

void impulse_plan_free(impulse_plan *plan, memory *m) {
  memory_release(m, plan->springs);
  *plan = (impulse_plan){0};
}

/* ------------------------------------------------------------------------------------------------ impulses */

/* A spring as it is at the beginning of the substep. */
typedef struct geometry {
  msd_real u[3];  /* from b to a */
  msd_real error; /* m: length - rest */
  msd_real side;  /* network_side of the spring */
  bool acts;      /* it is not broken, has a direction, and its side lets it */
} geometry;

static geometry geometry_of(const impulse_part *p, const impulse_spring *s) {
  const msd_real rest = p->net->rest[s->lane];
  geometry g = {.acts = rest >= 0};
  if (!g.acts)
    return g;
  msd_real square = 0;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = p->position + c * p->stride;
    g.u[c] = x[s->a] - x[s->b];
    square += g.u[c] * g.u[c];
  }
  g.acts = square != 0;
  const msd_real length = square_root(square + (msd_real)STEP_TINY), inverse = 1 / length;
  for (int c = 0; c < 3; c++)
    g.u[c] *= inverse;
  g.error = length - rest;
  g.side = p->side ? network_side(p->side[s->index]) : 0;
  g.acts = g.acts && !(g.side != 0 && g.side * g.error <= 0);
  return g;
}

static void give(const impulse_part *p, const impulse_spring *s, const msd_real u[3], msd_real impulse) {
  const msd_real wa = p->net->inverse_mass[s->a], wb = p->net->inverse_mass[s->b];
  for (size_t c = 0; c < 3; c++) {
    msd_real *v = p->velocity + c * p->stride;
    if (wa > 0)
      v[s->a] += wa * impulse * u[c];
    if (wb > 0)
      v[s->b] -= wb * impulse * u[c];
  }
}

/* What the springs gave in the substep before. */
static void begin_warm(const impulse_part *p, const impulse_spring *s) {
  const geometry g = geometry_of(p, s);
  const msd_real impulse = g.acts ? p->begin[s->index] : 0;
  p->given[s->index] = impulse;
  if (g.acts)
    give(p, s, g.u, impulse);
}

/* An impulse that is to follow `so_far`, as far as the side lets the two go: L of a tether is 0 or below. */
static msd_real cut_to_side(msd_real side, msd_real so_far, msd_real change) {
  return side * (so_far + change) > 0 ? -so_far : change;
}

/* dJ = -dt (k C + mu C') + (Cd - 1) L */
static void correct(const impulse_part *p, const impulse_spring *s, bool is_first) {
  const network *net = p->net;
  const geometry g = geometry_of(p, s);
  if (!g.acts) {
    if (p->given)
      p->given[s->index] = 0;
    return;
  }
  msd_real rate = 0;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *v = p->velocity + c * p->stride;
    rate += (v[s->a] - v[s->b]) * g.u[c];
  }
  const msd_real k = s->stiffness, mu = s->damping;
  msd_real change = -p->time_step * (k * g.error + mu * rate);
  if (p->given) {
    const msd_real so_far = is_first ? 0 : p->given[s->index];
    const msd_real cd = p->time_step * mu * (net->inverse_mass[s->a] + net->inverse_mass[s->b]);
    change = cut_to_side(g.side, so_far, change + (cd - 1) * so_far);
    p->given[s->index] = so_far + change;
  } else {
    change = cut_to_side(g.side, 0, change);
  }
  give(p, s, g.u, change);
}

/* All springs once: colour by colour, shared out among the threads, then the springs of hubs by one thread. */
static void pass(const impulse_part *p, bool warm, bool is_first) {
  const impulse_plan *plan = p->plan;
  for (int color = 0; color <= IMPULSE_COLORS; color++) {
    const bool is_shared = color < IMPULSE_COLORS;
    const int32_t first = plan->first[color], count = plan->first[color + 1] - first;
    if (count == 0)
      continue;
    parallel_range range = {0, p->thread == 0 ? count : 0};
    if (is_shared)
      range = parallel_split(count, p->thread, p->threads);
    for (int32_t n = range.first; n < range.last; n++) {
      if (warm)
        begin_warm(p, &plan->springs[first + n]);
      else
        correct(p, &plan->springs[first + n], is_first);
    }
    parallel_wait(p->barrier, p->threads);
  }
}

void impulse_solve(const impulse_part *p) {
  if (p->begin) {
    pass(p, true, false);
    if (p->constraints)
      constraint_impulses_pass(p->constraints, CONSTRAINT_IMPULSE_WARM, true);
  }
  for (int n = 0; n < p->iterations; n++) {
    const bool is_first = n == 0 && !p->begin;
    pass(p, false, is_first);
    if (p->constraints)
      constraint_impulses_pass(p->constraints, is_first ? CONSTRAINT_IMPULSE_FIRST : CONSTRAINT_IMPULSE_NEXT,
                               is_first);
  }
}

#include "engine/kernel/spring_impulse.h"

#include "engine/base/lane.h"
#include "engine/kernel/spring_force.h"
#include "engine/kernel/warm_start.h"

/* ------------------------------------------------------------------------------------------------- layout */

/* The ends of a spring that count for coloring. A one-sided spring at a pin has only its free end, and a
   spring that is not laid out has none. */
static int ends_of(const void *context, int32_t spring, int32_t *ends) {
  const network_source *source = context;
  if (network_leaves_out(source, spring))
    return 0;
  const bool held = network_is_held(source, spring);
  ends[0] = held ? network_free_end(source, spring) : source->a[spring];
  ends[1] = source->b[spring];
  return held ? 1 : 2;
}

bool spring_impulses_make(spring_impulses *all, memory *m, const network *net, const network_source *source) {
  spring_impulses_free(all, m);
  const int32_t count = net->spring_count, *slot = source->slot;
  int32_t *order = coloring_make(&all->colors, m, count, source->particle_count, ends_of, source);
  all->items = memory_allocate(m, (size_t)count * sizeof *all->items);
  const bool done = order && all->items;
  for (int32_t n = 0; done && n < count; n++) {
    const int32_t s = order[n], a = source->a[s], b = source->b[s];
    if (network_leaves_out(source, s)) /* these are among the items without a color, at the end */
      continue;
    all->items[all->count++] = (spring_impulse){.a = slot ? slot[a] : a,
                                                .b = slot ? slot[b] : b,
                                                .lane = network_place_of(net, source, s).a,
                                                .index = s};
  }
  all->colors.first[COLORING_COLORS + 1] = all->count;
  memory_release(m, order);
  if (!done)
    spring_impulses_free(all, m);
  return done;
}

void spring_impulses_tune(spring_impulses *all, const network *net, const network_source *source) {
  for (spring_impulse *s = all->items; s < all->items + all->count; s++) {
    const network_place place = network_place_of(net, source, s->index);
    const coefficient_class tuning = network_tuning_at(net, network_material_of(net, place.part), place.a);
    const bool moves = net->inverse_mass[s->a] > 0 || net->inverse_mass[s->b] > 0;
    s->stiffness = moves ? tuning.stiffness : 0;
    s->damping = moves ? tuning.damping : 0;
  }
}

void spring_impulses_free(spring_impulses *all, memory *m) {
  memory_release(m, all->items);
  *all = (spring_impulses){0};
}

/* ----------------------------------------------------------------------------------------------- impulses */

/* A spring at the beginning of the substep. */
typedef struct geometry {
  /* The unit vector from b to a. */
  msd_real u[3];
  /* m: length - rest. */
  msd_real error;
  /* The network_side of the spring. */
  msd_real side;
  /* False if it is broken, has no direction, or is slack. */
  bool acts;
} geometry;

static geometry geometry_of(const spring_impulse_thread *p, const spring_impulse *s) {
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
  const msd_real length = lane_sqrt(square + (msd_real)SPRING_TINY), inverse = 1 / length;
  for (int c = 0; c < 3; c++)
    g.u[c] *= inverse;
  g.error = length - rest;
  g.side = p->side ? network_side(p->side[s->index]) : 0;
  g.acts = g.acts && !(g.side != 0 && g.side * g.error <= 0);
  return g;
}

static void give(const spring_impulse_thread *p, const spring_impulse *s, const msd_real u[3],
                 msd_real impulse) {
  const msd_real wa = p->net->inverse_mass[s->a], wb = p->net->inverse_mass[s->b];
  for (size_t c = 0; c < 3; c++) {
    msd_real *v = p->velocity + c * p->stride;
    if (wa > 0)
      v[s->a] += wa * impulse * u[c];
    if (wb > 0)
      v[s->b] -= wb * impulse * u[c];
  }
}

/* Applies the impulse of the previous substep again. */
static void begin_warm(const spring_impulse_thread *p, const spring_impulse *s) {
  const geometry g = geometry_of(p, s);
  const msd_real impulse = g.acts ? p->begin[s->index] : 0;
  p->given[s->index] = impulse;
  if (g.acts)
    give(p, s, g.u, impulse);
}

/* Limits `change` so that the total impulse keeps the sign that the mode allows: L of a tension-only spring
   is at most 0. */
static msd_real cut_to_side(msd_real side, msd_real so_far, msd_real change) {
  return side * (so_far + change) > 0 ? -so_far : change;
}

/* dJ = -dt (k C + mu C') + (Cd - 1) L */
static void correct(const spring_impulse_thread *p, const spring_impulse *s, bool is_first) {
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
  msd_real change = -p->dt * (k * g.error + mu * rate);
  if (p->given) {
    const msd_real so_far = is_first ? 0 : p->given[s->index];
    const msd_real cd = p->dt * mu * (net->inverse_mass[s->a] + net->inverse_mass[s->b]);
    change = cut_to_side(g.side, so_far, change + (cd - 1) * so_far);
    p->given[s->index] = (msd_real)given_impulse((double)(so_far + change));
  } else {
    change = cut_to_side(g.side, 0, change);
  }
  give(p, s, g.u, change);
}

/* The arguments of a pass on one thread. */
typedef struct turn {
  const spring_impulse_thread *thread;
  impulse_pass pass;
} turn;

static void act_on_range(const void *context, parallel_range range) {
  const turn *t = context;
  for (int32_t n = range.first; n < range.last; n++) {
    const spring_impulse *s = &t->thread->springs->items[n];
    if (t->pass == IMPULSE_WARM)
      begin_warm(t->thread, s);
    else
      correct(t->thread, s, t->pass == IMPULSE_FIRST);
  }
}

/* Processes all springs once, then all constraints. */
static void run_pass(const spring_impulse_thread *p, impulse_pass pass, bool begins) {
  const turn t = {p, pass};
  coloring_run(&p->springs->colors, act_on_range, &t, p->barrier, p->thread, p->threads);
  if (p->constraints)
    constraint_impulses_pass(p->constraints, pass, begins);
}

void spring_impulses_solve(const spring_impulse_thread *p) {
  if (p->begin)
    run_pass(p, IMPULSE_WARM, true);
  for (int n = 0; n < p->iterations; n++) {
    const bool is_first = n == 0 && !p->begin;
    run_pass(p, is_first ? IMPULSE_FIRST : IMPULSE_NEXT, is_first);
  }
}

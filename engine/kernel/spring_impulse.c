#include "engine/kernel/spring_impulse.h"

#include "engine/kernel/spring_force.h"

#include <math.h>

#ifdef MSD_DOUBLE
#define square_root sqrt
#else
#define square_root sqrtf
#endif

/* -------------------------------------------------------------------------------------------------- layout */

/* The ends of a spring, or the one that may move when its pin holds it on one side only. */
static int ends_of(const void *context, int32_t spring, int32_t *ends) {
  const network_source *source = context;
  const bool held = network_is_held(source, spring);
  ends[0] = held ? network_free_end(source, spring) : source->a[spring];
  ends[1] = source->b[spring];
  return held ? 1 : 2;
}

bool impulse_plan_make(impulse_plan *plan, memory *m, const network *net, const network_source *source) {
  impulse_plan_free(plan, m);
  const int32_t count = net->spring_count, *slot = source->slot;
  int32_t *order = coloring_make(&plan->colors, m, count, source->particle_count, ends_of, source);
  plan->springs = memory_allocate(m, (size_t)count * sizeof *plan->springs);
  plan->count = count;
  const bool done = order && plan->springs;
  for (int32_t n = 0; done && n < count; n++) {
    const int32_t s = order[n], a = source->a[s], b = source->b[s];
    plan->springs[n] = (impulse_spring){.a = slot ? slot[a] : a,
                                        .b = slot ? slot[b] : b,
                                        .lane = network_place_of(net, source, s).a,
                                        .index = s};
  }
  memory_release(m, order);
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

/* A pass of one thread. */
typedef struct turn {
  const impulse_part *part;
  constraint_impulse_pass pass;
} turn;

static void act_on_range(const void *context, parallel_range range) {
  const turn *t = context;
  for (int32_t n = range.first; n < range.last; n++) {
    const impulse_spring *s = &t->part->plan->springs[n];
    if (t->pass == CONSTRAINT_IMPULSE_WARM)
      begin_warm(t->part, s);
    else
      correct(t->part, s, t->pass == CONSTRAINT_IMPULSE_FIRST);
  }
}

/* All springs once, then all constraints. */
static void run_pass(const impulse_part *p, constraint_impulse_pass pass, bool begins) {
  const turn t = {p, pass};
  coloring_run(&p->plan->colors, act_on_range, &t, p->barrier, p->thread, p->threads);
  if (p->constraints)
    constraint_impulses_pass(p->constraints, pass, begins);
}

void impulse_solve(const impulse_part *p) {
  if (p->begin)
    run_pass(p, CONSTRAINT_IMPULSE_WARM, true);
  for (int n = 0; n < p->iterations; n++) {
    const bool is_first = n == 0 && !p->begin;
    run_pass(p, is_first ? CONSTRAINT_IMPULSE_FIRST : CONSTRAINT_IMPULSE_NEXT, is_first);
  }
}

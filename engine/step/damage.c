#include "engine/step/damage.h"

#include "engine/base/counting_sort.h"
#include "engine/base/min_max.h"
#include "engine/base/portable_math.h"
#include "engine/step/fracture.h"
#include "engine/step/stepper.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- the unloading wave */

static double delay_of(const world_model *model, int32_t spring, double dt) {
  const spring_store *s = &model->springs;
  const particle_store *p = &model->particles;
  const law_terms terms = spring_effective_mass(s, p, spring);
  const double stiffness = law_present(&terms, model->tuned_step, model->clamp_stiffness).stiffness;
  const double inverse = (double)p->inverse_mass[s->a[spring]] + (double)p->inverse_mass[s->b[spring]];
  const double delay = inverse > 0 && stiffness > 0 ? sqrt(2 / (inverse * stiffness)) : INFINITY;
  return fmax(delay, dt);
}

static void free_unloading(unloading *u, memory *m) {
  memory_release(m, u->first);
  memory_release(m, u->item);
  memory_release(m, u->delay);
  memory_release(m, u->arrival);
  memory_release(m, u->reached);
  memory_release(m, u->queue);
  memory_release(m, u->is_queued);
  memory_release(m, u->has_torn);
  *u = (unloading){0};
}

/* Before each frame. Returns false, and leaves nothing allocated, if memory runs out. */
static bool reserve_unloading(unloading *u, memory *m, int32_t particles, int32_t springs) {
  u->is_open = false;
  if (particles <= u->particles && springs <= u->springs)
    return true;
  free_unloading(u, m);
  u->first = memory_allocate_items(m, (int64_t)particles + 2, sizeof *u->first);
  u->item = memory_allocate_items(m, 2 * (int64_t)springs, sizeof *u->item);
  u->delay = memory_allocate_items(m, springs, sizeof *u->delay);
  u->arrival = memory_allocate_items(m, particles, sizeof *u->arrival);
  u->reached = memory_allocate_items(m, particles, sizeof *u->reached);
  u->queue = memory_allocate_items(m, particles, sizeof *u->queue);
  u->is_queued = memory_allocate_items(m, particles, sizeof *u->is_queued);
  u->has_torn = memory_allocate_items(m, particles, sizeof *u->has_torn);
  u->particles = particles;
  u->springs = springs;
  if (u->first && u->item && u->delay && u->arrival && u->reached && u->queue && u->is_queued && u->has_torn)
    return true;
  free_unloading(u, m);
  return false;
}

/* Builds the incidence lists and the delays of the unloading wave at the first tear of a frame. The springs
   have the coefficients of the substep `dt` in s. */
static void open_unloading(unloading *u, const world_model *model, double dt) {
  const spring_store *s = &model->springs;
  const int32_t particles = model->particles.count;
  if (u->is_open)
    return;
  u->is_open = true;
  u->reached_count = 0;
  memset(u->first, 0, ((size_t)particles + 2) * sizeof *u->first);
  memset(u->has_torn, 0, (size_t)particles * sizeof *u->has_torn);
  for (int32_t e = 0; e < s->count; e++) {
    counting_sort_count(u->first, s->a[e]);
    counting_sort_count(u->first, s->b[e]);
    u->delay[e] = delay_of(model, e, dt);
  }
  counting_sort_begin(u->first, particles);
  for (int32_t e = 0; e < s->count; e++) {
    counting_sort_put(u->first, u->item, s->a[e], e);
    counting_sort_put(u->first, u->item, s->b[e], e);
  }
  for (int32_t i = 0; i < particles; i++)
    u->arrival[i] = INFINITY;
}

static bool moves(const world_model *model, int32_t particle) {
  return model->particles.inverse_mass[particle] > 0;
}

/* Index of the first entry of the circular queue, and number of entries. */
typedef struct queue_ends {
  int32_t first, count;
} queue_ends;

static void reach(unloading *u, const world_model *model, queue_ends *q, int32_t particle, double arrival) {
  if (!(arrival < u->arrival[particle]))
    return;
  if (u->arrival[particle] == INFINITY)
    u->reached[u->reached_count++] = particle;
  u->arrival[particle] = arrival;
  if (u->is_queued[particle] || !moves(model, particle))
    return;
  const int64_t at = (int64_t)q->first + q->count++;
  u->queue[at % model->particles.count] = particle;
  u->is_queued[particle] = true;
}

/* Computes the arrival time of the unloading wave of a torn spring at each particle connected to it. This is
   the shortest path over the delays, found by label correction, so the order of the queue does not affect
   it. */
static void run_unloading(unloading *u, const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  queue_ends q = {0, 0};
  for (int32_t n = 0; n < u->reached_count; n++)
    u->arrival[u->reached[n]] = INFINITY;
  u->reached_count = 0;
  u->has_torn[s->a[spring]] = u->has_torn[s->b[spring]] = true;
  reach(u, model, &q, s->a[spring], 0);
  reach(u, model, &q, s->b[spring], 0);
  while (q.count > 0) {
    const int32_t i = u->queue[q.first];
    q.first = (q.first + 1) % model->particles.count;
    q.count--;
    u->is_queued[i] = false;
    for (int32_t n = u->first[i]; n < u->first[i + 1]; n++) {
      const int32_t e = u->item[n];
      if (!spring_is_broken(s, e) && u->delay[e] < INFINITY)
        reach(u, model, &q, s->a[e] == i ? s->b[e] : s->a[e], u->arrival[i] + u->delay[e]);
    }
  }
}

static void forget_tears(unloading *u, int32_t particles) {
  memset(u->has_torn, 0, (size_t)particles * sizeof *u->has_torn);
}

/* True if a spring shares an unpinned particle with a spring that has torn since forget_tears. */
static bool is_beside_a_tear(const unloading *u, const world_model *model, int32_t spring) {
  const int32_t a = model->springs.a[spring], b = model->springs.b[spring];
  return (u->has_torn[a] && moves(model, a)) || (u->has_torn[b] && moves(model, b));
}

/* Time in s from the tear until the unloading wave has passed a spring; INFINITY: it never does. */
static double unloading_arrival(const unloading *u, const world_model *model, int32_t spring) {
  const int32_t a = model->springs.a[spring], b = model->springs.b[spring];
  const double from_a = moves(model, a) ? u->arrival[a] : INFINITY,
               from_b = moves(model, b) ? u->arrival[b] : INFINITY;
  return fmin(from_a, from_b) + u->delay[spring];
}

/* --------------------------------------------------------------------------------------------------- memory */

static void free_lists(damage_work *w, memory *m) {
  memory_release(m, w->spring);
  memory_release(m, w->ends);
  memory_release(m, w->most);
  memory_release(m, w->half);
  memory_release(m, w->limit);
  memory_release(m, w->square[0]);
  memory_release(m, w->square[1]);
  memory_release(m, w->wait);
  memory_release(m, w->peak);
  memory_release(m, w->due[0]);
  memory_release(m, w->due[1]);
  memory_release(m, w->entry);
}

void damage_work_free(damage_work *w, memory *m) {
  free_unloading(&w->unloading, m);
  free_lists(w, m);
  *w = (damage_work){0};
}

/* --------------------------------------------------------------------------- springs and their companions */

/* Rest length of a companion spring; the product must stay finite. */
static msd_real companion_rest(const spring_companion *b, msd_real rest) {
  const msd_real product = rest * b->ratio;
  return isfinite(product) ? product : rest;
}

static void set_rest(stepper *s, int32_t spring, msd_real rest) {
  spring_store *springs = &s->model->springs;
  springs->rest[spring] = rest;
  stepper_set_rest(s, spring, spring_is_broken(springs, spring) ? -1 : rest);
}

/* Sets one level of companion springs, because companions have no companions of their own. */
void damage_set_rest(stepper *s, int32_t spring, msd_real rest) {
  const spring_store *springs = &s->model->springs;
  set_rest(s, spring, rest);
  for (int32_t n = 0; n < springs->companion_count; n++) {
    const int32_t companion = spring_companion_of(&springs->companions[n], spring);
    if (companion >= 0)
      set_rest(s, companion, companion_rest(&springs->companions[n], rest));
  }
}

/* A break changes the mass share, and so the stiffness, of other springs at its ends whose law is relative to
   the mass. */
static void note_broken(world_model *model, int32_t spring) {
  const bool relaxes = spring_mass_followers(&model->springs) == 0;
  model_note_change(model, change_of_particle(model->springs.a[spring]), relaxes);
  model_note_change(model, change_of_particle(model->springs.b[spring]), relaxes);
}

/* True if an end of the spring is in a penetration. The tear may then remove a penetrating triangle or segment,
   so penetrations must be searched again. */
static bool is_penetrating(const stepper *s, int32_t spring) {
  const spring_store *springs = &s->model->springs;
  return penetrations_contain(&s->penetrations, springs->a[spring]) ||
         penetrations_contain(&s->penetrations, springs->b[spring]);
}

static void break_one(stepper *s, int32_t spring, bool is_torn) {
  spring_store *springs = &s->model->springs;
  if (spring_is_broken(springs, spring))
    return;
  model_wake_spring(s->model, spring);
  if (is_torn) {
    spring_mark_torn(springs, spring);
    s->model->revision.positions += is_penetrating(s, spring);
  } else {
    spring_mark_broken(springs, &s->model->particles, spring);
    note_broken(s->model, spring);
  }
  stepper_set_rest(s, spring, -1);
}

void damage_break(stepper *s, int32_t spring, bool is_torn) {
  const spring_store *springs = &s->model->springs;
  break_one(s, spring, is_torn);
  for (int32_t n = 0; n < springs->companion_count; n++) {
    const int32_t companion = spring_companion_of(&springs->companions[n], spring);
    if (companion >= 0)
      break_one(s, companion, is_torn);
  }
}

/* ----------------------------------------------------------------------------- springs that may be damaged */

/* Hard limits are not subject to damage, nor are sleeping springs. */
static bool may_damage(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  return s->damage[spring].given > 0 && !spring_is_broken(s, spring) && !spring_is_hard_limit(s, spring) &&
         !sleep_has(&model->sleep, s->a[spring]);
}

/* Compression-only springs carry no tension. */
static bool may_tear(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  return damage_rule_tears(&s->damage[spring]) && may_damage(model, spring) &&
         spring_side(s, spring) != MSD_SPRING_COMPRESSION_ONLY;
}

static bool may_yield(const world_model *model, int32_t spring) {
  return model->springs.damage[spring].yield_strain > 0 && may_damage(model, spring);
}

/* Plastic strain is relative to the rest value, so a rest value of 0 excludes it. */
static bool constraint_may_yield(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  return s->damage[constraint].yield_strain > 0 && constraint_damage_unit(s, constraint) > 0 &&
         !constraint_is_broken(s, constraint) &&
         !sleep_has(&model->sleep, constraint_corners_of(s, constraint).particles[0]);
}

/* Returns false, with empty lists, if memory runs out. */
static bool reserve_lists(damage_work *w, memory *m, int32_t tearable, int32_t springs) {
  if (tearable <= w->capacity && springs <= w->entry_capacity)
    return true;
  free_lists(w, m);
  w->spring = memory_allocate_items(m, tearable, sizeof *w->spring);
  w->ends = memory_allocate_items(m, tearable, sizeof *w->ends);
  w->most = memory_allocate_items(m, tearable, sizeof *w->most);
  w->half = memory_allocate_items(m, tearable, sizeof *w->half);
  w->limit = memory_allocate_items(m, tearable, sizeof *w->limit);
  w->wait = memory_allocate_items(m, tearable, sizeof *w->wait);
  w->peak = memory_allocate_items(m, tearable, sizeof *w->peak);
  for (int n = 0; n < 2; n++) {
    w->square[n] = memory_allocate_items(m, tearable, sizeof *w->square[n]);
    w->due[n] = memory_allocate_items(m, tearable, sizeof *w->due[n]);
  }
  w->entry = memory_allocate_items(m, springs, sizeof *w->entry);
  w->capacity = tearable;
  w->entry_capacity = springs;
  if (w->spring && w->ends && w->most && w->half && w->limit && w->wait && w->peak && w->square[0] &&
      w->square[1] && w->due[0] && w->due[1] && w->entry)
    return true;
  free_unloading(&w->unloading, m);
  free_lists(w, m);
  *w = (damage_work){0};
  return false;
}

static void list_tearable(stepper *s) {
  damage_work *w = &s->damage;
  const spring_store *springs = &s->model->springs;
  int32_t count = 0;
  for (int32_t e = 0; e < springs->count; e++) {
    const bool listed = may_tear(s->model, e);
    w->entry[e] = listed ? count : -1;
    if (!listed)
      continue;
    w->spring[count] = e;
    w->wait[count] = (double)springs->damage[e].wait;
    w->peak[count] = 0;
    w->some_wait = w->some_wait || w->wait[count] > 0;
    count++;
  }
}

msd_result damage_begin_step(stepper *s) {
  const spring_store *springs = &s->model->springs;
  const constraint_store *constraints = &s->model->constraints;
  damage_work *w = &s->damage;
  w->tearable = 0;
  w->springs_yield = w->constraints_yield = w->some_wait = w->has_torn = false;
  atomic_store(&w->has_yielded, false);
  for (int32_t e = 0; springs->damage && e < springs->count; e++) {
    w->tearable += may_tear(s->model, e);
    w->springs_yield = w->springs_yield || may_yield(s->model, e);
  }
  for (int32_t c = 0; constraints->damage && c < constraints->count && !w->constraints_yield; c++)
    w->constraints_yield = constraint_may_yield(s->model, c);
  if (w->tearable == 0)
    return MSD_OK;
  if (!reserve_lists(w, &s->model->memory, w->tearable, springs->count) ||
      !reserve_unloading(&w->unloading, &s->model->memory, s->model->particles.count, springs->count))
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the lengths of %d springs",
                       (int)springs->count);
  list_tearable(s);
  return MSD_OK;
}

static double length_of(const world_model *model, int32_t spring) {
  double apart[3];
  return particle_distance(&model->particles, model->springs.a[spring], model->springs.b[spring], apart);
}

/* Length at which a spring tears. The energy is that of the spring itself, without its companions. */
static double tearing_length(const stepper *s, int32_t spring) {
  const spring_store *springs = &s->model->springs;
  if (spring_is_broken(springs, spring))
    return INFINITY;
  const damage_rule *rule = &springs->damage[spring];
  const double by_strain =
      rule->tear_strain > 0 ? (1 + (double)rule->tear_strain) * (double)rule->given : INFINITY;
  if (!(rule->tear_energy > 0))
    return by_strain;
  const law_terms terms = spring_effective_mass(springs, &s->model->particles, spring);
  const double stiffness = law_present(&terms, s->model->tuned_step, s->model->clamp_stiffness).stiffness;
  const double by_energy =
      stiffness > 0 ? (double)springs->rest[spring] + sqrt(2 * (double)rule->tear_energy / stiffness)
                    : INFINITY;
  return fmin(by_strain, by_energy);
}

/* Computes the lengths at which springs tear, and `most`, which preselects springs by squared lengths: two
   lengths with a mean above L have squares with a mean above L^2. */
static void find_limits(stepper *s) {
  static const double ROUNDING = 1e-6;
  damage_work *w = &s->damage;
  const spring_store *springs = &s->model->springs;
  for (int32_t n = 0; n < w->tearable; n++) {
    const double limit = tearing_length(s, w->spring[n]);
    const double half = 0.5 * (limit + (double)springs->damage[w->spring[n]].given);
    w->limit[n] = limit;
    w->most[n] = (msd_real)(2 * limit * limit * (1 - ROUNDING));
    w->half[n] = (msd_real)(half * half);
  }
}

/* True if tearing lengths change within the frame, because rest lengths follow a track. */
static bool limits_change(const stepper *s) {
  return s->model->springs.moves.count > 0;
}

/* ------------------------------------------------------------------------------------------------- tearing */

/* Measures the springs of one thread in the current state, and reduces their waiting times by a substep. */
static void measure(void *context, int thread, int threads) {
  stepper *s = context;
  damage_work *w = &s->damage;
  const particle_store *p = &s->model->particles;
  const parallel_range own = parallel_split(w->tearable, thread, threads);
  const msd_real *x = particle_state(p), *y = x + p->stride, *z = y + p->stride;
  const msd_real *before = w->square[!w->now], *most = w->most, *half = w->half;
  msd_real *square = w->square[w->now];
  int some_due = 0, some_loaded = 0;
  for (int32_t n = own.first; n < own.last; n++) {
    const int32_t a = w->ends[n][0], b = w->ends[n][1];
    const msd_real dx = x[a] - x[b], dy = y[a] - y[b], dz = z[a] - z[b];
    square[n] = dx * dx + dy * dy + dz * dz;
    some_due |= before[n] + square[n] > most[n];
    some_loaded |= square[n] > half[n];
  }
  for (int32_t n = own.first; w->some_wait && n < own.last; n++)
    w->wait[n] = w->wait[n] > w->dt ? w->wait[n] - w->dt : 0;
  if (some_due)
    atomic_store_explicit(&w->some_due, true, memory_order_relaxed);
  if (some_loaded)
    atomic_store_explicit(&w->some_loaded, true, memory_order_relaxed);
}

static void measure_all(stepper *s) {
  enum { SPRINGS_PER_THREAD = 4096 };
  damage_work *w = &s->damage;
  const int threads = int_min(stepper_threads(s), 1 + w->tearable / SPRINGS_PER_THREAD);
  w->now = !w->now;
  atomic_store_explicit(&w->some_due, false, memory_order_relaxed);
  atomic_store_explicit(&w->some_loaded, false, memory_order_relaxed);
  parallel_run(&s->model->tasks, threads, measure, s);
}

void damage_start(stepper *s, double dt, int substeps) {
  damage_work *w = &s->damage;
  const particle_store *p = &s->model->particles;
  w->dt = dt;
  w->substeps = substeps;
  w->yielded_after = w->measured_after = 0;
  if (w->tearable == 0)
    return;
  for (int32_t n = 0; n < w->tearable; n++) {
    w->ends[n][0] = (int32_t)particle_slot(p, s->model->springs.a[w->spring[n]]);
    w->ends[n][1] = (int32_t)particle_slot(p, s->model->springs.b[w->spring[n]]);
  }
  find_limits(s);
  const bool waits = w->some_wait;
  w->some_wait = false;
  measure_all(s);
  w->some_wait = waits;
}

/* Mean length of a spring after the last two substeps, relative to the length at which it tears. An oscillation
   at the stability limit has opposite signs in consecutive substeps, so it cancels. */
static double overload(const damage_work *w, int32_t n) {
  return (sqrt((double)w->square[0][n]) + sqrt((double)w->square[1][n])) / (2 * w->limit[n]);
}

/* Makes the springs that the unloading wave of a torn spring reaches wait for twice its arrival time before
   they may tear. A spring that waits already keeps its time, so a series of tears cannot postpone it again. */
static void let_wait(stepper *s, int32_t spring) {
  static const double WAITS = 2;
  damage_work *w = &s->damage;
  const unloading *u = &w->unloading;
  run_unloading(&w->unloading, s->model, spring);
  for (int32_t r = 0; r < u->reached_count; r++) {
    const int32_t i = u->reached[r];
    for (int32_t k = u->first[i]; k < u->first[i + 1]; k++) {
      const int32_t n = w->entry[u->item[k]];
      if (n < 0 || w->wait[n] > 0)
        continue;
      const double arrival = unloading_arrival(u, s->model, w->spring[n]);
      w->wait[n] = arrival < INFINITY ? WAITS * arrival : 0;
      w->some_wait = w->some_wait || w->wait[n] > 0;
    }
  }
}

static bool splits_by(const stepper *s, int32_t n) {
  return s->model->springs.damage[s->damage.spring[n]].split > 0;
}

/* Adds a spring to those that tear, with a key for the largest overload first. The bits of positive numbers
   sort like their values. */
static void add_due(sort_item *due, int32_t *count, int32_t n, double load) {
  sort_item *item = &due[(*count)++];
  memcpy(&item->key, &load, sizeof load);
  item->key = ~item->key;
  item->index = n;
}

/* True if a spring exceeds the length at which it tears by more than EXTREME of the elongation there. Such a
   spring does not wait, because it is loaded faster than waves unload it. */
static bool is_extreme(const stepper *s, int32_t n, double load) {
  static const double EXTREME = 0.5;
  const damage_work *w = &s->damage;
  const double strain = w->limit[n] - (double)s->model->springs.damage[w->spring[n]].given;
  return (load - 1) * w->limit[n] > EXTREME * fabs(strain);
}

static bool is_held(const stepper *s, int32_t n, double load) {
  return s->damage.wait[n] > 0 && !is_extreme(s, n, load);
}

/* Lists the springs that tear after this substep, and returns their number. Springs that split particles are
   not listed, because they split at the end of the frame; `peak` keeps their largest overload. */
static int32_t list_due(stepper *s) {
  damage_work *w = &s->damage;
  const msd_real *one = w->square[0], *other = w->square[1];
  int32_t count = 0;
  for (int32_t n = 0; n < w->tearable; n++) {
    if (!(one[n] + other[n] > w->most[n]))
      continue;
    const double load = overload(w, n);
    if (!(load > 1) || is_held(s, n, load))
      continue;
    if (splits_by(s, n))
      w->peak[n] = fmax(w->peak[n], load);
    else
      add_due(w->due[0], &count, n, load);
  }
  return count;
}

static void tear(stepper *s) {
  damage_work *w = &s->damage;
  const int32_t count = list_due(s);
  if (count == 0)
    return;
  open_unloading(&w->unloading, s->model, w->dt);
  const sort_item *due = sort_by_key(w->due[0], w->due[1], count);
  forget_tears(&w->unloading, s->model->particles.count);
  for (int32_t k = 0; k < count; k++) {
    const int32_t n = due[k].index;
    if (is_held(s, n, overload(w, n)) || is_beside_a_tear(&w->unloading, s->model, w->spring[n]))
      continue;
    let_wait(s, w->spring[n]);
    damage_break(s, w->spring[n], true);
    w->limit[n] = INFINITY;
    w->most[n] = w->half[n] = (msd_real)INFINITY;
    w->has_torn = true;
  }
}

/* ----------------------------------------------------------------------------------------------- yielding */

/* Applies plastic flow during `time` s to the rest length of a spring. Returns true if the rest length has
   changed; a value that is not finite is discarded. */
static bool yield_strain(stepper *s, int32_t spring, double time) {
  const spring_store *springs = &s->model->springs;
  const damage_rule *w = &springs->damage[spring];
  const double rest = (double)springs->rest[spring], given = (double)w->given;
  const double error = length_of(s->model, spring) - rest;
  if (!spring_acts_at(springs, spring, error))
    return false;
  const msd_real taken = (msd_real)(rest + damage_rule_flow(w, given, rest - given, error, time));
  if (!isfinite(taken) || taken == springs->rest[spring])
    return false;
  damage_set_rest(s, spring, taken);
  return true;
}

/* Applies plastic flow during `time` s to the rest value of a constraint. Dihedral angles wrap at pi. */
static bool constraint_yield(stepper *s, int32_t constraint, double time) {
  constraint_store *constraints = &s->model->constraints;
  const double error = constraint_measure(constraints, &s->model->particles, constraint).error;
  const double flow =
      damage_rule_flow(&constraints->damage[constraint], constraint_damage_unit(constraints, constraint),
                       constraint_set(constraints, constraint), error, time);
  const msd_real wanted = (msd_real)((double)constraints->rest[constraint] + flow);
  if (!isfinite(wanted) || wanted == constraints->rest[constraint])
    return false;
  constraints->rest[constraint] = constraint_kind_rest(constraint_kind_of(constraints, constraint), wanted);
  stepper_set_constraint_rest(s, constraint, constraints->rest[constraint]);
  return true;
}

/* Applies plastic flow to the constraints of one thread. Threads write different constraints, because
   constraints have no companions. */
static void yield_constraints(void *context, int thread, int threads) {
  stepper *s = context;
  const constraint_store *constraints = &s->model->constraints;
  const parallel_range own = parallel_split(constraints->count, thread, threads);
  for (int32_t c = own.first; c < own.last; c++)
    if (constraint_may_yield(s->model, c) && constraint_yield(s, c, s->damage.flow_time))
      atomic_store_explicit(&s->damage.has_yielded, true, memory_order_relaxed);
}

/* Number of times that springs and constraints yield in a frame: evenly spaced, PER_SECOND times a second or
   more, and at the end of the frame, but at most once per substep. So creep does not depend on the frame
   time. */
static int yields_in(const damage_work *w) {
  static const double PER_SECOND = 240, ROUNDING = 0.01;
  const double most = PER_SECOND * w->dt * w->substeps - ROUNDING;
  return most < 1 ? 1 : most < w->substeps ? (int)ceil(most) : w->substeps;
}

/* Number of times that springs and constraints are to yield in the first `done` substeps of the frame. */
static int yields_until(const damage_work *w, int done) {
  return (int)((int64_t)done * yields_in(w) / w->substeps);
}

static bool may_any_yield(const damage_work *w) {
  return w->springs_yield || w->constraints_yield;
}

static void yield_all(stepper *s, int done) {
  damage_work *w = &s->damage;
  const spring_store *springs = &s->model->springs;
  bool has_yielded = false;
  w->flow_time = w->dt * (done - w->yielded_after);
  w->yielded_after = done;
  for (int32_t e = 0; w->springs_yield && e < springs->count; e++)
    if (may_yield(s->model, e))
      has_yielded = yield_strain(s, e, w->flow_time) || has_yielded;
  if (has_yielded) {
    atomic_store(&w->has_yielded, true);
    find_limits(s);
  }
  if (w->constraints_yield)
    parallel_run(&s->model->tasks, stepper_threads(s), yield_constraints, s);
  if (w->constraints_yield && s->model->integrator == MSD_SEQUENTIAL_IMPULSE)
    constraint_impulses_set_rests(&s->constraint_impulses, &s->model->constraints);
}

/* Lengths are measured after every substep while some spring waits, or has more than half of the strain at
   which it tears. Otherwise they are measured after two consecutive substeps in every REST_SUBSTEPS, and after
   the last two of the frame. */
enum { REST_SUBSTEPS = 8 };

static bool is_measured(const damage_work *w, int done) {
  return w->tearable > 0 && (w->some_loaded || w->some_wait || done % REST_SUBSTEPS == 0 ||
                             done % REST_SUBSTEPS == REST_SUBSTEPS - 1 || done >= w->substeps - 1);
}

static int substeps_until_measured(const damage_work *w, int done) {
  int count = 1;
  while (!is_measured(w, done + count))
    count++;
  return count;
}

int substeps_until_damage(const stepper *s, int done) {
  const damage_work *w = &s->damage;
  int count = w->tearable > 0 ? substeps_until_measured(w, done) : INT_MAX;
  if (may_any_yield(w)) {
    const int64_t next = yields_until(w, done) + 1, moments = yields_in(w);
    count = int_min(count, (int)((next * w->substeps + moments - 1) / moments) - done);
  }
  return count;
}

void damage_after_substep(stepper *s, int done) {
  damage_work *w = &s->damage;
  if (is_measured(w, done)) {
    if (limits_change(s))
      find_limits(s);
    measure_all(s);
    if (w->measured_after == done - 1 && atomic_load_explicit(&w->some_due, memory_order_relaxed))
      tear(s);
    w->measured_after = done;
  }
  if (may_any_yield(w) && yields_until(w, done) > yields_until(w, w->yielded_after))
    yield_all(s, done);
}

/* ------------------------------------------------------------------------------------------ end of a frame */

/* Lists the springs that are due to split, and reserves the memory for it. */
static msd_result list_splits(stepper *s, double stable_substep, splits *due) {
  const damage_work *w = &s->damage;
  const spring_store *springs = &s->model->springs;
  int32_t count = 0;
  for (int32_t n = 0; n < w->tearable; n++)
    count += w->peak[n] > 0 && !spring_is_broken(springs, w->spring[n]);
  const msd_result result = splits_open(due, s, count, stable_substep);
  if (result != MSD_OK || count == 0)
    return result;
  for (int32_t n = 0; n < w->tearable; n++)
    if (w->peak[n] > 0 && !spring_is_broken(springs, w->spring[n]))
      splits_add(due, w->spring[n], w->peak[n]);
  return splits_reserve(due);
}

/* Returns true if a spring that is due may split now. Then the springs that its unloading wave reaches have to
   wait. */
static bool may_split(void *context, int32_t spring) {
  stepper *s = context;
  const int32_t n = s->damage.entry[spring];
  if (is_held(s, n, s->damage.peak[n]))
    return false;
  open_unloading(&s->damage.unloading, s->model, s->damage.dt);
  let_wait(s, spring);
  return true;
}

/* Stores the remaining waiting times with the springs, for the next frame. */
static void keep_waits(stepper *s) {
  damage_work *w = &s->damage;
  for (int32_t n = 0; n < w->tearable; n++)
    s->model->springs.damage[w->spring[n]].wait = (msd_real)w->wait[n];
}

/* Advances the revisions of the data that has changed, and no others. So the stable limit and the clamped
   coefficients remain valid. */
static void note_changes(stepper *s, bool has_torn, bool has_split) {
  if (has_torn) {
    s->knows_damped = false;
    s->model->revision.tears++;
  }
  s->model->revision.state += has_torn || has_split || atomic_load(&s->damage.has_yielded);
}

msd_result damage_end_step(stepper *s, double stable_substep) {
  splits due = {.stepper = s};
  msd_result result = MSD_OK;
  if (stable_substep > 0)
    result = list_splits(s, stable_substep, &due);
  if (stable_substep > 0 && result == MSD_OK) {
    splits_select(&due, may_split, s);
    keep_waits(s);
    splits_apply(&due);
  } else {
    keep_waits(s);
  }
  note_changes(s, s->damage.has_torn || due.has_torn, due.has_split);
  splits_close(&due);
  return result;
}

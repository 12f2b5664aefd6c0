#include "engine/step/constraint_account.h"

#include "engine/step/extra_forces.h"
#include "engine/step/scaled_energy.h"

#include <math.h>

bool constraint_account_reserve(constraint_account *a, memory *m, int32_t groups) {
  if (groups <= a->groups)
    return true;
  constraint_account_free(a, m);
  a->kinetic = memory_allocate_items(m, groups, sizeof *a->kinetic);
  a->power = memory_allocate_items(m, groups, sizeof *a->power);
  a->groups = a->kinetic && a->power ? groups : 0;
  return a->groups > 0;
}

void constraint_account_free(constraint_account *a, memory *m) {
  memory_release(m, a->kinetic);
  memory_release(m, a->power);
  a->kinetic = a->power = NULL;
  a->groups = 0;
}

const constraint_meter *constraint_account_meter(const worker *w) {
  static const constraint_meter measure = {.scales = false};
  return w->run->account.account && w->limiter->constraints.is_active ? &measure : NULL;
}

static double sum_energies(const constraint_forces *f, enum constraint_energy which) {
  const size_t count = constraint_energy_count(f);
  const msd_real *row = f->energies + (size_t)which * count;
  double sum = 0;
  for (size_t n = 0; n < count; n++)
    sum += (double)row[n];
  return sum;
}

static double sum_groups(const double *of_groups, int32_t groups) {
  double sum = 0;
  for (int32_t n = 0; n < groups; n++)
    sum += of_groups[n];
  return sum;
}

/* sum min(A, cap), and the number of constraints above the cap. */
typedef struct capped_sum {
  double sum, above;
} capped_sum;

static capped_sum sum_below(const constraint_forces *f, double cap) {
  const size_t count = constraint_energy_count(f);
  const msd_real *spare = f->energies + CONSTRAINT_SPARE * count;
  capped_sum s = {0, 0};
  for (size_t n = 0; n < count; n++) {
    s.sum += fmin((double)spare[n], cap);
    s.above += (double)spare[n] > cap;
  }
  return s;
}

/* The largest msd_real with sum min(A, cap) <= target. Newton's method from 0: the sum is concave in the cap,
   so it approaches from below, and ends at the solution after as many turns as there are pieces between. Ending
   early only removes more. */
static msd_real find_cap(const constraint_forces *f, double target) {
  enum { TURNS_MAX = 60 };
  double cap = 0;
  for (int turn = 0; turn < TURNS_MAX; turn++) {
    const capped_sum s = sum_below(f, cap);
    const double next = s.above > 0 ? cap + (target - s.sum) / s.above : cap;
    if (!(next > cap))
      break;
    cap = next;
  }
  const msd_real rounded = (msd_real)(cap * (1 - 1e-6));
  return rounded > 0 ? rounded : 0;
}

/* Decides about the substep, and sets the meter that scales the forces. */
static limiter_decision decide(energy_limiter *g, const constraint_forces *f, double over,
                               constraint_meter *scale) {
  const double along = sum_energies(f, CONSTRAINT_SPARE);
  *scale = (constraint_meter){.scales = true};
  if (over < along) {
    scale->cap = find_cap(f, along - over);
    const double left = sum_below(f, (double)scale->cap).sum;
    return (limiter_decision){LIMITER_SCALE, sqrt(fmax(left, 0) / along), 0, along - left};
  }
  const double across = g->energy == MSD_ENERGY_BOUNDED_CENTRAL ? 0 : sum_energies(f, CONSTRAINT_ACROSS);
  if (!(across > 0))
    return (limiter_decision){LIMITER_SCALE, 0, 0, along};
  const double part = fmin((over - along) / across, 1);
  scale->turned = (msd_real)(1 - sqrt(1 - part));
  return (limiter_decision){LIMITER_SCALE, 0, (double)scale->turned, fmin(over, along + across)};
}

/* The range of one group at a time. */
static parallel_range one_group(int32_t group) {
  return (parallel_range){group, group + 1};
}

static spring_input input_of(const worker *w) {
  spring_input in = w->run->input;
  in.spring_force = w->run->acting.forces->own;
  return in;
}

void constraint_account_act(const worker *w, const msd_real *state) {
  const constraint_forces *f = w->run->acting.forces;
  constraint_account *a = w->run->account.account;
  limiter_state *own = w->limiter;
  if (!a || (!own->constraints.is_active && !constraint_forces_alarmed(f)))
    return;
  if (!own->constraints.is_active) {
    own->constraints.is_active = true;
    own->constraints_continue = false;
    parallel_wait(w->barrier, w->threads); /* other threads may still read the forces of corners */
    evaluate_constraints(w, state, constraint_account_meter(w));
  }
  const spring_input in = input_of(w);
  for (int32_t group = w->groups.first; group < w->groups.last; group++)
    a->kinetic[group] = scaled_energy_kinetic(&in, state, one_group(group));
  parallel_wait(w->barrier, w->threads);
  const spring_tally sum = {.energy = sum_energies(f, CONSTRAINT_ENERGY),
                            .kinetic = sum_groups(a->kinetic, in.net->group_count)};
  energy_limiter *g = &own->constraints.limiter;
  const double over = energy_limiter_update(g, &sum, own->constraints_continue);
  own->constraints_continue = true;
  own->constraints.order = (limiter_decision){LIMITER_ACCEPT, 1, 0, 0};
  if (over > 0) {
    constraint_meter scale;
    own->constraints.order = decide(g, f, over, &scale);
    evaluate_constraints(w, state, &scale);
  }
  for (int32_t group = w->groups.first; group < w->groups.last; group++)
    a->power[group] = scaled_energy_power(&in, state, 1, one_group(group));
}

void constraint_account_end(const worker *w) {
  constraint_account *a = w->run->account.account;
  limiter_state *own = w->limiter;
  if (!a || !own->constraints.is_active || w->run->account.stays_open)
    return;
  const spring_input in = input_of(w);
  if (w->run->down)
    parallel_wait(w->barrier, w->threads); /* the chunks of a thread differ from its groups */
  for (int32_t group = w->groups.first; group < w->groups.last; group++)
    a->power[group] += scaled_energy_power(&in, w->write, (double)in.decay, one_group(group));
  parallel_wait(w->barrier, w->threads);
  energy_limiter_commit(&own->constraints.limiter, &own->constraints.order,
                        sum_groups(a->power, in.net->group_count), (double)in.dt);
}

void constraint_account_close(constraint_account *a, const constraint_forces *f, const spring_input *in,
                              const msd_real *written) {
  if (!a->is_active)
    return;
  spring_input own = *in;
  own.spring_force = f->own;
  double work = 0;
  for (int32_t group = 0; group < in->net->group_count; group++)
    work += a->power[group] + scaled_energy_power(&own, written, (double)in->decay, one_group(group));
  energy_limiter_commit(&a->limiter, &a->order, work, (double)in->dt);
}

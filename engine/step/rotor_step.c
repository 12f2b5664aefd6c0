#include "engine/step/rotor_step.h"

#include "engine/kernel/warm_start.h"
#include "engine/step/drag.h"
#include "engine/store/model.h"

#include <math.h>
#include <string.h>

/* Arrays in rotor_store.work. The first two store the state at the start of the run. */
enum {
  BEGIN_ANGLE,
  BEGIN_VELOCITY,
  ACCELERATION,
  SECOND_ACCELERATION,
  STAGE_ANGLE,
  STAGE_VELOCITY,
  SUM_ANGLE,
  SUM_VELOCITY,
  ARRAYS
};
_Static_assert((int)ARRAYS == (int)ROTOR_WORK_ARRAYS, "one array of rotor_store.work for each name");

/* One substep of all rotors. */
typedef struct turn {
  rotor_store *rotors;
  torsion_spring_store *springs;
  /* In s. */
  double dt;
  /* Factor that linear damping applies to a velocity in that time. */
  double decay;
  /* Iterations of sequential impulses. */
  int iterations;
  bool warm_start;
} turn;

static double *work(const turn *t, int array) {
  return t->rotors->work + (size_t)array * (size_t)t->rotors->capacity;
}

static size_t state_bytes(const turn *t) {
  return (size_t)t->rotors->count * sizeof(double);
}

/* Accelerations (torque - sum of +-(k C + mu C')) / inertia at a state, in one of the work arrays. */
static const double *accelerations_at(const turn *t, const double *angle, const double *velocity, int array) {
  const rotor_store *r = t->rotors;
  const torsion_spring_store *s = t->springs;
  double *sum = work(t, array);
  memcpy(sum, r->torque, state_bytes(t));
  for (int32_t e = 0; e < s->count; e++) {
    const double torque =
        s->k[e] * torsion_spring_error(s, e, angle) + s->mu[e] * torsion_spring_rate(s, e, velocity);
    sum[s->a[e]] -= torque;
    if (s->b[e] >= 0)
      sum[s->b[e]] += torque;
  }
  for (int32_t i = 0; i < r->count; i++)
    sum[i] *= r->inverse_inertia[i];
  return sum;
}

/* Applies linear damping to unpinned rotors. */
static void decay_velocities(const turn *t) {
  const rotor_store *r = t->rotors;
  for (int32_t i = 0; i < r->count; i++)
    if (r->inverse_inertia[i] > 0)
      r->velocity[i] *= t->decay;
}

static void advance_angles(const turn *t) {
  const rotor_store *r = t->rotors;
  for (int32_t i = 0; i < r->count; i++)
    r->angle[i] += t->dt * r->velocity[i];
}

/* v' = v + dt a(x, v), x' = x + dt v'. */
static void symplectic_euler(const turn *t) {
  const rotor_store *r = t->rotors;
  const double *a = accelerations_at(t, r->angle, r->velocity, ACCELERATION);
  for (int32_t i = 0; i < r->count; i++)
    r->velocity[i] += t->dt * a[i];
  decay_velocities(t);
  advance_angles(t);
}

/* x' = x + dt v, v' = v + dt a(x, v). */
static void explicit_euler(const turn *t) {
  const rotor_store *r = t->rotors;
  const double *a = accelerations_at(t, r->angle, r->velocity, ACCELERATION);
  advance_angles(t);
  for (int32_t i = 0; i < r->count; i++)
    r->velocity[i] += t->dt * a[i];
  decay_velocities(t);
}

/* x' = x + dt v + dt^2/2 a0, v' = v + dt/2 (a0 + a(x', v + dt a0)). */
static void velocity_verlet(const turn *t) {
  const rotor_store *r = t->rotors;
  const double dt = t->dt, half = dt / 2;
  const double *a0 = accelerations_at(t, r->angle, r->velocity, ACCELERATION);
  double *predicted = work(t, STAGE_VELOCITY);
  for (int32_t i = 0; i < r->count; i++) {
    r->angle[i] += dt * (r->velocity[i] + half * a0[i]);
    predicted[i] = r->velocity[i] + dt * a0[i];
  }
  const double *a1 = accelerations_at(t, r->angle, predicted, SECOND_ACCELERATION);
  for (int32_t i = 0; i < r->count; i++)
    r->velocity[i] += half * (a0[i] + a1[i]);
  decay_velocities(t);
}

/* One of the four slopes (v, a) of RK4 at the current stage. Adds it to the sum with `weight`, then computes
   the next stage y + dt reach slope. */
static void rk4_slope(const turn *t, double weight, double reach) {
  const rotor_store *r = t->rotors;
  double *angle = work(t, STAGE_ANGLE), *velocity = work(t, STAGE_VELOCITY);
  double *sum_angle = work(t, SUM_ANGLE), *sum_velocity = work(t, SUM_VELOCITY);
  const double *a = accelerations_at(t, angle, velocity, ACCELERATION);
  for (int32_t i = 0; i < r->count; i++) {
    const double slope = velocity[i];
    sum_angle[i] += weight * slope;
    sum_velocity[i] += weight * a[i];
    angle[i] = r->angle[i] + t->dt * reach * slope;
    velocity[i] = r->velocity[i] + t->dt * reach * a[i];
  }
}

/* y' = y + dt/6 (k1 + 2 k2 + 2 k3 + k4). */
static void rk4(const turn *t) {
  const rotor_store *r = t->rotors;
  const double sixth = t->dt / 6;
  memcpy(work(t, STAGE_ANGLE), r->angle, state_bytes(t));
  memcpy(work(t, STAGE_VELOCITY), r->velocity, state_bytes(t));
  memset(work(t, SUM_ANGLE), 0, state_bytes(t));
  memset(work(t, SUM_VELOCITY), 0, state_bytes(t));
  rk4_slope(t, 1, 0.5);
  rk4_slope(t, 2, 0.5);
  rk4_slope(t, 2, 1);
  rk4_slope(t, 1, 0);
  const double *sum_angle = work(t, SUM_ANGLE), *sum_velocity = work(t, SUM_VELOCITY);
  for (int32_t i = 0; i < r->count; i++) {
    r->angle[i] += sixth * sum_angle[i];
    r->velocity[i] += sixth * sum_velocity[i];
  }
  decay_velocities(t);
}

/* Applies an angular impulse in N m s to the ends of a spring: +impulse to a, -impulse to b. */
static void give(const turn *t, int32_t spring, double impulse) {
  const rotor_store *r = t->rotors;
  const int32_t a = t->springs->a[spring], b = t->springs->b[spring];
  r->velocity[a] += r->inverse_inertia[a] * impulse;
  if (b >= 0)
    r->velocity[b] -= r->inverse_inertia[b] * impulse;
}

/* dJ = -dt (k C + mu C') + (Cd - 1) L, where L is the impulse of the spring so far; see
   kernel/spring_impulse.h. */
static void correct(const turn *t, int32_t spring) {
  torsion_spring_store *s = t->springs;
  const rotor_store *r = t->rotors;
  const double wa = r->inverse_inertia[s->a[spring]], wb = torsion_spring_inverse(r, s->b[spring]);
  const double cd = t->dt * s->mu[spring] * (wa + wb);
  const double error = torsion_spring_error(s, spring, r->angle);
  const double rate = torsion_spring_rate(s, spring, r->velocity);
  const double change = -t->dt * (s->k[spring] * error + s->mu[spring] * rate) + (cd - 1) * s->given[spring];
  s->given[spring] = given_impulse(s->given[spring] + change);
  give(t, spring, change);
}

/* v' = v + (spring impulses, in order) + dt torque/inertia, x' = x + dt v'. Broken springs and springs
   between pins have no impulse. */
static void sequential_impulse(const turn *t) {
  torsion_spring_store *s = t->springs;
  const rotor_store *r = t->rotors;
  for (int32_t e = 0; e < s->count; e++) {
    if (!t->warm_start || torsion_spring_is_broken(s, e))
      s->given[e] = 0;
    give(t, e, s->given[e]);
  }
  for (int n = 0; n < t->iterations; n++)
    for (int32_t e = 0; e < s->count; e++)
      correct(t, e);
  for (int32_t i = 0; i < r->count; i++)
    r->velocity[i] += t->dt * (r->torque[i] * r->inverse_inertia[i]);
  decay_velocities(t);
  advance_angles(t);
}

typedef void turn_method(const turn *t);

static turn_method *const methods[MSD_INTEGRATOR_COUNT] = {
    [MSD_SYMPLECTIC_EULER] = symplectic_euler,     [MSD_EXPLICIT_EULER] = explicit_euler,
    [MSD_VELOCITY_VERLET] = velocity_verlet,       [MSD_RK4] = rk4,
    [MSD_SEQUENTIAL_IMPULSE] = sequential_impulse,
};

/* First rotor with a non-finite state; -1: none. */
static int32_t find_failed(const rotor_store *r) {
  for (int32_t i = 0; i < r->count; i++)
    if (!isfinite(r->angle[i]) || !isfinite(r->velocity[i]))
      return i;
  return -1;
}

static turn turn_of(world_model *model, double dt) {
  return (turn){.rotors = &model->rotors,
                .springs = &model->torsion_springs,
                .dt = dt,
                .decay = drag_decay((double)model->linear_damping, dt),
                .iterations = model->impulse_iterations,
                .warm_start = model->impulse_warm_start};
}

static void copy(double *to, const double *from, int32_t count) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

void rotor_repeat(world_model *model, double dt, int substeps) {
  const turn t = turn_of(model, dt);
  if (t.rotors->count == 0)
    return;
  copy(t.rotors->angle, work(&t, BEGIN_ANGLE), t.rotors->count);
  copy(t.rotors->velocity, work(&t, BEGIN_VELOCITY), t.rotors->count);
  if (t.springs->count > 0)
    copy(t.springs->given, t.springs->work, t.springs->count);
  for (int n = 0; n < substeps; n++)
    methods[model->integrator](&t);
}

rotor_progress rotor_advance(world_model *model, double dt, int substeps) {
  const turn t = turn_of(model, dt);
  if (t.rotors->count == 0)
    return (rotor_progress){substeps, -1};
  torsion_spring_tune(t.springs, t.rotors, dt, model->clamp_stiffness);
  copy(work(&t, BEGIN_ANGLE), t.rotors->angle, t.rotors->count);
  copy(work(&t, BEGIN_VELOCITY), t.rotors->velocity, t.rotors->count);
  if (t.springs->count > 0)
    copy(t.springs->work, t.springs->given, t.springs->count);
  for (int done = 0; done < substeps; done++) {
    methods[model->integrator](&t);
    const int32_t failed = find_failed(t.rotors);
    if (failed < 0)
      continue;
    rotor_repeat(model, dt, done);
    return (rotor_progress){done, failed};
  }
  return (rotor_progress){substeps, -1};
}

void rotor_clear_torques(world_model *model) {
  rotor_store *r = &model->rotors;
  if (r->count > 0)
    memset(r->torque, 0, (size_t)r->count * sizeof *r->torque);
}

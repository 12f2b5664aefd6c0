#include "engine/step/anchor_step.h"

#include "engine/base/record.h"
#include "engine/base/vec3.h"
#include "msd/damped_spring.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Of msd_real. */
static const double ROUNDING = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

bool anchor_is_exact(const world_model *model) {
  return msd_integrator_has_exact_anchors(model->integrator) && model->mass_scaling == MSD_MASS_SCALING_NONE;
}

/* ------------------------------------------------------------------------------- what a definition means */

/* The law per kilogram: a particle of 1 kg with it moves in the same way. */
typedef struct unit_law {
  /* rad/s and 1, for the frequency law. */
  double frequency, ratio;
  /* 1/s^2 and 1/s, for the physical and the frequency law. */
  double stiffness, damping;
  /* For the coefficient law. */
  double ck, cd;
} unit_law;

/* All 0 when it moves nothing. */
static unit_law unit_law_of(const world_model *model, int32_t index) {
  const anchor_entry *a = &model->anchors.entries[index];
  const double w = a->particle >= 0 ? (double)model->particles.inverse_mass[a->particle] : 0;
  if (w == 0)
    return (unit_law){0};
  const law_terms unit = law_split(a->law, 1, 1);
  unit_law u = {.stiffness = unit.stiffness, .damping = unit.damping, .ck = unit.mass_ck, .cd = unit.mass_cd};
  if (law_is(a->law, MSD_SPRING_FREQUENCY)) {
    u.frequency = 2 * PI * (double)a->law.first;
    u.ratio = (double)a->law.second;
  }
  if (law_is(a->law, MSD_SPRING_PHYSICAL)) {
    /* What is critical but for the rounding of its numbers is critical: it weighs nothing then. */
    const double stiffness = unit.stiffness * w, damping = unit.damping * w, critical = 2 * sqrt(stiffness);
    const bool is_critical = damping < critical && damping > critical * (1 - 4 * ROUNDING);
    u.stiffness = stiffness;
    u.damping = is_critical ? critical : damping;
  }
  return u;
}

/* The square of the damped angular frequency; 0 at and above critical. */
static double swing_of(law own, const unit_law *u) {
  const double square = law_is(own, MSD_SPRING_FREQUENCY) ? u->stiffness * ((1 - u->ratio) * (1 + u->ratio))
                                                          : u->stiffness - u->damping * u->damping / 4;
  return square > 4 * DBL_EPSILON * u->stiffness ? square : 0;
}

anchor_weight anchor_weigh(const world_model *model, int32_t index, bool is_exact) {
  const unit_law u = unit_law_of(model, index);
  if (!is_exact)
    return (anchor_weight){u.stiffness, u.damping, u.ck + 2 * u.cd};
  const double swing = swing_of(model->anchors.entries[index].law, &u);
  return (anchor_weight){.stiffness = 4 / (PI * PI) * swing, .coefficient = u.ck + 2 * u.cd};
}

/* The law under MSD_LIMIT_COEFFICIENTS. Stiffness falls to a `fraction`; damping does too where it counts,
   else to the root of it, which keeps the ratio. */
static unit_law softened(const world_model *model, int32_t index, double dt) {
  unit_law u = unit_law_of(model, index);
  const bool is_exact = anchor_is_exact(model);
  const anchor_weight weight = anchor_weigh(model, index, is_exact);
  const double total = dt * dt * weight.stiffness + 2 * dt * weight.damping + weight.coefficient;
  if (model->limit != MSD_LIMIT_COEFFICIENTS || !(total > ANCHOR_SHARE))
    return u;
  const double fraction = ANCHOR_SHARE / total;
  u.ck *= fraction;
  u.cd *= fraction;
  u.frequency *= sqrt(fraction);
  u.stiffness *= fraction;
  u.damping *= is_exact ? sqrt(fraction) : fraction;
  return u;
}

/* ---------------------------------------------------------------------------------- before and after a step */

static anchor_work work_of(const world_model *model, int32_t index, double dt) {
  const anchor_entry *a = &model->anchors.entries[index];
  const double mass = (double)model->particles.mass[a->particle];
  const unit_law u = softened(model, index, dt);
  const bool is_coefficient = law_is(a->law, MSD_SPRING_COEFFICIENT);
  msd_damped_spring s = {1, dt, 0, 1};
  if (!is_coefficient)
    s = law_is(a->law, MSD_SPRING_FREQUENCY) ? msd_damped_spring_make(u.frequency, u.ratio, dt)
                                             : msd_damped_spring_make_stiffness(u.stiffness, u.damping, dt);
  const bool keeps_position = s.pos_pos > 0.5, keeps_velocity = s.vel_vel > 0.5;
  return (anchor_work){
      .slot = particle_slot(&model->particles, a->particle),
      .anchor = index,
      .is_coefficient = is_coefficient,
      .keeps_position = keeps_position,
      .keeps_velocity = keeps_velocity,
      .pos_pos = keeps_position ? s.pos_pos - 1 : s.pos_pos,
      .pos_vel = s.pos_vel,
      .vel_pos = s.vel_pos,
      .vel_vel = keeps_velocity ? s.vel_vel - 1 : s.vel_vel,
      .ck = u.ck / dt,
      .cd = u.cd,
      .stiffness = mass * (is_coefficient ? u.ck / (dt * dt) : u.stiffness),
      .damping = mass * (is_coefficient ? u.cd / dt : u.damping),
  };
}

static int by_slot(const void *a, const void *b) {
  const anchor_work *p = a, *q = b;
  return (p->slot > q->slot) - (p->slot < q->slot);
}

static void make_works(world_model *model, double substep) {
  anchor_store *s = &model->anchors;
  s->work_count = 0;
  for (int32_t i = 0; i < s->count; i++)
    if (anchor_moves(s, &model->particles, i))
      s->works[s->work_count++] = work_of(model, i, substep);
  if (s->work_count > 1)
    qsort(s->works, (size_t)s->work_count, sizeof *s->works, by_slot);
  s->made_for = revision_of_anchor_works(&model->revision, substep);
}

void anchor_begin_step(world_model *model, double substep, int substeps) {
  anchor_store *s = &model->anchors;
  if (!revision_holds(&s->made_for, revision_of_anchor_works(&model->revision, substep)))
    make_works(model, substep);
  for (int32_t k = 0; k < s->work_count; k++) {
    anchor_work *work = &s->works[k];
    const anchor_entry *a = &s->entries[work->anchor];
    double target[3];
    vec3_components(a->point, work->point);
    vec3_components(a->moves ? a->target : a->point, target);
    for (int c = 0; c < 3; c++) {
      work->point_velocity[c] = (target[c] - work->point[c]) / (substep * substeps);
      /* In both states, as what sleeps may wake in the course of the step. */
      work->velocity[0][c] = work->velocity[1][c] = a->velocity[c];
      work->seen[0][c] = work->seen[1][c] = a->knows_velocity ? a->seen[c] : (double)NAN;
    }
  }
}

/* -k (x - a) - mu (v - q) after `elapsed` seconds of the step. */
static double force_along(const anchor_work *work, int c, double elapsed, double x, double v) {
  const double point = work->point[c] + work->point_velocity[c] * elapsed;
  return -(work->stiffness * (x - point) + work->damping * (v - work->point_velocity[c]));
}

/* The largest number there is stands for what is beyond it: a heavy particle feels more than an msd_real can
   hold. */
static msd_real saturated(double value) {
  const double largest = sizeof(msd_real) == sizeof(double) ? DBL_MAX : (double)FLT_MAX;
  return (msd_real)fmin(fmax(value, -largest), largest);
}

static msd_vec3 average_force(const world_model *model, const anchor_work *work, double elapsed) {
  const particle_store *p = &model->particles;
  const int32_t particle = model->anchors.entries[work->anchor].particle;
  const double mass = (double)p->mass[particle], substep = model->anchors.made_for.step;
  double x[3], v[3], force[3];
  vec3_components(particle_vector(p, POSITION_X, particle), x);
  vec3_components(particle_vector(p, VELOCITY_X, particle), v);
  for (int c = 0; c < 3; c++)
    force[c] = anchor_is_exact(model) ? mass * work->change[p->current][c] / substep
                                      : force_along(work, c, elapsed, x[c], v[c]);
  return (msd_vec3){saturated(force[0]), saturated(force[1]), saturated(force[2])};
}

void anchor_end_step(world_model *model, int done, int substeps) {
  anchor_store *s = &model->anchors;
  for (int32_t k = 0; k < s->work_count && done > 0; k++) {
    const anchor_work *work = &s->works[k];
    anchor_entry *a = &s->entries[work->anchor];
    if (sleep_has(&model->sleep, a->particle))
      continue;
    a->force = average_force(model, work, done * s->made_for.step);
    a->knows_velocity = anchor_is_exact(model);
    if (!a->knows_velocity)
      continue;
    memcpy(a->velocity, work->velocity[model->particles.current], sizeof a->velocity);
    memcpy(a->seen, work->seen[model->particles.current], sizeof a->seen);
  }
  const double progress = (double)done / substeps;
  for (int32_t i = 0; i < s->count; i++) {
    anchor_entry *a = &s->entries[i];
    if (!a->moves)
      continue;
    double from[3], to[3];
    vec3_components(a->point, from);
    vec3_components(a->target, to);
    a->point = done == substeps ? a->target
                                : (msd_vec3){(msd_real)(from[0] + progress * (to[0] - from[0])),
                                             (msd_real)(from[1] + progress * (to[1] - from[1])),
                                             (msd_real)(from[2] + progress * (to[2] - from[2]))};
    a->moves = false;
  }
}

double anchor_stiffness(const world_model *model, int32_t index, double substep) {
  const anchor_entry *a = &model->anchors.entries[index];
  if (a->particle < 0)
    return 0;
  const unit_law u = softened(model, index, substep);
  const double coefficient = substep > 0 ? u.ck / (substep * substep) : 0;
  return (double)model->particles.mass[a->particle] *
         (law_is(a->law, MSD_SPRING_COEFFICIENT) ? coefficient : u.stiffness);
}

double anchor_energy(const world_model *model, int32_t index) {
  const anchor_entry *a = &model->anchors.entries[index];
  if (a->particle < 0)
    return 0;
  const msd_vec3 offset =
      vec3_subtract(particle_vector(&model->particles, POSITION_X, a->particle), a->point);
  return 0.5 * anchor_stiffness(model, index, model->tuned_step) * vec3_dot(offset, offset);
}

/* --------------------------------------------------------------------------------------------- in a substep */

static int32_t first_work(const anchor_slice *p) {
  int32_t low = 0, high = p->work_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (p->works[middle].slot < p->first)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* V* of a component: what the kick made of v, with the rest of V, which drag has acted on alike. */
static double kicked_velocity(const anchor_slice *p, const anchor_work *work, int c, int from, double v,
                              double kicked) {
  const bool is_known = work->seen[from][c] == v;
  return is_known ? kicked + p->decay * (work->velocity[from][c] - v) : kicked;
}

/* One component of one particle: x and v before, *next_x and *next_v as the kernel has made them. */
static bool move_along(const anchor_slice *p, anchor_work *work, int c, int state, double x, double v,
                       msd_real *next_x, msd_real *next_v) {
  const double q = work->point_velocity[c], a = work->point[c] + q * p->elapsed, dt = p->time_step;
  const double offset = x - a;
  double drift, seen, velocity, kicked;
  if (work->is_coefficient) {
    kicked = (double)*next_v;
    seen = velocity = kicked - p->decay * (work->ck * offset + work->cd * (v - q));
    drift = dt * velocity;
  } else {
    kicked = kicked_velocity(p, work, c, !state, v, (double)*next_v);
    const double relative = kicked - q;
    velocity = (work->keeps_velocity ? kicked : q) + (work->vel_pos * offset + work->vel_vel * relative);
    drift =
        (work->keeps_position ? 0 : -offset) + (q * dt + (work->pos_pos * offset + work->pos_vel * relative));
    seen = drift / dt;
  }
  *next_x = (msd_real)(x + drift);
  *next_v = (msd_real)seen;
  work->change[state][c] = velocity - kicked;
  work->velocity[state][c] = velocity;
  work->seen[state][c] = (double)*next_v;
  return isfinite(*next_x) && isfinite(*next_v) && isfinite(velocity);
}

double anchor_watch_force(const anchor_slice *p, const anchor_watch *w, size_t at, int c, double kicked) {
  const double inverse_mass = (double)w->inverse_mass[at];
  const double given = w->force ? (double)w->force[(size_t)c * p->stride + at] * inverse_mass : 0;
  return (kicked / p->time_step - given - w->gravity[c]) / inverse_mass;
}

void anchor_watch_kick(const anchor_slice *p, const anchor_watch *w, const msd_real *read,
                       const msd_real *write) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++)
    for (int c = 0; c < 3 && p->decay > 0; c++) {
      anchor_work *work = &p->works[k];
      const size_t v = (size_t)(c + 3) * p->stride + work->slot;
      const double kicked = (double)write[v] / p->decay;
      work->spring_force[c] = anchor_watch_force(p, w, work->slot, c, kicked - (double)read[v]);
      w->tallies[work->slot / NETWORK_CHUNK].work -= work->spring_force[c] * kicked;
    }
}

void anchor_watch_move(const anchor_slice *p, const anchor_watch *w, const msd_real *write) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++)
    for (int c = 0; c < 3 && p->decay > 0; c++) {
      const anchor_work *work = &p->works[k];
      const double moved = (double)write[(size_t)(c + 3) * p->stride + work->slot];
      w->tallies[work->slot / NETWORK_CHUNK].work += work->spring_force[c] * moved;
    }
}

bool anchor_holds(const anchor_slice *p, size_t slot) {
  anchor_slice at = *p;
  at.first = slot;
  const int32_t k = first_work(&at);
  return k < p->work_count && p->works[k].slot == slot;
}

/* S dt/Q: what a change of the mean velocity is to V. Without an anchor 1. */
static double follow_factor(const anchor_slice *p, const anchor_work *work) {
  const double whole = work->keeps_velocity ? 1 + work->vel_vel : work->vel_vel;
  return work->is_coefficient || !(work->pos_vel > 0) ? 1 : whole * p->time_step / work->pos_vel;
}

void anchor_follow(const anchor_slice *p, const anchor_watch *w, const msd_real *write, int state) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++)
    for (int c = 0; c < 3 && p->inverse_mass[p->works[k].slot] > 0; c++) {
      anchor_work *work = &p->works[k];
      const double now = (double)write[(size_t)(c + 3) * p->stride + work->slot];
      const double change = now - work->seen[state][c];
      work->velocity[state][c] += follow_factor(p, work) * change;
      work->seen[state][c] = now;
      if (w && p->decay > 0)
        w->tallies[work->slot / NETWORK_CHUNK].work += work->spring_force[c] * change;
    }
}

bool anchor_move(const anchor_slice *p, const msd_real *read, msd_real *write, msd_real *write_records,
                 int state) {
  bool finite = true;
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++) {
    anchor_work *work = &p->works[k];
    for (int c = 0; c < 3 && p->inverse_mass[work->slot] > 0; c++) {
      const size_t x = (size_t)c * p->stride + work->slot, v = x + 3 * p->stride;
      finite =
          move_along(p, work, c, state, (double)read[x], (double)read[v], &write[x], &write[v]) && finite;
      if (write_records) {
        write_records[work->slot * RECORD_SIZE + (size_t)c] = write[x];
        write_records[work->slot * RECORD_SIZE + (size_t)c + RECORD_QUAD] = write[v];
      }
    }
  }
  return finite;
}

void anchor_add_forces(const anchor_slice *p, const msd_real *state, msd_real *force) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++) {
    const anchor_work *work = &p->works[k];
    for (int c = 0; c < 3; c++) {
      const size_t x = (size_t)c * p->stride + work->slot, v = x + 3 * p->stride;
      force[x] =
          (msd_real)((double)force[x] + force_along(work, c, p->elapsed, (double)state[x], (double)state[v]));
    }
  }
}

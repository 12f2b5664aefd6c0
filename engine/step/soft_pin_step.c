#include "engine/step/soft_pin_step.h"

#include "engine/base/record.h"
#include "engine/base/rigid_path.h"
#include "msd/damped_spring.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Unit roundoff of msd_real. */
static const double ROUNDING = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

bool soft_pin_is_exact(const world_model *model) {
  return msd_integrator_has_exact_soft_pins(model->integrator) &&
         model->mass_scaling == MSD_MASS_SCALING_NONE;
}

/* ------------------------------------------------------------------------------------------ coefficients */

/* The law per kilogram: a particle of 1 kg with this law has the same motion. */
typedef struct unit_law {
  /* Frequency law: natural angular frequency in rad/s and damping ratio. */
  double frequency, ratio;
  /* Stiffness and frequency laws: 1/s^2 and 1/s. */
  double stiffness, damping;
  /* Coefficient law: dimensionless. */
  double ck, cd;
} unit_law;

/* All 0 if the soft pin is detached or its particle is pinned. */
static unit_law unit_law_of(const world_model *model, int32_t index) {
  const soft_pin_entry *a = &model->soft_pins.entries[index];
  const double w = a->particle >= 0 ? (double)model->particles.inverse_mass[a->particle] : 0;
  if (w == 0)
    return (unit_law){0};
  const law_terms unit = law_split(a->law, 1, 1);
  unit_law u = {.stiffness = unit.stiffness, .damping = unit.damping, .ck = unit.mass_ck, .cd = unit.mass_cd};
  if (law_is(a->law, MSD_SPRING_FREQUENCY)) {
    u.frequency = 2 * PI * (double)a->law.first;
    u.ratio = (double)a->law.second;
  }
  if (law_is(a->law, MSD_SPRING_STIFFNESS)) {
    /* Damping that is critical up to rounding counts as critical, which has no load on the substep. */
    const double stiffness = unit.stiffness * w, damping = unit.damping * w, critical = 2 * sqrt(stiffness);
    const bool is_critical = damping < critical && damping > critical * (1 - 4 * ROUNDING);
    u.stiffness = stiffness;
    u.damping = is_critical ? critical : damping;
  }
  return u;
}

/* Square of the damped angular frequency in 1/s^2; 0 at and above critical damping. */
static double swing_of(law own, const unit_law *u) {
  const double square = law_is(own, MSD_SPRING_FREQUENCY) ? u->stiffness * ((1 - u->ratio) * (1 + u->ratio))
                                                          : u->stiffness - u->damping * u->damping / 4;
  return square > 4 * DBL_EPSILON * u->stiffness ? square : 0;
}

soft_pin_weight soft_pin_weigh(const world_model *model, int32_t index, bool is_exact) {
  const unit_law u = unit_law_of(model, index);
  if (!is_exact)
    return (soft_pin_weight){u.stiffness, u.damping, u.ck + 2 * u.cd};
  const double swing = swing_of(model->soft_pins.entries[index].law, &u);
  return (soft_pin_weight){.stiffness = 4 / (PI * PI) * swing, .coefficient = u.ck + 2 * u.cd};
}

/* The law after stiffness clamping. Stiffness is scaled by `fraction`. Damping is scaled by it too where
   damping loads the substep, else by its square root, which keeps the damping ratio. */
static unit_law softened(const world_model *model, int32_t index, double dt) {
  unit_law u = unit_law_of(model, index);
  const bool is_exact = soft_pin_is_exact(model);
  const soft_pin_weight weight = soft_pin_weigh(model, index, is_exact);
  const double total = dt * dt * weight.stiffness + 2 * dt * weight.damping + weight.coefficient;
  if (!model->clamp_stiffness || !(total > SOFT_PIN_SHARE))
    return u;
  const double fraction = SOFT_PIN_SHARE / total;
  u.ck *= fraction;
  u.cd *= fraction;
  u.frequency *= sqrt(fraction);
  u.stiffness *= fraction;
  u.damping *= is_exact ? sqrt(fraction) : fraction;
  return u;
}

/* ------------------------------------------------------------------------------- start and end of a frame */

static soft_pin_work work_of(const world_model *model, int32_t index, double dt) {
  const soft_pin_entry *a = &model->soft_pins.entries[index];
  const double mass = (double)model->particles.mass[a->particle];
  const unit_law u = softened(model, index, dt);
  const bool is_coefficient = law_is(a->law, MSD_SPRING_COEFFICIENT);
  msd_damped_spring s = {1, dt, 0, 1};
  if (!is_coefficient)
    s = law_is(a->law, MSD_SPRING_FREQUENCY) ? msd_damped_spring_make(u.frequency, u.ratio, dt)
                                             : msd_damped_spring_make_stiffness(u.stiffness, u.damping, dt);
  const bool keeps_position = s.pos_pos > 0.5, keeps_velocity = s.vel_vel > 0.5;
  return (soft_pin_work){
      .slot = particle_slot(&model->particles, a->particle),
      .soft_pin = index,
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
  const soft_pin_work *p = a, *q = b;
  return (p->slot > q->slot) - (p->slot < q->slot);
}

static void make_works(world_model *model, double substep) {
  soft_pin_store *s = &model->soft_pins;
  s->work_count = 0;
  for (int32_t i = 0; i < s->count; i++)
    if (soft_pin_moves(s, &model->particles, i))
      s->works[s->work_count++] = work_of(model, i, substep);
  if (s->work_count > 1)
    qsort(s->works, (size_t)s->work_count, sizeof *s->works, by_slot);
  s->made_for = revision_of_soft_pin_works(&model->revision, substep);
}

void soft_pin_begin_step(world_model *model, double substep, int substeps) {
  soft_pin_store *s = &model->soft_pins;
  if (!revision_holds(&s->made_for, revision_of_soft_pin_works(&model->revision, substep)))
    make_works(model, substep);
  s->some_turn = false;
  for (int32_t k = 0; k < s->work_count; k++) {
    soft_pin_work *work = &s->works[k];
    const soft_pin_entry *a = &s->entries[work->soft_pin];
    double target[3];
    s->some_turn = s->some_turn || (a->moves && !turn_is_none(a->turn));
    work->since = 0;
    vec3_components(a->point, work->point);
    vec3_components(a->moves ? a->target : a->point, target);
    for (int c = 0; c < 3; c++) {
      work->point_velocity[c] = (target[c] - work->point[c]) / (substep * substeps);
      /* Both states are set, because a particle can wake during the frame. */
      work->velocity[0][c] = work->velocity[1][c] = a->velocity[c];
      work->seen[0][c] = work->seen[1][c] = a->knows_velocity ? a->seen[c] : (double)NAN;
    }
  }
}

static double3 point_at(const soft_pin_entry *a, double share) {
  const rigid_path path = rigid_path_of(a->turn);
  return rigid_path_point(&path, rigid_path_rotation(&path, share), share, vec3_double(a->point),
                          vec3_double(a->target));
}

void soft_pin_go(world_model *model, int number, int substeps) {
  soft_pin_store *s = &model->soft_pins;
  const double substep = s->made_for.step;
  for (int32_t k = 0; k < s->work_count && s->some_turn; k++) {
    soft_pin_work *work = &s->works[k];
    const soft_pin_entry *a = &s->entries[work->soft_pin];
    if (!a->moves || turn_is_none(a->turn))
      continue;
    const double3 from = point_at(a, (double)(number - 1) / substeps),
                  to = point_at(a, (double)number / substeps);
    const double start[3] = {from.x, from.y, from.z}, end[3] = {to.x, to.y, to.z};
    work->since = (number - 1) * substep;
    for (int c = 0; c < 3; c++) {
      work->point[c] = start[c];
      work->point_velocity[c] = (end[c] - start[c]) / substep;
    }
  }
}

double soft_pin_turn(const soft_pin_store *s) {
  double most = 0;
  for (int32_t i = 0; i < s->count; i++)
    if (s->entries[i].moves)
      most = fmax(most, vec3_length(s->entries[i].turn.rotation));
  return most;
}

/* -k (x - a) - mu (v - q), `elapsed` seconds after the start of the frame. */
static double force_along(const soft_pin_work *work, int c, double elapsed, double x, double v) {
  const double point = work->point[c] + work->point_velocity[c] * (elapsed - work->since);
  return -(work->stiffness * (x - point) + work->damping * (v - work->point_velocity[c]));
}

/* Clamps to the range of msd_real: the force on a heavy particle can exceed it. */
static msd_real saturated(double value) {
  const double largest = sizeof(msd_real) == sizeof(double) ? DBL_MAX : (double)FLT_MAX;
  return (msd_real)fmin(fmax(value, -largest), largest);
}

/* Mean force in N of the last substep. For a soft pin that acts as a force, the force in the current state. */
static void average_force(const world_model *model, const soft_pin_work *work, double elapsed,
                          double force[3]) {
  const particle_store *p = &model->particles;
  const int32_t particle = model->soft_pins.entries[work->soft_pin].particle;
  const double mass = (double)p->mass[particle], substep = model->soft_pins.made_for.step;
  double x[3], v[3];
  vec3_components(particle_vector(p, POSITION_X, particle), x);
  vec3_components(particle_vector(p, VELOCITY_X, particle), v);
  for (int c = 0; c < 3; c++)
    force[c] = soft_pin_is_exact(model) ? mass * work->change[p->current][c] / substep
                                        : force_along(work, c, elapsed, x[c], v[c]);
}

static msd_vec3 force_of_entry(const world_model *model, const soft_pin_work *work, double elapsed) {
  double force[3];
  average_force(model, work, elapsed, force);
  return (msd_vec3){saturated(force[0]), saturated(force[1]), saturated(force[2])};
}

void soft_pin_add_impulses(const world_model *model, double elapsed, bool is_over, double3 *sums) {
  const soft_pin_store *s = &model->soft_pins;
  if (soft_pin_is_exact(model) != is_over)
    return;
  for (int32_t k = 0; k < s->work_count; k++) {
    const soft_pin_work *work = &s->works[k];
    const soft_pin_entry *a = &s->entries[work->soft_pin];
    double force[3];
    average_force(model, work, elapsed, force);
    if (sleep_has(&model->sleep, a->particle))
      vec3_components(a->force, force);
    sums[work->soft_pin] =
        double3_add_scaled(sums[work->soft_pin], (double3){force[0], force[1], force[2]}, s->made_for.step);
  }
}

void soft_pin_end_step(world_model *model, int done, int substeps) {
  soft_pin_store *s = &model->soft_pins;
  for (int32_t k = 0; k < s->work_count && done > 0; k++) {
    const soft_pin_work *work = &s->works[k];
    soft_pin_entry *a = &s->entries[work->soft_pin];
    if (sleep_has(&model->sleep, a->particle))
      continue;
    a->force = force_of_entry(model, work, done * s->made_for.step);
    a->knows_velocity = soft_pin_is_exact(model);
    if (!a->knows_velocity)
      continue;
    memcpy(a->velocity, work->velocity[model->particles.current], sizeof a->velocity);
    memcpy(a->seen, work->seen[model->particles.current], sizeof a->seen);
  }
  const double progress = (double)done / substeps;
  for (int32_t i = 0; i < s->count; i++) {
    soft_pin_entry *a = &s->entries[i];
    if (!a->moves)
      continue;
    const double3 now = point_at(a, progress);
    a->point = done == substeps ? a->target : (msd_vec3){(msd_real)now.x, (msd_real)now.y, (msd_real)now.z};
    a->moves = false;
  }
}

double soft_pin_stiffness(const world_model *model, int32_t index, double substep) {
  const soft_pin_entry *a = &model->soft_pins.entries[index];
  if (a->particle < 0)
    return 0;
  const unit_law u = softened(model, index, substep);
  const double coefficient = substep > 0 ? u.ck / (substep * substep) : 0;
  return (double)model->particles.mass[a->particle] *
         (law_is(a->law, MSD_SPRING_COEFFICIENT) ? coefficient : u.stiffness);
}

double soft_pin_energy(const world_model *model, int32_t index) {
  const soft_pin_entry *a = &model->soft_pins.entries[index];
  if (a->particle < 0)
    return 0;
  const msd_vec3 offset =
      vec3_subtract(particle_vector(&model->particles, POSITION_X, a->particle), a->point);
  return 0.5 * soft_pin_stiffness(model, index, model->substep) * vec3_dot(offset, offset);
}

/* --------------------------------------------------------------------------------------- within a substep */

static int32_t first_work(const soft_pin_slice *p) {
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

/* V* of a component. The kernel kicked v; V - v is added back with the same linear damping. */
static double kicked_velocity(const soft_pin_slice *p, const soft_pin_work *work, int c, int from, double v,
                              double kicked) {
  const bool is_known = work->seen[from][c] == v;
  return is_known ? kicked + p->decay * (work->velocity[from][c] - v) : kicked;
}

/* Moves one component of one particle. x and v are the state before the substep; *next_x and *next_v come
   from the kernel and are replaced. */
static bool move_along(const soft_pin_slice *p, soft_pin_work *work, int c, int state, double x, double v,
                       msd_real *next_x, msd_real *next_v) {
  const double q = work->point_velocity[c], a = work->point[c] + q * (p->elapsed - work->since), dt = p->dt;
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

double soft_pin_watch_force(const soft_pin_slice *p, const soft_pin_watch *w, size_t at, int c,
                            double kicked) {
  const double inverse_mass = (double)w->inverse_mass[at];
  const double given = w->force ? (double)w->force[(size_t)c * p->stride + at] * inverse_mass : 0;
  return (kicked / p->dt - given - w->gravity[c]) / inverse_mass;
}

void soft_pin_watch_kick(const soft_pin_slice *p, const soft_pin_watch *w, const msd_real *read,
                         const msd_real *write) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++)
    for (int c = 0; c < 3 && p->decay > 0; c++) {
      soft_pin_work *work = &p->works[k];
      const size_t v = (size_t)(c + 3) * p->stride + work->slot;
      const double kicked = (double)write[v] / p->decay;
      work->spring_force[c] = soft_pin_watch_force(p, w, work->slot, c, kicked - (double)read[v]);
      w->tallies[work->slot / NETWORK_CHUNK].work -= work->spring_force[c] * kicked;
    }
}

void soft_pin_watch_move(const soft_pin_slice *p, const soft_pin_watch *w, const msd_real *write) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++)
    for (int c = 0; c < 3 && p->decay > 0; c++) {
      const soft_pin_work *work = &p->works[k];
      const double moved = (double)write[(size_t)(c + 3) * p->stride + work->slot];
      w->tallies[work->slot / NETWORK_CHUNK].work += work->spring_force[c] * moved;
    }
}

double soft_pin_kept_force(const soft_pin_slice *p, size_t slot, int c) {
  soft_pin_slice at = *p;
  at.first = slot;
  return p->works[first_work(&at)].spring_force[c];
}

bool soft_pin_holds(const soft_pin_slice *p, size_t slot) {
  soft_pin_slice at = *p;
  at.first = slot;
  const int32_t k = first_work(&at);
  return k < p->work_count && p->works[k].slot == slot;
}

/* S dt/Q: the change of V for a unit change of the mean velocity; 1 for the coefficient law. */
static double follow_factor(const soft_pin_slice *p, const soft_pin_work *work) {
  const double whole = work->keeps_velocity ? 1 + work->vel_vel : work->vel_vel;
  return work->is_coefficient || !(work->pos_vel > 0) ? 1 : whole * p->dt / work->pos_vel;
}

void soft_pin_correct(const soft_pin_slice *p, const soft_pin_watch *w, const msd_real *write, int state) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++)
    for (int c = 0; c < 3 && p->inverse_mass[p->works[k].slot] > 0; c++) {
      soft_pin_work *work = &p->works[k];
      const double now = (double)write[(size_t)(c + 3) * p->stride + work->slot];
      const double change = now - work->seen[state][c];
      work->velocity[state][c] += follow_factor(p, work) * change;
      work->seen[state][c] = now;
      if (w && p->decay > 0)
        w->tallies[work->slot / NETWORK_CHUNK].work += work->spring_force[c] * change;
    }
}

bool soft_pin_move(const soft_pin_slice *p, const msd_real *read, msd_real *write, msd_real *write_records,
                   int state) {
  bool finite = true;
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++) {
    soft_pin_work *work = &p->works[k];
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

void soft_pin_add_forces(const soft_pin_slice *p, const msd_real *state, msd_real *force) {
  for (int32_t k = first_work(p); k < p->work_count && p->works[k].slot < p->last; k++) {
    const soft_pin_work *work = &p->works[k];
    for (int c = 0; c < 3; c++) {
      const size_t x = (size_t)c * p->stride + work->slot, v = x + 3 * p->stride;
      force[x] =
          (msd_real)((double)force[x] + force_along(work, c, p->elapsed, (double)state[x], (double)state[v]));
    }
  }
}

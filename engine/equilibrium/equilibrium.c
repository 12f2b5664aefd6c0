#include "engine/equilibrium/equilibrium.h"

#include <math.h>

/* With a momentum factor near 1 a linear system tolerates a step factor below 4. */
static const double PACE_WITH_SWING = 3;

/* The search is stuck if the step factor falls below this. */
static const double PACE_LEAST = 0x1p-60;

/* -------------------------------------------------------------------------------------------------- start */

static bool open_arrays(equilibrium_search *s, memory *m) {
  const int64_t count = s->terms.particles, chunks = rest_chunks(s->terms.particles);
  s->x = memory_allocate_items(m, count, sizeof *s->x);
  s->trial = memory_allocate_items(m, count, sizeof *s->trial);
  s->gradient = memory_allocate_items(m, count, sizeof *s->gradient);
  s->move = memory_allocate_items(m, count, sizeof *s->move);
  s->force = memory_allocate_items(m, count, sizeof *s->force);
  s->inverse = memory_allocate_items(m, count, sizeof *s->inverse);
  s->bars = memory_allocate_items(m, count, sizeof *s->bars);
  s->changes = memory_allocate_items(m, chunks, sizeof *s->changes);
  s->accelerations = memory_allocate_items(m, chunks, sizeof *s->accelerations);
  s->term_changes =
      memory_allocate_items(m, rest_chunks(rest_term_count(&s->terms)), sizeof *s->term_changes);
  return s->x && s->trial && s->gradient && s->move && s->force && s->inverse && s->bars && s->changes &&
         s->accelerations && s->term_changes;
}

void rest_end(equilibrium_search *s, memory *m) {
  energy_terms_free(&s->terms, m);
  collider_set_free(&s->touch, m);
  memory_release(m, s->x);
  memory_release(m, s->trial);
  memory_release(m, s->gradient);
  memory_release(m, s->move);
  memory_release(m, s->force);
  memory_release(m, s->inverse);
  memory_release(m, s->bars);
  memory_release(m, s->changes);
  memory_release(m, s->accelerations);
  memory_release(m, s->term_changes);
  *s = (equilibrium_search){0};
}

static bool is_free(const equilibrium_search *s, int32_t i) {
  return s->model->particles.inverse_mass[i] > 0;
}

double rest_energy(const equilibrium_search *s, const double3 *x) {
  const particle_store *p = &s->model->particles;
  const double3 gravity = vec3_double(s->model->gravity);
  double sum = energy_terms_energy(&s->terms, x, 0, rest_term_count(&s->terms));
  for (int32_t i = 0; i < s->terms.particles; i++)
    sum -= (double)p->mass[i] * double3_dot(gravity, x[i]);
  return sum;
}

/* ------------------------------------------------------------------------------------------ one iteration */

/* The items of a chunk. */
static parallel_range items_of(int32_t chunk, int32_t count) {
  const int32_t first = chunk * REST_CHUNK;
  return (parallel_range){first, count - first < REST_CHUNK ? count : first + REST_CHUNK};
}

/* Computes the next displacement from the gradient, and the change of the gravitational energy. */
static void move_particles(equilibrium_search *s, int thread, int32_t chunk, double swing, double pace) {
  const particle_store *p = &s->model->particles;
  const double3 gravity = vec3_double(s->model->gravity);
  const parallel_range of = items_of(chunk, s->terms.particles);
  double change = 0;
  for (int32_t i = of.first; i < of.last; i++) {
    const double3 way =
        double3_add_scaled(double3_scale(s->move[i], swing), s->gradient[i], -pace * s->inverse[i]);
    s->move[i] = is_free(s, i) ? collider_set_go(&s->touch, thread, i, s->x[i], way) : way;
    s->trial[i] = double3_add_scaled(s->x[i], s->move[i], 1);
    change -= is_free(s, i) ? (double)p->mass[i] * double3_dot(gravity, s->move[i]) : 0;
  }
  s->changes[chunk] = change;
}

static void move_terms(equilibrium_search *s, int32_t chunk) {
  const parallel_range of = items_of(chunk, rest_term_count(&s->terms));
  s->term_changes[chunk] = energy_terms_move(&s->terms, s->x, s->trial, s->move, of.first, of.last);
}

/* D times the displacement of a plain step from x. Where D is 0, -g. */
static double3 force_on(const equilibrium_search *s, int thread, int32_t i, double weight) {
  const double3 against = double3_scale(s->gradient[i], -1);
  if (s->touch.colliders == 0 || !(weight > 0))
    return against;
  const double3 way = double3_scale(against, s->inverse[i]);
  return double3_scale(collider_set_go(&s->touch, thread, i, s->x[i], way), weight);
}

/* Accepts the trial positions, and computes the gradient there. */
static void settle_particles(equilibrium_search *s, int thread, int32_t chunk) {
  const particle_store *p = &s->model->particles;
  const double3 gravity = vec3_double(s->model->gravity);
  const parallel_range of = items_of(chunk, s->terms.particles);
  double most = 0;
  for (int32_t i = of.first; i < of.last; i++) {
    if (!is_free(s, i))
      continue;
    double weight;
    const double mass = (double)p->mass[i];
    const double3 g = double3_add_scaled(energy_terms_gather(&s->terms, i, &weight), gravity, -mass);
    weight += s->bars[i];
    s->x[i] = s->trial[i];
    s->gradient[i] = g;
    s->inverse[i] = weight > 0 ? 1 / weight : 0;
    s->force[i] = force_on(s, thread, i, weight);
    most = fmax(most, sqrt(double3_dot(s->force[i], s->force[i])) / mass);
  }
  s->accelerations[chunk] = most;
}

static double total(const double *sums, int32_t count) {
  double sum = 0;
  for (int32_t n = 0; n < rest_chunks(count); n++)
    sum += sums[n];
  return sum;
}

static double change_of(const equilibrium_search *s) {
  return total(s->changes, s->terms.particles) + total(s->term_changes, rest_term_count(&s->terms));
}

static double largest_acceleration(const equilibrium_search *s) {
  double most = 0;
  for (int32_t n = 0; n < rest_chunks(s->terms.particles); n++)
    most = fmax(most, s->accelerations[n]);
  return most;
}

/* ---------------------------------------------------------------------------------------- many iterations */

/* The state of the iteration, which each thread computes identically from shared sums. */
typedef struct course {
  int since, iterations, returns;
  double pace, change, acceleration;
  bool is_stuck;
} course;

static double swing_of(const course *c) {
  return c->since / (c->since + 3.0);
}

/* Returns whether the trial is accepted; otherwise adjusts the next one. */
static bool judge(course *c, double change) {
  if (change <= 0) {
    c->change += change;
    c->iterations++;
    c->since++;
    c->pace = fmin(1, 2 * c->pace);
    return true;
  }
  c->returns++;
  if (c->since == 0)
    c->pace *= 0.5;
  c->since = 0;
  c->is_stuck = c->pace < PACE_LEAST;
  return false;
}

static bool goes_on(const equilibrium_search *s, const course *c) {
  return !c->is_stuck && c->iterations < s->iterations_most && c->acceleration > s->acceleration_least;
}

static void go_task(void *context, int thread, int threads) {
  equilibrium_search *s = context;
  const parallel_range terms = parallel_split(rest_chunks(rest_term_count(&s->terms)), thread, threads),
                       particles = parallel_split(rest_chunks(s->terms.particles), thread, threads);
  course c = {s->since, s->iterations, s->returns, s->pace, s->change, s->acceleration, false};
  while (goes_on(s, &c)) {
    const double pace = c.since > 0 ? PACE_WITH_SWING * c.pace : c.pace;
    for (int32_t n = particles.first; n < particles.last; n++)
      move_particles(s, thread, n, swing_of(&c), pace);
    parallel_wait(&s->barrier, threads);
    for (int32_t n = terms.first; n < terms.last; n++)
      move_terms(s, n);
    parallel_wait(&s->barrier, threads);
    const bool is_taken = judge(&c, change_of(s));
    for (int32_t n = particles.first; is_taken && n < particles.last; n++)
      settle_particles(s, thread, n);
    parallel_wait(&s->barrier, threads);
    c.acceleration = is_taken ? largest_acceleration(s) : c.acceleration;
  }
  if (thread != 0)
    return;
  s->since = c.since;
  s->iterations = c.iterations;
  s->returns = c.returns;
  s->pace = c.pace;
  s->change = c.change;
  s->acceleration = c.acceleration;
  s->is_stuck = c.is_stuck;
}

void rest_go_on(equilibrium_search *s, int iterations, double acceleration) {
  s->barrier = (parallel_barrier){0};
  s->iterations_most = s->iterations + iterations;
  s->acceleration_least = acceleration;
  parallel_run(&s->model->tasks, s->threads, go_task, s);
}

/* Computes the initial forces by a displacement of 0. */
bool rest_begin(equilibrium_search *s, memory *m, const world_model *model, int threads, double substep,
                bool touches) {
  *s = (equilibrium_search){.model = model, .threads = threads, .pace = 1};
  if (!energy_terms_make(&s->terms, m, model, substep) ||
      !collider_set_make(&s->touch, m, model, threads, touches) || !open_arrays(s, m))
    return false;
  for (int32_t i = 0; i < s->terms.particles; i++) {
    s->x[i] = s->trial[i] = vec3_double(particle_vector(&model->particles, POSITION_X, i));
    s->bars[i] = energy_terms_weight(&s->terms, i);
  }
  for (int32_t n = 0; n < rest_chunks(rest_term_count(&s->terms)); n++)
    move_terms(s, n);
  for (int32_t n = 0; n < rest_chunks(s->terms.particles); n++)
    settle_particles(s, 0, n);
  s->acceleration = largest_acceleration(s);
  return true;
}

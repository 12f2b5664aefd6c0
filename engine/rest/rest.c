#include "engine/rest/rest.h"

#include <math.h>

/* With a swing near 1 what is linear bears a pace below 4. */
static const double PACE_WITH_SWING = 3;

/* A pace that was halved this often leads nowhere. */
static const double PACE_LEAST = 0x1p-60;

/* ----------------------------------------------------------------------------------------------- beginning */

static bool open_arrays(rest_search *s, memory *m) {
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

void rest_end(rest_search *s, memory *m) {
  rest_terms_free(&s->terms, m);
  rest_touch_free(&s->touch, m);
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
  *s = (rest_search){0};
}

static bool is_free(const rest_search *s, int32_t i) {
  return s->model->particles.inverse_mass[i] > 0;
}

double rest_energy(const rest_search *s, const double3 *x) {
  const particle_store *p = &s->model->particles;
  const double3 gravity = vec3_double(s->model->gravity);
  double sum = rest_terms_energy(&s->terms, x, 0, rest_term_count(&s->terms));
  for (int32_t i = 0; i < s->terms.particles; i++)
    sum -= (double)p->mass[i] * double3_dot(gravity, x[i]);
  return sum;
}

/* ------------------------------------------------------------------------------------------ one iteration */

/* Items of chunk c. */
static parallel_range items_of(int32_t chunk, int32_t count) {
  const int32_t first = chunk * REST_CHUNK;
  return (parallel_range){first, count - first < REST_CHUNK ? count : first + REST_CHUNK};
}

/* The next move, from the gradient; and what gravity changes by. */
static void move_particles(rest_search *s, int thread, int32_t chunk, double swing, double pace) {
  const particle_store *p = &s->model->particles;
  const double3 gravity = vec3_double(s->model->gravity);
  const parallel_range of = items_of(chunk, s->terms.particles);
  double change = 0;
  for (int32_t i = of.first; i < of.last; i++) {
    const double3 way =
        double3_add_scaled(double3_scale(s->move[i], swing), s->gradient[i], -pace * s->inverse[i]);
    s->move[i] = is_free(s, i) ? rest_touch_go(&s->touch, thread, i, s->x[i], way) : way;
    s->trial[i] = double3_add_scaled(s->x[i], s->move[i], 1);
    change -= is_free(s, i) ? (double)p->mass[i] * double3_dot(gravity, s->move[i]) : 0;
  }
  s->changes[chunk] = change;
}

static void move_terms(rest_search *s, int32_t chunk) {
  const parallel_range of = items_of(chunk, rest_term_count(&s->terms));
  s->term_changes[chunk] = rest_terms_move(&s->terms, s->x, s->trial, s->move, of.first, of.last);
}

/* What a plain step from x would go, times D; without anything that D knows of, all of -g. */
static double3 force_on(const rest_search *s, int thread, int32_t i, double weight) {
  const double3 against = double3_scale(s->gradient[i], -1);
  if (s->touch.colliders == 0 || !(weight > 0))
    return against;
  const double3 way = double3_scale(against, s->inverse[i]);
  return double3_scale(rest_touch_go(&s->touch, thread, i, s->x[i], way), weight);
}

/* Particles go where they were tried, and learn the gradient there. */
static void settle_particles(rest_search *s, int thread, int32_t chunk) {
  const particle_store *p = &s->model->particles;
  const double3 gravity = vec3_double(s->model->gravity);
  const parallel_range of = items_of(chunk, s->terms.particles);
  double most = 0;
  for (int32_t i = of.first; i < of.last; i++) {
    if (!is_free(s, i))
      continue;
    double weight;
    const double mass = (double)p->mass[i];
    const double3 g = double3_add_scaled(rest_terms_gather(&s->terms, i, &weight), gravity, -mass);
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

static double change_of(const rest_search *s) {
  return total(s->changes, s->terms.particles) + total(s->term_changes, rest_term_count(&s->terms));
}

static double largest_acceleration(const rest_search *s) {
  double most = 0;
  for (int32_t n = 0; n < rest_chunks(s->terms.particles); n++)
    most = fmax(most, s->accelerations[n]);
  return most;
}

/* --------------------------------------------------------------------------------------------- many of them */

/* What every thread works out alike from sums that all can see. */
typedef struct course {
  int since, iterations, returns;
  double pace, change, acceleration;
  bool is_stuck;
} course;

static double swing_of(const course *c) {
  return c->since / (c->since + 3.0);
}

/* Whether the trial is taken; else what is tried instead. */
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

static bool goes_on(const rest_search *s, const course *c) {
  return !c->is_stuck && c->iterations < s->iterations_most && c->acceleration > s->acceleration_least;
}

static void go_task(void *context, int thread, int threads) {
  rest_search *s = context;
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

void rest_go_on(rest_search *s, int iterations, double acceleration) {
  s->barrier = (parallel_barrier){0};
  s->iterations_most = s->iterations + iterations;
  s->acceleration_least = acceleration;
  parallel_run(&s->model->tasks, s->threads, go_task, s);
}

/* The forces where it begins: those of a move by 0. */
bool rest_begin(rest_search *s, memory *m, const world_model *model, int threads, double substep,
                bool touches) {
  *s = (rest_search){.model = model, .threads = threads, .pace = 1};
  if (!rest_terms_make(&s->terms, m, model, substep) ||
      !rest_touch_make(&s->touch, m, model, threads, touches) || !open_arrays(s, m))
    return false;
  for (int32_t i = 0; i < s->terms.particles; i++) {
    s->x[i] = s->trial[i] = vec3_double(particle_vector(&model->particles, POSITION_X, i));
    s->bars[i] = rest_terms_weight(&s->terms, i);
  }
  for (int32_t n = 0; n < rest_chunks(rest_term_count(&s->terms)); n++)
    move_terms(s, n);
  for (int32_t n = 0; n < rest_chunks(s->terms.particles); n++)
    settle_particles(s, 0, n);
  s->acceleration = largest_acceleration(s);
  return true;
}

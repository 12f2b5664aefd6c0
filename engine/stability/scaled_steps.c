#include "engine/stability/scaled_steps.h"

#include "engine/base/sort.h"
#include "engine/scaling/mass_scaling.h"

#include <math.h>
#include <string.h>

/* Substeps in which a wave passes the longest chain. */
static const double SUBSTEPS_THROUGH = 32;

/* Masses are scaled for the stiffest tenth of the springs. */
enum { MAX_STABLE_PART = 10 };

typedef struct chain_search {
  const world_model *model;
  /* Incidence of springs, and of fibers. */
  incidence at, fibers_at;
  /* Particles in the order in which they are reached; and the number of springs from the start of the
     search. */
  int32_t *queue, *distance;
} chain_search;

/* Reaches the other particles of the fibers at a reached particle. */
static void reach_by_fibers(chain_search *c, int32_t i, int32_t base, int32_t *count) {
  for (int32_t k = c->fibers_at.first[i]; k < c->fibers_at.first[i + 1]; k++) {
    const constraint_corners corners = constraint_corners_of(&c->model->constraints, c->fibers_at.item[k]);
    for (int32_t n = 0; n < corners.count; n++)
      if (c->distance[corners.particles[n]] < base) {
        c->distance[corners.particles[n]] = c->distance[i] + 1;
        c->queue[(*count)++] = corners.particles[n];
      }
  }
}

/* Breadth-first search over all particles with a distance below `base`; distances begin at `base`. Returns
   the last particle, which is one of the farthest. */
static int32_t reach_from(chain_search *c, int32_t particle, int32_t base) {
  const spring_store *s = &c->model->springs;
  int32_t count = 1;
  c->queue[0] = particle;
  c->distance[particle] = base;
  for (int32_t n = 0; n < count; n++) {
    const int32_t i = c->queue[n];
    for (int32_t k = c->at.first[i]; k < c->at.first[i + 1]; k++) {
      const int32_t e = c->at.item[k], other = s->a[e] == i ? s->b[e] : s->a[e];
      if (c->distance[other] >= base || spring_is_broken(s, e) || spring_is_hard_limit(s, e))
        continue;
      c->distance[other] = c->distance[i] + 1;
      c->queue[count++] = other;
    }
    reach_by_fibers(c, i, base, &count);
  }
  return c->queue[count - 1];
}

/* The number of springs or fibers in a shortest path between two distant particles: from the first particle
   of each body to the farthest one, and from there again. */
static int32_t longest_chain(chain_search *c) {
  const int32_t particles = c->model->particles.count;
  int32_t longest = 0;
  memset(c->distance, -1, (size_t)particles * sizeof *c->distance);
  for (int32_t i = 0; i < particles; i++) {
    if (c->distance[i] >= 0)
      continue;
    const int32_t far = reach_from(c, i, 0), base = c->distance[far] + 1;
    const int32_t chain = c->distance[reach_from(c, far, base)] - base;
    longest = chain > longest ? chain : longest;
  }
  return longest;
}

static int corners_of_fiber(const void *context, int32_t constraint, int32_t corners[INCIDENCE_CORNERS_MAX]) {
  const constraint_store *s = &((const world_model *)context)->constraints;
  if (constraint_is_broken(s, constraint) || !constraint_is_fiber(s, constraint))
    return 0;
  const constraint_corners own = constraint_corners_of(s, constraint);
  for (int32_t n = 0; n < own.count; n++)
    corners[n] = own.particles[n];
  return own.count;
}

static bool find_chain(const world_model *model, memory *m, int32_t *longest) {
  const int32_t particles = model->particles.count;
  chain_search c = {.model = model,
                    .queue = memory_allocate_items(m, particles, sizeof *c.queue),
                    .distance = memory_allocate_items(m, particles, sizeof *c.distance)};
  const bool done =
      c.queue && c.distance && spring_find_incidence(&c.at, m, &model->springs, particles) &&
      incidence_find(&c.fibers_at, m, particles, model->constraints.count, corners_of_fiber, model);
  if (done)
    *longest = longest_chain(&c);
  incidence_free(&c.at, m);
  incidence_free(&c.fibers_at, m);
  memory_release(m, c.queue);
  memory_release(m, c.distance);
  return done;
}

/* s: the substep where kappa = 4 share; INFINITY for a spring whose load does not depend on it. */
static double own_step(const law_terms *t) {
  if (t->stiffness == 0 && t->damping == 0)
    return INFINITY;
  return 4 * t->share / (t->damping + sqrt(t->damping * t->damping + 4 * t->share * t->stiffness));
}

/* Positive doubles have the order of their bits. */
static uint64_t key_of(double step) {
  uint64_t key;
  memcpy(&key, &step, sizeof key);
  return key;
}

static double step_of(uint64_t key) {
  double step;
  memcpy(&step, &key, sizeof step);
  return step;
}

/* For the stiffest pair of its corners (pair_weights.h); INFINITY if it is not a fiber. */
static double step_of_fiber(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  const particle_store *p = &model->particles;
  const constraint_corners corners = constraint_corners_of(s, constraint);
  const msd_real *weights = constraint_fiber_of(s, constraint);
  law_terms terms = constraint_split(s, p, constraint);
  double least = INFINITY;
  for (int32_t i = 0; i < corners.count && constraint_is_fiber(s, constraint); i++)
    for (int32_t j = i + 1; j < corners.count; j++) {
      const int32_t a = corners.particles[i], b = corners.particles[j];
      const double shares = p->valence[a] * (double)p->inverse_mass[a] +
                            p->valence[b] * (double)p->inverse_mass[b],
                   factor = -(double)weights[i] * (double)weights[j];
      const law_terms pair = {.stiffness = factor * terms.stiffness,
                              .damping = factor * terms.damping,
                              .share = 1 / ((corners.count - 1) * shares)};
      if (shares > 0 && factor > 0)
        least = fmin(least, own_step(&pair));
    }
  return least;
}

/* The substep of the spring or fiber that a tenth of them exceeds in stiffness; INFINITY without any. */
static bool find_typical_step(const world_model *model, memory *m, double *step) {
  const spring_store *s = &model->springs;
  int32_t count = 0;
  const int64_t most = (int64_t)s->count + model->constraints.count;
  sort_item *items = memory_allocate_items(m, most, sizeof *items);
  sort_item *spare = memory_allocate_items(m, most, sizeof *spare);
  const bool done = items && spare;
  for (int32_t e = 0; done && e < s->count; e++) {
    const law_terms terms = spring_effective_mass(s, &model->particles, e);
    if (terms.share > 0)
      items[count++] = (sort_item){key_of(own_step(&terms)), 0};
  }
  for (int32_t c = 0; done && c < model->constraints.count; c++)
    if (isfinite(step_of_fiber(model, c)))
      items[count++] = (sort_item){key_of(step_of_fiber(model, c)), 0};
  *step =
      done && count > 0 ? step_of(sort_by_key(items, spare, count)[count / MAX_STABLE_PART].key) : INFINITY;
  memory_release(m, items);
  memory_release(m, spare);
  return done;
}

/* The stretch of a chain that hangs from a pin: a chain of n springs of length l, each projected once in a
   substep, stretches by about n dt^2 g/l. */
static const double GRAVITY_SHARE = 0.1;

/* The Gauss-Seidel substep from the mean rest length; INFINITY without gravity. */
static double substep_of_sweeps(const world_model *model, int32_t chain) {
  const spring_store *s = &model->springs;
  const double x = (double)model->gravity.x, y = (double)model->gravity.y, z = (double)model->gravity.z;
  double sum = 0;
  int32_t count = 0;
  for (int32_t e = 0; e < s->count; e++)
    if (!spring_is_broken(s, e) && !spring_is_hard_limit(s, e)) {
      sum += (double)s->rest[e];
      count++;
    }
  const double pull = sqrt(x * x + y * y + z * z) * chain;
  return count > 0 && pull > 0 && sum > 0 ? sqrt(GRAVITY_SHARE * sum / count / pull) : INFINITY;
}

bool scaled_raise_step(const world_model *model, memory *m, double *step) {
  int32_t chain = 0;
  double typical = INFINITY;
  if (model->solver == MSD_SOLVER_GAUSS_SEIDEL) {
    if (!find_chain(model, m, &chain))
      return false;
    const double sweeps = substep_of_sweeps(model, chain);
    *step = isfinite(sweeps) ? sweeps : *step;
    return true;
  }
  if (model->mass_scaling == MSD_MASS_SCALING_NONE)
    return true;
  if (!find_chain(model, m, &chain) || !find_typical_step(model, m, &typical))
    return false;
  if (isfinite(typical))
    *step = fmax(*step, typical * fmax(1, chain / SUBSTEPS_THROUGH));
  return true;
}

double scaled_radius(const world_model *model, double radius) {
  if (model->solver == MSD_SOLVER_GAUSS_SEIDEL)
    return model->constraints.count > 0 ? fmin(radius, MASS_SCALING_RADIUS / 2) : 0;
  return model->mass_scaling == MSD_MASS_SCALING_NONE ? radius : fmin(radius, MASS_SCALING_RADIUS);
}

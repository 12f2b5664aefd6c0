/* Springs, constraints and soft pins of a model as loads on the stability budget, and the parallel passes
   over them. bound.h explains the passes. */
#ifndef MSD_ENGINE_STABILITY_ANALYSIS_H
#define MSD_ENGINE_STABILITY_ANALYSIS_H

#include "engine/stability/global_analysis.h"
#include "engine/store/model.h"

#include <math.h>

/* A load as a function of the substep dt: dt^2 stiffness + 2 dt damping + coefficient. */
typedef struct step_load {
  double stiffness, damping, coefficient;
} step_load;

static inline step_load step_load_scaled(step_load load, double factor) {
  return (step_load){factor * load.stiffness, factor * load.damping, factor * load.coefficient};
}

static inline void step_load_add(step_load *sum, step_load load, double factor) {
  sum->stiffness += factor * load.stiffness;
  sum->damping += factor * load.damping;
  sum->coefficient += factor * load.coefficient;
}

static inline double step_load_at(step_load load, double dt) {
  return dt * dt * load.stiffness + 2 * dt * load.damping + load.coefficient;
}

/* The dt at which the load reaches `radius`: INFINITY if it never does, 0 if it always exceeds it. */
static inline double step_load_root(step_load load, double radius) {
  const double room = radius - load.coefficient;
  if (room <= 0)
    return 0;
  const double slope = load.damping + sqrt(load.damping * load.damping + room * load.stiffness);
  return slope > 0 ? room / slope : INFINITY;
}

/* A spring that moves something: not broken, and not between two pins. `spring` is -1 for the pair springs
   that represent fibers (fiber_bound.h). */
typedef struct analysis_spring {
  int32_t spring, a, b;
} analysis_spring;

/* The diagonal terms of constraints that need stiffness budget (softening_weights.h): as in the current
   configuration; the same, but limited to configurations that automatic substeps follow; or none. */
typedef enum analysis_softened { SOFTENED_AT_SHAPE, SOFTENED_FOLLOWED, SOFTENED_LEFT_OUT } analysis_softened;

/* The contribution of a block of particles or springs to sums and extremes. Sums are computed by block, then
   over the blocks in order, so that they do not depend on the number of threads. */
typedef struct analysis_part {
  double sum, norm, extreme, largest;
  step_load load;
} analysis_part;

enum { ANALYSIS_PARTICLES = 4096, ANALYSIS_SPRINGS = 1024 };

/* The lowest and highest particle index at the ends of the springs of a block. */
typedef struct analysis_ends {
  int32_t least, most;
} analysis_ends;

/* The arrays of an analysis. Most networks have many springs with few stiffness laws, and every spring moves
   something. Then the springs are those of the model, kappa is stored per law, and nothing is stored per
   spring. */
typedef struct analysis {
  const world_model *model;
  memory *memory;
  /* The global analysis of a distributed model; NULL if the model is complete. */
  const analysis_whole *whole;
  /* The particles that count in sums and extremes: all, or those that this subdomain owns. */
  parallel_range counted;
  /* The global index of the first particle, modulo the block size. */
  int32_t offset;
  /* For a subdomain: the number of passes for which x stays valid in the owned range. */
  int fresh;
  /* NULL: all springs of the model. */
  analysis_spring *list;
  /* The law of each spring of the model, if terms and kappa are stored per law; NULL: they are stored per
     spring. */
  const uint8_t *law;
  /* kappa as a function of dt; term_count entries. */
  step_load *terms;
  /* kappa at one dt; term_count entries. */
  double *kappa;
  int32_t term_count;
  /* The number of springs, and of those that are springs of the model, which come first. */
  int32_t count, model_springs;
  /* x is positive where a spring moves the particle, else 0; y is A x. */
  double *x, *y;
  /* A x as a function of dt. */
  step_load *rows;
  /* Per block of springs. */
  analysis_ends *ends;
  /* Per block of particles or springs, from the last pass. */
  analysis_part *parts;
  /* The diagonal term of each particle; NULL: none. */
  step_load *own;
  /* The result of softening_placed_loads, while diagonal terms are built. */
  step_load *placed_loads;
  /* Diagonal terms at one dt, as kappa. */
  double *own_kappa;
  /* The number of constraints at each particle. */
  int32_t *sharers;
  bool has_stiffness, has_damping, has_coefficient;
  /* True if the diagonal terms include the budget of constraints as a coefficient, which adds no
     stiffness. */
  bool has_room;
  /* True if the bound uses only the rows at x = 1, which do not change when particles split. */
  bool keeps_rows;
  /* The maximum number of sweeps of a certificate. It also ends when the bound is within the fraction `tight`
     of its limit. */
  int sweeps_max;
  double tight;
  analysis_softened softened;
} analysis;

/* The lower number is used where the limit depends on the current configuration and is recomputed often, and
   for networks so large that a sweep takes as long as a substep. */
enum { STABILITY_SWEEPS = 49, STABILITY_SWEEPS_AGAIN = 9 };

/* Returns false if memory runs out; close it in any case. */
bool analysis_open(analysis *a, const world_model *model, memory *m);
void analysis_close(analysis *a);

/* The same without diagonal terms. */
bool analysis_open_springs(analysis *a, const world_model *model, memory *m);

/* The same for a subdomain. All ranks call it together and get the same result; NULL: the model is complete.
   A distributed model may have springs only. The functions that quick_step and stability_steps consist of,
   here and in bound.h, are collective: all ranks must call them. The others see the local data only. */
bool analysis_open_part(analysis *a, const world_model *model, memory *m, const analysis_whole *whole);

/* Builds the diagonal terms of constraints and soft pins. Soft pins count as symplectic Euler moves them
   (is_exact) or as forces. limited_dt 0: as defined; else as stiffness clamping softens them at that substep.
   Returns false if memory runs out. */
bool analysis_set_own(analysis *a, bool is_exact, double limited_dt);

/* The diagonal term of a soft pin that moves something. */
step_load analysis_soft_pin_term(const analysis *a, int32_t soft_pin, bool is_exact);

/* Adds to the diagonal term of a particle while the terms are built. */
void analysis_add_own(analysis *a, int32_t particle, step_load term);

static inline analysis_spring analysis_spring_at(const analysis *a, int32_t e) {
  const spring_store *s = &a->model->springs;
  return a->list ? a->list[e] : (analysis_spring){e, s->a[e], s->b[e]};
}

/* The index of the term of a spring. */
static inline int32_t analysis_term_at(const analysis *a, int32_t e) {
  return a->law ? a->law[a->list ? a->list[e].spring : e] : e;
}

/* kappa of a spring as a function of dt, and at one dt. */
static inline step_load analysis_load_of(const analysis *a, int32_t e) {
  return a->terms[analysis_term_at(a, e)];
}

static inline double analysis_kappa_of(const analysis *a, int32_t e) {
  return a->kappa[analysis_term_at(a, e)];
}

/* Stores terms and kappa per spring, so that they can be changed individually. Returns false if memory runs
   out. */
bool analysis_spread(analysis *a);

static inline double analysis_inverse_mass(const analysis *a, int32_t particle) {
  return (double)a->model->particles.inverse_mass[particle];
}

/* kg: the mass fraction of a spring, law_terms.share. */
static inline double analysis_share(const analysis *a, int32_t e) {
  const analysis_spring s = analysis_spring_at(a, e);
  const int32_t *valence = a->model->particles.valence;
  return 1 / (valence[s.a] * analysis_inverse_mass(a, s.a) + valence[s.b] * analysis_inverse_mass(a, s.b));
}

/* ------------------------------------------------------------------------------------------------ threads */

/* The particles and springs of a thread: whole blocks of both. */
typedef struct analysis_range {
  parallel_range particles, springs;
} analysis_range;

/* Runs a task on all ranges in parallel. It may write only data of its own particles, springs and blocks. */
typedef void analysis_task(analysis *a, const void *question, analysis_range range);
void analysis_run(analysis *a, analysis_task *task, const void *question);

static inline analysis_part *analysis_part_of(const analysis *a, int32_t particle) {
  return &a->parts[(particle + a->offset) / ANALYSIS_PARTICLES];
}

/* The end of the block of a particle, or of the range if that comes first. */
static inline int32_t analysis_block_end(const analysis *a, int32_t first, parallel_range particles) {
  const int32_t left = ANALYSIS_PARTICLES - (first + a->offset) % ANALYSIS_PARTICLES;
  return particles.last - first > left ? first + left : particles.last;
}

static inline bool analysis_has(parallel_range particles, int32_t particle) {
  return particle >= particles.first && particle < particles.last;
}

/* The particles of a range that count. */
static inline parallel_range analysis_counted(const analysis *a, parallel_range particles) {
  const parallel_range all = a->counted;
  return (parallel_range){particles.first > all.first ? particles.first : all.first,
                          particles.last < all.last ? particles.last : all.last};
}

/* Returns whether a spring counts. */
static inline bool analysis_counts(const analysis *a, int32_t e) {
  return !a->whole || analysis_has(a->counted, analysis_spring_at(a, e).a);
}

/* The result of a pass over all particles: sums in the order of the blocks, and the largest extremes. */
analysis_part analysis_sum(const analysis *a);

/* The same for a distributed model. `add` adds the contribution of one particle to its block. */
typedef void analysis_adder(const analysis *a, int32_t particle, analysis_part *part);
analysis_part analysis_sum_whole(const analysis *a, analysis_adder *add);

/* Replaces the values by their maximum over all ranks, if the model is a subdomain. */
void analysis_find_largest(const analysis *a, double *values, int count);

static inline double analysis_find_least(const analysis *a, double value) {
  double negative = -value;
  analysis_find_largest(a, &negative, 1);
  return -negative;
}

/* For a subdomain: updates the ghost entries of an array with one entry per particle. analysis_freshen does
   so for x, if the next pass would need invalid ghost values. */
void analysis_exchange(const analysis *a, void *values, size_t bytes);
void analysis_freshen(analysis *a);

/* Iterates over the springs at the particles of a range, by block. A block that overlaps several ranges is
   visited for each of them. */
typedef struct analysis_visit {
  int32_t first, last;
  /* True if both ends of all its springs are in the range. */
  bool is_inside;
} analysis_visit;

/* The next block; begin with all 0. Returns false after the last. */
bool analysis_visit_next(const analysis *a, parallel_range particles, analysis_visit *visit);

/* ------------------------------------------------------------------------------------------------ helpers */

/* Returns whether kappa of all springs grows with dt at the same rate, so that one x serves every dt. */
static inline bool analysis_is_homogeneous(const analysis *a) {
  return a->has_stiffness + a->has_damping + (a->has_coefficient || a->has_room) <= 1;
}

/* `step`, or `asked` if `step` is 0 or infinite. Only steers an iteration. */
static inline double steering_step(double step, double asked) {
  return step > 0 && isfinite(step) ? step : asked;
}

#endif

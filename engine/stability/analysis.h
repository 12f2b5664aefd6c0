/* The springs, constraints and anchors of a model as loads on the step, and how threads share the passes
   through them. bound.h says what the passes are for. */
#ifndef MSD_ENGINE_STABILITY_ANALYSIS_H
#define MSD_ENGINE_STABILITY_ANALYSIS_H

#include "engine/base/parallel.h"
#include "engine/store/model.h"

#include <math.h>

/* A load on the step as a function of it: dt^2 stiffness + 2 dt damping + coefficient. */
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

/* The dt at which the bound reaches `radius`: INFINITY when no dt does, 0 when all do. */
static inline double step_load_root(step_load load, double radius) {
  const double room = radius - load.coefficient;
  if (room <= 0)
    return 0;
  const double slope = load.damping + sqrt(load.damping * load.damping + room * load.stiffness);
  return slope > 0 ? room / slope : INFINITY;
}

/* A spring that moves something: not broken, and not between two pins. `spring` is -1 of what fibres are to the
   analysis (fibre_bound.h). */
typedef struct analysis_spring {
  int32_t spring, a, b;
} analysis_spring;

/* How own terms have the constraints that a shorter step makes room for (softening_weights.h): as they are at
   the present shape; as they are, but no further than automatic substeps follow them; not at all. */
typedef enum analysis_softened { SOFTENED_AT_SHAPE, SOFTENED_FOLLOWED, SOFTENED_LEFT_OUT } analysis_softened;

/* What a block of particles or springs adds to a sum or an extreme. Sums are made block by block, and those of
   the blocks in their order: no bit depends on the number of threads. */
typedef struct analysis_part {
  double sum, norm, extreme, largest;
  step_load load;
} analysis_part;

enum { ANALYSIS_PARTICLES = 4096, ANALYSIS_SPRINGS = 1024 };

/* The least and the most particle at the ends of the springs of a block. */
typedef struct analysis_ends {
  int32_t least, most;
} analysis_ends;

/* The arrays of one analysis. Most networks have many springs of few laws in N/m, and none that moves nothing:
   then the springs are those of the model, their kappa is that of their law, and nothing is kept for each. */
typedef struct analysis {
  const world_model *model;
  memory *memory;
  /* NULL: all springs of the model. */
  analysis_spring *list;
  /* The law of each spring of the model, where terms and kappa are those of the laws; NULL: each spring has its
     own. */
  const uint8_t *law;
  /* kappa as a function of dt, `term_count` of them. */
  step_load *terms;
  /* kappa at one dt, as many. */
  double *kappa;
  int32_t term_count;
  /* The number of springs, and of those that are springs of the model, which come first. */
  int32_t count, model_springs;
  /* x is positive where a spring moves the particle, else 0; y is A x. */
  double *x, *y;
  /* A x as a function of dt. */
  step_load *rows;
  /* Of each block of springs. */
  analysis_ends *ends;
  /* Of each block of particles or springs, of the last run. */
  analysis_part *parts;
  /* The own term of each particle; NULL: there is none. */
  step_load *own;
  /* softening_placed_loads, while own terms are made. */
  step_load *placed_loads;
  /* Own terms at one dt, as kappa. */
  double *own_kappa;
  /* Constraints at each particle. */
  int32_t *sharers;
  bool has_stiffness, has_damping, has_coefficient;
  /* Whether own terms have the room of constraints as a coefficient, which is no stiffness. */
  bool has_room;
  /* Whether the step is certified by the rows at x = 1 alone, which particles that split leave as they are. */
  bool keeps_rows;
  /* The most sweeps for one certificate, which also ends where the bound is closer than `tight` to what it can
     be. */
  int sweeps_max;
  double tight;
  analysis_softened softened;
} analysis;

/* The lower number where the limit is found again for each step, because it stands for the present shape, and
   for networks so large that each sweep takes as long as a substep. */
enum { STABILITY_SWEEPS = 49, STABILITY_SWEEPS_AGAIN = 9 };

/* False when there is no memory; close it all the same. */
bool analysis_open(analysis *a, const world_model *model, memory *m);
void analysis_close(analysis *a);

/* The same without own terms. */
bool analysis_open_springs(analysis *a, const world_model *model, memory *m);

/* Makes the own terms anew: those of constraints, and of anchors as the step of symplectic Euler moves them
   (is_exact) or as forces. limited_dt 0: as they are defined; else as MSD_LIMIT_COEFFICIENTS softens them at
   that substep. False when there is no memory. */
bool analysis_set_own(analysis *a, bool is_exact, double limited_dt);

/* The own term of an anchor that moves something. */
step_load analysis_anchor_term(const analysis *a, int32_t anchor, bool is_exact);

/* Adds to the own term of a particle while they are made. */
void analysis_add_own(analysis *a, int32_t particle, step_load term);

static inline analysis_spring analysis_spring_at(const analysis *a, int32_t e) {
  const spring_store *s = &a->model->springs;
  return a->list ? a->list[e] : (analysis_spring){e, s->a[e], s->b[e]};
}

/* Which of the terms is that of a spring. */
static inline int32_t analysis_term_at(const analysis *a, int32_t e) {
  return a->law ? a->law[a->list ? a->list[e].spring : e] : e;
}

/* kappa of a spring as a function of dt, and that at one dt. */
static inline step_load analysis_load_of(const analysis *a, int32_t e) {
  return a->terms[analysis_term_at(a, e)];
}

static inline double analysis_kappa_of(const analysis *a, int32_t e) {
  return a->kappa[analysis_term_at(a, e)];
}

/* Gives each spring terms and a kappa of its own, which may then be changed one by one. False when there is no
   memory. */
bool analysis_spread(analysis *a);

static inline double analysis_inverse_mass(const analysis *a, int32_t particle) {
  return (double)a->model->particles.inverse_mass[particle];
}

/* kg: the law_terms.share of a spring. */
static inline double analysis_share(const analysis *a, int32_t e) {
  const analysis_spring s = analysis_spring_at(a, e);
  const int32_t *valence = a->model->particles.valence;
  return 1 / (valence[s.a] * analysis_inverse_mass(a, s.a) + valence[s.b] * analysis_inverse_mass(a, s.b));
}

/* ------------------------------------------------------------------------------------------------ threads */

/* One thread's particles and springs: whole blocks of both. */
typedef struct analysis_range {
  parallel_range particles, springs;
} analysis_range;

/* Runs a task on all ranges at once. It writes what belongs to its own particles, springs and their blocks. */
typedef void analysis_task(analysis *a, const void *question, analysis_range range);
void analysis_run(analysis *a, analysis_task *task, const void *question);

static inline analysis_part *analysis_part_of(const analysis *a, int32_t particle) {
  return &a->parts[particle / ANALYSIS_PARTICLES];
}

/* The last particle + 1 of the block in which one is the first, of a range. */
static inline int32_t analysis_block_end(int32_t first, parallel_range particles) {
  return particles.last - first > ANALYSIS_PARTICLES ? first + ANALYSIS_PARTICLES : particles.last;
}

/* Of all particles after a run: sums in the order of the blocks, and the largest extremes. */
analysis_part analysis_sum(const analysis *a);

/* The springs at the particles of a range, block by block: a block that reaches beyond it is visited for each
   range that it reaches into. */
typedef struct analysis_visit {
  int32_t first, last;
  /* Whether both ends of all of them are in the range. */
  bool is_inside;
} analysis_visit;

/* The next block; begin with all 0. False after the last. */
bool analysis_visit_next(const analysis *a, parallel_range particles, analysis_visit *visit);

static inline bool analysis_has(parallel_range particles, int32_t particle) {
  return particle >= particles.first && particle < particles.last;
}

/* ------------------------------------------------------------------------------------------------- the rest */

/* Whether kappa of all springs grows with dt in the same way, so that one x serves every dt. */
static inline bool analysis_is_homogeneous(const analysis *a) {
  return a->has_stiffness + a->has_damping + (a->has_coefficient || a->has_room) <= 1;
}

/* `step`, or `asked` when every step is certified or none: only to steer an iteration. */
static inline double steering_step(double step, double asked) {
  return step > 0 && isfinite(step) ? step : asked;
}

#endif

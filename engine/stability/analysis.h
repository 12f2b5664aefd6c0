/* The springs, constraints and anchors of a model as loads on the step, and how threads share the passes
   through them. bound.h says what the passes are for. */
#ifndef MSD_ENGINE_STABILITY_ANALYSIS_H
#define MSD_ENGINE_STABILITY_ANALYSIS_H

#include "engine/stability/whole.h"
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
  /* Of what the model is a part; NULL: it is all there is. */
  const analysis_whole *whole;
  /* The particles that count in sums and extremes: all of them, or those of a part that are its own. */
  parallel_range counted;
  /* How far behind the begin of a block of the whole the first particle is. */
  int32_t offset;
  /* Of a part: the passes for which x is still right in what counts. */
  int fresh;
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

/* The same of a part of a whole, which all ranks open at once, with the same result; NULL: it is all there is.
   The whole has springs alone. Of the functions below and those of bound.h all ranks then call alike those that
   quick_step and stability_steps consist of; the others know what this rank has. */
bool analysis_open_part(analysis *a, const world_model *model, memory *m, const analysis_whole *whole);

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
  return &a->parts[(particle + a->offset) / ANALYSIS_PARTICLES];
}

/* The last particle + 1 of those of a range that are in the block of one, and not before it. */
static inline int32_t analysis_block_end(const analysis *a, int32_t first, parallel_range particles) {
  const int32_t left = ANALYSIS_PARTICLES - (first + a->offset) % ANALYSIS_PARTICLES;
  return particles.last - first > left ? first + left : particles.last;
}

static inline bool analysis_has(parallel_range particles, int32_t particle) {
  return particle >= particles.first && particle < particles.last;
}

/* Those of a range that count. */
static inline parallel_range analysis_counted(const analysis *a, parallel_range particles) {
  const parallel_range all = a->counted;
  return (parallel_range){particles.first > all.first ? particles.first : all.first,
                          particles.last < all.last ? particles.last : all.last};
}

/* Whether a spring counts. */
static inline bool analysis_counts(const analysis *a, int32_t e) {
  return !a->whole || analysis_has(a->counted, analysis_spring_at(a, e).a);
}

/* Of all particles after a run: sums in the order of the blocks, and the largest extremes. */
analysis_part analysis_sum(const analysis *a);

/* The same of the whole, where there is one: `add` adds what the run has added of one particle to its block. */
typedef void analysis_adder(const analysis *a, int32_t particle, analysis_part *part);
analysis_part analysis_sum_whole(const analysis *a, analysis_adder *add);

/* Replaces some numbers by the largest that any rank has, where the model is a part. */
void analysis_find_largest(const analysis *a, double *values, int count);

static inline double analysis_find_least(const analysis *a, double value) {
  double negative = -value;
  analysis_find_largest(a, &negative, 1);
  return -negative;
}

/* Of a part: gives the border what its owners have of an array with an entry for each particle; and of x, where
   another pass would reach what counts with what is not right. */
void analysis_exchange(const analysis *a, void *values, size_t bytes);
void analysis_freshen(analysis *a);

/* The springs at the particles of a range, block by block: a block that reaches beyond it is visited for each
   range that it reaches into. */
typedef struct analysis_visit {
  int32_t first, last;
  /* Whether both ends of all of them are in the range. */
  bool is_inside;
} analysis_visit;

/* The next block; begin with all 0. False after the last. */
bool analysis_visit_next(const analysis *a, parallel_range particles, analysis_visit *visit);

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

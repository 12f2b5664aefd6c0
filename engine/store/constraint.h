/* The constraint store: the definitions of springs on constraints, and their stiffness and damping at the
   present shape and a given substep.

   A constraint of k corners keeps them in `corners`. A mesh keeps its triangles in a slice of `triangles`, and
   its particles, each once and ascending, in a slice of `vertices`: these are its corners. The triangles that
   meet at a vertex are a slice of `fans`: the half-edges that leave it.

       triangles   a b c | a c d | ...        half-edge 3 t + n leaves corner n of triangle t
       vertices    a b c d ...                vertex_first[v] .. vertex_first[v + 1] - 1 are its fans
       fans        0 3 .. | 1 .. | 2 4 .. |   ascending half-edges

   The first vertex of a mesh is the origin of mesh_volume.h.

   A law by frequency or by coefficients needs a mass. It is that of the shape in which the constraint was
   placed, so that k and mu are constant and the law has an energy: with the gradients g_j of then

       m = 1/sum w_j |g_j|^2        m^ = 1/sum n_j w_j |g_j|^2

   The store keeps |g_j|, so that m follows masses, pins and breaks.

   particles.valence counts an unbroken constraint once at each of its corners. */
#ifndef MSD_ENGINE_STORE_CONSTRAINT_H
#define MSD_ENGINE_STORE_CONSTRAINT_H

#include "engine/base/growth.h"
#include "engine/base/report.h"
#include "engine/constraint/factors.h"
#include "engine/constraint/kind.h"
#include "engine/constraint/sizes.h"
#include "engine/store/law.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/wear_rule.h"

enum {
  /* So that indices of corner forces fit into 32 bits. */
  CONSTRAINTS_MAX = INT32_MAX / 20,
  CONSTRAINT_TRIANGLES_MAX = INT32_MAX / 64
};

typedef struct constraint_mesh {
  int32_t first_triangle, triangle_count;
  int32_t first_vertex, vertex_count;
} constraint_mesh;

typedef struct constraint_store {
  int32_t count, capacity;
  int32_t broken;
  /* CONSTRAINT_CORNERS particles each, -1 where there are fewer; the first of a mesh is its index in
     `meshes`. */
  int32_t *corners;
  /* As many: the w_j of a fibre, whose sum is 0; 0 of other kinds. */
  msd_real *fibres;
  /* In units of the value. */
  msd_real *rest;
  law *laws;
  /* An msd_constraint_kind. */
  uint8_t *kind;
  bool *is_broken;
  /* CONSTRAINT_CORNERS each: |dC/dx_j| of the shape in which it was placed; not of a mesh. */
  msd_real *placed;
  /* Constraints whose placed shape had no size: all of `placed` is 0. */
  int32_t unplaced;
  /* As many: the a_j of factors.h in the last substep (stability/softening_weights.h); n_j w_j where there is a
     limit. */
  msd_real *weights;
  revision weights_made_for;
  /* NULL: strain does nothing to any. */
  wear_rule *wear;

  constraint_mesh *meshes;
  int32_t mesh_count, mesh_capacity;
  /* Three particles each. */
  int32_t *triangles;
  /* As many half-edges. */
  int32_t *fans;
  int32_t triangle_count, triangle_capacity;
  int32_t *vertices;
  /* As `placed` and `weights`. */
  msd_real *vertex_placed, *vertex_weights;
  /* vertex_count + 1 of them. */
  int32_t *vertex_first;
  int32_t vertex_count;
} constraint_store;

void constraint_store_free(constraint_store *s, memory *m);

extern const growth_table constraint_growth, constraint_mesh_growth, constraint_triangle_growth;

/* Adds a definition that was checked, with room reserved, and returns its index. Its rest value must be filled
   in. Neither places it nor counts the valence. */
int32_t constraint_store_append(constraint_store *s, const msd_constraint_def *def);

/* Adds the triangles of a mesh, with their vertices and fans, and returns its index. */
int32_t constraint_append_mesh(constraint_store *s, const int32_t *triangles, int32_t count);

static inline bool constraint_is_broken(const constraint_store *s, int32_t constraint) {
  return s->is_broken[constraint];
}

static inline const constraint_kind *constraint_kind_of(const constraint_store *s, int32_t constraint) {
  return constraint_kind_get((msd_constraint_kind)s->kind[constraint]);
}

static inline bool constraint_is_mesh(const constraint_store *s, int32_t constraint) {
  return s->kind[constraint] == MSD_CONSTRAINT_MESH_VOLUME;
}

static inline bool constraint_is_fibre(const constraint_store *s, int32_t constraint) {
  return s->kind[constraint] == MSD_CONSTRAINT_FIBRE;
}

/* Whether it takes of what a substep can take, and the less the shorter that is: it acts, and not by
   coefficients. What is bounded at every shape takes its part as springs do, and needs no room beside them. */
static inline bool constraint_takes_room(const constraint_store *s, int32_t constraint) {
  const law own = s->laws[constraint];
  return !s->is_broken[constraint] && !law_is(own, MSD_SPRING_COEFFICIENT) &&
         !constraint_gradients_stay((msd_constraint_kind)s->kind[constraint]) &&
         (own.first > 0 || (law_is(own, MSD_SPRING_PHYSICAL) && own.second > 0));
}

/* Whether it is a coefficient of its own mass m alone; the stiffest share. */
static inline bool constraint_counts_alone(const constraint_store *s, int32_t constraint) {
  const law own = s->laws[constraint];
  return law_is(own, MSD_SPRING_COEFFICIENT) && own.first >= 0 && own.second >= 0;
}

/* The weights of its corners. */
static inline const msd_real *constraint_fibre_of(const constraint_store *s, int32_t constraint) {
  return s->fibres + (size_t)constraint * CONSTRAINT_CORNERS;
}

bool constraint_some_take_room(const constraint_store *s);

/* Makes room for what strain does to constraints. False when there is no memory. */
bool constraint_open_wear(constraint_store *s, memory *m);

/* What the wear of a constraint is counted in: 1 rad, or the rest value that it was given. */
double constraint_wear_unit(const constraint_store *s, int32_t constraint);

/* By how much a constraint has yielded, in the unit of its value: rest - given, of a fold the short way
   round. */
double constraint_set(const constraint_store *s, int32_t constraint);

/* For MSD_CONSTRAINT_MESH_VOLUME only. */
static inline const constraint_mesh *constraint_mesh_of(const constraint_store *s, int32_t constraint) {
  return &s->meshes[s->corners[(size_t)constraint * CONSTRAINT_CORNERS]];
}

/* The next half-edge of the same triangle. */
static inline int32_t constraint_next_half_edge(int32_t half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

/* The particle of the first (1) or second (2) corner after the vertex, in the triangle of a fan. */
static inline int32_t constraint_fan_particle(const constraint_store *s, int32_t fan, int after) {
  const int32_t next = constraint_next_half_edge(s->fans[fan]);
  return s->triangles[after == 1 ? next : constraint_next_half_edge(next)];
}

/* The particles of a constraint of any kind; for a mesh all its vertices. */
typedef struct constraint_corners {
  const int32_t *particles;
  int32_t count;
} constraint_corners;

constraint_corners constraint_corners_of(const constraint_store *s, int32_t constraint);

/* Moves constraints, as growth_close_gaps, and their corners to other indices; NULL: these or those stay. Those
   that go are broken. */
void constraint_close_gaps(constraint_store *s, memory *m, const int32_t *to, const int32_t *particle_to);

/* `change` is 1 when a constraint begins to act, -1 when it breaks. */
void constraint_count_valence(const constraint_store *s, particle_store *p, int32_t constraint, int change);

/* ------------------------------------------------------------------------- the shape in which it was placed */

/* Takes the present shape as that in which it was placed. */
void constraint_place(constraint_store *s, const particle_store *p, int32_t constraint);

/* Whether that had a size. */
bool constraint_is_placed(const constraint_store *s, int32_t constraint);

/* It is placed in the first shape that has a size, as one that was added where its particles are in one
   place. */
void constraint_wait_for_shape(constraint_store *s, int32_t constraint);

/* Places those that wait; whether one is placed now. */
bool constraint_place_late(constraint_store *s, const particle_store *p);

/* Of a store whose norms were read. */
void constraint_count_unplaced(constraint_store *s);

/* |dC/dx_j| of then, and the weights in the last substep, at each of constraint_corners_of. */
msd_real *constraint_placed_norms(const constraint_store *s, int32_t constraint);
msd_real *constraint_weights(const constraint_store *s, int32_t constraint);

/* m and m^ of then; 0 without a size, or where all is pinned. */
typedef struct constraint_masses {
  double whole, shared;
} constraint_masses;

constraint_masses constraint_placed_masses(const constraint_store *s, const particle_store *p,
                                           int32_t constraint);

/* ------------------------------------------------------------------------------------ at the present shape */

/* In the units of the kind. */
typedef struct constraint_shape {
  double value;
  /* C = value - rest; for a dihedral the short way round. */
  double error;
  /* C'. */
  double rate;
  /* Sum of w_j |dC/dx_j|^2, the inverse of the effective mass; 0: no gradient. */
  double weight;
  /* Sum of n_j w_j |dC/dx_j|^2. */
  double shared_weight;
  /* Of factors.h, in the last substep. */
  double excess;
} constraint_shape;

constraint_shape constraint_measure(const constraint_store *s, const particle_store *p, int32_t constraint);

/* dC/dx at one of constraint_corners_of. */
double3 constraint_gradient(const constraint_store *s, const particle_store *p, int32_t constraint,
                            int32_t corner);

/* |dC/dx_j| at each of constraint_corners_of that can be, and the geometric part, as constraint_sizes; at a
   given error. Not of a mesh. */
constraint_sizes constraint_present_sizes(const constraint_store *s, const particle_store *p,
                                          int32_t constraint, double error);

/* The present value of a definition whose corners exist. */
double constraint_placed_value(const particle_store *p, const msd_constraint_def *def);

/* Its law with the placed masses; all 0 when the constraint is broken. */
law_terms constraint_split(const constraint_store *s, const particle_store *p, int32_t constraint);

/* Before the first substep, given as 0 s, coefficients are 0. */
constraint_factors constraint_factors_at(const constraint_store *s, const particle_store *p,
                                         int32_t constraint, double time_step);

/* k and mu at the given shape, not softened but by a limit. */
law_tuning constraint_tune(const constraint_factors *factors, const constraint_shape *shape, double time_step,
                           msd_limit limit);

/* 1/weight or 1/shared_weight; 0 without a gradient. */
double constraint_mass(double weight);

/* k and mu in the world's last substep, with its softening. */
law_tuning constraint_present_tuning(const constraint_store *s, const particle_store *p, int32_t constraint,
                                     const constraint_shape *shape, double time_step, msd_limit limit);

/* Whether the triangles form a closed mesh: every directed edge once, and its opposite once. Particle indices
   are only checked to be 0 or more. MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
msd_result constraint_check_mesh(report *r, memory *m, const int32_t *triangles, int32_t count,
                                 subject about);

#endif

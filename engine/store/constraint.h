/* The constraint store: definitions, and stiffness and damping in the current configuration for a given
   substep.

   A constraint of k corners stores them in `corners`. A mesh stores its triangles in a slice of `triangles`.
   Its corners are its particles, each once and ascending, in a slice of `vertices`. A slice of `fans` lists
   the half-edges that leave a vertex, one for each triangle that meets there.

       triangles   a b c | a c d | ...        half-edge 3 t + n leaves corner n of triangle t
       vertices    a b c d ...                vertex_first[v] .. vertex_first[v + 1] - 1 are its fans
       fans        0 3 .. | 1 .. | 2 4 .. |   ascending half-edges

   The first vertex of a mesh is the origin of mesh_volume.h.

   A law by frequency or by coefficients needs a mass. It uses the mass of the reference configuration, so
   that k and mu are constant and the law has an energy. With the gradients g_j in the reference
   configuration,

       m = 1/sum w_j |g_j|^2        m^ = 1/sum n_j w_j |g_j|^2

   The store keeps |g_j|, so that m follows changes of masses, pins and breaks.

   particles.valence counts an unbroken constraint once at each of its corners. */
#ifndef MSD_ENGINE_STORE_CONSTRAINT_H
#define MSD_ENGINE_STORE_CONSTRAINT_H

#include "engine/base/error.h"
#include "engine/base/growth.h"
#include "engine/constraint/factors.h"
#include "engine/constraint/kind.h"
#include "engine/constraint/sizes.h"
#include "engine/store/damage_rule.h"
#include "engine/store/law.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"

enum {
  /* Indices of corner forces must fit into 32 bits. */
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
  /* CONSTRAINT_CORNERS particles each, -1 for unused corners. For a mesh the first entry is an index into
     `meshes`. */
  int32_t *corners;
  /* CONSTRAINT_CORNERS each: the weights w_j of a fiber, whose sum is 0; 0 for other types. */
  msd_real *fibers;
  /* In the unit of the constraint value. */
  msd_real *rest;
  /* The factor on k and mu where C < 0; 1 except for fibers. */
  msd_real *compression;
  law *laws;
  /* An msd_constraint_kind. */
  uint8_t *kind;
  bool *is_broken;
  /* CONSTRAINT_CORNERS each: |dC/dx_j| in the reference configuration. Unused for a mesh. */
  msd_real *placed;
  /* Number of constraints whose reference configuration is degenerate: all of `placed` is 0. */
  int32_t unplaced;
  /* CONSTRAINT_CORNERS each: the a_j of factors.h in the last substep (stability/softening_weights.h); n_j
     w_j if stiffness is clamped. */
  msd_real *weights;
  revision weights_made_for;
  /* NULL: no constraint has damage or plasticity. */
  damage_rule *damage;

  constraint_mesh *meshes;
  int32_t mesh_count, mesh_capacity;
  /* Three particles each. */
  int32_t *triangles;
  /* Three half-edges for each triangle. */
  int32_t *fans;
  int32_t triangle_count, triangle_capacity;
  int32_t *vertices;
  /* As `placed` and `weights`, for the vertices of meshes. */
  msd_real *vertex_placed, *vertex_weights;
  /* vertex_count + 1 entries. */
  int32_t *vertex_first;
  int32_t vertex_count;
} constraint_store;

void constraint_store_free(constraint_store *s, memory *m);

extern const growth_table constraint_growth, constraint_mesh_growth, constraint_triangle_growth;

/* Appends a validated definition and returns its index. Memory must be reserved, and the rest value filled
   in. Sets neither the reference configuration nor the valence. */
int32_t constraint_store_append(constraint_store *s, const msd_constraint_def *def);

/* Appends the triangles, vertices and fans of a mesh and returns its index. */
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

static inline bool constraint_is_fiber(const constraint_store *s, int32_t constraint) {
  return s->kind[constraint] == MSD_CONSTRAINT_FIBER;
}

/* Returns whether the constraint needs stiffness budget that depends on the substep: it acts, and not by
   coefficients. Types with bounded gradients take their fraction of the mass as springs do, and need no extra
   budget. */
static inline bool constraint_takes_room(const constraint_store *s, int32_t constraint) {
  const law own = s->laws[constraint];
  return !s->is_broken[constraint] && !law_is(own, MSD_SPRING_COEFFICIENT) &&
         !constraint_gradients_stay((msd_constraint_kind)s->kind[constraint]) &&
         (own.first > 0 || (law_is(own, MSD_SPRING_STIFFNESS) && own.second > 0));
}

/* Returns whether the law is a coefficient of the reference mass m. MSD_MAX_STABLE uses a fraction of the
   particle masses instead. */
static inline bool constraint_counts_alone(const constraint_store *s, int32_t constraint) {
  const law own = s->laws[constraint];
  return law_is(own, MSD_SPRING_COEFFICIENT) && own.first >= 0 && own.second >= 0;
}

/* The fiber weights at its corners. */
static inline const msd_real *constraint_fiber_of(const constraint_store *s, int32_t constraint) {
  return s->fibers + (size_t)constraint * CONSTRAINT_CORNERS;
}

bool constraint_some_take_room(const constraint_store *s);

/* Allocates damage and plasticity data. Returns false if memory runs out. */
bool constraint_open_damage(constraint_store *s, memory *m);

/* The unit of strain of a constraint: 1 rad, or the rest value of its definition. */
double constraint_damage_unit(const constraint_store *s, int32_t constraint);

/* The plastic change: rest - given, in the unit of the value. A dihedral angle takes the shorter
   direction. */
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

/* The particles of a constraint of any type. For a mesh, all its vertices. */
typedef struct constraint_corners {
  const int32_t *particles;
  int32_t count;
} constraint_corners;

constraint_corners constraint_corners_of(const constraint_store *s, int32_t constraint);

/* Renumbers constraints as column_compact does, and their corners. A map that is NULL is the identity.
   Constraints that are removed must be broken. */
void constraint_close_gaps(constraint_store *s, memory *m, const int32_t *to, const int32_t *particle_to);

/* `change` is 1 if a constraint begins to act, -1 if it breaks. */
void constraint_count_valence(const constraint_store *s, particle_store *p, int32_t constraint, int change);

/* -------------------------------------------------------------------------------- reference configuration */

/* Makes the current configuration the reference configuration. */
void constraint_place(constraint_store *s, const particle_store *p, int32_t constraint);

/* Returns whether the reference configuration is not degenerate. */
bool constraint_is_placed(const constraint_store *s, int32_t constraint);

/* Discards the reference configuration. The first configuration that is not degenerate replaces it. */
void constraint_wait_for_shape(constraint_store *s, int32_t constraint);

/* Sets the missing reference configurations where possible. Returns whether any was set. */
bool constraint_place_late(constraint_store *s, const particle_store *p);

/* Recounts `unplaced` after the norms were loaded. */
void constraint_count_unplaced(constraint_store *s);

/* |dC/dx_j| in the reference configuration, and the weights in the last substep, for each of
   constraint_corners_of. */
msd_real *constraint_placed_norms(const constraint_store *s, int32_t constraint);
msd_real *constraint_weights(const constraint_store *s, int32_t constraint);

/* m and m^ in the reference configuration; 0 if that is degenerate or all corners are pinned. */
typedef struct constraint_masses {
  double whole, shared;
} constraint_masses;

constraint_masses constraint_placed_masses(const constraint_store *s, const particle_store *p,
                                           int32_t constraint);

/* ---------------------------------------------------------------------------------- current configuration */

/* In the units of the constraint type. */
typedef struct constraint_shape {
  double value;
  /* C = value - rest; a dihedral angle takes the shorter direction. */
  double error;
  /* C' = dC/dt. */
  double rate;
  /* Sum of w_j |dC/dx_j|^2, the inverse of the effective mass; 0 without a gradient. */
  double weight;
  /* Sum of n_j w_j |dC/dx_j|^2. */
  double shared_weight;
  /* The excess of factors.h in the last substep. */
  double excess;
} constraint_shape;

constraint_shape constraint_measure(const constraint_store *s, const particle_store *p, int32_t constraint);

/* dC/dx at one corner of constraint_corners_of. */
double3 constraint_gradient(const constraint_store *s, const particle_store *p, int32_t constraint,
                            int32_t corner);

/* The same at all corners; not for a mesh. */
void constraint_gradients(const constraint_store *s, const particle_store *p, int32_t constraint,
                          double3 gradient[CONSTRAINT_CORNERS]);

/* Upper bounds of |dC/dx_j| for each of constraint_corners_of, and of the geometric term at a given error;
   see constraint_sizes. Not for a mesh. */
constraint_sizes constraint_present_sizes(const constraint_store *s, const particle_store *p,
                                          int32_t constraint, double error);

/* The current value of a definition whose corners exist. */
double constraint_placed_value(const particle_store *p, const msd_constraint_def *def);

/* The law with the masses of the reference configuration. All terms are 0 if the constraint is broken. */
law_terms constraint_split(const constraint_store *s, const particle_store *p, int32_t constraint);

/* Before the first substep `dt` is 0, and coefficient laws give 0. */
constraint_factors constraint_factors_at(const constraint_store *s, const particle_store *p,
                                         int32_t constraint, double dt);

/* k and mu in the given configuration. Only stiffness clamping softens them. Those of a fiber are of tension,
   which bound those of compression. */
law_tuning constraint_tune(const constraint_factors *factors, const constraint_shape *shape, double dt,
                           bool limit);

/* 1/weight or 1/shared_weight; 0 without a gradient. */
double constraint_mass(double weight);

/* k and mu in the last substep of the world, including its softening and the factor on compression. */
law_tuning constraint_present_tuning(const constraint_store *s, const particle_store *p, int32_t constraint,
                                     const constraint_shape *shape, double dt, bool limit);

/* Checks that the triangles form a closed mesh: each directed edge occurs once, and so does its opposite.
   Particle indices are only checked to be non-negative. Errors: MSD_BAD_VALUE, MSD_TOO_LARGE,
   MSD_OUT_OF_MEMORY. */
msd_result constraint_check_mesh(report *r, memory *m, const int32_t *triangles, int32_t count,
                                 subject about);

#endif

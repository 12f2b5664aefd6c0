/* The constraint store: the definitions of springs on constraints, and their stiffness and damping at the
   present shape and a given substep.

   A constraint of k corners keeps them in `corners`. A mesh keeps its triangles in a slice of `triangles`, and
   its particles, each once and ascending, in a slice of `vertices`: these are its corners. The triangles that
   meet at a vertex are a slice of `fans`: the half-edges that leave it.

       triangles   a b c | a c d | ...        half-edge 3 t + n leaves corner n of triangle t
       vertices    a b c d ...                vertex_first[v] .. vertex_first[v + 1] - 1 are its fans
       fans        0 3 .. | 1 .. | 2 4 .. |   ascending half-edges

   The first vertex of a mesh is the origin of mesh_volume.h.

   particles.valence counts an unbroken constraint once at each of its corners. */
#ifndef MSD_ENGINE_STORE_CONSTRAINT_H
#define MSD_ENGINE_STORE_CONSTRAINT_H

#include "engine/base/growth.h"
#include "engine/base/report.h"
#include "engine/constraint/factors.h"
#include "engine/constraint/kind.h"
#include "engine/store/law.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"

enum {
  /* The most corners that a kind has. */
  CONSTRAINT_CORNERS = 4,
  /* So that indices of corner forces fit into 32 bits. */
  CONSTRAINTS_MAX = INT32_MAX / 20,
  CONSTRAINT_TRIANGLES_MAX = INT32_MAX / 64
};

typedef struct constraint_mesh {
  int32_t first_triangle, triangle_count;
  int32_t first_vertex, vertex_count;
} constraint_mesh;

/* What a substep has left for folds: physical springs on angles and dihedral angles. Their gradients grow
   without bound as legs and triangles collapse, so k and mu of each are scaled down where needed, such that

       dt^2 k + damping dt mu <= room m^,        m^ = 1/sum n_j w_j |dC/dx_j|^2

   With sum over the folds (sum g_j . x_j)^2 m^ <= sum m_i |x_i|^2 (Cauchy and Schwarz) all folds together
   take at most `room` of what the integrator can take, at every shape. */
typedef struct constraint_room {
  /* 0: no limit. */
  double room;
  /* The factor above: The factor above: 2; more for RK4. */
  double damping;
} constraint_room;

typedef struct constraint_store {
  /* In the last substep, and what it was made for. */
  constraint_room fold_room;
  revision fold_room_made_for;
  int32_t count, capacity;
  int32_t broken;
  /* CONSTRAINT_CORNERS particles each, -1 where there are fewer; the first of a mesh is its index in
     `meshes`. */
  int32_t *corners;
  /* In units of the value. */
  msd_real *rest;
  law *laws;
  /* An msd_constraint_kind. */
  uint8_t *kind;
  bool *is_broken;

  constraint_mesh *meshes;
  int32_t mesh_count, mesh_capacity;
  /* Three particles each. */
  int32_t *triangles;
  /* As many half-edges. */
  int32_t *fans;
  int32_t triangle_count, triangle_capacity;
  int32_t *vertices;
  /* vertex_count + 1 of them. */
  int32_t *vertex_first;
  int32_t vertex_count;
} constraint_store;

void constraint_store_free(constraint_store *s, memory *m);

extern const growth_table constraint_growth, constraint_mesh_growth, constraint_triangle_growth;

/* Adds a definition that was checked, with room reserved, and returns its index. Its rest value must be filled
   in. Does not count the valence. */
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

/* Whether constraint_room applies to it. */
static inline bool constraint_is_fold(const constraint_store *s, int32_t constraint) {
  const law own = s->laws[constraint];
  return constraint_gradients_grow((msd_constraint_kind)s->kind[constraint]) && !s->is_broken[constraint] &&
         law_is(own, MSD_SPRING_PHYSICAL) && (own.first > 0 || own.second > 0);
}

bool constraint_has_folds(const constraint_store *s);

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

/* `change` is 1 when a constraint begins to act, -1 when it breaks. */
void constraint_count_valence(const constraint_store *s, particle_store *p, int32_t constraint, int change);

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
} constraint_shape;

constraint_shape constraint_measure(const constraint_store *s, const particle_store *p, int32_t constraint);

/* dC/dx at one of constraint_corners_of. */
double3 constraint_gradient(const constraint_store *s, const particle_store *p, int32_t constraint,
                            int32_t corner);

/* The present value of a definition whose corners exist. */
double constraint_placed_value(const particle_store *p, const msd_constraint_def *def);

/* All 0 when the constraint is broken, and for a coefficient law at a substep of 0, which stands for none. */
constraint_factors constraint_factors_at(const constraint_store *s, int32_t constraint, double time_step);

/* The same, with folds softened to fit into `room`. */
constraint_factors constraint_softened_factors_at(const constraint_store *s, int32_t constraint,
                                                  const constraint_room *room, double time_step);

/* k and mu at the given shape. */
law_tuning constraint_tune(const constraint_factors *factors, const constraint_shape *shape, double time_step,
                           msd_limit limit);

/* 1/weight or 1/shared_weight; 0 without a gradient. */
double constraint_mass(double weight);

/* k and mu in the world's last substep, with its softening. */
law_tuning constraint_present_tuning(const constraint_store *s, int32_t constraint,
                                     const constraint_shape *shape, double time_step, msd_limit limit);

/* Whether the triangles form a closed mesh: every directed edge once, and its opposite once. Particle indices
   are only checked to be 0 or more. MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
msd_result constraint_check_mesh(report *r, memory *m, const int32_t *triangles, int32_t count,
                                 subject about);

#endif

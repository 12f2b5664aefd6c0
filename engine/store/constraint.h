/* The constraint store: what each spring on a constraint is by definition, and what that means at the present
   shape and a given substep.

   A constraint of k corners keeps them in `corners`. A mesh keeps its triangles in a slice of `triangles`, and
   its particles, each once and ascending, in a slice of `vertices`: these are its corners. The triangles that
   meet at a vertex are a slice of `fans`: the half-edges that leave it.

       triangles   a b c | a c d | ...        half-edge 3 t + n leaves corner n of triangle t
       vertices    a b c d ...                vertex_first[v] .. vertex_first[v + 1] - 1 are its fans
       fans        0 3 .. | 1 .. | 2 4 .. |   ascending half-edges

   The first vertex of a mesh is the origin of mesh_volume.h.

   particles.valence counts a constraint that is not broken once at each of its corners. */
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
  CONSTRAINT_CORNERS = 4,           /* the most that a kind has */
  CONSTRAINTS_MAX = INT32_MAX / 20, /* so that places of corner forces fit 32 bits */
  CONSTRAINT_TRIANGLES_MAX = INT32_MAX / 64
};

typedef struct constraint_mesh {
  int32_t first_triangle, triangle_count;
  int32_t first_vertex, vertex_count;
} constraint_mesh;

/* What a substep has left for folds: physical springs on angles and dihedral angles. Their gradients grow
   without bound as legs and triangles collapse, and k and mu of each are scaled, where that is needed, so
   that

       dt^2 k + damping dt mu <= room m^,        m^ = 1/sum n_j w_j |dC/dx_j|^2

   With sum over the folds (sum g_j . x_j)^2 m^ <= sum m_i |x_i|^2 (Cauchy and Schwarz) all folds together
   take at most `room` of what the integrator bears, at every shape. */
typedef struct constraint_room {
  double room;    /* 0: no limit */
  double damping; /* 2; more for RK4 */
} constraint_room;

typedef struct constraint_store {
  /* In the last substep, and what it was found for. */
  constraint_room fold_room;
  revision fold_room_made_for;
  int32_t count, capacity;
  int32_t broken;
  int32_t *corners; /* CONSTRAINT_CORNERS particles of each, -1 where there are fewer; of a mesh the first is
                          its number among the meshes */
  msd_real *rest;   /* in the units of the value */
  law *laws;
  uint8_t *kind; /* msd_constraint_kind */
  bool *is_broken;

  constraint_mesh *meshes;
  int32_t mesh_count, mesh_capacity;
  int32_t *triangles; /* 3 particles each */
  int32_t *fans;      /* as many */
  int32_t triangle_count, triangle_capacity;
  int32_t *vertices;
  int32_t *vertex_first; /* vertex_count + 1 */
  int32_t vertex_count;
} constraint_store;

void constraint_store_free(constraint_store *s, memory *m);

extern const growth_table constraint_growth, constraint_mesh_growth, constraint_triangle_growth;

/* Adds a definition that was checked and reserved for, and returns its index. Its rest must be filled in;
   valence is not counted. */
int32_t constraint_store_append(constraint_store *s, const msd_constraint_def *def);

/* The same of the triangles of a mesh, which get their vertices and fans; returns its number. */
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

/* Whether it is a fold: constraint_room is about these. */
static inline bool constraint_is_fold(const constraint_store *s, int32_t constraint) {
  const law own = s->laws[constraint];
  return constraint_gradients_grow((msd_constraint_kind)s->kind[constraint]) && !s->is_broken[constraint] &&
         law_is(own, MSD_SPRING_PHYSICAL) && (own.first > 0 || own.second > 0);
}

bool constraint_has_folds(const constraint_store *s);

/* Only of MSD_CONSTRAINT_MESH_VOLUME. */
static inline const constraint_mesh *constraint_mesh_of(const constraint_store *s, int32_t constraint) {
  return &s->meshes[s->corners[(size_t)constraint * CONSTRAINT_CORNERS]];
}

/* The one after it in its triangle. */
static inline int32_t constraint_next_half_edge(int32_t half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

/* The particle of the first (1) or second (2) corner after the vertex, in the triangle of a fan. */
static inline int32_t constraint_fan_particle(const constraint_store *s, int32_t fan, int after) {
  const int32_t next = constraint_next_half_edge(s->fans[fan]);
  return s->triangles[after == 1 ? next : constraint_next_half_edge(next)];
}

/* The particles of a constraint, of every kind; of a mesh all its vertices. */
typedef struct constraint_corners {
  const int32_t *particles;
  int32_t count;
} constraint_corners;

constraint_corners constraint_corners_of(const constraint_store *s, int32_t constraint);

/* At all corners: +1 when a constraint begins to act, -1 when it breaks. */
void constraint_count_valence(const constraint_store *s, particle_store *p, int32_t constraint, int change);

/* ------------------------------------------------------------------------------------ at the present shape */

/* All in double, and in the units of the kind. */
typedef struct constraint_shape {
  double value;
  double error;         /* C = value - rest; of a dihedral the short way round */
  double rate;          /* C' */
  double weight;        /* sum of w_j |dC/dx_j|^2, the inverse of the effective mass; 0: no direction */
  double shared_weight; /* sum of n_j w_j |dC/dx_j|^2 */
} constraint_shape;

constraint_shape constraint_measure(const constraint_store *s, const particle_store *p, int32_t constraint);

/* dC/dx of corner number `corner` of constraint_corners_of. */
double3 constraint_gradient(const constraint_store *s, const particle_store *p, int32_t constraint,
                            int32_t corner);

/* What the value of a definition with corners that there are is now. */
double constraint_placed_value(const particle_store *p, const msd_constraint_def *def);

/* All 0 when the constraint is broken; those of a coefficient law are 0 at a substep of 0, which stands for
   none. */
constraint_factors constraint_factors_at(const constraint_store *s, int32_t constraint, double time_step);

/* The same, where a fold has to fit into `room`. */
constraint_factors constraint_softened_factors_at(const constraint_store *s, int32_t constraint,
                                                  const constraint_room *room, double time_step);

/* k and mu at that shape. */
law_tuning constraint_tune(const constraint_factors *factors, const constraint_shape *shape, double time_step,
                           msd_limit limit);

/* 1/weight, or 1/shared_weight; 0 without a direction. */
double constraint_mass(double weight);

/* What a constraint has in the world's last substep, softened as it was. */
law_tuning constraint_present_tuning(const constraint_store *s, int32_t constraint,
                                     const constraint_shape *shape, double time_step, msd_limit limit);

/* Whether the triangles close: every directed edge once, and its opposite once. Particle indices are only
   checked for being 0 or more. MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
msd_result constraint_check_mesh(report *r, memory *m, const int32_t *triangles, int32_t count,
                                 subject about);

#endif

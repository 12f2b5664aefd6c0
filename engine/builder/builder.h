/* Shared code of all builders: validation of definitions, and batches of springs and constraints.

   A builder checks every possible failure before it adds the first particle: the values of the definition,
   the patterns of its springs, then the memory for the whole body. */
#ifndef MSD_ENGINE_BUILDER_BUILDER_H
#define MSD_ENGINE_BUILDER_BUILDER_H

#include "engine/base/vec3.h"
#include "engine/store/constraint.h"
#include "engine/world/world.h"

/* Particles, springs and constraints are added to a world in batches of this size, on the stack. */
enum { BUILDER_BATCH = 256 };

/* Returns whether a number is finite, also as an msd_real. */
bool builder_is_storable(double value);

/* Returns whether a mass and its inverse are usable after rounding. */
bool builder_is_usable_mass(double mass);

/* Each check returns MSD_OK or fails with a message that names the body ("rope", ...) and the field. */

/* `made`: the definition has its cookie. Also fails if the world is NULL. */
msd_result builder_check_def(msd_world *world, const char *body, bool made);
msd_result builder_check_vector(msd_world *world, const char *body, const char *field, msd_vec3 v);
msd_result builder_check_at_least(msd_world *world, const char *body, const char *field, int32_t value,
                                  int32_t least);

/* Checks the pattern of a group of springs. */
msd_result builder_check_pattern(msd_world *world, const char *body, const char *group,
                                 const msd_spring_def *pattern);

/* Checks that a bend model is valid for the body: `kinds` has the bit 1 << kind for each valid one. */
msd_result builder_check_bend_kind(msd_world *world, const char *body, msd_bend_kind kind, unsigned kinds);

/* Checks that the vertices of a mesh are finite, and the squared distances between them. */
msd_result builder_check_vertices(msd_world *world, const char *body, const msd_vec3 *vertices,
                                  int32_t count);

/* The default spring with that law. */
msd_spring_def builder_pattern(msd_spring_law kind);

static inline bool builder_wants(const msd_spring_def *pattern) {
  return pattern->law != MSD_SPRING_NONE;
}

/* A block of 2^31 cells along each side has more particles than 64 bits can count. So sums and products of
   counts (0 or more) saturate at a number that is too large for every world and still safe to add to. */
int64_t builder_product(int64_t a, int64_t b);
int64_t builder_sum(int64_t a, int64_t b);

/* Guarantees that adding a body of that size cannot fail, and fills in its ranges. `laws_differ`: its springs
   have individual laws instead of a few patterns. */
msd_result builder_reserve(msd_world *world, const world_size *size, bool laws_differ, msd_body *body);

/* Adds a particle of the given mass in kg at each vertex. */
msd_result builder_add_vertices(msd_world *world, const msd_vec3 *vertices, const double *mass,
                                int32_t count);

/* A batch of springs of one pattern. */
typedef struct builder_springs {
  msd_world *world;
  /* The springs added so far. */
  msd_range range;
  /* The stiffness of the next springs; initially that of the pattern. */
  msd_real stiffness;
  msd_spring_def pattern;
  /* The springs that are not added yet, as in spring_batch. */
  int waiting;
  int32_t ends[BUILDER_BATCH][2];
  msd_real rest[BUILDER_BATCH], each_stiffness[BUILDER_BATCH];
} builder_springs;

void builder_springs_begin(builder_springs *springs, msd_world *world, const msd_spring_def *pattern);

/* Adds a spring with a rest length in m, or with its current length. */
msd_result builder_springs_add_resting(builder_springs *springs, int32_t a, int32_t b, double rest);
msd_result builder_springs_add(builder_springs *springs, int32_t a, int32_t b);

/* Adds the remaining springs, and returns the range of all springs added. */
msd_result builder_springs_end(builder_springs *springs, msd_range *range);

/* A constraint with the law of the pattern and its current value as the rest value. */
msd_constraint_def builder_constraint(msd_constraint_kind kind, const msd_spring_def *pattern);

/* The same for constraints of one type and pattern, with capacity reserved. */
typedef struct builder_constraints {
  msd_world *world;
  msd_range range;
  msd_real stiffness;
  /* For fibers. */
  msd_real weights[4], compression;
  int waiting;
  msd_constraint_def defs[BUILDER_BATCH];
} builder_constraints;

void builder_constraints_begin(builder_constraints *constraints, msd_world *world, msd_constraint_kind kind,
                               const msd_spring_def *pattern);

/* `particles` has as many entries as the type has corners. */
void builder_constraints_add(builder_constraints *constraints, const int32_t particles[]);
void builder_constraints_end(builder_constraints *constraints, msd_range *range);

/* Six times the signed volume of a tetrahedron, positive if the corners after the first are counterclockwise
   seen from it: (b - a) x (c - a) . (d - a). */
double builder_six_volumes(msd_vec3 a, msd_vec3 b, msd_vec3 c, msd_vec3 d);

/* Copies the body, or an empty one after a failure, to the caller (may be NULL). Returns `result`. */
msd_result builder_hand_over(msd_result result, const msd_body *made, msd_body *body);

#endif

/* The world: everything that one simulation owns. */
#ifndef MSD_ENGINE_WORLD_WORLD_H
#define MSD_ENGINE_WORLD_WORLD_H

#include "engine/base/validate.h"
#include "engine/stability/incremental_bound.h"
#include "engine/stability/limit_cache.h"
#include "engine/step/stepper.h"
#include "engine/world/events.h"
#include "engine/world/subdomain.h"

/* Definitions that a stable limit belongs to: those of a world at a revision. */
typedef struct limits_origin {
  /* Worlds of a process are numbered in the order of creation, from 1. */
  uint64_t world;
  revision revision;
} limits_origin;

struct msd_world {
  world_model model;
  stepper stepper;
  stability_cache limits;
  incremental_bounds bounds;

  uint64_t number;
  /* For a copied world: the definitions that it started with, and the revision at which they are still
     valid. */
  limits_origin copied;
  revision copied_at;

  /* Time in s and number of substeps since the creation of the world. */
  double time;
  int64_t steps;

  /* A frame is being advanced, and the world is read-only. */
  bool is_stepping;

  callback_work callbacks;

  /* Subdomain of a distributed world. */
  world_part part;
};

/* Store a message for msd_world_message, log it, and return the result: world_fail(world, result, format,
   ...). fail_field takes the subject of the message before the format. */
#define world_fail(world, ...) report_fail(&(world)->model.report, __VA_ARGS__)
#define fail_field(world, ...) report_refuse(&(world)->model.report, __VA_ARGS__)

/* True if the world exists and no frame is being advanced. */
static inline bool world_is_open(const msd_world *world) {
  return world && !world->is_stepping;
}

/* Called on all ranks when at least one has failed. All get the message and the result of the first of those.
   `is_own`: this rank has failed and has set its message. */
msd_result world_share_failure(msd_world *world, msd_result result, bool is_own);

/* Error for a change of a world that is not open: MSD_LOCKED with a message, or MSD_BAD_VALUE if `world` is
   NULL. */
msd_result fail_locked(msd_world *world);

/* A copy has the origin of the original world until a definition changes. */
limits_origin world_limits_origin(const msd_world *world);

/* Describes what is wrong with a task system; NULL: it is valid. */
const char *world_bad_tasks(const msd_tasks *tasks);

/* world_begin_step locks a world. If it returns MSD_OK, world_take_step advances the frame and unlocks the
   world; otherwise its result is that of the frame. */
msd_result world_begin_step(msd_world *world);
msd_result world_take_step(msd_world *world, double frame_time, int substeps);

/* --------------------------------------------------------------------------------------- objects by index */

/* Includes destroyed objects. 0 if `world` is NULL. */
static inline int32_t world_count(const msd_world *world, msd_object item) {
  return world ? model_count(&world->model, item) : 0;
}

/* True if the object exists or has been destroyed. */
static inline bool index_was_valid(const msd_world *world, msd_object item, int32_t index) {
  return index >= 0 && index < world_count(world, item);
}

/* True if the object exists and has not been destroyed. */
static inline bool world_has(const msd_world *world, msd_object item, int32_t index) {
  return index_was_valid(world, item, index) && !tombstones_have(&world->model.tombstones, item, index);
}

/* The same as a result, with a message: MSD_BAD_INDEX if there is no such object or no world. */
msd_result world_check(msd_world *world, msd_object item, int32_t index);

/* The same for a field of a definition. -1 is allowed if `otherwise` describes its meaning. */
msd_result world_check_field(msd_world *world, subject about, const char *field, msd_object item,
                             int32_t index, const char *otherwise);

/* MSD_BAD_INDEX with a message for element `number` of a mesh, which has a missing particle. */
msd_result world_refuse_particle(msd_world *world, subject about, const char *what, int32_t number,
                                 int32_t particle);

/* First destroyed object in a range; -1: none. */
int32_t world_find_gap(const msd_world *world, msd_object item, msd_range range);

/* Particle of element i of a list or range. */
static inline int32_t world_element(msd_particle_set which, int32_t i) {
  return which.indices ? which.indices[i] : which.first + i;
}

/* Index of the first element whose particle index is out of range; which.count if all are valid. Destroyed
   particles count as valid. */
int32_t world_find_missing(const msd_world *world, msd_particle_set which);

/* Set the mass in kg of a particle, and pin or unpin it. No effect if nothing changes. */
void world_set_mass(msd_world *world, int32_t particle, msd_real mass);
void world_set_pinned(msd_world *world, int32_t particle, bool is_pinned);

/* Collider that has pushed a particle in the last substep; -1: none, or one of the two has been destroyed.
   The stepper must have contacts. */
int32_t world_pushed_by(const msd_world *world, int32_t particle);

/* Break or release one object, for the public functions and for removal. */
void world_break_constraint(msd_world *world, int32_t constraint);
void world_break_torsion_spring(msd_world *world, int32_t spring);
void world_release_soft_pin(msd_world *world, int32_t soft_pin);

/* ------------------------------------------------------------------------------------------------- adding */

/* Numbers of objects. */
typedef struct world_size {
  int64_t particles, springs, constraints;
  /* Of pressure meshes. */
  int64_t meshes, triangles;
  int64_t soft_pins, rotors, torsion_springs, colliders;
} world_size;

/* Reserves memory so that adding these objects cannot fail. Nothing is added. Returns MSD_TOO_LARGE, with an
   estimate of the memory, or MSD_OUT_OF_MEMORY. */
msd_result world_reserve(msd_world *world, const world_size *more);

/* Reserves memory for the laws of springs that are added in small batches. Adding them then cannot fail if
   they have at most 64 different laws, or with any_number any laws. Returns MSD_TOO_LARGE or
   MSD_OUT_OF_MEMORY. */
msd_result world_reserve_laws(msd_world *world, bool any_number);

/* Adds validated constraints in reserved memory; cannot fail. Returns the index of the first. Replaces
   MSD_AS_PLACED by the current value. */
int32_t constraint_add(msd_world *world, const msd_constraint_def *defs, int count);

/* Checks the law, numbers and mode of a definition; cookie, ends and rest length are not checked. */
msd_result spring_check_law(report *r, const msd_spring_def *def, subject about);

/* Checks that all springs of a range exist. Returns MSD_BAD_INDEX if not. */
msd_result spring_check_range(msd_world *world, msd_range springs);

/* Springs that a builder adds, from one pattern. Their ends must exist and differ. */
typedef struct spring_batch {
  const msd_spring_def *pattern;
  const int32_t (*ends)[2];
  /* Rest length of each in m; a negative one is replaced by the current distance. Stiffness of each, which
     overrides that of the pattern. */
  msd_real *rest;
  const msd_real *stiffness;
  int count;
} spring_batch;

/* Like msd_add_springs, but faster. */
msd_result spring_add_batch(msd_world *world, const spring_batch *batch);

/* True if two ranges overlap; empty ranges overlap nothing. */
static inline bool world_ranges_overlap(msd_range a, msd_range b) {
  const int32_t first = a.first > b.first ? a.first : b.first;
  return first < a.first + a.count && first < b.first + b.count;
}

/* Stiffness k and damping mu of a torsion spring in the last substep; before the first one, their values that
   do not depend on the substep. */
law_tuning torsion_spring_present_tuning(const world_model *model, int32_t spring);

#endif

/* The world: everything one simulation owns. */
#ifndef MSD_ENGINE_WORLD_WORLD_H
#define MSD_ENGINE_WORLD_WORLD_H

#include "engine/base/check.h"
#include "engine/stability/cache.h"
#include "engine/stability/step_bounds.h"
#include "engine/step/stepper.h"
#include "engine/world/callbacks.h"
#include "engine/world/part.h"

/* Of which definitions the limits of a time step are: those of a world at a revision. */
typedef struct limits_origin {
  /* The worlds of the program are numbered as they are made, from 1 on. */
  uint64_t world;
  revision revision;
} limits_origin;

struct msd_world {
  world_model model;
  stepper stepper;
  stability_cache limits;
  step_bounds bounds;

  uint64_t number;
  /* Whose definitions it began with, if it is a copy, and the revision at which they still are its own. */
  limits_origin copied;
  revision copied_at;

  /* s and substeps since the beginning. */
  double time;
  int64_t steps;

  /* A step is under way: until it ends the world is only read. */
  bool is_stepping;

  callback_work callbacks;

  /* What it has of a whole that no rank has. */
  world_part part;
};

/* Keeps a message for msd_world_message, tells the log, and returns the result: world_fail(world, result,
   format, ...); the other with the subject of the message before the format. */
#define world_fail(world, ...)   report_fail(&(world)->model.report, __VA_ARGS__)
#define world_refuse(world, ...) report_refuse(&(world)->model.report, __VA_ARGS__)

/* Whether there is a world, and no step of it under way. */
static inline bool world_is_open(const msd_world *world) {
  return world && !world->is_stepping;
}

/* On all ranks at once, of which one at least has failed: the message and the result of the first of those
   become that of all. `is_own`: this one has failed, and has said why. */
msd_result world_share_failure(msd_world *world, msd_result result, bool is_own);

/* What is answered to a change where that does not hold: MSD_BUSY with a message, MSD_BAD_VALUE without a
   world. */
msd_result world_say_closed(msd_world *world);

/* A copy has those of the world that it was made of until something changes that they follow. */
limits_origin world_limits_origin(const msd_world *world);

/* Whether tasks can be had: what is wrong with them, and what would be right; NULL when nothing is. */
const char *world_bad_tasks(const msd_tasks *tasks);

/* Begins a step of a world, which is no longer open, and takes it to its end. Anything but MSD_OK of the
   first is the answer to that step. */
msd_result world_begin_step(msd_world *world);
msd_result world_take_step(msd_world *world, double time_step, int substeps);

/* ----------------------------------------------------------------------------------- what a world has by
   index */

/* With destroyed ones. 0 without a world. */
static inline int32_t world_count(const msd_world *world, msd_item item) {
  return world ? model_count(&world->model, item) : 0;
}

/* Whether there is or was one. */
static inline bool world_had(const msd_world *world, msd_item item, int32_t index) {
  return index >= 0 && index < world_count(world, item);
}

/* Whether there is one that has not been destroyed. */
static inline bool world_has(const msd_world *world, msd_item item, int32_t index) {
  return world_had(world, item, index) && !gaps_have(&world->model.gaps, item, index);
}

/* The same as a result, MSD_BAD_INDEX when there is none or no world; with a message. */
msd_result world_check(msd_world *world, msd_item item, int32_t index);

/* The same for a field of a definition. -1 is allowed where `otherwise` says what it stands for. */
msd_result world_check_field(msd_world *world, subject about, const char *field, msd_item item, int32_t index,
                             const char *otherwise);

/* MSD_BAD_INDEX of a triangle or segment, by its number, that has a particle that is not there. */
msd_result world_refuse_particle(msd_world *world, subject about, const char *what, int32_t number,
                                 int32_t particle);

/* The first of a range that was destroyed; -1: none. */
int32_t world_find_gap(const msd_world *world, msd_item item, msd_range range);

/* The particle that element i of a list names. */
static inline int32_t world_element(msd_particles which, int32_t i) {
  return which.indices ? which.indices[i] : which.first + i;
}

/* The first element of a list of `count` >= 0 that names no particle, and never did; count: all do. */
int32_t world_find_missing(const msd_world *world, msd_particles which);

/* Gives a particle another mass in kg, and pins it or lets it go; nothing where that is what it has. */
void world_set_mass(msd_world *world, int32_t particle, msd_real mass);
void world_set_pinned(msd_world *world, int32_t particle, bool is_pinned);

/* The collider that has pushed a particle in the last substep of a stepper that has contacts; -1: none, or one
   of the two has been destroyed. */
int32_t world_pushed_by(const msd_world *world, int32_t particle);

/* What destroying shares with breaking and letting go; nothing where that is done. */
void world_break_constraint(msd_world *world, int32_t constraint);
void world_break_angular_spring(msd_world *world, int32_t spring);
void world_release_anchor(msd_world *world, int32_t anchor);

/* ------------------------------------------------------------------------------------------------------
   adding */

/* How many of each. */
typedef struct world_size {
  int64_t particles, springs, constraints;
  /* Of constraints on meshes. */
  int64_t meshes, triangles;
  int64_t anchors, rotors, angular_springs, colliders;
} world_size;

/* Makes sure that adding as many more cannot fail for memory or size. Nothing is added. MSD_TOO_LARGE, with an
   estimate of the memory, and MSD_OUT_OF_MEMORY. */
msd_result world_reserve(msd_world *world, const world_size *more);

/* For springs that are then added a few at a time: makes sure that this cannot fail for want of memory, as
   long as they are of 64 different laws at most, or of any number. MSD_TOO_LARGE and MSD_OUT_OF_MEMORY. */
msd_result world_reserve_laws(msd_world *world, bool any_number);

/* Adds what was checked and reserved: cannot fail. Returns the index of the first. MSD_AS_PLACED is filled
   in. */
int32_t constraint_add(msd_world *world, const msd_constraint_def *defs, int count);

/* Whether a definition has a law, numbers and a side that a spring can have; cookie, ends and rest length are
   not looked at. */
msd_result spring_check_law(report *r, const msd_spring_def *def, subject about);

/* Whether all springs of a range exist. MSD_BAD_INDEX. */
msd_result spring_check_range(msd_world *world, msd_range springs);

/* Springs that a builder adds, of one pattern: between particles that are there and differ. */
typedef struct spring_batch {
  const msd_spring_def *pattern;
  const int32_t (*ends)[2];
  /* m of each, negative: as placed, which takes its place there; and the stiffness of each in the place of the
     pattern's. */
  msd_real *rest;
  const msd_real *stiffness;
  int count;
} spring_batch;

/* As msd_add_springs, in less time. */
msd_result spring_add_batch(msd_world *world, const spring_batch *batch);

/* Whether two ranges have something in common, which an empty one has with none. */
static inline bool world_ranges_overlap(msd_range a, msd_range b) {
  const int32_t first = a.first > b.first ? a.first : b.first;
  return first < a.first + a.count && first < b.first + b.count;
}

/* k and mu of an angular spring in the last substep; before the first, what does not depend on it. */
law_tuning angular_spring_present_tuning(const world_model *model, int32_t spring);

#endif

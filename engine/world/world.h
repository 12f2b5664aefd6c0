/* The world: everything one simulation owns. */
#ifndef MSD_ENGINE_WORLD_WORLD_H
#define MSD_ENGINE_WORLD_WORLD_H

#include "engine/stability/cache.h"
#include "engine/step/stepper.h"

struct msd_world {
  world_model model;
  stepper stepper;
  stability_cache limits;

  /* s and substeps since the beginning. */
  double time;
  int64_t steps;

  /* NULL: no step ends before its time. */
  msd_stop_function stop;
  void *stop_context;
};

/* Keeps a message for msd_world_message, tells the log, and returns `result`: report_fail on the world's report. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
msd_result
world_fail(msd_world *world, msd_result result, const char *format, ...);

/* Makes sure that adding that many more particles and springs cannot fail for memory or size. Nothing is
   added. MSD_TOO_LARGE, with an estimate of the memory, and MSD_OUT_OF_MEMORY. */
msd_result world_reserve(msd_world *world, int64_t particles, int64_t springs);

/* For springs that are then added a few at a time: makes sure that this cannot fail for want of memory, as long as
   they are of 64 different laws at most. MSD_TOO_LARGE and MSD_OUT_OF_MEMORY. */
msd_result world_reserve_laws(msd_world *world);

/* The same for rotors and angular springs. */
msd_result rotor_reserve(msd_world *world, int64_t rotors, int64_t springs);

/* Makes sure that adding that many more constraints, of which `meshes` are meshes with `triangles` triangles
   together, cannot fail for memory or size. Nothing is added. MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
msd_result constraint_reserve(msd_world *world, int64_t constraints, int64_t meshes, int64_t triangles);

/* Adds what was checked and reserved: cannot fail. Returns the index of the first. MSD_AS_PLACED is filled in. */
int32_t constraint_add(msd_world *world, const msd_constraint_def *defs, int count);

/* Whether a definition has a law, numbers and a side that a spring can have; cookie, ends and rest length are not
   looked at. `place` begins the message, and the name of a number follows it: "spring 3: ". */
msd_result spring_check_law(report *r, const msd_spring_def *def, const char *place);

/* Memory of the world's allocator for a while. */
void *world_allocate(msd_world *world, size_t bytes);
void world_release(msd_world *world, void *block);

/* Whether the index is one; keeps the message when not. */
bool world_has_particle(msd_world *world, int32_t particle);
bool world_has_spring(msd_world *world, int32_t spring);
bool world_has_constraint(msd_world *world, int32_t constraint);
bool world_has_anchor(msd_world *world, int32_t anchor);
bool world_has_rotor(msd_world *world, int32_t rotor);

/* k and mu of an angular spring in the last substep; before the first, what does not depend on it. */
law_tuning angular_spring_present_tuning(const world_model *model, int32_t spring);

#endif

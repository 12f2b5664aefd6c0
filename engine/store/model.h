/* What a world simulates: its particles, what joins them, and its settings. All else that a world holds is
   derived from this. */
#ifndef MSD_ENGINE_STORE_MODEL_H
#define MSD_ENGINE_STORE_MODEL_H

#include "engine/base/report.h"
#include "engine/store/anchor.h"
#include "engine/store/angular_spring.h"
#include "engine/store/change_list.h"
#include "engine/store/collider.h"
#include "engine/store/constraint.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/rotor.h"
#include "engine/store/sleep.h"
#include "engine/store/spring.h"
#include "engine/store/surface.h"
#include "engine/store/wind.h"

typedef struct world_model {
  /* Of the stores and everything derived from them. */
  memory memory;
  report report;

  /* Counts changes, and lists those of single springs and particles. */
  revision revision;
  change_list changes;

  /* See msd_world_def. */
  msd_vec3 gravity;
  msd_real air_drag;
  msd_integrator integrator;
  msd_limit limit;
  msd_energy energy;
  /* 0: as many as pay. */
  int thread_count;
  /* Without functions: OpenMP. */
  msd_tasks tasks;
  int impulse_iterations;
  bool impulse_warm_start;

  particle_store particles;
  spring_store springs;
  constraint_store constraints;
  anchor_store anchors;
  rotor_store rotors;
  angular_spring_store angular_springs;
  collider_store colliders;
  contact_settings contact;
  surface_store surfaces;
  msd_wind_def wind;
  sleep_store sleep;
  /* s: the time at which the step at hand began, which gusts go by. */
  double step_time;

  /* s: the length of the last substep, which gives coefficients their stiffness; 0: none yet. */
  double tuned_step;

  /* See model_springs_at. */
  incidence springs_at;
  revision springs_at_made_for;
} world_model;

/* Counts a change of a definition of one spring or particle, which wakes; see change_list.h. */
void model_note_change(world_model *model, int32_t item, bool relaxes);

/* Wakes what is at the ends of a spring, or the corners of a constraint. */
void model_wake_spring(world_model *model, int32_t spring);
void model_wake_constraint(world_model *model, int32_t constraint);

/* Which springs are at each particle, remembered until particles or springs are added; NULL where there is no
   memory. */
const incidence *model_springs_at(world_model *model);

/* Frees what is remembered of that. */
void model_forget_springs_at(world_model *model);

/* Calls `visit` once for each spring that a change of the list may have changed, in any order: those at its
   particle, or itself; and once more for each further change of the same. False, and not all of them have been,
   where they are more than pay, or a visit has answered so. */
typedef bool model_visit_spring(void *context, int32_t spring);
bool model_visit_changed(const world_model *model, const incidence *at, change_range changes,
                         model_visit_spring *visit, void *context);

/* Frees the stores, which are then empty. */
void model_free(world_model *model);

#endif

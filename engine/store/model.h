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
#include "engine/store/gaps.h"
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

  /* Whether the slots of the particles and the layout of the springs stand: what is added then is appended to
     them, and the last so many springs have been (network/network.h). Both are part of what is simulated, since
     the order in which forces are summed follows from them. A step that begins sets them. */
  bool is_laid_out;
  int32_t late_springs;
  /* Whether the particles stay in the order in which they were added: those of a part of a whole do. */
  bool keeps_order;

  /* See msd_world_def. */
  msd_vec3 gravity;
  msd_real air_drag;
  msd_integrator integrator;
  msd_limit limit;
  msd_energy energy;
  msd_mass_scaling mass_scaling;
  msd_solver solver;
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
  gap_store gaps;
  msd_wind_def wind;
  sleep_store sleep;
  /* s: the time at which the step at hand began, which gusts go by. */
  double step_time;

  /* s: the length of the last substep, which gives coefficients their stiffness; 0: none yet. */
  double tuned_step;

  /* See model_springs_at; the topology that they are of. */
  incidence springs_at;
  uint64_t springs_at_made_for;
} world_model;

/* How many there are of a kind, with those that were destroyed and without. */
int32_t model_count(const world_model *model, msd_item item);
static inline int32_t model_live_count(const world_model *model, msd_item item) {
  return model_count(model, item) - model->gaps.of[item].count;
}

/* Counts a change of a definition of one spring or particle, which wakes; see change_list.h. */
void model_note_change(world_model *model, int32_t item, bool relaxes);

/* Wakes what is at the ends of a spring, or the corners of a constraint or surface. */
void model_wake_spring(world_model *model, int32_t spring);
void model_wake_constraint(world_model *model, int32_t constraint);
void model_wake_surface(world_model *model, int32_t surface);

/* Wakes a particle that is to be set elsewhere. What lay on a pin is no island with it, and is not known: where
   there are surfaces all wakes. */
void model_wake_where_placed(world_model *model, int32_t particle);

/* Counts that so many particles or springs were added behind the last. They are appended to a layout that
   stands, until so many springs are late that all is laid out anew. */
void model_note_particles(world_model *model, int32_t added);
void model_note_springs(world_model *model, int32_t added);

/* Counts a change of the layout, which is to be made anew. */
void model_lay_out_anew(world_model *model);

/* Counts that a particle was pinned or let go. A layout stands: what it holds in other rows now gives no other
   order of sums where the pins are what they were. */
void model_note_pin(world_model *model);

/* Counts that constraints have got a shape behind a step, or wait for one again. */
void model_note_placements(world_model *model);

/* Which springs are at each particle, remembered while the layout stands; NULL where there is no memory. */
const incidence *model_springs_at(world_model *model);

/* Frees what is remembered of that. */
void model_forget_springs_at(world_model *model);

/* Calls `visit` once for each spring that a change of the list may have changed, in any order: those at its
   particle, or itself; and once more for each further change of the same. False, and not all of them have been,
   where they are more than pay, or a visit has answered so. */
typedef bool model_visit_spring(void *context, int32_t spring);
bool model_visit_changed(const world_model *model, const incidence *at, change_range changes,
                         model_visit_spring *visit, void *context);

/* The same for all springs from `first` on, which were added, and all at their free ends, whose masses they
   share. */
bool model_visit_added(const world_model *model, const incidence *at, int32_t first,
                       model_visit_spring *visit, void *context);

/* Whether a spring is the first at one of its ends of those from `first` on. */
bool model_is_first_added(const incidence *at, int32_t particle, int32_t spring, int32_t first);

/* Frees the stores, which are then empty. */
void model_free(world_model *model);

#endif

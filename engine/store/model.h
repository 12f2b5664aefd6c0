/* The model of a world: particles, springs, other objects and settings. All other data of a world is derived
   from it. */
#ifndef MSD_ENGINE_STORE_MODEL_H
#define MSD_ENGINE_STORE_MODEL_H

#include "engine/base/error.h"
#include "engine/store/change_list.h"
#include "engine/store/collider.h"
#include "engine/store/constraint.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/rotor.h"
#include "engine/store/sleep.h"
#include "engine/store/soft_pin.h"
#include "engine/store/spring.h"
#include "engine/store/surface.h"
#include "engine/store/tombstones.h"
#include "engine/store/torsion_spring.h"
#include "engine/store/wind.h"

typedef struct world_model {
  /* Allocator of the stores and of all derived data. */
  memory memory;
  report report;

  /* Counts changes, and logs those of single springs and particles. */
  revision revision;
  change_list changes;

  /* True if the slots of the particles and the layout of the springs are fixed. New objects are then appended
     to them; the last late_springs springs were (network/network.h). Both belong to the simulated state,
     since they determine the order in which forces are summed. They are set when a frame begins. */
  bool layout_is_fixed;
  int32_t late_springs;
  /* True if the particles stay in the order in which they were added. This holds for the subdomains of a
     distributed world. */
  bool preserve_order;

  /* See msd_world_def for the next seven fields. */
  msd_vec3 gravity;
  msd_real linear_damping;
  msd_integrator integrator;
  bool clamp_stiffness;
  msd_energy_mode energy;
  msd_mass_scaling mass_scaling;
  msd_solver solver;
  /* 0: automatic. */
  int thread_count;
  /* OpenMP is used if the callbacks are NULL. */
  msd_tasks tasks;
  int impulse_iterations;
  bool impulse_warm_start;

  particle_store particles;
  spring_store springs;
  constraint_store constraints;
  soft_pin_store soft_pins;
  rotor_store rotors;
  torsion_spring_store torsion_springs;
  collider_store colliders;
  contact_settings contact;
  surface_store surfaces;
  tombstone_store tombstones;
  msd_wind_def wind;
  sleep_store sleep;
  /* s: the time at which the current frame began; the phase of turbulence depends on it. */
  double step_time;

  /* s: the length of the last substep, and the time of its frame; 0 before the first. */
  double substep, frame_time;
  /* s: the substep that determines the stiffness of coefficient laws, at least the last one; 0 before the first
     (choose_tuned_step in world/world_step.c). `tuned_left`: for how many s it is kept. */
  double tuned_step, tuned_left;

  /* The cache of model_springs_at, and the topology revision that it was built for. */
  incidence springs_at;
  uint64_t springs_at_made_for;
} world_model;

/* The number of objects of a type; the second function excludes destroyed ones. */
int32_t model_count(const world_model *model, msd_object item);
static inline int32_t model_live_count(const world_model *model, msd_object item) {
  return model_count(model, item) - model->tombstones.of[item].count;
}

/* Logs a change of the definition of one spring or particle, and wakes the objects at it; see
   change_list.h. */
void model_note_change(world_model *model, int32_t item, bool relaxes);

/* Wake the particles at the ends of a spring, or at the corners of a constraint or collision mesh. */
void model_wake_spring(world_model *model, int32_t spring);
void model_wake_constraint(world_model *model, int32_t constraint);
void model_wake_surface(world_model *model, int32_t surface);

/* Wakes the island of a particle that is teleported. A pin belongs to no island, and the bodies that lie on
   it are not recorded. So if there are collision meshes, teleporting a pin wakes all. */
void model_wake_where_placed(world_model *model, int32_t particle);

/* Record that particles or springs were appended. They are appended to a fixed layout too, until it has so
   many appended springs that the layout is rebuilt. */
void model_note_particles(world_model *model, int32_t added);
void model_note_springs(world_model *model, int32_t added);

/* Marks the layout for a rebuild. */
void model_lay_out_anew(world_model *model);

/* Records that a particle was pinned or unpinned. The layout stays fixed: rows that move between pinned and
   unpinned do not change the order of sums if the pins return to what they were. */
void model_note_pin(world_model *model);

/* Records that constraints got a reference configuration after a substep, or lost it. */
void model_note_placements(world_model *model);

/* The springs at each particle, cached until the layout is rebuilt. NULL if memory runs out. */
const incidence *model_springs_at(world_model *model);

/* Frees that cache. */
void model_forget_springs_at(world_model *model);

/* Calls `visit` for each spring that a logged change may have affected, in any order: the spring itself, or
   all springs at the particle. A spring is visited once per change. Returns false, and stops, if the visits
   would exceed the cost of a rebuild or a visit returns false. */
typedef bool model_visit_spring(void *context, int32_t spring);
bool model_visit_changed(const world_model *model, const incidence *at, change_range changes,
                         model_visit_spring *visit, void *context);

/* The same for all springs from `first` on, which were appended, and for all springs at their free ends,
   because these divide the same masses. */
bool model_visit_added(const world_model *model, const incidence *at, int32_t first,
                       model_visit_spring *visit, void *context);

/* Returns whether `spring` is the first at `particle` among the springs from `first` on. */
bool model_is_first_added(const incidence *at, int32_t particle, int32_t spring, int32_t first);

/* Frees the stores and leaves them empty. */
void model_free(world_model *model);

#endif

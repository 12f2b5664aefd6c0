/* The world: everything one simulation owns. */
#ifndef MSD_WORLD_H
#define MSD_WORLD_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"
#include "engine/kernel/constraint_force.h"
#include "engine/kernel/constraint_impulse.h"
#include "engine/kernel/spring_impulse.h"
#include "engine/network/network.h"
#include "engine/store/anchor.h"
#include "engine/store/angular_spring.h"
#include "engine/store/constraint.h"
#include "engine/store/particle.h"
#include "engine/store/rotor.h"
#include "engine/store/spring.h"

enum { WORLD_MESSAGE_MAX = 256 };

struct msd_world {
  memory memory;
  msd_vec3 gravity;
  msd_real air_drag;
  msd_integrator integrator;
  msd_limit limit;
  int impulse_iterations;
  bool impulse_warm_start;
  int thread_count;            /* 0: as many as pay */
  parallel_trial thread_trial; /* of that */
  msd_simd simd;
  msd_log_function log;
  void *log_context;

  particle_store particles;
  spring_store springs;
  constraint_store constraints;
  rotor_store rotors;
  angular_spring_store angular_springs;
  anchor_store anchors;

  /* What is derived from the above, and remade at the next step when it has become stale. */
  network network;
  bool network_stale;       /* particles or springs were added */
  bool order_kept;          /* the particles' slots are to stay as they are when the network is remade */
  bool tuning_stale;        /* stiffness, damping, masses or pins changed */
  bool tuning_follows_step; /* some spring's stiffness depends on the substep */
  double tuned_step;        /* s: the last substep; 0: none yet */
  bool stable_step_stale;   /* stable_step below is of another network */
  double stable_step[MSD_INTEGRATOR_COUNT]; /* s: msd_stability.integrator_time_step */
  bool rotor_step_stale;                    /* rotor_step below is of other rotors */
  double rotor_step[MSD_INTEGRATOR_COUNT];  /* s: the same of the rotors alone */
  msd_real *scratch;                        /* stages of the integrators that need them */
  void *scratch_block;
  size_t scratch_size;  /* reals */
  msd_real *records[2]; /* the two states as records, when the network has many indexed springs */
  size_t records_size;  /* reals of each */
  msd_real *down;       /* down sums of the runs, all zero */
  size_t down_size;     /* reals */
  constraint_forces constraint_forces;
  impulse_plan impulse_plan;
  msd_real *impulses[2]; /* N s: what each spring gave in a substep; see integrator_impulses */
  int32_t impulses_size; /* springs */
  int impulses_current;  /* those of the last substep */
  constraint_impulses constraint_impulses;

  double time;   /* s */
  int64_t steps; /* substeps */
  char message[WORLD_MESSAGE_MAX];
};

/* Keeps a message for msd_world_message, tells the log, and returns `result`; MSD_TOO_LARGE in the place of
   MSD_OUT_OF_MEMORY when it was the memory limit that refused. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
msd_result
world_fail(msd_world *world, msd_result result, const char *format, ...);

/* Makes sure that adding that many more particles and springs cannot fail for memory or size. Nothing is
   added. MSD_TOO_LARGE, with an estimate of the memory, and MSD_OUT_OF_MEMORY. */
msd_result world_reserve(msd_world *world, int64_t particles, int64_t springs);

/* For springs that are then added a few at a time: makes sure that this cannot fail for want of memory, as long as
   they are of 64 different materials at most. MSD_TOO_LARGE and MSD_OUT_OF_MEMORY. */
msd_result world_reserve_materials(msd_world *world);

/* Memory of the world's allocator for a while. */
void *world_allocate(msd_world *world, size_t bytes);
void world_release(msd_world *world, void *block);

/* Whether the index is one; keeps the message when not. */
bool world_has_particle(msd_world *world, int32_t particle);
bool world_has_spring(msd_world *world, int32_t spring);

/* What the network is compiled from. */
network_source world_network_source(const msd_world *world);

/* A spring's rest length where the steps read it, negative for a broken spring. */
void world_set_network_rest(msd_world *world, int32_t spring, msd_real rest);

/* Forgets what springs gave in the substep before. */
void world_forget_impulses(msd_world *world);

/* Says that something derived has become stale. */
void world_touch_network(msd_world *world);
void world_touch_constraints(msd_world *world);
void world_touch_tuning(msd_world *world);

#endif

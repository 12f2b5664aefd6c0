/* msd: callbacks, functions of the program that msd_world_step calls. */
#ifndef MSD_CALLBACKS_H
#define MSD_CALLBACKS_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns true to stop the current msd_world_step early. */
typedef bool (*msd_stop_function)(void *context);

/* Progress of the current msd_world_step. */
typedef struct msd_substep_info {
  /* s. Simulated time. Until the last substep is done, msd_world_get_time returns the time at the start of
     the frame instead. */
  double time;
  /* Substeps done so far, and substeps of the whole frame. */
  int done, substeps;
  /* In after_step, the result that msd_world_step will return; MSD_OK otherwise. */
  msd_result result;
} msd_substep_info;

/* Called before or after a frame or a substep. */
typedef void (*msd_substep_function)(const msd_world *world, const msd_substep_info *moment, void *context);

/* Called for a spring that tore. */
typedef void (*msd_tear_function)(const msd_world *world, int32_t spring, void *context);

/* A contact event: contact between a particle and a collider, or between two collision meshes. The other two
   indices are -1. */
typedef struct msd_contact_event {
  /* Particle and collider; -1 for contact of collision meshes. */
  int32_t particle, collider;
  /* Collision meshes, a <= b; equal for self-collision. -1 for contact with a collider. */
  int32_t mesh_a, mesh_b;
} msd_contact_event;

/* Called when a contact begins or ends. */
typedef void (*msd_contact_event_function)(const msd_world *world, const msd_contact_event *touch,
                                           void *context);

/* Callbacks of a world; each is a function or NULL (default). They never change the result of the simulation.

   The thread that called msd_world_step calls them one at a time, with the default floating-point
   environment. A callback must return normally: longjmp and C++ exceptions must not leave it.

   Inside a callback the world is read-only. Functions that would change, step, save or copy it return
   MSD_LOCKED and do nothing; msd_destroy_world does nothing either. Other worlds can be used freely. To react
   to an event, store it and act after msd_world_step has returned. To act within a frame, divide the frame
   into several calls of msd_world_step. */
typedef struct msd_callbacks {
  /* Called when a frame begins and then between substeps: before each substep if before_substep or
     after_substep is set, otherwise every 0.1 s or every 32 substeps, whichever takes longer. In a world of one
     rank it is also called every 0.1 s inside a substep with contact of collision meshes; the state is then
     that before the substep, and there are no contacts to be read. If it returns true, the frame ends after the
     current substep with MSD_CANCELED. The world is then left as after a frame that diverges: the time is that
     of the substeps done, forces are cleared, and pins and soft pins stay where they are.

     A substep that does not end within 0.1 s after that is undone. If it was not the first of its frame, the
     next frame begins without friction anchors, as after one that diverges in a later substep. */
  msd_stop_function stop;

  /* before_step is called after all checks have passed and before anything moves. after_step is called at the
     very end of such a frame, even if it fails or is stopped. */
  msd_substep_function before_step, after_step;

  /* Called before and after each substep. after_substep is not called after a substep that would leave a
     non-finite state. With either one set, substeps are taken one at a time, without temporal blocking. */
  msd_substep_function before_substep, after_substep;

  /* Called at the end of a complete frame for each spring that tore in it (msd_damage_def), in the order of the
     springs. */
  msd_tear_function spring_torn;

  /* contact_begin is called for contacts in the last substep of this frame that did not exist in the last
     substep of the previous frame; contact_end for the opposite. Contacts that begin and end within a frame
     have both events. Contacts are those of msd_world_get_collider_contacts and msd_world_get_mesh_contacts.
     Either callback makes the world record contacts (reaction.h states the cost). Distributed worlds know the
     contacts of the last substep only.
     - Events come at the end of a complete or stopped frame: ends of earlier contacts, then all begins, then
       the ends of contacts that began in this frame.
     - Each of the three is ordered: contacts with colliders by particle, then by collider; contacts of
       collision meshes by a, then by b.
     - A contact that ends and begins again within a frame has no event.
     - Events are differences from the last reported contacts, also after objects are added or a snapshot is
       restored. msd_world_set_callbacks resets the reported contacts to none.
     - If memory for them runs out, the frame is completed, msd_world_step returns MSD_OUT_OF_MEMORY, and the
       events are reported after the next frame. */
  msd_contact_event_function contact_begin, contact_end;

  /* Passed to all callbacks. */
  void *context;
} msd_callbacks;

/* Sets all callbacks; NULL removes them. Copies of a world have no callbacks, and snapshots do not contain
   them. Returns MSD_LOCKED inside a callback. */
MSD_API msd_result msd_world_set_callbacks(msd_world *world, const msd_callbacks *callbacks);

/* Returns the callbacks of a world. */
MSD_API msd_callbacks msd_world_get_callbacks(const msd_world *world);

#ifdef __cplusplus
}
#endif

#endif

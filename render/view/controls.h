/* What a panel shows of a world and may change in it. Most of the time the world belongs to another thread,
   so a panel reads and changes this copy; controls_apply and controls_sample pass it on while the world is
   free. */
#ifndef MSD_RENDER_VIEW_CONTROLS_H
#define MSD_RENDER_VIEW_CONTROLS_H

#include "scenes/loader/scene.h"

/* Samples that plots go back. */
enum { CONTROL_HISTORY = 240 };

/* The springs of one kind of a body. */
typedef struct control_group {
  const char *body, *name;
  msd_range springs;
  /* Law and numbers of the first spring; a change is given to all. */
  msd_spring_def pattern;
  /* Set by a panel. */
  bool is_changed;
  /* Of its two numbers, each alone: below it the network is certified; INFINITY: anywhere. */
  double limit[2];
} control_group;

typedef struct controls {
  /* Set by a panel, with settings_changed. */
  msd_integrator integrator;
  msd_limit limit;
  /* s, above 0. */
  double time_step;
  /* 0: automatic. */
  int substeps;
  /* m/s^2. */
  double gravity[3];
  /* 1/s. */
  double air_drag;
  /* 0: as many as pay. */
  int threads;
  bool settings_changed;

  control_group *groups;
  int group_count;

  /* Of a substep as it now is. */
  msd_stability stability;
  /* s: the estimate at the present shape. */
  double this_shape_time_step;
  msd_softening softening;
  /* Of a frame. */
  int substeps_taken;
  bool has_stability;
  /* Set by a panel, and by every change. */
  bool wants_stability;

  /* The last samples, in rings: the newest at `newest`, older ones before it and then from the end. J. */
  float kinetic[CONTROL_HISTORY], elastic[CONTROL_HISTORY], potential[CONTROL_HISTORY],
      total[CONTROL_HISTORY];
  /* ms, %. */
  float step_time[CONTROL_HISTORY], stretch[CONTROL_HISTORY];
  int newest, samples;
  /* J: potential energies are plotted from it. */
  double first_potential;
} controls;

/* Reads the settings and groups of a scene. False when memory is short. */
bool controls_open(controls *c, const scene *s);
void controls_close(controls *c);

/* Applies the changes to the world and to the scene's time step. False with a line in `error` when the world
   refuses one; the copy then shows what the world has. */
bool controls_apply(controls *c, scene *s, char *error, size_t size);

/* Samples energies and stretch, and the stability if it is wanted. */
void controls_sample(controls *c, const scene *s, double step_seconds);

#endif

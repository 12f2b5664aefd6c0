/* What a panel shows of a world and may change in it. The world belongs to another thread most of the time, so a panel
   reads and changes this copy; controls_apply and controls_sample pass it on while the world is free. */
#ifndef MSD_RENDER_VIEW_CONTROLS_H
#define MSD_RENDER_VIEW_CONTROLS_H

#include "scenes/loader/scene.h"

enum { CONTROL_HISTORY = 240 }; /* samples that plots go back */

/* The springs of one kind of a body. */
typedef struct control_group {
  const char *body, *name;
  msd_range springs;
  msd_spring_def pattern; /* law and numbers, of the first spring; a change is given to all */
  bool is_changed;        /* set by a panel */
  double limit[2]; /* of its two numbers, each alone: below it the network is certified; INFINITY: anywhere */
} control_group;

typedef struct controls {
  /* Set by a panel, with settings_changed. */
  msd_integrator integrator;
  msd_limit limit;
  double time_step;  /* s, above 0 */
  int substeps;      /* 0: automatic */
  double gravity[3]; /* m/s^2 */
  double air_drag;   /* 1/s */
  int threads;       /* 0: as many as pay */
  bool settings_changed;

  control_group *groups;
  int group_count;

  msd_stability stability; /* of a substep as it now is */
  int substeps_taken;      /* of a frame */
  bool has_stability;
  bool wants_stability; /* set by a panel, and by every change */

  /* The last samples, the newest at `newest`, older ones before it and then from the end. J, J, J, J, ms, %. */
  float kinetic[CONTROL_HISTORY], elastic[CONTROL_HISTORY], potential[CONTROL_HISTORY],
      total[CONTROL_HISTORY], step_time[CONTROL_HISTORY], stretch[CONTROL_HISTORY];
  int newest, samples;
  double first_potential; /* J: potential energies are plotted from it */
} controls;

/* Reads the settings and groups of a scene. False when memory is short. */
bool controls_open(controls *c, const scene *s);
void controls_close(controls *c);

/* Gives the changes to the world and to the scene's time step. False with a line in `error` when the world refuses
   one; the copy then shows what the world has. */
bool controls_apply(controls *c, scene *s, char *error, size_t size);

/* Takes energies and stretch, and the stability if it is wanted. */
void controls_sample(controls *c, const scene *s, double step_seconds);

#endif

/* What the panel shows of a world and lets the user change. Most of the time the world belongs to another
   thread, so the panel works on this copy; controls_apply and controls_sample exchange it with the world while
   the world is free. */
#ifndef MSD_RENDER_VIEW_CONTROLS_H
#define MSD_RENDER_VIEW_CONTROLS_H

#include "scenes/loader/scene.h"

/* The number of samples in a plot. */
enum { CONTROL_HISTORY = 240 };

/* The springs of one kind of a body. */
typedef struct control_group {
  const char *body, *name;
  msd_range springs;
  /* The law and numbers of the first spring; a change goes to all of them. */
  msd_spring_def pattern;
  /* Set by the panel. */
  bool is_changed;
  /* The largest value of each of the two numbers of the law, with the other unchanged, at which the network is
     proven stable; INFINITY: no limit. */
  double limit[2];
} control_group;

typedef struct controls {
  /* Settings, changed by the panel, which then sets settings_changed. */
  msd_integrator integrator;
  bool limit;
  msd_energy_mode energy;
  /* s, above 0. */
  double frame_time;
  /* 0: automatic. */
  int substeps;
  /* m/s^2. */
  double gravity[3];
  /* 1/s. */
  double linear_damping;
  /* 0: automatic. */
  int threads;
  bool settings_changed;

  control_group *groups;
  int group_count;

  /* The stability of the present substep, when has_stability. */
  msd_stability stability;
  msd_softening softening;
  /* Substeps of a time step, chosen or automatic. */
  int substeps_taken;
  bool has_stability;
  /* Asks controls_sample for it; set by every change. */
  bool wants_stability;

  /* The last samples, in ring buffers whose newest item is at `newest`. J. */
  float kinetic[CONTROL_HISTORY], elastic[CONTROL_HISTORY], potential[CONTROL_HISTORY],
      total[CONTROL_HISTORY], made[CONTROL_HISTORY];
  /* ms, %. */
  float step_time[CONTROL_HISTORY], stretch[CONTROL_HISTORY];
  int newest, samples;
  /* J: the potential energy at first; plots show the difference from it. */
  double first_potential;
  /* J: of each spring, the sum of what the last substeps before each sample have made; and the spring that has
     most of it, in words, "" when there is none. */
  double *spring_made;
  char made_most[256];
} controls;

/* Reads the settings and groups of a scene. False when memory is short. */
bool controls_open(controls *c, const scene *s);
void controls_close(controls *c);

/* Applies the changes to the world and to the scene's time step and substeps. False, with a line in `error`,
   when the world refuses one; the copy then shows what the world has. */
bool controls_apply(controls *c, scene *s, char *error, size_t size);

/* Samples energies, what the steps have made of them where that is measured, and stretch, and finds the
   stability if it is wanted. */
void controls_sample(controls *c, const scene *s, double step_seconds);

#endif

/* How many fixed steps of physics are due in a frame of the display.

   Time that passes goes into an account, and steps are paid from it: many in a frame when the display is
   slow. The account holds half a second at most; a slow machine loses the rest, so that the simulation falls
   behind real time and frames do not become longer and longer. */
#ifndef MSD_RENDER_VIEW_PACE_H
#define MSD_RENDER_VIEW_PACE_H

/* s of real time that are made up for at once. */
#define PACE_SECONDS_MAX 0.5

/* Steps due at once. */
enum { PACE_STEPS_MAX = 1000 };

typedef struct pace {
  /* s of simulated time in a step, > 0. */
  double time_step;
  /* Simulated seconds that should pass in a real one; 1 by default. */
  double speed;
  /* s of simulated time. */
  double account;
  /* Simulated seconds that did pass in a real one lately. */
  double rate;
} pace;

pace pace_make(double time_step);

/* `elapsed` >= 0 real seconds passed: how many steps are due, 0 .. PACE_STEPS_MAX. They simulate at most what
   should pass in PACE_SECONDS_MAX, or are a single longer one. */
int pace_due(pace *p, double elapsed);

/* Steps were taken during `elapsed` real seconds; 0 steps count as well. */
void pace_record(pace *p, int steps, double elapsed);

/* Why less time passes in the scene than should. */
typedef enum pace_cause { PACE_KEEPS_UP, PACE_STEPS_ARE_SLOW, PACE_DRAWING_IS_SLOW } pace_cause;

/* `own_seconds` is what the processor works on a step. Where the steps alone could keep up, drawing is what
   keeps them from it: it takes the processor from them, or lets them wait for the next frame. */
pace_cause pace_find_cause(const pace *p, double own_seconds);

/* Forgets the account and the rate, after a pause. */
void pace_restart(pace *p);

#endif

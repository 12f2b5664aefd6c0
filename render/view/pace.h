/* How many fixed steps of physics are due in a frame of the display.

   Time that passes is put into an account, and steps are paid from it: several in a frame when the display is
   slow. The account holds half a second at most. On a slow machine the rest is lost, so that the simulation
   falls behind real time instead of frames becoming longer and longer. */
#ifndef MSD_RENDER_VIEW_PACE_H
#define MSD_RENDER_VIEW_PACE_H

/* s: the most real time that a frame makes up for. */
#define PACE_SECONDS_MAX 0.5

/* The most steps that are due in a frame. */
enum { PACE_STEPS_MAX = 1000 };

typedef struct pace {
  /* s of simulated time per step, > 0. */
  double frame_time;
  /* Simulated seconds that should pass in a real second; 1 by default. */
  double speed;
  /* s of simulated time that no step was taken for yet. */
  double account;
  /* Simulated seconds that lately did pass in a real second. */
  double rate;
} pace;

pace pace_make(double frame_time);

/* Records that `elapsed` >= 0 real seconds passed, and returns how many steps are due, 0 .. PACE_STEPS_MAX: at
   most those of PACE_SECONDS_MAX, or a single longer one. */
int pace_due(pace *p, double elapsed);

/* Records that so many steps, maybe 0, were taken during `elapsed` real seconds. */
void pace_record(pace *p, int steps, double elapsed);

/* Why the simulation falls behind. */
typedef enum pace_cause { PACE_KEEPS_UP, PACE_STEPS_ARE_SLOW, PACE_DRAWING_IS_SLOW } pace_cause;

/* `own_seconds` is the processor time of a step. If steps that need no more than that could keep up, drawing is
   what holds them back: it takes the processor from them, or makes them wait for the next frame. */
pace_cause pace_find_cause(const pace *p, double own_seconds);

/* Forgets the account and the rate, after a pause. */
void pace_restart(pace *p);

#endif

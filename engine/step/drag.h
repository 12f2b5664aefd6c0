/* Linear damping of all velocities at one rate. */
#ifndef MSD_ENGINE_STEP_DRAG_H
#define MSD_ENGINE_STEP_DRAG_H

/* Factor by which velocities decay in `dt` seconds: exp(-rate dt), with the rate in 1/s. It
   uses only + - * /, so the result does not depend on the C library. */
double drag_decay(double rate, double dt);

#endif

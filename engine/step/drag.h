/* The drag of msd_world_def.air_drag, which slows everything at one rate. */
#ifndef MSD_ENGINE_STEP_DRAG_H
#define MSD_ENGINE_STEP_DRAG_H

/* What it leaves of a velocity after `time_step` seconds: exp(-rate time_step). Made of + - * / alone, so that
   it has the same bits with every C library. */
double drag_decay(double rate, double time_step);

#endif

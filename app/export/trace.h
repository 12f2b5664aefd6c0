/* The traces of a run: CSV files with a row for each traced frame and particle or rotor, or for each traced
   frame. Columns of particles: `time,particle,x,y,z,vx,vy,vz` in s, m and m/s. Columns of rotors:
   `time,rotor,angle,angular_velocity` in s, rad and rad/s. All digits that restore the exact number are
   written. Columns of frames: `time,kinetic,elastic,potential,gain,allowance,bounded_substeps` in s and J. The
   last three are empty without an energy mode. */
#ifndef MSD_APP_EXPORT_TRACE_H
#define MSD_APP_EXPORT_TRACE_H

#include "app/base/message.h"

#include <msd/msd.h>

typedef enum trace_kind { TRACE_PARTICLES, TRACE_ROTORS, TRACE_ENERGY, TRACE_KIND_COUNT } trace_kind;

typedef struct trace trace;

/* Begins a new trace. NULL, with *p filled, when the file cannot be written. */
trace *trace_open(trace_kind kind, const char *path, problem *p);

/* Continues the trace that an earlier part of the same run left at `path` (finished, or PATH.part of a run
   that was killed) after the frame at `last_time`: later rows are dropped. Begins a new one when there is none.
   NULL, with *p filled, when the file is not a trace of `count` particles or rotors (0: a trace with one row a
   frame) that reaches that frame, or cannot be written. */
trace *trace_continue(trace_kind kind, const char *path, int32_t count, double last_time, double frame_time,
                      problem *p);

/* Adds the rows of one frame. Where each process has a part of the world those that have no trace call
   trace_give then, and rows stand in the order of one process. */
bool trace_write(trace *t, msd_world *world, double time, problem *p);
bool trace_give(trace_kind kind, msd_world *world, double time, problem *p);

/* Hands the rows to the system: they survive the end of this process. */
bool trace_flush(trace *t, problem *p);

/* Puts the file in its place and frees; NULL is allowed. */
bool trace_close(trace *t, problem *p);

/* Frees without putting the file in its place; NULL is allowed. */
void trace_discard(trace *t);

#endif

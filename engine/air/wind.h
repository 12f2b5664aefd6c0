/* How air pushes the faces of surfaces, their triangles and segments, behind the kick of a substep, as catches
   and colliders do.

   A substep of dt seconds leaves velocities v* and places y = x + dt v*. For each face let g be the weights of
   its corners, which sum to 1, and at x its size A and its middle; u = wind - sum g v* in two parts, across it
   and along it; and b_n, b_t in kg how much of them air takes in dt, 1/2 dt density A times the coefficient
   times a speed. With w the inverse masses

       d_j = w_j sum of g max(b_n, b_t)        of a particle, over its faces
       d   = sum of g d_j                      of a face, over its corners
       s_n = S(d b_n/max(b_n, b_t)),           and s_t: S(d) = 1/(1 + d + (sqrt(1 + 4 d) - 1)/2)
       J   = s_n b_n u_n + s_t b_t u_t
       v'  = v* + w sum of g J,     x' = y + dt (v' - v*)

   S makes it exact, at any dt, where all corners move alike across or along their faces: it is backward Euler
   of quadratic drag. The same J is shared by the corners of a face, so that what all of it does is symmetric in
   the norm of the masses; S(d) <= 1/(1 + d) keeps it between 0 and 1. docs/wind.md has what follows from that.

   Each phase is done by all threads before the next. Each particle is summed by one thread, in the order of the
   faces, so the bits are the same on any threads; it is computed in double. */
#ifndef MSD_ENGINE_AIR_WIND_H
#define MSD_ENGINE_AIR_WIND_H

#include "engine/base/spans.h"
#include "engine/contact/corner_lists.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/surface.h"

/* A segment has its second end twice, the second time without weight. */
enum { WIND_CORNERS = 3, WIND_GROUP = 16, WIND_CHUNK = 16 };

/* Of a face in the substep at hand. */
typedef struct wind_push {
  /* N s: b_n u_n and b_t u_t; in the end `across` is J. */
  double3 across, along;
  /* kg: the larger of b_n and b_t, and the share that each is of it. */
  double most, share_across, share_along;
} wind_push;

typedef struct wind_work {
  /* The triangles, then the segments, in the order of the surfaces. */
  int32_t face_count, triangle_count;
  int32_t *slots[WIND_CORNERS];
  /* m: of each segment. */
  double *widths;
  wind_push *pushes;
  /* Room for the faces that have a corner which does not sleep, for whoever knows that. */
  span_list awake;
  corner_lists corners;
  /* d_j of corners.slots. */
  double *taken;
  revision made_for;
} wind_work;

/* Lays out all faces. `thickness` is that of surfaces that have none of their own. False, and empty, without
   memory. */
bool wind_work_make(wind_work *w, memory *m, const surface_store *s, const particle_store *p,
                    msd_real thickness);
void wind_work_free(wind_work *w, memory *m);

/* One thread in a substep. */
typedef struct wind_thread {
  wind_work *work;
  const msd_wind_def *wind;
  /* Six components each: x and v before, y and v* behind the kick. */
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* The state behind, too; NULL: there are none. */
  msd_real *records;
  /* 1/kg, by slot. */
  const msd_real *inverse_mass;
  /* s: dt, and the time at the beginning of the substep. */
  double time_step, time;
  /* The faces that are pushed; all those of a particle that has an inverse mass. And the particles, in
     chunks of WIND_CHUNK groups: whose faces are all among these. */
  span_list faces, chunks;
  /* Of the particles, WIND_GROUP slots each, the thread's own. */
  parallel_range groups;
  parallel_barrier *barrier;
  int thread, threads;
  msd_simd simd;
} wind_thread;

/* All threads come. Returns whether all that it moved is finite. */
bool wind_act(const wind_thread *t);

#endif

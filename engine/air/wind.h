/* Aerodynamic forces on the faces of collision meshes, their triangles and segments. They are applied after
   the kick of a substep, like hard length limits and contacts.

   A substep of dt seconds predicts velocities v* and positions y = x + dt v*. For each face let g be the
   weights of its corners, which sum to 1, and A its area and its center at x. u = wind - sum g v* has a
   normal and a tangential component. b_n, b_t in kg are the impulses per relative velocity in dt: 1/2 dt
   density A times the drag coefficient times a speed. With w the inverse masses

       d_j = w_j sum of g max(b_n, b_t)        of a particle, over its faces
       d   = sum of g d_j                      of a face, over its corners
       s_n = S(d b_n/max(b_n, b_t)),           and s_t: S(d) = 1/(1 + d + (sqrt(1 + 4 d) - 1)/2)
       J   = s_n b_n u_n + s_t b_t u_t
       v'  = v* + w sum of g J,     x' = y + dt (v' - v*)

   S makes it exact, at any dt, if all corners have the same velocity, normal or tangential to their faces: it
   is backward Euler of quadratic drag. All corners of a face use the same J, so the operator is symmetric in
   the norm of the masses; S(d) <= 1/(1 + d) bounds it between 0 and 1. docs/theory has the consequences.

   All threads finish each phase before the next. Each particle is summed by one thread, in the order of the
   faces and in double, so results do not depend on threads. */
#ifndef MSD_ENGINE_AIR_WIND_H
#define MSD_ENGINE_AIR_WIND_H

#include "engine/base/intervals.h"
#include "engine/contact/particle_lists.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"
#include "engine/store/surface.h"

/* A segment stores its second end twice, the second time with weight 0. */
enum { WIND_CORNERS = 3, WIND_GROUP = 16, WIND_CHUNK = 16 };

/* The state of a face in the current substep. */
typedef struct wind_push {
  /* N s: b_n u_n and b_t u_t; finally `across` is J. */
  double3 across, along;
  /* kg: the larger of b_n and b_t, and the ratio of each to it. */
  double most, share_across, share_along;
} wind_push;

typedef struct wind_work {
  /* The triangles, then the segments, in the order of the collision meshes. */
  int32_t face_count, triangle_count;
  int32_t *slots[WIND_CORNERS];
  /* m: per segment. */
  double *widths;
  wind_push *pushes;
  /* Space for the list of faces with an awake corner, which the caller fills in. */
  span_list awake;
  corner_lists corners;
  /* d_j of corners.slots. */
  double *taken;
  revision made_for;
} wind_work;

/* Lays out all faces. `thickness` is that of meshes without their own. Returns false, and leaves it empty, if
   memory runs out. */
bool wind_work_make(wind_work *w, memory *m, const surface_store *s, const particle_store *p,
                    msd_real thickness);
void wind_work_free(wind_work *w, memory *m);

/* N s: the impulse of the last substep on a corner of a face, also on a pinned one. */
double3 wind_corner_impulse(const wind_work *w, int32_t face, int corner);

/* The arguments of one thread in a substep. */
typedef struct wind_thread {
  wind_work *work;
  const msd_wind_def *wind;
  /* Six components each: x and v before the substep, y and v* after the kick. */
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* The state after the substep as records, too; NULL: none. */
  msd_real *records;
  /* 1/kg, by slot. */
  const msd_real *inverse_mass;
  /* s: dt, and the time at the beginning of the substep. */
  double dt, time;
  /* The faces that are processed, which include all faces of each free particle that is processed. And the
     particles, in chunks of WIND_CHUNK groups. */
  span_list faces, chunks;
  /* The particle groups of this thread, WIND_GROUP slots each. */
  parallel_range groups;
  parallel_barrier *barrier;
  int thread, threads;
  msd_simd simd;
} wind_thread;

/* All threads call it together. Returns whether everything that this thread moved is finite. */
bool wind_act(const wind_thread *t);

#endif

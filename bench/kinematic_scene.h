/* Random scenes in which pins and colliders are moved through collision meshes, to test that all intersections
   are reported. */
#ifndef MSD_BENCH_KINEMATIC_SCENE_H
#define MSD_BENCH_KINEMATIC_SCENE_H

#include "bench/reported_penetrations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums over the frames of all scenes. */
typedef struct led_tally {
  int64_t frames;
  /* Frames after which a pair intersects that has a free particle. */
  int64_t with_some;
  /* Intersections after each frame. */
  told_tally told;
  /* Forced intersections. */
  int64_t squeezed;
} led_tally;

/* Builds the scene of a seed, which is the same on every machine, and runs it for `frames` frames of 1/60 s. A
   scene has two to five sheets, ropes, spheres, balloons and blocks of tetrahedra, which start apart. The pins
   of a body are none of its particles, one in eight to one in two, a quarter in a row, or all. They move back
   and forth at 0.1 to 50 m/s, together or independently; one scene in three also has a moving sphere collider.
   Frames have 1 to 40 substeps; gravity, friction and relaxation vary.

   Adds to the tally. Returns the result of the first call that failed, or MSD_OUT_OF_MEMORY. */
msd_result led_scene_run(uint64_t seed, int frames, led_tally *tally);

#ifdef __cplusplus
}
#endif

#endif

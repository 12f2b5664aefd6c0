/* Scenes at random in which pins and colliders are led through surfaces, to try on them whether whatever comes
   to intersect is said to. */
#ifndef MSD_BENCH_LED_SCENE_H
#define MSD_BENCH_LED_SCENE_H

#include "bench/told.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of frames, summed over scenes. */
typedef struct led_tally {
  int64_t frames;
  /* Frames behind which something that can move intersects. */
  int64_t with_some;
  /* What intersects behind a frame. */
  told_tally told;
  /* Pairs that were pinched. */
  int64_t pinched;
} led_tally;

/* Builds the scene of a seed, the same everywhere, and runs it for so many frames of 1/60 s: two to five
   sheets, ropes, spheres, balloons and blocks of tetrahedra, none of which intersects another to begin with. Of
   some of them no particle, of others one in eight to one in two, a quarter in a row or all are pins, which go
   to and fro together or each for itself at 0.1 to 50 m/s; one scene in three has a sphere besides that does as
   well. 1 to 40 substeps, with and without gravity, friction and softness. Adds to the tally; returns what a
   call of msd has failed with, or MSD_OUT_OF_MEMORY. */
msd_result led_scene_run(uint64_t seed, int frames, led_tally *tally);

#ifdef __cplusplus
}
#endif

#endif

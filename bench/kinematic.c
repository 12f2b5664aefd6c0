/* kinematic [SCENES [SEED [FRAMES]]]: tests that every intersection that kinematic motion forces is reported.
   Runs SCENES random scenes (200 by default, seeds from 1 on) for FRAMES frames (60). After every frame it
   compares the result of the exact intersection test with the reported penetrations. Exit status: 0 all were
   reported, 1 some were not, 2 bad usage or a failed call. */
#include "bench/kinematic_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints the first frame of a scene after which an intersection is not reported. */
static void describe(uint64_t seed, int frames) {
  led_tally tally;
  int few = 0, many = frames;
  while (few + 1 < many) {
    const int half = few + (many - few) / 2;
    tally = (led_tally){0};
    if (led_scene_run(seed, half, &tally) == MSD_OK && tally.told.untold == 0)
      few = half;
    else
      many = half;
  }
  printf("seed %" PRIu64 ": an intersection after frame %d is not reported\n", seed, many);
}

int main(int argc, char **argv) {
  const int scenes = argc > 1 ? atoi(argv[1]) : 200, frames = argc > 3 ? atoi(argv[3]) : 60;
  const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  if (argc > 4 || scenes < 1 || frames < 1) {
    fprintf(stderr, "usage: kinematic [SCENES [SEED [FRAMES]]]\n");
    return 2;
  }
  led_tally all = {0};
  for (uint64_t seed = first; seed < first + (uint64_t)scenes; seed++) {
    const int64_t before = all.told.untold;
    const msd_result result = led_scene_run(seed, frames, &all);
    if (result != MSD_OK) {
      fprintf(stderr, "kinematic: seed %" PRIu64 ": %s\n", seed, msd_result_string(result));
      return 2;
    }
    if (all.told.untold > before)
      describe(seed, frames);
    fflush(stdout);
  }
  printf("%" PRId64 " frames of %d scenes; after %" PRId64 " of them %" PRId64
         " pairs with a free particle intersect (and %" PRId64 " pairs without one); %" PRId64
         " of these are not reported, %" PRId64 " are overlapping segments with a common end; %" PRId64
         " forced intersections\n",
         all.frames, scenes, all.with_some, all.told.found, all.told.prescribed, all.told.untold,
         all.told.folded, all.squeezed);
  return all.told.untold > 0;
}

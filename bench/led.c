/* led [SCENES [SEED [FRAMES]]]: whether all that prescribed motion forces is reported. Runs so many scenes at
   random (200 by default, from seed 1 on) for so many frames (60), looks behind every frame for what
   intersects, by the exact check, and for the tangles that msd tells of. Exit status: 0 all was reported, 1
   something was not, 2 bad usage or a call that failed. */
#include "bench/led_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Tells of the first frame of a scene behind which something is not reported. */
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
  printf("seed %" PRIu64 ": not reported behind frame %d\n", seed, many);
}

int main(int argc, char **argv) {
  const int scenes = argc > 1 ? atoi(argv[1]) : 200, frames = argc > 3 ? atoi(argv[3]) : 60;
  const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  if (argc > 4 || scenes < 1 || frames < 1) {
    fprintf(stderr, "usage: led [SCENES [SEED [FRAMES]]]\n");
    return 2;
  }
  led_tally all = {0};
  for (uint64_t seed = first; seed < first + (uint64_t)scenes; seed++) {
    const int64_t before = all.told.untold;
    const msd_result result = led_scene_run(seed, frames, &all);
    if (result != MSD_OK) {
      fprintf(stderr, "led: seed %" PRIu64 ": %s\n", seed, msd_result_string(result));
      return 2;
    }
    if (all.told.untold > before)
      describe(seed, frames);
    fflush(stdout);
  }
  printf("%" PRId64 " frames of %d scenes; behind %" PRId64 " of them %" PRId64
         " pairs intersect that can move (and %" PRId64 " that are prescribed as a whole); %" PRId64
         " of these not reported, %" PRId64 " ends of ropes on the segment before them; %" PRId64
         " pairs pinched\n",
         all.frames, scenes, all.with_some, all.told.found, all.told.prescribed, all.told.untold,
         all.told.folded, all.pinched);
  return all.told.untold > 0;
}

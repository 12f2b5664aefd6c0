/* Measures the speed of this machine with a cloth of N x N particles that has stretch, shear and bend
   springs, on one thread and on an automatic number of threads. Usage: benchmark [N...]. The fastest of
   several runs counts, because other programs can only slow a run down. */
#include <msd/msd.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SUBSTEPS = 100, RUNS = 7 };

static double now(void) {
  struct timespec t;
  return timespec_get(&t, TIME_UTC) ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

/* Seconds per substep; negative on failure. */
static double measure(int side, int threads, int32_t *springs) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  msd_world *world;
  if (msd_create_world(&def, &world))
    return -1;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = side;
  cloth.stretch.law = MSD_SPRING_STIFFNESS;
  cloth.stretch.stiffness = 100;
  cloth.stretch.damping = (msd_real)0.01;
  cloth.shear = cloth.bend = cloth.stretch;
  double least = -1;
  msd_result result = msd_add_cloth(world, &cloth, NULL);
  *springs = msd_world_get_spring_count(world);
  for (int run = 0; run < RUNS && result == MSD_OK; run++) {
    const double start = now();
    result = msd_world_step(world, (msd_real)1e-3, SUBSTEPS);
    const double seconds = (now() - start) / SUBSTEPS;
    if (run > 0 && (least < 0 || seconds < least))
      least = seconds;
  }
  if (result != MSD_OK)
    fprintf(stderr, "benchmark: %s\n", msd_world_message(world));
  msd_destroy_world(world);
  return result == MSD_OK ? least : -1;
}

int main(int argc, char **argv) {
  static const int sides[] = {30, 100, 300};
  const int count = argc > 1 ? argc - 1 : (int)(sizeof sides / sizeof *sides);
  printf("%8s %10s %8s %14s %22s\n", "side", "springs", "threads", "us a substep", "springs a second, 1e6");
  for (int n = 0; n < count; n++) {
    const int side = argc > 1 ? atoi(argv[n + 1]) : sides[n];
    for (int threads = 1; threads >= 0; threads--) {
      int32_t springs;
      const double seconds = measure(side, threads, &springs);
      if (seconds < 0)
        return 1;
      printf("%8d %10d %8s %14.1f %22.0f\n", side, (int)springs, threads ? "1" : "as pay", 1e6 * seconds,
             (double)springs / seconds / 1e6);
    }
  }
  return 0;
}

/* sleep [PARTICLES...]: the time of a step when none, half or all of the bodies sleep, in worlds of about
   PARTICLES particles (1000, 10000 and 100000 by default). Prints the table of bench/notes/sleep.md. Exit
   status: 0 done, 1 a call failed, 2 bad usage. */
#include <msd/msd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 32, CLOTH = SIDE * SIDE, SUBSTEPS = 8, TIMES = 9, SHARES = 3, PARTICLES_MOST = 10000000 };

static const char *const shares[SHARES] = {"all awake", "half asleep", "all asleep"};
static const msd_real FRAME = (msd_real)(1.0 / 64);

static double wall_clock(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A cloth of 1024 particles that hangs from its upper edge, optionally with a collision mesh. */
static msd_result add_cloth(msd_world *world, int number, bool touches) {
  msd_cloth_def def = msd_default_cloth_def();
  msd_body body;
  def.origin = (msd_vec3){(msd_real)(number % 8 * 2), 0, (msd_real)(number / 8) / 8};
  def.columns = def.rows = SIDE;
  def.stretch.law = def.shear.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = def.shear.stiffness = 20;
  def.stretch.damping = def.shear.damping = (msd_real)0.01;
  msd_result result = msd_add_cloth(world, &def, &body);
  for (int32_t i = 0; result == MSD_OK && i < SIDE; i++)
    result = msd_particle_pin(world, body.particles.first + i);
  int32_t triangles[6 * CLOTH];
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.thickness = (msd_real)0.01;
  for (int32_t i = 0; i < CLOTH - SIDE; i++)
    if (i % SIDE < SIDE - 1) {
      const int32_t a = body.particles.first + i, below = a + SIDE;
      const int32_t cell[6] = {a, a + 1, below, a + 1, below + 1, below};
      memcpy(triangles + 3 * (size_t)surface.triangle_count, cell, sizeof cell);
      surface.triangle_count += 2;
    }
  return result == MSD_OK && touches ? msd_add_collision_meshes(world, &surface, 1, NULL) : result;
}

/* The threshold speed is so high that every body falls asleep unless it is woken. */
static msd_result make_world(msd_world **world, int cloths, bool touches) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = 1;
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)1e6;
  sleep.delay = 4 * FRAME;
  msd_result result = msd_create_world(&def, world);
  if (result == MSD_OK)
    result = msd_world_set_sleep(*world, &sleep);
  for (int n = 0; n < cloths && result == MSD_OK; n++)
    result = add_cloth(*world, n, touches);
  return result;
}

/* Takes a step after waking the first `awake` cloths. */
static msd_result step(msd_world *world, int awake, double *seconds) {
  msd_result result = MSD_OK;
  for (int n = 0; n < awake && result == MSD_OK; n++)
    result = msd_particle_wake(world, n * CLOTH);
  const double start = wall_clock();
  if (result == MSD_OK)
    result = msd_world_step(world, FRAME, SUBSTEPS);
  *seconds = wall_clock() - start;
  return result;
}

static int compare(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* The median time in s of several steps of a new world, after enough steps for the other bodies to fall asleep.
   Bodies that are awake move alike, however many there are. */
static msd_result measure(msd_world *world, int awake, double *median) {
  double seconds[TIMES];
  msd_result result = MSD_OK;
  for (int n = 0; n < 6 && result == MSD_OK; n++)
    result = step(world, awake, &seconds[0]);
  for (int n = 0; n < TIMES && result == MSD_OK; n++)
    result = step(world, awake, &seconds[n]);
  qsort(seconds, TIMES, sizeof *seconds, compare);
  *median = seconds[TIMES / 2];
  return result;
}

static bool print_rows(int particles, bool touches) {
  const int cloths = particles < 2 * CLOTH ? 2 : particles / CLOTH;
  double all = 0;
  msd_result result = MSD_OK;
  for (int share = 0; share < SHARES && result == MSD_OK; share++) {
    msd_world *world = NULL;
    double median = 0;
    result = make_world(&world, cloths, touches);
    if (result == MSD_OK)
      result = measure(world, cloths - share * cloths / 2, &median);
    all = share == 0 ? median : all;
    if (result == MSD_OK)
      printf("| %d cloths%s | %d | %s | %d | %.4f | %.4f |\n", cloths,
             touches ? " with collision meshes" : "", (int)msd_world_get_particle_count(world), shares[share],
             (int)msd_world_get_stats(world).asleep, 1e3 * median, median / all);
    else
      fprintf(stderr, "sleep: %s: %s\n", msd_result_string(result), msd_world_message(world));
    msd_destroy_world(world);
  }
  return result == MSD_OK;
}

int main(int argc, char **argv) {
  static const int defaults[] = {1000, 10000, 100000};
  const int count = argc > 1 ? argc - 1 : 3;
  bool done = true;
  printf("| world | particles | bodies | asleep | ms a step | relative to all awake "
         "|\n|---|---|---|---|---|---|\n");
  for (int n = 0; n < count && done; n++) {
    const long particles = argc > 1 ? strtol(argv[n + 1], NULL, 10) : defaults[n];
    if (particles < 1 || particles > PARTICLES_MOST) {
      fprintf(stderr, "usage: sleep [PARTICLES...], 1 to %d\n", PARTICLES_MOST);
      return 2;
    }
    done = print_rows((int)particles, false) && print_rows((int)particles, true);
  }
  return done ? 0 : 1;
}

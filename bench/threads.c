/* threads [SUBSTEPS]: the gain from a second thread in small worlds. Steps of SUBSTEPS substeps (64 by default)
   on one thread and on up to two alternate. Prints the table of bench/notes/benchmark.md. Exit status: 0 done,
   1 a call failed or the numbers of threads give different states, 2 bad usage. */
#include "bench/machine.h"
#include "bench/networks.h"
#include "scenes/loader/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough steps for the world to choose its number of threads, and enough samples that the median is free of
   other load. */
enum { SAMPLES = 31, WARM_STEPS = 6, SUBSTEPS = 64, SUBSTEPS_MAX = 100000, WAYS = 2 };

/* Minimum time of a sample, in s. */
static const double SAMPLE = 4e-3;

typedef enum small_kind { SMALL_ROPE, SMALL_CLOTH, SMALL_SCENE } small_kind;

typedef struct small_world {
  const char *name;
  small_kind kind;
  int32_t size;
} small_world;

static const small_world worlds[] = {
    {"rope 32", SMALL_ROPE, 32},       {"rope 100", SMALL_ROPE, 100},     {"rope 320", SMALL_ROPE, 320},
    {"rope 1000", SMALL_ROPE, 1000},   {"cloth 16x16", SMALL_CLOTH, 16},  {"cloth 24x24", SMALL_CLOTH, 24},
    {"cloth 32x32", SMALL_CLOTH, 32},  {"cloth 64x64", SMALL_CLOTH, 64},  {"cloth 100x100", SMALL_CLOTH, 100},
    {"scene hammock", SMALL_SCENE, 0}, {"scene curtain", SMALL_SCENE, 0},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

/* A world with a fixed maximum number of threads. */
typedef struct runner {
  msd_world *world;
  /* Owns the world, if it comes from a scene. */
  scene *scene;
  /* s of a substep; and the speed relative to the first runner in the same round. */
  double samples[SAMPLES], gains[SAMPLES];
} runner;

static msd_result add_rope(msd_world *world, int32_t particles) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = particles;
  def.to.x = (msd_real)particles / 100;
  def.bend = def.stretch;
  return msd_add_rope(world, &def, NULL);
}

static msd_result open_runner(const small_world *w, int threads, runner *r) {
  if (w->kind == SMALL_SCENE) {
    scene_error error;
    r->scene = scene_load(strchr(w->name, ' ') + 1, &error);
    if (!r->scene) {
      fprintf(stderr, "threads: %s\n", error.text);
      return MSD_BAD_VALUE;
    }
    r->world = r->scene->world;
    return msd_world_set_thread_count(r->world, threads);
  }
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  const msd_result made = msd_create_world(&def, &r->world);
  if (made != MSD_OK)
    return made;
  return w->kind == SMALL_ROPE ? add_rope(r->world, w->size)
                               : networks_add(r->world, NETWORKS_CLOTH, w->size);
}

static void close_runner(runner *r) {
  if (r->scene)
    scene_free(r->scene);
  else
    msd_destroy_world(r->world);
}

static msd_result step(runner *r, int substeps) {
  return msd_world_step(r->world, (msd_real)substeps * NETWORKS_TIME_STEP / 4, substeps);
}

/* Measures the time of a substep in s, over `steps` steps. */
static msd_result take_sample(runner *r, int substeps, int steps, double *seconds) {
  msd_result result = MSD_OK;
  const double start = machine_clock();
  for (int n = 0; n < steps && result == MSD_OK; n++)
    result = step(r, substeps);
  *seconds = (machine_clock() - start) / steps / substeps;
  return result;
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static msd_result measure(runner *runners, int substeps) {
  msd_result result = MSD_OK;
  double seconds = 0;
  for (int way = 0; way < WAYS && result == MSD_OK; way++)
    result = take_sample(&runners[way], substeps, WARM_STEPS, &seconds);
  const int steps = 1 + (int)(SAMPLE / seconds / substeps);
  for (int n = 0; n < SAMPLES && result == MSD_OK; n++)
    for (int way = 0; way < WAYS && result == MSD_OK; way++)
      result = take_sample(&runners[way], substeps, steps, &runners[way].samples[n]);
  for (int way = 0; way < WAYS; way++) {
    runner *r = &runners[way];
    for (int n = 0; n < SAMPLES; n++)
      r->gains[n] = runners[0].samples[n] / r->samples[n];
    qsort(r->gains, SAMPLES, sizeof *r->gains, compare_times);
  }
  for (int way = 0; way < WAYS; way++)
    qsort(runners[way].samples, SAMPLES, sizeof *runners[way].samples, compare_times);
  return result;
}

static void print_row(const small_world *w, const runner *runners) {
  const double *one = runners[0].samples, *two = runners[1].samples;
  printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", w->name,
         (int)msd_world_get_particle_count(runners[0].world), 1e6 * one[0], 1e6 * two[0],
         runners[1].gains[SAMPLES / 2], 1e6 * one[SAMPLES / 2], 1e6 * two[SAMPLES / 2]);
  fflush(stdout);
}

static bool run(const small_world *w, int substeps) {
  runner runners[WAYS] = {{.world = NULL}, {.world = NULL}};
  msd_result result = MSD_OK;
  int way = 0;
  for (; way < WAYS && result == MSD_OK; way++)
    result = open_runner(w, way + 1, &runners[way]);
  if (result == MSD_OK)
    result = measure(runners, substeps);
  bool same = false;
  if (result == MSD_OK) {
    print_row(w, runners);
    same = msd_world_hash(runners[0].world) == msd_world_hash(runners[1].world);
  }
  if (!same)
    fprintf(stderr, "threads: %s: %s\n", w->name,
            result == MSD_OK ? "the numbers of threads give different states" : msd_result_string(result));
  while (way-- > 0)
    close_runner(&runners[way]);
  return same;
}

int main(int argc, char **argv) {
  const int substeps = argc > 1 ? atoi(argv[1]) : SUBSTEPS;
  if (argc > 2 || substeps < 1 || substeps > SUBSTEPS_MAX) {
    fprintf(stderr, "usage: threads [SUBSTEPS]: substeps of a step, 1 to %d [%d]\n", SUBSTEPS_MAX, SUBSTEPS);
    return 2;
  }
  bool done = true;
  puts("| us a substep | particles | 1 thread | up to 2 | gain | 1 thread, median | up to 2, median |\n"
       "|---|---|---|---|---|---|---|");
  for (int n = 0; n < WORLDS && done; n++)
    done = run(&worlds[n], substeps);
  return done ? 0 : 1;
}

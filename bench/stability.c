/* stability [NETWORKS]: tests the stable limit. Runs the shipped scenes and random networks just below their
   stable limit, counts explosions, of which there must be none, and measures how far the limit is below the
   first unstable substep. Exit status: 0 no explosion, 1 some, 2 bad usage or input. */
#include "bench/random_network.h"
#include "bench/stability_map.h"
#include "scenes/loader/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 1000, STEPS = 5000, LOOKS = 50, MEASURED_STEPS = 2000, MEASURED_EVERY = 10 };

/* The tested fraction of the stable limit. */
static const double NEARLY = 0.98;

/* A network explodes if its energy exceeds the initial energy by this factor, which takes an unstable linear
   mode some hundred substeps. Undamped springs that pass through zero length close to the limit do gain energy
   there, but only with powers of the number of substeps. */
static const double EXPLOSION = 1e6;

/* s: substep of networks that are stable at any substep. */
static const double ANY_STEP = 1.0 / 60;

static const double factors[] = {1.01, 1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4, 6, 10};
enum { FACTORS = sizeof factors / sizeof *factors };

static double energy_of(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

/* The largest energy of `steps` substeps from the snapshot, divided by that after the first; INFINITY if the
   world diverged. */
static double growth(msd_world *world, const void *start, size_t size, double step, int steps) {
  if (msd_world_restore(world, start, size) != MSD_OK || msd_world_step(world, (msd_real)step, 1) != MSD_OK)
    return INFINITY;
  const double begun = energy_of(world), duration = step * steps / LOOKS;
  double most = begun;
  for (int look = 0; look < LOOKS; look++) {
    if (msd_world_step(world, (msd_real)duration, steps / LOOKS) != MSD_OK)
      return INFINITY;
    const double energy = energy_of(world);
    most = energy <= most ? most : energy;
    if (!(energy <= EXPLOSION * begun))
      return INFINITY;
  }
  return begun > 0 ? most / begun : 0;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---------------------------------------------------------------------------------------- random networks */

typedef struct kind_tally {
  int networks, explosions, measured;
  double most_growth;
  /* Stable limit divided by measured limit. */
  double ratios[NETWORKS];
} kind_tally;

/* The first factor on the stable limit at which the network explodes. */
static double measured_factor(msd_world *world, const void *start, size_t size, double certified) {
  int n = 0;
  while (n < FACTORS && isfinite(growth(world, start, size, certified * factors[n], MEASURED_STEPS)))
    n++;
  return factors[n < FACTORS ? n : FACTORS - 1];
}

static bool try_network(msd_world *world, random_network_kind kind, uint64_t seed, kind_tally *tally) {
  if (random_network_add(world, kind, seed) != MSD_OK)
    return false;
  msd_stability report;
  if (msd_world_analyze_stability(world, 1, &report) != MSD_OK)
    return false;
  const double certified = isfinite(report.stable_substep) ? report.stable_substep : ANY_STEP;
  if (!(certified > 0))
    return true; /* no substep is stable, so there is no test */
  size_t size;
  if (msd_world_save(world, NULL, 0, &size) != MSD_OK)
    return false;
  void *start = malloc(size);
  if (!start || msd_world_save(world, start, size, &size) != MSD_OK) {
    free(start);
    return false;
  }
  tally->networks++;
  const double grown = growth(world, start, size, NEARLY * certified, STEPS);
  if (!isfinite(grown)) {
    tally->explosions++;
    printf("  EXPLODED below its limit: %s %" PRIu64 "\n", random_network_kind_name(kind), seed);
  } else {
    tally->most_growth = fmax(tally->most_growth, grown);
  }
  if (seed % MEASURED_EVERY == 0 && tally->measured < NETWORKS)
    tally->ratios[tally->measured++] = 1 / measured_factor(world, start, size, certified);
  free(start);
  return true;
}

static bool try_kind(random_network_kind kind, int count, kind_tally *tally) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.thread_count = 1;
  for (int n = 0; n < count; n++) {
    msd_world *world;
    if (msd_create_world(&def, &world) != MSD_OK)
      return false;
    const bool done = try_network(world, kind, (uint64_t)n, tally);
    msd_destroy_world(world);
    if (!done)
      return false;
  }
  return true;
}

static bool try_random_networks(int networks, int *explosions) {
  printf("random networks, %d substeps each at %g of the stable limit; stable/measured of one in "
         "%d\n\n%-10s %9s %11s %14s   %s\n",
         STEPS, NEARLY, MEASURED_EVERY, "kind", "networks", "explosions", "energy growth",
         "stable/measured: median, range");
  for (int k = 0; k < RANDOM_NETWORK_KIND_COUNT; k++) {
    const int count =
        networks * (k + 1) / RANDOM_NETWORK_KIND_COUNT - networks * k / RANDOM_NETWORK_KIND_COUNT;
    static kind_tally tally;
    tally = (kind_tally){.networks = 0};
    if (!try_kind((random_network_kind)k, count, &tally))
      return false;
    printf("%-10s %9d %11d %14.4g", random_network_kind_name((random_network_kind)k), tally.networks,
           tally.explosions, tally.most_growth);
    if (tally.measured > 0) {
      qsort(tally.ratios, (size_t)tally.measured, sizeof *tally.ratios, ascending);
      printf("   %.2f, %.2f to %.2f", tally.ratios[tally.measured / 2], tally.ratios[0],
             tally.ratios[tally.measured - 1]);
    }
    printf("\n");
    *explosions += tally.explosions;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------- scenes */

static const double SCENE_STEPS = 300, PRECISION = 0.005, BEYOND = 8;

static bool try_scene(const char *path, int *explosions) {
  scene_error error;
  scene *s = scene_load(path, &error);
  if (!s) {
    fprintf(stderr, "stability: %s\n", error.text);
    return false;
  }
  msd_stability report;
  double linearized_limit = 0;
  msd_result result = msd_world_set_clamp_stiffness(s->world, false);
  if (result == MSD_OK)
    result = msd_world_analyze_stability(s->world, (msd_real)s->frame_time, &report);
  const double certified = result == MSD_OK ? report.stable_substep : 0;
  if (result == MSD_OK)
    result = msd_world_estimate_current_limit(s->world, (msd_real)s->frame_time, &linearized_limit);
  const stability_map_def def = {.duration = SCENE_STEPS * certified, .disturbance = 1e-4};
  stability_map *map = NULL;
  if (result == MSD_OK && certified > 0 && isfinite(certified))
    map = stability_map_open(s->world, &def, &result);
  if (map) {
    const bool exploded =
        stability_map_run(map, MSD_SYMPLECTIC_EULER, NEARLY * certified).outcome == STABILITY_DIVERGED;
    const double measured =
        stability_map_measure(map, MSD_SYMPLECTIC_EULER, NEARLY * certified, BEYOND * certified, PRECISION);
    printf("%-20s %9" PRId32 " %12.4g %12.4g %12.4g %10.3f%s\n", s->name,
           msd_world_get_spring_count(s->world), certified, linearized_limit, measured, certified / measured,
           exploded ? "  EXPLODED below its limit" : "");
    *explosions += exploded;
  } else {
    printf("%-20s %9" PRId32 " %12.4g  no test\n", s->name, msd_world_get_spring_count(s->world), certified);
  }
  stability_map_close(map);
  scene_free(s);
  return result == MSD_OK;
}

static bool try_scenes(int *explosions) {
  scene_error error;
  int count;
  scene_listing *list = scene_list(&count, &error);
  if (!list) {
    fprintf(stderr, "stability: %s\n", error.text);
    return false;
  }
  printf("scenes with symplectic Euler: stable limit, limit of the initial configuration and measured limit "
         "in s\n\n"
         "%-20s %9s %12s %12s %12s %10s\n",
         "scene", "springs", "stable", "initial", "measured", "ratio");
  bool done = true;
  for (int n = 0; n < count && done; n++)
    done = try_scene(list[n].path, explosions);
  scene_list_free(list, count);
  return done;
}

int main(int argc, char **argv) {
  long networks = NETWORKS;
  char *end = NULL;
  if (argc == 2)
    networks = strtol(argv[1], &end, 10);
  if (argc > 2 || (end && (*end != '\0' || networks < 1 || networks > 1000000))) {
    fprintf(stderr, "usage: stability [NETWORKS]: how many random networks to try, 1 to 1000000 [%d]\n",
            NETWORKS);
    return 2;
  }
  int explosions = 0;
  if (!try_scenes(&explosions))
    return 2;
  printf("\n");
  if (!try_random_networks((int)networks, &explosions)) {
    fprintf(stderr, "stability: out of memory\n");
    return 2;
  }
  printf("\nexplosions below the stable limit: %d\n", explosions);
  return explosions > 0;
}

#include "bench/stability_map.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The number of checks in a run. */
enum { LOOKS = 100 };

/* A run is unstable if its energy ever exceeds the initial energy by more than GROWTH times the energy of
   natural motion. It is also unstable if its last third rises higher than its first third by LATE_GROWTH: an
   unstable mode grows without limit. A stable mode just below its limit oscillates with some ten times its
   initial energy, but no more late than early. */
static const double GROWTH = 100, LATE_GROWTH = 2;

struct stability_map {
  stability_map_def def;
  /* Snapshot of the disturbed world. */
  void *start;
  size_t size;
  /* s. */
  double start_time;
  /* The world of the runs. */
  msd_world *world;
  /* Lengths of all springs in m at the start, and before the disturbance. */
  double *length, *undisturbed;
  /* J: largest kinetic and elastic energy of the reference. */
  double scale;
  /* J: final energy of the reference. */
  double end_energy;
  /* Final positions of the reference; NULL without a reference. */
  msd_vec3 *reference;
  /* The last run, or the reference. */
  bool abandoned;
};

const char *stability_outcome_name(stability_outcome outcome) {
  static const char *const names[STABILITY_OUTCOME_COUNT] = {"stable", "unstable", "diverged", "refused"};
  return (unsigned)outcome < STABILITY_OUTCOME_COUNT ? names[outcome] : "unknown";
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double moving_energy(const msd_stats *stats) {
  return stats->kinetic_energy + stats->elastic_energy;
}

static double energy_of(const msd_stats *stats) {
  return moving_energy(stats) + stats->potential_energy;
}

/* Uniform in [-1, 1), a function of the index (finalizer of splitmix64). */
static double pattern(uint64_t index) {
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) / 4503599627370496.0 - 1;
}

static msd_result disturb(msd_world *world, double size) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    if (msd_particle_is_pinned(world, i))
      continue;
    msd_vec3 at = msd_particle_get_position(world, i);
    const uint64_t n = 3 * (uint64_t)i;
    at.x += (msd_real)(size * pattern(n));
    at.y += (msd_real)(size * pattern(n + 1));
    at.z += (msd_real)(size * pattern(n + 2));
    const msd_result result = msd_particle_set_position(world, i, at);
    if (result != MSD_OK)
      return result;
  }
  return MSD_OK;
}

static msd_result take_snapshot(stability_map *map, const msd_world *world) {
  msd_result result = msd_world_save(world, NULL, 0, &map->size);
  if (result != MSD_OK)
    return result;
  free(map->start);
  map->start = malloc(map->size);
  return map->start ? msd_world_save(world, map->start, map->size, &map->size) : MSD_OUT_OF_MEMORY;
}

static void keep_end(stability_map *map) {
  const int32_t count = msd_world_get_particle_count(map->world);
  for (int32_t i = 0; i < count; i++)
    map->reference[i] = msd_particle_get_position(map->world, i);
}

/* A run from the start in LOOKS intervals of whole substeps. `watch` receives the state after each and ends the
   run by returning false. */
typedef struct passage {
  int64_t steps;
  double step, duration;
  /* Wall time of the steps alone, in s. */
  double seconds;
  /* Simulated time at the end, in s. */
  double reached;
  msd_result result;
  bool abandoned;
} passage;

static passage plan_passage(const stability_map *map, double step) {
  const double steps = round(map->def.duration / step);
  if (steps < STABILITY_STEPS_MIN)
    return (passage){.steps = STABILITY_STEPS_MIN, .step = step, .duration = STABILITY_STEPS_MIN * step};
  return (passage){.steps = (int64_t)steps, .step = map->def.duration / steps, .duration = map->def.duration};
}

typedef bool watcher(stability_map *map, const msd_stats *stats, void *context);

static bool go_on(const stability_map *map, msd_integrator integrator, int64_t substeps) {
  return map->def.watch == NULL || map->def.watch(map->def.context, integrator, substeps);
}

static passage travel(stability_map *map, msd_integrator integrator, double step, watcher *watch,
                      void *context) {
  passage p = plan_passage(map, step);
  p.result = msd_world_restore(map->world, map->start, map->size);
  if (p.result == MSD_OK)
    p.result = msd_world_set_integrator(map->world, integrator);
  int64_t done = 0;
  for (int64_t look = 1; look <= LOOKS && p.result == MSD_OK && done < p.steps; look++) {
    const int64_t until = p.steps * look / LOOKS;
    if (until == done)
      continue;
    const double before = now();
    p.result = msd_world_step(map->world, (msd_real)(p.step * (double)(until - done)), (int)(until - done));
    p.seconds += now() - before;
    done = until;
    p.reached = msd_world_get_time(map->world) - map->start_time;
    const msd_stats stats = msd_world_get_stats(map->world);
    if (p.result == MSD_OK && !watch(map, &stats, context))
      break;
    p.abandoned = !go_on(map, integrator, p.steps * look / LOOKS - p.steps * (look - 1) / LOOKS);
    if (p.abandoned)
      break;
  }
  return p;
}

static bool watch_reference(stability_map *map, const msd_stats *stats, void *context) {
  (void)context;
  map->scale = fmax(map->scale, moving_energy(stats));
  map->end_energy = energy_of(stats);
  return true;
}

static msd_result run_reference(stability_map *map) {
  map->reference = calloc((size_t)msd_world_get_particle_count(map->world) + 1, sizeof *map->reference);
  if (!map->reference)
    return MSD_OUT_OF_MEMORY;
  passage p = travel(map, MSD_VELOCITY_VERLET, map->def.reference_step, watch_reference, NULL);
  if (p.result == MSD_BAD_VALUE)
    p = travel(map, MSD_SYMPLECTIC_EULER, map->def.reference_step, watch_reference, NULL);
  keep_end(map);
  map->abandoned = p.abandoned;
  return p.result;
}

static double *lengths_of(const msd_world *world) {
  const int32_t count = msd_world_get_spring_count(world);
  double *lengths = calloc((size_t)count + 1, sizeof *lengths);
  for (int32_t e = 0; lengths && e < count; e++)
    lengths[e] = (double)msd_spring_get_length(world, e);
  return lengths;
}

/* Energies in J. */
typedef struct energies {
  /* Total energy. */
  double start;
  /* Energy of natural motion: the largest of the reference, or the energy that the start releases. */
  double moving;
  /* Elastic energy of the disturbance alone. */
  double disturbance;
} energies;

/* The stiffness of a spring can depend on the substep, so one substep is taken to find it. */
static energies energies_at(stability_map *map, double step) {
  msd_world *world = map->world;
  msd_world_restore(world, map->start, map->size);
  const msd_stats start = msd_world_get_stats(world);
  msd_world_step(world, (msd_real)step, 1);
  double elastic = 0, disturbance = 0;
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    if (msd_spring_is_broken(world, e))
      continue;
    const double k = (double)msd_spring_get_stiffness(world, e);
    const double stretch = map->length[e] - (double)msd_spring_get_def(world, e).rest_length;
    const double added = map->length[e] - map->undisturbed[e];
    elastic += 0.5 * k * stretch * stretch;
    disturbance += 0.5 * k * added * added;
  }
  return (energies){.start = start.kinetic_energy + start.potential_energy + elastic,
                    .moving = fmax(map->scale, start.kinetic_energy + elastic),
                    .disturbance = disturbance};
}

static msd_result open_map(stability_map *map, const msd_world *world) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = 1;
  msd_result result = msd_create_world(&def, &map->world);
  if (result == MSD_OK)
    result = take_snapshot(map, world);
  if (result == MSD_OK)
    result = msd_world_restore(map->world, map->start, map->size);
  map->start_time = msd_world_get_time(world);
  map->undisturbed = lengths_of(map->world);
  if (result == MSD_OK)
    result = disturb(map->world, map->def.disturbance);
  if (result == MSD_OK)
    result = take_snapshot(map, map->world);
  map->length = lengths_of(map->world);
  if (result != MSD_OK)
    return result;
  if (!map->undisturbed || !map->length)
    return MSD_OUT_OF_MEMORY;
  return map->def.reference_step > 0 ? run_reference(map) : MSD_OK;
}

stability_map *stability_map_open(const msd_world *world, const stability_map_def *def, msd_result *result) {
  stability_map *map = calloc(1, sizeof *map);
  *result = MSD_OUT_OF_MEMORY;
  if (!map)
    return NULL;
  map->def = *def;
  *result = open_map(map, world);
  if (*result == MSD_OK && !map->abandoned)
    return map;
  stability_map_close(map);
  return NULL;
}

/* The state of a check during a run. */
typedef struct watched {
  energies begun;
  /* s. */
  double duration;
  /* J: the largest excess over the start, in the first and the last third of the run. */
  double early, late;
  double max_stretch;
  double energy;
  /* Whether to run to the end even if the energy has grown. */
  bool to_the_end;
  bool grew;
  /* s. */
  double grew_at;
} watched;

static bool watch_run(stability_map *map, const msd_stats *stats, void *context) {
  watched *w = context;
  const double time = msd_world_get_time(map->world) - map->start_time;
  w->max_stretch = fmax(w->max_stretch, stats->max_stretch);
  w->energy = energy_of(stats);
  const double above = w->energy - w->begun.start;
  if (time < w->duration / 3)
    w->early = fmax(w->early, above);
  if (time > w->duration * 2 / 3)
    w->late = fmax(w->late, above);
  const double swing = GROWTH * w->begun.disturbance;
  if (!w->grew && (!(above <= GROWTH * w->begun.moving + swing) ||
                   w->late > LATE_GROWTH * w->early + w->begun.moving + swing)) {
    w->grew = true;
    w->grew_at = time;
  }
  return !w->grew || w->to_the_end;
}

static double distance_to_reference(const stability_map *map) {
  const int32_t count = msd_world_get_particle_count(map->world);
  double sum = 0;
  for (int32_t i = 0; i < count; i++) {
    const msd_vec3 at = msd_particle_get_position(map->world, i), to = map->reference[i];
    const double d[3] = {(double)at.x - (double)to.x, (double)at.y - (double)to.y,
                         (double)at.z - (double)to.z};
    sum += d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  }
  return count > 0 ? sqrt(sum / count) : 0;
}

static stability_run run_at(stability_map *map, msd_integrator integrator, double step, bool to_the_end) {
  watched w = {.begun = energies_at(map, step),
               .duration = plan_passage(map, step).duration,
               .to_the_end = to_the_end};
  /* Runs longer than the reference: the energy of free fall grows with the square of the time. */
  const double longer = w.duration / map->def.duration;
  w.begun.moving = fmax(w.begun.moving, map->scale * longer * longer);
  const passage p = travel(map, integrator, step, watch_run, &w);
  map->abandoned = p.abandoned;
  stability_run run = {.outcome = STABILITY_STABLE,
                       .abandoned = p.abandoned,
                       .failed_at = p.reached,
                       .step = p.step,
                       .duration = p.duration,
                       .max_stretch = w.max_stretch,
                       .energy_error = NAN,
                       .error = NAN,
                       .cost = p.reached > 0 ? p.seconds / p.reached : 0};
  if (p.result != MSD_OK)
    run.outcome = p.result == MSD_BAD_VALUE ? STABILITY_REFUSED : STABILITY_DIVERGED;
  else if (w.grew) {
    run.outcome = STABILITY_UNSTABLE;
    run.failed_at = w.grew_at;
  }
  if (run.outcome == STABILITY_STABLE && !p.abandoned && map->reference && p.duration == map->def.duration) {
    run.energy_error = map->scale > 0 ? (w.energy - map->end_energy) / map->scale : 0;
    run.error = distance_to_reference(map);
  }
  return run;
}

stability_run stability_map_run(stability_map *map, msd_integrator integrator, double step) {
  return run_at(map, integrator, step, !map->def.stop_at_growth);
}

static bool is_stable(stability_map *map, msd_integrator integrator, double step) {
  return run_at(map, integrator, step, false).outcome == STABILITY_STABLE;
}

double stability_map_measure(stability_map *map, msd_integrator integrator, double stable, double unstable,
                             double precision) {
  if (!is_stable(map, integrator, stable) || map->abandoned)
    return stable;
  if (is_stable(map, integrator, unstable))
    return map->abandoned ? stable : unstable;
  while (unstable > stable * (1 + precision)) {
    const double middle = sqrt(stable * unstable);
    const bool found = is_stable(map, integrator, middle);
    if (map->abandoned)
      break;
    if (found)
      stable = middle;
    else
      unstable = middle;
  }
  return stable;
}

void stability_map_close(stability_map *map) {
  if (!map)
    return;
  msd_destroy_world(map->world);
  free(map->start);
  free(map->reference);
  free(map->length);
  free(map->undisturbed);
  free(map);
}

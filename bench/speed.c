#include "speed.h"

#include "textbook.h"

#include <stdlib.h>

static const speed_case cases[] = {
    {"cloth 32x32", NETWORKS_CLOTH, 32},
    {"cloth 100x100", NETWORKS_CLOTH, 100},
    {"cloth 316x316", NETWORKS_CLOTH, 316},
    {"cloth 1000x1000", NETWORKS_CLOTH, 1000},
    {"ropes 1000x100", NETWORKS_ROPES, 1000},
    {"triangles 1e4", NETWORKS_TRIANGLES, 10000},
    {"triangles 1e5", NETWORKS_TRIANGLES, 100000},
    {"triangles 1e6", NETWORKS_TRIANGLES, 1000000},
    {"tetrahedra 1e4", NETWORKS_TETRAHEDRA, 10000},
    {"tetrahedra 1e5", NETWORKS_TETRAHEDRA, 100000},
};

const speed_case *speed_cases(int *count) {
  *count = (int)(sizeof cases / sizeof *cases);
  return cases;
}

enum { SAMPLES_MAX = 199, CHECKED_SUBSTEPS = 8 };

/* The ways that one case is run. */
typedef struct contest {
  msd_world *worlds[SPEED_THREADS];
  textbook *textbook;
} contest;

static msd_result make_world(const speed_case *c, int threads, msd_simd simd, msd_world **world) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.simd = simd;
  msd_result result = msd_create_world(&def, world);
  if (result == MSD_OK)
    result = networks_add(*world, c->kind, c->size);
  return result;
}

static void close_contest(contest *all) {
  for (int n = 0; n < SPEED_THREADS; n++)
    msd_destroy_world(all->worlds[n]);
  textbook_free(all->textbook);
}

static msd_result step_world(msd_world *world, int substeps) {
  return msd_world_step(world, NETWORKS_TIME_STEP * (msd_real)substeps, substeps);
}

/* The scalar step is what the vectors and threads are checked against. */
static bool check_hash(const speed_case *c, const contest *all) {
  msd_world *reference;
  bool right = make_world(c, 1, MSD_SIMD_SCALAR, &reference) == MSD_OK &&
               step_world(reference, CHECKED_SUBSTEPS) == MSD_OK;
  for (int n = 0; n < SPEED_THREADS && right; n++)
    right = msd_world_hash(reference) == msd_world_hash(all->worlds[n]);
  msd_destroy_world(reference);
  return right;
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static speed_time summary(double *times, int samples, int substeps) {
  qsort(times, (size_t)samples, sizeof *times, compare_times);
  return (speed_time){times[0] / substeps, times[samples / 2] / substeps};
}

static msd_result open_contest(const speed_case *c, bool with_textbook, contest *all, speed_result *out) {
  for (int n = 0; n < SPEED_THREADS; n++) {
    msd_result result = make_world(c, out->threads[n], MSD_SIMD_WIDEST, &all->worlds[n]);
    if (result != MSD_OK)
      return result;
    const double start = machine_clock();
    result = step_world(all->worlds[n], 1);
    if (n == 0)
      out->build_seconds = machine_clock() - start;
    if (result == MSD_OK)
      result = step_world(all->worlds[n], CHECKED_SUBSTEPS - 1);
    if (result != MSD_OK)
      return result;
  }
  if (with_textbook && !(all->textbook = textbook_make(all->worlds[0])))
    return MSD_OUT_OF_MEMORY;
  return MSD_OK;
}

/* Substeps that one sample holds, from a first try. */
static int substeps_in(msd_world *world, double seconds) {
  int substeps = 1;
  for (;;) {
    const double start = machine_clock();
    if (step_world(world, substeps) != MSD_OK)
      return substeps;
    const double spent = machine_clock() - start;
    if (spent * 2 > seconds || substeps >= 1 << 20)
      return substeps;
    substeps *= 2;
  }
}

static msd_result take_samples(contest *all, int samples, int substeps, speed_result *out) {
  double times[SPEED_THREADS + 1][SAMPLES_MAX];
  /* The textbook loop is slower; it gets fewer substeps of the same kind. */
  const int textbook_substeps = substeps / 8 > 0 ? substeps / 8 : 1;
  for (int s = 0; s < samples; s++) {
    for (int n = 0; n < SPEED_THREADS; n++) {
      const double start = machine_clock();
      const msd_result result = step_world(all->worlds[n], substeps);
      times[n][s] = machine_clock() - start;
      if (result != MSD_OK)
        return result;
    }
    const double start = machine_clock();
    if (all->textbook)
      textbook_step(all->textbook, NETWORKS_TIME_STEP, textbook_substeps);
    times[SPEED_THREADS][s] = machine_clock() - start;
  }
  for (int n = 0; n < SPEED_THREADS; n++)
    out->msd[n] = summary(times[n], samples, substeps);
  if (all->textbook)
    out->textbook = summary(times[SPEED_THREADS], samples, textbook_substeps);
  return MSD_OK;
}

bool speed_measure(const speed_case *c, bool with_textbook, int samples, double seconds, speed_result *out,
                   const char **why) {
  *out = (speed_result){.threads = {1, machine_threads()}};
  samples = samples < 1 ? 1 : samples > SAMPLES_MAX ? SAMPLES_MAX : samples;
  contest all = {0};
  msd_result result = open_contest(c, with_textbook, &all, out);
  if (result == MSD_OK) {
    out->hash_is_right = check_hash(c, &all);
    /* Both worlds go through the same substeps, so that they can be compared at the end too. */
    const int substeps = substeps_in(all.worlds[0], seconds);
    while (result == MSD_OK && msd_world_get_steps(all.worlds[1]) < msd_world_get_steps(all.worlds[0]))
      result = step_world(all.worlds[1], 1);
    if (result == MSD_OK)
      result = take_samples(&all, samples, substeps, out);
  }
  if (result == MSD_OK) {
    const msd_stats stats = msd_world_get_stats(all.worlds[0]);
    out->particles = stats.particles;
    out->springs = stats.springs;
    out->memory = stats.bytes;
    /* A particle: six numbers read, six written, its inverse mass. A spring: rest, stiffness, damping. */
    out->bytes = (13.0 * stats.particles + 3.0 * stats.springs) * sizeof(msd_real);
    /* A spring: 6 differences, 8 for the squared length and its root, 1 division, 6 for the rate, 5 for the
       pull, 3 for the force, 6 to add it at both ends. A particle: 3 sums, 6 and 9 for velocities, 6 to move. */
    out->flops = 35.0 * stats.springs + 24.0 * stats.particles;
    out->hash = msd_world_hash(all.worlds[0]);
    out->hash_is_right = out->hash_is_right && out->hash == msd_world_hash(all.worlds[1]);
  }
  close_contest(&all);
  *why = msd_result_string(result);
  return result == MSD_OK;
}

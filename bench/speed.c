#include "bench/speed.h"

#include "bench/golden.h"
#include "bench/machine.h"
#include "bench/textbook.h"

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
    {"tetrahedra 1e6", NETWORKS_TETRAHEDRA, 1000000},
};

const speed_case *speed_cases(int *count) {
  *count = (int)(sizeof cases / sizeof *cases);
  return cases;
}

const char *speed_rival_name(int rival) {
  return rival == SPEED_TEXTBOOK ? "textbook" : peers_name((peer)(rival - SPEED_PEERS));
}

const char *speed_state_text(speed_state state) {
  static const char *const texts[SPEED_STATE_COUNT] = {"is the golden state", "is not the golden state",
                                                       "has no golden state to compare with",
                                                       "differs between threads, vectors and scalar C"};
  return texts[state];
}

enum { SAMPLES_MAX = 199 };

/* The runs of one case. */
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

bool speed_hash(const speed_case *c, uint64_t *hash) {
  msd_world *reference;
  const bool done = make_world(c, 1, MSD_SIMD_SCALAR, &reference) == MSD_OK &&
                    step_world(reference, SPEED_CHECKED_SUBSTEPS) == MSD_OK;
  *hash = msd_world_hash(reference);
  msd_destroy_world(reference);
  return done;
}

/* The scalar step is the reference for vectors and threads. */
static speed_state check_state(const speed_case *c, const contest *all, uint64_t *hash) {
  if (!speed_hash(c, hash))
    return SPEED_STATE_DIFFERENT;
  for (int n = 0; n < SPEED_THREADS; n++)
    if (msd_world_hash(all->worlds[n]) != *hash)
      return SPEED_STATE_DIFFERENT;
  const golden_hash *golden = golden_find(c->name);
  if (!golden || golden->substeps != SPEED_CHECKED_SUBSTEPS)
    return SPEED_STATE_UNKNOWN;
  return golden->hash == *hash ? SPEED_STATE_RIGHT : SPEED_STATE_WRONG;
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
    if (n == 0 && with_textbook && !(all->textbook = textbook_make(all->worlds[n])))
      return MSD_OUT_OF_MEMORY;
    const double start = machine_clock();
    result = step_world(all->worlds[n], 1);
    if (n == 0)
      out->build_seconds = machine_clock() - start;
    if (result == MSD_OK)
      result = step_world(all->worlds[n], SPEED_CHECKED_SUBSTEPS - 1);
    if (result != MSD_OK)
      return result;
  }
  if (all->textbook) {
    textbook_step(all->textbook, NETWORKS_TIME_STEP, SPEED_CHECKED_SUBSTEPS);
    out->rivals[SPEED_TEXTBOOK].distance = textbook_distance(all->textbook, all->worlds[0]);
  }
  return MSD_OK;
}

/* Runs the peers from the state after the checked substeps, before the samples. */
static bool measure_peers(const speed_case *c, const speed_plan *plan, const contest *all,
                          speed_result *out) {
  bool done = true;
  for (int p = 0; p < PEER_COUNT; p++) {
    if (!plan->peers[p])
      continue;
    msd_world *before;
    peers_result result;
    const bool measured = make_world(c, 1, MSD_SIMD_WIDEST, &before) == MSD_OK &&
                          peers_measure((peer)p, before, all->worlds[0], NETWORKS_TIME_STEP,
                                        SPEED_CHECKED_SUBSTEPS, plan->samples, plan->seconds, &result);
    msd_destroy_world(before);
    if (measured)
      out->rivals[SPEED_PEERS + p] = (speed_rival){{result.least, result.median}, result.distance};
    done = done && measured;
  }
  return done;
}

/* The substeps of one sample, from a trial; at least those of a frame of a stiff scene. */
enum { SUBSTEPS_MIN = 32 };

static int substeps_in(msd_world *world, double seconds) {
  int substeps = SUBSTEPS_MIN;
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
  /* The textbook loop is slower; its samples have fewer substeps. */
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
    out->rivals[SPEED_TEXTBOOK].time = summary(times[SPEED_THREADS], samples, textbook_substeps);
  return MSD_OK;
}

static void count_work(const msd_world *world, speed_result *out) {
  const msd_stats stats = msd_world_get_stats(world);
  out->particles = stats.particles;
  out->springs = stats.springs;
  out->memory = stats.bytes;
  /* Particle: six numbers read, six written, and the inverse mass. Spring: rest length, stiffness, damping. */
  out->bytes = (13.0 * stats.particles + 3.0 * stats.springs) * sizeof(msd_real);
  /* Spring: 6 differences, 8 for the squared length and its root, 1 division, 6 for the rate, 5 for the
     magnitude of the force, 3 for the force, 6 to add it at both ends. Particle: 3 sums, 6 and 9 for
     velocities, 6 to move. */
  out->flops = 35.0 * stats.springs + 24.0 * stats.particles;
}

bool speed_measure(const speed_case *c, const speed_plan *plan, speed_result *out, const char **why) {
  *out = (speed_result){.threads = {1, machine_threads()}};
  const int samples = plan->samples < 1 ? 1 : plan->samples > SAMPLES_MAX ? SAMPLES_MAX : plan->samples;
  contest all = {0};
  bool peers_done = true;
  msd_result result = open_contest(c, plan->textbook, &all, out);
  if (result == MSD_OK) {
    count_work(all.worlds[0], out);
    out->state = check_state(c, &all, &out->hash);
    peers_done = measure_peers(c, plan, &all, out);
    /* Both worlds take the same number of substeps, so that their final states can be compared. */
    const int substeps = substeps_in(all.worlds[0], plan->seconds);
    while (result == MSD_OK && msd_world_get_steps(all.worlds[1]) < msd_world_get_steps(all.worlds[0]))
      result = step_world(all.worlds[1], 1);
    if (result == MSD_OK)
      result = take_samples(&all, samples, substeps, out);
  }
  if (result == MSD_OK && msd_world_hash(all.worlds[0]) != msd_world_hash(all.worlds[1]))
    out->state = SPEED_STATE_DIFFERENT;
  close_contest(&all);
  *why = peers_done ? msd_result_string(result) : "a peer program failed";
  return result == MSD_OK && peers_done;
}

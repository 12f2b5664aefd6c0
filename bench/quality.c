/* quality [N]: the frame time of a hanging cloth against its stretch and its fall. Prints comma-separated
   values.

   The sheet has n x n particles (N, 100 by default), 1 kg and spacing 1/n. It starts horizontal and is pinned
   at the corners (0, 0) and (0, n-1). Linear damping is 0.5 1/s and gravity 9.81 m/s^2; it runs for 5 s in
   frames of 1/60 s. Stretch, shear and bend springs have ck = 0.24 and cd = 0.03, which is stable with and
   without tethers. Tethers to both pins are the default of msd_add_tethers, or hard length limits of a given
   stiffness.

   Stretch is length/rest - 1 over the stretch and shear springs: at the end of the 5 s, and the largest of all
   frames (`peak`), which occurs when the falling sheet snaps straight. `tip` is the height of the middle of the
   free edge. With n = 100 it converges to -0.91 to -0.92 after 0.5 s as the springs become stiffer. Each row
   runs on one thread and on all threads of the machine; both final states must have the same hash. */
#include "bench/machine.h"

#include <msd/msd.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 300, FRAMES_PER_SECOND = 60, SIZE = 100, SIZE_MAX_ALLOWED = 1000 };

typedef struct setting {
  int substeps;
  bool tethers;
  /* The stiffness ck of tethers that are hard length limits; 0: tethers are springs. */
  double share;
} setting;

static const setting settings[] = {
    {1000, false, 0}, {320, false, 0}, {160, false, 0}, {80, false, 0},  {60, false, 0}, {40, false, 0},
    {36, false, 0},   {30, false, 0},  {20, false, 0},  {10, false, 0},  {320, true, 0}, {160, true, 0},
    {80, true, 0},    {60, true, 0},   {40, true, 0},   {36, true, 0},   {30, true, 0},  {20, true, 0},
    {10, true, 0},    {160, true, 1},  {80, true, 1},   {40, true, 1},   {20, true, 1},  {10, true, 1},
    {160, true, 0.1}, {80, true, 0.1}, {40, true, 0.1}, {20, true, 0.1}, {10, true, 0.1}};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct sheet {
  msd_world *world;
  int32_t n;
  /* The number of springs measured: stretch, then shear. */
  int32_t measured;
  /* The ends of these springs. */
  int32_t *a, *b;
  double *rest, *stretch;
} sheet;

typedef struct strain {
  double largest, percentile_99, mean;
} strain;

typedef struct outcome {
  strain end, peak;
  /* m. */
  double tip_half_second, tip_end;
  /* msd_stability.radius at this substep: stable below 4. */
  double radius;
  /* s of a frame. */
  double least, median;
  uint64_t hash;
} outcome;

static void close_sheet(sheet *s) {
  msd_destroy_world(s->world);
  free(s->a);
  free(s->b);
  free(s->rest);
  free(s->stretch);
}

static msd_result add_sheet(msd_world *world, int32_t n, const setting *of, msd_body *body) {
  msd_cloth_def cloth = msd_default_cloth_def();
  const msd_real side = (msd_real)((double)(n - 1) / n);
  cloth.u = (msd_vec3){side, 0, 0};
  cloth.v = (msd_vec3){0, 0, side};
  cloth.rows = cloth.columns = n;
  cloth.stretch.law = MSD_SPRING_COEFFICIENT;
  cloth.stretch.ck = (msd_real)0.24;
  cloth.stretch.cd = (msd_real)0.03;
  cloth.shear = cloth.bend = cloth.stretch;
  msd_result result = msd_add_cloth(world, &cloth, body);
  if (result == MSD_OK)
    result = msd_particle_pin(world, 0);
  if (result == MSD_OK)
    result = msd_particle_pin(world, n - 1);
  if (result != MSD_OK || !of->tethers)
    return result;
  msd_tethers_def def = msd_default_tethers_def();
  if (of->share > 0) {
    def.spring.law = MSD_SPRING_HARD_LIMIT;
    def.spring.ck = (msd_real)of->share;
  }
  def.particles = body->particles;
  return msd_add_tethers(world, &def, NULL);
}

static msd_result open_sheet(sheet *s, int32_t n, const setting *of, int threads) {
  *s = (sheet){.n = n};
  msd_world_def def = msd_default_world_def();
  def.linear_damping = (msd_real)0.5;
  def.thread_count = threads;
  msd_body body;
  msd_result result = msd_create_world(&def, &s->world);
  if (result == MSD_OK)
    result = add_sheet(s->world, n, of, &body);
  if (result != MSD_OK)
    return result;
  s->measured = body.stretch.count + body.shear.count;
  s->a = malloc((size_t)s->measured * sizeof *s->a);
  s->b = malloc((size_t)s->measured * sizeof *s->b);
  s->rest = malloc((size_t)s->measured * sizeof *s->rest);
  s->stretch = malloc((size_t)s->measured * sizeof *s->stretch);
  if (!s->a || !s->b || !s->rest || !s->stretch)
    return MSD_OUT_OF_MEMORY;
  for (int32_t e = 0; e < s->measured; e++) {
    const msd_spring_def spring =
        msd_spring_get_def(s->world, e < body.stretch.count ? body.stretch.first + e
                                                            : body.shear.first + (e - body.stretch.count));
    s->a[e] = spring.a;
    s->b[e] = spring.b;
    s->rest[e] = (double)spring.rest_length;
  }
  return MSD_OK;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static strain strain_of(sheet *s) {
  strain now = {-1, 0, 0};
  for (int32_t e = 0; e < s->measured; e++) {
    const msd_vec3 a = msd_particle_get_position(s->world, s->a[e]);
    const msd_vec3 b = msd_particle_get_position(s->world, s->b[e]);
    const double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
    s->stretch[e] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / s->rest[e] - 1;
    now.largest = fmax(now.largest, s->stretch[e]);
    now.mean += s->stretch[e] / s->measured;
  }
  qsort(s->stretch, (size_t)s->measured, sizeof *s->stretch, compare_numbers);
  now.percentile_99 = s->stretch[s->measured - 1 - s->measured / 100];
  return now;
}

static double tip_of(const sheet *s) {
  return (double)msd_particle_get_position(s->world, (s->n - 1) * s->n + s->n / 2).y;
}

static void look(sheet *s, int frame, outcome *out) {
  out->end = strain_of(s);
  out->peak.largest = fmax(out->peak.largest, out->end.largest);
  out->peak.percentile_99 = fmax(out->peak.percentile_99, out->end.percentile_99);
  out->peak.mean = fmax(out->peak.mean, out->end.mean);
  if (frame == FRAMES_PER_SECOND / 2)
    out->tip_half_second = tip_of(s);
  out->tip_end = tip_of(s);
}

/* `looks`: also measures the stretch after every frame. */
static msd_result run_sheet(sheet *s, int substeps, bool looks, outcome *out) {
  const msd_real frame = (msd_real)1 / FRAMES_PER_SECOND;
  double times[FRAMES];
  *out = (outcome){.peak = {-1, -1, -1}};
  msd_stability stability;
  msd_result result = msd_world_analyze_stability(s->world, frame / (msd_real)substeps, &stability);
  out->radius = stability.radius;
  for (int f = 0; f < FRAMES && result == MSD_OK; f++) {
    const double start = machine_clock();
    result = msd_world_step(s->world, frame, substeps);
    times[f] = machine_clock() - start;
    if (looks)
      look(s, f + 1, out);
  }
  qsort(times, FRAMES, sizeof *times, compare_numbers);
  out->least = times[0];
  out->median = times[FRAMES / 2];
  out->hash = msd_world_hash(s->world);
  return result;
}

static msd_result measure(int32_t n, const setting *s, int threads, bool looks, outcome *out) {
  sheet cloth;
  msd_result result = open_sheet(&cloth, n, s, threads);
  if (result == MSD_OK)
    result = run_sheet(&cloth, s->substeps, looks, out);
  if (result != MSD_OK)
    fprintf(stderr, "quality: %d substeps: %s\n", s->substeps,
            cloth.world ? msd_world_message(cloth.world) : msd_result_string(result));
  close_sheet(&cloth);
  return result;
}

static void print_row(const setting *s, const outcome *one, const outcome *all) {
  printf("%d,%d,%g,%.4f,%.4f,%.4f,%.4f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.4f,%.4f,%.4f,%016" PRIx64 "\n",
         s->substeps, s->tethers ? 2 : 0, s->share, 1e3 * one->least, 1e3 * one->median, 1e3 * all->least,
         1e3 * all->median, one->end.largest, one->end.percentile_99, one->end.mean, one->peak.largest,
         one->peak.percentile_99, one->peak.mean, one->tip_half_second, one->tip_end, one->radius, one->hash);
  fflush(stdout);
}

int main(int argc, char **argv) {
  long n = SIZE;
  char *end = NULL;
  if (argc == 2)
    n = strtol(argv[1], &end, 10);
  if (argc > 2 || (end && *end != '\0') || n < 4 || n > SIZE_MAX_ALLOWED) {
    fprintf(stderr, "usage: quality [N]: particles along each side of the sheet, 4 to %d [%d]\n",
            SIZE_MAX_ALLOWED, SIZE);
    return 2;
  }
  printf("substeps,tethers_each,limit_stiffness,ms_per_frame,median_ms_per_frame,ms_per_frame_all_threads,"
         "median_ms_per_frame_all_threads,largest_stretch,percentile_99_stretch,mean_stretch,"
         "peak_largest_stretch,peak_percentile_99_stretch,peak_mean_stretch,tip_after_half_second,tip_at_end,"
         "radius,hash\n");
  int status = 0;
  for (int k = 0; k < SETTINGS; k++) {
    outcome one, all;
    if (measure((int32_t)n, &settings[k], 1, true, &one) != MSD_OK ||
        measure((int32_t)n, &settings[k], machine_threads(), false, &all) != MSD_OK)
      return 1;
    if (one.hash != all.hash) {
      fprintf(stderr, "quality: %d substeps: the numbers of threads give different states\n",
              settings[k].substeps);
      status = 1;
    }
    print_row(&settings[k], &one, &all);
  }
  return status;
}

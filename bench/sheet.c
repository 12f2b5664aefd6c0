#include "bench/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 3600, TIP_EARLY = 25, TIP_LATE = 30 };
static const double LINEAR_DAMPING = 0.5, SECONDS = 5;

bool sheet_read_arguments(int argc, char **argv, sheet_arguments *out) {
  char *end = "";
  int at = 1;
  *out = (sheet_arguments){.s.n = SHEET_SIZE};
  out->s.is_mesh = argc > at && strcmp(argv[at], "mesh") == 0;
  at += out->s.is_mesh;
  const long n = at < argc ? strtol(argv[at++], &end, 10) : SHEET_SIZE;
  if (*end != '\0' || n < SHEET_SIZE_LEAST || n > SHEET_SIZE_MOST)
    return false;
  out->s.n = (int32_t)n;
  const double seconds = at < argc ? strtod(argv[at++], &end) : SECONDS;
  const double frames = floor(seconds * SHEET_FRAMES_PER_SECOND + 0.5);
  if (*end != '\0' || !(frames >= 1 && frames <= FRAMES_MOST))
    return false;
  out->frames = (int)frames;
  out->substeps = at < argc ? strtol(argv[at++], &end, 10) : 0;
  out->on_all = at < argc && strcmp(argv[at], "all") == 0;
  at += out->on_all;
  return *end == '\0' && at == argc;
}

msd_world_def sheet_world_def(void) {
  msd_world_def def = msd_default_world_def();
  def.linear_damping = (msd_real)LINEAR_DAMPING;
  return def;
}

double sheet_apart(msd_vec3 a, msd_vec3 b) {
  const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
  return sqrt(x * x + y * y + z * z);
}

static msd_result add_lattice(sheet *s, msd_spring_def spring) {
  msd_cloth_def cloth = msd_default_cloth_def();
  const msd_real side = (msd_real)((double)(s->n - 1) / s->n);
  cloth.u = (msd_vec3){side, 0, 0};
  cloth.v = (msd_vec3){0, 0, side};
  cloth.rows = cloth.columns = s->n;
  cloth.stretch = cloth.shear = cloth.bend = spring;
  return msd_add_cloth(s->world, &cloth, &s->body);
}

/* Uniform in [0, 1); the same sequence on every machine. */
static double random_number(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

static void place_vertices(int32_t n, msd_vec3 *vertices, uint32_t *random) {
  for (int32_t i = 0; i < n * n; i++) {
    const int32_t row = i / n, column = i % n;
    const bool is_inside = row > 0 && row + 1 < n && column > 0 && column + 1 < n;
    const double by_x = 0.5 * random_number(random) - 0.25, by_z = 0.5 * random_number(random) - 0.25;
    vertices[i] =
        (msd_vec3){(msd_real)((column + is_inside * by_x) / n), 0, (msd_real)((row + is_inside * by_z) / n)};
  }
}

static void cut_cells(int32_t n, int32_t (*triangles)[3], uint32_t *random) {
  for (int32_t cell = 0; cell < (n - 1) * (n - 1); cell++) {
    const int32_t i = cell / (n - 1) * n + cell % (n - 1), corners[] = {i, i + 1, i + n + 1, i + n};
    const int turn = random_number(random) < 0.5;
    for (int k = 0; k < 3; k++) {
      triangles[2 * cell][k] = corners[(turn + k) % 4];
      triangles[2 * cell + 1][k] = corners[(turn + (k + 2)) % 4];
    }
  }
}

static msd_result add_mesh(sheet *s, msd_spring_def spring) {
  const int32_t n = s->n, triangles = 2 * (n - 1) * (n - 1);
  uint32_t random = 20;
  msd_vec3 *vertices = malloc((size_t)n * (size_t)n * sizeof *vertices);
  int32_t(*corners)[3] = malloc((size_t)triangles * sizeof *corners);
  msd_result result = MSD_OUT_OF_MEMORY;
  if (vertices && corners) {
    msd_mesh_def mesh = msd_default_mesh_def();
    place_vertices(n, vertices, &random);
    cut_cells(n, corners, &random);
    mesh.vertices = vertices;
    mesh.vertex_count = n * n;
    mesh.triangles = corners[0];
    mesh.triangle_count = triangles;
    mesh.area_density = (msd_real)((double)n * n / ((double)(n - 1) * (n - 1)));
    mesh.stretch = mesh.bend = spring;
    result = msd_add_mesh(s->world, &mesh, &s->body);
  }
  free(vertices);
  free(corners);
  return result;
}

msd_result sheet_add(sheet *s, msd_spring_def spring) {
  msd_result result = s->is_mesh ? add_mesh(s, spring) : add_lattice(s, spring);
  if (result == MSD_OK)
    result = msd_particle_pin(s->world, 0);
  return result == MSD_OK ? msd_particle_pin(s->world, s->n - 1) : result;
}

static double stretch_of(const sheet *s, int32_t spring) {
  const msd_spring_def def = msd_spring_get_def(s->world, spring);
  const double length =
      sheet_apart(msd_particle_get_position(s->world, def.a), msd_particle_get_position(s->world, def.b));
  return length / (double)def.rest_length - 1;
}

static double largest_stretch(const sheet *s) {
  const msd_range measured[] = {s->body.stretch, s->body.shear};
  double largest = -1;
  for (int k = 0; k < 2; k++) {
#ifdef _OPENMP
#pragma omp parallel for reduction(max : largest)
#endif
    for (int32_t e = measured[k].first; e < measured[k].first + measured[k].count; e++)
      largest = fmax(largest, stretch_of(s, e));
  }
  return largest;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The 99th percentile of the stretch of the measured springs; NAN without memory. */
static double most_stretch(const sheet *s) {
  const msd_range measured[] = {s->body.stretch, s->body.shear};
  const int32_t count = measured[0].count + measured[1].count;
  double *stretch = malloc((size_t)count * sizeof *stretch);
  if (!stretch)
    return NAN;
  int32_t n = 0;
  for (int k = 0; k < 2; k++)
    for (int32_t e = measured[k].first; e < measured[k].first + measured[k].count; e++)
      stretch[n++] = stretch_of(s, e);
  qsort(stretch, (size_t)count, sizeof *stretch, compare_numbers);
  const double found = stretch[(int32_t)(0.99 * (count - 1))];
  free(stretch);
  return found;
}

sheet_outcome sheet_nothing_yet(void) {
  return (sheet_outcome){.frame = INFINITY, .peak = -1};
}

void sheet_look(const sheet *s, int f, double seconds, bool looks, sheet_outcome *out) {
  out->setup = f == 1 ? seconds : out->setup;
  out->frame = fmin(out->frame, seconds);
  out->sum += seconds;
  out->frames++;
  if (!looks)
    return;
  out->end = largest_stretch(s);
  out->peak = fmax(out->peak, out->end);
  const double tip = (double)msd_particle_get_position(s->world, (s->n - 1) * s->n + s->n / 2).y;
  out->tip_25 = f <= TIP_EARLY ? tip : out->tip_25;
  out->tip_30 = f <= TIP_LATE ? tip : out->tip_30;
}

void sheet_look_last(const sheet *s, bool looks, sheet_outcome *out) {
  out->setup -= out->frame;
  out->most_of_end = looks ? most_stretch(s) : NAN;
  out->center = msd_world_get_stats(s->world).center_of_mass[1];
}

void sheet_print_columns(void) {
  printf("sheet,n,springs,solver,substeps,setup_ms,ms_per_frame,ms_per_frame_all_threads,largest_stretch,"
         "stretch_of_99_percent,peak_stretch,tip_25,tip_30,center_of_mass,mean_ms\n");
}

static void print_milliseconds(double seconds) {
  if (!isnan(seconds))
    printf("%.4f", 1e3 * seconds);
  printf(",");
}

void sheet_print_row(const sheet *s, const char *way, int substeps, double one, double all,
                     const sheet_outcome *of) {
  printf("%s,%d,%s,%d,%.4f,", s->is_mesh ? "mesh" : "lattice", (int)s->n, way, substeps, 1e3 * of->setup);
  print_milliseconds(one);
  print_milliseconds(all);
  printf("%.6f,%.6f,%.6f,%.4f,%.4f,%.4f,%.4f\n", of->end, of->most_of_end, of->peak, of->tip_25, of->tip_30,
         of->center, 1e3 * of->sum / of->frames);
  fflush(stdout);
}

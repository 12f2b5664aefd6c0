/* scaling [mesh] [N [SECONDS [SUBSTEPS]]]: what a frame of stiff cloth costs by each way to take its springs,
   and how well it falls and keeps its size; with SUBSTEPS only those ways that take so many. scaling costs
   [N...]: what a substep costs for each spring and particle. Prints comma-separated values.

   The sheet: n x n particles (N, 100 by default), 1 kg, spacing 1/n, horizontal at the start, held at the
   corners (0, 0) and (0, n-1); air drag 0.5 1/s, gravity 9.81 m/s^2, SECONDS (5 by default) in frames of 1/60
   s. Its springs are

       stiff     k = c^2 m/h^2 max(1, 0.3 m/r) with r the distance of their middle from the next pin, c^2 = 125
                 m^2/s^2, mu = 1e-4 s k, bend springs a tenth of it: as forces in automatic substeps, and with
                 scaled masses in 18
       held      the same with springs as tethers to both pins, of 25 Hz and half of critical damping, with
                 scaled masses
       tethered  ck = 0.24 and cd = 0.03, as in quality.c, with springs as tethers to both pins
       rigid     MSD_STIFFEST by Gauss-Seidel, with catches as tethers to both pins

   Of these, `stiff` as forces and `rigid` in 40 substeps are run up to N = 200, and for more than a second up
   to 100.

   `mesh` is such a sheet without rows: its inner particles are off by up to a quarter of a spacing in x and z
   by chance, and each cell is cut along one of its diagonals by chance. Springs are on the edges of these
   triangles and, to bend, across them.

   Stretch is length/rest - 1 over the structural and shear springs, at the end the largest and that of 99 in
   100, and the largest of all frames; `tip` is the height of the middle of the free edge after 25 and 30
   frames, `setup` what the first frame takes beyond the fastest. Each is run on one thread and then, for the
   fastest of 30 frames alone, on all of the machine.

   Costs are those of the fastest of 60 frames on one thread, of four worlds in turns, none with tethers: the
   springs of `tethered` as forces; `stiff` with scaled masses, what it takes beyond the first for each
   particle; the same without pins on a ball, beyond that; and `rigid`. */
#include "bench/machine.h"

#include <msd/msd.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_PER_SECOND = 60, FRAMES_MAX = 3600, SIZE = 100, SIZE_MAX_ALLOWED = 1000 };
/* Up to which N that is run which takes by far the longest, also for more than a second: springs as certified
   forces, and so many substeps of sweeps; and frames that tell the fastest. */
enum { COSTLY_MAX = 200, COSTLY_LONG_MAX = 100, SWEEPS = 40, FRAMES_ENOUGH = 30 };
static const double SPEED_SQUARED = 125, DAMPING_TIME = 1e-4, STIFFER_WITHIN = 0.3, BEND_SHARE = 0.1;
/* Of tethers beside scaled masses, Hz and of critical. */
static const double TETHER_FREQUENCY = 25, TETHER_DAMPING = 0.5;

typedef enum sheet_kind { STIFF, STIFF_SCALED, HELD_SCALED, TETHERED, RIGID } sheet_kind;

typedef struct setting {
  sheet_kind kind;
  /* 0: automatic. */
  int substeps;
} setting;

static const setting settings[] = {
    {STIFF, 0},        {STIFF_SCALED, 18}, {HELD_SCALED, 10}, {HELD_SCALED, 12}, {HELD_SCALED, 14},
    {HELD_SCALED, 18}, {HELD_SCALED, 28},  {TETHERED, 20},    {TETHERED, 40},    {TETHERED, 80},
    {RIGID, 5},        {RIGID, 10},        {RIGID, 20},       {RIGID, 40}};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct sheet {
  msd_world *world;
  msd_body body;
  int32_t n;
  bool is_mesh;
} sheet;

typedef struct outcome {
  int32_t substeps;
  double setup, frame, end, most_of_end, peak, tip_25, tip_30, center;
} outcome;

static double apart(msd_vec3 a, msd_vec3 b) {
  const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
  return sqrt(x * x + y * y + z * z);
}

/* Stiffer near the pins, which bear the whole weight. */
static msd_result stiffen(const sheet *s, msd_range springs, double share) {
  const msd_vec3 pins[2] = {msd_particle_get_position(s->world, 0),
                            msd_particle_get_position(s->world, s->n - 1)};
  msd_result result = MSD_OK;
  for (int32_t e = springs.first; e < springs.first + springs.count && result == MSD_OK; e++) {
    msd_spring_def def = msd_spring_get_def(s->world, e);
    const msd_vec3 a = msd_particle_get_position(s->world, def.a),
                   b = msd_particle_get_position(s->world, def.b);
    const msd_vec3 middle = {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
    const double near = fmin(apart(middle, pins[0]), apart(middle, pins[1]));
    def.law = MSD_SPRING_PHYSICAL;
    def.stiffness = (msd_real)(share * SPEED_SQUARED * fmax(1, STIFFER_WITHIN / near));
    def.damping = (msd_real)(DAMPING_TIME * (double)def.stiffness);
    result = msd_spring_set_law(s->world, e, &def);
  }
  return result;
}

/* With spacing 1/n and masses 1/n^2, c^2 m/h^2 is c^2. */
static msd_result stiffen_all(const sheet *s) {
  msd_result result = stiffen(s, s->body.structural, 1);
  if (result == MSD_OK)
    result = stiffen(s, s->body.shear, 1);
  return result == MSD_OK ? stiffen(s, s->body.bend, BEND_SHARE) : result;
}

static msd_result tether(const sheet *s, sheet_kind kind) {
  msd_tethers_def def = msd_default_tethers_def();
  if (kind == RIGID) {
    def.spring.law = MSD_SPRING_CATCH;
    def.spring.ck = 1;
  } else if (kind == HELD_SCALED) {
    def.spring.law = MSD_SPRING_FREQUENCY;
    def.spring.frequency = (msd_real)TETHER_FREQUENCY;
    def.spring.damping_ratio = (msd_real)TETHER_DAMPING;
  }
  def.particles = s->body.particles;
  return msd_add_tethers(s->world, &def, NULL);
}

static msd_result add_lattice(sheet *s, msd_spring_def spring) {
  msd_cloth_def cloth = msd_default_cloth_def();
  const msd_real side = (msd_real)((double)(s->n - 1) / s->n);
  cloth.u = (msd_vec3){side, 0, 0};
  cloth.v = (msd_vec3){0, 0, side};
  cloth.rows = cloth.columns = s->n;
  cloth.structural = cloth.shear = cloth.bend = spring;
  return msd_add_cloth(s->world, &cloth, &s->body);
}

/* 0..1, the same on every machine. */
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
    mesh.structural = mesh.bend = spring;
    result = msd_add_mesh(s->world, &mesh, &s->body);
  }
  free(vertices);
  free(corners);
  return result;
}

static msd_result add_sheet(sheet *s, sheet_kind kind, bool has_tethers) {
  msd_spring_def spring = msd_default_cloth_def().structural;
  spring.law = MSD_SPRING_COEFFICIENT;
  if (kind == TETHERED) {
    spring.ck = (msd_real)0.24;
    spring.cd = (msd_real)0.03;
  }
  msd_result result = s->is_mesh ? add_mesh(s, spring) : add_lattice(s, spring);
  if (result == MSD_OK)
    result = msd_particle_pin(s->world, 0);
  if (result == MSD_OK)
    result = msd_particle_pin(s->world, s->n - 1);
  if (result != MSD_OK)
    return result;
  if (kind == STIFF || kind == STIFF_SCALED || kind == HELD_SCALED)
    result = stiffen_all(s);
  return result != MSD_OK || !has_tethers ? result : tether(s, kind);
}

/* Of s->n by s->n particles. */
static msd_result open_sheet(sheet *s, sheet_kind kind, int threads, bool has_tethers) {
  msd_world_def def = msd_default_world_def();
  def.air_drag = (msd_real)0.5;
  def.thread_count = threads;
  def.mass_scaling =
      kind == STIFF_SCALED || kind == HELD_SCALED ? MSD_MASS_SCALING_SELECTIVE : MSD_MASS_SCALING_NONE;
  def.solver = kind == RIGID ? MSD_SOLVER_GAUSS_SEIDEL : MSD_SOLVER_FORCES;
  const msd_result result = msd_create_world(&def, &s->world);
  return result == MSD_OK ? add_sheet(s, kind, has_tethers) : result;
}

static double stretch_of(const sheet *s, int32_t spring) {
  const msd_spring_def def = msd_spring_get_def(s->world, spring);
  const double length =
      apart(msd_particle_get_position(s->world, def.a), msd_particle_get_position(s->world, def.b));
  return length / (double)def.rest_length - 1;
}

static double largest_stretch(const sheet *s) {
  const msd_range measured[] = {s->body.structural, s->body.shear};
  double largest = -1;
  for (int k = 0; k < 2; k++)
    for (int32_t e = measured[k].first; e < measured[k].first + measured[k].count; e++)
      largest = fmax(largest, stretch_of(s, e));
  return largest;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* That 99 in 100 of the springs measured do not exceed; NAN without memory. */
static double most_stretch(const sheet *s) {
  const msd_range measured[] = {s->body.structural, s->body.shear};
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

static msd_result run_sheet(const sheet *s, int substeps, int frames, bool looks, outcome *out) {
  const msd_real frame = (msd_real)1 / FRAMES_PER_SECOND;
  double first = 0;
  *out = (outcome){.substeps = substeps, .frame = INFINITY, .peak = -1};
  msd_result result = substeps > 0 ? MSD_OK : msd_world_find_substeps(s->world, frame, &out->substeps);
  for (int f = 1; f <= frames && result == MSD_OK; f++) {
    const double start = machine_clock();
    result = msd_world_step(s->world, frame, out->substeps);
    const double taken = machine_clock() - start;
    first = f == 1 ? taken : first;
    out->frame = fmin(out->frame, taken);
    if (!looks)
      continue;
    out->end = largest_stretch(s);
    out->peak = fmax(out->peak, out->end);
    const double tip = (double)msd_particle_get_position(s->world, (s->n - 1) * s->n + s->n / 2).y;
    out->tip_25 = f <= 25 ? tip : out->tip_25;
    out->tip_30 = f <= 30 ? tip : out->tip_30;
  }
  out->setup = first - out->frame;
  out->most_of_end = looks ? most_stretch(s) : NAN;
  out->center = msd_world_get_stats(s->world).center_of_mass[1];
  return result;
}

/* Only the fastest frame of what runs on all threads is looked at. */
static bool run_setting(sheet s, const setting *of, int frames, bool all, outcome *out) {
  msd_result result =
      open_sheet(&s, of->kind, all ? machine_threads() : 1, of->kind != STIFF && of->kind != STIFF_SCALED);
  if (result == MSD_OK)
    result = run_sheet(&s, of->substeps, frames, !all, out);
  if (result != MSD_OK)
    fprintf(stderr, "scaling: %d substeps: %s\n", of->substeps,
            s.world ? msd_world_message(s.world) : msd_result_string(result));
  msd_destroy_world(s.world);
  return result == MSD_OK;
}

static bool measure(sheet s, const setting *of, int frames) {
  static const char *const names[] = {"stiff,none", "stiff,selective", "held,selective", "tethered,none",
                                      "rigid,gauss_seidel"};
  outcome out, all;
  if (!run_setting(s, of, frames, false, &out) ||
      !run_setting(s, of, frames < FRAMES_ENOUGH ? frames : FRAMES_ENOUGH, true, &all))
    return false;
  printf("%s,%d,%s,%d,%.4f,%.4f,%.4f,%.6f,%.6f,%.6f,%.4f,%.4f,%.4f\n", s.is_mesh ? "mesh" : "lattice",
         (int)s.n, names[of->kind], (int)out.substeps, 1e3 * out.setup, 1e3 * out.frame, 1e3 * all.frame,
         out.end, out.most_of_end, out.peak, out.tip_25, out.tip_30, out.center);
  fflush(stdout);
  return true;
}

static int refuse(void) {
  fprintf(
      stderr,
      "usage: scaling [mesh] [N [SECONDS [SUBSTEPS]]] or scaling costs [N...]: particles along each side of "
      "the sheet, 4 to %d [%d], up to 60 s [5], and the only number of substeps\n",
      SIZE_MAX_ALLOWED, SIZE);
  return 2;
}

static bool is_run(const setting *of, long n, double frames) {
  const bool is_costly = of->kind == STIFF || (of->kind == RIGID && of->substeps >= SWEEPS);
  return !is_costly || n <= (frames > FRAMES_PER_SECOND ? COSTLY_LONG_MAX : COSTLY_MAX);
}

/* With `substeps` alone where that is not 0. */
static int measure_all(bool is_mesh, long n, double frames, long substeps) {
  const sheet s = {.n = (int32_t)n, .is_mesh = is_mesh};
  printf("sheet,n,springs,way,substeps,setup_ms,ms_per_frame,ms_per_frame_all_threads,largest_stretch,"
         "stretch_of_99_percent,peak_stretch,tip_25,tip_30,center_of_mass\n");
  for (int k = 0; k < SETTINGS; k++)
    if ((substeps == 0 || settings[k].substeps == substeps) && is_run(&settings[k], n, frames) &&
        !measure(s, &settings[k], (int)frames))
      return 1;
  return 0;
}

/* -------------------------------------------------------------------------------------------------- costs */

enum { BY_FORCES, BY_MASSES, ON_BALL, BY_SWEEPS, COSTS, COST_SUBSTEPS = 18, COST_FRAMES = 60 };

/* Without its pins, on a ball. */
static msd_result lay_down(const sheet *s) {
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = (msd_vec3){(msd_real)0.5, (msd_real)-0.301, (msd_real)0.5};
  ball.radius = (msd_real)0.3;
  msd_result result = msd_particle_unpin(s->world, 0);
  if (result == MSD_OK)
    result = msd_particle_unpin(s->world, s->n - 1);
  return result == MSD_OK ? msd_add_colliders(s->world, &ball, 1, NULL) : result;
}

static msd_result open_costs(sheet s[COSTS], int32_t n) {
  static const sheet_kind kinds[COSTS] = {TETHERED, STIFF_SCALED, STIFF_SCALED, RIGID};
  msd_result result = MSD_OK;
  for (int k = 0; k < COSTS && result == MSD_OK; k++) {
    s[k].n = n;
    result = open_sheet(&s[k], kinds[k], 1, false);
  }
  return result == MSD_OK ? lay_down(&s[ON_BALL]) : result;
}

static msd_result time_costs(const sheet s[COSTS], double least[COSTS]) {
  msd_result result = MSD_OK;
  for (int k = 0; k < COSTS; k++)
    least[k] = INFINITY;
  for (int f = 0; f < COST_FRAMES; f++)
    for (int k = 0; k < COSTS && result == MSD_OK; k++) {
      const double start = machine_clock();
      result = msd_world_step(s[k].world, (msd_real)1 / FRAMES_PER_SECOND, COST_SUBSTEPS);
      least[k] = fmin(least[k], (machine_clock() - start) / COST_SUBSTEPS);
    }
  return result;
}

static bool measure_costs(int32_t n) {
  sheet s[COSTS] = {{.world = NULL}};
  double least[COSTS];
  msd_result result = open_costs(s, n);
  if (result == MSD_OK)
    result = time_costs(s, least);
  if (result == MSD_OK) {
    const double particles = (double)n * n, springs = msd_world_get_spring_count(s[BY_FORCES].world);
    printf("%d,%.3f,%.2f,%.2f,%.2f\n", (int)n, 1e9 * least[BY_FORCES] / springs,
           1e9 * (least[BY_MASSES] - least[BY_FORCES]) / particles,
           1e9 * (least[ON_BALL] - least[BY_MASSES]) / particles, 1e9 * least[BY_SWEEPS] / springs);
    fflush(stdout);
  } else {
    fprintf(stderr, "scaling: %s\n", msd_result_string(result));
  }
  for (int k = 0; k < COSTS; k++)
    msd_destroy_world(s[k].world);
  return result == MSD_OK;
}

static int measure_all_costs(int count, char **sizes) {
  static char *usual[] = {"50", "100", "200", "300"};
  printf("n,forces_ns_a_spring,masses_ns_a_particle_more,touching_ns_a_particle_more,sweeps_ns_a_spring\n");
  if (count == 0) {
    count = sizeof usual / sizeof *usual;
    sizes = usual;
  }
  for (int k = 0; k < count; k++) {
    char *end = "";
    const long n = strtol(sizes[k], &end, 10);
    if (*end != '\0' || n < 4 || n > SIZE_MAX_ALLOWED)
      return refuse();
    if (!measure_costs((int32_t)n))
      return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  char *ends[3] = {"", "", ""};
  if (argc > 1 && strcmp(argv[1], "costs") == 0)
    return measure_all_costs(argc - 2, argv + 2);
  const bool is_mesh = argc > 1 && strcmp(argv[1], "mesh") == 0;
  argc -= is_mesh;
  argv += is_mesh;
  const long n = argc > 1 ? strtol(argv[1], &ends[0], 10) : SIZE;
  const double seconds = argc > 2 ? strtod(argv[2], &ends[1]) : 5;
  const long substeps = argc > 3 ? strtol(argv[3], &ends[2], 10) : 0;
  const double frames = floor(seconds * FRAMES_PER_SECOND + 0.5);
  if (argc > 4 || *ends[0] != '\0' || *ends[1] != '\0' || *ends[2] != '\0' || n < 4 || n > SIZE_MAX_ALLOWED ||
      !(frames >= 1 && frames <= FRAMES_MAX))
    return refuse();
  return measure_all(is_mesh, n, frames, substeps);
}

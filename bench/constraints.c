/* constraints [SAMPLES]: the cost of a spring or constraint of each kind in a substep of symplectic Euler, on
   one thread. Prints comma-separated values.

   Each kind has a world of its own without gravity: a grid of 100 x 100 particles, 1 cm apart and displaced at
   random by up to a fifth of that. The grid for volumes is 20 x 20 x 20, with five tetrahedra in each cell. The
   time of a substep of the same particles without springs is subtracted. Steps of 64 substeps in both worlds
   alternate, SAMPLES times (41). The minimum and the median of the CPU times, in s, are divided by the number
   of springs.

   This file uses only the public interface, so it measures older versions too: ./dev bench constraints
   --against. */
#include <msd/msd.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 100, BLOCK_SIDE = 20, SUBSTEPS = 64, SAMPLES = 41, SAMPLES_MAX = 999, WORLDS = 2 };
static const msd_real SPACING = (msd_real)0.01, MASS = (msd_real)1e-3, SUBSTEP = (msd_real)1e-4;

typedef enum kind { SPRING, TETHER, ANGLE, DIHEDRAL, AREA, VOLUME, FIBER, KINDS } kind;
static const char *const names[KINDS] = {"spring", "tether", "angle", "dihedral", "area", "volume", "fiber"};

typedef struct contest {
  /* The first world has springs, the second has none. */
  msd_world *worlds[WORLDS];
  int32_t count;
} contest;

static uint32_t seed;

/* Uniform in [-1, 1); the same sequence on every machine. */
static msd_real any(void) {
  seed = seed * 1664525u + 1013904223u;
  return (msd_real)(seed >> 8) / (msd_real)(1 << 23) - 1;
}

static msd_result add_particles(msd_world *world, bool block) {
  const int side = block ? BLOCK_SIDE : SIDE, layers = block ? BLOCK_SIDE : 1;
  msd_result result = MSD_OK;
  seed = 1;
  for (int z = 0; z < layers; z++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side && result == MSD_OK; x++) {
        msd_particle_def def = msd_default_particle_def();
        def.mass = MASS;
        def.position = (msd_vec3){((msd_real)x + any() / 5) * SPACING, ((msd_real)y + any() / 5) * SPACING,
                                  ((msd_real)z + any() / 5) * SPACING};
        def.velocity = (msd_vec3){any() / 20, any() / 20, any() / 20};
        result = msd_add_particles(world, &def, 1, NULL);
      }
  return result;
}

static msd_result add_spring(contest *c, kind k, int32_t a, int32_t b) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = def.cd = (msd_real)0.02;
  def.mode = k == TETHER ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_BOTH;
  c->count++;
  return msd_add_springs(c->worlds[0], &def, 1, NULL);
}

static msd_result add_constraint(contest *c, msd_constraint_kind of, int32_t p0, int32_t p1, int32_t p2,
                                 int32_t p3, const msd_real *weights) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = of;
  def.particles[0] = p0;
  def.particles[1] = p1;
  def.particles[2] = p2;
  def.particles[3] = p3;
  for (int n = 0; weights && n < 4; n++)
    def.weights[n] = weights[n];
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = def.cd = (msd_real)0.02;
  c->count++;
  return msd_add_constraints(c->worlds[0], &def, 1, NULL);
}

/* Adds fibers along three directions. */
static msd_result add_fibers(contest *c, int32_t p0, int32_t p1, int32_t p2) {
  static const msd_vec3 directions[] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const msd_vec3 rest[] = {msd_particle_get_position(c->worlds[0], p0),
                           msd_particle_get_position(c->worlds[0], p1),
                           msd_particle_get_position(c->worlds[0], p2)};
  msd_result result = MSD_OK;
  for (int n = 0; n < 3 && result == MSD_OK; n++) {
    msd_real weights[4];
    result = msd_fiber_weights(rest, 3, directions[n], weights);
    if (result == MSD_OK)
      result = add_constraint(c, MSD_CONSTRAINT_FIBER, p0, p1, p2, -1, weights);
  }
  return result;
}

static msd_result add_triangle(contest *c, kind k, int32_t p0, int32_t p1, int32_t p2) {
  if (k == AREA)
    return add_constraint(c, MSD_CONSTRAINT_AREA, p0, p1, p2, -1, NULL);
  return k == FIBER ? add_fibers(c, p0, p1, p2) : MSD_OK;
}

/* The springs and constraints of the cell whose first corner is i: to the right neighbor, to the upper one and
   along the diagonal. */
static msd_result add_cell(contest *c, kind k, int32_t i) {
  const int32_t right = i + 1, up = i + SIDE, across = i + SIDE + 1;
  msd_result result = add_triangle(c, k, i, right, up);
  if (result == MSD_OK)
    result = add_triangle(c, k, right, across, up);
  if (result == MSD_OK && (k == SPRING || k == TETHER)) {
    result = add_spring(c, k, i, right);
    result = result == MSD_OK ? add_spring(c, k, i, up) : result;
    result = result == MSD_OK ? add_spring(c, k, i, across) : result;
  }
  if (result == MSD_OK && k == ANGLE)
    result = add_constraint(c, MSD_CONSTRAINT_ANGLE, right, i, up, -1, NULL);
  if (result == MSD_OK && k == DIHEDRAL)
    result = add_constraint(c, MSD_CONSTRAINT_DIHEDRAL, up, right, i, across, NULL);
  return result;
}

static msd_result add_cells(contest *c, kind k) {
  msd_result result = MSD_OK;
  for (int32_t y = 0; y + 1 < SIDE; y++)
    for (int32_t x = 0; x + 1 < SIDE && result == MSD_OK; x++)
      result = add_cell(c, k, y * SIDE + x);
  return result;
}

/* Adjacent cells are split into mirrored tetrahedra, so that their faces match. */
static msd_result add_tetrahedra(contest *c) {
  static const int corners[2][5][4] = {
      {{0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}},
      {{1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}, {0, 3, 6, 5}}};
  msd_result result = MSD_OK;
  for (int z = 0; z + 1 < BLOCK_SIDE; z++)
    for (int y = 0; y + 1 < BLOCK_SIDE; y++)
      for (int x = 0; x + 1 < BLOCK_SIDE; x++)
        for (int t = 0; t < 5 && result == MSD_OK; t++) {
          int32_t at[4];
          for (int n = 0; n < 4; n++) {
            const int corner = corners[(x + y + z) % 2][t][n];
            at[n] = ((z + corner / 4) * BLOCK_SIDE + y + corner / 2 % 2) * BLOCK_SIDE + x + corner % 2;
          }
          result = add_constraint(c, MSD_CONSTRAINT_VOLUME, at[0], at[1], at[2], at[3], NULL);
        }
  return result;
}

static msd_result open_contest(contest *c, kind k) {
  msd_result result = MSD_OK;
  for (int n = 0; n < WORLDS && result == MSD_OK; n++) {
    msd_world_def def = msd_default_world_def();
    def.thread_count = 1;
    def.gravity = (msd_vec3){0, 0, 0};
    result = msd_create_world(&def, &c->worlds[n]);
    if (result == MSD_OK)
      result = add_particles(c->worlds[n], k == VOLUME);
  }
  if (result == MSD_OK)
    result = k == VOLUME ? add_tetrahedra(c) : add_cells(c, k);
  return result;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* The first step of each world compiles the network, so it is not counted. */
static msd_result take_samples(const contest *c, int samples, double times[WORLDS][SAMPLES_MAX]) {
  msd_result result = MSD_OK;
  for (int s = -1; s < samples; s++)
    for (int n = 0; n < WORLDS && result == MSD_OK; n++) {
      const double start = seconds();
      result = msd_world_step(c->worlds[n], SUBSTEP * SUBSTEPS, SUBSTEPS);
      if (s >= 0)
        times[n][s] = (seconds() - start) / SUBSTEPS;
    }
  for (int n = 0; n < WORLDS; n++)
    qsort(times[n], (size_t)samples, sizeof times[n][0], compare_numbers);
  return result;
}

static bool measure(kind k, int samples) {
  static double times[WORLDS][SAMPLES_MAX];
  contest c = {0};
  msd_result result = open_contest(&c, k);
  if (result == MSD_OK)
    result = take_samples(&c, samples, times);
  if (result == MSD_OK) {
    const double least = times[0][0] - times[1][0];
    const double median = times[0][samples / 2] - times[1][samples / 2];
    printf("%s,1,%d,%.6g,%.6g,%.2f,%.2f,%016" PRIx64 "\n", names[k], (int)c.count, least, median,
           1e9 * least / c.count, 1e9 * median / c.count, msd_world_hash(c.worlds[0]));
    fflush(stdout);
  } else {
    fprintf(stderr, "constraints: %s: %s\n", names[k], msd_result_string(result));
  }
  for (int n = 0; n < WORLDS; n++)
    msd_destroy_world(c.worlds[n]);
  return result == MSD_OK;
}

int main(int argc, char **argv) {
  char *end = "";
  const long samples = argc > 1 ? strtol(argv[1], &end, 10) : SAMPLES;
  if (argc > 2 || *end != '\0' || samples < 1 || samples > SAMPLES_MAX) {
    fprintf(stderr, "usage: constraints [SAMPLES]: 1 to %d [%d]\n", SAMPLES_MAX, SAMPLES);
    return 2;
  }
  printf("network,threads,count,seconds_per_substep,median_seconds_per_substep,nanoseconds_each,"
         "median_nanoseconds_each,hash\n");
  int status = 0;
  for (int k = 0; k < KINDS; k++)
    if (!measure((kind)k, (int)samples))
      status = 1;
  return status;
}

/* many_worlds [WORLDS [FRAMES]]: the frame time of many small worlds (100 worlds and 60 frames by default):
   capes of 20 x 20 particles on running characters. Each row of the table adds one feature to the row above it.
   Prints the table of bench/notes/benchmark.md. Exit status: 0 done, 1 a call failed or two numbers of threads
   gave different states, 2 bad usage. */
#include "bench/machine.h"
#include "msd/msd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  COLUMNS = 20,
  ROWS = 20,
  PARTICLES = COLUMNS * ROWS,
  TRIANGLES = 2 * (COLUMNS - 1) * (ROWS - 1),
  SUBSTEPS = 8,
  WARM_FRAMES = 30,
  CAPES_MOST = 100000,
  FRAMES_MOST = 100000,
  WAYS = 2,
  /* Floats of a vertex: position and normal. */
  VERTEX = 6
};

/* Each level includes the features of those before it. */
typedef enum cape_level {
  LEVEL_SPRINGS,
  LEVEL_BODY,
  LEVEL_WIND,
  LEVEL_SURFACE,
  LEVEL_CUTS,
  LEVEL_COUNT
} cape_level;

static const char *const names[LEVEL_COUNT] = {"springs, kinematic shoulders", "and a moving capsule",
                                               "and wind with turbulence", "and self-collision",
                                               "and a growing cut"};

typedef struct cape {
  msd_world *world;
  msd_vec3 shoulders[COLUMNS];
  /* The springs that connect both halves of the cape, row by row; those of a row begin at first[row]. */
  int32_t *across;
  int32_t first[ROWS + 1];
} cape;

/* The worlds of a level, and the buffers of their steps and vertices. */
typedef struct troop {
  cape_level level;
  cape *capes;
  msd_step *steps;
  int count, threads;
  int32_t triangles[3 * TRIANGLES];
  float *vertices;
} troop;

typedef struct timing {
  double *step, *draw;
} timing;

/* ------------------------------------------------------------------------------------------------- one cape */

/* The lower row of a spring that crosses the center line, or -1. */
static int crossed_row(const msd_spring_def *s) {
  const bool a_is_left = s->a % COLUMNS < COLUMNS / 2, b_is_left = s->b % COLUMNS < COLUMNS / 2;
  const int a = s->a / COLUMNS, b = s->b / COLUMNS;
  return a_is_left == b_is_left ? -1 : a > b ? a : b;
}

static bool find_across(cape *c) {
  const int32_t springs = msd_world_get_spring_count(c->world);
  c->across = malloc((size_t)springs * sizeof *c->across);
  int32_t found = 0;
  for (int row = 0; row < ROWS && c->across; row++) {
    c->first[row] = found;
    for (int32_t e = 0; e < springs; e++) {
      const msd_spring_def def = msd_spring_get_def(c->world, e);
      if (crossed_row(&def) == row)
        c->across[found++] = e;
    }
  }
  c->first[ROWS] = found;
  return c->across;
}

static msd_result add_cloth(cape *c) {
  msd_material wool = msd_default_material();
  wool.area_density = (msd_real)0.3;
  wool.stretch_modulus = 600;
  wool.bend_rigidity = (msd_real)1e-4;
  wool.damping_ratio = (msd_real)0.1;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.origin = (msd_vec3){(msd_real)-0.25, (msd_real)1.5, (msd_real)-0.2};
  cloth.u = (msd_vec3){(msd_real)0.5, 0, 0};
  cloth.v = (msd_vec3){0, (msd_real)-0.9, (msd_real)-0.35};
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.material = &wool;
  unsigned char pins[COLUMNS];
  memset(pins, 1, sizeof pins);
  const msd_particle_set upper = msd_particle_set_of_range((msd_range){0, COLUMNS});
  msd_result result = msd_add_cloth(c->world, &cloth, NULL);
  if (result == MSD_OK)
    result =
        msd_world_write(c->world, upper, MSD_PINNED, (msd_memory_layout){.number = MSD_SCALAR_BYTE}, pins);
  return result == MSD_OK
             ? msd_world_read(c->world, upper, MSD_POSITION, (msd_memory_layout){0}, c->shoulders)
             : result;
}

static msd_result add_body(cape *c) {
  msd_collider_def body = msd_default_collider_def();
  body.kind = MSD_COLLIDER_CAPSULE;
  body.from = (msd_vec3){0, (msd_real)0.5, 0};
  body.to = (msd_vec3){0, (msd_real)1.4, 0};
  body.radius = (msd_real)0.16;
  return msd_add_colliders(c->world, &body, 1, NULL);
}

static msd_result add_surface(const troop *t, cape *c) {
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = t->triangles;
  surface.triangle_count = TRIANGLES;
  surface.self_collision = t->level >= LEVEL_SURFACE;
  return msd_add_collision_meshes(c->world, &surface, 1, NULL);
}

static msd_result set_wind(cape *c, int number) {
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){0, 0, (msd_real)-1.5};
  wind.turbulence = (msd_real)0.6;
  wind.seed = (uint32_t)number;
  return msd_world_set_wind(c->world, &wind);
}

static msd_result furnish(const troop *t, cape *c, int number) {
  msd_world_def def = msd_default_world_def();
  def.clamp_stiffness = true;
  msd_result result = msd_create_world(&def, &c->world);
  if (result == MSD_OK)
    result = add_cloth(c);
  if (result == MSD_OK && t->level >= LEVEL_BODY)
    result = add_body(c);
  if (result == MSD_OK && t->level >= LEVEL_WIND)
    result = add_surface(t, c);
  if (result == MSD_OK && t->level >= LEVEL_WIND)
    result = set_wind(c, number);
  return result == MSD_OK && !find_across(c) ? MSD_OUT_OF_MEMORY : result;
}

/* Moves the shoulders and the body up and down and sideways, with a phase of its own for each cape. */
static msd_result lead(const troop *t, const cape *c, int number, int frame) {
  const double time = frame / 60.0 + 0.37 * number;
  const msd_vec3 way = {(msd_real)(0.05 * sin(9 * time)), (msd_real)(0.06 * fabs(sin(9 * time))), 0};
  msd_vec3 targets[COLUMNS];
  for (int i = 0; i < COLUMNS; i++)
    targets[i] = (msd_vec3){c->shoulders[i].x + way.x, c->shoulders[i].y + way.y, c->shoulders[i].z};
  const msd_particle_set upper = msd_particle_set_of_range((msd_range){0, COLUMNS});
  const msd_result result = msd_world_write(c->world, upper, MSD_TARGET, (msd_memory_layout){0}, targets);
  return result == MSD_OK && t->level >= LEVEL_BODY
             ? msd_collider_move_to(c->world, 0, way, (msd_quaternion){1, 0, 0, 0})
             : result;
}

/* Cuts one row in every fourth frame, from the hem up to the middle, at a different time for each cape. */
static msd_result cut(const cape *c, int number, int frame) {
  const int step = frame - WARM_FRAMES - number % 40, row = ROWS - 1 - step / 4;
  msd_result result = MSD_OK;
  if (step >= 0 && step % 4 == 0 && row >= ROWS / 2)
    for (int32_t k = c->first[row]; k < c->first[row + 1] && result == MSD_OK; k++)
      result = msd_spring_break(c->world, c->across[k]);
  return result;
}

/* ---------------------------------------------------------------------------------------------- all of them */

static void close_troop(troop *t) {
  for (int n = 0; n < t->count && t->capes; n++) {
    msd_destroy_world(t->capes[n].world);
    free(t->capes[n].across);
  }
  free(t->capes);
  free(t->steps);
  free(t->vertices);
}

static msd_result open_troop(troop *t, cape_level level, int count, int threads) {
  *t = (troop){.level = level, .count = count, .threads = threads};
  t->capes = calloc((size_t)count, sizeof *t->capes);
  t->steps = calloc((size_t)count, sizeof *t->steps);
  t->vertices = calloc((size_t)count * PARTICLES * VERTEX, sizeof *t->vertices);
  msd_cloth_def cloth = msd_default_cloth_def();
  int32_t triangles;
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  const bool has_room = t->capes && t->steps && t->vertices;
  msd_result result =
      has_room ? msd_cloth_get_triangles(&cloth, 0, t->triangles, TRIANGLES, &triangles) : MSD_OUT_OF_MEMORY;
  for (int n = 0; n < count && result == MSD_OK; n++) {
    result = furnish(t, &t->capes[n], n);
    t->steps[n] =
        (msd_step){.world = t->capes[n].world, .frame_time = (msd_real)1 / 60, .substeps = SUBSTEPS};
  }
  return result;
}

/* Writes positions and normals of all worlds into one vertex buffer. */
static msd_result draw(const troop *t) {
  const msd_memory_layout layout = {.stride = VERTEX * sizeof(float), .number = MSD_SCALAR_FLOAT};
  const msd_render_mesh skin = {.vertices = msd_particle_set_of_range((msd_range){0, PARTICLES}),
                                .triangles = t->triangles,
                                .triangle_count = TRIANGLES};
  msd_result result = MSD_OK;
  for (int n = 0; n < t->count && result == MSD_OK; n++) {
    float *to = t->vertices + (size_t)n * PARTICLES * VERTEX;
    result = msd_world_read(t->capes[n].world, skin.vertices, MSD_POSITION, layout, to);
    if (result == MSD_OK)
      result = msd_world_read_normals(t->capes[n].world, &skin, layout, to + 3);
  }
  return result;
}

static msd_result run(const troop *t, int frames, const timing *times) {
  msd_result result = MSD_OK;
  for (int frame = 0; frame < WARM_FRAMES + frames && result == MSD_OK; frame++) {
    const double start = machine_clock();
    for (int n = 0; n < t->count && result == MSD_OK; n++) {
      result = lead(t, &t->capes[n], n, frame);
      if (result == MSD_OK && t->level >= LEVEL_CUTS)
        result = cut(&t->capes[n], n, frame);
    }
    if (result == MSD_OK)
      result = msd_worlds_step(t->steps, t->count, t->threads, NULL);
    const double middle = machine_clock();
    if (result == MSD_OK)
      result = draw(t);
    if (frame >= WARM_FRAMES) {
      times->step[frame - WARM_FRAMES] = middle - start;
      times->draw[frame - WARM_FRAMES] = machine_clock() - middle;
    }
  }
  return result;
}

static uint64_t hash_all(const troop *t) {
  uint64_t hash = 0;
  for (int n = 0; n < t->count; n++)
    hash = hash * 0x9e3779b97f4a7c15u + msd_world_hash(t->capes[n].world);
  return hash;
}

/* ------------------------------------------------------------------------------------------------ the table */

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *times, int frames, double share) {
  qsort(times, (size_t)frames, sizeof *times, compare_times);
  return 1e3 * times[(int)(share * (frames - 1))];
}

static bool print_row(cape_level level, int capes, int frames, const timing *times) {
  const int threads[WAYS] = {1, machine_threads()};
  uint64_t hash[WAYS] = {0};
  double drawing = 0;
  msd_result result = MSD_OK;
  printf("| %s |", names[level]);
  for (int way = 0; way < WAYS && result == MSD_OK; way++) {
    troop t;
    result = open_troop(&t, level, capes, threads[way]);
    if (result == MSD_OK)
      result = run(&t, frames, times);
    if (result == MSD_OK) {
      printf(" %.2f, %.2f |", quantile(times->step, frames, 0.5), quantile(times->step, frames, 0.95));
      drawing = quantile(times->draw, frames, 0.5);
      hash[way] = hash_all(&t);
    }
    close_troop(&t);
  }
  if (result != MSD_OK) {
    fprintf(stderr, "\nmany_worlds: %s: %s\n", names[level], msd_result_string(result));
    return false;
  }
  printf(" %.2f | %s |\n", drawing, hash[0] == hash[1] ? "same" : "differ");
  fflush(stdout);
  return hash[0] == hash[1];
}

int main(int argc, char **argv) {
  const int capes = argc > 1 ? atoi(argv[1]) : 100, frames = argc > 2 ? atoi(argv[2]) : 60;
  if (argc > 3 || capes < 1 || capes > CAPES_MOST || frames < 1 || frames > FRAMES_MOST) {
    fprintf(stderr, "usage: many_worlds [WORLDS [FRAMES]], 1 to %d and 1 to %d\n", CAPES_MOST, FRAMES_MOST);
    return 2;
  }
  const timing times = {malloc((size_t)frames * sizeof(double)), malloc((size_t)frames * sizeof(double))};
  bool done = times.step && times.draw;
  printf("| ms a frame: median, 95th percentile | 1 thread | %d threads | vertex buffer | states "
         "|\n|---|---|---|---|---|\n",
         machine_threads());
  for (int n = 0; n < LEVEL_COUNT && done; n++)
    done = print_row((cape_level)n, capes, frames, &times);
  free(times.step);
  free(times.draw);
  return done ? 0 : 1;
}

/* overhead MSD [PARTICLES...]: the time and memory spent outside the substeps, for square cloths and irregular
   meshes of about PARTICLES particles (10000, 100000 and 1000000 by default). Measures loading, building,
   compiling, the stable limit, snapshots and memory. For the command at the path MSD it measures the first
   frame, the exported files, and the time of a run outside its substeps. Prints the tables of
   bench/notes/benchmark_overhead.md. Exit status: 0 done, 1 a call failed, 2 bad usage. */
#include "bench/overhead.h"
#include "bench/machine.h"
#include "scenes/loader/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZES_MOST = 8, PARTICLES_LEAST = 100, PARTICLES_MOST = 20000000, TIMES = 3, TIMES_MOST = 50 };

/* s of a frame that is stable in SUBSTEPS substeps. */
static const double FRAME = 0.001;
enum { SUBSTEPS = 10 };

/* One size: the measured world, and a scene file of the same cloth. */
typedef struct subject {
  const char *scene;
  int32_t side;
  msd_world *world;
  /* `copy` is the target of memcpy. */
  void *buffer, *copy;
  size_t size, state_size;
} subject;

/* s: shorter measurements are repeated until they have taken this long in total. */
static const double LEAST_SECONDS = 0.05;

void around_check(bool done, const char *what) {
  if (done)
    return;
  fprintf(stderr, "overhead: %s failed\n", what);
  exit(1);
}

/* ----------------------------------------------------------------------------------------- what is measured */

static msd_spring_def springs(double stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)0.01;
  return def;
}

static const double stiffness[3] = {400, 150, 5};

/* A cloth pinned at two corners, with particles of one gram 2 mm apart. */
static void build(subject *s) {
  msd_world_def world_def = msd_default_world_def();
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = s->side;
  def.u = (msd_vec3){(msd_real)(0.002 * s->side), 0, 0};
  def.v = (msd_vec3){0, 0, (msd_real)(0.002 * s->side)};
  def.mass = (msd_real)(0.001 * s->side * s->side);
  def.stretch = springs(stiffness[0]);
  def.shear = springs(stiffness[1]);
  def.bend = springs(stiffness[2]);
  msd_destroy_world(s->world);
  around_check(msd_create_world(&world_def, &s->world) == MSD_OK &&
                   msd_add_cloth(s->world, &def, NULL) == MSD_OK && msd_particle_pin(s->world, 0) == MSD_OK &&
                   msd_particle_pin(s->world, s->side - 1) == MSD_OK,
               "building");
}

static void load(subject *s) {
  scene_error error;
  scene *loaded = scene_load(s->scene, &error);
  around_check(loaded != NULL, "loading");
  scene_free(loaded);
}

/* The first step of a new world: it compiles the network and takes one substep. */
static void take_first_step(subject *s) {
  around_check(msd_world_step(s->world, (msd_real)(FRAME / SUBSTEPS), 1) == MSD_OK, "the first step");
}

static void certify(subject *s) {
  int32_t fewest;
  around_check(msd_world_find_substeps(s->world, (msd_real)FRAME, &fewest) == MSD_OK, "the stable limit");
}

static void explain(subject *s) {
  msd_stability_explanation why;
  around_check(msd_world_explain_stability(s->world, (msd_real)(FRAME / SUBSTEPS), &why) == MSD_OK,
               "the stability report");
}

static void estimate(subject *s) {
  msd_static_stretch stretch;
  around_check(msd_world_estimate_stretch(s->world, (msd_real)(FRAME / SUBSTEPS), &stretch) == MSD_OK,
               "the stretch");
}

static void sum_up(subject *s) {
  around_check(msd_world_get_stats(s->world).springs > 0, "the energies");
}

static void save(subject *s) {
  around_check(msd_world_save(s->world, s->buffer, s->size, &s->size) == MSD_OK, "a snapshot");
}

static void restore(subject *s) {
  around_check(msd_world_restore(s->world, s->buffer, s->size) == MSD_OK, "restoring a snapshot");
}

static void save_state(subject *s) {
  around_check(msd_world_save_state(s->world, s->buffer, s->size, &s->state_size) == MSD_OK, "a state");
}

static void restore_state(subject *s) {
  around_check(msd_world_restore_state(s->world, s->buffer, s->state_size) == MSD_OK, "restoring a state");
}

static void copy_state(subject *s) {
  memcpy(s->copy, s->buffer, s->state_size);
}

static const struct {
  const char *name;
  void (*measure)(subject *s);
  /* Whether each measurement needs a new world. */
  bool is_first;
} rows[] = {{"load a scene file", load, false},
            {"build", build, false},
            {"compile and first substep", take_first_step, true},
            {"stable limit", certify, true},
            {"stability report", explain, false},
            {"stretch under weight", estimate, false},
            {"energies", sum_up, false},
            {"snapshot", save, false},
            {"restore a snapshot", restore, false},
            {"rollback state", save_state, false},
            {"restore a state", restore_state, false},
            {"`memcpy` of as many bytes", copy_state, false}};
enum { ROWS = sizeof rows / sizeof *rows };

static double seconds_of(subject *s, int row) {
  double least = INFINITY, all = 0;
  for (int n = 0; n < TIMES || (n < TIMES_MOST && all < LEAST_SECONDS); n++) {
    if (rows[row].is_first)
      build(s);
    const double start = machine_clock();
    rows[row].measure(s);
    const double seconds = machine_clock() - start;
    least = fmin(least, seconds);
    all += seconds;
  }
  return least;
}

/* --------------------------------------------------------------------------------------------- the tables */

static void write_scene(const char *path, int32_t side) {
  FILE *file = fopen(path, "w");
  around_check(file != NULL, path);
  fprintf(file,
          "{\"msd\": 1, \"bodies\": [{\"type\": \"cloth\", \"u\": [%g, 0, 0], \"v\": [0, 0, %g], "
          "\"columns\": %d, "
          "\"rows\": %d, \"mass\": %g, \"pinned\": [\"top_left\", \"top_right\"]",
          0.002 * side, 0.002 * side, (int)side, (int)side, 0.001 * side * side);
  static const char *const names[3] = {"stretch", "shear", "bend"};
  for (int n = 0; n < 3; n++)
    fprintf(file, ", \"%s\": {\"stiffness\": %g, \"damping\": 0.01}", names[n], stiffness[n]);
  fprintf(file, "}]}\n");
  around_check(fclose(file) == 0, path);
}

/* Values of a size after those of the rows: bytes a particle. */
enum { SNAPSHOT_BYTES = ROWS, STATE_BYTES, COLUMN };

/* ns a particle; the last two values are bytes a particle. */
static void measure(const char *path, int32_t side, double out[COLUMN]) {
  subject s = {.scene = path, .side = side};
  build(&s);
  s.size = msd_world_get_save_bound(s.world);
  s.buffer = malloc(s.size);
  s.copy = malloc(s.size);
  around_check(s.buffer != NULL && s.copy != NULL, "memory");
  const double count = (double)s.side * s.side;
  for (int row = 0; row < ROWS; row++)
    out[row] = 1e9 * seconds_of(&s, row) / count;
  out[SNAPSHOT_BYTES] = (double)s.size / count;
  out[STATE_BYTES] = (double)s.state_size / count;
  free(s.buffer);
  free(s.copy);
  msd_destroy_world(s.world);
}

static void print_row(const char *name, double found[][COLUMN], int row, int count) {
  printf("| %s |", name);
  for (int n = 0; n < count; n++)
    printf(" %.*f |", found[n][row] < 10 ? 1 : 0, found[n][row]);
  puts("");
}

void around_print_head(const char *title, const int32_t *sizes, int count) {
  printf("\n| %s |", title);
  for (int n = 0; n < count; n++)
    printf(" %d |", (int)sizes[n]);
  printf("\n|---|");
  for (int n = 0; n < count; n++)
    printf("---|");
  puts("");
}

static void print_table(const int32_t *sizes, double found[][COLUMN], int count) {
  around_print_head("ns a particle", sizes, count);
  for (int row = 0; row < ROWS; row++)
    print_row(rows[row].name, found, row, count);
  print_row("snapshot, bytes", found, SNAPSHOT_BYTES, count);
  print_row("rollback state, bytes", found, STATE_BYTES, count);
}

static void empty(const char *folder) {
  char line[AROUND_PATH_MAX + 16];
  snprintf(line, sizeof line, "rm -rf '%s'", folder);
  around_check(system(line) == 0, line);
}

static void measure_all(const char *msd, const char *folder, const int32_t *sizes, int count) {
  static double found[SIZES_MOST][COLUMN];
  static char scenes[SIZES_MOST][AROUND_PATH_MAX];
  const around_command command = {.msd = msd, .folder = folder, .sizes = sizes, .count = count};
  for (int n = 0; n < count; n++) {
    const int32_t side = (int32_t)lround(sqrt(sizes[n]));
    snprintf(scenes[n], sizeof scenes[n], "%s/scene%d.json", folder, n);
    write_scene(scenes[n], side);
    measure(scenes[n], side, found[n]);
  }
  print_table(sizes, found, count);
  around_first_frames(&command, scenes);
  around_files(&command, scenes);
  around_runs(&command, scenes);
  around_meshes(&command);
  around_memory(&command);
}

int main(int argc, char **argv) {
  int32_t sizes[SIZES_MOST] = {10000, 100000, 1000000};
  int count = argc > 2 ? 0 : 3;
  bool is_right = argc >= 2 && argc <= 2 + SIZES_MOST;
  for (int n = 2; n < argc && is_right; n++) {
    sizes[count++] = atoi(argv[n]);
    is_right = sizes[n - 2] >= PARTICLES_LEAST && sizes[n - 2] <= PARTICLES_MOST;
  }
  if (!is_right) {
    fprintf(stderr, "usage: overhead MSD [PARTICLES...], up to %d cloths of %d to %d\n", SIZES_MOST,
            PARTICLES_LEAST, PARTICLES_MOST);
    return 2;
  }
  char folder[] = "/tmp/msd-overhead-XXXXXX";
  around_check(mkdtemp(folder) != NULL, "a folder for files");
  measure_all(argv[1], folder, sizes, count);
  empty(folder);
  return 0;
}

/* around MSD [PARTICLES...]: what everything but stepping costs, in square cloths of about so many particles
   (10000, 100000 and 1000000 by default): loading, building, layout, certificate, snapshots, and the files that
   the command at the path MSD writes. Prints the table of docs/benchmark.md. Exit status: 0 done, 1 something
   failed, 2 bad usage. */
#include "bench/machine.h"
#include "scenes/loader/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SIZES_MOST = 8,
  PARTICLES_LEAST = 100,
  PARTICLES_MOST = 20000000,
  TIMES = 3,
  TIMES_MOST = 50,
  FILE_TIMES = 2,
  FRAMES = 4,
  COMMAND_MAX = 1024
};

/* s, of a frame that is stable in so many substeps. */
static const double FRAME = 0.001;
enum { SUBSTEPS = 10 };

/* s: what takes less is measured more often, until it has taken so long. */
static const double LEAST_SECONDS = 0.05;

/* One size: what is measured is of this world, and of the command with this file. */
typedef struct subject {
  const char *msd;
  char scene[COMMAND_MAX / 4], folder[COMMAND_MAX / 4];
  int32_t side;
  msd_world *world;
  /* The second is for what memcpy writes. */
  void *buffer, *copy;
  size_t size, state_size;
} subject;

static void check(bool done, const char *what) {
  if (done)
    return;
  fprintf(stderr, "around: %s failed\n", what);
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

/* Pinned at two corners, particles of a gram in meshes of 2 mm. */
static void build(subject *s) {
  msd_world_def world_def = msd_default_world_def();
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = s->side;
  def.u = (msd_vec3){(msd_real)(0.002 * s->side), 0, 0};
  def.v = (msd_vec3){0, 0, (msd_real)(0.002 * s->side)};
  def.mass = (msd_real)(0.001 * s->side * s->side);
  def.structural = springs(stiffness[0]);
  def.shear = springs(stiffness[1]);
  def.bend = springs(stiffness[2]);
  msd_destroy_world(s->world);
  check(msd_create_world(&world_def, &s->world) == MSD_OK && msd_add_cloth(s->world, &def, NULL) == MSD_OK &&
            msd_particle_pin(s->world, 0) == MSD_OK && msd_particle_pin(s->world, s->side - 1) == MSD_OK,
        "building");
}

static void load(subject *s) {
  scene_error error;
  scene *loaded = scene_load(s->scene, &error);
  check(loaded != NULL, "loading");
  scene_free(loaded);
}

/* Of a world that has just been built; a substep is the difference to the next one. */
static void lay_out(subject *s) {
  check(msd_world_step(s->world, (msd_real)(FRAME / SUBSTEPS), 1) == MSD_OK, "the first step");
}

static void certify(subject *s) {
  int32_t fewest;
  check(msd_world_find_substeps(s->world, (msd_real)FRAME, &fewest) == MSD_OK, "the certificate");
}

static void explain(subject *s) {
  msd_stability_explanation why;
  check(msd_world_explain_stability(s->world, (msd_real)(FRAME / SUBSTEPS), &why) == MSD_OK, "the report");
}

static void estimate(subject *s) {
  msd_static_stretch stretch;
  check(msd_world_estimate_stretch(s->world, (msd_real)(FRAME / SUBSTEPS), &stretch) == MSD_OK,
        "the stretch");
}

static void sum_up(subject *s) {
  check(msd_world_get_stats(s->world).springs > 0, "the sums");
}

static void save(subject *s) {
  check(msd_world_save(s->world, s->buffer, s->size, &s->size) == MSD_OK, "a snapshot");
}

static void restore(subject *s) {
  check(msd_world_restore(s->world, s->buffer, s->size) == MSD_OK, "restoring a snapshot");
}

static void save_state(subject *s) {
  check(msd_world_save_state(s->world, s->buffer, s->size, &s->state_size) == MSD_OK, "a state");
}

static void restore_state(subject *s) {
  check(msd_world_restore_state(s->world, s->buffer, s->state_size) == MSD_OK, "restoring a state");
}

static void copy_state(subject *s) {
  memcpy(s->copy, s->buffer, s->state_size);
}

static const struct {
  const char *name;
  void (*measure)(subject *s);
  /* Whether it takes a new world each time. */
  bool is_first;
} rows[] = {{"load a scene of it", load, false},
            {"build", build, false},
            {"layout and first substep", lay_out, true},
            {"certificate", certify, true},
            {"report of stability", explain, false},
            {"stretch at rest", estimate, false},
            {"energies", sum_up, false},
            {"snapshot", save, false},
            {"restore it", restore, false},
            {"state", save_state, false},
            {"restore it", restore_state, false},
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

/* -------------------------------------------------------------------------------------------- the command */

static const struct {
  const char *name, *options;
} files[] = {{"obj", "--export %s --format obj"},
             {"vtk", "--export %s --format vtk"},
             {"ply", "--export %s --format ply"},
             {"pc2", "--export %s --format pc2"},
             {"trace", "--trace %s/trace.csv"}};
enum { FILES = sizeof files / sizeof *files };

/* s of a run of FRAMES frames that writes those files; file -1: none. */
static double run(const subject *s, int file) {
  char options[COMMAND_MAX / 2] = "", line[2 * COMMAND_MAX];
  if (file >= 0)
    snprintf(options, sizeof options, files[file].options, s->folder);
  snprintf(line, sizeof line, "'%s' run '%s' --dt %g --substeps %d --time %g %s >'%s/out' 2>&1", s->msd,
           s->scene, FRAME, SUBSTEPS, FRAMES * FRAME, options, s->folder);
  const double start = machine_clock();
  check(system(line) == 0, line);
  return machine_clock() - start;
}

/* s a frame, of which the first is that before the run. In turns with a run without. */
static double file_seconds(const subject *s, int file) {
  double with = INFINITY, without = INFINITY;
  for (int n = 0; n < FILE_TIMES; n++) {
    without = fmin(without, run(s, -1));
    with = fmin(with, run(s, file));
  }
  return fmax(with - without, 0) / (FRAMES + 1);
}

/* ---------------------------------------------------------------------------------------------- the table */

static void write_scene(const subject *s) {
  FILE *file = fopen(s->scene, "w");
  check(file != NULL, s->scene);
  fprintf(file,
          "{\"msd\": 1, \"bodies\": [{\"kind\": \"cloth\", \"u\": [%g, 0, 0], \"v\": [0, 0, %g], "
          "\"columns\": %d, "
          "\"rows\": %d, \"mass\": %g, \"pinned\": [\"top_left\", \"top_right\"]",
          0.002 * s->side, 0.002 * s->side, (int)s->side, (int)s->side, 0.001 * s->side * s->side);
  static const char *const names[3] = {"structural", "shear", "bend"};
  for (int n = 0; n < 3; n++)
    fprintf(file, ", \"%s\": {\"stiffness\": %g, \"damping\": 0.01}", names[n], stiffness[n]);
  fprintf(file, "}]}\n");
  check(fclose(file) == 0, s->scene);
}

/* What is told of a size behind the rows and the files: a run without files, and bytes a particle. */
enum { RUN = ROWS + FILES, SNAPSHOT_BYTES, STATE_BYTES, COLUMN };

/* ns a particle, but for bytes. */
static void measure(const char *msd, const char *folder, int32_t particles, double out[COLUMN]) {
  subject s = {.msd = msd, .side = (int32_t)lround(sqrt(particles))};
  snprintf(s.folder, sizeof s.folder, "%s", folder);
  snprintf(s.scene, sizeof s.scene, "%s/scene.json", folder);
  write_scene(&s);
  build(&s);
  s.size = msd_world_get_save_bound(s.world);
  s.buffer = malloc(s.size);
  s.copy = malloc(s.size);
  check(s.buffer != NULL && s.copy != NULL, "memory");
  const double count = (double)s.side * s.side;
  for (int row = 0; row < ROWS; row++)
    out[row] = 1e9 * seconds_of(&s, row) / count;
  out[SNAPSHOT_BYTES] = (double)s.size / count;
  out[STATE_BYTES] = (double)s.state_size / count;
  free(s.buffer);
  free(s.copy);
  msd_destroy_world(s.world);
  for (int file = 0; file < FILES; file++)
    out[ROWS + file] = 1e9 * file_seconds(&s, file) / count;
  out[RUN] = 1e9 * run(&s, -1) / count;
}

static void print_row(const char *name, double found[][COLUMN], int row, int count) {
  printf("| %s |", name);
  for (int n = 0; n < count; n++)
    printf(" %.*f |", found[n][row] < 10 ? 1 : 0, found[n][row]);
  puts("");
}

static void print_table(const int32_t *sizes, double found[][COLUMN], int count) {
  printf("| ns a particle |");
  for (int n = 0; n < count; n++)
    printf(" %d |", (int)sizes[n]);
  printf("\n|---|");
  for (int n = 0; n < count; n++)
    printf("---|");
  puts("");
  for (int row = 0; row < ROWS; row++)
    print_row(rows[row].name, found, row, count);
  for (int file = 0; file < FILES; file++) {
    char name[32];
    snprintf(name, sizeof name, "a frame of %s", files[file].name);
    print_row(name, found, ROWS + file, count);
  }
  print_row("`msd run`, 4 frames of 10 substeps", found, RUN, count);
  print_row("bytes of a snapshot", found, SNAPSHOT_BYTES, count);
  print_row("bytes of a state", found, STATE_BYTES, count);
}

static void empty(const char *folder) {
  char line[COMMAND_MAX];
  snprintf(line, sizeof line, "rm -rf '%s'", folder);
  check(system(line) == 0, line);
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
    fprintf(stderr, "usage: around MSD [PARTICLES...], up to %d cloths of %d to %d\n", SIZES_MOST,
            PARTICLES_LEAST, PARTICLES_MOST);
    return 2;
  }
  static double found[SIZES_MOST][COLUMN];
  char folder[] = "/tmp/msd-around-XXXXXX";
  check(mkdtemp(folder) != NULL, "a folder for files");
  for (int n = 0; n < count; n++)
    measure(argv[1], folder, sizes[n], found[n]);
  empty(folder);
  print_table(sizes, found, count);
  return 0;
}

/* meshes [--motion] FILE...: the cost of slivers in meshes, and the gain from mass redistribution and
   decimation. Reads OBJ, PLY and STL files and scales each to 2 m. Prints the tables of bench/notes/meshes.md:
   the stable substeps of a frame, or with --motion the effect of both remedies on how a mesh hangs and falls.
   Exit status: 0 done, 1 a mesh could not be read or run, 2 bad usage. */
#include "scenes/meshes/decimation.h"
#include "scenes/meshes/mesh_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* m, kg/m^2, N/m, N/m, N s/m, N s/m, 1, and s of a frame. */
static const double SIZE = 2, DENSITY = 0.3, STIFFNESS = 200, BEND = 5, DAMPING = 0.05, BEND_DAMPING = 0.01,
                    RATIO = 0.05, FRAME = 1 / 60.0;

typedef enum damping_rule { AS_ASKED, UNDAMPED, BY_RATIO } damping_rule;

typedef struct column {
  const char *name;
  damping_rule damping;
  double shift;
} column;

static const column columns[] = {
    {"fixed damping", AS_ASKED, 0}, {"0.1 % redistributed", AS_ASKED, 0.001},
    {"1 %", AS_ASKED, 0.01},        {"undamped", UNDAMPED, 0},
    {"ratio 0.05", BY_RATIO, 0},    {"0.1 % redistributed", BY_RATIO, 0.001},
    {"1 %", BY_RATIO, 0.01},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void check(msd_result result, const msd_world *world) {
  if (result == MSD_OK)
    return;
  fprintf(stderr, "meshes: %s %s\n", msd_result_string(result),
          world != NULL ? msd_world_message(world) : "");
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *block = calloc(count, size);
  if (block == NULL) {
    fprintf(stderr, "meshes: out of memory\n");
    exit(1);
  }
  return block;
}

/* --------------------------------------------------------------------------------------------- a mesh */

static double part(msd_vec3 v, int axis) {
  return (double)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

static double lowest(const mesh_data *mesh, int axis, double sign) {
  double least = INFINITY;
  for (int32_t i = 0; i < mesh->vertex_count; i++)
    least = fmin(least, sign * part(mesh->vertices[i], axis));
  return sign * least;
}

/* Scales the mesh to SIZE and moves its lowest vertex to y = 0. */
static void scale_mesh(mesh_data *mesh) {
  double size = 0;
  for (int axis = 0; axis < 3; axis++)
    size = fmax(size, lowest(mesh, axis, -1) - lowest(mesh, axis, 1));
  const msd_real factor = (msd_real)(SIZE / size), low = (msd_real)lowest(mesh, 1, 1);
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    msd_vec3 *v = &mesh->vertices[i];
    *v = (msd_vec3){factor * v->x, factor * (v->y - low), factor * v->z};
  }
}

/* "spot" for "meshes/spot.obj". */
static const char *name_of(const char *path) {
  static char name[64];
  const char *slash = strrchr(path, '/');
  snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : path);
  char *dot = strrchr(name, '.');
  if (dot != NULL)
    *dot = '\0';
  return name;
}

static msd_spring_def spring_of(double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return def;
}

/* Sets the damping to 2 zeta sqrt(k m) with m = 1/(n_a w_a + n_b w_b), the fraction of the masses that belongs
   to a spring: n springs at a particle of inverse mass w. */
static void damp_by_ratio(msd_world *world) {
  const int32_t springs = msd_world_get_spring_count(world);
  int32_t *valence = allocate((size_t)msd_world_get_particle_count(world), sizeof *valence);
  for (int32_t e = 0; e < springs; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    valence[def.a]++;
    valence[def.b]++;
  }
  for (int32_t e = 0; e < springs; e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    const double weight = valence[def.a] / (double)msd_particle_get_mass(world, def.a) +
                          valence[def.b] / (double)msd_particle_get_mass(world, def.b);
    def.damping = (msd_real)(2 * RATIO * sqrt((double)def.stiffness / weight));
    check(msd_spring_set_law(world, e, &def), world);
  }
  free(valence);
}

static msd_mesh_def def_of(const mesh_data *mesh, damping_rule damping) {
  const bool is_damped = damping == AS_ASKED;
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  def.area_density = (msd_real)DENSITY;
  def.stretch = spring_of(STIFFNESS, is_damped ? DAMPING : 0);
  def.bend = spring_of(BEND, is_damped ? BEND_DAMPING : 0);
  return def;
}

/* `masses` replaces the masses that follow from the triangles, unless it is NULL. */
static msd_world *world_of(const mesh_data *mesh, damping_rule damping, const double *masses) {
  const msd_mesh_def def = def_of(mesh, damping);
  msd_world_def settings = msd_default_world_def();
  msd_world *world;
  check(msd_create_world(&settings, &world), NULL);
  check(msd_add_mesh(world, &def, NULL), world);
  for (int32_t v = 0; masses != NULL && v < mesh->vertex_count; v++)
    check(msd_particle_set_mass(world, v, (msd_real)masses[v]), world);
  if (damping == BY_RATIO)
    damp_by_ratio(world);
  return world;
}

static int32_t substeps_of(const msd_world *world) {
  int32_t substeps;
  check(msd_world_find_substeps(world, (msd_real)FRAME, &substeps), world);
  return substeps;
}

static msd_mass_redistribution shift_mass(msd_world *world, double fraction) {
  const msd_mass_pool pool = {{0, msd_world_get_particle_count(world)}, fraction};
  msd_mass_redistribution made = {.largest_factor = 1};
  if (fraction > 0)
    check(msd_world_redistribute_mass(world, &pool, 1, (msd_real)FRAME, &made), world);
  return made;
}

/* Decimates the mesh until it needs no more substeps than its median vertex. The result belongs to the cage;
   the caller frees the cage. */
static mesh_data decimate(const mesh_data *mesh, mesh_cage *cage) {
  const msd_mesh_def def = def_of(mesh, UNDAMPED);
  scene_error error = {""};
  int32_t substeps = 0;
  if (!mesh_cage_make(mesh, cage) || !decimate_cage(cage, &def, FRAME, &substeps, &error)) {
    fprintf(stderr, "meshes: %s\n", error.text);
    exit(1);
  }
  return (mesh_data){.vertices = cage->vertices,
                     .vertex_count = cage->vertex_count,
                     .triangles = cage->triangles,
                     .triangle_count = cage->triangle_count};
}

/* ---------------------------------------------------------------------------------------- the substeps */

/* Prints the substeps of the decimated mesh, and the percentage of vertices that remain. */
static void print_decimated(const mesh_data *mesh) {
  mesh_cage cage;
  const mesh_data simple = decimate(mesh, &cage);
  msd_world *world = world_of(&simple, BY_RATIO, cage.masses);
  printf(" %" PRId32 " | %.0f %% |", substeps_of(world), 100.0 * cage.vertex_count / mesh->vertex_count);
  msd_destroy_world(world);
  mesh_cage_free(&cage);
}

static void print_substeps(const char *path, const mesh_data *mesh) {
  msd_mass_redistribution made = {0};
  printf("| %s | %" PRId32 " |", name_of(path), mesh->vertex_count);
  for (int c = 0; c < COLUMNS; c++) {
    msd_world *world = world_of(mesh, columns[c].damping, NULL);
    made = shift_mass(world, columns[c].shift);
    printf(" %" PRId32 " |", substeps_of(world));
    if (columns[c].shift > 0 && columns[c].damping == BY_RATIO)
      printf(" %.2g %%, x%.2g |", 100.0 * made.heavier / (made.particles > 0 ? made.particles : 1),
             made.largest_factor);
    msd_destroy_world(world);
  }
  print_decimated(mesh);
  printf("\n");
  fflush(stdout);
}

/* ------------------------------------------------------------------------------------------ the motion */

/* The measurements of a run. */
typedef struct outcome {
  /* m: height of the center of mass, with the masses that follow from the area, and of the lowest vertex. */
  double middle, lowest;
} outcome;

static outcome look(const msd_world *world, const double *masses) {
  double sum = 0, mass = 0, least = INFINITY;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const double y = (double)msd_particle_get_position(world, i).y;
    sum += masses[i] * y;
    mass += masses[i];
    least = fmin(least, y);
  }
  return (outcome){sum / mass, least};
}

/* HANG: hung by its uppermost tenth, with linear damping. FALL: dropped from half a meter. */
typedef enum test { HANG, FALL } test;

static void prepare(msd_world *world, const mesh_data *mesh, test what) {
  if (what == FALL) {
    msd_collider_def floor = msd_default_collider_def();
    floor.position.y = (msd_real)-0.5;
    check(msd_add_colliders(world, &floor, 1, NULL), world);
    return;
  }
  const double top = lowest(mesh, 1, -1);
  for (int32_t i = 0; i < mesh->vertex_count; i++)
    if ((double)mesh->vertices[i].y > 0.9 * top)
      check(msd_particle_pin(world, i), world);
  check(msd_world_set_linear_damping(world, 2), world);
}

/* Runs with `finer` times the stable number of substeps. `own` are the masses of the particles, or NULL. */
static outcome run(const mesh_data *mesh, const double *own, test what, double fraction, int finer) {
  msd_world *world = world_of(mesh, BY_RATIO, own);
  const int32_t count = msd_world_get_particle_count(world);
  double *masses = allocate((size_t)count, sizeof *masses);
  for (int32_t i = 0; i < count; i++)
    masses[i] = (double)msd_particle_get_mass(world, i);
  prepare(world, mesh, what);
  shift_mass(world, fraction);
  const int substeps = finer * (int)substeps_of(world), frames = what == HANG ? 600 : 60;
  for (int frame = 0; frame < frames; frame++)
    check(msd_world_step(world, (msd_real)FRAME, substeps), world);
  const outcome out = look(world, masses);
  free(masses);
  msd_destroy_world(world);
  return out;
}

static void print_motion(const char *path, const mesh_data *mesh) {
  mesh_cage cage;
  const mesh_data simple = decimate(mesh, &cage);
  printf("| %s |", name_of(path));
  for (int what = HANG; what <= FALL; what++) {
    const outcome fine = run(mesh, NULL, (test)what, 0, 2);
    const outcome runs[] = {run(mesh, NULL, (test)what, 0, 1), run(mesh, NULL, (test)what, 0.001, 1),
                            run(mesh, NULL, (test)what, 0.01, 1),
                            run(&simple, cage.masses, (test)what, 0, 1)};
    printf(" %.1f |", -1000 * (what == HANG ? fine.lowest : fine.middle));
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
      printf(" %+.2g |", 1000 * (what == HANG ? fine.lowest - runs[r].lowest : fine.middle - runs[r].middle));
  }
  mesh_cage_free(&cage);
  printf("\n");
  fflush(stdout);
}

/* ------------------------------------------------------------------------------------------- all of it */

static void print_head(void) {
  printf("| mesh | vertices |");
  for (int c = 0; c < COLUMNS; c++)
    printf(" %s |%s", columns[c].name,
           columns[c].shift > 0 && columns[c].damping == BY_RATIO ? " heavier vertices, largest factor |"
                                                                  : "");
  printf(" decimated | vertices left |");
  printf("\n");
}

static bool read_mesh(const char *path, mesh_data *mesh) {
  scene_error error = {""};
  if (!mesh_file_read(path, mesh, NULL, &error)) {
    fprintf(stderr, "meshes: %s\n", error.text);
    return false;
  }
  scale_mesh(mesh);
  return true;
}

int main(int argc, char **argv) {
  const bool with_motion = argc > 1 && strcmp(argv[1], "--motion") == 0;
  const int first = with_motion ? 2 : 1;
  if (argc <= first) {
    fprintf(stderr, "usage: meshes [--motion] FILE...\n");
    return 2;
  }
  bool failed = false;
  if (!with_motion)
    print_head();
  for (int n = first; n < argc; n++) {
    mesh_data mesh;
    if (!read_mesh(argv[n], &mesh)) {
      failed = true;
      continue;
    }
    if (with_motion)
      print_motion(argv[n], &mesh);
    else
      print_substeps(argv[n], &mesh);
    mesh_data_free(&mesh);
  }
  return failed;
}

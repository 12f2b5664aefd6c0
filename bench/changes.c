/* changes [cloth|triangles] [PARTICLES...]: the extra cost of the first step after a change, in networks of
   both kinds or of the named one, with about PARTICLES particles each (1000, 10000 and 100000 by default).
   Prints the table of bench/notes/benchmark.md. Exit status: 0 done, 1 a call failed, 2 bad usage. */
#include "bench/networks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES_MOST = 8, PARTICLES_MOST = 10000000, TIMES = 15, WARM_STEPS = 4 };

typedef enum change {
  CHANGE_PIN,
  CHANGE_UNPIN,
  CHANGE_MOVE_PIN,
  CHANGE_BREAK,
  CHANGE_RETUNE,
  CHANGE_REST_LENGTH,
  CHANGE_MASS,
  CHANGE_GRAVITY,
  CHANGE_ADD_SPRING,
  CHANGE_ADD_PARTICLE,
  CHANGE_ADD_JOINED,
  CHANGE_ADD_CLOTH,
  CHANGE_DESTROY_SPRING,
  CHANGE_DESTROY_PARTICLE,
  CHANGE_COUNT
} change;

static const char *const names[CHANGE_COUNT] = {"pin",
                                                "unpin",
                                                "move a pin",
                                                "break",
                                                "retune",
                                                "rest length",
                                                "mass",
                                                "gravity",
                                                "add a spring",
                                                "add a particle",
                                                "add a particle and its spring",
                                                "add a cloth of 20x20",
                                                "destroy a spring",
                                                "destroy a particle"};

static const struct {
  const char *name;
  networks_kind kind;
} networks[] = {{"cloth", NETWORKS_CLOTH}, {"triangles", NETWORKS_TRIANGLES}};
enum { NETWORKS = sizeof networks / sizeof *networks, MODES = 2 };

/* A different object for each repetition, far from the previous one. */
static int32_t item(int time, int32_t count) {
  return (int32_t)(((int64_t)time * 7919 + 4099) % count);
}

static msd_result retune(msd_world *world, int32_t spring) {
  msd_spring_def def = msd_spring_get_def(world, spring);
  def.stiffness *= (msd_real)1.25;
  return msd_spring_set_law(world, spring, &def);
}

static msd_result move_pin(msd_world *world, int32_t particle) {
  msd_vec3 to = msd_particle_get_position(world, particle);
  to.x += (msd_real)1e-6;
  return msd_particle_move_to(world, particle, to);
}

static msd_result add_spring(msd_world *world, int32_t a, int32_t b) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = 100;
  def.damping = (msd_real)0.01;
  return msd_add_springs(world, &def, 1, NULL);
}

static msd_result add_particle(msd_world *world, int32_t beside, int32_t *added) {
  msd_particle_def def = msd_default_particle_def();
  def.position = msd_particle_get_position(world, beside);
  def.position.z += (msd_real)0.01;
  def.mass = (msd_real)1e-3;
  return msd_add_particles(world, &def, 1, added);
}

static msd_result add_joined(msd_world *world, int32_t particle) {
  int32_t added;
  const msd_result result = add_particle(world, particle, &added);
  return result == MSD_OK ? add_spring(world, particle, added) : result;
}

static msd_result add_cloth(msd_world *world) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 20;
  def.mass = (msd_real)(1e-3 * 20 * 20);
  def.stretch.stiffness = def.shear.stiffness = def.bend.stiffness = 100;
  def.stretch.damping = def.shear.damping = def.bend.damping = (msd_real)0.01;
  return msd_add_cloth(world, &def, NULL);
}

/* Setup before the change, which is not timed. */
static msd_result prepare(msd_world *world, change what, int time) {
  const int32_t particle = item(time, msd_world_get_particle_count(world) - 5);
  return what == CHANGE_UNPIN || what == CHANGE_MOVE_PIN ? msd_particle_pin(world, particle) : MSD_OK;
}

static msd_result make(msd_world *world, change what, int time) {
  const int32_t particle = item(time, msd_world_get_particle_count(world) - 5),
                spring = item(time, msd_world_get_spring_count(world));
  switch (what) {
  case CHANGE_PIN:
    return msd_particle_pin(world, particle);
  case CHANGE_UNPIN:
    return msd_particle_unpin(world, particle);
  case CHANGE_MOVE_PIN:
    return move_pin(world, particle);
  case CHANGE_BREAK:
    return msd_spring_break(world, spring);
  case CHANGE_RETUNE:
    return retune(world, spring);
  case CHANGE_REST_LENGTH:
    return msd_spring_set_rest_length(world, spring, (msd_real)0.0101);
  case CHANGE_MASS:
    return msd_particle_set_mass(world, particle, (msd_real)0.8e-3);
  case CHANGE_GRAVITY:
    return msd_world_set_gravity(world, (msd_vec3){(msd_real)0.01 * (msd_real)time, (msd_real)-9.81, 0});
  case CHANGE_ADD_SPRING:
    return add_spring(world, particle, particle + 5);
  case CHANGE_ADD_PARTICLE:
    return add_particle(world, particle, NULL);
  case CHANGE_ADD_JOINED:
    return add_joined(world, particle);
  case CHANGE_DESTROY_SPRING:
    return msd_destroy_objects(world, MSD_OBJECT_SPRING, &spring, 1);
  case CHANGE_DESTROY_PARTICLE:
    return msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &particle, 1);
  default:
    return add_cloth(world);
  }
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* CPU time of the process in s. Wall time would include the time of other programs, which dominates a short
   step. */
static double computing_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One substep, fixed or automatic. The networks are stable in one substep, so the automatic choice is one as
   well. */
static msd_result step(msd_world *world, bool is_found) {
  return msd_world_step(world, NETWORKS_TIME_STEP, is_found ? 0 : 1);
}

/* The times of a step after the change and of a step without a change, in s. They are lower quartiles, because
   other programs share the caches. */
static msd_result measure(msd_world *world, change what, bool is_found, double *changed, double *plain) {
  double changed_times[TIMES], plain_times[TIMES];
  msd_result result = MSD_OK;
  for (int n = 0; n < TIMES && result == MSD_OK; n++) {
    result = prepare(world, what, n);
    for (int k = 0; k < WARM_STEPS && result == MSD_OK; k++)
      result = step(world, is_found);
    const double start = computing_clock();
    if (result == MSD_OK)
      result = step(world, is_found);
    const double middle = computing_clock();
    if (result == MSD_OK)
      result = make(world, what, n);
    if (result == MSD_OK)
      result = step(world, is_found);
    plain_times[n] = middle - start;
    changed_times[n] = computing_clock() - middle;
  }
  qsort(changed_times, TIMES, sizeof *changed_times, compare_times);
  qsort(plain_times, TIMES, sizeof *plain_times, compare_times);
  *changed = changed_times[TIMES / 4];
  *plain = plain_times[TIMES / 4];
  return result;
}

/* A negative difference is noise of the clock. */
static void print_worth(double worth) {
  printf(worth < 9.95 ? " %.1f |" : " %.0f |", fmax(worth, 0));
}

static bool has_failed(msd_result result, const char *what, const msd_world *world) {
  if (result != MSD_OK)
    fprintf(stderr, "changes: %s: %s\n", what, world ? msd_world_message(world) : "no memory");
  return result != MSD_OK;
}

/* The world has made one step, so that all copies share its particle order. NULL if a call failed. */
static msd_world *open_network(int network, int32_t particles) {
  const int32_t size =
      networks[network].kind == NETWORKS_CLOTH ? (int32_t)lround(sqrt((double)particles)) : particles;
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  def.thread_count = 1;
  msd_result result = msd_create_world(&def, &world);
  if (result == MSD_OK)
    result = networks_add(world, networks[network].kind, size);
  if (result == MSD_OK)
    result = step(world, false);
  if (!has_failed(result, networks[network].name, world))
    return world;
  msd_destroy_world(world);
  return NULL;
}

static bool print_cell(const msd_world *network, change what, bool is_found) {
  msd_world *world = NULL;
  double changed = 0, plain = 0;
  msd_result result = msd_copy_world(network, &world);
  if (result == MSD_OK)
    result = measure(world, what, is_found, &changed, &plain);
  const bool done = !has_failed(result, names[what], world);
  if (done)
    print_worth(changed / plain - 1);
  fflush(stdout);
  msd_destroy_world(world);
  return done;
}

static bool print_row(int network, msd_world *const *worlds, int count, change what) {
  bool done = true;
  printf("| %s, %s |", networks[network].name, names[what]);
  for (int is_found = 0; is_found < MODES; is_found++)
    for (int n = 0; n < count && done; n++)
      done = print_cell(worlds[n], what, is_found);
  puts("");
  return done;
}

static bool print_rows(int network, const int32_t *sizes, int count) {
  msd_world *worlds[SIZES_MOST] = {NULL};
  bool done = true;
  for (int n = 0; n < count && done; n++)
    done = (worlds[n] = open_network(network, sizes[n])) != NULL;
  for (int what = 0; what < CHANGE_COUNT && done; what++)
    done = print_row(network, worlds, count, (change)what);
  for (int n = 0; n < count; n++)
    msd_destroy_world(worlds[n]);
  return done;
}

static void print_head(const int32_t *sizes, int count) {
  printf("| extra cost in substeps |");
  for (int is_found = 0; is_found < MODES; is_found++)
    for (int n = 0; n < count; n++)
      printf(" %s, %d |", is_found ? "automatic" : "fixed", (int)sizes[n]);
  printf("\n|---|");
  for (int n = 0; n < MODES * count; n++)
    printf("---|");
  puts("");
}

/* NETWORKS if no network has this name. */
static int network_named(const char *name) {
  int n = 0;
  while (n < NETWORKS && (!name || strcmp(name, networks[n].name) != 0))
    n++;
  return n;
}

int main(int argc, char **argv) {
  const int only = network_named(argv[1]);
  if (only < NETWORKS)
    argc--, argv++;
  int32_t sizes[SIZES_MOST] = {1000, 10000, 100000};
  int count = argc > 1 ? 0 : 3;
  bool is_right = argc <= 1 + SIZES_MOST;
  for (int n = 1; n < argc && is_right; n++) {
    sizes[count++] = atoi(argv[n]);
    is_right = sizes[n - 1] >= 100 && sizes[n - 1] <= PARTICLES_MOST;
  }
  if (!is_right) {
    fprintf(stderr, "usage: changes [cloth|triangles] [PARTICLES...], up to %d networks of 100 to %d\n",
            SIZES_MOST, PARTICLES_MOST);
    return 2;
  }
  bool done = true;
  print_head(sizes, count);
  for (int network = 0; network < NETWORKS && done; network++)
    done = (only < NETWORKS && network != only) || print_rows(network, sizes, count);
  return done ? 0 : 1;
}

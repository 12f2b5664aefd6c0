/* energy [SUBSTEPS]: the numerical energy gain of the integrator with energy_mode monitor, bounded and
   bounded_central. Runs random networks and pairs for SUBSTEPS substeps (20,000 by default) and a free cloth
   for fifty times as many. Prints the tables of bench/notes/energy.md. Exit status: 0 every bounded world
   stayed within its bound, 1 one did not, 2 bad usage. */
#include <msd/msd.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { NETWORKS = 59, SUBSTEPS = 20000, LOOKS = 200, CLOTH_SIDE = 20, CLOTH_TIMES = 50 };

/* The parameters of the networks of one row. */
typedef struct row {
  const char *name;
  /* Substep as a fraction of the stable limit. */
  double fraction;
  /* Masses and stiffnesses are spread over this many powers of ten. */
  double decades;
  /* Damping coefficient divided by sqrt(k m). */
  double damping;
  /* m/s^2. */
  double gravity;
  /* Pins oscillate. */
  bool moving_pins;
} row;

static const row rows[] = {
    {"0.98 of the limit", 0.98, 3, 0, 0, false},
    {"0.9", 0.9, 3, 0, 0, false},
    {"0.7", 0.7, 3, 0, 0, false},
    {"0.5", 0.5, 3, 0, 0, false},
    {"0.98, over 8 decades", 0.98, 8, 0, 0, false},
    {"0.98, gravity", 0.98, 3, 0, 9.81, false},
    {"0.98, gravity, moving pins, 8 decades", 0.98, 8, 0, 9.81, true},
    {"0.98, lightly damped", 0.98, 3, 0.01, 0, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* splitmix64 (Steele, Lea and Flood). */
static double next_unit(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static double between(uint64_t *state, double low, double high) {
  return low + (high - low) * next_unit(state);
}

static void check(msd_result result, const msd_world *world) {
  if (result == MSD_OK)
    return;
  fprintf(stderr, "energy: %s %s\n", msd_result_string(result),
          world != NULL ? msd_world_message(world) : "");
  exit(1);
}

static msd_world *make_world(msd_energy_mode energy, double gravity) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, (msd_real)-gravity, 0};
  def.energy_mode = energy;
  def.thread_count = 1;
  msd_world *world;
  check(msd_create_world(&def, &world), NULL);
  return world;
}

static msd_vec3 random_vector(uint64_t *random) {
  const double x = between(random, -1, 1), y = between(random, -1, 1), z = between(random, -1, 1);
  return (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

static void add_random_spring(msd_world *world, uint64_t *random, const row *r, int32_t particles) {
  msd_spring_def def = msd_default_spring_def();
  def.a = (int32_t)between(random, 0, particles);
  def.b = (def.a + 1 + (int32_t)between(random, 0, particles - 1)) % particles;
  def.stiffness = (msd_real)(1000 * pow(10, r->decades * between(random, -0.5, 0.5)));
  const double m =
      sqrt((double)msd_particle_get_def(world, def.a).mass * (double)msd_particle_get_def(world, def.b).mass);
  def.damping = (msd_real)(r->damping * sqrt((double)def.stiffness * m));
  def.rest_length = next_unit(random) < 0.05 ? 0 : (msd_real)between(random, 0.2, 2);
  const double side = next_unit(random);
  def.mode = side < 0.08   ? MSD_SPRING_TENSION_ONLY
             : side < 0.15 ? MSD_SPRING_COMPRESSION_ONLY
                           : MSD_SPRING_BOTH;
  check(msd_add_springs(world, &def, 1, NULL), world);
}

/* 6 to 40 particles in a box of 2 m, three springs for each, 8 % of them pinned. */
static msd_world *random_world(const row *r, msd_energy_mode energy, uint64_t seed) {
  uint64_t random = seed;
  msd_world *world = make_world(energy, r->gravity);
  const int32_t particles = 6 + (int32_t)between(&random, 0, 35);
  for (int32_t i = 0; i < particles; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(&random);
    def.velocity = random_vector(&random);
    def.mass = (msd_real)pow(10, r->decades * between(&random, -0.5, 0.5));
    def.pinned = i > 0 && next_unit(&random) < 0.08;
    if (def.pinned)
      def.velocity = (msd_vec3){0, 0, 0};
    check(msd_add_particles(world, &def, 1, NULL), world);
  }
  for (int32_t e = 0; e < 3 * particles; e++)
    add_random_spring(world, &random, r, particles);
  return world;
}

/* ------------------------------------------------------------------------------------------- one network */

typedef struct outcome {
  /* Maxima over the run. growth: kinetic and elastic energy, divided by the initial energy and external work.
     of_bound: kinetic energy divided by the bound of the theorem. made: numerical energy gain, divided by that
     energy and the allowance. */
  double growth, of_bound, made;
  /* Fractions of the substeps. */
  double again, turned;
} outcome;

/* Pins oscillate around their initial positions with an amplitude of 0.2 m. */
static void move_pins(msd_world *world, double time, double next) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    if (!msd_particle_get_def(world, i).pinned)
      continue;
    msd_vec3 to = msd_particle_get_position(world, i);
    to.x += (msd_real)(0.2 * (sin(3 * next + i) - sin(3 * time + i)));
    check(msd_particle_move_to(world, i, to), world);
  }
}

/* The energy allowance is a hundredth of the initial energy and the external work. */
static void look(const msd_world *world, double radius, outcome *out) {
  const msd_stats stats = msd_world_get_stats(world);
  const msd_energy_account account = msd_world_get_energy_account(world);
  const double all = 100 * account.allowance;
  out->growth = fmax(out->growth, (stats.kinetic_energy + stats.elastic_energy) / all);
  out->of_bound = fmax(out->of_bound, (1 - radius / 4) * stats.kinetic_energy / (all + account.allowance));
  out->made = fmax(out->made, account.gain / (all + account.allowance));
}

static outcome run(msd_world *world, const row *r, int substeps) {
  msd_stability limit;
  check(msd_world_analyze_stability(world, 1, &limit), world);
  const double dt = r->fraction * limit.stable_substep;
  check(msd_world_analyze_stability(world, (msd_real)dt, &limit), world);
  const int each = substeps / LOOKS > 0 ? substeps / LOOKS : 1;
  outcome out = {0};
  for (int n = 0; n < substeps; n += each) {
    if (r->moving_pins)
      move_pins(world, n * dt, (n + each) * dt);
    check(msd_world_step(world, (msd_real)(each * dt), each), world);
    look(world, limit.radius, &out);
  }
  const msd_energy_account account = msd_world_get_energy_account(world);
  const double taken = (double)msd_world_get_steps(world);
  out.again = (double)account.bounded_substeps / taken;
  out.turned = (double)account.turned_substeps / taken;
  return out;
}

/* -------------------------------------------------------------------------------------------- the tables */

static const msd_energy_mode modes[] = {MSD_ENERGY_MONITOR, MSD_ENERGY_BOUNDED, MSD_ENERGY_BOUNDED_CENTRAL};
enum { MODES = sizeof modes / sizeof *modes };

typedef struct tally {
  double worst, log_sum, made, of_bound, again, turned;
} tally;

static void add(tally *t, const outcome *o) {
  t->worst = fmax(t->worst, o->growth);
  t->log_sum += log(o->growth);
  t->made = fmax(t->made, o->made);
  t->of_bound = fmax(t->of_bound, o->of_bound);
  t->again += o->again / NETWORKS;
  t->turned += o->turned / NETWORKS;
}

/* False if a bounded world exceeded its bound. */
static bool print_row(const row *r, int substeps) {
  tally all[MODES] = {{0}};
  for (int mode = 0; mode < MODES; mode++) {
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
      msd_world *world = random_world(r, modes[mode], seed);
      const outcome o = run(world, r, substeps);
      add(&all[mode], &o);
      msd_destroy_world(world);
    }
  }
  printf("| %s |", r->name);
  for (int mode = 0; mode < MODES; mode++)
    printf(" %.3g, %.3g |", all[mode].worst, exp(all[mode].log_sum / NETWORKS));
  printf(" %.4f | %.2g | %.2g %%, %.2g %% |\n", all[1].made, all[1].of_bound, 100 * all[1].again,
         100 * all[1].turned);
  fflush(stdout);
  return all[1].of_bound <= 1;
}

typedef struct pair {
  const char *name;
  /* m; m/s along and across the spring. */
  double rest, length, along, across;
} pair;

static const pair pairs[] = {
    {"rotating", 1, 1.2, 0, 6},
    {"fast, compressed", 1, 0.3, 2, 9},
    {"close to zero length", 1, 1.5, 0, 0.01},
    {"zero rest length", 0, 1, 1, 2},
};

/* Two particles of 1 kg and a spring of 1000 N/m. */
static msd_world *pair_world(const pair *p, msd_energy_mode energy) {
  msd_world *world = make_world(energy, 0);
  for (int i = 0; i < 2; i++) {
    const msd_real sign = i == 0 ? -1 : 1;
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){sign * (msd_real)(p->length / 2), 0, 0};
    def.velocity = (msd_vec3){sign * (msd_real)p->along, sign * (msd_real)p->across, 0};
    check(msd_add_particles(world, &def, 1, NULL), world);
  }
  msd_spring_def def = msd_default_spring_def();
  def.a = 0, def.b = 1;
  def.rest_length = (msd_real)p->rest;
  def.stiffness = 1000;
  check(msd_add_springs(world, &def, 1, NULL), world);
  return world;
}

static void print_pair(const pair *p, int substeps) {
  printf("| %s |", p->name);
  for (int mode = 0; mode < MODES; mode++) {
    msd_world *world = pair_world(p, modes[mode]);
    const outcome o = run(world, &rows[0], substeps);
    printf(" %.3g |", o.growth);
    msd_destroy_world(world);
  }
  putchar('\n');
}

/* A free, undamped cloth with random initial velocities. */
static void print_cloth(int substeps) {
  printf("\nA free undamped cloth of %d x %d particles, 0.98 of the limit, %d substeps:\n\n", CLOTH_SIDE,
         CLOTH_SIDE, substeps);
  puts("| | (T + U)/H_0 at the end | largest | numerical energy gain | repeated substeps |");
  puts("|---|---|---|---|---|");
  for (int mode = 0; mode < 2; mode++) {
    msd_world *world = make_world(modes[mode], 0);
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = def.rows = CLOTH_SIDE;
    def.stretch.law = def.shear.law = MSD_SPRING_STIFFNESS;
    def.stretch.stiffness = def.shear.stiffness = 1000;
    check(msd_add_cloth(world, &def, NULL), world);
    uint64_t random = 1;
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
      check(msd_particle_set_velocity(world, i, random_vector(&random)), world);
    const outcome o = run(world, &rows[0], substeps);
    const msd_stats stats = msd_world_get_stats(world);
    const msd_energy_account account = msd_world_get_energy_account(world);
    printf("| %s | %.3g | %.3g | %+.2g %% | %.2g %% |\n", msd_energy_mode_name(modes[mode]),
           (stats.kinetic_energy + stats.elastic_energy) / (100 * account.allowance), o.growth,
           account.gain / account.allowance, 100 * o.again);
    msd_destroy_world(world);
  }
}

int main(int argc, char **argv) {
  const int substeps = argc > 1 ? atoi(argv[1]) : SUBSTEPS;
  if (argc > 2 || substeps < LOOKS) {
    fprintf(stderr, "usage: energy [SUBSTEPS], %d or more\n", LOOKS);
    return 2;
  }
  bool kept = true;
  printf(
      "%d random networks, %d substeps, %s precision. Maximum and geometric mean of the largest (T + U)/(H_0 "
      "+ W):\n\n",
      NETWORKS, substeps, sizeof(msd_real) == 8 ? "double" : "float");
  puts(
      "| | monitor | bounded | bounded_central | numerical gain/(H_0 + W + C) | T/bound | repeated substeps, "
      "rotated |");
  puts("|---|---|---|---|---|---|---|");
  for (int r = 0; r < ROWS; r++)
    kept = print_row(&rows[r], substeps) && kept;
  puts("\nTwo particles at 0.98 of the limit:\n\n| | monitor | bounded | bounded_central "
       "|\n|---|---|---|---|");
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    print_pair(&pairs[p], substeps);
  print_cloth(CLOTH_TIMES * substeps);
  return kept ? 0 : 1;
}

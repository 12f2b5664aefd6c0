/* scaled_energy [SECONDS]: the numerical energy gain with selective mass scaling, with energy_mode monitor and
   bounded, and a rope with a ball of a million times a particle's mass. Prints tables of
   bench/notes/mass_scaling.md.

   The free sheet has 24 x 24 particles, 1 kg and 1 m, and no gravity. Its particles are displaced at random by
   up to one spacing along each axis. It runs for SECONDS (20 by default) in frames of 1/60 s, with springs of k
   = c^2 m/h^2 and bend springs a tenth as stiff. Energies are elastic energy and the kinetic energy of the true
   masses.

   The rope has 10,000 particles, 10 m, 1 kg and EA = 10^6 N. It starts horizontal, is pinned at one end,
   carries a ball of 100 kg at the other, and swings for 3 s. */
#include "bench/machine.h"

#include <msd/msd.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 24, FRAMES_PER_SECOND = 60, SECONDS = 20, ROPE = 10000, ROPE_SECONDS = 3, ROPE_SUBSTEPS = 30 };
static const double GRAVITY = 9.81, BALL = 100, ROPE_STIFFNESS = 1e9, ROPE_DAMPING = 1e6;

typedef struct sheet_row {
  double speed_squared, damping_time;
  msd_mass_scaling scaling;
  msd_energy_mode energy;
} sheet_row;

static const sheet_row rows[] = {
    {125, 0, MSD_MASS_SCALING_NONE, MSD_ENERGY_MONITOR},
    {125, 0, MSD_MASS_SCALING_NONE, MSD_ENERGY_BOUNDED},
    {125, 0, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_MONITOR},
    {125, 0, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_BOUNDED},
    {1e4, 0, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_MONITOR},
    {1e4, 0, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_BOUNDED},
    {1e4, 1e-4, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_MONITOR},
    {1e4, 1e-3, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_MONITOR},
    {1e6, 0, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_MONITOR},
    {1e6, 0, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_BOUNDED},
    {1e6, 1e-4, MSD_MASS_SCALING_SELECTIVE, MSD_ENERGY_MONITOR},
};
enum { ROWS = sizeof rows / sizeof *rows, SHEET_SUBSTEPS = 18 };

static void check(msd_result result, const msd_world *world) {
  if (result == MSD_OK)
    return;
  fprintf(stderr, "scaled_energy: %s %s\n", msd_result_string(result), world ? msd_world_message(world) : "");
  exit(1);
}

static msd_world *make_world(const sheet_row *r, double gravity) {
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  def.gravity = (msd_vec3){0, (msd_real)-gravity, 0};
  def.mass_scaling = r->scaling;
  def.energy_mode = r->energy;
  def.thread_count = 1;
  check(msd_create_world(&def, &world), NULL);
  return world;
}

/* Uniform in [-size, size); the same sequence on every machine. */
static msd_real random_place(uint32_t *state, double size) {
  *state = *state * 1664525u + 1013904223u;
  return (msd_real)(size * ((*state >> 8) / 8388608.0 - 1));
}

static msd_spring_def spring_of(double stiffness, double damping_time) {
  msd_spring_def def = msd_default_cloth_def().stretch;
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)(damping_time * stiffness);
  return def;
}

/* With spacing 1/SIDE and masses 1/SIDE^2, c^2 m/h^2 is c^2. */
static void add_sheet(msd_world *world, const sheet_row *r) {
  msd_cloth_def def = msd_default_cloth_def();
  const msd_real side = (msd_real)((SIDE - 1) / (double)SIDE);
  uint32_t random = 1;
  def.u = (msd_vec3){side, 0, 0};
  def.v = (msd_vec3){0, 0, side};
  def.columns = def.rows = SIDE;
  def.stretch = def.shear = spring_of(r->speed_squared, r->damping_time);
  def.bend = spring_of(0.1 * r->speed_squared, r->damping_time);
  check(msd_add_cloth(world, &def, NULL), world);
  for (int32_t i = 0; i < SIDE * SIDE; i++) {
    msd_vec3 at = msd_particle_get_position(world, i);
    at.x += random_place(&random, 1.0 / SIDE);
    at.y += random_place(&random, 1.0 / SIDE);
    at.z += random_place(&random, 1.0 / SIDE);
    check(msd_particle_set_position(world, i, at), world);
  }
}

static void print_sheet(const sheet_row *r, int frames) {
  msd_world *world = make_world(r, 0);
  const msd_real frame = (msd_real)1 / FRAMES_PER_SECOND;
  int32_t substeps = SHEET_SUBSTEPS;
  add_sheet(world, r);
  const double before = msd_world_get_stats(world).elastic_energy;
  double most = 0, top = 0;
  if (r->scaling == MSD_MASS_SCALING_NONE)
    check(msd_world_find_substeps(world, frame, &substeps), world);
  for (int f = 0; f < frames; f++) {
    check(msd_world_step(world, frame, substeps), world);
    const msd_stats stats = msd_world_get_stats(world);
    most = fmax(most, stats.kinetic_energy + stats.elastic_energy);
    top = fmax(top, stats.max_speed);
  }
  const double again = (double)msd_world_get_energy_account(world).bounded_substeps;
  printf("| %g | %g | %d | %s | %s | %.3g | %.3g m/s | %.2g %% |\n", r->speed_squared, r->damping_time,
         (int)substeps, msd_mass_scaling_name(r->scaling), msd_energy_mode_name(r->energy), most / before,
         top, 100 * again / ((double)frames * substeps));
  fflush(stdout);
  msd_destroy_world(world);
}

static void add_rope(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  msd_body body;
  msd_particle_def ball = msd_default_particle_def();
  msd_spring_def joint = spring_of(ROPE_STIFFNESS, ROPE_DAMPING / ROPE_STIFFNESS);
  const msd_real apart = 10 / (msd_real)(ROPE - 1);
  def.to = (msd_vec3){10, 0, 0};
  def.particles = ROPE;
  def.stretch = spring_of(ROPE_STIFFNESS, ROPE_DAMPING / ROPE_STIFFNESS);
  check(msd_add_rope(world, &def, &body), world);
  check(msd_particle_pin(world, body.particles.first), world);
  ball.position = (msd_vec3){10 + apart, 0, 0};
  ball.mass = (msd_real)BALL;
  check(msd_add_particles(world, &ball, 1, &joint.b), world);
  joint.a = body.particles.first + ROPE - 1;
  joint.rest_length = apart;
  check(msd_add_springs(world, &joint, 1, NULL), world);
}

static void print_rope(void) {
  msd_world *world =
      make_world(&(sheet_row){.scaling = MSD_MASS_SCALING_SELECTIVE, .energy = MSD_ENERGY_OFF}, GRAVITY);
  add_rope(world);
  const msd_stats before = msd_world_get_stats(world);
  double taken = 0, stretch = 0;
  for (int f = 0; f < ROPE_SECONDS * FRAMES_PER_SECOND; f++) {
    const double start = machine_clock();
    check(msd_world_step(world, (msd_real)1 / FRAMES_PER_SECOND, ROPE_SUBSTEPS), world);
    taken += machine_clock() - start;
    stretch = fmax(stretch, msd_world_get_stats(world).max_stretch);
  }
  const msd_stats stats = msd_world_get_stats(world);
  const double fallen = before.center_of_mass[1] - stats.center_of_mass[1];
  printf("\nA rope of %d particles and a ball of %g times the mass of one, %d s in %d substeps a frame: "
         "kinetic energy %.4g J, lost potential energy %.4g J, stretch %.3g %% at most, %.3g %% at the end; "
         "%.3g s\n",
         ROPE, BALL * ROPE, ROPE_SECONDS, ROPE_SUBSTEPS, stats.kinetic_energy,
         stats.total_mass * GRAVITY * fallen, 100 * stretch, 100 * stats.max_stretch, taken);
  msd_destroy_world(world);
}

int main(int argc, char **argv) {
  const int seconds = argc > 1 ? atoi(argv[1]) : SECONDS;
  if (argc > 2 || seconds < 1) {
    fprintf(stderr, "usage: scaled_energy [SECONDS], 1 or more [%d]\n", SECONDS);
    return 2;
  }
  printf("A free sheet of %d x %d particles, %d s:\n\n", SIDE, SIDE, seconds);
  puts("| c^2 | damping mu/k | substeps a frame | mass scaling | energy_mode | largest (T + U)/H_0 | "
       "top speed | repeated substeps |");
  puts("|---|---|---|---|---|---|---|---|");
  for (int r = 0; r < ROWS; r++)
    print_sheet(&rows[r], seconds * FRAMES_PER_SECOND);
  print_rope();
  return 0;
}

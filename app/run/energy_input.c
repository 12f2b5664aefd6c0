#include "app/run/energy_input.h"

#include <math.h>

static const double MARGIN = 1e6;

/* Coefficient springs have no stiffness before the first step: k = ck m/h^2 with the reduced mass m, and ck
   <= 1 for the stiffest. */
static double coefficient_energy(double ck, double reduced_mass, double substep, double stretch) {
  return 0.5 * (ck < 0 ? 1 : ck) * reduced_mass / (substep * substep) * stretch * stretch;
}

static double reduced(double a, bool a_moves, double b, bool b_moves) {
  return a_moves && b_moves ? a * b / (a + b) : a_moves ? a : b;
}

static double springs_energy(const msd_world *world, double substep) {
  const bool some = msd_world_get_law_count(world, MSD_SPRING_COEFFICIENT) > 0 ||
                    msd_world_get_law_count(world, MSD_SPRING_HARD_LIMIT) > 0;
  const int32_t count = some ? msd_world_get_spring_count(world) : 0;
  double sum = 0;
  for (int32_t e = 0; e < count; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    const bool follows_step = def.law == MSD_SPRING_COEFFICIENT || def.law == MSD_SPRING_HARD_LIMIT;
    if (!follows_step || msd_spring_is_broken(world, e))
      continue;
    const double mass =
        reduced((double)msd_particle_get_mass(world, def.a), !msd_particle_is_pinned(world, def.a),
                (double)msd_particle_get_mass(world, def.b), !msd_particle_is_pinned(world, def.b));
    sum += coefficient_energy((double)def.ck, mass, substep,
                              (double)msd_spring_get_length(world, e) - (double)def.rest_length);
  }
  return sum;
}

static double torsion_springs_energy(const msd_world *world, double substep) {
  double sum = 0;
  for (int32_t e = 0; e < msd_world_get_torsion_spring_count(world); e++) {
    const msd_torsion_spring_def def = msd_torsion_spring_get_def(world, e);
    if (def.law != MSD_SPRING_COEFFICIENT || msd_torsion_spring_is_broken(world, e))
      continue;
    const msd_rotor_def a = msd_rotor_get_def(world, def.a);
    msd_rotor_def b = {.pinned = true};
    if (def.b != MSD_GROUND)
      b = msd_rotor_get_def(world, def.b);
    sum += coefficient_energy((double)def.ck,
                              reduced((double)a.inertia, !a.pinned, (double)b.inertia, !b.pinned), substep,
                              b.angle - a.angle - def.rest_angle);
  }
  return sum;
}

/* The diagonal of the box around all particles, in m. */
static double extent(const msd_view *positions) {
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
  for (int32_t i = 0; i < positions->count; i++) {
    const msd_vec3 at = msd_view_at(*positions, i);
    const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
    for (int c = 0; c < 3; c++) {
      least[c] = x[c] < least[c] ? x[c] : least[c];
      most[c] = x[c] > most[c] ? x[c] : most[c];
    }
  }
  for (int c = 0; c < 3 && positions->count > 0; c++)
    sum += (most[c] - least[c]) * (most[c] - least[c]);
  return sqrt(sum);
}

energy_input energy_input_begin(const msd_world *world, double substep) {
  const msd_stats stats = msd_world_get_stats(world);
  const msd_vec3 g = msd_world_get_gravity(world);
  const msd_view positions = msd_world_get_positions(world), velocities = msd_world_get_velocities(world);
  energy_input input = {
      .known = true,
      .start = stats.kinetic_energy + stats.elastic_energy + springs_energy(world, substep) +
               torsion_springs_energy(world, substep),
      .gravity = sqrt((double)g.x * (double)g.x + (double)g.y * (double)g.y + (double)g.z * (double)g.z),
      .start_time = msd_world_get_time(world)};
  for (int32_t i = 0; i < positions.count; i++) {
    const msd_vec3 v = msd_view_at(velocities, i);
    if (!msd_particle_is_pinned(world, i))
      input.mass += (double)msd_particle_get_mass(world, i);
    else if (v.x != 0 || v.y != 0 || v.z != 0)
      input.known = false;
  }
  const double size = extent(&positions);
  input.noise = input.mass * size * size / (substep * substep);
  for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++) {
    const msd_rotor_def def = msd_rotor_get_def(world, i);
    if (!def.pinned)
      input.noise += (double)def.inertia / (substep * substep); /* a radian in a substep */
    else if (def.angular_velocity != 0)
      input.known = false;
  }
  return input;
}

/* From rest gravity gives at most what free fall has: m (g t)^2/2; with a speed v before it m v g t more,
   which is at most the sum of both. */
double energy_input_limit(const energy_input *input, const msd_world *world) {
  if (!input->known)
    return INFINITY;
  const double fallen = input->gravity * (msd_world_get_time(world) - input->start_time);
  return MARGIN * (2 * input->start + input->mass * fallen * fallen) + input->noise;
}

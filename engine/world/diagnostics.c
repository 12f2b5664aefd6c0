/* Energies, momenta and stretch of the present state. Sums run in double in the order of the indices, so
   they too are the same on any number of threads. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/step/anchor_step.h"
#include "engine/world/world.h"

static void add_particle(msd_stats *stats, const msd_world *world, int32_t i) {
  const particle_store *p = &world->model.particles;
  const msd_vec3 x = particle_vector(p, POSITION_X, i), v = particle_vector(p, VELOCITY_X, i);
  const double m = (double)p->mass[i];
  const double at[3] = {(double)x.x, (double)x.y, (double)x.z};
  const double moving[3] = {(double)v.x, (double)v.y, (double)v.z};
  stats->total_mass += m;
  stats->potential_energy -= m * vec3_dot(world->model.gravity, x);
  for (int c = 0; c < 3; c++)
    stats->center_of_mass[c] += m * at[c];
  stats->max_speed = fmax(stats->max_speed, vec3_length(v));
  if (p->inverse_mass[i] == 0)
    return;
  stats->kinetic_energy += 0.5 * m * vec3_dot(v, v);
  for (int c = 0; c < 3; c++) {
    const int next = (c + 1) % 3, last = (c + 2) % 3;
    stats->momentum[c] += m * moving[c];
    stats->angular_momentum[c] += m * (at[next] * moving[last] - at[last] * moving[next]);
  }
}

/* 1/2 k C^2, with the k that the law has at the present shape in the last substep. */
static double constraint_energy(const msd_world *world, int32_t constraint) {
  const constraint_store *s = &world->model.constraints;
  if (constraint_is_broken(s, constraint))
    return 0;
  const constraint_shape shape = constraint_measure(s, &world->model.particles, constraint);
  const law_tuning tuning =
      constraint_present_tuning(s, constraint, &shape, world->model.tuned_step, world->model.limit);
  return 0.5 * tuning.stiffness * shape.error * shape.error;
}

static void add_rotors(msd_stats *stats, const msd_world *world) {
  const rotor_store *r = &world->model.rotors;
  const angular_spring_store *s = &world->model.angular_springs;
  stats->rotors = r->count;
  stats->angular_springs = s->count;
  for (int32_t i = 0; i < r->count; i++)
    if (r->inverse_inertia[i] > 0)
      stats->kinetic_energy += 0.5 * (double)r->inertia[i] * r->velocity[i] * r->velocity[i];
  for (int32_t e = 0; e < s->count; e++) {
    if (angular_spring_is_broken(s, e))
      continue;
    const double error = angular_spring_error(s, e, r->angle);
    stats->elastic_energy += 0.5 * angular_spring_present_tuning(&world->model, e).stiffness * error * error;
  }
}

msd_stats msd_world_get_stats(const msd_world *world) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_stats stats = {.max_stretch_spring = -1};
  if (!world)
    return stats;
  const particle_store *p = &world->model.particles;
  const spring_store *s = &world->model.springs;
  stats.particles = p->count;
  stats.pinned = p->pinned;
  stats.springs = s->count;
  stats.broken = s->broken;
  stats.constraints = world->model.constraints.count;
  stats.bytes = world->model.memory.used + sizeof *world;
  for (int32_t i = 0; i < p->count; i++)
    add_particle(&stats, world, i);
  for (int c = 0; c < 3 && stats.total_mass > 0; c++)
    stats.center_of_mass[c] /= stats.total_mass;

  for (int32_t c = 0; c < world->model.constraints.count; c++)
    stats.elastic_energy += constraint_energy(world, c);

  int64_t stretched = 0;
  for (int32_t e = 0; e < s->count; e++) {
    if (spring_is_broken(s, e))
      continue;
    double unit[3];
    const double length = spring_direction(s, p, e, unit), rest = (double)s->rest[e];
    const double constraint = length - rest;
    if (!spring_acts_at(s, e, constraint))
      continue;
    stats.elastic_energy += 0.5 * (double)msd_spring_get_stiffness(world, e) * constraint * constraint;
    if (!(rest > 0))
      continue;
    const double stretch = length / rest - 1;
    if (stats.max_stretch_spring < 0 || stretch > stats.max_stretch) {
      stats.max_stretch = stretch;
      stats.max_stretch_spring = e;
    }
    stats.mean_stretch += stretch;
    stretched++;
  }
  if (stretched > 0)
    stats.mean_stretch /= (double)stretched;
  stats.anchors = world->model.anchors.count;
  for (int32_t i = 0; i < world->model.anchors.count; i++)
    stats.elastic_energy += anchor_energy(&world->model, i);
  add_rotors(&stats, world);
  return stats;
}

/* FNV-1a over 32-bit words, with the high half folded in so that every bit reaches every other. */
static uint64_t mix(uint64_t hash, const void *value, size_t size) {
  uint32_t words[2] = {0, 0};
  for (size_t b = 0; b < size; b++)
    words[b / 4] |= (uint32_t)((const unsigned char *)value)[b] << 8 * (b % 4);
  for (size_t w = 0; w < size / 4; w++) {
    hash = (hash ^ words[w]) * 0x100000001b3u;
    hash ^= hash >> 32;
  }
  return hash;
}

uint64_t msd_world_hash(const msd_world *world) {
  uint64_t hash = 0xcbf29ce484222325u;
  if (!world)
    return hash;
  const particle_store *p = &world->model.particles;
  for (int32_t i = 0; i < p->count; i++)
    for (int c = 0; c < COMPONENTS; c++)
      hash = mix(hash, &particle_state(p)[(size_t)c * p->stride + particle_slot(p, i)], sizeof(msd_real));
  for (int32_t i = 0; i < world->model.rotors.count; i++) {
    hash = mix(hash, &world->model.rotors.angle[i], sizeof(double));
    hash = mix(hash, &world->model.rotors.velocity[i], sizeof(double));
  }
  return hash;
}

/* Energies, momenta and stretch of the current state. Sums run in double in the order of the indices, so they
   do not depend on the number of threads.
   A new member of msd_stats goes into add_counts if it needs no sum over particles or springs, else into
   msd_world_get_stats. Distributed worlds compute theirs in stats_of_parts. A counter since the creation of the
   world is also stored by snapshot_header.h and rollback.c. */

#include "engine/base/float_environment.h"
#include "engine/base/ordered.h"
#include "engine/base/vec3.h"
#include "engine/step/soft_pin_step.h"
#include "engine/store/components.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

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
  const double speed = vec3_length(v);
  stats->max_speed = speed > stats->max_speed ? speed : stats->max_speed;
  if (p->inverse_mass[i] == 0)
    return;
  stats->kinetic_energy += 0.5 * m * vec3_dot(v, v);
  for (int c = 0; c < 3; c++) {
    const int next = (c + 1) % 3, last = (c + 2) % 3;
    stats->momentum[c] += m * moving[c];
    stats->angular_momentum[c] += m * (at[next] * moving[last] - at[last] * moving[next]);
  }
}

static void add_rotors(msd_stats *stats, const msd_world *world) {
  const rotor_store *r = &world->model.rotors;
  const torsion_spring_store *s = &world->model.torsion_springs;
  for (int32_t i = 0; i < r->count; i++)
    if (r->inverse_inertia[i] > 0)
      stats->kinetic_energy += 0.5 * (double)r->inertia[i] * r->velocity[i] * r->velocity[i];
  for (int32_t e = 0; e < s->count; e++) {
    if (torsion_spring_is_broken(s, e))
      continue;
    const double error = torsion_spring_error(s, e, r->angle);
    stats->elastic_energy += 0.5 * torsion_spring_present_tuning(&world->model, e).stiffness * error * error;
  }
}

/* Stretch of a spring that acts. */
typedef struct stretching {
  /* Length minus rest length in m. */
  double error;
  /* Strain; 0 without a rest length. */
  double stretch;
  bool has_stretch;
} stretching;

/* Returns false for a spring that is broken or slack. */
static bool find_stretching(const world_model *model, int32_t spring, stretching *out) {
  const spring_store *s = &model->springs;
  if (spring_is_broken(s, spring))
    return false;
  const double length = spring_length(s, &model->particles, spring), rest = (double)s->rest[spring];
  *out = (stretching){length - rest, rest > 0 ? length / rest - 1 : 0, rest > 0};
  return spring_acts_at(s, spring, out->error);
}

double msd_spring_get_stretch(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  stretching s;
  const bool exists = world && spring >= 0 && spring < world->model.springs.count;
  return exists && find_stretching(&world->model, spring, &s) ? s.stretch : 0;
}

/* Returns false unless the constraint is an unbroken fiber with a rest value. */
static bool find_fiber_stretch(const constraint_store *s, int32_t constraint, double value, double *stretch) {
  const double rest = (double)s->rest[constraint];
  if (!constraint_is_fiber(s, constraint) || constraint_is_broken(s, constraint) || !(rest > 0))
    return false;
  *stretch = value / rest - 1;
  return true;
}

double msd_constraint_get_stretch(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  double stretch = 0;
  if (world && constraint >= 0 && constraint < world->model.constraints.count)
    find_fiber_stretch(&world->model.constraints, constraint, msd_constraint_get_value(world, constraint),
                       &stretch);
  return stretch;
}

/* Adds a strain to the sum in mean_stretch. Returns true if it is the largest so far. */
static bool add_stretch(msd_stats *stats, double stretch, int64_t *stretched) {
  const bool is_largest = *stretched == 0 || stretch > stats->max_stretch;
  stats->mean_stretch += stretch;
  (*stretched)++;
  if (is_largest)
    stats->max_stretch = stretch;
  return is_largest;
}

/* The part of the energy of constraints that their account does not let them give back: `metered` is the sum
   of e in the current state (step/constraint_account.h). */
static double withheld_energy(const msd_world *world, double metered) {
  const constraint_account *a = &world->stepper.account;
  const bool holds = a->is_active && !a->limiter.is_lost &&
                     revision_holds(&a->limiter.made_for,
                                    revision_of_energy(&world->model.revision, a->limiter.made_for.step));
  return holds ? fmax(0, metered - a->limiter.balance - a->limiter.credit) : 0;
}

/* The energy is 1/2 k C^2, with the stiffness in the current configuration for the last substep, as far as the
   account of constraints lets them give it back. */
static void add_constraints(msd_stats *stats, const msd_world *world, int64_t *stretched) {
  const world_model *model = &world->model;
  const constraint_store *s = &model->constraints;
  double energy = 0, metered = 0;
  for (int32_t c = 0; c < s->count; c++) {
    if (constraint_is_broken(s, c))
      continue;
    const constraint_shape shape = constraint_measure(s, &model->particles, c);
    const law_tuning tuning =
        constraint_present_tuning(s, &model->particles, c, &shape, model->tuned_step, model->clamp_stiffness);
    const double lag = model->substep / 2 * shape.rate, stretch_force = tuning.stiffness * shape.error;
    energy += 0.5 * stretch_force * shape.error;
    metered += 0.5 * stretch_force * shape.error - lag * (stretch_force + tuning.damping * shape.rate / 2);
    double stretch;
    if (find_fiber_stretch(s, c, shape.value, &stretch) && add_stretch(stats, stretch, stretched))
      stats->max_stretch_fiber = c;
  }
  stats->elastic_energy += fmax(0, energy - withheld_energy(world, metered));
}

msd_solver_residual msd_world_get_solver_residual(const msd_world *world) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_solver_residual out = {0, 0, -1};
  if (!world || !stepper_has_residual(&world->stepper))
    return out;
  const spring_projections *s = &world->stepper.projections;
  const particle_store *p = &world->model.particles;
  const msd_real *x = p->slab[p->current];
  int64_t counted = 0;
  for (int32_t n = 0; n < s->count; n++)
    for (int lane = 0; lane < PROJECTION_LANES; lane++) {
      const projection_block *block = &s->blocks[n];
      if (block->index[lane] < 0)
        continue;
      double square = 0;
      for (size_t c = 0; c < 3; c++) {
        const msd_real *row = x + c * p->stride;
        const double apart = (double)row[block->a[lane]] - (double)row[block->b[lane]];
        square += apart * apart;
      }
      const double residual =
          spring_projection_residual(block, lane, (double)world->stepper.network.rest[block->rest[lane]],
                                     sqrt(square), world->model.substep);
      if (residual < 0)
        continue;
      counted++;
      out.mean += residual;
      if (residual > out.largest || out.spring < 0) {
        out.largest = residual;
        out.spring = block->index[lane];
      }
    }
  out.mean = counted > 0 ? out.mean / (double)counted : 0;
  return out;
}

/* Stiffness in N/m of a spring that exists, as msd_spring_get_stiffness. */
static double stiffness_of(const msd_world *world, int32_t spring) {
  const world_model *model = &world->model;
  if (spring_is_hard_limit(&model->springs, spring))
    return (double)msd_spring_get_stiffness(world, spring);
  const law own = spring_law(&model->springs, spring);
  if (law_is_plain(own, model->clamp_stiffness))
    return spring_moves(&model->springs, &model->particles, spring) ? (double)own.first : 0;
  const law_terms terms = spring_effective_mass(&model->springs, &model->particles, spring);
  return (double)(msd_real)law_present(&terms, model->tuned_step, model->clamp_stiffness).stiffness;
}

/* Contribution of a spring to the sums: energy in J, 0 for one that does not act; and strain, or
   NO_STRETCH. */
typedef struct spring_term {
  double energy, stretch;
} spring_term;

static const double NO_STRETCH = -2; /* below any strain: lengths are at least 0 */

/* Lengths in m. They are computed in batches, so that square roots are vectorized. */
static void find_lengths(const world_model *model, int32_t first, int32_t count, double *out) {
  const spring_store *s = &model->springs;
  for (int32_t n = 0; n < count; n++) {
    const msd_vec3 a = particle_vector(&model->particles, POSITION_X, s->a[first + n]),
                   b = particle_vector(&model->particles, POSITION_X, s->b[first + n]);
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    out[n] = x * x + y * y + z * z;
  }
  for (int32_t n = 0; n < count; n++)
    out[n] = sqrt(out[n]);
}

typedef struct spring_sums {
  const msd_world *world;
  msd_stats *stats;
  int64_t *stretched;
} spring_sums;

static void make_terms(void *context, int32_t first, int32_t count, void *terms) {
  enum { SOME = 256 };
  const msd_world *world = ((const spring_sums *)context)->world;
  const spring_store *s = &world->model.springs;
  spring_term *out = terms;
  double lengths[SOME];
  for (int32_t n = 0; n < count; n++) {
    const int32_t e = first + n, left = count - n;
    if (n % SOME == 0)
      find_lengths(&world->model, e, left < SOME ? left : SOME, lengths);
    const double length = lengths[n % SOME], rest = (double)s->rest[e], error = length - rest;
    out[n] = (spring_term){0, NO_STRETCH};
    if (spring_is_broken(s, e) || !spring_acts_at(s, e, error))
      continue;
    out[n].energy = 0.5 * stiffness_of(world, e) * error * error;
    if (rest > 0)
      out[n].stretch = length / rest - 1;
  }
}

static void take_terms(void *context, int32_t first, int32_t count, const void *terms) {
  const spring_sums *sums = context;
  const spring_term *from = terms;
  msd_stats *stats = sums->stats;
  double energy = stats->elastic_energy, sum = stats->mean_stretch,
         most = *sums->stretched > 0 ? stats->max_stretch : -INFINITY;
  int32_t at = -1, stretched = 0;
  for (int32_t n = 0; n < count; n++) {
    energy += from[n].energy;
    if (from[n].stretch == NO_STRETCH)
      continue;
    stretched++;
    sum += from[n].stretch;
    if (from[n].stretch > most) {
      most = from[n].stretch;
      at = first + n;
    }
  }
  stats->elastic_energy = energy;
  stats->mean_stretch = sum;
  *sums->stretched += stretched;
  if (at < 0)
    return;
  stats->max_stretch = most;
  stats->max_stretch_spring = at;
  stats->max_stretch_fiber = -1;
}

static void add_spring(msd_stats *stats, const msd_world *world, int32_t e, int64_t *stretched) {
  spring_sums sums = {world, stats, stretched};
  spring_term term;
  make_terms(&sums, e, 1, &term);
  take_terms(&sums, e, 1, &term);
}

static void add_springs(msd_stats *stats, const msd_world *world, int64_t *stretched) {
  const world_model *model = &world->model;
  spring_sums sums = {world, stats, stretched};
  const ordered_work work = {make_terms, take_terms, sizeof(spring_term), &sums};
  ordered_run(&model->tasks, parallel_threads(&model->tasks, model->thread_count, model->particles.count),
              model->springs.count, &work);
}

/* Elastic energy, and the stretch of springs and fibers. */
static void add_elastic(msd_stats *stats, const msd_world *world) {
  int64_t stretched = 0;
  add_constraints(stats, world, &stretched);
  add_springs(stats, world, &stretched);
  if (stretched > 0)
    stats->mean_stretch /= (double)stretched;
  for (int32_t i = 0; i < world->model.soft_pins.count; i++)
    stats->elastic_energy += soft_pin_energy(&world->model, i);
}

static void add_surfaces(msd_stats *stats, const stepper *s) {
  stats->collision_meshes = model_live_count(s->model, MSD_OBJECT_COLLISION_MESH);
  stats->collision_triangles = s->model->surfaces.triangle_count;
  stats->contact_bytes = s->contact_bytes;
  if (stats->collision_meshes > 0)
    stats->collision_edges = s->self.mesh.of[SURFACE_EDGES].count;
  for (int n = 0; n < s->self.threads && stats->collision_meshes > 0 && !s->is_running; n++)
    stats->contacts += s->self.tallies[n].contacts;
  stats->clipped_moves = s->self.clipped_moves;
  stats->squeezed += penetrations_count_forced(&s->penetrations);
  stats->forced_intersections = s->penetrations.forced_count;
  stats->penetrations = s->penetrations.crossings;
}

/* Number of particles that a split has added, without destroyed ones. */
static int32_t count_parts(const particle_store *p) {
  int32_t parts = 0;
  for (int32_t i = 0; p->parts > 0 && i < p->count; i++)
    parts += p->origin[i] != i && !particle_is_buried(p, i);
  return parts;
}

/* Counts that are known without a pass over particles, or need a pass only in some worlds. */
static void add_counts(msd_stats *stats, const msd_world *world) {
  const world_model *model = &world->model;
  const int32_t buried = model->tombstones.of[MSD_OBJECT_PARTICLE].count;
  stats->particles = model->particles.count - buried;
  stats->pinned = model->particles.pinned - buried;
  stats->asleep = sleep_count(&model->sleep);
  stats->springs = model_live_count(model, MSD_OBJECT_SPRING);
  stats->broken = model->springs.broken - model->tombstones.of[MSD_OBJECT_SPRING].count;
  stats->torn = model->springs.torn;
  stats->split = count_parts(&model->particles);
  for (int32_t e = 0; model->springs.damage && e < model->springs.count; e++)
    stats->yielded += !spring_is_broken(&model->springs, e) && spring_set(&model->springs, e) != 0;
  stats->constraints = model_live_count(model, MSD_OBJECT_CONSTRAINT);
  for (int32_t c = 0; model->constraints.damage && c < model->constraints.count; c++)
    stats->yielded_constraints +=
        !constraint_is_broken(&model->constraints, c) && constraint_set(&model->constraints, c) != 0;
  stats->soft_pins = model_live_count(model, MSD_OBJECT_SOFT_PIN);
  stats->rotors = model_live_count(model, MSD_OBJECT_ROTOR);
  stats->torsion_springs = model_live_count(model, MSD_OBJECT_TORSION_SPRING);
  stats->colliders = model_live_count(model, MSD_OBJECT_COLLIDER);
  if (stats->colliders > 0 && !world->stepper.is_running && stepper_has_contacts(&world->stepper)) {
    const contact_tally tally = contact_work_sum(&world->stepper.contacts);
    stats->contacts = tally.contacts;
    stats->squeezed = tally.squeezed;
  }
  add_surfaces(stats, &world->stepper);
  stats->bytes = model->memory.used + sizeof *world;
}

static const msd_stats no_stats = {.max_stretch_spring = -1, .max_stretch_fiber = -1};

msd_stats msd_world_get_counts(const msd_world *world) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_stats stats = no_stats;
  if (world)
    add_counts(&stats, world);
  return stats;
}

/* ------------------------------------------------------------------------------------- distributed worlds */

typedef struct subdomain_sum {
  msd_stats stats;
  int64_t stretched;
} subdomain_sum;

static void add_part_particles(const msd_world *world, msd_range particles, void *sum) {
  msd_stats *stats = &((subdomain_sum *)sum)->stats;
  for (int32_t i = particles.first; i < particles.first + particles.count; i++) {
    add_particle(stats, world, i);
    stats->pinned += world->model.particles.inverse_mass[i] == 0;
  }
}

static void add_part_springs(const msd_world *world, msd_range springs, void *sum) {
  subdomain_sum *of = sum;
  const double before = of->stats.max_stretch;
  const int32_t had = of->stats.max_stretch_spring;
  for (int32_t e = springs.first; e < springs.first + springs.count; e++) {
    of->stats.broken += spring_is_broken(&world->model.springs, e);
    add_spring(&of->stats, world, e, &of->stretched);
  }
  if (of->stats.max_stretch != before || (had < 0 && of->stats.max_stretch_spring >= 0))
    of->stats.max_stretch_spring = subdomain_spring_number(world, of->stats.max_stretch_spring);
}

static msd_stats stats_of_parts(const msd_world *world) {
  subdomain_sum sum = {.stats = no_stats};
  subdomain_sum_particles(world, add_part_particles, &sum, sizeof sum);
  for (int c = 0; c < 3 && sum.stats.total_mass > 0; c++)
    sum.stats.center_of_mass[c] /= sum.stats.total_mass;
  subdomain_sum_springs(world, add_part_springs, &sum, sizeof sum);
  if (sum.stretched > 0)
    sum.stats.mean_stretch /= (double)sum.stretched;
  sum.stats.particles = world->part.is.particles;
  sum.stats.springs = world->part.is.springs;
  sum.stats.bytes = world->model.memory.used + sizeof *world;
  return sum.stats;
}

msd_stats msd_world_get_stats(const msd_world *world) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_stats stats = no_stats;
  if (!world)
    return stats;
  if (world->part.is_open)
    return stats_of_parts(world);
  add_counts(&stats, world);
  for (int32_t i = 0; i < world->model.particles.count; i++)
    add_particle(&stats, world, i);
  for (int c = 0; c < 3 && stats.total_mass > 0; c++)
    stats.center_of_mass[c] /= stats.total_mass;
  add_elastic(&stats, world);
  add_rotors(&stats, world);
  return stats;
}

/* State of a spring at the start or end of a substep. */
typedef struct spring_moment {
  /* Vector from b to a, in m. */
  double along[3], length;
  /* Energy in J, and tension in N. */
  double energy, pull;
} spring_moment;

static spring_moment moment_of(const world_model *model, int32_t spring, double stiffness,
                               const double along[3]) {
  const double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
  spring_moment m = {{along[0], along[1], along[2]}, length, 0, 0};
  const double error = length - (double)model->springs.rest[spring];
  if (spring_acts_at(&model->springs, spring, error)) {
    m.energy = 0.5 * stiffness * error * error;
    m.pull = stiffness * error;
  }
  return m;
}

/* Directional derivative of the length at `at` along the displacement from `one` to `other`. */
static double lengthening(const spring_moment *at, const spring_moment *one, const spring_moment *other) {
  double sum = 0;
  for (int c = 0; c < 3; c++)
    sum += at->along[c] * (other->along[c] - one->along[c]);
  return at->length > 0 ? sum / at->length : 0;
}

/* Numerical energy gain U' - U - 1/2 (x' - x) . (grad U + grad U'), where x = x' - dt v'. */
static double made_at(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const particle_store *p = &model->particles;
  const law_terms terms = spring_effective_mass(s, p, spring);
  const double stiffness = law_present(&terms, model->tuned_step, model->clamp_stiffness).stiffness;
  const msd_vec3 a = particle_vector(p, POSITION_X, s->a[spring]),
                 b = particle_vector(p, POSITION_X, s->b[spring]),
                 va = particle_last_velocity(p, s->a[spring]), vb = particle_last_velocity(p, s->b[spring]);
  const double now[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
  const double rate[3] = {(double)va.x - (double)vb.x, (double)va.y - (double)vb.y,
                          (double)va.z - (double)vb.z};
  double then[3];
  for (int c = 0; c < 3; c++)
    then[c] = now[c] - model->substep * rate[c];
  const spring_moment from = moment_of(model, spring, stiffness, then),
                      to = moment_of(model, spring, stiffness, now);
  const double work = from.pull * lengthening(&from, &from, &to) + to.pull * lengthening(&to, &from, &to);
  return to.energy - from.energy - 0.5 * work;
}

void msd_world_add_spring_energy_gain(const msd_world *world, double *made) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || world->model.integrator != MSD_SYMPLECTIC_EULER || world->model.tuned_step == 0)
    return;
  for (int32_t e = 0; e < world->model.springs.count; e++) {
    const double energy = spring_is_broken(&world->model.springs, e) ? 0 : made_at(&world->model, e);
    made[e] += isfinite(energy) ? energy : 0;
  }
}

msd_result msd_world_find_components(const msd_world *world, int32_t *component_of, bool *is_attached,
                                     msd_components *counts) {
  if (!world || !counts)
    return MSD_BAD_VALUE;
  memory scratch = {.allocator = world->model.memory.allocator, .limit = world->model.memory.limit};
  return components_find(&world->model, &scratch, component_of, is_attached, counts) ? MSD_OK
                                                                                     : MSD_OUT_OF_MEMORY;
}

/* FNV-1a over 32-bit words; the high half is folded in so that every bit affects all others. */
static uint64_t mix(uint64_t hash, uint32_t word) {
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

/* Low half first, independent of the byte order. */
static uint64_t mix_double(uint64_t hash, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return mix(mix(hash, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static uint64_t mix_real(uint64_t hash, msd_real value) {
#ifdef MSD_DOUBLE
  return mix_double(hash, value);
#else
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return mix(hash, bits);
#endif
}

static void mix_particles(const msd_world *world, msd_range particles, void *sum) {
  const particle_store *p = &world->model.particles;
  uint64_t hash;
  memcpy(&hash, sum, sizeof hash);
  for (int32_t i = particles.first; i < particles.first + particles.count; i++)
    for (int c = 0; c < COMPONENTS; c++)
      hash = mix_real(hash, particle_state(p)[(size_t)c * p->stride + particle_slot(p, i)]);
  memcpy(sum, &hash, sizeof hash);
}

uint64_t msd_world_hash(const msd_world *world) {
  uint64_t hash = 0xcbf29ce484222325u;
  if (!world)
    return hash;
  if (world->part.is_open)
    subdomain_sum_particles(world, mix_particles, &hash, sizeof hash);
  else
    mix_particles(world, (msd_range){0, world->model.particles.count}, &hash);
  for (int32_t i = 0; i < world->model.rotors.count; i++) {
    hash = mix_double(hash, world->model.rotors.angle[i]);
    hash = mix_double(hash, world->model.rotors.velocity[i]);
  }
  return hash;
}

#include "engine/stability/mass_redistribution.h"

#include "engine/stability/required_mass.h"

#include <math.h>
#include <string.h>

/* The maximum fraction of its surplus that a particle gives, so that one without springs keeps some mass. */
static const double SPARE_GIVEN = 0.5;

/* The working data: the demands at the current masses, and a copy of the masses for trials. */
typedef struct shift {
  const world_model *model;
  const msd_mass_pool *pools;
  int count;
  double frame;
  mass_demands demands;
  /* The model with trial masses. */
  world_model trial;
} shift;

/* The requirements of one pool. */
typedef struct pool_plan {
  double dt, radius, room;
  /* kg: the total mass of its free particles, the mass that some lack, and the surplus of others. */
  double mass, lack, spare;
} pool_plan;

static bool is_free(const world_model *model, int32_t particle) {
  return model->particles.inverse_mass[particle] > 0;
}

static double mass_of(const shift *s, int32_t particle) {
  return (double)s->model->particles.mass[particle];
}

static double needed(const shift *s, const pool_plan *p, int32_t particle) {
  return mass_demands_at(&s->demands, particle, p->dt, p->radius, p->room);
}

static pool_plan plan_pool(const shift *s, const msd_mass_pool *pool, int32_t substeps) {
  pool_plan p = {.dt = s->frame / substeps};
  p.radius = mass_demands_radius(&s->demands, p.dt);
  mass_demands_lack(&s->demands, pool->particles, p.dt, &p.room);
  for (int32_t i = pool->particles.first; i < pool->particles.first + pool->particles.count; i++) {
    if (!is_free(s->model, i))
      continue;
    const double mass = mass_of(s, i), left = mass - needed(s, &p, i);
    p.mass += mass;
    p.lack += fmax(-left, 0);
    p.spare += fmax(left, 0);
  }
  return p;
}

static bool fits(const shift *s, int32_t substeps) {
  for (int n = 0; n < s->count; n++) {
    const pool_plan p = plan_pool(s, &s->pools[n], substeps);
    if (!(p.lack <= s->pools[n].fraction * p.mass && p.lack <= SPARE_GIVEN * p.spare))
      return false;
  }
  return true;
}

/* The smallest number below `most` that fits; `most` if none does. */
static int32_t fewest(const shift *s, int32_t most) {
  int32_t too_few = 0;
  while (most - too_few > 1) {
    const int32_t middle = too_few + (most - too_few) / 2;
    if (fits(s, middle))
      most = middle;
    else
      too_few = middle;
  }
  return most;
}

/* Ignores a mass that a substep could not use. */
static void try_mass(shift *s, int32_t particle, double mass) {
  const msd_real inverse = particle_inverse((msd_real)mass);
  if (!(inverse > 0))
    return;
  s->trial.particles.mass[particle] = (msd_real)mass;
  s->trial.particles.inverse_mass[particle] = inverse;
}

static void try_pool(shift *s, const msd_mass_pool *pool, int32_t substeps) {
  const pool_plan p = plan_pool(s, pool, substeps);
  const double given = p.lack > 0 ? p.lack / p.spare : 0;
  for (int32_t i = pool->particles.first; i < pool->particles.first + pool->particles.count; i++) {
    if (!is_free(s->model, i))
      continue;
    const double mass = mass_of(s, i), need = needed(s, &p, i);
    try_mass(s, i, mass < need ? need : mass - given * (mass - need));
  }
}

/* The stable number of substeps for the masses of a model; 0 if there is none. */
static msd_result certify(const world_model *model, double frame, int32_t *substeps, double *step) {
  const stability_cache unknown = {.patience = 0};
  *substeps = 1;
  *step = INFINITY;
  if (stability_limit_certifies(model, model->integrator))
    return MSD_OK;
  const msd_result result = stability_find_stable_substep(model, &unknown, step);
  if (result == MSD_OK)
    *substeps = stability_substeps(*step, frame);
  return result;
}

static msd_result try_substeps(shift *s, int32_t substeps, int32_t *certified) {
  double step;
  for (int n = 0; n < s->count; n++)
    try_pool(s, &s->pools[n], substeps);
  return certify(&s->trial, s->frame, certified, &step);
}

static bool is_fewer(int32_t substeps, int32_t most) {
  return substeps > 0 && substeps < most;
}

/* Leaves trial masses that are stable with fewer than `most` substeps, and returns their number; 0: none. If
   another limit needs more substeps than the pools, only the mass for that number is moved. */
static msd_result find_masses(shift *s, int32_t most, int32_t *certified) {
  const int32_t substeps = most > 0 ? fewest(s, most) : 0;
  *certified = 0;
  if (substeps == most)
    return MSD_OK;
  msd_result result = try_substeps(s, substeps, certified);
  if (result != MSD_OK || !is_fewer(*certified, most)) {
    *certified = 0;
    return result;
  }
  const int32_t enough = *certified;
  if (enough <= substeps || !fits(s, enough))
    return MSD_OK;
  result = try_substeps(s, enough, certified);
  if (result == MSD_OK && !is_fewer(*certified, enough + 1))
    result = try_substeps(s, substeps, certified);
  return result;
}

static void count_particle(const shift *s, int32_t particle, msd_mass_redistribution *out) {
  const double before = mass_of(s, particle), after = (double)s->trial.particles.mass[particle];
  if (!(after > before))
    return;
  out->heavier++;
  out->moved += after - before;
  out->largest_factor = fmax(out->largest_factor, after / before);
}

static void count_pools(const shift *s, bool is_moved, msd_mass_redistribution *out) {
  for (int n = 0; n < s->count; n++) {
    const msd_range range = s->pools[n].particles;
    for (int32_t i = range.first; i < range.first + range.count; i++) {
      if (!is_free(s->model, i))
        continue;
      out->particles++;
      out->mass += mass_of(s, i);
      if (is_moved)
        count_particle(s, i, out);
    }
  }
}

static bool open_shift(shift *s, memory *m) {
  const particle_store *p = &s->model->particles;
  const size_t bytes = (size_t)p->count * sizeof *p->mass;
  s->trial = *s->model;
  s->trial.particles.mass = memory_allocate(m, bytes);
  s->trial.particles.inverse_mass = memory_allocate(m, bytes);
  if (!mass_demands_open(&s->demands, s->model, SOFTENED_FOLLOWED, m) || !s->trial.particles.mass ||
      !s->trial.particles.inverse_mass)
    return false;
  if (bytes > 0) {
    memcpy(s->trial.particles.mass, p->mass, bytes);
    memcpy(s->trial.particles.inverse_mass, p->inverse_mass, bytes);
  }
  return true;
}

static void close_shift(shift *s, memory *m) {
  mass_demands_close(&s->demands);
  memory_release(m, s->trial.particles.mass);
  memory_release(m, s->trial.particles.inverse_mass);
}

static void take_masses(world_model *model, const world_model *trial) {
  const size_t bytes = (size_t)model->particles.count * sizeof *model->particles.mass;
  memcpy(model->particles.mass, trial->particles.mass, bytes);
  memcpy(model->particles.inverse_mass, trial->particles.inverse_mass, bytes);
  model->revision.definitions++;
}

/* The substeps of a frame now, and the upper limit of the search; more than a million may be needed. */
static msd_result find_before(const shift *s, int32_t *before, int32_t *most) {
  double step;
  const msd_result result = certify(s->model, s->frame, before, &step);
  *most = result == MSD_OK && *before == 0 && step > 0 ? STABILITY_SUBSTEPS_MAX + 1 : *before;
  return result;
}

msd_result mass_redistribution_make(world_model *model, const msd_mass_pool *pools, int count, double frame,
                                    msd_mass_redistribution *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  shift s = {.model = model, .pools = pools, .count = count, .frame = frame};
  msd_mass_redistribution made = {.largest_factor = 1};
  int32_t most = 0, certified = 0;
  msd_result result = open_shift(&s, &scratch) ? MSD_OK : MSD_OUT_OF_MEMORY;
  if (result == MSD_OK)
    result = find_before(&s, &made.substeps_before, &most);
  if (result == MSD_OK)
    result = find_masses(&s, most, &certified);
  if (result == MSD_OK) {
    made.substeps_after = certified > 0 ? certified : made.substeps_before;
    count_pools(&s, certified > 0, &made);
    if (certified > 0)
      take_masses(model, &s.trial);
    *out = made;
  }
  close_shift(&s, &scratch);
  return result == MSD_OK
             ? MSD_OK
             : report_fail(&model->report, result, "no memory to redistribute the mass of %d particles",
                           (int)model->particles.count);
}

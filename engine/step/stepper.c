#include "engine/step/stepper.h"

#include "engine/base/record.h"
#include "engine/step/integrator.h"
#include "engine/step/rank_step.h"
#include "engine/step/soft_pin_step.h"

#include <math.h>

network_source network_source_of(const world_model *model) {
  const spring_store *s = &model->springs;
  return (network_source){.particle_count = model->particles.count,
                          .spring_count = s->count,
                          .a = s->a,
                          .b = s->b,
                          .rest = s->rest,
                          .side = s->one_sided > 0 ? s->side : NULL,
                          .inverse_mass = model->particles.inverse_mass,
                          .slot = model->particles.slot,
                          .late = model->late_springs};
}

void stepper_free(stepper *s) {
  memory *m = &s->model->memory;
  network_free(&s->network, m);
  mass_scaling_free(&s->scaling, m);
  hard_limit_list_free(&s->hard_limits, m);
  tether_projections_free(&s->tethers, m);
  spring_projections_free(&s->projections, m);
  contact_work_free(&s->contacts, m);
  self_contact_free(&s->self, m);
  memory_release(m, s->attached);
  penetrations_free(&s->penetrations, m);
  wind_work_free(&s->wind, m);
  damage_work_free(&s->damage, m);
  sleep_work_free(&s->sleep, m);
  constraint_forces_free(&s->constraint_forces, m);
  spring_impulses_free(&s->spring_impulses, m);
  stepper_forget_impulses(s);
  constraint_impulses_free(&s->constraint_impulses, m);
  loose_particles_free(&s->loose, m);
  memory_release(m, s->scratch_block);
  memory_release(m, s->down);
  halo_memory_free(&s->halos, m);
  partition_free(&s->partition, m);
  adjacency_free(&s->adjacency, m);
  frame_record_free(&s->record, m);
  memory_release(m, s->tallies);
  constraint_account_free(&s->account, m);
  memory_release(m, s->records[0]);
  memory_release(m, s->records[1]);
}

int stepper_threads(const stepper *s) {
  return parallel_threads(&s->model->tasks, s->model->thread_count, s->model->particles.count);
}

bool stepper_has_soft_pin_forces(const stepper *s) {
  return s->model->soft_pins.count > 0 && !soft_pin_is_exact(s->model);
}

bool stepper_has_forces(const stepper *s) {
  return (s->model->integrator != MSD_SEQUENTIAL_IMPULSE && s->model->constraints.count > 0) ||
         stepper_has_soft_pin_forces(s);
}

const msd_real *stepper_acting_applied(const stepper *s) {
  const particle_store *p = &s->model->particles;
  return p->forced && !stepper_scales_masses(s) ? p->force : NULL;
}

bool stepper_scales_masses(const stepper *s) {
  return s->model->mass_scaling != MSD_MASS_SCALING_NONE;
}

const msd_real *stepper_loose(const stepper *s) {
  return s->loose.count > 0 && integrator_predicts(s->model->integrator) ? s->loose.is_loose : NULL;
}

bool stepper_projects(const stepper *s) {
  return s->model->solver == MSD_SOLVER_GAUSS_SEIDEL;
}

bool stepper_has_residual(const stepper *s) {
  const spring_projections *plan = &s->projections;
  const revision *now = &s->model->revision;
  return stepper_projects(s) && plan->is_solved &&
         revision_holds(&plan->made_for, revision_of_network(now)) &&
         revision_holds(&plan->solved_for, revision_of_shape(now));
}

bool stepper_has_colliders(const stepper *s) {
  return model_live_count(s->model, MSD_OBJECT_COLLIDER) > 0;
}

bool stepper_has_live_surfaces(const stepper *s) {
  return model_live_count(s->model, MSD_OBJECT_COLLISION_MESH) > 0;
}

bool stepper_has_wind(const stepper *s) {
  return s->model->wind.density > 0 && stepper_has_live_surfaces(s);
}

bool stepper_has_contacts(const stepper *s) {
  return revision_holds(&s->contacts.made_for, revision_of_contacts(&s->model->revision));
}

bool stepper_has_surfaces(const stepper *s) {
  return stepper_has_live_surfaces(s) &&
         revision_holds(&s->self.made_for, revision_of_surfaces(&s->model->revision));
}

static bool has_hard_limits(const stepper *s) {
  return revision_holds(&s->hard_limits.made_for, revision_of_hard_limits(&s->model->revision));
}

hard_limit_numbers stepper_hard_limit_numbers(const stepper *s, int32_t spring) {
  return has_hard_limits(s) ? hard_limit_list_numbers(&s->hard_limits, spring) : (hard_limit_numbers){0, 0};
}

bool stepper_has_network(const stepper *s) {
  const revision *made_for = &s->network_made_for, *now = &s->model->revision;
  return made_for->topology == now->topology && made_for->held == now->held;
}

/* The network changes only if it is compiled for the current springs and pins; otherwise the next frame
   rebuilds it. Springs added since have no row in it yet. */
void stepper_set_rest(stepper *s, int32_t spring, msd_real rest) {
  const network_source source = network_source_of(s->model);
  if (stepper_has_network(s) && spring < s->network.spring_count)
    network_set_rest(&s->network, &source, spring, rest);
  if (has_hard_limits(s))
    hard_limit_list_set_rest(&s->hard_limits, spring,
                             rest < 0 ? hard_limit_never(spring_side(&s->model->springs, spring)) : rest);
}

void stepper_set_constraint_rest(stepper *s, int32_t constraint, msd_real rest) {
  if (revision_holds(&s->constraint_forces.made_for, revision_of_constraint_layout(&s->model->revision)))
    constraint_forces_set_rest(&s->constraint_forces, constraint, rest);
}

static bool take_softened(stepper *s) {
  const constraint_store *constraints = &s->model->constraints;
  return s->model->integrator == MSD_SEQUENTIAL_IMPULSE
             ? constraint_impulses_take_softened(&s->constraint_impulses, constraints)
             : constraint_forces_take_softened(&s->constraint_forces, constraints);
}

void stepper_keep_softened(stepper *s) {
  s->was_softened = take_softened(s) || s->was_softened;
}

bool stepper_take_softened(stepper *s) {
  if (s->model->constraints.count == 0)
    return false;
  stepper_keep_softened(s);
  const bool some = rank_on_any(&s->ranks, s->was_softened);
  s->was_softened = false;
  return some && !s->model->clamp_stiffness;
}

bool stepper_has_account(const stepper *s) {
  return s->model->constraints.count > 0 && s->model->integrator == MSD_SYMPLECTIC_EULER &&
         !s->sleep.some_sleep && !s->is_subdomain;
}

/* True if collision meshes can be in contact with anything. */
static bool has_contact(const stepper *s) {
  return stepper_has_live_surfaces(s) &&
         (stepper_has_colliders(s) || surface_store_touching(&s->model->surfaces) > 0);
}

bool stepper_is_watched(const stepper *s) {
  return s->model->energy != MSD_ENERGY_OFF;
}

bool stepper_keeps_spring_forces(const stepper *s) {
  return stepper_scales_masses(s) && stepper_is_watched(s);
}

const char *stepper_distribution_obstacle(const stepper *s) {
  const world_model *model = s->model;
  const struct {
    bool is_there;
    const char *what;
  } reasons[] = {
      {model->integrator == MSD_SEQUENTIAL_IMPULSE, "sequential impulses"},
      {stepper_scales_masses(s), "scaled masses"},
      {stepper_projects(s), "springs by Gauss-Seidel"},
      {model->energy != MSD_ENERGY_OFF || (stepper_has_account(s) && s->account.is_active), "sums of energy"},
      {has_contact(s), "collision meshes that touch"},
      {s->sleep.some_sleep, "particles that sleep"}};
  for (size_t n = 0; n < sizeof reasons / sizeof *reasons; n++)
    if (reasons[n].is_there)
      return reasons[n].what;
  return NULL;
}

bool stepper_is_plain_except_contact(const stepper *s) {
  return s->model->integrator == MSD_SYMPLECTIC_EULER && !stepper_scales_masses(s) && !stepper_projects(s) &&
         !stepper_has_forces(s) && s->model->soft_pins.count == 0 && s->hard_limits.count == 0 &&
         !stepper_has_wind(s);
}

bool stepper_is_plain(const stepper *s) {
  return stepper_is_plain_except_contact(s) && !stepper_has_colliders(s) && !stepper_has_live_surfaces(s);
}

void stepper_forget_partition(stepper *s) {
  partition_free(&s->partition, &s->model->memory);
  adjacency_free(&s->adjacency, &s->model->memory);
  const size_t before = s->model->memory.used;
  contact_team_free(&s->self.team, &s->model->memory);
  s->self.is_listed = false;
  s->contact_bytes -= before - s->model->memory.used;
  s->shared_for = (revision){0};
}

/* True if the partition is valid for the current couplings. */
static bool is_partition_valid(const stepper *s, const partition_input *demand, revision now) {
  return revision_holds(&s->shared_for, now) &&
         (!s->partition.are_made ||
          (s->partition.reach == demand->reach && s->partition.parcel == PARTITION_PARCEL + demand->beside));
}

/* Returns false if memory for data of the partition runs out. */
static bool make_partition(stepper *s) {
  world_model *model = s->model;
  chunk_joint joints[COUPLING_JOINTS_MAX];
  const partition_input demand = adjacency_demand(s, joints);
  const revision all = revision_of_connections(&model->revision);
  const revision now =
      demand.joint_count > 0 || demand.beside > 0 ? all : revision_of_network(&model->revision);
  if (!is_partition_valid(s, &demand, now)) {
    partition_make(&s->partition, &model->memory, &demand, &s->ranks);
    adjacency_free(&s->adjacency, &model->memory);
  }
  s->shared_for = now;
  return !s->partition.are_made || revision_holds(&s->adjacency.listed_for, all) ||
         adjacency_list(&s->adjacency, s, &s->partition);
}

/* With mesh contact each rank advances all substeps and takes a subset of the broad phase. */
static void share_contact(stepper *s) {
  memory *m = &s->model->memory;
  const size_t before = m->used;
  if (rank_on_any(&s->ranks, !contact_team_reserve(&s->self.team, m, &s->ranks))) {
    contact_team_free(&s->self.team, m);
    s->self.is_listed = false;
  }
  s->contact_bytes += m->used - before;
}

/* The spare slab is reserved here too: if it is missing on one rank, all ranks discard the partition. */
void stepper_distribute(stepper *s) {
  if (s->ranks.count < 2)
    return;
  if (has_contact(s) && s->ranks.gather)
    share_contact(s);
  if (stepper_distribution_obstacle(s))
    return;
  const bool is_ready =
      make_partition(s) &&
      (!s->partition.are_made || particle_reserve_spare(&s->model->particles, &s->model->memory));
  if (rank_on_any(&s->ranks, !is_ready))
    stepper_forget_partition(s);
}

void stepper_forget_impulses(stepper *s) {
  given_impulses_free(&s->spring_given, &s->model->memory);
  given_impulses_free(&s->constraint_given, &s->model->memory);
}

void stepper_take_penetrations(stepper *s, const penetrations *taken) {
  memory *m = &s->model->memory;
  const size_t before = m->used;
  penetrations_free(&s->penetrations, m);
  s->contact_bytes +=
      m->used - before + (taken->pairs ? memory_cost((size_t)taken->capacity * sizeof *taken->pairs) : 0);
  s->penetrations = *taken;
}

void stepper_take_contact_cache(stepper *s, const contact_cache *taken) {
  memory *m = &s->model->memory;
  const size_t before = m->used;
  if (!taken->list.state) {
    contact_cache_forget(&s->self.cache);
    self_contact_let_go(&s->self);
    return;
  }
  contact_cache_free(&s->self.cache, m);
  s->contact_bytes += m->used - before + contact_cache_bytes(taken);
  s->self.cache = *taken;
  s->self.is_listed = false;
}

/* The failed state is in the slab written last, or in records if there is only one slab. */
static bool has_failed(const stepper *s, size_t slot) {
  const particle_store *p = &s->model->particles;
  const msd_real *slab = p->slab[!p->current];
  bool finite = true;
  for (size_t c = 0; c < COMPONENTS; c++)
    finite = finite && isfinite(slab ? slab[c * p->stride + slot]
                                     : s->failed_records[slot * RECORD_SIZE + c % 3 + c / 3 * RECORD_QUAD]);
  return !finite;
}

int32_t stepper_find_failed(const stepper *s) {
  const particle_store *p = &s->model->particles;
  for (int32_t i = 0; i < p->count; i++)
    if (has_failed(s, particle_slot(p, i)))
      return i;
  return 0;
}

bool stepper_reserve_tallies(stepper *s, size_t count) {
  if (count <= s->tally_count)
    return true;
  spring_tally *larger = memory_replace(&s->model->memory, s->tallies, count * sizeof *larger);
  if (!larger)
    return false;
  s->tallies = larger;
  s->tally_count = count;
  return true;
}

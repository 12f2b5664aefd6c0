#include "engine/step/stepper.h"

#include "engine/base/record.h"
#include "engine/step/anchor_step.h"
#include "engine/step/rank_step.h"

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
  catch_list_free(&s->catches, m);
  tether_balls_free(&s->tethers, m);
  spring_projections_free(&s->projections, m);
  contact_work_free(&s->contacts, m);
  self_contact_free(&s->self, m);
  tangles_free(&s->tangles, m);
  wind_work_free(&s->wind, m);
  wear_work_free(&s->wear, m);
  sleep_work_free(&s->sleep, m);
  constraint_forces_free(&s->constraint_forces, m);
  spring_impulses_free(&s->spring_impulses, m);
  stepper_forget_impulses(s);
  constraint_impulses_free(&s->constraint_impulses, m);
  memory_release(m, s->scratch_block);
  memory_release(m, s->down);
  halo_memory_free(&s->halos, m);
  shares_free(&s->shares, m);
  couplings_free(&s->couplings, m);
  memory_release(m, s->tallies);
  memory_release(m, s->records[0]);
  memory_release(m, s->records[1]);
}

int stepper_threads(const stepper *s) {
  return parallel_threads(&s->model->tasks, s->model->thread_count, s->model->particles.count);
}

bool stepper_has_acting_anchors(const stepper *s) {
  return s->model->anchors.count > 0 && !anchor_is_exact(s->model);
}

bool stepper_has_forces(const stepper *s) {
  return (s->model->integrator != MSD_SEQUENTIAL_IMPULSE && s->model->constraints.count > 0) ||
         stepper_has_acting_anchors(s);
}

const msd_real *stepper_acting_applied(const stepper *s) {
  const particle_store *p = &s->model->particles;
  return p->forced && !stepper_scales_masses(s) ? p->force : NULL;
}

bool stepper_scales_masses(const stepper *s) {
  return s->model->mass_scaling != MSD_MASS_SCALING_NONE;
}

bool stepper_projects(const stepper *s) {
  return s->model->solver == MSD_SOLVER_GAUSS_SEIDEL;
}

bool stepper_has_colliders(const stepper *s) {
  return model_live_count(s->model, MSD_ITEM_COLLIDER) > 0;
}

bool stepper_has_live_surfaces(const stepper *s) {
  return model_live_count(s->model, MSD_ITEM_SURFACE) > 0;
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

static bool has_catches(const stepper *s) {
  return revision_holds(&s->catches.made_for, revision_of_catches(&s->model->revision));
}

catch_numbers stepper_catch_numbers(const stepper *s, int32_t spring) {
  return has_catches(s) ? catch_list_numbers(&s->catches, spring) : (catch_numbers){0, 0};
}

bool stepper_has_network(const stepper *s) {
  const revision *made_for = &s->network_made_for, *now = &s->model->revision;
  return made_for->topology == now->topology && made_for->held == now->held;
}

/* A network of another layout is not touched: it was made of other springs or pins, and will be made anew. What
   was added since has no place in it yet. */
void stepper_set_rest(stepper *s, int32_t spring, msd_real rest) {
  const network_source source = network_source_of(s->model);
  if (stepper_has_network(s) && spring < s->network.spring_count)
    network_set_rest(&s->network, &source, spring, rest);
  if (has_catches(s))
    catch_list_set_rest(&s->catches, spring,
                        rest < 0 ? catch_never(spring_side(&s->model->springs, spring)) : rest);
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
  return some && s->model->limit == MSD_LIMIT_NONE;
}

/* Whether surfaces may touch anything. */
static bool has_contact(const stepper *s) {
  return stepper_has_live_surfaces(s) &&
         (stepper_has_colliders(s) || surface_store_touching(&s->model->surfaces) > 0);
}

bool stepper_keeps_spring_forces(const stepper *s) {
  return stepper_scales_masses(s) && s->model->energy != MSD_ENERGY_PLAIN;
}

const char *stepper_why_unshared(const stepper *s) {
  const world_model *model = s->model;
  const struct {
    bool is_there;
    const char *what;
  } reasons[] = {{model->integrator == MSD_SEQUENTIAL_IMPULSE, "sequential impulses"},
                 {stepper_scales_masses(s), "scaled masses"},
                 {stepper_projects(s), "springs by Gauss-Seidel"},
                 {model->energy != MSD_ENERGY_PLAIN, "sums of energy"},
                 {has_contact(s), "surfaces that touch"},
                 {s->sleep.some_sleep, "particles that sleep"}};
  for (size_t n = 0; n < sizeof reasons / sizeof *reasons; n++)
    if (reasons[n].is_there)
      return reasons[n].what;
  return NULL;
}

bool stepper_is_plain_but_for_touch(const stepper *s) {
  return s->model->integrator == MSD_SYMPLECTIC_EULER && !stepper_scales_masses(s) && !stepper_projects(s) &&
         !stepper_has_forces(s) && s->model->anchors.count == 0 && s->catches.count == 0 &&
         !stepper_has_wind(s);
}

bool stepper_is_plain(const stepper *s) {
  return stepper_is_plain_but_for_touch(s) && !stepper_has_colliders(s) && !stepper_has_live_surfaces(s);
}

void stepper_forget_shares(stepper *s) {
  shares_free(&s->shares, &s->model->memory);
  couplings_free(&s->couplings, &s->model->memory);
  const size_t before = s->model->memory.used;
  contact_team_free(&s->self.team, &s->model->memory);
  s->self.is_listed = false;
  s->contact_bytes -= before - s->model->memory.used;
  s->shared_for = (revision){0};
}

/* Whether who takes what follows from what joins particles now. */
static bool hold_shares(const stepper *s, const share_demand *demand, revision now) {
  return revision_holds(&s->shared_for, now) &&
         (!s->shares.are_made ||
          (s->shares.reach == demand->reach && s->shares.parcel == SHARE_PARCEL + demand->beside));
}

/* False where something that goes with the shares has no memory. */
static bool make_shares(stepper *s) {
  world_model *model = s->model;
  chunk_joint joints[COUPLING_JOINTS_MAX];
  const share_demand demand = couplings_demand(s, joints);
  const revision all = revision_of_joints(&model->revision);
  const revision now =
      demand.joint_count > 0 || demand.beside > 0 ? all : revision_of_network(&model->revision);
  if (!hold_shares(s, &demand, now)) {
    shares_make(&s->shares, &model->memory, &demand, &s->ranks);
    couplings_free(&s->couplings, &model->memory);
  }
  s->shared_for = now;
  return !s->shares.are_made || revision_holds(&s->couplings.listed_for, all) ||
         couplings_list(&s->couplings, s, &s->shares);
}

/* Where surfaces touch each rank takes all substeps, and a part of the search. */
static void share_contact(stepper *s) {
  memory *m = &s->model->memory;
  const size_t before = m->used;
  if (rank_on_any(&s->ranks, !contact_team_reserve(&s->self.team, m, &s->ranks))) {
    contact_team_free(&s->self.team, m);
    s->self.is_listed = false;
  }
  s->contact_bytes += m->used - before;
}

/* A state more, which no rank may lack alone, is part of it. */
void stepper_share(stepper *s) {
  if (s->ranks.count < 2)
    return;
  if (has_contact(s) && s->ranks.gather)
    share_contact(s);
  if (stepper_why_unshared(s))
    return;
  const bool is_ready = make_shares(s) && (!s->shares.are_made ||
                                           particle_reserve_spare(&s->model->particles, &s->model->memory));
  if (rank_on_any(&s->ranks, !is_ready))
    stepper_forget_shares(s);
}

void stepper_forget_impulses(stepper *s) {
  given_impulses_free(&s->spring_given, &s->model->memory);
  given_impulses_free(&s->constraint_given, &s->model->memory);
}

void stepper_take_tangles(stepper *s, const tangles *taken) {
  memory *m = &s->model->memory;
  const size_t before = m->used;
  tangles_free(&s->tangles, m);
  s->contact_bytes +=
      m->used - before + (taken->pairs ? memory_cost((size_t)taken->capacity * sizeof *taken->pairs) : 0);
  s->tangles = *taken;
}

void stepper_take_look(stepper *s, const lookout *taken) {
  memory *m = &s->model->memory;
  const size_t before = m->used;
  if (!taken->list.state) {
    lookout_forget(&s->self.look);
    self_contact_let_go(&s->self);
    return;
  }
  lookout_free(&s->self.look, m);
  s->contact_bytes += m->used - before + lookout_bytes(taken);
  s->self.look = *taken;
  s->self.is_listed = false;
}

/* The state that has failed is in the slab that was written last, or where there is only one in records. */
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

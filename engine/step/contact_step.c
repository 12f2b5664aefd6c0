#include "engine/step/contact_step.h"

#include "engine/base/rank_agreement.h"
#include "engine/kernel/widths.h"
#include "engine/store/components.h"

bool contact_step_surfaces_act(const stepper *s) {
  return stepper_has_live_surfaces(s) && !stepper_scales_masses(s) &&
         (!s->sleep.some_sleep || s->sleep.surfaces_awake);
}

integrator_contact contact_step_colliders(stepper *s) {
  const revision now = revision_of_clearances(&s->model->revision);
  if (stepper_has_colliders(s) && !revision_holds(&s->contacts.clear_for, now)) {
    contact_work_forget_clear(&s->contacts);
    s->contacts.clear_for = now;
  }
  return (integrator_contact){&s->contacts, &s->model->colliders, s->model->contact, sleep_awake_chunks(s),
                              stepper_loose(s)};
}

/* Arguments of collider contact for a substep, without the states and the fractions of the frame. `work` is
   NULL if there are no colliders. */
static contact_thread push_of_colliders(stepper *s, const spring_input *in) {
  if (!stepper_has_colliders(s))
    return (contact_thread){.work = NULL};
  const integrator_contact contact = contact_step_colliders(s);
  return (contact_thread){.work = contact.work,
                          .kernel = kernels_choose(s->simd)->contacts,
                          .colliders = contact.colliders,
                          .settings = contact.settings,
                          .awake = contact.chunks,
                          .stride = in->stride,
                          .inverse_mass = in->net->inverse_mass,
                          .dt = in->dt,
                          .loose = contact.loose,
                          .force = in->force,
                          .gravity = {in->gravity[0], in->gravity[1], in->gravity[2]}};
}

static bool wake_paired(void *context, const pair_list *list) {
  return sleep_wake_paired(context, list);
}

/* Arguments of mesh contact for the substep from the current slab to the other one. */
static self_contact_step step_of(stepper *s, const spring_input *in, int before, int threads) {
  const particle_store *p = &s->model->particles;
  const int32_t all = s->model->colliders.substeps;
  self_contact_step step = {.contact = &s->self,
                            .penetrations = &s->penetrations,
                            .list_policy = &s->model->surfaces.list_policy,
                            .memory = &s->model->memory,
                            .colliders = push_of_colliders(s, in),
                            .settings = s->model->contact,
                            .inverse_mass = in->net->inverse_mass,
                            .before = p->slab[p->current],
                            .behind = p->slab[!p->current],
                            .stride = in->stride,
                            .dt = (double)in->dt,
                            .turning = p->some_turn ? p : NULL,
                            .has_pins = p->pinned > 0,
                            .attached = s->attached,
                            .pins_move = p->move_count > 0,
                            .turn_share = 1.0 / all,
                            .substeps_left = all - before,
                            .awake = s->sleep.some_sleep ? s->sleep.marks : NULL,
                            .awake_for = &s->sleep.lists,
                            .wake = wake_paired,
                            .wake_context = s,
                            .tasks = &s->model->tasks,
                            .threads = threads,
                            .simd = s->simd,
                            .stop = s->ranks.count < 2 ? &s->stop : NULL};
  step.colliders.before = step.before;
  step.colliders.behind = step.behind;
  step.colliders.share_before = (double)before / all;
  step.colliders.share_behind = (double)(before + 1) / all;
  return step;
}

/* In the last substep of a frame, places kinematic pins exactly at their targets. This precedes contact,
   because a pin that moves after contact by a rounding error could cause a penetration. */
static void let_pins_arrive(const stepper *s, int32_t substeps, msd_real *behind) {
  const particle_store *p = &s->model->particles;
  for (int32_t n = 0; n < p->move_count && substeps == s->model->colliders.substeps; n++) {
    const pin_move *move = &p->moves[n];
    const msd_real to[3] = {move->target.x, move->target.y, move->target.z};
    for (size_t axis = 0; axis < 3; axis++)
      behind[axis * p->stride + particle_slot(p, move->particle)] = to[axis];
  }
}

/* Adds the memory allocated for contact to contact_bytes, and stores why the substep failed. `held`: bytes in
   use before contact. */
static self_contact_result count_memory(stepper *s, size_t held, self_contact_result result) {
  s->contact_bytes += s->model->memory.used - held;
  s->lacks_memory = result == SELF_CONTACT_NO_MEMORY;
  s->is_crowded = result == SELF_CONTACT_CROWDED;
  s->is_abandoned = result == SELF_CONTACT_STOPPED;
  return result;
}

void contact_step_begin(stepper *s) {
  self_contact *c = &s->self;
  const revision *now = &s->model->revision;
  const bool goes_on = self_contact_may_go_on(c) && contact_step_surfaces_act(s) && !s->sleep.some_sleep &&
                       revision_holds(&s->listed_for, revision_of_meetings(now));
  if (goes_on)
    self_contact_go_on(c, revision_holds(&s->chosen_for, revision_of_touches(now)));
  else if (stepper_has_surfaces(s))
    self_contact_forget(c);
  s->listed_for = s->chosen_for = (revision){0};
  c->carry_visits = 0;
}

/* Marks the neighbor list as valid for the current revision, and the active set if it was chosen. */
static void note_revision(stepper *s, bool is_chosen) {
  const revision *now = &s->model->revision;
  s->listed_for = revision_of_meetings(now);
  s->chosen_for = is_chosen ? revision_of_touches(now) : (revision){0};
}

bool contact_step_rebuild_lists(stepper *s, const spring_input *in, int threads) {
  const self_contact_step step = step_of(s, in, 0, threads);
  if (!rank_on_any(&s->ranks, s->self.goes_on && !s->self.is_listed))
    return true;
  const size_t held = s->model->memory.used;
  const bool done = self_contact_relist(&step);
  const self_contact_result failed =
      stop_poll_is_stopped(step.stop) ? SELF_CONTACT_STOPPED : SELF_CONTACT_NO_MEMORY;
  return count_memory(s, held, done ? SELF_CONTACT_DONE : failed) == SELF_CONTACT_DONE;
}

static void note_friction_cache(stepper *s) {
  const particle_store *p = &s->model->particles;
  const self_contact_end end = {p->slab[p->current], p->stride,       s->penetrations.particle,
                                &s->model->tasks,    s->self.threads, s->simd};
  if (contact_step_surfaces_act(s))
    self_contact_hold(&s->self, &end);
  else
    self_contact_let_go(&s->self);
}

void contact_step_end(stepper *s) {
  note_friction_cache(s);
  if (!self_contact_may_go_on(&s->self) || !contact_step_surfaces_act(s) || s->penetrations.count > 0)
    return;
  const bool is_chosen = s->self.cells.count <= contact_cache_most_kept(s->self.particles);
  if (is_chosen)
    self_contact_end_step(&s->self);
  note_revision(s, is_chosen);
}

void contact_step_end_failed(stepper *s) {
  if (contact_step_surfaces_act(s) && self_contact_rollback(&s->self))
    note_revision(s, s->self.cache.active_bound.holds);
}

/* False without memory; then there are none. */
static bool make_attached(stepper *s) {
  const particle_store *p = &s->model->particles;
  memory *m = &s->model->memory;
  const size_t count = (size_t)p->count;
  memory_release(m, s->attached);
  s->attached = memory_allocate(m, count * sizeof *s->attached);
  bool *is_attached = memory_allocate(m, count * sizeof *is_attached);
  msd_components counts;
  const bool done = s->attached && is_attached && components_find(s->model, m, NULL, is_attached, &counts);
  for (int32_t i = 0; done && i < p->count; i++)
    s->attached[particle_slot(p, i)] = is_attached[i];
  memory_release(m, is_attached);
  if (done)
    return true;
  memory_release(m, s->attached);
  s->attached = NULL;
  return false;
}

/* False without memory on any rank. */
static bool find_attached(stepper *s) {
  const revision now = revision_of_connections(&s->model->revision);
  if (revision_holds(&s->attached_for, now))
    return true;
  const bool done = !rank_on_any(&s->ranks, !make_attached(s));
  s->attached_for = done ? now : (revision){0};
  return done;
}

bool contact_step_act(stepper *s, const spring_input *in, int before, int threads) {
  const size_t held = s->model->memory.used;
  if (!find_attached(s))
    return count_memory(s, held, SELF_CONTACT_NO_MEMORY) == SELF_CONTACT_DONE;
  const self_contact_step step = step_of(s, in, before, threads);
  let_pins_arrive(s, before + 1, step.behind);
  return count_memory(s, held, self_contact_act(&step)) == SELF_CONTACT_DONE;
}

int contact_step_contact_free(stepper *s, const spring_input *in, int before, int substeps, int threads) {
  const self_contact_step step = step_of(s, in, before, threads);
  const size_t held = s->model->memory.used;
  bool are_boxes_near;
  const self_contact_result boxes =
      self_contact_find_boxes(&step, &are_boxes_near) ? SELF_CONTACT_DONE : SELF_CONTACT_NO_MEMORY;
  if (count_memory(s, held, boxes) != SELF_CONTACT_DONE)
    return -1;
  if (are_boxes_near)
    return 0;
  if (count_memory(s, s->model->memory.used, broad_phase_update(&step)) != SELF_CONTACT_DONE)
    return -1;
  return contact_free_substeps(&s->self, step.dt, substeps);
}

blocked_contact contact_step_blocked(stepper *s, const spring_input *in, int before, int substeps) {
  return (blocked_contact){.surfaces = contact_step_surfaces_act(s) ? &s->self : NULL,
                           .colliders = push_of_colliders(s, in),
                           .before = before,
                           .substeps = substeps,
                           .all = s->model->colliders.substeps,
                           .dt = (double)in->dt,
                           .simd = s->simd,
                           .has_boxes = contact_step_surfaces_act(s) && s->self.boxes.box_count > 0};
}

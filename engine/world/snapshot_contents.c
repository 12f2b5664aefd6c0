#include "engine/world/snapshot_contents.h"

#include "engine/stability/steps.h"
#include "engine/world/world.h"

/* Substep in s for which constraint weights are valid; 0: they must be computed again. */
static double softening_step(const world_model *model) {
  const revision *made_for = &model->constraints.weights_made_for;
  return revision_holds(made_for, revision_of_softening(&model->revision, made_for->step)) ? made_for->step
                                                                                           : 0;
}

void snapshot_contents_put(unsigned char *to, const snapshot_header *h, const msd_world *world) {
  const particle_snapshot particles = snapshot_particles(h);
  const given_impulses *spring_given = &world->stepper.spring_given,
                       *constraint_given = &world->stepper.constraint_given;
  particle_snapshot_put(&to, &particles, &world->model.particles);
  spring_snapshot_put(&to, &world->model.springs);
  snapshot_put(&to, spring_given->of[spring_given->current], (size_t)h->impulses * sizeof(msd_real));
  constraint_snapshot_put(&to, &world->model.constraints, softening_step(&world->model));
  snapshot_put(&to, constraint_given->of[constraint_given->current],
               (size_t)h->constraint_impulses * sizeof(msd_real));
  soft_pin_snapshot_put(&to, &world->model.soft_pins);
  rotor_snapshot_put(&to, &world->model.rotors, &world->model.torsion_springs);
  collider_snapshot_put(&to, &world->model.colliders);
  surface_snapshot_put(&to, &world->model.surfaces);
  penetrations_snapshot_put(&to, snapshot_penetrations(h), &world->stepper.penetrations);
  contact_cache_snapshot_put(&to, h->contact_cache, &world->stepper.self.cache);
  if (h->has_parts)
    split_snapshot_put(&to, &world->model.particles);
  tombstones_snapshot_put(&to, &world->model.tombstones);
  sleep_snapshot_put(&to, h->sleep, &world->model.sleep);
}

static bool read_impulses(msd_real *impulses, int32_t count, const unsigned char **from) {
  snapshot_get(impulses, from, (size_t)count * sizeof *impulses);
  bool sound = true;
  for (int32_t e = 0; e < count; e++)
    sound = sound && isfinite(impulses[e]);
  return sound;
}

void snapshot_contents_free(snapshot_contents *c, memory *m) {
  particle_store_free(&c->particles, m);
  spring_store_free(&c->springs, m);
  constraint_store_free(&c->constraints, m);
  soft_pin_store_free(&c->soft_pins, m);
  rotor_store_free(&c->rotors, m);
  torsion_spring_store_free(&c->torsion_springs, m);
  collider_store_free(&c->colliders, m);
  surface_store_free(&c->surfaces, m);
  penetrations_free(&c->penetrations, m);
  contact_cache_free(&c->contact_cache, m);
  sleep_store_free(&c->sleep, m);
  memory_release(m, c->slot);
  given_impulses_free(&c->spring_given, m);
  given_impulses_free(&c->constraint_given, m);
  tombstones_free(&c->tombstones, m);
}

static bool reserve(snapshot_contents *c, memory *m, const snapshot_header *h) {
  particle_store *p = &c->particles;
  if (!particle_store_reserve(p, m, h->particles) || !spring_store_reserve(&c->springs, m, h->springs) ||
      !growth_reserve(&constraint_growth, &c->constraints, m, h->constraints) ||
      !growth_reserve(&constraint_mesh_growth, &c->constraints, m, h->meshes) ||
      !growth_reserve(&constraint_triangle_growth, &c->constraints, m, h->mesh_triangles) ||
      !growth_reserve(&rotor_growth, &c->rotors, m, h->rotors) ||
      !growth_reserve(&torsion_spring_growth, &c->torsion_springs, m, h->torsion_springs) ||
      !growth_reserve(&collider_growth, &c->colliders, m, h->colliders) ||
      !surface_store_reserve(&c->surfaces, m, h->surfaces, h->surface_triangles, h->surface_segments,
                             h->surface_rests) ||
      !surface_store_reserve_ignored(&c->surfaces, m, h->surfaces_ignored) ||
      !growth_reserve(&penetrating_pair_growth, &c->penetrations, m, h->penetrating_pairs) ||
      !contact_cache_snapshot_reserve(&c->contact_cache, m, h->contact_cache, p, h->particles) ||
      !particle_reserve_moves(p, m, h->moves) || (h->has_parts && !particle_open_origins(p, m)) ||
      (h->has_new_pins && !particle_open_new_pins(p, m)) ||
      !given_impulses_reserve(&c->spring_given, m, h->impulses) ||
      !given_impulses_reserve(&c->constraint_given, m, h->constraint_impulses) ||
      (h->sleep.particles > 0 && !sleep_reserve(&c->sleep, m, h->sleep.particles, h->sleep.pieces)))
    return false;
  void *block;
  if (h->forced && !(p->force = particle_allocate_slab(p, m, 3, &block)))
    return false;
  if (!h->ordered)
    return true;
  c->slot = memory_allocate(m, particle_slot_bytes(p));
  return c->slot && particle_reserve_other(p, m);
}

static msd_result read_gaps(msd_world *world, snapshot_contents *c, const snapshot_header *h,
                            const unsigned char **from) {
  const tombstones_snapshot of = {&c->particles, &c->springs,         &c->constraints, &c->soft_pins,
                                  &c->rotors,    &c->torsion_springs, &c->colliders,   &c->surfaces};
  const msd_result result =
      tombstones_snapshot_get(&c->tombstones, &world->model.memory, h->tombstones, &of, from);
  if (result == MSD_OUT_OF_MEMORY)
    return world_fail(world, result, "no memory for the destroyed objects of the snapshot");
  return result == MSD_OK ? result : world_fail(world, result, "the snapshot uses a destroyed object");
}

static msd_result read_all(msd_world *world, snapshot_contents *c, const snapshot_header *h,
                           const unsigned char *from) {
  memory *m = &world->model.memory;
  const particle_snapshot particles = snapshot_particles(h);
  msd_result result = MSD_OUT_OF_MEMORY;
  if (reserve(c, m, h))
    result = particle_snapshot_get(&c->particles, c->slot, &particles, &from)
                 ? spring_snapshot_get(&c->springs, &c->particles, m, snapshot_springs(h), &from)
                 : MSD_BAD_SNAPSHOT;
  if (result == MSD_OUT_OF_MEMORY)
    return world_fail(world, result, "no memory for the snapshot's %d particles and %d springs",
                      (int)h->particles, (int)h->springs);
  if (result != MSD_OK || !read_impulses(c->spring_given.of[0], h->impulses, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a particle or spring out of its range");
  result = constraint_snapshot_get(world, &c->constraints, &c->particles, snapshot_constraints(h), &from);
  if (result == MSD_OK && !read_impulses(c->constraint_given.of[0], h->constraint_impulses, &from))
    result =
        world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has an impulse of a constraint that is not finite");
  if (result == MSD_OK)
    result = soft_pin_snapshot_get(world, &c->soft_pins, &c->particles, h->soft_pins, &from);
  if (result != MSD_OK)
    return result;
  if (!rotor_snapshot_get(&c->rotors, h->rotors, &c->torsion_springs, h->torsion_springs, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a rotor or torsion spring out of its range");
  if (!collider_snapshot_get(&c->colliders, h->colliders, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a collider out of its range");
  if (!surface_snapshot_get(&c->surfaces, snapshot_surfaces(h), &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a collision mesh out of its range");
  if (!penetrations_snapshot_get(&c->penetrations, snapshot_penetrations(h), &c->surfaces, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a penetration out of its range");
  if (!contact_cache_snapshot_get(&c->contact_cache, h->contact_cache, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a contact motion bound out of its range");
  if (h->has_parts && !split_snapshot_get(&c->particles, (int64_t)h->springs + h->constraints, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has the split part of no particle");
  result = read_gaps(world, c, h, &from);
  if (result == MSD_OK && !sleep_snapshot_get(&c->sleep, h->sleep, &from))
    result = world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a sleeping particle out of its range");
  return result;
}

msd_result snapshot_contents_get(msd_world *world, snapshot_contents *c, const snapshot_header *h,
                                 const unsigned char *from) {
  const msd_result result = read_all(world, c, h, from);
  if (result != MSD_OK)
    snapshot_contents_free(c, &world->model.memory);
  return result;
}

/* Marks everything as changed, except derived data that the snapshot contains. `found_step` is the substep in
   s for which constraint weights are valid; 0: they must be computed again. */
static void resume(msd_world *world, const snapshot_header *h, double found_step) {
  revision *now = &world->model.revision;
  stepper *s = &world->stepper;
  revision_advance(now);
  if (h->penetrations_known)
    s->penetrations.found_for = revision_of_penetrations(now);
  contact_cache_snapshot_resume(world, h->contact_cache);
  energy_snapshot_resume(world, &h->account);
  if (found_step > 0)
    world->model.constraints.weights_made_for = revision_of_softening(now, found_step);
  change_list_resume(&world->model.changes, now->definitions, (int32_t)h->changes);
  stability_resume(&world->model, &world->limits, &h->limits);
}

void snapshot_take_over(msd_world *world, const snapshot_header *h, snapshot_contents *c) {
  world_model *model = &world->model;
  memory *m = &model->memory;
  model_free(model);
  if (c->slot)
    particle_move_to_slots(&c->particles, c->slot, m);
  model->particles = c->particles;
  model->springs = c->springs;
  model->constraints = c->constraints;
  model->soft_pins = c->soft_pins;
  model->rotors = c->rotors;
  model->torsion_springs = c->torsion_springs;
  model->colliders = c->colliders;
  model->surfaces = c->surfaces;
  model->tombstones = c->tombstones;
  sleep_replace(&model->sleep, m, &c->sleep);
  stepper_take_penetrations(&world->stepper, &c->penetrations);
  stepper_take_contact_cache(&world->stepper, &c->contact_cache);
  stepper_forget_impulses(&world->stepper);
  world->stepper.spring_given = c->spring_given;
  world->stepper.constraint_given = c->constraint_given;
  snapshot_apply_settings(world, h);
  network_free(&world->stepper.network, m);
  resume(world, h, c->constraints.weights_made_for.step);
}

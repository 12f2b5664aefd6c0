/* Rollback state of a world: the data that frames change, to go back within one world. Layout:
   - the header below, positions and velocities, two bits for each particle about pins;
   - impulses of the last substep (for a warm start);
   - soft pins, rotors and torsion springs, colliders, penetrations, the contact cache;
   - sleeping components, and constraints without a reference shape.
   Some objects are stored with their definitions, but only the data that frames change is restored.
   A new array goes into header, header_of, size_of, msd_world_save_state, contents, forget, read_contents,
   is_header_sound and the functions that take over the contents. */

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"
#include "engine/base/real_bits.h"
#include "engine/stability/steps.h"
#include "engine/world/snapshot.h"
#include "engine/world/snapshot_header.h"
#include "engine/world/world.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char MAGIC[8] = "MSDSTAT";

typedef struct header {
  char magic[8];
  uint64_t size;
  int32_t particles, soft_pins, rotors, torsion_springs, colliders, surfaces;
  int32_t impulses, constraint_impulses, unplaced;
  int32_t penetrations_known, penetrating_pairs;
  /* Whether the layout was fixed, and the length of the change list if a stable limit was valid. */
  int32_t layout_is_fixed, changes;
  int64_t crossings, forced_count, steps;
  /* Identifies the set of destroyed objects. */
  uint64_t tombstones;
  double time, substep, frame_time, tuned_step, tuned_left;
  list_policy list_policy;
  contact_cache_snapshot contact_cache;
  sleep_snapshot sleep;
  energy_snapshots account;
  /* The stable limit, and the definitions that it belongs to. */
  stability_standing limits;
  limits_origin limits_of;
} header;

/* Two bits per particle: pinned, and newly pinned. */
enum { PIN_BITS = 2, PINS_IN_BYTE = CHAR_BIT / PIN_BITS, PINNED = 1, NEWLY_PINNED = 2 };

static size_t pin_bytes(int32_t particles) {
  return ((size_t)particles + PINS_IN_BYTE - 1) / PINS_IN_BYTE;
}

static int pin_of(const unsigned char *pins, int32_t particle) {
  return pins[particle / PINS_IN_BYTE] >> particle % PINS_IN_BYTE * PIN_BITS & (PINNED | NEWLY_PINNED);
}

static penetrations_snapshot penetrations_of(const header *h) {
  return (penetrations_snapshot){h->penetrating_pairs, h->crossings, h->forced_count};
}

static uint64_t size_of(const header *h) {
  return sizeof *h + particle_motion_size(h->particles) + pin_bytes(h->particles) +
         ((uint64_t)h->impulses + (uint64_t)h->constraint_impulses) * sizeof(msd_real) +
         soft_pin_snapshot_size(h->soft_pins) + rotor_snapshot_size(h->rotors, h->torsion_springs) +
         collider_snapshot_size(h->colliders) + penetrations_snapshot_size(penetrations_of(h)) +
         contact_cache_snapshot_size(h->contact_cache) + sleep_snapshot_size(h->sleep) +
         (uint64_t)h->unplaced * sizeof(int32_t);
}

static header header_of(const msd_world *world) {
  const world_model *model = &world->model;
  const penetrations_snapshot t = penetrations_snapshot_of(world);
  const bool keeps_impulses = model->impulse_warm_start;
  header h = {.particles = model->particles.count,
              .soft_pins = model->soft_pins.count,
              .rotors = model->rotors.count,
              .torsion_springs = model->torsion_springs.count,
              .colliders = model->colliders.count,
              .surfaces = model->surfaces.count,
              .impulses = keeps_impulses ? world->stepper.spring_given.count : 0,
              .constraint_impulses = keeps_impulses ? world->stepper.constraint_given.count : 0,
              .unplaced = model->constraints.unplaced,
              .penetrations_known = penetrations_are_known(world),
              .penetrating_pairs = t.pairs,
              .crossings = t.crossings,
              .forced_count = t.forced_count,
              .layout_is_fixed = model->layout_is_fixed,
              .steps = world->steps,
              .tombstones = model->tombstones.mark,
              .time = world->time,
              .substep = model->substep,
              .frame_time = model->frame_time,
              .tuned_step = model->tuned_step,
              .tuned_left = model->tuned_left,
              .list_policy = model->surfaces.list_policy,
              .contact_cache = contact_cache_snapshot_of(world),
              .sleep = sleep_snapshot_of(&model->sleep),
              .account = energy_snapshot_of(world),
              .limits = stability_standing_of(model, &world->limits),
              .limits_of = world_limits_origin(world)};
  if (h.limits.patience > 0)
    h.changes = change_list_length(&model->changes, model->revision.definitions);
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  h.size = size_of(&h);
  return h;
}

/* Particles that are tested together, because most are free. */
enum { PINS_AT_ONCE = 64 };

static bool some_were_pinned(const unsigned char *pins, parallel_range some) {
  unsigned char any = 0;
  for (size_t k = (size_t)some.first / PINS_IN_BYTE; k < pin_bytes(some.last); k++)
    any |= pins[k];
  return any != 0;
}

/* Finds the next block of particles in which some are pinned now, or in the state `pins` (NULL: not tested).
   Start with {0, 0}. */
static bool next_pinned(const particle_store *p, const unsigned char *pins, parallel_range *some) {
  while (some->last < p->count) {
    *some = (parallel_range){some->last, int_min(some->last + PINS_AT_ONCE, p->count)};
    if (reals_have_zero(p->inverse_mass + some->first, (size_t)(some->last - some->first)) ||
        (pins && some_were_pinned(pins, *some)))
      return true;
  }
  return false;
}

/* Writes the pin bits. A pin is new if it was pinned after the stable limit was computed. */
static void put_pins(unsigned char **to, const particle_store *p, bool have_limits) {
  memset(*to, 0, pin_bytes(p->count));
  for (parallel_range some = {0, 0}; next_pinned(p, NULL, &some);)
    for (int32_t i = some.first; i < some.last; i++)
      if (p->inverse_mass[i] == 0)
        (*to)[i / PINS_IN_BYTE] |=
            (unsigned char)((PINNED | (have_limits && particle_is_newly_pinned(p, i) ? NEWLY_PINNED : 0))
                            << i % PINS_IN_BYTE * PIN_BITS);
  *to += pin_bytes(p->count);
}

static void put_unplaced(unsigned char **to, const constraint_store *s) {
  for (int32_t c = 0; c < s->count && s->unplaced > 0; c++)
    if (!constraint_is_placed(s, c))
      snapshot_put(to, &c, sizeof c);
}

static bool has_damage(const world_model *model) {
  return model->springs.damage || model->constraints.damage;
}

msd_result msd_world_save_state(const msd_world *world, void *buffer, size_t capacity, size_t *size) {
  if (!world || !size)
    return MSD_BAD_VALUE;
  if (!world_is_open(world))
    return MSD_LOCKED;
  if (has_damage(&world->model))
    return MSD_BAD_VALUE;
  const header h = header_of(world);
  if (h.size > SIZE_MAX)
    return MSD_TOO_LARGE;
  *size = (size_t)h.size;
  if (!buffer)
    return MSD_OK;
  if (capacity < *size)
    return MSD_BUFFER_TOO_SMALL;
  const given_impulses *springs = &world->stepper.spring_given,
                       *constraints = &world->stepper.constraint_given;
  unsigned char *to = buffer;
  snapshot_put(&to, &h, sizeof h);
  particle_motion_put(&to, &world->model.particles);
  put_pins(&to, &world->model.particles, h.limits.patience > 0);
  snapshot_put(&to, springs->of[springs->current], (size_t)h.impulses * sizeof(msd_real));
  snapshot_put(&to, constraints->of[constraints->current], (size_t)h.constraint_impulses * sizeof(msd_real));
  soft_pin_snapshot_put(&to, &world->model.soft_pins);
  rotor_snapshot_put(&to, &world->model.rotors, &world->model.torsion_springs);
  collider_snapshot_put(&to, &world->model.colliders);
  penetrations_snapshot_put(&to, penetrations_of(&h), &world->stepper.penetrations);
  contact_cache_snapshot_put(&to, h.contact_cache, &world->stepper.self.cache);
  sleep_snapshot_put(&to, h.sleep, &world->model.sleep);
  put_unplaced(&to, &world->model.constraints);
  return MSD_OK;
}

/* ---------------------------------------------------------------------------------------------- restoring */

static msd_result check_header(msd_world *world, const unsigned char *bytes, size_t size, header *h) {
  if (size < sizeof *h || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
    return world_fail(world, MSD_BAD_SNAPSHOT, "these %zu bytes are not a state of a world", size);
  memcpy(h, bytes, sizeof *h);
  if (h->size != size)
    return world_fail(world, MSD_BAD_SNAPSHOT,
                      "the state has %zu bytes and should have %llu: it is truncated", size,
                      (unsigned long long)h->size);
  const header now = header_of(world);
  if (h->particles != now.particles || h->soft_pins != now.soft_pins || h->rotors != now.rotors ||
      h->torsion_springs != now.torsion_springs || h->colliders != now.colliders ||
      h->surfaces != now.surfaces)
    return world_fail(
        world, MSD_BAD_SNAPSHOT,
        "the state has %d particles, %d soft pins, %d rotors, %d torsion springs, %d colliders and %d "
        "collision meshes; the world has %d, %d, %d, %d, %d and %d",
        (int)h->particles, (int)h->soft_pins, (int)h->rotors, (int)h->torsion_springs, (int)h->colliders,
        (int)h->surfaces, (int)now.particles, (int)now.soft_pins, (int)now.rotors, (int)now.torsion_springs,
        (int)now.colliders, (int)now.surfaces);
  if (h->tombstones != now.tombstones)
    return world_fail(world, MSD_BAD_SNAPSHOT,
                      "the state is of a world with other destroyed objects than this one");
  return MSD_OK;
}

/* A corrupted state may yield wrong values, but no invalid ones. */
static bool is_header_sound(const header *h, const world_model *model) {
  return (h->penetrations_known == 0 || h->penetrations_known == 1) && h->penetrating_pairs >= 0 &&
         h->crossings >= 0 && h->forced_count >= 0 && (h->layout_is_fixed == 0 || h->layout_is_fixed == 1) &&
         h->changes >= 0 && h->impulses >= 0 && h->impulses <= model->springs.count &&
         h->constraint_impulses >= 0 && h->constraint_impulses <= model->constraints.count &&
         h->unplaced >= 0 && h->unplaced <= model->constraints.count && h->steps >= 0 &&
         h->steps <= SNAPSHOT_STEPS_MAX && isfinite(h->time) &&
         snapshot_steps_are_sound(h->substep, h->frame_time, h->tuned_step, h->tuned_left) &&
         sleep_snapshot_counts_are_sound(h->sleep, h->particles) &&
         contact_cache_snapshot_counts_are_sound(h->contact_cache, h->surfaces > 0 ? h->particles : 0) &&
         h->list_policy.skin >= 0 && isfinite(h->list_policy.skin) && h->list_policy.substeps >= 0 &&
         isfinite(h->list_policy.bend[0]) && isfinite(h->list_policy.bend[1]) &&
         isfinite(h->list_policy.bend[2]) && energy_snapshot_is_sound(&h->account) &&
         stability_standing_is_sound(&h->limits) && h->size == size_of(h);
}

/* Data besides positions and velocities, until all of it has been validated. */
typedef struct contents {
  soft_pin_store soft_pins;
  rotor_store rotors;
  torsion_spring_store torsion_springs;
  collider_store colliders;
  penetrations penetrations;
  contact_cache contact_cache;
  sleep_store sleep;
  given_impulses springs, constraints;
  int32_t *unplaced;
} contents;

static void forget(contents *c, memory *m) {
  soft_pin_store_free(&c->soft_pins, m);
  rotor_store_free(&c->rotors, m);
  torsion_spring_store_free(&c->torsion_springs, m);
  collider_store_free(&c->colliders, m);
  penetrations_free(&c->penetrations, m);
  contact_cache_free(&c->contact_cache, m);
  sleep_store_free(&c->sleep, m);
  given_impulses_free(&c->springs, m);
  given_impulses_free(&c->constraints, m);
  memory_release(m, c->unplaced);
}

static bool get_impulses(given_impulses *g, int32_t count, const unsigned char **from) {
  bool sound = true;
  snapshot_get(g->of[0], from, (size_t)count * sizeof(msd_real));
  for (int32_t e = 0; e < count; e++)
    sound = sound && isfinite(g->of[0][e]);
  return sound;
}

/* Reads indices of constraints of the world. */
static bool get_unplaced(int32_t *unplaced, int32_t count, int32_t constraints, const unsigned char **from) {
  bool sound = true;
  snapshot_get(unplaced, from, (size_t)count * sizeof *unplaced);
  for (int32_t n = 0; n < count; n++)
    sound = sound && unplaced[n] >= 0 && unplaced[n] < constraints;
  return sound;
}

static msd_result read_contents(msd_world *world, contents *c, const header *h, const unsigned char *from) {
  memory *m = &world->model.memory;
  c->unplaced = memory_allocate_items(m, (int64_t)h->unplaced + 1, sizeof *c->unplaced);
  if (!c->unplaced || !given_impulses_reserve(&c->springs, m, h->impulses) ||
      !given_impulses_reserve(&c->constraints, m, h->constraint_impulses) ||
      !growth_reserve(&rotor_growth, &c->rotors, m, h->rotors) ||
      !growth_reserve(&torsion_spring_growth, &c->torsion_springs, m, h->torsion_springs) ||
      !growth_reserve(&collider_growth, &c->colliders, m, h->colliders) ||
      !growth_reserve(&penetrating_pair_growth, &c->penetrations, m, h->penetrating_pairs) ||
      !contact_cache_snapshot_reserve(&c->contact_cache, m, h->contact_cache, &world->model.particles,
                                      h->particles) ||
      (h->sleep.particles > 0 && !sleep_reserve(&c->sleep, m, h->sleep.particles, h->sleep.pieces)))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for a state of %d particles", (int)h->particles);
  const bool impulses_are_sound = get_impulses(&c->springs, h->impulses, &from);
  if (!get_impulses(&c->constraints, h->constraint_impulses, &from) || !impulses_are_sound)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the state has an impulse that is not finite");
  const msd_result result =
      soft_pin_snapshot_get(world, &c->soft_pins, &world->model.particles, h->soft_pins, &from);
  if (result != MSD_OK)
    return result;
  if (!rotor_snapshot_get(&c->rotors, h->rotors, &c->torsion_springs, h->torsion_springs, &from) ||
      !collider_snapshot_get(&c->colliders, h->colliders, &from) ||
      !penetrations_snapshot_get(&c->penetrations, penetrations_of(h), &world->model.surfaces, &from) ||
      !contact_cache_snapshot_get(&c->contact_cache, h->contact_cache, &from) ||
      !sleep_snapshot_get(&c->sleep, h->sleep, &from) ||
      !get_unplaced(c->unplaced, h->unplaced, world->model.constraints.count, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT,
                      "the state has a rotor, collider, penetration, motion bound, sleeper or waiting "
                      "constraint out of its range");
  return MSD_OK;
}

/* Restores positions of soft pins, rotors and colliders; their definitions stay. */
static void take_places(world_model *model, const contents *c) {
  for (int32_t i = 0; i < model->soft_pins.count; i++) {
    soft_pin_entry *to = &model->soft_pins.entries[i];
    const soft_pin_entry *from = &c->soft_pins.entries[i];
    to->point = from->point;
    to->moves = false;
    to->knows_velocity = from->knows_velocity;
    memcpy(to->velocity, from->velocity, sizeof to->velocity);
    memcpy(to->seen, from->seen, sizeof to->seen);
    to->force = from->force;
  }
  for (int32_t i = 0; i < model->rotors.count; i++) {
    model->rotors.angle[i] = c->rotors.angle[i];
    model->rotors.velocity[i] = c->rotors.velocity[i];
    model->rotors.torque[i] = 0;
  }
  for (int32_t i = 0; i < model->torsion_springs.count; i++)
    model->torsion_springs.given[i] = c->torsion_springs.given[i];
  model->springs.moves.count = 0;
  for (int32_t i = 0; i < model->colliders.count; i++) {
    model->colliders.entries[i].pose = c->colliders.entries[i].pose;
    model->colliders.entries[i].moves = model->colliders.entries[i].has_turn = false;
  }
}

static void take_pins(msd_world *world, const unsigned char *pins) {
  const particle_store *p = &world->model.particles;
  for (parallel_range some = {0, 0}; next_pinned(p, pins, &some);)
    for (int32_t i = some.first; i < some.last; i++)
      if ((pin_of(pins, i) & PINNED) != (p->inverse_mass[i] == 0))
        world_set_pinned(world, i, pin_of(pins, i) & PINNED);
}

/* Pins are restored first, because pinning a particle clears its velocity. */
static void take_particles(msd_world *world, const unsigned char *from) {
  particle_store *p = &world->model.particles;
  take_pins(world, from + particle_motion_size(p->count));
  particle_call_all_back(p);
  particle_clear_forces(p);
  particle_motion_get(p, &from);
}

/* Constraints without a reference shape in the saved state (their particles coincided) become so again. */
static void mark_unplaced(world_model *model, const int32_t *unplaced, int32_t count) {
  const int32_t before = model->constraints.unplaced;
  for (int32_t n = 0; n < count; n++)
    constraint_wait_for_shape(&model->constraints, unplaced[n]);
  if (model->constraints.unplaced > before)
    model_note_placements(model);
}

/* Stores whose ownership is transferred are cleared in `c`. */
static void take_rest(msd_world *world, contents *c) {
  if (world->model.impulse_warm_start) {
    stepper_forget_impulses(&world->stepper);
    world->stepper.spring_given = c->springs;
    world->stepper.constraint_given = c->constraints;
    c->springs = c->constraints = (given_impulses){0};
  }
  stepper_take_penetrations(&world->stepper, &c->penetrations);
  c->penetrations = (penetrations){0};
  stepper_take_contact_cache(&world->stepper, &c->contact_cache);
  c->contact_cache = (contact_cache){.has_list = false};
  if (sleep_is_on(&world->model.sleep)) {
    sleep_replace(&world->model.sleep, &world->model.memory, &c->sleep);
    c->sleep = (sleep_store){0};
  }
  world->stepper.sleep.pieces_for = (revision){0};
}

/* Restores the stable limit, and which pins are newer. */
static void take_limits(msd_world *world, const header *h, const unsigned char *pins) {
  particle_store *p = &world->model.particles;
  stability_resume(&world->model, &world->limits, &h->limits);
  particle_settle_pins(p);
  for (parallel_range some = {0, 0}; next_pinned(p, NULL, &some);)
    for (int32_t i = some.first; i < some.last; i++)
      if ((pin_of(pins, i) & NEWLY_PINNED) > 0 && p->inverse_mass[i] == 0 &&
          particle_open_new_pins(p, &world->model.memory))
        particle_mark_new_pin(p, i, true);
}

/* The stable limit is restored only if the definitions are those of the saved state. Otherwise it is computed
   again. */
static void resume(msd_world *world, const header *h, const unsigned char *pins) {
  revision *now = &world->model.revision;
  now->state++;
  now->positions++;
  if (h->penetrations_known)
    world->stepper.penetrations.found_for = revision_of_penetrations(now);
  contact_cache_snapshot_resume(world, h->contact_cache);
  const limits_origin origin = world_limits_origin(world);
  if (h->limits_of.world == origin.world && revision_holds(&h->limits_of.revision, origin.revision) &&
      h->unplaced == world->model.constraints.unplaced)
    take_limits(world, h, pins);
  change_list_resume(&world->model.changes, now->definitions, h->changes);
  energy_snapshot_resume(world, &h->account);
  world->time = h->time;
  world->steps = h->steps;
  world->model.substep = h->substep;
  world->model.frame_time = h->frame_time;
  world->model.tuned_step = h->tuned_step;
  world->model.tuned_left = h->tuned_left;
  world->model.surfaces.list_policy = h->list_policy;
}

/* The layout depends on the state at the start of the first frame. So a world that has not advanced yet is
   laid out now, before it takes the state of one that has. */
static msd_result fix_layout(msd_world *world, const header *h) {
  if (!h->layout_is_fixed || world->model.layout_is_fixed)
    return MSD_OK;
  const msd_result result = stepper_prepare_network(&world->stepper);
  world->model.layout_is_fixed = result == MSD_OK;
  return result;
}

msd_result msd_world_restore_state(msd_world *world, const void *buffer, size_t size) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  if (has_damage(&world->model))
    return world_fail(world, MSD_BAD_VALUE,
                      "a state does not include the damage of springs and constraints: use a snapshot");
  if (!buffer)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the state is NULL");
  header h;
  msd_result result = check_header(world, buffer, size, &h);
  if (result != MSD_OK)
    return result;
  const unsigned char *motion = (const unsigned char *)buffer + sizeof h;
  if (!is_header_sound(&h, &world->model) || !particle_motion_is_sound(&world->model.particles, motion))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the state has a number out of its range");
  memory *m = &world->model.memory;
  contents c = {0};
  result = read_contents(world, &c, &h, motion + particle_motion_size(h.particles) + pin_bytes(h.particles));
  if (result == MSD_OK)
    result = fix_layout(world, &h);
  if (result == MSD_OK) {
    take_particles(world, motion);
    take_places(&world->model, &c);
    mark_unplaced(&world->model, c.unplaced, h.unplaced);
    take_rest(world, &c);
    resume(world, &h, motion + particle_motion_size(h.particles));
  }
  forget(&c, m);
  return result;
}

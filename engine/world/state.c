/* The state of a world as bytes: what its steps change, for going back within one world. Layout: the header
   below, then positions and velocities, two bits for each particle that tell of pins, impulses of the last
   substep (if the next one begins with them), anchors, rotors and angular springs, colliders, tangles, what is
   known of which surfaces may meet, sleepers, and constraints that wait for a shape. Of what is read with its
   definition only what steps change is taken over. */

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"
#include "engine/base/real_bits.h"
#include "engine/stability/steps.h"
#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char MAGIC[8] = "MSDSTAT";

typedef struct header {
  char magic[8];
  uint64_t size;
  int32_t particles, anchors, rotors, angular_springs, colliders, surfaces;
  int32_t impulses, constraint_impulses, unplaced;
  int32_t tangles_known, tangled_pairs;
  /* Whether its layout stood, and the length of the list of changes where limits stood. */
  int32_t is_laid_out, changes;
  int64_t crossings, pinched, steps;
  /* Which items had been destroyed. */
  uint64_t gaps;
  double time, tuned_step;
  surface_habit habit;
  lookout_snapshot look;
  sleep_snapshot sleep;
  energy_snapshot account;
  /* Where the limits stood, and of what. */
  stability_standing limits;
  limits_origin limits_of;
} header;

/* Two bits each: whether a particle is pinned, and whether it is newly. */
enum { PIN_BITS = 2, PINS_IN_BYTE = CHAR_BIT / PIN_BITS, PINNED = 1, NEWLY_PINNED = 2 };

static size_t pin_bytes(int32_t particles) {
  return ((size_t)particles + PINS_IN_BYTE - 1) / PINS_IN_BYTE;
}

static int pin_of(const unsigned char *pins, int32_t particle) {
  return pins[particle / PINS_IN_BYTE] >> particle % PINS_IN_BYTE * PIN_BITS & (PINNED | NEWLY_PINNED);
}

static tangles_snapshot tangles_of(const header *h) {
  return (tangles_snapshot){h->tangled_pairs, h->crossings, h->pinched};
}

static uint64_t size_of(const header *h) {
  return sizeof *h + particle_motion_size(h->particles) + pin_bytes(h->particles) +
         ((uint64_t)h->impulses + (uint64_t)h->constraint_impulses) * sizeof(msd_real) +
         anchor_snapshot_size(h->anchors) + rotor_snapshot_size(h->rotors, h->angular_springs) +
         collider_snapshot_size(h->colliders) + tangles_snapshot_size(tangles_of(h)) +
         lookout_snapshot_size(h->look) + sleep_snapshot_size(h->sleep) +
         (uint64_t)h->unplaced * sizeof(int32_t);
}

static header header_of(const msd_world *world) {
  const world_model *model = &world->model;
  const tangles_snapshot t = tangles_snapshot_of(world);
  const bool keeps_impulses = model->impulse_warm_start;
  header h = {.particles = model->particles.count,
              .anchors = model->anchors.count,
              .rotors = model->rotors.count,
              .angular_springs = model->angular_springs.count,
              .colliders = model->colliders.count,
              .surfaces = model->surfaces.count,
              .impulses = keeps_impulses ? world->stepper.spring_given.count : 0,
              .constraint_impulses = keeps_impulses ? world->stepper.constraint_given.count : 0,
              .unplaced = model->constraints.unplaced,
              .tangles_known = tangles_are_known(world),
              .tangled_pairs = t.pairs,
              .crossings = t.crossings,
              .pinched = t.pinched,
              .is_laid_out = model->is_laid_out,
              .steps = world->steps,
              .gaps = model->gaps.mark,
              .time = world->time,
              .tuned_step = model->tuned_step,
              .habit = model->surfaces.habit,
              .look = lookout_snapshot_of(world),
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

/* Particles whose pins are looked at in one go, as most are free. */
enum { PINS_AT_ONCE = 64 };

static bool some_were_pinned(const unsigned char *pins, parallel_range some) {
  unsigned char any = 0;
  for (size_t k = (size_t)some.first / PINS_IN_BYTE; k < pin_bytes(some.last); k++)
    any |= pins[k];
  return any != 0;
}

/* The next particles of which some are pinned, or were by what a state says (NULL: that is not asked). Begins
   with {0, 0}. */
static bool next_pinned(const particle_store *p, const unsigned char *pins, parallel_range *some) {
  while (some->last < p->count) {
    *some = (parallel_range){some->last, int_min(some->last + PINS_AT_ONCE, p->count)};
    if (reals_have_zero(p->inverse_mass + some->first, (size_t)(some->last - some->first)) ||
        (pins && some_were_pinned(pins, *some)))
      return true;
  }
  return false;
}

/* Pins are new to limits that stand. */
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

static bool wears(const world_model *model) {
  return model->springs.wear || model->constraints.wear;
}

msd_result msd_world_save_state(const msd_world *world, void *buffer, size_t capacity, size_t *size) {
  if (!world || !size)
    return MSD_BAD_VALUE;
  if (!world_is_open(world))
    return MSD_BUSY;
  if (wears(&world->model))
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
  anchor_snapshot_put(&to, &world->model.anchors);
  rotor_snapshot_put(&to, &world->model.rotors, &world->model.angular_springs);
  collider_snapshot_put(&to, &world->model.colliders);
  tangles_snapshot_put(&to, tangles_of(&h), &world->stepper.tangles);
  lookout_snapshot_put(&to, h.look, &world->stepper.self.look);
  sleep_snapshot_put(&to, h.sleep, &world->model.sleep);
  put_unplaced(&to, &world->model.constraints);
  return MSD_OK;
}

/* ------------------------------------------------------------------------------------------------ restoring */

static msd_result check_header(msd_world *world, const unsigned char *bytes, size_t size, header *h) {
  if (size < sizeof *h || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
    return world_fail(world, MSD_BAD_SNAPSHOT, "these %zu bytes are no state of a world", size);
  memcpy(h, bytes, sizeof *h);
  if (h->size != size)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the state has %zu bytes and should have %llu: it was cut",
                      size, (unsigned long long)h->size);
  const header now = header_of(world);
  if (h->particles != now.particles || h->anchors != now.anchors || h->rotors != now.rotors ||
      h->angular_springs != now.angular_springs || h->colliders != now.colliders ||
      h->surfaces != now.surfaces)
    return world_fail(
        world, MSD_BAD_SNAPSHOT,
        "the state has %d particles, %d anchors, %d rotors, %d angular springs, %d colliders and %d "
        "surfaces; the world has %d, %d, %d, %d, %d and %d",
        (int)h->particles, (int)h->anchors, (int)h->rotors, (int)h->angular_springs, (int)h->colliders,
        (int)h->surfaces, (int)now.particles, (int)now.anchors, (int)now.rotors, (int)now.angular_springs,
        (int)now.colliders, (int)now.surfaces);
  if (h->gaps != now.gaps)
    return world_fail(world, MSD_BAD_SNAPSHOT,
                      "the state is of a world in which other items had been destroyed than in this one");
  return MSD_OK;
}

/* Bytes that somebody has changed must not do worse than give a strange state. */
static bool is_header_sound(const header *h, const world_model *model) {
  return (h->tangles_known == 0 || h->tangles_known == 1) && h->tangled_pairs >= 0 && h->crossings >= 0 &&
         h->pinched >= 0 && (h->is_laid_out == 0 || h->is_laid_out == 1) && h->changes >= 0 &&
         h->impulses >= 0 && h->impulses <= model->springs.count && h->constraint_impulses >= 0 &&
         h->constraint_impulses <= model->constraints.count && h->unplaced >= 0 &&
         h->unplaced <= model->constraints.count && h->steps >= 0 && h->steps <= SNAPSHOT_STEPS_MAX &&
         isfinite(h->time) && isfinite(h->tuned_step) && h->tuned_step >= 0 &&
         sleep_snapshot_counts_are_sound(h->sleep, h->particles) &&
         lookout_snapshot_counts_are_sound(h->look, h->surfaces > 0 ? h->particles : 0) &&
         h->habit.skin >= 0 && isfinite(h->habit.skin) && h->habit.substeps >= 0 &&
         isfinite(h->habit.bend[0]) && isfinite(h->habit.bend[1]) && isfinite(h->habit.bend[2]) &&
         energy_snapshot_is_sound(&h->account) && stability_standing_is_sound(&h->limits) &&
         h->size == size_of(h);
}

/* What is read beside positions and velocities, until all of it has been checked. */
typedef struct contents {
  anchor_store anchors;
  rotor_store rotors;
  angular_spring_store angular_springs;
  collider_store colliders;
  tangles tangles;
  lookout look;
  sleep_store sleep;
  given_impulses springs, constraints;
  int32_t *unplaced;
} contents;

static void forget(contents *c, memory *m) {
  anchor_store_free(&c->anchors, m);
  rotor_store_free(&c->rotors, m);
  angular_spring_store_free(&c->angular_springs, m);
  collider_store_free(&c->colliders, m);
  tangles_free(&c->tangles, m);
  lookout_free(&c->look, m);
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

/* Constraints of the world. */
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
      !growth_reserve(&angular_spring_growth, &c->angular_springs, m, h->angular_springs) ||
      !growth_reserve(&collider_growth, &c->colliders, m, h->colliders) ||
      !growth_reserve(&tangled_pair_growth, &c->tangles, m, h->tangled_pairs) ||
      !lookout_snapshot_reserve(&c->look, m, h->look, &world->model.particles, h->particles) ||
      (h->sleep.particles > 0 && !sleep_reserve(&c->sleep, m, h->sleep.particles, h->sleep.pieces)))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for a state of %d particles", (int)h->particles);
  const bool impulses_are_sound = get_impulses(&c->springs, h->impulses, &from);
  if (!get_impulses(&c->constraints, h->constraint_impulses, &from) || !impulses_are_sound)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the state has an impulse that is not finite");
  const msd_result result =
      anchor_snapshot_get(world, &c->anchors, &world->model.particles, h->anchors, &from);
  if (result != MSD_OK)
    return result;
  if (!rotor_snapshot_get(&c->rotors, h->rotors, &c->angular_springs, h->angular_springs, &from) ||
      !collider_snapshot_get(&c->colliders, h->colliders, &from) ||
      !tangles_snapshot_get(&c->tangles, tangles_of(h), &world->model.surfaces, &from) ||
      !lookout_snapshot_get(&c->look, h->look, &from) || !sleep_snapshot_get(&c->sleep, h->sleep, &from) ||
      !get_unplaced(c->unplaced, h->unplaced, world->model.constraints.count, &from))
    return world_fail(
        world, MSD_BAD_SNAPSHOT,
        "the state has a rotor, collider, tangle, forecast, sleeper or waiting constraint out of its range");
  return MSD_OK;
}

/* Anchors, rotors and colliders stay what they are, and go where they were. */
static void take_places(world_model *model, const contents *c) {
  for (int32_t i = 0; i < model->anchors.count; i++) {
    anchor_entry *to = &model->anchors.entries[i];
    const anchor_entry *from = &c->anchors.entries[i];
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
  for (int32_t i = 0; i < model->angular_springs.count; i++)
    model->angular_springs.given[i] = c->angular_springs.given[i];
  model->springs.moves.count = 0;
  for (int32_t i = 0; i < model->colliders.count; i++) {
    model->colliders.entries[i].pose = c->colliders.entries[i].pose;
    model->colliders.entries[i].moves = false;
  }
}

static void take_pins(msd_world *world, const unsigned char *pins) {
  const particle_store *p = &world->model.particles;
  for (parallel_range some = {0, 0}; next_pinned(p, pins, &some);)
    for (int32_t i = some.first; i < some.last; i++)
      if ((pin_of(pins, i) & PINNED) != (p->inverse_mass[i] == 0))
        world_set_pinned(world, i, pin_of(pins, i) & PINNED);
}

/* Pins first, as a particle that is pinned loses its velocity. */
static void take_particles(msd_world *world, const unsigned char *from) {
  particle_store *p = &world->model.particles;
  take_pins(world, from + particle_motion_size(p->count));
  particle_call_all_back(p);
  particle_clear_forces(p);
  particle_motion_get(p, &from);
}

/* What waited for its particles to part waits again. */
static void wait_for_shapes(world_model *model, const int32_t *unplaced, int32_t count) {
  const int32_t before = model->constraints.unplaced;
  for (int32_t n = 0; n < count; n++)
    constraint_wait_for_shape(&model->constraints, unplaced[n]);
  if (model->constraints.unplaced > before)
    model_note_placements(model);
}

/* What is taken over whole is forgotten in `c`. */
static void take_rest(msd_world *world, contents *c) {
  if (world->model.impulse_warm_start) {
    stepper_forget_impulses(&world->stepper);
    world->stepper.spring_given = c->springs;
    world->stepper.constraint_given = c->constraints;
    c->springs = c->constraints = (given_impulses){0};
  }
  stepper_take_tangles(&world->stepper, &c->tangles);
  c->tangles = (tangles){0};
  stepper_take_look(&world->stepper, &c->look);
  c->look = (lookout){.has_list = false};
  if (sleep_is_on(&world->model.sleep)) {
    sleep_replace(&world->model.sleep, &world->model.memory, &c->sleep);
    c->sleep = (sleep_store){0};
  }
  world->stepper.sleep.pieces_for = (revision){0};
}

/* Limits as they stood, and which pins are newer than they. */
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

/* Where something else limits steps than did then, that is found anew. */
static void resume(msd_world *world, const header *h, const unsigned char *pins) {
  revision *now = &world->model.revision;
  now->state++;
  now->positions++;
  if (h->tangles_known)
    world->stepper.tangles.found_for = revision_of_tangles(now);
  lookout_snapshot_resume(world, h->look);
  const limits_origin origin = world_limits_origin(world);
  if (h->limits_of.world == origin.world && revision_holds(&h->limits_of.revision, origin.revision) &&
      h->unplaced == world->model.constraints.unplaced)
    take_limits(world, h, pins);
  change_list_resume(&world->model.changes, now->definitions, h->changes);
  energy_snapshot_resume(world, &h->account);
  world->time = h->time;
  world->steps = h->steps;
  world->model.tuned_step = h->tuned_step;
  world->model.surfaces.habit = h->habit;
}

/* The layout follows from where the first step begins: it is made before a world that has taken none leaves it
   for a state of one that has. */
static msd_result lay_out(msd_world *world, const header *h) {
  if (!h->is_laid_out || world->model.is_laid_out)
    return MSD_OK;
  const msd_result result = stepper_prepare_network(&world->stepper);
  world->model.is_laid_out = result == MSD_OK;
  return result;
}

msd_result msd_world_restore_state(msd_world *world, const void *buffer, size_t size) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  if (wears(&world->model))
    return world_fail(
        world, MSD_BAD_VALUE,
        "springs or constraints of the world wear, and states do not have that: take snapshots");
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
    result = lay_out(world, &h);
  if (result == MSD_OK) {
    take_particles(world, motion);
    take_places(&world->model, &c);
    wait_for_shapes(&world->model, c.unplaced, h.unplaced);
    take_rest(world, &c);
    resume(world, &h, motion + particle_motion_size(h.particles));
  }
  forget(&c, m);
  return result;
}

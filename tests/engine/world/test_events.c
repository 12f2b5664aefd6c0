/* msd/callbacks.h: what a step calls, when, in which order, and what may be called back. */
#include "tests/support/scarce_memory.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

static const double FRAME = 1.0 / 60;

/* ---------------------------------------------------------------------------------------------- moments */

enum { BEFORE_STEP, BEFORE_SUBSTEP, AFTER_SUBSTEP, AFTER_STEP, ASKED, EVENTS_MAX = 400 };

typedef struct event {
  int kind;
  msd_substep_info moment;
  /* Of particle 0, where it then was. */
  msd_real x;
} event;

typedef struct diary {
  event events[EVENTS_MAX];
  int count;
  /* The question that is answered with yes; below 0: none. */
  int stop_at, questions;
} diary;

static void note(diary *d, int kind, const msd_world *world, const msd_substep_info *moment) {
  cr_assert_lt(d->count, EVENTS_MAX);
  d->events[d->count++] = (event){.kind = kind,
                                  .moment = moment ? *moment : (msd_substep_info){0},
                                  .x = world ? msd_particle_get_position(world, 0).x : 0};
}

static void before_step(const msd_world *world, const msd_substep_info *moment, void *d) {
  note(d, BEFORE_STEP, world, moment);
}

static void after_step(const msd_world *world, const msd_substep_info *moment, void *d) {
  note(d, AFTER_STEP, world, moment);
}

static void before_substep(const msd_world *world, const msd_substep_info *moment, void *d) {
  note(d, BEFORE_SUBSTEP, world, moment);
}

static void after_substep(const msd_world *world, const msd_substep_info *moment, void *d) {
  note(d, AFTER_SUBSTEP, world, moment);
}

static bool stop(void *context) {
  diary *d = context;
  note(d, ASKED, NULL, NULL);
  return d->questions++ == d->stop_at;
}

static msd_callbacks all_moments(diary *d) {
  return (msd_callbacks){.stop = stop,
                         .before_step = before_step,
                         .after_step = after_step,
                         .before_substep = before_substep,
                         .after_substep = after_substep,
                         .context = d};
}

/* A mass that goes along x at 1 m/s. */
static msd_world *new_traveler(diary *d) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  set_velocity(world, 0, 1, 0, 0);
  *d = (diary){.stop_at = -1};
  const msd_callbacks callbacks = all_moments(d);
  ok(world, msd_world_set_callbacks(world, &callbacks));
  return world;
}

static void expect_event(const diary *d, int *at, int kind, int done, double time, msd_result result) {
  const event *e = &d->events[*at];
  cr_assert_lt(*at, d->count);
  cr_expect_eq(e->kind, kind, "event %d", *at);
  if (kind != ASKED) {
    cr_expect(e->moment.done == done && e->moment.result == result, "event %d: %d done, %s", *at,
              e->moment.done, msd_result_string(e->moment.result));
    cr_expect_float_eq(e->moment.time, time, 1e-12, "event %d", *at);
    cr_expect_float_eq((double)e->x, time, 1e-6, "event %d: the world is where it then is", *at);
  }
  ++*at;
}

Test(callbacks, moments_come_in_their_order_with_the_state_that_there_is) {
  diary d;
  msd_world *world = new_traveler(&d);
  int at = 0;
  for (int step = 0; step < 2; step++) {
    ok(world, msd_world_step(world, (msd_real)0.75, 3));
    const double begin = 0.75 * step;
    expect_event(&d, &at, BEFORE_STEP, 0, begin, MSD_OK);
    for (int n = 0; n < 3; n++) {
      expect_event(&d, &at, ASKED, 0, 0, MSD_OK);
      expect_event(&d, &at, BEFORE_SUBSTEP, n, begin + 0.25 * n, MSD_OK);
      expect_event(&d, &at, AFTER_SUBSTEP, n + 1, begin + 0.25 * (n + 1), MSD_OK);
    }
    expect_event(&d, &at, AFTER_STEP, 3, begin + 0.75, MSD_OK);
  }
  cr_expect_eq(at, d.count);
  msd_destroy_world(world);
}

Test(callbacks, a_step_that_is_refused_calls_nothing) {
  diary d;
  msd_world *world = new_traveler(&d);
  cr_expect_eq(msd_world_step(world, -1, 3), MSD_BAD_FRAME_TIME);
  cr_expect_eq(d.count, 0);
  ok(world, msd_world_set_callbacks(world, NULL));
  ok(world, msd_world_step(world, 1, 3));
  cr_expect_eq(d.count, 0);
  msd_destroy_world(world);
}

Test(callbacks, a_step_can_be_stopped_before_each_of_its_substeps) {
  for (int stop_at = 0; stop_at < 4; stop_at++) {
    diary d;
    msd_world *world = new_traveler(&d);
    d.stop_at = stop_at;
    cr_expect_eq(msd_world_step(world, 1, 4), MSD_CANCELED);
    int at = 0;
    expect_event(&d, &at, BEFORE_STEP, 0, 0, MSD_OK);
    at += 3 * stop_at;
    expect_event(&d, &at, ASKED, 0, 0, MSD_OK);
    expect_event(&d, &at, AFTER_STEP, stop_at, 0.25 * stop_at, MSD_CANCELED);
    cr_expect_eq(at, d.count);
    cr_expect_eq(msd_world_get_steps(world), stop_at);
    msd_destroy_world(world);
  }
}

Test(callbacks, of_a_substep_that_diverges_only_the_beginning_is_told) {
  diary d;
  msd_world *world = new_traveler(&d);
  const msd_real most = IS_DOUBLE ? (msd_real)DBL_MAX : (msd_real)FLT_MAX;
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, most / 2, 0}));
  cr_expect_eq(msd_world_step(world, 8, 8), MSD_DIVERGED);
  const event *last = &d.events[d.count - 1], *before = last - 1;
  cr_expect(last->kind == AFTER_STEP && last->moment.result == MSD_DIVERGED);
  cr_expect(before->kind == BEFORE_SUBSTEP && before->moment.done == last->moment.done);
  msd_destroy_world(world);
}

/* ----------------------------------------------------------------------------------- what tears and touches */

/* Who touches whom after what has been told, and the order in which it was. */
enum { PARTICLES_MAX = 400, COLLIDERS_MAX = 3, SURFACES_MAX = 3 };

typedef struct witness {
  bool on_collider[PARTICLES_MAX][COLLIDERS_MAX], on_surface[SURFACES_MAX][SURFACES_MAX];
  int begun, ended, torn;
  int32_t last_torn;
  /* Of all that was told. */
  uint64_t hash;
} witness;

static void take_note(witness *w, const msd_contact_event *touch, bool begins) {
  bool *touches = touch->collider >= 0 ? &w->on_collider[touch->particle][touch->collider]
                                       : &w->on_surface[touch->mesh_a][touch->mesh_b];
  cr_assert((touch->collider >= 0) == (touch->particle >= 0) &&
            (touch->collider < 0) == (touch->mesh_a >= 0));
  cr_assert_leq(touch->mesh_a, touch->mesh_b);
  cr_assert_neq(*touches, begins, "what begins did not touch, and what ends did");
  *touches = begins;
  *(begins ? &w->begun : &w->ended) += 1;
  const int32_t told[] = {begins, touch->particle, touch->collider, touch->mesh_a, touch->mesh_b};
  for (int n = 0; n < 5; n++)
    w->hash = (w->hash ^ (uint32_t)told[n]) * 0x100000001b3u;
}

static void begin(const msd_world *world, const msd_contact_event *touch, void *w) {
  (void)world;
  take_note(w, touch, true);
}

static void end(const msd_world *world, const msd_contact_event *touch, void *w) {
  (void)world;
  take_note(w, touch, false);
}

static void torn(const msd_world *world, int32_t spring, void *context) {
  witness *w = context;
  cr_expect(msd_spring_is_torn(world, spring));
  cr_expect_gt(spring, w->last_torn, "in their order");
  w->last_torn = spring;
  w->torn++;
}

static void watch(msd_world *world, witness *w) {
  *w = (witness){.last_torn = -1};
  const msd_callbacks callbacks = {
      .spring_torn = torn, .contact_begin = begin, .contact_end = end, .context = w};
  ok(world, msd_world_set_callbacks(world, &callbacks));
}

/* The events of the past add up to what there now is. */
static void expect_known(const msd_world *world, const witness *w, int frame) {
  static msd_collider_contact contacts[PARTICLES_MAX];
  static msd_mesh_contact pairs[4000];
  static witness now;
  now = (witness){.last_torn = -1};
  const int32_t count = msd_world_get_collider_contacts(world, contacts, PARTICLES_MAX);
  for (int32_t n = 0; n < count; n++)
    now.on_collider[contacts[n].particle][contacts[n].collider] |= contacts[n].is_touching;
  const int32_t pair_count = msd_world_get_mesh_contacts(world, pairs, 4000);
  cr_assert_leq(pair_count, 4000);
  for (int32_t n = 0; n < pair_count; n++) {
    const int32_t a = pairs[n].mesh_a, b = pairs[n].mesh_b;
    now.on_surface[a < b ? a : b][a < b ? b : a] |= pairs[n].is_touching;
  }
  cr_assert_eq(memcmp(now.on_collider, w->on_collider, sizeof now.on_collider), 0, "frame %d", frame);
  cr_assert_eq(memcmp(now.on_surface, w->on_surface, sizeof now.on_surface), 0, "frame %d", frame);
}

/* A sheet and a rope that fall onto a floor, each other and themselves. */
static touching new_heap(void) {
  touching t = contact_step_new((msd_vec3){0, (msd_real)-9.81, 0}, 0.3, 0.25);
  add_collider(t.world, plane_of(vector(0, 1, 0)));
  touching_sheet(&t, 9, 11, vector(0, 0.02, 0), vector(0.4, 0, 0), vector(0.02, 0.4, 0.01), true);
  const int32_t rope = touching_rope(&t, 15, vector(0, 0.1, 0.1), vector(0.4, 0.15, 0.1));
  throw_all(t.world, rope, 15, vector(0, 0, -2));
  return t;
}

Test(callbacks, what_begins_and_ends_to_touch_adds_up_to_what_touches) {
  touching t = new_heap();
  static witness w;
  watch(t.world, &w);
  for (int frame = 0; frame < 60; frame++) {
    ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 6));
    expect_known(t.world, &w, frame);
  }
  cr_expect(w.begun > 100 && w.ended > 20, "%d begun, %d ended", w.begun, w.ended);
  cr_expect(w.on_surface[0][0] || w.on_surface[0][1]);
  contact_step_free(&t);
}

Test(callbacks, what_is_told_is_the_same_on_any_number_of_threads) {
  static witness w;
  uint64_t expected = 0, bits = 0;
  for (int threads = 1; threads <= 3; threads++) {
    touching t = new_heap();
    watch(t.world, &w);
    ok(t.world, msd_world_set_thread_count(t.world, threads));
    for (int frame = 0; frame < 30; frame++)
      ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 6));
    expected = threads == 1 ? w.hash : expected;
    bits = threads == 1 ? msd_world_hash(t.world) : bits;
    cr_expect(w.hash == expected && msd_world_hash(t.world) == bits, "%d threads", threads);
    contact_step_free(&t);
  }
}

static msd_callbacks everything(diary *d) {
  msd_callbacks callbacks = all_moments(d);
  callbacks.stop = NULL;
  return callbacks;
}

Test(callbacks, functions_that_are_called_change_no_bit) {
  touching plain = new_heap(), watched = new_heap();
  for (int frame = 0; frame < 20; frame++) {
    static diary d;
    d = (diary){.stop_at = -1};
    const msd_callbacks callbacks = everything(&d);
    ok(watched.world, msd_world_set_callbacks(watched.world, &callbacks));
    ok(plain.world, msd_world_step(plain.world, (msd_real)FRAME, 40));
    ok(watched.world, msd_world_step(watched.world, (msd_real)FRAME, 40));
    cr_assert_eq(d.count, 82);
    cr_assert_eq(msd_world_hash(plain.world), msd_world_hash(watched.world), "frame %d", frame);
  }
  contact_step_free(&plain);
  contact_step_free(&watched);
}

Test(callbacks, what_was_told_goes_on_over_a_restored_snapshot_and_begins_anew_with_other_functions) {
  touching t = new_heap();
  static witness w;
  watch(t.world, &w);
  for (int frame = 0; frame < 20; frame++)
    ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 6));
  snapshot s = snapshot_of(t.world);
  for (int frame = 20; frame < 30; frame++)
    ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 6));
  ok(t.world, msd_world_restore(t.world, s.data, s.size));
  ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 6));
  expect_known(t.world, &w, 21);
  watch(t.world, &w);
  ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 6));
  expect_known(t.world, &w, 22);
  cr_expect(w.begun > w.ended); /* some begin and end within the frame */
  free(s.data);
  contact_step_free(&t);
}

/* A mass falls to the floor, and there is memory for all but that. */
Test(callbacks, what_there_was_no_memory_for_is_told_by_the_next_step) {
  scarce s = {.left = 1000};
  msd_world_def def = msd_default_world_def();
  def.allocator = scarce_allocator(&s);
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  add_particle(world, 1, 0, 1, 0);
  add_collider(world, plane_of(vector(0, 1, 0)));
  static witness w;
  watch(world, &w);
  ok(world, msd_world_step(world, (msd_real)FRAME, 2));
  s.left = 0;
  msd_result result = MSD_OK;
  int steps = 1;
  for (; result == MSD_OK && steps < 60; steps++)
    result = msd_world_step(world, (msd_real)FRAME, 2);
  cr_expect_eq(result, MSD_OUT_OF_MEMORY);
  cr_expect_not_null(strstr(msd_world_message(world), "the contact events"));
  cr_expect_eq(msd_world_get_steps(world), 2 * steps, "the step is complete");
  cr_expect_eq(w.begun, 0);
  s.left = 1000;
  ok(world, msd_world_step(world, (msd_real)FRAME, 2));
  cr_expect(w.begun == 1 && w.on_collider[0][0]);
  msd_destroy_world(world);
  cr_expect_eq(s.in_use, 0);
}

/* Springs of 1 m between pins, of which every third is pulled to twice its length and may be torn at less. */
Test(callbacks, each_spring_that_tears_is_told_once) {
  enum { SPRINGS = 12 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.5;
  for (int32_t n = 0; n < SPRINGS; n++) {
    add_pin(world, 0, n, 0);
    add_pin(world, n % 3 == 0 ? 2 : 1, n, 0);
    add_spring(world, physical(1, 0), 2 * n, 2 * n + 1, 1);
  }
  ok(world, msd_springs_set_damage(world, (msd_range){0, SPRINGS}, &damage));
  static witness w;
  watch(world, &w);
  ok(world, msd_spring_break(world, 3));
  for (int step = 0; step < 3; step++)
    ok(world, msd_world_step(world, 1, 2));
  cr_expect_eq(w.torn, SPRINGS / 3 - 1, "one was broken by hand");
  cr_expect_eq(msd_world_get_stats(world).torn, w.torn);
  msd_destroy_world(world);
}

/* Lists of pairs, and what is near, go on from step to step: with the same bits as through any snapshot, and
   only where nothing but substeps has moved what they are of. */
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include "engine/world/world.h"

#include <math.h>

static const msd_vec3 DOWN = {0, (msd_real)-9.81, 0}, NOWHERE = {0, 0, 0};

/* s, of few substeps: lists are for eight at least. */
static const double STEP = 1.0 / 480;
enum { SUBSTEPS = 2 };

static void take_step(msd_world *world) {
  step(world, STEP, SUBSTEPS);
}

static void take_steps(msd_world *world, int count) {
  for (int n = 0; n < count; n++)
    take_step(world);
}

static const contact_cache *look_of(const msd_world *world) {
  return &world->stepper.self.cache;
}

/* A sheet that falls on its edge, and folds onto itself. */
static touching crumpling(void) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  add_collider(t.world, plane_of(vector(0, 1, 0)));
  const int32_t first =
      touching_sheet(&t, 16, 16, vector(0, 0.02, 0), vector(0.4, 0, 0), vector(0.02, 0.4, 0.01), true);
  generator random = {.state = 3};
  for (int32_t i = first; i < first + 256; i++)
    ok(t.world, msd_particle_set_velocity(t.world, i, random_place(&random, 0.2)));
  return t;
}

/* A sheet that goes slowly over another one, which lies on the ground. */
static touching lying(void) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  add_collider(t.world, plane_of(vector(0, 1, 0)));
  touching_sheet(&t, 12, 12, vector(0, 0.003, 0), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  const int32_t upper =
      touching_sheet(&t, 12, 12, vector(0.003, 0.009, 0.004), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  throw_all(t.world, upper, 144, vector(0.05, 0, 0.02));
  return t;
}

/* ---------------------------------------------------------------------------- the same bits from anywhere */

/* Frames of a world that steps on, and how many of them there were where the list had lasted for longer than
   a step; had been mended; and what is near had been. */
enum { FRAMES_MOST = 400, AHEAD = 3 };

typedef struct course {
  uint64_t hash[FRAMES_MOST + AHEAD];
  int lasted, mended, near_mended;
  /* Of a list. */
  int32_t most_mends;
} course;

static course follow(touching t, int frames) {
  course c = {.lasted = 0};
  for (int n = 0; n < frames + AHEAD; n++) {
    take_step(t.world);
    c.hash[n] = msd_world_hash(t.world);
    c.lasted += look_of(t.world)->list.age > 1.01 * STEP && look_of(t.world)->list.holds;
    c.mended += look_of(t.world)->of_list > 0;
    c.near_mended += look_of(t.world)->of_active > 0;
    c.most_mends = look_of(t.world)->of_list > c.most_mends ? look_of(t.world)->of_list : c.most_mends;
  }
  contact_step_free(&t);
  return c;
}

static void expect_course(const course *c, msd_world *world, int frame, const char *how) {
  for (int n = 1; n <= AHEAD; n++) {
    take_step(world);
    cr_assert_eq(msd_world_hash(world), c->hash[frame + n], "%s behind frame %d: step %d", how, frame, n);
  }
}

static void expect_from_a_snapshot(const course *c, const msd_world *world, int frame) {
  const snapshot s = snapshot_of(world);
  msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
  ok(other, msd_world_restore(other, s.data, s.size));
  const snapshot again = snapshot_of(other);
  cr_assert(again.size == s.size && memcmp(again.data, s.data, s.size) == 0, "frame %d", frame);
  expect_course(c, other, frame, "a snapshot");
  free(s.data);
  free(again.data);
  msd_destroy_world(other);
}

/* Of a copy, which goes on itself first, and then again from its state. */
static void expect_from_a_copy_and_its_state(const course *c, const msd_world *world, int frame) {
  msd_world *copy = NULL;
  ok(world, msd_copy_world(world, &copy));
  const snapshot s = saved_state_of(copy);
  expect_course(c, copy, frame, "a copy");
  ok(copy, msd_world_restore_state(copy, s.data, s.size));
  const snapshot again = saved_state_of(copy);
  cr_assert(again.size == s.size && memcmp(again.data, s.data, s.size) == 0, "frame %d", frame);
  expect_course(c, copy, frame, "a state");
  free(s.data);
  free(again.data);
  msd_destroy_world(copy);
}

/* Behind each frame from the first on. */
static course expect_same_from_all(touching make(void), int first, int frames) {
  const course c = follow(make(), frames);
  touching t = make();
  for (int frame = 0; frame < frames; frame++) {
    take_step(t.world);
    cr_assert_eq(msd_world_hash(t.world), c.hash[frame]);
    if (frame < first)
      continue;
    expect_from_a_snapshot(&c, t.world, frame);
    expect_from_a_copy_and_its_state(&c, t.world, frame);
  }
  contact_step_free(&t);
  return c;
}

Test(touching, what_crumples_goes_on_with_the_same_bits_from_any_frame) {
  const int frames = 150 + share_of(110);
  const course c = expect_same_from_all(crumpling, 150, frames);
  cr_expect(c.lasted > frames / 4 && c.mended > frames / 8 && c.near_mended > frames / 4, "%d, %d, %d of %d",
            c.lasted, c.mended, c.near_mended, frames);
  cr_expect_lt(c.most_mends, 32, "where an eighth has left a list another one is due");
}

Test(touching, what_lies_and_hardly_moves_goes_on_with_the_same_bits_from_any_frame) {
  const int frames = 20 + share_of(60);
  const course c = expect_same_from_all(lying, 20, frames);
  cr_expect(c.lasted > frames / 2 && c.near_mended > 0, "%d, %d, %d of %d", c.lasted, c.mended, c.near_mended,
            frames);
}

/* What has been mended since is the same, and so is the snapshot of both. */
Test(touching, snapshots_of_what_went_on_and_of_what_was_restored_are_the_same) {
  touching t = crumpling();
  int mended = 0;
  take_steps(t.world, 120);
  for (int frame = 0; frame < share_of(100); frame++) {
    take_step(t.world);
    msd_world *copy = NULL;
    ok(t.world, msd_copy_world(t.world, &copy));
    take_step(t.world);
    take_step(copy);
    const snapshot one = snapshot_of(t.world), other = snapshot_of(copy);
    cr_assert_eq(one.size, other.size, "frame %d", frame);
    cr_assert_eq(memcmp(one.data, other.data, one.size), 0, "frame %d", frame);
    mended += look_of(copy)->count > 0;
    free(one.data);
    free(other.data);
    msd_destroy_world(copy);
  }
  cr_expect_gt(mended, in_part ? 1 : 20);
  contact_step_free(&t);
}

/* One more every few steps, for which all is reserved anew. */
Test(touching, more_threads_between_steps_list_again_what_there_is) {
  enum { THREADS = 4, EACH = 45 };
  touching (*const scenes[])(void) = {crumpling, lying};
  for (int scene = 0; scene < 2; scene++) {
    const course c = follow(scenes[scene](), THREADS * EACH);
    touching t = scenes[scene]();
    int went_on = 0;
    for (int frame = 0; frame < THREADS * EACH; frame++) {
      ok(t.world, msd_world_set_thread_count(t.world, 1 + frame / EACH));
      const int had = t.world->stepper.self.threads;
      take_step(t.world);
      cr_assert_eq(msd_world_hash(t.world), c.hash[frame], "frame %d", frame);
      went_on += t.world->stepper.self.threads > had && t.world->stepper.self.goes_on;
    }
    cr_expect_eq(went_on, THREADS - 1, "lists were made again");
    contact_step_free(&t);
  }
}

/* ------------------------------------------------------------------------------------------- what forgets */

typedef struct edited {
  touching t;
  /* s: of the list and of the watch before the step. */
  double list_age, active_age;
} edited;

/* A world whose next step of one substep goes on with list and choice. */
static edited begin_edited(void) {
  const double one = STEP / SUBSTEPS;
  edited e = {.t = lying()};
  take_steps(e.t.world, 3);
  for (int n = 0; n < 200; n++) {
    step(e.t.world, one, 1);
    const contact_cache *l = look_of(e.t.world);
    e.list_age = l->list.age;
    e.active_age = l->active_bound.age;
    if (l->list.horizon - l->list.age > 1.5 * one &&
        l->active_bound.horizon - l->active_bound.age > 1.5 * one && l->active_bound.age > 2.5 * one)
      return e;
  }
  cr_assert_fail("no list lasts");
  return e;
}

static void expect_step(edited *e, bool goes_on, bool with_choice, const char *name) {
  const double one = STEP / SUBSTEPS;
  step(e->t.world, one, 1);
  const self_contact *c = &e->t.world->stepper.self;
  cr_assert_eq(c->goes_on, goes_on, "%s", name);
  cr_assert_float_eq(c->cache.list.age, (goes_on ? e->list_age : 0) + one, 1e-9, "%s", name);
  cr_assert_float_eq(c->cache.active_bound.age, (with_choice ? e->active_age : 0) + one, 1e-9, "%s", name);
  contact_step_free(&e->t);
}

Test(touching, where_nothing_is_changed_list_and_choice_go_on) {
  edited e = begin_edited();
  expect_step(&e, true, true, "nothing");
  e = begin_edited();
  ok(e.t.world, msd_world_set_gravity(e.t.world, vector(0, -9, 0)));
  expect_step(&e, true, true, "gravity");
  e = begin_edited();
  ok(e.t.world, msd_particle_apply_force(e.t.world, 3, vector(0, 0, 1e-6)));
  expect_step(&e, true, true, "a force");
}

static void place(msd_world *world) {
  ok(world, msd_particle_set_position(world, 7, msd_particle_get_position(world, 7)));
}

static void hurl(msd_world *world) {
  ok(world, msd_particle_set_velocity(world, 7, msd_particle_get_velocity(world, 7)));
}

static void ignore(msd_world *world) {
  ok(world, msd_collision_mesh_exclude(world, 0, 0));
}

static void add_triangle(msd_world *world) {
  touching more = {.world = world};
  touching_triangle(&more, 0.01, vector(5, 1, 0), vector(5.1, 1, 0), vector(5, 1, 0.1));
  free(more.triangles);
}

static void add_surface(msd_world *world) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.segments = (const int32_t[]){0, 150};
  def.segment_count = 1;
  ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
}

static void destroy_surface(msd_world *world) {
  ok(world, msd_destroy_objects(world, MSD_OBJECT_COLLISION_MESH, (const int32_t[]){0}, 1));
}

static void add_ball(msd_world *world) {
  msd_collider_def ball = sphere_of(0.1);
  ball.position = vector(9, 0, 0);
  add_collider(world, ball);
}

static void thicken(msd_world *world) {
  set_contact(world, 0.0055, 0.3, 0);
}

static void restore_itself(msd_world *world) {
  const snapshot s = saved_state_of(world);
  ok(world, msd_world_restore_state(world, s.data, s.size));
  free(s.data);
}

static const struct {
  void (*edit)(msd_world *world);
  const char *name;
} edits[] = {{place, "a position"},        {hurl, "a velocity"},       {ignore, "who ignores whom"},
             {add_triangle, "a particle"}, {add_surface, "a surface"}, {destroy_surface, "one surface less"},
             {add_ball, "a collider"},     {thicken, "the thickness"}};

Test(touching, whatever_moves_particles_or_changes_surfaces_or_colliders_forgets_the_list) {
  for (size_t n = 0; n < sizeof edits / sizeof *edits; n++) {
    edited e = begin_edited();
    edits[n].edit(e.t.world);
    expect_step(&e, false, false, edits[n].name);
  }
}

static void pin(msd_world *world) {
  ok(world, msd_particle_pin(world, 20));
}

static void weigh(msd_world *world) {
  ok(world, msd_particle_set_mass(world, 20, 2 * msd_particle_get_mass(world, 20)));
}

Test(touching, pins_and_masses_forget_only_what_is_near) {
  edited e = begin_edited();
  pin(e.t.world);
  expect_step(&e, true, false, "a pin");
  e = begin_edited();
  weigh(e.t.world);
  expect_step(&e, true, false, "a mass");
}

Test(touching, a_state_gives_back_what_an_edit_has_forgotten) {
  edited e = begin_edited();
  const snapshot s = saved_state_of(e.t.world);
  place(e.t.world);
  ok(e.t.world, msd_world_restore_state(e.t.world, s.data, s.size));
  free(s.data);
  expect_step(&e, true, true, "a state");
  e = begin_edited();
  restore_itself(e.t.world);
  expect_step(&e, true, true, "its own state");
}

static void join(msd_world *world) {
  add_spring(world, coefficient(0.1, 0.1), 3, 40, 0.05);
}

static void part(msd_world *world) {
  ok(world, msd_destroy_objects(world, MSD_OBJECT_SPRING, (const int32_t[]){5}, 1));
}

static void hold(msd_world *world) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = 30;
  def.position = msd_particle_get_position(world, 30);
  def.stiffness = 1;
  ok(world, msd_add_soft_pins(world, &def, 1, NULL));
}

/* And of what an edit has forgotten a snapshot knows nothing, so that both go on alike. */
Test(touching, a_snapshot_behind_an_edit_goes_on_as_the_world_that_was_edited) {
  void (*const all[])(msd_world * world) = {
      place, ignore, add_surface, destroy_surface, add_ball, thicken, pin, weigh, join, part, hold};
  for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
    edited e = begin_edited();
    all[n](e.t.world);
    const snapshot s = snapshot_of(e.t.world);
    msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
    ok(other, msd_world_restore(other, s.data, s.size));
    for (int frame = 0; frame < 12; frame++) {
      take_step(e.t.world);
      take_step(other);
      cr_assert_eq(msd_world_hash(e.t.world), msd_world_hash(other), "edit %d, frame %d", (int)n, frame);
    }
    free(s.data);
    msd_destroy_world(other);
    contact_step_free(&e.t);
  }
}

/* Of a state that is of other surfaces and another thickness than the world has now, nothing but places is
   used. */
Test(touching, a_state_of_before_an_edit_lists_what_there_is_now) {
  for (int way = 0; way < 2; way++) {
    touching t = lying();
    take_steps(t.world, 40);
    cr_assert_gt(look_of(t.world)->list.age, STEP);
    const snapshot s = saved_state_of(t.world);
    if (way == 0) {
      for (int32_t surface = 0; surface < 2; surface++)
        ok(t.world, msd_collision_mesh_exclude(t.world, 0, surface));
      ok(t.world, msd_collision_mesh_exclude(t.world, 1, 1));
    } else
      set_contact(t.world, 0.008, 0.3, 0);
    ok(t.world, msd_world_restore_state(t.world, s.data, s.size));
    take_steps(t.world, 20);
    cr_assert_eq(msd_world_get_mesh_contacts(t.world, NULL, 0) > 0, way == 1, "%d", way);
    cr_assert(way == 0 || touching_intersections(&t) == 0);
    free(s.data);
    contact_step_free(&t);
  }
}

/* ----------------------------------------------------------------------------- steps that come to nothing */

Test(touching, a_step_that_has_failed_in_its_first_substep_forgets_nothing) {
  edited e = begin_edited();
  ok(e.t.world, msd_particle_apply_force(e.t.world, 3, vector(3e38, 0, 0)));
  cr_assert_eq(msd_world_step(e.t.world, (msd_real)STEP, 1), MSD_DIVERGED);
  const snapshot s = snapshot_of(e.t.world);
  msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
  ok(other, msd_world_restore(other, s.data, s.size));
  for (int frame = 0; frame < 8; frame++) {
    take_step(e.t.world);
    take_step(other);
    cr_assert(e.t.world->stepper.self.goes_on, "frame %d", frame);
    cr_assert_eq(msd_world_hash(e.t.world), msd_world_hash(other), "frame %d", frame);
  }
  free(s.data);
  msd_destroy_world(other);
  contact_step_free(&e.t);
}

Test(touching, a_step_that_was_refused_forgets_nothing) {
  edited e = begin_edited();
  cr_assert_neq(msd_world_step(e.t.world, (msd_real)NAN, 1), MSD_OK);
  expect_step(&e, true, true, "a step that was refused");
}

/* Those that were taken hold, and the next step goes on behind them. */
static bool stop_now(void *context) {
  return --*(int *)context < 0;
}

Test(touching, a_step_that_was_stopped_goes_on_with_its_list) {
  edited e = begin_edited();
  int left = 1;
  ok(e.t.world, msd_world_set_callbacks(e.t.world, &(msd_callbacks){.stop = stop_now, .context = &left}));
  cr_assert_eq(msd_world_step(e.t.world, (msd_real)(STEP / 1024), 64), MSD_CANCELED);
  ok(e.t.world, msd_world_set_callbacks(e.t.world, NULL));
  cr_assert_gt(look_of(e.t.world)->list.age, e.list_age);
  e.list_age = look_of(e.t.world)->list.age;
  e.active_age = look_of(e.t.world)->active_bound.age;
  expect_step(&e, true, true, "a step that was stopped");
}

/* Not even one has been taken, behind a snapshot whose list is to be made again. */
Test(touching, a_step_that_was_stopped_before_its_first_substep_changes_nothing) {
  touching t = crumpling();
  take_steps(t.world, 150);
  int kept = 0;
  for (int frame = 0; frame < share_of(60); frame++) {
    take_step(t.world);
    msd_world *copy = NULL;
    int left = 0;
    ok(t.world, msd_copy_world(t.world, &copy));
    kept += look_of(copy)->kept_count > 0;
    ok(copy, msd_world_set_callbacks(copy, &(msd_callbacks){.stop = stop_now, .context = &left}));
    cr_assert_eq(msd_world_step(copy, (msd_real)STEP, 64), MSD_CANCELED);
    ok(copy, msd_world_set_callbacks(copy, NULL));
    const snapshot s = saved_state_of(copy);
    take_step(copy);
    const uint64_t hash = msd_world_hash(copy);
    ok(copy, msd_world_restore_state(copy, s.data, s.size));
    take_step(copy);
    cr_assert_eq(msd_world_hash(copy), hash, "frame %d", frame);
    take_step(t.world);
    cr_assert_eq(msd_world_hash(t.world), hash, "frame %d", frame);
    free(s.data);
    msd_destroy_world(copy);
  }
  cr_expect_gt(kept, in_part ? 0 : 10);
  contact_step_free(&t);
}

/* The list that is made again without memory is none: the step fails at once, and the next one makes
   another. */
Test(touching, without_memory_to_list_again_the_step_fails_and_the_state_stays) {
  scarce supply = {.left = INT32_MAX};
  touching t = crumpling();
  take_steps(t.world, 150);
  while (look_of(t.world)->list.age < 1.01 * STEP || look_of(t.world)->of_list == 0)
    take_step(t.world);
  const int64_t steps = msd_world_get_steps(t.world);
  const snapshot s = snapshot_of(t.world);
  contact_step_free(&t);
  int failed = 0, done = 0;
  for (int given = 0; done == 0; given += in_part ? 7 : 1) {
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&supply);
    supply.left = INT32_MAX;
    msd_world *world = NULL;
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
    ok(world, msd_world_restore(world, s.data, s.size));
    const uint64_t before = msd_world_hash(world);
    supply.left = given;
    const msd_result result = msd_world_step(world, (msd_real)STEP, SUBSTEPS);
    supply.left = INT32_MAX;
    cr_assert(result == MSD_OK || result == MSD_OUT_OF_MEMORY, "%s", msd_world_message(world));
    done += result == MSD_OK;
    failed += result != MSD_OK;
    cr_assert(result == MSD_OK || msd_world_get_steps(world) > steps || msd_world_hash(world) == before);
    take_step(world);
    cr_assert(world->stepper.self.is_listed);
    msd_destroy_world(world);
    cr_assert_eq(supply.in_use, 0);
  }
  cr_expect_gt(failed, 5);
  free(s.data);
}

/* --------------------------------------------------------------------------------------- one step at most */

/* One sheet through another. */
static touching penetrating(void) {
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  touching_sheet(&t, 12, 12, vector(0, 0, 0), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  touching_sheet(&t, 12, 12, vector(0.02, -0.15, 0.153), vector(0.3, 0, 0), vector(0, 0.3, 0.004), true);
  return t;
}

Test(touching, penetrations_keep_lists_to_one_step) {
  touching t = penetrating();
  for (int frame = 0; frame < 12; frame++) {
    take_step(t.world);
    cr_assert_gt(msd_world_get_stats(t.world).penetrations, 0);
    cr_assert(!t.world->stepper.self.goes_on, "frame %d", frame);
    cr_assert_leq(look_of(t.world)->list.age, 1.001 * STEP);
    cr_assert_leq(look_of(t.world)->list.horizon, 1.001 * STEP);
  }
  contact_step_free(&t);
}

/* The first one does not know that the next one goes on with its list. */
Test(touching, lists_are_for_longer_than_a_step_only_where_the_step_went_on_with_one) {
  touching t = lying();
  take_step(t.world);
  cr_assert_leq(look_of(t.world)->list.horizon, 1.001 * STEP);
  take_step(t.world);
  cr_assert_gt(look_of(t.world)->list.horizon, 1.9 * STEP);
  place(t.world);
  take_step(t.world);
  cr_assert_leq(look_of(t.world)->list.horizon, 1.001 * STEP);
  contact_step_free(&t);
}

Test(touching, what_sleeps_keeps_lists_to_one_step) {
  touching t = lying();
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = 1;
  sleep.delay = (msd_real)(3 * STEP);
  ok(t.world, msd_world_set_sleep(t.world, &sleep));
  const int32_t falling =
      touching_triangle(&t, 0.01, vector(5, 30, 0), vector(5.1, 30, 0), vector(5, 30, 0.1));
  throw_all(t.world, falling, 3, vector(0, -3, 0));
  int asleep = 0;
  for (int frame = 0; frame < 40; frame++) {
    const bool some = msd_world_get_stats(t.world).asleep > 0;
    take_step(t.world);
    cr_assert(!some || !t.world->stepper.self.goes_on, "frame %d", frame);
    asleep += some;
  }
  cr_assert_gt(asleep, 10);
  contact_step_free(&t);
}

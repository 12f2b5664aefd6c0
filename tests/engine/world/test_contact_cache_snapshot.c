/* States have no checksum: whatever numbers of motion bounds somebody puts there, the world goes on without a
   crash, and nothing of it goes through anything; or it says what is wrong. */
#include "tests/support/share.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include "engine/world/world.h"

#include <float.h>
#include <limits.h>
#include <math.h>

static const double STEP = 1.0 / 480;
enum { SUBSTEPS = 2, SIDE = 7, AHEAD = 12 };

/* A sheet that is about to fall onto another one, which is held, and has a list that was repaired. */
static touching falling(void) {
  touching t = contact_step_new(vector(0, 0, 0), 0.3, 0);
  const int32_t held =
      touching_sheet(&t, SIDE, SIDE, vector(0, 0, 0), vector(0.2, 0, 0), vector(0, 0.003, 0.2), true);
  for (int32_t corner = 0; corner < 4; corner++)
    pin_all(t.world, held + corner / 2 * SIDE * (SIDE - 1) + corner % 2 * (SIDE - 1), 1);
  const int32_t thrown = touching_sheet(&t, SIDE, SIDE, vector(0.013, 0.05, 0.017), vector(0.2, 0.04, 0),
                                        vector(0, 0.02, 0.2), true);
  throw_all(t.world, thrown, SIDE * SIDE, vector(0.3, -5, 0.1));
  generator random = {.state = 11};
  for (int32_t i = held; i < held + SIDE * SIDE; i++)
    if (!msd_particle_is_pinned(t.world, i))
      ok(t.world, msd_particle_set_velocity(t.world, i, random_place(&random, 1)));
  for (int n = 0; n < 60; n++) {
    step(t.world, STEP, SUBSTEPS);
    const contact_cache *l = &t.world->stepper.self.cache;
    if (n > 3 && l->of_list > 0 && l->of_active > 0 && l->batches_before < l->batch_count &&
        l->kept_count > 0 && l->list.horizon - l->list.age > 2.5 * STEP / SUBSTEPS)
      return t;
  }
  cr_assert_fail("no list is repaired and lasts");
  return t;
}

/* Takes over what has been put into it, as a state would; the world stays as it is where that is refused. */
static msd_result take_over(msd_world *world) {
  const snapshot s = saved_state_of(world);
  const msd_result result = msd_world_restore_state(world, s.data, s.size);
  free(s.data);
  return result;
}

static void expect_sound(const touching *t, const char *name, int trial) {
  for (int32_t i = 0; i < msd_world_get_particle_count(t->world); i++) {
    const msd_vec3 x = msd_particle_get_position(t->world, i), v = msd_particle_get_velocity(t->world, i);
    for (int axis = 0; axis < 3; axis++)
      cr_assert(isfinite(component(x, axis)) && isfinite(component(v, axis)), "%s, %d: particle %d", name,
                trial, (int)i);
  }
  cr_assert_eq(touching_intersections(t), 0, "%s, %d", name, trial);
}

/* How many were taken over; and whether the step had nothing to say. */
typedef struct tally {
  int taken, went_well;
} tally;

static void try_one(const touching *t, void forge(msd_world *world, generator *random), generator *random,
                    const char *name, int trial, tally *all) {
  touching other = *t;
  other.world = NULL;
  ok(t->world, msd_copy_world(t->world, &other.world));
  forge(other.world, random);
  const msd_result result = take_over(other.world);
  cr_assert(result == MSD_OK || result == MSD_BAD_SNAPSHOT, "%s, %d: %s", name, trial,
            msd_world_message(other.world));
  bool well = result == MSD_OK;
  for (int n = 0; n < AHEAD && result == MSD_OK; n++) {
    const msd_result stepped = msd_world_step(other.world, (msd_real)STEP, SUBSTEPS);
    cr_assert(stepped == MSD_OK || stepped == MSD_DIVERGED, "%s, %d: %s", name, trial,
              msd_world_message(other.world));
    well = well && stepped == MSD_OK;
    expect_sound(&other, name, trial);
  }
  all->taken += result == MSD_OK;
  all->went_well += well;
  msd_destroy_world(other.world);
}

static tally try_all(const char *name, void forge(msd_world *world, generator *random), int trials) {
  touching t = falling();
  generator random = {.state = 5};
  tally all = {.taken = 0};
  for (int trial = 0; trial < share_of(trials); trial++)
    try_one(&t, forge, &random, name, trial, &all);
  contact_step_free(&t);
  return all;
}

/* ------------------------------------------------------------------------------------------------ numbers */

/* Of any size that there is, or near what is there. */
static msd_real strange(generator *random, msd_real is) {
  static const double sizes[] = {0, 1e-30, 1e-6, 1e-3, 0.01, 0.1, 1, 100, 1e6, 1e12, 1e15, 1e20, 1e38, 3e38};
  const double at = 2 * random_share(random) - 1;
  switch (random_below(random, 3)) {
  case 0:
    return (msd_real)(at * sizes[random_below(random, 14)]);
  case 1:
    return is + (msd_real)(at * sizes[random_below(random, 7)]);
  default:
    return -is;
  }
}

/* At least 0, and nearly always no more than any skin that there is. */
static msd_real strange_skin(generator *random, msd_real is) {
  const double skin = fabs((double)strange(random, is));
  return (msd_real)(skin < 1e15 || random_below(random, 1000) == 0 ? skin : 9e14);
}

static double strange_share(generator *random) {
  static const double some[] = {0, 1e-9, 0.25, 0.5, 0.999999, 1};
  return random_below(random, 2) ? random_share(random) : some[random_below(random, 6)];
}

static contact_cache *look_of(msd_world *world) {
  return &world->stepper.self.cache;
}

static void forge_component(motion_bound *f, size_t k, generator *random, double share) {
  for (int32_t slot = 0; slot < f->particles; slot++) {
    msd_real *at = f->state + k * f->stride + (size_t)slot;
    if (random_share(random) < share)
      *at = k == MOTION_BOUND_SKIN ? strange_skin(random, *at) : strange(random, *at);
  }
}

static void forge_motion_bound(motion_bound *f, generator *random) {
  const double share = random_below(random, 2) ? 1 : random_share(random);
  const size_t only = (size_t)random_below(random, 3 * MOTION_BOUND_COMPONENTS);
  for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
    if (only >= MOTION_BOUND_COMPONENTS || k == only)
      forge_component(f, k, random, share);
}

static void forge_list(msd_world *world, generator *random) {
  forge_motion_bound(&look_of(world)->list, random);
}

static void forge_watch(msd_world *world, generator *random) {
  forge_motion_bound(&look_of(world)->active_bound, random);
  for (int32_t slot = 0; slot < look_of(world)->active_bound.particles; slot++)
    if (random_below(random, 2))
      look_of(world)->chosen_skins[slot] = strange_skin(random, look_of(world)->chosen_skins[slot]);
}

static void forge_edits(msd_world *world, generator *random) {
  contact_cache *l = look_of(world);
  const double share = random_share(random);
  for (int32_t n = 0; n < l->count; n++)
    for (size_t k = 0; k < MOTION_BOUND_COMPONENTS; k++)
      if (random_share(random) < share)
        l->edits[n].state[k] = k == MOTION_BOUND_SKIN ? strange_skin(random, l->edits[n].state[k])
                                                      : strange(random, l->edits[n].state[k]);
}

static void forge_times(msd_world *world, generator *random) {
  contact_cache *l = look_of(world);
  static const double longer[] = {1e-12, 0.1, 1, 1, 3, 1000, 1e12, 1e37};
  l->list.horizon *= longer[random_below(random, 8)];
  l->active_bound.horizon *= longer[random_below(random, 8)];
  l->list.age = strange_share(random) * l->list.horizon;
  l->active_bound.age = strange_share(random) * l->active_bound.horizon;
  l->chosen_at = strange_share(random) * l->list.horizon;
  for (int32_t n = 0; n < l->batch_count; n++) {
    l->edit_batches[n].list_age = strange_share(random) * l->list.horizon;
    l->edit_batches[n].active_age = strange_share(random) * l->active_bound.horizon;
  }
}

static void forge_kept(msd_world *world, generator *random) {
  static const double gaps[] = {0, 1e-3, 0.1, 1e6, 1e300, INFINITY, NAN},
                      least[] = {0, 2e-4, 1, INFINITY, NAN};
  contact_cache *l = look_of(world);
  for (int32_t n = 0; n < l->kept_count; n++) {
    l->kept[n].gap = random_below(random, 3) ? gaps[random_below(random, 7)] : (double)strange(random, 0);
    l->kept[n].least = random_below(random, 2) ? l->kept[n].least : least[random_below(random, 5)];
  }
}

static void forge_bend(msd_world *world, generator *random) {
  for (int axis = 0; axis < 3; axis++)
    look_of(world)->list.bend[axis] = (double)strange(random, (msd_real)look_of(world)->list.bend[axis]);
}

static void forge_policy(msd_world *world, generator *random) {
  static const int32_t substeps[] = {0, 1, 7, 256, 257, INT_MAX / 2, INT_MAX};
  static const double skins[] = {0, 1e-300, 1e-3, 1, 1e300, DBL_MAX};
  list_policy *policy = &world->model.surfaces.list_policy;
  policy->substeps = substeps[random_below(random, 7)];
  policy->skin = skins[random_below(random, 6)];
  for (int axis = 0; axis < 3; axis++)
    policy->bend[axis] = (double)strange(random, (msd_real)policy->bend[axis]);
  if (random_below(random, 2))
    look_of(world)->list.age = look_of(world)->list.horizon;
}

static void forge_all(msd_world *world, generator *random) {
  forge_list(world, random);
  forge_watch(world, random);
  forge_edits(world, random);
  forge_kept(world, random);
  forge_times(world, random);
  if (random_below(random, 2))
    forge_bend(world, random);
  forge_policy(world, random);
}

static void forge_nothing(msd_world *world, generator *random) {
  (void)world;
  (void)random;
}

Test(contact_cache_snapshot, a_list_with_any_numbers_lets_nothing_through) {
  const tally all = try_all("list", forge_list, 120);
  cr_expect(all.taken > 0);
}

Test(contact_cache_snapshot, a_choice_with_any_numbers_lets_nothing_through) {
  const tally all = try_all("watch", forge_watch, 120);
  cr_expect(all.taken > 0);
}

Test(contact_cache_snapshot, edits_with_any_numbers_let_nothing_through) {
  const tally all = try_all("edits", forge_edits, 120);
  cr_expect(all.taken > 0);
}

Test(contact_cache_snapshot, any_times_let_nothing_through) {
  const tally all = try_all("times", forge_times, 120);
  cr_expect(all.taken > 0);
}

Test(contact_cache_snapshot, any_distances_of_what_is_kept_apart_let_nothing_through) {
  const tally all = try_all("kept", forge_kept, 120);
  cr_expect(all.taken > 0 && all.taken == all.went_well);
}

Test(contact_cache_snapshot, any_bend_lets_nothing_through) {
  const tally all = try_all("bend", forge_bend, 60);
  cr_expect(all.taken > 0);
}

Test(contact_cache_snapshot, lists_of_any_habit_let_nothing_through) {
  const tally all = try_all("policy", forge_policy, 60);
  cr_expect(all.taken > 0);
}

Test(contact_cache_snapshot, any_numbers_at_once_let_nothing_through) {
  const tally all = try_all("all", forge_all, 60);
  cr_expect(all.taken > 0);
}

/* A list that has lasted is followed by one of twice as many substeps, but of no more than 256; behind those
   that do not last it is half as many, and eight at least. */
Test(contact_cache_snapshot, a_habit_of_more_substeps_than_there_can_be_is_that_of_the_most) {
  touching t = falling();
  t.world->model.surfaces.list_policy.substeps = INT_MAX;
  look_of(t.world)->list.age = look_of(t.world)->list.horizon;
  ok(t.world, take_over(t.world));
  step(t.world, STEP, 1);
  cr_assert_geq(t.world->model.surfaces.list_policy.substeps, 64);
  contact_step_free(&t);
}

/* Whose skins, as shares of that, would be wider than any. */
Test(contact_cache_snapshot, what_is_thicker_than_skins_can_be_wide_goes_on_from_its_own_state) {
  touching t = falling();
  set_contact(t.world, 1e17, 0.3, 0);
  for (int n = 0; n < 4; n++) {
    step(t.world, STEP, 1);
    cr_assert(look_of(t.world)->list.holds);
    ok(t.world, take_over(t.world));
    expect_sound(&t, "thick", n);
  }
  contact_step_free(&t);
}

/* A substep far shorter than the last ones, where a list ends and its active set was given up, as
   after a forced intersection: what is left of the list is less than its age is rounded by. */
Test(contact_cache_snapshot, a_choice_at_the_end_of_a_list_is_taken_over) {
  static const double shorts[] = {1e-38, 1e-20, 1e-12};
  for (int n = 0; n < 3; n++) {
    touching t = falling();
    contact_cache *l = &t.world->stepper.self.cache;
    t.world->stepper.chosen_for = (revision){0};
    l->list.horizon = l->list.age;
    ok(t.world, msd_world_step(t.world, (msd_real)shorts[n], 1));
    const snapshot s = snapshot_of(t.world);
    cr_expect_eq(msd_world_restore(t.world, s.data, s.size), MSD_OK, "%g s: %s", shorts[n],
                 msd_world_message(t.world));
    cr_expect_eq(take_over(t.world), MSD_OK);
    step(t.world, STEP, SUBSTEPS);
    expect_sound(&t, "the end of a list", n);
    free(s.data);
    contact_step_free(&t);
  }
}

Test(contact_cache_snapshot, the_same_numbers_change_nothing) {
  touching t = falling();
  generator random = {.state = 1};
  tally all = {.taken = 0};
  try_one(&t, forge_nothing, &random, "nothing", 0, &all);
  cr_assert(all.taken == 1 && all.went_well == 1);
  contact_step_free(&t);
}

/* All that is known says that nothing comes near: what is looked for then is what the test is about. */
/* Counts and all: whatever comes of it is said, and a step that follows ends. */
Test(contact_cache_snapshot, changed_bytes_of_a_state_are_refused_or_make_a_world_that_steps) {
  touching t = falling();
  const snapshot good = saved_state_of(t.world);
  generator random = {.state = 9};
  unsigned char *bytes = malloc(good.size);
  cr_assert_not_null(bytes);
  int taken = 0, trials = share_of(200);
  for (int trial = 0; trial < trials; trial++) {
    memcpy(bytes, good.data, good.size);
    for (int n = random_below(&random, 3); n >= 0; n--)
      bytes[random_below(&random, trial % 4 ? (int32_t)good.size : 512)] =
          (unsigned char)random_below(&random, 256);
    const msd_result result = msd_world_restore_state(t.world, bytes, good.size);
    cr_assert(result == MSD_OK || result == MSD_BAD_SNAPSHOT, "%s", msd_world_message(t.world));
    taken += result == MSD_OK;
    for (int n = 0; n < 3 && result == MSD_OK; n++)
      msd_world_step(t.world, (msd_real)STEP, SUBSTEPS);
    ok(t.world, msd_world_restore_state(t.world, good.data, good.size));
    step(t.world, STEP, SUBSTEPS);
    expect_sound(&t, "behind another state", trial);
  }
  cr_expect(taken > trials / 8 && taken < trials);
  free(bytes);
  free(good.data);
  contact_step_free(&t);
}

Test(contact_cache_snapshot, without_surfaces_the_sheets_go_through_each_other) {
  touching t = falling();
  for (int32_t surface = 0; surface < 2; surface++)
    for (int32_t other = surface; other < 2; other++)
      ok(t.world, msd_collision_mesh_exclude(t.world, surface, other));
  int64_t found = 0;
  for (int n = 0; n < AHEAD; n++) {
    step(t.world, STEP, SUBSTEPS);
    found += touching_intersections(&t);
  }
  cr_assert_gt(found, 0);
  contact_step_free(&t);
}

/* ----------------------------------------------------------------------------------------- far, and apart */

/* Each is said to be so far out on its side, with a skin that has it all the same. */
static void forge_far(msd_world *world, double far, double skin) {
  contact_cache *l = look_of(world);
  for (int which = 0; which < 2; which++) {
    motion_bound *f = which ? &l->active_bound : &l->list;
    for (int32_t slot = 0; slot < f->particles; slot++) {
      const int32_t particle = world->stepper.penetrations.particle[slot];
      f->state[f->stride + (size_t)slot] = (msd_real)(particle < SIDE * SIDE ? -far : far);
      f->state[4 * f->stride + (size_t)slot] = 0;
      motion_bound_skins(f)[slot] = (msd_real)skin;
    }
  }
  for (int32_t slot = 0; slot < l->active_bound.particles; slot++)
    l->chosen_skins[slot] = (msd_real)skin;
  l->count = l->batch_count = l->batches_before = l->of_list = l->of_active = 0;
}

Test(contact_cache_snapshot, what_is_said_to_be_far_with_a_skin_as_wide_lets_nothing_through) {
  static const double fars[] = {1, 1e6, 5e14, 9e14, 2e15, 1e17, 1e20, 1e37};
  touching t = falling();
  for (int n = 0; n < 8; n++)
    for (int tight = 0; tight < 2; tight++) {
      touching other = t;
      ok(t.world, msd_copy_world(t.world, &other.world));
      step(other.world, STEP, SUBSTEPS);
      forge_far(other.world, fars[n], (tight ? 1.001 : 1.5) * fars[n]);
      const msd_result result = take_over(other.world);
      cr_assert(result == MSD_OK || (result == MSD_BAD_SNAPSHOT && fars[n] > 6e14), "%g", fars[n]);
      for (int frame = 0; frame < AHEAD && result == MSD_OK; frame++) {
        const msd_result stepped = msd_world_step(other.world, (msd_real)STEP, SUBSTEPS);
        cr_assert(stepped == MSD_OK || stepped == MSD_DIVERGED);
        expect_sound(&other, "far", n);
      }
      msd_destroy_world(other.world);
    }
  contact_step_free(&t);
}

/* Going back by pins: the layout of springs stands, and limits go back with it. */
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

#include "engine/stability/steps.h"
#include "engine/world/world.h"

#include <string.h>

static const double FRAME = 0.015625;

enum { FRAMES = 4 };

static void take_frame(msd_world *world, int substeps) {
  ASSERT_OK(world, msd_world_step(world, (msd_real)FRAME, substeps));
}

/* Some frames, in the course of which pins are put and let go; the hash behind each goes to `hashes`. */
static void take_course(msd_world *world, int32_t seed, int substeps, uint64_t *hashes) {
  for (int frame = 0; frame < FRAMES; frame++) {
    const int32_t particle = (seed + 7 * frame) % msd_world_get_particle_count(world);
    ASSERT_OK(world, msd_particle_pin(world, particle));
    take_frame(world, substeps);
    ASSERT_OK(world, msd_particle_unpin(world, (particle + 3) % msd_world_get_particle_count(world)));
    hashes[frame] = msd_world_hash(world);
  }
}

/* Steps on from a state, goes back to it over frames with other pins, and steps on again, to its end. */
static void expect_to_repeat(msd_world *world, int substeps) {
  uint64_t first[FRAMES], other[FRAMES], again[FRAMES];
  const snapshot s = saved_state_of(world);
  const stability_standing before = stability_standing_of(&world->model, &world->limits);
  take_course(world, 1, substeps, first);
  const snapshot end = snapshot_of(world);
  take_course(world, 5, substeps, other);
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  const stability_standing after = stability_standing_of(&world->model, &world->limits);
  cr_expect_eq(memcmp(&before, &after, sizeof before), 0, "the limits");
  take_course(world, 1, substeps, again);
  cr_expect_arr_eq(first, again, sizeof first);
  const snapshot end_again = snapshot_of(world);
  cr_assert_eq(end.size, end_again.size);
  cr_expect_arr_eq(end.data, end_again.data, end.size, "the snapshots");
  free(s.data);
  free(end.data);
  free(end_again.data);
  msd_destroy_world(world);
}

/* A cloth of tethers and struts and others, whose diagonals in one direction are late: laid out anew they would
   be in rows, and summed before the others. */
static msd_world *sided_cloth_with_late_springs(void) {
  enum { SIDE = 12 };
  graph g = graph_cloth(SIDE, SIDE, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 3, .sides = 5, .pins = true});
  take_frame(world, 2);
  msd_spring_def def = msd_spring_get_def(world, 3);
  def.rest_length = MSD_AS_PLACED;
  for (int32_t row = 0; row < 5; row++)
    for (int32_t column = 0; column + 1 < SIDE; column++) {
      def.a = row * SIDE + column;
      def.b = def.a + SIDE + 1;
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    }
  take_frame(world, 2);
  graph_free(&g);
  return world;
}

Test(state_pins, pins_leave_late_springs_late) {
  msd_world *world = sided_cloth_with_late_springs();
  const int32_t late = world->model.late_springs;
  cr_assert_eq(late, 55);
  ASSERT_OK(world, msd_particle_pin(world, 30));
  take_frame(world, 2);
  cr_assert_eq(world->model.late_springs, late);
  expect_to_repeat(world, 2);
}

Test(state_pins, substeps_that_follow_changes_go_back_where_springs_are_one_sided) {
  msd_world *world = sided_cloth_with_late_springs();
  msd_spring_def def = msd_spring_get_def(world, 3);
  def.stiffness *= 64;
  ASSERT_OK(world, msd_spring_set_law(world, 3, &def));
  take_frame(world, 0);
  ASSERT_OK(world, msd_spring_break(world, 3));
  take_frame(world, 0);
  cr_assert_eq(world->limits.state, LIMITS_KEPT);
  expect_to_repeat(world, 0);
}

/* Going back pins and lets go what a list of changes has room for, and forgets it. */
Test(state_pins, pins_that_go_back_do_not_make_the_list_of_changes_longer) {
  msd_world *world = sided_cloth_with_late_springs();
  for (int n = 0; n < 50; n++)
    ASSERT_OK(world, msd_particle_set_mass(world, 20 + n, 1 + (msd_real)n / 64));
  take_frame(world, 0);
  expect_to_repeat(world, 0);
}

/* The copy has the order of its particles from where it was, as the other has. */
Test(state_pins, a_copy_that_was_never_stepped_goes_on_from_a_later_state) {
  graph g = graph_shuffled(graph_cloth(20, 20, CLOTH_BEND), 7);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 3}), *copy;
  ASSERT_OK(world, msd_copy_world(world, &copy));
  for (int32_t i = 0; i < 400; i++)
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){(msd_real)(i % 20 - 10), 0, 0}));
  for (int frame = 0; frame < 20; frame++)
    take_frame(world, 0);
  const snapshot s = saved_state_of(world);
  ASSERT_OK(copy, msd_world_restore_state(copy, s.data, s.size));
  cr_assert(world->model.particles.slot && copy->model.particles.slot);
  cr_assert_arr_eq(world->model.particles.slot, copy->model.particles.slot, 400 * sizeof(int32_t));
  uint64_t hashes[FRAMES], of_copy[FRAMES];
  take_course(world, 1, 0, hashes);
  take_course(copy, 1, 0, of_copy);
  cr_assert_arr_eq(hashes, of_copy, sizeof hashes);
  free(s.data);
  graph_free(&g);
  msd_destroy_world(world);
  msd_destroy_world(copy);
}

/* Snapshots: a restored world continues with the same bits. */
#include "engine/world/world.h"
#include "tests/support/busy_world.h"
#include "tests/support/snapshots.h"

#include <math.h>

static void assert_equal_worlds(const char *what, const msd_world *one, const msd_world *other) {
  cr_assert_eq(first_difference(one, other), -1, "%s: particle %d", what, first_difference(one, other));
  cr_assert_eq(msd_world_hash(one), msd_world_hash(other), "%s", what);
  cr_assert_eq(msd_world_get_time(one), msd_world_get_time(other), "%s", what);
  cr_assert_eq(msd_world_get_steps(one), msd_world_get_steps(other), "%s", what);
  const msd_stats a = msd_world_get_stats(one), b = msd_world_get_stats(other);
  cr_assert(a.particles == b.particles && a.pinned == b.pinned && a.springs == b.springs &&
                a.broken == b.broken && a.total_mass == b.total_mass &&
                a.elastic_energy == b.elastic_energy && a.max_stretch == b.max_stretch,
            "%s", what);
  for (int32_t s = 0; s < a.springs; s++) {
    const msd_spring_def p = msd_spring_get_def(one, s), q = msd_spring_get_def(other, s);
    cr_assert(p.a == q.a && p.b == q.b && p.law == q.law && p.rest_length == q.rest_length &&
                  p.stiffness == q.stiffness && p.ck == q.ck && p.frequency == q.frequency &&
                  p.damping == q.damping && p.cd == q.cd && p.damping_ratio == q.damping_ratio &&
                  p.mode == q.mode,
              "%s: spring %d", what, s);
    cr_assert_eq(msd_spring_get_stiffness(one, s), msd_spring_get_stiffness(other, s), "%s: spring %d", what,
                 s);
  }
  const msd_vec3 g = msd_world_get_gravity(one), h = msd_world_get_gravity(other);
  cr_assert(g.x == h.x && g.y == h.y && g.z == h.z);
  cr_assert(msd_world_get_linear_damping(one) == msd_world_get_linear_damping(other) &&
            msd_world_get_integrator(one) == msd_world_get_integrator(other) &&
            msd_world_get_clamp_stiffness(one) == msd_world_get_clamp_stiffness(other));
}

static void assert_continues(const char *what, msd_world *original, msd_world *restored) {
  assert_equal_worlds(what, original, restored);
  for (int frame = 20; frame < 30; frame++) {
    play(original, frame);
    play(restored, frame);
    assert_equal_worlds(what, original, restored);
  }
}

/* -------------------------------------------------------------------------------------------- round trips */

Test(snapshot, a_restored_world_continues_with_the_same_bits) {
  for (int frames = 0; frames < 12; frames += 3) {
    msd_world *original = busy_world(frames), *restored = empty_world();
    const snapshot b = snapshot_of(original);
    ASSERT_OK(restored, msd_world_restore(restored, b.data, b.size));
    assert_continues("busy world", original, restored);
    free(b.data);
    msd_destroy_world(original);
    msd_destroy_world(restored);
  }
}

Test(snapshot, every_integrator_and_limit_continues_with_the_same_bits) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int limit = 0; limit < 2; limit++) {
      msd_world *original = busy_world(4), *restored = empty_world();
      ASSERT_OK(original, msd_world_set_integrator(original, (msd_integrator)integrator));
      ASSERT_OK(original, msd_world_set_clamp_stiffness(original, limit == 1));
      const snapshot b = snapshot_of(original);
      ASSERT_OK(restored, msd_world_restore(restored, b.data, b.size));
      assert_continues(msd_integrator_name((msd_integrator)integrator), original, restored);
      free(b.data);
      msd_destroy_world(original);
      msd_destroy_world(restored);
    }
}

Test(snapshot, every_shape_of_network_continues_with_the_same_bits) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const making m = {LAWS_MIXED, .seed = 3, .pins = true, .breaks = 3, .soften = 16};
    msd_world *original = world_of(&list[i].graph, &m), *restored = empty_world();
    ASSERT_OK(original, msd_world_step(original, (msd_real)0.0078125, 3));
    const snapshot b = snapshot_of(original);
    ASSERT_OK(restored, msd_world_restore(restored, b.data, b.size));
    assert_equal_worlds(list[i].name, original, restored);
    ASSERT_OK(original, msd_world_step(original, (msd_real)0.0078125, 5));
    ASSERT_OK(restored, msd_world_step(restored, (msd_real)0.0078125, 5));
    assert_equal_worlds(list[i].name, original, restored);
    free(b.data);
    msd_destroy_world(original);
    msd_destroy_world(restored);
  }
  free_all_graphs(list);
}

/* At every moment in the life of an irregular network, which the engine keeps in an order of its own. */
typedef enum moment {
  BEFORE_THE_FIRST_STEP,
  AFTER_A_STEP,
  AFTER_MANY,
  AFTER_A_SPRING_MORE,
  AFTER_A_PARTICLE_MORE,
  AFTER_BREAKING_HALF,
  MOMENTS
} moment;

static void live_until(msd_world *world, moment m) {
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 3;
  spring.b = 200;
  spring.stiffness = 5;
  const msd_particle_def particle = msd_default_particle_def();
  if (m >= AFTER_A_STEP)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 1));
  if (m >= AFTER_MANY)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.25, 32));
  if (m >= AFTER_A_SPRING_MORE)
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  if (m >= AFTER_A_PARTICLE_MORE)
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  for (int32_t s = 0; s < msd_world_get_spring_count(world) && m >= AFTER_BREAKING_HALF; s += 2)
    ASSERT_OK(world, msd_spring_break(world, s));
}

Test(snapshot, irregular_networks_continue_with_the_same_bits_from_every_moment) {
  graph shuffled = graph_shuffled(graph_cloth(22, 22, CLOTH_BEND), 3),
        penetration = graph_random(400, 1500, 5);
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < MOMENTS; m++) {
      msd_world *original =
          world_of(k ? &penetration : &shuffled, &(making){LAWS_COEFFICIENT, .seed = 4, .pins = true});
      msd_world *restored = empty_world();
      live_until(original, (moment)m);
      const snapshot b = snapshot_of(original);
      ASSERT_OK(restored, msd_world_restore(restored, b.data, b.size));
      /* Saved again before its next step, it is the same snapshot. */
      const snapshot again = snapshot_of(restored);
      cr_assert(again.size == b.size && memcmp(again.data, b.data, b.size) == 0, "graph %d, moment %d", k, m);
      ASSERT_OK(restored, msd_world_restore(restored, again.data, again.size));
      assert_continues("irregular", original, restored);
      /* And once more, when both have been changed since. */
      msd_spring_def spring = msd_default_spring_def();
      spring.a = 7;
      spring.b = 300;
      spring.stiffness = 5;
      ASSERT_OK(original, msd_add_springs(original, &spring, 1, NULL));
      ASSERT_OK(restored, msd_add_springs(restored, &spring, 1, NULL));
      assert_continues("irregular, with one more spring", original, restored);
      free(b.data);
      free(again.data);
      msd_destroy_world(original);
      msd_destroy_world(restored);
    }
  graph_free(&shuffled);
  graph_free(&penetration);
}

Test(snapshot, a_world_can_be_taken_back_to_what_it_was) {
  msd_world *world = busy_world(5), *twin = busy_world(5);
  const snapshot b = snapshot_of(world);
  for (int frame = 5; frame < 15; frame++)
    play(world, frame);
  msd_spring_def spring = msd_default_spring_def();
  const msd_particle_def particle = msd_default_particle_def();
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, &spring.a));
  spring.b = 0;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){5, 5, 5}));
  for (int again = 0; again < 2; again++)
    ASSERT_OK(world, msd_world_restore(world, b.data, b.size));
  assert_continues("taken back", twin, world);
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(twin);
}

Test(snapshot, threads_width_and_log_stay_those_of_the_world_that_restores) {
  msd_world *original = busy_world(3), *restored = empty_world();
  ASSERT_OK(restored, msd_world_set_thread_count(restored, 3));
  ASSERT_OK(restored, msd_world_set_simd(restored, MSD_SIMD_SCALAR));
  const int threads = msd_world_get_thread_count(restored);
  const snapshot b = snapshot_of(original);
  ASSERT_OK(restored, msd_world_restore(restored, b.data, b.size));
  cr_assert_eq(msd_world_get_thread_count(restored), threads);
  assert_continues("other threads", original, restored);
  free(b.data);
  msd_destroy_world(original);
  msd_destroy_world(restored);
}

Test(snapshot, an_empty_world_can_be_saved_and_restored) {
  msd_world *empty = empty_world(), *busy = busy_world(2);
  const snapshot b = snapshot_of(empty);
  ASSERT_OK(busy, msd_world_restore(busy, b.data, b.size));
  cr_assert_eq(msd_world_get_particle_count(busy), 0);
  cr_assert_eq(msd_world_get_spring_count(busy), 0);
  cr_assert_eq(msd_world_hash(busy), msd_world_hash(empty));
  ASSERT_OK(busy, msd_world_step(busy, (msd_real)0.01, 1));
  const msd_particle_def particle = msd_default_particle_def();
  ASSERT_OK(busy, msd_add_particles(busy, &particle, 1, NULL));
  ASSERT_OK(busy, msd_world_step(busy, (msd_real)0.01, 1));
  free(b.data);
  msd_destroy_world(empty);
  msd_destroy_world(busy);
}

Test(snapshot, a_world_that_diverged_is_saved_in_its_last_finite_state) {
  msd_world *world = busy_world(2), *restored = empty_world();
  while (msd_world_step(world, 5, 1) == MSD_OK) {
  }
  const snapshot b = snapshot_of(world);
  ASSERT_OK(restored, msd_world_restore(restored, b.data, b.size));
  assert_equal_worlds("diverged", world, restored);
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(restored);
}

/* --------------------------------------------------------------------------------------------- the protocol */

Test(snapshot, the_size_is_asked_first_and_smaller_buffers_are_left_alone) {
  msd_world *world = busy_world(2);
  size_t size = 0, needed = 0;
  cr_assert_eq(msd_world_save(world, NULL, 0, &needed), MSD_OK);
  cr_assert(needed > 100);
  unsigned char *buffer = malloc(needed + 8);
  cr_assert_not_null(buffer);
  memset(buffer, 0xab, needed + 8);
  for (size_t capacity = 0; capacity < needed; capacity += 17) {
    size = 0;
    cr_assert_eq(msd_world_save(world, buffer, capacity, &size), MSD_BUFFER_TOO_SMALL);
    cr_assert_eq(size, needed);
  }
  cr_assert_eq(msd_world_save(world, buffer, needed - 1, &size), MSD_BUFFER_TOO_SMALL);
  for (size_t i = 0; i < needed; i++)
    cr_assert_eq(buffer[i], 0xab);
  cr_assert_eq(msd_world_save(world, buffer, needed + 8, &size), MSD_OK);
  cr_assert_eq(size, needed);
  for (size_t i = needed; i < needed + 8; i++)
    cr_assert_eq(buffer[i], 0xab);
  cr_assert_eq(msd_world_save(NULL, buffer, needed, &size), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_save(world, buffer, needed, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_restore(NULL, buffer, needed), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_restore(world, NULL, needed), MSD_BAD_SNAPSHOT);
  free(buffer);
  msd_destroy_world(world);
}

static size_t size_of_row(int32_t particles, int32_t constraints) {
  msd_world *world = empty_world();
  for (int32_t i = 0; i < particles; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position.x = (msd_real)i;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t i = 1; i < particles; i++)
    for (int twice = 0; twice < 2; twice++) {
      msd_spring_def spring = msd_default_spring_def();
      spring.a = i - 1;
      spring.b = i;
      ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    }
  for (int32_t i = 0; i < constraints; i++) {
    msd_constraint_def angle = msd_default_constraint_def();
    angle.kind = MSD_CONSTRAINT_ANGLE;
    for (int n = 0; n < 3; n++)
      angle.particles[n] = i + n;
    ASSERT_OK(world, msd_add_constraints(world, &angle, 1, NULL));
  }
  size_t size = 0;
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
  msd_destroy_world(world);
  return size;
}

/* As world.h says: a real is 4 bytes or 8. */
Test(snapshot, particles_springs_and_constraints_take_as_many_bytes_as_is_documented) {
  const bool is_double = sizeof(msd_real) == sizeof(double);
  const size_t particle = is_double ? 57 : 29, spring = is_double ? 34 : 22,
               constraint = is_double ? 146 : 82;
  cr_assert_eq(size_of_row(300, 0) - size_of_row(100, 0), 200 * (particle + 2 * spring));
  cr_assert_eq(size_of_row(100, 50) - size_of_row(100, 10), 40 * constraint);
}

Test(snapshot, saving_changes_nothing_and_equal_worlds_give_equal_bytes) {
  msd_world *one = busy_world(4), *other = busy_world(4);
  const uint64_t hash = msd_world_hash(one);
  const snapshot a = snapshot_of(one), b = snapshot_of(one), c = snapshot_of(other);
  cr_assert_eq(msd_world_hash(one), hash);
  cr_assert(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "saved twice");
  cr_assert(a.size == c.size && memcmp(a.data, c.data, a.size) == 0, "equal worlds");
  ASSERT_OK(other, msd_world_restore(other, a.data, a.size));
  const snapshot d = snapshot_of(other);
  cr_assert(a.size == d.size && memcmp(a.data, d.data, a.size) == 0, "saved, restored and saved");
  assert_continues("after saving", one, other);
  free(a.data);
  free(b.data);
  free(c.data);
  free(d.data);
  msd_destroy_world(one);
  msd_destroy_world(other);
}

/* Doubles are aligned to 8 bytes, so that a pin and its target have a gap between them. */
Test(snapshot, what_lies_between_the_fields_of_a_move_is_not_saved) {
  msd_world *clean = busy_world(0), *dirty = busy_world(0);
  const particle_store *p = &dirty->model.particles;
  cr_assert_gt(p->move_count, 0);
  for (int32_t n = 0; n < p->move_count; n++) {
    const pin_move move = p->moves[n];
    memset(&p->moves[n], 0xab, sizeof move);
    memcpy(&p->moves[n].particle, &move.particle, sizeof move.particle);
    memcpy(&p->moves[n].target, &move.target, sizeof move.target);
    memcpy(&p->moves[n].turn, &move.turn, sizeof move.turn);
  }
  const snapshot a = snapshot_of(clean), b = snapshot_of(dirty);
  cr_assert(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
  free(a.data);
  free(b.data);
  msd_destroy_world(clean);
  msd_destroy_world(dirty);
}

/* In the life of a world whose counts stay as they are. */
Test(snapshot, no_snapshot_is_larger_than_the_bound) {
  graph g = graph_shuffled(graph_cloth(22, 22, CLOTH_BEND), 3);
  msd_world *world = world_of(&g, &(making){LAWS_COEFFICIENT, .seed = 4, .pins = true});
  cr_assert_eq(msd_world_get_save_bound(NULL), 0);
  const size_t bound = msd_world_get_save_bound(world);
  size_t size, largest = 0;
  for (int frame = 0; frame < 4; frame++) {
    if (frame == 1) {
      ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
      ASSERT_OK(world, msd_world_set_impulse_warm_start(world, true));
    }
    for (int32_t e = 0; frame == 3 && e < msd_world_get_spring_count(world); e++)
      ASSERT_OK(world, msd_spring_move_rest_length_to(world, e, 1));
    if (frame == 3)
      for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
        ASSERT_OK(world, msd_particle_pin(world, i));
        ASSERT_OK(world, msd_particle_move_to(world, i, (msd_vec3){0, 1, 0}));
        ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){0, 1, 0}));
      }
    cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
    cr_assert_leq(size, bound, "frame %d", frame);
    cr_assert_eq(msd_world_get_save_bound(world), bound, "frame %d", frame);
    largest = size > largest ? size : largest;
    if (frame < 3)
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 2));
  }
  cr_assert_eq(largest, bound, "and this world reaches it");
  graph_free(&g);
  msd_destroy_world(world);
}

/* Buffers need no alignment. */
Test(snapshot, a_snapshot_may_lie_at_any_address) {
  msd_world *world = busy_world(2), *restored = empty_world();
  const snapshot b = snapshot_of(world);
  unsigned char *block = malloc(b.size + 16);
  cr_assert_not_null(block);
  for (size_t shift = 0; shift < 16; shift++) {
    size_t size;
    cr_assert_eq(msd_world_save(world, block + shift, b.size, &size), MSD_OK);
    ASSERT_OK(restored, msd_world_restore(restored, block + shift, size));
    assert_equal_worlds("shifted", world, restored);
  }
  free(block);
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(restored);
}

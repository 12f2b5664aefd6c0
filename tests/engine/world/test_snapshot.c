/* Snapshots: a restored world continues with the same bits; whatever is no whole snapshot is refused. */
#include "engine/world/world.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

#include <math.h>

static msd_world *empty_world(void) {
  const msd_world_def def = msd_default_world_def();
  return world_from_def(&def);
}

/* A frame of a run in which much happens, the same for equal frame numbers. */
static void play(msd_world *world, int frame) {
  const int32_t particles = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)(0.01 * frame), 0}));
  ASSERT_OK(world, msd_particle_apply_force(world, particles / 2, (msd_vec3){1, (msd_real)frame, 0}));
  ASSERT_OK(world, msd_spring_break(world, (frame * 37 + 5) % springs));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 1 + frame % 3));
}

/* Settings away from their defaults; broken springs, forces and moves that wait for the next step. */
static msd_world *busy_world(int frames) {
  graph g = graph_cloth(13, 9, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 3, .pins = true, .breaks = 11, .sides = 4});
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){1, -8, (msd_real)0.3}));
  ASSERT_OK(world, msd_world_set_air_drag(world, (msd_real)0.7));
  for (int frame = 0; frame < frames; frame++)
    play(world, frame);
  ASSERT_OK(world, msd_particle_move_to(world, 50, (msd_vec3){0, (msd_real)0.5, 0}));
  ASSERT_OK(world, msd_particle_apply_force(world, 7, (msd_vec3){0, 3, 0}));
  ASSERT_OK(world, msd_spring_break(world, 2));
  graph_free(&g);
  return world;
}

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
                  p.side == q.side,
              "%s: spring %d", what, s);
    cr_assert_eq(msd_spring_get_stiffness(one, s), msd_spring_get_stiffness(other, s), "%s: spring %d", what,
                 s);
  }
  const msd_vec3 g = msd_world_get_gravity(one), h = msd_world_get_gravity(other);
  cr_assert(g.x == h.x && g.y == h.y && g.z == h.z);
  cr_assert(msd_world_get_air_drag(one) == msd_world_get_air_drag(other) &&
            msd_world_get_integrator(one) == msd_world_get_integrator(other) &&
            msd_world_get_limit(one) == msd_world_get_limit(other));
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
    for (int limit = 0; limit < MSD_LIMIT_COUNT; limit++) {
      msd_world *original = busy_world(4), *restored = empty_world();
      ASSERT_OK(original, msd_world_set_integrator(original, (msd_integrator)integrator));
      ASSERT_OK(original, msd_world_set_limit(original, (msd_limit)limit));
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
  graph shuffled = graph_shuffled(graph_cloth(22, 22, CLOTH_BEND), 3), tangle = graph_random(400, 1500, 5);
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < MOMENTS; m++) {
      msd_world *original =
          world_of(k ? &tangle : &shuffled, &(making){LAWS_COEFFICIENT, .seed = 4, .pins = true});
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
  graph_free(&tangle);
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
  cr_assert_eq(msd_world_save_bound(NULL), 0);
  const size_t bound = msd_world_save_bound(world);
  size_t size, largest = 0;
  for (int frame = 0; frame < 4; frame++) {
    if (frame == 1) {
      ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
      ASSERT_OK(world, msd_world_set_impulse_warm_start(world, true));
    }
    if (frame == 3)
      for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
        ASSERT_OK(world, msd_particle_pin(world, i));
        ASSERT_OK(world, msd_particle_move_to(world, i, (msd_vec3){0, 1, 0}));
        ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){0, 1, 0}));
      }
    cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
    cr_assert_leq(size, bound, "frame %d", frame);
    cr_assert_eq(msd_world_save_bound(world), bound, "frame %d", frame);
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

/* ------------------------------------------------------------------------------- what is no whole snapshot */

/* A world that refuses must be as it was: its state, its settings, and how it goes on. */
typedef struct witness {
  msd_world *world;
  uint64_t hash;
  size_t size;
} witness;

static witness new_witness(void) {
  graph g = graph_rope(5, true);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 1, .pins = true, .breaks = 3});
  graph_free(&g);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 2));
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){1, 1, 1}));
  ASSERT_OK(world, msd_particle_apply_force(world, 2, (msd_vec3){1, 1, 1}));
  size_t size;
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
  return (witness){world, msd_world_hash(world), size};
}

static msd_result refused(witness *w, const void *data, size_t size) {
  const msd_result result = msd_world_restore(w->world, data, size);
  if (result == MSD_OK)
    return result;
  size_t now = 0;
  cr_assert_eq(msd_world_hash(w->world), w->hash, "a refused snapshot changed the world");
  cr_assert_eq(msd_world_save(w->world, NULL, 0, &now), MSD_OK);
  cr_assert_eq(now, w->size);
  cr_assert(strlen(msd_world_message(w->world)) > 10);
  return result;
}

Test(snapshot, a_snapshot_cut_anywhere_is_refused) {
  witness w = new_witness();
  msd_world *world = busy_world(2);
  const snapshot b = snapshot_of(world);
  for (size_t size = 0; size < b.size; size++) {
    unsigned char *cut = malloc(size + 1); /* of its own size, so that a sanitizer sees a read beyond */
    cr_assert_not_null(cut);
    memcpy(cut, b.data, size);
    cr_assert_eq(refused(&w, cut, size), MSD_BAD_SNAPSHOT, "cut at %zu of %zu", size, b.size);
    free(cut);
  }
  unsigned char *longer = malloc(b.size + 1);
  cr_assert_not_null(longer);
  memcpy(longer, b.data, b.size);
  longer[b.size] = 0;
  cr_assert_eq(refused(&w, longer, b.size + 1), MSD_BAD_SNAPSHOT);
  free(longer);
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

Test(snapshot, a_snapshot_with_any_byte_changed_is_refused) {
  witness w = new_witness();
  snapshot b = snapshot_of(w.world);
  const unsigned char masks[] = {0x01, 0x02, 0x10, 0x80, 0xff};
  for (size_t i = 0; i < b.size; i++)
    for (size_t m = 0; m < sizeof masks; m++) {
      b.data[i] ^= masks[m];
      cr_assert_neq(refused(&w, b.data, b.size), MSD_OK, "byte %zu ^ %02x is not noticed", i, masks[m]);
      b.data[i] ^= masks[m];
    }
  cr_assert_eq(refused(&w, b.data, b.size), MSD_OK);
  free(b.data);
  msd_destroy_world(w.world);
}

/* The beginning of the format, which every version keeps: 8 bytes of name, a checksum of all behind it, then
   as 32-bit numbers the version, the mark of the byte order, and the bytes of a real. */
enum { CHECKSUM_AT = 8, CHECKED_FROM = 16, VERSION_AT = 16, BYTE_ORDER_AT = 20, REAL_BYTES_AT = 24 };

Test(snapshot, other_versions_precisions_and_byte_orders_are_told_apart) {
  witness w = new_witness();
  snapshot b = snapshot_of(w.world);
  const unsigned char version = b.data[VERSION_AT];
  b.data[VERSION_AT] = (unsigned char)(version + 1);
  cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_VERSION);
  cr_assert(strstr(msd_world_message(w.world), "3"), "%s", msd_world_message(w.world));
  b.data[VERSION_AT] = 0;
  cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_VERSION);
  b.data[VERSION_AT] = version;
  b.data[REAL_BYTES_AT] = sizeof(msd_real) == 4 ? 8 : 4;
  cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_PRECISION);
  b.data[REAL_BYTES_AT] = sizeof(msd_real);
  for (size_t i = 0; i < 4; i += 3) {
    const unsigned char first = b.data[BYTE_ORDER_AT];
    b.data[BYTE_ORDER_AT] = b.data[BYTE_ORDER_AT + 3];
    b.data[BYTE_ORDER_AT + 3] = first;
    const unsigned char second = b.data[BYTE_ORDER_AT + 1];
    b.data[BYTE_ORDER_AT + 1] = b.data[BYTE_ORDER_AT + 2];
    b.data[BYTE_ORDER_AT + 2] = second;
    if (i == 0)
      cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_PRECISION);
  }
  cr_assert_eq(refused(&w, b.data, b.size), MSD_OK);
  free(b.data);
  msd_destroy_world(w.world);
}

Test(snapshot, random_bytes_are_refused) {
  witness w = new_witness();
  const snapshot b = snapshot_of(w.world);
  generator random = {.state = 1};
  for (int trial = 0; trial < 3000; trial++) {
    const size_t size = (size_t)random_below(&random, 600), keep = (size_t)random_below(&random, 64);
    unsigned char *noise = malloc(size + 1);
    cr_assert_not_null(noise);
    for (size_t i = 0; i < size; i++)
      noise[i] = (unsigned char)next_random(&random);
    if (trial % 2)
      memcpy(noise, b.data, keep < size ? keep : size);
    cr_assert_neq(refused(&w, noise, size), MSD_OK);
    free(noise);
  }
  free(b.data);
  msd_destroy_world(w.world);
}

static uint64_t fnv1a(const unsigned char *data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ data[i]) * 0x100000001b3u;
  return hash;
}

static void sign(snapshot *b) {
  const uint64_t sum = fnv1a(b->data + CHECKED_FROM, b->size - CHECKED_FROM);
  memcpy(b->data + CHECKSUM_AT, &sum, sizeof sum);
}

static bool is_finite_world(const msd_world *world) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
    if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z) && isfinite(v.x) && isfinite(v.y) && isfinite(v.z)))
      return false;
  }
  return true;
}

/* Changed on purpose, with the checksum made right again: refused, or a world that steps or diverges like any
   other, with what the public functions promise of its springs and pins. */
Test(snapshot, a_forged_snapshot_is_refused_or_makes_a_sound_world) {
  witness w = new_witness();
  snapshot b = snapshot_of(w.world);
  sign(&b);
  cr_assert_eq(refused(&w, b.data, b.size), MSD_OK, "the format has changed; this test signs with FNV-1a");
  const unsigned char masks[] = {0x01, 0x40, 0x7f, 0x80, 0xff};
  for (size_t i = CHECKED_FROM; i < b.size; i++)
    for (size_t m = 0; m < sizeof masks; m++) {
      b.data[i] ^= masks[m];
      sign(&b);
      msd_world *world = empty_world();
      if (msd_world_restore(world, b.data, b.size) == MSD_OK) {
        cr_assert(is_finite_world(world), "byte %zu ^ %02x", i, masks[m]);
        for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
          const msd_spring_def def = msd_spring_get_def(world, s);
          cr_assert_eq(msd_spring_retune(world, s, &def), MSD_OK, "byte %zu ^ %02x: %s", i, masks[m],
                       msd_world_message(world));
        }
        const msd_result result = msd_world_step(world, (msd_real)0.01, 2);
        cr_assert(result == MSD_OK || result == MSD_DIVERGED, "byte %zu ^ %02x: %s", i, masks[m],
                  msd_result_string(result));
        cr_assert(is_finite_world(world), "byte %zu ^ %02x", i, masks[m]);
      }
      msd_destroy_world(world);
      b.data[i] ^= masks[m];
    }
  free(b.data);
  msd_destroy_world(w.world);
}

/* Puts eight bytes in the place of others that are in the header once. */
static void replace_once(snapshot *b, const void *old, const void *new) {
  size_t found = 0, at = 0;
  for (size_t i = CHECKED_FROM; i + 8 <= b->size; i++)
    if (memcmp(b->data + i, old, 8) == 0) {
      found++;
      at = i;
    }
  cr_assert_eq(found, 1);
  memcpy(b->data + at, new, 8);
  sign(b);
}

/* The header has doubles and 64-bit counts, of which not every one is a number that a world can have. */
Test(snapshot, forged_settings_that_a_world_cannot_have_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){(msd_real)1.5, (msd_real)2.5, (msd_real)3.5}));
  ASSERT_OK(world, msd_world_set_air_drag(world, (msd_real)4.5));
  world->steps = 1234567890123;
  const double too_large[] = {sizeof(msd_real) == 4 ? 1e300 : INFINITY, INFINITY, NAN};
  const double settings[] = {1.5, 2.5, 3.5, 4.5};
  for (size_t n = 0; n < sizeof settings / sizeof settings[0]; n++)
    for (size_t t = 0; t < sizeof too_large / sizeof too_large[0]; t++) {
      snapshot b = snapshot_of(world);
      replace_once(&b, &settings[n], &too_large[t]);
      cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%g for %g", too_large[t], settings[n]);
      free(b.data);
    }
  const int64_t steps[] = {-1, INT64_MIN, INT64_MAX}; /* of which the last leaves no room for one more */
  for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++) {
    snapshot b = snapshot_of(world);
    replace_once(&b, &world->steps, &steps[n]);
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%lld steps", (long long)steps[n]);
    free(b.data);
  }
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

static bool is_permutation(msd_view view) {
  bool *seen = calloc((size_t)view.count + 1, sizeof *seen);
  cr_assert_not_null(seen);
  bool sound = true;
  for (int32_t i = 0; i < view.count && view.slot; i++) {
    sound = sound && view.slot[i] >= 0 && view.slot[i] < view.count && !seen[view.slot[i]];
    if (sound)
      seen[view.slot[i]] = true;
  }
  free(seen);
  return sound;
}

/* An irregular network brings its order along, in which every particle must have a place of its own. */
Test(snapshot, a_forged_order_is_refused_or_sound) {
  graph g = graph_random(300, 900, 1);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .soften = 16});
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.001, 1));
  cr_assert_not_null(msd_world_positions(world).slot, "the network has no order of its own");
  snapshot b = snapshot_of(world);
  msd_world *restored = empty_world();
  for (size_t i = CHECKED_FROM; i < b.size; i += 5) {
    const unsigned char mask = (unsigned char)(1u << i % 7);
    b.data[i] ^= mask;
    sign(&b);
    if (msd_world_restore(restored, b.data, b.size) == MSD_OK)
      cr_assert(is_permutation(msd_world_positions(restored)), "byte %zu ^ %02x", i, mask);
    b.data[i] ^= mask;
  }
  free(b.data);
  msd_destroy_world(restored);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(snapshot, a_snapshot_over_the_memory_limit_is_too_large) {
  graph g = graph_cloth(60, 60, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  const snapshot b = snapshot_of(world);
  msd_world_def def = msd_default_world_def();
  def.memory_limit = b.size / 2;
  msd_world *small = world_from_def(&def);
  const msd_particle_def particle = msd_default_particle_def();
  ASSERT_OK(small, msd_add_particles(small, &particle, 1, NULL));
  const msd_result result = msd_world_restore(small, b.data, b.size);
  cr_assert_eq(result, MSD_TOO_LARGE, "%s: %s", msd_result_string(result), msd_world_message(small));
  cr_assert_eq(msd_world_get_particle_count(small), 1);
  ASSERT_OK(small, msd_world_step(small, (msd_real)0.01, 1));
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(small);
  graph_free(&g);
}

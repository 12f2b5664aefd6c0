/* Stiffness and damping of indexed springs: as numbers of a palette, and as lanes where there are too many. */
#include "tests/support/kernels.h"
#include "tests/support/network_visits.h"

/* A network of springs of no pattern, hubs among them, and what each spring should be tuned to: the number of a
   pair. */
typedef struct sample {
  graph g;
  msd_real *rest;
  uint8_t *side;
  msd_real *inverse_mass;
  int32_t *wanted;
  memory memory;
  network net;
} sample;

/* Pairs from this one on have one damping. */
enum { ONE_DAMPING = 100000 };

/* All different, but for few in one of the two alone. */
static msd_real stiffness_of(int32_t pair) {
  return (msd_real)(pair < ONE_DAMPING ? pair % 37 : pair - ONE_DAMPING) / 8;
}

static msd_real damping_of(int32_t pair) {
  return (msd_real)(pair < ONE_DAMPING ? pair / 37 : 3) / 16;
}

static network_source source_of(const sample *s) {
  return (network_source){.particle_count = s->g.particles,
                          .spring_count = s->g.springs,
                          .a = s->g.a,
                          .b = s->g.b,
                          .rest = s->rest,
                          .side = s->side,
                          .inverse_mass = s->inverse_mass};
}

static void open_sample(sample *s, graph g, bool sided, memory m) {
  *s = (sample){.g = g, .rest = numbered_rests(&g), .memory = m};
  s->wanted = calloc((size_t)g.springs, sizeof *s->wanted);
  cr_assert_not_null(s->wanted);
  if (sided) {
    s->side = calloc((size_t)g.springs, 1);
    s->inverse_mass = reals_of((size_t)g.particles);
    cr_assert_not_null(s->side);
    for (int32_t i = 0; i < g.particles; i++)
      s->inverse_mass[i] = i % 11 == 0 ? 0 : 1;
    for (int32_t e = 0; e < g.springs; e += 5)
      s->side[e] = e % 2 ? MSD_SPRING_COMPRESSION_ONLY : MSD_SPRING_TENSION_ONLY;
  }
  const network_source source = source_of(s);
  cr_assert(network_compile(&s->net, &s->memory, &source));
}

static void close_sample(sample *s) {
  network_free(&s->net, &s->memory);
  cr_assert_eq(s->memory.used, 0);
  graph_free(&s->g);
  free(s->rest);
  free(s->side);
  free(s->inverse_mass);
  free(s->wanted);
}

static bool tune(sample *s, int32_t spring, int32_t pair) {
  const network_source source = source_of(s);
  if (!network_set_tuning(&s->net, &s->memory, &source, spring, stiffness_of(pair), damping_of(pair)))
    return false;
  s->wanted[spring] = pair;
  return true;
}

static void tune_all(sample *s, int32_t first, int32_t kinds) {
  network_begin_tuning(&s->net);
  for (int32_t e = 0; e < s->g.springs; e++)
    cr_assert(tune(s, e, first + e % kinds));
}

static void assert_lane(const sample *s, int32_t spring, int32_t part, int32_t lane) {
  const coefficient_class found = network_tuning_at(&s->net, network_material_of(&s->net, part), lane);
  const int32_t pair = s->wanted[spring];
  cr_assert(found.stiffness == stiffness_of(pair) && found.damping == damping_of(pair),
            "spring %d has %g and %g in lane %d, not %g and %g", spring, (double)found.stiffness,
            (double)found.damping, lane, (double)stiffness_of(pair), (double)damping_of(pair));
}

static void assert_all_as_tuned(const sample *s) {
  const network_source source = source_of(s);
  for (int32_t e = 0; e < s->g.springs; e++) {
    const network_place place = network_place_of(&s->net, &source, e);
    assert_lane(s, e, place.part, place.a);
    if (place.b >= 0)
      assert_lane(s, e, place.part, place.b);
  }
}

static bool has_palette(const network *n) {
  return n->palette.pair != NULL;
}

static bool has_lanes(const network *n) {
  return n->indexed.stiffness != NULL;
}

static graph penetration(void) {
  return graph_random(400, 3000, 1);
}

/* ----------------------------------------------------------------------------------------------- numbers */

Test(coefficient_palette, up_to_256_pairs_have_a_palette_and_more_have_lanes) {
  static const int32_t kinds[] = {1, 2, 255, 256, 257, 1000};
  for (int k = 0; k < 6; k++) {
    sample s;
    open_sample(&s, penetration(), false, unlimited());
    cr_assert_eq(s.net.contiguous_count, 0);
    tune_all(&s, 0, kinds[k]);
    assert_all_as_tuned(&s);
    cr_expect_eq(s.net.indexed_material.uniform, kinds[k] == 1);
    cr_expect_eq(has_palette(&s.net), kinds[k] > 1 && kinds[k] <= NETWORK_PALETTE_MAX, "%d pairs", kinds[k]);
    cr_expect_eq(has_lanes(&s.net), kinds[k] > NETWORK_PALETTE_MAX, "%d pairs", kinds[k]);
    if (has_palette(&s.net))
      cr_expect_eq(s.net.palette.count, kinds[k], "%d pairs are kept as %d", kinds[k], s.net.palette.count);
    close_sample(&s);
  }
}

/* The first from `spring` on that has lanes at both ends. */
static int32_t indexed_from(const sample *s, int32_t spring) {
  const network_source source = source_of(s);
  while (network_place_of(&s->net, &source, spring).b < 0)
    spring++;
  return spring;
}

Test(coefficient_palette, springs_of_one_damping_have_lanes_of_stiffness_alone_until_one_has_another) {
  for (int again = 0; again < 2; again++) {
    sample s;
    open_sample(&s, again ? graph_hubs(1500, 3) : penetration(), again, unlimited());
    tune_all(&s, ONE_DAMPING, 1000);
    cr_expect(has_lanes(&s.net) && !s.net.indexed.damping);
    assert_all_as_tuned(&s);
    const int32_t one = indexed_from(&s, 7);
    cr_assert(tune(&s, one, ONE_DAMPING + 2000));
    cr_expect(!s.net.indexed.damping);
    assert_all_as_tuned(&s);
    const size_t before = s.memory.used;
    cr_assert(tune(&s, indexed_from(&s, one + 1), 5));
    cr_expect_not_null(s.net.indexed.damping);
    cr_expect_gt(s.memory.used, before);
    assert_all_as_tuned(&s);
    tune_all(&s, ONE_DAMPING, 1000); /* lanes, which stay */
    assert_all_as_tuned(&s);
    tune_all(&s, 40, 1000);
    assert_all_as_tuned(&s);
    close_sample(&s);
  }
}

Test(coefficient_palette, springs_of_hubs_and_springs_to_pins_keep_their_numbers_too) {
  static const int32_t kinds[] = {1, 2, 256, 257, 1000};
  for (int k = 0; k < 5; k++)
    for (int sided = 0; sided < 2; sided++) {
      sample s;
      open_sample(&s, graph_hubs(1500, 3), sided, unlimited());
      cr_assert_gt(s.net.tail_count, 0);
      tune_all(&s, 3, kinds[k]);
      assert_all_as_tuned(&s);
      close_sample(&s);
    }
}

Test(coefficient_palette, springs_tuned_one_by_one_afterwards_keep_their_numbers_and_the_others_theirs) {
  static const int32_t kinds[] = {1, 2, 255, 256, 257};
  for (int k = 0; k < 5; k++) {
    sample s;
    open_sample(&s, penetration(), false, unlimited());
    tune_all(&s, 0, kinds[k]);
    cr_assert(tune(&s, 7, kinds[k] - 1)); /* a pair that is there */
    assert_all_as_tuned(&s);
    cr_assert(tune(&s, 8, kinds[k])); /* one that is not */
    assert_all_as_tuned(&s);
    cr_expect_eq(has_palette(&s.net), kinds[k] < NETWORK_PALETTE_MAX, "%d pairs and one", kinds[k]);
    for (int32_t pair = 2000; pair < 2400; pair++)
      cr_assert(tune(&s, pair % 3, pair));
    assert_all_as_tuned(&s);
    cr_expect(!has_palette(&s.net));
    close_sample(&s);
  }
}

Test(coefficient_palette, tuning_all_again_forgets_what_was) {
  static const int32_t kinds[] = {2, 256, 5, 1, 200, 1000, 3, 1, 256, 300};
  sample s;
  open_sample(&s, penetration(), false, unlimited());
  for (int round = 0; round < 10; round++) {
    tune_all(&s, 250 * round, kinds[round]);
    assert_all_as_tuned(&s);
    cr_expect_eq(s.net.indexed_material.uniform, kinds[round] == 1);
    if (round < 5 && round != 3)
      cr_expect_eq(s.net.palette.count, kinds[round], "%d pairs, round %d", s.net.palette.count, round);
  }
  close_sample(&s);
}

/* Of so many pairs some share the place where they are looked for first, unless the hash knows them all. */
Test(coefficient_palette, pairs_that_are_looked_for_in_one_place_are_told_apart_and_kept_once) {
  enum { PAIRS = 200 };
  sample s;
  open_sample(&s, penetration(), false, unlimited());
  tune_all(&s, 0, PAIRS);
  for (int32_t p = 0; p < PAIRS; p++)
    for (int32_t q = 0; q < PAIRS; q++) {
      cr_assert(tune(&s, 0, p) && tune(&s, 1, q) && tune(&s, 2, p));
      const network_source source = source_of(&s);
      for (int32_t e = 0; e < 3; e++) {
        const network_place place = network_place_of(&s.net, &source, e);
        assert_lane(&s, e, place.part, place.a);
        assert_lane(&s, e, place.part, place.b);
      }
    }
  assert_all_as_tuned(&s);
  cr_expect_eq(s.net.palette.count, PAIRS);
  close_sample(&s);
}

/* ------------------------------------------------------------------------------------------------ memory */

static void *allocate_some(size_t bytes, void *context) {
  int *left = context;
  return (*left)-- > 0 ? memory_default_allocator().allocate(bytes, NULL) : NULL;
}

static void release_any(void *block, void *context) {
  (void)context;
  memory_default_allocator().release(block, NULL);
}

/* Spring 5 gets another pair, with memory for so many requests. */
static void assert_kept_without_memory(sample *s, int *left, int32_t pair) {
  bool done = false;
  for (int requests = 0; !done; requests++) {
    cr_assert_lt(requests, 10);
    const size_t before = s->memory.used;
    *left = requests;
    done = tune(s, 5, pair);
    cr_expect(done || s->memory.used == before, "%zu bytes are left after request %d failed", s->memory.used,
              requests);
    cr_expect(!done || requests > 0);
    assert_all_as_tuned(s);
  }
  *left = 1000;
}

Test(coefficient_palette, without_memory_at_any_request_all_keep_their_numbers) {
  int left = 1000;
  const memory scarce = {.allocator = {allocate_some, release_any, &left}, .limit = SIZE_MAX};
  for (int32_t kinds = 1; kinds <= NETWORK_PALETTE_MAX; kinds += NETWORK_PALETTE_MAX - 1) {
    sample s;
    open_sample(&s, penetration(), false, scarce);
    tune_all(&s, 0, kinds);
    assert_kept_without_memory(&s, &left, kinds); /* for a palette, and for lanes */
    cr_expect_eq(has_palette(&s.net), kinds == 1);
    close_sample(&s);
  }
  sample s;
  open_sample(&s, penetration(), false, scarce);
  tune_all(&s, ONE_DAMPING, 300);
  assert_kept_without_memory(&s, &left, 5); /* for another damping */
  cr_expect_not_null(s.net.indexed.damping);
  close_sample(&s);
}

/* What springs differ in. */
typedef enum unlike { UNLIKE_FEW, UNLIKE_STIFFNESS, UNLIKE_BOTH } unlike;

static void set_numbers(msd_spring_def *def, unlike of, int32_t spring) {
  def->law = of == UNLIKE_FEW ? MSD_SPRING_COEFFICIENT : MSD_SPRING_STIFFNESS;
  def->ck = def->cd = MSD_MAX_STABLE;
  def->stiffness = 1 + (msd_real)spring / 65536;
  def->damping = of == UNLIKE_BOTH ? 2 + (msd_real)spring / 65536 : 2;
}

/* What a world holds after a step, at most, for each particle, less where it has one state in columns, and each
   spring, in four or eight bytes a real; and for the halos of threads. */
static void assert_bytes_of_shuffled_cloth(int32_t side, cloth_springs kind, int threads, unlike of) {
  enum { HALOS = 1 << 20 };
  static const int per_spring[] = {[UNLIKE_FEW] = 30, [UNLIKE_STIFFNESS] = 40, [UNLIKE_BOTH] = 52};
  graph g = graph_shuffled(graph_cloth(side, side, kind), 6);
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  msd_world *world = world_from_def(&def);
  msd_particle_def *particles = calloc((size_t)g.particles, sizeof *particles);
  msd_spring_def *springs = calloc((size_t)g.springs, sizeof *springs);
  cr_assert(particles && springs);
  for (int32_t i = 0; i < g.particles; i++) {
    particles[i] = msd_default_particle_def();
    particles[i].position = g.at[i];
  }
  for (int32_t e = 0; e < g.springs; e++) {
    springs[e] = msd_default_spring_def();
    set_numbers(&springs[e], of, e);
    springs[e].a = g.a[e];
    springs[e].b = g.b[e];
  }
  ASSERT_OK(world, msd_add_particles(world, particles, g.particles, NULL));
  ASSERT_OK(world, msd_add_springs(world, springs, g.springs, NULL));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.00390625, 8));
  const particle_store *p = &world->model.particles;
  const double per_particle = p->slab[!p->current] ? 160 : 136;
  const double most = (per_particle * (double)g.particles + per_spring[of] * (double)g.springs) *
                          (double)(sizeof(msd_real) / sizeof(float)) +
                      (threads > 1 ? HALOS : 0);
  const double found = (double)msd_world_get_stats(world).bytes;
  cr_expect_leq(found, most, "%d particles, %d springs: %.0f bytes, promised are %.0f", g.particles,
                g.springs, found, most);
  cr_expect_eq(has_palette(&world->stepper.network), of == UNLIKE_FEW);
  for (int32_t e = 0; e < g.springs; e++) {
    const msd_spring_def is = msd_spring_get_def(world, e);
    cr_assert(of == UNLIKE_FEW || (is.stiffness == springs[e].stiffness && is.damping == springs[e].damping),
              "spring %d has %g and %g", e, (double)is.stiffness, (double)is.damping);
  }
  free(particles);
  free(springs);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(coefficient_palette, a_shuffled_cloth_takes_160_bytes_a_particle_and_30_a_spring) {
  assert_bytes_of_shuffled_cloth(100, CLOTH_STRETCH, 1, UNLIKE_FEW);
  assert_bytes_of_shuffled_cloth(100, CLOTH_SHEAR, 1, UNLIKE_FEW);
  assert_bytes_of_shuffled_cloth(100, CLOTH_BEND, 1, UNLIKE_FEW);
  assert_bytes_of_shuffled_cloth(201, CLOTH_BEND, 1, UNLIKE_FEW);
}

Test(coefficient_palette, unlike_springs_take_40_bytes_with_one_damping_and_52_without) {
  for (unlike of = UNLIKE_STIFFNESS; of <= UNLIKE_BOTH; of++) {
    assert_bytes_of_shuffled_cloth(100, CLOTH_STRETCH, 1, of);
    assert_bytes_of_shuffled_cloth(100, CLOTH_BEND, 1, of);
    assert_bytes_of_shuffled_cloth(201, CLOTH_BEND, 1, of);
  }
}

Test(coefficient_palette, threads_take_a_megabyte_more_at_most) {
  for (int threads = 2; threads <= 5; threads++)
    for (int32_t side = 40; side <= 220; side += 30)
      assert_bytes_of_shuffled_cloth(side, CLOTH_SHEAR, threads, UNLIKE_FEW);
}

/* ----------------------------------------------------------------------------------------------- kernels */

static void tune_world(msd_world *world, int32_t first, int32_t kinds) {
  const network_source source = network_source_of(&world->model);
  network_begin_tuning(&world->stepper.network);
  for (int32_t e = 0; e < source.spring_count; e++)
    cr_assert(network_set_tuning(&world->stepper.network, &world->model.memory, &source, e,
                                 stiffness_of(first + e % kinds), damping_of(first + e % kinds)));
}

/* A state after one substep: six components in their slots. */
typedef struct outcome {
  msd_real *block;
  size_t reals;
} outcome;

static outcome advance(const msd_world *world, msd_simd width, bool with_records) {
  spring_input in = kernel_input(world);
  const outcome o = {.reals = COMPONENTS * in.stride + 2 * PARTICLE_GUARD, .block = NULL};
  const size_t records = ((size_t)in.net->group_count * NETWORK_GROUP + 2 * PARTICLE_GUARD) * RECORD_SIZE;
  msd_real *block = reals_of(o.reals), *read = reals_of(records), *write = reals_of(records);
  in.write.slab = block + PARTICLE_GUARD;
  if (with_records) {
    in.read.records = read + PARTICLE_GUARD * RECORD_SIZE;
    in.write.records = write + PARTICLE_GUARD * RECORD_SIZE;
    records_from_slab(in.read.slab, in.stride, read + PARTICLE_GUARD * RECORD_SIZE, 0,
                      (size_t)in.net->group_count * NETWORK_GROUP);
  }
  cr_assert(kernels_choose(width)->springs.advance_rows(&in, 0, in.net->group_count));
  free(read);
  free(write);
  return (outcome){block, o.reals};
}

static void assert_widths_agree(const msd_world *world, int32_t kinds) {
  const outcome scalar = advance(world, MSD_SIMD_SCALAR, false);
  for (int w = MSD_SIMD_128; w < MSD_SIMD_COUNT; w++)
    for (int with_records = 0; with_records < 2 && has_width((msd_simd)w); with_records++) {
      const outcome vector = advance(world, (msd_simd)w, with_records);
      cr_expect(memcmp(vector.block, scalar.block, scalar.reals * sizeof(msd_real)) == 0,
                "%d pairs, width %d", kinds, w);
      free(vector.block);
    }
  free(scalar.block);
}

/* Its springs are of few materials, so that it has a palette. */
static msd_world *stepped_world(graph g, int32_t sides) {
  const making m = {LAWS_PHYSICAL, .seed = 3, .soften = 64, .pins = true, .sides = sides};
  msd_world *world = world_of(&g, &m);
  graph_free(&g);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.00390625, 1));
  return world;
}

Test(coefficient_palette, every_kernel_has_the_bits_of_the_scalar_one_with_a_palette_and_with_lanes) {
  static const int32_t kinds[] = {1, 2, 3, 200, 256, 257, 999};
  for (int sides = 0; sides < 4; sides += 3) {
    msd_world *worlds[] = {stepped_world(penetration(), sides), stepped_world(graph_hubs(700, 4), sides),
                           stepped_world(graph_shuffled(graph_cloth(31, 33, CLOTH_BEND), 2), sides)};
    for (int n = 0; n < 3; n++) {
      for (int k = 0; k < 7; k++) {
        tune_world(worlds[n], 0, kinds[k]);
        cr_assert_eq(has_palette(&worlds[n]->stepper.network), kinds[k] <= NETWORK_PALETTE_MAX);
        assert_widths_agree(worlds[n], kinds[k]);
      }
      msd_destroy_world(worlds[n]);
    }
  }
}

Test(coefficient_palette, lanes_give_the_bits_of_the_palette_of_the_same_numbers) {
  msd_world *world = stepped_world(penetration(), 0);
  tune_world(world, 0, 100);
  cr_assert(has_palette(&world->stepper.network) && !has_lanes(&world->stepper.network));
  const outcome before = advance(world, MSD_SIMD_WIDEST, false);
  tune_world(world, 0, 1000); /* lanes, which stay */
  tune_world(world, 0, 100);
  cr_assert(!has_palette(&world->stepper.network) && has_lanes(&world->stepper.network));
  const outcome after = advance(world, MSD_SIMD_WIDEST, false);
  cr_expect(memcmp(before.block, after.block, before.reals * sizeof(msd_real)) == 0);
  free(before.block);
  free(after.block);
  msd_destroy_world(world);
}

Test(coefficient_palette, one_damping_gives_the_bits_of_a_lane_of_it_for_each_spring) {
  msd_world *world = stepped_world(graph_hubs(700, 4), 3);
  tune_world(world, ONE_DAMPING, 1000);
  cr_assert(has_lanes(&world->stepper.network) && !world->stepper.network.indexed.damping);
  assert_widths_agree(world, 1000);
  const outcome before = advance(world, MSD_SIMD_WIDEST, false);
  tune_world(world, 0, 1000); /* lanes of damping, which stay */
  tune_world(world, ONE_DAMPING, 1000);
  cr_assert_not_null(world->stepper.network.indexed.damping);
  const outcome after = advance(world, MSD_SIMD_WIDEST, false);
  cr_expect(memcmp(before.block, after.block, before.reals * sizeof(msd_real)) == 0);
  free(before.block);
  free(after.block);
  msd_destroy_world(world);
}

/* As a network has them in which some spring reaches farther. */
static void widen_partners(network *n, memory *m) {
  int32_t *partner = memory_allocate_items(m, n->indexed_room, sizeof *partner);
  cr_assert(n->near && partner);
  for (int32_t g = 0; g < n->group_count; g++)
    for (int32_t lane = n->groups[g].indexed * NETWORK_GROUP; lane < n->groups[g].indexed_end * NETWORK_GROUP;
         lane++)
      partner[lane] = g * NETWORK_GROUP + lane % NETWORK_GROUP + n->near[lane];
  for (int32_t t = 0; t < n->tail_count; t++)
    for (int32_t lane = n->tails[t].first; lane < n->tails[t].end; lane++)
      partner[lane] = n->tails[t].particle + n->near[lane];
  memory_release(m, n->near);
  n->near = NULL;
  n->partner = partner;
}

Test(coefficient_palette, partners_give_the_same_bits_in_two_bytes_and_in_four) {
  for (int sides = 0; sides < 4; sides += 3) {
    msd_world *worlds[] = {stepped_world(penetration(), sides), stepped_world(graph_hubs(700, 4), sides),
                           stepped_world(graph_shuffled(graph_cloth(31, 33, CLOTH_BEND), 2), sides)};
    for (int n = 0; n < 3; n++) {
      const outcome near = advance(worlds[n], MSD_SIMD_WIDEST, true);
      widen_partners(&worlds[n]->stepper.network, &worlds[n]->model.memory);
      assert_widths_agree(worlds[n], 1);
      const outcome wide = advance(worlds[n], MSD_SIMD_WIDEST, true);
      cr_expect(memcmp(near.block, wide.block, near.reals * sizeof(msd_real)) == 0);
      free(near.block);
      free(wide.block);
      msd_destroy_world(worlds[n]);
    }
  }
}

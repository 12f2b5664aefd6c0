/* The laws of springs: shared while they are few, and never another than the one that was given. */
#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"

#include "engine/store/spring.h"

enum { SPRINGS = 3000 };

typedef struct given {
  spring_store store;
  law expected[SPRINGS];
  memory memory;
} given;

static law numbered(int32_t n) {
  return (law){(uint8_t)(1 + n % 3), (msd_real)(n / 7), (msd_real)(n % 7)};
}

static void open_given(given *g) {
  *g = (given){.memory = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}};
  cr_assert(spring_store_reserve(&g->store, &g->memory, SPRINGS));
}

static void close_given(given *g) {
  spring_store_free(&g->store, &g->memory);
  cr_assert_eq(g->memory.used, 0);
}

static bool give_law(given *g, int32_t spring, law wanted, int32_t springs) {
  const bool done = law_table_set(&g->store.laws, &g->memory, spring, wanted, springs, SPRINGS);
  if (done)
    g->expected[spring] = wanted;
  return done;
}

static bool give(given *g, int32_t spring, int32_t number, int32_t springs) {
  return give_law(g, spring, numbered(number), springs);
}

static void assert_as_given(const given *g, int32_t springs) {
  for (int32_t e = 0; e < springs; e++) {
    const law is = law_table_get(&g->store.laws, e), was = g->expected[e];
    cr_assert(is.kind == was.kind && memcmp(&is.first, &was.first, sizeof is.first) == 0 &&
                  memcmp(&is.second, &was.second, sizeof is.second) == 0,
              "spring %d of law %d, %g, %g", e, is.kind, (double)is.first, (double)is.second);
  }
}

Test(law_table, each_spring_has_the_law_that_it_was_given_last) {
  static const int32_t different[] = {1, 2, 100, 128, 129, 255, 256, 257, 258, 2000};
  for (int k = 0; k < 10; k++) {
    given g;
    generator random = {.state = (uint64_t)k};
    open_given(&g);
    for (int32_t e = 0; e < SPRINGS; e++)
      cr_assert(give(&g, e, random_below(&random, different[k]), e));
    assert_as_given(&g, SPRINGS);
    for (int n = 0; n < SPRINGS; n++)
      cr_assert(give(&g, random_below(&random, SPRINGS), random_below(&random, different[k]), SPRINGS));
    assert_as_given(&g, SPRINGS);
    close_given(&g);
  }
}

Test(law_table, few_laws_take_a_byte_for_each_spring) {
  given g;
  open_given(&g);
  const size_t used = g.memory.used;
  for (int32_t e = 0; e < SPRINGS; e++)
    give(&g, e, e % 256, e);
  cr_expect_eq(g.memory.used, used);
  cr_expect_eq(g.store.laws.count, 256);
  assert_as_given(&g, SPRINGS);
  close_given(&g);
}

Test(law_table, many_laws_take_two_numbers_and_a_byte_for_each_spring) {
  given g;
  open_given(&g);
  const size_t before = g.memory.used;
  const int64_t shared = 256 * (int64_t)sizeof(law) + SPRINGS;
  cr_assert(law_table_split(&g.store.laws, &g.memory, 0, SPRINGS));
  cr_expect_eq((int64_t)g.memory.used - (int64_t)before,
               SPRINGS * (int64_t)(2 * sizeof(msd_real) + 1) - shared + (int64_t)memory_cost(0));
  close_given(&g);
}

Test(law_table, what_no_spring_has_any_more_makes_room) {
  given g;
  open_given(&g);
  for (int32_t e = 0; e < SPRINGS; e++)
    give(&g, e, e % 100, e);
  for (int32_t n = 0; n < 5000; n++) {
    give(&g, n % SPRINGS, n, SPRINGS);
    give(&g, n % SPRINGS, n % 100, SPRINGS);
  }
  cr_expect_not_null(g.store.laws.index);
  assert_as_given(&g, SPRINGS);
  close_given(&g);
}

Test(law_table, more_springs_keep_those_of_the_others) {
  for (int32_t different = 50; different <= 1000; different += 950) {
    given g = {.memory = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}};
    for (int32_t e = 0; e < SPRINGS; e++) {
      cr_assert(spring_store_reserve(&g.store, &g.memory, e + 1));
      cr_assert(law_table_set(&g.store.laws, &g.memory, e, numbered(e % different), e, g.store.capacity));
      g.expected[e] = numbered(e % different);
      g.store.count++;
    }
    cr_expect_eq(!g.store.laws.index, different > 256);
    assert_as_given(&g, SPRINGS);
    close_given(&g);
  }
}

static void *no_memory(size_t bytes, void *context) {
  (void)bytes;
  (void)context;
  return NULL;
}

Test(law_table, without_memory_for_one_more_all_keep_theirs) {
  given g;
  open_given(&g);
  for (int32_t e = 0; e < SPRINGS; e++)
    give(&g, e, e % 256, e);
  const memory plenty = g.memory;
  g.memory.allocator.allocate = no_memory;
  cr_expect(!give(&g, 7, 1000, SPRINGS));
  cr_expect(!law_table_reserve(&g.store.laws, &g.memory, SPRINGS, SPRINGS));
  cr_expect(!spring_store_reserve(&g.store, &g.memory, 2 * SPRINGS));
  assert_as_given(&g, SPRINGS);
  cr_expect(give(&g, 7, 200, SPRINGS), "one that is there needs no memory");
  g.memory.allocator = plenty.allocator;
  cr_expect(give(&g, 7, 1000, SPRINGS));
  assert_as_given(&g, SPRINGS);
  close_given(&g);
}

Test(law_table, after_a_reservation_64_more_need_no_memory) {
  for (int32_t before = 1; before <= 400; before += 9) {
    given g;
    open_given(&g);
    for (int32_t e = 0; e < 1000; e++)
      give(&g, e, e % before, e);
    cr_assert(law_table_reserve(&g.store.laws, &g.memory, 1000, SPRINGS));
    g.memory.allocator.allocate = no_memory;
    for (int32_t e = 1000; e < SPRINGS; e++)
      cr_assert(give(&g, e, 1000 + e % 64, e), "%d laws, then spring %d", before, e);
    assert_as_given(&g, SPRINGS);
    close_given(&g);
  }
}

/* All different in their first number; of so many kinds, and of one second number, or several, 0 and -0 among
   them. */
static law law_of(int32_t spring, int32_t kinds, int32_t seconds) {
  static const msd_real second[] = {0, (msd_real)-0.0, 1, 2};
  return (law){(uint8_t)(MSD_SPRING_STIFFNESS + spring % kinds), (msd_real)spring,
               second[seconds == 1 ? 3 : spring % seconds]};
}

static void open_settled(given *g, int32_t kinds, int32_t seconds) {
  open_given(g);
  cr_assert(law_table_split(&g->store.laws, &g->memory, 0, SPRINGS));
  for (int32_t e = 0; e < SPRINGS; e++)
    cr_assert(give_law(g, e, law_of(e, kinds, seconds), e));
  law_table_settle(&g->store.laws, &g->memory, SPRINGS);
}

Test(law_table, what_all_springs_have_alike_is_kept_once) {
  for (int32_t kinds = 1; kinds <= 2; kinds++)
    for (int32_t seconds = 1; seconds <= 4; seconds++) {
      given g;
      open_settled(&g, kinds, seconds);
      const law_table *t = &g.store.laws;
      cr_expect_eq(t->kind != NULL, kinds > 1, "%d kinds", kinds);
      cr_expect_eq(t->second != NULL, kinds > 1 || seconds > 1, "%d kinds, %d numbers", kinds, seconds);
      assert_as_given(&g, SPRINGS);
      law_table_settle(&g.store.laws, &g.memory, SPRINGS);
      assert_as_given(&g, SPRINGS);
      close_given(&g);
    }
}

Test(law_table, a_spring_may_differ_from_all_others_in_what_was_kept_once) {
  static const law others[] = {{MSD_SPRING_STIFFNESS, 7, 5},
                               {MSD_SPRING_STIFFNESS, 7, (msd_real)-0.0},
                               {MSD_SPRING_COEFFICIENT, 7, 0},
                               {MSD_SPRING_FREQUENCY, 3, 2}};
  for (int n = 0; n < 4; n++)
    for (int32_t seconds = 1; seconds <= 3; seconds += 2) {
      given g;
      open_settled(&g, 1, seconds);
      const memory plenty = g.memory;
      const bool needs = seconds == 1 || others[n].kind != MSD_SPRING_STIFFNESS;
      g.memory.allocator.allocate = no_memory;
      cr_expect_eq(give_law(&g, 40, others[n], SPRINGS), !needs, "law %d, %d numbers", n, seconds);
      assert_as_given(&g, SPRINGS);
      cr_expect(give_law(&g, 41, law_of(41000, 1, 1), SPRINGS) || seconds == 3);
      g.memory.allocator = plenty.allocator;
      cr_assert(give_law(&g, 40, others[n], SPRINGS));
      assert_as_given(&g, SPRINGS);
      close_given(&g);
    }
}

Test(law_table, what_is_kept_once_is_scaled_and_repeated_too) {
  for (int32_t kinds = 1; kinds <= 2; kinds++)
    for (int32_t seconds = 1; seconds <= 4; seconds += 3) {
      given g;
      open_settled(&g, kinds, seconds);
      law_table_repeat(&g.store.laws, 30, 1);
      g.expected[30] = g.expected[29];
      assert_as_given(&g, SPRINGS);
      law_table_scale(&g.store.laws, SPRINGS, 9);
      for (int32_t e = 0; e < SPRINGS; e++)
        g.expected[e] = law_scaled(g.expected[e], 9);
      assert_as_given(&g, SPRINGS);
      close_given(&g);
    }
}

Test(law_table, after_a_reservation_what_was_kept_once_may_differ_without_memory) {
  given g;
  open_settled(&g, 1, 1);
  cr_assert(law_table_reserve(&g.store.laws, &g.memory, SPRINGS, SPRINGS));
  g.memory.allocator.allocate = no_memory;
  for (int32_t e = 0; e < SPRINGS; e++)
    cr_assert(give(&g, e, e, SPRINGS));
  assert_as_given(&g, SPRINGS);
  close_given(&g);
}

/* ------------------------------------------------------------------------------------------------- worlds */

Test(law_table, numbers_that_mean_other_things_by_other_laws_are_told_apart) {
  const graph g = graph_rope(4, false);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  for (int32_t e = 0; e < 3; e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    def.law = (msd_spring_law)(MSD_SPRING_STIFFNESS + e);
    def.stiffness = def.ck = def.frequency = (msd_real)0.25;
    def.damping = def.cd = def.damping_ratio = (msd_real)0.5;
    ASSERT_OK(world, msd_spring_set_law(world, e, &def));
  }
  ASSERT_OK(world, msd_world_scale_stiffness(world, 4));
  const msd_spring_def physical = msd_spring_get_def(world, 0), coefficient = msd_spring_get_def(world, 1),
                       frequency = msd_spring_get_def(world, 2);
  cr_expect(physical.stiffness == 1 && physical.damping == 1);
  cr_expect(coefficient.ck == (msd_real)0.25 && coefficient.cd == (msd_real)0.5);
  cr_expect(frequency.frequency == (msd_real)0.5 && frequency.damping_ratio == (msd_real)0.5);
  msd_destroy_world(world);
}

/* More laws than are shared, all of one kind and of one damping, in a world that has been laid out. */
static msd_world *world_of_one_damping(scarce *s) {
  enum { ROPE = 300 };
  msd_world_def def = msd_default_world_def();
  def.allocator = scarce_allocator(s);
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_spring_def spring = msd_default_spring_def();
  spring.damping = (msd_real)0.125;
  for (int32_t i = 0; i <= ROPE; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position.x = (msd_real)i;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
    spring.a = i - 1;
    spring.b = i;
    spring.stiffness = (msd_real)i;
    if (i > 0)
      ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.001, 1));
  return world;
}

Test(law_table, only_what_was_one_in_all_springs_at_a_layout_asks_for_memory_again) {
  static const msd_spring_law kinds[] = {MSD_SPRING_STIFFNESS, MSD_SPRING_STIFFNESS, MSD_SPRING_FREQUENCY};
  static const double dampings[] = {0.125, 0.25, 0.125};
  for (int n = 0; n < 3; n++) {
    scarce s = {INT32_MAX, 0};
    msd_world *world = world_of_one_damping(&s);
    const msd_spring_def before = msd_spring_get_def(world, 7);
    msd_spring_def def = before;
    def.law = kinds[n];
    def.stiffness = def.frequency = 3;
    def.damping = def.damping_ratio = (msd_real)dampings[n];
    const uint64_t hash = msd_world_hash(world);
    s.left = 0;
    cr_expect_eq(msd_spring_set_law(world, 7, &def), n == 0 ? MSD_OK : MSD_OUT_OF_MEMORY, "law %d", n);
    cr_expect_eq(msd_springs_set_law(world, (msd_range){7, 2}, &def), MSD_OUT_OF_MEMORY, "law %d", n);
    cr_expect(n == 0 || msd_world_hash(world) == hash);
    s.left = INT32_MAX;
    ASSERT_OK(world, msd_spring_set_law(world, 7, &def));
    const msd_spring_def is = msd_spring_get_def(world, 7);
    cr_expect(is.law == def.law && (n == 2 ? is.frequency == 3 : is.damping == def.damping), "law %d", n);
    msd_destroy_world(world);
    cr_expect_eq(s.in_use, 0);
  }
}

/* Numbers that a spring once had do not stand in the way of what the springs now can take. */
Test(law_table, stiffness_that_was_taken_back_is_not_scaled) {
  const graph g = graph_rope(3, false);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  const msd_spring_def modest = msd_spring_get_def(world, 1);
  msd_spring_def huge = modest;
  huge.stiffness = (msd_real)(sizeof(msd_real) == 4 ? 1e38 : 1e308);
  ASSERT_OK(world, msd_spring_set_law(world, 1, &huge));
  cr_expect_eq(msd_world_scale_stiffness(world, 100), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_spring_set_law(world, 1, &modest));
  ASSERT_OK(world, msd_world_scale_stiffness(world, 100));
  cr_expect_eq(msd_spring_get_def(world, 1).stiffness, 100 * modest.stiffness);
  msd_destroy_world(world);
}

/* In one world springs get their numbers at once, in the other after those of another spring. */
Test(law_table, what_springs_had_before_changes_no_bit) {
  graph g = graph_cloth(20, 20, CLOTH_BEND);
  graph_join(&g, 3, 390);
  for (int32_t differ = 1; differ <= 400; differ += 399) {
    msd_world *one = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 1}),
              *other = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 1});
    for (int32_t e = 0; e < g.springs; e++) {
      msd_spring_def def = msd_spring_get_def(one, e);
      def.stiffness = (msd_real)(10 + e % differ);
      def.damping = (msd_real)0.125;
      ASSERT_OK(one, msd_spring_set_law(one, e, &def));
      ASSERT_OK(other, msd_spring_set_law(other, g.springs - 1 - e, &def));
    }
    for (int32_t e = 0; e < g.springs; e++) {
      const msd_spring_def def = msd_spring_get_def(one, e);
      cr_assert_eq(def.stiffness, (msd_real)(10 + e % differ));
      ASSERT_OK(other, msd_spring_set_law(other, e, &def));
    }
    ASSERT_OK(one, msd_world_step(one, (msd_real)0.001, 10));
    ASSERT_OK(other, msd_world_step(other, (msd_real)0.001, 10));
    cr_expect_eq(msd_world_hash(one), msd_world_hash(other));
    msd_destroy_world(one);
    msd_destroy_world(other);
  }
  graph_free(&g);
}

Test(law_table, springs_with_laws_of_their_own_take_any_number_of_laws_without_memory) {
  given g;
  open_given(&g);
  for (int32_t e = 0; e < 1000; e++)
    give(&g, e, e % 100, e);
  cr_assert(law_table_split(&g.store.laws, &g.memory, 1000, SPRINGS));
  assert_as_given(&g, 1000);
  const size_t used = g.memory.used;
  for (int32_t e = 1000; e < SPRINGS; e++)
    cr_assert(give(&g, e, e, e));
  cr_assert(law_table_split(&g.store.laws, &g.memory, SPRINGS, SPRINGS));
  cr_expect_eq(g.memory.used, used);
  assert_as_given(&g, SPRINGS);
  close_given(&g);
}

/* Particles and springs that are added to a world in use: appended to its layout, with the bits of a restored
   snapshot and of a layout made anew. */
#include "tests/support/changing.h"
#include "tests/support/rebuilt.h"
#include "tests/support/snapshots.h"
#include "tests/support/true_limit.h"

static const double FRAME = 0.0625;

static msd_world *restored(const msd_world *world, int threads, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  msd_world *copy = world_from_def(&def);
  const snapshot saved = snapshot_of(world);
  ASSERT_OK(copy, msd_world_restore(copy, saved.data, saved.size));
  ASSERT_OK(copy, msd_world_set_simd(copy, simd));
  free(saved.data);
  return copy;
}

/* Between any two particles, or to one that is added. */
static void add_one(msd_world *world, generator *random, const making *m) {
  const int32_t count = msd_world_get_particle_count(world), a = random_below(random, count - 1);
  const int32_t b = random_below(random, count - 1), kind = random_below(random, 4);
  msd_spring_def def = making_spring(m, 5 * a + b);
  def.a = kind == 2 ? 7 : a;
  def.b = b < def.a ? b : b + 1;
  if (kind == 3) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = msd_particle_get_position(world, a);
    particle.position.z += (msd_real)0.125;
    particle.pinned = b % 5 == 0;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, &def.b));
  }
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

static void add_some(msd_world *world, generator *random, const making *m) {
  const int32_t count = 1 + random_below(random, 6);
  for (int32_t n = 0; n < count; n++)
    add_one(world, random, m);
}

/* Enough of them that all is laid out anew now and then. */
static void assert_same_bits(const char *name, graph g, const making *m, int rounds) {
  static const msd_simd widths[] = {MSD_SIMD_WIDEST, MSD_SIMD_SCALAR};
  generator random = {.state = 3};
  msd_world *world = world_of(&g, m);
  step(world, 2);
  for (int round = 0; round < rounds; round++) {
    msd_world *copy = restored(world, 1 + round % 3, widths[round % 2]);
    generator again = random;
    for (int n = 0; n < 3; n++) {
      add_some(world, &random, m);
      add_some(copy, &again, m);
      if (round % 3 == 1) {
        change_one(world, &random, m);
        change_one(copy, &again, m);
      }
      if (n == 1)
        continue;
      step(world, 2);
      step(copy, 2);
      cr_assert_eq(first_difference(world, copy), -1, "%s, round %d, step %d: particle %d", name, round, n,
                   first_difference(world, copy));
    }
    msd_destroy_world(copy);
    if (round % 8 == 7)
      assert_goes_on_like_new(name, world);
  }
  msd_destroy_world(world);
  graph_free(&g);
}

Test(world_additions, have_the_bits_of_restored_worlds_and_of_new_layouts) {
  for (int of = 0; of < LAWS_COUNT; of++) {
    assert_same_bits("cloth", graph_cloth(19, 17, CLOTH_BEND), &(making){(laws)of, .seed = 4, .soften = 8},
                     16);
    assert_same_bits("penetration", graph_random(400, 1500, 8), &(making){(laws)of, .seed = 5, .soften = 32},
                     16);
  }
  assert_same_bits("sides", graph_cloth(19, 17, CLOTH_SHEAR),
                   &(making){LAWS_PHYSICAL, .seed = 4, .pins = true, .sides = 7}, 24);
  assert_same_bits("hard_limits", graph_shuffled(graph_cloth(19, 17, CLOTH_SHEAR), 3),
                   &(making){LAWS_PHYSICAL, .seed = 4, .pins = true, .sides = 5, .hard_limits = true}, 16);
}

Test(world_additions, have_the_same_bits_with_any_integrator_limit_and_watch_of_the_energy) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT + 2; n++) {
    const making m = {LAWS_PHYSICAL, .seed = 6, .pins = true, .undamped = true};
    generator random = {.state = 9};
    graph g = graph_cloth(17, 18, CLOTH_BEND);
    msd_world *world = world_of(&g, &m);
    ASSERT_OK(world, msd_world_set_integrator(
                         world, (msd_integrator)(n < MSD_INTEGRATOR_COUNT ? n : MSD_SYMPLECTIC_EULER)));
    if (n == MSD_INTEGRATOR_COUNT)
      ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_BOUNDED));
    if (n > MSD_INTEGRATOR_COUNT)
      ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
    for (int round = 0; round < 8; round++) {
      step(world, 2);
      msd_world *copy = restored(world, 2, MSD_SIMD_SCALAR);
      generator again = random;
      for (int k = 0; k < 2; k++) {
        add_some(world, &random, &m);
        add_some(copy, &again, &m);
        step(world, 3);
        step(copy, 3);
      }
      cr_assert_eq(first_difference(world, copy), -1, "case %d, round %d", n, round);
      msd_destroy_world(copy);
    }
    msd_destroy_world(world);
    graph_free(&g);
  }
}

static int32_t substeps_of(const msd_world *world) {
  int32_t substeps;
  cr_assert_eq(msd_world_find_substeps(world, (msd_real)FRAME, &substeps), MSD_OK);
  return substeps;
}

Test(world_additions, automatic_substeps_are_certified_by_eigenvalues_and_saved) {
  for (int of = 0; of < LAWS_COUNT; of++) {
    const making m = {(laws)of, .seed = 7, .soften = of == LAWS_PHYSICAL ? 1 : 32};
    generator random = {.state = 10};
    graph g = graph_cloth(9, 9, CLOTH_BEND);
    msd_world *world = world_of(&g, &m);
    ASSERT_OK(world, msd_world_step(world, (msd_real)FRAME, 0));
    for (int round = 0; round < 12; round++) {
      add_some(world, &random, &m);
      const int32_t substeps = substeps_of(world);
      msd_world *copy = restored(world, 1, MSD_SIMD_WIDEST);
      cr_assert_eq(substeps_of(copy), substeps);
      cr_assert_leq(true_radius(world, FRAME / substeps), 4, "law %d, round %d", of, round);
      ASSERT_OK(world, msd_world_step(world, (msd_real)FRAME, 0));
      ASSERT_OK(copy, msd_world_step(copy, (msd_real)FRAME, 0));
      cr_assert_eq(first_difference(world, copy), -1, "law %d, round %d", of, round);
      msd_destroy_world(copy);
    }
    msd_destroy_world(world);
    graph_free(&g);
  }
}

static void join(msd_world *world, int32_t a, int32_t b, double stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = (msd_real)stiffness;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

static void add_between(msd_world *world, int32_t a, int32_t b) {
  join(world, a, b, 2);
}

Test(world_additions, a_stiff_spring_asks_for_more_substeps) {
  graph g = graph_cloth(12, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  ASSERT_OK(world, msd_world_step(world, (msd_real)FRAME, 0));
  const int32_t before = substeps_of(world);
  join(world, 40, 43, 1e6);
  ASSERT_OK(world, msd_world_step(world, (msd_real)FRAME, 0));
  cr_assert_gt(substeps_of(world), 2 * before);
  cr_assert_leq(true_radius(world, FRAME / substeps_of(world)), 4);
  msd_destroy_world(world);
  graph_free(&g);
}

/* They would be a run in a layout of all. */
Test(world_additions, late_springs_are_late_in_restored_worlds) {
  graph g = graph_rope(300, false);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .seed = 3});
  step(world, 2);
  for (int32_t i = 20; i < 90; i++)
    add_between(world, i, i + 2);
  msd_world *copy = restored(world, 1, MSD_SIMD_WIDEST);
  step(world, 4);
  step(copy, 4);
  cr_assert_eq(first_difference(world, copy), -1);
  msd_world *early = made_anew(world);
  early->model.late_springs = 0;
  step(world, 64);
  step(early, 64);
  cr_assert_neq(first_difference(world, early), -1, "the order of sums makes no difference");
  msd_destroy_world(world);
  msd_destroy_world(copy);
  msd_destroy_world(early);
  graph_free(&g);
}

/* Particles that are shuffled find their order as a step begins, by the places that they have then. */
Test(world_additions, a_step_that_is_refused_lays_nothing_out) {
  const making m = {LAWS_PHYSICAL, .seed = 3};
  graph g = graph_shuffled(graph_cloth(20, 20, CLOTH_SHEAR), 5);
  msd_world *world = world_of(&g, &m), *other = world_of(&g, &m);
  const msd_real least = sizeof(msd_real) == sizeof(float) ? (msd_real)1e-45 : (msd_real)5e-324;
  const snapshot before = snapshot_of(world);
  cr_assert_eq(msd_world_step(world, least, 1000), MSD_BAD_FRAME_TIME);
  const snapshot behind = snapshot_of(world);
  cr_assert(before.size == behind.size && memcmp(before.data, behind.data, before.size) == 0);
  for (int n = 0; n < 2; n++)
    for (int32_t i = 0; i < g.particles; i += 3)
      ASSERT_OK(n == 0 ? world : other,
                msd_particle_set_position(n == 0 ? world : other, i, vec(i % 20, i % 7, i % 11)));
  step(world, 3);
  step(other, 3);
  cr_assert_eq(first_difference(world, other), -1);
  free(before.data);
  free(behind.data);
  msd_destroy_world(world);
  msd_destroy_world(other);
  graph_free(&g);
}

/* Late springs are behind the others until they are more than a 16th of these and 64. */
Test(world_additions, a_layout_stands_until_many_springs_are_late) {
  graph g = graph_cloth(12, 11, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  add_between(world, 0, 100);
  step(world, 1);
  const uint64_t topology = world->model.revision.topology;
  const int32_t springs = msd_world_get_spring_count(world), most = springs / 16 + 64;
  for (int32_t n = 1; n <= most; n++) {
    add_between(world, n % 40, 41 + n % 60);
    if (n % 16 == 0)
      step(world, 1);
    cr_assert_eq(world->model.late_springs, n);
  }
  step(world, 1);
  cr_assert_eq(world->model.revision.topology, topology);
  add_between(world, 3, 77);
  cr_assert_eq(world->model.revision.topology, topology + 1);
  cr_assert_eq(world->model.late_springs, 0);
  step(world, 1);
  add_between(world, 3, 78);
  cr_assert_eq(world->model.late_springs, 1);
  msd_destroy_world(world);
  graph_free(&g);
}

/* What is done to old springs before the new ones have their places. */
Test(world_additions, old_springs_may_change_before_the_next_step) {
  const making m = {LAWS_PHYSICAL, .seed = 4};
  graph g = graph_cloth(12, 11, CLOTH_BEND);
  msd_world *world = world_of(&g, &m);
  step(world, 2);
  for (int32_t n = 0; n < 12; n++) {
    add_between(world, n, 60 + n);
    ASSERT_OK(world, msd_spring_set_rest_length(world, 5 * n, (msd_real)0.375));
    ASSERT_OK(world, msd_spring_break(world, 7 * n + 1));
    ASSERT_OK(world, msd_particle_pin(world, 3 * n));
    ASSERT_OK(world, msd_spring_set_rest_length(world, g.springs + n, (msd_real)0.5));
    if (n % 3 == 2)
      ASSERT_OK(world, msd_spring_break(world, g.springs + n));
    step(world, 2);
    assert_goes_on_like_new("changed before it was laid out", world);
  }
  msd_destroy_world(world);
  graph_free(&g);
}

static void add_surface(msd_world *world, int32_t first, int32_t columns) {
  int32_t *corners = malloc(6 * (size_t)(columns * columns) * sizeof *corners);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  for (int32_t row = 0; row + 1 < columns; row++)
    for (int32_t column = 0; column + 1 < columns; column++) {
      const int32_t i = first + row * columns + column, below = i + columns;
      const int32_t two[6] = {i, i + 1, below, i + 1, below + 1, below};
      memcpy(corners + 3 * (size_t)def.triangle_count, two, sizeof two);
      def.triangle_count += 2;
    }
  def.triangles = corners;
  def.thickness = (msd_real)0.015625;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
  free(corners);
}

/* One upon the other, over a floor. */
Test(world_additions, bodies_fall_into_a_world_with_surfaces_and_colliders) {
  msd_world_def world_def = msd_default_world_def();
  msd_world *world = world_from_def(&world_def);
  msd_collider_def floor = msd_default_collider_def();
  ASSERT_OK(world, msd_add_colliders(world, &floor, 1, NULL));
  for (int n = 0; n < 6; n++) {
    msd_cloth_def cloth = msd_default_cloth_def();
    msd_body body;
    cloth.columns = cloth.rows = n == 0 ? 24 : 4;
    cloth.origin.z = (msd_real)(1 + n) / 4;
    ASSERT_OK(world, msd_add_cloth(world, &cloth, &body));
    if (n % 2 == 0)
      add_surface(world, body.particles.first, cloth.columns);
    if (n == 2)
      ASSERT_OK(world, msd_particle_pin(world, body.particles.first));
    step(world, 4);
    msd_world *copy = restored(world, 2, MSD_SIMD_WIDEST);
    step(copy, 4);
    step(world, 4);
    cr_assert_eq(first_difference(world, copy), -1, "body %d", n);
    msd_destroy_world(copy);
  }
  cr_assert_gt(world->model.late_springs, 0);
  msd_destroy_world(world);
}

/* Whatever request fails, the world goes on like one in which none has. */
Test(world_additions, without_memory_they_wait) {
  const making m = {LAWS_MIXED, .seed = 4, .soften = 8};
  graph g = graph_cloth(17, 17, CLOTH_SHEAR);
  bool done = false;
  for (int left = 0; !done; left++) {
    memory *of[2];
    msd_world *worlds[2];
    generator random[2] = {{.state = 5}, {.state = 5}};
    for (int n = 0; n < 2; n++) {
      worlds[n] = world_of(&g, &m);
      of[n] = &worlds[n]->model.memory;
      ASSERT_OK(worlds[n], msd_world_step(worlds[n], (msd_real)FRAME, 0));
      add_some(worlds[n], &random[n], &m);
      ASSERT_OK(worlds[n], msd_world_step(worlds[n], (msd_real)FRAME, 0));
      for (int k = 0; k < 8; k++)
        add_some(worlds[n], &random[n], &m);
    }
    const size_t limit = of[0]->limit;
    of[0]->limit = of[0]->used + 1024 * (size_t)left;
    const msd_result result = msd_world_step(worlds[0], (msd_real)FRAME, 0);
    of[0]->limit = limit;
    done = result == MSD_OK;
    cr_assert(done || strstr(msd_world_message(worlds[0]), "no memory"), "%s", msd_world_message(worlds[0]));
    if (!done)
      ASSERT_OK(worlds[0], msd_world_step(worlds[0], (msd_real)FRAME, 0));
    ASSERT_OK(worlds[1], msd_world_step(worlds[1], (msd_real)FRAME, 0));
    cr_assert_eq(first_difference(worlds[0], worlds[1]), -1, "%d KiB", left);
    msd_destroy_world(worlds[0]);
    msd_destroy_world(worlds[1]);
  }
  graph_free(&g);
}

/* The kernels of springs: against forces summed spring by spring in double, and every width against plain C,
   bit for bit. */
#include "tests/support/kernels.h"

#include <float.h>
#include <math.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
static const msd_real HUGE_COORDINATE =
    sizeof(msd_real) == sizeof(double) ? (msd_real)1.7e308 : (msd_real)3e38;
static const msd_simd WIDTHS[] = {MSD_SIMD_SCALAR, MSD_SIMD_128, MSD_SIMD_256, MSD_SIMD_512, MSD_SIMD_WIDEST};
enum { WIDTH_COUNT = sizeof WIDTHS / sizeof WIDTHS[0] };

/* A world, the same but for its width, and what became of both. */
static void assert_same(const char *name, msd_simd width, const msd_world *scalar, const msd_world *vector) {
  const int32_t different = first_difference(scalar, vector);
  cr_assert(different < 0,
            "%s, width %d: particle %d is at (%.9g, %.9g, %.9g), by the scalar step at (%.9g, %.9g, %.9g)",
            name, (int)width, different, (double)msd_particle_get_position(vector, different).x,
            (double)msd_particle_get_position(vector, different).y,
            (double)msd_particle_get_position(vector, different).z,
            (double)msd_particle_get_position(scalar, different).x,
            (double)msd_particle_get_position(scalar, different).y,
            (double)msd_particle_get_position(scalar, different).z);
  cr_assert_eq(msd_world_hash(scalar), msd_world_hash(vector), "%s, width %d", name, (int)width);
}

/* Steps, with forces and a broken spring on the way. Returns what the last step said. */
static msd_result go(msd_world *world, msd_simd width) {
  ASSERT_OK(world, msd_world_set_simd(world, width));
  ASSERT_OK(world, msd_world_set_thread_count(world, 1));
  const int32_t particles = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  msd_result result = MSD_OK;
  for (int frame = 0; frame < 3 && result == MSD_OK; frame++) {
    for (int32_t i = frame; i < particles; i += 7)
      ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){1, (msd_real)(i % 5), -2}));
    if (springs > 0)
      ASSERT_OK(world, msd_spring_break(world, springs / (frame + 2)));
    result = msd_world_step(world, (msd_real)0.015625, 3);
  }
  return result;
}

typedef void changer(msd_world *world);

static void assert_widths_agree(const char *name, const graph *g, const making *m, changer *change) {
  msd_world *scalar = world_of(g, m);
  if (change)
    change(scalar);
  const msd_result expected = go(scalar, MSD_SIMD_SCALAR);
  for (int w = 0; w < WIDTH_COUNT; w++) {
    msd_world *vector = world_of(g, m);
    if (change)
      change(vector);
    cr_assert_eq(go(vector, WIDTHS[w]), expected, "%s, width %d: %s", name, (int)WIDTHS[w],
                 msd_world_message(vector));
    cr_assert_str_eq(msd_world_message(vector), msd_world_message(scalar));
    assert_same(name, WIDTHS[w], scalar, vector);
    msd_destroy_world(vector);
  }
  msd_destroy_world(scalar);
}

static void assert_widths_agree_on_all_graphs(const making *m, changer *change) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++)
    assert_widths_agree(list[i].name, &list[i].graph, m, change);
  free_all_graphs(list);
}

/* ----------------------------------------------------------------------------- every width, the same bits */

Test(spring_force, physical_springs_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_PHYSICAL, .seed = 1, .soften = 16}, NULL);
}

Test(spring_force, coefficient_springs_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_COEFFICIENT, .seed = 2}, NULL);
}

Test(spring_force, frequency_springs_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_FREQUENCY, .seed = 3}, NULL);
}

Test(spring_force, mixed_laws_pins_and_broken_springs_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_MIXED, .seed = 4, .pins = true, .breaks = 5}, NULL);
}

Test(spring_force, tethers_and_struts_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_MIXED, .seed = 4, .pins = true, .breaks = 5, .sides = 3},
                                    NULL);
  assert_widths_agree_on_all_graphs(&(making){LAWS_COEFFICIENT, .seed = 5, .pins = true, .sides = 1}, NULL);
  assert_widths_agree_on_all_graphs(&(making){LAWS_PHYSICAL, .seed = 6, .soften = 16, .sides = 1}, NULL);
}

Test(spring_force, hubs_have_the_same_bits_at_every_width) {
  for (int32_t hubs = 1; hubs < 6; hubs++) {
    graph g = graph_hubs(500, hubs);
    assert_widths_agree("hubs", &g, &(making){LAWS_PHYSICAL, .seed = 1, .soften = 64}, NULL);
    assert_widths_agree("hubs of one material", &g, &(making){LAWS_COEFFICIENT, .seed = 2}, NULL);
    assert_widths_agree("hubs of tethers", &g,
                        &(making){LAWS_MIXED, .seed = 3, .pins = true, .sides = 3, .breaks = 4}, NULL);
    graph_free(&g);
  }
}

static void limit_and_drag(msd_world *world) {
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)0.75));
}

Test(spring_force, limited_springs_and_drag_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_MIXED, .seed = 5, .pins = true}, limit_and_drag);
}

static void shape_at_rest(msd_world *world) {
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
}

Test(spring_force, networks_at_rest_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_PHYSICAL, .soften = 16}, shape_at_rest);
}

/* A tenth of all particles stand where their lower neighbor stands; then all in one place. */
static void put_in_one_place(msd_world *world) {
  for (int32_t i = 1; i < msd_world_get_particle_count(world); i += 10)
    ASSERT_OK(world, msd_particle_set_position(world, i, msd_particle_get_position(world, i - 1)));
}

static void put_all_in_one_place(msd_world *world) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){1, 2, 3}));
}

Test(spring_force, particles_in_one_place_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_PHYSICAL, .seed = 6, .soften = 16}, put_in_one_place);
  assert_widths_agree_on_all_graphs(&(making){LAWS_MIXED, .seed = 7}, put_all_in_one_place);
}

static void use_explicit_euler(msd_world *world) {
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_EXPLICIT_EULER));
}

static void use_verlet(msd_world *world) {
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_VELOCITY_VERLET));
}

static void use_rk4(msd_world *world) {
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
}

Test(spring_force, the_other_integrators_have_the_same_bits_at_every_width) {
  const making m = {LAWS_MIXED, .seed = 8, .pins = true, .breaks = 9};
  const making with_sides = {LAWS_MIXED, .seed = 8, .pins = true, .sides = 3};
  assert_widths_agree_on_all_graphs(&m, use_explicit_euler);
  assert_widths_agree_on_all_graphs(&m, use_verlet);
  assert_widths_agree_on_all_graphs(&m, use_rk4);
  assert_widths_agree_on_all_graphs(&with_sides, use_rk4);
}

/* Lanes without a spring still read a neighbor: what stands there must not matter, however far off. */
static void scatter_to_the_ends_of_space(msd_world *world) {
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  const int32_t count = msd_world_get_particle_count(world);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    if (def.a % 11 == 3 || def.b % 11 == 3 || def.a % 11 == 5 || def.b % 11 == 5)
      ASSERT_OK(world, msd_spring_break(world, s));
  }
  for (int32_t i = 0; i < count; i++)
    if (i % 11 == 3 || i % 11 == 5) {
      const msd_real far = i % 11 == 3 ? HUGE_COORDINATE : -HUGE_COORDINATE;
      ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){far, far, -far}));
      ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, 0}));
    }
}

Test(spring_force, particles_without_springs_may_stand_at_the_ends_of_space) {
  graph shapes[] = {graph_cloth(32, 12, CLOTH_BEND), graph_shuffled(graph_cloth(32, 12, CLOTH_BEND), 1),
                    graph_random(500, 1500, 8)};
  const making m = {LAWS_COEFFICIENT, .seed = 9};
  for (int k = 0; k < 3; k++) {
    msd_world *world = world_of(&shapes[k], &m);
    scatter_to_the_ends_of_space(world);
    for (int w = MSD_SIMD_COUNT - 1; w >= 0; w--) {
      ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)w));
      const msd_result result = msd_world_step(world, (msd_real)0.015625, 4);
      cr_expect_eq(result, MSD_OK, "network %d, width %d: %s", k, w, msd_world_message(world));
    }
    msd_destroy_world(world);
    graph_free(&shapes[k]);
  }
}

/* At the smallest numbers there are, too: nothing is flushed to zero. */
static void shrink(msd_world *world) {
  const msd_real scale = sizeof(msd_real) == sizeof(double) ? (msd_real)1e-310 : (msd_real)1e-40f;
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){v.x * scale, v.y * scale, v.z * scale}));
  }
}

Test(spring_force, subnormal_velocities_have_the_same_bits_at_every_width) {
  assert_widths_agree_on_all_graphs(&(making){LAWS_PHYSICAL, .seed = 10, .soften = 16}, shrink);
}

/* One particle is about to leave the numbers; who is named, and the state that is kept, are the same. */
static void shoot(msd_world *world) {
  const int32_t count = msd_world_get_particle_count(world), i = count * 2 / 3;
  if (msd_particle_is_pinned(world, i))
    ASSERT_OK(world, msd_particle_unpin(world, i));
  ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){HUGE_COORDINATE, 0, 0}));
  ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){HUGE_COORDINATE, 0, 0}));
}

static void shoot_by_verlet(msd_world *world) {
  shoot(world);
  use_verlet(world);
}

static void shoot_by_rk4(msd_world *world) {
  shoot(world);
  use_rk4(world);
}

static void shoot_by_explicit_euler(msd_world *world) {
  shoot(world);
  use_explicit_euler(world);
}

Test(spring_force, every_width_diverges_at_the_same_particle_in_the_same_substep) {
  const making m = {LAWS_PHYSICAL, .seed = 11, .soften = 16, .breaks = 4};
  assert_widths_agree_on_all_graphs(&m, shoot);
  assert_widths_agree_on_all_graphs(&m, shoot_by_explicit_euler);
  assert_widths_agree_on_all_graphs(&m, shoot_by_verlet);
  assert_widths_agree_on_all_graphs(&m, shoot_by_rk4);
}

/* --------------------------------------------------------------------------------- kernel against kernel */

typedef struct bench {
  spring_input input;
  msd_real *block, *records[2], *expected;
  size_t reals; /* of six components */
  int32_t groups;
} bench;

static bench open_bench(const msd_world *world) {
  const particle_store *p = &world->model.particles;
  bench b = {.reals = COMPONENTS * p->stride, .groups = world->stepper.network.group_count};
  b.block = reals_of(b.reals + 2 * PARTICLE_GUARD);
  b.expected = reals_of(b.reals);
  for (int n = 0; n < 2; n++)
    b.records[n] = reals_of((size_t)b.groups * NETWORK_GROUP * RECORD_SIZE);
  b.input = kernel_input(world);
  b.input.write.slab = b.block + PARTICLE_GUARD;
  cr_assert(reference_advance(&b.input));
  memcpy(b.expected, b.input.write.slab, b.reals * sizeof *b.expected);
  records_from_slab(b.input.read.slab, p->stride, b.records[0], 0, (size_t)b.groups * NETWORK_GROUP);
  return b;
}

static void close_bench(bench *b) {
  free(b->block);
  free(b->records[0]);
  free(b->records[1]);
  free(b->expected);
}

static void assert_as_expected(const char *name, const char *way, const bench *b, bool finite) {
  cr_assert(finite, "%s, %s: not finite", name, way);
  cr_assert(memcmp(b->input.write.slab, b->expected, b->reals * sizeof *b->expected) == 0,
            "%s, %s: other bits", name, way);
  memset(b->input.write.slab, 0, b->reals * sizeof *b->expected);
}

/* The range of chunks first..last-1, with down sums of its own, which are zero again afterwards; where `out` is
   not NULL its accelerations alone. */
static bool go_through_runs(const bench *b, const spring_kernel *kernel, msd_real *out, int32_t first,
                            int32_t last) {
  const int32_t end = last * NETWORK_CHUNK_GROUPS < b->groups ? last * NETWORK_CHUNK_GROUPS : b->groups;
  const size_t stride = spring_down_stride(b->input.net, (last - first) * NETWORK_CHUNK);
  const size_t reals = 3 * stride + 2 * PARTICLE_GUARD;
  msd_real *down = reals_of(reals);
  const spring_down sums = {.sums = down + PARTICLE_GUARD, .stride = stride};
  bool finite = true;
  if (out)
    kernel->run_accelerations(&b->input, &sums, out, first * NETWORK_CHUNK_GROUPS, end);
  else
    finite = kernel->advance_runs(&b->input, &sums, first * NETWORK_CHUNK_GROUPS, end);
  for (size_t i = 0; i < reals; i++)
    cr_assert_eq(down[i], 0, "down sums of chunks %d to %d are left at %zu", first, last, i);
  free(down);
  return finite;
}

static bool advance_runs(const bench *b, const spring_kernel *kernel, int32_t first, int32_t last) {
  return go_through_runs(b, kernel, NULL, first, last);
}

/* Through rows and through runs, in one part and in two. */
static void assert_accelerations_agree(const char *name, const bench *b, const spring_kernel *kernel) {
  const size_t reals = 3 * b->input.stride;
  const int32_t chunks = b->input.net->chunk_count;
  msd_real *by_rows = reals_of(reals), *by_runs = reals_of(reals);
  kernel->accelerations(&b->input, by_rows, 0, b->groups);
  for (int32_t cut = 0; cut < chunks; cut += 1 + chunks / 5) {
    memset(by_runs, 0, reals * sizeof *by_runs);
    go_through_runs(b, kernel, by_runs, 0, cut);
    go_through_runs(b, kernel, by_runs, cut, chunks);
    cr_assert(memcmp(by_rows, by_runs, reals * sizeof *by_runs) == 0, "%s, cut at %d", name, (int)cut);
  }
  free(by_rows);
  free(by_runs);
}

static void assert_kernels_agree(const char *name, const msd_world *world) {
  bench b = open_bench(world);
  for (int w = 0; w < WIDTH_COUNT; w++) {
    const spring_kernel kernel = kernels_choose(WIDTHS[w])->springs;
    assert_as_expected(name, "rows", &b, kernel.advance_rows(&b.input, 0, b.groups));
    spring_input with_records = b.input;
    with_records.read.records = b.records[0];
    with_records.write.records = b.records[1];
    const bool finite = kernel.advance_rows(&with_records, 0, b.groups);
    const size_t reals = (size_t)b.groups * NETWORK_GROUP * RECORD_SIZE;
    msd_real *records = reals_of(reals);
    records_from_slab(b.input.write.slab, b.input.stride, records, 0, (size_t)b.groups * NETWORK_GROUP);
    for (size_t i = 0; i < reals; i++)
      if (i % 4 != 3)
        cr_assert_eq(records[i], b.records[1][i], "%s, width %d: record %zu", name, (int)WIDTHS[w],
                     i / RECORD_SIZE);
    free(records);
    assert_as_expected(name, "rows with records", &b, finite);
    assert_accelerations_agree(name, &b, &kernel);
    const int32_t chunks = b.input.net->chunk_count;
    assert_as_expected(name, "runs", &b, advance_runs(&b, &kernel, 0, chunks));
    for (int32_t cut = 1; cut < chunks; cut += 1 + chunks / 5) {
      const bool low = advance_runs(&b, &kernel, 0, cut);
      const bool high = advance_runs(&b, &kernel, cut, chunks);
      assert_as_expected(name, "runs in two parts", &b, low && high);
    }
  }
  close_bench(&b);
}

Test(spring_force, every_kernel_gives_finite_numbers_and_the_bits_of_plain_c) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++)
    for (int variant = 0; variant < 4; variant++) {
      msd_world *world =
          world_of(&list[i].graph, &(making){.laws = variant % 2 ? LAWS_MIXED : LAWS_COEFFICIENT,
                                             .seed = 15,
                                             .pins = true,
                                             .breaks = 6 * (variant % 2),
                                             .soften = 16,
                                             .sides = variant > 1 ? 7 - 2 * variant : 0});
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.00390625, 1));
      assert_kernels_agree(list[i].name, world);
      msd_destroy_world(world);
    }
  free_all_graphs(list);
}

/* ------------------------------------------------------------------------------------- the right forces */

/* v += dt (f/m + g), x += dt v, without springs less dt^2/2 (f/m + g), from the definitions of msd.h alone.
   With the largest sum of magnitudes at each particle, for the bound of the rounding. */
static void step_in_double(const msd_world *world, double dt, double (*x)[3], double (*v)[3],
                           double *magnitude) {
  const int32_t count = msd_world_get_particle_count(world);
  double(*force)[3] = calloc((size_t)count + 1, sizeof *force);
  bool *is_loose = calloc((size_t)count + 1, sizeof *is_loose);
  cr_assert(force && is_loose);
  for (int32_t i = 0; i < count; i++) {
    is_loose[i] = true;
    const msd_vec3 at = msd_particle_get_position(world, i), moving = msd_particle_get_velocity(world, i);
    x[i][0] = (double)at.x, x[i][1] = (double)at.y, x[i][2] = (double)at.z;
    v[i][0] = (double)moving.x, v[i][1] = (double)moving.y, v[i][2] = (double)moving.z;
    magnitude[i] = 0;
  }
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    if (msd_spring_is_broken(world, s))
      continue;
    const msd_spring_def def = msd_spring_get_def(world, s);
    double d[3], length = 0, rate = 0, speed = 0, size = 0;
    for (int c = 0; c < 3; c++) {
      d[c] = x[def.a][c] - x[def.b][c];
      length += d[c] * d[c];
      size += fabs(x[def.a][c]) + fabs(x[def.b][c]);
    }
    length = sqrt(length);
    is_loose[def.a] = is_loose[def.b] = false;
    if (length == 0)
      continue;
    for (int c = 0; c < 3; c++) {
      rate += (v[def.a][c] - v[def.b][c]) * d[c] / length;
      speed += fabs(v[def.a][c]) + fabs(v[def.b][c]);
    }
    const double k = (double)def.stiffness, mu = (double)def.damping;
    const double error = length - (double)def.rest_length, pull = k * error + mu * rate;
    const double side = def.mode == MSD_SPRING_TENSION_ONLY       ? 1
                        : def.mode == MSD_SPRING_COMPRESSION_ONLY ? -1
                                                                  : 0;
    if (side != 0 && !(side * error > 0 && side * pull > 0))
      continue;
    const double most = k * (size + length + (double)def.rest_length) + mu * speed * (1 + size / length);
    for (int c = 0; c < 3; c++) {
      force[def.a][c] -= pull * d[c] / length;
      force[def.b][c] += pull * d[c] / length;
    }
    magnitude[def.a] += most;
    magnitude[def.b] += most;
  }
  const double gravity[3] = {0, (double)msd_world_get_gravity(world).y, 0};
  for (int32_t i = 0; i < count; i++) {
    if (msd_particle_is_pinned(world, i))
      continue;
    for (int c = 0; c < 3; c++) {
      const double a = force[i][c] / (double)msd_particle_get_mass(world, i) + gravity[c];
      v[i][c] += dt * a;
      x[i][c] += dt * v[i][c] - (is_loose[i] ? dt * dt / 2 * a : 0);
    }
  }
  free(is_loose);
  free(force);
}

/* A quarter longer or shorter than it is: no rounding decides on which side of its rest length a spring is. */
static void strain_all(msd_world *world) {
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_real length = msd_spring_get_length(world, s);
    ASSERT_OK(world, msd_spring_set_rest_length(world, s, length * (msd_real)(s % 5 < 3 ? 0.75 : 1.25)));
  }
}

static void assert_forces_of_definitions(const making *m) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int k = 0; k < ALL_GRAPHS; k++) {
    const graph *g = &list[k].graph;
    msd_world *world = world_of(g, m);
    if (m->sides)
      strain_all(world);
    double(*x)[3] = calloc((size_t)g->particles, sizeof *x),
    (*v)[3] = calloc((size_t)g->particles, sizeof *v);
    double *magnitude = calloc((size_t)g->particles, sizeof *magnitude);
    cr_assert(x && v && magnitude);
    const double dt = 0.00390625;
    step_in_double(world, dt, x, v, magnitude);
    ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
    for (int32_t i = 0; i < g->particles; i++) {
      const msd_vec3 at = msd_particle_get_position(world, i), moving = msd_particle_get_velocity(world, i);
      const double found[6] = {(double)at.x,     (double)at.y,     (double)at.z,
                               (double)moving.x, (double)moving.y, (double)moving.z};
      const double bound =
          EPSILON * (8 + 16 * dt * (10 + magnitude[i] / (double)msd_particle_get_mass(world, i)));
      for (int c = 0; c < 3; c++) {
        cr_assert(fabs(found[c] - x[i][c]) <= bound + EPSILON * fabs(x[i][c]),
                  "%s, particle %d: at %.17g, not %.17g", list[k].name, i, found[c], x[i][c]);
        cr_assert(fabs(found[c + 3] - v[i][c]) <= bound, "%s, particle %d: moves at %.17g, not %.17g",
                  list[k].name, i, found[c + 3], v[i][c]);
      }
    }
    free(x);
    free(v);
    free(magnitude);
    msd_destroy_world(world);
  }
  free_all_graphs(list);
}

Test(spring_force, forces_are_those_of_the_definitions_to_rounding) {
  assert_forces_of_definitions(&(making){LAWS_PHYSICAL, .seed = 12, .pins = true, .breaks = 8});
}

Test(spring_force, forces_of_tethers_and_struts_are_those_of_their_side) {
  assert_forces_of_definitions(&(making){LAWS_PHYSICAL, .seed = 12, .pins = true, .breaks = 8, .sides = 3});
  assert_forces_of_definitions(&(making){LAWS_PHYSICAL, .seed = 13, .sides = 2});
  assert_forces_of_definitions(&(making){LAWS_PHYSICAL, .seed = 14, .pins = true, .sides = 1});
}

/* A group of tethers to one pin: one is longer or shorter than its rest length by some steps of rounding, the
   others are slack. */
Test(spring_force, a_tether_pulls_as_soon_as_it_is_longer_than_at_rest) {
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++)
    for (int steps = -40; steps <= 40; steps++) {
      msd_world_def def = msd_default_world_def();
      def.gravity = (msd_vec3){0, 0, 0};
      msd_world *world = world_from_def(&def);
      msd_particle_def particle = msd_default_particle_def();
      particle.pinned = true;
      ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
      particle.pinned = false;
      for (int32_t i = 1; i <= 32; i++) {
        particle.position.x = i == 21 ? (msd_real)(1 + steps * EPSILON) : (msd_real)0.9;
        ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
        msd_spring_def tether = msd_default_spring_def();
        tether.a = 0;
        tether.b = i;
        tether.law = MSD_SPRING_STIFFNESS;
        tether.stiffness = 1000;
        tether.rest_length = 1;
        tether.mode = MSD_SPRING_TENSION_ONLY;
        ASSERT_OK(world, msd_add_springs(world, &tether, 1, NULL));
      }
      ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)w));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.001, 1));
      for (int32_t i = 1; i <= 32; i++) {
        const double speed = (double)msd_particle_get_velocity(world, i).x;
        cr_assert(i == 21 && steps > 0 ? speed < 0 : speed == 0, "width %d, %d steps, particle %d: %g", w,
                  steps, (int)i, speed);
      }
      msd_destroy_world(world);
    }
}

/* Negation is exact, so action and reaction are. Both ends in one row, and far apart. */
Test(spring_force, the_ends_of_a_spring_feel_exactly_opposite_forces) {
  for (int32_t apart = 1; apart < 300; apart += 23)
    for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++) {
      generator random = {.state = (uint64_t)apart};
      graph g = graph_of_points(301);
      graph_join(&g, 0, apart);
      g.at[apart] = random_vector(&random, 1);
      msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
      ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
      ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)w));
      ASSERT_OK(world, msd_spring_set_rest_length(world, 0, (msd_real)0.3));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
      const msd_vec3 one = msd_particle_get_velocity(world, 0),
                     other = msd_particle_get_velocity(world, apart);
      cr_assert(one.x == -other.x && one.y == -other.y && one.z == -other.z);
      cr_assert(one.x != 0 || one.y != 0 || one.z != 0);
      msd_destroy_world(world);
      graph_free(&g);
    }
}

/* A particle whose springs are all broken falls as if it were alone, though its lanes are still there. */
Test(spring_force, a_particle_cut_loose_falls_as_if_alone) {
  graph g = graph_cloth(32, 8, CLOTH_BEND);
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++) {
    msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 13, .soften = 4});
    const msd_world_def def = msd_default_world_def();
    msd_world *alone = world_from_def(&def);
    const int32_t loose = 77;
    msd_particle_def particle = msd_default_particle_def();
    particle.position = msd_particle_get_position(world, loose);
    particle.velocity = msd_particle_get_velocity(world, loose);
    particle.mass = msd_particle_get_mass(world, loose);
    ASSERT_OK(alone, msd_add_particles(alone, &particle, 1, NULL));
    ASSERT_OK(alone, msd_world_set_simd(alone, MSD_SIMD_SCALAR));
    ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)w));
    for (int32_t s = 0; s < g.springs; s++)
      if (g.a[s] == loose || g.b[s] == loose)
        ASSERT_OK(world, msd_spring_break(world, s));
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.1, 10));
    ASSERT_OK(alone, msd_world_step(alone, (msd_real)0.1, 10));
    const msd_vec3 x = msd_particle_get_position(world, loose), y = msd_particle_get_position(alone, 0);
    cr_assert(memcmp(&x, &y, sizeof x) == 0);
    msd_destroy_world(world);
    msd_destroy_world(alone);
  }
  graph_free(&g);
}

/* Whole groups are stepped, also behind the last particle; rows rely on finding zeros there. */
Test(spring_force, nothing_moves_behind_the_last_particle) {
  for (int32_t count = 1; count < 50; count += 3)
    for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++)
      for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
        graph g = graph_rope(count, true);
        msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 14});
        ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)w));
        ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
        ASSERT_OK(world, msd_particle_apply_force(world, count - 1, (msd_vec3){1, 2, 3}));
        ASSERT_OK(world, msd_world_step(world, (msd_real)0.02, 3));
        const particle_store *p = &world->model.particles;
        for (size_t c = 0; c < COMPONENTS; c++)
          for (int32_t i = count; i < count + PARTICLE_GUARD; i++)
            cr_assert_eq(particle_state(p)[c * p->stride + (size_t)i], 0, "%d particles, component %zu",
                         count, c);
        msd_destroy_world(world);
        graph_free(&g);
      }
}

/* Without springs the motion is exact: x = g t^2/2, v = g t, whatever the substeps. */
Test(spring_force, substeps_share_the_frame_equally) {
  graph g = graph_of_points(3);
  msd_world *world = world_of(&g, &(making){0});
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, -8, 0}));
  ASSERT_OK(world, msd_world_step(world, 1, 4));
  cr_assert_eq(msd_particle_get_velocity(world, 2).y, -8);
  cr_assert_eq(msd_particle_get_position(world, 2).y, -4);
  cr_assert_eq(msd_world_get_steps(world), 4);
  cr_assert_eq(msd_world_get_time(world), 1);
  msd_destroy_world(world);
  graph_free(&g);
}

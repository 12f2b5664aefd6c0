/* Substeps on threads with halos: against substeps one by one in plain C, bit for bit. */
#include "tests/support/courses.h"
#include "tests/support/schedulers.h"

#include "engine/base/parallel.h"
#include "engine/step/halos.h"

/* A scheduler that has no time. */
static void *call_never(msd_task_function call, void *task_context, void *context) {
  (void)call, (void)task_context, (void)context;
  return NULL;
}

/* ------------------------------------------------------------------------------------------------- trials */

enum { DEPTH_MAX = 9, THREADS_MAX = 5 };

/* One way to take the substeps. */
typedef enum medium { ROWS, RUNS, RECORDS, ROWS_AND_RECORDS, RUNS_AND_RECORDS, MEDIUM_COUNT } medium;

typedef struct trial {
  halo_shape shape;
  msd_simd width;
  medium medium;
  const msd_tasks *tasks;
  int threads, substeps;
} trial;

static bool has_runs(medium m) {
  return m == RUNS || m == RUNS_AND_RECORDS;
}

static halo_run run_of(const course *c, const trial *t, msd_real *down, halo_memory *work) {
  return (halo_run){.shape = t->shape,
                    .kernel = kernels_choose(t->width)->springs,
                    .input = c->input,
                    .from = c->slab[0] + PARTICLE_GUARD,
                    .to = c->slab[1] + PARTICLE_GUARD,
                    .slabs = t->medium != RECORDS,
                    .records = t->medium >= RECORDS,
                    .down = down,
                    .memory = work,
                    .tasks = t->tasks,
                    .threads = t->threads,
                    .substeps = t->substeps};
}

/* Where nothing has been written yet there is no number. */
static void spoil(const course *c, const halo_memory *work) {
  memcpy(c->slab[0], c->block[0], c->reals * sizeof(msd_real));
  for (size_t k = 0; k < COMPONENTS; k++)
    memset(c->slab[1] + PARTICLE_GUARD + k * c->input.stride, 0xff, slot_count(c) * sizeof(msd_real));
  memset(work->reals, 0xff, work->size * sizeof(msd_real));
}

/* Takes the substeps of a trial. Beside what halo_advance says: the bits of all that it leaves, if all is
   finite; the first state stands as it was; and down sums are zero. */
static bool advance(const course *c, const trial *t, halo_memory *work) {
  char name[160];
  snprintf(name, sizeof name, "%s: depth %d, width %d, %d threads, %d substeps, vectors %d, medium %d",
           c->name, t->shape.depth, (int)t->shape.width, t->threads, t->substeps, (int)t->width,
           (int)t->medium);
  const size_t down_size = has_runs(t->medium) ? halo_down_size(c->input.net, &t->shape, t->threads) : 0;
  msd_real *down = down_size > 0 ? reals_of(down_size) : NULL;
  const halo_run run = run_of(c, t, down, work);
  cr_assert(halo_reserve(&run, &c->world->model.memory));
  spoil(c, work);
  const bool finite = halo_advance(&run);
  cr_assert(memcmp(c->slab[0], c->block[0], c->reals * sizeof(msd_real)) == 0,
            "%s: the first state is changed", name);
  for (size_t i = 0; i < down_size; i++)
    cr_assert(down[i] == 0, "%s: down sums are left at %zu", name, i);
  if (finite)
    cr_assert(memcmp(c->slab[1], c->block[t->substeps], c->reals * sizeof(msd_real)) == 0, "%s", name);
  free(down);
  return finite;
}

static int32_t least_width(const network *net) {
  const int32_t width = (net->reach + NETWORK_GROUP - 1) / NETWORK_GROUP;
  return width > 1 ? width : 1;
}

static bool has_room(const network *net, const halo_shape *shape, int threads) {
  return shape->depth >= 1 && shape->width * shape->depth <= net->group_count / threads;
}

/* Every width of vectors that there is, through all that it has. Returns how many. */
enum { WAYS_MAX = MEDIUM_COUNT * MSD_SIMD_COUNT };
static int list_ways(trial list[WAYS_MAX]) {
  int count = 0;
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++)
    for (int m = 0; m < MEDIUM_COUNT; m++)
      if (has_width((msd_simd)w))
        list[count++] = (trial){.width = (msd_simd)w, .medium = (medium)m};
  return count;
}

/* All shapes that there is room for; ways and numbers of substeps take turns. */
static void assert_same_in_all_shapes(course c) {
  trial ways[WAYS_MAX];
  const int way_count = list_ways(ways);
  halo_memory work = {0};
  int turn = 0;
  for (int depth = 1; depth <= DEPTH_MAX; depth++)
    for (int32_t more = 0; more < 2; more++)
      for (int threads = 1; threads <= THREADS_MAX; threads++) {
        const int substeps[] = {depth, depth + 1, 2 * depth + 1, 2 * depth - 1};
        trial t = ways[turn % way_count];
        t.shape = (halo_shape){.width = least_width(c.input.net) + more, .depth = depth};
        t.threads = threads;
        t.substeps = substeps[turn % 7 % 4];
        if (!has_room(c.input.net, &t.shape, t.threads))
          continue;
        turn++;
        cr_assert(advance(&c, &t, &work), "%s: not finite", c.name);
      }
  cr_assert_geq(turn, way_count / 2, "%s: %d trials", c.name, turn);
  halo_memory_free(&work, &c.world->model.memory);
  close_course(&c);
}

/* ----------------------------------------------------------------------------------------------- networks */

Test(halos, cloths_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(open_course("cloth", world_made(graph_cloth(24, 61, CLOTH_BEND), &LIVELY)));
  assert_same_in_all_shapes(
      open_course("wide cloth", world_made(graph_cloth(300, 11, CLOTH_SHEAR),
                                           &(making){LAWS_COEFFICIENT, .seed = 2, .pins = true})));
}

Test(halos, ropes_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(open_course("rope", world_made(graph_rope(1871, true), &LIVELY)));
  assert_same_in_all_shapes(open_course("small rope", world_made(graph_rope(700, false), &LIVELY)));
  assert_same_in_all_shapes(open_course("tiny rope", world_made(graph_rope(81, false), &LIVELY)));
}

Test(halos, springs_of_no_pattern_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(
      open_course("near", world_made(graph_near(1300, 3, 50, 5), &(making){LAWS_MIXED, .seed = 4})));
  assert_same_in_all_shapes(open_course(
      "patched cloth", world_made(graph_patched(30, 60, 200), &(making){LAWS_COEFFICIENT, .seed = 5})));
}

Test(halos, hubs_have_the_bits_of_single_substeps) {
  course c = open_course("hubs", world_made(graph_near_hubs(2001, 400, 120),
                                            &(making){LAWS_COEFFICIENT, .seed = 6, .pins = true}));
  cr_assert_gt(c.input.net->tail_count, 3);
  assert_same_in_all_shapes(c);
}

Test(halos, broken_springs_pins_and_other_materials_have_the_bits_of_single_substeps) {
  const making m = {LAWS_MIXED, .seed = 7, .pins = true, .breaks = 5};
  assert_same_in_all_shapes(open_course("mixed cloth", world_made(graph_cloth(21, 67, CLOTH_BEND), &m)));
}

Test(halos, tethers_and_struts_have_the_bits_of_single_substeps) {
  const making m = {LAWS_PHYSICAL, .seed = 8, .soften = 8, .sides = 3};
  assert_same_in_all_shapes(open_course("one-sided", world_made(graph_cloth(21, 67, CLOTH_BEND), &m)));
}

Test(halos, tethers_to_pins_farther_than_the_halo_have_the_bits_of_single_substeps) {
  course c = open_course("tethered", tethered_cloth(48, 40, &LIVELY));
  cr_assert_gt(c.input.net->held_row_count, 30);
  cr_assert_eq(c.input.net->reach, 2 * 48, "held rows count for no reach");
  assert_same_in_all_shapes(c);
}

/* Pins that drift are no matter where nothing is held; forces act in every substep; and a flat cloth has zeros
   of both signs. */
Test(halos, drifting_pins_forces_and_signed_zeros_have_the_bits_of_single_substeps) {
  course c = open_course("pushed", world_made(graph_cloth(23, 49, CLOTH_BEND),
                                              &(making){LAWS_PHYSICAL, .soften = 8, .pins = true}));
  msd_real *force = reals_of(c.reals), *state = state_of(&c, 0);
  const size_t stride = c.input.stride;
  for (size_t i = 0; i < slot_count(&c); i++) {
    state[VELOCITY_X * stride + i] = c.input.net->inverse_mass[i] == 0 ? 1 : 0;
    state[POSITION_Z * stride + i] = i % 2 ? (msd_real)-0.0 : 0;
    state[VELOCITY_Z * stride + i] = i % 3 ? (msd_real)-0.0 : 0;
    force[PARTICLE_GUARD + stride * (i % 2) + i] = (msd_real)(i % 5) - 2;
  }
  c.input.force = force + PARTICLE_GUARD;
  c.input.decay = 1;
  cr_assert(take_plain_substeps(&c));
  assert_same_in_all_shapes(c);
  free(force);
}

#ifndef __wasm__

/* Each shape on as many threads as come: none beside the caller, some, all. */
Test(halos, fewer_threads_than_asked_for_have_the_bits_of_single_substeps) {
  host_pool pool;
  host_pool_open(&pool, 2);
  const msd_tasks few = host_pool_tasks(&pool), none = {call_never, forget_task, NULL, THREADS_MAX};
  course c = open_course("cloth", world_made(graph_cloth(24, 61, CLOTH_BEND), &LIVELY));
  halo_memory work = {0};
  for (int n = 0; n < 60; n++) {
    trial t = {.width = MSD_SIMD_WIDEST,
               .medium = (medium)(n % MEDIUM_COUNT),
               .tasks = n % 2 ? &few : &none,
               .threads = 2 + n % (THREADS_MAX - 1),
               .substeps = 7};
    t.shape = (halo_shape){.width = least_width(c.input.net), .depth = 1 + n % 4};
    if (has_room(c.input.net, &t.shape, t.threads))
      cr_assert(advance(&c, &t, &work));
  }
  halo_memory_free(&work, &c.world->model.memory);
  close_course(&c);
  host_pool_close(&pool);
}

#endif

/* ------------------------------------------------------------------------------------------ what may fail */

Test(halos, a_position_that_is_not_finite_is_told_and_the_first_state_is_kept) {
  enum { FREE = 634 };
  graph whole = graph_cloth(20, 60, CLOTH_BEND), g = graph_of_points(whole.particles);
  memcpy(g.at, whole.at, (size_t)g.particles * sizeof *g.at);
  for (int32_t s = 0; s < whole.springs; s++)
    if (whole.a[s] != FREE && whole.b[s] != FREE)
      graph_join(&g, whole.a[s], whole.b[s]);
  graph_free(&whole);
  course c = open_course("shot", world_made(g, &LIVELY));
  c.input.decay = 1;
  trial ways[WAYS_MAX];
  const int way_count = list_ways(ways);
  halo_memory work = {0};
  for (int failing = 1; failing <= 10; failing += failing % 4 == 1 ? 1 : 3) {
    shoot(&c, FREE, failing);
    cr_assert(!take_plain_substeps(&c));
    for (int n = 0; n < 2 * way_count; n++) {
      trial t = ways[n / 2];
      t.shape = (halo_shape){.width = 3, .depth = n % 2 ? 1 : 4};
      t.threads = 1 + n % THREADS_MAX;
      t.substeps = 9;
      cr_assert_eq(advance(&c, &t, &work), failing > 9, "fails in substep %d, width %d", failing,
                   (int)t.width);
      if (failing > 1) { /* and the substeps before it are as good as any */
        t.substeps = failing - 1;
        cr_assert(advance(&c, &t, &work), "fails after %d substeps, width %d", t.substeps, (int)t.width);
      }
    }
  }
  halo_memory_free(&work, &c.world->model.memory);
  close_course(&c);
}

/* ----------------------------------------------------------------------------------------------- choosing */

static network network_of(int32_t particles, int32_t reach) {
  return (network){.group_count = (particles + NETWORK_GROUP - 1) / NETWORK_GROUP,
                   .chunk_count = (particles + NETWORK_CHUNK - 1) / NETWORK_CHUNK,
                   .reach = reach};
}

Test(halos, the_chosen_shape_reaches_as_far_as_springs_and_fits_into_every_range) {
  for (int32_t particles = 1; particles < 200000; particles = particles * 5 / 3 + 1)
    for (int32_t reach = 0; reach < particles; reach = reach * 5 / 3 + 1)
      for (int threads = 1; threads <= 256; threads += 1 + threads / 3)
        for (int substeps = 1; substeps < 200; substeps = substeps * 3 / 2 + 1) {
          const network net = network_of(particles, reach);
          const halo_shape shape = halo_choose(&net, threads, substeps);
          cr_assert(shape.width >= 1 && shape.width * NETWORK_GROUP >= reach);
          cr_assert(shape.depth >= 0 && shape.depth <= substeps);
          cr_assert(shape.depth == 0 || has_room(&net, &shape, threads), "%d particles, reach %d, %d threads",
                    particles, reach, threads);
        }
}

Test(halos, there_are_halos_wherever_a_range_has_room_for_one) {
  const network cloth = network_of(576, 48), far = network_of(576, 300), rope = network_of(1000, 2);
  cr_expect_eq(halo_choose(&cloth, 2, 16).depth, 1);
  cr_expect_eq(halo_choose(&far, 2, 16).depth, 0, "a spring over half of the network");
  cr_expect_gt(halo_choose(&rope, 2, 16).depth, 1, "several substeps between two copies");
  cr_expect_eq(halo_choose(&rope, 64, 16).depth, 0, "a thread without a group");
}

/* ------------------------------------------------------------------------------------------------- worlds */

enum { STEPS = 6, SUBSTEPS = 9 };

/* Steps of so many substeps each; pins move, forces act, and springs break between them. */
static void go(msd_world *world, int threads, int each) {
  for (int n = 0; n < STEPS * SUBSTEPS; n += each) {
    if (n % SUBSTEPS == 0) {
      ASSERT_OK(world, msd_spring_break(world, 7 + n));
      ASSERT_OK(world, msd_particle_set_velocity(world, 301, (msd_vec3){0, (msd_real)n / 64, 1}));
    }
    const msd_real x = (msd_real)(n + each) / 8192;
    ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){x, 0, 0}));
    ASSERT_OK(world, msd_particle_apply_force(world, 5, (msd_vec3){0, 0, 1}));
    ASSERT_OK(world, msd_world_set_thread_count(world, threads)); /* which tries that many again */
    ASSERT_OK(world, msd_world_step(world, (msd_real)each / 1024, each));
  }
}

static msd_world *hanging_cloth(void) {
  msd_world *world = world_made(graph_cloth(24, 24, CLOTH_BEND), &LIVELY);
  ASSERT_OK(world, msd_particle_set_position(world, 0, (msd_vec3){0, 0, 0}));
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){0, 0, 0}));
  ASSERT_OK(world, msd_particle_pin(world, 0));
  return world;
}

static bool has_halos(const msd_world *world) {
  return world->stepper.halos.reals;
}

Test(halos, a_small_cloth_steps_alike_in_one_call_and_in_many_on_any_number_of_threads) {
  msd_world *single = hanging_cloth();
  go(single, 4, 1);
  cr_expect(!has_halos(single), "one substep has nobody to wait for");
  for (int threads = 1; threads <= 6; threads++) {
    msd_world *world = hanging_cloth();
    go(world, threads, SUBSTEPS);
    cr_expect(first_difference(single, world) < 0, "%d threads", threads);
    cr_expect_eq(msd_world_hash(world), msd_world_hash(single), "%d threads", threads);
    cr_expect_eq(has_halos(world), threads > 1 && msd_world_get_thread_count(world) > 1, "%d threads",
                 threads);
    msd_destroy_world(world);
  }
  msd_destroy_world(single);
}

/* On the 2 threads of a host, whose second one never comes: there are halos wherever there may be. */
static bool uses_halos(msd_world *world) {
  const msd_tasks tasks = {call_never, forget_task, NULL, 2};
  ASSERT_OK(world, msd_world_set_tasks(world, &tasks));
  ASSERT_OK(world, msd_world_set_thread_count(world, 2));
  ASSERT_OK(world, msd_world_step(world, (msd_real)SUBSTEPS / 1024, SUBSTEPS));
  const bool some = has_halos(world);
  msd_destroy_world(world);
  return some;
}

Test(halos, only_what_springs_alone_move_and_no_account_watches_has_halos) {
  cr_expect(uses_halos(hanging_cloth()));
  msd_world *watched = hanging_cloth();
  ASSERT_OK(watched, msd_world_set_energy_mode(watched, MSD_ENERGY_MONITOR));
  cr_expect(!uses_halos(watched), "an account of energy");
  msd_world *constrained = hanging_cloth();
  msd_constraint_def angle = msd_default_constraint_def();
  angle.kind = MSD_CONSTRAINT_ANGLE;
  for (int n = 0; n < 3; n++)
    angle.particles[n] = 40 + n;
  ASSERT_OK(constrained, msd_add_constraints(constrained, &angle, 1, NULL));
  cr_expect(!uses_halos(constrained), "a constraint");
  msd_world *impulsive = hanging_cloth();
  ASSERT_OK(impulsive, msd_world_set_integrator(impulsive, MSD_SEQUENTIAL_IMPULSE));
  cr_expect(!uses_halos(impulsive), "another integrator");
  msd_world *held = tethered_cloth(24, 24, &LIVELY);
  cr_expect(uses_halos(held), "pins that stand");
  msd_world *moving = tethered_cloth(24, 24, &LIVELY);
  ASSERT_OK(moving, msd_particle_move_to(moving, 0, (msd_vec3){1, 0, 0}));
  cr_expect(!uses_halos(moving), "a pin that moves and holds others");
}

/* A cloth whose last particle, which has no springs, leaves the numbers `failing` substeps from now. */
static msd_world *shooting_cloth(int threads, int failing) {
  const msd_tasks tasks = {call_never, forget_task, NULL, 2};
  msd_world *world = hanging_cloth();
  msd_particle_def particle = msd_default_particle_def();
  int32_t shot;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, &shot));
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  ASSERT_OK(world, msd_world_set_linear_damping(world, 0));
  if (threads == 2)
    ASSERT_OK(world, msd_world_set_tasks(world, &tasks));
  ASSERT_OK(world, msd_world_set_thread_count(world, threads));
  ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 1024, 1));
  const msd_real room = LARGEST / 4096;
  ASSERT_OK(world, msd_particle_set_position(world, shot, (msd_vec3){LARGEST - room, 0, 0}));
  ASSERT_OK(world, msd_particle_set_velocity(
                       world, shot, (msd_vec3){room * 1024 / ((msd_real)failing - (msd_real)0.5), 0, 0}));
  return world;
}

Test(halos, a_world_that_diverges_has_its_last_finite_state_with_halos_and_without) {
  for (int failing = 1; failing <= SUBSTEPS; failing++) {
    msd_world *plain = shooting_cloth(1, failing), *halos = shooting_cloth(2, failing);
    cr_expect_eq(msd_world_step(plain, (msd_real)SUBSTEPS / 1024, SUBSTEPS), MSD_DIVERGED);
    cr_expect_eq(msd_world_step(halos, (msd_real)SUBSTEPS / 1024, SUBSTEPS), MSD_DIVERGED);
    cr_expect(has_halos(halos) && !has_halos(plain));
    cr_expect_str_eq(msd_world_message(halos), msd_world_message(plain));
    cr_expect(first_difference(plain, halos) < 0, "substep %d", failing);
    cr_expect_eq(msd_world_hash(plain), msd_world_hash(halos));
    cr_expect_eq(msd_world_get_time(plain), msd_world_get_time(halos));
    msd_destroy_world(plain);
    msd_destroy_world(halos);
  }
}

/* Networks of no pattern, whose state goes through the substeps of a call as records alone: to the same bits as
   substep by substep in plain C, and seen by all that comes after the call. */
#include "tests/support/constraints.h"
#include "tests/support/meshes.h"
#include "tests/support/snapshots.h"

#include "engine/world/snapshot_header.h"
#include "engine/world/world.h"

#include <float.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef MSD_DOUBLE
static const msd_real LARGEST = DBL_MAX;
#else
static const msd_real LARGEST = FLT_MAX;
#endif

static const int THREADS[] = {1, 2, 3, 5};
static const msd_simd WIDTHS[] = {MSD_SIMD_WIDEST, MSD_SIMD_128, MSD_SIMD_256, MSD_SIMD_512};
enum { THREAD_COUNTS = sizeof THREADS / sizeof THREADS[0], WIDTH_COUNT = sizeof WIDTHS / sizeof WIDTHS[0] };

/* ---------------------------------------------------------------------------------------------- networks */

static msd_world *drafty_world(int threads, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.linear_damping = (msd_real)0.5;
  def.thread_count = threads;
  def.simd = simd;
  return world_from_def(&def);
}

static void add_tether(msd_world *world, int32_t pin, int32_t particle) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = 20;
  def.damping = (msd_real)0.125;
  def.mode = MSD_SPRING_TENSION_ONLY;
  def.rest_length = (msd_real)(particle % 8) / 4;
  def.a = particle % 2 ? pin : particle;
  def.b = particle % 2 ? particle : pin;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

static void fill_with_mesh(msd_world *world) {
  graph g = graph_mesh(23, 31, 0, 1);
  populate(world, &g, &(making){LAWS_MIXED, .seed = 1, .pins = true, .breaks = 9});
  graph_free(&g);
}

static void fill_with_block(msd_world *world) {
  graph g = graph_shuffled(graph_block(8, true), 2);
  populate(world, &g, &(making){LAWS_COEFFICIENT, .seed = 2, .pins = true});
  graph_free(&g);
}

/* Particles 60 and 61 are joined to every fourth of the others as well. */
static void fill_with_hubs(msd_world *world) {
  graph g = graph_mesh(23, 31, 0, 3);
  for (int32_t i = 64; i < g.particles; i++)
    if (i % 4 < 2)
      graph_join(&g, 60 + i % 4, i);
  populate(world, &g, &(making){LAWS_PHYSICAL, .seed = 3, .pins = true, .soften = 4});
  graph_free(&g);
}

/* All are tethered to pin 0, and some to another. */
static void fill_with_tethers(msd_world *world) {
  graph g = graph_mesh(23, 31, 0, 4);
  populate(world, &g, &(making){LAWS_MIXED, .seed = 4, .pins = true, .breaks = 20, .sides = 6});
  for (int32_t i = 0; i < g.particles; i++) {
    if (!msd_particle_is_pinned(world, i))
      add_tether(world, 0, i);
    if (i % 7 == 3)
      add_tether(world, 50, i);
  }
  graph_free(&g);
}

enum { KNITTED = 240, KNITTED_PINS = 48 };

/* So few that they keep their order: a rope, many springs besides, and pins in a row from 0 on, which the next
   particles are tethered to one by one. */
static void fill_with_knitted_rope(msd_world *world) {
  graph g = graph_random(KNITTED, 3 * KNITTED, 5);
  for (int32_t i = 0; i + 1 < KNITTED; i++)
    graph_join(&g, i, i + 1);
  populate(world, &g, &(making){LAWS_PHYSICAL, .seed = 5, .soften = 4});
  for (int32_t i = 0; i < KNITTED_PINS; i++) {
    ASSERT_OK(world, msd_particle_pin(world, i));
    add_tether(world, i, i + KNITTED_PINS);
  }
  graph_free(&g);
}

typedef struct filling {
  const char *name;
  void (*fill)(msd_world *world);
} filling;

static const filling FILLINGS[] = {{"mesh", fill_with_mesh},
                                   {"block", fill_with_block},
                                   {"hubs", fill_with_hubs},
                                   {"tethers", fill_with_tethers},
                                   {"knitted rope", fill_with_knitted_rope}};
enum { FILLING_COUNT = sizeof FILLINGS / sizeof FILLINGS[0] };

/* That the networks have what they are here for. */
Test(schedule, the_networks_have_few_contiguous_springs_and_rows_of_every_kind) {
  bool has_runs = false, has_tails = false, has_sides = false, has_pin = false, has_pins = false;
  for (int n = 0; n < FILLING_COUNT; n++) {
    msd_world *world = drafty_world(1, MSD_SIMD_WIDEST);
    FILLINGS[n].fill(world);
    ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 1024, 1));
    const network *net = &world->stepper.network;
    cr_expect(network_contiguous_share(net) < 0.5, "%s: %g", FILLINGS[n].name, network_contiguous_share(net));
    has_runs = has_runs || net->run_count > 0;
    has_tails = has_tails || net->tail_count > 0;
    has_sides = has_sides || net->sides;
    for (int32_t r = 0; r < net->held_row_count; r++) {
      has_pin = has_pin || net->held_rows[r].pin >= 0;
      has_pins = has_pins || net->held_rows[r].pin < 0;
    }
    msd_destroy_world(world);
  }
  cr_expect(has_runs && has_tails && has_sides && has_pin && has_pins);
}

/* -------------------------------------------------------------------------------------------------- calls */

/* Takes that many substeps in one call, or each in its own. Forces act on some, and pin 0 goes at 1 m/s. */
static msd_result go(msd_world *world, int substeps, bool one_by_one) {
  const int each = one_by_one ? 1 : substeps;
  msd_result result = MSD_OK;
  for (int n = 0; n < substeps && result == MSD_OK; n += each) {
    for (int32_t i = 5; i < msd_world_get_particle_count(world); i += 7)
      ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){1, 0, (msd_real)(i % 5)}));
    if (msd_particle_is_pinned(world, 0)) {
      msd_vec3 to = msd_particle_get_position(world, 0);
      to.z += (msd_real)each / 1024;
      ASSERT_OK(world, msd_particle_move_to(world, 0, to));
    }
    result = msd_world_step(world, (msd_real)each / 1024, each);
  }
  return result;
}

static void retune_some(msd_world *world, int turn) {
  const int32_t springs = msd_world_get_spring_count(world);
  for (int32_t s = turn; s < springs; s += 31) {
    msd_spring_def def = making_spring(&(making){.laws = LAWS_MIXED, .soften = 4}, s + turn);
    ASSERT_OK(world, msd_spring_set_law(world, s, &def));
  }
  ASSERT_OK(world, msd_spring_break(world, 5 * turn + 2));
  ASSERT_OK(world, msd_spring_set_rest_length(world, springs - 1 - turn, (msd_real)0.25));
  ASSERT_OK(world, msd_particle_set_mass(world, 8 + turn, 2));
}

static void assert_same(const msd_world *plain, const msd_world *world, const char *what) {
  const int threads = world->stepper.model->thread_count, simd = (int)world->stepper.simd;
  cr_assert(first_difference(plain, world) < 0, "%s, %d threads, width %d: particle %d", what, threads, simd,
            first_difference(plain, world));
  cr_assert_eq(msd_world_hash(plain), msd_world_hash(world), "%s, %d threads, width %d", what, threads, simd);
  cr_assert(msd_world_get_time(plain) == msd_world_get_time(world) &&
                msd_world_get_steps(plain) == msd_world_get_steps(world),
            "%s, %d threads, width %d", what, threads, simd);
}

/* The x of the slab that is current, or of the other one, which may be the same. */
static msd_real *slab_of(const msd_world *world, bool is_current) {
  const particle_store *p = &world->model.particles;
  msd_real *x = calloc((size_t)p->count, sizeof *x);
  cr_assert_not_null(x);
  memcpy(x, is_current ? particle_state(p) : particle_next_slab(p), (size_t)p->count * sizeof *x);
  return x;
}

/* An even number of substeps, which write to one slab alone if what is between is in records or halos: that
   the state ends in, which may be the only one. */
static bool goes_alone(msd_world *world, int substeps) {
  const particle_store *p = &world->model.particles;
  msd_real *current = slab_of(world, true), *other = slab_of(world, false);
  ASSERT_OK(world, go(world, substeps, false));
  msd_real *left = slab_of(world, false);
  const size_t bytes = (size_t)world->model.particles.count * sizeof *left;
  const bool same =
      !p->slab[!p->current] || memcmp(left, current, bytes) == 0 || memcmp(left, other, bytes) == 0;
  free(current);
  free(other);
  free(left);
  return same;
}

static void assert_calls_make_no_difference(const filling *f, int threads, msd_simd simd) {
  static const int CALLS[] = {3, 8, 1, 4, 7};
  msd_world *plain = drafty_world(1, MSD_SIMD_SCALAR), *world = drafty_world(threads, simd);
  f->fill(plain);
  f->fill(world);
  for (int c = 0; c < (int)(sizeof CALLS / sizeof CALLS[0]); c++) {
    ASSERT_OK(plain, go(plain, CALLS[c], true));
    if (CALLS[c] % 2 == 0)
      cr_assert(goes_alone(world, CALLS[c]), "%s", f->name);
    else
      ASSERT_OK(world, go(world, CALLS[c], false));
    assert_same(plain, world, f->name);
    retune_some(plain, c);
    retune_some(world, c);
  }
  msd_destroy_world(plain);
  msd_destroy_world(world);
}

Test(schedule, networks_of_no_pattern_step_alike_in_one_call_and_in_many_at_all_widths) {
  for (int n = 0; n < FILLING_COUNT; n++) {
    assert_calls_make_no_difference(&FILLINGS[n], 2, MSD_SIMD_SCALAR);
    for (int t = 0; t < THREAD_COUNTS; t++)
      for (int w = 0; w < WIDTH_COUNT; w++)
        assert_calls_make_no_difference(&FILLINGS[n], THREADS[t], WIDTHS[w]);
  }
}

/* --------------------------------------------------------------------------------------------- divergence */

static int particle_in(const char *message) {
  int particle = -1;
  const char *at = strstr(message, "particle ");
  if (at)
    sscanf(at, "particle %d ", &particle);
  return particle;
}

/* One call of `substeps`, in which the world diverges, against the same substeps one by one and in one call of
   plain C. Returns the particle that the message names. */
static int32_t assert_diverges_alike(void (*fill)(msd_world *world), int substeps, int *kept) {
  msd_world *single = drafty_world(1, MSD_SIMD_SCALAR), *plain = drafty_world(1, MSD_SIMD_SCALAR);
  fill(single);
  fill(plain);
  cr_assert_eq(go(single, substeps, true), MSD_DIVERGED);
  cr_assert_eq(go(plain, substeps, false), MSD_DIVERGED);
  assert_same(single, plain, "plain");
  const int32_t named = particle_in(msd_world_message(single));
  *kept = (int)msd_world_get_steps(single);
  for (int t = 0; t < THREAD_COUNTS; t++)
    for (int w = 0; w < WIDTH_COUNT; w++) {
      msd_world *world = drafty_world(THREADS[t], WIDTHS[w]);
      fill(world);
      cr_assert_eq(go(world, substeps, false), MSD_DIVERGED);
      assert_same(single, world, "diverged");
      cr_assert_str_eq(msd_world_message(plain), msd_world_message(world));
      cr_assert_eq(particle_in(msd_world_message(world)), named);
      msd_destroy_world(world);
    }
  msd_destroy_world(single);
  msd_destroy_world(plain);
  return named;
}

enum { SHOT = 207, FAILING = 5 };

/* Two particles without springs leave the numbers in the same substep. */
static void fill_with_shots(msd_world *world) {
  const int32_t shots[2] = {SHOT, SHOT + 200};
  graph g = graph_mesh(23, 31, 0, 6);
  int32_t springs = 0;
  for (int32_t s = 0; s < g.springs; s++)
    if (g.a[s] != shots[0] && g.a[s] != shots[1] && g.b[s] != shots[0] && g.b[s] != shots[1]) {
      g.a[springs] = g.a[s];
      g.b[springs++] = g.b[s];
    }
  g.springs = springs;
  populate(world, &g, &(making){LAWS_MIXED, .seed = 6, .pins = true});
  ASSERT_OK(world, msd_world_set_linear_damping(world, 0));
  const msd_real room = LARGEST / 4096;
  for (int n = 0; n < 2; n++) {
    ASSERT_OK(world, msd_particle_set_position(world, shots[n], (msd_vec3){LARGEST - room, 0, 0}));
    const msd_vec3 velocity = {room * 1024 / ((msd_real)FAILING - (msd_real)0.5), 0, 0};
    ASSERT_OK(world, msd_particle_set_velocity(world, shots[n], velocity));
  }
  graph_free(&g);
}

Test(schedule, a_particle_that_leaves_the_numbers_ends_a_call_of_any_length_before_it) {
  for (int substeps = FAILING; substeps < FAILING + 4; substeps++) {
    int kept;
    cr_assert_eq(assert_diverges_alike(fill_with_shots, substeps, &kept), SHOT);
    cr_assert_eq(kept, FAILING - 1);
  }
}

/* A spring so stiff that each substep throws its ends much farther than the one before. */
static void fill_with_a_bomb(msd_world *world) {
  fill_with_mesh(world);
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = sizeof(msd_real) == sizeof(double) ? (msd_real)1e60 : (msd_real)1e12;
  int32_t spring = 300;
  while (msd_spring_is_broken(world, spring))
    spring++;
  ASSERT_OK(world, msd_spring_set_law(world, spring, &def));
}

Test(schedule, a_spring_too_stiff_ends_a_call_alike) {
  int kept;
  const int32_t named = assert_diverges_alike(fill_with_a_bomb, 32, &kept);
  cr_assert(named >= 0 && kept > 0 && kept < 31, "%d after %d", (int)named, kept);
}

/* Neighbors in the rope with no spring between them, so far apart that their distance is no finite number. */
static void fill_with_a_gap(msd_world *world) {
  graph g = graph_random(KNITTED, 3 * KNITTED, 7);
  for (int32_t i = 0; i + 1 < KNITTED; i++)
    graph_join(&g, i, i + 1);
  int32_t springs = 0;
  for (int32_t s = 0; s < g.springs; s++)
    if (g.a[s] / 2 != 50 && g.b[s] / 2 != 50) {
      g.a[springs] = g.a[s];
      g.b[springs++] = g.b[s];
    }
  g.springs = springs;
  populate(world, &g, &(making){LAWS_PHYSICAL, .seed = 7, .soften = 4});
  ASSERT_OK(world, msd_particle_set_position(world, 100, (msd_vec3){LARGEST / 4 * 3, 0, 0}));
  ASSERT_OK(world, msd_particle_set_position(world, 101, (msd_vec3){LARGEST / -4 * 3, 0, 0}));
  graph_free(&g);
}

Test(schedule, neighbors_without_a_spring_at_the_ends_of_space_disturb_nothing) {
  const filling gap = {"gap", fill_with_a_gap};
  msd_world *plain = drafty_world(1, MSD_SIMD_SCALAR);
  fill_with_a_gap(plain);
  ASSERT_OK(plain, go(plain, 6, true));
  for (int t = 0; t < THREAD_COUNTS; t++)
    for (int w = 0; w < WIDTH_COUNT; w++) {
      msd_world *world = drafty_world(THREADS[t], WIDTHS[w]);
      gap.fill(world);
      ASSERT_OK(world, go(world, 6, false));
      assert_same(plain, world, gap.name);
      msd_destroy_world(world);
    }
  msd_destroy_world(plain);
}

/* ---------------------------------------------------------------------- soft pins and constraints after all */

static void add_soft_pin(msd_world *world, int32_t particle, msd_spring_law law_kind) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = particle;
  def.law = law_kind;
  def.stiffness = 30;
  def.position = (msd_vec3){1, (msd_real)0.5, 0};
  ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
}

static void let_go(msd_world *world, int32_t soft_pin) {
  msd_soft_pin_def def = msd_soft_pin_get_def(world, soft_pin);
  def.particle = -1;
  ASSERT_OK(world, msd_soft_pin_set_def(world, soft_pin, &def));
}

static void add_angle(msd_world *world) {
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 11, 12, 13, -1);
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = 1;
  add_constraint(world, def);
}

/* Constraints, then, in the world as it was before, soft pins; in the end the world as it was before. */
static void furnish(msd_world *world, int stage, const snapshot *before) {
  switch (stage) {
  case 0:
    add_angle(world);
    break;
  case 1:
    ASSERT_OK(world, msd_constraint_break(world, 0));
    break;
  case 3:
    add_soft_pin(world, 9, MSD_SPRING_FREQUENCY);
    add_soft_pin(world, 23, MSD_SPRING_STIFFNESS);
    break;
  case 4:
    let_go(world, 0);
    let_go(world, 1);
    break;
  default:
    ASSERT_OK(world, msd_world_restore(world, before->data, before->size));
  }
}

Test(schedule, soft_pins_and_constraints_may_come_and_go_between_calls) {
  enum { STAGES = 6 };
  for (int n = 0; n < FILLING_COUNT; n++)
    for (int t = 0; t < THREAD_COUNTS; t++) {
      msd_world *plain = drafty_world(1, MSD_SIMD_SCALAR), *world = drafty_world(THREADS[t], WIDTHS[t]);
      FILLINGS[n].fill(plain);
      FILLINGS[n].fill(world);
      ASSERT_OK(plain, go(plain, 5, true));
      ASSERT_OK(world, go(world, 1, false)); /* which may move all particles to other slots */
      cr_assert(goes_alone(world, 4));
      snapshot before = snapshot_of(world);
      for (int stage = 0; stage < STAGES; stage++) {
        furnish(plain, stage, &before);
        furnish(world, stage, &before);
        for (int substeps = 4; substeps < 6; substeps++) {
          ASSERT_OK(plain, go(plain, substeps, true));
          ASSERT_OK(world, go(world, substeps, false));
          assert_same(plain, world, FILLINGS[n].name);
        }
      }
      cr_assert(goes_alone(world, 4));
      free(before.data);
      msd_destroy_world(plain);
      msd_destroy_world(world);
    }
}

/* ------------------------------------------------------------------------------------------ one slab or two */

/* Where springs alone act and one thread goes from records to records; between such steps two may be needed. */
Test(schedule, steps_from_records_to_records_need_one_slab) {
  for (int n = 0; n < FILLING_COUNT; n++) {
    msd_world *world = drafty_world(1, MSD_SIMD_WIDEST), *plain = drafty_world(1, MSD_SIMD_SCALAR);
    const particle_store *p = &world->model.particles;
    FILLINGS[n].fill(world);
    FILLINGS[n].fill(plain);
    for (int turn = 0; turn < 4; turn++) {
      const bool needs_two = turn % 2 == 1;
      const msd_integrator integrator = needs_two ? MSD_VELOCITY_VERLET : MSD_SYMPLECTIC_EULER;
      ASSERT_OK(world, msd_world_set_integrator(world, integrator));
      ASSERT_OK(plain, msd_world_set_integrator(plain, integrator));
      ASSERT_OK(world, go(world, 3, false));
      ASSERT_OK(plain, go(plain, 3, true));
      assert_same(plain, world, FILLINGS[n].name);
      cr_assert_eq(p->slab[!p->current] != NULL, needs_two, "%s, turn %d", FILLINGS[n].name, turn);
    }
    msd_destroy_world(world);
    msd_destroy_world(plain);
  }
}

#ifdef _OPENMP
static void let_have_four_threads(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)world, (void)moment, (void)context;
  omp_set_num_threads(4);
}

/* As long as wide enough for halos. One thread needs one slab, and four would need two. */
Test(schedule, steps_that_begin_with_one_thread_may_go_on_with_more) {
  msd_world *world = drafty_world(0, MSD_SIMD_WIDEST), *plain = drafty_world(1, MSD_SIMD_SCALAR);
  graph g = graph_mesh(6, 400, 0, 1);
  populate(world, &g, &(making){LAWS_PHYSICAL, .seed = 1, .soften = 4});
  populate(plain, &g, &(making){LAWS_PHYSICAL, .seed = 1, .soften = 4});
  graph_free(&g);
  const msd_callbacks callbacks = {.before_step = let_have_four_threads};
  ASSERT_OK(world, msd_world_set_callbacks(world, &callbacks));
  for (int turn = 0; turn < 8; turn++) {
    omp_set_num_threads(1);
    ASSERT_OK(world, msd_world_step(world, (msd_real)9 / 1024, 9));
    ASSERT_OK(plain, msd_world_step(plain, (msd_real)9 / 1024, 9));
    assert_same(plain, world, "strip");
  }
  msd_destroy_world(world);
  msd_destroy_world(plain);
}
#endif

/* --------------------------------------------------------------------------------------- what comes after */

static void assert_views_show(const msd_world *world) {
  const msd_view at = msd_world_get_positions(world), v = msd_world_get_velocities(world);
  cr_assert_eq(at.count, msd_world_get_particle_count(world));
  for (int32_t i = 0; i < at.count; i++) {
    const msd_vec3 seen[2] = {msd_view_at(at, i), msd_view_at(v, i)};
    const msd_vec3 told[2] = {msd_particle_get_position(world, i), msd_particle_get_velocity(world, i)};
    cr_assert(memcmp(seen, told, sizeof seen) == 0, "particle %d", i);
  }
}

/* A chain of new particles from the last one. */
static void add_chain(msd_world *world, int links) {
  for (int n = 0; n < links; n++) {
    const int32_t from = msd_world_get_particle_count(world) - 1;
    msd_particle_def particle = msd_default_particle_def();
    particle.position = msd_particle_get_position(world, from);
    particle.position.y += (msd_real)0.25;
    msd_spring_def spring = making_spring(&(making){.laws = LAWS_PHYSICAL}, n);
    spring.a = from;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, &spring.b));
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
}

/* Whether two snapshots are equal but for the length of the last frame, which is shorter in calls of one
   substep. */
static bool are_alike(snapshot one, snapshot other) {
  if (one.size != other.size)
    return false;
  snapshot_header *a = (snapshot_header *)one.data, *b = (snapshot_header *)other.data;
  const snapshot_header kept = *a;
  a->frame_time = b->frame_time;
  a->checksum = b->checksum;
  const bool are = memcmp(one.data, other.data, one.size) == 0;
  *a = kept;
  return are;
}

/* After each call: what views show, and what another world restored from a snapshot does; then particles and
   springs are added. */
static void assert_all_see_the_state(const char *name, msd_world *plain, msd_world *world, const int *calls,
                                     int call_count) {
  for (int c = 0; c < call_count; c++) {
    ASSERT_OK(plain, go(plain, calls[c], true));
    ASSERT_OK(world, go(world, calls[c], false));
    assert_same(plain, world, name);
    assert_views_show(world);
    snapshot of_plain = snapshot_of(plain), of_world = snapshot_of(world);
    cr_assert(are_alike(of_plain, of_world), "%s", name);
    msd_world *restored = drafty_world(2, MSD_SIMD_WIDEST);
    ASSERT_OK(restored, msd_world_restore(restored, of_world.data, of_world.size));
    assert_same(plain, restored, name);
    add_chain(plain, 1 + 20 * c);
    add_chain(restored, 1 + 20 * c);
    add_chain(world, 1 + 20 * c);
    assert_same(plain, world, name);
    ASSERT_OK(plain, go(plain, 4, true));
    ASSERT_OK(restored, go(restored, 4, false));
    ASSERT_OK(world, go(world, 4, false));
    assert_same(plain, restored, name);
    assert_same(plain, world, name);
    msd_destroy_world(restored);
    free(of_plain.data);
    free(of_world.data);
  }
}

Test(schedule, views_snapshots_and_additions_see_the_state_that_a_call_has_left) {
  static const int CALLS[] = {8, 5, 2, 1};
  for (int n = 0; n < FILLING_COUNT; n++)
    for (int t = 0; t < THREAD_COUNTS; t++) {
      msd_world *plain = drafty_world(1, MSD_SIMD_SCALAR), *world = drafty_world(THREADS[t], WIDTHS[t]);
      FILLINGS[n].fill(plain);
      FILLINGS[n].fill(world);
      assert_all_see_the_state(FILLINGS[n].name, plain, world, CALLS, 4);
      msd_destroy_world(plain);
      msd_destroy_world(world);
    }
}

static void fill_with_large_cloth(msd_world *world) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 448;
  def.mass = 448 * 448;
  def.shear = def.stretch;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  ASSERT_OK(world, msd_particle_pin(world, 0));
}

/* An even number of substeps swaps slabs there. */
Test(schedule, they_see_it_after_several_substeps_in_one_pass_too) {
  static const int CALLS[] = {8, 7};
  msd_world *plain = drafty_world(1, MSD_SIMD_SCALAR), *world = drafty_world(2, MSD_SIMD_WIDEST);
  fill_with_large_cloth(plain);
  fill_with_large_cloth(world);
  assert_all_see_the_state("cloth", plain, world, CALLS, 2);
  cr_assert(world->model.particles.spare_slab && !plain->model.particles.spare_slab);
  msd_destroy_world(plain);
  msd_destroy_world(world);
}

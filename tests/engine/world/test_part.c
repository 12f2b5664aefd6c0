/* Worlds of which each rank has a part, in threads: hashes, sums and what each has are those of one process. */
#include "engine/world/world.h"
#include "tests/support/networks.h"
#include "tests/support/rank_room.h"

enum { STEPS = 3, SUBSTEPS = 13 };

static const msd_real FRAME = (msd_real)0.015625;

/* What all ranks of a trial make and do. */
typedef struct trial {
  const char *name;
  void (*fill)(msd_world *world);
  msd_part whole;
  int depth, threads;
  msd_stats stats[STEPS];
  uint64_t hash[STEPS];
  /* The state of one process in the end. */
  msd_world *alone;
} trial;

static trial now;

static msd_world *empty(void) {
  msd_world_def def = msd_default_world_def();
  def.air_drag = (msd_real)0.1;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static msd_spring_def stiff(msd_real stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_PHYSICAL;
  def.stiffness = stiffness;
  def.damping = (msd_real)0.001;
  return def;
}

static msd_spring_def coefficients(void) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.1;
  def.cd = (msd_real)0.05;
  return def;
}

/* A particle of the whole, where the world has it; -1. */
static int32_t local(const msd_world *world, int32_t particle) {
  const msd_part part = msd_world_get_part(world);
  const int32_t at = particle - part.kept.first;
  if (!world->part.is_open)
    return particle;
  return at >= 0 && at < part.kept.count ? at : -1;
}

/* Each to be found at its place in the whole, whoever has it. */
static void pin(msd_world *world, int32_t particle) {
  const int32_t at = local(world, particle);
  if (at >= 0 && at < msd_world_get_particle_count(world))
    ASSERT_OK(world, msd_particle_pin(world, at));
}

static void add_cloth(msd_world *world, int32_t columns, int32_t rows, msd_spring_def springs, msd_real z) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.origin.z = z;
  def.structural = def.shear = def.bend = springs;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
}

static void cloth(msd_world *world) {
  add_cloth(world, 40, 77, stiff(20), 0);
  pin(world, 0);
  pin(world, 39);
}

/* The mass that acts at a spring follows from how many there are at its ends. */
static void cloth_of_coefficients(msd_world *world) {
  add_cloth(world, 48, 60, coefficients(), 0);
  pin(world, 0);
  pin(world, 47);
}

static void rope(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 5001;
  def.mass = 500;
  def.stretch = stiff(500);
  def.bend = stiff(7);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  pin(world, 0);
  pin(world, 5000);
}

static void block(msd_world *world) {
  msd_block_def def = msd_default_block_def();
  def.cells[0] = 15;
  def.cells[1] = 12;
  def.cells[2] = 21;
  def.structural = def.shear = stiff(30);
  def.mass = 50;
  ASSERT_OK(world, msd_add_block(world, &def, NULL));
  pin(world, 5);
}

/* Three columns: no group of 16 particles has 12 springs to the right, or along a diagonal. */
static void add_narrow(msd_world *world, int32_t rows) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 3;
  def.rows = rows;
  def.structural = def.shear = stiff(1);
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
}

/* The last rank has little in rows, and the whole enough. */
static void several(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  cloth(world);
  def.particles = 333;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  block(world);
  add_cloth(world, 31, 17, coefficients(), 2);
  add_narrow(world, 1200);
}

static void of_a_material(msd_world *world) {
  msd_material material = msd_default_material();
  msd_cloth_def def = msd_default_cloth_def();
  material.stretch = 30;
  material.shear = 10;
  material.bend = 0;
  material.area_density = 1;
  def.columns = def.rows = 50;
  def.material = &material;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  pin(world, 0);
}

/* Fewer chunks than ranks. */
static void small(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 300;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  pin(world, 299);
}

static void disturb(msd_world *world, const msd_part *whole, int step) {
  const int32_t places[] = {whole->particles / 2, whole->particles / 3, whole->particles - 1};
  for (int n = 0; n < 3; n++) {
    const int32_t at = local(world, places[n]);
    if (at >= 0)
      ASSERT_OK(world, msd_particle_apply_force(world, at, (msd_vec3){3, 1, (msd_real)(step - n)}));
  }
}

static void assert_same_stats(const msd_stats *got, const msd_stats *wanted, int ranks) {
#define SAME(field)                                                                                          \
  cr_assert_eq(memcmp(&got->field, &wanted->field, sizeof got->field), 0, "%s on %d ranks: " #field,         \
               now.name, ranks)
  SAME(particles);
  SAME(pinned);
  SAME(springs);
  SAME(total_mass);
  SAME(kinetic_energy);
  SAME(elastic_energy);
  SAME(potential_energy);
  SAME(momentum);
  SAME(angular_momentum);
  SAME(center_of_mass);
  SAME(max_stretch);
  SAME(mean_stretch);
  SAME(max_stretch_spring);
  SAME(max_speed);
#undef SAME
}

/* What a rank has is what one process has there, in its borders too. */
static void assert_same_state(const msd_world *world, int ranks) {
  const msd_part part = msd_world_get_part(world);
  cr_assert_eq(msd_world_get_particle_count(world), part.kept.count);
  for (int32_t i = 0; i < part.kept.count; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i),
                   y = msd_particle_get_position(now.alone, part.kept.first + i),
                   w = msd_particle_get_velocity(now.alone, part.kept.first + i);
    cr_assert(memcmp(&x, &y, sizeof x) == 0 && memcmp(&v, &w, sizeof v) == 0, "%s on %d ranks: particle %d",
              now.name, ranks, (int)(part.kept.first + i));
  }
}

static msd_world *part_of(room_seat *seat) {
  msd_world *world = empty();
  const msd_ranks ranks = room_ranks(seat, now.depth);
  ASSERT_OK(world, msd_world_set_part(world, &ranks, now.whole.particles, now.whole.reach));
  now.fill(world);
  ASSERT_OK(world, msd_world_set_thread_count(world, now.threads));
  return world;
}

static void *take_steps(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  for (int n = 0; n < STEPS; n++) {
    disturb(world, &now.whole, n);
    ASSERT_OK(world, msd_world_step(world, FRAME, SUBSTEPS));
    const uint64_t hash = msd_world_hash(world);
    cr_assert_eq(hash, now.hash[n], "%s: rank %d of %d, depth %d, %d threads, step %d", now.name, seat->rank,
                 seat->room->count, now.depth, now.threads, n);
    const msd_stats stats = msd_world_get_stats(world);
    assert_same_stats(&stats, &now.stats[n], seat->room->count);
  }
  assert_same_state(world, seat->room->count);
  msd_destroy_world(world);
  return NULL;
}

/* What bodies bring, from a world that keeps none of it. */
static msd_part measure(void (*fill)(msd_world *world)) {
  rank_room room;
  room_begin_with(&room, 5, 0);
  const msd_ranks ranks = room_ranks(&room.seats[2], 0);
  msd_world *world = empty();
  ASSERT_OK(world, msd_world_set_part(world, &ranks, 0, 0));
  fill(world);
  cr_assert_eq(msd_world_get_particle_count(world) + msd_world_get_spring_count(world), 0);
  const msd_part part = msd_world_get_part(world);
  msd_destroy_world(world);
  return part;
}

static void take_alone(trial *t) {
  t->alone = empty();
  t->fill(t->alone);
  t->whole = measure(t->fill);
  cr_assert_eq(t->whole.particles, msd_world_get_particle_count(t->alone));
  cr_assert_eq(t->whole.springs, msd_world_get_spring_count(t->alone));
  for (int n = 0; n < STEPS; n++) {
    disturb(t->alone, &t->whole, n);
    ASSERT_OK(t->alone, msd_world_step(t->alone, FRAME, SUBSTEPS));
    t->hash[n] = msd_world_hash(t->alone);
    t->stats[n] = msd_world_get_stats(t->alone);
  }
}

static void run_trial_of(int ranks, void *(*take)(void *seat)) {
  rank_room room;
  room_begin_with(&room, ranks, 0);
  room_run(&room, take);
}

static void assert_same_in_parts(const char *name, void (*fill)(msd_world *world)) {
  static const int counts[] = {1, 2, 3, 4, 7};
  now = (trial){.name = name, .fill = fill};
  take_alone(&now);
  for (int n = 0; n < 5; n++)
    for (now.depth = 0; now.depth <= 8; now.depth += 1 + now.depth) {
      now.threads = 1 + (now.depth + n) % 3;
      run_trial_of(counts[n], take_steps);
    }
  msd_destroy_world(now.alone);
}

Test(part, cloths_have_the_bits_of_one_process) {
  assert_same_in_parts("cloth", cloth);
  assert_same_in_parts("cloth of coefficients", cloth_of_coefficients);
  assert_same_in_parts("cloth of a material", of_a_material);
}

Test(part, ropes_and_blocks_have_the_bits_of_one_process) {
  assert_same_in_parts("rope", rope);
  assert_same_in_parts("block", block);
  assert_same_in_parts("small rope", small);
}

Test(part, several_bodies_have_the_bits_of_one_process) {
  assert_same_in_parts("several", several);
}

/* No rank holds more than its own and the border. */
static void *assert_small(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  const msd_part part = msd_world_get_part(world);
  const int32_t own = now.whole.particles / seat->room->count + NETWORK_CHUNK,
                border = (now.depth + 1) * now.whole.reach + NETWORK_GROUP + 2 * NETWORK_CHUNK;
  cr_assert_leq(part.own.count, own);
  cr_assert_leq(part.kept.count, own + 2 * border);
  cr_assert_leq(msd_world_get_particle_count(world), part.kept.count);
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_rank_holds_its_own_and_a_border) {
  now = (trial){.name = "rope", .fill = rope, .depth = 4, .threads = 1, .whole = measure(rope)};
  run_trial_of(7, assert_small);
}

/* ---------------------------------------------------------------------------------------- what is refused */

static void *assert_diverges_as_alone(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  cr_assert_eq(msd_world_step(world, 1, SUBSTEPS), MSD_DIVERGED);
  cr_assert_str_eq(msd_world_message(world), msd_world_message(now.alone));
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE, "it goes on");
  msd_destroy_world(world);
  return NULL;
}

Test(part, all_ranks_name_the_particle_that_diverges) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .whole = measure(cloth)};
  now.alone = empty();
  cloth(now.alone);
  cr_assert_eq(msd_world_step(now.alone, 1, SUBSTEPS), MSD_DIVERGED);
  for (now.depth = 1; now.depth <= 8; now.depth *= 2)
    run_trial_of(1 + now.depth % 7, assert_diverges_as_alone);
  msd_destroy_world(now.alone);
}

static void narrow(msd_world *world) {
  add_narrow(world, 400);
}

static void *assert_order_is_refused(void *context) {
  msd_world *world = part_of(context);
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "in rows") != NULL, "%s", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

Test(part, an_order_that_one_process_would_not_keep_is_refused) {
  now = (trial){.name = "narrow", .fill = narrow, .threads = 1, .whole = measure(narrow)};
  msd_world *alone = empty();
  narrow(alone);
  ASSERT_OK(alone, msd_world_step(alone, FRAME, SUBSTEPS));
  cr_assert(alone->model.particles.slot != NULL, "one process would keep it");
  msd_destroy_world(alone);
  run_trial_of(3, assert_order_is_refused);
}

static void *assert_refused(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  size_t size;
  msd_world *copy;
  msd_rope_def more = msd_default_rope_def();
  msd_particle_def particle = msd_default_particle_def();
  const msd_ranks ranks = room_ranks(seat, 0);
  cr_assert_eq(msd_world_step(world, FRAME, 0), MSD_BAD_VALUE, "substeps are chosen");
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_BAD_VALUE);
  cr_assert_eq(msd_copy_world(world, &copy), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_part(world, &ranks, 10, 1), MSD_BAD_VALUE, "it is a part already");
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
  ASSERT_OK(world, msd_world_step(world, FRAME, SUBSTEPS));
  more.bend = stiff(1);
  more.bend_kind = MSD_BEND_ANGLE;
  more.particles = 3;
  cr_assert_eq(msd_add_rope(world, &more, NULL), MSD_BAD_VALUE, "it has constraints");
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE, "it has a particle of no body");
  msd_destroy_world(world);
  return NULL;
}

Test(part, what_a_part_cannot_have_is_refused) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .whole = measure(cloth)};
  run_trial_of(3, assert_refused);
}

/* One that has less than the whole reaches is not stepped with borders that are too narrow. */
static void *assert_reach_is_refused(void *context) {
  msd_world *world = part_of(context);
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "reach") != NULL, "%s", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_reach_that_was_not_said_is_refused) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .depth = 4, .whole = measure(cloth)};
  cr_assert_eq(now.whole.reach, 80);
  now.whole.reach = 1;
  run_trial_of(2, assert_reach_is_refused);
}

Test(part, a_world_that_has_something_cannot_become_a_part) {
  rank_room room;
  room_begin_with(&room, 2, 0);
  const msd_ranks ranks = room_ranks(&room.seats[0], 0);
  msd_world *world = empty();
  cr_assert_eq(msd_world_set_part(world, NULL, 5, 1), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_part(world, &ranks, -1, 1), MSD_BAD_VALUE);
  cloth(world);
  cr_assert_eq(msd_world_set_part(world, &ranks, 5, 1), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

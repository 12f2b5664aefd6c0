/* Sequential impulses of constraints, against the same constraints as forces. */
#include "tests/support/constraints.h"

#include "engine/world/world.h"

#include <float.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

enum { KINDS = MSD_CONSTRAINT_KIND_COUNT, PARTICLES = 14 };

typedef struct setting {
  msd_integrator integrator;
  int iterations;
  bool warm_start;
  int threads;
} setting;

static const setting FORCES = {MSD_SYMPLECTIC_EULER, 1, false, 1};

static setting impulses(int iterations, bool warm_start) {
  return (setting){MSD_SEQUENTIAL_IMPULSE, iterations, warm_start, 1};
}

/* ------------------------------------------------------------------------------------------- worlds */

static msd_world *empty_world(setting s) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.integrator = s.integrator;
  def.impulse_iterations = s.iterations;
  def.impulse_warm_start = s.warm_start;
  def.thread_count = s.threads;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

/* Particles in a cube of side 2, of different masses, moving. */
static void add_particles(msd_world *world, generator *random, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(random, 1);
    def.velocity = random_vector(random, (msd_real)0.5);
    def.mass = (msd_real)(1 + i % 3) / 2;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
}

/* A constraint of a kind on the particles a..a+3, a little away from its rest; a mesh is their tetrahedron. */
static void add_kind(msd_world *world, msd_constraint_kind kind, int32_t a, int law_kind) {
  const int32_t triangles[12] = {a, a + 2, a + 1, a, a + 1, a + 3, a + 1, a + 2, a + 3, a + 2, a, a + 3};
  msd_constraint_def def = constraint_of(kind, a, a + 1, a + 2, a + 3);
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  give_law(&def, law_kind);
  const int32_t constraint = add_constraint(world, def);
  ASSERT_OK(world,
            msd_constraint_set_rest(world, constraint,
                                    (msd_real)(0.9 * msd_constraint_get_value(world, constraint) + 0.01)));
}

static void add_random_constraint(msd_world *world, generator *random, msd_constraint_kind kind,
                                  int law_kind) {
  int32_t at[4];
  for (int n = 0; n < 4; n++) {
    bool taken = true;
    while (taken) {
      at[n] = random_below(random, msd_world_get_particle_count(world));
      taken = false;
      for (int other = 0; other < n; other++)
        taken = taken || at[other] == at[n];
    }
  }
  const int32_t triangles[12] = {at[0], at[2], at[1], at[0], at[1], at[3],
                                 at[1], at[2], at[3], at[2], at[0], at[3]};
  msd_constraint_def def = constraint_of(kind, at[0], at[1], at[2], at[3]);
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  give_law(&def, law_kind);
  add_constraint(world, def);
}

/* Springs and constraints of every kind and law between particles at random. */
static void fill_penetration(msd_world *world, uint64_t seed, int32_t particles, int32_t constraints) {
  generator random = {.state = seed};
  add_particles(world, &random, particles);
  for (int32_t i = 0; i + 1 < particles; i++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = i, def.b = i + 1;
    def.stiffness = 50;
    def.damping = 1;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  for (int32_t c = 0; c < constraints; c++)
    add_random_constraint(world, &random, (msd_constraint_kind)random_below(&random, KINDS),
                          random_below(&random, 8));
  ASSERT_OK(world, msd_particle_pin(world, 2));
}

static msd_world *penetration(setting s, uint64_t seed, int32_t particles, int32_t constraints) {
  msd_world *world = empty_world(s);
  fill_penetration(world, seed, particles, constraints);
  return world;
}

/* The largest difference between the velocities of two worlds. */
static double velocity_difference(const msd_world *one, const msd_world *other) {
  double most = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(one); i++) {
    const msd_vec3 a = msd_particle_get_velocity(one, i), b = msd_particle_get_velocity(other, i);
    most = fmax(most, fmax(fabs((double)a.x - (double)b.x),
                           fmax(fabs((double)a.y - (double)b.y), fabs((double)a.z - (double)b.z))));
  }
  return most;
}

static void step(msd_world *world, int substeps) {
  ASSERT_OK(world, msd_world_step(world, (msd_real)substeps / 256, substeps));
}

/* --------------------------------------------------------------------------------------- one constraint */

Test(constraint_impulse, a_lone_constraint_of_any_kind_and_law_moves_as_by_its_force) {
  for (int kind = 0; kind < KINDS; kind++)
    for (int law_kind = 0; law_kind < 4; law_kind++)
      for (int pinned = 0; pinned < 2; pinned++)
        for (int n = 0; n < 4; n++) {
          msd_world *worlds[2];
          for (int w = 0; w < 2; w++) {
            generator random = {.state = (uint64_t)(kind + 1)};
            worlds[w] = empty_world(w == 0 ? FORCES : impulses(n % 2 ? 10 : 1, n / 2));
            ASSERT_OK(worlds[w], msd_world_set_gravity(worlds[w], (msd_vec3){1, -4, 0}));
            add_particles(worlds[w], &random, 4);
            add_kind(worlds[w], (msd_constraint_kind)kind, 0, law_kind);
            if (pinned)
              ASSERT_OK(worlds[w], msd_particle_pin(worlds[w], 1));
          }
          for (int k = 0; k < 12; k++) {
            step(worlds[0], 1);
            step(worlds[1], 1);
            cr_assert_lt(velocity_difference(worlds[0], worlds[1]), 2000 * EPSILON,
                         "kind %d, law %d, pinned %d, setting %d, step %d: %g", kind, law_kind, pinned, n, k,
                         velocity_difference(worlds[0], worlds[1]));
          }
          msd_destroy_world(worlds[0]);
          msd_destroy_world(worlds[1]);
        }
}

Test(constraint_impulse, limited_constraints_are_softened_as_their_forces_are) {
  for (int kind = 0; kind < KINDS; kind++) {
    msd_world *worlds[2];
    for (int w = 0; w < 2; w++) {
      generator random = {.state = (uint64_t)(kind + 1)};
      worlds[w] = empty_world(w == 0 ? FORCES : impulses(1, false));
      ASSERT_OK(worlds[w], msd_world_set_clamp_stiffness(worlds[w], true));
      add_particles(worlds[w], &random, 4);
      add_kind(worlds[w], (msd_constraint_kind)kind, 0, 0);
      msd_constraint_def def = msd_constraint_get_def(worlds[w], 0);
      def.stiffness = def.damping = (msd_real)1e8;
      ASSERT_OK(worlds[w], msd_constraint_set_law(worlds[w], 0, &def));
      step(worlds[w], 2);
    }
    cr_assert_lt(velocity_difference(worlds[0], worlds[1]), 20000 * EPSILON, "kind %d: %g", kind,
                 velocity_difference(worlds[0], worlds[1]));
    msd_destroy_world(worlds[0]);
    msd_destroy_world(worlds[1]);
  }
}

Test(constraint_impulse, broken_constraints_give_nothing) {
  msd_world *world = empty_world(impulses(4, true));
  generator random = {.state = 9};
  add_particles(world, &random, 4);
  for (int kind = 0; kind < KINDS; kind++)
    add_kind(world, (msd_constraint_kind)kind, 0, kind);
  step(world, 3);
  for (int32_t c = 0; c < KINDS; c++)
    ASSERT_OK(world, msd_constraint_break(world, c));
  const msd_vec3 before = msd_particle_get_velocity(world, 1);
  step(world, 3);
  const msd_vec3 after = msd_particle_get_velocity(world, 1);
  cr_assert(before.x == after.x && before.y == after.y && before.z == after.z);
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------------- networks */

Test(constraint_impulse, without_damping_networks_move_as_by_their_forces) {
  for (uint64_t seed = 1; seed <= 10; seed++)
    for (int iterations = 1; iterations <= 3; iterations += 2) {
      msd_world *worlds[2] = {penetration(FORCES, seed, PARTICLES, 20),
                              penetration(impulses(iterations, false), seed, PARTICLES, 20)};
      for (int w = 0; w < 2; w++) {
        msd_constraint_def def = msd_default_constraint_def();
        msd_spring_def spring = msd_default_spring_def();
        def.stiffness = 1;
        spring.stiffness = 50;
        for (int32_t c = 0; c < 20; c++)
          ASSERT_OK(worlds[w], msd_constraint_set_law(worlds[w], c, &def));
        for (int32_t s = 0; s + 1 < PARTICLES; s++)
          ASSERT_OK(worlds[w], msd_spring_set_law(worlds[w], s, &spring));
        step(worlds[w], 4);
      }
      cr_assert_lt(velocity_difference(worlds[0], worlds[1]), 2000 * EPSILON, "network %d: %g", (int)seed,
                   velocity_difference(worlds[0], worlds[1]));
      msd_destroy_world(worlds[0]);
      msd_destroy_world(worlds[1]);
    }
}

/* A constraint that comes later feels what those before it have done: with damping two that share corners do
   not move as by their forces. */
Test(constraint_impulse, damped_constraints_see_what_those_before_have_done) {
  msd_world *worlds[2] = {penetration(FORCES, 3, PARTICLES, 20),
                          penetration(impulses(1, false), 3, PARTICLES, 20)};
  step(worlds[0], 1);
  step(worlds[1], 1);
  cr_assert_gt(velocity_difference(worlds[0], worlds[1]), 1e-4);
  msd_destroy_world(worlds[0]);
  msd_destroy_world(worlds[1]);
}

Test(constraint_impulse, momentum_and_angular_momentum_are_kept) {
  for (int warm = 0; warm < 2; warm++) {
    msd_world *world = penetration(impulses(3, warm), 11, PARTICLES, 25);
    ASSERT_OK(world, msd_particle_unpin(world, 2));
    const msd_stats before = msd_world_get_stats(world);
    step(world, 10);
    const msd_stats after = msd_world_get_stats(world);
    for (int c = 0; c < 3; c++) {
      cr_assert_float_eq(before.momentum[c], after.momentum[c], 3000 * EPSILON);
      cr_assert_float_eq(before.angular_momentum[c], after.angular_momentum[c], 10000 * EPSILON);
    }
    msd_destroy_world(world);
  }
}

/* 120 constraints at 40 particles are over 64 colors somewhere; and the last ones come one after another. */
Test(constraint_impulse, every_number_of_threads_gives_the_same_bits) {
  for (int way = 0; way < 4; way++) {
    uint64_t expected = 0;
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
      setting s = impulses(1 + way % 2 * 2, way / 2);
      s.threads = threads;
      msd_world *world = penetration(s, 5, 600, 900);
      for (int32_t c = 0; c < 90; c++) {
        msd_constraint_def hub = constraint_of(MSD_CONSTRAINT_ANGLE, 7, 20 + 2 * c, 21 + 2 * c, -1);
        hub.stiffness = (msd_real)0.5;
        hub.damping = (msd_real)0.0625;
        add_constraint(world, hub);
      }
      step(world, 6);
      if (threads == 1)
        expected = msd_world_hash(world);
      cr_assert_eq(msd_world_hash(world), expected, "%d threads, way %d", threads, way);
      msd_destroy_world(world);
    }
  }
}

/* A warm start is part of the state. */
Test(constraint_impulse, a_restored_world_goes_on_with_the_same_bits) {
  msd_world *world = penetration(impulses(2, true), 8, PARTICLES, 25), *copy = empty_world(FORCES);
  step(world, 5);
  size_t size;
  ASSERT_OK(world, msd_world_save(world, NULL, 0, &size));
  void *snapshot = malloc(size);
  cr_assert_not_null(snapshot);
  ASSERT_OK(world, msd_world_save(world, snapshot, size, &size));
  ASSERT_OK(copy, msd_world_restore(copy, snapshot, size));
  free(snapshot);
  for (int n = 0; n < 5; n++) {
    step(world, 1);
    step(copy, 1);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(copy), "step %d", n);
  }
  msd_destroy_world(world);
  msd_destroy_world(copy);
}

Test(constraint_impulse, constraints_may_come_and_change_between_steps) {
  msd_world *world = penetration(impulses(2, true), 8, PARTICLES, 25),
            *other = penetration(impulses(2, true), 8, PARTICLES, 25);
  msd_world *worlds[2] = {world, other};
  for (int w = 0; w < 2; w++) {
    generator random = {.state = 4};
    step(worlds[w], 3);
    add_random_constraint(worlds[w], &random, MSD_CONSTRAINT_MESH_VOLUME, 0);
    add_random_constraint(worlds[w], &random, MSD_CONSTRAINT_DIHEDRAL, 3);
    ASSERT_OK(worlds[w], msd_constraint_set_rest(worlds[w], 3, 1));
    ASSERT_OK(worlds[w], msd_particle_set_mass(worlds[w], 4, 2));
    step(worlds[w], w == 0 ? 4 : 1);
    if (w == 1)
      step(worlds[w], 3);
  }
  cr_assert_eq(msd_world_hash(world), msd_world_hash(other));
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* Gives nothing at one request, counted from 1; 0: always. */
typedef struct refusal {
  int requests, at;
} refusal;

static void *refuse_once(size_t bytes, void *context) {
  refusal *r = context;
  return ++r->requests == r->at ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *block, void *context) {
  (void)context;
  free(block);
}

Test(constraint_impulse, a_step_without_memory_can_be_repeated) {
  uint64_t expected = 0;
  bool refused = true;
  for (int at = 0; refused; at++) {
    refusal r = {0, 0};
    msd_world_def def = msd_default_world_def();
    def.integrator = MSD_SEQUENTIAL_IMPULSE;
    def.impulse_warm_start = true;
    def.thread_count = 1;
    def.allocator = (msd_allocator){refuse_once, release, &r};
    msd_world *world = NULL;
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
    fill_penetration(world, 6, PARTICLES, 20);
    r = (refusal){0, at};
    const msd_result result = msd_world_step(world, (msd_real)0.015625, 2);
    refused = at == 0 || result == MSD_OUT_OF_MEMORY;
    cr_assert(result == MSD_OK || refused, "request %d: %s", at, msd_world_message(world));
    if (result != MSD_OK)
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 2));
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 2));
    if (at == 0)
      expected = msd_world_hash(world);
    cr_assert_eq(msd_world_hash(world), expected, "request %d", at);
    cr_assert(refused || at > 10, "only %d requests", at);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------- Ck = Cd = 1 */

static double energy(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return s.kinetic_energy + s.elastic_energy;
}

/* A sheet of springs and bends, all at Ck = Cd = 1, at which forces go to pieces. */
static msd_world *rigid_sheet(setting s) {
  enum { COLUMNS = 8, ROWS = 6 };
  msd_world *world = empty_world(s);
  graph g = graph_cloth(COLUMNS, ROWS, CLOTH_SHEAR);
  generator random = {.state = 17};
  for (int32_t i = 0; i < g.particles; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = g.at[i];
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t e = 0; e < g.springs; e++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = g.a[e], def.b = g.b[e];
    def.law = MSD_SPRING_COEFFICIENT;
    def.ck = def.cd = 1;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  for (int32_t r = 0; r + 1 < ROWS; r++)
    for (int32_t c = 0; c + 1 < COLUMNS; c++) {
      const int32_t i = r * COLUMNS + c;
      msd_constraint_def def = constraint_of(MSD_CONSTRAINT_DIHEDRAL, i, i + 1 + COLUMNS, i + 1, i + COLUMNS);
      def.law = MSD_SPRING_COEFFICIENT;
      def.ck = def.cd = 1;
      add_constraint(world, def);
    }
  for (int32_t i = 0; i < g.particles; i++) {
    const msd_vec3 x = g.at[i], by = random_vector(&random, (msd_real)0.015625);
    ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){x.x + by.x, x.y + by.y, x.z + by.z}));
  }
  graph_free(&g);
  return world;
}

Test(constraint_impulse, a_sheet_of_full_coefficients_settles_where_forces_go_to_pieces) {
  msd_world *forces = rigid_sheet(FORCES), *world = rigid_sheet(impulses(1, false));
  step(world, 1);
  const double start = energy(world);
  step(world, 1500);
  cr_assert(energy(world) < 0.01 * start, "from %g to %g J", start, energy(world));
  const msd_result result = msd_world_step(forces, (msd_real)100 / 256, 100);
  cr_assert(result == MSD_DIVERGED || energy(forces) > 1e6 * start, "forces: %g J", energy(forces));
  msd_destroy_world(forces);
  msd_destroy_world(world);
}

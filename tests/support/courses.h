/* Courses: what a network does in some substeps, by plain C one by one, for those who take several at once. */
#ifndef MSD_TESTS_SUPPORT_COURSES_H
#define MSD_TESTS_SUPPORT_COURSES_H

#include "tests/support/kernels.h"

#include <float.h>

#ifdef MSD_DOUBLE
static const msd_real LARGEST = DBL_MAX;
#else
static const msd_real LARGEST = FLT_MAX;
#endif

/* The last substep that is compared. */
enum { SUBSTEPS_MAX = 19, COURSE_SLABS = 3 };

/* A world's network, and the states after 0, 1, 2 ... substeps as plain C makes them one by one. */
typedef struct course {
  const char *name;
  msd_world *world;
  spring_input input;
  msd_real *block[SUBSTEPS_MAX + 1];
  /* Of a block: six components and the guards around them. */
  size_t reals;
  /* What the passes work in, with guards. */
  msd_real *slab[COURSE_SLABS], *records[2];
} course;

static inline msd_real *state_of(const course *c, int substeps) {
  return c->block[substeps] + PARTICLE_GUARD;
}

static inline size_t slot_count(const course *c) {
  return (size_t)c->input.net->group_count * NETWORK_GROUP;
}

/* Returns whether all substeps stayed finite. */
static inline bool take_plain_substeps(course *c) {
  bool finite = true;
  for (int n = 0; n < SUBSTEPS_MAX; n++) {
    spring_input in = c->input;
    in.read.slab = in.pins.slab = state_of(c, n);
    in.write.slab = state_of(c, n + 1);
    finite = reference_advance(&in) && finite;
  }
  return finite;
}

/* The world is the course's from now on. The particles keep the order that they have. */
static inline course open_course(const char *name, msd_world *world) {
  world->model.layout_is_fixed = true;
  ASSERT_OK(world, msd_world_set_thread_count(world, 1));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.00390625, 1));
  course c = {.name = name, .world = world, .input = kernel_input(world)};
  c.reals = COMPONENTS * c.input.stride + 2 * PARTICLE_GUARD;
  for (int n = 0; n <= SUBSTEPS_MAX; n++)
    c.block[n] = reals_of(c.reals);
  for (int n = 0; n < COURSE_SLABS; n++)
    c.slab[n] = reals_of(c.reals);
  for (int n = 0; n < 2; n++)
    c.records[n] = reals_of((slot_count(&c) + 2 * PARTICLE_GUARD) * RECORD_SIZE);
  for (size_t k = 0; k < COMPONENTS; k++)
    memcpy(state_of(&c, 0) + k * c.input.stride, c.input.read.slab + k * c.input.stride,
           slot_count(&c) * sizeof(msd_real));
  cr_assert(take_plain_substeps(&c), "%s", name);
  return c;
}

static inline void close_course(course *c) {
  for (int n = 0; n <= SUBSTEPS_MAX; n++)
    free(c->block[n]);
  for (int n = 0; n < COURSE_SLABS; n++)
    free(c->slab[n]);
  free(c->records[0]);
  free(c->records[1]);
  msd_destroy_world(c->world);
}

static inline msd_world *world_made(graph g, const making *m) {
  msd_world *world = world_of(&g, m);
  graph_free(&g);
  return world;
}

/* Each point joined to some at random, less than `reach` apart in their order. */
static inline graph graph_near(int32_t particles, int32_t per_particle, int32_t reach, uint64_t seed) {
  generator random = {.state = seed};
  graph g = graph_of_points(particles);
  for (int32_t i = 0; i < particles; i++)
    g.at[i] = random_vector(&random, 2);
  for (int32_t i = 0; i < particles; i++)
    for (int32_t n = 0; n < per_particle; n++) {
      const int32_t other = i + 1 + random_below(&random, reach - 1);
      if (other < particles)
        graph_join(&g, n % 2 ? other : i, n % 2 ? i : other);
    }
  return g;
}

/* A cloth with springs of no pattern, and without every seventh of its own. */
static inline graph graph_patched(int32_t columns, int32_t rows, int32_t reach) {
  graph cloth = graph_cloth(columns, rows, CLOTH_BEND), patches = graph_near(columns * rows, 1, reach, 4);
  graph g = graph_of_points(cloth.particles);
  memcpy(g.at, cloth.at, (size_t)g.particles * sizeof *g.at);
  for (int32_t s = 0; s < cloth.springs; s++)
    if (s % 7 > 0)
      graph_join(&g, cloth.a[s], cloth.b[s]);
  for (int32_t s = 0; s < patches.springs; s += 5)
    graph_join(&g, patches.a[s], patches.b[s]);
  graph_free(&cloth);
  graph_free(&patches);
  return g;
}

/* A rope, some of whose particles are joined to all that are less than `reach` apart. */
static inline graph graph_near_hubs(int32_t particles, int32_t apart, int32_t reach) {
  graph g = graph_rope(particles, true);
  for (int32_t hub = 100; hub < particles; hub += apart)
    for (int32_t i = hub - reach; i <= hub + reach; i++)
      if (i >= 0 && i < particles && abs(i - hub) > 2)
        graph_join(&g, i % 2 ? hub : i, i % 2 ? i : hub);
  return g;
}

static inline void add_tether(msd_world *world, int32_t particle, int32_t pin) {
  msd_spring_def def = making_spring(&(making){.laws = LAWS_PHYSICAL, .sides = 1}, particle);
  def.a = particle;
  def.b = pin;
  def.rest_length = (msd_real)(particle % 3 + 1) / 2;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

/* A cloth whose upper border is pinned, and holds the particles of every third row by tethers; every seventh
   row hangs on the first pin alone. */
static inline msd_world *tethered_cloth(int32_t columns, int32_t rows, const making *m) {
  msd_world *world = world_made(graph_cloth(columns, rows, CLOTH_BEND), m);
  for (int32_t i = 0; i < columns; i++) {
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, 0}));
    ASSERT_OK(world, msd_particle_pin(world, i));
  }
  for (int32_t i = columns; i < columns * rows; i++) {
    if (i / columns % 3 == 0)
      add_tether(world, i, i % columns);
    if (i / columns % 7 == 6)
      add_tether(world, i, 0);
  }
  return world;
}

static const making LIVELY = {LAWS_PHYSICAL, .seed = 1, .soften = 8};

/* Moves a particle so that it leaves the numbers in that substep, counted from 1. */
static inline void shoot(course *c, int32_t particle, int substep) {
  const msd_real room = LARGEST / 1024;
  msd_real *at = state_of(c, 0) + particle;
  at[POSITION_X * c->input.stride] = LARGEST - room;
  at[VELOCITY_X * c->input.stride] = room / c->input.dt / ((msd_real)substep - (msd_real)0.5);
}

#endif

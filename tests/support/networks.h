/* Networks that several tests use: lists of springs between points, of every shape that the layout of the
   engine tells apart, and worlds made from them. All numbers are multiples of small powers of two, so that
   they are the same with every compiler and precision. */
#ifndef MSD_TESTS_SUPPORT_NETWORKS_H
#define MSD_TESTS_SUPPORT_NETWORKS_H

#include <msd/msd.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct graph {
  int32_t particles, springs;
  msd_vec3 *at;   /* of each particle */
  int32_t *a, *b; /* of each spring */
  int32_t capacity;
} graph;

/* ------------------------------------------------------------------------------------------ random numbers */

/* splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators"). */
typedef struct generator {
  uint64_t state;
} generator;

static inline uint64_t next_random(generator *g) {
  uint64_t z = g->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* 0..count-1 */
static inline int32_t random_below(generator *g, int32_t count) {
  return (int32_t)(next_random(g) % (uint64_t)count);
}

/* A multiple of 1/1024 in -1..1. */
static inline msd_real random_real(generator *g) {
  return (msd_real)(random_below(g, 2049) - 1024) / 1024;
}

static inline msd_vec3 random_vector(generator *g, msd_real size) {
  const msd_real x = random_real(g), y = random_real(g), z = random_real(g);
  return (msd_vec3){size * x, size * y, size * z};
}

/* ------------------------------------------------------------------------------------------------- shapes */

static inline graph graph_of_points(int32_t particles) {
  graph g = {.particles = particles, .at = calloc((size_t)particles + 1, sizeof(msd_vec3))};
  cr_assert_not_null(g.at);
  return g;
}

static inline void graph_free(graph *g) {
  free(g->at);
  free(g->a);
  free(g->b);
  *g = (graph){0};
}

static inline void graph_join(graph *g, int32_t a, int32_t b) {
  if (g->springs == g->capacity) {
    g->capacity = g->capacity ? 2 * g->capacity : 64;
    g->a = realloc(g->a, (size_t)g->capacity * sizeof *g->a);
    g->b = realloc(g->b, (size_t)g->capacity * sizeof *g->b);
    cr_assert(g->a && g->b);
  }
  g->a[g->springs] = a;
  g->b[g->springs++] = b;
}

/* Points on a line, joined to the next and to the second next. */
static inline graph graph_rope(int32_t particles, bool bend) {
  graph g = graph_of_points(particles);
  for (int32_t i = 0; i < particles; i++)
    g.at[i] = (msd_vec3){(msd_real)i / 4, 0, 0};
  for (int32_t i = 0; i + 1 < particles; i++)
    graph_join(&g, i, i + 1);
  for (int32_t i = 0; bend && i + 2 < particles; i++)
    graph_join(&g, i + 2, i);
  return g;
}

typedef enum cloth_springs { CLOTH_STRETCH, CLOTH_SHEAR, CLOTH_BEND } cloth_springs;

/* A sheet with the springs up to and including that kind. */
static inline graph graph_cloth(int32_t columns, int32_t rows, cloth_springs springs) {
  graph g = graph_of_points(columns * rows);
  for (int32_t r = 0; r < rows; r++)
    for (int32_t c = 0; c < columns; c++) {
      const int32_t i = r * columns + c;
      g.at[i] = (msd_vec3){(msd_real)c / 8, (msd_real)-r / 8, 0};
      if (c + 1 < columns)
        graph_join(&g, i, i + 1);
      if (r + 1 < rows)
        graph_join(&g, i, i + columns);
      if (springs >= CLOTH_SHEAR && r + 1 < rows && c + 1 < columns) {
        graph_join(&g, i, i + columns + 1);
        graph_join(&g, i + 1, i + columns);
      }
      if (springs >= CLOTH_BEND && c + 2 < columns)
        graph_join(&g, i, i + 2);
      if (springs >= CLOTH_BEND && r + 2 < rows)
        graph_join(&g, i, i + 2 * columns);
    }
  return g;
}

/* A cloth folded to and fro, so many rows on each side of a fold. */
static inline graph graph_pleats(int32_t columns, int32_t rows, int32_t pleat) {
  graph g = graph_cloth(columns, rows, CLOTH_BEND);
  for (int32_t i = 0; i < g.particles; i++) {
    const int32_t turn = i / columns / pleat, along = i / columns % pleat;
    g.at[i].y = (msd_real) - (turn % 2 ? pleat - 1 - along : along) / 8;
    g.at[i].z = (msd_real)(3 * turn) / 16;
  }
  return g;
}

/* A rope with a knot: a trefoil that is open at its lower end, four points for each of its twelve straight
   parts. */
static inline graph graph_knot(void) {
  static const int32_t corners[][3] = {{2, -8, 1},  {4, -3, 2},   {1, 3, -1},  {-4, 6, -2}, {-8, 4, 0},
                                       {-6, -1, 2}, {0, -3, 0},   {6, -1, -2}, {8, 4, 0},   {4, 6, 2},
                                       {-1, 3, 1},  {-4, -3, -2}, {-2, -8, -1}};
  graph g = graph_rope(4 * (int32_t)(sizeof corners / sizeof *corners) - 3, true);
  for (int32_t i = 0; i < g.particles; i++) {
    const int32_t *from = corners[i / 4], *to = corners[(i + 3) / 4], part = i % 4;
    g.at[i] = (msd_vec3){(msd_real)(from[0] * (4 - part) + to[0] * part) / 32,
                         (msd_real)(from[1] * (4 - part) + to[1] * part) / 32,
                         (msd_real)(from[2] * (4 - part) + to[2] * part) / 64};
  }
  return g;
}

/* side^3 points, each joined to its neighbors along the axes, and along the diagonals of the x-y faces. */
static inline graph graph_block(int32_t side, bool shear) {
  graph g = graph_of_points(side * side * side);
  for (int32_t k = 0; k < side; k++)
    for (int32_t j = 0; j < side; j++)
      for (int32_t i = 0; i < side; i++) {
        const int32_t p = (k * side + j) * side + i;
        g.at[p] = (msd_vec3){(msd_real)i / 4, (msd_real)j / 4, (msd_real)k / 4};
        if (i + 1 < side)
          graph_join(&g, p, p + 1);
        if (j + 1 < side)
          graph_join(&g, p, p + side);
        if (k + 1 < side)
          graph_join(&g, p, p + side * side);
        if (shear && i + 1 < side && j + 1 < side) {
          graph_join(&g, p, p + side + 1);
          graph_join(&g, p + 1, p + side);
        }
      }
  return g;
}

/* `hub` joined to all others. */
static inline graph graph_star(int32_t particles, int32_t hub) {
  generator random = {.state = 77};
  graph g = graph_of_points(particles);
  for (int32_t i = 0; i < particles; i++) {
    g.at[i] = random_vector(&random, 2);
    if (i != hub)
      graph_join(&g, i % 2 ? hub : i, i % 2 ? i : hub);
  }
  return g;
}

/* A closed rope; the `hubs` particles from the 40th on are joined to every third of the others as well. */
static inline graph graph_hubs(int32_t particles, int32_t hubs) {
  generator random = {.state = 78};
  graph g = graph_of_points(particles);
  for (int32_t i = 0; i < particles; i++) {
    g.at[i] = random_vector(&random, 2);
    graph_join(&g, i, (i + 1) % particles);
    for (int32_t hub = 40; hub < 40 + hubs; hub++)
      if ((i + hub) % 3 == 0 && (i < 38 || i > 42 + hubs))
        graph_join(&g, i % 2 ? hub : i, i % 2 ? i : hub);
  }
  return g;
}

/* Springs between any two different points; some pairs get more than one. */
static inline graph graph_random(int32_t particles, int32_t springs, uint64_t seed) {
  generator random = {.state = seed};
  graph g = graph_of_points(particles);
  for (int32_t i = 0; i < particles; i++)
    g.at[i] = random_vector(&random, 2);
  for (int32_t s = 0; s < springs && particles > 1; s++) {
    const int32_t a = random_below(&random, particles), b = random_below(&random, particles - 1);
    graph_join(&g, a, b < a ? b : b + 1);
  }
  return g;
}

/* Each spring of `g` once more, at once behind the first or after all the others. */
static inline graph graph_doubled(graph g, bool interleaved) {
  graph twice = graph_of_points(g.particles);
  memcpy(twice.at, g.at, (size_t)g.particles * sizeof *g.at);
  for (int32_t s = 0; s < g.springs; s++) {
    graph_join(&twice, g.a[s], g.b[s]);
    if (interleaved)
      graph_join(&twice, g.b[s], g.a[s]);
  }
  for (int32_t s = 0; s < g.springs && !interleaved; s++)
    graph_join(&twice, g.b[s], g.a[s]);
  graph_free(&g);
  return twice;
}

/* The same network with particles and springs numbered at random. */
static inline graph graph_shuffled(graph g, uint64_t seed) {
  generator random = {.state = seed};
  int32_t *name = calloc((size_t)g.particles + 1, sizeof *name);
  cr_assert_not_null(name);
  for (int32_t i = 0; i < g.particles; i++) {
    const int32_t j = random_below(&random, i + 1);
    name[i] = name[j];
    name[j] = i;
  }
  graph shuffled = graph_of_points(g.particles);
  for (int32_t i = 0; i < g.particles; i++)
    shuffled.at[name[i]] = g.at[i];
  for (int32_t s = g.springs; s > 0; s--) {
    const int32_t pick = random_below(&random, s);
    graph_join(&shuffled, name[g.a[pick]], name[g.b[pick]]);
    g.a[pick] = g.a[s - 1];
    g.b[pick] = g.b[s - 1];
  }
  free(name);
  graph_free(&g);
  return shuffled;
}

/* Springs of offset d from every particle that has a partner, for d = 1..many and the largest offsets. */
static inline graph graph_offsets(int32_t particles) {
  generator random = {.state = 5};
  graph g = graph_of_points(particles);
  for (int32_t i = 0; i < particles; i++)
    g.at[i] = random_vector(&random, 2);
  const int32_t offsets[] = {
      1, 3, 7, 15, 16, 17, 31, particles / 2, particles - 17, particles - 12, particles - 1};
  for (size_t o = 0; o < sizeof offsets / sizeof offsets[0]; o++)
    for (int32_t i = 0; offsets[o] > 0 && i + offsets[o] < particles; i++)
      graph_join(&g, i, i + offsets[o]);
  return g;
}

/* A line of tests: the network and its name. */
typedef struct named_graph {
  const char *name;
  graph graph;
} named_graph;

enum { ALL_GRAPHS = 26 };

/* Every shape above; to be freed with free_all_graphs. */
static inline void make_all_graphs(named_graph list[ALL_GRAPHS]) {
  const named_graph all[ALL_GRAPHS] = {
      {"one particle", graph_of_points(1)},
      {"a pair", graph_rope(2, false)},
      {"dust", graph_of_points(40)},
      {"rope of 13", graph_rope(13, false)},
      {"rope of 16", graph_rope(16, true)},
      {"rope of 17", graph_rope(17, true)},
      {"rope of 1000", graph_rope(1000, true)},
      {"cloth 5x5", graph_cloth(5, 5, CLOTH_STRETCH)},
      {"cloth 16x16", graph_cloth(16, 16, CLOTH_BEND)},
      {"cloth 31x33", graph_cloth(31, 33, CLOTH_BEND)},
      {"cloth 12x3", graph_cloth(12, 3, CLOTH_SHEAR)},
      {"cloth 100x7", graph_cloth(100, 7, CLOTH_BEND)},
      {"cloth 7x300", graph_cloth(7, 300, CLOTH_BEND)},
      {"block 4", graph_block(4, false)},
      {"block 9", graph_block(9, true)},
      {"star around the first", graph_star(200, 0)},
      {"star around the last", graph_star(200, 199)},
      {"star around the middle", graph_star(777, 400)},
      {"random, sparse", graph_random(300, 200, 1)},
      {"random", graph_random(500, 2500, 2)},
      {"random, dense", graph_random(33, 1500, 3)},
      {"doubled rope", graph_doubled(graph_rope(70, true), true)},
      {"doubled cloth", graph_doubled(graph_cloth(20, 20, CLOTH_SHEAR), false)},
      {"shuffled cloth", graph_shuffled(graph_cloth(25, 25, CLOTH_BEND), 4)},
      {"shuffled block", graph_shuffled(graph_block(7, true), 5)},
      {"offsets", graph_offsets(150)},
  };
  memcpy(list, all, sizeof all);
}

static inline void free_all_graphs(named_graph list[ALL_GRAPHS]) {
  for (int i = 0; i < ALL_GRAPHS; i++)
    graph_free(&list[i].graph);
}

/* ------------------------------------------------------------------------------------------------- worlds */

#define ASSERT_OK(world, call)                                                                               \
  do {                                                                                                       \
    const msd_result result_ = (call);                                                                       \
    cr_assert(result_ == MSD_OK, "%s: %s", msd_result_string(result_), msd_world_message(world));            \
  } while (0)

typedef enum laws { LAWS_PHYSICAL, LAWS_COEFFICIENT, LAWS_FREQUENCY, LAWS_MIXED, LAWS_COUNT } laws;

/* What a world made from a graph is like. */
typedef struct making {
  laws laws;
  uint64_t
      seed;  /* masses of 1/4..2 kg, velocities, displacements, rest lengths; 0: 1 kg, at rest, as placed */
  bool pins; /* every 50th particle, and the first */
  int32_t breaks;   /* every so many springs one is broken, 0: none */
  msd_real soften;  /* divides all stiffness and damping, for hubs; 0: 1 */
  int32_t sides;    /* every so many springs a strut and a tether; 1: tethers alone, 0: none */
  bool undamped;    /* physical springs */
  bool hard_limits; /* struts and tethers are */
} making;

static inline msd_spring_def making_spring(const making *m, int32_t spring) {
  const msd_real soften = m->soften > 0 ? m->soften : 1;
  msd_spring_def def = msd_default_spring_def();
  if (m->sides == 1)
    def.mode = MSD_SPRING_TENSION_ONLY;
  else if (m->sides > 1 && spring % m->sides < 2)
    def.mode = spring % m->sides == 0 ? MSD_SPRING_COMPRESSION_ONLY : MSD_SPRING_TENSION_ONLY;
  if (m->hard_limits && def.mode != MSD_SPRING_BOTH) {
    def.law = MSD_SPRING_HARD_LIMIT;
    def.ck = (msd_real)(1 + spring % 4) / 4;
    return def;
  }
  switch (m->laws == LAWS_MIXED ? (laws)(spring % 3) : m->laws) {
  case LAWS_COEFFICIENT:
    def.law = MSD_SPRING_COEFFICIENT;
    if (spring % 7 == 0)
      def.ck = (msd_real)0.0625 / soften;
    if (spring % 5 == 0)
      def.cd = (msd_real)0.03125 / soften;
    break;
  case LAWS_FREQUENCY:
    def.law = MSD_SPRING_FREQUENCY;
    def.frequency = (msd_real)(1 + spring % 3) / soften;
    def.damping_ratio = (msd_real)0.125;
    break;
  default:
    def.stiffness = (msd_real)(40 + spring % 9) / soften;
    def.damping = m->undamped ? 0 : (msd_real)(1 + spring % 4) / 8 / soften;
  }
  return def;
}

static inline msd_world *world_from_def(const msd_world_def *def) {
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(def, &world), MSD_OK);
  return world;
}

static inline void populate(msd_world *world, const graph *g, const making *m) {
  generator random = {.state = m->seed};
  for (int32_t i = 0; i < g->particles; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = g->at[i];
    if (m->seed) {
      const msd_vec3 shift = random_vector(&random, (msd_real)0.0625);
      def.position.x += shift.x;
      def.position.y += shift.y;
      def.position.z += shift.z;
      def.velocity = random_vector(&random, 1);
      def.mass = (msd_real)(1 + random_below(&random, 8)) / 4;
    }
    def.pinned = m->pins && i % 50 == 0;
    if (def.pinned)
      def.velocity = (msd_vec3){0, 0, 0};
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  msd_spring_def *defs = calloc((size_t)g->springs + 1, sizeof *defs);
  cr_assert_not_null(defs);
  for (int32_t s = 0; s < g->springs; s++) {
    defs[s] = making_spring(m, s);
    defs[s].a = g->a[s];
    defs[s].b = g->b[s];
    if (m->seed && s % 3 == 0)
      defs[s].rest_length = (msd_real)(1 + random_below(&random, 16)) / 32;
  }
  ASSERT_OK(world, msd_add_springs(world, defs, g->springs, NULL));
  free(defs);
  for (int32_t s = 0; m->breaks && s < g->springs; s += m->breaks)
    ASSERT_OK(world, msd_spring_break(world, s));
}

static inline msd_world *world_of(const graph *g, const making *m) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  populate(world, g, m);
  return world;
}

/* Index of the first particle whose bits differ between two worlds; -1: none. */
static inline int32_t first_difference(const msd_world *one, const msd_world *other) {
  for (int32_t i = 0; i < msd_world_get_particle_count(one); i++) {
    const msd_vec3 state[4] = {msd_particle_get_position(one, i), msd_particle_get_velocity(one, i),
                               msd_particle_get_position(other, i), msd_particle_get_velocity(other, i)};
    if (memcmp(&state[0], &state[2], 2 * sizeof(msd_vec3)) != 0)
      return i;
  }
  return -1;
}

#endif

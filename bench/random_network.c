#include "bench/random_network.h"
#include "bench/random_numbers.h"

#include <math.h>

const char *random_network_kind_name(random_network_kind kind) {
  static const char *const names[RANDOM_NETWORK_KIND_COUNT] = {"rope",  "grid",  "lattice",   "star",
                                                               "graph", "mixed", "max_stable"};
  return (unsigned)kind < RANDOM_NETWORK_KIND_COUNT ? names[kind] : "unknown";
}

typedef struct builder {
  msd_world *world;
  /* State of the random number generator. */
  uint64_t state;
  /* Springs are damped; some springs are given by coefficients. */
  bool damped, mixed;
  /* Only constraints at their maximum stable stiffness. */
  bool max_stable;
  /* The first failure. */
  msd_result result;
} builder;

static double uniform(builder *b) {
  return random_uniform(&b->state);
}

static double log_uniform(builder *b, double least, double most) {
  return least * pow(most / least, uniform(b));
}

static int32_t whole(builder *b, int32_t least, int32_t most) {
  return random_whole(&b->state, least, most);
}

static void add_particles(builder *b, int32_t count) {
  const double pinned = uniform(b) < 0.5 ? 0 : 0.1;
  for (int32_t i = 0; i < count && b->result == MSD_OK; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)uniform(b), (msd_real)uniform(b), (msd_real)uniform(b)};
    def.mass = (msd_real)log_uniform(b, 1e-3, 1e3);
    def.pinned = uniform(b) < pinned;
    b->result = msd_add_particles(b->world, &def, 1, NULL);
  }
}

static void join(builder *b, int32_t one, int32_t other) {
  if (b->result != MSD_OK || one == other)
    return;
  msd_spring_def def = msd_default_spring_def();
  def.a = one;
  def.b = other;
  def.rest_length = (msd_real)(0.5 + uniform(b));
  if (b->mixed && uniform(b) < 0.3) {
    /* At a third of the maximum stable coefficient, the other springs have a stiffness budget left. */
    def.law = MSD_SPRING_COEFFICIENT;
    def.ck = def.cd = (msd_real)(0.02 * uniform(b));
  } else {
    const double ma = (double)msd_particle_get_mass(b->world, one);
    const double mb = (double)msd_particle_get_mass(b->world, other);
    const double stiffness = log_uniform(b, 1, 1e3), ratio = log_uniform(b, 1e-3, 1);
    def.stiffness = (msd_real)stiffness;
    def.damping = b->damped ? (msd_real)(2 * ratio * sqrt(stiffness * ma * mb / (ma + mb))) : 0;
  }
  b->result = msd_add_springs(b->world, &def, 1, NULL);
}

static void add_lattice(builder *b, int32_t columns, int32_t rows, int32_t layers) {
  add_particles(b, columns * rows * layers);
  for (int32_t k = 0; k < layers; k++)
    for (int32_t j = 0; j < rows; j++)
      for (int32_t i = 0; i < columns; i++) {
        const int32_t at = (k * rows + j) * columns + i;
        if (i + 1 < columns)
          join(b, at, at + 1);
        if (j + 1 < rows)
          join(b, at, at + columns);
        if (k + 1 < layers)
          join(b, at, at + columns * rows);
      }
}

static void add_star(builder *b) {
  const int32_t leaves = whole(b, 2, 60);
  add_particles(b, leaves + 1);
  for (int32_t i = 1; i <= leaves; i++)
    join(b, 0, i);
}

static void add_graph(builder *b) {
  const int32_t particles = whole(b, 2, 60), springs = particles * whole(b, 1, 6);
  add_particles(b, particles);
  for (int32_t n = 0; n < springs; n++) {
    const int32_t one = whole(b, 0, particles - 1);
    join(b, one, whole(b, 0, particles - 1));
  }
}

/* Picks four different particles. */
static void pick_corners(builder *b, int32_t particles, int32_t corners[4]) {
  for (int n = 0; n < 4; n++) {
    bool is_taken = true;
    while (is_taken) {
      corners[n] = whole(b, 0, particles - 1);
      is_taken = false;
      for (int other = 0; other < n; other++)
        is_taken = is_taken || corners[other] == corners[n];
    }
  }
}

static void give_law(builder *b, msd_constraint_def *def) {
  const double stiffness = log_uniform(b, 1, 1e5), ratio = b->damped ? log_uniform(b, 1e-3, 1) : 0;
  def->law = (msd_spring_law)(MSD_SPRING_STIFFNESS + whole(b, 0, 2));
  def->stiffness = (msd_real)stiffness;
  def->damping = (msd_real)(ratio * sqrt(stiffness));
  def->frequency = (msd_real)log_uniform(b, 0.5, 50);
  def->damping_ratio = (msd_real)ratio;
  if (uniform(b) < 0.5)
    def->ck = def->cd = (msd_real)(0.1 * uniform(b));
}

/* Sets the weights of a fiber in a triangle or a tetrahedron. */
static void weigh(builder *b, msd_constraint_def *def) {
  const int corners = whole(b, 3, 4);
  if (corners == 3)
    def->particles[3] = -1;
  for (int n = 1; n < corners; n++) {
    def->weights[n] = (msd_real)(3 * uniform(b) - 1.5);
    def->weights[0] -= def->weights[n];
  }
}

static void constrain(builder *b, msd_constraint_kind kind, int32_t particles) {
  static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  int32_t corners[4], triangles[12];
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = kind;
  pick_corners(b, particles, corners);
  for (int n = 0; n < msd_constraint_kind_particles(kind); n++)
    def.particles[n] = corners[n];
  for (int n = 0; n < 12; n++)
    triangles[n] = corners[faces[n / 3][n % 3]];
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  if (kind == MSD_CONSTRAINT_FIBER)
    weigh(b, &def);
  if (uniform(b) < 0.7)
    def.rest = (msd_real)(kind == MSD_CONSTRAINT_DIHEDRAL ? 6 * uniform(b) - 3 : 3 * uniform(b));
  def.law = MSD_SPRING_COEFFICIENT;
  if (!b->max_stable)
    give_law(b, &def);
  if (b->result == MSD_OK)
    b->result = msd_add_constraints(b->world, &def, 1, NULL);
}

static void add_tangle(builder *b) {
  const int32_t particles = whole(b, 4, 12), springs = whole(b, 0, particles);
  add_particles(b, particles);
  for (int32_t n = 0; n < springs && !b->max_stable; n++) {
    const int32_t one = whole(b, 0, particles - 1);
    join(b, one, whole(b, 0, particles - 1));
  }
  for (int32_t n = whole(b, 1, particles); n > 0; n--)
    constrain(b,
              (msd_constraint_kind)whole(
                  b, 0, b->max_stable ? MSD_CONSTRAINT_DIHEDRAL : MSD_CONSTRAINT_MESH_VOLUME),
              particles);
}

msd_result random_network_add(msd_world *world, random_network_kind kind, uint64_t seed) {
  builder b = {.world = world, .state = seed * 0xd1342543de82ef95u + (uint64_t)kind, .result = MSD_OK};
  b.damped = uniform(&b) > 1 / 3.0;
  b.mixed = uniform(&b) < 0.3;
  switch (kind) {
  case RANDOM_NETWORK_ROPE:
    add_lattice(&b, whole(&b, 2, 60), 1, 1);
    break;
  case RANDOM_NETWORK_GRID:
    add_lattice(&b, whole(&b, 2, 10), whole(&b, 2, 10), 1);
    break;
  case RANDOM_NETWORK_LATTICE:
    add_lattice(&b, whole(&b, 2, 5), whole(&b, 2, 5), whole(&b, 2, 4));
    break;
  case RANDOM_NETWORK_STAR:
    add_star(&b);
    break;
  case RANDOM_NETWORK_TANGLE:
  case RANDOM_NETWORK_MAX_STABLE:
    b.max_stable = kind == RANDOM_NETWORK_MAX_STABLE;
    add_tangle(&b);
    break;
  default:
    add_graph(&b);
  }
  return b.result;
}

#include "bench/networks.h"

#include <math.h>
#include <stdlib.h>

enum { ROPE_PARTICLES = 100 };

/* The stability of a substep depends only on k/m and mu/m. All networks have particles of one gram and springs
   of 100 N/m, so that dt^2 k/m = 0.001. */
static const msd_real MASS = (msd_real)1e-3, SPACING = (msd_real)0.01;

static msd_spring_def spring_pattern(void) {
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = 100;
  def.damping = (msd_real)0.01;
  return def;
}

static msd_result add_cloth(msd_world *world, int32_t size) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = size;
  def.u = (msd_vec3){SPACING * (msd_real)(size - 1), 0, 0};
  def.v = (msd_vec3){0, 0, SPACING * (msd_real)(size - 1)};
  def.mass = MASS * (msd_real)size * (msd_real)size;
  def.stretch = def.shear = def.bend = spring_pattern();
  msd_body body;
  msd_result result = msd_add_cloth(world, &def, &body);
  if (result == MSD_OK)
    result = msd_particle_pin(world, body.particles.first);
  if (result == MSD_OK)
    result = msd_particle_pin(world, body.particles.first + size - 1);
  return result;
}

static msd_result add_ropes(msd_world *world, int32_t size) {
  for (int32_t n = 0; n < size; n++) {
    msd_rope_def def = msd_default_rope_def();
    def.particles = ROPE_PARTICLES;
    def.from = (msd_vec3){0, 0, SPACING * (msd_real)n};
    def.to = (msd_vec3){SPACING * (ROPE_PARTICLES - 1), 0, SPACING * (msd_real)n};
    def.mass = MASS * ROPE_PARTICLES;
    def.stretch = def.bend = spring_pattern();
    msd_body body;
    msd_result result = msd_add_rope(world, &def, &body);
    if (result == MSD_OK)
      result = msd_particle_pin(world, body.particles.first);
    if (result != MSD_OK)
      return result;
  }
  return MSD_OK;
}

/* Uniform in [0, 1); the same sequence on every machine (PCG, M. O'Neill 2014). */
static double random_number(uint64_t *state) {
  const uint64_t old = *state;
  *state = old * 6364136223846793005u + 1442695040888963407u;
  const uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27), turn = (uint32_t)(old >> 59);
  return (double)((shifted >> turn) | (shifted << ((0u - turn) & 31u))) / 4294967296.0;
}

/* A growing list of springs. */
typedef struct edges {
  msd_spring_def *defs;
  int32_t count, capacity;
  /* The shuffled index of each particle. */
  const int32_t *place;
} edges;

static void join(edges *e, int32_t a, int32_t b) {
  if (!e->defs || e->count == e->capacity)
    return;
  e->defs[e->count] = spring_pattern();
  e->defs[e->count].a = e->place[a];
  e->defs[e->count].b = e->place[b];
  e->count++;
}

/* A square mesh whose cells are split along a random diagonal. The other diagonal of a cell is its bend spring;
   bend springs across the sides of cells are added at random. */
static void join_triangles(edges *e, int32_t n, uint64_t *state) {
  for (int32_t r = 0; r < n; r++)
    for (int32_t c = 0; c < n; c++) {
      const int32_t i = r * n + c;
      const bool right = c + 1 < n, down = r + 1 < n;
      if (right)
        join(e, i, i + 1);
      if (down)
        join(e, i, i + n);
      if (!right || !down)
        continue;
      const bool turned = random_number(state) < 0.5;
      join(e, turned ? i : i + 1, turned ? i + n + 1 : i + n);
      join(e, turned ? i + 1 : i, turned ? i + n : i + n + 1);
      if (c + 2 < n && random_number(state) < 0.5)
        join(e, i, i + 2);
      if (r + 2 < n && random_number(state) < 0.5)
        join(e, i, i + 2 * n);
    }
}

/* Cubes split into tetrahedra along a random space diagonal, with random diagonals on the faces. */
static void join_tetrahedra(edges *e, int32_t n, uint64_t *state) {
  const int32_t x = 1, y = n, z = n * n;
  for (int32_t k = 0; k < n; k++)
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < n; i++) {
        const int32_t p = k * z + j * y + i;
        const bool in_x = i + 1 < n, in_y = j + 1 < n, in_z = k + 1 < n;
        if (in_x)
          join(e, p, p + x);
        if (in_y)
          join(e, p, p + y);
        if (in_z)
          join(e, p, p + z);
        const bool face = random_number(state) < 0.5;
        if (in_x && in_y)
          join(e, face ? p : p + x, face ? p + x + y : p + y);
        if (in_y && in_z)
          join(e, face ? p : p + y, face ? p + y + z : p + z);
        if (in_x && in_z)
          join(e, face ? p : p + x, face ? p + x + z : p + z);
        if (in_x && in_y && in_z)
          join(e, face ? p : p + x, face ? p + x + y + z : p + y + z);
      }
}

static msd_result add_irregular(msd_world *world, int32_t side, int dimensions, uint64_t *state) {
  const int32_t count = dimensions == 2 ? side * side : side * side * side;
  msd_particle_def *particles = malloc((size_t)count * sizeof *particles);
  int32_t *place = malloc((size_t)count * sizeof *place);
  edges e = {.capacity = 7 * count, .place = place};
  e.defs = malloc((size_t)e.capacity * sizeof *e.defs);
  msd_result result = MSD_OUT_OF_MEMORY;
  if (particles && place && e.defs) {
    for (int32_t i = 0; i < count; i++)
      place[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
      const int32_t other = (int32_t)(random_number(state) * (i + 1)), kept = place[i];
      place[i] = place[other];
      place[other] = kept;
    }
    for (int32_t i = 0; i < count; i++) {
      const int32_t at[3] = {i % side, dimensions == 2 ? 0 : i / (side * side), i / side % side};
      msd_particle_def *def = &particles[place[i]];
      *def = msd_default_particle_def();
      def->mass = MASS;
      def->position = (msd_vec3){SPACING * ((msd_real)at[0] + (msd_real)(0.4 * random_number(state))),
                                 SPACING * ((msd_real)at[1] + (msd_real)(0.4 * random_number(state))),
                                 SPACING * ((msd_real)at[2] + (msd_real)(0.4 * random_number(state)))};
      def->pinned = i == 0;
    }
    if (dimensions == 2)
      join_triangles(&e, side, state);
    else
      join_tetrahedra(&e, side, state);
    result = msd_add_particles(world, particles, count, NULL);
    if (result == MSD_OK)
      result = msd_add_springs(world, e.defs, e.count, NULL);
  }
  free(particles);
  free(place);
  free(e.defs);
  return result;
}

static msd_result add_network(msd_world *world, networks_kind kind, int32_t size, uint64_t *state) {
  switch (kind) {
  case NETWORKS_CLOTH:
    return add_cloth(world, size);
  case NETWORKS_ROPES:
    return add_ropes(world, size);
  case NETWORKS_TRIANGLES:
    return add_irregular(world, (int32_t)lround(sqrt(size)), 2, state);
  default:
    return add_irregular(world, (int32_t)lround(cbrt(size)), 3, state);
  }
}

static msd_real random_speed(uint64_t *state) {
  return (msd_real)(0.1 * random_number(state) - 0.05);
}

msd_result networks_add(msd_world *world, networks_kind kind, int32_t size) {
  uint64_t state = 20;
  msd_result result = add_network(world, kind, size, &state);
  for (int32_t i = 0; i < msd_world_get_particle_count(world) && result == MSD_OK; i++) {
    const msd_real x = random_speed(&state), y = random_speed(&state), z = random_speed(&state);
    if (!msd_particle_is_pinned(world, i))
      result = msd_particle_set_velocity(world, i, (msd_vec3){x, y, z});
  }
  return result;
}

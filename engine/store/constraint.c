#include "engine/store/constraint.h"

#define LANE_DOUBLE
#include "engine/constraint/mesh_volume.h"
#include "engine/constraint/tuning.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- store */

static const growth_array arrays[] = {
    {offsetof(constraint_store, corners), CONSTRAINT_CORNERS * sizeof(int32_t), false},
    {offsetof(constraint_store, fibers), CONSTRAINT_CORNERS * sizeof(msd_real), false},
    GROWTH_ARRAY(constraint_store, rest),
    GROWTH_ARRAY(constraint_store, compression),
    GROWTH_ARRAY(constraint_store, laws),
    GROWTH_ARRAY(constraint_store, kind),
    GROWTH_ARRAY(constraint_store, is_broken),
    {offsetof(constraint_store, placed), CONSTRAINT_CORNERS * sizeof(msd_real), false},
    {offsetof(constraint_store, weights), CONSTRAINT_CORNERS * sizeof(msd_real), false},
    GROWTH_OPTIONAL_ARRAY(constraint_store, damage),
};
const growth_table constraint_growth =
    GROWTH(constraint_store, count, capacity, arrays, .most = CONSTRAINTS_MAX);

static const growth_array mesh_arrays[] = {GROWTH_ARRAY(constraint_store, meshes)};
const growth_table constraint_mesh_growth =
    GROWTH(constraint_store, mesh_count, mesh_capacity, mesh_arrays, .most = CONSTRAINTS_MAX);

/* A closed mesh has at least four triangles, and each vertex at least two. So a triangle adds at most 3/2
   vertices, and at most 2 entries of vertex_first. */
static const growth_array triangle_arrays[] = {
    {offsetof(constraint_store, triangles), 3 * sizeof(int32_t), false},
    {offsetof(constraint_store, fans), 3 * sizeof(int32_t), false},
    {offsetof(constraint_store, vertices), 3 * sizeof(int32_t) / 2, false},
    {offsetof(constraint_store, vertex_placed), 3 * sizeof(msd_real) / 2, false},
    {offsetof(constraint_store, vertex_weights), 3 * sizeof(msd_real) / 2, false},
    {offsetof(constraint_store, vertex_first), 2 * sizeof(int32_t), false},
};
const growth_table constraint_triangle_growth = GROWTH(constraint_store, triangle_count, triangle_capacity,
                                                       triangle_arrays, .most = CONSTRAINT_TRIANGLES_MAX);

void constraint_store_free(constraint_store *s, memory *m) {
  growth_free(&constraint_growth, s, m);
  growth_free(&constraint_mesh_growth, s, m);
  growth_free(&constraint_triangle_growth, s, m);
  *s = (constraint_store){0};
}

/* The first weight makes the sum 0 in spite of rounding. */
static void take_weights(msd_real *weights, const msd_constraint_def *def) {
  memset(weights, 0, CONSTRAINT_CORNERS * sizeof *weights);
  if (def->kind != MSD_CONSTRAINT_FIBER)
    return;
  for (int n = 1; n < CONSTRAINT_CORNERS; n++)
    weights[n] = def->particles[n] < 0 ? 0 : def->weights[n];
  weights[0] = -(weights[1] + weights[2] + weights[3]);
}

int32_t constraint_store_append(constraint_store *s, const msd_constraint_def *def) {
  const constraint_kind *kind = constraint_kind_get(def->kind);
  const int32_t constraint = s->count++;
  int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  for (int n = 0; n < CONSTRAINT_CORNERS; n++)
    corners[n] = n < kind->corners ? def->particles[n] : -1;
  take_weights(s->fibers + (size_t)constraint * CONSTRAINT_CORNERS, def);
  if (def->kind == MSD_CONSTRAINT_MESH_VOLUME)
    corners[0] = constraint_append_mesh(s, def->triangles, def->triangle_count);
  s->kind[constraint] = (uint8_t)def->kind;
  s->is_broken[constraint] = false;
  if (s->damage)
    s->damage[constraint] = (damage_rule){0};
  memset(s->placed + (size_t)constraint * CONSTRAINT_CORNERS, 0, CONSTRAINT_CORNERS * sizeof *s->placed);
  memset(s->weights + (size_t)constraint * CONSTRAINT_CORNERS, 0, CONSTRAINT_CORNERS * sizeof *s->weights);
  s->unplaced++;
  s->rest[constraint] = constraint_kind_rest(kind, def->rest);
  s->compression[constraint] = def->kind == MSD_CONSTRAINT_FIBER ? def->compression_factor : 1;
  s->laws[constraint] = law_read(LAW_FIELDS(def));
  return constraint;
}

constraint_corners constraint_corners_of(const constraint_store *s, int32_t constraint) {
  if (constraint_is_mesh(s, constraint)) {
    const constraint_mesh *mesh = constraint_mesh_of(s, constraint);
    return (constraint_corners){s->vertices + mesh->first_vertex, mesh->vertex_count};
  }
  const int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  const bool is_triangle = constraint_is_fiber(s, constraint) && corners[3] < 0;
  return (constraint_corners){corners, is_triangle ? 3 : constraint_kind_of(s, constraint)->corners};
}

void constraint_count_valence(const constraint_store *s, particle_store *p, int32_t constraint, int change) {
  const constraint_corners corners = constraint_corners_of(s, constraint);
  for (int32_t n = 0; n < corners.count; n++)
    p->valence[corners.particles[n]] += change;
}

/* ------------------------------------------------------------------------------------------- compaction */

static void shift_down(int32_t *list, int32_t to, int32_t from, int32_t count) {
  if (to < from)
    memmove(list + to, list + from, (size_t)count * sizeof *list);
}

static void shift_reals(msd_real *list, int32_t to, int32_t from, int32_t count) {
  if (to < from)
    memmove(list + to, list + from, (size_t)count * sizeof *list);
}

/* Appends a mesh to those already compacted: the same triangles, vertices and fans with new numbers. */
static void keep_mesh(constraint_store *s, constraint_mesh mesh) {
  const int32_t to = s->triangle_count, vertex = s->vertex_count, shift = 3 * (mesh.first_triangle - to);
  shift_down(s->triangles, 3 * to, 3 * mesh.first_triangle, 3 * mesh.triangle_count);
  shift_down(s->fans, 3 * to, 3 * mesh.first_triangle, 3 * mesh.triangle_count);
  shift_down(s->vertices, vertex, mesh.first_vertex, mesh.vertex_count);
  shift_down(s->vertex_first, vertex, mesh.first_vertex, mesh.vertex_count + 1);
  shift_reals(s->vertex_placed, vertex, mesh.first_vertex, mesh.vertex_count);
  shift_reals(s->vertex_weights, vertex, mesh.first_vertex, mesh.vertex_count);
  for (int32_t f = 3 * to; f < 3 * (to + mesh.triangle_count); f++)
    s->fans[f] -= shift;
  for (int32_t v = vertex; v <= vertex + mesh.vertex_count; v++)
    s->vertex_first[v] -= shift;
  s->meshes[s->mesh_count++] = (constraint_mesh){to, mesh.triangle_count, vertex, mesh.vertex_count};
  s->triangle_count += mesh.triangle_count;
  s->vertex_count += mesh.vertex_count;
}

/* Meshes are numbered in the order of the constraints. */
static void keep_meshes(constraint_store *s, memory *m, const int32_t *to) {
  s->mesh_count = s->triangle_count = s->vertex_count = 0;
  for (int32_t c = 0; c < s->count; c++) {
    if (!constraint_is_mesh(s, c) || to[c] < 0)
      continue;
    const constraint_mesh mesh = *constraint_mesh_of(s, c);
    s->corners[(size_t)c * CONSTRAINT_CORNERS] = s->mesh_count;
    keep_mesh(s, mesh);
  }
  growth_resize(&constraint_mesh_growth, s, m, s->mesh_count);
}

static void move_corners(constraint_store *s, const int32_t *to) {
  for (int32_t c = 0; c < s->count; c++) {
    int32_t *corners = s->corners + (size_t)c * CONSTRAINT_CORNERS;
    for (int n = 0; n < CONSTRAINT_CORNERS && !constraint_is_mesh(s, c); n++)
      corners[n] = corners[n] < 0 ? -1 : to[corners[n]];
  }
  for (int32_t n = 0; n < 3 * s->triangle_count; n++)
    s->triangles[n] = to[s->triangles[n]];
  for (int32_t v = 0; v < s->vertex_count; v++)
    s->vertices[v] = to[s->vertices[v]];
}

void constraint_close_gaps(constraint_store *s, memory *m, const int32_t *to, const int32_t *particle_to) {
  if (to) {
    keep_meshes(s, m, to);
    column_compact(&constraint_growth, s, m, to);
    constraint_count_unplaced(s);
    s->broken = 0;
    for (int32_t c = 0; c < s->count; c++)
      s->broken += s->is_broken[c];
  }
  if (particle_to)
    move_corners(s, particle_to);
}

/* ------------------------------------------------------------------------------ current configuration */

static double3 position_of(const particle_store *p, int32_t particle) {
  return vec3_double(particle_vector(p, POSITION_X, particle));
}

/* The triangles that meet at a vertex of a mesh. */
typedef struct vertex_fans {
  const constraint_store *store;
  const particle_store *particles;
  int32_t first;
} vertex_fans;

static double3 fan_corner(const void *context, int32_t fan, int after) {
  const vertex_fans *v = context;
  return position_of(v->particles, constraint_fan_particle(v->store, v->first + fan, after));
}

/* The gradient of the volume at an index into `vertices`. */
static double3 mesh_gradient(const constraint_store *s, const particle_store *p, int32_t vertex,
                             double3 origin) {
  const vertex_fans fans = {s, p, s->vertex_first[vertex]};
  const double3 slope =
      mesh_volume_slope(s->vertex_first[vertex + 1] - fans.first, origin, fan_corner, &fans);
  return (double3){slope.x / 6, slope.y / 6, slope.z / 6};
}

/* Positions and weights of the corners. A missing last corner repeats the first. */
typedef struct corner_places {
  double3 x[CONSTRAINT_CORNERS];
  double weights[CONSTRAINT_CORNERS];
} corner_places;

static corner_places places_of(const particle_store *p, const constraint_kind *kind, const int32_t *particles,
                               const msd_real *weights) {
  corner_places c;
  for (int n = 0; n < CONSTRAINT_CORNERS; n++) {
    c.x[n] = position_of(p, particles[n < kind->corners && particles[n] >= 0 ? n : 0]);
    c.weights[n] = (double)weights[n];
  }
  return c;
}

static double corner_shape(const particle_store *p, const constraint_kind *kind, const int32_t *particles,
                           const msd_real *weights, double3 *gradient) {
  const corner_places c = places_of(p, kind, particles, weights);
  return kind->shape_double(c.x, c.weights, gradient);
}

static void add_corner(constraint_shape *shape, const particle_store *p, int32_t particle, double3 gradient,
                       msd_real softening_weight) {
  const msd_vec3 v = particle_last_velocity(p, particle);
  const double square = lane_dot(gradient, gradient);
  const double weight = (double)p->inverse_mass[particle] * square;
  shape->rate += lane_dot(gradient, vec3_double(v));
  shape->weight += weight;
  shape->shared_weight += p->valence[particle] * weight;
  shape->excess += (double)softening_weight * square;
}

constraint_shape constraint_measure(const constraint_store *s, const particle_store *p, int32_t constraint) {
  constraint_shape shape = {0};
  const constraint_kind *kind = constraint_kind_of(s, constraint);
  const constraint_corners corners = constraint_corners_of(s, constraint);
  const msd_real *weights = constraint_weights(s, constraint);
  if (constraint_is_mesh(s, constraint)) {
    const int32_t first = constraint_mesh_of(s, constraint)->first_vertex;
    const double3 origin = position_of(p, corners.particles[0]);
    for (int32_t n = 0; n < corners.count; n++) {
      const double3 gradient = mesh_gradient(s, p, first + n, origin);
      shape.value += lane_dot(lane_subtract(position_of(p, corners.particles[n]), origin), gradient) / 3;
      add_corner(&shape, p, corners.particles[n], gradient, weights[n]);
    }
  } else {
    double3 gradient[CONSTRAINT_CORNERS];
    shape.value = corner_shape(p, kind, corners.particles, constraint_fiber_of(s, constraint), gradient);
    for (int32_t n = 0; n < corners.count; n++)
      add_corner(&shape, p, corners.particles[n], gradient[n], weights[n]);
  }
  shape.error = constraint_error_double(kind, shape.value, (double)s->rest[constraint]);
  return shape;
}

double3 constraint_gradient(const constraint_store *s, const particle_store *p, int32_t constraint,
                            int32_t corner) {
  const constraint_corners corners = constraint_corners_of(s, constraint);
  if (constraint_is_mesh(s, constraint))
    return mesh_gradient(s, p, constraint_mesh_of(s, constraint)->first_vertex + corner,
                         position_of(p, corners.particles[0]));
  double3 gradient[CONSTRAINT_CORNERS];
  constraint_gradients(s, p, constraint, gradient);
  return gradient[corner];
}

void constraint_gradients(const constraint_store *s, const particle_store *p, int32_t constraint,
                          double3 gradient[CONSTRAINT_CORNERS]) {
  corner_shape(p, constraint_kind_of(s, constraint), constraint_corners_of(s, constraint).particles,
               constraint_fiber_of(s, constraint), gradient);
}

double constraint_placed_value(const particle_store *p, const msd_constraint_def *def) {
  if (def->kind != MSD_CONSTRAINT_MESH_VOLUME) {
    double3 gradient[CONSTRAINT_CORNERS];
    msd_real weights[CONSTRAINT_CORNERS];
    take_weights(weights, def);
    return corner_shape(p, constraint_kind_get(def->kind), def->particles, weights, gradient);
  }
  const double3 origin = position_of(p, def->triangles[0]);
  double sum = 0;
  for (int32_t t = 0; t < def->triangle_count; t++) {
    const int32_t *corner = def->triangles + 3 * (size_t)t;
    double3 arm[3];
    for (int n = 0; n < 3; n++)
      arm[n] = lane_subtract(position_of(p, corner[n]), origin);
    sum += lane_dot(lane_cross(arm[0], arm[1]), arm[2]);
  }
  return sum / 6;
}

constraint_sizes constraint_present_sizes(const constraint_store *s, const particle_store *p,
                                          int32_t constraint, double error) {
  const corner_places c =
      places_of(p, constraint_kind_of(s, constraint), s->corners + (size_t)constraint * CONSTRAINT_CORNERS,
                constraint_fiber_of(s, constraint));
  return constraint_sizes_of((msd_constraint_kind)s->kind[constraint], c.x, c.weights, error);
}

/* ---------------------------------------------------------------------------- reference configuration */

/* The values of a constraint in an array by corners, or by vertices for a mesh. */
static msd_real *slice(const constraint_store *s, int32_t constraint, msd_real *corners, msd_real *vertices) {
  return constraint_is_mesh(s, constraint) ? vertices + constraint_mesh_of(s, constraint)->first_vertex
                                           : corners + (size_t)constraint * CONSTRAINT_CORNERS;
}

msd_real *constraint_placed_norms(const constraint_store *s, int32_t constraint) {
  return slice(s, constraint, s->placed, s->vertex_placed);
}

msd_real *constraint_weights(const constraint_store *s, int32_t constraint) {
  return slice(s, constraint, s->weights, s->vertex_weights);
}

bool constraint_is_placed(const constraint_store *s, int32_t constraint) {
  const int32_t count = constraint_corners_of(s, constraint).count;
  for (int32_t n = 0; n < count; n++)
    if (constraint_placed_norms(s, constraint)[n] > 0)
      return true;
  return false;
}

/* The square must fit a double. */
static msd_real kept_norm(double norm) {
  return (msd_real)fmin(norm, 1e30);
}

static void take_shape(constraint_store *s, const particle_store *p, int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(s, constraint);
  msd_real *norms = constraint_placed_norms(s, constraint);
  if (constraint_is_mesh(s, constraint)) {
    for (int32_t n = 0; n < corners.count; n++) {
      const double3 g = constraint_gradient(s, p, constraint, n);
      norms[n] = kept_norm(sqrt(lane_dot(g, g)));
    }
    return;
  }
  const constraint_sizes sizes = constraint_present_sizes(s, p, constraint, 0);
  for (int32_t n = 0; n < corners.count && n < CONSTRAINT_CORNERS; n++)
    norms[n] = kept_norm(sizes.norm[n]);
}

void constraint_place(constraint_store *s, const particle_store *p, int32_t constraint) {
  const bool was_placed = constraint_is_placed(s, constraint);
  take_shape(s, p, constraint);
  s->unplaced += was_placed - constraint_is_placed(s, constraint);
}

void constraint_wait_for_shape(constraint_store *s, int32_t constraint) {
  s->unplaced += constraint_is_placed(s, constraint);
  memset(constraint_placed_norms(s, constraint), 0,
         (size_t)constraint_corners_of(s, constraint).count * sizeof(msd_real));
}

bool constraint_place_late(constraint_store *s, const particle_store *p) {
  const int32_t before = s->unplaced;
  for (int32_t c = 0; c < s->count && s->unplaced > 0; c++)
    if (!constraint_is_placed(s, c))
      constraint_place(s, p, c);
  return s->unplaced < before;
}

void constraint_count_unplaced(constraint_store *s) {
  s->unplaced = 0;
  for (int32_t c = 0; c < s->count; c++)
    s->unplaced += !constraint_is_placed(s, c);
}

constraint_masses constraint_placed_masses(const constraint_store *s, const particle_store *p,
                                           int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(s, constraint);
  const msd_real *norms = constraint_placed_norms(s, constraint);
  double weight = 0, shared_weight = 0;
  for (int32_t n = 0; n < corners.count; n++) {
    const int32_t particle = corners.particles[n];
    const double one = (double)p->inverse_mass[particle] * (double)norms[n] * (double)norms[n];
    weight += one;
    shared_weight += p->valence[particle] * one;
  }
  return (constraint_masses){constraint_mass(weight), constraint_mass(shared_weight)};
}

/* ---------------------------------------------------------------------------------------------- laws */

law_terms constraint_split(const constraint_store *s, const particle_store *p, int32_t constraint) {
  if (constraint_is_broken(s, constraint))
    return (law_terms){0};
  const constraint_masses masses = constraint_placed_masses(s, p, constraint);
  return law_split(s->laws[constraint], masses.whole, masses.shared);
}

constraint_factors constraint_factors_at(const constraint_store *s, const particle_store *p,
                                         int32_t constraint, double dt) {
  const law_terms terms = constraint_split(s, p, constraint);
  const law_tuning tuning = law_present(&terms, dt, false);
  const double relief = constraint_takes_room(s, constraint) ? dt / 2 : 0;
  return (constraint_factors){tuning.stiffness, tuning.damping, relief};
}

double constraint_mass(double weight) {
  return tuning_mass(weight);
}

static law_tuning tune(const constraint_factors *factors, double excess, tuning_limit limit) {
  const shape_tuning t = tuning_at(factors, excess, limit);
  return (law_tuning){t.stiffness, t.damping, t.capped};
}

law_tuning constraint_tune(const constraint_factors *factors, const constraint_shape *shape, double dt,
                           bool limit) {
  if (limit == false || !(dt > 0))
    return (law_tuning){factors->stiffness, factors->damping, false};
  return tune(factors, shape->shared_weight, (tuning_limit){1 / (dt * dt), 1 / dt});
}

law_tuning constraint_present_tuning(const constraint_store *s, const particle_store *p, int32_t constraint,
                                     const constraint_shape *shape, double dt, bool limit) {
  const constraint_factors factors = constraint_factors_at(s, p, constraint, dt);
  const double side = shape->error < 0 ? (double)s->compression[constraint] : 1;
  law_tuning t = limit == false ? tune(&factors, shape->excess, (tuning_limit){0, 0})
                                : constraint_tune(&factors, shape, dt, limit);
  t.stiffness *= side;
  t.damping *= side;
  return t;
}

/* ----------------------------------------------------------------------------- damage and plasticity */

bool constraint_open_damage(constraint_store *s, memory *m) {
  if (!s->damage)
    s->damage = memory_allocate_items(m, s->capacity, sizeof *s->damage);
  return s->damage;
}

double constraint_damage_unit(const constraint_store *s, int32_t constraint) {
  return constraint_is_in_radians((msd_constraint_kind)s->kind[constraint])
             ? 1
             : fabs((double)s->damage[constraint].given);
}

double constraint_set(const constraint_store *s, int32_t constraint) {
  return s->damage && s->damage[constraint].plastic_rate > 0
             ? constraint_error_double(constraint_kind_of(s, constraint), (double)s->rest[constraint],
                                       (double)s->damage[constraint].given)
             : 0;
}

bool constraint_some_take_room(const constraint_store *s) {
  for (int32_t c = 0; c < s->count; c++)
    if (constraint_takes_room(s, c))
      return true;
  return false;
}

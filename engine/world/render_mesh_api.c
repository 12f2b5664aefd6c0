/* Public functions of render meshes that read a world. Sums run over the triangles in order. */

#include "engine/base/float_environment.h"
#include "engine/world/attribute_layout.h"
#include "engine/world/world.h"

#include <math.h>

enum { CORNERS = 3, TANGENT = 4 };

/* ------------------------------------------------------------------------------------------------ checks */

static bool is_texture_sound(const msd_render_mesh *skin) {
  bool sound = skin->texture != NULL || skin->vertices.count == 0;
  for (size_t i = 0; sound && i < 2 * (size_t)skin->vertices.count; i++)
    sound = isfinite(skin->texture[i]);
  return sound;
}

static msd_result check(const msd_world *world, const msd_render_mesh *skin, msd_memory_layout layout,
                        int components, const void *to) {
  if (!world || !skin || skin->vertices.count < 0 || skin->triangle_count < 0 ||
      layout.number == MSD_SCALAR_BYTE || layout_fault(layout, components) ||
      (skin->vertices.count > 0 && !to) || (skin->triangle_count > 0 && !skin->triangles))
    return MSD_BAD_VALUE;
  if (world_find_missing(world, skin->vertices) < skin->vertices.count)
    return MSD_BAD_INDEX;
  for (size_t c = 0; c < CORNERS * (size_t)skin->triangle_count; c++)
    if (skin->triangles[c] < 0 || skin->triangles[c] >= skin->vertices.count)
      return MSD_BAD_INDEX;
  return MSD_OK;
}

/* ------------------------------------------------------------------------------------------------- sums */

/* True if no corner of a triangle has been destroyed. */
static bool is_whole(const msd_world *world, const msd_render_mesh *skin, const int32_t *corners) {
  bool whole = true;
  for (int c = 0; c < CORNERS && world->model.tombstones.count > 0; c++)
    whole = whole && world_has(world, MSD_OBJECT_PARTICLE, world_element(skin->vertices, corners[c]));
  return whole;
}

/* A vector for each vertex, or for each particle from `first` on. */
typedef struct sums {
  const msd_world *world;
  const msd_render_mesh *skin;
  bool is_by_vertex;
  int32_t first;
  double (*of)[CORNERS];
} sums;

static size_t place(const sums *s, int32_t vertex) {
  return (size_t)(s->is_by_vertex ? vertex : world_element(s->skin->vertices, vertex) - s->first);
}

static msd_result open_sums(sums *s, const msd_world *world, const msd_render_mesh *skin, bool is_by_vertex,
                            memory *m) {
  int32_t first = INT32_MAX, last = -1;
  for (int32_t v = 0; v < skin->vertices.count && !is_by_vertex; v++) {
    const int32_t particle = world_element(skin->vertices, v);
    first = particle < first ? particle : first;
    last = particle > last ? particle : last;
  }
  const int64_t count = is_by_vertex ? skin->vertices.count : (int64_t)last - first + 1;
  *s = (sums){.world = world, .skin = skin, .is_by_vertex = is_by_vertex, .first = first};
  s->of = memory_allocate_items(m, count > 0 ? count : 1, sizeof *s->of);
  return s->of ? MSD_OK : m->over_limit ? MSD_TOO_LARGE : MSD_OUT_OF_MEMORY;
}

/* Positions of the vertices in contiguous memory, because each is read by several triangles. */
typedef double (*vertex_positions)[CORNERS];

static msd_result open_positions(vertex_positions *at, const msd_world *world, const msd_render_mesh *skin,
                                 memory *m) {
  const particle_store *p = &world->model.particles;
  *at = memory_allocate_items(m, (int64_t)skin->vertices.count + 1, sizeof **at);
  for (int32_t v = 0; *at && v < skin->vertices.count; v++)
    vec3_components(particle_vector(p, POSITION_X, world_element(skin->vertices, v)), (*at)[v]);
  return *at ? MSD_OK : m->over_limit ? MSD_TOO_LARGE : MSD_OUT_OF_MEMORY;
}

/* Two sides of a triangle, from its first corner. */
static void sides_of(vertex_positions at, const int32_t *corners, double a[3], double b[3]) {
  for (int i = 0; i < 3; i++) {
    a[i] = at[corners[1]][i] - at[corners[0]][i];
    b[i] = at[corners[2]][i] - at[corners[0]][i];
  }
}

static void cross_of(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot_of(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Normalizes a vector, or sets it to 0 if its length is 0 or not finite. Returns the original length, or
   0. */
static double normalize(double v[3]) {
  const double length = sqrt(dot_of(v, v)), scale = length > 0 && isfinite(length) ? length : 0;
  for (int i = 0; i < 3; i++)
    v[i] = scale > 0 ? v[i] / scale : 0;
  return scale;
}

static void add_to_corners(const sums *s, const int32_t *corners, const double v[3]) {
  for (int c = 0; c < CORNERS; c++) {
    double *sum = s->of[place(s, corners[c])];
    for (int i = 0; i < 3; i++)
      sum[i] += v[i];
  }
}

/* Sums normals weighted by twice the area. */
static void sum_normals(const sums *s, vertex_positions at) {
  for (int32_t t = 0; t < s->skin->triangle_count; t++) {
    const int32_t *corners = s->skin->triangles + CORNERS * (size_t)t;
    double a[3], b[3], normal[3];
    if (!is_whole(s->world, s->skin, corners))
      continue;
    sides_of(at, corners, a, b);
    cross_of(a, b, normal);
    add_to_corners(s, corners, normal);
  }
}

/* Computes the components of one vertex. */
typedef void (*vertex_reader)(const void *context, int32_t vertex, double *out);

static void write_all(const msd_render_mesh *skin, int components, vertex_reader read, const void *context,
                      msd_memory_layout layout, void *to) {
  double value[TANGENT][LAYOUT_BLOCK];
  layout = layout_complete(layout, components);
  for (int32_t first = 0, count; first < skin->vertices.count; first += count) {
    const int32_t left = skin->vertices.count - first;
    count = left < LAYOUT_BLOCK ? left : LAYOUT_BLOCK;
    for (int32_t i = 0; i < count; i++) {
      double numbers[TANGENT];
      read(context, first + i, numbers);
      for (int c = 0; c < components; c++)
        value[c][i] = numbers[c];
    }
    layout_put(layout, components, first, count, value, to);
  }
}

/* ---------------------------------------------------------------------------------------------- normals */

static void read_normal(const void *context, int32_t vertex, double *out) {
  const sums *normals = context;
  const double *sum = normals->of[place(normals, vertex)];
  for (int i = 0; i < 3; i++)
    out[i] = sum[i];
  normalize(out);
}

static memory scratch_of(const msd_world *world) {
  const memory *all = &world->model.memory;
  return (memory){.allocator = all->allocator, .limit = all->limit};
}

msd_result msd_world_read_normals(const msd_world *world, const msd_render_mesh *skin,
                                  msd_memory_layout layout, void *to) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = check(world, skin, layout, 3, to);
  if (result != MSD_OK)
    return result;
  memory m = scratch_of(world);
  vertex_positions at = NULL;
  sums normals = {0};
  result = open_positions(&at, world, skin, &m);
  if (result == MSD_OK)
    result = open_sums(&normals, world, skin, skin->has_edges, &m);
  if (result == MSD_OK) {
    sum_normals(&normals, at);
    write_all(skin, 3, read_normal, &normals, layout, to);
  }
  memory_release(&m, normals.of);
  memory_release(&m, at);
  return result;
}

/* --------------------------------------------------------------------------------------------- tangents */

/* Directions in a triangle along which u grows at constant v, and v at constant u, each scaled to twice the
   area. With sides a and b, v is constant along a dv_b - b dv_a, and u grows by their determinant. Returns
   false if the texture coordinates are degenerate. */
static bool directions_of(vertex_positions at, const msd_render_mesh *skin, const int32_t *corners,
                          double along_u[3], double along_v[3]) {
  double a[3], b[3], normal[3], d[2][2];
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 2; i++)
      d[side][i] = (double)skin->texture[2 * (size_t)corners[side + 1] + (size_t)i] -
                   (double)skin->texture[2 * (size_t)corners[0] + (size_t)i];
  const double turn = d[0][0] * d[1][1] - d[1][0] * d[0][1];
  const double sign = turn > 0 ? 1 : -1;
  sides_of(at, corners, a, b);
  cross_of(a, b, normal);
  const double area = sqrt(dot_of(normal, normal));
  for (int i = 0; i < 3; i++) {
    along_u[i] = sign * (a[i] * d[1][1] - b[i] * d[0][1]);
    along_v[i] = sign * (b[i] * d[0][0] - a[i] * d[1][0]);
  }
  if (turn == 0 || !(normalize(along_u) > 0) || !(normalize(along_v) > 0))
    return false;
  for (int i = 0; i < 3; i++) {
    along_u[i] *= area;
    along_v[i] *= area;
  }
  return true;
}

typedef struct frames {
  sums normals, along_u, along_v;
} frames;

static void sum_directions(const frames *f, vertex_positions at) {
  const msd_render_mesh *skin = f->normals.skin;
  for (int32_t t = 0; t < skin->triangle_count; t++) {
    const int32_t *corners = skin->triangles + CORNERS * (size_t)t;
    double along_u[3], along_v[3];
    if (!is_whole(f->normals.world, skin, corners) || !directions_of(at, skin, corners, along_u, along_v))
      continue;
    add_to_corners(&f->along_u, corners, along_u);
    add_to_corners(&f->along_v, corners, along_v);
  }
}

static void read_tangent(const void *context, int32_t vertex, double *out) {
  const frames *f = context;
  const double *u = f->along_u.of[vertex], *v = f->along_v.of[vertex];
  double normal[3], across[3];
  read_normal(&f->normals, vertex, normal);
  const double out_of_plane = dot_of(normal, u);
  for (int i = 0; i < 3; i++)
    out[i] = u[i] - out_of_plane * normal[i];
  const bool is_told = normalize(out) > 0;
  cross_of(normal, out, across);
  out[3] = is_told && dot_of(across, v) < 0 ? -1 : 1;
}

msd_result msd_world_read_tangents(const msd_world *world, const msd_render_mesh *skin,
                                   msd_memory_layout layout, void *to) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = check(world, skin, layout, TANGENT, to);
  if (result == MSD_OK && !is_texture_sound(skin))
    result = MSD_BAD_VALUE;
  if (result != MSD_OK)
    return result;
  memory m = scratch_of(world);
  vertex_positions at = NULL;
  frames f = {0};
  result = open_positions(&at, world, skin, &m);
  if (result == MSD_OK)
    result = open_sums(&f.normals, world, skin, skin->has_edges, &m);
  if (result == MSD_OK)
    result = open_sums(&f.along_u, world, skin, true, &m);
  if (result == MSD_OK)
    result = open_sums(&f.along_v, world, skin, true, &m);
  if (result == MSD_OK) {
    sum_normals(&f.normals, at);
    sum_directions(&f, at);
    write_all(skin, TANGENT, read_tangent, &f, layout, to);
  }
  memory_release(&m, f.normals.of);
  memory_release(&m, f.along_u.of);
  memory_release(&m, f.along_v.of);
  memory_release(&m, at);
  return result;
}

/* ------------------------------------------------------------------------------------------------ lines */

int32_t msd_world_get_lines(const msd_world *world, msd_range springs, int32_t *lines, int32_t capacity) {
  const int32_t all = world_count(world, MSD_OBJECT_SPRING);
  if (springs.first < 0 || springs.count < 0 || springs.first > all || springs.count > all - springs.first)
    return 0;
  int32_t count = 0;
  const spring_store *s = &world->model.springs;
  for (int32_t e = springs.first; e < springs.first + springs.count; e++) {
    if (spring_is_broken(s, e))
      continue;
    if (lines && count < capacity) {
      lines[2 * (size_t)count] = s->a[e];
      lines[2 * (size_t)count + 1] = s->b[e];
    }
    count++;
  }
  return count;
}

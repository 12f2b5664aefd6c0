/* Triangle meshes: a particle for each vertex, a spring for each edge, bend springs or dihedral angles across
   the edges, and the enclosed volume. mesh_subdomain.h explains distributed meshes. */
#include "engine/base/float_environment.h"
#include "engine/builder/fibers.h"
#include "engine/builder/mesh_subdomain.h"

#include <math.h>

/* Half-edge h is the side of triangle h/3 from its corner h%3 to the next corner; corner h%3 + 2 is the far
   one. Half-edges are sorted by lower end, upper end and far corner, so those of one edge are adjacent. */

static int32_t next_corner(int32_t half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

static int32_t lower_end(const msd_mesh_def *def, int32_t half_edge) {
  const int32_t a = def->triangles[half_edge], b = def->triangles[next_corner(half_edge)];
  return a < b ? a : b;
}

static int32_t upper_end(const msd_mesh_def *def, int32_t half_edge) {
  const int32_t a = def->triangles[half_edge], b = def->triangles[next_corner(half_edge)];
  return a < b ? b : a;
}

static int32_t far_corner(const msd_mesh_def *def, int32_t half_edge) {
  return def->triangles[next_corner(next_corner(half_edge))];
}

/* A mesh under construction, with its scratch memory. */
typedef struct mesh {
  const msd_mesh_def *def;
  /* NULL: springs and hinges have the stiffness of their patterns. */
  const material_numbers *material;
  int32_t half_edge_count;
  /* kg: by vertex. */
  double *mass;
  /* The half-edges, sorted. */
  int32_t *half_edge;
  /* half_edge_count items, for sorting. */
  int32_t *spare;
  /* vertex_count + 1 items, for sorting. */
  int32_t *place;
  /* m^3: positive if the mesh is closed. */
  double volume;
  /* True if its triangles are clockwise seen from outside. */
  bool inside_out;
  /* The vertices that become particles, and the edges, by their lower ends, that get springs and bend
     springs: all, unless the mesh is distributed. */
  mesh_part part;
} mesh;

/* One pass of a stable counting sort by a vertex, linear in the size of the mesh, from m->half_edge to
   m->spare, which are then swapped. */
static void sort_by(mesh *m, int32_t (*key)(const msd_mesh_def *, int32_t)) {
  for (int32_t v = 0; v <= m->def->vertex_count; v++)
    m->place[v] = 0;
  for (int32_t h = 0; h < m->half_edge_count; h++)
    m->place[key(m->def, h) + 1]++;
  for (int32_t v = 0; v < m->def->vertex_count; v++)
    m->place[v + 1] += m->place[v];
  for (int32_t h = 0; h < m->half_edge_count; h++)
    m->spare[m->place[key(m->def, m->half_edge[h])]++] = m->half_edge[h];
  int32_t *sorted = m->spare;
  m->spare = m->half_edge;
  m->half_edge = sorted;
}

static void sort_half_edges(mesh *m) {
  for (int32_t h = 0; h < m->half_edge_count; h++)
    m->half_edge[h] = h;
  sort_by(m, far_corner);
  sort_by(m, upper_end);
  sort_by(m, lower_end);
}

/* The end of the half-edges on the same edge as that at `start`. */
static int32_t edge_end(const mesh *m, int32_t start) {
  const int32_t low = lower_end(m->def, m->half_edge[start]), high = upper_end(m->def, m->half_edge[start]);
  int32_t end = start + 1;
  while (end < m->half_edge_count && lower_end(m->def, m->half_edge[end]) == low &&
         upper_end(m->def, m->half_edge[end]) == high)
    end++;
  return end;
}

static msd_result check_triangles(msd_world *world, const msd_mesh_def *def) {
  for (int32_t t = 0; t < def->triangle_count; t++) {
    const int32_t *corner = &def->triangles[3 * t];
    for (int c = 0; c < 3; c++) {
      if (corner[c] < 0 || corner[c] >= def->vertex_count)
        return world_fail(world, MSD_BAD_VALUE,
                          "mesh: triangle %d has the corner %d; vertices go from 0 to %d", (int)t,
                          (int)corner[c], (int)def->vertex_count - 1);
      if (corner[c] == corner[(c + 1) % 3])
        return world_fail(world, MSD_BAD_VALUE,
                          "mesh: triangle %d has vertex %d twice; its corners must differ", (int)t,
                          (int)corner[c]);
    }
  }
  return MSD_OK;
}

/* A subdomain may be empty. */
static msd_result check_mesh(msd_world *world, const msd_mesh_def *def, bool is_part) {
  msd_result result = builder_check_def(world, "mesh", def && def->cookie == MSD_MESH_COOKIE);
  if (result == MSD_OK && ((!def->vertices && !(is_part && def->vertex_count == 0)) ||
                           (!def->triangles && !(is_part && def->triangle_count == 0))))
    result = world_fail(world, MSD_BAD_VALUE, "mesh: %s is NULL", def->vertices ? "triangles" : "vertices");
  if (result == MSD_OK)
    result = builder_check_at_least(world, "mesh", "vertex_count", def->vertex_count, is_part ? 0 : 3);
  if (result == MSD_OK)
    result = builder_check_at_least(world, "mesh", "triangle_count", def->triangle_count, is_part ? 0 : 1);
  if (result == MSD_OK && def->triangle_count > INT32_MAX / 3)
    result = world_fail(world, MSD_TOO_LARGE, "mesh: triangle_count is %d; it must be %d or less",
                        (int)def->triangle_count, (int)(INT32_MAX / 3));
  if (result == MSD_OK && (!builder_is_storable((double)def->area_density) || !(def->area_density > 0)))
    result = world_fail(world, MSD_BAD_VALUE, "mesh: area_density is %g; it must be finite and above 0",
                        (double)def->area_density);
  if (result == MSD_OK &&
      (!builder_is_storable((double)def->rest_volume_scale) || !(def->rest_volume_scale > 0)))
    result = world_fail(world, MSD_BAD_VALUE, "mesh: rest volume scale is %g; it must be finite and above 0",
                        (double)def->rest_volume_scale);
  if (result == MSD_OK)
    result = builder_check_bend_kind(world, "mesh", def->bend_kind,
                                     1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_DIHEDRAL);
  if (result == MSD_OK)
    result = builder_check_vector(world, "mesh", "warp", def->warp);
  if (result == MSD_OK && def->vertex_count > 0)
    result = builder_check_vertices(world, "mesh", def->vertices, def->vertex_count);
  if (result == MSD_OK)
    result = check_triangles(world, def);
  return result;
}

static double triangle_area(const msd_vec3 *vertices, const int32_t corner[3]) {
  double a[3], b[3], c[3];
  vec3_components(vertices[corner[0]], a);
  vec3_components(vertices[corner[1]], b);
  vec3_components(vertices[corner[2]], c);
  for (int d = 0; d < 3; d++) {
    b[d] -= a[d];
    c[d] -= a[d];
  }
  const double x = b[1] * c[2] - b[2] * c[1], y = b[2] * c[0] - b[0] * c[2], z = b[0] * c[1] - b[1] * c[0];
  return 0.5 * sqrt(x * x + y * y + z * z);
}

/* Computes the mass of each vertex. */
static msd_result weigh(msd_world *world, mesh *m) {
  const msd_mesh_def *def = m->def;
  for (int32_t v = 0; v < def->vertex_count; v++)
    m->mass[v] = -1.0; /* in no triangle so far */
  for (int32_t t = 0; t < def->triangle_count; t++) {
    const int32_t *corner = &def->triangles[3 * t];
    const double third = (double)def->area_density * triangle_area(def->vertices, corner) / 3.0;
    for (int c = 0; c < 3; c++)
      m->mass[corner[c]] = fmax(m->mass[corner[c]], 0.0) + third;
  }
  for (int32_t v = m->part.kept.first; v < m->part.kept.first + m->part.kept.count; v++) {
    if (m->mass[v] < 0.0)
      return world_fail(world, MSD_BAD_VALUE, "mesh: vertex %d is a corner of no triangle",
                        (int)(m->part.first + v));
    if (m->mass[v] == 0.0)
      return world_fail(world, MSD_BAD_VALUE,
                        "mesh: vertex %d belongs only to triangles without an area, so it has no mass",
                        (int)(m->part.first + v));
    if (!builder_is_usable_mass(m->mass[v]))
      return world_fail(world, MSD_BAD_VALUE,
                        "mesh: vertex %d gets the mass %g; that and its inverse must be finite",
                        (int)(m->part.first + v), m->mass[v]);
  }
  return MSD_OK;
}

/* Two triangles on the same three corners would get a bend spring from a vertex to itself. */
static msd_result check_repeats(msd_world *world, const mesh *m) {
  for (int32_t h = 1; h < m->half_edge_count; h++) {
    const int32_t one = m->half_edge[h - 1], other = m->half_edge[h];
    if (far_corner(m->def, one) == far_corner(m->def, other) &&
        lower_end(m->def, one) == lower_end(m->def, other) &&
        upper_end(m->def, one) == upper_end(m->def, other))
      return world_fail(world, MSD_BAD_VALUE,
                        "mesh: triangle %d has the corners of triangle %d; each may occur once",
                        (int)(other / 3), (int)(one / 3));
  }
  return MSD_OK;
}

/* By the divergence theorem: sums the signed volumes of the tetrahedra from any point, here vertex 0, to the
   triangles. */
static msd_result measure_volume(msd_world *world, mesh *m) {
  const msd_mesh_def *def = m->def;
  msd_result result = constraint_check_mesh(&world->model.report, &world->model.memory, def->triangles,
                                            def->triangle_count, the_only("mesh: pressure"));
  if (result != MSD_OK)
    return result;
  double six = 0.0;
  for (int32_t t = 0; t < def->triangle_count; t++) {
    const int32_t *corner = &def->triangles[3 * t];
    six += builder_six_volumes(def->vertices[0], def->vertices[corner[0]], def->vertices[corner[1]],
                               def->vertices[corner[2]]);
  }
  m->volume = fabs(six) / 6.0;
  m->inside_out = six < 0.0;
  const double rest = (double)def->rest_volume_scale * m->volume;
  if (!(m->volume > 0.0) || !builder_is_storable(rest))
    return world_fail(world, MSD_BAD_VALUE,
                      "mesh: pressure: its volume is %g m^3, and %g at rest; both must be finite and above 0",
                      m->volume, rest);
  return MSD_OK;
}

/* Where more than two triangles share an edge, every pair of them counts. */
static void count_mesh_springs(const mesh *m, msd_range of_edges, msd_range of_bends, int64_t *edges,
                               int64_t *bends) {
  *edges = *bends = 0;
  for (int32_t start = 0, end; start < m->half_edge_count; start = end) {
    end = edge_end(m, start);
    const int32_t low = lower_end(m->def, m->half_edge[start]);
    const int64_t sharing = end - start;
    *edges += mesh_part_has(of_edges, low);
    *bends = builder_sum(*bends, mesh_part_has(of_bends, low) ? sharing * (sharing - 1) / 2 : 0);
  }
}

static msd_result add_edges(msd_world *world, const mesh *m, int32_t first, msd_range *range) {
  builder_springs springs;
  builder_springs_begin(&springs, world, &m->def->stretch);
  msd_result result = MSD_OK;
  for (int32_t start = 0, end; start < m->half_edge_count && result == MSD_OK; start = end) {
    const int32_t half_edge = m->half_edge[start];
    end = edge_end(m, start);
    if (!mesh_part_has(m->part.edges, lower_end(m->def, half_edge)))
      continue;
    if (m->material)
      springs.stiffness = (msd_real)((end - start) * material_edge_stiffness(m->material));
    result = builder_springs_add(&springs, first + lower_end(m->def, half_edge),
                                 first + upper_end(m->def, half_edge));
  }
  return result == MSD_OK ? builder_springs_end(&springs, range) : result;
}

static msd_result add_bends(msd_world *world, const mesh *m, int32_t first, msd_range *range) {
  builder_springs springs;
  builder_springs_begin(&springs, world, &m->def->bend);
  msd_result result = MSD_OK;
  for (int32_t start = 0, end; start < m->half_edge_count; start = end) {
    end = edge_end(m, start);
    if (!mesh_part_has(m->part.bends, lower_end(m->def, m->half_edge[start])))
      continue;
    for (int32_t one = start; one < end; one++)
      for (int32_t other = one + 1; other < end && result == MSD_OK; other++)
        result = builder_springs_add(&springs, first + far_corner(m->def, m->half_edge[one]),
                                     first + far_corner(m->def, m->half_edge[other]));
  }
  return result == MSD_OK ? builder_springs_end(&springs, range) : result;
}

static void add_folds(msd_world *world, const mesh *m, int32_t first, msd_range *range) {
  builder_constraints folds;
  builder_constraints_begin(&folds, world, MSD_CONSTRAINT_DIHEDRAL, &m->def->bend);
  for (int32_t start = 0, end; start < m->half_edge_count; start = end) {
    end = edge_end(m, start);
    for (int32_t one = start; one < end; one++) {
      const int32_t half_edge = m->half_edge[one];
      const int32_t from = first + m->def->triangles[half_edge];
      const int32_t to = first + m->def->triangles[next_corner(half_edge)];
      const msd_vec3 rest[3] = {m->def->vertices[from - first], m->def->vertices[to - first],
                                m->def->vertices[far_corner(m->def, half_edge)]};
      if (m->material)
        folds.stiffness = (msd_real)fibers_fold_stiffness(m->material, rest, m->def->warp);
      for (int32_t other = one + 1; other < end; other++)
        builder_constraints_add(&folds, (const int32_t[]){from, to, first + far_corner(m->def, half_edge),
                                                          first + far_corner(m->def, m->half_edge[other])});
    }
  }
  builder_constraints_end(&folds, range);
}

/* The fibers of triangle t, and its particles. */
static fiber_set fibers_of(const mesh *m, int32_t t, int32_t first, int32_t particles[4]) {
  msd_vec3 rest[3];
  for (int c = 0; c < 3; c++) {
    rest[c] = m->def->vertices[m->def->triangles[3 * t + c]];
    particles[c] = first + m->def->triangles[3 * t + c];
  }
  particles[3] = -1;
  return fibers_in_triangle(m->material, rest, m->def->warp);
}

/* Fails if a vertex has no fiber, because it would not be attached to the mesh. */
static msd_result count_fibers(msd_world *world, const mesh *m, int64_t *total) {
  int32_t particles[4];
  for (int32_t v = 0; v < m->def->vertex_count; v++)
    m->place[v] = 0;
  for (int32_t t = 0; t < m->def->triangle_count; t++) {
    const int count = fibers_of(m, t, 0, particles).count;
    *total = builder_sum(*total, count);
    for (int c = 0; c < 3; c++)
      m->place[particles[c]] |= count;
  }
  for (int32_t v = 0; v < m->def->vertex_count; v++)
    if (m->place[v] == 0)
      return world_fail(world, MSD_BAD_VALUE,
                        "mesh: material: vertex %d belongs only to triangles that are too flat for a "
                        "material; use MSD_ELEMENTS_SPRINGS, or merge it with another",
                        (int)v);
  return MSD_OK;
}

static void add_fibers(msd_world *world, const mesh *m, int32_t first, msd_range *range) {
  const msd_spring_def pattern = builder_pattern(MSD_SPRING_STIFFNESS);
  builder_constraints fibers;
  builder_constraints_begin(&fibers, world, MSD_CONSTRAINT_FIBER, &pattern);
  for (int32_t t = 0; t < m->def->triangle_count; t++) {
    int32_t particles[4];
    const fiber_set set = fibers_of(m, t, first, particles);
    fibers_add(&fibers, &set, particles);
  }
  builder_constraints_end(&fibers, range);
}

/* Writes the particles of the triangles, counterclockwise seen from outside, to the scratch memory of the
   sort. */
static void add_volume(msd_world *world, const mesh *m, int32_t first, msd_range *range) {
  const msd_mesh_def *def = m->def;
  for (int32_t t = 0; t < def->triangle_count; t++)
    for (int c = 0; c < 3; c++)
      m->spare[3 * t + c] = first + def->triangles[3 * t + (m->inside_out ? 2 - c : c)];
  msd_constraint_def volume = builder_constraint(MSD_CONSTRAINT_MESH_VOLUME, &def->pressure);
  volume.triangles = m->spare;
  volume.triangle_count = def->triangle_count;
  volume.rest = (msd_real)((double)def->rest_volume_scale * m->volume);
  *range = (msd_range){constraint_add(world, &volume, 1), 1};
}

static msd_result check_patterns(msd_world *world, const msd_mesh_def *def) {
  msd_result result = builder_check_pattern(world, "mesh", "stretch", &def->stretch);
  if (result == MSD_OK)
    result = builder_check_pattern(world, "mesh", "bend", &def->bend);
  if (result == MSD_OK)
    result = builder_check_pattern(world, "mesh", "pressure", &def->pressure);
  return result;
}

/* The features that a mesh needs. */
typedef struct mesh_wants {
  bool edges, bends, folds, fibers, pressure;
} mesh_wants;

static mesh_wants wants_of(const mesh *m) {
  const msd_mesh_def *def = m->def;
  const bool bends = builder_wants(&def->bend), folds = bends && def->bend_kind == MSD_BEND_DIHEDRAL;
  return (mesh_wants){.edges = builder_wants(&def->stretch),
                      .bends = bends && !folds,
                      .folds = folds,
                      .fibers = m->material && def->material->elements == MSD_ELEMENTS_FIBERS,
                      .pressure = builder_wants(&def->pressure)};
}

/* Computes the number of objects of a mesh. */
static msd_result measure_mesh(msd_world *world, mesh *m, mesh_wants wants, world_size *size) {
  int64_t edges, bends, fibers = 0;
  msd_result result = weigh(world, m);
  if (result == MSD_OK)
    result = check_patterns(world, m->def);
  if (result == MSD_OK && wants.fibers)
    result = count_fibers(world, m, &fibers);
  if (result != MSD_OK)
    return result;
  sort_half_edges(m);
  count_mesh_springs(m, m->part.edges, m->part.bends, &edges, &bends);
  *size =
      (world_size){.particles = m->part.kept.count,
                   .springs = builder_sum(wants.edges ? edges : 0, wants.bends ? bends : 0),
                   .constraints = builder_sum(builder_sum(wants.folds ? bends : 0, wants.pressure), fibers),
                   .meshes = wants.pressure,
                   .triangles = wants.pressure ? m->def->triangle_count : 0};
  result = check_repeats(world, m);
  return result == MSD_OK && wants.pressure ? measure_volume(world, m) : result;
}

/* All ranks count the springs of a distributed mesh together, even if one of them has failed. */
static msd_result count_part(msd_world *world, mesh *m, mesh_wants wants, msd_result result) {
  mesh_springs own = {0, 0}, ahead = {0, 0};
  mesh_part *part = &m->part;
  if (result == MSD_OK && (wants.folds || wants.pressure))
    result = world_fail(world, MSD_BAD_VALUE, "mesh: a divided world cannot have constraints");
  if (result == MSD_OK) {
    count_mesh_springs(m, part->own, part->own, &own.edges, &own.bends);
    count_mesh_springs(m, mesh_part_ahead(part, part->edges), mesh_part_ahead(part, part->bends),
                       &ahead.edges, &ahead.bends);
  }
  part->own_springs = (mesh_springs){wants.edges ? own.edges : 0, wants.bends ? own.bends : 0};
  part->ahead = (mesh_springs){wants.edges ? ahead.edges : 0, wants.bends ? ahead.bends : 0};
  return mesh_part_count(world, part, result);
}

/* Adds a mesh whose definition is validated. */
static msd_result add_mesh(msd_world *world, mesh *m, msd_body *body) {
  const msd_mesh_def *def = m->def;
  const mesh_wants wants = wants_of(m);
  world_size size;
  msd_result result = measure_mesh(world, m, wants, &size);
  if (m->part.is_part)
    result = count_part(world, m, wants, result);
  if (result == MSD_OK)
    result = builder_reserve(world, &size, m->material != NULL, body);
  if (result != MSD_OK)
    return result;

  const int32_t first = body->particles.first - m->part.kept.first;
  result = builder_add_vertices(world, def->vertices + m->part.kept.first, m->mass + m->part.kept.first,
                                m->part.kept.count);
  if (result == MSD_OK && wants.edges)
    result = add_edges(world, m, first, &body->stretch);
  if (result == MSD_OK && wants.bends)
    result = add_bends(world, m, first, &body->bend);
  if (result == MSD_OK && m->part.is_part)
    mesh_part_add(world, &m->part, wants.edges ? &body->stretch : NULL, wants.bends ? &body->bend : NULL);
  if (result == MSD_OK && wants.fibers)
    add_fibers(world, m, first, &body->fibers);
  if (result == MSD_OK && wants.folds)
    add_folds(world, m, first, &body->bend_constraints);
  if (result == MSD_OK && wants.pressure)
    add_volume(world, m, first, &body->volume);
  if (result == MSD_OK && m->material)
    material_damp(world, body, m->material);
  return result;
}

/* m: the mean length of triangle sides. */
static double mean_edge(const msd_mesh_def *def) {
  double sum = 0.0;
  for (int32_t h = 0; h < 3 * def->triangle_count; h++) {
    double a[3], b[3], square = 0.0;
    vec3_components(def->vertices[def->triangles[h]], a);
    vec3_components(def->vertices[def->triangles[next_corner(h)]], b);
    for (int c = 0; c < 3; c++)
      square += (b[c] - a[c]) * (b[c] - a[c]);
    sum += sqrt(square);
  }
  return sum / (3.0 * def->triangle_count);
}

/* Writes the patterns and the density that represent a material to *def. Fails if that is impossible. */
static msd_result give_material(msd_world *world, msd_mesh_def *def, material_numbers *numbers,
                                msd_body *body) {
  msd_result result = material_check(world, "mesh", def->material, 2);
  if (result != MSD_OK)
    return result;
  const material_extent extent = {material_longest_side(def->vertices, def->vertex_count), mean_edge(def)};
  *numbers = material_read(world, def->material, 2, extent);
  const bool with_springs = def->material->elements == MSD_ELEMENTS_SPRINGS;
  def->area_density = def->material->area_density;
  def->stretch = builder_pattern(with_springs ? MSD_SPRING_STIFFNESS : MSD_SPRING_NONE);
  def->bend = builder_pattern(numbers->bend[0] > 0.0 ? MSD_SPRING_STIFFNESS : MSD_SPRING_NONE);
  def->bend_kind = MSD_BEND_DIHEDRAL;
  if (with_springs) {
    numbers->stretch[1] = numbers->stretch[0];
    numbers->shear = 0.375 * numbers->stretch[0];
  }
  body->material = material_of_fibers(def->material, numbers);
  /* An upper bound for all triangles together, as if each was as large as the bounding box. */
  const double most =
      4.0 * (numbers->stretch[0] + numbers->shear) * extent.longest_side * extent.longest_side +
      3.0 * def->triangle_count * material_edge_stiffness(numbers);
  result = material_check_stiffness(
      world, "mesh",
      fmax(most, fmax(material_fold_stiffness(numbers, 0.0), material_fold_stiffness(numbers, 1.0))));
  return result;
}

msd_mesh_def msd_default_mesh_def(void) {
  return (msd_mesh_def){
      .area_density = 1,
      .stretch = builder_pattern(MSD_SPRING_COEFFICIENT),
      .bend = builder_pattern(MSD_SPRING_NONE),
      .pressure = builder_pattern(MSD_SPRING_NONE),
      .rest_volume_scale = 1,
      .warp = {0, 1, 0},
      .cookie = MSD_MESH_COOKIE,
  };
}

/* Allocates scratch memory, and adds the mesh. */
static msd_result add_in_scratch(msd_world *world, mesh *m, msd_body *body) {
  const msd_mesh_def *def = m->def;
  const size_t vertices = (size_t)def->vertex_count, half_edges = (size_t)m->half_edge_count;
  const size_t bytes = vertices * sizeof *m->mass + (2 * half_edges + vertices + 1) * sizeof *m->half_edge;
  m->mass = memory_allocate(&world->model.memory, bytes);
  if (!m->mass) {
    const msd_result result =
        world_fail(world, MSD_OUT_OF_MEMORY, "mesh: no %zu bytes to sort the edges of %d triangles", bytes,
                   (int)def->triangle_count);
    return m->part.is_part ? mesh_part_count(world, &m->part, result) : result;
  }
  m->half_edge = (int32_t *)(m->mass + vertices);
  m->spare = m->half_edge + half_edges;
  m->place = m->spare + half_edges;
  const msd_result result = add_mesh(world, m, body);
  memory_release(&world->model.memory, m->mass);
  return result;
}

msd_result msd_add_mesh(msd_world *world, const msd_mesh_def *def, msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  msd_result result = check_mesh(world, def, false);
  msd_mesh_def of;
  material_numbers numbers;
  if (result == MSD_OK && def->material) {
    of = *def;
    result = give_material(world, &of, &numbers, &made);
  }
  if (result == MSD_OK) {
    mesh m = {.def = def->material ? &of : def,
              .material = def->material ? &numbers : NULL,
              .half_edge_count = 3 * def->triangle_count,
              .part = mesh_part_whole(def->vertex_count)};
    result = add_in_scratch(world, &m, &made);
  }
  return builder_hand_over(result, &made, body);
}

msd_result msd_add_mesh_subdomain(msd_world *world, const msd_mesh_def *def, const msd_mesh_subdomain *part,
                                  msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  mesh m = {.def = def};
  msd_result result = check_mesh(world, def, true);
  if (result == MSD_OK && def->material)
    result = world_fail(world, MSD_BAD_VALUE, "mesh: a divided world cannot have a material");
  if (result == MSD_OK)
    result = mesh_part_make(
        world, &(mesh_cells){"mesh", "triangle", def->vertex_count, def->triangles, 3, def->triangle_count},
        part, &m.part);
  if (result == MSD_OK) {
    m.half_edge_count = 3 * def->triangle_count;
    result = add_in_scratch(world, &m, &made);
  } else if (world_is_open(world) && world->part.is_open) {
    result = mesh_part_count(world, &m.part, result);
  }
  return builder_hand_over(result, &made, body);
}

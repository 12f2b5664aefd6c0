/* Tetrahedral meshes: a particle for each vertex, a spring for each edge, the volume of each tetrahedron.
   mesh_subdomain.h explains distributed meshes. */
#include "engine/base/float_environment.h"
#include "engine/builder/fibers.h"
#include "engine/builder/mesh_subdomain.h"

#include "engine/base/sort.h"

#include <math.h>

enum { CORNERS = 4, EDGES = 6 };

/* A tetrahedron whose volume is below this fraction of the cube of its longest edge counts as flat: neither
   precision can distinguish it from rounding errors. */
static const double FLAT = 1e-6;

/* A tetrahedral mesh under construction, with its scratch memory. */
typedef struct tetmesh {
  const msd_tetmesh_def *def;
  /* NULL: springs and volumes have the laws of their patterns. */
  const material_numbers *material;
  /* kg, by vertex. */
  double *mass;
  /* At first EDGES of each tetrahedron; then each edge once, ascending by lower end << 32 | upper end. */
  sort_item *edge;
  sort_item *spare;
  int32_t edge_count;
  /* The vertices that become particles, and the edges, by their lower ends, that get springs: all, unless the
     mesh is distributed. */
  mesh_part part;
} tetmesh;

static const int32_t *corners_of(const msd_tetmesh_def *def, int32_t tetrahedron) {
  return &def->tetrahedra[(size_t)CORNERS * (size_t)tetrahedron];
}

static msd_result check_corners(msd_world *world, const msd_tetmesh_def *def) {
  for (int32_t t = 0; t < def->tetrahedron_count; t++) {
    const int32_t *corner = corners_of(def, t);
    for (int c = 0; c < CORNERS; c++) {
      if (corner[c] < 0 || corner[c] >= def->vertex_count)
        return world_fail(world, MSD_BAD_VALUE,
                          "tetmesh: tetrahedron %d has the corner %d; vertices go from 0 to %d", (int)t,
                          (int)corner[c], (int)def->vertex_count - 1);
      for (int other = 0; other < c; other++)
        if (corner[c] == corner[other])
          return world_fail(world, MSD_BAD_VALUE,
                            "tetmesh: tetrahedron %d has vertex %d twice; its corners must differ", (int)t,
                            (int)corner[c]);
    }
  }
  return MSD_OK;
}

/* A subdomain may be empty. */
static msd_result check_tetmesh(msd_world *world, const msd_tetmesh_def *def, bool is_part) {
  msd_result result = builder_check_def(world, "tetmesh", def && def->cookie == MSD_TETMESH_COOKIE);
  if (result == MSD_OK && ((!def->vertices && !(is_part && def->vertex_count == 0)) ||
                           (!def->tetrahedra && !(is_part && def->tetrahedron_count == 0))))
    result =
        world_fail(world, MSD_BAD_VALUE, "tetmesh: %s is NULL", def->vertices ? "tetrahedra" : "vertices");
  if (result == MSD_OK)
    result =
        builder_check_at_least(world, "tetmesh", "vertex_count", def->vertex_count, is_part ? 0 : CORNERS);
  if (result == MSD_OK)
    result = builder_check_at_least(world, "tetmesh", "tetrahedron_count", def->tetrahedron_count,
                                    is_part ? 0 : 1);
  if (result == MSD_OK && def->tetrahedron_count > INT32_MAX / EDGES)
    result = world_fail(world, MSD_TOO_LARGE, "tetmesh: tetrahedron_count is %d; it must be %d or less",
                        (int)def->tetrahedron_count, INT32_MAX / EDGES);
  if (result == MSD_OK && (!builder_is_storable((double)def->density) || !(def->density > 0)))
    result = world_fail(world, MSD_BAD_VALUE, "tetmesh: density is %g; it must be finite and above 0",
                        (double)def->density);
  if (result == MSD_OK)
    result = builder_check_pattern(world, "tetmesh", "stretch", &def->stretch);
  if (result == MSD_OK)
    result = builder_check_pattern(world, "tetmesh", "volume", &def->volume);
  if (result == MSD_OK && def->vertex_count > 0)
    result = builder_check_vertices(world, "tetmesh", def->vertices, def->vertex_count);
  if (result == MSD_OK)
    result = check_corners(world, def);
  return result;
}

static double signed_volume(const msd_tetmesh_def *def, int32_t tetrahedron) {
  const int32_t *corner = corners_of(def, tetrahedron);
  const msd_vec3 *v = def->vertices;
  return builder_six_volumes(v[corner[0]], v[corner[1]], v[corner[2]], v[corner[3]]) / 6.0;
}

static double longest_edge(const msd_tetmesh_def *def, int32_t tetrahedron) {
  const int32_t *corner = corners_of(def, tetrahedron);
  double longest = 0.0;
  for (int a = 0; a < CORNERS; a++)
    for (int b = a + 1; b < CORNERS; b++) {
      double p[3], q[3];
      vec3_components(def->vertices[corner[a]], p);
      vec3_components(def->vertices[corner[b]], q);
      const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
      longest = fmax(longest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
  return longest;
}

/* Computes the mass of each vertex. */
static msd_result weigh(msd_world *world, tetmesh *m) {
  const msd_tetmesh_def *def = m->def;
  for (int32_t v = 0; v < def->vertex_count; v++)
    m->mass[v] = 0.0;
  for (int32_t t = 0; t < def->tetrahedron_count; t++) {
    const double volume = fabs(signed_volume(def, t)), edge = longest_edge(def, t);
    if (!builder_is_storable(volume))
      return world_fail(world, MSD_BAD_VALUE,
                        "tetmesh: tetrahedron %d has the volume %g m^3; it must be finite", (int)t, volume);
    if (!(volume > FLAT * edge * edge * edge))
      return world_fail(world, MSD_BAD_VALUE,
                        "tetmesh: tetrahedron %d is flat: its volume is %g m^3 and its longest edge %g m",
                        (int)t, volume, edge);
    for (int c = 0; c < CORNERS; c++)
      m->mass[corners_of(def, t)[c]] += (double)def->density * volume / CORNERS;
  }
  for (int32_t v = m->part.kept.first; v < m->part.kept.first + m->part.kept.count; v++) {
    const int number = (int)(m->part.first + v);
    if (m->mass[v] == 0.0)
      return world_fail(world, MSD_BAD_VALUE, "tetmesh: vertex %d is a corner of no tetrahedron", number);
    if (!builder_is_usable_mass(m->mass[v]))
      return world_fail(world, MSD_BAD_VALUE,
                        "tetmesh: vertex %d gets the mass %g; that and its inverse must be finite", number,
                        m->mass[v]);
  }
  return MSD_OK;
}

static void find_edges(tetmesh *m) {
  int32_t count = 0;
  for (int32_t t = 0; t < m->def->tetrahedron_count; t++) {
    const int32_t *corner = corners_of(m->def, t);
    for (int a = 0; a < CORNERS; a++)
      for (int b = a + 1; b < CORNERS; b++) {
        const int32_t low = corner[a] < corner[b] ? corner[a] : corner[b];
        const int32_t high = corner[a] < corner[b] ? corner[b] : corner[a];
        m->edge[count].key = (uint64_t)low << 32 | (uint64_t)high;
        m->edge[count].index = count;
        count++;
      }
  }
  m->edge = sort_by_key(m->edge, m->spare, count);
  m->edge_count = 0;
  for (int32_t e = 0; e < count; e++)
    if (e == 0 || m->edge[e].key != m->edge[m->edge_count - 1].key)
      m->edge[m->edge_count++] = m->edge[e];
}

static int32_t lower_end(const tetmesh *m, int32_t edge) {
  return (int32_t)(m->edge[edge].key >> 32);
}

static int32_t count_edges(const tetmesh *m, msd_range lower_ends) {
  int32_t count = 0;
  for (int32_t e = 0; e < m->edge_count; e++)
    count += mesh_part_has(lower_ends, lower_end(m, e));
  return count;
}

static msd_result add_edges(msd_world *world, const tetmesh *m, int32_t first, msd_range *range) {
  builder_springs springs;
  builder_springs_begin(&springs, world, &m->def->stretch);
  msd_result result = MSD_OK;
  for (int32_t e = 0; e < m->edge_count && result == MSD_OK; e++)
    if (mesh_part_has(m->part.edges, lower_end(m, e)))
      result = builder_springs_add(&springs, first + lower_end(m, e),
                                   first + (int32_t)(m->edge[e].key & UINT32_MAX));
  return result == MSD_OK ? builder_springs_end(&springs, range) : result;
}

/* All volumes are positive: negative ones get two corners swapped. */
static void add_volumes(msd_world *world, const tetmesh *m, int32_t first, msd_range *range) {
  builder_constraints volumes;
  builder_constraints_begin(&volumes, world, MSD_CONSTRAINT_VOLUME, &m->def->volume);
  for (int32_t t = 0; t < m->def->tetrahedron_count; t++) {
    const int32_t *corner = corners_of(m->def, t);
    const bool turned = signed_volume(m->def, t) < 0.0;
    builder_constraints_add(&volumes, (const int32_t[]){first + corner[0], first + corner[1],
                                                        first + corner[turned ? 3 : 2],
                                                        first + corner[turned ? 2 : 3]});
  }
  builder_constraints_end(&volumes, range);
}

/* The fibers of a tetrahedron, and its particles. */
static fiber_set fibers_of(const tetmesh *m, int32_t t, int32_t first, int32_t particles[CORNERS]) {
  const int32_t *corner = corners_of(m->def, t);
  msd_vec3 rest[CORNERS];
  for (int c = 0; c < CORNERS; c++) {
    rest[c] = m->def->vertices[corner[c]];
    particles[c] = first + corner[c];
  }
  return fibers_in_tetrahedron(m->material, rest);
}

static int64_t count_fibers(const tetmesh *m) {
  int64_t total = 0;
  int32_t particles[CORNERS];
  for (int32_t t = 0; t < m->def->tetrahedron_count; t++)
    total = builder_sum(total, fibers_of(m, t, 0, particles).count);
  return total;
}

static void add_fibers(msd_world *world, const tetmesh *m, int32_t first, msd_range *range) {
  const msd_spring_def pattern = builder_pattern(MSD_SPRING_STIFFNESS);
  builder_constraints fibers;
  builder_constraints_begin(&fibers, world, MSD_CONSTRAINT_FIBER, &pattern);
  for (int32_t t = 0; t < m->def->tetrahedron_count; t++) {
    int32_t particles[CORNERS];
    const fiber_set set = fibers_of(m, t, first, particles);
    fibers_add(&fibers, &set, particles);
  }
  builder_constraints_end(&fibers, range);
}

/* All ranks count the springs of a distributed mesh together, even if one of them has failed. */
static msd_result count_part(msd_world *world, tetmesh *m, msd_result result) {
  mesh_part *part = &m->part;
  if (result == MSD_OK && builder_wants(&m->def->volume))
    result = world_fail(world, MSD_BAD_VALUE, "tetmesh: a divided world cannot have constraints");
  if (result == MSD_OK && builder_wants(&m->def->stretch)) {
    part->own_springs = (mesh_springs){.edges = count_edges(m, part->own)};
    part->ahead = (mesh_springs){.edges = count_edges(m, mesh_part_ahead(part, part->edges))};
  }
  return mesh_part_count(world, part, result);
}

/* Adds a mesh whose definition is validated. */
static msd_result add_tetmesh(msd_world *world, tetmesh *m, msd_body *body) {
  const msd_tetmesh_def *def = m->def;
  const mesh_part *part = &m->part;
  const bool wants_edges = builder_wants(&def->stretch);
  msd_result result = weigh(world, m);
  if (result == MSD_OK)
    find_edges(m);
  if (part->is_part)
    result = count_part(world, m, result);
  if (result != MSD_OK)
    return result;
  const world_size size = {.particles = part->kept.count,
                           .springs = wants_edges ? count_edges(m, part->edges) : 0,
                           .constraints = m->material                   ? count_fibers(m)
                                          : builder_wants(&def->volume) ? def->tetrahedron_count
                                                                        : 0};
  result = builder_reserve(world, &size, m->material != NULL, body);
  if (result == MSD_OK)
    result = builder_add_vertices(world, def->vertices + part->kept.first, m->mass + part->kept.first,
                                  part->kept.count);
  if (result == MSD_OK && wants_edges)
    result = add_edges(world, m, body->particles.first - part->kept.first, &body->stretch);
  if (result == MSD_OK && part->is_part)
    mesh_part_add(world, part, wants_edges ? &body->stretch : NULL, NULL);
  if (result == MSD_OK && builder_wants(&def->volume))
    add_volumes(world, m, body->particles.first, &body->volume);
  if (result == MSD_OK && m->material) {
    add_fibers(world, m, body->particles.first, &body->fibers);
    material_damp(world, body, m->material);
  }
  return result;
}

/* Writes the patterns and the density that represent a material to *def. Fails if that is impossible. */
static msd_result give_material(msd_world *world, msd_tetmesh_def *def, material_numbers *numbers,
                                msd_body *body) {
  const msd_result result = material_check(world, "tetmesh", def->material, 3);
  if (result != MSD_OK)
    return result;
  const double side = material_longest_side(def->vertices, def->vertex_count);
  *numbers = material_read(world, def->material, 3, (material_extent){side, side});
  def->density = def->material->density;
  def->stretch = def->volume = builder_pattern(MSD_SPRING_NONE);
  body->material = material_made(def->material, numbers);
  return material_check_stiffness(world, "tetmesh", numbers->stretch[0] * side * side * side);
}

msd_tetmesh_def msd_default_tetmesh_def(void) {
  return (msd_tetmesh_def){
      .density = 1000,
      .stretch = builder_pattern(MSD_SPRING_COEFFICIENT),
      .volume = builder_pattern(MSD_SPRING_COEFFICIENT),
      .cookie = MSD_TETMESH_COOKIE,
  };
}

/* Allocates scratch memory, and adds the mesh. */
static msd_result add_in_scratch(msd_world *world, tetmesh *m, msd_body *body) {
  const msd_tetmesh_def *def = m->def;
  const size_t vertices = (size_t)def->vertex_count, edges = (size_t)EDGES * (size_t)def->tetrahedron_count;
  const size_t bytes = 2 * edges * sizeof *m->edge + vertices * sizeof *m->mass + 1;
  void *scratch = memory_allocate(&world->model.memory, bytes);
  if (!scratch) {
    const msd_result result =
        world_fail(world, MSD_OUT_OF_MEMORY, "tetmesh: no %zu bytes to sort the edges of %d tetrahedra",
                   bytes, (int)def->tetrahedron_count);
    return m->part.is_part ? mesh_part_count(world, &m->part, result) : result;
  }
  m->edge = scratch;
  m->spare = m->edge + edges;
  m->mass = (double *)(m->spare + edges);
  const msd_result result = add_tetmesh(world, m, body);
  memory_release(&world->model.memory, scratch);
  return result;
}

msd_result msd_add_tetmesh(msd_world *world, const msd_tetmesh_def *def, msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  msd_result result = check_tetmesh(world, def, false);
  msd_tetmesh_def of;
  material_numbers numbers;
  if (result == MSD_OK && def->material) {
    of = *def;
    result = give_material(world, &of, &numbers, &made);
  }
  if (result == MSD_OK) {
    tetmesh m = {.def = def->material ? &of : def,
                 .material = def->material ? &numbers : NULL,
                 .part = mesh_part_whole(def->vertex_count)};
    result = add_in_scratch(world, &m, &made);
  }
  return builder_hand_over(result, &made, body);
}

msd_result msd_add_tetmesh_subdomain(msd_world *world, const msd_tetmesh_def *def,
                                     const msd_mesh_subdomain *part, msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  tetmesh m = {.def = def};
  msd_result result = check_tetmesh(world, def, true);
  if (result == MSD_OK && def->material)
    result = world_fail(world, MSD_BAD_VALUE, "tetmesh: a divided world cannot have a material");
  if (result == MSD_OK)
    result = mesh_part_make(world,
                            &(mesh_cells){"tetmesh", "tetrahedron", def->vertex_count, def->tetrahedra,
                                          CORNERS, def->tetrahedron_count},
                            part, &m.part);
  if (result == MSD_OK)
    result = add_in_scratch(world, &m, &made);
  else if (world_is_open(world) && world->part.is_open)
    result = mesh_part_count(world, &m.part, result);
  return builder_hand_over(result, &made, body);
}

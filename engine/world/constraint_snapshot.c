/* Constraints in a snapshot. Layout:
   - the substep for which their weights were made, if there are constraints;
   - types, laws, corners, rest values, reference norms and weights, weights and compression factors of fibers,
     damage rules;
   - the number of triangles of each mesh, all triangles, norms and weights of all mesh vertices.
   Vertices and fans are derived from the triangles. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <math.h>

uint64_t constraint_snapshot_size(constraint_snapshot h) {
  return (uint64_t)h.constraints *
             (2 + CONSTRAINT_CORNERS * (sizeof(int32_t) + 3 * sizeof(msd_real)) + 4 * sizeof(msd_real)) +
         (h.has_damage ? (uint64_t)h.constraints * sizeof(damage_rule) : 0) +
         (uint64_t)h.meshes * sizeof(int32_t) + (uint64_t)h.triangles * 3 * sizeof(int32_t) +
         (uint64_t)h.vertices * 2 * sizeof(msd_real) + (h.constraints > 0 ? sizeof(double) : 0);
}

/* Offsets from the first constraint type. */
static snapshot_laws laws_of(size_t constraints) {
  const size_t corners = 2 * constraints, rest = corners + constraints * CONSTRAINT_CORNERS * sizeof(int32_t);
  const size_t numbers = rest + constraints * sizeof(msd_real);
  return (snapshot_laws){numbers, numbers + constraints * sizeof(msd_real), constraints};
}

void constraint_snapshot_put(unsigned char **to, const constraint_store *s, double step) {
  const size_t count = (size_t)s->count;
  if (count > 0)
    snapshot_put(to, &step, sizeof step);
  const snapshot_laws laws = laws_of(count);
  unsigned char *bytes = *to;
  snapshot_put(to, s->kind, count);
  *to += count; /* the laws */
  snapshot_put(to, s->corners, count * CONSTRAINT_CORNERS * sizeof *s->corners);
  snapshot_put(to, s->rest, count * sizeof *s->rest);
  *to += 2 * count * sizeof(msd_real);
  snapshot_put(to, s->placed, count * CONSTRAINT_CORNERS * sizeof *s->placed);
  snapshot_put(to, s->weights, count * CONSTRAINT_CORNERS * sizeof *s->weights);
  snapshot_put(to, s->fibers, count * CONSTRAINT_CORNERS * sizeof *s->fibers);
  snapshot_put(to, s->compression, count * sizeof *s->compression);
  if (s->damage)
    snapshot_put(to, s->damage, count * sizeof *s->damage);
  for (int32_t c = 0; c < s->count; c++)
    snapshot_put_law(bytes, laws, (size_t)c, s->laws[c], s->is_broken[c]);
  for (int32_t n = 0; n < s->mesh_count; n++)
    snapshot_put(to, &s->meshes[n].triangle_count, sizeof(int32_t));
  snapshot_put(to, s->triangles, (size_t)s->triangle_count * 3 * sizeof *s->triangles);
  snapshot_put(to, s->vertex_placed, (size_t)s->vertex_count * sizeof *s->vertex_placed);
  snapshot_put(to, s->vertex_weights, (size_t)s->vertex_count * sizeof *s->vertex_weights);
}

/* True if all are valid norms or weights. */
static bool are_sizes(const msd_real *norms, size_t count) {
  for (size_t n = 0; n < count; n++)
    if (!(norms[n] >= 0 && norms[n] <= (msd_real)1e30))
      return false;
  return true;
}

/* True if the weights are within the limit and have the sum 0 exactly, as in the store. Fibers have some
   weight that is not 0; other constraints have none. */
static bool are_fiber(const msd_real *weights, const int32_t *corners, bool is_fiber) {
  for (int n = 0; n < CONSTRAINT_CORNERS; n++)
    if (!(fabs((double)weights[n]) <= FIBER_WEIGHTS_MOST) ||
        ((!is_fiber || corners[n] < 0) && weights[n] != 0))
      return false;
  return weights[0] == -(weights[1] + weights[2] + weights[3]) &&
         is_fiber == (weights[1] != 0 || weights[2] != 0 || weights[3] != 0);
}

static bool is_compression(const constraint_store *s, int32_t constraint) {
  const msd_real factor = s->compression[constraint];
  return constraint_is_fiber(s, constraint) ? factor >= 0 && factor <= 1 : factor == 1;
}

static bool are_corners(const int32_t *corners, int count, int32_t particles) {
  for (int n = 0; n < CONSTRAINT_CORNERS; n++) {
    if (n >= count ? corners[n] != -1 : corners[n] < 0 || corners[n] >= particles)
      return false;
    for (int other = 0; other < n && n < count; other++)
      if (corners[other] == corners[n])
        return false;
  }
  return true;
}

/* Meshes are numbered in the order of their constraints. */
static bool is_constraint(const constraint_store *s, int32_t constraint, int32_t particles, int32_t *mesh) {
  const constraint_kind *kind = constraint_kind_get((msd_constraint_kind)s->kind[constraint]);
  const int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  const msd_real rest = s->rest[constraint];
  if (!kind || !law_is_sound(s->laws[constraint]) || !(rest - rest == 0) ||
      constraint_kind_rest(kind, rest) != rest ||
      !are_sizes(s->placed + (size_t)constraint * CONSTRAINT_CORNERS, CONSTRAINT_CORNERS) ||
      !are_sizes(s->weights + (size_t)constraint * CONSTRAINT_CORNERS, CONSTRAINT_CORNERS) ||
      !are_fiber(constraint_fiber_of(s, constraint), corners, constraint_is_fiber(s, constraint)) ||
      !is_compression(s, constraint))
    return false;
  if (constraint_is_mesh(s, constraint))
    return corners[0] == (*mesh)++ && corners[1] == -1 && corners[2] == -1 && corners[3] == -1;
  return are_corners(corners, constraint_corners_of(s, constraint).count, particles);
}

static msd_result get_meshes(msd_world *world, constraint_store *s, const particle_store *p, int32_t meshes,
                             const int32_t *counts, const int32_t *triangles, int32_t triangle_count) {
  for (int32_t n = 0, left = triangle_count; n < meshes; n++, left = triangle_count - s->triangle_count) {
    if (counts[n] > left)
      return world_fail(world, MSD_BAD_SNAPSHOT,
                        "the snapshot has a mesh of %d triangles, of which %d are there", (int)counts[n],
                        (int)left);
    const int32_t *corners = triangles + 3 * (size_t)s->triangle_count;
    const msd_result closed = constraint_check_mesh(&world->model.report, &world->model.memory, corners,
                                                    counts[n], the_only("a mesh of the snapshot"));
    if (closed != MSD_OK)
      return closed == MSD_BAD_VALUE ? MSD_BAD_SNAPSHOT : closed;
    for (int32_t at = 0; at < 3 * counts[n]; at++)
      if (corners[at] >= p->count)
        return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a mesh at particle %d of %d",
                          (int)corners[at], (int)p->count);
    constraint_append_mesh(s, corners, counts[n]);
  }
  return s->triangle_count == triangle_count
             ? MSD_OK
             : world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has triangles of no mesh");
}

/* Reads the triangles of all meshes and the data of their vertices. */
static msd_result get_all_meshes(msd_world *world, constraint_store *s, const particle_store *p,
                                 constraint_snapshot h, const unsigned char **from) {
  const size_t indices = (size_t)h.meshes + 3 * (size_t)h.triangles;
  msd_result result = MSD_OK;
  if (indices > 0) {
    int32_t *read = memory_allocate(&world->model.memory, indices * sizeof *read);
    if (!read)
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the snapshot's %d triangles",
                        (int)h.triangles);
    snapshot_get(read, from, indices * sizeof *read);
    result = get_meshes(world, s, p, h.meshes, read, read + h.meshes, h.triangles);
    memory_release(&world->model.memory, read);
  }
  if (result == MSD_OK && s->vertex_count != h.vertices)
    result = world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has %d vertices of meshes, which have %d",
                        (int)h.vertices, (int)s->vertex_count);
  if (result != MSD_OK)
    return result;
  const size_t vertices = (size_t)h.vertices;
  snapshot_get(s->vertex_placed, from, vertices * sizeof *s->vertex_placed);
  snapshot_get(s->vertex_weights, from, vertices * sizeof *s->vertex_weights);
  return are_sizes(s->vertex_placed, vertices) && are_sizes(s->vertex_weights, vertices)
             ? MSD_OK
             : world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a mesh without a rest shape");
}

static msd_result get_step(msd_world *world, constraint_store *s, const unsigned char **from) {
  double step;
  snapshot_get(&step, from, sizeof step);
  s->weights_made_for.step = step;
  return step >= 0 && step <= 1e300
             ? MSD_OK
             : world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has constraints for substeps of %g s", step);
}

static msd_result get_damage(msd_world *world, constraint_store *s, const unsigned char **from) {
  if (!constraint_open_damage(s, &world->model.memory))
    return world_fail(world, MSD_OUT_OF_MEMORY,
                      "no memory for the plastic strain of the snapshot's %d constraints", (int)s->count);
  snapshot_get(s->damage, from, (size_t)s->count * sizeof *s->damage);
  return damage_rules_are_sound(s->damage, s->count)
             ? MSD_OK
             : world_fail(world, MSD_BAD_SNAPSHOT,
                          "the snapshot has a constraint whose plastic strain is out of range");
}

static msd_result get_constraints(msd_world *world, constraint_store *s, const particle_store *p,
                                  constraint_snapshot h, const unsigned char **from) {
  const size_t count = (size_t)h.constraints;
  const snapshot_laws laws = laws_of(count);
  const unsigned char *bytes = *from;
  s->count = h.constraints;
  for (int32_t c = 0; c < h.constraints; c++)
    s->laws[c] = snapshot_get_law(bytes, laws, (size_t)c, &s->is_broken[c]);
  snapshot_get(s->kind, from, count);
  *from += count;
  snapshot_get(s->corners, from, count * CONSTRAINT_CORNERS * sizeof *s->corners);
  snapshot_get(s->rest, from, count * sizeof *s->rest);
  *from += 2 * count * sizeof(msd_real);
  snapshot_get(s->placed, from, count * CONSTRAINT_CORNERS * sizeof *s->placed);
  snapshot_get(s->weights, from, count * CONSTRAINT_CORNERS * sizeof *s->weights);
  snapshot_get(s->fibers, from, count * CONSTRAINT_CORNERS * sizeof *s->fibers);
  snapshot_get(s->compression, from, count * sizeof *s->compression);
  int32_t mesh = 0;
  for (int32_t c = 0; c < h.constraints; c++)
    if (!is_constraint(s, c, p->count, &mesh))
      return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a constraint out of its range: number %d",
                        (int)c);
  return mesh == h.meshes
             ? MSD_OK
             : world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has %d meshes and %d constraints on them",
                          (int)h.meshes, (int)mesh);
}

msd_result constraint_snapshot_get(msd_world *world, constraint_store *s, particle_store *p,
                                   constraint_snapshot h, const unsigned char **from) {
  msd_result result = h.constraints > 0 ? get_step(world, s, from) : MSD_OK;
  if (result == MSD_OK)
    result = get_constraints(world, s, p, h, from);
  if (result == MSD_OK && h.has_damage)
    result = get_damage(world, s, from);
  if (result == MSD_OK)
    result = get_all_meshes(world, s, p, h, from);
  if (result != MSD_OK)
    return result;
  for (int32_t c = 0; c < h.constraints; c++) {
    s->broken += constraint_is_broken(s, c);
    if (!constraint_is_broken(s, c))
      constraint_count_valence(s, p, c, 1);
  }
  constraint_count_unplaced(s);
  return MSD_OK;
}

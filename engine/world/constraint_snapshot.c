/* Constraints as bytes: fold_room and its substep if there are any, then kinds, laws, corners and rest values,
   the number of triangles of each mesh, then all triangles. Vertices and fans are derived from them. */

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

uint64_t constraint_snapshot_size(int32_t constraints, int32_t meshes, int32_t triangles) {
  return (uint64_t)constraints * (2 + CONSTRAINT_CORNERS * sizeof(int32_t) + 3 * sizeof(msd_real)) +
         (uint64_t)meshes * sizeof(int32_t) + (uint64_t)triangles * 3 * sizeof(int32_t) +
         (constraints > 0 ? sizeof(constraint_room) + sizeof(double) : 0);
}

/* Offsets from the first kind of constraint. */
static snapshot_laws laws_of(size_t constraints) {
  const size_t corners = 2 * constraints, rest = corners + constraints * CONSTRAINT_CORNERS * sizeof(int32_t);
  const size_t numbers = rest + constraints * sizeof(msd_real);
  return (snapshot_laws){numbers, numbers + constraints * sizeof(msd_real), constraints};
}

void constraint_snapshot_put(unsigned char **to, const constraint_store *s, double room_step) {
  const size_t count = (size_t)s->count;
  if (count > 0) {
    snapshot_put(to, &s->fold_room, sizeof s->fold_room);
    snapshot_put(to, &room_step, sizeof room_step);
  }
  const snapshot_laws laws = laws_of(count);
  unsigned char *bytes = *to;
  snapshot_put(to, s->kind, count);
  *to += count; /* the laws */
  snapshot_put(to, s->corners, count * CONSTRAINT_CORNERS * sizeof *s->corners);
  snapshot_put(to, s->rest, count * sizeof *s->rest);
  *to += 2 * count * sizeof(msd_real);
  for (int32_t c = 0; c < s->count; c++)
    snapshot_put_law(bytes, laws, (size_t)c, s->laws[c], s->is_broken[c]);
  for (int32_t n = 0; n < s->mesh_count; n++)
    snapshot_put(to, &s->meshes[n].triangle_count, sizeof(int32_t));
  snapshot_put(to, s->triangles, (size_t)s->triangle_count * 3 * sizeof *s->triangles);
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

/* Meshes are numbered in the order of the constraints. */
static bool is_constraint(const constraint_store *s, int32_t constraint, int32_t particles, int32_t *mesh) {
  const constraint_kind *kind = constraint_kind_get((msd_constraint_kind)s->kind[constraint]);
  const int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  const msd_real rest = s->rest[constraint];
  if (!kind || !law_is_sound(s->laws[constraint]) || !(rest - rest == 0) ||
      constraint_kind_rest(kind, rest) != rest)
    return false;
  if (constraint_is_mesh(s, constraint))
    return corners[0] == (*mesh)++ && corners[1] == -1 && corners[2] == -1 && corners[3] == -1;
  return are_corners(corners, kind->corners, particles);
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

msd_result constraint_snapshot_get(msd_world *world, constraint_store *s, particle_store *p,
                                   int32_t constraints, int32_t meshes, int32_t triangles,
                                   const unsigned char **from) {
  const size_t count = (size_t)constraints, indices = (size_t)meshes + 3 * (size_t)triangles;
  s->count = constraints;
  double step = 0;
  if (constraints > 0) {
    snapshot_get(&s->fold_room, from, sizeof s->fold_room);
    snapshot_get(&step, from, sizeof step);
  }
  const constraint_room *room = &s->fold_room;
  s->fold_room_made_for.step = step;
  if (!(room->room >= 0 && room->room <= 8 && room->damping >= 0 && room->damping <= 4 && step >= 0 &&
        step <= 1e300))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has %g of 0 to 8 as the room of its folds",
                      room->room);
  const snapshot_laws laws = laws_of(count);
  const unsigned char *bytes = *from;
  for (int32_t c = 0; c < constraints; c++)
    s->laws[c] = snapshot_get_law(bytes, laws, (size_t)c, &s->is_broken[c]);
  snapshot_get(s->kind, from, count);
  *from += count;
  snapshot_get(s->corners, from, count * CONSTRAINT_CORNERS * sizeof *s->corners);
  snapshot_get(s->rest, from, count * sizeof *s->rest);
  *from += 2 * count * sizeof(msd_real);
  int32_t mesh = 0;
  for (int32_t c = 0; c < constraints; c++)
    if (!is_constraint(s, c, p->count, &mesh))
      return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a constraint out of its range: number %d",
                        (int)c);
  if (mesh != meshes)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has %d meshes and %d constraints on them",
                      (int)meshes, (int)mesh);
  if (indices > 0) {
    int32_t *read = memory_allocate(&world->model.memory, indices * sizeof *read);
    if (!read)
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the snapshot's %d triangles",
                        (int)triangles);
    snapshot_get(read, from, indices * sizeof *read);
    const msd_result result = get_meshes(world, s, p, meshes, read, read + meshes, triangles);
    memory_release(&world->model.memory, read);
    if (result != MSD_OK)
      return result;
  }
  for (int32_t c = 0; c < constraints; c++) {
    s->broken += constraint_is_broken(s, c);
    if (!constraint_is_broken(s, c))
      constraint_count_valence(s, p, c, 1);
  }
  return MSD_OK;
}

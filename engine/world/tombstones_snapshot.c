/* Destroyed objects in a snapshot: if there are any, their number for each type, then their indices in
   ascending order. The stores contain the inactive objects. */

#include "engine/world/snapshot.h"

uint64_t tombstones_snapshot_size(int64_t tombstones) {
  return tombstones > 0 ? ((uint64_t)tombstones + MSD_OBJECT_COUNT) * sizeof(int32_t) : 0;
}

void tombstones_snapshot_put(unsigned char **to, const tombstone_store *g) {
  for (int item = 0; item < MSD_OBJECT_COUNT && g->count > 0; item++)
    snapshot_put(to, &g->of[item].count, sizeof g->of[item].count);
  for (int item = 0; item < MSD_OBJECT_COUNT && g->count > 0; item++)
    for (int32_t i = 0; i < g->of[item].covered; i++)
      if (tombstones_have(g, (msd_object)item, i))
        snapshot_put(to, &i, sizeof i);
}

/* --------------------------------------------------------------------------------------------- validation */

static bool are_particles_sound(const tombstone_store *g, const particle_store *p) {
  bool sound = true;
  for (int32_t i = 0; i < p->count; i++)
    sound = sound && tombstones_have(g, MSD_OBJECT_PARTICLE, i) == particle_is_buried(p, i);
  for (int32_t n = 0; n < p->move_count; n++)
    sound = sound && !particle_is_buried(p, p->moves[n].particle);
  return sound;
}

static bool are_springs_sound(const tombstone_store *g, const spring_store *s) {
  bool sound = true;
  for (int32_t e = 0; e < s->count; e++)
    sound = sound && (tombstones_have(g, MSD_OBJECT_SPRING, e)
                          ? spring_is_broken(s, e) && !spring_is_torn(s, e)
                          : !tombstones_have(g, MSD_OBJECT_PARTICLE, s->a[e]) &&
                                !tombstones_have(g, MSD_OBJECT_PARTICLE, s->b[e]));
  for (int32_t n = 0; n < s->moves.count; n++)
    sound = sound && !tombstones_have(g, MSD_OBJECT_SPRING, s->moves.items[n].spring);
  return sound;
}

static bool are_whole(const tombstone_store *g, const int32_t *corners, int64_t count) {
  bool whole = true;
  for (int64_t n = 0; n < count; n++)
    whole = whole && !tombstones_have(g, MSD_OBJECT_PARTICLE, corners[n]);
  return whole;
}

static bool are_constraints_sound(const tombstone_store *g, const constraint_store *s) {
  bool sound = true;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = constraint_corners_of(s, c);
    sound = sound &&
            (tombstones_have(g, MSD_OBJECT_CONSTRAINT, c) ? constraint_is_broken(s, c)
                                                          : are_whole(g, corners.particles, corners.count));
  }
  return sound;
}

static bool are_soft_pins_sound(const tombstone_store *g, const soft_pin_store *s) {
  bool sound = true;
  for (int32_t n = 0; n < s->count; n++) {
    const int32_t particle = s->entries[n].particle;
    sound = sound &&
            (particle < 0 || (!tombstones_have(g, MSD_OBJECT_SOFT_PIN, n) && are_whole(g, &particle, 1)));
  }
  return sound;
}

static bool are_rotors_sound(const tombstone_store *g, const rotor_store *r, const torsion_spring_store *s) {
  bool sound = true;
  for (int32_t i = 0; i < r->count; i++)
    sound = sound && (!tombstones_have(g, MSD_OBJECT_ROTOR, i) || r->inverse_inertia[i] == 0);
  for (int32_t e = 0; e < s->count; e++)
    sound = sound && (tombstones_have(g, MSD_OBJECT_TORSION_SPRING, e)
                          ? torsion_spring_is_broken(s, e)
                          : !tombstones_have(g, MSD_OBJECT_ROTOR, s->a[e]) &&
                                (s->b[e] < 0 || !tombstones_have(g, MSD_OBJECT_ROTOR, s->b[e])));
  return sound;
}

static bool are_surfaces_sound(const tombstone_store *g, const surface_store *s) {
  bool sound = true;
  for (int32_t n = 0; n < s->count; n++)
    sound = sound && (!tombstones_have(g, MSD_OBJECT_COLLISION_MESH, n) ||
                      s->entries[n].triangle_count + s->entries[n].segment_count == 0);
  return sound && (s->triangle_count == 0 || are_whole(g, s->triangles[0], 3 * (int64_t)s->triangle_count)) &&
         (s->segment_count == 0 || are_whole(g, s->segments[0], 2 * (int64_t)s->segment_count));
}

/* ------------------------------------------------------------------------------------------------ reading */

static msd_result get_list(tombstone_store *g, memory *m, msd_object item, int32_t items, int32_t count,
                           const unsigned char **from) {
  int32_t last = -1;
  if (count > 0 && !tombstones_cover(g, m, item, items))
    return MSD_OUT_OF_MEMORY;
  for (int32_t n = 0; n < count; n++) {
    int32_t index;
    snapshot_get(&index, from, sizeof index);
    if (index <= last || index >= items)
      return MSD_BAD_SNAPSHOT;
    tombstones_add(g, item, index);
    last = index;
  }
  return MSD_OK;
}

static msd_result get_lists(tombstone_store *g, memory *m, int64_t tombstones, const tombstones_snapshot *of,
                            const unsigned char **from) {
  const int32_t items[MSD_OBJECT_COUNT] = {
      of->particles->count, of->springs->count,         of->constraints->count, of->soft_pins->count,
      of->rotors->count,    of->torsion_springs->count, of->colliders->count,   of->surfaces->count};
  int32_t counts[MSD_OBJECT_COUNT];
  int64_t left = tombstones;
  snapshot_get(counts, from, sizeof counts);
  for (int item = 0; item < MSD_OBJECT_COUNT; item++) {
    if (counts[item] < 0 || counts[item] > left)
      return MSD_BAD_SNAPSHOT;
    left -= counts[item];
  }
  msd_result result = left == 0 ? MSD_OK : MSD_BAD_SNAPSHOT;
  for (int item = 0; item < MSD_OBJECT_COUNT && result == MSD_OK; item++)
    result = get_list(g, m, (msd_object)item, items[item], counts[item], from);
  return result;
}

msd_result tombstones_snapshot_get(tombstone_store *g, memory *m, int64_t tombstones,
                                   const tombstones_snapshot *of, const unsigned char **from) {
  const msd_result result = tombstones > 0 ? get_lists(g, m, tombstones, of, from) : MSD_OK;
  if (result != MSD_OK)
    return result;
  for (int32_t n = 0; n < of->colliders->count; n++)
    of->colliders->entries[n].is_gone = tombstones_have(g, MSD_OBJECT_COLLIDER, n);
  return are_particles_sound(g, of->particles) && are_springs_sound(g, of->springs) &&
                 are_constraints_sound(g, of->constraints) && are_soft_pins_sound(g, of->soft_pins) &&
                 are_rotors_sound(g, of->rotors, of->torsion_springs) && are_surfaces_sound(g, of->surfaces)
             ? MSD_OK
             : MSD_BAD_SNAPSHOT;
}

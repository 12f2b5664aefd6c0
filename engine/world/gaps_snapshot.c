/* What has been destroyed as bytes: where there is something, the number of gaps of each kind, then their
   indices, ascending. That it is out of action is in the stores. */

#include "engine/world/snapshot.h"

uint64_t gaps_snapshot_size(int64_t gaps) {
  return gaps > 0 ? ((uint64_t)gaps + MSD_ITEM_COUNT) * sizeof(int32_t) : 0;
}

void gaps_snapshot_put(unsigned char **to, const gap_store *g) {
  for (int item = 0; item < MSD_ITEM_COUNT && g->count > 0; item++)
    snapshot_put(to, &g->of[item].count, sizeof g->of[item].count);
  for (int item = 0; item < MSD_ITEM_COUNT && g->count > 0; item++)
    for (int32_t i = 0; i < g->of[item].covered; i++)
      if (gaps_have(g, (msd_item)item, i))
        snapshot_put(to, &i, sizeof i);
}

/* ------------------------------------------------------------------------------------------------ soundness */

static bool are_particles_sound(const gap_store *g, const particle_store *p) {
  bool sound = true;
  for (int32_t i = 0; i < p->count; i++)
    sound = sound && gaps_have(g, MSD_ITEM_PARTICLE, i) == particle_is_buried(p, i);
  for (int32_t n = 0; n < p->move_count; n++)
    sound = sound && !particle_is_buried(p, p->moves[n].particle);
  return sound;
}

static bool are_springs_sound(const gap_store *g, const spring_store *s) {
  bool sound = true;
  for (int32_t e = 0; e < s->count; e++)
    sound = sound && (gaps_have(g, MSD_ITEM_SPRING, e) ? spring_is_broken(s, e) && !spring_is_torn(s, e)
                                                       : !gaps_have(g, MSD_ITEM_PARTICLE, s->a[e]) &&
                                                             !gaps_have(g, MSD_ITEM_PARTICLE, s->b[e]));
  for (int32_t n = 0; n < s->moves.count; n++)
    sound = sound && !gaps_have(g, MSD_ITEM_SPRING, s->moves.items[n].spring);
  return sound;
}

static bool are_whole(const gap_store *g, const int32_t *corners, int64_t count) {
  bool whole = true;
  for (int64_t n = 0; n < count; n++)
    whole = whole && !gaps_have(g, MSD_ITEM_PARTICLE, corners[n]);
  return whole;
}

static bool are_constraints_sound(const gap_store *g, const constraint_store *s) {
  bool sound = true;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = constraint_corners_of(s, c);
    sound = sound && (gaps_have(g, MSD_ITEM_CONSTRAINT, c) ? constraint_is_broken(s, c)
                                                           : are_whole(g, corners.particles, corners.count));
  }
  return sound;
}

static bool are_anchors_sound(const gap_store *g, const anchor_store *s) {
  bool sound = true;
  for (int32_t n = 0; n < s->count; n++) {
    const int32_t particle = s->entries[n].particle;
    sound = sound && (particle < 0 || (!gaps_have(g, MSD_ITEM_ANCHOR, n) && are_whole(g, &particle, 1)));
  }
  return sound;
}

static bool are_rotors_sound(const gap_store *g, const rotor_store *r, const angular_spring_store *s) {
  bool sound = true;
  for (int32_t i = 0; i < r->count; i++)
    sound = sound && (!gaps_have(g, MSD_ITEM_ROTOR, i) || r->inverse_inertia[i] == 0);
  for (int32_t e = 0; e < s->count; e++)
    sound = sound && (gaps_have(g, MSD_ITEM_ANGULAR_SPRING, e)
                          ? angular_spring_is_broken(s, e)
                          : !gaps_have(g, MSD_ITEM_ROTOR, s->a[e]) &&
                                (s->b[e] < 0 || !gaps_have(g, MSD_ITEM_ROTOR, s->b[e])));
  return sound;
}

static bool are_surfaces_sound(const gap_store *g, const surface_store *s) {
  bool sound = true;
  for (int32_t n = 0; n < s->count; n++)
    sound = sound && (!gaps_have(g, MSD_ITEM_SURFACE, n) ||
                      s->entries[n].triangle_count + s->entries[n].segment_count == 0);
  return sound && (s->triangle_count == 0 || are_whole(g, s->triangles[0], 3 * (int64_t)s->triangle_count)) &&
         (s->segment_count == 0 || are_whole(g, s->segments[0], 2 * (int64_t)s->segment_count));
}

/* -------------------------------------------------------------------------------------------------- reading */

static msd_result get_list(gap_store *g, memory *m, msd_item item, int32_t items, int32_t count,
                           const unsigned char **from) {
  int32_t last = -1;
  if (count > 0 && !gaps_cover(g, m, item, items))
    return MSD_OUT_OF_MEMORY;
  for (int32_t n = 0; n < count; n++) {
    int32_t index;
    snapshot_get(&index, from, sizeof index);
    if (index <= last || index >= items)
      return MSD_BAD_SNAPSHOT;
    gaps_add(g, item, index);
    last = index;
  }
  return MSD_OK;
}

static msd_result get_lists(gap_store *g, memory *m, int64_t gaps, const gaps_snapshot *of,
                            const unsigned char **from) {
  const int32_t items[MSD_ITEM_COUNT] = {of->particles->count, of->springs->count, of->constraints->count,
                                         of->anchors->count,   of->rotors->count,  of->angular_springs->count,
                                         of->colliders->count, of->surfaces->count};
  int32_t counts[MSD_ITEM_COUNT];
  int64_t left = gaps;
  snapshot_get(counts, from, sizeof counts);
  for (int item = 0; item < MSD_ITEM_COUNT; item++) {
    if (counts[item] < 0 || counts[item] > left)
      return MSD_BAD_SNAPSHOT;
    left -= counts[item];
  }
  msd_result result = left == 0 ? MSD_OK : MSD_BAD_SNAPSHOT;
  for (int item = 0; item < MSD_ITEM_COUNT && result == MSD_OK; item++)
    result = get_list(g, m, (msd_item)item, items[item], counts[item], from);
  return result;
}

msd_result gaps_snapshot_get(gap_store *g, memory *m, int64_t gaps, const gaps_snapshot *of,
                             const unsigned char **from) {
  const msd_result result = gaps > 0 ? get_lists(g, m, gaps, of, from) : MSD_OK;
  if (result != MSD_OK)
    return result;
  for (int32_t n = 0; n < of->colliders->count; n++)
    of->colliders->entries[n].is_gone = gaps_have(g, MSD_ITEM_COLLIDER, n);
  return are_particles_sound(g, of->particles) && are_springs_sound(g, of->springs) &&
                 are_constraints_sound(g, of->constraints) && are_anchors_sound(g, of->anchors) &&
                 are_rotors_sound(g, of->rotors, of->angular_springs) && are_surfaces_sound(g, of->surfaces)
             ? MSD_OK
             : MSD_BAD_SNAPSHOT;
}

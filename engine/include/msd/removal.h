/* msd: destroying what a world has, and closing the gaps that this leaves in its indices. */
#ifndef MSD_REMOVAL_H
#define MSD_REMOVAL_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a world has by index. */
typedef enum msd_item {
  MSD_ITEM_PARTICLE,
  MSD_ITEM_SPRING,
  MSD_ITEM_CONSTRAINT,
  MSD_ITEM_ANCHOR,
  MSD_ITEM_ROTOR,
  MSD_ITEM_ANGULAR_SPRING,
  MSD_ITEM_COLLIDER,
  MSD_ITEM_SURFACE,
  MSD_ITEM_COUNT
} msd_item;

/* "particle", "spring", "constraint", "anchor", "rotor", "angular spring", "collider", "surface"; NULL for any
   other number. */
MSD_API const char *msd_item_name(msd_item item);

/* Destroys items of a kind by their indices: all of them, or none. A list may name one twice, but none that
   was destroyed before. What needs it goes with it:

     a particle        all springs and constraints that have it, also broken ones, its anchor, and the triangles
                       and segments of surfaces that have it
     a spring          what backs it (wear.h); of surfaces what it has cut by tearing stays cut
     a rotor           its angular springs
     a surface         once its last triangle or segment has gone, it has gone too

   A body of a builder is its particles: msd_destroy_range(world, MSD_ITEM_PARTICLE, body.particles).

   Indices do not move. What was destroyed has no force and is in no statistics; msd_world_get_particle_count
   and its like go on counting it, as indices go on behind it. Its index is as one that does not exist:
   functions that change it answer MSD_BAD_INDEX, those that read it zero or the default definition; but a
   spring, constraint or angular spring is_broken. In arrays of all particles (msd_world_get_positions, bulk.h,
   the pieces, msd_world_hash) it keeps its place: at rest where it was, pinned, and without mass; writing a
   range leaves it alone, and its piece is -1. Drawing (skin.h) leaves out triangles and lines that have it.

   Destroying springs and particles is as cheap as breaking and pinning: no layout, and every step that was
   certified still is, unless springs follow the masses at their ends. O(what goes), and where there are such,
   O(constraints + anchors), O(angular springs) or O(triangles). The first time after springs were added, also
   O(springs). MSD_BAD_INDEX, MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_destroy_items(msd_world *world, msd_item item, const int32_t *indices, int32_t count);

/* The same for all of a range that have not been destroyed before. */
MSD_API msd_result msd_destroy_range(msd_world *world, msd_item item, msd_range range);

/* False for an index that never was. */
MSD_API bool msd_item_is_destroyed(const msd_world *world, msd_item item, int32_t index);

/* How many there are that have not been destroyed. */
MSD_API int32_t msd_world_get_live_count(const msd_world *world, msd_item item);

/* Where indices go: to[item][old] is the new index, -1 of what was destroyed. Each array has as many elements
   as the world has of that kind, destroyed ones included, or is NULL. */
typedef struct msd_index_moves {
  int32_t *to[MSD_ITEM_COUNT];
} msd_index_moves;

/* Closes all gaps: what is left keeps its order, moves to the lowest indices, and gives memory back. `moves`
   (may be NULL) tells where everything went. Where nothing was destroyed nothing happens.

   The world is then as if only what is left had ever been added, at the places and rest shapes that it has,
   and steps to the same bits as such a world: with the same settings, time, count of substeps, positions,
   velocities and angles, and with what a step carries on in both (velocities that anchors have seen, impulses
   of a warm start, the account of the energy). Three things are not as new: what is left of what has worn
   keeps its wear, of particles that were split the parts keep their shares, and what is left keeps the size of
   its rest shape. Costs a layout, limits and contacts that are found anew; no view, state
   (msd_world_save_state) or index of before may be used any longer. MSD_OUT_OF_MEMORY: nothing has changed.
   O(everything). */
MSD_API msd_result msd_world_compact(msd_world *world, const msd_index_moves *moves);

#ifdef __cplusplus
}
#endif

#endif

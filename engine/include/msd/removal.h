/* msd: destruction of objects, and compaction of the gaps that it leaves in their indices. */
#ifndef MSD_REMOVAL_H
#define MSD_REMOVAL_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of objects that a world has by index. */
typedef enum msd_object {
  MSD_OBJECT_PARTICLE,
  MSD_OBJECT_SPRING,
  MSD_OBJECT_CONSTRAINT,
  MSD_OBJECT_SOFT_PIN,
  MSD_OBJECT_ROTOR,
  MSD_OBJECT_TORSION_SPRING,
  MSD_OBJECT_COLLIDER,
  MSD_OBJECT_COLLISION_MESH,
  MSD_OBJECT_COUNT
} msd_object;

/* Returns a readable name, such as "particle"; NULL for any other number. */
MSD_API const char *msd_object_name(msd_object item);

/* Destroys objects by their indices, all of them or none. A list may name an object twice, but no object that
   was destroyed before. Dependent objects are destroyed too:

       a particle          all its springs and constraints (broken ones too), its soft pin, and the triangles
                           and segments of collision meshes that use it
       a spring            its companion springs (msd_springs_stiffen); cuts of collision meshes remain
       a rotor             its torsion springs
       a collision mesh    is destroyed with its last triangle or segment

   To destroy a body, destroy its particles: msd_destroy_range(world, MSD_OBJECT_PARTICLE, body.particles).

   Indices do not move. Destroyed objects exert no force and are not in the statistics. Counts such as
   msd_world_get_particle_count still include them, because later indices remain valid. A destroyed index is
   treated as one that does not exist:
   - Functions that change it return MSD_BAD_INDEX; functions that read it return zero or the default
     definition. A destroyed spring, constraint or torsion spring counts as broken.
   - In arrays of all particles (msd_world_get_positions, bulk.h, msd_world_find_components, msd_world_hash) a
     destroyed particle keeps its place: at rest at its last position, pinned, and without mass. Writing a
     range skips it, and its component is -1.
   - Render meshes omit triangles and lines that use it (render_mesh.h).

   Destroying springs and particles is as cheap as breaking and pinning them: the layout is kept. Stable
   substeps remain stable, unless springs follow the masses at their ends. O(destroyed objects), plus
   O(constraints + soft pins), O(torsion springs) or O(triangles) if there are any, plus O(springs) the first
   time after springs were added. Returns MSD_BAD_INDEX, MSD_BAD_VALUE or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_destroy_objects(msd_world *world, msd_object item, const int32_t *indices,
                                       int32_t count);

/* Destroys all objects of a range; those that are already destroyed are skipped. */
MSD_API msd_result msd_destroy_range(msd_world *world, msd_object item, msd_range range);

/* Returns whether an object was destroyed; false for an index that never existed. */
MSD_API bool msd_object_is_destroyed(const msd_world *world, msd_object item, int32_t index);

/* Returns the number of objects that are not destroyed. */
MSD_API int32_t msd_world_get_live_count(const msd_world *world, msd_object item);

/* New indices after compaction: to[item][old] is the new index, -1 for a destroyed object. Each array has one
   element per object, destroyed ones included, or is NULL. */
typedef struct msd_index_moves {
  int32_t *to[MSD_OBJECT_COUNT];
} msd_index_moves;

/* Closes all gaps: remaining objects keep their order, move to the lowest indices, and memory is released.
   `moves` may be NULL; it receives the new indices. Does nothing if no object was destroyed.

   Afterwards the world behaves as if only the remaining objects had ever been added, in their current
   positions and rest shapes. It then steps bitwise identically to such a world, provided both have:
   - the same settings, time, number of substeps, positions, velocities and angles;
   - the same state that is carried between frames: velocities of soft pins, warm-start impulses, energy
     account.

   Three things remain from before: damage and plastic strain, the masses of split particles, and the
   reference sizes of rest shapes.

   The next frame compiles the layout and computes limits and contacts again. Views, states
   (msd_world_save_state) and indices from before are invalid. O(everything). Returns MSD_OUT_OF_MEMORY, with
   nothing changed, if memory runs out. */
MSD_API msd_result msd_world_compact(msd_world *world, const msd_index_moves *moves);

#ifdef __cplusplus
}
#endif

#endif

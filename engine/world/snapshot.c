/* A world as bytes, and back.

   Layout: a header (snapshot_header.h), then arrays without gaps, in the order of the indices
   (snapshot_contents.h). Numbers are stored as they are in memory: a snapshot is for the same precision and
   byte order, and says which. The order of the springs is kept, broken ones included, so the network compiled
   from it has the same rows and gives the same bits. */

#include "engine/world/snapshot.h"

#include "engine/base/float_environment.h"
#include "engine/world/snapshot_contents.h"
#include "engine/world/snapshot_sum.h"
#include "engine/world/world.h"

static uint64_t checksum_of(const void *bytes, size_t size) {
  snapshot_sum sum = snapshot_sum_begin();
  snapshot_sum_add(&sum, (const unsigned char *)bytes + SNAPSHOT_SUMMED_FROM, size - SNAPSHOT_SUMMED_FROM);
  return snapshot_sum_end(&sum);
}

/* Of each triangle and segment of a surface. There may be more: all may intersect all. */
enum { TANGLES_EXPECTED = 4 };

size_t msd_world_get_save_bound(const msd_world *world) {
  if (!world)
    return 0;
  snapshot_header h = snapshot_header_of(world);
  h.moves = h.particles;
  h.rest_moves = h.springs;
  h.forced = h.ordered = 1;
  h.impulses = h.springs;
  h.constraint_impulses = h.constraints;
  const int64_t pairs = TANGLES_EXPECTED * ((int64_t)h.surface_triangles + h.surface_segments);
  h.tangled_pairs = h.tangled_pairs > pairs ? h.tangled_pairs
                    : pairs < INT32_MAX     ? (int32_t)pairs
                                            : INT32_MAX;
  h.pinched = pairs;
  h.look = h.surfaces > 0 ? lookout_snapshot_most(h.particles) : h.look;
  h.sleep = h.sleep_speed > 0 ? (sleep_snapshot){h.particles, h.particles} : h.sleep;
  const uint64_t size = snapshot_size(&h);
  return size < SIZE_MAX ? (size_t)size : SIZE_MAX;
}

msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size) {
  if (!world || !size || world->part.is_open)
    return MSD_BAD_VALUE;
  if (!world_is_open(world))
    return MSD_BUSY;
  snapshot_header h = snapshot_header_of(world);
  h.size = snapshot_size(&h);
  if (h.size > SIZE_MAX)
    return MSD_TOO_LARGE;
  *size = (size_t)h.size;
  if (!buffer)
    return MSD_OK;
  if (capacity < *size)
    return MSD_BUFFER_TOO_SMALL;
  snapshot_contents_put((unsigned char *)buffer + sizeof h, &h, world);
  memcpy(buffer, &h, sizeof h);
  h.checksum = checksum_of(buffer, *size);
  memcpy(buffer, &h, sizeof h);
  return MSD_OK;
}

msd_result msd_world_restore(msd_world *world, const void *buffer, size_t size) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  if (!buffer || world->part.is_open)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot is NULL, or the world a part of one");
  snapshot_header h;
  msd_result result = snapshot_read_header(world, buffer, size, &h);
  if (result == MSD_OK)
    result = snapshot_check_header(world, &h, checksum_of(buffer, size));
  if (result != MSD_OK)
    return result;
  snapshot_contents c = {0};
  result = snapshot_contents_get(world, &c, &h, (const unsigned char *)buffer + sizeof h);
  if (result == MSD_OK)
    snapshot_take_over(world, &h, &c);
  return result;
}

/* Saves a world as bytes and restores it.

   Layout: a header (snapshot_header.h), then contiguous arrays in the order of the indices
   (snapshot_contents.h). Numbers are stored as in memory, so a snapshot requires the same precision and byte
   order, which the header specifies. The order of the springs is kept, including broken ones. So the compiled
   network has the same rows, and a restored world continues bit for bit. */

#include "engine/world/snapshot.h"

#include "engine/base/float_environment.h"
#include "engine/world/snapshot_checksum.h"
#include "engine/world/snapshot_contents.h"
#include "engine/world/world.h"

static uint64_t checksum_of(const void *bytes, size_t size) {
  snapshot_checksum sum = snapshot_checksum_begin();
  snapshot_checksum_add(&sum, (const unsigned char *)bytes + SNAPSHOT_SUMMED_FROM,
                        size - SNAPSHOT_SUMMED_FROM);
  return snapshot_checksum_end(&sum);
}

/* Expected penetrations per mesh element. The actual number is not bounded, because all elements can
   intersect each other. */
enum { PENETRATIONS_EXPECTED = 4 };

size_t msd_world_get_save_bound(const msd_world *world) {
  if (!world)
    return 0;
  snapshot_header h = snapshot_header_of(world);
  h.moves = h.particles;
  h.rest_moves = h.springs;
  h.forced = h.ordered = 1;
  h.impulses = h.springs;
  h.constraint_impulses = h.constraints;
  const int64_t pairs = PENETRATIONS_EXPECTED * ((int64_t)h.surface_triangles + h.surface_segments);
  h.penetrating_pairs = h.penetrating_pairs > pairs ? h.penetrating_pairs
                        : pairs < INT32_MAX         ? (int32_t)pairs
                                                    : INT32_MAX;
  h.forced_count = pairs;
  h.contact_cache = h.surfaces > 0 ? contact_cache_snapshot_most(h.particles) : h.contact_cache;
  h.sleep = h.sleep_speed > 0 ? (sleep_snapshot){h.particles, h.particles} : h.sleep;
  const uint64_t size = snapshot_size(&h);
  return size < SIZE_MAX ? (size_t)size : SIZE_MAX;
}

msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size) {
  if (!world || !size || world->part.is_open)
    return MSD_BAD_VALUE;
  if (!world_is_open(world))
    return MSD_LOCKED;
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
    return fail_locked(world);
  if (!buffer || world->part.is_open)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot is NULL, or the world is divided among ranks");
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

#include "engine/world/subdomain_stream.h"

#include "engine/step/rank_step.h"
#include "engine/world/world.h"

#include <string.h>

void subdomain_stream_close(subdomain_stream *s, memory *m) {
  for (int rank = 1; s->routes && rank < s->ranks->count; rank++)
    if (s->routes[rank])
      s->ranks->close(s->routes[rank], s->ranks->context);
  memory_release(m, s->routes);
  memory_release(m, s->give);
}

bool subdomain_stream_open(subdomain_stream *s, memory *m) {
  const size_t bytes = (size_t)s->ranks->count * sizeof *s->routes;
  s->routes = memory_allocate(m, bytes);
  s->give = memory_allocate(m, 2 * SUBDOMAIN_STREAM_BYTES);
  if (rank_on_any(s->ranks, !s->routes || !s->give)) {
    memory_release(m, s->routes);
    s->routes = NULL;
    return false;
  }
  bool is_open = true;
  s->take = s->give + SUBDOMAIN_STREAM_BYTES;
  memset(s->give, 0, SUBDOMAIN_STREAM_BYTES);
  s->routes[0] = NULL;
  for (int rank = 1; rank < s->ranks->count; rank++) {
    const msd_halo_message from = {rank, 0};
    const msd_route route = {SUBDOMAIN_STREAM_BYTES, s->ranks->rank == rank, s->ranks->rank == 0, &from};
    s->routes[rank] = s->ranks->open(&route, s->ranks->context);
    is_open = is_open && s->routes[rank];
  }
  return !rank_on_any(s->ranks, !is_open);
}

bool subdomain_send(const subdomain_stream *s, int rank, const unsigned char *bytes, size_t size) {
  const msd_ranks *ranks = s->ranks;
  const bool is_from_here = ranks->rank == rank;
  double most = is_from_here ? (double)size : 0;
  if (ranks->count > 1)
    ranks->largest(&most, 1, ranks->context);
  for (size_t done = 0; done < (size_t)most; done += SUBDOMAIN_STREAM_BYTES) {
    const size_t left = (size_t)most - done,
                 count = left < SUBDOMAIN_STREAM_BYTES ? left : SUBDOMAIN_STREAM_BYTES;
    if (is_from_here)
      memcpy(rank == 0 ? s->take : s->give, bytes + done, count);
    if (rank > 0) {
      ranks->begin(s->routes[rank], s->give, s->take, ranks->context);
      ranks->end(s->routes[rank], s->give, s->take, ranks->context);
    }
    if (ranks->rank == 0)
      s->write(s->take, count, s->context);
  }
  return most > 0;
}

/* Sends everything that one rank has. */
static void send_all(const subdomain_stream *s, int rank, unsigned char *bytes, msd_give_function give,
                     void *context) {
  bool goes_on = true;
  while (goes_on) {
    const size_t size = s->ranks->rank == rank ? give(bytes, SUBDOMAIN_STREAM_BYTES, context) : 0;
    goes_on = subdomain_send(s, rank, bytes, size < SUBDOMAIN_STREAM_BYTES ? size : SUBDOMAIN_STREAM_BYTES);
  }
}

msd_result msd_world_gather_text(msd_world *world, msd_give_function give, void *give_context,
                                 msd_write_function write, void *write_context) {
  if (!world_is_open(world))
    return fail_locked(world);
  const msd_ranks *ranks = &world->part.ranks;
  if (!world->part.is_open || !give || (!write && ranks->rank == 0))
    return world_fail(world, MSD_BAD_VALUE, "the world is not divided among ranks, or a function is missing");
  memory *m = &world->model.memory;
  subdomain_stream s = {.ranks = ranks, .write = write, .context = write_context};
  unsigned char *bytes = memory_allocate(m, SUBDOMAIN_STREAM_BYTES);
  msd_result result = MSD_OK;
  if (!rank_on_any(ranks, !bytes) && subdomain_stream_open(&s, m)) {
    for (int rank = 0; rank < ranks->count; rank++)
      send_all(&s, rank, bytes, give, give_context);
  } else {
    result = world_fail(world, MSD_OUT_OF_MEMORY, "no memory to gather the ranks' particles");
  }
  subdomain_stream_close(&s, m);
  memory_release(m, bytes);
  return result;
}

/* Partition of a network among processes (ranks), and the halo that each of them receives.

   Each rank owns some chunks, a strip of them or what a partitioner assigned. Rings surround them. Each ring
   reaches as far as springs and all other couplings reach from the ring inside it:

       | ring 2 | ring 1 |  own chunks  | ring 1 | ring 2 |

   With the state of two rings, the first substep advances the own chunks and ring 1, and the second one the
   own chunks only. Then the rings are exchanged again. Chunks of a ring are advanced by their owner too:
   redundant work replaces a message. The work is the same on the same compiled network, so results do not
   depend on the partition. If a substep has several stages that each reach further, it consumes that many
   rings; the results in these rings are invalid and are not read.

   An exchange consists of messages, one for each chunk, with its state and additional data. A rank sends
   those of its chunks that lie in rings of other ranks, in ascending order, so every rank can compute the
   index of each message. */
#ifndef MSD_ENGINE_STEP_PARTITION_H
#define MSD_ENGINE_STEP_PARTITION_H

#include "engine/base/intervals.h"
#include "engine/network/chunk_graph.h"

/* Chunks that a rank sends to others and receives from them. */
typedef struct halo_route {
  msd_halo_message *from;
  int32_t *give, *take;
  int32_t give_count, take_count;
  /* Result of the transport's `open`; NULL: not open. */
  void *handle;
} halo_route;

/* Input of the partition. */
typedef struct partition_input {
  const network *net;
  /* Couplings other than springs. */
  const chunk_joint *joints;
  int joint_count;
  /* Rings that a substep consumes, 1 to MSD_RANKS_DEPTH_MAX. */
  int reach;
  /* Additional reals per chunk, besides its state. */
  size_t beside;
} partition_input;

typedef struct partition {
  /* True if the partition exists on all ranks; false if memory ran out on any of them. */
  bool are_made;
  int32_t chunk_count;
  /* Number of rings, and rings that a substep consumes. One exchange serves depth / reach substeps. */
  int depth, reach;
  /* Owner of each chunk, and its ring: 0 for own chunks, MSD_RANKS_DEPTH_MAX + 1 outside the rings. */
  int32_t *rank_of, *ring;
  /* Size of a message in reals: PARTITION_PARCEL plus the additional data of a chunk. */
  size_t parcel;
  /* within[n]: chunks up to ring n, for n below depth. `inner`: own chunks that depend on no other owner.
     outer[n]: within[n] without `inner`. */
  span_list within[MSD_RANKS_DEPTH_MAX], outer[MSD_RANKS_DEPTH_MAX], inner;
  /* Routes for the rings, and for all chunks of other owners. */
  halo_route rings, whole;
  /* Message buffers for the larger of the two routes. */
  msd_real *give, *take;
  /* The ranks that opened the routes. */
  msd_ranks ranks;
} partition;

/* Size of the state in a message, in reals: the six components of a chunk, one after the other. */
enum { PARTITION_PARCEL = 6 * NETWORK_CHUNK };

/* Partitions a network among ranks; all ranks call it. If it fails on some rank, are_made is false on all of
   them. */
void partition_make(partition *s, memory *m, const partition_input *demand, const msd_ranks *ranks);

void partition_free(partition *s, memory *m);

/* Copies `count` components, `stride` elements apart, of the chunks of a route to or from its messages.
   `slots` is the number of slots of the network. */
void partition_pack(const partition *s, const halo_route *route, const msd_real *components, size_t stride,
                    size_t slots, int count);
void partition_unpack(const partition *s, const halo_route *route, msd_real *components, size_t stride,
                      size_t slots, int count);

/* Message of the nth chunk that a route sends or receives. */
static inline msd_real *partition_outgoing(const partition *s, int32_t n) {
  return s->give + (size_t)n * s->parcel;
}

static inline msd_real *partition_incoming(const partition *s, int32_t n) {
  return s->take + (size_t)n * s->parcel;
}

/* Ring of the chunk that contains a slot. */
static inline int32_t partition_ring_at(const partition *s, size_t slot) {
  return s->ring[slot / NETWORK_CHUNK];
}

/* Strips of nearly equal cost, computed without communication. */
void partition_in_strips(const chunk_graph *graph, int ranks, int32_t *rank_of);

/* Computes the ring of each chunk around those of a rank. `queue` is scratch memory for one entry per
   chunk. */
void partition_rings(const chunk_graph *graph, const int32_t *rank_of, int rank, int depth, int32_t *ring,
                     int32_t *queue);

#endif

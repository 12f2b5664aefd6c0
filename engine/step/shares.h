/* Which chunks of a network each of several processes takes, and what it gets of the others'.

   Each rank owns some chunks: a strip of them, or what a partitioner has given it. Around these lie rings, each
   as far as springs, and all else that joins particles, reach from the one inside it:

       | ring 2 | ring 1 |  own chunks  | ring 1 | ring 2 |

   When it has the state of two rings, the first substep takes the own chunks and ring 1, and the second the own
   chunks alone; then the rings are exchanged again. What is in a ring is taken by its owner too: work done
   twice instead of a message. It is the same work, on the same compiled network, so that no bit depends on who
   owns what. Where a substep has several parts that reach further one after the other, it goes through as many
   rings: what it makes of the outermost of those that it begins with is not known to be right, and read no
   more.

   An exchange goes by parcels, the state of a chunk each and what goes with it: a rank gives those of its
   chunks that lie in some other's rings, in ascending order, and everyone can count which number each has. */
#ifndef MSD_ENGINE_STEP_SHARES_H
#define MSD_ENGINE_STEP_SHARES_H

#include "engine/base/spans.h"
#include "engine/network/chunk_graph.h"

/* What is given to others and taken from them, as chunks. */
typedef struct share_route {
  msd_parcel *from;
  int32_t *give, *take;
  int32_t give_count, take_count;
  /* Of the rank's `open`; NULL: not opened. */
  void *handle;
} share_route;

/* What is shared. */
typedef struct share_demand {
  const network *net;
  /* What joins particles beside springs. */
  const chunk_joint *joints;
  int joint_count;
  /* Rings that a substep goes through, 1 to MSD_RANKS_DEPTH_MAX. */
  int reach;
  /* Reals that go with each chunk beside its state. */
  size_t beside;
} share_demand;

typedef struct shares {
  /* Whether there are shares, on all ranks; without memory on one of them there are none. */
  bool are_made;
  int32_t chunk_count;
  /* Rings; and of those the ones that a substep goes through, so that depth / reach substeps need one
     exchange. */
  int depth, reach;
  /* The owner of each chunk, and its ring: 0 of those of this rank, MSD_RANKS_DEPTH_MAX + 1 of all that lie
     outside of the rings. */
  int32_t *rank_of, *ring;
  /* Reals of a parcel: SHARE_PARCEL, and then what goes with a chunk beside its state. */
  size_t parcel;
  /* within[n]: up to ring n, n below depth. Of these `inner` are own chunks that reach no others, and outer[n]
     the rest. */
  span_list within[MSD_RANKS_DEPTH_MAX], outer[MSD_RANKS_DEPTH_MAX], inner;
  /* Of the rings, and of all that others own. */
  share_route rings, whole;
  /* Parcels for the larger one. */
  msd_real *give, *take;
  /* How these ranks close routes. */
  msd_ranks ranks;
} shares;

/* Reals of the state in a parcel: the six components of a chunk, one after the other. */
enum { SHARE_PARCEL = 6 * NETWORK_CHUNK };

/* Shares a network among ranks, on all of them at once. Without memory on some rank nothing is made, and
   are_made stays false on all. */
void shares_make(shares *s, memory *m, const share_demand *demand, const msd_ranks *ranks);

void shares_free(shares *s, memory *m);

/* Copies `count` components, with a stride, of the chunks that a route gives into parcels; and of those that
   it takes out of them. There are so many slots. */
void shares_pack(const shares *s, const share_route *route, const msd_real *components, size_t stride,
                 size_t slots, int count);
void shares_unpack(const shares *s, const share_route *route, msd_real *components, size_t stride,
                   size_t slots, int count);

/* The parcel of the nth chunk that a route gives, or takes. */
static inline msd_real *share_given(const shares *s, int32_t n) {
  return s->give + (size_t)n * s->parcel;
}

static inline msd_real *share_taken(const shares *s, int32_t n) {
  return s->take + (size_t)n * s->parcel;
}

/* How far the chunk is in which a particle stands, as `ring` has it. */
static inline int32_t share_ring_at(const shares *s, size_t slot) {
  return s->ring[slot / NETWORK_CHUNK];
}

/* Strips of about the same cost, without asking anybody. */
void shares_in_strips(const chunk_graph *graph, int ranks, int32_t *rank_of);

/* Fills in the ring of each chunk around those of a rank. `queue` is a number for each chunk to work in. */
void shares_rings(const chunk_graph *graph, const int32_t *rank_of, int rank, int depth, int32_t *ring,
                  int32_t *queue);

#endif

/* The network compiler: converts a list of springs into rows that a substep can stream through.

   Particles are processed in groups of 16 neighbors, at any vector width.

   Contiguous rows. In a cloth, a rope or a block most springs connect i to i+d for a few offsets d. Where one
   d occurs for at least 12 particles of a group, the group gets a row: no indices, contiguous loads.

       particles   i0 i0+1 ... i0+15         group of i0
                    |   |        |           one row of offset d, lanes in order;
       partners   +d   +d       +d           a lane without a spring has rest length -1

   The numbers of those springs (rest, stiffness, damping) are stored once, in the lanes of a diagonal block
   (run): consecutive groups with the same d. Each spring is used at both ends: at its lower end i by an *up*
   row (partner i+d, lane of i), at its upper end j by a *down* row (partner j-d, lane of j-d). The down row
   of a group is an unaligned view of the same lanes, so each block has 16 empty lanes on both sides.

       block of d  . . . . | i0 ............................. | . . . .     lanes
       up rows             [ group ][ group ][ group ]
       down rows        [ group ][ group ][ group ][ group ]                 shifted by d modulo 16

   Indexed rows. The other springs are stored at both ends: row r of a group has the r-th such spring of each
   of its 16 particles, with the partner. The partner is a distance from the particle in two bytes, since the
   particle order keeps partners near, or an index if some are not.

   Overflow rows (tails). A hub may have thousands of springs while its 15 neighbors have ten, and rows for it
   alone would be nearly empty. The rows of a group end where fewer than 4 of their lanes would have a spring,
   if that leaves some particle with at least 32 more springs. The remaining springs of a particle form its
   overflow row: consecutive lanes, which are evaluated as vectors and then subtracted one by one.

   One-sided springs (tension-only and compression-only) have diagonal blocks of their own, so that all
   springs of a block have the same mode.

   Pinned rows. A one-sided spring with a pinned end moves its other end alone, and is stored there alone. A
   pinned row serves a group whose springs all go to one pin, or to pins at the same distance in the particle
   order, as those of the upper border of a cloth do. At least 4 of its 16 lanes have a spring. Neither kind
   needs indices, and no force is stored at the pin.

       group   i0 i0+1 ... i0+15        i0 i0+1 ... i0+15
                 \   |     /              |    |        |
       pins         pin                  +s   +s       +s

   The other one-sided springs at pins are in indexed rows at their free end. So pinning or unpinning requires
   a new compilation if there are one-sided springs; the same springs stay appended, and particles keep their
   slots.

   Coefficient classes (materials). A block, a pinned row, and the indexed springs as a whole have lanes of
   stiffness and damping only if these differ among their springs. Indexed springs, which are stored twice,
   then use a palette first: a table of up to 256 pairs of the two, and a byte for each lane. With more pairs
   they get lanes; damping lanes only if damping differs too. The lanes of a spring are not stored. They
   follow from its ends, which determine the groups, and from its row index at each of them, which takes half
   a byte in most networks.

   Appended springs. Springs added to a network in use are appended (network_append). An appended spring is
   always indexed, even if it would fit into a diagonal block. It gets the next lane of its end in the indexed
   rows of the group. If that end has none left, the rows of the group move to the end of the lanes, with
   another row. In a group with overflow rows, or with very many rows, it gets a lane of an overflow row,
   which is created, or moves in the same manner with twice the capacity. The old lanes stay empty. Blocks,
   pinned rows and other groups do not change, so the cost is proportional to what is added, and arrays grow
   by half. A later compilation with the same springs appended may assign other lanes, but gives bitwise
   identical results, since the order below is the same.

   Segments. The same diagonal blocks, cut at chunks of 256 particles, for the traversal that evaluates each
   contiguous spring once, from its lower end.

   Canonical order. The force on a particle is (up + down), then its pinned rows one by one, then its indexed
   springs. Up rows come in descending partner, down rows in ascending partner (between the same two particles
   a two-sided spring before a tension-only one, before a compression-only one). Pinned rows to one pin come
   in ascending pin, then the others in ascending pin minus particle (tension-only before compression-only).
   Indexed springs come in the order of their indices, those of the overflow row last. A spring evaluated from
   either end gives exactly opposite vectors, since negation is exact in IEEE arithmetic. So threads need no
   synchronization, and results do not depend on threads or vector width. */
#ifndef MSD_ENGINE_NETWORK_NETWORK_H
#define MSD_ENGINE_NETWORK_NETWORK_H

#include "engine/base/memory.h"

/* The network uses NETWORK_SIDE_BITS of the bytes with an msd_spring_mode. NETWORK_ABSENT marks a spring that
   is not laid out: it is excluded from the spring counts below, has no place, and has no coefficients. */
enum {
  NETWORK_GROUP = 16,
  NETWORK_ROW_LANES_MIN = 12,
  NETWORK_CHUNK_GROUPS = 16,
  NETWORK_CHUNK = NETWORK_CHUNK_GROUPS * NETWORK_GROUP,
  NETWORK_SIDE_BITS = 3,
  NETWORK_ABSENT = 0x40
};

/* The common stiffness and damping of a class of springs: a diagonal block, a pinned row, or all indexed
   springs. A uniform class has no lanes of stiffness and damping, or does not read them. */
typedef struct coefficient_class {
  /* If false, `damping` is the damping of all lanes of a class without damping lanes. */
  bool uniform;
  /* True if some spring of the class has coefficients. */
  bool is_known;
  msd_real stiffness, damping;
} coefficient_class;

/* Stiffness and damping by lane; NULL while no class needs them. Indexed lanes have damping only if it
   differs among their springs. */
typedef struct network_tuning {
  msd_real *stiffness, *damping;
} network_tuning;

enum { NETWORK_PALETTE_MAX = 256, NETWORK_PAIR = 8 };

/* Stiffness and damping of the indexed lanes as indices into a table of pairs; not used if `pair` is NULL. */
typedef struct coefficient_palette {
  /* The pair index of each indexed lane. */
  uint8_t *pair;
  /* NETWORK_PAIR reals each: stiffness, damping, and zeros. */
  msd_real *pairs;
  /* A hash table of pair indices; -1: free. */
  int16_t *places;
  /* The number of pairs in the table, and its capacity. */
  int count, room;
} coefficient_palette;

/* The stiffness and damping of a lane. */
static inline const msd_real *network_palette_at(const coefficient_palette *p, int32_t lane) {
  return p->pairs + p->pair[lane] * NETWORK_PAIR;
}

/* 1 for a tension-only spring, -1 for a compression-only spring, 0 for a two-sided one. A one-sided spring
   acts where both its error C = length - rest and its tension k C + mu C' have this sign. */
static inline msd_real network_side(uint8_t spring_side) {
  const int side = spring_side & NETWORK_SIDE_BITS;
  return side == MSD_SPRING_TENSION_ONLY ? 1 : side == MSD_SPRING_COMPRESSION_ONLY ? -1 : 0;
}

/* A diagonal block: consecutive groups with springs from i to i + offset. */
typedef struct dia_block {
  int32_t offset;
  int32_t first_group, last_group;
  /* The lane of the first particle of the first group. */
  int32_t lane;
  /* The network_side of all its springs. */
  msd_real side;
  coefficient_class material;
} dia_block;

/* The intersection of a diagonal block with a chunk. */
typedef struct dia_segment {
  int32_t run;
  int32_t first_group, last_group;
} dia_segment;

typedef struct dia_row {
  int32_t run;
  /* Partner minus particle: +d in up rows, -d in down rows. */
  int32_t shift;
  /* The lane of the group's first particle. */
  int32_t lane;
} dia_row;

/* Pinned row r of a network has NETWORK_GROUP lanes from held_lane + r * NETWORK_GROUP on. */
typedef struct network_held_row {
  /* The pin of all its springs; -1: the pin of particle i is i + shift. */
  int32_t pin;
  int32_t shift;
  /* 1 or -1. */
  msd_real side;
  coefficient_class material;
} network_held_row;

/* The overflow row of one particle: indexed lanes, in multiples of NETWORK_GROUP. */
typedef struct overflow_row {
  int32_t particle;
  int32_t first, end;
} overflow_row;

/* The first rows of a group. Except for indexed rows they end where those of the next group begin. */
typedef struct network_group {
  /* Indices into rows. */
  int32_t up, down;
  /* Index into held_rows. */
  int32_t held;
  /* Indices of indexed rows: the first, and the end. */
  int32_t indexed, indexed_end;
} network_group;

/* The location of a spring: an indexed spring has a lane at each end, others only `a`. Classes are numbered:
   diagonal blocks, pinned rows, indexed springs. */
typedef struct network_place {
  /* The lanes; -1: none. */
  int32_t a, b;
  int32_t part;
} network_place;

typedef struct network {
  /* As in the source. */
  int32_t particle_count;
  int32_t group_count;
  /* group_count + 1 entries. */
  network_group *groups;
  dia_row *rows;
  int32_t row_count;
  /* Sorted by descending offset, then ascending group. */
  dia_block *runs;
  int32_t run_count;
  int32_t chunk_count;
  /* chunk_count + 1 entries: the first segment of each chunk. */
  int32_t *chunk_segments;
  /* By chunk, then by descending offset, then by ascending group. */
  dia_segment *segments;
  /* Over all diagonal blocks. */
  int32_t largest_offset;
  /* The largest index distance of two particles coupled by a diagonal block, an indexed row or an overflow
     row; pinned rows excluded. */
  int32_t reach;

  /* True if some spring is one-sided; otherwise substeps ignore modes. */
  bool one_sided;
  network_held_row *held_rows;
  int32_t held_row_count;

  /* Sorted by particle. */
  overflow_row *tails;
  int32_t tail_count;
  /* group_count + 1 entries: the first overflow row of each group. NULL: none. */
  int32_t *group_tails;

  /* The rest length in each lane: diagonal blocks, pinned rows, indexed rows, overflow rows. */
  msd_real *rest;
  /* The number of lanes of all four, and of the last two. */
  int32_t lane_count, indexed_count;
  /* The first lane of the pinned rows. */
  int32_t held_lane;
  /* The first lane of the indexed rows; with the overflow rows they are the indexed lanes. */
  int32_t indexed_lane;
  /* For the lanes before indexed_lane. */
  network_tuning streamed;
  /* For the indexed lanes, numbered from 0. */
  network_tuning indexed;
  /* Replaces the indexed coefficients as long as it is large enough. */
  coefficient_palette palette;
  coefficient_class indexed_material;
  /* The partner in each indexed lane, or the particle itself if there is no spring: in `near` relative to the
     particle (or its slot, after the last particle), in `partner` absolute. One of them is NULL: `partner`,
     unless some indexed spring reaches too far. */
  int16_t *near;
  int32_t *partner;
  /* The network_side of each indexed lane; NULL: all are 0. */
  msd_real *sides;

  /* Two row indices for each spring, packed, from which network_place_of computes its lanes: its row within
     the group at end a, and at end b. */
  void *ranks;
  /* Bits per row index: 4, 8, 16 or 32. */
  int rank_bits;
  /* The number of springs of the source, and of those that are laid out. */
  int32_t spring_count, laid_count;
  /* Springs in contiguous or pinned rows. */
  int32_t contiguous_count;

  /* By slot, 0 after the last particle; the world fills it in. */
  msd_real *inverse_mass;

  /* Capacities of the arrays that grow when springs are appended. */
  int32_t group_room, chunk_room, tail_room, lane_room, indexed_room, spring_room;

  /* Compilation was abandoned because the particle order would make it slow. */
  bool was_rejected;
} network;

/* The partner in an indexed lane of a particle, or of a slot after the last one. */
static inline int32_t network_partner(const network *n, int32_t particle, int32_t lane) {
  return n->near ? particle + n->near[lane] : n->partner[lane];
}

/* With `near`, the partner must be within its range. */
static inline void network_put_partner(network *n, int32_t particle, int32_t lane, int32_t partner) {
  if (n->near)
    n->near[lane] = (int16_t)(partner - particle);
  else
    n->partner[lane] = partner;
}

/* The first overflow row of a group; they end where those of the next group begin. */
static inline int32_t network_first_tail(const network *n, int32_t group) {
  return n->group_tails ? n->group_tails[group] : 0;
}

/* The input of the compiler: springs between particles. */
typedef struct network_source {
  int32_t particle_count, spring_count;
  /* The ends of each spring: different, below particle_count. */
  const int32_t *a, *b;
  /* Rest lengths; negative for a broken spring, which keeps its lane. */
  const msd_real *rest;
  /* The msd_spring_mode of each spring; NULL: all are two-sided and laid out. */
  const uint8_t *side;
  /* Per particle, 0 for pins; required only with `side`. */
  const msd_real *inverse_mass;
  /* Particle i is in slot[i]; NULL: in slot i. */
  const int32_t *slot;
  /* The number of last springs that are appended. */
  int32_t late;
  /* Compilation is abandoned if network_contiguous_share would be below this; 0: never. */
  double contiguous_min;
} network_source;

static inline bool network_leaves_out(const network_source *s, int32_t spring) {
  return s->side && s->side[spring] & NETWORK_ABSENT;
}

/* The number of springs that are not appended. */
static inline int32_t network_early(const network_source *s) {
  return s->spring_count - s->late;
}

/* Returns whether a spring is one-sided with a pinned end; and the particle at its other end. Between two
   pins `a` counts as the free end. */
static inline bool network_is_held(const network_source *s, int32_t spring) {
  return s->side && (s->side[spring] & NETWORK_SIDE_BITS) != MSD_SPRING_BOTH &&
         (s->inverse_mass[s->a[spring]] == 0 || s->inverse_mass[s->b[spring]] == 0);
}

static inline int32_t network_free_end(const network_source *s, int32_t spring) {
  return s->inverse_mass[s->b[spring]] == 0 ? s->a[spring] : s->b[spring];
}

/* Compiles a network. Its particle indices are slots. Stiffness, damping and inverse masses are 0. Returns
   false, and leaves the network empty, if memory runs out or more than 2^31-1 lanes are needed. Below
   contiguous_min the network is empty too, and was_rejected is set. */
bool network_compile(network *n, memory *m, const network_source *source);

/* Appends the new particles and springs of a source that is otherwise the same as before: new particles take
   the slots after the last, and new springs are appended. Rest lengths are set, coefficients are not. Returns
   false, without a change, if memory runs out or more than 2^31-1 lanes are needed. */
bool network_append(network *n, memory *m, const network_source *source);

/* The fraction of the springs that need no indices, 0 to 1; 1 without springs. */
double network_contiguous_share(const network *n);

void network_free(network *n, memory *m);

/* The place of a spring. `source`, here and below: the input that the network was compiled from. */
network_place network_place_of(const network *n, const network_source *source, int32_t spring);

static inline const coefficient_class *network_material_of(const network *n, int32_t part) {
  if (part < n->run_count)
    return &n->runs[part].material;
  return part < n->run_count + n->held_row_count ? &n->held_rows[part - n->run_count].material
                                                 : &n->indexed_material;
}

/* Stiffness and damping in a lane of the class with that material. */
static inline coefficient_class network_tuning_at(const network *n, const coefficient_class *part,
                                                  int32_t lane) {
  if (part->uniform)
    return *part;
  const bool indexed = lane >= n->indexed_lane;
  const network_tuning *tuning = indexed ? &n->indexed : &n->streamed;
  const int32_t at = indexed ? lane - n->indexed_lane : lane;
  if (indexed && n->palette.pair) {
    const msd_real *pair = network_palette_at(&n->palette, at);
    return (coefficient_class){.stiffness = pair[0], .damping = pair[1]};
  }
  return (coefficient_class){.stiffness = tuning->stiffness[at],
                             .damping = tuning->damping ? tuning->damping[at] : part->damping};
}

/* The indexed lane, counted from 0, of the indexed spring with that row index at a particle. */
int32_t network_indexed_lane(const network *n, int32_t particle, int32_t rank);

/* Changes the rest length of one spring in place; negative if it breaks. Does nothing if the spring has no
   place. */
void network_set_rest(network *n, const network_source *source, int32_t spring, msd_real rest);

/* Clears all coefficient classes. Call it before the coefficients of all springs are set. */
void network_begin_tuning(network *n);

/* Changes stiffness and damping of one spring in place. Its class stays uniform if the values are equal;
   otherwise lanes are allocated. Returns false, without a change, if memory runs out. Springs that are broken
   or between two pins need no coefficients, and keep a class uniform. */
bool network_set_tuning(network *n, memory *m, const network_source *source, int32_t spring,
                        msd_real stiffness, msd_real damping);

/* The number of classes: diagonal blocks, pinned rows, and all indexed springs. */
int32_t network_part_count(const network *n);

/* Records the coefficients of a spring outside of the network, so that threads can divide the springs. Each
   thread has an array with a material per class, initially all zeros. Returns false if springs of a class
   differ. */
bool network_note_tuning(const network *n, const network_source *source, int32_t spring, msd_real stiffness,
                         msd_real damping, coefficient_class *of_parts);

/* Merges the records of a later range of springs. Returns false if springs of a class differ. */
bool network_join_tuning(const network *n, const coefficient_class *more, coefficient_class *of_parts);

/* Stores the recorded coefficients of all springs, after network_begin_tuning. */
void network_take_tuning(network *n, const coefficient_class *of_parts);

#endif

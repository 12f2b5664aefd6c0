/* The network compiler: from a list of springs to rows that a step can stream through.

   Particles are taken in groups of 16 neighbours, whatever the width of the vectors that will run.

   Contiguous rows. In a cloth, a rope or a block most springs join i to i+d for a few offsets d. Where one
   d holds for at least 12 particles of a group, the group gets a row: no indices, plain loads.

       particles   i0 i0+1 ... i0+15         group of i0
                    |   |        |           one row of offset d, lanes in order;
       partners   +d   +d       +d           a lane without a spring has rest length -1

   The numbers of those springs (rest, stiffness, damping) lie once in memory, in the lanes of the run that
   consecutive groups with the same d form. A spring is seen from both ends: from its lower end i as an *up*
   row (partner i+d, lane of i), from its upper end j as a *down* row (partner j-d, lane of j-d). The down
   row of a group is an unaligned window into the same lanes, so each run has 16 empty lanes on both sides.

       run of d    . . . . | i0 ............................. | . . . .     lanes
       up rows             [ group ][ group ][ group ]
       down rows        [ group ][ group ][ group ][ group ]                 shifted by d modulo 16

   Indexed rows. The other springs are stored at both their ends: row r of a group holds the r-th such spring
   of each of its 16 particles, with the partner: how far it is from the particle, in two bytes, as the order of
   the particles leaves partners near, or its index where some are not.

   Tails. A hub may have thousands of springs where its 15 neighbours have ten, and rows for it alone would be
   nearly empty. The rows of a group end where fewer than 4 of their lanes would have a spring, if that leaves
   some particle at least 32 springs more. What is left to a particle is its tail: lanes one after the other,
   which are evaluated as vectors and then subtracted one by one.

   One-sided springs, tethers and struts, have runs of their own, so that all springs of a run have one side.

   Held rows. A one-sided spring with a pinned end moves its other end alone, and is stored there alone. A held
   row serves a group whose springs go to one pin, or to pins that lie at one distance in the order of the
   particles, as those of the upper border of a cloth do; at least 4 of its 16 lanes have one. Neither kind has
   indices, and no force is stored at the pin.

       group   i0 i0+1 ... i0+15        i0 i0+1 ... i0+15
                 \   |     /              |    |        |
       pins         pin                  +s   +s       +s

   The other held springs are indexed rows at their free end. A network is therefore made anew when a pin is put
   or let go where there are one-sided springs, with the same springs late and particles in the same slots.

   Materials. A run, a held row, and the indexed springs as a whole have lanes of stiffness and damping only
   if their springs differ in them. Indexed springs, which are stored twice, then have a palette first: a
   table of up to 256 pairs of the two, and a byte for each lane; and where there are more pairs lanes of
   damping only if they differ in damping too. Where the lanes of a spring are is not stored but follows from
   its ends, which say the group, and from its row at each of them, which takes half a byte in most networks.

   Late springs. What is added to a network in use is appended to it (network_append): a late spring is always
   indexed, whatever run it would fit into. It gets the next lane of its end in the indexed rows of the group.
   Where that end has none left the rows of the group move to the end of the lanes, with another row. In a group
   with tails, or with very many rows, it gets a lane of a tail, which is made, or moves in the same way with
   twice the room. The lanes that are left stay empty. Runs, held rows and other groups stay as they are, so
   that it costs what is added, and the arrays grow by half. A network compiled anew with the same springs late
   may have them in other lanes and gives the same bits, as the order below is the same.

   Segments. The same runs, cut at chunks of 256 particles: what a step goes through that evaluates each
   contiguous spring once, from its lower end.

   Canonical order. The force on a particle is (up + down), then its held rows one by one, then its indexed
   springs: up rows in descending partner, down rows in ascending partner (between the same two particles a
   spring of both sides before a tether, before a strut); held rows to one pin in ascending pin, then the
   others in ascending pin minus particle (tethers before struts); indexed springs in the order of their
   indices, those of the tail last. A spring evaluated from either end gives exactly opposite vectors, since
   negation is exact in IEEE arithmetic. So threads and vector lanes never meet, and no bit depends on how
   many there are. */
#ifndef MSD_ENGINE_NETWORK_NETWORK_H
#define MSD_ENGINE_NETWORK_NETWORK_H

#include "engine/base/memory.h"

/* Of the bytes that hold an msd_spring_side the network reads NETWORK_SIDE_BITS, and NETWORK_ABSENT of a spring
   that is not laid out: it is none of the numbers of springs below, has no place, and cannot be tuned. */
enum {
  NETWORK_GROUP = 16,
  NETWORK_ROW_LANES_MIN = 12,
  NETWORK_CHUNK_GROUPS = 16,
  NETWORK_CHUNK = NETWORK_CHUNK_GROUPS * NETWORK_GROUP,
  NETWORK_SIDE_BITS = 3,
  NETWORK_ABSENT = 0x40
};

/* Whether the springs of a part, which is a run, a held row or all indexed springs, have one stiffness and
   damping, these: then they have no lanes of stiffness and damping, or such as are not read. */
typedef struct network_material {
  /* Otherwise `damping` is what the lanes have where a tuning has none of it. */
  bool uniform;
  /* Whether some spring of the part has been tuned. */
  bool is_known;
  msd_real stiffness, damping;
} network_material;

/* Stiffness and damping lane by lane; NULL while no part needs them. Indexed lanes have a damping only while
   their springs differ in it. */
typedef struct network_tuning {
  msd_real *stiffness, *damping;
} network_tuning;

enum { NETWORK_PALETTE_MAX = 256, NETWORK_PAIR = 8 };

/* Stiffness and damping of the indexed lanes as numbers of pairs in a table; without `pair` there is none. */
typedef struct network_palette {
  /* The number of the pair of each indexed lane. */
  uint8_t *pair;
  /* NETWORK_PAIR reals each: stiffness, damping, and zeros. */
  msd_real *pairs;
  /* A hash table of the numbers of pairs; -1: free. */
  int16_t *places;
  /* Pairs in the table, and room for them. */
  int count, room;
} network_palette;

/* Stiffness and damping, one behind the other. */
static inline const msd_real *network_palette_at(const network_palette *p, int32_t lane) {
  return p->pairs + p->pair[lane] * NETWORK_PAIR;
}

/* 1 of a tether, -1 of a strut, 0 of springs that pull and push: a one-sided spring acts where both its error
   C = length - rest and its pull k C + mu C' have this sign. */
static inline msd_real network_side(uint8_t spring_side) {
  const int side = spring_side & NETWORK_SIDE_BITS;
  return side == MSD_SPRING_TETHER ? 1 : side == MSD_SPRING_STRUT ? -1 : 0;
}

/* Consecutive groups whose particles i are joined to i + offset. */
typedef struct network_run {
  int32_t offset;
  int32_t first_group, last_group;
  /* The lane of the first particle of the first group. */
  int32_t lane;
  /* The network_side of all its springs. */
  msd_real side;
  network_material material;
} network_run;

/* The part of a run in one chunk. */
typedef struct network_segment {
  int32_t run;
  int32_t first_group, last_group;
} network_segment;

typedef struct network_row {
  int32_t run;
  /* Partner minus particle: +d in up rows, -d in down rows. */
  int32_t shift;
  /* The lane of the group's first particle. */
  int32_t lane;
} network_row;

/* Held row r of a network has the lanes held_lane + r * NETWORK_GROUP and on. */
typedef struct network_held_row {
  /* The pin of all its springs; -1: that of particle i is i + shift. */
  int32_t pin;
  int32_t shift;
  /* Not 0. */
  msd_real side;
  network_material material;
} network_held_row;

/* The last indexed springs of one particle: indexed lanes, a whole number of groups of them. */
typedef struct network_tail {
  int32_t particle;
  int32_t first, end;
} network_tail;

/* Where the rows of a group begin; but for the indexed ones they end where the next group's begin. */
typedef struct network_group {
  /* Indices into rows. */
  int32_t up, down;
  /* Index into held_rows. */
  int32_t held;
  /* Numbers of indexed rows: the first, and the one behind the last. */
  int32_t indexed, indexed_end;
} network_group;

/* Where a spring is: an indexed spring has a lane at each end, a contiguous or held spring only `a`. Parts are
   numbered: runs, held rows, indexed springs. */
typedef struct network_place {
  /* The lanes; -1: none. */
  int32_t a, b;
  int32_t part;
} network_place;

typedef struct network {
  /* Of the source. */
  int32_t particle_count;
  int32_t group_count;
  /* group_count + 1 of them. */
  network_group *groups;
  network_row *rows;
  int32_t row_count;
  /* Sorted by descending offset, then ascending group. */
  network_run *runs;
  int32_t run_count;
  int32_t chunk_count;
  /* chunk_count + 1 of them: where the segments of a chunk begin. */
  int32_t *chunk_segments;
  /* Chunk by chunk, sorted by descending offset, then ascending group. */
  network_segment *segments;
  /* Of all runs. */
  int32_t largest_offset;
  /* The largest distance of two particles that a run, an indexed row or a tail joins; not of held rows. */
  int32_t reach;

  /* Whether some spring is a tether or a strut; otherwise a step ignores sides. */
  bool one_sided;
  network_held_row *held_rows;
  int32_t held_row_count;

  /* Sorted by particle. */
  network_tail *tails;
  int32_t tail_count;
  /* group_count + 1 of them: where the tails of a group begin. NULL: there are none. */
  int32_t *group_tails;

  /* The rest length in each lane: those of the contiguous runs, the held rows, the indexed rows, the tails. */
  msd_real *rest;
  /* The number of lanes of all four, and of the last two. */
  int32_t lane_count, indexed_count;
  /* The first lane of the held rows. */
  int32_t held_lane;
  /* The first lane of the indexed rows, which with the tails are the indexed lanes. */
  int32_t indexed_lane;
  /* For the lanes before indexed_lane. */
  network_tuning streamed;
  /* For the indexed lanes, numbered from 0. */
  network_tuning indexed;
  /* Used for these instead, while it is large enough. */
  network_palette palette;
  network_material indexed_material;
  /* The partner in each indexed lane, the particle itself where there is none: in `near` less the particle, or
     for what is behind the last one its slot, and in `partner` as it is. One of them is NULL: `partner`, unless
     some indexed spring reaches too far. */
  int16_t *near;
  int32_t *partner;
  /* The network_side of each indexed lane; NULL: all are 0. */
  msd_real *sides;

  /* Two numbers of each spring, as small as all of them allow, from which network_place_of finds its lanes: its
     row at its end a, counted in the group, and that at b. */
  void *ranks;
  /* Bits of a rank: 4, 8, 16 or 32. */
  int rank_bits;
  /* Of the source, and those that are laid out. */
  int32_t spring_count, laid_count;
  /* Springs in contiguous or held rows. */
  int32_t contiguous_count;

  /* For the particle in each slot, 0 behind the last; filled by the world. */
  msd_real *inverse_mass;

  /* What there is memory for, of all that grows when something is appended. */
  int32_t group_room, chunk_room, tail_room, lane_room, indexed_room, spring_room;

  /* Abandoned, since the order of the particles would make it slow. */
  bool is_scattered;
} network;

/* The partner in an indexed lane of a particle, or of a slot behind the last one. */
static inline int32_t network_partner(const network *n, int32_t particle, int32_t lane) {
  return n->near ? particle + n->near[lane] : n->partner[lane];
}

/* It must not be too far where partners are near. */
static inline void network_put_partner(network *n, int32_t particle, int32_t lane, int32_t partner) {
  if (n->near)
    n->near[lane] = (int16_t)(partner - particle);
  else
    n->partner[lane] = partner;
}

/* The first tail of a group; they end where the next group's begin. */
static inline int32_t network_first_tail(const network *n, int32_t group) {
  return n->group_tails ? n->group_tails[group] : 0;
}

/* What a network is made of: springs between particles. */
typedef struct network_source {
  int32_t particle_count, spring_count;
  /* The ends of each spring: different, below particle_count. */
  const int32_t *a, *b;
  /* Rest lengths; negative for a broken spring, which keeps its place. */
  const msd_real *rest;
  /* The msd_spring_side of each spring; NULL: MSD_SPRING_BOTH, and all are laid out. */
  const uint8_t *side;
  /* Of each particle, 0 for pins; needed only with `side`. */
  const msd_real *inverse_mass;
  /* Particle i is in slot[i]; NULL: in i. */
  const int32_t *slot;
  /* The last so many springs are late. */
  int32_t late;
  /* Below this network_contiguous_share compiling is abandoned; 0: never. */
  double contiguous_min;
} network_source;

static inline bool network_leaves_out(const network_source *s, int32_t spring) {
  return s->side && s->side[spring] & NETWORK_ABSENT;
}

/* The springs before those that are late. */
static inline int32_t network_early(const network_source *s) {
  return s->spring_count - s->late;
}

/* Whether a spring is one-sided and has a pinned end; and then its other end, as an index of a particle.
   Between two pins `a` takes the part of the free end. */
static inline bool network_is_held(const network_source *s, int32_t spring) {
  return s->side && (s->side[spring] & NETWORK_SIDE_BITS) != MSD_SPRING_BOTH &&
         (s->inverse_mass[s->a[spring]] == 0 || s->inverse_mass[s->b[spring]] == 0);
}

static inline int32_t network_free_end(const network_source *s, int32_t spring) {
  return s->inverse_mass[s->b[spring]] == 0 ? s->a[spring] : s->b[spring];
}

/* All that the network calls a particle is a slot. Stiffness, damping and inverse masses start at 0. False,
   with the network empty, when there is no memory or it would need more than 2^31-1 lanes. Below
   contiguous_min the network is empty too, but for is_scattered. */
bool network_compile(network *n, memory *m, const network_source *source);

/* Brings a network to a source that has more particles and springs than the one that it is of, and is the same
   otherwise: the slots behind the last are the new particles', and the new springs are late. They get their
   rest lengths; they are not tuned. False when there is no memory or it would need more than 2^31-1 lanes, and
   then the network is what it was. */
bool network_append(network *n, memory *m, const network_source *source);

/* How much of the springs needs no indices, 0 to 1; 1 when there are none. */
double network_contiguous_share(const network *n);

void network_free(network *n, memory *m);

/* The place of one of its springs. `source` here and below: what the network was compiled from. */
network_place network_place_of(const network *n, const network_source *source, int32_t spring);

static inline const network_material *network_material_of(const network *n, int32_t part) {
  if (part < n->run_count)
    return &n->runs[part].material;
  return part < n->run_count + n->held_row_count ? &n->held_rows[part - n->run_count].material
                                                 : &n->indexed_material;
}

/* Stiffness and damping in a lane of the part with that material. */
static inline network_material network_tuning_at(const network *n, const network_material *part,
                                                 int32_t lane) {
  if (part->uniform)
    return *part;
  const bool indexed = lane >= n->indexed_lane;
  const network_tuning *tuning = indexed ? &n->indexed : &n->streamed;
  const int32_t at = indexed ? lane - n->indexed_lane : lane;
  if (indexed && n->palette.pair) {
    const msd_real *pair = network_palette_at(&n->palette, at);
    return (network_material){.stiffness = pair[0], .damping = pair[1]};
  }
  return (network_material){.stiffness = tuning->stiffness[at],
                            .damping = tuning->damping ? tuning->damping[at] : part->damping};
}

/* The indexed lane, numbered from 0, of the indexed spring of that rank at a particle. */
int32_t network_indexed_lane(const network *n, int32_t particle, int32_t rank);

/* Changes the rest length of one spring in place, to a negative one when it breaks; of one without a place it
   does nothing. */
void network_set_rest(network *n, const network_source *source, int32_t spring, msd_real rest);

/* To be called before all springs are tuned: what was known of the materials is forgotten. */
void network_begin_tuning(network *n);

/* Changes stiffness and damping of one spring in place. Its part stays uniform if that is what the part has;
   otherwise it gets lanes, which asks for memory: false, and nothing changed, when there is none. A spring that
   is broken or between two pins need not be tuned, and makes no part less uniform then. */
bool network_set_tuning(network *n, memory *m, const network_source *source, int32_t spring,
                        msd_real stiffness, msd_real damping);

/* How many parts there are: runs, held rows, and all indexed springs. */
int32_t network_part_count(const network *n);

/* Tunes a spring apart from the network, so that threads may share the springs: each has a material for each
   part, which begin as all zeros. False where springs of a part differ. */
bool network_note_tuning(const network *n, const network_source *source, int32_t spring, msd_real stiffness,
                         msd_real damping, network_material *of_parts);

/* Adds what was noted of springs that come behind those of `of_parts`. False where springs of a part differ. */
bool network_join_tuning(const network *n, const network_material *more, network_material *of_parts);

/* Behind network_begin_tuning: all springs have what was noted of them. */
void network_take_tuning(network *n, const network_material *of_parts);

#endif

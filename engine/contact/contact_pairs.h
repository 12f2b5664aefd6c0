/* Contact pairs: the pairs of the active set that may need a contact force, and the forces.

   The broad phase (broad_phase.h) lists candidate pairs once in a while, most of which are not near yet. A
   second, shorter motion bound selects from them: every particle stays within its skin R of X + V t. Let n
   be the witness of a pair, the direction between its closest points at t = 0. Its gap along n, less the
   largest R of A and of B, is g(0) at the beginning and g(T) at the end of that bound. If both are h or
   more, the pair stays at least h apart until T and is skipped.

   Otherwise the pair may push if its closest points are inside both primitives, or at ends of edges that
   edge_endpoints.h accepts: an edge within a surface is no bump. The witness and the weights of its corners
   (sum 0, at least 0 on A, at most 0 on B) are fixed for the duration of the motion bound. In a substep dt that
   has moved the particles to y = x + u, u = dt v, let D be the distance of the closest points along n, and

       C = D + n . sum of g u - e,       e = min(h, D + CONTACT_PUSH dt)

   A pair acts if C < 0. With G_j the sum of |g| over all pairs that act at particle j, and w inverse masses,

       m = 1/sum_j w_j |g_j| G_j                       J = -(1 - relaxation) m C
       F = J n - min(m |t|, mu J) t/|t|                t = s + the component of sum of g u across n
       x' = y + w sum of g F,                          v' = v + (x' - y)/dt

   Friction is a yielding spring: s is the tangential displacement since the pair stuck, the component across
   n of z - a, where z = sum of g x and a is the friction anchor. If s is longer than mu J/m of the last
   substep when a substep begins, the anchor is dragged along until it is that long (Cundall and Strack,
   1979). A pair that did not act has no s. If pins of the pair turn (msd_turn), a follows the change of z by
   their rotation; pins without a turn: by that of their triangle (self_contact_turn_anchors).

   The fractions |g_ej|/G_j sum to 1 at each particle, so by Cauchy-Schwarz

       m (sum_j |g_j||z_j|)^2 <= sum_j (|g_j|/G_j) m_j |z_j|^2.

   Hence the sum of 1/2 m min(0, C)^2 is convex, and in the norm of the masses its gradient changes at most
   as fast as the particles move; the same holds for 1/2 m |s|^2 up to the slip limit. The substep is x' = y
   - their gradient, so the sum of kinetic and contact energy never grows, however many pairs act
   (docs/theory/contact.md).

   g are the weights of the points of action. They begin as those of the closest points. The forces on A and B
   change angular momentum by z x F, with z = sum of g x. So where the line of F passes by more than h/4 beside
   one of the points, they are moved along triangles and edges, as far as these reach, until z is along F. They
   do not move where a side is held, or where the pair would cease to act.

   If the gap bound of a pair is not above 0, the pair also gets a separating plane (separation.h). */
#ifndef MSD_ENGINE_CONTACT_CONTACT_PAIRS_H
#define MSD_ENGINE_CONTACT_CONTACT_PAIRS_H

#include "engine/base/bits.h"
#include "engine/base/record.h"
#include "engine/contact/motion_bound.h"
#include "engine/contact/pair_index.h"
#include "engine/contact/particle_gather.h"
#include "engine/contact/particle_lists.h"
#include "engine/store/particle.h"

#include <stdatomic.h>

/* Components of a pair: n, g of each corner at the points of action, h and mu; m; the friction anchor and its
   slip limit; the weights of the closest points. */
enum {
  NEAR_NORMAL = 0,
  NEAR_WEIGHT = 3,
  NEAR_THICKNESS = 7,
  NEAR_FRICTION = 8,
  NEAR_MASS = 9,
  NEAR_ANCHOR = 10,
  NEAR_SLIP_LIMIT = 13,
  NEAR_CLOSEST = 14,
  NEAR_COMPONENTS = 18
};

/* Pairs are processed in groups of 16 at every vector width. */
enum { NEAR_GROUP = 16, FORCE_SIZE = 4 };

/* The tangential (friction) spring of a pair. `anchor` and `most`, the slip limit, are in m. If `most` is
   NEAR_STUCK_NEW, the anchor is not known yet and `anchor` contains s. If it is NEAR_FREE, the pair does not
   act and `anchor` is 0. */
typedef struct tangential_spring {
  msd_real anchor[3], most;
  /* kg: m when it was last computed. When m changes, s is scaled so that 1/2 m |s|^2 stays constant. If s
     only became shorter when m grows, a pair whose neighbors come and go would creep. */
  msd_real mass;
} tangential_spring;

#define NEAR_STUCK_NEW ((msd_real)-1)
#define NEAR_FREE      ((msd_real)-2)

/* Indices of G and w in a record. */
enum { NEAR_SHARING = RECORD_QUAD - 1, NEAR_INVERSE_MASS = RECORD_SIZE - 1 };

/* The components of a group of pairs; by corner, the offset of its particle's record. */
typedef struct near_group {
  msd_real at[NEAR_COMPONENTS][NEAR_GROUP];
  int32_t records[PAIR_CORNERS][NEAR_GROUP];
} near_group;

/* The last group is padded with empty pairs. */
typedef struct near_pairs {
  int32_t count;
  int32_t group_count, group_capacity;
  near_group *groups;
  /* Slots by corner and pair; and g of the points of action again, at PAIR_CORNERS times the pair, plus the
     corner. */
  int32_t (*slots[PAIR_CORNERS])[NEAR_GROUP];
  msd_real (*weights)[NEAR_GROUP * PAIR_CORNERS];
  /* F in m kg, four numbers a pair, the last of them 0. All are 0 for pairs that do not act. */
  msd_real (*force)[NEAR_GROUP * FORCE_SIZE];
  /* Bit n for the n-th pair of the group. `acting`: the pair acts. `held`: the pair has a friction anchor;
     valid after near_kernel.hold until anchors are changed. */
  uint16_t *acting, *held;
  /* The same: a corner is a pin. */
  uint16_t *pinned;
  /* The corners of each particle; and those that act, in rows: the index of F in `force`, and g. */
  corner_lists corners;
  corner_rows rows;
  /* By index in corners.slots: a record (base/record.h) with x, G, u and w; w alone; G alone. */
  msd_real *records, *inverse_mass, *sharing;
  /* By group: some G of its pairs has changed, so F must be computed again. Threads write it concurrently. */
  atomic_uchar *is_doubtful;
  /* By index in corners.slots: G must be summed again, since a pair has begun or ceased to act or the pairs
     have changed. Appended pairs do not act yet. Threads write it concurrently. */
  atomic_uchar *is_stale;
  /* The anchors have already followed in this substep what slid in the last one. */
  bool has_followed;
} near_pairs;

/* State of a candidate pair: the motion bound alone cannot rule it out; it may push; it may need a plane; it
   is excluded. IS_NEW and NEW_*: states that were added in this update and are not yet processed. */
enum {
  PAIR_CANDIDATE = 1,
  PAIR_PUSHES = 2,
  PAIR_IS_KEPT_APART = 4,
  PAIR_EXCLUDED = 8,
  PAIR_IS_NEW = 16,
  PAIR_NEW_FORCE = 32,
  PAIR_NEW_PLANE = 64,
  PAIR_CAME = PAIR_NEW_FORCE | PAIR_NEW_PLANE
};

/* For each candidate pair that is near: n and g. */
typedef struct near_witness {
  msd_real normal[3], weight[PAIR_CORNERS];
} near_witness;

/* Input and output of a selection of active pairs. */
typedef struct near_question {
  const pair_list *list;
  /* The blocks of the list to process. */
  const pair_index *blocks;
  const surface_mesh *mesh;
  /* The motion bound: records by slot, with T V instead of the velocity, and skins by slot. */
  const msd_real *records, *skins;
  /* For an update of a few particles only: the records of monitored particles are then out of date, and
     their positions come from this bound. NULL: use the records. */
  const motion_bound *active_bound;
  /* The beginning and end of the motion bound, as fractions of the horizon of the list. */
  msd_real share_begin, share_end;
  /* By slot: only pairs with a marked particle are tested. NULL: all are, and flags are cleared first. */
  const uint8_t *violators;
  /* By slot, used if `violators` is NULL: the farthest a particle can be from its prediction by the list. */
  const msd_real *reach;
  /* By slot: set for particles of pairs that may be near, when all pairs are tested. */
  atomic_uchar *is_watched;
  /* By candidate pair: PAIR_ flags; and its witness, if it has flags for a force or a plane. */
  uint8_t *fate;
  near_witness *witness;
} near_question;

/* Positions to compare with a motion bound. Both have one stride. */
typedef struct skin_check {
  const msd_real *state, *motion_bound;
  size_t stride;
  /* s: age of the motion bound; m, x y z: the common displacement A t^2/2 by then. */
  msd_real age, shift[3];
  /* By slot: `mark` is set for particles outside their skin. */
  uint8_t *violators;
  uint8_t mark;
} skin_check;

/* A substep of `dt` s: the states at x, after springs (y, with their velocities v) and after contact.
   Six components each by slot, with one stride. */
typedef struct near_substep {
  const msd_real *before, *predicted;
  msd_real *behind;
  size_t stride;
  double dt;
} near_substep;

/* m: the longest ways of particles from one state to the two of a substep, and in the substep. */
typedef struct near_ways {
  double to_before, to_behind, within;
} near_ways;

/* contact_pairs_kernel.h and active_set_kernel.h, compiled for one vector width. */
typedef struct near_kernel {
  /* Marks the particles of a range that are outside their skin; true if there are any. */
  bool (*stray)(const skin_check *q, parallel_range particles);
  /* m: the longest way of the particles of a range between two states; infinite if one is not finite. */
  double (*longest_way)(const msd_real *from, const msd_real *to, size_t stride, parallel_range particles);
  /* The same for all particles between each two of three states. */
  near_ways (*longest_ways)(const msd_real *at, const msd_real *before, const msd_real *behind, size_t stride,
                            int32_t particles);
  /* Writes records for a range of particles that begins at a multiple of NEAR_GROUP: their predicted
     position at the age of the motion bound, and the displacement until its end. Includes particles that are
     not monitored, because edge_endpoints.h reads the neighbors of a pair. */
  void (*place)(const motion_bound *f, msd_real *records, parallel_range particles);
  /* The farthest that particles of such a range can be from their prediction by the list, given the other
     motion bound. */
  void (*reach)(const motion_bound *list, const motion_bound *active_bound, msd_real *reach,
                parallel_range particles);
  /* Classifies the candidate pairs of a range, within the blocks to process. */
  void (*choose)(const near_question *q, parallel_range listed);
  /* Loads x, u, w and G for a range of corners.slots. */
  void (*read)(near_pairs *p, const near_substep *s, parallel_range owned);
  /* Computes F for groups of pairs from the known G, in a substep of `dt` s. Returns how many pairs
     act. Marks G as stale where that has changed. */
  int32_t (*push)(near_pairs *p, msd_real dt, msd_real relaxation, parallel_range groups);
  /* Computes F again for groups with a changed G. */
  void (*push_again)(near_pairs *p, msd_real dt, msd_real relaxation, parallel_range groups);
  /* Writes s of groups of pairs instead of their anchors, moves points of action back to the closest points,
     and updates `held`. Positions have three components by slot with this stride. */
  void (*hold)(near_pairs *p, const msd_real *positions, size_t stride, parallel_range groups);
  /* Moves a range of corners.slots by the forces on them. False if the result is not finite. */
  bool (*move)(const near_pairs *p, const near_substep *s, parallel_range owned);
} near_kernel;

extern const near_kernel near_kernel_scalar, near_kernel_128, near_kernel_256, near_kernel_512;

#define NEAR_KERNEL                                                                                          \
  {                                                                                                          \
    near_violate_skins, near_longest_way, near_longest_ways, near_place, near_reach, classify_pairs,         \
        near_read, near_push, near_push_again, near_hold, near_move                                          \
  }

const near_kernel *near_kernel_choose(msd_simd simd);

/* Reserves memory for that many particles, without pairs. False without memory; then empty. */
bool near_pairs_reserve(near_pairs *p, memory *m, int32_t particles);
void near_pairs_free(near_pairs *p, memory *m);

/* Reserves memory for `pairs` pairs and keeps those before `first`. False without memory. */
bool near_pairs_make_room(near_pairs *p, memory *m, int32_t first, int32_t pairs);

void near_pairs_put(near_pairs *p, int32_t n, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                    msd_real thickness, msd_real friction);

/* The friction spring of the n-th pair. A new pair has none until it is assigned. */
void near_pairs_set_tangential(near_pairs *p, int32_t n, const tangential_spring *held);

/* Call after near_kernel.read and before near_kernel.push, for ranges of groups: the anchors of pairs with
   pins that turn follow the rotation of z. So a particle that sticks goes round with the pins at its own
   distance from the axis, and not at that of their surface. `particle` is indexed by slot; `share`: the part of
   the turn of the frame in this substep. */
void near_pairs_turn(near_pairs *p, const particle_store *pins, const int32_t *particle, double share,
                     parallel_range groups);
tangential_spring near_pairs_get_tangential(const near_pairs *p, int32_t n);

/* Call after near_pairs_put for all pairs from `first` on, which do not act yet: pads the last group and
   builds the lists of corners. False without memory. */
bool near_pairs_finish(near_pairs *p, memory *m, int32_t first, int32_t count, const msd_real *inverse_mass,
                       const msd_tasks *tasks, int threads);

/* A pair that acts. */
typedef struct near_contact {
  int32_t slots[PAIR_CORNERS];
  pair_kind kind;
  msd_real weight[PAIR_CORNERS];
  msd_vec3 normal;
  /* m kg: F, impulse times dt. */
  msd_vec3 force;
} near_contact;

static inline msd_real *near_pairs_at(const near_pairs *p, int component, int32_t n) {
  return &p->groups[n / NEAR_GROUP].at[component][n % NEAR_GROUP];
}

static inline void near_pairs_slots(const near_pairs *p, int32_t n, int32_t slots[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    slots[corner] = p->slots[corner][n / NEAR_GROUP][n % NEAR_GROUP];
}

static inline pair_kind near_pairs_kind(const near_pairs *p, int32_t n) {
  return *near_pairs_at(p, NEAR_WEIGHT + 1, n) < 0 ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE;
}

/* The n-th pair; false if it did not act in the last substep. */
bool near_pairs_get_contact(const near_pairs *p, int32_t n, near_contact *out);

/* True if the pair comes within its thickness during the substep but is not at its beginning. */
bool near_pair_arrives(const near_substep *s, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                       double thickness);

bool near_pairs_have(const near_pairs *p, const int32_t slots[PAIR_CORNERS], pair_kind kind);

/* The index in corners.slots of a corner of the n-th pair. */
static inline int32_t near_pairs_owner(const near_pairs *p, int corner, int32_t n) {
  return p->groups[n / NEAR_GROUP].records[corner][n % NEAR_GROUP] / RECORD_SIZE;
}

/* The next pair after the n-th, of some groups, that has a pin at a corner; -1 for the first and the end. */
static inline int32_t near_pairs_next_pinned(const near_pairs *p, parallel_range groups, int32_t n) {
  const int32_t from = n < 0 ? groups.first * NEAR_GROUP : n + 1;
  for (int32_t group = from / NEAR_GROUP, lane = from % NEAR_GROUP; group < groups.last; group++, lane = 0) {
    const uint32_t left = (uint32_t)p->pinned[group] >> lane;
    if (left)
      return group * NEAR_GROUP + lane + lowest_bit(left);
  }
  return -1;
}

/* Call when a pair of this particle begins or ceases to act. */
static inline void near_pairs_make_stale(const near_pairs *p, int32_t owner) {
  atomic_store_explicit(&p->is_stale[owner], 1, memory_order_relaxed);
}

/* True if F of the group must be computed again; clears the flag. */
static inline bool near_pairs_takes_again(const near_pairs *p, int32_t group) {
  const bool is_doubtful = atomic_load_explicit(&p->is_doubtful[group], memory_order_relaxed);
  if (is_doubtful)
    atomic_store_explicit(&p->is_doubtful[group], 0, memory_order_relaxed);
  return is_doubtful;
}

/* Sums G again for the stale particles in a range of corners.slots; true if there are any. */
bool near_pairs_share(near_pairs *p, parallel_range owned);

#endif

/* Pairs that are near: those that may push each other in the next few substeps, and how.

   Of the list that pair_search.h makes once in a while, most pairs are not near yet and few touch. A forecast
   over a few substeps says which: every particle is at X + V t, but for its skin R. A pair whose gap along its
   witness, the direction n between its closest points at t = 0, less the largest R of A and of B, is g(0) and
   g(T) there stays so far apart until T. Where that is h or more nothing needs to look at it.

   Where it is less the pair may push, if the closest points are inside what they are on, or if near_ends.h says
   so of ends of edges: an edge within a surface is no bump. Its witness and the weights g of its corners, which
   sum to 0 and are not below 0 on A nor above it on B, hold as long as the forecast. In a substep dt that has
   left particles at y = x + u, u = dt v, let D = n . sum of g x be its distance, and

       C = D + n . sum of g u - e,       e = min(h, D + CONTACT_PUSH dt)

   A pair acts where C < 0. With G_j the sum of |g| over all that act at particle j, and w inverse masses,

       m = 1/sum_j w_j |g_j| G_j                       J = -(1 - softness) m C
       F = J n - min(m |t|, mu J) t/|t|                t = s + the part of sum of g u across n
       x' = y + w sum of g F,                          v' = v + (x' - y)/dt

   Friction is a spring that gives way: s is how far the pair has been slid since it stuck, z - a across n, with
   z = sum of g x and the anchor a. When a substep begins, and s is longer than mu J/m of the last one, the
   anchor is drawn along until it is that long (Cundall and Strack, 1979); what did not act has no s.

   The shares |g_ej|/G_j sum to 1 at each particle, so m (sum_j |g_j||z_j|)^2 <= sum_j (|g_j|/G_j) m_j |z_j|^2
   by Cauchy and Schwarz: the sum of 1/2 m min(0, C)^2 is convex with a gradient that changes at most as fast as
   the particles in the norm of their masses, and so is that of 1/2 m |s|^2 as far as it holds; the step is
   x' = y - their gradient. So kinetic and contact energy never grow together, however many pairs act
   (docs/contact.md).

   Where it is less than 0 nothing proves yet that the pair stays apart: cells.h sees to that. */
#ifndef MSD_ENGINE_CONTACT_NEAR_PAIRS_H
#define MSD_ENGINE_CONTACT_NEAR_PAIRS_H

#include "engine/base/record.h"
#include "engine/contact/corner_lists.h"
#include "engine/contact/corner_rows.h"
#include "engine/contact/forecast.h"
#include "engine/contact/listed_at.h"
#include "engine/store/particle.h"

#include <stdatomic.h>

/* What is known of a pair while the forecast holds: n, g of each corner, h and its friction. Of one that acts,
   until others do, its sum of w |g| G, inverted. And what it is held by: the anchor, and how long s may be. */
enum {
  NEAR_NORMAL = 0,
  NEAR_WEIGHT = 3,
  NEAR_THICKNESS = 7,
  NEAR_FRICTION = 8,
  NEAR_MASS = 9,
  NEAR_ANCHOR = 10,
  NEAR_MOST = 13,
  NEAR_COMPONENTS = 14
};

/* Pairs are taken by groups of 16 at every width. */
enum { NEAR_GROUP = 16, FORCE_SIZE = 4 };

/* What grips across n. `most` of NEAR_NEWLY_HELD: the anchor is not known yet, and s is in its place; of
   NEAR_FREE: the pair does not act, and that is 0. */
typedef struct near_grip {
  msd_real anchor[3], most;
  /* kg: m, as it was found last. Where it changes so does s, so that 1/2 m |s|^2 stays: if s became shorter
     where m grows and stayed where it falls, what gains and loses neighbours would creep. */
  msd_real mass;
} near_grip;

#define NEAR_NEWLY_HELD ((msd_real)-1)
#define NEAR_FREE       ((msd_real)-2)

/* Where records have G and w. */
enum { NEAR_SHARING = RECORD_QUAD - 1, NEAR_INVERSE_MASS = RECORD_SIZE - 1 };

/* The components of pairs, and of each corner where its record begins. */
typedef struct near_group {
  msd_real at[NEAR_COMPONENTS][NEAR_GROUP];
  int32_t records[PAIR_CORNERS][NEAR_GROUP];
} near_group;

/* Behind the last pair its group has pairs of nothing. */
typedef struct near_pairs {
  int32_t count;
  int32_t group_count, group_capacity;
  near_group *groups;
  /* Of each pair and corner the slot; and g again, by PAIR_CORNERS times the pair, plus the corner. */
  int32_t (*slots[PAIR_CORNERS])[NEAR_GROUP];
  msd_real (*weights)[NEAR_GROUP * PAIR_CORNERS];
  /* F, four numbers for each pair, the last of which is 0; of what does not act all are. */
  msd_real (*force)[NEAR_GROUP * FORCE_SIZE];
  /* Of each group: bit n of `acting` is whether its n-th pair acts; that of `held`, behind near_kernel.hold and
     until other grips are set, whether something holds it. */
  uint16_t *acting, *held;
  /* Whose corners are whose; of those that act, in rows, where in `force` F is, and g. */
  corner_lists corners;
  corner_rows rows;
  /* Of each of corners.slots: a record (base/record.h) with x, G, u and w; w and G. */
  msd_real *records, *inverse_mass, *sharing;
  /* Of each group, whether F is to be found again, since some G has become another one. */
  atomic_uchar *is_doubtful;
  /* Of each, whether a pair of it has begun or ceased to act since G was summed, or it has other pairs: those
     that are put behind the others do not act yet. Threads set it side by side. */
  atomic_uchar *is_stale;
  /* In this substep anchors have followed what slid in the last one. */
  bool has_followed;
} near_pairs;

/* What becomes of a listed pair: it may be near, for all that the list knows; it is; and is left alone all the
   same. What it has come to be since the last choice. */
enum {
  PAIR_IS_DUE = 1,
  PAIR_PUSHES = 2,
  PAIR_IS_KEPT_APART = 4,
  PAIR_IS_LEFT_OUT = 8,
  PAIR_IS_NEW = 16,
  PAIR_CAME_TO_PUSH = 32,
  PAIR_CAME_TO_BE_KEPT = 64,
  PAIR_CAME = PAIR_CAME_TO_PUSH | PAIR_CAME_TO_BE_KEPT
};

/* Of each listed pair that is near. */
typedef struct near_witness {
  msd_real normal[3], weight[PAIR_CORNERS];
} near_witness;

/* What the choice of near pairs is made from. */
typedef struct near_question {
  const pair_list *list;
  /* Which blocks of it are looked at. */
  const listed_at *blocks;
  const surface_mesh *mesh;
  /* The forecast: records by slot, with T V in place of the velocity, and skins by slot. */
  const msd_real *records, *skins;
  /* The same, where only some are decided on: of those that it watches records are older than it is, so who is
     asked for is found by it. NULL: by records. */
  const forecast *watch;
  /* Of the horizon of the list at the beginning and the end of the forecast. */
  msd_real share_begin, share_end;
  /* By slot: only pairs with such a particle are decided on; NULL: all are, and have no flags yet. */
  const uint8_t *strayed;
  /* By slot, of all, for where that is NULL: how far a particle may be from where the list expects it. */
  const msd_real *reach;
  /* By slot: whether a pair that may be near has the particle, which is set where all are decided on. */
  atomic_uchar *is_watched;
  /* For each listed pair, PAIR_ flags; and the witness of those that have some. */
  uint8_t *fate;
  near_witness *witness;
} near_question;

/* Positions that are compared to a forecast at `age` s. Both have one stride. */
typedef struct near_stray_question {
  const msd_real *state, *forecast;
  size_t stride;
  /* s; m, x y z: what the forecast bends by until then. */
  msd_real age, shift[3];
  /* By slot: gets the mark where a particle is out of its skin. */
  uint8_t *strayed;
  uint8_t mark;
} near_stray_question;

/* A substep of dt s from x to where its springs have led, with the velocities v there, and to where all of
   contact has: six components each, by slot, with one stride. */
typedef struct near_substep {
  const msd_real *before, *predicted;
  msd_real *behind;
  size_t stride;
  double time_step;
} near_substep;

/* The text of near_kernel.h and near_choice_kernel.h in every width of vectors. */
typedef struct near_kernel {
  /* Marks which particles of a range are out of their skins; returns whether some are. */
  bool (*stray)(const near_stray_question *q, parallel_range particles);
  /* Records of a range of particles that begins at a multiple of NEAR_GROUP: where a forecast expects them at
     its age, and how they go until its end. Also of those that are not watched: near_ends.h asks where they are
     that are beside a pair. */
  void (*place)(const forecast *f, msd_real *records, parallel_range particles);
  /* How far particles of such a range may be from where the list expects them, for all that the watch knows. */
  void (*reach)(const forecast *list, const forecast *watch, msd_real *reach, parallel_range particles);
  /* Decides on listed pairs of a range, as far as they are looked at. */
  void (*choose)(const near_question *q, parallel_range listed);
  /* x, u, w and G of a range of corners.slots. */
  void (*read)(near_pairs *p, const near_substep *s, parallel_range owned);
  /* F of groups of pairs by the G that are known, in a substep of dt seconds. Returns how many act. Where
     others do than before G becomes stale. */
  int32_t (*push)(near_pairs *p, msd_real time_step, msd_real softness, parallel_range groups);
  /* F of those only of which some G was not. */
  void (*push_again)(near_pairs *p, msd_real time_step, msd_real softness, parallel_range groups);
  /* Finds s of groups of pairs where the particles are, three components by slot with that stride, and puts it
     in the place of anchors; sets `held` of these groups. */
  void (*hold)(near_pairs *p, const msd_real *positions, size_t stride, parallel_range groups);
  /* Moves a range of corners.slots by all that acts at them; false where that leads to what is no finite
     number. */
  bool (*move)(const near_pairs *p, const near_substep *s, parallel_range owned);
} near_kernel;

extern const near_kernel near_kernel_scalar, near_kernel_128, near_kernel_256, near_kernel_512;

#define NEAR_KERNEL                                                                                          \
  {                                                                                                          \
    near_stray, near_place, near_reach, near_choose, near_read, near_push, near_push_again, near_hold,       \
        near_move                                                                                            \
  }

const near_kernel *near_kernel_choose(msd_simd simd);

/* Room for that many particles, with no pairs. False, and empty, without memory. */
bool near_pairs_reserve(near_pairs *p, memory *m, int32_t particles);
void near_pairs_free(near_pairs *p, memory *m);

/* Room for that many pairs, of which those before `first` are kept. */
bool near_pairs_make_room(near_pairs *p, memory *m, int32_t first, int32_t pairs);

/* The n-th pair. */
void near_pairs_put(near_pairs *p, int32_t n, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                    msd_real thickness, msd_real friction);

/* What the n-th pair is held by. Until that is set nothing holds it. */
void near_pairs_set_grip(near_pairs *p, int32_t n, const near_grip *grip);
near_grip near_pairs_get_grip(const near_pairs *p, int32_t n);

/* When all from `first` on are put, which do not act yet: completes the last group, and lists their corners, by
   so many threads at most. */
bool near_pairs_finish(near_pairs *p, memory *m, int32_t first, int32_t count, const msd_real *inverse_mass,
                       const msd_tasks *tasks, int threads);

/* A pair that acts. */
typedef struct near_contact {
  int32_t slots[PAIR_CORNERS];
  pair_kind kind;
  msd_real weight[PAIR_CORNERS];
  msd_vec3 normal;
  /* m kg: F. */
  msd_vec3 force;
} near_contact;

/* A component of the n-th pair. */
static inline msd_real *near_pairs_at(const near_pairs *p, int component, int32_t n) {
  return &p->groups[n / NEAR_GROUP].at[component][n % NEAR_GROUP];
}

/* The corners of the n-th pair; what it is. */
static inline void near_pairs_slots(const near_pairs *p, int32_t n, int32_t slots[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    slots[corner] = p->slots[corner][n / NEAR_GROUP][n % NEAR_GROUP];
}

static inline pair_kind near_pairs_kind(const near_pairs *p, int32_t n) {
  return *near_pairs_at(p, NEAR_WEIGHT + 1, n) < 0 ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE;
}

/* The n-th pair, as it acted last; false where it did not. */
bool near_pairs_get_contact(const near_pairs *p, int32_t n, near_contact *out);

/* Whether a pair comes nearer than its thickness in a substep, and was not before. */
bool near_pair_arrives(const near_substep *s, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                       double thickness);

/* Whether some pair is that one. */
bool near_pairs_have(const near_pairs *p, const int32_t slots[PAIR_CORNERS], pair_kind kind);

/* Of a corner of the n-th pair, where in corners.slots it is. */
static inline int32_t near_pairs_owner(const near_pairs *p, int corner, int32_t n) {
  return p->groups[n / NEAR_GROUP].records[corner][n % NEAR_GROUP] / RECORD_SIZE;
}

/* Some pair of an owner acts that did not, or the other way round. */
static inline void near_pairs_make_stale(const near_pairs *p, int32_t owner) {
  atomic_store_explicit(&p->is_stale[owner], 1, memory_order_relaxed);
}

/* Whether F of a group is to be found again: then it is not any more. */
static inline bool near_pairs_takes_again(const near_pairs *p, int32_t group) {
  const bool is_doubtful = atomic_load_explicit(&p->is_doubtful[group], memory_order_relaxed);
  if (is_doubtful)
    atomic_store_explicit(&p->is_doubtful[group], 0, memory_order_relaxed);
  return is_doubtful;
}

/* G of a range of corners.slots: it is summed anew where it is stale. Whether some is. */
bool near_pairs_share(near_pairs *p, parallel_range owned);

#endif

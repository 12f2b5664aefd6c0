/* The force of one vector of springs in the rows, diagonal blocks or indexed lanes of a network. Included
   once by spring_force_kernel.h, over the lanes of lane.h.

   The force is computed in two halves, so that kernels can begin some vectors before they end the first. A
   square root and a division have a latency of some 25 cycles, and the out-of-order window covers only a
   vector or two. */

#include "engine/base/lane.h"
#include "engine/kernel/energy_meter_kernel.h"
#include "engine/kernel/spring_force.h"

typedef LANE_MOTION motion;

/* The lanes where one-sided springs act, see network_side; a side of 0 always acts. NaN counts as acting, so
   that it propagates and is detected. */
LANE_INLINE LANE_MASK side_acts(LANE side, LANE error, LANE pull) {
  return (side == 0) | (lane_not(side * error <= 0) & lane_not(side * pull <= 0));
}

/* The spring data of the lanes, without the ends. */
typedef struct spring_lanes {
  LANE rest, stiffness, damping;
  /* True if `side` is used; a compile-time constant. */
  bool sided;
  LANE side;
  /* NULL: no energy measurement; a compile-time constant. Else `weight` is the fraction of each spring that
     is counted here. */
  watch *watch;
  LANE weight;
} spring_lanes;

/* The first half of a force: everything that needs the ends but no square root. */
typedef struct spring_start {
  /* The vector from q to p. */
  LANE3 d;
  /* dv . d, and d . d plus SPRING_TINY, which is not 0. */
  LANE parting, squared;
} spring_start;

LANE_INLINE spring_start spring_begin(const motion *p, const motion *q) {
  const LANE3 d = lane_subtract(p->x, q->x), dv = lane_subtract(p->v, q->v);
  return (spring_start){d, lane_dot(dv, d), lane_dot(d, d) + (msd_real)SPRING_TINY};
}

/* Begins with consecutive particles of a slab: the first at x and v, and those `shift` further. */
LANE_INLINE spring_start spring_begin_row(const msd_real *x, const msd_real *v, size_t stride,
                                          int32_t shift) {
  const motion p = {lane_load3(x, stride), lane_load3(v, stride)},
               q = {lane_load3(x + shift, stride), lane_load3(v + shift, stride)};
  return spring_begin(&p, &q);
}

/* A vector of a block is begun before the previous one is ended. A 512-bit vector also takes its square root
   early, while the next vector is begun. The divider needs 22 of less than 40 cycles for one vector and must
   not be idle. The scalar kernel uses the same scheme, so that it can be tested without 512-bit hardware. */
#if !defined(SIMD_BYTES) || SIMD_BYTES == 64
enum { ROOTS_AHEAD = 1 };
#else
enum { ROOTS_AHEAD = 0 };
#endif

/* The length and its inverse. */
typedef struct spring_root {
  LANE length, inverse;
} spring_root;

LANE_INLINE spring_root spring_take_root(const spring_start *start) {
  const LANE length = lane_sqrt(start->squared);
  return (spring_root){length, 1 / length};
}

typedef struct spring_pull {
  LANE inverse, rate, error, pull;
  LANE_MASK exist, acts;
  /* (k C + mu C') u, with u from q to p: the force on q; p gets the opposite. It is 0 in lanes without a
     spring, where the other values may be infinite because of a distant neighbor. */
  LANE3 force;
} spring_pull;

/* The second half, with the square roots. */
LANE_INLINE spring_pull spring_end_root(const spring_start *start, const spring_root *root,
                                        const spring_lanes *s) {
  spring_pull f;
  f.inverse = root->inverse;
  f.rate = start->parting * f.inverse;
  f.error = root->length - s->rest;
  f.pull = s->stiffness * f.error + s->damping * f.rate;
  f.exist = s->rest >= 0;
  f.acts = s->sided ? f.exist & side_acts(s->side, f.error, f.pull) : f.exist;
  f.force = lane_keep3(f.acts, lane_scale(start->d, f.pull * f.inverse));
  return f;
}

LANE_INLINE spring_pull spring_end(const spring_start *start, const spring_lanes *s) {
  const spring_root root = spring_take_root(start);
  return spring_end_root(start, &root, s);
}

LANE_INLINE LANE3 watched_forces(const spring_lanes *s, watched_springs seen, LANE_MASK acts, LANE3 plain) {
  seen.damping = s->sided ? lane_keep(acts, s->damping) : s->damping;
  seen.pull = s->sided ? lane_keep(acts, seen.pull) : seen.pull;
  if (s->sided)
    seen.error = lane_keep((s->side == 0) | lane_not(s->side * seen.error <= 0), seen.error);
  watch_count(s->watch, &seen);
  return s->watch->pass == SPRING_PASS_SCALE ? watch_forces(s->watch, &seen) : plain;
}

/* The forces of the springs in the lanes; adds to the energy measurement if there is one. */
LANE_INLINE LANE3 spring_forces(const motion *p, const motion *q, const spring_lanes *s) {
  const spring_start start = spring_begin(p, q);
  const spring_pull f = spring_end(&start, s);
  if (!s->watch)
    return f.force;
  const watched_springs seen = {.d = start.d,
                                .dv = lane_subtract(p->v, q->v),
                                .inverse = f.inverse,
                                .rate = f.rate,
                                .error = f.error,
                                .stiffness = s->stiffness,
                                .pull = f.pull,
                                .exist = f.exist,
                                .weight = s->weight};
  return watched_forces(s, seen, f.acts, f.force);
}

/* The spring data of a row of lanes; `uniform` is a compile-time copy of the field of the material. */
LANE_INLINE spring_lanes row_lanes(const network *net, const coefficient_class *material, bool uniform,
                                   int32_t lane, bool sided, msd_real side) {
  return (spring_lanes){
      .rest = lane_load(net->rest + lane),
      .stiffness = uniform ? lane_set(material->stiffness) : lane_load(net->streamed.stiffness + lane),
      .damping = uniform ? lane_set(material->damping) : lane_load(net->streamed.damping + lane),
      .sided = sided,
      .side = lane_set(side),
      .weight = lane_set(1)};
}

LANE_INLINE LANE3 row_forces(const network *net, const coefficient_class *material, bool uniform,
                             const motion *p, const motion *q, int32_t lane, bool sided, msd_real side,
                             watch *w) {
  spring_lanes s = row_lanes(net, material, uniform, lane, sided, side);
  s.watch = w;
  return spring_forces(p, q, &s);
}

/* Loads stiffness and damping of indexed lanes; `uniform` is a compile-time copy of the field of the
   material. */
LANE_INLINE void tune_indexed(const network *net, bool uniform, int32_t lane, spring_lanes *s) {
  const coefficient_class *material = &net->indexed_material;
  if (uniform) {
    s->stiffness = lane_set(material->stiffness);
    s->damping = lane_set(material->damping);
  } else if (net->palette.pair) {
    int32_t pair[LANE_COUNT];
    for (int n = 0; n < LANE_COUNT; n++)
      pair[n] = net->palette.pair[lane + n];
    const LANE3 tuning = lane_gather_records(net->palette.pairs, pair);
    s->stiffness = tuning.x;
    s->damping = tuning.y;
  } else {
    s->stiffness = lane_load(net->indexed.stiffness + lane);
    s->damping = net->indexed.damping ? lane_load(net->indexed.damping + lane) : lane_set(material->damping);
  }
}

LANE_INLINE spring_lanes indexed_lanes(const network *net, bool special, bool uniform, int32_t lane) {
  spring_lanes s = {.rest = lane_load(net->rest + net->indexed_lane + lane),
                    .sided = special && net->sides,
                    .weight = lane_set((msd_real)0.5)};
  s.side = s.sided ? lane_load(net->sides + lane) : lane_set(0);
  tune_indexed(net, uniform, lane, &s);
  return s;
}

/* The partners in LANE_COUNT indexed lanes, of the particles from `particle` on; with a step of 0, all of
   that particle. They are computed into the given buffer unless the network stores them. */
LANE_INLINE const int32_t *indexed_partners(const network *net, int32_t lane, int32_t particle, int32_t step,
                                            int32_t room[LANE_COUNT]) {
  if (!net->near)
    return net->partner + lane;
  lane_add_offsets(room, net->near + lane, particle, step);
  return room;
}

/* The forces of springs in indexed lanes. */
LANE_INLINE LANE3 indexed_forces(const network *net, bool special, const motion *p, const motion *q,
                                 const int32_t *partner, int32_t lane, watch *w) {
  spring_lanes s = indexed_lanes(net, special, net->indexed_material.uniform, lane);
  s.watch = w;
  if (!w || !s.sided)
    return spring_forces(p, q, &s);
  /* Springs at pins are stored at the free end alone. */
  const LANE pin = lane_gather(net->inverse_mass, partner);
  const LANE_MASK held = lane_not(s.side == 0) & (pin == 0);
  s.weight = lane_select(held, lane_set(1), s.weight);
  const LANE3 force = spring_forces(p, q, &s);
  watch_held(w, held, force, q->v);
  return force;
}

/* `special`, here and below: whether the network has one-sided springs or overflow rows; a compile-time
   constant. */
LANE_INLINE LANE3 run_forces(const network *net, const dia_block *run, bool special, const motion *p,
                             const motion *q, int32_t lane, watch *w) {
  if (special && run->side != 0)
    return row_forces(net, &run->material, run->material.uniform, p, q, lane, true, run->side, w);
  return row_forces(net, &run->material, run->material.uniform, p, q, lane, false, 0, w);
}

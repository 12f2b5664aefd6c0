/* What one vector of springs does, of a network's rows, runs or indexed lanes. Included once by
   spring_force_kernel.h, over the lanes of lane.h.

   A force is made in two halves, so that kernels can begin some vectors before they end the first one: a root
   and a division take some 25 cycles to come, and a processor that has them in front looks ahead no further
   than one vector or two. */

#include "engine/base/lane.h"
#include "engine/kernel/spring_force.h"
#include "engine/kernel/spring_watch_kernel.h"

typedef LANE_MOTION motion;

/* Where one-sided springs act, see network_side; a side of 0 always does. What is no number acts too, so that
   it is found. */
LANE_INLINE LANE_MASK side_acts(LANE side, LANE error, LANE pull) {
  return (side == 0) | (lane_not(side * error <= 0) & lane_not(side * pull <= 0));
}

/* What is known of the springs in the lanes beside their ends. */
typedef struct spring_lanes {
  LANE rest, stiffness, damping;
  /* Whether `side` is looked at, for the compiler to know. */
  bool sided;
  LANE side;
  /* NULL: nobody watches, for the compiler to know; else with how much of each is counted here. */
  watch *watch;
  LANE weight;
} spring_lanes;

/* What the forces of springs begin with: all that is asked of their ends, and nothing that waits for a root. */
typedef struct spring_start {
  /* From q to p. */
  LANE3 d;
  /* dv . d, and d . d, which is not 0. */
  LANE parting, squared;
} spring_start;

LANE_INLINE spring_start spring_begin(const motion *p, const motion *q) {
  const LANE3 d = lane_subtract(p->x, q->x), dv = lane_subtract(p->v, q->v);
  return (spring_start){d, lane_dot(dv, d), lane_dot(d, d) + (msd_real)SPRING_TINY};
}

/* Of the particles in a row that x and v are the first ones of, and those `shift` further on; of a slab. */
LANE_INLINE spring_start spring_begin_row(const msd_real *x, const msd_real *v, size_t stride,
                                          int32_t shift) {
  const motion p = {lane_load3(x, stride), lane_load3(v, stride)},
               q = {lane_load3(x + shift, stride), lane_load3(v + shift, stride)};
  return spring_begin(&p, &q);
}

/* A vector of a run begins before the one in front of it ends. One of 512 bits takes its root then too, and the
   vector behind it begins: the divider takes 22 cycles for one, of less than 40 in all, and must not wait. One
   spring at a time goes the same way, so that it can be tested where there are no vectors of 512 bits. */
#if !defined(SIMD_BYTES) || SIMD_BYTES == 64
enum { ROOTS_AHEAD = 1 };
#else
enum { ROOTS_AHEAD = 0 };
#endif

/* The length, and what it divides. */
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
  /* (k C + mu C') u, u from q to p: what q feels, and p its opposite. 0 in lanes without a spring, whose
     neighbour may be so far off that nothing else here is finite. */
  LANE3 force;
} spring_pull;

/* Of springs that have begun, with their roots. */
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

/* The forces of the springs in the lanes, and to whoever watches what he asks for. */
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

/* Of a row of lanes; `uniform` is what the material says, for the compiler to know. */
LANE_INLINE spring_lanes row_lanes(const network *net, const network_material *material, bool uniform,
                                   int32_t lane, bool sided, msd_real side) {
  return (spring_lanes){
      .rest = lane_load(net->rest + lane),
      .stiffness = uniform ? lane_set(material->stiffness) : lane_load(net->streamed.stiffness + lane),
      .damping = uniform ? lane_set(material->damping) : lane_load(net->streamed.damping + lane),
      .sided = sided,
      .side = lane_set(side),
      .weight = lane_set(1)};
}

LANE_INLINE LANE3 row_forces(const network *net, const network_material *material, bool uniform,
                             const motion *p, const motion *q, int32_t lane, bool sided, msd_real side,
                             watch *w) {
  spring_lanes s = row_lanes(net, material, uniform, lane, sided, side);
  s.watch = w;
  return spring_forces(p, q, &s);
}

/* Stiffness and damping of indexed lanes; `uniform` is what their material says, for the compiler to know. */
LANE_INLINE void tune_indexed(const network *net, bool uniform, int32_t lane, spring_lanes *s) {
  const network_material *material = &net->indexed_material;
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

/* Partners in as many indexed lanes: of the particles from `particle` on, or with a step of 0 of that one. They
   stand in `room` unless the network has them so. */
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
  /* Held springs are stored at this end alone. */
  const LANE pin = lane_gather(net->inverse_mass, partner);
  const LANE_MASK held = lane_not(s.side == 0) & (pin == 0);
  s.weight = lane_select(held, lane_set(1), s.weight);
  const LANE3 force = spring_forces(p, q, &s);
  watch_held(w, held, force, q->v);
  return force;
}

/* `special`, here and below: whether the network has one-sided springs or tails at all, for the compiler to
   know. */
LANE_INLINE LANE3 run_forces(const network *net, const network_run *run, bool special, const motion *p,
                             const motion *q, int32_t lane, watch *w) {
  if (special && run->side != 0)
    return row_forces(net, &run->material, run->material.uniform, p, q, lane, true, run->side, w);
  return row_forces(net, &run->material, run->material.uniform, p, q, lane, false, 0, w);
}

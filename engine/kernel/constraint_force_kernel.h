/* Phase 1 of constraint_force.h over the lanes of lane.h. Each width_*.c includes it once. */

#include "engine/constraint/mesh_volume.h"
#include "engine/constraint/shapes.h"
#include "engine/constraint/tuning.h"
#include "engine/kernel/constraint_force.h"

LANE_INLINE LANE3 gather_positions(const constraint_state *state, const int32_t *slots) {
  return lane_gather3(state->at, state->stride, slots);
}

LANE_INLINE LANE_MOTION load_corners(const constraint_state *state, int32_t slot) {
  const msd_real *at = state->at + slot;
  return (LANE_MOTION){lane_load3(at, state->stride),
                       lane_load3(at + VELOCITY_X * state->stride, state->stride)};
}

#ifdef SIMD_PICKS_TWO
enum { NEAR_LANES = LANE_COUNT };

/* Loads slots that are near each other: two vector loads and a selection. The unused lanes of a load read other
   particles or the padding between components. */
LANE_INLINE LANE_MOTION pick_corners(const constraint_state *state, const int32_t *slots) {
  const int32_t first = slots[0], last = slots[LANE_COUNT - 1] - (LANE_COUNT - 1);
  const LANE_MASK places = lane_places_two(slots, first, last);
  const LANE_MOTION a = load_corners(state, first), b = load_corners(state, last);
  return (LANE_MOTION){lane_pick_two(a.x, b.x, places), lane_pick_two(a.v, b.v, places)};
}
#else
enum { NEAR_LANES = 0 };
#endif

/* Loads slots that are consecutive except for one jump, as at the end of a lattice row: two vector loads and
   a blend. The unused lanes of a load read other particles or the padding between components. Returns false,
   without loading, for other slots. */
LANE_INLINE bool join_corners(const constraint_state *state, const int32_t *slots, LANE_MOTION *joined) {
  const int32_t first = slots[0], last = slots[LANE_COUNT - 1] - (LANE_COUNT - 1);
  const LANE_MASK begun = lane_counts(slots, first);
  if (!lane_none(lane_not(begun | lane_counts(slots, last))))
    return false;
  const LANE_MOTION a = load_corners(state, first), b = load_corners(state, last);
  *joined = (LANE_MOTION){lane_select3(begun, a.x, b.x), lane_select3(begun, a.v, b.v)};
  return true;
}

/* Gathers positions and velocities. `records` tells if the state has records; it is a compile-time
   constant. */
LANE_INLINE LANE_MOTION gather_corners(const constraint_state *state, bool records, const int32_t *slots) {
  LANE_MOTION joined;
  if (records)
    return lane_gather_motion(state->records, slots);
  if (LANE_COUNT > 1 && join_corners(state, slots, &joined))
    return joined;
  return (LANE_MOTION){gather_positions(state, slots),
                       lane_gather3(state->at + VELOCITY_X * state->stride, state->stride, slots)};
}

/* The vectors of a batch pass each stage together, so that their latencies overlap. */
enum { BATCH_LANES = 2 * CONSTRAINT_LANES, BATCH_VECTORS = BATCH_LANES / LANE_COUNT };

/* The index in slots or places of a corner. Lanes are numbered through all groups. */
LANE_INLINE size_t corner_at(uint32_t lane, int corner) {
  return ((size_t)(lane / CONSTRAINT_LANES) * CONSTRAINT_CORNERS + (size_t)corner) * CONSTRAINT_LANES +
         lane % CONSTRAINT_LANES;
}

LANE_INLINE const msd_real *numbers_at(const constraint_forces *f, uint32_t lane) {
  return f->numbers + (size_t)f->groups[lane / CONSTRAINT_LANES].first_row * CONSTRAINT_LANES +
         lane % CONSTRAINT_LANES;
}

/* The state address where the particles of a corner are consecutive; NULL if they are not. */
LANE_INLINE const msd_real *run_of(const constraint_forces *f, const constraint_state *state, uint32_t lane,
                                   int corner) {
  const int32_t *slots = f->slots + corner_at(lane, corner);
  const unsigned runs = (unsigned)f->groups[lane / CONSTRAINT_LANES].runs >> RUN_COUNT * corner & 3u;
  return runs_have(runs, (int)(lane % CONSTRAINT_LANES), LANE_COUNT, slots) ? state->at + *slots : NULL;
}

/* Loads the particles of a corner that are not consecutive. */
LANE_INLINE LANE_MOTION collect_corner(const constraint_forces *f, const constraint_state *state,
                                       bool records, uint32_t lane, int corner) {
  const int32_t *slots = f->slots + corner_at(lane, corner);
#ifdef SIMD_PICKS_TWO
  const unsigned nears = (unsigned)f->groups[lane / CONSTRAINT_LANES].nears >> NEAR_COUNT * corner;
  if (nears_have(nears, (int)(lane % CONSTRAINT_LANES), LANE_COUNT))
    return pick_corners(state, slots);
#endif
  return gather_corners(state, records, slots);
}

/* The positions and velocities of a corner. */
LANE_INLINE LANE_MOTION read_corner(const constraint_forces *f, const constraint_state *state, bool records,
                                    uint32_t lane, int corner) {
  const int32_t *slots = f->slots + corner_at(lane, corner);
  return run_of(f, state, lane, corner) ? load_corners(state, *slots)
                                        : collect_corner(f, state, records, lane, corner);
}

/* The memory from which a corner is loaded: components of position and velocity, and the distance between
   them. */
typedef struct corner_source {
  const msd_real *x, *v;
  size_t stride;
} corner_source;

/* Points into the state if the particles of a corner are consecutive; else gathers them into the given
   buffer. */
LANE_INLINE corner_source find_corner(const constraint_forces *f, const constraint_state *state, bool records,
                                      uint32_t lane, int corner, msd_real *room) {
  const msd_real *at = run_of(f, state, lane, corner);
  if (at)
    return (corner_source){at, at + VELOCITY_X * state->stride, state->stride};
  const LANE_MOTION motion = collect_corner(f, state, records, lane, corner);
  lane_store3(room, LANE_COUNT, motion.x);
  lane_store3(room + VELOCITY_X * LANE_COUNT, LANE_COUNT, motion.v);
  return (corner_source){room, room + VELOCITY_X * LANE_COUNT, LANE_COUNT};
}

/* One of the rows of numbers. */
LANE_INLINE LANE number(const msd_real *numbers, int row) {
  return lane_load(numbers + row * CONSTRAINT_LANES);
}

/* A vector of constraints between the stages of a batch. */
typedef struct lone_vector {
  /* First, so that its vectors are aligned. */
  msd_real gathered[CONSTRAINT_CORNERS][COMPONENTS * LANE_COUNT];
  LANE3 gradient[CONSTRAINT_CORNERS];
  shape_sides sides;
  shape_pair pair;
  /* C', the excess, and its tuning_share. */
  LANE rate, excess, share;
  /* Bounds the square of the angle in rad by which a tip may turn in a second. */
  LANE turn;
  /* -(k C + mu C') */
  LANE push;
  corner_source corners[CONSTRAINT_CORNERS];
} lone_vector;

LANE_INLINE tuning_limit limit_of(const constraint_forces *f) {
  return (tuning_limit){f->most_stiffness, f->most_damping};
}

/* The velocity of a corner relative to the first one. */
LANE_INLINE LANE3 relative_velocity(const lone_vector *w, int corner) {
  return lane_subtract(lane_load3(w->corners[corner].v, w->corners[corner].stride),
                       lane_load3(w->corners[0].v, w->corners[0].stride));
}

/* Computes the rate, the excess and its share. Only a value that `wraps` can jump. */
LANE_INLINE void weigh_lanes(const constraint_forces *f, uint32_t lane, int corners, bool wraps,
                             lone_vector *w) {
  const msd_real *numbers = numbers_at(f, lane);
  LANE rate = lane_set(0), excess = lane_set(0);
  for (int c = 0; c < corners; c++) {
    rate += lane_dot(w->gradient[c], lane_load3(w->corners[c].v, w->corners[c].stride));
    excess += number(numbers, CONSTRAINT_WEIGHT + c) * lane_dot(w->gradient[c], w->gradient[c]);
  }
  w->rate = rate;
  w->excess = excess;
  w->share = tuning_share(excess, limit_of(f));
  w->turn = lane_set(0);
  for (int c = 1; c < corners && wraps; c++) {
    const LANE3 motion = relative_velocity(w, c);
    w->turn += lane_dot(w->gradient[c], w->gradient[c]) * lane_dot(motion, motion);
  }
  const LANE most = lane_load(f->excess + lane);
  lane_store(f->excess + lane, lane_select(excess > most, excess, most));
}

/* The square of the angle in rad by which a tip may turn in a substep before its hinge counts as one that may
   jump. */
#define CONSTRAINT_TURN_SAFE ((LANE_REAL)0.0625)

/* How many times softer than its law a constraint given by coefficients must be to begin the account. */
#define CONSTRAINT_SOFT 4

LANE_INLINE void note_alarm(const constraint_forces *f, uint32_t lane, const tuning_factors *factors,
                            const shape_tuning *t, const lone_vector *w) {
  const LANE_MASK turns = f->step * f->step * w->turn > CONSTRAINT_TURN_SAFE;
  /* Coefficients, which have no relief, are softened a little in most shapes. */
  const LANE_MASK softened =
      t->capped & ((factors->relief > 0) | (t->stiffness * CONSTRAINT_SOFT < factors->stiffness));
  if (!lane_none((softened | turns) & (t->stiffness + t->damping > 0)))
    f->alarms[lane / CONSTRAINT_LANES] = 1;
}

LANE_INLINE msd_real *energy_row(const constraint_forces *f, int row) {
  return f->energies + (size_t)row * constraint_energy_count(f);
}

/* s of the constraints in the lanes. */
LANE_INLINE LANE kept_of(const constraint_forces *f, const constraint_meter *meter, uint32_t lane) {
  const LANE spare = lane_load(energy_row(f, CONSTRAINT_SPARE) + lane);
  const LANE_MASK over = spare > meter->cap;
  return lane_select(over, lane_sqrt(meter->cap * lane_inverse(over, spare)), lane_set(1));
}

/* e and A of constraint_force.h, and kappa dt/2. */
typedef struct metered {
  LANE energy, spare, fitting;
} metered;

LANE_INLINE metered meter_of(LANE half_step, LANE stiffness, LANE damping, LANE error, LANE rate) {
  const LANE stretch = stiffness * error, lag = half_step * rate, y = error - lag;
  return (metered){(stretch * error - lag * (stretch + stretch + damping * rate)) / 2, stiffness * y * y / 2,
                   stiffness * half_step + damping};
}

/* b_j/kappa_0 of a corner, and kappa_0; 0 at a pin. */
LANE_INLINE LANE corner_room(const msd_real *numbers, int corner) {
  const LANE weight = number(numbers, CONSTRAINT_WEIGHT + corner);
  return lane_inverse(weight > 0, weight);
}

LANE_INLINE LANE room_of(const constraint_forces *f, const tuning_factors *factors) {
  return f->most_stiffness > 0
             ? lane_set(3 * f->most_stiffness)
             : (f->tuned_step / f->step) * (factors->stiffness + factors->damping * (2 / f->tuned_step));
}

/* The mean velocity of the corners, weighted by b_j, relative to the first corner; that of a pin if there is
   one. */
LANE_INLINE LANE3 mean_motion(const msd_real *numbers, int corners, const lone_vector *w) {
  LANE3 sum = {lane_set(0), lane_set(0), lane_set(0)}, pin = sum;
  LANE all = lane_set(0), held = lane_set(0);
  for (int c = 0; c < corners; c++) {
    const LANE room = corner_room(numbers, c);
    const LANE_MASK is_held = lane_not(room > 0);
    const LANE3 motion = relative_velocity(w, c);
    all += room;
    sum = lane_add(sum, lane_scale(motion, room));
    held = lane_select(is_held, lane_set(1), held);
    pin = lane_select3(is_held, motion, pin);
  }
  return lane_select3(held > 0, pin, lane_scale(sum, lane_inverse(all > 0, all)));
}

/* Writes the energies of the lanes, or replaces push by that of the scaled forces. */
LANE_INLINE LANE meter_lanes(const constraint_forces *f, const constraint_meter *meter, uint32_t lane,
                             int corners, LANE error, const tuning_factors *factors, const shape_tuning *t,
                             lone_vector *w, LANE push) {
  const LANE half = lane_set(f->step / 2);
  const metered m = meter_of(half, t->stiffness, t->damping, error, w->rate);
  if (meter->scales) {
    const LANE kept = kept_of(f, meter, lane);
    return kept * push - (1 - kept - meter->turned) * m.fitting * w->rate;
  }
  const msd_real *numbers = numbers_at(f, lane);
  const LANE3 mean = mean_motion(numbers, corners, w);
  LANE squared = lane_set(0);
  for (int c = 0; c < corners; c++) {
    const LANE3 motion = lane_subtract(relative_velocity(w, c), mean);
    squared += corner_room(numbers, c) * lane_dot(motion, motion);
  }
  const LANE across = half * (half * room_of(f, factors) * squared - m.fitting * w->rate * w->rate) / 2;
  const LANE_MASK acts = (t->stiffness + t->damping > 0) & (w->excess > 0);
  lane_store(energy_row(f, CONSTRAINT_ENERGY) + lane, lane_keep(acts, m.energy));
  lane_store(energy_row(f, CONSTRAINT_SPARE) + lane, lane_keep(acts, m.spare));
  lane_store(energy_row(f, CONSTRAINT_ACROSS) + lane, lane_keep(acts & (across > 0), across));
  return push;
}

/* -(k C + mu C') where the constraint acts; else 0. */
LANE_INLINE LANE push_of(const constraint_forces *f, const constraint_meter *meter, uint32_t lane,
                         int corners, bool wraps, LANE value, lone_vector *w) {
  const msd_real *numbers = numbers_at(f, lane);
  const LANE error = constraint_error(value, number(numbers, CONSTRAINT_REST), wraps);
  const tuning_factors factors = tuning_read(numbers, CONSTRAINT_LANES);
  const shape_tuning t = tuning_by(&factors, w->excess, w->share, limit_of(f));
  LANE push = -(t.stiffness * error + t.damping * w->rate);
  const LANE_MASK acts = t.stiffness + t.damping > 0;
  note_alarm(f, lane, &factors, &t, w);
  if (meter)
    push = meter_lanes(f, meter, lane, corners, error, &factors, &t, w, push);
  if (lane_none(lane_not(acts)))
    return push;
  for (int c = 0; c < corners; c++) /* so that infinity times 0 gives no NaN */
    w->gradient[c] = lane_keep3(acts, w->gradient[c]);
  return lane_keep(acts, push);
}

LANE_INLINE void store_forces(const constraint_forces *f, uint32_t lane, int corners, const lone_vector *w) {
  for (int c = 0; c < corners; c++)
    lane_scatter_quads(f->corner_forces, f->places + corner_at(lane, c), lane_scale(w->gradient[c], w->push));
}

/* The same with the forces across the gradients that theta asks for. */
LANE_INLINE void store_turned(const constraint_forces *f, const constraint_meter *meter, uint32_t lane,
                              int corners, const lone_vector *w) {
  const msd_real *numbers = numbers_at(f, lane);
  const tuning_factors factors = tuning_read(numbers, CONSTRAINT_LANES);
  const LANE acts = lane_keep((factors.stiffness + factors.damping > 0) & (w->excess > 0), lane_set(1));
  const LANE turn = acts * (meter->turned * f->step / 2) * room_of(f, &factors);
  const LANE3 mean = mean_motion(numbers, corners, w);
  for (int c = 0; c < corners; c++) {
    const LANE3 motion = lane_subtract(relative_velocity(w, c), mean);
    const LANE3 force = lane_subtract(lane_scale(w->gradient[c], w->push),
                                      lane_scale(motion, turn * corner_room(numbers, c)));
    lane_scatter_quads(f->corner_forces, f->places + corner_at(lane, c), force);
  }
}

LANE_INLINE void begin_lanes(lone_vector *w, int corners, void sides(const LANE3 *, shape_sides *)) {
  LANE3 x[CONSTRAINT_CORNERS];
  for (int c = 0; c < corners; c++)
    x[c] = lane_load3(w->corners[c].x, w->corners[c].stride);
  sides(x, &w->sides);
}

/* Evaluates the lanes first..last-1, all of one type. */
LANE_INLINE void evaluate_lanes(const constraint_forces *f, const constraint_state *state, bool records,
                                uint32_t first, uint32_t last, int corners, bool wraps,
                                void sides(const LANE3 *, shape_sides *),
                                shape_pair slopes(const shape_sides *, LANE3 *), LANE value(shape_pair)) {
  lone_vector batch[BATCH_VECTORS];
  for (uint32_t lane = first; lane < last; lane += BATCH_LANES) {
    const uint32_t count = (last - lane < BATCH_LANES ? last - lane : BATCH_LANES) / LANE_COUNT;
    for (uint32_t n = 0; n < count; n++)
      for (int c = 0; c < corners; c++)
        batch[n].corners[c] = find_corner(f, state, records, lane + n * LANE_COUNT, c, batch[n].gathered[c]);
    for (uint32_t n = 0; n < count; n++)
      begin_lanes(&batch[n], corners, sides);
    for (uint32_t n = 0; n < count; n++)
      batch[n].pair = slopes(&batch[n].sides, batch[n].gradient);
    for (uint32_t n = 0; n < count; n++)
      weigh_lanes(f, lane + n * LANE_COUNT, corners, wraps, &batch[n]);
    for (uint32_t n = 0; n < count; n++)
      batch[n].push =
          push_of(f, state->meter, lane + n * LANE_COUNT, corners, wraps, value(batch[n].pair), &batch[n]);
    for (uint32_t n = 0; n < count; n++)
      if (state->meter && state->meter->turned > 0)
        store_turned(f, state->meter, lane + n * LANE_COUNT, corners, &batch[n]);
      else
        store_forces(f, lane + n * LANE_COUNT, corners, &batch[n]);
  }
}

/* A vector of fibers between the stages of a batch: the edges from corner 0 and their rates. */
typedef struct fiber_vector {
  LANE3 edge[CONSTRAINT_CORNERS - 1], motion[CONSTRAINT_CORNERS - 1];
} fiber_vector;

LANE_INLINE void begin_fibers(const constraint_forces *f, const constraint_state *state, bool records,
                              uint32_t lane, int edges, fiber_vector *w) {
  const LANE_MOTION origin = read_corner(f, state, records, lane, 0);
  for (int n = 0; n < edges; n++) {
    const LANE_MOTION corner = read_corner(f, state, records, lane, n + 1);
    w->edge[n] = lane_subtract(corner.x, origin.x);
    w->motion[n] = lane_subtract(corner.v, origin.v);
  }
}

/* A vector of fibers: their direction, C, C', k, mu and -(k C + mu C'). */
typedef struct metered_fiber {
  const fiber_vector *w;
  const LANE *weights;
  LANE3 u;
  LANE error, rate, stiffness, damping, push;
} metered_fiber;

/* Sums of the fibers of a lane, which the rows of energies take. */
typedef struct metered_fibers {
  LANE energy, spare, across;
} metered_fibers;

/* Adds the energies of a fiber; returns its force per weight, scaled if the meter asks for it. */
LANE_INLINE LANE3 meter_fiber(const constraint_forces *f, const constraint_meter *meter, uint32_t lane,
                              const metered_fiber *fiber, int edges, metered_fibers *sums) {
  const LANE half = lane_set(f->step / 2);
  const metered m = meter_of(half, fiber->stiffness, fiber->damping, fiber->error, fiber->rate);
  LANE3 motion = {lane_set(0), lane_set(0), lane_set(0)};
  for (int n = 0; n < edges; n++)
    motion = lane_add(motion, lane_scale(fiber->w->motion[n], fiber->weights[n]));
  if (meter->scales) {
    const LANE kept = kept_of(f, meter, lane);
    const LANE push = kept * fiber->push - (1 - kept - meter->turned) * m.fitting * fiber->rate;
    return lane_subtract(lane_scale(fiber->u, push), lane_scale(motion, meter->turned * m.fitting));
  }
  const LANE across = half * m.fitting * (lane_dot(motion, motion) - fiber->rate * fiber->rate) / 2;
  const LANE_MASK acts = m.fitting > 0;
  sums->energy += lane_keep(acts, m.energy);
  sums->spare += lane_keep(acts, m.spare);
  sums->across += lane_keep(acts & (across > 0), across);
  return lane_scale(fiber->u, fiber->push);
}

/* The forces of the fibers of a lane on the corners 1, 2, 3. */
LANE_INLINE void sum_fibers(const constraint_forces *f, const constraint_meter *meter, uint32_t lane,
                            const fiber_vector *w, int edges, LANE3 *force) {
  const msd_real *numbers = numbers_at(f, lane);
  const int count = f->groups[lane / CONSTRAINT_LANES].count;
  metered_fibers sums = {lane_set(0), lane_set(0), lane_set(0)};
  for (int k = 0; k < count; k++, numbers += FIBER_NUMBERS * CONSTRAINT_LANES) {
    LANE weights[CONSTRAINT_CORNERS - 1];
    LANE3 u;
    for (int n = 0; n < edges; n++)
      weights[n] = number(numbers, FIBER_WEIGHT + n);
    const LANE error = fiber_along(w->edge, weights, edges, &u) - number(numbers, FIBER_REST);
    LANE rate = lane_set(0);
    for (int n = 0; n < edges; n++)
      rate += weights[n] * lane_dot(w->motion[n], u);
    const LANE side = lane_select(error < 0, number(numbers, FIBER_COMPRESSION), lane_set(1));
    const LANE stiffness = side * number(numbers, FIBER_STIFFNESS),
               damping = side * number(numbers, FIBER_DAMPING);
    const LANE push = -(stiffness * error + damping * rate);
    LANE3 pull = lane_scale(u, push);
    if (meter)
      pull =
          meter_fiber(f, meter, lane, &(metered_fiber){w, weights, u, error, rate, stiffness, damping, push},
                      edges, &sums);
    pull = lane_keep3(stiffness + damping > 0, pull);
    for (int n = 0; n < edges; n++)
      force[n] = lane_add(force[n], lane_scale(pull, weights[n]));
  }
  if (!meter || meter->scales)
    return;
  lane_store(energy_row(f, CONSTRAINT_ENERGY) + lane, sums.energy);
  lane_store(energy_row(f, CONSTRAINT_SPARE) + lane, sums.spare);
  lane_store(energy_row(f, CONSTRAINT_ACROSS) + lane, sums.across);
}

LANE_INLINE void end_fibers(const constraint_forces *f, const constraint_meter *meter, uint32_t lane,
                            int edges, const fiber_vector *w) {
  const LANE3 zero = {lane_set(0), lane_set(0), lane_set(0)};
  LANE3 force[CONSTRAINT_CORNERS - 1];
  for (int n = 0; n < edges; n++)
    force[n] = zero;
  sum_fibers(f, meter, lane, w, edges, force);
  const LANE3 last = edges == 3 ? force[edges - 1] : zero;
  lane_scatter_quads(f->corner_forces, f->places + corner_at(lane, 0),
                     lane_balance(lane_add(force[0], force[1]), last));
  for (int n = 0; n < edges; n++)
    lane_scatter_quads(f->corner_forces, f->places + corner_at(lane, n + 1), force[n]);
}

/* As evaluate_lanes, for fibers. */
LANE_INLINE void evaluate_fibers(const constraint_forces *f, const constraint_state *state, bool records,
                                 uint32_t first, uint32_t last, int edges) {
  fiber_vector batch[BATCH_VECTORS];
  for (uint32_t lane = first; lane < last; lane += BATCH_LANES) {
    const uint32_t count = (last - lane < BATCH_LANES ? last - lane : BATCH_LANES) / LANE_COUNT;
    for (uint32_t n = 0; n < count; n++)
      begin_fibers(f, state, records, lane + n * LANE_COUNT, edges, &batch[n]);
    for (uint32_t n = 0; n < count; n++)
      end_fibers(f, state->meter, lane + n * LANE_COUNT, edges, &batch[n]);
  }
}

/* The end of the groups from `first` on with the same type and number of corners. */
static int32_t end_of_kind(const constraint_forces *f, int32_t first, int32_t last) {
  const constraint_group *groups = f->groups;
  int32_t end = first + 1;
  while (end < last && groups[end].kind == groups[first].kind && groups[end].corners == groups[first].corners)
    end++;
  return end;
}

/* The functions below work on a copy of the layout. So the compiler knows that no store can modify it, and
   keeps it in registers. */

LANE_INLINE void evaluate_groups(const constraint_forces *given, const constraint_state *state, bool records,
                                 int32_t first, int32_t last) {
  const constraint_forces copy = *given, *f = &copy;
  for (int32_t group = first, end; group < last; group = end) {
    end = end_of_kind(f, group, last);
    const uint32_t from = (uint32_t)group * CONSTRAINT_LANES, to = (uint32_t)end * CONSTRAINT_LANES;
    switch ((msd_constraint_kind)f->groups[group].kind) {
#define EVALUATE(kind, name, corners, wraps)                                                                 \
  case kind:                                                                                                 \
    evaluate_lanes(f, state, records, from, to, corners, wraps, name##_sides, name##_slopes, name##_value);  \
    break;
      CONSTRAINT_LONE_KINDS(EVALUATE)
#undef EVALUATE
    case MSD_CONSTRAINT_FIBER:
      if (f->groups[group].corners == 3)
        evaluate_fibers(f, state, records, from, to, 2);
      else
        evaluate_fibers(f, state, records, from, to, 3);
      break;
    default:
      break;
    }
  }
}

static void constraint_groups(const constraint_forces *f, const constraint_state *state, int32_t first,
                              int32_t last) {
  if (state->records)
    evaluate_groups(f, state, true, first, last);
  else
    evaluate_groups(f, state, false, first, last);
}

/* ----------------------------------------------------------------------------------------------- meshes */

/* Sums over the groups of a chunk, one per lane. */
typedef struct mesh_rows {
  msd_real volume[CONSTRAINT_LANES], rate[CONSTRAINT_LANES], excess[CONSTRAINT_LANES];
  msd_real weight[CONSTRAINT_LANES], motion[3][CONSTRAINT_LANES], squared[CONSTRAINT_LANES];
} mesh_rows;

LANE_INLINE void add_to(msd_real *row, LANE a) {
  lane_store(row, lane_load(row) + a);
}

/* The rows of mesh_fans of a group, from one lane on. */
typedef struct group_rows {
  const constraint_state *state;
  const int32_t *slots;
} group_rows;

LANE_INLINE LANE3 row_corner(const void *context, int32_t row, int after) {
  const group_rows *r = context;
  return gather_positions(r->state, r->slots + (2 * (size_t)row + (size_t)after - 1) * CONSTRAINT_LANES);
}

LANE_INLINE void evaluate_vertices(const constraint_forces *f, const constraint_state *state, int32_t group,
                                   int lane, LANE3 origin, LANE3 origin_motion, mesh_rows *sums) {
  const int32_t *slots = f->mesh_slots + (size_t)group * CONSTRAINT_LANES + lane;
  const msd_real *weights = f->mesh_weights + (size_t)group * CONSTRAINT_LANES + lane;
  const int32_t first = f->mesh_rows[group], last = f->mesh_rows[group + 1];
  const group_rows rows = {state, f->mesh_fans + (size_t)first * 2 * CONSTRAINT_LANES + lane};
  const LANE3 slope = mesh_volume_slope(last - first, origin, row_corner, &rows);
  const LANE3 gradient = lane_scale(slope, lane_set(1) / 6);
  const LANE squared = lane_dot(gradient, gradient);
  const LANE_MOTION at = gather_corners(state, false, slots);
  const LANE3 arm = lane_subtract(at.x, origin);
  add_to(sums->volume + lane, lane_dot(arm, gradient));
  add_to(sums->rate + lane, lane_dot(at.v, gradient));
  add_to(sums->excess + lane, lane_load(weights) * squared);
  if (state->meter) {
    const LANE weight = lane_load(weights), room = lane_inverse(weight > 0, weight);
    const LANE3 motion = lane_subtract(at.v, origin_motion);
    add_to(sums->weight + lane, room);
    add_to(sums->motion[0] + lane, room * motion.x);
    add_to(sums->motion[1] + lane, room * motion.y);
    add_to(sums->motion[2] + lane, room * motion.z);
    add_to(sums->squared + lane, room * lane_dot(motion, motion));
  }
  lane_store_quads(f->mesh_gradients + ((size_t)group * CONSTRAINT_LANES + (size_t)lane) * RECORD_QUAD,
                   gradient);
}

static inline msd_real sum_row(const msd_real *row) {
  msd_real sum = 0;
  for (int lane = 0; lane < CONSTRAINT_LANES; lane++)
    sum += row[lane];
  return sum;
}

static void constraint_mesh_chunks(const constraint_forces *given, const constraint_state *state,
                                   int32_t first, int32_t last) {
  const constraint_forces copy = *given, *f = &copy;
  for (int32_t c = first; c < last; c++) {
    const constraint_mesh_chunk *chunk = &f->chunks[c];
    const msd_real *at = state->at + f->meshes[chunk->mesh].origin;
    const LANE3 origin = {lane_set(at[0]), lane_set(at[state->stride]), lane_set(at[2 * state->stride])};
    const msd_real *moves = at + VELOCITY_X * state->stride;
    const LANE3 origin_motion = {lane_set(moves[0]), lane_set(moves[state->stride]),
                                 lane_set(moves[2 * state->stride])};
    mesh_rows rows = {.volume = {0}};
    for (int32_t group = chunk->first_group; group < chunk->last_group; group++)
      for (int lane = 0; lane < CONSTRAINT_LANES; lane += LANE_COUNT)
        evaluate_vertices(f, state, group, lane, origin, origin_motion, &rows);
    f->sums[c] = (constraint_mesh_sum){
        .volume = sum_row(rows.volume), .rate = sum_row(rows.rate), .excess = sum_row(rows.excess)};
    f->sums[c].weight = sum_row(rows.weight);
    f->sums[c].squared = sum_row(rows.squared);
    for (int axis = 0; axis < 3 && state->meter; axis++)
      f->sums[c].motion[axis] = sum_row(rows.motion[axis]);
  }
}

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

/* The positions and velocities of a corner. */
LANE_INLINE LANE_MOTION read_corner(const constraint_forces *f, const constraint_state *state, bool records,
                                    uint32_t lane, int corner) {
  const int32_t *slots = f->slots + corner_at(lane, corner);
  return run_of(f, state, lane, corner) ? load_corners(state, *slots) : gather_corners(state, records, slots);
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
  const LANE_MOTION motion = gather_corners(state, records, f->slots + corner_at(lane, corner));
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
  corner_source corners[CONSTRAINT_CORNERS];
  msd_real gathered[CONSTRAINT_CORNERS][COMPONENTS * LANE_COUNT];
  LANE3 gradient[CONSTRAINT_CORNERS];
  shape_sides sides;
  shape_pair pair;
  /* C', the excess, and its tuning_share. */
  LANE rate, excess, share;
  /* -(k C + mu C') */
  LANE push;
} lone_vector;

LANE_INLINE tuning_limit limit_of(const constraint_forces *f) {
  return (tuning_limit){f->most_stiffness, f->most_damping};
}

/* Computes the rate, the excess and its share. */
LANE_INLINE void weigh_lanes(const constraint_forces *f, uint32_t lane, int corners, lone_vector *w) {
  const msd_real *numbers = numbers_at(f, lane);
  LANE rate = lane_set(0), excess = lane_set(0);
  for (int c = 0; c < corners; c++) {
    rate += lane_dot(w->gradient[c], lane_load3(w->corners[c].v, w->corners[c].stride));
    excess += number(numbers, CONSTRAINT_WEIGHT + c) * lane_dot(w->gradient[c], w->gradient[c]);
  }
  w->rate = rate;
  w->excess = excess;
  w->share = tuning_share(excess, limit_of(f));
  const LANE most = lane_load(f->excess + lane);
  lane_store(f->excess + lane, lane_select(excess > most, excess, most));
}

/* -(k C + mu C') where the constraint acts; else 0. */
LANE_INLINE LANE push_of(const constraint_forces *f, uint32_t lane, int corners, bool wraps, LANE value,
                         lone_vector *w) {
  const msd_real *numbers = numbers_at(f, lane);
  const LANE error = constraint_error(value, number(numbers, CONSTRAINT_REST), wraps);
  const tuning_factors factors = tuning_read(numbers, CONSTRAINT_LANES);
  const shape_tuning t = tuning_by(&factors, w->excess, w->share, limit_of(f));
  const LANE push = -(t.stiffness * error + t.damping * w->rate);
  const LANE_MASK acts = t.stiffness + t.damping > 0;
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
      weigh_lanes(f, lane + n * LANE_COUNT, corners, &batch[n]);
    for (uint32_t n = 0; n < count; n++)
      batch[n].push = push_of(f, lane + n * LANE_COUNT, corners, wraps, value(batch[n].pair), &batch[n]);
    for (uint32_t n = 0; n < count; n++)
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

/* The forces of the fibers of a lane on the corners 1, 2, 3. */
LANE_INLINE void sum_fibers(const msd_real *numbers, int count, const fiber_vector *w, int edges,
                            LANE3 *force) {
  for (int k = 0; k < count; k++, numbers += FIBER_NUMBERS * CONSTRAINT_LANES) {
    LANE weights[CONSTRAINT_CORNERS - 1];
    LANE3 u;
    for (int n = 0; n < edges; n++)
      weights[n] = number(numbers, FIBER_WEIGHT + n);
    const LANE error = fiber_along(w->edge, weights, edges, &u) - number(numbers, FIBER_REST);
    LANE rate = lane_set(0);
    for (int n = 0; n < edges; n++)
      rate += weights[n] * lane_dot(w->motion[n], u);
    const LANE stiffness = number(numbers, FIBER_STIFFNESS), damping = number(numbers, FIBER_DAMPING);
    const LANE push = -(stiffness * error + damping * rate);
    const LANE3 pull = lane_keep3(stiffness + damping > 0, lane_scale(u, push));
    for (int n = 0; n < edges; n++)
      force[n] = lane_add(force[n], lane_scale(pull, weights[n]));
  }
}

LANE_INLINE void end_fibers(const constraint_forces *f, uint32_t lane, int edges, const fiber_vector *w) {
  const LANE3 zero = {lane_set(0), lane_set(0), lane_set(0)};
  LANE3 force[CONSTRAINT_CORNERS - 1];
  for (int n = 0; n < edges; n++)
    force[n] = zero;
  sum_fibers(numbers_at(f, lane), f->groups[lane / CONSTRAINT_LANES].count, w, edges, force);
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
      end_fibers(f, lane + n * LANE_COUNT, edges, &batch[n]);
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
                                   int lane, LANE3 origin, mesh_rows *sums) {
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
    mesh_rows rows = {{0}, {0}, {0}};
    for (int32_t group = chunk->first_group; group < chunk->last_group; group++)
      for (int lane = 0; lane < CONSTRAINT_LANES; lane += LANE_COUNT)
        evaluate_vertices(f, state, group, lane, origin, &rows);
    f->sums[c] = (constraint_mesh_sum){sum_row(rows.volume), sum_row(rows.rate), sum_row(rows.excess)};
  }
}

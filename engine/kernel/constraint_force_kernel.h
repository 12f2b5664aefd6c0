/* Phase 1 of constraint_force.h over the lanes of lane.h. Included once by each width_*.c. */

#include "engine/constraint/mesh_volume.h"
#include "engine/constraint/shapes.h"
#include "engine/constraint/tuning.h"
#include "engine/kernel/constraint_force.h"

LANE_INLINE LANE3 gather_positions(const constraint_state *state, const int32_t *slots) {
  return lane_gather3(state->at, state->stride, slots);
}

/* Positions and velocities; `records` says whether the state has them, for the compiler to know. */
LANE_INLINE LANE_MOTION gather_corners(const constraint_state *state, bool records, const int32_t *slots) {
  if (records)
    return lane_gather_motion(state->records, slots);
  return (LANE_MOTION){gather_positions(state, slots),
                       lane_gather3(state->at + VELOCITY_X * state->stride, state->stride, slots)};
}

/* Where the force on corner 0 of the constraint in a lane begins; those on the others stand CONSTRAINT_LANES
   quads apart. */
LANE_INLINE msd_real *lane_forces(const constraint_forces *f, int32_t group, int lane) {
  return f->corner_forces +
         ((size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES + (size_t)lane) * RECORD_QUAD;
}

/* One of the rows of numbers. */
LANE_INLINE LANE number(const msd_real *numbers, int row) {
  return lane_load(numbers + row * CONSTRAINT_LANES);
}

LANE_INLINE void evaluate_lanes(const constraint_forces *f, const constraint_state *state, bool records,
                                int32_t group, int lane, int corners, bool wraps,
                                LANE shape(const LANE3 *, const LANE *, LANE3 *)) {
  const int32_t *slots = f->slots + (size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES + lane;
  const msd_real *numbers = f->numbers + (size_t)f->groups[group].first_row * CONSTRAINT_LANES + lane;
  msd_real *corner_forces = lane_forces(f, group, lane);
  LANE3 x[CONSTRAINT_CORNERS], v[CONSTRAINT_CORNERS], gradient[CONSTRAINT_CORNERS];
  for (int c = 0; c < corners; c++) {
    const LANE_MOTION corner = gather_corners(state, records, slots + c * CONSTRAINT_LANES);
    x[c] = corner.x;
    v[c] = corner.v;
  }
  const LANE error = constraint_error(shape(x, NULL, gradient), number(numbers, CONSTRAINT_REST), wraps);

  LANE rate = lane_set(0), excess = lane_set(0);
  for (int c = 0; c < corners; c++) {
    rate += lane_dot(gradient[c], v[c]);
    excess += number(numbers, CONSTRAINT_WEIGHT + c) * lane_dot(gradient[c], gradient[c]);
  }
  const tuning_factors factors = tuning_read(numbers, CONSTRAINT_LANES);
  const shape_tuning t = tuning_at(&factors, excess, (tuning_limit){f->most_stiffness, f->most_damping});
  msd_real *kept = f->excess + (size_t)group * CONSTRAINT_LANES + lane;
  const LANE most = lane_load(kept);
  lane_store(kept, lane_select(excess > most, excess, most));
  const LANE push = -(t.stiffness * error + t.damping * rate);
  const LANE_MASK acts = t.stiffness + t.damping > 0;
  for (int c = 0; c < corners; c++)
    lane_store_quads(corner_forces + c * CONSTRAINT_LANES * RECORD_QUAD,
                     lane_keep3(acts, lane_scale(gradient[c], push)));
}

/* The forces of the fibres of a lane, whose edges from corner 0 and the rates of these are given, on the
   corners 1, 2, 3. */
LANE_INLINE void sum_fibres(const msd_real *numbers, int count, const LANE3 *edge, const LANE3 *motion,
                            int edges, LANE3 *force) {
  for (int k = 0; k < count; k++, numbers += FIBRE_NUMBERS * CONSTRAINT_LANES) {
    LANE weights[CONSTRAINT_CORNERS - 1];
    LANE3 u;
    for (int n = 0; n < edges; n++)
      weights[n] = number(numbers, FIBRE_WEIGHT + n);
    const LANE error = fibre_along(edge, weights, edges, &u) - number(numbers, FIBRE_REST);
    LANE rate = lane_set(0);
    for (int n = 0; n < edges; n++)
      rate += weights[n] * lane_dot(motion[n], u);
    const LANE stiffness = number(numbers, FIBRE_STIFFNESS), damping = number(numbers, FIBRE_DAMPING);
    const LANE push = -(stiffness * error + damping * rate);
    const LANE3 pull = lane_keep3(stiffness + damping > 0, lane_scale(u, push));
    for (int n = 0; n < edges; n++)
      force[n] = lane_add(force[n], lane_scale(pull, weights[n]));
  }
}

LANE_INLINE void evaluate_fibres(const constraint_forces *f, const constraint_state *state, bool records,
                                 int32_t group, int lane, int edges) {
  const int32_t *slots = f->slots + (size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES + lane;
  const msd_real *numbers = f->numbers + (size_t)f->groups[group].first_row * CONSTRAINT_LANES + lane;
  msd_real *to = lane_forces(f, group, lane);
  const LANE3 zero = {lane_set(0), lane_set(0), lane_set(0)};
  const LANE_MOTION origin = gather_corners(state, records, slots);
  LANE3 edge[CONSTRAINT_CORNERS - 1], motion[CONSTRAINT_CORNERS - 1], force[CONSTRAINT_CORNERS - 1];
  for (int n = 0; n < edges; n++) {
    slots += CONSTRAINT_LANES;
    const LANE_MOTION corner = gather_corners(state, records, slots);
    edge[n] = lane_subtract(corner.x, origin.x);
    motion[n] = lane_subtract(corner.v, origin.v);
    force[n] = zero;
  }
  sum_fibres(numbers, f->groups[group].count, edge, motion, edges, force);
  const LANE3 last = edges == 3 ? force[edges - 1] : zero;
  lane_store_quads(to, lane_balance(lane_add(force[0], force[1]), last));
  for (int n = 0; n < edges; n++)
    lane_store_quads(to + (n + 1) * CONSTRAINT_LANES * RECORD_QUAD, force[n]);
}

/* The functions below work on a copy of the layout: the compiler then sees that no store to its arrays can
   change it, and keeps it in registers. */

LANE_INLINE void evaluate_groups(const constraint_forces *given, const constraint_state *state, bool records,
                                 int32_t first, int32_t last) {
  const constraint_forces copy = *given, *f = &copy;
  for (int32_t group = first; group < last; group++)
    switch ((msd_constraint_kind)f->groups[group].kind) {
#define EVALUATE(kind, name, corners, wraps)                                                                 \
  case kind:                                                                                                 \
    for (int lane = 0; lane < CONSTRAINT_LANES; lane += LANE_COUNT)                                          \
      evaluate_lanes(f, state, records, group, lane, corners, wraps, name##_shape);                          \
    break;
      CONSTRAINT_LONE_KINDS(EVALUATE)
#undef EVALUATE
    case MSD_CONSTRAINT_FIBRE:
      for (int lane = 0; lane < CONSTRAINT_LANES; lane += LANE_COUNT)
        if (f->groups[group].corners == 3)
          evaluate_fibres(f, state, records, group, lane, 2);
        else
          evaluate_fibres(f, state, records, group, lane, 3);
      break;
    default:
      break;
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

/* Sums over the groups of a chunk, of each lane by itself. */
typedef struct mesh_rows {
  msd_real volume[CONSTRAINT_LANES], rate[CONSTRAINT_LANES], excess[CONSTRAINT_LANES];
} mesh_rows;

LANE_INLINE void add_to(msd_real *row, LANE a) {
  lane_store(row, lane_load(row) + a);
}

/* The rows of mesh_fans of a group, from some lane on. */
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
  lane_store_quads(f->corner_forces + constraint_mesh_force_at(f, group) + lane * RECORD_QUAD, gradient);
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

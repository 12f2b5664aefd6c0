/* Both phases of hard length limits for one vector width; see lane.h. */
#include "engine/base/lane.h"
#include "engine/kernel/hard_limits.h"

/* A row of hard length limits, from one lane on. */
typedef struct hard_limit_row {
  const hard_limit_list *list;
  const hard_limit_state *state;
  int32_t row;
  size_t lane;
} hard_limit_row;

/* Positions of the other ends in a state. */
LANE_INLINE LANE3 other_ends(const hard_limit_row *r, const msd_real *at) {
  const size_t stride = r->state->stride;
  const int32_t common = r->list->common[r->row];
  if (common < 0)
    return lane_gather3(at, stride, r->list->partner + r->lane);
  at += common;
  return lane_set3(at[0], at[stride], at[2 * stride]);
}

/* Stores the impulses J and returns them as vectors along d. `excess` is the violation, `length` the length
   of d. */
LANE_INLINE LANE3 give(const hard_limit_row *r, LANE_MASK acts, LANE3 d, LANE length, LANE excess) {
  const LANE impulse = lane_keep(acts, lane_load(r->list->mass + r->lane) * excess);
  lane_store(r->list->given + r->lane, impulse);
  return lane_scale(d, impulse * lane_inverse(acts, length));
}

LANE_INLINE LANE3 give_nothing(const hard_limit_row *r) {
  lane_store(r->list->given + r->lane, lane_set(0));
  return lane_set3(0, 0, 0);
}

LANE_INLINE LANE3 tethers(const hard_limit_row *r, LANE3 own) {
  const LANE3 d = lane_subtract(other_ends(r, r->state->behind), own);
  const LANE square = lane_dot(d, d), rest = lane_load(r->list->rest + r->lane);
  const LANE_MASK acts = square > rest * rest;
  if (lane_none(acts))
    return give_nothing(r);
  const LANE length = lane_sqrt(square), excess = length - rest;
  return give(r, acts & (excess > 0), d, length, excess);
}

LANE_INLINE LANE3 struts(const hard_limit_row *r, LANE3 own_before, LANE3 own) {
  const LANE3 d = lane_subtract(own_before, other_ends(r, r->state->before));
  const LANE square = lane_dot(d, d), rest = lane_load(r->list->rest + r->lane);
  const LANE_MASK points = square > LANE_SMALLEST;
  const LANE length = lane_sqrt(lane_select(points, square, lane_set(1)));
  const LANE along = lane_dot(d, lane_subtract(own, other_ends(r, r->state->behind))) / length;
  const LANE_MASK acts = points & (along < rest);
  return lane_none(acts) ? give_nothing(r) : give(r, acts, d, length, rest - along);
}

/* Returns whether something moves. */
LANE_INLINE bool move_lanes(const hard_limit_list *c, const hard_limit_state *state, int32_t k, size_t lane) {
  const size_t slot = (size_t)c->groups[k] * HARD_LIMIT_LANES + lane;
  const LANE3 own = lane_load3(state->behind + slot, state->stride);
  LANE3 sum = lane_set3(0, 0, 0);
  hard_limit_row r = {c, state, c->rows[2 * k], (size_t)c->rows[2 * k] * HARD_LIMIT_LANES + lane};
  for (; r.row < c->rows[2 * k + 1]; r.row++, r.lane += HARD_LIMIT_LANES)
    sum = lane_add(sum, tethers(&r, own));
  if (r.row < c->rows[2 * k + 2]) {
    const LANE3 own_before = lane_load3(state->before + slot, state->stride);
    for (; r.row < c->rows[2 * k + 2]; r.row++, r.lane += HARD_LIMIT_LANES)
      sum = lane_add(sum, struts(&r, own_before, own));
  }
  const LANE3 moved = lane_scale(sum, lane_load(state->inverse_mass + slot));
  lane_store3(c->moved + (size_t)k * 3 * HARD_LIMIT_LANES + lane, HARD_LIMIT_LANES, moved);
  return !lane_none((moved.x != 0) | (moved.y != 0) | (moved.z != 0));
}

static void hard_limit_give(const hard_limit_list *given, const hard_limit_state *state, int32_t first,
                            int32_t last) {
  const hard_limit_list copy = *given, *c = &copy;
  for (int32_t k = first; k < last; k++) {
    bool moves = false;
    for (size_t lane = 0; lane < HARD_LIMIT_LANES; lane += (size_t)LANE_COUNT)
      moves |= move_lanes(c, state, k, lane);
    c->moves[k] = moves;
  }
}

/* Adds to the lanes that move. The others keep all bits, including the sign of zero. */
LANE_INLINE LANE_MASK add_where(LANE_MASK moves, msd_real *to, LANE change) {
  const LANE sum = lane_load(to) + change;
  lane_store(to, lane_select(moves, sum, lane_load(to)));
  return moves & lane_not(sum - sum == 0);
}

static bool hard_limit_move(const hard_limit_list *c, const hard_limit_state *state, int32_t first,
                            int32_t last) {
  bool finite = true;
  for (int32_t k = first; k < last; k++)
    for (size_t at = 0; at < 3 * HARD_LIMIT_LANES && c->moves[k]; at += (size_t)LANE_COUNT) {
      const LANE moved = lane_load(c->moved + (size_t)k * 3 * HARD_LIMIT_LANES + at);
      msd_real *x = state->behind + at / HARD_LIMIT_LANES * state->stride +
                    (size_t)c->groups[k] * HARD_LIMIT_LANES + at % HARD_LIMIT_LANES;
      const LANE_MASK moves = moved != 0;
      const LANE_MASK lost =
          add_where(moves, x, moved) | add_where(moves, x + 3 * state->stride, moved / state->dt);
      finite = finite && lane_none(lost);
    }
  return finite;
}

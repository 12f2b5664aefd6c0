/* The sweeps of spring_projection.h over the lanes of lane.h. Each width_*.c includes it once. */

#include "engine/base/lane.h"
#include "engine/kernel/spring_force.h"
#include "engine/kernel/spring_projection.h"

/* LANE_COUNT springs of a block, and the current state of their ends. */
typedef struct projection_lanes {
  projection_block *block;
  int lane;
  LANE3 velocity_a, velocity_b;
  /* The vector from b to a. */
  LANE3 apart;
  LANE length;
} projection_lanes;

/* Reads the ends at the positions predicted `ahead` seconds from now. */
LANE_INLINE projection_lanes projection_read(const projection_sweep *s, projection_block *block, int lane,
                                             msd_real ahead) {
  const LANE_MOTION a = lane_gather_motion(s->records, block->a + lane);
  const LANE_MOTION b = lane_gather_motion(s->records, block->b + lane);
  const LANE3 turned = lane_scale(lane_subtract(a.v, b.v), lane_set(ahead));
  const LANE3 apart = lane_add(lane_subtract(a.x, b.x), turned);
  return (projection_lanes){
      block, lane, a.v, b.v, apart, lane_sqrt(lane_dot(apart, apart) + lane_set((msd_real)SPRING_TINY))};
}

LANE_INLINE void projection_give(const projection_sweep *s, const projection_lanes *p, LANE change) {
  const projection_block *block = p->block;
  const LANE along = change / p->length;
  const LANE3 at_a = lane_scale(p->apart, along * lane_load(block->share_a + p->lane));
  const LANE3 at_b = lane_scale(p->apart, along * lane_load(block->share_b + p->lane));
  msd_real *velocities = s->records + RECORD_QUAD;
  lane_scatter_records(velocities, block->a + p->lane, lane_add(p->velocity_a, at_a),
                       block->moves_a >> p->lane);
  lane_scatter_records(velocities, block->b + p->lane, lane_subtract(p->velocity_b, at_b),
                       block->moves_b >> p->lane);
}

/* l is 0 at the beginning of the forward sweep. */
LANE_INLINE LANE projection_so_far(const projection_sweep *s, const projection_lanes *p) {
  return s->goes_back ? lane_load(p->block->so_far + p->lane) : lane_set(0);
}

LANE_INLINE void projection_project_lanes(const projection_sweep *s, projection_block *block, int lane) {
  const projection_lanes p = projection_read(s, block, lane, s->dt);
  const LANE rest = lane_gather(s->rests, block->rest + lane), side = lane_load(block->side + lane);
  const LANE taken = lane_load(block->elastic + lane), so_far = projection_so_far(s, &p);
  const LANE left = lane_set(1) - taken * lane_set(s->dt), none = lane_set(0);
  const LANE change = taken * (p.length - rest) + lane_select(left > 0, left, none) * so_far;
  const LANE whole = lane_select(rest >= 0, so_far - change, none);
  const LANE kept = lane_select(side * whole > 0, none, whole);
  lane_store(block->so_far + lane, kept);
  projection_give(s, &p, kept - so_far);
}

LANE_INLINE void projection_damp_lanes(const projection_sweep *s, projection_block *block, int lane) {
  const projection_lanes p = projection_read(s, block, lane, 0);
  const LANE rest = lane_gather(s->rests, block->rest + lane), side = lane_load(block->side + lane);
  const LANE taken = lane_load(block->damper + lane), so_far = projection_so_far(s, &p);
  const LANE rate = lane_dot(lane_subtract(p.velocity_a, p.velocity_b), p.apart) / p.length;
  const LANE_MASK acts = (rest >= 0) & lane_not((side != 0) & (side * (p.length - rest) <= 0));
  const LANE change = lane_select(acts, taken * rate + (lane_set(1) - taken) * so_far, lane_set(0));
  lane_store(block->so_far + lane, so_far - change);
  projection_give(s, &p, lane_set(0) - change);
}

static void projection_project(const projection_sweep *s, int32_t first, int32_t last) {
  for (int32_t n = 0; n < last - first; n++)
    for (int lane = 0; lane < PROJECTION_LANES; lane += LANE_COUNT)
      projection_project_lanes(s, &s->blocks[s->goes_back ? last - 1 - n : first + n], lane);
}

static void projection_damp(const projection_sweep *s, int32_t first, int32_t last) {
  for (int32_t n = 0; n < last - first; n++)
    for (int lane = 0; lane < PROJECTION_LANES; lane += LANE_COUNT)
      projection_damp_lanes(s, &s->blocks[s->goes_back ? last - 1 - n : first + n], lane);
}

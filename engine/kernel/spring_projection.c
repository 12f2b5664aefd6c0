#include "engine/kernel/spring_projection.h"

#include "engine/base/record.h"
#include "engine/kernel/spring_impulse.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------- layout */

static int32_t lanes_in_block(int color) {
  return color < COLORING_COLORS ? PROJECTION_LANES : 1;
}

/* Assigns blocks to the colors. Returns the number of blocks. */
static int64_t place_colors(coloring *blocks, const coloring *items) {
  int64_t count = 0;
  for (int color = 0; color <= COLORING_COLORS; color++) {
    const int32_t lanes = lanes_in_block(color);
    blocks->first[color] = (int32_t)count;
    count += (items->first[color + 1] - items->first[color] + lanes - 1) / lanes;
  }
  blocks->first[COLORING_COLORS + 1] = (int32_t)count;
  return count;
}

static void clear_block(projection_block *block) {
  *block = (projection_block){.moves_a = 0};
  for (int lane = 0; lane < PROJECTION_LANES; lane++)
    block->a[lane] = block->b[lane] = block->index[lane] = -1;
}

static void fill_blocks(spring_projections *s, const spring_impulses *order, const network_source *source) {
  for (int32_t n = 0; n < s->count; n++)
    clear_block(&s->blocks[n]);
  for (int color = 0; color <= COLORING_COLORS; color++) {
    const int32_t lanes = lanes_in_block(color), first = order->colors.first[color];
    for (int32_t n = first; n < order->colors.first[color + 1]; n++) {
      const spring_impulse *item = &order->items[n];
      projection_block *block = &s->blocks[s->colors.first[color] + (n - first) / lanes];
      const int lane = (n - first) % lanes;
      block->a[lane] = item->a;
      block->b[lane] = item->b;
      block->rest[lane] = item->lane;
      block->index[lane] = item->index;
      block->side[lane] = source->side ? network_side(source->side[item->index]) : 0;
    }
  }
}

static bool allocate(spring_projections *s, memory *m, const network *net, int64_t blocks) {
  const int64_t records = (int64_t)net->group_count * NETWORK_GROUP + 1;
  s->blocks = memory_allocate_items(m, blocks, sizeof *s->blocks);
  s->records = memory_allocate_items(m, records, RECORD_SIZE * sizeof *s->records);
  return s->blocks && s->records;
}

bool spring_projections_make(spring_projections *s, memory *m, const network *net,
                             const network_source *source) {
  spring_impulses order = {.items = NULL};
  spring_projections_free(s, m);
  bool done = spring_impulses_make(&order, m, net, source);
  if (done) {
    const int64_t blocks = place_colors(&s->colors, &order.colors);
    done = allocate(s, m, net, blocks);
    s->count = done ? (int32_t)blocks : 0;
    if (done)
      fill_blocks(s, &order, source);
  }
  spring_impulses_free(&order, m);
  if (!done)
    spring_projections_free(s, m);
  return done;
}

void spring_projections_free(spring_projections *s, memory *m) {
  memory_release(m, s->blocks);
  memory_release(m, s->records);
  *s = (spring_projections){.blocks = NULL};
}

/* ------------------------------------------------------------------------------------------- coefficients */

static double taken_of(double load) {
  return isfinite(load) ? load / (1 + load) : 1;
}

void spring_projections_tune(spring_projections *s, const network *net, projection_block *block, int lane,
                             projection_tuning tuning, double dt) {
  const double wa = (double)net->inverse_mass[block->a[lane]], wb = (double)net->inverse_mass[block->b[lane]];
  const double w = wa + wb, load = dt * dt * tuning.stiffness * w;
  const uint32_t bit = (uint32_t)1 << lane;
  block->share_a[lane] = (msd_real)(w > 0 ? wa / w : 0);
  block->share_b[lane] = (msd_real)(w > 0 ? wb / w : 0);
  block->moves_a = wa > 0 ? block->moves_a | bit : block->moves_a & ~bit;
  block->moves_b = wb > 0 ? block->moves_b | bit : block->moves_b & ~bit;
  block->elastic[lane] = (msd_real)(w > 0 ? (tuning.rigid ? 1 : taken_of(load)) / dt : 0);
  block->damper[lane] = (msd_real)(tuning.rigid ? 0 : taken_of(dt * tuning.damping * w));
  s->is_damped = s->is_damped || block->damper[lane] > 0;
}

/* In equilibrium l = -dt w k C = -C p/(1 - p dt). */
double spring_projection_residual(const projection_block *block, int lane, double rest, double length,
                                  double dt) {
  const double taken = (double)block->elastic[lane], so_far = (double)block->so_far[lane];
  const double error = length - rest;
  const bool is_slack = block->side[lane] != 0 && so_far == 0 && (double)block->side[lane] * error <= 0;
  if (block->index[lane] < 0 || !(taken > 0) || !(rest > 0) || is_slack)
    return -1;
  return fabs(error + so_far * fmax(0, 1 - taken * dt) / taken) / rest;
}

/* ------------------------------------------------------------------------------------------------- sweeps */

/* The arguments of a sweep on one thread. */
typedef struct turn {
  projection_sweep sweep;
  void (*act)(const projection_sweep *s, int32_t first, int32_t last);
} turn;

static void act_on_range(const void *context, parallel_range range) {
  const turn *t = context;
  t->act(&t->sweep, range.first, range.last);
}

static void sweep_both_ways(const spring_projection_thread *t,
                            void (*act)(const projection_sweep *s, int32_t first, int32_t last)) {
  const spring_projections *s = t->springs;
  turn now = {{s->blocks, t->net->rest, s->records + RECORD_SIZE, t->dt, false}, act};
  coloring_run(&s->colors, act_on_range, &now, t->barrier, t->thread, t->threads);
  now.sweep.goes_back = true;
  coloring_run_back(&s->colors, act_on_range, &now, t->barrier, t->thread, t->threads);
}

void spring_projection_damp(const spring_projection_thread *t) {
  sweep_both_ways(t, t->kernel.damp);
}

void spring_projection_project(const spring_projection_thread *t) {
  sweep_both_ways(t, t->kernel.project);
}

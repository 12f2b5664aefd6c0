/* The kernels of spring_force.h over the lanes of lane.h. Each width_*.c includes it once. */

#include "engine/base/lane.h"
#include "engine/base/min_max.h"
#include "engine/kernel/spring_force.h"
#include "engine/kernel/spring_lane_kernel.h"
#include "engine/store/particle.h"

#include <string.h>

#ifdef __GNUC__
#define PREFETCH(at)          __builtin_prefetch(at)
#define PREFETCH_TO_WRITE(at) __builtin_prefetch(at, 1)
#else
#define PREFETCH(at)          ((void)(at))
#define PREFETCH_TO_WRITE(at) ((void)(at))
#endif

enum { PREFETCH_AHEAD = 12 * NETWORK_GROUP, BATCH_ROWS = 16 };

LANE_INLINE motion load_slab(const msd_real *slab, size_t stride, int32_t particle) {
  const msd_real *at = slab + particle;
  return (motion){lane_load3(at, stride), lane_load3(at + 3 * stride, stride)};
}

LANE_INLINE motion load_motion(const spring_input *in, int32_t particle) {
  return load_slab(in->read.slab, in->stride, particle);
}

/* Loads consecutive particles from either form of the state. */
LANE_INLINE motion load_row_of(const spring_source *state, size_t stride, int32_t particle) {
  if (state->slab)
    return load_slab(state->slab, stride, particle);
  return lane_load_motion(state->records + (ptrdiff_t)particle * RECORD_SIZE);
}

LANE_INLINE motion load_row(const spring_input *in, int32_t particle) {
  return load_row_of(&in->read, in->stride, particle);
}

LANE_INLINE motion gather_motion(const spring_input *in, const int32_t *index) {
  const spring_source *from = &in->read;
  if (from->records)
    return lane_gather_motion(from->records, index);
  return (motion){lane_gather3(from->slab, in->stride, index),
                  lane_gather3(from->slab + 3 * in->stride, in->stride, index)};
}

LANE_INLINE void store_motion(const spring_input *in, int32_t particle, LANE3 x, LANE3 v) {
  if (in->read_ahead)
    for (size_t c = 0; c < COMPONENTS; c++)
      PREFETCH_TO_WRITE(in->write.slab + c * in->stride + (particle + PREFETCH_AHEAD));
  if (in->write.slab) {
    lane_store3(in->write.slab + particle, in->stride, x);
    lane_store3(in->write.slab + particle + 3 * in->stride, in->stride, v);
  }
  if (in->write.records)
    lane_store_motion(in->write.records + (ptrdiff_t)particle * RECORD_SIZE, (motion){x, v});
}

/* ------------------------------------------------------------------------------------------------- rows */

/* Prefetches a state and springs that are larger than the caches: the lanes of a row, and the particles that
   were not read yet, which are the partners at the largest offset. */
LANE_INLINE void prefetch_row(const spring_input *in, const dia_block *run, int32_t particle, int32_t lane) {
  const network *net = in->net;
  PREFETCH(net->rest + lane + PREFETCH_AHEAD);
  if (!run->material.uniform) {
    PREFETCH(net->streamed.stiffness + lane + PREFETCH_AHEAD);
    PREFETCH(net->streamed.damping + lane + PREFETCH_AHEAD);
  }
  if (run->offset == net->largest_offset)
    for (size_t c = 0; c < COMPONENTS; c++)
      PREFETCH(in->read.slab + c * in->stride + (particle + run->offset + PREFETCH_AHEAD));
}

LANE_INLINE void subtract_rows(const spring_input *in, bool special, LANE3 *sum, const motion *p,
                               int32_t particle, int32_t first, int32_t last, watch *w) {
  for (const dia_row *row = in->net->rows + first; row < in->net->rows + last; row++) {
    const motion q = load_row(in, particle + row->shift);
    const dia_block *run = &in->net->runs[row->run];
    const int32_t lane = row->lane + particle % NETWORK_GROUP;
    if (in->read_ahead && row->shift > 0)
      prefetch_row(in, run, particle, lane);
    *sum = lane_subtract(*sum, run_forces(in->net, run, special, p, &q, lane, w));
  }
}

LANE_INLINE motion load_pin(const spring_input *in, int32_t pin) {
  const msd_real *slab = in->pins.slab;
  const msd_real *x = slab ? slab + pin : in->pins.records + (ptrdiff_t)pin * RECORD_SIZE;
  const size_t next = slab ? in->stride : 1;
  const msd_real *v = x + (slab ? 3 * in->stride : RECORD_QUAD);
  return (motion){lane_set3(x[0], x[next], x[2 * next]), lane_set3(v[0], v[next], v[2 * next])};
}

LANE_INLINE void subtract_held(const spring_input *in, LANE3 *sum, const motion *p, int32_t particle,
                               int32_t first, int32_t last, watch *w) {
  const network *net = in->net;
  for (int32_t r = first; r < last; r++) {
    const network_held_row *row = &net->held_rows[r];
    const int32_t lane = net->held_lane + r * NETWORK_GROUP + particle % NETWORK_GROUP;
    const motion q =
        row->pin >= 0 ? load_pin(in, row->pin) : load_row_of(&in->pins, in->stride, particle + row->shift);
    if (in->read_ahead)
      PREFETCH(net->rest + lane + PREFETCH_AHEAD);
    const LANE3 force =
        row_forces(net, &row->material, row->material.uniform, p, &q, lane, true, row->side, w);
    if (w)
      watch_held(w, lane_set(0) == 0, force, q.v);
    *sum = lane_subtract(*sum, force);
  }
}

/* Loads the partners in a row of indexed lanes, for the particles from `particle` on. `records` and `near`
   are compile-time constants that describe the data. Near partners are loaded from records without an
   index. */
LANE_INLINE motion gather_partners(const spring_input *in, bool records, bool near, int32_t particle,
                                   int32_t lane) {
  int32_t room[LANE_COUNT];
  if (records && near)
    return lane_gather_motion_near(in->read.records + (ptrdiff_t)particle * RECORD_SIZE,
                                   in->net->near + lane);
  const int32_t *partner = indexed_partners(in->net, lane, particle, 1, room);
  return records ? lane_gather_motion(in->read.records, partner) : gather_motion(in, partner);
}

/* Several indexed rows: all are begun before the first is ended. The functions branch outside the loops, so
   that the conditions are not evaluated for every vector. */
LANE_INLINE void begin_batch(const spring_input *in, bool records, bool near, const motion *p,
                             int32_t particle, int32_t lane, int rows, spring_start *starts) {
  for (int r = 0; r < rows; r++) {
    const motion q = gather_partners(in, records, near, particle, lane + r * NETWORK_GROUP);
    starts[r] = spring_begin(p, &q);
  }
}

LANE_INLINE LANE3 end_batch(const network *net, bool special, bool uniform, const spring_start *starts,
                            int32_t lane, int rows, LANE3 sum) {
  for (int r = 0; r < rows; r++) {
    const spring_lanes s = indexed_lanes(net, special, uniform, lane + r * NETWORK_GROUP);
    sum = lane_subtract(sum, spring_end(&starts[r], &s).force);
  }
  return sum;
}

LANE_INLINE void subtract_batch(const spring_input *in, bool special, LANE3 *sum, const motion *p,
                                int32_t particle, int32_t lane, int rows) {
  spring_start starts[BATCH_ROWS];
  if (in->read.records && in->net->near)
    begin_batch(in, true, true, p, particle, lane, rows, starts);
  else if (in->read.records)
    begin_batch(in, true, false, p, particle, lane, rows, starts);
  else
    begin_batch(in, false, false, p, particle, lane, rows, starts);
  if (in->net->indexed_material.uniform)
    *sum = end_batch(in->net, special, true, starts, lane, rows, *sum);
  else
    *sum = end_batch(in->net, special, false, starts, lane, rows, *sum);
}

LANE_INLINE void subtract_indexed(const spring_input *in, bool special, LANE3 *sum, const motion *p,
                                  int32_t particle, int32_t first, int32_t last, watch *w) {
  const int32_t lane = particle % NETWORK_GROUP;
  for (int32_t r = first; r < last && !w; r += BATCH_ROWS)
    subtract_batch(in, special, sum, p, particle, r * NETWORK_GROUP + lane, int_min(last - r, BATCH_ROWS));
  for (int32_t r = first; r < last && w; r++) {
    int32_t room[LANE_COUNT];
    const int32_t at = r * NETWORK_GROUP + lane, *partner = indexed_partners(in->net, at, particle, 1, room);
    const motion q = gather_motion(in, partner);
    *sum = lane_subtract(*sum, indexed_forces(in->net, special, p, &q, partner, at, w));
  }
}

/* The overflow row of the particle in one lane. */
LANE_INLINE void subtract_tail(const spring_input *in, bool special, LANE3 *sum, const motion *p, int lane,
                               const overflow_row *tail, watch *w) {
  const motion hub = {lane_set3(lane_get(p->x.x, lane), lane_get(p->x.y, lane), lane_get(p->x.z, lane)),
                      lane_set3(lane_get(p->v.x, lane), lane_get(p->v.y, lane), lane_get(p->v.z, lane))};
  msd_real x = lane_get(sum->x, lane), y = lane_get(sum->y, lane), z = lane_get(sum->z, lane);
  for (int32_t at = tail->first; at < tail->end; at += LANE_COUNT) {
    int32_t room[LANE_COUNT];
    const int32_t *partner = indexed_partners(in->net, at, tail->particle, 0, room);
    const motion q = gather_motion(in, partner);
    watch of_springs = w ? watch_again(w) : (watch){0};
    const LANE3 f = indexed_forces(in->net, special, &hub, &q, partner, at, w ? &of_springs : NULL);
    for (int n = 0; n < LANE_COUNT; n++) {
      x -= lane_get(f.x, n);
      y -= lane_get(f.y, n);
      z -= lane_get(f.z, n);
    }
    if (w)
      watch_tail(w, lane, &of_springs);
  }
  lane_put(&sum->x, lane, x);
  lane_put(&sum->y, lane, y);
  lane_put(&sum->z, lane, z);
}

/* The overflow rows of the particles from `particle` on; there is rarely one. */
LANE_INLINE void subtract_tails(const spring_input *in, bool special, LANE3 *sum, const motion *p,
                                int32_t particle, int32_t group, watch *w) {
  const overflow_row *tails = in->net->tails, *end = tails + network_first_tail(in->net, group + 1);
  for (const overflow_row *t = tails + network_first_tail(in->net, group); t < end; t++)
    if (t->particle >= particle && t->particle < particle + LANE_COUNT)
      subtract_tail(in, special, sum, p, t->particle - particle, t, w);
}

LANE_APART void subtract_plain_tails(const spring_input *in, LANE3 *sum, const motion *p, int32_t particle,
                                     int32_t group) {
  subtract_tails(in, true, sum, p, particle, group, NULL);
}

/* Adds all forces other than contiguous springs, and returns f/m + g. */
LANE_INLINE LANE3 accelerations(const spring_input *in, bool special, int32_t particle, const motion *p,
                                LANE3 up, LANE3 down, watch *w) {
  const int32_t number = particle / NETWORK_GROUP;
  const network_group *group = &in->net->groups[number];
  LANE3 force = lane_add(up, down);
  if (special)
    subtract_held(in, &force, p, particle, group->held, group[1].held, w);
  subtract_indexed(in, special, &force, p, particle, group->indexed, group->indexed_end, w);
  if (special && network_first_tail(in->net, number) < network_first_tail(in->net, number + 1)) {
    if (w)
      subtract_tails(in, special, &force, p, particle, number, w);
    else
      subtract_plain_tails(in, &force, p, particle, number);
  }
  if (w)
    w->force = force;
  if (in->force)
    force = lane_add(force, lane_load3(in->force + particle, in->stride));
  const LANE inverse_mass = lane_load(in->net->inverse_mass + particle);
  return (LANE3){force.x * inverse_mass + in->gravity[0], force.y * inverse_mass + in->gravity[1],
                 force.z * inverse_mass + in->gravity[2]};
}

LANE_INLINE LANE3 row_accelerations(const spring_input *in, bool special, int32_t particle, const motion *p,
                                    watch *w) {
  const network_group *group = &in->net->groups[particle / NETWORK_GROUP];
  LANE3 up = lane_set3(0, 0, 0), down = up;
  subtract_rows(in, special, &up, p, particle, group->up, group->down, w);
  if (w)
    w->counts = false; /* these springs are counted at their lower ends */
  subtract_rows(in, special, &down, p, particle, group->down, group[1].up, w);
  if (w)
    w->counts = true;
  return accelerations(in, special, particle, p, up, down, w);
}

/* Symplectic Euler. Returns the lanes whose new position is not finite. */
LANE_INLINE LANE_MASK move(const spring_input *in, int32_t particle, const motion *p, LANE3 a) {
  const msd_real dt = in->dt, decay = in->decay;
  const LANE3 moved = {(p->v.x + dt * a.x) * decay, (p->v.y + dt * a.y) * decay, (p->v.z + dt * a.z) * decay};
  const LANE3 v = lane_select3(lane_load(in->net->inverse_mass + particle) > 0, moved, p->v);
  LANE3 x = {p->x.x + dt * v.x, p->x.y + dt * v.y, p->x.z + dt * v.z};
  if (in->loose)
    x = lane_select3(lane_load(in->loose + particle) > 0,
                     lane_subtract(x, lane_scale(a, lane_set(dt * dt / 2))), x);
  store_motion(in, particle, x, v);
  /* The difference of a number with itself is 0, or NaN if the number is not finite. */
  return (x.x - x.x) + (x.y - x.y) + (x.z - x.z) != 0;
}

/* Adds the kinetic terms of the kick to the energy sums. */
LANE_INLINE void watch_move(watch_rows *rows, const watch *w, const spring_input *in, int32_t particle,
                            const motion *p, LANE3 a) {
  const LANE inverse_mass = lane_load(in->net->inverse_mass + particle);
  const LANE3 change = lane_keep3(inverse_mass > 0, lane_scale(a, lane_set(in->dt)));
  watch_particles(rows, w, particle, p->v, change, inverse_mass);
}

/* The functions below work on copies of their arguments. So the compiler knows that no store can modify them,
   and keeps them in registers. Special cases are separate functions, since they would slow down the common
   code in the same function. */

LANE_INLINE bool advance_rows(const spring_input *given, bool special, int32_t first, int32_t last) {
  const network net = *given->net;
  spring_input copy = *given;
  copy.net = &net;
  const spring_input *in = &copy;
  LANE_MASK bad = {0};
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i += LANE_COUNT) {
    const motion p = load_row(in, i);
    bad |= move(in, i, &p, row_accelerations(in, special, i, &p, NULL));
  }
  return lane_none(bad);
}

LANE_INLINE void store_acceleration(const spring_input *in, msd_real *out, int32_t particle, LANE3 a) {
  lane_store3(out + particle, in->stride, lane_keep3(lane_load(in->net->inverse_mass + particle) > 0, a));
}

LANE_INLINE void store_accelerations(const spring_input *given, bool special, msd_real *out, int32_t first,
                                     int32_t last) {
  const network net = *given->net;
  spring_input copy = *given;
  copy.net = &net;
  const spring_input *in = &copy;
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i += LANE_COUNT) {
    const motion p = load_motion(in, i);
    store_acceleration(in, out, i, row_accelerations(in, special, i, &p, NULL));
  }
}

/* A pass of energy_meter.h. Returns whether every new position is finite. If `kept` is not NULL, nothing
   moves, and the accelerations are stored there. */
LANE_INLINE bool watch_chunks(const spring_input *given, const energy_meter *order, spring_pass pass,
                              bool special, msd_real *kept, int32_t first, int32_t last) {
  const network net = *given->net;
  spring_input copy = *given;
  copy.net = &net;
  const spring_input *in = &copy;
  const int32_t end = last * NETWORK_GROUP;
  LANE_MASK bad = {0};
  for (int32_t chunk = first * NETWORK_GROUP; chunk < end; chunk += NETWORK_CHUNK) {
    watch_rows rows = {0};
    for (int32_t i = chunk; i < end && i < chunk + NETWORK_CHUNK; i += LANE_COUNT) {
      const motion p = load_row(in, i);
      watch w = watch_begin(order, pass, in->dt);
      const LANE3 a = row_accelerations(in, special, i, &p, &w);
      if (kept) {
        store_acceleration(in, kept, i, a);
        watch_keep(&rows, &w, in, i);
        continue;
      }
      watch_move(&rows, &w, in, i, &p, a);
      if (pass != SPRING_PASS_RESERVE)
        bad |= move(in, i, &p, a);
    }
    in->tallies[chunk / NETWORK_CHUNK] = watch_tally(&rows);
  }
  return lane_none(bad);
}

static bool is_special(const network *net) {
  return net->one_sided || net->tail_count > 0;
}

LANE_APART bool advance_special_rows(const spring_input *in, int32_t first, int32_t last) {
  return advance_rows(in, true, first, last);
}

LANE_APART void store_special_accelerations(const spring_input *in, msd_real *out, int32_t first,
                                            int32_t last) {
  store_accelerations(in, true, out, first, last);
}

LANE_APART bool measure_rows(const spring_input *in, int32_t first, int32_t last) {
  return watch_chunks(in, NULL, SPRING_PASS_MEASURE, false, NULL, first, last);
}

LANE_APART bool measure_special_rows(const spring_input *in, int32_t first, int32_t last) {
  return watch_chunks(in, NULL, SPRING_PASS_MEASURE, true, NULL, first, last);
}

LANE_APART bool scale_rows(const spring_input *in, const energy_meter *order, int32_t first, int32_t last) {
  return watch_chunks(in, order, SPRING_PASS_SCALE, true, NULL, first, last);
}

LANE_APART bool reserve_rows(const spring_input *in, int32_t first, int32_t last) {
  return watch_chunks(in, NULL, SPRING_PASS_RESERVE, true, NULL, first, last);
}

LANE_APART void measure_accelerations(const spring_input *in, msd_real *out, int32_t first, int32_t last) {
  watch_chunks(in, NULL, SPRING_PASS_MEASURE, true, out, first, last);
}

LANE_APART bool scale_accelerations(const spring_input *in, const energy_meter *order, int32_t first,
                                    int32_t last) {
  return watch_chunks(in, order, SPRING_PASS_SCALE, true, order->out, first, last);
}

static bool energy_meter_rows(const spring_input *in, const energy_meter *order, int32_t first,
                              int32_t last) {
  if (order->out)
    return scale_accelerations(in, order, first, last);
  return order->pass == SPRING_PASS_SCALE ? scale_rows(in, order, first, last)
                                          : reserve_rows(in, first, last);
}

static bool spring_advance_rows(const spring_input *in, int32_t first, int32_t last) {
  if (in->tallies)
    return is_special(in->net) ? measure_special_rows(in, first, last) : measure_rows(in, first, last);
  return is_special(in->net) ? advance_special_rows(in, first, last) : advance_rows(in, false, first, last);
}

static void spring_accelerations(const spring_input *in, msd_real *out, int32_t first, int32_t last) {
  if (in->tallies)
    measure_accelerations(in, out, first, last);
  else if (is_special(in->net))
    store_special_accelerations(in, out, first, last);
  else
    store_accelerations(in, false, out, first, last);
}

/* -------------------------------------------------------------------------------------- diagonal blocks */

/* Adds the upper ends of the springs that come from particles below `first`, which another call processes, to
   the carry buffer. They end in the groups first..last-1, or beyond them if the sums are passed on. */
LANE_INLINE void add_entering(const spring_input *in, const spring_down *sums, bool special, int32_t first,
                              int32_t last) {
  const network *net = in->net;
  const int32_t border = first * NETWORK_GROUP;
  const int32_t end = sums->goes_on ? net->group_count : last;
  for (int32_t i = border; i < end * NETWORK_GROUP && i - net->largest_offset < border; i += LANE_COUNT) {
    const network_group *group = &net->groups[i / NETWORK_GROUP];
    const motion p = load_motion(in, i);
    msd_real *sum = sums->sums + (i - border);
    LANE3 down = lane_load3(sum, sums->stride);
    for (const dia_row *row = net->rows + group->down; row < net->rows + group[1].up; row++) {
      if (i + row->shift >= border)
        continue;
      const motion q = load_motion(in, i + row->shift);
      const dia_block *run = &net->runs[row->run];
      const LANE3 f = run_forces(net, run, special, &p, &q, row->lane + i % NETWORK_GROUP, NULL);
      down = lane_subtract(down, lane_keep3(lane_below(i + row->shift, border), f));
    }
    lane_store3(sum, sums->stride, down);
  }
}

/* The up sums of a chunk: three force components, then twice the energies if they are measured. */
enum { UP_ENERGY = 3 * NETWORK_CHUNK };

LANE_INLINE void add_forces(msd_real *up, msd_real *down, size_t down_stride, LANE3 f) {
  lane_store3(up, NETWORK_CHUNK, lane_subtract(lane_load3(up, NETWORK_CHUNK), f));
  lane_store3(down, down_stride, lane_add(lane_load3(down, down_stride), f));
}

/* Evaluates the springs of one segment, each once, from its lower end. Vectors are begun ahead; see
   ROOTS_AHEAD. */
LANE_INLINE void add_segment(const spring_input *in, const spring_down *sums, const dia_block *given,
                             bool uniform, bool sided, const dia_segment *segment, msd_real *up_sums,
                             int32_t border) {
  const dia_block copy = *given, *run = &copy;
  const int32_t first = segment->first_group * NETWORK_GROUP, end = (segment->last_group + 1) * NETWORK_GROUP;
  const int32_t lane = run->lane - run->first_group * NETWORK_GROUP;
  if (first >= end)
    return;
  const msd_real *x = in->read.slab + first, *v = x + 3 * in->stride;
  msd_real *up = up_sums + first % NETWORK_CHUNK, *down = sums->sums + (first + run->offset - border);
  spring_start start = spring_begin_row(x, v, in->stride, run->offset), next = start;
  if (ROOTS_AHEAD && first + LANE_COUNT < end)
    next = spring_begin_row(x += LANE_COUNT, v += LANE_COUNT, in->stride, run->offset);
  spring_root root = spring_take_root(&start);
  for (int32_t i = first; i < end; i += LANE_COUNT, up += LANE_COUNT, down += LANE_COUNT) {
    x += LANE_COUNT, v += LANE_COUNT;
    const bool more = i + (1 + ROOTS_AHEAD) * LANE_COUNT < end;
    const spring_start begun = more ? spring_begin_row(x, v, in->stride, run->offset) : next;
    const spring_root taken = spring_take_root(ROOTS_AHEAD ? &next : &start);
    const spring_lanes s = row_lanes(in->net, &run->material, uniform, lane + i, sided, run->side);
    add_forces(up, down, sums->stride, spring_end_root(&start, ROOTS_AHEAD ? &root : &taken, &s).force);
    start = ROOTS_AHEAD ? next : begun;
    next = begun;
    root = taken;
  }
}

/* The same with energy measurement. */
LANE_INLINE void measure_segment(const spring_input *in, const spring_down *sums, const dia_block *run,
                                 bool special, const dia_segment *segment, msd_real *up_sums,
                                 int32_t border) {
  const int32_t lane = run->lane - run->first_group * NETWORK_GROUP;
  const int32_t chunk = segment->first_group / NETWORK_CHUNK_GROUPS * NETWORK_CHUNK;
  for (int32_t i = segment->first_group * NETWORK_GROUP; i < (segment->last_group + 1) * NETWORK_GROUP;
       i += LANE_COUNT) {
    const motion p = load_motion(in, i), q = load_motion(in, i + run->offset);
    watch w = watch_begin(NULL, SPRING_PASS_MEASURE, in->dt);
    const LANE3 f = run_forces(in->net, run, special, &p, &q, lane + i, &w);
    watch_add(up_sums + (i - chunk) + UP_ENERGY, w.first);
    add_forces(up_sums + (i - chunk), sums->sums + (i + run->offset - border), sums->stride, f);
  }
}

/* Completes a chunk after its segments: up + down, the other forces, and the integrator. If `out` is not NULL
   it stores the accelerations there instead. Resets the used carry sums to zero. Returns the lanes whose new
   position is not finite. */
LANE_INLINE LANE_MASK finish_chunk(const spring_input *in, const spring_down *sums, bool special,
                                   bool measured, msd_real *out, int32_t chunk, int32_t end,
                                   const msd_real *up_sums, int32_t border) {
  const int32_t chunk_end = chunk + NETWORK_CHUNK < end ? chunk + NETWORK_CHUNK : end;
  watch_rows rows = {0};
  LANE_MASK bad = {0};
  for (int32_t i = chunk < border ? border : chunk; i < chunk_end; i += LANE_COUNT) {
    const motion p = load_motion(in, i);
    msd_real *sum = sums->sums + (i - border);
    const LANE3 up = lane_load3(up_sums + (i - chunk), NETWORK_CHUNK), down = lane_load3(sum, sums->stride);
    lane_store3(sum, sums->stride, lane_set3(0, 0, 0));
    watch w = watch_begin(NULL, SPRING_PASS_MEASURE, in->dt);
    w.first = measured ? lane_load(up_sums + UP_ENERGY + (i - chunk)) : w.first;
    const LANE3 a = accelerations(in, special, i, &p, up, down, measured ? &w : NULL);
    if (out) {
      store_acceleration(in, out, i, a);
      if (measured)
        watch_keep(&rows, &w, in, i);
      continue;
    }
    if (measured)
      watch_move(&rows, &w, in, i, &p, a);
    bad |= move(in, i, &p, a);
  }
  if (measured)
    in->tallies[chunk / NETWORK_CHUNK] = watch_tally(&rows);
  return bad;
}

/* The sums that leave a range upward, beyond its `particles`, belong to the following groups. Another thread
   evaluates them separately. */
LANE_INLINE void pass_on(const spring_input *in, const spring_down *sums, int32_t particles) {
  for (int32_t i = 0; i < in->net->largest_offset; i += LANE_COUNT) {
    msd_real *beyond = sums->sums + particles + i;
    const LANE3 left = lane_load3(beyond, sums->stride);
    lane_store3(beyond, sums->stride, lane_set3(0, 0, 0));
    if (sums->goes_on)
      lane_store3(sums->sums + i, sums->stride, left);
  }
}

/* The intersection of a segment with the groups first..last-1; it may be empty. */
LANE_INLINE dia_segment segment_within(const dia_segment *s, int32_t first, int32_t last) {
  return (dia_segment){s->run, s->first_group < first ? first : s->first_group,
                       s->last_group < last ? s->last_group : last - 1};
}

LANE_INLINE bool go_through_runs(const spring_input *given, const spring_down *given_sums, bool special,
                                 bool measured, msd_real *out, int32_t first, int32_t last) {
  const network net_copy = *given->net, *net = &net_copy;
  const spring_down sums_copy = *given_sums, *sums = &sums_copy;
  spring_input copy = *given;
  copy.net = net;
  const spring_input *in = &copy;
  _Alignas(64) msd_real up[UP_ENERGY + NETWORK_CHUNK];
  const int32_t border = first * NETWORK_GROUP, end = last * NETWORK_GROUP;
  LANE_MASK bad = {0};
  if (!sums->continues)
    add_entering(in, sums, special, first, last);
  for (int32_t chunk = border - border % NETWORK_CHUNK; chunk < end; chunk += NETWORK_CHUNK) {
    memset(up, 0, measured ? sizeof up : UP_ENERGY * sizeof *up);
    const int32_t *segments = net->chunk_segments + chunk / NETWORK_CHUNK;
    for (const dia_segment *whole = net->segments + segments[0]; whole < net->segments + segments[1];
         whole++) {
      const dia_segment within = segment_within(whole, first, last), *s = &within;
      /* Separate loops, so that the conditions are not evaluated for every vector. */
      const dia_block *run = &net->runs[s->run];
      const bool uniform = run->material.uniform;
      if (measured)
        measure_segment(in, sums, run, special, s, up, border);
      else if (special && run->side != 0)
        add_segment(in, sums, run, uniform, true, s, up, border);
      else if (uniform)
        add_segment(in, sums, run, true, false, s, up, border);
      else
        add_segment(in, sums, run, false, false, s, up, border);
    }
    bad |= finish_chunk(in, sums, special, measured, out, chunk, end, up, border);
  }
  pass_on(in, sums, end - border);
  return lane_none(bad);
}

LANE_APART bool advance_special_runs(const spring_input *in, const spring_down *sums, int32_t first,
                                     int32_t last) {
  return go_through_runs(in, sums, true, false, NULL, first, last);
}

LANE_APART bool measure_runs(const spring_input *in, const spring_down *sums, int32_t first, int32_t last) {
  return go_through_runs(in, sums, false, true, NULL, first, last);
}

LANE_APART bool measure_special_runs(const spring_input *in, const spring_down *sums, int32_t first,
                                     int32_t last) {
  return go_through_runs(in, sums, true, true, NULL, first, last);
}

LANE_APART void store_special_run_accelerations(const spring_input *in, const spring_down *sums,
                                                msd_real *out, int32_t first, int32_t last) {
  go_through_runs(in, sums, true, false, out, first, last);
}

LANE_APART void measure_run_accelerations(const spring_input *in, const spring_down *sums, msd_real *out,
                                          int32_t first, int32_t last) {
  go_through_runs(in, sums, true, true, out, first, last);
}

static void spring_run_accelerations(const spring_input *in, const spring_down *sums, msd_real *out,
                                     int32_t first, int32_t last) {
  if (in->tallies)
    measure_run_accelerations(in, sums, out, first, last);
  else if (is_special(in->net))
    store_special_run_accelerations(in, sums, out, first, last);
  else
    go_through_runs(in, sums, false, false, out, first, last);
}

static bool spring_advance_runs(const spring_input *in, const spring_down *sums, int32_t first,
                                int32_t last) {
  if (in->tallies)
    return is_special(in->net) ? measure_special_runs(in, sums, first, last)
                               : measure_runs(in, sums, first, last);
  return is_special(in->net) ? advance_special_runs(in, sums, first, last)
                             : go_through_runs(in, sums, false, false, NULL, first, last);
}

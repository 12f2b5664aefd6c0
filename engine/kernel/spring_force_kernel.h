/* The step over vectors of SIMD_BYTES bytes, as step_scalar.c has it for one particle. Included once by each
   file that makes one width of it, which names its functions STEP_ADVANCE_ROWS, STEP_ADVANCE_RUNS and
   STEP_ACCELERATIONS. */

#include "engine/base/simd.h"
#include "engine/kernel/spring_force.h"
#include "engine/store/particle.h"

typedef simd_triple vectors;

typedef struct motion {
  vectors x, v;
} motion;

SIMD_INLINE vectors load_vectors(const msd_real *at, size_t stride) {
  return (vectors){simd_load(at), simd_load(at + stride), simd_load(at + 2 * stride)};
}

SIMD_INLINE void store_vectors(msd_real *at, size_t stride, vectors v) {
  simd_store(at, v.x);
  simd_store(at + stride, v.y);
  simd_store(at + 2 * stride, v.z);
}

SIMD_INLINE vectors gather_vectors(const msd_real *from, size_t stride, const int32_t *index) {
  return (vectors){simd_gather(from, index), simd_gather(from + stride, index),
                   simd_gather(from + 2 * stride, index)};
}

SIMD_INLINE vectors select_vectors(simd_mask mask, vectors a, vectors b) {
  return (vectors){simd_select(mask, a.x, b.x), simd_select(mask, a.y, b.y), simd_select(mask, a.z, b.z)};
}

enum { PREFETCH_AHEAD = 12 * NETWORK_GROUP };

SIMD_INLINE motion gather_motion(const step_input *in, const int32_t *index) {
  if (in->read_records)
    return (motion){simd_gather_records(in->read_records, index),
                    simd_gather_records(in->read_records + SIMD_QUAD, index)};
  return (motion){gather_vectors(in->read, in->stride, index),
                  gather_vectors(in->read + 3 * in->stride, in->stride, index)};
}

SIMD_INLINE void store_motion(const step_input *in, int32_t particle, vectors x, vectors v) {
  if (in->read_ahead)
    for (size_t c = 0; c < COMPONENTS; c++)
      __builtin_prefetch(in->write + c * in->stride + (particle + PREFETCH_AHEAD), 1);
  if (in->write) {
    store_vectors(in->write + particle, in->stride, x);
    store_vectors(in->write + particle + 3 * in->stride, in->stride, v);
  }
  if (in->write_records) {
    msd_real *records = in->write_records + (ptrdiff_t)particle * SIMD_RECORD;
    simd_store_records(records, x);
    simd_store_records(records + SIMD_QUAD, v);
  }
}

SIMD_INLINE motion load_state(const msd_real *state, size_t stride, int32_t particle) {
  const msd_real *at = state + particle;
  return (motion){load_vectors(at, stride), load_vectors(at + 3 * stride, stride)};
}

SIMD_INLINE motion load_motion(const step_input *in, int32_t particle) {
  return load_state(in->read, in->stride, particle);
}

/* From whatever the state is in. */
SIMD_INLINE motion load_row(const step_input *in, int32_t particle) {
  if (in->read)
    return load_motion(in, particle);
  const msd_real *records = in->read_records + (ptrdiff_t)particle * SIMD_RECORD;
  return (motion){simd_load_records(records), simd_load_records(records + SIMD_QUAD)};
}

/* Where one-sided springs act, see network_side; a side of 0 always does. What is no number acts too, so that it
   is found. */
SIMD_INLINE simd_mask acting(simd_real side, simd_real error, simd_real pull) {
  return (side == 0) | (~(side * error <= 0) & ~(side * pull <= 0));
}

/* The forces (k C + mu C') u of the springs in the lanes, u from q to p: what q feels, and p its opposite. `sided`
   says whether `side` is looked at, for the compiler to know. */
SIMD_INLINE vectors spring_forces(const motion *p, const motion *q, simd_real rest, simd_real stiffness,
                                  simd_real damping, bool sided, simd_real side) {
  const simd_real dx = p->x.x - q->x.x, dy = p->x.y - q->x.y, dz = p->x.z - q->x.z;
  const simd_real dvx = p->v.x - q->v.x, dvy = p->v.y - q->v.y, dvz = p->v.z - q->v.z;
  const simd_real length = simd_sqrt(dx * dx + dy * dy + dz * dz + (msd_real)STEP_TINY);
  const simd_real inverse = 1 / length;
  const simd_real rate = (dvx * dx + dvy * dy + dvz * dz) * inverse;
  const simd_real error = length - rest;
  const simd_real pull = stiffness * error + damping * rate;
  const simd_mask acts = sided ? (rest >= 0) & acting(side, error, pull) : rest >= 0;
  const simd_real scale = simd_keep(acts, pull * inverse);
  return (vectors){scale * dx, scale * dy, scale * dz};
}

/* The same for a row of lanes; `uniform` is what the material says, for the compiler to know. */
SIMD_INLINE vectors row_forces(const network *net, const network_material *material, bool uniform,
                               const motion *p, const motion *q, int32_t lane, bool sided, simd_real side) {
  const simd_real rest = simd_load(net->rest + lane);
  if (uniform)
    return spring_forces(p, q, rest, simd_set(material->stiffness), simd_set(material->damping), sided, side);
  return spring_forces(p, q, rest, simd_load(net->streamed.stiffness + lane),
                       simd_load(net->streamed.damping + lane), sided, side);
}

/* The same for indexed lanes. */
SIMD_INLINE vectors indexed_forces(const network *net, bool special, const motion *p, const motion *q,
                                   int32_t lane) {
  const network_material *material = &net->indexed_material;
  const bool sided = special && net->sides;
  const simd_real side = sided ? simd_load(net->sides + lane) : simd_set(0);
  const simd_real rest = simd_load(net->rest + net->indexed_lane + lane);
  if (material->uniform)
    return spring_forces(p, q, rest, simd_set(material->stiffness), simd_set(material->damping), sided, side);
  if (net->palette.pair) {
    int32_t pair[SIMD_LANES];
    for (int n = 0; n < SIMD_LANES; n++)
      pair[n] = net->palette.pair[lane + n];
    const simd_triple tuning = simd_gather_records(net->palette.pairs, pair);
    return spring_forces(p, q, rest, tuning.x, tuning.y, sided, side);
  }
  return spring_forces(p, q, rest, simd_load(net->indexed.stiffness + lane),
                       simd_load(net->indexed.damping + lane), sided, side);
}

/* `special`, here and below: whether the network has one-sided springs or tails at all, for the compiler to know. */
SIMD_INLINE vectors run_forces(const network *net, const network_run *run, bool special, const motion *p,
                               const motion *q, int32_t lane) {
  if (special && run->side != 0)
    return row_forces(net, &run->material, run->material.uniform, p, q, lane, true, simd_set(run->side));
  return row_forces(net, &run->material, run->material.uniform, p, q, lane, false, simd_set(0));
}

SIMD_INLINE void add(vectors *sum, vectors v) {
  sum->x += v.x;
  sum->y += v.y;
  sum->z += v.z;
}

SIMD_INLINE void subtract(vectors *sum, vectors v) {
  sum->x -= v.x;
  sum->y -= v.y;
  sum->z -= v.z;
}

/* A state and springs larger than the caches are asked for some groups ahead: of a row its lanes, and of the
   particles those that nothing has read yet, which are the partners of the largest offset. */
SIMD_INLINE void prefetch_row(const step_input *in, const network_run *run, int32_t particle, int32_t lane) {
  const network *net = in->net;
  __builtin_prefetch(net->rest + lane + PREFETCH_AHEAD);
  if (!run->material.uniform) {
    __builtin_prefetch(net->streamed.stiffness + lane + PREFETCH_AHEAD);
    __builtin_prefetch(net->streamed.damping + lane + PREFETCH_AHEAD);
  }
  if (run->offset == net->largest_offset)
    for (size_t c = 0; c < COMPONENTS; c++)
      __builtin_prefetch(in->read + c * in->stride + (particle + run->offset + PREFETCH_AHEAD));
}

SIMD_INLINE void subtract_rows(const step_input *in, bool special, vectors *sum, const motion *p,
                               int32_t particle, int32_t place, int32_t first, int32_t last) {
  for (const network_row *row = in->net->rows + first; row < in->net->rows + last; row++) {
    const motion q = load_row(in, particle + row->shift);
    const network_run *run = &in->net->runs[row->run];
    if (in->read_ahead && row->shift > 0)
      prefetch_row(in, run, particle, row->lane + place);
    subtract(sum, run_forces(in->net, run, special, p, &q, row->lane + place));
  }
}

SIMD_INLINE motion load_pin(const step_input *in, int32_t pin) {
  const msd_real *state = in->read_pins ? in->read_pins : in->read;
  const msd_real *at = state ? state + pin : in->read_records + (ptrdiff_t)pin * SIMD_RECORD;
  const size_t next = state ? in->stride : 1, velocity = state ? 3 * in->stride : SIMD_QUAD;
  return (motion){{simd_set(at[0]), simd_set(at[next]), simd_set(at[2 * next])},
                  {simd_set(at[velocity]), simd_set(at[velocity + next]), simd_set(at[velocity + 2 * next])}};
}

/* Pins in a row. */
SIMD_INLINE motion load_pins(const step_input *in, int32_t first) {
  return in->read_pins ? load_state(in->read_pins, in->stride, first) : load_row(in, first);
}

SIMD_INLINE void subtract_held(const step_input *in, vectors *sum, const motion *p, int32_t particle,
                               int32_t place, int32_t first, int32_t last) {
  const network *net = in->net;
  for (int32_t r = first; r < last; r++) {
    const network_held_row *row = &net->held_rows[r];
    const int32_t lane = net->held_lane + r * NETWORK_GROUP + place;
    const motion q = row->pin >= 0 ? load_pin(in, row->pin) : load_pins(in, particle + row->shift);
    if (in->read_ahead)
      __builtin_prefetch(net->rest + lane + PREFETCH_AHEAD);
    subtract(sum,
             row_forces(net, &row->material, row->material.uniform, p, &q, lane, true, simd_set(row->side)));
  }
}

SIMD_INLINE void subtract_indexed(const step_input *in, bool special, vectors *sum, const motion *p,
                                  int32_t place, int32_t first, int32_t last) {
  for (int32_t r = first; r < last; r++) {
    const int32_t lane = r * NETWORK_GROUP + place;
    const motion q = gather_motion(in, in->net->partner + lane);
    subtract(sum, indexed_forces(in->net, special, p, &q, lane));
  }
}

SIMD_INLINE void subtract_tail(const step_input *in, bool special, vectors *sum, const motion *p,
                               int32_t place, const network_tail *tail) {
  const motion hub = {{simd_set(p->x.x[place]), simd_set(p->x.y[place]), simd_set(p->x.z[place])},
                      {simd_set(p->v.x[place]), simd_set(p->v.y[place]), simd_set(p->v.z[place])}};
  msd_real x = sum->x[place], y = sum->y[place], z = sum->z[place];
  for (int32_t at = tail->first; at < tail->end; at += SIMD_LANES) {
    const motion q = gather_motion(in, in->net->partner + at);
    const vectors f = indexed_forces(in->net, special, &hub, &q, at);
    for (int lane = 0; lane < SIMD_LANES; lane++) {
      x -= f.x[lane];
      y -= f.y[lane];
      z -= f.z[lane];
    }
  }
  sum->x[place] = x, sum->y[place] = y, sum->z[place] = z;
}

/* Of the particles from `particle` on that have a tail: seldom one. */
static void subtract_tails(const step_input *in, bool special, vectors *sum, const motion *p,
                           int32_t particle, const network_group *group) {
  for (const network_tail *t = in->net->tails + group->tail; t < in->net->tails + group[1].tail; t++)
    if (t->particle >= particle && t->particle < particle + SIMD_LANES)
      subtract_tail(in, special, sum, p, t->particle - particle, t);
}

/* What acts on the particles beside their contiguous springs, and what comes of it: f/m + g. */
SIMD_INLINE vectors accelerations(const step_input *in, bool special, int32_t particle, const motion *p,
                                  vectors up, vectors down) {
  const network *net = in->net;
  const network_group *group = &net->groups[particle / NETWORK_GROUP];
  const int32_t place = particle % NETWORK_GROUP;
  vectors force = {up.x + down.x, up.y + down.y, up.z + down.z};
  if (special)
    subtract_held(in, &force, p, particle, place, group->held, group[1].held);
  subtract_indexed(in, special, &force, p, place, group->indexed, group[1].indexed);
  if (special && group->tail < group[1].tail)
    subtract_tails(in, special, &force, p, particle, group);
  if (in->force)
    add(&force, load_vectors(in->force + particle, in->stride));
  const simd_real w = simd_load(in->inverse_mass + particle);
  return (vectors){force.x * w + in->gravity[0], force.y * w + in->gravity[1], force.z * w + in->gravity[2]};
}

SIMD_INLINE vectors row_accelerations(const step_input *in, bool special, int32_t particle, const motion *p) {
  const int32_t place = particle % NETWORK_GROUP;
  const network_group *group = &in->net->groups[particle / NETWORK_GROUP];
  vectors up = {{0}, {0}, {0}}, down = {{0}, {0}, {0}};
  subtract_rows(in, special, &up, p, particle, place, group->up, group->down);
  subtract_rows(in, special, &down, p, particle, place, group->down, group[1].up);
  return accelerations(in, special, particle, p, up, down);
}

/* Symplectic Euler. Returns the lanes whose position is no longer finite. */
SIMD_INLINE simd_mask move(const step_input *in, int32_t particle, const motion *p, vectors a) {
  const msd_real dt = in->time_step, decay = in->decay;
  const vectors moved = {(p->v.x + dt * a.x) * decay, (p->v.y + dt * a.y) * decay,
                         (p->v.z + dt * a.z) * decay};
  const vectors v = select_vectors(simd_load(in->inverse_mass + particle) > 0, moved, p->v);
  const vectors x = {p->x.x + dt * v.x, p->x.y + dt * v.y, p->x.z + dt * v.z};
  store_motion(in, particle, x, v);
  /* A difference of a number with itself is 0, or not a number when it was not finite. */
  return (x.x - x.x) + (x.y - x.y) + (x.z - x.z) != 0;
}

/* The functions below work on copies of what they are given. The compiler sees that no store through a
   pointer can change these, and keeps them in registers. What is special has code of its own, which would make the
   plain step slower if it stood in the same function. */

SIMD_INLINE bool advance_rows(const step_input *given, bool special, int32_t first, int32_t last) {
  const network net = *given->net;
  step_input copy = *given;
  copy.net = &net;
  const step_input *in = &copy;
  simd_mask bad = {0};
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i += SIMD_LANES) {
    const motion p = load_row(in, i);
    bad |= move(in, i, &p, row_accelerations(in, special, i, &p));
  }
  return simd_none(bad);
}

SIMD_INLINE void store_accelerations(const step_input *given, bool special, int32_t first, int32_t last) {
  const network net = *given->net;
  step_input copy = *given;
  copy.net = &net;
  const step_input *in = &copy;
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i += SIMD_LANES) {
    const motion p = load_motion(in, i);
    const vectors a = row_accelerations(in, special, i, &p), still = {{0}, {0}, {0}};
    store_vectors(in->write + i, in->stride, select_vectors(simd_load(in->inverse_mass + i) > 0, a, still));
  }
}

static bool is_special(const network *net) {
  return net->one_sided || net->tail_count > 0;
}

SIMD_APART bool advance_special_rows(const step_input *in, int32_t first, int32_t last) {
  return advance_rows(in, true, first, last);
}

SIMD_APART void store_special_accelerations(const step_input *in, int32_t first, int32_t last) {
  store_accelerations(in, true, first, last);
}

bool STEP_ADVANCE_ROWS(const step_input *in, int32_t first, int32_t last) {
  return is_special(in->net) ? advance_special_rows(in, first, last) : advance_rows(in, false, first, last);
}

bool STEP_ACCELERATIONS(const step_input *in, int32_t first, int32_t last) {
  if (is_special(in->net))
    store_special_accelerations(in, first, last);
  else
    store_accelerations(in, false, first, last);
  return true;
}

/* ------------------------------------------------------------------------------------------------- runs */

/* The springs that come up into the groups first..last-1, and beyond them if the sums are passed on, from particles
   below `first`, which another call has: their upper ends alone, into the down sums. */
SIMD_INLINE void add_entering(const step_input *in, bool special, int32_t first, int32_t last) {
  const network *net = in->net;
  const int32_t border = first * NETWORK_GROUP;
  simd_mask place;
  for (int lane = 0; lane < SIMD_LANES; lane++)
    place[lane] = lane;
  const int32_t end = in->down_goes_on ? net->group_count : last;
  for (int32_t i = border; i < end * NETWORK_GROUP && i - net->largest_offset < border; i += SIMD_LANES) {
    const network_group *group = &net->groups[i / NETWORK_GROUP];
    const motion p = load_motion(in, i);
    msd_real *sum = in->down + (i - border);
    vectors down = load_vectors(sum, in->down_stride);
    for (const network_row *row = net->rows + group->down; row < net->rows + group[1].up; row++) {
      if (i + row->shift >= border)
        continue;
      const motion q = load_motion(in, i + row->shift);
      const network_run *run = &net->runs[row->run];
      const vectors f = run_forces(net, run, special, &p, &q, row->lane + i % NETWORK_GROUP);
      const simd_mask below = place + (i + row->shift) < border;
      subtract(&down, (vectors){simd_keep(below, f.x), simd_keep(below, f.y), simd_keep(below, f.z)});
    }
    store_vectors(sum, in->down_stride, down);
  }
}

/* The springs of one segment, each once, from its lower end. */
SIMD_INLINE void add_segment(const step_input *in, const network_run *given, bool uniform, bool sided,
                             const network_segment *segment, msd_real *up_sums, int32_t border) {
  const network_run copy = *given, *run = &copy;
  const network *net = in->net;
  const int32_t end = (segment->last_group + 1) * NETWORK_GROUP;
  const int32_t lane = run->lane - run->first_group * NETWORK_GROUP;
  const int32_t chunk = segment->first_group / NETWORK_CHUNK_GROUPS * STEP_CHUNK;
  for (int32_t i = segment->first_group * NETWORK_GROUP; i < end; i += SIMD_LANES) {
    const motion p = load_motion(in, i), q = load_motion(in, i + run->offset);
    const vectors f = row_forces(net, &run->material, uniform, &p, &q, lane + i, sided, simd_set(run->side));
    msd_real *up = up_sums + (i - chunk), *down = in->down + (i + run->offset - border);
    vectors sum = load_vectors(up, STEP_CHUNK);
    subtract(&sum, f);
    store_vectors(up, STEP_CHUNK, sum);
    sum = load_vectors(down, in->down_stride);
    add(&sum, f);
    store_vectors(down, in->down_stride, sum);
  }
}

/* What is left to do when the segments of a chunk are done: up + down and all that follows. The down sums that were
   used are zero again. Returns the lanes whose position is no longer finite. */
SIMD_INLINE simd_mask finish_chunk(const step_input *in, bool special, int32_t chunk, int32_t end,
                                   const msd_real *up_sums, int32_t border) {
  const int32_t chunk_end = chunk + STEP_CHUNK < end ? chunk + STEP_CHUNK : end;
  const vectors zero = {{0}, {0}, {0}};
  simd_mask bad = {0};
  for (int32_t i = chunk; i < chunk_end; i += SIMD_LANES) {
    const motion p = load_motion(in, i);
    const vectors above = load_vectors(up_sums + (i - chunk), STEP_CHUNK);
    const vectors below = load_vectors(in->down + (i - border), in->down_stride);
    store_vectors(in->down + (i - border), in->down_stride, zero);
    bad |= move(in, i, &p, accelerations(in, special, i, &p, above, below));
  }
  return bad;
}

SIMD_INLINE bool advance_runs(const step_input *given, bool special, int32_t first, int32_t last) {
  const network net_copy = *given->net, *net = &net_copy;
  step_input copy = *given;
  copy.net = net;
  const step_input *in = &copy;
  _Alignas(64) msd_real up[3 * STEP_CHUNK];
  const vectors zero = {{0}, {0}, {0}};
  const int32_t border = first * NETWORK_GROUP, end = last * NETWORK_GROUP;
  simd_mask bad = {0};
  if (!in->down_continues)
    add_entering(in, special, first, last);
  for (int32_t chunk = border; chunk < end; chunk += STEP_CHUNK) {
    memset(up, 0, sizeof up);
    const int32_t *segments = net->chunk_segments + chunk / STEP_CHUNK;
    for (const network_segment *s = net->segments + segments[0]; s < net->segments + segments[1]; s++) {
      /* Loops of their own, so that the questions are not asked again for every vector. */
      const network_run *run = &net->runs[s->run];
      const bool uniform = run->material.uniform;
      if (special && run->side != 0)
        add_segment(in, run, uniform, true, s, up, border);
      else if (uniform)
        add_segment(in, run, true, false, s, up, border);
      else
        add_segment(in, run, false, false, s, up, border);
    }
    bad |= finish_chunk(in, special, chunk, end, up, border);
  }
  /* What leaves the range upwards is for the groups behind it. Another thread has evaluated it for itself. */
  for (int32_t i = 0; i < net->largest_offset; i += SIMD_LANES) {
    msd_real *beyond = in->down + (end - border) + i;
    const vectors left = load_vectors(beyond, in->down_stride);
    store_vectors(beyond, in->down_stride, zero);
    if (in->down_goes_on)
      store_vectors(in->down + i, in->down_stride, left);
  }
  return simd_none(bad);
}

SIMD_APART bool advance_special_runs(const step_input *in, int32_t first, int32_t last) {
  return advance_runs(in, true, first, last);
}

bool STEP_ADVANCE_RUNS(const step_input *in, int32_t first, int32_t last) {
  return is_special(in->net) ? advance_special_runs(in, first, last) : advance_runs(in, false, first, last);
}

/* The step over vectors of SIMD_BYTES bytes, as step_scalar.c has it for one particle. Included once by each
   file that makes one width of it, which names its two functions STEP_ADVANCE and STEP_ACCELERATIONS. */

#include "particle.h"
#include "simd.h"
#include "step.h"

typedef struct vectors {
  simd_real x, y, z;
} vectors;

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

/* Adds the forces -(k C + mu C') u of the springs in the lanes on the particles p, u from q to p. */
SIMD_INLINE void add_springs(const network *net, vectors *sum, const motion *p, const motion *q,
                             int32_t lane) {
  const simd_real rest = simd_load(net->rest + lane);
  const simd_real stiffness = simd_load(net->stiffness + lane);
  const simd_real damping = simd_load(net->damping + lane);
  const simd_real dx = p->x.x - q->x.x, dy = p->x.y - q->x.y, dz = p->x.z - q->x.z;
  const simd_real dvx = p->v.x - q->v.x, dvy = p->v.y - q->v.y, dvz = p->v.z - q->v.z;
  const simd_real length = simd_sqrt(dx * dx + dy * dy + dz * dz + (msd_real)STEP_TINY);
  const simd_real inverse = 1 / length;
  const simd_real rate = (dvx * dx + dvy * dy + dvz * dz) * inverse;
  const simd_real pull = simd_keep(rest >= 0, (stiffness * (length - rest) + damping * rate) * inverse);
  sum->x -= pull * dx;
  sum->y -= pull * dy;
  sum->z -= pull * dz;
}

SIMD_INLINE void add_rows(const step_input *in, vectors *sum, const motion *p, int32_t particle,
                          int32_t place, int32_t first, int32_t last) {
  const network_row *rows = in->net->rows;
  for (int32_t r = first; r < last; r++) {
    const msd_real *at = in->read + (particle + rows[r].shift);
    const motion q = {load_vectors(at, in->stride), load_vectors(at + 3 * in->stride, in->stride)};
    add_springs(in->net, sum, p, &q, rows[r].lane + place);
  }
}

SIMD_INLINE vectors accelerations(const step_input *in, int32_t particle, const motion *p) {
  const network *net = in->net;
  const int32_t place = particle % NETWORK_GROUP;
  const network_group *group = &net->groups[particle / NETWORK_GROUP];
  vectors up = {{0}, {0}, {0}}, down = {{0}, {0}, {0}};
  add_rows(in, &up, p, particle, place, group->up, group->down);
  add_rows(in, &down, p, particle, place, group->down, group[1].up);
  vectors force = {up.x + down.x, up.y + down.y, up.z + down.z};
  for (int32_t r = group->indexed; r < group[1].indexed; r++) {
    const int32_t lane = r * NETWORK_GROUP + place;
    const motion q = {gather_vectors(in->read, in->stride, net->partner + lane),
                      gather_vectors(in->read + 3 * in->stride, in->stride, net->partner + lane)};
    add_springs(net, &force, p, &q, net->indexed_lane + lane);
  }
  if (in->force) {
    const vectors external = load_vectors(in->force + particle, in->stride);
    force.x += external.x;
    force.y += external.y;
    force.z += external.z;
  }
  const simd_real w = simd_load(in->inverse_mass + particle);
  return (vectors){force.x * w + in->gravity[0], force.y * w + in->gravity[1], force.z * w + in->gravity[2]};
}

bool STEP_ADVANCE(const step_input *in, int32_t first, int32_t last) {
  const msd_real dt = in->time_step, decay = in->decay;
  simd_mask bad = {0};
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i += SIMD_LANES) {
    const msd_real *from = in->read + i;
    const motion p = {load_vectors(from, in->stride), load_vectors(from + 3 * in->stride, in->stride)};
    const vectors a = accelerations(in, i, &p);
    const vectors moved = {(p.v.x + dt * a.x) * decay, (p.v.y + dt * a.y) * decay,
                           (p.v.z + dt * a.z) * decay};
    const vectors v = select_vectors(simd_load(in->inverse_mass + i) > 0, moved, p.v);
    const vectors x = {p.x.x + dt * v.x, p.x.y + dt * v.y, p.x.z + dt * v.z};
    /* A difference of a number with itself is 0, or not a number when it was not finite. */
    bad |= (x.x - x.x) + (x.y - x.y) + (x.z - x.z) != 0;
    store_vectors(in->write + i, in->stride, x);
    store_vectors(in->write + i + 3 * in->stride, in->stride, v);
  }
  return simd_none(bad);
}

bool STEP_ACCELERATIONS(const step_input *in, int32_t first, int32_t last) {
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i += SIMD_LANES) {
    const msd_real *from = in->read + i;
    const motion p = {load_vectors(from, in->stride), load_vectors(from + 3 * in->stride, in->stride)};
    const vectors a = accelerations(in, i, &p);
    const vectors still = {{0}, {0}, {0}};
    store_vectors(in->write + i, in->stride, select_vectors(simd_load(in->inverse_mass + i) > 0, a, still));
  }
  return true;
}

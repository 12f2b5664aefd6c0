/* A substep of symplectic Euler one particle at a time, in plain C and in the canonical order of network.h:
   what every kernel is compared with, bit for bit. */
#ifndef MSD_TESTS_SUPPORT_SPRING_REFERENCE_H
#define MSD_TESTS_SUPPORT_SPRING_REFERENCE_H

#include "engine/kernel/spring_force.h"
#include "engine/store/particle.h"

#include <math.h>

typedef struct reference_motion {
  msd_real x, y, z, vx, vy, vz;
} reference_motion;

static inline reference_motion reference_motion_of(const spring_input *in, const msd_real *slab,
                                                   int32_t particle) {
  const msd_real *at = slab + particle;
  const size_t s = in->stride;
  return (reference_motion){at[0], at[s], at[2 * s], at[3 * s], at[4 * s], at[5 * s]};
}

static inline msd_real reference_root(msd_real a) {
#ifdef MSD_DOUBLE
  return sqrt(a);
#else
  return sqrtf(a);
#endif
}

/* Whether a one-sided spring acts. What is no number acts too, so that it is found. */
static inline bool reference_acts(msd_real side, msd_real error, msd_real pull) {
  return side == 0 || (!(side * error <= 0) && !(side * pull <= 0));
}

/* Adds the force -(k C + mu C') u of the spring in `lane` on the particle, u from its partner to it. */
static inline void reference_add(const spring_input *in, msd_vec3 *sum, const reference_motion *p,
                                 const reference_motion *q, int32_t lane, const coefficient_class *part,
                                 msd_real side) {
  const msd_real rest = in->net->rest[lane];
  if (!(rest >= 0))
    return;
  const msd_real dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
  const msd_real dvx = p->vx - q->vx, dvy = p->vy - q->vy, dvz = p->vz - q->vz;
  const msd_real length = reference_root(dx * dx + dy * dy + dz * dz + (msd_real)SPRING_TINY);
  const msd_real inverse = 1 / length;
  const msd_real rate = (dvx * dx + dvy * dy + dvz * dz) * inverse;
  const msd_real error = length - rest;
  const coefficient_class tuning = network_tuning_at(in->net, part, lane);
  const msd_real pull = tuning.stiffness * error + tuning.damping * rate;
  if (!reference_acts(side, error, pull))
    return;
  const msd_real scale = pull * inverse;
  sum->x -= scale * dx;
  sum->y -= scale * dy;
  sum->z -= scale * dz;
}

static inline void reference_add_row(const spring_input *in, msd_vec3 *sum, const reference_motion *p,
                                     int32_t particle, const dia_row *row) {
  const dia_block *run = &in->net->runs[row->run];
  const reference_motion q = reference_motion_of(in, in->read.slab, particle + row->shift);
  reference_add(in, sum, p, &q, row->lane + particle % NETWORK_GROUP, &run->material, run->side);
}

static inline void reference_add_indexed(const spring_input *in, msd_vec3 *sum, const reference_motion *p,
                                         int32_t particle, int32_t lane) {
  const network *net = in->net;
  const reference_motion q = reference_motion_of(in, in->read.slab, network_partner(net, particle, lane));
  reference_add(in, sum, p, &q, net->indexed_lane + lane, &net->indexed_material,
                net->sides ? net->sides[lane] : 0);
}

/* N */
static inline msd_vec3 reference_force(const spring_input *in, int32_t particle, const reference_motion *p) {
  const network *net = in->net;
  const int32_t place = particle % NETWORK_GROUP;
  const network_group *group = &net->groups[particle / NETWORK_GROUP];
  msd_vec3 up = {0, 0, 0}, down = {0, 0, 0};
  for (int32_t r = group->up; r < group->down; r++)
    reference_add_row(in, &up, p, particle, &net->rows[r]);
  for (int32_t r = group->down; r < group[1].up; r++)
    reference_add_row(in, &down, p, particle, &net->rows[r]);
  msd_vec3 force = {up.x + down.x, up.y + down.y, up.z + down.z};
  for (int32_t r = group->held; r < group[1].held; r++) {
    const network_held_row *row = &net->held_rows[r];
    const reference_motion q =
        reference_motion_of(in, in->pins.slab, row->pin >= 0 ? row->pin : particle + row->shift);
    reference_add(in, &force, p, &q, net->held_lane + r * NETWORK_GROUP + place, &row->material, row->side);
  }
  for (int32_t r = group->indexed; r < group->indexed_end; r++)
    reference_add_indexed(in, &force, p, particle, r * NETWORK_GROUP + place);
  for (int32_t t = network_first_tail(net, particle / NETWORK_GROUP);
       t < network_first_tail(net, particle / NETWORK_GROUP + 1); t++)
    for (int32_t lane = net->tails[t].first; lane < net->tails[t].end && net->tails[t].particle == particle;
         lane++)
      reference_add_indexed(in, &force, p, particle, lane);
  if (in->force) {
    force.x += in->force[particle];
    force.y += in->force[in->stride + (size_t)particle];
    force.z += in->force[2 * in->stride + (size_t)particle];
  }
  return force;
}

/* All groups, from slab to slab. Returns whether every position is finite. */
static inline bool reference_advance(const spring_input *in) {
  const msd_real dt = in->dt;
  const size_t s = in->stride;
  bool finite = true;
  for (int32_t i = 0; i < in->net->group_count * NETWORK_GROUP; i++) {
    const msd_real w = in->net->inverse_mass[i];
    reference_motion p = reference_motion_of(in, in->read.slab, i);
    if (w > 0) {
      const msd_vec3 f = reference_force(in, i, &p);
      p.vx = (p.vx + dt * (f.x * w + in->gravity[0])) * in->decay;
      p.vy = (p.vy + dt * (f.y * w + in->gravity[1])) * in->decay;
      p.vz = (p.vz + dt * (f.z * w + in->gravity[2])) * in->decay;
    }
    p.x += dt * p.vx;
    p.y += dt * p.vy;
    p.z += dt * p.vz;
    finite = finite && isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
    msd_real *to = in->write.slab + i;
    to[0] = p.x, to[s] = p.y, to[2 * s] = p.z;
    to[3 * s] = p.vx, to[4 * s] = p.vy, to[5 * s] = p.vz;
  }
  return finite;
}

#endif

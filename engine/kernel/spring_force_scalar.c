/* The step one particle at a time, in plain C: the form in which to read it, the reference for the vector
   kernels, and the step of compilers that have no vectors. */

#include "engine/kernel/spring_force.h"
#include "engine/store/particle.h"

#include <math.h>

#ifdef MSD_DOUBLE
#define square_root sqrt
#else
#define square_root sqrtf
#endif

typedef struct motion {
  msd_real x, y, z, vx, vy, vz;
} motion;

static motion motion_of(const step_input *in, const msd_real *state, int32_t particle) {
  const msd_real *at = state + particle;
  const size_t s = in->stride;
  return (motion){at[0], at[s], at[2 * s], at[3 * s], at[4 * s], at[5 * s]};
}

/* Whether a one-sided spring acts, see network_side. What is no number acts too, so that it is found. */
static bool acts(msd_real side, msd_real error, msd_real pull) {
  return !(side * error <= 0) && !(side * pull <= 0);
}

/* Adds the force -(k C + mu C') u of the spring in `lane` on the particle, u from partner to particle. */
static void add_spring(const step_input *in, msd_vec3 *sum, const motion *p, const motion *q, int32_t lane,
                       const network_material *part, msd_real side) {
  const msd_real rest = in->net->rest[lane];
  if (!(rest >= 0))
    return;
  const msd_real dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
  const msd_real dvx = p->vx - q->vx, dvy = p->vy - q->vy, dvz = p->vz - q->vz;
  const msd_real length = square_root(dx * dx + dy * dy + dz * dz + (msd_real)STEP_TINY);
  const msd_real inverse = 1 / length;
  const msd_real rate = (dvx * dx + dvy * dy + dvz * dz) * inverse;
  const msd_real error = length - rest;
  const network_material tuning = network_tuning_at(in->net, part, lane);
  const msd_real pull = tuning.stiffness * error + tuning.damping * rate;
  if (side != 0 && !acts(side, error, pull))
    return;
  const msd_real scale = pull * inverse;
  sum->x -= scale * dx;
  sum->y -= scale * dy;
  sum->z -= scale * dz;
}

static void add_row(const step_input *in, msd_vec3 *sum, const motion *p, int32_t particle,
                    const network_row *row) {
  const network_run *run = &in->net->runs[row->run];
  const motion q = motion_of(in, in->read, particle + row->shift);
  add_spring(in, sum, p, &q, row->lane + particle % NETWORK_GROUP, &run->material, run->side);
}

static void add_indexed(const step_input *in, msd_vec3 *sum, const motion *p, int32_t lane) {
  const network *net = in->net;
  const motion q = motion_of(in, in->read, net->partner[lane]);
  add_spring(in, sum, p, &q, net->indexed_lane + lane, &net->indexed_material,
             net->sides ? net->sides[lane] : 0);
}

static msd_vec3 acceleration_of(const step_input *in, int32_t particle, const motion *p) {
  const network *net = in->net;
  const int32_t g = particle / NETWORK_GROUP, place = particle % NETWORK_GROUP;
  const network_group *group = &net->groups[g];
  msd_vec3 up = {0, 0, 0}, down = {0, 0, 0};
  for (int32_t r = group->up; r < group->down; r++)
    add_row(in, &up, p, particle, &net->rows[r]);
  for (int32_t r = group->down; r < group[1].up; r++)
    add_row(in, &down, p, particle, &net->rows[r]);
  msd_vec3 force = {up.x + down.x, up.y + down.y, up.z + down.z};
  for (int32_t r = group->held; r < group[1].held; r++) {
    const network_held_row *row = &net->held_rows[r];
    const motion q = motion_of(in, in->read_pins ? in->read_pins : in->read,
                               row->pin >= 0 ? row->pin : particle + row->shift);
    add_spring(in, &force, p, &q, net->held_lane + r * NETWORK_GROUP + place, &row->material, row->side);
  }
  for (int32_t r = group->indexed; r < group[1].indexed; r++)
    add_indexed(in, &force, p, r * NETWORK_GROUP + place);
  for (int32_t t = group->tail; t < group[1].tail; t++)
    for (int32_t lane = net->tails[t].first; lane < net->tails[t].end && net->tails[t].particle == particle;
         lane++)
      add_indexed(in, &force, p, lane);
  if (in->force) {
    force.x += in->force[particle];
    force.y += in->force[in->stride + (size_t)particle];
    force.z += in->force[2 * in->stride + (size_t)particle];
  }
  const msd_real w = in->inverse_mass[particle];
  return (msd_vec3){force.x * w + in->gravity[0], force.y * w + in->gravity[1], force.z * w + in->gravity[2]};
}

bool step_advance_rows_scalar(const step_input *in, int32_t first, int32_t last) {
  const msd_real dt = in->time_step, decay = in->decay;
  bool finite = true;
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i++) {
    motion p = motion_of(in, in->read, i);
    if (in->inverse_mass[i] > 0) {
      const msd_vec3 a = acceleration_of(in, i, &p);
      p.vx = (p.vx + dt * a.x) * decay;
      p.vy = (p.vy + dt * a.y) * decay;
      p.vz = (p.vz + dt * a.z) * decay;
    }
    p.x += dt * p.vx;
    p.y += dt * p.vy;
    p.z += dt * p.vz;
    finite = finite && isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
    msd_real *to = in->write + i;
    const size_t s = in->stride;
    to[0] = p.x, to[s] = p.y, to[2 * s] = p.z, to[3 * s] = p.vx, to[4 * s] = p.vy, to[5 * s] = p.vz;
  }
  return finite;
}

bool step_accelerations_scalar(const step_input *in, int32_t first, int32_t last) {
  for (int32_t i = first * NETWORK_GROUP; i < last * NETWORK_GROUP; i++) {
    const motion p = motion_of(in, in->read, i);
    const msd_vec3 a = in->inverse_mass[i] > 0 ? acceleration_of(in, i, &p) : (msd_vec3){0, 0, 0};
    in->write[i] = a.x;
    in->write[in->stride + (size_t)i] = a.y;
    in->write[2 * in->stride + (size_t)i] = a.z;
  }
  return true;
}

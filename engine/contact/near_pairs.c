#include "engine/contact/near_pairs.h"

#include "engine/base/record.h"
#include "engine/base/vec3.h"
#include "engine/kernel/widths.h"

#include <math.h>

static const near_kernel *const widths[MSD_SIMD_COUNT] = {
    [MSD_SIMD_SCALAR] = &near_kernel_scalar,
    [MSD_SIMD_128] = &near_kernel_128,
#ifdef MSD_KERNELS_X86
    [MSD_SIMD_256] = &near_kernel_256,
    [MSD_SIMD_512] = &near_kernel_512,
#endif
};

const near_kernel *near_kernel_choose(msd_simd simd) {
  return widths[kernels_width(simd)];
}

bool near_pairs_reserve(near_pairs *p, memory *m, int32_t particles) {
  near_pairs_free(p, m);
  p->records = memory_allocate(m, (size_t)particles * RECORD_SIZE * sizeof *p->records);
  p->inverse_mass = memory_allocate(m, (size_t)particles * sizeof *p->inverse_mass);
  p->sharing = memory_allocate(m, (size_t)particles * sizeof *p->sharing);
  if (p->records && p->inverse_mass && p->sharing && corner_lists_reserve(&p->corners, m, particles))
    return true;
  near_pairs_free(p, m);
  return false;
}

static void free_room(near_pairs *p, memory *m) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    memory_release(m, p->owners[corner]);
    p->owners[corner] = NULL;
  }
  memory_release(m, p->at);
  memory_release(m, p->force);
  memory_release(m, p->weight);
  memory_release(m, p->acting);
  p->at = p->force = p->weight = NULL;
  p->acting = NULL;
  p->count = p->capacity = 0;
}

void near_pairs_free(near_pairs *p, memory *m) {
  free_room(p, m);
  memory_release(m, p->records);
  memory_release(m, p->inverse_mass);
  memory_release(m, p->sharing);
  corner_lists_free(&p->corners, m);
  *p = (near_pairs){0};
}

bool near_pairs_make_room(near_pairs *p, memory *m, int32_t pairs) {
  p->count = 0;
  if (pairs <= p->capacity)
    return true;
  free_room(p, m);
  if (pairs > INT32_MAX / 8)
    return false;
  const int32_t room = (pairs + pairs / 2 + NEAR_GROUP) / NEAR_GROUP * NEAR_GROUP;
  bool done = true;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    p->owners[corner] = memory_allocate(m, (size_t)room * sizeof(int32_t));
    done = done && p->owners[corner];
  }
  p->at = memory_allocate(m, (size_t)room * NEAR_COMPONENTS * sizeof *p->at);
  p->force = memory_allocate(m, (size_t)room * FORCE_SIZE * sizeof *p->force);
  p->weight = memory_allocate(m, (size_t)room * PAIR_CORNERS * sizeof *p->weight);
  p->acting = memory_allocate(m, (size_t)room / NEAR_GROUP * sizeof *p->acting);
  if (!done || !p->at || !p->force || !p->weight || !p->acting) {
    free_room(p, m);
    return false;
  }
  p->capacity = room;
  return true;
}

static msd_real *component(const near_pairs *p, int c) {
  return p->at + (size_t)c * (size_t)p->capacity;
}

void near_pairs_put(near_pairs *p, int32_t n, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                    msd_real thickness, msd_real friction) {
  for (int c = 0; c < 3; c++)
    component(p, NEAR_NORMAL + c)[n] = witness->normal[c];
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    p->owners[corner][n] = slots[corner];
    component(p, NEAR_WEIGHT + corner)[n] = witness->weight[corner];
  }
  component(p, NEAR_THICKNESS)[n] = thickness;
  component(p, NEAR_FRICTION)[n] = friction;
}

bool near_pairs_finish(near_pairs *p, memory *m, int32_t count, const msd_real *inverse_mass) {
  static const int32_t nothing[PAIR_CORNERS];
  corner_lists *c = &p->corners;
  p->count = count;
  if (!corner_lists_make(c, m, (const int32_t *const *)p->owners, PAIR_CORNERS, count))
    return false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    for (int32_t n = 0; n < count; n++)
      p->owners[corner][n] = c->owner[p->owners[corner][n]];
  for (int32_t k = 0; k < PAIR_CORNERS * count; k++)
    p->weight[k] = component(p, NEAR_WEIGHT + c->corners[k] % PAIR_CORNERS)[c->corners[k] / PAIR_CORNERS];
  for (int32_t n = 0; n < c->count; n++)
    p->inverse_mass[n] = inverse_mass[c->slots[n]];
  for (int32_t n = count; n % NEAR_GROUP != 0; n++)
    near_pairs_put(p, n, nothing, &(near_witness){{0}, {0}}, 0, 0);
  return true;
}

void near_pairs_read(near_pairs *p, const msd_real *before, const msd_real *behind, size_t stride,
                     msd_real time_step, parallel_range owned) {
  for (int32_t n = owned.first; n < owned.last; n++) {
    msd_real *record = p->records + (size_t)n * RECORD_SIZE;
    const size_t slot = (size_t)p->corners.slots[n];
    for (size_t axis = 0; axis < 3; axis++) {
      record[axis] = before[axis * stride + slot];
      record[RECORD_QUAD + axis] = time_step * behind[(axis + 3) * stride + slot];
    }
  }
}

static bool acts(const near_pairs *p, uint32_t pair) {
  return p->acting[pair / NEAR_GROUP] >> pair % NEAR_GROUP & 1;
}

static uint32_t pair_of(int32_t corner) {
  return (uint32_t)corner / PAIR_CORNERS;
}

/* Sums over corners have no branches: what does not act has no part in G, and a force of 0. */
void near_pairs_share(near_pairs *p, parallel_range owned) {
  const corner_lists *c = &p->corners;
  for (int32_t n = owned.first; n < owned.last; n++) {
    msd_real sum = 0;
    for (int32_t k = c->first[n]; k < c->first[n + 1]; k++) {
      const msd_real size = (msd_real)fabs((double)p->weight[k]);
      sum += size * (msd_real)acts(p, pair_of(c->corners[k]));
    }
    p->sharing[n] = sum;
  }
}

void near_pairs_sum(const near_pairs *p, int32_t owner, double way[3]) {
  const corner_lists *c = &p->corners;
  msd_real sum[FORCE_SIZE] = {0};
  for (int32_t k = c->first[owner]; k < c->first[owner + 1]; k++) {
    const msd_real weight = p->weight[k], *force = p->force + (size_t)pair_of(c->corners[k]) * FORCE_SIZE;
    for (int a = 0; a < FORCE_SIZE; a++)
      sum[a] += weight * force[a];
  }
  for (int a = 0; a < 3; a++)
    way[a] = (double)p->inverse_mass[owner] * (double)sum[a];
}

/* What the witness makes of three components. */
static double3 weigh(const near_witness *w, const msd_real *state, size_t stride,
                     const int32_t slots[PAIR_CORNERS]) {
  double sum[3] = {0};
  for (size_t axis = 0; axis < 3; axis++)
    for (int corner = 1; corner < PAIR_CORNERS; corner++)
      sum[axis] += (double)w->weight[corner] * ((double)state[axis * stride + (size_t)slots[corner]] -
                                                (double)state[axis * stride + (size_t)slots[0]]);
  return (double3){sum[0], sum[1], sum[2]};
}

bool near_pair_arrives(const near_substep *s, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                       double thickness) {
  const double3 normal = {(double)witness->normal[0], (double)witness->normal[1], (double)witness->normal[2]};
  const double distance = double3_dot(normal, weigh(witness, s->before, s->stride, slots)),
               slid = double3_dot(normal, weigh(witness, s->predicted + 3 * s->stride, s->stride, slots));
  return distance >= thickness && distance + s->time_step * slid < thickness;
}

bool near_pairs_have(const near_pairs *p, const int32_t slots[PAIR_CORNERS]) {
  const corner_lists *c = &p->corners;
  const parallel_range own = corner_lists_within(c, (parallel_range){slots[0], slots[0] + 1});
  const int32_t end = own.first < own.last ? c->first[own.last] : 0;
  for (int32_t k = own.first < own.last ? c->first[own.first] : 0; k < end; k++) {
    bool same = true;
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      same = same && c->slots[p->owners[corner][pair_of(c->corners[k])]] == slots[corner];
    if (same)
      return true;
  }
  return false;
}

bool near_pairs_get_contact(const near_pairs *p, int32_t n, near_contact *out) {
  if (!acts(p, (uint32_t)n))
    return false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    out->slots[corner] = p->corners.slots[p->owners[corner][n]];
    out->weight[corner] = component(p, NEAR_WEIGHT + corner)[n];
  }
  out->kind = out->weight[1] < 0 ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE;
  const msd_real *force = p->force + (size_t)n * FORCE_SIZE;
  out->normal = (msd_vec3){component(p, NEAR_NORMAL)[n], component(p, NEAR_NORMAL + 1)[n],
                           component(p, NEAR_NORMAL + 2)[n]};
  out->force = (msd_vec3){force[0], force[1], force[2]};
  return true;
}

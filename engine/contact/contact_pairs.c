#include "engine/contact/contact_pairs.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/record.h"
#include "engine/base/rigid_path.h"
#include "engine/contact/flags.h"
#include "engine/kernel/widths.h"

#include <math.h>
#include <string.h>

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
  p->is_stale = memory_allocate(m, (size_t)particles * sizeof *p->is_stale);
  if (p->records && p->inverse_mass && p->sharing && p->is_stale &&
      corner_lists_reserve(&p->corners, m, particles) && corner_rows_reserve(&p->rows, m, particles))
    return true;
  near_pairs_free(p, m);
  return false;
}

static const growth_array arrays[] = {
    GROWTH_ARRAY(near_pairs, groups),     GROWTH_ARRAY(near_pairs, slots[0]),
    GROWTH_ARRAY(near_pairs, slots[1]),   GROWTH_ARRAY(near_pairs, slots[2]),
    GROWTH_ARRAY(near_pairs, slots[3]),   GROWTH_ARRAY(near_pairs, weights),
    GROWTH_ARRAY(near_pairs, force),      GROWTH_ARRAY(near_pairs, acting),
    GROWTH_ARRAY(near_pairs, held),       GROWTH_ARRAY(near_pairs, pinned),
    GROWTH_ARRAY(near_pairs, is_doubtful)};
static const growth_table group_growth =
    GROWTH(near_pairs, group_count, group_capacity, arrays, .most = INT32_MAX / 8 / NEAR_GROUP);

void near_pairs_free(near_pairs *p, memory *m) {
  growth_free(&group_growth, p, m);
  memory_release(m, p->records);
  memory_release(m, p->inverse_mass);
  memory_release(m, p->sharing);
  memory_release(m, p->is_stale);
  corner_lists_free(&p->corners, m);
  corner_rows_free(&p->rows, m);
  *p = (near_pairs){0};
}

static int32_t groups_of(int32_t pairs) {
  return pairs / NEAR_GROUP + (pairs % NEAR_GROUP != 0);
}

bool near_pairs_make_room(near_pairs *p, memory *m, int32_t first, int32_t pairs) {
  p->count = first;
  p->group_count = groups_of(first);
  return growth_reserve(&group_growth, p, m, groups_of(pairs));
}

void near_pairs_set_tangential(near_pairs *p, int32_t n, const tangential_spring *held) {
  for (int axis = 0; axis < 3; axis++)
    *near_pairs_at(p, NEAR_ANCHOR + axis, n) = held->anchor[axis];
  *near_pairs_at(p, NEAR_SLIP_LIMIT, n) = held->most;
  *near_pairs_at(p, NEAR_MASS, n) = held->mass;
}

tangential_spring near_pairs_get_tangential(const near_pairs *p, int32_t n) {
  tangential_spring held = {.most = *near_pairs_at(p, NEAR_SLIP_LIMIT, n),
                            .mass = *near_pairs_at(p, NEAR_MASS, n)};
  for (int axis = 0; axis < 3; axis++)
    held.anchor[axis] = *near_pairs_at(p, NEAR_ANCHOR + axis, n);
  return held;
}

/* The turn of the pins of a pair; NULL: none turns. */
static const msd_turn *turn_of(const near_pairs *p, int32_t n, const particle_store *pins,
                               const int32_t *particle) {
  int32_t slots[PAIR_CORNERS];
  near_pairs_slots(p, n, slots);
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    if (p->inverse_mass[near_pairs_owner(p, corner, n)] > 0)
      continue;
    const pin_move *move = particle_find_move(pins, particle[slots[corner]]);
    if (move && !turn_is_none(move->turn))
      return &move->turn;
  }
  return NULL;
}

/* z = sum of g x. The weights sum to 0, so places are relative to the first corner. */
static double3 apart_of(const near_pairs *p, int32_t n) {
  const near_group *g = &p->groups[n / NEAR_GROUP];
  const msd_real *first = p->records + g->records[0][n % NEAR_GROUP];
  double3 z = {0, 0, 0};
  for (int corner = 1; corner < PAIR_CORNERS; corner++) {
    const msd_real *x = p->records + g->records[corner][n % NEAR_GROUP];
    const double3 from = {(double)x[0] - (double)first[0], (double)x[1] - (double)first[1],
                          (double)x[2] - (double)first[2]};
    z = double3_add_scaled(z, from, (double)*near_pairs_at(p, NEAR_WEIGHT + corner, n));
  }
  return z;
}

void near_pairs_turn(near_pairs *p, const particle_store *pins, const int32_t *particle, double share,
                     parallel_range groups) {
  for (int32_t n = near_pairs_next_pinned(p, groups, -1); n >= 0; n = near_pairs_next_pinned(p, groups, n)) {
    const msd_real most = *near_pairs_at(p, NEAR_SLIP_LIMIT, n);
    const msd_turn *turn = most == NEAR_FREE ? NULL : turn_of(p, n, pins, particle);
    if (!turn)
      continue;
    const rigid_path path = rigid_path_of(*turn);
    const double3 z = apart_of(p, n), turned = quaternion_turn_vector(rigid_path_rotation(&path, share), z);
    const double change[3] = {turned.x - z.x, turned.y - z.y, turned.z - z.z}, sign = most < 0 ? -1 : 1;
    for (int axis = 0; axis < 3; axis++) {
      msd_real *at = near_pairs_at(p, NEAR_ANCHOR + axis, n);
      *at = (msd_real)((double)*at + sign * change[axis]);
    }
  }
}

void near_pairs_put(near_pairs *p, int32_t n, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                    msd_real thickness, msd_real friction) {
  for (int c = 0; c < 3; c++)
    *near_pairs_at(p, NEAR_NORMAL + c, n) = witness->normal[c];
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    p->slots[corner][n / NEAR_GROUP][n % NEAR_GROUP] = slots[corner];
    *near_pairs_at(p, NEAR_WEIGHT + corner, n) = witness->weight[corner];
    *near_pairs_at(p, NEAR_CLOSEST + corner, n) = witness->weight[corner];
  }
  memcpy(&p->weights[n / NEAR_GROUP][n % NEAR_GROUP * PAIR_CORNERS], witness->weight, sizeof witness->weight);
  *near_pairs_at(p, NEAR_THICKNESS, n) = thickness;
  *near_pairs_at(p, NEAR_FRICTION, n) = friction;
  near_pairs_set_tangential(p, n, &(tangential_spring){.most = NEAR_STUCK_NEW});
}

typedef struct pair_slots {
  const int32_t *of[PAIR_CORNERS];
} pair_slots;

static pair_slots slots_of(const near_pairs *p) {
  pair_slots s;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    s.of[corner] = (const int32_t *)p->slots[corner];
  return s;
}

static int32_t *record_of(const near_pairs *p, int corner, int32_t n) {
  return &p->groups[n / NEAR_GROUP].records[corner][n % NEAR_GROUP];
}

static void find_records(near_pairs *p, parallel_range pairs) {
  const pair_slots slots = slots_of(p);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    for (int32_t n = pairs.first; n < pairs.last; n++)
      *record_of(p, corner, n) = p->corners.owner[slots.of[corner][n]] * RECORD_SIZE;
}

static void find_pins(near_pairs *p, const msd_real *inverse_mass, parallel_range groups) {
  for (int32_t group = groups.first; group < groups.last; group++) {
    const int32_t count = int_min(NEAR_GROUP, p->count - group * NEAR_GROUP);
    uint32_t pinned = 0;
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      for (int32_t n = 0; n < count; n++)
        pinned |= (uint32_t) !(inverse_mass[p->slots[corner][group][n]] > 0) << n;
    p->pinned[group] = (uint16_t)pinned;
  }
}

static void begin_owners(near_pairs *p, const msd_real *inverse_mass, parallel_range owners) {
  for (int32_t n = owners.first; n < owners.last; n++) {
    p->inverse_mass[n] = inverse_mass[p->corners.slots[n]];
    p->sharing[n] = 0;
    near_pairs_make_stale(p, n);
  }
}

static bool lay_rows_anew(near_pairs *p, memory *m) {
  if (!corner_rows_lay(&p->rows, m, &p->corners))
    return false;
  corner_rows_empty(&p->rows, (parallel_range){0, corner_rows_groups(&p->corners)});
  for (int32_t owner = 0; owner < p->corners.count; owner++)
    near_pairs_make_stale(p, owner);
  return true;
}

/* Finds the records of appended pairs, and reserves rows for them. If a group of rows cannot be extended,
   all rows are laid out again. False without memory. */
static bool weigh_appended(near_pairs *p, memory *m, int32_t first) {
  find_records(p, (parallel_range){first, p->count});
  for (int32_t n = first; n < p->count; n++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      if (!corner_rows_extend(&p->rows, &p->corners, near_pairs_owner(p, corner, n) / CORNER_GROUP))
        return lay_rows_anew(p, m);
  return true;
}

/* Shared by the threads of weigh_all. */
typedef struct weighing {
  near_pairs *pairs;
  const msd_real *inverse_mass;
} weighing;

static void weigh_share(void *context, int thread, int threads) {
  const weighing *w = context;
  near_pairs *p = w->pairs;
  const corner_lists *c = &p->corners;
  find_records(p, parallel_split(p->count, thread, threads));
  find_pins(p, w->inverse_mass, parallel_split(p->group_count, thread, threads));
  corner_rows_empty(&p->rows, parallel_split(corner_rows_groups(c), thread, threads));
  begin_owners(p, w->inverse_mass, parallel_split(c->count, thread, threads));
}

/* Below this number of pairs one thread does all. */
enum { SHARED_PAIRS = 4096 };

static bool weigh_all(near_pairs *p, memory *m, const msd_real *inverse_mass, const msd_tasks *tasks,
                      int threads) {
  if (!corner_rows_lay(&p->rows, m, &p->corners))
    return false;
  weighing all = {p, inverse_mass};
  parallel_run(tasks, p->count < SHARED_PAIRS ? 1 : threads, weigh_share, &all);
  return true;
}

/* Pads the last group with pairs without weights; their slots and records are arbitrary. */
static void complete_group(near_pairs *p) {
  static const int32_t nothing[PAIR_CORNERS];
  for (int32_t n = p->count; n % NEAR_GROUP != 0; n++) {
    near_pairs_put(p, n, nothing, &(near_witness){{0}, {0}}, 0, 0);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      *record_of(p, corner, n) = 0;
  }
}

/* Pairs from `first` on do not act. */
static void still(near_pairs *p, int32_t first) {
  const int32_t groups = groups_of(first);
  if (first % NEAR_GROUP != 0)
    p->acting[first / NEAR_GROUP] &= (uint16_t)((1u << first % NEAR_GROUP) - 1);
  for (int32_t group = groups; group < p->group_count; group++) {
    p->acting[group] = 0;
    atomic_store_explicit(&p->is_doubtful[group], 0, memory_order_relaxed);
  }
}

bool near_pairs_finish(near_pairs *p, memory *m, int32_t first, int32_t count, const msd_real *inverse_mass,
                       const msd_tasks *tasks, int threads) {
  const pair_slots slots = slots_of(p);
  const int32_t owners = p->corners.count;
  p->count = count;
  p->group_count = groups_of(count);
  const corners_extended done = corner_lists_extend(&p->corners, m, slots.of, first, count, tasks, threads);
  if (done == CORNERS_NONE || (done == CORNERS_MADE && !weigh_all(p, m, inverse_mass, tasks, threads)))
    return false;
  if (done == CORNERS_APPENDED) {
    begin_owners(p, inverse_mass, (parallel_range){owners, p->corners.count});
    find_pins(p, inverse_mass, (parallel_range){first / NEAR_GROUP, p->group_count});
    if (!weigh_appended(p, m, first))
      return false;
  }
  still(p, first);
  complete_group(p);
  return true;
}

static bool acts(const near_pairs *p, uint32_t pair) {
  return p->acting[pair / NEAR_GROUP] >> pair % NEAR_GROUP & 1;
}

static uint32_t pair_of(int32_t corner) {
  return (uint32_t)corner / PAIR_CORNERS;
}

/* Sums G of a particle and fills its rows. Branch-free: a pair that does not act adds 0, and its row is
   overwritten by the next one. */
static void share_at(near_pairs *p, int32_t owner) {
  const corner_lists *c = &p->corners;
  quad_row *rows = corner_rows_of(&p->rows, owner / CORNER_GROUP);
  const msd_real *weights = (const msd_real *)p->weights;
  const int lane = owner % CORNER_GROUP;
  const int32_t first = c->first[owner], count = c->last[owner] - first, had = p->rows.terms[owner];
  int32_t terms = 0;
  msd_real sum = 0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t corner = c->corners[first + k];
    const uint32_t pair = pair_of(corner);
    const bool has = acts(p, pair);
    rows[terms].index[lane] = (int32_t)(pair * FORCE_SIZE);
    rows[terms].weight[lane] = weights[corner];
    terms += has;
    sum += (msd_real)fabs((double)weights[corner]) * (msd_real)has;
    atomic_store_explicit(&p->is_doubtful[pair / NEAR_GROUP], 1, memory_order_relaxed);
  }
  for (int32_t k = terms; k < count && k <= int_max(terms, had); k++)
    rows[k].weight[lane] = 0;
  p->rows.terms[owner] = terms;
  p->sharing[owner] = p->records[(size_t)owner * RECORD_SIZE + NEAR_SHARING] = sum;
}

/* In a stack at rest few pairs in a hundred begin or cease to act in a substep, so most sums are reused. */
bool near_pairs_share(near_pairs *p, parallel_range owned) {
  bool some = false;
  const uint8_t *stale = (const uint8_t *)p->is_stale;
  for (int32_t n = marks_next(stale, UINT8_MAX, owned.first, owned.last); n < owned.last;
       n = marks_next(stale, UINT8_MAX, n + 1, owned.last)) {
    some = true;
    atomic_store_explicit(&p->is_stale[n], 0, memory_order_relaxed);
    share_at(p, n);
  }
  return some;
}

/* The sum of g over three components of a state, relative to the first corner. */
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
  return distance >= thickness && distance + s->dt * slid < thickness;
}

bool near_pairs_have(const near_pairs *p, const int32_t slots[PAIR_CORNERS], pair_kind kind) {
  const pair_slots own = slots_of(p);
  for (int32_t n = corner_lists_find(&p->corners, own.of, slots, 0); n >= 0;
       n = corner_lists_find(&p->corners, own.of, slots, n + 1))
    if (near_pairs_kind(p, n) == kind)
      return true;
  return false;
}

bool near_pairs_get_contact(const near_pairs *p, int32_t n, near_contact *out) {
  if (!acts(p, (uint32_t)n))
    return false;
  near_pairs_slots(p, n, out->slots);
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    out->weight[corner] = *near_pairs_at(p, NEAR_WEIGHT + corner, n);
  out->kind = near_pairs_kind(p, n);
  const msd_real *force = p->force[n / NEAR_GROUP] + n % NEAR_GROUP * FORCE_SIZE;
  out->normal = (msd_vec3){*near_pairs_at(p, NEAR_NORMAL, n), *near_pairs_at(p, NEAR_NORMAL + 1, n),
                           *near_pairs_at(p, NEAR_NORMAL + 2, n)};
  out->force = (msd_vec3){force[0], force[1], force[2]};
  return true;
}

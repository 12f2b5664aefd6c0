#include "engine/kernel/hard_limits.h"

#include "engine/base/sort.h"
#include "engine/kernel/records.h"

/* ------------------------------------------------------------------------------------------------- layout */

/* The inputs of a layout. For each slot, of[0] and of[1] count the tension-only and compression-only limits,
   then store their next rows. `all` counts both, including torn ones. */
typedef struct maker {
  hard_limit_list *list;
  const spring_store *springs;
  const particle_store *particles;
  int32_t *of[2], *all;
  int32_t group_count;
} maker;

/* 0: tension-only, 1: compression-only. */
static int kind_of(const maker *k, int32_t spring) {
  return spring_side(k->springs, spring) == MSD_SPRING_COMPRESSION_ONLY;
}

static bool is_laid(const maker *k, int32_t spring) {
  return spring_can_hard_limit(k->springs, k->particles, spring);
}

/* The particle at an end of a spring. */
static int32_t end_of(const maker *k, int32_t spring, int end) {
  return end == 0 ? k->springs->a[spring] : k->springs->b[spring];
}

static bool has_lane(const maker *k, int32_t particle) {
  return k->particles->inverse_mass[particle] > 0;
}

/* Torn limits keep their fraction of the mass. */
static bool has_share(const maker *k, int32_t spring) {
  return is_laid(k, spring) ||
         (spring_is_hard_limit(k->springs, spring) && spring_is_torn(k->springs, spring));
}

static void count_springs(maker *k) {
  for (int32_t e = 0; e < k->springs->count; e++) {
    const bool laid = is_laid(k, e);
    if (!has_share(k, e))
      continue;
    k->list->count += laid;
    for (int end = 0; end < 2; end++) {
      const int32_t particle = end_of(k, e, end);
      k->all[particle_slot(k->particles, particle)]++;
      k->of[kind_of(k, e)][particle_slot(k->particles, particle)] += laid && has_lane(k, particle);
    }
  }
}

/* The number of rows that a group needs for one kind. */
static int32_t rows_of(const maker *k, int32_t group, int kind) {
  int32_t most = 0;
  for (int32_t lane = 0; lane < HARD_LIMIT_LANES; lane++) {
    const int32_t slot = group * HARD_LIMIT_LANES + lane;
    if (slot < k->particles->count && k->of[kind][slot] > most)
      most = k->of[kind][slot];
  }
  return most;
}

/* Stores the groups and the first rows of each, if allocated. Returns the number of rows. */
static int64_t list_groups(maker *k) {
  hard_limit_list *c = k->list;
  int64_t rows = 0;
  c->group_count = 0;
  for (int32_t group = 0; group < k->group_count; group++) {
    const int32_t tethers = rows_of(k, group, 0), struts = rows_of(k, group, 1);
    if (tethers + struts == 0)
      continue;
    if (c->groups) {
      c->groups[c->group_count] = group;
      c->rows[2 * c->group_count] = (int32_t)rows;
      c->rows[2 * c->group_count + 1] = (int32_t)rows + tethers;
      c->rows[2 * c->group_count + 2] = (int32_t)rows + tethers + struts;
    }
    c->group_count++;
    rows += tethers + struts;
  }
  return rows;
}

static bool allocate(maker *k, memory *m, int64_t rows) {
  hard_limit_list *c = k->list;
  const size_t lanes = (size_t)rows * HARD_LIMIT_LANES, groups = (size_t)c->group_count;
  if (rows > INT32_MAX / HARD_LIMIT_LANES)
    return false;
  c->springs = memory_allocate(m, (size_t)c->count * sizeof *c->springs);
  c->lanes = memory_allocate(m, 2 * (size_t)c->count * sizeof *c->lanes);
  c->groups = memory_allocate(m, groups * sizeof *c->groups);
  c->rows = memory_allocate(m, (2 * groups + 1) * sizeof *c->rows);
  c->common = memory_allocate(m, (size_t)rows * sizeof *c->common);
  c->partner = memory_allocate(m, lanes * sizeof *c->partner);
  c->rest = memory_allocate(m, lanes * sizeof *c->rest);
  c->mass = memory_allocate(m, lanes * sizeof *c->mass);
  c->given = memory_allocate(m, lanes * sizeof *c->given);
  c->moved = memory_allocate(m, groups * 3 * HARD_LIMIT_LANES * sizeof *c->moved);
  c->moves = memory_allocate(m, groups);
  return c->springs && c->lanes && c->groups && c->rows && c->common && c->partner && c->rest && c->mass &&
         c->given && c->moved && c->moves;
}

/* Unused lanes refer to their own particle and have a rest length that is never violated. */
static void clear_lanes(const hard_limit_list *c) {
  for (int32_t k = 0; k < c->group_count; k++)
    for (int32_t row = c->rows[2 * k]; row < c->rows[2 * k + 2]; row++) {
      c->common[row] = -1;
      for (int32_t lane = 0; lane < HARD_LIMIT_LANES; lane++) {
        c->partner[row * HARD_LIMIT_LANES + lane] = c->groups[k] * HARD_LIMIT_LANES + lane;
        c->rest[row * HARD_LIMIT_LANES + lane] = hard_limit_never(
            row < c->rows[2 * k + 1] ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY);
      }
    }
}

/* Sets the next row of each slot to the first row of its group. */
static void begin_rows(maker *k) {
  const hard_limit_list *c = k->list;
  for (int32_t g = 0; g < c->group_count; g++)
    for (int32_t lane = 0; lane < HARD_LIMIT_LANES; lane++) {
      const int32_t slot = c->groups[g] * HARD_LIMIT_LANES + lane;
      for (int kind = 0; kind < 2 && slot < k->particles->count; kind++)
        k->of[kind][slot] = c->rows[2 * g + kind];
    }
}

static int32_t take_lane(maker *k, int32_t spring, int end, msd_real mass) {
  hard_limit_list *c = k->list;
  if (!has_lane(k, end_of(k, spring, end)))
    return -1;
  const size_t slot = particle_slot(k->particles, end_of(k, spring, end));
  const int32_t lane =
      k->of[kind_of(k, spring)][slot]++ * HARD_LIMIT_LANES + (int32_t)(slot % HARD_LIMIT_LANES);
  c->partner[lane] = (int32_t)particle_slot(k->particles, end_of(k, spring, 1 - end));
  c->rest[lane] = k->springs->rest[spring];
  c->mass[lane] = mass;
  return lane;
}

static void place_springs(maker *k) {
  hard_limit_list *c = k->list;
  int32_t n = 0;
  for (int32_t e = 0; e < k->springs->count; e++) {
    if (!is_laid(k, e))
      continue;
    const int32_t at_a = k->all[particle_slot(k->particles, end_of(k, e, 0))],
                  at_b = k->all[particle_slot(k->particles, end_of(k, e, 1))];
    const msd_real mass = (msd_real)spring_hard_limit_mass(k->springs, k->particles, e, at_a, at_b);
    c->springs[n] = e;
    for (int end = 0; end < 2; end++)
      c->lanes[2 * n + end] = take_lane(k, e, end, mass);
    n++;
  }
}

static void find_common(const hard_limit_list *c) {
  for (int32_t row = 0; row < c->rows[2 * c->group_count]; row++) {
    int32_t common = -1, others = 0;
    for (int32_t lane = row * HARD_LIMIT_LANES; lane < (row + 1) * HARD_LIMIT_LANES; lane++)
      if (isfinite(c->rest[lane])) {
        others += common >= 0 && c->partner[lane] != common;
        common = c->partner[lane];
      }
    c->common[row] = others == 0 ? common : -1;
  }
}

static bool make(maker *k, memory *m) {
  if (!k->of[0] || !k->of[1] || !k->all)
    return false;
  count_springs(k);
  if (!allocate(k, m, list_groups(k)))
    return false;
  list_groups(k);
  clear_lanes(k->list);
  begin_rows(k);
  place_springs(k);
  find_common(k->list);
  return true;
}

bool hard_limit_list_make(hard_limit_list *c, memory *m, const spring_store *s, const particle_store *p) {
  hard_limit_list_free(c, m);
  maker k = {.list = c,
             .springs = s,
             .particles = p,
             .group_count = (p->count + HARD_LIMIT_LANES - 1) / HARD_LIMIT_LANES};
  for (int kind = 0; kind < 2; kind++)
    k.of[kind] = memory_allocate(m, (size_t)p->count * sizeof *k.of[kind]);
  k.all = memory_allocate(m, (size_t)p->count * sizeof *k.all);
  const bool done = make(&k, m);
  memory_release(m, k.all);
  for (int kind = 0; kind < 2; kind++)
    memory_release(m, k.of[kind]);
  if (!done)
    hard_limit_list_free(c, m);
  return done;
}

void hard_limit_list_free(hard_limit_list *c, memory *m) {
  memory_release(m, c->springs);
  memory_release(m, c->lanes);
  memory_release(m, c->groups);
  memory_release(m, c->rows);
  memory_release(m, c->common);
  memory_release(m, c->partner);
  memory_release(m, c->rest);
  memory_release(m, c->mass);
  memory_release(m, c->given);
  memory_release(m, c->moved);
  memory_release(m, c->moves);
  *c = (hard_limit_list){0};
}

/* ----------------------------------------------------------------------------------------- single springs */

/* Both lanes of a spring; NULL if it is not in the list. */
static const int32_t *lanes_of(const hard_limit_list *c, int32_t spring) {
  const int32_t n = sorted_place(c->springs, c->count, sizeof *c->springs, spring);
  return n < c->count && c->springs[n] == spring ? c->lanes + 2 * (size_t)n : NULL;
}

void hard_limit_list_set_rest(hard_limit_list *c, int32_t spring, msd_real rest) {
  const int32_t *lanes = lanes_of(c, spring);
  for (int end = 0; lanes && end < 2; end++)
    if (lanes[end] >= 0)
      c->rest[lanes[end]] = rest;
}

hard_limit_numbers hard_limit_list_numbers(const hard_limit_list *c, int32_t spring) {
  const int32_t *lanes = lanes_of(c, spring);
  if (!lanes)
    return (hard_limit_numbers){0, 0};
  const int32_t lane = lanes[0] >= 0 ? lanes[0] : lanes[1];
  return (hard_limit_numbers){c->mass[lane], c->given[lane]};
}

/* ------------------------------------------------------------------------------------------------ substep */

parallel_range hard_limit_list_within(const hard_limit_list *c, parallel_range groups) {
  return (parallel_range){sorted_place(c->groups, c->group_count, sizeof *c->groups, groups.first),
                          sorted_place(c->groups, c->group_count, sizeof *c->groups, groups.last)};
}

static bool move(const hard_limit_thread *t, parallel_range own) {
  const hard_limit_list *c = t->list;
  const bool finite = t->kernel.move(c, &t->state, own.first, own.last);
  for (int32_t k = own.first; k < own.last && t->records; k++)
    if (c->moves[k])
      records_from_slab(t->state.behind, t->state.stride, t->records, (size_t)c->groups[k] * HARD_LIMIT_LANES,
                        ((size_t)c->groups[k] + 1) * HARD_LIMIT_LANES);
  return finite;
}

bool hard_limit_list_act(const hard_limit_thread *t) {
  const hard_limit_list *c = t->list;
  const parallel_range none = {t->groups.first, t->groups.first};
  bool finite = true;
  parallel_wait(t->barrier, t->threads);
  for (parallel_range part = none; span_next(&t->chunks, HARD_LIMIT_CHUNK, t->groups, &part);) {
    const parallel_range own = hard_limit_list_within(c, part);
    t->kernel.give(c, &t->state, own.first, own.last);
  }
  parallel_wait(t->barrier, t->threads);
  for (parallel_range part = none; span_next(&t->chunks, HARD_LIMIT_CHUNK, t->groups, &part);)
    finite = move(t, hard_limit_list_within(c, part)) && finite;
  return finite;
}

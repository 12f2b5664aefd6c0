/* What a particle sees of a compiled network, read the way network.h says a step reads it. Each spring carries
   its own number as its rest length, so it can be told which one a lane is. */
#ifndef MSD_TESTS_SUPPORT_NETWORK_VISITS_H
#define MSD_TESTS_SUPPORT_NETWORK_VISITS_H

#include "tests/support/networks.h"

#include "engine/network/network.h"

typedef enum visit_kind { VISIT_UP, VISIT_DOWN, VISIT_HELD, VISIT_INDEXED } visit_kind;

/* One spring as one of its ends meets it. */
typedef struct visit {
  visit_kind kind;
  int32_t spring; /* rest length - 1 */
  int32_t partner;
  msd_real stiffness, damping;
  msd_real side; /* as network_side */
  bool to_one_pin;
} visit;

typedef struct visits {
  visit *list;
  int count, capacity;
} visits;

static inline void add_visit(visits *v, const network *n, visit_kind kind, int32_t partner, int32_t lane,
                             const coefficient_class *part, msd_real side) {
  cr_assert(lane >= 0 && lane < n->lane_count, "lane %d of %d", lane, n->lane_count);
  if (!(n->rest[lane] >= 0))
    return;
  if (v->count == v->capacity) {
    v->capacity = v->capacity ? 2 * v->capacity : 64;
    v->list = realloc(v->list, (size_t)v->capacity * sizeof *v->list);
    cr_assert_not_null(v->list);
  }
  const coefficient_class tuning = network_tuning_at(n, part, lane);
  v->list[v->count++] =
      (visit){kind, (int32_t)n->rest[lane] - 1, partner, tuning.stiffness, tuning.damping, side, false};
}

static inline void visit_rows(visits *v, const network *n, visit_kind kind, int32_t particle, int32_t first,
                              int32_t last) {
  for (int32_t r = first; r < last; r++)
    add_visit(v, n, kind, particle + n->rows[r].shift, n->rows[r].lane + particle % NETWORK_GROUP,
              &n->runs[n->rows[r].run].material, n->runs[n->rows[r].run].side);
}

static inline void visit_indexed(visits *v, const network *n, int32_t particle, int32_t lane) {
  add_visit(v, n, VISIT_INDEXED, network_partner(n, particle, lane), n->indexed_lane + lane,
            &n->indexed_material, n->sides ? n->sides[lane] : 0);
}

static inline void visit_particle(visits *v, const network *n, int32_t particle) {
  const network_group *group = &n->groups[particle / NETWORK_GROUP];
  v->count = 0;
  visit_rows(v, n, VISIT_UP, particle, group->up, group->down);
  visit_rows(v, n, VISIT_DOWN, particle, group->down, group[1].up);
  for (int32_t r = group->held; r < group[1].held; r++) {
    const network_held_row *row = &n->held_rows[r];
    const int before = v->count;
    add_visit(v, n, VISIT_HELD, row->pin >= 0 ? row->pin : particle + row->shift,
              n->held_lane + r * NETWORK_GROUP + particle % NETWORK_GROUP, &row->material, row->side);
    if (v->count > before)
      v->list[before].to_one_pin = row->pin >= 0;
  }
  for (int32_t r = group->indexed; r < group->indexed_end; r++)
    visit_indexed(v, n, particle, r * NETWORK_GROUP + particle % NETWORK_GROUP);
  for (int32_t t = network_first_tail(n, particle / NETWORK_GROUP);
       t < network_first_tail(n, particle / NETWORK_GROUP + 1); t++)
    for (int32_t lane = n->tails[t].first; lane < n->tails[t].end; lane++)
      if (n->tails[t].particle == particle)
        visit_indexed(v, n, particle, lane);
}

/* A step reads the partners of all 16 lanes of a row, also of those without a spring, and of all lanes of a
   tail. None is farther off than `farthest`. */
static inline void assert_partners_are_there(const network *n, int32_t particles, int32_t farthest) {
  cr_assert((n->near == NULL) != (n->partner == NULL));
  for (int32_t g = 0; g < n->group_count; g++)
    for (int32_t at = n->groups[g].indexed * NETWORK_GROUP; at < n->groups[g].indexed_end * NETWORK_GROUP;
         at++) {
      const int32_t slot = g * NETWORK_GROUP + at % NETWORK_GROUP, partner = network_partner(n, slot, at);
      cr_assert(partner >= 0 && partner < particles && abs(partner - slot) <= farthest,
                "a lane of %d reads %d of %d", slot, partner, particles);
    }
  for (int32_t t = 0; t < n->tail_count; t++)
    for (int32_t at = n->tails[t].first; at < n->tails[t].end; at++) {
      const int32_t partner = network_partner(n, n->tails[t].particle, at);
      cr_assert(partner >= 0 && partner < particles && abs(partner - n->tails[t].particle) <= farthest,
                "a lane of hub %d reads %d of %d", n->tails[t].particle, partner, particles);
    }
}

static inline memory unlimited(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

static inline msd_real *numbered_rests(const graph *g) {
  msd_real *rest = calloc((size_t)g->springs + 1, sizeof *rest);
  cr_assert_not_null(rest);
  for (int32_t s = 0; s < g->springs; s++)
    rest[s] = (msd_real)(s + 1);
  return rest;
}

#endif

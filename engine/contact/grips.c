#include "engine/contact/grips.h"

#include "engine/base/min_max.h"

#include <math.h>
#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(grips, all)};
const growth_table grip_growth = GROWTH(grips, count, capacity, arrays, .most = INT32_MAX);

bool grips_reserve(grips *g, memory *m, int32_t particles) {
  grips_free(g, m);
  g->first = memory_allocate_unset_items(m, particles, sizeof *g->first);
  if (!g->first)
    return false;
  g->particles = particles;
  grips_clear(g);
  return true;
}

void grips_free(grips *g, memory *m) {
  growth_free(&grip_growth, g, m);
  memory_release(m, g->first);
  *g = (grips){0};
}

size_t grips_bytes(const grips *g) {
  return (g->first ? memory_cost((size_t)g->particles * sizeof *g->first) : 0) +
         (g->all ? memory_cost((size_t)g->capacity * sizeof *g->all) : 0);
}

bool grips_make_room(grips *g, memory *m, int32_t pairs) {
  return growth_reserve(&grip_growth, g, m, int_min(pairs, grips_most(g->particles)));
}

void grips_clear(grips *g) {
  g->count = 0;
  for (int32_t i = 0; i < g->particles; i++)
    g->first[i] = -1;
}

static void link_last(grips *g) {
  int32_t *first = &g->first[g->all[g->count].particles[0]];
  g->all[g->count].next = *first;
  *first = g->count++;
}

static bool is_held(const near_grip *of) {
  return of->anchor[0] != 0 || of->anchor[1] != 0 || of->anchor[2] != 0;
}

void grips_take(grips *g, near_pairs *p, const int32_t *particle) {
  const int32_t most = int_min(g->capacity, grips_most(g->particles));
  grips_clear(g);
  for (int32_t n = 0; n < p->count; n++) {
    const near_grip of = near_pairs_get_grip(p, n);
    if (!is_held(&of))
      continue;
    if (g->count == most) {
      near_pairs_set_grip(p, n, &(near_grip){.most = NEAR_NEWLY_HELD});
      continue;
    }
    grip *to = &g->all[g->count];
    *to = (grip){.kind = near_pairs_kind(p, n), .mass = of.mass};
    memcpy(to->way, of.anchor, sizeof to->way);
    near_pairs_slots(p, n, to->particles);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      to->particles[corner] = particle[to->particles[corner]];
    link_last(g);
  }
}

void grips_index(grips *g) {
  const int32_t count = g->count;
  grips_clear(g);
  while (g->count < count)
    link_last(g);
}

static const grip *look_up(const grips *g, const int32_t particles[PAIR_CORNERS], pair_kind kind) {
  for (int32_t n = g->first[particles[0]]; n >= 0; n = g->all[n].next)
    if (g->all[n].kind == kind && memcmp(g->all[n].particles, particles, sizeof g->all[n].particles) == 0)
      return &g->all[n];
  return NULL;
}

/* Edges may have been listed the other way round. */
near_grip grips_find(const grips *g, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                     const int32_t *particle) {
  near_grip found = {.most = NEAR_NEWLY_HELD};
  const int32_t as[PAIR_CORNERS] = {particle[slots[0]], particle[slots[1]], particle[slots[2]],
                                    particle[slots[3]]},
                turned[PAIR_CORNERS] = {as[2], as[3], as[0], as[1]};
  const grip *there = look_up(g, as, kind);
  const bool is_turned = !there && kind == PAIR_EDGE_EDGE;
  if (is_turned)
    there = look_up(g, turned, kind);
  if (!there)
    return found;
  for (int axis = 0; axis < 3; axis++)
    found.anchor[axis] = is_turned ? -there->way[axis] : there->way[axis];
  found.mass = there->mass;
  return found;
}

/* Whoever makes up a way gets no more friction by it than mu J: but it has to be added to others. */
static bool is_way_sound(msd_real way) {
  static const double longest = 1e12;
  return fabs((double)way) <= longest;
}

bool grips_are_sound(const grips *g) {
  bool sound = true;
  for (int32_t n = 0; n < g->count && sound; n++) {
    const grip *of = &g->all[n];
    sound = (of->kind == PAIR_POINT_TRIANGLE || of->kind == PAIR_EDGE_EDGE) && of->mass >= 0 &&
            isfinite(of->mass);
    for (int axis = 0; axis < 3; axis++)
      sound = sound && is_way_sound(of->way[axis]);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      sound = sound && of->particles[corner] >= 0 && of->particles[corner] < g->particles;
  }
  return sound;
}

/* The network of one-sided springs: held rows, and sides that no other place may lose. */
#include "tests/support/network_visits.h"
#include "tests/support/scarce_memory.h"

#include "engine/store/particle.h"

#include <limits.h>

/* A graph whose springs have sides, some of whose particles are pinned. */
typedef struct sided {
  const graph *g;
  uint8_t *side;
  msd_real *inverse_mass, *rest;
} sided;

static sided sided_of(const graph *g, uint64_t seed, int pinned_of_16, int sided_of_16) {
  generator random = {.state = seed};
  sided s = {g, calloc((size_t)g->springs + 1, 1), calloc((size_t)g->particles + 1, sizeof(msd_real)),
             numbered_rests(g)};
  cr_assert(s.side && s.inverse_mass);
  for (int32_t i = 0; i < g->particles; i++)
    s.inverse_mass[i] = random_below(&random, 16) < pinned_of_16 ? 0 : 2;
  for (int32_t e = 0; e < g->springs; e++)
    s.side[e] = (uint8_t)(random_below(&random, 16) < sided_of_16 ? 1 + random_below(&random, 2) : 0);
  return s;
}

static void free_sided(sided *s) {
  free(s->side);
  free(s->inverse_mass);
  free(s->rest);
}

static network_source source_of(const sided *s) {
  return (network_source){.particle_count = s->g->particles,
                          .spring_count = s->g->springs,
                          .a = s->g->a,
                          .b = s->g->b,
                          .rest = s->rest,
                          .side = s->side,
                          .inverse_mass = s->inverse_mass};
}

static void compile(network *n, memory *m, const sided *s) {
  const network_source source = source_of(s);
  cr_assert(network_compile(n, m, &source));
}

static bool is_held(const sided *s, int32_t spring) {
  return (s->side[spring] & 3) != MSD_SPRING_BOTH &&
         (s->inverse_mass[s->g->a[spring]] == 0 || s->inverse_mass[s->g->b[spring]] == 0);
}

static msd_real sign_of(uint8_t side) {
  return side == MSD_SPRING_TENSION_ONLY ? 1 : side == MSD_SPRING_COMPRESSION_ONLY ? -1 : 0;
}

/* Held springs are met once, from an end that is not pinned where there is one, with a pin as the partner; the
   others from both ends. All have the side that they were given. */
static void assert_met_with_their_sides(const char *name, const network *n, const sided *s) {
  const graph *g = s->g;
  int32_t *met = calloc((size_t)g->springs + 1, sizeof *met);
  visits v = {0};
  cr_assert_not_null(met);
  for (int32_t i = 0; i < g->particles; i++) {
    visit_particle(&v, n, i);
    for (int k = 0; k < v.count; k++) {
      const visit *now = &v.list[k];
      const int32_t e = now->spring;
      cr_assert(e >= 0 && e < g->springs);
      cr_assert((g->a[e] == i && g->b[e] == now->partner) || (g->b[e] == i && g->a[e] == now->partner),
                "%s: particle %d meets spring %d (%d to %d) with partner %d", name, i, e, g->a[e], g->b[e],
                now->partner);
      cr_assert_eq(now->side, sign_of(s->side[e]), "%s: spring %d has lost its side", name, e);
      if (is_held(s, e))
        cr_assert(now->kind >= VISIT_HELD && s->inverse_mass[now->partner] == 0 &&
                      (s->inverse_mass[i] != 0 || s->inverse_mass[g->a[e]] == s->inverse_mass[g->b[e]]),
                  "%s: particle %d meets spring %d from its pin", name, i, e);
      else
        cr_assert_neq(now->kind, VISIT_HELD);
      met[e]++;
    }
  }
  for (int32_t e = 0; e < g->springs; e++)
    cr_assert_eq(met[e], is_held(s, e) ? 1 : 2, "%s: spring %d is met %d times", name, e, met[e]);
  free(v.list);
  free(met);
}

/* Partners that a kind must have ascending (up rows: descending), then sides; indexed ones their numbers. */
static int64_t rank_of(const visit *v, int32_t particle) {
  const int64_t side = v->side > 0 ? 1 : v->side < 0 ? 2 : 0;
  switch (v->kind) {
  case VISIT_UP:
    return -(int64_t)v->partner * 4 + side;
  case VISIT_HELD:
    return v->to_one_pin ? (int64_t)v->partner * 4 + side - ((int64_t)1 << 40)
                         : ((int64_t)v->partner - particle) * 4 + side;
  case VISIT_INDEXED:
    return v->spring;
  default:
    return (int64_t)v->partner * 4 + side;
  }
}

static void assert_canonical_order(const char *name, const network *n, const sided *s) {
  visits v = {0};
  for (int32_t i = 0; i < s->g->particles; i++) {
    visit_particle(&v, n, i);
    for (int k = 1; k < v.count; k++)
      if (v.list[k].kind == v.list[k - 1].kind)
        cr_assert(rank_of(&v.list[k - 1], i) < rank_of(&v.list[k], i),
                  "%s: particle %d meets spring %d before %d", name, i, v.list[k - 1].spring,
                  v.list[k].spring);
  }
  free(v.list);
}

static void assert_held_rows_are_sound(const char *name, const network *n, const sided *s) {
  for (int32_t g = 0; g < n->group_count; g++)
    for (int32_t r = n->groups[g].held; r < n->groups[g + 1].held; r++) {
      const network_held_row *row = &n->held_rows[r];
      int lanes = 0;
      for (int lane = 0; lane < NETWORK_GROUP; lane++)
        lanes += n->rest[n->held_lane + r * NETWORK_GROUP + lane] >= 0;
      cr_assert(lanes >= 4, "%s: a held row of group %d has %d springs", name, g, lanes);
      const int32_t first = g * NETWORK_GROUP + row->shift;
      cr_assert(row->pin >= 0
                    ? row->pin < s->g->particles
                    : first >= -PARTICLE_GUARD && first + NETWORK_GROUP <= s->g->particles + PARTICLE_GUARD,
                "%s: group %d reads from %d", name, g, first);
    }
}

static void assert_sound(const char *name, const graph *g, uint64_t seed, int pinned, int with_side) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  network n = {0};
  sided s = sided_of(g, seed, pinned, with_side);
  compile(&n, &m, &s);
  assert_met_with_their_sides(name, &n, &s);
  assert_canonical_order(name, &n, &s);
  assert_held_rows_are_sound(name, &n, &s);
  network_free(&n, &m);
  cr_assert_eq(m.used, 0);
  free_sided(&s);
}

Test(network_held, every_spring_keeps_its_side_and_held_ones_are_met_by_their_free_end_alone) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++)
    for (int pinned = 0; pinned <= 16; pinned += 4)
      for (int with_side = 4; with_side <= 16; with_side += 4)
        assert_sound(list[i].name, &list[i].graph, (uint64_t)(pinned * 20 + with_side), pinned, with_side);
  free_all_graphs(list);
}

Test(network_held, sides_that_are_all_both_change_nothing) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    network with = {0}, without = {0};
    sided s = sided_of(&list[i].graph, 1, 8, 0);
    compile(&with, &m, &s);
    uint8_t *side = s.side;
    s.side = NULL;
    compile(&without, &m, &s);
    s.side = side;
    cr_assert_eq(with.lane_count, without.lane_count);
    cr_assert_eq(with.held_row_count, 0);
    cr_assert_null(with.sides);
    cr_assert_eq(memcmp(with.rest, without.rest, (size_t)with.lane_count * sizeof *with.rest), 0);
    cr_assert_eq(with.rank_bits, without.rank_bits);
    cr_assert_eq(
        memcmp(with.ranks, without.ranks, (size_t)with.spring_count * 2 * (size_t)with.rank_bits / 8), 0);
    network_free(&with, &m);
    network_free(&without, &m);
    free_sided(&s);
  }
  free_all_graphs(list);
}

/* All springs tethers, the particles first..last pinned. */
static sided tethers_of(const graph *g, int32_t first, int32_t last) {
  sided s = sided_of(g, 1, 0, 0);
  memset(s.side, MSD_SPRING_TENSION_ONLY, (size_t)g->springs);
  for (int32_t i = first; i <= last; i++)
    s.inverse_mass[i] = 0;
  return s;
}

static void compile_tethers(network *n, memory *m, const graph *g, int32_t first, int32_t last) {
  sided s = tethers_of(g, first, last);
  compile(n, m, &s);
  free_sided(&s);
}

static int32_t indexed_rows(const network *n) {
  return n->groups[n->group_count].indexed;
}

Test(network_held, tethers_to_one_pin_need_no_indices_and_one_row_for_each_group) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  graph g = graph_star(777, 400);
  network n = {0};
  compile_tethers(&n, &m, &g, 400, 400);
  cr_assert_eq(network_contiguous_share(&n), 1);
  cr_assert_eq(indexed_rows(&n), 0);
  cr_assert_eq(n.held_row_count, n.group_count);
  for (int32_t r = 0; r < n.held_row_count; r++)
    cr_assert_eq(n.held_rows[r].pin, 400);
  network_free(&n, &m);
  graph_free(&g);
}

Test(network_held, tethers_to_the_pin_above_need_no_indices) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  graph g = graph_of_points(100 * 30);
  for (int32_t i = 100; i < g.particles; i++)
    graph_join(&g, i, i % 100);
  network n = {0};
  compile_tethers(&n, &m, &g, 0, 99);
  cr_assert_eq(network_contiguous_share(&n), 1);
  cr_assert_eq(indexed_rows(&n), 0);
  cr_assert_leq(n.held_row_count, 29 * 8);
  network_free(&n, &m);
  graph_free(&g);
}

Test(network_held, tethers_of_scattered_particles_are_indexed_at_their_free_end) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  graph g = graph_of_points(160);
  for (int32_t i = 8; i < g.particles; i += 8)
    graph_join(&g, i, 0);
  network n = {0};
  sided s = tethers_of(&g, 0, 0);
  compile(&n, &m, &s);
  const network_source source = source_of(&s);
  cr_assert_eq(n.held_row_count, 0);
  cr_assert_eq(indexed_rows(&n), 10);
  for (int32_t e = 0; e < g.springs; e++)
    cr_assert(network_place_of(&n, &source, e).a >= n.indexed_lane &&
              network_place_of(&n, &source, e).b == -1);
  free_sided(&s);
  network_free(&n, &m);
  graph_free(&g);
}

/* All unbroken springs have stiffness 5 and damping 2, but for one. */
static void tune(network *n, memory *m, const network_source *source, int32_t other, msd_real stiffness) {
  network_begin_tuning(n);
  for (int32_t e = 0; e < source->spring_count; e++)
    cr_assert(n->rest[network_place_of(n, source, e).a] < 0 ||
              network_set_tuning(n, m, source, e, e == other ? stiffness : 5, 2));
}

Test(network_held, a_held_row_has_a_material_and_its_springs_are_retuned_and_broken_in_place) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  graph g = graph_star(100, 0);
  network n = {0};
  sided s = tethers_of(&g, 0, 0);
  compile(&n, &m, &s);
  const network_source source = source_of(&s);
  tune(&n, &m, &source, -1, 0);
  for (int32_t r = 0; r < n.held_row_count; r++)
    cr_assert(n.held_rows[r].material.uniform && n.held_rows[r].material.stiffness == 5 &&
              n.held_rows[r].material.damping == 2);
  tune(&n, &m, &source, 20, 6); /* at particle 21, of the second group */
  for (int32_t r = 0; r < n.held_row_count; r++)
    cr_assert_eq(n.held_rows[r].material.uniform, r != 1);
  visits v = {0};
  for (int32_t i = 1; i < g.particles; i++) {
    visit_particle(&v, &n, i);
    cr_assert(v.count == 1 && v.list[0].stiffness == (i == 21 ? 6 : 5) && v.list[0].damping == 2);
  }
  network_set_rest(&n, &source, 20, -1);
  tune(&n, &m, &source, 20, 6);
  cr_assert(n.held_rows[1].material.uniform);
  visit_particle(&v, &n, 21);
  cr_assert_eq(v.count, 0);
  visit_particle(&v, &n, 22);
  cr_assert_eq(v.count, 1);
  free(v.list);
  network_free(&n, &m);
  free_sided(&s);
  graph_free(&g);
}

/* Sides may come with other bits of their owner's, which change with time. */
Test(network_held, a_held_spring_is_found_after_its_owner_has_marked_it) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    network n = {0};
    sided s = sided_of(&list[i].graph, 3, 6, 9);
    compile(&n, &m, &s);
    const network_source source = source_of(&s);
    for (int32_t e = 0; e < list[i].graph.springs; e++) {
      s.side[e] |= 0x80;
      const network_place place = network_place_of(&n, &source, e);
      cr_assert(n.rest[place.a] == s.rest[e] && (place.b < 0 || n.rest[place.b] == s.rest[e]),
                "%s: spring %d is elsewhere", list[i].name, e);
      cr_assert_eq(place.b < 0, is_held(&s, e) || place.part < n.run_count);
    }
    network_free(&n, &m);
    free_sided(&s);
  }
  free_all_graphs(list);
}

/* ----------------------------------------------------------------------------------------------- memory */

Test(network_held, without_memory_at_any_moment_the_network_is_empty_and_has_given_all_back) {
  graph g = graph_star(300, 7);
  for (int32_t i = 20; i < 40; i++)
    graph_join(&g, i, i + 200);
  sided s = sided_of(&g, 1, 0, 16);
  s.inverse_mass[7] = 0;
  bool done = false;
  int refused = 0;
  for (int left = 0; !done; left++) {
    cr_assert(left < 100);
    scarce few = {.left = left};
    memory m = {.allocator = scarce_allocator(&few), .limit = SIZE_MAX};
    network n = {0};
    const network_source source = {.particle_count = g.particles,
                                   .spring_count = g.springs,
                                   .a = g.a,
                                   .b = g.b,
                                   .rest = s.rest,
                                   .side = s.side,
                                   .inverse_mass = s.inverse_mass};
    done = network_compile(&n, &m, &source);
    refused += !done;
    if (!done)
      cr_assert(m.used == 0 && n.spring_count == 0 && n.group_count == 0 && n.held_row_count == 0);
    else
      cr_assert(n.held_row_count > 0 && n.sides);
    network_free(&n, &m);
    cr_assert_eq(m.used, 0);
  }
  cr_assert_gt(refused, 15);
  free_sided(&s);
  graph_free(&g);
}

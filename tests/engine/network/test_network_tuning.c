/* Stiffness and damping in a compiled network: where they stand, and what differs from its neighbors. */
#include "tests/support/compiled_network.h"
#include "tests/support/scarce_memory.h"

static msd_real stiffness_of(int32_t spring) {
  return (msd_real)(2 * spring + 1);
}

static msd_real damping_of(int32_t spring) {
  return (msd_real)(3 * spring + 1);
}

static void tune(network *n, memory *m, const network_source *source, int32_t spring, msd_real stiffness,
                 msd_real damping) {
  cr_assert(network_set_tuning(n, m, source, spring, stiffness, damping));
}

Test(network_tuning, stiffness_and_damping_begin_at_zero_and_reach_both_ends_of_their_spring_alone) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const graph *g = &list[i].graph;
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(g);
    compile(&n, &m, g, rest);
    const network_source source = source_of(g, rest);
    visits v = {0};
    for (int32_t p = 0; p < g->particles; p++) {
      visit_particle(&v, &n, p);
      for (int k = 0; k < v.count; k++)
        cr_assert(v.list[k].stiffness == 0 && v.list[k].damping == 0);
    }
    for (int32_t s = 0; s < g->springs; s++)
      tune(&n, &m, &source, s, stiffness_of(s), damping_of(s));
    for (int32_t p = 0; p < g->particles; p++) {
      visit_particle(&v, &n, p);
      for (int k = 0; k < v.count; k++)
        cr_assert(v.list[k].stiffness == stiffness_of(v.list[k].spring) &&
                  v.list[k].damping == damping_of(v.list[k].spring));
    }
    network_free(&n, &m);
    free(v.list);
    free(rest);
  }
  free_all_graphs(list);
}

/* What each end of each spring reads, and nothing else: stiffness and damping of springs `first`, `first` +
   `every`, ... are numbered, those of the others 5 and 2. */
static void assert_tuned(const char *name, const network *n, const graph *g, int32_t first, int32_t every) {
  visits v = {0};
  for (int32_t p = 0; p < g->particles; p++) {
    visit_particle(&v, n, p);
    for (int k = 0; k < v.count; k++) {
      const int32_t s = v.list[k].spring;
      const bool numbered = s >= first && (s - first) % every == 0;
      cr_assert(v.list[k].stiffness == (numbered ? stiffness_of(s) : 5) &&
                    v.list[k].damping == (numbered ? damping_of(s) : 2),
                "%s: spring %d of %g and %g at particle %d", name, s, (double)v.list[k].stiffness,
                (double)v.list[k].damping, p);
    }
  }
  free(v.list);
}

Test(network_tuning, springs_of_one_material_need_no_lanes_for_it) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const graph *g = &list[i].graph;
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(g);
    compile(&n, &m, g, rest);
    const network_source source = source_of(g, rest);
    const size_t before = m.used;
    for (int round = 0; round < 2; round++) {
      network_begin_tuning(&n);
      for (int32_t s = 0; s < g->springs; s++)
        tune(&n, &m, &source, s, 5, 2);
      assert_tuned(list[i].name, &n, g, g->springs, 1);
    }
    cr_assert_eq(m.used, before, "%s: %zu bytes more", list[i].name, m.used - before);
    network_free(&n, &m);
    free(rest);
  }
  free_all_graphs(list);
}

/* Notes springs `first` to `end` - 1, of which `other` is another, and all others are of 5 and 2. */
static bool note(const network *n, const network_source *source, int32_t first, int32_t end, int32_t other,
                 coefficient_class *materials) {
  bool agree = true;
  for (int32_t s = first; s < end; s++)
    if (!network_leaves_out(source, s))
      agree = network_note_tuning(n, source, s, s == other ? 7 : 5, 2, materials) && agree;
  return agree;
}

/* Whether all springs are noted, in thirds by themselves, and taken. */
static bool tune_in_thirds(network *n, const network_source *source, int32_t springs, int32_t other) {
  enum { SHARES = 3 };
  const size_t parts = (size_t)network_part_count(n);
  coefficient_class *noted = calloc(SHARES * parts, sizeof *noted);
  cr_assert_not_null(noted);
  bool agree = true;
  network_begin_tuning(n);
  for (int32_t t = 0; t < SHARES; t++)
    agree =
        note(n, source, springs * t / SHARES, springs * (t + 1) / SHARES, other, noted + (size_t)t * parts) &&
        agree;
  for (int t = 1; t < SHARES && agree; t++)
    agree = network_join_tuning(n, noted + (size_t)t * parts, noted);
  if (agree)
    network_take_tuning(n, noted);
  free(noted);
  return agree;
}

Test(network_tuning, springs_that_are_noted_in_shares_are_tuned_as_one_by_one) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const graph *g = &list[i].graph;
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(g);
    compile(&n, &m, g, rest);
    const network_source source = source_of(g, rest);
    const size_t before = m.used;
    cr_assert(tune_in_thirds(&n, &source, g->springs, -1), "%s", list[i].name);
    assert_tuned(list[i].name, &n, g, g->springs, 1);
    cr_assert_eq(m.used, before);
    network_free(&n, &m);
    free(rest);
  }
  free_all_graphs(list);
}

/* The part of another spring, which is its own where no other moving spring has it. */
static bool is_alone(const network *n, const network_source *source, int32_t springs, int32_t spring) {
  bool is_alone = true;
  for (int32_t s = 0; s < springs; s++)
    is_alone = is_alone && (s == spring || network_leaves_out(source, s) ||
                            network_place_of(n, source, s).part != network_place_of(n, source, spring).part);
  return is_alone;
}

Test(network_tuning, shares_agree_only_where_no_spring_of_a_part_differs_from_another) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const graph *g = &list[i].graph;
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(g);
    compile(&n, &m, g, rest);
    const network_source source = source_of(g, rest);
    for (int32_t k = 0; k < 7 && g->springs > 0; k++) {
      const int32_t other = (int32_t)((int64_t)(g->springs - 1) * k / 6);
      if (!network_leaves_out(&source, other))
        cr_assert_eq(tune_in_thirds(&n, &source, g->springs, other), is_alone(&n, &source, g->springs, other),
                     "%s: spring %d", list[i].name, (int)other);
    }
    network_free(&n, &m);
    free(rest);
  }
  free_all_graphs(list);
}

Test(network_tuning, a_spring_that_differs_keeps_its_numbers_and_the_others_theirs) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const graph *g = &list[i].graph;
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(g);
    compile(&n, &m, g, rest);
    const network_source source = source_of(g, rest);
    for (int32_t every = 1; every < 12; every += 5)
      for (int32_t first = 0; first < g->springs; first += 1 + g->springs / 4) {
        network_begin_tuning(&n);
        for (int32_t s = 0; s < g->springs; s++) {
          const bool numbered = s >= first && (s - first) % every == 0;
          tune(&n, &m, &source, s, numbered ? stiffness_of(s) : 5, numbered ? damping_of(s) : 2);
        }
        assert_tuned(list[i].name, &n, g, first, every);
      }
    /* One after the other, without tuning all again. */
    network_begin_tuning(&n);
    for (int32_t s = 0; s < g->springs; s++)
      tune(&n, &m, &source, s, 5, 2);
    for (int32_t s = 0; s < g->springs; s += 7)
      tune(&n, &m, &source, s, stiffness_of(s), damping_of(s));
    assert_tuned(list[i].name, &n, g, 0, 7);
    network_free(&n, &m);
    free(rest);
  }
  free_all_graphs(list);
}

Test(network_tuning, only_the_run_that_a_spring_belongs_to_stops_being_uniform) {
  graph g = graph_cloth(60, 60, CLOTH_BEND);
  memory m = unlimited();
  network n = {0};
  msd_real *rest = numbered_rests(&g);
  compile(&n, &m, &g, rest);
  const network_source source = source_of(&g, rest);
  cr_assert_gt(n.run_count, 5);
  for (int32_t s = 0; s < g.springs; s += 97) {
    network_begin_tuning(&n);
    for (int32_t e = 0; e < g.springs; e++)
      tune(&n, &m, &source, e, e == s ? 6 : 5, 2);
    const network_place place = network_place_of(&n, &source, s);
    for (int32_t part = 0; part <= n.run_count; part++)
      cr_expect_eq(network_material_of(&n, part)->uniform, part != place.part, "spring %d, part %d", s, part);
  }
  network_free(&n, &m);
  graph_free(&g);
  free(rest);
}

Test(network_tuning, a_spring_that_is_never_tuned_leaves_its_part_uniform) {
  graph g = graph_random(200, 900, 3);
  memory m = unlimited();
  network n = {0};
  msd_real *rest = numbered_rests(&g);
  compile(&n, &m, &g, rest);
  const network_source source = source_of(&g, rest);
  const size_t before = m.used;
  network_set_rest(&n, &source, 500, -1);
  for (int32_t e = 0; e < g.springs; e++)
    if (e != 500)
      tune(&n, &m, &source, e, 5, 2);
  cr_expect(n.indexed_material.uniform);
  cr_expect_eq(m.used, before);
  network_free(&n, &m);
  graph_free(&g);
  free(rest);
}

/* The rows of a group are counted in 4 bits, 8, 16 or 32; a hub with many springs needs more. */
Test(network_tuning, a_spring_is_found_at_both_ends_however_many_rows_there_are) {
  static const int32_t spokes[] = {14, 15, 16, 100, 254, 255, 256, 1000, 65534, 65535, 65536, 70000};
  static const int bits[] = {4, 4, 8, 8, 8, 8, 16, 16, 16, 16, 32, 32};
  for (int k = 0; k < 12; k++) {
    graph g = graph_star(spokes[k] + 1, 0);
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(&g);
    compile(&n, &m, &g, rest);
    const network_source source = source_of(&g, rest);
    cr_expect_eq(n.rank_bits, bits[k], "%d spokes: %d bits", spokes[k], n.rank_bits);
    for (int32_t s = 0; s < g.springs; s++) {
      const network_place place = network_place_of(&n, &source, s);
      cr_assert(n.rest[place.a] == rest[s] && (place.b < 0 || n.rest[place.b] == rest[s]),
                "%d spokes: spring %d is elsewhere", spokes[k], s);
    }
    network_free(&n, &m);
    graph_free(&g);
    free(rest);
  }
}

/* Broken before compiling or after: the others stay, and in the same order. */
Test(network_tuning, a_broken_spring_is_met_by_neither_end_and_keeps_its_place) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    const graph *g = &list[i].graph;
    memory m = unlimited();
    network before = {0}, after = {0};
    msd_real *rest = numbered_rests(g);
    bool *broken = calloc((size_t)g->springs + 1, sizeof *broken);
    cr_assert_not_null(broken);
    const network_source source = source_of(g, rest);
    compile(&after, &m, g, rest);
    generator random = {.state = 9};
    for (int32_t s = 0; s < g->springs; s++)
      if (random_below(&random, 3) == 0) {
        broken[s] = true;
        rest[s] = -1;
        network_set_rest(&after, &source, s, -1);
      }
    compile(&before, &m, g, rest);
    assert_every_spring_once_per_end(list[i].name, &before, g, broken);
    assert_every_spring_once_per_end(list[i].name, &after, g, broken);
    visits one = {0}, other = {0};
    for (int32_t p = 0; p < g->particles; p++) {
      visit_particle(&one, &before, p);
      visit_particle(&other, &after, p);
      cr_assert_eq(one.count, other.count);
      for (int k = 0; k < one.count; k++)
        cr_assert(one.list[k].spring == other.list[k].spring && one.list[k].kind == other.list[k].kind,
                  "%s: the order at particle %d depends on when a spring broke", list[i].name, p);
    }
    free(one.list);
    free(other.list);
    network_free(&before, &m);
    network_free(&after, &m);
    free(broken);
    free(rest);
  }
  free_all_graphs(list);
}

Test(network_tuning, without_memory_for_a_spring_that_differs_all_keep_their_numbers) {
  graph g = graph_cloth(20, 20, CLOTH_BEND);
  graph_join(&g, 0, 399);
  for (int indexed = 0; indexed < 2; indexed++) {
    const int needed = indexed ? 3 : 2; /* a palette, or lanes */
    for (int left = 0; left <= needed; left++) {
      scarce s = {.left = 1000};
      memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
      network n = {0};
      msd_real *rest = numbered_rests(&g);
      compile(&n, &m, &g, rest);
      const network_source source = source_of(&g, rest);
      const int32_t spring = indexed ? g.springs - 1 : g.springs / 2;
      for (int32_t e = 0; e < g.springs; e++)
        tune(&n, &m, &source, e, 5, 2);
      const size_t before = m.used;
      s.left = left;
      cr_expect_eq(network_set_tuning(&n, &m, &source, spring, stiffness_of(spring), damping_of(spring)),
                   left == needed);
      assert_tuned("cloth", &n, &g, left == needed ? spring : g.springs, g.springs);
      cr_expect(left == needed || m.used == before);
      network_free(&n, &m);
      cr_expect_eq(m.used, 0);
      free(rest);
    }
  }
  graph_free(&g);
}

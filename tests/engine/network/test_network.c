/* The network compiler. What a particle sees is read the way network.h says a step reads it: up rows, down
   rows, indexed rows. Each spring carries its own number as its rest length, so it can be told which one a
   lane is. Held rows have tests of their own. */
#include "tests/support/compiled_network.h"
#include "tests/support/scarce_memory.h"

#include "engine/store/particle.h"

static void assert_canonical_order(const char *name, const network *n, const graph *g) {
  visits v = {0};
  for (int32_t i = 0; i < g->particles; i++) {
    visit_particle(&v, n, i);
    for (int k = 0; k < v.count; k++) {
      const visit *now = &v.list[k], *last = k > 0 ? &v.list[k - 1] : NULL;
      cr_assert(now->kind != VISIT_UP || now->partner > i, "%s: particle %d, up to %d", name, i,
                now->partner);
      cr_assert(now->kind != VISIT_DOWN || now->partner < i, "%s: particle %d, down to %d", name, i,
                now->partner);
      if (!last || last->kind != now->kind)
        continue;
      cr_assert(now->kind != VISIT_UP || now->partner < last->partner, "%s: %d before %d up from %d", name,
                last->partner, now->partner, i);
      cr_assert(now->kind != VISIT_DOWN || now->partner > last->partner, "%s: %d before %d down from %d",
                name, last->partner, now->partner, i);
      cr_assert(now->kind != VISIT_INDEXED || now->spring > last->spring, "%s: spring %d before %d at %d",
                name, last->spring, now->spring, i);
    }
  }
  free(v.list);
}

static void assert_rows_stay_in_the_guards(const char *name, const network *n, const graph *g) {
  for (int32_t group = 0; group < n->group_count; group++) {
    for (int32_t r = n->groups[group].up; r < n->groups[group + 1].up; r++) {
      const int32_t first = group * NETWORK_GROUP + n->rows[r].shift;
      cr_assert(first >= -PARTICLE_GUARD && first + NETWORK_GROUP <= g->particles + PARTICLE_GUARD,
                "%s: group %d reads from %d of %d particles", name, group, first, g->particles);
      cr_assert(n->rows[r].lane >= 0 && n->rows[r].lane + NETWORK_GROUP <= n->indexed_lane,
                "%s: group %d reads lanes from %d of %d", name, group, n->rows[r].lane, n->indexed_lane);
    }
  }
}

/* Every group of a run lies in one segment, in the chunk of that group and in the order of the runs; and the
   up rows of a group are those of the runs that it belongs to. */
static void assert_segments_cut_the_runs(const char *name, const network *n) {
  int64_t groups_of_runs = 0, groups_of_segments = 0, up_rows = 0;
  for (int32_t r = 0; r < n->run_count; r++) {
    const dia_block *run = &n->runs[r];
    cr_assert(run->offset > 0 && run->offset <= n->largest_offset, "%s: run %d of offset %d", name, r,
              run->offset);
    cr_assert(run->first_group >= 0 && run->first_group <= run->last_group &&
              run->last_group < n->group_count);
    groups_of_runs += run->last_group - run->first_group + 1;
    if (r == 0)
      continue;
    cr_assert(run->offset < run[-1].offset ||
                  (run->offset == run[-1].offset && run->first_group > run[-1].last_group),
              "%s: run %d is out of order", name, r);
  }
  for (int32_t c = 0; c < n->chunk_count; c++)
    for (int32_t s = n->chunk_segments[c]; s < n->chunk_segments[c + 1]; s++) {
      const dia_segment *segment = &n->segments[s];
      const dia_block *run = &n->runs[segment->run];
      groups_of_segments += segment->last_group - segment->first_group + 1;
      cr_assert(segment->first_group <= segment->last_group && segment->first_group >= run->first_group &&
                segment->last_group <= run->last_group);
      cr_assert(segment->first_group / NETWORK_CHUNK_GROUPS == c &&
                    segment->last_group / NETWORK_CHUNK_GROUPS == c,
                "%s: a segment of chunk %d is elsewhere", name, c);
      if (s > n->chunk_segments[c])
        cr_assert(segment->run > segment[-1].run, "%s: chunk %d is out of order", name, c);
    }
  for (int32_t g = 0; g < n->group_count; g++)
    for (int32_t r = n->groups[g].up; r < n->groups[g].down; r++) {
      const dia_row *row = &n->rows[r];
      const dia_block *run = &n->runs[row->run];
      up_rows++;
      cr_assert(row->shift == run->offset && g >= run->first_group && g <= run->last_group &&
                    row->lane == run->lane + (g - run->first_group) * NETWORK_GROUP,
                "%s: a row of group %d is not that of its run", name, g);
    }
  cr_assert_eq(groups_of_runs, groups_of_segments, "%s", name);
  cr_assert_eq(groups_of_runs, up_rows, "%s", name);
}

static void assert_reach_is_the_largest_distance(const char *name, const network *n, const graph *g) {
  int32_t reach = 0;
  for (int32_t s = 0; s < g->springs; s++) {
    const int32_t distance = abs(g->a[s] - g->b[s]);
    reach = distance > reach ? distance : reach;
  }
  cr_assert_eq(n->reach, reach, "%s: reaches %d, told is %d", name, reach, n->reach);
  /* Lanes without a spring are read too, also those behind the last particle. */
  assert_partners_are_there(n, g->particles, reach > NETWORK_GROUP ? reach : NETWORK_GROUP);
}

static void assert_sound_network(const char *name, const network *n, const graph *g) {
  cr_assert_eq(n->spring_count, g->springs);
  assert_every_spring_once_per_end(name, n, g, NULL);
  assert_canonical_order(name, n, g);
  assert_rows_stay_in_the_guards(name, n, g);
  assert_segments_cut_the_runs(name, n);
  assert_reach_is_the_largest_distance(name, n, g);
  for (int32_t i = 0; i < g->particles; i++)
    cr_assert_eq(n->inverse_mass[i], 0);
}

/* With particles where they are, and put in other slots: then it is the network of the slots. */
static void assert_sound(const char *name, const graph *g) {
  memory m = unlimited();
  network n = {0};
  msd_real *rest = numbered_rests(g);
  compile(&n, &m, g, rest);
  assert_sound_network(name, &n, g);
  generator random = {.state = 3};
  int32_t *slot = calloc((size_t)g->particles + 1, sizeof *slot);
  cr_assert_not_null(slot);
  for (int32_t i = 0; i < g->particles; i++) {
    const int32_t other = random_below(&random, i + 1);
    slot[i] = slot[other];
    slot[other] = i;
  }
  graph moved = graph_of_points(g->particles);
  for (int32_t s = 0; s < g->springs; s++)
    graph_join(&moved, slot[g->a[s]], slot[g->b[s]]);
  network_source source = source_of(g, rest);
  source.slot = slot;
  cr_assert(network_compile(&n, &m, &source));
  assert_sound_network(name, &n, &moved);
  network_free(&n, &m);
  cr_assert_eq(m.used, 0);
  graph_free(&moved);
  free(slot);
  free(rest);
}

/* ----------------------------------------------------------------------------------------------- placing */

Test(network, every_spring_is_placed_once_per_end_in_canonical_order) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++)
    assert_sound(list[i].name, &list[i].graph);
  free_all_graphs(list);
}

Test(network, random_networks_of_every_size_are_placed_too) {
  for (int32_t particles = 1; particles < 120; particles++) {
    graph g = graph_random(particles, particles * (particles % 7), (uint64_t)particles);
    assert_sound("random", &g);
    graph_free(&g);
  }
}

Test(network, ropes_and_cloths_of_every_small_size_are_placed_too) {
  for (int32_t size = 2; size < 70; size++) {
    graph rope = graph_rope(size, true), cloth = graph_cloth(size, 1 + size % 5, CLOTH_BEND);
    assert_sound("rope", &rope);
    assert_sound("cloth", &cloth);
    graph_free(&rope);
    graph_free(&cloth);
  }
}

/* Random parts of a regular network: rows with holes, runs that begin and end anywhere. */
Test(network, cloths_with_holes_are_placed_too) {
  for (uint64_t seed = 1; seed < 60; seed++) {
    generator random = {.state = seed};
    graph whole = graph_cloth(20, 17, CLOTH_BEND), part = graph_of_points(whole.particles);
    const int32_t keep = random_below(&random, 17);
    for (int32_t s = 0; s < whole.springs; s++)
      if (random_below(&random, 16) < keep)
        graph_join(&part, whole.a[s], whole.b[s]);
    assert_sound("cloth with holes", &part);
    graph_free(&whole);
    graph_free(&part);
  }
}

Test(network, a_pair_joined_a_hundred_times_keeps_all_its_springs) {
  graph g = graph_rope(40, false);
  for (int k = 0; k < 100; k++)
    graph_join(&g, k % 2 ? 20 : 21, k % 2 ? 21 : 20);
  assert_sound("many between two", &g);
  graph_free(&g);
}

Test(network, offsets_may_reach_from_the_first_particle_to_the_last) {
  for (int32_t particles = 2; particles < 60; particles++)
    for (int32_t offset = particles > 20 ? particles - 20 : 1; offset < particles; offset++) {
      graph g = graph_of_points(particles);
      for (int32_t i = 0; i + offset < particles; i++)
        graph_join(&g, i + offset, i);
      assert_sound("one offset", &g);
      graph_free(&g);
    }
}

Test(network, no_particles_and_no_springs_are_a_network) {
  memory m = unlimited();
  network n = {0};
  cr_assert(network_compile(&n, &m, &(network_source){.particle_count = 0}));
  cr_assert_eq(n.spring_count, 0);
  network_free(&n, &m);
  cr_assert(network_compile(&n, &m, &(network_source){.particle_count = 100}));
  visits v = {0};
  for (int32_t i = 0; i < 100; i++) {
    visit_particle(&v, &n, i);
    cr_assert_eq(v.count, 0);
  }
  network_free(&n, &m);
  cr_assert_eq(m.used, 0);
}

Test(network, an_up_row_has_springs_in_most_of_its_lanes) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(&list[i].graph);
    compile(&n, &m, &list[i].graph, rest);
    for (int32_t g = 0; g < n.group_count; g++)
      for (int32_t r = n.groups[g].up; r < n.groups[g].down; r++) {
        int lanes = 0;
        for (int lane = 0; lane < NETWORK_GROUP; lane++)
          lanes += n.rest[n.rows[r].lane + lane] >= 0;
        cr_assert(lanes >= NETWORK_ROW_LANES_MIN, "%s: a row of group %d with %d springs", list[i].name, g,
                  lanes);
      }
    network_free(&n, &m);
    free(rest);
  }
  free_all_graphs(list);
}

Test(network, a_hub_takes_one_lane_for_each_of_its_springs_and_not_a_row) {
  for (int32_t hubs = 1; hubs <= 3; hubs++) {
    graph g = graph_hubs(3000, hubs);
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(&g);
    compile(&n, &m, &g, rest);
    cr_assert_eq(n.tail_count, hubs);
    const int32_t per_hub = (g.springs - 3000) / hubs;
    for (int32_t t = 0; t < n.tail_count; t++) {
      const int32_t lanes = n.tails[t].end - n.tails[t].first;
      cr_expect_eq(n.tails[t].particle, 40 + t);
      cr_expect(lanes % NETWORK_GROUP == 0 && lanes <= per_hub + NETWORK_GROUP,
                "%d lanes for about %d springs", lanes, per_hub);
    }
    /* Rows for what is not in the tails: the springs to the hubs at their other ends, and the rope's. */
    cr_expect_leq(n.lane_count - n.indexed_lane, g.springs + 3000 * (hubs + 2), "%d lanes",
                  n.lane_count - n.indexed_lane);
    assert_sound("hubs", &g);
    network_free(&n, &m);
    free(rest);
    graph_free(&g);
  }
}

Test(network, without_a_hub_there_is_no_tail) {
  graph graphs[] = {graph_cloth(30, 30, CLOTH_BEND), graph_block(9, true), graph_random(500, 2500, 2)};
  for (int k = 0; k < 3; k++) {
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(&graphs[k]);
    compile(&n, &m, &graphs[k], rest);
    cr_expect_eq(n.tail_count, 0);
    network_free(&n, &m);
    free(rest);
    graph_free(&graphs[k]);
  }
}

static double contiguous_share(const graph *g) {
  memory m = unlimited();
  network n = {0};
  msd_real *rest = numbered_rests(g);
  compile(&n, &m, g, rest);
  visits v = {0};
  int64_t contiguous = 0;
  for (int32_t i = 0; i < g->particles; i++) {
    visit_particle(&v, &n, i);
    for (int k = 0; k < v.count; k++)
      contiguous += v.list[k].kind == VISIT_UP;
  }
  const double share = g->springs > 0 ? (double)contiguous / g->springs : 1,
               told = network_contiguous_share(&n);
  cr_assert(told >= share - 1e-9 && told <= share + 1e-9, "%g told, %g met", told, share);
  free(v.list);
  free(rest);
  network_free(&n, &m);
  return share;
}

Test(network, nearly_all_springs_of_ropes_and_cloths_are_contiguous) {
  graph rope = graph_rope(1000, true), cloth = graph_cloth(100, 100, CLOTH_BEND),
        block = graph_block(20, true), random = graph_random(1000, 4000, 1);
  cr_assert(contiguous_share(&rope) >= 0.98, "%g", contiguous_share(&rope));
  cr_assert(contiguous_share(&cloth) >= 0.95, "%g", contiguous_share(&cloth));
  cr_assert(contiguous_share(&block) >= 0.8, "%g", contiguous_share(&block));
  cr_assert(contiguous_share(&random) <= 0.01);
  graph_free(&rope);
  graph_free(&cloth);
  graph_free(&block);
  graph_free(&random);
}

/* ----------------------------------------------------------------------------------------------- memory */

Test(network, partners_take_two_bytes_as_far_as_these_reach_and_four_beyond) {
  for (int32_t reach = INT16_MAX - 1; reach <= INT16_MAX + 2; reach++) {
    graph g = graph_hubs(INT16_MAX + 40, 1);
    generator random = {.state = (uint64_t)reach};
    for (int32_t s = 0; s < g.springs; s++) {
      const int32_t far = abs(g.a[s] - g.b[s]) - reach;
      g.b[s] += far <= 0 ? 0 : g.a[s] < g.b[s] ? -far : far;
    }
    for (int32_t s = 0; s < 200; s++)
      graph_join(&g, random_below(&random, 30), 30 + random_below(&random, 300));
    graph_join(&g, reach + 30, 30);
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(&g);
    compile(&n, &m, &g, rest);
    cr_expect_gt(n.tail_count, 0);
    cr_expect_eq(n.near != NULL, reach <= INT16_MAX, "a reach of %d", reach);
    assert_sound_network("far", &n, &g);
    network_free(&n, &m);
    cr_assert_eq(m.used, 0);
    free(rest);
    graph_free(&g);
  }
}

Test(network, compiling_again_replaces_the_network_and_leaks_nothing) {
  memory m = unlimited();
  network n = {0};
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < ALL_GRAPHS; i++) {
      msd_real *rest = numbered_rests(&list[i].graph);
      compile(&n, &m, &list[i].graph, rest);
      assert_every_spring_once_per_end(list[i].name, &n, &list[i].graph, NULL);
      free(rest);
    }
  free_all_graphs(list);
  network_free(&n, &m);
  network_free(&n, &m);
  cr_assert_eq(m.used, 0);
}

Test(network, below_the_least_contiguous_share_it_is_given_up_and_says_so) {
  graph cloth = graph_cloth(40, 40, CLOTH_BEND), random = graph_random(500, 2500, 2);
  const graph *const graphs[] = {&cloth, &random};
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  for (int k = 0; k < 2; k++) {
    msd_real *rest = numbered_rests(graphs[k]);
    network_source source = source_of(graphs[k], rest);
    source.contiguous_min = 0.5;
    network n = {0};
    cr_assert(network_compile(&n, &m, &source));
    cr_expect_eq(n.was_rejected, k == 1);
    cr_expect_eq(n.spring_count, k == 1 ? 0 : cloth.springs);
    source.contiguous_min = 0; /* whatever it was before, it is made anew */
    cr_assert(network_compile(&n, &m, &source));
    cr_expect(!n.was_rejected && n.spring_count == graphs[k]->springs);
    network_free(&n, &m);
    free(rest);
  }
  cr_expect_eq(m.used, 0);
  graph_free(&cloth);
  graph_free(&random);
}

Test(network, without_memory_at_any_moment_it_is_empty_and_has_given_all_back) {
  graph g = graph_cloth(20, 20, CLOTH_BEND);
  graph_join(&g, 0, 399);
  msd_real *rest = numbered_rests(&g);
  bool done = false;
  for (int left = 0; !done; left++) {
    cr_assert(left < 100);
    scarce s = {.left = left};
    memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
    network n = {0};
    const network_source source = source_of(&g, rest);
    done = network_compile(&n, &m, &source);
    if (!done) {
      cr_assert_eq(m.used, 0, "%zu bytes are left after request %d failed", m.used, left);
      cr_assert(n.spring_count == 0 && n.group_count == 0 && network_contiguous_share(&n) == 1);
    }
    network_free(&n, &m);
    cr_assert_eq(m.used, 0);
  }
  graph_free(&g);
  free(rest);
}

/* A cloth whose springs come as a lattice adds them, family by family. */
static graph graph_families(int32_t columns, int32_t rows) {
  static const int32_t steps[][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};
  graph g = graph_of_points(columns * rows);
  for (size_t f = 0; f < sizeof steps / sizeof *steps; f++)
    for (int32_t r = 0; r + steps[f][1] < rows; r++)
      for (int32_t c = steps[f][0] < 0; c < columns && c + steps[f][0] < columns; c++)
        graph_join(&g, r * columns + c, (r + steps[f][1]) * columns + c + steps[f][0]);
  return g;
}

/* In an order that is none. */
static void shuffle(graph *g) {
  uint32_t random = 1;
  for (int32_t s = g->springs - 1; s > 0; s--) {
    random = random * 1664525u + 1013904223u;
    const int32_t other = (int32_t)(random % (uint32_t)(s + 1)), a = g->a[s], b = g->b[s];
    g->a[s] = g->a[other], g->b[s] = g->b[other];
    g->a[other] = a, g->b[other] = b;
  }
}

Test(network, rows_are_the_same_whether_springs_come_sorted_or_not) {
  graph sorted = graph_families(30, 20), shuffled = graph_families(30, 20);
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  network one = {0}, other = {0};
  shuffle(&shuffled);
  msd_real *rest = numbered_rests(&sorted);
  compile(&one, &m, &sorted, rest);
  compile(&other, &m, &shuffled, rest);
  assert_every_spring_once_per_end("sorted", &one, &sorted, NULL);
  assert_every_spring_once_per_end("shuffled", &other, &shuffled, NULL);
  cr_assert_eq(one.run_count, other.run_count);
  cr_expect_eq(one.contiguous_count, other.contiguous_count);
  for (int32_t r = 0; r < one.run_count; r++)
    cr_expect(one.runs[r].offset == other.runs[r].offset && one.runs[r].lane == other.runs[r].lane &&
                  one.runs[r].first_group == other.runs[r].first_group &&
                  one.runs[r].last_group == other.runs[r].last_group,
              "run %d", r);
  network_free(&one, &m);
  network_free(&other, &m);
  graph_free(&sorted);
  graph_free(&shuffled);
  free(rest);
}

/* Beside what stays, a count at each particle and two places of each spring: no keys to sort. */
Test(network, springs_that_come_sorted_are_laid_out_in_8_bytes_each) {
  graph g = graph_families(60, 60);
  msd_real *rest = numbered_rests(&g);
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  network n = {0};
  compile(&n, &m, &g, rest);
  m.limit = m.used + memory_cost((size_t)g.particles * 4) + memory_cost((size_t)g.springs * 8);
  network_free(&n, &m);
  compile(&n, &m, &g, rest);
  network_free(&n, &m);
  graph_free(&g);
  free(rest);
}

/* The network compiler. What a particle sees is read the way network.h says a step reads it: up rows, down
   rows, indexed rows. Each spring carries its own number as its rest length, so it can be told which one a
   lane is. Held rows have tests of their own. */
#include "tests/support/network_visits.h"

#include "engine/store/particle.h"

static network_source source_of(const graph *g, const msd_real *rest) {
  return (network_source){
      .particle_count = g->particles, .spring_count = g->springs, .a = g->a, .b = g->b, .rest = rest};
}

static void compile(network *n, memory *m, const graph *g, const msd_real *rest) {
  const network_source source = source_of(g, rest);
  cr_assert(network_compile(n, m, &source));
}

/* Every unbroken spring is met once by each of its ends, with the other end as its partner, and nothing else
   is met. */
static void assert_every_spring_once_per_end(const char *name, const network *n, const graph *g,
                                             const bool *broken) {
  int32_t *met = calloc((size_t)g->springs + 1, sizeof *met);
  visits v = {0};
  cr_assert_not_null(met);
  for (int32_t i = 0; i < g->particles; i++) {
    visit_particle(&v, n, i);
    for (int k = 0; k < v.count; k++) {
      const int32_t s = v.list[k].spring, partner = v.list[k].partner;
      cr_assert(s >= 0 && s < g->springs, "%s: particle %d meets spring %d", name, i, s);
      cr_assert((g->a[s] == i && g->b[s] == partner) || (g->b[s] == i && g->a[s] == partner),
                "%s: particle %d meets spring %d (%d to %d) with partner %d", name, i, s, g->a[s], g->b[s],
                partner);
      met[s]++;
    }
    for (int k = 1; k < v.count; k++)
      for (int other = 0; other < k && v.count < 50; other++)
        cr_assert_neq(v.list[k].spring, v.list[other].spring, "%s: particle %d meets spring %d twice", name,
                      i, v.list[k].spring);
  }
  for (int32_t s = 0; s < g->springs; s++)
    cr_assert_eq(met[s], broken && broken[s] ? 0 : 2, "%s: spring %d is met %d times", name, s, met[s]);
  free(v.list);
  free(met);
}

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

/* A step reads the partners of all 16 lanes of a row, also of those without a spring. */
static void assert_rows_stay_in_the_guards(const char *name, const network *n, const graph *g) {
  for (int32_t group = 0; group < n->group_count; group++) {
    for (int32_t r = n->groups[group].up; r < n->groups[group + 1].up; r++) {
      const int32_t first = group * NETWORK_GROUP + n->rows[r].shift;
      cr_assert(first >= -PARTICLE_GUARD && first + NETWORK_GROUP <= g->particles + PARTICLE_GUARD,
                "%s: group %d reads from %d of %d particles", name, group, first, g->particles);
      cr_assert(n->rows[r].lane >= 0 && n->rows[r].lane + NETWORK_GROUP <= n->indexed_lane,
                "%s: group %d reads lanes from %d of %d", name, group, n->rows[r].lane, n->indexed_lane);
    }
    for (int32_t place = n->groups[group].indexed * NETWORK_GROUP;
         place < n->groups[group + 1].indexed * NETWORK_GROUP; place++)
      cr_assert(n->partner[place] >= 0 && n->partner[place] < g->particles);
  }
  for (int32_t lane = 0; lane < n->lane_count - n->indexed_lane; lane++)
    cr_assert(n->partner[lane] >= 0 && n->partner[lane] < g->particles);
}

/* Every group of a run lies in one segment, in the chunk of that group and in the order of the runs; and the
   up rows of a group are those of the runs that it belongs to. */
static void assert_segments_cut_the_runs(const char *name, const network *n) {
  int64_t groups_of_runs = 0, groups_of_segments = 0, up_rows = 0;
  for (int32_t r = 0; r < n->run_count; r++) {
    const network_run *run = &n->runs[r];
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
      const network_segment *segment = &n->segments[s];
      const network_run *run = &n->runs[segment->run];
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
      const network_row *row = &n->rows[r];
      const network_run *run = &n->runs[row->run];
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
  const int32_t farthest = reach > NETWORK_GROUP ? reach : NETWORK_GROUP;
  for (int32_t group = 0; group < n->group_count; group++)
    for (int32_t place = n->groups[group].indexed * NETWORK_GROUP;
         place < n->groups[group + 1].indexed * NETWORK_GROUP; place++) {
      const int32_t particle = group * NETWORK_GROUP + place % NETWORK_GROUP;
      cr_assert(abs(n->partner[place] - particle) <= farthest, "%s: a lane of %d reads %d", name, particle,
                n->partner[place]);
    }
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

/* ---------------------------------------------------------------------------------------------- numbers */

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

Test(network, stiffness_and_damping_begin_at_zero_and_reach_both_ends_of_their_spring_alone) {
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

/* What each end of each spring reads, and nothing else: stiffness and damping of springs `first`, `first` + `every`, ...
   are numbered, those of the others 5 and 2. */
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

Test(network, springs_of_one_material_need_no_lanes_for_it) {
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

Test(network, a_spring_that_differs_keeps_its_numbers_and_the_others_theirs) {
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

Test(network, only_the_run_that_a_spring_belongs_to_stops_being_uniform) {
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

Test(network, a_spring_that_is_never_tuned_leaves_its_part_uniform) {
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

/* The rows of a group are counted in one byte, two or four; a hub with many springs needs more. */
Test(network, a_spring_is_found_at_both_ends_however_many_rows_there_are) {
  static const int32_t spokes[] = {100, 254, 255, 256, 1000, 65534, 65535, 65536, 70000};
  static const int bytes[] = {1, 1, 1, 2, 2, 2, 2, 4, 4};
  for (int k = 0; k < 9; k++) {
    graph g = graph_star(spokes[k] + 1, 0);
    memory m = unlimited();
    network n = {0};
    msd_real *rest = numbered_rests(&g);
    compile(&n, &m, &g, rest);
    const network_source source = source_of(&g, rest);
    cr_expect_eq(n.rank_bytes, bytes[k], "%d spokes: %d bytes", spokes[k], n.rank_bytes);
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
Test(network, a_broken_spring_is_met_by_neither_end_and_keeps_its_place) {
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

/* ----------------------------------------------------------------------------------------------- memory */

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

typedef struct scarce {
  int left; /* requests that still get memory */
} scarce;

static void *scarce_allocate(size_t bytes, void *context) {
  scarce *s = context;
  return s->left-- > 0 ? core_default_allocator().allocate(bytes, NULL) : NULL;
}

static void scarce_release(void *block, void *context) {
  (void)context;
  core_default_allocator().release(block, NULL);
}

Test(network, below_the_least_contiguous_share_it_is_given_up_and_says_so) {
  graph cloth = graph_cloth(40, 40, CLOTH_BEND), random = graph_random(500, 2500, 2);
  const graph *const graphs[] = {&cloth, &random};
  memory m = {.allocator = core_default_allocator(), .limit = SIZE_MAX};
  for (int k = 0; k < 2; k++) {
    msd_real *rest = numbered_rests(graphs[k]);
    network_source source = source_of(graphs[k], rest);
    source.contiguous_min = 0.5;
    network n = {0};
    cr_assert(network_compile(&n, &m, &source));
    cr_expect_eq(n.is_scattered, k == 1);
    cr_expect_eq(n.spring_count, k == 1 ? 0 : cloth.springs);
    source.contiguous_min = 0; /* whatever it was before, it is made anew */
    cr_assert(network_compile(&n, &m, &source));
    cr_expect(!n.is_scattered && n.spring_count == graphs[k]->springs);
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
    scarce s = {left};
    memory m = {.allocator = {scarce_allocate, scarce_release, &s}, .limit = SIZE_MAX};
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

Test(network, without_memory_for_a_spring_that_differs_all_keep_their_numbers) {
  graph g = graph_cloth(20, 20, CLOTH_BEND);
  graph_join(&g, 0, 399);
  for (int indexed = 0; indexed < 2; indexed++) {
    const int needed = indexed ? 3 : 2; /* a palette, or lanes */
    for (int left = 0; left <= needed; left++) {
      scarce s = {1000};
      memory m = {.allocator = {scarce_allocate, scarce_release, &s}, .limit = SIZE_MAX};
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

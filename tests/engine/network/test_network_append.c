/* What is appended to a network, against networks that are compiled anew with the same springs late. */
#include "tests/support/compiled_network.h"
#include "tests/support/scarce_memory.h"

#include "engine/store/particle.h"

/* A graph whose first particles and springs are compiled, and the rest appended. */
typedef struct growing {
  const char *name;
  graph graph;
  int32_t particles, springs;
  uint8_t *side;
  msd_real *inverse_mass, *rest;
} growing;

enum { HUB = 21 };

/* Every third of the springs that are added has an end at a hub, and every other one an end that is new. */
static growing growing_of(const char *name, graph base, int32_t particles, int32_t springs, bool sided) {
  generator random = {.state = (uint64_t)(base.springs + springs)};
  growing w = {.name = name, .particles = base.particles, .springs = base.springs};
  w.graph = graph_of_points(base.particles + particles);
  for (int32_t s = 0; s < base.springs; s++)
    graph_join(&w.graph, base.a[s], base.b[s]);
  for (int32_t s = 0; s < springs; s++) {
    const int32_t any = random_below(&random, w.graph.particles);
    const int32_t old = random_below(&random, base.particles),
                  fresh = base.particles + particles * s / springs;
    const int32_t a = s % 3 == 0 ? HUB : s % 2 == 0 ? fresh : old;
    graph_join(&w.graph, s % 5 == 0 && any != a ? any : a,
               a == any || s % 5 > 0 ? (a == old ? HUB : old) : a);
    if (w.graph.a[w.graph.springs - 1] == w.graph.b[w.graph.springs - 1])
      w.graph.b[w.graph.springs - 1] = (w.graph.a[w.graph.springs - 1] + 1) % base.particles;
  }
  w.rest = numbered_rests(&w.graph);
  w.side = calloc((size_t)w.graph.springs + 1, 1);
  w.inverse_mass = calloc((size_t)w.graph.particles + 1, sizeof *w.inverse_mass);
  for (int32_t i = 0; i < w.graph.particles; i++)
    w.inverse_mass[i] = i % 11 == 4 ? 0 : 1;
  for (int32_t s = 0; s < w.graph.springs && sided; s++)
    w.side[s] = (uint8_t)(s % 4 == 1   ? MSD_SPRING_TENSION_ONLY
                          : s % 7 == 2 ? MSD_SPRING_COMPRESSION_ONLY
                                       : MSD_SPRING_BOTH);
  for (int32_t s = 0; s < w.graph.springs && sided; s += 13)
    w.side[s] = MSD_SPRING_TENSION_ONLY | NETWORK_ABSENT;
  graph_free(&base);
  return w;
}

/* Every particle is joined to the second behind it late, which would be runs. */
static growing growing_into_runs(void) {
  growing w = {.name = "rope", .graph = graph_rope(200, false), .particles = 200};
  w.springs = w.graph.springs;
  for (int32_t i = 0; i + 2 < w.particles; i++)
    graph_join(&w.graph, i, i + 2);
  w.rest = numbered_rests(&w.graph);
  w.side = calloc((size_t)w.graph.springs + 1, 1);
  w.inverse_mass = calloc((size_t)w.particles + 1, sizeof *w.inverse_mass);
  return w;
}

/* Springs of no pattern that are near, a hub's among them, and then, late, some whose partners are too far for
   two bytes. */
static growing growing_far(void) {
  graph base = graph_rope(2 * INT16_MAX, false);
  for (int32_t i = HUB; i + 60 < 3000; i += 1 + i % 7)
    graph_join(&base, i, i + 2 + i * i % 50);
  for (int32_t i = 0; i < 100; i++)
    graph_join(&base, HUB, HUB + 70 + i);
  return growing_of("far", base, 40, 200, true);
}

static void growing_free(growing *w) {
  graph_free(&w->graph);
  free(w->rest);
  free(w->side);
  free(w->inverse_mass);
}

/* With so many particles and springs; a spring with sides may be the first that has one. */
static network_source source_with(const growing *w, int32_t particles, int32_t springs) {
  bool sided = false;
  for (int32_t s = 0; s < springs; s++)
    sided = sided || w->side[s] != MSD_SPRING_BOTH;
  return (network_source){.particle_count = particles,
                          .spring_count = springs,
                          .a = w->graph.a,
                          .b = w->graph.b,
                          .rest = w->rest,
                          .side = sided ? w->side : NULL,
                          .inverse_mass = w->inverse_mass,
                          .late = springs - w->springs};
}

/* Different ones for palettes and lanes. */
static void tune(network *n, memory *m, const network_source *source, int32_t first, int32_t kinds) {
  for (int32_t s = first; s < source->spring_count; s++)
    if (!network_leaves_out(source, s))
      cr_assert(network_set_tuning(n, m, source, s, (msd_real)(1 + s % kinds), (msd_real)(s % kinds) / 8));
}

static void assert_alike(const char *name, const network *one, const network *other,
                         const network_source *source) {
  visits a = {0}, b = {0};
  cr_assert_eq(one->reach, other->reach, "%s: %d and %d", name, one->reach, other->reach);
  cr_assert_eq(one->one_sided, other->one_sided);
  cr_assert_eq(one->group_count, other->group_count);
  cr_assert_eq(one->chunk_count, other->chunk_count);
  cr_assert_eq(one->laid_count, other->laid_count);
  for (int32_t i = 0; i < source->particle_count; i++) {
    visit_particle(&a, one, i);
    visit_particle(&b, other, i);
    cr_assert_eq(a.count, b.count, "%s: %d and %d springs at %d", name, a.count, b.count, i);
    for (int k = 0; k < a.count; k++)
      cr_assert(a.list[k].kind == b.list[k].kind && a.list[k].spring == b.list[k].spring &&
                    a.list[k].partner == b.list[k].partner && a.list[k].side == b.list[k].side &&
                    a.list[k].stiffness == b.list[k].stiffness && a.list[k].damping == b.list[k].damping,
                "%s: visit %d of particle %d", name, k, i);
  }
  for (int32_t s = 0; s < source->spring_count; s++)
    if (!network_leaves_out(source, s)) {
      const network_place place = network_place_of(one, source, s);
      cr_assert_eq(one->rest[place.a], source->rest[s], "%s: spring %d", name, s);
      cr_assert(place.b < 0 || one->rest[place.b] == source->rest[s], "%s: spring %d", name, s);
    }
  assert_partners_are_there(one, source->particle_count, INT32_MAX);
  free(a.list);
  free(b.list);
}

static void assert_appends(growing w, int32_t kinds) {
  generator random = {.state = 77};
  memory m = unlimited();
  network n = {0};
  network_source source = source_with(&w, w.particles, w.springs);
  cr_assert(network_compile(&n, &m, &source));
  tune(&n, &m, &source, 0, kinds);
  while (source.spring_count < w.graph.springs) {
    const int32_t before = source.spring_count, left = w.graph.springs - before;
    const int32_t springs = before + 1 + random_below(&random, left < 90 ? left : 90);
    int32_t particles = source.particle_count;
    for (int32_t s = before; s < springs; s++) {
      particles = w.graph.a[s] >= particles ? w.graph.a[s] + 1 : particles;
      particles = w.graph.b[s] >= particles ? w.graph.b[s] + 1 : particles;
    }
    source = source_with(&w, particles, springs);
    cr_assert(network_append(&n, &m, &source));
    tune(&n, &m, &source, before, kinds);
    network anew = {0};
    cr_assert(network_compile(&anew, &m, &source));
    tune(&anew, &m, &source, 0, kinds);
    assert_alike(w.name, &n, &anew, &source);
    network_free(&anew, &m);
  }
  network_free(&n, &m);
  cr_assert_eq(m.used, 0);
  growing_free(&w);
}

static void append_to_each(int32_t kinds, bool sided) {
  assert_appends(growing_of("cloth", graph_cloth(23, 17, CLOTH_BEND), 300, 900, sided), kinds);
  assert_appends(growing_of("random", graph_random(130, 700, 3), 40, 500, sided), kinds);
  assert_appends(growing_of("hubs", graph_hubs(200, 3), 900, 400, sided), kinds);
  assert_appends(growing_of("points", graph_of_points(40), 5, 700, sided), kinds);
}

Test(network_append, what_is_appended_is_met_in_the_order_of_a_network_compiled_anew) {
  append_to_each(1, false);
  append_to_each(7, false);
  append_to_each(1, true);
}

Test(network_append, late_springs_are_indexed_where_they_would_be_runs) {
  growing w = growing_into_runs();
  const network_source source = source_with(&w, w.particles, w.graph.springs);
  memory m = unlimited();
  network n = {0};
  cr_assert(network_compile(&n, &m, &source));
  for (int32_t s = 0; s < w.graph.springs; s++) {
    const bool is_late = s >= w.springs;
    cr_assert(!is_late || network_place_of(&n, &source, s).b >= 0, "spring %d has a lane in a run", s);
  }
  network_free(&n, &m);
  growing_free(&w);
  assert_appends(growing_into_runs(), 3);
}

/* Until a palette is full, and then in lanes. */
Test(network_append, stiffness_and_damping_move_with_their_springs) {
  append_to_each(40, true);
  append_to_each(1000, false);
}

/* One spring at a time: each costs lanes of its ends at most, and those of a group's rows that it moves. */
Test(network_append, lanes_grow_with_what_is_appended) {
  growing w = growing_of("cloth", graph_cloth(30, 30, CLOTH_BEND), 1, 600, false);
  memory m = unlimited();
  network n = {0};
  network_source source = source_with(&w, w.particles, w.springs);
  cr_assert(network_compile(&n, &m, &source));
  const int32_t before = n.lane_count, runs = n.run_count;
  int32_t last = before;
  for (int32_t springs = w.springs + 1; springs <= w.graph.springs; springs++) {
    source = source_with(&w, w.graph.particles, springs);
    cr_assert(network_append(&n, &m, &source));
    cr_assert_leq(n.lane_count - last, 2 * 33 * NETWORK_GROUP);
    last = n.lane_count;
  }
  cr_assert_leq(n.lane_count - before, 8 * NETWORK_GROUP * (w.graph.springs - w.springs));
  cr_assert_gt(n.tail_count, 0);
  for (int32_t t = 1; t < n.tail_count; t++)
    cr_assert_gt(n.tails[t].particle, n.tails[t - 1].particle);
  cr_assert_eq(n.run_count, runs);
  network_free(&n, &m);
  growing_free(&w);
}

Test(network_append, a_rank_takes_more_bits_where_a_hub_has_more_springs) {
  growing w = growing_of("points", graph_cloth(5, 5, CLOTH_SHEAR), 1, 1200, false);
  memory m = unlimited();
  network n = {0};
  network_source source = source_with(&w, w.particles, w.springs);
  cr_assert(network_compile(&n, &m, &source));
  cr_assert_eq(n.rank_bits, 4);
  source = source_with(&w, w.graph.particles, w.graph.springs);
  cr_assert(network_append(&n, &m, &source));
  cr_assert_eq(n.rank_bits, 16);
  network_free(&n, &m);
  growing_free(&w);
}

/* Whatever request fails. */
static void assert_kept_without_memory(growing w, int requests) {
  const network_source before = source_with(&w, w.particles, w.springs),
                       behind = source_with(&w, w.graph.particles, w.graph.springs);
  bool done = false;
  int refused = 0;
  for (; !done; refused++) {
    scarce s = {.left = INT32_MAX};
    memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
    network n = {0}, anew = {0};
    cr_assert(network_compile(&n, &m, &before));
    cr_assert(network_compile(&anew, &m, &before));
    tune(&n, &m, &before, 0, 5);
    tune(&anew, &m, &before, 0, 5);
    s.left = refused;
    done = network_append(&n, &m, &behind);
    s.left = INT32_MAX;
    if (!done)
      assert_alike("refused", &n, &anew, &before);
    cr_assert(done || network_append(&n, &m, &behind));
    network_free(&anew, &m);
    cr_assert(network_compile(&anew, &m, &behind));
    tune(&n, &m, &behind, w.springs, 5);
    tune(&anew, &m, &behind, 0, 5);
    assert_alike("appended", &n, &anew, &behind);
    network_free(&n, &m);
    network_free(&anew, &m);
    cr_assert_eq(s.in_use, 0);
  }
  cr_assert_gt(refused, requests);
  growing_free(&w);
}

Test(network_append, without_memory_the_network_is_what_it_was) {
  assert_kept_without_memory(growing_of("hubs", graph_hubs(200, 3), 300, 600, true), 8);
  assert_kept_without_memory(growing_far(), 8);
}

Test(network_append, partners_take_four_bytes_once_one_is_too_far_for_two) {
  growing w = growing_far();
  memory m = unlimited();
  network n = {0};
  network_source source = source_with(&w, w.particles, w.springs);
  cr_assert(network_compile(&n, &m, &source));
  cr_expect(n.near && !n.partner);
  source = source_with(&w, w.graph.particles, w.graph.springs);
  cr_assert(network_append(&n, &m, &source));
  cr_expect(n.partner && !n.near);
  network_free(&n, &m);
  cr_assert_eq(m.used, 0);
  growing_free(&w);
  assert_appends(growing_far(), 1000);
}

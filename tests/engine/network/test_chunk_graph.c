/* Which chunks springs join, against every spring of the network one by one. */
#include "tests/support/courses.h"

#include "engine/network/chunk_graph.h"

static bool has_edge(const chunk_graph *g, int32_t a, int32_t b) {
  for (int32_t n = g->first[a]; n < g->first[a + 1]; n++)
    if (g->neighbor[n] == b)
      return true;
  return false;
}

/* The edges are those of springs, from both ends, each once, and no chunk is its own neighbor. Beside them
   there may be such as a spring of the same group would have at the same distance. */
static void assert_springs_have_edges(msd_world *world, bool exactly) {
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0009765625, 1));
  const particle_store *p = &world->model.particles;
  const network *net = &world->stepper.network;
  chunk_graph g;
  cr_assert(chunk_graph_make(&g, &world->model.memory, net, NULL, 0));
  cr_assert_eq(g.count, net->chunk_count);
  int32_t joined = 0;
  bool *seen = calloc((size_t)g.count * (size_t)g.count + 1, 1);
  for (int32_t e = 0; e < world->model.springs.count; e++) {
    const int32_t a = (int32_t)particle_slot(p, world->model.springs.a[e]) / NETWORK_CHUNK,
                  b = (int32_t)particle_slot(p, world->model.springs.b[e]) / NETWORK_CHUNK;
    if (a == b)
      continue;
    cr_assert(has_edge(&g, a, b) && has_edge(&g, b, a), "spring %d joins %d and %d", (int)e, (int)a, (int)b);
    joined += !seen[a * g.count + b];
    seen[a * g.count + b] = seen[b * g.count + a] = true;
  }
  for (int32_t a = 0; a < g.count; a++) {
    cr_assert_geq(g.cost[a], 1);
    for (int32_t n = g.first[a]; n < g.first[a + 1]; n++) {
      const int32_t b = g.neighbor[n];
      cr_assert_neq(a, b);
      cr_assert(has_edge(&g, b, a), "%d has %d, and not the other way round", (int)a, (int)b);
      for (int32_t more = n + 1; more < g.first[a + 1]; more++)
        cr_assert_neq(g.neighbor[more], b);
    }
  }
  if (exactly)
    cr_assert_eq(g.first[g.count], 2 * joined, "%d edges for %d pairs", (int)g.first[g.count], (int)joined);
  free(seen);
  chunk_graph_free(&g, &world->model.memory);
  msd_destroy_world(world);
}

Test(chunk_graph, has_the_springs_of_ropes_and_cloths) {
  assert_springs_have_edges(world_made(graph_rope(4096, true), &LIVELY), true);
  assert_springs_have_edges(world_made(graph_cloth(64, 64, CLOTH_BEND), &LIVELY), true);
  assert_springs_have_edges(world_made(graph_cloth(300, 11, CLOTH_SHEAR), &LIVELY), false);
}

Test(chunk_graph, has_the_springs_of_no_pattern_and_of_hubs) {
  assert_springs_have_edges(world_made(graph_near(5000, 3, 400, 5), &LIVELY), false);
  assert_springs_have_edges(world_made(graph_patched(30, 60, 200), &LIVELY), false);
  assert_springs_have_edges(world_made(graph_near_hubs(2001, 400, 120), &LIVELY), false);
}

Test(chunk_graph, sees_one_sided_springs_at_pins_from_both_ends) {
  assert_springs_have_edges(
      world_made(graph_near(3000, 3, 300, 7), &(making){LAWS_MIXED, .seed = 4, .pins = true}), false);
}

Test(chunk_graph, costs_what_a_substep_goes_through) {
  msd_world *world = world_made(graph_rope(1024, false), &LIVELY);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0009765625, 1));
  chunk_graph g;
  cr_assert(chunk_graph_make(&g, &world->model.memory, &world->stepper.network, NULL, 0));
  /* Each particle, and its spring seen from both ends; at the borders of the rope a row is missing at most. */
  for (int32_t chunk = 0; chunk < g.count; chunk++)
    cr_assert(g.cost[chunk] <= 3 * NETWORK_CHUNK && g.cost[chunk] >= 3 * NETWORK_CHUNK - NETWORK_GROUP);
  chunk_graph_free(&g, &world->model.memory);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------- beside springs */

enum { ITEMS = 300, LARGEST_ITEM = 9 };

/* Particles that are joined, of which item n has n % LARGEST_ITEM + 1. */
typedef struct joined {
  int32_t slots[ITEMS][LARGEST_ITEM];
} joined;

static void walk_joined(const void *of, chunk_join *join, void *to) {
  const joined *j = of;
  for (int32_t n = 0; n < ITEMS; n++)
    join(to, j->slots[n], n % LARGEST_ITEM + 1);
}

/* Whether some item has an unpinned particle in both chunks. */
static bool are_joined(const joined *j, const network *net, int32_t a, int32_t b) {
  for (int32_t n = 0; n < ITEMS; n++) {
    bool has_a = false, has_b = false;
    for (int32_t k = 0; k <= n % LARGEST_ITEM; k++) {
      const int32_t slot = j->slots[n][k];
      has_a = has_a || (slot / NETWORK_CHUNK == a && net->inverse_mass[slot] > 0);
      has_b = has_b || (slot / NETWORK_CHUNK == b && net->inverse_mass[slot] > 0);
    }
    if (has_a && has_b)
      return true;
  }
  return false;
}

Test(chunk_graph, joins_what_depends_on_each_other_once_and_leaves_pins_out) {
  enum { PARTICLES = 8192 };
  msd_world *world =
      world_made(graph_rope(PARTICLES, true), &(making){LAWS_PHYSICAL, .seed = 1, .pins = true});
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0009765625, 1));
  const network *net = &world->stepper.network;
  chunk_graph springs, g;
  joined *j = calloc(2, sizeof *j);
  uint32_t state = 1;
  for (int n = 0; n < 2; n++)
    for (int32_t item = 0; item < ITEMS; item++)
      for (int k = 0; k < LARGEST_ITEM; k++) {
        state = state * 1664525U + 1013904223U;
        /* The second alone reaches all over the rope; every 50th particle is a pin. */
        const int32_t at = (int32_t)((state >> 8) % (n == 0 ? 900 : PARTICLES));
        j[n].slots[item][k] = item % 3 == 0 ? at / 50 * 50 : at;
      }
  const chunk_joint joints[] = {{walk_joined, &j[0]}, {walk_joined, &j[1]}};
  for (int count = 0; count <= 2; count++) {
    cr_assert(chunk_graph_make(&springs, &world->model.memory, net, NULL, 0));
    cr_assert(chunk_graph_make(&g, &world->model.memory, net, joints, count));
    int32_t edges = 0;
    for (int32_t a = 0; a < g.count; a++)
      for (int32_t b = 0; b < g.count; b++) {
        const bool wanted =
            a != b && (has_edge(&springs, a, b) || (count > 0 && are_joined(&j[0], net, a, b)) ||
                       (count > 1 && are_joined(&j[1], net, a, b)));
        cr_assert_eq(has_edge(&g, a, b), wanted, "%d joints: chunks %d and %d", count, (int)a, (int)b);
        edges += wanted;
      }
    cr_assert_eq(g.first[g.count], edges, "some edge stands twice");
    chunk_graph_free(&g, &world->model.memory);
    chunk_graph_free(&springs, &world->model.memory);
  }
  free(j);
  msd_destroy_world(world);
}

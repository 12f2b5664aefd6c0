#include "tests/support/scarce_memory.h"
#include "tests/support/surfaces.h"

#include "engine/base/record.h"

static memory plenty(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

static surface_mesh mesh_of(const surface *s, memory *m) {
  surface_mesh mesh = {0};
  const surface_definition from = surface_define(s);
  cr_assert(surface_mesh_make(&mesh, m, &from));
  return mesh;
}

/* The place of the one primitive with exactly these particles in a piece; -1: there is none. */
static int32_t place_of(const surface_mesh *mesh, surface_kind kind, int32_t piece,
                        const int32_t *particles) {
  const surface_primitives *of = &mesh->of[kind];
  int32_t found = -1;
  for (int32_t block = 0; block < of->block_count; block++)
    for (int32_t n = 0; n < of->filled[block]; n++) {
      const int32_t place = block * SURFACE_BLOCK + n;
      bool same = mesh->leaves[surface_mesh_leaf_of(of->corner[0][place])].piece == piece;
      for (int k = 0; k <= (int)kind; k++)
        same = same && surface_mesh_has(mesh, kind, place, particles[k]);
      cr_assert(!same || found < 0, "twice");
      found = same ? place : found;
    }
  return found;
}

static int32_t filled_places(const surface_primitives *of) {
  int32_t sum = 0;
  for (int32_t block = 0; block < of->block_count; block++)
    sum += of->filled[block];
  return sum;
}

static surface sheet_of(int32_t columns, int32_t rows) {
  surface s = {0};
  surface_add_sheet(&s, columns, rows, 0.01, 0.004);
  return s;
}

Test(surface_mesh, a_sheet_has_each_vertex_edge_and_triangle_once) {
  memory m = plenty();
  surface s = sheet_of(9, 13);
  surface_mesh mesh = mesh_of(&s, &m);
  cr_assert_eq(mesh.of[SURFACE_VERTICES].count, 9 * 13);
  cr_assert_eq(mesh.of[SURFACE_TRIANGLES].count, 2 * 8 * 12);
  cr_assert_eq(mesh.of[SURFACE_EDGES].count, 9 * 13 + 2 * 8 * 12 - 1); /* Euler */
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    cr_assert_eq(filled_places(&mesh.of[kind]), mesh.of[kind].count);
  for (int32_t i = 0; i < s.particles; i++)
    cr_assert_geq(place_of(&mesh, SURFACE_VERTICES, 0, &i), 0);
  for (int32_t t = 0; t < s.pieces[0].triangle_count; t++) {
    const int32_t *at = s.pieces[0].triangles + 3 * t;
    cr_assert_geq(place_of(&mesh, SURFACE_TRIANGLES, 0, at), 0);
    for (int k = 0; k < 3; k++)
      cr_assert_geq(place_of(&mesh, SURFACE_EDGES, 0, (int32_t[2]){at[k], at[(k + 1) % 3]}), 0);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
  cr_assert_eq(m.used, 0);
}

Test(surface_mesh, triangles_keep_their_sense) {
  memory m = plenty();
  surface s = sheet_of(7, 5);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int32_t t = 0; t < s.pieces[0].triangle_count; t++) {
    const int32_t *at = s.pieces[0].triangles + 3 * t;
    const int32_t place = place_of(&mesh, SURFACE_TRIANGLES, 0, at);
    int32_t is[3];
    for (int k = 0; k < 3; k++)
      is[k] = mesh.of[SURFACE_TRIANGLES].particle[k][place];
    const int first = is[0] == at[0] ? 0 : is[0] == at[1] ? 1 : 2;
    cr_assert_eq(is[1], at[(first + 1) % 3]);
    cr_assert_eq(is[2], at[(first + 2) % 3]);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, a_leaf_owns_what_begins_at_its_vertices_and_is_as_large_as_that) {
  memory m = plenty();
  surface s = sheet_of(16, 16);
  surface_add_rope(&s, 21, 0.05, 0.006);
  surface_mesh mesh = mesh_of(&s, &m);
  cr_assert_eq(mesh.leaf_count, 16 + 2);
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    const surface_primitives *of = &mesh.of[kind];
    cr_assert_eq(of->first_block[0], 0);
    cr_assert_eq(of->first_block[mesh.leaf_count], of->block_count);
    for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++)
      for (int32_t block = of->first_block[leaf]; block < of->first_block[leaf + 1]; block++)
        for (int32_t n = 0; n < SURFACE_BLOCK; n++)
          for (int k = 0; k <= kind; k++) {
            const int32_t v = of->corner[k][block * SURFACE_BLOCK + n];
            const msd_real *at = mesh.rest + (size_t)v * RECORD_QUAD;
            cr_assert(k > 0 || surface_mesh_leaf_of(v) == leaf);
            for (int axis = 0; axis < 3; axis++)
              cr_assert((double)at[axis] >= mesh.leaves[leaf].low[axis] &&
                        (double)at[axis] <= mesh.leaves[leaf].high[axis]);
          }
  }
  for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
    cr_assert_eq(mesh.leaves[leaf].piece, leaf >= 16);
    cr_assert_float_eq((double)mesh.leaves[leaf].half, leaf >= 16 ? 0.003 : 0.002, 1e-8);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

/* Whether a leaf owns something that has the vertex. */
static bool is_reached(const surface_mesh *mesh, int32_t leaf, int32_t vertex) {
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    for (int32_t place = mesh->of[kind].first_block[leaf] * SURFACE_BLOCK;
         place < mesh->of[kind].first_block[leaf + 1] * SURFACE_BLOCK; place++)
      for (int corner = 0; corner <= kind; corner++)
        if (surface_mesh_is_filled(mesh, (surface_kind)kind, place) &&
            mesh->of[kind].corner[corner][place] == vertex)
          return true;
  return false;
}

static bool has_vertex_of(const surface_mesh *mesh, int32_t leaf, int32_t other) {
  for (int32_t vertex = other * SURFACE_BLOCK; vertex < (other + 1) * SURFACE_BLOCK; vertex++)
    if (is_reached(mesh, leaf, vertex))
      return true;
  return false;
}

Test(surface_mesh, a_leaf_lists_the_leaves_whose_vertices_it_uses_each_once) {
  memory m = plenty();
  surface s = sheet_of(16, 16);
  surface_add_rope(&s, 21, 0.05, 0.006);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++)
    for (int32_t other = 0; other < mesh.leaf_count; other++) {
      int32_t listed = 0;
      for (int32_t k = mesh.first_used[leaf]; k < mesh.first_used[leaf + 1]; k++)
        listed += mesh.used[k] == other;
      cr_assert_eq(listed, has_vertex_of(&mesh, leaf, other), "%d and %d", (int)leaf, (int)other);
    }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, a_leaf_lists_the_leaves_that_use_it_ascending) {
  memory m = plenty();
  surface s = sheet_of(16, 16);
  surface_add_rope(&s, 21, 0.05, 0.006);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
    int32_t at = mesh.first_user[leaf];
    for (int32_t other = 0; other < mesh.leaf_count; other++)
      if (has_vertex_of(&mesh, other, leaf))
        cr_assert_eq(mesh.user[at++], other, "%d and %d", (int)leaf, (int)other);
    cr_assert_eq(at, mesh.first_user[leaf + 1]);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, a_leaf_lists_the_vertices_of_all_that_it_owns_in_whole_blocks) {
  memory m = plenty();
  surface s = sheet_of(11, 9);
  surface_add_rope(&s, 21, 0.05, 0.006);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
    const int32_t first = mesh.first_reached[leaf], end = mesh.first_reached[leaf + 1];
    cr_assert_gt(end, first);
    cr_assert_eq((end - first) % SURFACE_BLOCK, 0);
    int32_t repeated = 0;
    for (int32_t k = first; k < end; k++) {
      cr_assert(is_reached(&mesh, leaf, mesh.reached[k]));
      repeated += k > first && mesh.reached[k] == mesh.reached[first];
    }
    cr_assert_lt(repeated, SURFACE_BLOCK);
    int32_t different = 0;
    for (int32_t vertex = 0; vertex < mesh.leaf_count * SURFACE_BLOCK; vertex++) {
      int32_t listed = 0;
      for (int32_t k = first; k < end; k++)
        listed += mesh.reached[k] == vertex;
      cr_assert_eq(listed > 0, is_reached(&mesh, leaf, vertex), "%d and %d", (int)leaf, (int)vertex);
      different += listed > 0;
    }
    cr_assert_eq(different + repeated, end - first);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

/* 16 x 16 particles halve into leaves of 4 x 4. */
Test(surface_mesh, leaves_are_compact) {
  memory m = plenty();
  surface s = sheet_of(16, 16);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int32_t leaf = 0; leaf < mesh.leaf_count; leaf++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t v = leaf * SURFACE_BLOCK; v < (leaf + 1) * SURFACE_BLOCK; v++)
      for (int k = 0; k < 2; k++) {
        const double at = (double)mesh.rest[(size_t)v * RECORD_QUAD + 2 * (size_t)k];
        low[k] = fmin(low[k], at);
        high[k] = fmax(high[k], at);
      }
    for (int k = 0; k < 2; k++)
      cr_assert_float_eq(high[k] - low[k], 0.03, 1e-6);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, a_particle_is_a_vertex_of_each_piece_that_has_it) {
  memory m = plenty();
  surface s = sheet_of(4, 4);
  const int32_t rope = surface_add_particles(&s, 1);
  surface_add_piece(&s, NULL, 0, (int32_t[2]){5, rope}, 1, 0.002);
  surface_mesh mesh = mesh_of(&s, &m);
  cr_assert_eq(mesh.of[SURFACE_VERTICES].count, 18);
  const int32_t shared = 5;
  const int32_t first = place_of(&mesh, SURFACE_VERTICES, 0, &shared),
                second = place_of(&mesh, SURFACE_VERTICES, 1, &shared);
  cr_assert(first >= 0 && second >= 0 && first != second);
  cr_assert(surface_mesh_share(&mesh, SURFACE_VERTICES, first, SURFACE_VERTICES, second));
  const int32_t segment = place_of(&mesh, SURFACE_EDGES, 1, (int32_t[2]){5, rope}),
                touching = place_of(&mesh, SURFACE_TRIANGLES, 0, (int32_t[3]){0, 1, 5}),
                apart = place_of(&mesh, SURFACE_TRIANGLES, 0, (int32_t[3]){10, 11, 15});
  cr_assert(surface_mesh_share(&mesh, SURFACE_EDGES, segment, SURFACE_TRIANGLES, touching));
  cr_assert(!surface_mesh_share(&mesh, SURFACE_EDGES, segment, SURFACE_TRIANGLES, apart));
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, what_has_a_particle_twice_gives_only_edges) {
  memory m = plenty();
  surface s = {0};
  surface_add_particles(&s, 4);
  const int32_t triangles[9] = {0, 0, 1, 2, 2, 2, 1, 2, 3}, segments[4] = {3, 3, 0, 1};
  surface_add_piece(&s, triangles, 3, segments, 2, 0.001);
  surface_mesh mesh = mesh_of(&s, &m);
  cr_assert_eq(mesh.of[SURFACE_TRIANGLES].count, 1);
  cr_assert_eq(mesh.of[SURFACE_EDGES].count, 4);
  cr_assert_geq(place_of(&mesh, SURFACE_EDGES, 0, (int32_t[2]){0, 1}), 0);
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, a_fan_has_all_its_triangles_in_one_leaf) {
  enum { SIDES = 100 };
  memory m = plenty();
  surface s = {0};
  surface_add_particles(&s, SIDES + 1);
  int32_t triangles[3 * SIDES];
  for (int32_t n = 0; n < SIDES; n++) {
    const int32_t corners[3] = {0, 1 + n, 1 + (n + 1) % SIDES};
    memcpy(triangles + 3 * n, corners, sizeof corners);
    s.rest[1 + n] = (msd_vec3){(msd_real)n, 1, 0};
  }
  surface_add_piece(&s, triangles, SIDES, NULL, 0, 0.001);
  surface_mesh mesh = mesh_of(&s, &m);
  cr_assert_eq(mesh.of[SURFACE_TRIANGLES].count, SIDES);
  cr_assert_eq(mesh.of[SURFACE_EDGES].count, 2 * SIDES);
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    cr_assert_eq(filled_places(&mesh.of[kind]), mesh.of[kind].count);
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, pieces_ignore_each_other_both_ways) {
  memory m = plenty();
  surface s = {0};
  for (int n = 0; n < 4; n++)
    surface_add_rope(&s, 3, 1, 0.1);
  surface_ignore(&s, 3, 1);
  surface_ignore(&s, 2, 2);
  surface_ignore(&s, 0, 1);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int32_t a = 0; a < 4; a++)
    for (int32_t b = 0; b < 4; b++) {
      const bool expected = (a == 2 && b == 2) || a * b == 3 || (a + b == 1);
      cr_assert_eq(surface_mesh_ignores(&mesh, a, b), expected, "%d %d", a, b);
    }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, touches_nothing_where_all_pieces_ignore_each_other_and_themselves) {
  memory m = plenty();
  surface s = {0};
  for (int n = 0; n < 3; n++)
    surface_add_rope(&s, 3, 1, 0.1);
  static const int32_t pairs[][2] = {{0, 0}, {2, 1}, {1, 1}, {0, 1}, {1, 2}, {2, 2}, {2, 0}};
  for (int n = 0; n < 7; n++) {
    surface_mesh mesh = mesh_of(&s, &m);
    cr_expect_not(mesh.touches_nothing, "%d pairs", n);
    surface_mesh_free(&mesh, &m);
    surface_ignore(&s, pairs[n][0], pairs[n][1]);
  }
  surface_mesh mesh = mesh_of(&s, &m);
  cr_expect(mesh.touches_nothing);
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, vertices_follow_their_particles_to_other_slots) {
  memory m = plenty();
  surface s = sheet_of(5, 5);
  surface_mesh mesh = mesh_of(&s, &m);
  int32_t slot[25];
  for (int32_t i = 0; i < 25; i++)
    slot[i] = 24 - i;
  for (int again = 0; again < 2; again++) {
    for (int32_t v = 0; v < mesh.leaf_count * SURFACE_BLOCK; v++) {
      const int32_t particle = mesh.of[SURFACE_VERTICES].particle[0][v];
      cr_assert_eq(mesh.slot[v], again ? 24 - particle : particle);
    }
    surface_mesh_set_slots(&mesh, slot);
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

/* Two ropes that share their first particle: it is a vertex of both. */
Test(surface_mesh, slots_lead_to_all_vertices_of_their_particle) {
  static const int32_t segments[2][2] = {{1, 2}, {1, 3}};
  const surface_body pieces[2] = {{.segments = segments[0], .segment_count = 1, .thickness = (msd_real)0.01},
                                  {.segments = segments[1], .segment_count = 1, .thickness = (msd_real)0.01}};
  const msd_vec3 rest[5] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {5, 0, 0}};
  const int32_t slot[5] = {4, 3, 2, 1, 0}, expected[5] = {0, 1, 1, 2, 0};
  const surface_definition from = {.pieces = pieces, .piece_count = 2, .rest = rest, .particle_count = 5};
  memory m = plenty();
  surface_mesh mesh = {0};
  cr_assert(surface_mesh_make(&mesh, &m, &from));
  surface_mesh_set_slots(&mesh, slot);
  for (int32_t n = 0; n < 5; n++) {
    int32_t count = 0;
    for (int32_t vertex = mesh.first_vertex[n]; vertex >= 0; vertex = mesh.next_vertex[vertex], count++)
      cr_assert_eq(mesh.slot[vertex], n);
    cr_assert_eq(count, expected[n], "slot %d", (int)n);
  }
  surface_mesh_free(&mesh, &m);
}

/* Four ropes of two particles; the slots are those of the particles in reverse. */
Test(surface_mesh, slots_lead_to_the_friction_between_their_pieces) {
  static const double own[] = {-1, 0.25, 1, -1}, none = 0.125;
  static const double both[4][4] = {
      {0.125, 0.25, 1, 0.125}, {0.25, 0.25, 0.5, 0.25}, {1, 0.5, 1, 1}, {0.125, 0.25, 1, 0.125}};
  memory m = plenty();
  surface s = {0};
  for (int n = 0; n < 4; n++) {
    surface_add_rope(&s, 2, 0.1, 0.01);
    s.pieces[n].friction = (msd_real)own[n];
  }
  surface_mesh mesh = mesh_of(&s, &m);
  int32_t slot[8];
  for (int32_t i = 0; i < 8; i++)
    slot[i] = 7 - i;
  for (int round = 0; round < 2; round++) {
    for (int32_t a = 0; a < 8; a++)
      for (int32_t b = 0; b < 8; b++)
        cr_expect_float_eq(
            (double)surface_mesh_friction(&mesh, round ? slot[a] : a, round ? slot[b] : b, (msd_real)none),
            both[a / 2][b / 2], 1e-7);
    surface_mesh_set_slots(&mesh, slot);
  }
  surface_mesh_free(&mesh, &m);
  cr_assert_eq(m.used, 0);
  surface_free(&s);
}

/* How many of the lists of a slot have these two, in either order. */
static int count_around(const vertex_adjacency *at, int32_t slot, int32_t a, int32_t b) {
  int count = 0;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1]; n++)
    count +=
        (at->others[n][0] == a && at->others[n][1] == b) || (at->others[n][0] == b && at->others[n][1] == a);
  return count;
}

Test(surface_mesh, every_slot_knows_its_edges_and_triangles) {
  memory m = plenty();
  surface s = sheet_of(5, 4);
  surface_mesh mesh = mesh_of(&s, &m);
  int32_t slot[20];
  for (int32_t i = 0; i < 20; i++)
    slot[i] = 19 - i;
  surface_mesh_set_slots(&mesh, slot);
  const int32_t triangles = s.pieces[0].triangle_count;
  cr_expect_eq(mesh.triangles_at.first[20], 3 * triangles);
  cr_expect_eq(mesh.edges_at.first[20], 2 * mesh.of[SURFACE_EDGES].count);
  for (int32_t t = 0; t < triangles; t++)
    for (int k = 0; k < 3; k++) {
      const int32_t *at = s.pieces[0].triangles + 3 * t;
      const int32_t own = slot[at[k]], next = slot[at[(k + 1) % 3]], last = slot[at[(k + 2) % 3]];
      cr_expect_eq(count_around(&mesh.triangles_at, own, next, last), 1);
      cr_expect_eq(count_around(&mesh.edges_at, own, next, 0), 1);
      cr_expect_eq(count_around(&mesh.edges_at, own, last, 0), 1);
    }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

/* Two ropes that have particle 1 in common: 0, 1, 2 and 3, 1, 4. */
Test(surface_mesh, of_the_edges_of_a_piece_at_a_slot_one_is_the_first_whatever_is_left_out) {
  static const int32_t ropes[2][4] = {{0, 1, 1, 2}, {3, 1, 1, 4}}, ends[4] = {0, 2, 3, 4};
  memory m = plenty();
  surface s = {0};
  surface_add_particles(&s, 5);
  for (int n = 0; n < 2; n++)
    surface_add_piece(&s, NULL, 0, ropes[n], 2, 0.01);
  surface_mesh mesh = mesh_of(&s, &m);
  for (int n = 0; n < 4; n++) {
    const int32_t other = ends[n ^ 1], none[2] = {-1, -1}, left_out[2] = {other, -1},
                  all[2] = {ends[n], other};
    cr_expect(surface_mesh_is_first_edge(&mesh, ends[n], 1, none), "the only one");
    cr_expect_neq(surface_mesh_is_first_edge(&mesh, 1, ends[n], none),
                  surface_mesh_is_first_edge(&mesh, 1, other, none));
    cr_expect(surface_mesh_is_first_edge(&mesh, 1, ends[n], left_out));
    cr_expect_not(surface_mesh_is_first_edge(&mesh, 1, ends[n], all));
  }
  surface_mesh_free(&mesh, &m);
  surface_free(&s);
}

Test(surface_mesh, nothing_makes_an_empty_mesh) {
  memory m = plenty();
  surface s = {0};
  surface_mesh mesh = mesh_of(&s, &m);
  cr_assert_eq(mesh.leaf_count, 0);
  surface_mesh_free(&mesh, &m);
  cr_assert_eq(m.used, 0);
}

Test(surface_mesh, without_memory_it_stays_as_it_was) {
  surface small = sheet_of(4, 4), large = sheet_of(12, 12);
  surface_ignore(&large, 0, 0);
  const surface_definition from = surface_define(&large);
  bool done = false;
  for (int left = 0; !done; left++) {
    scarce s = {1000, 0};
    memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
    surface_mesh mesh = mesh_of(&small, &m);
    const int held = s.in_use;
    const surface_mesh before = mesh;
    s.left = left;
    done = surface_mesh_make(&mesh, &m, &from);
    cr_assert(done || (s.in_use == held && memcmp(&before, &mesh, sizeof mesh) == 0));
    cr_assert_eq(mesh.of[SURFACE_VERTICES].count, done ? 144 : 16);
    surface_mesh_free(&mesh, &m);
    cr_assert_eq(s.in_use, 0);
    cr_assert_lt(left, 100);
  }
  surface_free(&small);
  surface_free(&large);
}

/* Which pairs of edges push at their ends: one for each place where surfaces are nearest to each other at a
   vertex, and none where it is inside of a surface. */
#include "tests/support/surfaces.h"

#include "engine/base/memory.h"
#include "engine/base/record.h"
#include "engine/base/vec3.h"
#include "engine/contact/edge_endpoints.h"

#define LANE_DOUBLE
#include "engine/contact/closest_points.h"

static const double EDGE = 0.1;

/* A compiled surface whose particles are in the slots of their numbers. */
typedef struct stage {
  surface surface;
  surface_mesh mesh;
  memory memory;
  msd_real *records;
} stage;

static void compile(stage *s) {
  s->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  const surface_definition from = surface_define(&s->surface);
  cr_assert(surface_mesh_make(&s->mesh, &s->memory, &from));
  s->records = calloc((size_t)s->surface.particles * RECORD_SIZE, sizeof *s->records);
  cr_assert_not_null(s->records);
}

static void stage_free(stage *s) {
  surface_mesh_free(&s->mesh, &s->memory);
  surface_free(&s->surface);
  free(s->records);
}

static void put(stage *s, int32_t particle, double x, double y, double z) {
  s->surface.x[particle] = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

/* What pushes of all pairs of edges that share no particle: how many, and the last one. */
typedef struct found {
  int count;
  int32_t slots[PAIR_CORNERS];
  near_witness witness;
} found;

/* Of the points of two edges that are closest. */
static near_witness closest_witness(const stage *s, const int32_t slots[PAIR_CORNERS]) {
  double3 x[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    x[corner] =
        double3_subtract(vec3_double(s->surface.x[slots[corner]]), vec3_double(s->surface.x[slots[0]]));
  const closest_points at = closest_of_edges(x[1], x[2], double3_subtract(x[3], x[2]));
  const double3 normal = double3_scale(at.between, -1 / sqrt(at.square));
  return (near_witness){
      .normal = {(msd_real)normal.x, (msd_real)normal.y, (msd_real)normal.z},
      .weight = {(msd_real)(1 - at.b), (msd_real)at.b, (msd_real)(at.c - 1), (msd_real)-at.c}};
}

/* The pairs of edges that share no particle, in the order of a list that has all of them. */
typedef struct edge_pairs {
  int32_t count;
  int32_t (*slots)[PAIR_CORNERS];
  /* Of each whether it may push at an end. */
  bool *pushes;
} edge_pairs;

static edge_pairs edge_pairs_of(const stage *s) {
  const surface_primitives *of = &s->mesh.of[SURFACE_EDGES];
  const int32_t edges = of->block_count * SURFACE_BLOCK;
  edge_pairs pairs = {.slots = calloc((size_t)edges * (size_t)edges, sizeof *pairs.slots),
                      .pushes = calloc((size_t)edges * (size_t)edges, sizeof *pairs.pushes)};
  cr_assert(pairs.slots && pairs.pushes);
  for (int32_t a = 0; a < edges; a++)
    for (int32_t b = a + 1; b < edges; b++)
      if (a % SURFACE_BLOCK < of->filled[a / SURFACE_BLOCK] &&
          b % SURFACE_BLOCK < of->filled[b / SURFACE_BLOCK] &&
          !surface_mesh_share(&s->mesh, SURFACE_EDGES, a, SURFACE_EDGES, b))
        memcpy(pairs.slots[pairs.count++],
               (int32_t[]){of->particle[0][a], of->particle[1][a], of->particle[0][b], of->particle[1][b]},
               sizeof *pairs.slots);
  return pairs;
}

/* What a choice asks about by vectors must have all pairs that push. */
static void assert_chosen(const stage *s, const edge_pairs *pairs, msd_simd simd) {
  const size_t count = (size_t)pairs->count;
  msd_real *gaps = calloc(count, sizeof *gaps), *thickness = calloc(count, sizeof *thickness),
           *skins = calloc((size_t)s->surface.particles, sizeof *skins);
  atomic_uchar *is_watched = calloc((size_t)s->surface.particles, sizeof *is_watched);
  uint8_t *kind = calloc(count, sizeof *kind), *fate = calloc(count, sizeof *fate);
  near_witness *witness = calloc(count, sizeof *witness);
  cr_assert(gaps && thickness && skins && is_watched && kind && fate && witness);
  for (size_t n = 0; n < count; n++) {
    kind[n] = PAIR_EDGE_EDGE;
    thickness[n] = 1;
  }
  const pair_list list = {pairs->count, pairs->count, pairs->slots, kind, thickness, gaps, gaps, gaps};
  const pair_index all = {.knows = false};
  const near_question q = {.list = &list,
                           .blocks = &all,
                           .mesh = &s->mesh,
                           .records = s->records,
                           .skins = skins,
                           .reach = skins,
                           .is_watched = is_watched,
                           .share_end = 1,
                           .fate = fate,
                           .witness = witness};
  near_kernel_choose(simd)->choose(&q, (parallel_range){0, pairs->count});
  for (size_t n = 0; n < count; n++)
    cr_expect(fate[n] & PAIR_PUSHES || !pairs->pushes[n], "%d %d and %d %d, width %d", pairs->slots[n][0],
              pairs->slots[n][1], pairs->slots[n][2], pairs->slots[n][3], (int)simd);
  free(gaps);
  free(thickness);
  free(skins);
  free(is_watched);
  free(kind);
  free(fate);
  free(witness);
}

static found find(stage *s) {
  for (int32_t i = 0; i < s->surface.particles; i++)
    memcpy(s->records + (size_t)i * RECORD_SIZE,
           (msd_real[3]){s->surface.x[i].x, s->surface.x[i].y, s->surface.x[i].z}, 3 * sizeof(msd_real));
  const near_question q = {.mesh = &s->mesh, .records = s->records};
  const edge_pairs pairs = edge_pairs_of(s);
  found all = {0};
  for (int32_t n = 0; n < pairs.count; n++) {
    near_witness w = closest_witness(s, pairs.slots[n]);
    unsigned closest = 0;
    for (int end = 0; end < PAIR_CORNERS; end++)
      closest |= (unsigned)(w.weight[end ^ 1] == 0) << end;
    pairs.pushes[n] = near_ends_find(&q, pairs.slots[n], closest, &w);
    if (!pairs.pushes[n])
      continue;
    all.count++;
    all.witness = w;
    memcpy(all.slots, pairs.slots[n], sizeof all.slots);
  }
  for (msd_simd simd = 0; simd < MSD_SIMD_COUNT; simd++)
    assert_chosen(s, &pairs, simd);
  free(pairs.slots);
  free(pairs.pushes);
  return all;
}

static double weight_of(const found *f, int32_t particle) {
  double weight = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    weight += f->slots[corner] == particle ? (double)f->witness.weight[corner] : 0;
  return weight;
}

/* Along the witness. */
static double distance_of(const stage *s, const found *f) {
  double distance = 0;
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    const msd_vec3 x = s->surface.x[f->slots[corner]];
    distance += (double)f->witness.weight[corner] *
                ((double)f->witness.normal[0] * (double)x.x + (double)f->witness.normal[1] * (double)x.y +
                 (double)f->witness.normal[2] * (double)x.z);
  }
  return distance;
}

/* Two ropes of three particles, 0 to 2 and 3 to 5. */
static stage two_ropes(void) {
  stage s = {0};
  for (int n = 0; n < 2; n++)
    surface_add_rope(&s.surface, 3, EDGE, 0.01);
  for (int32_t i = 3; i < 6; i++)
    s.surface.rest[i].z = 5;
  compile(&s);
  return s;
}

Test(near_ends, two_ends_of_ropes_that_meet_push_once) {
  stage s = two_ropes();
  for (int32_t i = 0; i < 3; i++) {
    put(&s, i, -EDGE * (2 - i), 0, 0);
    put(&s, 3 + i, 0.006 + EDGE * i, 0.008, 0);
  }
  const found f = find(&s);
  cr_assert_eq(f.count, 1, "%d", f.count);
  cr_expect_float_eq(fabs(weight_of(&f, 2)), 1, 1e-9);
  cr_expect_float_eq(weight_of(&f, 2) + weight_of(&f, 3), 0, 1e-9);
  cr_expect_float_eq(distance_of(&s, &f), 0.01, 1e-7, "it sees how far they are apart");
  stage_free(&s);
}

Test(near_ends, a_bend_over_a_rope_pushes_once_with_the_weights_of_where_it_is) {
  stage s = two_ropes();
  for (int32_t i = 0; i < 3; i++) {
    put(&s, i, 0, i == 1 ? 0.01 : 0.08, EDGE * (i - 1));
    put(&s, 3 + i, EDGE * (i - 1) + 0.03, 0, 0);
  }
  const found f = find(&s);
  cr_assert_eq(f.count, 1, "%d", f.count);
  const double sign = weight_of(&f, 1);
  cr_expect_float_eq(fabs(sign), 1, 1e-9);
  cr_expect_float_eq(weight_of(&f, 3), -sign * 0.3, 1e-6);
  cr_expect_float_eq(weight_of(&f, 4), -sign * 0.7, 1e-6);
  cr_expect_float_eq(sign * (double)f.witness.normal[1], 1, 1e-6);
  stage_free(&s);
}

Test(near_ends, two_bends_that_hook_each_other_push_once) {
  stage s = two_ropes();
  for (int32_t i = 0; i < 3; i++) {
    put(&s, i, 0, i == 1 ? 0.01 : 0.08, EDGE * (i - 1));
    put(&s, 3 + i, EDGE * (i - 1), i == 1 ? 0 : -0.08, 0);
  }
  cr_expect_eq(find(&s).count, 1);
  stage_free(&s);
}

/* The first and the last end, of the rope whose edges are listed first and of the other one. */
Test(near_ends, each_end_of_a_rope_that_points_at_an_edge_pushes_once) {
  stage s = two_ropes();
  for (int32_t end = 0; end < 4; end++) {
    const int32_t pointing = end / 2 * 3, lying = 3 - pointing, tip = pointing + end % 2 * 2;
    for (int32_t i = 0; i < 3; i++) {
      put(&s, pointing + i, 0, 0.01 + EDGE * abs(pointing + i - tip), 0);
      put(&s, lying + i, 0, 0, EDGE * (i - 1) + 0.03);
    }
    const found f = find(&s);
    cr_expect_eq(f.count, 1, "%d at %d", f.count, tip);
    cr_expect_float_eq(fabs(weight_of(&f, tip)), 1, 1e-9);
  }
  stage_free(&s);
}

Test(near_ends, a_vertex_of_a_rope_beside_where_it_crosses_another_does_not_push) {
  stage s = two_ropes();
  for (double along = 0.002; along < EDGE; along += 0.01) {
    for (int32_t i = 0; i < 3; i++) {
      put(&s, i, 0, 0.01, EDGE * (i - 1) + along);
      put(&s, 3 + i, EDGE * (i - 1) + 0.03, 0, 0);
    }
    cr_expect_eq(find(&s).count, 0, "%g m beside", along);
  }
  stage_free(&s);
}

Test(near_ends, of_ropes_that_lie_side_by_side_every_vertex_is_held) {
  stage s = two_ropes();
  for (double along = -0.03; along < 0.04; along += 0.01) {
    for (int32_t i = 0; i < 3; i++) {
      put(&s, i, EDGE * i, 0.01, 0);
      put(&s, 3 + i, EDGE * i + along, 0, 0);
    }
    const found f = find(&s);
    cr_expect_geq(f.count, 2, "%d at %g m", f.count, along);
    cr_expect_leq(f.count, 4, "%d at %g m", f.count, along);
    cr_expect_gt(fabs((double)f.witness.normal[1]), 0.999);
  }
  stage_free(&s);
}

/* A flat sheet and, far from it at rest, a rope of two particles; returns the first of them. */
static int32_t lay_sheet_and_rope(stage *s, int32_t side) {
  surface_add_sheet(&s->surface, side, side, EDGE, 0.01);
  const int32_t rope = surface_add_rope(&s->surface, 2, EDGE, 0.01);
  for (int32_t i = rope; i < rope + 2; i++)
    s->surface.rest[i].y = 5;
  compile(s);
  return rope;
}

/* All over a flat cloth, where what points down at it is a rope's end. */
Test(near_ends, inner_vertices_and_edges_of_a_flat_cloth_push_along_its_normal_or_not_at_all) {
  stage s = {0};
  const int32_t side = 5, rope = lay_sheet_and_rope(&s, side);
  generator random = {.state = 4};
  for (int n = 0; n < 400; n++) {
    const msd_vec3 off = random_vector(&random, 1);
    const double x = 2 * EDGE + EDGE * (double)off.x, z = 2 * EDGE + EDGE * (double)off.z;
    put(&s, rope, n % 4 == 0 ? 2 * EDGE : x, 0.004 + 0.003 * (double)off.y, n % 8 == 0 ? 2 * EDGE : z);
    put(&s, rope + 1, x + 0.3 * EDGE * (double)off.z, EDGE, z);
    const found f = find(&s);
    cr_expect(f.count == 0 || fabs((double)f.witness.normal[1]) > 0.9998, "%d at %g %g, along %g", f.count, x,
              z, (double)f.witness.normal[1]);
  }
  stage_free(&s);
}

Test(near_ends, the_border_and_the_corner_of_a_cloth_push_and_its_inside_lets_them) {
  stage s = {0};
  const int32_t side = 3, rope = lay_sheet_and_rope(&s, side);
  for (double z = -0.004; z < 0.05; z += 0.01) {
    put(&s, rope, -0.006, 0, z);
    put(&s, rope + 1, -EDGE, 0, z);
    const found f = find(&s);
    cr_assert_eq(f.count, 1, "%d at %g", f.count, z);
    cr_expect_float_eq(distance_of(&s, &f), z < 0 ? hypot(0.006, z) : 0.006, 1e-6);
  }
  stage_free(&s);
}

/* Searches for pairs in surfaces that are made for it, and the check of what they list against all pairs. */
#ifndef MSD_TESTS_SUPPORT_PAIR_SEARCHES_H
#define MSD_TESTS_SUPPORT_PAIR_SEARCHES_H

#include "tests/support/pair_oracle.h"

#include "engine/kernel/widths.h"
#include "engine/store/particle.h"

#include <float.h>

#define EPSILON (sizeof(msd_real) == sizeof(double) ? (double)DBL_EPSILON : (double)FLT_EPSILON)

/* A surface with what a search needs: the mesh and a state in which particle i has slot[i]. */
typedef struct searching {
  surface s;
  memory m;
  surface_mesh mesh;
  int32_t *slot;
  msd_real *state;
  size_t stride;
  double horizon, skin;
  msd_real *skins;
} searching;

static inline memory plenty(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

static inline void fill_state(searching *x) {
  for (int32_t i = 0; i < x->s.particles; i++) {
    msd_real *at = x->state + x->slot[i];
    const msd_real components[COMPONENTS] = {x->s.x[i].x, x->s.x[i].y, x->s.x[i].z,
                                             x->s.v[i].x, x->s.v[i].y, x->s.v[i].z};
    for (size_t c = 0; c < COMPONENTS; c++)
      at[c * x->stride] = components[c];
  }
}

/* Takes the surface over. */
static inline searching search_in(surface s, double horizon, double skin) {
  searching x = {.s = s, .m = plenty(), .horizon = horizon, .skin = skin, .stride = (size_t)s.particles + 3};
  const surface_definition from = surface_define(&x.s);
  cr_assert(surface_mesh_make(&x.mesh, &x.m, &from));
  x.slot = surface_copy(NULL, 0, (size_t)s.particles * sizeof *x.slot);
  x.state = surface_copy(NULL, 0, COMPONENTS * x.stride * sizeof *x.state);
  for (int32_t i = 0; i < s.particles; i++)
    x.slot[i] = s.particles - 1 - i;
  surface_mesh_set_slots(&x.mesh, x.slot);
  fill_state(&x);
  x.skins = surface_copy(NULL, 0, (size_t)s.particles * sizeof *x.skins);
  for (int32_t i = 0; i < s.particles; i++)
    x.skins[i] = (msd_real)skin;
  return x;
}

static inline void close_search(searching *x, pair_search *search) {
  pair_search_free(search, &x->m);
  surface_mesh_free(&x->mesh, &x->m);
  cr_assert_eq(x->m.used, 0);
  free(x->slot);
  free(x->state);
  free(x->skins);
  surface_free(&x->s);
}

static inline pair_question question_of(const searching *x, int threads, msd_simd simd) {
  return (pair_question){.state = x->state,
                         .stride = x->stride,
                         .horizon = (msd_real)x->horizon,
                         .skins = x->skins,
                         .threads = threads,
                         .simd = simd};
}

static inline void build(searching *x, pair_search *search, int threads, msd_simd simd) {
  const pair_question question = question_of(x, threads, simd);
  cr_assert(pair_search_build(search, &x->m, &x->mesh, &question));
}

/* ------------------------------------------------------------------------------------------- what is listed */

/* A listed pair as the oracle has it, in an order that both share. */
typedef struct listed {
  int32_t at[PAIR_CORNERS + 1], index;
} listed;

static inline void put_in_order(int32_t *a, int32_t *b) {
  const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low, *b = high;
}

static inline listed listed_of(int kind, const int32_t *at, int32_t index) {
  listed l = {.at = {at[0], at[1], at[2], at[3], kind}, .index = index};
  if (kind == PAIR_POINT_TRIANGLE) {
    put_in_order(&l.at[1], &l.at[2]);
    put_in_order(&l.at[2], &l.at[3]);
    put_in_order(&l.at[1], &l.at[2]);
    return l;
  }
  put_in_order(&l.at[0], &l.at[1]);
  put_in_order(&l.at[2], &l.at[3]);
  const bool swapped = l.at[2] < l.at[0] || (l.at[2] == l.at[0] && l.at[3] < l.at[1]);
  return swapped ? (listed){.at = {l.at[2], l.at[3], l.at[0], l.at[1], kind}, .index = index} : l;
}

static inline int compare_listed(const void *a, const void *b) {
  for (int k = 0; k <= PAIR_CORNERS; k++) {
    const int32_t one = ((const listed *)a)->at[k], other = ((const listed *)b)->at[k];
    if (one != other)
      return one < other ? -1 : 1;
  }
  return 0;
}

static inline listed *list_sorted(const searching *x, const pair_list *list) {
  listed *all = surface_copy(NULL, 0, (size_t)list->count * sizeof *all);
  for (int32_t n = 0; n < list->count; n++) {
    int32_t at[PAIR_CORNERS];
    for (int k = 0; k < PAIR_CORNERS; k++)
      at[k] = x->s.particles - 1 - list->slots[n][k];
    all[n] = listed_of(list->kind[n], at, n);
  }
  qsort(all, (size_t)list->count, sizeof *all, compare_listed);
  for (int32_t n = 1; n < list->count; n++)
    cr_assert(compare_listed(&all[n - 1], &all[n]) != 0, "a pair is listed twice");
  return all;
}

static inline void corners_at(const searching *x, const oracle_pair *pair, double t, triple *corners) {
  for (int k = 0; k < PAIR_CORNERS; k++)
    corners[k] = triple_add(triple_of(x->s.x[pair->at[k]]), triple_of(x->s.v[pair->at[k]]), t);
}

static inline double rest_thickness(const searching *x, const oracle_pair *pair) {
  triple corners[PAIR_CORNERS];
  for (int k = 0; k < PAIR_CORNERS; k++)
    corners[k] = triple_of(x->s.rest[pair->at[k]]);
  return fmin(pair->thickness,
              (pair->is_own ? 0.3 : 0.9) * triple_length(oracle_between(pair->kind, corners)));
}

/* Both primitives are moved by the whole skin against each other, where their vertices may be. */
static inline double distance_at_worst(pair_kind kind, triple *corners, double skin) {
  const triple between = oracle_between(kind, corners);
  const double length = triple_length(between);
  const int own = kind == PAIR_POINT_TRIANGLE ? 1 : 2;
  if (length <= 2 * skin)
    return 0;
  for (int k = 0; k < PAIR_CORNERS; k++)
    corners[k] = triple_add(corners[k], between, (k < own ? skin : -skin) / length);
  return triple_length(oracle_between(kind, corners));
}

enum { TIMES = 11 };

/* Checks a pair that is not listed. */
static inline void check_absent(const searching *x, const oracle_pair *pair, double thickness,
                                double rounding) {
  for (int n = 0; n < TIMES; n++) {
    triple corners[PAIR_CORNERS];
    corners_at(x, pair, x->horizon * n / (TIMES - 1), corners);
    const double distance = distance_at_worst(pair->kind, corners, x->skin);
    cr_assert(distance >= thickness - rounding, "kind %d, %d %d %d %d: %g m, not %g m", (int)pair->kind,
              pair->at[0], pair->at[1], pair->at[2], pair->at[3], distance, thickness);
  }
}

/* Checks a pair that is listed: what its numbers promise. Of two large gaps it would be absent. */
static inline void check_present(const searching *x, const oracle_pair *pair, const pair_list *list,
                                 int32_t n, double thickness, double rounding) {
  const double begin = (double)list->gap_begin[n], end = (double)list->gap_end[n];
  const double precision = rounding * DBL_EPSILON / EPSILON; /* of the oracle */
  cr_assert_float_eq((double)list->thickness[n], thickness, rounding);
  cr_assert(begin < thickness + rounding || end < thickness + rounding);
  for (int k = 0; k < TIMES; k++) {
    triple corners[PAIR_CORNERS];
    corners_at(x, pair, x->horizon * k / (TIMES - 1), corners);
    const double bound = begin + (end - begin) * k / (TIMES - 1);
    cr_assert_geq(distance_at_worst(pair->kind, corners, x->skin) + precision, bound);
  }
}

/* Every pair that there is, against the list; returns how many are listed. `size` is that of coordinates. */
static inline int32_t check_all(searching *x, const pair_list *list, double size) {
  oracle o = oracle_of(&x->s);
  listed *all = list_sorted(x, list);
  int32_t found = 0;
  for (int64_t n = 0; n < o.pair_count; n++) {
    const oracle_pair *pair = &o.pairs[n];
    const double thickness = rest_thickness(x, pair), rounding = 1e-5 * thickness + 20 * EPSILON * size;
    const listed key = listed_of((int)pair->kind, pair->at, 0);
    const listed *in = bsearch(&key, all, (size_t)list->count, sizeof *all, compare_listed);
    found += in != NULL;
    if (in)
      check_present(x, pair, list, in->index, thickness, rounding);
    else
      check_absent(x, pair, thickness, rounding);
  }
  cr_assert_eq(found, list->count, "%d of %d pairs are none", (int)(list->count - found), (int)list->count);
  free(all);
  oracle_free(&o);
  return found;
}

static inline bool same_list(const pair_list *a, const pair_list *b) {
  const size_t count = (size_t)a->count;
  return a->count == b->count && memcmp(a->slots, b->slots, count * sizeof *a->slots) == 0 &&
         memcmp(a->kind, b->kind, count) == 0 &&
         memcmp(a->thickness, b->thickness, count * sizeof *a->thickness) == 0 &&
         memcmp(a->gap_begin, b->gap_begin, count * sizeof *a->gap_begin) == 0 &&
         memcmp(a->gap_end, b->gap_end, count * sizeof *a->gap_end) == 0 &&
         memcmp(a->skins, b->skins, count * sizeof *a->skins) == 0;
}

/* Searches and checks; the list is to have at least so many pairs. */
static inline void search_and_check(surface s, double horizon, double skin, double size, int32_t least) {
  searching x = search_in(s, horizon, skin);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  const int32_t count = check_all(&x, &search.list, size);

  cr_assert_geq(count, least, "%d", count);
  close_search(&x, &search);
}

/* ------------------------------------------------------------------------------------------------- surfaces */

static inline surface cloud_of(uint64_t seed, int32_t triangles, msd_real size, double thickness,
                               msd_real speed) {
  generator random = {.state = seed};
  surface s = {0};
  surface_add_cloud(&s, &random, triangles, size, thickness);
  surface_set_moving(&s, &random, speed);
  return s;
}

/* A sheet of 10 mm edges whose particles are somewhere else by up to `disorder`, in the box that it has when
   its width is folded into so many layers. */
static inline surface crumpled_sheet(uint64_t seed, int32_t particles, int32_t layers, msd_real disorder,
                                     msd_real speed) {
  generator random = {.state = seed};
  surface s = {0};
  surface_add_sheet(&s, particles, particles, 0.01, 0.004);
  const double width = 0.01 * (particles - 1) / layers;
  for (int32_t i = 0; i < s.particles; i++) {
    const double u = (double)s.rest[i].x / width;
    const int layer = u >= layers ? layers - 1 : (int)u;
    const double along = layer % 2 == 0 ? u - layer : layer + 1 - u;
    const msd_vec3 d = random_vector(&random, disorder);
    s.x[i] = (msd_vec3){(msd_real)(along * width) + d.x, (msd_real)(0.006 * layer) + d.y, s.rest[i].z + d.z};
  }
  surface_set_moving(&s, &random, speed);
  return s;
}

static inline surface ropes_on_a_sheet(uint64_t seed) {
  generator random = {.state = seed};
  surface s = {0};
  surface_add_sheet(&s, 10, 10, 0.01, 0.002);
  for (int rope = 0; rope < 3; rope++) {
    const int32_t first = surface_add_rope(&s, 24, 0.004, 0.008);
    for (int32_t i = first; i < s.particles; i++) {
      const msd_vec3 d = random_vector(&random, (msd_real)0.003);
      s.x[i].y = (msd_real)(0.004 + 0.006 * rope) + d.y;
      s.x[i].z = (msd_real)(0.03 + 0.3 * rope * (double)s.x[i].x) + d.z;
    }
  }
  surface_set_moving(&s, &random, (msd_real)0.5);
  return s;
}

#endif

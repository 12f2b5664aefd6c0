#include "tests/support/pair_oracle.h"
#include "tests/support/scarce_memory.h"

#include "engine/kernel/widths.h"
#include "engine/store/particle.h"

#include <float.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

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

static memory plenty(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

static void fill_state(searching *x) {
  for (int32_t i = 0; i < x->s.particles; i++) {
    msd_real *at = x->state + x->slot[i];
    const msd_real components[COMPONENTS] = {x->s.x[i].x, x->s.x[i].y, x->s.x[i].z,
                                             x->s.v[i].x, x->s.v[i].y, x->s.v[i].z};
    for (size_t c = 0; c < COMPONENTS; c++)
      at[c * x->stride] = components[c];
  }
}

/* Takes the surface over. */
static searching search_in(surface s, double horizon, double skin) {
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

static void close_search(searching *x, pair_search *search) {
  pair_search_free(search, &x->m);
  surface_mesh_free(&x->mesh, &x->m);
  cr_assert_eq(x->m.used, 0);
  free(x->slot);
  free(x->state);
  free(x->skins);
  surface_free(&x->s);
}

static pair_question question_of(const searching *x, int threads, msd_simd simd) {
  return (pair_question){.state = x->state,
                         .stride = x->stride,
                         .horizon = (msd_real)x->horizon,
                         .skins = x->skins,
                         .threads = threads,
                         .simd = simd};
}

static void build(searching *x, pair_search *search, int threads, msd_simd simd) {
  const pair_question question = question_of(x, threads, simd);
  cr_assert(pair_search_build(search, &x->m, &x->mesh, &question));
}

/* ------------------------------------------------------------------------------------------- what is listed */

/* A listed pair as the oracle has it, in an order that both share. */
typedef struct listed {
  int32_t at[PAIR_CORNERS + 1], index;
} listed;

static void put_in_order(int32_t *a, int32_t *b) {
  const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low, *b = high;
}

static listed listed_of(int kind, const int32_t *at, int32_t index) {
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

static int compare_listed(const void *a, const void *b) {
  for (int k = 0; k <= PAIR_CORNERS; k++) {
    const int32_t one = ((const listed *)a)->at[k], other = ((const listed *)b)->at[k];
    if (one != other)
      return one < other ? -1 : 1;
  }
  return 0;
}

static listed *list_sorted(const searching *x, const pair_list *list) {
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

static void corners_at(const searching *x, const oracle_pair *pair, double t, triple *corners) {
  for (int k = 0; k < PAIR_CORNERS; k++)
    corners[k] = triple_add(triple_of(x->s.x[pair->at[k]]), triple_of(x->s.v[pair->at[k]]), t);
}

static double rest_thickness(const searching *x, const oracle_pair *pair) {
  triple corners[PAIR_CORNERS];
  for (int k = 0; k < PAIR_CORNERS; k++)
    corners[k] = triple_of(x->s.rest[pair->at[k]]);
  return fmin(pair->thickness,
              (pair->is_own ? 0.3 : 0.9) * triple_length(oracle_between(pair->kind, corners)));
}

/* Both primitives are moved by the whole skin against each other, where their vertices may be. */
static double distance_at_worst(pair_kind kind, triple *corners, double skin) {
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
static void check_absent(const searching *x, const oracle_pair *pair, double thickness, double rounding) {
  for (int n = 0; n < TIMES; n++) {
    triple corners[PAIR_CORNERS];
    corners_at(x, pair, x->horizon * n / (TIMES - 1), corners);
    const double distance = distance_at_worst(pair->kind, corners, x->skin);
    cr_assert(distance >= thickness - rounding, "kind %d, %d %d %d %d: %g m, not %g m", (int)pair->kind,
              pair->at[0], pair->at[1], pair->at[2], pair->at[3], distance, thickness);
  }
}

/* Checks a pair that is listed: what its numbers promise. Of two large gaps it would be absent. */
static void check_present(const searching *x, const oracle_pair *pair, const pair_list *list, int32_t n,
                          double thickness, double rounding) {
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
static int32_t check_all(searching *x, const pair_list *list, double size) {
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

/* Searches and checks; the list is to have at least so many pairs. */
static void search_and_check(surface s, double horizon, double skin, double size, int32_t least) {
  searching x = search_in(s, horizon, skin);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  const int32_t count = check_all(&x, &search.list, size);

  cr_assert_geq(count, least, "%d", count);
  close_search(&x, &search);
}

/* ------------------------------------------------------------------------------------------------- surfaces */

static surface cloud_of(uint64_t seed, int32_t triangles, msd_real size, double thickness, msd_real speed) {
  generator random = {.state = seed};
  surface s = {0};
  surface_add_cloud(&s, &random, triangles, size, thickness);
  surface_set_moving(&s, &random, speed);
  return s;
}

/* A sheet of 10 mm edges whose particles are somewhere else by up to `disorder`, in the box that it has when
   its width is folded into so many layers. */
static surface crumpled_sheet(uint64_t seed, int32_t particles, int32_t layers, msd_real disorder,
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

static surface ropes_on_a_sheet(uint64_t seed) {
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

/* ---------------------------------------------------------------------------------------- nothing is missed */

Test(pair_search, in_a_cloud_of_triangles_every_pair_that_could_touch_is_listed) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    search_and_check(cloud_of(seed, 60, (msd_real)0.5, 0.05, 1), 0.05, 0.02, 2, 100);
    search_and_check(cloud_of(seed, 60, (msd_real)0.5, 0.5, 0), 0, 0, 2, 0);
    search_and_check(cloud_of(seed, 60, (msd_real)0.1, 0.05, 30), 0.1, 0, 8, 40);
  }
}

Test(pair_search, in_crumpled_sheets_every_pair_that_could_touch_is_listed) {
  search_and_check(crumpled_sheet(1, 12, 1, (msd_real)0.002, 1), 0.004, 0.0005, 0.2, 10);
  search_and_check(crumpled_sheet(2, 12, 1, (msd_real)0.02, 1), 0.004, 0.001, 0.2, 1000);
  search_and_check(crumpled_sheet(3, 13, 4, (msd_real)0.001, 1), 0.004, 0.001, 0.2, 1000);
  search_and_check(crumpled_sheet(4, 12, 8, (msd_real)0.003, 4), 0.008, 0.001, 0.2, 1000);
}

Test(pair_search, ropes_are_edges_and_their_particles_points) {
  search_and_check(ropes_on_a_sheet(1), 0.004, 0.0005, 0.2, 300);
  search_and_check(ropes_on_a_sheet(2), 0, 0.0005, 0.2, 100);
}

Test(pair_search, sizes_may_be_tiny_or_huge) {
  search_and_check(cloud_of(1, 40, (msd_real)3e5, 2e4, (msd_real)1e6), 0.05, 1e4, 1e6, 10);
  surface s = cloud_of(2, 40, (msd_real)0.25, 0.02, 1);
  for (int32_t i = 0; i < s.particles; i++)
    for (int k = 0; k < 3; k++) {
      msd_vec3 *of[3] = {&s.x[i], &s.v[i], &s.rest[i]};
      *of[k] = (msd_vec3){of[k]->x * (msd_real)1e-6, of[k]->y * (msd_real)1e-6, of[k]->z * (msd_real)1e-6};
    }
  s.pieces[0].thickness = (msd_real)2e-8;
  search_and_check(s, 0.05, 1e-8, 2e-6, 10);
}

/* Rounding of coordinates far from the origin is as large as the skin. */
Test(pair_search, far_from_the_origin_every_pair_is_listed_too) {
  surface s = crumpled_sheet(5, 10, 4, (msd_real)0.001, 1);
  for (int32_t i = 0; i < s.particles; i++)
    s.x[i].x += 5000;
  search_and_check(s, 0.004, 0.001, 5000, 100);
}

Test(pair_search, what_flies_together_lists_nothing_more) {
  int32_t count[2];
  for (int fast = 0; fast < 2; fast++) {
    surface s = crumpled_sheet(6, 10, 4, (msd_real)0.001, 0);
    for (int32_t i = 0; i < s.particles; i++)
      s.v[i] = (msd_vec3){0, fast ? -64 : 0, fast ? 32 : 0};
    searching x = search_in(s, 0.0078125, 0.0005);
    pair_search search = {0};
    build(&x, &search, 1, MSD_SIMD_WIDEST);
    count[fast] = check_all(&x, &search.list, 1);
    close_search(&x, &search);
  }
  cr_assert_lt(abs(count[1] - count[0]), count[0] / 1000 + 3, "%d and %d", count[0], count[1]);
}

Test(pair_search, a_flat_sheet_lists_nothing) {
  surface s = {0};
  surface_add_sheet(&s, 30, 30, 0.01, 0.004);
  searching x = search_in(s, 0.01, 0.0005);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, 0);
  close_search(&x, &search);
}

/* ----------------------------------------------------------------------------------------------- thickness */

static const pair_list *list_of(searching *x, pair_search *search) {
  build(x, search, 1, MSD_SIMD_WIDEST);
  return &search->list;
}

Test(pair_search, pieces_of_two_thicknesses_touch_at_their_mean) {
  surface s = {0};
  surface_add_rope(&s, 2, 1, 0.02);
  const int32_t second = surface_add_rope(&s, 2, 1, 0.06);
  for (int32_t i = second; i < second + 2; i++)
    s.x[i] = (msd_vec3){(msd_real)0.5, (msd_real)0.03, (msd_real)(i - second) - (msd_real)0.5},
    s.rest[i] = (msd_vec3){s.x[i].x, 1, s.x[i].z};
  searching x = search_in(s, 0, 0.001);
  pair_search search = {0};
  const pair_list *list = list_of(&x, &search);
  cr_assert_eq(list->count, 1);
  cr_assert_eq(list->kind[0], PAIR_EDGE_EDGE);
  cr_assert_float_eq((double)list->thickness[0], 0.04, 1e-8);
  cr_assert_float_eq((double)list->gap_begin[0], 0.028, 1e-4); /* less both skins */
  close_search(&x, &search);
}

/* Two segments that were placed 20 mm apart, of ropes 40 mm thick. */
Test(pair_search, a_pair_is_never_thicker_than_its_distance_at_rest_allows) {
  static const double apart[] = {0.017, 0.0195, 0.0205, 0.03};
  for (int n = 0; n < 4; n++) {
    surface s = {0};
    surface_add_rope(&s, 2, 1, 0.04);
    const int32_t second = surface_add_rope(&s, 2, 1, 0.04);
    for (int32_t i = second; i < second + 2; i++) {
      s.rest[i] = (msd_vec3){(msd_real)0.5, (msd_real)0.02, (msd_real)(i - second) - (msd_real)0.5};
      s.x[i] = (msd_vec3){s.rest[i].x, (msd_real)apart[n], s.rest[i].z};
    }
    searching x = search_in(s, 0, 0.001);
    pair_search search = {0};
    const pair_list *list = list_of(&x, &search);
    cr_assert_eq(list->count, apart[n] < 0.02); /* 0.9 x 20 mm and both skins */
    if (list->count > 0)
      cr_assert_float_eq((double)list->thickness[0], 0.018, 1e-6);
    close_search(&x, &search);
  }
}

Test(pair_search, pieces_that_ignore_each_other_have_no_pairs) {
  for (int ignored = 0; ignored < 4; ignored++) {
    surface s = crumpled_sheet(7, 8, 4, (msd_real)0.002, 0);
    const int32_t second = surface_add_sheet(&s, 8, 8, 0.01, 0.004);
    for (int32_t i = second; i < s.particles; i++)
      s.x[i].y += (msd_real)0.003;
    if (ignored & 1)
      surface_ignore(&s, 0, 0);
    if (ignored & 2)
      surface_ignore(&s, 1, 0);
    search_and_check(s, 0, 0.001, 0.1, ignored == 3 ? 0 : 50);
  }
}

/* ------------------------------------------------------------------------------------------ one same list */

static bool same_list(const pair_list *a, const pair_list *b) {
  const size_t count = (size_t)a->count;
  return a->count == b->count && memcmp(a->slots, b->slots, count * sizeof *a->slots) == 0 &&
         memcmp(a->kind, b->kind, count) == 0 &&
         memcmp(a->thickness, b->thickness, count * sizeof *a->thickness) == 0 &&
         memcmp(a->gap_begin, b->gap_begin, count * sizeof *a->gap_begin) == 0 &&
         memcmp(a->gap_end, b->gap_end, count * sizeof *a->gap_end) == 0;
}

Test(pair_search, threads_and_widths_change_no_bit_of_the_list) {
  searching x = search_in(crumpled_sheet(8, 40, 6, (msd_real)0.003, 1), 0.004, 0.001);
  pair_search first = {0}, other = {0};
  build(&x, &first, 1, MSD_SIMD_SCALAR);
  cr_assert_gt(first.list.count, 10000);
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int threads = 1; threads <= 8; threads += simd == MSD_SIMD_WIDEST ? 1 : 7) {
      build(&x, &other, threads, (msd_simd)simd);
      cr_assert(same_list(&first.list, &other.list), "width %d, %d threads", simd, threads);
    }
  pair_search_free(&first, &x.m);
  close_search(&x, &other);
}

Test(pair_search, a_search_serves_one_mesh_after_the_other) {
  searching x = search_in(crumpled_sheet(9, 20, 4, (msd_real)0.002, 1), 0.004, 0.001),
            y = search_in(ropes_on_a_sheet(3), 0.004, 0.0005);
  pair_search fresh = {0}, used = {0};
  const pair_question question = question_of(&x, 3, MSD_SIMD_WIDEST);
  cr_assert(pair_search_build(&used, &y.m, &x.mesh, &question));
  build(&y, &fresh, 1, MSD_SIMD_WIDEST);
  build(&y, &used, 2, MSD_SIMD_WIDEST);
  cr_assert(same_list(&fresh.list, &used.list));
  pair_search_free(&used, &y.m);
  close_search(&y, &fresh);
  pair_search none = {0};
  close_search(&x, &none);
}

Test(pair_search, an_empty_surface_has_an_empty_list) {
  searching x = search_in((surface){0}, 0.01, 0.001);
  pair_search search = {0};
  build(&x, &search, 2, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, 0);
  close_search(&x, &search);
}

/* ------------------------------------------------------------------------------------- what is not finite */

/* Positions whose differences or squares overflow prove nothing, so such pairs are listed. */
Test(pair_search, what_overflows_is_listed) {
  const msd_real far = sizeof(msd_real) == sizeof(double) ? (msd_real)1e200 : (msd_real)1e25;
  surface s = {0};
  for (int rope = 0; rope < 2; rope++) {
    const int32_t i = surface_add_rope(&s, 2, 1, 0.01);
    s.x[i] = (msd_vec3){-far, (msd_real)rope, -far};
    s.x[i + 1] = (msd_vec3){far, (msd_real)rope, rope ? far : 0};
  }
  searching x = search_in(s, 0.01, 0.001);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, 1);
  cr_assert_eq(search.list.gap_begin[0] - search.list.gap_begin[0], 0);
  close_search(&x, &search);
}

/* -------------------------------------------------------------------------------------------------- memory */

/* A build after another one, the second with so many requests for memory that are served. */
static bool build_twice(const searching *few, const searching *many, int threads, int left) {
  scarce s = {1000, 0};
  memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
  pair_search search = {0}, first = {0}, second = {0};
  const pair_question one = question_of(few, 1, MSD_SIMD_WIDEST),
                      other = question_of(many, threads, MSD_SIMD_WIDEST);
  cr_assert(pair_search_build(&search, &m, &few->mesh, &one));
  cr_assert(pair_search_build(&first, &m, &few->mesh, &one));
  cr_assert(pair_search_build(&second, &m, &many->mesh, &other));
  s.left = left;
  const bool done = pair_search_build(&search, &m, &many->mesh, &other);
  cr_assert(same_list(&search.list, done ? &second.list : &first.list));
  s.left = 1000;
  cr_assert(pair_search_build(&search, &m, &many->mesh, &other));
  cr_assert(same_list(&search.list, &second.list));
  pair_search_free(&search, &m);
  pair_search_free(&first, &m);
  pair_search_free(&second, &m);
  cr_assert_eq(s.in_use, 0);
  return done;
}

Test(pair_search, without_memory_the_list_stays_as_it_was) {
  searching few = search_in(crumpled_sheet(10, 6, 2, (msd_real)0.003, 0), 0, 0.001),
            many = search_in(crumpled_sheet(11, 20, 6, (msd_real)0.003, 0), 0, 0.001);
  for (int threads = 1; threads <= 3; threads += 2) {
    int left = 0;
    while (!build_twice(&few, &many, threads, left))
      cr_assert_lt(++left, 100);
    cr_assert_gt(left, 10);
  }
  pair_search none = {0};
  close_search(&few, &none);
  close_search(&many, &none);
}

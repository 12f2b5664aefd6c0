#include "tests/support/pair_searches.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"

/* ---------------------------------------------------------------------------------------- nothing is missed */

Test(pair_search, in_a_cloud_of_triangles_every_pair_that_could_touch_is_listed) {
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(4); seed++) {
    search_and_check(cloud_of(seed, 60, (msd_real)0.5, 0.05, 1), 0.05, 0.02, 2, 100);
    search_and_check(cloud_of(seed, 60, (msd_real)0.5, 0.5, 0), 0, 0, 2, 0);
    search_and_check(cloud_of(seed, 60, (msd_real)0.1, 0.05, 30), 0.1, 0, 8, 40);
  }
}

Test(pair_search, in_crumpled_sheets_every_pair_that_could_touch_is_listed) {
  search_and_check(crumpled_sheet(1, 12, 1, (msd_real)0.002, 1), 0.004, 0.0005, 0.2, 10);
  search_and_check(crumpled_sheet(2, 12, 1, (msd_real)0.02, 1), 0.004, 0.001, 0.2, 1000);
  if (in_part)
    return;
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

/* Two segments across each other, or a point over a triangle, in surfaces 5 mm thick; one corner has a wide
   skin, or two have. Nothing but these skins brings the two near. */
static void expect_gap_of_skins(bool is_point, int wide, int also) {
  static const double narrow = 1e-4, widest = 0.02, apart = 0.04;
  surface s = {0};
  if (is_point) {
    surface_add_rope(&s, 2, 1, 0.005);
    static const int32_t triangle[3] = {2, 3, 4};
    const int32_t first = surface_add_particles(&s, 3);
    surface_add_piece(&s, triangle, 1, NULL, 0, 0.005);
    static const double at[3][2] = {{-0.2, -0.2}, {0.2, -0.2}, {0, 0.3}};
    for (int32_t k = 0; k < 3; k++)
      s.rest[first + k] = s.x[first + k] = (msd_vec3){(msd_real)at[k][0], 0, (msd_real)at[k][1]};
    s.x[0] = s.rest[0] = (msd_vec3){0, (msd_real)apart, 0};
    s.x[1] = s.rest[1] = (msd_vec3){0, (msd_real)apart + 1, 0};
  } else {
    surface_add_rope(&s, 2, 1, 0.005);
    const int32_t second = surface_add_rope(&s, 2, 1, 0.005);
    for (int32_t k = 0; k < 2; k++)
      s.rest[second + k] = s.x[second + k] =
          (msd_vec3){(msd_real)0.5, (msd_real)apart, (msd_real)k - (msd_real)0.5};
  }
  searching x = search_in(s, 0, narrow);
  const int32_t corner[2][PAIR_CORNERS] = {{0, 1, 2, 3}, {0, 2, 3, 4}};
  const int sides = is_point ? 1 : 2;
  x.skins[x.slot[corner[is_point][wide]]] = (msd_real)widest;
  x.skins[x.slot[corner[is_point][also]]] = (msd_real)widest;
  const bool both = wide < sides && also >= sides;
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, both, "corners %d and %d", wide, also);
  if (both) {
    cr_assert_float_eq((double)search.list.gap_begin[0], apart - 2 * widest, 1e-5);
    cr_assert_float_eq((double)search.list.skins[0], 2 * widest, 1e-5);
  }
  close_search(&x, &search);
}

Test(pair_search, a_pair_is_as_near_as_the_widest_skins_of_both_sides_allow) {
  for (int is_point = 0; is_point < 2; is_point++)
    for (int wide = 0; wide < PAIR_CORNERS; wide++)
      for (int also = wide; also < PAIR_CORNERS; also++)
        expect_gap_of_skins(is_point, wide, also);
}

/* Two segments, 4 mm apart, of which one shares its leaf with a corner that has a wide skin. */
Test(pair_search, a_pair_among_wide_skins_is_as_near_as_its_own_allow) {
  static const double narrow = 1e-4, widest = 0.02, apart = 0.004;
  for (int side = 0; side < 2; side++) {
    surface s = {0};
    const int32_t first = surface_add_rope(&s, 2 + !side, 1, 0.005);
    const int32_t second = surface_add_rope(&s, 2 + side, 1, 0.005);
    for (int32_t i = second; i < s.particles; i++) {
      s.x[i] = (msd_vec3){(msd_real)0.5, (msd_real)apart, (msd_real)(i - second) - (msd_real)0.5};
      s.rest[i] = (msd_vec3){s.x[i].x, 1, s.x[i].z};
    }
    searching x = search_in(s, 0, narrow);
    x.skins[x.slot[side ? second + 2 : first + 2]] = (msd_real)widest;
    pair_search search = {0};
    build(&x, &search, 1, MSD_SIMD_WIDEST);
    cr_assert_eq(search.list.count, 1, "side %d", side);
    cr_assert_float_eq((double)search.list.gap_begin[0], apart - 2 * narrow, 1e-4);
    cr_assert_float_eq((double)search.list.gap_end[0], apart - 2 * narrow, 1e-4);
    cr_assert_float_eq((double)search.list.skins[0], 2 * narrow, 1e-5);
    close_search(&x, &search);
  }
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

/* A leaf meets more others than it has room to note. */
Test(pair_search, in_a_heap_of_sheets_every_pair_that_could_touch_is_listed) {
  surface s = {0};
  for (int n = 0; n < PAIR_MEETINGS + 8; n++) {
    const int32_t first = surface_add_sheet(&s, 2, 2, 0.01, 0.004);
    for (int32_t i = first; i < s.particles; i++)
      s.rest[i] = s.x[i] = (msd_vec3){s.x[i].x + (msd_real)(1e-4 * n), (msd_real)(5e-4 * n), s.x[i].z};
  }
  searching x = search_in(s, 0.001, 0.01);
  pair_search search = {0};
  build(&x, &search, 2, MSD_SIMD_WIDEST);
  cr_assert_gt(search.meeting_count[0], PAIR_MEETINGS);
  check_all(&x, &search.list, 0.2);
  close_search(&x, &search);
}

/* ------------------------------------------------------------------------------------------ one same list */

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

/* Two segments that cross, far from all others. */
static void add_crossing(surface *s, int place) {
  for (int other = 0; other < 2; other++) {
    const int32_t first = surface_add_rope(s, 2, 0.01, 0.004);
    for (int k = 0; k < 2; k++) {
      const msd_real along = (msd_real)(k == 0 ? -0.005 : 0.005), at = (msd_real)(0.1 * place);
      s->x[first + k] = other == 0 ? (msd_vec3){at + along, 1, 0} : (msd_vec3){at, (msd_real)1.003, along};
      s->rest[first + k] = s->x[first + k];
      s->rest[first + k].y += (msd_real)other;
    }
  }
}

/* One thread, and room for as many pairs as there were before: of a sheet some have to wait for more, and the
   few behind them have not. */
Test(pair_search, where_some_pairs_have_no_room_at_first_all_keep_their_order) {
  surface s = crumpled_sheet(19, 16, 6, (msd_real)0.003, 1);
  for (int place = 0; place < 20; place++)
    add_crossing(&s, place);
  searching x = search_in(s, 0, 0.0005);
  pair_search used = {0};
  for (int step = 0; step < 12; step++) {
    x.horizon = 0.0005 * step;
    for (int round = 0; round < 2; round++) {
      pair_search fresh = {0};
      build(&x, &used, 1, MSD_SIMD_WIDEST);
      build(&x, &fresh, 1, MSD_SIMD_WIDEST);
      cr_assert(same_list(&fresh.list, &used.list), "step %d, round %d", step, round);
      pair_search_free(&fresh, &x.m);
    }
  }
  close_search(&x, &used);
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

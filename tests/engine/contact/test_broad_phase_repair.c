/* What of a list is found anew where some particles go another way than it was made for. */
#include "engine/contact/broad_phase_repair.h"
#include "tests/support/pair_searches.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"

enum { MOVED = 4, OTHER = 2 };

/* Moves every so manieth particle and turns it around; returns who that was, by slot. */
static uint8_t *move_some(searching *x, uint64_t seed, int32_t every) {
  generator random = {.state = seed};
  uint8_t *marked = surface_copy(NULL, 0, (size_t)x->s.particles);
  for (int32_t i = 0; i < x->s.particles; i++) {
    marked[x->slot[i]] = i % every == 0 ? MOVED | OTHER : i % 3 == 0 ? OTHER : 0;
    if (i % every != 0)
      continue;
    const msd_vec3 d = random_vector(&random, (msd_real)0.01);
    x->s.x[i] = (msd_vec3){x->s.x[i].x + d.x, x->s.x[i].y + d.y, x->s.x[i].z + d.z};
    x->s.v[i] = random_vector(&random, 1);
  }
  fill_state(x);
  return marked;
}

static void mend(searching *x, pair_search *search, const uint8_t *marked, int threads, msd_simd simd) {
  const pair_question question = question_of(x, threads, simd);
  cr_assert(pair_search_mend(search, &x->m, &x->mesh, &question, NULL, marked, MOVED));
}

/* The pairs that are listed still. */
static pair_list listed_still(const pair_list *list) {
  const size_t count = (size_t)list->count;
  pair_list still = {.slots = surface_copy(NULL, 0, count * sizeof *still.slots),
                     .kind = surface_copy(NULL, 0, count),
                     .thickness = surface_copy(NULL, 0, count * sizeof *still.thickness),
                     .gap_begin = surface_copy(NULL, 0, count * sizeof *still.gap_begin),
                     .gap_end = surface_copy(NULL, 0, count * sizeof *still.gap_end),
                     .skins = surface_copy(NULL, 0, count * sizeof *still.skins)};
  for (int32_t n = 0; n < list->count; n++) {
    if (list->gap_begin[n] == PAIR_FAR && list->gap_end[n] == PAIR_FAR)
      continue;
    memcpy(still.slots[still.count], list->slots[n], sizeof *still.slots);
    still.kind[still.count] = list->kind[n];
    still.thickness[still.count] = list->thickness[n];
    still.gap_begin[still.count] = list->gap_begin[n];
    still.gap_end[still.count] = list->gap_end[n];
    still.skins[still.count++] = list->skins[n];
  }
  return still;
}

static void free_list(pair_list *list) {
  free(list->slots);
  free(list->kind);
  free(list->thickness);
  free(list->gap_begin);
  free(list->gap_end);
  free(list->skins);
}

static void mend_and_check(surface s, double skin, double size, int32_t every) {
  searching x = search_in(s, 0.004, skin);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  for (uint64_t round = 1; round <= (uint64_t)share_of(2); round++) {
    uint8_t *marked = move_some(&x, round, every);
    mend(&x, &search, marked, 1, MSD_SIMD_WIDEST);
    pair_list still = listed_still(&search.list);
    const int32_t count = check_all(&x, &still, size);
    cr_assert_gt(count, 50, "%d in round %d", count, (int)round);
    free_list(&still);
    free(marked);
  }
  close_search(&x, &search);
}

Test(pair_mending, where_some_particles_go_another_way_a_mended_list_misses_nothing) {
  mend_and_check(crumpled_sheet(13, 12, 4, (msd_real)0.001, 1), 0.001, 0.2, 25);
  mend_and_check(crumpled_sheet(14, 9, 8, (msd_real)0.003, 4), 0.001, 0.2, 2);
  mend_and_check(ropes_on_a_sheet(4), 0.0005, 0.2, 40);
  mend_and_check(cloud_of(5, 60, (msd_real)0.5, 0.05, 1), 0.02, 2, 9);
}

Test(pair_mending, where_what_was_smooth_is_so_no_more_a_mended_list_misses_nothing) {
  mend_and_check(crumpled_sheet(17, 14, 1, 0, 0), 0.0005, 0.2, 25);
  mend_and_check(crumpled_sheet(18, 12, 1, (msd_real)0.0005, (msd_real)0.1), 0.0005, 0.2, 3);
}

/* Moves a range of particles up, and mends the list; how many pairs it has then. */
static int32_t lift(searching *x, pair_search *search, int32_t first, int32_t end, double up) {
  uint8_t *marked = surface_copy(NULL, 0, (size_t)x->s.particles);
  for (int32_t i = first; i < end; i++) {
    marked[x->slot[i]] = MOVED;
    x->s.x[i].y += (msd_real)up;
  }
  fill_state(x);
  mend(x, search, marked, 1, MSD_SIMD_WIDEST);
  pair_list still = listed_still(&search->list);
  const int32_t count = check_all(x, &still, 1);
  free_list(&still);
  free(marked);
  return count;
}

/* The rope ignores itself. */
static searching rope_on_a_sheet(int32_t *rope) {
  surface s = {0};
  *rope = surface_add_sheet(&s, 5, 5, 0.01, 0.004) + 25;
  cr_assert_eq(surface_add_rope(&s, 5, 0.01, 0.004), *rope);
  surface_ignore(&s, 1, 1);
  for (int32_t i = *rope; i < s.particles; i++)
    s.x[i] = (msd_vec3){s.x[i].x, (msd_real)0.003, (msd_real)0.015};
  return search_in(s, 0.001, 0.0005);
}

/* A rope is lifted off a sheet; then the sheet is lifted to it. */
Test(pair_mending, what_met_nothing_when_it_was_moved_is_found_where_it_is) {
  int32_t rope;
  searching x = rope_on_a_sheet(&rope);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  const int32_t before = search.list.count;
  cr_assert_gt(before, 5);
  cr_assert_eq(lift(&x, &search, rope, x.s.particles, 0.5), 0);
  cr_assert_eq(lift(&x, &search, 0, rope, 0.5), before);
  close_search(&x, &search);
}

/* The rope lies on the sheet, is up when the list is made anew, and the sheet is lifted to it. */
Test(pair_mending, what_met_nothing_when_the_list_was_made_anew_is_found_where_it_is) {
  int32_t rope;
  searching x = rope_on_a_sheet(&rope);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  const int32_t before = search.list.count;
  for (int32_t i = rope; i < x.s.particles; i++)
    x.s.x[i].y += (msd_real)0.5;
  fill_state(&x);
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, 0);
  cr_assert_eq(lift(&x, &search, 0, rope, 0.5), before);
  close_search(&x, &search);
}

/* The rope lies on the sheet; both are far from there and from each other when the list is made anew. A corner
   of the sheet is moved, and then the rope onto the sheet. */
Test(pair_mending, what_met_nothing_is_found_where_it_is_around_what_alone_was_moved_before) {
  int32_t rope;
  searching x = rope_on_a_sheet(&rope);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  const int32_t before = search.list.count;
  for (int32_t i = 0; i < x.s.particles; i++)
    x.s.x[i].y += (msd_real)(i < rope ? -0.5 : 0.5);
  fill_state(&x);
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_eq(search.list.count, 0);
  cr_assert_eq(lift(&x, &search, 0, 1, 0.0005), 0);
  cr_assert_eq(lift(&x, &search, rope, x.s.particles, -1), before);
  close_search(&x, &search);
}

/* A long rope, of which the sheet is under the end alone: its leaves are below several nodes of the tree. */
Test(pair_mending, what_was_moved_is_found_below_every_node_that_it_is_in) {
  surface s = {0};
  const int32_t rope = surface_add_sheet(&s, 5, 5, 0.01, 0.004) + 25;
  surface_add_rope(&s, 400, 0.01, 0.004);
  surface_ignore(&s, 1, 1);
  for (int32_t i = 0; i < s.particles; i++) {
    if (i < rope)
      s.x[i].x = s.rest[i].x += (msd_real)3.9;
    else
      s.x[i] = s.rest[i] = (msd_vec3){s.x[i].x, (msd_real)0.5, (msd_real)0.015};
  }
  for (int32_t i = rope; i < s.particles; i++)
    s.x[i].y = (msd_real)0.003;
  searching x = search_in(s, 0.001, 0.0005);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  const int32_t before = search.list.count;
  cr_assert_gt(before, 5);
  cr_assert_eq(lift(&x, &search, rope, s.particles, 0.5), 0);
  cr_assert_eq(lift(&x, &search, 0, rope, 0.5), before);
  close_search(&x, &search);
}

/* The corner of a sheet from which a rope hangs is moved to another rope, and what both have around it. */
Test(pair_mending, a_particle_of_two_pieces_is_looked_for_around_it_in_both) {
  surface s = {0};
  const int32_t corner = surface_add_sheet(&s, 5, 5, 0.01, 0.004) + 24;
  const int32_t hanging = surface_add_particles(&s, 1);
  s.x[hanging] = s.rest[hanging] = (msd_vec3){(msd_real)0.06, 0, (msd_real)0.06};
  surface_add_piece(&s, NULL, 0, (const int32_t[2]){corner, hanging}, 1, 0.004);
  const int32_t other = surface_add_rope(&s, 9, 0.01, 0.004);
  for (int32_t i = other; i < s.particles; i++)
    s.x[i] = s.rest[i] = (msd_vec3){s.x[i].x, (msd_real)0.303, (msd_real)0.04};
  surface_ignore(&s, 2, 2);
  searching x = search_in(s, 0.001, 0.0005);
  pair_search search = {0};
  build(&x, &search, 1, MSD_SIMD_WIDEST);
  cr_assert_gt(lift(&x, &search, corner, corner + 1, 0.3), 5);
  close_search(&x, &search);
}

Test(pair_mending, where_no_particle_has_the_mark_the_list_stays) {
  searching x = search_in(crumpled_sheet(15, 14, 4, (msd_real)0.002, 1), 0.004, 0.001);
  pair_search first = {0}, mended = {0};
  build(&x, &first, 1, MSD_SIMD_WIDEST);
  build(&x, &mended, 1, MSD_SIMD_WIDEST);
  uint8_t *marked = surface_copy(NULL, 0, (size_t)x.s.particles);
  memset(marked, OTHER, (size_t)x.s.particles);
  mend(&x, &mended, marked, 2, MSD_SIMD_WIDEST);
  cr_assert(same_list(&first.list, &mended.list));
  free(marked);
  pair_search_free(&first, &x.m);
  close_search(&x, &mended);
}

static pair_list mended_list(int threads, msd_simd simd) {
  searching x = search_in(crumpled_sheet(16, 30, 6, (msd_real)0.003, 1), 0.004, 0.001);
  pair_search search = {0};
  build(&x, &search, threads, simd);
  uint8_t *marked = move_some(&x, 1, 40);
  mend(&x, &search, marked, threads, simd);
  const pair_list still = listed_still(&search.list);
  free(marked);
  close_search(&x, &search);
  return still;
}

Test(pair_mending, threads_and_widths_change_no_bit_of_a_mended_list) {
  pair_list first = mended_list(1, MSD_SIMD_SCALAR);
  cr_assert_gt(first.count, 10000);
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int threads = 1; threads <= 16; threads *= 4) {
      pair_list other = mended_list(threads, (msd_simd)simd);
      cr_assert(same_list(&first, &other), "width %d, %d threads", simd, threads);
      free_list(&other);
    }
  free_list(&first);
}

Test(pair_mending, a_list_that_could_not_be_mended_can_be_made_anew) {
  searching x = search_in(crumpled_sheet(12, 16, 6, (msd_real)0.003, 1), 0.004, 0.001);
  const searching before = x;
  bool done = false;
  for (int left = 0; !done; left++) {
    cr_assert_lt(left, 20);
    scarce s = {1000, 0};
    memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
    pair_search search = {0}, fresh = {0};
    pair_question question = question_of(&before, 1, MSD_SIMD_WIDEST);
    cr_assert(pair_search_build(&search, &m, &x.mesh, &question));
    uint8_t *marked = move_some(&x, (uint64_t)left + 1, 2);
    s.left = left;
    done = pair_search_mend(&search, &m, &x.mesh, &question, NULL, marked, MOVED);
    s.left = 1000;
    cr_assert(pair_search_build(&search, &m, &x.mesh, &question));
    cr_assert(pair_search_build(&fresh, &m, &x.mesh, &question));
    cr_assert(same_list(&search.list, &fresh.list));
    free(marked);
    pair_search_free(&search, &m);
    pair_search_free(&fresh, &m);
    cr_assert_eq(s.in_use, 0);
  }
  pair_search none = {0};
  close_search(&x, &none);
}

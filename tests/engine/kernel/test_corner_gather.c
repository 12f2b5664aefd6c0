/* Sums of parts at particles, against parts that are added one after the other. */
#include "tests/support/kernels.h"

#include "engine/kernel/corner_gather.h"

enum { PARTS_MAX = 20000 };

/* Parts of slots in a random order, with room for some that nobody sums. */
typedef struct parts {
  memory memory;
  corner_gather sums;
  int32_t slots, count;
  /* Of each part. */
  int32_t slot_of[PARTS_MAX], place[PARTS_MAX];
  /* As many as there are places. */
  msd_real *numbers;
} parts;

typedef int32_t parts_at(generator *random, int32_t slot);

static void add_part(parts *p, int32_t slot) {
  cr_assert_lt(p->count, PARTS_MAX);
  p->slot_of[p->count++] = slot;
}

static void give_places(parts *p, generator *random) {
  int32_t *at = calloc((size_t)p->slots, sizeof *at);
  cr_assert_not_null(at);
  for (int32_t n = 0; n < p->count; n++) {
    const int32_t other = random_below(random, n + 1), slot = p->slot_of[n];
    at[slot]++;
    p->slot_of[n] = p->slot_of[other];
    p->slot_of[other] = slot;
  }
  cr_assert(corner_gather_make(&p->sums, &p->memory, at, p->slots));
  for (int32_t n = 0; n < p->count; n++)
    p->place[n] = corner_gather_place(&p->sums, at[p->slot_of[n]]);
  free(at);
}

static parts *make_parts(int32_t slots, parts_at count_at, uint64_t seed) {
  generator random = {.state = seed};
  parts *p = calloc(1, sizeof *p);
  cr_assert_not_null(p);
  p->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  p->slots = slots;
  for (int32_t slot = 0; slot < slots; slot++)
    for (int32_t n = count_at(&random, slot); n > 0; n--)
      add_part(p, slot);
  give_places(p, &random);
  p->numbers = reals_of((size_t)p->sums.part_count * RECORD_QUAD);
  for (int32_t n = 0; n < p->count; n++)
    for (int c = 0; c < 3; c++) /* sums of these are rounded: their order counts */
      p->numbers[p->place[n] + c] = random_real(&random) / (msd_real)(1 + random_below(&random, 999));
  return p;
}

static void free_parts(parts *p) {
  corner_gather_free(&p->sums, &p->memory);
  cr_assert_eq(p->memory.used, 0);
  free(p->numbers);
  free(p);
}

static int32_t few(generator *random, int32_t slot) {
  (void)slot;
  return random_below(random, 9);
}

static int32_t eight_or_thirty(generator *random, int32_t slot) {
  (void)random;
  return slot % 2 ? 30 : 8;
}

/* More than are told apart by sorting, at two slots. */
static int32_t hubs(generator *random, int32_t slot) {
  return slot == 3 ? 900 : slot == 200 ? 700 : 1 + random_below(random, 4);
}

static int32_t seldom(generator *random, int32_t slot) {
  return slot % 97 ? 0 : 1 + random_below(random, 3);
}

/* All lanes are runs of slots. */
static int32_t four(generator *random, int32_t slot) {
  (void)random;
  (void)slot;
  return 4;
}

static parts_at *const kinds[] = {few, eight_or_thirty, hubs, seldom, four};
enum { KINDS = sizeof kinds / sizeof *kinds, STRIDE = 512 };

/* The sums of the slots first..last-1, and -1 of the others. */
static void add_plainly(const parts *p, const msd_real *applied, int32_t first, int32_t last,
                        msd_real *sums) {
  bool has_parts[STRIDE] = {false};
  for (int c = 0; c < 3; c++)
    for (int32_t slot = 0; slot < p->slots; slot++)
      sums[c * STRIDE + slot] = applied ? applied[c * STRIDE + slot] : 0;
  for (int32_t n = 0; n < p->count; n++) {
    has_parts[p->slot_of[n]] = true;
    for (int c = 0; c < 3; c++)
      sums[c * STRIDE + p->slot_of[n]] += p->numbers[p->place[n] + c];
  }
  for (int c = 0; c < 3; c++)
    for (int32_t slot = 0; slot < STRIDE; slot++)
      if (slot < first || slot >= last || !has_parts[slot])
        sums[c * STRIDE + slot] = -1;
}

static void expect_sums(const parts *p, msd_simd width, const msd_real *applied, int32_t first,
                        int32_t last) {
  msd_real *wanted = reals_of(3 * STRIDE), *found = reals_of(3 * STRIDE);
  for (int n = 0; n < 3 * STRIDE; n++)
    found[n] = -1;
  add_plainly(p, applied, first, last, wanted);
  kernels_choose(width)->constraints.sum(
      &p->sums, p->numbers, &(corner_target){found, applied, STRIDE, (size_t)first, (size_t)last});
  for (int n = 0; n < 3 * STRIDE; n++)
    cr_assert_eq(found[n], wanted[n], "width %d, %d to %d: component %d of slot %d is %.9g, not %.9g",
                 (int)width, first, last, n / STRIDE, n % STRIDE, (double)found[n], (double)wanted[n]);
  free(wanted);
  free(found);
}

Test(corner_gather, parts_of_a_slot_are_added_in_their_order_in_every_width) {
  for (int kind = 0; kind < KINDS; kind++) {
    parts *p = make_parts(STRIDE - 3, kinds[kind], (uint64_t)kind);
    cr_assert_gt(p->count, 0);
    for (int width = MSD_SIMD_SCALAR; width < MSD_SIMD_COUNT; width++)
      expect_sums(p, (msd_simd)width, NULL, 0, p->slots);
    free_parts(p);
  }
}

Test(corner_gather, sums_begin_with_what_is_applied) {
  generator random = {.state = 8};
  msd_real *applied = reals_of(3 * STRIDE);
  for (int n = 0; n < 3 * STRIDE; n++)
    applied[n] = random_real(&random) / 3;
  for (int kind = 0; kind < KINDS; kind++) {
    parts *p = make_parts(STRIDE - 3, kinds[kind], (uint64_t)kind);
    for (int width = MSD_SIMD_SCALAR; width < MSD_SIMD_COUNT; width++)
      expect_sums(p, (msd_simd)width, applied, 0, p->slots);
    free_parts(p);
  }
  free(applied);
}

Test(corner_gather, a_range_of_slots_is_summed_and_no_other_slot_is_written) {
  static const int32_t ends[] = {0, 1, 16, 97, 98, 255, 256, 257, 300, 508, 509, 512};
  enum { ENDS = sizeof ends / sizeof *ends };
  for (int kind = 0; kind < KINDS; kind++) {
    parts *p = make_parts(STRIDE - 3, kinds[kind], (uint64_t)kind);
    for (int first = 0; first < ENDS; first++)
      for (int last = first; last < ENDS; last++)
        expect_sums(p, MSD_SIMD_WIDEST, NULL, ends[first], ends[last]);
    free_parts(p);
  }
}

Test(corner_gather, every_part_has_a_place_of_its_own_and_hubs_cost_no_room) {
  for (int kind = 0; kind < KINDS; kind++) {
    parts *p = make_parts(STRIDE, kinds[kind], (uint64_t)kind + 9);
    const int32_t summed = p->sums.part_count, spare = corner_gather_spare(&p->sums);
    bool *taken = calloc((size_t)p->sums.part_count, sizeof *taken);
    cr_assert_not_null(taken);
    for (int32_t n = 0; n <= p->count; n++) {
      const int32_t place = n < p->count ? p->place[n] : spare;
      cr_assert(place >= 0 && place % RECORD_QUAD == 0 && place < p->sums.part_count * RECORD_QUAD);
      cr_assert(!taken[place / RECORD_QUAD], "part %d", n);
      taken[place / RECORD_QUAD] = true;
    }
    cr_assert_leq(summed, p->count + 3 * p->sums.slice_count, "what lines end with is all that is left free");
    free(taken);
    free_parts(p);
  }
}

Test(corner_gather, nothing_is_kept_where_memory_is_scarce) {
  for (size_t limit = 0, made = 0; !made; limit += 64) {
    memory m = {.allocator = memory_default_allocator(), .limit = limit};
    int32_t at[STRIDE];
    for (int32_t slot = 0; slot < STRIDE; slot++)
      at[slot] = slot % 5;
    corner_gather sums;
    made = corner_gather_make(&sums, &m, at, STRIDE);
    cr_assert(made || (m.used == 0 && sums.slices == NULL && sums.slice_count == 0), "limit %zu", limit);
    corner_gather_free(&sums, &m);
    cr_assert_eq(m.used, 0);
  }
}

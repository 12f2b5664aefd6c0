/* Terms that several threads make are taken in the order of their items. */
#include "engine/base/ordered.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16 };

/* ------------------------------------------------------------------------------------------------- sums */

/* A sum whose bits depend on the order: the terms are of very different sizes and both signs. */
static double term_of(int32_t item) {
  const double size = 1 / (1 + (double)item * item);
  return item % 3 == 0 ? -1e9 * size : size;
}

static void make_numbers(void *context, int32_t first, int32_t count, void *terms) {
  double *to = terms;
  (void)context;
  for (int32_t n = 0; n < count; n++)
    to[n] = term_of(first + n);
}

static void add_numbers(void *context, int32_t first, int32_t count, const void *terms) {
  const double *from = terms;
  double *sum = context;
  (void)first;
  for (int32_t n = 0; n < count; n++)
    *sum += from[n];
}

Test(ordered, sums_have_the_bits_of_a_plain_loop_on_any_number_of_threads) {
  const int32_t counts[] = {0, 1, 2, 31, 32, 33, 8191, 8192, 8193, 100003};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    double plain = 0;
    for (int32_t i = 0; i < counts[c]; i++)
      plain += term_of(i);
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
      double sum = 0;
      ordered_run(NULL, threads, counts[c], &(ordered_work){make_numbers, add_numbers, sizeof(double), &sum});
      cr_assert_eq(memcmp(&sum, &plain, sizeof sum), 0, "%d items, %d threads: %.17g, %.17g", (int)counts[c],
                   threads, sum, plain);
    }
  }
}

/* ------------------------------------------------------------------------------------------------- items */

enum { ITEMS = 5000 };

typedef struct visits {
  atomic_int made[ITEMS];
  int32_t taken;
  bool is_in_order;
} visits;

typedef struct large_term {
  int32_t item;
  char rest[ORDERED_TERM_MAX - sizeof(int32_t)];
} large_term;

static void make_large(void *context, int32_t first, int32_t count, void *terms) {
  visits *v = context;
  large_term *to = terms;
  for (int32_t n = 0; n < count; n++) {
    atomic_fetch_add(&v->made[first + n], 1);
    to[n].item = first + n;
    memset(to[n].rest, (first + n) % 100, sizeof to[n].rest);
  }
}

static void take_large(void *context, int32_t first, int32_t count, const void *terms) {
  visits *v = context;
  const large_term *from = terms;
  for (int32_t n = 0; n < count; n++) {
    v->is_in_order = v->is_in_order && first + n == v->taken && from[n].item == v->taken &&
                     from[n].rest[sizeof from[n].rest - 1] == v->taken % 100;
    v->taken++;
  }
}

Test(ordered, every_item_is_made_once_and_taken_in_its_turn_whatever_the_size_of_its_term) {
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    visits *v = calloc(1, sizeof *v);
    cr_assert_not_null(v);
    v->is_in_order = true;
    ordered_run(NULL, threads, ITEMS, &(ordered_work){make_large, take_large, sizeof(large_term), v});
    cr_assert_eq(v->taken, ITEMS);
    cr_assert(v->is_in_order, "%d threads", threads);
    for (int32_t i = 0; i < ITEMS; i++)
      cr_assert_eq(atomic_load(&v->made[i]), 1);
    free(v);
  }
}

/* Waiting for a number: threads that spin and threads that sleep see it change. */
#include "engine/base/wait_word.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sleep_for(double seconds) {
  nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

Test(wait_word, a_word_has_the_value_that_was_set) {
  wait_word w;
  wait_word_begin(&w, 7);
  cr_expect_eq(wait_word_get(&w), 7);
  wait_word_set(&w, INT32_MAX);
  cr_expect_eq(wait_word_get(&w), INT32_MAX);
  cr_expect_eq(wait_word_leave(&w, 7), INT32_MAX, "it has left the value already");
}

Test(wait_word, a_value_is_replaced_only_where_it_is_the_expected_one) {
  wait_word w;
  wait_word_begin(&w, 1);
  cr_expect(!wait_word_replace(&w, 0, 2));
  cr_expect_eq(wait_word_get(&w), 1);
  cr_expect(wait_word_replace(&w, 1, 2));
  cr_expect_eq(wait_word_get(&w), 2);
}

typedef struct sleeper {
  wait_word *word;
  unsigned from, seen;
  double waited;
} sleeper;

static void *sleep_once(void *context) {
  sleeper *s = context;
  s->seen = wait_word_leave(s->word, s->from);
  s->waited = wait_word_seconds();
  return NULL;
}

enum { SLEEPERS = 8 };

/* Words of every kind of pause: some threads still spin, others sleep. */
static void wake_all_after(double seconds, bool replaces) {
  wait_word w;
  wait_word_begin(&w, 3);
  sleeper sleepers[SLEEPERS];
  pthread_t threads[SLEEPERS];
  for (int n = 0; n < SLEEPERS; n++) {
    sleepers[n] = (sleeper){.word = &w, .from = 3};
    cr_assert_eq(pthread_create(&threads[n], NULL, sleep_once, &sleepers[n]), 0);
  }
  sleep_for(seconds);
  if (replaces)
    cr_expect(wait_word_replace(&w, 3, 4));
  else
    wait_word_set(&w, 4);
  for (int n = 0; n < SLEEPERS; n++) {
    pthread_join(threads[n], NULL);
    cr_expect_eq(sleepers[n].seen, 4);
  }
}

Test(wait_word, all_threads_that_spin_or_sleep_are_woken, .timeout = 60) {
  for (int n = 0; n < 40; n++)
    wake_all_after(n * 20e-6, n % 2);
  wake_all_after(0.05, false);
  wake_all_after(0.05, true);
}

Test(wait_word, the_time_of_a_wait_is_counted) {
  wait_word w;
  wait_word_begin(&w, 0);
  sleeper s = {.word = &w};
  pthread_t thread;
  cr_assert_eq(pthread_create(&thread, NULL, sleep_once, &s), 0);
  sleep_for(0.05);
  const double before = parallel_clock();
  wait_word_set(&w, 1);
  pthread_join(thread, NULL);
  cr_expect_leq(s.waited, 0.05 + parallel_clock() - before + 1);
  cr_expect_geq(s.waited, 0);
}

static void *sleep_and_free(void *context) {
  wait_word *w = context;
  wait_word_leave(w, 0);
  memset(w, 0xff, sizeof *w);
  free(w);
  return NULL;
}

/* The memory is reused for another word at once, which a late access would change. */
Test(wait_word, a_word_may_be_freed_by_the_thread_that_saw_it_change, .timeout = 60) {
  for (int n = 0; n < 500; n++) {
    wait_word *w = aligned_alloc(_Alignof(wait_word), sizeof *w);
    cr_assert(w != NULL);
    wait_word_begin(w, 0);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, sleep_and_free, w), 0);
    if (n % 2)
      sleep_for(2e-4);
    wait_word_set(w, 1);
    pthread_join(thread, NULL);
  }
}

enum { TURNS = 4000 };

/* Two threads that pass a word back and forth, each waiting for the other. */
static void *answer(void *context) {
  wait_word *w = context;
  for (unsigned n = 0; n < TURNS; n++) {
    cr_assert_eq(wait_word_leave(w, 2 * n), 2 * n + 1);
    wait_word_set(w, 2 * n + 2);
  }
  return NULL;
}

Test(wait_word, no_change_is_missed, .timeout = 120) {
  wait_word w;
  wait_word_begin(&w, 0);
  pthread_t thread;
  cr_assert_eq(pthread_create(&thread, NULL, answer, &w), 0);
  for (unsigned n = 0; n < TURNS; n++) {
    if (n % 200 == 199)
      sleep_for(3e-4); /* the other one sleeps */
    wait_word_set(&w, 2 * n + 1);
    cr_assert_eq(wait_word_leave(&w, 2 * n + 1), 2 * n + 2);
  }
  pthread_join(thread, NULL);
}

/* app/base/parallel_text.h */
#include "app/base/parallel_text.h"

#include <criterion/criterion.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Rows of 0 to `most` bytes, whose lengths and letters follow from their numbers. */
static size_t length_of(size_t most, int32_t row) {
  return (size_t)row * 7919 % (most + 1);
}

static char letter_of(int32_t row) {
  return (char)('a' + row % 23);
}

static char *put_rows(char *to, int32_t first, int32_t count, const void *context) {
  const size_t most = *(const size_t *)context;
  for (int32_t i = first; i < first + count; i++)
    to = (char *)memset(to, letter_of(i), length_of(most, i)) + length_of(most, i);
  return to;
}

/* Where they arrive. */
typedef struct arrivals {
  char *bytes;
  size_t count, room;
  pthread_t caller;
  int strange;
} arrivals;

static void take(void *to, const char *bytes, size_t count) {
  arrivals *a = to;
  a->strange += !pthread_equal(pthread_self(), a->caller) || count > a->room - a->count;
  if (count > a->room - a->count)
    return;
  memcpy(a->bytes + a->count, bytes, count);
  a->count += count;
}

/* Whether so many rows come whole, in their order, and to the thread that asked. */
static bool rows_come(int threads, size_t most, int32_t count) {
  size_t length = 0;
  for (int32_t i = 0; i < count; i++)
    length += length_of(most, i);
  arrivals a = {.bytes = malloc(length + 1), .room = length, .caller = pthread_self()};
  if (a.bytes == NULL)
    return false;
  parallel_text_write(&(parallel_text){put_rows, &most, most, take, &a}, threads, count);
  bool are_right = a.count == length && a.strange == 0;
  const char *at = a.bytes;
  for (int32_t i = 0; are_right && i < count; i++)
    for (size_t n = 0; n < length_of(most, i); n++)
      are_right = are_right && *at++ == letter_of(i);
  free(a.bytes);
  return are_right;
}

Test(parallel_text, rows_come_whole_and_in_their_order_on_any_number_of_threads) {
  static const size_t sizes[] = {1, 13, 191, 1000, TEXT_ROW_MAX};
  static const int threads[] = {1, 2, 3, 8, 256};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
      const int32_t many = (int32_t)((8 << 20) / sizes[s]) + 7;
      const int32_t counts[] = {0, 1, 2, many / 100, many};
      for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        cr_expect(rows_come(threads[t], sizes[s], counts[n]), "%ld rows of %zu bytes on %d threads",
                  (long)counts[n], sizes[s], threads[t]);
    }
}

/* Each row has a place of `most` bytes of its own, all of which may be changed. */
static char *put_spoiling(char *to, int32_t first, int32_t count, const void *context) {
  const size_t most = *(const size_t *)context;
  memset(to, '#', most * (size_t)count);
  return put_rows(to, first, count, context);
}

Test(parallel_text, what_is_changed_behind_a_row_is_in_no_other) {
  size_t most = 300, length = 0;
  enum { ROWS = 20000 };
  for (int32_t i = 0; i < ROWS; i++)
    length += length_of(most, i);
  for (int threads = 1; threads <= 4; threads++) {
    arrivals a = {.bytes = malloc(length), .room = length, .caller = pthread_self()};
    cr_assert_not_null(a.bytes);
    parallel_text_write(&(parallel_text){put_spoiling, &most, most, take, &a}, threads, ROWS);
    cr_expect_eq(a.count, length);
    cr_expect(memchr(a.bytes, '#', a.count) == NULL, "%d threads", threads);
    free(a.bytes);
  }
}

/* ------------------------------------------------------------------------------------------------- threads */

static atomic_int writing, most_writing;

/* Waits until another thread writes rows too, but not beyond a time. */
static char *put_together(char *to, int32_t first, int32_t count, const void *context) {
  const size_t most = 100;
  const int now = atomic_fetch_add(&writing, 1) + 1;
  if (now > atomic_load(&most_writing))
    atomic_store(&most_writing, now);
  while (atomic_load(&most_writing) < 2 && time(NULL) < *(const time_t *)context)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  to = put_rows(to, first, count, &most);
  atomic_fetch_sub(&writing, 1);
  return to;
}

Test(parallel_text, two_threads_write_at_once) {
#ifndef MSD_TEST_THREADS
  cr_skip_test("this build has no threads");
#endif
  enum { ROWS = 40000, MOST = 100 };
  const time_t end = time(NULL) + 10;
  arrivals a = {.bytes = malloc(MOST * ROWS), .room = MOST * ROWS, .caller = pthread_self()};
  cr_assert_not_null(a.bytes);
  parallel_text_write(&(parallel_text){put_together, &end, MOST, take, &a}, 2, ROWS);
  cr_expect_eq(atomic_load(&most_writing), 2);
  free(a.bytes);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* Address space for this thread and so many bytes more; 77 where that cannot be had. */
static int rows_come_within(rlim_t more, int32_t rows) {
  const pid_t child = fork();
  cr_assert(child >= 0);
  if (child == 0) {
    FILE *statm = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    const bool known = statm != NULL && fscanf(statm, "%lu", &pages) == 1;
    const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    if (!known || setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0)
      _exit(77);
    _exit(rows_come(8, 191, rows) ? 0 : 1);
  }
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status), "ended by a signal");
  return WEXITSTATUS(status);
}

/* For the stacks of two or three threads, and then for none; the rows themselves take a MB. */
Test(parallel_text, threads_and_memory_that_cannot_be_had_are_done_without) {
  const int threads = rows_come_within((rlim_t)20 << 20, 10000),
            memory = rows_come_within((rlim_t)2 << 20, 10000);
  if (threads == 77 || memory == 77)
    cr_skip_test("no /proc to learn the present size from");
  cr_expect_eq(threads, 0);
  cr_expect_eq(memory, 0);
}

/* Stacks of more threads than a C library keeps when they end: what the rows take must not be missing where
   these are started again. */
Test(parallel_text, memory_that_just_suffices_for_threads_is_not_taken_from_them) {
  for (rlim_t quarters = 4 * 40; quarters <= 4 * 72; quarters++) {
    const int result = rows_come_within(quarters << 18, 30000);
    if (result == 77)
      cr_skip_test("no /proc to learn the present size from");
    cr_expect_eq(result, 0);
  }
}

#endif

Test(parallel_text, errors_stay_with_the_stream) {
  size_t most = 100;
  for (int threads = 1; threads <= 2; threads++) {
    FILE *full = fopen("/dev/full", "wb");
    if (full == NULL)
      cr_skip_test("this system has no /dev/full");
    parallel_text_write(&(parallel_text){put_rows, &most, most, parallel_text_to_stream, full}, threads,
                        100000);
    cr_expect(ferror(full), "%d threads", threads);
    fclose(full);
  }
}

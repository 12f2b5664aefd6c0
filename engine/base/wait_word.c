#define _DEFAULT_SOURCE /* syscall, clock_gettime */
#include "engine/base/wait_word.h"

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif !defined(_WIN32) && defined(_OPENMP)
#include <pthread.h>
#endif

/* A thread spins for SPIN_SECONDS before it sleeps, about as long as it takes to fall asleep and to wake up.
   The first pauses take about a microsecond and read no clock. */
static const double SPIN_SECONDS = 1e-4;
enum { FIRST_PAUSES = 32, PAUSES_PER_READING = 16 };

static _Thread_local double seconds_waited;

/* A jump in the time of day would spoil measurements. */
double parallel_clock(void) {
#ifdef _WIN32
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  return (double)now.QuadPart / (double)frequency.QuadPart;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

void relax_processor(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#endif
}

double wait_word_seconds(void) {
  return seconds_waited;
}

/* ------------------------------------------------------------------------------------------------- sleep */

/* sleep_while returns when the state is not `state`, or earlier. wake uses only the address of the word. */
#if defined(__linux__)

static void sleep_while(wait_word *w, unsigned state) {
  syscall(SYS_futex, &w->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL, 0);
}

static void wake(wait_word *w) {
  syscall(SYS_futex, &w->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#elif defined(_WIN32) || defined(_OPENMP)

/* Threads sleep on a condition variable that several words share, chosen by address. A thread that is awoken
   for another word looks at its own, and sleeps again. */
#ifdef _WIN32
typedef SRWLOCK lock_type;
typedef CONDITION_VARIABLE condition_type;
#define LOCK_INIT             SRWLOCK_INIT
#define CONDITION_INIT        CONDITION_VARIABLE_INIT
#define LOCK                  AcquireSRWLockExclusive
#define UNLOCK                ReleaseSRWLockExclusive
#define WAIT(condition, lock) SleepConditionVariableSRW(condition, lock, INFINITE, 0)
#define WAKE_ALL              WakeAllConditionVariable
#else
typedef pthread_mutex_t lock_type;
typedef pthread_cond_t condition_type;
#define LOCK_INIT      PTHREAD_MUTEX_INITIALIZER
#define CONDITION_INIT PTHREAD_COND_INITIALIZER
#define LOCK           pthread_mutex_lock
#define UNLOCK         pthread_mutex_unlock
#define WAIT           pthread_cond_wait
#define WAKE_ALL       pthread_cond_broadcast
#endif

typedef struct bed {
  lock_type lock;
  condition_type condition;
} bed;

#define BED                                                                                                  \
  { LOCK_INIT, CONDITION_INIT }
static bed beds[] = {BED, BED, BED, BED, BED, BED, BED, BED, BED, BED, BED, BED, BED, BED, BED, BED};

static bed *bed_of(const wait_word *w) {
  return &beds[(uintptr_t)w / sizeof *w % (sizeof beds / sizeof *beds)];
}

static void sleep_while(wait_word *w, unsigned state) {
  bed *b = bed_of(w);
  LOCK(&b->lock);
  while (atomic_load_explicit(&w->state, memory_order_acquire) == state)
    WAIT(&b->condition, &b->lock);
  UNLOCK(&b->lock);
}

static void wake(wait_word *w) {
  bed *b = bed_of(w);
  LOCK(&b->lock);
  WAKE_ALL(&b->condition);
  UNLOCK(&b->lock);
}

#else

/* A library without a thread library: only the threads of a host wait, and not for long. */
static void sleep_while(wait_word *w, unsigned state) {
  (void)w, (void)state;
  nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void wake(wait_word *w) {
  (void)w;
}

#endif

/* ------------------------------------------------------------------------------------------------- words */

enum { SLEEPS = 1 };

static unsigned value_of(unsigned state) {
  return state >> 1;
}

void wait_word_begin(wait_word *w, unsigned value) {
  atomic_init(&w->state, value << 1);
}

unsigned wait_word_get(const wait_word *w) {
  return value_of(atomic_load_explicit(&w->state, memory_order_acquire));
}

void wait_word_set(wait_word *w, unsigned value) {
  if (atomic_exchange_explicit(&w->state, value << 1, memory_order_acq_rel) & SLEEPS)
    wake(w);
}

bool wait_word_replace(wait_word *w, unsigned from, unsigned to) {
  unsigned state = atomic_load_explicit(&w->state, memory_order_relaxed);
  while (value_of(state) == from)
    if (atomic_compare_exchange_weak_explicit(&w->state, &state, to << 1, memory_order_acq_rel,
                                              memory_order_relaxed)) {
      if (state & SLEEPS)
        wake(w);
      return true;
    }
  return false;
}

static bool changes_within(const wait_word *w, unsigned value, int pauses) {
  for (int n = 0; n < pauses; n++) {
    if (wait_word_get(w) != value)
      return true;
    relax_processor();
  }
  return false;
}

static void sleep_on(wait_word *w, unsigned value) {
  unsigned state = value << 1;
  const unsigned asleep = value << 1 | SLEEPS;
  if (atomic_compare_exchange_strong_explicit(&w->state, &state, asleep, memory_order_relaxed,
                                              memory_order_relaxed) ||
      state == asleep)
    sleep_while(w, asleep);
}

unsigned wait_word_leave(wait_word *w, unsigned value) {
  if (!changes_within(w, value, FIRST_PAUSES)) {
    const double start = parallel_clock();
    bool changes = false;
    while (!changes && parallel_clock() - start < SPIN_SECONDS)
      changes = changes_within(w, value, PAUSES_PER_READING);
    while (wait_word_get(w) == value)
      sleep_on(w, value);
    seconds_waited += parallel_clock() - start;
  }
  return wait_word_get(w);
}

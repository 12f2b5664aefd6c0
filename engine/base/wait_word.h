/* Waiting for a number that another thread changes: by spinning for a short time, then asleep, so that the
   processor is free for other threads. */
#ifndef MSD_ENGINE_BASE_WAIT_WORD_H
#define MSD_ENGINE_BASE_WAIT_WORD_H

#include <stdatomic.h>
#include <stdbool.h>

/* Initially all zeros: the value 0. Values are at most INT_MAX. */
typedef struct wait_word {
  /* Twice the value; the lowest bit is set while threads sleep. */
  _Alignas(64) atomic_uint state;
} wait_word;

/* Before other threads know the word. */
void wait_word_begin(wait_word *w, unsigned value);

/* Writes made before the value was set are visible to the threads that get it. */
unsigned wait_word_get(const wait_word *w);

/* Sets the value, and wakes the threads that wait. The word is not accessed once a thread can see the new
   value, so that thread may free it. */
void wait_word_set(wait_word *w, unsigned value);

/* The same, if the value is `from`. Returns whether it was. */
bool wait_word_replace(wait_word *w, unsigned from, unsigned to);

/* Waits while the value is `value`, and returns the new one. */
unsigned wait_word_leave(wait_word *w, unsigned value);

/* The total time that this thread has waited in wait_word_leave, in s. Waits below a microsecond do not
   count. */
double wait_word_seconds(void);

/* Seconds of a monotonic clock. */
double parallel_clock(void);

/* For loops that wait without sleeping: lets the other thread of a core run. */
void relax_processor(void);

#endif

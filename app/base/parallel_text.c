#include "app/base/parallel_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* One thread takes what all have written: with more than a few the others would wait for it. A thread takes
   part where it has so many chunks to write; each has room for two, so that all go on while one is taken. A
   thread alone has a chunk that stays in the nearest cache. */
enum { THREADS_MOST = 8, PLACES_MOST = 2 * THREADS_MOST + 2, SHARE_LEAST = 4 };
enum { CHUNK_BYTES = 1 << 17, ALONE_BYTES = 1 << 15 };

/* Chunks of so many rows, that are begun in their order; each is written at the place of its number among
   those that there is room for. */
typedef struct team {
  const parallel_text *rows;
  int32_t count, rows_of_chunk, chunks;
  /* How many chunks there is room for. */
  int32_t places;
  char *bytes;
  pthread_mutex_t lock;
  /* A chunk has been written, or taken. */
  pthread_cond_t change;
  /* From here on guarded by the lock. */
  int32_t begun, taken;
  /* Of each place, once its chunk is written; 0: not yet. One more than there are bytes. */
  size_t ends[PLACES_MOST];
} team;

static char *place_of(const team *t, int32_t chunk) {
  return t->bytes + (size_t)(chunk % t->places) * CHUNK_BYTES;
}

static bool may_begin(const team *t) {
  return t->begun < t->chunks && t->begun - t->taken < t->places;
}

/* Begins the next chunk and writes it; under the lock, which is free meanwhile. */
static void write_next(team *t) {
  const int32_t chunk = t->begun++, first = chunk * t->rows_of_chunk, left = t->count - first;
  pthread_mutex_unlock(&t->lock);
  char *bytes = place_of(t, chunk);
  const char *end =
      t->rows->put(bytes, first, left < t->rows_of_chunk ? left : t->rows_of_chunk, t->rows->context);
  pthread_mutex_lock(&t->lock);
  t->ends[chunk % t->places] = (size_t)(end - bytes) + 1;
  pthread_cond_broadcast(&t->change);
}

static void take_next(team *t, size_t count) {
  pthread_mutex_unlock(&t->lock);
  t->rows->take(t->rows->to, place_of(t, t->taken), count);
  pthread_mutex_lock(&t->lock);
  t->ends[t->taken % t->places] = 0;
  t->taken++;
  pthread_cond_broadcast(&t->change);
}

/* The thread of the caller: it takes what is next, and writes while that is not there. */
static void lead(team *t) {
  pthread_mutex_lock(&t->lock);
  while (t->taken < t->chunks) {
    const size_t end = t->ends[t->taken % t->places];
    if (end > 0)
      take_next(t, end - 1);
    else if (may_begin(t))
      write_next(t);
    else
      pthread_cond_wait(&t->change, &t->lock);
  }
  pthread_mutex_unlock(&t->lock);
}

/* Other threads write as long as there is something to write. */
static void *help(void *context) {
  team *t = context;
  pthread_mutex_lock(&t->lock);
  while (t->begun < t->chunks)
    if (may_begin(t))
      write_next(t);
    else
      pthread_cond_wait(&t->change, &t->lock);
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

/* Threads are started for each file, which takes less time than a chunk. */
static void run_team(team *t, int threads) {
  pthread_t helpers[THREADS_MOST];
  int started = 0;
  while (started < threads - 1 && pthread_create(&helpers[started], NULL, help, t) == 0)
    started++;
  lead(t);
  for (int n = 0; n < started; n++)
    pthread_join(helpers[n], NULL);
}

static void write_alone(const parallel_text *rows, int32_t count) {
  char bytes[ALONE_BYTES];
  const int32_t fitting = ALONE_BYTES / (int32_t)rows->most;
  for (int32_t first = 0, some; first < count; first += some) {
    some = count - first < fitting ? count - first : fitting;
    const char *end = rows->put(bytes, first, some, rows->context);
    rows->take(rows->to, bytes, (size_t)(end - bytes));
  }
}

void parallel_text_write(const parallel_text *rows, int threads, int32_t count) {
  team t = {.rows = rows,
            .count = count,
            .rows_of_chunk = CHUNK_BYTES / (int32_t)rows->most,
            .lock = PTHREAD_MUTEX_INITIALIZER,
            .change = PTHREAD_COND_INITIALIZER};
  t.chunks = count / t.rows_of_chunk + (count % t.rows_of_chunk > 0);
  const int shares = t.chunks / SHARE_LEAST, most = shares < THREADS_MOST ? shares : THREADS_MOST;
  threads = threads < most ? threads : most;
  t.places = 2 * threads + 2;
  t.bytes = threads > 1 ? malloc((size_t)t.places * CHUNK_BYTES) : NULL;
  if (t.bytes)
    run_team(&t, threads);
  else
    write_alone(rows, count);
  free(t.bytes);
  pthread_cond_destroy(&t.change);
  pthread_mutex_destroy(&t.lock);
}

void parallel_text_to_stream(void *stream, const char *bytes, size_t count) {
  fwrite(bytes, 1, count, stream);
}

#include "python/binding/binding.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Header of each block of memory, in ALIGNMENT bytes before it. */
typedef struct kept {
  struct kept *next;
} kept;

enum { ALIGNMENT = 64, MESSAGE_MAX = 1024 };

struct msdpy_memory {
  int users, views;
  /* Blocks that were freed while there were views. */
  kept *late;
};

/* Protects the counts and lists of all memories. It is locked for a few instructions only, and unlocked in a
   forked child. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
  pthread_mutex_lock(&mutex);
}

static void unlock(void) {
  pthread_mutex_unlock(&mutex);
}

static void handle_forks(void) {
  pthread_atfork(lock, unlock, unlock);
}

static void *allocate(size_t bytes, void *context) {
  (void)context;
  if (bytes > SIZE_MAX - 2 * ALIGNMENT)
    return NULL;
  const size_t size = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *memory = aligned_alloc(ALIGNMENT, size);
  return memory ? memory + ALIGNMENT : NULL;
}

static void release(void *memory, void *context) {
  msdpy_memory *m = context;
  if (!memory)
    return;
  kept *block = (kept *)(void *)((char *)memory - ALIGNMENT);
  lock();
  const bool is_viewed = m->views > 0;
  if (is_viewed) {
    block->next = m->late;
    m->late = block;
  }
  unlock();
  if (!is_viewed)
    free(block);
}

msdpy_memory *msdpy_memory_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, handle_forks);
  msdpy_memory *m = calloc(1, sizeof *m);
  if (m)
    m->users = 1;
  return m;
}

void msdpy_memory_join(msdpy_memory *m) {
  lock();
  m->users++;
  unlock();
}

/* Decreases both counts, and frees the blocks that no array views any more. */
static void leave(msdpy_memory *m, int views) {
  lock();
  m->views -= views;
  kept *late = NULL;
  if (m->views == 0) {
    late = m->late;
    m->late = NULL;
  }
  const bool is_last = --m->users == 0;
  unlock();
  while (late) {
    kept *next = late->next;
    free(late);
    late = next;
  }
  if (is_last)
    free(m);
}

void msdpy_memory_leave(msdpy_memory *m) {
  leave(m, 0);
}

void msdpy_view_begin(msdpy_memory *m) {
  lock();
  m->users++;
  m->views++;
  unlock();
}

void msdpy_view_end(msdpy_memory *m) {
  leave(m, 1);
}

static _Thread_local char last_message[MESSAGE_MAX];

static void keep_message(const char *message, void *context) {
  (void)context;
  snprintf(last_message, sizeof last_message, "%s", message);
}

void msdpy_equip(msd_world_def *def, msdpy_memory *memory) {
  def->allocator = (msd_allocator){allocate, release, memory};
  def->log = keep_message;
}

void msdpy_close_world(msd_world *world, msdpy_memory *memory) {
  msd_destroy_world(world);
  msdpy_memory_leave(memory);
}

void msdpy_take_message(char *text, size_t size) {
  snprintf(text, size, "%s", last_message);
  last_message[0] = '\0';
}

void msdpy_read_reals(const msd_world *world, msd_real (*read)(const msd_world *world, int32_t item),
                      int32_t first, int32_t count, msd_real *to) {
  for (int32_t i = 0; i < count; i++)
    to[i] = read(world, first + i);
}

void msdpy_read_doubles(const msd_world *world, double (*read)(const msd_world *world, int32_t item),
                        int32_t first, int32_t count, double *to) {
  for (int32_t i = 0; i < count; i++)
    to[i] = read(world, first + i);
}

void msdpy_read_bools(const msd_world *world, bool (*read)(const msd_world *world, int32_t item),
                      int32_t first, int32_t count, bool *to) {
  for (int32_t i = 0; i < count; i++)
    to[i] = read(world, first + i);
}

bool msdpy_accepts(void *context, msd_object type, int32_t index) {
  const msdpy_accepted *a = context;
  return type == MSD_OBJECT_COLLIDER ? a->colliders[index] : a->collision_meshes[index];
}

void msdpy_read_destroyed(const msd_world *world, msd_object item, int32_t count, bool *to) {
  for (int32_t i = 0; i < count; i++)
    to[i] = msd_object_is_destroyed(world, item, i);
}

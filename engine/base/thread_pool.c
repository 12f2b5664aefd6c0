#define _GNU_SOURCE /* pthread_setaffinity_np */
#include "engine/base/thread_pool.h"

#ifdef _OPENMP

#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/base/wait_word.h"

#include <omp.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif

/* Bytes, where the default of the system is less. */
enum { STACK_LEAST = 1 << 20 };

/* The state of a thread is in the low bits of its mail. The rest is the number of the offer, so that a caller
   does not take the offer of another one for its own. */
enum { FREE, PREPARED, OFFERED, TAKEN, ENDED, STATE_BITS = 3, INDEX_BITS = 8, OFFERS = 1 << 20 };

typedef struct pool_thread {
  wait_word mail;
  msd_task_function call;
  void *context;
#ifndef _WIN32
  pthread_t id;
#endif
} pool_thread;

static pool_thread pool[PARALLEL_THREADS_MAX - 1];
static atomic_int thread_count;
static atomic_flag is_starting = ATOMIC_FLAG_INIT;

static unsigned mail_of(unsigned offer, unsigned state) {
  return offer << STATE_BITS | state;
}

static unsigned offer_in(unsigned mail) {
  return mail >> STATE_BITS;
}

static unsigned state_in(unsigned mail) {
  return mail & ((1u << STATE_BITS) - 1);
}

/* Runs the tasks of one thread until the pool ends. */
static void serve(pool_thread *t) {
  for (unsigned mail = wait_word_get(&t->mail); state_in(mail) != ENDED; mail = wait_word_get(&t->mail))
    if (state_in(mail) != OFFERED) {
      wait_word_leave(&t->mail, mail);
    } else if (wait_word_replace(&t->mail, mail, mail_of(offer_in(mail), TAKEN))) {
      t->call(t->context);
      wait_word_set(&t->mail, mail_of(offer_in(mail), FREE));
    }
}

/* --------------------------------------------------------------------------------------- system threads */

#ifdef _WIN32

static bool may_start_threads(void) {
  return true;
}

static DWORD WINAPI serve_thread(void *thread) {
  serve(thread);
  return 0;
}

/* The module stays loaded, as its code runs on the thread. */
static bool start(int n) {
  HMODULE module;
  GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                     (const char *)&thread_count, &module);
  const HANDLE thread = CreateThread(NULL, STACK_LEAST, serve_thread, &pool[n], 0, NULL);
  if (thread)
    CloseHandle(thread);
  return thread != NULL;
}

#else

static atomic_long threaded_process; /* the process whose pool has threads; 0: none */

static bool may_start_threads(void) {
  const long process = atomic_load(&threaded_process);
  return process == 0 || process == (long)getpid();
}

/* OMP_PROC_BIND and OMP_PLACES: threads are bound to successive places, or evenly distributed. The calling
   thread is at the first place. */
static void bind_thread(int n) {
#if defined(__linux__) && _OPENMP >= 201511
  const int places = omp_get_num_places(), threads = omp_get_max_threads();
  if (omp_get_proc_bind() == omp_proc_bind_false || places < 1)
    return;
  const bool spreads = omp_get_proc_bind() == omp_proc_bind_spread && threads < places;
  const int place = (spreads ? (n + 1) * places / threads : n + 1) % places;
  int processors[CPU_SETSIZE];
  if (omp_get_place_num_procs(place) > CPU_SETSIZE)
    return;
  omp_get_place_proc_ids(place, processors);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int p = 0; p < omp_get_place_num_procs(place); p++)
    CPU_SET((size_t)processors[p], &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
#else
  (void)n;
#endif
}

static void *serve_thread(void *thread) {
  pool_thread *own = thread;
  bind_thread((int)(own - pool));
  serve(own);
  return NULL;
}

/* The threads of the pool take no signals: handlers run on threads of the host. */
static bool start(int n) {
  sigset_t all, before;
  pthread_attr_t attributes;
  size_t stack = 0;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < (size_t)STACK_LEAST)
    pthread_attr_setstacksize(&attributes, STACK_LEAST);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool has_started = pthread_create(&pool[n].id, &attributes, serve_thread, &pool[n]) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (has_started)
    atomic_store(&threaded_process, (long)getpid());
  return has_started;
}

/* Ends the free threads when the library is unloaded or the program exits. Others have a task, whose caller may
   be the thread that exits. */
__attribute__((destructor)) static void end_pool(void) {
  const int count = may_start_threads() ? atomic_load(&thread_count) : 0;
  for (int n = 0; n < count; n++) {
    const unsigned mail = wait_word_get(&pool[n].mail);
    if (state_in(mail) == FREE && wait_word_replace(&pool[n].mail, mail, mail_of(offer_in(mail), ENDED)))
      pthread_join(pool[n].id, NULL);
  }
}

#endif

/* ---------------------------------------------------------------------------------------------- offers */

thread_offer thread_pool_offer(void) {
  if (omp_in_parallel() || !may_start_threads())
    return (thread_offer){1, 1};
  return (thread_offer){omp_get_thread_limit(), omp_get_max_threads()};
}

/* Makes an offer that the thread sees when it is prepared. Returns its number; 0: the thread is not free. */
static unsigned offer_to(pool_thread *t, msd_task_function call, void *context) {
  const unsigned mail = wait_word_get(&t->mail), offer = offer_in(mail) % OFFERS + 1;
  if (state_in(mail) != FREE || !wait_word_replace(&t->mail, mail, mail_of(offer, PREPARED)))
    return 0;
  t->call = call;
  t->context = context;
  wait_word_set(&t->mail, mail_of(offer, OFFERED));
  return offer;
}

/* Returns whether there is one thread more than `count`. */
static bool add_thread(int count) {
  if (count >= PARALLEL_THREADS_MAX - 1 || atomic_flag_test_and_set(&is_starting))
    return false;
  const bool is_added = atomic_load(&thread_count) == count && start(count);
  if (is_added)
    atomic_store(&thread_count, count + 1);
  atomic_flag_clear(&is_starting);
  return is_added;
}

/* A handle is the number of an offer, and that of its thread plus 1. */
static void *enqueue(msd_task_function call, void *task_context, void *context) {
  const int most = *(const int *)context;
  for (int n = 0; n < most; n++) {
    if (n == atomic_load(&thread_count) && !add_thread(n))
      return NULL;
    const unsigned offer = offer_to(&pool[n], call, task_context);
    if (offer > 0)
      return (void *)((uintptr_t)offer << INDEX_BITS | (uintptr_t)(n + 1));
  }
  return NULL;
}

static void finish(void *handle, void *context) {
  (void)context;
  const uintptr_t number = (uintptr_t)handle;
  pool_thread *t = &pool[(number & ((1u << INDEX_BITS) - 1)) - 1];
  const unsigned offer = (unsigned)(number >> INDEX_BITS), taken = mail_of(offer, TAKEN);
  if (!wait_word_replace(&t->mail, mail_of(offer, OFFERED), mail_of(offer, FREE)) &&
      wait_word_get(&t->mail) == taken)
    wait_word_leave(&t->mail, taken);
}

msd_tasks thread_pool_tasks(int threads) {
  static _Thread_local int most;
  most = int_min(int_max(threads, omp_get_max_threads()), PARALLEL_THREADS_MAX) - 1;
  return (msd_tasks){enqueue, finish, &most, threads};
}

#else

thread_offer thread_pool_offer(void) {
  return (thread_offer){1, 1};
}

msd_tasks thread_pool_tasks(int threads) {
  return (msd_tasks){.worker_count = threads};
}

#endif

#include "bench/peers/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES_MAX = 199, STEPS_MAX = 1 << 20 };

static bool fail(const char *what) {
  fprintf(stderr, "%s; 'msd bench --compare' starts this program\n", what);
  return false;
}

/* Engines may print to the standard output, which must carry only the answer: their output goes to
   /dev/null. */
static FILE *keep_output(void) {
  const int kept = dup(STDOUT_FILENO);
  if (kept < 0 || !freopen("/dev/null", "w", stdout))
    return NULL;
  return fdopen(kept, "wb");
}

void peer_free(peer_network *n) {
  if (n->output)
    fclose(n->output);
  free(n->particles);
  free(n->springs);
  *n = (peer_network){0};
}

static bool cannot_read(peer_network *n, const char *what) {
  peer_free(n);
  return fail(what);
}

bool peer_read(peer_network *n) {
  *n = (peer_network){.output = keep_output()};
  if (!n->output)
    return fail("the standard output is closed");
  peer_header *h = &n->header;
  if (fread(h, sizeof *h, 1, stdin) != 1 || h->magic != PEER_MAGIC || h->particles < 1 || h->springs < 0 ||
      h->samples < 1 || h->samples > SAMPLES_MAX)
    return cannot_read(n, "the standard input is not a network");
  const size_t particles = (size_t)h->particles, springs = (size_t)h->springs;
  n->particles = malloc(particles * sizeof *n->particles);
  n->springs = malloc((springs + 1) * sizeof *n->springs);
  if (!n->particles || !n->springs)
    return cannot_read(n, "out of memory");
  if (fread(n->particles, sizeof *n->particles, particles, stdin) != particles ||
      fread(n->springs, sizeof *n->springs, springs, stdin) != springs)
    return cannot_read(n, "the network on the standard input is incomplete");
  return true;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(const peer_engine *e, int steps) {
  const double start = seconds_now();
  e->step(e->engine, steps);
  return seconds_now() - start;
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static peer_answer take_times(const peer_header *h, const peer_engine *e) {
  int steps = 1;
  while (seconds_of(e, steps) * 2 < h->seconds && steps < STEPS_MAX)
    steps *= 2;
  double times[SAMPLES_MAX];
  for (int s = 0; s < h->samples; s++)
    times[s] = seconds_of(e, steps);
  qsort(times, (size_t)h->samples, sizeof *times, compare_times);
  return (peer_answer){PEER_MAGIC, times[0] / steps, times[h->samples / 2] / steps};
}

int peer_run(const peer_network *n, const peer_engine *e) {
  const size_t numbers = 3 * (size_t)n->header.particles;
  double *xyz = calloc(numbers, sizeof *xyz);
  if (!xyz) {
    fail("out of memory");
    return 1;
  }
  e->step(e->engine, n->header.checked_steps);
  e->positions(e->engine, xyz);
  const peer_answer answer = take_times(&n->header, e);
  const bool told = fwrite(xyz, sizeof *xyz, numbers, n->output) == numbers &&
                    fwrite(&answer, sizeof answer, 1, n->output) == 1 && fflush(n->output) == 0;
  free(xyz);
  return told ? 0 : 1;
}

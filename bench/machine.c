#include "bench/machine.h"

#include <msd/msd.h>

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* The width of the vector registers of the machine that builds: compilers split wider vectors through
   memory. */
#ifdef __AVX512F__
enum { FMA_BYTES = 64 };
#elif defined __AVX__
enum { FMA_BYTES = 32 };
#else
enum { FMA_BYTES = 16 };
#endif

enum {
  TRIAD_REALS = (1 << 26) / sizeof(msd_real),
  FMA_LANES = FMA_BYTES / sizeof(msd_real),
  FMA_CHAINS = 8,
  FMA_STEPS = 1 << 21
};

double machine_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int machine_threads(void) {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

static double triad_seconds(msd_real *a, const msd_real *b, const msd_real *c, int threads) {
  const double start = machine_clock();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (ptrdiff_t i = 0; i < TRIAD_REALS; i++)
    a[i] = b[i] + (msd_real)0.5 * c[i];
  (void)threads;
  return machine_clock() - start;
}

static double measure_triad(int threads, int samples) {
  msd_real *memory = malloc(3 * sizeof(msd_real) * (size_t)TRIAD_REALS);
  if (!memory)
    return 0;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (ptrdiff_t i = 0; i < TRIAD_REALS; i++)
    memory[i] = memory[i + TRIAD_REALS] = memory[i + 2 * (ptrdiff_t)TRIAD_REALS] = 1;
  double best = 0;
  for (int n = 0; n < samples; n++) {
    const double seconds =
        triad_seconds(memory, memory + TRIAD_REALS, memory + 2 * (size_t)TRIAD_REALS, threads);
    const double rate = 3.0 * sizeof(msd_real) * TRIAD_REALS / seconds;
    best = rate > best ? rate : best;
  }
  /* Uses the result, so that the compiler keeps the loop. */
  best = memory[TRIAD_REALS / 2] > 0 ? best : 0;
  free(memory);
  return best;
}

#ifdef __GNUC__
typedef msd_real fma_vector __attribute__((vector_size(FMA_LANES * sizeof(msd_real))));
#endif

/* Runs enough independent chains to hide the latency. */
static msd_real fma_work(void) {
  msd_real result = 0;
#ifdef __GNUC__
  fma_vector a[FMA_CHAINS];
  for (int chain = 0; chain < FMA_CHAINS; chain++)
    a[chain] = (fma_vector){0} + (msd_real)chain;
  const fma_vector b = (fma_vector){0} + (msd_real)0.999999, c = (fma_vector){0} + (msd_real)1e-6;
  for (int n = 0; n < FMA_STEPS; n++)
    for (int chain = 0; chain < FMA_CHAINS; chain++)
      a[chain] = a[chain] * b + c;
  for (int chain = 0; chain < FMA_CHAINS; chain++)
    result += a[chain][0];
#endif
  return result;
}

static double measure_fma(int threads, int samples) {
  double best = 0;
  for (int n = 0; n < samples; n++) {
    msd_real total = 0;
    const double start = machine_clock();
#pragma omp parallel num_threads(threads) reduction(+ : total)
    total += fma_work();
    const double seconds = machine_clock() - start;
    const double rate = 2.0 * FMA_LANES * FMA_CHAINS * (double)FMA_STEPS * threads / seconds;
    best = total != 0 && rate > best ? rate : best;
  }
  return best;
}

machine_limits machine_measure(int threads, int samples) {
  return (machine_limits){measure_triad(threads, samples), measure_fma(threads, samples)};
}

/* Limits of this machine, measured in the same run as the results that are compared with them. */
#ifndef MSD_BENCH_MACHINE_H
#define MSD_BENCH_MACHINE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct machine_limits {
  /* bytes/s of a = b + s c over arrays far larger than the caches, all threads, counting two reads and one
     write */
  double triad_bytes;
  /* floating point operations/s in msd_real, all threads, two for a fused multiply-add */
  double fma_flops;
} machine_limits;

/* The best of `samples` >= 1, each about 0.1 s. Zeros without memory. */
machine_limits machine_measure(int threads, int samples);

/* The number of threads that the machine offers. */
int machine_threads(void);

/* A monotonic clock, in s. */
double machine_clock(void);

#ifdef __cplusplus
}
#endif

#endif

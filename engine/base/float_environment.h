/* The floating-point environment of calls that compute. Deterministic results need rounding to nearest and
   denormal numbers. The host thread may use other settings: audio code and programs built with -ffast-math
   flush denormals, some use other rounding modes or traps. A worker thread keeps the environment that it was
   created with. So each public function that computes, and each worker thread, sets the default environment
   and restores the caller's. */
#ifndef MSD_ENGINE_BASE_FLOAT_ENVIRONMENT_H
#define MSD_ENGINE_BASE_FLOAT_ENVIRONMENT_H

#include <fenv.h>
#include <stdint.h>

typedef struct float_environment {
#if defined(__SSE__) || defined(__aarch64__)
  /* MXCSR or FPCR. */
  uint64_t control;
#else
  fenv_t all;
#endif
} float_environment;

/* Sets the default environment and returns the previous one. */
float_environment float_environment_enter(void);

/* Restores an environment, including its exception flags. */
void float_environment_leave(const float_environment *before);

/* The first line of a public function that computes: sets the default environment until it returns. */
#define DEFAULT_FLOAT_ENVIRONMENT                                                                            \
  const float_environment callers_environment __attribute__((cleanup(float_environment_leave), unused)) =    \
      float_environment_enter()

#endif

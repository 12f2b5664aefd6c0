#include "engine/base/float_environment.h"

#include <float.h>

/* Intermediate results of a wider type would be rounded differently, and results would not be
   deterministic. */
#if FLT_EVAL_METHOD != 0
#error "msd needs FLT_EVAL_METHOD 0: on i386 -msse2 -mfpmath=sse, on s390x -fexcess-precision=fast"
#endif

#if defined(__SSE__)

#include <xmmintrin.h>

/* Round to nearest, no flushing, every exception masked and none raised. */
enum { DEFAULT_CONTROL = 0x1f80, CONTROL_BITS = 0xffc0 };

static uint64_t get_control(void) {
  return _mm_getcsr();
}

static void set_control(uint64_t control) {
  _mm_setcsr((unsigned)control);
}

#elif defined(__aarch64__)

/* FPCR has no exception flags; all zero is round to nearest, no flushing, no traps. */
enum { DEFAULT_CONTROL = 0, CONTROL_BITS = 0x7ffffff };

static uint64_t get_control(void) {
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}

static void set_control(uint64_t control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

#endif

#if defined(__SSE__) || defined(__aarch64__)

/* Writing the register drains the pipeline, so it is written only if it differs. */
float_environment float_environment_enter(void) {
  const float_environment before = {get_control()};
  if ((before.control & CONTROL_BITS) != DEFAULT_CONTROL)
    set_control(DEFAULT_CONTROL);
  return before;
}

void float_environment_leave(const float_environment *before) {
  if ((before->control & CONTROL_BITS) != DEFAULT_CONTROL)
    set_control(before->control);
}

#else

float_environment float_environment_enter(void) {
  float_environment before;
  fegetenv(&before.all);
  fesetenv(FE_DFL_ENV);
  return before;
}

void float_environment_leave(const float_environment *before) {
  fesetenv(&before->all);
}

#endif

/* Tests of threads need them, even if the machine is so busy that one thread would be faster. */
#include "engine/base/parallel.h"

__attribute__((constructor)) static void require_all_threads(void) {
  parallel_require_all_threads(true);
}

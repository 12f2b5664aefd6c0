/* How much of a long test is taken. A sanitizer makes everything several times as slow, and looks at what a
   line of the sources does rather than for how long: there a part is enough, and so it is in double precision,
   whose lines are those of float. */
#ifndef MSD_TESTS_SUPPORT_SHARE_H
#define MSD_TESTS_SUPPORT_SHARE_H

#include <stdbool.h>

/* One of so many; set by the build. */
#ifndef MSD_TEST_SHARE
#define MSD_TEST_SHARE 1
#endif

/* For tests of what comes of a long run, which a part of it would not show. */
static const bool in_part = MSD_TEST_SHARE > 1;

/* Of so many frames or cases those that are taken: one at least. */
static inline int share_of(int count) {
  return (count + MSD_TEST_SHARE - 1) / MSD_TEST_SHARE;
}

#endif

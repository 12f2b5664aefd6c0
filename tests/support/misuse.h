/* Wrong values, and calls that must refuse them. */
#ifndef MSD_TESTS_MISUSE_H
#define MSD_TESTS_MISUSE_H

#include "tests/support/picture.h"

#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static const msd_real BAD[] = {(msd_real)NAN, (msd_real)INFINITY, (msd_real)-INFINITY};
enum { BAD_COUNT = 3 };

static const int32_t BAD_INDEX[] = {-1, 4, INT32_MAX, INT32_MIN};
enum { BAD_INDEX_COUNT = 4 };

static const msd_vec3 ORIGIN = {0, 0, 0};

static inline void expect_message(const msd_world *world, const char *part) {
  const char *message = msd_world_message(world);
  cr_expect(strstr(message, part) != NULL, "\"%s\" is not in the message \"%s\"", part, message);
  cr_expect(strpbrk(message, "\r\n") == NULL, "\"%s\" is more than a line", message);
}

/* A call must give `expected` and a message that contains `part`, and leave the world alone. */
#define REFUSED(world, call, expected, part)                                                                 \
  do {                                                                                                       \
    const picture before_ = take_picture(world);                                                             \
    const msd_result result_ = (call);                                                                       \
    cr_expect(result_ == (expected), "%s: %s", #call, msd_result_string(result_));                           \
    expect_message(world, part);                                                                             \
    cr_expect(is_unchanged(world, before_), "%s changed the world", #call);                                  \
  } while (0)

#endif

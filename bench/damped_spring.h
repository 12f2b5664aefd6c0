/* Speed of closed-form springs, compared with a copy of the same bytes. */
#ifndef MSD_BENCH_DAMPED_SPRING_H
#define MSD_BENCH_DAMPED_SPRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct damped_spring_speed {
  /* (x, v) pairs of float */
  size_t pairs;
  /* s to advance all critical springs by one step in place; the minimum of all rounds */
  double update_seconds;
  /* s of memcpy for the same 8 bytes a pair; the minimum of all rounds */
  double copy_seconds;
  /* copy_seconds / update_seconds: 1 is the speed of a copy */
  double ratio;
  /* read and written by the update: 16 bytes a pair */
  double bytes_per_second;
  /* of the final state: the same on every machine */
  uint64_t hash;
} damped_spring_speed;

/* Advances `pairs` critical springs and copies as many bytes, alternately, `rounds` times each after a warm-up.
   False without memory. 1e6 pairs and 60 rounds take about 0.1 s. */
bool bench_damped_spring(size_t pairs, int rounds, damped_spring_speed *out);

#endif

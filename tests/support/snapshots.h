/* Snapshots in memory, which tests take and restore. */
#ifndef MSD_TESTS_SUPPORT_SNAPSHOTS_H
#define MSD_TESTS_SUPPORT_SNAPSHOTS_H

#include <msd/msd.h>

#include <criterion/criterion.h>
#include <stdlib.h>

/* `data` is to be freed. */
typedef struct snapshot {
  unsigned char *data;
  size_t size;
} snapshot;

static inline snapshot snapshot_of(const msd_world *world) {
  snapshot s = {0};
  cr_assert_eq(msd_world_save(world, NULL, 0, &s.size), MSD_OK);
  s.data = malloc(s.size);
  cr_assert_not_null(s.data);
  size_t size = 0;
  cr_assert_eq(msd_world_save(world, s.data, s.size, &size), MSD_OK);
  cr_assert_eq(size, s.size);
  return s;
}

/* The same of its state alone. */
static inline snapshot saved_state_of(const msd_world *world) {
  snapshot s = {0};
  cr_assert_eq(msd_world_save_state(world, NULL, 0, &s.size), MSD_OK);
  s.data = malloc(s.size);
  cr_assert_not_null(s.data);
  cr_assert_eq(msd_world_save_state(world, s.data, s.size, &s.size), MSD_OK);
  return s;
}

#endif

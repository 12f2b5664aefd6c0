/* Questions that processes ask each other while they load parts of a scene, some of which come to an end before
   others. */
#include "scenes/loader/load_ranks.h"

#include "tests/support/rank_room.h"

#include <stdio.h>

enum { RANKS = 3, MANY = 70 };

static void fill(double *values, int rank) {
  for (int n = 0; n < MANY; n++)
    values[n] = n % RANKS == rank ? n : -n;
}

static void *ask_and_succeed(void *context) {
  room_seat *seat = context;
  const msd_ranks given = room_ranks(seat, 0);
  load_ranks loading;
  const msd_ranks *ranks = load_ranks_begin(&loading, &given);
  scene_error error = {.text = ""};
  double values[MANY];
  fill(values, seat->rank);
  ranks->largest(values, MANY, ranks->context);
  for (int n = 0; n < MANY; n++)
    cr_expect_eq(values[n], n);
  cr_expect(load_ranks_end(&loading, true, &error));
  /* What is asked behind the end is asked of all, with as many numbers as there are. */
  fill(values, seat->rank);
  ranks->largest(values, 5, ranks->context);
  cr_expect_eq(values[4], 4);
  return NULL;
}

Test(load_ranks, all_get_the_largest_numbers_while_they_load_and_behind_it) {
  rank_room room;
  room_begin_with(&room, RANKS, 0);
  room_run(&room, ask_and_succeed);
}

/* The rank that fails, and after how many questions of 1, 2, 3, ... numbers; the others ask QUESTIONS. */
enum { QUESTIONS = 4 };
static int failing, asked;

static void *ask_and_fail(void *context) {
  room_seat *seat = context;
  const bool fails = seat->rank == failing;
  const msd_ranks given = room_ranks(seat, 0);
  load_ranks loading;
  const msd_ranks *ranks = load_ranks_begin(&loading, &given);
  scene_error error = {.text = ""};
  double values[QUESTIONS] = {0};
  for (int n = 1; n <= (fails ? asked : QUESTIONS); n++)
    ranks->largest(values, n, ranks->context);
  if (fails)
    scene_fail(&error, "rank %d has no room", seat->rank);
  cr_expect_not(load_ranks_end(&loading, !fails, &error));
  char told[40];
  snprintf(told, sizeof told, "rank %d has no room", failing);
  cr_expect_str_eq(error.text, told);
  return NULL;
}

Test(load_ranks, one_that_fails_leaves_none_waiting_and_tells_all_why, .timeout = 60) {
  for (failing = 0; failing < RANKS; failing++)
    for (asked = 0; asked <= QUESTIONS; asked++) {
      rank_room room;
      room_begin_with(&room, RANKS, 0);
      room_run(&room, ask_and_fail);
    }
}

/* One has loaded all, where the others still have something to ask. */
static void *ask_too_little(void *context) {
  room_seat *seat = context;
  const msd_ranks given = room_ranks(seat, 0);
  load_ranks loading;
  const msd_ranks *ranks = load_ranks_begin(&loading, &given);
  scene_error error = {.text = ""};
  double values[QUESTIONS] = {0};
  for (int n = 1; n <= (seat->rank == failing ? 1 : QUESTIONS); n++)
    ranks->largest(values, n, ranks->context);
  cr_expect_not(load_ranks_end(&loading, true, &error));
  cr_expect_str_eq(error.text, "the processes have different scenes");
  return NULL;
}

Test(load_ranks, one_that_asks_less_than_others_has_another_scene, .timeout = 60) {
  for (failing = 0; failing < RANKS; failing++) {
    rank_room room;
    room_begin_with(&room, RANKS, 0);
    room_run(&room, ask_too_little);
  }
}

Test(load_ranks, a_process_alone_asks_nobody) {
  load_ranks loading;
  scene_error error;
  cr_expect_null(load_ranks_begin(&loading, NULL));
  cr_expect(load_ranks_end(&loading, true, &error));
  cr_expect_null(load_ranks_begin(&loading, NULL));
  cr_expect_not(load_ranks_end(&loading, false, &error));
}

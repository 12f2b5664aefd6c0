/* app/base/progress.c, and the bar of a run on a terminal. */
#define _XOPEN_SOURCE 700
#include "tests/support/command.h"

#include "app/base/progress.h"

#include <fcntl.h>
#include <signal.h>

TestSuite(progress, .init = command_setup, .fini = command_teardown);

Test(progress, a_line_tells_frames_rate_and_time_left) {
  char text[PROGRESS_COLUMNS + 1];
  progress_state state = {.frame = 60, .frames = 300, .seconds = 2, .springs_per_second = 6.2e8};
  progress_text("curtain", &state, text, sizeof text);
  cr_expect_str_eq(text, "curtain [####................]  20 %  60/300  620 M springs/s  8 s left");
}

Test(progress, time_left_counts_from_where_a_resumed_run_began) {
  char text[PROGRESS_COLUMNS + 1];
  progress_state state = {.frame = 200, .first_frame = 150, .frames = 300, .seconds = 5};
  progress_text("rope", &state, text, sizeof text);
  cr_expect_not_null(strstr(text, "10 s left"), "%s", text);
}

Test(progress, a_line_fits_the_terminal_whatever_it_says) {
  char text[PROGRESS_COLUMNS + 1];
  progress_state state = {
      .frame = 1, .frames = 9000000000000000, .seconds = 1e-3, .springs_per_second = 1.2345e12};
  progress_text("a scene whose name is far longer than any terminal is wide", &state, text, sizeof text);
  cr_expect_leq(strlen(text), PROGRESS_COLUMNS);
  cr_expect_eq(strchr(text, '\n'), NULL);
}

Test(progress, no_frames_at_all_is_all_done) {
  char text[PROGRESS_COLUMNS + 1];
  progress_state state = {.frame = 0};
  progress_text("rope", &state, text, sizeof text);
  cr_expect_not_null(strstr(text, "100 %"), "%s", text);
}

Test(progress, nothing_is_drawn_where_no_terminal_is) {
  command_result result = msd("run rope.json --duration 2000 --every 100");
  cr_expect_eq(result.status, 0);
  cr_expect_null(strchr(result.err, '\r'), "%s", result.err);
}

Test(progress, a_terminal_gets_a_bar_and_keeps_a_clean_line) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  cr_assert_geq(terminal, 0);
  cr_assert_eq(grantpt(terminal), 0);
  cr_assert_eq(unlockpt(terminal), 0);
  const char *other_end = ptsname(terminal);
  cr_assert_not_null(other_end);
  int err = open(other_end, O_RDWR | O_NOCTTY);
  cr_assert_geq(err, 0);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    if (chdir(command_folder) != 0 || freopen(".out", "w", stdout) == NULL || dup2(err, STDERR_FILENO) < 0)
      _exit(99);
    close(terminal);
    alarm(1000); /* ends it should this test fail */
    execl(MSD_COMMAND, "msd", "run", "rope.json", "--duration", "1e7", (char *)NULL);
    _exit(98);
  }
  close(err);

  char seen[8192];
  size_t length = 0;
  bool stopped = false;
  ssize_t count;
  while ((count = read(terminal, seen + length, sizeof seen - 1 - length)) > 0) {
    length += (size_t)count;
    seen[length] = '\0';
    if (!stopped && strstr(seen, "left") != NULL)
      stopped = kill(child, SIGINT) == 0;
  }
  int status = 0;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect_eq(exit_status(status), 130);
  const char *bar = strstr(seen, "\rrope [");
  cr_assert_not_null(bar, "%s", seen);
  cr_expect_not_null(strstr(seen, "springs/s"));
  cr_expect_eq(seen[length - 1], '\r', "the last line is not cleared");
  cr_expect_null(strchr(bar, '\n'));
}

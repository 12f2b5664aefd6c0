#include "app/base/mpi_shim.h"

#ifdef MSD_COMMAND_RANKS

#include "ranks/ranks.h"

#include <stdio.h>
#include <unistd.h>

/* MPI, too, is one for all of a program. `held`: what this process says, on the stream that was stderr. */
static struct {
  bool are_several;
  FILE *held;
  int terminal;
} processes;

/* Of all but the first: nothing is printed, and messages are held back. */
static void fall_silent(void) {
  fflush(stderr);
  processes.terminal = dup(STDERR_FILENO);
  processes.held = tmpfile();
  if (freopen("/dev/null", "w", stdout) == NULL || processes.held == NULL || processes.terminal < 0)
    return;
  dup2(fileno(processes.held), STDERR_FILENO);
}

void processes_begin(void) {
  if (!ranks_are_started())
    return;
  ranks_begin();
  processes.are_several = ranks_count() > 1;
  if (!processes_is_first())
    fall_silent();
}

static void say_held(void) {
  char text[4096];
  size_t count;
  fflush(stderr);
  rewind(processes.held);
  dup2(processes.terminal, STDERR_FILENO);
  while ((count = fread(text, 1, sizeof text, processes.held)) > 0)
    fwrite(text, 1, count, stderr);
  fflush(stderr);
}

int processes_end(int status) {
  if (!ranks_are_started())
    return status;
  /* The first that has failed is the one that is heard. */
  double values[] = {status, status != 0 ? -ranks_rank() : -ranks_count()};
  ranks_largest(values, 2);
  if (processes.held != NULL && -values[1] == ranks_rank())
    say_held();
  ranks_end();
  return (int)values[0];
}

int processes_count(void) {
  return processes.are_several ? ranks_count() : 1;
}

bool processes_is_first(void) {
  return !processes.are_several || ranks_rank() == 0;
}

double processes_largest(double value) {
  if (processes.are_several)
    ranks_largest(&value, 1);
  return value;
}

/* Whoever does not tell it gives zeros, which are the least that there is. */
void processes_share_text(bool has_failed, char *text, size_t size) {
  if (!processes.are_several)
    return;
  double first = has_failed ? -ranks_rank() : -ranks_count();
  ranks_largest(&first, 1);
  for (size_t at = 0; at < size; at++) {
    double letter = -first == ranks_rank() ? (unsigned char)text[at] : 0;
    ranks_largest(&letter, 1);
    text[at] = (char)(unsigned char)letter;
    if (letter == 0)
      break;
  }
}

msd_result processes_share(msd_world *world, int depth, bool in_parts) {
  if (!processes.are_several)
    return MSD_OK;
  const msd_ranks ranks = ranks_of_world(depth, in_parts);
  return msd_world_set_ranks(world, &ranks);
}

const msd_ranks *processes_ranks(int depth) {
  static msd_ranks ranks;
  if (!processes.are_several)
    return NULL;
  ranks = ranks_of_world(depth, false);
  return &ranks;
}

#else

void processes_begin(void) {
}

int processes_end(int status) {
  return status;
}

int processes_count(void) {
  return 1;
}

bool processes_is_first(void) {
  return true;
}

double processes_largest(double value) {
  return value;
}

void processes_share_text(bool has_failed, char *text, size_t size) {
  (void)has_failed, (void)text, (void)size;
}

msd_result processes_share(msd_world *world, int depth, bool in_parts) {
  (void)world, (void)depth, (void)in_parts;
  return MSD_OK;
}

const msd_ranks *processes_ranks(int depth) {
  (void)depth;
  return NULL;
}

#endif

bool processes_any(bool is_so) {
  return processes_largest(is_so) > 0;
}

bool processes_agree(uint64_t value) {
  const double halves[] = {(double)(value >> 32), (double)(value & UINT32_MAX)};
  bool same = true;
  for (int n = 0; n < 2; n++) {
    const double most = processes_largest(halves[n]), least = -processes_largest(-halves[n]);
    same = same && most == least;
  }
  return same;
}

bool processes_all_succeed(bool ok, problem *p) {
  if (!processes_any(!ok))
    return true;
  processes_share_text(!ok, p->text, sizeof p->text);
  return false;
}

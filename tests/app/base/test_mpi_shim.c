/* What the processes of one command say together: one line, whoever of them has failed. In the place of MPI
   stand processes that this one makes, which meet in memory that they share. */
#define MSD_COMMAND_RANKS
#include "app/base/mpi_shim.c"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { RANKS_MAX = 4, VALUES_MAX = 8, TEXT_MAX = 2048 };

/* What all of them share. */
typedef struct lobby {
  int count;
  pthread_barrier_t door;
  double values[RANKS_MAX][VALUES_MAX];
} lobby;

static lobby *shared;
static int own_rank;
static bool has_ended;

bool ranks_are_started(void) {
  return shared != NULL;
}

void ranks_begin(void) {
}

void ranks_end(void) {
  has_ended = true;
}

int ranks_rank(void) {
  return own_rank;
}

int ranks_count(void) {
  return shared->count;
}

void ranks_largest(double *values, int count) {
  memcpy(shared->values[own_rank], values, (size_t)count * sizeof *values);
  pthread_barrier_wait(&shared->door);
  for (int rank = 0; rank < shared->count; rank++)
    for (int n = 0; n < count; n++)
      values[n] = shared->values[rank][n] > values[n] ? shared->values[rank][n] : values[n];
  pthread_barrier_wait(&shared->door);
}

msd_ranks ranks_of_world(int depth, bool in_parts) {
  (void)in_parts;
  return (msd_ranks){.rank = own_rank, .count = shared->count, .depth = depth};
}

/* What a process does between begin and end; its exit status. */
typedef int command(void);

typedef struct said {
  char out[TEXT_MAX], err[TEXT_MAX];
  int status[RANKS_MAX];
} said;

static void read_back(FILE *file, char *text) {
  rewind(file);
  text[fread(text, 1, TEXT_MAX - 1, file)] = 0;
  fclose(file);
}

static void be_process(command *act, FILE *out, FILE *err) {
  dup2(fileno(out), STDOUT_FILENO);
  dup2(fileno(err), STDERR_FILENO);
  processes_begin();
  const int status = act();
  fflush(stdout);
  const int end = processes_end(status);
  fflush(stderr);
  _exit(has_ended || !shared ? end : 99);
}

/* Runs so many processes; 0: one that nobody has started among several. */
static said run(int count, command *act) {
  FILE *out = tmpfile(), *err = tmpfile();
  pid_t children[RANKS_MAX];
  said s = {.status = {0}};
  pthread_barrierattr_t across;
  pthread_barrierattr_init(&across);
  pthread_barrierattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
  lobby *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert(out && err && made != MAP_FAILED);
  made->count = count;
  pthread_barrier_init(&made->door, &across, count > 0 ? (unsigned)count : 1);
  const int processes_made = count > 0 ? count : 1;
  for (int rank = 0; rank < processes_made; rank++) {
    children[rank] = fork();
    if (children[rank] == 0) {
      shared = count > 0 ? made : NULL;
      own_rank = rank;
      be_process(act, out, err);
    }
  }
  for (int rank = 0; rank < processes_made; rank++) {
    int status;
    waitpid(children[rank], &status, 0);
    s.status[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : 98;
  }
  read_back(out, s.out);
  read_back(err, s.err);
  munmap(made, sizeof *made);
  return s;
}

static void assert_status(const said *s, int count, int wanted) {
  for (int rank = 0; rank < count; rank++)
    cr_assert_eq(s->status[rank], wanted, "rank %d of %d: status %d", rank, count, s->status[rank]);
}

static int succeed(void) {
  printf("result\n");
  fprintf(stderr, "warning\n");
  return 0;
}

static int fail(void) {
  fprintf(stderr, "no such scene\n");
  return 2;
}

static int fail_on_last(void) {
  if (processes_is_first())
    printf("result\n");
  if (own_rank < processes_count() - 1)
    return 0;
  fprintf(stderr, "no memory on the last\n");
  return 1;
}

/* Two have failed, each for a reason of its own; those of the others follow. */
static int fail_together(void) {
  problem p = {.text = ""};
  if (own_rank > 0)
    snprintf(p.text, sizeof p.text, "rank %d has no memory", own_rank);
  const bool ok = processes_all_succeed(own_rank == 0, &p);
  fprintf(stderr, "%s\n", p.text);
  return ok ? 5 : 1;
}

static int succeed_together(void) {
  problem p = {.text = "nothing"};
  return processes_all_succeed(true, &p) && strcmp(p.text, "nothing") == 0 ? 0 : 5;
}

Test(processes, the_first_alone_prints_and_warns) {
  for (int count = 0; count <= RANKS_MAX; count++) {
    const said s = run(count, succeed);
    cr_assert_str_eq(s.out, "result\n", "%d", count);
    cr_assert_str_eq(s.err, "warning\n", "%d", count);
    assert_status(&s, count, 0);
  }
}

Test(processes, what_all_have_to_say_is_said_once) {
  for (int count = 0; count <= RANKS_MAX; count++) {
    const said s = run(count, fail);
    cr_assert_str_eq(s.err, "no such scene\n", "%d", count);
    assert_status(&s, count, 2);
  }
}

Test(processes, what_only_one_has_to_say_is_heard) {
  for (int count = 1; count <= RANKS_MAX; count++) {
    const said s = run(count, fail_on_last);
    cr_assert_str_eq(s.err, "no memory on the last\n", "%d", count);
    cr_assert_str_eq(s.out, "result\n", "%d", count);
    assert_status(&s, count, 1);
  }
}

Test(processes, a_reason_becomes_that_of_all) {
  for (int count = 2; count <= RANKS_MAX; count++) {
    const said s = run(count, fail_together);
    cr_assert_str_eq(s.err, "rank 1 has no memory\n", "%d", count);
    assert_status(&s, count, 1);
  }
}

Test(processes, none_has_a_reason_where_all_succeed) {
  for (int count = 1; count <= RANKS_MAX; count++) {
    const said s = run(count, succeed_together);
    assert_status(&s, count, 0);
  }
}

static int compare_numbers(void) {
  const bool right = processes_largest(10 - own_rank) == 10 &&
                     processes_any(own_rank == processes_count() - 1) && !processes_any(false) &&
                     processes_is_first() == (own_rank == 0);
  return right ? 0 : 3;
}

Test(processes, all_know_the_largest_and_whether_something_is_so_in_any) {
  for (int count = 1; count <= RANKS_MAX; count++) {
    const said s = run(count, compare_numbers);
    assert_status(&s, count, 0);
  }
}

/* One bit of one of them, of either half, is another number. */
static int agree(void) {
  const bool is_last = own_rank > 0 && own_rank == processes_count() - 1;
  const bool are_alone = processes_count() == 1;
  const uint64_t value = UINT64_C(0x123456789abcdef0);
  const bool right = processes_agree(value) && processes_agree(UINT64_MAX) && processes_agree(0) &&
                     processes_agree(value ^ (is_last ? UINT64_C(1) << 40 : 0)) == are_alone &&
                     processes_agree(value ^ (is_last ? 1 : 0)) == are_alone;
  return right ? 0 : 3;
}

Test(processes, all_know_whether_they_have_the_same_number) {
  for (int count = 1; count <= RANKS_MAX; count++) {
    const said s = run(count, agree);
    assert_status(&s, count, 0);
  }
}

/* Where several are there, a world is told. */
static int share_world(void) {
  const bool are_several = processes_count() > 1;
  const msd_result result = processes_share(NULL, 3, false);
  return result == (are_several ? MSD_BAD_VALUE : MSD_OK) ? 0 : 4;
}

Test(processes, a_world_is_shared_among_several_alone) {
  for (int count = 0; count <= 2; count++) {
    const said s = run(count, share_world);
    assert_status(&s, count > 0 ? count : 1, 0);
  }
}

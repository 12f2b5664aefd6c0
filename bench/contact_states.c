/* contact_states [STATE... | --alone STATE THREADS [bare]]: the time of a frame in a few states of a cloth,
   with collision meshes and without, on one thread and on two. Prints the table of bench/notes/contact.md, or
   the rows of the named states. --alone runs one state in one configuration, for profilers; `bare` leaves out
   the collision meshes. Exit status: 0 done, 1 a call failed or the numbers of threads give different states, 2
   bad usage. */
#include "bench/contact_speed.h"
#include "bench/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Interleaved runs of each state, all from its initial configuration. */
enum { RUNS = 3, FRAMES_MOST = 64, WAYS = 4 };

/* Frames before the measurement, and measured frames. */
static const contact_case states[] = {
    {"falling", CONTACT_FALL, 100, 100, 2, 15},    {"hanging", CONTACT_HANG, 100, 100, 30, 15},
    {"crumple", CONTACT_CRUMPLE, 100, 100, 0, 12}, {"collapsed", CONTACT_CRUMPLE, 100, 100, 20, 4},
    {"pile", CONTACT_CRUMPLE, 100, 100, 140, 20},  {"folded", CONTACT_FOLD, 100, 100, 15, 5},
    {"resting", CONTACT_FOLD, 100, 100, 60, 20},   {"falling_on_bar", CONTACT_DRAPE, 1000, 1000, 1, 2},
    {"twist", CONTACT_TWIST, 50, 50, 200, 10},     {"wrung", CONTACT_TWIST, 50, 50, 590, 10},
};
enum { STATES = sizeof states / sizeof *states };

/* Runs 0 and 2 have collision meshes; runs 0 and 1 use one thread, 2 and 3 use two. */
static bool has_contact(int way) {
  return way % 2 == 0;
}

static int threads_of(int way) {
  return 1 + way / 2;
}

typedef struct run_times {
  /* Time of each frame in s: wall time, and CPU time of all threads. */
  double wall[FRAMES_MOST], processor[FRAMES_MOST];
  int32_t contacts;
  uint64_t hash;
} run_times;

static double processor_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A snapshot of a case before the last warm-up frames, with collision meshes (1) or without (0). */
typedef struct warm_state {
  const contact_case *of;
  void *bytes;
  size_t size;
} warm_state;

static warm_state warm[2];

/* The warm-up frames that every run repeats. */
static int last_frames(const contact_case *c) {
  return c->warm_frames < 10 ? c->warm_frames : 10;
}

/* Runs the warm-up frames except the last ones, or restores the snapshot of an earlier run of this case. Every
   run repeats the last ones, in which the world chooses its number of threads and builds its neighbor list. */
static msd_result warm_up(contact_scene *s, const contact_case *c, warm_state *w) {
  msd_world *world = s->world;
  msd_result result = w->of == c ? msd_world_restore(world, w->bytes, w->size) : MSD_OK;
  for (int frame = last_frames(c); frame < c->warm_frames && result == MSD_OK && w->of != c; frame++)
    result = contact_scene_step(s);
  if (result == MSD_OK && w->of != c && msd_world_save(world, NULL, 0, &w->size) == MSD_OK) {
    free(w->bytes);
    w->bytes = malloc(w->size);
    w->of = w->bytes && msd_world_save(world, w->bytes, w->size, &w->size) == MSD_OK ? c : NULL;
  }
  return result;
}

/* False if a step fails. */
static bool run(const contact_case *c, int threads, bool with_contact, run_times *out) {
  contact_scene s;
  msd_result result = contact_open(&s, c, threads, with_contact);
  if (result == MSD_OK)
    result = warm_up(&s, c, &warm[with_contact]);
  for (int frame = -last_frames(c); frame < c->frames && result == MSD_OK; frame++) {
    const double wall = machine_clock(), processor = processor_clock();
    result = contact_scene_step(&s);
    if (frame >= 0) {
      out->wall[frame] = machine_clock() - wall;
      out->processor[frame] = processor_clock() - processor;
    }
  }
  if (result == MSD_OK) {
    out->contacts = msd_world_get_stats(s.world).contacts;
    out->hash = msd_world_hash(s.world);
  } else {
    fprintf(stderr, "contact_states: %s: %s\n", c->name, s.world ? msd_world_message(s.world) : "no memory");
  }
  contact_close(&s);
  return result == MSD_OK;
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The mean over the measured frames in ms, where each frame has the minimum or the median of its times in all
   runs. */
static double frame_time(const contact_case *c, run_times (*runs)[WAYS], int count, int way, bool of_wall,
                         bool median) {
  double sum = 0;
  for (int frame = 0; frame < c->frames; frame++) {
    double times[RUNS];
    for (int n = 0; n < count; n++)
      times[n] = of_wall ? runs[n][way].wall[frame] : runs[n][way].processor[frame];
    qsort(times, (size_t)count, sizeof *times, compare_times);
    sum += times[median ? count / 2 : 0];
  }
  return 1000 * sum / c->frames;
}

/* False if a step fails or the numbers of threads give different states. */
static bool print_row(const contact_case *c) {
  static run_times runs[RUNS][WAYS];
  const int count = c->rows * c->columns > 100000 ? 1 : RUNS;
  for (int n = 0; n < count; n++)
    for (int way = 0; way < WAYS; way++)
      if (!run(c, threads_of(way), has_contact(way), &runs[n][way]))
        return false;
  printf("| %s, %d x %d | %d |", c->name, (int)c->columns, (int)c->rows, (int)runs[0][0].contacts);
  for (int way = 0; way < WAYS; way++)
    printf(" %.2f, %.2f |", frame_time(c, runs, count, way, true, false),
           frame_time(c, runs, count, way, true, true));
  printf(" %.2f |\n", frame_time(c, runs, count, 2, false, false));
  fflush(stdout);
  const bool agree = runs[0][0].hash == runs[0][2].hash && runs[0][1].hash == runs[0][3].hash;
  if (!agree)
    fprintf(stderr, "contact_states: %s: the numbers of threads give different states\n", c->name);
  return agree;
}

static const contact_case *find_state(const char *name) {
  for (int n = 0; n < STATES; n++)
    if (strcmp(name, states[n].name) == 0)
      return &states[n];
  return NULL;
}

static int complain(void) {
  fputs("usage: contact_states [STATE... | --alone STATE THREADS [bare]]; the states are", stderr);
  for (int n = 0; n < STATES; n++)
    fprintf(stderr, " %s", states[n].name);
  fputs("\n", stderr);
  return 2;
}

/* Prints the named states, or all if there are no names. */
static int print_rows(int count, char **names) {
  for (int n = 0; n < count; n++)
    if (!find_state(names[n]))
      return complain();
  puts("| ms a frame: minimum, median | contacts | contact, 1 thread | no contact | contact, 2 threads | no "
       "contact "
       "| CPU time, 2 threads |\n"
       "|---|---|---|---|---|---|---|");
  bool done = true;
  for (int n = 0; n < (count > 0 ? count : STATES); n++)
    done = print_row(count > 0 ? find_state(names[n]) : &states[n]) && done;
  return done ? 0 : 1;
}

static int run_alone(int count, char **arguments) {
  static run_times times;
  const contact_case *c = count > 1 ? find_state(arguments[0]) : NULL;
  const int threads = count > 1 ? atoi(arguments[1]) : 0;
  if (!c || threads < 1 || count > 3 || (count == 3 && strcmp(arguments[2], "bare") != 0))
    return complain();
  if (!run(c, threads, count < 3, &times))
    return 1;
  double wall = 0, processor = 0;
  for (int frame = 0; frame < c->frames; frame++) {
    wall += times.wall[frame] / c->frames;
    processor += times.processor[frame] / c->frames;
  }
  printf("%s: %d contacts, %.2f ms a frame, %.2f ms of CPU time, hash %016llx\n", c->name,
         (int)times.contacts, 1000 * wall, 1000 * processor, (unsigned long long)times.hash);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--alone") == 0)
    return run_alone(argc - 2, argv + 2);
  return print_rows(argc - 1, argv + 1);
}

/* The time of the command outside its substeps. */
#include "bench/machine.h"
#include "bench/overhead.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 3, COMMAND_MAX = 2048, ANSWER_MAX = 1 << 14 };

/* Of a process: wall time, CPU time and time in steps in s, and peak memory in bytes. */
typedef struct cost {
  double wall, processor, steps, bytes;
} cost;

/* Returns the number after a key in a JSON file. */
static double number_of(const char *path, const char *key) {
  static char text[ANSWER_MAX];
  FILE *file = fopen(path, "r");
  around_check(file != NULL, path);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *at = strstr(text, key);
  around_check(at != NULL, key);
  return strtod(at + strlen(key), NULL);
}

static double seconds_of(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static cost run_once(const around_command *c, const char *scene, const char *options) {
  char line[COMMAND_MAX], answer[AROUND_PATH_MAX];
  int status = 1;
  struct rusage used;
  snprintf(answer, sizeof answer, "%s/answer", c->folder);
  snprintf(line, sizeof line, "exec '%s' run '%s' --json %s >'%s' 2>/dev/null", c->msd, scene, options,
           answer);
  const double start = machine_clock();
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  around_check(child > 0 && wait4(child, &status, 0, &used) == child && status == 0, line);
  return (cost){.wall = machine_clock() - start,
                .processor = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                .steps = number_of(answer, "\"wall_seconds\":"),
                .bytes = 1024.0 * (double)used.ru_maxrss};
}

/* The minimum of each value. */
static cost least_of(cost a, cost b) {
  return (cost){fmin(a.wall, b.wall), fmin(a.processor, b.processor), fmin(a.steps, b.steps),
                fmin(a.bytes, b.bytes)};
}

static cost run(const around_command *c, const char *scene, const char *options) {
  cost least = run_once(c, scene, options);
  for (int n = 1; n < TIMES; n++)
    least = least_of(least, run_once(c, scene, options));
  return least;
}

/* ------------------------------------------------------------------------------------------ the first frame */

void around_first_frames(const around_command *c, char (*scenes)[AROUND_PATH_MAX]) {
  static const struct {
    const char *name, *options;
  } runs[] = {{"no frame, 1 thread", "--duration 0 --threads 1"},
              {"no frame, 2 threads", "--duration 0 --threads 2"},
              {"one frame, 1 thread", "--duration 0.0166666 --threads 1"},
              {"one frame, 2 threads", "--duration 0.0166666 --threads 2"}};
  around_print_head("`msd run`: wall s (CPU s; memory)", c->sizes, c->count);
  for (size_t row = 0; row < sizeof runs / sizeof *runs; row++) {
    printf("| %s |", runs[row].name);
    for (int n = 0; n < c->count; n++) {
      const cost found = run(c, scenes[n], runs[row].options);
      printf(" %.3f (%.3f; %.0f MB) |", found.wall, found.processor, found.bytes / 1e6);
    }
    puts("");
  }
}

/* --------------------------------------------------------------------------------------------------- files */

/* Exported frames, the initial one included. */
enum { FRAMES = 9, FILE_TIMES = 2 };

/* Returns the size in bytes of the files in a folder, and removes them. */
static double take_bytes(const char *folder) {
  char path[2 * AROUND_PATH_MAX];
  double bytes = 0;
  DIR *list = opendir(folder);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    struct stat status;
    snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && unlink(path) == 0)
      bytes += (double)status.st_size;
  }
  if (list != NULL)
    closedir(list);
  return bytes;
}

/* Bytes/s of writing a new file in blocks. */
static double write_speed(const char *folder, double bytes) {
  enum { PIECE = 1 << 20 };
  static char piece[PIECE];
  char path[2 * AROUND_PATH_MAX];
  double least = INFINITY, written = 0;
  snprintf(path, sizeof path, "%s/written", folder);
  memset(piece, 'x', sizeof piece);
  for (int n = 0; n < TIMES; n++) {
    const double start = machine_clock();
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (written = 0; file >= 0 && written < bytes; written += PIECE)
      around_check(write(file, piece, PIECE) == PIECE, path);
    around_check(file >= 0 && close(file) == 0, path);
    least = fmin(least, machine_clock() - start);
    unlink(path);
  }
  return written / least;
}

/* A file format, and the options that export it into a folder. */
typedef struct file_kind {
  const char *name, *option;
} file_kind;

static const file_kind kinds[] = {
    {"obj", "--format obj --export '%s'"}, {"ply", "--format ply --export '%s'"},
    {"vtk", "--format vtk --export '%s'"}, {"vtu", "--format vtu --export '%s'"},
    {"pc2", "--format pc2 --export '%s'"}, {"usda", "--format usda --export '%s'"},
    {"glb", "--format glb --export '%s'"}, {"trace", "--trace '%s/trace.csv'"}};

/* Prints ms a frame, MB a frame and MB/s. Runs with and without export alternate. */
static void print_files(const around_command *c, const char *scene, const file_kind *kind) {
  static const char plain[] = "--frame-time 0.0001 --substeps 1 --duration 0.0008 --threads 1";
  char option[COMMAND_MAX / 4], all[COMMAND_MAX / 2], folder[AROUND_PATH_MAX];
  double with = INFINITY, without = INFINITY, bytes = 0;
  snprintf(folder, sizeof folder, "%s/files", c->folder);
  around_check(mkdir(folder, 0777) == 0 || access(folder, W_OK) == 0, folder);
  snprintf(option, sizeof option, kind->option, folder);
  snprintf(all, sizeof all, "%s %s", plain, option);
  for (int n = 0; n < FILE_TIMES; n++) {
    without = fmin(without, run_once(c, scene, plain).processor);
    with = fmin(with, run_once(c, scene, all).processor);
    bytes = take_bytes(folder);
  }
  const double seconds = fmax(with - without, 1e-9);
  printf(" %.1f | %.2f | %.0f |", 1e3 * seconds / FRAMES, bytes / FRAMES / 1e6, bytes / seconds / 1e6);
}

void around_files(const around_command *c, char (*scenes)[AROUND_PATH_MAX]) {
  printf("\n| export of a frame: ms, MB, MB/s |");
  for (int n = 0; n < c->count; n++)
    printf(" %d | | |", (int)c->sizes[n]);
  printf("\n|---|");
  for (int n = 0; n < 3 * c->count; n++)
    printf("---|");
  puts("");
  for (size_t row = 0; row < sizeof kinds / sizeof *kinds; row++) {
    printf("| %s |", kinds[row].name);
    for (int n = 0; n < c->count; n++)
      print_files(c, scenes[n], &kinds[row]);
    puts("");
  }
  printf("| `write` of 100 bytes a particle |");
  for (int n = 0; n < c->count; n++) {
    const double bytes = fmax(100.0 * c->sizes[n], 1 << 20), speed = write_speed(c->folder, bytes);
    printf(" %.1f | %.2f | %.0f |", 1e3 * bytes / speed, bytes / 1e6, speed / 1e6);
  }
  puts("");
}

/* ---------------------------------------------------------------------------------------------------- runs */

void around_runs(const around_command *c, char (*scenes)[AROUND_PATH_MAX]) {
  static const int frames[] = {1, 10, 30, 100};
  around_print_head("`msd run`: s in steps, s in total, fraction outside steps", c->sizes, c->count);
  for (size_t row = 0; row < sizeof frames / sizeof *frames; row++) {
    printf("| %d frame%s |", frames[row], frames[row] > 1 ? "s" : "");
    for (int n = 0; n < c->count; n++) {
      char options[64];
      snprintf(options, sizeof options, "--frame-time 0.0166666 --duration %.9g", 0.0166666 * frames[row]);
      const cost found = frames[row] < 30 ? run(c, scenes[n], options) : run_once(c, scenes[n], options);
      printf(" %.3f, %.3f, %.1f %% |", found.steps, found.wall, 100 * (1 - found.steps / found.wall));
    }
    puts("");
  }
}

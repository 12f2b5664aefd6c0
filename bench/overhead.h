/* Tables of the program `overhead`: the command outside its substeps, meshes from files, and memory. Each
   function prints one table. */
#ifndef MSD_BENCH_OVERHEAD_H
#define MSD_BENCH_OVERHEAD_H

#include <msd/msd.h>

enum { AROUND_PATH_MAX = 256 };

/* The command, a folder for files, and sizes in particles. */
typedef struct around_command {
  const char *msd, *folder;
  const int32_t *sizes;
  int count;
} around_command;

/* Exits with status 1 unless `done`. */
void around_check(bool done, const char *what);

/* Prints the head of a table with a column for each size. */
void around_print_head(const char *title, const int32_t *sizes, int count);

/* The time and memory of `msd run` up to the first frame and to its end, for the scene of each size. */
void around_first_frames(const around_command *c, char (*scenes)[AROUND_PATH_MAX]);

/* The time to export a frame in each format, compared with writing as many bytes. */
void around_files(const around_command *c, char (*scenes)[AROUND_PATH_MAX]);

/* Runs of 1 to 100 frames, and the fraction of their time outside the substeps. */
void around_runs(const around_command *c, char (*scenes)[AROUND_PATH_MAX]);

/* Irregular triangle meshes: loading from files, building and compiling. */
void around_meshes(const around_command *c);

/* Memory of worlds whose springs are all equal or all different. */
void around_memory(const around_command *c);

#endif

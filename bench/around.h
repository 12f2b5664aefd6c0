/* What the command takes beside stepping, what meshes from files take, and memory: tables of `around`. Each
   function prints one. */
#ifndef MSD_BENCH_AROUND_H
#define MSD_BENCH_AROUND_H

#include <msd/msd.h>

enum { AROUND_PATH_MAX = 256 };

/* The command, a folder for files, and sizes in particles. */
typedef struct around_command {
  const char *msd, *folder;
  const int32_t *sizes;
  int count;
} around_command;

/* Ends the program where something has failed. */
void around_check(bool done, const char *what);

/* The head of a table with a column for each size. */
void around_print_head(const char *title, const int32_t *sizes, int count);

/* The seconds and the memory to the first frame and to the end of that, of the scene of each size. */
void around_first_frames(const around_command *c, char (*scenes)[AROUND_PATH_MAX]);

/* A frame in each format, and what is written: against writing as many bytes. */
void around_files(const around_command *c, char (*scenes)[AROUND_PATH_MAX]);

/* Runs of ten frames and more: what of their time is not steps. */
void around_runs(const around_command *c, char (*scenes)[AROUND_PATH_MAX]);

/* Irregular triangle meshes: files of them that are loaded, building and layout. */
void around_meshes(const around_command *c);

/* Bytes of worlds whose springs are alike, and all different. */
void around_memory(const around_command *c);

#endif

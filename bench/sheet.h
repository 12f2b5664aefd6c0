/* The sheet that is let fall by each way there is to take its springs, ours (scaling.c) and others
   (bullet_sheet.cpp), and the rows of what came of it.

   n x n particles, 1 kg, spacing 1/n, horizontal at the start, held at the corners (0, 0) and (0, n-1); air
   drag 0.5 1/s, gravity 9.81 m/s^2, in frames of 1/60 s.

   `mesh` is such a sheet without rows: its inner particles are off by up to a quarter of a spacing in x and z
   by chance, and each cell is cut along one of its diagonals by chance. Springs are on the edges of these
   triangles and, to bend, across them.

   Stretch is length/rest - 1 over the structural and shear springs, at the end the largest and that of 99 in
   100, and the largest of all frames; `tip` is the height of the middle of the free edge after 25 and 30
   frames, `setup` what the first frame takes beyond the fastest. */
#ifndef MSD_BENCH_SHEET_H
#define MSD_BENCH_SHEET_H

#include <msd/msd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SHEET_FRAMES_PER_SECOND = 60, SHEET_SIZE = 100, SHEET_SIZE_LEAST = 4, SHEET_SIZE_MOST = 1000 };

typedef struct sheet {
  msd_world *world;
  msd_body body;
  int32_t n;
  bool is_mesh;
} sheet;

/* What is asked for by the arguments [mesh] [N [SECONDS [SUBSTEPS [all]]]] of a program. */
typedef struct sheet_arguments {
  sheet s;
  int frames;
  /* The only number of substeps; 0 stands for all. */
  long substeps;
  /* Frames are to be taken by all threads of the machine instead of by one. */
  bool on_all;
} sheet_arguments;

/* Of the sheet as it falls, frame by frame: s, stretches and m. */
typedef struct sheet_outcome {
  double setup, frame, end, most_of_end, peak, tip_25, tip_30, center;
  /* Of all frames, the first one with what it sets up among them. */
  double sum;
  int frames;
} sheet_outcome;

/* False where they make no sense. */
bool sheet_read_arguments(int argc, char **argv, sheet_arguments *out);

/* Air drag is in it; the rest is the default. */
msd_world_def sheet_world_def(void);

/* Adds it to s->world, with all springs alike, held at its corners. */
msd_result sheet_add(sheet *s, msd_spring_def spring);

double sheet_apart(msd_vec3 a, msd_vec3 b);

/* To begin with. */
sheet_outcome sheet_nothing_yet(void);

/* Behind frame f = 1, 2, ..., which took `seconds`; positions are not looked at unless `looks`. */
void sheet_look(const sheet *s, int f, double seconds, bool looks, sheet_outcome *out);

/* Behind the last one. most_of_end is NAN without memory. */
void sheet_look_last(const sheet *s, bool looks, sheet_outcome *out);

void sheet_print_columns(void);

/* `way` is two columns, of the springs and of how they are taken; `one` and `all` s a frame on one thread and
   on all, NAN where there is no such thing, which leaves the column empty. The last column is the mean of the
   frames that were looked at, on the threads that took them. */
void sheet_print_row(const sheet *s, const char *way, int substeps, double one, double all,
                     const sheet_outcome *of);

#ifdef __cplusplus
}
#endif

#endif

/* The sheet that falls with each solver of msd (scaling.c) and with Bullet (bullet_sheet.cpp), and the rows of
   its results.

   It has n x n particles, 1 kg and spacing 1/n. It starts horizontal and is pinned at the corners (0, 0) and
   (0, n-1). Linear damping is 0.5 1/s, gravity 9.81 m/s^2, and frames are 1/60 s.

   `mesh` is the irregular variant: inner particles are displaced at random by up to a quarter of a spacing in x
   and z, and each cell is split along a random diagonal. Springs are on the edges of these triangles, and bend
   springs across them.

   Stretch is length/rest - 1 over the stretch and shear springs: the largest and the 99th percentile at the
   end, and the largest of all frames. `tip` is the height of the middle of the free edge after 25 and 30
   frames. `setup` is the extra time of the first frame over the fastest. */
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

/* The arguments [mesh] [N [SECONDS [SUBSTEPS [all]]]] of a program. */
typedef struct sheet_arguments {
  sheet s;
  int frames;
  /* Runs only rows with this number of substeps; 0: all rows. */
  long substeps;
  /* Frames run on all threads of the machine, not on one. */
  bool on_all;
} sheet_arguments;

/* Measurements of the falling sheet: times in s, stretch, heights in m. */
typedef struct sheet_outcome {
  double setup, frame, end, most_of_end, peak, tip_25, tip_30, center;
  /* Sum over all frames, including the setup in the first one. */
  double sum;
  int frames;
} sheet_outcome;

/* False if the arguments are invalid. */
bool sheet_read_arguments(int argc, char **argv, sheet_arguments *out);

/* The default, with linear damping. */
msd_world_def sheet_world_def(void);

/* Adds the sheet to s->world, with the same spring everywhere, pinned at its corners. */
msd_result sheet_add(sheet *s, msd_spring_def spring);

double sheet_apart(msd_vec3 a, msd_vec3 b);

/* The initial value. */
sheet_outcome sheet_nothing_yet(void);

/* Records frame f = 1, 2, ..., which took `seconds`; measures positions only if `looks`. */
void sheet_look(const sheet *s, int f, double seconds, bool looks, sheet_outcome *out);

/* Records the end of the run. most_of_end is NAN without memory. */
void sheet_look_last(const sheet *s, bool looks, sheet_outcome *out);

void sheet_print_columns(void);

/* `way` holds two columns, springs and solver. `one` and `all` are s a frame on one thread and on all; NAN
   leaves the column empty. The last column is the mean of the measured frames, on the threads that ran them. */
void sheet_print_row(const sheet *s, const char *way, int substeps, double one, double all,
                     const sheet_outcome *of);

#ifdef __cplusplus
}
#endif

#endif

/* The baseline: the loop that a textbook prints. An array of particle structs, an array of spring structs,
   one spring at a time, its force added to both its ends. Compiled with -O3 -march=native and free to fuse
   multiplications and additions; one thread. Physical springs, gravity, no drag. */
#ifndef MSD_BENCH_TEXTBOOK_H
#define MSD_BENCH_TEXTBOOK_H

#include <msd/msd.h>

typedef struct textbook textbook;

/* The particles and springs of a world as it now is. NULL when there is no memory. */
textbook *textbook_make(const msd_world *world);
void textbook_free(textbook *t);

/* Symplectic Euler, `substeps` of dt seconds. */
void textbook_step(textbook *t, msd_real dt, int substeps);

/* The largest distance in m between a particle here and in a world. */
double textbook_distance(const textbook *t, const msd_world *world);

#endif

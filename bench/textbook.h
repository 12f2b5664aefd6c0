/* The baseline: a textbook loop. It has an array of particle structs and an array of spring structs, and adds
   the force of one spring at a time to its two ends. It is compiled with -O3 -march=native and may fuse
   multiplications and additions. One thread, springs given by stiffness, gravity, no linear damping. */
#ifndef MSD_BENCH_TEXTBOOK_H
#define MSD_BENCH_TEXTBOOK_H

#include <msd/msd.h>

typedef struct textbook textbook;

/* Copies the current particles and springs of a world. NULL without memory. */
textbook *textbook_make(const msd_world *world);
void textbook_free(textbook *t);

/* Symplectic Euler, `substeps` of dt seconds. */
void textbook_step(textbook *t, msd_real dt, int substeps);

/* The largest distance in m along an axis between a particle here and in a world. */
double textbook_distance(const textbook *t, const msd_world *world);

#endif

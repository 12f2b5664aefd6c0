/* Turning by three angles: degrees about x, then about y, then about z, anticlockwise seen from the tip of the
   axis. */
#ifndef MSD_SCENES_LOADER_ROTATION_H
#define MSD_SCENES_LOADER_ROTATION_H

/* The matrix that points are multiplied by. Exact at multiples of 90 degrees, and the same bits on every
   machine. */
void rotation_of_degrees(const double degrees[3], double rotation[3][3]);

#endif

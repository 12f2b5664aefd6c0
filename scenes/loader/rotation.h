/* Turning by three angles: degrees about x, then about y, then about z, counterclockwise seen from the tip of
   the axis. */
#ifndef MSD_SCENES_LOADER_ROTATION_H
#define MSD_SCENES_LOADER_ROTATION_H

/* The matrix that points are multiplied by. Exact at multiples of 90 degrees, and the same bits on every
   machine. */
void rotation_of_degrees(const double degrees[3], double rotation[3][3]);

/* Unit quaternions w, x, y, z, with the same bits on every machine too. */

/* The product, which turns as b does and then as a does; *out may be one of them. */
void quaternion_product(const double a[4], const double b[4], double out[4]);

/* Turns further, about axis 0, 1 or 2 of what it turns. */
void quaternion_turn(double rotation[4], int axis, double degrees);

/* A part of the short way from one to another, evenly but for 0.03 % of a step of 15 degrees. */
void quaternion_between(const double a[4], const double b[4], double part, double out[4]);

void quaternion_turn_point(const double rotation[4], double point[3]);

#endif

/* exp, sin and cos of + - * / alone, and thus with the same bits on every machine: the functions of the C
   libraries differ in the last one. Within 2 units in the last place. */
#ifndef MSD_ENGINE_BASE_PORTABLE_MATH_H
#define MSD_ENGINE_BASE_PORTABLE_MATH_H

double elementary_exp(double x);

/* exp(x) - 1, also where that is small. */
double elementary_expm1(double x);

/* Of a finite angle in rad; next to their zeros within 3 10^-32 of the angle. Above 10^15, where neighbouring
   angles are far apart, the sine and the cosine of one that is within half a unit in the last place. */
void elementary_sin_cos(double angle, double *sine, double *cosine);

#endif

/* exp, sin and cos from + - * / alone, with bitwise identical results on every machine; those of C libraries
   differ in the last bit. Errors are below 2 units in the last place. */
#ifndef MSD_ENGINE_BASE_PORTABLE_MATH_H
#define MSD_ENGINE_BASE_PORTABLE_MATH_H

double elementary_exp(double x);

/* exp(x) - 1, accurate for small x too. */
double elementary_expm1(double x);

/* For a finite angle in rad. Near their zeros the error is up to 3 10^-32 of the angle. Above 10^15, where
   neighboring doubles are far apart, the results are those of an angle within half a unit in the last
   place. */
void elementary_sin_cos(double angle, double *sine, double *cosine);

#endif

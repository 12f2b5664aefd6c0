#ifndef MSD_TESTS_SUPPORT_PI_H
#define MSD_TESTS_SUPPORT_PI_H

/* M_PI is not in C17. */
static const double PI = 3.14159265358979323846;

#endif

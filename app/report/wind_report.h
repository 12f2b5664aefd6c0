/* What the air of a world is and pushes, in the reports of commands. Nothing where there is no air. */
#ifndef MSD_APP_REPORT_WIND_REPORT_H
#define MSD_APP_REPORT_WIND_REPORT_H

#include <msd/msd.h>

#include <jansson.h>
#include <stdio.h>

/* A line of text. */
void wind_report_print(const msd_world *world, FILE *stream);

/* Adds wind, turbulence, wind_triangles and wind_segments to an object. Nonzero when there is no memory. */
int wind_report_json(const msd_world *world, json_t *object);

#endif

/* What bodies and colliders do to each other, in the reports of commands. Nothing where there is no contact. */
#ifndef MSD_APP_REPORT_CONTACT_REPORT_H
#define MSD_APP_REPORT_CONTACT_REPORT_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

/* Of a run that has ended so. */
void contact_report_print(const scene *s, const msd_stats *stats, FILE *stream);

/* Adds contacts, pinched, shortened_steps and the rest to an object. Nonzero when there is no memory. */
int contact_report_json(const scene *s, const msd_stats *stats, json_t *object);

/* What there is to touch, and its memory, in a world that has been stepped. */
void contact_report_print_size(const msd_stats *stats, FILE *stream);
int contact_report_size_json(const msd_stats *stats, json_t *object);

/* How many equal sheets on each other forces alone carry in frames of so many substeps; nothing where there are
   no surfaces, or nothing falls. */
void contact_report_print_pile(const scene *s, int substeps, FILE *stream);
int contact_report_pile_json(const scene *s, int substeps, json_t *object);

#endif

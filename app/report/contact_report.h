/* Contact in the reports of commands. Nothing is printed for a scene without colliders and collision meshes. */
#ifndef MSD_APP_REPORT_CONTACT_REPORT_H
#define MSD_APP_REPORT_CONTACT_REPORT_H

#include "app/report/intersection_tally.h"
#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

enum { CONTACT_TEXT_MAX = 800 };

/* One line on a run of so many substeps that ended with these statistics, and a second one on clipped moves,
   which is empty where the first has room for them. `checked`: the exact check, if the run made one. */
void contact_report_describe(const scene *s, const msd_stats *stats, int64_t substeps,
                             const intersection_tally *checked, char text[CONTACT_TEXT_MAX],
                             char clipped[CONTACT_TEXT_MAX]);

/* Squeezed vertices, clipped moves, and the first forced intersection. */
void contact_report_print_details(const scene *s, const msd_stats *stats, FILE *stream);

/* Adds contacts, squeezed, clipped_moves and the rest to an object. Nonzero when there is no memory. */
int contact_report_json(const scene *s, const msd_stats *stats, json_t *object);

/* One line: "self-collision of 3 surfaces (4,960 triangles), 2 colliders". */
void contact_report_describe_size(const scene *s, const msd_stats *stats, char text[CONTACT_TEXT_MAX]);

/* The size and the memory of contact, in a world that has been stepped. */
void contact_report_print_size(const msd_stats *stats, FILE *stream);
int contact_report_size_json(const msd_stats *stats, json_t *object);

/* "stacks of up to 2 layers settle (13 substeps per further layer)"; empty without collision meshes or
   gravity. */
void contact_report_describe_stack(const scene *s, int substeps, char text[CONTACT_TEXT_MAX]);
int contact_report_pile_json(const scene *s, int substeps, json_t *object);

#endif

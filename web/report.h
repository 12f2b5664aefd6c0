/* What is certified of a scene, as JSON for JavaScript: what msd info --json tells of stability, and as "text"
   the paragraph of msd info. */
#ifndef MSD_WEB_REPORT_H
#define MSD_WEB_REPORT_H

#include "scenes/loader/scene.h"

/* {"error": ...} where it cannot be made. To be freed; NULL when memory is short. */
char *web_report(const scene *s);

/* Keeps a string for JavaScript to read until the next call; NULL stands for one that found no memory. */
const char *web_keep(char *text);

#endif

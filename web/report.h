/* The stability of a scene as JSON for JavaScript: the keys of msd info --json, and "text", the stability
   section of msd info. */
#ifndef MSD_WEB_REPORT_H
#define MSD_WEB_REPORT_H

#include "scenes/loader/scene.h"

/* {"error": ...} on failure. The caller frees it; NULL if memory runs out. */
char *web_report(const scene *s);

/* Keeps a string for JavaScript to read until the next call. NULL means that memory ran out. */
const char *web_keep(char *text);

#endif

/* Plots by gnuplot, a program that may not be there. */
#ifndef MSD_APP_BASE_GNUPLOT_H
#define MSD_APP_BASE_GNUPLOT_H

#include "app/base/output_file.h"

typedef struct gnuplot {
  /* Write commands and data here. */
  FILE *script;
  char *text;
  size_t length;
  output_file picture;
} gnuplot;

/* Whether a plot can be written at `path`: .svg or .png, and a place that can be written. */
bool gnuplot_check(const char *path, problem *p);

/* Begins a script for a picture of width x height pixels that will stand at `path`. */
bool gnuplot_open(gnuplot *g, const char *path, int width, int height, problem *p);

/* A text as a script quotes it: a name is no command, whatever is in it. */
void gnuplot_put_text(gnuplot *g, const char *text);

/* Has gnuplot draw the script, and puts the finished picture in its place. On failure nothing is left. */
bool gnuplot_close(gnuplot *g, problem *p);

#endif

/* Plots by gnuplot, a program that may not be there. */
#ifndef MSD_APP_BASE_GNUPLOT_H
#define MSD_APP_BASE_GNUPLOT_H

#include "app/base/output_file.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct gnuplot {
  /* Write commands and data here. */
  FILE *script;
  output_file picture;
  /* What SIGPIPE did before. */
  struct sigaction pipe_action;
} gnuplot;

/* Whether a plot can be written at `path`: .svg or .png, and a place that can be written. */
bool gnuplot_check(const char *path, problem *p);

/* Starts gnuplot with a picture of width x height pixels that will stand at `path`. */
bool gnuplot_open(gnuplot *g, const char *path, int width, int height, problem *p);

/* Ends the script and puts the finished picture in its place. On failure nothing is left. */
bool gnuplot_close(gnuplot *g, problem *p);

#endif

#include "app/base/gnuplot.h"

#include "app/base/child.h"
#include "scenes/input/file_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool gnuplot_check(const char *path, problem *p) {
  if (!file_has_ending(path, ".svg") && !file_has_ending(path, ".png"))
    return problem_set(p, "%s: a plot is an .svg or a .png file", path);
  return output_file_check(path, p);
}

bool gnuplot_open(gnuplot *g, const char *path, int width, int height, problem *p) {
  *g = (gnuplot){.script = NULL};
  if (!gnuplot_check(path, p) || !output_file_open(&g->picture, path, p))
    return false;
  g->script = open_memstream(&g->text, &g->length);
  if (g->script == NULL) {
    output_file_discard(&g->picture);
    return problem_set(p, "%s: out of memory for a plot", path);
  }
  fprintf(g->script, "set terminal %s size %d,%d font 'DejaVu Sans,11' background 'white'\n",
          file_has_ending(path, ".svg") ? "svg noenhanced" : "pngcairo noenhanced", width, height);
  return true;
}

/* Within single quotes gnuplot takes everything as it is but a line break; a quote is doubled. */
void gnuplot_put_text(gnuplot *g, const char *text) {
  fputc('\'', g->script);
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      fputc('\'', g->script);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, g->script);
  }
  fputc('\'', g->script);
}

/* gnuplot prints the picture, so that no name of a file has to be told to it. */
static bool draw(gnuplot *g, problem *p) {
  char *const arguments[] = {"gnuplot", "-", NULL};
  child program;
  const int refused = child_start(&program, arguments, fileno(g->picture.stream), true);
  if (refused == ENOENT)
    return problem_set(p,
                       "%s: plots are drawn by gnuplot, which is not installed; install it or write a table",
                       g->picture.path);
  if (refused != 0)
    return problem_set(p, "%s: gnuplot cannot be started (%s)", g->picture.path, strerror(refused));
  const bool sent = child_send(&program, g->text, g->length);
  return (child_finish(&program) && sent) || problem_set(p, "%s: gnuplot could not draw it", g->picture.path);
}

bool gnuplot_close(gnuplot *g, problem *p) {
  fputs("\nunset output\n", g->script);
  bool ok = fclose(g->script) == 0 || problem_set(p, "%s: out of memory for a plot", g->picture.path);
  ok = ok && draw(g, p);
  free(g->text);
  if (ok)
    return output_file_commit(&g->picture, false, p);
  output_file_discard(&g->picture);
  return false;
}

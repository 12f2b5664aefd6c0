#include "app/base/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

bool gnuplot_check(const char *path, problem *p) {
  if (!ends_with(path, ".svg") && !ends_with(path, ".png"))
    return problem_set(p, "%s: a plot is an .svg or a .png file", path);
  return output_file_check(path, p);
}

/* Within single quotes gnuplot takes everything as it is; a quote is doubled. */
static void put_quoted(FILE *script, const char *text) {
  fputc('\'', script);
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      fputc('\'', script);
    fputc(*text, script);
  }
  fputc('\'', script);
}

bool gnuplot_open(gnuplot *g, const char *path, int width, int height, problem *p) {
  if (!gnuplot_check(path, p))
    return false;
  if (strpbrk(path, "\n\r") != NULL)
    return problem_set(p, "the name of a plot cannot have a line break in it");
  if (!output_file_open(&g->picture, path, p))
    return false;

  /* A gnuplot that ends early closes the pipe; its exit status says so, without killing us. */
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGPIPE, &ignore, &g->pipe_action);
  g->script = popen("command -v gnuplot >/dev/null 2>&1 || exit 127; exec gnuplot 2>/dev/null", "w");
  if (g->script == NULL) {
    sigaction(SIGPIPE, &g->pipe_action, NULL);
    output_file_discard(&g->picture);
    return problem_set(p, "%s: gnuplot cannot be started (%s)", path, strerror(errno));
  }
  fprintf(g->script, "set terminal %s size %d,%d font 'DejaVu Sans,11' background 'white'\nset output ",
          ends_with(path, ".svg") ? "svg noenhanced" : "pngcairo noenhanced", width, height);
  put_quoted(g->script, g->picture.part);
  fputc('\n', g->script);
  return true;
}

bool gnuplot_close(gnuplot *g, problem *p) {
  fputs("\nunset output\n", g->script);
  const int status = pclose(g->script);
  sigaction(SIGPIPE, &g->pipe_action, NULL);
  if (status != 0) {
    problem_set(p,
                WIFEXITED(status) && WEXITSTATUS(status) == 127
                    ? "%s: plots are drawn by gnuplot, which is not installed; install it or write a table"
                    : "%s: gnuplot could not draw it",
                g->picture.path);
    output_file_discard(&g->picture);
    return false;
  }
  return output_file_commit(&g->picture, false, p);
}

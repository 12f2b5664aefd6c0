/* The plot of msd bench: springs per second against particles. */
#include "app/report/bench_report.h"

#include "app/base/gnuplot.h"

/* A kind of network is a color, a way to step it a mark and a dash. */
static const char *const kind_names[] = {"cloth", "ropes", "triangles", "tetrahedra"};
static const char *const kind_colors[] = {"#1f5fa8", "#4aa564", "#d9820f", "#b0338f"};
enum { KINDS = sizeof kind_names / sizeof *kind_names, WAYS = SPEED_THREADS + SPEED_RIVALS };

static double seconds_of(const speed_result *r, int way) {
  return way < SPEED_THREADS ? r->msd[way].least : r->rivals[way - SPEED_THREADS].time.least;
}

/* Of the peers only what they make of cloths is drawn; six lines for each kind would be a thicket. */
static bool has_line(const bench_report *r, int kind, int way) {
  if (way >= SPEED_THREADS + SPEED_PEERS && kind != NETWORKS_CLOTH)
    return false;
  for (int n = 0; n < r->count; n++)
    if ((int)r->cases[n]->kind == kind && seconds_of(&r->results[n], way) > 0)
      return true;
  return false;
}

/* The way is named once, by the first kind that has it. */
static void put_way_name(FILE *script, const bench_report *r, int kind, int way) {
  for (int before = 0; before < kind; before++)
    if (has_line(r, before, way)) {
      fprintf(script, "notitle");
      return;
    }
  fprintf(script, "title '");
  if (way < SPEED_THREADS)
    fprintf(script, "%d thread%s", r->threads[way], r->threads[way] == 1 ? "" : "s");
  else
    fprintf(script, "%s", speed_rival_name(way - SPEED_THREADS));
  fprintf(script, "'");
}

static void put_lines(FILE *script, const bench_report *r) {
  static const int marks[WAYS] = {7, 5, 1, 2, 3, 4}, dashes[WAYS] = {1, 1, 3, 4, 4, 4};
  const char *separator = "plot ";
  for (int kind = 0; kind < KINDS; kind++)
    for (int way = 0; way < WAYS; way++)
      if (has_line(r, kind, way)) {
        fprintf(
            script,
            "%s'-' with linespoints linecolor rgb '%s' pointtype %d dashtype %d linewidth %s pointsize 0.8 ",
            separator, kind_colors[kind], marks[way], dashes[way], way < SPEED_THREADS ? "2" : "1");
        put_way_name(script, r, kind, way);
        separator = ", ";
      }
  for (int kind = 0; kind < KINDS; kind++)
    if (has_line(r, kind, 0)) {
      fprintf(script, "%sNaN with lines linewidth 4 linecolor rgb '%s' title '%s'", separator,
              kind_colors[kind], kind_names[kind]);
      separator = ", ";
    }
  fprintf(script, "\n");
  for (int kind = 0; kind < KINDS; kind++)
    for (int way = 0; way < WAYS; way++)
      if (has_line(r, kind, way)) {
        for (int n = 0; n < r->count; n++)
          if ((int)r->cases[n]->kind == kind && seconds_of(&r->results[n], way) > 0)
            fprintf(script, "%d %.6g\n", (int)r->results[n].particles,
                    r->results[n].springs / seconds_of(&r->results[n], way));
        fprintf(script, "e\n");
      }
}

bool bench_plot(const bench_report *r, const char *path, problem *p) {
  gnuplot g;
  if (!gnuplot_open(&g, path, 960, 560, p))
    return false;
  fprintf(g.script, "set title 'Springs per second, each counted once, whole substep'\n"
                    "set logscale xy\nset format xy '%%.0s%%c'\n"
                    "set xlabel 'particles'\nset ylabel 'springs/s'\n"
                    "set grid xtics ytics mytics linecolor rgb '#cccccc', linecolor rgb '#eeeeee'\n"
                    "set border 3\nset xtics nomirror\nset ytics nomirror\n"
                    "set key outside right center samplen 3\n");
  put_lines(g.script, r);
  return gnuplot_close(&g, p);
}

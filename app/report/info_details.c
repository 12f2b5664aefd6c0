/* The lines of msd info --details. */
#include "app/report/info.h"

#include "app/base/units.h"
#include "app/report/contact_report.h"
#include "app/report/material_report.h"
#include "app/report/wind_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_group(const scene_group *group, FILE *stream) {
  if (strcmp(group->name, "tethers") == 0) {
    fprintf(stream, ", %" PRId32 " tether%s", group->springs.count, group->springs.count == 1 ? "" : "s");
    return;
  }
  const char *kind = strcmp(group->name, "springs") == 0 ? "" : group->name;
  fprintf(stream, ", %" PRId32 " %s%sspring%s", group->springs.count, kind, *kind != '\0' ? " " : "",
          group->springs.count == 1 ? "" : "s");
}

/* "bend" constraints of a body, or those that it was given one by one. */
static void print_constraint_group(const scene_constraint_group *group, FILE *stream) {
  const char *kind = strcmp(group->name, "constraints") == 0 ? "" : group->name;
  fprintf(stream, ", %" PRId32 " %s%sconstraint%s", group->constraints.count, kind, *kind != '\0' ? " " : "",
          group->constraints.count == 1 ? "" : "s");
}

/* The size of a body, and the edges of a mesh: a few tiny ones set the substeps of all. */
static void print_size(const scene *s, const scene_body *body, FILE *stream) {
  double size[3];
  scene_body_size(s, body, size);
  fprintf(stream, "; %.3g x %.3g x %.3g m", size[0], size[1], size[2]);
  if (!body->is_from_file || body->group_count == 0 || strcmp(body->groups[0].name, "stretch") != 0)
    return;
  double shortest = INFINITY, longest = 0;
  const msd_range edges = body->groups[0].springs;
  for (int32_t e = edges.first; e < edges.first + edges.count; e++) {
    const double length = (double)msd_spring_get_def(s->world, e).rest_length;
    shortest = fmin(shortest, length);
    longest = fmax(longest, length);
  }
  fprintf(stream, ", edges of %s to %s", units_si(shortest, "m").text, units_si(longest, "m").text);
}

/* Vertices of a file that were merged into one particle. */
static void print_welded(const weld_result *result, FILE *stream) {
  if (result->welded == 0)
    return;
  fprintf(stream, " (%" PRId32 " vert%s merged", result->welded, result->welded == 1 ? "ex" : "ices");
  if (result->furthest > 0)
    fprintf(stream, ", over up to %s", units_si(result->furthest, "m").text);
  fprintf(stream, ")");
}

/* The mesh that a body was decimated from. */
static void print_skin(const scene_skin *skin, FILE *stream) {
  if (skin->points == NULL)
    return;
  fprintf(stream,
          " (decimated from %" PRId32 " vertices for %" PRId32
          " substeps; %.3g %% of the area, moved by up to %s)",
          skin->count, skin->substeps, 100 * skin->area_kept, units_si(skin->furthest, "m").text);
}

static void print_bodies(const scene *s, FILE *stream) {
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    fprintf(stream, "  %-9s \"%s\": ", body->kind, body->name);
    if (body->rotors.rotors.count > 0)
      fprintf(stream, "%" PRId32 " rotor%s, %" PRId32 " torsion spring%s", body->rotors.rotors.count,
              body->rotors.rotors.count == 1 ? "" : "s", body->rotors.springs.count,
              body->rotors.springs.count == 1 ? "" : "s");
    else
      fprintf(stream, "%" PRId32 " particles", body->particles.count);
    print_welded(&body->welded, stream);
    print_skin(&body->skin, stream);
    const int32_t pinned = info_count_pinned(s, body);
    if (body->columns > 0)
      fprintf(stream, " (%" PRId32 " columns, %" PRId32 " rows)", body->columns, body->rows);
    if (body->cells[0] > 0)
      fprintf(stream, " (%" PRId32 " x %" PRId32 " x %" PRId32 " cells)", body->cells[0], body->cells[1],
              body->cells[2]);
    if (pinned > 0)
      fprintf(stream, ", %" PRId32 " pinned", pinned);
    for (int g = 0; g < body->group_count; g++)
      print_group(&body->groups[g], stream);
    for (int g = 0; g < body->constraint_group_count; g++)
      print_constraint_group(&body->constraint_groups[g], stream);
    if (body->soft_pins.count > 0)
      fprintf(stream, ", %" PRId32 " soft pin%s", body->soft_pins.count,
              body->soft_pins.count == 1 ? "" : "s");
    if (body->particles.count > 0)
      print_size(s, body, stream);
    fprintf(stream, "\n");
  }
  if (s->joints.count > 0)
    fprintf(stream, "  connections: %" PRId32 " springs\n", s->joints.count);
}

/* Counts by kind, and what not every scene has. */
static void print_counts(const scene_info *all, FILE *stream) {
  const char *separator = ": ";
  if (all->components.components > 1)
    fprintf(stream, "  components        %" PRId32 " that no spring joins, %" PRId32 " of them attached\n",
            all->components.components, all->components.attached);
  if (all->stats.springs > 0)
    fprintf(stream, "  springs           %s", units_count(all->stats.springs).text);
  for (int law = 0; law < MSD_SPRING_LAW_COUNT && all->stats.springs > 0; law++)
    if (all->laws[law] > 0) {
      fprintf(stream, "%s%s %s", separator, units_count(all->laws[law]).text,
              msd_spring_law_name((msd_spring_law)law));
      separator = ", ";
    }
  fputs(all->stats.springs > 0 ? "\n" : "", stream);
  separator = ": ";
  if (all->stats.constraints > 0)
    fprintf(stream, "  constraints       %s", units_count(all->stats.constraints).text);
  for (int kind = 0; kind < MSD_CONSTRAINT_KIND_COUNT && all->stats.constraints > 0; kind++)
    if (all->constraint_kinds[kind] > 0) {
      fprintf(stream, "%s%s %s", separator, units_count(all->constraint_kinds[kind]).text,
              msd_constraint_kind_name((msd_constraint_kind)kind));
      separator = ", ";
    }
  fputs(all->stats.constraints > 0 ? "\n" : "", stream);
  if (all->tearable > 0 || all->yielding > 0)
    fprintf(
        stream, "  damage            %s springs can tear, %s of them by splitting particles; %s can yield\n",
        units_count(all->tearable).text, units_count(all->splitting).text, units_count(all->yielding).text);
}

void info_print_details(const scene_info *all, FILE *stream) {
  const scene *s = all->scene;
  fprintf(stream, "\ncontents\n");
  print_counts(all, stream);
  contact_report_print_size(&all->memory.stepped, stream);
  wind_report_print(s->world, stream);
  memory_report_print(&all->memory, stream);
  fprintf(stream, "\nbodies\n");
  print_bodies(s, stream);
  fputc('\n', stream);
  material_report_print(s, stream);
  stability_report_print(s, &all->stability, stream);
  if (all->method.made) {
    char text[METHOD_TEXT_MAX];
    method_describe(&all->method, text, sizeof text);
    fprintf(stream, "  solver auto       for %s: %s\n", units_percent(all->method.wanted).text, text);
  }
}

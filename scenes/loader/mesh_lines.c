#include "scenes/loader/mesh_lines.h"

#include "scenes/loader/edges.h"

#include <stdlib.h>

bool mesh_lines_read(const json_place *body, line_use *use) {
  static const char *const names[] = {"ignore", "sew", "springs", NULL};
  const json_place place = place_member(body, MESH_LINES_KEY);
  int choice = 0;
  *use = LINES_WARNED;
  if (!place.value)
    return true;
  if (!read_choice(body, MESH_LINES_KEY, names, &choice))
    return false;
  *use = (line_use)(LINES_IGNORED + choice);
  return *use != LINES_AS_SPRINGS || !place_member(body, "material").value ||
         place_fail(&place,
                    "is \"springs\", which have the law of \"stretch\", and a body with a \"material\" has "
                    "none; write \"sew\", or give \"connections\"");
}

/* The lines that are no edge of a triangle, each once, in the order of the file. NULL edges without memory. */
static edge_set new_edges(const mesh_data *mesh) {
  const size_t lines = (size_t)mesh->segment_count, corners = CORNERS * (size_t)mesh->triangle_count;
  edge_set there = {malloc((corners + 1) * sizeof(edge)), 0}, found = {malloc((lines + 1) * sizeof(edge)), 0};
  edge_set sorted = {malloc((lines + 1) * sizeof(edge)), 0};
  for (size_t i = 0; there.edges && i < corners; i++)
    edge_set_add(&there, mesh->triangles[i], mesh->triangles[i % CORNERS == 2 ? i - 2 : i + 1]);
  edge_set_sort(&there);
  for (size_t i = 0; there.edges && found.edges && sorted.edges && i < lines; i++) {
    const int32_t a = mesh->segments[2 * i], b = mesh->segments[2 * i + 1];
    if (!edge_set_has(&there, a, b))
      edge_set_add(&sorted, a, b);
  }
  edge_set_sort(&sorted);
  for (int32_t i = 0; found.edges && i < sorted.count; i++) {
    const edge *e = &sorted.edges[i];
    if (i == 0 || e->low != e[-1].low || e->high != e[-1].high)
      edge_set_add(&found, e->low, e->high);
  }
  const bool done = there.edges && found.edges && sorted.edges;
  free(there.edges);
  free(sorted.edges);
  if (!done) {
    free(found.edges);
    found.edges = NULL;
  }
  return found;
}

static bool add_springs(const body_task *t, const edge_set *lines, const msd_spring_def *law) {
  msd_spring_def *defs = malloc(((size_t)lines->count + 1) * sizeof *defs);
  msd_range made = {0, lines->count};
  if (!defs)
    return place_out_of_memory(t->place);
  for (int32_t i = 0; i < lines->count; i++) {
    defs[i] = *law;
    defs[i].a = t->body->particles.first + lines->edges[i].low;
    defs[i].b = t->body->particles.first + lines->edges[i].high;
  }
  const bool done =
      lines->count == 0 || body_check_added(t, msd_add_springs(t->world, defs, lines->count, &made.first));
  free(defs);
  if (!done)
    return false;
  t->body->springs.count += made.count;
  body_add_group(t->body, MESH_LINES_KEY, made);
  return true;
}

static bool keep_for_seams(const body_task *t, const edge_set *lines) {
  scene_body *body = t->body;
  body->sewn = malloc((2 * (size_t)lines->count + 1) * sizeof *body->sewn);
  if (!body->sewn)
    return place_out_of_memory(t->place);
  for (int32_t i = 0; i < lines->count; i++) {
    body->sewn[2 * i] = body->particles.first + lines->edges[i].low;
    body->sewn[2 * i + 1] = body->particles.first + lines->edges[i].high;
  }
  body->sewn_count = lines->count;
  return true;
}

bool mesh_lines_add(const body_task *t, line_use use, const mesh_data *mesh, const msd_spring_def *law) {
  scene_warnings *warnings = t->place->source->warnings;
  if (use == LINES_WARNED && mesh->unread_lines > 0)
    scene_warn(warnings,
               "%s: has %d lines, which are left out; \"lines\": \"sew\" or \"springs\" joins their ends, "
               "\"ignore\" leaves them out without this warning",
               mesh->path, (int)mesh->unread_lines);
  if (use != LINES_SEWN && use != LINES_AS_SPRINGS)
    return true;
  if (mesh->segment_count == 0)
    scene_warn(warnings, "%s: has no lines between its faces, so \"lines\" does nothing", mesh->path);
  edge_set lines = new_edges(mesh);
  if (!lines.edges)
    return place_out_of_memory(t->place);
  const bool done = use == LINES_SEWN ? keep_for_seams(t, &lines) : add_springs(t, &lines, law);
  free(lines.edges);
  return done;
}

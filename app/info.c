/* msd info: what a scene consists of, and how large a time step it can take. */
#include "app/commands.h"

#include "app/base/json_values.h"
#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/scene_input.h"
#include "app/base/units.h"
#include "app/report/contact_report.h"
#include "app/report/material_report.h"
#include "app/report/memory_report.h"
#include "app/report/method.h"
#include "app/report/stability_report.h"
#include "app/report/wind_report.h"
#include "scenes/loader/scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { OPTION_JSON = OPTIONS_FIRST_ID, OPTION_ESTIMATE };

typedef struct info {
  const scene *scene;
  msd_stats stats;
  msd_pieces pieces;
  stability_report stability;
  /* Springs of each law. */
  int32_t laws[MSD_SPRING_LAW_COUNT];
  int32_t constraint_kinds[MSD_CONSTRAINT_KIND_COUNT];
  /* Springs that can tear, those of them that split particles, and those that can yield. */
  int32_t tearable, splitting, yielding;
  memory_report memory;
  method_choice method;
} info;

static bool gather(scene *s, bool with_estimate, info *out, problem *p) {
  *out = (info){.scene = s, .stats = msd_world_get_stats(s->world)};
  if (!stability_report_make(s, with_estimate, &out->stability, p))
    return false;
  if (msd_world_find_pieces(s->world, NULL, NULL, &out->pieces) != MSD_OK)
    return problem_set(p, "%s: out of memory to count its pieces", s->path);
  for (int32_t i = 0; i < out->stats.springs; i++) {
    const msd_wear_def wear = msd_spring_get_wear(s->world, i);
    out->laws[msd_spring_get_def(s->world, i).law]++;
    out->tearable += wear.tear > 0;
    out->splitting += wear.splits;
    out->yielding += wear.yield > 0;
  }
  for (int32_t i = 0; i < out->stats.constraints; i++)
    out->constraint_kinds[msd_constraint_get_def(s->world, i).kind]++;
  return (out->stats.springs == 0 ||
          method_choose(s->world, s->time_step, METHOD_STRETCH, 0, &out->method, p) || out->method.made) &&
         memory_report_make(s, &out->memory, p);
}

static void print_group(const scene_group *group) {
  if (strcmp(group->name, "tethers") == 0) {
    printf(", %" PRId32 " tether%s", group->springs.count, group->springs.count == 1 ? "" : "s");
    return;
  }
  const char *kind = strcmp(group->name, "springs") == 0 ? "" : group->name;
  printf(", %" PRId32 " %s%sspring%s", group->springs.count, kind, *kind != '\0' ? " " : "",
         group->springs.count == 1 ? "" : "s");
}

/* "bend" constraints of a body, or those that it was given one by one. */
static void print_constraint_group(const scene_constraint_group *group) {
  const char *kind = strcmp(group->name, "constraints") == 0 ? "" : group->name;
  printf(", %" PRId32 " %s%sconstraint%s", group->constraints.count, kind, *kind != '\0' ? " " : "",
         group->constraints.count == 1 ? "" : "s");
}

/* How large it is, and of a mesh how unlike its edges are: a few that are tiny decide the substeps of all. */
static void print_size(const scene *s, const scene_body *body) {
  double size[3];
  scene_body_size(s, body, size);
  printf("; %.3g x %.3g x %.3g m", size[0], size[1], size[2]);
  if (!body->is_from_file || body->group_count == 0 || strcmp(body->groups[0].name, "structural") != 0)
    return;
  double shortest = INFINITY, longest = 0;
  const msd_range edges = body->groups[0].springs;
  for (int32_t e = edges.first; e < edges.first + edges.count; e++) {
    const double length = (double)msd_spring_get_def(s->world, e).rest_length;
    shortest = fmin(shortest, length);
    longest = fmax(longest, length);
  }
  printf(", edges of %s to %s", units_si(shortest, "m").text, units_si(longest, "m").text);
}

/* What the vertices of a file have become, where some of them are one particle. */
static void print_welded(const weld_result *result) {
  if (result->welded == 0)
    return;
  printf(" (%" PRId32 " vert%s welded", result->welded, result->welded == 1 ? "ex" : "ices");
  if (result->furthest > 0)
    printf(", over up to %s", units_si(result->furthest, "m").text);
  printf(")");
}

/* What a body is simpler than. */
static void print_skin(const scene_skin *skin) {
  if (skin->points == NULL)
    return;
  printf(" (of %" PRId32 " vertices, for %" PRId32 " substeps; %.3g %% of the area, moved by up to %s)",
         skin->count, skin->substeps, 100 * skin->area_kept, units_si(skin->furthest, "m").text);
}

static int32_t count_pinned(const scene *s, const scene_body *body) {
  int32_t pinned = 0;
  for (int32_t i = 0; i < body->particles.count; i++)
    pinned += msd_particle_is_pinned(s->world, body->particles.first + i);
  return pinned;
}

static void print_bodies(const scene *s) {
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    printf("  %-9s \"%s\": ", body->kind, body->name);
    if (body->rotors.rotors.count > 0)
      printf("%" PRId32 " rotor%s, %" PRId32 " angular spring%s", body->rotors.rotors.count,
             body->rotors.rotors.count == 1 ? "" : "s", body->rotors.springs.count,
             body->rotors.springs.count == 1 ? "" : "s");
    else
      printf("%" PRId32 " particles", body->particles.count);
    print_welded(&body->welded);
    print_skin(&body->skin);
    const int32_t pinned = count_pinned(s, body);
    if (body->columns > 0)
      printf(" (%" PRId32 " columns, %" PRId32 " rows)", body->columns, body->rows);
    if (body->cells[0] > 0)
      printf(" (%" PRId32 " x %" PRId32 " x %" PRId32 " cells)", body->cells[0], body->cells[1],
             body->cells[2]);
    if (pinned > 0)
      printf(", %" PRId32 " pinned", pinned);
    for (int g = 0; g < body->group_count; g++)
      print_group(&body->groups[g]);
    for (int g = 0; g < body->constraint_group_count; g++)
      print_constraint_group(&body->constraint_groups[g]);
    if (body->anchors.count > 0)
      printf(", %" PRId32 " anchor%s", body->anchors.count, body->anchors.count == 1 ? "" : "s");
    if (body->particles.count > 0)
      print_size(s, body);
    printf("\n");
  }
  if (s->joints.count > 0)
    printf("  joints: %" PRId32 " springs\n", s->joints.count);
}

/* What is not in every scene. */
static void print_constraints(const info *all) {
  if (all->stats.constraints > 0) {
    printf("  constraints       %" PRId32, all->stats.constraints);
    const char *separator = ": ";
    for (int kind = 0; kind < MSD_CONSTRAINT_KIND_COUNT; kind++)
      if (all->constraint_kinds[kind] > 0) {
        printf("%s%" PRId32 " %s", separator, all->constraint_kinds[kind],
               msd_constraint_kind_name((msd_constraint_kind)kind));
        separator = ", ";
      }
    printf("\n");
  }
  if (all->stats.anchors > 0)
    printf("  anchors           %" PRId32 "\n", all->stats.anchors);
}

static void print_particles(const info *all) {
  printf("  particles         %" PRId32 ", %" PRId32 " pinned\n", all->stats.particles, all->stats.pinned);
  if (all->pieces.pieces > 1)
    printf("  pieces            %" PRId32 " that nothing joins, %" PRId32 " of them held\n",
           all->pieces.pieces, all->pieces.held);
  printf("  springs           %" PRId32, all->stats.springs);
  const char *separator = ": ";
  for (int law = 0; law < MSD_SPRING_LAW_COUNT; law++) {
    if (all->laws[law] > 0) {
      printf("%s%" PRId32 " %s", separator, all->laws[law], msd_spring_law_name((msd_spring_law)law));
      separator = ", ";
    }
  }
  printf("\n");
  if (all->tearable > 0 || all->yielding > 0)
    printf("  wear              %" PRId32 " springs can tear, %" PRId32
           " of them by splitting particles, %" PRId32 " can yield\n",
           all->tearable, all->splitting, all->yielding);
}

static void print_text(const info *all) {
  const scene *s = all->scene;
  const msd_stats *stats = &all->stats;
  printf("%s%s%s\n", s->name, *s->title != '\0' ? ": " : "", s->title);
  if (*s->description != '\0')
    printf("%s\n", s->description);
  printf("\n");
  const bool has_particles = stats->particles > 0 || stats->rotors == 0;
  if (has_particles)
    print_particles(all);
  if (stats->rotors > 0)
    printf("  rotors            %" PRId32 ", %" PRId32 " angular springs\n", stats->rotors,
           stats->angular_springs);
  print_constraints(all);
  if (has_particles)
    printf("  mass              %.6g kg\n", stats->total_mass);
  contact_report_print_size(&all->memory.stepped, stdout);
  wind_report_print(s->world, stdout);
  memory_report_print(&all->memory, stdout);
  printf("  duration          %s in frames of %s\n\nbodies\n", units_si(s->duration, "s").text,
         units_si(s->time_step, "s").text);
  print_bodies(s);
  printf("\n");
  material_report_print(s, stdout);
  stability_report_print(s, &all->stability, stdout);
  contact_report_print_pile(s, all->stability.run_substeps, stdout);
  if (all->method.made) {
    char text[METHOD_TEXT_MAX];
    method_describe(&all->method, text, sizeof text);
    printf("  solver auto       for %.3g %%: %s\n", 100 * all->method.wanted, text);
  }
}

/* Adds to an object; *failed remembers that memory was short. */
static void set(json_t *object, const char *key, json_t *value, int *failed) {
  *failed |= json_object_set_new(object, key, value);
}

static json_t *bodies_json(const scene *s, int *failed) {
  json_t *bodies = json_array();
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    json_t *kinds = json_object(), *entry = json_object();
    for (int g = 0; g < body->group_count; g++)
      set(kinds, body->groups[g].name, json_integer(body->groups[g].springs.count), failed);
    set(entry, "name", json_string(body->name), failed);
    set(entry, "kind", json_string(body->kind), failed);
    set(entry, "particles", json_integer(body->particles.count), failed);
    set(entry, "pinned", json_integer(count_pinned(s, body)), failed);
    if (body->welded.welded > 0) {
      set(entry, "welded_vertices", json_integer(body->welded.welded), failed);
      set(entry, "welded_over", json_number(body->welded.furthest), failed);
    }
    if (body->skin.points != NULL) {
      set(entry, "simplified_from", json_integer(body->skin.count), failed);
      set(entry, "simplified_to_substeps", json_integer(body->skin.substeps), failed);
      set(entry, "simplified_area", json_number(body->skin.area_kept), failed);
      set(entry, "simplified_by", json_number(body->skin.furthest), failed);
    }
    set(entry, "springs", kinds, failed);
    json_t *constraints = json_object();
    for (int g = 0; g < body->constraint_group_count; g++)
      set(constraints, body->constraint_groups[g].name,
          json_integer(body->constraint_groups[g].constraints.count), failed);
    set(entry, "constraints", constraints, failed);
    set(entry, "anchors", json_integer(body->anchors.count), failed);
    json_t *size = json_array();
    double sides[3];
    scene_body_size(s, body, sides);
    for (int c = 0; c < 3; c++)
      *failed |= json_array_append_new(size, json_number(sides[c]));
    set(entry, "size", size, failed);
    *failed |= material_report_json(s, body, entry);
    if (body->rotors.rotors.count > 0) {
      set(entry, "rotors", json_integer(body->rotors.rotors.count), failed);
      set(entry, "angular_springs", json_integer(body->rotors.springs.count), failed);
    }
    *failed |= json_array_append_new(bodies, entry);
  }
  return bodies;
}

static json_t *laws_json(const info *all, int *failed) {
  json_t *laws = json_object();
  for (int law = MSD_SPRING_NONE + 1; law < MSD_SPRING_LAW_COUNT; law++)
    set(laws, msd_spring_law_name((msd_spring_law)law), json_integer(all->laws[law]), failed);
  return laws;
}

static json_t *constraint_kinds_json(const info *all, int *failed) {
  json_t *kinds = json_object();
  for (int kind = 0; kind < MSD_CONSTRAINT_KIND_COUNT; kind++)
    set(kinds, msd_constraint_kind_name((msd_constraint_kind)kind), json_integer(all->constraint_kinds[kind]),
        failed);
  return kinds;
}

static bool print_json(const info *all) {
  const scene *s = all->scene;
  int failed = 0;
  json_t *object = json_object();
  set(object, "scene", json_string(s->name), &failed);
  set(object, "title", json_string(s->title), &failed);
  set(object, "particles", json_integer(all->stats.particles), &failed);
  set(object, "springs", json_integer(all->stats.springs), &failed);
  set(object, "constraints", json_integer(all->stats.constraints), &failed);
  set(object, "anchors", json_integer(all->stats.anchors), &failed);
  set(object, "pinned", json_integer(all->stats.pinned), &failed);
  set(object, "pieces", json_integer(all->pieces.pieces), &failed);
  set(object, "held_pieces", json_integer(all->pieces.held), &failed);
  if (all->stats.rotors > 0) {
    set(object, "rotors", json_integer(all->stats.rotors), &failed);
    set(object, "angular_springs", json_integer(all->stats.angular_springs), &failed);
  }
  set(object, "total_mass", json_number(all->stats.total_mass), &failed);
  failed |= contact_report_size_json(&all->memory.stepped, object);
  failed |= wind_report_json(s->world, object);
  failed |= memory_report_json(&all->memory, object);
  set(object, "bodies", bodies_json(s, &failed), &failed);
  set(object, "joints", json_integer(s->joints.count), &failed);
  set(object, "tearable_springs", json_integer(all->tearable), &failed);
  set(object, "splitting_springs", json_integer(all->splitting), &failed);
  set(object, "yielding_springs", json_integer(all->yielding), &failed);
  set(object, "laws", laws_json(all, &failed), &failed);
  set(object, "constraint_kinds", constraint_kinds_json(all, &failed), &failed);
  set(object, "dt", json_number(s->time_step), &failed);
  set(object, "duration", json_number(s->duration), &failed);
  failed |= stability_report_json(s, &all->stability, object);
  failed |= contact_report_pile_json(s, all->stability.run_substeps, object);
  if (all->method.made) {
    char text[METHOD_TEXT_MAX];
    method_describe(&all->method, text, sizeof text);
    set(object, "solver_auto", json_string(text), &failed);
  }
  if (failed == 0)
    failed = json_dumpf(object, stdout, JSON_INDENT(2));
  printf("\n");
  json_decref(object);
  return failed == 0;
}

int command_info(int argc, char **argv) {
  static const option_spec specs[] = {{OPTION_JSON, "json", NULL, "print one JSON object", NULL},
                                      {OPTION_ESTIMATE, "estimate", NULL,
                                       "estimate the limit at the present positions of a large scene too",
                                       NULL}};
  static const command_line line = {
      .name = "info",
      .operand = "SCENE",
      .summary =
          "Counts and weighs a scene and tells how large a time step it can take. SCENE is a scene file, or\n"
          "the name of one that ships ('msd list').",
      .options = specs,
      .option_count = 2};
  option_reader reader = options_begin(&line, argc, argv);
  bool json = false, with_estimate = false;
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    json = json || id == OPTION_JSON;
    with_estimate = with_estimate || id == OPTION_ESTIMATE;
  }
  if (id != OPTIONS_END)
    return id == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;

  scene *s = scene_input_load(line.name, reader.operand);
  if (s == NULL)
    return STATUS_BAD_INPUT;
  info all;
  problem p;
  int status = STATUS_DONE;
  if (!gather(s, with_estimate, &all, &p)) {
    message_error(line.name, "%s", p.text);
    status = STATUS_BAD_INPUT;
  } else {
    scene_input_warn(line.name, s);
    if (!json) {
      print_text(&all);
    } else if (!print_json(&all)) {
      message_error(line.name, "out of memory for the JSON object");
      status = STATUS_FAILED;
    }
  }
  scene_free(s);
  return status;
}

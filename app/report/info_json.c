/* The JSON object of msd info. */
#include "app/report/info.h"

#include "app/base/json_values.h"
#include "app/report/contact_report.h"
#include "app/report/mass_redistribution_report.h"
#include "app/report/material_report.h"
#include "app/report/wind_report.h"

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
    set(entry, "pinned", json_integer(info_count_pinned(s, body)), failed);
    if (body->welded.welded > 0) {
      set(entry, "merged_vertices", json_integer(body->welded.welded), failed);
      set(entry, "merged_within", json_number(body->welded.furthest), failed);
    }
    if (body->skin.points != NULL) {
      set(entry, "decimated_from", json_integer(body->skin.count), failed);
      set(entry, "decimated_to_substeps", json_integer(body->skin.substeps), failed);
      set(entry, "decimated_area", json_number(body->skin.area_kept), failed);
      set(entry, "decimated_by", json_number(body->skin.furthest), failed);
    }
    set(entry, "springs", kinds, failed);
    json_t *constraints = json_object();
    for (int g = 0; g < body->constraint_group_count; g++)
      set(constraints, body->constraint_groups[g].name,
          json_integer(body->constraint_groups[g].constraints.count), failed);
    set(entry, "constraints", constraints, failed);
    set(entry, "soft_pins", json_integer(body->soft_pins.count), failed);
    json_t *size = json_array();
    double sides[3];
    scene_body_size(s, body, sides);
    for (int c = 0; c < 3; c++)
      *failed |= json_array_append_new(size, json_number(sides[c]));
    set(entry, "size", size, failed);
    *failed |= material_report_json(s, body, entry);
    if (body->rotors.rotors.count > 0) {
      set(entry, "rotors", json_integer(body->rotors.rotors.count), failed);
      set(entry, "torsion_springs", json_integer(body->rotors.springs.count), failed);
    }
    *failed |= json_array_append_new(bodies, entry);
  }
  return bodies;
}

static json_t *laws_json(const scene_info *all, int *failed) {
  json_t *laws = json_object();
  for (int law = MSD_SPRING_NONE + 1; law < MSD_SPRING_LAW_COUNT; law++)
    set(laws, msd_spring_law_name((msd_spring_law)law), json_integer(all->laws[law]), failed);
  return laws;
}

static json_t *constraint_kinds_json(const scene_info *all, int *failed) {
  json_t *kinds = json_object();
  for (int kind = 0; kind < MSD_CONSTRAINT_KIND_COUNT; kind++)
    set(kinds, msd_constraint_kind_name((msd_constraint_kind)kind), json_integer(all->constraint_kinds[kind]),
        failed);
  return kinds;
}

bool info_print_json(const scene_info *all, FILE *stream) {
  const scene *s = all->scene;
  int failed = 0;
  json_t *object = json_object();
  set(object, "scene", json_string(s->name), &failed);
  set(object, "title", json_string(s->title), &failed);
  set(object, "particles", json_integer(all->stats.particles), &failed);
  set(object, "springs", json_integer(all->stats.springs), &failed);
  set(object, "constraints", json_integer(all->stats.constraints), &failed);
  set(object, "soft_pins", json_integer(all->stats.soft_pins), &failed);
  set(object, "pinned", json_integer(all->stats.pinned), &failed);
  set(object, "components", json_integer(all->components.components), &failed);
  set(object, "attached_components", json_integer(all->components.attached), &failed);
  if (all->stats.rotors > 0) {
    set(object, "rotors", json_integer(all->stats.rotors), &failed);
    set(object, "torsion_springs", json_integer(all->stats.torsion_springs), &failed);
  }
  set(object, "total_mass", json_number(all->stats.total_mass), &failed);
  failed |= contact_report_size_json(&all->memory.stepped, object);
  failed |= wind_report_json(s->world, object);
  failed |= memory_report_json(&all->memory, object);
  set(object, "bodies", bodies_json(s, &failed), &failed);
  set(object, "connections", json_integer(s->joints.count), &failed);
  set(object, "tearable_springs", json_integer(all->tearable), &failed);
  set(object, "splitting_springs", json_integer(all->splitting), &failed);
  set(object, "yielding_springs", json_integer(all->yielding), &failed);
  set(object, "laws", laws_json(all, &failed), &failed);
  set(object, "constraint_kinds", constraint_kinds_json(all, &failed), &failed);
  set(object, "origin", json_pack("[f,f,f]", s->origin[0], s->origin[1], s->origin[2]), &failed);
  set(object, "frame_time", json_number(s->frame_time), &failed);
  set(object, "duration", json_number(s->duration), &failed);
  failed |= stability_report_json(s, &all->stability, object);
  failed |= contact_report_pile_json(s, all->stability.run_substeps, object);
  if (all->method.made) {
    char text[METHOD_TEXT_MAX];
    method_describe(&all->method, text, sizeof text);
    set(object, "solver_auto", json_string(text), &failed);
  }
  if (failed == 0)
    failed = json_dumpf(object, stream, JSON_INDENT(2));
  fputc('\n', stream);
  json_decref(object);
  return failed == 0;
}

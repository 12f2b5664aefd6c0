#include "scenes/loader/scene_part.h"

#include "scenes/input/suggestion.h"

/* Of the scene and of a body. What else there may be in a file is not known to act on single springs or
   particles alone. */
static const char *const scene_keys[] = {"msd",
                                         "$schema",
                                         "title",
                                         "description",
                                         "gravity",
                                         "linear_damping",
                                         "duration",
                                         "frame_time",
                                         "substeps",
                                         "limit",
                                         "start",
                                         "integrator",
                                         "impulse_iterations",
                                         "impulse_warm_start",
                                         "energy_mode",
                                         "mass_scaling",
                                         "solver",
                                         "bodies",
                                         NULL};
static const char *const body_keys[] = {"type",      "name",     "velocity", "pinned",  "from",   "to",
                                        "particles", "mass",     "stretch",  "bend",    "origin", "u",
                                        "v",         "columns",  "rows",     "stretch", "shear",  "size",
                                        "cells",     "material", "volume",   NULL};
/* What is made of a mesh are springs whose stiffness does not follow from all of its triangles. */
static const char *const mesh_keys[] = {"type",     "name",  "velocity",     "pinned",  "file", "position",
                                        "rotation", "scale", "area_density", "stretch", "bend", NULL};
static const char *const tetmesh_keys[] = {"type",     "name",  "velocity", "pinned",  "file",   "position",
                                           "rotation", "scale", "density",  "stretch", "volume", NULL};
static const char *const kinds[] = {"rope", "cloth", "block", "mesh", "tetmesh", NULL};
static const char *const *const keys_of[] = {body_keys, body_keys, body_keys, mesh_keys, tetmesh_keys};

static bool refuse(const json_place *place) {
  return place_fail(
      place,
      "is not supported with --partition distributed; leave it out, or use --partition strips or graph");
}

static bool check_keys(const json_place *object, const char *const keys[]) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object->value, key, value) {
    const json_place place = place_member(object, key);
    if (word_index(key, keys) < 0)
      return refuse(&place);
  }
  return true;
}

bool scene_part_check(const json_place *root, const scene *s) {
  const json_place list = place_member(root, "bodies"), start = place_member(root, "start");
  if (!check_keys(root, scene_keys))
    return false;
  if (s->starts_at_rest)
    return refuse(&start);
  for (int b = 0; b < s->body_count; b++) {
    const json_place place = place_item(&list, (size_t)b), kind = place_member(&place, "type");
    const int index = word_index(s->bodies[b].kind, kinds);
    if (index < 0)
      return refuse(&kind);
    if (!check_keys(&place, keys_of[index]))
      return false;
  }
  return true;
}

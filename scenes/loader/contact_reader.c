#include "scenes/loader/contact_reader.h"

#include "scenes/input/suggestion.h"

#include <stdlib.h>
#include <string.h>

const quantity friction_coefficient = {"a coefficient of friction of 0 or more", 0, NUMBER_LARGEST};
static const quantity thickness_of_surface = {"a length of 0 or more in m", 0, NUMBER_LARGEST};

bool surface_keys_read(const json_place *body, const char *kind, scene_surface *out) {
  static const char *const keys[] = {"thickness", "friction", "self_collision", NULL};
  const json_place place = place_member(body, "collision");
  *out = (scene_surface){MSD_CONTACT_THICKNESS, MSD_CONTACT_FRICTION, true, -1};
  if (!place.value)
    return true;
  if (strcmp(kind, "particles") == 0)
    return place_fail(
        &place,
        "is for ropes, cloths, meshes and blocks; a body of type \"particles\" has no collision mesh");
  return place_check_object(&place, keys) &&
         read_real(&place, "thickness", &thickness_of_surface, &out->thickness) &&
         read_real(&place, "friction", &friction_coefficient, &out->friction) &&
         read_flag(&place, "self_collision", &out->self_collision);
}

/* ----------------------------------------------------------------------------------------------- surfaces */

static bool has_surface(const scene_body *body) {
  return body->triangle_count > 0 || body->segment_count > 0;
}

static msd_result add_surface(scene *s, scene_body *body) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = body->triangles;
  def.triangle_count = body->triangle_count;
  def.segments = body->segments;
  def.segment_count = body->segment_count;
  def.thickness = body->surface.thickness;
  def.friction = body->surface.friction;
  def.self_collision = body->surface.self_collision;
  return has_surface(body) ? msd_add_collision_meshes(s->world, &def, 1, &body->surface.number) : MSD_OK;
}

/* Colliders are led, and do not touch each other. Nor do bodies, where they are not said to. */
static bool never_touch(const scene_body *a, const scene_body *b, bool self) {
  return a->is_collider == b->is_collider && (a->is_collider || !self);
}

static msd_result ignore(scene *s, const scene_body *a, const scene_body *b) {
  return a->surface.number >= 0 && b->surface.number >= 0
             ? msd_collision_mesh_exclude(s->world, a->surface.number, b->surface.number)
             : MSD_OK;
}

static bool add_surfaces(const json_place *place, scene *s, bool self) {
  msd_result result = MSD_OK;
  for (int i = 0; result == MSD_OK && i < s->body_count; i++)
    result = add_surface(s, &s->bodies[i]);
  for (int i = 0; i < s->body_count; i++)
    for (int k = i; result == MSD_OK && k < s->body_count; k++)
      if (never_touch(&s->bodies[i], &s->bodies[k], self))
        result = ignore(s, &s->bodies[i], &s->bodies[k]);
  return result == MSD_OK || place_fail(place, "%s", msd_world_message(s->world));
}

/* --------------------------------------------------------------------------------------------- what ignores */

/* The body or mesh collider of that name, bodies first; NULL with the error filled. */
static const scene_body *find_named(const json_place *place, const scene *s) {
  const char *name = json_string_value(place->value);
  const char **words = calloc((size_t)s->body_count + 1, sizeof *words);
  if (!words) {
    place_out_of_memory(place);
    return NULL;
  }
  for (int i = 0; i < s->body_count; i++)
    words[i] = s->bodies[i].name;
  const int found = word_index(name, words);
  if (found < 0) {
    char suggestion[SUGGESTION_MAX];
    suggest_word(suggestion, name, words);
    place_fail(place, "there is no body or mesh collider \"%.60s\"; %s", name, suggestion);
  }
  free(words);
  return found < 0 ? NULL : &s->bodies[found];
}

static bool read_pair(const json_place *pair, scene *s) {
  const char *text = "two names, such as [\"shirt\", \"collar\"]";
  const scene_body *of[2] = {NULL};
  if (!place_check_array_of(pair, 2, text))
    return false;
  for (size_t n = 0; n < 2; n++) {
    const json_place name = place_item(pair, n);
    if (!json_is_string(name.value))
      return place_fail_type(&name, "the name of a body or mesh collider");
    if (s->world && !(of[n] = find_named(&name, s)))
      return false;
  }
  return !s->world || ignore(s, of[0], of[1]) == MSD_OK ||
         place_fail(pair, "%s", msd_world_message(s->world));
}

static bool read_ignored(const json_place *place, scene *s) {
  const json_place list = place_member(place, "exclude");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of pairs that ignore each other, such as [[\"shirt\", \"collar\"]]"))
    return false;
  for (size_t n = 0; n < json_array_size(list.value); n++) {
    const json_place pair = place_item(&list, n);
    if (!read_pair(&pair, s))
      return false;
  }
  return true;
}

/* ---------------------------------------------------------------------------------------------- the whole */

static bool any_splits(const scene *s, msd_range springs) {
  bool some = false;
  for (int32_t e = springs.first; e < springs.first + springs.count && !some; e++)
    some = msd_spring_get_damage(s->world, e).split;
  return some;
}

/* A group wears as a whole, but for springs of a list, each of which says it. */
static bool some_split(const scene *s) {
  bool some = any_splits(s, s->joints);
  for (int b = 0; b < s->body_count && !some; b++) {
    const scene_body *body = &s->bodies[b];
    const bool is_list = strcmp(body->kind, "particles") == 0;
    for (int g = 0; g < body->group_count && !some; g++) {
      const msd_range all = body->groups[g].springs;
      some = any_splits(s, is_list || all.count == 0 ? all : (msd_range){all.first, 1});
    }
  }
  return some;
}

/* What is shown in the place of a simpler mesh has no corners of its own to split. */
static bool check_splits(const json_place *root, const scene *s) {
  for (int i = 0; i < s->body_count; i++)
    if (s->bodies[i].skin.points && some_split(s))
      return place_fail(
          root, "has springs with \"split\", and \"%.60s\" is decimated; a scene can have one or the other",
          s->bodies[i].name);
  return true;
}

/* What touches, what air pushes, and what tears by splitting. */
static bool needs_surfaces(const scene *s, bool self) {
  return self || some_split(s) || scene_has_mesh_collider(s) || msd_world_get_wind(s->world).density > 0;
}

bool contact_read(const json_place *root, scene *s) {
  static const char *const keys[] = {
      "thickness", "friction", "relaxation", "self_collision", "error_on_intersection", "exclude", NULL};
  static const quantity relaxation = {"a number from 0 to 0.99", 0, 0.99};
  const json_place place = place_member(root, "contact");
  msd_contact_settings def = msd_default_contact_settings();
  bool self = false;
  if (place.value && (!place_check_object(&place, keys) ||
                      !read_real(&place, "thickness", &thickness_of_surface, &def.thickness) ||
                      !read_real(&place, "friction", &friction_coefficient, &def.friction) ||
                      !read_real(&place, "relaxation", &relaxation, &def.relaxation) ||
                      !read_flag(&place, "self_collision", &self) ||
                      !read_flag(&place, "error_on_intersection", &def.error_on_intersection)))
    return false;
  if (place.value && s->world && msd_world_set_contact_settings(s->world, &def) != MSD_OK)
    return place_fail(&place, "%s", msd_world_message(s->world));
  if (s->world && (!check_splits(root, s) || (needs_surfaces(s, self) && !add_surfaces(root, s, self))))
    return false;
  return !place.value || read_ignored(&place, s);
}

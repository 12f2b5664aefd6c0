#include "app/report/places.h"

#include <stdio.h>
#include <string.h>

static bool contains(msd_range range, int32_t index) {
  return index >= range.first && index - range.first < range.count;
}

const scene_body *place_body_of_spring(const scene *s, int32_t spring) {
  for (int b = 0; b < s->body_count; b++)
    if (contains(s->bodies[b].springs, spring))
      return &s->bodies[b];
  return NULL;
}

const scene_body *place_body_of_constraint(const scene *s, int32_t constraint) {
  for (int b = 0; b < s->body_count; b++)
    if (contains(s->bodies[b].constraints, constraint))
      return &s->bodies[b];
  return NULL;
}

const scene_group *place_group_of_spring(const scene_body *body, int32_t spring) {
  for (int g = 0; body != NULL && g < body->group_count; g++)
    if (contains(body->groups[g].springs, spring))
      return &body->groups[g];
  return NULL;
}

const scene_constraint_group *place_group_of_constraint(const scene_body *body, int32_t constraint) {
  for (int g = 0; body != NULL && g < body->constraint_group_count; g++)
    if (contains(body->constraint_groups[g].constraints, constraint))
      return &body->constraint_groups[g];
  return NULL;
}

void place_springs_noun(const scene_group *group, bool many, char *text, size_t size) {
  const char *plural = many ? "s" : "";
  if (group == NULL)
    snprintf(text, size, "connection%s", plural);
  else if (strcmp(group->name, "tethers") == 0)
    snprintf(text, size, "tether%s", plural);
  else if (strcmp(group->name, "springs") == 0)
    snprintf(text, size, "spring%s", plural);
  else
    snprintf(text, size, "%s spring%s", group->name, plural);
}

const char *place_constraints_noun(msd_constraint_kind kind, bool many) {
  static const char *const nouns[MSD_CONSTRAINT_KIND_COUNT][2] = {
      [MSD_CONSTRAINT_ANGLE] = {"bend angle", "bend angles"},
      [MSD_CONSTRAINT_DIHEDRAL] = {"bend hinge", "bend hinges"},
      [MSD_CONSTRAINT_AREA] = {"area constraint", "area constraints"},
      [MSD_CONSTRAINT_VOLUME] = {"volume constraint", "volume constraints"},
      [MSD_CONSTRAINT_FIBER] = {"fiber", "fibers"},
      [MSD_CONSTRAINT_MESH_VOLUME] = {"enclosed volume", "enclosed volumes"}};
  return (unsigned)kind < MSD_CONSTRAINT_KIND_COUNT ? nouns[kind][many] : "constraint";
}

static const scene_body *body_of_particle(const scene *s, int32_t particle) {
  for (int b = 0; b < s->body_count; b++)
    if (contains(s->bodies[b].particles, msd_particle_get_origin(s->world, particle)))
      return &s->bodies[b];
  return NULL;
}

/* The description of a particle without the kind and the name of its body, with which it begins. */
void place_in_body(const scene *s, int32_t particle, char *text, size_t size) {
  char whole[PLACE_TEXT_MAX], prefix[PLACE_TEXT_MAX];
  const scene_body *body = body_of_particle(s, particle);
  scene_describe_particle(s, particle, whole, sizeof whole);
  const int length = body != NULL ? snprintf(prefix, sizeof prefix, "%s \"%s\" ", body->kind, body->name) : 0;
  const bool is_cut = length >= (int)sizeof prefix || strncmp(whole, prefix, (size_t)length) != 0;
  snprintf(text, size, "%s", is_cut ? whole : whole + length);
}

void place_of_spring(const scene *s, int32_t spring, char *text, size_t size) {
  const scene_body *body = place_body_of_spring(s, spring);
  char noun[64], end[64];
  place_springs_noun(place_group_of_spring(body, spring), false, noun, sizeof noun);
  const int32_t a = msd_spring_get_def(s->world, spring).a;
  if (body == NULL) {
    scene_describe_particle(s, a, text, size);
    char from[PLACE_TEXT_MAX];
    snprintf(from, sizeof from, "%s", text);
    snprintf(text, size, "%s at %s", noun, from);
    return;
  }
  place_in_body(s, a, end, sizeof end);
  snprintf(text, size, "%s, %s, %s", body->name, noun, end);
}

void place_of_constraint(const scene *s, int32_t constraint, char *text, size_t size) {
  const msd_constraint_def def = msd_constraint_get_def(s->world, constraint);
  const scene_body *body = place_body_of_constraint(s, constraint);
  const char *name = body != NULL ? body->name : "scene", *noun = place_constraints_noun(def.kind, false);
  char corner[64];
  if (def.kind == MSD_CONSTRAINT_MESH_VOLUME) {
    snprintf(text, size, "%s, %s", name, noun);
    return;
  }
  place_in_body(s, def.particles[0], corner, sizeof corner);
  snprintf(text, size, "%s, %s at %s", name, noun, corner);
}

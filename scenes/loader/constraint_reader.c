#include "scenes/loader/constraint_reader.h"

#include "scenes/loader/particle_name.h"
#include "scenes/loader/spring_reader.h"

#include <stdio.h>
#include <stdlib.h>

/* What a scene file may say about a kind. */
typedef struct kind_rules {
  spring_value value;
  quantity rest;
} kind_rules;

#define PI 3.14159265358979324

static const kind_rules rules[] = {
    [MSD_CONSTRAINT_ANGLE] = {SPRING_ANGLE, {"an angle in rad, 0 to pi (straight)", 0, PI}},
    [MSD_CONSTRAINT_DIHEDRAL] = {SPRING_ANGLE, {"an angle in rad, -pi to pi (0 is flat)", -PI, PI}},
    [MSD_CONSTRAINT_AREA] = {SPRING_AREA, {"an area of 0 or more in m^2", 0, NUMBER_LARGEST}},
    [MSD_CONSTRAINT_VOLUME] = {SPRING_VOLUME, {"a volume in m^3", -NUMBER_LARGEST, NUMBER_LARGEST}}};

enum { KINDS = sizeof rules / sizeof rules[0] };

static bool read_kind(const json_place *place, msd_constraint_kind *kind) {
  const char *words[KINDS + 1] = {NULL};
  for (int k = 0; k < KINDS; k++)
    words[k] = msd_constraint_kind_name((msd_constraint_kind)k);
  int choice = 0;
  if (!require_member(place, "kind", "\"angle\", \"dihedral\", \"area\" or \"volume\"") ||
      !read_choice(place, "kind", words, &choice))
    return false;
  *kind = (msd_constraint_kind)choice;
  return true;
}

static bool read_corners(const body_task *t, const json_place *place, msd_constraint_def *def) {
  size_t wanted = (size_t)msd_constraint_kind_particles(def->kind);
  json_place list = place_member(place, "particles");
  char text[80];
  snprintf(text, sizeof text, "a list of %zu different particles of this body", wanted);
  if (!json_is_array(list.value) || json_array_size(list.value) != wanted)
    return place_fail_type(&list, text);
  for (size_t c = 0; c < wanted; c++) {
    json_place item = place_item(&list, c);
    if (!particle_read(&item, t->world, t->body, &def->particles[c]))
      return false;
    for (size_t other = 0; other < c; other++)
      if (def->particles[c] == def->particles[other])
        return place_fail(&item, "is the same particle as another one of the list; give %s", text);
  }
  return true;
}

static bool read_constraint(const body_task *t, const json_place *place, msd_constraint_def *def) {
  static const char *const keys[] = {"kind", "particles", "rest", SPRING_LAW_KEYS, NULL};
  *def = msd_default_constraint_def();
  if (!place_check_object(place, keys) || !read_kind(place, &def->kind))
    return false;
  const kind_rules *rule = &rules[def->kind];
  msd_spring_def law = msd_default_spring_def();
  law.law = MSD_SPRING_COEFFICIENT; /* the stiffest certified, when the file gives none */
  bool given;
  if (!read_corners(t, place, def) || !read_real(place, "rest", &rule->rest, &def->rest) ||
      !spring_read_law(place, rule->value, &law, &given))
    return false;
  SPRING_PUT_LAW(def, &law);
  return true;
}

bool constraints_read(const body_task *t) {
  json_place list = place_member(t->place, "constraints");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of constraints"))
    return false;
  size_t count = json_array_size(list.value);
  msd_constraint_def *defs = malloc((count + 1) * sizeof *defs);
  if (!defs)
    return place_out_of_memory(&list);
  bool done = true;
  for (size_t i = 0; done && i < count; i++) {
    json_place item = place_item(&list, i);
    done = read_constraint(t, &item, &defs[i]);
  }
  msd_range *made = &t->body->constraints;
  made->count = (int32_t)count;
  done = done && body_check_added(t, msd_add_constraints(t->world, defs, (int)count, &made->first));
  if (done)
    body_add_constraint_group(t->body, "constraints", *made);
  free(defs);
  return done;
}

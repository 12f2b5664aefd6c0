#include "scenes/loader/constraint_reader.h"

#include "scenes/loader/damage_reader.h"
#include "scenes/loader/particle_name.h"
#include "scenes/loader/spring_reader.h"

#include <stdio.h>

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
    [MSD_CONSTRAINT_VOLUME] = {SPRING_VOLUME, {"a volume in m^3", -NUMBER_LARGEST, NUMBER_LARGEST}},
    [MSD_CONSTRAINT_FIBER] = {SPRING_STRETCH,
                              {"a stretch of 0 or more (1 is as placed)", 0, NUMBER_LARGEST}}};

enum { KINDS = sizeof rules / sizeof rules[0] };

static bool read_kind(const json_place *place, msd_constraint_kind *kind) {
  const char *words[KINDS + 1] = {NULL};
  for (int k = 0; k < KINDS; k++)
    words[k] = msd_constraint_kind_name((msd_constraint_kind)k);
  int choice = 0;
  if (!require_member(place, "type", "\"angle\", \"dihedral\", \"area\", \"volume\" or \"fiber\"") ||
      !read_choice(place, "type", words, &choice))
    return false;
  *kind = (msd_constraint_kind)choice;
  return true;
}

static bool read_corners(const body_task *t, const json_place *place, msd_constraint_def *def) {
  size_t wanted = (size_t)msd_constraint_kind_particles(def->kind);
  json_place list = place_member(place, "particles");
  char text[80];
  const bool may_be_less = def->kind == MSD_CONSTRAINT_FIBER;
  snprintf(text, sizeof text, "a list of %s%zu different particles of this body", may_be_less ? "3 or " : "",
           wanted);
  if (may_be_less && json_array_size(list.value) == 3)
    wanted = 3;
  if (!place_check_array_of(&list, wanted, text))
    return false;
  for (size_t c = 0; c < wanted; c++) {
    json_place item = place_item(&list, c);
    if (!particle_read(&item, t->world, t->body, &def->particles[c]))
      return false;
    for (size_t other = 0; t->world && other < c; other++)
      if (def->particles[c] == def->particles[other])
        return place_fail(&item, "is the same particle as another one of the list; give %s", text);
  }
  return true;
}

/* What only a fiber has: its compression factor, and its weights along "direction" where its particles are. */
static bool read_direction(const body_task *t, const json_place *place, msd_constraint_def *def) {
  const int corners = def->particles[3] < 0 ? 3 : 4;
  const json_place at = place_member(place, "direction"), factor = place_member(place, "compression_factor");
  msd_vec3 direction = {0, 0, 0}, rest[4] = {{0, 0, 0}};
  if (def->kind != MSD_CONSTRAINT_FIBER)
    return (!at.value && !factor.value) ||
           place_fail(at.value ? &at : &factor, "is only for fibers; leave it out");
  if (!require_member(place, "direction", "the direction of the fiber, three numbers") ||
      !read_vector(place, "direction", &direction))
    return false;
  for (int n = 0; t->world && n < corners; n++)
    rest[n] = msd_particle_get_position(t->world, def->particles[n]);
  if (t->world && msd_fiber_weights(rest, corners, direction, def->weights) != MSD_OK)
    return place_fail(
        &at,
        corners == 3
            ? "is perpendicular to the triangle, or the triangle has no area; give a direction in its plane"
            : "has no length, or the tetrahedron is flat");
  static const quantity part = {"a factor from 0 to 1 on the stiffness against compression", 0, 1};
  return read_real(place, "compression_factor", &part, &def->compression_factor);
}

static bool read_constraint(const void *context, const json_place *place, void *item) {
  static const char *const keys[] = {
      "type", "particles", "direction", "rest", "compression_factor", SPRING_LAW_KEYS, CONSTRAINT_DAMAGE_KEYS,
      NULL};
  msd_constraint_def *def = item;
  *def = msd_default_constraint_def();
  if (!place_check_object(place, keys) || !read_kind(place, &def->kind))
    return false;
  const kind_rules *rule = &rules[def->kind];
  msd_spring_def law;
  if (!read_corners(context, place, def) || !read_direction(context, place, def) ||
      !read_real(place, "rest", &rule->rest, &def->rest) || !spring_read_own_law(place, rule->value, &law))
    return false;
  SPRING_PUT_LAW(def, &law);
  return true;
}

static msd_result add_constraints(msd_world *world, const void *defs, int count, int32_t *first) {
  return msd_add_constraints(world, defs, count, first);
}

bool constraints_read(const body_task *t) {
  msd_range *made = &t->body->constraints;
  if (!body_add_list(t, "constraints", "a list of constraints", sizeof(msd_constraint_def), read_constraint,
                     add_constraints, made))
    return false;
  body_add_constraint_group(t->body, "constraints", *made);
  const json_place list = place_member(t->place, "constraints");
  return damage_read_constraints(&list, t->world, made->first);
}

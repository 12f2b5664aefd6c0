/* Bodies of particles, springs and constraints given one by one. */
#include "scenes/loader/body_task.h"
#include "scenes/loader/constraint_reader.h"
#include "scenes/loader/damage_reader.h"
#include "scenes/loader/particle_name.h"
#include "scenes/loader/spring_reader.h"

#include <stdlib.h>
#include <string.h>

/* One number for each particle, or one for all. */
static bool read_masses(const json_place *object, msd_particle_def *defs, size_t particles) {
  json_place list = place_member(object, "mass");
  if (!list.value)
    return true;
  bool each = json_is_array(list.value);
  if (!each && !json_is_number(list.value))
    return place_fail_type(&list, "a mass in kg, or a list of one for each particle");
  if (each && json_array_size(list.value) != particles)
    return place_fail(&list, "has %zu masses for %zu particles; give one for each, or one number for all",
                      json_array_size(list.value), particles);
  for (size_t i = 0; i < particles; i++) {
    json_place item = each ? place_item(&list, i) : list;
    double kg = 0;
    if (!place_get_number(&item, &body_mass, &kg))
      return false;
    defs[i].mass = (msd_real)kg;
  }
  return true;
}

bool body_has_velocities(const json_place *body) {
  const json_place list = place_member(body, "velocity"), kind = place_member(body, "type");
  const bool one = json_is_array(list.value) && json_is_number(json_array_get(list.value, 0));
  return list.value && !one && strcmp(json_string_value(kind.value), "particles") == 0;
}

static bool read_velocities(const json_place *object, msd_particle_def *defs, size_t particles) {
  json_place list = place_member(object, "velocity");
  if (!body_has_velocities(object))
    return true;
  if (!place_check_array(&list, "one velocity [x, y, z] in m/s, or a list of one for each particle"))
    return false;
  if (json_array_size(list.value) != particles)
    return place_fail(&list, "has %zu velocities for %zu particles; give one for each",
                      json_array_size(list.value), particles);
  for (size_t i = 0; i < particles; i++) {
    json_place item = place_item(&list, i);
    if (!place_get_vector(&item, &defs[i].velocity))
      return false;
  }
  return true;
}

static bool read_particle(const void *context, const json_place *place, void *item) {
  (void)context;
  msd_particle_def *def = item;
  *def = msd_default_particle_def();
  return place_get_position(place, &def->position);
}

static bool add_particles(const body_task *t) {
  const char *text = "a list of at least one position [x, y, z] in m";
  json_list list;
  if (!require_member(t->place, "position", text) ||
      !read_list(t->place, "position", text, sizeof(msd_particle_def), read_particle, NULL, &list))
    return false;
  json_place place = place_member(t->place, "position");
  bool done = list.count > 0 || place_fail(&place, "is empty; it must be %s", text);
  done = done && read_velocities(t->place, list.items, list.count) &&
         read_masses(t->place, list.items, list.count);
  msd_range *made = &t->body->particles;
  if (done && t->world)
    done = body_check_added(t, msd_add_particles(t->world, list.items, (int)list.count, &made->first));
  if (done && t->world)
    made->count = (int32_t)list.count;
  free(list.items);
  return done;
}

static bool read_spring(const void *context, const json_place *place, void *item) {
  const char *text = "two particles of this body, such as [0, 1]";
  const body_task *t = context;
  msd_spring_def *def = item;
  json_place ends = place_member(place, "between");
  if (!spring_read_single(place, text, def) || !place_check_array_of(&ends, 2, text))
    return false;
  json_place a = place_item(&ends, 0), b = place_item(&ends, 1);
  return particle_read(&a, t->world, t->body, &def->a) && particle_read(&b, t->world, t->body, &def->b) &&
         spring_check_ends(&ends, def->a, def->b, "particle");
}

static msd_result add_springs(msd_world *world, const void *defs, int count, int32_t *first) {
  return msd_add_springs(world, defs, count, first);
}

static bool read_springs(const body_task *t) {
  msd_range *made = &t->body->springs;
  if (!body_add_list(t, "springs", "a list of springs", sizeof(msd_spring_def), read_spring, add_springs,
                     made))
    return false;
  body_add_group(t->body, "springs", *made);
  const json_place list = place_member(t->place, "springs");
  damage_backing backing;
  if (!damage_read_list(&list, t->world, made->first, &backing))
    return false;
  damage_keep_backing(t->body, &backing);
  return true;
}

bool body_read_particles(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "position", "mass", "springs", "constraints", NULL};
  return place_check_object(t->place, keys) && add_particles(t) && read_springs(t) && constraints_read(t);
}

/* Bodies of particles, springs and constraints given one by one. */
#include "scenes/loader/body_task.h"
#include "scenes/loader/constraint_reader.h"
#include "scenes/loader/particle_name.h"
#include "scenes/loader/spring_reader.h"

#include <stdlib.h>

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

static bool read_velocities(const json_place *object, msd_particle_def *defs, size_t particles) {
  json_place list = place_member(object, "velocity");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of velocities [x, y, z] in m/s"))
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

static bool read_positions(const json_place *list, msd_particle_def *defs, size_t particles) {
  for (size_t i = 0; i < particles; i++) {
    json_place item = place_item(list, i);
    defs[i] = msd_default_particle_def();
    if (!place_get_vector(&item, &defs[i].position))
      return false;
  }
  return true;
}

static bool read_spring(const body_task *t, const json_place *place, msd_spring_def *def) {
  const char *text = "two particles of this body, such as [0, 1]";
  if (!spring_read_single(place, text, def))
    return false;
  json_place ends = place_member(place, "between");
  if (!json_is_array(ends.value) || json_array_size(ends.value) != 2)
    return place_fail_type(&ends, text);
  json_place a = place_item(&ends, 0), b = place_item(&ends, 1);
  if (!particle_read(&a, t->world, t->body, &def->a) || !particle_read(&b, t->world, t->body, &def->b))
    return false;
  return def->a != def->b || place_fail(&ends, "joins a particle with itself; give two different ones");
}

static bool read_springs(const body_task *t) {
  json_place list = place_member(t->place, "springs");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of springs"))
    return false;
  size_t springs = json_array_size(list.value);
  msd_spring_def *defs = malloc((springs + 1) * sizeof *defs);
  if (!defs)
    return place_out_of_memory(&list);
  bool done = true;
  for (size_t i = 0; done && i < springs; i++) {
    json_place item = place_item(&list, i);
    done = read_spring(t, &item, &defs[i]);
  }
  msd_range *made = &t->body->springs;
  made->count = (int32_t)springs;
  done = done && body_check_added(t, msd_add_springs(t->world, defs, (int)springs, &made->first));
  if (done)
    body_add_group(t->body, "springs", *made);
  free(defs);
  return done;
}

bool body_read_particles(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "position",    "velocity", "mass",
                                     "springs", "constraints", NULL};
  const char *text = "a list of at least one position [x, y, z] in m";
  json_place list = place_member(t->place, "position");
  if (!place_check_object(t->place, keys) || !place_check_array(&list, text))
    return false;
  size_t particles = json_array_size(list.value);
  if (particles == 0)
    return place_fail(&list, "is empty; it must be %s", text);
  msd_particle_def *defs = malloc(particles * sizeof *defs);
  if (!defs)
    return place_out_of_memory(&list);
  msd_range *made = &t->body->particles;
  bool done = read_positions(&list, defs, particles) && read_velocities(t->place, defs, particles) &&
              read_masses(t->place, defs, particles) &&
              body_check_added(t, msd_add_particles(t->world, defs, (int)particles, &made->first));
  if (done)
    made->count = (int32_t)particles;
  free(defs);
  return done && read_springs(t) && constraints_read(t);
}

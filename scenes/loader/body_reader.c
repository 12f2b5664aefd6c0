#include "scenes/loader/body_reader.h"

#include "scenes/loader/body_task.h"
#include "scenes/loader/contact_reader.h"
#include "scenes/loader/damage_reader.h"
#include "scenes/loader/particle_name.h"
#include "scenes/loader/soft_pin_reader.h"
#include "scenes/loader/tether_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One for all particles. A body of kind "particles" may have a list of one for each, which it has read. */
static bool read_velocity(const body_task *t) {
  const json_place place = place_member(t->place, "velocity");
  msd_vec3 velocity;
  if (!place.value || body_has_velocities(t->place))
    return true;
  if (!place_get_vector(&place, &velocity))
    return false;
  const int32_t first = t->body->particles.first, end = first + t->body->particles.count;
  for (int32_t i = first; t->world && i < end; i++)
    if (!body_check_added(t, msd_particle_set_velocity(t->world, i, velocity)))
      return false;
  return true;
}

static bool read_pins(const body_task *t) {
  json_place list = place_member(t->place, "pinned");
  if (!list.value)
    return true;
  if (json_is_string(list.value))
    return place_fail(&list, "is the text \"%.40s\"; it must be a list: write [\"%.40s\"]",
                      json_string_value(list.value), json_string_value(list.value));
  if (json_is_integer(list.value))
    return place_fail(&list, "is %lld; it must be a list: write [%lld]",
                      (long long)json_integer_value(list.value), (long long)json_integer_value(list.value));
  if (!place_check_array(
          &list, "a list of particle indices and names such as \"first\", and of boxes, spheres and groups"))
    return false;
  for (size_t i = 0; i < json_array_size(list.value); i++) {
    json_place item = place_item(&list, i);
    if (!t->world && !particles_check(&item, t->body))
      return false;
    if (!t->world)
      continue;
    int32_t particles = 0;
    int32_t *chosen = particles_read(&item, t->world, t->body, &particles);
    if (!chosen)
      return false;
    bool done = true;
    for (int32_t p = 0; done && p < particles; p++)
      done = body_check_added(t, msd_particle_pin(t->world, chosen[p]));
    free(chosen);
    if (!done)
      return false;
  }
  return true;
}

typedef struct body_kind {
  const char *name;
  bool (*read)(const body_task *task);
  bool has_particles;
} body_kind;

static const body_kind kinds[] = {
    {"particles", body_read_particles, true}, {"rope", body_read_rope, true},
    {"cloth", body_read_cloth, true},         {"mesh", body_read_mesh, true},
    {"balloon", body_read_balloon, true},     {"block", body_read_block, true},
    {"tetmesh", body_read_tetmesh, true},     {"rotors", body_read_rotors, false}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* "particles", "rope" ... or "tetmesh" */
static void list_kinds(char *text, size_t size) {
  size_t used = 0;
  for (int k = 0; k < KINDS && used < size; k++) {
    const char *comma = k == 0 ? "" : k == KINDS - 1 ? " or " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", comma, kinds[k].name);
  }
}

const char *body_read_kind(const json_place *place) {
  const char *names[KINDS + 1] = {NULL};
  for (int k = 0; k < KINDS; k++)
    names[k] = kinds[k].name;
  int kind = 0;
  if (!json_is_object(place->value)) {
    place_fail_type(place, "an object { } with a \"type\"");
    return NULL;
  }
  char list[256];
  list_kinds(list, sizeof list);
  if (!require_member(place, "type", list) || !read_choice(place, "type", names, &kind))
    return NULL;
  return kinds[kind].name;
}

/* Where a part of a body is in the whole, of which so much came before it; true. */
static bool find_part(const body_task *t, int32_t before) {
  const msd_subdomain part = msd_world_get_subdomain(t->world);
  scene_body *body = t->body;
  if (!t->world || !body->is_part)
    return true;
  const int32_t skipped = part.kept.first - before;
  body->whole = part.particles - before;
  body->skipped = skipped < 0 ? 0 : skipped < body->whole ? skipped : body->whole;
  return true;
}

bool body_read_size(const json_place *place, const char *folder, double frame_time, msd_world *world,
                    const char *kind) {
  scene_body body = {.kind = kind, .is_part = true};
  const body_task task = {place, folder, frame_time, world, &body};
  bool done = false;
  for (int k = 0; k < KINDS; k++)
    if (strcmp(kinds[k].name, kind) == 0)
      done = kinds[k].read(&task);
  free(body.file);
  return done;
}

bool body_read(const json_place *place, const char *folder, double frame_time, msd_world *world,
               scene_body *body) {
  const body_task task = {place, folder, frame_time, world, body};
  const int32_t before = msd_world_get_subdomain(world).particles;
  for (int k = 0; k < KINDS; k++)
    if (strcmp(kinds[k].name, body->kind) == 0)
      return kinds[k].read(&task) && find_part(&task, before) &&
             (!kinds[k].has_particles ||
              (damage_read_groups(&task) && read_velocity(&task) && read_pins(&task) && tethers_read(&task) &&
               soft_pins_read(&task) && surface_keys_read(place, body->kind, &body->surface)));
  return false;
}

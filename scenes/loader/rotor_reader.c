/* Bodies of kind "rotors": what turns about an axis, and the torsion springs between them. */
#include "scenes/input/suggestion.h"
#include "scenes/loader/body_task.h"
#include "scenes/loader/spring_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const quantity any_angle = {"an angle in rad", -NUMBER_LARGEST, NUMBER_LARGEST};
static const quantity any_velocity = {"an angular velocity in rad/s", -NUMBER_LARGEST, NUMBER_LARGEST};
static const quantity inertia = {"a moment of inertia above 0 in kg m^2", NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity radius = {"a radius above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};

static const double default_radius = 0.2;   /* m */
static const double default_distance = 2.5; /* from one rotor to the next along x, in radii of the first */

static const char ground_word[] = "ground";

/* ------------------------------------------------------------------------------------------- the rotors */

/* The number of rotor i from a member that has one for each, or one for all; an absent one leaves *out. */
static bool read_number(const json_place *body, const char *key, const quantity *what, size_t i,
                        double *out) {
  const json_place list = place_member(body, key);
  if (!list.value)
    return true;
  const json_place item = json_is_array(list.value) ? place_item(&list, i) : list;
  return place_get_number(&item, what, out);
}

/* A member that is a list has one item for each rotor. */
static bool check_length(const json_place *body, const char *key, size_t rotors) {
  const json_place list = place_member(body, key);
  return !json_is_array(list.value) || json_array_size(list.value) == rotors ||
         place_fail(&list, "has %zu items for %zu rotors; give one for each", json_array_size(list.value),
                    rotors);
}

static bool read_rotor(const json_place *body, size_t i, msd_rotor_def *def) {
  double turned = 0, velocity = 0, weight = 1;
  if (!(read_number(body, "angle", &any_angle, i, &turned) &&
        read_number(body, "angular_velocity", &any_velocity, i, &velocity) &&
        read_number(body, "inertia", &inertia, i, &weight)))
    return false;
  *def = msd_default_rotor_def();
  def->angle = turned;
  def->angular_velocity = velocity;
  def->inertia = (msd_real)weight;
  return true;
}

/* The index in this body. */
static bool read_index(const json_place *place, int32_t rotors, int32_t *index) {
  static const quantity any = {"a rotor's index, a whole number", -NUMBER_LARGEST, NUMBER_LARGEST};
  double number = 0;
  if (!place_get_whole(place, &any, &number))
    return false;
  if (number < 0 || number >= rotors)
    return place_fail(place, "there is no rotor %.9g; this body has 0 to %d", number, (int)rotors - 1);
  *index = (int32_t)number;
  return true;
}

static bool read_pins(const json_place *body, msd_rotor_def *defs, int32_t rotors) {
  const json_place list = place_member(body, "pinned");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of rotor indices"))
    return false;
  for (size_t i = 0; i < json_array_size(list.value); i++) {
    const json_place item = place_item(&list, i);
    int32_t index = 0;
    if (!read_index(&item, rotors, &index))
      return false;
    defs[index].pinned = true;
  }
  return true;
}

static bool add_rotors(const body_task *t, size_t count) {
  msd_rotor_def *defs = malloc(count * sizeof *defs);
  if (!defs)
    return place_out_of_memory(t->place);
  bool done = true;
  for (size_t i = 0; done && i < count; i++)
    done = read_rotor(t->place, i, &defs[i]);
  msd_range *made = &t->body->rotors.rotors;
  done = done && read_pins(t->place, defs, (int32_t)count);
  if (t->world)
    done = done && body_check_added(t, msd_add_rotors(t->world, defs, (int)count, &made->first));
  if (done)
    made->count = (int32_t)count;
  free(defs);
  return done;
}

/* ----------------------------------------------------------------------------------- the torsion springs */

/* A rotor of this body, or the frame. */
static bool read_end(const json_place *place, const scene_rotors *r, int32_t *end) {
  static const char *const words[] = {ground_word, NULL};
  *end = MSD_GROUND;
  if (json_is_string(place->value)) {
    const char *word = json_string_value(place->value);
    if (strcmp(word, ground_word) == 0)
      return true;
    char suggestion[SUGGESTION_MAX];
    suggest_word(suggestion, word, words);
    return place_fail(place, "\"%.40s\" is not a rotor or \"ground\"; %s", word, suggestion);
  }
  if (!json_is_number(place->value))
    return place_fail_type(place, "a rotor's index or \"ground\"");
  if (!read_index(place, r->rotors.count, end))
    return false;
  *end += r->rotors.first;
  return true;
}

static bool read_spring(const void *context, const json_place *place, void *item) {
  static const char *const keys[] = {"between", "rest_angle", SPRING_LAW_KEYS, NULL};
  const char *text = "two rotors of this body, such as [0, 1], or [0, \"ground\"]";
  const scene_rotors *rotors = &((const body_task *)context)->body->rotors;
  msd_torsion_spring_def *def = item;
  msd_spring_def law;
  *def = msd_default_torsion_spring_def();
  if (!place_check_object(place, keys) || !require_member(place, "between", text) ||
      !spring_read_own_law(place, SPRING_ANGLE, &law) ||
      !read_double(place, "rest_angle", &any_angle, &def->rest_angle))
    return false;
  SPRING_PUT_LAW(def, &law);
  const json_place ends = place_member(place, "between");
  if (!place_check_array_of(&ends, 2, text))
    return false;
  const json_place a = place_item(&ends, 0), b = place_item(&ends, 1);
  if (!read_end(&a, rotors, &def->a) || !read_end(&b, rotors, &def->b))
    return false;
  if (def->a == MSD_GROUND)
    return place_fail(&a, "is \"ground\"; the ground comes second, as in [0, \"ground\"]");
  return spring_check_ends(&ends, def->a, def->b, "rotor");
}

static msd_result add_springs(msd_world *world, const void *defs, int count, int32_t *first) {
  return msd_add_torsion_springs(world, defs, count, first);
}

/* ---------------------------------------------------------------------------------------------- drawing */

static bool read_axis(const json_place *body, msd_vec3 *axis) {
  *axis = (msd_vec3){0, 0, 1};
  if (!read_vector(body, "axis", axis))
    return false;
  const double x = (double)axis->x, y = (double)axis->y, z = (double)axis->z;
  const double length = sqrt(x * x + y * y + z * z);
  const json_place place = place_member(body, "axis");
  if (!(length > 0))
    return place_fail(&place, "is zero; it must point along the axis, such as [0, 0, 1]");
  *axis = (msd_vec3){(msd_real)(x / length), (msd_real)(y / length), (msd_real)(z / length)};
  return true;
}

/* Rotors without positions stand in a row. */
static bool read_drawing(const body_task *t, size_t count) {
  const json_place list = place_member(t->place, "position");
  if (list.value && !place_check_array(&list, "a list of positions [x, y, z] in m"))
    return false;
  scene_rotors *r = &t->body->rotors;
  r->positions = malloc(count * sizeof *r->positions);
  r->radii = malloc(count * sizeof *r->radii);
  if (!r->positions || !r->radii)
    return place_out_of_memory(t->place);
  for (size_t i = 0; i < count; i++) {
    r->radii[i] = default_radius;
    if (!read_number(t->place, "radius", &radius, i, &r->radii[i]))
      return false;
    r->positions[i] = (msd_vec3){(msd_real)(default_distance * r->radii[0] * (double)i), 0, 0};
    const json_place item = place_item(&list, i);
    if (!place_get_position(&item, &r->positions[i]))
      return false;
  }
  return read_axis(t->place, &r->axis);
}

bool body_read_rotors(const body_task *t) {
  static const char *const keys[] = {"type",    "name",     "angle", "angular_velocity", "inertia", "pinned",
                                     "springs", "position", "axis",  "radius",           NULL};
  static const char *const lists[] = {"angular_velocity", "inertia", "position", "radius"};
  const char *text = "a list of at least one angle in rad, one for each rotor";
  const json_place angles = place_member(t->place, "angle");
  if (!place_check_object(t->place, keys) || !place_check_array(&angles, text))
    return false;
  const size_t count = json_array_size(angles.value);
  if (count == 0)
    return place_fail(&angles, "is empty; it must be %s", text);
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (!check_length(t->place, lists[i], count))
      return false;
  return add_rotors(t, count) &&
         body_add_list(t, "springs", "a list of torsion springs", sizeof(msd_torsion_spring_def), read_spring,
                       add_springs, &t->body->rotors.springs) &&
         (!t->world || read_drawing(t, count));
}

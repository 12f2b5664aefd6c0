#include "scenes/loader/animation_reader.h"

#include "scenes/loader/particle_name.h"
#include "scenes/loader/skeleton_reader.h"
#include "scenes/loader/track_reader.h"

#include <stdlib.h>

typedef struct motion_task {
  scene *scene;
  const body_names *names;

  /* A byte of bits for each particle of the world; NULL while there is none. */
  unsigned char *marks;
  int32_t particles;

  /* The soft pin that holds each particle; -1: none does. NULL with the marks. */
  int32_t *soft_pins;
} motion_task;

enum { MARK_A = 1, MARK_B = 2 };

/* -------------------------------------------------------------------------------------------- particles */

/* Marks all particles that a place names. */
static bool mark_named(const motion_task *t, const json_place *which, const scene_body *body, int mark) {
  if (!t->marks)
    return particles_check(which, body);
  int32_t count = 0;
  int32_t *chosen = particles_read(which, t->scene->world, body, &count);
  for (int32_t i = 0; chosen && i < count; i++)
    t->marks[chosen[i]] |= (unsigned char)mark;
  free(chosen);
  return chosen;
}

/* The particles of a body that the items `first` to `end` of a list name, after the name of the body. */
static bool mark_group(const motion_task *t, const json_place *list, size_t first, size_t end, int mark) {
  const json_place name = place_item(list, first);
  const scene_body *body = NULL;
  bool done = body_names_find(&name, t->scene, t->names, &body);
  for (size_t i = first + 1; done && i < end; i++) {
    const json_place which = place_item(list, i);
    done = mark_named(t, &which, body, mark);
  }
  return done;
}

static bool mark_list(const motion_task *t, const json_place *list) {
  const char *text = "a body and its particles, such as [\"curtain\", \"top\"]";
  if (!place_check_array(list, text))
    return false;
  return json_array_size(list->value) > 1 ? mark_group(t, list, 0, json_array_size(list->value), MARK_A)
                                          : place_fail_type(list, text);
}

/* The indices of marked particles, ascending, and no mark left. */
static bool collect(const motion_task *t, const json_place *place, int32_t **particles, int32_t *count) {
  for (int32_t i = 0; i < t->particles; i++)
    *count += t->marks[i] != 0;
  *particles = malloc(((size_t)*count + 1) * sizeof **particles);
  if (!*particles)
    return place_out_of_memory(place);
  int32_t found = 0;
  for (int32_t i = 0; i < t->particles; i++) {
    if (t->marks[i])
      (*particles)[found++] = i;
    t->marks[i] = 0;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------- keyframes */

static bool fail_particle(const motion_task *t, const json_place *place, int32_t particle, const char *what) {
  char text[160];
  scene_describe_particle(t->scene, particle, text, sizeof text);
  return place_fail(place, "has %s, which %s", text, what);
}

/* Only what is held can be led, and by one motion each. */
static bool check_led(const motion_task *t, const json_place *place, const scene_motion *motion) {
  const scene_animation *table = &t->scene->animation;
  for (int32_t i = 0; i < motion->count; i++) {
    const int32_t particle = motion->particles[i];
    if (!msd_particle_is_pinned(t->scene->world, particle) && t->soft_pins[particle] < 0)
      return fail_particle(t, place, particle,
                           "is not pinned; add it to \"pinned\" or \"soft_pins\" of its body");
    for (int m = 0; &table->motions[m] != motion; m++)
      if (motion_find(&table->motions[m], particle) >= 0)
        return fail_particle(t, place, particle,
                             "is moved by another animation too; put the keyframes of both into one");
  }
  return true;
}

/* The particles of a motion, where they are placed, and the middle of them. */
static bool keep_led(const motion_task *t, const json_place *place, scene_motion *motion) {
  if (!collect(t, place, &motion->particles, &motion->count))
    return false;
  const msd_world *world = t->scene->world;
  motion->placed = malloc(((size_t)motion->count + 1) * sizeof *motion->placed);
  motion->soft_pins = malloc(((size_t)motion->count + 1) * sizeof *motion->soft_pins);
  if (!motion->placed || !motion->soft_pins)
    return place_out_of_memory(place);
  for (int32_t i = 0; i < motion->count; i++) {
    const int32_t particle = motion->particles[i];
    const bool is_pin = msd_particle_is_pinned(world, particle);
    const int32_t soft_pin = is_pin ? -1 : t->soft_pins[particle];
    const msd_vec3 at = soft_pin >= 0 ? msd_soft_pin_get_def(world, soft_pin).position
                                      : msd_particle_get_position(world, particle);
    motion->soft_pins[i] = soft_pin;
    const double placed[3] = {(double)at.x, (double)at.y, (double)at.z};
    memcpy(motion->placed[i], placed, sizeof placed);
    for (int c = 0; c < 3; c++)
      motion->center[c] += placed[c] / motion->count;
  }
  return check_led(t, place, motion);
}

static bool read_center(const json_place *place, scene_motion *motion) {
  msd_vec3 center = {(msd_real)motion->center[0], (msd_real)motion->center[1], (msd_real)motion->center[2]};
  const json_place pivot = place_member(place, "pivot");
  if (!pivot.value)
    return true;
  const bool done = place_get_position(&pivot, &center);
  motion->center[0] = (double)center.x;
  motion->center[1] = (double)center.y;
  motion->center[2] = (double)center.z;
  return done;
}

static bool read_keys(const motion_task *t, const json_place *place) {
  static const char *const keys[] = {"particles", "keyframes", "pivot", NULL};
  static const track_words words = {.list = "keyframes", .offset = "offset", .turns = true};
  const json_place list = place_member(place, "particles");
  scene_motion unused = {0}, *motion = t->marks ? animation_add_motion(&t->scene->animation) : &unused;
  const scene_key standard = {0};
  if (!motion)
    return place_out_of_memory(place);
  const bool done = place_check_object(place, keys) && mark_list(t, &list) &&
                    track_read(place, &words, &standard, &motion->track) &&
                    (!t->marks || keep_led(t, &list, motion)) && read_center(place, motion);
  free(unused.track.keys);
  return done;
}

/* As a joint of a figure goes. */
static bool read_follow(const motion_task *t, const json_place *place) {
  static const char *const keys[] = {"particles", "attach_to", NULL};
  const json_place list = place_member(place, "particles"), joint = place_member(place, "attach_to");
  scene_motion unused = {0}, *motion = t->marks ? animation_add_motion(&t->scene->animation) : &unused;
  if (!motion)
    return place_out_of_memory(place);
  return place_check_object(place, keys) && mark_list(t, &list) &&
         skeleton_read_joint(&joint, t->scene, &motion->leader, &motion->joint) &&
         (!t->marks || keep_led(t, &list, motion));
}

/* ------------------------------------------------------------------------------------------------ forces */

/* One force, from one time to another. */
static bool read_steady(const json_place *place, scene_track *track) {
  scene_key ends[2] = {{.time = 0}, {.time = NUMBER_LARGEST}};
  msd_vec3 force = {0, 0, 0};
  if (!read_vector(place, "force", &force) ||
      !times_read(place, "interval", "two times in s: from when it acts, and until when", &ends[0].time,
                  &ends[1].time))
    return false;
  track->keys = malloc(sizeof ends);
  if (!track->keys)
    return place_out_of_memory(place);
  for (int k = 0; k < 2; k++) {
    ends[k].offset[0] = (double)force.x;
    ends[k].offset[1] = (double)force.y;
    ends[k].offset[2] = (double)force.z;
    track->keys[k] = ends[k];
  }
  track->count = 2;
  return true;
}

/* One that changes. */
static bool read_changing(const json_place *place, scene_track *track) {
  static const track_words words = {.list = "forces", .offset = "force"};
  const scene_key standard = {0};
  const json_place list = place_member(place, "forces");
  return track_read(place, &words, &standard, track) &&
         (track->count > 1 ||
          place_fail(&list, "is one keyframe; a force acts between keyframes: give two or more"));
}

static bool read_force(const motion_task *t, const json_place *place) {
  static const char *const steady[] = {"particles", "force", "interval", NULL}, *const changing[] = {
                                                                                    "particles", "forces",
                                                                                    NULL};
  const bool changes = place_member(place, "forces").value;
  const json_place list = place_member(place, "particles");
  scene_force unused = {0}, *force = t->marks ? animation_add_force(&t->scene->animation) : &unused;
  if (!force)
    return place_out_of_memory(place);
  const bool done = place_check_object(place, changes ? changing : steady) &&
                    (changes ? read_changing(place, &force->track) : read_steady(place, &force->track)) &&
                    mark_list(t, &list) && (!t->marks || collect(t, &list, &force->particles, &force->count));
  free(unused.track.keys);
  return done;
}

/* ------------------------------------------------------------------------------------------------ events */

/* Whether two of the particles are one of those on each side of a cut. */
static bool is_cut(const motion_task *t, const int32_t *particles, int count) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      if (i != j && (t->marks[particles[i]] & MARK_A) && (t->marks[particles[j]] & MARK_B))
        return true;
  return false;
}

static bool spring_is_cut(const motion_task *t, int32_t spring) {
  const msd_spring_def def = msd_spring_get_def(t->scene->world, spring);
  return is_cut(t, (const int32_t[]){def.a, def.b}, 2);
}

/* The volume inside a mesh is open where an edge of it is cut. */
static bool constraint_is_cut(const motion_task *t, int32_t constraint) {
  const msd_constraint_def def = msd_constraint_get_def(t->scene->world, constraint);
  int corners = msd_constraint_kind_particles(def.kind);
  while (corners > 0 && def.particles[corners - 1] < 0)
    corners--;
  bool cut = is_cut(t, def.particles, corners);
  for (int32_t k = 0; !cut && k < def.triangle_count; k++)
    cut = is_cut(t, def.triangles + 3 * (ptrdiff_t)k, 3);
  return cut;
}

/* The numbers, of all from 0 on, of those that are cut; NULL when out of memory. */
static int32_t *find_cut(const motion_task *t, int32_t all,
                         bool (*is_one)(const motion_task *t, int32_t number), int32_t *count) {
  int32_t *found = malloc(((size_t)all + 1) * sizeof *found);
  for (int32_t n = 0; found && n < all; n++)
    if (is_one(t, n))
      found[(*count)++] = n;
  int32_t *fitting = found ? realloc(found, ((size_t)*count + 1) * sizeof *found) : NULL;
  return fitting ? fitting : found;
}

static bool keep_cut(const motion_task *t, const json_place *list, scene_event *event) {
  const msd_world *world = t->scene->world;
  event->springs = find_cut(t, msd_world_get_spring_count(world), spring_is_cut, &event->spring_count);
  event->constraints =
      find_cut(t, msd_world_get_constraint_count(world), constraint_is_cut, &event->constraint_count);
  for (int32_t i = 0; i < t->particles; i++)
    t->marks[i] = 0;
  if (!event->springs || !event->constraints)
    return place_out_of_memory(list);
  return event->spring_count + event->constraint_count > 0 ||
         place_fail(list, "cuts nothing: no spring or constraint joins them");
}

/* [body, particle, particle], or [body, particle, body, particle] as joints have it. */
static bool read_cut(const motion_task *t, const json_place *list, scene_event *event) {
  const char *text = "[body, particle, particle], such as [\"curtain\", 12, 13]";
  if (!place_check_array(list, text))
    return false;
  const size_t size = json_array_size(list->value);
  if (size != 3 && size != 4)
    return place_fail_type(list, text);
  const json_place name = place_item(list, size == 4 ? 2 : 0), last = place_item(list, size - 1);
  const scene_body *body = NULL;
  return mark_group(t, list, 0, 2, MARK_A) && body_names_find(&name, t->scene, t->names, &body) &&
         mark_named(t, &last, body, MARK_B) && (!t->marks || keep_cut(t, list, event));
}

static bool read_release(const motion_task *t, const json_place *list, scene_event *event) {
  if (!mark_list(t, list))
    return false;
  if (!t->marks)
    return true;
  if (!collect(t, list, &event->released, &event->released_count))
    return false;
  event->soft_pins = malloc(((size_t)event->released_count + 1) * sizeof *event->soft_pins);
  if (!event->soft_pins)
    return place_out_of_memory(list);
  bool holds = false;
  for (int32_t i = 0; i < event->released_count; i++) {
    const int32_t particle = event->released[i];
    holds |= msd_particle_is_pinned(t->scene->world, particle) || t->soft_pins[particle] >= 0;
    if (t->soft_pins[particle] >= 0)
      event->soft_pins[event->soft_pin_count++] = t->soft_pins[particle];
  }
  return holds || place_fail(list, "releases nothing: none of these particles is pinned");
}

static bool read_event(const motion_task *t, const json_place *place, const char *key,
                       bool (*read)(const motion_task *t, const json_place *list, scene_event *event)) {
  const char *const keys[] = {key, "time", NULL};
  const json_place list = place_member(place, key);
  scene_animation *table = &t->scene->animation;
  scene_event unused = {0}, *event = t->marks ? &table->events[table->event_count++] : &unused;
  return place_check_object(place, keys) && require_member(place, "time", quantity_time.text) &&
         read_double(place, "time", &quantity_time, &event->time) && read(t, &list, event);
}

/* --------------------------------------------------------------------------------------------- the whole */

static bool read_motion(const motion_task *t, const json_place *place) {
  static const char *const keys[] = {"particles", "keyframes", "pivot",   "attach_to", "force", "interval",
                                     "forces",    "cut",       "release", "time",      NULL};
  if (!place_check_object(place, keys))
    return false;
  if (place_member(place, "force").value || place_member(place, "forces").value)
    return read_force(t, place);
  if (place_member(place, "attach_to").value)
    return read_follow(t, place);
  if (place_member(place, "particles").value)
    return read_keys(t, place);
  if (place_member(place, "cut").value)
    return read_event(t, place, "cut", read_cut);
  if (place_member(place, "release").value)
    return read_event(t, place, "release", read_release);
  return place_fail(place, "needs \"particles\" with \"keyframes\", \"attach_to\", \"force\" or \"forces\", "
                           "or \"cut\" or \"release\" with a \"time\"");
}

static void find_soft_pins(motion_task *t) {
  const msd_world *world = t->scene->world;
  for (int32_t i = 0; i < t->particles; i++)
    t->soft_pins[i] = -1;
  for (int32_t a = 0; a < msd_world_get_soft_pin_count(world); a++) {
    const int32_t particle = msd_soft_pin_get_def(world, a).particle;
    if (particle >= 0)
      t->soft_pins[particle] = a;
  }
}

static bool make_room(motion_task *t, const json_place *list) {
  scene_animation *table = &t->scene->animation;
  const size_t count = json_array_size(list->value);
  t->particles = msd_world_get_particle_count(t->scene->world);
  t->marks = calloc((size_t)t->particles + 1, 1);
  t->soft_pins = malloc(((size_t)t->particles + 1) * sizeof *t->soft_pins);
  table->events = calloc(count + 1, sizeof *table->events);
  if (!t->marks || !t->soft_pins || !table->events)
    return place_out_of_memory(list);
  find_soft_pins(t);
  return true;
}

bool animation_read(const json_place *root, scene *s, const body_names *names) {
  const json_place list = place_member(root, "animation");
  motion_task task = {.scene = s, .names = names};
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of animations"))
    return false;
  bool done = !s->world || make_room(&task, &list);
  for (size_t i = 0; done && i < json_array_size(list.value); i++) {
    const json_place item = place_item(&list, i);
    done = read_motion(&task, &item);
  }
  free(task.soft_pins);
  free(task.marks);
  return done;
}

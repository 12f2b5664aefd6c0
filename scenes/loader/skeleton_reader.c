#include "scenes/loader/skeleton_reader.h"

#include "scenes/input/file_bytes.h"
#include "scenes/loader/rotation.h"
#include "scenes/loader/track_reader.h"
#include "scenes/loader/transform.h"
#include "scenes/skeletons/bvh_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_TEXT "the name of a BVH file"

static const char standard_radius[] = "default";
static const quantity bone_radius = {"a radius in m, 0 for no capsule", 0, NUMBER_LARGEST};

/* --------------------------------------------------------------------------------------- what scenes say */

typedef struct skeleton_options {
  double scale, start;
  msd_vec3 position;
  double degrees[3];
  /* 0: as the file says. */
  double rate;
  bool loops;
} skeleton_options;

static bool read_options(const json_place *place, skeleton_options *o) {
  static const quantity factor = {"a factor above 0", NUMBER_SMALLEST, NUMBER_LARGEST},
                        rate = {"a number of frames in a second, above 0", NUMBER_SMALLEST, NUMBER_LARGEST};
  *o = (skeleton_options){.scale = 1};
  return read_double(place, "scale", &factor, &o->scale) && read_position(place, "position", &o->position) &&
         read_degrees(place, o->degrees) && read_double(place, "start", &quantity_time, &o->start) &&
         read_double(place, "fps", &rate, &o->rate) && read_flag(place, "loop", &o->loops);
}

/* One for all bones, or an object of the joints at which they begin. */
static bool check_radii(const json_place *place) {
  const json_place radius = place_member(place, "radius");
  double unused;
  const char *joint;
  const json_t *value;
  if (!json_is_object(radius.value))
    return read_double(place, "radius", &bone_radius, &unused);
  json_object_foreach((json_t *)(uintptr_t)radius.value, joint, value) {
    if (!read_double(&radius, joint, &bone_radius, &unused))
      return false;
  }
  return true;
}

bool skeleton_check(const json_place *place) {
  static const char *const keys[] = {"type",     "name",     "friction", "file", "radius", "scale",
                                     "position", "rotation", "start",    "fps",  "loop",   NULL};
  skeleton_options unused;
  const char *file;
  return place_check_object(place, keys) && require_member(place, "file", FILE_TEXT) &&
         read_text(place, "file", &file) && read_options(place, &unused) && check_radii(place);
}

/* --------------------------------------------------------------------------------------------- skeletons */

/* All keys of a list of radii are joints. */
static bool check_radius_names(const json_place *place, const skeleton *f) {
  const json_place radius = place_member(place, "radius");
  if (!json_is_object(radius.value))
    return true;
  const char **names = calloc((size_t)f->joint_count + 2, sizeof *names);
  int count = 0;
  if (!names)
    return place_out_of_memory(place);
  names[count++] = standard_radius;
  for (int32_t j = 0; j < f->joint_count; j++)
    if (f->joints[j].name)
      names[count++] = f->joints[j].name;
  const bool done = place_check_object(&radius, names);
  free(names);
  return done;
}

static double radius_of(const json_place *place, const char *joint) {
  const json_place radius = place_member(place, "radius");
  double value = 0.05;
  if (!json_is_object(radius.value)) {
    read_double(place, "radius", &bone_radius, &value);
  } else {
    read_double(&radius, standard_radius, &bone_radius, &value);
    read_double(&radius, joint, &bone_radius, &value);
  }
  return value;
}

static bool turns(const bvh_joint *joint) {
  for (int c = 0; c < joint->channel_count; c++)
    if (joint->channels[c] >= BVH_X_ROTATION)
      return true;
  return false;
}

static bool keep_skeleton(skeleton *f, bvh_data *d, double scale) {
  f->joints = calloc((size_t)d->joint_count, sizeof *f->joints);
  if (!f->joints)
    return false;
  f->joint_count = d->joint_count;
  for (int32_t j = 0; j < d->joint_count; j++) {
    f->joints[j].name = d->joints[j].name;
    d->joints[j].name = NULL;
    f->joints[j].parent = d->joints[j].parent;
    f->joints[j].turn = turns(&d->joints[j]) ? f->turn_count++ : -1;
    for (int c = 0; c < 3; c++)
      f->joints[j].offset[c] = scale * d->joints[j].offset[c];
  }
  return true;
}

/* Of all joints but the root positions are left out: bones do not become longer. */
static void keep_frame(const skeleton *f, const bvh_data *d, int32_t frame, double scale) {
  const double *numbers = d->numbers + (size_t)frame * (size_t)d->channel_count;
  double *root = f->roots[frame];
  for (int c = 0; c < 3; c++)
    root[c] = f->joints[0].offset[c];
  for (int32_t j = 0; j < f->joint_count; j++) {
    const bvh_joint *joint = &d->joints[j];
    const int32_t turn = f->joints[j].turn;
    double rotation[4] = {1, 0, 0, 0};
    for (int c = 0; c < joint->channel_count; c++) {
      const int channel = (int)joint->channels[c];
      const double number = numbers[joint->first_channel + c];
      if (channel >= BVH_X_ROTATION)
        quaternion_turn(rotation, channel - BVH_X_ROTATION, number);
      else if (j == 0)
        root[channel] += scale * number;
    }
    if (turn >= 0)
      memcpy(f->rotations[(size_t)frame * (size_t)f->turn_count + (size_t)turn], rotation, sizeof rotation);
  }
}

static bool keep_frames(skeleton *f, const bvh_data *d, double scale) {
  const size_t frames = (size_t)d->frame_count;
  f->roots = malloc(frames * sizeof *f->roots);
  f->rotations = malloc((frames * (size_t)f->turn_count + 1) * sizeof *f->rotations);
  if (!f->roots || !f->rotations)
    return false;
  f->frame_count = d->frame_count;
  for (int32_t n = 0; n < f->frame_count; n++)
    keep_frame(f, d, n, scale);
  return true;
}

static bool is_far(const double place[3]) {
  return fmax(fmax(fabs(place[0]), fabs(place[1])), fabs(place[2])) > NUMBER_LARGEST;
}

static bool check_extent(const json_place *place, const skeleton *f) {
  const json_place scale = place_member(place, "scale");
  bool fits = true;
  for (int32_t j = 0; j < f->joint_count; j++)
    fits = fits && !is_far(f->joints[j].offset);
  for (int32_t n = 0; n < f->frame_count; n++)
    fits = fits && !is_far(f->roots[n]);
  return fits || place_fail(&scale, "moves a joint further than %g m; lower it", NUMBER_LARGEST);
}

/* The memory goes to the figure also on failure. */
static bool make_skeleton(const json_place *place, bvh_data *d, skeleton *f) {
  skeleton_options o;
  if (!read_options(place, &o))
    return false;
  if (!keep_skeleton(f, d, o.scale) || !keep_frames(f, d, o.scale))
    return place_out_of_memory(place);
  f->start = o.start;
  f->rate = o.rate > 0 ? o.rate : 1 / d->frame_time;
  f->loops = o.loops;
  f->place =
      (skeleton_place){{(double)o.position.x, (double)o.position.y, (double)o.position.z}, {1, 0, 0, 0}};
  for (int axis = 3; axis-- > 0;)
    quaternion_turn(f->place.rotation, axis, o.degrees[axis]);
  return check_extent(place, f) && check_radius_names(place, f);
}

static bool read_skeleton(const json_place *place, const char *folder, scene_skeleton *out) {
  const json_place member = place_member(place, "file");
  const char *file = NULL;
  bvh_data data;
  scene_error inner;
  if (!read_text(place, "file", &file))
    return false;
  out->file = file_path_in_folder(folder, file);
  out->bones = calloc(1, sizeof *out->bones);
  if (!out->file || !out->bones)
    return place_out_of_memory(place);
  if (!bvh_file_read(out->file, &data, &inner))
    return place_fail(&member, "%s", inner.text);
  out->checksum = data.checksum;
  const bool done = make_skeleton(place, &data, out->bones);
  bvh_data_free(&data);
  return done;
}

/* ------------------------------------------------------------------------------------------------- bones */

/* A capsule from each joint to each of its children, where it has a radius. */
static int find_bones(const json_place *place, const scene_skeleton *of, msd_real friction,
                      msd_collider_def *defs) {
  const skeleton *f = of->bones;
  int count = 0;
  for (int32_t j = 1; j < f->joint_count; j++) {
    const int32_t parent = f->joints[j].parent;
    const double radius = radius_of(place, f->joints[parent].name), *to = f->joints[j].offset;
    if (radius == 0)
      continue;
    const skeleton_place at = skeleton_joint_at(f, parent, 0);
    msd_collider_def def = msd_default_collider_def();
    def.kind = MSD_COLLIDER_CAPSULE;
    def.to = (msd_vec3){(msd_real)to[0], (msd_real)to[1], (msd_real)to[2]};
    def.radius = (msd_real)radius;
    def.friction = friction;
    def.position = skeleton_place_position(&at);
    def.rotation = skeleton_place_rotation(&at);
    of->joints[count] = parent;
    defs[count++] = def;
  }
  return count;
}

static bool add_bones(const json_place *place, scene *s, scene_skeleton *of, const msd_collider_def *defs) {
  const int count = of->colliders.count;
  scene_collider *colliders =
      realloc(s->colliders, ((size_t)s->collider_count + (size_t)count + 1) * sizeof *colliders);
  if (!colliders)
    return place_out_of_memory(place);
  s->colliders = colliders;
  memset(colliders + s->collider_count, 0, ((size_t)count + 1) * sizeof *colliders);
  if (msd_add_colliders(s->world, defs, count, &of->colliders.first) != MSD_OK)
    return place_fail(place, "%s", msd_world_message(s->world));
  s->collider_count += count;
  return true;
}

static bool fail_without_bones(const json_place *place, const scene_skeleton *of) {
  const json_place file = place_member(place, "file");
  if (of->bones->joint_count == 1)
    return place_fail(&file, "has one joint and no child, so there is no bone; give a skeleton with limbs");
  return place_fail(place, "has no bone with a radius above 0; give one in \"radius\"");
}

bool skeleton_add(const json_place *place, const char *folder, scene *s, msd_real friction) {
  scene_skeleton *of = animation_add_skeleton(&s->animation);
  if (!of)
    return place_out_of_memory(place);
  if (!read_skeleton(place, folder, of))
    return false;
  const size_t joints = (size_t)of->bones->joint_count;
  msd_collider_def *defs = malloc(joints * sizeof *defs);
  of->joints = malloc(joints * sizeof *of->joints);
  if (!defs || !of->joints) {
    free(defs);
    return place_out_of_memory(place);
  }
  of->colliders.count = find_bones(place, of, friction, defs);
  const bool done = of->colliders.count > 0 ? add_bones(place, s, of, defs) : fail_without_bones(place, of);
  free(defs);
  return done;
}

/* "walker Hips", and of further bones at that joint "walker Hips 2". */
static char *name_of_bone(const scene_skeleton *of, int32_t bone) {
  const char *joint = of->bones->joints[of->joints[bone]].name;
  const size_t size = strlen(of->name) + strlen(joint) + 32;
  char *name = malloc(size);
  int before = 0;
  for (int32_t b = 0; b < bone; b++)
    before += of->joints[b] == of->joints[bone];
  if (name && before == 0)
    snprintf(name, size, "%s %s", of->name, joint);
  else if (name)
    snprintf(name, size, "%s %s %d", of->name, joint, before + 1);
  return name;
}

bool skeleton_name_bones(const json_place *list, scene *s, const scene_skeleton *of) {
  for (int32_t b = 0; b < of->colliders.count; b++) {
    char **name = &s->colliders[of->colliders.first + b].name;
    *name = name_of_bone(of, b);
    if (!*name)
      return place_out_of_memory(list);
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ joints */

static const skeleton *find_skeleton(const scene *s, const char *name) {
  for (int f = 0; f < s->animation.skeleton_count; f++)
    if (strcmp(s->animation.skeletons[f].name, name) == 0)
      return s->animation.skeletons[f].bones;
  return NULL;
}

bool skeleton_read_joint(const json_place *place, const scene *s, const skeleton **found, int32_t *joint) {
  const char *text = "[skeleton, joint], such as [\"walker\", \"Hips\"]";
  if (!place_check_array_of(place, 2, text))
    return false;
  const json_place items[] = {place_item(place, 0), place_item(place, 1)};
  for (int i = 0; i < 2; i++)
    if (!json_is_string(items[i].value))
      return place_fail_type(&items[i], i == 0 ? "the name of a skeleton" : "the name of a joint");
  if (!s->world)
    return true;
  *found = find_skeleton(s, json_string_value(items[0].value));
  if (!*found)
    return place_fail(&items[0], "there is no skeleton \"%s\" among the colliders",
                      json_string_value(items[0].value));
  *joint = skeleton_find_joint(*found, json_string_value(items[1].value));
  return *joint >= 0 ||
         place_fail(&items[1], "the skeleton has no joint \"%s\"; the BVH file has their names",
                    json_string_value(items[1].value));
}

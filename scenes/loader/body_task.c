#include "scenes/loader/body_task.h"

#include "scenes/input/file_bytes.h"

#include <stdlib.h>

const quantity body_mass = {"a mass above 0 in kg", NUMBER_SMALLEST, NUMBER_LARGEST};
const quantity body_count = {"a whole number of 1 or more", 1, NUMBER_LARGEST};

bool body_check_added(const body_task *t, msd_result result) {
  if (result == MSD_OK)
    return true;
  const char *message = msd_world_message(t->world);
  return place_fail(t->place, "%s", message[0] ? message : msd_result_string(result));
}

bool body_add_list(const body_task *t, const char *key, const char *text, size_t item_size,
                   item_reader read_item, items_adder add, msd_range *made) {
  json_list list;
  if (!read_list(t->place, key, text, item_size, read_item, t, &list))
    return false;
  bool done = true;
  if (t->world && list.count > 0) {
    done = body_check_added(t, add(t->world, list.items, (int)list.count, &made->first));
    made->count = done ? (int32_t)list.count : 0;
  }
  free(list.items);
  return done;
}

void body_add_group(scene_body *body, const char *name, msd_range springs) {
  if (springs.count > 0)
    body->groups[body->group_count++] = (scene_group){name, springs};
}

void body_add_constraint_group(scene_body *body, const char *name, msd_range constraints) {
  if (constraints.count > 0)
    body->constraint_groups[body->constraint_group_count++] = (scene_constraint_group){name, constraints};
}

void body_keep_ranges(scene_body *body, const msd_body *made, const char *stretch, const char *volume) {
  body->particles = made->particles;
  body->springs = made->springs;
  body_add_group(body, stretch, made->stretch);
  body_add_group(body, "shear", made->shear);
  body_add_group(body, "bend", made->bend);
  body->constraints = made->constraints;
  body->material = made->material;
  body_add_constraint_group(body, "fiber", made->fibers);
  body_add_constraint_group(body, "bend", made->bend_constraints);
  body_add_constraint_group(body, volume, made->volume);
}

int body_wants(const msd_spring_def *pattern) {
  return pattern->law != MSD_SPRING_NONE;
}

bool body_read_file(const body_task *t, const char *text, file_reader read, void *data) {
  const char *file = NULL;
  if (!require_member(t->place, "file", text) || !read_text(t->place, "file", &file))
    return false;
  char *path = file_path_in_folder(t->folder, file);
  if (!path)
    return place_out_of_memory(t->place);
  scene_error inner;
  const bool done = read(path, data, t->place->source->warnings, &inner);
  t->body->file = path;
  const json_place place = place_member(t->place, "file");
  t->body->is_from_file = done;
  return done || place_fail(&place, "%s", inner.text);
}

#include "scenes/loader/mesh_input.h"

bool mesh_input_options(const json_place *object, mesh_options *options) {
  static const quantity distance = {"a distance of 0 or more in m", 0, NUMBER_LARGEST};
  static const quantity number = {"the number of a component, a whole number of 0 or more", 0, INT32_MAX};
  double piece = 0;
  options->has_piece = place_member(object, "component").value != NULL;
  if (!read_whole(object, "component", &number, &piece))
    return false;
  options->piece = (int32_t)piece;
  return read_text(object, "group", &options->group) &&
         read_double(object, "merge_distance", &distance, &options->weld.distance);
}

/* For body_read_file. */
typedef struct mesh_request {
  const mesh_options *options;
  mesh_data *mesh;
} mesh_request;

static bool read_request(const char *path, void *data, scene_warnings *warnings, scene_error *error) {
  const mesh_request *request = data;
  return mesh_file_read_with(path, request->options, request->mesh, warnings, error);
}

bool mesh_input_read(const body_task *t, const mesh_options *options, mesh_data *mesh) {
  mesh_request request = {options, mesh};
  if (!body_read_file(t, MESH_INPUT_FILE, read_request, &request))
    return options->where && options->where->is_exceeded ? transform_fail(t->place, options->where) : false;
  t->body->welded = mesh->welded;
  return true;
}

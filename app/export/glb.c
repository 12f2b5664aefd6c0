/* GLB, glTF 2.0 in one file. A body is a node with a mesh, which is at the first frame; every other frame is a
   morph target, and the animation goes from one to the next by their weights, in straight lines.

     bytes 0..3    "glTF"
           4..7    version, 2
           8..11   bytes of the file
          12..     the JSON, a chunk of its length, "JSON" and its text, spaces up to a multiple of 4
                   the numbers, a chunk of their length, "BIN\0" and these one after another:
                     positions     of all points, of the first frame, then of each other one less those
                     indices       of triangles, lines and loose points, from the first point of their body
                     texture       of all points, where there is any without a seam
                     times         of the frames
                     ones          where among the weights a 1 stands, and the ones; all others are 0 */
#include "app/export/formats.h"

#include "app/base/bytes.h"
#include "app/base/write_buffer.h"

#include <jansson.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODE_POINTS = 0, MODE_LINES = 1, MODE_TRIANGLES = 4 };
enum { TYPE_UNSIGNED = 5125, TYPE_FLOAT = 5126, TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };

/* The views of the buffer, in the order of the bytes. */
enum { VIEW_POSITIONS, VIEW_INDICES, VIEW_TEXTURE, VIEW_TIMES, VIEW_ONES_AT, VIEW_ONES, VIEW_COUNT };

/* The weights of frame f are those from f (frames - 1) on, and the place of each is 32 bits. */
static const int64_t FRAMES_MAX = 65535;

typedef struct writer {
  const export_animation *animation;
  FILE *stream;
  int64_t frames;
  int32_t points;
  /* The first frame, and the one at hand less that. */
  float (*first)[3], (*moved)[3];
  uint64_t view_bytes[VIEW_COUNT];
  json_t *accessors;
  /* Bytes of the indices before those at hand. */
  uint64_t indices;
} writer;

bool export_glb_has_room(int64_t samples, int32_t points, problem *p) {
  /* Three quarters of what 32 bits count; JSON, indices and texture have the rest. */
  if (samples <= FRAMES_MAX && 12.0 * (double)samples * points < 3e9)
    return true;
  return problem_set(p,
                     "a GLB has at most %" PRId64 " frames and 4 GB, which %" PRId64
                     " frames of %ld points are not; "
                     "give a larger --every, or --format usda",
                     FRAMES_MAX, samples, (long)points);
}

static void load(writer *w, int64_t frame) {
  const msd_range all = {0, w->points};
  point_samples_load(w->animation->samples, frame, all, frame == 0 ? w->first : w->moved);
  for (int32_t i = 0; frame > 0 && i < w->points; i++)
    for (int c = 0; c < 3; c++)
      w->moved[i][c] -= w->first[i][c];
}

/* ------------------------------------------------------------------------------------------------ the JSON */

static json_t *vec3(const float x[3]) {
  return json_pack("[fff]", (double)x[0], (double)x[1], (double)x[2]);
}

/* Among those that are there: views without bytes are left out. */
static int number_of(const writer *w, int view) {
  int number = 0;
  for (int v = 0; v < view; v++)
    number += w->view_bytes[v] > 0 ? 1 : 0;
  return number;
}

/* Returns the number of the accessor. */
static int add_accessor(writer *w, json_t *accessor) {
  json_array_append_new(w->accessors, accessor);
  return (int)json_array_size(w->accessors) - 1;
}

static json_t *make_accessor(const writer *w, int view, uint64_t offset, int component, int64_t count,
                             const char *type) {
  return json_pack("{s:i, s:I, s:i, s:I, s:s}", "bufferView", number_of(w, view), "byteOffset",
                   (json_int_t)offset, "componentType", component, "count", (json_int_t)count, "type", type);
}

/* Of a group in the frame at hand. */
static int add_positions(writer *w, int64_t frame, msd_range span) {
  float(*x)[3] = (frame == 0 ? w->first : w->moved) + span.first;
  float least[3] = {x[0][0], x[0][1], x[0][2]}, most[3] = {x[0][0], x[0][1], x[0][2]};
  for (int32_t i = 1; i < span.count; i++)
    for (int c = 0; c < 3; c++) {
      least[c] = fminf(least[c], x[i][c]);
      most[c] = fmaxf(most[c], x[i][c]);
    }
  const uint64_t at = ((uint64_t)frame * (uint64_t)w->points + (uint64_t)span.first) * 12;
  json_t *accessor = make_accessor(w, VIEW_POSITIONS, at, TYPE_FLOAT, span.count, "VEC3");
  json_object_set_new(accessor, "min", vec3(least));
  json_object_set_new(accessor, "max", vec3(most));
  return add_accessor(w, accessor);
}

static void add_primitive(writer *w, json_t *primitives, const json_t *attributes, int mode,
                          int64_t corners) {
  if (corners == 0)
    return;
  const int indices =
      add_accessor(w, make_accessor(w, VIEW_INDICES, w->indices, TYPE_UNSIGNED, corners, "SCALAR"));
  w->indices += 4 * (uint64_t)corners;
  json_t *primitive =
      json_pack("{s:O, s:i, s:i}", "attributes", attributes, "indices", indices, "mode", mode);
  if (w->frames > 1)
    json_object_set_new(primitive, "targets", json_array());
  json_array_append_new(primitives, primitive);
}

/* A node and its mesh; the targets come later, frame by frame. */
static void add_node(writer *w, json_t *nodes, json_t *meshes, const export_group *group, msd_range span) {
  json_t *attributes = json_pack("{s:i}", "POSITION", add_positions(w, 0, span)), *primitives = json_array();
  if (w->view_bytes[VIEW_TEXTURE] > 0 && group->triangles.count > 0)
    json_object_set_new(attributes, "TEXCOORD_0",
                        json_integer(add_accessor(w, make_accessor(w, VIEW_TEXTURE, 8 * (uint64_t)span.first,
                                                                   TYPE_FLOAT, span.count, "VEC2"))));
  add_primitive(w, primitives, attributes, MODE_TRIANGLES, 3 * (int64_t)group->triangles.count);
  add_primitive(w, primitives, attributes, MODE_LINES, 2 * (int64_t)group->lines.count);
  add_primitive(w, primitives, attributes, MODE_POINTS, group->points.count);
  json_decref(attributes);
  json_array_append_new(
      nodes, json_pack("{s:s, s:I}", "name", group->name, "mesh", (json_int_t)json_array_size(meshes)));
  json_array_append_new(meshes, json_pack("{s:s, s:o}", "name", group->name, "primitives", primitives));
}

static void add_target(writer *w, json_t *mesh, int64_t frame, msd_range span) {
  size_t i;
  json_t *primitive;
  const int positions = add_positions(w, frame, span);
  json_array_foreach(json_object_get(mesh, "primitives"), i, primitive)
      json_array_append_new(json_object_get(primitive, "targets"), json_pack("{s:i}", "POSITION", positions));
}

static void add_bodies(writer *w, json_t *nodes, json_t *meshes) {
  const export_shape *shape = w->animation->shape;
  for (int64_t frame = 0; frame < w->frames; frame++) {
    size_t mesh = 0;
    load(w, frame);
    for (int b = 0; b < shape->group_count; b++) {
      const msd_range span = export_group_points(shape, &shape->groups[b]);
      if (span.count == 0)
        continue;
      if (frame == 0)
        add_node(w, nodes, meshes, &shape->groups[b], span);
      else
        add_target(w, json_array_get(meshes, mesh++), frame, span);
    }
  }
}

/* s: relative to that of the run. */
static double time_of(const writer *w, int64_t frame) {
  return (double)(w->animation->samples->first + frame) * w->animation->frame_time;
}

static json_t *make_animation(writer *w, size_t nodes) {
  const int64_t ones = w->frames - 1;
  json_t *times = make_accessor(w, VIEW_TIMES, 0, TYPE_FLOAT, w->frames, "SCALAR");
  json_object_set_new(times, "min", json_pack("[f]", (double)(float)time_of(w, 0)));
  json_object_set_new(times, "max", json_pack("[f]", (double)(float)time_of(w, w->frames - 1)));
  const int input = add_accessor(w, times);
  const int output = add_accessor(
      w, json_pack("{s:i, s:I, s:s, s:{s:I, s:{s:i, s:i}, s:{s:i}}}", "componentType", TYPE_FLOAT, "count",
                   (json_int_t)(w->frames * ones), "type", "SCALAR", "sparse", "count", (json_int_t)ones,
                   "indices", "bufferView", number_of(w, VIEW_ONES_AT), "componentType", TYPE_UNSIGNED,
                   "values", "bufferView", number_of(w, VIEW_ONES)));
  json_t *channels = json_array();
  for (size_t n = 0; n < nodes; n++)
    json_array_append_new(channels, json_pack("{s:i, s:{s:I, s:s}}", "sampler", 0, "target", "node",
                                              (json_int_t)n, "path", "weights"));
  return json_pack("[{s:s, s:o, s:[{s:i, s:i, s:s}]}]", "name", "run", "channels", channels, "samplers",
                   "input", input, "output", output, "interpolation", "LINEAR");
}

static json_t *make_views(const writer *w) {
  json_t *views = json_array();
  uint64_t offset = 0;
  for (int v = 0; v < VIEW_COUNT; v++) {
    if (w->view_bytes[v] == 0)
      continue;
    json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength",
                             (json_int_t)w->view_bytes[v]);
    if (v == VIEW_POSITIONS)
      json_object_set_new(view, "byteStride", json_integer(12));
    if (v <= VIEW_TEXTURE)
      json_object_set_new(view, "target", json_integer(v == VIEW_INDICES ? TARGET_INDICES : TARGET_VERTICES));
    json_array_append_new(views, view);
    offset += w->view_bytes[v];
  }
  return views;
}

static uint64_t count_bytes(const writer *w) {
  uint64_t bytes = 0;
  for (int v = 0; v < VIEW_COUNT; v++)
    bytes += w->view_bytes[v];
  return bytes;
}

/* NULL without memory. */
static char *make_json(writer *w) {
  json_t *nodes = json_array(), *meshes = json_array(), *numbers = json_array();
  char generator[64];
  snprintf(generator, sizeof generator, "msd %s", msd_version());
  w->accessors = json_array();
  add_bodies(w, nodes, meshes);
  for (size_t n = 0; n < json_array_size(nodes); n++)
    json_array_append_new(numbers, json_integer((json_int_t)n));
  json_t *animations = w->frames > 1 ? make_animation(w, json_array_size(nodes)) : NULL;
  json_t *root =
      json_pack("{s:{s:s, s:s}, s:i, s:[{s:s, s:o}], s:o, s:o, s:o, s:o, s:[{s:I}]}", "asset", "version",
                "2.0", "generator", generator, "scene", 0, "scenes", "name", w->animation->shape->title,
                "nodes", numbers, "nodes", nodes, "meshes", meshes, "accessors", w->accessors, "bufferViews",
                make_views(w), "buffers", "byteLength", (json_int_t)count_bytes(w));
  if (animations != NULL)
    json_object_set_new(root, "animations", animations);
  char *text = json_dumps(root, JSON_COMPACT);
  json_decref(root);
  return text;
}

/* --------------------------------------------------------------------------------------------- the numbers */

static void put_bits(write_buffer *out, uint32_t bits) {
  write_buffer_take(out, bytes_put_little(write_buffer_room(out, 4), bits, 4));
}

static void put_float(write_buffer *out, double value) {
  put_bits(out, bytes_of_float((float)value));
}

static void put_positions(writer *w, write_buffer *out) {
  for (int64_t frame = 0; frame < w->frames; frame++) {
    load(w, frame);
    for (int32_t i = 0; i < w->points; i++)
      for (int c = 0; c < 3; c++)
        put_float(out, (double)(frame == 0 ? w->first : w->moved)[i][c]);
  }
}

static void put_indices(writer *w, write_buffer *out) {
  const export_shape *shape = w->animation->shape;
  for (int b = 0; b < shape->group_count; b++) {
    const export_group *group = &shape->groups[b];
    const int32_t first = export_group_points(shape, group).first;
    for (int32_t i = 0; i < 3 * group->triangles.count; i++)
      put_bits(out, (uint32_t)(shape->triangles[group->triangles.first + i / 3][i % 3] - first));
    for (int32_t i = 0; i < 2 * group->lines.count; i++)
      put_bits(out, (uint32_t)(shape->lines[group->lines.first + i / 2][i % 2] - first));
    for (int32_t i = 0; i < group->points.count; i++)
      put_bits(out, (uint32_t)(shape->points[group->points.first + i] - first));
  }
}

/* Pictures have their first row at the top. */
static void put_texture(writer *w, write_buffer *out) {
  const export_attributes *a = w->animation->attributes;
  for (int32_t i = 0; i < w->points; i++) {
    const int32_t at = a->texture_of_point[i];
    put_float(out, at < 0 ? 0 : a->texture[at][0]);
    put_float(out, at < 0 ? 0 : 1 - a->texture[at][1]);
  }
}

static void put_times(writer *w, write_buffer *out) {
  for (int64_t frame = 0; frame < w->frames; frame++)
    put_float(out, time_of(w, frame));
  for (int64_t frame = 1; frame < w->frames; frame++)
    put_bits(out, (uint32_t)(frame * (w->frames - 1) + frame - 1));
  for (int64_t frame = 1; frame < w->frames; frame++)
    put_float(out, 1);
}

static void put_file(writer *w, const char *json) {
  const size_t length = strlen(json), padded = (length + 3) / 4 * 4;
  const uint64_t bytes = count_bytes(w);
  fputs("glTF", w->stream);
  bytes_write_little(w->stream, 2, 4);
  bytes_write_little(w->stream, 12 + 8 + padded + 8 + bytes, 4);
  bytes_write_little(w->stream, padded, 4);
  fprintf(w->stream, "JSON%s%.*s", json, (int)(padded - length), "   ");
  bytes_write_little(w->stream, bytes, 4);
  fwrite("BIN", 1, 4, w->stream);
  write_buffer out;
  write_buffer_begin(&out, w->stream);
  put_positions(w, &out);
  put_indices(w, &out);
  if (w->view_bytes[VIEW_TEXTURE] > 0)
    put_texture(w, &out);
  if (w->frames > 1)
    put_times(w, &out);
  write_buffer_flush(&out);
}

static void measure(writer *w) {
  const export_shape *shape = w->animation->shape;
  const uint64_t corners =
      3 * (uint64_t)shape->triangle_count + 2 * (uint64_t)shape->line_count + (uint64_t)shape->point_count;
  const uint64_t times = w->frames > 1 ? 4 * (uint64_t)w->frames : 0, ones = times > 0 ? times - 4 : 0;
  w->view_bytes[VIEW_POSITIONS] = 12 * (uint64_t)w->frames * (uint64_t)w->points;
  w->view_bytes[VIEW_INDICES] = 4 * corners;
  w->view_bytes[VIEW_TEXTURE] =
      w->animation->attributes->texture_of_point != NULL ? 8 * (uint64_t)w->points : 0;
  w->view_bytes[VIEW_TIMES] = times;
  w->view_bytes[VIEW_ONES_AT] = w->view_bytes[VIEW_ONES] = ones;
}

bool export_glb(FILE *stream, const export_animation *animation, problem *p) {
  writer w = {.animation = animation,
              .stream = stream,
              .frames = animation->samples->count,
              .points = animation->samples->points};
  if (!export_glb_has_room(w.frames, w.points, p))
    return false;
  w.first = calloc((size_t)w.points + 1, sizeof *w.first);
  w.moved = calloc((size_t)w.points + 1, sizeof *w.moved);
  measure(&w);
  char *json = w.first != NULL && w.moved != NULL ? make_json(&w) : NULL;
  const bool ok = json != NULL || problem_set(p, "out of memory for an export");
  if (ok)
    put_file(&w, json);
  free(json);
  free(w.first);
  free(w.moved);
  return ok;
}

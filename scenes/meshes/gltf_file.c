/* glTF 2.0: the nodes of a scene form trees, and each may hold a mesh, whose primitives are triangles with
   vertices and indices in accessors. Several nodes may hold one mesh, which is then there several times.
   Vertices are counted in the order of the nodes, each with its primitives; primitives of a node that share an
   accessor share its vertices.

   A small file may describe large meshes: nodes that hold one large mesh, primitives that have all of its
   indices. So there is a bound of what is laid out, and nothing is laid out twice where once will do. */
#include "scenes/meshes/gltf_accessor.h"
#include "scenes/meshes/gltf_transform.h"
#include "scenes/meshes/growth.h"
#include "scenes/meshes/mesh_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of vertices, and of corners of faces. */
enum { LAID_OUT_MAX = 100000000 };

enum { MODE_TRIANGLES = 4, MODE_STRIP, MODE_FAN };

/* What rows of accessors have become: vertices, normals, texture coordinates. */
typedef enum row_kind { ROW_VERTEX, ROW_NORMAL, ROW_TEXTURE, ROW_KINDS } row_kind;

/* The first of what the rows of an accessor have become, and for which node. */
typedef struct laid_out {
  int32_t node, first;
} laid_out;

/* A node that is being gone through. */
typedef struct open_node {
  json_place place;
  gltf_transform where;
  size_t next_child;
  int32_t first_corner;
} open_node;

typedef struct gltf_reader {
  gltf_document document;
  gltf_buffers buffers;
  polygon_mesh *mesh;

  /* Of each node, whether it has been entered; of each accessor, what it has become. */
  bool *is_entered;
  laid_out *rows[ROW_KINDS];

  /* From a root to the last that has been entered, and how many have been in all. */
  open_node *path;
  int32_t depth, path_capacity, nodes_entered;

  /* The faces so far. */
  int32_t face_count;
} gltf_reader;

/* ------------------------------------------------------------------------------------------------ vertices */

static bool add_row(gltf_reader *r, row_kind kind, const gltf_accessor *a, int32_t row, const char *where) {
  double from[3] = {gltf_accessor_number(a, row, 0), gltf_accessor_number(a, row, 1), 0}, to[3];
  if (kind == ROW_TEXTURE) {
    /* v is counted from the top there, and from the bottom elsewhere */
    from[1] = 1 - from[1];
    return corner_values_add(&r->mesh->texture, from) || scene_fail_out_of_memory(r->document.source.error);
  }
  const gltf_transform *node = &r->path[r->depth - 1].where;
  from[2] = gltf_accessor_number(a, row, 2);
  if (kind == ROW_NORMAL) {
    gltf_transform_normal(node, from, to);
    return corner_values_add(&r->mesh->normals, to) || scene_fail_out_of_memory(r->document.source.error);
  }
  gltf_transform_point(node, from, to);
  return polygon_mesh_add_vertex(r->mesh, to, where, r->document.source.error);
}

static bool check_room(const json_place *place, int32_t count, double more) {
  return count + more <= LAID_OUT_MAX ||
         place_fail(
             place,
             "and what is before it make more than %d vertices or corners of faces; make the mesh coarser",
             (int)LAID_OUT_MAX);
}

/* Lays out the rows of an accessor where this has not been done, and says where they begin. */
static bool lay_out_rows(gltf_reader *r, const json_place *place, row_kind kind, const gltf_accessor *a,
                         int32_t *first) {
  /* Texture coordinates are the same for all nodes. */
  const int32_t node = kind == ROW_TEXTURE ? 1 : r->nodes_entered;
  const int32_t counts[ROW_KINDS] = {r->mesh->vertex_count, r->mesh->normals.count, r->mesh->texture.count};
  laid_out *rows = &r->rows[kind][a->number];
  if (rows->node != node) {
    char path[160], where[FACE_TEXT_MAX];
    if (!check_room(place, counts[kind], a->count))
      return false;
    place_path(place, path, sizeof path);
    snprintf(where, sizeof where, "%s: %s", r->mesh->path, path);
    *rows = (laid_out){node, counts[kind]};
    for (int32_t row = 0; row < a->count; row++)
      if (!add_row(r, kind, a, row, where))
        return false;
  }
  *first = rows->first;
  return true;
}

/* ------------------------------------------------------------------------------------------------- faces */

/* Where the rows of a primitive have gone; -1: it has none. */
typedef struct primitive {
  const json_place *place;
  int mode;
  int32_t vertex_count, first[ROW_KINDS];

  /* Of `index_count` corners, or of the vertices one by one. */
  bool has_indices;
  gltf_accessor indices;
  int32_t corner_count;
} primitive;

/* The corners of triangle t, of those of the primitive. */
static void corners_of(int mode, int32_t t, int32_t corner[3]) {
  const int32_t first = mode == MODE_TRIANGLES ? 3 * t : t;
  const bool is_odd = mode == MODE_STRIP && t % 2 > 0;
  corner[0] = mode == MODE_FAN ? 0 : first;
  corner[1] = mode == MODE_FAN ? first + 1 : first + 1 + is_odd;
  corner[2] = mode == MODE_FAN ? first + 2 : first + 2 - is_odd;
}

static bool add_corner(gltf_reader *r, const primitive *p, int32_t corner) {
  const uint32_t row = p->has_indices ? gltf_accessor_index(&p->indices, corner) : (uint32_t)corner;
  polygon_mesh *mesh = r->mesh;
  scene_error *error = r->document.source.error;
  if (row >= (uint32_t)p->vertex_count) {
    const json_place indices = place_member(p->place, "indices");
    return place_fail(&indices, "have %u at %d (from 0); the vertices there are 0 to %d", (unsigned)row,
                      (int)corner, (int)p->vertex_count - 1);
  }
  const int32_t at = (int32_t)row;
  const int32_t texture = p->first[ROW_TEXTURE] < 0 ? -1 : p->first[ROW_TEXTURE] + at,
                normal = p->first[ROW_NORMAL] < 0 ? -1 : p->first[ROW_NORMAL] + at;
  return polygon_mesh_add_corner(mesh, p->first[ROW_VERTEX] + at, error) &&
         polygon_mesh_set_attributes(mesh, mesh->corner_count - 1, texture, normal, error);
}

static bool add_faces(gltf_reader *r, const primitive *p) {
  const int32_t count = p->mode == MODE_TRIANGLES ? p->corner_count / 3 : p->corner_count - 2;
  const bool mirrors = gltf_transform_mirrors(&r->path[r->depth - 1].where);
  if (!check_room(p->place, r->mesh->corner_count, 3.0 * count))
    return false;
  for (int32_t t = 0; t < count; t++) {
    int32_t corner[3];
    corners_of(p->mode, t, corner);
    if (!add_corner(r, p, corner[0]) || !add_corner(r, p, corner[mirrors ? 2 : 1]) ||
        !add_corner(r, p, corner[mirrors ? 1 : 2]) ||
        !polygon_mesh_end_polygon(r->mesh, r->face_count, r->document.source.error))
      return false;
    r->face_count++;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------- primitives */

static bool read_mode(primitive *p) {
  static const quantity modes = {"4, 5 or 6: triangles, a strip or a fan of them", 0, 6};
  const json_place place = place_member(p->place, "mode");
  double mode = MODE_TRIANGLES;
  if (!read_whole(p->place, "mode", &modes, &mode))
    return false;
  p->mode = (int)mode;
  return p->mode >= MODE_TRIANGLES ||
         place_fail(&place, "is %d, which is %s; it must be %s: leave them out, or make faces of them",
                    p->mode, p->mode == 0 ? "points" : "lines", modes.text);
}

static bool read_rows(gltf_reader *r, primitive *p) {
  static const struct {
    const char *key;
    gltf_use use;
  } kinds[ROW_KINDS] = {{"POSITION", GLTF_VECTORS}, {"NORMAL", GLTF_VECTORS}, {"TEXCOORD_0", GLTF_PAIRS}};
  const json_place attributes = place_member(p->place, "attributes");
  if (!json_is_object(attributes.value))
    return place_fail_type(&attributes, "an object with a \"POSITION\"");
  for (int kind = 0; kind < ROW_KINDS; kind++) {
    const json_place place = place_member(&attributes, kinds[kind].key);
    gltf_accessor rows;
    p->first[kind] = -1;
    if (!place.value && kind != ROW_VERTEX)
      continue;
    if (!gltf_accessor_open(&r->buffers, &place, kinds[kind].use, &rows))
      return false;
    if (kind == ROW_VERTEX)
      p->vertex_count = rows.count;
    if (rows.count != p->vertex_count)
      return place_fail(&place, "has %d, and \"POSITION\" has %d; there must be as many", (int)rows.count,
                        (int)p->vertex_count);
    if (!lay_out_rows(r, &place, (row_kind)kind, &rows, &p->first[kind]))
      return false;
  }
  return true;
}

static bool read_indices(gltf_reader *r, primitive *p) {
  const json_place place = place_member(p->place, "indices");
  p->corner_count = p->vertex_count;
  p->has_indices = place.value != NULL;
  if (p->has_indices) {
    if (!gltf_accessor_open(&r->buffers, &place, GLTF_INDICES, &p->indices))
      return false;
    p->corner_count = p->indices.count;
  }
  if (p->corner_count < 3 || (p->mode == MODE_TRIANGLES && p->corner_count % 3 > 0))
    return place_fail(p->has_indices ? &place : p->place, "has %d corners; it must have %s",
                      (int)p->corner_count,
                      p->mode == MODE_TRIANGLES ? "three for each triangle" : "three or more");
  return true;
}

/* All that the names of a node, mesh or material mean is a group. */
static bool add_group(gltf_reader *r, const json_place *named, int32_t first_corner) {
  const char *name = NULL;
  if (!read_text(named, "name", &name))
    return false;
  return !name || !*name ||
         vertex_groups_add(&r->mesh->groups, GROUP_NAMED, name, strlen(name), first_corner,
                           r->mesh->corner_count) ||
         place_out_of_memory(named);
}

static bool add_material(gltf_reader *r, const json_place *place, int32_t first_corner) {
  const json_place reference = place_member(place, "material");
  size_t number = 0;
  json_place material;
  return !reference.value ||
         (gltf_document_refer(&r->document, &reference, GLTF_MATERIALS, &number, &material) &&
          add_group(r, &material, first_corner));
}

static bool read_primitive(gltf_reader *r, const json_place *place) {
  const int32_t first_corner = r->mesh->corner_count;
  primitive p = {.place = place};
  if (!json_is_object(place->value))
    return place_fail_type(place, "an object { }");
  return read_mode(&p) && read_rows(r, &p) && read_indices(r, &p) && add_faces(r, &p) &&
         add_material(r, place, first_corner);
}

/* ------------------------------------------------------------------------------------------------- meshes */

/* Shapes that others are mixed into would be elsewhere. */
static bool check_weights(const json_place *node, const json_place *mesh) {
  static const quantity none = {
      "0: the shapes that it mixes in are not read; apply them, and export it again", 0, 0};
  /* Those of a node stand in for those of its mesh. */
  const json_place own = place_member(node, "weights"),
                   weights = own.value ? own : place_member(mesh, "weights");
  if (weights.value && !place_check_array(&weights, "a list of numbers"))
    return false;
  for (size_t i = 0; i < json_array_size(weights.value); i++) {
    const json_place item = place_item(&weights, i);
    double weight = 0;
    if (!place_get_number(&item, &none, &weight))
      return false;
  }
  return true;
}

static bool read_mesh(gltf_reader *r, const json_place *node) {
  const json_place reference = place_member(node, "mesh"), skin = place_member(node, "skin");
  const int32_t first_corner = r->mesh->corner_count;
  size_t number = 0;
  json_place mesh;
  if (!reference.value)
    return true;
  if (skin.value)
    return place_fail(
        &skin, "moves the mesh with a skeleton, which is not read here; apply it to the mesh in the pose "
               "that it should have, and export it without");
  if (!gltf_document_refer(&r->document, &reference, GLTF_MESHES, &number, &mesh) ||
      !check_weights(node, &mesh))
    return false;
  const json_place list = place_member(&mesh, "primitives");
  if (!place_check_array(&list, "a list of at least one primitive"))
    return false;
  for (size_t i = 0; i < json_array_size(list.value); i++) {
    const json_place place = place_item(&list, i);
    if (!read_primitive(r, &place))
      return false;
  }
  return add_group(r, &mesh, first_corner);
}

/* -------------------------------------------------------------------------------------------------- nodes */

/* A node, which `at` names, below the last of the path. */
static bool enter_node(gltf_reader *r, size_t number, const json_place *at) {
  open_node next = {.place = place_item(&r->document.lists[GLTF_NODES], number),
                    .first_corner = r->mesh->corner_count};
  if (r->is_entered[number])
    return place_fail(at,
                      "is %zu, a node that is there already; each has one parent at most, and is not below "
                      "itself",
                      number);
  r->is_entered[number] = true;
  r->nodes_entered++;
  const json_place children = place_member(&next.place, "children");
  if (children.value && !place_check_array(&children, "a list of the numbers of nodes"))
    return false;
  if (!gltf_transform_read(&next.place, &next.where))
    return false;
  if (r->depth > 0)
    next.where = gltf_transform_within(&r->path[r->depth - 1].where, &next.where);
  void *path = r->path;
  const bool roomy = grow_for_one(&path, &r->path_capacity, r->depth, sizeof *r->path);
  r->path = path;
  if (!roomy)
    return place_out_of_memory(at);
  r->path[r->depth++] = next;
  return read_mesh(r, &next.place);
}

/* The node that the number at a place means. */
static bool enter_child(gltf_reader *r, const json_place *reference) {
  size_t number = 0;
  json_place node;
  return gltf_document_refer(&r->document, reference, GLTF_NODES, &number, &node) &&
         enter_node(r, number, reference);
}

/* What is below the node that has been entered. */
static bool read_below(gltf_reader *r) {
  while (r->depth > 0) {
    open_node *last = &r->path[r->depth - 1];
    const json_place children = place_member(&last->place, "children");
    if (last->next_child < json_array_size(children.value)) {
      const json_place child = place_item(&children, last->next_child++);
      if (!enter_child(r, &child))
        return false;
      continue;
    }
    if (!add_group(r, &last->place, last->first_corner))
      return false;
    r->depth--;
  }
  return true;
}

/* Of a file without scenes: the nodes that are no one's child, and all below them. */
static bool read_all_nodes(gltf_reader *r) {
  const json_place *nodes = &r->document.lists[GLTF_NODES];
  const size_t count = gltf_document_count(&r->document, GLTF_NODES);
  bool *is_child = calloc(count + 1, sizeof *is_child), done = is_child != NULL;
  for (size_t n = 0; is_child && n < count; n++) {
    const json_t *children = json_object_get(json_array_get(nodes->value, n), "children");
    for (size_t c = 0; c < json_array_size(children); c++) {
      const json_t *child = json_array_get(children, c);
      if (json_is_integer(child) && json_integer_value(child) >= 0 &&
          (json_int_t)count > json_integer_value(child))
        is_child[json_integer_value(child)] = true;
    }
  }
  for (size_t n = 0; done && n < count; n++) {
    const json_place node = place_item(nodes, n);
    if (!json_is_object(node.value))
      done = place_fail_type(&node, "an object { }");
    else if (!is_child[n])
      done = enter_node(r, n, &node) && read_below(r);
  }
  if (!is_child)
    place_out_of_memory(nodes);
  free(is_child);
  return done;
}

/* The scene that is to be shown at first, or the first. */
static bool read_scene(gltf_reader *r) {
  const json_place given = place_member(&r->document.root, "scene");
  json_place scene = place_item(&r->document.lists[GLTF_SCENES], 0);
  size_t number = 0;
  if (given.value && !gltf_document_refer(&r->document, &given, GLTF_SCENES, &number, &scene))
    return false;
  if (!given.value && gltf_document_count(&r->document, GLTF_SCENES) == 0)
    return read_all_nodes(r);
  if (!json_is_object(scene.value))
    return place_fail_type(&scene, "an object with the \"nodes\" of the scene");
  const json_place nodes = place_member(&scene, "nodes");
  if (nodes.value && !place_check_array(&nodes, "a list of the numbers of nodes"))
    return false;
  for (size_t i = 0; i < json_array_size(nodes.value); i++) {
    const json_place root = place_item(&nodes, i);
    if (!enter_child(r, &root) || !read_below(r))
      return false;
  }
  return true;
}

static bool open_reader(gltf_reader *r, char *bytes, size_t size, scene_error *error) {
  if (!gltf_document_open(&r->document, r->mesh->path, bytes, size, error) ||
      !gltf_buffers_open(&r->buffers, &r->document, r->mesh->file))
    return false;
  const size_t accessors = gltf_document_count(&r->document, GLTF_ACCESSORS);
  r->is_entered = calloc(gltf_document_count(&r->document, GLTF_NODES) + 1, sizeof *r->is_entered);
  bool done = r->is_entered != NULL;
  for (int kind = 0; kind < ROW_KINDS; kind++) {
    r->rows[kind] = calloc(accessors + 1, sizeof *r->rows[kind]);
    done = done && r->rows[kind];
  }
  return done || scene_fail_out_of_memory(error);
}

bool gltf_read(char *bytes, size_t size, polygon_mesh *mesh, scene_error *error) {
  gltf_reader *r = calloc(1, sizeof *r);
  if (!r)
    return scene_fail_out_of_memory(error);
  r->mesh = mesh;
  const bool done = open_reader(r, bytes, size, error) && read_scene(r);
  gltf_buffers_close(&r->buffers);
  gltf_document_close(&r->document);
  free(r->is_entered);
  for (int kind = 0; kind < ROW_KINDS; kind++)
    free(r->rows[kind]);
  free(r->path);
  free(r);
  return done;
}

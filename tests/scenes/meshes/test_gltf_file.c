#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_file.h"
#include "tests/support/gltf_files.h"
#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void enter_with_square(void) {
  char bytes[GLTF_SQUARE_BYTES];
  enter_scratch_folder();
  gltf_square_bytes(bytes);
  write_file("square.bin", bytes, sizeof bytes);
}

TestSuite(gltf_file, .init = enter_with_square, .fini = leave_scratch_folder);

/* Twice the area of a triangle in the plane of x and y, positive where it goes round as the axes do. */
static double area_of(const mesh_data *mesh, int32_t t) {
  const int32_t *corner = mesh->triangles + 3 * t;
  const msd_vec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]], c = mesh->vertices[corner[2]];
  return (double)((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
}

static void expect_square(const mesh_data *mesh) {
  cr_assert_eq(mesh->vertex_count, 4);
  for (int32_t i = 0; i < 4; i++)
    cr_expect(has_vertex(mesh, i, (double)gltf_square[i][0], (double)gltf_square[i][1], 0), "vertex %d", i);
  cr_assert_eq(mesh->triangle_count, 2);
  cr_expect(area_of(mesh, 0) == 1 && area_of(mesh, 1) == 1, "%g %g", area_of(mesh, 0), area_of(mesh, 1));
}

Test(gltf_file, triangles_strips_and_fans_of_all_indices_make_the_same_square) {
  static const char *const files[] = {
      GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES)),
      GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES) ", \"mode\": 4"),
      GLTF_FILE(GLTF_INDEXED(GLTF_STRIP) ", \"mode\": 5"),
      GLTF_FILE(GLTF_INDEXED(GLTF_FAN) ", \"mode\": 6"),
      GLTF_FILE("\"attributes\": { \"POSITION\": " GLTF_POSITIONS " }, \"mode\": 6"),
      GLTF_FILE("\"attributes\": { \"POSITION\": " GLTF_QUANTIZED " }, \"mode\": 6"),
  };
  for (size_t i = 0; i < COUNT_OF(files); i++) {
    mesh_data mesh = read_mesh("m.gltf", files[i]);
    expect_square(&mesh);
    mesh_data_free(&mesh);
  }
}

Test(gltf_file, a_binary_file_has_its_first_buffer_in_itself) {
  char bytes[GLTF_SQUARE_BYTES], file[4096];
  gltf_square_bytes(bytes);
  const size_t size = gltf_make_binary(
      file,
      "{" GLTF_ASSET "," GLTF_ACCESSORS "," GLTF_VIEWS "," GLTF_ONE_NODE
      "," GLTF_MESH(GLTF_INDEXED(GLTF_TRIANGLES)) ", \"buffers\": [ { \"byteLength\": 144 } ] }",
      bytes, sizeof bytes);
  /* The bytes tell what a file is, and not its name. */
  static const char *const names[] = {"m.glb", "M.GLB", "m.gltf"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    mesh_data mesh;
    scene_error error;
    write_file(names[i], file, size);
    cr_assert(mesh_file_read(names[i], &mesh, NULL, &error), "%s", error.text);
    expect_square(&mesh);
    mesh_data_free(&mesh);
  }
}

/* The parent moves by 10 along x; the child is twice as large, and then turned by a quarter about z. */
Test(gltf_file, nodes_are_where_the_nodes_above_them_put_them) {
  mesh_data mesh = read_mesh(
      "m.gltf", "{ " GLTF_DATA "," GLTF_MESH(GLTF_INDEXED(
                    GLTF_TRIANGLES)) ","
                                     "\"scenes\": [ { \"nodes\": [1] } ], \"nodes\": ["
                                     "{ \"mesh\": 0, \"scale\": [2, 2, 2], \"rotation\": [0, 0, 1, 1] },"
                                     "{ \"children\": [0], \"translation\": [10, 0, 0] } ] }");
  cr_assert_eq(mesh.vertex_count, 4);
  for (int i = 0; i < 4; i++) {
    const msd_vec3 at = mesh.vertices[i];
    const double x = 10 - 2 * (double)gltf_square[i][1], y = 2 * (double)gltf_square[i][0];
    cr_expect_float_eq((double)at.x, x, 1e-5);
    cr_expect_float_eq((double)at.y, y, 1e-5);
  }
  mesh_data_free(&mesh);
}

Test(gltf_file, what_is_mirrored_keeps_its_outside_outside) {
  mesh_data mesh =
      read_mesh("m.gltf", "{ " GLTF_DATA "," GLTF_MESH(GLTF_INDEXED(
                              GLTF_TRIANGLES)) ","
                                               "\"scenes\": [ { \"nodes\": [0] } ],"
                                               "\"nodes\": [ { \"mesh\": 0, \"scale\": [-1, 1, 1] } ] }");
  cr_assert_eq(mesh.triangle_count, 2);
  cr_expect(area_of(&mesh, 0) == 1 && area_of(&mesh, 1) == 1);
  mesh_data_free(&mesh);
}

Test(gltf_file, a_mesh_of_two_nodes_is_there_twice) {
  mesh_data mesh = read_mesh(
      "m.gltf",
      "{ " GLTF_DATA "," GLTF_MESH(GLTF_INDEXED(
          GLTF_TRIANGLES)) ","
                           "\"scenes\": [ { \"nodes\": [0, 1] } ],"
                           "\"nodes\": [ { \"mesh\": 0 }, { \"mesh\": 0, \"translation\": [0, 0, 5] } ] }");
  cr_expect(mesh.vertex_count == 8 && mesh.triangle_count == 4);
  cr_expect(has_vertex(&mesh, 6, 1, 1, 5));
  mesh_data_free(&mesh);
}

/* What may be there without a scene: the second node is in the first, which is moved. */
Test(gltf_file, all_nodes_of_a_file_without_scenes_are_read) {
  mesh_data mesh = read_mesh(
      "m.gltf",
      "{ " GLTF_DATA "," GLTF_MESH(GLTF_INDEXED(
          GLTF_TRIANGLES)) ","
                           "\"nodes\": [ { \"children\": [1], \"translation\": [0, 0, 5] }, { \"mesh\": 0 },"
                           "{ \"mesh\": 0, \"translation\": [0, 0, 7] } ] }");
  cr_expect(mesh.vertex_count == 8 && mesh.triangle_count == 4);
  cr_expect(has_vertex(&mesh, 2, 1, 1, 5) && has_vertex(&mesh, 6, 1, 1, 7));
  mesh_data_free(&mesh);
}

/* The second is turned by a quarter about the corner (1, 1), which is one vertex with two normals then. */
Test(gltf_file, normals_are_turned_with_their_nodes) {
  mesh_data mesh = read_mesh(
      "m.gltf", "{ " GLTF_DATA ", \"scenes\": [ { \"nodes\": [0, 1] } ], \"nodes\": [ { \"mesh\": 0 },"
                "{ \"mesh\": 0, \"rotation\": [0, 0, 1, 1], \"translation\": [2, 0, 0] } ],"
                "\"meshes\": [ { \"primitives\": [ { \"attributes\": { \"POSITION\": " GLTF_POSITIONS
                ", \"NORMAL\": " GLTF_POSITIONS " }, \"mode\": 6 } ] } ] }");
  cr_assert(mesh.attributes.normal_of);
  cr_expect_eq(mesh.attributes.normal_count, 8, "%d", mesh.attributes.normal_count);
  mesh_data_free(&mesh);
}

Test(gltf_file, weights_of_a_node_stand_in_for_those_of_its_mesh) {
  mesh_data mesh = read_mesh(
      "m.gltf",
      "{ " GLTF_DATA ", \"scenes\": [ { \"nodes\": [0] } ], \"nodes\": [ { \"mesh\": 0, \"weights\": [0] } ],"
      "\"meshes\": [ { \"weights\": [1], \"primitives\": [ {" GLTF_INDEXED(GLTF_TRIANGLES) "} ] } ] }");
  expect_square(&mesh);
  mesh_data_free(&mesh);
}

Test(gltf_file, primitives_with_the_same_positions_share_their_vertices) {
  mesh_data mesh = read_mesh(
      "m.gltf", "{ " GLTF_DATA "," GLTF_ONE_NODE ", \"meshes\": [ { \"primitives\": [ {" GLTF_INDEXED(
                    GLTF_TRIANGLES) "}, {" GLTF_INDEXED(GLTF_STRIP) ", \"mode\": 5 } ] } ] }");
  cr_expect(mesh.file_vertex_count == 4 && mesh.welded.welded == 0 && mesh.triangle_count == 4);
  mesh_data_free(&mesh);
}

/* Each triangle of the square has its own corners, as where texture coordinates differ: two positions twice. */
Test(gltf_file, a_mesh_does_not_fall_apart_at_the_seams_of_its_texture) {
  char bytes[72];
  static const int corners[6] = {0, 1, 2, 0, 2, 3};
  for (size_t i = 0; i < 6; i++)
    for (size_t c = 0; c < 3; c++)
      gltf_put_float(bytes, 12 * i + 4 * c, gltf_square[corners[i]][c]);
  write_file("seam.bin", bytes, sizeof bytes);
  mesh_data mesh = read_mesh(
      "m.gltf",
      "{" GLTF_ASSET "," GLTF_ONE_NODE "," GLTF_MESH(
          "\"attributes\": { \"POSITION\": 0 }") ","
                                                 "\"accessors\": [ { \"bufferView\": 0, \"componentType\": "
                                                 "5126, \"count\": 6, \"type\": \"VEC3\" } ],"
                                                 "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 72 } ],"
                                                 "\"buffers\": [ { \"uri\": \"seam.bin\", \"byteLength\": 72 "
                                                 "} ] }");
  expect_square(&mesh);
  cr_expect(mesh.file_vertex_count == 6 && mesh.welded.welded == 2 && mesh.welded.furthest == 0);
  cr_expect(mesh.vertex_of[3] == 0 && mesh.vertex_of[4] == 2);
  mesh_data_free(&mesh);
}

/* The way from top to bottom there is the way from bottom to top everywhere else. */
Test(gltf_file, texture_coordinates_are_counted_from_the_bottom) {
  mesh_data mesh = read_mesh(
      "m.gltf", GLTF_FILE("\"attributes\": { \"POSITION\": " GLTF_POSITIONS ", \"TEXCOORD_0\": " GLTF_TEXTURE
                          ", \"NORMAL\": " GLTF_POSITIONS " }, \"indices\": " GLTF_TRIANGLES));
  const corner_attributes *a = &mesh.attributes;
  cr_assert(a->texture_of && a->normal_of);
  for (int c = 0; c < 6; c++) {
    const msd_vec3 at = mesh.vertices[mesh.triangles[c]];
    cr_expect_eq(a->texture[a->texture_of[c]][0], (double)at.x);
    cr_expect_eq(a->texture[a->texture_of[c]][1], 1 - (double)at.y);
  }
  mesh_data_free(&mesh);
}

static const char *marks_of(const mesh_data *mesh, const char *name) {
  static char text[32];
  bool marks[16] = {false};
  cr_assert(vertex_groups_mark(&mesh->groups, name, marks), "%s", name);
  for (int i = 0; i < mesh->vertex_count; i++)
    text[i] = marks[i] ? '1' : '0';
  text[mesh->vertex_count] = '\0';
  return text;
}

Test(gltf_file, nodes_meshes_and_materials_name_groups) {
  mesh_data mesh = read_mesh(
      "m.gltf",
      "{ " GLTF_DATA ", \"scenes\": [ { \"nodes\": [0, 2] } ],"
      "\"materials\": [ { \"name\": \"denim\" }, {} ],"
      "\"meshes\": [ { \"name\": \"panel\", \"primitives\": [ {" GLTF_INDEXED(
          GLTF_TRIANGLES) ", \"material\": 0 } ] },"
                          "{ \"primitives\": [ {" GLTF_INDEXED(
                              GLTF_TRIANGLES) ", \"material\": 1 } ] } ],"
                                              "\"nodes\": [ { \"name\": \"garment\", \"children\": [1, 3] },"
                                              "{ \"name\": \"left sleeve\", \"mesh\": 0 },"
                                              "{ \"name\": \"button\", \"mesh\": 1, \"translation\": [0, 0, "
                                              "2] },"
                                              "{ \"mesh\": 0, \"translation\": [0, 0, 1] } ] }");
  cr_assert_eq(mesh.vertex_count, 12);
  cr_expect_str_eq(marks_of(&mesh, "left sleeve"), "111100000000");
  cr_expect_str_eq(marks_of(&mesh, "garment"), "111111110000", "a node has what is below it");
  cr_expect_str_eq(marks_of(&mesh, "panel"), "111111110000");
  cr_expect_str_eq(marks_of(&mesh, "denim"), "111111110000");
  cr_expect_str_eq(marks_of(&mesh, "button"), "000000001111");
  mesh_data_free(&mesh);
}

Test(gltf_file, the_scene_that_is_named_is_read_and_no_other) {
  static const char *const choices[] = {"", "\"scene\": 0,", "\"scene\": 1,"};
  for (size_t i = 0; i < COUNT_OF(choices); i++) {
    char text[4096];
    snprintf(text, sizeof text,
             "{ %s " GLTF_DATA "," GLTF_MESH(
                 GLTF_INDEXED(GLTF_TRIANGLES)) ","
                                               "\"scenes\": [ { \"nodes\": [0] }, { \"nodes\": [1] } ],"
                                               "\"nodes\": [ { \"mesh\": 0 }, { \"mesh\": 0, "
                                               "\"translation\": [5, 0, 0] }, { \"mesh\": 0 } ] }",
             choices[i]);
    mesh_data mesh = read_mesh("m.gltf", text);
    cr_expect_eq(mesh.vertex_count, 4);
    cr_expect(has_vertex(&mesh, 0, i == 2 ? 5 : 0, 0, 0));
    mesh_data_free(&mesh);
  }
}

#define BAD_NODES(nodes)                                                                                     \
  "{" GLTF_DATA                                                                                              \
  "," GLTF_MESH(GLTF_INDEXED(GLTF_TRIANGLES)) ", \"scenes\": [ { \"nodes\": [0] } ], \"nodes\": [ " nodes    \
                                              " ] }"

Test(gltf_file, bad_nodes_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"{" GLTF_DATA "}", "m.gltf: has no faces", "at least one face"},
      {"{" GLTF_DATA ", \"scenes\": [ 1 ] }", "m.gltf: scenes[0]: is 1", "nodes"},
      {"{" GLTF_DATA ", \"nodes\": [ 7 ] }", "m.gltf: nodes[0]: is 7", "an object"},
      {"{" GLTF_DATA ", \"nodes\": [ { \"children\": [1, 1] }, {} ] }", "m.gltf: nodes[0].children[1]: is 1",
       "one parent at most"},
      {"{" GLTF_DATA ", \"scenes\": [ {} ] }", "m.gltf: has no faces", "at least one face"},
      {"{" GLTF_DATA ", \"scenes\": [ { \"nodes\": 0 } ] }", "m.gltf: scenes[0].nodes: is 0", "a list"},
      {"{" GLTF_DATA ", \"scenes\": [ { \"nodes\": [0] } ] }", "m.gltf: scenes[0].nodes[0]: is 0",
       "the number of a node; there are 0"},
      {"{" GLTF_DATA ", \"scene\": 1, \"scenes\": [ {} ] }", "m.gltf: scene: is 1", "there are 1"},
      {BAD_NODES("{ \"mesh\": 1 }"), "m.gltf: nodes[0].mesh: is 1", "the number of a mesh; there are 1"},
      {BAD_NODES("{ \"mesh\": -1 }"), "m.gltf: nodes[0].mesh: is -1", "the number of a mesh"},
      {BAD_NODES("{ \"mesh\": 0, \"skin\": 0 }"), "m.gltf: nodes[0].skin: moves", "apply it"},
      {BAD_NODES("{ \"mesh\": 0, \"weights\": [0, 0.5] }"), "m.gltf: nodes[0].weights[1]: is 0.5",
       "must be 0"},
      {BAD_NODES("{ \"children\": 1 }"), "m.gltf: nodes[0].children: is 1", "a list"},
      {BAD_NODES("{ \"children\": [1] }, { \"children\": [0] }"), "m.gltf: nodes[1].children[0]: is 0",
       "not below itself"},
      {BAD_NODES("{ \"children\": [0] }"), "m.gltf: nodes[0].children[0]: is 0", "not below itself"},
      {BAD_NODES("{ \"children\": [1, 1] }, { \"mesh\": 0 }"), "m.gltf: nodes[0].children[1]: is 1",
       "one parent at most"},
      {BAD_NODES("{ \"mesh\": 0, \"name\": 3 }"), "m.gltf: nodes[0].name: is 3", "a line of text"},
      {BAD_NODES("7"), "m.gltf: nodes[0]: is 7", "an object"},
      {BAD_NODES("{ \"scale\": [1e15, 1, 1], \"children\": [1] }, { \"mesh\": 0, \"scale\": [1e15, 1, 1] }"),
       "m.gltf: meshes[0].primitives[0].attributes.POSITION: a vertex is at 1e+30", "at most 1e+18"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.gltf", cases[i].text);
    expect_mesh_refused("m.gltf", cases[i].place, cases[i].remedy);
  }
}

Test(gltf_file, bad_primitives_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"{" GLTF_DATA "," GLTF_ONE_NODE ", \"meshes\": [ {} ] }", "m.gltf: meshes[0].primitives: is missing",
       "a list of at least one"},
      {"{" GLTF_DATA "," GLTF_ONE_NODE ", \"meshes\": [ { \"primitives\": [1] } ] }",
       "m.gltf: meshes[0].primitives[0]: is 1", "an object"},
      {"{" GLTF_DATA "," GLTF_ONE_NODE ", \"meshes\": [ { \"weights\": [1], \"primitives\": [] } ] }",
       "m.gltf: meshes[0].weights[0]: is 1", "must be 0: the shapes"},
      {GLTF_FILE(""), "m.gltf: meshes[0].primitives[0].attributes: is missing", "POSITION"},
      {GLTF_FILE("\"attributes\": { \"NORMAL\": 0 }"),
       "m.gltf: meshes[0].primitives[0].attributes.POSITION: is missing", "the number of an accessor"},
      {GLTF_FILE("\"attributes\": { \"POSITION\": 9 }"),
       "m.gltf: meshes[0].primitives[0].attributes.POSITION: is 9", "there are 6"},
      {GLTF_FILE("\"attributes\": { \"POSITION\": " GLTF_TEXTURE " }"),
       "m.gltf: accessors[4].type: is the text \"VEC2\"", "\"VEC3\" for positions"},
      {GLTF_FILE("\"attributes\": { \"POSITION\": 0 }, \"indices\": 0"),
       "m.gltf: accessors[0].type: is the text \"VEC3\"", "\"SCALAR\" for indices"},
      {GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES) ", \"mode\": 0"),
       "m.gltf: meshes[0].primitives[0].mode: is 0, which is points", "4, 5 or 6"},
      {GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES) ", \"mode\": 1"),
       "m.gltf: meshes[0].primitives[0].mode: is 1, which is lines", "4, 5 or 6"},
      {GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES) ", \"mode\": 7"), "m.gltf: meshes[0].primitives[0].mode: is 7",
       "triangles, a strip or a fan"},
      {GLTF_FILE("\"attributes\": { \"POSITION\": 0 }"), "m.gltf: meshes[0].primitives[0]: has 4 corners",
       "three for each triangle"},
      {GLTF_FILE(GLTF_INDEXED(GLTF_STRIP)), "m.gltf: meshes[0].primitives[0].indices: has 4 corners",
       "three for each triangle"},
      {GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES) ", \"material\": 0"),
       "m.gltf: meshes[0].primitives[0].material: is 0", "the number of a material"},
      {GLTF_FILE("\"attributes\": { \"POSITION\": 0, \"TEXCOORD_0\": 0 }"),
       "m.gltf: accessors[0].type: is the text \"VEC3\"", "\"VEC2\" for texture coordinates"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    write_text("m.gltf", cases[i].text);
    expect_mesh_refused("m.gltf", cases[i].place, cases[i].remedy);
  }
}

Test(gltf_file, indices_of_vertices_that_are_not_there_are_refused) {
  char bytes[GLTF_SQUARE_BYTES];
  gltf_square_bytes(bytes);
  gltf_put(bytes, 48 + 2 * 4, 4, 2);
  write_file("square.bin", bytes, sizeof bytes);
  write_text("m.gltf", GLTF_FILE(GLTF_INDEXED(GLTF_TRIANGLES)));
  expect_mesh_refused("m.gltf", "m.gltf: meshes[0].primitives[0].indices: have 4 at 4 (from 0)", "0 to 3");
}

/* Nodes are gone through without a call for each. */
Test(gltf_file, a_chain_of_100000_nodes_is_read) {
  enum { NODES = 100000 };
  const size_t room = 64 * (size_t)NODES;
  char *text = malloc(room);
  cr_assert(text);
  size_t used = (size_t)snprintf(text, room,
                                 "{" GLTF_DATA "," GLTF_MESH(GLTF_INDEXED(
                                     GLTF_TRIANGLES)) ", \"scenes\": [ { \"nodes\": [0] } ], \"nodes\": [");
  for (int i = 0; i + 1 < NODES; i++)
    used += (size_t)snprintf(text + used, room - used, "{\"children\":[%d],\"translation\":[0,0,1]},", i + 1);
  snprintf(text + used, room - used, "{\"mesh\":0}]}");
  mesh_data mesh = read_mesh("m.gltf", text);
  cr_expect(has_vertex(&mesh, 1, 1, 0, NODES - 1));
  mesh_data_free(&mesh);
  free(text);
}

Test(gltf_file, damaged_files_never_crash) {
  static const char text[] = "{" GLTF_ASSET "," GLTF_ONE_NODE "," GLTF_MESH(GLTF_INDEXED(
      GLTF_TRIANGLES)) ", \"accessors\": ["
                       "{ \"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\" },"
                       "{ \"bufferView\": 0, \"byteOffset\": 48, \"componentType\": 5123, \"count\": 6, "
                       "\"type\": \"SCALAR\" } ],"
                       "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 60 } ], \"buffers\": [ {";
  char file[2048], bytes[GLTF_SQUARE_BYTES], json[1024];
  snprintf(json, sizeof json, "%s \"uri\": \"square.bin\", \"byteLength\": 60 } ] }", text);
  expect_survival("m.gltf", json, strlen(json), 1);
  gltf_square_bytes(bytes);
  snprintf(json, sizeof json, "%s \"byteLength\": 60 } ] }", text);
  expect_survival("m.glb", file, gltf_make_binary(file, json, bytes, 60), 2);
}

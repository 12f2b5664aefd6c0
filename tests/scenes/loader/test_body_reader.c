#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(body_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* In float the coordinates of a file are rounded once. */
static bool is_at(const scene *s, int32_t particle, double x, double y, double z) {
  msd_vec3 p = msd_particle_get_position(s->world, particle);
  return fabs((double)p.x - x) < 1e-6 && fabs((double)p.y - y) < 1e-6 && fabs((double)p.z - z) < 1e-6;
}

Test(body_reader, particles_have_what_the_file_gives_them) {
  scene *s = load_bodies(
      "{ \"type\": \"particles\", \"name\": \"p\", \"position\": [[0,1,2],[3,4,5]], \"velocity\": "
      "[[6,7,8],[9,10,11]], \"mass\": [1, 3], \"pinned\": [0], \"springs\": [ { \"between\": "
      "[\"last\", \"first\"], \"stiffness\": 1 } ] }");
  cr_expect_eq(msd_world_get_particle_count(s->world), 2);
  cr_expect(is_at(s, 0, 0, 1, 2) && is_at(s, 1, 3, 4, 5));
  cr_expect_eq(msd_particle_get_mass(s->world, 1), 3);
  cr_expect_eq(msd_particle_get_velocity(s->world, 1).y, 10);
  cr_expect(msd_particle_is_pinned(s->world, 0) && !msd_particle_is_pinned(s->world, 1));
  cr_expect_eq(msd_particle_get_velocity(s->world, 0).x, 0, "a pinned particle is still");
  cr_expect_eq(msd_spring_get_def(s->world, 0).a, 1);
  cr_expect_eq(msd_spring_get_def(s->world, 0).b, 0);
  cr_expect_str_eq(s->bodies[0].name, "p");
  cr_expect_str_eq(s->bodies[0].kind, "particles");
  cr_expect_eq(s->bodies[0].group_count, 1);
  cr_expect_str_eq(s->bodies[0].groups[0].name, "springs");
  cr_expect(s->bodies[0].triangles == NULL);
  scene_free(s);
}

/* A tetrahedron as TetGen writes it. */
static void write_tetrahedron(void) {
  write_text("tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
  write_text("tet.ele", "1 4 0\n0 0 1 2 3\n");
}

Test(body_reader, a_body_of_any_kind_begins_with_its_velocity) {
  static const char *const bodies[] = {
      "\"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]]",
      "\"type\": \"rope\", \"particles\": 5",
      "\"type\": \"cloth\", \"columns\": 3, \"rows\": 3",
      "\"type\": \"mesh\", \"file\": \"triangle.obj\", \"rotation\": [0, 90, 0]",
      "\"type\": \"balloon\", \"sphere\": { \"subdivisions\": 1 }",
      "\"type\": \"block\", \"cells\": [2, 1, 1]",
      "\"type\": \"tetmesh\", \"file\": \"tet.node\", \"position\": [0, 5, 0]",
  };
  write_text("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write_tetrahedron();
  for (size_t b = 0; b < COUNT_OF(bodies); b++) {
    char text[256];
    snprintf(text, sizeof text, "{ \"type\": \"rope\" }, { %s, \"velocity\": [1, -2, 3], \"pinned\": [0] }",
             bodies[b]);
    scene *s = load_bodies(text);
    const msd_range its = s->bodies[1].particles;
    cr_assert_geq(its.count, 2);
    for (int32_t i = 0; i < its.first + its.count; i++) {
      const msd_vec3 v = msd_particle_get_velocity(s->world, i);
      if (i <= its.first)
        cr_expect(v.x == 0 && v.y == 0 && v.z == 0, "%s: pinned, or of the body before it", bodies[b]);
      else
        cr_expect(v.x == 1 && v.y == -2 && v.z == 3, "%s: particle %d", bodies[b], (int)i);
    }
    scene_free(s);
  }
}

Test(body_reader, one_mass_is_that_of_every_particle_and_1_kg_the_default) {
  scene *s = load_bodies("{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], \"mass\": 2 },"
                         "{ \"type\": \"particles\", \"position\": [[0,0,0]] }");
  cr_expect_eq(msd_particle_get_mass(s->world, 0), 2);
  cr_expect_eq(msd_particle_get_mass(s->world, 1), 2);
  cr_expect_eq(msd_particle_get_mass(s->world, 2), 1);
  scene_free(s);
}

Test(body_reader, a_rope_goes_from_its_start_to_its_end) {
  scene *s = load_bodies(
      "{ \"type\": \"rope\", \"from\": [0,2,0], \"to\": [2,2,0], \"particles\": 5, \"mass\": 0.5, "
      "\"stretch\": { \"stiffness\": 9 }, \"bend\": { \"stiffness\": 4 } }");
  const scene_body *rope = &s->bodies[0];
  cr_expect_eq(rope->particles.count, 5);
  cr_expect(is_at(s, 0, 0, 2, 0) && is_at(s, 1, 0.5, 2, 0) && is_at(s, 4, 2, 2, 0));
  cr_expect_float_eq(msd_world_get_stats(s->world).total_mass, 0.5, 1e-6);
  cr_expect_eq(rope->springs.count, 4 + 3);
  cr_expect_str_eq(rope->groups[0].name, "stretch");
  cr_expect_eq(rope->groups[0].springs.count, 4);
  cr_expect_str_eq(rope->groups[1].name, "bend");
  cr_expect_eq(rope->groups[1].springs.count, 3);
  cr_expect(rope->triangles == NULL);
  scene_free(s);
}

Test(body_reader, a_cloth_numbers_its_particles_by_rows_from_the_top) {
  scene *s = load_bodies(
      "{ \"type\": \"rope\" },"
      "{ \"type\": \"cloth\", \"origin\": [-1,2,0], \"u\": [3,0,0], \"v\": [0,-2,0], \"columns\": 4, "
      "\"rows\": 3, \"mass\": 1.2 }");
  const scene_body *cloth = &s->bodies[1];
  cr_expect_eq(cloth->particles.first, 2);
  cr_expect_eq(cloth->particles.count, 12);
  cr_expect_eq(cloth->columns, 4);
  cr_expect_eq(cloth->rows, 3);
  cr_expect(is_at(s, 2 + 2 * 4 + 1, 0, 0, 0), "row 2, column 1");
  cr_expect_float_eq((double)msd_particle_get_mass(s->world, 5), 0.1, 1e-6);
  cr_expect_eq(cloth->springs.first, 1);
  scene_free(s);
}

Test(body_reader, a_block_has_cells_along_each_axis) {
  scene *s = load_bodies(
      "{ \"type\": \"block\", \"origin\": [1,0,0], \"size\": [2,1,3], \"cells\": [4,2,3], \"mass\": 6, "
      "\"shear\": { \"stiffness\": 1 } }");
  const scene_body *block = &s->bodies[0];
  cr_expect_eq(block->particles.count, 5 * 3 * 4);
  cr_expect(is_at(s, (1 * 3 + 2) * 5 + 3, 1 + 3 * 0.5, 2 * 0.5, 1), "point (3, 2, 1)");
  cr_expect_eq(block->cells[0], 4);
  cr_expect_eq(block->cells[2], 3);
  /* Along each axis: the cells there times the points across. */
  cr_expect_eq(block->groups[0].springs.count, 4 * 3 * 4 + 5 * 2 * 4 + 5 * 3 * 3);
  /* Two on each face: those across x, y and z. */
  cr_expect_eq(block->groups[1].springs.count, 2 * (5 * 2 * 3 + 4 * 3 * 3 + 4 * 2 * 4));
  scene_free(s);
}

Test(body_reader, a_mesh_is_scaled_then_moved) {
  write_text("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  scene *s =
      load_bodies("{ \"type\": \"mesh\", \"file\": \"triangle.obj\", \"position\": [1,2,3], \"scale\": 2, "
                  "\"area_density\": 0.3, \"pinned\": [1] }");
  cr_expect(is_at(s, 0, 1, 2, 3) && is_at(s, 1, 3, 2, 3) && is_at(s, 2, 1, 4, 3));
  cr_expect_float_eq(msd_world_get_stats(s->world).total_mass, 0.3 * 2, 1e-6,
                     "the area is half of 2 times 2");
  cr_expect_eq(s->bodies[0].triangle_count, 1);
  cr_expect(msd_particle_is_pinned(s->world, 1) && !msd_particle_is_pinned(s->world, 0));
  scene_free(s);
}

/* Vertex 0 is in no face, and 3 repeats 2: particles 0 to 2 are vertices 1, 2 and 4. */
static const char odd_triangle[] = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 5\n";

Test(body_reader, indices_of_a_mesh_are_those_of_the_vertices_in_its_file) {
  write_text("odd.obj", odd_triangle);
  scene *s =
      load_bodies("{ \"type\": \"mesh\", \"name\": \"m\", \"file\": \"odd.obj\", \"pinned\": [3, 4] }");
  cr_expect_eq(s->bodies[0].particles.count, 3);
  cr_expect(!msd_particle_is_pinned(s->world, 0) && msd_particle_is_pinned(s->world, 1) &&
            msd_particle_is_pinned(s->world, 2));
  cr_assert_eq(s->bodies[0].vertex_count, 5);
  static const int32_t particle_of_vertex[] = {-1, 0, 1, 1, 2};
  cr_expect(memcmp(s->bodies[0].particle_of_vertex, particle_of_vertex, sizeof particle_of_vertex) == 0);
  char text[64];
  scene_describe_particle(s, 2, text, sizeof text);
  cr_expect_str_eq(text, "mesh \"m\" vertex 4");
  cr_expect_eq(s->warnings.count, 1);
  cr_expect_str_eq(s->warnings.count > 0 ? s->warnings.lines[0] : "",
                   "./odd.obj: vertex 0 (from 0) belongs to no face with an area, and is left out");
  scene_free(s);
}

Test(body_reader, a_vertex_that_became_no_particle_is_refused) {
  write_text("odd.obj", odd_triangle);
  static const bad_text cases[] = {
      {"0", "bodies[0].pinned[0]: vertex 0 belongs to no face with an area", "name another"},
      {"5", "bodies[0].pinned[0]: there is no vertex 5", "this body has 0 to 4"},
  };
  expect_refused(
      cases, COUNT_OF(cases),
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"odd.obj\", \"pinned\": [%s] } ] }");
}

Test(body_reader, a_mesh_file_is_looked_for_beside_the_scene_file) {
  write_text("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write_text("scene.json",
             "{ \"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"triangle.obj\" } ] }");
  char here[200], path[256];
  cr_assert(getcwd(here, sizeof here) != NULL);
  cr_assert(chdir("/") == 0);
  snprintf(path, sizeof path, "%s/scene.json", here);
  scene_error error;
  scene *s = scene_load(path, &error);
  cr_expect(s != NULL, "%s", error.text);
  scene_free(s);
  cr_assert(chdir(here) == 0);
}

static const bad_text bad_bodies[] = {
    {"7", "bodies[0]: is 7", "with a \"type\""},
    {"{}", "bodies[0].type: is missing", "\"particles\", \"rope\""},
    {"{ \"type\": \"robe\" }", "bodies[0].type: is the text \"robe\"", "did you mean \"rope\"?"},
    {"{ \"type\": 3 }", "bodies[0].type: is 3", "known here: particles"},
    {"{ \"type\": \"cloth\", \"colums\": 3 }", "bodies[0].colums: unknown key", "did you mean \"columns\"?"},
    {"{ \"type\": \"block\", \"file\": \"bunny.obj\" }", "bodies[0].file: cannot be combined with a block",
     "filled by TetGen"},
    {"{ \"type\": \"rope\", \"shear\": {} }", "bodies[0].shear: unknown key", "stretch"},

    {"{ \"type\": \"particles\" }", "bodies[0].position: is missing", "a list of at least one position"},
    {"{ \"type\": \"particles\", \"position\": [] }", "bodies[0].position: is empty",
     "at least one position"},
    {"{ \"type\": \"particles\", \"position\": [[0,0]] }", "bodies[0].position[0]: is a list of 2",
     "[x, y, z]"},
    {"{ \"type\": \"particles\", \"position\": [[0,\"a\",0]] }", "bodies[0].position[0][1]", "a number in m"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,1e30]] }", "position[0][2]: is 1e+30", "at most 1e+18"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"mass\": [0] }", "bodies[0].mass[0]: is 0",
     "above 0"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"mass\": -2 }", "bodies[0].mass: is -2",
     "above 0"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"mass\": \"2\" }", "bodies[0].mass: is the text",
     "one for each"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"mass\": [1,2] }", "bodies[0].mass: has 2",
     "one for each"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"velocity\": [] }", "bodies[0].velocity: has 0",
     "one for each"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"velocity\": 1 }", "bodies[0].velocity: is 1",
     "one velocity [x, y, z] in m/s, or a list"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"velocity\": [1, 2] }",
     "bodies[0].velocity: is a list of 2", "[x, y, z]"},
    {"{ \"type\": \"mesh\", \"file\": \"triangle.obj\", \"velocity\": [1, \"2\", 3] }",
     "bodies[0].velocity[1]: is the text \"2\"", "a number"},
    {"{ \"type\": \"cloth\", \"velocity\": [[1, 2, 3]] }", "bodies[0].velocity: is a list of 1", "[x, y, z]"},
    {"{ \"type\": \"rotors\", \"angle\": [0], \"velocity\": [1, 2, 3] }", "bodies[0].velocity: unknown key",
     "angular_velocity"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0]], \"springs\": 1 }", "bodies[0].springs: is 1",
     "a list of springs"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], \"springs\": [{}] }",
     "springs[0].between: is missing", "such as [0, 1]"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], \"springs\": [{ \"between\": [0] }] }",
     "springs[0].between: is a list of 1", "such as [0, 1]"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], \"springs\": [{ \"between\": [0, 2] }] }",
     "springs[0].between[1]: there is no particle 2", "has 0 to 1"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], \"springs\": [{ \"between\": [-1, 0] }] "
     "}",
     "springs[0].between[0]: there is no particle -1", "has 0 to 1"},
    {"{ \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], \"springs\": [{ \"between\": [1, 1] }] }",
     "springs[0].between: joins a particle with itself", "two different ones"},

    {"{ \"type\": \"rope\", \"particles\": 1 }", "bodies[0].particles: is 1", "2 or more"},
    {"{ \"type\": \"rope\", \"particles\": 2.5 }", "bodies[0].particles: is 2.5", "a whole number"},
    {"{ \"type\": \"rope\", \"particles\": 1e10 }",
     "bodies[0].particles: makes a rope of 10 billion particles", "iB of memory; lower it"},
    {"{ \"type\": \"rope\", \"from\": [1,0,0] }", "bodies[0].to: is where the rope begins",
     "give it a length"},
    {"{ \"type\": \"rope\", \"mass\": 0 }", "bodies[0].mass: is 0", "above 0 in kg"},

    {"{ \"type\": \"cloth\", \"columns\": 0 }", "bodies[0].columns: is 0", "1 or more"},
    {"{ \"type\": \"cloth\", \"columns\": -3 }", "bodies[0].columns: is -3", "1 or more"},
    {"{ \"type\": \"cloth\", \"columns\": 1000000000 }",
     "bodies[0].columns: makes a cloth of 2 billion particles", "iB of memory; lower it"},
    {"{ \"type\": \"cloth\", \"columns\": 1e9, \"rows\": 1e9 }",
     "bodies[0].columns: makes a cloth of 1e+06 trillion particles", "iB of memory; lower it"},
    {"{ \"type\": \"cloth\", \"rows\": 1e17 }", "bodies[0].rows: makes a cloth", "iB of memory; lower it"},
    {"{ \"type\": \"cloth\", \"columns\": \"many\" }", "bodies[0].columns: is the text \"many\"",
     "a whole number"},
    {"{ \"type\": \"cloth\", \"columns\": 1, \"rows\": 1 }", "bodies[0].columns: makes a cloth of 1 particle",
     "2 or more"},
    {"{ \"type\": \"cloth\", \"u\": [0,0,0] }", "bodies[0].u: is zero", "along a row"},
    {"{ \"type\": \"cloth\", \"v\": [0,0,0] }", "bodies[0].v: is zero", "down a column"},
    {"{ \"type\": \"cloth\", \"v\": [2,0,0] }", "bodies[0].v: is parallel to u", "two directions"},

    {"{ \"type\": \"mesh\" }", "bodies[0].file: is missing", "an OBJ, PLY, STL or glTF file"},
    {"{ \"type\": \"mesh\", \"file\": 3 }", "bodies[0].file: is 3", "a line of text"},
    {"{ \"type\": \"mesh\", \"file\": \"none.obj\" }", "bodies[0].file: ./none.obj: No such file",
     "beside the scene file"},
    {"{ \"type\": \"mesh\", \"file\": \"triangle.obj\", \"scale\": 0 }", "bodies[0].scale: is 0", "above 0"},
    {"{ \"type\": \"mesh\", \"file\": \"triangle.obj\", \"scale\": 1e18, \"position\": [1e18,0,0] }",
     "bodies[0].scale: moves a vertex to 2e+18", "lower it"},
    {"{ \"type\": \"mesh\", \"file\": \"triangle.obj\", \"area_density\": 0 }",
     "bodies[0].area_density: is 0", "above 0"},
    {"{ \"type\": \"mesh\", \"file\": \"triangle.obj\", \"pinned\": [3] }",
     "bodies[0].pinned[0]: there is no particle 3", "has 0 to 2"},

    {"{ \"type\": \"mesh\", \"file\": \"flat.obj\" }", "bodies[0].file: ./flat.obj: no face has an area",
     "lie in a line"},

    {"{ \"type\": \"block\", \"size\": [1,0,1] }", "bodies[0].size[1]: is 0", "above 0 in m"},
    {"{ \"type\": \"block\", \"cells\": [1,2] }", "bodies[0].cells: is a list of 2", "three whole numbers"},
    {"{ \"type\": \"block\", \"cells\": [1,0,2] }", "bodies[0].cells[1]: is 0", "1 or more"},
    {"{ \"type\": \"block\", \"cells\": [1e4,1e4,1e4] }", "bodies[0].cells: makes a block of 1 trillion",
     "iB of memory; lower it"},

    {"{ \"type\": \"rope\", \"pinned\": \"first\" }", "bodies[0].pinned: is the text \"first\"",
     "write [\"first\"]"},
    {"{ \"type\": \"rope\", \"pinned\": [\"frist\"] }", "bodies[0].pinned[0]: \"frist\" names no particle",
     "did you mean \"first\"?"},
    {"{ \"type\": \"rope\", \"pinned\": [\"top_left\"] }",
     "bodies[0].pinned[0]: \"top_left\" names no particle", "first, last, all"},
    {"{ \"type\": \"cloth\", \"pinned\": [0, 4] }", "bodies[0].pinned[1]: there is no particle 4",
     "has 0 to 3"},
    {"{ \"type\": \"cloth\", \"pinned\": [0.5] }", "bodies[0].pinned[0]: is 0.5", "a whole number"},
    {"{ \"type\": \"cloth\", \"pinned\": [1e15] }", "bodies[0].pinned[0]: there is no particle 1e+15",
     "has 0 to 3"},
    {"{ \"type\": \"cloth\", \"pinned\": [null] }", "bodies[0].pinned[0]: is null", "index, a name such as"},
    {"{ \"type\": \"rope\", \"name\": \"\" }", "bodies[0].name: is empty", "give it a name"},
    {"{ \"type\": \"rope\", \"name\": \"a\\nb\" }", "bodies[0].name: has a line break", "one line"},
    {"{ \"type\": \"rope\", \"name\": \"a\" }, { \"type\": \"rope\", \"name\": \"a\" }",
     "bodies[1].name: \"a\" is the name of bodies[0]", "its own"},
};

Test(body_reader, bad_bodies_are_refused_with_place_and_remedy) {
  write_text("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write_text("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
  expect_refused(bad_bodies, COUNT_OF(bad_bodies), "{ \"msd\": 1, \"bodies\": [ %s ] }");
}

Test(body_reader, counts_far_too_large_are_refused_at_once) {
  static const bad_text large = {"\"columns\": 40000, \"rows\": 40000", "bodies[0].columns", "GiB of memory"};
  expect_refused(&large, 1, "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", %s } ] }");
}

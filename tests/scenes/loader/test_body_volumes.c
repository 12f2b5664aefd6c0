/* Bodies with constraints: bends of every kind, balloons, blocks and tetrahedral meshes with volumes. */
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TestSuite(body_volumes, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const double PI = 3.14159265358979323846;

static msd_range constraints_named(const scene_body *body, const char *name) {
  for (int g = 0; g < body->constraint_group_count; g++)
    if (strcmp(body->constraint_groups[g].name, name) == 0)
      return body->constraint_groups[g].constraints;
  return (msd_range){0, 0};
}

static msd_range springs_named(const scene_body *body, const char *name) {
  for (int g = 0; g < body->group_count; g++)
    if (strcmp(body->groups[g].name, name) == 0)
      return body->groups[g].springs;
  return (msd_range){0, 0};
}

Test(body_volumes, bend_is_of_the_kind_that_the_file_asks_for) {
  scene *s = load_bodies(
      "{ \"type\": \"rope\", \"particles\": 5, \"bend\": { \"model\": \"angle\", \"stiffness\": 2 } },"
      "{ \"type\": \"rope\", \"particles\": 5, \"bend\": { \"model\": \"distance\", \"stiffness\": 2 } },"
      "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"bend\": { \"model\": \"angle\", \"ck\": 0.1 } },"
      "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3, \"bend\": { \"model\": \"dihedral\", "
      "\"stiffness\": 3 } }");
  const scene_body *b = s->bodies;
  cr_expect(constraints_named(&b[0], "bend").count == 3 && springs_named(&b[0], "bend").count == 0);
  cr_expect(constraints_named(&b[1], "bend").count == 0 && springs_named(&b[1], "bend").count == 3);
  cr_expect(constraints_named(&b[2], "bend").count == 3 * 2 + 4 && b[2].constraints.count == 10);
  cr_expect(constraints_named(&b[3], "bend").count == 3 * 1 + 2 * 2 + 3 * 2);
  const msd_constraint_def angle = msd_constraint_get_def(s->world, b[0].constraints.first),
                           fold = msd_constraint_get_def(s->world, b[3].constraints.first);
  cr_expect(angle.kind == MSD_CONSTRAINT_ANGLE && angle.stiffness == 2);
  cr_expect(fold.kind == MSD_CONSTRAINT_DIHEDRAL && fold.stiffness == 3);
  scene_free(s);
}

/* A sphere of n subdivisions has 10 4^n + 2 vertices, 30 4^n edges and 20 4^n triangles. */
Test(body_volumes, a_balloon_is_a_sphere_with_pressure) {
  scene *s = load_bodies(
      "{ \"type\": \"balloon\", \"sphere\": { \"radius\": 0.5, \"subdivisions\": 2 }, "
      "\"position\": [1, 2, 3], \"area_density\": 0.2, \"rest_volume_scale\": 1.5, \"pressure\": { "
      "\"stiffness\": 100, \"damping\": 1 }, \"bend\": { \"model\": \"dihedral\", \"stiffness\": 1 }, "
      "\"pinned\": [\"top\"] }");
  const scene_body *body = &s->bodies[0];
  cr_expect_str_eq(body->kind, "balloon");
  cr_expect_eq(body->particles.count, 162);
  cr_expect_eq(springs_named(body, "stretch").count, 480);
  cr_expect_eq(constraints_named(body, "bend").count, 480);
  cr_expect_eq(body->triangle_count, 320);
  const msd_range pressure = constraints_named(body, "pressure");
  cr_assert_eq(pressure.count, 1);
  const msd_constraint_def def = msd_constraint_get_def(s->world, pressure.first);
  cr_expect(def.kind == MSD_CONSTRAINT_MESH_VOLUME && def.stiffness == 100 && def.damping == 1);
  const double volume = msd_constraint_get_value(s->world, pressure.first);
  cr_expect(volume > 0.9 * PI / 6 && volume < PI / 6, "the volume is %g", volume);
  cr_expect_float_eq((double)def.rest / volume, 1.5, 1e-5);
  const msd_stats stats = msd_world_get_stats(s->world);
  cr_expect(stats.total_mass > 0.9 * 0.2 * PI && stats.total_mass < 0.2 * PI);
  cr_expect_float_eq(stats.center_of_mass[1], 2, 1e-5);
  cr_expect_eq(stats.pinned, 1, "the vertex on top");
  scene_free(s);
}

static const char *const octahedron =
    "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
    "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

Test(body_volumes, a_balloon_with_a_hole_is_refused_at_the_line_of_a_face) {
  write_text("hole.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
  static const bad_text cases[] = {
      {"\"balloon\"", "bodies[0].file: ./hole.obj:5: the edge of this face", "fill the holes"},
      {"\"mesh\", \"pressure\": { \"stiffness\": 1 }", "./hole.obj:5: the edge",
       "use a body of type \"mesh\" without \"pressure\""}};
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { \"file\": \"hole.obj\", \"type\": %s } ] }");
}

Test(body_volumes, a_balloon_from_a_file_has_the_max_stable_pressure_and_a_mesh_none) {
  write_text("o.obj", octahedron);
  scene *s = load_bodies("{ \"type\": \"balloon\", \"file\": \"o.obj\", \"scale\": 0.5 },"
                         "{ \"type\": \"mesh\", \"file\": \"o.obj\" },"
                         "{ \"type\": \"mesh\", \"file\": \"o.obj\", \"pressure\": { \"stiffness\": 1 } }");
  cr_assert_eq(msd_world_get_constraint_count(s->world), 2);
  const msd_constraint_def def = msd_constraint_get_def(s->world, 0);
  cr_expect(def.law == MSD_SPRING_COEFFICIENT && def.ck == MSD_MAX_STABLE);
  cr_expect_float_eq((double)def.rest, 4.0 / 3 / 8, 1e-6);
  cr_expect_eq(s->bodies[1].constraints.count, 0);
  cr_expect_eq(constraints_named(&s->bodies[2], "pressure").count, 1);
  scene_free(s);
}

Test(body_volumes, a_block_may_have_volumes) {
  scene *s = load_bodies("{ \"type\": \"block\", \"cells\": [2, 3, 1], \"volume\": { \"stiffness\": 5 } }");
  cr_expect_eq(constraints_named(&s->bodies[0], "volume").count, 30);
  scene_free(s);
}

static const char *const node = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n";
static const char *const ele = "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n";

Test(body_volumes, a_tetmesh_is_read_placed_and_weighed) {
  write_text("t.node", node);
  write_text("t.ele", ele);
  scene *s =
      load_bodies("{ \"type\": \"tetmesh\", \"file\": \"t.ele\", \"scale\": 2, \"position\": [0, 5, 0], "
                  "\"density\": 3, \"pinned\": [\"first\"], \"stretch\": { \"stiffness\": 10 }, \"volume\": "
                  "{ \"frequency\": 2 } }");
  const scene_body *body = &s->bodies[0];
  cr_expect_str_eq(body->kind, "tetmesh");
  cr_expect_eq(body->particles.count, 5);
  cr_expect_eq(springs_named(body, "stretch").count, 9);
  cr_expect_eq(constraints_named(body, "volume").count, 2);
  cr_expect_eq(msd_particle_get_position(s->world, 4).y, 7);
  cr_expect_float_eq(msd_world_get_stats(s->world).total_mass, 3 * 8 * 0.5, 1e-5);
  cr_expect(msd_particle_is_pinned(s->world, 0));
  char text[128];
  scene_describe_particle(s, 3, text, sizeof text);
  cr_expect(strstr(text, "vertex 3"), "%s", text);
  scene_free(s);
}

Test(body_volumes, a_tetmesh_may_have_springs_alone) {
  write_text("t.node", node);
  write_text("t.ele", ele);
  scene *s = load_bodies("{ \"type\": \"tetmesh\", \"file\": \"t.ele\", \"volume\": false }");
  cr_expect_eq(springs_named(&s->bodies[0], "stretch").count, 9);
  cr_expect_eq(msd_world_get_constraint_count(s->world), 0);
  scene_free(s);
}

Test(body_volumes, bad_bodies_are_refused_with_place_and_remedy) {
  write_text("o.obj", octahedron);
  write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write_text("t.node", node);
  write_text("t.ele", ele);
  write_text("bad.node", node);
  write_text("bad.ele", "1 4 0\n1 1 2 3 9\n");
  write_text("loose.node", node);
  write_text("loose.ele", "1 4 0\n1 1 2 3 4\n");
  static const bad_text cases[] = {
      {"{ \"type\": \"rope\", \"bend\": { \"model\": \"dihedral\", \"stiffness\": 1 } }",
       "bodies[0].bend.model: is the text \"dihedral\"", "known here: distance, angle"},
      {"{ \"type\": \"cloth\", \"bend\": { \"model\": \"angel\", \"stiffness\": 1 } }",
       "bodies[0].bend.model", "did you mean \"angle\"?"},
      {"{ \"type\": \"cloth\", \"bend\": { \"model\": \"angle\" } }",
       "bodies[0].bend.model: needs a stiffness", "max_stable"},
      {"{ \"type\": \"cloth\", \"bend\": { \"model\": \"angle\", \"stiffness\": -1 } }",
       "bodies[0].bend.stiffness: is -1", "in N m/rad"},
      {"{ \"type\": \"mesh\", \"file\": \"o.obj\", \"bend\": { \"model\": \"angle\", \"stiffness\": 1 } }",
       "bodies[0].bend.model", "known here: distance, dihedral"},
      {"{ \"type\": \"rope\", \"particles\": 4e7, \"bend\": { \"model\": \"angle\", \"stiffness\": 1 } }",
       "bodies[0].particles: makes a rope of 40 million particles and 40 million springs and 40 million "
       "constraints",
       "lower it"},
      {"{ \"type\": \"mesh\", \"file\": \"open.obj\", \"pressure\": { \"stiffness\": 1 } }",
       "bodies[0].file: ./open.obj:4: the edge of this face", "fill the holes"},
      {"{ \"type\": \"mesh\", \"file\": \"o.obj\", \"rest_volume_scale\": 2 }",
       "bodies[0].rest_volume_scale: has no effect without a \"pressure\"", "give one too"},
      {"{ \"type\": \"mesh\", \"file\": \"o.obj\", \"rest_volume_scale\": 0, \"pressure\": { \"stiffness\": "
       "1 } }",
       "bodies[0].rest_volume_scale: is 0", "above 0"},
      {"{ \"type\": \"balloon\" }", "bodies[0]: a balloon needs a \"file\"", "\"sphere\""},
      {"{ \"type\": \"balloon\", \"file\": \"o.obj\", \"sphere\": {} }",
       "bodies[0].file: cannot be combined with \"sphere\"", "give one of them"},
      {"{ \"type\": \"balloon\", \"sphere\": 3 }", "bodies[0].sphere: is 3", "an object"},
      {"{ \"type\": \"balloon\", \"sphere\": { \"radius\": 0 } }", "bodies[0].sphere.radius: is 0",
       "above 0 in m"},
      {"{ \"type\": \"balloon\", \"sphere\": { \"subdivisions\": 9 } }",
       "bodies[0].sphere.subdivisions: is 9", "from 0 to 8"},
      {"{ \"type\": \"balloon\", \"sphere\": { \"subdivisions\": 1.5 } }",
       "bodies[0].sphere.subdivisions: is 1.5", "a whole number"},
      {"{ \"type\": \"balloon\", \"sphere\": { \"diameter\": 1 } }", "bodies[0].sphere.diameter: unknown key",
       "radius"},
      {"{ \"type\": \"ballon\" }", "bodies[0].type: is the text \"ballon\"", "did you mean \"balloon\"?"},
      {"{ \"type\": \"block\", \"volume\": { \"stiffness\": -1 } }", "bodies[0].volume.stiffness: is -1",
       "in N/m^5"},
      {"{ \"type\": \"tetmesh\" }", "bodies[0].file: is missing", ".node or .ele"},
      {"{ \"type\": \"tetmesh\", \"file\": \"none.node\" }", "bodies[0].file: ./none.node: No such file",
       "beside the scene file"},
      {"{ \"type\": \"tetmesh\", \"file\": \"bad.node\" }",
       "bodies[0].file: ./bad.ele:2: a tetrahedron needs four", "from 1 to 5"},
      {"{ \"type\": \"tetmesh\", \"file\": \"loose.node\" }", "bodies[0]: tetmesh: vertex 4",
       "a corner of no tetrahedron"},
      {"{ \"type\": \"tetmesh\", \"file\": \"t.node\", \"density\": 0 }", "bodies[0].density: is 0",
       "in kg/m^3"},
      {"{ \"type\": \"tetmesh\", \"file\": \"t.node\", \"scale\": 1e18, \"position\": [1e18,0,0] }",
       "bodies[0].scale: moves a vertex to 2e+18", "lower it"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ %s ] }");
}

#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(scene, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(scene, needs_only_its_version_and_bodies) {
  scene *s = load_bodies("{ \"type\": \"rope\" }");
  msd_world_def def = msd_default_world_def();
  cr_expect_str_eq(s->name, "test");
  cr_expect_str_eq(s->path, "./test.json");
  cr_expect_str_eq(s->title, "");
  cr_expect_str_eq(s->description, "");
  cr_expect_float_eq(s->frame_time, 1.0 / 60, 1e-12);
  cr_expect_eq(s->substeps, 0, "auto");
  cr_expect_eq(s->duration, 5);
  cr_expect_eq(s->joints.count, 0);
  cr_expect_eq(msd_world_get_gravity(s->world).y, def.gravity.y);
  cr_expect_eq(msd_world_get_linear_damping(s->world), 0);
  cr_expect_eq(msd_world_get_integrator(s->world), MSD_SYMPLECTIC_EULER);
  cr_expect_eq(msd_world_get_clamp_stiffness(s->world), false);
  scene_free(s);
}

Test(scene, takes_everything_that_the_file_sets) {
  scene_error error;
  scene *s = load_text(
      "{ \"msd\": 1, \"title\": \"T\", \"description\": \"D\", \"gravity\": [1, 2, 3], \"linear_damping\": "
      "0.5, "
      "\"integrator\": \"rk4\", \"frame_time\": 0.01, \"substeps\": 7, \"clamp_stiffness\": true, "
      "\"impulse_iterations\": 3, \"impulse_warm_start\": true, "
      "\"duration\": 2.5, \"bodies\": [ { \"type\": \"rope\" } ], \"connections\": [], \"colliders\": [] }",
      &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_str_eq(s->title, "T");
  cr_expect_str_eq(s->description, "D");
  cr_expect_eq(msd_world_get_gravity(s->world).x, 1);
  cr_expect_eq(msd_world_get_gravity(s->world).z, 3);
  cr_expect_eq(msd_world_get_linear_damping(s->world), (msd_real)0.5);
  cr_expect_eq(msd_world_get_integrator(s->world), MSD_RK4);
  cr_expect_eq(msd_world_get_clamp_stiffness(s->world), true);
  cr_expect_eq(msd_world_get_impulse_iterations(s->world), 3);
  cr_expect(msd_world_get_impulse_warm_start(s->world));
  cr_expect_eq(s->frame_time, 0.01);
  cr_expect_eq(s->substeps, 7);
  cr_expect_eq(s->duration, 2.5);
  scene_free(s);
}

Test(scene, knows_every_way_to_treat_energy_of_the_engine) {
  for (int i = 0; i < MSD_ENERGY_MODE_COUNT; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "{ \"msd\": 1, \"energy_mode\": \"%s\", \"bodies\": [ { \"type\": \"rope\" } ] }",
             msd_energy_mode_name((msd_energy_mode)i));
    scene_error error;
    scene *s = load_text(text, &error);
    cr_assert(s != NULL, "%s", error.text);
    cr_expect_eq((int)msd_world_get_energy_mode(s->world), i);
    scene_free(s);
  }
}

Test(scene, watches_the_energy_of_scaled_masses_too) {
  scene_error error;
  scene *s = load_text("{ \"msd\": 1, \"energy_mode\": \"bounded\", \"mass_scaling\": \"selective\", "
                       "\"bodies\": [ { \"type\": \"rope\" } ] }",
                       &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_eq(msd_world_get_energy_mode(s->world), MSD_ENERGY_BOUNDED);
  cr_expect_eq(msd_world_get_mass_scaling(s->world), MSD_MASS_SCALING_SELECTIVE);
  scene_free(s);
}

Test(scene, knows_every_integrator_of_the_engine) {
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "{ \"msd\": 1, \"integrator\": \"%s\", \"bodies\": [ { \"type\": \"rope\" } ] }",
             msd_integrator_name((msd_integrator)i));
    scene_error error;
    scene *s = load_text(text, &error);
    cr_assert(s != NULL, "%s", error.text);
    cr_expect_eq((int)msd_world_get_integrator(s->world), i);
    scene_free(s);
  }
}

Test(scene, bodies_without_names_get_some_that_are_free) {
  scene *s = load_bodies(
      "{ \"type\": \"rope\" }, { \"type\": \"cloth\" }, { \"type\": \"rope\", \"name\": \"cloth 2\" }");
  cr_expect_str_eq(s->bodies[0].name, "rope 1");
  cr_expect_str_eq(s->bodies[1].name, "cloth 3");
  cr_expect_str_eq(s->bodies[2].name, "cloth 2");
  scene_free(s);
}

/* Names that were compared with each other took minutes here. */
Test(scene, many_bodies_load_in_time_that_grows_with_their_number, .timeout = 60) {
  enum { BODIES = 60000 };
  char *text = malloc(BODIES * 80 + 100);
  cr_assert(text != NULL);
  size_t used = (size_t)sprintf(text, "{ \"msd\": 1, \"bodies\": [");
  /* The first half has the names that the second half would get. */
  for (int i = 0; i < BODIES; i++)
    used += i < BODIES / 2
                ? (size_t)sprintf(text + used,
                                  "{\"type\":\"particles\",\"position\":[[0,0,0]],\"name\":\"rope %d\"},",
                                  BODIES / 2 + 1 + i)
                : (size_t)sprintf(text + used, "{\"type\":\"rope\"},");
  sprintf(text + used - 1, "], \"connections\": [ { \"between\": [\"rope %d\", 0, \"rope 60001\", 0] } ] }",
          BODIES);
  scene_error error;
  scene *s = load_text(text, &error);
  free(text);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_eq(s->body_count, BODIES);
  cr_expect_str_eq(s->bodies[BODIES / 2].name, "rope 60001");
  cr_expect_str_eq(s->bodies[BODIES - 1].name, "rope 90000");
  scene_free(s);
}

/* What is missing would be looked for only when the first body is built. */
Test(scene, every_key_is_checked_before_the_first_body_is_built) {
  static const bad_text cases[] = {
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"none.obj\", \"stretch\": { \"stifness\": 1 } } ]",
       "bodies[0].stretch.stifness", "did you mean \"stiffness\"?"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"none.obj\" }, { \"type\": \"cloth\", \"colums\": 3 } "
       "]",
       "bodies[1].colums", "did you mean \"columns\"?"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"none.obj\", \"tethers\": { \"slak\": 2 } } ]",
       "bodies[0].tethers.slak", "did you mean \"slack\"?"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"none.obj\", \"pinned\": [\"tpo\"] } ]",
       "bodies[0].pinned[0]", "names no particle"},
      {"\"bodies\": [ { \"type\": \"tetmesh\", \"file\": \"none.node\", \"soft_pins\": [ { \"particl\": 0 } "
       "] "
       "} ]",
       "bodies[0].soft_pins[0].particl", "did you mean \"particle\"?"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"none.obj\" }, { \"type\": \"particles\", "
       "\"position\": "
       "[[0, 0, 0]], \"springs\": [ { \"between\": [0, 0], \"stif\": 1 } ] } ]",
       "bodies[1].springs[0].stif", "unknown key"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"none.obj\" }, { \"type\": \"rotors\", \"angle\": "
       "[0], "
       "\"springs\": [ { \"between\": [0, 1] } ] } ]",
       "bodies[1].springs[0].between[1]", "there is no rotor 1"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"name\": \"m\", \"file\": \"none.obj\" } ], \"connections\": [ "
       "{ "
       "\"between\": "
       "[\"m\", 0, \"n\", 0] } ]",
       "connections[0].between[2]", "there is no body \"n\""},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, %s }");
}

Test(scene, joints_join_the_particles_that_they_name) {
  scene_error error;
  scene *s = load_text(
      "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"particles\": 5 }, { \"type\": "
      "\"cloth\", \"name\": \"c\", \"columns\": 3, \"rows\": 2, \"origin\": [1, 2, 0] } ], \"connections\": "
      "[ { "
      "\"between\": [\"r\", \"last\", \"c\", \"top_right\"], \"stiffness\": 5000, \"damping\": 1 }, { "
      "\"between\": [\"c\", 4, \"r\", 0], \"rest_length\": 0.25 } ] }",
      &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_assert_eq(s->joints.count, 2);
  cr_expect_eq(s->joints.first, 4 + 3 + 4);
  msd_spring_def first = msd_spring_get_def(s->world, s->joints.first);
  cr_expect_eq(first.a, 4);
  cr_expect_eq(first.b, 5 + 2);
  cr_expect_eq(first.law, MSD_SPRING_STIFFNESS);
  cr_expect_eq(first.stiffness, 5000);
  cr_expect_float_eq((double)first.rest_length, sqrt(1 + 4), 1e-6, "as placed: from (1,0,0) to (2,2,0)");
  msd_spring_def second = msd_spring_get_def(s->world, s->joints.first + 1);
  cr_expect_eq(second.a, 5 + 4);
  cr_expect_eq(second.b, 0);
  cr_expect_eq(second.rest_length, (msd_real)0.25);
  cr_expect_eq(second.ck, MSD_MAX_STABLE);
  scene_free(s);
}

Test(scene, bad_settings_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"\"msd\": 2", "msd: is 2", "1, the version"},
      {"\"msd\": \"1\"", "msd: is the text", "1, the version"},
      {"\"title\": 3", "title: is 3", "a line of text"},
      {"\"title\": \"a\\nb\"", "title: has a line break", "one line"},
      {"\"description\": []", "description: is a list of 0", "a line of text"},
      {"\"gravity\": -9.81", "gravity: is -9.81", "[x, y, z]"},
      {"\"gravity\": [0, -9.81, 0, 0]", "gravity: is a list of 4", "[x, y, z]"},
      {"\"gravity\": [0, 1e200, 0]", "gravity[1]: is 1e+200", "at most 1e+18"},
      {"\"linear_damping\": -0.5", "linear_damping: is -0.5", "0 or more in 1/s"},
      {"\"integrator\": \"rk5\"", "integrator: is the text \"rk5\"", "did you mean \"rk4\"?"},
      {"\"integrator\": 4", "integrator: is 4", "known here: symplectic_euler"},
      {"\"clamp_stiffness\": 1", "clamp_stiffness: is 1", "true or false"},
      {"\"impulse_iterations\": 0", "impulse_iterations: is 0", "1 to 1000"},
      {"\"impulse_iterations\": 1.5", "impulse_iterations: is 1.5", "1 to 1000"},
      {"\"impulse_warm_start\": 1", "impulse_warm_start: is 1", "true or false"},
      {"\"frame_time\": 0", "frame_time: is 0", "above 0 in s"},
      {"\"frame_time\": -0.01", "frame_time: is -0.01", "above 0 in s"},
      {"\"duration\": 0", "duration: is 0", "above 0 in s"},
      {"\"duration\": 1e18, \"frame_time\": 1e-18", "duration: is 1e+18 s", "2147483647 frames"},
      {"\"substeps\": 0", "substeps: is 0", "\"auto\" or a whole number"},
      {"\"substeps\": 2.5", "substeps: is 2.5", "\"auto\" or a whole number"},
      {"\"substeps\": \"many\"", "substeps: is the text \"many\"", "\"auto\" or a whole number"},
      {"\"substeps\": 1e9", "substeps: is 1000000000", "1 to 1000000"},
      {"\"gravty\": 0.01", "gravty: unknown key", "did you mean \"gravity\"?"},
      {"\"xyzzy\": 1", "xyzzy: unknown key", "known here: "},
      {"\"connections\": {}", "connections: is an object", "a list of connections"},
      {"\"connections\": [ 5 ]", "connections[0]: is 5", "an object"},
      {"\"connections\": [ {} ]", "connections[0].between: is missing", "[body, particle, body, particle]"},
      {"\"connections\": [ { \"between\": [0, 1] } ]", "connections[0].between: is a list of 2",
       "[body, particle, body, particle]"},
      {"\"connections\": [ { \"between\": [\"rop\", 0, \"cloth\", 0] } ]",
       "connections[0].between[0]: there is no body \"rop\"", "did you mean \"rope\"?"},
      {"\"connections\": [ { \"between\": [1, 0, \"cloth\", 0] } ]", "connections[0].between[0]: is 1",
       "the name of a body"},
      {"\"connections\": [ { \"between\": [\"rope\", 7, \"cloth\", 0] } ]",
       "connections[0].between[1]: there is no particle 7", "has 0 to 1"},
      {"\"connections\": [ { \"between\": [\"rope\", 0, \"cloth\", \"top\"] } ]",
       "connections[0].between[3]: means 2 particles", "an index, \"first\" or \"last\""},
      {"\"connections\": [ { \"between\": [\"rope\", 0, \"cloth\", \"topleft\"] } ]",
       "connections[0].between[3]: \"topleft\" names", "did you mean \"top_left\"?"},
      {"\"connections\": [ { \"between\": [\"rope\", 0, \"rope\", \"first\"] } ]",
       "connections[0].between: joins a particle with itself", "two different ones"},
      {"\"connections\": [ { \"between\": [\"rope\", 0, \"cloth\", 0], \"mass\": 1 } ]",
       "connections[0].mass: unknown key", "stiffness"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    bool version = strstr(cases[i].text, "\"msd\"") != NULL;
    expect_refused(
        &cases[i], 1,
        version ? "{ %s, \"bodies\": [ { \"type\": \"rope\" } ] }"
                : "{ \"msd\": 1, %s, \"bodies\": [ { \"type\": \"rope\", \"name\": \"rope\" }, { \"type\": "
                  "\"cloth\", \"name\": \"cloth\" } ] }");
  }
}

Test(scene, energy_is_treated_in_a_way_that_there_is_and_that_the_integrator_can) {
  static const bad_text cases[] = {
      {"\"energy_mode\": \"boundet\"", "energy_mode: is the text", "did you mean \"bounded\"?"},
      {"\"energy_mode\": \"bounded\", \"integrator\": \"rk4\"", "energy_mode \"",
       "needs integrator \"symplectic_euler\""},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, %s, \"bodies\": [ { \"type\": \"rope\" } ] }");
}

Test(scene, masses_are_scaled_where_the_integrator_can) {
  static const bad_text cases[] = {
      {"\"mass_scaling\": \"selectiv\"", "mass_scaling: is the text", "did you mean \"selective\"?"},
      {"\"mass_scaling\": \"selective\", \"integrator\": \"rk4\"", "mass_scaling \"selective\"",
       "needs integrator \"symplectic_euler\""},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, %s, \"bodies\": [ { \"type\": \"rope\" } ] }");
}

Test(scene, a_file_that_is_no_scene_is_refused) {
  static const bad_text cases[] = {
      {"[]", "test.json: is a list of 0", "an object { }"},
      {"{}", "add \"msd\": 1", "the version of the format"},
      {"{ \"msd\": 1 }", "bodies: is missing", "a list of bodies"},
      {"{ \"msd\": 1, \"bodies\": {} }", "bodies: is an object", "a list of bodies"},
      {"{ \"msd\": 1, \"bodies\": [] }", "bodies: is empty", "at least one body"},
  };
  expect_refused(cases, COUNT_OF(cases), NULL);
}

/* The text of the next ```json block of a file; false at its end. */
static bool next_example(FILE *file, char *text, size_t size) {
  char line[512];
  while (fgets(line, sizeof line, file))
    if (strcmp(line, "```json\n") == 0) {
      for (text[0] = '\0'; fgets(line, sizeof line, file) && strcmp(line, "```\n") != 0;) {
        cr_assert(strlen(text) + strlen(line) < size);
        strcat(text, line);
      }
      return true;
    }
  return false;
}

Test(scene, the_examples_of_its_description_load) {
  static const char *const files[] = {"skirt.obj", "gummy_ring.node", "gummy_ring.ele", "walker.bvh",
                                      "walker_skirt.obj"};
  for (size_t f = 0; f < COUNT_OF(files); f++) {
    char target[512];
    snprintf(target, sizeof target, "%s/%s", MSD_TEST_SCENES, files[f]);
    cr_assert(symlink(target, files[f]) == 0);
  }
  static const char *const pages[] = {"settings", "bodies", "springs_and_materials", "colliders_contact_wind",
                                      "animation"};
  int examples = 0;
  for (size_t p = 0; p < COUNT_OF(pages); p++) {
    char path[512];
    snprintf(path, sizeof path, MSD_TEST_SCENES "/../docs/reference/scene/%s.md", pages[p]);
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL, "%s", path);
    for (char text[16384]; next_example(file, text, sizeof text); examples++) {
      scene_error error;
      scene *s = load_text(text, &error);
      cr_expect(s != NULL, "%s: %s", pages[p], error.text);
      scene_free(s);
    }
    fclose(file);
  }
  cr_expect_eq(examples, 7);
}

Test(scene, a_very_long_path_leaves_room_for_the_error) {
  char path[SCENE_ERROR_MAX + 100];
  memset(path, 'x', sizeof path);
  memcpy(path, "./", 2);
  strcpy(path + sizeof path - 6, ".json");
  scene_error error;
  cr_expect(scene_load(path, &error) == NULL);
  cr_expect(strstr(error.text, "File name too long") != NULL, "%s", error.text);
}

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

Test(scene, damaged_files_never_crash) {
  static const char whole[] =
      "{\"msd\":1,\"gravity\":[0,-9,0],\"substeps\":3,\"bodies\":[{\"type\":\"rope\",\"name\":\"r\","
      "\"particles\":5,"
      "\"stretch\":{\"ck\":0.1,\"cd\":0.2},\"pinned\":[\"first\"]},{\"type\":\"cloth\",\"columns\":4,"
      "\"rows\":3,\"u\":[1,0,"
      "0]},{\"type\":\"block\",\"cells\":[2,1,1]},{\"type\":\"particles\",\"position\":[[0,0,0],[1,0,0]],"
      "\"springs\":[{"
      "\"between\":[0,1],\"stiffness\":9}]},"
      "{\"type\":\"balloon\",\"sphere\":{\"radius\":2,\"subdivisions\":1},\"pressure\":{\"stiffness\":3},"
      "\"rest_volume_scale\":2,\"bend\":{\"model\":\"dihedral\",\"ck\":0.1},\"soft_pins\":[{\"particle\":"
      "\"top\","
      "\"position\":[0,1,2],\"frequency\":3}]},{\"type\":\"particles\",\"position\":[[0,0,0],[1,0,0],[0,1,0]]"
      ","
      "\"constraints\":[{\"type\":\"angle\",\"particles\":[0,1,2],\"rest\":1}]}],\"connections\":[{"
      "\"between\":["
      "\"r\",4,\"block 3\",\"last\"]}]}";
  uint32_t seed = 7;
  for (int n = 0; n < 600; n++) {
    char damaged[sizeof whole];
    memcpy(damaged, whole, sizeof whole);
    for (uint32_t change = 1 + next_random(&seed) % 3; change > 0; change--)
      damaged[next_random(&seed) % (sizeof whole - 1)] = "0123456789-.e,:[]{}\"ax "[next_random(&seed) % 23];
    if (n % 5 == 0)
      damaged[next_random(&seed) % sizeof whole] = '\0';
    scene_error error = {{0}};
    scene *s = load_text(damaged, &error);
    if (s)
      scene_free(s);
    else
      cr_assert(error.text[0] != '\0' && strpbrk(error.text, "\n\r\t") == NULL, "%s", error.text);
  }
  scene_free(NULL);
}

Test(scene, a_mesh_in_the_place_of_a_scene_is_told_how_to_become_one) {
  static const char *const meshes[][2] = {{"m.obj", "\"type\": \"mesh\", \"file\": \"m.obj\""},
                                          {"none.PLY", "\"type\": \"mesh\", \"file\": \"none.PLY\""},
                                          {"m.node", "\"type\": \"tetmesh\", \"file\": \"m.node\""}};
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  for (size_t n = 0; n < COUNT_OF(meshes); n++) {
    scene_error error;
    cr_expect_null(scene_load(meshes[n][0], &error));
    cr_expect(strstr(error.text, "is a mesh, not a scene") && strstr(error.text, meshes[n][1]), "%s",
              error.text);
    cr_expect_null(strchr(error.text, '\n'));
  }
}

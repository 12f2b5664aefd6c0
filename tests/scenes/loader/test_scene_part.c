/* Scenes of which each process has a part: what each has is what the whole scene has there. */
#include "scenes/loader/scene.h"
#include "tests/support/rank_room.h"
#include "tests/support/scene_text.h"

TestSuite(scene_part, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static scene *whole;

static const char bodies[] =
    "{ \"msd\": 1, \"substeps\": 4, \"gravity\": [0, -1, 0], \"bodies\": ["
    "{ \"type\": \"cloth\", \"columns\": 30, \"rows\": 40, \"pinned\": [\"top_left\", \"bottom\", 333] },"
    "{ \"type\": \"rope\", \"particles\": 600, \"velocity\": [1, 2, 3], \"pinned\": [\"first\", \"last\", "
    "300] },"
    "{ \"type\": \"block\", \"cells\": [7, 8, 9], \"origin\": [5, 0, 0], \"pinned\": [\"top_left\", { "
    "\"sphere\": "
    "{ \"center\": [5, 0, 0], \"radius\": 0.3 } }, { \"box\": { \"center\": [6, 0, 1], \"size\": [0.1, 0.1, "
    "0.1] } }] },"
    "{ \"type\": \"rope\", \"particles\": 2, \"pinned\": [\"last\"] } ] }";

static void assert_same(const scene *s, int rank) {
  const msd_subdomain part = msd_world_get_subdomain(s->world);
  cr_assert_eq(msd_world_get_particle_count(s->world), part.kept.count);
  for (int32_t i = 0; i < part.kept.count; i++) {
    const int32_t w = part.kept.first + i;
    const msd_vec3 x = msd_particle_get_position(s->world, i), y = msd_particle_get_position(whole->world, w),
                   u = msd_particle_get_velocity(s->world, i), v = msd_particle_get_velocity(whole->world, w);
    cr_assert(x.x == y.x && x.y == y.y && x.z == y.z && u.x == v.x && u.y == v.y && u.z == v.z,
              "rank %d, particle %d is elsewhere", rank, (int)w);
    cr_assert_eq(msd_particle_get_mass(s->world, i), msd_particle_get_mass(whole->world, w),
                 "rank %d, particle %d has another mass", rank, (int)w);
    cr_assert_eq(msd_particle_is_pinned(s->world, i), msd_particle_is_pinned(whole->world, w),
                 "rank %d, particle %d is pinned or is not", rank, (int)w);
  }
}

static void *load_part(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 1);
  scene_error error;
  scene *s = scene_load_part("test.json", &ranks, false, &error);
  cr_assert(s != NULL, "%s", error.text);
  assert_same(s, seat->rank);
  for (int b = 0; b < s->body_count; b++) {
    double size[3], of_whole[3];
    cr_assert_eq(scene_body_whole(&s->bodies[b]), whole->bodies[b].particles.count);
    scene_body_size(s, &s->bodies[b], size);
    scene_body_size(whole, &whole->bodies[b], of_whole);
    cr_assert_arr_eq(size, of_whole, sizeof size);
  }
  cr_assert_eq(s->substeps, 4);
  scene_free(s);
  return NULL;
}

static void assert_parts_are_as_the_whole(const char *text) {
  scene_error error;
  whole = load_text(text, &error);
  cr_assert(whole != NULL, "%s", error.text);
  for (int count = 1; count <= 7; count += 2) {
    rank_room room;
    room_begin_with(&room, count, 0);
    room_run(&room, load_part);
  }
  scene_free(whole);
}

Test(scene_part, each_has_what_the_whole_has_there) {
  assert_parts_are_as_the_whole(bodies);
}

static void write_grid(int columns, int rows) {
  FILE *file = fopen("grid.obj", "w");
  for (int i = 0; i < columns * rows; i++)
    fprintf(file, "v %d %d %g\n", i % columns, -(i / columns), i * 7 % 13 * 0.125);
  for (int i = 0; i < columns * (rows - 1); i++)
    if ((i + 1) % columns > 0)
      fprintf(file, "f %d %d %d %d\n", i + 1, i + 2, i + 2 + columns, i + 1 + columns);
  fclose(file);
}

Test(scene_part, meshes_are_read_in_parts) {
  write_grid(30, 50);
  assert_parts_are_as_the_whole(
      "{ \"msd\": 1, \"substeps\": 4, \"bodies\": ["
      "{ \"type\": \"rope\", \"particles\": 333 },"
      "{ \"type\": \"mesh\", \"file\": \"grid.obj\", \"scale\": [0.1, 0.1, 0.2], \"rotation\": [3, 20, 7], "
      "\"position\": [1, 2, 3], \"area_density\": 0.3, \"velocity\": [0, 1, 0], \"bend\": { \"stiffness\": 2 "
      "}, "
      "\"pinned\": [\"top\", \"last\", 777] } ] }");
}

/* Cubes of five tetrahedra side by side, that alternate, and so share the diagonals of their faces. */
static void write_bar(int cubes) {
  static const int corners[2][5][4] = {
      {{0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}, {1, 2, 4, 7}},
      {{1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}, {0, 3, 5, 6}}};
  FILE *node = fopen("bar.node", "w"), *ele = fopen("bar.ele", "w");
  fprintf(node, "%d 3 0 0\n", 4 * cubes + 4);
  fprintf(ele, "%d 4 0\n", 5 * cubes);
  for (int v = 0; v < 4 * cubes + 4; v++)
    fprintf(node, "%d %d %d %g\n", v, v % 2, v / 2 % 2, v / 4 + v * 7 % 13 * 0.015625);
  for (int n = 0; n < 5 * cubes; n++) {
    const int *of = corners[n / 5 % 2][n % 5], first = 4 * (n / 5);
    fprintf(ele, "%d %d %d %d %d\n", n, first + of[0], first + of[1], first + of[2], first + of[3]);
  }
  fclose(node);
  fclose(ele);
}

Test(scene_part, tetrahedra_are_read_in_parts) {
  write_bar(400);
  assert_parts_are_as_the_whole(
      "{ \"msd\": 1, \"substeps\": 4, \"bodies\": ["
      "{ \"type\": \"rope\", \"particles\": 333 },"
      "{ \"type\": \"tetmesh\", \"file\": \"bar.ele\", \"scale\": 0.1, \"rotation\": [3, 20, 7], "
      "\"position\": [1, 2, 3], \"density\": 30, \"velocity\": [0, 1, 0], \"stretch\": { \"stiffness\": 2 "
      "}, "
      "\"volume\": false, \"pinned\": [\"last\", 777] } ] }");
}

static const bad_text *refused;

static void *fail_part(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 0);
  scene_error error;
  cr_expect_null(scene_load_part("test.json", &ranks, false, &error), "%s", refused->text);
  cr_expect(strstr(error.text, refused->place) && strstr(error.text, refused->remedy), "%s", error.text);
  return NULL;
}

#define ROPE "{ \"type\": \"rope\", \"particles\": 900"

Test(scene_part, what_no_part_can_have_is_refused_by_all) {
  static const bad_text cases[] = {
      {"\"bodies\": [" ROPE ", \"pinned\": [0], \"tethers\": {} } ]", "tethers", "--partition distributed"},
      {"\"bodies\": [" ROPE " } ], \"wind\": {}", "wind", "--partition distributed"},
      {"\"bodies\": [" ROPE " } ], \"start\": \"equilibrium\"", "start", "--partition distributed"},
      {"\"bodies\": [ { \"type\": \"particles\", \"position\": [[0, 0, 0]] } ]", "type",
       "--partition distributed"},
      {"\"bodies\": [" ROPE ", \"bend\": { \"model\": \"angle\", \"frequency\": 3 } } ]", "bodies[0]",
       "constraints"},
      {"\"bodies\": [" ROPE ", \"pinned\": [900] } ]", "pinned", "0 to 899"},
      {"\"bodies\": [" ROPE ", \"pinned\": [{ \"box\": { \"center\": [9, 9, 9], \"size\": [1, 1, 1] } }] } ]",
       "pinned", "between 0 0 0 and 1 0 0"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"grid.obj\", \"material\": \"cotton\" } ]", "material",
       "--partition distributed"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"grid.obj\", \"merge_distance\": 0.1 } ]",
       "merge_distance", "--partition distributed"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"grid.ply\" } ]", "file", "end in .obj"},
      {"\"bodies\": [ { \"type\": \"mesh\", \"file\": \"nothing.obj\" } ]", "file", "beside"},
      {"\"bodies\": [ { \"type\": \"tetmesh\", \"file\": \"bar.node\" } ]", "bodies[0]", "constraints"},
      {"\"bodies\": [ { \"type\": \"tetmesh\", \"file\": \"none.node\", \"volume\": false } ]", "none.node",
       "beside"}};
  write_bar(3);
  write_grid(3, 4);
  for (size_t n = 0; n < COUNT_OF(cases); n++) {
    char text[512];
    snprintf(text, sizeof text, "{ \"msd\": 1, %s }", cases[n].text);
    write_text("test.json", text);
    refused = &cases[n];
    rank_room room;
    room_begin_with(&room, 3, 0);
    room_run(&room, fail_part);
  }
}

/* The scene that one rank finds, and what all say then. */
static const char *found_by_one;
static int odd_rank;

static void *fail_with_one(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 0);
  scene_error error;
  cr_expect_null(scene_load_part(seat->rank == odd_rank ? found_by_one : "test.json", &ranks, false, &error));
  cr_expect(strstr(error.text, refused->place) && strstr(error.text, refused->remedy), "rank %d: %s",
            seat->rank, error.text);
  return NULL;
}

/* None waits for one that has nothing more to ask, whatever the others are at. */
Test(scene_part, what_one_cannot_load_ends_all_with_its_error, .timeout = 60) {
  static const char mesh[] = "{ \"type\": \"mesh\", \"file\": \"grid.obj\", \"pinned\": [\"top\"] }";
  static const char *const names[] = {"nothing.json", "cut.json", "short.json", "loose.json"};
  static const bad_text told[] = {{"", "nothing.json", "No such file"},
                                  {"", "cut.json", "}"},
                                  {"", "short.json", "same files"},
                                  {"", "loose.obj", "no face"}};
  char text[1024];
  write_grid(3, 400);
  snprintf(text, sizeof text, "{ \"msd\": 1, \"bodies\": [" ROPE ", \"pinned\": [5] }, %s, %s ] }", mesh,
           mesh);
  write_text("test.json", text);
  write_text("cut.json", "{ \"msd\": 1, ");
  write_text("short.json", "{ \"msd\": 1, \"bodies\": [" ROPE " } ] }");
  snprintf(text, sizeof text,
           "{ \"msd\": 1, \"bodies\": [" ROPE ", \"pinned\": [5] }, %s, "
           "{ \"type\": \"mesh\", \"file\": \"loose.obj\" } ] }",
           mesh);
  write_text("loose.json", text);
  write_text("loose.obj", "v 0 0 0\nv 1 0 0\n");
  for (size_t n = 0; n < COUNT_OF(names); n++)
    for (odd_rank = 0; odd_rank < 3; odd_rank++) {
      found_by_one = names[n];
      refused = &told[n];
      rank_room room;
      room_begin_with(&room, 3, 0);
      room_run(&room, fail_with_one);
    }
}

/* As many questions as of the scene of the others, and other answers. */
Test(scene_part, one_that_has_another_scene_ends_all, .timeout = 60) {
  static const bad_text told = {"", "another scene", "same files"};
  static const char *const others[] = {ROPE " }", "{ \"type\": \"mesh\", \"file\": \"longer.obj\" }"};
  char text[256];
  write_grid(3, 400);
  cr_assert_eq(rename("grid.obj", "longer.obj"), 0);
  write_grid(3, 300);
  refused = &told;
  found_by_one = "other.json";
  for (int n = 0; n < 2; n++) {
    snprintf(text, sizeof text, "{ \"msd\": 1, \"bodies\": [%s] }",
             n == 0 ? "{ \"type\": \"rope\", \"particles\": 901 }"
                    : "{ \"type\": \"mesh\", \"file\": \"grid.obj\" }");
    write_text("test.json", text);
    snprintf(text, sizeof text, "{ \"msd\": 1, \"bodies\": [%s] }", others[n]);
    write_text("other.json", text);
    for (odd_rank = 0; odd_rank < 3; odd_rank++) {
      rank_room room;
      room_begin_with(&room, 3, 0);
      room_run(&room, fail_with_one);
    }
  }
}

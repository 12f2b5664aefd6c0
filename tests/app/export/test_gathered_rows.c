/* What several processes export of their parts are the files of one process, byte by byte. In the place of
   processes stand threads, which meet in a room. */
#include "app/export/export.h"
#include "app/export/formats.h"

#include "tests/support/rank_room.h"
#include "tests/support/scene_text.h"

#include <sys/stat.h>

TestSuite(gathered_rows, .init = enter_scratch_folder, .fini = leave_scratch_folder, .timeout = 300);

enum { FRAMES = 2, SUBSTEPS = 3 };

static const double FRAME = 1 / 64.0;

/* For all threads: what is exported, as which format. */
static export_format format;

static export_request request_of(const char *folder, gathered_rows *rows) {
  return (export_request){
      .folder = folder, .format = format, .edges = format == EXPORT_PLY, .frame_time = FRAME, .rows = rows};
}

static void step(const scene *s) {
  cr_assert_eq(scene_step(s, FRAME, SUBSTEPS), MSD_OK, "%s", msd_world_message(s->world));
}

static void export_whole_scene(void) {
  scene_error error;
  problem p;
  scene *s = scene_load("test.json", &error);
  cr_assert(s != NULL, "%s", error.text);
  const export_request request = request_of("one", NULL);
  exporter *e = export_open(&request, s, &p);
  cr_assert(e != NULL, "%s", p.text);
  for (int frame = 0; frame < FRAMES; frame++) {
    if (frame > 0)
      step(s);
    cr_assert(export_write(e, frame, frame * FRAME, &p), "%s", p.text);
  }
  cr_assert(export_close(e, &p), "%s", p.text);
  scene_free(s);
}

/* Whether it went well. */
static bool take_frame(exporter *e, gathered_rows *rows, int frame, problem *p) {
  return e != NULL ? export_write(e, frame, frame * FRAME, p) : gathered_rows_give(rows, p);
}

static scene *load_part(const msd_ranks *ranks) {
  scene_error error;
  scene *s = scene_load_part("test.json", ranks, true, &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

static void *export_part(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 1);
  problem p;
  scene *s = load_part(&ranks);
  gathered_rows *rows = gathered_rows_open(s, &p);
  cr_assert(rows != NULL, "%s", p.text);
  const export_request request = request_of("more", rows);
  exporter *e = seat->rank == 0 ? export_open(&request, s, &p) : NULL;
  cr_assert(seat->rank > 0 || e != NULL, "%s", p.text);
  for (int frame = 0; frame < FRAMES; frame++) {
    if (frame > 0)
      step(s);
    cr_assert(take_frame(e, rows, frame, &p), "%s", p.text);
  }
  cr_assert(export_close(e, &p), "%s", p.text);
  gathered_rows_close(rows);
  scene_free(s);
  return NULL;
}

static char *read_bytes(const char *name, size_t *size) {
  struct stat status;
  FILE *file = fopen(name, "rb");
  cr_assert(file != NULL && fstat(fileno(file), &status) == 0, "%s", name);
  *size = (size_t)status.st_size;
  char *bytes = malloc(*size + 1);
  cr_assert_eq(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static void assert_same_file(const char *name) {
  char one_name[64], more_name[64];
  size_t one_size, more_size;
  snprintf(one_name, sizeof one_name, "one/%s", name);
  snprintf(more_name, sizeof more_name, "more/%s", name);
  char *one = read_bytes(one_name, &one_size), *more = read_bytes(more_name, &more_size);
  cr_assert(one_size > 100 && one_size == more_size && memcmp(one, more, one_size) == 0, "%s differs", name);
  free(one);
  free(more);
}

static void assert_same_files(const char *const names[]) {
  for (int n = 0; names[n] != NULL; n++)
    assert_same_file(names[n]);
}

static void run_on(int count, void *(*task)(void *seat)) {
  rank_room room;
  room_begin_with(&room, count, 0);
  room_run(&room, task);
}

static void assert_parts_export_as_one(const int counts[]) {
  static const struct {
    export_format format;
    const char *names[4];
  } all[] = {{EXPORT_OBJ, {"test_000000.obj", "test_000001.obj"}},
             {EXPORT_PLY, {"test_000000.ply", "test_000001.ply"}},
             {EXPORT_VTK, {"test_000000.vtk", "test_000001.vtk", "test.vtk.series"}},
             {EXPORT_VTU, {"test_000000.vtu", "test_000001.vtu", "test.pvd"}},
             {EXPORT_PC2, {"test.pc2", "test.obj"}}};
  for (size_t n = 0; n < COUNT_OF(all); n++) {
    format = all[n].format;
    export_whole_scene();
    for (int c = 0; counts[c] > 0; c++) {
      run_on(counts[c], export_part);
      assert_same_files(all[n].names);
    }
  }
}

Test(gathered_rows, bodies_of_all_kinds_are_exported_as_by_one) {
  write_text("test.json",
             "{ \"msd\": 1, \"linear_damping\": 0.1, \"bodies\": ["
             "{ \"type\": \"cloth\", \"columns\": 30, \"rows\": 40, \"pinned\": [\"top_left\"], \"stretch\": "
             "{ \"stiffness\": 20 }, \"shear\": { \"stiffness\": 9 } },"
             "{ \"type\": \"rope\", \"particles\": 600, \"velocity\": [1, 2, 3], \"stretch\": "
             "{ \"stiffness\": 30 } },"
             "{ \"type\": \"rope\", \"particles\": 300, \"bend\": { \"stiffness\": 3 } },"
             "{ \"type\": \"block\", \"cells\": [7, 8, 9], \"origin\": [5, 0, 0], \"stretch\": "
             "{ \"stiffness\": 9 } } ] }");
  assert_parts_export_as_one((const int[]){1, 2, 5, 0});
}

/* Faces in another order than their vertices, so that each rank has some of all stretches of the file. */
static void write_mesh(const char *name, int columns, int rows, const char *more) {
  FILE *file = fopen(name, "w");
  const int cells = columns * (rows - 1);
  for (int i = 0; i < columns * rows; i++)
    fprintf(file, "v %d %d %g\n", i % columns, -(i / columns), i * 7 % 13 * 0.125);
  for (int k = 0; k < cells; k++) {
    const int i = (int)((long)k * 1237 % cells) + 1;
    if (i % columns == 0)
      continue;
    const int across = i + 1, beyond = across + columns, down = i + columns;
    if (i % 3 > 0)
      fprintf(file, "f %d %d %d %d\n", i, across, beyond, down);
    else
      fprintf(file, "f %d %d %d\nf %d %d %d\n", i, across, beyond, i, beyond, down);
  }
  fputs(more, file);
  fclose(file);
}

static void write_mesh_scene(const char *more) {
  write_mesh("mesh.obj", 30, 70, more);
  write_text("test.json",
             "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"particles\": 333, \"stretch\": "
             "{ \"stiffness\": 3 } }, { \"type\": \"mesh\", \"file\": \"mesh.obj\", \"scale\": 0.1, "
             "\"stretch\": { \"stiffness\": 5 } }, { \"type\": \"mesh\", \"file\": \"mesh.obj\", "
             "\"position\": [0, 0, 9], \"stretch\": { \"stiffness\": 5 } } ] }");
}

Test(gathered_rows, faces_of_meshes_stand_in_the_order_of_their_file) {
  write_mesh_scene("");
  assert_parts_export_as_one((const int[]){2, 5, 0});
}

/* More points and triangles than are asked for at once. */
Test(gathered_rows, large_bodies_come_some_rows_at_a_time) {
  write_mesh("mesh.obj", 250, 300, "");
  write_text("test.json",
             "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", \"columns\": 211, \"rows\": 200, "
             "\"stretch\": { \"ck\": 0.1, \"cd\": 0.1 } }, { \"type\": \"mesh\", \"file\": "
             "\"mesh.obj\", \"stretch\": { \"ck\": 0.1, \"cd\": 0.1 } } ] }");
  assert_parts_export_as_one((const int[]){3, 0});
}

/* ------------------------------------------------------------------------------------------------- failures */

static const char *told;

static void *assert_refused(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 1);
  problem p = {.text = ""};
  scene *s = load_part(&ranks);
  cr_assert_null(gathered_rows_open(s, &p));
  cr_assert(strstr(p.text, told) != NULL && strstr(p.text, "mesh 2") != NULL, "rank %d: %s", seat->rank,
            p.text);
  scene_free(s);
  return NULL;
}

Test(gathered_rows, meshes_with_what_parts_do_not_keep_are_refused_by_all) {
  static const char *const more[][2] = {{"vt 0 0\nf 100/1 101/1 131/1\n", "texture"},
                                        {"vn 0 0 1\nf 100//1 101//1 131//1\n", "texture"},
                                        {"f 2 3 33 32\n", "repeat"},
                                        {"f 2 3 3 33\n", "twice"}};
  for (size_t n = 0; n < COUNT_OF(more); n++) {
    write_mesh_scene(more[n][0]);
    told = more[n][1];
    run_on(3, assert_refused);
  }
}

/* A bar of tetrahedra, each with the next point. */
static void write_tetrahedra(int points) {
  FILE *node = fopen("bar.node", "w"), *ele = fopen("bar.ele", "w");
  fprintf(node, "%d 3 0 0\n", points);
  fprintf(ele, "%d 4 0\n", points - 3);
  for (int i = 0; i < points; i++)
    fprintf(node, "%d %g %g %g\n", i, i % 3 == 1 ? 1 : 0.25, i % 3 == 2 ? 1 : 0.125, i * 0.25);
  for (int i = 0; i + 3 < points; i++)
    fprintf(ele, "%d %d %d %d %d\n", i, i, i + 1, i + 2, i + 3);
  fclose(node);
  fclose(ele);
}

static void *assert_refused_without_surface(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 1);
  problem p = {.text = ""};
  scene *s = load_part(&ranks);
  cr_assert_null(gathered_rows_open(s, &p));
  cr_assert(strstr(p.text, "tetmesh") != NULL && strstr(p.text, "keep nothing") != NULL, "rank %d: %s",
            seat->rank, p.text);
  scene_free(s);
  return NULL;
}

Test(gathered_rows, tetrahedra_are_refused) {
  write_tetrahedra(2000);
  write_text("test.json",
             "{ \"msd\": 1, \"bodies\": [ { \"type\": \"tetmesh\", \"file\": \"bar.ele\", \"stretch\": "
             "{ \"stiffness\": 5 }, \"volume\": false } ] }");
  run_on(3, assert_refused_without_surface);
}

/* Nobody is to take a mesh for a body without triangles. */
static void *assert_refused_without_faces(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 1);
  problem p = {.text = ""};
  scene_error error;
  scene *s = scene_load_part("test.json", &ranks, false, &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_assert_null(gathered_rows_open(s, &p));
  cr_assert(strstr(p.text, "keep nothing") != NULL, "rank %d: %s", seat->rank, p.text);
  scene_free(s);
  return NULL;
}

Test(gathered_rows, a_mesh_without_its_faces_is_refused) {
  write_mesh_scene("");
  run_on(3, assert_refused_without_faces);
}

/* Slashes alone name nothing. */
Test(gathered_rows, corners_without_texture_or_normals_are_no_hindrance) {
  write_mesh_scene("f 100// 101/ 161\n");
  assert_parts_export_as_one((const int[]){3, 0});
}

/* A rank's part of an export into the folder "more". */
typedef struct shared_export {
  /* The scene asks these. */
  msd_ranks ranks;
  scene *scene;
  gathered_rows *rows;
  /* On the first rank. */
  exporter *first;
} shared_export;

static void begin_export(shared_export *e, room_seat *seat) {
  problem p = {.text = ""};
  e->ranks = room_ranks(seat, 1);
  e->scene = load_part(&e->ranks);
  e->rows = gathered_rows_open(e->scene, &p);
  cr_assert(e->rows != NULL, "%s", p.text);
  const export_request request = request_of("more", e->rows);
  e->first = seat->rank == 0 ? export_open(&request, e->scene, &p) : NULL;
}

static void end_export(shared_export *e) {
  gathered_rows_close(e->rows);
  scene_free(e->scene);
}

/* None waits for rows, or for whoever asks for them, where the first cannot write. */
static void *assert_only_first_fails(void *context) {
  room_seat *seat = context;
  problem p = {.text = ""};
  shared_export shared;
  begin_export(&shared, seat);
  exporter *e = shared.first;
  cr_assert(take_frame(e, shared.rows, 0, &p), "%s", p.text);
  cr_assert_eq(take_frame(e, shared.rows, 1, &p), seat->rank > 0);
  cr_assert(seat->rank > 0 || strstr(p.text, "test_000001.obj") != NULL, "%s", p.text);
  cr_assert(take_frame(e, shared.rows, 2, &p), "%s", p.text);
  export_discard(e);
  end_export(&shared);
  return NULL;
}

Test(gathered_rows, a_file_that_the_first_cannot_write_keeps_nobody_waiting, .timeout = 60) {
  write_mesh_scene("");
  format = EXPORT_OBJ;
  mkdir("more", 0777);
  mkdir("more/test_000001.obj", 0777);
  run_on(3, assert_only_first_fails);
}

/* One rank has no memory for its route when the first frame is written. */
static void *assert_all_fail(void *context) {
  room_seat *seat = context;
  problem p = {.text = ""};
  shared_export shared;
  begin_export(&shared, seat);
  exporter *e = shared.first;
  room_meet(seat->room);
  seat->room->poor = 1;
  room_meet(seat->room);
  cr_assert_not(take_frame(e, shared.rows, 0, &p));
  cr_assert(strstr(p.text, "out of memory") != NULL, "rank %d: %s", seat->rank, p.text);
  cr_assert(export_close(e, &p), "%s", p.text);
  end_export(&shared);
  return NULL;
}

/* A file that lacks them does not come to stand where a whole one would. */
Test(gathered_rows, rows_that_cannot_be_had_are_told_by_all_and_leave_no_file) {
  static const char *const frames[] = {"more/test_000000.obj", "more/test_000000.ply", "more/test_000000.vtk",
                                       "more/test_000000.vtu", "more/test.obj"};
  struct stat status;
  write_mesh_scene("");
  for (int f = EXPORT_OBJ; f <= EXPORT_PC2; f++) {
    format = (export_format)f;
    run_on(3, assert_all_fail);
    cr_expect_neq(stat(frames[f], &status), 0, "%s", frames[f]);
  }
}

/* Points of a frame, 4 at a time; of the second one there are no more than 8. */
static export_stretch get_some(void *context, export_column column, msd_range wanted) {
  static msd_real zeros[10];
  const int *frame = context;
  const int32_t count = *frame == 1 && wanted.first >= 8 ? 0 : wanted.count < 4 ? wanted.count : 4;
  (void)column;
  return (export_stretch){.rows = {wanted.first, count},
                          .vectors = {.x = zeros, .y = zeros, .z = zeros, .count = count}};
}

Test(gathered_rows, a_frame_that_lacks_points_is_none_of_a_point_cache) {
  enum { POINTS = 10, HEADER = 32, SAMPLES_AT = 28 };
  problem p;
  int frame = 0;
  size_t size;
  const export_source source = {get_some, &frame};
  const export_frame of = {.source = &source, .points = POINTS, .threads = 2};
  point_cache *cache = point_cache_open("some.pc2", POINTS, 0, &p);
  cr_assert(cache != NULL && point_cache_write(cache, &of, &p), "%s", p.text);
  frame = 1;
  cr_assert_not(point_cache_write(cache, &of, &p));
  cr_expect(strstr(p.text, "out of memory") != NULL, "%s", p.text);
  cr_assert(point_cache_close(cache, &p), "%s", p.text);
  char *bytes = read_bytes("some.pc2", &size);
  cr_expect_eq(size, HEADER + POINTS * 3 * sizeof(float));
  cr_expect_eq(bytes[SAMPLES_AT], 1);
  free(bytes);
}

Test(gathered_rows, formats_of_one_process_say_why) {
  for (int f = 0; f < EXPORT_FORMAT_COUNT; f++)
    cr_assert_eq(export_why_whole((export_format)f) != NULL, f > EXPORT_PC2, "%s", export_format_names[f]);
}

#include "app/export/mesh_order.h"

#include "app/base/numbers.h"
#include "app/base/output_file.h"
#include "app/base/write_buffer.h"

#include <stdlib.h>
#include <string.h>

enum { TRIANGLE = 3, TETRAHEDRON = 4, ROW_MAX = 8 * NUMBER_MAX };

/* ------------------------------------------------------------------------------------------------ the order */

/* With springs on the edges alone. */
static msd_result add_body(msd_world *world, const ordered_mesh *mesh) {
  if (mesh->corners == TRIANGLE) {
    msd_mesh_def def = msd_default_mesh_def();
    def.vertices = mesh->vertices;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->cells;
    def.triangle_count = mesh->cell_count;
    return msd_add_mesh(world, &def, NULL);
  }
  msd_tetmesh_def def = msd_default_tetmesh_def();
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.tetrahedra = mesh->cells;
  def.tetrahedron_count = mesh->cell_count;
  def.volume.law = MSD_SPRING_NONE;
  return msd_add_tetmesh(world, &def, NULL);
}

static bool find_order(const ordered_mesh *mesh, int32_t *place, bool *is_kept, problem *p) {
  msd_world *world;
  const msd_world_def def = msd_default_world_def();
  if (msd_create_world(&def, &world) != MSD_OK)
    return problem_set(p, "out of memory");
  const bool done =
      add_body(world, mesh) == MSD_OK && msd_world_find_layout_order(world, place, is_kept) == MSD_OK;
  if (!done)
    problem_set(p, "%s", msd_world_message(world));
  msd_destroy_world(world);
  return done;
}

static void measure_cells(ordered_mesh *mesh) {
  mesh->span = 0;
  for (int32_t n = 0; n < mesh->cell_count; n++) {
    const int32_t *corner = mesh->cells + (size_t)mesh->corners * (size_t)n;
    for (int a = 0; a < mesh->corners; a++)
      for (int b = 0; b < a; b++)
        mesh->span = abs(corner[a] - corner[b]) > mesh->span ? abs(corner[a] - corner[b]) : mesh->span;
  }
}

static int32_t first_corner(const ordered_mesh *mesh, int32_t cell) {
  const int32_t *corner = mesh->cells + (size_t)mesh->corners * (size_t)cell;
  int32_t first = corner[0];
  for (int c = 1; c < mesh->corners; c++)
    first = corner[c] < first ? corner[c] : first;
  return first;
}

/* Cells by their first corner, those of one as they were: `next`, with a number for each vertex and one more,
   becomes where the next cell of a vertex goes. */
static void sort_cells(ordered_mesh *mesh, int32_t *sorted, int32_t *next) {
  const size_t bytes = (size_t)mesh->corners * sizeof *mesh->cells;
  memset(next, 0, ((size_t)mesh->vertex_count + 1) * sizeof *next);
  for (int32_t n = 0; n < mesh->cell_count; n++)
    next[first_corner(mesh, n) + 1]++;
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    next[v + 1] += next[v];
  for (int32_t n = 0; n < mesh->cell_count; n++) {
    const int32_t to = next[first_corner(mesh, n)]++;
    memcpy(sorted + (size_t)mesh->corners * (size_t)to, mesh->cells + (size_t)mesh->corners * (size_t)n,
           bytes);
  }
  int32_t *before = mesh->cells;
  mesh->cells = sorted;
  free(before);
}

/* Takes the memory of both in place of what the mesh had. */
static void move(ordered_mesh *mesh, const int32_t *place, msd_vec3 *vertices, int32_t *cells,
                 int32_t *next) {
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    vertices[place[v]] = mesh->vertices[v];
  free(mesh->vertices);
  mesh->vertices = vertices;
  for (size_t n = 0; n < (size_t)mesh->corners * (size_t)mesh->cell_count; n++)
    mesh->cells[n] = place[mesh->cells[n]];
  sort_cells(mesh, cells, next);
}

bool ordered_mesh_make(ordered_mesh *mesh, problem *p) {
  const size_t count = (size_t)mesh->vertex_count;
  int32_t *place = malloc((count + 1) * sizeof *place), *next = malloc((count + 1) * sizeof *next);
  bool done = (place != NULL && next != NULL) || problem_set(p, "out of memory");
  done = done && find_order(mesh, place, NULL, p);
  if (done) {
    msd_vec3 *vertices = malloc((count + 1) * sizeof *vertices);
    int32_t *cells = malloc((size_t)mesh->corners * (size_t)mesh->cell_count * sizeof *cells + 1);
    done = (vertices != NULL && cells != NULL) || problem_set(p, "out of memory");
    if (done) {
      move(mesh, place, vertices, cells, next);
    } else {
      free(vertices);
      free(cells);
    }
  }
  done = done && find_order(mesh, NULL, &mesh->is_kept, p);
  if (done)
    measure_cells(mesh);
  free(place);
  free(next);
  return done;
}

/* ---------------------------------------------------------------------------------------------------- files */

static char *put_place(char *to, msd_vec3 at) {
  const msd_real parts[3] = {at.x, at.y, at.z};
  for (int c = 0; c < 3; c++) {
    *to++ = ' ';
    to = number_put(to, (double)parts[c]);
  }
  *to++ = '\n';
  return to;
}

static char *put_cell(char *to, const ordered_mesh *mesh, int32_t cell, int32_t first) {
  const int32_t *corner = mesh->cells + (size_t)mesh->corners * (size_t)cell;
  for (int c = 0; c < mesh->corners; c++) {
    *to++ = ' ';
    to = number_put_count(to, (int64_t)corner[c] + first);
  }
  *to++ = '\n';
  return to;
}

static void put_obj(const ordered_mesh *mesh, FILE *stream) {
  write_buffer out;
  fprintf(stream, "# in the order of places, msd %s\n", msd_version());
  write_buffer_begin(&out, stream);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    write_buffer_take(&out,
                      put_place(write_buffer_text(write_buffer_room(&out, ROW_MAX), "v"), mesh->vertices[v]));
  for (int32_t n = 0; n < mesh->cell_count; n++)
    write_buffer_take(&out, put_cell(write_buffer_text(write_buffer_room(&out, ROW_MAX), "f"), mesh, n, 1));
  write_buffer_flush(&out);
}

static void put_nodes(const ordered_mesh *mesh, FILE *stream) {
  write_buffer out;
  fprintf(stream, "# in the order of places, msd %s\n%d 3 0 0\n", msd_version(), (int)mesh->vertex_count);
  write_buffer_begin(&out, stream);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    write_buffer_take(&out,
                      put_place(number_put_count(write_buffer_room(&out, ROW_MAX), v), mesh->vertices[v]));
  write_buffer_flush(&out);
}

static void put_tetrahedra(const ordered_mesh *mesh, FILE *stream) {
  write_buffer out;
  fprintf(stream, "%d %d 0\n", (int)mesh->cell_count, TETRAHEDRON);
  write_buffer_begin(&out, stream);
  for (int32_t n = 0; n < mesh->cell_count; n++)
    write_buffer_take(&out, put_cell(number_put_count(write_buffer_room(&out, ROW_MAX), n), mesh, n, 0));
  write_buffer_flush(&out);
}

typedef void mesh_writer(const ordered_mesh *mesh, FILE *stream);

/* All but taking its place, which then can fail no more, but for what others do meanwhile. */
static bool write_open(output_file *file, const ordered_mesh *mesh, mesh_writer *put, const char *path,
                       problem *p) {
  if (!output_file_check(path, p) || !output_file_open(file, path, p))
    return false;
  put(mesh, file->stream);
  return output_file_flush(file, p);
}

/* Both of a pair are written before either takes its place. */
static bool write_pair(const ordered_mesh *mesh, char *path, char *ending, problem *p) {
  output_file nodes = {0}, cells = {0};
  strcpy(ending, ".node");
  bool done = write_open(&nodes, mesh, put_nodes, path, p);
  strcpy(ending, ".ele");
  done = done && write_open(&cells, mesh, put_tetrahedra, path, p) && output_file_commit(&nodes, false, p) &&
         output_file_commit(&cells, false, p);
  output_file_discard(&nodes);
  output_file_discard(&cells);
  return done;
}

bool ordered_mesh_write(const ordered_mesh *mesh, const char *path, problem *p) {
  output_file file = {0};
  if (mesh->corners == TRIANGLE) {
    const bool done = write_open(&file, mesh, put_obj, path, p) && output_file_commit(&file, false, p);
    output_file_discard(&file);
    return done;
  }
  char *one = malloc(strlen(path) + sizeof ".node");
  if (one == NULL)
    return problem_set(p, "out of memory");
  strcpy(one, path);
  const bool done = write_pair(mesh, one, strrchr(one, '.'), p);
  free(one);
  return done;
}

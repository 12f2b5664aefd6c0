#include "app/export/gathered_rows.h"

#include "app/export/body_rows.h"

#include <stdlib.h>
#include <string.h>

/* That are asked for at once, at most. */
enum { ROWS_MAX = 1 << 16, CORNERS = 3 };

/* What the first process asks of all: rows of a column, of a body or of all points. */
typedef struct request {
  export_column column;
  int body;
  msd_range rows;
} request;

struct gathered_rows {
  const scene *scene;
  export_shape shape;
  /* One for each body. */
  body_rows *bodies;
  /* Of the first process alone: x, y and z of positions and of velocities, and corners. */
  msd_real *vectors[2];
  int32_t *corners;
  bool has_failed;
};

static bool is_first(const gathered_rows *r) {
  return msd_world_get_subdomain(r->scene->world).rank == 0;
}

/* Whether it is so on any process. */
static bool on_any(const scene *s, bool is_so) {
  double value = is_so;
  msd_world_all_reduce_max(s->world, &value, 1);
  return value > 0;
}

/* ------------------------------------------------------------------------------------------------- giving */

/* Some bytes of an array, as often as is asked for them. */
typedef struct given_rows {
  const gathered_rows *from;
  const request *asked;
  msd_subdomain part;
  msd_view view;
  /* Of the particles or faces of this process. */
  int32_t next, end;
} given_rows;

/* A row and, in front of it, which of those that were asked for it is. */
typedef struct vector_row {
  int32_t number;
  msd_real at[3];
} vector_row;

typedef struct face_row {
  int32_t number, corners[CORNERS];
} face_row;

static size_t give_vectors(void *bytes, size_t room, void *context) {
  given_rows *g = context;
  vector_row *to = bytes;
  size_t count = 0;
  for (; g->next < g->end && count < room / sizeof *to; count++, g->next++) {
    const msd_vec3 v = msd_view_at(g->view, g->next);
    to[count] = (vector_row){g->part.kept.first + g->next - g->asked->rows.first, {v.x, v.y, v.z}};
  }
  return count * sizeof *to;
}

static size_t give_faces(void *bytes, size_t room, void *context) {
  given_rows *g = context;
  const scene_faces *faces = &g->from->scene->bodies[g->asked->body].faces;
  face_row *to = bytes;
  size_t count = 0;
  for (; g->next < g->end && count < room / sizeof *to; count++, g->next++) {
    to[count].number = faces->numbers[g->next] - g->asked->rows.first;
    for (int c = 0; c < CORNERS; c++)
      to[count].corners[c] = g->part.kept.first + faces->triangles[CORNERS * (size_t)g->next + (size_t)c];
  }
  return count * sizeof *to;
}

/* The first of the faces whose number is not below. */
static int32_t face_from(const scene_faces *faces, int64_t number) {
  int32_t first = 0, end = faces->count;
  while (first < end) {
    const int32_t middle = first + (end - first) / 2;
    if (faces->numbers[middle] < number)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

static int32_t clipped(int64_t value, int64_t least, int64_t most) {
  return (int32_t)(value < least ? least : value < most ? value : most);
}

static void take_vectors(const void *bytes, size_t count, void *context) {
  const vector_row *from = bytes;
  msd_real *to = context;
  for (size_t n = 0; n < count / sizeof *from; n++)
    for (size_t c = 0; c < 3; c++)
      to[c * ROWS_MAX + (size_t)from[n].number] = from[n].at[c];
}

static void take_faces(const void *bytes, size_t count, void *context) {
  const face_row *from = bytes;
  int32_t(*to)[CORNERS] = context;
  for (size_t n = 0; n < count / sizeof *from; n++)
    memcpy(to[from[n].number], from[n].corners, sizeof from[n].corners);
}

/* By all processes alike. */
static bool gather_rows(gathered_rows *r, const request *asked) {
  msd_world *world = r->scene->world;
  given_rows g = {.from = r, .asked = asked, .part = msd_world_get_subdomain(world)};
  const int64_t first = asked->rows.first, end = first + asked->rows.count;
  if (asked->column == EXPORT_TRIANGLES) {
    const scene_faces *faces = &r->scene->bodies[asked->body].faces;
    g.next = face_from(faces, first);
    g.end = face_from(faces, end);
    return msd_world_gather_text(world, give_faces, &g, take_faces, r->corners) == MSD_OK;
  }
  const msd_range own = {g.part.own.first - g.part.kept.first, g.part.own.count};
  g.next = clipped(first - g.part.kept.first, own.first, own.first + own.count);
  g.end = clipped(end - g.part.kept.first, own.first, own.first + own.count);
  g.view =
      asked->column == EXPORT_POSITIONS ? msd_world_get_positions(world) : msd_world_get_velocities(world);
  return msd_world_gather_text(world, give_vectors, &g, take_vectors,
                               r->vectors[asked->column == EXPORT_VELOCITIES]) == MSD_OK;
}

/* ------------------------------------------------------------------------------------------------- asking */

enum { REQUEST_NUMBERS = 4 };

/* What the first process tells all; others, and whoever ends, tell zeros, which are the least that there is. */
static void share_request(const gathered_rows *r, double numbers[REQUEST_NUMBERS]) {
  msd_world_all_reduce_max(r->scene->world, numbers, REQUEST_NUMBERS);
}

static bool fetch(gathered_rows *r, const request *asked) {
  double numbers[REQUEST_NUMBERS] = {1.0 + (int)asked->column, asked->body, asked->rows.first,
                                     asked->rows.count};
  share_request(r, numbers);
  r->has_failed = !gather_rows(r, asked);
  return !r->has_failed;
}

/* Of the groups, which have them one after the other, the one that has a row of a column. */
static int group_of(const gathered_rows *r, export_column column, int32_t row, msd_range *rows) {
  for (int b = 0;; b++) {
    const export_group *group = &r->shape.groups[b];
    *rows = column == EXPORT_TRIANGLES ? group->triangles
            : column == EXPORT_LINES   ? group->lines
                                       : group->points;
    if (row - rows->first < rows->count)
      return b;
  }
}

static bool get_corners(gathered_rows *r, export_column column, msd_range *rows) {
  msd_range of;
  const int body = group_of(r, column, rows->first, &of);
  const int32_t left = of.first + of.count - rows->first;
  rows->count = rows->count < left ? rows->count : left;
  const msd_range within = {rows->first - of.first, rows->count};
  if (column == EXPORT_TRIANGLES && r->bodies[body].grid_count == 0)
    return fetch(r, &(request){column, body, within});
  body_rows_put(&r->bodies[body], column, within, r->corners);
  return true;
}

static export_stretch get_rows(void *context, export_column column, msd_range wanted) {
  gathered_rows *r = context;
  msd_range rows = {wanted.first, wanted.count < ROWS_MAX ? wanted.count : ROWS_MAX};
  if (r->has_failed)
    return (export_stretch){.rows = {wanted.first, 0}};
  const bool is_shape = column != EXPORT_POSITIONS && column != EXPORT_VELOCITIES;
  if (!(is_shape ? get_corners(r, column, &rows) : fetch(r, &(request){column, 0, rows})))
    return (export_stretch){.rows = {wanted.first, 0}};
  const msd_real *x = is_shape ? NULL : r->vectors[column == EXPORT_VELOCITIES];
  if (is_shape)
    return (export_stretch){.rows = rows, .corners = r->corners};
  return (export_stretch){.rows = rows,
                          .vectors = {.x = x, .y = x + ROWS_MAX, .z = x + 2 * ROWS_MAX, .count = rows.count}};
}

export_source gathered_rows_source(gathered_rows *r) {
  return (export_source){get_rows, r};
}

bool gathered_rows_check(const gathered_rows *r, problem *p) {
  return !r->has_failed || problem_set(p, "out of memory for an export in parts");
}

bool gathered_rows_end(gathered_rows *r, problem *p) {
  double numbers[REQUEST_NUMBERS] = {0};
  share_request(r, numbers);
  return gathered_rows_check(r, p);
}

bool gathered_rows_give(gathered_rows *r, problem *p) {
  for (;;) {
    double numbers[REQUEST_NUMBERS] = {0};
    share_request(r, numbers);
    if (numbers[0] == 0)
      return gathered_rows_check(r, p);
    const request asked = {
        (export_column)((int)numbers[0] - 1), (int)numbers[1], {(int32_t)numbers[2], (int32_t)numbers[3]}};
    r->has_failed = !gather_rows(r, &asked) || r->has_failed;
  }
}

/* ------------------------------------------------------------------------------------------------- opening */

void gathered_rows_close(gathered_rows *r) {
  if (r == NULL)
    return;
  export_shape_free(&r->shape);
  free(r->bodies);
  free(r->vectors[0]);
  free(r->vectors[1]);
  free(r->corners);
  free(r);
}

static size_t give_count(void *bytes, size_t room, void *context) {
  int64_t *count = context;
  (void)room;
  if (*count < 0)
    return 0;
  memcpy(bytes, count, sizeof *count);
  *count = -1;
  return sizeof *count;
}

static void add_count(const void *bytes, size_t size, void *context) {
  int64_t count, *sum = context;
  memcpy(&count, bytes, size);
  *sum += count;
}

/* Why the faces of a mesh are not to be had as one process has them, said alike by all; NULL: they are. */
static const char *fault_of_faces(const scene *s, const scene_faces *faces) {
  int64_t own = faces->count, sum = 0;
  if (on_any(s, faces->has_attributes))
    return "has texture coordinates or normals, which parts do not keep; leave them out of its file";
  if (msd_world_gather_text(s->world, give_count, &own, add_count, &sum) != MSD_OK)
    return "needs more memory than there is; take more processes";
  return on_any(s, msd_world_get_subdomain(s->world).rank == 0 && sum != faces->whole)
             ? "has faces that repeat others or name a vertex twice, so that its triangles have no numbers; "
               "leave these out of its file"
             : NULL;
}

/* The same of a body. */
static const char *fault_of(const scene *s, const scene_body *body) {
  static const char *const plain[] = {"rope", "cloth", "block"};
  for (size_t n = 0; n < sizeof plain / sizeof *plain; n++)
    if (strcmp(body->kind, plain[n]) == 0)
      return NULL;
  return strcmp(body->kind, "mesh") == 0 && body->faces.whole > 0
             ? fault_of_faces(s, &body->faces)
             : "has a surface of which parts keep nothing; leave the body out";
}

static bool check_bodies(const scene *s, problem *p) {
  for (int b = 0; b < s->body_count; b++) {
    const char *fault = fault_of(s, &s->bodies[b]);
    if (fault != NULL)
      return problem_set(p, "%s: the %s \"%s\" %s, or export in one process", s->path, s->bodies[b].kind,
                         s->bodies[b].name, fault);
  }
  return true;
}

/* Of the springs that a process has of the body. */
static bool has_lines(const scene_body *body) {
  for (int g = 0; g < body->group_count; g++)
    if (export_shows(&body->groups[g]))
      return true;
  return false;
}

/* Behind those of the bodies before. */
static bool add_rows(int32_t *total, int64_t count, msd_range *rows) {
  if (count > INT32_MAX - *total)
    return false;
  *rows = (msd_range){*total, (int32_t)count};
  *total += (int32_t)count;
  return true;
}

static bool count_rows(gathered_rows *r) {
  export_shape *shape = &r->shape;
  int32_t points = 0;
  bool fits = true;
  for (int b = 0; b < r->scene->body_count; b++) {
    const scene_body *body = &r->scene->bodies[b];
    export_group *group = &shape->groups[b];
    r->bodies[b] = body_rows_of(body, points, on_any(r->scene, has_lines(body)));
    const int64_t *counts = r->bodies[b].counts;
    fits = fits && add_rows(&shape->triangle_count, counts[EXPORT_TRIANGLES], &group->triangles) &&
           add_rows(&shape->line_count, counts[EXPORT_LINES], &group->lines) &&
           add_rows(&shape->point_count, counts[EXPORT_LOOSE_POINTS], &group->points);
    points += scene_body_whole(body);
  }
  shape->numbering.count = points;
  return fits;
}

static bool allocate(gathered_rows *r, const scene *s) {
  r->scene = s;
  r->bodies = calloc((size_t)s->body_count + 1, sizeof *r->bodies);
  bool ok = r->bodies != NULL && export_shape_begin(s, &r->shape);
  if (!is_first(r))
    return ok;
  for (int n = 0; n < 2; n++) {
    r->vectors[n] = malloc(3 * ROWS_MAX * sizeof *r->vectors[n]);
    ok = ok && r->vectors[n] != NULL;
  }
  r->corners = malloc(CORNERS * ROWS_MAX * sizeof *r->corners);
  return ok && r->corners != NULL;
}

gathered_rows *gathered_rows_open(const scene *s, problem *p) {
  gathered_rows *r = calloc(1, sizeof *r);
  bool ok = !on_any(s, r == NULL || !allocate(r, s)) || problem_set(p, "out of memory for an export");
  ok =
      ok && check_bodies(s, p) &&
      (count_rows(r) || problem_set(p, "%s: has more than 2147483647 triangles or lines to export", s->path));
  if (ok)
    return r;
  gathered_rows_close(r);
  return NULL;
}

bool gathered_rows_shape(const gathered_rows *r, export_shape *shape) {
  if (!export_shape_begin(r->scene, shape))
    return false;
  for (int b = 0; b < r->shape.group_count; b++) {
    char *name = shape->groups[b].name;
    shape->groups[b] = r->shape.groups[b];
    shape->groups[b].name = name;
  }
  shape->triangle_count = r->shape.triangle_count;
  shape->line_count = r->shape.line_count;
  shape->point_count = r->shape.point_count;
  shape->numbering.count = r->shape.numbering.count;
  return true;
}

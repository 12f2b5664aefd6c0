#include "render/paint/creases.h"

#include "render/paint/buckets.h"
#include "scenes/loader/render_points.h"

#include <cglm/cglm.h>
#include <stdlib.h>
#include <string.h>

/* The cosine of 50 degrees. An edge is sharp when the normals on both sides differ by more: a prism with eight
   sides is round, one with six is not. */
#define SMOOTH_COSINE 0.643f

/* An edge of a triangle, from the point at one of its corners to the point `other`. */
typedef struct spoke {
  int32_t other, corner;
  /* The edge leads to the next corner of the triangle, not to the one before. */
  bool is_next;
} spoke;

typedef struct work {
  const scene *scene;
  creases *out;
  /* The point at each corner, and the unit normal of each triangle (0 of a degenerate one). */
  int32_t *points;
  vec3 *normals;
  /* The corners at each point. */
  buckets around;
  /* The edges that leave one point: two for each corner. */
  spoke *spokes;
  /* A forest over the corners at a point: each points to an earlier one of its smooth part, the first one to
     itself. */
  int32_t *leader;
  /* NULL: the current shape decides which edges are smooth. */
  const creases *before;
} work;

static int compare_spokes(const void *a, const void *b) {
  const spoke *p = a, *q = b;
  if (p->other != q->other)
    return p->other < q->other ? -1 : 1;
  return (p->corner > q->corner) - (p->corner < q->corner);
}

static int32_t leader_of(int32_t *leader, int32_t corner) {
  while (leader[corner] != corner)
    corner = leader[corner] = leader[leader[corner]];
  return corner;
}

/* The earlier corner becomes the leader. */
static void join(int32_t *leader, int32_t a, int32_t b) {
  a = leader_of(leader, a);
  b = leader_of(leader, b);
  leader[a > b ? a : b] = a < b ? a : b;
}

static void position_of(msd_view at, int32_t point, vec3 out) {
  msd_vec3 x = msd_view_at(at, point);
  glm_vec3_copy((vec3){(float)x.x, (float)x.y, (float)x.z}, out);
}

static void find_normal(msd_view at, const int32_t corners[3], vec3 normal) {
  vec3 x[3], first, second;
  for (int c = 0; c < 3; c++)
    position_of(at, corners[c], x[c]);
  glm_vec3_sub(x[1], x[0], first);
  glm_vec3_sub(x[2], x[0], second);
  glm_vec3_crossn(first, second, normal);
}

/* Room for `count` zeroed items; NULL only when memory is short. */
static void *items(int64_t count, size_t size) {
  return calloc((size_t)count + 1, size);
}

/* And the point at each corner. */
static bool find_normals(work *w) {
  render_points shown;
  int32_t corner = 0;
  const bool open = render_points_open(&shown, w->scene);
  for (int b = 0; open && b < w->scene->body_count; b++) {
    const scene_body *body = &w->scene->bodies[b];
    for (int32_t i = 0; i < shown_triangle_count(body); i++, corner += 3) {
      memcpy(w->points + corner, shown_triangles(w->scene, body) + 3 * i, 3 * sizeof *w->points);
      find_normal(shown.positions, w->points + corner, w->normals[corner / 3]);
    }
  }
  render_points_close(&shown);
  return open;
}

static bool start(work *w, const scene *s, const creases *before, creases *out) {
  int64_t corners = 0;
  for (int b = 0; b < s->body_count; b++)
    corners += 3 * (int64_t)shown_triangle_count(&s->bodies[b]);
  const int32_t points = shown_point_count(s);
  *out = (creases){.corner_count = (int32_t)corners};
  *w = (work){.scene = s, .out = out, .before = before};
  if (corners + points > INT32_MAX)
    return false;
  out->corners = items(corners, sizeof *out->corners);
  out->is_sheet = items(s->body_count, sizeof *out->is_sheet);
  out->edges.edges = items(corners, sizeof *out->edges.edges);
  w->points = items(corners, sizeof *w->points);
  w->leader = items(corners, sizeof *w->leader);
  w->normals = items(corners / 3, sizeof *w->normals);
  if (out->corners == NULL || out->is_sheet == NULL || out->edges.edges == NULL || w->points == NULL ||
      w->leader == NULL || w->normals == NULL)
    return false;
  return find_normals(w) && buckets_make(&w->around, w->points, (int32_t)corners, points);
}

static bool was_smooth(const work *w, int32_t point, int32_t other) {
  return !edge_set_has(&w->before->edges, msd_particle_get_origin(w->scene->world, point),
                       msd_particle_get_origin(w->scene->world, other));
}

static bool is_smooth(const work *w, const spoke *a, const spoke *b) {
  float cosine = glm_vec3_dot(w->normals[a->corner / 3], w->normals[b->corner / 3]);
  bool is_degenerate =
      glm_vec3_norm2(w->normals[a->corner / 3]) == 0 || glm_vec3_norm2(w->normals[b->corner / 3]) == 0;
  if (w->before)
    return was_smooth(w, w->points[a->corner], a->other);
  return a->is_next != b->is_next && (is_degenerate || cosine > SMOOTH_COSINE);
}

/* Joins those corners at a point whose triangles meet smoothly, and records the edges where they do not. */
static void sort_corners(work *w, int body, int32_t point) {
  int32_t count = 0;
  for (int32_t i = w->around.first[point]; i < w->around.first[point + 1]; i++) {
    int32_t corner = w->around.order[i], start_of = corner - corner % 3;
    w->leader[corner] = corner;
    for (int step = 1; step <= 2; step++)
      w->spokes[count++] = (spoke){w->points[start_of + (corner + step) % 3], corner, step == 1};
  }
  qsort(w->spokes, (size_t)count, sizeof *w->spokes, compare_spokes);
  for (int32_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && w->spokes[end].other == w->spokes[i].other;)
      end++;
    w->out->is_sheet[body] |= end - i == 1;
    if (end - i == 2 && is_smooth(w, &w->spokes[i], &w->spokes[i + 1]))
      join(w->leader, w->spokes[i].corner, w->spokes[i + 1].corner);
    else if (point < w->spokes[i].other)
      edge_set_add(&w->out->edges, point, w->spokes[i].other);
  }
}

/* The first smooth part at point p is vertex p, each further one a new vertex. */
static bool number_vertices(work *w) {
  creases *out = w->out;
  const int32_t points = shown_point_count(w->scene);
  out->vertex_count = points;
  for (int32_t p = 0; p < points; p++) {
    for (int32_t i = w->around.first[p]; i < w->around.first[p + 1]; i++) {
      int32_t corner = w->around.order[i], leader = leader_of(w->leader, corner);
      bool is_first = i == w->around.first[p];
      out->corners[corner] = leader != corner ? out->corners[leader] : is_first ? p : out->vertex_count++;
    }
  }
  out->points = items(out->vertex_count, sizeof *out->points);
  if (out->points == NULL)
    return false;
  for (int32_t p = 0; p < points; p++)
    out->points[p] = p;
  for (int32_t corner = 0; corner < out->corner_count; corner++)
    out->points[out->corners[corner]] = w->points[corner];
  return true;
}

/* The largest number of corners at any point. */
static int32_t most_corners(const work *w) {
  int32_t most = 0;
  for (int32_t p = 0; p < shown_point_count(w->scene); p++) {
    int32_t count = w->around.first[p + 1] - w->around.first[p];
    most = count > most ? count : most;
  }
  return most;
}

static bool is_part_of(const msd_world *world, int32_t particle, msd_range range) {
  const int32_t origin = msd_particle_get_origin(world, particle);
  return origin != particle && origin >= range.first && origin - range.first < range.count;
}

static bool find(work *w) {
  w->spokes = items(2 * (int64_t)most_corners(w), sizeof *w->spokes);
  if (w->spokes == NULL)
    return false;
  for (int b = 0; b < w->scene->body_count; b++) {
    const msd_range range = shown_range(&w->scene->bodies[b]);
    for (int32_t p = range.first; p < range.first + range.count; p++)
      sort_corners(w, b, p);
    for (int32_t p = 0; p < msd_world_get_particle_count(w->scene->world) && w->before; p++)
      if (is_part_of(w->scene->world, p, range))
        sort_corners(w, b, p);
  }
  edge_set_sort(&w->out->edges);
  return number_vertices(w);
}

void creases_free(creases *c) {
  free(c->points);
  free(c->corners);
  free(c->is_sheet);
  free(c->edges.edges);
  *c = (creases){0};
}

bool creases_find(const scene *s, const creases *before, creases *c) {
  work w;
  bool done = start(&w, s, before, c) && find(&w);
  buckets_free(&w.around);
  free(w.points);
  free(w.normals);
  free(w.spokes);
  free(w.leader);
  if (!done)
    creases_free(c);
  return done;
}

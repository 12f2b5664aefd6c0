#include "engine/intersection/fans.h"

#include "engine/base/counting_sort.h"

#include <math.h>

/* Vertices with more triangles are rare, and are not tested. */
enum { FAN_TRIANGLES = 12, CORNERS = 3 };

/* The edges of a fan: in each triangle, the two at the central corner; `to` is to the left of `from`. */
typedef struct fan {
  const point *middle;
  int32_t from[FAN_TRIANGLES], to[FAN_TRIANGLES];
  int count;
} fan;

bool fans_allocate(fans *f, memory *m, int32_t particles, int32_t triangles) {
  f->first = memory_allocate_items(m, (int64_t)particles + 2, sizeof *f->first);
  f->at = memory_allocate_items(m, CORNERS * (int64_t)triangles, sizeof *f->at);
  f->is_open = memory_allocate_items(m, particles, sizeof *f->is_open);
  return f->first && f->at && f->is_open;
}

void fans_free(fans *f, memory *m) {
  memory_release(m, f->first);
  memory_release(m, f->at);
  memory_release(m, f->is_open);
  *f = (fans){0};
}

void fans_list(const fans *f, const int32_t *triangles, int32_t count, int32_t particles) {
  for (int64_t n = 0; n < CORNERS * (int64_t)count; n++)
    counting_sort_count(f->first, triangles[n]);
  counting_sort_begin(f->first, particles);
  for (int64_t n = 0; n < CORNERS * (int64_t)count; n++)
    counting_sort_put(f->first, f->at, triangles[n], (int32_t)(n / CORNERS));
}

/* The axis along which the triangle appears widest. */
static int find_axis(const point *a, const point *b, const point *c) {
  double from[2][3], area[3];
  for (int k = 0; k < 3; k++) {
    from[0][k] = a->at[k] - c->at[k];
    from[1][k] = b->at[k] - c->at[k];
  }
  for (int k = 0; k < 3; k++)
    area[k] = fabs(from[0][(k + 1) % 3] * from[1][(k + 2) % 3] - from[0][(k + 2) % 3] * from[1][(k + 1) % 3]);
  const int wider = area[1] > area[0];
  return area[2] > area[wider] ? 2 : wider;
}

/* Adds a triangle, given its corner at the center. False if it appears as a line. */
static bool take_triangle(fan *f, const int32_t *corners, int middle, const point *points, int axis) {
  int32_t from = corners[(middle + 1) % CORNERS], to = corners[(middle + 2) % CORNERS];
  const int turn = orientation_in_plane(&points[from], &points[to], f->middle, axis);
  f->from[f->count] = turn > 0 ? from : to;
  f->to[f->count++] = turn > 0 ? to : from;
  return turn != 0;
}

/* True if the direction from the center to a point is upward, or level towards positive u. */
static bool is_up(const fan *f, const point *p, int axis) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return p->at[v] > f->middle->at[v] || (p->at[v] == f->middle->at[v] && p->at[u] > f->middle->at[u]);
}

/* True if each edge ends one triangle and begins the next one, exactly once around. Each triangle turns left
   by less than half a turn, so in each full turn the edges change from down to up once. */
static bool is_round(const fan *f, const point *points, int axis) {
  int at = 0, rises = 0;
  for (int n = 0; n < f->count; n++) {
    rises += !is_up(f, &points[f->from[at]], axis) && is_up(f, &points[f->to[at]], axis);
    int next = 0;
    while (next < f->count && f->from[next] != f->to[at])
      next++;
    if (next == f->count || (next == 0) != (n + 1 == f->count))
      return false;
    at = next;
  }
  return rises == 1;
}

static bool is_open(const fans *all, const int32_t *triangles, const point *points, int32_t particle) {
  const int32_t *first = all->first + particle;
  if (first[1] - first[0] < CORNERS || first[1] - first[0] > FAN_TRIANGLES)
    return false;
  fan f = {.middle = &points[particle], .count = 0};
  const int32_t *corners = triangles + CORNERS * (size_t)all->at[first[0]];
  const int axis = find_axis(&points[corners[0]], &points[corners[1]], &points[corners[2]]);
  bool is = true;
  for (int32_t n = first[0]; n < first[1] && is; n++) {
    corners = triangles + CORNERS * (size_t)all->at[n];
    const int middle = corners[0] == particle ? 0 : corners[1] == particle ? 1 : 2;
    is = take_triangle(&f, corners, middle, points, axis);
  }
  return is && is_round(&f, points, axis);
}

void fans_find(const fans *f, const int32_t *triangles, const point *points, int32_t first, int32_t end) {
  for (int32_t particle = first; particle < end; particle++)
    f->is_open[particle] = is_open(f, triangles, points, particle);
}

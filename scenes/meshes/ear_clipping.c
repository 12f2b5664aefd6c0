#include "scenes/meshes/ear_clipping.h"

#include <stdlib.h>

/* What a corner and its neighbors are, the best to be cut off first. Spikes have no area, and two of their
   corners are one vertex: they make no triangle. A corner in the middle of a straight side becomes convex when
   an ear beside it is cut off. These ears are first, so that each such vertex is in a triangle that has an
   area. */
typedef enum ear_rank {
  RANK_SPIKE,
  RANK_EAR_BESIDE_FLAT,
  RANK_EAR,
  RANK_TAKEN,
  RANK_FLAT,
  RANK_BLOCKED,
  RANK_TURNED
} ear_rank;

typedef struct ear_corner {
  int32_t before, after;
  ear_rank rank;
  /* The sum of the squares of the edges over the area: the less the better. */
  double badness;
  bool is_convex, is_flat;
} ear_corner;

typedef struct clipping {
  const ear_polygon *polygon;
  ear_corner *corners;
  /* One of those that are left, and how many these are. */
  int32_t any, left;
} clipping;

/* Twice the area of a triangle: above 0 where it is counterclockwise. */
static double area_of(const clipping *c, int32_t p, int32_t q, int32_t r) {
  const double *a = c->polygon->at[p], *b = c->polygon->at[q], *d = c->polygon->at[r];
  return (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
}

static double square_apart(const clipping *c, int32_t p, int32_t q) {
  const double *a = c->polygon->at[p], *b = c->polygon->at[q], x = b[0] - a[0], y = b[1] - a[1];
  return x * x + y * y;
}

/* Whether a triangle is counterclockwise, or its corners are in a line except for rounding. */
static bool is_on_side(const clipping *c, int32_t p, int32_t q, int32_t i) {
  const double squares = square_apart(c, p, q) + square_apart(c, q, i) + square_apart(c, i, p);
  return area_of(c, p, q, i) >= -EAR_FLATTEST * squares;
}

/* Whether a corner that is not convex, and is no corner of the triangle, lies in it or on its border: where any
   other does, such a one does too. */
static bool is_blocked(const clipping *c, int32_t p, int32_t q, int32_t r) {
  const int32_t *vertex = c->polygon->vertices;
  for (int32_t i = c->corners[r].after; i != p; i = c->corners[i].after)
    if (!c->corners[i].is_convex && is_on_side(c, p, q, i) && is_on_side(c, q, r, i) &&
        is_on_side(c, r, p, i) && vertex[i] != vertex[p] && vertex[i] != vertex[q] && vertex[i] != vertex[r])
      return true;
  return false;
}

static void find_convex(clipping *c, int32_t q) {
  ear_corner *corner = &c->corners[q];
  const int32_t p = corner->before, r = corner->after;
  const double area = area_of(c, p, q, r),
               squares = square_apart(c, p, q) + square_apart(c, q, r) + square_apart(c, r, p);
  corner->badness = area > 0 ? squares / area : 0;
  corner->is_convex = area > EAR_FLATTEST * squares;
  corner->is_flat = !corner->is_convex && area >= -EAR_FLATTEST * squares;
  corner->rank = corner->is_convex ? RANK_EAR : corner->is_flat ? RANK_FLAT : RANK_TURNED;
}

/* Where it is known which corners are convex. */
static void find_rank(clipping *c, int32_t q) {
  ear_corner *corner = &c->corners[q];
  const int32_t p = corner->before, r = corner->after, *vertex = c->polygon->vertices;
  const int32_t triangle[3] = {vertex[p], vertex[q], vertex[r]};
  find_convex(c, q);
  if (vertex[p] == vertex[q] || vertex[q] == vertex[r] || vertex[r] == vertex[p])
    corner->rank = RANK_SPIKE;
  else if (corner->is_convex && is_blocked(c, p, q, r))
    corner->rank = RANK_BLOCKED;
  else if (corner->is_convex && c->polygon->is_taken(c->polygon->context, triangle))
    corner->rank = RANK_TAKEN;
  else if (corner->is_convex && (c->corners[p].is_flat || c->corners[r].is_flat))
    corner->rank = RANK_EAR_BESIDE_FLAT;
}

static void find_all(clipping *c) {
  int32_t i = c->any;
  for (int32_t n = 0; n < c->left; n++, i = c->corners[i].after)
    find_convex(c, i);
  for (int32_t n = 0; n < c->left; n++, i = c->corners[i].after)
    find_rank(c, i);
}

static int32_t find_best(const clipping *c) {
  int32_t best = c->any, i = c->any;
  for (int32_t n = 0; n < c->left; n++, i = c->corners[i].after) {
    const ear_corner *a = &c->corners[i], *b = &c->corners[best];
    if (a->rank < b->rank || (a->rank == b->rank && a->badness < b->badness))
      best = i;
  }
  return best;
}

static void cut_off(clipping *c, int32_t q, int32_t triangle[3]) {
  const int32_t p = c->corners[q].before, r = c->corners[q].after;
  const int32_t order[] = {p, q, r, p, q};
  const int32_t *first = q < p && q < r ? order + 1 : r < p ? order + 2 : order;
  for (int k = 0; k < 3; k++)
    triangle[k] = first[k];
  c->corners[p].after = r;
  c->corners[r].before = p;
  c->any = p;
  c->left--;
  find_convex(c, p);
  find_convex(c, r);
  find_rank(c, c->corners[p].before);
  find_rank(c, p);
  find_rank(c, r);
  find_rank(c, c->corners[r].after);
}

bool ear_clipping_cut(const ear_polygon *polygon, int32_t (*triangles)[3]) {
  /* An ear that is cut off may be what lay on the border of another triangle. All are looked at again where
     there is no ear, but not each time, so that the time stays with the square. */
  int looks = 8;
  const int32_t count = polygon->count;
  clipping c = {polygon, malloc((size_t)count * sizeof *c.corners), 0, count};
  if (!c.corners)
    return false;
  for (int32_t i = 0; i < count; i++)
    c.corners[i] = (ear_corner){.before = i > 0 ? i - 1 : count - 1, .after = i + 1 < count ? i + 1 : 0};
  find_all(&c);
  for (int32_t t = 0; t < count - 2; t++) {
    int32_t best = find_best(&c);
    if (c.corners[best].rank > RANK_TAKEN && t > 0 && looks > 0) {
      looks--;
      find_all(&c);
      best = find_best(&c);
    }
    cut_off(&c, best, triangles[t]);
  }
  free(c.corners);
  return true;
}

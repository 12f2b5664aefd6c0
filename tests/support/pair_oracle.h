/* All pairs of a surface by force, and their distances in double: for each number of corners that may carry the
   closest points the point where the square is stationary, of which those count that lie inside. */
#ifndef MSD_TESTS_SUPPORT_PAIR_ORACLE_H
#define MSD_TESTS_SUPPORT_PAIR_ORACLE_H

#include "tests/support/surfaces.h"

#include "engine/contact/broad_phase.h"

typedef struct triple {
  double at[3];
} triple;

static inline triple triple_of(msd_vec3 a) {
  return (triple){{(double)a.x, (double)a.y, (double)a.z}};
}

static inline triple triple_add(triple a, triple b, double factor) {
  for (int k = 0; k < 3; k++)
    a.at[k] += factor * b.at[k];
  return a;
}

static inline double triple_dot(triple a, triple b) {
  return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static inline double triple_length(triple a) {
  return sqrt(triple_dot(a, a));
}

/* From p to the nearest point between a and b. */
static inline triple to_segment(triple p, triple a, triple b) {
  const triple along = triple_add(b, a, -1);
  const double square = triple_dot(along, along);
  double t = square > 0 ? triple_dot(along, triple_add(p, a, -1)) / square : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return triple_add(triple_add(a, along, t), p, -1);
}

static inline triple cross(triple a, triple b) {
  return (triple){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                   a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static inline triple shorter(triple a, triple b) {
  return triple_dot(a, a) <= triple_dot(b, b) ? a : b;
}

/* By the plane of the triangle: whether the point is above it is told by the planes through its sides. */
static inline triple to_triangle(const triple *x) {
  triple best = to_segment(x[0], x[1], x[2]);
  best = shorter(best, to_segment(x[0], x[2], x[3]));
  best = shorter(best, to_segment(x[0], x[3], x[1]));
  const triple normal = cross(triple_add(x[2], x[1], -1), triple_add(x[3], x[1], -1));
  const double square = triple_dot(normal, normal);
  bool inside = square > 0;
  for (int k = 0; k < 3; k++) {
    const triple a = x[1 + k], b = x[1 + (k + 1) % 3];
    inside = inside && triple_dot(cross(normal, triple_add(b, a, -1)), triple_add(x[0], a, -1)) >= 0;
  }
  if (!inside)
    return best;
  const triple zero = {{0}};
  return shorter(best, triple_add(zero, normal, triple_dot(normal, triple_add(x[1], x[0], -1)) / square));
}

/* By the common perpendicular: it meets both edges where each has its ends on both sides of the plane through
   the other and the perpendicular. */
static inline triple between_edges(const triple *x) {
  const triple zero = {{0}};
  triple best = to_segment(x[0], x[2], x[3]);
  best = shorter(best, to_segment(x[1], x[2], x[3]));
  best = shorter(best, triple_add(zero, to_segment(x[2], x[0], x[1]), -1));
  best = shorter(best, triple_add(zero, to_segment(x[3], x[0], x[1]), -1));
  const triple a = triple_add(x[1], x[0], -1), b = triple_add(x[3], x[2], -1), normal = cross(a, b);
  const double square = triple_dot(normal, normal);
  if (square <= 1e-24 * triple_dot(a, a) * triple_dot(b, b))
    return best; /* Of parallel edges an end is nearest, and what is left of the normal is rounding. */
  const triple over_a = cross(a, normal), over_b = cross(b, normal);
  const double b0 = triple_dot(over_a, triple_add(x[2], x[0], -1)),
               b1 = triple_dot(over_a, triple_add(x[3], x[0], -1)),
               a0 = triple_dot(over_b, triple_add(x[0], x[2], -1)),
               a1 = triple_dot(over_b, triple_add(x[1], x[2], -1));
  if (b0 * b1 > 0 || a0 * a1 > 0)
    return best;
  return shorter(best, triple_add(zero, normal, triple_dot(normal, triple_add(x[2], x[0], -1)) / square));
}

/* From the first primitive of a pair to the second. */
static inline triple oracle_between(pair_kind kind, const triple *x) {
  return kind == PAIR_POINT_TRIANGLE ? to_triangle(x) : between_edges(x);
}

/* ---------------------------------------------------------------------------------------------- all pairs */

typedef struct oracle_pair {
  pair_kind kind;
  int32_t at[PAIR_CORNERS];
  /* m: the mean of both pieces. */
  double thickness;
  /* Both are of one piece. */
  bool is_own;
} oracle_pair;

typedef struct oracle_primitive {
  int32_t piece, at[3];
} oracle_primitive;

typedef struct oracle {
  oracle_primitive *of[SURFACE_KINDS];
  int32_t count[SURFACE_KINDS];
  oracle_pair *pairs;
  int64_t pair_count;
} oracle;

static inline bool has_particle(const oracle_primitive *a, int corners, int32_t particle) {
  for (int k = 0; k < corners; k++)
    if (a->at[k] == particle)
      return true;
  return false;
}

/* Once in each piece. */
static inline void oracle_take(oracle *o, surface_kind kind, oracle_primitive made) {
  for (int32_t n = 0; n < o->count[kind] && kind != SURFACE_TRIANGLES; n++) {
    const oracle_primitive *old = &o->of[kind][n];
    bool same = old->piece == made.piece;
    for (int k = 0; k <= (int)kind; k++)
      same = same && has_particle(old, (int)kind + 1, made.at[k]);
    if (same)
      return;
  }
  o->of[kind][o->count[kind]++] = made;
}

static inline void oracle_take_edge(oracle *o, int32_t piece, int32_t a, int32_t b) {
  oracle_take(o, SURFACE_VERTICES, (oracle_primitive){piece, {a}});
  oracle_take(o, SURFACE_VERTICES, (oracle_primitive){piece, {b}});
  oracle_take(o, SURFACE_EDGES, (oracle_primitive){piece, {a, b}});
}

static inline bool oracle_ignores(const surface *s, int32_t a, int32_t b) {
  for (int32_t n = 0; n < s->ignored_count; n++)
    if ((s->ignored[n][0] == a && s->ignored[n][1] == b) || (s->ignored[n][0] == b && s->ignored[n][1] == a))
      return true;
  return false;
}

static inline void oracle_pair_up(oracle *o, const surface *s, surface_kind one, int32_t a,
                                  surface_kind other, int32_t b) {
  const oracle_primitive *first = &o->of[one][a], *second = &o->of[other][b];
  oracle_pair pair = {.kind = one == SURFACE_EDGES ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE};
  for (int k = 0; k <= (int)one; k++)
    if (has_particle(second, (int)other + 1, first->at[k]))
      return;
  if (oracle_ignores(s, first->piece, second->piece))
    return;
  for (int k = 0; k < PAIR_CORNERS; k++)
    pair.at[k] = k <= (int)one ? first->at[k] : second->at[k - (int)one - 1];
  pair.is_own = first->piece == second->piece;
  pair.thickness =
      ((double)s->pieces[first->piece].thickness + (double)s->pieces[second->piece].thickness) / 2;
  o->pairs[o->pair_count++] = pair;
}

static inline oracle oracle_of(const surface *s) {
  oracle o = {0};
  int64_t triangles = 0, segments = 0;
  for (int32_t p = 0; p < s->piece_count; p++) {
    triangles += s->pieces[p].triangle_count;
    segments += s->pieces[p].segment_count;
  }
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    o.of[kind] = surface_copy(NULL, 0, (size_t)(3 * triangles + 2 * segments) * sizeof **o.of);
  for (int32_t p = 0; p < s->piece_count; p++) {
    for (int32_t t = 0; t < s->pieces[p].triangle_count; t++) {
      const int32_t *at = s->pieces[p].triangles + 3 * t;
      for (int k = 0; k < 3; k++)
        oracle_take_edge(&o, p, at[k], at[(k + 1) % 3]);
      oracle_take(&o, SURFACE_TRIANGLES, (oracle_primitive){p, {at[0], at[1], at[2]}});
    }
    for (int32_t n = 0; n < s->pieces[p].segment_count; n++)
      oracle_take_edge(&o, p, s->pieces[p].segments[2 * n], s->pieces[p].segments[2 * n + 1]);
  }
  const int64_t edges = o.count[SURFACE_EDGES];
  o.pairs = surface_copy(
      NULL, 0,
      (size_t)(o.count[SURFACE_VERTICES] * (int64_t)o.count[SURFACE_TRIANGLES] + edges * edges / 2) *
          sizeof *o.pairs);
  for (int32_t v = 0; v < o.count[SURFACE_VERTICES]; v++)
    for (int32_t t = 0; t < o.count[SURFACE_TRIANGLES]; t++)
      oracle_pair_up(&o, s, SURFACE_VERTICES, v, SURFACE_TRIANGLES, t);
  for (int32_t a = 0; a < o.count[SURFACE_EDGES]; a++)
    for (int32_t b = a + 1; b < o.count[SURFACE_EDGES]; b++)
      oracle_pair_up(&o, s, SURFACE_EDGES, a, SURFACE_EDGES, b);
  return o;
}

static inline void oracle_free(oracle *o) {
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    free(o->of[kind]);
  free(o->pairs);
}

#endif

#include "scenes/meshes/mesh_cage.h"

#include "scenes/meshes/point.h"
#include "scenes/meshes/vertex_stars.h"

#include <stdlib.h>
#include <string.h>

/* The cosine of the most that the normal of a triangle may turn by, and what border_turn is at most where a
   vertex of a border goes: 45 degrees. */
static const double TURN_COSINE = 0.5, TURN_MOST = 0.586;

bool mesh_cage_make(const mesh_data *mesh, mesh_cage *cage) {
  const size_t vertices = (size_t)mesh->vertex_count, corners = CORNERS * (size_t)mesh->triangle_count;
  *cage = (mesh_cage){.vertices = malloc((vertices + 1) * sizeof *cage->vertices),
                      .masses = calloc(vertices + 1, sizeof *cage->masses),
                      .vertex_count = mesh->vertex_count,
                      .triangles = malloc((corners + 1) * sizeof *cage->triangles),
                      .triangle_count = mesh->triangle_count,
                      .vertex_of = malloc((vertices + 1) * sizeof *cage->vertex_of),
                      .original_count = mesh->vertex_count};
  if (!cage->vertices || !cage->masses || !cage->triangles || !cage->vertex_of) {
    mesh_cage_free(cage);
    return false;
  }
  memcpy(cage->vertices, mesh->vertices, vertices * sizeof *cage->vertices);
  memcpy(cage->triangles, mesh->triangles, corners * sizeof *cage->triangles);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    cage->vertex_of[v] = v;
  return true;
}

void mesh_cage_free(mesh_cage *cage) {
  free(cage->vertices);
  free(cage->masses);
  free(cage->triangles);
  free(cage->vertex_of);
  *cage = (mesh_cage){0};
}

/* ------------------------------------------------------------------------------------- what is where */

/* An edge at a vertex. */
typedef struct spoke {
  int32_t other;
  /* How many triangles it has here. */
  int32_t triangles;
  double length;
} spoke;

/* The state of one round. Stars are those of its beginning, and hold where nothing is touched. */
typedef struct merging {
  mesh_cage *cage;
  vertex_stars stars;
  bool *touched;
  /* What each vertex has become. */
  int32_t *into;
  /* Of both ends of the edge at hand: room for the most that a vertex has. */
  spoke *spokes[2];
  int32_t spoke_count[2];
} merging;

static const int32_t *triangle_of(const merging *m, int32_t triangle) {
  return m->cage->triangles + CORNERS * (size_t)triangle;
}

static bool begin_round(merging *m) {
  const mesh_cage *cage = m->cage;
  const size_t vertices = (size_t)cage->vertex_count;
  m->touched = calloc(vertices + 1, sizeof *m->touched);
  m->into = malloc((vertices + 1) * sizeof *m->into);
  if (!vertex_stars_make(cage->triangles, cage->triangle_count, cage->vertex_count, &m->stars) ||
      !m->touched || !m->into)
    return false;
  for (int32_t v = 0; v < cage->vertex_count; v++)
    m->into[v] = v;
  for (int end = 0; end < 2; end++)
    m->spokes[end] = malloc((2 * (size_t)m->stars.most + 1) * sizeof *m->spokes[end]);
  return m->spokes[0] && m->spokes[1];
}

static void end_round(merging *m) {
  vertex_stars_free(&m->stars);
  free(m->touched);
  free(m->into);
  free(m->spokes[0]);
  free(m->spokes[1]);
}

static double distance(const merging *m, int32_t a, int32_t b) {
  return point_length(point_minus(point_of(m->cage->vertices[a]), point_of(m->cage->vertices[b])));
}

static int compare_lengths(const void *a, const void *b) {
  const spoke *p = a, *q = b;
  if (p->length != q->length)
    return p->length < q->length ? -1 : 1;
  return (p->other > q->other) - (p->other < q->other);
}

static int compare_numbers(const void *a, const void *b) {
  const spoke *p = a, *q = b;
  return (p->other > q->other) - (p->other < q->other);
}

/* The edges at a vertex by the number of their other end. */
static void find_spokes(merging *m, int32_t vertex, int end) {
  spoke *spokes = m->spokes[end];
  int32_t count = 0, kept = 0;
  for (int32_t s = m->stars.first[vertex]; s < m->stars.first[vertex + 1]; s++)
    for (int c = 0; c < CORNERS; c++) {
      const int32_t other = triangle_of(m, m->stars.triangles[s])[c];
      if (other != vertex)
        spokes[count++] = (spoke){other, 1, 0};
    }
  qsort(spokes, (size_t)count, sizeof *spokes, compare_numbers);
  for (int32_t s = 0; s < count; s++) {
    if (kept > 0 && spokes[kept - 1].other == spokes[s].other)
      spokes[kept - 1].triangles++;
    else
      spokes[kept++] = spokes[s];
  }
  m->spoke_count[end] = kept;
}

static const spoke *find_spoke(const merging *m, int end, int32_t other) {
  const spoke key = {other, 0, 0};
  return bsearch(&key, m->spokes[end], (size_t)m->spoke_count[end], sizeof key, compare_numbers);
}

/* Whether an edge has a side without a triangle, or more than two triangles. */
static bool is_border(const spoke *s) {
  return s->triangles != 2;
}

static bool has_border(const merging *m, int end) {
  for (int32_t s = 0; s < m->spoke_count[end]; s++)
    if (is_border(&m->spokes[end][s]))
      return true;
  return false;
}

static bool has_corner(const int32_t *triangle, int32_t vertex) {
  return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* ------------------------------------------------------------------------------------- what may merge */

/* The corner of a triangle that follows one of its vertices by so many. */
static int32_t corner_after(const int32_t *triangle, int32_t vertex, int steps) {
  const int at = triangle[0] == vertex ? 0 : triangle[1] == vertex ? 1 : 2;
  return triangle[(at + steps) % CORNERS];
}

/* Whether a triangle at `b` without `a` has that edge opposite to it. */
static bool has_opposite(const merging *m, int32_t a, int32_t b, int32_t first, int32_t second) {
  for (int32_t s = m->stars.first[b]; s < m->stars.first[b + 1]; s++) {
    const int32_t *triangle = triangle_of(m, m->stars.triangles[s]);
    if (!has_corner(triangle, a) && has_corner(triangle, first) && has_corner(triangle, second))
      return true;
  }
  return false;
}

/* With the spokes of both ends at hand. */
static bool keeps_topology(const merging *m, int32_t a, int32_t b) {
  const spoke *edge = find_spoke(m, 0, b);
  int32_t shared = 0;
  for (int32_t s = 0; s < m->spoke_count[0]; s++) {
    const spoke *other = find_spoke(m, 1, m->spokes[0][s].other);
    shared += other != NULL;
    /* An ear, or a hole of three edges, would have no inside any more. */
    if (other != NULL && is_border(other) && is_border(&m->spokes[0][s]))
      return false;
  }
  if (shared != edge->triangles || edge->triangles > 2)
    return false;
  if (!is_border(edge) && has_border(m, 0) && has_border(m, 1))
    return false;
  for (int32_t s = m->stars.first[a]; s < m->stars.first[a + 1]; s++) {
    const int32_t *triangle = triangle_of(m, m->stars.triangles[s]);
    if (!has_corner(triangle, b) &&
        has_opposite(m, a, b, corner_after(triangle, a, 1), corner_after(triangle, a, 2)))
      return false;
  }
  return true;
}

/* Whether the triangles of one end that stay keep their side when it goes to a place. */
static bool keeps_normals(const merging *m, int32_t end, int32_t other, point to) {
  for (int32_t s = m->stars.first[end]; s < m->stars.first[end + 1]; s++) {
    const int32_t *triangle = triangle_of(m, m->stars.triangles[s]);
    point before[CORNERS], after[CORNERS];
    if (has_corner(triangle, other))
      continue;
    for (int c = 0; c < CORNERS; c++) {
      before[c] = point_of(m->cage->vertices[triangle[c]]);
      after[c] = triangle[c] == end ? to : before[c];
    }
    const point was = point_cross(point_minus(before[1], before[0]), point_minus(before[2], before[0]));
    const point is = point_cross(point_minus(after[1], after[0]), point_minus(after[2], after[0]));
    if (!(point_dot(was, is) > TURN_COSINE * sqrt(point_dot(was, was) * point_dot(is, is))))
      return false;
  }
  return true;
}

/* How much a border turns at one end of an edge on it: four times the square of the sine of half of it, and
   more where several borders meet. */
static double border_turn(const merging *m, int32_t vertex, int end) {
  const point here = point_of(m->cage->vertices[vertex]);
  point sum = {0, 0, 0};
  int count = 0;
  for (int32_t s = 0; s < m->spoke_count[end]; s++) {
    if (!is_border(&m->spokes[end][s]))
      continue;
    const point to = point_minus(point_of(m->cage->vertices[m->spokes[end][s].other]), here);
    sum = point_plus(sum, 1 / point_length(to), to);
    count++;
  }
  return count == 2 ? point_dot(sum, sum) : 8;
}

/* Where an edge goes; false where neither end of one on a border may leave its place. */
static bool find_place(const merging *m, int32_t a, int32_t b, point *place) {
  const point at_a = point_of(m->cage->vertices[a]), at_b = point_of(m->cage->vertices[b]);
  const bool a_is_kept = has_border(m, 0), b_is_kept = has_border(m, 1);
  if (a_is_kept && b_is_kept) {
    const double turn_a = border_turn(m, a, 0), turn_b = border_turn(m, b, 1);
    *place = turn_a >= turn_b ? at_a : at_b;
    return fmin(turn_a, turn_b) <= TURN_MOST;
  }
  const double mass = m->cage->masses[a] + m->cage->masses[b];
  const double part = a_is_kept ? 0 : b_is_kept ? 1 : m->cage->masses[b] / mass;
  *place = point_plus(at_a, part, point_minus(at_b, at_a));
  return true;
}

/* ------------------------------------------------------------------------------------- one round */

static void touch(merging *m, int end) {
  for (int32_t s = 0; s < m->spoke_count[end]; s++)
    m->touched[m->spokes[end][s].other] = true;
}

/* b goes into a. Triangles at the edge are left with two corners alike. */
static void merge(merging *m, int32_t a, int32_t b, point to) {
  mesh_cage *cage = m->cage;
  cage->vertices[a] = point_as_vec3(to);
  cage->masses[a] += cage->masses[b];
  m->into[b] = a;
  m->touched[a] = m->touched[b] = true;
  touch(m, 0);
  touch(m, 1);
}

static bool try_edge(merging *m, int32_t a, int32_t b) {
  if (m->touched[b])
    return false;
  find_spokes(m, a, 0);
  find_spokes(m, b, 1);
  point to;
  if (!keeps_topology(m, a, b) || !find_place(m, a, b, &to))
    return false;
  if (!keeps_normals(m, a, b, to) || !keeps_normals(m, b, a, to))
    return false;
  merge(m, a < b ? a : b, a < b ? b : a, to);
  return true;
}

/* The edges of one vertex, the shortest first. */
static bool merge_at(merging *m, int32_t vertex, spoke *edges) {
  find_spokes(m, vertex, 0);
  const int32_t count = m->spoke_count[0];
  memcpy(edges, m->spokes[0], (size_t)count * sizeof *edges);
  for (int32_t s = 0; s < count; s++)
    edges[s].length = distance(m, vertex, edges[s].other);
  qsort(edges, (size_t)count, sizeof *edges, compare_lengths);
  for (int32_t s = 0; s < count; s++)
    if (try_edge(m, vertex, edges[s].other))
      return true;
  return false;
}

typedef struct candidate {
  double demand;
  int32_t vertex;
} candidate;

static int compare_candidates(const void *a, const void *b) {
  const candidate *p = a, *q = b;
  if (p->demand != q->demand)
    return p->demand > q->demand ? -1 : 1;
  return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool merge_candidates(merging *m, const double *demands, int32_t *merged) {
  const int32_t vertices = m->cage->vertex_count;
  int32_t count = 0;
  candidate *candidates = malloc(((size_t)vertices + 1) * sizeof *candidates);
  spoke *edges = malloc((2 * (size_t)m->stars.most + 1) * sizeof *edges);
  const bool has_memory = candidates && edges;
  for (int32_t v = 0; has_memory && v < vertices; v++)
    if (demands[v] > 1)
      candidates[count++] = (candidate){demands[v], v};
  if (has_memory)
    qsort(candidates, (size_t)count, sizeof *candidates, compare_candidates);
  for (int32_t n = 0; n < count; n++)
    if (!m->touched[candidates[n].vertex])
      *merged += merge_at(m, candidates[n].vertex, edges);
  free(candidates);
  free(edges);
  return has_memory;
}

/* Counts the vertices and triangles that are left without gaps. */
static void close_gaps(merging *m) {
  mesh_cage *cage = m->cage;
  int32_t vertices = 0, triangles = 0;
  /* Stars are not needed any more, and their starts are as many as vertices. */
  int32_t *number = m->stars.first;
  for (int32_t v = 0; v < cage->vertex_count; v++) {
    if (m->into[v] != v)
      continue;
    cage->vertices[vertices] = cage->vertices[v];
    cage->masses[vertices] = cage->masses[v];
    number[v] = vertices++;
  }
  for (int32_t o = 0; o < cage->original_count; o++)
    cage->vertex_of[o] = number[m->into[cage->vertex_of[o]]];
  for (int32_t t = 0; t < cage->triangle_count; t++) {
    int32_t corners[CORNERS];
    for (int c = 0; c < CORNERS; c++)
      corners[c] = number[m->into[triangle_of(m, t)[c]]];
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
      continue;
    memcpy(cage->triangles + CORNERS * (size_t)triangles++, corners, sizeof corners);
  }
  cage->vertex_count = vertices;
  cage->triangle_count = triangles;
}

bool mesh_cage_merge(mesh_cage *cage, const double *demands, int32_t *merged) {
  merging m = {.cage = cage};
  *merged = 0;
  const bool done = begin_round(&m) && merge_candidates(&m, demands, merged);
  if (done && *merged > 0)
    close_gaps(&m);
  end_round(&m);
  return done;
}

#include "scenes/loader/boundary.h"

#include "scenes/loader/distance.h"
#include "scenes/loader/particle_name.h"

#include <math.h>
#include <stdlib.h>

enum { CORNERS = 3 };

#define BORDER_TEXT                                                                                          \
  "a list of particles such as [3, 4, 5], or { \"along\": [3, 17] } for the border between two"

/* ----------------------------------------------------------------------------------------------- the border */

/* An edge of a triangle, without a direction. */
typedef struct edge {
  int32_t low, high;
} edge;

/* Of the particles of a body, from 0: those before and behind each along the border, and how many these are. */
typedef struct border {
  const msd_world *world;
  const scene_body *body;
  int32_t (*next_to)[2];
  int32_t *degree;
} border;

static int compare_edges(const void *left, const void *right) {
  const edge *a = left, *b = right;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

static void join(border *b, int32_t from, int32_t to) {
  if (b->degree[from] < 2)
    b->next_to[from][b->degree[from]] = to;
  b->degree[from]++;
}

static void border_free(border *b) {
  free(b->next_to);
  free(b->degree);
}

/* Edges that only one triangle has are the border. False when out of memory. */
static bool border_make(const msd_world *world, const scene_body *body, border *b) {
  const size_t count = (size_t)CORNERS * (size_t)body->triangle_count, all = (size_t)body->particles.count;
  edge *edges = malloc((count + 1) * sizeof *edges);
  *b = (border){world, body, malloc((all + 1) * sizeof *b->next_to), calloc(all + 1, sizeof *b->degree)};
  if (!edges || !b->next_to || !b->degree) {
    free(edges);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const int32_t first = body->particles.first, from = body->triangles[i] - first,
                  to = body->triangles[i % CORNERS == 2 ? i - 2 : i + 1] - first;
    edges[i] = (edge){from < to ? from : to, from < to ? to : from};
  }
  qsort(edges, count, sizeof *edges, compare_edges);
  for (size_t start = 0, end; start < count; start = end) {
    for (end = start + 1; end < count && compare_edges(&edges[start], &edges[end]) == 0;)
      end++;
    if (end - start == 1) {
      join(b, edges[start].low, edges[start].high);
      join(b, edges[start].high, edges[start].low);
    }
  }
  free(edges);
  return true;
}

/* A way along it, from one particle to another. */
typedef struct border_way {
  bool arrives, leads_over;
  int32_t count;
  /* m */
  double length;
} border_way;

/* m */
static double edge_length(const border *b, int32_t from, int32_t to) {
  const int32_t first = b->body->particles.first;
  return particle_distance(b->world, first + from, first + to);
}

/* Goes from `from` to `to`, to one side or the other; keeps the particles where `kept` is not NULL. It ends
   where borders meet, and where it has come round. */
static border_way go(const border *b, int32_t from, int32_t to, int32_t over, int side, int32_t *kept) {
  border_way way = {.count = 1};
  int32_t before = from, at = b->next_to[from][side];
  if (kept)
    kept[0] = from;
  way.length = edge_length(b, from, at);
  for (;; way.count++) {
    if (kept)
      kept[way.count] = at;
    way.leads_over = way.leads_over || at == over;
    if (at == to || at == from || b->degree[at] != 2)
      break;
    const int32_t next = b->next_to[at][b->next_to[at][0] == before ? 1 : 0];
    way.length += edge_length(b, at, next);
    before = at;
    at = next;
  }
  way.arrives = at == to;
  way.count++;
  return way;
}

/* ----------------------------------------------------------------------------------------------- reading it */

static bool fail_way(const json_place *list, const border *b, int32_t from, int32_t to, int32_t over) {
  const int32_t named[] = {from, to, over};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (named[i] >= 0 && b->degree[named[i]] == 0)
      return place_fail(list,
                        "names a particle that is on no border: border edges have one triangle; name others");
    else if (named[i] >= 0 && b->degree[named[i]] != 2)
      return place_fail(list, "names a particle where borders meet; name others, or list the particles");
  return place_fail(list, "names particles that no border leads %s; name others, or list the particles",
                    over < 0 ? "between" : "between by way of the middle one");
}

static bool follow(const json_place *list, const border *b, int32_t from, int32_t to, int32_t over,
                   particle_line *line) {
  border_way ways[2] = {{0}};
  int best = -1;
  for (int side = 0; side < 2 && b->degree[from] == 2; side++) {
    ways[side] = go(b, from, to, over, side, NULL);
    if (ways[side].arrives && (over < 0 || ways[side].leads_over) &&
        (best < 0 || ways[side].length < ways[best].length))
      best = side;
  }
  if (best < 0)
    return fail_way(list, b, from, to, over);
  if (over < 0 && fabs(ways[0].length - ways[1].length) <= 1e-6 * ways[best].length)
    return place_fail(list, "both ways along the border are %.6g m long; name one between, as [3, 8, 17]",
                      ways[best].length);
  line->particles = malloc((size_t)ways[best].count * sizeof *line->particles);
  if (!line->particles)
    return place_out_of_memory(list);
  line->count = ways[best].count;
  go(b, from, to, over, best, line->particles);
  for (int32_t i = 0; i < line->count; i++)
    line->particles[i] += b->body->particles.first;
  return true;
}

static bool read_along(const json_place *place, const msd_world *world, const scene_body *body,
                       particle_line *line) {
  static const char *const keys[] = {"along", NULL};
  const char *text = "two particles of a border, or three with one between them";
  const json_place list = place_member(place, "along");
  int32_t named[3];
  if (!place_check_object(place, keys) || !place_check_array(&list, text))
    return false;
  const size_t size = json_array_size(list.value);
  if (size != 2 && size != 3)
    return place_fail_type(&list, text);
  for (size_t i = 0; i < size; i++) {
    const json_place item = place_item(&list, i);
    if (!particle_read(&item, world, body, &named[i]))
      return false;
    named[i] -= world ? body->particles.first : 0;
  }
  if (!world)
    return true;
  const int32_t from = named[0], to = named[size - 1], over = size == 3 ? named[1] : -1;
  if (from == to || from == over || to == over)
    return place_fail(&list, "names a particle twice; it must be %s", text);
  border b;
  const bool done =
      border_make(world, body, &b) ? follow(&list, &b, from, to, over, line) : place_out_of_memory(&list);
  border_free(&b);
  return done;
}

static bool append(const json_place *place, const int32_t *particles, int32_t count, particle_line *line) {
  int32_t *larger = realloc(line->particles, ((size_t)line->count + (size_t)count + 1) * sizeof *larger);
  if (!larger)
    return place_out_of_memory(place);
  line->particles = larger;
  for (int32_t i = 0; i < count; i++)
    line->particles[line->count++] = particles[i];
  return true;
}

static bool read_list_of(const json_place *list, const msd_world *world, const scene_body *body,
                         particle_line *line) {
  if (json_array_size(list->value) == 0)
    return place_fail(list, "is empty; it must be %s", BORDER_TEXT);
  for (size_t i = 0; i < json_array_size(list->value); i++) {
    const json_place item = place_item(list, i);
    int32_t count = 0;
    if (!world && !particles_check(&item, body))
      return false;
    int32_t *chosen = world ? particles_read(&item, world, body, &count) : NULL;
    const bool done = !world || (chosen && append(list, chosen, count, line));
    free(chosen);
    if (!done)
      return false;
  }
  return true;
}

bool border_read(const json_place *place, const msd_world *world, const scene_body *body,
                 particle_line *line) {
  *line = (particle_line){0};
  if (json_is_object(place->value))
    return read_along(place, world, body, line);
  return json_is_array(place->value) ? read_list_of(place, world, body, line)
                                     : place_fail_type(place, BORDER_TEXT);
}

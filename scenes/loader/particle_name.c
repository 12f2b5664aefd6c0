#include "scenes/loader/particle_name.h"

#include "scenes/input/suggestion.h"
#include "scenes/loader/particle_selector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A name asks for particles at all of its sides. */
enum {
  SIDE_TOP = 1 << 0,
  SIDE_BOTTOM = 1 << 1,
  SIDE_LEFT = 1 << 2,
  SIDE_RIGHT = 1 << 3,
  SIDE_FIRST = 1 << 4,
  SIDE_LAST = 1 << 5,
  SIDE_NONE = 0
};

static const char *const names_of_lines[] = {"first", "last", "all", NULL};
static const char *const names_of_surfaces[] = {"first",     "last",        "all",          "top",
                                                "bottom",    "left",        "right",        "top_left",
                                                "top_right", "bottom_left", "bottom_right", NULL};

static const char *const *names_of_kind(const char *kind) {
  bool line = strcmp(kind, "rope") == 0 || strcmp(kind, "particles") == 0;
  return line ? names_of_lines : names_of_surfaces;
}

static const quantity index_of_particle = {"a particle's index, a whole number", -NUMBER_LARGEST,
                                           NUMBER_LARGEST};

static unsigned sides_of_name(const char *name) {
  if (strcmp(name, "first") == 0)
    return SIDE_FIRST;
  if (strcmp(name, "last") == 0)
    return SIDE_LAST;
  unsigned sides = SIDE_NONE;
  if (strncmp(name, "top", 3) == 0)
    sides |= SIDE_TOP;
  if (strncmp(name, "bottom", 6) == 0)
    sides |= SIDE_BOTTOM;
  if (strstr(name, "left"))
    sides |= SIDE_LEFT;
  if (strstr(name, "right"))
    sides |= SIDE_RIGHT;
  return sides;
}

typedef struct extent {
  double left, right, bottom, top;
} extent;

static extent find_extent(const msd_world *world, msd_range particles) {
  extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (int32_t i = 0; i < particles.count; i++) {
    msd_vec3 p = msd_particle_get_position(world, particles.first + i);
    e.left = fmin(e.left, (double)p.x);
    e.right = fmax(e.right, (double)p.x);
    e.bottom = fmin(e.bottom, (double)p.y);
    e.top = fmax(e.top, (double)p.y);
  }
  double most[4] = {fmax(-e.left, -DBL_MAX), fmax(e.right, -DBL_MAX), fmax(-e.bottom, -DBL_MAX),
                    fmax(e.top, -DBL_MAX)};
  msd_world_all_reduce_max(world, most, 4);
  return (extent){-most[0], most[1], -most[2], most[3]};
}

/* The sides of a mesh or block are where it reaches furthest along x and y, to a millionth of its size. */
static unsigned sides_by_place(extent e, msd_vec3 p) {
  double across = 1e-6 * (e.right - e.left), up = 1e-6 * (e.top - e.bottom), x = (double)p.x, y = (double)p.y;
  return (y >= e.top - up ? SIDE_TOP : 0u) | (y <= e.bottom + up ? SIDE_BOTTOM : 0u) |
         (x <= e.left + across ? SIDE_LEFT : 0u) | (x >= e.right - across ? SIDE_RIGHT : 0u);
}

static unsigned sides_in_grid(const scene_body *body, int32_t index) {
  int32_t row = index / body->columns, column = index % body->columns;
  return (row == 0 ? SIDE_TOP : 0u) | (row == body->rows - 1 ? SIDE_BOTTOM : 0u) |
         (column == 0 ? SIDE_LEFT : 0u) | (column == body->columns - 1 ? SIDE_RIGHT : 0u);
}

static int32_t *select_named(const msd_world *world, const scene_body *body, const char *name,
                             int32_t *count) {
  msd_range all = body->particles;
  int32_t *chosen = malloc(((size_t)all.count + 1) * sizeof *chosen);
  if (!chosen)
    return NULL;
  unsigned wanted = sides_of_name(name);
  bool grid = body->columns > 0;
  extent e = grid ? (extent){0} : find_extent(world, all);
  *count = 0;
  for (int32_t i = 0; i < all.count; i++) {
    const int32_t number = i + body->skipped;
    unsigned sides =
        (number == 0 ? SIDE_FIRST : 0u) | (number == scene_body_whole(body) - 1 ? SIDE_LAST : 0u);
    sides |= grid ? sides_in_grid(body, number)
                  : sides_by_place(e, msd_particle_get_position(world, all.first + i));
    if ((sides & wanted) == wanted)
      chosen[(*count)++] = all.first + i;
  }
  return chosen;
}

static bool read_index(const json_place *place, const scene_body *body, int32_t *particle) {
  double index = 0;
  if (!place_get_whole(place, &index_of_particle, &index))
    return false;
  const int32_t *of_vertex = body->particle_of_vertex,
                count = of_vertex ? body->vertex_count : scene_body_whole(body);
  if (index < 0 || index >= count)
    return place_fail(place, "there is no %s %.9g; this body has 0 to %d", of_vertex ? "vertex" : "particle",
                      index, (int)count - 1);
  *particle = of_vertex ? of_vertex[(int32_t)index] : body->particles.first + (int32_t)index;
  return *particle >= 0 ||
         place_fail(place, "vertex %.9g belongs to no face with an area, and is left out; name another",
                    index);
}

bool particles_check(const json_place *place, const scene_body *body) {
  if (strcmp(body->kind, "rotors") == 0)
    return place_fail(place, "names a particle of \"%.60s\", which is a body of type rotors and has none",
                      body->name);
  if (json_is_object(place->value))
    return selector_check(place, body);
  if (json_is_number(place->value)) {
    double ignored;
    return place_get_whole(place, &index_of_particle, &ignored);
  }
  if (!json_is_string(place->value))
    return place_fail_type(place, "a particle's index, a name such as \"first\", or a box, sphere or group");
  const char *name = json_string_value(place->value), *const *names = names_of_kind(body->kind);
  if (word_index(name, names) >= 0)
    return true;
  char suggestion[SUGGESTION_MAX];
  suggest_word(suggestion, name, names);
  return place_fail(place, "\"%.40s\" names no particle of this body; %s", name, suggestion);
}

int32_t *particles_read(const json_place *place, const msd_world *world, const scene_body *body,
                        int32_t *count) {
  int32_t particle = 0;
  if (!particles_check(place, body))
    return NULL;
  if (json_is_object(place->value))
    return selector_read(place, world, body, count);
  if (json_is_string(place->value)) {
    int32_t *named = select_named(world, body, json_string_value(place->value), count);
    if (!named)
      place_out_of_memory(place);
    return named;
  }
  if (!read_index(place, body, &particle))
    return NULL;
  int32_t *one = malloc(sizeof *one);
  if (!one) {
    place_out_of_memory(place);
    return NULL;
  }
  *one = particle - body->skipped;
  *count = *one >= body->particles.first && *one < body->particles.first + body->particles.count;
  return one;
}

bool particle_read(const json_place *place, const msd_world *world, const scene_body *body,
                   int32_t *particle) {
  *particle = -1;
  if (!world)
    return particles_check(place, body);
  int32_t count = 0;
  int32_t *chosen = particles_read(place, world, body, &count);
  if (!chosen)
    return false;
  bool one = count == 1;
  if (one)
    *particle = chosen[0];
  else
    place_fail(place,
               "means %d particles of \"%.60s\"; a spring needs one: give an index, \"first\" or \"last\"",
               (int)count, body->name);
  free(chosen);
  return one;
}

#include "scenes/loader/scene.h"

#include <stdio.h>
#include <string.h>

static bool contains(msd_range range, int32_t index) {
  return index >= range.first && index - range.first < range.count;
}

static const scene_body *body_of_particle(const scene *s, int32_t particle) {
  for (int i = 0; i < s->body_count; i++)
    if (contains(s->bodies[i].particles, particle))
      return &s->bodies[i];
  return NULL;
}

static const scene_body *body_of_spring(const scene *s, int32_t spring) {
  for (int i = 0; i < s->body_count; i++)
    if (contains(s->bodies[i].springs, spring))
      return &s->bodies[i];
  return NULL;
}

static const char *group_of_spring(const scene_body *body, int32_t spring) {
  for (int g = 0; g < body->group_count; g++)
    if (contains(body->groups[g].springs, spring))
      return body->groups[g].name;
  return "";
}

/* The number of the first vertex of the file that became particle i of a body; i itself where all did. */
static int32_t number_in_file(const scene_body *body, int32_t i) {
  int32_t vertex = 0;
  while (vertex < body->vertex_count && body->particle_of_vertex[vertex] != body->particles.first + i)
    vertex++;
  return vertex < body->vertex_count ? vertex : i;
}

/* Where a particle is in its body. */
static void describe_place(const scene_body *body, int32_t particle, char *text, size_t size) {
  int32_t i = particle - body->particles.first;
  if (body->columns > 0) {
    snprintf(text, size, "row %d column %d", (int)(i / body->columns), (int)(i % body->columns));
  } else if (body->cells[0] > 0) {
    int32_t nx = body->cells[0] + 1, ny = body->cells[1] + 1;
    snprintf(text, size, "point (%d, %d, %d)", (int)(i % nx), (int)(i / nx % ny), (int)(i / nx / ny));
  } else {
    const char *what = body->triangle_count > 0 ? "vertex" : "particle";
    snprintf(text, size, "%s %d", what, (int)number_in_file(body, i));
  }
}

/* A part is where what it was split from is. */
void scene_describe_particle(const scene *s, int32_t particle, char *text, size_t size) {
  const int32_t origin = msd_particle_get_origin(s->world, particle);
  const scene_body *body = body_of_particle(s, origin);
  if (!body) {
    snprintf(text, size, "particle %d, which does not exist", (int)particle);
    return;
  }
  char place[64];
  describe_place(body, origin, place, sizeof place);
  snprintf(text, size, "%s \"%s\" %s", body->kind, body->name, place);
}

static void describe_connection(const scene *s, const msd_spring_def *def, char *text, size_t size) {
  char a[128], b[128];
  scene_describe_particle(s, def->a, a, sizeof a);
  scene_describe_particle(s, def->b, b, sizeof b);
  snprintf(text, size, "joint, %s to %s", a, b);
}

void scene_describe_spring(const scene *s, int32_t spring, char *text, size_t size) {
  if (spring < 0 || spring >= msd_world_get_spring_count(s->world)) {
    snprintf(text, size, "spring %d, which does not exist", (int)spring);
    return;
  }
  msd_spring_def def = msd_spring_get_def(s->world, spring);
  const scene_body *body = body_of_spring(s, spring);
  if (!body) {
    describe_connection(s, &def, text, size);
    return;
  }
  char a[64], b[64];
  describe_place(body, msd_particle_get_origin(s->world, def.a), a, sizeof a);
  describe_place(body, msd_particle_get_origin(s->world, def.b), b, sizeof b);
  const char *group = group_of_spring(body, spring);
  if (strcmp(group, "tethers") == 0) {
    snprintf(text, size, "%s \"%s\" tether, %s to %s", body->kind, body->name, a, b);
    return;
  }
  const char *kind = strcmp(group, "springs") == 0 ? "" : group;
  snprintf(text, size, "%s \"%s\" %s%sspring, %s to %s", body->kind, body->name, kind, kind[0] ? " " : "", a,
           b);
}

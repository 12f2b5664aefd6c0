#include "render/paint/pins.h"

#include <math.h>
#include <stdlib.h>

/* The radius of a rod relative to the size of the scene. */
#define ROD_RADIUS 0.0045f

/* Makes room for one more than `count` items. */
static bool grow(void **items, int32_t count, int32_t *capacity, size_t size) {
  if (count < *capacity)
    return true;
  int32_t wanted = *capacity > 0 ? *capacity + *capacity / 2 : 64;
  void *larger = realloc(*items, (size_t)wanted * size);
  if (larger == NULL)
    return false;
  *items = larger;
  *capacity = wanted;
  return true;
}

static void add_ball(pins *p, int32_t particle, float radius) {
  void *balls = p->balls;
  if (grow(&balls, p->ball_count, &p->ball_capacity, sizeof *p->balls))
    ((topology_ball *)balls)[p->ball_count++] = (topology_ball){particle, radius, LOOK_PIN};
  p->balls = balls;
}

static void add_rod(pins *p, int32_t a, const topology_link *link, float radius) {
  void *rods = p->rods;
  if (grow(&rods, p->rod_count, &p->rod_capacity, sizeof *p->rods))
    ((topology_strand *)rods)[p->rod_count++] =
        (topology_strand){a, a, link->other, link->other, link->measure, radius, LOOK_PIN, link->value};
  p->rods = rods;
}

static bool is_on_surface(const topology *t, int32_t particle) {
  return t->fans[particle].last_corner > t->fans[particle].first_corner;
}

static int pinned_neighbors(const scene *s, const topology *t, int32_t particle) {
  int count = 0;
  for (int32_t i = t->fans[particle].first_link; i < t->fans[particle].last_link; i++)
    count += t->links[i].other >= 0 && msd_particle_is_pinned(s->world, t->links[i].other);
  return count;
}

/* Pins are in a row where they form a line, or along an edge of the surface; not where they fill an area. */
static bool is_row(const scene *s, const topology *t, int32_t a, int32_t b) {
  return (pinned_neighbors(s, t, a) <= 2 && pinned_neighbors(s, t, b) <= 2) ||
         edge_set_has(&t->creases.edges, a, b);
}

static void add_pin(pins *p, const scene *s, const topology *t, float rod, int32_t particle) {
  bool is_in_row = false;
  for (int32_t i = t->fans[particle].first_link;
       is_on_surface(t, particle) && i < t->fans[particle].last_link; i++) {
    int32_t other = t->links[i].other;
    if (other < 0 || !msd_particle_is_pinned(s->world, other) || !is_on_surface(t, other) ||
        !is_row(s, t, particle, other))
      continue;
    is_in_row = true;
    if (particle < other)
      add_rod(p, particle, &t->links[i], rod);
  }
  add_ball(p, particle, is_in_row ? rod : t->pin_radii[particle]);
}

void pins_find(pins *p, const scene *s, const topology *t, float size) {
  p->ball_count = p->rod_count = 0;
  for (int b = 0; b < s->body_count; b++) {
    msd_range range = s->bodies[b].particles;
    for (int32_t i = range.first; i < range.first + range.count && !s->bodies[b].is_collider; i++)
      if (msd_particle_is_pinned(s->world, i))
        add_pin(p, s, t, ROD_RADIUS * size, i);
  }
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits, with an index instead of each byte. */
uint64_t pins_number(const msd_world *world) {
  uint64_t number = 0xcbf29ce484222325u;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    if (msd_particle_is_pinned(world, i))
      number = (number ^ (uint64_t)i) * 0x100000001b3u;
  return number;
}

void pins_free(pins *p) {
  free(p->balls);
  free(p->rods);
  *p = (pins){0};
}

#include "render/paint/topology.h"

#include "render/paint/buckets.h"
#include "scenes/loader/render_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int kind_of_group(const scene_group *group) {
  if (strcmp(group->name, "shear") == 0)
    return KIND_SHEAR;
  if (strcmp(group->name, "bend") == 0)
    return KIND_BEND;
  if (scene_group_is_beside(group))
    return KIND_TETHERS;
  return strcmp(group->name, "springs") == 0 ? KIND_SPRINGS : KIND_STRETCH;
}

bool topology_shows_strain(int kind) {
  return kind == KIND_STRETCH || kind == KIND_SPRINGS || kind == KIND_JOINTS;
}

/* Room for `count` zeroed items; NULL only when memory is short. */
static void *items(int64_t count, size_t size) {
  return calloc(count > 0 ? (size_t)count : 1, size);
}

static bool make_lines(const scene *s, topology *t) {
  t->line_count = msd_world_get_spring_count(s->world);
  t->lines = items(t->line_count, sizeof *t->lines);
  if (t->lines == NULL)
    return false;
  for (int32_t i = 0; i < t->line_count; i++) {
    msd_spring_def def = msd_spring_get_def(s->world, i);
    bool is_broken = msd_spring_is_broken(s->world, i);
    t->lines[i] = (topology_line){def.a, is_broken ? def.a : def.b, (float)def.rest_length, KIND_JOINTS};
  }
  for (int b = 0; b < s->body_count; b++) {
    for (int g = 0; g < s->bodies[b].group_count; g++) {
      scene_group group = s->bodies[b].groups[g];
      for (int32_t i = 0; i < group.springs.count; i++)
        t->lines[group.springs.first + i].kind = kind_of_group(&group);
    }
  }
  for (int32_t i = 0; i < t->line_count; i++)
    t->kinds[t->lines[i].kind] |= t->lines[i].a != t->lines[i].b;
  return true;
}

static bool make_surfaces(const scene *s, topology *t, const edge_set *broken) {
  t->indices = items(t->creases.corner_count, sizeof *t->indices);
  t->surfaces = items(s->body_count, sizeof *t->surfaces);
  if (t->indices == NULL || t->surfaces == NULL)
    return false;
  const int32_t *vertices = t->creases.corners;
  for (int b = 0; b < s->body_count; b++) {
    int32_t first = t->index_count;
    for (int32_t i = 0; i < shown_triangle_count(&s->bodies[b]); i++, vertices += 3) {
      if (shown_is_torn(s, broken, &s->bodies[b], i))
        continue;
      for (int c = 0; c < 3; c++)
        t->indices[t->index_count++] = (uint32_t)vertices[c];
    }
    if (t->index_count > first)
      t->surfaces[t->surface_count++] = (topology_surface){b, first, t->index_count - first};
  }
  return true;
}

static bool make_corners(topology *t) {
  buckets at;
  t->corners = items(t->index_count, sizeof *t->corners);
  if (t->corners == NULL ||
      !buckets_make(&at, (const int32_t *)t->indices, t->index_count, t->creases.vertex_count))
    return false;
  t->corner_count = t->index_count;
  for (int32_t v = 0; v < t->creases.vertex_count; v++) {
    t->fans[v].first_corner = at.first[v];
    t->fans[v].last_corner = at.first[v + 1];
  }
  for (int32_t i = 0; i < t->corner_count; i++) {
    const uint32_t *triangle = t->indices + at.order[i] - at.order[i] % 3;
    int32_t corner[3];
    for (int c = 0; c < 3; c++)
      corner[c] = t->creases.points[triangle[(at.order[i] + c) % 3]];
    t->corners[i] = (topology_corner){corner[0], corner[1], corner[2]};
  }
  buckets_free(&at);
  return true;
}

static bool is_link(const topology_line *line) {
  return line->a != line->b && line->rest_length > 0 && topology_shows_strain(line->kind);
}

static bool is_stretchable_fiber(const msd_world *world, int32_t constraint) {
  const msd_constraint_def def = msd_constraint_get_def(world, constraint);
  return def.kind == MSD_CONSTRAINT_FIBER && def.rest > 0 && !msd_constraint_is_broken(world, constraint);
}

static bool find_fibers(const scene *s, topology *t) {
  const int32_t constraints = msd_world_get_constraint_count(s->world);
  for (int32_t c = 0; c < constraints; c++)
    t->fiber_count += is_stretchable_fiber(s->world, c);
  t->fibers = items(t->fiber_count, sizeof *t->fibers);
  for (int32_t c = 0, n = 0; t->fibers != NULL && n < t->fiber_count; c++)
    if (is_stretchable_fiber(s->world, c))
      t->fibers[n++] = c;
  return t->fibers != NULL;
}

enum { FIBER_CORNERS = 4 };

/* The particles of both ends of all springs, then of all corners of all fibers; -1 of those that are no link.
   Their number goes to *count. */
static int32_t *link_ends(const scene *s, const topology *t, int32_t *count) {
  const int64_t all = 2 * (int64_t)t->line_count + FIBER_CORNERS * (int64_t)t->fiber_count;
  int32_t *ends = all <= INT32_MAX ? items(all, sizeof *ends) : NULL;
  *count = (int32_t)all;
  if (ends == NULL)
    return NULL;
  for (int32_t i = 0; i < t->line_count; i++) {
    ends[2 * i] = is_link(&t->lines[i]) ? t->lines[i].a : -1;
    ends[2 * i + 1] = is_link(&t->lines[i]) ? t->lines[i].b : -1;
  }
  int32_t *corners = ends + 2 * (ptrdiff_t)t->line_count;
  for (int32_t n = 0; n < t->fiber_count; n++) {
    const msd_constraint_def def = msd_constraint_get_def(s->world, t->fibers[n]);
    for (int c = 0; c < FIBER_CORNERS; c++)
      *corners++ = def.particles[c];
  }
  return ends;
}

static topology_link link_at(const scene *s, const topology *t, const int32_t *ends, int32_t end) {
  const int32_t corner = end - 2 * t->line_count;
  if (corner < 0)
    return (topology_link){ends[end % 2 == 0 ? end + 1 : end - 1], end / 2, t->lines[end / 2].rest_length,
                           ends[end]};
  const int32_t n = corner / FIBER_CORNERS;
  const msd_constraint_def def = msd_constraint_get_def(s->world, t->fibers[n]);
  return (topology_link){-1, t->line_count + n, fabsf((float)def.weights[corner % FIBER_CORNERS]), ends[end]};
}

static bool make_links(const scene *s, topology *t) {
  int32_t end_count, *ends = link_ends(s, t, &end_count);
  buckets at = {0};
  bool done = ends != NULL && buckets_make(&at, ends, end_count, t->particles);
  t->link_count = done ? at.first[t->particles] : 0;
  t->links = items(t->link_count, sizeof *t->links);
  done = done && t->links != NULL;
  for (int32_t p = 0; done && p < t->particles; p++) {
    t->fans[p].first_link = at.first[p];
    t->fans[p].last_link = at.first[p + 1];
  }
  for (int32_t i = 0; done && i < t->link_count; i++)
    t->links[i] = link_at(s, t, ends, at.order[i]);
  for (int32_t p = t->particles; done && p < t->points; p++) {
    t->fans[p].first_link = t->fans[t->particle_of[p]].first_link;
    t->fans[p].last_link = t->fans[t->particle_of[p]].last_link;
  }
  free(ends);
  buckets_free(&at);
  return done;
}

/* ------------------------------------------------------------------------------- strands and balls */

/* The mean rest length of unbroken springs in m; 0 without any. */
static float mean_rest_length(const topology *t, msd_range springs) {
  double sum = 0;
  int32_t count = 0;
  for (int32_t i = springs.first; i < springs.first + springs.count; i++) {
    if (t->lines[i].a != t->lines[i].b) {
      sum += (double)t->lines[i].rest_length;
      count++;
    }
  }
  return count > 0 ? (float)(sum / count) : 0;
}

static void add_strand(topology *t, int32_t spring, float radius, int32_t color) {
  topology_line line = t->lines[spring];
  if (line.a != line.b)
    t->strands[t->strand_count++] =
        (topology_strand){line.a, line.a, line.b, line.b, line.rest_length, radius, color, spring};
}

/* Gives strands that follow each other along a rope their neighbors, so that bends have no gaps. */
static void join_strands(topology_strand *strands, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    if (strands[i - 1].b == strands[i].a) {
      strands[i - 1].after = strands[i].b;
      strands[i].before = strands[i - 1].a;
    }
  }
}

/* The radius of a particle relative to one of the mean mass: that of a ball of the same density, within bounds.
   The mass of a pinned particle means nothing and does not count. */
static float mass_factor(const msd_world *world, int32_t particle, double mean_mass) {
  if (msd_particle_is_pinned(world, particle))
    return 1;
  double mass = (double)msd_particle_get_mass(world, particle);
  return (float)fmin(fmax(cbrt(mass / mean_mass), 0.7), 2.2);
}

/* Small enough to leave a gap between the marks of neighbors, but large enough to be seen. */
static float pin_radius(const topology *t, int32_t particle, float size) {
  float radius = 0.0075f * size;
  for (int32_t i = t->fans[particle].first_link; i < t->fans[particle].last_link; i++)
    if (t->links[i].other >= 0)
      radius = fminf(radius, 0.3f * t->links[i].measure);
  return fmaxf(radius, 0.003f * size);
}

/* A rope that is connected to nothing and whose particles are farther apart than this, relative to the size of
   the scene, is a chain of masses and is drawn with beads. A rope in a scene with connections carries a load,
   and is drawn as a cord. */
#define CHAIN_SPACING 0.04f

/* How the particles and springs of a body are drawn if it has no surface. */
typedef struct body_look {
  /* Balls joined by springs. */
  bool is_points;
  /* A tube, of a rope or of a cloth with a single row; and whether it has beads. */
  bool is_rope, is_chain;
  /* m: radii. */
  float ball, tube;
} body_look;

static body_look look_of(const scene *s, const topology *t, float size, const scene_body *body) {
  bool is_bare = body->triangle_count == 0;
  float spacing = body->group_count > 0 ? mean_rest_length(t, body->groups[0].springs) : 0;
  body_look look = {.tube = 0.0035f * size};
  look.is_points = strcmp(body->kind, "particles") == 0 || (is_bare && body->springs.count == 0);
  look.is_rope = is_bare && !look.is_points;
  look.is_chain = look.is_rope && s->joints.count == 0 && spacing > CHAIN_SPACING * size;
  float share = look.is_chain ? 0.25f : 0.13f;
  look.ball = spacing > 0 ? fminf(share * spacing, 0.02f * size) : 0.015f * size;
  return look;
}

/* The lines of a mesh collider. */
static void add_lines(topology *t, const scene_body *body, float radius) {
  for (int32_t i = 0; i < body->segment_count; i++) {
    const int32_t a = body->segments[2 * i], b = body->segments[2 * i + 1];
    t->strands[t->strand_count++] = (topology_strand){a, a, b, b, 0, radius, LOOK_COLLIDER, 0};
  }
}

static void add_rope(topology *t, const scene_body *body, const body_look *look, int32_t color) {
  int32_t first = t->strand_count;
  for (int32_t i = 0; i < body->groups[0].springs.count; i++)
    add_strand(t, body->groups[0].springs.first + i, look->tube, color);
  join_strands(t->strands + first, t->strand_count - first);
  int32_t ends[2] = {body->particles.first, body->particles.first + body->particles.count - 1};
  for (int e = 0; e < 2 && !look->is_chain; e++)
    t->balls[t->ball_count++] = (topology_ball){ends[e], look->tube, color};
}

/* Struts are drawn thicker than other springs. */
static void add_point_springs(const scene *s, topology *t, const scene_body *body, const body_look *look) {
  for (int32_t i = 0; i < body->springs.count; i++) {
    int32_t spring = body->springs.first + i;
    bool is_strut = msd_spring_get_def(s->world, spring).mode == MSD_SPRING_COMPRESSION_ONLY;
    if (t->lines[spring].kind != KIND_TETHERS)
      add_strand(t, spring, fminf(0.4f * look->ball, (is_strut ? 2 : 0.5f) * look->tube), LOOK_SPRING);
  }
}

/* Except the rounded ends of a rope, which add_rope has added. */
static void add_balls(const scene *s, float size, double mean_mass, topology *t, const body_look *look,
                      int b) {
  const scene_body *body = &s->bodies[b];
  for (int32_t i = 0; i < body->particles.count; i++) {
    int32_t particle = body->particles.first + i;
    bool is_shown = look->is_points || look->is_chain;
    bool is_end = look->is_rope && !look->is_chain && (i == 0 || i == body->particles.count - 1);
    float radius = look->ball;
    if (look->is_points)
      radius *= mass_factor(s->world, particle, mean_mass);
    t->pin_radii[particle] = is_shown ? 1.04f * radius : pin_radius(t, particle, size);
    if (is_end)
      continue;
    t->balls[t->ball_count + t->extra_ball_count] = (topology_ball){particle, radius, b};
    t->ball_count += is_shown;
    t->extra_ball_count += !is_shown;
  }
}

static bool make_strands_and_balls(const scene *s, float size, topology *t) {
  int64_t strands = t->line_count;
  for (int b = 0; b < s->body_count; b++)
    strands += s->bodies[b].is_collider ? s->bodies[b].segment_count : 0;
  t->strands = items(strands, sizeof *t->strands);
  t->balls = items(t->particles, sizeof *t->balls);
  t->pin_radii = items(t->particles, sizeof *t->pin_radii);
  if (t->strands == NULL || t->balls == NULL || t->pin_radii == NULL)
    return false;
  double mean_mass =
      msd_world_get_stats(s->world).total_mass / (t->body_particles > 0 ? t->body_particles : 1);
  /* The first round adds the balls that are always shown. */
  for (int always = 1; always >= 0; always--) {
    for (int b = 0; b < s->body_count; b++) {
      const scene_body *body = &s->bodies[b];
      if (body->is_collider)
        continue;
      body_look look = look_of(s, t, size, body);
      if (always && look.is_rope)
        add_rope(t, body, &look, b);
      if (always && look.is_points)
        add_point_springs(s, t, body, &look);
      if (always == (look.is_points || look.is_chain))
        add_balls(s, size, mean_mass, t, &look, b);
    }
  }
  for (int32_t i = 0; i < s->joints.count; i++)
    add_strand(t, s->joints.first + i, 0.002f * size, LOOK_SPRING);
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].is_collider)
      add_lines(t, &s->bodies[b], 0.0015f * size);
  return true;
}

/* Frees everything but the creases and particle_of. */
static void free_shapes(topology *t) {
  free(t->fans);
  free(t->corners);
  free(t->links);
  free(t->indices);
  free(t->surfaces);
  free(t->strands);
  free(t->balls);
  free(t->lines);
  free(t->fibers);
  free(t->pin_radii);
}

void topology_free(topology *t) {
  free_shapes(t);
  free(t->particle_of);
  creases_free(&t->creases);
  *t = (topology){0};
}

static bool find_particles(const scene *s, topology *t) {
  t->particle_of = items(t->points, sizeof *t->particle_of);
  for (int32_t p = 0; t->particle_of != NULL && p < t->points; p++)
    t->particle_of[p] = shown_particle(s, p);
  return t->particle_of != NULL;
}

/* Makes everything but the creases and particle_of, which must be there. */
static bool make_shapes(const scene *s, float size, topology *t) {
  t->fans = items(t->creases.vertex_count, sizeof *t->fans);
  edge_set broken = edge_set_of_springs(s->world, msd_spring_is_broken);
  bool done = t->fans != NULL && broken.edges != NULL && make_lines(s, t) && find_fibers(s, t) &&
              make_surfaces(s, t, &broken) && make_corners(t) && make_links(s, t) &&
              make_strands_and_balls(s, size, t);
  free(broken.edges);
  return done;
}

bool topology_make(const scene *s, float size, topology *t) {
  *t = (topology){.particles = msd_world_get_particle_count(s->world), .points = shown_point_count(s)};
  t->body_particles = t->particles;
  for (int b = s->body_count - 1; b >= 0 && s->bodies[b].is_collider; b--)
    t->body_particles = s->bodies[b].particles.first;
  bool done = creases_find(s, NULL, &t->creases) && find_particles(s, t) && make_shapes(s, size, t);
  if (!done)
    topology_free(t);
  return done;
}

/* Points, and what is known of each, are others where particles have been split. */
static bool follow_points(const scene *s, topology *t, topology *shapes) {
  *shapes = (topology){.particles = msd_world_get_particle_count(s->world),
                       .body_particles = t->body_particles,
                       .points = shown_point_count(s),
                       .particle_of = t->particle_of,
                       .creases = t->creases};
  if (shapes->points == t->points)
    return true;
  const bool done = creases_find(s, &t->creases, &shapes->creases) && find_particles(s, shapes);
  if (!done)
    creases_free(&shapes->creases);
  return done;
}

bool topology_remake(const scene *s, float size, topology *t) {
  topology shapes;
  if (!follow_points(s, t, &shapes))
    return false;
  const bool made = make_shapes(s, size, &shapes), moved = shapes.particle_of != t->particle_of;
  topology *left = made ? t : &shapes;
  free_shapes(left);
  if (moved) {
    free(left->particle_of);
    creases_free(&left->creases);
  }
  if (made)
    *t = shapes;
  return made;
}

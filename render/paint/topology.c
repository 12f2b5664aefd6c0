#include "render/paint/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int kind_of_group(const char *name) {
  if (strcmp(name, "shear") == 0)
    return KIND_SHEAR;
  if (strcmp(name, "bend") == 0)
    return KIND_BEND;
  if (strcmp(name, "tethers") == 0)
    return KIND_TETHERS;
  return strcmp(name, "springs") == 0 ? KIND_SPRINGS : KIND_STRUCTURAL;
}

bool topology_shows_strain(int kind) {
  return kind == KIND_STRUCTURAL || kind == KIND_SPRINGS || kind == KIND_JOINTS;
}

/* ------------------------------------------------------------------------------------- broken springs */

typedef struct edge {
  int32_t low, high;
} edge;

static edge edge_make(int32_t a, int32_t b) {
  return a < b ? (edge){a, b} : (edge){b, a};
}

static int edge_compare(const void *a, const void *b) {
  const edge *p = a, *q = b;
  if (p->low != q->low)
    return p->low < q->low ? -1 : 1;
  return (p->high > q->high) - (p->high < q->high);
}

typedef struct edge_set {
  edge *edges;
  int32_t count;
} edge_set;

static bool edge_set_has(const edge_set *set, int32_t a, int32_t b) {
  edge key = edge_make(a, b);
  return set->count > 0 && bsearch(&key, set->edges, (size_t)set->count, sizeof key, edge_compare) != NULL;
}

/* ---------------------------------------------------------------------------------------------- arrays */

/* Room for `count` zeroed items; never NULL unless memory is short. */
static void *items(int64_t count, size_t size) {
  return calloc(count > 0 ? (size_t)count : 1, size);
}

/* Turns counts in `ends` (entry i + 1 counts for particle i) into where each particle's items start. */
static void sum_up(int32_t *ends, int32_t particles) {
  for (int32_t i = 0; i < particles; i++)
    ends[i + 1] += ends[i];
}

static bool make_lines(const scene *s, topology *t, edge_set *broken) {
  t->line_count = msd_world_get_spring_count(s->world);
  t->lines = items(t->line_count, sizeof *t->lines);
  broken->edges = items(t->line_count, sizeof *broken->edges);
  if (t->lines == NULL || broken->edges == NULL)
    return false;
  for (int32_t i = 0; i < t->line_count; i++) {
    msd_spring_def def = msd_spring_get_def(s->world, i);
    bool is_broken = msd_spring_is_broken(s->world, i);
    t->lines[i] = (topology_line){def.a, is_broken ? def.a : def.b, (float)def.rest_length, KIND_JOINTS};
    if (is_broken)
      broken->edges[broken->count++] = edge_make(def.a, def.b);
  }
  qsort(broken->edges, (size_t)broken->count, sizeof *broken->edges, edge_compare);
  for (int b = 0; b < s->body_count; b++) {
    for (int g = 0; g < s->bodies[b].group_count; g++) {
      scene_group group = s->bodies[b].groups[g];
      for (int32_t i = 0; i < group.springs.count; i++)
        t->lines[group.springs.first + i].kind = kind_of_group(group.name);
    }
  }
  for (int32_t i = 0; i < t->line_count; i++)
    t->kinds[t->lines[i].kind] |= t->lines[i].a != t->lines[i].b;
  return true;
}

static bool make_surfaces(const scene *s, topology *t, const edge_set *broken) {
  int64_t triangles = 0;
  for (int b = 0; b < s->body_count; b++)
    triangles += s->bodies[b].triangle_count;
  t->indices = items(3 * triangles, sizeof *t->indices);
  t->surfaces = items(s->body_count, sizeof *t->surfaces);
  if (3 * triangles > INT32_MAX || t->indices == NULL || t->surfaces == NULL)
    return false;
  for (int b = 0; b < s->body_count; b++) {
    int32_t first = t->index_count;
    for (int32_t i = 0; i < s->bodies[b].triangle_count; i++) {
      const int32_t *corner = &s->bodies[b].triangles[3 * i];
      if (edge_set_has(broken, corner[0], corner[1]) || edge_set_has(broken, corner[1], corner[2]) ||
          edge_set_has(broken, corner[2], corner[0]))
        continue;
      for (int c = 0; c < 3; c++)
        t->indices[t->index_count++] = (uint32_t)corner[c];
    }
    if (t->index_count > first)
      t->surfaces[t->surface_count++] = (topology_surface){b, first, t->index_count - first};
  }
  return true;
}

static bool make_corners(topology *t) {
  int32_t *ends = items((int64_t)t->particles + 1, sizeof *ends);
  t->corners = items(t->index_count, sizeof *t->corners);
  if (ends == NULL || t->corners == NULL) {
    free(ends);
    return false;
  }
  t->corner_count = t->index_count;
  for (int32_t i = 0; i < t->index_count; i++)
    ends[t->indices[i] + 1]++;
  sum_up(ends, t->particles);
  for (int32_t i = 0; i < t->particles; i++)
    t->fans[i].first_corner = t->fans[i].last_corner = ends[i];
  for (int32_t i = 0; i < t->index_count; i++) {
    int32_t start = i - i % 3;
    t->corners[t->fans[t->indices[i]].last_corner++] =
        (topology_corner){(int32_t)t->indices[start + (i + 1) % 3], (int32_t)t->indices[start + (i + 2) % 3]};
  }
  free(ends);
  return true;
}

static bool line_is_link(const topology_line *line) {
  return line->a != line->b && line->rest_length > 0 && topology_shows_strain(line->kind);
}

static bool make_links(topology *t) {
  int32_t *ends = items((int64_t)t->particles + 1, sizeof *ends);
  if (ends == NULL)
    return false;
  for (int32_t i = 0; i < t->line_count; i++) {
    if (line_is_link(&t->lines[i])) {
      ends[t->lines[i].a + 1]++;
      ends[t->lines[i].b + 1]++;
      t->link_count += 2;
    }
  }
  t->links = items(t->link_count, sizeof *t->links);
  if (t->links == NULL) {
    free(ends);
    return false;
  }
  sum_up(ends, t->particles);
  for (int32_t i = 0; i < t->particles; i++)
    t->fans[i].first_link = t->fans[i].last_link = ends[i];
  for (int32_t i = 0; i < t->line_count; i++) {
    topology_line line = t->lines[i];
    if (line_is_link(&line)) {
      t->links[t->fans[line.a].last_link++] = (topology_link){line.b, i, line.rest_length};
      t->links[t->fans[line.b].last_link++] = (topology_link){line.a, i, line.rest_length};
    }
  }
  free(ends);
  return true;
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

/* Springs that follow each other along a rope bend into each other. */
static void join_strands(topology_strand *strands, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    if (strands[i - 1].b == strands[i].a) {
      strands[i - 1].after = strands[i].b;
      strands[i].before = strands[i - 1].a;
    }
  }
}

/* By how much a particle looks larger than one of the mean mass: as its volume would, within reason. The mass
   of a pinned one does nothing. */
static float mass_factor(const msd_world *world, int32_t particle, double mean_mass) {
  if (msd_particle_is_pinned(world, particle))
    return 1;
  double mass = (double)msd_particle_get_mass(world, particle);
  return (float)fmin(fmax(cbrt(mass / mean_mass), 0.7), 2.2);
}

/* Small enough that the marks of neighbours stay apart, where that leaves anything to be seen. */
static float pin_radius(const topology *t, int32_t particle, float size) {
  float radius = 0.0075f * size;
  for (int32_t i = t->fans[particle].first_link; i < t->fans[particle].last_link; i++)
    radius = fminf(radius, 0.3f * t->links[i].rest_length);
  return fmaxf(radius, 0.003f * size);
}

/* Times the size of a scene: a rope by itself whose particles stand farther apart is a chain of masses, and
   shows them as beads. One that holds something is a cord. */
#define CHAIN_SPACING 0.04f

static bool make_strands_and_balls(const scene *s, float size, topology *t) {
  t->strands = items(t->line_count, sizeof *t->strands);
  t->balls = items(t->particles, sizeof *t->balls);
  t->pin_radii = items(t->particles, sizeof *t->pin_radii);
  if (t->strands == NULL || t->balls == NULL || t->pin_radii == NULL)
    return false;
  double mean_mass = msd_world_get_stats(s->world).total_mass / (t->particles > 0 ? t->particles : 1);
  for (int pass = 0; pass < 2; pass++) { /* first what is always shown */
    for (int b = 0; b < s->body_count; b++) {
      const scene_body *body = &s->bodies[b];
      bool is_bare = body->triangle_count == 0;
      bool is_points = strcmp(body->kind, "particles") == 0 || (is_bare && body->springs.count == 0);
      bool is_rope = is_bare && !is_points; /* or a cloth of a single row */
      float spacing = body->group_count > 0 ? mean_rest_length(t, body->groups[0].springs) : 0;
      bool is_chain = is_rope && s->joints.count == 0 && spacing > CHAIN_SPACING * size;
      float ball = spacing > 0 ? fminf((is_chain ? 0.25f : 0.13f) * spacing, 0.02f * size) : 0.015f * size;
      float tube = 0.0035f * size;
      if (pass == 0 && is_rope) {
        int32_t first = t->strand_count;
        for (int32_t i = 0; i < body->groups[0].springs.count; i++)
          add_strand(t, body->groups[0].springs.first + i, tube, b);
        join_strands(t->strands + first, t->strand_count - first);
        int32_t ends[2] = {body->particles.first, body->particles.first + body->particles.count - 1};
        for (int e = 0; e < 2 && !is_chain; e++)
          t->balls[t->ball_count++] = (topology_ball){ends[e], tube, b};
      }
      if (pass == 0 && is_points)
        for (int32_t i = 0; i < body->springs.count; i++) {
          int32_t spring = body->springs.first + i;
          bool is_prop = msd_spring_get_def(s->world, spring).side == MSD_SPRING_STRUT;
          if (t->lines[spring].kind != KIND_TETHERS)
            add_strand(t, spring, fminf(0.4f * ball, (is_prop ? 2 : 0.5f) * tube), -1);
        }
      bool is_shown = is_points || is_chain;
      if (pass == 0 ? !is_shown : is_shown)
        continue;
      for (int32_t i = 0; i < body->particles.count; i++) {
        int32_t particle = body->particles.first + i;
        bool is_end = is_rope && !is_chain && (i == 0 || i == body->particles.count - 1);
        float radius = is_points ? ball * mass_factor(s->world, particle, mean_mass) : ball;
        t->pin_radii[particle] = is_shown ? 1.04f * radius : pin_radius(t, particle, size);
        if (!is_end)
          t->balls[t->ball_count + t->extra_ball_count] = (topology_ball){particle, radius, b};
        t->ball_count += pass == 0;
        t->extra_ball_count += pass == 1 && !is_end;
      }
    }
  }
  for (int32_t i = 0; i < s->joints.count; i++)
    add_strand(t, s->joints.first + i, 0.002f * size, -1);
  return true;
}

void topology_free(topology *t) {
  free(t->fans);
  free(t->corners);
  free(t->links);
  free(t->indices);
  free(t->surfaces);
  free(t->strands);
  free(t->balls);
  free(t->lines);
  free(t->pin_radii);
  *t = (topology){0};
}

bool topology_make(const scene *s, float size, topology *t) {
  *t = (topology){.particles = msd_world_get_particle_count(s->world)};
  t->fans = items(t->particles, sizeof *t->fans);
  edge_set broken = {0};
  bool done = t->fans != NULL && make_lines(s, t, &broken) && make_surfaces(s, t, &broken) &&
              make_corners(t) && make_links(t) && make_strands_and_balls(s, size, t);
  free(broken.edges);
  if (!done)
    topology_free(t);
  return done;
}

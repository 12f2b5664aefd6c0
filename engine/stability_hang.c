#include "stability_hang.h"

#include "vec3.h"

#include <math.h>

/* The springs between level n-1 and n, and what is at level n. */
typedef struct cut {
  double mass;              /* kg */
  double present, stiffest; /* N: sum of stiffness times rest length, the force that doubles all lengths */
} cut;

typedef struct levels {
  int32_t *start, *neighbour; /* those of particle i are start[i]..start[i+1]-1 */
  int32_t *level, *queue;     /* springs to the nearest pin, -1: no way there */
  cut *cuts;
  int32_t count; /* of levels */
} levels;

static void link_neighbours(const analysis *a, levels *l) {
  const int32_t particles = a->world->particles.count;
  for (int32_t e = 0; e < a->count; e++) {
    l->start[a->springs[e].a + 1]++;
    l->start[a->springs[e].b + 1]++;
  }
  for (int32_t i = 0; i < particles; i++)
    l->start[i + 1] += l->start[i];
  /* The queue is free until the search begins. */
  for (int32_t i = 0; i < particles; i++)
    l->queue[i] = l->start[i];
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    l->neighbour[l->queue[s.a]++] = s.b;
    l->neighbour[l->queue[s.b]++] = s.a;
  }
}

static void find_levels(const analysis *a, levels *l) {
  int32_t first = 0, last = 0;
  for (int32_t i = 0; i < a->world->particles.count; i++) {
    l->level[i] = analysis_inverse_mass(a, i) > 0 ? -1 : 0;
    if (l->level[i] == 0)
      l->queue[last++] = i;
  }
  while (first < last) {
    const int32_t from = l->queue[first++];
    l->count = l->level[from] + 1;
    for (int32_t n = l->start[from]; n < l->start[from + 1]; n++) {
      const int32_t to = l->neighbour[n];
      if (l->level[to] >= 0)
        continue;
      l->level[to] = l->level[from] + 1;
      l->queue[last++] = to;
    }
  }
}

static void fill_cuts(const analysis *a, levels *l, double dt, msd_limit limit, double factor) {
  const msd_world *world = a->world;
  for (int32_t i = 0; i < world->particles.count; i++)
    if (l->level[i] > 0)
      l->cuts[l->level[i]].mass += (double)world->particles.mass[i];
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    if (l->level[s.a] == l->level[s.b])
      continue;
    cut *c = &l->cuts[l->level[s.a] > l->level[s.b] ? l->level[s.a] : l->level[s.b]];
    spring_terms t = spring_split(&world->springs, &world->particles, s.spring);
    t.stiffness *= factor;
    const double rest = (double)world->springs.rest[s.spring];
    c->present += rest * spring_tune(&t, dt, limit).stiffness;
    c->stiffest += rest * t.share / (dt * dt);
  }
}

static double stretch_of(double weight, double strength) {
  return weight > 0 ? (strength > 0 ? weight / strength : INFINITY) : 0;
}

static hang largest_stretch(const analysis *a, const levels *l) {
  const double gravity = vec3_length(a->world->gravity);
  hang most = {0, 0};
  double mass = 0;
  for (int32_t n = l->count - 1; n > 0; n--) {
    mass += l->cuts[n].mass;
    most.present = fmax(most.present, stretch_of(mass * gravity, l->cuts[n].present));
    most.stiffest = fmax(most.stiffest, stretch_of(mass * gravity, l->cuts[n].stiffest));
  }
  return most;
}

bool hang_estimate(const analysis *a, double dt, msd_limit limit, double factor, hang *out) {
  const size_t count = (size_t)a->world->particles.count;
  levels l = {
      .start = memory_allocate(a->memory, (count + 1) * sizeof *l.start),
      .neighbour = memory_allocate(a->memory, 2 * (size_t)a->count * sizeof *l.neighbour),
      .level = memory_allocate(a->memory, count * sizeof *l.level),
      .queue = memory_allocate(a->memory, count * sizeof *l.queue),
      .cuts = memory_allocate(a->memory, (count + 1) * sizeof *l.cuts),
  };
  const bool has_memory = l.start && l.neighbour && l.level && l.queue && l.cuts;
  *out = (hang){0, 0};
  if (has_memory && a->count <= INT32_MAX / 2) {
    link_neighbours(a, &l);
    find_levels(a, &l);
    fill_cuts(a, &l, dt, limit, factor);
    *out = largest_stretch(a, &l);
  }
  memory_release(a->memory, l.start);
  memory_release(a->memory, l.neighbour);
  memory_release(a->memory, l.level);
  memory_release(a->memory, l.queue);
  memory_release(a->memory, l.cuts);
  return has_memory;
}

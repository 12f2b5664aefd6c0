#include "engine/stability/static_stretch.h"

#include "engine/base/vec3.h"
#include "engine/stability/fibre_bound.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>
#include <string.h>

/* The springs from one level to the next: K = stiff + bare N/m in all, with the mean length strength/stiff. */
typedef struct level_springs {
  /* N: sum of stiffness times rest length, the force that doubles all lengths. */
  double strength;
  /* N/m: sum of stiffness of the same springs. */
  double stiff;
  /* N/m: the stiffness of springs without a rest length. */
  double bare;
  /* N/m: the stiffness of tethers from pins to the further level. */
  double tied;
} level_springs;

typedef struct stretch_level {
  /* kg, of the particles at this level. */
  double mass;
  level_springs present, stiffest;
  /* N and N/m, for largest_stretch. */
  double load, held;
} stretch_level;

struct level_chain {
  /* The neighbours of particle i are start[i]..start[i+1]-1; ~particle: by a tether. */
  int32_t *start, *neighbour;
  /* The number of springs to the nearest pin; -1: no path. */
  int32_t *level, *queue;
  /* Whether some path to a pin has no tether. */
  uint8_t *has_free_path;
  stretch_level *levels;
  /* The number of levels. */
  int32_t count;
};

/* Of what fibres are to an analysis too, whose corners are neighbours. */
static msd_spring_side side_of(const analysis *a, int32_t e) {
  return e < a->model_springs ? spring_side(&a->model->springs, analysis_spring_at(a, e).spring)
                              : MSD_SPRING_BOTH;
}

static void count_neighbours(analysis *a, const void *question, analysis_range range) {
  const level_chain *l = question;
  const parallel_range own = range.particles;
  for (analysis_visit v = {0}; analysis_visit_next(a, own, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      if (side_of(a, e) == MSD_SPRING_STRUT)
        continue;
      const analysis_spring s = analysis_spring_at(a, e);
      if (v.is_inside || analysis_has(own, s.a))
        l->start[s.a + 1]++;
      if (v.is_inside || analysis_has(own, s.b))
        l->start[s.b + 1]++;
    }
}

/* From where the queue says for each particle. */
static void list_neighbours(analysis *a, const void *question, analysis_range range) {
  const level_chain *l = question;
  const parallel_range own = range.particles;
  for (analysis_visit v = {0}; analysis_visit_next(a, own, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      const msd_spring_side side = side_of(a, e);
      if (side == MSD_SPRING_STRUT)
        continue;
      const analysis_spring s = analysis_spring_at(a, e);
      if (v.is_inside || analysis_has(own, s.a))
        l->neighbour[l->queue[s.a]++] = side == MSD_SPRING_TETHER ? ~s.b : s.b;
      if (v.is_inside || analysis_has(own, s.b))
        l->neighbour[l->queue[s.b]++] = side == MSD_SPRING_TETHER ? ~s.a : s.a;
    }
}

static void link_neighbours(analysis *a, level_chain *l) {
  const int32_t particles = a->model->particles.count;
  analysis_run(a, count_neighbours, l);
  for (int32_t i = 0; i < particles; i++)
    l->start[i + 1] += l->start[i];
  /* The queue is free until the search begins. */
  memcpy(l->queue, l->start, (size_t)particles * sizeof *l->queue);
  analysis_run(a, list_neighbours, l);
}

/* Onward from the `found` particles in the queue, whose levels ascend; returns how many there are then. */
static int32_t search(level_chain *l, int32_t found, bool over_tethers) {
  for (int32_t first = 0; first < found; first++) {
    const int32_t from = l->queue[first];
    for (int32_t n = l->start[from]; n < l->start[from + 1]; n++) {
      const bool is_tether = l->neighbour[n] < 0;
      const int32_t to = is_tether ? ~l->neighbour[n] : l->neighbour[n];
      if (l->level[to] >= 0 || (is_tether && !over_tethers))
        continue;
      l->level[to] = l->level[from] + 1;
      l->has_free_path[to] = !over_tethers;
      if (l->level[to] >= l->count)
        l->count = l->level[to] + 1;
      l->queue[found++] = to;
    }
  }
  return found;
}

static void find_levels(const analysis *a, level_chain *l) {
  int32_t found = 0;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const bool is_pin = !(analysis_inverse_mass(a, i) > 0);
    l->level[i] = is_pin ? 0 : -1;
    l->has_free_path[i] = is_pin;
    if (is_pin)
      l->queue[found++] = i;
  }
  l->count = 1;
  found = search(l, found, false);
  search(l, found, true);
}

static void weigh(const analysis *a, level_chain *l) {
  for (int32_t i = 0; i < a->model->particles.count; i++)
    if (l->level[i] > 0)
      l->levels[l->level[i]].mass += (double)a->model->particles.mass[i];
}

static bool is_helping_tether(const analysis *a, const level_chain *l, int32_t e) {
  const analysis_spring s = analysis_spring_at(a, e);
  return side_of(a, e) == MSD_SPRING_TETHER && l->has_free_path[s.a] && l->has_free_path[s.b];
}

static bool is_taut(const world_model *model, int32_t spring) {
  static const double ROUNDING = 1e-4; /* of lengths in msd_real: a tether with a slack of 1 is taut */
  return spring_length(&model->springs, &model->particles, spring) >=
         (1 - ROUNDING) * (double)model->springs.rest[spring];
}

/* Whether a spring carries at the present positions. */
static bool carries(const analysis *a, const level_chain *l, int32_t e) {
  const analysis_spring s = analysis_spring_at(a, e);
  if (side_of(a, e) == MSD_SPRING_STRUT || l->level[s.a] == l->level[s.b])
    return false;
  return !is_helping_tether(a, l, e) || is_taut(a->model, s.spring);
}

static void add(level_springs *sum, double stiffness, double rest, bool is_tie) {
  if (is_tie) {
    sum->tied += stiffness;
  } else if (rest > 0) {
    sum->strength += stiffness * rest;
    sum->stiff += stiffness;
  } else {
    sum->bare += stiffness;
  }
}

static void add_springs(const analysis *a, level_chain *l, double dt, msd_limit limit, double factor) {
  const world_model *model = a->model;
  for (int32_t e = 0; e < a->model_springs; e++) {
    if (!carries(a, l, e))
      continue;
    const analysis_spring s = analysis_spring_at(a, e);
    const int32_t near = l->level[s.a] < l->level[s.b] ? l->level[s.a] : l->level[s.b];
    const int32_t far = l->level[s.a] + l->level[s.b] - near;
    const bool is_tie = is_helping_tether(a, l, e) && near == 0;
    if (far > near + 1 && !is_tie)
      continue;
    law_terms t = spring_split(&model->springs, &model->particles, s.spring);
    t.stiffness *= factor;
    const double rest = (double)model->springs.rest[s.spring];
    add(&l->levels[far].present, law_tune(&t, dt, limit).stiffness, rest, is_tie);
    add(&l->levels[far].stiffest, t.share / (dt * dt), rest, is_tie);
  }
}

static double length(double3 v) {
  return sqrt(lane_dot(v, v));
}

/* m: from the plane, or line, of those corners of a triangle or tetrahedron whose level is `near` to that of
   the others, which are the level beyond; 0 of one that is flat. */
static double height_between(const double3 *x, const int32_t *levels, int32_t corners, int32_t near) {
  /* An edge between corners of the same level, and of a tetrahedron another. */
  double3 edge[2] = {{0, 0, 0}, {0, 0, 0}};
  int edges = 0, last[2] = {-1, -1};
  for (int c = 0; c < corners; c++) {
    int *before = &last[levels[c] != near];
    if (*before >= 0 && edges < 2)
      edge[edges++] = lane_subtract(x[c], x[*before]);
    *before = c;
  }
  const double3 across = lane_subtract(x[last[1]], x[last[0]]);
  const double3 normal = lane_cross(edge[0], corners == 4 ? edge[1] : across);
  const double base = corners == 4 ? length(normal) : length(edge[0]);
  const double size = corners == 4 ? fabs(lane_dot(normal, across)) : length(normal);
  return base > 0 ? size / base : 0;
}

/* A fibre between two levels, of the height h in its triangle or tetrahedron. Where these part by u, all
   lengths across them grow by the share u/h. Along the fibre, c the cosine to that direction, levels follow
   each other at the rate W = c/h, and it stretches by c^2 u/h: its energy is that of a spring of k c^4/h^2,
   which is k W^4 h^2. */
static void add_fibre(const analysis *a, level_chain *l, int32_t fibre, double dt, msd_limit limit,
                      double factor) {
  const world_model *model = a->model;
  const constraint_corners corners = constraint_corners_of(&model->constraints, fibre);
  const msd_real *weights = constraint_fibre_of(&model->constraints, fibre);
  double3 x[CONSTRAINT_CORNERS];
  int32_t levels[CONSTRAINT_CORNERS], near = INT32_MAX, far = -1;
  double rate = 0;
  for (int32_t c = 0; c < corners.count; c++) {
    x[c] = vec3_double(particle_vector(&model->particles, POSITION_X, corners.particles[c]));
    levels[c] = l->level[corners.particles[c]];
    near = levels[c] < near ? levels[c] : near;
    far = levels[c] > far ? levels[c] : far;
    rate += (double)weights[c] * levels[c];
  }
  if (near < 0 || far != near + 1)
    return;
  const double height = height_between(x, levels, corners.count, near);
  const double share = rate * rate * height;
  law_terms t = constraint_split(&model->constraints, &model->particles, fibre);
  t.stiffness *= factor;
  add(&l->levels[far].present, law_tune(&t, dt, limit).stiffness * share * share, height, false);
  add(&l->levels[far].stiffest, t.share / (dt * dt) * share * share, height, false);
}

static void add_fibres(const analysis *a, level_chain *l, double dt, msd_limit limit, double factor) {
  for (int32_t c = 0; c < a->model->constraints.count; c++)
    if (fibre_bound_has(a->model, c))
      add_fibre(a, l, c, dt, limit, factor);
}

/* Tethers that catch, from pins to particles that springs hold too, do so with c m_e/dt^2. */
static void add_catches(const analysis *a, level_chain *l, double dt) {
  const spring_store *s = &a->model->springs;
  const particle_store *p = &a->model->particles;
  double *catches = a->x;
  if (s->catches == 0)
    return;
  memset(catches, 0, (size_t)p->count * sizeof *catches);
  for (int32_t e = 0; e < s->count; e++) {
    catches[s->a[e]] += spring_can_catch(s, p, e);
    catches[s->b[e]] += spring_can_catch(s, p, e);
  }
  for (int32_t e = 0; e < s->count; e++) {
    const int32_t at_a = s->a[e], at_b = s->b[e], far = l->level[at_a] + l->level[at_b];
    const bool is_from_pin = (l->level[at_a] == 0) != (l->level[at_b] == 0);
    if (spring_can_catch(s, p, e) && spring_side(s, e) == MSD_SPRING_TETHER && is_from_pin && far > 0 &&
        l->has_free_path[at_a] && l->has_free_path[at_b] && is_taut(a->model, e)) {
      const double stiffness = spring_catch_mass(s, p, e, catches[at_a], catches[at_b]) / (dt * dt);
      add(&l->levels[far].present, stiffness, (double)s->rest[e], true);
      add(&l->levels[far].stiffest, stiffness, (double)s->rest[e], true);
    }
  }
}

/* A chain of levels at u_n, u_0 = 0: K_n (u_n - u_n-1) - K_n+1 (u_n+1 - u_n) + tied_n u_n = m_n g. From the
   far end on a level and all beyond it act as a load and a stiffness to the ground,

       load_n = m_n g + load_n+1 s,   held_n = tied_n + held_n+1 s,   s = K_n+1/(K_n+1 + held_n+1). */
static double largest_stretch(level_chain *l, double gravity, bool stiffest) {
  double load = 0, held = 0;
  for (int32_t n = l->count - 1; n > 0; n--) {
    stretch_level *level = &l->levels[n];
    const level_springs *b = stiffest ? &level->stiffest : &level->present;
    level->load = load += level->mass * gravity;
    level->held = held += b->tied;
    const double whole = b->stiff + b->bare + held;
    if (load > 0 && !(whole > 0))
      return INFINITY;
    const double passed = whole > 0 ? (b->stiff + b->bare) / whole : 0;
    load *= passed;
    held *= passed;
  }
  double most = 0, u = 0;
  for (int32_t n = 1; n < l->count; n++) {
    const stretch_level *level = &l->levels[n];
    const level_springs *b = stiffest ? &level->stiffest : &level->present;
    const double whole = b->stiff + b->bare + level->held;
    const double longer = whole > 0 ? (level->load - level->held * u) / whole : 0;
    if (b->strength > 0)
      most = fmax(most, longer * b->stiff / b->strength);
    u += longer;
  }
  return most;
}

stretch_pair level_chain_solve(const analysis *a, level_chain *l, double dt, msd_limit limit, double factor) {
  memset(l->levels, 0, (size_t)l->count * sizeof *l->levels);
  weigh(a, l);
  add_springs(a, l, dt, limit, factor);
  add_fibres(a, l, dt, limit, factor);
  add_catches(a, l, dt);
  const double gravity = vec3_length(a->model->gravity);
  return (stretch_pair){largest_stretch(l, gravity, false), largest_stretch(l, gravity, true)};
}

level_chain *level_chain_open(analysis *a) {
  const size_t count = (size_t)a->model->particles.count;
  level_chain *l = memory_allocate(a->memory, sizeof *l);
  if (!l)
    return NULL;
  *l = (level_chain){
      .start = memory_allocate(a->memory, (count + 1) * sizeof *l->start),
      .neighbour = memory_allocate_unset(a->memory, 2 * (size_t)a->count * sizeof *l->neighbour),
      .level = memory_allocate(a->memory, count * sizeof *l->level),
      .queue = memory_allocate_unset(a->memory, count * sizeof *l->queue),
      .has_free_path = memory_allocate(a->memory, count * sizeof *l->has_free_path),
      .levels = memory_allocate_unset(a->memory, (count + 1) * sizeof *l->levels),
      .count = 1,
  };
  if (!l->start || !l->neighbour || !l->level || !l->queue || !l->has_free_path || !l->levels) {
    level_chain_close(a, l);
    return NULL;
  }
  if (a->count <= INT32_MAX / 2) {
    link_neighbours(a, l);
    find_levels(a, l);
  }
  return l;
}

void level_chain_close(const analysis *a, level_chain *l) {
  if (!l)
    return;
  memory_release(a->memory, l->start);
  memory_release(a->memory, l->neighbour);
  memory_release(a->memory, l->level);
  memory_release(a->memory, l->queue);
  memory_release(a->memory, l->has_free_path);
  memory_release(a->memory, l->levels);
  memory_release(a->memory, l);
}

/* ------------------------------------------------------------------------------------------- for the world */

static const double MUCH = 1e-3; /* more than the rounding of scene files */

static bool is_longer_than_at_rest(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const double rest = (double)s->rest[spring];
  return !spring_is_broken(s, spring) && rest > 0 &&
         spring_length(s, &model->particles, spring) > (1 + MUCH) * rest;
}

/* A fibre that is not much longer than at rest. */
static bool is_seen(const world_model *model, int32_t constraint) {
  if (!fibre_bound_has(model, constraint))
    return false;
  const double rest = (double)model->constraints.rest[constraint];
  return constraint_measure(&model->constraints, &model->particles, constraint).value <= (1 + MUCH) * rest;
}

static void count_unseen(const world_model *model, msd_static_stretch *out) {
  out->unseen_constraints = model->constraints.count - model->constraints.broken;
  for (int32_t c = 0; c < model->constraints.count; c++)
    out->unseen_constraints -= is_seen(model, c);
  for (int32_t n = 0; n < model->anchors.count; n++)
    out->unseen_anchors += model->anchors.entries[n].particle >= 0;
  for (int32_t e = 0; e < model->springs.count; e++)
    out->unseen_springs += is_longer_than_at_rest(model, e);
}

msd_result stretch_estimate(const world_model *model, double time_step, msd_static_stretch *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_static_stretch made = {.time_step = time_step};
  analysis a;
  level_chain *levels = analysis_open_springs(&a, model, &scratch) ? level_chain_open(&a) : NULL;
  const bool open = levels != NULL;
  if (open) {
    const stretch_pair stretch = level_chain_solve(&a, levels, time_step, model->limit, 1);
    made.present = stretch.present;
    made.stiffest = stretch.stiffest;
    count_unseen(model, &made);
    *out = made;
  }
  level_chain_close(&a, levels);
  analysis_close(&a);
  return open ? MSD_OK : MSD_OUT_OF_MEMORY;
}

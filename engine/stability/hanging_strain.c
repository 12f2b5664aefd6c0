#include "engine/stability/hanging_strain.h"

#include "engine/base/ordered.h"
#include "engine/base/vec3.h"
#include "engine/stability/fiber_bound.h"

#define LANE_DOUBLE
#include "engine/base/lane.h"

#include <math.h>
#include <string.h>

/* The springs from one level to the next: K = stiff + bare N/m in total, with the mean length
   strength/stiff. */
typedef struct level_springs {
  /* N: sum of stiffness times rest length, the force that doubles all lengths. */
  double strength;
  /* N/m: sum of the stiffness of the same springs. */
  double stiff;
  /* N/m: the stiffness of springs with rest length 0. */
  double bare;
  /* N/m: the stiffness of tension-only springs from pins to the further level. */
  double tied;
} level_springs;

typedef struct stretch_level {
  /* kg: the mass of the particles at this level. */
  double mass;
  level_springs present, max_stable;
  /* N and N/m, for largest_stretch. */
  double load, held;
} stretch_level;

struct level_chain {
  /* The neighbors of particle i are start[i]..start[i+1]-1; ~particle: by a tension-only spring. NULL, as the
     queue, if sweeps have found the levels. */
  int32_t *start, *neighbor;
  /* The number of springs to the nearest pin; -1: no path. */
  int32_t *level, *queue;
  /* True if some path to a pin has no tension-only spring. */
  uint8_t *has_free_path;
  stretch_level *levels;
  /* The number of levels. */
  int32_t count;
};

/* Two-sided for the pair springs of fibers, whose corners are neighbors. */
static msd_spring_mode side_of(const analysis *a, int32_t e) {
  return e < a->model_springs ? spring_side(&a->model->springs, analysis_spring_at(a, e).spring)
                              : MSD_SPRING_BOTH;
}

static void count_neighbors(analysis *a, const void *question, analysis_range range) {
  const level_chain *l = question;
  const parallel_range own = range.particles;
  for (analysis_visit v = {0}; analysis_visit_next(a, own, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      if (side_of(a, e) == MSD_SPRING_COMPRESSION_ONLY)
        continue;
      const analysis_spring s = analysis_spring_at(a, e);
      if (v.is_inside || analysis_has(own, s.a))
        l->start[s.a + 1]++;
      if (v.is_inside || analysis_has(own, s.b))
        l->start[s.b + 1]++;
    }
}

/* Stores neighbors from the position in queue[] on. */
static void list_neighbors(analysis *a, const void *question, analysis_range range) {
  const level_chain *l = question;
  const parallel_range own = range.particles;
  for (analysis_visit v = {0}; analysis_visit_next(a, own, &v);)
    for (int32_t e = v.first; e < v.last; e++) {
      const msd_spring_mode side = side_of(a, e);
      if (side == MSD_SPRING_COMPRESSION_ONLY)
        continue;
      const analysis_spring s = analysis_spring_at(a, e);
      if (v.is_inside || analysis_has(own, s.a))
        l->neighbor[l->queue[s.a]++] = side == MSD_SPRING_TENSION_ONLY ? ~s.b : s.b;
      if (v.is_inside || analysis_has(own, s.b))
        l->neighbor[l->queue[s.b]++] = side == MSD_SPRING_TENSION_ONLY ? ~s.a : s.a;
    }
}

static void link_neighbors(analysis *a, level_chain *l) {
  const int32_t particles = a->model->particles.count;
  analysis_run(a, count_neighbors, l);
  for (int32_t i = 0; i < particles; i++)
    l->start[i + 1] += l->start[i];
  /* The queue is unused until the search begins. */
  memcpy(l->queue, l->start, (size_t)particles * sizeof *l->queue);
  analysis_run(a, list_neighbors, l);
}

/* Continues the search from the `found` particles in the queue, whose levels ascend. Returns their new
   number. */
static int32_t search(level_chain *l, int32_t found, bool over_tethers) {
  for (int32_t first = 0; first < found; first++) {
    const int32_t from = l->queue[first];
    for (int32_t n = l->start[from]; n < l->start[from + 1]; n++) {
      const bool is_tether = l->neighbor[n] < 0;
      const int32_t to = is_tether ? ~l->neighbor[n] : l->neighbor[n];
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

/* Sets pins to level 0 and all other particles to `unknown`. */
static void begin_levels(const analysis *a, level_chain *l, int32_t unknown) {
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const bool is_pin = !(analysis_inverse_mass(a, i) > 0);
    l->level[i] = is_pin ? 0 : unknown;
    l->has_free_path[i] = is_pin;
  }
}

static void search_levels(const analysis *a, level_chain *l) {
  int32_t found = 0;
  begin_levels(a, l, -1);
  for (int32_t i = 0; i < a->model->particles.count; i++)
    if (l->level[i] == 0)
      l->queue[found++] = i;
  l->count = 1;
  found = search(l, found, false);
  search(l, found, true);
}

/* Returns whether both ends of a spring are at most one level apart. If not, lowers the further one. */
static inline bool is_settled(level_chain *l, analysis_spring s) {
  const int32_t at_a = l->level[s.a], at_b = l->level[s.b];
  if (at_a - at_b <= 1 && at_b - at_a <= 1)
    return true;
  if (at_a > at_b)
    l->level[s.a] = at_b + 1;
  else
    l->level[s.b] = at_a + 1;
  return false;
}

/* Above any level; adding 1 does not overflow. */
enum { UNREACHED = INT32_MAX / 2 };

/* One pass over all two-sided springs, forward or backward. Returns whether all levels were right. */
static bool sweep(const analysis *a, level_chain *l, bool is_back) {
  const bool some_sides = a->model->springs.one_sided > 0;
  bool settled = true;
  for (int32_t n = 0; n < a->count; n++) {
    const int32_t e = is_back ? a->count - 1 - n : n;
    if (some_sides && side_of(a, e) != MSD_SPRING_BOTH)
      continue;
    settled = is_settled(l, analysis_spring_at(a, e)) && settled;
  }
  return settled;
}

/* Springs of lattices are stored row by row: alternating sweeps propagate levels along whole rows, so a few
   of them suffice without neighbor lists. Returns false if some levels are not final, or need tension-only
   springs. */
static bool sweep_levels(const analysis *a, level_chain *l) {
  enum { SWEEPS = 6 };
  bool settled = false, reached = true;
  begin_levels(a, l, UNREACHED);
  for (int n = 0; n < SWEEPS && !settled; n++)
    settled = sweep(a, l, n % 2 == 1);
  l->count = 1;
  for (int32_t i = 0; i < a->model->particles.count; i++) {
    const bool is_reached = l->level[i] < UNREACHED;
    reached = reached && is_reached;
    l->has_free_path[i] = is_reached;
    if (!is_reached)
      l->level[i] = -1;
    else if (l->level[i] >= l->count)
      l->count = l->level[i] + 1;
  }
  return settled && (reached || a->model->springs.one_sided == 0);
}

static void weigh(const analysis *a, level_chain *l) {
  for (int32_t i = 0; i < a->model->particles.count; i++)
    if (l->level[i] > 0)
      l->levels[l->level[i]].mass += (double)a->model->particles.mass[i];
}

static bool is_helping_tether(const analysis *a, const level_chain *l, int32_t e) {
  const analysis_spring s = analysis_spring_at(a, e);
  return side_of(a, e) == MSD_SPRING_TENSION_ONLY && l->has_free_path[s.a] && l->has_free_path[s.b];
}

static bool is_taut(const world_model *model, int32_t spring) {
  static const double ROUNDING = 1e-4; /* of lengths in msd_real: a tether without slack is taut */
  return spring_length(&model->springs, &model->particles, spring) >=
         (1 - ROUNDING) * (double)model->springs.rest[spring];
}

/* Returns whether a spring carries load at the current positions. */
static bool carries(const analysis *a, const level_chain *l, int32_t e) {
  const analysis_spring s = analysis_spring_at(a, e);
  if (side_of(a, e) == MSD_SPRING_COMPRESSION_ONLY || l->level[s.a] == l->level[s.b])
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

/* The contribution of a spring to the level of its further end; far 0: none. */
typedef struct level_term {
  /* N/m, as in stretch_level, and m. */
  double present, max_stable, rest;
  int32_t far;
  bool is_tie;
} level_term;

typedef struct spring_terms {
  const analysis *analysis;
  level_chain *levels;
  double dt, factor;
  bool limit;
} spring_terms;

static level_term term_of(const spring_terms *of, int32_t e) {
  const analysis *a = of->analysis;
  const level_chain *l = of->levels;
  const world_model *model = a->model;
  level_term out = {.far = 0};
  if (!carries(a, l, e))
    return out;
  const analysis_spring s = analysis_spring_at(a, e);
  const int32_t near = l->level[s.a] < l->level[s.b] ? l->level[s.a] : l->level[s.b];
  const int32_t far = l->level[s.a] + l->level[s.b] - near;
  const bool is_tie = is_helping_tether(a, l, e) && near == 0;
  if (far > near + 1 && !is_tie)
    return out;
  law_terms t = spring_effective_mass(&model->springs, &model->particles, s.spring);
  t.stiffness *= of->factor;
  return (level_term){law_tune(&t, of->dt, of->limit).stiffness, t.share / (of->dt * of->dt),
                      (double)model->springs.rest[s.spring], far, is_tie};
}

static void make_terms(void *context, int32_t first, int32_t count, void *terms) {
  level_term *out = terms;
  for (int32_t n = 0; n < count; n++)
    out[n] = term_of(context, first + n);
}

static void take_terms(void *context, int32_t first, int32_t count, const void *terms) {
  const spring_terms *to = context;
  const level_term *from = terms;
  (void)first;
  for (int32_t n = 0; n < count; n++) {
    if (from[n].far == 0)
      continue;
    stretch_level *level = &to->levels->levels[from[n].far];
    add(&level->present, from[n].present, from[n].rest, from[n].is_tie);
    add(&level->max_stable, from[n].max_stable, from[n].rest, from[n].is_tie);
  }
}

static int threads_of(const world_model *model) {
  return parallel_threads(&model->tasks, model->thread_count, model->particles.count);
}

static void add_springs(const analysis *a, level_chain *l, double dt, bool limit, double factor) {
  spring_terms of = {a, l, dt, factor, limit};
  const ordered_work work = {make_terms, take_terms, sizeof(level_term), &of};
  ordered_run(&a->model->tasks, threads_of(a->model), a->model_springs, &work);
}

static double length(double3 v) {
  return sqrt(lane_dot(v, v));
}

/* m: the distance between the plane, or line, of the corners at level `near` of a triangle or tetrahedron,
   and that of its corners at the next level; 0 if it is flat. */
static double height_between(const double3 *x, const int32_t *levels, int32_t corners, int32_t near) {
  /* An edge between corners of the same level, and for a tetrahedron another. */
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

/* A fiber between two levels, where its triangle or tetrahedron has the height h. If the levels move apart by
   u, all lengths across them grow by the fraction u/h. Let c be the cosine of the fiber to that direction.
   Along the fiber, the level changes at the rate W = c/h, and the strain is c^2 u/h. So its energy is that of
   a spring of k c^4/h^2 = k W^4 h^2. */
static void add_fiber(const analysis *a, level_chain *l, int32_t fiber, double dt, bool limit,
                      double factor) {
  const world_model *model = a->model;
  const constraint_corners corners = constraint_corners_of(&model->constraints, fiber);
  const msd_real *weights = constraint_fiber_of(&model->constraints, fiber);
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
  law_terms t = constraint_split(&model->constraints, &model->particles, fiber);
  t.stiffness *= factor;
  add(&l->levels[far].present, law_tune(&t, dt, limit).stiffness * share * share, height, false);
  add(&l->levels[far].max_stable, t.share / (dt * dt) * share * share, height, false);
}

static void add_fibers(const analysis *a, level_chain *l, double dt, bool limit, double factor) {
  for (int32_t c = 0; c < a->model->constraints.count; c++)
    if (fiber_bound_has(a->model, c))
      add_fiber(a, l, c, dt, limit, factor);
}

/* Tension-only hard length limits from pins to particles that springs support too act as springs of c
   m_e/dt^2. */
static void add_hard_limits(const analysis *a, level_chain *l, double dt) {
  const spring_store *s = &a->model->springs;
  const particle_store *p = &a->model->particles;
  double *hard_limits = a->x;
  if (s->hard_limits == 0)
    return;
  memset(hard_limits, 0, (size_t)p->count * sizeof *hard_limits);
  for (int32_t e = 0; e < s->count; e++) {
    hard_limits[s->a[e]] += spring_can_hard_limit(s, p, e);
    hard_limits[s->b[e]] += spring_can_hard_limit(s, p, e);
  }
  for (int32_t e = 0; e < s->count; e++) {
    const int32_t at_a = s->a[e], at_b = s->b[e], far = l->level[at_a] + l->level[at_b];
    const bool is_from_pin = (l->level[at_a] == 0) != (l->level[at_b] == 0);
    if (spring_can_hard_limit(s, p, e) && spring_side(s, e) == MSD_SPRING_TENSION_ONLY && is_from_pin &&
        far > 0 && l->has_free_path[at_a] && l->has_free_path[at_b] && is_taut(a->model, e)) {
      const double stiffness =
          spring_hard_limit_mass(s, p, e, hard_limits[at_a], hard_limits[at_b]) / (dt * dt);
      add(&l->levels[far].present, stiffness, (double)s->rest[e], true);
      add(&l->levels[far].max_stable, stiffness, (double)s->rest[e], true);
    }
  }
}

/* A chain of levels at u_n, u_0 = 0: K_n (u_n - u_n-1) - K_n+1 (u_n+1 - u_n) + tied_n u_n = m_n g. Eliminated
   from the far end, a level and all beyond it act as a load and a stiffness to the ground,

       load_n = m_n g + load_n+1 s,   held_n = tied_n + held_n+1 s,   s = K_n+1/(K_n+1 + held_n+1). */
static double largest_stretch(level_chain *l, double gravity, bool max_stable) {
  double load = 0, held = 0;
  for (int32_t n = l->count - 1; n > 0; n--) {
    stretch_level *level = &l->levels[n];
    const level_springs *b = max_stable ? &level->max_stable : &level->present;
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
    const level_springs *b = max_stable ? &level->max_stable : &level->present;
    const double whole = b->stiff + b->bare + level->held;
    const double longer = whole > 0 ? (level->load - level->held * u) / whole : 0;
    if (b->strength > 0)
      most = fmax(most, longer * b->stiff / b->strength);
    u += longer;
  }
  return most;
}

stretch_pair level_chain_solve(const analysis *a, level_chain *l, double dt, bool limit, double factor) {
  memset(l->levels, 0, (size_t)l->count * sizeof *l->levels);
  weigh(a, l);
  add_springs(a, l, dt, limit, factor);
  add_fibers(a, l, dt, limit, factor);
  add_hard_limits(a, l, dt);
  const double gravity = vec3_length(a->model->gravity);
  return (stretch_pair){largest_stretch(l, gravity, false), largest_stretch(l, gravity, true)};
}

/* Returns false if memory runs out. */
static bool open_lists(const analysis *a, level_chain *l) {
  const size_t count = (size_t)a->model->particles.count;
  l->start = memory_allocate(a->memory, (count + 1) * sizeof *l->start);
  l->neighbor = memory_allocate_unset(a->memory, 2 * (size_t)a->count * sizeof *l->neighbor);
  l->queue = memory_allocate_unset(a->memory, count * sizeof *l->queue);
  return l->start && l->neighbor && l->queue;
}

/* Returns false if memory runs out. */
static bool find_levels(analysis *a, level_chain *l) {
  if (a->count > INT32_MAX / 2 || sweep_levels(a, l))
    return true;
  if (!open_lists(a, l))
    return false;
  link_neighbors(a, l);
  search_levels(a, l);
  return true;
}

level_chain *level_chain_open(analysis *a) {
  const size_t count = (size_t)a->model->particles.count;
  level_chain *l = memory_allocate(a->memory, sizeof *l);
  if (!l)
    return NULL;
  *l = (level_chain){
      .level = memory_allocate(a->memory, count * sizeof *l->level),
      .has_free_path = memory_allocate(a->memory, count * sizeof *l->has_free_path),
      .count = 1,
  };
  bool open = l->level && l->has_free_path && find_levels(a, l);
  if (open) {
    l->levels = memory_allocate_unset(a->memory, (size_t)l->count * sizeof *l->levels);
    open = l->levels != NULL;
  }
  if (open)
    return l;
  level_chain_close(a, l);
  return NULL;
}

void level_chain_close(const analysis *a, level_chain *l) {
  if (!l)
    return;
  memory_release(a->memory, l->start);
  memory_release(a->memory, l->neighbor);
  memory_release(a->memory, l->level);
  memory_release(a->memory, l->queue);
  memory_release(a->memory, l->has_free_path);
  memory_release(a->memory, l->levels);
  memory_release(a->memory, l);
}

/* ----------------------------------------------------------------------------------- estimate for a world */

static const double MUCH = 1e-3; /* above the rounding of scene files */

static bool is_longer_than_at_rest(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const double rest = (double)s->rest[spring];
  return !spring_is_broken(s, spring) && rest > 0 &&
         spring_length(s, &model->particles, spring) > (1 + MUCH) * rest;
}

/* Returns whether the estimate includes a constraint: a fiber that is not much longer than at rest. */
static bool is_seen(const world_model *model, int32_t constraint) {
  if (!fiber_bound_has(model, constraint))
    return false;
  const double rest = (double)model->constraints.rest[constraint];
  return constraint_measure(&model->constraints, &model->particles, constraint).value <= (1 + MUCH) * rest;
}

typedef struct unseen_springs {
  const world_model *model;
  int32_t *count;
} unseen_springs;

static void make_unseen(void *context, int32_t first, int32_t count, void *terms) {
  const unseen_springs *unseen = context;
  uint8_t *out = terms;
  for (int32_t n = 0; n < count; n++)
    out[n] = is_longer_than_at_rest(unseen->model, first + n);
}

static void take_unseen(void *context, int32_t first, int32_t count, const void *terms) {
  const unseen_springs *unseen = context;
  const uint8_t *from = terms;
  (void)first;
  for (int32_t n = 0; n < count; n++)
    *unseen->count += from[n];
}

static void count_unseen(const world_model *model, msd_static_stretch *out) {
  out->unseen_constraints = model->constraints.count - model->constraints.broken;
  for (int32_t c = 0; c < model->constraints.count; c++)
    out->unseen_constraints -= is_seen(model, c);
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    out->unseen_soft_pins += model->soft_pins.entries[n].particle >= 0;
  unseen_springs unseen = {model, &out->unseen_springs};
  const ordered_work work = {make_unseen, take_unseen, sizeof(uint8_t), &unseen};
  ordered_run(&model->tasks, threads_of(model), model->springs.count, &work);
}

msd_result stretch_estimate(const world_model *model, double substep, msd_static_stretch *out) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  msd_static_stretch made = {.substep = substep};
  analysis a;
  level_chain *levels = analysis_open_springs(&a, model, &scratch) ? level_chain_open(&a) : NULL;
  const bool open = levels != NULL;
  if (open) {
    const stretch_pair stretch = level_chain_solve(&a, levels, substep, model->clamp_stiffness, 1);
    made.present = stretch.present;
    made.max_stable = stretch.max_stable;
    count_unseen(model, &made);
    *out = made;
  }
  level_chain_close(&a, levels);
  analysis_close(&a);
  return open ? MSD_OK : MSD_OUT_OF_MEMORY;
}

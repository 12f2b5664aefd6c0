#include "engine/equilibrium/energy_terms.h"

#include "engine/step/soft_pin_step.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------ corners */

static bool open_corners(rest_corners *c, memory *m, int64_t terms, int64_t count, int32_t particles) {
  if (terms > INT32_MAX - 1 || count > INT32_MAX - 1)
    return false;
  c->first = memory_allocate_items(m, terms + 1, sizeof *c->first);
  c->particle = memory_allocate_items(m, count, sizeof *c->particle);
  c->at_first = memory_allocate_items(m, (int64_t)particles + 1, sizeof *c->at_first);
  c->at = memory_allocate_items(m, count, sizeof *c->at);
  c->term = memory_allocate_items(m, count, sizeof *c->term);
  return c->first && c->particle && c->at_first && c->at && c->term;
}

static void free_corners(rest_corners *c, memory *m) {
  memory_release(m, c->first);
  memory_release(m, c->particle);
  memory_release(m, c->at_first);
  memory_release(m, c->at);
  memory_release(m, c->term);
}

/* Adds a corner to the current term. */
static int32_t add_corner(rest_corners *c, int32_t particle) {
  c->particle[c->count] = particle;
  return c->count++;
}

static void end_term(rest_corners *c) {
  c->first[++c->terms] = c->count;
}

/* Lists the corners by particle. */
static void sort_corners(rest_corners *c, int32_t particles) {
  int32_t *first = c->at_first;
  for (int32_t n = 0; n < c->count; n++)
    first[c->particle[n] + 1]++;
  for (int32_t i = 0; i < particles; i++)
    first[i + 1] += first[i];
  for (int32_t t = c->terms - 1; t >= 0; t--)
    for (int32_t n = c->first[t + 1] - 1; n >= c->first[t]; n--) {
      const int32_t place = --first[c->particle[n] + 1];
      c->at[place] = n;
      c->term[place] = t;
    }
  /* Each end has become the beginning. */
  for (int32_t i = 0; i < particles; i++)
    first[i] = first[i + 1];
  first[particles] = c->count;
}

/* ------------------------------------------------------------------------------------------- construction */

typedef struct term_counts {
  int64_t bars, bar_corners, shapes, shape_corners;
} term_counts;

static term_counts count_terms(const world_model *model) {
  term_counts c = {.bars = (int64_t)model->springs.count + model->soft_pins.count,
                   .bar_corners = 2 * (int64_t)model->springs.count + model->soft_pins.count};
  for (int32_t n = 0; n < model->constraints.count; n++) {
    const bool is_fiber = constraint_is_fiber(&model->constraints, n);
    const int32_t corners = constraint_corners_of(&model->constraints, n).count;
    c.bars += is_fiber;
    c.bar_corners += is_fiber ? corners : 0;
    c.shapes += !is_fiber;
    c.shape_corners += is_fiber ? 0 : corners;
  }
  return c;
}

static bool open_terms(energy_terms *t, memory *m) {
  const term_counts c = count_terms(t->model);
  if (!open_corners(&t->bars, m, c.bars, c.bar_corners, t->particles) ||
      !open_corners(&t->shapes, m, c.shapes, c.shape_corners, t->particles))
    return false;
  t->weights = memory_allocate_items(m, c.bar_corners, sizeof *t->weights);
  t->at_weights = memory_allocate_items(m, c.bar_corners, sizeof *t->at_weights);
  t->bar = memory_allocate_items(m, c.bars, sizeof *t->bar);
  t->bar_force = memory_allocate_items(m, c.bars, sizeof *t->bar_force);
  t->shape = memory_allocate_items(m, c.shapes, sizeof *t->shape);
  t->gradient = memory_allocate_items(m, c.shape_corners, sizeof *t->gradient);
  t->shape_force = memory_allocate_items(m, c.shapes, sizeof *t->shape_force);
  t->shape_gradients = memory_allocate_items(m, c.shapes, sizeof *t->shape_gradients);
  return t->weights && t->at_weights && t->bar && t->bar_force && t->shape && t->gradient && t->shape_force &&
         t->shape_gradients;
}

static void add_bar_corner(energy_terms *t, int32_t particle, double weight) {
  const int32_t n = add_corner(&t->bars, particle);
  t->weights[n] = weight;
}

static void end_bar(energy_terms *t, rest_bar bar) {
  t->bar[t->bars.terms] = bar;
  end_term(&t->bars);
}

static void add_springs(energy_terms *t, double substep) {
  const world_model *model = t->model;
  const spring_store *s = &model->springs;
  for (int32_t e = 0; e < s->count; e++) {
    const law_terms terms = spring_effective_mass(s, &model->particles, e);
    const double k = law_present(&terms, substep, model->clamp_stiffness).stiffness;
    if (!(k > 0) || spring_is_broken(s, e))
      continue;
    add_bar_corner(t, s->a[e], 1);
    add_bar_corner(t, s->b[e], -1);
    const msd_spring_mode mode = spring_side(s, e);
    end_bar(t, (rest_bar){.stiffness = k,
                          .rest = (double)s->rest[e],
                          .tension = mode == MSD_SPRING_COMPRESSION_ONLY ? 0 : k,
                          .compression = mode == MSD_SPRING_TENSION_ONLY ? 0 : k});
  }
}

static void add_soft_pins(energy_terms *t, double substep) {
  const soft_pin_store *s = &t->model->soft_pins;
  for (int32_t a = 0; a < s->count; a++) {
    const double k = soft_pin_stiffness(t->model, a, substep);
    if (!(k > 0))
      continue;
    add_bar_corner(t, s->entries[a].particle, 1);
    end_bar(t, (rest_bar){k, 0, k, k, vec3_double(s->entries[a].point)});
  }
}

/* The stiffness in the reference configuration: softening in substeps does not change the energy. */
static double constraint_stiffness(const world_model *model, int32_t constraint, double substep) {
  const constraint_store *s = &model->constraints;
  const law_terms terms = constraint_split(s, &model->particles, constraint);
  return constraint_is_broken(s, constraint) ? 0
                                             : law_present(&terms, substep, model->clamp_stiffness).stiffness;
}

static void add_constraints(energy_terms *t, double substep) {
  const constraint_store *s = &t->model->constraints;
  for (int32_t c = 0; c < s->count; c++) {
    const double k = constraint_stiffness(t->model, c, substep);
    const constraint_corners corners = constraint_corners_of(s, c);
    if (!(k > 0))
      continue;
    for (int32_t n = 0; n < corners.count; n++) {
      if (constraint_is_fiber(s, c))
        add_bar_corner(t, corners.particles[n], (double)constraint_fiber_of(s, c)[n]);
      else
        add_corner(&t->shapes, corners.particles[n]);
    }
    if (constraint_is_fiber(s, c)) {
      end_bar(t, (rest_bar){k, (double)s->rest[c], k, k * (double)s->compression[c], {0, 0, 0}});
    } else {
      t->shape[t->shapes.terms] = (rest_shape){k, c};
      end_term(&t->shapes);
    }
  }
}

bool energy_terms_make(energy_terms *t, memory *m, const world_model *model, double substep) {
  *t = (energy_terms){.model = model, .particles = model->particles.count};
  if (!open_terms(t, m))
    return false;
  add_springs(t, substep);
  t->pairs = t->bars.terms;
  add_soft_pins(t, substep);
  add_constraints(t, substep);
  sort_corners(&t->bars, t->particles);
  sort_corners(&t->shapes, t->particles);
  for (int32_t n = 0; n < t->bars.count; n++)
    t->at_weights[n] = t->weights[t->bars.at[n]];
  return true;
}

void energy_terms_free(energy_terms *t, memory *m) {
  free_corners(&t->bars, m);
  free_corners(&t->shapes, m);
  memory_release(m, t->weights);
  memory_release(m, t->at_weights);
  memory_release(m, t->bar);
  memory_release(m, t->bar_force);
  memory_release(m, t->shape);
  memory_release(m, t->gradient);
  memory_release(m, t->shape_force);
  memory_release(m, t->shape_gradients);
  *t = (energy_terms){0};
}

/* --------------------------------------------------------------------------------------------------- bars */

/* Sums differences from the first corner if there are several, so that positions far from the origin lose no
   precision. */
static double3 bar_vector(const energy_terms *t, const double3 *x, int32_t bar) {
  const int32_t *particle = t->bars.particle;
  if (bar < t->pairs)
    return double3_subtract(x[particle[2 * (size_t)bar]], x[particle[2 * (size_t)bar + 1]]);
  const int32_t first = t->bars.first[bar], last = t->bars.first[bar + 1];
  if (last - first == 1)
    return double3_scale(x[particle[first]], t->weights[first]);
  double3 sum = {0, 0, 0};
  for (int32_t n = first + 1; n < last; n++)
    sum = double3_add_scaled(sum, double3_subtract(x[particle[n]], x[particle[first]]), t->weights[n]);
  return sum;
}

static double bar_stiffness(const rest_bar *b, double error) {
  return error > 0 ? b->tension : b->compression;
}

static double bar_energy(const rest_bar *b, double3 y) {
  const double error = sqrt(double3_dot(y, y)) - b->rest;
  return 0.5 * bar_stiffness(b, error) * error * error;
}

/* Returns the change of energy, and the force at y + move. */
static double bar_move(const rest_bar *b, double3 y, double3 move, double3 *force) {
  const double3 to = double3_add_scaled(y, move, 1), sum = double3_add_scaled(to, y, 1);
  const double from_length = sqrt(double3_dot(y, y)), to_length = sqrt(double3_dot(to, to));
  const double before = from_length - b->rest, behind = to_length - b->rest;
  const double from = bar_stiffness(b, before), to_stiffness = bar_stiffness(b, behind);
  const double lengths = from_length + to_length;
  *force = double3_scale(to, to_length > 0 ? to_stiffness * (behind / to_length) : 0);
  if (from == to_stiffness && lengths > 0)
    return 0.5 * from * (double3_dot(move, sum) / lengths) * (before + behind);
  return 0.5 * (to_stiffness * behind * behind - from * before * before);
}

/* ------------------------------------------------------------------------------------------------- shapes */

/* The corner after a vertex of a mesh in one of its triangles, relative to the origin. */
static double3 fan_place(const constraint_store *s, const double3 *x, int32_t fan, int after,
                         double3 origin) {
  return double3_subtract(x[constraint_fan_particle(s, fan, after)], origin);
}

/* dV/dx at a vertex: a sixth of the sum of cross products over its triangles. */
static double3 vertex_gradient(const constraint_store *s, const double3 *x, int32_t vertex, double3 origin) {
  double3 sum = {0, 0, 0};
  for (int32_t n = s->vertex_first[vertex]; n < s->vertex_first[vertex + 1]; n++)
    sum = double3_add_scaled(
        sum, double3_cross(fan_place(s, x, s->fans[n], 1, origin), fan_place(s, x, s->fans[n], 2, origin)),
        1.0 / 6);
  return sum;
}

/* The value at given positions; `gradient` per corner may be NULL. */
static double shape_value(const energy_terms *t, const double3 *x, int32_t shape, double3 *gradient) {
  const constraint_store *s = &t->model->constraints;
  const int32_t constraint = t->shape[shape].constraint, first = t->shapes.first[shape];
  const int32_t count = t->shapes.first[shape + 1] - first, *particle = t->shapes.particle + first;
  double3 corner[CONSTRAINT_CORNERS], unused[CONSTRAINT_CORNERS];
  const double weights[CONSTRAINT_CORNERS] = {0};
  if (!constraint_is_mesh(s, constraint)) {
    for (int32_t n = 0; n < count; n++)
      corner[n] = x[particle[n]];
    return constraint_kind_of(s, constraint)->shape_double(corner, weights, gradient ? gradient : unused);
  }
  const int32_t vertex = constraint_mesh_of(s, constraint)->first_vertex;
  const double3 origin = x[particle[0]];
  double value = 0;
  for (int32_t n = 0; n < count; n++) {
    const double3 g = vertex_gradient(s, x, vertex + n, origin);
    value += double3_dot(double3_subtract(x[particle[n]], origin), g) / 3;
    if (gradient)
      gradient[n] = g;
  }
  return value;
}

static double shape_error(const energy_terms *t, const double3 *x, int32_t shape, double3 *gradient) {
  const constraint_store *s = &t->model->constraints;
  const int32_t constraint = t->shape[shape].constraint;
  return constraint_error_double(constraint_kind_of(s, constraint), shape_value(t, x, shape, gradient),
                                 (double)s->rest[constraint]);
}

/* ---------------------------------------------------------------------------------------------- all terms */

double energy_terms_energy(const energy_terms *t, const double3 *x, int32_t first, int32_t last) {
  double sum = 0;
  for (int32_t n = first; n < last; n++) {
    const int32_t shape = n - t->bars.terms;
    if (shape < 0) {
      sum += bar_energy(&t->bar[n], double3_subtract(bar_vector(t, x, n), t->bar[n].origin));
    } else {
      const double error = shape_error(t, x, shape, NULL);
      sum += 0.5 * t->shape[shape].stiffness * error * error;
    }
  }
  return sum;
}

/* The sum of |dC/dx| over the corners of a shape. */
static double all_gradients(const energy_terms *t, int32_t shape) {
  double sum = 0;
  for (int32_t n = t->shapes.first[shape]; n < t->shapes.first[shape + 1]; n++)
    sum += sqrt(double3_dot(t->gradient[n], t->gradient[n]));
  return sum;
}

double energy_terms_move(energy_terms *t, const double3 *x, const double3 *to, const double3 *move,
                         int32_t first, int32_t last) {
  double sum = 0;
  for (int32_t n = first; n < last; n++) {
    const int32_t shape = n - t->bars.terms;
    if (shape < 0) {
      const double3 y = double3_subtract(bar_vector(t, x, n), t->bar[n].origin);
      sum += bar_move(&t->bar[n], y, bar_vector(t, move, n), &t->bar_force[n]);
    } else {
      const double before = shape_error(t, x, shape, NULL),
                   behind = shape_error(t, to, shape, t->gradient + t->shapes.first[shape]);
      t->shape_force[shape] = t->shape[shape].stiffness * behind;
      t->shape_gradients[shape] = all_gradients(t, shape);
      sum += 0.5 * t->shape[shape].stiffness * (behind - before) * (behind + before);
    }
  }
  return sum;
}

double3 energy_terms_gather(const energy_terms *t, int32_t particle, double *weight) {
  const rest_corners *bars = &t->bars, *shapes = &t->shapes;
  double3 sum = {0, 0, 0};
  *weight = 0;
  for (int32_t n = bars->at_first[particle]; n < bars->at_first[particle + 1]; n++)
    sum = double3_add_scaled(sum, t->bar_force[bars->term[n]], t->at_weights[n]);
  for (int32_t n = shapes->at_first[particle]; n < shapes->at_first[particle + 1]; n++) {
    const double3 g = t->gradient[shapes->at[n]];
    const int32_t shape = shapes->term[n];
    *weight += t->shape[shape].stiffness * sqrt(double3_dot(g, g)) * t->shape_gradients[shape];
    sum = double3_add_scaled(sum, g, t->shape_force[shape]);
  }
  return sum;
}

double energy_terms_weight(const energy_terms *t, int32_t particle) {
  const rest_corners *bars = &t->bars;
  double weight = 0;
  for (int32_t n = bars->at_first[particle]; n < bars->at_first[particle + 1]; n++) {
    const int32_t bar = bars->term[n];
    double all = 0;
    for (int32_t c = bars->first[bar]; c < bars->first[bar + 1]; c++)
      all += fabs(t->weights[c]);
    weight += t->bar[bar].stiffness * fabs(t->at_weights[n]) * all;
  }
  return weight;
}

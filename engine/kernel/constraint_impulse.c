#include "engine/kernel/constraint_impulse.h"

#include "engine/constraint/mesh_volume.h"
#include "engine/constraint/tuning.h"
#include "engine/kernel/warm_start.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- layout */

/* A mesh gets no color. */
static int corners_for_coloring(const void *context, int32_t constraint, int32_t *particles) {
  const constraint_store *s = context;
  if (constraint_is_mesh(s, constraint))
    return 0;
  const constraint_corners corners = constraint_corners_of(s, constraint);
  memcpy(particles, corners.particles, (size_t)corners.count * sizeof *particles);
  return corners.count;
}

static constraint_impulse item_of(const constraint_store *s, const particle_store *p, int32_t constraint) {
  constraint_impulse item = {.constraint = constraint};
  if (constraint_is_mesh(s, constraint)) {
    item.slots[0] = (int32_t)(constraint_mesh_of(s, constraint) - s->meshes);
    return item;
  }
  const constraint_corners corners = constraint_corners_of(s, constraint);
  item.corners = corners.count;
  for (int32_t n = 0; n < CONSTRAINT_CORNERS; n++)
    item.slots[n] = (int32_t)particle_slot(p, corners.particles[n < corners.count ? n : 0]);
  return item;
}

static void find_mesh_slots(constraint_impulses *c, const constraint_store *s, const particle_store *p) {
  for (int32_t v = 0; v < s->vertex_count; v++)
    c->vertex_slots[v] = (int32_t)particle_slot(p, s->vertices[v]);
  for (int32_t f = 0; f < 3 * s->triangle_count; f++)
    for (int after = 1; after <= 2; after++)
      c->fan_slots[2 * f + after - 1] = (int32_t)particle_slot(p, constraint_fan_particle(s, f, after));
}

void constraint_impulses_free(constraint_impulses *c, memory *m) {
  memory_release(m, c->items);
  memory_release(m, c->meshes);
  memory_release(m, c->vertex_slots);
  memory_release(m, c->fan_slots);
  memory_release(m, c->vertex_weight);
  memory_release(m, c->gradients);
  *c = (constraint_impulses){0};
}

bool constraint_impulses_make(constraint_impulses *c, memory *m, const constraint_store *s,
                              const particle_store *p) {
  constraint_impulses_free(c, m);
  const size_t vertices = (size_t)s->vertex_count;
  int32_t *order = coloring_make(&c->colors, m, s->count, p->count, corners_for_coloring, s);
  c->items = memory_allocate(m, (size_t)s->count * sizeof *c->items);
  c->meshes = memory_allocate(m, (size_t)s->mesh_count * sizeof *c->meshes);
  c->vertex_slots = memory_allocate(m, vertices * sizeof *c->vertex_slots);
  c->fan_slots = memory_allocate(m, 6 * (size_t)s->triangle_count * sizeof *c->fan_slots);
  c->vertex_weight = memory_allocate(m, vertices * sizeof *c->vertex_weight);
  c->gradients = memory_allocate(m, vertices * sizeof *c->gradients);
  const bool done =
      order && c->items && c->meshes && c->vertex_slots && c->fan_slots && c->vertex_weight && c->gradients;
  if (done) {
    for (int32_t n = 0; n < s->count; n++)
      c->items[n] = item_of(s, p, order[n]);
    find_mesh_slots(c, s, p);
    c->count = s->count;
  }
  memory_release(m, order);
  if (!done)
    constraint_impulses_free(c, m);
  return done;
}

/* ---------------------------------------------------------------------------------------- coefficients */

void constraint_impulses_tune(constraint_impulses *c, const constraint_store *s, const particle_store *p,
                              double dt, bool limit) {
  const bool limited = limit;
  c->most_stiffness = limited ? (msd_real)(1 / (dt * dt)) : 0;
  c->most_damping = limited ? (msd_real)(1 / dt) : 0;
  for (int32_t n = 0; n < c->count; n++) {
    constraint_impulse *item = &c->items[n];
    const constraint_factors factors = constraint_factors_at(s, p, item->constraint, dt);
    constraint_factors_write(&factors, item->factors, 1);
    item->rest = s->rest[item->constraint];
    item->compression = s->compression[item->constraint];
    const constraint_corners corners = constraint_corners_of(s, item->constraint);
    for (int32_t k = 0; k < item->corners; k++)
      item->weight[k] = p->inverse_mass[corners.particles[k]];
  }
  for (int32_t v = 0; v < s->vertex_count; v++)
    c->vertex_weight[v] = p->inverse_mass[s->vertices[v]];
}

void constraint_impulses_set_rests(constraint_impulses *c, const constraint_store *s) {
  for (int32_t n = 0; n < c->count; n++)
    c->items[n].rest = s->rest[c->items[n].constraint];
}

bool constraint_impulses_take_softened(constraint_impulses *c, const constraint_store *s) {
  bool some = false;
  for (int32_t n = 0; n < c->count; n++) {
    some = some || (c->items[n].excess > 1 && constraint_takes_room(s, c->items[n].constraint));
    c->items[n].excess = 0;
  }
  return some;
}

/* --------------------------------------------------------------------------------- current configuration */

static msd_vec3 read_vector(const msd_real *component, size_t stride, int32_t slot) {
  return (msd_vec3){component[slot], component[stride + (size_t)slot], component[2 * stride + (size_t)slot]};
}

static constraint_impulse_state state_of(const constraint_impulse_thread *p, const constraint_impulse *item,
                                         msd_real value, msd_real weight, msd_real excess) {
  const msd_real mass = tuning_mass(weight);
  const tuning_factors factors = tuning_read(item->factors, 1);
  const shape_tuning t =
      tuning_at(&factors, excess, (tuning_limit){p->impulses->most_stiffness, p->impulses->most_damping});
  const msd_real error =
      constraint_error_real(constraint_kind_of(p->store, item->constraint), value, item->rest);
  const msd_real side = error < 0 ? item->compression : 1;
  return (constraint_impulse_state){
      .error = error,
      .stiffness = side * t.stiffness,
      .damping = side * t.damping,
      .weight = weight,
      .excess = excess,
      .acts = mass > 0 && (t.stiffness > 0 || t.damping > 0),
  };
}

static constraint_impulse_state corner_state(const constraint_impulse_thread *p,
                                             const constraint_impulse *item, msd_vec3 *gradient) {
  msd_vec3 x[CONSTRAINT_CORNERS];
  for (int32_t k = 0; k < CONSTRAINT_CORNERS; k++)
    x[k] = read_vector(p->position, p->stride, item->slots[k]);
  const constraint_kind *kind = constraint_kind_of(p->store, item->constraint);
  const msd_real value = kind->shape_real(x, constraint_fiber_of(p->store, item->constraint), gradient);
  const msd_real *softening = constraint_weights(p->store, item->constraint);
  msd_real weight = 0, excess = 0;
  for (int32_t k = 0; k < item->corners; k++) {
    const msd_real square = lane_dot(gradient[k], gradient[k]);
    weight += item->weight[k] * square;
    excess += softening[k] * square;
  }
  return state_of(p, item, value, weight, excess);
}

/* The triangles that meet at a vertex of a mesh: two slots for each. */
typedef struct vertex_fans {
  const constraint_impulse_thread *thread;
  const int32_t *slots;
} vertex_fans;

static msd_vec3 fan_corner(const void *context, int32_t fan, int after) {
  const vertex_fans *v = context;
  return read_vector(v->thread->position, v->thread->stride, v->slots[2 * fan + after - 1]);
}

/* The gradient of the volume, at vertex number `vertex` of all meshes. */
static msd_vec3 vertex_gradient(const constraint_impulse_thread *p, int32_t vertex, msd_vec3 origin) {
  const int32_t first = p->store->vertex_first[vertex], last = p->store->vertex_first[vertex + 1];
  const vertex_fans fans = {p, p->impulses->fan_slots + 2 * (size_t)first};
  const msd_vec3 slope = mesh_volume_slope(last - first, origin, fan_corner, &fans);
  return (msd_vec3){slope.x / 6, slope.y / 6, slope.z / 6};
}

static void measure_mesh(const constraint_impulse_thread *p, const constraint_impulse *item) {
  constraint_impulses *c = p->impulses;
  const constraint_mesh *mesh = &p->store->meshes[item->slots[0]];
  const int32_t first = mesh->first_vertex, last = first + mesh->vertex_count;
  const msd_vec3 origin = read_vector(p->position, p->stride, c->vertex_slots[first]);
  msd_real volume = 0, weight = 0, excess = 0;
  for (int32_t v = first; v < last; v++) {
    const msd_vec3 g = c->gradients[v] = vertex_gradient(p, v, origin);
    volume += lane_dot(lane_subtract(read_vector(p->position, p->stride, c->vertex_slots[v]), origin), g);
    weight += c->vertex_weight[v] * lane_dot(g, g);
    excess += p->store->vertex_weights[v] * lane_dot(g, g);
  }
  c->meshes[item->slots[0]] = state_of(p, item, volume / 3, weight, excess);
}

/* ------------------------------------------------------------------------------------------- impulses */

/* The corners of an item, with their inverse masses and gradients. */
typedef struct lever {
  const int32_t *slots;
  const msd_real *weight;
  const msd_vec3 *gradient;
  int32_t count;
} lever;

static void give(const constraint_impulse_thread *p, const lever *l, msd_real impulse) {
  msd_real *x = p->velocity, *y = x + p->stride, *z = y + p->stride;
  for (int32_t k = 0; k < l->count; k++) {
    const msd_real change = l->weight[k] * impulse;
    if (!(l->weight[k] > 0))
      continue;
    x[l->slots[k]] += change * l->gradient[k].x;
    y[l->slots[k]] += change * l->gradient[k].y;
    z[l->slots[k]] += change * l->gradient[k].z;
  }
}

static msd_real rate_of(const constraint_impulse_thread *p, const lever *l) {
  msd_real rate = 0;
  for (int32_t k = 0; k < l->count; k++)
    rate += lane_dot(l->gradient[k], read_vector(p->velocity, p->stride, l->slots[k]));
  return rate;
}

static void act(const constraint_impulse_thread *p, constraint_impulse *item,
                const constraint_impulse_state *state, const lever *l, impulse_pass pass) {
  msd_real *given = p->given ? &p->given[item->constraint] : NULL;
  item->excess = state->excess > item->excess ? state->excess : item->excess;
  if (!state->acts) {
    if (given)
      *given = 0;
    return;
  }
  if (pass == IMPULSE_WARM) {
    *given = p->begin[item->constraint];
    give(p, l, *given);
    return;
  }
  msd_real change = -p->dt * (state->stiffness * state->error + state->damping * rate_of(p, l));
  if (given) {
    const msd_real so_far = pass == IMPULSE_FIRST ? 0 : *given;
    const msd_real cd = p->dt * state->damping * state->weight;
    change += (cd - 1) * so_far;
    *given = (msd_real)given_impulse((double)(so_far + change));
  }
  give(p, l, change);
}

static void act_on_mesh(const constraint_impulse_thread *p, constraint_impulse *item, impulse_pass pass,
                        bool begins) {
  const constraint_impulses *c = p->impulses;
  const constraint_mesh *mesh = &p->store->meshes[item->slots[0]];
  const int32_t first = mesh->first_vertex;
  if (begins)
    measure_mesh(p, item);
  act(p, item, &c->meshes[item->slots[0]],
      &(lever){c->vertex_slots + first, c->vertex_weight + first, c->gradients + first, mesh->vertex_count},
      pass);
}

static void act_on_corners(const constraint_impulse_thread *p, constraint_impulse *item, impulse_pass pass) {
  msd_vec3 gradient[CONSTRAINT_CORNERS];
  const constraint_impulse_state state = corner_state(p, item, gradient);
  act(p, item, &state, &(lever){item->slots, item->weight, gradient, item->corners}, pass);
}

/* The arguments of a pass on one thread. */
typedef struct turn {
  const constraint_impulse_thread *thread;
  impulse_pass pass;
  bool begins;
} turn;

static void act_on_range(const void *context, parallel_range range) {
  const turn *t = context;
  for (int32_t n = range.first; n < range.last; n++) {
    constraint_impulse *item = &t->thread->impulses->items[n];
    if (item->corners > 0)
      act_on_corners(t->thread, item, t->pass);
    else
      act_on_mesh(t->thread, item, t->pass, t->begins);
  }
}

void constraint_impulses_pass(const constraint_impulse_thread *p, impulse_pass pass, bool begins) {
  const turn t = {p, pass, begins};
  coloring_run(&p->impulses->colors, act_on_range, &t, p->barrier, p->thread, p->threads);
}

#include "engine/step/frame_record.h"

#include "engine/air/wind.h"
#include "engine/base/sort.h"
#include "engine/collider/motion.h"
#include "engine/step/soft_pin_step.h"
#include "engine/step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const growth_array contact_arrays[] = {GROWTH_ARRAY(contact_records, items)};
static const growth_table contact_growth =
    GROWTH(contact_records, count, capacity, contact_arrays, .most = INT32_MAX / 64);

void frame_record_free(frame_record *r, memory *m) {
  for (int kind = 0; kind < RECORD_KINDS; kind++)
    growth_free(&contact_growth, &r->contacts[kind], m);
  growth_free(&contact_growth, &r->fresh, m);
  growth_free(&contact_growth, &r->merged, m);
  memory_release(m, r->pushes.items);
  memory_release(m, r->particle_of);
  memory_release(m, r->colliders);
  memory_release(m, r->pins);
  memory_release(m, r->soft_pins);
  memory_release(m, r->springs);
  memory_release(m, r->constraints);
  *r = (frame_record){.wanted = r->wanted};
}

void frame_record_forget(frame_record *r) {
  r->what = 0;
}

/* Guarantees memory for `needed` items, at least one, all zero. Returns NULL, with `array` unchanged, if memory
   runs out. */
static void *reserve_zeroed(memory *m, void *array, int32_t *capacity, int64_t needed, size_t item) {
  needed = needed > 1 ? needed : 1;
  if (needed <= *capacity) {
    memset(array, 0, (size_t)needed * item);
    return array;
  }
  void *larger = needed < INT32_MAX ? memory_replace(m, array, (size_t)needed * item) : NULL;
  if (larger)
    *capacity = (int32_t)needed;
  return larger;
}

/* ------------------------------------------------------------------------------------------------- begin */

static bool list_slots(stepper *s) {
  frame_record *r = &s->record;
  const particle_store *p = &s->model->particles;
  int32_t *slots =
      reserve_zeroed(&s->model->memory, r->particle_of, &r->slot_capacity, p->count, sizeof *slots);
  if (!slots)
    return false;
  r->particle_of = slots;
  for (int32_t i = 0; i < p->count; i++)
    slots[particle_slot(p, i)] = i;
  return true;
}

static bool reserve_pushes(stepper *s, int64_t needed) {
  contact_pushes *pushes = &s->record.pushes;
  contact_push *items =
      reserve_zeroed(&s->model->memory, pushes->items, &pushes->capacity, needed, sizeof *items);
  if (items)
    pushes->items = items;
  return items;
}

static bool begin_contacts(stepper *s) {
  frame_record *r = &s->record;
  memory *m = &s->model->memory;
  const int32_t count = s->model->colliders.count;
  for (int kind = 0; kind < RECORD_KINDS; kind++)
    r->contacts[kind].count = 0;
  collider_record *colliders =
      reserve_zeroed(m, r->colliders, &r->collider_capacity, count, sizeof *colliders);
  if (!colliders)
    return false;
  r->colliders = colliders;
  r->collider_count = count;
  /* Two colliders rarely push the same particle in a substep; list_pushes reserves more if they do. */
  return count == 0 || reserve_pushes(s, 2 * (int64_t)s->model->particles.count);
}

/* ------------------------------------------------------------------------------------------------ contacts */

static int compare_keys(const contact_record *a, const contact_record *b) {
  for (int n = 0; n < CONTACT_KEY; n++)
    if (a->key[n] != b->key[n])
      return a->key[n] < b->key[n] ? -1 : 1;
  return 0;
}

static bool append(stepper *s, contact_records *to, const contact_record *record) {
  if (!growth_reserve(&contact_growth, to, &s->model->memory, to->count + (int64_t)1))
    return false;
  to->items[to->count++] = *record;
  return true;
}

/* Contact may act several times in a substep, as with scaled masses, and then keys repeat. qsort is not stable,
   so equal keys are ordered by impulse. The rounding of their sum is then deterministic. */
static int by_key_and_impulse(const void *a, const void *b) {
  const contact_record *p = a, *q = b;
  const int order = compare_keys(p, q);
  if (order != 0)
    return order;
  const double own[] = {p->impulse.x, p->impulse.y, p->impulse.z},
               other[] = {q->impulse.x, q->impulse.y, q->impulse.z};
  for (int c = 0; c < 3; c++)
    if (own[c] != other[c])
      return own[c] < other[c] ? -1 : 1;
  return 0;
}

/* True if the keys ascend. They usually do with one thread, which finds contacts in the order of the slots. */
static bool is_sorted(const contact_records *list) {
  bool is = true;
  for (int32_t n = 1; n < list->count && is; n++)
    is = compare_keys(&list->items[n - 1], &list->items[n]) < 0;
  return is;
}

static contact_record joined(const contact_record *before, const contact_record *now) {
  contact_record sum = *now;
  sum.impulse = double3_add_scaled(before->impulse, now->impulse, 1);
  return sum;
}

/* Adds the contacts of a substep to those of the frame. */
static bool merge(stepper *s, int kind) {
  frame_record *r = &s->record;
  contact_records *all = &r->contacts[kind], *fresh = &r->fresh, *merged = &r->merged;
  if (!is_sorted(fresh))
    qsort(fresh->items, (size_t)fresh->count, sizeof *fresh->items, by_key_and_impulse);
  merged->count = 0;
  for (int32_t i = 0, k = 0; i < all->count || k < fresh->count;) {
    const int order = i == all->count     ? 1
                      : k == fresh->count ? -1
                                          : compare_keys(&all->items[i], &fresh->items[k]);
    contact_record next = order > 0 ? fresh->items[k++] : all->items[i++];
    next.is_last = order > 0;
    while (k < fresh->count && compare_keys(&next, &fresh->items[k]) == 0)
      next = joined(&next, &fresh->items[k++]);
    if (!append(s, merged, &next))
      return false;
  }
  const contact_records old = *all;
  *all = *merged;
  *merged = old;
  return true;
}

/* Elapsed fraction of the frame at the start and at the end of a substep. */
typedef struct collider_moment {
  double before, behind;
} collider_moment;

static msd_vec3 place_of(const particle_store *p, int32_t slab, size_t slot) {
  const msd_real *at = p->slab[slab] ? p->slab[slab] + slot : p->slab[p->current] + slot;
  return (msd_vec3){at[0], at[p->stride], at[2 * p->stride]};
}

static contact_record record_of_push(const stepper *s, const contact_push *push, collider_moment moment) {
  const particle_store *p = &s->model->particles;
  const int32_t particle = s->record.particle_of[push->slot];
  const double factor = (double)p->mass[particle] / s->model->substep;
  return (contact_record){.key = {particle, push->collider},
                          .impulse = {(double)push->way[0] * factor, (double)push->way[1] * factor,
                                      (double)push->way[2] * factor},
                          .point = place_of(p, p->current, (size_t)push->slot),
                          .share = moment.behind,
                          .is_last = true};
}

/* Replaces the particle position of each collider contact by the contact point and its normal. The collider has
   the pose of the last substep with that contact. */
static void find_points(stepper *s) {
  const contact_records *all = &s->record.contacts[RECORD_OF_COLLIDERS];
  for (int32_t n = 0; n < all->count; n++) {
    contact_record *c = &all->items[n];
    collider_entry entry = s->model->colliders.entries[c->key[1]];
    entry.pose = collider_pose_at(&entry, c->share);
    entry.moves = false;
    const collider_touch touch = collider_find_touch(&entry, c->point);
    c->point = touch.point;
    c->normal = touch.normal;
  }
}

/* Lists the pushes of a substep. If they exceed the capacity, all pushes on a particle are attributed to the
   collider that pushed it last, and the capacity is increased for the next substep. */
static bool list_pushes(stepper *s, collider_moment moment) {
  contact_pushes *pushes = &s->record.pushes;
  const contact_work *w = &s->contacts;
  const int32_t count = atomic_load_explicit(&pushes->count, memory_order_relaxed);
  bool done = true;
  for (int32_t n = 0; n < count && count <= pushes->capacity && done; n++) {
    const contact_record record = record_of_push(s, &pushes->items[n], moment);
    done = append(s, &s->record.fresh, &record);
  }
  if (count <= pushes->capacity)
    return done;
  for (int32_t slot = 0; slot < w->particles && done; slot++) {
    if (w->pushed_by[slot] < 0)
      continue;
    contact_push push = {slot, w->pushed_by[slot], {0, 0, 0}};
    for (size_t c = 0; c < 3; c++)
      push.way[c] = (msd_real)((double)w->given[c * w->stride + (size_t)slot] * s->model->substep);
    const contact_record record = record_of_push(s, &push, moment);
    done = append(s, &s->record.fresh, &record);
  }
  return done && reserve_pushes(s, 2 * (int64_t)count);
}

/* Adds the impulses of a substep to the colliders. Their moments use the position of the particle at the start
   of the substep: as x' = x + dt v', that is the exact change of its angular momentum. */
static void add_to_colliders(stepper *s, collider_moment moment) {
  const particle_store *p = &s->model->particles;
  frame_record *r = &s->record;
  for (int32_t n = 0; n < r->collider_count && r->fresh.count > 0; n++)
    r->colliders[n].at = collider_pose_at(&s->model->colliders.entries[n], moment.before).position;
  for (int32_t n = 0; n < r->fresh.count; n++) {
    const contact_record *c = &r->fresh.items[n];
    const size_t slot = particle_slot(p, c->key[0]);
    collider_record *to = &r->colliders[c->key[1]];
    const double3 arm = double3_subtract(vec3_double(place_of(p, !p->current, slot)), to->at);
    to->impulse = double3_add_scaled(to->impulse, c->impulse, -1);
    to->moment = double3_add_scaled(to->moment, double3_cross(arm, c->impulse), -1);
  }
}

static bool list_pairs(stepper *s) {
  const particle_store *p = &s->model->particles;
  const near_pairs *near = &s->self.near;
  const double dt = s->model->substep;
  bool done = true;
  for (int32_t n = 0; n < near->count && done; n++) {
    near_contact contact;
    if (!near_pairs_get_contact(near, n, &contact))
      continue;
    contact_record record = {.key = {(int32_t)contact.kind}, .normal = contact.normal, .is_last = true};
    double3 point = {0, 0, 0};
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      record.key[corner + 1] = s->record.particle_of[contact.slots[corner]];
      const msd_vec3 x = place_of(p, p->current, (size_t)contact.slots[corner]);
      point = double3_add_scaled(point, vec3_double(x), fabs((double)contact.weight[corner]) / 2);
    }
    record.point = (msd_vec3){(msd_real)point.x, (msd_real)point.y, (msd_real)point.z};
    record.impulse = double3_scale(vec3_double(contact.force), 1 / dt);
    done = append(s, &s->record.fresh, &record);
  }
  return done;
}

static bool add_contacts(stepper *s, int taken) {
  frame_record *r = &s->record;
  const double all = s->model->colliders.substeps;
  const collider_moment moment = {taken / all, (taken + 1) / all};
  r->fresh.count = 0;
  bool done = !s->contacts.pushes || list_pushes(s, moment);
  done = done && merge(s, RECORD_OF_COLLIDERS);
  if (done)
    add_to_colliders(s, moment);
  r->fresh.count = 0;
  done = done && (!stepper_has_surfaces(s) || list_pairs(s));
  return done && merge(s, RECORD_OF_MESHES);
}

/* ----------------------------------------------------------------------------- pins, soft pins, constraints */

/* True if the integrator evaluates forces once per substep, at the state that the substep reads. */
static bool evaluates_once(const world_model *model) {
  return model->integrator == MSD_SYMPLECTIC_EULER || model->integrator == MSD_EXPLICIT_EULER;
}

static bool is_sequential(const world_model *model) {
  return model->integrator == MSD_SEQUENTIAL_IMPULSE;
}

static bool is_pin(const particle_store *p, int32_t particle) {
  return p->inverse_mass[particle] == 0;
}

static bool has_pinned_end(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  return !spring_is_broken(s, spring) &&
         (is_pin(&model->particles, s->a[spring]) || is_pin(&model->particles, s->b[spring]));
}

static bool list_springs(stepper *s) {
  frame_record *r = &s->record;
  const world_model *model = s->model;
  int64_t count = 0;
  for (int32_t e = 0; e < model->springs.count; e++)
    count += has_pinned_end(model, e);
  pin_spring *springs =
      reserve_zeroed(&s->model->memory, r->springs, &r->spring_capacity, count, sizeof *springs);
  if (!springs)
    return false;
  r->springs = springs;
  r->spring_count = 0;
  for (int32_t e = 0; e < model->springs.count; e++) {
    if (!has_pinned_end(model, e))
      continue;
    const law_terms terms = spring_effective_mass(&model->springs, &model->particles, e);
    springs[r->spring_count++] =
        (pin_spring){.spring = e, .tuning = law_present(&terms, model->tuned_step, model->clamp_stiffness)};
  }
  return true;
}

static bool begin_pins(stepper *s) {
  frame_record *r = &s->record;
  memory *m = &s->model->memory;
  double3 *pins = reserve_zeroed(m, r->pins, &r->pin_capacity, s->model->particles.count, sizeof *pins);
  if (pins)
    r->pins = pins;
  double3 *soft_pins =
      reserve_zeroed(m, r->soft_pins, &r->soft_pin_capacity, s->model->soft_pins.count, sizeof *soft_pins);
  if (soft_pins)
    r->soft_pins = soft_pins;
  r->pin_count = s->model->particles.count;
  r->soft_pin_count = s->model->soft_pins.count;
  return pins && soft_pins && list_springs(s);
}

static bool has_pinned_corner(const world_model *model, int32_t constraint) {
  const constraint_corners c = constraint_corners_of(&model->constraints, constraint);
  bool has = false;
  for (int32_t n = 0; n < c.count && !has; n++)
    has = is_pin(&model->particles, c.particles[n]);
  return has;
}

/* True if the record lists a constraint: constraints are recorded, or it acts on a pin by impulses. Where
   constraints are forces, pins do not need it, because constraint_forces has the sum at each pin. */
static bool is_recorded(const stepper *s, int32_t constraint) {
  const world_model *model = s->model;
  if (constraint_is_broken(&model->constraints, constraint))
    return false;
  return (s->record.what & MSD_RECORD_CONSTRAINTS) ||
         (is_sequential(model) && has_pinned_corner(model, constraint));
}

static bool list_constraints(stepper *s) {
  frame_record *r = &s->record;
  const constraint_store *all = &s->model->constraints;
  int64_t count = 0;
  for (int32_t c = 0; c < all->count; c++)
    count += is_recorded(s, c);
  constraint_record *constraints =
      reserve_zeroed(&s->model->memory, r->constraints, &r->constraint_capacity, count, sizeof *constraints);
  if (!constraints)
    return false;
  r->constraints = constraints;
  r->constraint_count = 0;
  for (int32_t c = 0; c < all->count; c++)
    if (is_recorded(s, c))
      constraints[r->constraint_count++].constraint = c;
  return true;
}

/* True if some pressure mesh acts on a pin. Its impulse is unknown, because the record has no gradients
   of meshes. */
static bool has_pinned_mesh(const world_model *model) {
  bool has = false;
  for (int32_t c = 0; c < model->constraints.count && !has; c++)
    has = constraint_is_mesh(&model->constraints, c) && !constraint_is_broken(&model->constraints, c) &&
          has_pinned_corner(model, c);
  return has;
}

static bool begin_reactions(stepper *s) {
  frame_record *r = &s->record;
  const world_model *model = s->model;
  r->lacks_pins = stepper_projects(s) || !(evaluates_once(model) || is_sequential(model)) ||
                  (is_sequential(model) && has_pinned_mesh(model));
  r->constraint_count = r->pin_count = r->soft_pin_count = r->spring_count = 0;
  if ((r->what & MSD_RECORD_PINS) && !begin_pins(s))
    return false;
  return (!evaluates_once(model) && !is_sequential(model)) || list_constraints(s);
}

static void add_to_pin(stepper *s, int32_t particle, double3 impulse, double factor) {
  if (is_pin(&s->model->particles, particle))
    s->record.pins[particle] = double3_add_scaled(s->record.pins[particle], impulse, factor);
}

/* Adds a tension impulse in N s to the pinned ends of a spring. `unit` points from b to a. */
static void pull_together(stepper *s, int32_t spring, const double unit[3], double impulse) {
  const double3 way = {unit[0], unit[1], unit[2]};
  add_to_pin(s, s->model->springs.a[spring], way, -impulse);
  add_to_pin(s, s->model->springs.b[spring], way, impulse);
}

static void read_springs(stepper *s) {
  const world_model *model = s->model;
  for (int32_t n = 0; n < s->record.spring_count; n++) {
    pin_spring *e = &s->record.springs[n];
    if (spring_is_broken(&model->springs, e->spring)) /* torn within the frame */
      continue;
    spring_direction(&model->springs, &model->particles, e->spring, e->unit);
    if (is_sequential(model) || spring_is_hard_limit(&model->springs, e->spring))
      continue;
    const double pull = spring_tension(&model->springs, &model->particles, e->spring, e->tuning);
    pull_together(s, e->spring, e->unit, pull * model->substep);
  }
}

static void read_constraints(stepper *s) {
  const world_model *model = s->model;
  const constraint_store *all = &model->constraints;
  for (int32_t n = 0; n < s->record.constraint_count; n++) {
    constraint_record *c = &s->record.constraints[n];
    c->now = 0;
    if (constraint_is_broken(all, c->constraint))
      continue;
    if (!constraint_is_mesh(all, c->constraint))
      constraint_gradients(all, &model->particles, c->constraint, c->gradient);
    if (is_sequential(model))
      continue;
    const constraint_shape shape = constraint_measure(all, &model->particles, c->constraint);
    const law_tuning tuning = constraint_present_tuning(all, &model->particles, c->constraint, &shape,
                                                        model->tuned_step, model->clamp_stiffness);
    c->now = model->substep * (tuning.stiffness * shape.error + tuning.damping * shape.rate);
  }
}

static void read_reactions(stepper *s, double elapsed) {
  read_springs(s);
  read_constraints(s);
  if (s->record.what & MSD_RECORD_PINS)
    soft_pin_add_impulses(s->model, elapsed, false, s->record.soft_pins);
}

/* Position y of a particle before hard limits act: the final position without the displacements by hard limits
   and colliders. */
static double3 found_at(const stepper *s, int32_t particle) {
  const particle_store *p = &s->model->particles;
  const hard_limit_list *list = &s->hard_limits;
  const contact_work *w = &s->contacts;
  const int32_t slot = (int32_t)particle_slot(p, particle), lane = slot % HARD_LIMIT_LANES;
  const int32_t k =
      sorted_place(list->groups, list->group_count, sizeof *list->groups, slot / HARD_LIMIT_LANES);
  const bool is_listed =
      k < list->group_count && list->groups[k] == slot / HARD_LIMIT_LANES && list->moves[k];
  const bool touches =
      stepper_has_colliders(s) && stepper_has_contacts(s) && w->is_pushed[slot / CONTACT_GROUP];
  double3 at = vec3_double(particle_vector(p, POSITION_X, particle));
  double *const axis[3] = {&at.x, &at.y, &at.z};
  for (size_t c = 0; c < 3; c++) {
    if (is_listed)
      *axis[c] -= (double)list->moved[((size_t)k * 3 + c) * HARD_LIMIT_LANES + (size_t)lane];
    if (touches)
      *axis[c] -= (double)w->given[c * w->stride + (size_t)slot] * s->model->substep;
  }
  return at;
}

static void add_hard_limit(stepper *s, const pin_spring *e) {
  const spring_store *springs = &s->model->springs;
  const double impulse = (double)stepper_hard_limit_numbers(s, e->spring).given / s->model->substep;
  if (spring_side(springs, e->spring) == MSD_SPRING_COMPRESSION_ONLY) {
    pull_together(s, e->spring, e->unit, -impulse);
    return;
  }
  const double3 way =
      double3_subtract(found_at(s, springs->a[e->spring]), found_at(s, springs->b[e->spring]));
  const double length = sqrt(double3_dot(way, way));
  if (length > 0)
    pull_together(s, e->spring, (double[3]){way.x / length, way.y / length, way.z / length}, impulse);
}

static void add_springs(stepper *s) {
  const spring_store *springs = &s->model->springs;
  const given_impulses *given = &s->spring_given;
  for (int32_t n = 0; n < s->record.spring_count; n++) {
    const pin_spring *e = &s->record.springs[n];
    if (spring_is_broken(springs, e->spring))
      continue;
    if (spring_is_hard_limit(springs, e->spring))
      add_hard_limit(s, e);
    else if (is_sequential(s->model))
      pull_together(s, e->spring, e->unit, -(double)given->of[given->current][e->spring]);
  }
}

static void add_constraints(stepper *s) {
  const constraint_store *all = &s->model->constraints;
  const given_impulses *given = &s->constraint_given;
  for (int32_t n = 0; n < s->record.constraint_count; n++) {
    constraint_record *c = &s->record.constraints[n];
    if (constraint_is_broken(all, c->constraint))
      continue;
    if (is_sequential(s->model))
      c->now = -(double)given->of[given->current][c->constraint];
    c->sum += c->now;
    const constraint_corners corners = constraint_corners_of(all, c->constraint);
    for (int32_t k = 0; k < corners.count && !constraint_is_mesh(all, c->constraint); k++) {
      c->impulse[k] = double3_add_scaled(c->impulse[k], c->gradient[k], -c->now);
      if (is_sequential(s->model) && (s->record.what & MSD_RECORD_PINS))
        add_to_pin(s, corners.particles[k], c->gradient[k], -c->now);
    }
  }
}

/* Adds applied forces to the pins, and constraint forces unless constraints are solved by impulses. */
static void add_forces(stepper *s) {
  const particle_store *p = &s->model->particles;
  const bool has_sums = !is_sequential(s->model) && s->model->constraints.count > 0;
  const msd_real *const sums = has_sums ? s->constraint_forces.force : NULL;
  const msd_real *const applied = p->forced && (!sums || stepper_scales_masses(s)) ? p->force : NULL;
  for (int32_t i = 0; i < p->count; i++) {
    if (!is_pin(p, i))
      continue;
    for (int k = 0; k < 2; k++) {
      const msd_real *at = (k == 0 ? sums : applied);
      if (!at)
        continue;
      at += particle_slot(p, i);
      const double3 force = {(double)at[0], (double)at[p->stride], (double)at[2 * p->stride]};
      add_to_pin(s, i, force, s->model->substep);
    }
  }
}

static void add_wind(stepper *s) {
  const wind_work *w = &s->wind;
  for (int32_t face = 0; stepper_has_wind(s) && face < w->face_count; face++)
    for (int corner = 0; corner < WIND_CORNERS; corner++) {
      const int32_t particle = s->record.particle_of[w->slots[corner][face]];
      if (is_pin(&s->model->particles, particle))
        add_to_pin(s, particle, wind_corner_impulse(w, face, corner), 1);
    }
}

static void add_mesh_contacts(stepper *s) {
  const near_pairs *near = &s->self.near;
  for (int32_t n = 0; stepper_has_surfaces(s) && n < near->count; n++) {
    near_contact contact;
    if (!near_pairs_get_contact(near, n, &contact))
      continue;
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      add_to_pin(s, s->record.particle_of[contact.slots[corner]], vec3_double(contact.force),
                 (double)contact.weight[corner] / s->model->substep);
  }
}

static void add_reactions(stepper *s, double elapsed) {
  add_constraints(s);
  if (!(s->record.what & MSD_RECORD_PINS))
    return;
  add_springs(s);
  add_forces(s);
  add_wind(s);
  add_mesh_contacts(s);
  soft_pin_add_impulses(s->model, elapsed, true, s->record.soft_pins);
}

/* --------------------------------------------------------------------------------------------------- frames */

bool frame_record_begin(stepper *s, int what) {
  frame_record *r = &s->record;
  r->what = 0;
  r->time = 0;
  r->lacks_memory = r->lacks_pins = false;
  s->contacts.pushes = NULL;
  if (what == 0 || s->ranks.count > 1)
    return true;
  if (!list_slots(s) || ((what & MSD_RECORD_CONTACTS) && !begin_contacts(s)))
    return false;
  r->what = what;
  if ((what & ~MSD_RECORD_CONTACTS) && !begin_reactions(s)) {
    r->what = 0;
    return false;
  }
  if ((what & MSD_RECORD_CONTACTS) && stepper_has_colliders(s))
    s->contacts.pushes = &r->pushes;
  r->scaled = s->limiter.scaled + s->account.limiter.scaled;
  r->is_open = true;
  return true;
}

void frame_record_before(stepper *s, int taken) {
  frame_record *r = &s->record;
  if (r->is_open && (r->what & ~MSD_RECORD_CONTACTS))
    read_reactions(s, taken * s->model->substep);
}

void frame_record_after(stepper *s, int taken) {
  frame_record *r = &s->record;
  if (!r->is_open)
    return;
  r->time += s->model->substep;
  if (r->what & MSD_RECORD_CONTACTS)
    r->lacks_memory = !add_contacts(s, taken) || r->lacks_memory;
  if (r->what & ~MSD_RECORD_CONTACTS)
    add_reactions(s, taken * s->model->substep);
  r->lacks_pins = r->lacks_pins || s->limiter.scaled + s->account.limiter.scaled != r->scaled;
}

bool frame_record_end(stepper *s) {
  frame_record *r = &s->record;
  const bool done = !r->is_open || !r->lacks_memory;
  if (r->is_open && done && (r->what & MSD_RECORD_CONTACTS))
    find_points(s);
  r->is_open = false;
  s->contacts.pushes = NULL;
  if (!done)
    r->what = 0;
  return done;
}

#include "engine/step/sleep_step.h"

#include "engine/base/min_max.h"
#include "engine/base/union_find.h"
#include "engine/step/stepper.h"
#include "engine/store/components.h"

#include <math.h>
#include <string.h>

static void free_lists(sleep_work *w, memory *m) {
  memory_release(m, w->piece_at);
  memory_release(m, w->marks);
  memory_release(m, w->chunks.spans);
  memory_release(m, w->constraint_groups.spans);
  memory_release(m, w->mesh_chunks.spans);
  memory_release(m, w->joined);
  w->piece_at = w->joined = NULL;
  w->marks = NULL;
  w->chunks = w->constraint_groups = w->mesh_chunks = (span_list){0};
  w->made_for = (revision){0};
  w->some_sleep = false;
}

void sleep_work_free(sleep_work *w, memory *m) {
  free_lists(w, m);
  sleep_store_free(&w->found, m);
  *w = (sleep_work){.lists = w->lists};
}

/* ----------------------------------------------------------------------------------------- before a frame */

/* Revision for which the components and lists are valid. */
static revision revision_of_lists(const stepper *s) {
  revision made = revision_of_constraint_layout(&s->model->revision);
  made.springs = s->model->revision.springs;
  return made;
}

static bool holds_pieces(const stepper *s) {
  const sleep_work *w = &s->sleep;
  return revision_holds(&w->pieces_for, revision_of_lists(s)) &&
         w->broken_springs == s->model->springs.broken &&
         w->broken_constraints == s->model->constraints.broken;
}

/* Assigns a static component of its own to each destroyed particle. Returns the new number of components. */
static int32_t number_destroyed(const world_model *model, int32_t *piece, int32_t pieces) {
  for (int32_t i = 0; i < model->particles.count; i++)
    if (piece[i] < 0)
      piece[i] = pieces;
  return pieces + (model->tombstones.of[MSD_OBJECT_PARTICLE].count > 0);
}

static bool find_components(stepper *s) {
  world_model *model = s->model;
  sleep_work *w = &s->sleep;
  memory *m = &model->memory;
  msd_components counts;
  int32_t *piece = memory_allocate_items(m, (int64_t)model->particles.count + 1, sizeof *piece);
  const bool done = piece && components_find(model, m, piece, NULL, &counts) &&
                    sleep_regroup(&model->sleep, m, model->particles.count, piece,
                                  number_destroyed(model, piece, counts.components), &w->found);
  memory_release(m, piece);
  if (done)
    free_lists(w, m);
  return done;
}

/* Replaces the components of the model by those that sleep_prepare has found. It changes the model, so it runs
   after all checks that can refuse a frame. */
static void take_found(stepper *s) {
  world_model *model = s->model;
  sleep_work *w = &s->sleep;
  if (!w->found.piece)
    return;
  sleep_replace(&model->sleep, &model->memory, &w->found);
  w->found = (sleep_store){0};
  w->pieces_for = revision_of_lists(s);
  w->broken_springs = model->springs.broken;
  w->broken_constraints = model->constraints.broken;
}

static parallel_range *room_for_spans(memory *m, int32_t count) {
  return memory_allocate_items(m, (int64_t)count / 2 + 1, sizeof(parallel_range));
}

static bool reserve_lists(stepper *s) {
  sleep_work *w = &s->sleep;
  memory *m = &s->model->memory;
  const constraint_forces *f = &s->constraint_forces;
  const int32_t pieces = w->found.piece ? w->found.pieces : s->model->sleep.pieces;
  if (w->piece_at)
    return true;
  const int64_t slots = (int64_t)s->network.group_count * NETWORK_GROUP;
  w->piece_at = memory_allocate_items(m, slots + 1, sizeof *w->piece_at);
  w->marks = memory_allocate_items(m, slots + 1, sizeof *w->marks);
  w->joined = memory_allocate_items(m, (int64_t)pieces + 1, sizeof *w->joined);
  w->chunks.spans = room_for_spans(m, s->network.chunk_count);
  w->constraint_groups.spans = room_for_spans(m, f->group_count);
  w->mesh_chunks.spans = room_for_spans(m, f->mesh_chunk_count);
  if (w->piece_at && w->marks && w->joined && w->chunks.spans && w->constraint_groups.spans &&
      w->mesh_chunks.spans)
    return true;
  free_lists(w, m);
  return false;
}

msd_result sleep_prepare(stepper *s) {
  const world_model *model = s->model;
  if (!sleep_is_on(&model->sleep))
    return MSD_OK;
  /* Components found by an earlier frame that was refused may have been woken since. */
  sleep_store_free(&s->sleep.found, &s->model->memory);
  if ((holds_pieces(s) || find_components(s)) && reserve_lists(s))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory to find which of %d particles sleep",
                     (int)model->particles.count);
}

/* ------------------------------------------------------------------------------------------------ lists */

static bool is_awake(const stepper *s, size_t slot) {
  return s->sleep.marks[slot] & SLEEP_AWAKE;
}

/* Sets the component and the flags of each slot, and makes sleeping particles static pins of the network. The
   sleep store has no components after a snapshot without them has been restored. */
static void mark_particles(stepper *s) {
  const sleep_store *store = &s->model->sleep;
  const particle_store *p = &s->model->particles;
  sleep_work *w = &s->sleep;
  memset(w->marks, 0, (size_t)s->network.group_count * NETWORK_GROUP);
  w->some_sleep = false;
  for (int32_t i = 0; i < p->count; i++) {
    const size_t slot = particle_slot(p, i);
    const bool sleeps = sleep_has(store, i);
    w->piece_at[slot] = i < store->particles ? store->piece[i] : -1;
    w->marks[slot] = !sleeps ? SLEEP_AWAKE : p->inverse_mass[i] > 0 ? SLEEP_ASLEEP_UNPINNED : 0;
    w->some_sleep = w->some_sleep || sleeps;
    s->network.inverse_mass[slot] = sleeps ? 0 : p->inverse_mass[i];
    for (size_t c = VELOCITY_X; sleeps && c < COMPONENTS; c++)
      p->slab[p->current][c * p->stride + slot] = 0;
  }
}

/* Restores the inverse masses of the network after sleeping was disabled, also those of added particles. */
static void free_particles(stepper *s) {
  const particle_store *p = &s->model->particles;
  for (int32_t i = 0; i < p->count; i++)
    s->network.inverse_mass[particle_slot(p, i)] = p->inverse_mass[i];
}

static bool any_awake(const stepper *s, int32_t first, int32_t last) {
  bool any = false;
  for (int32_t slot = first; slot < last && !any; slot++)
    any = is_awake(s, (size_t)slot);
  return any;
}

/* Copies slots of the current state to the other one, because skipped chunks must be identical in both. */
static void keep_in_both(stepper *s, size_t first, size_t last) {
  const particle_store *p = &s->model->particles;
  for (size_t c = 0; c < COMPONENTS; c++)
    memcpy(p->slab[!p->current] + c * p->stride + first, p->slab[p->current] + c * p->stride + first,
           (last - first) * sizeof(msd_real));
}

static void list_chunks(stepper *s) {
  span_list *list = &s->sleep.chunks;
  const int32_t slots = s->network.group_count * NETWORK_GROUP;
  list->count = list->total = 0;
  for (int32_t chunk = 0; chunk < s->network.chunk_count; chunk++) {
    const int32_t first = chunk * NETWORK_CHUNK, last = int_min(first + NETWORK_CHUNK, slots);
    if (any_awake(s, first, last))
      span_add(list, chunk, chunk + 1);
    else
      keep_in_both(s, (size_t)first, (size_t)last);
  }
}

static void list_constraints(stepper *s) {
  const constraint_forces *f = &s->constraint_forces;
  sleep_work *w = &s->sleep;
  w->constraint_groups.count = w->constraint_groups.total = 0;
  w->mesh_chunks.count = w->mesh_chunks.total = 0;
  for (int32_t group = 0; group < f->group_count; group++) {
    const int32_t *slots = f->slots + (size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES;
    bool any = false;
    for (int n = 0; n < CONSTRAINT_CORNERS * CONSTRAINT_LANES && !any; n++)
      any = is_awake(s, (size_t)slots[n]);
    if (any)
      span_add(&w->constraint_groups, group, group + 1);
  }
  for (int32_t chunk = 0; chunk < f->mesh_chunk_count; chunk++)
    if (is_awake(s, (size_t)f->meshes[f->chunks[chunk].mesh].origin))
      span_add(&w->mesh_chunks, chunk, chunk + 1);
}

/* Lists the wind faces with an awake corner. The wind force on a corner depends on the motion of all corners of
   the face. */
static void list_faces(stepper *s) {
  wind_work *wind = &s->wind;
  wind->awake.count = wind->awake.total = 0;
  for (int32_t face = 0; face < wind->face_count && stepper_has_wind(s); face++) {
    bool any = false;
    for (int k = 0; k < WIND_CORNERS; k++)
      any = any || is_awake(s, (size_t)wind->slots[k][face]);
    if (any)
      span_add(&wind->awake, face, face + 1);
  }
}

static bool any_surface_awake(const stepper *s) {
  const surface_store *surfaces = &s->model->surfaces;
  const particle_store *p = &s->model->particles;
  bool any = false;
  for (int32_t n = 0; n < surfaces->triangle_count && !any; n++)
    for (int c = 0; c < 3; c++)
      any = any || is_awake(s, particle_slot(p, surfaces->triangles[n][c]));
  for (int32_t n = 0; n < surfaces->segment_count && !any; n++)
    for (int c = 0; c < 2; c++)
      any = any || is_awake(s, particle_slot(p, surfaces->segments[n][c]));
  return any;
}

/* Clears the contacts of sleeping particles. Their clearance bounds are computed again when they wake. */
static void forget_contacts(stepper *s) {
  contact_work *w = &s->contacts;
  if (s->model->colliders.count == 0 || !stepper_has_contacts(s))
    return;
  contact_work_forget_clear(w);
  for (int32_t slot = 0; slot < w->particles; slot++)
    if (!is_awake(s, (size_t)slot)) {
      w->pushed_by[slot] = -1;
      for (size_t c = 0; c < 3; c++)
        w->given[c * w->stride + (size_t)slot] = 0;
    }
}

/* Discards the velocities that soft pins keep for sleeping particles. When a particle wakes, its soft pin takes
   the velocity of the particle, which is 0. */
static void stop_soft_pins(stepper *s) {
  soft_pin_store *soft_pins = &s->model->soft_pins;
  for (int32_t n = 0; n < soft_pins->count; n++)
    if (sleep_has(&s->model->sleep, soft_pins->entries[n].particle))
      soft_pins->entries[n].knows_velocity = false;
}

static void make_lists(stepper *s) {
  sleep_work *w = &s->sleep;
  const uint64_t changes = s->model->sleep.changes;
  revision now = revision_of_lists(s);
  now.colliders = s->model->revision.colliders;
  now.surfaces = s->model->revision.surfaces;
  now.tears = s->model->revision.tears;
  if (w->changes == changes && revision_holds(&w->made_for, now))
    return;
  mark_particles(s);
  list_chunks(s);
  list_constraints(s);
  list_faces(s);
  forget_contacts(s);
  stop_soft_pins(s);
  w->surfaces_awake = any_surface_awake(s);
  w->changes = changes;
  w->made_for = now;
  w->lists++;
}

span_list sleep_awake_chunks(const stepper *s) {
  return s->sleep.some_sleep ? s->sleep.chunks : (span_list){0};
}

span_list sleep_awake_faces(const stepper *s) {
  return s->sleep.some_sleep ? s->wind.awake : (span_list){0};
}

bool sleep_leaves_out(const stepper *s) {
  return s->sleep.some_sleep && s->sleep.chunks.total < s->network.chunk_count;
}

/* ---------------------------------------------------------------------------------------------- waking */

/* Wakes components whose spring forces depend on the substep length, which has changed. */
static void wake_by_substep(world_model *model) {
  const spring_store *springs = &model->springs;
  if (model->clamp_stiffness)
    sleep_wake_all(&model->sleep);
  for (int32_t e = 0; e < springs->count; e++) {
    if (!sleep_has(&model->sleep, springs->a[e]))
      continue;
    const law_terms terms = spring_effective_mass(springs, &model->particles, e);
    if (terms.share > 0 && (terms.mass_ck > 0 || terms.mass_cd > 0))
      model_wake_spring(model, e);
  }
}

static void wake_by_rests(stepper *s) {
  const spring_store *springs = &s->model->springs;
  for (int32_t n = 0; n < springs->moves.count; n++) {
    const int32_t spring = springs->moves.items[n].spring;
    sleep_wake(&s->model->sleep, springs->a[spring]);
    sleep_wake(&s->model->sleep, springs->b[spring]);
  }
}

/* Largest distance in m from the position of a collider to its points. */
static double size_of(const collider_entry *c) {
  switch (c->kind) {
  case MSD_COLLIDER_PLANE:
    return INFINITY;
  case MSD_COLLIDER_SPHERE:
    return (double)c->radius;
  case MSD_COLLIDER_CAPSULE:
    return (double)c->radius + fmax(vec3_length(c->from), vec3_length(c->to));
  default:
    return vec3_length(c->size) / 2;
  }
}

/* Upper bound in m on how far a point of a collider moves during the frame: the way of the position, on an arc
   about the pivot, and that of a point around it. */
static double way_of(const collider_entry *c) {
  const rigid_path path = collider_path(c);
  const double3 shift = double3_subtract(c->target.position, c->pose.position);
  const double3 arm = double3_subtract(c->pose.position, path.pivot);
  const double orbit = 2 * sqrt(double3_dot(arm, arm));
  return sqrt(double3_dot(shift, shift)) + (path.angle > 0 ? fmin(2, path.angle) * (size_of(c) + orbit) : 0);
}

/* Upper bound in m on how far a particle moves between its last contact and falling asleep: speed times
   delay. */
static double sleep_drift(const sleep_store *sleep) {
  return (double)sleep->speed * (double)sleep->time;
}

/* Wakes the particles within reach of a collider. more_squares contains the squares of additional distances
   by slot; NULL: none. */
static void wake_within(world_model *model, const collider_entry *c, double way,
                        const msd_real *more_squares) {
  const particle_store *p = &model->particles;
  const double size = size_of(c);
  const double reach = (double)model->contact.thickness + sleep_drift(&model->sleep) + way;
  for (int32_t i = 0; i < p->count; i++) {
    if (!sleep_has(&model->sleep, i))
      continue;
    const msd_vec3 x = particle_vector(p, POSITION_X, i);
    const double more = more_squares ? sqrt((double)more_squares[particle_slot(p, i)]) : 0;
    const double3 apart = double3_subtract(vec3_double(x), c->pose.position);
    if (sqrt(double3_dot(apart, apart)) > size + reach + more)
      continue;
    const collider_touch touch = collider_find_touch(c, x);
    if (vec3_dot(vec3_subtract(x, touch.point), touch.normal) <= reach + more)
      sleep_wake(&model->sleep, i);
  }
}

static double edge_of(const particle_store *p, int32_t a, int32_t b) {
  return vec3_length(vec3_subtract(particle_vector(p, POSITION_X, a), particle_vector(p, POSITION_X, b)));
}

/* Longest edge of all collision meshes in m, a bound of their distance correction at round colliders
   (kernel/chord_offset.h). */
static double longest_edge(const world_model *model) {
  const surface_store *s = &model->surfaces;
  const particle_store *p = &model->particles;
  double longest = 0;
  for (int32_t n = 0; n < s->triangle_count; n++)
    for (int c = 0; c < 3; c++)
      longest = fmax(longest, edge_of(p, s->triangles[n][c], s->triangles[n][(c + 1) % 3]));
  for (int32_t n = 0; n < s->segment_count; n++)
    longest = fmax(longest, edge_of(p, s->segments[n][0], s->segments[n][1]));
  return longest;
}

void sleep_wake_near(world_model *model, const collider_entry *c) {
  if (model->sleep.pieces > 0 && !c->is_gone)
    wake_within(model, c, longest_edge(model), NULL);
}

static void wake_on_the_way(stepper *s, const collider_entry *c) {
  const double way = c->moves && !c->is_gone ? way_of(c) : 0;
  if (way > 0)
    wake_within(s->model, c, way, s->contacts.chord_offset);
}

void sleep_begin_step(stepper *s, double last_substep) {
  world_model *model = s->model;
  sleep_work *w = &s->sleep;
  if (!sleep_is_on(&model->sleep)) {
    if (w->piece_at) {
      free_particles(s);
      sleep_work_free(w, &model->memory);
      sleep_store_free(&model->sleep, &model->memory);
    }
    return;
  }
  take_found(s);
  if (last_substep != model->tuned_step)
    wake_by_substep(model);
  wake_by_rests(s);
  for (int32_t n = 0; n < model->colliders.count; n++)
    wake_on_the_way(s, &model->colliders.entries[n]);
  make_lists(s);
}

/* Corners of one of the two primitives of a pair. */
static parallel_range corners_of(uint8_t kind, int part) {
  const int32_t first = kind == PAIR_POINT_TRIANGLE ? 1 : 2;
  return part == 0 ? (parallel_range){0, first} : (parallel_range){first, PAIR_CORNERS};
}

static bool is_free(const stepper *s, int32_t slot) {
  return s->network.inverse_mass[slot] > 0 || (s->sleep.marks[slot] & SLEEP_ASLEEP_UNPINNED) > 0;
}

/* Slot of the first corner of a primitive that is not pinned; -1 if all are pinned. */
static int32_t free_corner(const stepper *s, const int32_t slots[PAIR_CORNERS], parallel_range corners) {
  for (int32_t n = corners.first; n < corners.last; n++)
    if (is_free(s, slots[n]))
      return slots[n];
  return -1;
}

static bool some_awake(const stepper *s, const int32_t slots[PAIR_CORNERS], parallel_range corners) {
  bool some = false;
  for (int32_t n = corners.first; n < corners.last; n++)
    some = some || is_awake(s, (size_t)slots[n]);
  return some;
}

bool sleep_wake_paired(stepper *s, const pair_list *list) {
  sleep_store *store = &s->model->sleep;
  const uint64_t before = store->changes;
  for (int32_t n = 0; n < list->count && s->sleep.some_sleep; n++)
    for (int part = 0; part < 2 && list->thickness[n] > 0; part++) {
      const int32_t *slots = list->slots[n];
      const int32_t sleeper = free_corner(s, slots, corners_of(list->kind[n], part));
      if (sleeper >= 0 && !is_awake(s, (size_t)sleeper) &&
          some_awake(s, slots, corners_of(list->kind[n], !part)))
        sleep_wake_island(store, s->sleep.piece_at[sleeper]);
    }
  if (store->changes == before)
    return false;
  make_lists(s);
  return true;
}

/* -------------------------------------------------------------------------------------- after a frame */

/* True if the particle in a slot is not at rest. `square` is the square of the speed threshold, in m^2/s^2. A
   pin is at rest only if its velocity is 0. */
static bool is_fast(const stepper *s, size_t slot, double square) {
  const particle_store *p = &s->model->particles;
  const msd_real *v = p->slab[p->current] + VELOCITY_X * p->stride + slot;
  const double x = (double)v[0], y = (double)v[p->stride], z = (double)v[2 * p->stride];
  const double speed = x * x + y * y + z * z;
  return s->network.inverse_mass[slot] > 0 ? speed >= square : speed > 0;
}

/* Resets the time at rest of components with a particle that is not at rest. It becomes -dt, so that count_time
   makes it 0. */
static void find_restless(stepper *s, double dt) {
  const sleep_work *w = &s->sleep;
  const span_list chunks = sleep_awake_chunks(s);
  const double speed = (double)s->model->sleep.speed;
  parallel_range part = {0, 0};
  while (span_next(&chunks, NETWORK_CHUNK, (parallel_range){0, s->model->particles.count}, &part))
    for (int32_t slot = part.first; slot < part.last; slot++)
      if (is_fast(s, (size_t)slot, speed * speed))
        s->model->sleep.still[w->piece_at[slot]] = -dt;
}

/* Resets the time at rest of components with collision meshes in turbulent wind, so they never sleep. */
static void find_blown(stepper *s, double dt) {
  const wind_work *wind = &s->wind;
  if (!stepper_has_wind(s) || s->model->wind.turbulence == 0)
    return;
  for (int32_t face = 0; face < wind->face_count; face++)
    for (int k = 0; k < WIND_CORNERS; k++)
      s->model->sleep.still[s->sleep.piece_at[wind->slots[k][face]]] = -dt;
}

static bool has_rested(const sleep_store *store, int32_t piece) {
  return store->still[piece] >= (double)store->time;
}

/* Adds the frame time to all awake components. Returns true if one of them has rested long enough. */
static bool count_time(sleep_store *store, double dt) {
  bool some = false;
  for (int32_t piece = 0; piece < store->pieces; piece++)
    if (store->next[piece] < 0) {
      store->still[piece] += dt;
      some = some || has_rested(store, piece);
    }
  return some;
}

/* Joins the islands of the two primitives of a listed pair, which may be in contact. Pins that have been static
   for long enough join no islands. */
static void join_pair(stepper *s, const int32_t slots[PAIR_CORNERS], parallel_range part,
                      parallel_range other) {
  sleep_work *w = &s->sleep;
  const int32_t one = free_corner(s, slots, part), two = free_corner(s, slots, other);
  if (one < 0 || !is_awake(s, (size_t)one))
    return;
  if (two >= 0 && is_awake(s, (size_t)two))
    union_find_join(w->joined, w->piece_at[one], w->piece_at[two]);
  for (int32_t n = other.first; n < other.last && two < 0; n++)
    if (is_awake(s, (size_t)slots[n]) && !has_rested(&s->model->sleep, w->piece_at[slots[n]]))
      union_find_join(w->joined, w->piece_at[one], w->piece_at[slots[n]]);
}

static void join_near(stepper *s) {
  const pair_list *list = &s->self.search.list;
  if (!s->sleep.surfaces_awake || !stepper_has_surfaces(s) || !s->self.cache.has_list)
    return;
  for (int32_t n = 0; n < list->count; n++) {
    const parallel_range one = corners_of(list->kind[n], 0), two = corners_of(list->kind[n], 1);
    if (list->thickness[n] > 0) {
      join_pair(s, list->slots[n], one, two);
      join_pair(s, list->slots[n], two, one);
    }
  }
}

/* Puts each island to sleep whose components have all rested long enough. */
static void let_fall_asleep(stepper *s) {
  sleep_store *store = &s->model->sleep;
  int32_t *joined = s->sleep.joined;
  union_find_init(joined, store->pieces);
  join_near(s);
  /* Roots have the smallest index of their island. Those of islands that do not rest are marked in `next`. */
  for (int32_t piece = 0; piece < store->pieces; piece++)
    if (store->next[piece] < 0 && !has_rested(store, piece))
      store->next[union_find_root(joined, piece)] = SLEEP_RESTLESS;
  for (int32_t piece = 0; piece < store->pieces; piece++) {
    const int32_t root = union_find_root(joined, piece);
    if (store->next[piece] == -1 && store->next[root] != SLEEP_RESTLESS)
      sleep_fall_asleep(store, piece, root);
  }
  for (int32_t piece = 0; piece < store->pieces; piece++)
    if (store->next[piece] == SLEEP_RESTLESS)
      store->next[piece] = -1;
}

void sleep_end_step(stepper *s, double dt) {
  sleep_store *store = &s->model->sleep;
  if (!sleep_is_on(store) || (s->sleep.some_sleep && s->sleep.chunks.total == 0))
    return;
  find_restless(s, dt);
  find_blown(s, dt);
  if (count_time(store, dt))
    let_fall_asleep(s);
  make_lists(s);
}

#include "engine/step/fracture.h"

#include "engine/base/min_max.h"
#include "engine/step/stepper.h"

#include <math.h>
#include <string.h>

/* Particle marks in addition to those of fracture_plan.h: split in this frame, and adjacent to a particle that
   was split. */
enum { MARK_IS_SPLIT = 8, MARK_IS_NEAR = 16 };

/* ----------------------------------------------------------------------------------------------- memory */

static msd_result fail(const splits *w, const char *what) {
  return report_fail(&w->stepper->model->report, MSD_OUT_OF_MEMORY,
                     "no memory for %s of %d springs that split; the step is complete, and nothing has split",
                     what, (int)w->count);
}

/* Particles that must not be split: pins, soft-pinned particles and corners of pressure meshes. */
static void mark_held(splits *w) {
  const world_model *model = w->stepper->model;
  const constraint_store *s = &model->constraints;
  uint8_t *marks = w->cutter.marks;
  for (int32_t i = 0; i < model->particles.count; i++)
    marks[i] = model->particles.inverse_mass[i] > 0 ? 0 : MARK_IS_HELD;
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (model->soft_pins.entries[n].particle >= 0)
      marks[model->soft_pins.entries[n].particle] = MARK_IS_HELD;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners own = constraint_corners_of(s, c);
    for (int32_t n = 0; n < own.count && constraint_is_mesh(s, c) && !constraint_is_broken(s, c); n++)
      marks[own.particles[n]] = MARK_IS_HELD;
  }
}

msd_result splits_open(splits *w, stepper *s, int32_t count, double stable_substep) {
  world_model *model = s->model;
  memory *m = &model->memory;
  *w = (splits){.stepper = s, .cutter = {.model = model, .substep = stable_substep}};
  if (count == 0)
    return MSD_OK;
  const int64_t particles = (int64_t)model->particles.count + count;
  const int64_t pieces = (int64_t)model->surfaces.triangle_count + model->surfaces.segment_count;
  for (int n = 0; n < 2; n++)
    w->due[n] = memory_allocate_items(m, count, sizeof *w->due[n]);
  w->load = memory_allocate_items(m, particles, sizeof *w->load);
  w->half = memory_allocate_items(m, model->springs.count, sizeof *w->half);
  w->cutter.marks = memory_allocate_items(m, particles, sizeof *w->cutter.marks);
  w->cutter.goes = memory_allocate_items(m, pieces, sizeof *w->cutter.goes);
  if (w->due[0] && w->due[1] && w->load && w->half && w->cutter.marks && w->cutter.goes &&
      one_ring_find(&w->cutter.around, m, model)) {
    mark_held(w);
    return MSD_OK;
  }
  w->count = count;
  const msd_result result = fail(w, "the surroundings");
  splits_close(w);
  return result;
}

void splits_close(splits *w) {
  memory *m = &w->stepper->model->memory;
  for (int n = 0; n < 2; n++)
    memory_release(m, w->due[n]);
  memory_release(m, w->load);
  memory_release(m, w->half);
  memory_release(m, w->cutter.marks);
  memory_release(m, w->cutter.goes);
  one_ring_free(&w->cutter.around, m);
  *w = (splits){.stepper = w->stepper};
}

void splits_add(splits *w, int32_t spring, double stretch) {
  const spring_store *s = &w->stepper->model->springs;
  w->due[0][w->count++].index = spring;
  w->load[s->a[spring]] += stretch;
  w->load[s->b[spring]] += stretch;
}

/* Upper bound: each spring that is due splits one of its ends and duplicates at most all springs there, with
   their companions. */
static int64_t count_more_springs(const splits *w) {
  const spring_store *s = &w->stepper->model->springs;
  const int32_t *first = w->cutter.around.springs.first;
  int64_t more = 0;
  for (int32_t n = 0; n < w->count; n++) {
    const int32_t a = s->a[w->due[0][n].index], b = s->b[w->due[0][n].index];
    more += int_max(first[a + 1] - first[a], first[b + 1] - first[b]);
  }
  return more;
}

msd_result splits_reserve(splits *w) {
  world_model *model = w->stepper->model;
  memory *m = &model->memory;
  spring_store *s = &model->springs;
  if (w->count == 0)
    return MSD_OK;
  const int64_t particles = (int64_t)model->particles.count + w->count, more = count_more_springs(w);
  const bool done =
      particle_store_reserve(&model->particles, m, particles) &&
      particle_open_origins(&model->particles, m) &&
      surface_store_reserve(&model->surfaces, m, 0, 0, 0, (int32_t)particles) &&
      spring_store_reserve(s, m, s->count + more) &&
      law_table_room(&s->laws, m, more, s->count, s->capacity) &&
      (s->companion_count == 0 || growth_reserve(&spring_companion_growth, s, m, s->companion_count + more));
  return done ? MSD_OK : fail(w, "the parts");
}

/* -------------------------------------------------------------------- springs and constraints at the tear */

/* Spring law of one half of a spring, taken from its law or its clamped coefficients of the last substep. A
   law relative to the masses stays stable however the masses change: MSD_MAX_STABLE takes half of the smaller
   share of both ends. */
static law half_of(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const law_terms terms = spring_effective_mass(s, &model->particles, spring);
  const law_tuning now = law_present(&terms, model->tuned_step, model->clamp_stiffness);
  const law own = spring_law(s, spring);
  if (law_is(own, MSD_SPRING_HARD_LIMIT))
    return own;
  if (now.capped)
    return (law){MSD_SPRING_STIFFNESS, (msd_real)(now.stiffness / 2), (msd_real)(now.damping / 2)};
  if (law_is(own, MSD_SPRING_FREQUENCY)) {
    const msd_real root = (msd_real)sqrt(0.5);
    return (law){own.kind, own.first * root, own.second * root};
  }
  const int32_t *valence = model->particles.valence;
  const msd_real least = 1 / (msd_real)(int_max(valence[s->a[spring]], valence[s->b[spring]]) + 1);
  return (law){own.kind, (own.first < 0 ? least : own.first) / 2, (own.second < 0 ? least : own.second) / 2};
}

static void move_end(spring_store *s, int32_t spring, const cut *c) {
  int32_t *end = s->a[spring] == c->particle ? &s->a[spring] : &s->b[spring];
  *end = c->part;
}

/* Duplicates a spring of the store with half the stiffness; memory is reserved. */
static void halve(splits *w, int32_t spring, const cut *c) {
  world_model *model = w->stepper->model;
  spring_store *s = &model->springs;
  particle_store *p = &model->particles;
  const law half = half_of(model, spring);
  const int32_t other = s->count;
  law_table_set(&s->laws, &model->memory, other, half, other, s->capacity);
  w->half[spring] = other;
  s->count++;
  s->a[other] = s->a[spring];
  s->b[other] = s->b[spring];
  s->rest[other] = s->rest[spring];
  move_end(s, other, c);
  spring_set_law(s, p, &model->memory, spring, half);
  spring_count_last(s, p, s->side[spring] & SPRING_SIDE_BITS);
  if (s->damage)
    s->damage[other] = s->damage[spring];
}

/* Makes halves of companion springs the companions of the halves of their springs. Only springs from `first`
   on are new. */
static void add_companions_of_halves(splits *w, const cut *c, int32_t first) {
  spring_store *s = &w->stepper->model->springs;
  const incidence *at = &w->cutter.around.springs;
  const int32_t companions = s->companion_count;
  for (int32_t b = 0; b < companions; b++) {
    const spring_companion own = s->companions[b];
    for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
      const int32_t spring = at->item[n], companion = spring_companion_of(&own, spring);
      if (companion < 0 || w->half[spring] < first || w->half[companion] < first)
        continue;
      s->companions[s->companion_count++] =
          (spring_companion){w->half[spring], 1, w->half[companion], own.ratio};
    }
  }
}

static void split_springs(splits *w, const cut *c) {
  spring_store *s = &w->stepper->model->springs;
  const incidence *at = &w->cutter.around.springs;
  const int32_t first = s->count;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const int32_t spring = at->item[n];
    if (spring_is_broken(s, spring))
      continue;
    const cut_fate fate = cut_spring(&w->cutter, c, spring);
    if (fate == CUT_GOES)
      move_end(s, spring, c);
    if (fate == CUT_BOTH)
      halve(w, spring, c);
  }
  if (s->count > first)
    add_companions_of_halves(w, c, first);
}

/* Breaks the springs at a corner on the moving side that are not edges and lead to the staying side. */
static void break_across(splits *w, const cut *c, int32_t corner) {
  const spring_store *s = &w->stepper->model->springs;
  const incidence *at = &w->cutter.around.springs;
  for (int32_t n = at->first[corner]; n < at->first[corner + 1]; n++) {
    const int32_t spring = at->item[n], other = s->a[spring] == corner ? s->b[spring] : s->a[spring];
    if (spring_is_broken(s, spring) || other == c->particle || other == c->part ||
        (w->cutter.marks[other] & (MARK_GOES | MARK_STAYS)) != MARK_STAYS ||
        cut_is_edge(&w->cutter, corner, other))
      continue;
    damage_break(w->stepper, spring, true);
    w->has_torn = true;
  }
}

static void break_all_across(splits *w, const cut *c) {
  const incidence *at = &w->cutter.around.pieces;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const element_corners own = one_ring_corners(&w->stepper->model->surfaces, at->item[n]);
    for (int k = 0; k < own.count; k++)
      if ((w->cutter.marks[own.particle[k]] & (MARK_GOES | MARK_STAYS)) == MARK_GOES)
        break_across(w, c, own.particle[k]);
  }
}

/* Constraints across the tear break. Like torn springs, they keep their share of the masses. */
static void split_constraints(splits *w, const cut *c) {
  constraint_store *s = &w->stepper->model->constraints;
  const incidence *at = &w->cutter.around.constraints;
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const int32_t constraint = at->item[n];
    if (constraint_is_broken(s, constraint))
      continue;
    const cut_fate fate = cut_constraint(&w->cutter, c, constraint);
    if (fate == CUT_BOTH) {
      s->is_broken[constraint] = true;
      s->broken++;
    }
    int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
    for (int k = 0; k < CONSTRAINT_CORNERS && fate == CUT_GOES; k++)
      corners[k] = corners[k] == c->particle ? c->part : corners[k];
  }
}

static void split_surfaces(splits *w, const cut *c) {
  surface_store *s = &w->stepper->model->surfaces;
  const incidence *at = &w->cutter.around.pieces;
  surface_store_append_rest(s, c->part, c->particle);
  for (int32_t n = at->first[c->particle]; n < at->first[c->particle + 1]; n++) {
    const element_corners own = one_ring_corners(s, at->item[n]);
    for (int k = 0; k < own.count && w->cutter.goes[at->item[n]]; k++)
      own.particle[k] = own.particle[k] == c->particle ? c->part : own.particle[k];
  }
}

/* -------------------------------------------------------------------------------------------------- split */

static bool split(splits *w, int32_t particle, int32_t towards) {
  world_model *model = w->stepper->model;
  particle_store *p = &model->particles;
  cut c;
  if (!cut_make(&w->cutter, &c, particle, towards))
    return false;
  if (cut_intersects(&w->cutter, &c)) {
    cut_unmark(&w->cutter, &c, 0);
    return false;
  }
  /* From here on the compiled network is invalid. The sides were decided with the elements before the
     split. */
  if (!w->has_split)
    model_lay_out_anew(model);
  w->has_split = true;
  split_constraints(w, &c);
  particle_append_part(p, particle, c.kept, c.gone);
  particle_set_vector(p, POSITION_X, c.part, c.goes_to);
  split_springs(w, &c);
  particle_set_vector(p, POSITION_X, particle, c.stays_at);
  break_all_across(w, &c);
  split_surfaces(w, &c);
  cut_unmark(&w->cutter, &c, MARK_IS_NEAR);
  w->cutter.marks[particle] |= MARK_IS_SPLIT;
  w->cutter.marks[c.part] |= MARK_IS_SPLIT;
  model->revision.positions += penetrations_contain(&w->stepper->penetrations, particle);
  return true;
}

/* The incidence lists were built before this spring tore: a triangle next to it would still be treated as
   untorn. So its ends are not split in this frame. */
static void note_torn(splits *w, int32_t spring) {
  const spring_store *s = &w->stepper->model->springs;
  w->has_torn = true;
  w->cutter.marks[s->a[spring]] |= MARK_IS_NEAR;
  w->cutter.marks[s->b[spring]] |= MARK_IS_NEAR;
}

/* Splits the end with the larger load first. Particles adjacent to a split have another load now and wait for
   the next frame. */
static void apply(splits *w, int32_t spring) {
  const spring_store *s = &w->stepper->model->springs;
  const uint8_t *marks = w->cutter.marks;
  const int32_t ends[2] = {s->a[spring], s->b[spring]};
  if (spring_is_broken(s, spring) || ((marks[ends[0]] | marks[ends[1]]) & MARK_IS_SPLIT))
    return;
  const bool waits = (marks[ends[0]] | marks[ends[1]]) & MARK_IS_NEAR;
  const double a = w->load[ends[0]], b = w->load[ends[1]];
  const int first = a > b || (a == b && ends[0] < ends[1]) ? 0 : 1;
  for (int n = 0; n < 2; n++) {
    const int32_t particle = ends[n == 0 ? first : !first], towards = ends[n == 0 ? !first : first];
    if (!(marks[particle] & MARK_IS_NEAR) && split(w, particle, towards))
      return;
  }
  if (waits)
    return;
  damage_break(w->stepper, spring, true);
  note_torn(w, spring);
}

/* Sorts the springs by the larger load of their ends, descending, so that a tear propagates instead of
   starting beside itself. The bits of positive numbers sort like their values. */
static const sort_item *put_in_order(splits *w) {
  const spring_store *s = &w->stepper->model->springs;
  for (int32_t n = 0; n < w->count; n++) {
    sort_item *at = &w->due[0][n];
    const double most = fmax(w->load[s->a[at->index]], w->load[s->b[at->index]]);
    memcpy(&at->key, &most, sizeof most);
    at->key = ~at->key;
  }
  return sort_by_key(w->due[0], w->due[1], w->count);
}

/* The loads, which determine the order, still include the springs that are not kept. */
void splits_select(splits *w, bool (*is_kept)(void *context, int32_t spring), void *context) {
  const sort_item *due = w->count > 0 ? put_in_order(w) : NULL;
  int32_t count = 0;
  for (int32_t n = 0; n < w->count; n++)
    if (is_kept(context, due[n].index))
      w->due[due == w->due[0] ? 0 : 1][count++] = due[n];
  for (int32_t n = 0; n < count; n++)
    w->due[0][n] = due[n];
  w->count = count;
}

void splits_apply(splits *w) {
  const sort_item *due = w->count > 0 ? put_in_order(w) : NULL;
  for (int32_t n = 0; n < w->count; n++)
    apply(w, due[n].index);
}

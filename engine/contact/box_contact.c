#include "engine/contact/box_contact.h"

#include <string.h>

static const growth_array box_arrays[] = {GROWTH_ARRAY(box_contacts, boxes)};
static const growth_table box_growth =
    GROWTH(box_contacts, box_count, box_capacity, box_arrays, .most = INT32_MAX / 2);
static const growth_array reference_arrays[] = {GROWTH_ARRAY(box_contacts, references)};
static const growth_table reference_growth =
    GROWTH(box_contacts, reference_count, reference_capacity, reference_arrays, .most = INT32_MAX / 2);
static const growth_array candidate_arrays[] = {GROWTH_ARRAY(box_contacts, candidates)};
static const growth_table candidate_growth =
    GROWTH(box_contacts, candidate_count, candidate_capacity, candidate_arrays, .most = INT32_MAX / 2);
static const growth_array loose_arrays[] = {GROWTH_ARRAY(box_contacts, loose)};
static const growth_table loose_growth =
    GROWTH(box_contacts, loose_count, loose_capacity, loose_arrays, .most = INT32_MAX / 2);
bool box_contacts_reserve(box_contacts *b, memory *m, int32_t particles, size_t stride) {
  box_contacts_free(b, m);
  b->slot_count = particles;
  b->stride = stride;
  b->mark = memory_allocate_items(m, particles, sizeof *b->mark);
  return b->mark != NULL;
}

void box_contacts_free(box_contacts *b, memory *m) {
  growth_free(&box_growth, b, m);
  growth_free(&reference_growth, b, m);
  growth_free(&candidate_growth, b, m);
  growth_free(&loose_growth, b, m);
  growth_free(&box_particle_growth, b, m);
  growth_free(&box_impulse_growth, b, m);
  growth_free(&box_plane_growth, b, m);
  growth_free(&box_moved_growth, b, m);
  memory_release(m, b->at);
  memory_release(m, b->mark);
  *b = (box_contacts){.holds = false};
}

static bool is_live_box(const collider_entry *c) {
  return c->kind == MSD_COLLIDER_BOX && !c->is_gone;
}

bool box_contact_acts(const self_contact_step *s) {
  bool acts = false;
  const collider_store *all = s->colliders.colliders;
  for (int32_t n = 0; s->colliders.work && n < all->count && !acts; n++)
    acts = is_live_box(&all->entries[n]);
  return acts && s->contact->mesh.of[SURFACE_EDGES].block_count > 0;
}

/* m: no point of a box moves farther between two frames. */
static double travel(double3 half, const collider_frame *from, const collider_frame *to) {
  const double3 shift = double3_subtract(to->origin, from->origin);
  double turn = 0;
  for (int n = 0; n < 3; n++) {
    const double3 change = double3_subtract(to->axis[n], from->axis[n]);
    turn += double3_dot(change, change);
  }
  return sqrt(double3_dot(shift, shift)) + sqrt(turn) * sqrt(double3_dot(half, half));
}

static box_motion motion_of(const self_contact_step *s, int32_t collider) {
  const collider_entry *c = &s->colliders.colliders->entries[collider];
  const double3 size = vec3_double(c->size);
  box_motion m = {.collider = collider,
                  .half = double3_scale(size, 0.5),
                  .before = collider_frame_at(c, s->colliders.share_before),
                  .behind = collider_frame_at(c, s->colliders.share_behind),
                  .friction = (double)(c->friction < 0 ? s->settings.friction : c->friction)};
  m.reach = travel(m.half, &m.before, &m.behind);
  return m;
}

bool box_contact_begin(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  const collider_store *all = s->colliders.colliders;
  b->box_count = 0;
  if (!growth_reserve(&box_growth, b, s->memory, all->count) ||
      !growth_reserve(&reference_growth, b, s->memory, all->count))
    return false;
  for (int32_t n = 0; n < all->count; n++)
    if (is_live_box(&all->entries[n]))
      b->boxes[b->box_count++] = motion_of(s, n);
  return true;
}

/* ---------------------------------------------------------------------------------------------- candidates */

static double3 in_frame(const collider_frame *f, double3 at) {
  const double3 from = double3_subtract(at, f->origin);
  return (double3){double3_dot(f->axis[0], from), double3_dot(f->axis[1], from),
                   double3_dot(f->axis[2], from)};
}

static double3 read_at(const msd_real *state, size_t stride, int32_t slot) {
  const size_t at = (size_t)slot;
  return (double3){(double)state[at], (double)state[stride + at], (double)state[2 * stride + at]};
}

static double beyond(double least, double most, double half) {
  return least > half ? least - half : most < -half ? -half - most : 0;
}

static double least_of(double a, double b, double c) {
  const double ab = a < b ? a : b;
  return ab < c ? ab : c;
}

double box_contact_gap(double3 half, const double3 x[BOX_CORNERS]) {
  const double3 gap = {
      beyond(least_of(x[0].x, x[1].x, x[2].x), -least_of(-x[0].x, -x[1].x, -x[2].x), half.x),
      beyond(least_of(x[0].y, x[1].y, x[2].y), -least_of(-x[0].y, -x[1].y, -x[2].y), half.y),
      beyond(least_of(x[0].z, x[1].z, x[2].z), -least_of(-x[0].z, -x[1].z, -x[2].z), half.z)};
  return sqrt(double3_dot(gap, gap));
}

box_corners box_contact_corners(const self_contact_step *s, const box_candidate *c) {
  const box_motion *box = &s->contact->boxes.boxes[c->box];
  box_corners corners = {.approach = 0};
  for (int n = 0; n < BOX_CORNERS; n++) {
    const double3 x = read_at(s->before, s->stride, c->slots[n]),
                  next = read_at(s->behind, s->stride, c->slots[n]), way = double3_subtract(next, x);
    const double length = sqrt(double3_dot(way, way));
    corners.before[n] = in_frame(&box->before, x);
    corners.behind[n] = in_frame(&box->behind, next);
    corners.approach = corners.approach < length ? length : corners.approach;
  }
  corners.approach += box->reach;
  return corners;
}

/* m: the longest way of a particle from `at` in a state; infinite if one is not finite. */
static double longest_way(const msd_real *at, const msd_real *state, size_t stride,
                          parallel_range particles) {
  msd_real most = 0;
  for (int32_t n = particles.first; n < particles.last; n++) {
    const size_t slot = (size_t)n;
    const msd_real x = state[slot] - at[slot], y = state[stride + slot] - at[stride + slot],
                   z = state[2 * stride + slot] - at[2 * stride + slot], square = x * x + y * y + z * z;
    most = square <= most ? most : square;
  }
  return most - most == 0 ? sqrt((double)most) : (double)INFINITY;
}

/* A little less than the radius, for rounding. */
static const double SURE = 0.999;

/* m: how far boxes have moved since candidates were found; infinite if they are others. */
static double boxes_way(const box_contacts *b) {
  double most = b->reference_count == b->box_count ? 0 : (double)INFINITY;
  for (int32_t n = 0; n < b->box_count && most < (double)INFINITY; n++) {
    const box_reference *was = &b->references[n];
    const box_motion *is = &b->boxes[n];
    const double3 grown = double3_subtract(is->half, was->half);
    const double before = travel(is->half, &was->frame, &is->before),
                 behind = travel(is->half, &was->frame, &is->behind), way = before > behind ? before : behind;
    most = was->collider != is->collider || double3_dot(grown, grown) > 0 || !(way < (double)INFINITY)
               ? (double)INFINITY
           : way > most ? way
                        : most;
  }
  return most;
}

bool box_contact_covers(const box_contacts *b, const msd_real *state, size_t stride,
                        parallel_range particles) {
  return longest_way(b->at, state, stride, particles) < SURE * b->radius;
}

static bool covers(const self_contact_step *s, const msd_real *state) {
  const box_contacts *b = &s->contact->boxes;
  const parallel_range all = {0, b->slot_count};
  return b->holds && longest_way(b->at, s->before, s->stride, all) + boxes_way(b) < SURE * b->radius &&
         longest_way(b->at, state, s->stride, all) + boxes_way(b) < SURE * b->radius;
}

static bool is_of_triangle(const surface_mesh *mesh, int32_t slot, int32_t other) {
  const vertex_adjacency *at = &mesh->triangles_at;
  bool is = false;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1] && !is; n++)
    is = at->others[n][0] == other || at->others[n][1] == other;
  return is;
}

static bool find_loose(box_contacts *b, const surface_mesh *mesh, memory *m) {
  const surface_primitives *edges = &mesh->of[SURFACE_EDGES];
  b->loose_count = 0;
  for (int32_t place = 0; place < surface_mesh_places(mesh, SURFACE_EDGES); place++) {
    if (!surface_mesh_is_filled(mesh, SURFACE_EDGES, place) ||
        is_of_triangle(mesh, mesh->slot[edges->corner[0][place]], mesh->slot[edges->corner[1][place]]))
      continue;
    if (!growth_reserve(&loose_growth, b, m, (int64_t)b->loose_count + 1))
      return false;
    b->loose[b->loose_count++] = place;
  }
  b->knows_loose = true;
  return true;
}

/* Adds an element with each box that it may touch within `bound`. Updates the distance of the nearest pair that
   is left out. */
static bool add_candidates(const self_contact_step *s, const int32_t slots[BOX_CORNERS], bool is_segment,
                           double bound) {
  box_contacts *b = &s->contact->boxes;
  double3 x[BOX_CORNERS], local[BOX_CORNERS];
  for (int corner = 0; corner < BOX_CORNERS; corner++)
    x[corner] = read_at(s->before, s->stride, slots[corner]);
  for (int32_t n = 0; n < b->box_count; n++) {
    const box_motion *box = &b->boxes[n];
    for (int corner = 0; corner < BOX_CORNERS; corner++)
      local[corner] = in_frame(&box->before, x[corner]);
    const double gap = box_contact_gap(box->half, local) - (double)s->settings.thickness;
    if (gap > bound) {
      b->radius = gap < b->radius ? gap : b->radius;
      continue;
    }
    if (!growth_reserve(&candidate_growth, b, s->memory, (int64_t)b->candidate_count + 1))
      return false;
    box_candidate *c = &b->candidates[b->candidate_count++];
    *c = (box_candidate){.box = n, .is_segment = is_segment};
    memcpy(c->slots, slots, sizeof c->slots);
  }
  return true;
}

static bool find_candidates(const self_contact_step *s, double bound) {
  box_contacts *b = &s->contact->boxes;
  const surface_mesh *mesh = &s->contact->mesh;
  const surface_primitives *triangles = &mesh->of[SURFACE_TRIANGLES], *edges = &mesh->of[SURFACE_EDGES];
  bool done = b->knows_loose || find_loose(b, mesh, s->memory);
  for (int32_t place = 0; done && place < surface_mesh_places(mesh, SURFACE_TRIANGLES); place++) {
    if (!surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, place))
      continue;
    int32_t slots[BOX_CORNERS];
    for (int corner = 0; corner < BOX_CORNERS; corner++)
      slots[corner] = mesh->slot[triangles->corner[corner][place]];
    done = add_candidates(s, slots, false, bound);
  }
  for (int32_t n = 0; done && n < b->loose_count; n++) {
    const int32_t first = mesh->slot[edges->corner[0][b->loose[n]]],
                  last = mesh->slot[edges->corner[1][b->loose[n]]];
    done = add_candidates(s, (int32_t[BOX_CORNERS]){first, last, last}, true, bound);
  }
  return done;
}

/* Candidates should last for some substeps, and for ways of some thicknesses. */
static const double WAYS_AHEAD = 4, THICKNESSES_AHEAD = 4;

bool box_contact_cover(const self_contact_step *s, const msd_real *state) {
  box_contacts *b = &s->contact->boxes;
  if (covers(s, state))
    return true;
  b->holds = false;
  b->candidate_count = 0;
  if (!b->at)
    b->at = memory_allocate_items(s->memory, 3, b->stride * sizeof *b->at);
  if (!b->at)
    return false;
  memcpy(b->at, s->before, 3 * b->stride * sizeof *b->at);
  double ways = longest_way(b->at, state, s->stride, (parallel_range){0, b->slot_count}), reach = 0;
  b->reference_count = b->box_count;
  for (int32_t n = 0; n < b->box_count; n++) {
    const box_motion *box = &b->boxes[n];
    b->references[n] = (box_reference){box->collider, box->half, box->before};
    reach = box->reach > reach ? box->reach : reach;
  }
  ways = WAYS_AHEAD * (ways + reach);
  const double least = THICKNESSES_AHEAD * (double)s->settings.thickness;
  b->radius = (double)INFINITY;
  b->holds = find_candidates(s, ways > least ? ways : least);
  return b->holds;
}

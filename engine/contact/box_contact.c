#include "engine/contact/box_contact.h"

#include "engine/kernel/widths.h"

#include <string.h>

static const box_kernel *const widths[MSD_SIMD_COUNT] = {
    [MSD_SIMD_SCALAR] = &box_kernel_scalar,
    [MSD_SIMD_128] = &box_kernel_128,
#ifdef MSD_KERNELS_X86
    [MSD_SIMD_256] = &box_kernel_256,
    [MSD_SIMD_512] = &box_kernel_512,
#endif
};

const box_kernel *box_kernel_choose(msd_simd simd) {
  return widths[kernels_width(simd)];
}

static const growth_array box_arrays[] = {GROWTH_ARRAY(box_contacts, boxes)};
static const growth_table box_growth =
    GROWTH(box_contacts, box_count, box_capacity, box_arrays, .most = INT32_MAX / 2);
static const growth_array reference_arrays[] = {GROWTH_ARRAY(box_contacts, references)};
static const growth_table reference_growth =
    GROWTH(box_contacts, reference_count, reference_capacity, reference_arrays, .most = INT32_MAX / 2);
static const growth_array candidate_arrays[] = {GROWTH_ARRAY(box_contacts, candidates)};
static const growth_table candidate_growth =
    GROWTH(box_contacts, candidate_count, candidate_capacity, candidate_arrays, .most = INT32_MAX / 2);
static const growth_array run_arrays[] = {
    GROWTH_ARRAY(box_contacts, runs), GROWTH_ARRAY(box_contacts, codes), GROWTH_ARRAY(box_contacts, outside),
    GROWTH_ARRAY(box_contacts, common), GROWTH_ARRAY(box_contacts, places)};
static const growth_table run_growth =
    GROWTH(box_contacts, run_count, run_capacity, run_arrays, .most = INT32_MAX / BOX_GROUP);
static const growth_array block_arrays[] = {GROWTH_ARRAY(box_contacts, blocks)};
static const growth_table block_growth =
    GROWTH(box_contacts, block_count, block_capacity, block_arrays, .most = INT32_MAX / 2);
static const growth_array loose_arrays[] = {GROWTH_ARRAY(box_contacts, loose)};
static const growth_table loose_growth =
    GROWTH(box_contacts, loose_count, loose_capacity, loose_arrays, .most = INT32_MAX / 2);

bool box_contacts_reserve(box_contacts *b, memory *m, int32_t particles, size_t stride) {
  box_contacts_free(b, m);
  b->slot_count = particles;
  b->stride = stride;
  b->mark = memory_allocate_items(m, particles, sizeof *b->mark);
  b->run_of = memory_allocate_items(m, particles / BOX_GROUP + 1, sizeof *b->run_of);
  return b->mark && b->run_of;
}

void box_contacts_free(box_contacts *b, memory *m) {
  growth_free(&box_growth, b, m);
  growth_free(&reference_growth, b, m);
  growth_free(&candidate_growth, b, m);
  growth_free(&block_growth, b, m);
  growth_free(&run_growth, b, m);
  growth_free(&loose_growth, b, m);
  growth_free(&box_due_growth, b, m);
  growth_free(&box_particle_growth, b, m);
  growth_free(&box_impulse_growth, b, m);
  growth_free(&box_plane_growth, b, m);
  growth_free(&box_moved_growth, b, m);
  memory_release(m, b->at);
  memory_release(m, b->mark);
  memory_release(m, b->run_of);
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

static parallel_range all_of(const box_contacts *b) {
  return (parallel_range){0, b->slot_count};
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
  b->knows_way = false;
  return true;
}

/* ---------------------------------------------------------------------------------------------- candidates */

box_corners box_contact_corners(const self_contact_step *s, const box_candidate *c) {
  const box_motion *box = &s->contact->boxes.boxes[c->box];
  box_corners corners = {.approach = 0};
  for (int n = 0; n < BOX_CORNERS; n++) {
    const double3 x = box_contact_read(s->before, s->stride, c->slots[n]),
                  next = box_contact_read(s->behind, s->stride, c->slots[n]), way = double3_subtract(next, x);
    const double length = sqrt(double3_dot(way, way));
    corners.before[n] = box_contact_place(&box->before, x);
    corners.behind[n] = box_contact_place(&box->behind, next);
    corners.approach = corners.approach < length ? length : corners.approach;
  }
  corners.approach += box->reach;
  return corners;
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

bool box_contact_covers(const box_contacts *b, msd_simd simd, const msd_real *state,
                        parallel_range particles) {
  return near_kernel_choose(simd)->longest_way(b->at, state, b->stride, particles) < SURE * b->radius;
}

static void put_ways(box_contacts *b, double way, double within) {
  b->knows_way = true;
  b->way = way;
  b->way_within = within;
}

/* m: the longest way from where candidates were found to a state. */
static double find_way(const self_contact_step *s, const msd_real *state) {
  box_contacts *b = &s->contact->boxes;
  const near_kernel *kernel = near_kernel_choose(s->simd);
  if (b->knows_way)
    return kernel->longest_way(b->at, state, s->stride, all_of(b));
  const near_ways ways = kernel->longest_ways(b->at, s->before, state, s->stride, b->slot_count);
  put_ways(b, ways.to_before, ways.within);
  return ways.to_behind;
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

/* The run of the box with the particles of a slot; -1 without memory. */
static int32_t run_at(const self_contact_step *s, int32_t box, int32_t slot) {
  box_contacts *b = &s->contact->boxes;
  const int32_t group = slot / BOX_GROUP, run = b->run_of[group];
  if (run < b->run_count && b->runs[run].box == box && b->runs[run].first == group * BOX_GROUP)
    return run;
  if (!growth_reserve(&run_growth, b, s->memory, (int64_t)b->run_count + 1))
    return -1;
  b->runs[b->run_count] = (box_run){box, group * BOX_GROUP};
  return b->run_of[group] = b->run_count++;
}

/* True if something is left out; then updates the distance of what is nearest among that. */
static bool leaves_out(box_contacts *b, double gap, double bound) {
  if (!(gap > bound))
    return false;
  b->radius = gap < b->radius ? gap : b->radius;
  return true;
}

/* Adds an element that the box may touch within `bound`. */
static bool add_candidate(const self_contact_step *s, int32_t box, const int32_t slots[BOX_CORNERS],
                          bool is_segment, double bound) {
  box_contacts *b = &s->contact->boxes;
  double3 x[BOX_CORNERS];
  for (int n = 0; n < BOX_CORNERS; n++)
    x[n] = box_contact_place(&b->boxes[box].before, box_contact_read(s->before, s->stride, slots[n]));
  if (leaves_out(b, box_contact_gap(b->boxes[box].half, x) - (double)s->settings.thickness, bound))
    return true;
  if (!growth_reserve(&candidate_growth, b, s->memory, (int64_t)b->candidate_count + 1))
    return false;
  box_candidate c = {.box = box, .is_segment = is_segment};
  bool done = true;
  for (int n = 0; n < BOX_CORNERS && done; n++) {
    const int32_t run = run_at(s, box, slots[n]);
    c.slots[n] = slots[n];
    c.places[n] = run * BOX_GROUP + slots[n] % BOX_GROUP;
    done = run >= 0;
  }
  b->candidates[b->candidate_count++] = c;
  return done;
}

/* Makes a block of the candidates from the first one to the last. */
static bool add_block(const self_contact_step *s, int32_t first) {
  box_contacts *b = &s->contact->boxes;
  if (first == b->candidate_count)
    return true;
  if (!growth_reserve(&block_growth, b, s->memory, (int64_t)b->block_count + 1))
    return false;
  box_block *block = &b->blocks[b->block_count++];
  *block = (box_block){.first = first, .last = b->candidate_count};
  for (int32_t n = first; n < b->candidate_count; n++)
    for (int corner = 0; corner < BOX_CORNERS && block->run_count >= 0; corner++) {
      const int32_t run = b->candidates[n].places[corner] / BOX_GROUP;
      int32_t k = 0;
      while (k < block->run_count && block->runs[k] != run)
        k++;
      if (k == BOX_BLOCK_RUNS)
        block->run_count = -1;
      else if (k == block->run_count)
        block->runs[block->run_count++] = run;
    }
  return true;
}

/* m: a lower bound of the distance of all primitives of a leaf from a box. */
static double leaf_gap(const self_contact_step *s, const box_motion *box, int32_t leaf) {
  const surface_mesh *mesh = &s->contact->mesh;
  double3 low = {0}, high = {0};
  for (int32_t k = mesh->first_reached[leaf]; k < mesh->first_reached[leaf + 1]; k++) {
    const int32_t slot = mesh->slot[mesh->reached[k]];
    const double3 x = box_contact_place(&box->before, box_contact_read(s->before, s->stride, slot));
    if (k == mesh->first_reached[leaf])
      low = high = x;
    low = (double3){x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z};
    high = (double3){x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y, x.z > high.z ? x.z : high.z};
  }
  return box_contact_gap_of(box->half, low, high);
}

/* Adds the elements of a leaf; *loose: the first of b->loose that may be among them. */
static bool add_leaf(const self_contact_step *s, int32_t box, int32_t leaf, int32_t *loose, double bound) {
  const box_contacts *b = &s->contact->boxes;
  const surface_mesh *mesh = &s->contact->mesh;
  const surface_primitives *triangles = &mesh->of[SURFACE_TRIANGLES], *edges = &mesh->of[SURFACE_EDGES];
  const int32_t end = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf + 1),
                edge_end = surface_mesh_first_place(mesh, SURFACE_EDGES, leaf + 1);
  const bool is_out = leaves_out(&s->contact->boxes,
                                 leaf_gap(s, &b->boxes[box], leaf) - (double)s->settings.thickness, bound);
  const int32_t before = b->candidate_count;
  bool done = true;
  for (int32_t place = surface_mesh_first_place(mesh, SURFACE_TRIANGLES, leaf);
       !is_out && done && place < end; place++)
    if (surface_mesh_is_filled(mesh, SURFACE_TRIANGLES, place))
      done = add_candidate(s, box,
                           (int32_t[BOX_CORNERS]){mesh->slot[triangles->corner[0][place]],
                                                  mesh->slot[triangles->corner[1][place]],
                                                  mesh->slot[triangles->corner[2][place]]},
                           false, bound);
  for (; *loose < b->loose_count && b->loose[*loose] < edge_end; ++*loose) {
    const int32_t first = mesh->slot[edges->corner[0][b->loose[*loose]]],
                  last = mesh->slot[edges->corner[1][b->loose[*loose]]];
    done = done && (is_out || add_candidate(s, box, (int32_t[BOX_CORNERS]){first, last, last}, true, bound));
  }
  return done && add_block(s, before);
}

static bool find_candidates(const self_contact_step *s, double bound) {
  box_contacts *b = &s->contact->boxes;
  const surface_mesh *mesh = &s->contact->mesh;
  bool done = b->knows_loose || find_loose(b, mesh, s->memory);
  b->candidate_count = b->run_count = b->block_count = 0;
  for (int32_t box = 0; box < b->box_count; box++)
    for (int32_t leaf = 0, loose = 0; done && leaf < mesh->leaf_count; leaf++)
      done = add_leaf(s, box, leaf, &loose, bound);
  return done;
}

/* Candidates should last for some substeps, and for ways of some thicknesses. */
static const double WAYS_AHEAD = 4, THICKNESSES_AHEAD = 6;

bool box_contact_cover(const self_contact_step *s, const msd_real *state) {
  box_contacts *b = &s->contact->boxes;
  const double way = b->holds ? find_way(s, state) : 0;
  if (b->holds && (b->way > way ? b->way : way) + boxes_way(b) < SURE * b->radius)
    return true;
  b->holds = false;
  if (!b->at)
    b->at = memory_allocate_items(s->memory, 3, b->stride * sizeof *b->at);
  if (!b->at)
    return false;
  memcpy(b->at, s->before, 3 * b->stride * sizeof *b->at);
  put_ways(b, 0, near_kernel_choose(s->simd)->longest_way(b->at, state, s->stride, all_of(b)));
  double reach = 0;
  b->reference_count = b->box_count;
  for (int32_t n = 0; n < b->box_count; n++) {
    const box_motion *box = &b->boxes[n];
    b->references[n] = (box_reference){.collider = box->collider, .half = box->half, .frame = box->before};
    reach = box->reach > reach ? box->reach : reach;
  }
  const double ways = WAYS_AHEAD * (b->way_within + reach),
               least = THICKNESSES_AHEAD * (double)s->settings.thickness;
  b->radius = (double)INFINITY;
  b->is_marked = false;
  b->holds = find_candidates(s, ways > least ? ways : least);
  return b->holds;
}

/* ------------------------------------------------------------------------------------------------- codes */

/* What rounding may take off the length of a way. */
static const double ROUNDED = 1 + 1e-5;

void box_contact_mark_faces(const self_contact_step *s) {
  box_contacts *b = &s->contact->boxes;
  const box_kernel *kernel = box_kernel_choose(s->simd);
  b->is_marked = true;
  for (int32_t n = 0; n < b->run_count; n++) {
    const box_motion *box = &b->boxes[b->runs[n].box];
    const box_query q = {&box->before, box->half, s->before, s->stride,
                         (double)s->settings.thickness + (ROUNDED * b->way_within + box->reach)};
    b->common[n] = kernel->mark_faces(&q, b->runs[n].first, &b->codes[n], &b->outside[n], &b->places[n]);
  }
}

void box_contact_mark_apart(const self_contact_step *s, parallel_range runs) {
  const box_contacts *b = &s->contact->boxes;
  const box_kernel *kernel = box_kernel_choose(s->simd);
  for (int32_t n = runs.first; n < runs.last; n++) {
    const box_motion *box = &b->boxes[b->runs[n].box];
    const box_query q = {&box->behind, box->half, s->behind, s->stride,
                         (double)s->settings.thickness * BOX_LEAST};
    b->common[n] = kernel->mark_apart(&q, b->runs[n].first, &b->codes[n], &b->outside[n]);
  }
}

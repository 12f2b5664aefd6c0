/* The layout of constraint_force.h: building it, computing its numbers for a substep, and adding applied
   forces. */

#include "engine/base/sort.h"
#include "engine/kernel/constraint_force.h"

#include <string.h>

void constraint_forces_free(constraint_forces *f, memory *m) {
  memory_release(m, f->groups);
  memory_release(m, f->slots);
  memory_release(m, f->places);
  memory_release(m, f->numbers);
  memory_release(m, f->excess);
  memory_release(m, f->alarms);
  memory_release(m, f->energies);
  memory_release(m, f->lanes);
  memory_release(m, f->turns);
  memory_release(m, f->meshes);
  memory_release(m, f->chunks);
  memory_release(m, f->sums);
  memory_release(m, f->mesh_slots);
  memory_release(m, f->mesh_places);
  memory_release(m, f->mesh_gradients);
  memory_release(m, f->mesh_weights);
  memory_release(m, f->mesh_rows);
  memory_release(m, f->mesh_fans);
  memory_release(m, f->corner_forces);
  corner_gather_free(&f->particle_sums, m);
  memory_release(m, f->force_block);
  *f = (constraint_forces){0};
}

/* ---------------------------------------------------------------------------------- groups of one type */

/* Lanes of a class can share a group: one type; for fibers also one number of corners and of fibers. */
enum { LANE_CLASSES = MSD_CONSTRAINT_FIBER + 2 * CONSTRAINT_FIBERS };

/* The number of constraints from this one on that share its lane. */
static int32_t lane_count(const constraint_store *s, int32_t constraint) {
  const int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  int32_t count = 1;
  while (constraint_is_fiber(s, constraint) && count < CONSTRAINT_FIBERS && constraint + count < s->count &&
         constraint_is_fiber(s, constraint + count) &&
         memcmp(corners, corners + (size_t)count * CONSTRAINT_CORNERS,
                CONSTRAINT_CORNERS * sizeof *corners) == 0)
    count++;
  return count;
}

static int lane_class(const constraint_store *s, int32_t constraint, int32_t count) {
  if (!constraint_is_fiber(s, constraint))
    return s->kind[constraint];
  const bool is_tetrahedron = constraint_corners_of(s, constraint).count == CONSTRAINT_CORNERS;
  return MSD_CONSTRAINT_FIBER + is_tetrahedron * CONSTRAINT_FIBERS + (int)count - 1;
}

static constraint_group group_of_class(int class, int32_t first_row) {
  constraint_group group = {.first_row = first_row, .count = 1};
  if (class < MSD_CONSTRAINT_FIBER) {
    group.kind = (uint8_t) class;
    group.corners = (uint8_t)constraint_kind_get((msd_constraint_kind) class)->corners;
    return group;
  }
  const int number = class - MSD_CONSTRAINT_FIBER;
  group.kind = MSD_CONSTRAINT_FIBER;
  group.corners = (uint8_t)(3 + number / CONSTRAINT_FIBERS);
  group.count = (uint8_t)(1 + number % CONSTRAINT_FIBERS);
  return group;
}

static int32_t row_count_of(const constraint_group *group) {
  return group->kind == MSD_CONSTRAINT_FIBER ? group->count * FIBER_NUMBERS : CONSTRAINT_NUMBERS;
}

/* Assigns whole groups to each class. Returns the number of rows of numbers. */
static int32_t assign_groups_of_classes(constraint_forces *f, const int32_t *lanes, int32_t *next) {
  int32_t rows = 0, made = 0;
  for (int class = 0; class < LANE_CLASSES; class ++) {
    next[class] = made * CONSTRAINT_LANES;
    for (int32_t left = lanes[class]; left > 0; left -= CONSTRAINT_LANES) {
      f->groups[made] = group_of_class(class, rows);
      rows += row_count_of(&f->groups[made++]);
    }
  }
  return rows;
}

/* A hash of the slot offsets from the first corner; equal for constraints with the same index pattern. */
static uint32_t pattern_of(const constraint_store *s, const particle_store *p, int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(s, constraint);
  const uint32_t origin = (uint32_t)particle_slot(p, corners.particles[0]);
  uint32_t pattern = 0;
  for (int n = 1; n < corners.count; n++)
    pattern = (pattern + (uint32_t)particle_slot(p, corners.particles[n]) - origin) * 0x9e3779b1u;
  return pattern >> 22;
}

/* Lists the constraints that start a lane, sorted by class and within windows by pattern. Sets
   lanes[class]. */
static int32_t list_lanes(const constraint_store *s, const particle_store *p, sort_item *items,
                          int32_t *lanes) {
  int32_t listed = 0;
  for (int32_t c = 0, count; c < s->count; c += count) {
    count = lane_count(s, c);
    if (constraint_is_mesh(s, c))
      continue;
    const int class = lane_class(s, c, count);
    const uint64_t window = (uint64_t)(lanes[class]++ / CONSTRAINT_WINDOW);
    items[listed++] = (sort_item){(uint64_t) class << 34 | window << 10 | pattern_of(s, p, c), c};
  }
  return listed;
}

static void assign_lanes(constraint_forces *f, const constraint_store *s, const sort_item *items,
                         int32_t listed, int32_t *next) {
  int32_t meshes = 0;
  for (int32_t c = 0; c < s->count; c++)
    if (constraint_is_mesh(s, c))
      f->lanes[c] = -1 - meshes++;
  for (int32_t n = 0; n < listed; n++) {
    const int32_t c = items[n].index, count = lane_count(s, c);
    const int32_t lane = next[lane_class(s, c, count)]++;
    for (int32_t turn = 0; turn < count; turn++) {
      f->lanes[c + turn] = lane;
      f->turns[c + turn] = (uint8_t)turn;
    }
  }
}

/* Assigns each constraint a lane in a group of its class. Sets *rows to the number of rows of numbers. */
static bool make_lanes(constraint_forces *f, memory *m, const constraint_store *s, const particle_store *p,
                       int32_t *rows) {
  int32_t lanes[LANE_CLASSES] = {0}, next[LANE_CLASSES];
  sort_item *items = memory_allocate_items(m, s->count, sizeof *items),
            *spare = memory_allocate_items(m, s->count, sizeof *spare);
  const int32_t listed = items && spare ? list_lanes(s, p, items, lanes) : 0;
  for (int class = 0; class < LANE_CLASSES; class ++)
    f->group_count += (lanes[class] + CONSTRAINT_LANES - 1) / CONSTRAINT_LANES;
  f->groups = memory_allocate_items(m, f->group_count, sizeof *f->groups);
  f->lanes = memory_allocate_items(m, s->count, sizeof *f->lanes);
  f->turns = memory_allocate_items(m, s->count, sizeof *f->turns);
  const bool done = items && spare && f->groups && f->lanes && f->turns;
  if (done) {
    *rows = assign_groups_of_classes(f, lanes, next);
    assign_lanes(f, s, sort_by_key(items, spare, listed), listed, next);
  }
  memory_release(m, items);
  memory_release(m, spare);
  return done;
}

static constraint_mesh_groups *mesh_groups(const constraint_forces *f, int32_t constraint) {
  return &f->meshes[-1 - f->lanes[constraint]];
}

static size_t row_index(int32_t lane, int rows, int row) {
  const size_t group = (size_t)(lane / CONSTRAINT_LANES);
  return (group * (size_t)rows + (size_t)row) * CONSTRAINT_LANES + (size_t)(lane % CONSTRAINT_LANES);
}

static void write_slots(constraint_forces *f, const constraint_store *s, const particle_store *p,
                        int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(s, constraint);
  for (int n = 0; n < CONSTRAINT_CORNERS; n++)
    f->slots[row_index(f->lanes[constraint], CONSTRAINT_CORNERS, n)] =
        (int32_t)particle_slot(p, corners.particles[n < corners.count ? n : 0]);
}

/* Repeats the last constraint in the lanes after it, then finds consecutive slots. */
static void end_slots(constraint_forces *f, int32_t group) {
  int32_t *slots = f->slots + (size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES;
  for (int n = 0; n < CONSTRAINT_CORNERS * CONSTRAINT_LANES; n++)
    if (slots[n] < 0)
      slots[n] = slots[n - 1];
  unsigned runs = 0, nears = 0;
  for (int corner = 0; corner < f->groups[group].corners; corner++) {
    runs |= runs_of_row(slots + corner * CONSTRAINT_LANES) << RUN_COUNT * corner;
    nears |= nears_of_row(slots + corner * CONSTRAINT_LANES) << NEAR_COUNT * corner;
  }
  f->groups[group].runs = (uint8_t)runs;
  f->groups[group].nears = (uint16_t)nears;
  for (int run = 0; run < RUN_COUNT * f->groups[group].corners; run++) {
    const unsigned near = nears >> NEAR_COUNT * (run / RUN_COUNT), is_apart = ~runs >> run & 1;
    f->apart += is_apart ? RUN_LANES : 0;
    f->far_in_runs += is_apart && !(near >> run % RUN_COUNT & 1) ? RUN_LANES : 0;
    f->far_in_rows += is_apart && !(near & NEAR_ROW) ? RUN_LANES : 0;
  }
}

static bool make_groups(constraint_forces *f, memory *m, const constraint_store *s, const particle_store *p) {
  int32_t rows;
  if (!make_lanes(f, m, s, p, &rows))
    return false;
  const size_t groups = (size_t)f->group_count,
               slots = groups * CONSTRAINT_CORNERS * CONSTRAINT_LANES * sizeof *f->slots;
  f->slots = memory_allocate_unset(m, slots);
  f->numbers = memory_allocate(m, (size_t)rows * CONSTRAINT_LANES * sizeof *f->numbers);
  f->excess = memory_allocate(m, groups * CONSTRAINT_LANES * sizeof *f->excess);
  f->alarms = memory_allocate(m, groups * sizeof *f->alarms);
  if (!f->slots || !f->numbers || !f->excess || !f->alarms)
    return false;
  memset(f->slots, -1, slots);
  for (int32_t c = 0; c < s->count; c++)
    if (!constraint_is_mesh(s, c) && f->turns[c] == 0)
      write_slots(f, s, p, c);
  for (int32_t group = 0; group < f->group_count; group++)
    end_slots(f, group);
  return true;
}

/* ----------------------------------------------------------------------------------------------- meshes */

/* Assigns groups and chunks to a mesh. */
static void assign_groups(constraint_forces *f, const constraint_store *s, int32_t constraint) {
  const constraint_mesh *mesh = constraint_mesh_of(s, constraint);
  constraint_mesh_groups *groups = &f->meshes[f->mesh_count];
  *groups = (constraint_mesh_groups){
      .constraint = constraint, .first_group = f->mesh_group_count, .first_chunk = f->mesh_chunk_count};
  f->mesh_group_count += (mesh->vertex_count + CONSTRAINT_LANES - 1) / CONSTRAINT_LANES;
  groups->last_group = f->mesh_group_count;
  for (int32_t g = groups->first_group; g < groups->last_group; g += CONSTRAINT_MESH_CHUNK) {
    const int32_t end = g + CONSTRAINT_MESH_CHUNK;
    f->chunks[f->mesh_chunk_count++] =
        (constraint_mesh_chunk){f->mesh_count, g, end < groups->last_group ? end : groups->last_group};
  }
  groups->last_chunk = f->mesh_chunk_count;
  f->mesh_count++;
}

static int32_t fan_count(const constraint_store *s, int32_t vertex) {
  return s->vertex_first[vertex + 1] - s->vertex_first[vertex];
}

/* The number of rows needed by the group that begins with this vertex. */
static int32_t row_count(const constraint_store *s, int32_t vertex, int32_t end) {
  int32_t most = 0;
  for (int lane = 0; lane < CONSTRAINT_LANES && vertex + lane < end; lane++)
    most = fan_count(s, vertex + lane) > most ? fan_count(s, vertex + lane) : most;
  return most;
}

static void write_vertex(constraint_forces *f, const constraint_store *s, const particle_store *p,
                         int32_t group, int lane, int32_t vertex, bool is_padding) {
  const size_t own = particle_slot(p, s->vertices[vertex]);
  f->mesh_slots[(size_t)group * CONSTRAINT_LANES + (size_t)lane] = (int32_t)own;
  const int32_t fans = is_padding ? 0 : fan_count(s, vertex);
  for (int32_t n = 0, row = f->mesh_rows[group]; row < f->mesh_rows[group + 1]; n++, row++) {
    int32_t *next = f->mesh_fans + (size_t)row * 2 * CONSTRAINT_LANES + lane;
    next[0] = next[CONSTRAINT_LANES] = (int32_t)own;
    if (n >= fans)
      continue;
    for (int after = 1; after <= 2; after++)
      next[(after - 1) * CONSTRAINT_LANES] =
          (int32_t)particle_slot(p, constraint_fan_particle(s, s->vertex_first[vertex] + n, after));
  }
}

static void write_mesh(constraint_forces *f, const constraint_store *s, const particle_store *p,
                       constraint_mesh_groups *groups) {
  const constraint_mesh *mesh = constraint_mesh_of(s, groups->constraint);
  const int32_t end = mesh->first_vertex + mesh->vertex_count;
  groups->origin = (int32_t)particle_slot(p, s->vertices[mesh->first_vertex]);
  for (int32_t g = groups->first_group; g < groups->last_group; g++)
    for (int lane = 0; lane < CONSTRAINT_LANES; lane++) {
      const int32_t vertex = mesh->first_vertex + (g - groups->first_group) * CONSTRAINT_LANES + lane;
      write_vertex(f, s, p, g, lane, vertex < end ? vertex : end - 1, vertex >= end);
    }
}

static bool make_meshes(constraint_forces *f, memory *m, const constraint_store *s, const particle_store *p) {
  if (s->mesh_count == 0)
    return true;
  /* A mesh has at most as many groups and chunks as vertices. */
  const size_t meshes = (size_t)s->mesh_count, most = (size_t)s->vertex_count;
  f->meshes = memory_allocate(m, meshes * sizeof *f->meshes);
  f->chunks = memory_allocate(m, most * sizeof *f->chunks);
  if (!f->meshes || !f->chunks)
    return false;
  for (int32_t c = 0; c < s->count; c++)
    if (constraint_is_mesh(s, c))
      assign_groups(f, s, c);

  const size_t lanes = (size_t)f->mesh_group_count * CONSTRAINT_LANES;
  f->sums = memory_allocate(m, (size_t)f->mesh_chunk_count * sizeof *f->sums);
  f->mesh_slots = memory_allocate(m, lanes * sizeof *f->mesh_slots);
  f->mesh_weights = memory_allocate(m, lanes * sizeof *f->mesh_weights);
  f->mesh_rows = memory_allocate(m, ((size_t)f->mesh_group_count + 1) * sizeof *f->mesh_rows);
  if (!f->sums || !f->mesh_slots || !f->mesh_weights || !f->mesh_rows)
    return false;
  for (int32_t n = 0; n < f->mesh_count; n++) {
    const constraint_mesh *mesh = constraint_mesh_of(s, f->meshes[n].constraint);
    const int32_t end = mesh->first_vertex + mesh->vertex_count;
    for (int32_t g = f->meshes[n].first_group, v = mesh->first_vertex; v < end; g++, v += CONSTRAINT_LANES)
      f->mesh_rows[g + 1] = f->mesh_rows[g] + row_count(s, v, end);
  }
  f->mesh_fans = memory_allocate(m, (size_t)f->mesh_rows[f->mesh_group_count] * 2 * CONSTRAINT_LANES *
                                        sizeof *f->mesh_fans);
  if (!f->mesh_fans)
    return false;
  for (int32_t n = 0; n < f->mesh_count; n++)
    write_mesh(f, s, p, &f->meshes[n]);
  return true;
}

/* ----------------------------------------------------------------------------- from corners to particles */

/* The places of a constraint's corners; they are *step apart. */
static int32_t *places_of(const constraint_forces *f, int32_t constraint, int32_t *step) {
  const int32_t lane = f->lanes[constraint];
  *step = lane < 0 ? 1 : CONSTRAINT_LANES;
  if (lane < 0)
    return f->mesh_places + (size_t)mesh_groups(f, constraint)->first_group * CONSTRAINT_LANES;
  return f->places + row_index(lane, CONSTRAINT_CORNERS, 0);
}

/* The corners whose forces are summed for a constraint. The first fiber of a shared lane represents all of
   them. */
static constraint_corners summed_corners(const constraint_forces *f, const constraint_store *s,
                                         int32_t constraint) {
  return f->turns[constraint] == 0 ? constraint_corners_of(s, constraint) : (constraint_corners){NULL, 0};
}

/* Counts the corners at each slot. */
static void count_corners(const constraint_forces *f, const constraint_store *s, const particle_store *p,
                          int32_t *corners_at) {
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = summed_corners(f, s, c);
    for (int32_t n = 0; n < corners.count; n++)
      corners_at[particle_slot(p, corners.particles[n])]++;
  }
}

/* Unused lanes of groups and meshes get places that are never read. */
static void fill_places(corner_gather *sums, int32_t *places, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    if (places[n] < 0)
      places[n] = corner_gather_spare(sums);
}

static void assign_places(constraint_forces *f, const constraint_store *s, const particle_store *p,
                          const int32_t *lanes) {
  const int32_t group_size = CONSTRAINT_CORNERS * CONSTRAINT_LANES,
                vertices = f->mesh_group_count * CONSTRAINT_LANES;
  memset(f->places, -1, (size_t)f->group_count * (size_t)group_size * sizeof *f->places);
  memset(f->mesh_places, -1, (size_t)vertices * sizeof *f->mesh_places);
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners of = summed_corners(f, s, c);
    int32_t step, *places = places_of(f, c, &step);
    for (int32_t n = 0; n < of.count; n++)
      places[n * step] = corner_gather_place(&f->particle_sums, lanes[particle_slot(p, of.particles[n])]);
  }
  for (int32_t group = 0; group < f->group_count; group++)
    fill_places(&f->particle_sums, f->places + (size_t)group * (size_t)group_size,
                f->groups[group].corners * CONSTRAINT_LANES);
  fill_places(&f->particle_sums, f->mesh_places, vertices);
}

static bool make_corner_forces(constraint_forces *f, memory *m, const constraint_store *s,
                               const particle_store *p) {
  f->places = memory_allocate_items(m, (int64_t)f->group_count * CONSTRAINT_CORNERS * CONSTRAINT_LANES,
                                    sizeof *f->places);
  f->mesh_places =
      memory_allocate_items(m, (int64_t)f->mesh_group_count * CONSTRAINT_LANES, sizeof *f->mesh_places);
  f->mesh_gradients = memory_allocate_items(m, (int64_t)f->mesh_group_count * CONSTRAINT_LANES,
                                            RECORD_QUAD * sizeof *f->mesh_gradients);
  int32_t *parts = memory_allocate_items(m, p->count, sizeof *parts);
  bool done = f->places && f->mesh_places && f->mesh_gradients && parts;
  if (done)
    count_corners(f, s, p, parts);
  done = done && corner_gather_make(&f->particle_sums, m, parts, p->count);
  if (done)
    assign_places(f, s, p, parts);
  memory_release(m, parts);
  f->corner_forces =
      done ? memory_allocate_items(m, f->particle_sums.part_count, RECORD_QUAD * sizeof(msd_real)) : NULL;
  f->energies = memory_allocate_items(m, (int64_t)constraint_energy_count(f),
                                      CONSTRAINT_ENERGIES * sizeof *f->energies);
  return f->corner_forces && f->energies;
}

bool constraint_forces_make(constraint_forces *f, memory *m, const constraint_store *s,
                            const particle_store *p) {
  constraint_forces_free(f, m);
  f->count = s->count;
  if (s->count == 0 || (make_groups(f, m, s, p) && make_meshes(f, m, s, p) && make_corner_forces(f, m, s, p)))
    return true;
  constraint_forces_free(f, m);
  return false;
}

/* ------------------------------------------------------------------------------------------ coefficients */

/* The first number of a constraint; the others are CONSTRAINT_LANES apart. */
static msd_real *numbers_of(const constraint_forces *f, int32_t constraint) {
  const int32_t lane = f->lanes[constraint];
  const constraint_group *group = &f->groups[lane / CONSTRAINT_LANES];
  const size_t row = (size_t)group->first_row + (size_t)f->turns[constraint] * FIBER_NUMBERS;
  return f->numbers + row * CONSTRAINT_LANES + lane % CONSTRAINT_LANES;
}

static void tune_lane(constraint_forces *f, const constraint_store *s, int32_t constraint,
                      const constraint_factors *factors) {
  const int32_t corners = constraint_corners_of(s, constraint).count;
  const msd_real *weights = constraint_weights(s, constraint);
  msd_real *numbers = numbers_of(f, constraint);
  constraint_factors_write(factors, numbers, CONSTRAINT_LANES);
  numbers[CONSTRAINT_REST * CONSTRAINT_LANES] = s->rest[constraint];
  for (int32_t n = 0; n < corners; n++)
    numbers[(CONSTRAINT_WEIGHT + n) * CONSTRAINT_LANES] = weights[n];
}

/* `shared` is the m^ of the fiber, which is the same in every configuration. */
static void tune_fiber(constraint_forces *f, const constraint_store *s, int32_t constraint,
                       const constraint_factors *factors, double shared, double dt, bool limit) {
  const msd_real *weights = constraint_fiber_of(s, constraint);
  msd_real *numbers = numbers_of(f, constraint);
  const constraint_shape shape = {.shared_weight = shared > 0 ? 1 / shared : 0};
  const law_tuning t = constraint_tune(factors, &shape, dt, limit);
  numbers[FIBER_STIFFNESS * CONSTRAINT_LANES] = (msd_real)t.stiffness;
  numbers[FIBER_DAMPING * CONSTRAINT_LANES] = (msd_real)t.damping;
  numbers[FIBER_REST * CONSTRAINT_LANES] = s->rest[constraint];
  numbers[FIBER_COMPRESSION * CONSTRAINT_LANES] = s->compression[constraint];
  for (int32_t n = 1; n < CONSTRAINT_CORNERS; n++)
    numbers[(FIBER_WEIGHT + n - 1) * CONSTRAINT_LANES] = weights[n];
}

static void tune_mesh(constraint_forces *f, const constraint_store *s, const particle_store *p,
                      constraint_mesh_groups *groups, const constraint_factors *factors) {
  const constraint_corners corners = constraint_corners_of(s, groups->constraint);
  constraint_factors_write(factors, groups->factors, 1);
  groups->rest = s->rest[groups->constraint];
  groups->is_held = false;
  for (int32_t n = 0; n < corners.count; n++)
    groups->is_held = groups->is_held || !(p->inverse_mass[corners.particles[n]] > 0);
  memcpy(f->mesh_weights + (size_t)groups->first_group * CONSTRAINT_LANES,
         constraint_weights(s, groups->constraint), (size_t)corners.count * sizeof *f->mesh_weights);
}

void constraint_forces_tune(constraint_forces *f, const constraint_store *s, const particle_store *p,
                            double dt, bool limit) {
  f->tuned_step = (msd_real)dt;
  f->is_damped = false;
  f->follows_step = limit;
  for (int32_t c = 0; c < f->count; c++) {
    const constraint_factors factors = constraint_factors_at(s, p, c, dt);
    f->is_damped = f->is_damped || factors.damping > 0;
    f->follows_step = f->follows_step || (!constraint_is_fiber(s, c) && !constraint_takes_room(s, c) &&
                                          !constraint_is_broken(s, c));
    if (constraint_is_fiber(s, c))
      tune_fiber(f, s, c, &factors, constraint_placed_masses(s, p, c).shared, dt, limit);
    else if (f->lanes[c] >= 0)
      tune_lane(f, s, c, &factors);
    else
      tune_mesh(f, s, p, mesh_groups(f, c), &factors);
  }
  const bool is_limited = limit;
  f->most_stiffness = is_limited ? (msd_real)(1 / (dt * dt)) : 0;
  f->most_damping = is_limited ? (msd_real)(1 / dt) : 0;
}

bool constraint_forces_take_softened(constraint_forces *f, const constraint_store *s) {
  bool some = false;
  for (int32_t c = 0; c < f->count; c++) {
    const int32_t lane = f->lanes[c];
    msd_real *excess = lane >= 0 ? &f->excess[lane] : &mesh_groups(f, c)->excess;
    some = some || (*excess > 1 && constraint_takes_room(s, c));
    *excess = 0;
  }
  return some;
}

void constraint_forces_set_rest(constraint_forces *f, int32_t constraint, msd_real rest) {
  const int32_t lane = f->lanes[constraint];
  if (lane < 0) {
    mesh_groups(f, constraint)->rest = rest;
    return;
  }
  const bool is_fiber = f->groups[lane / CONSTRAINT_LANES].kind == MSD_CONSTRAINT_FIBER;
  numbers_of(f, constraint)[(is_fiber ? FIBER_REST : CONSTRAINT_REST) * CONSTRAINT_LANES] = rest;
}

/* --------------------------------------------------------------------------------------- applied forces */

bool constraint_forces_apply(constraint_forces *f, memory *m, const particle_store *p,
                             const msd_real *applied, bool anchored) {
  const size_t needed = 3 * p->stride;
  if (needed == 0)
    return true;
  if (f->force_size != needed) {
    memory_release(m, f->force_block);
    f->force_size = 0;
    f->force = particle_allocate_slab(p, m, 6, &f->force_block);
    if (!f->force)
      return false;
    f->own = f->force + 3 * p->stride;
    f->force_size = needed;
    f->holds_others = false;
  }
  for (size_t c = 0; c < 3 && (applied || f->holds_others); c++) {
    msd_real *to = f->force + c * p->stride;
    if (applied)
      memcpy(to, applied + c * p->stride, (size_t)p->count * sizeof *to);
    else
      memset(to, 0, (size_t)p->count * sizeof *to);
  }
  f->holds_others = applied || anchored;
  return true;
}

/* The layout of constraint_force.h: making it, tuning it to a substep, and giving it what users apply. */

#include "engine/kernel/constraint_force.h"

#include <string.h>

void constraint_forces_free(constraint_forces *f, memory *m) {
  memory_release(m, f->groups);
  memory_release(m, f->slots);
  memory_release(m, f->numbers);
  memory_release(m, f->excess);
  memory_release(m, f->lanes);
  memory_release(m, f->turns);
  memory_release(m, f->meshes);
  memory_release(m, f->chunks);
  memory_release(m, f->sums);
  memory_release(m, f->mesh_slots);
  memory_release(m, f->mesh_weights);
  memory_release(m, f->mesh_rows);
  memory_release(m, f->mesh_fans);
  memory_release(m, f->corner_forces);
  memory_release(m, f->touched);
  memory_release(m, f->touched_first);
  memory_release(m, f->corner_at);
  memory_release(m, f->force_block);
  *f = (constraint_forces){0};
}

/* ---------------------------------------------------------------------------------- groups of one kind */

/* Lanes that can be in one group: of one kind; of fibres, with as many corners and fibres. */
enum { LANE_CLASSES = MSD_CONSTRAINT_FIBRE + 2 * CONSTRAINT_FIBRES };

/* How many constraints from one on share its lane. */
static int32_t lane_count(const constraint_store *s, int32_t constraint) {
  const int32_t *corners = s->corners + (size_t)constraint * CONSTRAINT_CORNERS;
  int32_t count = 1;
  while (constraint_is_fibre(s, constraint) && count < CONSTRAINT_FIBRES && constraint + count < s->count &&
         constraint_is_fibre(s, constraint + count) &&
         memcmp(corners, corners + (size_t)count * CONSTRAINT_CORNERS,
                CONSTRAINT_CORNERS * sizeof *corners) == 0)
    count++;
  return count;
}

static int lane_class(const constraint_store *s, int32_t constraint, int32_t count) {
  if (!constraint_is_fibre(s, constraint))
    return s->kind[constraint];
  const bool is_tetrahedron = constraint_corners_of(s, constraint).count == CONSTRAINT_CORNERS;
  return MSD_CONSTRAINT_FIBRE + is_tetrahedron * CONSTRAINT_FIBRES + (int)count - 1;
}

static constraint_group group_of_class(int class, int32_t first_row) {
  if (class < MSD_CONSTRAINT_FIBRE)
    return (constraint_group){first_row, (uint8_t) class, 0, 1};
  const int number = class - MSD_CONSTRAINT_FIBRE;
  return (constraint_group){first_row, MSD_CONSTRAINT_FIBRE, (uint8_t)(3 + number / CONSTRAINT_FIBRES),
                            (uint8_t)(1 + number % CONSTRAINT_FIBRES)};
}

static int32_t row_count_of(const constraint_group *group) {
  return group->kind == MSD_CONSTRAINT_FIBRE ? group->count * FIBRE_NUMBERS : CONSTRAINT_NUMBERS;
}

/* Whole groups for each class of lanes; returns how many rows of numbers they have. */
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

/* A lane for each constraint, in groups of its class. Sets *rows to the rows of numbers. */
static bool assign_lanes(constraint_forces *f, memory *m, const constraint_store *s, int32_t *rows) {
  int32_t lanes[LANE_CLASSES] = {0}, next[LANE_CLASSES] = {0};
  for (int32_t c = 0, count; c < s->count; c += count) {
    count = lane_count(s, c);
    if (!constraint_is_mesh(s, c))
      lanes[lane_class(s, c, count)]++;
  }
  for (int class = 0; class < LANE_CLASSES; class ++)
    f->group_count += (lanes[class] + CONSTRAINT_LANES - 1) / CONSTRAINT_LANES;
  f->groups = memory_allocate(m, (size_t)f->group_count * sizeof *f->groups);
  f->lanes = memory_allocate(m, (size_t)s->count * sizeof *f->lanes);
  f->turns = memory_allocate(m, (size_t)s->count);
  if (!f->groups || !f->lanes || !f->turns)
    return false;
  *rows = assign_groups_of_classes(f, lanes, next);
  int32_t meshes = 0;
  for (int32_t c = 0, count; c < s->count; c += count) {
    count = lane_count(s, c);
    const int32_t lane = constraint_is_mesh(s, c) ? -1 - meshes++ : next[lane_class(s, c, count)]++;
    for (int32_t turn = 0; turn < count; turn++) {
      f->lanes[c + turn] = lane;
      f->turns[c + turn] = (uint8_t)turn;
    }
  }
  return true;
}

static constraint_mesh_groups *mesh_groups(const constraint_forces *f, int32_t constraint) {
  return &f->meshes[-1 - f->lanes[constraint]];
}

static size_t row_index(int32_t lane, int rows, int row) {
  const size_t group = (size_t)(lane / CONSTRAINT_LANES);
  return (group * (size_t)rows + (size_t)row) * CONSTRAINT_LANES + (size_t)(lane % CONSTRAINT_LANES);
}

/* Also into the lanes behind it, up to the end of the group; the next constraint of the kind overwrites
   them. */
static void write_slots(constraint_forces *f, const constraint_store *s, const particle_store *p,
                        int32_t constraint) {
  const int32_t lane = f->lanes[constraint], end = (lane / CONSTRAINT_LANES + 1) * CONSTRAINT_LANES;
  const constraint_corners corners = constraint_corners_of(s, constraint);
  for (int n = 0; n < CONSTRAINT_CORNERS; n++) {
    const int32_t particle = corners.particles[n < corners.count ? n : 0];
    for (int32_t at = lane; at < end; at++)
      f->slots[row_index(at, CONSTRAINT_CORNERS, n)] = (int32_t)particle_slot(p, particle);
  }
}

static bool make_groups(constraint_forces *f, memory *m, const constraint_store *s, const particle_store *p) {
  int32_t rows;
  if (!assign_lanes(f, m, s, &rows))
    return false;
  const size_t groups = (size_t)f->group_count;
  f->slots = memory_allocate(m, groups * CONSTRAINT_CORNERS * CONSTRAINT_LANES * sizeof *f->slots);
  f->numbers = memory_allocate(m, (size_t)rows * CONSTRAINT_LANES * sizeof *f->numbers);
  f->excess = memory_allocate(m, groups * CONSTRAINT_LANES * sizeof *f->excess);
  if (!f->slots || !f->numbers || !f->excess)
    return false;
  for (int32_t c = 0; c < s->count; c++)
    if (!constraint_is_mesh(s, c) && f->turns[c] == 0)
      write_slots(f, s, p, c);
  return true;
}

/* ----------------------------------------------------------------------------------------------- meshes */

/* Groups and chunks of each mesh; rows are counted in mesh_rows[group + 1]. */
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

/* The rows that a group needs which begins with this vertex. */
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
  /* No mesh has more groups or chunks than vertices. */
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

/* Where x of the force on a corner is in corner_forces. */
static int32_t corner_force_at(const constraint_forces *f, int32_t constraint, int32_t corner) {
  if (f->lanes[constraint] >= 0)
    return (int32_t)row_index(f->lanes[constraint], CONSTRAINT_CORNERS, (int)corner) * RECORD_QUAD;
  const int32_t group = mesh_groups(f, constraint)->first_group + corner / CONSTRAINT_LANES;
  return (int32_t)(constraint_mesh_force_at(f, group) + (size_t)(corner % CONSTRAINT_LANES) * RECORD_QUAD);
}

/* Those whose forces are summed for a constraint: of fibres that share a lane the first has those of all. */
static constraint_corners summed_corners(const constraint_forces *f, const constraint_store *s,
                                         int32_t constraint) {
  return f->turns[constraint] == 0 ? constraint_corners_of(s, constraint) : (constraint_corners){NULL, 0};
}

/* The corners at each slot; returns how many there are in all. */
static int64_t count_corners(const constraint_forces *f, const constraint_store *s, const particle_store *p,
                             int32_t *corners_at) {
  int64_t all = 0;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = summed_corners(f, s, c);
    for (int32_t n = 0; n < corners.count; n++)
      corners_at[particle_slot(p, corners.particles[n])]++;
    all += corners.count;
  }
  return all;
}

static bool make_sums(constraint_forces *f, memory *m, const constraint_store *s, const particle_store *p,
                      int32_t *next) {
  const int64_t corners = count_corners(f, s, p, next);
  for (int32_t slot = 0; slot < p->count; slot++)
    f->touched_count += next[slot] > 0;
  f->touched = memory_allocate(m, (size_t)f->touched_count * sizeof *f->touched);
  f->touched_first = memory_allocate(m, ((size_t)f->touched_count + 1) * sizeof *f->touched_first);
  f->corner_at = memory_allocate(m, (size_t)corners * sizeof *f->corner_at);
  if (!f->touched || !f->touched_first || !f->corner_at)
    return false;
  int32_t begin = 0, touched = 0;
  for (int32_t slot = 0; slot < p->count; slot++) {
    if (next[slot] == 0)
      continue;
    f->touched[touched] = slot;
    f->touched_first[touched++] = begin;
    begin += next[slot];
    next[slot] = begin - next[slot];
  }
  f->touched_first[touched] = begin;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners of = summed_corners(f, s, c);
    for (int32_t n = 0; n < of.count; n++)
      f->corner_at[next[particle_slot(p, of.particles[n])]++] = corner_force_at(f, c, n);
  }
  return true;
}

static bool make_corner_forces(constraint_forces *f, memory *m, const constraint_store *s,
                               const particle_store *p) {
  f->corner_forces =
      memory_allocate(m, constraint_mesh_force_at(f, f->mesh_group_count) * sizeof *f->corner_forces);
  int32_t *next = memory_allocate(m, (size_t)p->count * sizeof *next);
  const bool done = f->corner_forces && next && make_sums(f, m, s, p, next);
  memory_release(m, next);
  return done;
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

/* ------------------------------------------------------------------------------------------------ tuning */

/* Where the first of its numbers is; the others are CONSTRAINT_LANES apart. */
static msd_real *numbers_of(const constraint_forces *f, int32_t constraint) {
  const int32_t lane = f->lanes[constraint];
  const constraint_group *group = &f->groups[lane / CONSTRAINT_LANES];
  const size_t row = (size_t)group->first_row + (size_t)f->turns[constraint] * FIBRE_NUMBERS;
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

/* `shared` is the m^ of the fibre, at any shape. */
static void tune_fibre(constraint_forces *f, const constraint_store *s, int32_t constraint,
                       const constraint_factors *factors, double shared, double time_step, msd_limit limit) {
  const msd_real *weights = constraint_fibre_of(s, constraint);
  msd_real *numbers = numbers_of(f, constraint);
  const constraint_shape shape = {.shared_weight = shared > 0 ? 1 / shared : 0};
  const law_tuning t = constraint_tune(factors, &shape, time_step, limit);
  numbers[FIBRE_STIFFNESS * CONSTRAINT_LANES] = (msd_real)t.stiffness;
  numbers[FIBRE_DAMPING * CONSTRAINT_LANES] = (msd_real)t.damping;
  numbers[FIBRE_REST * CONSTRAINT_LANES] = s->rest[constraint];
  for (int32_t n = 1; n < CONSTRAINT_CORNERS; n++)
    numbers[(FIBRE_WEIGHT + n - 1) * CONSTRAINT_LANES] = weights[n];
}

static void tune_mesh(constraint_forces *f, const constraint_store *s, constraint_mesh_groups *groups,
                      const constraint_factors *factors) {
  const int32_t corners = constraint_corners_of(s, groups->constraint).count;
  constraint_factors_write(factors, groups->factors, 1);
  groups->rest = s->rest[groups->constraint];
  memcpy(f->mesh_weights + (size_t)groups->first_group * CONSTRAINT_LANES,
         constraint_weights(s, groups->constraint), (size_t)corners * sizeof *f->mesh_weights);
}

void constraint_forces_tune(constraint_forces *f, const constraint_store *s, const particle_store *p,
                            double time_step, msd_limit limit) {
  for (int32_t c = 0; c < f->count; c++) {
    const constraint_factors factors = constraint_factors_at(s, p, c, time_step);
    if (constraint_is_fibre(s, c))
      tune_fibre(f, s, c, &factors, constraint_placed_masses(s, p, c).shared, time_step, limit);
    else if (f->lanes[c] >= 0)
      tune_lane(f, s, c, &factors);
    else
      tune_mesh(f, s, mesh_groups(f, c), &factors);
  }
  const bool is_limited = limit == MSD_LIMIT_COEFFICIENTS;
  f->most_stiffness = is_limited ? (msd_real)(1 / (time_step * time_step)) : 0;
  f->most_damping = is_limited ? (msd_real)(1 / time_step) : 0;
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
  const bool is_fibre = f->groups[lane / CONSTRAINT_LANES].kind == MSD_CONSTRAINT_FIBRE;
  numbers_of(f, constraint)[(is_fibre ? FIBRE_REST : CONSTRAINT_REST) * CONSTRAINT_LANES] = rest;
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
    f->force = particle_allocate_slab(p, m, 3, &f->force_block);
    if (!f->force)
      return false;
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

/* Rest lengths and coefficients of single springs in a compiled network: finding their lanes, and changing
   them in place. */

#include "engine/network/coefficient_palette.h"
#include "engine/network/network_compiler.h"

/* The row indices of a spring; -1: none. */
typedef struct rank_pair {
  int32_t a, b;
} rank_pair;

static rank_pair ranks_of(const network *n, int32_t spring) {
  const size_t first = 2 * (size_t)spring;
  return (rank_pair){compiler_rank(n->ranks, n->rank_bits, first),
                     compiler_rank(n->ranks, n->rank_bits, first + 1)};
}

static int32_t slot_of(const network_source *s, int32_t particle) {
  return s->slot ? s->slot[particle] : particle;
}

int32_t network_indexed_lane(const network *n, int32_t particle, int32_t rank) {
  const network_group *group = &n->groups[particle / NETWORK_GROUP];
  const int32_t rows = group->indexed_end - group->indexed;
  if (rank < rows)
    return (group->indexed + rank) * NETWORK_GROUP + particle % NETWORK_GROUP;
  const overflow_row *tail = &n->tails[network_first_tail(n, particle / NETWORK_GROUP)];
  while (tail->particle != particle)
    tail++;
  return tail->first + rank - rows;
}

static int32_t indexed_lane(const network *n, int32_t particle, int32_t rank) {
  return n->indexed_lane + network_indexed_lane(n, particle, rank);
}

static int32_t indexed_part(const network *n) {
  return n->run_count + n->held_row_count;
}

static network_place held_place(const network *n, const network_source *source, int32_t spring,
                                int32_t rank) {
  const int32_t slot = slot_of(source, network_free_end(source, spring));
  const network_group *group = &n->groups[slot / NETWORK_GROUP];
  const int32_t row = group->held + rank;
  if (row >= group[1].held)
    return (network_place){indexed_lane(n, slot, row - group[1].held), -1, indexed_part(n)};
  return (network_place){n->held_lane + row * NETWORK_GROUP + slot % NETWORK_GROUP, -1, n->run_count + row};
}

static inline network_place place_of(const network *n, const network_source *source, int32_t spring,
                                     rank_pair rank) {
  if (network_is_held(source, spring))
    return held_place(n, source, spring, rank.a);
  const int32_t a = slot_of(source, source->a[spring]), b = slot_of(source, source->b[spring]);
  if (rank.b >= 0)
    return (network_place){indexed_lane(n, a, rank.a), indexed_lane(n, b, rank.b), indexed_part(n)};
  const int32_t lower = a < b ? a : b;
  const dia_row *row = &n->rows[n->groups[lower / NETWORK_GROUP].up + rank.a];
  return (network_place){row->lane + lower % NETWORK_GROUP, -1, row->run};
}

network_place network_place_of(const network *n, const network_source *source, int32_t spring) {
  return place_of(n, source, spring, ranks_of(n, spring));
}

static void set_lanes(msd_real *lanes, network_place place, msd_real value) {
  lanes[place.a] = value;
  if (place.b >= 0)
    lanes[place.b] = value;
}

void network_set_rest(network *n, const network_source *source, int32_t spring, msd_real rest) {
  if (!network_leaves_out(source, spring))
    set_lanes(n->rest, network_place_of(n, source, spring), rest);
}

void network_begin_tuning(network *n) {
  const coefficient_class nothing = {.uniform = true};
  for (int32_t r = 0; r < n->run_count; r++)
    n->runs[r].material = nothing;
  for (int32_t r = 0; r < n->held_row_count; r++)
    n->held_rows[r].material = nothing;
  n->indexed_material = nothing;
}

static bool reserve_tuning(network_tuning *t, memory *m, int32_t lanes) {
  if (t->stiffness)
    return true;
  msd_real *stiffness = memory_allocate(m, (size_t)lanes * sizeof *stiffness);
  msd_real *damping = memory_allocate(m, (size_t)lanes * sizeof *damping);
  if (!stiffness || !damping) {
    memory_release(m, stiffness);
    memory_release(m, damping);
    return false;
  }
  *t = (network_tuning){stiffness, damping};
  return true;
}

/* The lanes of a block or a pinned row. */
typedef struct lane_range {
  int32_t first, end;
} lane_range;

static lane_range lanes_of(const network *n, int32_t part) {
  if (part < n->run_count) {
    const dia_block *r = &n->runs[part];
    return (lane_range){r->lane, r->lane + (r->last_group - r->first_group + 1) * NETWORK_GROUP};
  }
  const int32_t lane = n->held_lane + (part - n->run_count) * NETWORK_GROUP;
  return (lane_range){lane, lane + NETWORK_GROUP};
}

static void fill(msd_real *lanes, lane_range range, msd_real value) {
  for (int32_t lane = range.first; lane < range.end; lane++)
    lanes[lane] = value;
}

/* Writes the common coefficients of a class to all its lanes. */
static void spread(const coefficient_class *material, const network_tuning *tuning, lane_range lanes) {
  fill(tuning->stiffness, lanes, material->stiffness);
  if (tuning->damping)
    fill(tuning->damping, lanes, material->damping);
}

static coefficient_class *material_of(network *n, int32_t part) {
  if (part < n->run_count)
    return &n->runs[part].material;
  return part < indexed_part(n) ? &n->held_rows[part - n->run_count].material : &n->indexed_material;
}

/* Returns whether the class remains uniform with these coefficients. The first spring sets them. */
static bool takes(coefficient_class *part, msd_real stiffness, msd_real damping) {
  if (!part->is_known)
    *part = (coefficient_class){true, true, stiffness, damping};
  return part->uniform && part->stiffness == stiffness && part->damping == damping;
}

/* Returns whether all pairs of a palette have this damping. */
static bool has_one_damping(const coefficient_palette *p, msd_real damping) {
  for (int pair = 0; pair < p->count; pair++)
    if (p->pairs[pair * NETWORK_PAIR + 1] != damping)
      return false;
  return true;
}

/* Replaces the palette by coefficients in all indexed lanes. */
static bool end_palette(network *n, memory *m) {
  const int32_t lanes = n->indexed_room;
  const bool is_one = has_one_damping(&n->palette, n->indexed_material.damping);
  network_tuning t = {.stiffness = memory_allocate(m, (size_t)lanes * sizeof *t.stiffness),
                      .damping = is_one ? NULL : memory_allocate(m, (size_t)lanes * sizeof *t.damping)};
  if (!t.stiffness || (!is_one && !t.damping)) {
    memory_release(m, t.stiffness);
    memory_release(m, t.damping);
    return false;
  }
  for (int32_t lane = 0; lane < n->indexed_count; lane++) {
    const msd_real *pair = network_palette_at(&n->palette, lane);
    t.stiffness[lane] = pair[0];
    if (t.damping)
      t.damping[lane] = pair[1];
  }
  n->indexed = t;
  network_palette_free(&n->palette, m);
  return true;
}

/* Sets the coefficients of an indexed spring. Allocates damping lanes if its damping differs. */
static bool set_indexed_lanes(network *n, memory *m, network_place place, msd_real stiffness,
                              msd_real damping) {
  network_tuning *t = &n->indexed;
  if (!t->damping && damping != n->indexed_material.damping) {
    t->damping = memory_allocate(m, (size_t)n->indexed_room * sizeof *t->damping);
    if (!t->damping)
      return false;
    fill(t->damping, (lane_range){0, n->indexed_count}, n->indexed_material.damping);
  }
  set_lanes(t->stiffness, place, stiffness);
  if (t->damping)
    set_lanes(t->damping, place, damping);
  return true;
}

/* Nonuniform indexed springs use a palette until it is full, then lanes. */
static bool set_indexed(network *n, memory *m, network_place place, msd_real stiffness, msd_real damping) {
  coefficient_class *common = &n->indexed_material;
  const int32_t lanes = n->indexed_room;
  place.a -= n->indexed_lane;
  place.b -= place.b >= 0 ? n->indexed_lane : 0;
  if (common->uniform) {
    if (n->indexed.stiffness)
      spread(common, &n->indexed, (lane_range){0, lanes});
    else if (!network_palette_begin(&n->palette, m, lanes, common->stiffness, common->damping))
      return false;
    common->uniform = false;
  }
  if (n->palette.pair) {
    if (network_palette_set(&n->palette, m, place, stiffness, damping))
      return true;
    if (n->palette.count < NETWORK_PALETTE_MAX || !end_palette(n, m))
      return false;
  }
  return set_indexed_lanes(n, m, place, stiffness, damping);
}

bool network_set_tuning(network *n, memory *m, const network_source *source, int32_t spring,
                        msd_real stiffness, msd_real damping) {
  /* While indexed springs are uniform, their lanes need not be computed. */
  const rank_pair rank = ranks_of(n, spring);
  if (rank.b >= 0 && takes(&n->indexed_material, stiffness, damping))
    return true;
  const network_place place = place_of(n, source, spring, rank);
  coefficient_class *material = material_of(n, place.part);
  if (takes(material, stiffness, damping))
    return true;
  if (place.part == indexed_part(n))
    return set_indexed(n, m, place, stiffness, damping);
  if (material->uniform) {
    if (!reserve_tuning(&n->streamed, m, n->indexed_lane))
      return false;
    spread(material, &n->streamed, lanes_of(n, place.part));
    material->uniform = false;
  }
  set_lanes(n->streamed.stiffness, place, stiffness);
  set_lanes(n->streamed.damping, place, damping);
  return true;
}

int32_t network_part_count(const network *n) {
  return indexed_part(n) + 1;
}

bool network_note_tuning(const network *n, const network_source *source, int32_t spring, msd_real stiffness,
                         msd_real damping, coefficient_class *of_parts) {
  const rank_pair rank = ranks_of(n, spring);
  const int32_t part = rank.b >= 0 ? indexed_part(n) : place_of(n, source, spring, rank).part;
  return takes(&of_parts[part], stiffness, damping);
}

bool network_join_tuning(const network *n, const coefficient_class *more, coefficient_class *of_parts) {
  bool agree = true;
  for (int32_t part = 0; part < network_part_count(n) && agree; part++)
    agree = !more[part].is_known || takes(&of_parts[part], more[part].stiffness, more[part].damping);
  return agree;
}

void network_take_tuning(network *n, const coefficient_class *of_parts) {
  for (int32_t part = 0; part < network_part_count(n); part++)
    if (of_parts[part].is_known)
      *material_of(n, part) = of_parts[part];
}

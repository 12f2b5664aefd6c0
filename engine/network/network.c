#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/network/coefficient_palette.h"
#include "engine/network/diagonals.h"

#include <string.h>

static bool is_indexed(const compiler *c, int32_t spring) {
  return c->places[spring].a < 0 && !network_leaves_out(&c->source, spring);
}

static const growth_array found_arrays[] = {GROWTH_ARRAY(compiler, found)};
static const growth_table found_growth =
    GROWTH(compiler, found_count, found_room, found_arrays, .most = INT32_MAX);

/* Returns whether a row continues a diagonal block. */
static bool goes_on(const candidate_row *row, const dia_block *run) {
  return row->offset == run->offset && network_side(row->side) == run->side &&
         row->group == run->last_group + 1;
}

static bool has_row(const dia_block *run, const candidate_row *row) {
  return row->offset == run->offset && network_side(row->side) == run->side &&
         row->group >= run->first_group && row->group <= run->last_group;
}

/* Appends a row to the blocks found so far. Two blocks are 16 lanes apart and share these empty lanes.
   Returns false if memory runs out. */
static bool take_row(compiler *c, const candidate_row *row) {
  dia_block *last = c->found_count > 0 ? &c->found[c->found_count - 1] : NULL;
  if (last && goes_on(row, last)) {
    last->last_group++;
  } else {
    c->found_lanes += last ? NETWORK_GROUP : 0;
    if (!growth_reserve(&found_growth, c, c->memory, (int64_t)c->found_count + 1))
      return false;
    /* an overflow of the lane number is detected at the end */
    c->found[c->found_count++] = (dia_block){.offset = row->offset,
                                             .first_group = row->group,
                                             .last_group = row->group,
                                             .lane = (int32_t)c->found_lanes,
                                             .side = network_side(row->side),
                                             .material = {.uniform = true}};
  }
  c->found_lanes += NETWORK_GROUP;
  return true;
}

/* Assigns each contiguous spring its row; rows come in the order of their springs. `up` counts them. Also
   finds their diagonal blocks. Returns false if memory runs out. */
static bool place_contiguous(compiler *c) {
  network *net = c->net;
  candidate_row row;
  bool done = true;
  for (int32_t s = 0; s < c->source.spring_count; s++)
    c->places[s] = (compiler_place){-1, -1};
  c->found_lanes = NETWORK_GROUP;
  for (candidates_before_rows(c, &row); done && candidate_next_row(c, &row);) {
    if (row.lanes < NETWORK_ROW_LANES_MIN)
      continue;
    const int32_t rank = net->groups[row.group].up++;
    for (int32_t n = 0; n < row.lanes; n++)
      c->places[row.springs[n]].a = rank;
    net->contiguous_count += row.lanes;
    done = take_row(c, &row);
  }
  for (int32_t g = 0; g < net->group_count; g++)
    net->groups[g].up = 0;
  return done;
}

/* Stores the blocks found, with 16 empty lanes at the end. */
static bool make_runs(compiler *c) {
  network *net = c->net;
  const int64_t lanes = c->found_lanes + NETWORK_GROUP;
  const size_t bytes = (size_t)c->found_count * sizeof *net->runs;
  if (lanes > INT32_MAX)
    return false;
  net->run_count = c->found_count;
  net->held_lane = (int32_t)lanes;
  net->runs = memory_allocate_unset(c->memory, bytes);
  if (!net->runs)
    return false;
  if (bytes > 0)
    memcpy(net->runs, c->found, bytes);
  growth_free(&found_growth, c, c->memory);
  net->largest_offset = net->run_count > 0 ? net->runs[0].offset : 0;
  return true;
}

/* The groups whose particles are upper ends of the block. */
static int32_t first_down_group(const dia_block *r) {
  return (r->first_group * NETWORK_GROUP + r->offset) / NETWORK_GROUP;
}

static int32_t last_down_group(const compiler *c, const dia_block *r) {
  const int64_t last = (int64_t)r->last_group * NETWORK_GROUP + NETWORK_GROUP - 1 + r->offset;
  return (int32_t)((last < c->source.particle_count ? last : c->source.particle_count - 1) / NETWORK_GROUP);
}

/* The rows of a group: its up rows, then its down rows, each in the order of the blocks, which is by
   descending offset. So partners descend in up rows and ascend in down rows. */
static bool make_rows(compiler *c) {
  network *net = c->net;
  /* Counts are stored one group ahead, so that summing turns them into beginnings. */
  for (const dia_block *r = net->runs; r < net->runs + net->run_count; r++) {
    for (int32_t g = r->first_group; g <= r->last_group; g++)
      net->groups[g + 1].up++;
    for (int32_t g = first_down_group(r); g <= last_down_group(c, r); g++)
      net->groups[g + 1].down++;
  }
  int32_t row = 0;
  for (int32_t g = 0; g < net->group_count; g++) {
    const int32_t ups = net->groups[g + 1].up, downs = net->groups[g + 1].down;
    net->groups[g].up = row;
    net->groups[g].down = row + ups;
    row += ups + downs;
  }
  net->row_count = row;
  net->groups[net->group_count].up = net->groups[net->group_count].down = row;
  net->rows = memory_allocate_unset(c->memory, (size_t)row * sizeof *net->rows);
  if (!net->rows)
    return false;
  for (int32_t n = 0; n < net->run_count; n++) {
    const dia_block *r = &net->runs[n];
    for (int32_t g = r->first_group; g <= r->last_group; g++)
      net->rows[net->groups[g].up++] =
          (dia_row){n, r->offset, r->lane + (g - r->first_group) * NETWORK_GROUP};
    for (int32_t g = first_down_group(r); g <= last_down_group(c, r); g++)
      net->rows[net->groups[g].down++] =
          (dia_row){n, -r->offset, r->lane + (g - r->first_group) * NETWORK_GROUP - r->offset};
  }
  /* Writing has moved each beginning to its end. Restores them: up ends where down began, down where the next
     group begins. */
  row = 0;
  for (int32_t g = 0; g < net->group_count; g++) {
    const int32_t down = net->groups[g].up, next = net->groups[g].down;
    net->groups[g].up = row;
    net->groups[g].down = down;
    row = next;
  }
  return true;
}

static bool make_segments(compiler *c) {
  network *net = c->net;
  net->chunk_count = (net->group_count + NETWORK_CHUNK_GROUPS - 1) / NETWORK_CHUNK_GROUPS;
  net->chunk_segments = memory_allocate(c->memory, ((size_t)net->chunk_count + 1) * sizeof(int32_t));
  if (!net->chunk_segments)
    return false;
  int32_t count = 0;
  for (const dia_block *r = net->runs; r < net->runs + net->run_count; r++)
    for (int32_t k = r->first_group / NETWORK_CHUNK_GROUPS; k <= r->last_group / NETWORK_CHUNK_GROUPS; k++) {
      net->chunk_segments[k]++;
      count++;
    }
  net->segments = memory_allocate_unset(c->memory, (size_t)count * sizeof *net->segments);
  if (!net->segments)
    return false;
  for (int32_t k = net->chunk_count; k >= 0; k--)
    net->chunk_segments[k] = count -= k < net->chunk_count ? net->chunk_segments[k] : 0;
  for (int32_t n = 0; n < net->run_count; n++) {
    const dia_block *r = &net->runs[n];
    for (int32_t k = r->first_group / NETWORK_CHUNK_GROUPS; k <= r->last_group / NETWORK_CHUNK_GROUPS; k++) {
      const int32_t first = k * NETWORK_CHUNK_GROUPS, last = first + NETWORK_CHUNK_GROUPS - 1;
      net->segments[net->chunk_segments[k]++] =
          (dia_segment){n, int_max(first, r->first_group), int_min(last, r->last_group)};
    }
  }
  for (int32_t k = net->chunk_count; k > 0; k--)
    net->chunk_segments[k] = net->chunk_segments[k - 1];
  net->chunk_segments[0] = 0;
  return true;
}

/* Counts the indexed springs at each particle, and their reach. */
static void count_degrees(compiler *c) {
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    if (!is_indexed(c, s))
      continue;
    const int32_t a = compiler_end_a(c, s), b = compiler_end_b(c, s);
    c->reach = compiler_farther(c->reach, a, b);
    if (network_is_held(&c->source, s)) {
      c->degree[compiler_free_end(c, s)]++;
    } else {
      c->degree[a]++;
      c->degree[b]++;
    }
  }
}

/* Limits that decide how many of the rows of the busiest particle a group gets before overflow rows. */
enum { ROW_SPRINGS_MIN = 4, TAIL_SPRINGS_MIN = 32 };

static int32_t indexed_rows_of(const compiler *c, int32_t group) {
  int32_t most[ROW_SPRINGS_MIN] = {0}; /* descending */
  for (int32_t i = group * NETWORK_GROUP; i < (group + 1) * NETWORK_GROUP && i < c->source.particle_count;
       i++) {
    int32_t degree = c->degree[i];
    for (int n = 0; n < ROW_SPRINGS_MIN; n++) {
      const int32_t kept = int_max(most[n], degree);
      degree = int_min(most[n], degree);
      most[n] = kept;
    }
  }
  const int32_t worthwhile = most[ROW_SPRINGS_MIN - 1];
  return most[0] - worthwhile >= TAIL_SPRINGS_MIN ? worthwhile : most[0];
}

/* Returns the number of indexed rows. */
static int64_t count_indexed_rows(compiler *c) {
  int64_t row = 0;
  for (int32_t g = 0; g < c->net->group_count; g++) {
    c->net->groups[g].indexed = (int32_t)row;
    row += indexed_rows_of(c, g);
    c->net->groups[g].indexed_end = (int32_t)row;
    if (row > INT32_MAX / NETWORK_GROUP)
      return row;
  }
  network_group *last = &c->net->groups[c->net->group_count];
  last->indexed = last->indexed_end = (int32_t)row;
  return row;
}

/* Lists the overflow rows, whose lanes follow `lanes` others. Only counts if `tails` is NULL. */
static int64_t list_tails(const compiler *c, overflow_row *tails, int64_t lanes, int32_t *count) {
  const network_group *groups = c->net->groups;
  int32_t *group_tails = tails ? c->net->group_tails : NULL;
  *count = 0;
  for (int32_t g = 0; g < c->net->group_count; g++) {
    if (group_tails)
      group_tails[g] = *count;
    const int32_t rows = groups[g].indexed_end - groups[g].indexed;
    for (int32_t i = g * NETWORK_GROUP; i < (g + 1) * NETWORK_GROUP && i < c->source.particle_count; i++) {
      if (c->degree[i] <= rows)
        continue;
      const int32_t filled = (c->degree[i] - rows + NETWORK_GROUP - 1) / NETWORK_GROUP * NETWORK_GROUP;
      if (tails)
        tails[*count] = (overflow_row){i, (int32_t)lanes, (int32_t)lanes + filled};
      lanes += filled;
      ++*count;
    }
  }
  if (group_tails)
    group_tails[c->net->group_count] = *count;
  return lanes;
}

/* Lays out the indexed lanes. Returns their number, or -1 if memory runs out or there are too many. */
static int64_t make_indexed_rows(compiler *c) {
  network *net = c->net;
  count_degrees(c);
  const int64_t rows = count_indexed_rows(c);
  if (rows > INT32_MAX / NETWORK_GROUP)
    return -1;
  const int64_t lanes = list_tails(c, NULL, rows * NETWORK_GROUP, &net->tail_count);
  if (lanes > INT32_MAX)
    return -1;
  net->tails = memory_allocate_items(c->memory, net->tail_count, sizeof *net->tails);
  if (net->tail_count > 0)
    net->group_tails =
        memory_allocate_items(c->memory, (int64_t)net->group_count + 1, sizeof *net->group_tails);
  if (!net->tails || (net->tail_count > 0 && !net->group_tails))
    return -1;
  list_tails(c, net->tails, rows * NETWORK_GROUP, &net->tail_count);
  return lanes;
}

static int32_t take_indexed_row(compiler *c, int32_t spring, int32_t particle, int32_t partner) {
  network *net = c->net;
  const int32_t rank = c->degree[particle]++, lane = network_indexed_lane(net, particle, rank);
  network_put_partner(net, particle, lane, partner);
  if (net->sides)
    net->sides[lane] = network_side(compiler_side(c, spring));
  return rank;
}

/* A lane without a spring has its own particle as the partner, or the last particle if its slot is after
   that. */
static void clear_partners(const compiler *c) {
  network *net = c->net;
  for (int32_t g = 0; g < net->group_count; g++)
    for (int32_t at = net->groups[g].indexed * NETWORK_GROUP; at < net->groups[g].indexed_end * NETWORK_GROUP;
         at++) {
      const int32_t slot = g * NETWORK_GROUP + at % NETWORK_GROUP;
      network_put_partner(net, slot, at, int_min(slot, c->source.particle_count - 1));
    }
  for (const overflow_row *tail = net->tails; tail < net->tails + net->tail_count; tail++)
    for (int32_t lane = tail->first; lane < tail->end; lane++)
      network_put_partner(net, tail->particle, lane, tail->particle);
}

static void place_indexed(compiler *c) {
  network *net = c->net;
  clear_partners(c);
  memset(c->degree, 0, (size_t)c->source.particle_count * sizeof *c->degree);
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    if (!is_indexed(c, s))
      continue;
    if (network_is_held(&c->source, s)) {
      const int32_t particle = compiler_free_end(c, s);
      const network_group *group = &net->groups[particle / NETWORK_GROUP];
      c->places[s].a =
          group[1].held - group->held + take_indexed_row(c, s, particle, compiler_pinned_end(c, s));
    } else {
      c->places[s].a = take_indexed_row(c, s, compiler_end_a(c, s), compiler_end_b(c, s));
      c->places[s].b = take_indexed_row(c, s, compiler_end_b(c, s), compiler_end_a(c, s));
    }
  }
}

static bool has_sides(const compiler *c, bool indexed_alone) {
  for (int32_t s = 0; c->source.side && s < c->source.spring_count; s++)
    if (compiler_side(c, s) != MSD_SPRING_BOTH && !network_leaves_out(&c->source, s) &&
        !(indexed_alone && !is_indexed(c, s)))
      return true;
  return false;
}

/* Stores the row indices for network_place_of with as few bits as possible. */
static bool make_ranks(compiler *c) {
  network *net = c->net;
  int32_t most = 0;
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    most = int_max(most, c->places[s].a);
    most = int_max(most, c->places[s].b);
  }
  const size_t count = 2 * (size_t)c->source.spring_count;
  net->rank_bits = compiler_rank_bits(most, COMPILER_RANK_BITS_MIN);
  net->ranks = memory_allocate_items(c->memory, c->source.spring_count, compiler_rank_pair(net->rank_bits));
  if (!net->ranks)
    return false;
  for (size_t i = 0; i < count; i++)
    compiler_put_rank(net->ranks, net->rank_bits, i, i % 2 == 0 ? c->places[i / 2].a : c->places[i / 2].b);
  return true;
}

/* Contiguous springs are set row by row, since their lanes are consecutive; then the others. */
static void put_rest_lengths(compiler *c) {
  network *net = c->net;
  candidate_row row;
  int32_t run = 0;
  for (candidates_before_rows(c, &row); candidate_next_row(c, &row);) {
    if (row.lanes < NETWORK_ROW_LANES_MIN)
      continue;
    while (!has_row(&net->runs[run], &row))
      run++;
    const int32_t first = net->runs[run].lane - net->runs[run].first_group * NETWORK_GROUP;
    for (int32_t n = 0; n < row.lanes; n++)
      net->rest[first + row.lower_ends[n]] = c->source.rest[row.springs[n]];
  }
  for (int32_t s = 0; s < c->source.spring_count; s++)
    if (c->places[s].b >= 0 || network_is_held(&c->source, s))
      network_set_rest(net, &c->source, s, c->source.rest[s]);
}

static bool make_lanes(compiler *c) {
  network *net = c->net;
  const int64_t streamed = (int64_t)net->held_lane + (int64_t)net->held_row_count * NETWORK_GROUP;
  const int64_t indexed = make_indexed_rows(c);
  if (indexed < 0 || streamed + indexed > INT32_MAX)
    return false;
  net->indexed_lane = (int32_t)streamed;
  net->indexed_count = (int32_t)indexed;
  net->lane_count = (int32_t)(streamed + indexed);
  net->rest = memory_allocate_unset(c->memory, (size_t)net->lane_count * sizeof *net->rest);
  if (compiler_is_near(c->reach))
    net->near = memory_allocate_unset(c->memory, (size_t)indexed * sizeof *net->near);
  else
    net->partner = memory_allocate_unset(c->memory, (size_t)indexed * sizeof *net->partner);
  const bool needs_sides = has_sides(c, true);
  if (needs_sides)
    net->sides = memory_allocate(c->memory, (size_t)indexed * sizeof *net->sides);
  if (!net->rest || !(net->near || net->partner) || (needs_sides && !net->sides))
    return false;
  for (int32_t lane = 0; lane < net->lane_count; lane++)
    net->rest[lane] = -1;
  place_indexed(c);
  net->reach = int_max(net->largest_offset, c->reach);
  if (!make_ranks(c))
    return false;
  put_rest_lengths(c);
  return true;
}

static bool compile(compiler *c) {
  network *net = c->net;
  net->particle_count = c->source.particle_count;
  net->group_count = (c->source.particle_count + NETWORK_GROUP - 1) / NETWORK_GROUP;
  net->spring_count = c->source.spring_count;
  net->groups = memory_allocate(c->memory, ((size_t)net->group_count + 1) * sizeof *net->groups);
  net->inverse_mass =
      memory_allocate(c->memory, (size_t)net->group_count * NETWORK_GROUP * sizeof *net->inverse_mass);
  if (!net->groups || !net->inverse_mass || !c->degree || !candidates_list(c))
    return false;
  if (!place_contiguous(c) || !make_runs(c) || !make_rows(c) || !make_segments(c))
    return false;
  net->one_sided = has_sides(c, false);
  net->indexed_material.uniform = true;
  if (!compiler_make_held_rows(c))
    return false;
  /* Stops before the lanes, which need most memory and time. */
  net->was_rejected = network_contiguous_share(net) < c->source.contiguous_min;
  return net->was_rejected || make_lanes(c);
}

bool network_compile(network *n, memory *m, const network_source *source) {
  network_free(n, m);
  compiler c = {
      .net = n,
      .memory = m,
      .source = *source,
      .degree = memory_allocate(m, (size_t)source->particle_count * sizeof(int32_t)),
  };
  const bool done = compile(&c);
  candidates_release(&c);
  growth_free(&found_growth, &c, m);
  memory_release(m, c.degree);
  n->group_room = n->group_count;
  n->chunk_room = n->chunk_count;
  n->tail_room = n->tail_count;
  n->lane_room = n->lane_count;
  n->indexed_room = n->indexed_count;
  n->spring_room = n->spring_count;
  const bool was_rejected = done && n->was_rejected;
  if (!done || was_rejected)
    network_free(n, m);
  n->was_rejected = was_rejected;
  return done;
}

double network_contiguous_share(const network *n) {
  return n->laid_count > 0 ? (double)n->contiguous_count / n->laid_count : 1;
}

void network_free(network *n, memory *m) {
  memory_release(m, n->groups);
  memory_release(m, n->rows);
  memory_release(m, n->runs);
  memory_release(m, n->chunk_segments);
  memory_release(m, n->segments);
  memory_release(m, n->rest);
  memory_release(m, n->streamed.stiffness);
  memory_release(m, n->streamed.damping);
  memory_release(m, n->indexed.stiffness);
  memory_release(m, n->indexed.damping);
  network_palette_free(&n->palette, m);
  memory_release(m, n->held_rows);
  memory_release(m, n->tails);
  memory_release(m, n->group_tails);
  memory_release(m, n->near);
  memory_release(m, n->partner);
  memory_release(m, n->sides);
  memory_release(m, n->ranks);
  memory_release(m, n->inverse_mass);
  *n = (network){0};
}

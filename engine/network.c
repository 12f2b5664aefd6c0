#include "network_compiler.h"

#include <string.h>

static int32_t lower_end(const compiler *c, int32_t spring) {
  const int32_t a = compiler_end_a(c, spring), b = compiler_end_b(c, spring);
  return a < b ? a : b;
}

static int32_t offset_of(const compiler *c, int32_t spring) {
  const int32_t difference = compiler_end_b(c, spring) - compiler_end_a(c, spring);
  return difference < 0 ? -difference : difference;
}

static bool is_indexed(const compiler *c, int32_t spring) {
  return c->net->places[spring].a < 0;
}

/* Candidates are sorted by keys that hold all that is asked of them here, so that no spring need be looked up. */
static uint64_t candidate_key(const compiler *c, int32_t spring) {
  const uint64_t descending = (uint64_t)(c->source.particle_count - offset_of(c, spring));
  return (descending << 2 | compiler_side(c, spring)) << 31 | (uint64_t)lower_end(c, spring);
}

static int32_t key_offset(const compiler *c, uint64_t key) {
  return c->source.particle_count - (int32_t)(key >> 33);
}

static uint8_t key_side(uint64_t key) {
  return key >> 31 & 3;
}

static int32_t key_lower_end(uint64_t key) {
  return (int32_t)(key & INT32_MAX);
}

/* The candidates first..end-1 that share an offset, a side and the group of the lower end. */
typedef struct bundle {
  int32_t first, end;
  int32_t offset, group;
  uint8_t side;
  int32_t lanes; /* different lower ends: a second spring between the same two particles has no lane */
} bundle;

static bool next_bundle(const compiler *c, bundle *b) {
  if (b->end >= c->candidate_count)
    return false;
  const sort_item *list = c->candidates;
  const uint64_t key = list[b->end].key;
  b->first = b->end;
  b->offset = key_offset(c, key);
  b->side = key_side(key);
  b->group = key_lower_end(key) / NETWORK_GROUP;
  b->lanes = 0;
  for (; b->end < c->candidate_count && list[b->end].key / NETWORK_GROUP == key / NETWORK_GROUP; b->end++)
    b->lanes += b->end == b->first || list[b->end].key != list[b->end - 1].key;
  return true;
}

static bool goes_on(const bundle *b, const bundle *last) {
  return b->offset == last->offset && b->side == last->side && b->group == last->group + 1;
}

/* Gives every contiguous spring its lane. A run is opened 16 lanes after the last one, so the two share the
   empty lanes between them. Returns the lanes used, 16 empty ones at the end included. */
static int64_t place_contiguous(compiler *c) {
  network *net = c->net;
  for (int32_t s = 0; s < c->source.spring_count; s++)
    net->places[s] = (network_place){-1, -1};
  int64_t lane = NETWORK_GROUP;
  bundle b = {0}, last = {.offset = -1};
  while (next_bundle(c, &b)) {
    if (b.lanes < NETWORK_ROW_LANES_MIN)
      continue;
    if (last.offset >= 0 && !goes_on(&b, &last))
      lane += NETWORK_GROUP;
    for (int32_t i = b.first; i < b.end && lane < INT32_MAX - NETWORK_GROUP; i++)
      if (i == b.first || c->candidates[i].key != c->candidates[i - 1].key) {
        const int32_t spring = c->candidates[i].index;
        net->places[spring].a = (int32_t)lane + lower_end(c, spring) % NETWORK_GROUP;
        net->contiguous_count++;
      }
    lane += NETWORK_GROUP;
    last = b;
  }
  return lane + NETWORK_GROUP;
}

/* The runs as place_contiguous laid them out; only counted when `runs` is NULL. */
static int32_t list_runs(const compiler *c, network_run *runs) {
  bundle b = {0}, last = {.offset = -1};
  network_run run = {0};
  int32_t count = 0;
  while (next_bundle(c, &b)) {
    if (b.lanes < NETWORK_ROW_LANES_MIN)
      continue;
    if (goes_on(&b, &last)) {
      run.last_group++;
    } else {
      const int32_t spring = c->candidates[b.first].index;
      const int32_t lane = c->net->places[spring].a - lower_end(c, spring) % NETWORK_GROUP;
      run = (network_run){.offset = b.offset,
                          .first_group = b.group,
                          .last_group = b.group,
                          .lane = lane,
                          .side = network_side(b.side)};
      count++;
    }
    last = b;
    if (runs)
      runs[count - 1] = run;
  }
  return count;
}

static bool make_runs(compiler *c) {
  network *net = c->net;
  net->run_count = list_runs(c, NULL);
  net->runs = memory_allocate(c->memory, (size_t)net->run_count * sizeof *net->runs);
  if (!net->runs)
    return false;
  list_runs(c, net->runs);
  net->largest_offset = net->run_count > 0 ? net->runs[0].offset : 0;
  return true;
}

/* The groups whose particles are upper ends of the run. */
static int32_t first_down_group(const network_run *r) {
  return (r->first_group * NETWORK_GROUP + r->offset) / NETWORK_GROUP;
}

static int32_t last_down_group(const compiler *c, const network_run *r) {
  const int64_t last = (int64_t)r->last_group * NETWORK_GROUP + NETWORK_GROUP - 1 + r->offset;
  return (int32_t)((last < c->source.particle_count ? last : c->source.particle_count - 1) / NETWORK_GROUP);
}

/* Rows of a group: its up rows, then its down rows, each in the order of the runs, which is by descending
   offset: descending partners going up, ascending partners going down. */
static bool make_rows(compiler *c) {
  network *net = c->net;
  /* Counting goes one group ahead, so that summing turns counts into beginnings. */
  for (const network_run *r = net->runs; r < net->runs + net->run_count; r++) {
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
  net->rows = memory_allocate(c->memory, (size_t)row * sizeof *net->rows);
  if (!net->rows)
    return false;
  for (int32_t n = 0; n < net->run_count; n++) {
    const network_run *r = &net->runs[n];
    for (int32_t g = r->first_group; g <= r->last_group; g++)
      net->rows[net->groups[g].up++] =
          (network_row){n, r->offset, r->lane + (g - r->first_group) * NETWORK_GROUP};
    for (int32_t g = first_down_group(r); g <= last_down_group(c, r); g++)
      net->rows[net->groups[g].down++] =
          (network_row){n, -r->offset, r->lane + (g - r->first_group) * NETWORK_GROUP - r->offset};
  }
  /* Writing moved each beginning to its end: up to where down began, down to where the next group begins. */
  row = 0;
  for (int32_t g = 0; g < net->group_count; g++) {
    const int32_t down = net->groups[g].up, next = net->groups[g].down;
    net->groups[g].up = row;
    net->groups[g].down = down;
    row = next;
  }
  return true;
}

static int32_t smaller(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static int32_t larger(int32_t a, int32_t b) {
  return a > b ? a : b;
}

static bool make_segments(compiler *c) {
  network *net = c->net;
  net->chunk_count = (net->group_count + NETWORK_CHUNK_GROUPS - 1) / NETWORK_CHUNK_GROUPS;
  net->chunk_segments = memory_allocate(c->memory, ((size_t)net->chunk_count + 1) * sizeof(int32_t));
  if (!net->chunk_segments)
    return false;
  int32_t count = 0;
  for (const network_run *r = net->runs; r < net->runs + net->run_count; r++)
    for (int32_t k = r->first_group / NETWORK_CHUNK_GROUPS; k <= r->last_group / NETWORK_CHUNK_GROUPS; k++) {
      net->chunk_segments[k]++;
      count++;
    }
  net->segments = memory_allocate(c->memory, (size_t)count * sizeof *net->segments);
  if (!net->segments)
    return false;
  for (int32_t k = net->chunk_count; k >= 0; k--)
    net->chunk_segments[k] = count -= k < net->chunk_count ? net->chunk_segments[k] : 0;
  for (int32_t n = 0; n < net->run_count; n++) {
    const network_run *r = &net->runs[n];
    for (int32_t k = r->first_group / NETWORK_CHUNK_GROUPS; k <= r->last_group / NETWORK_CHUNK_GROUPS; k++) {
      const int32_t first = k * NETWORK_CHUNK_GROUPS, last = first + NETWORK_CHUNK_GROUPS - 1;
      net->segments[net->chunk_segments[k]++] =
          (network_segment){n, larger(first, r->first_group), smaller(last, r->last_group)};
    }
  }
  for (int32_t k = net->chunk_count; k > 0; k--)
    net->chunk_segments[k] = net->chunk_segments[k - 1];
  net->chunk_segments[0] = 0;
  return true;
}

/* Indexed rows of each group: as many as its busiest particle needs. Returns how many there are in all. */
static int64_t count_indexed(compiler *c) {
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    if (!is_indexed(c, s))
      continue;
    if (network_is_held(&c->source, s)) {
      c->degree[compiler_free_end(c, s)]++;
    } else {
      c->degree[compiler_end_a(c, s)]++;
      c->degree[compiler_end_b(c, s)]++;
    }
  }
  int64_t row = 0;
  for (int32_t g = 0; g < c->net->group_count; g++) {
    c->net->groups[g].indexed = (int32_t)row;
    int32_t most = 0;
    for (int32_t i = g * NETWORK_GROUP; i < (g + 1) * NETWORK_GROUP && i < c->source.particle_count; i++)
      most = c->degree[i] > most ? c->degree[i] : most;
    row += most;
    if (row > INT32_MAX / NETWORK_GROUP)
      return row;
  }
  c->net->groups[c->net->group_count].indexed = (int32_t)row;
  return row;
}

static int32_t take_indexed_lane(compiler *c, int32_t spring, int32_t particle, int32_t partner) {
  network *net = c->net;
  const int32_t row = net->groups[particle / NETWORK_GROUP].indexed + c->degree[particle]++;
  const int32_t place = row * NETWORK_GROUP + particle % NETWORK_GROUP;
  net->partner[place] = partner;
  if (net->sides)
    net->sides[place] = network_side(compiler_side(c, spring));
  return net->indexed_lane + place;
}

static void place_indexed(compiler *c) {
  network *net = c->net;
  for (int32_t g = 0; g < net->group_count; g++)
    for (int32_t row = net->groups[g].indexed; row < net->groups[g + 1].indexed; row++)
      for (int32_t lane = 0; lane < NETWORK_GROUP; lane++) {
        const int32_t particle = g * NETWORK_GROUP + lane;
        net->partner[row * NETWORK_GROUP + lane] = particle < c->source.particle_count ? particle : 0;
      }
  memset(c->degree, 0, (size_t)c->source.particle_count * sizeof *c->degree);
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    if (!is_indexed(c, s))
      continue;
    if (network_is_held(&c->source, s)) {
      net->places[s].a = take_indexed_lane(c, s, compiler_free_end(c, s), compiler_pinned_end(c, s));
    } else {
      net->places[s].a = take_indexed_lane(c, s, compiler_end_a(c, s), compiler_end_b(c, s));
      net->places[s].b = take_indexed_lane(c, s, compiler_end_b(c, s), compiler_end_a(c, s));
    }
  }
}

static bool has_sides(const compiler *c, bool indexed_alone) {
  for (int32_t s = 0; c->source.side && s < c->source.spring_count; s++)
    if (c->source.side[s] != MSD_SPRING_BOTH && !(indexed_alone && !is_indexed(c, s)))
      return true;
  return false;
}

static bool make_lanes(compiler *c) {
  network *net = c->net;
  const int64_t streamed = (int64_t)net->held_lane + (int64_t)net->held_row_count * NETWORK_GROUP;
  const int64_t indexed = count_indexed(c) * NETWORK_GROUP;
  if (streamed + indexed > INT32_MAX)
    return false;
  net->indexed_lane = (int32_t)streamed;
  net->lane_count = (int32_t)(streamed + indexed);
  const size_t bytes = (size_t)net->lane_count * sizeof(msd_real);
  net->rest = memory_allocate(c->memory, bytes);
  net->stiffness = memory_allocate(c->memory, bytes);
  net->damping = memory_allocate(c->memory, bytes);
  net->partner = memory_allocate(c->memory, (size_t)indexed * sizeof *net->partner);
  const bool needs_sides = has_sides(c, true);
  if (needs_sides)
    net->sides = memory_allocate(c->memory, (size_t)indexed * sizeof *net->sides);
  if (!net->rest || !net->stiffness || !net->damping || !net->partner || (needs_sides && !net->sides))
    return false;
  for (int32_t lane = 0; lane < net->lane_count; lane++)
    net->rest[lane] = -1;
  place_indexed(c);
  for (int32_t s = 0; s < c->source.spring_count; s++)
    network_set_rest(net, s, c->source.rest[s]);
  return true;
}

static void list_candidates(compiler *c, sort_item *items, sort_item *spare) {
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    if (network_is_held(&c->source, s))
      continue;
    items[c->candidate_count++] = (sort_item){candidate_key(c, s), s};
  }
  c->candidates = sort_by_key(items, spare, c->candidate_count);
}

static bool compile(compiler *c, sort_item *items, sort_item *spare) {
  network *net = c->net;
  net->group_count = (c->source.particle_count + NETWORK_GROUP - 1) / NETWORK_GROUP;
  net->spring_count = c->source.spring_count;
  net->groups = memory_allocate(c->memory, ((size_t)net->group_count + 1) * sizeof *net->groups);
  net->places = memory_allocate(c->memory, (size_t)net->spring_count * sizeof *net->places);
  net->inverse_mass =
      memory_allocate(c->memory, (size_t)net->group_count * NETWORK_GROUP * sizeof *net->inverse_mass);
  if (!net->groups || !net->places || !net->inverse_mass || !items || !spare || !c->degree)
    return false;
  list_candidates(c, items, spare);
  const int64_t contiguous = place_contiguous(c);
  if (contiguous > INT32_MAX || !make_runs(c) || !make_rows(c) || !make_segments(c))
    return false;
  net->one_sided = has_sides(c, false);
  net->held_lane = (int32_t)contiguous;
  if (!compiler_make_held_rows(c))
    return false;
  /* Most memory and time goes into the lanes. */
  net->is_scattered = network_contiguous_share(net) < c->source.contiguous_min;
  return net->is_scattered || make_lanes(c);
}

bool network_compile(network *n, memory *m, const network_source *source) {
  network_free(n, m);
  compiler c = {
      .net = n,
      .memory = m,
      .source = *source,
      .degree = memory_allocate(m, (size_t)source->particle_count * sizeof(int32_t)),
  };
  sort_item *items = memory_allocate(m, (size_t)source->spring_count * sizeof *items);
  sort_item *spare = memory_allocate(m, (size_t)source->spring_count * sizeof *spare);
  const bool done = compile(&c, items, spare);
  memory_release(m, items);
  memory_release(m, spare);
  memory_release(m, c.degree);
  const bool is_scattered = done && n->is_scattered;
  if (!done || is_scattered)
    network_free(n, m);
  n->is_scattered = is_scattered;
  return done;
}

double network_contiguous_share(const network *n) {
  return n->spring_count > 0 ? (double)n->contiguous_count / n->spring_count : 1;
}

void network_free(network *n, memory *m) {
  memory_release(m, n->groups);
  memory_release(m, n->rows);
  memory_release(m, n->runs);
  memory_release(m, n->chunk_segments);
  memory_release(m, n->segments);
  memory_release(m, n->rest);
  memory_release(m, n->stiffness);
  memory_release(m, n->damping);
  memory_release(m, n->held_rows);
  memory_release(m, n->partner);
  memory_release(m, n->sides);
  memory_release(m, n->places);
  memory_release(m, n->inverse_mass);
  *n = (network){0};
}

static void set_lanes(msd_real *lanes, network_place place, msd_real value) {
  lanes[place.a] = value;
  if (place.b >= 0)
    lanes[place.b] = value;
}

void network_set_rest(network *n, int32_t spring, msd_real rest) {
  if (spring < n->spring_count)
    set_lanes(n->rest, n->places[spring], rest);
}

void network_set_tuning(network *n, int32_t spring, msd_real stiffness, msd_real damping) {
  if (spring >= n->spring_count)
    return;
  set_lanes(n->stiffness, n->places[spring], stiffness);
  set_lanes(n->damping, n->places[spring], damping);
}

static network_material material_of(const network *n, int32_t first, int32_t end) {
  network_material m = {.uniform = true};
  bool found = false;
  for (int32_t lane = first; lane < end && m.uniform; lane++) {
    if (n->rest[lane] < 0)
      continue;
    if (!found) {
      m.stiffness = n->stiffness[lane];
      m.damping = n->damping[lane];
      found = true;
    }
    m.uniform = n->stiffness[lane] == m.stiffness && n->damping[lane] == m.damping;
  }
  return m;
}

void network_find_materials(network *n) {
  for (network_run *r = n->runs; r < n->runs + n->run_count; r++)
    r->material = material_of(n, r->lane, r->lane + (r->last_group - r->first_group + 1) * NETWORK_GROUP);
  for (int32_t row = 0; row < n->held_row_count; row++) {
    const int32_t lane = n->held_lane + row * NETWORK_GROUP;
    n->held_rows[row].material = material_of(n, lane, lane + NETWORK_GROUP);
  }
  n->indexed_material = material_of(n, n->indexed_lane, n->lane_count);
}

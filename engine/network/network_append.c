/* Appending to a compiled network: see network.h. */

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/network/network_compiler.h"

static const growth_array group_arrays[] = {
    GROWTH_ARRAY(network, groups),
    GROWTH_OPTIONAL_ARRAY(network, group_tails),
    {offsetof(network, inverse_mass), NETWORK_GROUP * sizeof(msd_real), false},
};
static const growth_table group_growth =
    GROWTH(network, group_count, group_room, group_arrays, .most = INT32_MAX / NETWORK_GROUP, .behind = 1);

static const growth_array chunk_arrays[] = {GROWTH_ARRAY(network, chunk_segments)};
static const growth_table chunk_growth =
    GROWTH(network, chunk_count, chunk_room, chunk_arrays, .most = INT32_MAX / NETWORK_CHUNK, .behind = 1);

static const growth_array tail_arrays[] = {GROWTH_ARRAY(network, tails)};
static const growth_table tail_growth =
    GROWTH(network, tail_count, tail_room, tail_arrays, .most = INT32_MAX);

static const growth_array lane_arrays[] = {GROWTH_ARRAY(network, rest)};
static const growth_table lane_growth =
    GROWTH(network, lane_count, lane_room, lane_arrays, .most = INT32_MAX);

static const growth_array indexed_arrays[] = {
    GROWTH_OPTIONAL_ARRAY(network, near),
    GROWTH_OPTIONAL_ARRAY(network, partner),
    GROWTH_OPTIONAL_ARRAY(network, sides),
    GROWTH_OPTIONAL_ARRAY(network, indexed.stiffness),
    GROWTH_OPTIONAL_ARRAY(network, indexed.damping),
    GROWTH_OPTIONAL_ARRAY(network, palette.pair),
};
static const growth_table indexed_growth =
    GROWTH(network, indexed_count, indexed_room, indexed_arrays, .most = INT32_MAX);

/* The arguments of an append, and what is new. */
typedef struct appender {
  network *net;
  memory *memory;
  const network_source *source;
  int32_t first_particle, first_spring;
  /* The ends of new springs that need a lane, by slot. The item index is twice the spring index, counted from
     first_spring, plus the end. Sorted by slot, then by spring. */
  const sort_item *ends;
  int32_t end_count;
  /* The number of new overflow rows and lanes. */
  int32_t tails;
  int64_t lanes;
  int32_t most_rank;
  /* The reach of the new springs. */
  int32_t reach;
  bool has_sides;
} appender;

/* A particle with new ends, and its existing lanes. */
typedef struct station {
  int32_t particle;
  /* Range in `ends`. */
  int32_t first, end;
  /* The number of its indexed springs, and of the indexed rows of its group. */
  int32_t degree, rows;
  /* NULL: none. */
  overflow_row *tail;
} station;

static int32_t tail_room_of(const station *s) {
  return s->tail ? s->tail->end - s->tail->first : 0;
}

static int32_t springs_of(const station *s) {
  return s->degree + s->end - s->first;
}

static bool needs_tail(const station *s) {
  return springs_of(s) > s->rows + tail_room_of(s);
}

/* An overflow row that must grow doubles. */
static int32_t tail_lanes(const station *s) {
  const int32_t least = (springs_of(s) - s->rows + NETWORK_GROUP - 1) / NETWORK_GROUP * NETWORK_GROUP;
  return int_max(least, 2 * tail_room_of(s));
}

/* The number of indexed springs at a particle. Used lanes come first; an empty lane has the particle itself
   as its partner. */
static int32_t count_springs(const network *net, const station *s) {
  int32_t low = 0, high = s->rows + tail_room_of(s);
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (network_partner(net, s->particle, network_indexed_lane(net, s->particle, middle)) != s->particle)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The next particle with new ends; false after the last. Before begin_particles a new particle has no
   lanes. */
static bool next_station(const appender *a, station *s, bool has_begun) {
  const network *net = a->net;
  if (s->end >= a->end_count)
    return false;
  *s = (station){.particle = (int32_t)a->ends[s->end].key, .first = s->end, .end = s->end};
  while (s->end < a->end_count && (int32_t)a->ends[s->end].key == s->particle)
    s->end++;
  const int32_t group = s->particle / NETWORK_GROUP;
  if (group < net->group_count) {
    s->rows = net->groups[group].indexed_end - net->groups[group].indexed;
    for (int32_t t = network_first_tail(net, group); t < network_first_tail(net, group + 1); t++)
      if (net->tails[t].particle == s->particle)
        s->tail = &net->tails[t];
  }
  if (has_begun || s->particle < a->first_particle)
    s->degree = count_springs(net, s);
  return true;
}

/* ------------------------------------------------------------------------------------------- requirements */

static int32_t slot_of(const appender *a, int32_t particle) {
  return a->source->slot ? a->source->slot[particle] : particle;
}

static void list_ends(appender *a, sort_item *items, sort_item *spare) {
  const network_source *s = a->source;
  for (int32_t e = a->first_spring; e < s->spring_count; e++) {
    const int32_t number = 2 * (e - a->first_spring);
    if (network_leaves_out(s, e))
      continue;
    a->has_sides = a->has_sides || (s->side && (s->side[e] & NETWORK_SIDE_BITS) != MSD_SPRING_BOTH);
    a->reach = compiler_farther(a->reach, slot_of(a, s->a[e]), slot_of(a, s->b[e]));
    if (network_is_held(s, e)) {
      items[a->end_count++] = (sort_item){(uint64_t)slot_of(a, network_free_end(s, e)), number};
    } else {
      items[a->end_count++] = (sort_item){(uint64_t)slot_of(a, s->a[e]), number};
      items[a->end_count++] = (sort_item){(uint64_t)slot_of(a, s->b[e]), number + 1};
    }
  }
  a->ends = sort_by_key(items, spare, a->end_count);
}

/* Pinned rows are counted before the indexed rows of springs at pins. */
static int32_t held_rows_of(const network *net, int32_t particle) {
  const int32_t group = particle / NETWORK_GROUP;
  return group < net->group_count ? net->groups[group + 1].held - net->groups[group].held : 0;
}

/* More springs go to overflow rows. */
enum { LATE_ROWS_MAX = 32 };

static bool has_tails(const network *net, int32_t group) {
  return group < net->group_count && network_first_tail(net, group) < network_first_tail(net, group + 1);
}

/* The number of rows that the group of a station, the first in the group, should get. */
static int32_t rows_wanted(const appender *a, const station *first, bool has_begun) {
  const int32_t group = first->particle / NETWORK_GROUP;
  int32_t rows = first->rows;
  if (has_tails(a->net, group))
    return rows;
  station s = *first;
  do
    rows = int_max(rows, springs_of(&s));
  while (next_station(a, &s, has_begun) && s.particle / NETWORK_GROUP == group);
  return rows <= int_max(LATE_ROWS_MAX, first->rows) ? rows : first->rows;
}

static void count_needs(appender *a) {
  int32_t group = -1, rows = 0;
  for (station s = {.end = 0}; next_station(a, &s, false);) {
    a->most_rank = int_max(a->most_rank, springs_of(&s) - 1 + held_rows_of(a->net, s.particle));
    if (s.particle / NETWORK_GROUP != group) {
      group = s.particle / NETWORK_GROUP;
      rows = rows_wanted(a, &s, false);
      a->lanes += rows > s.rows ? rows * NETWORK_GROUP : 0;
    }
    if (rows <= s.rows && needs_tail(&s)) {
      a->tails += !s.tail;
      a->lanes += tail_lanes(&s);
    }
  }
}

/* --------------------------------------------------------------------------------------------- memory */

/* Saves and restores the entry after the last, which growth does not copy. */
static bool reserve_groups(const appender *a, int32_t groups, int32_t chunks) {
  network *net = a->net;
  const network_group last = net->groups[net->group_count];
  const int32_t last_segment = net->chunk_segments[net->chunk_count];
  const bool done = growth_reserve(&group_growth, net, a->memory, groups) &&
                    growth_reserve(&chunk_growth, net, a->memory, chunks);
  net->groups[net->group_count] = last;
  if (net->group_tails)
    net->group_tails[net->group_count] = net->tail_count;
  net->chunk_segments[net->chunk_count] = last_segment;
  return done;
}

static bool move_ranks(network *net, memory *m, int32_t room, int bits) {
  void *ranks = memory_allocate_items(m, room, compiler_rank_pair(bits));
  if (!ranks)
    return false;
  for (size_t n = 0; n < 2 * (size_t)net->spring_count; n++)
    compiler_put_rank(ranks, bits, n, compiler_rank(net->ranks, net->rank_bits, n));
  memory_release(m, net->ranks);
  net->ranks = ranks;
  net->rank_bits = bits;
  net->spring_room = room;
  return true;
}

static bool resize_ranks(void *net, memory *m, int64_t room) {
  return move_ranks(net, m, (int32_t)room, ((network *)net)->rank_bits);
}

static bool reserve_ranks(const appender *a) {
  network *net = a->net;
  const int bits = compiler_rank_bits(a->most_rank, net->rank_bits);
  return growth_with_room(resize_ranks, net, a->memory, a->source->spring_count, net->spring_room,
                          INT32_MAX) &&
         (bits == net->rank_bits || move_ranks(net, a->memory, net->spring_room, bits));
}

/* Replaces relative partners by absolute ones. */
static bool widen_partners(network *net, memory *m) {
  int32_t *partner = memory_allocate_items(m, net->indexed_room, sizeof *partner);
  if (!partner)
    return false;
  for (int32_t g = 0; g < net->group_count; g++)
    for (int32_t at = net->groups[g].indexed * NETWORK_GROUP; at < net->groups[g].indexed_end * NETWORK_GROUP;
         at++)
      partner[at] = network_partner(net, g * NETWORK_GROUP + at % NETWORK_GROUP, at);
  for (const overflow_row *tail = net->tails; tail < net->tails + net->tail_count; tail++)
    for (int32_t at = tail->first; at < tail->end; at++)
      partner[at] = network_partner(net, tail->particle, at);
  memory_release(m, net->near);
  net->near = NULL;
  net->partner = partner;
  return true;
}

static bool reserve_lanes(const appender *a) {
  network *net = a->net;
  const int64_t lanes = net->lane_count + a->lanes;
  if (lanes > INT32_MAX || !growth_reserve(&lane_growth, net, a->memory, lanes) ||
      !growth_reserve(&indexed_growth, net, a->memory, net->indexed_count + a->lanes) ||
      !growth_reserve(&tail_growth, net, a->memory, net->tail_count + 2 * (int64_t)a->tails))
    return false;
  if (a->has_sides && !net->sides)
    net->sides = memory_allocate_items(a->memory, net->indexed_room, sizeof *net->sides);
  if (a->tails > 0 && !net->group_tails)
    net->group_tails = memory_allocate_items(a->memory, (int64_t)net->group_room + 1, sizeof(int32_t));
  return (net->sides || !a->has_sides) && (net->group_tails || a->tails == 0) &&
         (!net->near || compiler_is_near(a->reach) || widen_partners(net, a->memory));
}

/* --------------------------------------------------------------------------------------------- appending */

/* Initializes new particles: no rows in new groups, empty lanes in existing ones. */
static void begin_particles(const appender *a, int32_t groups, int32_t chunks) {
  network *net = a->net;
  for (int32_t i = a->first_particle; i < net->group_count * NETWORK_GROUP && i < a->source->particle_count;
       i++)
    for (int32_t row = net->groups[i / NETWORK_GROUP].indexed;
         row < net->groups[i / NETWORK_GROUP].indexed_end; row++)
      network_put_partner(net, i, row * NETWORK_GROUP + i % NETWORK_GROUP, i);
  for (int32_t g = net->group_count; g < groups; g++)
    net->groups[g + 1] = net->groups[g];
  for (int32_t g = net->group_count; g < groups && net->group_tails; g++)
    net->group_tails[g + 1] = net->group_tails[g];
  for (int32_t c = net->chunk_count; c < chunks; c++)
    net->chunk_segments[c + 1] = net->chunk_segments[c];
  net->particle_count = a->source->particle_count;
  net->group_count = groups;
  net->chunk_count = chunks;
}

/* Appends an empty lane for a slot, which may be after the last particle. */
static void open_lane(network *net, int32_t slot) {
  const int32_t lane = net->indexed_count++;
  net->rest[net->lane_count++] = -1;
  network_put_partner(net, slot, lane, int_min(slot, net->particle_count - 1));
  if (net->sides)
    net->sides[lane] = 0;
}

/* Appends empty lanes for one particle. Returns the first. */
static int32_t open_lanes(network *net, int32_t particle, int32_t lanes) {
  const int32_t first = net->indexed_count;
  for (int32_t n = 0; n < lanes; n++)
    open_lane(net, particle);
  return first;
}

/* Moves a spring to another lane of the same slot. */
static void move_lane(network *net, int32_t from, int32_t to, int32_t slot) {
  net->rest[net->indexed_lane + to] = net->rest[net->indexed_lane + from];
  net->rest[net->indexed_lane + from] = -1;
  network_put_partner(net, slot, to, network_partner(net, slot, from));
  network_put_partner(net, slot, from, int_min(slot, net->particle_count - 1));
  if (net->sides)
    net->sides[to] = net->sides[from];
  if (net->indexed.stiffness) {
    net->indexed.stiffness[to] = net->indexed.stiffness[from];
    if (net->indexed.damping)
      net->indexed.damping[to] = net->indexed.damping[from];
  }
  if (net->palette.pair)
    net->palette.pair[to] = net->palette.pair[from];
}

static void move_rows(network *net, int32_t group, int32_t rows) {
  const network_group old = net->groups[group];
  const int32_t first = net->indexed_count / NETWORK_GROUP;
  for (int32_t n = 0; n < rows * NETWORK_GROUP; n++)
    open_lane(net, group * NETWORK_GROUP + n % NETWORK_GROUP);
  for (int32_t n = 0; n < (old.indexed_end - old.indexed) * NETWORK_GROUP; n++)
    move_lane(net, old.indexed * NETWORK_GROUP + n, first * NETWORK_GROUP + n,
              group * NETWORK_GROUP + n % NETWORK_GROUP);
  net->groups[group].indexed = first;
  net->groups[group].indexed_end = first + rows;
}

static void move_tail(network *net, overflow_row *tail, int32_t lanes) {
  const overflow_row old = *tail;
  tail->first = open_lanes(net, tail->particle, lanes);
  tail->end = tail->first + lanes;
  for (int32_t lane = old.first; lane < old.end; lane++)
    move_lane(net, lane, tail->first + lane - old.first, tail->particle);
}

/* Merges the new overflow rows into the sorted list. They are sorted too, and were written far enough after
   the others to not be overwritten. */
static void merge_tails(network *net, const overflow_row *fresh, int32_t count) {
  int32_t old = net->tail_count - 1;
  for (net->tail_count += count; count > 0;) {
    overflow_row *to = &net->tails[old + count];
    if (old >= 0 && net->tails[old].particle > fresh[count - 1].particle)
      *to = net->tails[old--];
    else
      *to = fresh[--count];
  }
  int32_t tail = 0;
  for (int32_t g = 0; g <= net->group_count; g++) {
    while (tail < net->tail_count && net->tails[tail].particle < g * NETWORK_GROUP)
      tail++;
    net->group_tails[g] = tail;
  }
}

/* Creates lanes for all ends, in rows or overflow rows. */
static void make_room(const appender *a) {
  network *net = a->net;
  int32_t group = -1;
  overflow_row *fresh = net->tails + net->tail_count + a->tails;
  int32_t count = 0;
  for (station s = {.end = 0}; next_station(a, &s, true);) {
    if (s.particle / NETWORK_GROUP != group) {
      group = s.particle / NETWORK_GROUP;
      const int32_t rows = rows_wanted(a, &s, true);
      if (rows > s.rows)
        move_rows(net, group, s.rows = rows);
    }
    if (!needs_tail(&s))
      continue;
    const int32_t lanes = tail_lanes(&s);
    if (s.tail) {
      move_tail(net, s.tail, lanes);
    } else {
      const int32_t first = open_lanes(net, s.particle, lanes);
      fresh[count++] = (overflow_row){s.particle, first, first + lanes};
    }
  }
  if (count > 0)
    merge_tails(net, fresh, count);
}

static void place_end(const appender *a, int32_t particle, int32_t rank, int32_t number) {
  network *net = a->net;
  const network_source *s = a->source;
  const int32_t spring = a->first_spring + number / 2, lane = network_indexed_lane(net, particle, rank);
  const bool held = network_is_held(s, spring);
  const int32_t own = held ? network_free_end(s, spring) : number % 2 ? s->b[spring] : s->a[spring];
  const int32_t partner = slot_of(a, own == s->a[spring] ? s->b[spring] : s->a[spring]);
  network_put_partner(net, particle, lane, partner);
  if (net->sides)
    net->sides[lane] = network_side(s->side ? s->side[spring] : MSD_SPRING_BOTH);
  net->reach = compiler_farther(net->reach, particle, partner);
  compiler_put_rank(net->ranks, net->rank_bits, 2 * (size_t)a->first_spring + (size_t)number,
                    held ? held_rows_of(net, particle) + rank : rank);
}

static void place_springs(const appender *a) {
  network *net = a->net;
  const network_source *s = a->source;
  for (size_t n = 2 * (size_t)a->first_spring; n < 2 * (size_t)s->spring_count; n++)
    compiler_put_rank(net->ranks, net->rank_bits, n, -1);
  for (station at = {.end = 0}; next_station(a, &at, true);)
    for (int32_t n = at.first; n < at.end; n++)
      place_end(a, at.particle, at.degree + n - at.first, a->ends[n].index);
  net->spring_count = s->spring_count;
  net->one_sided = net->one_sided || a->has_sides;
  for (int32_t e = a->first_spring; e < s->spring_count; e++) {
    net->laid_count += !network_leaves_out(s, e);
    network_set_rest(net, s, e, s->rest[e]);
  }
}

static bool append(appender *a, sort_item *items, sort_item *spare) {
  const int32_t groups = (a->source->particle_count + NETWORK_GROUP - 1) / NETWORK_GROUP;
  const int32_t chunks = (groups + NETWORK_CHUNK_GROUPS - 1) / NETWORK_CHUNK_GROUPS;
  if (!items || !spare)
    return false;
  list_ends(a, items, spare);
  count_needs(a);
  if (!reserve_groups(a, groups, chunks) || !reserve_ranks(a) || !reserve_lanes(a))
    return false;
  begin_particles(a, groups, chunks);
  make_room(a);
  place_springs(a);
  return true;
}

bool network_append(network *n, memory *m, const network_source *source) {
  appender a = {.net = n,
                .memory = m,
                .source = source,
                .first_particle = n->particle_count,
                .first_spring = n->spring_count};
  const int64_t ends = 2 * ((int64_t)source->spring_count - n->spring_count);
  sort_item *items = memory_allocate_items(m, ends, sizeof *items);
  sort_item *spare = memory_allocate_items(m, ends, sizeof *spare);
  const bool done = append(&a, items, spare);
  memory_release(m, items);
  memory_release(m, spare);
  return done;
}

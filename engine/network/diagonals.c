#include "engine/network/diagonals.h"

static int32_t lower_end(const compiler *c, int32_t spring) {
  const int32_t a = compiler_end_a(c, spring), b = compiler_end_b(c, spring);
  return a < b ? a : b;
}

static int32_t offset_of(const compiler *c, int32_t spring) {
  const int32_t difference = compiler_end_b(c, spring) - compiler_end_a(c, spring);
  return difference < 0 ? -difference : difference;
}

/* The sort key contains everything that the compiler needs, so that no spring has to be looked up. */
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

static candidate_place first_candidate(const compiler *c) {
  return (candidate_place){0, c->candidates || c->run_count == 0 ? 0 : c->runs[0].first};
}

static inline bool is_behind_last(const compiler *c, candidate_place p) {
  return c->candidates ? p.at >= c->candidate_count : p.run >= c->run_count;
}

static inline candidate_place next_candidate(const compiler *c, candidate_place p) {
  p.at++;
  if (!c->candidates && p.at == c->runs[p.run].end && ++p.run < c->run_count)
    p.at = c->runs[p.run].first;
  return p;
}

static inline sort_item candidate_of(const compiler *c, candidate_place p) {
  return c->candidates ? c->candidates[p.at] : (sort_item){candidate_key(c, p.at), p.at};
}

void candidates_before_rows(const compiler *c, candidate_row *row) {
  row->end = first_candidate(c);
}

bool candidate_next_row(const compiler *c, candidate_row *row) {
  candidate_place next = row->end;
  if (is_behind_last(c, next))
    return false;
  sort_item item = candidate_of(c, next);
  const uint64_t first = item.key;
  uint64_t last = ~first;
  row->offset = key_offset(c, first);
  row->side = key_side(first);
  row->group = key_lower_end(first) / NETWORK_GROUP;
  row->lanes = 0;
  while (item.key / NETWORK_GROUP == first / NETWORK_GROUP) {
    if (item.key != last) {
      row->springs[row->lanes] = item.index;
      row->lower_ends[row->lanes++] = key_lower_end(item.key);
    }
    last = item.key;
    next = next_candidate(c, next);
    if (is_behind_last(c, next))
      break;
    item = candidate_of(c, next);
  }
  row->end = next;
  return true;
}

static bool is_candidate(const compiler *c, int32_t spring) {
  return !network_leaves_out(&c->source, spring) && spring < network_early(&c->source) &&
         !network_is_held(&c->source, spring);
}

/* Returns whether two keys have the same offset and mode. Between keys of different families other candidates
   may follow. */
static bool is_of_family(uint64_t key, uint64_t other) {
  return key >> 31 == other >> 31;
}

/* Counts the springs and finds the runs of candidates. Returns false if there are too many. */
static bool find_runs(compiler *c) {
  bool is_few = true;
  uint64_t last = 0;
  for (int32_t s = 0; s < c->source.spring_count; s++) {
    const bool is_laid = !network_leaves_out(&c->source, s);
    c->net->laid_count += is_laid;
    if (!is_candidate(c, s)) {
      c->held_count += is_laid && s < network_early(&c->source);
      continue;
    }
    const uint64_t key = candidate_key(c, s);
    c->candidate_count++;
    if (c->run_count > 0 && c->runs[c->run_count - 1].end == s && key >= last && is_of_family(key, last))
      c->runs[c->run_count - 1].end = s + 1;
    else if (c->run_count < COMPILER_RUNS_MAX)
      c->runs[c->run_count++] = (compiler_run){s, s + 1};
    else
      is_few = false;
    last = key;
  }
  return is_few;
}

/* Sorts runs by their first keys. Returns false if they overlap. Equal keys keep their order. */
static bool order_runs(compiler *c) {
  for (int32_t n = 1; n < c->run_count; n++) {
    const compiler_run run = c->runs[n];
    int32_t at = n;
    for (; at > 0 && candidate_key(c, c->runs[at - 1].first) > candidate_key(c, run.first); at--)
      c->runs[at] = c->runs[at - 1];
    c->runs[at] = run;
  }
  for (int32_t n = 1; n < c->run_count; n++) {
    const uint64_t last = candidate_key(c, c->runs[n - 1].end - 1),
                   first = candidate_key(c, c->runs[n].first);
    if (last > first || (last == first && c->runs[n - 1].first > c->runs[n].first))
      return false;
  }
  return true;
}

/* Reuses the scratch array of the sort for the places; it has the right size. */
static bool sort_candidates(compiler *c) {
  const size_t bytes = (size_t)c->source.spring_count * sizeof *c->items;
  int32_t count = 0;
  c->items = memory_allocate_unset(c->memory, bytes);
  c->spare = memory_allocate_unset(c->memory, bytes);
  if (!c->items || !c->spare)
    return false;
  for (int32_t s = 0; s < c->source.spring_count; s++)
    if (is_candidate(c, s))
      c->items[count++] = (sort_item){candidate_key(c, s), s};
  c->candidates = sort_by_key(c->items, c->spare, count);
  c->places = (compiler_place *)(void *)(c->candidates == c->items ? c->spare : c->items);
  return true;
}

bool candidates_list(compiler *c) {
  if (!find_runs(c) || !order_runs(c))
    return sort_candidates(c);
  c->places = memory_allocate_unset(c->memory, (size_t)c->source.spring_count * sizeof *c->places);
  return c->places != NULL;
}

void candidates_release(compiler *c) {
  if (!c->items && !c->spare)
    memory_release(c->memory, c->places);
  memory_release(c->memory, c->items);
  memory_release(c->memory, c->spare);
}

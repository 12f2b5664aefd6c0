#include "engine/builder/mesh_subdomain.h"

#include "engine/base/min_max.h"
#include "engine/step/rank_step.h"
#include "engine/step/rank_sum.h"

mesh_part mesh_part_whole(int32_t vertex_count) {
  const msd_range all = {0, vertex_count};
  return (mesh_part){.kept = all, .own = all, .edges = all, .bends = all, .vertex_count = vertex_count};
}

/* The range from `first` to `end` - 1. */
static msd_range from_to(int64_t first, int64_t end) {
  return (msd_range){(int32_t)first, end > first ? (int32_t)(end - first) : 0};
}

static int32_t end_of(msd_range range) {
  return range.first + range.count;
}

/* The global vertices that this rank owns. */
static msd_range own_vertices(const msd_world *world, int32_t count) {
  const msd_subdomain *is = &world->part.is;
  const int64_t first = (int64_t)is->own.first - is->particles, end = first + is->own.count;
  return from_to(first < 0 ? 0 : first < count ? first : count, end < 0 ? 0 : end < count ? end : count);
}

/* A cell with a larger span would have springs that reach beyond the ghost layer. */
static msd_result check_spans(msd_world *world, const mesh_cells *of, int32_t span) {
  for (int32_t n = 0; n < of->count; n++) {
    const int32_t *corner = of->corners + (size_t)of->each * (size_t)n;
    int32_t least = corner[0], most = corner[0];
    for (int c = 1; c < of->each; c++) {
      least = int_min(least, corner[c]);
      most = int_max(most, corner[c]);
    }
    if ((int64_t)most - least > span)
      return world_fail(world, MSD_BAD_VALUE, "%s: %s %d spans %d vertices, more than span, %d", of->body,
                        of->cell, (int)n, (int)(most - least), (int)span);
  }
  return MSD_OK;
}

static msd_range shifted(msd_range range, int32_t by) {
  return (msd_range){range.first - by, range.count};
}

msd_result mesh_part_make(msd_world *world, const mesh_cells *of, const msd_mesh_subdomain *given,
                          mesh_part *part) {
  if (!world->part.is_open || !given || given->vertex_count < of->each || given->span < 0 ||
      given->first < 0 || given->first > given->vertex_count - of->vertex_count)
    return world_fail(world, MSD_BAD_VALUE,
                      "%s: a subdomain of a mesh needs a divided world, and vertices of the whole mesh",
                      of->body);
  const int32_t whole = given->vertex_count, span = given->span, begin = given->first,
                end = begin + of->vertex_count;
  const msd_range kept = subdomain_keep(world, whole);
  const int64_t least = (int64_t)kept.first - span, most = (int64_t)end_of(kept) + span;
  if (kept.count > 0 && (begin > (least < 0 ? 0 : least) || end < (most < whole ? most : whole)))
    return world_fail(
        world, MSD_BAD_VALUE,
        "%s: vertices %d to %d are given; the subdomain needs %d to %d, and %d more on both sides", of->body,
        (int)begin, (int)end - 1, (int)kept.first, (int)end_of(kept) - 1, (int)span);
  const int64_t edges_end = end_of(kept) == whole ? whole : (int64_t)end_of(kept) - span,
                bends_first = kept.first == 0 ? 0 : (int64_t)kept.first + span;
  *part = (mesh_part){.is_part = true,
                      .kept = shifted(kept, begin),
                      .own = shifted(own_vertices(world, whole), begin),
                      .edges = shifted(from_to(kept.first, edges_end), begin),
                      .bends = shifted(from_to(bends_first, edges_end), begin),
                      .vertex_count = whole,
                      .first = begin,
                      .span = span};
  if (kept.count == 0)
    part->kept = part->own = part->edges = part->bends = (msd_range){0, 0};
  return check_spans(world, of, span);
}

msd_range mesh_part_ahead(const mesh_part *part, msd_range ends) {
  return from_to(ends.first, int_min(end_of(ends), part->own.first));
}

/* The contribution of one rank. */
typedef struct count_turn {
  mesh_springs own, before;
} count_turn;

static void add_own(void *context, void *sum) {
  count_turn *turn = context;
  mesh_springs *all = sum;
  turn->before = *all;
  all->edges += turn->own.edges;
  all->bends += turn->own.bends;
}

msd_result mesh_part_count(msd_world *world, mesh_part *part, msd_result result) {
  const msd_ranks *ranks = &world->part.ranks;
  count_turn turn = {.own = part->own_springs};
  if (world->part.particles > 0) {
    if (rank_on_any(ranks, result != MSD_OK))
      return world_share_failure(world, result, result != MSD_OK);
    rank_sum_in_turn(ranks, add_own, &turn, &part->all, sizeof part->all);
  }
  part->before = (mesh_springs){turn.before.edges - part->ahead.edges, turn.before.bends - part->ahead.bends};
  return result == MSD_OK ? subdomain_reserve(world, part->vertex_count, part->all.edges + part->all.bends, 2)
                          : result;
}

static void add_family(msd_world *world, const msd_range *springs, int32_t reach, int64_t ahead, int64_t own,
                       int64_t before, int64_t all) {
  const msd_range own_of = {springs->first + (int32_t)ahead, (int32_t)own};
  subdomain_add_family(world, reach, *springs, own_of, before, all);
}

void mesh_part_add(msd_world *world, const mesh_part *part, const msd_range *edges, const msd_range *bends) {
  if (edges)
    add_family(world, edges, part->span, part->ahead.edges, part->own_springs.edges, part->before.edges,
               part->all.edges);
  if (bends)
    add_family(world, bends, 2 * part->span, part->ahead.bends, part->own_springs.bends, part->before.bends,
               part->all.bends);
  subdomain_add_particles(world, part->vertex_count);
}

#include "scenes/loader/mesh_portion.h"

mesh_portion mesh_portion_begin(const body_task *t) {
  return (mesh_portion){.of_world = msd_world_get_subdomain(t->world)};
}

/* Of vertices 0 to count - 1, from `first` to `end`. */
static msd_range clipped(int64_t first, int64_t end, int32_t count) {
  first = first < 0 ? 0 : first < count ? first : count;
  end = end < first ? first : end < count ? end : count;
  return (msd_range){(int32_t)first, (int32_t)(end - first)};
}

/* A cell at what is kept reaches as far as it spans. */
void mesh_portion_find(mesh_portion *p) {
  const msd_range kept = p->of_world.kept;
  const int64_t first = (int64_t)kept.first - p->of_world.particles, end = first + kept.count;
  const int32_t count = p->extent.vertex_count, span = p->extent.span;
  p->kept = clipped(first, end, count);
  p->needed = p->kept.count > 0 ? clipped(first - span, end + span, count) : (msd_range){0, 0};
}

msd_mesh_subdomain mesh_portion_part(const mesh_portion *p) {
  return (msd_mesh_subdomain){p->extent.vertex_count, p->needed.first, p->extent.span};
}

bool mesh_portion_all_have_read(const body_task *t, bool done) {
  double failed = !done;
  msd_world_all_reduce_max(t->world, &failed, 1);
  return done && failed == 0;
}

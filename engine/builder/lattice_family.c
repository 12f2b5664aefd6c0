#include "engine/builder/lattice_family.h"

lattice_columns lattice_keep_columns(lattice_columns of, int64_t row, msd_range kept, int64_t offset) {
  const int64_t first = kept.first - row, end = kept.first + (int64_t)kept.count - offset - row;
  if (first > of.first)
    of.first = first < of.end ? (int32_t)first : of.end;
  if (end < of.end)
    of.end = end > of.first ? (int32_t)end : of.first;
  return of;
}

int64_t lattice_offset(const lattice *l, const int32_t step[3]) {
  return ((int64_t)step[2] * l->count[1] + step[1]) * l->count[0] + step[0];
}

int64_t lattice_family_springs(const lattice *l, const int32_t step[3]) {
  int64_t springs = 1;
  for (int axis = 0; axis < 3; axis++) {
    const int32_t starts = lattice_end_start(l->count[axis], step[axis]) - lattice_first_start(step[axis]);
    springs = builder_product(springs, starts > 0 ? starts : 0);
  }
  return springs;
}

lattice_share lattice_share_of_family(const lattice *l, const int32_t step[3], msd_range kept) {
  const lattice_columns all = {lattice_first_start(step[0]), lattice_end_start(l->count[0], step[0])};
  const int64_t offset = lattice_offset(l, step);
  lattice_share share = {0, 0};
  for (int32_t k = lattice_first_start(step[2]); k < lattice_end_start(l->count[2], step[2]); k++)
    for (int32_t j = lattice_first_start(step[1]); j < lattice_end_start(l->count[1], step[1]); j++) {
      const lattice_columns in = lattice_keep_columns(all, lattice_index(l, 0, j, k), kept, offset);
      if (share.count == 0 && all.end > all.first)
        share.before += in.first - all.first;
      share.count += in.end > in.first ? in.end - in.first : 0;
    }
  return share;
}

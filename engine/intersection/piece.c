#include "engine/intersection/piece.h"

/* The index of a particle among the corners, or -1. */
static int corner_of(const mesh_piece *p, int32_t particle) {
  for (int i = 0; i < p->count; i++)
    if (p->particle[i] == particle)
      return i;
  return -1;
}

/* Pairs of faces without a common particle are covered by a few pairs of hulls: each shared corner is
   assigned to one of the two primitives. `kept`: bits of the shared corners assigned to `one`. */
static bool faces_meet(const mesh_piece *one, const mesh_piece *other, unsigned shared, unsigned kept) {
  hull a = {.count = 0}, b = {.count = 0};
  for (int i = 0; i < one->count; i++)
    if (((shared & ~kept) >> i & 1) == 0)
      a.corner[a.count++] = one->corner[i];
  for (int i = 0; i < other->count; i++) {
    const int corner = corner_of(one, other->particle[i]);
    if (corner < 0 || (kept >> corner & 1) == 0)
      b.corner[b.count++] = other->corner[i];
  }
  return a.count > 0 && b.count > 0 && hulls_meet(&a, &b);
}

bool pieces_meet(const mesh_piece *one, const mesh_piece *other) {
  unsigned shared = 0;
  for (int i = 0; i < one->count; i++)
    shared |= (unsigned)(corner_of(other, one->particle[i]) >= 0) << i;
  for (unsigned kept = 0; kept <= shared; kept++)
    if ((kept & ~shared) == 0 && faces_meet(one, other, shared, kept))
      return true;
  return false;
}

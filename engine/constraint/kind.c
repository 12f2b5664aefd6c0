#include "engine/constraint/kind.h"

#include <math.h>

static const constraint_kind KINDS[MSD_CONSTRAINT_KIND_COUNT] = {
#define CONSTRAINT_ROW(kind, name, corners, wraps)                                                           \
  [kind] = {#name, corners, wraps, constraint_##name##_double, constraint_##name##_real},
    CONSTRAINT_KINDS(CONSTRAINT_ROW)
#undef CONSTRAINT_ROW
        [MSD_CONSTRAINT_MESH_VOLUME] = {"mesh_volume", 0, false, NULL, NULL}};

const constraint_kind *constraint_kind_get(msd_constraint_kind kind) {
  return (unsigned)kind < MSD_CONSTRAINT_KIND_COUNT ? &KINDS[kind] : NULL;
}

msd_real constraint_kind_rest(const constraint_kind *kind, msd_real rest) {
  const msd_real pi = (msd_real)3.14159265358979323846;
  if (kind == &KINDS[MSD_CONSTRAINT_ANGLE])
    return rest < 0 ? 0 : rest > pi ? pi : rest;
  if (kind == &KINDS[MSD_CONSTRAINT_FIBER])
    return rest < 0 ? 0 : rest;
  if (!kind->wraps || (rest >= -pi && rest <= pi))
    return rest;
  return (msd_real)remainder((double)rest, 6.28318530717958647692);
}

const char *msd_constraint_kind_name(msd_constraint_kind kind) {
  const constraint_kind *row = constraint_kind_get(kind);
  return row ? row->name : NULL;
}

int msd_constraint_kind_particles(msd_constraint_kind kind) {
  const constraint_kind *row = constraint_kind_get(kind);
  return row ? row->corners : 0;
}

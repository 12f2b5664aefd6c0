/* Rotors and torsion springs in a snapshot: angles, angular velocities, pending torques, inertias and pinned
   flags of all rotors, then the springs' ends, rest angles, laws, and impulses of the last substep. */

#include "engine/world/snapshot.h"

#include <math.h>

uint64_t rotor_snapshot_size(int32_t rotors, int32_t springs) {
  return (uint64_t)rotors * (3 * sizeof(double) + sizeof(msd_real) + 1) +
         (uint64_t)springs * (2 * sizeof(int32_t) + 2 * sizeof(double) + 2 * sizeof(msd_real) + 1);
}

void rotor_snapshot_put(unsigned char **to, const rotor_store *r, const torsion_spring_store *s) {
  const size_t rotors = (size_t)r->count, springs = (size_t)s->count;
  snapshot_put(to, r->angle, rotors * sizeof(double));
  snapshot_put(to, r->velocity, rotors * sizeof(double));
  snapshot_put(to, r->torque, rotors * sizeof(double));
  snapshot_put(to, r->inertia, rotors * sizeof(msd_real));
  for (size_t i = 0; i < rotors; i++)
    *(*to)++ = r->inverse_inertia[i] == 0;
  snapshot_put(to, s->a, springs * sizeof(int32_t));
  snapshot_put(to, s->b, springs * sizeof(int32_t));
  snapshot_put(to, s->rest, springs * sizeof(double));
  for (int32_t e = 0; e < s->count; e++)
    snapshot_put_law(*to, snapshot_laws_alone(springs), (size_t)e, s->laws[e], s->is_broken[e]);
  *to += springs * (2 * sizeof(msd_real) + 1);
  snapshot_put(to, s->given, springs * sizeof(double));
}

static bool read_rotors(rotor_store *r, int32_t count, const unsigned char **from) {
  const size_t rotors = (size_t)count;
  r->count = count;
  snapshot_get(r->angle, from, rotors * sizeof(double));
  snapshot_get(r->velocity, from, rotors * sizeof(double));
  snapshot_get(r->torque, from, rotors * sizeof(double));
  snapshot_get(r->inertia, from, rotors * sizeof(msd_real));
  bool sound = true;
  for (size_t i = 0; i < rotors; i++) {
    const bool pinned = *(*from)++;
    const double inverse = rotor_inverse(r->inertia[i]);
    r->inverse_inertia[i] = pinned ? 0 : inverse;
    sound =
        sound && inverse > 0 && isfinite(r->angle[i]) && isfinite(r->velocity[i]) && isfinite(r->torque[i]);
  }
  return sound;
}

static bool is_spring_sound(const torsion_spring_store *s, int32_t spring, int32_t rotors) {
  const int32_t a = s->a[spring], b = s->b[spring];
  return a >= 0 && a < rotors && b >= MSD_GROUND && b < rotors && a != b && isfinite(s->rest[spring]) &&
         law_is_sound(s->laws[spring]) && isfinite(s->given[spring]);
}

bool rotor_snapshot_get(rotor_store *r, int32_t rotors, torsion_spring_store *s, int32_t springs,
                        const unsigned char **from) {
  if (!read_rotors(r, rotors, from))
    return false;
  const size_t count = (size_t)springs;
  s->count = springs;
  snapshot_get(s->a, from, count * sizeof(int32_t));
  snapshot_get(s->b, from, count * sizeof(int32_t));
  snapshot_get(s->rest, from, count * sizeof(double));
  for (int32_t e = 0; e < springs; e++)
    s->laws[e] = snapshot_get_law(*from, snapshot_laws_alone(count), (size_t)e, &s->is_broken[e]);
  *from += count * (2 * sizeof(msd_real) + 1);
  snapshot_get(s->given, from, count * sizeof(double));
  for (int32_t e = 0; e < springs; e++) {
    if (!is_spring_sound(s, e, rotors))
      return false;
    const bool broken = torsion_spring_is_broken(s, e);
    r->valence[s->a[e]] += !broken;
    if (s->b[e] >= 0)
      r->valence[s->b[e]] += !broken;
  }
  return true;
}

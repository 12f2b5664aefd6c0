/* Springs as bytes: ends, rest lengths, laws and sides. */

#include "engine/world/snapshot.h"

uint64_t spring_snapshot_size(int32_t springs) {
  return (uint64_t)springs * (2 * sizeof(int32_t) + 3 * sizeof(msd_real) + 2);
}

void spring_snapshot_put(unsigned char **to, const spring_store *s) {
  const size_t count = (size_t)s->count;
  const snapshot_laws laws = snapshot_laws_alone(count);
  snapshot_put(to, s->a, count * sizeof(int32_t));
  snapshot_put(to, s->b, count * sizeof(int32_t));
  snapshot_put(to, s->rest, count * sizeof(msd_real));
  unsigned char *sides = *to + laws.kinds + count;
  for (int32_t e = 0; e < s->count; e++) {
    snapshot_put_law(*to, laws, (size_t)e, spring_law(s, e), spring_is_broken(s, e));
    sides[e] = (uint8_t)spring_side(s, e);
  }
  *to = sides + count;
}

msd_result spring_snapshot_get(spring_store *s, particle_store *p, memory *m, int32_t springs,
                               const unsigned char **from) {
  const size_t count = (size_t)springs;
  const snapshot_laws laws = snapshot_laws_alone(count);
  snapshot_get(s->a, from, count * sizeof(int32_t));
  snapshot_get(s->b, from, count * sizeof(int32_t));
  snapshot_get(s->rest, from, count * sizeof(msd_real));
  const unsigned char *bytes = *from;
  *from += laws.kinds + count;
  snapshot_get(s->side, from, count);
  for (int32_t e = 0; e < springs; e++) {
    bool is_broken;
    const law own = snapshot_get_law(bytes, laws, (size_t)e, &is_broken);
    if (s->a[e] < 0 || s->a[e] >= p->count || s->b[e] < 0 || s->b[e] >= p->count || s->a[e] == s->b[e] ||
        !isfinite(s->rest[e]) || s->rest[e] < 0 || s->side[e] >= MSD_SPRING_SIDE_COUNT ||
        !spring_law_is_sound(own, s->side[e]))
      return MSD_BAD_SNAPSHOT;
    if (!law_table_set(&s->laws, m, e, own, e, s->capacity))
      return MSD_OUT_OF_MEMORY;
    s->count++;
    spring_count_last(s, p, (msd_spring_side)s->side[e], is_broken);
  }
  return MSD_OK;
}

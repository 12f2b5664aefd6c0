/* Springs in a snapshot: ends, rest lengths, laws and modes, damage rules, companion springs, and rest-length
   tracks. */

#include "engine/world/snapshot.h"

enum {
  COMPANION_BYTES = 3 * sizeof(int32_t) + sizeof(msd_real),
  MOVE_BYTES = sizeof(int32_t) + sizeof(msd_real)
};

snapshot_columns spring_snapshot_columns(spring_snapshot h) {
  enum { REAL = sizeof(msd_real), INDEX = sizeof(int32_t) };
  return (snapshot_columns){h.has_damage ? 8 : 7,
                            {INDEX, INDEX, REAL, REAL, REAL, 1, 1, sizeof(damage_rule)}};
}

uint64_t spring_snapshot_size(spring_snapshot h) {
  return snapshot_columns_size(spring_snapshot_columns(h), h.springs) +
         (uint64_t)h.companions * COMPANION_BYTES + (uint64_t)h.moves * MOVE_BYTES;
}

static void put_damage(unsigned char **to, const spring_store *s) {
  if (s->damage)
    snapshot_put(to, s->damage, (size_t)s->count * sizeof *s->damage);
  for (int32_t n = 0; n < s->companion_count; n++) {
    const spring_companion *b = &s->companions[n];
    const int32_t which[3] = {b->first, b->count, b->first_companion};
    snapshot_put(to, which, sizeof which);
    snapshot_put(to, &b->ratio, sizeof b->ratio);
  }
}

static void put_moves(unsigned char **to, const rest_length_store *moves) {
  for (int32_t n = 0; n < moves->count; n++) {
    snapshot_put(to, &moves->items[n].spring, sizeof moves->items[n].spring);
    snapshot_put(to, &moves->items[n].target, sizeof moves->items[n].target);
  }
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
    sides[e] = (uint8_t)(s->side[e] & (SPRING_SIDE_BITS | SPRING_TORN));
  }
  *to = sides + count;
  put_damage(to, s);
  put_moves(to, &s->moves);
}

static bool get_damage(spring_store *s, const unsigned char **from) {
  bool sound = true;
  snapshot_get(s->damage, from, (size_t)s->count * sizeof *s->damage);
  for (int32_t e = 0; e < s->count; e++)
    sound = sound && s->damage[e].given >= 0 && (s->damage[e].split == 0 || damage_rule_tears(&s->damage[e]));
  return sound && damage_rules_are_sound(s->damage, s->count);
}

/* True if the indices of companion springs are valid; they are larger than those of the springs they belong
   to. */
static bool is_companion_sound(const spring_store *s, const spring_companion *b) {
  return b->first >= 0 && b->count > 0 && b->count <= s->count - b->first &&
         b->first_companion >= b->first + b->count && b->count <= s->count - b->first_companion &&
         isfinite(b->ratio) && b->ratio >= 1;
}

static bool get_companions(spring_store *s, int32_t companions, const unsigned char **from) {
  bool sound = true;
  for (int32_t n = 0; n < companions; n++) {
    int32_t which[3];
    msd_real ratio;
    snapshot_get(which, from, sizeof which);
    snapshot_get(&ratio, from, sizeof ratio);
    s->companions[n] = (spring_companion){which[0], which[1], which[2], ratio};
    sound = sound && is_companion_sound(s, &s->companions[n]);
  }
  s->companion_count = companions;
  return sound;
}

/* Capacity is reserved. */
static bool get_moves(spring_store *s, int32_t moves, const unsigned char **from) {
  bool sound = true;
  for (int32_t n = 0; n < moves; n++) {
    rest_move *move = &s->moves.items[n];
    *move = (rest_move){0};
    snapshot_get(&move->spring, from, sizeof move->spring);
    snapshot_get(&move->target, from, sizeof move->target);
    sound = sound && move->spring > (n > 0 ? move[-1].spring : -1) && move->spring < s->count &&
            isfinite(move->target) && move->target >= 0;
  }
  s->moves.count = moves;
  return sound;
}

static bool is_spring_sound(const spring_store *s, const particle_store *p, int32_t e, law own,
                            bool is_broken) {
  const uint8_t side = s->side[e] & (uint8_t)~SPRING_TORN;
  return s->a[e] >= 0 && s->a[e] < p->count && s->b[e] >= 0 && s->b[e] < p->count && s->a[e] != s->b[e] &&
         isfinite(s->rest[e]) && s->rest[e] >= 0 && side < MSD_SPRING_MODE_COUNT &&
         (is_broken || side == s->side[e]) && spring_law_is_sound(own, side);
}

static msd_result get_springs(spring_store *s, particle_store *p, memory *m, int32_t springs,
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
    if (!is_spring_sound(s, p, e, own, is_broken))
      return MSD_BAD_SNAPSHOT;
    if (!law_table_set(&s->laws, m, e, own, e, s->capacity))
      return MSD_OUT_OF_MEMORY;
    s->count++;
    spring_count_last(s, p, (uint8_t)(s->side[e] | (is_broken ? SPRING_BROKEN : 0)));
  }
  return MSD_OK;
}

msd_result spring_snapshot_get(spring_store *s, particle_store *p, memory *m, spring_snapshot h,
                               const unsigned char **from) {
  const msd_result result = get_springs(s, p, m, h.springs, from);
  if (result != MSD_OK)
    return result;
  if ((h.has_damage && !spring_open_damage(s, m)) ||
      !growth_reserve(&spring_companion_growth, s, m, h.companions) ||
      !growth_reserve(&rest_move_growth, &s->moves, m, h.moves))
    return MSD_OUT_OF_MEMORY;
  return (!h.has_damage || get_damage(s, from)) && get_companions(s, h.companions, from) &&
                 get_moves(s, h.moves, from)
             ? MSD_OK
             : MSD_BAD_SNAPSHOT;
}

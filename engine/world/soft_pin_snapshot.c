/* Soft pins in a snapshot. */

#include "engine/base/rigid_path.h"
#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <math.h>

/* point, target, the two of the turn, force; components of V and v */
enum { SNAPSHOT_VECTORS = 5, SNAPSHOT_VELOCITIES = 6 };

uint64_t soft_pin_snapshot_size(int32_t soft_pins) {
  return (uint64_t)soft_pins * (sizeof(int32_t) + 3 + 2 * sizeof(msd_real) +
                                SNAPSHOT_VECTORS * sizeof(msd_vec3) + SNAPSHOT_VELOCITIES * sizeof(double));
}

void soft_pin_snapshot_put(unsigned char **to, const soft_pin_store *s) {
  for (int32_t i = 0; i < s->count; i++) {
    const soft_pin_entry *a = &s->entries[i];
    snapshot_put(to, &a->particle, sizeof a->particle);
    *(*to)++ = a->law.kind;
    *(*to)++ = a->moves;
    *(*to)++ = a->knows_velocity;
    snapshot_put(to, &a->law.first, sizeof a->law.first);
    snapshot_put(to, &a->law.second, sizeof a->law.second);
    snapshot_put(to, &a->point, sizeof a->point);
    snapshot_put(to, &a->target, sizeof a->target);
    snapshot_put(to, &a->turn, sizeof a->turn);
    snapshot_put(to, &a->force, sizeof a->force);
    snapshot_put(to, a->velocity, sizeof a->velocity);
    snapshot_put(to, a->seen, sizeof a->seen);
  }
}

static bool is_sound(const soft_pin_entry *a, int32_t particles) {
  bool sound = a->particle >= -1 && a->particle < particles && law_is_sound(a->law) &&
               soft_pin_can_have(a->law) && vec3_is_finite(a->point) && vec3_is_finite(a->target) &&
               turn_is_finite(a->turn) && vec3_is_finite(a->force);
  for (int c = 0; c < 3; c++)
    sound = sound && isfinite(a->velocity[c]) && isfinite(a->seen[c]);
  return sound;
}

msd_result soft_pin_snapshot_get(msd_world *world, soft_pin_store *s, const particle_store *p,
                                 int32_t soft_pins, const unsigned char **from) {
  memory *m = &world->model.memory;
  unsigned char *held = memory_allocate(m, (size_t)p->count + 1);
  if (!held || !growth_reserve(&soft_pin_growth, s, m, soft_pins)) {
    memory_release(m, held);
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the snapshot's %d soft pins", (int)soft_pins);
  }
  bool sound = true;
  for (int32_t i = 0; i < soft_pins && sound; i++) {
    soft_pin_entry *a = &s->entries[s->count++];
    snapshot_get(&a->particle, from, sizeof a->particle);
    a->law.kind = *(*from)++;
    const unsigned char moves = *(*from)++, knows_velocity = *(*from)++;
    a->moves = moves != 0;
    a->knows_velocity = knows_velocity != 0;
    snapshot_get(&a->law.first, from, sizeof a->law.first);
    snapshot_get(&a->law.second, from, sizeof a->law.second);
    snapshot_get(&a->point, from, sizeof a->point);
    snapshot_get(&a->target, from, sizeof a->target);
    snapshot_get(&a->turn, from, sizeof a->turn);
    snapshot_get(&a->force, from, sizeof a->force);
    snapshot_get(a->velocity, from, sizeof a->velocity);
    snapshot_get(a->seen, from, sizeof a->seen);
    sound =
        moves <= 1 && knows_velocity <= 1 && is_sound(a, p->count) && soft_pin_mark_held(held, a->particle);
  }
  memory_release(m, held);
  return sound ? MSD_OK : world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a soft pin out of its range");
}

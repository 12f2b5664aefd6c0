/* The anchor store: damped springs from particles to points in space. Their motion is explained in
   step/anchor_step.h. */
#ifndef MSD_ENGINE_STORE_ANCHOR_H
#define MSD_ENGINE_STORE_ANCHOR_H

#include "engine/store/law.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"

/* The definition of an anchor, and its state. */
typedef struct anchor_entry {
  /* -1: holds nothing. */
  int32_t particle;
  /* Valid even when nothing is held. */
  law law;
  /* m. */
  msd_vec3 point;
  /* m: where the point moves in the next step. */
  msd_vec3 target;
  /* Whether there is a target. */
  bool moves;
  /* Whether the next two are known, from the last substep. */
  bool knows_velocity;
  /* m/s: V. */
  double velocity[3];
  /* m/s: v. A particle with another velocity was given it since: then that is V too. */
  double seen[3];
  /* N: for msd_anchor_get_force. */
  msd_vec3 force;
} anchor_entry;

/* An anchor prepared for the step. */
typedef struct anchor_work {
  size_t slot;
  int32_t anchor;
  /* A coefficient law, which has no closed form. */
  bool is_coefficient;
  /* pos_pos is P - 1, vel_vel is S - 1, so that no digit of x and v is lost. */
  bool keeps_position, keeps_velocity;
  /* P, Q, R, S of the closed form. */
  double pos_pos, pos_vel, vel_pos, vel_vel;
  /* ck/dt in 1/s, and cd; 0 for other laws. */
  double ck, cd;
  /* N/m and N s/m, of the anchor as a force. */
  double stiffness, damping;
  /* m at the beginning of the step, and m/s during it. */
  double point[3], point_velocity[3];

  /* What follows belongs to each of the two states. */
  /* m/s: V and v; `seen` is no number where V is not known. */
  double velocity[2][3], seen[2][3];
  /* m/s: what the anchor gave to V in the substep. */
  double change[2][3];
  /* N: what springs give to the particle in a guarded substep. */
  double spring_force[3];
} anchor_work;

typedef struct anchor_store {
  int32_t count, capacity;
  anchor_entry *entries;
  /* Of the anchors that hold an unpinned particle, by slot; NULL: capacity 0. */
  anchor_work *works;
  int32_t work_count;
  /* What `works` was made for. */
  revision made_for;
} anchor_store;

void anchor_store_free(anchor_store *s, memory *m);

extern const growth_table anchor_growth;

/* Whether an anchor can have this valid law. Coefficients must be 0 or more with ck + 2 cd < 4: an anchor has
   no neighbours to share with. */
bool anchor_can_have(law l);

/* Whether it holds a particle that is not pinned. */
static inline bool anchor_moves(const anchor_store *s, const particle_store *p, int32_t anchor) {
  const int32_t particle = s->entries[anchor].particle;
  return particle >= 0 && p->inverse_mass[particle] > 0;
}

/* Marks the particle, if there is one; false when it was marked already. */
static inline bool anchor_mark_held(unsigned char *held, int32_t particle) {
  return particle < 0 || held[particle]++ == 0;
}

#endif

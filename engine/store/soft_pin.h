/* The soft pin store: damped springs from particles to points in space. step/soft_pin_step.h explains how they
   are integrated. */
#ifndef MSD_ENGINE_STORE_SOFT_PIN_H
#define MSD_ENGINE_STORE_SOFT_PIN_H

#include "engine/store/law.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"

/* The definition and the state of a soft pin. */
typedef struct soft_pin_entry {
  /* -1: attached to no particle. */
  int32_t particle;
  /* Valid even without a particle. */
  law law;
  /* m. */
  msd_vec3 point;
  /* m: the point reaches it at the end of the next frame; in a straight line without a rotation. */
  msd_vec3 target;
  msd_turn turn;
  /* True if there is a target. */
  bool moves;
  /* True if the next two are known from the last substep. */
  bool knows_velocity;
  /* m/s: V, the velocity of the closed form. */
  double velocity[3];
  /* m/s: v, the mean velocity of the last substep, which the particle reports. If the particle has another
     velocity now, a user set it, and V starts from that velocity. */
  double seen[3];
  /* N: for msd_soft_pin_get_force. */
  msd_vec3 force;
} soft_pin_entry;

/* A soft pin prepared for the substeps of a frame. */
typedef struct soft_pin_work {
  size_t slot;
  int32_t soft_pin;
  /* True for the coefficient law, which has no closed form and acts as a force. */
  bool is_coefficient;
  /* If true, pos_pos stores P - 1 and vel_vel stores S - 1, so that no digit of x and v is lost. */
  bool keeps_position, keeps_velocity;
  /* P, Q, R, S of the closed form. */
  double pos_pos, pos_vel, vel_pos, vel_vel;
  /* ck/dt in 1/s, and cd; 0 for other laws. */
  double ck, cd;
  /* N/m and N s/m: the soft pin as a force. */
  double stiffness, damping;
  /* Position in m `since` s after the start of the frame, and velocity in m/s from there on: of the whole
     frame, or of the substep if the point turns. */
  double point[3], point_velocity[3], since;

  /* The next arrays have one entry for each of the two state slabs. */
  /* m/s: V and v; `seen` is NaN where V is unknown. */
  double velocity[2][3], seen[2][3];
  /* m/s: the change of V that the soft pin made in the substep. */
  double change[2][3];
  /* N: the spring force at the particle in a substep with bounded energy. */
  double spring_force[3];
} soft_pin_work;

typedef struct soft_pin_store {
  int32_t count, capacity;
  soft_pin_entry *entries;
  /* The soft pins of unpinned particles, by slot. NULL if the capacity is 0. */
  soft_pin_work *works;
  int32_t work_count;
  /* Some point turns in the current frame. */
  bool some_turn;
  /* The revision for which `works` was built. */
  revision made_for;
} soft_pin_store;

void soft_pin_store_free(soft_pin_store *s, memory *m);

extern const growth_table soft_pin_growth;

/* Returns whether a soft pin accepts this valid law. Coefficients must be non-negative with ck + 2 cd < 4: no
   neighboring spring uses the same stiffness budget. */
bool soft_pin_can_have(law l);

/* Returns whether the soft pin acts on a particle that is not pinned. */
static inline bool soft_pin_moves(const soft_pin_store *s, const particle_store *p, int32_t soft_pin) {
  const int32_t particle = s->entries[soft_pin].particle;
  return particle >= 0 && p->inverse_mass[particle] > 0;
}

/* Marks the particle, if any. Returns false if it was marked already. */
static inline bool soft_pin_mark_held(unsigned char *held, int32_t particle) {
  return particle < 0 || held[particle]++ == 0;
}

#endif

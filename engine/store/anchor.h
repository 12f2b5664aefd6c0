/* The anchor store: damped springs from particles to points in space. How they move is told in
   step/anchor_step.h. */
#ifndef MSD_ENGINE_STORE_ANCHOR_H
#define MSD_ENGINE_STORE_ANCHOR_H

#include "engine/store/law.h"
#include "engine/store/particle.h"
#include "engine/store/revision.h"

/* One anchor by definition. */
typedef struct anchor_entry {
  int32_t particle;    /* -1: holds nothing */
  law law;             /* a definition that holds nothing has one too */
  msd_vec3 point;      /* m */
  msd_vec3 target;     /* m: where the next step carries the point */
  bool moves;          /* it has a target */
  bool knows_velocity; /* the next two are those of the last substep */
  double velocity[3];  /* m/s: V */
  double seen[3];      /* m/s: v. When the particle has another, it was set: then V is that one too */
  msd_vec3 force;      /* N: msd_anchor_get_force */
} anchor_entry;

/* An anchor as the step needs it. */
typedef struct anchor_work {
  size_t slot;
  int32_t anchor;
  bool is_coefficient;                 /* which has no closed form */
  bool keeps_position, keeps_velocity; /* pos_pos is P - 1, vel_vel is S - 1: no digit of x and v is lost */
  double pos_pos, pos_vel, vel_pos, vel_vel; /* P, Q, R, S of the closed form */
  double ck, cd;                             /* ck/dt in 1/s, and cd; 0 of other laws */
  double stiffness, damping;                 /* N/m, N s/m: as a force */
  double point[3], point_velocity[3];        /* m, m/s: at the beginning of the step, and during it */
  bool knows_velocity;

  /* With each of the two states, as it was written. */
  double velocity[2][3], seen[2][3]; /* m/s: V and v */
  double change[2][3];               /* m/s: what the anchor gave to V in the substep */
} anchor_work;

typedef struct anchor_store {
  int32_t count, capacity;
  anchor_entry *entries;
  /* In the order of their slots, of the unpinned that are held; NULL: capacity 0. */
  anchor_work *works;
  int32_t work_count;
  /* The works. */
  revision made_for;
} anchor_store;

void anchor_store_free(anchor_store *s, memory *m);

extern const growth_table anchor_growth;

/* Whether the coefficients of a sound law are those of an anchor, which has no neighbours to share with: both
   0 or more, with ck + 2 cd < 4. Always of another law. */
bool anchor_can_have(law l);

/* Whether it holds a particle that is not pinned. */
static inline bool anchor_moves(const anchor_store *s, const particle_store *p, int32_t anchor) {
  const int32_t particle = s->entries[anchor].particle;
  return particle >= 0 && p->inverse_mass[particle] > 0;
}

/* Marks the particle in an array of zeros, or says that it was marked before. */
static inline bool anchor_mark_held(unsigned char *held, int32_t particle) {
  return particle < 0 || held[particle]++ == 0;
}

#endif

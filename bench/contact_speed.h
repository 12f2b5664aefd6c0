/* The frame time of scenes with contact, and the intersections in their last frame. */
#ifndef MSD_BENCH_CONTACT_SPEED_H
#define MSD_BENCH_CONTACT_SPEED_H

#include "bench/contact_trial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum contact_kind {
  /* A cloth that falls over a round bar onto the floor. */
  CONTACT_DRAPE,
  /* A cloth that stands on its edge and falls onto itself. */
  CONTACT_CRUMPLE,
  /* Ten sheets that fall onto each other and the floor. */
  CONTACT_STACK,
  /* A sheet that hits another at 30 m/s, without gravity or damping. */
  CONTACT_HIT,
  /* A cloth in free fall, without contact. */
  CONTACT_FALL,
  /* A cloth that hangs from two corners and sways. */
  CONTACT_HANG,
  /* A cloth with one half over the other, which settles on itself and on the floor. */
  CONTACT_FOLD,
  /* A sheet of 1 m whose ends turn against each other, as in the scene of that name. */
  CONTACT_TWIST
} contact_kind;

typedef struct contact_case {
  const char *name;
  contact_kind kind;
  /* Particles of each cloth, 1 cm apart except in CONTACT_TWIST: `rows` across and `columns` along. */
  int32_t columns, rows;
  /* Frames before the measurement, and measured frames. */
  int warm_frames, frames;
} contact_case;

/* Returns the cases, *count of them, in the order of kinds, then of sizes. */
const contact_case *contact_cases(int *count);

/* Substeps of a frame, except in CONTACT_TWIST, where they are automatic; sheets of a stack. */
enum { CONTACT_SUBSTEPS = 40, CONTACT_SHEETS = 10, CONTACT_THREADS = 2 };

typedef struct contact_result {
  int32_t particles, triangles;
  /* 1, and the threads of the machine. */
  int threads[CONTACT_THREADS];
  /* Median time of a frame of 1/60 s in s, with collision meshes and without. */
  double seconds[CONTACT_THREADS], bare_seconds[CONTACT_THREADS];
  /* Intersecting pairs of triangles in the last frame, with collision meshes and without. */
  int64_t intersections, bare_intersections;
  /* True if the final states are bitwise identical for all numbers of threads. */
  bool is_one_state;
} contact_result;

/* The world of a case, and the triangles of its cloths. */
typedef struct contact_scene {
  const contact_case *of;
  msd_world *world;
  int32_t *triangles;
  int32_t triangle_count;
} contact_scene;

/* Close the scene even if opening it failed. Without collision meshes, cloths do not collide with each
   other. */
msd_result contact_open(contact_scene *s, const contact_case *c, int threads, bool has_surfaces);
void contact_close(contact_scene *s);

/* Takes a frame of 1/60 s, in which pins go on. */
msd_result contact_scene_step(contact_scene *s);

/* True if the particle is a pin that moves; then *at receives where it is at a time in s. */
bool contact_leads(const contact_case *c, int32_t particle, double time, msd_vec3 *at);

/* A trial of the scene in frames of 40 substeps. It keeps the pointer to the scene, which must stay open. */
contact_trial contact_trial_of(contact_scene *s, const contact_case *c);

/* Counts the intersections of the cloths in their current configuration. */
msd_result contact_count_intersections(const contact_scene *s, int64_t *found);

/* Runs one case. False if the world cannot be built or a step fails. */
bool contact_measure(const contact_case *c, contact_result *out);

#ifdef __cplusplus
}
#endif

#endif

/* What a frame costs where surfaces touch, and whether anything has passed through anything. */
#ifndef MSD_BENCH_CONTACT_SPEED_H
#define MSD_BENCH_CONTACT_SPEED_H

#include "bench/contact_trial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum contact_kind {
  /* A cloth that falls over a round bar onto the floor. */
  CONTACT_DRAPE,
  /* A cloth that stands on its edge, and falls onto itself. */
  CONTACT_CRUMPLE,
  /* Ten sheets that fall onto each other and the floor. */
  CONTACT_STACK,
  /* A sheet at 30 m/s onto another, where nothing else acts. */
  CONTACT_HIT,
  /* A cloth that falls and touches nothing. */
  CONTACT_FALL,
  /* One that hangs from two corners, and sways. */
  CONTACT_HANG,
  /* One that is half folded over, and comes to lie on itself and the floor. */
  CONTACT_FOLD
} contact_kind;

typedef struct contact_case {
  const char *name;
  contact_kind kind;
  /* Particles of every cloth: 1 cm apart, `rows` of them across and `columns` along. */
  int32_t columns, rows;
  /* To begin with, and then measured. */
  int warm_frames, frames;
} contact_case;

/* *count of them, in the order of kinds, then of sizes. */
const contact_case *contact_cases(int *count);

/* Of a frame; sheets of a stack. */
enum { CONTACT_SUBSTEPS = 40, CONTACT_SHEETS = 10, CONTACT_THREADS = 2 };

typedef struct contact_result {
  int32_t particles, triangles;
  /* 1, and what the machine offers. */
  int threads[CONTACT_THREADS];
  /* s for a frame of 1/60 s: its median with surfaces, and of the same scene without any. */
  double seconds[CONTACT_THREADS], bare_seconds[CONTACT_THREADS];
  /* Pairs of triangles, in the last state with surfaces and without. */
  int64_t intersections, bare_intersections;
  /* Whether all threads came to the same bits. */
  bool is_one_state;
} contact_result;

/* A case as a world, and the triangles of its cloths. */
typedef struct contact_scene {
  msd_world *world;
  int32_t *triangles;
  int32_t triangle_count;
} contact_scene;

/* To be closed also where it fails. Without surfaces everything passes through everything. */
msd_result contact_open(contact_scene *s, const contact_case *c, int threads, bool has_surfaces);
void contact_close(contact_scene *s);

/* To be put to the test, in frames of 40 substeps; of a scene that stays where it is and open. */
contact_trial contact_trial_of(contact_scene *s, const contact_case *c);

/* Of the surfaces of a scene, as they are now. */
msd_result contact_count_intersections(const contact_scene *s, int64_t *found);

/* Runs one case. False when it cannot be built or a step fails. */
bool contact_measure(const contact_case *c, contact_result *out);

#ifdef __cplusplus
}
#endif

#endif

/* Measured stability: runs of one world at many substeps with each integrator, from one start with a small
   disturbance, compared with a fine reference.

     stability_map *map = stability_map_open(world, &def, &result);
     stability_run run = stability_map_run(map, MSD_RK4, 0.002);
     stability_map_close(map); */
#ifndef MSD_BENCH_STABILITY_MAP_H
#define MSD_BENCH_STABILITY_MAP_H

#include <msd/msd.h>

/* The growth criterion compares thirds of a run, and each third must cover a full oscillation of the energy
   just below the limit. At a fraction 1 - d of the limit its period is pi/(2 acos(1 - d)) substeps, 35 for d =
   0.001. */
enum { STABILITY_STEPS_MIN = 300 };

typedef enum stability_outcome {
  STABILITY_STABLE,
  /* The energy grew beyond that of natural motion. */
  STABILITY_UNSTABLE,
  /* Values were no longer finite. */
  STABILITY_DIVERGED,
  /* The integrator does not support this scene. */
  STABILITY_REFUSED,
  STABILITY_OUTCOME_COUNT
} stability_outcome;

/* "stable", "unstable", "diverged", "refused" */
const char *stability_outcome_name(stability_outcome outcome);

typedef struct stability_map_def {
  /* s simulated by a run, > 0; a run of at least STABILITY_STEPS_MIN substeps may be longer */
  double duration;
  /* s, > 0: substep of the reference, by velocity Verlet, or by symplectic Euler with hard length limits; 0: no
     reference and no errors */
  double reference_step;
  /* m, >= 0: free particles are displaced by up to this along each axis, by a fixed pattern */
  double disturbance;
  /* a run ends when its energy has grown, unstable; otherwise it goes on, and may diverge */
  bool stop_at_growth;
  /* called during runs and the reference after each part of them, with its substeps; false abandons the run.
     NULL: none */
  bool (*watch)(void *context, msd_integrator integrator, int64_t substeps);
  void *context;
} stability_map_def;

typedef struct stability_run {
  stability_outcome outcome;
  /* the watch ended it early; its outcome is that of the part */
  bool abandoned;
  /* s: when the run was found unstable or diverged; otherwise its end */
  double failed_at;
  /* s: the substep, adjusted so that whole substeps fill the duration */
  double step;
  /* s: the planned duration of the run */
  double duration;
  /* largest stretch, length/rest_length - 1 */
  double max_stretch;
  /* final energy minus that of the reference, divided by the largest kinetic and elastic energy of the
     reference; NaN if diverged, longer than the reference or without one */
  double energy_error;
  /* m: root mean square distance of the particles from the reference at the end; NaN in the same cases */
  double error;
  /* s of wall time for each simulated s, one thread */
  double cost;
} stability_run;

typedef struct stability_map stability_map;

/* Copies the world and runs the reference. NULL with the reason in *result without memory, or if the reference
   itself diverges (MSD_DIVERGED) or is abandoned (MSD_OK). */
stability_map *stability_map_open(const msd_world *world, const stability_map_def *def, msd_result *result);

stability_run stability_map_run(stability_map *map, msd_integrator integrator, double step);

/* The substep between `stable` and `unstable` at which runs become unstable, by bisection to a relative
   `precision`. Returns `stable` if it is already unstable, and `unstable` if it is still stable. */
double stability_map_measure(stability_map *map, msd_integrator integrator, double stable, double unstable,
                             double precision);

void stability_map_close(stability_map *map); /* NULL is allowed */

#endif

/* What really happens at a time step: one world run at many steps with every integrator, from one start with
   a small disturbance, beside a fine reference.

     stability_map *map = stability_map_open(world, &def, &result);
     stability_run run = stability_map_run(map, MSD_RK4, 0.002);
     stability_map_close(map); */
#ifndef MSD_BENCH_STABILITY_MAP_H
#define MSD_BENCH_STABILITY_MAP_H

#include <msd/msd.h>

/* The rule for growth compares thirds of a run, each of which is to span the swing that the energy has just
   below a limit: at the part 1 - d of it that repeats after pi/(2 acos(1 - d)) steps, which for d = 0.001 are
   35. */
enum { STABILITY_STEPS_MIN = 300 };

typedef enum stability_outcome {
  STABILITY_STABLE,
  /* The energy grew as it never does in nature. */
  STABILITY_UNSTABLE,
  /* Numbers were no longer finite. */
  STABILITY_DIVERGED,
  /* The integrator cannot take this scene. */
  STABILITY_REFUSED,
  STABILITY_OUTCOME_COUNT
} stability_outcome;

/* "stable", "unstable", "diverged", "refused" */
const char *stability_outcome_name(stability_outcome outcome);

typedef struct stability_map_def {
  /* s that a run simulates, > 0; a run of steps too long to fill it with STABILITY_STEPS_MIN takes that many
     */
  double duration;
  /* s, > 0, of velocity Verlet, or of symplectic Euler where there are catches; 0: no reference, and no
     errors */
  double reference_step;
  /* m, >= 0: unpinned particles are moved by up to that along each axis, by a fixed pattern */
  double disturbance;
} stability_map_def;

typedef struct stability_run {
  stability_outcome outcome;
  /* s: when it was seen to be unstable or diverged; the end otherwise */
  double failed_at;
  /* s: as taken, so that whole steps fill the duration */
  double step;
  /* s that the run was to simulate */
  double duration;
  /* largest seen, length/rest_length - 1 */
  double max_stretch;
  /* energy at the end minus that of the reference, as a part of the largest kinetic and elastic energy of the
     reference; NaN when diverged, longer than the reference or without one */
  double energy_error;
  /* m: root mean square distance of particles to the reference at the end; NaN likewise */
  double error;
  /* s of wall time for each simulated s, one thread */
  double cost;
} stability_run;

typedef struct stability_map stability_map;

/* Copies the world as it is and runs the reference. NULL with the reason in *result when there is no memory,
   or the reference itself diverges (MSD_DIVERGED). */
stability_map *stability_map_open(const msd_world *world, const stability_map_def *def, msd_result *result);

stability_run stability_map_run(stability_map *map, msd_integrator integrator, double step);

/* The step between `stable` and `unstable` where runs stop being stable, by bisection to a part `precision`
   of it; `stable` when even that is not, `unstable` when even that is. */
double stability_map_measure(stability_map *map, msd_integrator integrator, double stable, double unstable,
                             double precision);

void stability_map_close(stability_map *map); /* NULL is allowed */

#endif

/* The options of `msd run`. */
#ifndef MSD_APP_RUN_RUN_OPTIONS_H
#define MSD_APP_RUN_RUN_OPTIONS_H

#include "app/export/export.h"
#include "app/export/trace.h"
#include "render/paint/picture.h"

#include <msd/msd.h>

#include <stdbool.h>
#include <stdint.h>

enum { SUBSTEPS_OF_SCENE = -1, SUBSTEPS_AUTO = 0 };

/* Behind the solvers of worlds: the cheapest way is chosen. */
enum { SOLVER_AUTO = MSD_SOLVER_COUNT };

/* What the command line says. What it does not say is left to the scene, or to the checkpoint of a resumed
   run. */
typedef struct run_options {
  const char *scene;
  /* s; negative: not given. */
  double duration;
  /* s; 0: not given. */
  double time_step;
  /* 1 or more, SUBSTEPS_AUTO or SUBSTEPS_OF_SCENE. */
  int substeps;
  /* Msd_integrator; -1: not given. */
  int integrator;
  /* Msd_limit; -1: not given. */
  int limit;
  /* Msd_energy; -1: not given. */
  int energy;
  /* Msd_mass_scaling; -1: not given. */
  int mass_scaling;
  /* Msd_solver, or SOLVER_AUTO; -1: not given. */
  int solver;
  /* 0: as many as pay. */
  int threads;
  /* Of several processes: substeps from one exchange to the next, 0: chosen; and whether each takes a part that
     PT-Scotch has found, not a strip. */
  int exchange;
  bool in_parts;
  /* Of several processes: each has its part of the scene alone, and none has all. */
  bool holds_own;
  /* Largest wanted, length/rest_length - 1; 0: not given. */
  double stretch;
  /* s of stepping in a frame; 0: not given. */
  double budget;
  /* Files, or NULL. */
  const char *traces[TRACE_KIND_COUNT];
  /* Frames between traced, exported and drawn ones. */
  int64_t every;
  const char *export_folder;
  export_format format;
  /* Of EXPORT_PLY. */
  bool edges, seams;
  const char *png, *video;
  picture_options picture;
  const char *save;
  /* Frames between checkpoints; 0: by the clock. */
  int64_t save_every;
  const char *resume;
  bool check_intersections;
  bool json;
} run_options;

/* Nothing given: the scene says what is done, and nothing is written. */
run_options run_default_options(void);

typedef enum run_options_result { RUN_OPTIONS_READY, RUN_OPTIONS_HELP, RUN_OPTIONS_BAD } run_options_result;

/* Texts stay with argv. What is wrong is on stderr already. */
run_options_result run_options_read(int argc, char **argv, run_options *options);

#endif

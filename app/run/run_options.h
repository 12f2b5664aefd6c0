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

/* After the solvers of worlds: the cheapest is chosen. */
enum { SOLVER_AUTO = MSD_SOLVER_COUNT };

/* The options that were given. All others come from the scene, or from the checkpoint of a resumed run. */
typedef struct run_options {
  const char *scene;
  /* s; negative: not given. */
  double duration;
  /* s; 0: not given. */
  double frame_time;
  /* 1 or more, SUBSTEPS_AUTO or SUBSTEPS_OF_SCENE. */
  int substeps;
  /* An msd_integrator; -1: not given. */
  int integrator;
  /* 0 or 1; -1: not given. */
  int clamp_stiffness;
  /* An msd_energy_mode; -1: not given. */
  int energy;
  /* An msd_mass_scaling; -1: not given. */
  int mass_scaling;
  /* An msd_solver or SOLVER_AUTO; -1: not given. */
  int solver;
  /* 0: automatic. */
  int threads;
  /* Of several processes: substeps from one exchange to the next, 0: automatic; and whether the subdomains are
     those of PT-Scotch, not strips. */
  int exchange;
  bool in_parts;
  /* Of several processes: each has its subdomain alone, and none has the whole scene. */
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
  bool details, json;
} run_options;

/* No option given: the settings of the scene, and no output. */
run_options run_default_options(void);

typedef enum run_options_result { RUN_OPTIONS_READY, RUN_OPTIONS_HELP, RUN_OPTIONS_BAD } run_options_result;

/* Texts stay with argv. RUN_OPTIONS_BAD after a message on stderr. */
run_options_result run_options_read(int argc, char **argv, run_options *options);

#endif

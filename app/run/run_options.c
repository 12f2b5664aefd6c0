#include "app/run/run_options.h"

#include "app/base/message.h"
#include "app/base/mpi_shim.h"
#include "app/base/options.h"
#include "app/base/output_file.h"

#include <string.h>

enum {
  OPTION_TIME = OPTIONS_FIRST_ID,
  OPTION_DT,
  OPTION_SUBSTEPS,
  OPTION_INTEGRATOR,
  OPTION_SOLVER,
  OPTION_MASS_SCALING,
  OPTION_CLAMP,
  OPTION_NO_CLAMP,
  OPTION_ENERGY,
  OPTION_STRETCH,
  OPTION_BUDGET,
  OPTION_EXPORT,
  OPTION_FORMAT,
  OPTION_EDGES,
  OPTION_SEAMS,
  /* In the order of trace_kind. */
  OPTION_TRACE,
  OPTION_TRACE_ROTORS,
  OPTION_TRACE_ENERGY,
  OPTION_EVERY,
  OPTION_DETAILS,
  OPTION_JSON,
  OPTION_PNG,
  OPTION_VIDEO,
  OPTION_SIZE,
  OPTION_COLOR,
  OPTION_CAMERA,
  OPTION_BACKGROUND,
  OPTION_TRANSPARENT,
  OPTION_CONTACTS,
  OPTION_SAVE,
  OPTION_SAVE_EVERY,
  OPTION_RESUME,
  OPTION_CHECK_INTERSECTIONS,
  OPTION_THREADS,
  OPTION_EXCHANGE,
  OPTION_PARTS
};

static const option_spec specs[] = {
    {OPTION_TIME, "duration", "SECONDS", "time to simulate in all, 0 or more", "the scene's"},
    {OPTION_DT, "frame-time", "SECONDS", "time of a frame, above 0", "the scene's"},
    {OPTION_SUBSTEPS, "substeps", "N|auto", "equal substeps of a frame; auto: the fewest that are stable",
     "the scene's"},
    {OPTION_INTEGRATOR, "integrator", "NAME",
     "symplectic_euler, explicit_euler, velocity_verlet, rk4 or sequential_impulse", "the scene's"},
    {OPTION_SOLVER, "solver", "NAME",
     "explicit, gauss_seidel or auto; auto chooses the cheapest, and the substeps", "the scene's"},
    {OPTION_MASS_SCALING, "mass-scaling", "NAME",
     "none or selective: add inertia to modes that are too stiff for the substep; rigid motion is unchanged",
     "the scene's"},
    {OPTION_CLAMP, "clamp-stiffness", NULL, "lower stiffness to the stable limit of a substep",
     "the scene's"},
    {OPTION_NO_CLAMP, "no-clamp-stiffness", NULL, "do not, although the scene does", NULL},
    {OPTION_ENERGY, "energy-mode", "NAME", "numerical energy gain: off, monitor, bounded or bounded_central",
     "the scene's"},
    {OPTION_STRETCH, "stretch-target", "STRAIN",
     "choose substeps and stiffness for at most this stretch, such as 5% or 0.05", NULL},
    {OPTION_BUDGET, "frame-budget", "SECONDS",
     "time to compute a frame that --stretch-target or --solver auto keep to, such as 4ms", "any"},
    {OPTION_EXPORT, "export", "DIR", "write the shape of each frame for other programs into this folder",
     NULL},
    {OPTION_FORMAT, "format", "NAME", "of --export: obj, ply, vtk, vtu, pc2, usda, glb or lammps", "obj"},
    {OPTION_EDGES, "edges", NULL, "of --format ply: ropes as edges, which some programs cannot read", NULL},
    {OPTION_SEAMS, "seams", NULL,
     "of --format ply: texture coordinates of corners where meshes have seams, likewise", NULL},
    {OPTION_TRACE, "trace", "FILE", "positions and velocities of all particles as CSV", NULL},
    {OPTION_TRACE_ROTORS, "trace-rotors", "FILE", "angles and angular velocities of rotors as CSV", NULL},
    {OPTION_TRACE_ENERGY, "trace-energy", "FILE", "energies, and their numerical error, as CSV", NULL},
    {OPTION_EVERY, "every", "N", "frames from one traced, exported or drawn to the next", "1"},
    {OPTION_DETAILS, "details", NULL, "print more in the summary", NULL},
    {OPTION_JSON, "json", NULL, "print the summary as one JSON object, with everything", NULL},
    {OPTION_PNG, "png", "FILE.png", "picture of the end; with %d or %04d in the name, of every frame", NULL},
    {OPTION_VIDEO, "video", "FILE.mp4", "film of all frames at the speed of the simulation; needs ffmpeg",
     NULL},
    {OPTION_SIZE, "size", "WxH", "of --png and --video, pixels", "1280x800"},
    {OPTION_COLOR, "color", "NAME", "of the pictures: none, strain, force, speed, energy or kind", "none"},
    {OPTION_CAMERA, "camera", "A,E[,ZOOM[,X,Y,Z]]",
     "of the pictures: azimuth and elevation in degrees, zoom, and the point looked at in m", "25,12,1"},
    {OPTION_BACKGROUND, "background", "COLOR",
     "of the pictures: sky, or white, black or #rrggbb without a floor", "sky"},
    {OPTION_TRANSPARENT, "transparent", NULL, "pictures of --png without a background", NULL},
    {OPTION_CONTACTS, "show-contacts", NULL, "draw contacts and their forces in the pictures", NULL},
    {OPTION_SAVE, "save", "FILE", "write a checkpoint at the end, on Ctrl-C, and every 10 s meanwhile", NULL},
    {OPTION_SAVE_EVERY, "save-every", "N", "write it every N frames instead of every 10 s", NULL},
    {OPTION_RESUME, "resume", "FILE", "continue from a checkpoint, to the same --duration in all", NULL},
    {OPTION_CHECK_INTERSECTIONS, "check-intersections", NULL,
     "count intersecting surfaces and ropes exactly, at the start and after each frame", NULL},
    {OPTION_THREADS, "threads", "N", "threads, 1 to 256; 0: automatic. Results do not depend on it", "0"},
    {OPTION_EXCHANGE, "halo", "N", "MPI halo depth: substeps between two exchanges, 1 to 16; 0: automatic",
     "0"},
    {OPTION_PARTS, "partition", "NAME",
     "MPI partition: strips, graph or distributed; graph: by PT-Scotch, with the fewest cut springs; "
     "distributed: each rank loads "
     "its subdomain alone",
     "strips"},
};

static const option_group groups[] = {{OPTION_TIME, "Time"},        {OPTION_INTEGRATOR, "Solver"},
                                      {OPTION_EXPORT, "Output"},    {OPTION_PNG, "Pictures"},
                                      {OPTION_SAVE, "Checkpoints"}, {OPTION_CHECK_INTERSECTIONS, "Checks"},
                                      {OPTION_THREADS, "Parallel"}, {0, NULL}};

static const command_line line = {
    .name = "run",
    .operand = "SCENE",
    .summary =
        "Simulates a scene without a window and prints a summary. SCENE is a scene file, or the name of a\n"
        "built-in scene ('msd list'). Times are in seconds, or have a unit: 0.004, 0.004s or 4ms.",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .groups = groups,
    .outputs = "--export DIR, --trace FILE, --png FILE, --video FILE or --save FILE",
    .notes =
        "A resumed run ends in the same state as an uninterrupted one. It takes all settings that are not "
        "given\n"
        "from the checkpoint, and continues the traces and the --export of the earlier run.\n"
        "exit status: 0 done; 1 the simulation became unstable; 2 bad usage or input;\n"
        "3 a file cannot be read or written while running; 130 stopped by Ctrl-C (143 by SIGTERM), with all\n"
        "frames so far in the files.",
    .examples =
        "  msd run curtain                                    simulate a built-in scene\n"
        "  msd run scene.json --duration 10 --substeps auto   10 s, with the fewest stable substeps\n"
        "  msd run drape --export out --format ply            one file per frame for other programs\n"
        "  msd run layers --video layers.mp4 --color strain   a film\n"
        "  msd run curtain --solver auto --stretch-target 2%  the cheapest solver that stretches at most 2 %",
};

/* Settings of the world that have names. */
static bool read_setting(const option_reader *r, run_options *options) {
  const char *integrators[MSD_INTEGRATOR_COUNT + 1] = {NULL}, *energies[MSD_ENERGY_MODE_COUNT + 1] = {NULL},
                                                 *scalings[MSD_MASS_SCALING_COUNT + 1] = {NULL},
                                                 *solvers[MSD_SOLVER_COUNT + 2] = {NULL};
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
    integrators[i] = msd_integrator_name((msd_integrator)i);
  for (int i = 0; i < MSD_ENERGY_MODE_COUNT; i++)
    energies[i] = msd_energy_mode_name((msd_energy_mode)i);
  for (int i = 0; i < MSD_MASS_SCALING_COUNT; i++)
    scalings[i] = msd_mass_scaling_name((msd_mass_scaling)i);
  for (int i = 0; i < MSD_SOLVER_COUNT; i++)
    solvers[i] = msd_solver_name((msd_solver)i);
  solvers[SOLVER_AUTO] = "auto";
  switch (r->option->id) {
  case OPTION_SOLVER:
    return option_take_name(r, solvers, &options->solver);
  case OPTION_INTEGRATOR:
    return option_take_name(r, integrators, &options->integrator);
  case OPTION_MASS_SCALING:
    return option_take_name(r, scalings, &options->mass_scaling);
  default:
    return option_take_name(r, energies, &options->energy);
  }
}

/* A count that is stored as an int. */
static bool read_int(const option_reader *r, int least, int most, const char *wanted, int *out) {
  int64_t count;
  if (!option_take_count(r, least, most, wanted, &count))
    return false;
  *out = (int)count;
  return true;
}

static bool read_substeps(const option_reader *r, int *substeps) {
  if (strcmp(r->value, "auto") != 0)
    return read_int(r, 1, 1000000, "a whole number from 1 to 1000000, or auto", substeps);
  *substeps = SUBSTEPS_AUTO;
  return true;
}

static bool read_parts(const option_reader *r, run_options *options) {
  const char *const names[] = {"strips", "graph", "distributed", NULL};
  int index;
  if (!option_take_name(r, names, &index))
    return false;
  options->in_parts = index == 1;
  options->holds_own = index == 2;
  return true;
}

/* Among threads and processes. */
static bool read_sharing(const option_reader *r, run_options *options) {
  if (r->option->id == OPTION_THREADS)
    return read_int(r, 0, 256, "a whole number from 0 to 256", &options->threads);
  if (r->option->id == OPTION_EXCHANGE)
    return read_int(r, 0, MSD_RANKS_DEPTH_MAX, "a whole number from 0 to 16", &options->exchange);
  return read_parts(r, options);
}

/* "5%", or the strain 0.05. Who writes 5 means 5 %, and not six times the length. */
static bool read_stretch(const option_reader *r, double *stretch) {
  const size_t length = strlen(r->value);
  const bool is_percent = length > 0 && r->value[length - 1] == '%';
  char number[64], wanted[160] = "a stretch above 0, such as 5% or 0.05";
  double value;
  snprintf(number, sizeof number, "%.*s", (int)(length - is_percent), r->value);
  if (length >= sizeof number || !parse_number(number, &value) || !(value > 0))
    return option_refuse(r, wanted);
  if (!is_percent && value > 1) {
    snprintf(wanted, sizeof wanted, "a strain up to 1; write %.40s%% for %.40s percent", number, number);
    return option_refuse(r, wanted);
  }
  *stretch = is_percent ? value / 100 : value;
  return true;
}

static bool read_frames(const option_reader *r, int64_t *frames) {
  return option_take_count(r, 1, INT32_MAX, "a whole number of frames, 1 or more", frames);
}

/* ffmpeg would take other endings, with other formats of pictures than players can show. */
static bool read_video(const option_reader *r, const char **path) {
  return option_take_file(r, ".mp4", path) &&
         (strchr(r->value, '%') == NULL || option_refuse(r, "the name of one file; --png takes a series"));
}

static bool read_picture_option(const option_reader *r, run_options *options) {
  picture_options *look = &options->picture;
  char error[PICTURE_ERROR_MAX], path[4096];
  switch (r->option->id) {
  case OPTION_PNG:
    return option_take_file(r, ".png", &options->png) &&
           option_accept(r, picture_frame_path(r->value, 0, path, sizeof path, error, sizeof error), error);
  case OPTION_SIZE:
    return option_accept(r, picture_parse_size(r->value, &look->width, &look->height, error, sizeof error),
                         error);
  case OPTION_COLOR:
    return option_accept(r, picture_parse_color(r->value, &look->color, error, sizeof error), error);
  case OPTION_BACKGROUND:
    return option_accept(r, picture_parse_background(r->value, &look->background, error, sizeof error),
                         error);
  default:
    return option_accept(r, picture_parse_camera(r->value, &look->camera, error, sizeof error), error);
  }
}

/* Options without a value. */
static bool read_flag(const option_reader *r, run_options *options) {
  bool *const flag = r->option->id == OPTION_EDGES                 ? &options->edges
                     : r->option->id == OPTION_TRANSPARENT         ? &options->picture.is_transparent
                     : r->option->id == OPTION_CONTACTS            ? &options->picture.contacts
                     : r->option->id == OPTION_SEAMS               ? &options->seams
                     : r->option->id == OPTION_DETAILS             ? &options->details
                     : r->option->id == OPTION_CHECK_INTERSECTIONS ? &options->check_intersections
                                                                   : &options->json;
  *flag = true;
  return true;
}

static bool read_option(const option_reader *r, run_options *options) {
  int index;
  switch (r->option->id) {
  case OPTION_TIME:
    return option_take_seconds(r, true, &options->duration);
  case OPTION_DT:
    return option_take_seconds(r, false, &options->frame_time);
  case OPTION_SUBSTEPS:
    return read_substeps(r, &options->substeps);
  case OPTION_INTEGRATOR:
  case OPTION_ENERGY:
  case OPTION_MASS_SCALING:
  case OPTION_SOLVER:
    return read_setting(r, options);
  case OPTION_THREADS:
  case OPTION_EXCHANGE:
  case OPTION_PARTS:
    return read_sharing(r, options);
  case OPTION_STRETCH:
    return read_stretch(r, &options->stretch);
  case OPTION_BUDGET:
    return option_take_seconds(r, false, &options->budget);
  case OPTION_TRACE:
  case OPTION_TRACE_ROTORS:
  case OPTION_TRACE_ENERGY:
    options->traces[r->option->id - OPTION_TRACE] = r->value;
    return true;
  case OPTION_EVERY:
    return read_frames(r, &options->every);
  case OPTION_EXPORT:
    options->export_folder = r->value;
    return true;
  case OPTION_FORMAT:
    if (!option_take_name(r, export_format_names, &index))
      return false;
    options->format = (export_format)index;
    return true;
  case OPTION_EDGES:
  case OPTION_SEAMS:
  case OPTION_TRANSPARENT:
  case OPTION_CONTACTS:
  case OPTION_CHECK_INTERSECTIONS:
  case OPTION_DETAILS:
  case OPTION_JSON:
    return read_flag(r, options);
  case OPTION_CLAMP:
  case OPTION_NO_CLAMP:
    options->clamp_stiffness = r->option->id == OPTION_CLAMP;
    return true;
  case OPTION_VIDEO:
    return read_video(r, &options->video);
  case OPTION_SAVE:
    options->save = r->value;
    return true;
  case OPTION_SAVE_EVERY:
    return read_frames(r, &options->save_every);
  case OPTION_RESUME:
    options->resume = r->value;
    return true;
  default:
    return read_picture_option(r, options);
  }
}

static bool same_file(const char *a, const char *b) {
  return a != NULL && b != NULL && output_file_same(a, b);
}

/* Two outputs in one file would destroy each other. */
static bool outputs_differ(const run_options *o) {
  const struct {
    const char *name, *path;
  } outputs[] = {{"trace", o->traces[TRACE_PARTICLES]},
                 {"trace-rotors", o->traces[TRACE_ROTORS]},
                 {"trace-energy", o->traces[TRACE_ENERGY]},
                 {"save", o->save},
                 {"png", o->png},
                 {"video", o->video}};
  for (int i = 0; i < (int)(sizeof outputs / sizeof *outputs); i++) {
    for (int j = 0; j < i; j++) {
      if (same_file(outputs[i].path, outputs[j].path)) {
        message_error(line.name, "--%s and --%s are both '%s'; name two files", outputs[j].name,
                      outputs[i].name, outputs[i].path);
        return false;
      }
    }
  }
  for (int i = 0; i < 2; i++) {
    if (same_file(outputs[i].path, o->resume)) {
      message_error(line.name, "--%s and --resume are both '%s'; name two files", outputs[i].name, o->resume);
      return false;
    }
  }
  return true;
}

/* The option that needs the whole scene; NULL: none does. */
static const char *needs_whole(const run_options *o) {
  const struct {
    bool is_given;
    const char *name;
  } options[] = {{o->traces[TRACE_ROTORS] != NULL, "trace-rotors"},
                 {o->stretch > 0, "stretch-target"},
                 {o->solver == SOLVER_AUTO, "solver auto"},
                 {o->check_intersections, "check-intersections"}};
  for (size_t n = 0; n < sizeof options / sizeof *options; n++)
    if (options[n].is_given)
      return options[n].name;
  return NULL;
}

/* Where each process has a subdomain alone. */
static bool parts_fit(const run_options *o) {
  if (o->export_folder != NULL && export_why_whole(o->format) != NULL)
    message_error(line.name,
                  "--format %s %s, and with --partition distributed no process has the whole scene; use obj, "
                  "ply, vtk, vtu or pc2",
                  export_format_names[o->format], export_why_whole(o->format));
  else if (o->png != NULL || o->video != NULL)
    message_error(line.name,
                  "--%s needs the whole scene in one process, and with --partition distributed none has it; "
                  "use --export with "
                  "--format vtu or ply, and draw that",
                  o->png != NULL ? "png" : "video");
  else if (needs_whole(o) != NULL)
    message_error(line.name,
                  "--%s needs the whole scene in one process, and with --partition distributed none has it; "
                  "leave out one "
                  "of them",
                  needs_whole(o));
  else
    return true;
  return false;
}

/* Options that need another one, or exclude it. */
static bool options_fit(const run_options *o, bool format_given) {
  if (format_given && o->export_folder == NULL)
    message_error(line.name, "--format needs --export DIR, the folder to write in");
  else if (o->edges && o->format != EXPORT_PLY)
    message_error(line.name, "--edges needs --format ply");
  else if (o->seams && o->format != EXPORT_PLY)
    message_error(line.name, "--seams needs --format ply; OBJ has seams always, the other formats never");
  else if (o->solver == SOLVER_AUTO && (o->substeps > 0 || o->resume != NULL || o->mass_scaling >= 0))
    message_error(line.name, "--solver auto chooses the substeps and the mass scaling; leave out --%s",
                  o->resume != NULL ? "resume"
                  : o->substeps > 0 ? "substeps"
                                    : "mass-scaling");
  else if (o->budget > 0 && o->stretch == 0 && o->solver != SOLVER_AUTO)
    message_error(line.name,
                  "--frame-budget needs --stretch-target STRAIN, the stretch to aim at, or --solver auto");
  else if (o->stretch > 0 && (o->substeps != SUBSTEPS_OF_SCENE || o->resume != NULL))
    message_error(line.name, "--stretch-target chooses the substeps; leave out --%s",
                  o->resume != NULL ? "resume" : "substeps");
  else if (o->picture.is_transparent && (o->picture.background.is_plain || o->video != NULL))
    message_error(line.name,
                  "--transparent: a picture without a background cannot have --background, and a film needs "
                  "one; leave out --%s",
                  o->video != NULL ? "video" : "background");
  else if (processes_count() > 1 && o->budget > 0)
    message_error(line.name, "--frame-budget measures time, which differs between processes; leave it out");
  else if (processes_count() > 1 && o->holds_own && !parts_fit(o))
    return false;
  else if (o->save_every > 0 && o->save == NULL)
    message_error(line.name, "--save-every needs --save FILE, the checkpoint to write");
  else
    return outputs_differ(o);
  return false;
}

/* One process writes for all; only checkpoints, traces and exports of subdomains are made by all of them. */
static void leave_files_to_first(run_options *o) {
  if (processes_is_first())
    return;
  o->traces[TRACE_ROTORS] = NULL;
  o->png = o->video = NULL;
  if (!o->holds_own)
    o->traces[TRACE_PARTICLES] = o->traces[TRACE_ENERGY] = o->save = o->export_folder = NULL;
  o->check_intersections = false;
}

run_options run_default_options(void) {
  return (run_options){.duration = -1,
                       .substeps = SUBSTEPS_OF_SCENE,
                       .integrator = -1,
                       .clamp_stiffness = -1,
                       .energy = -1,
                       .mass_scaling = -1,
                       .solver = -1,
                       .every = 1,
                       .picture = picture_default_options()};
}

run_options_result run_options_read(int argc, char **argv, run_options *options) {
  *options = run_default_options();
  option_reader reader = options_begin(&line, argc, argv);
  bool format_given = false;
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    if (!read_option(&reader, options))
      return RUN_OPTIONS_BAD;
    format_given = format_given || id == OPTION_FORMAT;
  }
  if (id == OPTIONS_HELP)
    return RUN_OPTIONS_HELP;
  options->scene = reader.operand;
  const bool fit = id == OPTIONS_END && options_fit(options, format_given);
  leave_files_to_first(options);
  return fit ? RUN_OPTIONS_READY : RUN_OPTIONS_BAD;
}

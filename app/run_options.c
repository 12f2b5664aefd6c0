#include "app/run_options.h"

#include "app/base/message.h"
#include "app/base/options.h"

#include <string.h>

enum {
  OPTION_TIME = OPTIONS_FIRST_ID,
  OPTION_DT,
  OPTION_SUBSTEPS,
  OPTION_INTEGRATOR,
  OPTION_LIMIT,
  OPTION_THREADS,
  OPTION_STRETCH,
  OPTION_BUDGET,
  OPTION_TRACE,
  OPTION_TRACE_ROTORS,
  OPTION_EVERY,
  OPTION_EXPORT,
  OPTION_FORMAT,
  OPTION_PNG,
  OPTION_VIDEO,
  OPTION_SIZE,
  OPTION_COLOR,
  OPTION_CAMERA,
  OPTION_SAVE,
  OPTION_SAVE_EVERY,
  OPTION_RESUME,
  OPTION_JSON
};

static const option_spec specs[] = {
    {OPTION_TIME, "time", "SECONDS", "time to simulate in all, 0 or more", "the scene's"},
    {OPTION_DT, "dt", "SECONDS", "time step of a frame, above 0", "the scene's"},
    {OPTION_SUBSTEPS, "substeps", "N|auto", "equal substeps of a frame; auto: the fewest certified",
     "the scene's"},
    {OPTION_INTEGRATOR, "integrator", "NAME",
     "symplectic_euler, explicit_euler, velocity_verlet, rk4 or sequential_impulse", "the scene's"},
    {OPTION_LIMIT, "limit", "NAME", "none, or coefficients: soften springs to what a substep bears",
     "the scene's"},
    {OPTION_THREADS, "threads", "N", "threads, 1 to 256; 0: as many as pay. All give the same bits", "0"},
    {OPTION_STRETCH, "stretch-target", "PERCENT",
     "choose substeps and stiffness so that what hangs straight stretches no more", NULL},
    {OPTION_BUDGET, "frame-budget", "SECONDS", "of --stretch-target: stepping time that a frame may take",
     "any"},
    {OPTION_TRACE, "trace", "FILE", "positions and velocities as CSV", NULL},
    {OPTION_TRACE_ROTORS, "trace-rotors", "FILE", "angles and angular velocities of rotors as CSV", NULL},
    {OPTION_EXPORT, "export", "DIR", "shapes for other programs, in this folder", NULL},
    {OPTION_FORMAT, "format", "NAME", "of --export: obj, ply, vtk or pc2", "obj"},
    {OPTION_PNG, "png", "FILE", "picture of the end; with %d or %04d in the name, of every frame", NULL},
    {OPTION_VIDEO, "video", "FILE.mp4", "film of all frames, at the speed of the simulation; needs ffmpeg",
     NULL},
    {OPTION_SIZE, "size", "WxH", "of --png and --video, pixels", "1280x800"},
    {OPTION_COLOR, "color", "NAME", "of the pictures: none, strain, force, speed, energy or kind", "none"},
    {OPTION_CAMERA, "camera", "A,E[,ZOOM[,X,Y,Z]]",
     "of the pictures: azimuth and elevation in degrees, zoom, and the point looked at in m", "25,12,1"},
    {OPTION_EVERY, "every", "N", "frames from one traced, exported or drawn to the next", "1"},
    {OPTION_SAVE, "save", "FILE", "checkpoint: at the end, on Ctrl-C, and every 10 s meanwhile", NULL},
    {OPTION_SAVE_EVERY, "save-every", "N", "checkpoint every N frames instead of every 10 s", NULL},
    {OPTION_RESUME, "resume", "FILE", "go on from a checkpoint, to the same --time in all", NULL},
    {OPTION_JSON, "json", NULL, "print the summary as one JSON object", NULL},
};

static const command_line line = {
    .name = "run",
    .operand = "SCENE",
    .summary =
        "Simulates a scene without a window and prints a summary. SCENE is a scene file, or the name of\n"
        "one that ships ('msd list').",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes = "A resumed run ends with the bits of one that never stopped. It takes what is not given here "
             "from the\n"
             "checkpoint, and continues the traces and the --export that the earlier part left.\n"
             "exit status: 0 done; 1 diverged, or a file cannot be written; 2 bad usage or input;\n"
             "130 stopped by Ctrl-C (143 by SIGTERM) with everything computed so far in its files.",
};

static bool bad_value(const char *option, const char *value, const char *wanted) {
  message_error(line.name, "--%s '%s': must be %s", option, value, wanted);
  return false;
}

static bool read_seconds(const char *option, const char *value, bool zero_allowed, double *seconds) {
  if (parse_number(value, seconds) && (*seconds > 0 || (zero_allowed && *seconds == 0)))
    return true;
  return bad_value(option, value,
                   zero_allowed ? "a number of seconds, 0 or more"
                                : "a number of seconds above 0, such as 0.01");
}

static bool read_count(const char *option, const char *value, int64_t least, int64_t most, const char *wanted,
                       int64_t *count) {
  return parse_count(value, least, most, count) || bad_value(option, value, wanted);
}

static bool read_name(const char *option, const char *value, const char *const *names, int count,
                      int *index) {
  *index = parse_name(value, names, count);
  if (*index >= 0)
    return true;
  const char *meant = nearest_name(value, names, count);
  if (meant != NULL) {
    message_error(line.name, "--%s '%s': unknown; did you mean '%s'?", option, value, meant);
    return false;
  }
  char all[256] = "one of";
  for (int i = 0; i < count; i++) {
    strcat(all, i > 0 ? ", " : " ");
    strcat(all, names[i]);
  }
  return bad_value(option, value, all);
}

static bool read_integrator(const char *value, int *integrator) {
  const char *names[MSD_INTEGRATOR_COUNT];
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
    names[i] = msd_integrator_name((msd_integrator)i);
  return read_name("integrator", value, names, MSD_INTEGRATOR_COUNT, integrator);
}

static bool read_substeps(const char *value, int *substeps) {
  if (strcmp(value, "auto") == 0) {
    *substeps = SUBSTEPS_AUTO;
    return true;
  }
  int64_t count;
  if (!read_count("substeps", value, 1, 1000000, "a whole number from 1 to 1000000, or auto", &count))
    return false;
  *substeps = (int)count;
  return true;
}

/* The parsers of render/ say what is wrong with a value themselves. */
static bool accept(bool parsed, const char *option, const char *error) {
  if (!parsed)
    message_error(line.name, "--%s: %s", option, error);
  return parsed;
}

static bool read_option(int id, const char *value, run_options *options) {
  static const char *const limits[MSD_LIMIT_COUNT] = {"none", "coefficients"};
  char error[PICTURE_ERROR_MAX], path[4096];
  int index;
  int64_t count;
  switch (id) {
  case OPTION_TIME:
    return read_seconds("time", value, true, &options->duration);
  case OPTION_DT:
    return read_seconds("dt", value, false, &options->time_step);
  case OPTION_SUBSTEPS:
    return read_substeps(value, &options->substeps);
  case OPTION_INTEGRATOR:
    return read_integrator(value, &options->integrator);
  case OPTION_LIMIT:
    return read_name("limit", value, limits, MSD_LIMIT_COUNT, &options->limit);
  case OPTION_THREADS:
    if (!read_count("threads", value, 0, 256, "a whole number from 0 to 256", &count))
      return false;
    options->threads = (int)count;
    return true;
  case OPTION_STRETCH:
    if (!parse_number(value, &options->stretch) || !(options->stretch > 0))
      return bad_value("stretch-target", value, "a number of percent above 0, such as 5");
    options->stretch /= 100;
    return true;
  case OPTION_BUDGET:
    return read_seconds("frame-budget", value, false, &options->budget);
  case OPTION_TRACE:
    options->trace = value;
    return true;
  case OPTION_TRACE_ROTORS:
    options->trace_rotors = value;
    return true;
  case OPTION_EVERY:
    return read_count("every", value, 1, INT32_MAX, "a whole number of frames, 1 or more", &options->every);
  case OPTION_EXPORT:
    options->export_folder = value;
    return true;
  case OPTION_FORMAT:
    if (!read_name("format", value, export_format_names, EXPORT_FORMAT_COUNT, &index))
      return false;
    options->format = (export_format)index;
    return true;
  case OPTION_PNG:
    options->png = value;
    return accept(picture_frame_path(value, 0, path, sizeof path, error, sizeof error), "png", error);
  case OPTION_VIDEO:
    options->video = value;
    return true;
  case OPTION_SIZE:
    return accept(
        picture_parse_size(value, &options->picture.width, &options->picture.height, error, sizeof error),
        "size", error);
  case OPTION_COLOR:
    return accept(picture_parse_color(value, &options->picture.color, error, sizeof error), "color", error);
  case OPTION_CAMERA:
    return accept(picture_parse_camera(value, &options->picture.camera, error, sizeof error), "camera",
                  error);
  case OPTION_SAVE:
    options->save = value;
    return true;
  case OPTION_SAVE_EVERY:
    return read_count("save-every", value, 1, INT32_MAX, "a whole number of frames, 1 or more",
                      &options->save_every);
  case OPTION_RESUME:
    options->resume = value;
    return true;
  default:
    options->json = true;
    return true;
  }
}

static bool same_file(const char *a, const char *b) {
  return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Two outputs in one file would destroy each other. */
static bool outputs_differ(const run_options *o) {
  const struct {
    const char *name, *path;
  } outputs[] = {{"trace", o->trace},
                 {"trace-rotors", o->trace_rotors},
                 {"save", o->save},
                 {"png", o->png},
                 {"video", o->video}};
  for (int i = 0; i < 5; i++) {
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

run_options_result run_options_read(int argc, char **argv, run_options *options) {
  *options = (run_options){.duration = -1,
                           .substeps = SUBSTEPS_OF_SCENE,
                           .integrator = -1,
                           .limit = -1,
                           .every = 1,
                           .picture = picture_default_options()};
  bool format_given = false;
  for (;;) {
    const char *value;
    int id = options_next(&line, argc, argv, &value);
    if (id == OPTIONS_HELP)
      return RUN_OPTIONS_HELP;
    if (id == OPTIONS_END)
      break;
    if (id == OPTIONS_BAD || !read_option(id, value, options))
      return RUN_OPTIONS_BAD;
    format_given = format_given || id == OPTION_FORMAT;
  }
  if (!options_operand(&line, argc, argv, &options->scene))
    return RUN_OPTIONS_BAD;
  if (format_given && options->export_folder == NULL) {
    message_error(line.name, "--format needs --export DIR, the folder to write in");
    return RUN_OPTIONS_BAD;
  }
  if (options->budget > 0 && options->stretch == 0) {
    message_error(line.name, "--frame-budget needs --stretch-target PERCENT, the stretch to aim at");
    return RUN_OPTIONS_BAD;
  }
  if (options->stretch > 0 && (options->substeps != SUBSTEPS_OF_SCENE || options->resume != NULL)) {
    message_error(line.name, "--stretch-target chooses the substeps itself; leave out --%s",
                  options->resume != NULL ? "resume" : "substeps");
    return RUN_OPTIONS_BAD;
  }
  if (options->save_every > 0 && options->save == NULL) {
    message_error(line.name, "--save-every needs --save FILE, the checkpoint to write");
    return RUN_OPTIONS_BAD;
  }
  return outputs_differ(options) ? RUN_OPTIONS_READY : RUN_OPTIONS_BAD;
}

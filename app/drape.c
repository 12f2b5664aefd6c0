/* msd drape: finds the static equilibrium of a scene and writes it. */
#include "app/commands.h"

#include "app/base/json_values.h"
#include "app/base/options.h"
#include "app/base/progress.h"
#include "app/base/scene_input.h"
#include "app/run/checkpoint.h"
#include "app/run/outputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  OPTION_TOLERANCE = OPTIONS_FIRST_ID,
  OPTION_ITERATIONS,
  OPTION_IGNORE_CONTACT,
  OPTION_THREADS,
  OPTION_EXPORT,
  OPTION_FORMAT,
  OPTION_PNG,
  OPTION_SIZE,
  OPTION_COLOR,
  OPTION_CAMERA,
  OPTION_SAVE,
  OPTION_JSON
};

static const option_spec specs[] = {
    {OPTION_TOLERANCE, "tolerance", "M/S^2", "stop when the largest residual acceleration is below this",
     "1e-4"},
    {OPTION_ITERATIONS, "iterations", "N", "most iterations", "200000"},
    {OPTION_IGNORE_CONTACT, "ignore-contact", NULL, "ignore colliders, contact between bodies and wind",
     NULL},
    {OPTION_THREADS, "threads", "N", "threads, 1 to 256; 0: automatic. The result does not depend on it",
     "0"},
    {OPTION_EXPORT, "export", "DIR", "write the shape for other programs into this folder", NULL},
    {OPTION_FORMAT, "format", "NAME", "of --export: obj, ply, vtk, vtu, pc2, usda, glb or lammps", "obj"},
    {OPTION_PNG, "png", "FILE", "write a picture of the shape", NULL},
    {OPTION_SIZE, "size", "WxH", "size of --png in pixels", "1280x800"},
    {OPTION_COLOR, "color", "NAME", "color by none, strain, force, speed, energy or kind", "none"},
    {OPTION_CAMERA, "camera", "A,E[,ZOOM[,X,Y,Z]]", "azimuth and elevation in degrees, zoom, and target in m",
     "25,12,1"},
    {OPTION_SAVE, "save", "FILE", "write a checkpoint, from which 'msd run SCENE --resume FILE' starts",
     NULL},
    {OPTION_JSON, "json", NULL, "print the results as one JSON object", NULL},
};

static const command_line line = {
    .name = "drape",
    .operand = "SCENE",
    .summary =
        "Finds the static equilibrium of a scene, where springs and gravity are in balance, without a\n"
        "simulation. SCENE is a scene file, or the name of a built-in one ('msd list').",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes = "A scene with \"start\": \"equilibrium\" begins with this shape.\n"
             "Examples:\n"
             "  msd drape hanging_rope\n"
             "  msd drape curtain --tolerance 1e-2 --png curtain.png\n"
             "  msd drape curtain --save rest.msd && msd run curtain --resume rest.msd\n"
             "Exit status: 0 equilibrium; 1 not converged; 2 bad usage or input; 3 a file cannot be written.",
};

typedef struct drape_options {
  /* For outputs: the scene, the export, the picture, the checkpoint. */
  run_options run;
  msd_equilibrium_def rest;
} drape_options;

static bool read_tolerance(const option_reader *r, double *tolerance) {
  return (parse_number(r->value, tolerance) && *tolerance > 0) ||
         option_refuse(r, "a number above 0 in m/s^2, such as 1e-4");
}

static bool read_count(const option_reader *r, int least, int most, const char *wanted, int *out) {
  int64_t count;
  if (!option_take_count(r, least, most, wanted, &count))
    return false;
  *out = (int)count;
  return true;
}

static bool read_picture(const option_reader *r, picture_options *look) {
  char error[PICTURE_ERROR_MAX];
  switch (r->option->id) {
  case OPTION_SIZE:
    return option_accept(r, picture_parse_size(r->value, &look->width, &look->height, error, sizeof error),
                         error);
  case OPTION_COLOR:
    return option_accept(r, picture_parse_color(r->value, &look->color, error, sizeof error), error);
  default:
    return option_accept(r, picture_parse_camera(r->value, &look->camera, error, sizeof error), error);
  }
}

static bool read_format(const option_reader *r, export_format *format) {
  int index;
  if (!option_take_name(r, export_format_names, &index))
    return false;
  *format = (export_format)index;
  return true;
}

static bool read_option(const option_reader *r, drape_options *o) {
  switch (r->option->id) {
  case OPTION_TOLERANCE:
    return read_tolerance(r, &o->rest.tolerance);
  case OPTION_ITERATIONS:
    return read_count(r, 1, INT32_MAX, "a whole number of iterations, 1 or more", &o->rest.iterations);
  case OPTION_IGNORE_CONTACT:
    o->rest.ignore_contact = true;
    return true;
  case OPTION_THREADS:
    return read_count(r, 0, 256, "a whole number from 0 to 256", &o->run.threads);
  case OPTION_EXPORT:
    o->run.export_folder = r->value;
    return true;
  case OPTION_FORMAT:
    return read_format(r, &o->run.format);
  case OPTION_PNG:
    return option_take_file(r, ".png", &o->run.png);
  case OPTION_SAVE:
    o->run.save = r->value;
    return true;
  case OPTION_JSON:
    o->run.json = true;
    return true;
  default:
    return read_picture(r, &o->run.picture);
  }
}

/* False with *status set, when there is nothing to do. */
static bool read_options(int argc, char **argv, drape_options *o, int *status) {
  *o = (drape_options){.run = {.every = 1, .picture = picture_default_options()},
                       .rest = msd_default_equilibrium_def()};
  option_reader reader = options_begin(&line, argc, argv);
  bool format_given = false;
  int id;
  *status = STATUS_BAD_INPUT;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    if (!read_option(&reader, o))
      return false;
    format_given = format_given || id == OPTION_FORMAT;
  }
  o->run.scene = reader.operand;
  *status = id == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;
  if (id != OPTIONS_END)
    return false;
  if (format_given && !o->run.export_folder) {
    message_error(line.name, "--format needs --export DIR, the folder to write in");
    return false;
  }
  return true;
}

/* Three digits without an exponent. */
static void put_plain(double value, char text[48]) {
  const int digits = value > 0 ? 2 - (int)floor(log10(value)) : 0, most = 9;
  snprintf(text, 48, "%.*f", digits < 0 ? 0 : digits > most ? most : digits, value);
}

typedef struct drape_progress {
  progress bar;
  double began;
} drape_progress;

static bool show_progress(msd_equilibrium_progress p, void *context) {
  drape_progress *shown = context;
  char rest[48], text[160];
  if (!progress_is_due(&shown->bar))
    return true;
  put_plain(p.acceleration, rest);
  snprintf(text, sizeof text, "%.40s: still %s m/s^2 after %.0f s, %d iterations", shown->bar.title, rest,
           progress_clock() - shown->began, p.iteration);
  progress_say(&shown->bar, text);
  return true;
}

static bool print_json(const scene *s, const msd_equilibrium_report *r, double seconds) {
  json_t *object = json_object();
  bool failed = object == NULL;
#define KEY(name, value) failed |= json_object_set_new(object, name, value) != 0
  KEY("scene", json_string(s->name));
  KEY("converged", json_boolean(r->converged));
  KEY("iterations", json_integer(r->iterations));
  KEY("returns", json_integer(r->returns));
  KEY("energy_before", json_number(r->energy_before));
  KEY("energy", json_number(r->energy));
  KEY("acceleration", json_number(r->acceleration));
  KEY("force", json_number(r->force));
  KEY("particle", json_index(r->particle));
  KEY("max_stretch", json_number(msd_world_get_stats(s->world).max_stretch));
  KEY("seconds", json_number(seconds));
#undef KEY
  failed = failed || json_dumpf(object, stdout, JSON_INDENT(2)) != 0;
  json_decref(object);
  printf("\n");
  return !failed;
}

static bool print_results(const scene *s, const msd_equilibrium_report *r, double seconds, bool json) {
  if (json)
    return print_json(s, r, seconds);
  char residual[48];
  put_plain(r->acceleration, residual);
  printf("%s: %s after %d iteration%s, %.2g s\n", s->name,
         r->converged ? "in static equilibrium" : "not in equilibrium yet", r->iterations,
         r->iterations == 1 ? "" : "s", seconds);
  if (!r->converged)
    printf("  to go on      give more --iterations, or a larger --tolerance\n");
  printf("  max stretch   %.2g %%\n", 100 * msd_world_get_stats(s->world).max_stretch);
  printf("  energy        %.4g J, %.4g J before\n", r->energy, r->energy_before);
  if (r->particle < 0)
    return true;
  char name[160];
  scene_describe_particle(s, r->particle, name, sizeof name);
  printf("  residual      %s m/s^2 at %s\n", residual, name);
  return true;
}

static bool save(const scene *s, const char *path, uint64_t fingerprint, problem *p) {
  const checkpoint c = {.duration = s->duration, .frame_time = s->frame_time, .substeps = s->substeps};
  return path == NULL || checkpoint_save(path, s, fingerprint, &c, p);
}

/* The advice of the library, as an option. */
static void report_refusal(const scene *s) {
  static const char advice[] = "ignore contact";
  const char *text = msd_world_message(s->world), *at = strstr(text, advice);
  if (at)
    message_error(line.name, "%s: %.*suse --ignore-contact%s", s->path, (int)(at - text), text,
                  at + sizeof advice - 1);
  else
    message_error(line.name, "%s: %s", s->path, text);
}

/* Everything after the scene is there; returns the exit status. */
static int drape(scene *s, drape_options *o) {
  const run_plan plan = {.duration = s->duration, .frame_time = s->frame_time, .substeps = s->substeps};
  problem p;
  run_outputs outputs;
  msd_equilibrium_report report;
  drape_progress shown = {.bar = progress_begin_lines(s->name), .began = progress_clock()};
  msd_world_set_thread_count(s->world, o->run.threads);
  o->rest.substep = scene_substep(s);
  o->rest.progress = show_progress;
  o->rest.context = &shown;
  const uint64_t fingerprint = o->run.save ? checkpoint_fingerprint(s) : 0;
  if (!run_outputs_open(&outputs, &o->run, &plan, s, NULL, &p)) {
    message_error(line.name, "%s", p.text);
    return STATUS_IO;
  }
  const double began = progress_clock();
  const msd_result result = msd_world_find_equilibrium(s->world, &o->rest, &report);
  const double seconds = progress_clock() - began;
  progress_clear(&shown.bar);
  if (result != MSD_OK) {
    report_refusal(s);
    run_outputs_close(&outputs, false, &p);
    return STATUS_BAD_INPUT;
  }
  scene_input_warn(line.name, s);
  bool ok = run_outputs_write(&outputs, 0, 0, &p) && save(s, o->run.save, fingerprint, &p);
  ok = run_outputs_close(&outputs, ok, &p) && ok;
  if (!ok)
    message_error(line.name, "%s", p.text);
  ok = print_results(s, &report, seconds, o->run.json) && ok;
  return !ok ? STATUS_IO : report.converged ? STATUS_DONE : STATUS_FAILED;
}

int command_drape(int argc, char **argv) {
  drape_options options;
  int status;
  if (!read_options(argc, argv, &options, &status))
    return status;
  scene *s = scene_input_load(line.name, options.run.scene);
  if (s == NULL)
    return STATUS_BAD_INPUT;
  status = drape(s, &options);
  scene_free(s);
  return status;
}

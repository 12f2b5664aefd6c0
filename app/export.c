/* msd export: writes the initial state of a scene for other programs. */
#include "app/commands.h"

#include "app/base/options.h"
#include "app/base/scene_input.h"
#include "app/report/contents.h"
#include "app/run/outputs.h"

#include <stdio.h>

enum { OPTION_FORMAT = OPTIONS_FIRST_ID, OPTION_EDGES, OPTION_SEAMS };

static const option_spec specs[] = {
    {OPTION_FORMAT, "format", "NAME", "obj, ply, vtk, vtu, pc2, usda, glb or lammps", "obj"},
    {OPTION_EDGES, "edges", NULL, "of --format ply: ropes as edges, which some programs cannot read", NULL},
    {OPTION_SEAMS, "seams", NULL,
     "of --format ply: texture coordinates of corners where meshes have seams, likewise", NULL},
};

static const command_line line = {
    .name = "export",
    .operand = "SCENE",
    .folder = "DIR",
    .summary = "Writes the initial state of a scene into a folder, for other programs; for LAMMPS with an "
               "input script\n"
               "for the whole run. SCENE is a scene file, or the name of a built-in scene ('msd list').",
    .outputs = "the second operand: msd export SCENE DIR",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes = "'msd run SCENE --export DIR' writes the frames of a run.\n"
             "exit status: 0 done; 2 bad usage or input; 3 a file cannot be written.",
    .examples = "  msd export curtain out                  out/curtain_000000.obj\n"
                "  msd export curtain out --format lammps  data and input script for LAMMPS",
};

static bool read_option(const option_reader *r, run_options *o) {
  int index;
  switch (r->option->id) {
  case OPTION_FORMAT:
    if (!option_take_name(r, export_format_names, &index))
      return false;
    o->format = (export_format)index;
    return true;
  case OPTION_EDGES:
    o->edges = true;
    return true;
  default:
    o->seams = true;
    return true;
  }
}

/* False with *status set, when there is nothing to do. */
static bool read_options(int argc, char **argv, run_options *o, int *status) {
  *o = run_default_options();
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  *status = STATUS_BAD_INPUT;
  while ((id = options_next(&reader)) > OPTIONS_END)
    if (!read_option(&reader, o))
      return false;
  if (id == OPTIONS_HELP)
    *status = STATUS_DONE;
  if (id != OPTIONS_END)
    return false;
  o->scene = reader.operand;
  o->export_folder = reader.folder;
  if (o->format == EXPORT_PLY || (!o->edges && !o->seams))
    return true;
  message_error(line.name, "--%s needs --format ply", o->edges ? "edges" : "seams");
  return false;
}

static int export_scene(scene *s, const run_options *o) {
  problem p;
  run_plan plan;
  run_outputs outputs;
  if (!run_plan_make(&plan, o, s, &p)) {
    message_error(line.name, "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  scene_input_warn(line.name, s);
  if (!run_outputs_open(&outputs, o, &plan, s, NULL, &p)) {
    message_error(line.name, "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  bool ok = run_outputs_write(&outputs, 0, 0, &p);
  ok = run_outputs_close(&outputs, ok, &p) && ok;
  if (!ok) {
    message_error(line.name, "%s", p.text);
    return STATUS_IO;
  }
  char contents[CONTENTS_MAX];
  const msd_stats stats = msd_world_get_stats(s->world);
  contents_describe_elements(s, &stats, contents, sizeof contents);
  printf("%s: wrote %s as %s to %s\n", s->name, contents, export_format_names[o->format], o->export_folder);
  return STATUS_DONE;
}

int command_export(int argc, char **argv) {
  run_options options;
  int status;
  if (!read_options(argc, argv, &options, &status))
    return status;
  scene *s = scene_input_load(line.name, options.scene);
  if (s == NULL)
    return STATUS_BAD_INPUT;
  status = export_scene(s, &options);
  scene_free(s);
  return status;
}

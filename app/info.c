/* msd info: the contents, the stability limit and the expected cost of a scene. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/options.h"
#include "app/base/scene_input.h"
#include "app/report/info.h"

enum { OPTION_DETAILS = OPTIONS_FIRST_ID, OPTION_JSON, OPTION_ESTIMATE };

static const option_spec specs[] = {
    {OPTION_DETAILS, "details", NULL,
     "also print bodies, materials, memory, causes, other integrators and stiffness clamping", NULL},
    {OPTION_JSON, "json", NULL, "print everything as one JSON object", NULL},
    {OPTION_ESTIMATE, "estimate", NULL,
     "estimate the limit in the current configuration of a large scene too", NULL}};

static const command_line line = {
    .name = "info",
    .operand = "SCENE",
    .summary = "Shows the contents of a scene, its stable substep, its expected cost and the solvers that "
               "fit, without\n"
               "running it. SCENE is a scene file, or the name of a built-in scene ('msd list').",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes = "exit status: 0 done; 2 bad usage or input; 3 memory is short.",
    .examples = "  msd info curtain              what limits the substep, and what a frame costs\n"
                "  msd info curtain --details    other integrators, and what fewer substeps would take\n"
                "  msd info scene.json --json    the same for programs"};

typedef struct info_options {
  const char *scene;
  bool details, json, estimate;
} info_options;

/* OPTIONS_END when there is something to do. */
static int read_options(int argc, char **argv, info_options *o) {
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END) {
    o->details = o->details || id == OPTION_DETAILS;
    o->json = o->json || id == OPTION_JSON;
    o->estimate = o->estimate || id == OPTION_ESTIMATE;
  }
  o->scene = reader.operand;
  return id;
}

static void print_text(const scene_info *all, const info_options *o) {
  info_print(all, stdout);
  if (o->details)
    info_print_details(all, stdout);
  else
    printf(
        "more        --details: bodies, materials, memory, causes, other integrators, stiffness clamping\n");
}

static int report(scene *s, const info_options *o) {
  scene_info all;
  problem p;
  if (!info_make(s, o->estimate, &all, &p)) {
    message_error(line.name, "%s", p.text);
    return STATUS_BAD_INPUT;
  }
  scene_input_warn(line.name, s);
  if (!o->json) {
    print_text(&all, o);
    return STATUS_DONE;
  }
  if (info_print_json(&all, stdout))
    return STATUS_DONE;
  message_error(line.name, "out of memory for the JSON object");
  return STATUS_IO;
}

int command_info(int argc, char **argv) {
  info_options options = {.scene = NULL};
  const int read = read_options(argc, argv, &options);
  if (read != OPTIONS_END)
    return read == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;
  scene *s = scene_input_load(line.name, options.scene);
  if (s == NULL)
    return STATUS_BAD_INPUT;
  const int status = report(s, &options);
  scene_free(s);
  return status;
}

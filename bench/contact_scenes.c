/* contact_scenes [SECONDS [SIDE...]] [SCENE...]: tests the guarantee that collision meshes never intersect in
   the shipped scenes. Runs those with contact, or the named ones, for SECONDS (1 by default) at other
   resolutions than their file has (resolution.h; sides 25 and 50 by default), once with the full contact force
   and once with relaxation 0.99. Prints a table of bench/notes/contact.md. Exit status: 0 every intersection
   was reported, 1 one was not, 2 bad usage, or a scene cannot be loaded. */
#include "bench/resolved_trial.h"

#include <stdio.h>

static const char *const scenes[] = {"capstan",     "drape",      "flag_pole",     "funnel", "layers",
                                     "needles",     "reef_knot",  "ribbon",        "ring",   "rollers",
                                     "sheet_stack", "tablecloth", "walking_skirt", "yarn"};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Returns an exit status. */
static int try_scene(const char *name, int32_t side, double relaxation, int frames) {
  resolved_trial t;
  scene_error error;
  const bool is_open = resolved_trial_open(name, side, &t, &error);
  if (!is_open)
    fprintf(stderr, "contact_scenes: %s\n", error.text);
  const bool passed = is_open && contact_trial_run(&t.trial, relaxation, frames);
  resolved_trial_close(&t);
  return is_open ? !passed : 2;
}

int main(int argc, char **argv) {
  contact_request request = {.seconds = 1, .sides = {25, 50}, .side_count = 2};
  if (!contact_request_read(argc - 1, argv + 1, &request)) {
    fprintf(stderr, "usage: contact_scenes [SECONDS [SIDE...]] [SCENE...], up to %d sides of 2 to %d\n",
            CONTACT_SIDES_MOST, CONTACT_SIDE_MOST);
    return 2;
  }
  const char *const *names = request.name_count > 0 ? (const char *const *)request.names : scenes;
  const int count = request.name_count > 0 ? request.name_count : SCENES;
  int worst = 0;
  contact_trial_print_header();
  for (int side = 0; side < request.side_count; side++)
    for (int n = 0; n < count; n++)
      for (int k = 0; k < CONTACT_SOFTNESSES; k++) {
        const int status =
            try_scene(names[n], request.sides[side], contact_softnesses[k], contact_request_frames(&request));
        worst = status > worst ? status : worst;
      }
  return worst;
}

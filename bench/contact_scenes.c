/* contact_scenes [SECONDS [SIDE...]] [SCENE...]: what is promised of surfaces, put to the test in scenes that
   ship. Runs those in which things touch, or those that are named, for so many seconds (1 by default), at other
   resolutions than that of their file (resolution.h; 25 and 50 by default), with the forces between surfaces
   and with a hundredth of them, and prints a table of docs/contact.md. Exit status: 0 nothing intersects but
   what the world tells of, 1 something does, 2 bad usage, or a scene that cannot be loaded. */
#include "bench/resolved_trial.h"

#include <stdio.h>

static const char *const scenes[] = {"capstan",     "drape",      "flag_pole",     "funnel", "layers",
                                     "needles",     "reef_knot",  "ribbon",        "ring",   "rollers",
                                     "sheet_stack", "tablecloth", "walking_skirt", "yarn"};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* As an exit status. */
static int try_scene(const char *name, int32_t side, double softness, int frames) {
  resolved_trial t;
  scene_error error;
  const bool is_open = resolved_trial_open(name, side, &t, &error);
  if (!is_open)
    fprintf(stderr, "contact: %s\n", error.text);
  const bool passed = is_open && contact_trial_run(&t.trial, softness, frames);
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

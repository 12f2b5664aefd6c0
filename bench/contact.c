/* contact [SECONDS [SIDE...]] [SCENE...]: what is promised of surfaces, put to the test. Runs scenes of cloths,
   drape, crumple, stack and hit or those that are named, with SIDE x SIDE particles each for so many seconds
   (1 by default, and 25 and 50 to a side), with the forces between surfaces and with a hundredth of them, and
   prints the table of docs/contact.md. Exit status: 0 nothing passed through anything, 1 something did, 2 bad
   usage. */
#include "bench/contact_speed.h"
#include "bench/contact_trial.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  contact_kind kind;
} scenes[] = {
    {"drape", CONTACT_DRAPE}, {"crumple", CONTACT_CRUMPLE}, {"stack", CONTACT_STACK}, {"hit", CONTACT_HIT}};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* -1: there is none of that name. */
static int scene_of(const char *name) {
  int scene = SCENES - 1;
  while (scene >= 0 && strcmp(scenes[scene].name, name) != 0)
    scene--;
  return scene;
}

/* False where some name is that of no scene. */
static bool names_are_known(const contact_request *request) {
  bool known = true;
  for (int n = 0; n < request->name_count; n++)
    known = known && scene_of(request->names[n]) >= 0;
  return known;
}

/* False where something has passed through something, or a step has failed. */
static bool try_scene(int scene, double softness, int32_t side, int frames) {
  const contact_case c = {scenes[scene].name, scenes[scene].kind, side, side, 0, frames};
  contact_scene s;
  const msd_result result = contact_open(&s, &c, 0, true);
  const contact_trial t = contact_trial_of(&s, &c);
  if (result != MSD_OK)
    fprintf(stderr, "contact: %s: %s\n", c.name, s.world ? msd_world_message(s.world) : "no memory");
  const bool passed = result == MSD_OK && contact_trial_run(&t, softness, frames);
  contact_close(&s);
  return passed;
}

int main(int argc, char **argv) {
  contact_request request = {.seconds = 1, .sides = {25, 50}, .side_count = 2};
  if (!contact_request_read(argc - 1, argv + 1, &request) || !names_are_known(&request)) {
    fprintf(
        stderr,
        "usage: contact [SECONDS [SIDE...]] [SCENE...], up to %d sides of 2 to %d, scenes drape, crumple, "
        "stack and hit\n",
        CONTACT_SIDES_MOST, CONTACT_SIDE_MOST);
    return 2;
  }
  contact_trial_print_header();
  const int count = request.name_count > 0 ? request.name_count : SCENES;
  bool none = true;
  for (int n = 0; n < count; n++)
    for (int side = 0; side < request.side_count; side++)
      for (int k = 0; k < CONTACT_SOFTNESSES; k++)
        none = try_scene(request.name_count > 0 ? scene_of(request.names[n]) : n, contact_softnesses[k],
                         request.sides[side], contact_request_frames(&request)) &&
               none;
  return none ? 0 : 1;
}

/* contact [SECONDS [SIDE...]] [SCENE...]: tests the guarantee that collision meshes never intersect. Runs
   scenes of cloth (drape, crumple, stack and hit, or the named ones) with SIDE x SIDE particles for SECONDS (1
   by default; sides 25 and 50), once with the full contact force and once with relaxation 0.99, which leaves a
   hundredth of it. Prints a table of bench/notes/contact.md. Exit status: 0 every intersection was reported, 1
   one was not or a call failed, 2 bad usage. */
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

/* -1 if no scene has this name. */
static int scene_of(const char *name) {
  int scene = SCENES - 1;
  while (scene >= 0 && strcmp(scenes[scene].name, name) != 0)
    scene--;
  return scene;
}

/* False if a name belongs to no scene. */
static bool names_are_known(const contact_request *request) {
  bool known = true;
  for (int n = 0; n < request->name_count; n++)
    known = known && scene_of(request->names[n]) >= 0;
  return known;
}

/* False if an intersection was not reported, or a step failed. */
static bool try_scene(int scene, double relaxation, int32_t side, int frames) {
  const contact_case c = {scenes[scene].name, scenes[scene].kind, side, side, 0, frames};
  contact_scene s;
  const msd_result result = contact_open(&s, &c, 0, true);
  const contact_trial t = contact_trial_of(&s, &c);
  if (result != MSD_OK)
    fprintf(stderr, "contact: %s: %s\n", c.name, s.world ? msd_world_message(s.world) : "no memory");
  const bool passed = result == MSD_OK && contact_trial_run(&t, relaxation, frames);
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

#define _POSIX_C_SOURCE 200809L
/* The programs of the documentation are those of this folder and agree with theory; its pictures are of scenes
   that ship. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* The whole of a small file; to be freed. */
static char *text_of(const char *path) {
  enum { MOST = 1 << 20 };
  char *text = calloc(MOST, 1);
  FILE *file = fopen(path, "r");
  cr_assert(file && text, "%s", path);
  cr_assert(fread(text, 1, MOST - 1, file) > 0, "%s", path);
  fclose(file);
  return text;
}

static void assert_shows(const char *document, const char *program) {
  char *words = text_of(document), *code = text_of(program);
  cr_assert(strstr(words, code) != NULL, "%s does not show %s as it is", document, program);
  free(words);
  free(code);
}

Test(documents, bending_shows_the_door) {
  assert_shows(DOCUMENTS "/explain/bending_area_volume.md", PROGRAMS "/door.c");
}

Test(documents, damped_springs_show_the_goal) {
  assert_shows(DOCUMENTS "/learn/damped_springs.md", PROGRAMS "/goal.c");
}

Test(documents, the_c_interface_shows_the_kinds) {
  assert_shows(DOCUMENTS "/reference/c_api.md", PROGRAMS "/kinds.c");
}

/* The door's angle alone is an oscillator of W = 2 pi 0.5/s at ratio 1, and one substep of symplectic Euler
   carries it through a frame: V' = V - dt (W^2 C + 2 W V), C' = C + dt V'. */
Test(documents, the_door_closes_as_a_critical_oscillator) {
  FILE *door = popen("'" DOOR "'", "r");
  cr_assert_not_null(door);
  double angle = 90, speed = 0;
  for (int frame = 0; frame <= 120; frame++) {
    double time = -1, printed = -1;
    if (frame % 30 == 0) {
      cr_assert_eq(fscanf(door, "%lf s: %lf degrees\n", &time, &printed), 2);
      cr_expect_float_eq(time, frame / 60.0, 0.006);
      cr_expect_float_eq(printed, angle, 0.1, "after %g s: %g and not %g degrees", time, printed, angle);
    }
    speed -= (PI * PI * angle + 2 * PI * speed) / 60;
    angle += speed / 60;
  }
  cr_assert_eq(pclose(door), 0);
}

/* A critical spring with y = 2 ln 2 over the half-life: x = 1 - (1 + y t) exp(-y t) from rest at 0. */
Test(documents, the_goal_is_neared_as_by_a_critical_spring) {
  FILE *goal = popen("'" GOAL "'", "r");
  cr_assert_not_null(goal);
  const double y = 2 * log(2) / 0.15;
  for (int frame = 1; frame <= 30; frame++) {
    double printed = -1;
    cr_assert_eq(fscanf(goal, "%lf", &printed), 1);
    cr_expect_float_eq(printed, 1 - (1 + y * frame / 60) * exp(-y * frame / 60), 0.00051);
  }
  cr_assert_eq(pclose(goal), 0);
}

/* The wheel: x = e^(-t) (cos W t + sin W t/W) with drag 2/s and W = sqrt((2 pi)^2 - 1) at t = 0.5 s. Of 400
   particles 398 are tied to two pins each. The soft pin carries the weight of 1000/6 kg, and the volume gives
   way a little to it. */
Test(documents, the_kinds_do_what_theory_says) {
  FILE *kinds = popen("'" KINDS "'", "r");
  cr_assert_not_null(kinds);
  double angle = 0, volume = 0, force = 0;
  int tethers = 0;
  cr_assert_eq(
      fscanf(kinds,
             "after half a second the wheel is at %lf rad %d tethers the volume is %lf m^3, of 1/6 the "
             "soft pin holds %lf N",
             &angle, &tethers, &volume, &force),
      4);
  cr_assert_eq(pclose(kinds), 0);
  const double w = sqrt(4 * PI * PI - 1);
  cr_expect_float_eq(angle, exp(-0.5) * (cos(w / 2) + sin(w / 2) / w), 0.005, "%g", angle);
  cr_expect_eq(tethers, 2 * 398);
  cr_expect_float_eq(volume, 1.0 / 6, 0.002, "%g", volume);
  cr_expect_float_eq(force, 1000 / 6.0 * 9.81, 5, "%g", force);
}

static bool is_file(const char *folder, const char *name, const char *ending) {
  char path[1024];
  snprintf(path, sizeof path, "%s%s%s", folder, name, ending);
  FILE *file = fopen(path, "r");
  if (file)
    fclose(file);
  return file;
}

/* Below each picture stands the run that it is from. */
Test(documents, the_gallery_has_a_picture_of_every_scene_that_it_names) {
  static const char run[] = "<code>msd run ";
  char *text = text_of(DOCUMENTS "/reference/scenes.md");
  int pictures = 0;
  for (char *at = text; (at = strstr(at, run)); pictures++) {
    at += sizeof run - 1;
    char name[64];
    cr_assert_eq(sscanf(at, "%63[a-z_0-9] --duration ", name), 1);
    cr_expect(is_file(DOCUMENTS "/../scenes/", name, ".json"), "%s", name);
    cr_expect(is_file(DOCUMENTS "/images/gallery/", name, ".jpg"), "%s", name);
  }
  cr_expect_geq(pictures, 20);
  free(text);
}

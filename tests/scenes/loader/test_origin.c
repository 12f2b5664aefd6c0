#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(origin, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* A point near a city in the metric coordinates of surveyors; its multiples of 1/64 m are exact. */
static const double CITY[3] = {445120, 37.5, 5400300};

/* The text with each "@x y z " as a point [x, y, z] moved by `by`. */
static char *placed(const char *text, const double by[3]) {
  char *out = malloc(8 * strlen(text) + 1000), *to = out;
  for (const char *from = text; *from != '\0';) {
    double x[3];
    int used = 0;
    if (*from == '@' && sscanf(from, "@%lf %lf %lf%n", &x[0], &x[1], &x[2], &used) == 3) {
      to += sprintf(to, "[%.17g, %.17g, %.17g]", x[0] + by[0], x[1] + by[1], x[2] + by[2]);
      from += used;
    } else
      *to++ = *from++;
  }
  *to = '\0';
  return out;
}

/* Every kind of body and collider, pins that are moved about a pivot, soft pins, and particles chosen by where
   they are. */
static const char ALL[] =
    "{ \"msd\": 1, \"origin\": @0 0 0, \"duration\": 1, \"bodies\": ["
    "{ \"type\": \"particles\", \"position\": [@0 3 0, @0.5 3 0], \"mass\": 1, \"pinned\": [0], \"springs\": "
    "[{ \"between\": [0, 1], \"stiffness\": 100 }] },"
    "{ \"type\": \"rope\", \"from\": @0 2 0, \"to\": @1 2 0, \"pinned\": [\"first\"] },"
    "{ \"type\": \"rope\", \"path\": [@0 2 1, @0.5 2 1, @0.5 2.5 1], \"particles\": 9, \"pinned\": [{ "
    "\"box\": { "
    "\"center\": @0 2 1, \"size\": [0.25, 0.25, 0.25] } }] },"
    "{ \"type\": \"cloth\", \"name\": \"c\", \"origin\": @2 2 0, \"columns\": 9, \"rows\": 9, \"pinned\": "
    "[\"top_left\"], \"soft_pins\": [{ \"particle\": \"top_right\", \"stiffness\": 50, \"position\": @3 2.25 "
    "0 }, "
    "{ \"particle\": \"bottom_left\", \"stiffness\": 5 }], \"collision\": {} },"
    "{ \"type\": \"block\", \"origin\": @4 1 0, \"size\": [0.5, 0.5, 0.5], \"cells\": [2, 2, 2] },"
    "{ \"type\": \"balloon\", \"sphere\": { \"radius\": 0.5, \"subdivisions\": 1 }, \"position\": @6 2 0 },"
    "{ \"type\": \"mesh\", \"file\": \"square.obj\", \"position\": @8 2 0, \"rotation\": [90, 0, 0], "
    "\"pinned\": "
    "[0] },"
    "{ \"type\": \"rotors\", \"angle\": [0, 0], \"position\": [@0 0 2, @1 0 2] } ],"
    "\"animation\": [{ \"particles\": [\"c\", \"top_left\"], \"pivot\": @2 1.5 0, \"keyframes\": [{ "
    "\"time\": 0 "
    "}, { \"time\": 1, \"offset\": [0, 0.5, 0], \"rotation\": [0, 90, 0] }] }],"
    "\"colliders\": [{ \"type\": \"plane\", \"position\": @0 0.5 0 },"
    "{ \"type\": \"sphere\", \"position\": @2.5 1 0, \"radius\": 0.25, \"keyframes\": [{ \"time\": 0 }, { "
    "\"time\": 1, \"position\": @2.5 1.5 0 }] },"
    "{ \"type\": \"box\", \"position\": @4.25 0.5 0.25, \"size\": [1, 0.25, 1], \"rotation\": [0, 0, 10] },"
    "{ \"type\": \"capsule\", \"from\": @5 1 0, \"to\": @7 1 0, \"radius\": 0.125 },"
    "{ \"type\": \"mesh\", \"file\": \"square.obj\", \"position\": @8 1 0 },"
    "{ \"type\": \"skeleton\", \"file\": \"man.bvh\", \"position\": @0 1.5 0, \"scale\": 0.01, \"radius\": "
    "0.125 "
    "}],"
    "\"contact\": { \"self_collision\": true } }";

static void write_files(void) {
  write_text("square.obj", "v 0 0 0\nv 0.5 0 0\nv 0.5 0.5 0\nv 0 0.5 0\nf 1 2 3\nf 1 3 4\n");
  write_text("man.bvh",
             "HIERARCHY\nROOT Hips { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition\nEnd Site { "
             "OFFSET 0 50 0 } }\nMOTION Frames: 2 Frame Time: 0.5\n0 0 0\n0 0 50\n");
}

static scene *load_placed(const char *text, const double by[3]) {
  char *file = placed(text, by);
  scene_error error;
  scene *s = load_text(file, &error);
  cr_assert(s != NULL, "%s", error.text);
  free(file);
  return s;
}

static const double HERE[3] = {0, 0, 0};

Test(origin, a_scene_far_away_with_its_origin_takes_the_steps_of_the_same_scene_at_0) {
  write_files();
  scene *here = load_placed(ALL, HERE), *there = load_placed(ALL, CITY);
  for (int c = 0; c < 3; c++)
    cr_expect(here->origin[c] == 0 && there->origin[c] == CITY[c]);
  for (int frame = 0; frame < 30; frame++) {
    cr_assert_eq(msd_world_hash(here->world), msd_world_hash(there->world), "after %d frames", frame);
    cr_assert_eq(scene_step(here, here->frame_time, here->substeps), MSD_OK, "%s",
                 msd_world_message(here->world));
    cr_assert_eq(scene_step(there, there->frame_time, there->substeps), MSD_OK);
  }
  for (int r = 0; r < 2; r++) {
    const msd_vec3 a = here->bodies[7].rotors.positions[r], b = there->bodies[7].rotors.positions[r];
    cr_expect(a.x == b.x && a.y == b.y && a.z == b.z);
  }
  scene_free(here);
  scene_free(there);
}

/* What a file leaves out is at 0, as without an origin. */
Test(origin, defaults_are_points_of_the_file_too) {
  static const char frame[] =
      "{ \"msd\": 1, \"origin\": [16, -32, 64], \"bodies\": [{ \"type\": \"cloth\" }, { "
      "\"type\": \"rope\" }, { \"type\": \"balloon\", \"sphere\": { \"subdivisions\": 0 } "
      "}], \"colliders\": [{ \"type\": \"plane\" }, { \"type\": \"sphere\" }] }";
  char plain[sizeof frame];
  strcpy(plain, frame);
  memcpy(strstr(plain, "[16, -32, 64]"), "[ 0,   0,  0]", 13);
  scene_error error;
  scene *moved = load_text(frame, &error), *as_it_is = load_text(plain, &error);
  cr_assert(moved && as_it_is, "%s", error.text);
  for (int32_t i = 0; i < msd_world_get_particle_count(moved->world); i++) {
    const msd_vec3 a = msd_particle_get_position(moved->world, i),
                   b = msd_particle_get_position(as_it_is->world, i);
    cr_assert(fabs((double)a.x + 16 - (double)b.x) < 1e-5 && fabs((double)a.y - 32 - (double)b.y) < 1e-5 &&
              fabs((double)a.z + 64 - (double)b.z) < 1e-5);
  }
  for (int32_t c = 0; c < 2; c++)
    cr_expect_eq(msd_collider_get_def(moved->world, c).position.y, 32);
  scene_free(moved);
  scene_free(as_it_is);
}

/* The vertices of the file are in the coordinates of surveyors. */
Test(origin, meshes_keep_their_place_in_the_survey) {
  char file[400] = "";
  for (int v = 0; v < 4; v++)
    sprintf(file + strlen(file), "v %.4f %.4f %.4f\n", CITY[0] + 0.1 * (v % 2), CITY[1],
            CITY[2] + 0.1 * (v / 2));
  strcat(file, "f 1 2 3\nf 2 4 3\n");
  write_text("plot.obj", file);
  scene *s = load_placed("{ \"msd\": 1, \"origin\": @0 0 0, \"bodies\": [{ \"type\": \"mesh\", \"file\": "
                         "\"plot.obj\" }] }",
                         CITY);
  for (int32_t v = 0; v < 4; v++) {
    const msd_vec3 at = msd_particle_get_position(s->world, v);
    cr_expect(fabs((double)at.x - 0.1 * (v % 2)) < 1e-6 && at.y == 0 &&
              fabs((double)at.z - 0.1 * (v / 2)) < 1e-6);
  }
  cr_expect_eq(s->warnings.count, 0);
  scene_free(s);
}

static const char CLOTH[] =
    "{ \"msd\": 1, %s \"bodies\": [{ \"type\": \"cloth\", \"columns\": 21, \"rows\": 21, "
    "\"origin\": [%g, 0, %g], \"pinned\": [\"top\"] %s }] }";

static scene *load_cloth(const char *settings, double far, const char *members, scene_error *error) {
  char text[1000];
  snprintf(text, sizeof text, CLOTH, settings, far, -far, members);
  return load_text(text, error);
}

/* 4096 m in float: 0.49 mm; springs of 50 mm. */
Test(origin, a_scene_too_far_from_0_is_warned_of_with_the_origin_that_helps) {
  scene_error error;
  scene *near = load_cloth("", 100, "", &error);
  cr_assert(near != NULL, "%s", error.text);
  cr_expect_eq(near->warnings.count, 0);
  scene_free(near);
  const double far = sizeof(msd_real) == sizeof(double) ? 4096.0 * (1 << 29) : 4096;
  scene *s = load_cloth("", far, "", &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_assert_eq(s->warnings.count, 1);
  const char *advice = strstr(s->warnings.lines[0], "\"origin\": [");
  cr_assert(advice != NULL, "%s", s->warnings.lines[0]);
  char settings[200];
  snprintf(settings, sizeof settings, "%.*s,", (int)(strchr(advice, ']') + 1 - advice), advice);
  scene_free(s);
  s = load_cloth(settings, far, "", &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_eq(s->warnings.count, 0, "%s", s->warnings.lines[0]);
  scene_free(s);
}

Test(origin, contact_too_far_from_0_is_refused_with_the_origin_that_helps) {
  const double far = sizeof(msd_real) == sizeof(double) ? 16384.0 * (1 << 29) : 16384;
  scene_error error;
  char text[1000];
  snprintf(text, sizeof text, CLOTH, "\"contact\": { \"self_collision\": true },", far, -far, "");
  write_text("far.json", text);
  cr_assert(scene_load("far.json", &error) == NULL);
  cr_expect(strstr(error.text, "too coarse for a thickness of 0.005 m: add \"origin\": [") != NULL, "%s",
            error.text);
}

Test(origin, an_origin_is_three_numbers) {
  static const bad_text cases[] = {
      {"\"origin\": 5", "origin", "three numbers"},
      {"\"origin\": [1, 2]", "origin", "three numbers"},
      {"\"origin\": [1, 2, \"x\"]", "origin[2]", "number"},
      {"\"origin\": [1, 2, 1e19]", "origin[2]", "number"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, %s, \"bodies\": [{ \"type\": \"rope\" }] }");
}

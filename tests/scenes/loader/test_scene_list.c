#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"
#include "tests/support/share.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void use_source_scenes(void) {
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  enter_scratch_folder();
}

TestSuite(scene_list, .init = use_source_scenes, .fini = leave_scratch_folder);

Test(scene_list, shows_the_scenes_that_ship_sorted_with_a_line_each) {
  static const char *const expected[] = {"chain_of_20",   "curtain",      "flag_pole",       "hammock",
                                         "hanging_cloth", "hanging_rope", "rope_bridge",     "skirt",
                                         "soft_block",    "stiff_net",    "two_body_spring", "web_demo_cloth",
                                         "wrecking_ball"};
  int count;
  scene_error error;
  scene_listing *list = scene_list(&count, &error);
  cr_assert(list != NULL, "%s", error.text);
  for (size_t e = 0; e < COUNT_OF(expected); e++) {
    bool found = false;
    for (int i = 0; i < count; i++)
      found |= strcmp(list[i].name, expected[e]) == 0;
    cr_expect(found, "%s is missing", expected[e]);
  }
  for (int i = 0; i < count; i++) {
    cr_expect(list[i].title[0] && list[i].description[0]);
    cr_expect(strlen(list[i].description) <= 100, "%s: the description is long", list[i].name);
    cr_expect(access(list[i].path, R_OK) == 0);
    cr_expect(i == 0 || strcmp(list[i - 1].name, list[i].name) < 0);
  }
  scene_list_free(list, count);
  scene_list_free(NULL, 0);
}

Test(scene_list, every_file_of_the_folder_is_listed) {
  int count;
  scene_error error;
  scene_listing *list = scene_list(&count, &error);
  cr_assert(list != NULL);
  FILE *files = popen("ls " MSD_TEST_SCENES "/*.json | wc -l", "r");
  int on_disk = 0;
  cr_assert(files != NULL && fscanf(files, "%d", &on_disk) == 1);
  pclose(files);
  cr_expect_eq(count, on_disk, "a scene without a title or description ships");
  scene_list_free(list, count);
}

Test(scene_list, every_scene_is_in_the_documents) {
  int count;
  scene_error error;
  scene_listing *list = scene_list(&count, &error);
  cr_assert(list != NULL);
  for (int i = 0; i < count; i++) {
    char search[300];
    snprintf(search, sizeof search,
             "grep -qE '^\\| `%s` \\||<b>%s</b>' " MSD_TEST_SCENES "/../docs/reference/scenes.md",
             list[i].name, list[i].name);
    cr_expect_eq(system(search), 0, "docs/reference/scenes.md does not list %s", list[i].name);
  }
  scene_list_free(list, count);
}

/* Each listed scene for 2 s, or half a second where bodies touch, as msd run would take it. A cloth that does
   not fall would look perfect in its figures, so the movement is checked beside the finite numbers. */
Test(scene_list, every_scene_runs_and_stays_whole) {
  int count;
  scene_error error;
  scene_listing *list = scene_list(&count, &error);
  cr_assert(list != NULL);
  for (int i = 0; i < count; i++) {
    scene *s = scene_load(list[i].name, &error);
    cr_assert(s != NULL, "%s", error.text);
    cr_expect_str_eq(s->name, list[i].name);
    cr_expect_str_eq(s->title, list[i].title);
    cr_assert_eq(msd_world_set_thread_count(s->world, 1), MSD_OK); /* tests run side by side */
    const double seconds = msd_world_get_collision_mesh_count(s->world) > 0 ? 0.5 : 2;
    uint64_t before = msd_world_hash(s->world);
    for (int frame = 0; frame < share_of((int)(seconds / s->frame_time)); frame++) {
      msd_result result = scene_step(s, s->frame_time, s->substeps);
      cr_assert_eq(result, MSD_OK, "%s: %s", list[i].name, msd_world_message(s->world));
    }
    msd_stats stats = msd_world_get_stats(s->world);
    cr_expect(isfinite(stats.kinetic_energy) && stats.max_speed < 100, "%s: %g m/s", list[i].name,
              stats.max_speed);
    cr_expect(stats.max_stretch < 0.5, "%s: stretched by %g", list[i].name, stats.max_stretch);
    cr_expect_neq(msd_world_hash(s->world), before, "%s does not move", list[i].name);
    scene_free(s);
  }
  scene_list_free(list, count);
}

Test(scene_list, a_name_that_does_not_ship_gets_the_nearest_that_does) {
  scene_error error;
  cr_expect(scene_load("curtian", &error) == NULL);
  cr_expect_str_eq(
      error.text,
      "no such scene or file: \"curtian\"; did you mean \"curtain\"? 'msd list' shows the built-in scenes");
  cr_expect(scene_load("", &error) == NULL);
  cr_expect(strstr(error.text, "'msd list' shows") != NULL, "%s", error.text);
}

Test(scene_list, a_file_without_the_usual_ending_is_a_scene_too) {
  write_text("plain", "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ] }");
  scene_error error;
  scene *s = scene_load("plain", &error);
  cr_assert(s != NULL, "%s", error.text);
  cr_expect_str_eq(s->name, "plain");
  scene_free(s);
}

Test(scene_list, a_folder_of_ones_own_shows_what_has_a_title_and_a_line) {
  write_text("good.json", "{ \"title\": \"T\", \"description\": \"D\" }");
  write_text("silent.json", "{ \"title\": \"T\" }");
  write_text("broken.json", "{ \"title\": ");
  write_text("numbers.json", "{ \"title\": 1, \"description\": 2 }");
  write_text("list.json", "[1]");
  write_text("other.txt", "text");
  setenv("MSD_SCENES", ".", 1);
  int count;
  scene_error error;
  scene_listing *list = scene_list(&count, &error);
  cr_assert(list != NULL, "%s", error.text);
  cr_assert_eq(count, 1);
  cr_expect_str_eq(list[0].name, "good");
  cr_expect_str_eq(list[0].path, "./good.json");
  cr_expect_str_eq(list[0].title, "T");
  cr_expect_str_eq(list[0].description, "D");
  scene_list_free(list, count);
}

Test(scene_list, a_folder_that_is_not_there_is_refused_with_a_remedy) {
  setenv("MSD_SCENES", "/nowhere at all", 1);
  int count = 5;
  scene_error error;
  cr_expect(scene_list(&count, &error) == NULL);
  cr_expect_eq(count, 0);
  cr_expect_str_eq(
      error.text, "/nowhere at all: No such file or directory; MSD_SCENES must name a folder of scene files");
  cr_expect(scene_load("curtain", &error) == NULL);
  cr_expect(strstr(error.text, "MSD_SCENES must name a folder") != NULL);
}

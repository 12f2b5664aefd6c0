#include "scenes/skeletons/bvh_file.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(bvh_file, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define SKELETON                                                                                             \
  "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 1.5 -2\n  CHANNELS 6 Xposition Yposition Zposition Zrotation "        \
  "Xrotation Yrotation\n  JOINT Left Leg\n  {\n    OFFSET 3 -4 0\n    CHANNELS 2 Xrotation Yrotation\n"      \
  "    End Site\n    {\n      OFFSET 0 -5 0\n    }\n  }\n  JOINT Spine {\n    OFFSET 0 6 0 CHANNELS 0\n"     \
  "    End Site { OFFSET 0 1 0 } }\n}\n"
#define MOTION "MOTION\nFrames: 2\nFrame Time: 0.025\n1 2 3 4 5 6 7 8\n-1 -2 -3 -4 -5 -6 -7 -8e1\n"

static bvh_data read(const char *text) {
  write_text("walk.bvh", text);
  bvh_data data;
  scene_error error;
  cr_assert(bvh_file_read("walk.bvh", &data, &error), "%s", error.text);
  return data;
}

static bool is_joint(const bvh_joint *j, const char *name, int32_t parent, double x, double y, double z) {
  return (name ? j->name && strcmp(j->name, name) == 0 : !j->name) && j->parent == parent &&
         j->offset[0] == x && j->offset[1] == y && j->offset[2] == z;
}

Test(bvh_file, joints_are_in_the_order_of_the_file_with_their_parents) {
  bvh_data d = read(SKELETON MOTION);
  cr_assert_eq(d.joint_count, 5);
  cr_expect(is_joint(&d.joints[0], "Hips", -1, 0, 1.5, -2));
  cr_expect(is_joint(&d.joints[1], "Left Leg", 0, 3, -4, 0), "a name may have blanks");
  cr_expect(is_joint(&d.joints[2], NULL, 1, 0, -5, 0));
  cr_expect(is_joint(&d.joints[3], "Spine", 0, 0, 6, 0));
  cr_expect(is_joint(&d.joints[4], NULL, 3, 0, 1, 0));
  bvh_data_free(&d);
}

Test(bvh_file, channels_keep_their_order_and_know_their_numbers) {
  bvh_data d = read(SKELETON MOTION);
  static const bvh_channel root[] = {BVH_X_POSITION, BVH_Y_POSITION, BVH_Z_POSITION,
                                     BVH_Z_ROTATION, BVH_X_ROTATION, BVH_Y_ROTATION};
  cr_assert(d.joints[0].channel_count == 6 && d.joints[1].channel_count == 2 && d.channel_count == 8);
  for (int c = 0; c < 6; c++)
    cr_expect_eq(d.joints[0].channels[c], root[c]);
  cr_expect(d.joints[1].first_channel == 6 && d.joints[1].channels[1] == BVH_Y_ROTATION);
  cr_expect(d.joints[2].channel_count == 0 && d.joints[3].channel_count == 0);
  bvh_data_free(&d);
}

Test(bvh_file, frames_have_a_number_for_each_channel) {
  bvh_data d = read(SKELETON MOTION);
  cr_assert(d.frame_count == 2 && d.frame_time == 0.025);
  for (int c = 0; c < 7; c++)
    cr_expect(d.numbers[c] == c + 1 && d.numbers[8 + c] == -c - 1);
  cr_expect_eq(d.numbers[15], -80);
  bvh_data_free(&d);
}

/* As editors on other systems write them, and with lines broken anywhere. */
Test(bvh_file, lines_and_letters_may_be_of_other_kinds) {
  bvh_data plain = read(SKELETON MOTION);
  bvh_data d =
      read("\xef\xbb\xbfhierarchy\r\nroot Hips \r\n{\r\noffset 0 1.5\r\n-2 channels 1 XPOSITION }\r\n"
           "motion\r\nframes: 3\r\nframe time: 1\r\n7\r\n8 9");
  cr_expect(is_joint(&d.joints[0], "Hips", -1, 0, 1.5, -2));
  cr_expect(d.frame_count == 3 && d.numbers[2] == 9 && d.joint_count == 1);
  cr_expect_neq(d.checksum, plain.checksum);
  bvh_data again = read(SKELETON MOTION);
  cr_expect_eq(again.checksum, plain.checksum);
  bvh_data_free(&plain);
  bvh_data_free(&again);
  bvh_data_free(&d);
}

#define JOINT "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"

Test(bvh_file, what_is_wrong_is_named_with_its_line) {
  static const bad_text cases[] = {
      {"", "walk.bvh:1: ends where \"HIERARCHY\"", "complete the file"},
      {"o cube\nv 1 2 3\n", "walk.bvh:1: \"o\" is given where \"HIERARCHY\"", "is expected"},
      {"HIERARCHY\nJOINT a\n", "walk.bvh:2: \"JOINT\" is given where \"ROOT\"", "is expected"},
      {"HIERARCHY\nROOT\n{\n", "walk.bvh:2: a joint needs", "a name"},
      {"HIERARCHY\nROOT a\nOFFSET 0 0 0\n", "walk.bvh:3: \"OFFSET\" is given where \"{\"", "is expected"},
      {"HIERARCHY\nROOT a\n{\nCHANNELS 0\n", "walk.bvh:4: \"CHANNELS\" is given where \"OFFSET\"",
       "is expected"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 zero 0\n", "walk.bvh:4: \"zero\" is given where", "three lengths"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 nan 0\n", "walk.bvh:4: \"nan\" is given where", "three lengths"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 1e19 0\n", "walk.bvh:4: \"1e19\" is given where", "three lengths"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 7\n", "walk.bvh:5: 7 is given where",
       "the number of channels, 0 to 6"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1.5\n", "walk.bvh:5: 1.5 is given where",
       "the number of channels"},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Wrotation\n",
       "walk.bvh:5: \"Wrotation\" is given where", "\"Xrotation\" to \"Zrotation\""},
      {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Xrotation\n",
       "walk.bvh:5: the channel \"Xrotation\" occurs twice", "at most once"},
      {JOINT "LEG b\n", "walk.bvh:6: \"LEG\" is given where", "\"JOINT\", \"End Site\" or \"}\""},
      {JOINT "End Point\n", "walk.bvh:6: \"Point\" is given where \"Site\"", "is expected"},
      {JOINT "JOINT a\n{\n", "walk.bvh:6: a second joint has the name \"a\"", "one of its own"},
      {JOINT "End Site\n{\nOFFSET 0 0 0\nCHANNELS", "walk.bvh:9: \"CHANNELS\" is given where \"}\"",
       "is expected"},
      {JOINT "", "walk.bvh:6: ends where \"JOINT\"", "complete the file"},
      {JOINT "}\nROOT b\n", "walk.bvh:7: \"ROOT\" is given where \"MOTION\"", "one skeleton"},
      {JOINT "}\nMOTION\nFrames: 0\n", "walk.bvh:8: 0 is given where", "the number of frames, 1 or more"},
      {JOINT "}\nMOTION\nFrames: 100000000\n", "walk.bvh:8: announces 100000000 frames of 1", "correct it"},
      {JOINT "}\nMOTION\nFrames: 1\nFrame Time: 0\n", "walk.bvh:9: 0 is given where", "above 0"},
      {JOINT "}\nMOTION\nFrames: 2\nFrame Time: 1\n3\n", "walk.bvh:11: ends where number 1 of 1 of frame 2",
       "complete the file"},
      {JOINT "}\nMOTION\nFrames: 2\nFrame Time: 1\n3\nx\n", "walk.bvh:11: \"x\" is given where number 1 of 1",
       "of frame 2 of 2"},
      {JOINT "}\nMOTION\nFrames: 1\nFrame Time: 1\n3\n4\n", "walk.bvh:11: \"4\" is given where",
       "after its last frame"},
  };
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    write_text("walk.bvh", cases[c].text);
    bvh_data data;
    scene_error error = {""};
    cr_assert_not(bvh_file_read("walk.bvh", &data, &error), "%s", cases[c].text);
    cr_expect(strstr(error.text, cases[c].place) && strstr(error.text, cases[c].remedy), "%s: %s",
              cases[c].place, error.text);
    cr_expect(data.joints == NULL && data.numbers == NULL && data.joint_count == 0);
  }
}

Test(bvh_file, a_file_that_is_missing_or_no_text_is_refused) {
  bvh_data data;
  scene_error error;
  cr_expect_not(bvh_file_read("none.bvh", &data, &error));
  cr_expect(strstr(error.text, "none.bvh"), "%s", error.text);
  write_file("walk.bvh", "HIERARCHY\0", 10);
  cr_expect_not(bvh_file_read("walk.bvh", &data, &error));
}

Test(bvh_file, more_joints_than_a_skeleton_may_have_are_refused) {
  static char text[200000];
  char *at = text + sprintf(text, "HIERARCHY\nROOT a {\nOFFSET 0 0 0 CHANNELS 0\n");
  for (int j = 0; j < BVH_JOINTS_MAX; j++)
    at += sprintf(at, "JOINT j%d { OFFSET 0 1 0 CHANNELS 0\n", j);
  write_text("walk.bvh", text);
  bvh_data data;
  scene_error error;
  cr_expect_not(bvh_file_read("walk.bvh", &data, &error));
  cr_expect(strstr(error.text, "walk.bvh:1003: has more than 1000 joints"), "%s", error.text);
}

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(scene_describe, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Particles: rope 0-4, cloth 5-16, block 17-24, mesh 25-27, points 28-29. */
static scene *load_zoo(void) {
  write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  scene_error error;
  scene *s = load_text("{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", \"name\": \"r\", \"particles\": 5, "
                       "\"bend\": { \"stiffness\": 1 } }, "
                       "{ \"type\": \"cloth\", \"name\": \"curtain\", \"columns\": 4, \"rows\": 3, "
                       "\"shear\": { \"stiffness\": 1 } }, { \"type\": "
                       "\"block\" }, { \"type\": \"mesh\", \"name\": \"m\", \"file\": \"m.obj\" }, { "
                       "\"type\": \"particles\", \"name\": \"p\", "
                       "\"position\": [[0,0,0],[1,0,0]], \"springs\": [ { \"between\": [0, 1] } ] } ], "
                       "\"connections\": [ { \"between\": [\"r\", 4, "
                       "\"curtain\", 6] } ] }",
                       &error);
  cr_assert(s != NULL, "%s", error.text);
  return s;
}

Test(scene_describe, particles_are_named_by_their_place_in_their_body) {
  scene *s = load_zoo();
  static const struct {
    int32_t particle;
    const char *text;
  } cases[] = {{4, "rope \"r\" particle 4"},
               {5, "cloth \"curtain\" row 0 column 0"},
               {5 + 2 * 4 + 3, "cloth \"curtain\" row 2 column 3"},
               {17 + 5, "block \"block 3\" point (1, 0, 1)"},
               {26, "mesh \"m\" vertex 1"},
               {29, "particles \"p\" particle 1"},
               {30, "particle 30, which does not exist"},
               {-1, "particle -1, which does not exist"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char text[128];
    scene_describe_particle(s, cases[i].particle, text, sizeof text);
    cr_expect_str_eq(text, cases[i].text);
  }
  scene_free(s);
}

/* The springs of a body are found by their ends. */
static int32_t spring_between(const scene *s, int32_t a, int32_t b) {
  for (int32_t i = 0; i < msd_world_get_spring_count(s->world); i++) {
    msd_spring_def def = msd_spring_get_def(s->world, i);
    if ((def.a == a && def.b == b) || (def.a == b && def.b == a))
      return i;
  }
  return -1;
}

Test(scene_describe, springs_are_named_by_their_kind_and_ends) {
  scene *s = load_zoo();
  static const struct {
    int32_t a, b;
    const char *text;
  } cases[] = {{1, 2, "rope \"r\" stretch spring, particle 1 to particle 2"},
               {1, 3, "rope \"r\" bend spring, particle 1 to particle 3"},
               {5, 6, "cloth \"curtain\" stretch spring, row 0 column 0 to row 0 column 1"},
               {6, 11, "cloth \"curtain\" shear spring, row 0 column 1 to row 1 column 2"},
               {25, 26, "mesh \"m\" stretch spring, vertex 0 to vertex 1"},
               {28, 29, "particles \"p\" spring, particle 0 to particle 1"},
               {4, 11, "joint, rope \"r\" particle 4 to cloth \"curtain\" row 1 column 2"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char text[128];
    scene_describe_spring(s, spring_between(s, cases[i].a, cases[i].b), text, sizeof text);
    cr_expect_str_eq(text, cases[i].text);
  }
  char text[128];
  scene_describe_spring(s, -1, text, sizeof text);
  cr_expect_str_eq(text, "spring -1, which does not exist");
  scene_free(s);
}

Test(scene_describe, texts_are_cut_to_the_room_they_get) {
  scene *s = load_zoo();
  char text[10];
  memset(text, 'x', sizeof text);
  scene_describe_particle(s, 5, text, 8);
  cr_expect_str_eq(text, "cloth \"");
  cr_expect_eq(text[8], 'x');
  scene_describe_spring(s, 0, text, 1);
  cr_expect_str_eq(text, "");
  scene_free(s);
}

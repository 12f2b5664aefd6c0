/* The key "mass_redistribution" of meshes. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A sheet of 9 x 9 vertices 1 m apart, of which one lies 1 mm from its neighbor: two of the triangles between
   them are needles, and another vertex in the middle of a needle is light. */
static void enter_with_sheet(void) {
  enum { SIDE = 9, TEXT = 40000 };
  static char text[TEXT];
  char *at = text;
  enter_scratch_folder();
  for (int i = 0; i < SIDE * SIDE; i++)
    at += snprintf(at, TEXT / 2, "v %d %d 0\n", i % SIDE, i / SIDE);
  at += snprintf(at, TEXT / 2, "v 0.001 0.001 0\n"); /* a vertex in the first triangle, which it splits */
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    const int a = i / (SIDE - 1) * SIDE + i % (SIDE - 1) + 1;
    if (i == 0)
      at += snprintf(at, TEXT / 2, "f 1 2 %d\nf 2 %d %d\nf %d 1 %d\n", SIDE * SIDE + 1, a + SIDE,
                     SIDE * SIDE + 1, a + SIDE, SIDE * SIDE + 1);
    else
      at += snprintf(at, TEXT / 2, "f %d %d %d\n", a, a + 1, a + SIDE);
    at += snprintf(at, TEXT / 2, "f %d %d %d\n", a + SIDE, a + 1, a + SIDE + 1);
  }
  write_text("sheet.obj", text);
  write_text("tet.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 0.01 0.01 0.01\n");
  write_text("tet.ele", "4 4 0\n0 0 1 2 4\n1 0 1 3 4\n2 0 2 3 4\n3 1 2 3 4\n");
}

TestSuite(mass_redistribution_reader, .init = enter_with_sheet, .fini = leave_scratch_folder);

#define SHEET(more)                                                                                          \
  "{ \"type\": \"mesh\", \"file\": \"sheet.obj\", \"pinned\": [\"last\"], \"stretch\": { \"stiffness\": "    \
  "1e4 "                                                                                                     \
  "}" more " }"

static int32_t substeps_of(const scene *s) {
  int32_t substeps;
  cr_assert_eq(msd_world_find_substeps(s->world, (msd_real)s->frame_time, &substeps), MSD_OK);
  return substeps;
}

Test(mass_redistribution_reader, a_mesh_takes_fewer_substeps_and_weighs_the_same) {
  scene *plain = load_bodies(SHEET(""));
  scene *shifted = load_bodies(SHEET(", \"mass_redistribution\": 0.01"));
  cr_expect_not(plain->has_mass_redistribution);
  cr_expect(shifted->has_mass_redistribution);
  cr_expect_eq(shifted->mass_redistribution.substeps_before, substeps_of(plain));
  cr_expect_eq(shifted->mass_redistribution.substeps_after, substeps_of(shifted));
  cr_expect_lt(2 * substeps_of(shifted), substeps_of(plain), "%d to %d", (int)substeps_of(plain),
               (int)substeps_of(shifted));
  const double before = msd_world_get_stats(plain->world).total_mass;
  cr_expect_float_eq(msd_world_get_stats(shifted->world).total_mass / before, 1, 1e-6);
  const int32_t pin = shifted->bodies[0].particles.count - 1;
  cr_assert(msd_particle_is_pinned(shifted->world, pin));
  cr_expect_eq(msd_particle_get_mass(shifted->world, pin), msd_particle_get_mass(plain->world, pin));
  scene_free(shifted);
  scene_free(plain);
}

/* Joints act on the vertices of a mesh as its own springs do. */
Test(mass_redistribution_reader, what_joins_bodies_is_taken_into_account) {
  static const char frame[] =
      "{\"msd\": 1, \"bodies\": [ %s, { \"type\": \"particles\", \"name\": \"p\", \"position\": [[0, 0, 1]], "
      "\"mass\": 100 } ], \"connections\": [ { \"between\": [\"mesh 1\", 40, \"p\", 0], \"stiffness\": 1e6 } "
      "] }";
  scene *s = load_framed(frame, SHEET(", \"mass_redistribution\": 0.02"));
  cr_expect_eq(s->mass_redistribution.substeps_after, substeps_of(s));
  cr_expect_lt(s->mass_redistribution.substeps_after, s->mass_redistribution.substeps_before);
  cr_expect_gt(msd_particle_get_mass(s->world, 40), 1.01, "1 m^2 of 1 kg/m^2 belongs to each inner vertex");
  cr_expect_eq(msd_particle_get_mass(s->world, s->bodies[1].particles.first), 100);
  scene_free(s);
}

Test(mass_redistribution_reader, tetmeshes_have_it_too) {
  scene *s = load_bodies("{ \"type\": \"tetmesh\", \"file\": \"tet.node\", \"density\": 1000, \"stretch\": { "
                         "\"stiffness\": 1e5 }, \"mass_redistribution\": 0.1 }");
  cr_expect_eq(s->mass_redistribution.particles, 5);
  cr_expect_eq(s->mass_redistribution.substeps_after, substeps_of(s));
  scene_free(s);
}

Test(mass_redistribution_reader, none_is_moved_unless_it_is_asked_for) {
  scene *s = load_bodies(SHEET(", \"mass_redistribution\": 0"));
  cr_expect_not(s->has_mass_redistribution);
  cr_expect_eq(s->bodies[0].mass_redistribution, 0);
  scene_free(s);
}

Test(mass_redistribution_reader, a_material_moves_a_thousandth_unless_it_is_told_not_to) {
#define FABRIC "{ \"type\": \"mesh\", \"file\": \"sheet.obj\", \"material\": \"cotton\""
  scene *s = load_bodies(FABRIC " }, " FABRIC ", \"mass_redistribution\": 0 }");
  cr_expect_eq(s->bodies[0].mass_redistribution, 0.001);
  cr_expect_eq(s->bodies[1].mass_redistribution, 0);
  cr_expect(s->has_mass_redistribution);
  cr_expect_eq(s->mass_redistribution.particles, s->bodies[0].particles.count);
  scene_free(s);
}

Test(mass_redistribution_reader, parts_that_are_none_are_refused) {
  static const bad_text cases[] = {
      {"-0.1", "bodies[0].mass_redistribution", "from 0 to 1"},
      {"1.5", "bodies[0].mass_redistribution", "from 0 to 1"},
      {"\"0.1 %\"", "bodies[0].mass_redistribution", "from 0 to 1"},
  };
  expect_refused(cases, COUNT_OF(cases),
                 "{\"msd\": 1, \"bodies\": [ { \"type\": \"mesh\", \"file\": \"sheet.obj\", "
                 "\"mass_redistribution\": %s } ] }");
}

#define _POSIX_C_SOURCE 200809L
#include "scenes/meshes/mesh_data.h"

#include "tests/support/mesh_text.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

TestSuite(mesh_data, .init = enter_scratch_folder, .fini = leave_scratch_folder);

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static void expect_flaw(const char *text, const char *flaw) {
  scene_error error = {{0}};
  mesh_data mesh = read_mesh("m.obj", text);
  cr_expect_eq(mesh_data_check_closed(&mesh, "let it be", &error), flaw == NULL, "%s", error.text);
  if (flaw)
    cr_expect_str_eq(error.text, flaw);
  mesh_data_free(&mesh);
}

Test(mesh_data, a_closed_mesh_whose_faces_go_round_the_same_way_is_one) {
  expect_flaw(TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", NULL);
}

Test(mesh_data, a_flaw_is_told_with_its_face_and_a_remedy) {
  expect_flaw(
      TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 2 3 4\n",
      "m.obj:5: the edge of this face from 0 0 0 to 0 1 0 has no face beyond it, one of 3 such edges; with "
      "pressure a mesh must be closed: fill the holes, or let it be");
  expect_flaw(
      TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 4 1\n",
      "m.obj:5: the edge of this face from 0 0 0 to 0 1 0 has two faces that go round different ways, one of "
      "3 such edges; with pressure a mesh must be closed: recalculate the normals, or let it be");
  expect_flaw(
      TETRAHEDRON
      "v 1 1 1\nv 2 2 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 2 5\nf 1 5 6\nf 5 2 6\nf 2 1 6\n",
      "m.obj:7: the edge of this face from 0 0 0 to 1 0 0 is shared by more than two faces, one of 1 such "
      "edges; with pressure a mesh must be closed: delete faces inside the mesh, or let it be");
}

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(rope_path, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* 3 m along x and 4 m down, with a point in the way that is there twice: 8 particles are 1 m apart. */
Test(rope_path, particles_lie_evenly_along_it_and_are_as_far_apart_at_rest) {
  scene *s =
      load_bodies("{ \"type\": \"rope\", \"path\": [[0, 9, 0], [2, 9, 0], [2, 9, 0], [3, 9, 0], [3, 5, 0]], "
                  "\"particles\": 8 }");
  for (int32_t i = 0; i < 8; i++) {
    const msd_vec3 at = msd_particle_get_position(s->world, i);
    const double x = fmin(i, 3), y = 9 - fmax(i - 3, 0);
    cr_expect(fabs((double)at.x - x) < 1e-6 && fabs((double)at.y - y) < 1e-6 && at.z == 0, "%d: %g %g", i,
              (double)at.x, (double)at.y);
  }
  for (int32_t e = 0; e < 7; e++)
    cr_expect_float_eq((double)msd_spring_get_def(s->world, s->bodies[0].springs.first + e).rest_length, 1,
                       1e-6);
  scene_free(s);
}

Test(rope_path, what_is_wrong_is_named_with_its_place) {
  static const bad_text cases[] = {
      {"\"path\": 1", "bodies[0].path: is 1", "a list of two or more points"},
      {"\"path\": [[0, 0, 0]]", "bodies[0].path: has 1 points", "two or more"},
      {"\"path\": [[0, 0, 0], [0, 0]]", "bodies[0].path[1]", "three numbers"},
      {"\"path\": [[0, 0, 0], [0, 0, 0]]", "bodies[0].path: ends where it begins", "give it a length"},
      {"\"path\": [[0, 0, 0], [0, 0, 1]], \"to\": [0, 1, 0]",
       "bodies[0].to: cannot be combined with \"path\"", "give one of them"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\", %s } ] }");
}

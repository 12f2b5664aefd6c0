/* Which triangles are at each vertex. */
#include "scenes/meshes/vertex_stars.h"

#include <criterion/criterion.h>

Test(vertex_stars, of_a_strip_are_its_triangles_in_their_order) {
  static const int32_t triangles[] = {0, 1, 2, 2, 1, 3, 2, 3, 4};
  static const int32_t expected[] = {0, 0, 1, 0, 1, 2, 1, 2, 2}, first[] = {0, 1, 3, 6, 8, 9, 9};
  vertex_stars stars;
  cr_assert(vertex_stars_make(triangles, 3, 6, &stars));
  for (int v = 0; v <= 6; v++)
    cr_expect_eq(stars.first[v], first[v], "vertex %d", v);
  for (int t = 0; t < 9; t++)
    cr_expect_eq(stars.triangles[t], expected[t]);
  cr_expect_eq(stars.most, 3);
  vertex_stars_free(&stars);
}

#include "scenes/meshes/corner_set.h"

#include <criterion/criterion.h>
#include <string.h>

Test(corner_set, a_face_is_told_by_its_corners_in_any_order) {
  corner_set *set = corner_set_make(10, 40);
  cr_assert(set != NULL);
  cr_expect(corner_set_add(set, (const int32_t[]){5, 1, 3}, 3));
  cr_expect(!corner_set_add(set, (const int32_t[]){3, 5, 1}, 3));
  cr_expect(corner_set_has(set, (const int32_t[]){1, 3, 5}, 3));
  cr_expect(!corner_set_has(set, (const int32_t[]){1, 3, 6}, 3));
  cr_expect(corner_set_add(set, (const int32_t[]){1, 3, 5, 7}, 4), "of another number of corners");
  cr_expect(!corner_set_has(set, (const int32_t[]){1, 3}, 2));
  corner_set_free(set);
}

/* All triples of 0 to 29: twice each, found the second time. */
Test(corner_set, thousands_of_faces_stay_apart) {
  enum { VERTICES = 30, FACES = 4060 };
  corner_set *set = corner_set_make(FACES, (size_t)3 * (FACES + 1));
  cr_assert(set != NULL);
  for (int pass = 0; pass < 2; pass++) {
    int added = 0;
    for (int32_t a = 0; a < VERTICES; a++)
      for (int32_t b = a + 1; b < VERTICES; b++)
        for (int32_t c = b + 1; c < VERTICES; c++)
          added += corner_set_add(set, (const int32_t[]){c, a, b}, 3);
    cr_expect_eq(added, pass == 0 ? FACES : 0);
  }
  corner_set_free(set);
}

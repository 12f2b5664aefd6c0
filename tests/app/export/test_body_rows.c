/* What follows from a body are the triangles that its builder tells, and the lines and points that are left. */
#include "app/export/body_rows.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(body_rows, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static const int32_t *column_of(const export_shape *shape, export_column column) {
  return column == EXPORT_TRIANGLES ? shape->triangles[0]
         : column == EXPORT_LINES   ? shape->lines[0]
                                    : shape->points;
}

static msd_range group_rows(const export_group *group, export_column column) {
  return column == EXPORT_TRIANGLES ? group->triangles
         : column == EXPORT_LINES   ? group->lines
                                    : group->points;
}

/* All rows from each of them on, so many at a time. */
static void assert_column(const body_rows *b, const export_shape *shape, int body, export_column column) {
  const msd_range rows = group_rows(&shape->groups[body], column);
  const size_t corners = (size_t)export_corners(column);
  cr_assert_eq(b->counts[column], rows.count, "body %d, column %d: %d rows", body, (int)column,
               (int)b->counts[column]);
  for (int32_t from = 0; from < rows.count; from += 1 + from / 3) {
    const int32_t count = rows.count - from < 50 ? rows.count - from : 50;
    int32_t found[50 * 3];
    body_rows_put(b, column, (msd_range){from, count}, found);
    const int32_t *wanted = column_of(shape, column) + corners * (size_t)(rows.first + from);
    for (size_t n = 0; n < corners * (size_t)count; n++)
      cr_assert_eq(found[n], wanted[n], "body %d, column %d, number %d from row %d", body, (int)column,
                   (int)n, (int)from);
  }
}

static void assert_rows(const char *bodies) {
  scene *s = load_bodies(bodies);
  export_shape shape;
  cr_assert(export_shape_make(s, true, &shape));
  int32_t first = 0;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    bool has_lines = false;
    for (int g = 0; g < body->group_count; g++)
      has_lines = has_lines || export_shows(&body->groups[g]);
    const body_rows rows = body_rows_of(body, first, has_lines);
    for (int column = EXPORT_TRIANGLES; column <= EXPORT_LOOSE_POINTS; column++)
      assert_column(&rows, &shape, b, (export_column)column);
    first += body->particles.count;
  }
  export_shape_free(&shape);
  scene_free(s);
}

Test(body_rows, cloths_have_the_triangles_of_their_builder) {
  assert_rows("{ \"type\": \"cloth\", \"columns\": 7, \"rows\": 5 }, "
              "{ \"type\": \"cloth\", \"columns\": 2, \"rows\": 9 }, "
              "{ \"type\": \"cloth\", \"columns\": 11, \"rows\": 2 }");
}

Test(body_rows, blocks_have_their_sides_and_the_points_inside) {
  assert_rows("{ \"type\": \"block\", \"cells\": [3, 5, 4] }, "
              "{ \"type\": \"block\", \"cells\": [1, 1, 1] }, "
              "{ \"type\": \"block\", \"cells\": [2, 1, 6] }, "
              "{ \"type\": \"block\", \"cells\": [4, 2, 2] }");
}

/* Bend springs alone are no shape. */
Test(body_rows, what_has_no_triangles_is_lines_or_loose) {
  assert_rows("{ \"type\": \"rope\", \"particles\": 9, \"stretch\": { \"stiffness\": 1 } }, "
              "{ \"type\": \"rope\", \"particles\": 7, \"bend\": { \"stiffness\": 1 } }, "
              "{ \"type\": \"cloth\", \"columns\": 1, \"rows\": 9, \"stretch\": { \"stiffness\": 1 } }, "
              "{ \"type\": \"cloth\", \"columns\": 8, \"rows\": 1, \"shear\": { \"stiffness\": 1 } }");
}

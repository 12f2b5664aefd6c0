/* The substeps that damping and bending cost. */
#include "app/report/step_parts.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(step_parts, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static step_parts parts_of(const char *body) {
  scene *s = load_bodies(body);
  const step_parts parts = step_parts_find(s);
  scene_free(s);
  return parts;
}

static char *printed(const step_parts *parts) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  cr_assert_not_null(stream);
  step_parts_print(parts, stream);
  fclose(stream);
  return text;
}

Test(step_parts, costs_nothing_where_there_is_neither) {
  const step_parts parts =
      parts_of("{ \"type\": \"rope\", \"particles\": 9, \"stretch\": { \"stiffness\": 1e6 } }");
  cr_expect(parts.all > 10 && parts.undamped == parts.all && parts.unbent == parts.all);
  cr_expect(!parts.is_damped && !parts.is_bent);
  char *text = printed(&parts);
  cr_expect_str_empty(text);
  free(text);
}

Test(step_parts, prints_a_damping_that_limits_with_a_ratio_that_costs_less) {
  const step_parts parts =
      parts_of("{ \"type\": \"rope\", \"particles\": 9, \"pinned\": [\"first\"], \"mass\": "
               "0.01, \"stretch\": { \"stiffness\": 1000, \"damping\": 10 } }");
  cr_assert(parts.is_damped && parts.undamped > 0 && parts.all > 3 * parts.undamped);
  char *text = printed(&parts);
  cr_expect(strstr(text, "damping costs ") && strstr(text, "\"damping_ratio\" of 0.05"), "%s", text);
  free(text);
}

Test(step_parts, prints_hinges_that_limit) {
  const step_parts parts =
      parts_of("{ \"type\": \"cloth\", \"columns\": 9, \"rows\": 9, \"material\": { "
               "\"area_density\": 0.1, \"stretch_modulus\": 100, \"bend_rigidity\": 10 } }");
  cr_assert(parts.is_damped && parts.is_bent && parts.all > 3 * parts.unbent);
  char *text = printed(&parts);
  cr_expect(strstr(text, "bending costs ") && !strstr(text, "limits the substep"), "%s", text);
  free(text);
}

/* What of the substeps damping and bending take. */
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

Test(step_parts, nothing_is_taken_where_there_is_neither) {
  const step_parts parts =
      parts_of("{ \"kind\": \"rope\", \"particles\": 9, \"stretch\": { \"stiffness\": 1e6 } }");
  cr_expect(parts.all > 10 && parts.undamped == parts.all && parts.unbent == parts.all);
  cr_expect(!parts.is_damped && !parts.is_bent);
  char *text = printed(&parts);
  cr_expect_str_empty(text);
  free(text);
}

Test(step_parts, a_damping_that_limits_is_told_with_what_a_ratio_would_take) {
  const step_parts parts =
      parts_of("{ \"kind\": \"rope\", \"particles\": 9, \"pinned\": [\"first\"], \"mass\": "
               "0.01, \"stretch\": { \"stiffness\": 1000, \"damping\": 10 } }");
  cr_assert(parts.is_damped && parts.undamped > 0 && parts.all > 3 * parts.undamped);
  char *text = printed(&parts);
  cr_expect(strstr(text, "damping takes ") && strstr(text, "damping_ratio of 0.05"), "%s", text);
  free(text);
}

Test(step_parts, folds_that_limit_are_told) {
  const step_parts parts = parts_of("{ \"kind\": \"cloth\", \"columns\": 9, \"rows\": 9, \"material\": { "
                                    "\"area_density\": 0.1, \"stretch\": 100, \"bend\": 10 } }");
  cr_assert(parts.is_damped && parts.is_bent && parts.all > 3 * parts.unbent);
  char *text = printed(&parts);
  cr_expect(strstr(text, "bending takes ") && !strstr(text, "is what limits"), "%s", text);
  free(text);
}

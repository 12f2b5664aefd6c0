#include "scenes/input/peer_names.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const all[] = {"columns", "rows", "pinned", "type", "stiffness", "frame_time", NULL};

Test(peer_names, answers_names_of_other_programs_by_the_object) {
  cr_expect_str_eq(peer_key("bodies", "cols", all), "\"columns\"");
  cr_expect_str_eq(peer_key("bodies", "PINS", all), "\"pinned\"");
  cr_expect_str_eq(peer_key("stretch", "k", all), "\"stiffness\"");
  cr_expect(strncmp(peer_key("", "fps", all), "\"frame_time\"", 12) == 0);
  cr_expect_null(peer_key("bodies", "fps", all));
  cr_expect_null(peer_key("bodies", "", all));
  cr_expect_str_eq(peer_value("colliders", "type", "ground"), "\"plane\"");
  cr_expect_null(peer_value("bodies", "type", "ground"));
}

Test(peer_names, suggests_no_key_that_the_object_cannot_have) {
  static const char *const none[] = {"friction", NULL};
  cr_expect_null(peer_key("bodies", "cols", none));
}

Test(peer_names, turns_a_suggestion_into_advice) {
  char text[80];
  peer_advice(text, sizeof text, "\"rk4\"");
  cr_expect_str_eq(text, "did you mean \"rk4\"?");
  peer_advice(text, sizeof text, "\"rk4\"; it is explicit");
  cr_expect_str_eq(text, "did you mean \"rk4\"? it is explicit");
  peer_advice(text, sizeof text, "colors are chosen elsewhere");
  cr_expect_str_eq(text, "colors are chosen elsewhere");
}

static char *read_schema(void) {
  FILE *file = fopen(MSD_SCENE_SCHEMA, "r");
  cr_assert_not_null(file);
  char *text = calloc(1, 1 << 20);
  cr_assert(text && fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

/* Those that begin with a quote. */
static void expect_word(const char *schema, const char *here) {
  char word[80];
  const char *end = here[0] == '"' ? strchr(here + 1, '"') : NULL;
  if (!end)
    return;
  snprintf(word, sizeof word, "%.*s", (int)(end - here + 1), here);
  cr_expect_not_null(strstr(schema, word), "%s is not in the schema", word);
}

Test(peer_names, suggests_only_what_the_schema_has) {
  char *schema = read_schema();
#define KEY(objects, names, here)         expect_word(schema, here);
#define VALUE(objects, keys, names, here) expect_word(schema, here);
#include "scenes/input/peer_names.inc"
#undef KEY
#undef VALUE
  free(schema);
}

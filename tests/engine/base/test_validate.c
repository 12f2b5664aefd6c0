/* Checks of what users pass in: each bound from both sides, and what the message says. */
#include "engine/base/validate.h"

#include <criterion/criterion.h>
#include <math.h>

static const memory enough = {.limit = SIZE_MAX};
static const subject about = {"rope", -1, NULL};

#define EXPECT_SAID(call, result, text)                                                                      \
  do {                                                                                                       \
    report r = {.memory = &enough};                                                                          \
    cr_expect_eq(call, result);                                                                              \
    cr_expect_str_eq(r.message, text);                                                                       \
  } while (0)

Test(check, an_index_is_below_the_count) {
  EXPECT_SAID(check_index(&r, "spring", 0, 5), MSD_OK, "");
  EXPECT_SAID(check_index(&r, "spring", 4, 5), MSD_OK, "");
  EXPECT_SAID(check_index(&r, "spring", 5, 5), MSD_BAD_INDEX, "there is no spring 5; the world has 5");
  EXPECT_SAID(check_index(&r, "spring", -1, 5), MSD_BAD_INDEX, "there is no spring -1; the world has 5");
}

Test(check, a_field_may_have_another_meaning_at_minus_one) {
  EXPECT_SAID(check_field_index(&r, about, "b", 4, 5, "rotor", NULL), MSD_OK, "");
  EXPECT_SAID(check_field_index(&r, about, "b", 5, 5, "rotor", NULL), MSD_BAD_INDEX,
              "rope: b is 5; it must be one of the world's 5 rotors");
  EXPECT_SAID(check_field_index(&r, about, "b", -1, 5, "rotor", NULL), MSD_BAD_INDEX,
              "rope: b is -1; it must be one of the world's 5 rotors");
  EXPECT_SAID(check_field_index(&r, about, "b", -1, 5, "rotor", "MSD_GROUND"), MSD_OK, "");
  EXPECT_SAID(check_field_index(&r, about, "b", -2, 5, "rotor", "MSD_GROUND"), MSD_BAD_INDEX,
              "rope: b is -2; it must be one of the world's 5 rotors, or MSD_GROUND");
}

Test(check, a_list_is_there_unless_it_is_empty) {
  const int list = 0;
  EXPECT_SAID(check_list(&r, "msd_add_springs", 1, &list), MSD_OK, "");
  EXPECT_SAID(check_list(&r, "msd_add_springs", 0, NULL), MSD_OK, "");
  EXPECT_SAID(check_list(&r, "msd_add_springs", 2, NULL), MSD_BAD_VALUE,
              "msd_add_springs: count is 2 and defs NULL");
  EXPECT_SAID(check_list(&r, "msd_add_springs", -1, &list), MSD_BAD_VALUE,
              "msd_add_springs: count is -1 and defs set; count must be 0 or more");
}

Test(check, a_definition_was_made_by_its_default_function) {
  const uint32_t right = MSD_ROPE_COOKIE, wrong = MSD_CLOTH_COOKIE;
  const subject of_field = {"rope", -1, "stretch"};
  EXPECT_SAID(check_cookie(&r, about, &right, MSD_ROPE_COOKIE), MSD_OK, "");
  EXPECT_SAID(check_cookie(&r, about, &wrong, MSD_ROPE_COOKIE), MSD_UNINITIALIZED_DEF,
              "rope: the definition was not made by msd_default_rope_def");
  EXPECT_SAID(check_cookie(&r, about, NULL, MSD_ROPE_COOKIE), MSD_UNINITIALIZED_DEF,
              "rope: the definition is NULL");
  EXPECT_SAID(check_cookie(&r, of_field, &wrong, MSD_SPRING_COOKIE), MSD_UNINITIALIZED_DEF,
              "rope: stretch was not made by msd_default_spring_def");
  EXPECT_SAID(check_cookie(&r, about, &right, MSD_STRETCH_TARGET_COOKIE), MSD_UNINITIALIZED_DEF,
              "rope: the definition was not made by msd_default_stretch_target");
}

Test(check, numbers_are_finite) {
  EXPECT_SAID(check_finite(&r, about, "angle", -1e300), MSD_OK, "");
  EXPECT_SAID(check_finite(&r, about, "angle", -INFINITY), MSD_BAD_VALUE,
              "rope: angle is -inf; it must be finite");
  EXPECT_SAID(check_vector(&r, about, "from", ((msd_vec3){1, -2, 3})), MSD_OK, "");
  EXPECT_SAID(check_vector(&r, about, "from", ((msd_vec3){1, (msd_real)INFINITY, 3})), MSD_BAD_VALUE,
              "rope: from is (1, inf, 3); it must be finite");
}

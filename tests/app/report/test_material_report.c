/* What the report says of materials. */
#include "app/report/material_report.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(material_report, .init = enter_scratch_folder, .fini = leave_scratch_folder);

static char *printed(const scene *s) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  cr_assert_not_null(stream);
  material_report_print(s, stream);
  fclose(stream);
  return text;
}

static const char bodies[] =
    "{ \"type\": \"cloth\", \"columns\": 11, \"rows\": 11, \"material\": { \"name\": \"leather_shoe\", "
    "\"stretch_under_weight\": 0.01 } }, { \"type\": \"rope\", \"particles\": 11, \"material\": { "
    "\"line_density\": "
    "0.05, "
    "\"stretch_modulus\": 2000, \"bend_rigidity\": 0.01 } }, { \"type\": \"cloth\" }";

/* 1.1 kg/m^2 over 1 m and 1 %; springs of EA/h and angles of EI/h. */
Test(material_report, prints_each_material_and_its_springs) {
  scene *s = load_bodies(bodies);
  char *text = printed(s);
  cr_expect(strstr(text, "\"cloth 1\": 1.1 kg/m^2, stretch modulus 1079 N/m"), "%s", text);
  cr_expect(strstr(text, "the stretch modulus of the file is 30,000 N/m; stretch_under_weight lowered it"),
            "%s", text);
  cr_expect(
      strstr(text, "\"rope 2\": 0.05 kg/m, stretch modulus 2000 N, bend 0.01 N m^2, damping ratio 0.05"),
      "%s", text);
  cr_expect(strstr(text, "springs of 2e+04 N/m, bend angles and hinges of 0.1 N m/rad"), "%s", text);
  cr_expect(!strstr(text, "cloth 3"), "%s", text);
  free(text);
  scene_free(s);
}

Test(material_report, prints_no_heading_without_materials) {
  scene *s = load_bodies("{ \"type\": \"cloth\" }");
  char *text = printed(s);
  cr_expect_str_empty(text);
  json_t *object = json_object();
  cr_expect_eq(material_report_json(s, &s->bodies[0], object), 0);
  cr_expect_eq(json_object_size(object), 0);
  json_decref(object);
  free(text);
  scene_free(s);
}

Test(material_report, programs_get_the_same_numbers) {
  scene *s = load_bodies(bodies);
  json_t *object = json_object();
  cr_assert_eq(material_report_json(s, &s->bodies[1], object), 0);
  const json_t *m = json_object_get(object, "material");
  cr_expect_float_eq(json_number_value(json_object_get(m, "line_density")), 0.05, 1e-6);
  cr_expect_float_eq(json_number_value(json_object_get(m, "spring_most")), 20000, 0.1);
  cr_expect_float_eq(json_number_value(json_object_get(m, "hinge_least")), 0.1, 1e-6);
  json_decref(object);
  scene_free(s);
}

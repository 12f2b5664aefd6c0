#include "app/report/mass_shift_report.h"

#include "app/base/json_values.h"

#include <inttypes.h>

void mass_shift_report_print(const scene *s, FILE *stream) {
  const msd_mass_shift *made = &s->mass_shift;
  if (!s->has_mass_shift)
    return;
  fprintf(stream, "  mass shift        ");
  if (made->heavier == 0 && made->substeps_before == 0)
    fprintf(stream, "nothing moved: no number of substeps is certified\n");
  else if (made->heavier == 0)
    fprintf(stream, "nothing moved: as much as may be saves none of %" PRId32 " substeps\n",
            made->substeps_before);
  else
    fprintf(stream,
            "%.3g %% of the vertices made heavier, at most %.3g times, %.3g %% of the mass moved, %" PRId32
            " -> %" PRId32 " substeps\n",
            100.0 * made->heavier / made->particles, made->largest_factor, 100 * made->moved / made->mass,
            made->substeps_before, made->substeps_after);
}

/* Into an object; *failed remembers that memory was short. */
#define KEY(name, value) *failed |= json_object_set_new(object, name, value)

static json_t *shift_json(const msd_mass_shift *made, int *failed) {
  json_t *object = json_object();
  KEY("substeps_before", json_integer(made->substeps_before));
  KEY("substeps_after", json_integer(made->substeps_after));
  KEY("particles", json_integer(made->particles));
  KEY("heavier", json_integer(made->heavier));
  KEY("mass", json_number(made->mass));
  KEY("moved", json_number(made->moved));
  KEY("largest_factor", json_number(made->largest_factor));
  return object;
}

#undef KEY

int mass_shift_report_json(const scene *s, json_t *object) {
  int failed = 0;
  json_t *made = s->has_mass_shift ? shift_json(&s->mass_shift, &failed) : json_null();
  failed |= json_object_set_new(object, "mass_shift", made);
  return failed;
}

#include "app/report/mass_redistribution_report.h"

#include "app/base/json_values.h"
#include "app/base/units.h"

#include <inttypes.h>

void mass_redistribution_report_print(const scene *s, const char *label, FILE *stream) {
  const msd_mass_redistribution *made = &s->mass_redistribution;
  if (!s->has_mass_redistribution)
    return;
  fputs(label, stream);
  if (made->heavier == 0 && made->substeps_before == 0)
    fprintf(stream, "none: no number of substeps is stable\n");
  else if (made->heavier == 0)
    fprintf(stream, "none: it would not reduce the %" PRId32 " substeps\n", made->substeps_before);
  else
    fprintf(stream,
            "%s of the vertices made heavier, at most %s times, %s of the mass moved, %" PRId32 " -> %" PRId32
            " substeps\n",
            units_percent((double)made->heavier / made->particles).text,
            units_number(made->largest_factor, 3).text, units_percent(made->moved / made->mass).text,
            made->substeps_before, made->substeps_after);
}

/* Into an object; *failed remembers that memory was short. */
#define KEY(name, value) *failed |= json_object_set_new(object, name, value)

static json_t *shift_json(const msd_mass_redistribution *made, int *failed) {
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

int mass_redistribution_report_json(const scene *s, json_t *object) {
  int failed = 0;
  json_t *made = s->has_mass_redistribution ? shift_json(&s->mass_redistribution, &failed) : json_null();
  failed |= json_object_set_new(object, "mass_redistribution", made);
  return failed;
}

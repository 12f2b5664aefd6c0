#include "app/report/material_report.h"

#include "app/base/json_values.h"
#include "app/base/units.h"

#include <math.h>

/* What a material is called of, by its density. */
typedef struct form {
  const char *density_key, *density_unit, *stretch_unit, *bend_unit;
} form;

static const form line = {"line_density", "kg/m", "N", "N m^2"};
static const form sheet = {"area_density", "kg/m^2", "N/m", "N m"};
static const form solid = {"density", "kg/m^3", "Pa", ""};

static const form *form_of(const msd_material *m) {
  return m->line_density > 0 ? &line : m->area_density > 0 ? &sheet : &solid;
}

static double density_of(const msd_material *m) {
  return (double)(m->line_density > 0 ? m->line_density : m->area_density > 0 ? m->area_density : m->density);
}

typedef struct range {
  double least, most;
} range;

static void widen(range *r, double value) {
  r->least = fmin(r->least, value);
  r->most = fmax(r->most, value);
}

static bool is_some(range r) {
  return r.most > 0;
}

static range springs_of(const scene *s, const scene_body *body) {
  range r = {INFINITY, 0};
  for (int32_t n = 0; n < body->springs.count; n++)
    widen(&r, (double)msd_spring_get_def(s->world, body->springs.first + n).stiffness);
  return r;
}

/* Of the constraints of some kinds, as bits. */
static range constraints_of(const scene *s, const scene_body *body, unsigned kinds) {
  range r = {INFINITY, 0};
  for (int32_t n = 0; n < body->constraints.count; n++) {
    const msd_constraint_def def = msd_constraint_get_def(s->world, body->constraints.first + n);
    if (kinds >> def.kind & 1)
      widen(&r, (double)def.stiffness);
  }
  return r;
}

static range folds_of(const scene *s, const scene_body *body) {
  return constraints_of(s, body, 1u << MSD_CONSTRAINT_ANGLE | 1u << MSD_CONSTRAINT_DIHEDRAL);
}

static range fibers_of(const scene *s, const scene_body *body) {
  return constraints_of(s, body, 1u << MSD_CONSTRAINT_FIBER);
}

static void print_range(const char *what, range r, const char *unit, const char **separator, FILE *stream) {
  if (!is_some(r))
    return;
  fprintf(stream, "%s%s of %.4g", *separator, what, r.least);
  if (r.most > 1.0001 * r.least)
    fprintf(stream, " to %.4g", r.most);
  fprintf(stream, " %s", unit);
  *separator = ", ";
}

static void print_body(const scene *s, const scene_body *body, FILE *stream) {
  const msd_material *m = &body->material;
  const form *f = form_of(m);
  fprintf(stream, "  \"%s\": %.4g %s, stretch modulus %.4g", body->name, density_of(m), f->density_unit,
          (double)m->stretch_modulus);
  if (f == &sheet && m->weft_modulus != m->stretch_modulus)
    fprintf(stream, " along u (warp) and %.4g along v (weft)", (double)m->weft_modulus);
  fprintf(stream, " %s", f->stretch_unit);
  if (f == &sheet)
    fprintf(stream, ", shear %.4g N/m", (double)m->shear_modulus);
  if (m->bend_rigidity > 0)
    fprintf(stream, ", bend %.4g", (double)m->bend_rigidity);
  if (m->bend_rigidity > 0 && m->weft_bend_rigidity > 0)
    fprintf(stream, " along u and %.4g along v", (double)m->weft_bend_rigidity);
  if (m->bend_rigidity > 0)
    fprintf(stream, " %s", f->bend_unit);
  if (m->compression_factor < 1)
    fprintf(stream, ", compression factor %.3g", (double)m->compression_factor);
  if (m->damping_time > 0)
    fprintf(stream, ", damping time %.3g s", (double)m->damping_time);
  fprintf(stream, ", damping ratio %.3g\n", (double)m->damping_ratio);
  const char *separator = "      ";
  print_range("springs", springs_of(s, body), "N/m", &separator, stream);
  print_range("fibers", fibers_of(s, body), "N m", &separator, stream);
  print_range("bend angles and hinges", folds_of(s, body), "N m/rad", &separator, stream);
  fputc('\n', stream);
  if (m->stretch_modulus != body->asked.stretch_modulus)
    fprintf(stream, "      the stretch modulus of the file is %s %s%s\n",
            units_number((double)body->asked.stretch_modulus, 4).text, f->stretch_unit,
            body->asked.stretch_under_weight > 0 ? "; stretch_under_weight lowered it" : "");
}

void material_report_print(const scene *s, FILE *stream) {
  const char *heading = "materials\n";
  for (int b = 0; b < s->body_count; b++) {
    if (s->bodies[b].material.cookie == 0)
      continue;
    fprintf(stream, "%s", heading);
    heading = "";
    print_body(s, &s->bodies[b], stream);
  }
  if (*heading == '\0')
    fputc('\n', stream);
}

static int range_json(json_t *entry, range r, const char *least, const char *most) {
  if (!is_some(r))
    return 0;
  const int failed = json_object_set_new(entry, least, json_number(r.least));
  return failed | json_object_set_new(entry, most, json_number(r.most));
}

int material_report_json(const scene *s, const scene_body *body, json_t *object) {
  const msd_material *m = &body->material;
  if (m->cookie == 0)
    return 0;
  const form *f = form_of(m);
  json_t *entry = json_object();
  int failed = json_object_set_new(entry, f->density_key, json_number(density_of(m)));
  failed |= json_object_set_new(entry, "stretch", json_number((double)m->stretch_modulus));
  failed |= json_object_set_new(entry, "stretch_asked", json_number((double)body->asked.stretch_modulus));
  if (f == &sheet) {
    failed |= json_object_set_new(entry, "weft", json_number((double)m->weft_modulus));
    failed |= json_object_set_new(entry, "shear", json_number((double)m->shear_modulus));
  }
  failed |= json_object_set_new(entry, "bend", json_number((double)m->bend_rigidity));
  if (f == &sheet) {
    const bool isotropic = m->weft_bend_rigidity < 0;
    failed |= json_object_set_new(
        entry, "weft_bend", json_number((double)(isotropic ? m->bend_rigidity : m->weft_bend_rigidity)));
    failed |= json_object_set_new(entry, "compression_factor", json_number((double)m->compression_factor));
  }
  failed |= json_object_set_new(entry, "damping_ratio", json_number((double)m->damping_ratio));
  failed |= json_object_set_new(entry, "damping_time", json_number((double)m->damping_time));
  failed |= range_json(entry, springs_of(s, body), "spring_least", "spring_most");
  failed |= range_json(entry, fibers_of(s, body), "fiber_least", "fiber_most");
  failed |= range_json(entry, folds_of(s, body), "hinge_least", "hinge_most");
  return failed | json_object_set_new(object, "material", entry);
}

#include "app/report/stability_report.h"

#include "app/base/json_values.h"
#include "app/base/units.h"
#include "app/report/certificate.h"
#include "app/report/stretch.h"

#include <inttypes.h>
#include <math.h>

enum { PLACE_MAX = 256 };

void stability_report_constraint(const scene *s, int32_t constraint, char *text, size_t size) {
  const msd_constraint_def def = msd_constraint_get_def(s->world, constraint);
  char corner[PLACE_MAX];
  scene_describe_particle(s, def.triangle_count > 0 ? def.triangles[0] : def.particles[0], corner,
                          sizeof corner);
  snprintf(text, size, "%s constraint %" PRId32 ", whose first corner is %.200s",
           msd_constraint_kind_name(def.kind), constraint, corner);
}

const char *stability_report_shapes(const msd_stability *report) {
  return report->every_shape
             ? "at every shape of the network"
             : "at every shape for springs, at the present one with a margin of 2 for constraints";
}

void stability_report_cause(const msd_stability *report, char *text, size_t size) {
  const bool is_constraint = report->limiting_constraint >= 0;
  const char *what = is_constraint ? "constraint" : "spring", *end = is_constraint ? "a corner" : "an end";
  switch (report->cause) {
  case MSD_CAUSE_ALL_ALIKE:
    snprintf(text, size, "no mass, stiffness or number of springs stands out: all are alike");
    break;
  case MSD_CAUSE_LIGHT_PARTICLE:
    snprintf(text, size, "%s of that %s has %.3g of the typical mass", end, what, 1 / report->cause_ratio);
    break;
  case MSD_CAUSE_STIFF_SPRING:
    snprintf(text, size, "that %s is %.3g times as stiff as is typical", what, report->cause_ratio);
    break;
  case MSD_CAUSE_MANY_SPRINGS:
    snprintf(text, size, "%s of that %s has %.3g times as many springs as is typical", end, what,
             report->cause_ratio);
    break;
  default:
    snprintf(text, size, "%s", "");
  }
}

static void print_limits(const msd_stability *report, FILE *stream) {
  fprintf(stream, "stable time step of symplectic Euler\n");
  fprintf(stream, "  certified         %s, %s\n", units_si(report->stable_time_step, "s").text,
          stability_report_shapes(report));
  if (isfinite(report->stable_time_step) && report->stable_time_step > 0 && report->tightness < 0.9995)
    fprintf(stream, "                    (%d sweeps; more of them could give at most %.2g %%)\n",
            report->iterations, 100 * (1 / report->tightness - 1));
  if (isfinite(report->stable_time_step)) {
    fprintf(stream, "  quick bound       %s, from one pass over the springs\n",
            units_si(report->stable_time_step_quick, "s").text);
    fprintf(stream, "  this shape        %s, an estimate at the present positions and no promise\n",
            units_si(report->this_shape_time_step, "s").text);
  }
  static const msd_integrator others[] = {MSD_VELOCITY_VERLET, MSD_RK4, MSD_SEQUENTIAL_IMPULSE,
                                          MSD_EXPLICIT_EULER};
  fprintf(stream, "  other integrators");
  for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
    const double limit = report->integrator_time_step[others[n]];
    fprintf(stream, "%s %s %s", n > 0 ? "," : "", limit > 0 ? units_si(limit, "s").text : "none",
            msd_integrator_name(others[n]));
  }
  fputc('\n', stream);
}

static void print_culprit(const scene *s, const msd_stability *report, FILE *stream) {
  char text[PLACE_MAX];
  if (!isfinite(report->stable_time_step))
    return;
  if (isfinite(report->rotor_time_step) && report->rotor_time_step <= report->stable_time_step) {
    fprintf(stream, "  limited by        the angular springs between rotors\n");
    return;
  }
  if (report->limiting_spring >= 0) {
    scene_describe_spring(s, report->limiting_spring, text, sizeof text);
    fprintf(stream, "  limiting spring   %s\n", text);
  }
  if (report->limiting_constraint >= 0) {
    stability_report_constraint(s, report->limiting_constraint, text, sizeof text);
    fprintf(stream, "  limiting          %s\n", text);
  }
  if (report->limiting_particle >= 0) {
    scene_describe_particle(s, report->limiting_particle, text, sizeof text);
    fprintf(stream, "  limiting particle %s\n", text);
  }
  if (report->cause != MSD_CAUSE_NONE) {
    stability_report_cause(report, text, sizeof text);
    fprintf(stream, "  because           %s\n", text);
  }
}

static void print_remedies(const msd_world *world, const msd_stability *report, FILE *stream) {
  const int substeps = certificate_fewest(world, report);
  const msd_integrator integrator = msd_world_get_integrator(world);
  fprintf(stream, "  substeps          ");
  if (substeps > 0)
    fprintf(stream, "%d", substeps);
  else
    fprintf(stream, "none is certified");
  fprintf(stream, " for a frame of %s", units_si(report->time_step, "s").text);
  if (integrator != MSD_SYMPLECTIC_EULER)
    fprintf(stream, " of %s", msd_integrator_name(integrator));
  fprintf(stream, "%s\n",
          substeps == 0 && integrator == MSD_SYMPLECTIC_EULER ? "; --limit coefficients makes one" : "");
  if (report->radius < 4)
    return;
  fprintf(stream, "  in one step       any of:");
  const char *separator = "";
  if (report->stiffness_factor > 0) {
    fprintf(stream, " %.3g times the stiffness and %.3g times the damping", report->stiffness_factor,
            report->damping_factor);
    separator = ",";
  }
  if (isfinite(report->mass_factor)) {
    fprintf(stream, "%s %.3g times the masses", separator, report->mass_factor);
    separator = ",";
  }
  char constraints[48] = "";
  if (report->capped_constraints > 0)
    snprintf(constraints, sizeof constraints, " and %" PRId32 " constraint%s", report->capped_constraints,
             report->capped_constraints == 1 ? "" : "s");
  if (report->coefficient_factor > 0 && isfinite(report->coefficient_factor)) {
    fprintf(stream, "%s %.3g times ck and cd", separator, report->coefficient_factor);
    separator = ",";
  }
  fprintf(stream, "%s --limit coefficients (softens %" PRId32 " springs%s)\n", separator,
          report->capped_springs, constraints);
}

/* The same at the substep that a run takes, where springs whose stiffness follows it are what they will be. */
static msd_stability at_substep(const scene *s, const msd_stability *report) {
  const int substeps = s->substeps > 0 ? s->substeps : report->substeps;
  msd_stability finer;
  if (substeps < 1 ||
      msd_world_stability(s->world, (msd_real)(report->time_step / substeps), &finer) != MSD_OK)
    return *report;
  return finer;
}

typedef struct stretch_text {
  char text[64];
} stretch_text;

static stretch_text describe_stretch(double stretch) {
  stretch_text t;
  if (!isfinite(stretch))
    snprintf(t.text, sizeof t.text, "not known: some hangs by no stiffness");
  else if (stretch < 2)
    snprintf(t.text, sizeof t.text, "%.3g %%", 100 * stretch);
  else
    snprintf(t.text, sizeof t.text, "to %.3g times the length", 1 + stretch);
  return t;
}

static void print_stretch(const scene *s, const msd_stability *report, FILE *stream) {
  const msd_stability finer = at_substep(s, report);
  if (!(finer.static_stretch > 0))
    return;
  fprintf(stream,
          "  stretch at rest   %s expected, in substeps of %s; with the stiffest that such a step bears %s\n",
          describe_stretch(finer.static_stretch).text, units_si(finer.time_step, "s").text,
          describe_stretch(finer.static_stretch_stiffest).text);
  char unseen[160];
  stretch_unseen(s->world, unseen, sizeof unseen);
  fprintf(stream,
          "                    an estimate for what hangs straight from pins; corners and spans stretch "
          "more%s%s\n",
          unseen[0] ? "; it does not see " : "", unseen);
}

void stability_report_print(const scene *s, const msd_stability *report, FILE *stream) {
  print_limits(report, stream);
  print_culprit(s, report, stream);
  print_remedies(s->world, report, stream);
  if (report->stiffest_max > 0)
    fprintf(stream,
            "  coefficients      Ck = Cd below %.4g are certified for all springs at once, %.3g to %.3g for "
            "each\n",
            report->coefficient_limit, report->stiffest_min, report->stiffest_max);
  print_stretch(s, report, stream);
}

static int add(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value);
}

static json_t *place_json(const scene *s, int32_t index,
                          void (*describe)(const scene *, int32_t, char *, size_t)) {
  char text[PLACE_MAX];
  if (index < 0)
    return json_null();
  describe(s, index, text, sizeof text);
  return json_string(text);
}

static json_t *integrators_json(const msd_stability *report, int *failed) {
  json_t *limits = json_object();
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    *failed |=
        add(limits, msd_integrator_name((msd_integrator)n), json_number(report->integrator_time_step[n]));
  return limits;
}

int stability_report_json(const scene *s, const msd_stability *report, json_t *object) {
  static const char *const causes[MSD_CAUSE_COUNT] = {"none", "all_alike", "light_particle", "stiff_spring",
                                                      "many_springs"};
  int failed = 0;
  failed |= add(object, "stable_time_step", json_number(report->stable_time_step));
  failed |= add(object, "rotor_time_step", json_number(report->rotor_time_step));
  failed |= add(object, "stable_time_step_quick", json_number(report->stable_time_step_quick));
  failed |= add(object, "this_shape_time_step", json_number(report->this_shape_time_step));
  failed |= add(object, "integrator_time_step", integrators_json(report, &failed));
  failed |= add(object, "every_shape", json_boolean(report->every_shape));
  failed |= add(object, "radius", json_number(report->radius));
  failed |= add(object, "iterations", json_integer(report->iterations));
  failed |= add(object, "tightness", json_number(report->tightness));
  failed |= add(object, "limiting_spring", json_index(report->limiting_spring));
  failed |=
      add(object, "limiting_spring_name", place_json(s, report->limiting_spring, scene_describe_spring));
  failed |= add(object, "limiting_constraint", json_index(report->limiting_constraint));
  failed |= add(object, "limiting_constraint_name",
                place_json(s, report->limiting_constraint, stability_report_constraint));
  failed |= add(object, "limiting_particle", json_index(report->limiting_particle));
  failed |= add(object, "limiting_particle_name",
                place_json(s, report->limiting_particle, scene_describe_particle));
  failed |= add(object, "cause", json_string(causes[report->cause]));
  failed |= add(object, "cause_ratio", json_number(report->cause_ratio));
  failed |= add(object, "substeps", json_integer(certificate_fewest(s->world, report)));
  failed |= add(object, "stiffness_factor", json_number(report->stiffness_factor));
  failed |= add(object, "damping_factor", json_number(report->damping_factor));
  failed |= add(object, "mass_factor", json_number(report->mass_factor));
  failed |= add(object, "coefficient_factor", json_number(report->coefficient_factor));
  failed |= add(object, "capped_springs", json_integer(report->capped_springs));
  failed |= add(object, "capped_constraints", json_integer(report->capped_constraints));
  failed |= add(object, "softened_folds", json_integer(report->softened_folds));
  failed |= add(object, "capped_stiffness", json_number(report->capped_stiffness));
  failed |= add(object, "coefficient_limit", json_number(report->coefficient_limit));
  failed |= add(object, "stiffest_min", json_number(report->stiffest_min));
  failed |= add(object, "stiffest_max", json_number(report->stiffest_max));
  const msd_stability finer = at_substep(s, report);
  failed |= add(object, "static_stretch", json_number(finer.static_stretch));
  failed |= add(object, "static_stretch_stiffest", json_number(finer.static_stretch_stiffest));
  return failed;
}

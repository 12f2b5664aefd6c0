#include "app/report/stability_report.h"

#include "app/base/json_values.h"
#include "app/base/units.h"
#include "app/report/certificate.h"
#include "app/report/mass_shift_report.h"
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
  return report->every_shape ? "at every shape of the network"
                             : "at every shape for springs and fibres, at the present one for other "
                               "constraints, softened at others";
}

void stability_report_cause(const msd_stability_cause *why, char *text, size_t size) {
  const bool is_constraint = why->limiting == MSD_LIMITING_CONSTRAINT;
  const char *what = is_constraint ? "constraint" : "spring", *end = is_constraint ? "a corner" : "an end";
  switch (why->cause) {
  case MSD_CAUSE_ALL_ALIKE:
    snprintf(text, size, "no mass, stiffness or number of springs stands out: all are alike");
    break;
  case MSD_CAUSE_LIGHT_PARTICLE:
    snprintf(text, size, "%s of that %s has %.3g of the typical mass", end, what, 1 / why->ratio);
    break;
  case MSD_CAUSE_STIFF_SPRING:
    snprintf(text, size, "that %s is %.3g times as stiff as is typical", what, why->ratio);
    break;
  case MSD_CAUSE_MANY_SPRINGS:
    snprintf(text, size, "%s of that %s has %.3g times as many springs as is typical", end, what, why->ratio);
    break;
  default:
    snprintf(text, size, "%s", "");
  }
}

static void print_limits(const stability_report *all, FILE *stream) {
  const msd_stability *report = &all->why.limit;
  fprintf(stream, "stable time step of symplectic Euler\n");
  fprintf(stream, "  certified         %s, %s\n", units_si(report->stable_time_step, "s").text,
          stability_report_shapes(report));
  if (isfinite(report->stable_time_step) && report->stable_time_step > 0 && report->tightness < 0.9995)
    fprintf(stream, "                    (%d sweeps; more of them could give at most %.2g %%)\n",
            report->sweeps, 100 * (1 / report->tightness - 1));
  if (isfinite(report->stable_time_step)) {
    fprintf(stream, "  quick bound       %s, from one pass over the springs\n",
            units_si(report->stable_time_step_quick, "s").text);
    if (all->this_shape < 0)
      fprintf(stream, "  this shape        not estimated: give --estimate\n");
    else
      fprintf(stream, "  this shape        %s, an estimate at the present positions and no promise\n",
              units_si(all->this_shape, "s").text);
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

static void print_culprit(const scene *s, const msd_stability_explanation *report, FILE *stream) {
  char text[PLACE_MAX];
  if (!isfinite(report->limit.stable_time_step))
    return;
  if (report->cause.limiting == MSD_LIMITING_ROTORS) {
    fprintf(stream, "  limited by        the angular springs between rotors\n");
    return;
  }
  if (report->cause.spring >= 0) {
    scene_describe_spring(s, report->cause.spring, text, sizeof text);
    fprintf(stream, "  limiting spring   %s\n", text);
  }
  if (report->cause.constraint >= 0) {
    stability_report_constraint(s, report->cause.constraint, text, sizeof text);
    fprintf(stream, "  limiting          %s\n", text);
  }
  if (report->cause.particle >= 0) {
    scene_describe_particle(s, report->cause.particle, text, sizeof text);
    fprintf(stream, "  limiting particle %s\n", text);
  }
  if (report->cause.cause != MSD_CAUSE_NONE) {
    stability_report_cause(&report->cause, text, sizeof text);
    fprintf(stream, "  because           %s\n", text);
  }
}

/* All 0 when there is no memory for it. */
static msd_softening softened_at(const scene *s, double time_step, msd_limit limit) {
  msd_softening softening = {.stiffness_left = 1};
  msd_world_find_softening(s->world, (msd_real)time_step, limit, &softening);
  return softening;
}

static void print_certified(const scene *s, const msd_stability *limit, FILE *stream) {
  const msd_integrator integrator = msd_world_get_integrator(s->world);
  fprintf(stream, "  substeps          ");
  if (limit->substeps > 0)
    fprintf(stream, "%d", (int)limit->substeps);
  else
    fprintf(stream, "none is certified");
  fprintf(stream, " for a frame of %s", units_si(limit->time_step, "s").text);
  if (integrator != MSD_SYMPLECTIC_EULER)
    fprintf(stream, " of %s", msd_integrator_name(integrator));
  fputc('\n', stream);
  const int other = limit->integrator_substeps[MSD_SYMPLECTIC_EULER];
  if (limit->substeps == 0 && other > 0)
    fprintf(stream, "  the way out       msd run --integrator symplectic_euler, of which %d %s certified\n",
            other, other == 1 ? "is" : "are");
}

/* What certifies the substeps where masses are scaled, and those of a run. */
static void print_mass_scaling(const scene *s, const stability_report *report, FILE *stream) {
  fprintf(stream,
          "  mass scaling      %s: any number of substeps is certified, at any stiffness; with so many the\n"
          "                    scaled masses stay small beside what moves\n",
          msd_mass_scaling_name(msd_world_get_mass_scaling(s->world)));
  if (!s->is_auto && report->run_substeps > 0)
    fprintf(stream, "  msd run takes     %d, as the file says\n", report->run_substeps);
}

/* The same of springs by Gauss-Seidel. */
static void print_solver(const scene *s, const stability_report *report, FILE *stream) {
  fprintf(stream,
          "  solver            %s: any number of substeps is certified, at any stiffness; with so many\n"
          "                    gravity stretches the longest chain of rigid springs by 1 or 2 %%\n",
          msd_solver_name(msd_world_get_solver(s->world)));
  if (!s->is_auto && report->run_substeps > 0)
    fprintf(stream, "  msd run takes     %d, as the file says\n", report->run_substeps);
}

/* Where a run takes others than are certified. */
static void print_taken(const scene *s, const stability_report *report, FILE *stream) {
  const int taken = report->run_substeps, certified = report->why.limit.substeps;
  if (taken == certified || taken == 0)
    return;
  fprintf(stream, "  msd run takes     %d, ", taken);
  if (!s->is_auto)
    fprintf(stream, "as the file says%s\n",
            certified == 0 || taken < certified ? ": a substep over the certified limit" : "");
  else if (taken > certified)
    fprintf(stream,
            "so that springs without a stiffness of their own, which follow the substep, hold what hangs\n"
            "                    to a stretch of about %.2g %% at rest\n",
            100 * SCENE_STRETCH);
  else
    fprintf(stream, "since they soften constraints that have collapsed or blown up\n");
}

static void print_remedies(const scene *s, const msd_stability_explanation *report, FILE *stream) {
  const msd_stability_remedy *remedy = &report->remedy;
  if (report->limit.used < 1)
    return;
  fprintf(stream, "  in one step       any of:");
  const char *separator = "";
  if (remedy->stiffness_factor > 0) {
    fprintf(stream, " %.3g times the stiffness and %.3g times the damping", remedy->stiffness_factor,
            remedy->damping_factor);
    separator = ",";
  }
  if (isfinite(remedy->mass_factor)) {
    fprintf(stream, "%s %.3g times the masses", separator, remedy->mass_factor);
    separator = ",";
  }
  const msd_softening softening = softened_at(s, report->limit.time_step, MSD_LIMIT_COEFFICIENTS);
  char constraints[48] = "";
  if (softening.constraints > 0)
    snprintf(constraints, sizeof constraints, " and %" PRId32 " constraint%s", softening.constraints,
             softening.constraints == 1 ? "" : "s");
  if (remedy->coefficient_factor > 0 && isfinite(remedy->coefficient_factor)) {
    fprintf(stream, "%s %.3g times ck and cd", separator, remedy->coefficient_factor);
    separator = ",";
  }
  fprintf(stream, "%s --limit coefficients (softens %" PRId32 " springs%s)\n", separator, softening.springs,
          constraints);
}

/* s, of a run. */
static double substep_of(const stability_report *report) {
  return report->why.limit.time_step / (report->run_substeps > 0 ? report->run_substeps : 1);
}

/* At the substep that a run takes, where springs whose stiffness follows it are what they will be. All 0 when
   there is no memory for it. */
static msd_static_stretch stretch_at_rest(const scene *s, const stability_report *report) {
  msd_static_stretch stretch = {0};
  msd_world_estimate_stretch(s->world, (msd_real)substep_of(report), &stretch);
  return stretch;
}

static void print_energy(const scene *s, const stability_report *report, FILE *stream) {
  const double limit = report->why.limit.energy_safe_time_step;
  fprintf(stream, "  energy-safe       ");
  if (isinf(limit))
    fprintf(stream, "at any step");
  else if (limit > 0)
    fprintf(stream, "up to %s", units_si(limit, "s").text);
  else
    fprintf(stream, "no step is certified to be");
  if (report->is_energy_safe)
    fprintf(stream, "%s: where no spring is stretched each step takes energy away\n",
            substep_of(report) <= limit ? "" : ", and softened at that of a run");
  else
    fprintf(stream, "%s: damping is too small for the elastic energy to fall in each step%s\n",
            limit > 0 ? ", below that of a run" : "",
            msd_world_get_mass_scaling(s->world) != MSD_MASS_SCALING_NONE
                ? ""
                : ";\n                    use --energy guarded where energy matters");
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

static void print_stretch(const scene *s, const stability_report *report, FILE *stream) {
  const msd_static_stretch stretch = stretch_at_rest(s, report);
  if (!(stretch.present > 0))
    return;
  fprintf(
      stream,
      "  stretch at rest   %s expected, in substeps of %s; with the stiffest that such a step can take %s\n",
      describe_stretch(stretch.present).text, units_si(stretch.time_step, "s").text,
      describe_stretch(stretch.stiffest).text);
  char unseen[160];
  stretch_unseen(&stretch, unseen, sizeof unseen);
  fprintf(stream,
          "                    an estimate for what hangs straight from pins; corners and spans stretch "
          "more%s%s\n",
          unseen[0] ? "; it does not see " : "", unseen);
}

/* Springs and constraints, of which an estimate takes about 0.2 s. */
enum { ESTIMATED_UNASKED = 200000 };

static bool is_small(const msd_world *world) {
  return (int64_t)msd_world_get_spring_count(world) + msd_world_get_constraint_count(world) <=
         ESTIMATED_UNASKED;
}

/* What the limit softens depends on the substep. */
static msd_result find_energy(const msd_world *world, stability_report *report) {
  const double substep = substep_of(report);
  report->is_energy_safe = substep <= report->why.limit.energy_safe_time_step;
  if (report->is_energy_safe || msd_world_get_limit(world) == MSD_LIMIT_NONE)
    return MSD_OK;
  msd_stability softened;
  const msd_result result = msd_world_stability(world, (msd_real)substep, &softened);
  report->is_energy_safe = result == MSD_OK && softened.energy_safe;
  return result;
}

bool stability_report_make(const scene *s, bool with_estimate, stability_report *out, problem *p) {
  *out = (stability_report){.run_substeps = s->substeps, .this_shape = -1};
  const msd_real frame = (msd_real)s->time_step;
  msd_result result = msd_world_explain_stability(s->world, frame, &out->why);
  if (result == MSD_OK && s->substeps == 0)
    result = msd_world_find_substeps(s->world, frame, &out->run_substeps);
  if (result == MSD_OK)
    result = find_energy(s->world, out);
  if (result == MSD_OK && (with_estimate || is_small(s->world)))
    result = msd_world_estimate_this_shape(s->world, frame, &out->this_shape);
  if (result == MSD_OK)
    out->parts = step_parts_find(s);
  if (result == MSD_OK) {
    softening_table_make(s->world, s->time_step, out->why.limit.substeps, out->run_substeps, &out->softening);
    softening_table_find_light(s->world, s->time_step, &out->softening);
  }
  return result == MSD_OK ||
         problem_set(p, "%s: a time step of %g s: %s", s->path, s->time_step, msd_result_string(result));
}

void stability_report_print(const scene *s, const stability_report *report, FILE *stream) {
  const msd_stability_explanation *why = &report->why;
  print_limits(report, stream);
  print_culprit(s, why, stream);
  print_certified(s, &why->limit, stream);
  if (msd_world_get_solver(s->world) != MSD_SOLVER_FORCES) {
    print_solver(s, report, stream);
    return;
  }
  if (msd_world_get_mass_scaling(s->world) != MSD_MASS_SCALING_NONE) {
    print_mass_scaling(s, report, stream);
    print_energy(s, report, stream);
    print_stretch(s, report, stream);
    return;
  }
  mass_shift_report_print(s, stream);
  step_parts_print(&report->parts, stream);
  print_taken(s, report, stream);
  print_energy(s, report, stream);
  softening_table_print(s, &report->softening, stream);
  print_remedies(s, why, stream);
  if (why->stiffest_max > 0)
    fprintf(stream,
            "  coefficients      Ck = Cd below %.4g are certified for all springs at once, %.3g to %.3g for "
            "each\n",
            why->coefficient_limit, why->stiffest_min, why->stiffest_max);
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

int stability_report_json(const scene *s, const stability_report *all, json_t *object) {
  const msd_stability_explanation *why = &all->why;
  const msd_stability *report = &why->limit;
  const msd_stability_cause *cause = &why->cause;
  const msd_stability_remedy *remedy = &why->remedy;
  int failed = mass_shift_report_json(s, object);
  failed |= add(object, "stable_time_step", json_number(report->stable_time_step));
  failed |= add(object, "rotor_time_step", json_number(report->rotor_time_step));
  failed |= add(object, "stable_time_step_quick", json_number(report->stable_time_step_quick));
  failed |=
      add(object, "this_shape_time_step", all->this_shape < 0 ? json_null() : json_number(all->this_shape));
  failed |= add(object, "energy_safe_time_step", json_number(report->energy_safe_time_step));
  failed |= add(object, "energy_safe", json_boolean(all->is_energy_safe));
  failed |= add(object, "integrator_time_step", integrators_json(report, &failed));
  failed |= add(object, "every_shape", json_boolean(report->every_shape));
  failed |= add(object, "radius", json_number(report->radius));
  failed |= add(object, "iterations", json_integer(report->sweeps));
  failed |= add(object, "tightness", json_number(report->tightness));
  failed |= add(object, "limiting_spring", json_index(cause->spring));
  failed |= add(object, "limiting_spring_name", place_json(s, cause->spring, scene_describe_spring));
  failed |= add(object, "limiting_constraint", json_index(cause->constraint));
  failed |=
      add(object, "limiting_constraint_name", place_json(s, cause->constraint, stability_report_constraint));
  failed |= add(object, "limiting_particle", json_index(cause->particle));
  failed |= add(object, "limiting_particle_name", place_json(s, cause->particle, scene_describe_particle));
  failed |= add(object, "cause", json_string(msd_cause_name(cause->cause)));
  failed |= add(object, "cause_ratio", json_number(cause->ratio));
  failed |= add(object, "substeps", json_integer(report->substeps));
  failed |= add(object, "run_substeps", json_integer(all->run_substeps));
  failed |= step_parts_json(&all->parts, object);
  failed |= softening_table_json(s, &all->softening, object);
  failed |= add(object, "stiffness_factor", json_number(remedy->stiffness_factor));
  failed |= add(object, "damping_factor", json_number(remedy->damping_factor));
  failed |= add(object, "mass_factor", json_number(remedy->mass_factor));
  failed |= add(object, "coefficient_factor", json_number(remedy->coefficient_factor));
  const msd_softening capped = softened_at(s, report->time_step, MSD_LIMIT_COEFFICIENTS);
  msd_softening softened = {0};
  if (msd_world_get_limit(s->world) == MSD_LIMIT_NONE)
    softened = softened_at(s, report->time_step, MSD_LIMIT_NONE);
  failed |= add(object, "capped_springs", json_integer(capped.springs));
  failed |= add(object, "capped_constraints", json_integer(capped.constraints));
  failed |= add(object, "softened_constraints", json_integer(softened.constraints));
  failed |= add(object, "capped_stiffness", json_number(capped.stiffness_left));
  failed |= add(object, "coefficient_limit", json_number(why->coefficient_limit));
  failed |= add(object, "stiffest_min", json_number(why->stiffest_min));
  failed |= add(object, "stiffest_max", json_number(why->stiffest_max));
  const msd_static_stretch stretch = stretch_at_rest(s, all);
  failed |= add(object, "static_stretch", json_number(stretch.present));
  failed |= add(object, "static_stretch_stiffest", json_number(stretch.stiffest));
  return failed;
}

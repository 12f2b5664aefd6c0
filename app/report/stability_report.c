#include "app/report/stability_report.h"

#include "app/base/json_values.h"
#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/certificate.h"
#include "app/report/mass_redistribution_report.h"
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
             ? "in every configuration"
             : "in every configuration for springs and fibers, in the initial one for other constraints, "
               "which are softened in others";
}

/* All times of a report are in the unit of its frame. */
static units_scale scale_of(const stability_report *all) {
  return units_scale_of(all->why.limit.substep, "s");
}

/* "0.3625 ms", "any" or "no bound known". */
static units_text limit_text(const stability_report *all, double limit) {
  const units_scale scale = scale_of(all);
  units_text out;
  if (!(limit > 0))
    snprintf(out.text, sizeof out.text, "no bound known");
  else if (isinf(limit))
    snprintf(out.text, sizeof out.text, "any");
  else
    snprintf(out.text, sizeof out.text, "%.30s %s", units_number(limit * scale.factor, 4).text, scale.unit);
  return out;
}

static void print_limits(const stability_report *all, FILE *stream) {
  const msd_stability *report = &all->why.limit;
  fprintf(stream, "stable substep of symplectic Euler\n");
  fprintf(stream, "  proven            %s, %s\n", limit_text(all, report->stable_substep).text,
          stability_report_shapes(report));
  if (isfinite(report->stable_substep) && report->stable_substep > 0 && report->tightness < 0.9995)
    fprintf(stream, "                    (%d sweeps; more could raise it by at most %s)\n", report->sweeps,
            units_percent(1 / report->tightness - 1).text);
  if (isfinite(report->stable_substep)) {
    fprintf(stream, "  quick bound       %s, from one pass over the springs\n",
            limit_text(all, report->stable_substep_quick).text);
    if (all->linearized_limit < 0)
      fprintf(stream, "  current           not estimated for the current configuration: use --estimate\n");
    else
      fprintf(stream, "  current           %s in the current configuration, an estimate that is not proven\n",
              limit_text(all, all->linearized_limit).text);
  }
  static const msd_integrator others[] = {MSD_VELOCITY_VERLET, MSD_RK4, MSD_SEQUENTIAL_IMPULSE,
                                          MSD_EXPLICIT_EULER};
  fprintf(stream, "  integrators      ");
  for (size_t n = 0; n < sizeof others / sizeof *others; n++)
    fprintf(stream, "%s %s %s", n > 0 ? "," : "", msd_integrator_name(others[n]),
            limit_text(all, report->integrator_stable_substep[others[n]]).text);
  fputc('\n', stream);
}

static void print_culprit(const scene *s, const stability_report *all, FILE *stream) {
  const msd_stability_cause *cause = &all->why.cause;
  char text[LIMITING_TEXT_MAX];
  limiting_describe(&all->limiting, text, sizeof text);
  if (*text == '\0')
    return;
  fprintf(stream, "  limited by        %s\n", text);
  if (cause->spring >= 0) {
    scene_describe_spring(s, cause->spring, text, sizeof text);
    fprintf(stream, "                    spring: %s\n", text);
  }
  if (cause->constraint >= 0) {
    stability_report_constraint(s, cause->constraint, text, sizeof text);
    fprintf(stream, "                    %s\n", text);
  }
  if (cause->particle >= 0) {
    scene_describe_particle(s, cause->particle, text, sizeof text);
    fprintf(stream, "                    particle: %s\n", text);
  }
}

/* All 0 without memory. */
static msd_softening softened_at(const scene *s, double frame_time, bool limit) {
  msd_softening softening = {.stiffness_left = 1};
  msd_world_find_softening(s->world, (msd_real)frame_time, limit, &softening);
  return softening;
}

static void print_certified(const scene *s, const stability_report *all, FILE *stream) {
  const msd_stability *limit = &all->why.limit;
  const msd_integrator integrator = msd_world_get_integrator(s->world);
  if (limit->substeps > 0)
    fprintf(stream, "  substeps          %d", (int)limit->substeps);
  else
    fprintf(stream, "  substeps          no number is stable");
  fprintf(stream, " for a frame of %s", limit_text(all, limit->substep).text);
  if (integrator != MSD_SYMPLECTIC_EULER)
    fprintf(stream, " with %s", msd_integrator_name(integrator));
  fputc('\n', stream);
  const int other = limit->integrator_substeps[MSD_SYMPLECTIC_EULER];
  if (limit->substeps == 0 && other > 0)
    fprintf(stream, "  remedy            msd run --integrator symplectic_euler, which needs %d\n", other);
}

/* What makes any number of substeps stable, and why it does not take one. */
static void print_unlimited(const scene *s, const stability_report *report, const char *label,
                            const char *name, const char *why, FILE *stream) {
  fprintf(stream, "  %-18s%s: any number of substeps is stable, at any stiffness;\n                    %s\n",
          label, name, why);
  if (!s->is_auto && report->run_substeps > 0)
    fprintf(stream, "  msd run takes     %d, from the scene file\n", report->run_substeps);
}

static void print_mass_scaling(const scene *s, const stability_report *report, FILE *stream) {
  print_unlimited(s, report, "mass scaling", msd_mass_scaling_name(msd_world_get_mass_scaling(s->world)),
                  "automatic substeps keep the added inertia small", stream);
}

static void print_solver(const scene *s, const stability_report *report, FILE *stream) {
  print_unlimited(s, report, "solver", msd_solver_name(msd_world_get_solver(s->world)),
                  "with automatic substeps gravity stretches the longest chain of rigid springs by 1 or 2 %",
                  stream);
}

/* Where a run takes another number than the fewest that are stable. */
static void print_taken(const scene *s, const stability_report *report, FILE *stream) {
  const int taken = report->run_substeps, certified = report->why.limit.substeps;
  if (taken == certified || taken == 0)
    return;
  fprintf(stream, "  msd run takes     %d, ", taken);
  if (!s->is_auto)
    fprintf(stream, "from the scene file%s\n",
            certified == 0 || taken < certified ? ": the substep is longer than the stable limit" : "");
  else if (taken > certified)
    fprintf(stream, "so that springs whose stiffness follows the substep stretch by about %s at rest\n",
            units_percent(SCENE_STRETCH).text);
  else
    fprintf(stream, "since substeps soften constraints that have collapsed or blown up\n");
}

static void print_remedies(const scene *s, const msd_stability_explanation *report, FILE *stream) {
  const msd_stability_remedy *remedy = &report->remedy;
  char text[400];
  text_line line = text_line_begin(text, sizeof text);
  if (report->limit.used < 1)
    return;
  if (remedy->stiffness_factor > 0)
    text_list(&line, "1/%s of the stiffness and 1/%s of the damping",
              units_number(1 / remedy->stiffness_factor, 2).text,
              units_number(1 / remedy->damping_factor, 2).text);
  if (isfinite(remedy->mass_factor))
    text_list(&line, "%s times the mass", units_number(remedy->mass_factor, 2).text);
  if (remedy->coefficient_factor > 0 && isfinite(remedy->coefficient_factor))
    text_list(&line, "1/%s of ck and cd", units_number(1 / remedy->coefficient_factor, 2).text);
  const msd_softening softening = softened_at(s, report->limit.substep, true);
  text_list(&line, "--clamp-stiffness (clamps %s spring%s", units_count(softening.springs).text,
            softening.springs == 1 ? "" : "s");
  if (softening.constraints > 0)
    text_add(&line, " and %s constraint%s", units_count(softening.constraints).text,
             softening.constraints == 1 ? "" : "s");
  text_add(&line, ")");
  fprintf(stream, "  in one substep    any one of: %s\n", text);
}

/* s, of a run. */
static double substep_of(const stability_report *report) {
  return report->why.limit.substep / (report->run_substeps > 0 ? report->run_substeps : 1);
}

/* At the substep that a run takes, which springs may follow with their stiffness. All 0 without memory. */
static msd_static_stretch stretch_at_rest(const scene *s, const stability_report *report) {
  msd_static_stretch stretch = {0};
  msd_world_estimate_stretch(s->world, (msd_real)substep_of(report), &stretch);
  return stretch;
}

static void print_energy(const scene *s, const stability_report *report, FILE *stream) {
  const double limit = report->why.limit.energy_safe_substep;
  fprintf(stream, "  energy            ");
  if (report->is_energy_safe) {
    fprintf(stream, "falls in each substep where no spring is stretched (up to %s%s)\n",
            limit_text(report, limit).text,
            substep_of(report) <= limit ? "" : ", and clamped at that of a run");
    return;
  }
  fprintf(stream, "can rise within a substep, since damping is small");
  if (msd_world_get_mass_scaling(s->world) == MSD_MASS_SCALING_NONE)
    fprintf(stream, "; --energy-mode bounded limits what it gains");
  if (limit > 0)
    fprintf(stream, "; falls in substeps up to %s", limit_text(report, limit).text);
  fputc('\n', stream);
}

typedef struct stretch_text {
  char text[64];
} stretch_text;

static stretch_text describe_stretch(double stretch) {
  stretch_text t;
  if (!isfinite(stretch))
    snprintf(t.text, sizeof t.text, "unknown: some particles hang by no stiffness");
  else if (stretch < 2)
    snprintf(t.text, sizeof t.text, "%s", units_percent(stretch).text);
  else
    snprintf(t.text, sizeof t.text, "%.40s times the length", units_number(1 + stretch, 2).text);
  return t;
}

void stability_report_describe_stretch(const scene *s, const stability_report *report, char *text,
                                       size_t size) {
  const msd_static_stretch stretch = stretch_at_rest(s, report);
  text_line line = text_line_begin(text, size);
  char unseen[160];
  stretch_unseen(&stretch, unseen, sizeof unseen);
  if (!(stretch.present > 0))
    return;
  if (isfinite(stretch.present))
    text_add(&line, "estimate at rest: %s below pins, more at corners",
             describe_stretch(stretch.present).text);
  else
    text_add(&line, "%s", describe_stretch(stretch.present).text);
  if (unseen[0] != '\0')
    text_add(&line, "; %s not counted", unseen);
}

static void print_stretch(const scene *s, const stability_report *report, FILE *stream) {
  const msd_static_stretch stretch = stretch_at_rest(s, report);
  char unseen[160];
  if (!(stretch.present > 0))
    return;
  stretch_unseen(&stretch, unseen, sizeof unseen);
  fprintf(stream,
          "  stretch at rest   %s expected with substeps of %s; %s with the maximum stable stiffness\n",
          describe_stretch(stretch.present).text, limit_text(report, stretch.substep).text,
          describe_stretch(stretch.max_stable).text);
  fprintf(stream, "                    an estimate for springs that hang straight from pins%s%s\n",
          unseen[0] ? "; not counted: " : "", unseen);
}

/* ------------------------------------------------------------------------------------------- two lines of it
   */

/* "46 substeps per frame (0.362 ms each), ". */
static void add_substeps(text_line *line, const stability_report *all) {
  const units_scale scale = scale_of(all);
  text_add(line, "%d substep%s per frame (%s %s each), ", all->run_substeps,
           all->run_substeps == 1 ? "" : "s", units_in(&scale, substep_of(all)).text, scale.unit);
}

void stability_report_describe(const scene *s, const stability_report *all, char *text, size_t size) {
  const msd_stability *limit = &all->why.limit;
  const char *integrator = msd_integrator_name(msd_world_get_integrator(s->world));
  const bool clamps = msd_world_get_clamp_stiffness(s->world);
  text_line line = text_line_begin(text, size);
  if (all->run_substeps > 0)
    add_substeps(&line, all);
  if (msd_world_get_solver(s->world) != MSD_SOLVER_EXPLICIT)
    text_add(&line, "stable at any number (Gauss-Seidel)");
  else if (msd_world_get_mass_scaling(s->world) != MSD_MASS_SCALING_NONE)
    text_add(&line, "stable at any number (mass scaling)");
  else if (limit->substeps == 0)
    text_add(&line, "NOT proven stable: no number of substeps is with %s", integrator);
  else if (all->run_substeps < limit->substeps && !s->is_auto)
    text_add(&line, "NOT stable: %d are needed", (int)limit->substeps);
  else if (limit->substeps == 1 &&
           isinf(limit->integrator_stable_substep[msd_world_get_integrator(s->world)]))
    text_add(&line, "stable at any number%s", clamps ? " (clamped stiffness)" : "");
  else
    text_add(&line, "stable %s%s",
             limit->every_shape ? "in every configuration"
                                : "at the start, constraints softened later if needed",
             clamps ? " (clamped stiffness)" : "");
  if (all->run_substeps > limit->substeps && limit->substeps > 0 && s->is_auto)
    text_add(&line, "; more than the %d that are stable, to stretch less", (int)limit->substeps);
}

/* What makes the limit of the springs no limit of a run. */
static const char *unlimited_by(const msd_world *world) {
  return msd_world_get_solver(world) != MSD_SOLVER_EXPLICIT           ? "with the explicit solver"
         : msd_world_get_mass_scaling(world) != MSD_MASS_SCALING_NONE ? "without mass scaling"
         : msd_world_get_clamp_stiffness(world)                       ? "without clamping"
                                                                      : NULL;
}

void stability_report_describe_limit(const scene *s, const stability_report *all, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  char who[LIMITING_TEXT_MAX];
  limiting_describe(&all->limiting, who, sizeof who);
  if (*who == '\0')
    return;
  text_add(&line, "limit ");
  if (unlimited_by(s->world) != NULL)
    text_add(&line, "%s ", unlimited_by(s->world));
  text_add(&line, "%s, set by %s", limit_text(all, all->why.limit.stable_substep).text, who);
}

bool stability_report_may_gain_energy(const scene *s, const stability_report *all) {
  return !all->is_energy_safe && msd_world_get_energy_mode(s->world) == MSD_ENERGY_OFF &&
         msd_world_get_mass_scaling(s->world) == MSD_MASS_SCALING_NONE &&
         msd_world_get_solver(s->world) == MSD_SOLVER_EXPLICIT &&
         msd_world_get_collision_mesh_count(s->world) == 0;
}

double stability_report_substep(const stability_report *all) {
  return substep_of(all);
}

/* Springs and constraints, of which an estimate takes about 0.2 s. */
enum { ESTIMATED_UNASKED = 200000 };

static bool is_small(const msd_world *world) {
  return (int64_t)msd_world_get_spring_count(world) + msd_world_get_constraint_count(world) <=
         ESTIMATED_UNASKED;
}

/* Clamping depends on the substep. */
static msd_result find_energy(const msd_world *world, stability_report *report) {
  const double substep = substep_of(report);
  report->is_energy_safe = substep <= report->why.limit.energy_safe_substep;
  if (report->is_energy_safe || msd_world_get_clamp_stiffness(world) == false)
    return MSD_OK;
  msd_stability softened;
  const msd_result result = msd_world_analyze_stability(world, (msd_real)substep, &softened);
  report->is_energy_safe = result == MSD_OK && softened.energy_safe;
  return result;
}

bool stability_report_make(const scene *s, bool with_estimate, stability_report *out, problem *p) {
  *out = (stability_report){.run_substeps = s->substeps, .linearized_limit = -1};
  const msd_real frame = (msd_real)s->frame_time;
  msd_result result = msd_world_explain_stability(s->world, frame, &out->why);
  if (result == MSD_OK)
    limiting_find(s, &out->why, &out->limiting);
  if (result == MSD_OK && s->substeps == 0)
    result = msd_world_find_substeps(s->world, frame, &out->run_substeps);
  if (result == MSD_OK)
    result = find_energy(s->world, out);
  if (result == MSD_OK && (with_estimate || is_small(s->world)))
    result = msd_world_estimate_current_limit(s->world, frame, &out->linearized_limit);
  if (result == MSD_OK)
    out->parts = step_parts_find(s);
  if (result == MSD_OK) {
    softening_table_make(s->world, s->frame_time, out->why.limit.substeps, out->run_substeps,
                         &out->softening);
    softening_table_find_light(s->world, s->frame_time, &out->softening);
  }
  return result == MSD_OK ||
         problem_set(p, "%s: a frame time of %g s: %s", s->path, s->frame_time, msd_result_string(result));
}

void stability_report_print(const scene *s, const stability_report *report, FILE *stream) {
  const msd_stability_explanation *why = &report->why;
  print_limits(report, stream);
  print_culprit(s, report, stream);
  print_certified(s, report, stream);
  if (msd_world_get_solver(s->world) != MSD_SOLVER_EXPLICIT) {
    print_solver(s, report, stream);
    return;
  }
  if (msd_world_get_mass_scaling(s->world) != MSD_MASS_SCALING_NONE) {
    print_mass_scaling(s, report, stream);
    print_energy(s, report, stream);
    print_stretch(s, report, stream);
    return;
  }
  mass_redistribution_report_print(s, "  redistribution    ", stream);
  step_parts_print(&report->parts, stream);
  print_taken(s, report, stream);
  print_energy(s, report, stream);
  softening_table_print(s, &report->softening, stream);
  print_remedies(s, why, stream);
  if (why->max_stable_max > 0)
    fprintf(
        stream,
        "  coefficients      ck = cd below %s is stable for all springs at once, %s to %s for each alone\n",
        units_number(why->coefficient_limit, 3).text, units_number(why->max_stable_min, 3).text,
        units_number(why->max_stable_max, 3).text);
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
    *failed |= add(limits, msd_integrator_name((msd_integrator)n),
                   json_number(report->integrator_stable_substep[n]));
  return limits;
}

int stability_report_json(const scene *s, const stability_report *all, json_t *object) {
  const msd_stability_explanation *why = &all->why;
  const msd_stability *report = &why->limit;
  const msd_stability_cause *cause = &why->cause;
  const msd_stability_remedy *remedy = &why->remedy;
  int failed = mass_redistribution_report_json(s, object);
  failed |= add(object, "stable_substep", json_number(report->stable_substep));
  failed |= add(object, "rotor_stable_substep", json_number(report->rotor_stable_substep));
  failed |= add(object, "stable_substep_quick", json_number(report->stable_substep_quick));
  failed |= add(object, "current_stable_substep",
                all->linearized_limit < 0 ? json_null() : json_number(all->linearized_limit));
  failed |= add(object, "energy_safe_substep", json_number(report->energy_safe_substep));
  failed |= add(object, "energy_safe", json_boolean(all->is_energy_safe));
  failed |= add(object, "integrator_stable_substep", integrators_json(report, &failed));
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
  const msd_softening capped = softened_at(s, report->substep, true);
  msd_softening softened = {0};
  if (msd_world_get_clamp_stiffness(s->world) == false)
    softened = softened_at(s, report->substep, false);
  failed |= add(object, "clamped_springs", json_integer(capped.springs));
  failed |= add(object, "clamped_constraints", json_integer(capped.constraints));
  failed |= add(object, "softened_constraints", json_integer(softened.constraints));
  failed |= add(object, "clamped_stiffness", json_number(capped.stiffness_left));
  failed |= add(object, "coefficient_limit", json_number(why->coefficient_limit));
  failed |= add(object, "max_stable_min", json_number(why->max_stable_min));
  failed |= add(object, "max_stable_max", json_number(why->max_stable_max));
  const msd_static_stretch stretch = stretch_at_rest(s, all);
  failed |= add(object, "static_stretch", json_number(stretch.present));
  failed |= add(object, "static_stretch_max_stable", json_number(stretch.max_stable));
  return failed;
}

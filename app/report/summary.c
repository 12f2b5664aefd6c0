#include "app/report/summary.h"

#include "app/base/numbers.h"
#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/contact_report.h"
#include "app/report/contents.h"
#include "app/report/places.h"

#include <inttypes.h>
#include <math.h>

enum { LINE_TEXT_MAX = 600, LABEL_MAX = 32 };

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

/* Every line but the first: a label, and what it says. An empty label continues the line before. */
static void print_line(const char *label, const char *text, FILE *stream) {
  char indented[LABEL_MAX];
  snprintf(indented, sizeof indented, "  %s", label);
  text_print(indented, 14, text, stream);
}

/* Not in a scene of rotors alone. */
static bool has_particles(const run_report *report) {
  return report->stats.particles > 0 || report->stats.rotors == 0;
}

static bool collides(const run_report *report) {
  return report->stats.colliders + report->stats.collision_meshes > 0;
}

/* "16x real time", "0.6x real time". */
static void add_real_time(text_line *line, const run_report *report) {
  if (report->time > 0 && report->wall_seconds > 0)
    text_add(line, " (%sx real time)", units_number(report->time / report->wall_seconds, 2).text);
}

static void print_verdict(const run_report *report, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  const double wanted = (double)report->frames_wanted * report->frame_time;
  if (report->frames < report->frames_wanted)
    text_add(&line, "%s after %s of %s s (frame %" PRId64 " of %" PRId64 ")",
             report->failed ? "failed" : "interrupted", units_number(report->time, 3).text,
             units_number(wanted, 3).text, report->frames, report->frames_wanted);
  else
    text_add(&line, "simulated %s s", units_number(report->time, 4).text);
  text_add(&line, " in %s s", units_number(report->wall_seconds, 2).text);
  add_real_time(&line, report);
  if (report->resumed_from >= 0)
    text_add(&line, ", resumed from frame %" PRId64, report->resumed_from);
  fprintf(stream, "%s: %s\n", report->scene->name, text);
}

static void print_model(const run_report *report, FILE *stream) {
  char text[LINE_TEXT_MAX], bodies[CONTENTS_MAX];
  contents_describe_elements(report->scene, &report->stats, text, sizeof text);
  contents_describe_bodies(report->scene, &report->stats, bodies, sizeof bodies);
  text_line line = {.text = text, .size = sizeof text, .used = strlen(text)};
  if (*bodies != '\0')
    text_list(&line, "%s", bodies);
  print_line("model", text, stream);
}

/* The setting with which symplectic Euler is stable at any substep; NULL: there is none. */
static const char *why_any_is_stable(const msd_world *world) {
  return msd_world_get_integrator(world) != MSD_SYMPLECTIC_EULER      ? NULL
         : msd_world_get_solver(world) != MSD_SOLVER_EXPLICIT         ? "Gauss-Seidel"
         : msd_world_get_mass_scaling(world) != MSD_MASS_SCALING_NONE ? "mass scaling"
         : msd_world_get_clamp_stiffness(world)                       ? "clamped stiffness"
                                                                      : NULL;
}

/* Two numbers that would read alike have a digit more. */
static void add_stability(text_line *line, const run_report *report, const units_scale *scale, double taken) {
  const certificate *c = &report->certificate;
  const char *why = why_any_is_stable(report->scene->world),
             *initial = c->every_shape ? "" : " (initial configuration)";
  if (report->in_parts)
    return;
  if ((c->step > 0 && isinf(c->step)) || (why != NULL && certificate_holds(c)))
    text_add(line, "; stable at any substep%s%s%s", why != NULL ? " (" : "", why != NULL ? why : "",
             why != NULL ? ")" : "");
  else if (!(c->step > 0))
    text_add(line, "; no bound known");
  else if (taken > c->step && !certificate_holds(c))
    text_add(line, "; NOT stable above %s %s%s", units_in(scale, c->step).text, scale->unit, initial);
  else {
    const bool alike = strcmp(units_in(scale, c->step).text, units_in(scale, taken).text) == 0;
    text_add(line, "; stable up to %s %s%s",
             alike ? units_number(c->step * scale->factor, 4).text : units_in(scale, c->step).text,
             scale->unit, initial);
  }
  if (run_report_clamped(report) > 0)
    text_add(line, "; %s spring%s clamped", units_count(run_report_clamped(report)).text,
             plural(run_report_clamped(report)));
}

static void print_time(const run_report *report, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  const units_scale scale = units_scale_of(report->frame_time, "s");
  const double taken = report->frame_time / report->substeps;
  text_add(&line, "%s frame%s of %s %s, ", units_count(report->frames).text, plural(report->frames),
           units_number(report->frame_time * scale.factor, 4).text, scale.unit);
  if (report->substeps_least != report->substeps)
    text_add(&line, "%d to ", report->substeps_least);
  text_add(&line, "%d substep%s of %s", report->substeps, plural(report->substeps),
           units_in(&scale, taken).text);
  if (report->substeps_least != report->substeps)
    text_add(&line, " to %s", units_in(&scale, report->frame_time / report->substeps_least).text);
  text_add(&line, " %s", scale.unit);
  add_stability(&line, report, &scale, taken);
  print_line("time", text, stream);
}

static void print_speed(const run_report *report, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  const msd_world *world = report->scene->world;
  const int threads = msd_world_get_thread_count(world);
  if (report->frames > 0)
    text_add(&line, "%s ms per frame",
             units_number(1000 * report->wall_seconds / (double)report->frames, 3).text);
  text_list(&line, "%d thread%s, %s", threads, plural(threads), precision_name());
  if (msd_world_get_integrator(world) != MSD_SYMPLECTIC_EULER)
    text_add(&line, ", %s", msd_integrator_name(msd_world_get_integrator(world)));
  if (!collides(report) && report->stats.springs > 0 && run_report_rate(report) > 0)
    text_add(&line, " (%s million springs/s)", units_number(run_report_rate(report) / 1e6, 3).text);
  if (report->method.made)
    text_add(&line, "; %s, chosen by --solver auto", method_name(report->method.chosen));
  print_line("speed", text, stream);
}

/* Below 0.001 % it is rounding. */
static units_text stretch_text(double stretch) {
  static const double negligible = 1e-5;
  return units_percent(fabs(stretch) < negligible ? 0 : stretch);
}

static void print_stretch(const run_report *report, FILE *stream) {
  const msd_stats *stats = &report->stats;
  char text[LINE_TEXT_MAX], where[PLACE_TEXT_MAX] = "";
  text_line line = text_line_begin(text, sizeof text);
  if (report->in_parts)
    ;
  else if (stats->max_stretch_spring >= 0)
    place_of_spring(report->scene, stats->max_stretch_spring, where, sizeof where);
  else if (stats->max_stretch_fiber >= 0)
    place_of_constraint(report->scene, stats->max_stretch_fiber, where, sizeof where);
  else
    return;
  text_add(&line, "%s mean, ", stretch_text(stats->mean_stretch).text);
  text_add(&line, "%s max at the end", stretch_text(stats->max_stretch).text);
  if (*where != '\0')
    text_add(&line, " (%s)", where);
  if (report->stretch.wanted > 0)
    text_add(&line, "; target %s %s", units_percent(report->stretch.wanted).text,
             report->stretch.plan.reached ? "reached" : "not reached");
  print_line("stretch", text, stream);
}

/* How far Gauss-Seidel is from convergence. */
static void print_residual(const run_report *report, FILE *stream) {
  const msd_solver_residual r = msd_world_get_solver_residual(report->scene->world);
  char text[LINE_TEXT_MAX], where[PLACE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  if (r.spring < 0)
    return;
  place_of_spring(report->scene, r.spring, where, sizeof where);
  text_add(
      &line,
      "lengths are up to %s from equilibrium with their forces (%s), %s on average; more substeps lower it",
      units_percent(r.largest).text, where, units_percent(r.mean).text);
  print_line("residual", text, stream);
}

/* Where the energy mode measures it; in the unit of the other energies. */
static void print_numerical_energy(const run_report *report, const units_scale *scale, FILE *stream) {
  const msd_world *world = report->scene->world;
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  if (msd_world_get_energy_mode(world) == MSD_ENERGY_OFF)
    return;
  const msd_energy_account account = msd_world_get_energy_account(world);
  text_add(&line, "%s %s numerical %s", units_in(scale, fabs(account.gain)).text, scale->unit,
           account.gain < 0 ? "loss" : "gain");
  if (msd_world_get_energy_mode(world) != MSD_ENERGY_MONITOR)
    text_add(&line, ", %s %s allowed; %s substep%s corrected", units_in(scale, account.allowance).text,
             scale->unit, units_count(account.bounded_substeps).text, plural(account.bounded_substeps));
  print_line("", text, stream);
}

static void print_energy(const run_report *report, FILE *stream) {
  const msd_stats *stats = &report->stats;
  const double potential = has_particles(report) ? stats->potential_energy : 0;
  const units_scale scale =
      units_scale_of(fmax(fmax(stats->kinetic_energy, stats->elastic_energy), fabs(potential)), "J");
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  text_add(&line, "%s %s kinetic, ", units_in(&scale, stats->kinetic_energy).text, scale.unit);
  text_add(&line, "%s %s elastic", units_in(&scale, stats->elastic_energy).text, scale.unit);
  if (has_particles(report))
    text_add(&line, ", %s %s potential at the end; max speed %s m/s", units_in(&scale, potential).text,
             scale.unit, units_number(stats->max_speed, 2).text);
  print_line("energy", text, stream);
  print_numerical_energy(report, &scale, stream);
}

static void print_damage(const msd_stats *stats, FILE *stream) {
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  if (stats->torn > 0)
    text_list(&line, "%s spring%s torn", units_count(stats->torn).text, plural(stats->torn));
  if (stats->split > 0)
    text_list(&line, "%s particle%s split", units_count(stats->split).text, plural(stats->split));
  if (stats->yielded > 0)
    text_list(&line, "%s spring%s yielded", units_count(stats->yielded).text, plural(stats->yielded));
  if (stats->yielded_constraints > 0)
    text_list(&line, "%s constraint%s yielded", units_count(stats->yielded_constraints).text,
              plural(stats->yielded_constraints));
  if (*text != '\0')
    print_line("damage", text, stream);
}

enum { ROTORS_SHOWN = 3 };

static void print_rotors(const msd_world *world, FILE *stream) {
  static const double turn = 6.283185307179586; /* rad */
  const int32_t rotors = msd_world_get_rotor_count(world);
  char text[LINE_TEXT_MAX];
  text_line line = text_line_begin(text, sizeof text);
  for (int32_t i = 0; i < rotors && i < ROTORS_SHOWN; i++)
    text_list(&line, "%s turns at %s rad/s", units_number(msd_rotor_get_angle(world, i) / turn, 4).text,
              units_number(msd_rotor_get_angular_velocity(world, i), 4).text);
  if (rotors > ROTORS_SHOWN)
    text_list(&line, "%s more (--trace-rotors FILE)", units_count(rotors - ROTORS_SHOWN).text);
  if (rotors > 0)
    print_line("rotors", text, stream);
}

static void print_warnings(const run_report *report, FILE *stream) {
  char text[WARNINGS_TEXT_MAX] = "";
  if (report->warnings != NULL)
    warnings_describe(report->warnings, text);
  if (*text != '\0')
    print_line("warnings", text, stream);
}

void summary_print(const run_report *report, bool with_details, FILE *stream) {
  char text[CONTACT_TEXT_MAX], clipped[CONTACT_TEXT_MAX], hash[20];
  if (report->unstable)
    return;
  print_verdict(report, stream);
  print_model(report, stream);
  print_time(report, stream);
  print_speed(report, stream);
  contact_report_describe(report->scene, &report->stats, report->steps, report->intersections, text, clipped);
  if (*text != '\0')
    print_line("contact", text, stream);
  if (*clipped != '\0')
    print_line("", clipped, stream);
  print_stretch(report, stream);
  print_residual(report, stream);
  print_energy(report, stream);
  print_damage(&report->stats, stream);
  print_rotors(report->scene->world, stream);
  if (with_details)
    summary_print_details(report, stream);
  print_warnings(report, stream);
  snprintf(hash, sizeof hash, "%016" PRIx64, msd_world_hash(report->scene->world));
  print_line("state hash", hash, stream);
}

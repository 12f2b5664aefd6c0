#include "app/report/summary.h"

#include "app/base/json_values.h"
#include "app/base/numbers.h"
#include "app/report/contact_report.h"
#include "app/report/mass_redistribution_report.h"

#include <inttypes.h>

double run_report_rate(const run_report *report) {
  return report->wall_seconds > 0
             ? (double)report->stats.springs * (double)report->steps / report->wall_seconds
             : 0;
}

int32_t run_report_clamped(const run_report *report) {
  return msd_world_get_clamp_stiffness(report->scene->world) ? report->certificate.softening.springs : 0;
}

/* One number for each rotor; *failed remembers that memory was short. */
static json_t *rotor_numbers(const msd_world *world, double (*get)(const msd_world *, int32_t), int *failed) {
  json_t *numbers = json_array();
  for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++)
    *failed |= json_array_append_new(numbers, json_number(get(world, i)));
  return numbers;
}

/* Into an object; *failed remembers that memory was short. */
#define KEY(name, value) *failed |= json_object_set_new(object, name, value)

static void put_rotors(json_t *object, const run_report *report, int *failed) {
  const msd_world *world = report->scene->world;
  if (report->stats.rotors == 0)
    return;
  KEY("rotors", json_integer(report->stats.rotors));
  KEY("torsion_springs", json_integer(report->stats.torsion_springs));
  KEY("angles", rotor_numbers(world, msd_rotor_get_angle, failed));
  KEY("angular_velocities", rotor_numbers(world, msd_rotor_get_angular_velocity, failed));
}

static void put_stretch_target(json_t *object, const run_report *report, int *failed) {
  const msd_stretch_plan *plan = &report->stretch.plan;
  if (!(report->stretch.wanted > 0))
    return;
  KEY("stretch_target", json_number(report->stretch.wanted));
  KEY("stretch_target_reached", json_boolean(plan->reached));
  KEY("stretch_expected", json_number(plan->stretch));
  KEY("stretch_substeps_needed", json_integer(plan->substeps_needed));
  KEY("stiffness_factor", json_number(plan->stiffness_factor));
}

static void put_method(json_t *object, const run_report *report, int *failed) {
  static const char *const methods[METHOD_COUNT] = {"explicit", "mass_scaling", "gauss_seidel"};
  const method_choice *choice = &report->method;
  if (!choice->made)
    return;
  const method_prospect *chosen = &choice->of[choice->chosen];
  char text[METHOD_TEXT_MAX];
  method_describe(choice, text, sizeof text);
  KEY("method", json_string(methods[choice->chosen]));
  KEY("method_choice", json_string(text));
  KEY("stretch_target", json_number(choice->wanted));
  KEY("stretch_target_reached", json_boolean(chosen->reached));
  KEY("stretch_expected", json_number(chosen->stretch));
  KEY("stretch_substeps_needed", json_integer(chosen->needed));
  KEY("frame_cost_expected", json_number(chosen->cost));
}

static void put_made_energy(json_t *object, const run_report *report, int *failed) {
  const msd_world *world = report->scene->world;
  const msd_energy_account account = msd_world_get_energy_account(world);
  KEY("energy_mode", json_string(msd_energy_mode_name(msd_world_get_energy_mode(world))));
  KEY("numerical_energy_gain", json_number(account.gain));
  KEY("energy_allowance", json_number(account.allowance));
  KEY("bounded_substeps", json_integer(account.bounded_substeps));
  double part;
  const int32_t spring = energy_ledger_most(report->ledger, world, &part);
  KEY("energy_gain_most_by_spring", spring >= 0 ? json_integer(spring) : json_null());
  KEY("energy_gain_most_fraction", spring >= 0 ? json_number(part) : json_null());
}

static void put_residual(json_t *object, const run_report *report, int *failed) {
  const msd_world *world = report->scene->world;
  if (msd_world_get_solver(world) != MSD_SOLVER_GAUSS_SEIDEL)
    return;
  const msd_solver_residual r = msd_world_get_solver_residual(world);
  KEY("solver_residual", json_number(r.largest));
  KEY("solver_residual_mean", json_number(r.mean));
  KEY("solver_residual_spring", r.spring >= 0 ? json_integer(r.spring) : json_null());
}

static json_t *first_intersecting(const intersection_tally *t, int which) {
  char text[INTERSECTION_TEXT_MAX];
  if (t->intersections == 0)
    return json_null();
  intersection_tally_describe_first(t, which, text, sizeof text);
  return json_string(text);
}

static void put_intersections(json_t *object, const run_report *report, int *failed) {
  const intersection_tally *t = report->intersections;
  if (t->scene == NULL)
    return;
  KEY("intersections", json_integer(t->intersections));
  KEY("intersections_at_start", json_integer(t->at_start));
  KEY("intersecting_frames", json_integer(t->crossed_frames));
  KEY("first_intersection_frame", t->intersections > 0 ? json_integer(t->first_frame) : json_null());
  KEY("first_intersection_of", first_intersecting(t, 0));
  KEY("first_intersection_with", first_intersecting(t, 1));
}

/* Found from the whole scene. */
static void put_certificate(json_t *object, const run_report *report, int *failed) {
  const bool is_known = !report->in_parts;
  const double left = run_report_clamped(report) > 0 ? report->certificate.softening.stiffness_left : 1;
  KEY("stable_substep", is_known ? json_number(report->certificate.step) : json_null());
  KEY("clamped_springs", is_known ? json_integer(run_report_clamped(report)) : json_null());
  KEY("clamped_stiffness", is_known ? json_number(left) : json_null());
}

static void put_momentum(json_t *object, const msd_stats *stats, int *failed) {
  json_t *momentum = json_array();
  for (int c = 0; c < 3; c++)
    *failed |= json_array_append_new(momentum, json_number(stats->momentum[c]));
  KEY("momentum", momentum);
}

bool summary_print_json(const run_report *report, FILE *stream) {
  const msd_world *world = report->scene->world;
  const msd_stats *stats = &report->stats;
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, msd_world_hash(world));
  json_t *object = json_object();
  int status = 0, *failed = &status;
  KEY("scene", json_string(report->scene->name));
  KEY("particles", json_integer(stats->particles));
  KEY("springs", json_integer(stats->springs));
  KEY("constraints", json_integer(stats->constraints));
  KEY("soft_pins", json_integer(stats->soft_pins));
  KEY("pinned", json_integer(stats->pinned));
  KEY("asleep", json_integer(stats->asleep));
  put_rotors(object, report, failed);
  KEY("total_substeps", json_integer(report->steps));
  KEY("substeps", json_integer(report->substeps));
  KEY("substeps_min", json_integer(report->substeps_least));
  KEY("substeps_max", json_integer(report->substeps));
  KEY("frames", json_integer(report->frames));
  KEY("resumed_from", report->resumed_from >= 0 ? json_integer(report->resumed_from) : json_null());
  KEY("time", json_number(report->time));
  KEY("origin",
      json_pack("[f,f,f]", report->scene->origin[0], report->scene->origin[1], report->scene->origin[2]));
  KEY("frame_time", json_number(report->frame_time));
  KEY("integrator", json_string(msd_integrator_name(msd_world_get_integrator(world))));
  KEY("clamp_stiffness", json_boolean(msd_world_get_clamp_stiffness(world)));
  KEY("threads", json_integer(msd_world_get_thread_count(world)));
  KEY("precision", json_string(precision_name()));
  KEY("wall_seconds", json_number(report->wall_seconds));
  KEY("springs_per_second", json_number(run_report_rate(report)));
  KEY("kinetic_energy", json_number(stats->kinetic_energy));
  KEY("elastic_energy", json_number(stats->elastic_energy));
  KEY("potential_energy", json_number(stats->potential_energy));
  put_momentum(object, stats, failed);
  put_made_energy(object, report, failed);
  put_residual(object, report, failed);
  *failed |= contact_report_json(report->scene, stats, object);
  put_intersections(object, report, failed);
  KEY("torn", json_integer(stats->torn));
  KEY("yielded", json_integer(stats->yielded));
  KEY("yielded_constraints", json_integer(stats->yielded_constraints));
  KEY("split", json_integer(stats->split));
  KEY("max_stretch", json_number(stats->max_stretch));
  KEY("mean_stretch", json_number(stats->mean_stretch));
  KEY("max_speed", json_number(stats->max_speed));
  KEY("diverged", json_boolean(report->diverged));
  KEY("interrupted", json_boolean(report->interrupted));
  put_certificate(object, report, failed);
  *failed |= mass_redistribution_report_json(report->scene, object);
  put_stretch_target(object, report, failed);
  put_method(object, report, failed);
  if (report->warnings != NULL)
    *failed |= warnings_json(report->warnings, object);
  KEY("version", json_string(msd_version()));
  KEY("hash", json_string(hash));
  if (status == 0)
    status = json_dumpf(object, stream, JSON_INDENT(2));
  fputc('\n', stream);
  json_decref(object);
  return status == 0;
}

#undef KEY

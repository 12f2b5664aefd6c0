#include "app/report/summary.h"

#include "app/base/json_values.h"
#include "app/base/numbers.h"
#include "app/base/units.h"
#include "app/report/contact_report.h"
#include "app/report/mass_shift_report.h"
#include "app/report/stability_report.h"

#include <inttypes.h>
#include <math.h>

double run_report_rate(const run_report *report) {
  return report->wall_seconds > 0
             ? (double)report->stats.springs * (double)report->steps / report->wall_seconds
             : 0;
}

/* Springs softened at this substep: none without the limit, whatever the count would be with it. */
static int32_t capped_springs(const run_report *report) {
  return msd_world_get_limit(report->scene->world) == MSD_LIMIT_COEFFICIENTS
             ? report->certificate.softening.springs
             : 0;
}

/* Not in a scene of rotors alone. */
static bool has_particles(const run_report *report) {
  return report->stats.particles > 0 || report->stats.rotors == 0;
}

enum { ROTORS_SHOWN = 8 };

static void print_rotors(const msd_world *world, FILE *stream) {
  static const double turn = 6.283185307179586; /* rad */
  const int32_t rotors = msd_world_get_rotor_count(world);
  for (int32_t i = 0; i < rotors && i < ROTORS_SHOWN; i++) {
    const double angle = msd_rotor_get_angle(world, i);
    fprintf(stream, "  %-17s rotor %" PRId32 " at %.6g rad (%.4g turns), %.4g rad/s\n",
            i == 0 ? "angles" : "", i, angle, angle / turn, msd_rotor_get_angular_velocity(world, i));
  }
  if (rotors > ROTORS_SHOWN)
    fprintf(stream, "                    and %" PRId32 " more; --trace-rotors FILE writes them all\n",
            rotors - ROTORS_SHOWN);
}

static void print_wear(const msd_stats *stats, FILE *stream) {
  if (stats->torn > 0 || stats->yielded > 0 || stats->split > 0)
    fprintf(stream,
            "  wear              %" PRId32 " springs torn, %" PRId32 " yielded, %" PRId32
            " particles split\n",
            stats->torn, stats->yielded, stats->split);
  if (stats->yielded_constraints > 0)
    fprintf(stream, "  bent              %" PRId32 " constraints yielded\n", stats->yielded_constraints);
}

/* What the steps have made by themselves, where that is measured. */
static void print_made_energy(const run_report *report, FILE *stream) {
  const msd_world *world = report->scene->world;
  if (msd_world_get_energy(world) == MSD_ENERGY_PLAIN)
    return;
  const msd_energy_account account = msd_world_get_energy_account(world);
  fprintf(stream, "  made by the steps %s", units_si(account.made, "J").text);
  if (msd_world_get_energy(world) != MSD_ENERGY_MEASURED)
    fprintf(stream, ", %s allowed; %" PRId64 " substeps taken with other forces",
            units_si(account.credit, "J").text, account.guarded_substeps);
  fputc('\n', stream);
  double part;
  const int32_t spring = energy_ledger_most(report->ledger, world, &part);
  if (spring < 0 || account.made == 0)
    return;
  char where[256];
  scene_describe_spring(report->scene, spring, where, sizeof where);
  fprintf(stream, "                    most of it, %.3g %%, by %s\n", 100 * part, where);
}

/* Where the run was asked to check. */
static void print_intersections(const run_report *report, FILE *stream) {
  char text[INTERSECTION_TEXT_MAX];
  if (report->intersections->scene == NULL)
    return;
  intersection_tally_describe(report->intersections, text);
  fprintf(stream, "  intersections     %s\n", text);
}

/* Of springs and fibres. */
static void print_stretch(const run_report *report, FILE *stream) {
  const msd_stats *stats = &report->stats;
  char where[256];
  if (stats->max_stretch_spring >= 0)
    scene_describe_spring(report->scene, stats->max_stretch_spring, where, sizeof where);
  else if (stats->max_stretch_fibre >= 0)
    stability_report_constraint(report->scene, stats->max_stretch_fibre, where, sizeof where);
  else
    return;
  fprintf(stream, "  stretch           %.4g %% mean, %.4g %% at most: %s\n", 100 * stats->mean_stretch,
          100 * stats->max_stretch, where);
}

static void print_state(const run_report *report, FILE *stream) {
  const msd_stats *stats = &report->stats;
  fprintf(stream, "  energy            %s kinetic, %s elastic", units_si(stats->kinetic_energy, "J").text,
          units_si(stats->elastic_energy, "J").text);
  if (has_particles(report))
    fprintf(stream, ", %s potential\n  momentum          %.4g, %.4g, %.4g kg m/s",
            units_si(stats->potential_energy, "J").text, stats->momentum[0], stats->momentum[1],
            stats->momentum[2]);
  fputc('\n', stream);
  print_made_energy(report, stream);
  print_wear(stats, stream);
  print_stretch(report, stream);
  if (has_particles(report))
    fprintf(stream, "  top speed         %s\n", units_si(stats->max_speed, "m/s").text);
  print_rotors(report->scene->world, stream);
}

/* Of the integrator at the start: with stiff constraints it changes with the shape. */
static void print_time_step(const run_report *report, FILE *stream) {
  const certificate *c = &report->certificate;
  fprintf(stream, "  stable time step  %s certified for %s%s, %s taken\n",
          isinf(c->step) ? "any"
          : c->step > 0  ? units_si(c->step, "s").text
                         : "none",
          msd_integrator_name(msd_world_get_integrator(report->scene->world)),
          c->every_shape ? "" : " at the shape of the start",
          units_si(report->time_step / report->substeps, "s").text);
}

static void print_particles(const run_report *report, FILE *stream) {
  fprintf(stream, "  particles         %" PRId32 ", %" PRId32 " pinned", report->stats.particles,
          report->stats.pinned);
  if (msd_world_get_sleep(report->scene->world).speed > 0)
    fprintf(stream, ", %" PRId32 " asleep in the end", report->stats.asleep);
  fprintf(stream, "\n  springs           %" PRId32 "\n", report->stats.springs);
}

void summary_print(const run_report *report, FILE *stream) {
  const scene *s = report->scene;
  const msd_world *world = s->world;
  fprintf(stream, "%s%s%s\n", s->name, *s->title != '\0' ? ": " : "", s->title);
  if (has_particles(report))
    print_particles(report, stream);
  if (report->stats.constraints > 0)
    fprintf(stream, "  constraints       %" PRId32 "\n", report->stats.constraints);
  if (report->stats.anchors > 0)
    fprintf(stream, "  anchors           %" PRId32 "\n", report->stats.anchors);
  if (report->stats.rotors > 0)
    fprintf(stream, "  rotors            %" PRId32 ", %" PRId32 " angular springs\n", report->stats.rotors,
            report->stats.angular_springs);
  char substeps[32] = "";
  if (report->substeps_least != report->substeps)
    snprintf(substeps, sizeof substeps, "%d to ", report->substeps_least);
  fprintf(stream, "  simulated         %s: %" PRId64 " frames of %s, %s%d substep%s each\n",
          units_si(report->time, "s").text, report->frames, units_si(report->time_step, "s").text, substeps,
          report->substeps, report->substeps == 1 ? "" : "s");
  if (report->resumed_from >= 0)
    fprintf(stream, "  resumed           from frame %" PRId64 "\n", report->resumed_from);
  if (report->frames < report->frames_wanted)
    fprintf(stream, "  stopped           %s after frame %" PRId64 " of %" PRId64 "\n",
            report->diverged ? "diverged"
            : report->failed ? "failed"
                             : "interrupted",
            report->frames, report->frames_wanted);
  fprintf(stream, "  integrator        %s, %s, %d thread%s\n",
          msd_integrator_name(msd_world_get_integrator(world)), precision_name(),
          msd_world_get_thread_count(world), msd_world_get_thread_count(world) == 1 ? "" : "s");
  fprintf(stream, "  wall time         %s of stepping", units_si(report->wall_seconds, "s").text);
  if (report->stats.springs > 0)
    fprintf(stream, ", %s", units_si(run_report_rate(report), "springs/s").text);
  fputc('\n', stream);
  print_state(report, stream);
  contact_report_print(report->scene, &report->stats, stream);
  print_intersections(report, stream);
  print_time_step(report, stream);
  mass_shift_report_print(s, stream);
  if (report->method.made) {
    char text[METHOD_TEXT_MAX];
    method_describe(&report->method, text, sizeof text);
    fprintf(stream, "  method            %s\n", text);
  }
  if (report->stretch.wanted > 0) {
    char text[256];
    stretch_describe(&report->stretch, text, sizeof text);
    fprintf(stream, "  stretch target    %s\n", text);
  }
  if (capped_springs(report) > 0)
    fprintf(stream,
            "  softened          %" PRId32
            " springs to the stiffest certified at this substep; of the one that loses "
            "most %.3g %% is left\n",
            capped_springs(report), 100 * report->certificate.softening.stiffness_left);
  fprintf(stream, "  state hash        %016" PRIx64 "\n", msd_world_hash(world));
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
  KEY("angular_springs", json_integer(report->stats.angular_springs));
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
  const method_choice *choice = &report->method;
  if (!choice->made)
    return;
  const method_prospect *chosen = &choice->of[choice->chosen];
  char text[METHOD_TEXT_MAX];
  method_describe(choice, text, sizeof text);
  KEY("method", json_string(method_name(choice->chosen)));
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
  KEY("energy", json_string(msd_energy_name(msd_world_get_energy(world))));
  KEY("energy_made_by_steps", json_number(account.made));
  KEY("energy_credit", json_number(account.credit));
  KEY("guarded_substeps", json_integer(account.guarded_substeps));
  double part;
  const int32_t spring = energy_ledger_most(report->ledger, world, &part);
  KEY("energy_made_most_by_spring", spring >= 0 ? json_integer(spring) : json_null());
  KEY("energy_made_most_part", spring >= 0 ? json_number(part) : json_null());
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
  KEY("anchors", json_integer(stats->anchors));
  KEY("pinned", json_integer(stats->pinned));
  KEY("asleep", json_integer(stats->asleep));
  put_rotors(object, report, failed);
  KEY("steps", json_integer(report->steps));
  KEY("substeps", json_integer(report->substeps));
  KEY("substeps_min", json_integer(report->substeps_least));
  KEY("substeps_max", json_integer(report->substeps));
  KEY("frames", json_integer(report->frames));
  KEY("resumed_from", report->resumed_from >= 0 ? json_integer(report->resumed_from) : json_null());
  KEY("time", json_number(report->time));
  KEY("dt", json_number(report->time_step));
  KEY("integrator", json_string(msd_integrator_name(msd_world_get_integrator(world))));
  KEY("limit", json_string(msd_world_get_limit(world) == MSD_LIMIT_COEFFICIENTS ? "coefficients" : "none"));
  KEY("threads", json_integer(msd_world_get_thread_count(world)));
  KEY("precision", json_string(precision_name()));
  KEY("wall_seconds", json_number(report->wall_seconds));
  KEY("springs_per_second", json_number(run_report_rate(report)));
  KEY("kinetic_energy", json_number(stats->kinetic_energy));
  KEY("elastic_energy", json_number(stats->elastic_energy));
  KEY("potential_energy", json_number(stats->potential_energy));
  put_momentum(object, stats, failed);
  put_made_energy(object, report, failed);
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
  KEY("stable_time_step", json_number(report->certificate.step));
  KEY("capped_springs", json_integer(capped_springs(report)));
  KEY("capped_stiffness",
      json_number(capped_springs(report) > 0 ? report->certificate.softening.stiffness_left : 1));
  *failed |= mass_shift_report_json(report->scene, object);
  put_stretch_target(object, report, failed);
  put_method(object, report, failed);
  KEY("version", json_string(msd_version()));
  KEY("hash", json_string(hash));
  if (status == 0)
    status = json_dumpf(object, stream, JSON_INDENT(2));
  fputc('\n', stream);
  json_decref(object);
  return status == 0;
}

#undef KEY

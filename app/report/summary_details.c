/* The lines that msd run --details adds to its summary. */
#include "app/report/summary.h"

#include "app/base/units.h"
#include "app/report/contact_report.h"
#include "app/report/mass_redistribution_report.h"

#include <inttypes.h>
#include <math.h>

enum { PLACE_MAX = 256 };

static void print_stability(const run_report *report, FILE *stream) {
  const certificate *c = &report->certificate;
  const units_scale scale = units_scale_of(report->frame_time, "s");
  if (report->in_parts)
    return;
  fprintf(stream, "    stable substep       ");
  if (isinf(c->step))
    fprintf(stream, "any");
  else if (c->step > 0)
    fprintf(stream, "%s %s", units_number(c->step * scale.factor, 4).text, scale.unit);
  else
    fprintf(stream, "no bound known");
  fprintf(stream, " with %s, %s; %s %s taken\n",
          msd_integrator_name(msd_world_get_integrator(report->scene->world)),
          c->every_shape ? "in every configuration" : "in the initial configuration",
          units_number(report->frame_time / report->substeps * scale.factor, 4).text, scale.unit);
  if (run_report_clamped(report) > 0)
    fprintf(stream, "    clamped stiffness    %s springs; the least stiffness kept is %s\n",
            units_count(run_report_clamped(report)).text, units_percent(c->softening.stiffness_left).text);
}

static void print_plan(const run_report *report, FILE *stream) {
  char text[METHOD_TEXT_MAX];
  if (report->method.made) {
    method_describe(&report->method, text, sizeof text);
    fprintf(stream, "    solver auto          %s\n", text);
  }
  if (report->stretch.wanted > 0) {
    stretch_describe(&report->stretch, text, sizeof text);
    fprintf(stream, "    stretch target       %s: %s\n", units_percent(report->stretch.wanted).text, text);
  }
}

static void print_motion(const run_report *report, FILE *stream) {
  const msd_stats *stats = &report->stats;
  const double *p = stats->momentum;
  const units_scale plain = {.largest = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2])), .factor = 1};
  if (stats->particles > 0)
    fprintf(stream, "    momentum             %s, %s, %s kg m/s\n", units_in(&plain, p[0]).text,
            units_in(&plain, p[1]).text, units_in(&plain, p[2]).text);
  fprintf(stream, "    memory               %s\n", units_megabytes(stats->bytes).text);
}

static void print_rotors(const msd_world *world, FILE *stream) {
  for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++)
    fprintf(stream, "    rotor %-12" PRId32 "   %s rad, %s rad/s\n", i,
            units_number(msd_rotor_get_angle(world, i), 6).text,
            units_number(msd_rotor_get_angular_velocity(world, i), 4).text);
}

/* The spring that the numerical energy comes from most. */
static void print_numerical_energy(const run_report *report, FILE *stream) {
  double part;
  char where[PLACE_MAX];
  const int32_t spring = energy_ledger_most(report->ledger, report->scene->world, &part);
  if (spring < 0 || msd_world_get_energy_account(report->scene->world).gain == 0)
    return;
  scene_describe_spring(report->scene, spring, where, sizeof where);
  fprintf(stream, "    numerical energy     %s of it from %s\n", units_percent(part).text, where);
}

void summary_print_details(const run_report *report, FILE *stream) {
  fprintf(stream, "  details\n");
  if (*report->scene->title != '\0')
    fprintf(stream, "    title                %s\n", report->scene->title);
  print_stability(report, stream);
  print_plan(report, stream);
  mass_redistribution_report_print(report->scene, "    redistribution       ", stream);
  print_motion(report, stream);
  print_numerical_energy(report, stream);
  contact_report_print_details(report->scene, &report->stats, stream);
  print_rotors(report->scene->world, stream);
}

#include "app/run/frame_estimate.h"

#include "app/base/units.h"
#include "app/report/softening_table.h"
#include "app/report/substep_cost.h"

#include <stdio.h>

/* Springs, particles and constraints of all substeps of a frame, below which it takes a moment. */
static const double LONG_FRAME_WORK = 1e7;
static const double TOLD_FRAME_SECONDS = 2;

/* Finding what sets the substeps, and what fewer would clamp, takes as many passes over all springs as some
   REASON_PASSES substeps: no more than this fraction of those of a run, except in worlds of FREE_ITEMS, where
   it takes no noticeable time. */
enum { REASON_PASSES = 80 };
static const double REASON_SHARE = 0.1, FREE_ITEMS = 1e6;

/* Of a frame: more than most scenes need. */
enum { MANY_SUBSTEPS = 100 };

double frame_cost_items(const msd_world *world) {
  return (double)msd_world_get_particle_count(world) + msd_world_get_spring_count(world) +
         msd_world_get_constraint_count(world);
}

double frame_cost_expect(const scene *s, const run_plan *plan, int substeps, int threads) {
  msd_world *world = s->world;
  if (frame_cost_items(world) * substeps < LONG_FRAME_WORK)
    return 0;
  return substeps * substep_cost_measure(world, threads, plan->frame_time / substeps);
}

/* "about 3 s" or "about 35 ms", as one waits for it. */
static units_text describe_wait(double seconds) {
  return seconds < 10 ? units_si(seconds, "s") : units_wait(seconds);
}

/* What sets the substeps, and how many would do with clamped stiffness. */
static void describe_reason(const scene *s, const certificate *c, const softening_table *table,
                            double seconds, char *text, size_t size) {
  char way_out[CERTIFICATE_TEXT_MAX / 4], culprit[CERTIFICATE_TEXT_MAX / 2], cost[64] = "";
  snprintf(text, size, "%s", "");
  certificate_culprit(s, c, culprit, sizeof culprit);
  softening_table_way_out(table, way_out, sizeof way_out);
  if (!*way_out || !*culprit)
    return;
  if (seconds > 0)
    snprintf(cost, sizeof cost, ", in about %s",
             units_si(seconds * table->rows[table->advised].substeps / c->substeps, "s").text);
  snprintf(text, size, ", set by %s; use %s%s", culprit, way_out, cost);
}

/* More than are needed for stability, which a run has been given or chose to stretch less. */
static void describe_choice(const scene *s, const run_plan *plan, const certificate *c, char *text,
                            size_t size) {
  const bool is_automatic = s->is_auto && plan->stretch.wanted == 0 && plan->substeps == s->substeps;
  snprintf(text, size, "%s; %d would be stable",
           is_automatic ? ", so that springs whose stiffness follows the substep stretch little" : "",
           c->fewest);
}

/* With clamped stiffness one substep is stable, which may clamp everything. */
static void warn_of_limit(const softening_table *table, const char *name, warning_list *warnings) {
  char softened[CERTIFICATE_TEXT_MAX / 4], way_out[CERTIFICATE_TEXT_MAX / 4];
  const softening_row *row = &table->rows[0];
  softening_table_count(table, &row->softened, softened, sizeof softened);
  softening_table_way_out(table, way_out, sizeof way_out);
  if (table->is_little && *way_out)
    warn(warnings, "most springs are clamped",
         "%d substep%s per frame clamp%s %s; use %s; see 'msd info %s --details'", (int)row->substeps,
         row->substeps == 1 ? "" : "s", row->substeps == 1 ? "s" : "", softened, way_out, name);
}

static bool is_worth_a_reason(const scene *s, const run_plan *plan, const certificate *c) {
  const double substeps = (double)(plan->frames - plan->first_frame) * c->substeps;
  return frame_cost_items(s->world) <= FREE_ITEMS || REASON_PASSES <= REASON_SHARE * substeps;
}

/* The table is made only for what may have something to say: it goes through all springs. */
void frame_cost_warn(const scene *s, const run_plan *plan, const certificate *c, double seconds,
                     const char *name, warning_list *warnings) {
  const bool is_chosen = plan->stretch.wanted > 0 || c->substeps != c->fewest;
  const bool may_be_limited = !is_chosen && msd_world_get_clamp_stiffness(s->world);
  softening_table table = {.row_count = 0};
  if (seconds <= TOLD_FRAME_SECONDS && c->substeps <= MANY_SUBSTEPS && !may_be_limited)
    return;
  const bool has_reason = !is_chosen && (may_be_limited || is_worth_a_reason(s, plan, c));
  if (has_reason)
    softening_table_make(s->world, c->frame, c->fewest, c->substeps, &table);
  if (table.is_limited && plan->substeps == 0)
    warn_of_limit(&table, name, warnings);
  if (seconds <= TOLD_FRAME_SECONDS && (table.is_limited || c->substeps <= MANY_SUBSTEPS || !table.is_little))
    return;
  char reason[CERTIFICATE_TEXT_MAX] = "", cost[96] = "", brief[WARNING_BRIEF_MAX];
  if (has_reason)
    describe_reason(s, c, &table, seconds, reason, sizeof reason);
  else if (is_chosen && certificate_holds(c))
    describe_choice(s, plan, c, reason, sizeof reason);
  if (seconds > 0)
    snprintf(cost, sizeof cost, "about %s: ", describe_wait(seconds).text);
  snprintf(brief, sizeof brief, "%d substeps per frame", c->substeps);
  warn(warnings, brief, "a frame takes %s%d substeps%s; see 'msd info %s --details'", cost, c->substeps,
       reason, name);
}

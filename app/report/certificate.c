#include "app/report/certificate.h"

#include "app/report/limiting.h"
#include "app/report/softening_table.h"

#include <math.h>
#include <stdio.h>

/* With mass scaling, or the Gauss-Seidel solver, only rotors limit the substep. */
static void certify_scaled(certificate *c, const msd_stability *whole) {
  c->step = whole->rotor_stable_substep;
  c->fewest = c->symplectic = isfinite(c->step) ? whole->substeps : 1;
}

static msd_real substep_of(const certificate *c) {
  return (msd_real)(c->frame / (c->substeps > 1 ? c->substeps : 1));
}

static bool is_scaled(const msd_world *world) {
  return msd_world_get_mass_scaling(world) != MSD_MASS_SCALING_NONE ||
         msd_world_get_solver(world) != MSD_SOLVER_EXPLICIT;
}

/* Whether springs alone limit the substep of symplectic Euler, in every configuration. */
static bool is_of_springs(const msd_world *world) {
  return msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER && !is_scaled(world) &&
         msd_world_get_constraint_count(world) == 0 && msd_world_get_soft_pin_count(world) == 0 &&
         msd_world_get_torsion_spring_count(world) == 0;
}

/* Whether the next substep would find the same. Springs that an event of the next frame removes must not count
   in its substeps. */
static bool is_of_next_step(const scene *s) {
  return s->animation.event_count == 0 && is_of_springs(s->world);
}

/* By the search that substeps use too, which remember the result. */
static msd_result certify_springs(msd_world *world, certificate *out) {
  int32_t fewest = 0;
  msd_result result = msd_world_find_stable_substep(world, &out->step);
  if (result == MSD_OK)
    result = msd_world_find_substeps(world, (msd_real)out->frame, &fewest);
  out->fewest = out->symplectic = fewest;
  out->every_shape = true;
  if (out->substeps == 0)
    out->substeps = out->fewest;
  return result;
}

static msd_result certify_all(const msd_world *world, certificate *out) {
  msd_stability whole;
  const msd_result result = msd_world_analyze_stability(world, (msd_real)out->frame, &whole);
  if (result != MSD_OK)
    return result;
  out->step = whole.integrator_stable_substep[msd_world_get_integrator(world)];
  out->fewest = whole.substeps;
  out->symplectic = whole.integrator_substeps[MSD_SYMPLECTIC_EULER];
  out->every_shape = whole.every_shape;
  if (out->substeps == 0)
    out->substeps = out->fewest;
  if (is_scaled(world))
    certify_scaled(out, &whole);
  return result;
}

/* A long wait for a large world: it makes one search, as the first substep does. */
bool certificate_make(const scene *s, double frame, int substeps, certificate *out, problem *p) {
  msd_world *world = s->world;
  *out = (certificate){.frame = frame, .substeps = substeps};
  msd_result result = is_of_next_step(s) ? certify_springs(world, out) : certify_all(world, out);
  if (result == MSD_OK && msd_world_get_clamp_stiffness(world))
    result = msd_world_find_softening(world, substep_of(out), true, &out->softening);
  return result == MSD_OK || problem_set(p, "a frame of %g s: %s", frame, msd_result_string(result));
}

bool certificate_holds(const certificate *c) {
  return c->fewest > 0 && c->substeps >= c->fewest;
}

void certificate_culprit(const scene *s, const certificate *c, char *text, size_t size) {
  msd_stability_explanation found;
  limiting_class limiting;
  snprintf(text, size, "%s", "");
  if (msd_world_explain_stability(s->world, substep_of(c), &found) != MSD_OK)
    return;
  limiting_find(s, &found, &limiting);
  limiting_describe_briefly(&limiting, text, size);
}

/* For an integrator that has no limit, or a shorter one. */
static void describe_symplectic(const certificate *c, char *text, size_t size) {
  const int fewest = c->symplectic;
  if (fewest == 0)
    snprintf(text, size, "use --integrator symplectic_euler with --clamp-stiffness");
  else if (fewest > c->substeps)
    snprintf(text, size, "use --integrator symplectic_euler with --substeps auto (%d or more)", fewest);
  else
    snprintf(text, size, "use --integrator symplectic_euler");
}

/* For a network that no number of substeps is stable for. */
static void describe_clamping(const msd_world *world, const certificate *c, char *text, size_t size) {
  softening_table table;
  char way_out[CERTIFICATE_TEXT_MAX / 4];
  softening_table_make(world, c->frame, 0, 0, &table);
  softening_table_way_out(&table, way_out, sizeof way_out);
  snprintf(text, size, "use %s", *way_out ? way_out : "--clamp-stiffness");
}

void certificate_remedy(const msd_world *world, const certificate *c, char *text, size_t size) {
  const bool is_symplectic = msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER;
  if (certificate_holds(c))
    snprintf(text, size, "use more than %d substep%s", c->substeps, c->substeps == 1 ? "" : "s");
  else if (c->fewest > 0)
    snprintf(text, size, "use --substeps auto, or %d or more", c->fewest);
  else if (is_symplectic)
    describe_clamping(world, c, text, size);
  else
    describe_symplectic(c, text, size);
}

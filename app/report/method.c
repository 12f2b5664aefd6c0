#include "app/report/method.h"

#include "app/base/text_line.h"
#include "app/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { SUBSTEPS_MAX = 1000000 };

/* s of a substep for each spring and each particle, and for each particle more where there are colliders,
   which any substep may touch (bench/notes/solver_choice.md). */
static const struct {
  double spring, particle, touching;
} costs[METHOD_COUNT] = {[METHOD_FORCES] = {1e-9, 0, 0},
                         [METHOD_MASS_SCALING] = {1e-9, 7e-9, 70e-9},
                         [METHOD_GAUSS_SEIDEL] = {9e-9, 0, 0}};

/* s of a substep for each constraint, which takes nearly the same with each solver; for each triangle of a mesh
   volume. */
static const double constraint_costs[MSD_CONSTRAINT_KIND_COUNT] = {
    [MSD_CONSTRAINT_ANGLE] = 10e-9,  [MSD_CONSTRAINT_DIHEDRAL] = 12e-9, [MSD_CONSTRAINT_AREA] = 10e-9,
    [MSD_CONSTRAINT_VOLUME] = 12e-9, [MSD_CONSTRAINT_FIBER] = 4e-9,     [MSD_CONSTRAINT_MESH_VOLUME] = 5e-9};

/* s for each triangle or segment of a collision mesh, of a substep and of a frame, while little touches. */
static const double CONTACT_SUBSTEP = 10e-9, CONTACT_FRAME = 1e-6;

/* Of the stretch of the stiffest springs that forces can have in the same substep, what the sweeps of
   Gauss-Seidel leave: measured. */
static const double SWEEPS_LEAVE = 0.5;

/* Stretch that is this much larger than the least is as good. */
static const double NEAR_ENOUGH = 1.1;

/* s: so short that nothing is made for it that takes long. */
static const double TRIAL_STEP = 1e-6;

const char *method_name(method_kind kind) {
  static const char *const names[METHOD_COUNT] = {"explicit", "mass scaling", "Gauss-Seidel"};
  return names[kind];
}

/* The old setting goes first, since no world takes both. */
msd_result method_apply(msd_world *world, method_kind kind) {
  msd_result result = msd_world_set_solver(world, MSD_SOLVER_EXPLICIT);
  if (result == MSD_OK)
    result = msd_world_set_mass_scaling(world, kind == METHOD_MASS_SCALING ? MSD_MASS_SCALING_SELECTIVE
                                                                           : MSD_MASS_SCALING_NONE);
  if (result == MSD_OK && kind == METHOD_GAUSS_SEIDEL)
    result = msd_world_set_solver(world, MSD_SOLVER_GAUSS_SEIDEL);
  return result;
}

/* A question about one way, for a copy of the world that is set to it. */
typedef struct method_question {
  msd_world *world;
  method_kind kind;
  double frame_time, wanted;
  int32_t substeps_max;
} method_question;

static double stretch_in(const method_question *q, int32_t substeps) {
  msd_static_stretch s;
  if (msd_world_estimate_stretch(q->world, (msd_real)(q->frame_time / substeps), &s) != MSD_OK)
    return INFINITY;
  return s.present + (q->kind == METHOD_GAUSS_SEIDEL ? SWEEPS_LEAVE * s.max_stable : 0);
}

/* The fewest from `first` to `last` in which the stretch, which only falls, is at most `wanted`; 0: none. */
static int32_t search(const method_question *q, int32_t first, int32_t last, double wanted) {
  if (!(stretch_in(q, last) <= wanted))
    return 0;
  int32_t below = first - 1, enough = first;
  while (enough < last && !(stretch_in(q, enough) <= wanted)) {
    below = enough;
    enough = enough > last / 2 ? last : 2 * enough;
  }
  while (enough - below > 1) {
    const int32_t middle = below + (enough - below) / 2;
    if (stretch_in(q, middle) <= wanted)
      enough = middle;
    else
      below = middle;
  }
  return enough;
}

/* `own` are what it takes to be certified, or for the motion's sake. More than that are taken for the target;
   where no number reaches it, as many as come near what the springs themselves stretch. */
static void plan(const method_question *q, int32_t own, method_prospect *out) {
  out->needed = search(q, own, SUBSTEPS_MAX, q->wanted);
  const int32_t useful =
      out->needed > 0 ? out->needed : search(q, own, SUBSTEPS_MAX, NEAR_ENOUGH * stretch_in(q, SUBSTEPS_MAX));
  const int32_t aim = useful > 0 ? useful : own;
  out->substeps = own > q->substeps_max ? 0 : aim < q->substeps_max ? aim : q->substeps_max;
  out->stretch = stretch_in(q, out->substeps > 0 ? out->substeps : aim);
  out->reached = out->substeps > 0 && out->stretch <= q->wanted;
  out->cost = out->frame_cost + (out->substeps > 0 ? out->substeps : aim) * out->substep_cost;
}

/* Strain from which on a spring counts as stretched beforehand. */
static const double STRETCHED = 1e-3;

/* The first spring that is under tension in the scene as it begins; -1: none. The sweeps do not converge, so
   that it would lose that tension; the estimate knows weight alone. */
static int32_t find_tension(const msd_world *world) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (!msd_spring_is_broken(world, e) && def.mode != MSD_SPRING_COMPRESSION_ONLY &&
        msd_spring_get_stretch(world, e) > STRETCHED)
      return e;
  }
  return -1;
}

/* Whether something can turn freely: its angular momentum decays with Gauss-Seidel. */
static bool has_free_body(const msd_world *world) {
  msd_components parts = {0, 0};
  return msd_world_find_components(world, NULL, NULL, &parts) != MSD_OK || parts.components > parts.attached;
}

/* Why Gauss-Seidel would move the world wrongly. */
static void judge_sweeps(const msd_world *world, method_prospect *out) {
  const int32_t taut = find_tension(world);
  if (taut >= 0)
    snprintf(out->refusal, sizeof out->refusal,
             "it would lose the tension of what is stretched, such as spring %" PRId32, taut);
  else if (has_free_body(world))
    snprintf(out->refusal, sizeof out->refusal, "it would slow the rotation of bodies without pins");
}

/* What the world says itself, so that nothing is chosen that it then refuses. */
static msd_result settle(method_question *q, method_prospect *out) {
  msd_stability stability;
  msd_result result = method_apply(q->world, q->kind);
  if (result == MSD_OK)
    result = msd_world_analyze_stability(q->world, (msd_real)q->frame_time, &stability);
  if (result != MSD_OK)
    return result;
  if (stability.substeps == 0)
    snprintf(out->refusal, sizeof out->refusal, "no number of substeps up to %d is stable", SUBSTEPS_MAX);
  else
    plan(q, stability.substeps, out);
  return q->kind == METHOD_FORCES ? MSD_OK : msd_world_step(q->world, (msd_real)TRIAL_STEP, 1);
}

/* Triangles and segments of all collision meshes. */
static int64_t count_contact_elements(const msd_world *world) {
  int64_t elements = 0;
  for (int32_t n = 0; n < msd_world_get_collision_mesh_count(world); n++) {
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, n);
    elements += def.triangle_count + def.segment_count;
  }
  return elements;
}

static bool ask(method_question *q, const msd_world *world, double budget, method_prospect *out) {
  *out = (method_prospect){.stretch = INFINITY};
  if (msd_copy_world(world, &q->world) != MSD_OK)
    return false;
  const int64_t elements = count_contact_elements(world);
  out->substep_cost = method_substep_cost(world, q->kind) + CONTACT_SUBSTEP * (double)elements;
  out->frame_cost = CONTACT_FRAME * (double)elements;
  const double most = budget > 0 && out->substep_cost > 0
                          ? floor(fmax(budget - out->frame_cost, 0) / out->substep_cost)
                          : SUBSTEPS_MAX;
  q->substeps_max = most < SUBSTEPS_MAX ? (int32_t)most : SUBSTEPS_MAX;
  if (q->kind == METHOD_GAUSS_SEIDEL)
    judge_sweeps(world, out);
  const msd_result result = *out->refusal != '\0' ? MSD_OK : settle(q, out);
  if (result != MSD_OK) {
    const char *message = msd_world_message(q->world);
    snprintf(out->refusal, sizeof out->refusal, "%s", *message ? message : msd_result_string(result));
  }
  if (*out->refusal != '\0')
    out->substeps = 0;
  msd_destroy_world(q->world);
  return result != MSD_OUT_OF_MEMORY;
}

/* Whether `a` is to be taken and not `b`; `near`: stretch that is as good as the target. */
static bool is_better(const method_prospect *a, const method_prospect *b, double near) {
  const bool a_near = a->stretch <= near, b_near = b->stretch <= near;
  return a_near != b_near ? a_near : a->cost < b->cost;
}

bool method_choose(const msd_world *world, double frame_time, double wanted, double budget,
                   method_choice *choice, problem *p) {
  *choice = (method_choice){.made = true, .wanted = wanted, .budget = budget, .chosen = METHOD_COUNT};
  double least = INFINITY;
  for (int kind = 0; kind < METHOD_COUNT; kind++) {
    method_question q = {.kind = (method_kind)kind, .frame_time = frame_time, .wanted = wanted};
    if (!ask(&q, world, budget, &choice->of[kind])) {
      choice->made = false;
      return problem_set(p, "--solver auto: out of memory");
    }
    if (choice->of[kind].substeps > 0)
      least = fmin(least, choice->of[kind].stretch);
  }
  const double near = fmax(wanted, NEAR_ENOUGH * least);
  for (int kind = 0; kind < METHOD_COUNT; kind++)
    if (choice->of[kind].substeps > 0 &&
        (choice->chosen == METHOD_COUNT || is_better(&choice->of[kind], &choice->of[choice->chosen], near)))
      choice->chosen = (method_kind)kind;
  if (choice->chosen < METHOD_COUNT)
    return true;
  char text[METHOD_TEXT_MAX];
  method_describe(choice, text, sizeof text);
  return problem_set(p, "--solver auto: no solver fits: %s", text);
}

static void write_prospect(text_line *line, const method_choice *c, const method_prospect *m) {
  if (*m->refusal != '\0')
    text_add(line, "not available (%.200s)", m->refusal);
  else if (m->substeps == 0)
    text_add(line, "over the budget, about %s per frame", units_si(m->cost, "s").text);
  else
    text_add(line, "%" PRId32 " substep%s, ", m->substeps, m->substeps == 1 ? "" : "s");
  if (*m->refusal != '\0' || m->substeps == 0)
    return;
  if (m->stretch > 0 && isfinite(m->stretch))
    text_add(line, "%s stretch expected, ", units_percent(m->stretch).text);
  else
    text_add(line, "stretch %s, ", isfinite(m->stretch) ? "not estimated" : "unknown");
  text_add(line, "about %s per frame", units_si(m->cost, "s").text);
  if (m->reached)
    return;
  if (m->needed > 0)
    text_add(line, " (%s takes %" PRId32 " substeps, about %s)", units_percent(c->wanted).text, m->needed,
             units_si(m->frame_cost + m->needed * m->substep_cost, "s").text);
  else
    text_add(line, " (%s takes stiffer springs)", units_percent(c->wanted).text);
}

void method_describe(const method_choice *c, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  for (int n = 0; n < METHOD_COUNT; n++) {
    /* The chosen one comes first. */
    const int kind = c->chosen == METHOD_COUNT ? n
                     : n == 0                  ? (int)c->chosen
                     : n <= (int)c->chosen     ? n - 1
                                               : n;
    text_add(&line, "%s%s: ", n > 0 ? "; " : "", method_name((method_kind)kind));
    write_prospect(&line, c, &c->of[kind]);
  }
}

/* s of a substep of all constraints. */
static double cost_of_constraints(const msd_world *world) {
  double cost = 0;
  for (int32_t n = 0; n < msd_world_get_constraint_count(world); n++) {
    const msd_constraint_def def = msd_constraint_get_def(world, n);
    if (!msd_constraint_is_broken(world, n))
      cost += constraint_costs[def.kind] *
              (def.kind == MSD_CONSTRAINT_MESH_VOLUME ? (double)def.triangle_count : 1);
  }
  return cost;
}

double method_substep_cost(const msd_world *world, method_kind kind) {
  const double touching = msd_world_get_collider_count(world) > 0 ? costs[kind].touching : 0;
  return costs[kind].spring * msd_world_get_spring_count(world) + cost_of_constraints(world) +
         (costs[kind].particle + touching) * msd_world_get_particle_count(world);
}

method_kind method_of(const msd_world *world) {
  if (msd_world_get_solver(world) != MSD_SOLVER_EXPLICIT)
    return METHOD_GAUSS_SEIDEL;
  return msd_world_get_mass_scaling(world) != MSD_MASS_SCALING_NONE ? METHOD_MASS_SCALING : METHOD_FORCES;
}

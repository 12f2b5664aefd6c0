#include "app/report/limiting.h"

#include "app/base/text_line.h"
#include "app/base/units.h"
#include "app/report/places.h"

#include <math.h>
#include <stdio.h>

/* As of the explanation of the whole network: a factor that is at most twice the typical is no cause. */
static const double ALIKE = 2;

/* Relative: of numbers that a file or a builder made from one. */
static const double SAME = 1e-3;

/* The numbers of one spring or constraint that move the limit. */
typedef struct load {
  /* dt^2 k + 2 dt mu, or the coefficients. */
  double kappa;
  /* kg: of its lightest particle that is free. */
  double mass;
  int32_t lightest;
  /* In the unit of the class. */
  double stiffness;
} load;

static double kappa_of(msd_spring_law law, double stiffness, double damping, double ck, double cd,
                       double frequency, double dt) {
  const double angle = 6.283185307179586 * frequency * dt;
  switch (law) {
  case MSD_SPRING_STIFFNESS:
    return dt * dt * stiffness + 2 * dt * damping;
  case MSD_SPRING_FREQUENCY:
    return angle * angle;
  default:
    return fmax(ck, 0) + 2 * fmax(cd, 0);
  }
}

static void weigh(const msd_world *world, int32_t particle, load *l) {
  if (particle < 0 || msd_particle_is_pinned(world, particle))
    return;
  const double mass = (double)msd_particle_get_mass(world, particle);
  if (mass >= l->mass)
    return;
  l->mass = mass;
  l->lightest = particle;
}

static double stiffness_of(msd_spring_law law, double stiffness, double ck, double frequency) {
  return law == MSD_SPRING_STIFFNESS   ? stiffness
         : law == MSD_SPRING_FREQUENCY ? frequency
         : ck >= 0                     ? ck
                                       : (double)NAN;
}

static load load_of_spring(const msd_world *world, int32_t spring, double dt) {
  const msd_spring_def d = msd_spring_get_def(world, spring);
  load l = {.kappa = kappa_of(d.law, (double)d.stiffness, (double)d.damping, (double)d.ck, (double)d.cd,
                              (double)d.frequency, dt),
            .mass = INFINITY,
            .lightest = -1,
            .stiffness = stiffness_of(d.law, (double)d.stiffness, (double)d.ck, (double)d.frequency)};
  weigh(world, d.a, &l);
  weigh(world, d.b, &l);
  return l;
}

static load load_of_constraint(const msd_world *world, int32_t constraint, double dt) {
  const msd_constraint_def d = msd_constraint_get_def(world, constraint);
  load l = {.kappa = kappa_of(d.law, (double)d.stiffness, (double)d.damping, (double)d.ck, (double)d.cd,
                              (double)d.frequency, dt),
            .mass = INFINITY,
            .lightest = -1,
            .stiffness = stiffness_of(d.law, (double)d.stiffness, (double)d.ck, (double)d.frequency)};
  for (int corner = 0; corner < msd_constraint_kind_particles(d.kind); corner++)
    weigh(world, d.particles[corner], &l);
  return l;
}

static const char *unit_of(msd_spring_law law, const char *physical) {
  return law == MSD_SPRING_STIFFNESS ? physical : law == MSD_SPRING_FREQUENCY ? "Hz" : "";
}

/* N/m, or what the value of a constraint makes of it. */
static const char *unit_of_constraint(const msd_constraint_def *d) {
  static const char *const units[MSD_CONSTRAINT_KIND_COUNT] = {
      [MSD_CONSTRAINT_ANGLE] = "N m/rad", [MSD_CONSTRAINT_DIHEDRAL] = "N m/rad",
      [MSD_CONSTRAINT_AREA] = "N/m^3",    [MSD_CONSTRAINT_VOLUME] = "N/m^5",
      [MSD_CONSTRAINT_FIBER] = "N m",     [MSD_CONSTRAINT_MESH_VOLUME] = "N/m^5"};
  return unit_of(d->law, units[d->kind]);
}

/* Geometric means, as of the explanation of the whole network. */
static void compare(limiting_class *c, const scene *s, bool of_constraints, msd_range range, int32_t index,
                    double dt) {
  load (*const load_of)(const msd_world *, int32_t, double) =
      of_constraints ? load_of_constraint : load_of_spring;
  const load its = load_of(s->world, index, dt);
  double kappas = 0, masses = 0;
  int32_t counted = 0;
  c->least = INFINITY, c->most = -INFINITY;
  for (int32_t n = 0; n < range.count; n++) {
    const load other = load_of(s->world, range.first + n, dt);
    c->least = fmin(c->least, other.stiffness), c->most = fmax(c->most, other.stiffness);
    if (!(other.kappa > 0) || !isfinite(other.mass))
      continue;
    kappas += log(other.kappa), masses += log(other.mass);
    counted++;
  }
  if (isinf(c->least))
    c->least = c->most = NAN;
  c->cause = MSD_CAUSE_ALL_ALIKE, c->ratio = 1;
  if (counted == 0 || !(its.kappa > 0) || !isfinite(its.mass))
    return;
  const double stiffer = its.kappa / exp(kappas / counted), lighter_by = exp(masses / counted) / its.mass;
  if (fmax(stiffer, lighter_by) <= ALIKE)
    return;
  c->cause = stiffer > lighter_by ? MSD_CAUSE_STIFF_SPRING : MSD_CAUSE_LIGHT_PARTICLE;
  c->ratio = fmax(stiffer, lighter_by);
  place_in_body(s, its.lightest, c->lightest, sizeof c->lightest);
}

static void find_spring(const scene *s, int32_t spring, double dt, limiting_class *c) {
  const scene_body *body = place_body_of_spring(s, spring);
  const scene_group *group = place_group_of_spring(body, spring);
  const msd_range range = group != NULL ? group->springs : s->joints;
  const msd_spring_def def = msd_spring_get_def(s->world, spring);
  char noun[64];
  place_springs_noun(group, range.count != 1, noun, sizeof noun);
  snprintf(c->name, sizeof c->name, "%s %s%.90s", noun, body != NULL ? "of " : "between bodies",
           body != NULL ? body->name : "");
  place_in_body(s, def.a, c->place, sizeof c->place);
  c->count = range.count;
  c->unit = unit_of(def.law, "N/m");
  compare(c, s, false, range, spring, dt);
}

static void find_constraint(const scene *s, int32_t constraint, double dt, limiting_class *c) {
  const scene_body *body = place_body_of_constraint(s, constraint);
  const scene_constraint_group *group = place_group_of_constraint(body, constraint);
  const msd_range range = group != NULL ? group->constraints : (msd_range){constraint, 1};
  const msd_constraint_def def = msd_constraint_get_def(s->world, constraint);
  snprintf(c->name, sizeof c->name, "%s of %.90s", place_constraints_noun(def.kind, range.count != 1),
           body != NULL ? body->name : "the scene");
  if (def.triangle_count == 0)
    place_in_body(s, def.particles[0], c->place, sizeof c->place);
  c->count = range.count;
  c->unit = unit_of_constraint(&def);
  compare(c, s, true, range, constraint, dt);
}

void limiting_find(const scene *s, const msd_stability_explanation *why, limiting_class *out) {
  const double dt = why->limit.stable_substep;
  *out = (limiting_class){.least = NAN, .most = NAN, .unit = "", .ratio = 1};
  if (!isfinite(dt))
    return;
  switch (why->cause.limiting) {
  case MSD_LIMITING_SPRING:
    find_spring(s, why->cause.spring, dt, out);
    break;
  case MSD_LIMITING_CONSTRAINT:
    find_constraint(s, why->cause.constraint, dt, out);
    break;
  case MSD_LIMITING_SOFT_PIN:
    snprintf(out->name, sizeof out->name, "soft pins");
    out->count = msd_world_get_soft_pin_count(s->world);
    break;
  case MSD_LIMITING_ROTORS:
    snprintf(out->name, sizeof out->name, "torsion springs");
    out->count = msd_world_get_torsion_spring_count(s->world);
    break;
  default:
    break;
  }
}

static bool are_alike(const limiting_class *c) {
  return c->most - c->least <= SAME * c->most;
}

/* Stiffness of volumes has many zeros. */
static units_text stiffness_text(double value) {
  static const double most = 1e6;
  units_text out = units_number(value, 3);
  if (value >= most)
    snprintf(out.text, sizeof out.text, "%.3g", value);
  return out;
}

/* "500 N/m, all 8,064 alike", or "12 to 500 N/m". */
static void add_stiffness(text_line *line, const limiting_class *c) {
  const char *space = *c->unit != '\0' ? " " : "";
  const char *name = *c->unit != '\0' ? "" : "ck ";
  if (isnan(c->most))
    return;
  if (!are_alike(c))
    text_list(line, "%s%s to %s%s%s", name, stiffness_text(c->least).text, stiffness_text(c->most).text,
              space, c->unit);
  else
    text_list(line, "%s%s%s%s", name, stiffness_text(c->most).text, space, c->unit);
  if (are_alike(c) && c->count > 1 && c->cause == MSD_CAUSE_ALL_ALIKE)
    text_list(line, "all %s alike", units_count(c->count).text);
}

static void add_cause(text_line *line, const limiting_class *c) {
  if (c->cause == MSD_CAUSE_STIFF_SPRING)
    text_add(line, "; the one at %s is %s times as stiff as is typical of them", c->place,
             units_number(c->ratio, 2).text);
  else if (c->cause == MSD_CAUSE_LIGHT_PARTICLE)
    text_add(line, "; %s has 1/%s of the typical mass", c->lightest, units_number(c->ratio, 2).text);
}

void limiting_describe_briefly(const limiting_class *c, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  if (c->count == 0)
    return;
  text_add(&line, "the %s", c->name);
  add_cause(&line, c);
}

void limiting_describe(const limiting_class *c, char *text, size_t size) {
  text_line line = text_line_begin(text, size);
  char inside[160];
  text_line more = text_line_begin(inside, sizeof inside);
  if (c->count == 0)
    return;
  add_stiffness(&more, c);
  text_add(&line, "the %s", c->name);
  if (inside[0] != '\0')
    text_add(&line, " (%s)", inside);
  add_cause(&line, c);
}

/* Ropes, cloths and blocks: lattices of particles in 1, 2 and 3 dimensions.

   Springs are added direction by direction, so that consecutive springs connect particles with a constant
   index difference. That is the fastest layout for substeps. */
#include "engine/base/float_environment.h"
#include "engine/builder/lattice_family.h"

#include <math.h>

/* The springs of one pattern: from every particle by every step that stays inside. The last nonzero component
   of a step is positive, so that springs go from the lower index to the higher. */
typedef struct lattice_group {
  /* The name of the field in the definition. */
  const char *name;
  const msd_spring_def *pattern;
  const int32_t (*steps)[3];
  int step_count;
  /* Receives the range of these springs. */
  msd_range *range;
} lattice_group;

/* The constraints of one pattern. */
typedef struct lattice_constraints {
  const char *name;
  const msd_spring_def *pattern;
  const lattice_filling *filling;
  msd_range *range;
} lattice_constraints;

static const int32_t straight[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t diagonal[6][3] = {{1, 1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}};
static const int32_t two_straight[2][3] = {{2, 0, 0}, {0, 2, 0}};

static int64_t lattice_particles(const lattice *l) {
  return builder_product(builder_product(l->count[0], l->count[1]), l->count[2]);
}

static int64_t lattice_springs(const lattice *l, const lattice_group *group) {
  int64_t total = 0;
  for (int s = 0; s < group->step_count && builder_wants(group->pattern); s++)
    total = builder_sum(total, lattice_family_springs(l, group->steps[s]));
  return total;
}

/* The fraction of the full mass of a particle, or of the full stiffness of a spring with that step: a factor
   of 1/2 for each border that it lies on. */
static double share_at(const lattice *l, const int32_t at[3], const int32_t step[3]) {
  double share = 1.0;
  for (int axis = 0; axis < 3; axis++)
    if (step[axis] == 0 && l->count[axis] > 1 && (at[axis] == 0 || at[axis] == l->count[axis] - 1))
      share *= 0.5;
  return share;
}

/* kg: the mass of a particle with fraction 1. */
static double full_mass(const lattice *l) {
  double parts = 1.0;
  for (int axis = 0; axis < 3; axis++)
    parts *= !l->material ? l->count[axis] : l->count[axis] > 1 ? l->count[axis] - 1 : 1;
  return l->mass / parts;
}

static double mass_at(const lattice *l, const int32_t at[3]) {
  static const int32_t nowhere[3] = {0, 0, 0};
  return full_mass(l) * (l->material ? share_at(l, at, nowhere) : 1.0);
}

static msd_result check_mass(msd_world *world, const lattice *l) {
  if (!builder_is_storable(l->mass) || !(l->mass > 0.0))
    return world_fail(world, MSD_BAD_VALUE, "%s: mass is %g; it must be finite and above 0", l->name,
                      l->mass);
  const double each = mass_at(l, (const int32_t[]){0, 0, 0});
  if (!builder_is_usable_mass(each))
    return world_fail(world, MSD_BAD_VALUE, "%s: mass %g is %g for each particle, too small a number",
                      l->name, l->mass, each);
  return MSD_OK;
}

static msd_result check_sides(msd_world *world, const lattice *l) {
  double low[3], high[3], longest[3] = {0.0, 0.0, 0.0};
  for (int c = 0; c < 3; c++)
    low[c] = high[c] = l->origin[c];
  for (int axis = 0; axis < 3; axis++) {
    const double *side = l->side[axis];
    if (l->count[axis] > 1 && side[0] == 0.0 && side[1] == 0.0 && side[2] == 0.0)
      return world_fail(world, MSD_BAD_VALUE, "%s: %s is zero, so that all particles would have one position",
                        l->name, l->side_name[axis]);
    for (int c = 0; c < 3; c++) {
      low[c] += fmin(side[c], 0.0);
      high[c] += fmax(side[c], 0.0);
      longest[c] += 2.0 * fabs(side[c]);
    }
  }
  /* All particles lie between these corners. Springs are at most two cells long, and their squared lengths
     must be finite too. */
  bool fits =
      builder_is_storable(longest[0] * longest[0] + longest[1] * longest[1] + longest[2] * longest[2]);
  for (int c = 0; c < 3; c++)
    fits = fits && builder_is_storable(low[c]) && builder_is_storable(high[c]);
  if (!fits)
    return world_fail(
        world, MSD_BAD_VALUE,
        "%s: its corners are too far out: coordinates and the squares of lengths must be finite", l->name);
  return MSD_OK;
}

/* In double, so that only one rounding remains. */
static msd_vec3 lattice_position(const lattice *l, int32_t i, int32_t j, int32_t k) {
  const bool at_end = i > 0 && i == l->count[0] - 1;
  double p[3];
  for (int c = 0; c < 3; c++) {
    p[c] = at_end ? l->end[c] : l->origin[c];
    if (i > 0 && !at_end)
      p[c] += l->side[0][c] * i / (l->count[0] - 1);
    if (j > 0)
      p[c] += l->side[1][c] * j / (l->count[1] - 1);
    if (k > 0)
      p[c] += l->side[2][c] * k / (l->count[2] - 1);
  }
  return (msd_vec3){(msd_real)p[0], (msd_real)p[1], (msd_real)p[2]};
}

/* Adds the particles of `kept`, which are all unless the world is distributed. */
static msd_result add_lattice_particles(msd_world *world, const lattice *l, msd_range kept) {
  msd_particle_def defs[BUILDER_BATCH];
  for (int d = 0; d < BUILDER_BATCH; d++)
    defs[d] = msd_default_particle_def();
  int waiting = 0;
  for (int32_t k = 0; k < l->count[2]; k++)
    for (int32_t j = 0; j < l->count[1]; j++) {
      const lattice_columns in =
          lattice_keep_columns((lattice_columns){0, l->count[0]}, lattice_index(l, 0, j, k), kept, 0);
      for (int32_t i = in.first; i < in.end; i++) {
        defs[waiting].mass = (msd_real)mass_at(l, (const int32_t[]){i, j, k});
        defs[waiting++].position = lattice_position(l, i, j, k);
        if (waiting < BUILDER_BATCH)
          continue;
        const msd_result result = msd_add_particles(world, defs, waiting, NULL);
        if (result != MSD_OK)
          return result;
        waiting = 0;
      }
    }
  return msd_add_particles(world, defs, waiting, NULL);
}

/* `first`: the index of the particle (0, 0, 0), which may lie outside of a subdomain. */
static msd_result add_lattice_family(builder_springs *springs, const lattice *l, const int32_t step[3],
                                     int64_t first, msd_range kept) {
  const int32_t columns = l->count[0], rows = l->count[1];
  const int64_t offset = lattice_offset(l, step);
  const double inside = l->material ? fmax(material_lattice_stiffness(l->material, l->cell, step), 0.0) : 0.0;
  for (int32_t k = lattice_first_start(step[2]); k < lattice_end_start(l->count[2], step[2]); k++)
    for (int32_t j = lattice_first_start(step[1]); j < lattice_end_start(rows, step[1]); j++) {
      const lattice_columns all = {lattice_first_start(step[0]), lattice_end_start(columns, step[0])},
                            in = lattice_keep_columns(all, lattice_index(l, 0, j, k), kept, offset);
      for (int32_t i = in.first; i < in.end; i++) {
        const int32_t a = (int32_t)(first + lattice_index(l, i, j, k));
        if (l->material)
          springs->stiffness = (msd_real)(inside * share_at(l, (const int32_t[]){i, j, k}, step));
        const msd_result result = builder_springs_add(springs, a, (int32_t)(a + offset));
        if (result != MSD_OK)
          return result;
      }
    }
  return MSD_OK;
}

/* In a distributed world, registers the springs of a family that belong to this subdomain. */
static void count_family(msd_world *world, const lattice *l, const int32_t step[3], msd_range kept,
                         int32_t first_spring) {
  if (!world->part.is_open)
    return;
  const lattice_share share = lattice_share_of_family(l, step, kept);
  const int64_t all = lattice_family_springs(l, step);
  subdomain_add_family(world, all > 0 ? (int32_t)lattice_offset(l, step) : 0,
                       (msd_range){first_spring, (int32_t)share.count}, (msd_range){0, -1}, share.before,
                       all);
}

static msd_result add_lattice_group(msd_world *world, const lattice *l, const lattice_group *group,
                                    int64_t first, msd_range kept) {
  builder_springs springs;
  builder_springs_begin(&springs, world, group->pattern);
  const int families = builder_wants(group->pattern) ? group->step_count : 0;
  msd_result result = MSD_OK;
  for (int s = 0; s < families && result == MSD_OK; s++) {
    count_family(world, l, group->steps[s], kept,
                 springs.range.first + springs.range.count + springs.waiting);
    result = add_lattice_family(&springs, l, group->steps[s], first, kept);
  }
  return result == MSD_OK ? builder_springs_end(&springs, group->range) : result;
}

static void add_lattice_constraints(msd_world *world, const lattice *l, const lattice_constraints *group,
                                    int32_t first) {
  builder_constraints constraints;
  builder_constraints_begin(&constraints, world, group->filling->kind, group->pattern);
  group->filling->add(&constraints, l, first);
  builder_constraints_end(&constraints, group->range);
}

static msd_result check_stiffness(msd_world *world, const lattice *l, const lattice_group *groups,
                                  int group_count) {
  msd_result result = MSD_OK;
  for (int g = 0; g < group_count && l->material; g++)
    for (int s = 0; s < groups[g].step_count && builder_wants(groups[g].pattern) && result == MSD_OK; s++) {
      const double k = material_lattice_stiffness(l->material, l->cell, groups[g].steps[s]);
      result = material_check_stiffness(world, l->name, k);
      if (result == MSD_OK && k < 0.0 && l->material->dimensions == 3)
        result = world_fail(world, MSD_BAD_VALUE,
                            "%s: material: its cells of %g x %g x %g m are too elongated for springs; make "
                            "their sides more alike",
                            l->name, l->cell[0], l->cell[1], l->cell[2]);
    }
  return result;
}

/* Computes the size of a lattice in a subdomain. */
static msd_result size_part(msd_world *world, const lattice *l, const lattice_group *groups, int group_count,
                            world_size *size) {
  if (size->constraints > 0)
    return world_fail(world, MSD_BAD_VALUE, "%s: a divided world cannot have constraints", l->name);
  int32_t families = 0;
  for (int g = 0; g < group_count; g++)
    families += builder_wants(groups[g].pattern) ? groups[g].step_count : 0;
  const msd_result result = subdomain_reserve(world, size->particles, size->springs, families);
  if (result != MSD_OK)
    return result;
  const msd_range kept = subdomain_keep(world, (int32_t)size->particles);
  size->particles = kept.count;
  size->springs = 0;
  for (int g = 0; g < group_count; g++)
    for (int s = 0; s < groups[g].step_count && builder_wants(groups[g].pattern); s++)
      size->springs += lattice_share_of_family(l, groups[g].steps[s], kept).count;
  return MSD_OK;
}

static msd_result fill_lattice(msd_world *world, const lattice *l, const lattice_group *groups,
                               int group_count, const lattice_constraints *filled, int filled_count,
                               msd_body *body) {
  const int32_t count = (int32_t)lattice_particles(l);
  const msd_range kept = subdomain_keep(world, count);
  const int64_t first = (int64_t)body->particles.first - kept.first;
  msd_result result = add_lattice_particles(world, l, kept);
  for (int g = 0; g < group_count && result == MSD_OK; g++)
    result = add_lattice_group(world, l, &groups[g], first, kept);
  for (int f = 0; f < filled_count && result == MSD_OK; f++)
    if (builder_wants(filled[f].pattern))
      add_lattice_constraints(world, l, &filled[f], body->particles.first);
  if (result == MSD_OK && l->material)
    material_damp(world, body, l->material);
  subdomain_add_particles(world, count);
  return result;
}

/* Counts must be 1 or more and vectors finite; the rest is checked here. */
static msd_result add_lattice(msd_world *world, const lattice *l, const lattice_group *groups,
                              int group_count, const lattice_constraints *filled, int filled_count,
                              msd_body *body) {
  world_size size = {.particles = lattice_particles(l)};
  msd_result result = check_sides(world, l);
  if (result == MSD_OK)
    result = check_mass(world, l);
  for (int g = 0; g < group_count && result == MSD_OK; g++) {
    result = builder_check_pattern(world, l->name, groups[g].name, groups[g].pattern);
    size.springs = builder_sum(size.springs, lattice_springs(l, &groups[g]));
  }
  for (int f = 0; f < filled_count && result == MSD_OK; f++) {
    result = builder_check_pattern(world, l->name, filled[f].name, filled[f].pattern);
    if (builder_wants(filled[f].pattern))
      size.constraints = builder_sum(size.constraints, filled[f].filling->count(l));
  }
  if (result == MSD_OK)
    result = check_stiffness(world, l, groups, group_count);
  if (result == MSD_OK && world->part.is_open)
    result = size_part(world, l, groups, group_count, &size);
  if (result == MSD_OK)
    result = builder_reserve(world, &size, l->material != NULL, body);
  return result == MSD_OK ? fill_lattice(world, l, groups, group_count, filled, filled_count, body) : result;
}

/* m, m^2 or m^3: the size of the whole lattice in its first `dimensions` axes; blocks have right angles. */
static double size_of(const lattice *l, int dimensions) {
  const double *u = l->side[0], *v = l->side[1], *w = l->side[2];
  const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  const double uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  if (dimensions == 2)
    return sqrt(uu) * sqrt(fmax(vv - uv * (uv / uu), 0.0));
  return dimensions == 1 ? sqrt(uu) : sqrt(uu) * sqrt(vv) * sqrt(ww);
}

/* Sets the cells, material and mass of a lattice. */
static msd_result give_material(msd_world *world, lattice *l, const msd_material *material, int dimensions,
                                material_numbers *numbers, msd_body *body) {
  msd_result result = check_sides(world, l);
  if (result == MSD_OK)
    result = material_check(world, l->name, material, dimensions);
  if (result != MSD_OK)
    return result;
  material_extent extent = {0.0, INFINITY};
  for (int axis = 0; axis < dimensions; axis++) {
    const double *side = l->side[axis];
    const double length = sqrt(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
    l->cell[axis] = length / (l->count[axis] - 1);
    extent.longest_side = fmax(extent.longest_side, length);
    extent.shortest_cell = fmin(extent.shortest_cell, l->cell[axis]);
  }
  *numbers = material_read(world, material, dimensions, extent);
  l->material = numbers;
  l->mass = numbers->density * size_of(l, dimensions);
  l->bend[0] = numbers->bend[0] / l->cell[0];
  if (dimensions == 2)
    material_folds(numbers, l->cell, l->bend);
  material_numbers made = *numbers;
  material_lattice_moduli(numbers, l->cell, made.stretch);
  body->material = material_made(material, &made);
  for (int fold = 0; fold < 3 && result == MSD_OK; fold++)
    result = material_check_stiffness(world, l->name, l->bend[fold]);
  return result;
}

/* The springs of a material get individual stiffness values. */
static msd_spring_def material_pattern(bool wanted) {
  return builder_pattern(wanted ? MSD_SPRING_STIFFNESS : MSD_SPRING_NONE);
}

/* The bending resistance of a rope or cloth: a pattern for springs or for constraints; the other is none. */
typedef struct lattice_bend {
  msd_spring_def springs, angles;
} lattice_bend;

static lattice_bend split_bend(const msd_spring_def *pattern, msd_bend_kind kind) {
  const msd_spring_def none = builder_pattern(MSD_SPRING_NONE);
  return kind == MSD_BEND_DISTANCE ? (lattice_bend){*pattern, none} : (lattice_bend){none, *pattern};
}

/* -------------------------------------------------------------------------------------------------- rope */

msd_rope_def msd_default_rope_def(void) {
  return (msd_rope_def){
      .to = {1, 0, 0},
      .particles = 2,
      .mass = 1,
      .stretch = builder_pattern(MSD_SPRING_COEFFICIENT),
      .bend = builder_pattern(MSD_SPRING_NONE),
      .cookie = MSD_ROPE_COOKIE,
  };
}

static msd_result check_rope(msd_world *world, const msd_rope_def *def) {
  msd_result result = builder_check_def(world, "rope", def && def->cookie == MSD_ROPE_COOKIE);
  if (result == MSD_OK)
    result = builder_check_at_least(world, "rope", "particles", def->particles, 2);
  if (result == MSD_OK)
    result = builder_check_vector(world, "rope", "from", def->from);
  if (result == MSD_OK)
    result = builder_check_vector(world, "rope", "to", def->to);
  if (result == MSD_OK)
    result = builder_check_bend_kind(world, "rope", def->bend_kind,
                                     1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_ANGLE);
  return result;
}

msd_result msd_add_rope(msd_world *world, const msd_rope_def *def, msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  msd_result result = check_rope(world, def);
  if (result == MSD_OK) {
    lattice l = {.name = "rope",
                 .count = {def->particles, 1, 1},
                 .side_name = {"the way from `from` to `to`", "", ""},
                 .mass = (double)def->mass};
    vec3_components(def->from, l.origin);
    vec3_components(def->to, l.end);
    for (int c = 0; c < 3; c++)
      l.side[0][c] = l.end[c] - l.origin[c];
    msd_rope_def of = *def;
    material_numbers numbers;
    if (def->material) {
      result = give_material(world, &l, def->material, 1, &numbers, &made);
      of.stretch = material_pattern(true);
      of.bend = material_pattern(def->material->bend_rigidity > 0);
      of.bend_kind = MSD_BEND_ANGLE;
    }
    const lattice_bend bend = split_bend(&of.bend, of.bend_kind);
    const lattice_group groups[] = {{"stretch", &of.stretch, straight, 1, &made.stretch},
                                    {"bend", &bend.springs, two_straight, 1, &made.bend}};
    const lattice_constraints angles = {"bend", &bend.angles, &lattice_angles, &made.bend_constraints};
    if (result == MSD_OK)
      result = add_lattice(world, &l, groups, 2, &angles, 1, &made);
  }
  return builder_hand_over(result, &made, body);
}

/* ------------------------------------------------------------------------------------------------- cloth */

msd_cloth_def msd_default_cloth_def(void) {
  return (msd_cloth_def){
      .u = {1, 0, 0},
      .v = {0, -1, 0},
      .columns = 2,
      .rows = 2,
      .mass = 1,
      .stretch = builder_pattern(MSD_SPRING_COEFFICIENT),
      .shear = builder_pattern(MSD_SPRING_NONE),
      .bend = builder_pattern(MSD_SPRING_NONE),
      .cookie = MSD_CLOTH_COOKIE,
  };
}

static msd_result check_cloth(msd_world *world, const msd_cloth_def *def) {
  msd_result result = builder_check_def(world, "cloth", def && def->cookie == MSD_CLOTH_COOKIE);
  if (result == MSD_OK)
    result = builder_check_at_least(world, "cloth", "columns", def->columns, 1);
  if (result == MSD_OK)
    result = builder_check_at_least(world, "cloth", "rows", def->rows, 1);
  if (result == MSD_OK && def->columns == 1 && def->rows == 1)
    result =
        world_fail(world, MSD_BAD_VALUE, "cloth: columns and rows are both 1; one of them must be 2 or more");
  if (result == MSD_OK)
    result = builder_check_vector(world, "cloth", "origin", def->origin);
  if (result == MSD_OK)
    result = builder_check_vector(world, "cloth", "u", def->u);
  if (result == MSD_OK)
    result = builder_check_vector(world, "cloth", "v", def->v);
  if (result == MSD_OK)
    result =
        builder_check_bend_kind(world, "cloth", def->bend_kind,
                                1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_ANGLE | 1u << MSD_BEND_DIHEDRAL);
  return result;
}

/* The cosine between u and v below which cells count as rectangles; the error of springs is its square. */
static const double RIGHT_ANGLE = 1e-3;

/* Returns whether springs represent the material exactly, in compression too, and a sheet of them in tension
   along u or v stays flat (material_lattice_is_flat). */
static bool suits_springs(const lattice *l) {
  const double *u = l->side[0], *v = l->side[1];
  const double cosine = fabs(u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  const double sides = l->cell[0] * (l->count[0] - 1) * l->cell[1] * (l->count[1] - 1);
  return l->material->compression == 1.0 && cosine <= RIGHT_ANGLE * sides &&
         material_lattice_is_flat(l->material, l->cell);
}

/* Writes the patterns that represent the material of a cloth to *def. Fails if that is impossible. */
static msd_result weave(msd_world *world, lattice *l, msd_cloth_def *def, msd_spring_def *fibers,
                        material_numbers *numbers, msd_body *body) {
  if (def->columns < 2 || def->rows < 2)
    return world_fail(
        world, MSD_BAD_VALUE,
        "cloth: material: columns and rows are %d and %d; both must be 2 or more, to have an area",
        (int)def->columns, (int)def->rows);
  const msd_result result = give_material(world, l, def->material, 2, numbers, body);
  if (result != MSD_OK)
    return result;
  const bool with_springs = def->material->elements == MSD_ELEMENTS_SPRINGS || suits_springs(l);
  def->stretch = def->shear = material_pattern(with_springs);
  *fibers = material_pattern(!with_springs);
  def->bend = material_pattern(numbers->bend[0] > 0.0);
  def->bend_kind = MSD_BEND_DIHEDRAL;
  if (!with_springs) {
    body->material = material_of_fibers(def->material, numbers);
    if (lattice_fibers.count(l) == 0)
      return world_fail(world, MSD_BAD_VALUE,
                        "cloth: material: its cells of %g by %g m are too flat for a material; make their "
                        "sides more alike, and u and v more perpendicular",
                        l->cell[0], l->cell[1]);
  }
  return material_check_stiffness(
      world, "cloth", 4.0 * (numbers->stretch[0] + numbers->shear) * (l->mass / numbers->density));
}

msd_result msd_add_cloth(msd_world *world, const msd_cloth_def *def, msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  msd_result result = check_cloth(world, def);
  if (result == MSD_OK) {
    lattice l = {.name = "cloth",
                 .count = {def->columns, def->rows, 1},
                 .side_name = {"u", "v", ""},
                 .mass = (double)def->mass};
    vec3_components(def->origin, l.origin);
    vec3_components(def->u, l.side[0]);
    vec3_components(def->v, l.side[1]);
    for (int c = 0; c < 3; c++)
      l.end[c] = l.origin[c] + l.side[0][c];
    msd_cloth_def of = *def;
    material_numbers numbers;
    msd_spring_def fibers = builder_pattern(MSD_SPRING_NONE);
    if (def->material)
      result = weave(world, &l, &of, &fibers, &numbers, &made);
    const lattice_bend bend = split_bend(&of.bend, of.bend_kind);
    const lattice_group groups[] = {{"stretch", &of.stretch, straight, 2, &made.stretch},
                                    {"shear", &of.shear, diagonal, 2, &made.shear},
                                    {"bend", &bend.springs, two_straight, 2, &made.bend}};
    const lattice_constraints filled[] = {
        {"fibers", &fibers, &lattice_fibers, &made.fibers},
        {"bend", &bend.angles, of.bend_kind == MSD_BEND_DIHEDRAL ? &lattice_folds : &lattice_angles,
         &made.bend_constraints}};
    if (result == MSD_OK)
      result = add_lattice(world, &l, groups, 3, filled, 2, &made);
  }
  return builder_hand_over(result, &made, body);
}

/* ------------------------------------------------------------------------------------------------- block */

msd_block_def msd_default_block_def(void) {
  return (msd_block_def){
      .size = {1, 1, 1},
      .cells = {1, 1, 1},
      .mass = 1,
      .stretch = builder_pattern(MSD_SPRING_COEFFICIENT),
      .shear = builder_pattern(MSD_SPRING_NONE),
      .volume = builder_pattern(MSD_SPRING_NONE),
      .cookie = MSD_BLOCK_COOKIE,
  };
}

static msd_result check_block(msd_world *world, const msd_block_def *def) {
  static const char *const names[] = {"cells[0]", "cells[1]", "cells[2]"};
  msd_result result = builder_check_def(world, "block", def && def->cookie == MSD_BLOCK_COOKIE);
  for (int axis = 0; axis < 3 && result == MSD_OK; axis++) {
    result = builder_check_at_least(world, "block", names[axis], def->cells[axis], 1);
    if (result == MSD_OK && def->cells[axis] == INT32_MAX)
      result = world_fail(world, MSD_TOO_LARGE,
                          "block: %s is %d; the particles along a side must be 2^31-1 or fewer", names[axis],
                          (int)def->cells[axis]);
  }
  if (result == MSD_OK)
    result = builder_check_vector(world, "block", "origin", def->origin);
  if (result == MSD_OK)
    result = builder_check_vector(world, "block", "size", def->size);
  if (result == MSD_OK && !(def->size.x > 0 && def->size.y > 0 && def->size.z > 0))
    result = world_fail(world, MSD_BAD_VALUE, "block: size is (%g, %g, %g); each side must be above 0",
                        (double)def->size.x, (double)def->size.y, (double)def->size.z);
  if (result != MSD_OK)
    return result;
  const double volume = (double)def->size.x * (double)def->size.y * (double)def->size.z;
  if (builder_wants(&def->volume) && !builder_is_storable(volume))
    return world_fail(world, MSD_BAD_VALUE, "block: its volume is %g m^3; it must be finite", volume);
  return MSD_OK;
}

msd_result msd_add_block(msd_world *world, const msd_block_def *def, msd_body *body) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_body made = {0};
  msd_result result = check_block(world, def);
  if (result == MSD_OK) {
    lattice l = {
        .name = "block",
        .count = {def->cells[0] + 1, def->cells[1] + 1, def->cells[2] + 1},
        .side = {{(double)def->size.x, 0, 0}, {0, (double)def->size.y, 0}, {0, 0, (double)def->size.z}},
        .side_name = {"size.x", "size.y", "size.z"},
        .mass = (double)def->mass};
    vec3_components(def->origin, l.origin);
    for (int c = 0; c < 3; c++)
      l.end[c] = l.origin[c] + l.side[0][c];
    msd_block_def of = *def;
    material_numbers numbers;
    if (def->material) {
      result = give_material(world, &l, def->material, 3, &numbers, &made);
      of.stretch = of.shear = material_pattern(true);
    }
    const lattice_group groups[] = {{"stretch", &of.stretch, straight, 3, &made.stretch},
                                    {"shear", &of.shear, diagonal, 6, &made.shear}};
    const lattice_constraints volumes = {"volume", &of.volume, &lattice_tetrahedra, &made.volume};
    if (result == MSD_OK)
      result = add_lattice(world, &l, groups, 2, &volumes, 1, &made);
  }
  return builder_hand_over(result, &made, body);
}

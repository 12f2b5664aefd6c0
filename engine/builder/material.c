#include "engine/builder/material.h"

#include <math.h>
#include <stdio.h>

msd_material msd_default_material(void) {
  return (msd_material){.weft_modulus = MSD_ISOTROPIC,
                        .shear_modulus = MSD_ISOTROPIC,
                        .weft_bend_rigidity = MSD_ISOTROPIC,
                        .compression_factor = 1,
                        .damping_ratio = (msd_real)0.05,
                        .cookie = MSD_MATERIAL_COOKIE};
}

/* ------------------------------------------------------------------------------------------------- checks */

enum { DIMENSIONS = 3 };

static double density_of(const msd_material *material, int dimensions) {
  const msd_real density[DIMENSIONS] = {material->line_density, material->area_density, material->density};
  return (double)density[dimensions - 1];
}

static msd_result check_range(msd_world *world, const char *body, const char *field, double value,
                              double most, bool may_be_zero) {
  if (value <= most && (may_be_zero ? value >= 0.0 : value > 0.0) && builder_is_storable(value))
    return MSD_OK;
  char limit[32] = "finite";
  if (most < INFINITY)
    snprintf(limit, sizeof limit, "%g at most", most);
  return world_fail(world, MSD_BAD_VALUE, "%s: material: %s is %g; it must be %s and %s 0%s", body, field,
                    value, limit, may_be_zero ? "not below" : "above", may_be_zero ? "" : " for this body");
}

/* Checks the fields that only a sheet has. */
static msd_result check_sheet_fields(msd_world *world, const char *body, const msd_material *material,
                                     int dimensions) {
  static const char *const names[] = {"weft", "shear", "weft_bend"};
  const msd_real values[] = {material->weft_modulus, material->shear_modulus, material->weft_bend_rigidity};
  for (int n = 0; n < 3; n++) {
    if (values[n] == MSD_ISOTROPIC)
      continue;
    if (dimensions != 2)
      return world_fail(world, MSD_BAD_VALUE, "%s: material: %s is %g; a %s has MSD_ISOTROPIC alone", body,
                        names[n], (double)values[n], body);
    const msd_result result = check_range(world, body, names[n], (double)values[n], INFINITY, n == 1);
    if (result != MSD_OK)
      return result;
  }
  return MSD_OK;
}

msd_result material_check(msd_world *world, const char *body, const msd_material *material, int dimensions) {
  static const char *const densities[DIMENSIONS] = {"line_density", "area_density", "density"};
  msd_result result = check_cookie(&world->model.report, (subject){body, -1, "material"}, &material->cookie,
                                   MSD_MATERIAL_COOKIE);
  if (result == MSD_OK)
    result = check_range(world, body, densities[dimensions - 1], density_of(material, dimensions), INFINITY,
                         false);
  if (result == MSD_OK)
    result = check_range(world, body, "stretch", (double)material->stretch_modulus, INFINITY, false);
  if (result == MSD_OK)
    result = check_sheet_fields(world, body, material, dimensions);
  if (result == MSD_OK)
    result = check_range(world, body, "bend", (double)material->bend_rigidity, INFINITY, true);
  if (result == MSD_OK && dimensions == 3 && material->bend_rigidity > 0)
    result = world_fail(world, MSD_BAD_VALUE,
                        "%s: material: bend is %g; a %s has no bending of its own: leave it 0", body,
                        (double)material->bend_rigidity, body);
  if (result == MSD_OK)
    result = check_range(world, body, "damping_ratio", (double)material->damping_ratio, 10.0, true);
  if (result == MSD_OK)
    result = check_range(world, body, "damping_time", (double)material->damping_time, 10.0, true);
  if (result == MSD_OK)
    result = check_range(world, body, "compression_factor", (double)material->compression_factor, 1.0, true);
  if (result == MSD_OK && dimensions != 2 && material->compression_factor != 1)
    result = world_fail(world, MSD_BAD_VALUE,
                        "%s: material: compression_factor is %g; only a cloth or mesh may have one but 1",
                        body, (double)material->compression_factor);
  if (result == MSD_OK)
    result = check_range(world, body, "stretch_under_weight", (double)material->stretch_under_weight,
                         INFINITY, true);
  if (result == MSD_OK && (unsigned)material->elements >= MSD_ELEMENTS_COUNT)
    result =
        world_fail(world, MSD_BAD_VALUE,
                   "%s: material: elements is %d; it must be MSD_ELEMENTS_FIBERS or MSD_ELEMENTS_SPRINGS",
                   body, (int)material->elements);
  return result;
}

msd_result material_check_stiffness(msd_world *world, const char *body, double stiffness) {
  if (builder_is_storable(stiffness))
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE,
                    "%s: material: a spring or hinge would have the stiffness %g; it must be finite", body,
                    stiffness);
}

/* ------------------------------------------------------------------------------------------------ numbers */

static double length_of(msd_vec3 v) {
  double c[3];
  vec3_components(v, c);
  return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

/* The factor on the moduli, at most 1. */
static double relaxation(const msd_world *world, const msd_material *material, const material_numbers *m,
                         material_extent extent) {
  double least = m->stretch[0];
  for (int axis = 1; axis < m->dimensions; axis++)
    least = fmin(least, m->stretch[axis]);
  const double weight = m->density * length_of(msd_world_get_gravity(world)) * extent.longest_side;
  const double enough =
      fmax(weight / (double)material->stretch_under_weight,
           10.0 * fmax(m->bend[0], m->bend[1]) / (extent.shortest_cell * extent.shortest_cell));
  return enough > 0.0 ? fmin(enough / least, 1.0) : 1.0;
}

material_numbers material_read(const msd_world *world, const msd_material *material, int dimensions,
                               material_extent extent) {
  material_numbers m = {.dimensions = dimensions,
                        .density = density_of(material, dimensions),
                        .bend = {(double)material->bend_rigidity, (double)material->bend_rigidity},
                        .compression = (double)material->compression_factor,
                        .damping_ratio = (double)material->damping_ratio,
                        .damping_time = (double)material->damping_time};
  if (material->weft_bend_rigidity > 0)
    m.bend[1] = (double)material->weft_bend_rigidity;
  for (int axis = 0; axis < dimensions; axis++)
    m.stretch[axis] = (double)(axis == 1 && material->weft_modulus > 0 ? material->weft_modulus
                                                                       : material->stretch_modulus);
  if (dimensions == 2)
    m.shear = material->shear_modulus >= 0 ? (double)material->shear_modulus
                                           : 0.375 * sqrt(m.stretch[0]) * sqrt(m.stretch[1]);
  if (dimensions == 3)
    m.shear = 0.4 * m.stretch[0];
  if (material->stretch_under_weight > 0) {
    const double left = relaxation(world, material, &m, extent);
    for (int axis = 0; axis < dimensions; axis++)
      m.stretch[axis] *= left;
    m.shear *= left;
  }
  return m;
}

void material_constants(const material_numbers *m, double normal[3]) {
  const double u = m->stretch[0], v = m->stretch[1], g = m->shear;
  if (m->dimensions == 2) {
    normal[0] = 0.5 * (u + sqrt(u * u + 4.0 * g * g * (u / v)));
    normal[1] = normal[0] * (v / u);
  } else {
    for (int axis = 0; axis < m->dimensions; axis++)
      normal[axis] = m->dimensions == 3 ? 1.2 * u : u;
  }
}

bool material_is_isotropic(const material_numbers *m) {
  return m->stretch[0] == m->stretch[1] && fabs(m->shear - 0.375 * m->stretch[0]) <= 1e-6 * m->stretch[0];
}

/* The contribution of the diagonals to C_aa. */
static double of_diagonals(const material_numbers *m, const double cell[3], int axis) {
  double sum = 0.0;
  for (int other = 0; other < m->dimensions; other++)
    if (other != axis)
      sum += m->shear * (cell[axis] / cell[other]) * (cell[axis] / cell[other]);
  return sum;
}

double material_lattice_stiffness(const material_numbers *m, const double cell[3], const int32_t step[3]) {
  double volume = 1.0, square = 0.0, product = 1.0;
  int axes = 0, last = 0;
  for (int axis = 0; axis < m->dimensions; axis++) {
    volume *= cell[axis];
    if (step[axis] == 0)
      continue;
    square += cell[axis] * cell[axis];
    product *= cell[axis];
    axes++;
    last = axis;
  }
  if (axes == 2)
    return m->shear * (square / (2.0 * product)) * (volume / product);
  double normal[3] = {0.0, 0.0, 0.0};
  material_constants(m, normal);
  return (normal[last] - of_diagonals(m, cell, last)) * (volume / square);
}

/* N/m: the tension over the length of both diagonals of a cell, at the strain e along an axis. Nothing
   holds the sides: the lattice narrows until what is parallel to them, of stiffness k, presses as much as
   the diagonals pull. */
static double pull_of_diagonals(const double cell[2], double k, double diagonal, double e) {
  const double rest = sqrt(cell[0] * cell[0] + cell[1] * cell[1]), along = cell[0] * (1.0 + e);
  double low = 0.0, high = 1.0, pull = 0.0;
  for (int n = 0; n < 60; n++) {
    const double middle = 0.5 * (low + high), across = cell[1] * (1.0 - middle);
    pull = 2.0 * diagonal * (1.0 - rest / sqrt(along * along + across * across));
    *(k * middle < pull * (1.0 - middle) ? &low : &high) = middle;
  }
  return pull;
}

bool material_lattice_is_flat(const material_numbers *m, const double cell[3]) {
  const double along[2] = {material_lattice_stiffness(m, cell, (const int32_t[]){1, 0, 0}),
                           material_lattice_stiffness(m, cell, (const int32_t[]){0, 1, 0})};
  const double diagonal = material_lattice_stiffness(m, cell, (const int32_t[]){1, 1, 0});
  if (!(along[0] > 0.0 && along[1] > 0.0))
    return false;
  for (int axis = 0; axis < 2; axis++) {
    const double sides[2] = {cell[axis], cell[1 - axis]};
    const double pull = pull_of_diagonals(sides, along[1 - axis], diagonal, MATERIAL_FLAT_STRAIN);
    if (along[axis] * MATERIAL_FLAT_STRAIN / (1.0 + MATERIAL_FLAT_STRAIN) < pull)
      return false;
  }
  return true;
}

void material_lattice_moduli(const material_numbers *m, const double cell[3], double moduli[3]) {
  double normal[3] = {0.0, 0.0, 0.0};
  material_constants(m, normal);
  for (int axis = 0; axis < m->dimensions; axis++)
    normal[axis] = fmax(normal[axis], of_diagonals(m, cell, axis));
  for (int axis = 0; axis < m->dimensions; axis++)
    moduli[axis] = m->stretch[axis];
  if (m->dimensions == 2) {
    moduli[0] = normal[0] - m->shear * (m->shear / normal[1]);
    moduli[1] = normal[1] - m->shear * (m->shear / normal[0]);
  }
}

void material_folds(const material_numbers *m, const double cell[3], double folds[3]) {
  /* The fraction of a diagonal's rotation that bends along the first axis, and along the second. */
  const double square = cell[0] * cell[0] + cell[1] * cell[1];
  const double share[2] = {cell[1] * cell[1] / square, cell[0] * cell[0] / square};
  const double first = m->bend[0] * (cell[1] / cell[0]), second = m->bend[1] * (cell[0] / cell[1]);
  folds[2] = fmax(first * (1.0 + share[0]), second * (1.0 + share[1]));
  folds[0] = folds[1] = 0.0;
  if (folds[2] > 0.0) {
    folds[1] = 1.0 / (1.0 / first - share[0] / folds[2]);
    folds[0] = 1.0 / (1.0 / second - share[1] / folds[2]);
  }
}

double material_longest_side(const msd_vec3 *vertices, int32_t count) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0.0;
  for (int32_t v = 0; v < count; v++) {
    double p[3];
    vec3_components(vertices[v], p);
    for (int c = 0; c < 3; c++) {
      low[c] = p[c] < low[c] ? p[c] : low[c];
      high[c] = p[c] > high[c] ? p[c] : high[c];
    }
  }
  for (int c = 0; c < 3; c++)
    longest = high[c] - low[c] > longest ? high[c] - low[c] : longest;
  return longest;
}

double material_edge_stiffness(const material_numbers *m) {
  return 0.25 * sqrt(3.0) * m->stretch[0];
}

double material_fold_stiffness(const material_numbers *m, double c) {
  if (m->bend[0] == m->bend[1])
    return 1.2 * m->bend[0];
  const double root = sqrt(m->bend[0]) * c * c + sqrt(m->bend[1]) * (1.0 - c * c);
  return 1.2 * root * root;
}

/* --------------------------------------------------------------------------------------------------- body */

/* The law with the damping time k + ratio 2 sqrt(k m), with m the mass fraction of the spring. */
static law damped(law l, law_terms terms, const material_numbers *m) {
  const double damping =
      m->damping_time * terms.stiffness + 2.0 * m->damping_ratio * sqrt(terms.stiffness) * sqrt(terms.share);
  l.second = builder_is_storable(damping) ? (msd_real)damping : l.second;
  return l;
}

void material_damp(msd_world *world, const msd_body *body, const material_numbers *m) {
  world_model *model = &world->model;
  for (int32_t e = body->springs.first; e < body->springs.first + body->springs.count; e++) {
    const law l = spring_law(&model->springs, e);
    const law_terms terms = spring_effective_mass(&model->springs, &model->particles, e);
    spring_set_law(&model->springs, &model->particles, &model->memory, e, damped(l, terms, m));
  }
  const msd_range ranges[] = {body->fibers, body->bend_constraints};
  for (int n = 0; n < 2; n++)
    for (int32_t c = ranges[n].first; c < ranges[n].first + ranges[n].count; c++) {
      law *l = &model->constraints.laws[c];
      *l = damped(*l, constraint_split(&model->constraints, &model->particles, c), m);
    }
  model->revision.definitions++;
}

msd_material material_made(const msd_material *asked, const material_numbers *made) {
  msd_material m = *asked;
  m.stretch_modulus = (msd_real)made->stretch[0];
  if (made->dimensions == 2) {
    m.weft_modulus = (msd_real)made->stretch[1];
    m.shear_modulus = (msd_real)made->shear;
  }
  return m;
}

/* Non-negative fibers have the moduli of a lattice of square cells. */
msd_material material_of_fibers(const msd_material *asked, const material_numbers *m) {
  static const double square[3] = {1.0, 1.0, 1.0};
  material_numbers made = *m;
  material_lattice_moduli(m, square, made.stretch);
  return material_made(asked, &made);
}

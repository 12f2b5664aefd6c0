/* What a material says is what a body does: elastic constants, lengths and deflections by linear statics,
   against the formulas of bars, plates and beams, at any resolution. */
#include "tests/support/elasticity.h"
#include "tests/support/share.h"

static const double NEAR = sizeof(msd_real) == sizeof(double) ? 1e-9 : 2e-5;

static void expect_near(double value, double expected, double tolerance, const char *what) {
  cr_expect_float_eq(value, expected, tolerance * fabs(expected), "%s: %.9g, not %.9g", what, value,
                     expected);
}

static msd_material fabric(double stretch, double weft, double shear) {
  msd_material m = msd_default_material();
  m.area_density = (msd_real)0.3;
  m.stretch_modulus = (msd_real)stretch;
  m.weft_modulus = (msd_real)weft;
  m.shear_modulus = (msd_real)shear;
  return m;
}

/* --------------------------------------------------------------------------------------------------- ropes */

static const double GRAVITY = 10;

static msd_world *new_rope(int particles, double length, const msd_material *material, msd_body *body) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.particles = particles;
  def.to = (msd_vec3){(msd_real)length, 0, 0};
  def.material = material;
  ok(world, msd_add_rope(world, &def, body));
  return world;
}

static msd_material cord(double bend) {
  msd_material m = msd_default_material();
  m.line_density = (msd_real)0.05;
  m.stretch_modulus = 2000;
  m.bend_rigidity = (msd_real)bend;
  return m;
}

/* Each spring carries what is below it. A bar becomes longer by w L^2/(2 EA). */
Test(material_statics, a_hanging_rope_stretches_as_a_bar_does_in_any_number_of_pieces) {
  const msd_material m = cord(0);
  for (int particles = 2; particles <= 130; particles = 2 * particles + 1) {
    msd_body body;
    msd_world *world = new_rope(particles, 3, &m, &body);
    double below = 0, longer = 0;
    for (int i = particles - 1; i > 0; i--) {
      below += GRAVITY * (double)msd_particle_get_mass(world, i);
      longer += below / (double)msd_spring_get_stiffness(world, body.stretch.first + i - 1);
    }
    expect_near(longer, 0.05 * GRAVITY * 9 / (2 * 2000), NEAR, "longer by");
    msd_destroy_world(world);
  }
}

/* How far the tip of a beam goes down that is clamped at node 0, by its own weight: each node before it turns
   by its moment over its stiffness. `clamp` is the stiffness at the clamp over that of the others. */
static double deflection(msd_world *world, const msd_body *body, int clamped, double clamp, double h) {
  const int last = body->particles.count - 1;
  double down = 0;
  for (int i = clamped; i < last; i++) {
    double moment = 0;
    for (int j = i + 1; j <= last; j++)
      moment += GRAVITY * (double)msd_particle_get_mass(world, j) * (j - i) * h;
    const msd_constraint_def angle = msd_constraint_get_def(world, body->bend_constraints.first + i - 1);
    cr_assert(angle.particles[1] == i);
    down += moment / ((double)angle.stiffness * (i == clamped ? clamp : 1)) * (last - i) * h;
  }
  return down;
}

/* Against w L^4/(8 EI). Two pinned particles hold the angle at the second alone: half of what bends there is
   between them, so that a rope clamped there by twice the stiffness is exact but for 1/N^2, and one that is
   just pinned is as long as if it was clamped in the middle between the pins. */
Test(material_statics, a_rope_bends_as_a_beam_does_in_any_number_of_pieces) {
  const msd_material m = cord(0.001);
  for (int cells = 4; cells <= 64; cells *= 2) {
    const double length = 0.5, h = length / cells;
    msd_body body;
    msd_world *world = new_rope(cells + 2, length + h, &m, &body);
    const double beam = 0.05 * GRAVITY / (8 * 0.001), longer = length + h / 2;
    expect_near(deflection(world, &body, 1, 2, h), beam * pow(length, 4) * (1 + 1.0 / (cells * cells)), NEAR,
                "clamped");
    expect_near(deflection(world, &body, 1, 1, h), beam * pow(longer, 4), 1.2 / (cells * cells), "pinned");
    msd_destroy_world(world);
  }
}

/* Half of an elastic catenary of the weight w per length, s from the lowest point at rest, H the pull there:
   x = H s/EA + (H/w) asinh(w s/H),   y = w s^2/(2 EA) + (H/w) (sqrt(1 + (w s/H)^2) - 1). */
typedef struct catenary {
  double weight, stretch, pull;
} catenary;

static double catenary_across(catenary c, double s) {
  return c.pull * s / c.stretch + c.pull / c.weight * asinh(c.weight * s / c.pull);
}

static double catenary_down(catenary c, double s) {
  const double slope = c.weight * s / c.pull;
  return c.weight * s * s / (2 * c.stretch) + c.pull / c.weight * (sqrt(1 + slope * slope) - 1);
}

/* The one whose ends are so far apart. */
static catenary catenary_of(double weight, double stretch, double length, double span) {
  catenary c = {weight, stretch, 0};
  double low = 1e-6 * weight * length, high = 10 * weight * length;
  for (int n = 0; n < 100; n++) {
    c.pull = (low + high) / 2;
    *(catenary_across(c, length / 2) < span / 2 ? &low : &high) = c.pull;
  }
  return c;
}

/* A rope of 1.5 m whose ends are 1 m apart, let go as a V and brought to rest by air. */
static double sag_at_rest(int particles, const msd_material *material, double length, double span) {
  msd_body body;
  msd_world *world = new_rope(particles, length, material, &body);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-GRAVITY, 0}));
  ok(world, msd_world_set_linear_damping(world, 6));
  const double deep = sqrt(length * length - span * span) / 2;
  for (int i = 0; i < particles; i++) {
    const double along = (double)i / (particles - 1), down = deep * (1 - fabs(2 * along - 1));
    ok(world, msd_particle_set_position(world, i, (msd_vec3){(msd_real)(span * along), (msd_real)-down, 0}));
  }
  ok(world, msd_particle_pin(world, 0));
  ok(world, msd_particle_pin(world, particles - 1));
  for (int frame = 0; frame < 360; frame++)
    ok(world, msd_world_step(world, (msd_real)(1.0 / 60), 0));
  const double left = (double)msd_particle_get_position(world, particles / 2 - 1).y,
               right = (double)msd_particle_get_position(world, particles / 2).y;
  cr_expect_float_eq(left, right, 1e-4, "as deep on both sides of the middle: %g, %g", left, right);
  msd_destroy_world(world);
  return -(left + right) / 2;
}

/* A piece has the slope of the catenary in its middle, so places are sums at midpoints, and the lowest piece
   is a chord, which lies w h^2/(8 H) above the lowest point. What sums at midpoints are wrong by takes a part
   of it back, so that the sag is less than the catenary's by a part of that. */
Test(material_statics, a_slack_rope_sags_as_a_catenary_does_in_any_number_of_pieces) {
  static const int counts[] = {10, 40, 160};
  msd_material m = cord(0);
  m.stretch_modulus = 100;
  const double length = 1.5, span = 1;
  const catenary c = catenary_of(0.05 * GRAVITY, 100, length, span);
  const double sag = catenary_down(c, length / 2);
  for (int n = 0; n < 3; n++) {
    const double less = sag - sag_at_rest(counts[n], &m, length, span);
    const double chord = catenary_down(c, length / (counts[n] - 1) / 2);
    cr_expect(less > -1e-5 && less < chord, "%d particles: %g m less than %g, not up to %g", counts[n], less,
              sag, chord);
  }
}

/* ------------------------------------------------------------------------------------------- cloths, blocks */

static const double WIDTH = 2, HEIGHT = 1;

static bool is_inside_of_cloth(double3 p) {
  return p.x > 1e-3 && p.x < WIDTH - 1e-3 && p.y < -1e-3 && p.y > -HEIGHT + 1e-3;
}

static msd_world *new_cloth(int columns, int rows, const msd_material *material, msd_body *body) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.u = (msd_vec3){(msd_real)WIDTH, 0, 0};
  def.v = (msd_vec3){0, (msd_real)-HEIGHT, 0};
  def.material = material;
  ok(world, msd_add_cloth(world, &def, body));
  return world;
}

/* In the plane x, y: the moduli along both axes, the shear, and nu of a pull along x. */
typedef struct plane {
  double stretch, weft, shear, poisson;
} plane;

static plane measure(const msd_world *world, bool (*is_inside)(double3), double area) {
  elastic e = elastic_of(world);
  double unrest[4];
  const double xx = elastic_strained(&e, (double[]){1, 0, 0, 0, 0, 0}, is_inside, &unrest[0]) / area;
  const double yy = elastic_strained(&e, (double[]){0, 1, 0, 0, 0, 0}, is_inside, &unrest[1]) / area;
  const double both = elastic_strained(&e, (double[]){1, 1, 0, 0, 0, 0}, is_inside, &unrest[2]) / area;
  const double shear = elastic_strained(&e, (double[]){0, 0, 0, 0, 0, 0.5}, is_inside, &unrest[3]) / area;
  for (int n = 0; n < 4; n++)
    cr_expect_leq(unrest[n], NEAR, "the inside is not at rest: %g of the border", unrest[n]);
  elastic_free(&e);
  const double cross = (both - xx - yy) / 2;
  return (plane){xx - cross * cross / yy, yy - cross * cross / xx, shear, cross / yy};
}

/* Columns, rows, and what of a sheet of stretch 1000 N/m is asked for. */
Test(material_statics, a_cloth_has_the_moduli_of_its_material_in_any_cells) {
  static const struct {
    int columns, rows;
    double weft, shear;
  } cases[] = {{21, 11, 1000, 375}, {11, 6, 1000, 100},  {21, 11, 300, 20},
               {11, 11, 1000, 100}, {41, 11, 1000, 100}, {11, 11, 500, 20}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const msd_material m = fabric(1000, cases[n].weft, cases[n].shear);
    msd_body body;
    msd_world *world = new_cloth(cases[n].columns, cases[n].rows, &m, &body);
    const plane p = measure(world, is_inside_of_cloth, WIDTH * HEIGHT);
    expect_near(p.stretch, 1000, 1e-4, "stretch");
    expect_near(p.weft, cases[n].weft, 1e-4, "weft");
    expect_near(p.shear, cases[n].shear, 1e-4, "shear");
    expect_near((double)body.material.stretch_modulus, 1000, 1e-4, "stretch as made");
    expect_near((double)body.material.weft_modulus, cases[n].weft, 1e-4, "weft as made");
    expect_near((double)body.material.shear_modulus, cases[n].shear, 1e-4, "shear as made");
    msd_destroy_world(world);
  }
}

Test(material_statics, a_cloth_without_directions_has_a_third_as_poissons_ratio) {
  const msd_material m = fabric(1000, -1, -1);
  msd_world *world = new_cloth(17, 9, &m, NULL);
  expect_near(measure(world, is_inside_of_cloth, WIDTH * HEIGHT).poisson, 1.0 / 3, 1e-4, "nu");
  msd_destroy_world(world);
}

/* Cells four times as long as wide: along u the diagonals alone are stiffer than asked. */
Test(material_statics, a_cloth_of_springs_tells_the_moduli_that_its_cells_cannot_go_below) {
  msd_material m = fabric(1000, -1, -1);
  m.elements = MSD_ELEMENTS_SPRINGS;
  msd_body body;
  msd_world *world = new_cloth(6, 11, &m, &body);
  const plane p = measure(world, is_inside_of_cloth, WIDTH * HEIGHT);
  expect_near((double)body.material.stretch_modulus, p.stretch, 1e-4, "stretch as made");
  expect_near((double)body.material.weft_modulus, p.weft, 1e-4, "weft as made");
  cr_expect_gt(p.stretch, 5000);
  expect_near(p.shear, 375, 1e-4, "shear");
  msd_destroy_world(world);
}

/* By how much a lattice of cells of 1 : aspect narrows that is longer by `pull` along u (0) or v (1): the
   energy of its springs is least. */
static double narrowing(const msd_material *m, double aspect, int pulled, double pull) {
  const double u = (double)m->stretch_modulus, v = (double)m->weft_modulus, g = (double)m->shear_modulus;
  const double c11 = (u + sqrt(u * u + 4 * g * g * u / v)) / 2, c22 = c11 * v / u;
  const double along = pulled == 0 ? aspect : 1, across = pulled == 0 ? 1 : aspect;
  const double side = ((pulled == 0 ? c22 : c11) - g * across * across / (along * along)) * along / across;
  const double diagonal = g * (aspect + 1 / aspect) / 2, rest = hypot(along, across);
  double low = 0, high = 1;
  while (high - low > 1e-12) {
    const double n = (low + high) / 2, now = hypot(along * (1 + pull), across * (1 - n));
    /* Minus the derivative of side (n across)^2/2 + diagonal (now - rest)^2, over across^2. */
    const double slope = 2 * diagonal * (now - rest) * (1 - n) / now - side * n;
    *(slope > 0 ? &low : &high) = n;
  }
  return low;
}

/* How far out of its plane, in m, a strip moves in a second that is in even tension along u or v: longer by
   `pull`, and as much narrower as is natural. The ends that are pulled are pinned so; what is between them is
   pushed out of the plane by 1 um, up and down at random, and loses what it gains in motion at 2/s. */
static double buckled(const msd_material *m, double aspect, int pulled, double pull, bool *is_of_springs) {
  enum { SIDE = 15 };
  const double h = 0.01, side[2] = {h * aspect * (SIDE - 1), h * (SIDE - 1)};
  const double narrower = narrowing(m, aspect, pulled, pull);
  msd_world_def world_def = msd_default_world_def();
  world_def.gravity = (msd_vec3){0, 0, 0};
  world_def.linear_damping = 2;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = SIDE;
  def.u = (msd_vec3){(msd_real)side[0], 0, 0};
  def.v = (msd_vec3){0, (msd_real)side[1], 0};
  def.material = m;
  msd_body body;
  ok(world, msd_add_cloth(world, &def, &body));
  *is_of_springs = body.springs.count > 0;
  uint32_t state = 5;
  for (int32_t i = 0; i < SIDE * SIDE; i++) {
    const int at[2] = {i % SIDE, i / SIDE};
    const bool is_end = at[pulled] == 0 || at[pulled] == SIDE - 1;
    state = state * 1664525u + 1013904223u;
    const double x[2] = {side[0] * at[0] / (SIDE - 1), side[1] * at[1] / (SIDE - 1)};
    const double strain[2] = {pulled == 0 ? pull : -narrower, pulled == 0 ? -narrower : pull};
    ok(world, msd_particle_set_position(world, i,
                                        (msd_vec3){(msd_real)(x[0] * (1 + strain[0])),
                                                   (msd_real)(x[1] * (1 + strain[1])),
                                                   is_end        ? 0
                                                   : state >> 31 ? (msd_real)1e-6
                                                                 : (msd_real)-1e-6}));
    if (is_end)
      ok(world, msd_particle_pin(world, i));
  }
  double most = 0;
  for (int frame = 0; frame < 60; frame++)
    ok(world, msd_world_step(world, (msd_real)(1.0 / 60), 0));
  for (int32_t i = 0; i < SIDE * SIDE; i++)
    most = fmax(most, fabs((double)msd_particle_get_position(world, i).z));
  msd_destroy_world(world);
  return most;
}

/* Diagonals join corners that are on one side of a chequerboard, so there only the sides hold the sheet
   flat, and sides across the tension are pressed. Springs buckle in isotropic cells at 1 : sqrt(5/3) at
   small strains, and at 1 : 1.2259 at 30 %; there the cloth is of fibers. */
Test(material_statics, a_cloth_in_tension_stays_flat_whatever_its_cells) {
  static const double aspects[] = {1, 1.2, 1.225, 1.227, 1.25, 1.28, 1.3, 1.6, 1 / 1.225, 1 / 1.25, 1 / 1.4};
  static const double pulls[] = {0.01, 0.05, 0.3};
  static const double moduli[][3] = {{1000, 1000, 375}, {1000, 2200, 556}, {2200, 1000, 556},
                                     {1000, 2600, 605}, {1000, 4000, 750}, {1000, 1000, 100}};
  for (size_t n = 0; n < sizeof moduli / sizeof *moduli; n += in_part ? 5 : 1)
    for (size_t a = 0; a < sizeof aspects / sizeof *aspects; a++)
      for (int way = 0; way < 6; way += in_part ? 3 : 1) {
        const msd_material m = fabric(moduli[n][0], moduli[n][1], moduli[n][2]);
        const double pull = pulls[way / 2];
        bool is_of_springs;
        const double out = buckled(&m, aspects[a], way % 2, pull, &is_of_springs);
        /* Fibers narrow otherwise at large strains, so ends that move as those of springs press them. */
        if (is_of_springs || pull < 0.02)
          cr_expect_lt(out, 1e-5, "E %g, %g, G %g, cells 1 : %g of %s, strain %g: %g m", moduli[n][0],
                       moduli[n][1], moduli[n][2], aspects[a], is_of_springs ? "springs" : "fibers", pull,
                       out);
        if (n == 0)
          cr_expect_eq(is_of_springs, aspects[a] < 1.2259 && aspects[a] > 1 / 1.2259, "cells 1 : %g",
                       aspects[a]);
      }
}

/* The same cells, and skewed ones, whose warp runs along u. */
Test(material_statics, a_cloth_that_springs_do_not_suit_is_of_fibers) {
  static const double shears[] = {-1, 100, 400};
  for (int skewed = 0; skewed < 2; skewed++)
    for (int n = 0; n < 3; n++) {
      const msd_material m = fabric(1000, n == 1 ? 300 : 1000, shears[n]);
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      msd_cloth_def def = msd_default_cloth_def();
      def.columns = 6;
      def.rows = 11;
      def.u = (msd_vec3){(msd_real)WIDTH, 0, 0};
      def.v = (msd_vec3){(msd_real)(0.4 * skewed), (msd_real)-HEIGHT, 0};
      def.material = &m;
      msd_body body;
      ok(world, msd_add_cloth(world, &def, &body));
      cr_expect(body.springs.count == 0 && body.fibers.count == body.constraints.count);
      const plane p = measure(world, skewed ? NULL : is_inside_of_cloth, WIDTH * HEIGHT);
      expect_near(p.stretch, 1000, 1e-4, "stretch");
      expect_near(p.weft, n == 1 ? 300 : 1000, 1e-4, "weft");
      expect_near(p.shear, n == 0 ? 375 : shears[n], 1e-4, "shear");
      expect_near((double)body.material.stretch_modulus, 1000, 1e-4, "stretch as made");
      expect_near(msd_world_get_stats(world).total_mass, 0.3 * WIDTH * HEIGHT, 1e-5, "mass");
      msd_destroy_world(world);
    }
}

static bool is_inside_of_block(double3 p) {
  return p.x > 1e-3 && p.x < 0.999 && p.y > 1e-3 && p.y < 0.999 && p.z > 1e-3 && p.z < 0.999;
}

/* C_11 = 6/5 E, C_12 = C_44 = 2/5 E: E, nu = 1/4 and G = E/(2 (1 + nu)) in all directions. */
Test(material_statics, a_block_is_a_solid_with_a_quarter_as_poissons_ratio_in_any_cells) {
  static const int32_t cells[][3] = {{4, 4, 4}, {5, 6, 5}, {2, 2, 2}};
  for (size_t n = 0; n < sizeof cells / sizeof *cells; n++) {
    msd_material m = msd_default_material();
    m.density = 1000;
    m.stretch_modulus = 50000;
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_block_def def = msd_default_block_def();
    memcpy(def.cells, cells[n], sizeof def.cells);
    def.material = &m;
    ok(world, msd_add_block(world, &def, NULL));
    elastic e = elastic_of(world);
    for (int axis = 0; axis < 3; axis++) {
      double alone[6] = {0}, two[6] = {0}, shear[6] = {0}, unrest[3];
      alone[axis] = two[axis] = two[(axis + 1) % 3] = 1;
      shear[3 + axis] = 0.5;
      expect_near(elastic_strained(&e, alone, is_inside_of_block, &unrest[0]), 1.2 * 50000, 1e-4, "C_aa");
      expect_near(elastic_strained(&e, two, is_inside_of_block, &unrest[1]), 3.2 * 50000, 1e-4, "C_ab");
      expect_near(elastic_strained(&e, shear, is_inside_of_block, &unrest[2]), 0.4 * 50000, 1e-4, "G");
      for (int u = 0; u < 3; u++)
        cr_expect_leq(unrest[u], NEAR);
    }
    elastic_free(&e);
    msd_destroy_world(world);
  }
}

/* What fabrics do that other sheets do not: they resist compression less than tension, and lose energy by the
   motion of their material, whatever the mesh. */
#include "tests/support/laboratory.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- the law of one fiber */

/* A fiber of 1 m along x in the triangle (0, 0), (1, 0), (0, 1), of which particle 1 is free. */
static msd_world *new_fiber(double factor) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_vec3 rest[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (int n = 0; n < 3; n++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = rest[n];
    p.pinned = n != 1;
    ok(world, msd_add_particles(world, &p, 1, NULL));
  }
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_FIBER;
  for (int n = 0; n < 3; n++)
    def.particles[n] = n;
  ok(world, msd_fiber_weights(rest, 3, (msd_vec3){1, 0, 0}, def.weights));
  def.stiffness = 100;
  def.compression_factor = (msd_real)factor;
  ok(world, msd_add_constraints(world, &def, 1, NULL));
  msd_world_set_gravity(world, (msd_vec3){0, 0, 0});
  return world;
}

static void place(msd_world *world, double x) {
  ok(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)x, 0, 0}));
}

Test(fabrics, a_fiber_pushes_with_its_factor_and_pulls_as_without) {
  msd_world *world = new_fiber(0.25);
  place(world, 1.5);
  cr_expect_float_eq(msd_constraint_get_tension(world, 0), 50, 1e-4);
  cr_expect_float_eq(msd_world_get_stats(world).elastic_energy, 12.5, 1e-4);
  place(world, 0.5);
  cr_expect_float_eq(msd_constraint_get_tension(world, 0), -12.5, 1e-4);
  cr_expect_float_eq(msd_world_get_stats(world).elastic_energy, 3.125, 1e-4);
  cr_expect_eq(msd_constraint_get_def(world, 0).compression_factor, (msd_real)0.25);
  msd_destroy_world(world);
}

/* A period has half a period of each side. */
Test(fabrics, a_fiber_oscillates_about_its_length_with_a_frequency_for_each_side) {
  static const msd_integrator integrators[] = {MSD_SYMPLECTIC_EULER, MSD_SEQUENTIAL_IMPULSE};
  for (int n = 0; n < 2; n++) {
    msd_world *world = new_fiber(0.25);
    ok(world, msd_world_set_integrator(world, integrators[n]));
    ok(world, msd_particle_set_velocity(world, 1, (msd_vec3){1, 0, 0}));
    const double half = PI / 10, period = half + 2 * half;
    ok(world, msd_world_step(world, (msd_real)half, 2000));
    cr_expect_float_eq((double)msd_particle_get_position(world, 1).x, 1, 2e-3);
    ok(world, msd_world_step(world, (msd_real)(period - half), 4000));
    cr_expect_float_eq((double)msd_particle_get_position(world, 1).x, 1, 2e-3);
    cr_expect_float_eq((double)msd_particle_get_velocity(world, 1).x, 1, 2e-3);
    msd_destroy_world(world);
  }
}

Test(fabrics, a_pressed_fiber_comes_to_rest_where_its_factor_has_it) {
  msd_world *world = new_fiber(0.25);
  msd_world_set_gravity(world, (msd_vec3){-5, 0, 0});
  const msd_equilibrium_def def = msd_default_equilibrium_def();
  msd_equilibrium_report report;
  ok(world, msd_world_find_equilibrium(world, &def, &report));
  cr_expect(report.converged);
  cr_expect_float_eq((double)msd_particle_get_position(world, 1).x, 1 - 5.0 / 25, 1e-4);
  msd_destroy_world(world);
}

Test(fabrics, a_factor_out_of_range_or_of_no_fiber_is_refused) {
  msd_world *world = new_fiber(1);
  msd_constraint_def def = msd_constraint_get_def(world, 0);
  const double wrong[] = {-0.1, 1.5, NAN};
  for (int n = 0; n < 3; n++) {
    def.compression_factor = (msd_real)wrong[n];
    cr_expect_eq(msd_add_constraints(world, &def, 1, NULL), MSD_BAD_VALUE);
    cr_expect(strstr(msd_world_message(world), "compression_factor"), "%s", msd_world_message(world));
  }
  def.kind = MSD_CONSTRAINT_AREA;
  def.compression_factor = (msd_real)0.5;
  cr_expect_eq(msd_add_constraints(world, &def, 1, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ sheets */

static msd_material film(double stretch, double factor) {
  msd_material m = msd_default_material();
  m.area_density = (msd_real)0.05;
  m.stretch_modulus = (msd_real)stretch;
  m.compression_factor = (msd_real)factor;
  return m;
}

static msd_world *new_sheet(double factor, msd_energy_mode energy) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_energy_mode(world, energy));
  msd_material m = film(200, factor);
  m.damping_ratio = 0;
  m.bend_rigidity = (msd_real)1e-6;
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 9;
  def.material = &m;
  ok(world, msd_add_cloth(world, &def, NULL));
  return world;
}

/* The certificate is that of tension, which bounds compression. */
Test(fabrics, a_softer_side_needs_no_more_substeps) {
  msd_world *hard = new_sheet(0.999, MSD_ENERGY_OFF), *soft = new_sheet(0.01, MSD_ENERGY_OFF);
  msd_stability a, b;
  ok(hard, msd_world_analyze_stability(hard, (msd_real)0.001, &a));
  ok(soft, msd_world_analyze_stability(soft, (msd_real)0.001, &b));
  cr_expect_eq(a.stable_substep, b.stable_substep);
  msd_destroy_world(hard);
  msd_destroy_world(soft);
}

/* Thrown about at the longest certified substep, with fibers that change their side all the time. */
Test(fabrics, the_bounded_mode_bounds_the_energy_of_sheets_with_a_softer_side) {
  for (int n = 0; n < 2; n++) {
    msd_world *world = new_sheet(n == 0 ? 0.05 : 0, MSD_ENERGY_BOUNDED);
    msd_world_set_gravity(world, (msd_vec3){0, 0, 0});
    uint64_t seed = 5;
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
      msd_real v[3];
      for (int c = 0; c < 3; c++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v[c] = (msd_real)((double)(seed >> 11) / 9007199254740992.0 - 0.5);
      }
      ok(world, msd_particle_set_velocity(world, i, (msd_vec3){8 * v[0], 8 * v[1], 8 * v[2]}));
    }
    const double before = msd_world_get_stats(world).kinetic_energy;
    for (int frame = 0; frame < 120; frame++)
      ok(world, msd_world_step(world, (msd_real)(1 / 60.0), 0));
    const msd_stats after = msd_world_get_stats(world);
    /* 1/(1 - rho/4) with the safety of automatic substeps, and the allowance of a hundredth. */
    cr_expect_lt(after.kinetic_energy + after.elastic_energy, 2.1 * before);
    cr_expect_gt(after.kinetic_energy + after.elastic_energy, 0.2 * before);
    msd_destroy_world(world);
  }
}

/* rad: how far the tip of a heavy elastica is below its clamp, as seen from there, by shooting:
   B t'' = -w (L - s) cos t with t(0) = 0 and t'(L) = 0. */
static double elastica(double weight, double bend, double length) {
  enum { STEPS = 2000 };
  const double h = length / STEPS;
  double low = 0, high = weight * length * length / bend, x = 0, y = 0;
  for (int n = 0; n < 60; n++) {
    double angle = 0, slope = (low + high) / 2;
    x = y = 0;
    for (int i = 0; i < STEPS; i++) {
      const double middle = angle + h / 2 * slope;
      const double next = slope - h * weight / bend * (length - (i + 0.5) * h) * cos(middle);
      x += h * cos(middle);
      y += h * sin(middle);
      angle += h * (slope + next) / 2;
      slope = next;
    }
    *(slope > 0 ? &high : &low) = (low + high) / 2;
  }
  return atan2(y, x);
}

/* The same of a strip of one row of square cells that sticks out by 4.5 cm, as in ASTM D1388. A wide strip
   would be stiffer at the clamp, which keeps it flat across. The clamp is in the middle between two columns of
   pins for the edges across, which have two thirds of the flexibility, and at the second column for the
   diagonals. */
static double droop_of(const char *name, msd_material *m) {
  enum { CELLS = 24, ROWS = 2 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-9.81, 0}));
  ok(world, msd_material_named(name, m));
  const double cell = 0.045 / (CELLS + 1 / 3.0);
  msd_cloth_def def = msd_default_cloth_def();
  def.u = (msd_vec3){(msd_real)(cell * (CELLS + 1)), 0, 0};
  def.v = (msd_vec3){0, 0, (msd_real)cell};
  def.columns = CELLS + 2;
  def.rows = ROWS;
  def.material = m;
  ok(world, msd_add_cloth(world, &def, NULL));
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < 2; column++)
      ok(world, msd_particle_pin(world, row * (CELLS + 2) + column));
  msd_equilibrium_def rest = msd_default_equilibrium_def();
  rest.tolerance = 5e-3;
  msd_equilibrium_report report;
  ok(world, msd_world_find_equilibrium(world, &rest, &report));
  cr_expect(report.converged, "%s: %g m/s^2", name, report.acceleration);
  const msd_vec3 tip = msd_particle_get_position(world, ROWS / 2 * (CELLS + 2) + CELLS + 1);
  msd_destroy_world(world);
  return atan2(-(double)tip.y, (double)tip.x - 2 * cell / 3);
}

Test(fabrics, a_strip_droops_as_a_heavy_elastica_of_its_rigidity) {
  static const char *const names[] = {"silk", "polyester", "denim", "cotton", "wool"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    msd_material m;
    const double droop = droop_of(names[n], &m);
    const double expected = elastica((double)m.area_density * 9.81, (double)m.bend_rigidity, 0.045);
    cr_expect_float_eq(droop, expected, 0.01 * expected, "%s: %g, not %g", names[n], droop, expected);
  }
}

/* ------------------------------------------------------------------------------------------- Mylar balloon */

enum { RINGS = 12 };

static int32_t vertex_at(int ring, int j) {
  return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + j % (6 * ring);
}

/* Two discs of radius 1, joined at their edges; of the second, only the inside is new. */
typedef struct balloon {
  msd_vec3 vertices[2 * (1 + 3 * RINGS * (RINGS + 1))];
  int32_t triangles[2 * 18 * RINGS * RINGS];
  int32_t vertex_count, triangle_count;
} balloon;

static int32_t on_back(int32_t vertex) {
  const int32_t inside = vertex_at(RINGS, 0), whole = 1 + 3 * RINGS * (RINGS + 1);
  return vertex < inside ? whole + vertex : vertex;
}

static void add_triangle(balloon *b, int32_t p, int32_t q, int32_t r) {
  const int32_t front[3] = {p, q, r}, back[3] = {on_back(p), on_back(r), on_back(q)};
  for (int n = 0; n < 3; n++) {
    b->triangles[3 * b->triangle_count + n] = front[n];
    b->triangles[3 * b->triangle_count + 3 + n] = back[n];
  }
  b->triangle_count += 2;
}

static void make_balloon(balloon *b) {
  const int32_t whole = 1 + 3 * RINGS * (RINGS + 1);
  for (int ring = 0; ring <= RINGS; ring++)
    for (int j = 0; j < (ring == 0 ? 1 : 6 * ring); j++) {
      const double r = (double)ring / RINGS, angle = ring == 0 ? 0 : PI * j / (3 * ring);
      const msd_vec3 at = {(msd_real)(r * cos(angle)), 0, (msd_real)(r * sin(angle))};
      b->vertices[vertex_at(ring, j)] = at;
      b->vertices[on_back(vertex_at(ring, j))] = at;
    }
  b->vertex_count = whole + vertex_at(RINGS, 0);
  for (int ring = 1; ring <= RINGS; ring++)
    for (int sector = 0; sector < 6; sector++)
      for (int j = 0; j < ring; j++) {
        const int outer = sector * ring + j, inner = sector * (ring - 1) + j;
        add_triangle(b, vertex_at(ring - 1, inner), vertex_at(ring, outer + 1), vertex_at(ring, outer));
        if (j + 1 < ring)
          add_triangle(b, vertex_at(ring - 1, inner), vertex_at(ring - 1, inner + 1),
                       vertex_at(ring, outer + 1));
      }
}

/* Inflated by a constant pressure: a soft volume far from its rest value. Returns thickness over diameter. */
static double inflate(const balloon *b, double factor) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_world_set_gravity(world, (msd_vec3){0, 0, 0});
  const msd_material m = film(5e4, factor);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = b->vertices;
  def.vertex_count = b->vertex_count;
  def.triangles = b->triangles;
  def.triangle_count = b->triangle_count;
  def.material = &m;
  ok(world, msd_add_mesh(world, &def, NULL));
  /* A flat balloon encloses nothing: push its sides apart. */
  for (int32_t i = 0; i < b->vertex_count; i++) {
    msd_vec3 at = b->vertices[i];
    const double r = sqrt((double)at.x * (double)at.x + (double)at.z * (double)at.z);
    at.y = (msd_real)((i < vertex_at(RINGS, 0)       ? 1
                       : i > 3 * RINGS * (RINGS + 1) ? -1
                                                     : 0) *
                      0.1 * (1 - r * r));
    ok(world, msd_particle_set_position(world, i, at));
  }
  msd_constraint_def volume = msd_default_constraint_def();
  volume.kind = MSD_CONSTRAINT_MESH_VOLUME;
  volume.triangles = b->triangles;
  volume.triangle_count = b->triangle_count;
  volume.rest = 1000;
  volume.stiffness = (msd_real)0.3;
  ok(world, msd_add_constraints(world, &volume, 1, NULL));
  cr_assert_gt(msd_constraint_get_value(world, msd_world_get_constraint_count(world) - 1), 0);
  ok(world, msd_world_set_linear_damping(world, 60));
  for (int frame = 0; frame < 60; frame++)
    ok(world, msd_world_step(world, (msd_real)(1 / 60.0), 0));
  double high = 0, wide = 0;
  for (int32_t i = 0; i < b->vertex_count; i++) {
    const msd_vec3 at = msd_particle_get_position(world, i);
    high = fmax(high, fabs((double)at.y));
    wide = fmax(wide, sqrt((double)at.x * (double)at.x + (double)at.z * (double)at.z));
  }
  msd_destroy_world(world);
  return high / wide;
}

/* W. Paulsen, "What is the shape of a Mylar balloon?", 1994: .599, for a film that wrinkles freely and does not
   stretch. */
Test(fabrics, a_mylar_balloon_has_the_shape_of_a_film_that_does_not_push) {
  balloon *b = calloc(1, sizeof *b);
  make_balloon(b);
  const double soft = inflate(b, 0.001), hard = inflate(b, 1);
  cr_expect_float_eq(soft, 0.599, 0.01, "%g", soft);
  cr_expect_lt(hard, 0.45, "%g", hard);
  free(b);
}

/* ------------------------------------------------------------------------------------------------ damping */

/* The lowest axial mode of a rod that is held at one end: w = pi/2 sqrt(EA/(rho L^2)). After a period of the
   damped motion it has exp(-2 pi z/sqrt(1 - z^2)) of its amplitude, with z = w damping_time/2. */
static double ratio_in_pieces(int pieces, double ratio, double time) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_world_set_gravity(world, (msd_vec3){0, 0, 0});
  msd_material m = msd_default_material();
  m.line_density = m.stretch_modulus = 1;
  m.damping_ratio = (msd_real)ratio;
  m.damping_time = (msd_real)time;
  msd_rope_def def = msd_default_rope_def();
  def.particles = pieces + 1;
  def.to = (msd_vec3){1, 0, 0};
  def.material = &m;
  ok(world, msd_add_rope(world, &def, NULL));
  ok(world, msd_particle_pin(world, 0));
  for (int32_t i = 1; i <= pieces; i++)
    ok(world,
       msd_particle_set_velocity(world, i, (msd_vec3){(msd_real)(0.01 * sin(PI / 2 * i / pieces)), 0, 0}));
  const double w = PI / 2, z = w * time / 2, period = 2 * PI / (w * sqrt(1 - z * z));
  for (int frame = 0; frame < 100; frame++)
    ok(world, msd_world_step(world, (msd_real)(period / 100), 0));
  double amplitude = 0;
  for (int32_t i = 1; i <= pieces; i++)
    amplitude += (double)msd_particle_get_velocity(world, i).x * sin(PI / 2 * i / pieces) *
                 (i == pieces ? 0.5 : 1) * 2 / pieces;
  msd_destroy_world(world);
  const double lost = log(0.01 / amplitude) / (2 * PI);
  return lost / sqrt(1 + lost * lost);
}

Test(fabrics, a_damping_time_damps_a_rod_alike_in_any_number_of_pieces) {
  static const int pieces[] = {10, 40, 160};
  for (int n = 0; n < 3; n++) {
    const double damped = ratio_in_pieces(pieces[n], 0, 0.1 / (PI / 2));
    cr_expect_float_eq(damped, 0.05, 0.0005, "%d pieces: %g", pieces[n], damped);
  }
}

/* A ratio is that of a cell: 2 r sqrt(k m), with m = h rho/4 inside, is a damping time of r h sqrt(rho/EA). */
Test(fabrics, a_damping_ratio_damps_a_rod_the_less_the_finer_it_is) {
  static const int pieces[] = {10, 40};
  for (int n = 0; n < 2; n++) {
    const double damped = ratio_in_pieces(pieces[n], 0.2, 0), expected = PI / 4 * 0.2 / pieces[n];
    cr_expect_float_eq(damped, expected, 0.05 * expected, "%d pieces: %g, not %g", pieces[n], damped,
                       expected);
  }
}

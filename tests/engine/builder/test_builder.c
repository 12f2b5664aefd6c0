/* What ropes, cloths and blocks are made of: counted by formula, placed by hand. */
#include "tests/support/bodies.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------- ropes */

Test(builder, a_rope_is_evenly_spaced_and_joined_in_a_row) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.from = (msd_vec3){1, 2, 3};
  def.to = (msd_vec3){3, 2, -1};
  def.particles = 5;
  def.mass = 10;
  def.stretch = physical(100, 2);
  def.bend = physical(7, 1);
  msd_body body;
  cr_assert_eq(msd_add_rope(world, &def, &body), MSD_OK);
  expect_range(body.particles, 0, 5, "particles");
  expect_range(body.springs, 0, 7, "springs");
  expect_range(body.stretch, 0, 4, "stretch");
  expect_range(body.bend, 4, 3, "bend");
  cr_expect_eq(body.shear.count, 0);
  for (int32_t i = 0; i < 5; i++) {
    expect_position(world, i, 1 + 0.5 * i, 2, 3 - i);
    cr_expect_eq(msd_particle_get_mass(world, i), 2);
    cr_expect_not(msd_particle_is_pinned(world, i));
  }
  for (int32_t i = 0; i < 4; i++) {
    const msd_spring_def s = msd_spring_get_def(world, body.stretch.first + i);
    cr_expect(s.a == i && s.b == i + 1 && s.stiffness == 100 && s.damping == 2, "stretch spring %d", (int)i);
    expect_rest(world, body.stretch, i, i + 1, sqrt(0.25 + 1));
  }
  for (int32_t i = 0; i < 3; i++) {
    const msd_spring_def s = msd_spring_get_def(world, body.bend.first + i);
    cr_expect(s.a == i && s.b == i + 2 && s.stiffness == 7 && s.damping == 1, "bend spring %d", (int)i);
    expect_rest(world, body.bend, i, i + 2, sqrt(1 + 4));
  }
  msd_destroy_world(world);
}

/* from + (to - from) misses `to` where the two differ by many powers of two. */
Test(builder, the_ends_of_a_rope_are_exactly_the_given_points) {
  static const double ends[][2] = {
      {0.1, 0.7}, {1e10, 1e-10}, {-3.3e-7, 1.1e7}, {1e30, -1e-30}, {0.3, 0.30001}};
  static const int32_t counts[] = {2, 3, 7, 50};
  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      msd_rope_def def = msd_default_rope_def();
      def.from = (msd_vec3){(msd_real)ends[e][0], (msd_real)ends[e][1], 1};
      def.to = (msd_vec3){(msd_real)ends[e][1], (msd_real)ends[e][0], 1};
      def.particles = counts[n];
      if (msd_add_rope(world, &def, NULL) != MSD_OK) {
        /* 1e30 squared is no float */
        cr_expect(sizeof(msd_real) == sizeof(float) && ends[e][0] == 1e30, "%s", msd_world_message(world));
      } else {
        expect_position(world, 0, (double)def.from.x, (double)def.from.y, 1);
        expect_position(world, counts[n] - 1, (double)def.to.x, (double)def.to.y, 1);
      }
      msd_destroy_world(world);
    }
}

Test(builder, rope_particles_are_the_rounded_points_of_the_line) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.from = (msd_vec3){(msd_real)-0.3, (msd_real)1.7, 0};
  def.to = (msd_vec3){(msd_real)2.9, (msd_real)-0.11, (msd_real)1e-3};
  def.particles = 1000; /* several batches */
  msd_body body;
  cr_assert_eq(msd_add_rope(world, &def, &body), MSD_OK);
  cr_assert_eq(msd_world_get_particle_count(world), 1000);
  cr_assert_eq(msd_world_get_spring_count(world), 999);
  for (int32_t i = 0; i < 1000; i++) {
    const double t = i / 999.0;
    const double x = (double)def.from.x + t * ((double)def.to.x - (double)def.from.x);
    const double y = (double)def.from.y + t * ((double)def.to.y - (double)def.from.y);
    const msd_vec3 p = msd_particle_get_position(world, i);
    cr_assert(fabs((double)p.x - x) <= 0.501 * EPSILON * 3.2 + 1e-15, "particle %d: x off by %g", (int)i,
              (double)p.x - x);
    cr_assert(fabs((double)p.y - y) <= 0.501 * EPSILON * 2.0 + 1e-15, "particle %d: y off by %g", (int)i,
              (double)p.y - y);
    cr_assert_eq(msd_particle_get_mass(world, i), (msd_real)(1.0 / 1000));
  }
  for (int32_t i = 0; i < 999; i++) {
    const msd_spring_def s = msd_spring_get_def(world, i);
    cr_assert(s.a == i && s.b == i + 1);
  }
  msd_destroy_world(world);
}

Test(builder, a_default_rope_is_one_max_stable_spring_of_one_meter) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_rope_def def = msd_default_rope_def();
  msd_body body;
  cr_assert_eq(msd_add_rope(world, &def, &body), MSD_OK);
  cr_assert_eq(body.springs.count, 1);
  const msd_spring_def s = msd_spring_get_def(world, 0);
  cr_expect_eq(s.law, MSD_SPRING_COEFFICIENT);
  cr_expect(s.ck == MSD_MAX_STABLE && s.cd == MSD_MAX_STABLE && s.rest_length == 1);
  cr_expect_eq(msd_particle_get_mass(world, 1), (msd_real)0.5);
  msd_destroy_world(world);
}

Test(builder, a_rope_of_two_has_no_bend_springs) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.bend = physical(1, 0);
  msd_body body;
  cr_assert_eq(msd_add_rope(world, &def, &body), MSD_OK);
  cr_expect_eq(body.springs.count, 1);
  cr_expect_eq(body.bend.count, 0);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ cloths */

Test(builder, a_cloth_stands_on_its_parallelogram_row_by_row) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.origin = (msd_vec3){-1, 2, (msd_real)0.5};
  def.u = (msd_vec3){2, 0, 1};
  def.v = (msd_vec3){0, -1, (msd_real)0.5};
  def.columns = 9;
  def.rows = 5;
  def.mass = (msd_real)11.25;
  msd_body body;
  cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK);
  expect_range(body.particles, 0, 45, "particles");
  for (int32_t r = 0; r < 5; r++)
    for (int32_t c = 0; c < 9; c++) {
      expect_position(world, r * 9 + c, -1 + 2 * c / 8.0, 2 - r / 4.0, 0.5 + c / 8.0 + 0.5 * r / 4.0);
      cr_expect_eq(msd_particle_get_mass(world, r * 9 + c), (msd_real)0.25);
    }
  msd_destroy_world(world);
}

Test(builder, the_corners_of_a_cloth_are_exact) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  const double o[3] = {(double)(msd_real)0.1, (double)(msd_real)-7.3, (double)(msd_real)1e-3};
  const double u[3] = {(double)(msd_real)1.7, (double)(msd_real)0.3, (double)(msd_real)-2.2};
  const double v[3] = {(double)(msd_real)-0.9, (double)(msd_real)0.77, (double)(msd_real)5.1};
  def.origin = (msd_vec3){(msd_real)o[0], (msd_real)o[1], (msd_real)o[2]};
  def.u = (msd_vec3){(msd_real)u[0], (msd_real)u[1], (msd_real)u[2]};
  def.v = (msd_vec3){(msd_real)v[0], (msd_real)v[1], (msd_real)v[2]};
  def.columns = 7;
  def.rows = 12;
  cr_assert_eq(msd_add_cloth(world, &def, NULL), MSD_OK);
  expect_position(world, 0, o[0], o[1], o[2]);
  expect_position(world, 6, o[0] + u[0], o[1] + u[1], o[2] + u[2]);
  expect_position(world, 11 * 7, o[0] + v[0], o[1] + v[1], o[2] + v[2]);
  expect_position(world, 11 * 7 + 6, o[0] + u[0] + v[0], o[1] + u[1] + v[1], o[2] + u[2] + v[2]);
  msd_destroy_world(world);
}

Test(builder, cloth_springs_are_counted_by_the_formulas) {
  static const int32_t sizes[][2] = {{1, 2}, {2, 1}, {2, 2}, {3, 1}, {1, 5}, {3, 3}, {7, 4}, {40, 30}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int32_t c = sizes[i][0], r = sizes[i][1];
    const int32_t bend_right = c > 2 ? r * (c - 2) : 0, bend_down = r > 2 ? c * (r - 2) : 0;
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = c;
    def.rows = r;
    def.stretch = def.shear = def.bend = physical(10, 1);
    msd_body body;
    cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK, "%s", msd_world_message(world));
    const int32_t stretch = r * (c - 1) + c * (r - 1), shear = 2 * (r - 1) * (c - 1);
    expect_range(body.particles, 0, r * c, "particles");
    expect_range(body.stretch, 0, stretch, "stretch");
    expect_range(body.shear, stretch, shear, "shear");
    expect_range(body.bend, stretch + shear, bend_right + bend_down, "bend");
    expect_range(body.springs, 0, stretch + shear + bend_right + bend_down, "springs");
    cr_expect_eq(msd_world_get_spring_count(world), body.springs.count);
    msd_destroy_world(world);
  }
}

Test(builder, cloth_springs_join_the_neighbors_once_each) {
  enum { C = 5, R = 4 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = C;
  def.rows = R;
  def.u = (msd_vec3){4, 0, 0}; /* cells of 1 by 2 */
  def.v = (msd_vec3){0, -6, 0};
  def.stretch = def.shear = def.bend = physical(10, 1);
  msd_body body;
  cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK);
  for (int32_t r = 0; r < R; r++)
    for (int32_t c = 0; c < C; c++) {
      const int32_t i = r * C + c;
      if (c + 1 < C)
        expect_rest(world, body.stretch, i, i + 1, 1);
      if (r + 1 < R)
        expect_rest(world, body.stretch, i, i + C, 2);
      if (c + 1 < C && r + 1 < R) {
        cr_expect_eq(joined(world, body.shear, i, i + C + 1), 1);
        cr_expect_eq(joined(world, body.shear, i + 1, i + C), 1);
        expect_rest(world, body.shear, i, i + C + 1, sqrt(5));
        expect_rest(world, body.shear, i + 1, i + C, sqrt(5));
      }
      if (c + 2 < C)
        expect_rest(world, body.bend, i, i + 2, 2);
      if (r + 2 < R)
        expect_rest(world, body.bend, i, i + 2 * C, 4);
    }
  cr_expect_eq(families(world, body.stretch), 2, "right, then down");
  cr_expect_eq(families(world, body.shear), 2);
  cr_expect_eq(families(world, body.bend), 2);
  msd_destroy_world(world);
}

Test(builder, a_kind_of_spring_that_is_not_wanted_is_left_out) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 4;
  msd_body body;
  cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK);
  cr_expect_eq(body.stretch.count, 24, "stretch by default");
  cr_expect_eq(body.shear.count, 0);
  cr_expect_eq(body.bend.count, 0);
  def.stretch = none();
  def.bend = physical(1, 0);
  cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK);
  expect_range(body.particles, 16, 16, "particles");
  cr_expect_eq(body.stretch.count, 0);
  expect_range(body.bend, 24, 16, "bend");
  expect_range(body.springs, 24, 16, "springs");
  msd_destroy_world(world);
}

Test(builder, ends_and_rest_length_of_a_pattern_are_ignored) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.stretch.a = 1000;
  def.stretch.b = -5;
  def.stretch.rest_length = 77;
  cr_assert_eq(msd_add_rope(world, &def, NULL), MSD_OK);
  const msd_spring_def s = msd_spring_get_def(world, 0);
  cr_expect(s.a == 0 && s.b == 1 && s.rest_length == 1);
  msd_destroy_world(world);
}

Test(builder, every_law_goes_through_as_given) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.stretch.law = MSD_SPRING_COEFFICIENT;
  def.stretch.ck = (msd_real)0.25;
  def.stretch.cd = (msd_real)0.125;
  def.shear = msd_default_spring_def();
  def.shear.law = MSD_SPRING_FREQUENCY;
  def.shear.frequency = 3;
  def.shear.damping_ratio = (msd_real)0.5;
  msd_body body;
  cr_assert_eq(msd_add_cloth(world, &def, &body), MSD_OK);
  const msd_spring_def coefficient = msd_spring_get_def(world, body.stretch.first);
  cr_expect(coefficient.law == MSD_SPRING_COEFFICIENT && coefficient.ck == (msd_real)0.25 &&
            coefficient.cd == (msd_real)0.125);
  const msd_spring_def frequency = msd_spring_get_def(world, body.shear.first);
  cr_expect(frequency.law == MSD_SPRING_FREQUENCY && frequency.frequency == 3 &&
            frequency.damping_ratio == (msd_real)0.5);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ blocks */

Test(builder, a_block_is_a_lattice_of_cells) {
  enum { X = 4, Y = 2, Z = 8 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_block_def def = msd_default_block_def();
  def.origin = (msd_vec3){1, -1, 2};
  def.size = (msd_vec3){2, 1, 1};
  def.cells[0] = X;
  def.cells[1] = Y;
  def.cells[2] = Z;
  def.mass = (X + 1) * (Y + 1) * (Z + 1);
  def.stretch = def.shear = physical(10, 1);
  msd_body body;
  cr_assert_eq(msd_add_block(world, &def, &body), MSD_OK);
  const int32_t nx = X + 1, ny = Y + 1, nz = Z + 1;
  const int32_t stretch = X * ny * nz + nx * Y * nz + nx * ny * Z;
  const int32_t shear = 2 * (X * Y * nz + X * ny * Z + nx * Y * Z); /* two on every face of a cell */
  expect_range(body.particles, 0, nx * ny * nz, "particles");
  expect_range(body.stretch, 0, stretch, "stretch");
  expect_range(body.shear, stretch, shear, "shear");
  cr_expect_eq(body.bend.count, 0);
  for (int32_t k = 0; k < nz; k++)
    for (int32_t j = 0; j < ny; j++)
      for (int32_t i = 0; i < nx; i++) {
        const int32_t p = (k * ny + j) * nx + i;
        expect_position(world, p, 1 + 2.0 * i / X, -1 + 1.0 * j / Y, 2 + 1.0 * k / Z);
        cr_expect_eq(msd_particle_get_mass(world, p), 1);
        if (i < X)
          cr_expect_eq(joined(world, body.stretch, p, p + 1), 1);
        if (j < Y)
          cr_expect_eq(joined(world, body.stretch, p, p + nx), 1);
        if (k < Z)
          cr_expect_eq(joined(world, body.stretch, p, p + nx * ny), 1);
        if (i < X && j < Y)
          cr_expect(joined(world, body.shear, p, p + nx + 1) == 1 &&
                    joined(world, body.shear, p + 1, p + nx) == 1);
        if (i < X && k < Z)
          cr_expect(joined(world, body.shear, p, p + nx * ny + 1) == 1 &&
                    joined(world, body.shear, p + 1, p + nx * ny) == 1);
        if (j < Y && k < Z)
          cr_expect(joined(world, body.shear, p, p + nx * ny + nx) == 1 &&
                    joined(world, body.shear, p + nx, p + nx * ny) == 1);
      }
  expect_rest(world, body.stretch, 0, 1, 0.5);
  expect_rest(world, body.stretch, 0, nx, 0.5);
  expect_rest(world, body.stretch, 0, nx * ny, 0.125);
  expect_rest(world, body.shear, 0, nx + 1, sqrt(0.5));
  cr_expect_eq(families(world, body.stretch), 3);
  cr_expect_eq(families(world, body.shear), 6);
  msd_destroy_world(world);
}

Test(builder, a_default_block_is_the_unit_cube) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_block_def def = msd_default_block_def();
  msd_body body;
  cr_assert_eq(msd_add_block(world, &def, &body), MSD_OK);
  cr_expect(body.particles.count == 8 && body.stretch.count == 12 && body.shear.count == 0);
  expect_position(world, 7, 1, 1, 1);
  cr_expect_eq(msd_particle_get_mass(world, 0), (msd_real)0.125);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------- several and together */

Test(builder, bodies_follow_each_other_in_one_world) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_rope_def rope = msd_default_rope_def();
  const msd_cloth_def cloth = msd_default_cloth_def();
  const msd_mesh_def mesh = square_mesh();
  const msd_block_def block = msd_default_block_def();
  msd_body body;
  cr_assert_eq(msd_add_rope(world, &rope, &body), MSD_OK);
  cr_assert_eq(msd_add_cloth(world, &cloth, &body), MSD_OK);
  expect_range(body.particles, 2, 4, "cloth particles");
  expect_range(body.stretch, 1, 4, "cloth springs");
  cr_expect_eq(joined(world, body.stretch, 2, 3), 1);
  cr_assert_eq(msd_add_mesh(world, &mesh, &body), MSD_OK);
  expect_range(body.particles, 6, 4, "mesh particles");
  expect_range(body.stretch, 5, 5, "mesh springs");
  cr_expect_eq(joined(world, body.stretch, 6, 8), 1);
  cr_assert_eq(msd_add_block(world, &block, &body), MSD_OK);
  expect_range(body.particles, 10, 8, "block particles");
  expect_range(body.stretch, 10, 12, "block springs");
  cr_expect_eq(joined(world, body.stretch, 10, 11), 1);
  msd_destroy_world(world);
}

Test(builder, springs_at_rest_as_placed_pull_nothing) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_block_def def = msd_default_block_def();
  def.cells[0] = def.cells[1] = def.cells[2] = 4;
  def.stretch = def.shear = physical(100, 1);
  cr_assert_eq(msd_add_block(world, &def, NULL), MSD_OK);
  const uint64_t before = msd_world_hash(world);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_OK);
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect(stats.max_speed < 100 * EPSILON, "max speed %g", stats.max_speed);
  cr_expect(before != 0);
  msd_destroy_world(world);
}

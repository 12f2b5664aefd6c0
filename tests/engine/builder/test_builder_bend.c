/* How ropes, cloths, blocks and meshes are given angles and volumes: counted by formula, checked by
   geometry. */
#include "tests/support/bodies.h"

#include <stdlib.h>
#include <string.h>

static msd_vec3 place(const msd_world *world, int32_t particle) {
  return msd_particle_get_position(world, particle);
}

static double length_between(const msd_world *world, int32_t a, int32_t b) {
  const msd_vec3 p = place(world, a), q = place(world, b);
  const double x = (double)p.x - (double)q.x, y = (double)p.y - (double)q.y, z = (double)p.z - (double)q.z;
  return sqrt(x * x + y * y + z * z);
}

/* Steps without gravity: what rests as it is placed must stay there, to rounding. */
static void expect_at_rest(msd_world *world, double size) {
  enum { PARTICLES_MAX = 1000 };
  static msd_vec3 before[PARTICLES_MAX];
  const int32_t count = msd_world_get_particle_count(world);
  cr_assert_leq(count, PARTICLES_MAX);
  for (int32_t i = 0; i < count; i++)
    before[i] = place(world, i);
  for (int n = 0; n < 20; n++)
    step(world, 1e-3, 1);
  for (int32_t i = 0; i < count; i++) {
    const msd_vec3 p = place(world, i);
    const double moved = fabs((double)p.x - (double)before[i].x) + fabs((double)p.y - (double)before[i].y) +
                         fabs((double)p.z - (double)before[i].z);
    cr_assert_leq(moved, 200 * EPSILON * size, "particle %d moved by %g", (int)i, moved);
  }
}

/* --------------------------------------------------------------------------------------- ropes and cloths */

Test(builder_bend, a_rope_has_an_angle_at_the_middle_of_every_three_particles) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.particles = 6;
  def.to = (msd_vec3){1, 2, -1};
  def.bend = physical((msd_real)0.5, (msd_real)0.01);
  def.bend_kind = MSD_BEND_ANGLE;
  msd_body body;
  ok(world, msd_add_rope(world, &def, &body));
  expect_range(body.springs, 0, 5, "springs");
  expect_range(body.stretch, 0, 5, "stretch");
  cr_expect_eq(body.bend.count, 0);
  expect_range(body.constraints, 0, 4, "constraints");
  expect_range(body.bend_constraints, 0, 4, "angles");
  cr_expect_eq(body.volume.count, 0);
  for (int32_t i = 0; i < 4; i++) {
    const msd_constraint_def angle = msd_constraint_get_def(world, i);
    cr_expect(angle.kind == MSD_CONSTRAINT_ANGLE && angle.particles[0] == i && angle.particles[1] == i + 1 &&
                  angle.particles[2] == i + 2,
              "angle %d", (int)i);
    cr_expect(angle.law == MSD_SPRING_STIFFNESS && angle.stiffness == (msd_real)0.5 &&
              angle.damping == (msd_real)0.01);
    cr_expect_float_eq((double)angle.rest, PI, 4 * sqrt(EPSILON));
  }
  expect_at_rest(world, 3);
  msd_destroy_world(world);
}

Test(builder_bend, every_law_of_a_pattern_goes_to_the_angles) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rope_def def = msd_default_rope_def();
  def.particles = 3;
  def.bend_kind = MSD_BEND_ANGLE;
  def.bend = coefficient(0.25, 0.125);
  ok(world, msd_add_rope(world, &def, NULL));
  def.bend = frequency(3, 0.5);
  ok(world, msd_add_rope(world, &def, NULL));
  def.bend = coefficient(0, 0);
  def.bend.ck = def.bend.cd = MSD_MAX_STABLE;
  ok(world, msd_add_rope(world, &def, NULL));
  const msd_constraint_def one = msd_constraint_get_def(world, 0), two = msd_constraint_get_def(world, 1),
                           three = msd_constraint_get_def(world, 2);
  cr_expect(one.law == MSD_SPRING_COEFFICIENT && one.ck == (msd_real)0.25 && one.cd == (msd_real)0.125);
  cr_expect(two.law == MSD_SPRING_FREQUENCY && two.frequency == 3 && two.damping_ratio == (msd_real)0.5);
  cr_expect(three.law == MSD_SPRING_COEFFICIENT && three.ck == MSD_MAX_STABLE && three.cd == MSD_MAX_STABLE);
  msd_destroy_world(world);
}

static const int32_t sizes[][2] = {{1, 2}, {2, 1}, {2, 2}, {3, 1}, {1, 5}, {3, 3}, {2, 5}, {7, 4}, {20, 15}};

static int32_t at_least_0(int32_t n) {
  return n > 0 ? n : 0;
}

Test(builder_bend, cloth_angles_run_along_rows_and_then_columns) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int32_t c = sizes[i][0], r = sizes[i][1];
    const int32_t along_rows = r * at_least_0(c - 2), along_columns = c * at_least_0(r - 2);
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = c;
    def.rows = r;
    def.bend = physical(1, 0);
    def.bend_kind = MSD_BEND_ANGLE;
    msd_body body;
    ok(world, msd_add_cloth(world, &def, &body));
    expect_range(body.bend_constraints, 0, along_rows + along_columns, "angles");
    cr_expect_eq(body.bend.count, 0);
    cr_expect_eq(msd_world_get_constraint_count(world), along_rows + along_columns);
    for (int32_t n = 0; n < along_rows + along_columns; n++) {
      const msd_constraint_def angle = msd_constraint_get_def(world, n);
      const int32_t stride = n < along_rows ? 1 : c, *p = angle.particles;
      cr_assert(p[1] == p[0] + stride && p[2] == p[1] + stride, "angle %d", (int)n);
      cr_assert(stride == c || p[0] / c == p[2] / c, "angle %d goes round the end of a row", (int)n);
    }
    msd_destroy_world(world);
  }
}

/* Every inner edge once: its two far corners stand on different sides of it, and all four at the corners of
   cells. */
Test(builder_bend, cloth_folds_are_counted_by_the_formula_and_rest_flat) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int32_t c = sizes[i][0], r = sizes[i][1];
    const int32_t inner = (c - 1) * at_least_0(r - 2) + at_least_0(c - 2) * (r - 1) + (c - 1) * (r - 1);
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_cloth_def def = msd_default_cloth_def();
    def.u = (msd_vec3){(msd_real)(c > 1 ? c - 1 : 1), 0, 0}; /* cells of 1 by 1 */
    def.v = (msd_vec3){0, (msd_real)(r > 1 ? 1 - r : -1), 0};
    def.columns = c;
    def.rows = r;
    def.bend = physical(1, 0);
    def.bend_kind = MSD_BEND_DIHEDRAL;
    msd_body body;
    ok(world, msd_add_cloth(world, &def, &body));
    expect_range(body.bend_constraints, 0, inner, "folds");
    int32_t diagonals = 0;
    for (int32_t n = 0; n < inner; n++) {
      const msd_constraint_def fold = msd_constraint_get_def(world, n);
      const int32_t *p = fold.particles;
      cr_assert_eq(fold.kind, MSD_CONSTRAINT_DIHEDRAL);
      cr_assert_float_eq((double)fold.rest, 0, 1e-6);
      for (int32_t other = 0; other < n; other++) {
        const int32_t *q = msd_constraint_get_def(world, other).particles;
        cr_assert_not((p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0]), "an edge twice");
      }
      /* A triangle has two sides of 1 and one of sqrt 2. */
      const double edge = length_between(world, p[0], p[1]);
      diagonals += edge > 1.2;
      for (int k = 2; k < 4; k++)
        cr_assert_float_eq(edge + length_between(world, p[0], p[k]) + length_between(world, p[1], p[k]),
                           2 + sqrt(2), 1e-5, "fold %d", (int)n);
      const msd_vec3 a = place(world, p[0]), b = place(world, p[1]), d = place(world, p[2]),
                     e = place(world, p[3]);
      const double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y;
      const double side_d = ux * ((double)d.y - (double)a.y) - uy * ((double)d.x - (double)a.x);
      const double side_e = ux * ((double)e.y - (double)a.y) - uy * ((double)e.x - (double)a.x);
      /* v x u is -z here: the first triangle goes round in that sense, as the surface of a cloth that hangs. */
      cr_assert(side_d > 0 && side_e < 0, "fold %d", (int)n);
    }
    cr_expect_eq(diagonals, (c - 1) * (r - 1));
    msd_destroy_world(world);
  }
}

/* Every side of a triangle that is no edge of the grid is the one diagonal of its cell. */
Test(builder_bend, the_diagonals_of_a_cloth_alternate) {
  enum { C = 6, R = 5 };
  static const int sides[5][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = C;
  def.rows = R;
  def.bend = physical(1, 0);
  def.bend_kind = MSD_BEND_DIHEDRAL;
  ok(world, msd_add_cloth(world, &def, NULL));
  int folded_diagonals = 0;
  for (int32_t n = 0; n < msd_world_get_constraint_count(world); n++) {
    const msd_constraint_def fold = msd_constraint_get_def(world, n);
    for (int s = 0; s < 5; s++) {
      const int32_t a = fold.particles[sides[s][0]], b = fold.particles[sides[s][1]];
      const int32_t low = a < b ? a : b, high = a < b ? b : a;
      if (high - low == 1 || high - low == C)
        continue;
      const int32_t row = low / C, column = high - low == C + 1 ? low % C : low % C - 1;
      cr_assert_eq(high - low, (row + column) % 2 == 0 ? C + 1 : C - 1, "fold %d, cell %d %d", (int)n,
                   (int)row, (int)column);
      folded_diagonals += s == 0;
    }
  }
  cr_expect_eq(folded_diagonals, (C - 1) * (R - 1));
  msd_destroy_world(world);
}

Test(builder_bend, a_bent_sheet_of_folds_wants_to_be_flat_and_keeps_its_momentum) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 5;
  def.rows = 4;
  def.stretch = none();
  def.bend = physical(1, 0);
  def.bend_kind = MSD_BEND_DIHEDRAL;
  ok(world, msd_add_cloth(world, &def, NULL));
  expect_at_rest(world, 1);
  for (int32_t i = 0; i < 20; i++) {
    msd_vec3 p = place(world, i);
    p.z = p.x * p.x / 2;
    ok(world, msd_particle_set_position(world, i, p));
    ok(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, 0}));
  }
  const double bent = msd_world_get_stats(world).elastic_energy;
  cr_assert_gt(bent, 0.01);
  step(world, 1e-3, 5);
  const msd_stats after = msd_world_get_stats(world);
  cr_expect_lt(after.elastic_energy, bent);
  cr_expect_gt(after.kinetic_energy, 0);
  for (int c = 0; c < 3; c++)
    cr_expect_float_eq(after.momentum[c], 0, 100 * EPSILON);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ blocks */

Test(builder_bend, the_tetrahedra_of_a_block_fill_it_without_gaps) {
  static const int32_t cells[][3] = {{1, 1, 1}, {2, 1, 1}, {2, 3, 4}, {5, 4, 3}};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_block_def def = msd_default_block_def();
    def.size = (msd_vec3){1, (msd_real)0.5, 2};
    for (int c = 0; c < 3; c++)
      def.cells[c] = cells[i][c];
    def.volume = physical(1, 0);
    msd_body body;
    ok(world, msd_add_block(world, &def, &body));
    const int32_t expected = 5 * cells[i][0] * cells[i][1] * cells[i][2];
    expect_range(body.volume, 0, expected, "volume");
    expect_range(body.constraints, 0, expected, "constraints");
    double sum = 0;
    for (int32_t n = 0; n < expected; n++) {
      const msd_constraint_def tetrahedron = msd_constraint_get_def(world, n);
      cr_assert_eq(tetrahedron.kind, MSD_CONSTRAINT_VOLUME);
      cr_assert_gt(tetrahedron.rest, 0, "tetrahedron %d is inside out", (int)n);
      sum += (double)tetrahedron.rest;
    }
    cr_expect_float_eq(sum, 1, 1e-5);
    expect_at_rest(world, 2);
    msd_destroy_world(world);
  }
}

static int compare_faces(const void *left, const void *right) {
  return memcmp(left, right, 3 * sizeof(int32_t));
}

/* Every face belongs to two tetrahedra, or is one of the two triangles of a square of the skin: neighbors are
   cut along the same diagonals. */
Test(builder_bend, the_tetrahedra_of_neighboring_cells_share_their_faces) {
  enum { X = 3, Y = 4, Z = 2, TETRAHEDRA = 5 * X * Y * Z };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_block_def def = msd_default_block_def();
  def.cells[0] = X;
  def.cells[1] = Y;
  def.cells[2] = Z;
  def.volume = physical(1, 0);
  ok(world, msd_add_block(world, &def, NULL));
  static int32_t faces[4 * TETRAHEDRA][3];
  for (int32_t n = 0; n < TETRAHEDRA; n++) {
    const int32_t *p = msd_constraint_get_def(world, n).particles;
    for (int left_out = 0; left_out < 4; left_out++) {
      int32_t *face = faces[4 * n + left_out];
      for (int c = 0, k = 0; c < 4; c++)
        if (c != left_out) {
          int place_of = k++;
          for (; place_of > 0 && face[place_of - 1] > p[c]; place_of--)
            face[place_of] = face[place_of - 1];
          face[place_of] = p[c];
        }
    }
  }
  qsort(faces, 4 * TETRAHEDRA, sizeof *faces, compare_faces);
  int once = 0;
  for (int f = 0, next; f < 4 * TETRAHEDRA; f = next) {
    for (next = f + 1; next < 4 * TETRAHEDRA && compare_faces(faces[f], faces[next]) == 0;)
      next++;
    cr_assert_leq(next - f, 2);
    once += next - f == 1;
  }
  cr_expect_eq(once, 2 * 2 * (X * Y + Y * Z + Z * X));
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ meshes */

static const msd_vec3 cube_vertices[8] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0},
                                          {0, 0, 2}, {2, 0, 2}, {0, 2, 2}, {2, 2, 2}};
static const int32_t cube_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static msd_mesh_def cube(void) {
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = cube_vertices;
  def.vertex_count = 8;
  def.triangles = cube_triangles;
  def.triangle_count = 12;
  return def;
}

/* A closed mesh of T triangles has 3 T/2 edges. A cube's edges are folded by 90 degrees away from its outside,
   its diagonals are flat. */
Test(builder_bend, a_mesh_folds_at_every_edge_that_two_triangles_share) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = cube();
  def.bend = physical(1, 0);
  def.bend_kind = MSD_BEND_DIHEDRAL;
  msd_body body;
  ok(world, msd_add_mesh(world, &def, &body));
  expect_range(body.stretch, 0, 18, "edges");
  cr_expect_eq(body.bend.count, 0);
  expect_range(body.bend_constraints, 0, 18, "folds");
  int right_angles = 0, flat = 0;
  for (int32_t n = 0; n < 18; n++) {
    const double rest = (double)msd_constraint_get_def(world, n).rest;
    right_angles += fabs(rest + PI / 2) < 1e-5;
    flat += fabs(rest) < 1e-5;
  }
  cr_expect_eq(right_angles, 12);
  cr_expect_eq(flat, 6);
  expect_at_rest(world, 2);
  msd_destroy_world(world);
}

Test(builder_bend, an_open_mesh_folds_at_its_inner_edges_only) {
  static const msd_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}};
  static const int32_t triangles[] = {0, 1, 2, 0, 2, 3};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = 4;
  def.triangles = triangles;
  def.triangle_count = 2;
  def.bend = physical(1, 0);
  def.bend_kind = MSD_BEND_DIHEDRAL;
  msd_body body;
  ok(world, msd_add_mesh(world, &def, &body));
  expect_range(body.bend_constraints, 0, 1, "folds");
  const int32_t *p = msd_constraint_get_def(world, 0).particles;
  cr_expect(p[0] + p[1] == 2 && p[0] * p[1] == 0, "the edge 0-2");
  cr_expect(p[2] + p[3] == 4 && p[2] * p[3] == 3, "the far corners 1 and 3");
  msd_destroy_world(world);
}

Test(builder_bend, the_volume_of_a_closed_mesh_rests_at_rest_volume_scale_times_the_placed_one) {
  for (int inside_out = 0; inside_out < 2; inside_out++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_particle(world, 1, 9, 9, 9); /* so that particles are not vertices */
    int32_t triangles[36];
    for (int i = 0; i < 36; i++)
      triangles[i] = cube_triangles[i / 3 * 3 + (inside_out ? 2 - i % 3 : i % 3)];
    msd_mesh_def def = cube();
    def.triangles = triangles;
    def.pressure = physical(3, 1);
    def.rest_volume_scale = (msd_real)1.5;
    msd_body body;
    ok(world, msd_add_mesh(world, &def, &body));
    expect_range(body.constraints, 0, 1, "constraints");
    expect_range(body.volume, 0, 1, "volume");
    const msd_constraint_def volume = msd_constraint_get_def(world, 0);
    cr_expect_eq(volume.kind, MSD_CONSTRAINT_MESH_VOLUME);
    cr_expect_eq(volume.triangle_count, 12);
    cr_expect_float_eq((double)volume.rest, 12, 1e-5);
    cr_expect_float_eq(msd_constraint_get_value(world, 0), 8, 1e-5, "outside out, whichever way it came");
    cr_expect(volume.stiffness == 3 && volume.damping == 1);
    for (int i = 0; i < 36; i++)
      cr_assert(volume.triangles[i] >= 1 && volume.triangles[i] <= 8);
    /* k (8 - 12) is negative: the pressure pushes out. */
    step(world, 1e-3, 1);
    cr_expect_gt(msd_particle_get_velocity(world, 1 + 7).x, 0);
    cr_expect_lt(msd_particle_get_velocity(world, 1 + 0).x, 0);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------------ errors */

static void expect_refused(msd_world *world, msd_result result, msd_result expected, const msd_body *body,
                           const char *part) {
  cr_expect_eq(result, expected, "%s, not %s: %s", msd_result_string(result), msd_result_string(expected),
               msd_world_message(world));
  cr_expect(strstr(msd_world_message(world), part), "\"%s\" should say \"%s\"", msd_world_message(world),
            part);
  cr_expect(body->particles.count == 0 && body->constraints.count == 0, "the body must be empty");
  cr_expect(msd_world_get_particle_count(world) == 0 && msd_world_get_spring_count(world) == 0 &&
            msd_world_get_constraint_count(world) == 0);
}

Test(builder_bend, kinds_of_bending_that_a_body_has_not_are_refused) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_body body;
  msd_rope_def rope = msd_default_rope_def();
  rope.bend_kind = MSD_BEND_DIHEDRAL;
  expect_refused(world, msd_add_rope(world, &rope, &body), MSD_BAD_VALUE, &body,
                 "rope: bend_kind is 2; it must be MSD_BEND_DISTANCE or MSD_BEND_ANGLE");
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.bend_kind = MSD_BEND_KIND_COUNT;
  expect_refused(world, msd_add_cloth(world, &cloth, &body), MSD_BAD_VALUE, &body, "cloth: bend_kind is 3");
  cloth.bend_kind = (msd_bend_kind)-1;
  expect_refused(world, msd_add_cloth(world, &cloth, &body), MSD_BAD_VALUE, &body, "cloth: bend_kind");
  msd_mesh_def mesh = cube();
  mesh.bend_kind = MSD_BEND_ANGLE;
  expect_refused(world, msd_add_mesh(world, &mesh, &body), MSD_BAD_VALUE, &body,
                 "mesh: bend_kind is 1; it must be MSD_BEND_DISTANCE or MSD_BEND_DIHEDRAL");
  msd_destroy_world(world);
}

Test(builder_bend, wrong_patterns_of_constraints_are_refused_with_their_field) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_body body;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  cloth.bend = physical(-1, 0);
  expect_refused(world, msd_add_cloth(world, &cloth, &body), MSD_BAD_VALUE, &body,
                 "cloth: bend.stiffness is -1");
  cloth.bend.cookie = 0;
  expect_refused(world, msd_add_cloth(world, &cloth, &body), MSD_UNINITIALIZED_DEF, &body, "cloth: bend");
  msd_block_def block = msd_default_block_def();
  block.volume = physical(1, (msd_real)NAN);
  expect_refused(world, msd_add_block(world, &block, &body), MSD_BAD_VALUE, &body, "block: volume.damping");
  block.volume = physical(1, 0);
  block.cells[0] = block.cells[1] = block.cells[2] = 1000;
  expect_refused(world, msd_add_block(world, &block, &body), MSD_TOO_LARGE, &body, "");
  if (!IS_DOUBLE) {
    block = msd_default_block_def();
    block.volume = physical(1, 0);
    block.size = (msd_vec3){(msd_real)1e15, (msd_real)1e15, (msd_real)1e15};
    expect_refused(world, msd_add_block(world, &block, &body), MSD_BAD_VALUE, &body, "block: its volume");
  }
  msd_mesh_def mesh = cube();
  mesh.pressure = physical(-1, 0);
  expect_refused(world, msd_add_mesh(world, &mesh, &body), MSD_BAD_VALUE, &body, "mesh: pressure.stiffness");
  static const msd_real bad[] = {0, -1, (msd_real)NAN, (msd_real)INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    mesh = cube();
    mesh.rest_volume_scale = bad[i];
    expect_refused(world, msd_add_mesh(world, &mesh, &body), MSD_BAD_VALUE, &body, "mesh: rest volume scale");
  }
  msd_destroy_world(world);
}

Test(builder_bend, a_mesh_that_is_not_closed_has_no_volume) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_body body;
  msd_mesh_def mesh = cube();
  mesh.pressure = physical(1, 0);
  mesh.triangle_count = 11; /* without 1 7 5 */
  expect_refused(world, msd_add_mesh(world, &mesh, &body), MSD_BAD_VALUE, &body, "mesh: pressure: ");
  cr_expect(strstr(msd_world_message(world), "1") && strstr(msd_world_message(world), "5"),
            "names an edge: %s", msd_world_message(world));
  int32_t twisted[36];
  memcpy(twisted, cube_triangles, sizeof twisted);
  twisted[0] = 2, twisted[1] = 0; /* one triangle the other way round */
  mesh = cube();
  mesh.triangles = twisted;
  mesh.pressure = physical(1, 0);
  expect_refused(world, msd_add_mesh(world, &mesh, &body), MSD_BAD_VALUE, &body, "mesh: pressure: ");
  /* Two sides of a sheet: closed, around nothing. */
  static const msd_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  static const int32_t sheet[] = {0, 1, 2, 0, 2, 3, 1, 0, 3, 1, 3, 2};
  mesh.vertices = vertices;
  mesh.vertex_count = 4;
  mesh.triangles = sheet;
  mesh.triangle_count = 4;
  expect_refused(world, msd_add_mesh(world, &mesh, &body), MSD_BAD_VALUE, &body,
                 "mesh: pressure: its volume is 0 m^3");
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------- without memory */

typedef struct counting {
  int64_t blocks, requests;
  int64_t fail_at; /* the request that gets nothing, counted from 1; 0: none */
} counting;

static void *counting_allocate(size_t bytes, void *context) {
  counting *c = context;
  c->requests++;
  if (c->requests == c->fail_at)
    return NULL;
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  c->blocks += memory != NULL;
  return memory;
}

static void counting_release(void *memory, void *context) {
  counting *c = context;
  c->blocks--;
  free(memory);
}

static msd_result build(msd_world *world, int which) {
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = 300;
  rope.bend = physical(1, 0);
  rope.bend_kind = MSD_BEND_ANGLE;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 12;
  cloth.bend = physical(1, 0);
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  msd_block_def block = msd_default_block_def();
  block.cells[0] = block.cells[1] = block.cells[2] = 4;
  block.volume = physical(1, 0);
  msd_mesh_def mesh = cube();
  mesh.bend = mesh.pressure = physical(1, 0);
  mesh.bend_kind = MSD_BEND_DIHEDRAL;
  switch (which) {
  case 0:
    return msd_add_rope(world, &rope, NULL);
  case 1:
    return msd_add_cloth(world, &cloth, NULL);
  case 2:
    return msd_add_block(world, &block, NULL);
  default:
    return msd_add_mesh(world, &mesh, NULL);
  }
}

Test(builder_bend, when_memory_runs_out_nothing_is_added_and_nothing_leaks) {
  for (int which = 0; which < 4; which++) {
    int failures = 0;
    for (int64_t n = 1;; n++) {
      counting c = {0};
      msd_world_def def = msd_default_world_def();
      def.allocator = (msd_allocator){counting_allocate, counting_release, &c};
      msd_world *world = NULL;
      cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
      c.fail_at = c.requests + n;
      const msd_result result = build(world, which);
      if (result != MSD_OK) {
        failures++;
        cr_expect_eq(result, MSD_OUT_OF_MEMORY);
        cr_expect(msd_world_get_particle_count(world) == 0 && msd_world_get_spring_count(world) == 0 &&
                  msd_world_get_constraint_count(world) == 0);
        c.fail_at = 0;
        cr_expect_eq(build(world, which), MSD_OK, "the world still works");
      }
      msd_destroy_world(world);
      cr_expect_eq(c.blocks, 0, "%d blocks leaked", (int)c.blocks);
      if (result == MSD_OK)
        break;
      cr_assert_lt(n, 1000);
    }
    cr_expect_gt(failures, 0, "some request must have failed");
  }
}

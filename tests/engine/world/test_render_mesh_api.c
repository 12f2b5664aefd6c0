/* Normals and tangents of shapes whose ones are known. */
#include "tests/support/laboratory.h"
#include "tests/support/scarce_memory.h"

#include <string.h>

/* Two squares that share the edge from (1,0,0) to (1,1,0): one in the plane z = 0, seen from above, the other
   goes up at its right, seen from the left. The first has two triangles there, the second one and two more at
   half its height. */
static const double corners[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1}};
static const int32_t bent[] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};

static msd_world *bent_world(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 6; i++)
    add_particle(world, 1, corners[i][0], corners[i][1], corners[i][2]);
  return world;
}

static msd_render_mesh skin_of(int32_t vertices, const int32_t *triangles, int32_t count) {
  return (msd_render_mesh){.vertices = {.count = vertices}, .triangles = triangles, .triangle_count = count};
}

static const msd_memory_layout in_double = {.number = MSD_SCALAR_DOUBLE};

static void expect_vector(const double *v, double x, double y, double z, const char *what) {
  const double length = sqrt(x * x + y * y + z * z);
  cr_expect(fabs(v[0] - x / length) < 1e-7 && fabs(v[1] - y / length) < 1e-7 &&
                fabs(v[2] - z / length) < 1e-7,
            "%s: %g %g %g", what, v[0], v[1], v[2]);
}

Test(skin_api, a_normal_is_that_of_all_triangles_around_it_by_their_areas) {
  msd_world *world = bent_world();
  const msd_render_mesh skin = skin_of(6, bent, 4);
  double normal[6][3];
  ok(world, msd_world_read_normals(world, &skin, in_double, normal));
  expect_vector(normal[0], 0, 0, 1, "in the plane");
  expect_vector(normal[3], 0, 0, 1, "in the plane");
  expect_vector(normal[4], -1, 0, 0, "at the wall");
  expect_vector(normal[1], -2, 0, 1, "one triangle of the plane, two of the wall");
  expect_vector(normal[2], -1, 0, 2, "two triangles of the plane, one of the wall");
  msd_destroy_world(world);
}

Test(skin_api, vertices_of_a_particle_share_its_normal_unless_there_is_an_edge) {
  msd_world *world = bent_world();
  /* The edge twice: for the plane, and for the wall. */
  const int32_t particles[] = {0, 1, 2, 3, 1, 4, 5, 2}, triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  msd_render_mesh skin = skin_of(8, triangles, 4);
  skin.vertices = msd_particle_set_of_list(particles, 8);
  double normal[8][3];
  ok(world, msd_world_read_normals(world, &skin, in_double, normal));
  cr_expect_eq(memcmp(normal[1], normal[4], sizeof normal[1]), 0);
  expect_vector(normal[4], -2, 0, 1, "shared");
  skin.has_edges = true;
  ok(world, msd_world_read_normals(world, &skin, in_double, normal));
  expect_vector(normal[1], 0, 0, 1, "of the plane");
  expect_vector(normal[4], -1, 0, 0, "of the wall");
  msd_destroy_world(world);
}

Test(skin_api, a_vertex_without_an_area_has_no_normal_and_nothing_is_not_a_number) {
  msd_world *world = bent_world();
  add_particle(world, 1, 7, 7, 7);
  const int32_t flat[] = {0, 1, 2, 4, 4, 4};
  const float texture[14] = {0, 0, 1, 0, 1, 1};
  msd_render_mesh skin = skin_of(7, flat, 2);
  skin.texture = texture;
  double normal[7][3], tangent[7][4];
  ok(world, msd_world_read_normals(world, &skin, in_double, normal));
  ok(world, msd_world_read_tangents(world, &skin, in_double, tangent));
  for (int i = 4; i < 7; i += 2) {
    cr_expect(normal[i][0] == 0 && normal[i][1] == 0 && normal[i][2] == 0);
    cr_expect(tangent[i][0] == 0 && tangent[i][1] == 0 && tangent[i][2] == 0 && tangent[i][3] == 1);
  }
  msd_destroy_world(world);
}

enum { ROUND = 24, TALL = 5, ON_TUBE = (ROUND + 1) * TALL };

/* A tube around y whose texture goes round it once: its seam has two vertices for each particle. */
typedef struct tube {
  int32_t particles[ON_TUBE], triangles[6 * ROUND * (TALL - 1)];
  float texture[2 * ON_TUBE];
} tube;

static msd_world *tube_world(tube *t, bool mirrored) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  int32_t *next = t->triangles;
  for (int row = 0; row < TALL; row++)
    for (int n = 0; n <= ROUND; n++) {
      const int32_t v = row * (ROUND + 1) + n;
      const double angle = 2 * PI * n / ROUND;
      t->particles[v] = row * ROUND + n % ROUND;
      t->texture[2 * v] = (float)(mirrored ? -n : n) / ROUND;
      t->texture[2 * v + 1] = (float)row;
      if (n < ROUND)
        add_particle(world, 1, cos(angle), row, sin(angle));
      if (n == ROUND || row + 1 == TALL)
        continue;
      const int32_t cell[] = {v, v + ROUND + 1, v + 1, v + 1, v + ROUND + 1, v + ROUND + 2};
      memcpy(next, cell, sizeof cell);
      next += 6;
    }
  return world;
}

Test(skin_api, tangents_go_along_u_at_right_angles_to_the_normal_and_tell_where_v_goes) {
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    tube t;
    msd_world *world = tube_world(&t, mirrored);
    msd_render_mesh skin = skin_of(ON_TUBE, t.triangles, 2 * ROUND * (TALL - 1));
    skin.vertices = msd_particle_set_of_list(t.particles, ON_TUBE);
    skin.texture = t.texture;
    double normal[ON_TUBE][3], tangent[ON_TUBE][4];
    ok(world, msd_world_read_normals(world, &skin, in_double, normal));
    ok(world, msd_world_read_tangents(world, &skin, in_double, tangent));
    for (int v = 0; v < ON_TUBE; v++) {
      const int n = v % (ROUND + 1);
      const double angle = 2 * PI * n / ROUND, sign = mirrored ? -1 : 1, *d = tangent[v], *m = normal[v];
      const bool is_inner = n > 0 && n < ROUND && v > ROUND && v < ON_TUBE - ROUND - 1;
      /* At a seam only the triangles of one side tell: a chord. */
      const double bound = is_inner ? 1e-6 : 2 * PI / ROUND;
      cr_expect(fabs(m[0] - cos(angle)) < bound && fabs(m[1]) < bound && fabs(m[2] - sin(angle)) < bound,
                "%d: %g %g %g", v, m[0], m[1], m[2]);
      cr_expect(fabs(d[0] + sign * sin(angle)) < bound && fabs(d[1]) < bound &&
                    fabs(d[2] - sign * cos(angle)) < bound,
                "%d: %g %g %g", v, d[0], d[1], d[2]);
      cr_expect(fabs(d[0] * m[0] + d[1] * m[1] + d[2] * m[2]) < 1e-12);
      /* The cross product of the normal and the way round is -y. */
      cr_expect_eq(d[3], -sign);
    }
    msd_destroy_world(world);
  }
}

Test(skin_api, a_vertex_buffer_keeps_what_is_between) {
  msd_world *world = bent_world();
  const msd_render_mesh skin = skin_of(6, bent, 4);
  struct {
    float position[3], normal[3], texture[2];
  } buffer[6];
  memset(buffer, 0x55, sizeof buffer);
  const float before = buffer[5].texture[1];
  const msd_memory_layout layout = {.number = MSD_SCALAR_FLOAT, .stride = sizeof buffer[0]};
  ok(world, msd_world_read(world, skin.vertices, MSD_POSITION, layout, buffer[0].position));
  ok(world, msd_world_read_normals(world, &skin, layout, buffer[0].normal));
  cr_expect(buffer[5].position[2] == 1 && buffer[5].normal[0] == -1 && buffer[5].normal[2] == 0);
  cr_expect(buffer[5].texture[1] == before && buffer[0].texture[0] == before);
  msd_destroy_world(world);
}

Test(skin_api, lines_are_the_springs_that_are_left) {
  msd_world *world = bent_world();
  for (int32_t i = 0; i < 5; i++)
    add_spring(world, physical(1, 0), i, i + 1, 1);
  ok(world, msd_spring_break(world, 2));
  int32_t lines[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  cr_expect_eq(msd_world_get_lines(world, (msd_range){1, 4}, lines, 2), 3);
  const int32_t first[] = {1, 2, 3, 4, -1, -1, -1, -1};
  cr_expect_eq(memcmp(lines, first, sizeof lines), 0);
  cr_expect_eq(msd_world_get_lines(world, (msd_range){0, 5}, NULL, 0), 4);
  cr_expect_eq(msd_world_get_lines(world, (msd_range){3, 3}, lines, 4), 0);
  cr_expect_eq(msd_world_get_lines(world, (msd_range){-1, 3}, lines, 4), 0);
  cr_expect_eq(msd_world_get_lines(NULL, (msd_range){0, 1}, lines, 4), 0);
  msd_destroy_world(world);
}

Test(skin_api, without_memory_nothing_is_filled_and_nothing_is_left) {
  scarce memory = {.left = INT32_MAX};
  msd_world_def def = msd_default_world_def();
  def.allocator = scarce_allocator(&memory);
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  for (int i = 0; i < 6; i++)
    add_particle(world, 1, corners[i][0], corners[i][1], corners[i][2]);
  const float texture[12] = {0, 0, 1, 0, 1, 1, 0, 1, 2, 0, 2, 1};
  msd_render_mesh skin = skin_of(6, bent, 4);
  skin.texture = texture;
  double out[6][4] = {{7}};
  const int in_use = memory.in_use;
  for (int left = 0; left < 5; left++) {
    memory.left = left;
    const msd_result result = msd_world_read_tangents(world, &skin, in_double, out);
    cr_expect_eq(result, left < 4 ? MSD_OUT_OF_MEMORY : MSD_OK, "%d", left);
    cr_expect_eq(out[0][0], left < 4 ? 7 : 1, "%d", left);
    cr_expect_eq(memory.in_use, in_use);
  }
  memory.left = 0;
  cr_expect_eq(msd_world_read_normals(world, &skin, in_double, out), MSD_OUT_OF_MEMORY);
  memory.left = INT32_MAX;
  msd_destroy_world(world);
}

Test(skin_api, what_is_wrong_is_refused_and_fills_nothing) {
  msd_world *world = bent_world();
  static const int32_t beyond[] = {0, 1, 6}, below[] = {0, -1, 2}, gone[] = {0, 1, 6};
  const float bad[12] = {0, 0, 1, NAN};
  const msd_render_mesh good = skin_of(6, bent, 4);
  double out[6][4], same[6][4];
  memset(out, 0x55, sizeof out);
  memcpy(same, out, sizeof out);
  struct {
    msd_render_mesh skin;
    msd_memory_layout layout;
    msd_result result;
  } cases[] = {
      {skin_of(6, beyond, 1), in_double, MSD_BAD_INDEX},
      {skin_of(6, below, 1), in_double, MSD_BAD_INDEX},
      {skin_of(7, bent, 4), in_double, MSD_BAD_INDEX},
      {skin_of(-1, bent, 4), in_double, MSD_BAD_VALUE},
      {skin_of(6, bent, -1), in_double, MSD_BAD_VALUE},
      {skin_of(6, NULL, 4), in_double, MSD_BAD_VALUE},
      {good, {.number = MSD_SCALAR_BYTE}, MSD_BAD_VALUE},
      {good, {.number = MSD_SCALAR_FLOAT, .stride = 8}, MSD_BAD_VALUE},
      {good, {.number = MSD_SCALAR_COUNT}, MSD_BAD_VALUE},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    cr_expect_eq(msd_world_read_normals(world, &cases[c].skin, cases[c].layout, out), cases[c].result, "%zu",
                 c);
  msd_render_mesh listed = skin_of(3, bent, 1);
  listed.vertices = msd_particle_set_of_list(gone, 3);
  cr_expect_eq(msd_world_read_normals(world, &listed, in_double, out), MSD_BAD_INDEX);
  cr_expect_eq(msd_world_read_normals(world, &good, in_double, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_read_normals(NULL, &good, in_double, out), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_read_normals(world, NULL, in_double, out), MSD_BAD_VALUE);
  msd_render_mesh textured = good;
  cr_expect_eq(msd_world_read_tangents(world, &textured, in_double, out), MSD_BAD_VALUE, "no texture");
  textured.texture = bad;
  cr_expect_eq(msd_world_read_tangents(world, &textured, in_double, out), MSD_BAD_VALUE, "not finite");
  cr_expect_eq(memcmp(out, same, sizeof out), 0);
  msd_destroy_world(world);
}

#include "tests/support/render_solids.h"

#include "render/paint/topology.h"

#include <math.h>

static void expect_consistent(const topology *t) {
  int32_t corner = 0, link = 0;
  for (int32_t i = 0; i < t->creases.vertex_count; i++) {
    cr_assert(t->fans[i].first_corner == corner && t->fans[i].last_corner >= corner);
    corner = t->fans[i].last_corner;
    for (int32_t c = t->fans[i].first_corner; c < corner; c++)
      cr_assert_eq(t->corners[c].point, t->creases.points[i]);
  }
  for (int32_t i = 0; i < t->particles; i++) {
    cr_assert(t->fans[i].first_link == link && t->fans[i].last_link >= link);
    link = t->fans[i].last_link;
  }
  cr_expect_eq(corner, t->corner_count);
  cr_expect_eq(link, t->link_count);
}

/* 20 x 10 cells: 400 triangles; 21 * 10 + 20 * 11 stretch and 400 shear springs. */
Test(topology, a_cloth_is_its_triangles) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_expect_eq(t.particles, 231);
  cr_expect_eq(t.index_count, 1200);
  cr_expect_eq(t.surface_count, 1);
  cr_expect_eq(t.strand_count, 0);
  cr_expect_eq(t.ball_count, 0);
  cr_expect_eq(t.extra_ball_count, 231);
  cr_expect_eq(t.line_count, 210 + 220 + 400);
  cr_expect(t.kinds[KIND_STRETCH] && t.kinds[KIND_SHEAR] && !t.kinds[KIND_BEND] && !t.kinds[KIND_JOINTS]);
  expect_consistent(&t);
  topology_free(&t);
  stage_free(&st);
}

/* A body, and behind it two triangles and a line that are a collider. */
Test(topology, a_mesh_collider_is_its_triangles_and_lines_and_no_balls) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  for (int32_t i = 0; i < 5; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)(i % 2), (msd_real)(i / 2), 1};
    def.pinned = true;
    cr_assert(msd_add_particles(st.scene.world, &def, 1, NULL) == MSD_OK);
  }
  int32_t triangles[] = {231, 232, 233, 233, 232, 234}, segment[] = {233, 235};
  scene_body bodies[] = {st.body,
                         {.name = "mesh",
                          .kind = "collider",
                          .is_collider = true,
                          .particles = {231, 5},
                          .triangles = triangles,
                          .triangle_count = 2,
                          .segments = segment,
                          .segment_count = 1,
                          .surface.number = -1}};
  st.scene.bodies = bodies;
  st.scene.body_count = 2;
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_expect(t.particles == 236 && t.body_particles == 231);
  cr_expect(t.index_count == 1200 + 6 && t.surface_count == 2);
  cr_expect(t.ball_count == 0 && t.extra_ball_count == 231);
  cr_assert_eq(t.strand_count, 1);
  cr_expect(t.strands[0].a == 233 && t.strands[0].b == 235 && t.strands[0].color == LOOK_COLLIDER);
  expect_consistent(&t);
  topology_free(&t);
  stage_free(&st);
}

/* In a grid whose cells are split along one diagonal an inner particle has 6 triangles and 4 stretch
   springs. */
Test(topology, every_particle_knows_the_triangles_and_springs_around_it) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  cr_assert(topology_make(&st.scene, 2, &t));
  int32_t inner = 5 * 21 + 10;
  cr_expect_eq(t.fans[inner].last_corner - t.fans[inner].first_corner, 6);
  cr_expect_eq(t.fans[inner].last_link - t.fans[inner].first_link, 4);
  for (int32_t i = t.fans[inner].first_link; i < t.fans[inner].last_link; i++) {
    int32_t away = abs(t.links[i].other - inner);
    cr_expect(away == 1 || away == 21);
    cr_expect_float_eq(t.links[i].measure, 0.1f, 1e-6);
  }
  topology_free(&t);
  stage_free(&st);
}

/* Six triangles with two fibers each. A fiber along an edge of 0.1 m has the weights -10, 10 and 0 1/m. */
Test(topology, every_particle_knows_the_fibers_around_it) {
  stage st;
  topology t;
  make_fiber_cloth(&st);
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_expect(t.line_count == 0 && t.fiber_count == 800 && topology_value_count(&t) == 800);
  expect_consistent(&t);
  const topology_fan fan = t.fans[5 * 21 + 10];
  cr_expect_eq(fan.last_link - fan.first_link, 12);
  double sum = 0;
  for (int32_t i = fan.first_link; i < fan.last_link; i++) {
    const topology_link *link = &t.links[i];
    cr_expect(link->other == -1 && link->here == 5 * 21 + 10 && link->value >= 0 && link->value < 800);
    sum += (double)link->measure;
  }
  cr_expect_float_eq(sum, 2 * (10 + 10) + 4 * 10, 1e-3);
  cr_assert(msd_constraint_break(st.scene.world, 3) == MSD_OK);
  cr_assert(msd_constraint_set_rest(st.scene.world, 4, 0) == MSD_OK);
  cr_assert(topology_remake(&st.scene, 2, &t));
  cr_expect_eq(t.fiber_count, 798);
  cr_expect(t.fibers[3] == 5, "3 is broken, 4 has no rest value");
  expect_consistent(&t);
  topology_free(&t);
  stage_free(&st);
}

/* Most tethers are slack, so they say nothing of the strain of the cloth. */
Test(topology, tethers_color_no_surface) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  int32_t inner = 5 * 21 + 10;
  msd_spring_def tether = msd_default_spring_def();
  tether.a = 0;
  tether.b = inner;
  int32_t index;
  cr_assert(msd_add_springs(st.scene.world, &tether, 1, &index) == MSD_OK);
  st.body.springs.count++;
  st.body.groups[st.body.group_count++] = (scene_group){"tethers", {index, 1}};
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_expect(t.kinds[KIND_TETHERS]);
  cr_expect_eq(t.fans[inner].last_link - t.fans[inner].first_link, 4);
  cr_expect_eq(t.line_count, 210 + 220 + 400 + 1);
  topology_free(&t);
  stage_free(&st);
}

/* For each corner the next two follow in the order of the triangle. */
Test(topology, fans_hold_the_triangles_of_a_solid) {
  stage st;
  topology t;
  make_cube(&st, nowhere);
  cr_assert(topology_make(&st.scene, 2, &t));
  expect_consistent(&t);
  cr_assert_eq(t.corner_count, 36);
  for (int32_t i = 0; i < t.corner_count; i++) {
    int found = 0;
    for (int32_t k = 0; k < 36; k++) {
      const int32_t *triangle = st.body.triangles + k - k % 3;
      found += t.corners[i].point == triangle[k % 3] && t.corners[i].next == triangle[(k + 1) % 3] &&
               t.corners[i].last == triangle[(k + 2) % 3];
    }
    cr_expect_eq(found, 1);
  }
  topology_free(&t);
  stage_free(&st);
}

Test(topology, creases_stay_when_springs_break) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  cr_assert(topology_make(&st.scene, 2, &t));
  /* Crumpled. */
  for (int32_t i = 0; i < 231; i += 2) {
    msd_vec3 at = msd_particle_get_position(st.scene.world, i);
    at.z = 1;
    cr_assert(msd_particle_set_position(st.scene.world, i, at) == MSD_OK);
  }
  cr_assert(msd_spring_break(st.scene.world, st.body.groups[0].springs.count / 2) == MSD_OK);
  cr_assert(topology_remake(&st.scene, 2, &t));
  cr_expect_eq(t.creases.vertex_count, 231);
  cr_expect_lt(t.index_count, 1200);
  expect_consistent(&t);
  topology_free(&t);
  stage_free(&st);
}

/* A row of springs is led apart, and particles split along it: smooth parts stay smooth. */
Test(topology, what_splits_has_vertices_of_its_own_and_no_new_creases) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = st.body.triangles;
  surface.triangle_count = st.body.triangle_count;
  cr_assert(msd_add_collision_meshes(st.scene.world, &surface, 1, &st.body.surface.number) == MSD_OK);
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.25;
  damage.split = true;
  cr_assert(msd_springs_set_damage(st.scene.world, st.body.groups[0].springs, &damage) == MSD_OK);
  cr_assert(topology_make(&st.scene, 2, &t));
  for (int32_t i = 0; i < 231; i++) {
    msd_vec3 at = msd_particle_get_position(st.scene.world, i);
    at.y -= i >= 6 * 21 ? (msd_real)0.05 : 0;
    cr_assert(msd_particle_set_position(st.scene.world, i, at) == MSD_OK);
  }
  cr_assert(msd_world_step(st.scene.world, (msd_real)1e-5, 1) == MSD_OK);
  const int32_t split = msd_world_get_stats(st.scene.world).split;
  cr_assert_gt(split, 0);
  cr_assert(topology_remake(&st.scene, 2, &t));
  cr_expect_eq(t.particles, 231 + split);
  /* Where two tears leave a particle between them its upper and its lower part only meet in it. */
  cr_expect(t.creases.vertex_count >= 231 + split && t.creases.vertex_count <= 231 + 2 * split, "%d and %d",
            t.creases.vertex_count, split);
  cr_expect_eq(t.index_count, 1200);
  expect_consistent(&t);
  topology_free(&t);
  stage_free(&st);
}

Test(topology, broken_springs_take_their_triangles_with_them) {
  stage st;
  topology t;
  make_cloth(&st, nowhere);
  for (int32_t i = 0; i < st.body.groups[0].springs.count; i++) {
    msd_spring_def def = msd_spring_get_def(st.scene.world, i);
    if (def.a == 5 * 21 + 10 && def.b == 5 * 21 + 11)
      cr_assert(msd_spring_break(st.scene.world, i) == MSD_OK);
  }
  cr_assert(topology_make(&st.scene, 2, &t));
  cr_expect_eq(t.index_count, 1200 - 2 * 3, "an edge inside belongs to two triangles");
  int32_t broken = 0;
  for (int32_t i = 0; i < t.line_count; i++)
    broken += t.lines[i].a == t.lines[i].b;
  cr_expect_eq(broken, 1);
  expect_consistent(&t);
  topology_free(&t);
  stage_free(&st);
}

Test(topology, a_rope_is_strands_that_follow_each_other) {
  stage st;
  topology t;
  make_rope(&st);
  cr_assert(topology_make(&st.scene, 1, &t));
  cr_assert_eq(t.strand_count, 10);
  cr_expect_eq(t.ball_count, 11, "particles a tenth of the scene apart are beads");
  cr_expect_eq(t.extra_ball_count, 0);
  for (int32_t i = 0; i < 10; i++) {
    cr_expect(t.strands[i].a == i && t.strands[i].b == i + 1);
    cr_expect_eq(t.strands[i].before, i > 0 ? i - 1 : 0);
    cr_expect_eq(t.strands[i].after, i < 9 ? i + 2 : 10);
  }
  topology_free(&t);
  stage_free(&st);
}

/* In a scene of 4 m particles 0.1 m apart are too close for beads, and so is a rope that is tied to
   something. */
Test(topology, a_rope_that_is_no_chain_is_rounded_at_both_ends) {
  for (int i = 0; i < 2; i++) {
    stage st;
    topology t;
    make_rope(&st);
    /* The second rope has a joint, its last spring. */
    if (i == 1) {
      st.body.groups[0].springs.count = 9;
      st.scene.joints = (msd_range){9, 1};
    }
    cr_assert(topology_make(&st.scene, i == 0 ? 4 : 1, &t));
    cr_expect_eq(t.ball_count, 2);
    cr_expect_eq(t.extra_ball_count, 9);
    topology_free(&t);
    stage_free(&st);
  }
}

Test(topology, a_cut_rope_bends_into_nothing_at_the_cut) {
  stage st;
  topology t;
  make_rope(&st);
  cr_assert(msd_spring_break(st.scene.world, 4) == MSD_OK);
  cr_assert(topology_make(&st.scene, 1, &t));
  cr_assert_eq(t.strand_count, 9);
  cr_expect(t.strands[3].b == 4 && t.strands[3].after == 4);
  cr_expect(t.strands[4].a == 5 && t.strands[4].before == 5);
  topology_free(&t);
  stage_free(&st);
}

Test(topology, an_empty_scene_has_no_shapes) {
  stage st;
  topology t;
  stage_make(&st, "particles", nowhere);
  cr_assert(topology_make(&st.scene, 1, &t));
  cr_expect(t.particles == 0 && t.index_count == 0 && t.ball_count == 0 && t.line_count == 0);
  topology_free(&t);
  stage_free(&st);
}

Test(topology, heavy_particles_are_larger) {
  stage st;
  topology t;
  make_ball(&st, nowhere);
  msd_particle_def def = msd_default_particle_def();
  def.mass = 8;
  def.position.x = 1;
  cr_assert(msd_add_particles(st.scene.world, &def, 1, NULL) == MSD_OK);
  st.body.particles.count = 2;
  cr_assert(topology_make(&st.scene, 1, &t));
  /* 8 times the mass has 2 times the radius; both are within the bounds. */
  cr_expect_float_eq(t.balls[1].radius / t.balls[0].radius,
                     fminf(cbrtf(8 / 4.5f), 2.2f) / fmaxf(cbrtf(1 / 4.5f), 0.7f), 1e-5);
  topology_free(&t);
  stage_free(&st);
}

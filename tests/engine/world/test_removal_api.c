/* Destroying: what is gone has no part in anything, what needs it is gone too, and indices stay. */
#include "tests/support/removals.h"

static const char *refusal(msd_world *world, msd_result expected, msd_result result) {
  cr_expect_eq(result, expected, "%s", msd_result_string(result));
  return msd_world_message(world);
}

static void destroy(msd_world *world, msd_object item, int32_t index) {
  cr_assert_eq(msd_destroy_objects(world, item, &index, 1), MSD_OK, "%s", msd_world_message(world));
}

Test(removal_api, what_is_gone_is_refused_by_its_name) {
  msd_world *world = small_world();
  const msd_spring_def spring = spring_between(1, 3);
  const int32_t beyond = 4, gone = 3, list[2] = {1, 1};
  destroy(world, MSD_OBJECT_PARTICLE, 3);
  cr_expect_str_eq(refusal(world, MSD_BAD_INDEX, msd_particle_pin(world, 3)), "particle 3 was destroyed");
  cr_expect_str_eq(refusal(world, MSD_BAD_INDEX, msd_spring_break(world, 2)), "spring 2 was destroyed");
  cr_expect_str_eq(refusal(world, MSD_BAD_INDEX, msd_add_springs(world, &spring, 1, NULL)),
                   "spring definition 0: b is particle 3, which was destroyed");
  cr_expect_str_eq(refusal(world, MSD_BAD_INDEX, msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &gone, 1)),
                   "particle 3 was destroyed");
  cr_expect_str_eq(refusal(world, MSD_BAD_INDEX, msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &beyond, 1)),
                   "there is no particle 4; the world has 4");
  cr_expect_str_eq(
      refusal(world, MSD_BAD_INDEX, msd_destroy_range(world, MSD_OBJECT_SPRING, (msd_range){1, 3})),
      "3 springs from 1 on; the world has 3");
  cr_expect_str_eq(refusal(world, MSD_BAD_VALUE, msd_destroy_objects(world, MSD_OBJECT_COUNT, &gone, 1)),
                   "object type 8; it must be one of msd_object");
  cr_expect_str_eq(refusal(world, MSD_BAD_VALUE, msd_destroy_objects(world, MSD_OBJECT_SPRING, NULL, 1)),
                   "1 springs to destroy, and no list of them");
  cr_expect_str_eq(
      refusal(world, MSD_BAD_VALUE, msd_destroy_range(world, MSD_OBJECT_SPRING, (msd_range){0, -1})),
      "-1 springs to destroy; it must be 0 or more");
  cr_expect_eq(msd_destroy_objects(world, MSD_OBJECT_PARTICLE, list, 2), MSD_OK); /* one twice */
  cr_expect_eq(msd_destroy_range(world, MSD_OBJECT_PARTICLE, (msd_range){0, 4}), MSD_OK);
  cr_expect_eq(msd_world_get_live_count(world, MSD_OBJECT_PARTICLE) +
                   msd_world_get_live_count(world, MSD_OBJECT_SPRING),
               0);
  cr_expect_eq(msd_world_get_particle_count(world), 4);
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 0), MSD_OK);
  msd_destroy_world(world);
}

Test(removal_api, a_world_with_gaps_has_the_energy_and_momentum_of_the_rest_alone) {
  static part p;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    memset(&p, 0, sizeof p);
    msd_world *world = world_of_part(&p, true);
    destroy_some(world, &p, seed, 5);
    msd_world *rest = world_of_part(&p, true);
    const msd_stats a = msd_world_get_stats(world), b = msd_world_get_stats(rest);
    cr_expect_eq(a.particles, b.particles);
    cr_expect_eq(a.pinned, b.pinned);
    cr_expect_eq(a.springs, b.springs);
    cr_expect_eq(a.broken, 0);
    cr_expect_eq(a.constraints, b.constraints);
    cr_expect_eq(a.soft_pins, b.soft_pins);
    cr_expect_eq(a.rotors, b.rotors);
    cr_expect_eq(a.torsion_springs, b.torsion_springs);
    cr_expect_eq(a.colliders, b.colliders);
    cr_expect_eq(a.collision_meshes, b.collision_meshes);
    cr_expect_eq(a.collision_triangles, b.collision_triangles);
    cr_expect_eq(a.total_mass, b.total_mass);
    cr_expect_eq(a.kinetic_energy, b.kinetic_energy);
    cr_expect_float_eq(a.elastic_energy, b.elastic_energy, 1e-12);
    cr_expect_float_eq(a.potential_energy, b.potential_energy, 1e-12);
    for (int c = 0; c < 3; c++) {
      cr_expect_float_eq(a.momentum[c], b.momentum[c], 1e-12);
      cr_expect_float_eq(a.center_of_mass[c], b.center_of_mass[c], 1e-12);
    }
    msd_components components, alone;
    cr_expect_eq(msd_world_find_components(world, NULL, NULL, &components), MSD_OK);
    cr_expect_eq(msd_world_find_components(rest, NULL, NULL, &alone), MSD_OK);
    cr_expect(components.components == alone.components && components.attached == alone.attached);
    msd_destroy_world(world);
    msd_destroy_world(rest);
  }
}

/* But for what the first short step of all together has made of velocities. */
Test(removal_api, the_rest_moves_as_if_it_were_alone) {
  static part p;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    memset(&p, 0, sizeof p);
    msd_world *world = world_of_part(&p, false);
    cr_assert_eq(msd_world_step(world, (msd_real)1e-4, 1), MSD_OK); /* laid out with all */
    destroy_some(world, &p, seed, 8);
    msd_world *rest = world_of_part(&p, false);
    cr_assert_eq(msd_world_step(rest, (msd_real)1e-4, 1), MSD_OK);
    for (int n = 0; n < 4; n++) {
      cr_assert_eq(msd_world_step(world, (msd_real)0.015625, 8), MSD_OK, "%s", msd_world_message(world));
      cr_assert_eq(msd_world_step(rest, (msd_real)0.015625, 8), MSD_OK, "%s", msd_world_message(rest));
    }
    for (int32_t i = 0; i < PARTICLES; i++) {
      const msd_vec3 x = msd_particle_get_position(world, i);
      if (p.to[MSD_OBJECT_PARTICLE][i] < 0)
        continue;
      const msd_vec3 y = msd_particle_get_position(rest, p.to[MSD_OBJECT_PARTICLE][i]);
      cr_expect(fabs((double)(x.x - y.x)) + fabs((double)(x.y - y.y)) + fabs((double)(x.z - y.z)) < 5e-3,
                "seed %u: particle %d is at %g %g %g, and alone at %g %g %g", seed, i, (double)x.x,
                (double)x.y, (double)x.z, (double)y.x, (double)y.y, (double)y.z);
    }
    msd_destroy_world(world);
    msd_destroy_world(rest);
  }
}

Test(removal_api, a_destroyed_particle_stays_where_it_was_and_reads_as_nothing) {
  msd_world *world = small_world();
  const msd_vec3 place = msd_particle_get_position(world, 2);
  cr_assert_eq(msd_particle_set_velocity(world, 2, (msd_vec3){1, 2, 3}), MSD_OK);
  cr_assert_eq(msd_particle_apply_force(world, 2, (msd_vec3){1, 2, 3}), MSD_OK);
  destroy(world, MSD_OBJECT_PARTICLE, 2);
  cr_assert_eq(msd_world_step(world, (msd_real)0.25, 4), MSD_OK);
  const msd_vec3 now = msd_view_at(msd_world_get_positions(world), 2),
                 v = msd_view_at(msd_world_get_velocities(world), 2);
  cr_expect(now.x == place.x && now.y == place.y && now.z == place.z);
  cr_expect(v.x == 0 && v.y == 0 && v.z == 0);
  cr_expect(msd_particle_get_mass(world, 2) == 0 && !msd_particle_is_pinned(world, 2));
  cr_expect(msd_particle_get_origin(world, 2) == -1);
  cr_expect(msd_spring_is_broken(world, 1) && msd_spring_get_def(world, 1).a == -1);
  int32_t piece[4];
  bool is_attached[4];
  msd_components components;
  cr_assert_eq(msd_world_find_components(world, piece, is_attached, &components), MSD_OK);
  cr_expect(components.components == 2 && components.attached == 1 && piece[2] == -1 && !is_attached[2] &&
            piece[3] == 1);
  msd_destroy_world(world);
}

Test(removal_api, writing_a_range_passes_over_what_is_gone_and_a_list_may_not_name_it) {
  msd_world *world = small_world();
  msd_real values[12], masses[4];
  const int32_t list[2] = {0, 1};
  destroy(world, MSD_OBJECT_PARTICLE, 1);
  const msd_particle_set all = msd_particle_set_of_range((msd_range){0, 4});
  cr_expect_eq(msd_world_read(world, all, MSD_POSITION, (msd_memory_layout){0}, values), MSD_OK);
  cr_expect_eq(msd_world_read(world, all, MSD_MASS, (msd_memory_layout){0}, masses), MSD_OK);
  cr_expect_eq(masses[1], 0);
  for (int n = 0; n < 12; n++)
    values[n] += 1;
  values[3] = (msd_real)NAN;
  cr_expect_eq(msd_world_write(world, all, MSD_POSITION, (msd_memory_layout){0}, values), MSD_OK);
  cr_expect_eq(msd_world_write(world, all, MSD_MASS, (msd_memory_layout){0}, masses), MSD_OK);
  cr_expect_eq(msd_view_at(msd_world_get_positions(world), 1).x, 1);
  cr_expect_eq(msd_particle_get_position(world, 2).x, 3);
  cr_expect_str_eq(refusal(world, MSD_BAD_INDEX,
                           msd_world_write(world, msd_particle_set_of_list(list, 2), MSD_POSITION,
                                           (msd_memory_layout){0}, values)),
                   "element 1: particle 1 was destroyed");
  msd_destroy_world(world);
}

Test(removal_api, drawing_leaves_out_what_is_gone) {
  msd_world *world = empty_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  msd_body body;
  int32_t triangles[3 * 8], count, lines[2 * 64];
  cloth.columns = cloth.rows = 3;
  cr_assert_eq(msd_add_cloth(world, &cloth, &body), MSD_OK);
  cr_assert_eq(msd_cloth_get_triangles(&cloth, 0, triangles, 8, &count), MSD_OK);
  const msd_render_mesh skin = {
      .vertices = msd_particle_set_of_range(body.particles), .triangles = triangles, .triangle_count = count};
  msd_real normals[27];
  destroy(world, MSD_OBJECT_PARTICLE, 4);
  cr_assert_eq(msd_particle_set_position(world, 1, (msd_vec3){(msd_real)0.5, 0, 1}), MSD_OK);
  cr_assert_eq(msd_world_read_normals(world, &skin, (msd_memory_layout){0}, normals), MSD_OK);
  for (int32_t i = 0; i < 9; i++) {
    int whole = 0;
    for (int32_t t = 0; t < count; t++) {
      const int32_t *c = triangles + 3 * (size_t)t;
      whole += (c[0] == i || c[1] == i || c[2] == i) && c[0] != 4 && c[1] != 4 && c[2] != 4;
    }
    const double length =
        sqrt((double)(normals[3 * i] * normals[3 * i] + normals[3 * i + 1] * normals[3 * i + 1] +
                      normals[3 * i + 2] * normals[3 * i + 2]));
    cr_expect_float_eq(length, whole > 0 ? 1 : 0, 1e-6, "vertex %d", i);
  }
  const int32_t some = msd_world_get_lines(world, body.springs, lines, 64);
  cr_expect_eq(some, msd_world_get_live_count(world, MSD_OBJECT_SPRING));
  for (int32_t n = 0; n < 2 * some; n++)
    cr_expect_neq(lines[n], 4);
  msd_destroy_world(world);
}

/* Every certified step stays so where nothing follows the masses: no search, no layout. */
Test(removal_api, limits_stay_certified_where_springs_and_particles_go) {
  msd_world *world = empty_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 40;
  cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 0), MSD_OK);
  int32_t before, after;
  cr_assert_eq(msd_world_find_substeps(world, (msd_real)0.01, &before), MSD_OK);
  for (int32_t n = 0; n < 10; n++) {
    destroy(world, n % 2 ? MSD_OBJECT_SPRING : MSD_OBJECT_PARTICLE, 100 + 97 * n);
    cr_assert_eq(msd_world_step(world, (msd_real)0.01, 0), MSD_OK);
    cr_assert_eq(msd_world_find_substeps(world, (msd_real)0.01, &after), MSD_OK);
    cr_expect_leq(after, before);
  }
  cr_assert_eq(msd_world_compact(world, NULL), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 0), MSD_OK);
  cr_assert_eq(msd_world_find_substeps(world, (msd_real)0.01, &after), MSD_OK);
  cr_expect_leq(after, before);
  msd_destroy_world(world);
}

Test(removal_api, what_a_torn_spring_has_cut_stays_cut) {
  msd_world *world = small_world();
  const int32_t corners[6] = {0, 1, 2, 1, 2, 3}, torn = 1;
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.5;
  cr_assert_eq(msd_springs_set_damage(world, (msd_range){1, 1}, &damage), MSD_OK);
  cr_assert_eq(msd_particle_set_position(world, 3, (msd_vec3){1, 2, 0}), MSD_OK);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = 2;
  cr_assert_eq(msd_add_collision_meshes(world, &def, 1, NULL), MSD_OK);
  cr_assert_eq(msd_particle_set_position(world, 2, (msd_vec3){4, 0, 0}), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)1e-4, 1), MSD_OK, "%s", msd_world_message(world));
  cr_assert(msd_spring_is_torn(world, 1));
  cr_assert_eq(msd_destroy_objects(world, MSD_OBJECT_SPRING, &torn, 1), MSD_OK);
  cr_expect(msd_object_is_destroyed(world, MSD_OBJECT_COLLISION_MESH, 0)); /* both triangles had that edge */
  cr_expect_eq(msd_world_get_stats(world).torn, 0);
  cr_assert_eq(msd_world_compact(world, NULL), MSD_OK);
  cr_expect(msd_world_get_collision_mesh_count(world) == 0 && msd_world_get_spring_count(world) == 2);
  msd_destroy_world(world);
}

Test(removal_api, what_backs_a_spring_goes_with_it_and_the_rest_goes_on_companion) {
  msd_world *world = small_world();
  const int32_t front = 0, back = 5;
  msd_range made;
  cr_assert_eq(msd_springs_limit_stretch(world, (msd_range){0, 3}, (msd_real)0.25, 1, &made), MSD_OK);
  cr_assert_eq(made.first, 3);
  cr_assert_eq(msd_destroy_objects(world, MSD_OBJECT_SPRING, &front, 1), MSD_OK);
  cr_expect(msd_object_is_destroyed(world, MSD_OBJECT_SPRING, 3));
  cr_assert_eq(msd_destroy_objects(world, MSD_OBJECT_SPRING, &back, 1), MSD_OK);
  cr_expect_str_eq(
      refusal(world, MSD_BAD_INDEX, msd_springs_stiffen(world, (msd_range){0, 2}, (msd_real)0.5, 2, NULL)),
      "spring 0 was destroyed");
  cr_assert_eq(msd_world_compact(world, NULL), MSD_OK); /* left: 1, 2, and 4, which backs 1 */
  cr_assert_eq(msd_world_get_spring_count(world), 3);
  cr_assert_eq(msd_spring_break(world, 1), MSD_OK);
  cr_expect_not(msd_spring_is_broken(world, 2));
  cr_assert_eq(msd_spring_break(world, 0), MSD_OK);
  cr_expect(msd_spring_is_broken(world, 2));
  msd_destroy_world(world);
}

Test(removal_api, colliders_and_touches_that_are_gone_are_not_told) {
  msd_world *world = small_world();
  msd_collider_def def = msd_default_collider_def();
  msd_collider_contact contacts[8];
  const int32_t plane = 0;
  def.position.y = (msd_real)0.001;
  cr_assert_eq(msd_add_colliders(world, &def, 1, NULL), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 2), MSD_OK);
  const int32_t before = msd_world_get_collider_contacts(world, contacts, 8);
  cr_assert_geq(before, 3);
  destroy(world, MSD_OBJECT_PARTICLE, contacts[0].particle);
  cr_expect_eq(msd_world_get_collider_contacts(world, contacts, 8), before - 1);
  cr_assert_eq(msd_destroy_objects(world, MSD_OBJECT_COLLIDER, &plane, 1), MSD_OK);
  cr_expect_eq(msd_world_get_collider_contacts(world, contacts, 8), 0);
  cr_assert_eq(msd_world_set_integrator(world, MSD_RK4), MSD_OK); /* which has no colliders */
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 2), MSD_OK, "%s", msd_world_message(world));
  cr_expect_eq(msd_world_get_stats(world).contacts, 0);
  msd_destroy_world(world);
}

Test(removal_api, a_state_fits_no_world_of_which_something_else_is_gone) {
  static part p;
  memset(&p, 0, sizeof p);
  msd_world *world = world_of_part(&p, true);
  size_t size;
  cr_assert_eq(msd_world_save_state(world, NULL, 0, &size), MSD_OK);
  void *state = malloc(size);
  cr_assert_not_null(state);
  cr_assert_eq(msd_world_save_state(world, state, size, &size), MSD_OK);
  destroy(world, MSD_OBJECT_PARTICLE, 7);
  const picture before = take_picture(world);
  cr_expect_str_eq(refusal(world, MSD_BAD_SNAPSHOT, msd_world_restore_state(world, state, size)),
                   "the state is of a world with other destroyed objects than this one");
  cr_expect(is_unchanged(world, before));
  cr_assert_eq(msd_world_save_state(world, state, size, &size), MSD_OK);
  const uint64_t hash = msd_world_hash(world);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 4), MSD_OK);
  cr_expect_eq(msd_world_restore_state(world, state, size), MSD_OK);
  cr_expect_eq(msd_world_hash(world), hash);
  free(state);
  msd_destroy_world(world);
}

Test(removal_api, a_snapshot_has_the_gaps_and_goes_on_with_the_same_bits) {
  static part p;
  for (uint32_t seed = 1; seed <= 6; seed++) {
    memset(&p, 0, sizeof p);
    msd_world *world = world_of_part(&p, true), *copy;
    cr_assert_eq(msd_world_step(world, (msd_real)0.015625, 4), MSD_OK);
    destroy_some(world, &p, seed, 6);
    cr_assert_eq(msd_copy_world(world, &copy), MSD_OK);
    const picture one = take_picture(world), other = take_picture(copy);
    cr_expect(is_same(one, other));
    forget(one);
    forget(other);
    for (int n = 0; n < 8; n++) {
      if (n == 4) {
        cr_assert_eq(msd_world_compact(world, NULL), MSD_OK);
        cr_assert_eq(msd_world_compact(copy, NULL), MSD_OK);
      }
      cr_assert_eq(msd_world_step(world, (msd_real)0.015625, 4), MSD_OK);
      cr_assert_eq(msd_world_step(copy, (msd_real)0.015625, 4), MSD_OK);
      cr_expect_eq(msd_world_hash(world), msd_world_hash(copy), "seed %u, step %d", seed, n);
    }
    msd_destroy_world(copy);
    msd_destroy_world(world);
  }
}

Test(removal_api, the_account_of_the_energy_counts_nothing_that_was_taken_away) {
  msd_world *world = small_world();
  cr_assert_eq(msd_world_set_energy_mode(world, MSD_ENERGY_MONITOR), MSD_OK);
  cr_assert_eq(msd_particle_set_position(world, 3, (msd_vec3){6, 0, 0}), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)1e-3, 4), MSD_OK);
  const double taken = msd_world_get_stats(world).elastic_energy;
  cr_assert_gt(taken, 100);
  const double before = msd_world_get_energy_account(world).gain;
  destroy(world, MSD_OBJECT_SPRING, 2);
  cr_assert_eq(msd_world_step(world, (msd_real)1e-3, 4), MSD_OK);
  cr_assert_eq(msd_world_compact(world, NULL), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)1e-3, 4), MSD_OK);
  cr_expect_float_eq(msd_world_get_energy_account(world).gain, before, taken / 1000);
  msd_destroy_world(world);
}

/* In the course of a step a world is only read: whatever would change it answers MSD_LOCKED and does nothing.
   */
#include "tests/support/declarations.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

static const msd_vec3 NOWHERE = {0, 0, 0};
static const msd_range ALL = {0, 1};

/* How many calls were answered otherwise. */
static int failures;

static void is_busy(msd_result result, const char *call) {
  failures += result != MSD_LOCKED;
  cr_expect_eq(result, MSD_LOCKED, "%s: %s", call, msd_result_string(result));
}

#define BUSY(call) is_busy(call, #call)

static void change_settings(msd_world *world) {
  BUSY(msd_world_set_callbacks(world, NULL));
  BUSY(msd_world_set_tasks(world, NULL));
  BUSY(msd_world_set_wind(world, NULL));
  BUSY(msd_world_set_sleep(world, NULL));
  BUSY(msd_particle_wake(world, 0));
  BUSY(msd_world_check(world));
  BUSY(msd_world_wake_all(world));
  BUSY(msd_world_set_gravity(world, NOWHERE));
  BUSY(msd_world_set_linear_damping(world, 1));
  BUSY(msd_world_set_integrator(world, MSD_RK4));
  BUSY(msd_world_set_clamp_stiffness(world, true));
  BUSY(msd_world_set_energy_mode(world, MSD_ENERGY_MONITOR));
  BUSY(msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  BUSY(msd_world_set_solver(world, MSD_SOLVER_GAUSS_SEIDEL));
  BUSY(msd_world_set_impulse_iterations(world, 1));
  BUSY(msd_world_set_impulse_warm_start(world, true));
  BUSY(msd_world_set_thread_count(world, 1));
  BUSY(msd_world_set_simd(world, MSD_SIMD_SCALAR));
  BUSY(msd_world_step(world, 1, 1));
  BUSY(msd_world_find_equilibrium(world, NULL, NULL));
  BUSY(msd_world_find_stable_substep(world, &(double){0}));
  BUSY(msd_world_restore(world, NULL, 0));
  BUSY(msd_world_restore_state(world, NULL, 0));
}

static void change_bodies(msd_world *world) {
  BUSY(msd_add_rope(world, NULL, NULL));
  BUSY(msd_add_cloth(world, NULL, NULL));
  BUSY(msd_add_mesh(world, NULL, NULL));
  BUSY(msd_add_mesh_subdomain(world, NULL, NULL, NULL));
  BUSY(msd_add_block(world, NULL, NULL));
  BUSY(msd_add_tetmesh(world, NULL, NULL));
  BUSY(msd_add_tetmesh_subdomain(world, NULL, NULL, NULL));
  BUSY(msd_world_find_layout_order(world, NULL, NULL));
  BUSY(msd_add_tethers(world, NULL, NULL));
  BUSY(msd_world_write(world, (msd_particle_set){0}, MSD_POSITION, (msd_memory_layout){0}, NULL));
  BUSY(msd_add_particles(world, NULL, 0, NULL));
  BUSY(msd_particle_set_position(world, 0, NOWHERE));
  BUSY(msd_particle_set_velocity(world, 0, NOWHERE));
  BUSY(msd_particle_set_mass(world, 0, 1));
  BUSY(msd_particle_pin(world, 0));
  BUSY(msd_particle_unpin(world, 0));
  BUSY(msd_particle_move_to(world, 0, NOWHERE));
  BUSY(msd_particle_move_along(world, 0, NOWHERE, (msd_turn){{0, 0, 0}, NOWHERE}));
  BUSY(msd_particle_apply_force(world, 0, NOWHERE));
  BUSY(msd_world_redistribute_mass(world, NULL, 0, 1, NULL));
  BUSY(msd_world_scale_stiffness(world, 1));
  BUSY(msd_add_collision_meshes(world, NULL, 0, NULL));
  BUSY(msd_collision_mesh_exclude(world, 0, 0));
  BUSY(msd_destroy_objects(world, MSD_OBJECT_PARTICLE, NULL, 0));
  BUSY(msd_destroy_range(world, MSD_OBJECT_PARTICLE, ALL));
  BUSY(msd_world_compact(world, NULL));
}

static void change_springs(msd_world *world) {
  BUSY(msd_add_constraints(world, NULL, 0, NULL));
  BUSY(msd_constraint_set_law(world, 0, NULL));
  BUSY(msd_constraint_set_rest(world, 0, 1));
  BUSY(msd_constraint_break(world, 0));
  BUSY(msd_add_springs(world, NULL, 0, NULL));
  BUSY(msd_spring_set_law(world, 0, NULL));
  BUSY(msd_springs_set_law(world, ALL, NULL));
  BUSY(msd_spring_set_rest_length(world, 0, 1));
  BUSY(msd_spring_move_rest_length_to(world, 0, 1));
  BUSY(msd_spring_break(world, 0));
  BUSY(msd_springs_set_damage(world, ALL, NULL));
  BUSY(msd_constraints_set_damage(world, ALL, NULL));
  BUSY(msd_springs_stiffen(world, ALL, 1, 1, NULL));
  BUSY(msd_springs_limit_stretch(world, ALL, 0, 1, NULL));
}

static void change_others(msd_world *world) {
  BUSY(msd_add_soft_pins(world, NULL, 0, NULL));
  BUSY(msd_soft_pin_set_def(world, 0, NULL));
  BUSY(msd_soft_pin_move_to(world, 0, NOWHERE));
  BUSY(msd_soft_pin_move_along(world, 0, NOWHERE, (msd_turn){{0, 0, 0}, NOWHERE}));
  BUSY(msd_add_colliders(world, NULL, 0, NULL));
  BUSY(msd_collider_set_def(world, 0, NULL));
  BUSY(msd_collider_move_to(world, 0, NOWHERE, (msd_quaternion){1, 0, 0, 0}));
  BUSY(msd_collider_move_along(world, 0, NOWHERE, (msd_quaternion){1, 0, 0, 0},
                               (msd_turn){{0, 0, 0}, NOWHERE}));
  BUSY(msd_world_set_contact_settings(world, NULL));
  BUSY(msd_add_rotors(world, NULL, 0, NULL));
  BUSY(msd_rotor_set_def(world, 0, NULL));
  BUSY(msd_rotor_apply_torque(world, 0, 1));
  BUSY(msd_add_torsion_springs(world, NULL, 0, NULL));
  BUSY(msd_torsion_spring_set_law(world, 0, NULL));
  BUSY(msd_torsion_spring_set_rest_angle(world, 0, 1));
  BUSY(msd_torsion_spring_break(world, 0));
}

static void copy(const msd_world *world) {
  size_t size;
  char bytes[1];
  msd_world *made = NULL;
  BUSY(msd_world_save(world, NULL, 0, &size));
  BUSY(msd_world_save(world, bytes, sizeof bytes, &size));
  BUSY(msd_world_save_state(world, NULL, 0, &size));
  BUSY(msd_copy_world(world, &made));
  cr_expect_null(made);
}

static void change_all(msd_world *world) {
  change_settings(world);
  change_bodies(world);
  change_springs(world);
  change_others(world);
  copy(world);
  msd_step step = {.world = world, .frame_time = 1, .substeps = 1};
  BUSY(msd_worlds_step(&step, 1, 1, NULL));
  BUSY(step.result);
  cr_expect_not_null(strstr(msd_world_message(world), "in progress"));
  msd_destroy_world(world);
}

/* All functions get the world that steps, and one that does not. */
typedef struct pair {
  msd_world *stepping, *other;
  int calls;
} pair;

static void act(pair *p) {
  change_all(p->stepping);
  ok(p->other, msd_world_set_gravity(p->other, NOWHERE));
  ok(p->other, msd_world_step(p->other, (msd_real)0.01, 2));
  p->calls++;
}

static bool stop(void *p) {
  act(p);
  return false;
}

static void at_moment(const msd_world *world, const msd_substep_info *moment, void *p) {
  (void)moment;
  cr_expect_eq(world, ((pair *)p)->stepping);
  act(p);
}

static void at_spring(const msd_world *world, int32_t spring, void *p) {
  (void)world, (void)spring;
  act(p);
}

static void at_touch(const msd_world *world, const msd_contact_event *touch, void *p) {
  (void)world, (void)touch;
  act(p);
}

/* A sheet that tears where it falls onto a ball, and a pin that is led. */
static msd_world *new_torn_sheet(void) {
  touching t = contact_step_new((msd_vec3){0, -10, 0}, 0.3, 0);
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.01;
  add_collider(t.world, sphere_of(0.25));
  touching_sheet(&t, 6, 6, vector(-0.5, 0.26, -0.5), vector(1, 0, 0), vector(0, 0, 1), false);
  throw_all(t.world, 0, 36, vector(0, -3, 0));
  ok(t.world, msd_particle_pin(t.world, 0));
  ok(t.world, msd_springs_set_damage(t.world, (msd_range){0, msd_world_get_spring_count(t.world)}, &damage));
  return t.world;
}

static void step_and_lead(msd_world *world) {
  ok(world, msd_particle_move_to(world, 0, vector(-0.5, 0.26, -0.45)));
  ok(world, msd_particle_apply_force(world, 20, vector(0, 0, 0.01)));
  ok(world, msd_world_step(world, (msd_real)1 / 60, 5));
}

Test(world_busy, whatever_a_step_calls_can_change_other_worlds_and_not_its_own) {
  pair p = {.stepping = new_torn_sheet(), .other = new_torn_sheet()};
  msd_world *alone = new_torn_sheet();
  const msd_callbacks callbacks = {.stop = stop,
                                   .before_step = at_moment,
                                   .after_step = at_moment,
                                   .before_substep = at_moment,
                                   .after_substep = at_moment,
                                   .spring_torn = at_spring,
                                   .contact_begin = at_touch,
                                   .contact_end = at_touch,
                                   .context = &p};
  ok(p.stepping, msd_world_set_callbacks(p.stepping, &callbacks));
  for (int frame = 0; frame < 6; frame++) {
    step_and_lead(p.stepping);
    step_and_lead(alone);
    cr_assert_eq(failures, 0);
  }
  cr_expect_gt(msd_world_get_stats(alone).torn, 0);
  cr_expect_gt(p.calls, 6 * (2 + 3 * 5) + msd_world_get_stats(alone).torn, "something touches too");
  snapshot own = snapshot_of(p.stepping), expected = snapshot_of(alone);
  cr_expect(own.size == expected.size && memcmp(own.data, expected.data, own.size) == 0);
  cr_expect_eq(msd_world_get_integrator(p.stepping), MSD_SYMPLECTIC_EULER);
  free(own.data);
  free(expected.data);
  msd_destroy_world(p.stepping);
  msd_destroy_world(p.other);
  msd_destroy_world(alone);
}

Test(world_busy, every_function_that_takes_a_world_to_change_it_is_called_here) {
  static const char *const headers[] = {"world.h",     "tasks.h",    "callbacks.h", "wind.h",
                                        "builder.h",   "bulk.h",     "particle.h",  "collision_mesh.h",
                                        "stability.h", "spring.h",   "damage.h",    "constraint.h",
                                        "soft_pin.h",  "collider.h", "rotor.h"};
  char *source = declarations_read(MSD_TEST_DATA "/../engine/world/test_world_busy.c");
  int functions = 0;
  for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++)
    functions +=
        declarations_expect_called(headers[h], "\nMSD_API ", "msd_world *world", source, "test_world_busy.c");
  cr_expect_geq(functions, 60);
  free(source);
}

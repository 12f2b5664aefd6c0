/* The life of a world that calls every function of <msd/msd.h> at least once, so that all of them link, and a
   check that none was forgotten. */
#include "tests/support/declarations.h"

#include <msd/msd.h>

#include <math.h>

static void count_line(const char *message, void *context) {
  int *lines = context;
  *lines += message[0] != '\0';
}

static bool never(void *context) {
  return context == NULL;
}

static bool is_near(msd_real value, double expected) {
  return fabs((double)value - expected) <= 1e-5 * (1 + fabs(expected));
}

static void check_library(void) {
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", MSD_VERSION_MAJOR, MSD_VERSION_MINOR, MSD_VERSION_PATCH);
  cr_expect_str_eq(msd_version(), expected);
  cr_expect_eq(msd_precision(), sizeof(msd_real));
  cr_expect(strstr(msd_result_string(MSD_OK), "done") != NULL);
  cr_expect_str_eq(msd_integrator_name(MSD_SYMPLECTIC_EULER), "symplectic_euler");
  cr_expect_str_eq(msd_integrator_name(MSD_EXPLICIT_EULER), "explicit_euler");
  cr_expect_str_eq(msd_integrator_name(MSD_VELOCITY_VERLET), "velocity_verlet");
  cr_expect_str_eq(msd_integrator_name(MSD_RK4), "rk4");
  cr_expect_str_eq(msd_integrator_name(MSD_SEQUENTIAL_IMPULSE), "sequential_impulse");
  cr_expect_str_eq(msd_energy_mode_name(MSD_ENERGY_BOUNDED), "bounded");
  cr_expect_str_eq(msd_mass_scaling_name(MSD_MASS_SCALING_SELECTIVE), "selective");
  cr_expect_str_eq(msd_solver_name(MSD_SOLVER_GAUSS_SEIDEL), "gauss_seidel");
  cr_expect_str_eq(msd_spring_law_name(MSD_SPRING_FREQUENCY), "frequency");
  cr_expect(msd_integrator_has_exact_soft_pins(MSD_SYMPLECTIC_EULER));
  cr_expect_str_eq(msd_constraint_kind_name(MSD_CONSTRAINT_DIHEDRAL), "dihedral");
  cr_expect_eq(msd_constraint_kind_particles(MSD_CONSTRAINT_DIHEDRAL), 4);
  const msd_vec3 corners[3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
  msd_real weights[4];
  cr_expect(msd_fiber_weights(corners, 3, (msd_vec3){1, 0, 0}, weights) == MSD_OK &&
            weights[1] == (msd_real)0.5);
}

static void check_states(msd_world *world) {
  size_t size;
  cr_expect_eq(msd_world_save_state(world, NULL, 0, &size), MSD_OK);
  void *state = malloc(size);
  cr_assert_not_null(state);
  cr_expect_eq(msd_world_save_state(world, state, size, &size), MSD_OK);
  cr_expect_eq(msd_world_restore_state(world, state, size), MSD_OK);
  free(state);
}

static void check_rest(msd_world *world) {
  msd_equilibrium_def def = msd_default_equilibrium_def();
  msd_equilibrium_report report;
  def.iterations = 1;
  def.ignore_contact = true;
  cr_expect_eq(msd_world_find_equilibrium(world, &def, &report), MSD_OK);
  cr_expect(report.converged && report.particle == -1);
}

static void check_settings(msd_world *world) {
  check_rest(world);
  cr_expect_eq(msd_world_set_gravity(world, (msd_vec3){1, 2, 3}), MSD_OK);
  const msd_vec3 gravity = msd_world_get_gravity(world);
  cr_expect(gravity.x == 1 && gravity.y == 2 && gravity.z == 3);
  cr_expect_eq(msd_world_set_gravity(world, (msd_vec3){0, -10, 0}), MSD_OK);
  cr_expect_eq(msd_world_set_linear_damping(world, (msd_real)0.5), MSD_OK);
  cr_expect_eq(msd_world_get_linear_damping(world), (msd_real)0.5);
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity.x = 3;
  cr_expect_eq(msd_world_set_wind(world, &wind), MSD_OK);
  cr_expect_eq(msd_world_get_wind(world).velocity.x, 3);
  cr_expect_eq(msd_world_get_wind_velocity(world, (msd_vec3){1, 2, 3}).x, 3);
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = 0;
  cr_expect_eq(msd_world_set_sleep(world, &sleep), MSD_OK);
  cr_expect_eq(msd_world_get_sleep(world).speed, 0);
  cr_expect_eq(msd_world_wake_all(world), MSD_OK);
  cr_expect_eq(msd_world_check(world), MSD_OK);
  cr_expect_eq(msd_world_set_integrator(world, MSD_RK4), MSD_OK);
  cr_expect_eq(msd_world_get_integrator(world), MSD_RK4);
  cr_expect_eq(msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER), MSD_OK);
  cr_expect_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  cr_expect_eq(msd_world_get_clamp_stiffness(world), true);
  cr_expect_eq(msd_world_set_clamp_stiffness(world, false), MSD_OK);
  cr_expect_eq(msd_world_get_solver_residual(world).spring, -1);
  cr_expect_eq(msd_world_set_energy_mode(world, MSD_ENERGY_MONITOR), MSD_OK);
  cr_expect_eq(msd_world_get_energy_mode(world), MSD_ENERGY_MONITOR);
  cr_expect_eq(msd_world_get_energy_account(world).bounded_substeps, 0);
  double made = 7;
  msd_world_add_spring_energy_gain(world, &made);
  cr_expect_eq(made, 7, "there is no spring yet");
  cr_expect_eq(msd_world_set_energy_mode(world, MSD_ENERGY_OFF), MSD_OK);
  cr_expect_eq(msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE), MSD_OK);
  cr_expect_eq(msd_world_get_mass_scaling(world), MSD_MASS_SCALING_SELECTIVE);
  cr_expect_eq(msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE), MSD_OK);
  cr_expect_eq(msd_world_set_solver(world, MSD_SOLVER_GAUSS_SEIDEL), MSD_OK);
  cr_expect_eq(msd_world_get_solver(world), MSD_SOLVER_GAUSS_SEIDEL);
  cr_expect_eq(msd_world_set_solver(world, MSD_SOLVER_EXPLICIT), MSD_OK);
  cr_expect_eq(msd_world_set_impulse_iterations(world, 4), MSD_OK);
  cr_expect_eq(msd_world_get_impulse_iterations(world), 4);
  cr_expect_eq(msd_world_set_impulse_warm_start(world, true), MSD_OK);
  cr_expect(msd_world_get_impulse_warm_start(world));
  cr_expect_eq(msd_world_set_thread_count(world, 1), MSD_OK);
  cr_expect_eq(msd_world_get_thread_count(world), 1);
  cr_expect_eq(msd_world_set_simd(world, MSD_SIMD_128), MSD_OK);
}

static void check_host(msd_world *world) {
  msd_step step = {.world = world, .frame_time = (msd_real)0.01, .substeps = 1};
  int64_t steps = msd_world_get_steps(world);
  cr_expect_eq(msd_world_set_tasks(world, NULL), MSD_OK);
  cr_expect_eq(msd_world_set_callbacks(world, &(msd_callbacks){.stop = never, .context = world}), MSD_OK);
  cr_expect_eq(msd_world_get_callbacks(world).context, world);
  cr_expect_eq(msd_world_set_ranks(world, NULL), MSD_OK);
  cr_expect_str_eq(msd_world_why_not_distributed(world), "collision meshes that touch");
  double largest = 3;
  msd_world_all_reduce_max(world, &largest, 1);
  cr_expect_eq(largest, 3);
  cr_expect_eq(msd_world_set_subdomain(NULL, NULL, 0, 0), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_subdomain(world).particles, 0);
  cr_expect_eq(msd_world_save_global(NULL, NULL, NULL, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_restore_global(NULL, NULL, NULL, 0), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_gather_text(NULL, NULL, NULL, NULL, NULL), MSD_BAD_VALUE);
  const msd_mesh_def mesh = msd_default_mesh_def();
  cr_expect_eq(msd_add_mesh_subdomain(NULL, &mesh, NULL, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_tetmesh_subdomain(NULL, NULL, NULL, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_layout_order(NULL, NULL, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_worlds_step(&step, 1, 1, NULL), MSD_OK);
  cr_expect_eq(msd_world_get_steps(world), steps + 1);
}

static void check_builders(msd_world *world) {
  static const msd_vec3 vertices[] = {{0, 0, 9}, {1, 0, 9}, {0, 1, 9}};
  static const int32_t triangle[] = {0, 1, 2};
  const msd_rope_def rope = msd_default_rope_def();
  const msd_cloth_def cloth = msd_default_cloth_def();
  const msd_block_def block = msd_default_block_def();
  msd_mesh_def mesh = msd_default_mesh_def();
  mesh.vertices = vertices;
  mesh.vertex_count = 3;
  mesh.triangles = triangle;
  mesh.triangle_count = 1;
  msd_body body;
  cr_expect_eq(msd_add_rope(world, &rope, &body), MSD_OK);
  cr_expect(body.particles.first == 0 && body.particles.count == 2);
  cr_expect_eq(msd_add_cloth(world, &cloth, &body), MSD_OK);
  cr_expect(body.particles.first == 2 && body.particles.count == 4);
  cr_expect_eq(msd_add_block(world, &block, &body), MSD_OK);
  cr_expect(body.particles.first == 6 && body.particles.count == 8);
  cr_expect_eq(msd_add_mesh(world, &mesh, &body), MSD_OK);
  cr_expect(body.particles.first == 14 && body.particles.count == 3);
}

static void check_materials(void) {
  msd_material material = msd_default_material();
  cr_expect_eq(material.stretch_modulus, 0);
  cr_expect_eq(msd_material_named(msd_material_name(0), &material), MSD_OK);
  cr_expect_gt(material.stretch_modulus, 0);
  cr_expect_eq(msd_material_get_origin(0).damping, MSD_MATERIAL_BASIS_ESTIMATED);
}

static void check_tetmesh_and_tethers(msd_world *world) {
  static const msd_vec3 vertices[] = {{0, 0, 9}, {1, 0, 9}, {0, 1, 9}, {0, 0, 8}};
  static const int32_t tetrahedron[] = {0, 1, 2, 3};
  const int32_t constraints = msd_world_get_constraint_count(world);
  msd_tetmesh_def def = msd_default_tetmesh_def();
  def.vertices = vertices;
  def.vertex_count = 4;
  def.tetrahedra = tetrahedron;
  def.tetrahedron_count = 1;
  msd_body body;
  cr_expect_eq(msd_add_tetmesh(world, &def, &body), MSD_OK);
  cr_expect(body.particles.count == 4 && body.springs.count == 6);
  cr_expect(body.volume.first == constraints && body.volume.count == 1);

  cr_expect_eq(msd_particle_pin(world, body.particles.first), MSD_OK);
  msd_tethers_def tethers = msd_default_tethers_def();
  tethers.particles = body.particles;
  msd_range added;
  cr_expect_eq(msd_add_tethers(world, &tethers, &added), MSD_OK);
  cr_expect(added.first == msd_world_get_spring_count(world) - 3 && added.count == 3);
}

/* Particles 17 and 18, and spring 20 between them. */
static void check_particles_and_springs(msd_world *world) {
  msd_particle_def particle = msd_default_particle_def();
  int32_t first = -1;
  cr_expect_eq(msd_add_particles(world, &particle, 1, &first), MSD_OK);
  particle.position.x = 2;
  cr_expect_eq(msd_add_particles(world, &particle, 1, NULL), MSD_OK);
  cr_expect_eq(first, 17);
  cr_expect_eq(msd_world_get_particle_count(world), 19);
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 17;
  spring.b = 18;
  cr_expect_eq(msd_add_springs(world, &spring, 1, &first), MSD_OK);
  cr_expect_eq(first, 20);
  cr_expect_eq(msd_world_get_spring_count(world), 21);
  int32_t of_laws = 0;
  for (int law = 0; law < MSD_SPRING_LAW_COUNT; law++)
    of_laws += msd_world_get_law_count(world, (msd_spring_law)law);
  cr_expect_eq(of_laws, 21);

  spring.stiffness = 50;
  spring.damping = 5;
  cr_expect_eq(msd_springs_set_law(world, (msd_range){20, 1}, &spring), MSD_OK);
  cr_expect_eq(msd_spring_get_stretch(world, 20), 0);
  cr_expect_eq(msd_spring_move_rest_length_to(world, 20, 7), MSD_OK);
  cr_expect_eq(msd_spring_set_rest_length(world, 20, (msd_real)1.5), MSD_OK);
  const msd_spring_def now = msd_spring_get_def(world, 20);
  cr_expect(now.a == 17 && now.b == 18 && now.rest_length == (msd_real)1.5 && now.stiffness == 50);
  cr_expect_eq(msd_spring_get_length(world, 20), 2);
  cr_expect_eq(msd_spring_get_stiffness(world, 20), 50);
  cr_expect_eq(msd_spring_get_damping(world, 20), 5);
  cr_expect_eq(msd_spring_get_tension(world, 20), 25);

  cr_expect_eq(msd_particle_set_mass(world, 18, 3), MSD_OK);
  cr_expect_eq(msd_particle_get_mass(world, 18), 3);
  cr_expect_eq(msd_particle_get_origin(world, 18), 18);
  cr_expect_eq(msd_particle_get_def(world, 18).mass, 3);
  cr_expect_eq(msd_particle_set_velocity(world, 18, (msd_vec3){4, 0, 0}), MSD_OK);
  cr_expect_eq(msd_particle_get_velocity(world, 18).x, 4);
  cr_expect_eq(msd_spring_get_tension(world, 20), 45, "damping pulls as well");
  cr_expect_eq(msd_particle_set_position(world, 18, (msd_vec3){1, 0, 0}), MSD_OK);
  cr_expect_eq(msd_particle_get_position(world, 18).x, 1);
  cr_expect_eq(msd_particle_pin(world, 17), MSD_OK);
  cr_expect(msd_particle_is_pinned(world, 17) && !msd_particle_is_pinned(world, 18));
  cr_expect_eq(msd_particle_unpin(world, 17), MSD_OK);
  cr_expect_eq(msd_particle_wake(world, 17), MSD_OK);
  cr_expect_not(msd_particle_is_asleep(world, 17));
  cr_expect_not(msd_particle_is_pinned(world, 17));

  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.25;
  cr_expect_eq(msd_springs_set_damage(world, (msd_range){20, 1}, &damage), MSD_OK);
  cr_expect_eq(msd_spring_get_damage(world, 20).tear_strain, damage.tear_strain);
  cr_expect_eq(msd_spring_get_plastic_strain(world, 20), 0);
  cr_expect_eq(msd_springs_stiffen(world, (msd_range){20, 0}, 0, 2, NULL), MSD_OK);
  cr_expect_eq(msd_springs_limit_stretch(world, (msd_range){20, 0}, 1, 1, NULL), MSD_OK);
  cr_expect_not(msd_spring_is_torn(world, 20));

  cr_expect_eq(msd_spring_break(world, 20), MSD_OK);
  cr_expect(msd_spring_is_broken(world, 20) && !msd_spring_is_broken(world, 19));
}

static void check_stability(const msd_world *world) {
  const msd_real dt = (msd_real)0.01;
  msd_stability report;
  cr_expect_eq(msd_world_analyze_stability(world, dt, &report), MSD_OK);
  cr_expect(report.certified && report.substeps == 1, "the stiffest springs are stable at any step");
  int32_t substeps = 0;
  cr_expect_eq(msd_world_find_substeps(world, dt, &substeps), MSD_OK);
  cr_expect_eq(substeps, 1);
  double linearized_limit = 0;
  cr_expect_eq(msd_world_estimate_current_limit(world, dt, &linearized_limit), MSD_OK);
  cr_expect(isinf(linearized_limit), "nothing is left to find above any step");
  msd_stability_explanation explanation;
  cr_expect_eq(msd_world_explain_stability(world, dt, &explanation), MSD_OK);
  cr_expect_eq(explanation.limit.radius, report.radius);
  cr_expect_str_eq(msd_cause_name(MSD_CAUSE_LIGHT_PARTICLE), "light_particle");
  msd_softening softening;
  cr_expect_eq(msd_world_find_softening(world, dt, true, &softening), MSD_OK);
  cr_expect(softening.springs == 0 && softening.stiffness_left == 1);
  double steps[21];
  cr_expect_eq(msd_world_find_softening_steps(world, steps, NULL), MSD_OK);
  cr_expect(isinf(steps[20]), "it is broken");
  double masses[64];
  cr_assert_leq(msd_world_get_particle_count(world), 64);
  cr_expect_eq(msd_world_find_required_masses(world, dt, masses), MSD_OK);
  const msd_range rope = {0, 1};
  msd_stiffness_limits limits;
  cr_expect_eq(msd_world_find_stiffness_limits(world, &rope, 1, dt, &limits), MSD_OK);
  cr_expect(limits.stiffness > 0 && limits.damping > 0);
  msd_static_stretch stretch;
  cr_expect_eq(msd_world_estimate_stretch(world, dt, &stretch), MSD_OK);
  cr_expect(stretch.present >= 0);
}

static void check_mass_redistribution(msd_world *world) {
  double limit = 0;
  cr_expect_eq(msd_world_find_stable_substep(world, &limit), MSD_OK);
  cr_expect(isinf(limit), "the stiffest springs are stable at any step");
  const msd_mass_pool pool = {{0, msd_world_get_particle_count(world)}, 0.01};
  msd_mass_redistribution shift;
  cr_expect_eq(msd_world_redistribute_mass(world, &pool, 1, (msd_real)0.01, &shift), MSD_OK);
  cr_expect_eq(shift.substeps_after, 1);
  cr_expect_eq(shift.moved, 0, "the stiffest springs are stable at any step");
}

static void check_step(msd_world *world) {
  check_stability(world);
  check_mass_redistribution(world);
  cr_expect_eq(msd_world_set_linear_damping(world, 0), MSD_OK);
  cr_expect_eq(msd_particle_set_velocity(world, 18, (msd_vec3){0, 0, 0}), MSD_OK);
  cr_expect_eq(msd_particle_apply_force(world, 18, (msd_vec3){30, 30, 0}), MSD_OK); /* 3 kg: carries it */
  cr_expect_eq(msd_particle_pin(world, 17), MSD_OK);
  cr_expect_eq(msd_particle_move_to(world, 17, (msd_vec3){1, 5, 0}), MSD_OK);
  cr_expect_eq(
      msd_particle_move_along(world, 17, (msd_vec3){0, 5, 0}, (msd_turn){{0, 0, (msd_real)0.09}, {0, 0, 0}}),
      MSD_OK);
  cr_expect_eq(msd_world_step(world, (msd_real)0.25, 0), MSD_OK);
  cr_expect(is_near(msd_particle_get_velocity(world, 18).x, 2.5) &&
            msd_particle_get_velocity(world, 18).y == 0);
  cr_expect_eq(msd_particle_get_position(world, 17).y, 5);
  cr_expect_eq(msd_world_get_steps(world), 1);
  cr_expect_eq(msd_world_get_time(world), 0.25);
}

static void check_stretch(msd_world *world) {
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = 0.01;
  msd_stretch_plan plan;
  cr_expect_eq(msd_world_plan_stretch(world, &target, &plan), MSD_OK);
  cr_expect(plan.substeps >= 1 && plan.stiffness_factor > 0);
  msd_spring_def spring = msd_default_spring_def();
  spring.stiffness = 50;
  spring.damping = 5;
  cr_expect_eq(msd_spring_set_law(world, 20, &spring), MSD_OK);
  cr_expect_eq(msd_world_scale_stiffness(world, 4), MSD_OK);
  cr_expect_eq(msd_spring_get_def(world, 20).stiffness, 200);
  cr_expect_eq(msd_spring_get_def(world, 20).damping, 10);
}

static void check_bulk(msd_world *world) {
  msd_vec3 found;
  const msd_particle_set third = msd_particle_set_of_range((msd_range){3, 1});
  cr_expect_eq(msd_attribute_components(MSD_POSITION), 3);
  cr_expect_eq(msd_world_read(world, third, MSD_POSITION, (msd_memory_layout){0}, &found), MSD_OK);
  cr_expect(found.x == msd_view_at(msd_world_get_positions(world), 3).x &&
            found.z == msd_view_at(msd_world_get_positions(world), 3).z);
  const int32_t list[] = {3};
  cr_expect_eq(
      msd_world_write(world, msd_particle_set_of_list(list, 1), MSD_POSITION, (msd_memory_layout){0}, &found),
      MSD_OK);
}

static void check_skins(const msd_world *world) {
  const int32_t triangle[] = {0, 1, 2};
  const float texture[] = {0, 0, 1, 0, 0, 1};
  const msd_render_mesh skin = {.vertices = msd_particle_set_of_range((msd_range){14, 3}),
                                .triangles = triangle,
                                .triangle_count = 1,
                                .texture = texture};
  msd_real out[3][4];
  int32_t lines[2], count = 0;
  cr_expect_eq(msd_world_read_normals(world, &skin, (msd_memory_layout){0}, out), MSD_OK);
  cr_expect_eq(msd_world_read_tangents(world, &skin, (msd_memory_layout){0}, out), MSD_OK);
  cr_expect_eq(msd_world_get_lines(world, (msd_range){0, 1}, lines, 1), 1);
  const msd_cloth_def cloth = msd_default_cloth_def();
  const msd_block_def block = msd_default_block_def();
  const msd_mesh_def mesh = msd_default_mesh_def();
  const msd_tetmesh_def tetmesh = msd_default_tetmesh_def();
  cr_expect_eq(msd_cloth_get_triangles(&cloth, 0, NULL, 0, &count), MSD_OK);
  cr_expect_eq(count, 2);
  cr_expect_eq(msd_block_get_triangles(&block, 0, NULL, 0, &count), MSD_OK);
  cr_expect_eq(count, 12);
  cr_expect_eq(msd_mesh_get_triangles(&mesh, 0, NULL, 0, &count), MSD_BAD_VALUE);
  cr_expect_eq(msd_tetmesh_get_triangles(&tetmesh, 0, NULL, 0, &count), MSD_BAD_VALUE);
}

static void check_looking(msd_world *world) {
  check_bulk(world);
  check_skins(world);
  const msd_view x = msd_world_get_positions(world), v = msd_world_get_velocities(world);
  cr_expect(x.count == 19 && v.count == 19);
  for (int32_t i = 0; i < 19; i++) {
    const msd_vec3 position = msd_particle_get_position(world, i), x_i = msd_view_at(x, i);
    const msd_vec3 velocity = msd_particle_get_velocity(world, i), v_i = msd_view_at(v, i);
    cr_expect(x_i.x == position.x && x_i.y == position.y && x_i.z == position.z);
    cr_expect(v_i.x == velocity.x && v_i.y == velocity.y && v_i.z == velocity.z);
  }
  msd_components components;
  cr_expect_eq(msd_world_find_components(world, NULL, NULL, &components), MSD_OK);
  cr_expect(components.components == 6 && components.attached == 1);
  const int32_t triangle[] = {14, 15, 16};
  msd_intersection_def surface = msd_default_intersection_def();
  surface.triangles = triangle;
  surface.triangle_count = 1;
  int64_t found = -1;
  cr_expect_eq(msd_world_find_intersections(world, &surface, NULL, 0, &found), MSD_OK);
  cr_expect_eq(found, 0, "it is alone");
  const msd_ray ray = {{0, 0, 0}, {0, 1, 0}, 1};
  msd_hit hit;
  int overlaps = -1;
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, NULL, &hit), MSD_OK);
  cr_expect_eq(msd_world_find_nearest(world, &ray.origin, 1, 1, NULL, &hit), MSD_OK);
  cr_expect_eq(msd_world_find_overlaps(world, ray.origin, 1, NULL, &hit, 1, &overlaps), MSD_OK);
  msd_world *copy = NULL;
  cr_expect_eq(msd_copy_world(world, &copy), MSD_OK);
  cr_expect_eq(msd_world_hash(copy), msd_world_hash(world));
  msd_destroy_world(copy);
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect(stats.particles == 19 && stats.pinned == 1 && stats.springs == 21 && stats.broken == 1);
  cr_expect_eq(msd_world_get_counts(world).springs, stats.springs);
}

/* A triangle of its own, in a world that is as it was afterwards but for them. */
static void check_constraints(msd_world *world) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_AREA;
  for (int n = 0; n < 3; n++)
    def.particles[n] = 14 + n; /* of the mesh: 1/2 m^2 */
  int32_t first = -1;
  cr_expect_eq(msd_add_constraints(world, &def, 1, &first), MSD_OK);
  cr_expect(first == 0 && msd_world_get_constraint_count(world) == 1);
  def.stiffness = 8;
  cr_expect_eq(msd_constraint_set_law(world, 0, &def), MSD_OK);
  const double area = msd_constraint_get_value(world, 0);
  cr_expect_eq(msd_constraint_set_rest(world, 0, (msd_real)(area - 0.25)), MSD_OK);
  cr_expect(is_near((msd_real)msd_constraint_get_tension(world, 0), 2));
  cr_expect_eq(msd_constraint_get_stretch(world, 0), 0); /* no fiber */
  cr_expect_eq(msd_constraint_get_def(world, 0).stiffness, 8);
  msd_damage_def damage = msd_default_damage_def();
  damage.yield_strain = (msd_real)0.25;
  cr_expect_eq(msd_constraints_set_damage(world, (msd_range){0, 1}, &damage), MSD_OK);
  cr_expect_eq(msd_constraint_get_damage(world, 0).yield_strain, damage.yield_strain);
  cr_expect_eq(msd_constraint_get_plastic_strain(world, 0), 0);
  cr_expect_eq(msd_constraint_break(world, 0), MSD_OK);
  cr_expect(msd_constraint_is_broken(world, 0));
}

/* One that is moved and lets go, and one that holds nothing. */
static void check_soft_pins(msd_world *world) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  int32_t first = -1;
  cr_expect_eq(msd_add_soft_pins(world, &def, 1, &first), MSD_OK);
  cr_expect(first == 0 && msd_world_get_soft_pin_count(world) == 1);
  def.particle = 14;
  def.position = msd_particle_get_position(world, 14);
  cr_expect_eq(msd_soft_pin_set_def(world, 0, &def), MSD_OK);
  cr_expect_eq(msd_soft_pin_move_to(world, 0, (msd_vec3){1, 2, 3}), MSD_OK);
  cr_expect_eq(
      msd_soft_pin_move_along(world, 0, (msd_vec3){1, 2, 3}, (msd_turn){{0, 0, (msd_real)0.09}, {0, 0, 0}}),
      MSD_OK);
  cr_expect_eq(msd_soft_pin_get_def(world, 0).particle, 14);
  cr_expect_eq(msd_soft_pin_get_force(world, 0).x, 0);
  cr_expect_eq(msd_particle_get_soft_pin(world, 14), 0);
  cr_expect_eq(msd_soft_pin_is_exact(world, 0),
               msd_integrator_has_exact_soft_pins(msd_world_get_integrator(world)));
  def.particle = -1;
  cr_expect_eq(msd_soft_pin_set_def(world, 0, &def), MSD_OK);
}

/* A ball that comes from far away and takes a particle along. */
static void check_colliders(msd_world *world) {
  const msd_vec3 before = msd_particle_get_position(world, 18);
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.position.y = -100;
  int32_t first = -1;
  cr_expect_eq(msd_add_colliders(world, &def, 1, &first), MSD_OK);
  cr_expect(first == 0 && msd_world_get_collider_count(world) == 1);
  cr_expect_str_eq(msd_collider_kind_name(def.kind), "sphere");
  def.position = (msd_vec3){before.x, before.y - (msd_real)1.25, before.z};
  def.rotation = msd_quaternion_from_degrees((msd_vec3){0, 90, 0});
  cr_expect_eq(msd_collider_set_def(world, 0, &def), MSD_OK);
  cr_expect_eq(msd_collider_get_def(world, 0).rotation.y, def.rotation.y);
  msd_contact_settings contact = msd_default_contact_settings();
  contact.thickness = (msd_real)0.25;
  cr_expect_eq(msd_world_set_contact_settings(world, &contact), MSD_OK);
  cr_expect_eq(msd_world_get_contact_settings(world).thickness, (msd_real)0.25);
  def.position.y += 1;
  cr_expect_eq(
      msd_collider_move_along(world, 0, def.position, def.rotation, (msd_turn){{0, 0, 0}, {0, 0, 0}}),
      MSD_OK);
  cr_expect_eq(msd_collider_move_to(world, 0, def.position, def.rotation), MSD_OK);
  cr_expect_eq(msd_world_step(world, (msd_real)0.001, 1), MSD_OK);
  msd_collider_contact touched[64];
  const int32_t count = msd_world_get_collider_contacts(world, touched, 64);
  bool is_found = false;
  for (int32_t n = 0; n < count && n < 64; n++)
    is_found = is_found || (touched[n].particle == 18 && touched[n].collider == 0 && touched[n].force.y > 0);
  cr_expect(is_found);
  cr_expect_eq(msd_particle_set_position(world, 18, before), MSD_OK);
}

/* Of the mesh, and of a particle far away. */
static void check_surfaces(msd_world *world) {
  static const int32_t triangle[] = {14, 15, 16}, segment[] = {17, 18};
  msd_collision_mesh_def defs[] = {msd_default_collision_mesh_def(), msd_default_collision_mesh_def()};
  defs[0].triangles = triangle;
  defs[0].triangle_count = 1;
  defs[1].segments = segment;
  defs[1].segment_count = 1;
  int32_t first = -1;
  cr_expect_eq(msd_add_collision_meshes(world, defs, 2, &first), MSD_OK);
  cr_expect(first == 0 && msd_world_get_collision_mesh_count(world) == 2);
  cr_expect_eq(msd_collision_mesh_get_def(world, 1).segments[1], 18);
  bool cut = true;
  cr_expect_eq(msd_collision_mesh_find_cut(world, 0, &cut, NULL), MSD_OK);
  cr_expect_not(cut);
  cr_expect_eq(msd_collision_mesh_exclude(world, 0, 1), MSD_OK);
  cr_expect(msd_collision_mesh_excludes(world, 1, 0));
  msd_penetration penetration;
  cr_expect_eq(msd_world_get_penetrations(world, &penetration, 1), 0);
  cr_expect_eq(msd_world_get_mesh_contacts(world, NULL, 0), 0);
  cr_expect_not(msd_world_get_first_forced_intersection(world, &penetration));
}

static void check_rotors(msd_world *world) {
  msd_rotor_def rotors[2] = {msd_default_rotor_def(), msd_default_rotor_def()};
  rotors[0].angle = 1;
  int32_t first = -1;
  cr_expect_eq(msd_add_rotors(world, rotors, 2, &first), MSD_OK);
  cr_expect(first == 0 && msd_world_get_rotor_count(world) == 2);
  rotors[1].angular_velocity = 3;
  cr_expect_eq(msd_rotor_set_def(world, 1, &rotors[1]), MSD_OK);
  cr_expect_eq(msd_rotor_get_def(world, 1).angular_velocity, 3);
  cr_expect(msd_rotor_get_angle(world, 0) == 1 && msd_rotor_get_angular_velocity(world, 1) == 3);
  cr_expect_eq(msd_rotor_apply_torque(world, 0, 2), MSD_OK);
  msd_torsion_spring_def spring = msd_default_torsion_spring_def();
  spring.a = 0;
  spring.stiffness = 5;
  cr_expect_eq(msd_add_torsion_springs(world, &spring, 1, &first), MSD_OK);
  cr_expect(first == 0 && msd_world_get_torsion_spring_count(world) == 1);
  cr_expect_eq(msd_torsion_spring_set_rest_angle(world, 0, 3), MSD_OK);
  cr_expect_eq(msd_torsion_spring_get_torque(world, 0), -10);
  spring.stiffness = 7;
  cr_expect_eq(msd_torsion_spring_set_law(world, 0, &spring), MSD_OK);
  cr_expect_eq(msd_torsion_spring_get_def(world, 0).stiffness, 7);
  cr_expect_eq(msd_torsion_spring_break(world, 0), MSD_OK);
  cr_expect(msd_torsion_spring_is_broken(world, 0));
}

static void check_removal(msd_world *world) {
  const int32_t last = msd_world_get_spring_count(world) - 1;
  int32_t *to = malloc(((size_t)last + 1) * sizeof *to);
  cr_assert_not_null(to);
  cr_expect_str_eq(msd_object_name(MSD_OBJECT_TORSION_SPRING), "torsion spring");
  cr_expect_eq(msd_destroy_objects(world, MSD_OBJECT_SPRING, &last, 1), MSD_OK);
  cr_expect_eq(msd_destroy_range(world, MSD_OBJECT_COLLIDER, (msd_range){0, 1}), MSD_OK);
  cr_expect(msd_object_is_destroyed(world, MSD_OBJECT_SPRING, last));
  cr_expect_eq(msd_world_get_live_count(world, MSD_OBJECT_SPRING), last);
  cr_expect_eq(msd_world_compact(world, &(msd_index_moves){.to = {[MSD_OBJECT_SPRING] = to}}), MSD_OK);
  cr_expect(to[last] == -1 && to[0] == 0 && msd_world_get_spring_count(world) == last);
  free(to);
}

static void check_snapshot(msd_world *world) {
  const uint64_t hash = msd_world_hash(world);
  size_t size = 0;
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
  cr_assert_leq(size, msd_world_get_save_bound(world));
  void *bytes = malloc(size);
  cr_assert_eq(msd_world_save(world, bytes, size, &size), MSD_OK);
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 3), MSD_OK);
  cr_expect_neq(msd_world_hash(world), hash);
  cr_expect_eq(msd_world_restore(world, bytes, size), MSD_OK);
  cr_expect_eq(msd_world_hash(world), hash);
  free(bytes);
}

Test(coverage, a_world_lives_through_every_function) {
  check_library();
  int lines = 0;
  msd_world_def def = msd_default_world_def();
  def.log = count_line;
  def.log_context = &lines;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  check_settings(world);
  check_states(world);
  check_builders(world);
  check_materials();
  check_particles_and_springs(world);
  check_step(world);
  check_stretch(world);
  check_looking(world);
  check_constraints(world);
  check_tetmesh_and_tethers(world);
  check_soft_pins(world);
  check_colliders(world);
  check_surfaces(world);
  check_rotors(world);
  check_host(world);
  check_removal(world);
  check_snapshot(world);
  cr_expect_str_eq(msd_world_message(world), "");
  cr_expect_eq(msd_spring_break(world, 99), MSD_BAD_INDEX);
  cr_expect(strstr(msd_world_message(world), "99") != NULL);
  cr_expect_eq(lines, 1);
  msd_destroy_world(world);
}

/* How many a header declares. */
static int check_header(const char *header, const char *source) {
  const char *const own = "test_coverage.c";
  return declarations_expect_called(header, "\nMSD_API ", NULL, source, own) +
         declarations_expect_called(header, "\nstatic inline ", NULL, source, own);
}

Test(coverage, no_function_of_a_header_is_missing_here) {
  static const struct {
    const char *name;
    int least; /* fewer declarations: the header has another form */
  } headers[] = {{"base.h", 3},        {"world.h", 25},     {"particle.h", 15}, {"spring.h", 12},
                 {"constraint.h", 12}, {"soft_pin.h", 7},   {"rotor.h", 14},    {"builder.h", 12},
                 {"material.h", 3},    {"stability.h", 10}, {"collider.h", 8},  {"collision_mesh.h", 5},
                 {"wind.h", 4},        {"damage.h", 10},    {"tasks.h", 2},     {"callbacks.h", 2},
                 {"equilibrium.h", 2}, {"ranks.h", 2}};
  char *source = declarations_read(MSD_TEST_DATA "/../promises/test_coverage.c");
  for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
    const int functions = check_header(headers[h].name, source);
    cr_expect_geq(functions, headers[h].least, "only %d declarations were found in %s", functions,
                  headers[h].name);
  }
  free(source);
}

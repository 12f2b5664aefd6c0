/* Which way to take springs --solver auto chooses, and that the world takes it. */
#include "app/report/method.h"
#include "tests/support/command.h"

#include <math.h>

TestSuite(method, .init = command_setup, .fini = command_teardown);

static const msd_real FRAME = (msd_real)1 / 60;

/* A sheet of 1 m and 1 kg of physical springs, held at two corners; stiffness in N/m. */
static msd_world *new_sheet(int n, msd_real stiffness) {
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = n;
  cloth.mass = 1;
  msd_spring_def *const springs[] = {&cloth.stretch, &cloth.shear, &cloth.bend};
  for (int i = 0; i < 3; i++) {
    springs[i]->law = MSD_SPRING_STIFFNESS;
    springs[i]->stiffness = i < 2 ? stiffness : stiffness / 10;
    springs[i]->damping = springs[i]->stiffness / 10000;
  }
  msd_body body;
  cr_assert_eq(msd_add_cloth(world, &cloth, &body), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, body.particles.first), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, body.particles.first + n - 1), MSD_OK);
  return world;
}

static msd_world *new_sheet_with_ball(int n, msd_real stiffness) {
  msd_world *world = new_sheet(n, stiffness);
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = (msd_vec3){0, -3, 0};
  ball.radius = 1;
  cr_assert_eq(msd_add_colliders(world, &ball, 1, NULL), MSD_OK);
  return world;
}

/* Particles of 1 g hang from a pin with a ball of a million times their mass at the end. */
static msd_world *new_rope_with_ball(int particles) {
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_rope_def rope = msd_default_rope_def();
  rope.to = (msd_vec3){0, -100, 0};
  rope.particles = particles;
  rope.mass = (msd_real)particles / 1000;
  rope.stretch.law = MSD_SPRING_STIFFNESS;
  rope.stretch.stiffness = 1e9f;
  rope.stretch.damping = 1e4f;
  msd_body body;
  cr_assert_eq(msd_add_rope(world, &rope, &body), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_particle_set_mass(world, particles - 1, 1000), MSD_OK);
  return world;
}

static method_choice choose(const msd_world *world, double wanted, double budget) {
  method_choice choice;
  problem p;
  cr_assert(method_choose(world, FRAME, wanted, budget, &choice, &p), "%s", p.text);
  return choice;
}

/* What is chosen is stepped, as it was promised. */
static void expect_steps(msd_world *world, const method_choice *choice) {
  const method_prospect *chosen = &choice->of[choice->chosen];
  cr_assert_eq(method_apply(world, choice->chosen), MSD_OK);
  cr_expect_eq(msd_world_step(world, FRAME, chosen->substeps), MSD_OK, "%s: %s", method_name(choice->chosen),
               msd_world_message(world));
}

static const method_prospect *taken(const method_choice *choice) {
  return &choice->of[choice->chosen];
}

Test(method, a_soft_sheet_takes_forces) {
  msd_world *world = new_sheet(10, 500);
  const method_choice choice = choose(world, 0.5, 0);
  cr_expect_eq(choice.chosen, METHOD_FORCES);
  cr_expect(taken(&choice)->reached);
  expect_steps(world, &choice);
  msd_destroy_world(world);
}

/* One spring in 50 is a million times as stiff as the others. */
Test(method, a_sheet_of_which_a_few_springs_are_far_stiffer_takes_scaled_masses) {
  msd_world *world = new_sheet(40, 1000);
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e += 50) {
    msd_spring_def def = msd_spring_get_def(world, e);
    def.stiffness *= 1e6f;
    def.damping *= 1e3f;
    cr_assert_eq(msd_spring_set_law(world, e, &def), MSD_OK);
  }
  const method_choice choice = choose(world, 0.02, 0);
  cr_expect_eq(choice.chosen, METHOD_MASS_SCALING);
  cr_expect_lt(10 * choice.of[METHOD_MASS_SCALING].substeps, choice.of[METHOD_FORCES].substeps);
  expect_steps(world, &choice);
  msd_destroy_world(world);
}

Test(method, what_the_others_refuse_leaves_forces_alone_and_says_so) {
  msd_world *world = new_sheet(20, 1e6f);
  const int32_t triangle[] = {0, 1, 20};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangle;
  surface.triangle_count = 1;
  cr_assert_eq(msd_add_collision_meshes(world, &surface, 1, NULL), MSD_OK);
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 30;
  cr_assert_eq(msd_add_soft_pins(world, &soft_pin, 1, NULL), MSD_OK);
  const method_choice choice = choose(world, 0.02, 0);
  cr_expect_eq(choice.chosen, METHOD_FORCES);
  for (int kind = METHOD_MASS_SCALING; kind < METHOD_COUNT; kind++) {
    const char *why = kind == METHOD_MASS_SCALING ? "self-collision" : "soft pins";
    cr_expect_not_null(strstr(choice.of[kind].refusal, why), "%s", choice.of[kind].refusal);
    cr_expect_eq(choice.of[kind].substeps, 0);
  }
  char text[METHOD_TEXT_MAX];
  method_describe(&choice, text, sizeof text);
  cr_expect_eq(strncmp(text, "explicit: ", 10), 0, "%s", text);
  cr_expect_not_null(strstr(text, "; Gauss-Seidel: not available"), "%s", text);
  expect_steps(world, &choice);
  msd_destroy_world(world);
}

/* Each of the four turns is a cycle more, and asks the colliders. */
Test(method, a_collider_makes_scaled_masses_dearer_and_nothing_else) {
  msd_world *with = new_sheet_with_ball(20, 1e6f), *without = new_sheet(20, 1e6f);
  const method_choice touching = choose(with, 0.02, 0), alone = choose(without, 0.02, 0);
  const double more =
      touching.of[METHOD_MASS_SCALING].substep_cost - alone.of[METHOD_MASS_SCALING].substep_cost;
  cr_expect_float_eq(more, 70e-9 * msd_world_get_particle_count(with), 1e-12, "%g", more);
  cr_expect_eq(touching.of[METHOD_FORCES].substep_cost, alone.of[METHOD_FORCES].substep_cost);
  cr_expect_eq(touching.of[METHOD_GAUSS_SEIDEL].substep_cost, alone.of[METHOD_GAUSS_SEIDEL].substep_cost);
  msd_destroy_world(with);
  msd_destroy_world(without);
}

Test(method, hinges_cost_the_same_with_every_solver) {
  msd_world *without = new_sheet(20, 1e4f), *with = new_sheet(20, 1e4f);
  for (int32_t row = 0; row + 1 < 20; row++) {
    msd_constraint_def def = msd_default_constraint_def();
    def.kind = MSD_CONSTRAINT_DIHEDRAL;
    const int32_t corners[] = {20 * row + 1, 20 * row + 21, 20 * row, 20 * row + 2};
    memcpy(def.particles, corners, sizeof corners);
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = 1e-6f;
    cr_assert_eq(msd_add_constraints(with, &def, 1, NULL), MSD_OK);
  }
  cr_assert_eq(msd_world_get_constraint_count(with), 19);
  for (int kind = 0; kind < METHOD_COUNT; kind++)
    cr_expect_float_eq(method_substep_cost(with, (method_kind)kind) -
                           method_substep_cost(without, (method_kind)kind),
                       19 * 12e-9, 1e-12, "%s", method_name((method_kind)kind));
  msd_constraint_break(with, 0);
  cr_expect_float_eq(method_substep_cost(with, METHOD_FORCES) - method_substep_cost(without, METHOD_FORCES),
                     18 * 12e-9, 1e-12, "a broken one costs nothing");
  msd_destroy_world(with);
  msd_destroy_world(without);
}

Test(method, contact_takes_its_part_of_the_budget) {
  msd_world *world = new_sheet(20, 1e4f);
  const method_choice alone = choose(world, 0.02, 0);
  const int32_t triangle[] = {0, 1, 20};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangle;
  surface.triangle_count = 1;
  cr_assert_eq(msd_add_collision_meshes(world, &surface, 1, NULL), MSD_OK);
  const method_choice touching = choose(world, 0.02, 0);
  const method_prospect *with = &touching.of[METHOD_FORCES], *without = &alone.of[METHOD_FORCES];
  cr_expect_eq(without->frame_cost, 0);
  cr_expect_gt(with->frame_cost, 0);
  cr_expect_gt(with->substep_cost, without->substep_cost);
  cr_expect_float_eq(with->cost, with->frame_cost + with->substeps * with->substep_cost, 1e-12);
  method_choice choice;
  problem p;
  cr_expect_not(method_choose(world, FRAME, 0.02, with->frame_cost, &choice, &p),
                "nothing is left for substeps");
  msd_destroy_world(world);
}

Test(method, a_guarded_world_has_forces_alone) {
  msd_world *world = new_sheet(10, 1e6f);
  cr_assert_eq(msd_world_set_energy_mode(world, MSD_ENERGY_BOUNDED), MSD_OK);
  const method_choice choice = choose(world, 0.02, 0);
  cr_expect_eq(choice.chosen, METHOD_FORCES);
  cr_expect_not_null(strstr(choice.of[METHOD_GAUSS_SEIDEL].refusal, "bounded"));
  expect_steps(world, &choice);
  msd_destroy_world(world);
}

Test(method, a_rope_of_ten_thousand_with_a_heavy_ball_has_a_way) {
  msd_world *world = new_rope_with_ball(10000);
  const method_choice choice = choose(world, 0.05, 0);
  cr_expect(taken(&choice)->reached);
  for (int kind = 0; kind < METHOD_COUNT; kind++)
    cr_expect_str_empty(choice.of[kind].refusal);
  /* Each substep of it is that long: a frame of as few substeps as there are in a whole one tells as much. */
  cr_assert_eq(method_apply(world, choice.chosen), MSD_OK);
  cr_expect_eq(msd_world_step(world, FRAME / (msd_real)taken(&choice)->substeps * 4, 4), MSD_OK);
  const msd_vec3 ball = msd_particle_get_position(world, 9999);
  cr_expect(isfinite((double)ball.y));
  msd_destroy_world(world);
}

Test(method, every_way_that_is_not_refused_steps) {
  for (int kind = 0; kind < METHOD_COUNT; kind++) {
    msd_world *world = new_rope_with_ball(200);
    const method_choice choice = choose(world, 0.05, 0);
    cr_assert_str_empty(choice.of[kind].refusal);
    cr_assert_eq(method_apply(world, (method_kind)kind), MSD_OK);
    cr_expect_eq(msd_world_step(world, FRAME / 100, choice.of[kind].substeps / 100 + 1), MSD_OK);
    cr_expect_lt(msd_world_get_stats(world).max_stretch, 0.05, "%s", method_name((method_kind)kind));
    msd_destroy_world(world);
  }
}

Test(method, less_stretch_is_never_cheaper) {
  msd_world *world = new_sheet(16, 1e5f);
  double cost = 0, stretch = INFINITY;
  for (double wanted = 0.64; wanted > 0.0001; wanted /= 2) {
    const method_choice choice = choose(world, wanted, 0);
    if (!taken(&choice)->reached)
      break;
    cr_expect_leq(taken(&choice)->stretch, wanted);
    cr_expect_geq(taken(&choice)->cost, cost, "%g", wanted);
    cost = taken(&choice)->cost;
    stretch = taken(&choice)->stretch;
  }
  cr_expect_lt(stretch, 0.64);
  msd_destroy_world(world);
}

Test(method, a_larger_budget_never_stretches_more_and_is_kept) {
  msd_world *world = new_sheet(16, 1e5f);
  bool had_way = false, reached = false;
  for (double budget = 1e-6; budget < 1; budget *= 2) {
    method_choice choice;
    problem p;
    if (!method_choose(world, FRAME, 0.002, budget, &choice, &p)) {
      cr_expect(!had_way, "%g s", budget);
      cr_expect_not_null(strstr(p.text, "over the budget"), "%s", p.text);
      continue;
    }
    cr_expect_leq(taken(&choice)->cost, budget);
    cr_expect(!reached || taken(&choice)->reached);
    had_way = true;
    reached = taken(&choice)->reached;
  }
  cr_expect(had_way);
  msd_destroy_world(world);
}

Test(method, threads_do_not_change_the_choice) {
  char first[METHOD_TEXT_MAX] = "";
  for (int threads = 1; threads <= 4; threads++) {
    msd_world *world = new_sheet(20, 1e5f);
    cr_assert_eq(msd_world_set_thread_count(world, threads), MSD_OK);
    const method_choice choice = choose(world, 0.02, 0);
    char text[METHOD_TEXT_MAX];
    method_describe(&choice, text, sizeof text);
    if (threads == 1)
      strcpy(first, text);
    cr_expect_str_eq(text, first);
    msd_destroy_world(world);
  }
}

Test(method, a_choice_leaves_the_world_as_it_was) {
  msd_world *world = new_sheet(10, 1e6f);
  choose(world, 0.02, 0);
  cr_expect_eq(msd_world_get_steps(world), 0);
  cr_expect_eq(msd_world_get_solver(world), MSD_SOLVER_EXPLICIT);
  cr_expect_eq(msd_world_get_mass_scaling(world), MSD_MASS_SCALING_NONE);
  msd_destroy_world(world);
}

/* A chain that is left to come to rest is the oracle: it stretches less than was said, and no less than a
   third. */
Test(method, what_gauss_seidel_is_expected_to_stretch_is_what_it_stretches) {
  static const char rope[] =
      "{\"msd\": 1, \"linear_damping\": 3, \"duration\": 4, \"solver\": \"gauss_seidel\", "
      "\"bodies\": [{\"type\": \"rope\", \"particles\": 61, \"to\": [0, -1, 0], "
      "\"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 1e9}}]}";
  write_file("rope.json", rope, strlen(rope));
  msd_world_def def = msd_default_world_def();
  def.linear_damping = 3;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_rope_def chain = msd_default_rope_def();
  chain.particles = 61;
  chain.to = (msd_vec3){0, -1, 0};
  chain.stretch.law = MSD_SPRING_STIFFNESS;
  chain.stretch.stiffness = 1e9f;
  cr_assert_eq(msd_add_rope(world, &chain, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  for (double wanted = 0.03; wanted > 0.005; wanted /= 2) {
    const method_choice choice = choose(world, wanted, 0);
    const method_prospect *sweeps = &choice.of[METHOD_GAUSS_SEIDEL];
    cr_expect(sweeps->reached);
    json_t *summary = parse_json(msd("run rope.json --json --substeps %d", (int)sweeps->substeps).out);
    cr_expect_leq(number_of(summary, "max_stretch"), 1.02 * sweeps->stretch);
    cr_expect_geq(number_of(summary, "max_stretch"), sweeps->stretch / 3);
  }
  msd_destroy_world(world);
}

static method_choice choice_for(const msd_world *world) {
  method_choice choice;
  problem p = {.text = ""};
  cr_assert(method_choose(world, (double)FRAME, METHOD_STRETCH, 0, &choice, &p));
  return choice;
}

Test(method, gauss_seidel_is_not_chosen_for_what_is_stretched) {
  msd_world *world = new_sheet(20, 1e6f);
  const int32_t corner = 20 * 20 - 1;
  cr_expect_str_empty(choice_for(world).of[METHOD_GAUSS_SEIDEL].refusal);
  for (int32_t i = 0; i < 20 * 20; i++) {
    msd_vec3 x = msd_particle_get_position(world, i);
    x.x *= (msd_real)1.01;
    cr_assert_eq(msd_particle_set_position(world, i, x), MSD_OK);
  }
  cr_assert_eq(msd_particle_pin(world, corner), MSD_OK);
  const method_choice choice = choice_for(world);
  cr_expect_neq(choice.chosen, METHOD_GAUSS_SEIDEL);
  cr_expect_not_null(strstr(choice.of[METHOD_GAUSS_SEIDEL].refusal, "lose the tension"));
  msd_destroy_world(world);
}

Test(method, gauss_seidel_is_not_chosen_for_what_can_turn_freely) {
  msd_world *world = new_sheet(20, 1e6f);
  msd_particle_def free_one = msd_default_particle_def();
  cr_assert_eq(msd_add_particles(world, &free_one, 1, NULL), MSD_OK);
  const method_choice choice = choice_for(world);
  cr_expect_neq(choice.chosen, METHOD_GAUSS_SEIDEL);
  cr_expect_not_null(strstr(choice.of[METHOD_GAUSS_SEIDEL].refusal, "rotation"));
  msd_destroy_world(world);
}

static const char STIFF[] =
    "{\"msd\": 1, \"duration\": 0.1, \"bodies\": [{\"type\": \"rope\", \"particles\": "
    "40, \"pinned\": [\"first\"], \"stretch\": {\"stiffness\": 1e7}}]}";

Test(method, a_run_says_in_one_line_what_it_chose_and_why_not_the_others) {
  write_file("stiff.json", STIFF, strlen(STIFF));
  command_result result = msd("run stiff.json --solver auto --stretch-target 2%%");
  cr_expect_eq(result.status, 0, "%s", result.err);
  cr_expect_str_empty(result.err);
  cr_expect_not_null(strstr(result.out, ", chosen by --solver auto\n"), "%s", result.out);
  const char *line =
      strstr(msd("run stiff.json --solver auto --stretch-target 2%% --details").out, "  solver auto ");
  cr_assert_not_null(line);
  for (int kind = 0; kind < METHOD_COUNT; kind++) {
    const char *name = strstr(line, method_name((method_kind)kind));
    cr_expect(name && name < strchr(line, '\n'), "%s", line);
  }
  json_t *summary = parse_json(msd("run stiff.json --solver auto --stretch-target 2%% --json").out);
  cr_expect(json_is_true(json_object_get(summary, "stretch_target_reached")));
  cr_expect_leq(number_of(summary, "stretch_expected"), 0.02);
  cr_expect_not_null(strstr(msd("info stiff.json --details").out, "  solver auto "));
}

Test(method, a_target_that_the_springs_themselves_miss_is_warned_of) {
  write_file("soft.json", STIFF, strlen(STIFF));
  command_result result = msd("run soft.json --solver auto --stretch-target 1e-9");
  cr_expect_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(result.err, "takes stiffer springs"), "%s", result.err);
}

Test(method, options_that_do_not_fit_auto_are_refused) {
  write_file("stiff.json", STIFF, strlen(STIFF));
  const char *const bad[] = {"--substeps 4", "--mass-scaling none", "--frame-budget 1e-12"};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    command_result result = msd("run stiff.json --solver auto %s", bad[n]);
    cr_expect_eq(result.status, 2, "%s: %d", bad[n], result.status);
    cr_expect_eq(count_lines(result.err), 1, "%s: %s", bad[n], result.err);
  }
}

/* Springs that tear and split particles: what becomes of all that is at one, and why a step stays certified. */
#include "tests/support/eigenvalue.h"
#include "tests/support/share.h"
#include "tests/support/torn_sheets.h"

/* ---------------------------------------------------------------------------------------------- the split */

enum { SIDE = 5, MIDDLE = 12, ABOVE = 7, BELOW = 17, LEFT = 11, RIGHT = 13 };

Test(split, what_is_towards_the_spring_gets_a_particle_of_its_own) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_BEND, (making){.laws = LAWS_PHYSICAL, .seed = 0});
  const int32_t triangles = msd_collision_mesh_get_def(world, 0).triangle_count;
  split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
  const int32_t part = SIDE * SIDE;
  cr_assert_eq(stats_of(world).particles, part + 1);
  cr_expect_eq(stats_of(world).split, 1);
  cr_expect_eq(msd_particle_get_origin(world, part), MIDDLE);
  cr_expect_eq(msd_particle_get_origin(world, MIDDLE), MIDDLE);
  cr_expect_eq(msd_particle_get_origin(world, part + 1), -1);
  cr_expect_eq(msd_collision_mesh_get_def(world, 0).triangle_count, triangles);
  int with[2] = {0, 0};
  for (int32_t t = 0; t < triangles; t++)
    for (int c = 0; c < 3; c++) {
      const int32_t *corner = triangle_of(world, t);
      const bool is_part = corner[c] == part;
      if (!is_part && corner[c] != MIDDLE)
        continue;
      with[is_part]++;
      for (int k = 0; k < 3; k++)
        cr_expect(k == c || (is_part ? corner[k] < 15 : corner[k] >= 10), "%d of %d", corner[k], t);
    }
  cr_expect(with[0] == 3 && with[1] == 3, "%d and %d", with[0], with[1]);
  cr_expect_geq(spring_between(world, part, ABOVE), 0);
  cr_expect_geq(spring_between(world, MIDDLE, BELOW), 0);
  cr_expect_eq(spring_between(world, MIDDLE, ABOVE), -1);
  cr_expect_geq(spring_between(world, part, 2), 0, "a bend spring goes with its other end");
  cr_expect_geq(spring_between(world, MIDDLE, 22), 0);
  msd_destroy_world(world);
}

/* Edges on both sides become two of half the stiffness. */
Test(split, edges_along_the_tear_become_two_halves) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_STRETCH, (making){.laws = LAWS_PHYSICAL});
  const int32_t ends[] = {MIDDLE, SIDE * SIDE}, sides[] = {LEFT, RIGHT};
  const msd_spring_def before[] = {msd_spring_get_def(world, spring_between(world, MIDDLE, LEFT)),
                                   msd_spring_get_def(world, spring_between(world, MIDDLE, RIGHT))};
  split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
  for (int end = 0; end < 2; end++)
    for (int side = 0; side < 2; side++) {
      const int32_t half = spring_between(world, ends[end], sides[side]);
      cr_assert_geq(half, 0);
      const msd_spring_def def = msd_spring_get_def(world, half);
      cr_expect_eq(def.stiffness, before[side].stiffness / 2);
      cr_expect_eq(def.damping, before[side].damping / 2);
      cr_expect_eq(def.rest_length, before[side].rest_length);
      cr_expect(msd_spring_get_damage(world, half).split, "and tear in their turn");
    }
  cr_expect_eq(stats_of(world).broken, 0);
  msd_destroy_world(world);
}

/* Springs that are no edges and lead from one side to the other would hold the tear together. */
Test(split, what_leads_across_the_tear_breaks) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_BEND, (making){.laws = LAWS_PHYSICAL});
  const int32_t across = spring_between(world, ABOVE, BELOW);
  cr_assert_geq(across, 0);
  split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
  cr_expect(msd_spring_is_torn(world, across));
  cr_expect_geq(spring_between(world, LEFT, RIGHT), 0, "along the tear");
  msd_destroy_world(world);
}

Test(split, keeps_mass_momentum_and_kinetic_energy) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    msd_world *world = sheet_of(SIDE, SIDE, CLOTH_BEND, (making){.laws = LAWS_MIXED, .seed = seed});
    const msd_stats before = stats_of(world);
    const double mass = total_mass(world), whole = (double)msd_particle_get_mass(world, MIDDLE);
    const msd_vec3 at = msd_particle_get_position(world, MIDDLE),
                   v = msd_particle_get_velocity(world, MIDDLE);
    split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
    const int32_t part = SIDE * SIDE;
    if (stats_of(world).particles == part) { /* would intersect, in a sheet that lies in itself */
      msd_destroy_world(world);
      continue;
    }
    const msd_stats after = stats_of(world);
    const double m = (double)msd_particle_get_mass(world, MIDDLE),
                 n = (double)msd_particle_get_mass(world, part);
    const msd_vec3 a = msd_particle_get_position(world, MIDDLE), b = msd_particle_get_position(world, part);
    cr_expect_float_eq(total_mass(world), mass, 4 * EPSILON * mass);
    cr_expect_float_eq(m + n, whole, 2 * EPSILON * whole);
    cr_expect_float_eq((m * (double)a.y + n * (double)b.y) / (m + n), (double)at.y, 8 * EPSILON);
    cr_expect_float_eq((double)a.y, (double)b.y, 1e-3);
    const msd_vec3 va = msd_particle_get_velocity(world, MIDDLE), vb = msd_particle_get_velocity(world, part);
    cr_expect(va.x == v.x && va.y == v.y && va.z == v.z && vb.x == v.x && vb.y == v.y && vb.z == v.z);
    cr_expect_float_eq(after.kinetic_energy, before.kinetic_energy, 16 * EPSILON * before.kinetic_energy);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------- what cannot be split, and tears */

Test(split, pins_and_what_soft_pins_hold_stay_whole) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_STRETCH, (making){.laws = LAWS_PHYSICAL});
  ok(world, msd_particle_pin(world, MIDDLE));
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = ABOVE;
  soft_pin.law = MSD_SPRING_STIFFNESS;
  soft_pin.stiffness = 1;
  ok(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  const int32_t spring = spring_between(world, MIDDLE, ABOVE);
  split_at(world, spring, MIDDLE);
  cr_expect_eq(stats_of(world).particles, SIDE * SIDE);
  cr_expect(msd_spring_is_torn(world, spring));
  msd_destroy_world(world);
}

Test(split, a_spring_without_a_surface_tears) {
  graph g = graph_cloth(SIDE, SIDE, CLOTH_STRETCH);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  graph_free(&g);
  let_split(world, 0.25);
  const int32_t spring = spring_between(world, MIDDLE, ABOVE);
  split_at(world, spring, MIDDLE);
  cr_expect(stats_of(world).particles == SIDE * SIDE && msd_spring_is_torn(world, spring));
  msd_destroy_world(world);
}

/* All of the surface at a corner is on one side: the other end splits, or none. */
Test(split, a_corner_leaves_it_to_the_other_end) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_STRETCH, (making){.laws = LAWS_PHYSICAL});
  split_at(world, spring_between(world, 0, 1), 0);
  cr_assert_eq(stats_of(world).particles, SIDE * SIDE + 1);
  cr_expect_eq(msd_particle_get_origin(world, SIDE * SIDE), 1);
  msd_destroy_world(world);
  world = sheet_of(2, 2, CLOTH_STRETCH, (making){.laws = LAWS_PHYSICAL});
  const int32_t spring = spring_between(world, 0, 1);
  split_at(world, spring, 0);
  cr_expect(stats_of(world).particles == 5 || msd_spring_is_torn(world, spring));
  msd_destroy_world(world);
}

/* A balloon's skin is the surface of a volume, which has none when it is open. */
Test(split, the_skin_of_a_volume_stays_closed) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  static const int32_t corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  for (int i = 0; i < 4; i++)
    add_particle(world, 1, i == 1, i == 2, i == 3);
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < a; b++)
      add_spring(world, physical(100, 0), a, b, -1);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = corners;
  surface.triangle_count = 4;
  ok(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  msd_constraint_def volume = msd_default_constraint_def();
  volume.kind = MSD_CONSTRAINT_MESH_VOLUME;
  volume.triangles = corners;
  volume.triangle_count = 4;
  volume.stiffness = 1;
  ok(world, msd_add_constraints(world, &volume, 1, NULL));
  let_split(world, 0.25);
  split_at(world, 0, 0);
  cr_expect(stats_of(world).particles == 4 && msd_spring_is_torn(world, 0));
  msd_destroy_world(world);
}

Test(split, a_rope_comes_apart_between_two_segments) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  static const int32_t segments[] = {0, 1, 1, 2, 2, 3};
  for (int i = 0; i < 4; i++)
    add_particle(world, 1, i, 0, 0);
  for (int i = 0; i < 3; i++)
    add_spring(world, physical(100, 0), i, i + 1, 1);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.segments = segments;
  surface.segment_count = 3;
  ok(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  let_split(world, 0.25);
  split_at(world, 1, 1);
  cr_assert_eq(stats_of(world).particles, 5);
  cr_expect(spring_between(world, 4, 2) == 1 && spring_between(world, 0, 1) == 0);
  cr_expect_eq(stats_of(world).broken, 0);
  const int32_t *now = msd_collision_mesh_get_def(world, 0).segments;
  cr_expect(now[0] == 0 && now[1] == 1 && now[2] == 4 && now[3] == 2);
  cr_expect_eq((double)msd_particle_get_mass(world, 1), 0.5);
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------- folds and fibers */

static int32_t add_fold(msd_world *world, int32_t a, int32_t b, int32_t c, int32_t d) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_DIHEDRAL;
  const int32_t corners[] = {a, b, c, d};
  memcpy(def.particles, corners, sizeof corners);
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = (msd_real)1e-6;
  int32_t index;
  ok(world, msd_add_constraints(world, &def, 1, &index));
  return index;
}

Test(split, folds_go_with_their_triangles_and_break_across_the_tear) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_SHEAR, (making){.laws = LAWS_PHYSICAL});
  /* Cells have their diagonal from the lower left to the upper right. */
  const int32_t across = add_fold(world, MIDDLE, RIGHT, 8, BELOW),
                above = add_fold(world, MIDDLE, 8, RIGHT, ABOVE),
                below = add_fold(world, MIDDLE, BELOW, RIGHT, 16);
  split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
  cr_expect(msd_constraint_is_broken(world, across));
  cr_expect_not(msd_constraint_is_broken(world, above));
  cr_expect_not(msd_constraint_is_broken(world, below));
  cr_expect_eq(msd_constraint_get_def(world, above).particles[0], SIDE * SIDE);
  cr_expect_eq(msd_constraint_get_def(world, below).particles[0], MIDDLE);
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------- the certificate */

/* max over particles of w_i sum kappa (1 + x_j): what x = 1 certifies, found spring by spring. */
static double row_of(const msd_world *world, int32_t particle) {
  const world_model *model = &world->model;
  double sum = 0;
  for (int32_t e = 0; e < model->springs.count; e++) {
    const int32_t a = model->springs.a[e], b = model->springs.b[e];
    const law_terms t = spring_effective_mass(&model->springs, &model->particles, e);
    if (a == particle || b == particle)
      sum += (DT * DT * t.stiffness + 2 * DT * t.damping + t.mass_ck + 2 * t.mass_cd) *
             (1 + (model->particles.inverse_mass[a == particle ? b : a] > 0));
  }
  return sum * (double)model->particles.inverse_mass[particle];
}

Test(split, leaves_the_rows_of_both_parts_as_that_of_the_particle_was) {
  int found = 0;
  for (int kind = 0; kind < LAWS_COUNT; kind++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      msd_world *world =
          sheet_of(SIDE, SIDE, CLOTH_BEND, (making){.laws = (laws)kind, .seed = seed, .pins = true});
      const double before = row_of(world, MIDDLE);
      double rows[SIDE * SIDE];
      for (int32_t i = 0; i < SIDE * SIDE; i++)
        rows[i] = row_of(world, i);
      split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
      for (int32_t i = 0; i < SIDE * SIDE; i++)
        cr_expect_leq(row_of(world, i), rows[i] * (1 + 8 * EPSILON), "%d", i);
      if (stats_of(world).particles > SIDE * SIDE) {
        found++;
        cr_expect_leq(row_of(world, SIDE * SIDE), before * (1 + 8 * EPSILON));
        if (kind == LAWS_PHYSICAL && stats_of(world).broken == 0) {
          cr_expect_float_eq(row_of(world, SIDE * SIDE), before, 8 * EPSILON * before);
          cr_expect_float_eq(row_of(world, MIDDLE), before, 8 * EPSILON * before);
        }
      }
      msd_destroy_world(world);
    }
  cr_expect_gt(found, 20, "%d", found);
}

static double stable_step(const msd_world *world) {
  msd_stability s;
  ok(world, msd_world_analyze_stability(world, 1, &s));
  return s.stable_substep;
}

enum { DENSE_MAX = 120 };

/* The radius of the operator at dt, as a dense symmetric matrix. */
static double radius_at_step(const msd_world *world, double dt) {
  static double m[DENSE_MAX * DENSE_MAX];
  const world_model *model = &world->model;
  const int32_t n = model->particles.count;
  cr_assert_leq(n, DENSE_MAX);
  memset(m, 0, sizeof m);
  for (int32_t e = 0; e < model->springs.count; e++) {
    const int32_t a = model->springs.a[e], b = model->springs.b[e];
    const double wa = (double)model->particles.inverse_mass[a], wb = (double)model->particles.inverse_mass[b];
    const law_terms t = spring_effective_mass(&model->springs, &model->particles, e);
    const double kappa = dt * dt * t.stiffness + 2 * dt * t.damping + t.mass_ck + 2 * t.mass_cd;
    m[a * n + a] += wa * kappa;
    m[b * n + b] += wb * kappa;
    m[a * n + b] += sqrt(wa * wb) * kappa;
    m[b * n + a] += sqrt(wa * wb) * kappa;
  }
  return largest_eigenvalue(m, n, n);
}

/* Springs tear at random, one after the other. */
Test(split, keeps_the_radius_below_the_limit_of_the_beginning) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    msd_world *world = sheet_of(7, 7, CLOTH_BEND, (making){.laws = LAWS_PHYSICAL, .seed = 0, .pins = true});
    generator random = {.state = seed};
    for (int32_t i = 0; i < 49; i++)
      ok(world, msd_particle_set_mass(world, i, (msd_real)(1 + random_below(&random, 8)) / 4));
    const double limit = stable_step(world);
    world->model.tuned_step = limit;
    for (int n = 0; n < 40; n++) {
      const int32_t spring = random_below(&random, msd_world_get_spring_count(world));
      if (msd_spring_is_broken(world, spring))
        continue;
      splits due;
      ok(world, splits_open(&due, &world->stepper, 1, limit));
      splits_add(&due, spring, 1 + (double)random_below(&random, 100));
      ok(world, splits_reserve(&due));
      splits_apply(&due);
      splits_close(&due);
    }
    cr_expect_gt(stats_of(world).split, 10, "%d", stats_of(world).split);
    cr_expect_lt(radius_at_step(world, limit), 4, "seed %d: %.9g", (int)seed, radius_at_step(world, limit));
    cr_expect_geq(stable_step(world), limit * (1 - 1e-6), "%.9g s, not %.9g s", stable_step(world), limit);
    msd_destroy_world(world);
  }
}

/* The stiffest are certified by their shares, whatever else is there; those of the parts are no stiffer. */
Test(split, no_spring_that_follows_the_masses_becomes_stiffer) {
  msd_world *world = sheet_of(SIDE, SIDE, CLOTH_BEND, (making){.laws = LAWS_PHYSICAL});
  const msd_spring_def max_stable = coefficient(-1, -1);
  ok(world, msd_springs_set_law(world, (msd_range){0, msd_world_get_spring_count(world)}, &max_stable));
  step(world, DT, 1);
  double before[400];
  const int32_t springs = msd_world_get_spring_count(world);
  for (int32_t e = 0; e < springs; e++)
    before[e] = (double)msd_spring_get_stiffness(world, e);
  split_at(world, spring_between(world, MIDDLE, ABOVE), MIDDLE);
  const int32_t left = spring_between(world, SIDE * SIDE, LEFT), half = spring_between(world, MIDDLE, LEFT);
  step(world, DT, 1);
  for (int32_t e = 0; e < springs; e++)
    cr_expect_leq((double)msd_spring_get_stiffness(world, e), before[e] * (1 + 4 * EPSILON), "%d", e);
  cr_expect_leq((double)msd_spring_get_stiffness(world, left) + (double)msd_spring_get_stiffness(world, half),
                before[half] * (1 + 4 * EPSILON));
  cr_expect(isfinite(stable_step(world)) || stable_step(world) > 1);
  msd_destroy_world(world);
}

static double energy_of(const msd_world *world) {
  const msd_stats s = stats_of(world);
  return s.kinetic_energy + s.elastic_energy;
}

/* A sheet whose rows move so differently that it tears apart. */
static msd_world *torn_sheet(int seed, bool undamped) {
  graph g = graph_cloth(6, 6, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .undamped = undamped});
  graph_free(&g);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  ok(world, msd_world_set_thread_count(world, 1));
  add_surface(world, 6, 6, 0.0078125);
  generator random = {.state = (uint64_t)seed};
  for (int32_t i = 0; i < 36; i++) {
    ok(world, msd_particle_set_mass(world, i, (msd_real)(1 + random_below(&random, 8)) / 4));
    const msd_vec3 at = msd_particle_get_position(world, i);
    set_velocity(world, i, 0, (double)at.y * 40 + (double)random_real(&random), (double)random_real(&random));
  }
  let_split(world, 0.25);
  return world;
}

/* Sheets that are torn apart, in steps of 0.98 of what was certified at the beginning. */
Test(split, no_sheet_explodes_at_the_limit_of_the_beginning) {
  double worst = 0;
  int32_t parts = 0;
  for (int seed = 1; seed <= share_of(60); seed++) {
    msd_world *world = torn_sheet(seed, seed % 2 == 0);
    const msd_real dt = (msd_real)(0.98 * stable_step(world));
    const double begin = energy_of(world);
    for (int n = 0; n < 50; n++) {
      ok(world, msd_world_step(world, 8 * dt, 8));
      worst = largest(worst, energy_of(world) / begin);
    }
    parts += stats_of(world).split;
    msd_destroy_world(world);
  }
  cr_expect_gt(parts, 60, "%d", parts);
  cr_expect_lt(worst, 4, "%g", worst);
}

/* Under scaled masses in 30 times that, well damped. Thrown apart they have several times the kinetic energy in
   that of scaled masses, which tears set free; a mode that grows would make 10^30 of it. */
Test(split, no_sheet_of_scaled_masses_explodes_at_any_step) {
  double worst = 0;
  int64_t parts = 0;
  for (int seed = 1; seed <= share_of(60); seed++) {
    msd_world *world = torn_sheet(seed, false);
    ok(world, msd_collision_mesh_exclude(world, 0, 0));
    ok(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
    const msd_real dt = (msd_real)(30 * stable_step(world));
    for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
      msd_spring_def def = msd_spring_get_def(world, e);
      def.damping = 4 * dt * def.stiffness;
      ok(world, msd_spring_set_law(world, e, &def));
    }
    const double begin = energy_of(world);
    for (int n = 0; n < 150; n++) {
      ok(world, msd_world_step(world, 2 * dt, 2));
      worst = largest(worst, energy_of(world) / begin);
    }
    parts += stats_of(world).split;
    msd_destroy_world(world);
  }
  cr_expect_gt(parts, 60, "%d", (int)parts);
  cr_expect_lt(worst, 10, "%g", worst);
}

/* Positions move by a hair alone, towards what pulls. */
Test(split, gives_no_elastic_energy) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = sheet_of(SIDE, SIDE, CLOTH_BEND, (making){.laws = (laws)(seed % LAWS_COUNT)});
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
      const msd_vec3 at = msd_particle_get_position(world, i);
      ok(world, msd_particle_set_position(world, i, (msd_vec3){at.x, at.y * (msd_real)1.5, at.x * at.y / 4}));
    }
    let_split(world, 1);
    step(world, DT / 1024, 1);
    const double before = stats_of(world).elastic_energy;
    world->model.tuned_step = DT / 1024;
    splits due;
    ok(world, splits_open(&due, &world->stepper, 1, DT / 1024));
    splits_add(&due, spring_between(world, MIDDLE, seed % 2 ? ABOVE : BELOW), 2);
    ok(world, splits_reserve(&due));
    splits_apply(&due);
    splits_close(&due);
    cr_expect_eq(stats_of(world).split, 1);
    cr_expect_leq(stats_of(world).elastic_energy, before * (1 + 16 * EPSILON), "seed %d", (int)seed);
    msd_destroy_world(world);
  }
}

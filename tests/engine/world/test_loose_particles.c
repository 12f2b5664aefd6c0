/* Free fall of particles to which nothing is attached, against x + v t + a t^2/2. */
#include "tests/support/laboratory.h"
#include "tests/support/snapshots.h"

#include <string.h>

static const double G = 9.81;

static msd_world *falling_world(msd_integrator integrator, msd_solver solver) {
  msd_world *world = new_world(integrator);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-G, 0}));
  ok(world, msd_world_set_solver(world, solver));
  return world;
}

static void run_frames(msd_world *world, int frames, double frame_time, int substeps) {
  for (int n = 0; n < frames; n++)
    step(world, frame_time, substeps);
}

/* Rounding of a fall: of the positions passed, and of velocities summed over the substeps. */
static double rounding(double size, int steps) {
  return 4 * EPSILON * size * steps;
}

static void expect_fall(const msd_world *world, int32_t particle, msd_vec3 from, msd_vec3 v, double ay,
                        double time, int steps) {
  const msd_vec3 x = msd_particle_get_position(world, particle),
                 u = msd_particle_get_velocity(world, particle);
  const double size = fabs(ay) * time * time / 2 + fabs((double)v.y) * time + 1, most = rounding(size, steps);
  const double y = (double)from.y + (double)v.y * time + ay * time * time / 2;
  cr_expect_float_eq((double)x.y, y, most, "y is %.9g, not %.9g", (double)x.y, y);
  cr_expect_float_eq((double)x.x, (double)from.x + (double)v.x * time, most);
  cr_expect_float_eq((double)u.y, (double)v.y + ay * time, most, "v is %.9g", (double)u.y);
}

static const struct {
  msd_integrator integrator;
  msd_solver solver;
} kinds[] = {{MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT},
             {MSD_SYMPLECTIC_EULER, MSD_SOLVER_GAUSS_SEIDEL},
             {MSD_SEQUENTIAL_IMPULSE, MSD_SOLVER_EXPLICIT}};
enum { KINDS = sizeof kinds / sizeof *kinds };

Test(loose_particles, fall_by_half_g_t_squared_at_any_frame_rate_and_number_of_substeps) {
  const int rates[] = {24, 60, 240}, substeps[] = {0, 1, 3};
  for (int k = 0; k < KINDS; k++)
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++) {
        msd_world *world = falling_world(kinds[k].integrator, kinds[k].solver);
        const msd_vec3 v = {1, 2, 0};
        add_particle(world, 0.3, 0, 0, 0);
        const int32_t thrown = add_particle(world, 7, 1, 4, 0);
        set_velocity(world, thrown, (double)v.x, (double)v.y, 0);
        run_frames(world, rates[r], 1.0 / rates[r], substeps[s]);
        const int steps = rates[r] * (substeps[s] ? substeps[s] : 1);
        expect_fall(world, 0, (msd_vec3){0, 0, 0}, (msd_vec3){0, 0, 0}, -G, 1, steps);
        expect_fall(world, thrown, (msd_vec3){1, 4, 0}, v, -G, 1, steps);
        msd_destroy_world(world);
      }
}

Test(loose_particles, fall_exactly_beside_scaled_masses) {
  msd_world *world = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
  add_pin(world, 3, 0, 0);
  add_particle(world, 1, 4, 0, 0);
  add_spring(world, physical(100, 0), 0, 1, 1);
  const int32_t loose = add_particle(world, 1, 0, 0, 0);
  ok(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  run_frames(world, 60, 1.0 / 60, 1);
  expect_fall(world, loose, (msd_vec3){0, 0, 0}, (msd_vec3){0, 0, 0}, -G, 1, 60);
  msd_destroy_world(world);
}

Test(loose_particles, move_exactly_under_a_constant_force) {
  msd_world *world = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
  add_particle(world, 2, 0, 0, 0);
  for (int n = 0; n < 60; n++) {
    ok(world, msd_particle_apply_force(world, 0, (msd_vec3){0, 12, 0}));
    step(world, 1.0 / 60, 1);
  }
  expect_fall(world, 0, (msd_vec3){0, 0, 0}, (msd_vec3){0, 0, 0}, 6 - G, 1, 60);
  msd_destroy_world(world);
}

/* What holds a particle, and how it is let go. */
typedef int32_t attach(msd_world *world, int32_t particle);
typedef void release(msd_world *world, int32_t attached, int32_t particle);

static int32_t by_pin(msd_world *world, int32_t particle) {
  ok(world, msd_particle_pin(world, particle));
  return particle;
}

static void unpin(msd_world *world, int32_t attached, int32_t particle) {
  (void)attached;
  ok(world, msd_particle_unpin(world, particle));
}

static int32_t by_spring(msd_world *world, int32_t particle) {
  return add_spring(world, physical(400, 0), add_pin(world, 0, 1, 0), particle, 1);
}

static int32_t by_hard_limit(msd_world *world, int32_t particle) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_HARD_LIMIT;
  def.mode = MSD_SPRING_TENSION_ONLY;
  return add_spring(world, def, add_pin(world, 0, 1, 0), particle, 1);
}

static void break_spring(msd_world *world, int32_t attached, int32_t particle) {
  (void)particle;
  ok(world, msd_spring_break(world, attached));
}

static int32_t by_soft_pin(msd_world *world, int32_t particle) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = particle;
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = 400;
  int32_t index = -1;
  ok(world, msd_add_soft_pins(world, &def, 1, &index));
  return index;
}

static void detach_soft_pin(msd_world *world, int32_t attached, int32_t particle) {
  (void)particle;
  msd_soft_pin_def def = msd_soft_pin_get_def(world, attached);
  def.particle = -1;
  ok(world, msd_soft_pin_set_def(world, attached, &def));
}

Test(loose_particles, fall_exactly_once_they_are_let_go) {
  attach *const attaches[] = {by_pin, by_spring, by_hard_limit, by_soft_pin};
  release *const releases[] = {unpin, break_spring, break_spring, detach_soft_pin};
  for (int k = 0; k < 4; k++) {
    msd_world *world = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
    const int32_t particle = add_particle(world, 1, 0, 0, 0), held = attaches[k](world, particle);
    run_frames(world, 5, 1.0 / 60, 4);
    releases[k](world, held, particle);
    const msd_vec3 x = msd_particle_get_position(world, particle),
                   v = msd_particle_get_velocity(world, particle);
    run_frames(world, 60, 1.0 / 60, 1);
    expect_fall(world, particle, x, v, -G, 1, 60);
    msd_destroy_world(world);
  }
}

static int32_t add_plane(msd_world *world, double y, double up) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_PLANE;
  def.position.y = (msd_real)y;
  def.normal = (msd_vec3){0, (msd_real)up, 0};
  int32_t index = -1;
  ok(world, msd_add_colliders(world, &def, 1, &index));
  return index;
}

Test(loose_particles, fall_exactly_until_a_collider_is_in_reach_and_then_rest_on_it) {
  msd_world *world = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
  add_particle(world, 2, 0, 0, 0);
  const int32_t floor = add_plane(world, -6, 1);
  run_frames(world, 60, 1.0 / 60, 1);
  expect_fall(world, 0, (msd_vec3){0, 0, 0}, (msd_vec3){0, 0, 0}, -G, 1, 60);
  ok(world, msd_world_set_record(world, MSD_RECORD_CONTACTS));
  run_frames(world, 60, 1.0 / 60, 1);
  const msd_vec3 x = msd_particle_get_position(world, 0), v = msd_particle_get_velocity(world, 0);
  const double thickness = (double)msd_world_get_contact_settings(world).thickness;
  cr_expect_float_eq((double)x.y, -6 + thickness, 64 * EPSILON);
  cr_expect_eq((double)v.y, 0);
  msd_vec3 force;
  ok(world, msd_collider_get_reaction(world, floor, &force, NULL));
  cr_expect_float_eq((double)force.y, -2 * G, 1e3 * EPSILON * 2 * G, "the floor bears %g N", (double)force.y);
  msd_destroy_world(world);
}

/* Thrown up and down between a floor and a ceiling at many speeds. */
Test(loose_particles, never_pass_a_collider) {
  const double speeds[] = {0.1, 1, 5, 30, 200};
  for (int k = 0; k < 5; k++) {
    msd_world *world = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
    const double thickness = (double)msd_world_get_contact_settings(world).thickness;
    add_plane(world, -1, 1);
    add_plane(world, 1, -1);
    for (int n = 0; n < 40; n++)
      set_velocity(world, add_particle(world, 1, 0.1 * n, -0.9 + 0.045 * n, 0), 0,
                   n % 2 ? speeds[k] : -speeds[k], 0);
    for (int frame = 0; frame < 60; frame++) {
      step(world, 1.0 / 60, 1 + frame % 2);
      for (int n = 0; n < 40; n++) {
        const double y = (double)msd_particle_get_position(world, n).y;
        cr_assert(fabs(y) <= 1 - thickness + 64 * EPSILON, "speed %g frame %d: y is %.9g", speeds[k], frame,
                  y);
      }
    }
    msd_destroy_world(world);
  }
}

/* A sheet of springs, large enough for temporal blocking and threads, with loose particles among it. */
static msd_world *mixed_world(int threads, bool floor) {
  msd_world *world = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
  ok(world, msd_world_set_thread_count(world, threads));
  enum { SIDE = 80 };
  for (int i = 0; i < SIDE * SIDE; i++)
    add_particle(world, 0.01, 0.02 * (i % SIDE), 0, 0.02 * (i / SIDE)); /* NOLINT */
  ok(world, msd_particle_pin(world, 0));
  for (int i = 0; i < SIDE * SIDE; i++) {
    if (i % SIDE % 7 == 3 && i / SIDE % 7 == 3)
      continue;
    for (int k = 0; k < 2; k++) {
      const int j = k ? i + SIDE : i + 1;
      const bool inside = k ? j < SIDE * SIDE : i % SIDE + 1 < SIDE;
      if (inside && !(j % SIDE % 7 == 3 && j / SIDE % 7 == 3))
        add_spring(world, physical(20, 0.01), i, j, 0.02);
    }
  }
  if (floor)
    add_plane(world, -3, 1);
  return world;
}

Test(loose_particles, fall_with_equal_bits_on_any_number_of_threads_and_whatever_else_the_world_holds) {
  for (int floor = 0; floor < 2; floor++) {
    msd_world *one = mixed_world(1, floor), *two = mixed_world(2, floor);
    run_frames(one, 20, 1.0 / 60, 8);
    run_frames(two, 20, 1.0 / 60, 8);
    cr_expect_eq(msd_world_hash(one), msd_world_hash(two));
    const int32_t loose = 3 * 80 + 3;
    msd_world *alone = falling_world(MSD_SYMPLECTIC_EULER, MSD_SOLVER_EXPLICIT);
    add_particle(alone, 0.01, 0.02 * 3, 0, 0.02 * 3);
    run_frames(alone, 20, 1.0 / 60, 8);
    const msd_vec3 a = msd_particle_get_position(one, loose), b = msd_particle_get_position(alone, 0);
    cr_expect(memcmp(&a, &b, sizeof a) == 0, "floor %d: y is %.9g beside the sheet and %.9g alone", floor,
              (double)a.y, (double)b.y);
    expect_fall(one, loose, (msd_vec3){(msd_real)0.06, 0, (msd_real)0.06}, (msd_vec3){0, 0, 0}, -G, 20.0 / 60,
                160);
    msd_destroy_world(one);
    msd_destroy_world(two);
    msd_destroy_world(alone);
  }
}

Test(loose_particles, go_on_with_equal_bits_from_a_snapshot) {
  msd_world *world = mixed_world(1, true);
  run_frames(world, 10, 1.0 / 60, 4);
  const snapshot saved = snapshot_of(world);
  msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
  ok(other, msd_world_restore(other, saved.data, saved.size));
  free(saved.data);
  run_frames(world, 50, 1.0 / 60, 4);
  run_frames(other, 50, 1.0 / 60, 4);
  cr_expect_eq(msd_world_hash(world), msd_world_hash(other));
  msd_destroy_world(world);
  msd_destroy_world(other);
}

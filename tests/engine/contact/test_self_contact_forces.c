/* The forces between surfaces: no energy from contact, no bounce, friction that is Coulomb's, momentum, and
   nothing taken of the certified step. */
#include "tests/support/slopes.h"

static const double G = 9.81, FRAME = 1.0 / 60, THICKNESS = 0.005;

/* m/s: how fast what is too near is pushed out. */
static const double PUSH = 0.05;

static const msd_vec3 DOWN = {0, (msd_real)-9.81, 0}, NOWHERE = {0, 0, 0};

/* ------------------------------------------------------------------------------------------------- energy */

static double energy(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

/* Free triangles of 0.01 to 100 kg a corner that fly through each other's room. */
static touching flying_triangles(generator *random, int count, double friction, double relaxation) {
  touching t = contact_step_new(NOWHERE, friction, relaxation);
  for (int n = 0; n < count; n++) {
    const msd_vec3 at = vector(0.2 * (n % 3), 0.2 * (n / 3 % 3), 0.2 * (n / 9));
    msd_vec3 corner[3];
    for (int k = 0; k < 3; k++) {
      const msd_vec3 off = random_place(random, 0.09);
      corner[k] = (msd_vec3){at.x + off.x, at.y + off.y, at.z + off.z};
    }
    const int32_t first =
        touching_triangle(&t, pow(10, 4 * random_share(random) - 2), corner[0], corner[1], corner[2]);
    const msd_vec3 v = random_place(random, 1);
    const double inward = 1 + 2 * random_share(random);
    for (int32_t k = 0; k < 3; k++) {
      const msd_vec3 own = random_place(random, 0.3);
      set_velocity(t.world, first + k, v.x + own.x + inward * (0.2 - at.x),
                   v.y + own.y + inward * (0.2 - at.y), v.z + own.z + inward * (0.2 - at.z));
    }
  }
  return t;
}

/* Where surfaces are nearer than their thickness they may be pushed apart at 5 cm/s, by half a wall's work:
   M/4 is the most that the masses of all pairs are in sum (docs/theory/contact.md). */
static double most_pushed(const msd_world *world) {
  return msd_world_get_stats(world).total_mass / 8 * PUSH * PUSH;
}

Test(self_contact_forces, contacts_alone_never_make_kinetic_energy) {
  int collisions = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    touching t = flying_triangles(&random, 27, (double)(seed % 4) * 0.3, seed % 3 ? 0 : 0.5);
    const double most = most_pushed(t.world);
    double before = energy(t.world), lost = 0;
    const double begin = before;
    for (int n = 0; n < 120; n++) {
      step(t.world, FRAME / (double)(seed % 5 + 1), 1);
      const double now = energy(t.world);
      cr_assert_leq(now, before * (1 + 8 * EPSILON) + most, "seed %d, substep %d: %g J more", (int)seed, n,
                    now - before);
      lost += fmax(0, before - now);
      before = now;
    }
    collisions += lost > 0.01 * begin;
    contact_step_free(&t);
  }
  cr_expect_gt(collisions, 30, "%d of 40 touched", collisions);
}

/* ------------------------------------------------------------------------------------------------ one pair */

/* A triangle in the plane y = 0 around the origin, and one above it whose first corner, at `height`, points at
   a point within the lower one with the weights `share`. */
static touching corner_above_face(generator *random, double friction, double height, double share[3]) {
  touching t = contact_step_new(NOWHERE, friction, 0);
  const double mass = pow(10, 4 * random_share(random) - 2);
  touching_triangle(&t, mass, vector(-0.3, 0, -0.2), vector(0.3, 0, -0.2), vector(0, 0, 0.4));
  for (int32_t i = 0; i < 3; i++)
    ok(t.world, msd_particle_set_mass(t.world, i, (msd_real)(mass * (0.1 + random_share(random)))));
  share[0] = 0.2 + 0.2 * random_share(random);
  share[1] = 0.2 + 0.2 * random_share(random);
  share[2] = 1 - share[0] - share[1];
  const double x = 0.3 * (share[1] - share[0]), z = 0.4 * share[2] - 0.2 * (share[0] + share[1]);
  /* At rest so far away that the thickness is that of the world. */
  const int32_t first = touching_triangle(&t, pow(10, 4 * random_share(random) - 2), vector(x, 1, z),
                                          vector(x - 0.1, 1.2, z), vector(x + 0.1, 1.2, z + 0.05));
  for (int32_t k = 0; k < 3; k++) {
    msd_vec3 at = msd_particle_get_position(t.world, first + k);
    at.y = (msd_real)(height + (k > 0 ? 0.2 : 0));
    ok(t.world, msd_particle_set_position(t.world, first + k, at));
  }
  return t;
}

/* How fast the corner leaves the point of the face that it met. */
static double leaving_speed(const msd_world *world, const double share[3]) {
  double speed = (double)msd_particle_get_velocity(world, 3).y;
  for (int32_t k = 0; k < 3; k++)
    speed -= share[k] * (double)msd_particle_get_velocity(world, k).y;
  return speed;
}

Test(self_contact_forces, what_hits_does_not_come_back) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    generator random = {.state = seed};
    double share[3];
    const double dt = FRAME / (1 << random_below(&random, 10)),
                 speed = random_share(&random) * THICKNESS / dt;
    touching t = corner_above_face(&random, 0.3, THICKNESS + 2.3 * speed * dt, share);
    throw_all(t.world, 3, 3, vector(0, -speed, 0));
    for (int n = 0; n < 2; n++)
      step(t.world, dt, 1);
    cr_assert_float_eq(leaving_speed(t.world, share), -speed, 1e-5 * speed, "it has not come there");
    step(t.world, dt, 1);
    const double left = leaving_speed(t.world, share);
    cr_expect_float_eq(left, -0.3 * speed, 1e-4 * speed + 4 * EPSILON / dt, "seed %d: %g m/s of %g",
                       (int)seed, left, speed);
    step(t.world, dt, 1);
    /* The face turns by up to a 40th in a substep, and the point of it is another one then. */
    cr_expect_lt(leaving_speed(t.world, share), speed / 40 + 4 * EPSILON / dt, "seed %d: %g m/s of %g",
                 (int)seed, leaving_speed(t.world, share), speed);
    contact_step_free(&t);
  }
}

Test(self_contact_forces, a_hit_with_friction_keeps_the_linear_momentum) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    generator random = {.state = 100 + seed};
    double share[3];
    const double dt = FRAME / 40;
    touching t = corner_above_face(&random, 0.2 * (double)(seed % 5), THICKNESS + 0.004, share);
    throw_all(t.world, 3, 3, vector(0.5 * random_share(&random), -0.5 - random_share(&random), 0.2));
    const msd_stats before = msd_world_get_stats(t.world);
    for (int n = 0; n < 30; n++)
      step(t.world, dt, 1);
    const msd_stats after = msd_world_get_stats(t.world);
    const double all = sqrt(2 * before.kinetic_energy * before.total_mass);
    for (int k = 0; k < 3; k++)
      cr_expect_float_eq(after.momentum[k], before.momentum[k], 64 * EPSILON * all, "seed %d", (int)seed);
    cr_expect_gt(length_of_vector(msd_particle_get_velocity(t.world, 0)), 0, "seed %d: they have touched",
                 (int)seed);
    contact_step_free(&t);
  }
}

/* ------------------------------------------------------------------------------------------------ friction */

static double downhill_speed(const msd_world *world, double angle, int32_t particle) {
  const msd_vec3 v = msd_particle_get_velocity(world, particle);
  return (double)v.x * cos(angle) - (double)v.y * sin(angle);
}

/* A sheet, or one triangle, just above the slope. */
static int32_t lay_on_slope(touching *t, double angle, bool is_sheet) {
  if (!is_sheet)
    return touching_triangle(t, 0.1, on_slope(angle, 0, 0.0051, 0), on_slope(angle, 0.1, 0.0051, 0),
                             on_slope(angle, 0, 0.0051, 0.1));
  return touching_sheet(t, 5, 5, on_slope(angle, 0, 0.0051, 0), on_slope(angle, 0.2, 0, 0), vector(0, 0, 0.2),
                        true);
}

Test(self_contact_forces, what_slides_on_a_slope_gains_speed_as_coulomb_has_it) {
  const double angle = 25 * PI / 180, friction = 0.3, expected = G * (sin(angle) - friction * cos(angle));
  for (int is_sheet = 0; is_sheet < 2; is_sheet++) {
    touching t = new_slope(angle, friction);
    const int32_t first = lay_on_slope(&t, angle, is_sheet);
    for (int frame = 0; frame < 30; frame++)
      step(t.world, FRAME, 10);
    for (int32_t k = 0; k < 3; k++)
      cr_expect_float_eq(downhill_speed(t.world, angle, first + k), 0.5 * expected, 0.5e-3 * expected,
                         "%g, not %g", downhill_speed(t.world, angle, first + k), 0.5 * expected);
    contact_step_free(&t);
  }
}

Test(self_contact_forces, what_lies_on_a_slope_below_the_angle_of_friction_stays) {
  const double friction = 0.5, angle = 0.97 * atan(friction);
  for (int is_sheet = 0; is_sheet < 2; is_sheet++) {
    touching t = new_slope(angle, friction);
    const int32_t first = lay_on_slope(&t, angle, is_sheet);
    for (int frame = 0; frame < 60; frame++)
      step(t.world, FRAME, 10);
    const msd_vec3 before = msd_particle_get_position(t.world, first);
    for (int frame = 0; frame < 120; frame++)
      step(t.world, FRAME, 10);
    const msd_vec3 after = msd_particle_get_position(t.world, first);
    for (int k = 0; k < 3; k++)
      cr_expect_float_eq(component(after, k), component(before, k), 1e-5, "%g m",
                         component(after, k) - component(before, k));
    contact_step_free(&t);
  }
}

/* A drum of flat sides about the z axis, which is held. */
static void add_drum(touching *t, double radius) {
  enum { SIDES = 233 };
  const int32_t first = msd_world_get_particle_count(t->world);
  int32_t corners[6 * SIDES];
  for (int32_t i = 0; i < 2 * SIDES; i++) {
    const double turn = 2 * PI * ((double)(i / 2) + 0.5) / SIDES;
    add_particle(t->world, 1, radius * cos(turn), radius * sin(turn), i % 2 ? 0.5 : -0.5);
    for (int k = 0; k < 3; k++)
      corners[3 * i + k] = first + (i + (i % 2 ? 2 - k : k)) % (2 * SIDES);
  }
  pin_all(t->world, first, 2 * SIDES);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = 2 * SIDES;
  touching_add(t, def);
}

/* A rope over the upper half of it, 1 N at one end and `pull` at the other. Returns how far the other end comes
   in the last half second. */
static double capstan(double friction, double pull) {
  enum { LINKS = 160 };
  const double pitch = PI * 0.2 / (LINKS / 2);
  touching t = contact_step_new(NOWHERE, friction, 0);
  ok(t.world, msd_world_set_linear_damping(t.world, 4));
  add_drum(&t, 0.2 - THICKNESS);
  const int32_t first = msd_world_get_particle_count(t.world);
  int32_t segments[2 * LINKS];
  for (int32_t i = 0; i <= LINKS; i++) {
    const double s = (i - LINKS / 4) * pitch, turn = fmin(fmax(s / 0.2, 0), PI);
    const double below = s < 0 ? s : fmin(PI * 0.2 - s, 0);
    add_particle(t.world, 0.005, -0.2002 * cos(turn), 0.2002 * sin(turn) + below, 0);
  }
  for (int32_t i = 0; i < LINKS; i++) {
    add_spring(t.world, physical(40000, 4), first + i, first + i + 1, pitch);
    segments[2 * i] = first + i;
    segments[2 * i + 1] = first + i + 1;
  }
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.segments = segments;
  def.segment_count = LINKS;
  touching_add(&t, def);
  double half = 0;
  for (int frame = 0; frame < 120; frame++) {
    if (frame == 90)
      half = (double)msd_particle_get_position(t.world, first + LINKS).y;
    ok(t.world, msd_particle_apply_force(t.world, first, vector(0, -1, 0)));
    ok(t.world, msd_particle_apply_force(t.world, first + LINKS,
                                         vector(0, -(1 + (pull - 1) * fmin(frame / 15.0, 1)), 0)));
    step(t.world, FRAME, 80);
  }
  half -= (double)msd_particle_get_position(t.world, first + LINKS).y;
  contact_step_free(&t);
  return half;
}

/* Euler and Eytelwein: half a turn holds e^(mu pi) times what is at the other end. The edges of a drum that is
   not round hold some more: up to 10 % with 80 sides, up to 5 % with 233. */
Test(self_contact_forces, a_rope_over_a_drum_holds_nearly_what_the_capstan_equation_says) {
  for (double friction = 0.1; friction < 0.4; friction += 0.2) {
    const double most = exp(friction * PI);
    cr_expect_lt(capstan(friction, 0.97 * most), 2e-5, "mu %g", friction);
    cr_expect_gt(capstan(friction, 1.06 * most), 1e-3, "mu %g", friction);
  }
}

/* ---------------------------------------------------------------------------------------------- the limit */

/* Random networks of springs over two sheets that lie on each other and on a large triangle, at 0.98 of the
   certified limit; lightly damped, so that the springs make no energy of their own. */
Test(self_contact_forces, contacts_take_nothing_of_the_certified_step) {
  enum { SIDE = 5, PARTICLES = SIDE * SIDE };
  for (uint64_t seed = 1; seed <= 8; seed++) {
    generator random = {.state = seed};
    touching t = new_slope(0, seed % 2 ? 1000 : 0.5);
    for (int sheet = 0; sheet < 2; sheet++) {
      int32_t corners[6 * PARTICLES];
      const int32_t first = msd_world_get_particle_count(t.world);
      for (int32_t i = 0; i < PARTICLES; i++)
        add_particle(t.world, exp(2 * random_share(&random)), 0.1 * (i % SIDE) + 0.01 * random_share(&random),
                     0.0055 + 0.01 * sheet + 0.001 * random_share(&random),
                     0.1 * (i / SIDE) + 0.01 * random_share(&random));
      for (int32_t e = 0; e < 3 * PARTICLES; e++) {
        const int32_t a = random_below(&random, PARTICLES),
                      b = (a + 1 + random_below(&random, PARTICLES - 1)) % PARTICLES;
        const msd_vec3 from = msd_particle_get_position(t.world, first + a),
                       to = msd_particle_get_position(t.world, first + b);
        const double rest = length_of_vector((msd_vec3){to.x - from.x, to.y - from.y, to.z - from.z});
        add_spring(t.world, physical(100 * (0.1 + random_share(&random)), 0.5), first + a, first + b,
                   rest * (0.9 + 0.2 * random_share(&random)));
      }
      msd_collision_mesh_def def = msd_default_collision_mesh_def();
      def.triangles = corners;
      def.triangle_count = grid_triangles(corners, first, SIDE, SIDE, 1, SIDE);
      touching_add(&t, def);
    }
    msd_stability report;
    ok(t.world, msd_world_analyze_stability(t.world, 1, &report));
    const msd_stats begin = msd_world_get_stats(t.world);
    const double all = begin.kinetic_energy + begin.elastic_energy + begin.total_mass * G * 0.02;
    for (int n = 0; n < 25; n++) {
      step(t.world, 10 * 0.98 * report.stable_substep, 10);
      cr_assert_lt(energy(t.world), all, "seed %d after %d substeps: %g of %g J", (int)seed, 10 * n,
                   energy(t.world), all);
    }
    cr_expect_eq(touching_intersections(&t), 0);
    contact_step_free(&t);
  }
}

/* ---------------------------------------------------------------------------------- ends, bends and borders */

static double distance_between(const msd_world *world, int32_t a, int32_t b) {
  const msd_vec3 x = msd_particle_get_position(world, a), y = msd_particle_get_position(world, b);
  return length_of_vector((msd_vec3){x.x - y.x, x.y - y.y, x.z - y.z});
}

/* All of a body in a force field that leads it to one side. */
static void press(msd_world *world, int32_t first, int32_t count, msd_vec3 acceleration) {
  for (int32_t i = first; i < first + count; i++) {
    const double mass = (double)msd_particle_get_mass(world, i);
    ok(world,
       msd_particle_apply_force(world, i,
                                vector(mass * component(acceleration, 0), mass * component(acceleration, 1),
                                       mass * component(acceleration, 2))));
  }
}

Test(self_contact_forces, the_ends_of_ropes_that_are_pressed_together_keep_their_thickness) {
  enum { PARTICLES = 9 };
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  const int32_t left = touching_rope(&t, PARTICLES, vector(-0.2, 0, 0), vector(-0.005, 0, 0)),
                right = touching_rope(&t, PARTICLES, vector(0.005, 0.001, 0), vector(0.2, 0.001, 0));
  for (int frame = 0; frame < 12; frame++) {
    press(t.world, left, PARTICLES, vector(1, 0, 0));
    press(t.world, right, PARTICLES, vector(-1, 0, 0));
    step(t.world, FRAME, 20);
  }
  const double gap = distance_between(t.world, left + PARTICLES - 1, right);
  cr_expect_gt(gap, 0.95 * THICKNESS, "%g m", gap);
  cr_expect_lt(gap, 1.2 * THICKNESS, "%g m: they touch", gap);
  contact_step_free(&t);
}

/* Two ropes hooked into each other at their middles, where both have a corner. */
Test(self_contact_forces, ropes_hooked_into_each_other_keep_their_thickness_at_the_bends) {
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  int32_t first[2];
  for (int n = 0; n < 2; n++) {
    const double up = n ? 1 : -1;
    int32_t segments[4];
    for (int k = 0; k < 3; k++) {
      const double off = 0.05 * (k - 1);
      const int32_t i =
          add_particle(t.world, 0.01, n ? off : 0, k == 1 ? -0.004 * up : 0.05 * up, n ? 0 : off);
      first[n] = k == 0 ? i : first[n];
      segments[k == 0 ? 0 : 2 * k - 1] = i;
      segments[k < 2 ? 2 * k : 3] = i;
    }
    for (int k = 0; k < 2; k++)
      add_spring(t.world, physical(200, 0.2), segments[2 * k], segments[2 * k + 1], MSD_AS_PLACED);
    msd_collision_mesh_def def = msd_default_collision_mesh_def();
    def.segments = segments;
    def.segment_count = 2;
    touching_add(&t, def);
  }
  pin_all(t.world, first[0], 1);
  pin_all(t.world, first[0] + 2, 1);
  for (int frame = 0; frame < 60; frame++) {
    press(t.world, first[1], 3, vector(0, 5, 0));
    step(t.world, FRAME, 40);
  }
  const double gap = distance_between(t.world, first[0] + 1, first[1] + 1);
  cr_expect_gt(gap, 0.95 * THICKNESS, "%g m", gap);
  cr_expect_eq(touching_intersections(&t), 0);
  contact_step_free(&t);
}

static double height_of(const msd_world *world, int32_t particle) {
  return (double)msd_particle_get_position(world, particle).y;
}

/* A rope that lies on a flat cloth which is held, and slides over its inner edges and vertices, and off it. */
Test(self_contact_forces, a_flat_cloth_is_flat_to_what_slides_over_it) {
  enum { SIDE = 8, PARTICLES = 7 };
  for (int way = 0; way < 3; way++) {
    touching t = contact_step_new(DOWN, 0, 0);
    const int32_t cloth =
        touching_sheet(&t, SIDE, SIDE, vector(-0.3, 0, -0.35), vector(0.7, 0, 0), vector(0, 0, 0.7), true);
    pin_all(t.world, cloth, SIDE * SIDE);
    const double y = 1.2 * THICKNESS, z = way == 2 ? 0 : 0.013;
    const int32_t rope =
        touching_rope(&t, PARTICLES, vector(-0.2, y, z), vector(-0.1, y, way == 1 ? z + 0.1 : z));
    throw_all(t.world, rope, PARTICLES, vector(1, 0, 0));
    for (int frame = 0; frame < 15; frame++) {
      step(t.world, FRAME, 20);
      for (int32_t i = rope; i < rope + PARTICLES; i++) {
        const msd_vec3 v = msd_particle_get_velocity(t.world, i);
        cr_assert_float_eq((double)v.x, 1, 2e-3, "way %d, frame %d", way, frame);
        cr_assert_float_eq((double)v.z, 0, 2e-3, "way %d, frame %d", way, frame);
        cr_assert(frame < 2 || fabs(height_of(t.world, i) - THICKNESS) < 1e-4, "way %d, frame %d: at %g m",
                  way, frame, height_of(t.world, i));
      }
    }
    contact_step_free(&t);
  }
}

/* A hoop of a rope whose segments are as long as it is thick, a pleated cloth, and a block. */
Test(self_contact_forces, what_is_as_it_was_made_does_not_push_itself) {
  enum { HOOP = 40 };
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  int32_t segments[2 * HOOP];
  for (int k = 0; k < HOOP; k++) {
    const double angle = 2 * acos(-1) * k / HOOP, radius = HOOP * THICKNESS / (2 * acos(-1));
    add_particle(t.world, 0.01, radius * cos(angle), radius * sin(angle), 0);
    segments[2 * k] = k;
    segments[2 * k + 1] = (k + 1) % HOOP;
  }
  msd_collision_mesh_def hoop = msd_default_collision_mesh_def();
  hoop.segments = segments;
  hoop.segment_count = HOOP;
  touching_add(&t, hoop);
  const int32_t sheet =
      touching_sheet(&t, 12, 12, vector(1, 0, 0), vector(0.05, 0, 0), vector(0, 0, 0.05), false);
  for (int32_t i = sheet; i < sheet + 144; i++) {
    const msd_vec3 at = msd_particle_get_position(t.world, i);
    ok(t.world,
       msd_particle_set_position(t.world, i, vector(component(at, 0), 0.004 * (i % 2), component(at, 2))));
  }
  int32_t triangles[6 * 144];
  msd_collision_mesh_def pleats = msd_default_collision_mesh_def();
  pleats.triangles = triangles;
  pleats.triangle_count = grid_triangles(triangles, sheet, 12, 12, 1, 12);
  touching_add(&t, pleats);
  touching_block(&t, 4, vector(2, 0, 0), 0.02, 0.1);
  ok(t.world, msd_world_step(t.world, (msd_real)1e-4, 1));
  cr_expect_eq(msd_world_get_stats(t.world).contacts, 0);
  contact_step_free(&t);
}

/* msd/reaction.h, and the tension of pins that move: forces balance the momentum of what they act on. */
#include "tests/support/colliders.h"
#include "tests/support/touching.h"

enum { FRAMES = 12, BALLS = 30, PINS = 4 };

static msd_vec3 plus(msd_vec3 a, msd_vec3 b, double factor) {
  return vector((double)a.x + factor * (double)b.x, (double)a.y + factor * (double)b.y,
                (double)a.z + factor * (double)b.z);
}

static double length_of(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void expect_vector(msd_vec3 found, double x, double y, double z, double error, const char *what) {
  const double off[3] = {(double)found.x - x, (double)found.y - y, (double)found.z - z};
  cr_expect_leq(length_of(off), error, "%s: (%g, %g, %g), not (%g, %g, %g)", what, (double)found.x,
                (double)found.y, (double)found.z, x, y, z);
}

static msd_vec3 reaction(const msd_world *world, int32_t particle) {
  msd_vec3 force;
  cr_assert_eq(msd_particle_get_reaction(world, particle, &force), MSD_OK);
  return force;
}

/* --------------------------------------------------------------------------------- tension at moving pins */

Test(moving_pins, a_rope_towed_at_a_steady_speed_has_no_tension) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 20; i++) {
    add_particle(world, 0.005, i / 19.0, 0, 0);
    set_velocity(world, i, 1, 0, 0);
  }
  for (int i = 0; i < 19; i++)
    add_spring(world, physical(2000, 5), i, i + 1, -1);
  ok(world, msd_particle_pin(world, 19));
  for (int frame = 1; frame <= 60; frame++) {
    ok(world, msd_particle_move_to(world, 19, vector(1 + frame / 60.0, 0, 0)));
    step(world, 1.0 / 60, 200);
    cr_expect_float_eq((double)msd_spring_get_tension(world, 18), 0, 2e-2, "frame %d", frame);
  }
  step(world, 1.0 / 60, 200);
  cr_expect_gt(fabs((double)msd_spring_get_tension(world, 18)), 0.02, "the pin has stopped");
  msd_destroy_world(world);
}

typedef struct last_tension {
  msd_real of_substep;
} last_tension;

static void read_tension(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)moment;
  ((last_tension *)context)->of_substep = msd_spring_get_tension(world, 0);
}

Test(moving_pins, the_tension_after_a_frame_is_that_of_its_last_substep) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, 0, 0, 0);
  add_particle(world, 0.5, 1, 0.1, 0);
  add_spring(world, physical(5e4, 3), 0, 1, 1);
  last_tension last;
  const msd_callbacks callbacks = {.after_substep = read_tension, .context = &last};
  ok(world, msd_world_set_callbacks(world, &callbacks));
  for (int frame = 0; frame < 50; frame++) {
    if (frame % 5 != 4)
      ok(world, msd_particle_move_to(world, 0, vector(0.01 * frame, 0.002 * frame * frame, 0.0123)));
    step(world, 1.0 / 60, 97);
    cr_expect_float_eq((double)msd_spring_get_tension(world, 0), (double)last.of_substep,
                       1e-5 * largest(1, fabs((double)last.of_substep)), "frame %d", frame);
  }
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------- closed forms */

static msd_world *hanging_cable(double rigidity, bool is_soft) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_material material = msd_default_material();
  material.line_density = (msd_real)0.6;
  material.stretch_modulus = 4000;
  material.bend_rigidity = (msd_real)rigidity;
  material.damping_ratio = (msd_real)0.5;
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = 20;
  rope.material = &material;
  ok(world, msd_add_rope(world, &rope, NULL));
  for (int end = 0; end < 2; end++)
    if (is_soft) {
      msd_soft_pin_def pin = msd_default_soft_pin_def();
      pin.particle = 19 * end;
      pin.position = vector(0.1 + 0.8 * end, 0, 0);
      pin.law = MSD_SPRING_STIFFNESS;
      pin.stiffness = 3000;
      pin.damping = 10;
      ok(world, msd_add_soft_pins(world, &pin, 1, NULL));
    } else {
      ok(world, msd_particle_pin(world, 19 * end));
      ok(world, msd_particle_move_to(world, 19 * end, vector(0.1 + 0.8 * end, 0, 0)));
    }
  ok(world, msd_world_set_record(world, MSD_RECORD_PINS));
  for (int frame = 0; frame < 400; frame++) {
    ok(world, msd_world_set_linear_damping(world, frame < 300 ? 8 : 0));
    step(world, 1.0 / 60, 0);
  }
  return world;
}

Test(reactions, two_pins_carry_the_weight_of_a_cable_of_any_rigidity) {
  static const double rigidity[] = {0, 0.01, 0.1};
  for (int soft = 0; soft < 2; soft++)
    for (int n = 0; n < 3; n++) {
      msd_world *world = hanging_cable(rigidity[n], soft == 1);
      msd_vec3 a, b;
      if (soft) {
        cr_assert_eq(msd_soft_pin_get_reaction(world, 0, &a), MSD_OK);
        cr_assert_eq(msd_soft_pin_get_reaction(world, 1, &b), MSD_OK);
      } else {
        a = reaction(world, 0);
        b = reaction(world, 19);
      }
      expect_vector(plus(a, b, 1), 0, 0.6 * 9.81, 0, 1e-3, "the weight");
      msd_destroy_world(world);
    }
}

Test(reactions, a_hard_limit_pulls_its_pin_with_the_weight_below) {
  for (int way = 0; way < 2; way++) {
    msd_world *world = new_world(way == 0 ? MSD_SYMPLECTIC_EULER : MSD_SEQUENTIAL_IMPULSE);
    ok(world, msd_world_set_gravity(world, vector(0, -10, 0)));
    add_pin(world, 0, 1, 0);
    add_particle(world, 0.5, 0, 0, 0);
    msd_spring_def limit = msd_default_spring_def();
    limit.law = MSD_SPRING_HARD_LIMIT;
    limit.mode = MSD_SPRING_TENSION_ONLY;
    add_spring(world, limit, 0, 1, 1);
    ok(world, msd_world_set_record(world, MSD_RECORD_ALL));
    step(world, 0.25, 50);
    expect_vector(reaction(world, 0), 0, 1 * 10 + 0.5 * 10, 0, 1e-3, "pin and particle");
    msd_destroy_world(world);
  }
}

Test(reactions, an_angle_gives_its_particles_the_recorded_momentum) {
  for (int way = 0; way < 2; way++) {
    msd_world *world = new_world(way == 0 ? MSD_SYMPLECTIC_EULER : MSD_SEQUENTIAL_IMPULSE);
    add_particle(world, 0.2, 1, 0.2, 0);
    add_particle(world, 0.3, 0, 0, 0);
    add_particle(world, 0.4, -0.7, 0.5, 0.3);
    set_velocity(world, 0, 0, 0.5, 0.2);
    msd_constraint_def def = msd_default_constraint_def();
    memcpy(def.particles, (int32_t[]){0, 1, 2, -1}, sizeof def.particles);
    def.rest = 3;
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = 4;
    def.damping = (msd_real)0.1;
    ok(world, msd_add_constraints(world, &def, 1, NULL));
    ok(world, msd_world_set_record(world, MSD_RECORD_CONSTRAINTS));
    for (int frame = 0; frame < 5; frame++) {
      msd_vec3 before[3], forces[4];
      double tension;
      for (int i = 0; i < 3; i++)
        before[i] = msd_particle_get_velocity(world, i);
      step(world, 0.05, 40);
      cr_assert_eq(msd_constraint_get_reaction(world, 0, &tension, forces), MSD_OK);
      for (int i = 0; i < 3; i++) {
        const msd_vec3 change = plus(msd_particle_get_velocity(world, i), before[i], -1);
        const double m = (double)msd_particle_get_mass(world, i) / 0.05;
        expect_vector(forces[i], m * (double)change.x, m * (double)change.y, m * (double)change.z, 3e-4,
                      "force");
      }
      cr_expect(tension != 0);
    }
    cr_expect_eq(msd_particle_get_reaction(world, 0, &(msd_vec3){0, 0, 0}), MSD_BAD_VALUE);
    cr_expect_eq(msd_constraint_get_reaction(world, 1, NULL, NULL), MSD_BAD_INDEX);
    msd_destroy_world(world);
  }
}

/* --------------------------------------------------------------------------------------- momentum balances */

static void momentum(const msd_world *world, double p[3], double l[3]) {
  memset(p, 0, 3 * sizeof *p);
  memset(l, 0, 3 * sizeof *l);
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    if (msd_particle_is_pinned(world, i))
      continue;
    const double m = (double)msd_particle_get_mass(world, i);
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
    for (int c = 0; c < 3; c++) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      p[c] += m * component(v, c);
      l[c] += m * (component(x, d) * component(v, e) - component(x, e) * component(v, d));
    }
  }
}

static void add_random_springs(msd_world *world, generator *random) {
  for (int n = 0; n < 4 * BALLS; n++) {
    const int32_t a = (int32_t)(random_share(random) * (BALLS + PINS)),
                  b = (int32_t)(random_share(random) * (BALLS + PINS));
    msd_spring_def spring = physical(20 + 30 * random_share(random), 0.2 * random_share(random));
    spring.mode = n % 5 == 0   ? MSD_SPRING_TENSION_ONLY
                  : n % 5 == 1 ? MSD_SPRING_COMPRESSION_ONLY
                               : MSD_SPRING_BOTH;
    if (n % 10 == 5) {
      spring = msd_default_spring_def();
      spring.law = MSD_SPRING_HARD_LIMIT;
      spring.mode = MSD_SPRING_TENSION_ONLY;
    }
    if (a != b)
      add_spring(world, spring, a, b, -1);
  }
  for (int n = 0; n < BALLS; n++) {
    msd_constraint_def def = msd_default_constraint_def();
    for (int k = 0; k < 3; k++)
      def.particles[k] = (n + k * k) % (BALLS + PINS);
    def.kind = n % 2 == 0 ? MSD_CONSTRAINT_ANGLE : MSD_CONSTRAINT_AREA;
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = (msd_real)0.05;
    def.damping = (msd_real)0.0005;
    ok(world, msd_add_constraints(world, &def, 1, NULL));
  }
}

/* Springs, limits, constraints, pins that move, colliders and applied forces. The pins come last. */
static msd_world *random_world(uint32_t seed, msd_integrator integrator, int threads) {
  generator random = {.state = seed};
  msd_world *world = new_world(integrator);
  ok(world, msd_world_set_gravity(world, vector(0, -9.81, 1)));
  ok(world, msd_world_set_thread_count(world, threads));
  for (int i = 0; i < BALLS + PINS; i++) {
    const msd_vec3 x = random_place(&random, 0.5);
    add_particle(world, 0.05 + 0.1 * random_share(&random), (double)x.x, 0.4 + (double)x.y, (double)x.z);
    if (i >= BALLS)
      ok(world, msd_particle_pin(world, i));
    else
      ok(world, msd_particle_set_velocity(world, i, random_place(&random, 2)));
  }
  add_random_springs(world, &random);
  msd_collider_def floor = plane_of(vector(0, 1, 0));
  add_collider(world, floor);
  msd_collider_def ball = sphere_of(0.3);
  ball.position = vector(0.2, 0.1, 0.1);
  add_collider(world, ball);
  msd_collider_def wall = plane_of(vector(-1, 0.2, 0));
  wall.position = vector(0.6, 0, 0);
  add_collider(world, wall);
  ok(world, msd_world_set_record(world, MSD_RECORD_ALL));
  return world;
}

static void stir(msd_world *world, int frame) {
  for (int n = 0; n < 2; n++) {
    const msd_vec3 x = msd_particle_get_position(world, BALLS + n);
    ok(world, msd_particle_move_to(world, BALLS + n, plus(x, vector(0.01, 0.005 * frame, -0.01), 1)));
  }
  for (int n = 0; n < 4; n++)
    ok(world, msd_particle_apply_force(world, 7 * n + 3 * (n == 3) * 3, vector(0.3 * n, 0.1, -0.2)));
  move_collider(world, 1, vector(0.2 + 0.01 * frame, 0.1, 0.1), degrees(0, 5 * frame, 3));
}

/* The sum of the recorded forces and of the known ones, in N. */
static void all_forces(const msd_world *world, double sum[3]) {
  memset(sum, 0, 3 * sizeof *sum);
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < BALLS + PINS; i++)
      sum[c] += (double)msd_particle_get_mass(world, i) * component(vector(0, -9.81, 1), c);
    for (int n = 0; n < 4; n++)
      sum[c] += component(vector(0.3 * n, 0.1, -0.2), c);
    for (int n = 0; n < PINS; n++)
      sum[c] += component(reaction(world, BALLS + n), c);
    for (int n = 0; n < msd_world_get_collider_count(world); n++) {
      msd_vec3 force;
      cr_assert_eq(msd_collider_get_reaction(world, n, &force, NULL), MSD_OK);
      sum[c] -= component(force, c);
    }
  }
}

Test(reactions, in_random_worlds_momentum_changes_by_what_they_sum_up_to) {
  static const msd_integrator integrators[] = {MSD_SYMPLECTIC_EULER, MSD_SEQUENTIAL_IMPULSE};
  int contacts = 0;
  for (int way = 0; way < 2; way++)
    for (uint32_t seed = 1; seed <= 8; seed++) {
      msd_world *world = random_world(seed, integrators[way], 1);
      for (int frame = 0; frame < FRAMES; frame++) {
        double before[3], behind[3], unused[3], sum[3], size = 0;
        momentum(world, before, unused);
        stir(world, frame);
        step(world, 1.0 / 60, 60);
        momentum(world, behind, unused);
        all_forces(world, sum);
        for (int n = 0; n < PINS; n++) {
          const msd_vec3 force = reaction(world, BALLS + n);
          size += length_of_vector(force);
        }
        for (int c = 0; c < 3; c++)
          cr_expect_float_eq(behind[c] - before[c], sum[c] / 60, 1e-5 * (size / 60 + 1),
                             "%d, world %u, frame %d, axis %d: %g, recorded %g", way, seed, frame, c,
                             behind[c] - before[c], sum[c] / 60);
        contacts += msd_world_get_collider_contacts(world, NULL, 0);
      }
      msd_destroy_world(world);
    }
  cr_expect_gt(contacts, 200);
}

/* Without gravity, pins and springs. */
/* Springs at pins tear in the middle of frames. */
Test(reactions, momentum_balances_in_frames_in_which_springs_tear) {
  static const msd_integrator integrators[] = {MSD_SYMPLECTIC_EULER, MSD_SEQUENTIAL_IMPULSE};
  int tearing_frames = 0;
  for (int way = 0; way < 2; way++)
    for (uint32_t seed = 1; seed <= 4; seed++) {
      msd_world *world = random_world(seed, integrators[way], 1);
      msd_damage_def damage = msd_default_damage_def();
      damage.tear_strain = (msd_real)0.3;
      for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
        if (msd_spring_get_def(world, e).law == MSD_SPRING_STIFFNESS)
          ok(world, msd_springs_set_damage(world, (msd_range){e, 1}, &damage));
      for (int frame = 0; frame < FRAMES; frame++) {
        double before[3], behind[3], unused[3], sum[3];
        const int32_t torn = msd_world_get_stats(world).torn;
        momentum(world, before, unused);
        stir(world, frame);
        step(world, 1.0 / 60, 60);
        momentum(world, behind, unused);
        all_forces(world, sum);
        tearing_frames += msd_world_get_stats(world).torn > torn;
        for (int c = 0; c < 3; c++)
          cr_expect_float_eq(behind[c] - before[c], sum[c] / 60, 3e-5,
                             "%d, world %u, frame %d, axis %d: %g, recorded %g", way, seed, frame, c,
                             behind[c] - before[c], sum[c] / 60);
      }
      msd_destroy_world(world);
    }
  cr_expect_gt(tearing_frames, 10);
}

Test(reactions, colliders_take_the_recorded_angular_momentum) {
  for (uint32_t seed = 1; seed <= 8; seed++) {
    generator random = {.state = seed};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    for (int i = 0; i < 200; i++) {
      const msd_vec3 x = random_place(&random, 0.5);
      add_particle(world, 0.05, (double)x.x, (double)x.y, (double)x.z);
      set_velocity(world, i, -8 * (double)x.x, -8 * (double)x.y, -6 * (double)x.z + 1);
    }
    for (int kind = 0; kind < MSD_COLLIDER_KIND_COUNT; kind++) {
      msd_collider_def def = random_collider(&random, (msd_collider_kind)kind, 0.3);
      def.friction = (msd_real)0.4;
      add_collider(world, def);
    }
    ok(world, msd_world_set_record(world, MSD_RECORD_CONTACTS));
    for (int frame = 0; frame < 6; frame++) {
      double p[2][3], l[2][3];
      msd_vec3 at[MSD_COLLIDER_KIND_COUNT];
      momentum(world, p[0], l[0]);
      for (int n = 0; n < MSD_COLLIDER_KIND_COUNT; n++)
        at[n] = msd_collider_get_def(world, n).position;
      step(world, 1.0 / 60, 20);
      momentum(world, p[1], l[1]);
      for (int n = 0; n < MSD_COLLIDER_KIND_COUNT; n++) {
        msd_vec3 f, t;
        cr_assert_eq(msd_collider_get_reaction(world, n, &f, &t), MSD_OK);
        for (int c = 0; c < 3; c++) {
          const int d = (c + 1) % 3, e = (c + 2) % 3;
          p[0][c] -= component(f, c) / 60;
          l[0][c] -= (component(t, c) + component(at[n], d) * component(f, e) -
                      component(at[n], e) * component(f, d)) /
                     60;
        }
      }
      for (int c = 0; c < 3; c++) {
        cr_expect_float_eq(p[1][c], p[0][c], 2e-5, "world %u, frame %d", seed, frame);
        cr_expect_float_eq(l[1][c], l[0][c], 2e-5, "world %u, frame %d", seed, frame);
      }
    }
    msd_destroy_world(world);
  }
}

Test(reactions, the_record_has_the_same_bits_on_any_number_of_threads_and_changes_no_bit) {
  uint64_t hash[5];
  msd_vec3 found[5][PINS + 1];
  for (int n = 0; n < 5; n++) {
    msd_world *world = random_world(5, MSD_SYMPLECTIC_EULER, n < 3 ? n + 1 : 1);
    ok(world, msd_world_set_simd(world, n == 3 ? MSD_SIMD_SCALAR : MSD_SIMD_WIDEST));
    if (n == 4)
      ok(world, msd_world_set_record(world, MSD_RECORD_NOTHING));
    for (int frame = 0; frame < FRAMES; frame++) {
      stir(world, frame);
      step(world, 1.0 / 60, 60);
    }
    hash[n] = msd_world_hash(world);
    cr_expect_eq(hash[n], hash[0], "%d", n);
    for (int k = 0; k < PINS && n < 4; k++)
      found[n][k] = reaction(world, BALLS + k);
    if (n < 4)
      msd_collider_get_reaction(world, 1, &found[n][PINS], NULL);
    cr_expect(n == 4 || memcmp(found[n], found[0], sizeof found[0]) == 0, "%d", n);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------------ contacts */

typedef struct event_counts {
  int begun, ended;
} event_counts;

static void on_begin(const msd_world *world, const msd_contact_event *touch, void *context) {
  (void)world;
  (void)touch;
  ((event_counts *)context)->begun++;
}

static void on_end(const msd_world *world, const msd_contact_event *touch, void *context) {
  (void)world;
  (void)touch;
  ((event_counts *)context)->ended++;
  cr_expect_leq(((event_counts *)context)->ended, ((event_counts *)context)->begun);
}

Test(contacts_of_a_frame, a_ball_that_grazes_a_particle_at_any_speed_is_reported_once) {
  static const double speeds[] = {3, 10, 40};
  for (int n = 0; n < 3; n++) {
    event_counts counts = {0, 0};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_particle(world, 0.01, 0, 0, 0);
    msd_collider_def ball = sphere_of(0.05);
    ball.position = vector(-1, 0.054, 0);
    ball.friction = 0;
    add_collider(world, ball);
    const msd_callbacks callbacks = {.contact_begin = on_begin, .contact_end = on_end, .context = &counts};
    ok(world, msd_world_set_callbacks(world, &callbacks));
    double impulse[3] = {0};
    for (double x = -1; x < 1; x += speeds[n] / 60) {
      move_collider(world, 0, vector(x + speeds[n] / 60, 0.054, 0), degrees(0, 0, 0));
      step(world, 1.0 / 60, 40);
      msd_collider_contact contact;
      if (msd_world_get_collider_contacts(world, &contact, 1) == 1)
        for (int c = 0; c < 3; c++)
          impulse[c] += component(contact.impulse, c);
    }
    cr_expect(counts.begun == 1 && counts.ended == 1, "%g m/s: begun %d, ended %d", speeds[n], counts.begun,
              counts.ended);
    for (int c = 0; c < 3; c++)
      cr_expect_float_eq(impulse[c], 0.01 * component(msd_particle_get_velocity(world, 0), c), 1e-6);
    cr_expect_gt(length_of(impulse), 0.004);
    msd_destroy_world(world);
  }
}

Test(contacts_of_a_frame, each_pair_is_listed_with_its_own_impulse) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 0.5, 0.3, 0.3, 0);
  set_velocity(world, 0, -4, -8, 0);
  add_collider(world, plane_of(vector(0, 1, 0)));
  add_collider(world, plane_of(vector(1, 0, 0)));
  set_contact(world, 0.005, 0, 0);
  ok(world, msd_world_set_record(world, MSD_RECORD_CONTACTS));
  step(world, 0.2, 100);
  msd_collider_contact contacts[3];
  cr_assert_eq(msd_world_get_collider_contacts(world, contacts, 3), 2);
  for (int n = 0; n < 2; n++) {
    cr_expect(contacts[n].particle == 0 && contacts[n].collider == n);
    expect_vector(contacts[n].impulse, n == 1 ? 2 : 0, n == 0 ? 4 : 0, 0, 1e-4, "impulse");
    expect_vector(contacts[n].force, n == 1 ? 10 : 0, n == 0 ? 20 : 0, 0, 1e-3, "force");
    expect_vector(contacts[n].normal, n == 1, n == 0, 0, 1e-6, "normal");
    cr_expect_float_eq(component(contacts[n].point, n == 0), 0, 1e-6);
  }
  step(world, 0.2, 100);
  cr_expect_eq(msd_world_get_collider_contacts(world, NULL, 0), 0);
  msd_destroy_world(world);
}

Test(contacts_of_a_frame, meshes_exchange_the_recorded_momentum_and_pins_carry_it) {
  touching t = contact_step_new(vector(0, 0, 0), 0.3, 0);
  const int32_t held = touching_triangle(&t, 0.3, vector(0, 0, 0), vector(1, 0, 0), vector(0, 0, 1));
  const int32_t thrown =
      touching_triangle(&t, 0.3, vector(0.1, 0.02, 0.1), vector(0.6, 0.02, 0.1), vector(0.1, 0.02, 0.6));
  pin_all(t.world, held, 3);
  throw_all(t.world, thrown, 3, vector(0.1, -0.6, 0));
  ok(t.world, msd_world_set_record(t.world, MSD_RECORD_ALL));
  bool touched = false;
  for (int frame = 0; frame < 10; frame++) {
    double before[3], behind[3], unused[3];
    momentum(t.world, before, unused);
    step(t.world, 1.0 / 60, 40);
    momentum(t.world, behind, unused);
    msd_mesh_contact contacts[64];
    const int32_t count = msd_world_get_mesh_contacts(t.world, contacts, 64);
    cr_assert_leq(count, 64);
    touched = touched || count > 0;
    for (int c = 0; c < 3; c++) {
      double sum = 0, held_by = 0;
      for (int32_t n = 0; n < count; n++)
        sum += component(contacts[n].impulse, c) * (contacts[n].particles[0] >= thrown ? 1 : -1);
      for (int n = 0; n < 3; n++)
        held_by += component(reaction(t.world, held + n), c) / 60;
      cr_expect_float_eq(behind[c] - before[c], sum, 2e-6, "frame %d", frame);
      cr_expect_float_eq(held_by, sum, 2e-6, "frame %d", frame);
    }
  }
  cr_expect(touched);
  contact_step_free(&t);
}

/* --------------------------------------------------------------------------------------- what is not known */

Test(reactions, what_is_not_recorded_or_not_known_is_refused) {
  msd_vec3 force;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, 0, 0, 0);
  add_particle(world, 1, 1.1, 0, 0);
  add_spring(world, physical(10, 0), 0, 1, 1);
  cr_expect_eq(msd_world_set_record(world, 8), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_set_record(world, -1), MSD_BAD_VALUE);
  step(world, 0.1, 4);
  cr_expect_eq(msd_particle_get_reaction(world, 0, &force), MSD_BAD_VALUE, "not recorded");
  ok(world, msd_world_set_record(world, MSD_RECORD_PINS));
  cr_expect_eq(msd_world_get_record(world), MSD_RECORD_PINS);
  cr_expect_eq(msd_particle_get_reaction(world, 0, &force), MSD_BAD_VALUE, "not yet");
  step(world, 0.1, 4);
  cr_expect_eq(msd_particle_get_reaction(world, 0, &force), MSD_OK);
  cr_expect_lt((double)force.x, 0);
  cr_expect_eq(msd_particle_get_reaction(world, 1, &force), MSD_BAD_INDEX, "not pinned");
  cr_expect_eq(msd_particle_get_reaction(world, 2, &force), MSD_BAD_INDEX);
  cr_expect_eq(msd_particle_get_reaction(NULL, 0, &force), MSD_BAD_VALUE);
  cr_expect_eq(msd_collider_get_reaction(world, 0, &force, NULL), MSD_BAD_INDEX);
  cr_expect_eq(msd_soft_pin_get_reaction(world, 0, &force), MSD_BAD_INDEX);
  add_pin(world, 5, 5, 5);
  cr_expect_eq(msd_particle_get_reaction(world, 2, &force), MSD_BAD_INDEX, "added since");
  ok(world, msd_world_set_integrator(world, MSD_RK4));
  step(world, 0.1, 4);
  cr_expect_eq(msd_particle_get_reaction(world, 0, &force), MSD_BAD_VALUE, "several forces a substep");
  msd_destroy_world(world);
}

/* What colliders do to particles in a substep, and what they never do. The oracles are Coulomb's law, statics,
   distances computed in tests/support/colliders.h, and the theorems of docs/theory/contact.md. */
#include "tests/support/colliders.h"
#include "tests/support/share.h"

static const double THICKNESS = 0.005, G = 9.81, FRAME = 1.0 / 60;
/* m/s: colliders push out at 5 cm/s what is nearer than the thickness. */
static const double PUSH = 0.05;

static msd_world *heavy_world(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, vector(0, -G, 0)));
  return world;
}

static double length_of(msd_vec3 v) {
  return sqrt(component(v, 0) * component(v, 0) + component(v, 1) * component(v, 1) +
              component(v, 2) * component(v, 2));
}

static double speed_of(const msd_world *world, int32_t i) {
  return length_of(msd_particle_get_velocity(world, i));
}

static double dot_of(msd_vec3 a, msd_vec3 b) {
  return component(a, 0) * component(b, 0) + component(a, 1) * component(b, 1) +
         component(a, 2) * component(b, 2);
}

/* ------------------------------------------------------------------------------------------------ friction */

/* Slopes that fall toward -x by an angle: a plane that is turned, one with such a normal, the top of a box. */
enum { SLOPES = 3 };

static msd_collider_def slope(int kind, double angle) {
  msd_collider_def def = kind == 2 ? box_of(20, 1, 20) : msd_default_collider_def();
  if (kind == 1)
    def.normal = vector(-sin(angle), cos(angle), 0);
  else
    def.rotation = degrees(0, 0, angle * 180 / PI);
  if (kind == 2)
    def.position = vector(sin(angle) / 2, -cos(angle) / 2, 0);
  return def;
}

/* On the slope, `up` meters along it and as near as it may be. */
static msd_vec3 on_slope(double angle, double up, double z) {
  return vector(up * cos(angle) - THICKNESS * sin(angle), up * sin(angle) + THICKNESS * cos(angle), z);
}

static double speed_down(const msd_world *world, double angle) {
  double sum = 0;
  const int32_t particles = msd_world_get_particle_count(world);
  for (int32_t i = 0; i < particles; i++)
    sum -= dot_of(msd_particle_get_velocity(world, i), vector(cos(angle), sin(angle), 0));
  return sum / particles;
}

Test(contacts, a_particle_stays_on_a_slope_below_the_angle_of_friction) {
  for (int kind = 0; kind < SLOPES; kind++) {
    const double angle = atan(0.3) * 0.99;
    msd_world *world = heavy_world();
    add_collider(world, slope(kind, angle));
    const msd_vec3 begin = on_slope(angle, 0.3, 0.1);
    add_particle(world, 2, (double)begin.x, (double)begin.y, (double)begin.z);
    step(world, FRAME, 40);
    const msd_vec3 before = msd_particle_get_position(world, 0);
    for (int frame = 0; frame < 120; frame++) {
      step(world, FRAME, 40);
      cr_assert_lt(speed_of(world, 0), 1e-8, "slope %d", kind);
    }
    const msd_vec3 after = msd_particle_get_position(world, 0);
    cr_expect_eq(memcmp(&before, &after, sizeof before), 0, "slope %d: it has crept", kind);
    msd_destroy_world(world);
  }
}

Test(contacts, a_particle_slides_on_a_steeper_slope_as_coulomb_says) {
  for (int kind = 0; kind < SLOPES; kind++)
    for (double mu = 0; mu < 0.5; mu += 0.2) {
      const double angle = 0.5, expected = G * (sin(angle) - mu * cos(angle));
      msd_world *world = heavy_world();
      set_contact(world, THICKNESS, mu, 0);
      add_collider(world, slope(kind, angle));
      const msd_vec3 begin = on_slope(angle, 0, 0);
      add_particle(world, 0.1, (double)begin.x, (double)begin.y, (double)begin.z);
      for (int frame = 0; frame < 60; frame++)
        step(world, FRAME, 40);
      cr_expect_float_eq(speed_down(world, angle), expected, 1e-3 * expected, "slope %d, mu %g", kind, mu);
      msd_destroy_world(world);
    }
}

static void add_sheet(msd_world *world, double angle) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 8;
  def.origin = on_slope(angle, 0, 0);
  def.u = vector(0.5 * cos(angle), 0.5 * sin(angle), 0);
  def.v = vector(0, 0, 0.5);
  def.stretch = def.shear = physical(200, 0.1);
  ok(world, msd_add_cloth(world, &def, NULL));
}

Test(contacts, a_cloth_obeys_the_angle_of_friction_like_a_particle) {
  for (int n = 0; n < 2; n++) {
    const double angle = atan(0.3) + (n ? 0.2 : -0.02), expected = G * (sin(angle) - 0.3 * cos(angle));
    msd_world *world = heavy_world();
    add_collider(world, slope(0, angle));
    add_sheet(world, angle);
    for (int frame = 0; frame < 60; frame++)
      step(world, FRAME, 40);
    if (n)
      cr_expect_float_eq(speed_down(world, angle), expected, 1e-3 * expected);
    for (int32_t i = 0; i < 64 && !n; i++)
      cr_expect_lt(speed_of(world, i), 1e-6, "particle %d", (int)i);
    msd_destroy_world(world);
  }
}

/* A rope over a round bar, with 1 N at one end and `pull` at the other. Returns how far the other end comes in
   the last half second. */
static double capstan(double mu, double pull) {
  enum { LINKS = 160 };
  const double radius = 0.2 - THICKNESS, pitch = PI * 0.2 / (LINKS / 2);
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_linear_damping(world, 4));
  set_contact(world, THICKNESS, mu, 0);
  add_collider(world, capsule_of(radius, vector(0, 0, -1), vector(0, 0, 1)));
  for (int i = 0; i <= LINKS; i++) {
    const double s = (i - LINKS / 4) * pitch, turn = fmin(fmax(s / 0.2, 0), PI);
    const double below = s < 0 ? s : fmin(PI * 0.2 - s, 0);
    add_particle(world, 0.005, -0.2 * cos(turn), 0.2 * sin(turn) + below, 0);
  }
  for (int i = 0; i < LINKS; i++)
    add_spring(world, physical(40000, 4), i, i + 1, pitch);
  double half = 0;
  for (int frame = 0; frame < 120; frame++) {
    if (frame == 90)
      half = (double)msd_particle_get_position(world, LINKS).y;
    ok(world, msd_particle_apply_force(world, 0, vector(0, -1, 0)));
    ok(world,
       msd_particle_apply_force(world, LINKS, vector(0, -(1 + (pull - 1) * fmin(frame / 15.0, 1)), 0)));
    step(world, FRAME, 80);
  }
  half -= (double)msd_particle_get_position(world, LINKS).y;
  msd_destroy_world(world);
  return half;
}

/* Euler and Eytelwein: half a turn holds e^(mu pi) times what is at the other end, and no more. */
Test(contacts, a_rope_over_a_bar_holds_as_much_as_the_capstan_equation_says) {
  for (double mu = 0.1; mu < 0.4; mu += 0.2) {
    const double most = exp(mu * PI);
    cr_expect_lt(capstan(mu, 0.99 * most), 1e-4, "mu %g", mu);
    cr_expect_gt(capstan(mu, 1.01 * most), 5e-4, "mu %g", mu);
  }
}

/* ------------------------------------------------------------------------------------------- what they hold */

static msd_vec3 start_outside(const msd_collider_def *def, generator *random, double least) {
  msd_vec3 place;
  do
    place = random_place(random, 2);
  while (distance_from(def, place) < least);
  return place;
}

/* Straight at the nearest point the outward speed is that of rounding ever after. */
Test(contacts, nothing_bounces) {
  static const double speeds[] = {0.01, 0.3, 3, 30};
  for (int n = 0; n < 160; n++) {
    generator random = {.state = 1 + (uint64_t)n};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_collider(world, random_collider(&random, (msd_collider_kind)(n % 4), 0.2));
    msd_collider_def def = msd_collider_get_def(world, 0);
    const msd_vec3 at = start_outside(&def, &random, 0.06);
    const double x = (double)at.x, y = (double)at.y, z = (double)at.z, h = 1e-3;
    const double gap = distance_from(&def, at);
    const msd_vec3 out = vector(
        (distance_from(&def, vector(x + h, y, z)) - distance_from(&def, vector(x - h, y, z))) / (2 * h),
        (distance_from(&def, vector(x, y + h, z)) - distance_from(&def, vector(x, y - h, z))) / (2 * h),
        (distance_from(&def, vector(x, y, z + h)) - distance_from(&def, vector(x, y, z - h))) / (2 * h));
    const double speed = speeds[n / 4 % 4], factor = -speed / length_of(out), near = gap - 0.05;
    add_particle(world, 1, x - near * (double)out.x, y - near * (double)out.y, z - near * (double)out.z);
    set_velocity(world, 0, factor * (double)out.x, factor * (double)out.y, factor * (double)out.z);
    const double dt = fmin(0.05 / speed / 20.5, 1.0 / 240);
    for (int substep = 0; substep * dt * speed < 0.1; substep++) {
      step(world, dt, 1);
      const double back = dot_of(msd_particle_get_velocity(world, 0), out) / length_of(out);
      cr_assert_lt(back, 16 * EPSILON / dt, "%d: %g m/s after %g m/s", n, back, speed);
    }
    cr_expect_float_eq(distance_from(&def, msd_particle_get_position(world, 0)), THICKNESS,
                       1e-3 * THICKNESS + 64 * EPSILON, "%d", n);
    msd_destroy_world(world);
  }
}

Test(contacts, a_particle_is_never_nearer_to_a_collider_than_the_thickness) {
  enum { PARTICLES = 48 };
  for (int n = 0; n < 24; n++) {
    generator random = {.state = 100 + (uint64_t)n};
    msd_world *world = heavy_world();
    set_contact(world, THICKNESS, n % 3 * 0.4, 0);
    add_collider(world, random_collider(&random, (msd_collider_kind)(n % 4), 0.2));
    const msd_collider_def def = msd_collider_get_def(world, 0);
    for (int32_t i = 0; i < PARTICLES; i++) {
      const msd_vec3 at = start_outside(&def, &random, THICKNESS);
      add_particle(world, exp(4 * random_share(&random)), (double)at.x, (double)at.y, (double)at.z);
    }
    for (int frame = 0; frame < 60; frame++) {
      for (int32_t i = 0; i < PARTICLES; i++) {
        const msd_vec3 at = msd_particle_get_position(world, i), kick = random_place(&random, 10);
        set_velocity(world, i, -20 * (double)at.x + (double)kick.x, -20 * (double)at.y + (double)kick.y,
                     -20 * (double)at.z + (double)kick.z);
      }
      for (int substep = 0; substep < 12; substep++) {
        step(world, FRAME / 4, 1 + n % 2);
        for (int32_t i = 0; i < PARTICLES; i++)
          cr_assert_gt(distance_from(&def, msd_particle_get_position(world, i)), THICKNESS - 64 * EPSILON,
                       "collider %d, frame %d, particle %d", n, frame, (int)i);
      }
    }
    msd_destroy_world(world);
  }
}

/* At the origin and at rest, too, where nothing tells that it has moved. */
Test(contacts, what_begins_within_is_pushed_out_at_five_centimeters_a_second) {
  const msd_collider_def all[] = {plane_of(vector(0, 1, 0)), sphere_of(0.1),
                                  capsule_of(0.1, vector(-1, 0, 0), vector(1, 0, 0)), box_of(1, 0.2, 1)};
  for (int n = 0; n < 4; n++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_collider(world, all[n]);
    add_particle(world, 1, 0, 0, 0);
    double time = 0, most = 0;
    for (; distance_from(&all[n], msd_particle_get_position(world, 0)) < 0.999 * THICKNESS && time < 5;
         time += FRAME / 8) {
      step(world, FRAME / 8, 1);
      most = fmax(most, speed_of(world, 0));
    }
    const double depth = THICKNESS + (n ? 0.1 : 0);
    cr_expect_float_eq(time, depth / PUSH, 0.02 * depth / PUSH + FRAME / 8, "kind %d", n);
    cr_expect_leq(most, PUSH * 1.001, "kind %d", n);
    msd_destroy_world(world);
  }
}

/* --------------------------------------------------------------------------------------------------- energy */

/* Particles of 0.1 to 10 kg that begin outside of all colliders. */
static msd_world *among_colliders(uint64_t seed, int colliders, int particles) {
  generator random = {.state = seed};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int c = 0; c < colliders; c++) {
    msd_collider_def def = random_collider(&random, (msd_collider_kind)(c % 4), 1);
    if (def.kind == MSD_COLLIDER_PLANE) { /* all around */
      def.normal = random_place(&random, 1);
      def.rotation = (msd_quaternion){1, 0, 0, 0};
      def.position =
          vector(-1.5 * (double)def.normal.x, -1.5 * (double)def.normal.y, -1.5 * (double)def.normal.z);
    }
    def.friction = (msd_real)(c % 3 ? MSD_CONTACT_FRICTION : 0.7);
    add_collider(world, def);
  }
  for (int32_t i = 0; i < particles; i++) {
    msd_vec3 at, v = random_place(&random, 10);
    do
      at = random_place(&random, 2);
    while (distance_from_all(world, at) < THICKNESS);
    add_particle(world, exp(log(10) * (2 * random_share(&random) - 1)), (double)at.x, (double)at.y,
                 (double)at.z);
    set_velocity(world, i, (double)v.x, (double)v.y, (double)v.z);
  }
  return world;
}

/* The most by which the energy of 1 kg grows in one of 400 substeps, in J. */
static double growth(uint64_t seed, int colliders, double friction, double relaxation) {
  enum { PARTICLES = 40 };
  const double dt = seed % 3 ? 1.0 / 240 : 1.0 / 30;
  msd_world *world = among_colliders(seed, colliders, PARTICLES);
  set_contact(world, THICKNESS, friction, relaxation);
  double before[PARTICLES], most = -1;
  for (int substep = 0; substep <= 400; substep++) {
    for (int32_t i = 0; i < PARTICLES; i++) {
      const double now = speed_of(world, i) * speed_of(world, i) / 2;
      if (substep > 0)
        most = fmax(most, now - before[i]);
      before[i] = now;
    }
    step(world, dt, 1);
  }
  msd_destroy_world(world);
  return most;
}

static const int COUNTS[] = {1, 2, 4, 10, 40};

Test(contacts, colliders_that_stand_add_no_kinetic_energy) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const double grown = growth(seed, COUNTS[seed % 5], (double)(seed % 4) * 0.3, 0);
    cr_expect_leq(grown, IS_DOUBLE ? 1e-11 : 6e-5, "seed %d: %g J", (int)seed, grown);
  }
}

/* What is soft lets a particle nearer than the thickness, and pushes it out again at PUSH. */
Test(contacts, a_soft_collider_gives_back_no_more_than_the_speed_at_which_it_pushes) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    const double grown = growth(seed, 1, (double)(seed % 4) * 0.3, seed % 2 ? 0.9 : 0.4);
    cr_expect_leq(grown, PUSH * PUSH / 2 + 500 * EPSILON, "seed %d: %g J", (int)seed, grown);
  }
}

static msd_spring_def random_hard_limit(generator *random, int32_t particles) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_HARD_LIMIT;
  def.mode = random_below(random, 2) ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY;
  def.ck = (msd_real)(0.01 + 0.99 * random_share(random));
  def.a = random_below(random, particles);
  def.b = (def.a + 1 + random_below(random, particles - 1)) % particles;
  def.rest_length = (msd_real)(2 * random_share(random));
  return def;
}

/* One that rubs, or several that do not. */
Test(contacts, neither_do_they_beside_hard_limits) {
  enum { PARTICLES = 30, HARD_LIMITS = 60 };
  const double rounding = IS_DOUBLE ? 1e-11 : 3e-5;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    generator random = {.state = seed};
    const bool is_alone = seed % 2;
    msd_world *world = among_colliders(seed, is_alone ? 1 : 6, PARTICLES);
    set_contact(world, THICKNESS, is_alone ? 0.5 : 0, 0);
    for (int32_t c = 0; c < msd_world_get_collider_count(world) && !is_alone; c++) {
      msd_collider_def def = msd_collider_get_def(world, c);
      def.friction = 0;
      ok(world, msd_collider_set_def(world, c, &def));
    }
    for (int32_t e = 0; e < HARD_LIMITS; e++) {
      const msd_spring_def def = random_hard_limit(&random, PARTICLES);
      ok(world, msd_add_springs(world, &def, 1, NULL));
    }
    const double dt = pow(10, -(double)(1 + seed % 3));
    step(world, dt, 1); /* which says what k is */
    double last = INFINITY, begin = 0;
    for (int n = 0; n < 400; n++) {
      const msd_stats stats = msd_world_get_stats(world);
      const double now = stats.kinetic_energy + stats.elastic_energy;
      begin = n ? begin : now;
      cr_assert_leq(now, last + rounding * begin, "seed %d, substep %d: %g after %g J", (int)seed, n, now,
                    last);
      last = now;
      step(world, dt, 1);
    }
    msd_destroy_world(world);
  }
}

/* Springs at 0.98 of the certified limit, on a plane with friction; lightly damped, so that they make no energy
   of their own. */
Test(contacts, take_nothing_of_the_certified_step) {
  enum { PARTICLES = 20, SPRINGS = 50 };
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    msd_world *world = heavy_world();
    for (int32_t i = 0; i < PARTICLES; i++)
      add_particle(world, exp(2 * random_share(&random)), random_share(&random),
                   THICKNESS + random_share(&random) / 20, random_share(&random));
    for (int32_t e = 0; e < SPRINGS; e++) {
      const int32_t a = random_below(&random, PARTICLES),
                    b = (a + 1 + random_below(&random, PARTICLES - 1)) % PARTICLES;
      add_spring(world, physical(100 * (0.1 + random_share(&random)), 0.5), a, b,
                 0.5 * random_share(&random));
    }
    msd_stability without, with;
    ok(world, msd_world_analyze_stability(world, 1, &without));
    add_collider(world, plane_of(vector(0, 1, 0)));
    ok(world, msd_world_analyze_stability(world, 1, &with));
    cr_expect_eq(without.stable_substep, with.stable_substep);
    const msd_stats begin = msd_world_get_stats(world);
    const double all = begin.kinetic_energy + begin.elastic_energy + begin.total_mass * G;
    for (int n = 0; n < 20; n++) {
      step(world, 100 * 0.98 * with.stable_substep, 100);
      const msd_stats now = msd_world_get_stats(world);
      cr_assert_lt(now.kinetic_energy + now.elastic_energy, all, "seed %d", (int)seed);
    }
    msd_destroy_world(world);
  }
}

/* -------------------------------------------------------------------------------------------------- squeezed
   */

Test(contacts, what_has_no_place_left_is_counted_and_stays_finite) {
  msd_world *world = heavy_world();
  const int32_t left = add_collider(world, box_of(1, 1, 1)), right = add_collider(world, box_of(1, 1, 1));
  const msd_quaternion none = {1, 0, 0, 0};
  msd_collider_def def = box_of(1, 1, 1);
  for (int side = 0; side < 2; side++) {
    def.position = vector(side ? 0.55 : -0.55, 0, 0);
    ok(world, msd_collider_set_def(world, side ? right : left, &def));
  }
  add_particle(world, 1, 0, 0.1, 0);
  ok(world, msd_world_set_gravity(world, vector(0, 0, 0)));
  for (int frame = 0; frame < 60; frame++) {
    const double at = 0.55 - 0.001 * (frame + 1);
    move_collider(world, left, vector(-at, 0, 0), none);
    move_collider(world, right, vector(at, 0, 0), none);
    step(world, FRAME, 8);
    const msd_vec3 x = msd_particle_get_position(world, 0);
    cr_assert(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    const double room = 2 * (at - 0.5) - 2 * THICKNESS;
    const int32_t squeezed = msd_world_get_stats(world).squeezed;
    if (room > 1e-5)
      cr_expect_eq(squeezed, 0, "%g m are left", room);
    if (room < -THICKNESS)
      cr_expect_eq(squeezed, 1, "%g m are left", room);
  }
  msd_destroy_world(world);
}

/* No room is lost by rounding where the thickness is 0. */
Test(contacts, nothing_is_forced_by_one_collider) {
  for (int n = 0; n < 8; n++) {
    generator random = {.state = 7 + (uint64_t)n};
    msd_world *world = heavy_world();
    set_contact(world, n / 4 * THICKNESS, 0.3, 0);
    msd_collider_def def = slope(n % 3, 0.6);
    add_collider(world, def);
    for (int32_t i = 0; i < 30; i++)
      add_particle(world, 1, 3 * random_share(&random), 3 + random_share(&random), 3 * random_share(&random));
    for (int frame = 0; frame < 60; frame++) {
      step(world, FRAME, 3);
      cr_assert_eq(msd_world_get_stats(world).squeezed, 0);
    }
    msd_destroy_world(world);
  }
}

/* ----------------------------------------------------------------------------------------------------- bits */

typedef struct running {
  msd_integrator integrator;
  int threads;
  msd_simd simd;
  /* What is known of clearances is forgotten before each step. */
  bool forgets;
} running;

/* A network that falls through a heap of 40 colliders, of which some move. */
static msd_world *run_through_a_heap(const graph *g, running r) {
  generator random = {.state = 9};
  msd_world *world = world_of(g, &(making){LAWS_COEFFICIENT, .seed = 3, .pins = true, .sides = 5});
  ok(world, msd_world_set_integrator(world, r.integrator));
  ok(world, msd_world_set_thread_count(world, r.threads));
  ok(world, msd_world_set_simd(world, r.simd));
  const int32_t middle = g->particles / 2;
  for (int c = 0; c < 40; c++) {
    msd_collider_def def = random_collider(&random, (msd_collider_kind)(c % 4), 0.3);
    const double away = def.kind == MSD_COLLIDER_PLANE ? 3 : 0;
    def.position.x += g->at[middle].x, def.position.y += g->at[middle].y - (msd_real)away;
    def.position.z += g->at[middle].z;
    def.rotation = def.kind == MSD_COLLIDER_PLANE ? (msd_quaternion){1, 0, 0, 0} : def.rotation;
    add_collider(world, def);
  }
  const msd_contact_settings contact = msd_world_get_contact_settings(world);
  for (int frame = 0; frame < 12; frame++) {
    for (int32_t c = 0; c < 40; c += 7)
      move_collider(world, c, msd_collider_get_def(world, c).position, degrees(frame, 3 * frame, c));
    if (frame % 4 == 3)
      ok(world, msd_particle_set_position(world, frame / 4, g->at[frame / 4]));
    if (r.forgets)
      ok(world, msd_world_set_contact_settings(world, &contact));
    step(world, FRAME, 8);
  }
  cr_expect_gt(msd_world_get_stats(world).contacts, 0);
  return world;
}

Test(contacts, have_the_same_bits_with_any_threads_and_vectors) {
  static const running others[] = {{.threads = 2},
                                   {.threads = 3, .simd = MSD_SIMD_128},
                                   {.threads = 5, .simd = MSD_SIMD_256},
                                   {.threads = 8, .simd = MSD_SIMD_512},
                                   {.threads = 1, .simd = MSD_SIMD_128},
                                   {.threads = 1, .forgets = true}};
  graph shapes[] = {graph_cloth(40, 37, CLOTH_BEND), graph_random(500, 900, 4), graph_rope(60, true),
                    graph_of_points(5)};
  for (int n = 0; n < 8; n += in_part ? 3 : 1) {
    running r = {n % 2 ? MSD_SEQUENTIAL_IMPULSE : MSD_SYMPLECTIC_EULER, 1, MSD_SIMD_SCALAR, false};
    msd_world *first = run_through_a_heap(&shapes[n / 2], r);
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
      running other = others[o];
      other.integrator = r.integrator;
      msd_world *world = run_through_a_heap(&shapes[n / 2], other);
      cr_expect_eq(first_difference(first, world), -1, "shape %d, %d threads, other %d", n, other.threads,
                   (int)o);
      msd_destroy_world(world);
    }
    msd_destroy_world(first);
  }
  for (int n = 0; n < 4; n++)
    graph_free(&shapes[n]);
}

/* A network that fits in no cache would take several substeps in one pass. */
Test(contacts, are_counted_alike_when_fewer_threads_come) {
  msd_world *worlds[2];
  for (int n = 0; n < 2; n++) {
    worlds[n] = heavy_world();
    for (int32_t i = 0; i < 600; i++)
      add_particle(worlds[n], 1, 0.1 * (i % 30), THICKNESS, 0.1 * (i / 30));
    add_collider(worlds[n], plane_of(vector(0, 1, 0)));
    ok(worlds[n], msd_world_set_thread_count(worlds[n], n ? 1 : 4));
    step(worlds[n], FRAME, 4);
    ok(worlds[n], msd_world_set_thread_count(worlds[n], 1));
    step(worlds[n], FRAME, 4);
  }
  cr_expect_eq(msd_world_get_stats(worlds[1]).contacts, 600);
  cr_expect_eq(msd_world_get_stats(worlds[0]).contacts, 600);
  msd_destroy_world(worlds[0]);
  msd_destroy_world(worlds[1]);
}

Test(contacts, a_collider_that_is_far_away_changes_no_bit) {
  graph shapes[] = {graph_cloth(400, 300, CLOTH_SHEAR), graph_random(300, 500, 4),
                    graph_cloth(40, 37, CLOTH_BEND)};
  for (int n = 0; n < 3; n++) {
    const making m = {LAWS_COEFFICIENT, .seed = 3, .pins = true};
    msd_world *without = world_of(&shapes[n], &m), *with = world_of(&shapes[n], &m);
    msd_collider_def def = sphere_of(1);
    def.position = vector(0, 1000, 0);
    add_collider(with, def);
    step(without, FRAME, 6);
    step(with, FRAME, 6);
    cr_expect_eq(first_difference(without, with), -1, "%d", n);
    msd_destroy_world(without);
    msd_destroy_world(with);
    graph_free(&shapes[n]);
  }
}

/* Turns within a frame: pins, soft pins and colliders stay on their circles, at any speed, and particles that
   stick to a collider go round with it at their own distance from the axis. The oracle is the rotation
   itself. */
#include "tests/support/colliders.h"
#include "tests/support/pi.h"
#include "tests/support/snapshots.h"

static const double FRAME = 1.0 / 60, THICKNESS = 0.005, R = 0.1;

static msd_soft_pin_def held(int32_t particle, double frequency, double ratio) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = particle;
  def.frequency = (msd_real)frequency;
  def.damping_ratio = (msd_real)ratio;
  return def;
}

static void soft_pin(msd_world *world, msd_soft_pin_def def) {
  ok(world, msd_add_soft_pins(world, &def, 1, NULL));
}

static msd_turn turn_about_z(double angle) {
  return (msd_turn){.rotation = vector(0, 0, angle)};
}

static msd_quaternion about_z(double angle) {
  return (msd_quaternion){cos(angle / 2), 0, 0, sin(angle / 2)};
}

static double angle_of(msd_vec3 x) {
  return atan2((double)x.y, (double)x.x);
}

/* In -pi to pi. */
static double wrapped(double angle) {
  return angle - 2 * PI * floor(angle / (2 * PI) + 0.5);
}

/* -------------------------------------------------------------------------- particles on turning colliders */

/* A drum of each kind, with its surface at x = R. */
static msd_collider_def drum_of(int kind) {
  msd_collider_def plane = plane_of(vector(1, 0, 0));
  plane.position = vector(R, 0, 0);
  return kind == MSD_COLLIDER_PLANE     ? plane
         : kind == MSD_COLLIDER_SPHERE  ? sphere_of(R)
         : kind == MSD_COLLIDER_CAPSULE ? capsule_of(R, vector(0, 0, -0.3), vector(0, 0, 0.3))
                                        : box_of(2 * R, 2 * R, 2 * R);
}

/* A particle that a spring pulls to the axis, against the drum. */
static msd_world *winding(int kind, double stiffness) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  set_contact(world, THICKNESS, 3, 0);
  add_collider(world, drum_of(kind));
  add_pin(world, 0, 0, 0);
  add_particle(world, 0.01, R + THICKNESS, 0, 0);
  add_spring(world, physical(stiffness, 0), 0, 1, 0.5 * R);
  return world;
}

static void send_drum(msd_world *world, int kind, double angle, double turn) {
  const msd_vec3 at =
      kind == MSD_COLLIDER_PLANE ? vector(R * cos(angle), R * sin(angle), 0) : vector(0, 0, 0);
  ok(world, msd_collider_move_along(world, 0, at, about_z(angle), turn_about_z(turn)));
}

/* Returns by how many radians the particle is behind after `turns` turns. */
static double lag_of(int kind, double per_second, double turns, int substeps) {
  const double turn = 2 * PI * per_second * FRAME;
  msd_world *world = winding(kind, 4000);
  double angle = 0;
  while (angle < 2 * PI * turns) {
    angle += turn;
    send_drum(world, kind, angle, turn);
    step(world, FRAME, substeps);
  }
  const msd_vec3 x = msd_particle_get_position(world, 1);
  cr_expect_float_eq(hypot((double)x.x, (double)x.y), R + THICKNESS, 1e-4, "kind %d", kind);
  msd_destroy_world(world);
  return wrapped(angle - angle_of(x));
}

Test(turning, a_particle_that_sticks_to_a_drum_goes_round_exactly_with_it) {
  for (int kind = 0; kind < MSD_COLLIDER_KIND_COUNT; kind++) {
    cr_expect_float_eq(lag_of(kind, 0.3, 5, 4), 0, 1e-3, "kind %d, slow", kind);
    cr_expect_float_eq(lag_of(kind, 2, 30, 12), 0, 1e-3, "kind %d", kind);
    cr_expect_float_eq(lag_of(kind, 7, 100, 12), 0, 2e-3, "kind %d, fast", kind);
    cr_expect_float_eq(lag_of(kind, 7, 100, 0), 0, 2e-3, "kind %d, automatic substeps", kind);
  }
}

/* A drum of pins, a prism of many sides, on which a triangle lies that springs pull to the axis; by how many
   radians it is behind after some turns. `has_turn`: the pins get the turn besides their positions. */
static double lag_on_mesh(double per_second, double turns, int substeps, bool has_turn) {
  enum { SIDES = 48, RINGS = 2, PINS = SIDES * RINGS };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  set_contact(world, THICKNESS, 3, 0);
  int32_t triangles[SIDES * 2][3];
  for (int i = 0; i < PINS; i++)
    add_pin(world, R * cos(2 * PI * (i / 2) / SIDES), R * sin(2 * PI * (i / 2) / SIDES),
            i % 2 ? 0.15 : -0.15);
  for (int32_t side = 0; side < SIDES; side++) {
    const int32_t a = 2 * side, c = 2 * ((side + 1) % SIDES);
    const int32_t two[2][3] = {{a, c, a + 1}, {c, c + 1, a + 1}};
    memcpy(triangles[2 * side], two, sizeof two);
  }
  const double x = R + THICKNESS + 0.0005;
  const int32_t axis = add_pin(world, 0, 0, 0), patch[3] = {axis + 1, axis + 2, axis + 3};
  for (int corner = 0; corner < 3; corner++) {
    add_particle(world, 0.01, x, 0.004 * (corner - 1), corner == 1 ? 0.004 : 0);
    add_spring(world, physical(300, 1), axis, patch[corner], 0.5 * R);
    for (int other = 0; other < corner; other++)
      add_spring(world, physical(300, 0.5), patch[corner], patch[other], -1);
  }
  msd_collision_mesh_def defs[2] = {msd_default_collision_mesh_def(), msd_default_collision_mesh_def()};
  defs[0].triangles = triangles[0];
  defs[0].triangle_count = 2 * SIDES;
  defs[1].triangles = patch;
  defs[1].triangle_count = 1;
  ok(world, msd_add_collision_meshes(world, defs, 2, NULL));
  const double turn = 2 * PI * per_second * FRAME;
  double angle = 0, begin = 0;
  for (int frame = 0; angle < 2 * PI * turns; frame++) {
    const double step_turn = frame < 30 ? 0 : turn;
    angle += step_turn;
    for (int i = 0; i < PINS; i++) {
      const double at = 2 * PI * (i / 2) / SIDES + angle;
      const msd_vec3 place = vector(R * cos(at), R * sin(at), i % 2 ? 0.15 : -0.15);
      ok(world, has_turn ? msd_particle_move_along(world, i, place, turn_about_z(step_turn))
                         : msd_particle_move_to(world, i, place));
    }
    step(world, FRAME, substeps);
    if (frame == 29)
      begin = angle_of(msd_particle_get_position(world, patch[1]));
  }
  const double lag = wrapped(angle + begin - angle_of(msd_particle_get_position(world, patch[1])));
  msd_destroy_world(world);
  return lag;
}

Test(turning, a_triangle_that_sticks_to_a_drum_of_pins_goes_round_with_it) {
  const double slow = lag_on_mesh(0.5, 5, 40, true), fast = lag_on_mesh(1, 20, 40, true);
  cr_expect_float_eq(slow, 0, 1e-3 * 5 * 2 * PI, "%g", slow);
  cr_expect_float_eq(fast, 0, 1e-3 * 20 * 2 * PI, "%g", fast);
}

/* Followed at the radius of the surface it would be behind by a part of THICKNESS/(R + THICKNESS). */
Test(turning, a_triangle_that_sticks_to_a_drum_of_pins_without_turns_goes_round_with_it) {
  const double slow = lag_on_mesh(0.5, 5, 40, false), fast = lag_on_mesh(1, 20, 40, false);
  cr_expect_float_eq(slow, 0, 1e-3 * 5 * 2 * PI, "%g", slow);
  cr_expect_float_eq(fast, 0, 1e-3 * 20 * 2 * PI, "%g", fast);
}

/* Tops of tables at y = 0: a plane, a box, a round bar that lies under the particle. */
static msd_collider_def table_of(int kind) {
  msd_collider_def def = kind == 0 ? plane_of(vector(0, 1, 0)) : box_of(2, 1, 2);
  if (kind == 1)
    def.position = vector(0, -0.5, 0);
  return def;
}

static msd_world *on_table(int kind, double friction) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, vector(0, -9.81, 0)));
  set_contact(world, THICKNESS, friction, 0);
  add_collider(world, table_of(kind));
  add_particle(world, 0.01, 0.2, THICKNESS, 0);
  return world;
}

static void turn_table(msd_world *world, int kind, double angle, double turn) {
  ok(world, msd_collider_move_along(world, 0, vector(0, kind == 1 ? -0.5 : 0, 0),
                                    (msd_quaternion){cos(angle / 2), 0, sin(angle / 2), 0},
                                    (msd_turn){.rotation = vector(0, turn, 0)}));
}

Test(turning, a_particle_that_sticks_to_a_turntable_goes_round_exactly_with_it) {
  for (int kind = 0; kind < 2; kind++)
    for (int substeps = 1; substeps < 9; substeps += 7) {
      msd_world *world = on_table(kind, 2);
      const double turn = 2 * PI * FRAME;
      set_velocity(world, 0, 0, 0, -0.2 * 2 * PI);
      for (int frame = 1; frame <= 1200; frame++) {
        turn_table(world, kind, frame * turn, turn);
        step(world, FRAME, substeps);
      }
      const msd_vec3 x = msd_particle_get_position(world, 0);
      cr_expect_float_eq(wrapped(1200 * turn - atan2(-(double)x.z, (double)x.x)), 0, 2e-4, "kind %d: %g",
                         kind, wrapped(1200 * turn - atan2(-(double)x.z, (double)x.x)));
      cr_expect_float_eq(hypot((double)x.x, (double)x.z), 0.2, 1e-4, "kind %d", kind);
      msd_destroy_world(world);
    }
}

/* A particle that begins at rest on a table that is much faster is drawn along with mu g, wherever the table
   is at the end of a frame. */
Test(turning, a_fast_turntable_accelerates_what_slides_on_it_with_mu_g) {
  for (int kind = 0; kind < 2; kind++)
    for (double rate = 5; rate < 200; rate *= 2.3) {
      msd_world *world = on_table(kind, 0.5);
      for (int frame = 1; frame <= 6; frame++) {
        turn_table(world, kind, frame * 2 * PI * rate * FRAME, 2 * PI * rate * FRAME);
        step(world, FRAME, 0);
      }
      const msd_vec3 v = msd_particle_get_velocity(world, 0);
      cr_expect_float_eq(-(double)v.z, 0.5 * 9.81 * 0.1, 3e-3, "kind %d, %g turns a second", kind, rate);
      msd_destroy_world(world);
    }
}

/* Without friction nothing is drawn along. */
Test(turning, a_spin_without_friction_moves_nothing) {
  for (int kind = MSD_COLLIDER_SPHERE; kind <= MSD_COLLIDER_CAPSULE; kind++) {
    msd_world *world = winding(kind, 100);
    set_contact(world, THICKNESS, 0, 0);
    for (int frame = 1; frame <= 60; frame++) {
      send_drum(world, kind, frame * 0.7, 0.7);
      step(world, FRAME, 4);
    }
    const msd_vec3 x = msd_particle_get_position(world, 1);
    cr_expect_float_eq((double)x.x, R + THICKNESS, 1e-6, "%g", (double)x.x);
    cr_expect_float_eq((double)x.y, 0, 1e-5, "%g", (double)x.y);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------ turntables of meshes */

enum { TABLE_FAN, TABLE_GRID, TABLE_SQUARE, TABLES };
enum { ON_TABLE_SCRAP, ON_TABLE_SHEET, ON_TABLE_FOLD, THINGS_ON_TABLE };

enum { MESH_MAX = 200 };

/* Pins of a level table around the origin, and the body on it. */
typedef struct mesh_on_table {
  msd_world *world;
  int32_t pins, particles, triangle_count, thing_triangles;
  double place[MESH_MAX][2], angle;
  int32_t triangles[2 * MESH_MAX][3];
} mesh_on_table;

static void put_pin(mesh_on_table *t, double x, double z) {
  const int32_t pin = add_pin(t->world, x, 0, z);
  t->place[pin][0] = x;
  t->place[pin][1] = z;
  t->pins = pin + 1;
}

static void put_triangle(mesh_on_table *t, int32_t a, int32_t b, int32_t c) {
  const int32_t corners[3] = {a, b, c};
  memcpy(t->triangles[t->triangle_count++], corners, sizeof corners);
}

static void put_grid(mesh_on_table *t, int32_t first, int32_t side) {
  for (int32_t i = 0; i + 1 < side; i++)
    for (int32_t k = 0; k + 1 < side; k++) {
      const int32_t at = first + i * side + k;
      put_triangle(t, at, at + 1, at + side);
      put_triangle(t, at + 1, at + side + 1, at + side);
    }
}

static void put_table(mesh_on_table *t, int kind) {
  enum { SIDES = 24 };
  static const double HALF = 0.8;
  if (kind == TABLE_FAN) {
    put_pin(t, 0, 0);
    for (int32_t i = 0; i < SIDES; i++) {
      put_pin(t, HALF * cos(2 * PI * i / SIDES), HALF * sin(2 * PI * i / SIDES));
      put_triangle(t, 0, 1 + i, 1 + (i + 1) % SIDES);
    }
    return;
  }
  const int32_t side = kind == TABLE_GRID ? 9 : 2;
  for (int32_t i = 0; i < side; i++)
    for (int32_t k = 0; k < side; k++)
      put_pin(t, HALF * (2.0 * i / (side - 1) - 1), HALF * (2.0 * k / (side - 1) - 1));
  put_grid(t, 0, side);
}

/* A triangle of 1 cm; a sheet of 5 cm; one of two triangles whose far corner stands up. */
static void put_thing(mesh_on_table *t, int kind, double radius) {
  const int32_t side = kind == ON_TABLE_SHEET ? 6 : 2;
  const double cell = 0.01;
  t->thing_triangles = t->triangle_count;
  for (int32_t n = 0; n < side * side - (kind == ON_TABLE_SCRAP); n++)
    add_particle(t->world, 0.001, radius + cell * (n / side),
                 THICKNESS + (kind == ON_TABLE_FOLD && n == 3 ? 0.007 : 0), cell * (n % side) + 0.003);
  t->particles = msd_world_get_particle_count(t->world) - t->pins;
  if (kind == ON_TABLE_SCRAP)
    put_triangle(t, t->pins, t->pins + 1, t->pins + 2);
  else
    put_grid(t, t->pins, side);
  for (int32_t a = 0; a < t->particles; a++)
    for (int32_t b = 0; b < a; b++) {
      const msd_vec3 p = msd_particle_get_position(t->world, t->pins + a),
                     q = msd_particle_get_position(t->world, t->pins + b);
      if (hypot(hypot((double)p.x - (double)q.x, (double)p.z - (double)q.z), (double)p.y - (double)q.y) <
          1.6 * cell)
        add_spring(t->world, physical(40, 0.02), t->pins + a, t->pins + b, -1);
    }
}

static mesh_on_table mesh_table(int table, int thing, double radius, double friction) {
  mesh_on_table t = {.world = new_world(MSD_SYMPLECTIC_EULER)};
  ok(t.world, msd_world_set_gravity(t.world, vector(0, -9.81, 0)));
  set_contact(t.world, THICKNESS, friction, 0);
  put_table(&t, table);
  put_thing(&t, thing, radius);
  msd_collision_mesh_def defs[2] = {msd_default_collision_mesh_def(), msd_default_collision_mesh_def()};
  defs[0].triangles = t.triangles[0];
  defs[0].triangle_count = t.thing_triangles;
  defs[1].triangles = t.triangles[t.thing_triangles];
  defs[1].triangle_count = t.triangle_count - t.thing_triangles;
  ok(t.world, msd_add_collision_meshes(t.world, defs, 2, NULL));
  return t;
}

static void turn_mesh(mesh_on_table *t, double turn) {
  t->angle += turn;
  const double c = cos(t->angle), s = sin(t->angle);
  for (int32_t pin = 0; pin < t->pins; pin++) {
    const double x = t->place[pin][0], z = t->place[pin][1];
    ok(t->world, msd_particle_move_along(t->world, pin, vector(c * x + s * z, 0, c * z - s * x),
                                         (msd_turn){.rotation = vector(0, turn, 0)}));
  }
}

/* m/s: the fastest motion of a particle of the thing along the table, and up. m: the lowest one. */
typedef struct speeds {
  double along, up, lowest;
} speeds;

static void watch_thing(const mesh_on_table *t, speeds *s) {
  for (int32_t n = 0; n < t->particles; n++) {
    const msd_vec3 v = msd_particle_get_velocity(t->world, t->pins + n);
    s->along = fmax(s->along, hypot((double)v.x, (double)v.z));
    s->up = fmax(s->up, (double)v.y);
    s->lowest = fmin(s->lowest, (double)msd_particle_get_position(t->world, t->pins + n).y);
  }
}

static int64_t intersections_on(const mesh_on_table *t) {
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = t->triangles[0];
  def.triangle_count = t->triangle_count;
  int64_t found = -1;
  ok(t->world, msd_world_find_intersections(t->world, &def, NULL, 0, &found));
  return found;
}

/* Over some frames, in which nothing intersects. */
static speeds spin_under(int table, int thing, double radius, double friction, double per_second,
                         int substeps) {
  mesh_on_table t = mesh_table(table, thing, radius, friction);
  speeds worst = {0, 0, INFINITY};
  for (int frame = 0; frame < 20; frame++) {
    turn_mesh(&t, 2 * PI * per_second * FRAME);
    step(t.world, FRAME, substeps);
    watch_thing(&t, &worst);
    cr_expect_eq(intersections_on(&t), 0);
  }
  cr_expect_gt(worst.lowest, 0);
  cr_expect_eq(msd_world_get_stats(t.world).forced_intersections, 0);
  msd_destroy_world(t.world);
  return worst;
}

/* m/s: what is nearer than the thickness is pushed away at 5 cm/s, so a corner of a thing that tilts rises at a
   few times that. A strike would be of the order of the speed of the table, 0.6 to 60 m/s. */
static const double PUSHED = 0.15, STRAYED = 0.02;

/* The surface slides by up to 17 thicknesses in a substep. */
Test(turning, a_turntable_of_triangles_without_friction_moves_nothing) {
  const double rates[] = {2, 7, 20}, radii[] = {0.05, 0.2, 0.5};
  for (int table = 0; table < TABLES; table++)
    for (int thing = 0; thing < ON_TABLE_FOLD; thing++)
      for (int rate = 0; rate < 3; rate++)
        for (int radius = 0; radius < 3; radius++) {
          const speeds s = spin_under(table, thing, radii[radius], 0, rates[rate], 12);
          cr_expect(s.along < STRAYED && s.up < PUSHED,
                    "table %d, thing %d, %g turns a second, at %g m: %g, %g m/s", table, thing, rates[rate],
                    radii[radius], s.along, s.up);
        }
}

/* What begins at rest is drawn along with mu g at most, and does not leave the table. */
Test(turning, a_turntable_of_triangles_draws_along_with_no_more_than_friction) {
  const double rates[] = {2, 7, 20}, radii[] = {0.05, 0.2, 0.5}, mu = 0.3;
  for (int table = 0; table < TABLES; table++)
    for (int thing = 0; thing < THINGS_ON_TABLE; thing++)
      for (int rate = 0; rate < 3; rate++)
        for (int radius = 0; radius < 3; radius++) {
          const speeds s = spin_under(table, thing, radii[radius], mu, rates[rate], 12);
          cr_expect(s.along < 1.2 * mu * 9.81 * 20 * FRAME + STRAYED && s.up < PUSHED,
                    "table %d, thing %d, %g turns a second, at %g m: %g, %g m/s", table, thing, rates[rate],
                    radii[radius], s.along, s.up);
        }
}

/* ------------------------------------------------------------------------------------ motions on a circle */

typedef struct circle {
  double angle, turn, worst;
  bool is_soft;
} circle;

static void measure_pin(const msd_world *world, const msd_substep_info *at, void *context) {
  circle *c = context;
  const double angle = c->angle + c->turn * at->done / at->substeps;
  const msd_vec3 x = msd_particle_get_position(world, 0);
  const double off = hypot((double)x.x - 0.5 * cos(angle), (double)x.y - 0.5 * sin(angle));
  c->worst = off > c->worst ? off : c->worst;
}

Test(turning, a_pin_is_on_its_circle_at_the_end_of_each_substep) {
  const double turns[] = {0.01, 0.3, 0.5, 0.9, 1, 3.2};
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int n = 0; n < 6; n++) {
      msd_world *world = new_world((msd_integrator)integrator);
      circle c = {.turn = 2 * PI * turns[n]};
      add_pin(world, 0.5, 0, 0);
      ok(world,
         msd_world_set_callbacks(world, &(msd_callbacks){.after_substep = measure_pin, .context = &c}));
      for (int frame = 1; frame <= 5; frame++) {
        const double to = c.angle + c.turn;
        ok(world,
           msd_particle_move_along(world, 0, vector(0.5 * cos(to), 0.5 * sin(to), 0), turn_about_z(c.turn)));
        step(world, FRAME, 64);
        c.angle = to;
      }
      cr_expect_leq(c.worst, 3e-6, "integrator %d, %g turns", integrator, turns[n]);
      msd_destroy_world(world);
    }
}

/* Weightless: a mass on a spring from a pin on a turning arm is in balance, k (r - r0 - L) = m w^2 r. */
Test(turning, a_mass_on_a_spring_from_a_turning_arm_stays_at_its_radius) {
  for (int is_soft = 0; is_soft < 2; is_soft++)
    for (double rate = 1; rate < 25; rate *= 2.7) {
      const double w = 2 * PI * rate, k = 4000, m = 0.1, r = k * 1 / (k - m * w * w);
      msd_world *world = new_world(MSD_VELOCITY_VERLET);
      if (is_soft)
        ok(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
      add_particle(world, is_soft ? 100 : 1, 0.5, 0, 0);
      add_particle(world, m, r, 0, 0);
      add_spring(world, physical(k, 0), 0, 1, 0.5);
      set_velocity(world, 0, 0, 0.5 * w, 0);
      set_velocity(world, 1, 0, w * r, 0);
      msd_soft_pin_def def = held(0, 2000, 1);
      def.position = vector(0.5, 0, 0);
      if (is_soft)
        soft_pin(world, def);
      else
        ok(world, msd_particle_pin(world, 0));
      double worst = 0;
      for (int frame = 1; frame <= 60; frame++) {
        const double to = frame * w * FRAME;
        const msd_vec3 place = vector(0.5 * cos(to), 0.5 * sin(to), 0);
        ok(world, is_soft ? msd_soft_pin_move_along(world, 0, place, turn_about_z(w * FRAME))
                          : msd_particle_move_along(world, 0, place, turn_about_z(w * FRAME)));
        step(world, FRAME, 200);
        const msd_vec3 x = msd_particle_get_position(world, 1);
        worst = fmax(worst, fabs(hypot((double)x.x, (double)x.y) - r));
      }
      cr_expect_leq(worst, (is_soft ? 0.02 : 0.001) * r, "%g turns a second, soft %d", rate, is_soft);
      msd_destroy_world(world);
    }
}

static bool stop_at(void *context) {
  int *questions = context;
  return --*questions < 0;
}

/* A frame that is stopped shows where colliders and soft pins are within it. */
Test(turning, colliders_and_soft_pins_are_on_their_circle_within_a_frame) {
  for (double turn = 1; turn < 25; turn += 3.7) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    int questions = 2;
    msd_collider_def def = box_of(1, 1, 1);
    def.position = vector(2, 0, 0);
    add_collider(world, def);
    add_particle(world, 1, 0.5, 30, 0);
    msd_soft_pin_def pin = held(0, 1, 1);
    pin.position = vector(3, 0, 0);
    soft_pin(world, pin);
    ok(world, msd_world_set_callbacks(world, &(msd_callbacks){.stop = stop_at, .context = &questions}));
    ok(world, msd_collider_move_along(world, 0, vector(2 * cos(turn), 2 * sin(turn), 0), about_z(turn),
                                      turn_about_z(turn)));
    ok(world, msd_soft_pin_move_along(world, 0, vector(3 * cos(turn), 3 * sin(turn), 0), turn_about_z(turn)));
    cr_expect_eq(msd_world_step(world, 1, 1000), MSD_CANCELED);
    const double share = (double)msd_world_get_steps(world) / 1000, angle = share * turn;
    cr_assert(share > 0 && share < 1);
    def = msd_collider_get_def(world, 0);
    cr_expect_float_eq((double)def.position.x, 2 * cos(angle), 1e-5);
    cr_expect_float_eq((double)def.position.y, 2 * sin(angle), 1e-5);
    cr_expect_float_eq(wrapped(2 * atan2(def.rotation.z, def.rotation.w) - angle), 0, 1e-6);
    pin = msd_soft_pin_get_def(world, 0);
    cr_expect_float_eq((double)pin.position.x, 3 * cos(angle), 1e-5);
    cr_expect_float_eq((double)pin.position.y, 3 * sin(angle), 1e-5);
    msd_destroy_world(world);
  }
}

/* ----------------------------------------------------------------------------------------------- refusals */

Test(turning, what_cannot_be_followed_is_refused) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_collider(world, box_of(1, 1, 1));
  add_pin(world, 5, 0, 0);
  for (double angle = 3.13; angle < 3.155; angle += 0.005)
    cr_expect_eq(msd_collider_move_to(world, 0, vector(0, 0, 0), about_z(angle)), MSD_BAD_VALUE);
  cr_expect_eq(msd_collider_move_along(world, 0, vector(0, 0, 0), about_z(1), turn_about_z(1.1)),
               MSD_BAD_VALUE);
  cr_expect_eq(msd_collider_move_along(world, 0, vector(0, 0, 0), about_z(1), turn_about_z(1 + 2 * PI)),
               MSD_OK);
  cr_expect_eq(msd_collider_move_along(world, 0, vector(0, 0, 0), about_z(1), turn_about_z(NAN)),
               MSD_BAD_VALUE);
  cr_expect_eq(msd_particle_move_along(world, 0, vector(0, 0, 0), turn_about_z(INFINITY)), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_step(world, (msd_real)FRAME, 2), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "it needs 3"), "%s", msd_world_message(world));
  cr_expect_eq(msd_world_get_steps(world), 0);
  ok(world, msd_world_step(world, (msd_real)FRAME, 3));
  ok(world, msd_particle_move_along(world, 0, vector(0, 5, 0), turn_about_z(2.25 * 2 * PI)));
  ok(world, msd_world_step(world, (msd_real)FRAME, 0));
  cr_expect_eq(msd_world_get_steps(world), 3 + 144, "64 substeps a turn of a pin");
  msd_destroy_world(world);
}

Test(turning, a_world_saved_before_the_turn_goes_on_with_the_same_bits) {
  msd_world *world = winding(MSD_COLLIDER_CAPSULE, 1000), *restored = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 1, 0, 0);
  msd_soft_pin_def def = held(2, 3, 0.5);
  def.position = vector(1, 0, 0);
  soft_pin(world, def);
  send_drum(world, MSD_COLLIDER_CAPSULE, 1, 1 + 4 * PI);
  ok(world, msd_particle_move_along(world, 0, vector(0, 0.01, 0), turn_about_z(7)));
  ok(world, msd_soft_pin_move_along(world, 0, vector(0, 1, 0), turn_about_z(-1)));
  const snapshot s = snapshot_of(world);
  ok(restored, msd_world_restore(restored, s.data, s.size));
  for (int frame = 0; frame < 5; frame++) {
    step(world, FRAME, 30);
    step(restored, FRAME, 30);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(restored), "frame %d", frame);
  }
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(restored);
}

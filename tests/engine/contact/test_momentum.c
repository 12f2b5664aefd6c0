/* Free bodies that meet keep their momentum, at any speed. */
#include "tests/support/touching.h"

enum { FRAMES = 40, SUBSTEPS = 24 };

static const double FRAME = 1.0 / 240;

/* Two bodies, the first particle of the second one, and how they are thrown at each other. */
typedef struct meeting {
  touching t;
  int32_t second;
} meeting;

typedef struct throw {
  double speed, slant, spin, friction;
}
throw;

/* kg m/s and kg m^2/s about the origin; and the sums of their absolute values over all particles. */
typedef struct momenta {
  double linear[3], angular[3], linear_scale, angular_scale, kinetic;
} momenta;

static momenta momenta_of(const msd_world *world) {
  momenta m = {.kinetic = 0};
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_particle_def def = msd_particle_get_def(world, i);
    const double mass = (double)def.mass;
    double x[3], v[3], square = 0, far = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = component(def.position, k), v[k] = component(def.velocity, k);
      square += v[k] * v[k], far += x[k] * x[k];
      m.linear[k] += mass * v[k];
    }
    for (int k = 0; k < 3; k++)
      m.angular[k] += mass * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
    m.linear_scale += mass * sqrt(square);
    m.angular_scale += mass * sqrt(square * far);
    m.kinetic += mass * square / 2;
  }
  return m;
}

static double change(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The first body flies down, obliquely, and spins about the vertical through its middle; the other one up. */
static void throw_both(meeting *m, throw how) {
  const int32_t count = msd_world_get_particle_count(m->t.world);
  for (int32_t i = 0; i < count; i++) {
    const msd_vec3 x = msd_particle_get_position(m->t.world, i);
    const double side = i < m->second ? 1 : -1, spin = side * how.spin;
    set_velocity(m->t.world, i, side * how.slant * how.speed / 2 - spin * (double)x.z, -side * how.speed / 2,
                 spin * (double)x.x);
  }
}

static meeting begin(double friction) {
  return (meeting){.t = contact_step_new(vector(0, 0, 0), friction, 0)};
}

static int32_t put_sheet(touching *t, double y, double turn, double side, int32_t parts) {
  const double c = side * cos(turn), s = side * sin(turn);
  return touching_sheet(t, parts, parts, vector(-(c - s) / 2, y, -(c + s) / 2), vector(c, 0, s),
                        vector(-s, 0, c), true);
}

static meeting sheets(double friction) {
  meeting m = begin(friction);
  put_sheet(&m.t, 0.01, 0, 0.3, 9);
  m.second = put_sheet(&m.t, -0.01, 0.3, 0.3, 9);
  return m;
}

static meeting sheet_and_block(double friction) {
  meeting m = begin(friction);
  touching_block(&m.t, 3, vector(-0.05, 0.02, -0.05), 0.1, 0.1);
  m.second = put_sheet(&m.t, 0, 0.2, 0.4, 13);
  return m;
}

static meeting rope_and_sheet(double friction) {
  meeting m = begin(friction);
  touching_rope(&m.t, 17, vector(-0.19, 0.01, 0.013), vector(0.2, 0.02, -0.07));
  m.second = put_sheet(&m.t, 0, 0.2, 0.3, 9);
  return m;
}

static meeting ropes(double friction) {
  meeting m = begin(friction);
  touching_rope(&m.t, 17, vector(-0.19, 0.01, 0.013), vector(0.2, 0.01, -0.02));
  m.second = touching_rope(&m.t, 17, vector(0.01, 0, -0.2), vector(-0.03, 0, 0.19));
  return m;
}

typedef struct loss {
  double linear, angular, energy;
  int64_t clipped;
} loss;

static loss loss_of(meeting (*make)(double friction), throw how) {
  meeting m = make(how.friction);
  throw_both(&m, how);
  const momenta before = momenta_of(m.t.world);
  loss l = {0, 0, 0, 0};
  for (int frame = 0; frame < FRAMES; frame++) {
    step(m.t.world, FRAME, SUBSTEPS);
    const momenta now = momenta_of(m.t.world);
    l.linear = fmax(l.linear, change(now.linear, before.linear) / before.linear_scale);
    l.angular = fmax(l.angular, change(now.angular, before.angular) / before.angular_scale);
    const msd_stats stats = msd_world_get_stats(m.t.world);
    l.energy = fmax(l.energy, (now.kinetic + stats.elastic_energy) / before.kinetic);
  }
  l.clipped = msd_world_get_stats(m.t.world).clipped_moves;
  cr_expect_eq(touching_intersections(&m.t), 0);
  contact_step_free(&m.t);
  return l;
}

/* Relative to the sum over all particles. */
static const double ROUNDING = 128 * (sizeof(msd_real) == sizeof(double) ? 0x1p-52 : 0x1p-23);

static const double SPEEDS[] = {0.5, 3, 10, 30};
enum { SPEED_COUNT = sizeof SPEEDS / sizeof *SPEEDS, THROWS = 3 };

/* Straight, oblique and spinning, and the same with friction. Returns the clipped moves; `most` bounds the part
   of the angular momentum that is lost. */
static int64_t expect_kept(meeting (*make)(double friction), double most) {
  int64_t clipped = 0;
  for (int s = 0; s < SPEED_COUNT; s++)
    for (int n = 0; n < THROWS; n++) {
      const throw how = {SPEEDS[s], n > 0 ? 0.7 : 0, n > 0 ? 5 : 0, n > 1 ? 0.5 : 0};
      const loss l = loss_of(make, how);
      cr_expect_leq(l.linear, ROUNDING, "%g m/s, throw %d: %g", how.speed, n, l.linear);
      cr_expect_leq(l.angular, most, "%g m/s, throw %d: %g angular", how.speed, n, l.angular);
      cr_expect_leq(l.energy, 1.05, "%g m/s, throw %d: %g of the energy", how.speed, n, l.energy);
      clipped += l.clipped;
    }
  return clipped;
}

Test(momentum, two_sheets_keep_theirs) {
  cr_expect_gt(expect_kept(sheets, 0.004), 0);
}

Test(momentum, a_block_and_a_sheet_keep_theirs) {
  cr_expect_gt(expect_kept(sheet_and_block, 0.006), 0);
}

Test(momentum, a_rope_and_a_sheet_keep_theirs) {
  cr_expect_gt(expect_kept(rope_and_sheet, 0.02), 0);
}

/* Where moves of segments are clipped for long, impulses act at their ends, beside the closest points. */
Test(momentum, two_ropes_keep_the_linear_one) {
  cr_expect_gt(expect_kept(ropes, 0.15), 0);
}

/* Blocks of half a meter that pass over each other and rub, far thicker than a cloth. */
static meeting rubbing_blocks(double thickness, double friction) {
  enum { PARTS = 3 };
  const double side = 0.5, between = 1.05 * thickness;
  meeting m = begin(friction);
  set_contact(m.t.world, thickness, friction, 0);
  touching_block(&m.t, PARTS, vector(-1.1 * side, between, -0.5 * side), side, 1);
  m.second = touching_block(&m.t, PARTS, vector(-0.55 * side, -side - between, -0.387 * side), side, 1);
  return m;
}

/* Relative to the angular momentum itself. Two forces at points a gap apart, of which one is not along the gap,
   are a couple: of friction alone it took 3 %, and of normal forces along an old normal 0.5 %. */
static double angular_loss(double thickness, double friction) {
  meeting m = rubbing_blocks(thickness, friction);
  for (int32_t i = 0; i < msd_world_get_particle_count(m.t.world); i++)
    set_velocity(m.t.world, i, i < m.second ? 1 : -1, i < m.second ? -0.25 : 0.25, 0);
  const momenta before = momenta_of(m.t.world);
  const double none[3] = {0, 0, 0};
  double most = 0;
  for (int frame = 0; frame < 160; frame++) {
    step(m.t.world, FRAME, SUBSTEPS);
    const momenta now = momenta_of(m.t.world);
    most = fmax(most, change(now.angular, before.angular) / change(before.angular, none));
  }
  cr_expect_lt(momenta_of(m.t.world).kinetic, 0.98 * before.kinetic, "they have not met");
  cr_expect_eq(touching_intersections(&m.t), 0);
  contact_step_free(&m.t);
  return most;
}

Test(momentum, forces_of_rubbing_blocks_act_along_one_line) {
  static const double thicknesses[] = {0.001, 0.005, 0.01, 0.02, 0.04};
  for (size_t n = 0; n < sizeof thicknesses / sizeof *thicknesses; n++)
    for (int rubs = 0; rubs < 2; rubs++) {
      const double lost = angular_loss(thicknesses[n], rubs ? 0.8 : 0);
      cr_expect_lt(lost, 0.003, "%g m, %s friction: %g", thicknesses[n], rubs ? "with" : "without", lost);
    }
}

/* J, kinetic, of a sheet that pins at two edges have wound up to a rope, and hold for a while. */
static double heat_of_wound_sheet(void) {
  enum { SIDE = 17, WINDING = 90, HELD = 20 };
  touching t = contact_step_new(vector(0, 0, 0), 0.2, 0);
  const int32_t first =
      touching_sheet(&t, SIDE, SIDE, vector(-0.15, 0, -0.15), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  set_contact(t.world, 0.004, 0.2, 0);
  for (int32_t row = 0; row < SIDE; row++)
    for (int end = 0; end < 2; end++)
      ok(t.world, msd_particle_pin(t.world, first + row * SIDE + end * (SIDE - 1)));
  for (int frame = 0; frame < WINDING + HELD; frame++) {
    const double turn = 3.1 * fmin(1, (frame + 1.0) / WINDING) * PI;
    for (int32_t row = 0; row < SIDE && frame < WINDING; row++)
      for (int end = 0; end < 2; end++) {
        const double from = 0.3 * row / (SIDE - 1) - 0.15, angle = end ? turn : -turn;
        ok(t.world, msd_particle_move_to(t.world, first + row * SIDE + end * (SIDE - 1),
                                         vector(end ? 0.15 : -0.15, from * sin(angle), from * cos(angle))));
      }
    step(t.world, 1.0 / 60, 60);
  }
  const double kinetic = momenta_of(t.world).kinetic;
  cr_expect_gt(msd_world_get_stats(t.world).clipped_moves, 10000);
  cr_expect_eq(touching_intersections(&t), 0);
  contact_step_free(&t);
  return kinetic;
}

/* What it is squeezed by is not passed on as impacts, since pins take that momentum. */
Test(momentum, what_pins_squeeze_comes_to_rest) {
  const double heat = heat_of_wound_sheet();

  cr_expect_lt(heat, 1e-3);
}

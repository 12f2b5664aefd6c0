/* Tethers to one and two pins, taken exactly: what holds of a projection on a convex set, y - p makes no acute
   angle with q - p for any q of the set. */

#include "tests/support/networks.h"
#include "tests/support/share.h"

#include <math.h>

#ifdef MSD_DOUBLE
static const double ROUNDING = 1e-12;
#else
static const double ROUNDING = 4e-6;
#endif

typedef struct tethered {
  msd_world *world;
  double pin[2][3], length[2];
  int tethers;
} tethered;

static void read_vector(msd_vec3 from, double to[3]) {
  to[0] = (double)from.x;
  to[1] = (double)from.y;
  to[2] = (double)from.z;
}

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* A particle that goes to `y` in a substep of a second, on tethers to pins. */
static tethered hang(const msd_vec3 pins[2], const msd_real lengths[2], int tethers, msd_vec3 y) {
  msd_world_def world_def = msd_default_world_def();
  world_def.gravity = (msd_vec3){0, 0, 0};
  world_def.solver = MSD_SOLVER_GAUSS_SEIDEL;
  tethered t = {.world = world_from_def(&world_def), .tethers = tethers};
  msd_particle_def def = msd_default_particle_def();
  def.velocity = y;
  ASSERT_OK(t.world, msd_add_particles(t.world, &def, 1, NULL));
  for (int n = 0; n < tethers; n++) {
    def = msd_default_particle_def();
    def.position = pins[n];
    def.pinned = true;
    ASSERT_OK(t.world, msd_add_particles(t.world, &def, 1, NULL));
    msd_spring_def spring = msd_default_spring_def();
    spring.a = n % 2 ? 0 : n + 1; /* either end */
    spring.b = n % 2 ? n + 1 : 0;
    spring.rest_length = lengths[n];
    spring.law = MSD_SPRING_HARD_LIMIT;
    spring.ck = 1;
    spring.mode = MSD_SPRING_TENSION_ONLY;
    ASSERT_OK(t.world, msd_add_springs(t.world, &spring, 1, NULL));
    read_vector(pins[n], t.pin[n]);
    t.length[n] = (double)lengths[n];
  }
  return t;
}

static double past_length(const tethered *t, const double at[3]) {
  double most = -1;
  for (int n = 0; n < t->tethers; n++)
    most = fmax(most, distance(at, t->pin[n]) - t->length[n]);
  return most;
}

Test(tether_projections, give_the_nearest_point_of_one_ball_or_of_two) {
  int apart = 0, edges = 0;
  for (int n = 0; n < share_of(400); n++) {
    generator random = {.state = (uint64_t)n + 1};
    const msd_vec3 one = random_vector(&random, 1), two = random_vector(&random, 1);
    const msd_vec3 pins[2] = {one, two}, y_at = random_vector(&random, 4);
    double a[3], b[3], y[3], p[3];
    read_vector(one, a);
    read_vector(two, b);
    read_vector(y_at, y);
    const msd_real first = (msd_real)(0.1 + random_below(&random, 64) / 32.0);
    const msd_real second =
        (msd_real)fmax(distance(a, b) - (double)first + 0.01, 0.1 + random_below(&random, 64) / 32.0);
    const msd_real lengths[2] = {first, second};
    tethered t = hang(pins, lengths, 1 + n % 4 / 2, y_at);
    ASSERT_OK(t.world, msd_world_step(t.world, 1, 1));
    read_vector(msd_particle_get_position(t.world, 0), p);
    cr_expect_leq(past_length(&t, p), 4 * ROUNDING, "case %d: %g past its length", n, past_length(&t, p));
    apart += distance(y, p) > 0.01;
    edges +=
        t.tethers == 2 && fabs(distance(p, a) - (double)first) + fabs(distance(p, b) - (double)second) < 1e-4;
    for (int k = 0; k < 200; k++) { /* anywhere in both */
      double q[3], along = 0;
      read_vector(random_vector(&random, 3), q);
      for (int c = 0; c < 3; c++)
        along += (y[c] - p[c]) * (q[c] - p[c]);
      cr_expect(past_length(&t, q) > 0 || along <= 40 * ROUNDING, "case %d: %g nearer", n, along);
    }
    msd_destroy_world(t.world);
  }
  cr_expect_gt(apart, share_of(400) / 3);
  cr_expect_gt(edges, share_of(400) / 20, "%d at the edge of both", edges);
}

Test(tether_projections, leave_a_particle_between_pins_that_are_too_far_apart) {
  const msd_vec3 pins[2] = {{-3, 0, 0}, {3, 0, 0}}, y = {1, 2, 2};
  const msd_real lengths[2] = {1, 2};
  tethered t = hang(pins, lengths, 2, y);
  ASSERT_OK(t.world, msd_world_step(t.world, 1, 1));
  const msd_vec3 p = msd_particle_get_position(t.world, 0);
  cr_expect_float_eq((double)p.x, -0.5, 1e-5, "%g is as far past the one as past the other", (double)p.x);
  cr_expect_float_eq((double)p.y, 0, 1e-5);
  cr_expect_float_eq((double)p.z, 0, 1e-5);
  msd_destroy_world(t.world);
}

Test(tether_projections, never_add_energy_and_keep_their_length_in_motion) {
  const msd_vec3 pins[2] = {{0, 0, 0}, {1, 0, 0}}, y = {3, -1, 2};
  const msd_real lengths[2] = {(msd_real)0.8, (msd_real)0.7};
  tethered t = hang(pins, lengths, 2, y);
  double last = msd_world_get_stats(t.world).kinetic_energy;
  ASSERT_OK(t.world, msd_particle_set_position(t.world, 0, (msd_vec3){(msd_real)0.5, 0, 0}));
  for (int step = 0; step < 2000; step++) {
    ASSERT_OK(t.world, msd_world_step(t.world, (msd_real)0.004, 1));
    double p[3];
    read_vector(msd_particle_get_position(t.world, 0), p);
    const double now = msd_world_get_stats(t.world).kinetic_energy;
    cr_assert_leq(past_length(&t, p), ROUNDING, "step %d: %g", step, past_length(&t, p));
    cr_assert_leq(now, last * (1 + 300 * ROUNDING), "step %d: %g after %g", step, now, last);
    last = now;
  }
  cr_expect_gt(last, 0);
  msd_destroy_world(t.world);
}

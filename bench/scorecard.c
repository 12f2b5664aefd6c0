/* scorecard: measures some of the guarantees of docs/promises.md in a second or two, against formulas. Prints a
   row for each, separated by tabs: words of the guarantee, 1 or 0 for kept or broken, and the figure. Exit
   status: 0 done, 1 a measurement could not be run. */
#include "msd/msd.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846, G = 9.81;

static void fail(const msd_world *world, const char *what) {
  fprintf(stderr, "scorecard: %s: %s\n", what, world ? msd_world_message(world) : "");
  exit(1);
}

static void need(const msd_world *world, msd_result result) {
  if (result != MSD_OK)
    fail(world, msd_result_string(result));
}

__attribute__((format(printf, 3, 4))) static void tell(const char *promise, int held, const char *figure,
                                                       ...) {
  va_list values;
  va_start(values, figure);
  printf("%s\t%d\t", promise, held);
  vprintf(figure, values);
  putchar('\n');
  va_end(values);
}

static msd_world *open_world(const msd_world_def *def) {
  msd_world *world;
  need(NULL, msd_create_world(def, &world));
  return world;
}

/* A row of n free masses between two pins: the fastest mode has 2 sqrt(k/m) sin(n pi/(2 (n + 1))) rad/s. */
static void certified_step(void) {
  enum { FREE = 20 };
  const msd_world_def def = msd_default_world_def();
  msd_world *world = open_world(&def);
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = FREE + 2;
  rope.mass = FREE + 2;
  rope.stretch.law = MSD_SPRING_STIFFNESS;
  rope.stretch.stiffness = 400;
  need(world, msd_add_rope(world, &rope, NULL));
  need(world, msd_particle_pin(world, 0));
  need(world, msd_particle_pin(world, FREE + 1));
  msd_stability report;
  need(world, msd_world_analyze_stability(world, (msd_real)0.01, &report));
  const double exact = 2 / (2 * sqrt(400.0) * sin(FREE * PI / (2 * (FREE + 1))));
  tell("Below the stable limit", report.stable_substep <= exact,
       "for a row of %d masses the stable limit is %.6f of the exact one", FREE,
       report.stable_substep / exact);
  msd_destroy_world(world);
}

/* The hash of a cloth that swings for half a second. */
static uint64_t cloth_hash(int threads, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.simd = simd;
  msd_world *world = open_world(&def);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 40;
  cloth.stretch.law = MSD_SPRING_STIFFNESS;
  cloth.stretch.stiffness = 500;
  cloth.stretch.damping = (msd_real)0.01;
  cloth.shear = cloth.stretch;
  need(world, msd_add_cloth(world, &cloth, NULL));
  need(world, msd_particle_pin(world, 0));
  for (int frame = 0; frame < 30; frame++)
    need(world, msd_world_step(world, (msd_real)1 / 60, 0));
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
}

static void equal_bits(void) {
  const int threads[] = {1, 2, 3, 8};
  const uint64_t expected = cloth_hash(1, MSD_SIMD_SCALAR);
  int equal = 0, runs = 0;
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int t = 0; t < 4; t++, runs++)
      equal += cloth_hash(threads[t], (msd_simd)simd) == expected;
  tell("bitwise identical for any number of threads", equal == runs,
       "%d of %d runs of a cloth on 1 to 8 threads at every width end with %016" PRIx64, equal, runs,
       expected);
}

static void hostile_host(void) {
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  const uint64_t expected = cloth_hash(1, MSD_SIMD_WIDEST);
  int equal = 0;
  for (int m = 0; m < 4; m++) {
    fesetround(modes[m]);
    equal += cloth_hash(2, MSD_SIMD_WIDEST) == expected;
    fesetround(FE_TONEAREST);
  }
  tell("host program's rounding mode", equal == 4, "%d of 4 rounding modes of the program give the same hash",
       equal);
}

/* The largest error of an oscillator of 10 rad/s in 2 s. */
static double oscillator_error(msd_integrator integrator, double step) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.integrator = integrator;
  msd_world *world = open_world(&def);
  msd_particle_def ends[2] = {msd_default_particle_def(), msd_default_particle_def()};
  ends[0].pinned = true;
  ends[1].position = (msd_vec3){(msd_real)1.5, 0, 0};
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 0;
  spring.b = 1;
  spring.rest_length = 1;
  spring.stiffness = 100;
  need(world, msd_add_particles(world, ends, 2, NULL));
  need(world, msd_add_springs(world, &spring, 1, NULL));
  double worst = 0;
  while (msd_world_get_time(world) < 1.999) {
    need(world, msd_world_step(world, (msd_real)step, 1));
    const double exact = 1 + 0.5 * cos(10 * msd_world_get_time(world));
    worst = fmax(worst, fabs((double)msd_particle_get_position(world, 1).x - exact));
  }
  msd_destroy_world(world);
  return worst;
}

static void orders(void) {
  const struct {
    msd_integrator integrator;
    double step, order;
  } tried[] = {{MSD_SYMPLECTIC_EULER, 0.004, 1},
               {MSD_EXPLICIT_EULER, 0.0005, 1},
               {MSD_VELOCITY_VERLET, 0.02, 2},
               {MSD_RK4, 0.04, 4}};
  double found[4];
  int held = 1;
  for (int n = 0; n < 4; n++) {
    found[n] = log2(oscillator_error(tried[n].integrator, tried[n].step) /
                    oscillator_error(tried[n].integrator, tried[n].step / 2));
    held = held && fabs(found[n] - tried[n].order) < 0.25;
  }
  tell("Integrators have their orders", held,
       "measured orders: symplectic Euler %.2f, explicit Euler %.2f, velocity Verlet %.2f, RK4 %.2f",
       found[0], found[1], found[2], found[3]);
}

/* A hanging rope stretches by density g L^2/(2 EA), at any resolution. */
static void hanging_rope(void) {
  double worst = 0;
  const double expected = 0.2 * G / (2 * 100);
  for (int particles = 6; particles <= 96; particles *= 2) {
    const msd_world_def def = msd_default_world_def();
    msd_world *world = open_world(&def);
    msd_material material = msd_default_material();
    material.line_density = (msd_real)0.2;
    material.stretch_modulus = 100;
    msd_rope_def rope = msd_default_rope_def();
    rope.to = (msd_vec3){0, -1, 0};
    rope.particles = particles;
    rope.material = &material;
    need(world, msd_add_rope(world, &rope, NULL));
    need(world, msd_particle_pin(world, 0));
    const msd_equilibrium_def relax = msd_default_equilibrium_def();
    need(world, msd_world_find_equilibrium(world, &relax, NULL));
    const double longer = -1 - (double)msd_particle_get_position(world, particles - 1).y;
    worst = fmax(worst, fabs(longer / expected - 1));
    msd_destroy_world(world);
  }
  tell("agree with their formulas", worst < 1e-3,
       "hanging ropes of 6 to 96 particles stretch by 9.81 mm, the value of the formula, within %.1g of it",
       worst);
}

/* True if a particle on a plane of friction 0.5 slides when gravity is tilted by this tangent. */
static bool slides(double tangent) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){(msd_real)(G * tangent), (msd_real)-G, 0};
  msd_world *world = open_world(&def);
  msd_particle_def particle = msd_default_particle_def();
  particle.position.y = (msd_real)0.005;
  msd_collider_def plane = msd_default_collider_def();
  plane.friction = (msd_real)0.5;
  need(world, msd_add_particles(world, &particle, 1, NULL));
  need(world, msd_add_colliders(world, &plane, 1, NULL));
  need(world, msd_world_step(world, 1, 60));
  const bool slid = (double)msd_particle_get_position(world, 0).x > 1e-5;
  msd_destroy_world(world);
  return slid;
}

static void friction(void) {
  double holds = 0, slid = 1;
  for (int n = 0; n < 24; n++) {
    const double middle = (holds + slid) / 2;
    *(slides(middle) ? &slid : &holds) = middle;
  }
  tell("Static colliders never add energy", fabs(slid / 0.5 - 1) < 1e-3,
       "on a slope of friction 0.5 a particle starts to slide at a tangent of %.5f", slid);
}

/* Particles thrown at a wall of one millimeter, at up to 30 m/s and from any distance within a frame. */
static void thrown_at_wall(void) {
  enum { COUNT = 1000 };
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world = open_world(&def);
  static msd_particle_def particles[COUNT];
  for (int i = 0; i < COUNT; i++) {
    particles[i] = msd_default_particle_def();
    particles[i].position = (msd_vec3){(msd_real)(-0.1 - 0.0005 * i), (msd_real)(i % 10 * 0.05 - 0.2), 0};
    particles[i].velocity.x = (msd_real)(1 + 29.0 * i / (COUNT - 1));
  }
  msd_collider_def wall = msd_default_collider_def();
  wall.kind = MSD_COLLIDER_BOX;
  wall.size = (msd_vec3){(msd_real)0.001, 2, 2};
  need(world, msd_add_particles(world, particles, COUNT, NULL));
  need(world, msd_add_colliders(world, &wall, 1, NULL));
  for (int frame = 0; frame < 60; frame++)
    need(world, msd_world_step(world, (msd_real)1 / 60, 1));
  int passed = 0;
  for (int i = 0; i < COUNT; i++)
    passed += (double)msd_particle_get_position(world, i).x > 0;
  tell("Colliders block particles", passed == 0,
       "%d of %d particles at up to 30 m/s pass a wall of 1 mm in substeps of 1/60 s", passed, COUNT);
  msd_destroy_world(world);
}

/* A damped soft pin against its closed form, in substeps of a seventh of a second. */
static void anchored(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world = open_world(&def);
  msd_particle_def particle = msd_default_particle_def();
  particle.position.x = 1;
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 0;
  soft_pin.frequency = 1;
  soft_pin.damping_ratio = (msd_real)0.1;
  need(world, msd_add_particles(world, &particle, 1, NULL));
  need(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  double worst = 0;
  for (int n = 1; n <= 20; n++) {
    need(world, msd_world_step(world, (msd_real)(1 / 7.0), 1));
    const double w = 2 * PI, t = n / 7.0, wd = w * sqrt(1 - 0.01);
    const double exact = exp(-0.1 * w * t) * (cos(wd * t) + 0.1 * w / wd * sin(wd * t));
    worst = fmax(worst, fabs((double)msd_particle_get_position(world, 0).x - exact));
  }
  tell("exact for a lone particle", worst < 1e-5,
       "in substeps of 1/7 s it deviates from the closed form by %.1g m at most", worst);
  msd_destroy_world(world);
}

static void turning(void) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = open_world(&def);
  msd_rotor_def wheel = msd_default_rotor_def();
  wheel.angle = 1;
  msd_torsion_spring_def spiral = msd_default_torsion_spring_def();
  spiral.rest_angle = 0;
  spiral.law = MSD_SPRING_FREQUENCY;
  spiral.frequency = 1;
  need(world, msd_add_rotors(world, &wheel, 1, &spiral.a));
  need(world, msd_add_torsion_springs(world, &spiral, 1, NULL));
  double largest = 0;
  for (int period = 0; period < 1000; period++)
    for (int part = 0; part < 10; part++) {
      need(world, msd_world_step(world, (msd_real)0.1, 50));
      largest = period == 999 ? fmax(largest, fabs(msd_rotor_get_angle(world, spiral.a))) : largest;
    }
  tell("Rotors on torsion springs", fabs(largest - 1) < 0.02,
       "after 1000 periods the amplitude of a wheel on a torsion spring is %.4f of the first", largest);
  msd_destroy_world(world);
}

static void closed_form(void) {
  double worst = 0;
  for (double ratio = 0; ratio < 6; ratio += 0.25) {
    double x = 1, v = 0, x_long = 1, v_long = 0;
    const msd_damped_spring small = msd_damped_spring_make(7, ratio, 0.001),
                            large = msd_damped_spring_make(7, ratio, 1);
    for (int n = 0; n < 1000; n++)
      msd_damped_spring_decay(&small, &x, &v);
    msd_damped_spring_decay(&large, &x_long, &v_long);
    worst = fmax(worst, fmax(fabs(x - x_long), fabs(v - v_long) / 7));
  }
  tell("Closed-form springs are exact", worst < 1e-12,
       "one step of a second and a thousand steps of a millisecond differ by %.1g at most", worst);
}

/* A plate that falls flat: terminal speed sqrt(2 m g/(density drag area)), in substeps of a second. */
static void terminal_speed(void) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = open_world(&def);
  msd_particle_def corners[3];
  const msd_vec3 places[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    corners[i] = msd_default_particle_def();
    corners[i].position = places[i];
    corners[i].mass = (msd_real)0.1;
  }
  const int32_t triangle[3] = {0, 1, 2};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangle;
  surface.triangle_count = 1;
  const msd_wind_def air = msd_default_wind_def();
  need(world, msd_add_particles(world, corners, 3, NULL));
  need(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  need(world, msd_world_set_wind(world, &air));
  for (int n = 0; n < 60; n++)
    need(world, msd_world_step(world, 1, 1));
  const double speed = -(double)msd_particle_get_velocity(world, 0).y,
               expected = sqrt(2 * 0.3 * G / (1.2 * 1.2 * 0.5));
  tell("Wind adds energy only", fabs(speed / expected - 1) < 1e-3,
       "in substeps of a second a plate falls at %.5f of its terminal speed", speed / expected);
  msd_destroy_world(world);
}

int main(void) {
  certified_step();
  equal_bits();
  hostile_host();
  orders();
  hanging_rope();
  friction();
  thrown_at_wall();
  anchored();
  turning();
  closed_form();
  terminal_speed();
  return 0;
}

/* Thousands of calls with any numbers in any order: a world stays finite, and a call that fails changes
   nothing. */
#include "picture.h"

#include <stdint.h>

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static msd_real any_number(uint32_t *state) {
  static const double numbers[] = {0,        -0.0,  1,         -1,      0.5,  2,     1e-3, 100,
                                   1e6,      1e-20, 1e20,      3e38,    1e38, 1e-45, NAN,  1e-6,
                                   INFINITY, 10,    -INFINITY, -1e-300, 0.1,  3};
  const uint32_t count = sizeof numbers / sizeof *numbers;
  if (next_random(state) % 4 > 0)
    return (msd_real)(next_random(state) / 0x1p22 - 2);
  return (msd_real)numbers[next_random(state) % count];
}

static msd_vec3 any_vector(uint32_t *state) {
  const msd_real x = any_number(state), y = any_number(state), z = any_number(state);
  return (msd_vec3){x, y, z};
}

static int32_t any_index(uint32_t *state, int32_t count) {
  return next_random(state) % 16 > 0 ? (int32_t)(next_random(state) % (uint32_t)(count + 1))
                                     : (int32_t)(next_random(state) % 2 ? -1 : INT32_MAX);
}

static msd_spring_def any_spring(uint32_t *state, int32_t particles) {
  msd_spring_def def = msd_default_spring_def();
  def.a = any_index(state, particles);
  def.b = any_index(state, particles);
  def.law = (msd_spring_law)(next_random(state) % 5);
  def.rest_length = any_number(state);
  def.stiffness = any_number(state);
  def.damping = any_number(state);
  def.ck = any_number(state);
  def.cd = any_number(state);
  def.frequency = any_number(state);
  def.damping_ratio = any_number(state);
  if (next_random(state) % 32 == 0)
    def.cookie = next_random(state);
  return def;
}

static msd_result any_step(msd_world *world, uint32_t *state) {
  const msd_real time_step = any_number(state);
  int substeps = (int)(next_random(state) % 4);
  msd_stability report;
  if (substeps == 0 && (msd_world_stability(world, time_step, &report) != MSD_OK || report.substeps > 1000))
    substeps = 1; /* certified, but for hours */
  return msd_world_step(world, time_step, substeps);
}

static msd_result any_call(msd_world *world, uint32_t *state, bool *is_step) {
  const int32_t particles = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  const int32_t particle = any_index(state, particles), spring = any_index(state, springs);
  msd_particle_def particle_def = msd_default_particle_def();
  msd_spring_def spring_def;
  *is_step = false;
  switch (next_random(state) % 20) {
  case 0:
    particle_def.position = any_vector(state);
    particle_def.velocity = any_vector(state);
    particle_def.mass = any_number(state);
    particle_def.pinned = next_random(state) % 4 == 0;
    return particles % 64 < 60 ? msd_add_particles(world, &particle_def, 1, NULL) : MSD_OK;
  case 1:
  case 2:
    spring_def = any_spring(state, particles);
    return springs % 4096 < 4000 ? msd_add_springs(world, &spring_def, 1, NULL) : MSD_OK;
  case 3:
    spring_def = any_spring(state, particles);
    return msd_spring_retune(world, spring, &spring_def);
  case 4:
    return msd_spring_set_rest_length(world, spring, any_number(state));
  case 5:
    return next_random(state) % 8 ? MSD_OK : msd_spring_break(world, spring);
  case 6:
    return msd_particle_set_position(world, particle, any_vector(state));
  case 7:
    return msd_particle_set_velocity(world, particle, any_vector(state));
  case 8:
    return msd_particle_set_mass(world, particle, any_number(state));
  case 9:
    return msd_particle_pin(world, particle);
  case 10:
    return msd_particle_unpin(world, particle);
  case 11:
    return msd_particle_move_to(world, particle, any_vector(state));
  case 12:
    return msd_particle_apply_force(world, particle, any_vector(state));
  case 13:
    return msd_world_set_gravity(world, any_vector(state));
  case 14:
    return msd_world_set_air_drag(world, any_number(state));
  case 15:
    return msd_world_set_integrator(world, (msd_integrator)(next_random(state) % 5));
  case 16:
    return msd_world_set_limit(world, (msd_limit)(next_random(state) % 3));
  case 17:
    return msd_world_set_simd(world, (msd_simd)(next_random(state) % 6));
  default:
    *is_step = true;
    return any_step(world, state);
  }
}

typedef struct tally {
  int failed, diverged, stepped;
} tally;

static void call_at_random(msd_world *world, uint32_t seed, int calls, tally *t) {
  uint32_t state = seed * 7919;
  for (int call = 0; call < calls; call++) {
    const picture before = take_picture(world);
    bool is_step;
    const msd_result result = any_call(world, &state, &is_step);
    cr_assert((unsigned)result < MSD_RESULT_COUNT && result != MSD_OUT_OF_MEMORY);
    cr_assert(is_finite_world(world), "seed %u call %d: %s, and a number is not finite", seed, call,
              msd_result_string(result));
    t->failed += result != MSD_OK;
    t->diverged += result == MSD_DIVERGED;
    t->stepped += is_step && result == MSD_OK;
    cr_assert(result == MSD_OK || msd_world_message(world)[0] != '\0');
    if (result != MSD_OK && result != MSD_DIVERGED && result != MSD_NO_STABLE_STEP)
      cr_assert(is_unchanged(world, before), "seed %u call %d: %s changed the world", seed, call,
                msd_world_message(world));
    else
      forget(before);
  }
  msd_destroy_world(world);
}

Test(any_calls, no_series_of_calls_breaks_a_small_world) {
  tally t = {0};
  for (uint32_t seed = 1; seed <= 60; seed++)
    call_at_random(seed % 2 ? small_world() : empty_world(), seed, 400, &t);
  cr_expect(t.failed > 1000 && t.diverged > 50 && t.stepped > 500,
            "the mix is poor: %d failed, %d diverged, %d steps", t.failed, t.diverged, t.stepped);
}

/* Of a size, and with so many springs across it, that a step lays out the particles in its own order. */
static msd_world *large_world(uint32_t springs) {
  msd_world *world = empty_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = 30;
  cloth.rows = 20;
  cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
  for (uint32_t s = 0, random = springs; s < springs; s++) {
    const int32_t a = (int32_t)(next_random(&random) % 600), b = (int32_t)(next_random(&random) % 599);
    const msd_spring_def def = spring_between(a, b < a ? b : b + 1);
    cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
  }
  return world;
}

Test(any_calls, no_series_of_calls_breaks_a_large_world) {
  tally t = {0};
  for (uint32_t seed = 1; seed <= 40; seed++)
    call_at_random(large_world(seed % 3 * 1000), seed, 40, &t);
  cr_expect(t.failed > 200 && t.stepped > 40, "the mix is poor: %d failed, %d diverged, %d steps", t.failed,
            t.diverged, t.stepped);
}

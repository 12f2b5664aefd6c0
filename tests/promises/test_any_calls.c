/* Thousands of calls with any numbers in any order: a world stays finite, and a call that fails changes
   nothing. */
#include "tests/support/picture.h"

#include <stdint.h>
#include <stdlib.h>

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

static msd_constraint_def any_constraint(uint32_t *state, int32_t particles) {
  static int32_t triangles[12];
  const int32_t tip[4] = {any_index(state, particles), any_index(state, particles),
                          any_index(state, particles), any_index(state, particles)};
  static const int corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = (msd_constraint_kind)(next_random(state) % (MSD_CONSTRAINT_KIND_COUNT + 1));
  for (int n = 0; n < 12; n++)
    triangles[n] = tip[corners[n]];
  for (int n = 0; n < 4; n++)
    def.particles[n] = tip[n];
  for (int n = 1; n < 4; n++) {
    def.weights[n] = any_number(state);
    def.weights[0] -= def.weights[n];
  }
  if (def.kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  if (next_random(state) % 2)
    def.rest = any_number(state);
  def.law = (msd_spring_law)(next_random(state) % 5);
  def.stiffness = any_number(state);
  def.damping = any_number(state);
  def.ck = next_random(state) % 2 ? MSD_MAX_STABLE : any_number(state);
  def.cd = next_random(state) % 2 ? MSD_MAX_STABLE : any_number(state);
  def.frequency = any_number(state);
  def.damping_ratio = any_number(state);
  if (next_random(state) % 32 == 0)
    def.cookie = next_random(state);
  return def;
}

static msd_soft_pin_def any_soft_pin(uint32_t *state, int32_t particles) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = any_index(state, particles);
  def.position = any_vector(state);
  def.law = (msd_spring_law)(next_random(state) % 5);
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

static msd_torsion_spring_def any_torsion_spring(uint32_t *state, int32_t rotors) {
  msd_torsion_spring_def def = msd_default_torsion_spring_def();
  def.a = any_index(state, rotors);
  def.b = any_index(state, rotors);
  def.law = (msd_spring_law)(next_random(state) % 5);
  def.rest_angle = next_random(state) % 2 ? (double)MSD_AS_PLACED : (double)any_number(state);
  def.stiffness = any_number(state);
  def.damping = any_number(state);
  def.ck = any_number(state);
  def.cd = any_number(state);
  def.frequency = any_number(state);
  def.damping_ratio = any_number(state);
  return def;
}

static msd_rotor_def any_rotor(uint32_t *state) {
  msd_rotor_def def = msd_default_rotor_def();
  def.angle = (double)any_number(state);
  def.angular_velocity = (double)any_number(state);
  def.inertia = any_number(state);
  def.pinned = next_random(state) % 4 == 0;
  return def;
}

/* A call about what is no particle and no spring between two. */
static msd_quaternion any_rotation(uint32_t *state) {
  return next_random(state) % 4
             ? msd_quaternion_from_degrees(any_vector(state))
             : (msd_quaternion){(double)any_number(state), (double)any_number(state), 0, 0};
}

static msd_collider_def any_collider(uint32_t *state) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = (msd_collider_kind)(next_random(state) % (MSD_COLLIDER_KIND_COUNT + 1));
  if (next_random(state) % 2)
    def.position = any_vector(state);
  def.rotation = any_rotation(state);
  def.to = any_vector(state);
  def.radius = next_random(state) % 2 ? 1 : any_number(state);
  if (next_random(state) % 2)
    def.normal = def.size = any_vector(state);
  def.friction = next_random(state) % 2 ? def.friction : any_number(state);
  return def;
}

static msd_result any_collider_call(msd_world *world, uint32_t *state) {
  const int32_t colliders = msd_world_get_collider_count(world), collider = any_index(state, colliders);
  const msd_collider_def def = any_collider(state);
  msd_contact_settings contact = msd_default_contact_settings();
  msd_collider_contact touched[4];
  switch (next_random(state) % 8) {
  case 0:
  case 1:
    return colliders < 30 ? msd_add_colliders(world, &def, 1, NULL) : MSD_OK;
  case 2:
    return msd_collider_set_def(world, collider, &def);
  case 3:
    contact.thickness = any_number(state);
    contact.friction = any_number(state);
    contact.relaxation = any_number(state);
    return msd_world_set_contact_settings(world, &contact);
  case 4:
    cr_assert_geq(msd_world_get_collider_contacts(world, touched, 4), 0);
    return MSD_OK;
  default:
    return msd_collider_move_to(world, collider, any_vector(state), any_rotation(state));
  }
}

static msd_result any_wind(msd_world *world, uint32_t *state) {
  msd_wind_def def = msd_default_wind_def();
  def.velocity = any_vector(state);
  def.turbulence = any_number(state);
  def.turbulence_length = any_number(state);
  def.density = any_number(state);
  def.normal_drag = any_number(state);
  def.tangential_drag = any_number(state);
  return msd_world_set_wind(world, &def);
}

static msd_result any_surface_call(msd_world *world, uint32_t *state) {
  const int32_t particles = msd_world_get_particle_count(world),
                surfaces = msd_world_get_collision_mesh_count(world);
  int32_t corners[12];
  for (int n = 0; n < 12; n++)
    corners[n] = any_index(state, particles);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = next_random(state) % 8 ? (int32_t)(next_random(state) % 3) : -1;
  def.segments = corners + 6;
  def.segment_count = (int32_t)(next_random(state) % 4);
  def.self_collision = next_random(state) % 4 > 0;
  if (next_random(state) % 4 == 0)
    def.thickness = any_number(state);
  if (next_random(state) % 4 == 0)
    def.friction = any_number(state);
  if (next_random(state) % 4 == 0)
    return msd_collision_mesh_exclude(world, any_index(state, surfaces), any_index(state, surfaces));
  return surfaces < 8 ? msd_add_collision_meshes(world, &def, 1, NULL) : MSD_OK;
}

static msd_result any_damage_call(msd_world *world, uint32_t *state) {
  const int32_t springs = msd_world_get_spring_count(world),
                constraints = msd_world_get_constraint_count(world);
  const msd_range some = {any_index(state, springs), (int32_t)(next_random(state) % 3)};
  msd_damage_def def = msd_default_damage_def();
  switch (next_random(state) % 5) {
  case 0:
    return springs < 400 ? msd_springs_stiffen(world, some, any_number(state), any_number(state), NULL)
                         : MSD_OK;
  case 1:
    return springs < 400 ? msd_springs_limit_stretch(world, some, any_number(state), any_number(state), NULL)
                         : MSD_OK;
  case 2:
    def.yield_strain = any_number(state);
    if (next_random(state) % 2)
      def.max_plastic_strain = any_number(state);
    return msd_constraints_set_damage(world, (msd_range){any_index(state, constraints), some.count}, &def);
  default:
    def.tear_strain = any_number(state);
    def.yield_strain = any_number(state);
    if (next_random(state) % 2)
      def.max_plastic_strain = any_number(state);
    return msd_springs_set_damage(world, some, &def);
  }
}

static msd_result any_bulk_call(msd_world *world, uint32_t *state) {
  enum { MOST = 4 };
  int32_t list[MOST];
  msd_real numbers[3 * MOST];
  const int32_t count = (int32_t)(next_random(state) % (MOST + 1));
  for (int32_t i = 0; i < count; i++)
    list[i] = any_index(state, msd_world_get_particle_count(world));
  for (int32_t i = 0; i < 3 * count; i++)
    numbers[i] = any_number(state);
  const msd_particle_set which = next_random(state) % 2
                                     ? msd_particle_set_of_list(list, count)
                                     : msd_particle_set_of_range((msd_range){count > 0 ? list[0] : 0, count});
  const msd_attribute quantity = (msd_attribute)(next_random(state) % (MSD_ATTRIBUTE_COUNT + 1));
  return msd_world_write(world, which, quantity, (msd_memory_layout){0}, numbers);
}

/* Back to the present state, which is refused where springs wear. */
static msd_result any_return(msd_world *world) {
  size_t size = 0;
  if (msd_world_save_state(world, NULL, 0, &size) != MSD_OK)
    return MSD_OK;
  void *bytes = malloc(size);
  cr_assert_not_null(bytes);
  cr_assert_eq(msd_world_save_state(world, bytes, size, &size), MSD_OK);
  const uint64_t before = msd_world_hash(world);
  const msd_result result = msd_world_restore_state(world, bytes, size);
  cr_assert_eq(msd_world_hash(world), before);
  free(bytes);
  return result;
}

/* What is fast falls asleep too, and is woken; now and then springs are taken in ways beside which nothing may
   sleep. */
static msd_result any_sleep_call(msd_world *world, uint32_t *state) {
  msd_sleep_def def = msd_default_sleep_def();
  switch (next_random(state) % 12) {
  case 0:
    def.speed = any_number(state);
    def.delay = any_number(state);
    return msd_world_set_sleep(world, &def);
  case 1:
    return msd_particle_wake(world, any_index(state, msd_world_get_particle_count(world)));
  case 2:
    return msd_world_wake_all(world);
  case 3:
    return msd_world_set_solver(world, (msd_solver)(next_random(state) % 3));
  case 4:
    return msd_world_set_mass_scaling(world, (msd_mass_scaling)(next_random(state) % 3));
  case 5:
    return msd_world_set_solver(world, MSD_SOLVER_EXPLICIT);
  case 6:
    return msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE);
  default:
    def.speed = next_random(state) % 2 ? 1000 : 0;
    def.delay = (msd_real)1e-3;
    return msd_world_set_sleep(world, &def);
  }
}

/* What is left keeps its place, and there is nothing else. */
static msd_result any_compaction(msd_world *world) {
  const int32_t count = msd_world_get_particle_count(world),
                left = msd_world_get_live_count(world, MSD_OBJECT_PARTICLE);
  int32_t *to = malloc(((size_t)count + 1) * sizeof *to);
  msd_vec3 *places = malloc(((size_t)count + 1) * sizeof *places);
  cr_assert(to && places);
  for (int32_t i = 0; i < count; i++)
    places[i] = msd_particle_get_position(world, i);
  const msd_result result = msd_world_compact(world, &(msd_index_moves){.to = {to}});
  cr_assert_eq(msd_world_get_particle_count(world), left);
  for (int32_t i = 0; i < count; i++) {
    const msd_vec3 now = msd_particle_get_position(world, to[i]);
    cr_assert(to[i] < 0 || memcmp(&now, &places[i], sizeof now) == 0);
  }
  free(places);
  free(to);
  return result;
}

/* Mostly one of those that there are, of any kind. */
static msd_result any_removal(msd_world *world, uint32_t *state) {
  const uint32_t kinds = next_random(state) % 16 > 0 ? MSD_OBJECT_COUNT : MSD_OBJECT_COUNT + 1;
  const msd_object item = (msd_object)(next_random(state) % kinds);
  const int32_t counts[MSD_OBJECT_COUNT + 1] = {
      msd_world_get_particle_count(world),   msd_world_get_spring_count(world),
      msd_world_get_constraint_count(world), msd_world_get_soft_pin_count(world),
      msd_world_get_rotor_count(world),      msd_world_get_torsion_spring_count(world),
      msd_world_get_collider_count(world),   msd_world_get_collision_mesh_count(world)};
  int32_t list[2];
  for (int n = 0; n < 2; n++)
    list[n] = any_index(state, counts[item]);
  const int32_t count = (int32_t)(next_random(state) % 3);
  switch (next_random(state) % 8) {
  case 0:
    return msd_destroy_range(world, item, (msd_range){list[0], count});
  case 1:
    return any_compaction(world);
  default:
    return msd_destroy_objects(world, item, list, count);
  }
}

static msd_result any_furnishing_call(msd_world *world, uint32_t *state) {
  const int32_t particles = msd_world_get_particle_count(world), rotors = msd_world_get_rotor_count(world);
  const int32_t constraints = msd_world_get_constraint_count(world);
  const int32_t soft_pins = msd_world_get_soft_pin_count(world);
  const int32_t torsion_springs = msd_world_get_torsion_spring_count(world);
  const int32_t constraint = any_index(state, constraints), soft_pin = any_index(state, soft_pins);
  const int32_t rotor = any_index(state, rotors), spring = any_index(state, torsion_springs);
  const msd_constraint_def constraint_def = any_constraint(state, particles);
  const msd_soft_pin_def soft_pin_def = any_soft_pin(state, particles);
  const msd_torsion_spring_def spring_def = any_torsion_spring(state, rotors);
  const msd_rotor_def rotor_def = any_rotor(state);
  switch (next_random(state) % 23) {
  case 0:
  case 1:
  case 2:
    return constraints < 500 ? msd_add_constraints(world, &constraint_def, 1, NULL) : MSD_OK;
  case 3:
    return msd_constraint_set_law(world, constraint, &constraint_def);
  case 4:
    return msd_constraint_set_rest(world, constraint,
                                   next_random(state) % 2 ? MSD_AS_PLACED : any_number(state));
  case 5:
    return next_random(state) % 8 ? MSD_OK : msd_constraint_break(world, constraint);
  case 6:
  case 7:
    return soft_pins < 20 ? msd_add_soft_pins(world, &soft_pin_def, 1, NULL) : MSD_OK;
  case 8:
    return msd_soft_pin_set_def(world, soft_pin, &soft_pin_def);
  case 9:
    return msd_soft_pin_move_to(world, soft_pin, any_vector(state));
  case 10:
    return rotors < 20 ? msd_add_rotors(world, &rotor_def, 1, NULL) : MSD_OK;
  case 11:
    return msd_rotor_set_def(world, rotor, &rotor_def);
  case 12:
    return msd_rotor_apply_torque(world, rotor, (double)any_number(state));
  case 13:
    return torsion_springs < 100 ? msd_add_torsion_springs(world, &spring_def, 1, NULL) : MSD_OK;
  case 14:
    return msd_torsion_spring_set_law(world, spring, &spring_def);
  case 15:
    return msd_torsion_spring_set_rest_angle(world, spring, spring_def.rest_angle);
  case 16:
    return next_random(state) % 8 ? any_damage_call(world, state) : msd_torsion_spring_break(world, spring);
  case 17:
  case 18:
  case 19:
    return any_collider_call(world, state);
  case 20:
  case 21:
    return any_surface_call(world, state);
  default: {
    const picture p = take_picture(world);
    const msd_result result = msd_world_restore(world, p.bytes, p.size);
    forget(p);
    return result;
  }
  }
}

static msd_result any_step(msd_world *world, uint32_t *state, bool *is_step) {
  *is_step = true;
  const msd_real frame_time = any_number(state);
  int substeps = (int)(next_random(state) % 4);
  msd_stability report;
  if (substeps == 0 &&
      (msd_world_analyze_stability(world, frame_time, &report) != MSD_OK || report.substeps > 1000))
    substeps = 1; /* certified, but for hours */
  return msd_world_step(world, frame_time, substeps);
}

/* One of so many kinds; every second time and more the first, beside which most others may be. */
static uint32_t often_first(uint32_t *state, uint32_t kinds) {
  return next_random(state) % 2 ? next_random(state) % kinds : 0;
}

typedef enum mix { MIX_PLAIN, MIX_FURNISHED, MIX_REMOVING } mix;

static msd_result any_call(msd_world *world, uint32_t *state, mix of, bool *is_step) {
  const int32_t particles = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  const int32_t particle = any_index(state, particles), spring = any_index(state, springs);
  msd_particle_def particle_def = msd_default_particle_def();
  msd_spring_def spring_def;
  if (of == MIX_REMOVING && next_random(state) % 8 == 0)
    return any_removal(world, state);
  if (of != MIX_PLAIN && next_random(state) % 2)
    return any_furnishing_call(world, state);
  switch (next_random(state) % 21) {
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
    return msd_spring_set_law(world, spring, &spring_def);
  case 4:
    return next_random(state) % 2 ? msd_spring_set_rest_length(world, spring, any_number(state))
                                  : msd_spring_move_rest_length_to(world, spring, any_number(state));
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
    return next_random(state) % 2 ? msd_world_set_linear_damping(world, any_number(state))
                                  : any_wind(world, state);
  case 15:
    return msd_world_set_integrator(world, (msd_integrator)often_first(state, 5));
  case 16:
    return next_random(state) % 2 ? msd_world_set_clamp_stiffness(world, next_random(state) % 2 == 1)
                                  : msd_world_set_energy_mode(world, (msd_energy_mode)often_first(state, 5));
  case 17:
    return next_random(state) % 2 ? msd_world_set_simd(world, (msd_simd)(next_random(state) % 6))
                                  : any_sleep_call(world, state);
  case 18:
    return next_random(state) % 4 ? any_bulk_call(world, state) : any_return(world);
  default:
    return any_step(world, state, is_step);
  }
}

typedef struct tally {
  int failed, diverged, stepped;
  /* Steps behind which something sleeps. */
  int asleep;
} tally;

/* A copy goes on with the same bits, whatever has been destroyed. */
static void expect_same_step_of_copy(msd_world *world, uint32_t seed, int call) {
  msd_world *copy;
  cr_assert_eq(msd_copy_world(world, &copy), MSD_OK, "seed %u call %d: no copy", seed, call);
  const msd_result result = msd_world_step(world, (msd_real)1e-3, 1);
  cr_assert_eq(msd_world_step(copy, (msd_real)1e-3, 1), result, "seed %u call %d: %s, and of the copy %s",
               seed, call, msd_world_message(world), msd_world_message(copy));
  cr_assert_eq(msd_world_hash(copy), msd_world_hash(world), "seed %u call %d: a copy steps otherwise", seed,
               call);
  msd_destroy_world(copy);
}

static void call_at_random(msd_world *world, uint32_t seed, int calls, mix of, tally *t) {
  uint32_t state = seed * 7919;
  for (int call = 0; call < calls; call++) {
    const picture before = take_picture(world);
    bool is_step = false;
    const msd_result result = any_call(world, &state, of, &is_step);
    cr_assert((unsigned)result < MSD_RESULT_COUNT && result != MSD_OUT_OF_MEMORY);
    cr_assert(is_finite_world(world), "seed %u call %d: %s, and a number is not finite", seed, call,
              msd_result_string(result));
    t->failed += result != MSD_OK;
    t->diverged += result == MSD_DIVERGED;
    t->stepped += is_step && result == MSD_OK;
    t->asleep += is_step && msd_world_get_counts(world).asleep > 0;
    cr_assert(result == MSD_OK || msd_world_message(world)[0] != '\0');
    if (result != MSD_OK && result != MSD_DIVERGED && result != MSD_NO_STABLE_STEP)
      cr_assert(is_unchanged(world, before), "seed %u call %d: %s changed the world", seed, call,
                msd_world_message(world));
    else
      forget(before);
    if (of == MIX_REMOVING && call % 64 == 63)
      expect_same_step_of_copy(world, seed, call);
  }
  msd_destroy_world(world);
}

/* Fewer of them diverge in double precision, which takes larger numbers. */
Test(any_calls, no_series_of_calls_breaks_a_small_world) {
  tally t = {0};
  for (uint32_t seed = 1; seed <= 60; seed++)
    call_at_random(seed % 2 ? small_world() : empty_world(), seed, 400, MIX_PLAIN, &t);
  cr_expect(t.failed > 1000 && t.diverged > 25 && t.stepped > 500 && t.asleep > 50,
            "the mix is poor: %d failed, %d diverged, %d steps, %d asleep", t.failed, t.diverged, t.stepped,
            t.asleep);
}

Test(any_calls, no_series_of_calls_breaks_constraints_soft_pins_rotors_colliders_and_surfaces) {
  tally t = {0};
  for (uint32_t seed = 1; seed <= 200; seed++)
    call_at_random(small_world(), seed, 600, MIX_FURNISHED, &t);
  cr_expect(t.failed > 1000 && t.diverged > 50 && t.stepped > 500 && t.asleep > 50,
            "the mix is poor: %d failed, %d diverged, %d steps, %d asleep", t.failed, t.diverged, t.stepped,
            t.asleep);
}

/* MSD_ANY_CALLS=10000000 test_any_calls --filter any_calls/no_series_of_calls_with_removal_breaks_a_world
   makes ten million calls, in a minute or two. */
Test(any_calls, no_series_of_calls_with_removal_breaks_a_world, .timeout = 3600) {
  enum { CALLS_EACH = 800 };
  const char *asked = getenv("MSD_ANY_CALLS");
  const long calls = asked ? atol(asked) : 80000;
  tally t = {0};
  for (uint32_t seed = 1; (long)seed * CALLS_EACH <= calls; seed++)
    call_at_random(seed % 4 ? small_world() : empty_world(), seed, CALLS_EACH, MIX_REMOVING, &t);
  cr_expect(t.failed > 1000 && t.diverged > 50 && t.stepped > 500 && t.asleep > 50,
            "the mix is poor: %d failed, %d diverged, %d steps, %d asleep", t.failed, t.diverged, t.stepped,
            t.asleep);
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
  for (uint32_t seed = 1; seed <= 50; seed++)
    call_at_random(large_world(seed % 3 * 1000), seed, 40, MIX_PLAIN, &t);
  cr_expect(t.failed > 200 && t.stepped > 40, "the mix is poor: %d failed, %d diverged, %d steps", t.failed,
            t.diverged, t.stepped);
}

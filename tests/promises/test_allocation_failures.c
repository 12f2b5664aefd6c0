/* A world whose memory runs out, at any request and at its limit, is as before and can go on. */
#include "tests/support/bookkeeper.h"
#include "tests/support/picture.h"
#include "tests/support/share.h"

#include <stdint.h>

static msd_world_def kept_def(bookkeeper *b) {
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){keep_and_allocate, keep_and_release, b};
  def.thread_count = 1;
  return def;
}

/* The life of a world, one call after the other. Each is repeated when it found no memory. */
typedef msd_result life_call(msd_world *world);

static msd_result live_particles(msd_world *world) {
  msd_particle_def defs[40];
  for (int i = 0; i < 40; i++) {
    defs[i] = msd_default_particle_def();
    defs[i].position = (msd_vec3){(msd_real)i, (msd_real)(i % 3), 0};
    defs[i].pinned = i == 0;
  }
  return msd_add_particles(world, defs, 40, NULL);
}

static msd_result live_springs(msd_world *world) {
  msd_spring_def defs[60];
  for (int32_t i = 0; i < 60; i++)
    defs[i] = spring_between(i % 39, i < 39 ? i + 1 : (7 * i) % 30 + 9 == i % 39 ? 0 : (7 * i) % 30 + 9);
  return msd_add_springs(world, defs, 60, NULL);
}

static msd_result live_force(msd_world *world) {
  return msd_particle_apply_force(world, 5, (msd_vec3){1, 2, 3});
}

static msd_result live_move(msd_world *world) {
  return msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)0.1, 0});
}

static msd_result live_step(msd_world *world) {
  return msd_world_step(world, (msd_real)1e-3, 2);
}

static msd_result live_step_certified(msd_world *world) {
  return msd_world_step(world, (msd_real)1e-3, 0);
}

static msd_result live_stability(msd_world *world) {
  const msd_real dt = (msd_real)1e-2;
  const msd_range springs = {0, msd_world_get_spring_count(world) > 0};
  msd_stability report;
  msd_stability_explanation explanation;
  msd_softening softening;
  msd_stiffness_limits limits;
  msd_static_stretch stretch;
  msd_components components;
  msd_world *copy;
  int32_t substeps;
  msd_result result = msd_world_analyze_stability(world, dt, &report);
  if (result == MSD_OK)
    result = msd_world_explain_stability(world, dt, &explanation);
  if (result == MSD_OK)
    result = msd_world_find_substeps(world, dt, &substeps);
  double linearized_limit;
  if (result == MSD_OK)
    result = msd_world_estimate_current_limit(world, dt, &linearized_limit);
  if (result == MSD_OK)
    result = msd_world_find_softening(world, dt, false, &softening);
  if (result == MSD_OK)
    result = msd_world_find_stiffness_limits(world, &springs, springs.count, dt, &limits);
  double masses[64];
  if (result == MSD_OK && msd_world_get_particle_count(world) <= 64)
    result = msd_world_find_required_masses(world, dt, masses);
  if (result == MSD_OK)
    result = msd_world_estimate_stretch(world, dt, &stretch);
  if (result == MSD_OK)
    result = msd_world_find_components(world, NULL, NULL, &components);
  const int32_t triangles[] = {0, 1, 2, 3, 4, 5};
  msd_intersection_def surface = msd_default_intersection_def();
  surface.triangles = triangles;
  surface.triangle_count = msd_world_get_particle_count(world) > 5 ? 2 : 0;
  int64_t found;
  if (result == MSD_OK)
    result = msd_world_find_intersections(world, &surface, NULL, 0, &found);
  if (result == MSD_OK)
    result = msd_copy_world(world, &copy);
  if (result == MSD_OK)
    msd_destroy_world(copy);
  return result;
}

static msd_result live_mass_redistribution(msd_world *world) {
  const msd_mass_pool pool = {{0, msd_world_get_particle_count(world)}, 0.1};
  return msd_world_redistribute_mass(world, &pool, 1, (msd_real)1e-2, NULL);
}

static msd_result live_verlet(msd_world *world) {
  const msd_result result = msd_world_set_integrator(world, MSD_VELOCITY_VERLET);
  return result == MSD_OK ? msd_world_step(world, (msd_real)1e-3, 1) : result;
}

static msd_result live_rk4(msd_world *world) {
  const msd_result result = msd_world_set_integrator(world, MSD_RK4);
  return result == MSD_OK ? msd_world_step(world, (msd_real)1e-3, 1) : result;
}

static msd_result live_rope(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 100;
  return msd_add_rope(world, &def, NULL);
}

static msd_result live_mesh(msd_world *world) {
  static const msd_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  static const int32_t triangles[] = {0, 1, 2, 0, 2, 3};
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = vertices;
  def.vertex_count = 4;
  def.triangles = triangles;
  def.triangle_count = 2;
  return msd_add_mesh(world, &def, NULL);
}

static msd_result live_restore(msd_world *world) {
  const picture p = take_picture(world);
  const msd_result result = msd_world_restore(world, p.bytes, p.size);
  forget(p);
  return result;
}

/* More than a chunk or two of particles, which the step takes in another way than a few. */
static msd_result live_cloth(msd_world *world) {
  msd_cloth_def def = msd_default_cloth_def();
  def.origin.z = (msd_real)msd_world_get_particle_count(world);
  def.columns = 32;
  def.rows = 17;
  def.mass = 500;
  def.stretch = spring_between(0, 0);
  return msd_add_cloth(world, &def, NULL);
}

/* Whose springs have laws of their own. */
static msd_result live_fabric(msd_world *world) {
  msd_material material = msd_default_material();
  material.area_density = 100;
  material.stretch_modulus = 1000;
  material.bend_rigidity = 1;
  msd_cloth_def def = msd_default_cloth_def();
  def.origin.z = (msd_real)msd_world_get_particle_count(world);
  def.columns = 7;
  def.rows = 5;
  def.material = &material;
  return msd_add_cloth(world, &def, NULL);
}

/* Springs across everything, from few to so many that the order of the particles no longer helps. */
static msd_result live_penetration(msd_world *world) {
  enum { PENETRATION = 800 };
  const uint32_t particles = (uint32_t)msd_world_get_particle_count(world);
  msd_spring_def defs[PENETRATION];
  uint32_t random = particles + (uint32_t)msd_world_get_spring_count(world);
  for (int i = 0; i < PENETRATION; i++) {
    random = random * 1664525u + 1013904223u;
    const uint32_t a = (random >> 8) % particles, b = (a + 1 + (random >> 4) % (particles - 1)) % particles;
    defs[i] = spring_between((int32_t)a, (int32_t)b);
    defs[i].stiffness = 10;
  }
  return msd_add_springs(world, defs, PENETRATION, NULL);
}

static msd_result live_two_threads(msd_world *world) {
  msd_result result = msd_world_set_thread_count(world, 2);
  if (result == MSD_OK)
    result = msd_world_step(world, (msd_real)1e-3, 2);
  return result == MSD_OK ? msd_world_set_thread_count(world, 1) : result;
}

static msd_result live_impulses(msd_world *world) {
  msd_result result = msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE);
  if (result == MSD_OK)
    result = msd_world_set_impulse_warm_start(world, true);
  return result == MSD_OK ? msd_world_step(world, (msd_real)1e-3, 3) : result;
}

static msd_result live_symplectic(msd_world *world) {
  const msd_result result = msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER);
  return result == MSD_OK ? msd_world_step(world, (msd_real)1e-3, 1) : result;
}

/* Of all kinds with corners by turns. */
static msd_result live_constraints(msd_world *world) {
  msd_constraint_def defs[40];
  for (int32_t i = 0; i < 40; i++) {
    defs[i] = msd_default_constraint_def();
    defs[i].kind = (msd_constraint_kind)(i % MSD_CONSTRAINT_MESH_VOLUME);
    for (int n = 0; n < msd_constraint_kind_particles(defs[i].kind); n++)
      defs[i].particles[n] = i % 30 + 2 * n;
    defs[i].weights[0] = -1, defs[i].weights[3] = 1;
    defs[i].stiffness = 1;
    defs[i].law = defs[i].kind == MSD_CONSTRAINT_AREA ? MSD_SPRING_STIFFNESS : MSD_SPRING_COEFFICIENT;
  }
  return msd_add_constraints(world, defs, 40, NULL);
}

static const msd_vec3 tetrahedron[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static msd_result live_balloon(msd_world *world) {
  static const int32_t triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = tetrahedron;
  def.vertex_count = 4;
  def.triangles = triangles;
  def.triangle_count = 4;
  def.bend_kind = MSD_BEND_DIHEDRAL;
  def.bend.law = def.pressure.law = MSD_SPRING_COEFFICIENT;
  return msd_add_mesh(world, &def, NULL);
}

static msd_result live_tetmesh(msd_world *world) {
  static const int32_t corners[] = {0, 1, 2, 3};
  msd_tetmesh_def def = msd_default_tetmesh_def();
  def.vertices = tetrahedron;
  def.vertex_count = 4;
  def.tetrahedra = corners;
  def.tetrahedron_count = 1;
  return msd_add_tetmesh(world, &def, NULL);
}

static msd_result live_soft_pins(msd_world *world) {
  msd_soft_pin_def defs[3];
  for (int32_t i = 0; i < 3; i++) {
    defs[i] = msd_default_soft_pin_def();
    defs[i].particle = 3 * msd_world_get_soft_pin_count(world) + i + 1;
    defs[i].damping_ratio = (msd_real)i;
  }
  return msd_add_soft_pins(world, defs, 3, NULL);
}

static msd_result live_colliders(msd_world *world) {
  msd_collider_def defs[5];
  for (int i = 0; i < 5; i++) {
    defs[i] = msd_default_collider_def();
    defs[i].kind = (msd_collider_kind)(i % MSD_COLLIDER_KIND_COUNT);
    defs[i].position.y = -1;
  }
  return msd_add_colliders(world, defs, 5, NULL);
}

/* Some triangles of the last cloth of so many columns, and thicker than its meshes are wide. */
static msd_result add_surface(msd_world *world, int32_t columns, int32_t rows) {
  enum { COUNT = 93 };
  int32_t corners[3 * COUNT], *next = corners;
  const int32_t first = msd_world_get_particle_count(world) - columns * rows;
  for (int32_t n = 0; n < COUNT && n < (columns - 1) * (rows - 1); n++) {
    const int32_t a = first + n / (columns - 1) * columns + n % (columns - 1);
    *next++ = a;
    *next++ = a + 1;
    *next++ = a + columns + n % 2;
  }
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = (int32_t)(next - corners) / 3;
  def.thickness = (msd_real)0.0625;
  return msd_add_collision_meshes(world, &def, 1, NULL);
}

static msd_result live_surface(msd_world *world) {
  return add_surface(world, 32, 17);
}

static msd_result live_wind(msd_world *world) {
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity.x = 1;
  return msd_world_set_wind(world, &wind);
}

static msd_result live_damage(msd_world *world) {
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)0.0001;
  def.yield_strain = (msd_real)0.0001;
  const msd_result result = msd_springs_set_damage(world, (msd_range){0, 40}, &def);
  return result == MSD_OK ? msd_spring_set_rest_length(world, 0, (msd_real)0.001)
                          : result; /* which tears it */
}

static msd_result live_bent(msd_world *world) {
  msd_damage_def def = msd_default_damage_def();
  def.yield_strain = (msd_real)0.0001;
  return msd_constraints_set_damage(world, (msd_range){0, 40}, &def);
}

static msd_result live_rest_length(msd_world *world) {
  return msd_spring_move_rest_length_to(world, 1, (msd_real)0.0625);
}

static msd_result live_stiffened(msd_world *world) {
  return msd_springs_stiffen(world, (msd_range){40, 20}, (msd_real)0.125, 2, NULL);
}

static msd_result live_limited(msd_world *world) {
  return msd_springs_limit_stretch(world, (msd_range){0, 50}, (msd_real)0.25, 1, NULL);
}

static msd_result live_ignored(msd_world *world) {
  return msd_collision_mesh_exclude(world, 0, msd_world_get_collision_mesh_count(world) - 1);
}

/* With surfaces memory may run out in the middle of a longer step. */
static msd_result live_substep(msd_world *world) {
  return msd_world_step(world, (msd_real)1e-3, 1);
}

static msd_result live_impulse(msd_world *world) {
  const msd_result result = msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE);
  return result == MSD_OK ? live_substep(world) : result;
}

static msd_result live_rotors(msd_world *world) {
  const msd_rotor_def rotors[] = {msd_default_rotor_def(), msd_default_rotor_def()};
  return msd_add_rotors(world, rotors, 2, NULL);
}

static msd_result live_torsion_springs(msd_world *world) {
  msd_torsion_spring_def defs[] = {msd_default_torsion_spring_def(), msd_default_torsion_spring_def()};
  defs[0].a = defs[1].b = msd_world_get_rotor_count(world) - 1;
  defs[1].a = 0;
  defs[0].stiffness = defs[1].stiffness = 1;
  return msd_add_torsion_springs(world, defs, 2, NULL);
}

static msd_result live_destroy(msd_world *world) {
  const int32_t particle = msd_world_get_particle_count(world) - 3;
  return msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &particle, 1);
}

static msd_result live_destroy_springs(msd_world *world) {
  return msd_destroy_range(world, MSD_OBJECT_SPRING, (msd_range){2, 5});
}

static msd_result live_compact(msd_world *world) {
  return msd_world_compact(world, NULL);
}

static life_call *const small_life[] = {live_particles,
                                        live_springs,
                                        live_force,
                                        live_move,
                                        live_step,
                                        live_stability,
                                        live_mass_redistribution,
                                        live_step_certified,
                                        live_rope,
                                        live_force,
                                        live_step,
                                        live_verlet,
                                        live_particles,
                                        live_rk4,
                                        live_mesh,
                                        live_step_certified,
                                        live_restore,
                                        live_step,
                                        live_destroy,
                                        live_force,
                                        live_step,
                                        live_destroy_springs,
                                        live_restore,
                                        live_compact,
                                        live_step};
static life_call *const large_life[] = {
    live_cloth,       live_step,        live_force, live_penetration, live_step,        live_cloth,
    live_step,        live_penetration, live_step,  live_force,       live_penetration, live_penetration,
    live_penetration, live_step,        live_force, live_cloth,       live_step,        live_rope,
    live_two_threads, live_verlet,      live_force, live_restore,     live_penetration, live_step};

static life_call *const furnished_life[] = {live_particles,
                                            live_constraints,
                                            live_step,
                                            live_force,
                                            live_step,
                                            live_springs,
                                            live_soft_pins,
                                            live_step,
                                            live_balloon,
                                            live_step_certified,
                                            live_rotors,
                                            live_torsion_springs,
                                            live_step_certified,
                                            live_tetmesh,
                                            live_stability,
                                            live_mass_redistribution,
                                            live_fabric,
                                            live_step,
                                            live_verlet,
                                            live_force,
                                            live_step,
                                            live_soft_pins,
                                            live_step,
                                            live_impulses,
                                            live_constraints,
                                            live_step,
                                            live_restore,
                                            live_step,
                                            live_rk4,
                                            live_rotors,
                                            live_restore,
                                            live_step,
                                            live_torsion_springs,
                                            live_symplectic};

static life_call *const touched_life[] = {
    live_particles, live_colliders,   live_step, live_springs,     live_step,      live_cloth,
    live_step,      live_penetration, live_step, live_two_threads, live_colliders, live_force,
    live_step,      live_restore,     live_step, live_impulses,    live_soft_pins, live_step};

static life_call *const worn_life[] = {
    live_cloth,       live_damage,          live_step,    live_limited, live_step,        live_stiffened,
    live_rest_length, live_restore,         live_rope,    live_damage,  live_two_threads, live_step,
    live_step,        live_constraints,     live_bent,    live_step,    live_restore,     live_constraints,
    live_step,        live_destroy_springs, live_destroy, live_step,    live_compact,     live_step};

static life_call *const surfaced_life[] = {
    live_cloth,     live_surface, live_substep, live_damage,      live_substep, live_substep, live_particles,
    live_colliders, live_substep, live_wind,    live_substep,     live_cloth,   live_substep, live_surface,
    live_substep,   live_ignored, live_substep, live_penetration, live_restore, live_substep, live_impulse,
    live_substep,   live_destroy, live_restore, live_substep,     live_compact, live_substep};

/* Some calls first set what cannot fail, and then step. */
static bool is_of_two_parts(life_call *call) {
  return call == live_verlet || call == live_rk4 || call == live_two_threads || call == live_impulses ||
         call == live_impulse || call == live_symplectic;
}

/* Whether a world is what it was, but for the place of its particles in memory: a step that begins to lay them
   out anew has no result that shows. `before` is used up. */
static bool is_as_before(const msd_world *world, picture before) {
  const msd_world_def def = msd_default_world_def();
  msd_world *old = NULL;
  cr_assert_eq(msd_create_world(&def, &old), MSD_OK);
  cr_assert_eq(msd_world_restore(old, before.bytes, before.size), MSD_OK);
  forget(before);
  const msd_stats was = msd_world_get_stats(old), is = msd_world_get_stats(world);
  bool same =
      msd_world_hash(world) == msd_world_hash(old) && was.particles == is.particles &&
      was.springs == is.springs && was.constraints == is.constraints && was.soft_pins == is.soft_pins &&
      was.rotors == is.rotors && was.torsion_springs == is.torsion_springs && was.colliders == is.colliders &&
      msd_world_get_collision_mesh_count(old) == msd_world_get_collision_mesh_count(world) &&
      was.pinned == is.pinned && was.broken == is.broken && was.total_mass == is.total_mass &&
      was.elastic_energy == is.elastic_energy && msd_world_get_time(world) == msd_world_get_time(old) &&
      msd_world_get_steps(world) == msd_world_get_steps(old);
  for (int32_t s = 0; s < is.springs && same; s++) {
    const msd_spring_def a = msd_spring_get_def(world, s), b = msd_spring_get_def(old, s);
    same = a.a == b.a && a.b == b.b && a.rest_length == b.rest_length && a.law == b.law &&
           a.stiffness == b.stiffness && a.damping == b.damping;
  }
  msd_destroy_world(old);
  return same;
}

/* Lives through the calls, in which the n-th request for memory fails, and repeats the call that it made
   fail. None does where the memory was for speed alone. Returns the hash at the end. */
static uint64_t live(life_call *const calls[], int count, int64_t n, bookkeeper *b) {
  b->fail_at = n;
  msd_world_def def = kept_def(b);
  msd_world *world = NULL;
  int failures = 0;
  if (msd_create_world(&def, &world) != MSD_OK) {
    failures++;
    cr_expect(world == NULL && b->blocks == 0);
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  }
  for (int c = 0; c < count; c++) {
    const picture before = take_picture(world);
    const int64_t steps = msd_world_get_steps(world);
    const msd_result result = calls[c](world);
    if (result == MSD_OK) {
      forget(before);
      continue;
    }
    failures++;
    cr_expect(result == MSD_OUT_OF_MEMORY, "request %d, call %d: %s", (int)n, c, msd_result_string(result));
    cr_expect(calls[c] == live_stability || msd_world_message(world)[0] != '\0',
              "request %d, call %d: no message", (int)n, c);
    if (is_of_two_parts(calls[c])) {
      forget(before);
      cr_expect_eq(msd_world_get_steps(world), steps);
    } else {
      cr_expect(is_as_before(world, before), "request %d, call %d changed the world", (int)n, c);
    }
    cr_assert(calls[c](world) == MSD_OK, "request %d, call %d, again: %s", (int)n, c,
              msd_world_message(world));
  }
  cr_expect(failures <= (n > 0), "request %d failed %d calls", (int)n, failures);
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  cr_expect(b->blocks == 0 && b->bytes == 0 && !b->foreign, "request %d: %d blocks are left", (int)n,
            (int)b->blocks);
  return hash;
}

static void check_life(life_call *const calls[], int count) {
  bookkeeper whole = {0};
  const uint64_t hash = live(calls, count, 0, &whole);
  cr_assert_gt(whole.requests, count);
  const int64_t stride = in_part ? 1 + whole.requests / 64 : 1;
  for (int64_t n = 1; n <= whole.requests; n += stride) {
    bookkeeper b = {0};
    cr_expect(live(calls, count, n, &b) == hash, "request %d: another state at the end", (int)n);
  }
}

Test(memory, it_may_run_out_at_any_request_of_a_small_world) {
  check_life(small_life, sizeof small_life / sizeof *small_life);
}

Test(memory, it_may_run_out_at_any_request_of_a_large_world) {
  check_life(large_life, sizeof large_life / sizeof *large_life);
}

Test(memory, it_may_run_out_with_constraints_soft_pins_and_rotors) {
  check_life(furnished_life, sizeof furnished_life / sizeof *furnished_life);
}

Test(memory, it_may_run_out_with_colliders) {
  check_life(touched_life, sizeof touched_life / sizeof *touched_life);
}

Test(memory, it_may_run_out_where_springs_damage) {
  check_life(worn_life, sizeof worn_life / sizeof *worn_life);
}

Test(memory, it_may_run_out_with_surfaces) {
  check_life(surfaced_life, sizeof surfaced_life / sizeof *surfaced_life);
}

/* Two cloths with surfaces, one of which falls onto the other within a tenth of a second. */
static msd_world *falling_cloth(bookkeeper *b) {
  const msd_world_def def = kept_def(b);
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  for (int n = 0; n < 2; n++) {
    msd_cloth_def cloth = msd_default_cloth_def();
    cloth.columns = 5;
    cloth.rows = 4;
    cloth.origin = (msd_vec3){(msd_real)n / 64, (msd_real)n / 64, (msd_real)n};
    cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
    cr_assert_eq(add_surface(world, 5, 4), MSD_OK);
    for (int32_t i = 20 * n; i < 40 * n; i++)
      cr_assert_eq(msd_particle_set_velocity(world, i, (msd_vec3){0, 0, -30}), MSD_OK);
  }
  return world;
}

Test(memory, a_step_of_surfaces_that_runs_out_keeps_the_substeps_before) {
  enum { SUBSTEPS = 40 };
  const double step = 1 / 16.0;
  bool in_the_middle = false, is_asked = true;
  for (int64_t n = 1; is_asked; n++) {
    bookkeeper b = {0};
    msd_world *world = falling_cloth(&b);
    const picture before = take_picture(world);
    b.fail_at = b.requests + n;
    const msd_result result = msd_world_step(world, (msd_real)step, SUBSTEPS);
    is_asked = b.requests >= b.fail_at;
    b.fail_at = 0;
    const int64_t done = msd_world_get_steps(world);
    cr_expect(is_asked || result == MSD_OK);
    cr_expect(result == MSD_OK ? done == SUBSTEPS : result == MSD_OUT_OF_MEMORY && done < SUBSTEPS);
    cr_expect_float_eq(msd_world_get_time(world), step * (double)done / SUBSTEPS, 1e-9);
    cr_expect(is_finite_world(world));
    in_the_middle |= done > 0 && done < SUBSTEPS;
    if (result != MSD_OK && done == 0)
      cr_expect(is_as_before(world, before), "request %d changed the world", (int)n);
    else
      forget(before);
    cr_expect_eq(msd_world_step(world, (msd_real)step, SUBSTEPS), MSD_OK, "request %d: %s", (int)n,
                 msd_world_message(world));
    msd_destroy_world(world);
    cr_expect_eq(b.blocks, 0);
  }
  cr_expect(in_the_middle, "all memory was there before the first substep");
}

Test(memory, the_memory_limit_holds_and_can_be_worked_up_to) {
  static const size_t limits[] = {0, 1000, 100000, 1 << 20};
  for (int i = 0; i < 4; i++) {
    bookkeeper b = {0};
    msd_world_def def = kept_def(&b);
    def.memory_limit = limits[i];
    msd_world *world = NULL;
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
    const int64_t empty = b.bytes;
    const msd_rope_def rope = msd_default_rope_def();
    msd_result result = MSD_OK;
    int32_t ropes = 0;
    for (; result == MSD_OK; ropes++) {
      cr_assert_lt(ropes, 100000, "the limit is never met");
      result = msd_add_rope(world, &rope, NULL);
      if (result == MSD_OK)
        result = msd_world_step(world, (msd_real)1e-3, 1);
    }
    cr_expect(result == MSD_TOO_LARGE || result == MSD_OUT_OF_MEMORY, "%s", msd_result_string(result));
    cr_expect_neq(msd_world_message(world)[0], '\0');
    cr_expect_leq(b.most_bytes - empty, (int64_t)limits[i]);
    cr_expect(is_finite_world(world));
    msd_destroy_world(world);
    cr_expect_eq(b.blocks, 0);
  }
}

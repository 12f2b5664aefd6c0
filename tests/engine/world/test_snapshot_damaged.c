/* Whatever is no whole snapshot is refused, or makes a sound world. */
#include "engine/world/world.h"
#include "tests/support/busy_world.h"
#include "tests/support/forged_snapshot.h"
#include "tests/support/snapshots.h"

#include <math.h>

/* A world that refuses must be as it was: its state, its settings, and how it goes on. */
typedef struct witness {
  msd_world *world;
  uint64_t hash;
  size_t size;
} witness;

static witness new_witness(void) {
  graph g = graph_rope(5, true);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 1, .pins = true, .breaks = 3});
  graph_free(&g);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 2));
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){1, 1, 1}));
  ASSERT_OK(world, msd_particle_apply_force(world, 2, (msd_vec3){1, 1, 1}));
  size_t size;
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_OK);
  return (witness){world, msd_world_hash(world), size};
}

static msd_result refused(witness *w, const void *data, size_t size) {
  const msd_result result = msd_world_restore(w->world, data, size);
  if (result == MSD_OK)
    return result;
  size_t now = 0;
  cr_assert_eq(msd_world_hash(w->world), w->hash, "a refused snapshot changed the world");
  cr_assert_eq(msd_world_save(w->world, NULL, 0, &now), MSD_OK);
  cr_assert_eq(now, w->size);
  cr_assert(strlen(msd_world_message(w->world)) > 10);
  return result;
}

Test(snapshot_damaged, a_snapshot_cut_anywhere_is_refused) {
  witness w = new_witness();
  msd_world *world = busy_world(2);
  const snapshot b = snapshot_of(world);
  for (size_t size = 0; size < b.size; size++) {
    unsigned char *cut = malloc(size + 1); /* of its own size, so that a sanitizer sees a read beyond */
    cr_assert_not_null(cut);
    memcpy(cut, b.data, size);
    cr_assert_eq(refused(&w, cut, size), MSD_BAD_SNAPSHOT, "cut at %zu of %zu", size, b.size);
    free(cut);
  }
  unsigned char *longer = malloc(b.size + 1);
  cr_assert_not_null(longer);
  memcpy(longer, b.data, b.size);
  longer[b.size] = 0;
  cr_assert_eq(refused(&w, longer, b.size + 1), MSD_BAD_SNAPSHOT);
  free(longer);
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

Test(snapshot_damaged, a_snapshot_with_any_byte_changed_is_refused) {
  witness w = new_witness();
  snapshot b = snapshot_of(w.world);
  const unsigned char masks[] = {0x01, 0x02, 0x10, 0x80, 0xff};
  for (size_t i = 0; i < b.size; i++)
    for (size_t m = 0; m < sizeof masks; m++) {
      b.data[i] ^= masks[m];
      cr_assert_neq(refused(&w, b.data, b.size), MSD_OK, "byte %zu ^ %02x is not noticed", i, masks[m]);
      b.data[i] ^= masks[m];
    }
  cr_assert_eq(refused(&w, b.data, b.size), MSD_OK);
  free(b.data);
  msd_destroy_world(w.world);
}

Test(snapshot_damaged, other_versions_precisions_and_byte_orders_are_told_apart) {
  witness w = new_witness();
  snapshot b = snapshot_of(w.world);
  const unsigned char version = b.data[VERSION_AT];
  b.data[VERSION_AT] = (unsigned char)(version + 1);
  cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_VERSION);
  cr_assert(strstr(msd_world_message(w.world), "reads format 23"), "%s", msd_world_message(w.world));
  b.data[VERSION_AT] = 0;
  cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_VERSION);
  b.data[VERSION_AT] = version;
  b.data[REAL_BYTES_AT] = sizeof(msd_real) == 4 ? 8 : 4;
  cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_PRECISION);
  b.data[REAL_BYTES_AT] = sizeof(msd_real);
  for (size_t i = 0; i < 4; i += 3) {
    const unsigned char first = b.data[BYTE_ORDER_AT];
    b.data[BYTE_ORDER_AT] = b.data[BYTE_ORDER_AT + 3];
    b.data[BYTE_ORDER_AT + 3] = first;
    const unsigned char second = b.data[BYTE_ORDER_AT + 1];
    b.data[BYTE_ORDER_AT + 1] = b.data[BYTE_ORDER_AT + 2];
    b.data[BYTE_ORDER_AT + 2] = second;
    if (i == 0)
      cr_assert_eq(refused(&w, b.data, b.size), MSD_SNAPSHOT_PRECISION);
  }
  cr_assert_eq(refused(&w, b.data, b.size), MSD_OK);
  free(b.data);
  msd_destroy_world(w.world);
}

Test(snapshot_damaged, random_bytes_are_refused) {
  witness w = new_witness();
  const snapshot b = snapshot_of(w.world);
  generator random = {.state = 1};
  for (int trial = 0; trial < 3000; trial++) {
    const size_t size = (size_t)random_below(&random, 600), keep = (size_t)random_below(&random, 64);
    unsigned char *noise = malloc(size + 1);
    cr_assert_not_null(noise);
    for (size_t i = 0; i < size; i++)
      noise[i] = (unsigned char)next_random(&random);
    if (trial % 2)
      memcpy(noise, b.data, keep < size ? keep : size);
    cr_assert_neq(refused(&w, noise, size), MSD_OK);
    free(noise);
  }
  free(b.data);
  msd_destroy_world(w.world);
}

static bool is_finite_world(const msd_world *world) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
    if (!(isfinite(x.x) && isfinite(x.y) && isfinite(x.z) && isfinite(v.x) && isfinite(v.y) && isfinite(v.z)))
      return false;
  }
  return true;
}

/* A turn that was changed can need more substeps than are given. */
static bool is_too_fast(const msd_world *world) {
  return strstr(msd_world_message(world), "turns by") != NULL;
}

/* Changed on purpose, with the checksum made right again: refused, or a world that steps or diverges like any
   other, with what the public functions promise of its springs and pins. `refuses`: whether such a world may
   refuse to step, NULL: none may. */
static void expect_refused_or_sound(snapshot b, bool (*refuses)(const msd_world *world, msd_result result)) {
  const unsigned char masks[] = {0x01, 0x40, 0x7f, 0x80, 0xff};
  for (size_t i = CHECKED_FROM; i < b.size; i++)
    for (size_t m = 0; m < sizeof masks; m++) {
      b.data[i] ^= masks[m];
      sign_snapshot(b.data, b.size);
      msd_world *world = empty_world();
      if (msd_world_restore(world, b.data, b.size) == MSD_OK) {
        cr_assert(is_finite_world(world), "byte %zu ^ %02x", i, masks[m]);
        for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
          const msd_spring_def def = msd_spring_get_def(world, s);
          cr_assert_eq(msd_spring_set_law(world, s, &def), MSD_OK, "byte %zu ^ %02x: %s", i, masks[m],
                       msd_world_message(world));
        }
        const msd_result result = msd_world_step(world, (msd_real)0.01, 2);
        const bool scales = msd_world_get_mass_scaling(world) != MSD_MASS_SCALING_NONE ||
                            msd_world_get_solver(world) != MSD_SOLVER_EXPLICIT;
        cr_assert(result == MSD_OK || result == MSD_DIVERGED || (refuses && refuses(world, result)) ||
                      ((scales || is_too_fast(world)) && result == MSD_BAD_VALUE),
                  "byte %zu ^ %02x: %s", i, masks[m], msd_result_string(result));
        cr_assert(is_finite_world(world), "byte %zu ^ %02x", i, masks[m]);
      }
      msd_destroy_world(world);
      b.data[i] ^= masks[m];
    }
}

Test(snapshot_damaged, a_forged_snapshot_is_refused_or_makes_a_sound_world) {
  witness w = new_witness();
  snapshot b = snapshot_of(w.world);
  sign_snapshot(b.data, b.size);
  cr_assert_eq(refused(&w, b.data, b.size), MSD_OK,
               "the format has changed; forged_snapshot.h signs otherwise");
  expect_refused_or_sound(b, NULL);
  free(b.data);
  msd_destroy_world(w.world);
}

Test(snapshot_damaged, a_forged_snapshot_of_what_wears_is_refused_or_makes_a_sound_world) {
  graph g = graph_rope(4, false);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 2});
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)0.25;
  def.yield_strain = (msd_real)0.0625;
  def.max_plastic_strain = 1;
  ASSERT_OK(world, msd_springs_set_damage(world, (msd_range){0, 3}, &def));
  ASSERT_OK(world, msd_springs_stiffen(world, (msd_range){0, 2}, (msd_real)0.125, 2, NULL));
  ASSERT_OK(world, msd_spring_set_rest_length(world, 2, (msd_real)0.125));
  msd_constraint_def bend = msd_default_constraint_def();
  for (int n = 0; n < 3; n++)
    bend.particles[n] = n;
  bend.rest = 1;
  ASSERT_OK(world, msd_add_constraints(world, &bend, 1, NULL));
  def.tear_strain = 0;
  ASSERT_OK(world, msd_constraints_set_damage(world, (msd_range){0, 1}, &def));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 2));
  cr_assert(msd_spring_is_torn(world, 2) && msd_constraint_get_plastic_strain(world, 0) != 0);
  expect_refused_or_sound(snapshot_of(world), NULL);
  graph_free(&g);
  msd_destroy_world(world);
}

/* A triangle that falls onto one that is held and goes through a third, and a segment that the first ignores;
   the second surface has numbers of its own. */
static msd_world *world_of_surfaces(msd_collision_mesh_def own) {
  static const int32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, ends[] = {9, 10};
  static const msd_real places[][3] = {{-1, 0, -1},
                                       {1, 0, -1},
                                       {0, 0, 1},
                                       {0, 0.0078125, 0},
                                       {0.25, 0.0078125, 0},
                                       {0, 0.0078125, 0.25},
                                       {0.125, -0.5, 0.0625},
                                       {0.125, 0.5, 0.0625},
                                       {0.5, 0, 0.0625},
                                       {2, 0, 0},
                                       {3, 0, 0.34375}};
  msd_world *world = empty_world();
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){places[i][0], places[i][1], places[i][2]};
    def.pinned = i < 3;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  msd_collision_mesh_def defs[4] = {msd_default_collision_mesh_def(), own, msd_default_collision_mesh_def(),
                                    msd_default_collision_mesh_def()};
  for (int n = 0; n < 3; n++) {
    defs[n].triangles = corners + 3 * n;
    defs[n].triangle_count = 1;
  }
  defs[3].segments = ends;
  defs[3].segment_count = 1;
  ASSERT_OK(world, msd_add_collision_meshes(world, defs, 4, NULL));
  ASSERT_OK(world, msd_collision_mesh_exclude(world, 0, 3));
  return world;
}

/* Other integrators do, and so do measured energies, positions far away and strict contact. */
static bool refuses_surfaces(const msd_world *world, msd_result result) {
  const bool predicts = msd_world_get_integrator(world) == MSD_SYMPLECTIC_EULER ||
                        msd_world_get_integrator(world) == MSD_SEQUENTIAL_IMPULSE;
  return (result == MSD_BAD_VALUE && (!predicts || msd_world_get_energy_mode(world) != MSD_ENERGY_OFF)) ||
         result == MSD_TOO_FAR ||
         (result == MSD_INITIAL_INTERSECTION && msd_world_get_contact_settings(world).error_on_intersection);
}

Test(snapshot_damaged, a_forged_snapshot_of_surfaces_is_refused_or_makes_a_sound_world) {
  msd_world *world = world_of_surfaces(msd_default_collision_mesh_def());
  for (int frame = 0; frame < 4; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 3));
  cr_assert_gt(msd_world_get_penetrations(world, NULL, 0), 0);
  cr_assert_gt(msd_world_get_mesh_contacts(world, NULL, 0), 0);
  snapshot b = snapshot_of(world);
  expect_refused_or_sound(b, refuses_surfaces);
  free(b.data);
  msd_destroy_world(world);
}

/* Puts bytes in the place of others that are there once. */
static void replace_once(snapshot *b, const void *old, const void *new, size_t size) {
  size_t found = 0, at = 0;
  for (size_t i = CHECKED_FROM; i + size <= b->size; i++)
    if (memcmp(b->data + i, old, size) == 0) {
      found++;
      at = i;
    }
  cr_assert_eq(found, 1);
  memcpy(b->data + at, new, size);
  sign_snapshot(b->data, b->size);
}

/* A rope that has split in its middle. */
Test(snapshot_damaged, a_forged_snapshot_of_parts_is_refused_or_makes_a_sound_world) {
  graph g = graph_rope(4, false);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  static const int32_t segments[] = {0, 1, 1, 2, 2, 3};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.segments = segments;
  surface.segment_count = 3;
  ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)0.25;
  def.split = true;
  ASSERT_OK(world, msd_springs_set_damage(world, (msd_range){0, 3}, &def));
  ASSERT_OK(world, msd_spring_set_rest_length(world, 1, (msd_real)0.125));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.001, 4));
  cr_assert_eq(msd_world_get_stats(world).split, 1);
  expect_refused_or_sound(snapshot_of(world), refuses_surfaces);
  graph_free(&g);
  msd_destroy_world(world);
}

/* Weights that msd_add_constraints refuses: their squares times a stiffness need not be numbers. */
Test(snapshot_damaged, forged_fibers_of_more_weight_than_any_may_have_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  msd_particle_def defs[3] = {msd_default_particle_def(), msd_default_particle_def(),
                              msd_default_particle_def()};
  defs[1].position.x = defs[2].position.y = 1;
  ASSERT_OK(world, msd_add_particles(world, defs, 3, NULL));
  msd_constraint_def fiber = msd_default_constraint_def();
  fiber.kind = MSD_CONSTRAINT_FIBER;
  const msd_real weights[4] = {-3, 1, 2, 0};
  msd_real most[4], more[4];
  for (int n = 0; n < 4; n++) {
    most[n] = (msd_real)0x1p47 * weights[n];
    more[n] = (msd_real)0x1p67 * weights[n];
  }
  for (int n = 0; n < 3; n++) {
    fiber.particles[n] = n;
    fiber.weights[n] = weights[n];
  }
  ASSERT_OK(world, msd_add_constraints(world, &fiber, 1, NULL));
  snapshot b = snapshot_of(world);
  replace_once(&b, weights, more, sizeof weights);
  cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT);
  replace_once(&b, more, most, sizeof weights);
  cr_expect_eq(refused(&w, b.data, b.size), MSD_OK);
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

/* The header has doubles and 64-bit counts, of which not every one is a number that a world can have. */
Test(snapshot_damaged, forged_settings_that_a_world_cannot_have_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){(msd_real)1.5, (msd_real)2.5, (msd_real)3.5}));
  ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)4.5));
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){(msd_real)5.5, (msd_real)6.5, (msd_real)7.5};
  wind.turbulence = (msd_real)8.5;
  wind.turbulence_length = (msd_real)9.5;
  wind.turbulence_time = (msd_real)10.5;
  wind.density = (msd_real)11.5;
  wind.normal_drag = (msd_real)12.5;
  wind.tangential_drag = (msd_real)13.5;
  ASSERT_OK(world, msd_world_set_wind(world, &wind));
  world->steps = 1234567890123;
  const double too_large[] = {sizeof(msd_real) == 4 ? 1e300 : INFINITY, INFINITY, NAN};
  const double settings[] = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5};
  for (size_t n = 0; n < sizeof settings / sizeof settings[0]; n++)
    for (size_t t = 0; t < sizeof too_large / sizeof too_large[0]; t++) {
      snapshot b = snapshot_of(world);
      replace_once(&b, &settings[n], &too_large[t], sizeof(double));
      cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%g for %g", too_large[t], settings[n]);
      free(b.data);
    }
  const int64_t steps[] = {-1, INT64_MIN, INT64_MAX}; /* of which the last leaves no room for one more */
  for (size_t n = 0; n < sizeof steps / sizeof steps[0]; n++) {
    snapshot b = snapshot_of(world);
    replace_once(&b, &world->steps, &steps[n], sizeof(int64_t));
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%lld steps", (long long)steps[n]);
    free(b.data);
  }
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

static void expect_refused_with(witness *w, const msd_world *world, msd_real number, const char *what) {
  const msd_real bad[] = {(msd_real)INFINITY, (msd_real)-INFINITY, (msd_real)NAN};
  for (size_t t = 0; t < sizeof bad / sizeof bad[0]; t++) {
    snapshot b = snapshot_of(world);
    replace_once(&b, &number, &bad[t], sizeof number);
    cr_expect_eq(refused(w, b.data, b.size), MSD_BAD_SNAPSHOT, "%s: %g for %g", what, (double)bad[t],
                 (double)number);
    free(b.data);
  }
}

/* What a particle has, a force that waits for the next step, and where a pin is going. */
Test(snapshot_damaged, forged_numbers_of_particles_that_are_not_finite_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  const msd_real numbers[] = {(msd_real)1.25, (msd_real)-2.125, (msd_real)3.0625, (msd_real)-4.375,
                              (msd_real)5.625};
  msd_particle_def def = msd_default_particle_def();
  def.position.y = numbers[0];
  def.velocity.z = numbers[1];
  def.mass = numbers[2];
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  ASSERT_OK(world, msd_particle_apply_force(world, 0, (msd_vec3){0, numbers[3], 0}));
  def = msd_default_particle_def();
  def.pinned = true;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  ASSERT_OK(world, msd_particle_move_to(world, 1, (msd_vec3){0, 0, numbers[4]}));
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
    expect_refused_with(&w, world, numbers[n], "of a particle");
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

/* A rest length on its way to what no rest length is, and ways of springs that are not there, or in another
   order. */
Test(snapshot_damaged, forged_ways_of_rest_lengths_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  for (int i = 0; i < 3; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position.x = (msd_real)i;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int i = 0; i < 2; i++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.a = i, spring.b = i + 1;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    ASSERT_OK(world, msd_spring_move_rest_length_to(world, i, i == 0 ? (msd_real)6.0625 : (msd_real)7.3125));
  }
  expect_refused_with(&w, world, (msd_real)6.0625, "where a rest length goes");
  rest_move *moves = world->model.springs.moves.items;
  static const int32_t forged[][2] = {{-1, 1}, {1, 1}, {1, 0}, {0, 2}};
  for (size_t n = 0; n < sizeof forged / sizeof *forged; n++) {
    moves[0].spring = forged[n][0];
    moves[1].spring = forged[n][1];
    snapshot b = snapshot_of(world);
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "springs %d and %d", (int)forged[n][0],
                 (int)forged[n][1]);
    free(b.data);
  }
  world->model.springs.moves.count = 0;
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

/* What a spring gave in the last substep, with which a warm start begins, and the force of an soft pin. */
Test(snapshot_damaged, forged_numbers_of_the_last_substep_that_are_not_finite_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-9.8125, 0}));
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  ASSERT_OK(world, msd_world_set_impulse_warm_start(world, true));
  for (int i = 0; i < 3; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){0, (msd_real)(-1.5 * i), (msd_real)(0.375 * i)};
    def.pinned = i == 0;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 0, spring.b = 1;
  spring.rest_length = 1;
  spring.law = MSD_SPRING_COEFFICIENT;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 2;
  soft_pin.frequency = 3;
  ASSERT_OK(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 1));
  const msd_real force = msd_soft_pin_get_force(world, 0).y;
  const msd_real impulse = world->stepper.spring_given.of[world->stepper.spring_given.current][0];
  cr_assert(force != 0 && impulse != 0);
  expect_refused_with(&w, world, force, "the force of an soft pin");
  expect_refused_with(&w, world, impulse, "the impulse of a spring");
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

/* Of a collider: where it is and is going, its shape, its friction; and what the world says of all. */
Test(snapshot_damaged, forged_numbers_of_colliders_are_refused) {
  witness w = new_witness();
  msd_world *world = empty_world();
  const msd_real numbers[] = {(msd_real)0.625, (msd_real)1.375, (msd_real)-2.875, (msd_real)0.71875,
                              (msd_real)3.1875};
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_CAPSULE;
  def.radius = numbers[0];
  def.from.y = numbers[1];
  def.to.z = numbers[2];
  def.friction = numbers[3];
  ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
  def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_BOX;
  def.size.y = numbers[4];
  def.position.x = (msd_real)-7.25;
  ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
  ASSERT_OK(world, msd_collider_move_to(world, 1, (msd_vec3){0, (msd_real)9.5, 0},
                                        (msd_quaternion){0.6, 0, 0.8, 0}));
  for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
    expect_refused_with(&w, world, numbers[n], "of a collider");
  const size_t not_below_0[] = {0, 3, 4};
  for (size_t n = 0; n < 3; n++) {
    const msd_real below = -4;
    snapshot b = snapshot_of(world);
    replace_once(&b, &numbers[not_below_0[n]], &below, sizeof below);
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%g", (double)numbers[not_below_0[n]]);
    free(b.data);
  }
  const double places[] = {-7.25, 9.5}, bad[] = {INFINITY, NAN};
  for (int n = 0; n < 4; n++) {
    snapshot b = snapshot_of(world);
    replace_once(&b, &places[n / 2], &bad[n % 2], sizeof(double));
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%g", places[n / 2]);
    free(b.data);
  }
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

Test(snapshot_damaged, forged_numbers_of_surfaces_are_refused) {
  witness w = new_witness();
  msd_collision_mesh_def own = msd_default_collision_mesh_def();
  own.thickness = (msd_real)0.0703125;
  own.friction = (msd_real)0.3671875;
  msd_world *world = world_of_surfaces(own);
  const msd_real numbers[] = {own.thickness, own.friction};
  for (size_t n = 0; n < 2; n++) {
    expect_refused_with(&w, world, numbers[n], "of a surface");
    const msd_real below = -4;
    snapshot b = snapshot_of(world);
    replace_once(&b, &numbers[n], &below, sizeof below);
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%g", (double)numbers[n]);
    free(b.data);
  }
  list_policy *policy = &world->model.surfaces.list_policy;
  const double bends[] = {-7.25, 9.5, 3.1875}, bad[] = {INFINITY, NAN};
  memcpy(policy->bend, bends, sizeof bends);
  for (int n = 0; n < 6; n++) {
    snapshot b = snapshot_of(world);
    replace_once(&b, &bends[n / 2], &bad[n % 2], sizeof(double));
    cr_expect_eq(refused(&w, b.data, b.size), MSD_BAD_SNAPSHOT, "%g", bends[n / 2]);
    free(b.data);
  }
  msd_destroy_world(world);
  msd_destroy_world(w.world);
}

static bool is_permutation(msd_view view) {
  bool *seen = calloc((size_t)view.count + 1, sizeof *seen);
  cr_assert_not_null(seen);
  bool sound = true;
  for (int32_t i = 0; i < view.count && view.slot; i++) {
    sound = sound && view.slot[i] >= 0 && view.slot[i] < view.count && !seen[view.slot[i]];
    if (sound)
      seen[view.slot[i]] = true;
  }
  free(seen);
  return sound;
}

/* An irregular network brings its order along, in which every particle must have a place of its own. */
Test(snapshot_damaged, a_forged_order_is_refused_or_sound) {
  graph g = graph_random(300, 900, 1);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL, .soften = 16});
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.001, 1));
  cr_assert_not_null(msd_world_get_positions(world).slot, "the network has no order of its own");
  snapshot b = snapshot_of(world);
  msd_world *restored = empty_world();
  for (size_t i = CHECKED_FROM; i < b.size; i += 5) {
    const unsigned char mask = (unsigned char)(1u << i % 7);
    b.data[i] ^= mask;
    sign_snapshot(b.data, b.size);
    if (msd_world_restore(restored, b.data, b.size) == MSD_OK)
      cr_assert(is_permutation(msd_world_get_positions(restored)), "byte %zu ^ %02x", i, mask);
    b.data[i] ^= mask;
  }
  free(b.data);
  msd_destroy_world(restored);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(snapshot_damaged, a_snapshot_over_the_memory_limit_is_too_large) {
  graph g = graph_cloth(60, 60, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  const snapshot b = snapshot_of(world);
  msd_world_def def = msd_default_world_def();
  def.memory_limit = b.size / 2;
  msd_world *small = world_from_def(&def);
  const msd_particle_def particle = msd_default_particle_def();
  ASSERT_OK(small, msd_add_particles(small, &particle, 1, NULL));
  const msd_result result = msd_world_restore(small, b.data, b.size);
  cr_assert_eq(result, MSD_TOO_LARGE, "%s: %s", msd_result_string(result), msd_world_message(small));
  cr_assert_eq(msd_world_get_particle_count(small), 1);
  ASSERT_OK(small, msd_world_step(small, (msd_real)0.01, 1));
  free(b.data);
  msd_destroy_world(world);
  msd_destroy_world(small);
  graph_free(&g);
}

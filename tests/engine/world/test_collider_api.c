/* The public functions of msd/collider.h, and colliders in snapshots, in steps that are stopped, and with
   numbers of any size. */
#include "engine/world/world.h"
#include "tests/support/colliders.h"
#include "tests/support/snapshots.h"

static const double THICKNESS = 0.005, G = 9.81, FRAME = 1.0 / 60;

static const msd_quaternion NONE = {1, 0, 0, 0};

static msd_world *heavy_world(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, vector(0, -G, 0)));
  return world;
}

/* ---------------------------------------------------------------------------------------------- definitions */

static void expect_refused(msd_world *world, msd_collider_def def, msd_result result, const char *field) {
  const int32_t before = msd_world_get_collider_count(world);
  const msd_collider_def both[] = {sphere_of(1), def};
  int32_t first = 77;
  cr_expect_eq(msd_add_colliders(world, both, 2, &first), result, "%s", field);
  cr_expect_not_null(strstr(msd_world_message(world), field), "%s: %s", field, msd_world_message(world));
  cr_expect_eq(msd_collider_set_def(world, 0, &def), result, "%s", field);
  cr_expect(first == 77 && msd_world_get_collider_count(world) == before, "all or none");
}

Test(collider_api, a_definition_that_is_wrong_is_refused_by_the_name_of_its_field) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_collider(world, box_of(1, 2, 3));
  const msd_real bad[] = {0, -1, (msd_real)INFINITY, (msd_real)NAN};
  for (int n = 0; n < 4; n++) {
    const double value = (double)bad[n];
    expect_refused(world, sphere_of(value), MSD_BAD_VALUE, "radius");
    expect_refused(world, capsule_of(value, vector(0, 0, 0), vector(1, 0, 0)), MSD_BAD_VALUE, "radius");
    expect_refused(world, box_of(1, value, 1), MSD_BAD_VALUE, "size");
    msd_collider_def def = sphere_of(1);
    def.rotation = (msd_quaternion){n ? value : 0, 0, 0, 0};
    if (n != 1) /* -1 is no rotation at all */
      expect_refused(world, def, MSD_BAD_VALUE, "rotation");
    def = sphere_of(1);
    def.friction = n ? (msd_real)(n == 1 ? -2 : value) : (msd_real)-0.5;
    expect_refused(world, def, MSD_BAD_VALUE, "friction");
    if (n < 2)
      continue;
    expect_refused(world, plane_of(vector(0, value, 0)), MSD_BAD_VALUE, "normal");
    expect_refused(world, capsule_of(1, vector(0, value, 0), vector(1, 0, 0)), MSD_BAD_VALUE, "from");
    expect_refused(world, capsule_of(1, vector(0, 0, 0), vector(value, 0, 0)), MSD_BAD_VALUE, "to");
    def = sphere_of(1);
    def.position.z = bad[n];
    expect_refused(world, def, MSD_BAD_VALUE, "position");
  }
  expect_refused(world, plane_of(vector(0, 0, 0)), MSD_BAD_VALUE, "normal");
  msd_collider_def def = sphere_of(1);
  def.kind = MSD_COLLIDER_KIND_COUNT;
  expect_refused(world, def, MSD_BAD_VALUE, "kind");
  def = sphere_of(1);
  def.cookie = 0;
  expect_refused(world, def, MSD_UNINITIALIZED_DEF, "msd_default_collider_def");
  cr_expect_eq(msd_collider_get_def(world, 0).size.y, 2, "the first is as it was");
  msd_destroy_world(world);
}

Test(collider_api, what_a_kind_has_not_is_not_looked_at) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int kind = 0; kind < MSD_COLLIDER_KIND_COUNT; kind++) {
    msd_collider_def def = msd_default_collider_def();
    def.kind = (msd_collider_kind)kind;
    if (kind != MSD_COLLIDER_PLANE)
      def.normal = vector(0, 0, 0);
    if (kind != MSD_COLLIDER_BOX)
      def.size = vector(-1, NAN, 0);
    if (kind != MSD_COLLIDER_CAPSULE)
      def.from = def.to = vector(INFINITY, 0, 0);
    if (kind == MSD_COLLIDER_PLANE || kind == MSD_COLLIDER_BOX)
      def.radius = -3;
    const int32_t at = add_collider(world, def);
    const msd_collider_def back = msd_collider_get_def(world, at);
    cr_expect(back.normal.y == 1 && back.radius == 1 && back.size.y == 1 && back.to.x == 0, "kind %d", kind);
  }
  msd_destroy_world(world);
}

Test(collider_api, an_index_that_is_none_is_refused) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_collider_def def = sphere_of(1);
  const int32_t bad[] = {-1, 0, INT32_MAX};
  for (int n = 0; n < 3; n++) {
    cr_expect_eq(msd_collider_set_def(world, bad[n], &def), MSD_BAD_INDEX);
    cr_expect_eq(msd_collider_move_to(world, bad[n], vector(0, 0, 0), NONE), MSD_BAD_INDEX);
    cr_expect_eq(msd_collider_get_def(world, bad[n]).kind, MSD_COLLIDER_PLANE);
  }
  add_collider(world, def);
  cr_expect_eq(msd_collider_move_to(world, 0, vector(NAN, 0, 0), NONE), MSD_BAD_VALUE);
  cr_expect_eq(msd_collider_move_to(world, 0, vector(0, 0, 0), (msd_quaternion){0, 0, 0, 0}), MSD_BAD_VALUE);
  cr_expect_eq(msd_collider_set_def(world, 0, NULL), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_add_colliders(world, NULL, 1, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_colliders(world, &def, -1, NULL), MSD_BAD_VALUE);
  ok(world, msd_add_colliders(world, NULL, 0, NULL));
  cr_expect_eq(msd_world_get_collider_count(world), 1);
  msd_destroy_world(world);
}

Test(collider_api, a_world_that_is_none_is_refused) {
  const msd_collider_def def = sphere_of(1);
  const msd_contact_settings contact = msd_default_contact_settings();
  cr_expect_eq(msd_add_colliders(NULL, &def, 1, NULL), MSD_BAD_VALUE);
  cr_expect_neq(msd_collider_set_def(NULL, 0, &def), MSD_OK);
  cr_expect_neq(msd_collider_move_to(NULL, 0, vector(0, 0, 0), NONE), MSD_OK);
  cr_expect_eq(msd_world_set_contact_settings(NULL, &contact), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_contact_settings(NULL).thickness, contact.thickness);
  cr_expect_eq(msd_world_get_collider_count(NULL), 0);
  cr_expect_eq(msd_collider_get_def(NULL, 0).kind, MSD_COLLIDER_PLANE);
  cr_expect_eq(msd_world_get_collider_contacts(NULL, NULL, 0), 0);
  cr_expect_null(msd_collider_kind_name(MSD_COLLIDER_KIND_COUNT));
  cr_expect_str_eq(msd_collider_kind_name(MSD_COLLIDER_CAPSULE), "capsule");
}

Test(collider_api, settings_of_contact_that_are_wrong_are_refused) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_contact_settings def = msd_world_get_contact_settings(world);
  cr_expect(def.thickness == (msd_real)0.005 && def.friction == (msd_real)0.3 && def.relaxation == 0);
  def.relaxation = 1;
  cr_expect_eq(msd_world_set_contact_settings(world, &def), MSD_BAD_VALUE);
  cr_expect_not_null(strstr(msd_world_message(world), "relaxation 1"));
  def = msd_default_contact_settings();
  def.cookie = 1;
  cr_expect_eq(msd_world_set_contact_settings(world, &def), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_world_set_contact_settings(world, NULL), MSD_UNINITIALIZED_DEF);
  set_contact(world, 0.25, 0.5, 0.75);
  def = msd_world_get_contact_settings(world);
  cr_expect(def.thickness == (msd_real)0.25 && def.friction == (msd_real)0.5 &&
            def.relaxation == (msd_real)0.75);
  msd_destroy_world(world);
}

/* About x, then about y, then about z, seen at what they do to the axes. */
Test(collider_api, degrees_turn_about_x_then_y_then_z) {
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
  double turned[3];
  rotate(degrees(90, 90, 0), 1, y, turned); /* y to z to x */
  cr_expect(fabs(turned[0] - 1) < 1e-15 && fabs(turned[1]) < 1e-15 && fabs(turned[2]) < 1e-15);
  rotate(degrees(0, 90, 90), 1, x, turned); /* x to -z, which stays */
  cr_expect(fabs(turned[0]) < 1e-15 && fabs(turned[1]) < 1e-15 && fabs(turned[2] + 1) < 1e-15);
  rotate(degrees(0, 0, 30), 1, x, turned);
  cr_expect(fabs(turned[0] - cos(PI / 6)) < 1e-15 && fabs(turned[1] - 0.5) < 1e-15);
  const msd_quaternion none = degrees(NAN, INFINITY, 0);
  cr_expect(none.w == 1 && none.x == 0 && none.y == 0 && none.z == 0);
}

/* ------------------------------------------------------------------------------------------------- contacts */

static msd_world *sheet_at_rest(void) {
  msd_world *world = heavy_world();
  add_collider(world, plane_of(vector(0, 1, 0)));
  msd_collider_def box = box_of(0.4, 0.2, 0.4);
  box.position.y = (msd_real)0.1;
  add_collider(world, box);
  ok(world, msd_world_set_linear_damping(world, 8));
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 17;
  def.mass = 2;
  def.origin = vector(-0.4, 0.25, -0.4);
  def.u = vector(0.8, 0, 0);
  def.v = vector(0, 0, 0.8);
  def.stretch = def.shear = physical(100, 0.2);
  def.bend = physical(1, 0.01);
  ok(world, msd_add_cloth(world, &def, NULL));
  for (int frame = 0; frame < 360; frame++)
    step(world, FRAME, 40);
  return world;
}

Test(collider_api, the_forces_on_what_rests_are_its_weight) {
  enum { MOST = 400 };
  msd_world *world = sheet_at_rest();
  msd_collider_contact contacts[MOST];
  const int32_t count = msd_world_get_collider_contacts(world, contacts, MOST);
  cr_assert(count > 17 && count <= 289);
  double sum[3] = {0};
  for (int32_t n = 0; n < count; n++) {
    const msd_collider_contact *c = &contacts[n];
    cr_expect(n == 0 || c->particle > contacts[n - 1].particle);
    const msd_collider_def def = msd_collider_get_def(world, c->collider);
    const msd_vec3 x = msd_particle_get_position(world, c->particle);
    cr_expect_float_eq(distance_from(&def, c->point), 0, 1e-6);
    for (int k = 0; k < 3; k++) {
      sum[k] += component(c->force, k);
      cr_expect_float_eq(component(x, k),
                         component(c->point, k) + distance_from(&def, x) * component(c->normal, k), 1e-6);
    }
  }
  cr_expect_float_eq(sum[1], 2 * G, 0.01 * 2 * G);
  cr_expect_float_eq(sum[0], 0, 0.01);
  cr_expect_float_eq(sum[2], 0, 0.01);
  msd_destroy_world(world);
}

Test(collider_api, as_many_contacts_are_written_as_there_is_room_for) {
  msd_world *world = sheet_at_rest();
  msd_collider_contact contacts[8], untouched;
  memset(contacts, 0x55, sizeof contacts);
  untouched = contacts[7];
  const int32_t count = msd_world_get_collider_contacts(world, NULL, 0);
  cr_expect_gt(count, 8);
  cr_expect_eq(msd_world_get_collider_contacts(world, contacts, 7), count);
  cr_expect_eq(memcmp(&contacts[7], &untouched, sizeof untouched), 0);
  cr_expect_eq(msd_world_get_collider_contacts(world, contacts, -1), count);
  cr_expect_geq(msd_world_get_stats(world).contacts, count);
  add_particle(world, 1, 0, 9, 0);
  cr_expect_eq(msd_world_get_collider_contacts(world, contacts, 8), 0, "they are forgotten");
  step(world, FRAME / 40, 1);
  cr_expect_eq(msd_world_get_collider_contacts(world, contacts, 8), count);
  msd_destroy_world(world);
}

Test(collider_api, there_are_no_contacts_where_nothing_touches) {
  msd_world *world = heavy_world();
  msd_collider_contact contact;
  cr_expect_eq(msd_world_get_collider_contacts(world, &contact, 1), 0);
  add_particle(world, 1, 0, 1, 0);
  cr_expect_eq(msd_world_get_collider_contacts(world, &contact, 1), 0);
  step(world, FRAME, 4);
  cr_expect_eq(msd_world_get_collider_contacts(world, &contact, 1), 0);
  add_collider(world, plane_of(vector(0, 1, 0)));
  cr_expect_eq(msd_world_get_collider_contacts(world, &contact, 1), 0);
  step(world, FRAME, 4);
  cr_expect_eq(msd_world_get_collider_contacts(world, &contact, 1), 0);
  cr_expect_eq(msd_world_get_stats(world).contacts, 0);
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------- snapshots and stops */

/* A cloth over colliders that move, and are about to. */
static msd_world *moving_scene(void) {
  generator random = {.state = 4};
  graph g = graph_cloth(12, 11, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 2, .pins = true});
  for (int c = 0; c < 6; c++) {
    msd_collider_def def = random_collider(&random, (msd_collider_kind)(1 + c % 3), 0.5);
    def.position.y -= 1;
    add_collider(world, def);
  }
  graph_free(&g);
  return world;
}

static void play(msd_world *world, int frame) {
  for (int32_t c = 0; c < 6; c += 2)
    move_collider(world, c, vector(0.02 * frame, -1 + 0.01 * frame, 0.1 * c),
                  degrees(3 * frame, 5 * c, frame));
  step(world, FRAME, 8);
}

Test(collider_api, a_world_that_is_restored_goes_on_with_the_same_bits) {
  msd_world *world = moving_scene();
  for (int frame = 0; frame < 10; frame++)
    play(world, frame);
  set_contact(world, 0.01, 0.7, 0.125);
  move_collider(world, 1, vector(0.3, -1, 0), degrees(0, 40, 0));
  const snapshot s = snapshot_of(world);
  msd_world *restored = new_world(MSD_SYMPLECTIC_EULER), *copy = NULL;
  ok(restored, msd_world_restore(restored, s.data, s.size));
  ok(world, msd_copy_world(world, &copy));
  for (int frame = 10; frame < 20; frame++) {
    play(world, frame);
    play(restored, frame);
    play(copy, frame);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(restored), "frame %d", frame);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(copy), "frame %d", frame);
  }
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(restored);
  msd_destroy_world(copy);
}

static bool stop_at(void *context) {
  int *questions = context;
  return --*questions < 0;
}

Test(collider_api, a_step_that_is_stopped_leaves_colliders_where_they_have_come_to) {
  msd_world *world = heavy_world();
  int questions = 1;
  add_collider(world, sphere_of(1));
  add_particle(world, 1, 5, 0, 0);
  ok(world, msd_world_set_callbacks(world, &(msd_callbacks){.stop = stop_at, .context = &questions}));
  move_collider(world, 0, vector(0, 8, 0), degrees(0, 90, 0));
  cr_expect_eq(msd_world_step(world, 1000, 1000000), MSD_CANCELED);
  const double share = (double)msd_world_get_steps(world) / 1e6;
  cr_assert(share > 0 && share < 1);
  msd_collider_def def = msd_collider_get_def(world, 0);
  cr_expect_float_eq((double)def.position.y, 8 * share, 1e-5);
  cr_expect_float_eq(def.rotation.y / def.rotation.w, tan(share * PI / 4), 1e-9);
  questions = 1000;
  step(world, FRAME, 4);
  def = msd_collider_get_def(world, 0);
  cr_expect_float_eq((double)def.position.y, 8 * share, 1e-5, "it stands");
  msd_destroy_world(world);
}

Test(collider_api, a_definition_puts_a_collider_in_its_place_at_once) {
  msd_world *world = heavy_world();
  add_collider(world, sphere_of(1));
  move_collider(world, 0, vector(0, 8, 0), NONE);
  const msd_collider_def def = box_of(1, 2, 3);
  ok(world, msd_collider_set_def(world, 0, &def));
  step(world, FRAME, 1);
  cr_expect_eq(msd_collider_get_def(world, 0).position.y, 0, "what was told to move is another one");
  cr_expect_eq(msd_collider_get_def(world, 0).kind, MSD_COLLIDER_BOX);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------------- integrators */

Test(collider_api, integrators_without_predictions_refuse_them) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    msd_world *world = new_world((msd_integrator)n);
    ok(world, msd_world_set_gravity(world, vector(0, -G, 0)));
    add_collider(world, plane_of(vector(0, 1, 0)));
    add_particle(world, 1, 0, 0.1, 0);
    if (n == MSD_SYMPLECTIC_EULER || n == MSD_SEQUENTIAL_IMPULSE) {
      for (int frame = 0; frame < 60; frame++)
        step(world, FRAME, 8);
      cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, THICKNESS, 1e-6, "integrator %d", n);
    } else {
      cr_expect_eq(msd_world_step(world, (msd_real)FRAME, 8), MSD_BAD_VALUE);
      cr_expect_not_null(strstr(msd_world_message(world), "symplectic_euler"), "%s",
                         msd_world_message(world));
      cr_expect_not_null(strstr(msd_world_message(world), msd_integrator_name((msd_integrator)n)));
    }
    msd_destroy_world(world);
  }
}

/* ----------------------------------------------------------------------------------------- numbers and rest */

/* Whatever the sizes are, the state is finite, or the step says that it would not be. */
Test(collider_api, no_size_and_no_step_makes_a_state_that_is_not_finite) {
  static const double sizes[] = {1e-30, 1e-12, 1, 1e12, 1e30}, steps[] = {1e-9, 1.0 / 60, 10};
  for (int kind = 0; kind < 4; kind++)
    for (int a = 0; a < 5; a++)
      for (int b = 0; b < 5; b++)
        for (int t = 0; t < 3; t++) {
          const double size = sizes[a], away = sizes[b];
          msd_world *world = heavy_world();
          set_contact(world, t == 1 ? 0 : size, 0.3, t == 2 ? 0.5 : 0);
          msd_collider_def def = msd_default_collider_def();
          def.kind = (msd_collider_kind)kind;
          def.radius = (msd_real)size;
          def.size = vector(size, 1, size);
          def.to = vector(0, 0, size);
          def.position = vector(away, 0, 0);
          add_collider(world, def);
          add_particle(world, 1, away, 0, 0);
          add_particle(world, 1e-3, 1, 1, 1);
          set_velocity(world, 1, -1, -1, -1);
          for (int n = 0; n < 4; n++) {
            move_collider(world, 0, vector(n, 0, size), degrees(170 * n, 45 * n, 0));
            const msd_result result = msd_world_step(world, (msd_real)steps[t], 1 + n);
            cr_assert(result == MSD_OK || result == MSD_DIVERGED, "%s", msd_world_message(world));
            for (int32_t i = 0; i < 2; i++) {
              const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
              cr_assert(vec3_is_finite(x) && vec3_is_finite(v), "kind %d, size %g, at %g, step %g", kind,
                        size, away, steps[t]);
            }
          }
          msd_destroy_world(world);
        }
}

/* How far it was is no number, and the way that was left must not be one either. */
Test(collider_api, what_comes_from_beyond_all_distances_is_met) {
  msd_world *world = NULL;
  const msd_world_def def = msd_default_world_def();
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, 0, 0}), MSD_OK);
  const msd_particle_def particle = msd_default_particle_def();
  msd_collider_def sphere = msd_default_collider_def();
  sphere.kind = MSD_COLLIDER_SPHERE;
  sphere.position.x = sizeof(msd_real) == sizeof(float) ? (msd_real)1e30 : (msd_real)1e200;
  cr_assert_eq(msd_add_particles(world, &particle, 1, NULL), MSD_OK);
  cr_assert_eq(msd_add_colliders(world, &sphere, 1, NULL), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_OK);
  cr_assert_eq(msd_collider_move_to(world, 0, (msd_vec3){(msd_real)0.5, 0, 0}, (msd_quaternion){1, 0, 0, 0}),
               MSD_OK);
  for (int n = 0; n < 2; n++)
    cr_assert_eq(msd_world_step(world, (msd_real)0.01, 1), MSD_OK);
  cr_expect_eq(msd_world_get_collider_contacts(world, NULL, 0), 1);
  msd_destroy_world(world);
}

/* No two triangles or segments of surfaces that were apart ever intersect, whatever pushes them together: by
   the exact checker, after every frame. */
#include "tests/support/bookkeeper.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include "engine/world/world.h"

static const double FRAME = 1.0 / 60;

static const msd_vec3 DOWN = {0, (msd_real)-9.81, 0}, NOWHERE = {0, 0, 0};

/* Small velocities in all directions, so that nothing stays in one plane. */
static void shake(touching *t, uint64_t seed, double speed) {
  generator random = {.state = seed};
  for (int32_t i = 0; i < msd_world_get_particle_count(t->world); i++) {
    const msd_vec3 v = msd_particle_get_velocity(t->world, i), more = random_place(&random, speed);
    if (!msd_particle_is_pinned(t->world, i))
      ok(t->world,
         msd_particle_set_velocity(t->world, i, (msd_vec3){v.x + more.x, v.y + more.y, v.z + more.z}));
  }
}

static void expect_none(const touching *t, const char *name, int frame) {
  const int64_t found = touching_intersections(t);
  cr_assert_eq(found, 0, "%s: %d intersections after frame %d", name, (int)found, frame);
}

static void watch(touching *t, const char *name, int frames, int substeps) {
  expect_none(t, name, -1);
  for (int frame = 0; frame < frames; frame++) {
    step(t->world, FRAME, substeps);
    expect_none(t, name, frame);
  }
}

static void add_floor(touching *t) {
  add_collider(t->world, plane_of(vector(0, 1, 0)));
}

/* ------------------------------------------------------------------------------------------------- drops */

/* A sheet that falls on its edge, and folds onto itself. */
static touching on_its_edge(int32_t side, double friction, double relaxation) {
  touching t = contact_step_new(DOWN, friction, relaxation);
  add_floor(&t);
  touching_sheet(&t, side, side, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0.02, 0.5, 0.01), true);
  shake(&t, 3, 0.2);
  return t;
}

Test(self_contact, a_sheet_dropped_on_its_edge_crumples_without_an_intersection) {
  touching t = on_its_edge(20, 0.3, 0);
  watch(&t, "sheet", 90, 16);
  contact_step_free(&t);
}

Test(self_contact, a_sheet_crumples_without_an_intersection_at_any_substep_friction_and_relaxation) {
  static const int substeps[] = {1, 2, 5, 10, 40};
  for (int n = 0; n < share_of(5); n++)
    for (int way = 0; way < 3; way++) {
      touching t = on_its_edge(10, way ? 0 : 1, way == 2 ? 0.9 : 0);
      watch(&t, "sheet", 60, substeps[n]);
      contact_step_free(&t);
    }
}

/* ------------------------------------------------------------------------------------------------- throws */

Test(self_contact, a_sheet_shot_at_30_m_per_s_onto_a_sheet_does_not_go_through) {
  static const int substeps[] = {4, 20, 40};
  for (int n = 0; n < 3; n++) {
    touching t = contact_step_new(NOWHERE, 0.3, 0);
    const int32_t held =
        touching_sheet(&t, 12, 12, vector(-0.3, 0, -0.3), vector(0.6, 0, 0), vector(0, 0, 0.6), true);
    for (int corner = 0; corner < 4; corner++)
      pin_all(t.world, held + corner / 2 * 132 + corner % 2 * 11, 1);
    const int32_t thrown =
        touching_sheet(&t, 8, 8, vector(-0.1, 0.4, -0.1), vector(0.2, 0.02, 0), vector(0, 0.03, 0.2), true);
    throw_all(t.world, thrown, 64, vector(0, -30, 0));
    shake(&t, 5, 0.1);
    watch(&t, "30 m/s", 30, substeps[n]);
    contact_step_free(&t);
  }
}

static int64_t shortened_behind_a_frame(const touching *t) {
  step(t->world, FRAME, 4);
  return msd_world_get_counts(t->world).clipped_moves;
}

Test(self_contact, ways_that_were_cut_short_stay_counted_when_threads_and_surfaces_are_added) {
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  const int32_t held =
      touching_sheet(&t, 6, 6, vector(-0.3, 0, -0.3), vector(0.6, 0, 0), vector(0, 0, 0.6), true);
  pin_all(t.world, held, 36);
  const int32_t thrown =
      touching_sheet(&t, 4, 4, vector(-0.1, 0.1, -0.1), vector(0.2, 0.02, 0), vector(0, 0.03, 0.2), true);
  throw_all(t.world, thrown, 16, vector(0, -30, 0));
  ok(t.world, msd_world_set_thread_count(t.world, 1));
  const int64_t alone = shortened_behind_a_frame(&t);
  cr_assert_gt(alone, 0);
  ok(t.world, msd_world_set_thread_count(t.world, 3));
  cr_assert_geq(shortened_behind_a_frame(&t), alone);
  touching_sheet(&t, 4, 4, vector(5, 0, 5), vector(0.2, 0, 0), vector(0, 0, 0.2), true);
  cr_assert_geq(shortened_behind_a_frame(&t), alone);
  contact_step_free(&t);
}

/* The ends of one rope go up, and those of the other, which lies on it, down. */
Test(self_contact, crossed_ropes_pulled_tight_do_not_go_through_each_other) {
  enum { PARTICLES = 41 };
  static const int substeps[] = {2, 8, 40};
  for (int n = 0; n < 3; n++) {
    touching t = contact_step_new(NOWHERE, 0.3, 0);
    const int32_t lower = touching_rope(&t, PARTICLES, vector(-0.5, 0, 0.002), vector(0.5, 0, 0)),
                  upper = touching_rope(&t, PARTICLES, vector(0.001, 0.02, -0.5), vector(0, 0.02, 0.5));
    const int32_t ends[4] = {lower, lower + PARTICLES - 1, upper, upper + PARTICLES - 1};
    for (int e = 0; e < 4; e++)
      pin_all(t.world, ends[e], 1);
    shake(&t, 6, 0.01);
    for (int frame = 0; frame < 90; frame++) {
      for (int e = 0; e < 4; e++) {
        msd_vec3 to = msd_particle_get_position(t.world, ends[e]);
        to.y += (msd_real)(e < 2 ? 0.005 : -0.005);
        ok(t.world, msd_particle_move_to(t.world, ends[e], to));
      }
      step(t.world, FRAME, substeps[n]);
      expect_none(&t, "ropes", frame);
    }
    const double above = (double)msd_particle_get_position(t.world, upper + PARTICLES / 2).y -
                         (double)msd_particle_get_position(t.world, lower + PARTICLES / 2).y;
    cr_expect_gt(above, 0, "they still hold each other");
    contact_step_free(&t);
  }
}

/* ----------------------------------------------------------------------------------------------- mixtures */

static int32_t held_sheet(touching *t, int32_t side) {
  const int32_t first =
      touching_sheet(t, side, side, vector(-0.25, 0, -0.25), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  for (int32_t corner = 0; corner < 4; corner++)
    pin_all(t->world, first + corner / 2 * side * (side - 1) + corner % 2 * (side - 1), 1);
  return first;
}

Test(self_contact, ropes_thrown_at_a_cloth_and_each_other_do_not_go_through) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  held_sheet(&t, 14);
  for (int n = 0; n < 5; n++) {
    const int32_t first = touching_rope(&t, 24, vector(-0.2, 0.05 + 0.03 * n, 0.02 * n),
                                        vector(0.2, 0.06 + 0.03 * n, 0.1 - 0.04 * n));
    throw_all(t.world, first, 24, vector(0, -2 * n, n % 2));
  }
  shake(&t, 7, 0.1);
  watch(&t, "ropes on cloth", 60, 8);
  contact_step_free(&t);
}

Test(self_contact, a_block_dropped_on_a_cloth_stays_on_its_side) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  const int32_t side = 11, sheet = held_sheet(&t, side);
  const int32_t block = touching_block(&t, 3, vector(-0.08, 0.1, -0.07), 0.15, 0.3);
  throw_all(t.world, block, 64, vector(0, -5, 0.2));
  shake(&t, 8, 0.1);
  watch(&t, "block on cloth", 60, 8);
  cr_expect_gt((double)msd_particle_get_position(t.world, block).y,
               (double)msd_particle_get_position(t.world, sheet + side * side / 2).y - 0.1);
  contact_step_free(&t);
}

/* Springs to one point pull all of a sheet, a rope, a block and a triangle together, as hard as they may. */
static touching pulled_together(double friction, double relaxation) {
  touching t = contact_step_new(NOWHERE, friction, relaxation);
  touching_sheet(&t, 6, 6, vector(-0.2, 0.1, -0.2), vector(0.4, 0, 0), vector(0, 0.01, 0.4), true);
  touching_sheet(&t, 6, 6, vector(-0.2, -0.1, -0.2), vector(0.4, 0, 0), vector(0, 0.01, 0.4), true);
  touching_block(&t, 2, vector(-0.05, -0.05, -0.05), 0.1, 0.2);
  touching_rope(&t, 12, vector(-0.2, 0.15, 0), vector(0.2, 0.14, 0.01));
  touching_triangle(&t, 0.01, vector(-0.05, 0.2, 0), vector(0.05, 0.21, 0), vector(0, 0.2, 0.05));
  const int32_t all = msd_world_get_particle_count(t.world), middle = add_pin(t.world, 0, 0, 0);
  for (int32_t i = 0; i < all; i++)
    add_spring(t.world, coefficient(0.01, 0.002), i, middle, 0);
  shake(&t, 9, 0.3);
  return t;
}

Test(self_contact, what_strong_springs_pull_together_does_not_intersect) {
  static const int substeps[] = {1, 3, 8};
  for (int n = 0; n < 3; n++)
    for (int way = 0; way < 3; way++) {
      touching t = pulled_together(way ? 0 : 1, way == 2 ? 0.9 : 0);
      watch(&t, "pulled together", 24, substeps[n]);
      contact_step_free(&t);
    }
}

/* Kicked anew in every frame, at up to a meter in a substep. */
Test(self_contact, single_triangles_kicked_about_in_a_small_room_never_intersect) {
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(6); seed++) {
    generator random = {.state = seed};
    touching t = contact_step_new(NOWHERE, 0.3, seed % 2 ? 0 : 0.9);
    for (int n = 0; n < 27; n++) {
      const msd_vec3 at = vector(0.12 * (n % 3), 0.12 * (n / 3 % 3), 0.12 * (n / 9));
      msd_vec3 corner[3];
      for (int k = 0; k < 3; k++) {
        const msd_vec3 off = random_place(&random, 0.05);
        corner[k] = (msd_vec3){at.x + off.x, at.y + off.y, at.z + off.z};
      }
      touching_triangle(&t, pow(10, 2 * random_share(&random) - 1), corner[0], corner[1], corner[2]);
    }
    msd_collider_def wall = plane_of(vector(0, 0, 0));
    for (int axis = 0; axis < 3; axis++)
      for (int side = -1; side <= 1; side += 2) {
        wall.normal = vector(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
        wall.position = side < 0 ? vector(0.35, 0.35, 0.35) : vector(-0.1, -0.1, -0.1);
        add_collider(t.world, wall);
      }
    for (int frame = 0; frame < 60; frame++) {
      const double speed = pow(10, 3 * random_share(&random) - 1);
      for (int32_t i = 0; i < 81; i++)
        ok(t.world, msd_particle_set_velocity(t.world, i, random_place(&random, speed)));
      step(t.world, FRAME, 1 + random_below(&random, 4));
      expect_none(&t, "triangles", frame);
    }
    contact_step_free(&t);
  }
}

Test(self_contact, without_surfaces_the_same_sheet_does_intersect) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  add_floor(&t);
  int32_t triangles[6 * 20 * 20];
  const int32_t first =
      touching_sheet(&t, 20, 20, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0.02, 0.5, 0.01), false);
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = triangles;
  def.triangle_count = grid_triangles(triangles, first, 20, 20, 1, 20);
  shake(&t, 3, 0.2);
  int64_t found = 0, most = 0;
  for (int frame = 0; frame < 90; frame++) {
    step(t.world, FRAME, 16);
    ok(t.world, msd_world_find_intersections(t.world, &def, NULL, 0, &found));
    most = found > most ? found : most;
  }
  cr_expect_gt(most, 100, "the checker sees");
  contact_step_free(&t);
}

Test(self_contact, a_sheet_that_touches_nothing_falls_as_one_without_a_surface_and_is_not_searched) {
  touching with[2] = {contact_step_new(DOWN, 0.3, 0), contact_step_new(DOWN, 0.3, 0)};
  touching touches = on_its_edge(20, 0.3, 0);
  for (int n = 0; n < 2; n++) {
    add_floor(&with[n]);
    touching_sheet(&with[n], 20, 20, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0.02, 0.5, 0.01), n > 0);
    shake(&with[n], 3, 0.2);
  }
  ok(with[1].world, msd_collision_mesh_exclude(with[1].world, 0, 0));
  for (int frame = 0; frame < 60; frame++) {
    for (int n = 0; n < 2; n++)
      step(with[n].world, FRAME, 16);
    step(touches.world, FRAME, 16);
    cr_assert_eq(msd_world_hash(with[0].world), msd_world_hash(with[1].world), "frame %d", frame);
  }
  cr_expect_neq(msd_world_hash(with[0].world), msd_world_hash(touches.world), "it would touch itself");
  touching far = contact_step_new(NOWHERE, 0.3, 0);
  touching_sheet(&far, 20, 20, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0.02, 0.5, 0.01), true);
  step(far.world, FRAME, 16);
  cr_expect_lt(msd_world_get_stats(with[1].world).contact_bytes, msd_world_get_stats(far.world).contact_bytes,
               "a search has buffers, also where it finds nothing");
  contact_step_free(&far);
  contact_step_free(&with[0]);
  contact_step_free(&with[1]);
  contact_step_free(&touches);
}

/* In a frame g T^2/2 = 1.36 mm; lists begin with skins of a quarter of the thickness, 1.25 mm. Half of the
   particles fall, so that none of what they gain is shared by all. */
Test(self_contact, what_falls_beside_what_stands_is_listed_with_wider_skins) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  touching_sheet(&t, 30, 30, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  const int32_t standing =
      touching_sheet(&t, 30, 30, vector(0, 0.2, 0), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  for (int32_t i = standing; i < standing + 900; i++)
    ok(t.world, msd_particle_pin(t.world, i));
  for (int frame = 0; frame < 6; frame++)
    step(t.world, FRAME, 40);
  cr_expect_geq(t.world->model.surfaces.list_policy.skin, 0.00136);
  cr_expect_eq(t.world->model.surfaces.list_policy.bend[1], 0);
  contact_step_free(&t);
}

/* It comes 1.36 mm off a straight way in a frame, and from none that bends: from the second frame on, one list
   is that of several, which all keep to with the least skins that there are. */
Test(self_contact, what_falls_together_keeps_one_list_for_frames_in_the_least_skins) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  touching_sheet(&t, 30, 30, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  step(t.world, FRAME, 40);
  for (int frame = 0; frame < 6; frame++) {
    step(t.world, FRAME, 40);
    const motion_bound *list = &t.world->stepper.self.cache.list;
    cr_expect_float_eq(list->age, (frame + 1) * (double)FRAME, 1e-6, "frame %d", frame);
    cr_expect_float_eq(t.world->stepper.self.cache.active_bound.age, (frame + 1) * (double)FRAME, 1e-6,
                       "what is near no pair is watched once");
    cr_expect_float_eq(t.world->model.surfaces.list_policy.skin, 0.25 * 0.005, 1e-9);
    cr_expect_float_eq(t.world->model.surfaces.list_policy.bend[1], -9.81, 0.05);
  }
  ok(t.world, msd_world_set_gravity(t.world, vector(0, -6, 0)));
  step(t.world, FRAME, 40);
  cr_expect_float_eq(t.world->model.surfaces.list_policy.bend[1], -6, 0.05,
                     "what a step has seen the next one knows");
  contact_step_free(&t);
}

/* In 1e-5 s all gain 10 m/s, and then nothing: what the lists knew by then is half a meter off behind one
   substep of 1 ms. Skins as wide would list all pairs that there are, more than a million. */
Test(self_contact, what_all_have_gained_of_velocity_widens_no_skins_when_it_is_gained_no_more) {
  touching t = contact_step_new(vector(0, -1e6, 0), 0.3, 0);
  touching_sheet(&t, 30, 30, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  step(t.world, 1e-5, 40);
  cr_expect_float_eq(t.world->model.surfaces.list_policy.bend[1], -1e6, 1e4);
  ok(t.world, msd_world_set_gravity(t.world, NOWHERE));
  for (int frame = 0; frame < 4; frame++) {
    step(t.world, 0.002, 2);
    const self_contact *c = &t.world->stepper.self;
    cr_expect_eq(t.world->model.surfaces.list_policy.bend[1], 0);
    cr_expect_lt(c->search.list.count, c->particles);
    for (int32_t slot = 0; slot < c->particles; slot++)
      cr_assert_lt(motion_bound_skins(&c->cache.list)[slot], 0.005);
  }
  contact_step_free(&t);
}

static void note_policy(const msd_world *world, const msd_substep_info *moment, void *policy) {
  (void)moment;
  *(list_policy *)policy = world->model.surfaces.list_policy;
}

static bool is_same_policy(const list_policy *a, const list_policy *b) {
  return a->skin == b->skin && a->substeps == b->substeps && a->bend[0] == b->bend[0] &&
         a->bend[1] == b->bend[1] && a->bend[2] == b->bend[2];
}

/* Lists that were begun and are not there change nothing of those to come. */
Test(self_contact, a_substep_without_memory_leaves_the_lists_to_come_as_they_would_have_been) {
  touching t = on_its_edge(20, 0.3, 0);
  list_policy policy = {0};
  const msd_callbacks callbacks = {.after_substep = note_policy, .context = &policy};
  ok(t.world, msd_world_set_callbacks(t.world, &callbacks));
  memory *m = &t.world->model.memory;
  const size_t limit = m->limit;
  int failed = 0;
  for (int frame = 0; frame < 60; frame++) {
    step(t.world, FRAME, 8);
    m->limit = m->used;
    const msd_result result = msd_world_step(t.world, (msd_real)FRAME, 16);
    m->limit = limit;
    cr_assert(result == MSD_OK || result == MSD_TOO_LARGE, "%s", msd_world_message(t.world));
    failed += result != MSD_OK;
    cr_assert(is_same_policy(&policy, &t.world->model.surfaces.list_policy), "frame %d", frame);
  }
  cr_assert_gt(failed, 0);
  contact_step_free(&t);
}

/* What lists are like is how those before have lasted, which is no part of where particles are. */
Test(self_contact, what_falls_together_goes_on_from_a_snapshot_with_the_same_lists) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  touching_sheet(&t, 30, 30, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  for (int frame = 0; frame < 2; frame++)
    step(t.world, FRAME, 40);
  const snapshot s = snapshot_of(t.world);
  msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
  ok(other, msd_world_restore(other, s.data, s.size));
  const list_policy one = t.world->model.surfaces.list_policy, two = other->model.surfaces.list_policy;
  cr_expect_neq(one.bend[1], 0);
  for (int axis = 0; axis < 3; axis++)
    cr_expect_eq(one.bend[axis], two.bend[axis]);
  cr_expect(one.skin == two.skin && one.substeps == two.substeps);
  free(s.data);
  msd_destroy_world(other);
  contact_step_free(&t);
}

/* One particle is struck in every frame, leaves its skin with those around it, and all others keep theirs. */
Test(self_contact, what_shakes_is_listed_with_narrower_skins) {
  const double widest = 0.35 * 0.005, narrowest = 0.25 * 0.005;
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  const int32_t first =
      touching_sheet(&t, 30, 30, vector(0, 0.1, 0), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  step(t.world, FRAME, 40);
  double *skin = &t.world->model.surfaces.list_policy.skin;
  *skin = widest;
  step(t.world, FRAME, 40);
  cr_expect_float_eq(*skin, widest, 1e-9, "of what rests they stay");
  for (int frame = 0; frame < 6; frame++) {
    ok(t.world, msd_particle_set_velocity(t.world, first + 465, vector(0, 2, 0)));
    step(t.world, FRAME, 40);
  }
  cr_expect_float_eq(*skin, narrowest, 1e-9);
  contact_step_free(&t);
}

/* -------------------------------------------------------------------------------------------- no memory */

static msd_world *kept_world(bookkeeper *b) {
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){keep_and_allocate, keep_and_release, b};
  def.thread_count = 1;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

/* It closes and folds onto itself. */
static msd_world *closing_cloth(bookkeeper *b) {
  enum { SIDE = 16 };
  msd_world *world = kept_world(b);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
  int32_t triangles[2 * (SIDE - 1) * (SIDE - 1)][3], count = 0;
  for (int32_t row = 0; row + 1 < SIDE; row++)
    for (int32_t a = row * SIDE; a + 1 < (row + 1) * SIDE; a++)
      for (int32_t n = 0; n < 2; n++, count++) {
        triangles[count][0] = a + n;
        triangles[count][1] = a + 1 + n * SIDE;
        triangles[count][2] = a + SIDE;
      }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles[0];
  surface.triangle_count = count;
  cr_assert_eq(msd_add_collision_meshes(world, &surface, 1, NULL), MSD_OK);
  for (int32_t i = 0; i < SIDE * SIDE; i++) {
    const msd_vec3 at = msd_particle_get_position(world, i);
    const msd_vec3 velocity = {-8 * at.x, -6 * at.y, (msd_real)(i * 7 % 13 - 6) / 4};
    cr_assert_eq(msd_particle_set_velocity(world, i, velocity), MSD_OK);
  }
  return world;
}

/* What became of a world that went on from a snapshot. */
typedef struct outcome {
  int64_t requests;
  uint64_t hash;
  /* Its first substep failed where something had been expected anew, and lists had not. */
  bool was_taken_back;
} outcome;

/* The first substep has no memory for request `fail_at`, and is then taken again, with others behind it. */
static outcome go_on(const snapshot *saved, int64_t fail_at) {
  const msd_real substep = (msd_real)0.001953125;
  bookkeeper b = {0};
  msd_world *world = kept_world(&b);
  cr_assert_eq(msd_world_restore(world, saved->data, saved->size), MSD_OK);
  const int64_t before = b.requests;
  b.fail_at = before + fail_at;
  const bool failed = msd_world_step(world, substep, 1) != MSD_OK;
  outcome o = {.requests = b.requests - before,
               .was_taken_back = failed && world->stepper.self.cache.batches_then >= 0};
  b.fail_at = 0;
  if (failed)
    cr_assert_eq(msd_world_step(world, substep, 1), MSD_OK);
  cr_assert_eq(msd_world_step(world, substep * 8, 8), MSD_OK);
  o.hash = msd_world_hash(world);
  msd_destroy_world(world);
  return o;
}

Test(self_contact, a_first_substep_that_runs_out_with_a_list_that_stays_is_taken_again_with_the_same_bits) {
  enum { FRAMES = 12, LAST = 12 };
  bookkeeper b = {0};
  msd_world *world = closing_cloth(&b);
  int taken_back = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    cr_assert_eq(msd_world_step(world, (msd_real)0.0078125, 4), MSD_OK);
    const snapshot saved = snapshot_of(world);
    const outcome whole = go_on(&saved, INT32_MAX);
    for (int64_t n = whole.requests > LAST ? whole.requests - LAST : 1; n <= whole.requests; n++) {
      const outcome o = go_on(&saved, n);
      cr_expect(!o.was_taken_back || o.hash == whole.hash, "frame %d, request %d", frame, (int)n);
      taken_back += o.was_taken_back;
    }
    free(saved.data);
  }
  cr_assert_gt(taken_back, FRAMES);
  msd_destroy_world(world);
}

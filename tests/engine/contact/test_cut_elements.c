/* A triangle or segment with a torn edge is no part of its mesh: whatever intersects it lets none of its
   neighbors go, and nothing that is left comes to intersect. The oracle is the exact check of intersections
   among what has no torn edge, found spring by spring. */
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

enum { SIDE = 4, BEGIN = 5, END = 6, ELEMENTS_MAX = 1024 };

static const double FRAME = 1.0 / 60;

/* The ends of all torn springs. */
typedef struct torn_ends {
  int32_t a[ELEMENTS_MAX], b[ELEMENTS_MAX];
  int count;
} torn_ends;

static torn_ends find_torn(const msd_world *world) {
  torn_ends torn = {.count = 0};
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    if (msd_spring_is_torn(world, e)) {
      const msd_spring_def def = msd_spring_get_def(world, e);
      cr_assert_lt(torn.count, ELEMENTS_MAX);
      torn.a[torn.count] = def.a;
      torn.b[torn.count++] = def.b;
    }
  return torn;
}

static bool is_torn(const torn_ends *torn, int32_t a, int32_t b) {
  bool found = false;
  for (int n = 0; n < torn->count; n++)
    found = found || (torn->a[n] == a && torn->b[n] == b) || (torn->a[n] == b && torn->b[n] == a);
  return found;
}

/* The elements of all meshes without a torn edge. */
typedef struct live_elements {
  int32_t triangles[3 * ELEMENTS_MAX], segments[2 * ELEMENTS_MAX];
  int32_t triangle_count, segment_count;
} live_elements;

static void add_live(const msd_world *world, int32_t mesh, live_elements *live) {
  const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, mesh);
  const torn_ends torn = find_torn(world);
  bool triangles[ELEMENTS_MAX], segments[ELEMENTS_MAX];
  cr_assert(live->triangle_count + def.triangle_count <= ELEMENTS_MAX &&
            live->segment_count + def.segment_count <= ELEMENTS_MAX);
  cr_assert_eq(msd_collision_mesh_find_cut(world, mesh, triangles, segments), MSD_OK);
  for (int32_t n = 0; n < def.triangle_count; n++) {
    const int32_t *c = &def.triangles[3 * n];
    const bool cut = is_torn(&torn, c[0], c[1]) || is_torn(&torn, c[1], c[2]) || is_torn(&torn, c[2], c[0]);
    cr_assert_eq(triangles[n], cut, "triangle %d of mesh %d", (int)n, (int)mesh);
    if (!cut)
      memcpy(&live->triangles[3 * live->triangle_count++], c, 3 * sizeof *c);
  }
  for (int32_t n = 0; n < def.segment_count; n++) {
    const int32_t *c = &def.segments[2 * n];
    const bool cut = is_torn(&torn, c[0], c[1]);
    cr_assert_eq(segments[n], cut, "segment %d of mesh %d", (int)n, (int)mesh);
    if (!cut)
      memcpy(&live->segments[2 * live->segment_count++], c, 2 * sizeof *c);
  }
}

static int64_t live_intersections(const msd_world *world) {
  live_elements live = {.triangle_count = 0};
  for (int32_t mesh = 0; mesh < msd_world_get_collision_mesh_count(world); mesh++)
    add_live(world, mesh, &live);
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = live.triangles;
  def.triangle_count = live.triangle_count;
  def.segments = live.segments;
  def.segment_count = live.segment_count;
  int64_t found = -1;
  cr_assert_eq(msd_world_find_intersections(world, &def, NULL, 0, &found), MSD_OK);
  return found;
}

static void tear_at(msd_world *world, int32_t spring) {
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)0.125;
  ok(world, msd_springs_set_damage(world, (msd_range){spring, 1}, &def));
  ok(world, msd_spring_set_rest_length(world, spring, (msd_real)0.5));
}

static int32_t spring_of(const msd_world *world, int32_t a, int32_t b) {
  int32_t e = 0;
  for (; e < msd_world_get_spring_count(world); e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (def.a == a && def.b == b)
      break;
  }
  cr_assert_lt(e, msd_world_get_spring_count(world));
  return e;
}

/* A sheet of pins in y = 0, 1 m apart, in which the spring from 5 to 6 has torn: a hole of two triangles, from
   x = 1 to 2. */
static touching holed_sheet(void) {
  touching t = contact_step_new(vector(0, 0, 0), 0, 0);
  const int32_t first =
      touching_sheet(&t, SIDE, SIDE, vector(0, 0, 0), vector(3, 0, 0), vector(0, 0, 3), true);
  pin_all(t.world, first, SIDE * SIDE);
  tear_at(t.world, spring_of(t.world, BEGIN, END));
  step(t.world, FRAME, 1);
  cr_assert(msd_spring_is_torn(t.world, spring_of(t.world, BEGIN, END)));
  return t;
}

/* An upright segment of the particles 16 and 17 in the hole. */
static void add_needle(touching *t) {
  const int32_t a = add_particle(t->world, 0.1, 1.5, 0.25, 1.125),
                b = add_particle(t->world, 0.1, 1.5, -0.25, 1.125), ends[2] = {a, b};
  add_spring(t->world, physical(10, 0), a, b, 0.5);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.segments = ends;
  def.segment_count = 1;
  touching_add(t, def);
}

/* Sends it sideways; it must stop at the border of the hole. */
static void expect_held(touching *t) {
  for (int32_t i = 16; i < 18; i++)
    set_velocity(t->world, i, 0, 0, 1);
  for (int frame = 0; frame < 60; frame++) {
    step(t->world, FRAME, 4);
    cr_assert_eq(live_intersections(t->world), 0, "frame %d", frame);
    const msd_stats stats = msd_world_get_stats(t->world);
    cr_assert(stats.penetrations == 0 && stats.forced_intersections == 0);
    cr_assert_eq(msd_world_get_penetrations(t->world, NULL, 0), 0);
  }
  cr_expect_lt((double)msd_particle_get_position(t->world, 16).z, 2);
  contact_step_free(t);
}

Test(cut_elements, what_is_put_into_a_hole_is_held_by_its_border) {
  touching t = holed_sheet();
  add_needle(&t);
  expect_held(&t);
}

Test(cut_elements, it_is_held_after_a_teleport_and_after_a_restored_snapshot) {
  touching t = holed_sheet();
  add_needle(&t);
  step(t.world, FRAME, 4);
  ok(t.world, msd_particle_set_position(t.world, 17, vector(1.5, -0.25, 1.125)));
  const snapshot s = snapshot_of(t.world);
  ok(t.world, msd_world_restore(t.world, s.data, s.size));
  free(s.data);
  expect_held(&t);
}

Test(cut_elements, a_hole_is_no_initial_intersection) {
  touching t = holed_sheet();
  msd_contact_settings settings = msd_world_get_contact_settings(t.world);
  settings.error_on_intersection = true;
  ok(t.world, msd_world_set_contact_settings(t.world, &settings));
  add_needle(&t);
  expect_held(&t);
}

/* A segment stands in a triangle when an edge of that tears. */
Test(cut_elements, a_penetration_ends_with_its_triangle) {
  touching t = contact_step_new(vector(0, 0, 0), 0, 0);
  const int32_t first =
      touching_sheet(&t, SIDE, SIDE, vector(0, 0, 0), vector(3, 0, 0), vector(0, 0, 3), true);
  pin_all(t.world, first, SIDE * SIDE);
  add_needle(&t);
  step(t.world, FRAME, 1);
  cr_assert_gt(msd_world_get_penetrations(t.world, NULL, 0), 0);
  tear_at(t.world, spring_of(t.world, BEGIN, END));
  step(t.world, FRAME, 1);
  cr_assert(msd_spring_is_torn(t.world, spring_of(t.world, BEGIN, END)));
  step(t.world, FRAME, 1);
  cr_expect_eq(msd_world_get_penetrations(t.world, NULL, 0), 0);
  expect_held(&t);
}

/* A torn rope is no part of its mesh either. */
Test(cut_elements, a_torn_segment_lets_nothing_go) {
  touching t = contact_step_new(vector(0, 0, 0), 0, 0);
  const int32_t a = touching_rope(&t, 3, vector(-1, 0, 0), vector(1, 0, 0));
  pin_all(t.world, a, 3);
  tear_at(t.world, spring_of(t.world, a, a + 1));
  step(t.world, FRAME, 1);
  const int32_t plate =
      touching_triangle(&t, 0.1, vector(-0.5, -0.25, -0.25), vector(-0.5, -0.25, 0.25), vector(-0.5, 0.5, 0));
  throw_all(t.world, plate, 3, vector(1, 0, 0));
  for (int frame = 0; frame < 60; frame++) {
    step(t.world, FRAME, 4);
    cr_assert_eq(live_intersections(t.world), 0, "frame %d", frame);
    cr_assert_eq(msd_world_get_penetrations(t.world, NULL, 0), 0);
  }
  contact_step_free(&t);
}

Test(cut_elements, are_told_for_each_mesh) {
  touching t = holed_sheet();
  add_needle(&t);
  bool triangles[2 * (SIDE - 1) * (SIDE - 1)], segment = true;
  ok(t.world, msd_collision_mesh_find_cut(t.world, 0, triangles, NULL));
  int count = 0;
  for (int n = 0; n < 2 * (SIDE - 1) * (SIDE - 1); n++) {
    bool has_begin = false, has_end = false;
    for (int k = 0; k < 3; k++) {
      has_begin = has_begin || t.triangles[3 * n + k] == BEGIN;
      has_end = has_end || t.triangles[3 * n + k] == END;
    }
    cr_expect_eq(triangles[n], has_begin && has_end, "triangle %d", n);
    count += triangles[n];
  }
  cr_expect_eq(count, 2);
  ok(t.world, msd_collision_mesh_find_cut(t.world, 1, NULL, &segment));
  cr_expect_not(segment);
  ok(t.world, msd_spring_break(t.world, spring_of(t.world, 16, 17)));
  ok(t.world, msd_collision_mesh_find_cut(t.world, 1, NULL, &segment));
  cr_expect_not(segment, "broken is not torn");
  cr_expect_eq(msd_collision_mesh_find_cut(t.world, 2, NULL, NULL), MSD_BAD_INDEX);
  cr_expect_eq(msd_collision_mesh_find_cut(NULL, 0, NULL, NULL), MSD_BAD_INDEX);
  contact_step_free(&t);
}

/* --------------------------------------------------------------------------------------------- at random */

enum { SHEET = 7, FRAMES = 60, NEEDLES_MAX = 12 };

typedef struct trial {
  touching t;
  generator random;
  int32_t needle[NEEDLES_MAX];
  int needles, kept_needles;
  snapshot kept;
  int64_t in_holes;
} trial;

static int64_t all_intersections(const msd_world *world) {
  touching all = {.world = (msd_world *)world};
  for (int32_t mesh = 0; mesh < msd_world_get_collision_mesh_count(world); mesh++) {
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, mesh);
    all.triangles =
        touching_append(all.triangles, 3 * all.triangle_count, def.triangles, 3 * def.triangle_count);
    all.segments = touching_append(all.segments, 2 * all.segment_count, def.segments, 2 * def.segment_count);
    all.triangle_count += def.triangle_count;
    all.segment_count += def.segment_count;
  }
  const int64_t found = touching_intersections(&all);
  free(all.triangles);
  free(all.segments);
  return found;
}

static bool chance(trial *c, int percent) {
  return random_below(&c->random, 100) < percent;
}

static msd_vec3 place_in_sheets(trial *c) {
  msd_vec3 at = random_place(&c->random, 0.375);
  at.y = (msd_real)(0.0625 * random_share(&c->random));
  return at;
}

static void put_needle(trial *c, int32_t first, msd_vec3 at) {
  ok(c->t.world, msd_particle_set_position(c->t.world, first, at));
  at.y += (msd_real)0.0625;
  ok(c->t.world, msd_particle_set_position(c->t.world, first + 1, at));
}

/* Where it intersects nothing that is left, or far away. */
static void drop_needle(trial *c, int32_t first) {
  for (int n = 0; n < 16; n++) {
    put_needle(c, first, place_in_sheets(c));
    if (live_intersections(c->t.world) == 0)
      return;
  }
  put_needle(c, first, vector(16 + first, 0, 0));
}

/* Its mesh is added where it is, so nothing has put it into a hole before. */
static void add_random_needle(trial *c) {
  const int32_t a = add_particle(c->t.world, 0.001, 0, 0, 0), b = add_particle(c->t.world, 0.001, 0, 0, 0),
                ends[2] = {a, b};
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.segments = ends;
  def.segment_count = 1;
  msd_intersection_def q = msd_default_intersection_def();
  int64_t found = 1;
  for (int n = 0; n < 64 && found > 0; n++) {
    live_elements live = {.triangle_count = 0};
    for (int32_t mesh = 0; mesh < msd_world_get_collision_mesh_count(c->t.world); mesh++)
      add_live(c->t.world, mesh, &live);
    memcpy(&live.segments[2 * live.segment_count++], ends, sizeof ends);
    q.triangles = live.triangles, q.triangle_count = live.triangle_count;
    q.segments = live.segments, q.segment_count = live.segment_count;
    put_needle(c, a, n < 63 ? place_in_sheets(c) : vector(16 + a, 0, 0));
    cr_assert_eq(msd_world_find_intersections(c->t.world, &q, NULL, 0, &found), MSD_OK);
  }
  add_spring(c->t.world, coefficient(0.25, 0.05), a, b, 0.0625);
  ok(c->t.world, msd_add_collision_meshes(c->t.world, &def, 1, NULL));
  c->needle[c->needles++] = a;
}

static trial begin_trial(uint64_t seed, bool split) {
  trial c = {.t = contact_step_new(vector(0, -10, 0), 0.25, 0), .random = {seed}};
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)0.25;
  def.split = split;
  for (int n = 0; n < 2; n++)
    touching_sheet(&c.t, SHEET, SHEET, vector(-0.5, 0.0625 * n, -0.5), vector(1, 0, 0), vector(0, 0, 1),
                   true);
  pin_all(c.t.world, 0, SHEET);
  pin_all(c.t.world, SHEET * (SHEET - 1), SHEET);
  ok(c.t.world,
     msd_springs_set_damage(c.t.world, (msd_range){0, msd_world_get_spring_count(c.t.world)}, &def));
  return c;
}

static void keep(trial *c) {
  free(c->kept.data);
  c->kept = snapshot_of(c->t.world);
  c->kept_needles = c->needles;
}

static void go_back(trial *c) {
  ok(c->t.world, msd_world_restore(c->t.world, c->kept.data, c->kept.size));
  c->needles = c->kept_needles;
}

static void disturb(trial *c) {
  msd_world *world = c->t.world;
  const int32_t particle = random_below(&c->random, 2 * SHEET * SHEET),
                spring = random_below(&c->random, msd_world_get_spring_count(world));
  if (chance(c, 50) && msd_particle_get_mass(world, particle) > 0 && !msd_particle_is_pinned(world, particle))
    ok(world, msd_particle_set_velocity(world, particle, random_place(&c->random, 24)));
  if (chance(c, 25) && c->needles > 0)
    drop_needle(c, c->needle[random_below(&c->random, c->needles)]);
  if (chance(c, 15) && c->needles < NEEDLES_MAX)
    add_random_needle(c);
  /* It may have been destroyed before. */
  if (chance(c, 10)) {
    const msd_result result = msd_spring_break(world, spring);
    cr_assert(result == MSD_OK || result == MSD_BAD_INDEX);
  }
  if (chance(c, 10)) {
    const msd_result result = msd_destroy_objects(world, MSD_OBJECT_SPRING, &spring, 1);
    cr_assert(result == MSD_OK || result == MSD_BAD_INDEX);
  }
  if (chance(c, 15)) {
    const snapshot s = snapshot_of(world);
    ok(world, msd_world_restore(world, s.data, s.size));
    free(s.data);
  }
  if (chance(c, 5) && c->kept.data)
    go_back(c);
  if (chance(c, 10))
    keep(c);
}

static int64_t run_trial(uint64_t seed, bool split) {
  trial c = begin_trial(seed, split);
  for (int frame = 0; frame < FRAMES; frame++) {
    disturb(&c);
    cr_assert_eq(live_intersections(c.t.world), 0, "seed %d, frame %d", (int)seed, frame);
    step(c.t.world, FRAME, 1 + random_below(&c.random, 12));
    cr_assert_eq(live_intersections(c.t.world), 0, "seed %d, frame %d", (int)seed, frame);
    const msd_stats stats = msd_world_get_stats(c.t.world);
    cr_assert(stats.penetrations == 0 && stats.forced_intersections == 0, "seed %d, frame %d", (int)seed,
              frame);
    c.in_holes += all_intersections(c.t.world);
  }
  free(c.kept.data);
  contact_step_free(&c.t);
  return c.in_holes;
}

Test(cut_elements, nothing_that_is_left_comes_to_intersect_whatever_is_torn_added_moved_and_restored) {
  int64_t in_holes = 0;
  for (uint64_t seed = 1; seed <= 12; seed++)
    in_holes += run_trial(seed, seed % 3 == 0);
  cr_expect_gt(in_holes, 100, "%d intersections with what is cut", (int)in_holes);
}

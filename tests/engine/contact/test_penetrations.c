/* What intersects at the start is let go until it is apart, what prescribed motion forces is named, and
   neither lets anything else through. The oracles are the exact check of intersections, pair by pair, and
   Newton's first law. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"

#include "engine/world/world.h"

#include <math.h>
#include <string.h>

enum { PENETRATIONS_MAX = 4096 };

static const double THICKNESS = 0.005, FRAME = 1.0 / 60;
enum { SUBSTEPS = 40 };

static int32_t add_surface(msd_world *world, const int32_t *triangles, int triangle_count,
                           const int32_t *segments, int segment_count) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangles;
  def.triangle_count = triangle_count;
  def.segments = segments;
  def.segment_count = segment_count;
  int32_t surface = -1;
  ok(world, msd_add_collision_meshes(world, &def, 1, &surface));
  return surface;
}

/* About the y axis, at that height and of that size. */
static int32_t add_triangle(msd_world *world, double y, double size, bool pinned) {
  const int32_t a = add_particle(world, 0.1, -size, y, -size), b = add_particle(world, 0.1, size, y, -size),
                c = add_particle(world, 0.1, 0, y, size), corners[3] = {a, b, c};
  for (int n = 0; n < 3 && pinned; n++)
    ok(world, msd_particle_pin(world, corners[n]));
  add_surface(world, corners, 1, NULL, 0);
  return a;
}

static int32_t add_segment(msd_world *world, double x, double low, double high, double z) {
  const int32_t a = add_particle(world, 0.1, x, low, z), b = add_particle(world, 0.1, x, high, z),
                ends[2] = {a, b};
  add_surface(world, NULL, 0, ends, 1);
  return a;
}

static int64_t count_intersections(const msd_world *world, const int32_t *triangles, int triangle_count,
                                   const int32_t *segments, int segment_count) {
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = triangles;
  def.triangle_count = triangle_count;
  def.segments = segments;
  def.segment_count = segment_count;
  int64_t found = -1;
  cr_assert_eq(msd_world_find_intersections(world, &def, NULL, 0, &found), MSD_OK);
  return found;
}

/* ------------------------------------------------------------------------------------------ at the start */

/* A triangle of the particles 0, 1, 2 that stands, and a segment from 3 to 4 through its middle. */
static msd_world *pierced_world(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_triangle(world, 0, 0.5, true);
  add_segment(world, 0, -0.1, 0.3, 0);
  return world;
}

Test(penetrations, an_edge_through_a_triangle_penetrations_the_five_pairs_between_them) {
  msd_world *world = pierced_world();
  msd_penetration found[8];
  cr_expect_eq(msd_world_get_penetrations(world, found, 8), 0, "no step has looked");
  ok(world, msd_world_step(world, (msd_real)FRAME, 1));
  cr_assert_eq(msd_world_get_penetrations(world, found, 8), 5);
  static const int32_t expected[5][4] = {
      {3, 0, 1, 2}, {4, 0, 1, 2}, {0, 1, 3, 4}, {0, 2, 3, 4}, {1, 2, 3, 4}};
  for (int n = 0; n < 5; n++) {
    cr_expect_eq(memcmp(found[n].particles, expected[n], sizeof expected[n]), 0, "pair %d", n);
    cr_expect_eq(found[n].is_point_and_triangle, n < 2);
    cr_expect_eq(found[n].mesh_a, n < 2 ? 1 : 0);
    cr_expect_eq(found[n].mesh_b, n < 2 ? 0 : 1);
    cr_expect_not(found[n].is_forced);
  }
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect(stats.penetrations == 1 && stats.squeezed == 0 && stats.contacts == 0);
  cr_expect_eq(msd_world_get_penetrations(world, found, 2), 5, "however few there is room for");
  msd_destroy_world(world);
}

Test(penetrations, a_pair_that_two_surfaces_have_is_of_the_lower_one) {
  msd_world *world = pierced_world();
  const int32_t triangle[3] = {3, 4, add_particle(world, 0.1, 0, 0.3, 10)};
  cr_assert_eq(add_surface(world, triangle, 1, NULL, 0), 2);
  ok(world, msd_world_step(world, (msd_real)FRAME, 1));
  msd_penetration found[16];
  const int32_t count = msd_world_get_penetrations(world, found, 16);
  cr_assert(count > 5 && count <= 16, "%d", (int)count);
  int of_segment = 0;
  for (int32_t n = 0; n < count; n++) {
    const msd_penetration *t = &found[n];
    bool is_of_segment = !t->is_point_and_triangle && t->particles[2] == 3 && t->particles[3] == 4;
    if (t->is_point_and_triangle)
      is_of_segment = t->particles[0] == 3 || t->particles[0] == 4;
    if (!is_of_segment)
      continue;
    of_segment++;
    cr_expect_eq(t->is_point_and_triangle ? t->mesh_a : t->mesh_b, 1, "pair %d", (int)n);
  }
  cr_expect_eq(of_segment, 5);
  msd_destroy_world(world);
}

Test(penetrations, what_intersects_is_neither_pushed_nor_held) {
  msd_world *world = pierced_world();
  for (int32_t i = 3; i < 5; i++)
    set_velocity(world, i, 0.0625, 0.25, 0);
  for (int frame = 0; frame < 12; frame++) {
    ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
    for (int32_t i = 3; i < 5; i++) {
      const msd_vec3 v = msd_particle_get_velocity(world, i);
      cr_assert(v.x == (msd_real)0.0625 && v.y == (msd_real)0.25 && v.z == 0, "frame %d", frame);
    }
  }
  cr_expect_eq(msd_world_get_penetrations(world, NULL, 0), 5, "still through");
  msd_destroy_world(world);
}

/* Out of it, and then back at 6 m/s. */
Test(penetrations, what_has_come_apart_by_its_thickness_is_kept_apart_from_then_on) {
  static const int32_t triangle[] = {0, 1, 2}, segment[] = {3, 4};
  msd_world *world = pierced_world();
  for (int32_t i = 3; i < 5; i++)
    set_velocity(world, i, 0, 0.25, 0);
  int frame = 0;
  for (; msd_world_get_penetrations(world, NULL, 0) > 0 || frame == 0; frame++) {
    ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
    cr_assert_lt(frame, 60);
  }
  const double height = (double)msd_particle_get_position(world, 3).y;
  cr_expect_gt(height, THICKNESS);
  cr_expect_lt(height, THICKNESS + 2 * FRAME * 0.25, "as soon as it is apart");
  for (int32_t i = 3; i < 5; i++)
    set_velocity(world, i, 0.1, -6, 0);
  for (frame = 0; frame < 30; frame++) {
    ok(world, msd_world_step(world, (msd_real)FRAME, 4));
    cr_assert_eq(count_intersections(world, triangle, 1, segment, 1), 0, "frame %d", frame);
  }
  cr_expect_gt(msd_particle_get_position(world, 3).y, 0);
  cr_expect_eq(msd_world_get_penetrations(world, NULL, 0), 0);
  msd_destroy_world(world);
}

/* From the middle of one triangle of a square over the diagonal into the other. */
Test(penetrations, a_crossing_is_followed_from_one_triangle_to_the_next) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  static const int32_t square[] = {0, 1, 2, 1, 3, 2};
  for (int32_t i = 0; i < 4; i++)
    add_pin(world, i % 2, 0, i / 2);
  add_surface(world, square, 2, NULL, 0);
  add_segment(world, 0.25, -0.1, 0.3, 0.25);
  for (int32_t i = 4; i < 6; i++)
    set_velocity(world, i, 1, 0, 1);
  msd_penetration found[16];
  ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
  cr_assert_eq(msd_world_get_penetrations(world, found, 16), 5);
  cr_expect_eq(found[0].particles[3], 2);
  for (int frame = 1; frame < 30; frame++)
    ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
  cr_expect_float_eq((double)msd_particle_get_velocity(world, 4).x, 1, 0, "nothing has held it");
  const int32_t count = msd_world_get_penetrations(world, found, 16);
  cr_assert_eq(count, 5);
  for (int32_t n = 0; n < 2; n++)
    cr_expect(found[n].particles[1] == 1 && found[n].particles[3] == 3);
  msd_destroy_world(world);
}

Test(penetrations, strict_contact_refuses_a_step_and_names_what_intersects) {
  msd_world *world = pierced_world();
  add_segment(world, 0.1, -0.1, 0.3, 0);
  msd_contact_settings contact = msd_default_contact_settings();
  cr_expect_not(contact.error_on_intersection);
  contact.error_on_intersection = true;
  ok(world, msd_world_set_contact_settings(world, &contact));
  cr_expect(msd_world_get_contact_settings(world).error_on_intersection);
  const uint64_t hash = msd_world_hash(world);
  for (int n = 0; n < 2; n++) {
    cr_assert_eq(msd_world_step(world, (msd_real)FRAME, 1), MSD_INITIAL_INTERSECTION);
    const char *message = msd_world_message(world);
    cr_expect(strstr(message, "collision mesh 0") && strstr(message, "0, 1 and 2") &&
                  strstr(message, "3 and 4") && strstr(message, "mesh 1") && strstr(message, "2 such pairs"),
              "%s", message);
    cr_expect_eq(msd_world_hash(world), hash);
  }
  for (int32_t i = 3; i < 7; i++) {
    msd_vec3 place = msd_particle_get_position(world, i);
    place.y += 1;
    ok(world, msd_particle_set_position(world, i, place));
  }
  ok(world, msd_world_step(world, (msd_real)FRAME, 1));
  msd_destroy_world(world);
}

Test(penetrations, what_the_caller_puts_together_later_is_found_by_the_next_step) {
  msd_world *world = pierced_world();
  const msd_vec3 places[] = {msd_particle_get_position(world, 3), {0, 1, 0}};
  for (int n = 1; n >= 0; n--) {
    ok(world, msd_particle_set_position(world, 3, places[n]));
    ok(world, msd_world_step(world, (msd_real)FRAME, 1));
    cr_expect_eq(msd_world_get_penetrations(world, NULL, 0), n == 1 ? 0 : 5);
  }
  msd_destroy_world(world);
}

Test(penetrations, surfaces_that_ignore_each_other_and_what_stands_are_no_penetrations) {
  msd_world *world = pierced_world();
  msd_contact_settings contact = msd_default_contact_settings();
  contact.error_on_intersection = true;
  ok(world, msd_world_set_contact_settings(world, &contact));
  ok(world, msd_collision_mesh_exclude(world, 0, 1));
  ok(world, msd_world_step(world, (msd_real)FRAME, 1));
  cr_expect_eq(msd_world_get_penetrations(world, NULL, 0), 0);
  msd_destroy_world(world);

  world = pierced_world();
  ok(world, msd_world_set_contact_settings(world, &contact));
  for (int32_t i = 3; i < 5; i++)
    ok(world, msd_particle_pin(world, i));
  ok(world, msd_world_step(world, (msd_real)FRAME, 1));
  cr_expect_eq(msd_world_get_stats(world).penetrations, 0);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------ against pair by pair */

/* Whether an edge and a triangle of four or five different particles intersect. */
static bool is_through(const msd_world *world, const int32_t edge[2], const int32_t triangle[3]) {
  for (int n = 0; n < 3; n++)
    if (triangle[n] == edge[0] || triangle[n] == edge[1])
      return false;
  return count_intersections(world, triangle, 1, edge, 1) > 0;
}

static bool has_penetration(const msd_penetration *found, int32_t count, bool is_point, const int32_t *one,
                            const int32_t *other) {
  const int ones = is_point ? 1 : 2;
  for (int32_t n = 0; n < count; n++) {
    bool same = found[n].is_point_and_triangle == is_point;
    for (int way = 0; way < 2 && same; way++) {
      bool all = true;
      for (int k = 0; k < 4; k++) {
        const int32_t p = k < ones ? one[k] : other[k - ones];
        bool found_it = false;
        const int begin = is_point ? (k < 1 ? 0 : 1) : 2 * ((k / 2 + way) % 2),
                  end = is_point ? (k < 1 ? 1 : 4) : begin + 2;
        for (int at = begin; at < end; at++)
          found_it = found_it || found[n].particles[at] == p;
        all = all && found_it;
      }
      if (all)
        return true;
    }
  }
  return false;
}

/* Triangles anywhere in a cube of side 1. */
static void add_soup(msd_world *world, generator *random, int triangles, int32_t *corners) {
  for (int32_t n = 0; n < 3 * triangles; n++) {
    const msd_vec3 at = random_vector(random, (msd_real)0.5);
    corners[n] = add_particle(world, 0.1, (double)at.x, (double)at.y, (double)at.z);
  }
  add_surface(world, corners, triangles, NULL, 0);
}

Test(penetrations, all_pairs_of_every_crossing_are_found_and_no_others) {
  enum { TRIANGLES = 12 };
  for (uint64_t seed = 1; seed <= 5; seed++) {
    generator random = {.state = seed};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    int32_t corners[3 * TRIANGLES];
    add_soup(world, &random, TRIANGLES, corners);
    ok(world, msd_world_step(world, (msd_real)1e-6, 1));
    static msd_penetration found[PENETRATIONS_MAX];
    const int32_t count = msd_world_get_penetrations(world, found, PENETRATIONS_MAX);
    cr_assert(count > 0 && count <= PENETRATIONS_MAX);
    static bool is_expected[PENETRATIONS_MAX];
    memset(is_expected, 0, sizeof is_expected);
    int32_t expected = 0;
    for (int t = 0; t < TRIANGLES; t++)
      for (int e = 0; e < 3 * TRIANGLES; e++) {
        const int32_t *triangle = corners + 3 * (size_t)t, *of = corners + 3 * (size_t)(e / 3);
        const int32_t edge[2] = {of[e % 3], of[(e + 1) % 3]};
        if (!is_through(world, edge, triangle))
          continue;
        expected++;
        for (int k = 0; k < 2; k++)
          cr_assert(has_penetration(found, count, true, &edge[k], triangle), "seed %d", (int)seed);
        for (int k = 0; k < 3; k++) {
          const int32_t side[2] = {triangle[k], triangle[(k + 1) % 3]};
          cr_assert(has_penetration(found, count, false, edge, side), "seed %d", (int)seed);
        }
      }
    cr_expect_leq(count, 5 * expected, "seed %d", (int)seed);
    cr_expect_eq(msd_world_get_stats(world).penetrations,
                 count_intersections(world, corners, TRIANGLES, NULL, 0));
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------------ forced count
   */

enum { PLATE = 3, SHEET = 6 };

/* A free triangle between two that are led to meet in its place within a frame, and then apart again. */
static msd_world *rolling_mill(int threads) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_thread_count(world, threads));
  add_triangle(world, -0.05, 0.5, true);
  add_triangle(world, 0.05, 0.5, true);
  add_triangle(world, 0, 0.3, false);
  return world;
}

static void lead(msd_world *world, double lower, double upper) {
  for (int32_t i = 0; i < 2 * PLATE; i++) {
    msd_vec3 to = msd_particle_get_position(world, i);
    to.y = (msd_real)(i < PLATE ? lower : upper);
    ok(world, msd_particle_move_to(world, i, to));
  }
  ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
}

Test(penetrations, what_prescribed_motion_forces_together_is_forced_and_named) {
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads++) {
    msd_world *world = rolling_mill(threads);
    msd_penetration first;
    lead(world, -0.03, 0.03);
    cr_expect_eq(msd_world_get_stats(world).forced_intersections, 0);
    cr_expect_not(msd_world_get_first_forced_intersection(world, &first));
    lead(world, 0.01, -0.01);
    const msd_stats stats = msd_world_get_stats(world);
    cr_assert_gt(stats.forced_intersections, 0);
    cr_expect_gt(stats.squeezed, 0);
    cr_assert(msd_world_get_first_forced_intersection(world, &first));
    cr_expect(first.is_forced);
    cr_expect(first.mesh_a == 2 || first.mesh_b == 2, "one of the two is the sheet");
    for (int k = 0; k < 4; k++)
      cr_expect(first.particles[k] >= 0 && first.particles[k] < 3 * PLATE);
    hash = threads == 1 ? msd_world_hash(world) : hash;
    cr_expect_eq(msd_world_hash(world), hash, "%d threads", threads);
    msd_destroy_world(world);
  }
}

Test(penetrations, what_was_pinched_is_forgotten_when_it_is_apart) {
  msd_world *world = rolling_mill(1);
  lead(world, 0.001, -0.001);
  const int64_t forced_count = msd_world_get_stats(world).forced_intersections;
  cr_assert_gt(forced_count, 0);
  for (int frame = 0; frame < 10; frame++)
    lead(world, -0.1, 0.1);
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect(stats.squeezed == 0 && stats.penetrations == 0);
  cr_expect_eq(stats.forced_intersections, forced_count, "counted since the beginning");
  msd_penetration first;
  cr_expect(msd_world_get_first_forced_intersection(world, &first));
  msd_destroy_world(world);
}

/* At up to 6 m/s, 2.5 mm a substep. */
Test(penetrations, what_is_led_carries_free_surfaces_along_and_pinches_none) {
  static const int32_t triangles[] = {0, 1, 2, 3, 4, 5};
  for (double speed = 0.1; speed < 10; speed *= 8) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_triangle(world, 0, 0.5, true);
    add_triangle(world, 0.02, 0.3, false);
    for (int32_t i = 3; i < 6; i++)
      set_velocity(world, i, 0, -speed, 0);
    for (int frame = 1; frame <= 20; frame++) {
      for (int32_t i = 0; i < 3; i++) {
        msd_vec3 to = msd_particle_get_position(world, i);
        to.y = (msd_real)(frame * FRAME * speed);
        ok(world, msd_particle_move_to(world, i, to));
      }
      ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
      cr_assert_eq(count_intersections(world, triangles, 2, NULL, 0), 0, "frame %d at %g m/s", frame, speed);
    }
    cr_expect_eq(msd_world_get_stats(world).forced_intersections, 0, "%g m/s", speed);
    cr_expect_gt(msd_particle_get_position(world, 3).y, msd_particle_get_position(world, 0).y);
    msd_destroy_world(world);
  }
}

/* By 1e8 times its weight, until nothing is left between them that rounding resolves. */
Test(penetrations, what_is_pressed_onto_pins_that_stand_is_not_pinched) {
  static const int32_t triangles[] = {0, 1, 2, 3, 4, 5};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_triangle(world, 0, 0.5, true);
  add_triangle(world, 0.02, 0.3, false);
  for (int frame = 0; frame < 60; frame++) {
    for (int32_t i = 3; i < 6; i++)
      ok(world, msd_particle_apply_force(world, i, (msd_vec3){3, (msd_real)-1e8, 2}));
    ok(world, msd_world_step(world, (msd_real)FRAME, SUBSTEPS));
  }
  cr_expect_eq(msd_world_get_stats(world).forced_intersections, 0);
  cr_expect_eq(count_intersections(world, triangles, 2, NULL, 0), 0);
  msd_destroy_world(world);
}

/* A substep leads it by less than half a unit of rounding, so that it arrives all at once, by more than is left
   before it. */
Test(penetrations, what_is_led_by_less_than_rounding_is_seen_to_arrive) {
  const double height = sizeof(msd_real) == sizeof(double) ? 5e10 : 100, unit = ldexp(1, -17);
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_contact_settings soft = msd_default_contact_settings();
  soft.relaxation = (msd_real)0.999;
  ok(world, msd_world_set_contact_settings(world, &soft));
  add_triangle(world, height, 0.5, true);
  add_triangle(world, height + 0.02, 0.3, false);
  for (int frame = 0; frame < 60; frame++) {
    for (int32_t i = 3; i < 6; i++)
      ok(world, msd_particle_apply_force(world, i, (msd_vec3){0, (msd_real)-1e8, 0}));
    for (int32_t i = 0; i < 3 && frame > 10; i++) {
      msd_vec3 to = msd_particle_get_position(world, i);
      to.y += (msd_real)(48 * unit);
      ok(world, msd_particle_move_to(world, i, to));
    }
    ok(world, msd_world_step(world, (msd_real)FRAME, 100));
    for (int32_t i = 3; i < 6; i++)
      cr_assert_gt(msd_particle_get_position(world, i).y, msd_particle_get_position(world, 0).y, "frame %d",
                   frame);
  }
  cr_expect_eq(msd_world_get_stats(world).forced_intersections, 0);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------------- snapshots */

Test(penetrations, a_world_with_penetrations_goes_on_from_a_snapshot_with_the_same_bits) {
  msd_world *world = rolling_mill(1);
  add_segment(world, 0, -0.4, 0.4, 0);
  for (int32_t i = 9; i < 11; i++)
    set_velocity(world, i, 0, 3, 0);
  lead(world, -0.03, 0.03);
  lead(world, 0.01, -0.01);
  const snapshot s = snapshot_of(world);
  cr_assert_leq(s.size, msd_world_get_save_bound(world));
  msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
  ok(other, msd_world_restore(other, s.data, s.size));
  msd_penetration a[64], b[64];
  for (int frame = 0; frame < 12; frame++) {
    const int32_t count = msd_world_get_penetrations(world, a, 64);
    cr_assert(count <= 64 && msd_world_get_penetrations(other, b, 64) == count);
    for (int32_t n = 0; n < count; n++)
      cr_assert(memcmp(a[n].particles, b[n].particles, sizeof a[n].particles) == 0 &&
                a[n].is_forced == b[n].is_forced && a[n].mesh_a == b[n].mesh_a && a[n].mesh_b == b[n].mesh_b);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(other), "frame %d", frame);
    const msd_stats one = msd_world_get_stats(world), two = msd_world_get_stats(other);
    cr_assert(one.forced_intersections == two.forced_intersections && one.penetrations == two.penetrations);
    lead(world, -0.02 * frame, 0.02 * frame);
    lead(other, -0.02 * frame, 0.02 * frame);
  }
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* ------------------------------------------------------------------------------------------------- memory */

/* Whether the set was found and looked at again, and a pair forced count, with so many requests for memory. */
static bool live(const msd_world *world, int requests) {
  scarce s = {.left = requests};
  memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
  penetrations t = {0};
  const particle_store *p = &world->model.particles;
  const penetrating_bodies bodies = {&world->model.surfaces, p, &world->model.springs, (msd_real)THICKNESS};
  const penetrating_places places = {particle_state(p), p->stride, NULL, 1};
  const int32_t slots[] = {0, 3, 4, 5};
  bool done = penetrations_place(&t, &m, &bodies) && penetrations_find(&t, &m, &places) &&
              penetrations_make_room(&t, &m, 1);
  if (done)
    penetrations_add_forced(&t, PAIR_POINT_TRIANGLE, slots);
  done = done && penetrations_update(&t, &m, &places);
  cr_expect(!done || (t.count > 0 && t.crossings > 0 && t.forced_count == 1));
  penetrations_free(&t, &m);
  cr_expect(s.in_use == 0 && m.used == 0, "%d requests", requests);
  return done;
}

Test(penetrations, memory_may_run_out_at_any_request) {
  enum { TRIANGLES = 40 };
  generator random = {.state = 7};
  int32_t corners[3 * TRIANGLES];
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_soup(world, &random, TRIANGLES, corners);
  int requests = 0;
  while (!live(world, requests))
    requests++;
  cr_expect_gt(requests, 8);
  msd_destroy_world(world);
}

/* Small free triangles between two that are led onto each other, of a world whose memory may run out. */
static msd_world *crowded_mill(scarce *supply) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.allocator = scarce_allocator(supply);
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  add_triangle(world, -0.01, 0.5, true);
  add_triangle(world, 0.01, 0.5, true);
  for (int n = 0; n < 16; n++) {
    const double x = 0.06 * (n % 4) - 0.09, z = 0.06 * (n / 4) - 0.25;
    const int32_t a = add_particle(world, 0.1, x, 0, z), b = add_particle(world, 0.1, x + 0.04, 0, z),
                  c = add_particle(world, 0.1, x, 0, z + 0.04), corners[3] = {a, b, c};
    add_surface(world, corners, 1, NULL, 0);
  }
  return world;
}

/* Takes one substep in which both are led to that height. */
static msd_result press(msd_world *world, double height) {
  for (int32_t i = 0; i < 2 * PLATE; i++) {
    msd_vec3 to = msd_particle_get_position(world, i);
    to.y = (msd_real)(i < PLATE ? -height : height);
    ok(world, msd_particle_move_to(world, i, to));
  }
  return msd_world_step(world, (msd_real)(FRAME / SUBSTEPS), 1);
}

Test(penetrations, a_substep_that_has_no_memory_for_all_that_it_pinches_pinches_none) {
  msd_result result = MSD_OUT_OF_MEMORY;
  int requests = 0;
  for (; result == MSD_OUT_OF_MEMORY; requests += in_part ? 4 : 1) {
    scarce supply = {.left = INT32_MAX};
    msd_world *world = crowded_mill(&supply);
    cr_assert_eq(press(world, 0.009), MSD_OK);
    supply.left = requests;
    const uint64_t hash = msd_world_hash(world);
    result = press(world, -0.001);
    const msd_stats stats = msd_world_get_stats(world);
    if (result == MSD_OUT_OF_MEMORY)
      cr_assert(msd_world_hash(world) == hash && stats.forced_intersections == 0 && stats.penetrations == 0,
                "%lld forced count after %d requests", (long long)stats.forced_intersections, requests);
    else
      cr_assert_gt(stats.forced_intersections, 16);
    msd_destroy_world(world);
  }
  cr_assert_eq(result, MSD_OK);
  cr_expect_gt(requests, 3);
}

/* A collider more, out of reach, makes places for penetrations anew. */
Test(penetrations, what_is_forced_stays_so_behind_a_step_that_has_no_memory_to_begin) {
  msd_result result = MSD_OUT_OF_MEMORY;
  uint64_t hash = 0;
  int requests = 0;
  for (bool control = true; control || result == MSD_OUT_OF_MEMORY; control = false) {
    scarce supply = {.left = INT32_MAX};
    msd_world *world = crowded_mill(&supply);
    cr_assert_eq(press(world, 0.009), MSD_OK);
    cr_assert_eq(press(world, -0.001), MSD_OK);
    const int32_t forced_count = msd_world_get_stats(world).squeezed;
    cr_assert_gt(forced_count, 0);
    msd_collider_def plane = msd_default_collider_def();
    plane.position.y = -10;
    ok(world, msd_add_colliders(world, &plane, 1, NULL));
    supply.left = control ? INT32_MAX : requests;
    requests += control ? 0 : in_part ? 4 : 1;
    result = msd_world_step(world, (msd_real)(FRAME / SUBSTEPS), 1);
    supply.left = INT32_MAX;
    cr_assert(!control || result == MSD_OK);
    result = control ? MSD_OUT_OF_MEMORY : result;
    if (!control && result == MSD_OUT_OF_MEMORY) {
      cr_assert_eq(msd_world_get_stats(world).squeezed, forced_count, "after %d requests", requests);
      ok(world, msd_world_step(world, (msd_real)(FRAME / SUBSTEPS), 1));
    }
    hash = control ? msd_world_hash(world) : hash;
    cr_assert_eq(msd_world_get_stats(world).squeezed, forced_count, "after %d requests", requests);
    cr_assert_eq(msd_world_hash(world), hash, "after %d requests", requests);
    msd_destroy_world(world);
  }
  cr_expect_gt(requests, 3);
}

Test(penetrations, are_none_without_a_world) {
  msd_penetration t;
  cr_expect_eq(msd_world_get_penetrations(NULL, &t, 1), 0);
  cr_expect_not(msd_world_get_first_forced_intersection(NULL, &t));
}

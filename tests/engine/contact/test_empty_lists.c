/* Behind an empty list nobody is watched until somebody leaves it and so comes near something. Where those
   beside it are then is known in the world that went on as in one that was restored. */
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include "engine/world/world.h"

/* s, of one substep each. */
static const double STEP = 1.0 / 960;

/* Particles apart from all: a list of few is not mended. */
enum { IDLE = 6000 };

/* A vertex and its neighbors, the first of which has the first edge of it; the ends of the edge below it; and
   two edges that part at first. */
enum { VERTEX, FIRST, SECOND, BELOW, PARTING = BELOW + 2, COUNT = PARTING + 4 };

static void add_rope(touching *t, const int32_t *ends, int32_t segments) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.segments = ends;
  def.segment_count = segments;
  touching_add(t, def);
}

/* The edge is 9 mm below the vertex, so that nothing is near with the skins of a list of those at rest; and far
   above the origin. The neighbors lead away from it. */
static touching apart(double origin) {
  static const double at[COUNT][3] = {{0, 0, 0},       {-0.1, 0.05, 0}, {0.1, 0.05, 0},
                                      {0, -0.009, -1}, {0, -0.009, 1},  {5, 0, 0},
                                      {5.1, 0, 0},     {5, 0.006, 0},   {5.1, 0.006, 0}};
  touching t = contact_step_new(vector(0, 0, 0), 0.3, 0);
  for (int n = 0; n < COUNT; n++)
    add_particle(t.world, 1, origin + at[n][0], origin + at[n][1], origin + at[n][2]);
  for (int n = 0; n < IDLE; n++)
    add_particle(t.world, 1, 20, n, 0);
  add_rope(&t, (const int32_t[]){VERTEX, FIRST, VERTEX, SECOND}, 2);
  add_rope(&t, (const int32_t[]){BELOW, BELOW + 1}, 1);
  add_rope(&t, (const int32_t[]){PARTING, PARTING + 1}, 1);
  add_rope(&t, (const int32_t[]){PARTING + 2, PARTING + 3}, 1);
  throw_all(t.world, PARTING + 2, 2, vector(0, 0.5, 0));
  return t;
}

/* By a force: an edit of velocities would forget the list. */
static void hurl(msd_world *world, int32_t particle, msd_vec3 change) {
  const msd_real per = (msd_real)(1 / STEP);
  ok(world,
     msd_particle_apply_force(world, particle, (msd_vec3){change.x * per, change.y * per, change.z * per}));
}

static void take_step(msd_world *world) {
  step(world, STEP, 1);
}

static bool has_empty_list(const msd_world *world) {
  return world->stepper.self.cache.list.holds && world->stepper.self.search.list.count == 0;
}

/* Some substeps from the beginning of an empty list. */
static void find_empty_list(msd_world *world) {
  const contact_cache *cache = &world->stepper.self.cache;
  for (int n = 0; n < 100 && !(has_empty_list(world) && cache->list.age < 1.5 * STEP); n++)
    take_step(world);
  cr_assert(has_empty_list(world));
}

enum { STEPS = 12, FASTER = 2 };

/* The vertex comes down aslant, its neighbor leaves the list, and then the vertex does. */
static void take_step_of_course(msd_world *world, int n) {
  if (n == 0) {
    hurl(world, VERTEX, vector(0.2, -0.5, 0.1));
    hurl(world, FIRST, vector(0, 4, 0));
  } else if (n == FASTER)
    hurl(world, VERTEX, vector(0, -4, 0));
  take_step(world);
}

static msd_world *restored_from(const msd_world *world) {
  const snapshot s = snapshot_of(world);
  msd_world *restored = new_world(MSD_SYMPLECTIC_EULER);
  ok(restored, msd_world_restore(restored, s.data, s.size));
  free(s.data);
  return restored;
}

/* The world has listed something before, and those that are restored have not. */
static void expect_same_from_snapshots(double origin) {
  touching t = apart(origin);
  take_step(t.world);
  cr_assert(!has_empty_list(t.world));
  find_empty_list(t.world);
  msd_world *restored[STEPS];
  int mended = 0, pushed = 0;
  for (int n = 0; n < STEPS; n++) {
    restored[n] = restored_from(t.world);
    take_step_of_course(t.world, n);
    for (int from = 0; from <= n; from++) {
      take_step_of_course(restored[from], n);
      cr_assert_eq(msd_world_hash(restored[from]), msd_world_hash(t.world), "before step %d, behind step %d",
                   from, n);
    }
    mended += t.world->stepper.self.cache.of_list > 0 && t.world->stepper.self.cache.batches_before == 0;
    pushed += msd_world_get_mesh_contacts(t.world, NULL, 0) > 0;
  }
  cr_assert(mended > 0 && pushed > 0, "%d, %d", mended, pushed);
  for (int n = 0; n < STEPS; n++)
    msd_destroy_world(restored[n]);
  contact_step_free(&t);
}

Test(empty_lists, whoever_meets_behind_one_goes_on_with_the_same_bits_from_any_snapshot) {
  expect_same_from_snapshots(1);
  expect_same_from_snapshots(-1);
}

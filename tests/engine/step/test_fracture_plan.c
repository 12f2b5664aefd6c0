/* Which part of a particle gets what, where its surface is a fan around it. */
#include "tests/support/laboratory.h"

#include "engine/step/fracture_plan.h"
#include "engine/world/world.h"

enum { SPOKES = 8 };

/* A particle amid a ring of others, with a spring to each; `height` lifts every second. */
static msd_world *fan(double height) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  int32_t corners[3 * SPOKES];
  add_particle(world, 1, 0, 0, 0);
  for (int i = 0; i < SPOKES; i++)
    add_particle(world, 1, cos(2 * PI * i / SPOKES), sin(2 * PI * i / SPOKES), i % 2 ? height : 0);
  for (int i = 0; i < SPOKES; i++) {
    add_spring(world, physical(100, 0), 0, 1 + i, -1);
    const int32_t triangle[] = {0, 1 + i, 1 + (i + 1) % SPOKES};
    memcpy(corners + 3 * (size_t)i, triangle, sizeof triangle);
  }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = corners;
  surface.triangle_count = SPOKES;
  ok(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  return world;
}

typedef struct bench {
  cutter w;
  uint8_t marks[SPOKES + 4];
  bool goes[SPOKES + 1];
} bench;

static void open_bench(bench *b, msd_world *world) {
  *b = (bench){.w = {.model = &world->model, .substep = 0.001}};
  b->w.marks = b->marks;
  b->w.goes = b->goes;
  cr_assert(one_ring_find(&b->w.around, &world->model.memory, &world->model));
}

static void close_bench(bench *b, msd_world *world) {
  one_ring_free(&b->w.around, &world->model.memory);
  msd_destroy_world(world);
}

Test(cut, takes_the_half_of_a_fan_that_is_towards_the_spring) {
  for (int towards = 0; towards < SPOKES; towards++) {
    msd_world *world = fan(0.125);
    bench b;
    cut c;
    open_bench(&b, world);
    cr_assert(cut_make(&b.w, &c, 0, 1 + towards));
    int both = 0, goes = 0;
    for (int i = 0; i < SPOKES; i++) {
      const cut_fate fate = cut_spring(&b.w, &c, i);
      both += fate == CUT_BOTH;
      goes += fate == CUT_GOES;
    }
    cr_expect(both == 2 && goes == 3, "%d both, %d go", both, goes);
    cr_expect_eq(cut_spring(&b.w, &c, towards), CUT_GOES);
    cr_expect_float_eq(c.share, 0.5, 1e-9, "as many rows on both sides");
    cr_expect_not(cut_intersects(&b.w, &c));
    cut_unmark(&b.w, &c, 0);
    for (int i = 0; i <= SPOKES; i++)
      cr_expect_eq(b.marks[i], 0);
    close_bench(&b, world);
  }
}

Test(cut, leaves_what_is_held_alone) {
  msd_world *world = fan(0);
  bench b;
  cut c;
  open_bench(&b, world);
  b.marks[0] = MARK_IS_HELD;
  cr_expect_not(cut_make(&b.w, &c, 0, 1));
  cr_expect_not(cut_make(&b.w, &c, 1, 0), "all of the surface at the border is towards the middle");
  close_bench(&b, world);
}

Test(cut, sees_what_intersects_around_the_parts) {
  for (int ignored = 0; ignored < 2; ignored++) {
    msd_world *world = fan(0);
    static const int32_t corners[] = {SPOKES + 1, SPOKES + 2, SPOKES + 3};
    for (int i = 0; i < 3; i++)
      add_particle(world, 1, 0.25, i == 2 ? 0.25 : 0.125, i - 0.5);
    msd_collision_mesh_def surface = msd_default_collision_mesh_def();
    surface.triangles = corners;
    surface.triangle_count = 1;
    ok(world, msd_add_collision_meshes(world, &surface, 1, NULL));
    if (ignored)
      ok(world, msd_collision_mesh_exclude(world, 0, 1));
    bench b;
    cut c;
    open_bench(&b, world);
    cr_assert(cut_make(&b.w, &c, 0, 1));
    cr_expect_eq(cut_intersects(&b.w, &c), !ignored);
    close_bench(&b, world);
  }
}

/* What is promised of every scene that ships: it can be taken up again from a snapshot at any time, and from a
   snapshot of the world that was restored from one. */
#include "scenes/loader/scene.h"
#include "tests/support/snapshots.h"

#include <string.h>

/* A part of a frame: as many substeps as are certified, which are some hundreds for the stiffest. */
static void step(msd_world *world, const char *scene_name) {
  cr_assert_eq(msd_world_step(world, (msd_real)(1.0 / 600), 0), MSD_OK, "%s: %s", scene_name,
               msd_world_message(world));
}

/* A new world of default settings, restored from the snapshot, which is then freed. */
static msd_world *restored_from(snapshot s, const char *scene_name) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  cr_assert_eq(msd_world_restore(world, s.data, s.size), MSD_OK, "%s: %s", scene_name,
               msd_world_message(world));
  free(s.data);
  return world;
}

/* The snapshot of the world, which a world restored from it gives again. */
static snapshot lasting_snapshot(const msd_world *world, const char *scene_name) {
  const snapshot first = snapshot_of(world);
  cr_assert_leq(first.size, msd_world_get_save_bound(world), "%s", scene_name);
  snapshot copy = {malloc(first.size), first.size};
  cr_assert_not_null(copy.data);
  memcpy(copy.data, first.data, first.size);
  msd_world *restored = restored_from(copy, scene_name);
  const snapshot second = snapshot_of(restored);
  cr_assert(first.size == second.size && memcmp(first.data, second.data, first.size) == 0,
            "%s: saved, restored and saved before its next step it is another", scene_name);
  msd_destroy_world(restored);
  free(first.data);
  return second;
}

static void check_scene(const scene *s) {
  for (int steps = 0; steps < 3; steps++) {
    msd_world *restored = restored_from(lasting_snapshot(s->world, s->name), s->name);
    step(restored, s->name);
    step(s->world, s->name);
    cr_assert_eq(msd_world_hash(restored), msd_world_hash(s->world), "%s: after %d steps", s->name, steps);
    msd_destroy_world(restored);
  }
}

Test(snapshot_scenes, every_scene_goes_on_alike_from_a_snapshot_of_a_restored_world) {
  scene_error error;
  int count;
  scene_listing *list = scene_list(&count, &error);
  cr_assert_not_null(list, "%s", error.text);
  cr_assert_geq(count, 12);
  for (int i = 0; i < count; i++) {
    scene *s = scene_load(list[i].path, &error);
    cr_assert_not_null(s, "%s", error.text);
    check_scene(s);
    scene_free(s);
  }
  scene_list_free(list, count);
}

/* Scene files: whatever loads takes four frames, is saved and restored, and steps on alike. */
#include "scenes/loader/scene.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* Meshes that a scene may name. */
static const char CUBE[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
static const char NODES[] = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
static const char ELEMENTS[] = "1 4 0\n0 0 1 2 3\n";

/* More would only be slow: what is large is tried by the tests. What touches is looked for as far as it goes in
   a substep, and these are long. */
enum { PARTICLES_MAX = 3000, TOUCHING_MAX = 250, SPRINGS_MAX = 20000, SUBSTEPS = 2, FRAMES = 4 };

static bool is_small(const msd_world *world) {
  const int32_t most = msd_world_get_collision_mesh_count(world) > 0 ? TOUCHING_MAX : PARTICLES_MAX;
  return msd_world_get_particle_count(world) <= most && msd_world_get_spring_count(world) <= SPRINGS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_enter_folder();
  fuzz_write_file("cube.obj", (const uint8_t *)CUBE, strlen(CUBE));
  fuzz_write_file("tet.node", (const uint8_t *)NODES, strlen(NODES));
  fuzz_write_file("tet.ele", (const uint8_t *)ELEMENTS, strlen(ELEMENTS));
  fuzz_write_file("scene.json", bytes, size);
  scene_error error = {""};
  scene *s = scene_load("./scene.json", &error);
  if (!s) {
    EXPECT(error.text[0] != '\0' && !strchr(error.text, '\n'));
    return 0;
  }
  if (is_small(s->world)) {
    EXPECT(msd_world_set_thread_count(s->world, 1) == MSD_OK);
    for (int frame = 0; frame < FRAMES; frame++)
      scene_step(s, s->frame_time, SUBSTEPS);
    fuzz_expect_finite(s->world);
    fuzz_expect_round_trip(s->world, (msd_real)s->frame_time, SUBSTEPS);
  }
  scene_free(s);
  return 0;
}

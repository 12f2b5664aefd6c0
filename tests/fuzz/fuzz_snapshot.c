/* Snapshots that were damaged by somebody who can count: magic, size and checksum are mended, so that
   everything behind them is looked at. What is restored steps, and is saved and restored again. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/forged_snapshot.h"

#include <string.h>
#include <sys/stat.h>

enum { SIZE_AT = 32, HEADER = 40, SIZE_MOST = 1 << 16 };

static void mend(uint8_t *bytes, uint64_t size) {
  memcpy(bytes, "MSDSNAP", 8);
  memcpy(bytes + SIZE_AT, &size, sizeof size);
  sign_snapshot(bytes, (size_t)size);
}

static void save_seed(msd_world *world, const char *folder, const char *name) {
  size_t size = 0;
  EXPECT(msd_world_step(world, (msd_real)(1 / 64.0), 2) == MSD_OK);
  EXPECT(msd_world_save(world, NULL, 0, &size) == MSD_OK);
  uint8_t *bytes = malloc(size);
  EXPECT(bytes && msd_world_save(world, bytes, size, &size) == MSD_OK);
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  fuzz_write_file(path, bytes, size);
  free(bytes);
  msd_destroy_world(world);
}

static void save_cloth(const char *folder, const char *name, msd_integrator integrator) {
  msd_world *world = fuzz_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = 5;
  cloth.rows = 4;
  cloth.bend = cloth.stretch;
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  msd_body body;
  EXPECT(msd_world_set_integrator(world, integrator) == MSD_OK);
  EXPECT(msd_world_set_impulse_warm_start(world, true) == MSD_OK);
  EXPECT(msd_add_cloth(world, &cloth, &body) == MSD_OK && msd_particle_pin(world, 0) == MSD_OK);
  msd_tethers_def tethers = msd_default_tethers_def();
  tethers.particles = body.particles;
  EXPECT(msd_add_tethers(world, &tethers, NULL) == MSD_OK && msd_spring_break(world, 3) == MSD_OK);
  EXPECT(msd_particle_move_to(world, 0, (msd_vec3){0, 1, 0}) == MSD_OK);
  save_seed(world, folder, name);
}

static void save_rotors(const char *folder) {
  msd_world *world = fuzz_world();
  const msd_rotor_def rotors[2] = {msd_default_rotor_def(), msd_default_rotor_def()};
  msd_torsion_spring_def spring = msd_default_torsion_spring_def();
  spring.a = 0, spring.b = 1;
  spring.stiffness = 1;
  msd_particle_def particle = msd_default_particle_def();
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 0;
  EXPECT(msd_add_rotors(world, rotors, 2, NULL) == MSD_OK);
  EXPECT(msd_add_torsion_springs(world, &spring, 1, NULL) == MSD_OK);
  EXPECT(msd_add_particles(world, &particle, 1, NULL) == MSD_OK);
  EXPECT(msd_add_soft_pins(world, &soft_pin, 1, NULL) == MSD_OK);
  save_seed(world, folder, "rotors");
}

/* One of each kind, of which one is on its way. */
static void save_colliders(const char *folder) {
  msd_world *world = fuzz_world();
  msd_particle_def particle = msd_default_particle_def();
  EXPECT(msd_add_particles(world, &particle, 1, NULL) == MSD_OK);
  for (int kind = 0; kind < MSD_COLLIDER_KIND_COUNT; kind++) {
    msd_collider_def def = msd_default_collider_def();
    def.kind = (msd_collider_kind)kind;
    EXPECT(msd_add_colliders(world, &def, 1, NULL) == MSD_OK);
  }
  const msd_quaternion turn = msd_quaternion_from_degrees((msd_vec3){0, 30, 0});
  EXPECT(msd_collider_move_to(world, 1, (msd_vec3){0, 1, 0}, turn) == MSD_OK);
  save_seed(world, folder, "colliders");
}

/* Two cloths that go through each other, and a rope that one of them ignores. */
static void save_surfaces(const char *folder) {
  msd_world *world = fuzz_world();
  for (int n = 0; n < 2; n++) {
    msd_cloth_def cloth = msd_default_cloth_def();
    cloth.columns = 3;
    cloth.rows = 2;
    cloth.origin.z = -(msd_real)n / 2;
    cloth.v = n == 0 ? cloth.v : (msd_vec3){0, 0, 1};
    EXPECT(msd_add_cloth(world, &cloth, NULL) == MSD_OK);
  }
  const msd_rope_def rope = msd_default_rope_def();
  EXPECT(msd_add_rope(world, &rope, NULL) == MSD_OK);
  static const int32_t corners[] = {0, 1, 3, 4, 3, 1, 6, 7, 9, 10, 9, 7}, segments[] = {12, 13};
  msd_collision_mesh_def defs[3] = {msd_default_collision_mesh_def(), msd_default_collision_mesh_def(),
                                    msd_default_collision_mesh_def()};
  defs[0].triangles = corners, defs[0].triangle_count = 2;
  defs[1].triangles = corners + 6, defs[1].triangle_count = 2;
  defs[1].thickness = (msd_real)0.25, defs[1].friction = (msd_real)0.5;
  defs[2].segments = segments, defs[2].segment_count = 1;
  EXPECT(msd_add_collision_meshes(world, defs, 3, NULL) == MSD_OK &&
         msd_collision_mesh_exclude(world, 0, 2) == MSD_OK);
  save_seed(world, folder, "surfaces");
}

/* Three ropes, of which the first two fall asleep in a step, and the last waits for another. */
static void save_sleepers(const char *folder) {
  msd_world *world = fuzz_world();
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = 1000;
  sleep.delay = (msd_real)(1 / 64.0);
  EXPECT(msd_world_set_sleep(world, &sleep) == MSD_OK);
  for (int n = 0; n < 3; n++) {
    msd_rope_def rope = msd_default_rope_def();
    rope.particles = 3;
    rope.from.z = rope.to.z = (msd_real)n / 16;
    EXPECT(msd_add_rope(world, &rope, NULL) == MSD_OK);
  }
  static const int32_t segments[] = {0, 1, 3, 4};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.segments = segments;
  surface.segment_count = 2;
  surface.thickness = (msd_real)0.125;
  EXPECT(msd_add_collision_meshes(world, &surface, 1, NULL) == MSD_OK);
  EXPECT(msd_particle_set_velocity(world, 6, (msd_vec3){0, 2000, 0}) == MSD_OK);
  save_seed(world, folder, "sleepers");
}

/* Snapshots of the present format to begin with, in the first corpus that is named. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *folder = NULL;
  for (int n = 1; n < *argc && !folder; n++)
    if ((*argv)[n][0] != '-')
      folder = (*argv)[n];
  struct stat kind;
  if (!folder || stat(folder, &kind) != 0 || !S_ISDIR(kind.st_mode))
    return 0;
  save_cloth(folder, "cloth", MSD_SYMPLECTIC_EULER);
  save_cloth(folder, "impulses", MSD_SEQUENTIAL_IMPULSE);
  save_rotors(folder);
  save_colliders(folder);
  save_surfaces(folder);
  save_sleepers(folder);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
  if (size < HEADER || size > SIZE_MOST)
    return 0;
  uint8_t *bytes = malloc(size);
  EXPECT(bytes);
  memcpy(bytes, input, size);
  mend(bytes, size);
  msd_world *world = fuzz_world();
  const uint64_t before = msd_world_hash(world);
  if (msd_world_restore(world, bytes, size) == MSD_OK) {
    fuzz_expect_finite(world);
    msd_world_step(world, (msd_real)(1 / 64.0), 3);
    fuzz_expect_finite(world);
    fuzz_expect_round_trip(world, (msd_real)(1 / 64.0), 2);
    msd_stability stability;
    msd_world_analyze_stability(world, (msd_real)(1 / 64.0), &stability);
  } else {
    EXPECT(msd_world_hash(world) == before && msd_world_message(world)[0] != '\0');
  }
  msd_destroy_world(world);
  free(bytes);
  return 0;
}

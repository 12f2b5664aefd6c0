/* Compares the hashes of wasm with bench/golden.csv, without and with vectors. */
#include "bench/golden.h"
#include "bench/networks.h"

#include <emscripten.h>

#include <inttypes.h>
#include <stdio.h>

static const struct {
  const char *name;
  networks_kind kind;
  int32_t size;
} cases[] = {{"cloth 32x32", NETWORKS_CLOTH, 32},          {"cloth 100x100", NETWORKS_CLOTH, 100},
             {"cloth 316x316", NETWORKS_CLOTH, 316},       {"ropes 1000x100", NETWORKS_ROPES, 1000},
             {"triangles 1e4", NETWORKS_TRIANGLES, 10000}, {"tetrahedra 1e4", NETWORKS_TETRAHEDRA, 10000}};

static msd_world *make(int c, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.simd = simd;
  msd_world *world = NULL;
  if (msd_create_world(&def, &world) == MSD_OK && networks_add(world, cases[c].kind, cases[c].size) == MSD_OK)
    return world;
  msd_destroy_world(world);
  return NULL;
}

/* Returns the number of states that differ from the golden ones, and prints one line for each. */
int check_golden(void) {
  int wrong = 0;
  for (int c = 0; c < (int)(sizeof cases / sizeof *cases); c++) {
    const golden_hash *golden = golden_find(cases[c].name);
    for (msd_simd simd = MSD_SIMD_SCALAR; simd <= MSD_SIMD_128; simd++) {
      msd_world *world = make(c, simd);
      uint64_t hash = 0;
      if (world != NULL && golden != NULL &&
          msd_world_step(world, NETWORKS_TIME_STEP * (msd_real)golden->substeps, golden->substeps) == MSD_OK)
        hash = msd_world_hash(world);
      const int is_right = golden != NULL && hash == golden->hash;
      wrong += !is_right;
      printf("%s, %s: %016" PRIx64 " %s\n", cases[c].name, simd == MSD_SIMD_SCALAR ? "scalar" : "128 bits",
             hash, is_right ? "golden" : "WRONG");
      msd_destroy_world(world);
    }
  }
  return wrong;
}

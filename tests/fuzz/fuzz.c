#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/msd-fuzz-XXXXXX";

static void leave_folder(void) {
  char command[sizeof folder + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0)
    fprintf(stderr, "%s is left behind\n", folder);
}

void fuzz_enter_folder(void) {
  static bool entered;
  if (entered)
    return;
  entered = true;
  EXPECT(mkdtemp(folder) && chdir(folder) == 0);
  atexit(leave_folder);
}

void fuzz_write_file(const char *name, const uint8_t *bytes, size_t size) {
  FILE *file = fopen(name, "wb");
  EXPECT(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

uint8_t fuzz_byte(fuzz_input *in) {
  return in->at < in->size ? in->bytes[in->at++] : 0;
}

uint32_t fuzz_word(fuzz_input *in) {
  uint32_t word = 0;
  for (int n = 0; n < 4; n++)
    word = word << 8 | fuzz_byte(in);
  return word;
}

int32_t fuzz_index(fuzz_input *in, int32_t count) {
  const uint8_t byte = fuzz_byte(in);
  if (byte == 255)
    return (int32_t)fuzz_word(in);
  return count > 0 ? byte % count : byte;
}

double fuzz_number(fuzz_input *in) {
  static const double odd[] = {0,    -0.0,  NAN,       INFINITY, -INFINITY,    1e-45, 1e-38,
                               3e38, -3e38, 1e300,     1e-300,   1e-6,         1e6,   -1,
                               1e20, 1e-20, 0x1p-1074, 0x1p-149, 2147483648.0, 1e10,  1e-10};
  const uint8_t byte = fuzz_byte(in);
  if (byte >= 240)
    return odd[fuzz_byte(in) % (sizeof odd / sizeof *odd)];
  return byte >= 200 ? (double)(int32_t)fuzz_word(in) / 65536 : (double)byte / 16;
}

msd_vec3 fuzz_vector(fuzz_input *in) {
  const msd_real x = (msd_real)fuzz_number(in), y = (msd_real)fuzz_number(in);
  return (msd_vec3){x, y, (msd_real)fuzz_number(in)};
}

static bool is_finite(msd_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

void fuzz_expect_finite(const msd_world *world) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    EXPECT(is_finite(msd_particle_get_position(world, i)) && is_finite(msd_particle_get_velocity(world, i)));
  for (int32_t i = 0; i < msd_world_get_rotor_count(world); i++)
    EXPECT(isfinite(msd_rotor_get_angle(world, i)) && isfinite(msd_rotor_get_angular_velocity(world, i)));
}

msd_world *fuzz_world(void) {
  msd_world_def def = msd_default_world_def();
  def.memory_limit = (size_t)256 << 20;
  def.thread_count = 1;
  msd_world *world;
  EXPECT(msd_create_world(&def, &world) == MSD_OK);
  return world;
}

/* Of the memory of its own allocator. */
static bool ran_out(msd_result result) {
  return result == MSD_TOO_LARGE || result == MSD_OUT_OF_MEMORY;
}

void fuzz_expect_round_trip(msd_world *world, msd_real frame_time, int substeps) {
  size_t size = 0, again = 0;
  if (msd_world_save(world, NULL, 0, &size) != MSD_OK)
    return;
  void *bytes = malloc(size);
  msd_world *twin = fuzz_world();
  EXPECT(bytes && msd_world_save(world, bytes, size, &again) == MSD_OK && again == size);
  const msd_result restored = msd_world_restore(twin, bytes, size);
  if (restored != MSD_OK && !ran_out(restored))
    fprintf(stderr, "%s\n", msd_world_message(twin));
  EXPECT(restored == MSD_OK || ran_out(restored));
  if (restored == MSD_OK) {
    EXPECT(msd_world_hash(twin) == msd_world_hash(world));
    const msd_result one = msd_world_step(world, frame_time, substeps);
    const msd_result other = msd_world_step(twin, frame_time, substeps);
    EXPECT(one == other || ran_out(one) || ran_out(other));
    EXPECT(one != other || msd_world_hash(twin) == msd_world_hash(world));
  }
  msd_destroy_world(twin);
  free(bytes);
}

/* Calls that a program makes in its frames: many particles at once, states, sleep, wear, functions that a step
   calls, what is drawn, and worlds that are stepped together. */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

enum { SOME = 12, WORST_COMPONENTS = 4 };

static bool ran_out(msd_result result) {
  return result == MSD_OUT_OF_MEMORY || result == MSD_TOO_LARGE;
}

static msd_range read_range(fuzz_input *in, int32_t count) {
  const int32_t first = fuzz_index(in, count);
  return (msd_range){first, fuzz_byte(in) % SOME - 1};
}

/* Some as a list, in any order, or a range. */
static msd_particle_set read_particles(fuzz_input *in, const msd_world *world, int32_t list[SOME]) {
  const int32_t count = msd_world_get_particle_count(world);
  const int32_t some = fuzz_byte(in) % SOME;
  for (int n = 0; n < SOME; n++)
    list[n] = n < some ? fuzz_index(in, count) : 0;
  return fuzz_byte(in) % 2 ? msd_particle_set_of_list(list, some)
                           : msd_particle_set_of_range((msd_range){list[0], some});
}

/* ------------------------------------------------------------------------------------------ many at once */

static msd_result call_bulk(msd_world *world, fuzz_input *in) {
  double numbers[WORST_COMPONENTS * SOME], read[WORST_COMPONENTS * SOME];
  int32_t list[SOME];
  const msd_particle_set which = read_particles(in, world, list);
  const msd_attribute quantity = (msd_attribute)(fuzz_byte(in) % (MSD_ATTRIBUTE_COUNT + 1));
  const msd_memory_layout layout = {.number = MSD_SCALAR_DOUBLE};
  const bool sends_far = fuzz_byte(in) % 4 == 0;
  const uint64_t before = msd_world_hash(world);
  for (int n = 0; n < WORST_COMPONENTS * SOME; n++)
    numbers[n] = sends_far ? fuzz_number(in) : (double)fuzz_byte(in) / 64;
  const msd_result written = msd_world_write(world, which, quantity, layout, numbers);
  const msd_result result = msd_world_read(world, which, quantity, layout, read);
  EXPECT(written == MSD_OK || msd_world_hash(world) == before);
  EXPECT(written != MSD_OK || result == MSD_OK);
  return written;
}

/* ------------------------------------------------------------------------------------------------ states */

/* Behind a step nothing waits for the next one, and a state is all that the next one changes. */
static msd_result call_state(msd_world *world, fuzz_input *in) {
  const msd_real step = (msd_real)(fuzz_number(in) / 64);
  size_t size = 0;
  if (msd_world_step(world, step, 2) != MSD_OK || msd_world_save_state(world, NULL, 0, &size) != MSD_OK)
    return MSD_OK;
  unsigned char *bytes = malloc(size);
  EXPECT(bytes && msd_world_save_state(world, bytes, size, &size) == MSD_OK);
  const uint64_t before = msd_world_hash(world);
  const int32_t asleep = msd_world_get_stats(world).asleep;
  const msd_result one = msd_world_step(world, step, 2);
  const uint64_t hash = msd_world_hash(world);
  const msd_result restored = msd_world_restore_state(world, bytes, size);
  EXPECT(restored == MSD_OK || ran_out(restored));
  if (restored == MSD_OK) {
    EXPECT(msd_world_hash(world) == before && msd_world_get_stats(world).asleep == asleep);
    const msd_result other = msd_world_step(world, step, 2);
    EXPECT(ran_out(one) || ran_out(other) || (one == other && msd_world_hash(world) == hash));
  }
  free(bytes);
  return restored;
}

/* ------------------------------------------------------------------------------------------ sleep and wear */

/* At any speed below 1e6 m/s most of what there is falls asleep in a step. */
static msd_result call_sleep(msd_world *world, fuzz_input *in) {
  msd_sleep_def def = msd_default_sleep_def();
  const int32_t particle = fuzz_index(in, msd_world_get_particle_count(world));
  switch (fuzz_byte(in) % 6) {
  case 0:
    def.speed = (msd_real)fuzz_number(in);
    def.delay = (msd_real)fuzz_number(in);
    return msd_world_set_sleep(world, &def);
  case 1:
    def.speed = 0;
    return msd_world_set_sleep(world, &def);
  case 2:
    return msd_world_wake_all(world);
  case 3:
    if (msd_particle_wake(world, particle) == MSD_OK)
      EXPECT(!msd_particle_is_asleep(world, particle));
    return MSD_OK;
  default:
    def.speed = (msd_real)1e6;
    def.delay = (msd_real)1e-3;
    return msd_world_set_sleep(world, &def);
  }
}

static msd_result call_damage(msd_world *world, fuzz_input *in) {
  const msd_range springs = read_range(in, msd_world_get_spring_count(world));
  const msd_range constraints = read_range(in, msd_world_get_constraint_count(world));
  msd_damage_def def = msd_default_damage_def();
  const int which = fuzz_byte(in) % 4;
  def.tear_strain = which != 1 && fuzz_byte(in) % 2 ? (msd_real)fuzz_number(in) / 8 : 0;
  def.yield_strain = fuzz_byte(in) % 2 ? (msd_real)fuzz_number(in) / 8 : 0;
  def.max_plastic_strain = fuzz_byte(in) % 2 ? (msd_real)fuzz_number(in) / 8 : 0;
  def.split = fuzz_byte(in) % 2;
  switch (which) {
  case 1:
    return msd_constraints_set_damage(world, constraints, &def);
  case 2:
    return msd_springs_stiffen(world, springs, def.yield_strain, 1 + (msd_real)fuzz_number(in), NULL);
  case 3:
    return msd_springs_limit_stretch(world, springs, def.yield_strain, (msd_real)fuzz_byte(in) / 255, NULL);
  default:
    return msd_springs_set_damage(world, springs, &def);
  }
}

/* --------------------------------------------------------------------------------- functions of a program */

/* How often a step may be asked before it is to stop, and what it was told. */
typedef struct listener {
  msd_world *world;
  int until_stop, told;
} listener;

static bool is_enough(void *context) {
  listener *l = context;
  return --l->until_stop < 0;
}

static void look(const msd_world *world, const msd_substep_info *moment, void *context) {
  listener *l = context;
  EXPECT(world == l->world && moment->done >= 0 && moment->done <= moment->substeps);
  EXPECT(msd_world_step(l->world, (msd_real)0.01, 1) == MSD_LOCKED);
  EXPECT(msd_world_compact(l->world, NULL) == MSD_LOCKED);
  l->told++;
}

static void look_at_tear(const msd_world *world, int32_t spring, void *context) {
  listener *l = context;
  EXPECT(msd_spring_is_torn(world, spring));
  l->told++;
}

static void look_at_touch(const msd_world *world, const msd_contact_event *touch, void *context) {
  listener *l = context;
  EXPECT(touch->particle < msd_world_get_particle_count(world) && touch->mesh_a <= touch->mesh_b);
  EXPECT(touch->particle >= 0 ? touch->collider >= 0 && touch->mesh_a == -1
                              : touch->collider == -1 && touch->mesh_a >= 0);
  l->told++;
}

/* A step that is listened to has the bits of one that is not, as far as it gets. */
static msd_result call_callbacks(msd_world *world, fuzz_input *in) {
  listener l = {.world = world, .until_stop = fuzz_byte(in) % 8};
  const int which = fuzz_byte(in);
  const msd_callbacks callbacks = {.stop = which & 1 ? is_enough : NULL,
                                   .before_step = which & 2 ? look : NULL,
                                   .after_step = which & 4 ? look : NULL,
                                   .before_substep = which & 8 ? look : NULL,
                                   .after_substep = which & 16 ? look : NULL,
                                   .spring_torn = look_at_tear,
                                   .contact_begin = which & 32 ? look_at_touch : NULL,
                                   .contact_end = which & 64 ? look_at_touch : NULL,
                                   .context = &l};
  const msd_real step = (msd_real)(fuzz_number(in) / 64);
  msd_world *twin = NULL;
  if (msd_copy_world(world, &twin) != MSD_OK)
    return MSD_OK;
  msd_result result = msd_world_set_callbacks(world, &callbacks);
  if (result == MSD_OK)
    result = msd_world_step(world, step, 3);
  const msd_result other = msd_world_step(twin, step, 3);
  if (result != MSD_CANCELED && !ran_out(result) && !ran_out(other))
    EXPECT(result == other && msd_world_hash(world) == msd_world_hash(twin));
  EXPECT(msd_world_set_callbacks(world, NULL) == MSD_OK);
  msd_destroy_world(twin);
  fuzz_expect_finite(world);
  return result;
}

/* Two that are equal are stepped together, and stay so. */
static msd_result call_together(msd_world *world, fuzz_input *in) {
  msd_world *twin = NULL;
  if (msd_copy_world(world, &twin) != MSD_OK)
    return MSD_OK;
  const msd_real step = (msd_real)(fuzz_number(in) / 64);
  msd_step steps[3] = {{world, step, 2, MSD_OK}, {twin, step, 2, MSD_OK}, {world, step, 2, MSD_OK}};
  msd_worlds_step(steps, 2 + fuzz_byte(in) % 2, 1, NULL);
  if (!ran_out(steps[0].result) && !ran_out(steps[1].result))
    EXPECT(steps[0].result == steps[1].result && msd_world_hash(world) == msd_world_hash(twin));
  msd_destroy_world(twin);
  return steps[0].result;
}

/* ------------------------------------------------------------------------------------------ what is drawn */

static msd_result call_drawing(msd_world *world, fuzz_input *in) {
  enum { TRIANGLES = 8 };
  int32_t list[SOME], triangles[3 * TRIANGLES], lines[2 * SOME];
  float texture[2 * SOME], read[WORST_COMPONENTS * SOME];
  for (int n = 0; n < 3 * TRIANGLES; n++)
    triangles[n] = fuzz_index(in, SOME);
  for (int n = 0; n < 2 * SOME; n++)
    texture[n] = (float)fuzz_number(in);
  const msd_render_mesh skin = {.vertices = read_particles(in, world, list),
                                .triangles = triangles,
                                .triangle_count = fuzz_byte(in) % (TRIANGLES + 1),
                                .texture = fuzz_byte(in) % 4 ? texture : NULL,
                                .has_edges = fuzz_byte(in) % 2};
  const msd_memory_layout layout = {.number = MSD_SCALAR_FLOAT};
  if (msd_world_read_normals(world, &skin, layout, read) == MSD_OK)
    for (int n = 0; n < 3 * skin.vertices.count; n++)
      EXPECT(fabsf(read[n]) <= 1.0001f);
  if (msd_world_read_tangents(world, &skin, layout, read) == MSD_OK)
    for (int n = 0; n < 4 * skin.vertices.count; n++)
      EXPECT(fabsf(read[n]) <= 1.0001f);
  const msd_range springs = read_range(in, msd_world_get_spring_count(world));
  const int32_t count = msd_world_get_lines(world, springs, lines, SOME);
  EXPECT(count >= 0 && (springs.count < 0 || count <= springs.count));
  return MSD_OK;
}

/* ----------------------------------------------------------------------------------------------- the rest */

/* A search is refused, or does not raise the energy. */
static msd_result call_rest(msd_world *world, fuzz_input *in) {
  msd_equilibrium_def def = msd_default_equilibrium_def();
  msd_equilibrium_report report;
  def.iterations = fuzz_byte(in) % 8;
  def.ignore_contact = fuzz_byte(in) % 2;
  const msd_result result = msd_world_find_equilibrium(world, &def, &report);
  if (result == MSD_OK)
    EXPECT(!(report.energy > report.energy_before) && report.iterations <= def.iterations);
  return result;
}

static msd_result call_masses(msd_world *world, fuzz_input *in) {
  msd_mass_pool pool = {{0, msd_world_get_particle_count(world)}, (double)fuzz_byte(in) / 255};
  if (fuzz_byte(in) % 2)
    pool.particles = read_range(in, msd_world_get_particle_count(world));
  msd_mass_redistribution shift;
  return msd_world_redistribute_mass(world, &pool, 1, (msd_real)(fuzz_number(in) / 64), &shift);
}

static msd_result call_soft_pin(msd_world *world, fuzz_input *in) {
  const int32_t soft_pin = fuzz_index(in, msd_world_get_soft_pin_count(world));
  return msd_soft_pin_move_to(world, soft_pin, fuzz_vector(in));
}

void fuzz_call_of_frame(msd_world *world, fuzz_input *in) {
  typedef msd_result call(msd_world *, fuzz_input *);
  static call *const calls[] = {call_bulk,      call_state,    call_sleep,   call_damage,
                                call_callbacks, call_together, call_drawing, call_rest,
                                call_masses,    call_soft_pin, call_sleep};
  calls[fuzz_byte(in) % (sizeof calls / sizeof *calls)](world, in);
}

/* Many particles at once: the same as one after the other, in every layout, and all or none of them. */
#include "tests/support/busy_world.h"

#include "engine/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static msd_vec3 one_of(const msd_world *world, int32_t particle, msd_attribute quantity) {
  const particle_store *p = &world->model.particles;
  switch (quantity) {
  case MSD_POSITION:
    return msd_particle_get_position(world, particle);
  case MSD_VELOCITY:
    return msd_particle_get_velocity(world, particle);
  case MSD_FORCE: {
    if (!p->force)
      return (msd_vec3){0, 0, 0};
    const msd_real *at = p->force + particle_slot(p, particle);
    return (msd_vec3){at[0], at[p->stride], at[2 * p->stride]};
  }
  case MSD_TARGET:
    for (int32_t m = 0; m < p->move_count; m++)
      if (p->moves[m].particle == particle)
        return p->moves[m].target;
    return msd_particle_get_position(world, particle);
  case MSD_MASS:
    return (msd_vec3){msd_particle_get_mass(world, particle), 0, 0};
  default:
    return (msd_vec3){msd_particle_is_pinned(world, particle) ? 1 : 0, 0, 0};
  }
}

static double component(msd_vec3 v, int c) {
  return (double)(c == 0 ? v.x : c == 1 ? v.y : v.z);
}

/* Of no order, so that the particles get one, with forces and moves that wait. */
static msd_world *unordered_world(void) {
  graph g = graph_random(713, 3000, 5);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 4, .pins = true});
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 2));
  for (int32_t i = 0; i < g.particles; i += 7) {
    ASSERT_OK(world, msd_particle_pin(world, i));
    ASSERT_OK(world, msd_particle_move_to(world, i, (msd_vec3){(msd_real)i, 1, 2}));
    ASSERT_OK(world, msd_particle_apply_force(world, i / 2, (msd_vec3){1, (msd_real)i, -3}));
  }
  cr_assert_not_null(world->model.particles.slot);
  graph_free(&g);
  return world;
}

static double number_at(const unsigned char *bytes, msd_scalar number) {
  float f;
  double d;
  msd_real r;
  memcpy(&f, bytes, sizeof f);
  memcpy(&d, bytes, sizeof d);
  memcpy(&r, bytes, sizeof r);
  return number == MSD_SCALAR_FLOAT    ? (double)f
         : number == MSD_SCALAR_DOUBLE ? d
         : number == MSD_SCALAR_REAL   ? (double)r
                                       : *bytes;
}

enum { ROOM = 1 << 18, GAP = 0xa5 };

/* Reads and compares with each particle; every byte between the numbers must still be GAP. */
static void expect_read(const msd_world *world, msd_particle_set which, msd_attribute quantity,
                        msd_memory_layout layout) {
  static const size_t bytes_of[] = {sizeof(msd_real), sizeof(float), sizeof(double), 1};
  const int components = msd_attribute_components(quantity);
  const size_t bytes = bytes_of[layout.number],
               between = layout.component_stride ? layout.component_stride : bytes,
               stride = layout.stride             ? layout.stride
                        : layout.component_stride ? bytes
                                                  : (size_t)components * bytes;
  unsigned char *to = malloc(ROOM + 1), *expected = malloc(ROOM + 1);
  cr_assert(to && expected);
  memset(to, GAP, ROOM + 1);
  memset(expected, GAP, ROOM + 1);
  /* Nothing is aligned. */
  cr_assert_eq(msd_world_read(world, which, quantity, layout, to + 1), MSD_OK);
  for (int32_t i = 0; i < which.count; i++)
    for (int c = 0; c < components; c++) {
      const size_t at = 1 + (size_t)i * stride + (size_t)c * between;
      cr_assert(at + bytes <= ROOM);
      const int32_t particle = which.indices ? which.indices[i] : which.first + i;
      const double wanted = component(one_of(world, particle, quantity), c);
      const double found = number_at(to + at, layout.number);
      cr_assert(layout.number == MSD_SCALAR_FLOAT ? found == (double)(float)wanted : found == wanted,
                "quantity %d of particle %d: %.9g is not %.9g", (int)quantity, (int)particle, found, wanted);
      memcpy(expected + at, to + at, bytes);
    }
  cr_assert_eq(memcmp(to, expected, ROOM + 1), 0, "bytes between the numbers have changed");
  free(to);
  free(expected);
}

Test(bulk, reading_many_is_reading_each_in_every_layout) {
  msd_world *world = unordered_world();
  const int32_t count = msd_world_get_particle_count(world);
  const int32_t list[] = {5, 0, 700, 5, 14, 699, 256, 255};
  const msd_particle_set some[] = {msd_particle_set_of_range((msd_range){0, count}),
                                   msd_particle_set_of_range((msd_range){3, 300}),
                                   msd_particle_set_of_range((msd_range){count, 0}),
                                   msd_particle_set_of_list(list, sizeof list / sizeof *list)};
  for (size_t s = 0; s < sizeof some / sizeof *some; s++)
    for (int q = 0; q < MSD_ATTRIBUTE_COUNT; q++)
      for (int n = 0; n < MSD_SCALAR_COUNT; n++) {
        if (n == MSD_SCALAR_BYTE && q != MSD_PINNED)
          continue;
        const msd_memory_layout layouts[] = {{.number = (msd_scalar)n},
                                             {.number = (msd_scalar)n, .stride = 37},
                                             {.number = (msd_scalar)n, .component_stride = 8 * (size_t)count},
                                             {.number = (msd_scalar)n, .stride = 40, .component_stride = 9}};
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
          expect_read(world, some[s], (msd_attribute)q, layouts[l]);
      }
  msd_destroy_world(world);
}

/* As msd_world_write does, one after the other. */
static void write_each(msd_world *world, msd_particle_set which, msd_attribute quantity,
                       const msd_real *numbers) {
  for (int32_t i = 0; i < which.count; i++) {
    const int32_t particle = which.indices ? which.indices[i] : which.first + i;
    const msd_real *v = numbers + i * msd_attribute_components(quantity);
    msd_result result = MSD_OK;
    if (quantity == MSD_MASS)
      result = msd_particle_set_mass(world, particle, *v);
    else if (quantity == MSD_PINNED && (*v != 0) != msd_particle_is_pinned(world, particle))
      result = *v != 0 ? msd_particle_pin(world, particle) : msd_particle_unpin(world, particle);
    else if (quantity == MSD_POSITION)
      result = msd_particle_set_position(world, particle, (msd_vec3){v[0], v[1], v[2]});
    else if (quantity == MSD_VELOCITY)
      result = msd_particle_set_velocity(world, particle, (msd_vec3){v[0], v[1], v[2]});
    else if (quantity == MSD_TARGET)
      result = msd_particle_move_to(world, particle, (msd_vec3){v[0], v[1], v[2]});
    else if (quantity == MSD_FORCE)
      result = msd_particle_apply_force(world, particle, (msd_vec3){v[0], v[1], v[2]});
    ASSERT_OK(world, result);
  }
}

static void write_both(msd_world *one, msd_world *other, msd_particle_set which, msd_attribute quantity,
                       const msd_real *numbers) {
  ASSERT_OK(one, msd_world_write(one, which, quantity, (msd_memory_layout){0}, numbers));
  write_each(other, which, quantity, numbers);
}

static void expect_same(const msd_world *one, const msd_world *other, const char *behind) {
  for (int32_t i = 0; i < msd_world_get_particle_count(one); i++)
    for (int q = 0; q < MSD_ATTRIBUTE_COUNT; q++)
      for (int c = 0; c < 3; c++)
        cr_assert_eq(component(one_of(one, i, (msd_attribute)q), c),
                     component(one_of(other, i, (msd_attribute)q), c), "quantity %d of particle %d behind %s",
                     q, (int)i, behind);
  cr_assert_eq(msd_world_hash(one), msd_world_hash(other));
}

static void step_both(msd_world *one, msd_world *other, const char *behind) {
  ASSERT_OK(one, msd_world_step(one, (msd_real)0.0078125, 4));
  ASSERT_OK(other, msd_world_step(other, (msd_real)0.0078125, 4));
  expect_same(one, other, behind);
}

/* The same bits behind a step tell that all that depends on it was made anew. */
Test(bulk, writing_many_is_writing_each) {
  msd_world *one = unordered_world(), *other = unordered_world();
  step_both(one, other, "nothing");
  const int32_t list[] = {600, 0, 700, 14, 15, 14, 299};
  enum { LISTED = sizeof list / sizeof *list, RANGED = 300 };
  const msd_particle_set listed = msd_particle_set_of_list(list, LISTED),
                         range = msd_particle_set_of_range((msd_range){11, RANGED});
  msd_real vectors[3 * RANGED], masses[RANGED], pins[RANGED];
  generator random = {.state = 9};
  for (int i = 0; i < 3 * RANGED; i++)
    vectors[i] = random_real(&random) - (msd_real)0.5;
  for (int i = 0; i < RANGED; i++) {
    masses[i] = random_real(&random) + 2;
    pins[i] = (msd_real)random_below(&random, 2);
  }
  write_both(one, other, range, MSD_PINNED, pins);
  step_both(one, other, "pins");
  write_both(one, other, range, MSD_FORCE, vectors);
  write_both(one, other, range, MSD_MASS, masses);
  expect_same(one, other, "pins, forces and masses");
  const msd_real all[LISTED] = {1, 1, 1, 1, 1, 1, 1};
  write_both(one, other, listed, MSD_PINNED, all);
  write_both(one, other, listed, MSD_TARGET, vectors);
  expect_same(one, other, "targets");
  for (int frame = 0; frame < 3; frame++) {
    write_both(one, other, range, frame ? MSD_VELOCITY : MSD_POSITION, vectors);
    step_both(one, other, "positions and velocities");
  }
  msd_destroy_world(one);
  msd_destroy_world(other);
}

Test(bulk, a_pin_that_stays_a_pin_goes_on_to_its_target) {
  msd_world *world = unordered_world();
  const unsigned char yes = 1;
  ASSERT_OK(world, msd_world_write(world, msd_particle_set_of_range((msd_range){7, 1}), MSD_PINNED,
                                   (msd_memory_layout){.number = MSD_SCALAR_BYTE}, &yes));
  cr_assert_eq(one_of(world, 7, MSD_TARGET).x, 7);
  msd_destroy_world(world);
}

static void expect_refused(msd_world *world, msd_result expected, msd_particle_set which,
                           msd_attribute quantity, msd_memory_layout layout, const void *from,
                           const char *message) {
  const uint64_t before = msd_world_hash(world);
  cr_assert_eq(msd_world_write(world, which, quantity, layout, from), expected);
  cr_assert(strstr(msd_world_message(world), message), "\"%s\" has no \"%s\"", msd_world_message(world),
            message);
  cr_assert_eq(msd_world_hash(world), before);
}

Test(bulk, what_cannot_be_is_refused_and_nothing_is_written) {
  msd_world *world = busy_world(3);
  const int32_t count = msd_world_get_particle_count(world), list[] = {1, 2, count};
  msd_real numbers[3 * 300] = {0};
  const msd_particle_set two = msd_particle_set_of_range((msd_range){5, 2});
  const msd_memory_layout packed = {0};
  expect_refused(world, MSD_BAD_INDEX, msd_particle_set_of_list(list, 3), MSD_POSITION, packed, numbers,
                 "element 2: there is no particle 117; the world has 117");
  expect_refused(world, MSD_BAD_INDEX, msd_particle_set_of_range((msd_range){-1, 2}), MSD_MASS, packed,
                 numbers, "element 0: there is no particle -1");
  expect_refused(world, MSD_BAD_INDEX, msd_particle_set_of_range((msd_range){count - 2, INT32_MAX}), MSD_MASS,
                 packed, numbers, "element 2: there is no particle 117");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_MASS, packed, numbers,
                 "element 0, for particle 5, is no mass");
  numbers[5] = NAN;
  expect_refused(world, MSD_BAD_VALUE, two, MSD_VELOCITY, packed, numbers,
                 "element 1, for particle 6, is not");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_TARGET, packed, numbers,
                 "particle 5, is a target of a particle");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_FORCE, packed, NULL, "memory is NULL");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_ATTRIBUTE_COUNT, packed, numbers, "no such quantity");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_FORCE, (msd_memory_layout){.stride = 2}, numbers,
                 "stride must be");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_FORCE, (msd_memory_layout){.component_stride = 1}, numbers,
                 "component_stride must be");
  expect_refused(world, MSD_BAD_VALUE, two, MSD_FORCE, (msd_memory_layout){.number = MSD_SCALAR_BYTE},
                 numbers, "number must be");
  expect_refused(world, MSD_BAD_VALUE, msd_particle_set_of_list(list, -1), MSD_FORCE, packed, numbers,
                 "count must");
  cr_assert_eq(msd_world_write(NULL, two, MSD_FORCE, packed, numbers), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_read(NULL, two, MSD_FORCE, packed, numbers), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_read(world, two, MSD_FORCE, packed, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_read(world, msd_particle_set_of_list(list, 3), MSD_FORCE, packed, numbers),
               MSD_BAD_INDEX);
  ASSERT_OK(world, msd_world_write(world, msd_particle_set_of_list(NULL, 0), MSD_MASS, packed, NULL));
  msd_destroy_world(world);
}

Test(bulk, a_double_beyond_the_precision_is_refused) {
  msd_world *world = busy_world(1);
  const double huge[3] = {0, 1e300, 0};
  const msd_result result = msd_world_write(world, msd_particle_set_of_range((msd_range){3, 1}), MSD_POSITION,
                                            (msd_memory_layout){.number = MSD_SCALAR_DOUBLE}, huge);
  cr_assert_eq(result, sizeof(msd_real) == sizeof(float) ? MSD_BAD_VALUE : MSD_OK);
  msd_destroy_world(world);
}

/* Tethers (long-range attachments) from the particles of a body to the nearest of its pins.

   The nearest pins are found exactly. The pins are sorted along the axis of their largest extent. The search
   around a particle ends, on each side, when the distance along that axis alone exceeds the pins found so
   far. Among pins at equal distances the lower index counts as nearer. */

#include "engine/base/float_environment.h"
#include "engine/base/sort.h"
#include "engine/builder/builder.h"

#include <math.h>
#include <string.h>

enum { PINS_MAX = 8 };

/* A tether should not bounce. Alone on a particle with n springs it has the damping ratio cd / (2 sqrt(ck))
   with cd = 1/n, which is 1/2 at n = 12. At ck = 1/n it would be 1/(2 sqrt(n)), and a falling cloth would
   rebound. Under the weight of its particle it stretches by g dt^2/ck: 0.2 mm at 40 substeps in a frame of
   1/60 s. */
static const double TETHER_CK = 0.007;

msd_tethers_def msd_default_tethers_def(void) {
  msd_tethers_def def = {.pins_each = 2,
                         .slack = 0,
                         .spring = builder_pattern(MSD_SPRING_COEFFICIENT),
                         .cookie = MSD_TETHERS_COOKIE};
  def.spring.ck = (msd_real)TETHER_CK;
  return def;
}

typedef struct pin {
  double at[3];
  int32_t particle;
} pin;

/* The pins of a range, sorted by one coordinate. */
typedef struct pin_list {
  pin *pins;
  int32_t count;
  int axis;
} pin_list;

typedef struct neighbor {
  /* m^2: the squared distance. */
  double square;
  int32_t particle;
} neighbor;

/* The nearest pins found so far, nearest first. */
typedef struct nearest {
  neighbor list[PINS_MAX];
  int32_t count, wanted;
} nearest;

static void read_position(const msd_world *world, int32_t particle, double at[3]) {
  vec3_components(msd_particle_get_position(world, particle), at);
}

static int32_t count_pins(const msd_world *world, msd_range range) {
  int32_t pins = 0;
  for (int32_t i = range.first; i < range.first + range.count; i++)
    pins += msd_particle_is_pinned(world, i);
  return pins;
}

static int widest_axis(const pin *pins, int32_t count) {
  int widest = 0;
  double most = -1;
  for (int c = 0; c < 3; c++) {
    double low = pins[0].at[c], high = low;
    for (int32_t n = 1; n < count; n++) {
      low = fmin(low, pins[n].at[c]);
      high = fmax(high, pins[n].at[c]);
    }
    if (high - low > most) {
      most = high - low;
      widest = c;
    }
  }
  return widest;
}

/* Maps doubles to integers of the same order: flips all bits of negative numbers, and the sign bit of
   others. */
static uint64_t ordered_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void sort_pins(pin_list *list, pin *unsorted, sort_item *items, sort_item *spare) {
  list->axis = widest_axis(unsorted, list->count);
  for (int32_t n = 0; n < list->count; n++)
    items[n] = (sort_item){ordered_bits(unsorted[n].at[list->axis]), n};
  const sort_item *sorted = sort_by_key(items, spare, list->count);
  for (int32_t n = 0; n < list->count; n++)
    list->pins[n] = unsorted[sorted[n].index];
}

/* Fills the list, which has space for `count` pins. Returns false if memory runs out. */
static bool list_pins(msd_world *world, msd_range range, pin_list *list) {
  const size_t count = (size_t)list->count;
  pin *unsorted = memory_allocate(&world->model.memory, count * sizeof *unsorted);
  sort_item *items = memory_allocate(&world->model.memory, count * sizeof *items);
  sort_item *spare = memory_allocate(&world->model.memory, count * sizeof *spare);
  const bool done = unsorted && items && spare;
  if (done) {
    int32_t n = 0;
    for (int32_t i = range.first; i < range.first + range.count; i++)
      if (msd_particle_is_pinned(world, i)) {
        unsorted[n].particle = i;
        read_position(world, i, unsorted[n++].at);
      }
    sort_pins(list, unsorted, items, spare);
  }
  memory_release(&world->model.memory, unsorted);
  memory_release(&world->model.memory, items);
  memory_release(&world->model.memory, spare);
  return done;
}

static void consider(nearest *found, const pin *p, const double at[3]) {
  const double d[3] = {at[0] - p->at[0], at[1] - p->at[1], at[2] - p->at[2]};
  const neighbor new = {d[0] * d[0] + d[1] * d[1] + d[2] * d[2], p->particle};
  int32_t to = found->count < found->wanted ? found->count++ : found->wanted;
  for (; to > 0; to--) {
    const neighbor *before = &found->list[to - 1];
    if (before->square < new.square || (before->square == new.square && before->particle < new.particle))
      break;
    if (to < found->wanted)
      found->list[to] = *before;
  }
  if (to < found->wanted)
    found->list[to] = new;
}

/* Returns whether pins at this distance along the axis, or farther, cannot be among the nearest. */
static bool is_beyond(const nearest *found, double along) {
  return found->count == found->wanted && along * along > found->list[found->wanted - 1].square;
}

static int32_t first_at_or_after(const pin_list *list, double coordinate) {
  int32_t first = 0, last = list->count;
  while (first < last) {
    const int32_t middle = first + (last - first) / 2;
    if (list->pins[middle].at[list->axis] < coordinate)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

static void find_nearest(const pin_list *list, const double at[3], nearest *found) {
  const double here = at[list->axis];
  const int32_t start = first_at_or_after(list, here);
  found->count = 0;
  for (int32_t n = start; n < list->count && !is_beyond(found, list->pins[n].at[list->axis] - here); n++)
    consider(found, &list->pins[n], at);
  for (int32_t n = start - 1; n >= 0 && !is_beyond(found, here - list->pins[n].at[list->axis]); n--)
    consider(found, &list->pins[n], at);
}

static double rest_of(const msd_tethers_def *def, const neighbor *n) {
  return (double)(1 + def->slack) * sqrt(n->square);
}

/* Visits all tethers: adds them, or for NULL only checks that their rest lengths can be stored. */
static msd_result each_tether(msd_world *world, const msd_tethers_def *def, const pin_list *list,
                              msd_range *added) {
  msd_spring_def pattern = def->spring;
  pattern.mode = MSD_SPRING_TENSION_ONLY;
  builder_springs tethers;
  builder_springs_begin(&tethers, world, &pattern);
  nearest found = {.wanted = def->pins_each < list->count ? def->pins_each : list->count};
  for (int32_t i = def->particles.first; i < def->particles.first + def->particles.count; i++) {
    if (msd_particle_is_pinned(world, i))
      continue;
    double at[3];
    read_position(world, i, at);
    find_nearest(list, at, &found);
    for (int32_t n = 0; n < found.count; n++) {
      const neighbor *to = &found.list[n];
      const double rest = rest_of(def, to);
      if (!builder_is_storable(rest))
        return world_fail(world, MSD_BAD_VALUE, "tethers: particle %d is too far from pin %d", (int)i,
                          (int)to->particle);
      if (added)
        /* checked, and with capacity reserved */
        builder_springs_add_resting(&tethers, i, to->particle, rest);
    }
  }
  return added ? builder_springs_end(&tethers, added) : MSD_OK;
}

static msd_result check_tethers(msd_world *world, const msd_tethers_def *def) {
  const msd_result made = builder_check_def(world, "tethers", def && def->cookie == MSD_TETHERS_COOKIE);
  if (made != MSD_OK)
    return made;
  const int32_t count = msd_world_get_particle_count(world);
  const msd_range range = def->particles;
  if (range.first < 0 || range.count < 0 || range.first > count || range.count > count - range.first)
    return world_fail(world, MSD_BAD_INDEX, "tethers: %d particles from %d; the world has %d",
                      (int)range.count, (int)range.first, (int)count);
  if (world_find_gap(world, MSD_OBJECT_PARTICLE, range) >= 0)
    return world_fail(world, MSD_BAD_INDEX, "tethers: particle %d was destroyed",
                      (int)world_find_gap(world, MSD_OBJECT_PARTICLE, range));
  if (def->pins_each < 1 || def->pins_each > PINS_MAX)
    return world_fail(world, MSD_BAD_VALUE, "tethers: pins_each is %d; it must be 1 to %d",
                      (int)def->pins_each, PINS_MAX);
  if (!(isfinite(def->slack) && def->slack >= 0))
    return world_fail(world, MSD_BAD_VALUE, "tethers: slack is %g; it must be finite and 0 or more",
                      (double)def->slack);
  msd_spring_def pattern = def->spring;
  if (pattern.mode == MSD_SPRING_BOTH)
    pattern.mode = MSD_SPRING_TENSION_ONLY;
  return builder_check_pattern(world, "tethers", "spring", &pattern);
}

static msd_result add_tethers(msd_world *world, const msd_tethers_def *def, pin_list *list,
                              msd_range *added) {
  const int64_t each = def->pins_each < list->count ? def->pins_each : list->count;
  const world_size size = {.springs = (def->particles.count - list->count) * each};
  msd_body tethers;
  msd_result result = builder_reserve(world, &size, false, &tethers);
  if (result != MSD_OK)
    return result;
  list->pins = memory_allocate(&world->model.memory, (size_t)list->count * sizeof *list->pins);
  if (!list->pins || !list_pins(world, def->particles, list))
    result = world_fail(world, MSD_OUT_OF_MEMORY, "no memory to sort %d pins", (int)list->count);
  if (result == MSD_OK)
    result = each_tether(world, def, list, NULL);
  if (result == MSD_OK)
    result = each_tether(world, def, list, added);
  memory_release(&world->model.memory, list->pins);
  return result;
}

msd_result msd_add_tethers(msd_world *world, const msd_tethers_def *def, msd_range *springs) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (springs)
    *springs = (msd_range){0};
  msd_result result = check_tethers(world, def);
  if (result != MSD_OK)
    return result;
  pin_list list = {.count = count_pins(world, def->particles)};
  if (list.count == 0)
    return world_fail(world, MSD_BAD_VALUE,
                      "tethers: none of the %d particles from %d is pinned; pin one first",
                      (int)def->particles.count, (int)def->particles.first);
  msd_range added = {msd_world_get_spring_count(world), 0};
  if (builder_wants(&def->spring))
    result = add_tethers(world, def, &list, &added);
  if (result == MSD_OK && springs)
    *springs = added;
  return result;
}

#include "engine/contact/contact_pairs.h"

#include "engine/base/min_max.h"
#include "engine/base/record.h"
#include "engine/kernel/contacts.h"

#include "tests/support/networks.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

/* One of the particles is in no pair. The others fill groups of rows. */
enum { PARTICLES = 12 * CORNER_GROUP + 1, ALONE = 7, PAIRS = 16, LATER = 5, SUBSTEPS = 20 };

static const msd_real TIME_STEP = (msd_real)0.01;

/* Pairs of particles in a cube of 2 m, so that about half of them act in any state. */
typedef struct crowd {
  memory m;
  near_pairs near;
  generator random;
  msd_real before[COMPONENTS * PARTICLES], behind[COMPONENTS * PARTICLES], inverse_mass[PARTICLES];
} crowd;

static msd_real between(generator *random, msd_real low, msd_real high) {
  return low + (high - low) * (msd_real)(random_below(random, 1000) + 1) / 1000;
}

/* A point and a triangle of different particles. */
static void put_pair(crowd *c, int32_t n) {
  static const int32_t behind[PAIR_CORNERS] = {0, 1, 5, 11};
  const int32_t first = random_below(&c->random, PARTICLES - 1);
  int32_t slots[PAIR_CORNERS];
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    slots[corner] = (ALONE + 1 + (first + behind[corner]) % (PARTICLES - 1)) % PARTICLES;
  const msd_real b = between(&c->random, (msd_real)0.1, (msd_real)0.4),
                 d = between(&c->random, (msd_real)0.1, (msd_real)0.4);
  const near_witness witness = {{0, n % 2 ? 1 : -1, 0}, {1, b + d - 1, -b, -d}};
  near_pairs_put(&c->near, n, slots, &witness, (msd_real)0.01, 0);
}

static void put_pairs(crowd *c, int32_t first, int32_t count) {
  cr_assert(near_pairs_make_room(&c->near, &c->m, first, count));
  for (int32_t n = first; n < count; n++)
    put_pair(c, n);
  cr_assert(near_pairs_finish(&c->near, &c->m, first, count, c->inverse_mass, NULL, 1));
}

/* Some particles go elsewhere, most stay. */
static void move_some(crowd *c, bool all) {
  for (int32_t i = 0; i < PARTICLES; i++)
    for (size_t axis = 0; axis < 3 && (all || random_below(&c->random, 8) == 0); axis++)
      c->before[axis * PARTICLES + (size_t)i] = between(&c->random, -1, 1);
}

static void begin(crowd *c) {
  *c = (crowd){.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}, .random = {.state = 3}};
  for (int32_t i = 0; i < PARTICLES; i++)
    c->inverse_mass[i] = 1;
  for (int32_t k = 3 * PARTICLES; k < COMPONENTS * PARTICLES; k++)
    c->behind[k] = between(&c->random, -1, 1);
  cr_assert(near_pairs_reserve(&c->near, &c->m, PARTICLES));
  put_pairs(c, 0, PAIRS);
  move_some(c, true);
}

static void end(crowd *c) {
  near_pairs_free(&c->near, &c->m);
  cr_assert_eq(c->m.used, 0);
}

/* What the pairs that act make of G, by the numbers that they tell. */
static double shared_at(const near_pairs *p, int32_t slot, int32_t *acting) {
  double sum = 0;
  near_contact contact;
  *acting = 0;
  for (int32_t n = 0; n < p->count; n++)
    for (int corner = 0; near_pairs_get_contact(p, n, &contact) && corner < PAIR_CORNERS; corner++) {
      *acting += corner == 0;
      sum += contact.slots[corner] == slot ? fabs((double)contact.weight[corner]) : 0;
    }
  return sum;
}

static near_substep substep_of(crowd *c) {
  return (near_substep){c->before, c->behind, c->behind, PARTICLES, (double)TIME_STEP};
}

/* As a thread alone finds all forces; returns how many act. */
static int32_t push(crowd *c, msd_simd simd) {
  near_pairs *p = &c->near;
  const near_substep substep = substep_of(c);
  const parallel_range owned = {0, p->corners.count}, groups = {0, p->group_count};
  const near_kernel *kernel = near_kernel_choose(simd);
  kernel->read(p, &substep, owned);
  const int32_t contacts = kernel->push(p, TIME_STEP, 0, groups);
  if (near_pairs_share(p, owned))
    kernel->push_again(p, TIME_STEP, 0, groups);
  return contacts;
}

static void check_shares(crowd *c, msd_simd simd) {
  const near_pairs *p = &c->near;
  const int32_t contacts = push(c, simd);
  for (int32_t n = 0; n < p->corners.count; n++) {
    int32_t acting;
    const double shared = shared_at(p, p->corners.slots[n], &acting);
    cr_assert_eq(acting, contacts);
    cr_assert_float_eq((double)p->sharing[n], shared, 1e-5, "owner %d at width %d", (int)n, (int)simd);
  }
}

/* In every state, though G is summed anew only where pairs have begun or ceased to act. */
Test(near_pairs, all_that_act_at_a_particle_share_it) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    static crowd c;
    begin(&c);
    for (int n = 0; n < SUBSTEPS; n++) {
      check_shares(&c, (msd_simd)simd);
      move_some(&c, false);
      if (n == SUBSTEPS / 4)
        put_pairs(&c, PAIRS, PAIRS + LATER);
      if (n == SUBSTEPS / 2)
        put_pairs(&c, 0, PAIRS);
    }
    end(&c);
  }
}

/* More come than may come late, and those that act before go on acting. */
Test(near_pairs, who_shares_goes_on_sharing_when_all_are_listed_anew) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    static crowd c;
    begin(&c);
    put_pairs(&c, 0, LATER);
    const int32_t had = c.near.corners.count;
    cr_assert_gt(push(&c, (msd_simd)simd), 0);
    put_pairs(&c, LATER, 4 * PAIRS);
    cr_assert_gt(c.near.corners.count - had, CORNERS_LATE);
    check_shares(&c, (msd_simd)simd);
    end(&c);
  }
}

/* How far the contacts say that the particle in a slot goes. */
static void contact_displacement(const crowd *c, int32_t slot, double way[3]) {
  const near_pairs *p = &c->near;
  double sum[3] = {0};
  near_contact contact;
  for (int32_t n = 0; n < p->count; n++)
    for (int corner = 0; near_pairs_get_contact(p, n, &contact) && corner < PAIR_CORNERS; corner++)
      if (contact.slots[corner] == slot) {
        sum[0] += (double)contact.weight[corner] * (double)contact.force.x;
        sum[1] += (double)contact.weight[corner] * (double)contact.force.y;
        sum[2] += (double)contact.weight[corner] * (double)contact.force.z;
      }
  for (int a = 0; a < 3; a++)
    way[a] = sum[a] * (double)c->inverse_mass[slot];
}

static void check_moved(const crowd *c, const msd_real *behind) {
  for (int32_t slot = 0; slot < PARTICLES; slot++) {
    double way[3];
    contact_displacement(c, slot, way);
    for (int a = 0; a < 3; a++) {
      const int32_t at = a * PARTICLES + slot, speed = at + 3 * PARTICLES;
      const double gained = ((double)c->behind[speed] - (double)behind[speed]) * (double)TIME_STEP;
      cr_assert_float_eq((double)c->behind[at] - (double)behind[at], way[a], 1e-5, "particle %d", (int)slot);
      cr_assert_float_eq(gained, way[a], 1e-5, "particle %d", (int)slot);
      if (way[a] == 0)
        cr_assert_eq(memcmp(&c->behind[at], &behind[at], sizeof behind[at]), 0, "particle %d", (int)slot);
    }
  }
}

/* Some cannot be moved, and are at -0; all others are, or all are and follow each other. Most pairs are put
   behind others, a few at a time. */
static void begin_to_move(crowd *c, bool some_are_led) {
  begin(c);
  for (int32_t i = 0; i < PARTICLES; i++)
    c->inverse_mass[i] = (msd_real)(some_are_led ? i % 5 : 1 + i % 3);
  for (int32_t k = 0; k < COMPONENTS * PARTICLES; k++)
    if (c->inverse_mass[k % PARTICLES] == 0)
      c->behind[k] = (msd_real)-0.0;
  put_pairs(c, 0, 2 * PAIRS);
  for (int32_t n = 2 * PAIRS; n < 8 * PAIRS; n += LATER)
    put_pairs(c, n, int_min(n + LATER, 8 * PAIRS));
}

/* In two ranges, of which one ends where the other begins, in the midst of a group. */
static bool move_all(crowd *c, msd_simd simd) {
  const near_substep substep = substep_of(c);
  const int32_t count = c->near.corners.count, middle = NEAR_GROUP + 5;
  const near_kernel *kernel = near_kernel_choose(simd);
  const bool finite = kernel->move(&c->near, &substep, (parallel_range){0, middle});
  return kernel->move(&c->near, &substep, (parallel_range){middle, count}) && finite;
}

Test(near_pairs, particles_go_by_the_sum_of_all_forces_on_them_with_the_same_bits_at_every_width) {
  static msd_real behind[2][COMPONENTS * PARTICLES], widest[2][COMPONENTS * PARTICLES];
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int led = 0; led < 2; led++) {
      static crowd c;
      begin_to_move(&c, led);
      for (int n = 0; n < SUBSTEPS; n++) {
        push(&c, (msd_simd)simd);
        memcpy(behind[led], c.behind, sizeof c.behind);
        cr_assert(move_all(&c, (msd_simd)simd));
        check_moved(&c, behind[led]);
        move_some(&c, n % 4 == 0);
        put_pairs(&c, c.near.count, c.near.count + 2 * LATER);
      }
      cr_assert_neq(memcmp(behind[led], c.behind, sizeof c.behind), 0);
      if (simd == MSD_SIMD_WIDEST)
        memcpy(widest[led], c.behind, sizeof c.behind);
      cr_assert_eq(memcmp(widest[led], c.behind, sizeof c.behind), 0);
      end(&c);
    }
}

/* Below the others, and in no pair until all of those are listed. */
static void put_alone(crowd *c) {
  const int32_t n = c->near.count, slots[PAIR_CORNERS] = {ALONE, ALONE ? 0 : 1, ALONE + 1, ALONE + 2};
  const near_witness witness = {{0, 1, 0}, {1, (msd_real)-0.25, (msd_real)-0.25, (msd_real)-0.5}};
  c->before[PARTICLES + ALONE] = -1;
  cr_assert(near_pairs_make_room(&c->near, &c->m, n, n + 1));
  near_pairs_put(&c->near, n, slots, &witness, (msd_real)0.01, 0);
  cr_assert(near_pairs_finish(&c->near, &c->m, n, n + 1, c->inverse_mass, NULL, 1));
  cr_assert_eq(c->near.corners.late, PARTICLES - 1);
  cr_assert_eq(c->near.corners.count, PARTICLES);
  cr_assert_eq(c->near.corners.slots[PARTICLES - 1], ALONE);
}

/* Again when there are more pairs, so that its rows are elsewhere each time. */
Test(near_pairs, who_comes_to_be_near_late_is_pushed_and_moved_as_the_others_are) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    static crowd c;
    static msd_real behind[COMPONENTS * PARTICLES];
    begin_to_move(&c, false);
    for (int n = 1; n <= 4; n++) {
      put_pairs(&c, 0, 8 * n * PAIRS);
      put_alone(&c);
      push(&c, (msd_simd)simd);
      memcpy(behind, c.behind, sizeof behind);
      cr_assert(move_all(&c, (msd_simd)simd));
      check_moved(&c, behind);
      cr_assert_neq(behind[PARTICLES + ALONE], c.behind[PARTICLES + ALONE]);
    }
    end(&c);
  }
}

Test(near_pairs, what_is_moved_to_no_finite_number_is_told) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int32_t slot = 0; slot < PARTICLES; slot++) {
      static crowd c;
      begin_to_move(&c, true);
      push(&c, (msd_simd)simd);
      double way[3];
      contact_displacement(&c, slot, way);
      c.behind[(slot % COMPONENTS) * PARTICLES + slot] = (msd_real)INFINITY;
      cr_assert_eq(move_all(&c, (msd_simd)simd), way[1] == 0, "particle %d, width %d", (int)slot, simd);
      end(&c);
    }
}

/* Every third particle is not watched. */
static void check_placed(generator *random, msd_simd simd, parallel_range placed) {
  enum { STRIDE = 2 * PARTICLES };
  static msd_real state[MOTION_BOUND_COMPONENTS * STRIDE], records[PARTICLES * RECORD_SIZE];
  for (size_t k = 0; k < MOTION_BOUND_SKIN * STRIDE; k++)
    state[k] = between(random, -1, 1);
  for (int32_t i = 0; i < STRIDE; i++)
    state[MOTION_BOUND_SKIN * STRIDE + i] = i % 3 == 0 ? MOTION_BOUND_UNWATCHED : 1;
  for (int32_t k = 0; k < PARTICLES * RECORD_SIZE; k++)
    records[k] = 7;
  const motion_bound f = {
      .state = state, .stride = STRIDE, .particles = PARTICLES, .horizon = 0.75, .age = 0.5, .holds = true};
  near_kernel_choose(simd)->place(&f, records, placed);
  for (int32_t i = 0; i < PARTICLES; i++)
    for (size_t axis = 0; axis < 3; axis++) {
      const msd_real *record = records + (size_t)i * RECORD_SIZE + axis;
      const bool is_placed = i >= placed.first && i < placed.last;
      const double x = (double)state[axis * STRIDE + (size_t)i],
                   v = (double)state[(axis + 3) * STRIDE + (size_t)i];
      cr_assert_float_eq((double)record[0], is_placed ? x + v / 2 : 7, 1e-6, "particle %d", (int)i);
      cr_assert_float_eq((double)record[RECORD_QUAD], is_placed ? v / 4 : 7, 1e-6, "particle %d", (int)i);
    }
}

Test(near_pairs, all_are_placed_where_they_are_expected) {
  generator random = {.state = 4};
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int32_t last = NEAR_GROUP + 1; last <= PARTICLES; last++) {
      check_placed(&random, (msd_simd)simd, (parallel_range){0, last});
      check_placed(&random, (msd_simd)simd, (parallel_range){NEAR_GROUP, last});
    }
}

/* Particle i is off its motion bound by just less than its skin, or by just more where i is a multiple of 3, in
   some direction; those of a range are looked at, whatever is behind it. */
static void check_strayed(generator *random, msd_simd simd, parallel_range looked_at) {
  enum { STRIDE = 2 * PARTICLES };
  static const double skins[] = {1e-6, 0.001, 1, (double)MOTION_BOUND_UNWATCHED};
  const double just = sizeof(msd_real) == sizeof(double) ? 1e-12 : 1e-3, age = 0.5;
  static const msd_real shift[3] = {(msd_real)0x1p-21, (msd_real)-0x1p-22, (msd_real)0x1p-23};
  static msd_real state[3 * STRIDE], expected[MOTION_BOUND_COMPONENTS * STRIDE];
  uint8_t violators[PARTICLES] = {0};
  for (size_t i = 0; i < PARTICLES; i++) {
    const double skin = skins[i % 4], off = skin < 1e10 ? skin * (i % 3 == 0 ? 1 + just : 1 - just) : 1e10;
    double way[3], square = 0;
    for (size_t axis = 0; axis < 3; axis++) {
      way[axis] = (double)between(random, -1, 1);
      square += way[axis] * way[axis];
    }
    for (size_t axis = 0; axis < 3; axis++) {
      const msd_real speed = between(random, -1, 1) * (msd_real)skin / 16;
      expected[axis * STRIDE + i] = -shift[axis];
      expected[(axis + 3) * STRIDE + i] = skin < 1e10 ? speed : 0;
      state[axis * STRIDE + i] =
          (msd_real)((double)expected[(axis + 3) * STRIDE + i] * age + way[axis] * off / sqrt(square));
    }
    expected[MOTION_BOUND_SKIN * STRIDE + i] = (msd_real)skin;
  }
  const skin_check q = {state, expected, STRIDE, (msd_real)age, {shift[0], shift[1], shift[2]}, violators, 4};
  bool some = false;
  const bool found = near_kernel_choose(simd)->stray(&q, looked_at);
  for (int32_t i = 0; i < PARTICLES; i++) {
    const bool is_out = i % 3 == 0 && i % 4 != 3 && i >= looked_at.first && i < looked_at.last;
    cr_assert_eq(violators[i], is_out ? 4 : 0, "particle %d, width %d", (int)i, (int)simd);
    some = some || is_out;
  }
  cr_assert_eq(found, some);
}

Test(near_pairs, who_is_out_of_its_skin_gets_the_mark) {
  generator random = {.state = 5};
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int32_t first = 0; first < PARTICLES; first += 7)
      for (int32_t last = first; last <= PARTICLES; last++)
        check_strayed(&random, (msd_simd)simd, (parallel_range){first, last});
}

/* Threads read shares that begin and end anywhere. */
Test(near_pairs, places_and_ways_are_read_to_the_bit_and_no_others_are_touched) {
  const msd_real untouched = -7;
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int32_t first = 0; first < 5; first++) {
      static crowd c;
      begin(&c);
      const near_pairs *p = &c.near;
      const parallel_range owned = {first, p->corners.count - first / 2};
      for (int32_t k = 0; k < RECORD_SIZE * p->corners.count; k++)
        p->records[k] = untouched;
      for (int32_t n = 0; n < p->corners.count; n++)
        p->sharing[n] = (msd_real)(n + 1);
      const near_substep substep = substep_of(&c);
      near_kernel_choose((msd_simd)simd)->read(&c.near, &substep, owned);
      for (int32_t n = 0; n < p->corners.count; n++) {
        const bool is_own = n >= owned.first && n < owned.last;
        const msd_real *whole = p->records + (size_t)n * RECORD_SIZE;
        cr_assert_eq(whole[NEAR_SHARING], is_own ? (msd_real)(n + 1) : untouched);
        cr_assert_eq(whole[NEAR_INVERSE_MASS], is_own ? p->inverse_mass[n] : untouched);
        for (int32_t axis = 0; axis < 3; axis++) {
          const bool is_read = n >= owned.first && n < owned.last;
          const int32_t at = axis * PARTICLES + p->corners.slots[n];
          const msd_real *record = p->records + (size_t)n * RECORD_SIZE + axis;
          cr_assert_eq(record[0], is_read ? c.before[at] : untouched);
          cr_assert_eq(record[RECORD_QUAD], is_read ? TIME_STEP * c.behind[3 * PARTICLES + at] : untouched);
        }
      }
      end(&c);
    }
}

/* The sum of g x over the corners, along the witness. */
static double along_witness(const near_contact *contact, const double weight[PAIR_CORNERS],
                            const msd_real *state) {
  const double normal[3] = {(double)contact->normal.x, (double)contact->normal.y, (double)contact->normal.z};
  double sum = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      sum += normal[axis] * weight[corner] * (double)state[axis * PARTICLES + contact->slots[corner]];
  return sum;
}

/* Without friction, F = -C n/(sum of w |g| G), of the pair itself and no other. */
static void check_forces(crowd *c, msd_simd simd) {
  near_pairs *p = &c->near;
  check_shares(c, simd);
  const double thickness = 0.01, push = (double)CONTACT_PUSH * (double)TIME_STEP;
  for (int32_t n = 0; n < p->count; n++) {
    near_contact contact;
    if (!near_pairs_get_contact(p, n, &contact))
      continue;
    double inverse = 0, acting_at[PAIR_CORNERS], closest[PAIR_CORNERS];
    for (int corner = 0; corner < PAIR_CORNERS; corner++) {
      int32_t acting;
      const int32_t slot = contact.slots[corner];
      acting_at[corner] = (double)contact.weight[corner];
      closest[corner] = (double)*near_pairs_at(p, NEAR_CLOSEST + corner, n);
      inverse +=
          (double)c->inverse_mass[slot] * fabs((double)contact.weight[corner]) * shared_at(p, slot, &acting);
    }
    const double distance = along_witness(&contact, closest, c->before);
    const double wanted = distance + push < thickness ? distance + push : thickness;
    const double gap =
        distance - wanted + (double)TIME_STEP * along_witness(&contact, acting_at, c->behind + 3 * PARTICLES);
    const double force = -gap / inverse * (double)contact.normal.y;
    cr_assert_float_eq((double)contact.force.y, force, 1e-4 * fabs(force) + 1e-6, "pair %d at width %d",
                       (int)n, (int)simd);
    cr_assert_eq(contact.force.x, 0);
    cr_assert_eq(contact.force.z, 0);
  }
}

Test(near_pairs, every_pair_has_the_force_that_its_gap_and_what_is_shared_make) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    static crowd c;
    begin(&c);
    put_pairs(&c, PAIRS, PAIRS + LATER);
    for (int n = 0; n < SUBSTEPS; n++) {
      check_forces(&c, (msd_simd)simd);
      move_some(&c, true);
    }
    end(&c);
  }
}

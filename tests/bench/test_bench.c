/* What the benchmark measures is what it says it is: the right states, and the same networks for everybody.
   Speed itself is never a test. */
#include "bench/contact_speed.h"
#include "bench/golden.h"
#include "bench/speed.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SMALL = 20000 };

/* Particles of a case, without making it. */
static int64_t particles_of(const speed_case *c) {
  return c->kind == NETWORKS_CLOTH   ? (int64_t)c->size * c->size
         : c->kind == NETWORKS_ROPES ? 100 * (int64_t)c->size
                                     : c->size;
}

Test(bench, every_case_has_a_golden_state_in_this_precision) {
  int count;
  const speed_case *cases = speed_cases(&count);
  for (int n = 0; n < count; n++) {
    const golden_hash *golden = golden_find(cases[n].name);
    cr_assert_not_null(golden, "%s", cases[n].name);
    cr_expect_eq(golden->substeps, SPEED_CHECKED_SUBSTEPS, "%s", cases[n].name);
  }
}

Test(bench, golden_states_are_met) {
  int count, met = 0;
  const speed_case *cases = speed_cases(&count);
  for (int n = 0; n < count; n++) {
    if (particles_of(&cases[n]) > SMALL)
      continue;
    uint64_t hash;
    cr_assert(speed_hash(&cases[n], &hash));
    cr_expect_eq(hash, golden_find(cases[n].name)->hash, "%s", cases[n].name);
    met++;
  }
  cr_assert_geq(met, 4);
}

static speed_result measure(const speed_case *c, const speed_plan *plan) {
  speed_result result;
  const char *why = "";
  cr_assert(speed_measure(c, plan, &result, &why), "%s", why);
  return result;
}

static const speed_case CLOTH = {"cloth 32x32", NETWORKS_CLOTH, 32};

/* 32 x 32: 2*32*31 stretch, 2*31*31 shear, 2*32*30 bend. */
Test(bench, work_is_counted_once_per_spring) {
  const speed_result r = measure(&CLOTH, &(speed_plan){.samples = 1, .seconds = 1e-5});
  cr_expect_eq(r.particles, 1024);
  cr_expect_eq(r.springs, 1984 + 1922 + 1920);
  cr_expect_eq(r.flops, 35.0 * r.springs + 24.0 * r.particles);
  cr_expect_eq(r.state, SPEED_STATE_RIGHT, "%s", speed_state_text(r.state));
  cr_expect(r.msd[0].least > 0 && r.msd[0].least <= r.msd[0].median);
}

Test(bench, wrong_states_are_told) {
  /* Another network under the name of one that is on record, and a name that is not. */
  const speed_case wrong = {"cloth 32x32", NETWORKS_CLOTH, 31}, unknown = {"cloth 31x31", NETWORKS_CLOTH, 31};
  const speed_plan plan = {.samples = 1, .seconds = 1e-5};
  cr_expect_eq(measure(&wrong, &plan).state, SPEED_STATE_WRONG);
  cr_expect_eq(measure(&unknown, &plan).state, SPEED_STATE_UNKNOWN);
}

/* In 16 substeps particles go up to 16 * 1e-4 s * 0.05 m/s = 80 um along each axis. The textbook loop rounds
   otherwise; LAMMPS has no dampers, whose part in that time is about 16 dt mu/m = 1.6 % of each spring's. */
Test(bench, rivals_move_the_same_network) {
  speed_plan plan = {.samples = 1, .seconds = 1e-5, .textbook = true};
  for (int p = 0; p < PEER_COUNT; p++)
    plan.peers[p] = peers_found((peer)p);
  const speed_result r = measure(&CLOTH, &plan);
  cr_expect_lt(r.rivals[SPEED_TEXTBOOK].distance, 1e-6);
  for (int p = 0; p < PEER_COUNT; p++) {
    const speed_rival *rival = &r.rivals[SPEED_PEERS + p];
    if (!plan.peers[p])
      continue;
    cr_expect(rival->time.least > 0, "%s", peers_name((peer)p));
    cr_expect_lt(rival->distance, p == PEER_BULLET ? 2e-4 : 1e-5, "%s: %g m", peers_name((peer)p),
                 rival->distance);
  }
}

Test(bench, peers_have_names_and_packages) {
  for (int p = 0; p < PEER_COUNT; p++) {
    cr_expect_str_eq(speed_rival_name(SPEED_PEERS + p), peers_name((peer)p));
    cr_expect_not_null(strstr(peers_packages((peer)p), peers_name((peer)p)));
  }
  cr_expect_str_eq(speed_rival_name(SPEED_TEXTBOOK), "textbook");
}

Test(bench, surfaces_do_not_intersect) {
  int count;
  const contact_case *cases = contact_cases(&count);
  cr_expect_gt(count, 0);
  for (int n = 0; n < count; n++)
    cr_expect(cases[n].frames > 0 && cases[n].frames <= 20, "%s", cases[n].name);
  const contact_case small = {"crumple", CONTACT_CRUMPLE, 12, 16, 20, 3};
  contact_result r;
  cr_assert(contact_measure(&small, &r));
  cr_expect(r.is_one_state);
  cr_expect_eq(r.particles, 12 * 16);
  cr_expect_eq(r.triangles, 2 * 11 * 15);
  cr_expect_eq(r.intersections, 0);
  for (int way = 0; way < CONTACT_THREADS; way++)
    cr_expect(r.seconds[way] > 0 && r.bare_seconds[way] > 0);
}

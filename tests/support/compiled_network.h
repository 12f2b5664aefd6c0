/* Compiled networks of graphs, and that nothing of them is lost. */
#ifndef MSD_TESTS_COMPILED_NETWORK_H
#define MSD_TESTS_COMPILED_NETWORK_H

#include "tests/support/network_visits.h"

static inline network_source source_of(const graph *g, const msd_real *rest) {
  return (network_source){
      .particle_count = g->particles, .spring_count = g->springs, .a = g->a, .b = g->b, .rest = rest};
}

static inline void compile(network *n, memory *m, const graph *g, const msd_real *rest) {
  const network_source source = source_of(g, rest);
  cr_assert(network_compile(n, m, &source));
}

/* Every unbroken spring is met once by each of its ends, with the other end as its partner, and nothing else
   is met. */
static inline void assert_every_spring_once_per_end(const char *name, const network *n, const graph *g,
                                                    const bool *broken) {
  int32_t *met = calloc((size_t)g->springs + 1, sizeof *met);
  visits v = {0};
  cr_assert_not_null(met);
  for (int32_t i = 0; i < g->particles; i++) {
    visit_particle(&v, n, i);
    for (int k = 0; k < v.count; k++) {
      const int32_t s = v.list[k].spring, partner = v.list[k].partner;
      cr_assert(s >= 0 && s < g->springs, "%s: particle %d meets spring %d", name, i, s);
      cr_assert((g->a[s] == i && g->b[s] == partner) || (g->b[s] == i && g->a[s] == partner),
                "%s: particle %d meets spring %d (%d to %d) with partner %d", name, i, s, g->a[s], g->b[s],
                partner);
      met[s]++;
    }
    for (int k = 1; k < v.count; k++)
      for (int other = 0; other < k && v.count < 50; other++)
        cr_assert_neq(v.list[k].spring, v.list[other].spring, "%s: particle %d meets spring %d twice", name,
                      i, v.list[k].spring);
  }
  for (int32_t s = 0; s < g->springs; s++)
    cr_assert_eq(met[s], broken && broken[s] ? 0 : 2, "%s: spring %d is met %d times", name, s, met[s]);
  free(v.list);
  free(met);
}

#endif

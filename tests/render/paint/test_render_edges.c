#include "render/paint/edges.h"

#include <criterion/criterion.h>

Test(edges, an_edge_is_found_in_either_direction) {
  edge memory[3];
  edge_set set = {.edges = memory};
  edge_set_add(&set, 7, 2);
  edge_set_add(&set, 2, 3);
  edge_set_add(&set, 0, 9);
  edge_set_sort(&set);
  cr_expect(edge_set_has(&set, 2, 7) && edge_set_has(&set, 7, 2) && edge_set_has(&set, 3, 2));
  cr_expect(edge_set_has(&set, 0, 9));
  cr_expect_not(edge_set_has(&set, 3, 7));
  cr_expect_not(edge_set_has(&set, 0, 2));
}

Test(edges, an_empty_set_has_none) {
  edge_set set = {0};
  edge_set_sort(&set);
  cr_expect_not(edge_set_has(&set, 0, 1));
}

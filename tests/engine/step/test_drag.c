/* What drag leaves of a velocity, against the exponential of the C library. */
#include "engine/step/drag.h"

#include <criterion/criterion.h>
#include <math.h>

Test(drag, drag_leaves_what_the_exponential_says) {
  for (double u = 0; u < 800; u = u * 1.01 + 1e-4) {
    const double found = drag_decay(u, 1), wanted = exp(-u);
    cr_assert(fabs(found - wanted) <= 1e-15, "exp(-%g): %.17g, not %.17g", u, found, wanted);
    if (u <= 0.5)
      cr_assert(fabs(found - wanted) <= 1e-15 * wanted);
    if (u <= 700)
      cr_assert(fabs(found - wanted) <= 1e-12 * wanted, "exp(-%g): %.17g, not %.17g", u, found, wanted);
  }
}

Test(drag, drag_takes_nothing_without_rate_or_time_and_everything_in_the_end) {
  cr_assert_eq(drag_decay(0, 1), 1);
  cr_assert_eq(drag_decay(1, 0), 1);
  cr_assert_eq(drag_decay(1e300, 1e300), 0);
  cr_assert_eq(drag_decay(1e4, 1), 0);
  cr_assert(drag_decay(1e-17, 1) <= 1 && drag_decay(1e-17, 1) > 1 - 1e-15);
}

Test(drag, more_drag_never_leaves_more) {
  double before = 1;
  for (double u = 0; u < 900; u = u * 1.001 + 1e-5) {
    const double left = drag_decay(u, 1);
    cr_assert(left <= before * (1 + 1e-15) && left >= 0, "exp(-%g)", u);
    before = left;
  }
}

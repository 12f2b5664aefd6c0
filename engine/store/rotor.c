#include "engine/store/rotor.h"

#include <math.h>

double rotor_inverse(msd_real inertia) {
  const double inverse = 1 / (double)inertia;
  return isfinite(inertia) && inertia > 0 && isfinite(inverse) && inverse > 0 ? inverse : 0;
}

static const growth_array arrays[] = {
    GROWTH_ARRAY(rotor_store, angle),
    GROWTH_ARRAY(rotor_store, velocity),
    GROWTH_ARRAY(rotor_store, torque),
    GROWTH_ARRAY(rotor_store, inverse_inertia),
    GROWTH_ARRAY(rotor_store, inertia),
    GROWTH_ARRAY(rotor_store, valence),
    {offsetof(rotor_store, work), ROTOR_WORK_ARRAYS * sizeof(double), false},
};
const growth_table rotor_growth = GROWTH(rotor_store, count, capacity, arrays, .most = INT32_MAX);

void rotor_store_free(rotor_store *r, memory *m) {
  growth_free(&rotor_growth, r, m);
  *r = (rotor_store){0};
}

#include <msd/damped_spring.h>
#include <msd/msd.h>

#include <math.h>

/* Half the distance remains after one halflife. */
int main(void) {
  const double x = msd_damper(1.0, 0.0, 0.25, 0.25);
  return msd_precision() == (int)sizeof(msd_real) && fabs(x - 0.5) < 1e-12 ? 0 : 1;
}

#include <msd/damped_spring.h>
#include <msd/msd.h>

#include <cmath>

/* Half the distance remains after one halflife. */
int main() {
  const double x = msd_damper(1.0, 0.0, 0.25, 0.25);
  return msd_precision() == static_cast<int>(sizeof(msd_real)) && std::fabs(x - 0.5) < 1e-12 ? 0 : 1;
}

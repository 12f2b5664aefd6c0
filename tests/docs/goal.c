#include <msd/damped_spring.h>
#include <stdio.h>

int main(void) {
  const double step = 1.0 / 60;
  const msd_damped_spring spring = msd_damped_spring_make_critical(0.15, step); /* half-life 0.15 s */
  double x = 0, v = 0;
  for (int frame = 0; frame < 30; frame++) {
    msd_damped_spring_update(&spring, &x, &v, 1.0); /* goal 1 */
    printf("%.3f\n", x);
  }
}

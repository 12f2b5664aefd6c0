/* What tests hold certified limits against: eigenvalues of dense symmetric matrices. */
#ifndef MSD_TESTS_SUPPORT_EIGENVALUE_H
#define MSD_TESTS_SUPPORT_EIGENVALUE_H

#include <math.h>

typedef struct spectrum {
  double least, most;
} spectrum;

/* Of a symmetric n x n matrix, which is used up, whose rows are `stride` apart: by Jacobi rotations (Golub and
   Van Loan, section 8.5). */
static inline spectrum spectrum_of(double *m, int n, int stride) {
  for (int sweep = 0; sweep < 60; sweep++) {
    double off = 0, on = 0;
    for (int p = 0; p < n; p++)
      for (int q = 0; q < n; q++)
        *(p == q ? &on : &off) += m[p * stride + q] * m[p * stride + q];
    if (off <= 1e-26 * on)
      break;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (m[p * stride + q] == 0)
          continue;
        const double tau = (m[q * stride + q] - m[p * stride + p]) / (2 * m[p * stride + q]);
        const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
        const double c = 1 / sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < n; k++) {
          const double kp = m[k * stride + p], kq = m[k * stride + q];
          m[k * stride + p] = c * kp - s * kq;
          m[k * stride + q] = s * kp + c * kq;
        }
        for (int k = 0; k < n; k++) {
          const double pk = m[p * stride + k], qk = m[q * stride + k];
          m[p * stride + k] = c * pk - s * qk;
          m[q * stride + k] = s * pk + c * qk;
        }
      }
  }
  spectrum found = {INFINITY, -INFINITY};
  for (int p = 0; p < n; p++) {
    found.least = fmin(found.least, m[p * stride + p]);
    found.most = fmax(found.most, m[p * stride + p]);
  }
  return found;
}

/* The largest; 0 of a matrix of no size. */
static inline double largest_eigenvalue(double *m, int n, int stride) {
  return n > 0 ? spectrum_of(m, n, stride).most : 0;
}

#endif

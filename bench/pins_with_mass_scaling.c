/* pins [NETWORKS]: stability of pins and other hard constraints with selective mass scaling, by dense matrices.
   Prints the table of bench/notes/mass_scaling.md as comma-separated values.

   Tries NETWORKS (100 by default) random networks of 10 particles in the plane. Masses are spread over a factor
   of 10^4 and stiffnesses over 10^8. A third of the particles are constrained, half of those in one direction
   only, as by a plane without friction. Let dt = 1, K and D be stiffness and damping in one configuration, and
   C the exact inverse of W = B (engine/scaling/mass_scaling.h). Then a substep is

       u' = R (u - C (K x + D u)),    x' = x + u'

   where R is the effect of the constraints on the displacement u. P is the projection on the constrained
   directions:

       none             R = 1
       hard             R = 1 - P, as an impenetrable plane
       impulses         R = 1 - C M P: an impulse through C, as of hard length limits and colliders
       impulses_4       R = (1 - C M P)^4
       impulses_4_hard  R = (1 - P)(1 - C M P)^4: separating planes then remove the remaining displacement
       exact            R = 1 - C P (P C P)^-1 P, the projection in the norm of W

   A root above 1 grows without limit. Each network is tried without damping, and with D = dt K. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 10, SPRINGS = 20, SIZE = 2 * PARTICLES, STATE = 2 * SIZE, NETWORKS = 100, SQUARINGS = 24 };
static const double RADIUS = 3.92, ABOVE = 1e-4;

typedef double matrix[SIZE][SIZE];
typedef double step_matrix[STATE][STATE];

typedef enum holding { FREE, HARD, IMPULSES, TURNS, CELLS, EXACT, HOLDINGS } holding;

typedef struct model {
  double mass[PARTICLES];
  matrix stiffness, damping, inverse, held;
} model;

static double random_unit(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* --------------------------------------------------------------------------------------------- matrices */

static void multiply(matrix out, matrix a, matrix b) {
  matrix product = {{0}};
  for (int i = 0; i < SIZE; i++)
    for (int k = 0; k < SIZE; k++)
      for (int j = 0; j < SIZE; j++)
        product[i][j] += a[i][k] * b[k][j];
  memcpy(out, product, sizeof product);
}

static void set_identity(matrix m) {
  memset(m, 0, sizeof(matrix));
  for (int i = 0; i < SIZE; i++)
    m[i][i] = 1;
}

/* Inverts a symmetric positive definite matrix by Gauss-Jordan elimination. */
static void invert(matrix out, matrix of) {
  matrix a;
  memcpy(a, of, sizeof a);
  set_identity(out);
  for (int p = 0; p < SIZE; p++) {
    const double pivot = a[p][p];
    for (int j = 0; j < SIZE; j++) {
      a[p][j] /= pivot;
      out[p][j] /= pivot;
    }
    for (int i = 0; i < SIZE; i++) {
      const double factor = i == p ? 0 : a[i][p];
      for (int j = 0; j < SIZE; j++) {
        a[i][j] -= factor * a[p][j];
        out[i][j] -= factor * out[p][j];
      }
    }
  }
}

/* The largest |root|: the 2^n-th root of the norm of the 2^n-th power. */
static double spectral_radius(step_matrix a) {
  static step_matrix square;
  double logarithm = 0;
  for (int n = 0; n <= SQUARINGS; n++) {
    double norm = 0;
    for (int i = 0; i < STATE; i++)
      for (int j = 0; j < STATE; j++)
        norm = fmax(norm, fabs(a[i][j]));
    if (norm == 0)
      return 0;
    logarithm += log(norm) / (double)(1 << n);
    memset(square, 0, sizeof square);
    for (int i = 0; i < STATE; i++)
      for (int k = 0; k < STATE; k++)
        for (int j = 0; j < STATE; j++)
          square[i][j] += a[i][k] / norm * (a[k][j] / norm);
    memcpy(a, square, sizeof square);
  }
  return exp(logarithm);
}

/* --------------------------------------------------------------------------------------------- networks */

/* Adds `factor` times the projection of the difference of a and b on a direction, or on all directions if it is
   NULL. */
static void add_pair(matrix m, int a, int b, const double *along, double factor) {
  for (int c = 0; c < 2; c++)
    for (int e = 0; e < 2; e++) {
      const double value = factor * (along ? along[c] * along[e] : c == e);
      m[2 * a + c][2 * a + e] += value;
      m[2 * b + c][2 * b + e] += value;
      m[2 * a + c][2 * b + e] -= value;
      m[2 * b + c][2 * a + e] -= value;
    }
}

static void make_held(model *s, uint64_t *state) {
  for (int i = 0; i < PARTICLES; i += 3) {
    const double angle = 6.283185307179586 * random_unit(state);
    const double along[2] = {cos(angle), sin(angle)};
    for (int c = 0; c < 2; c++)
      for (int e = 0; e < 2; e++)
        s->held[2 * i + c][2 * i + e] = i % 2 ? along[c] * along[e] : c == e;
  }
}

static void make_network(model *s, uint64_t seed, bool damped) {
  uint64_t state = seed;
  int valence[PARTICLES] = {0}, ends[SPRINGS][2];
  matrix b = {{0}};
  *s = (model){.mass = {0}};
  for (int i = 0; i < PARTICLES; i++)
    s->mass[i] = b[2 * i][2 * i] = b[2 * i + 1][2 * i + 1] = pow(10, 4 * random_unit(&state) - 2);
  for (int e = 0; e < SPRINGS; e++) {
    ends[e][0] = e % PARTICLES;
    ends[e][1] = (e + 1 + (e < PARTICLES ? 0 : (int)(random_unit(&state) * (PARTICLES - 2)))) % PARTICLES;
    valence[ends[e][0]]++;
    valence[ends[e][1]]++;
  }
  for (int e = 0; e < SPRINGS; e++) {
    const int i = ends[e][0], j = ends[e][1];
    const double angle = 6.283185307179586 * random_unit(&state), along[2] = {cos(angle), sin(angle)};
    const double stiffness = pow(10, 8 * random_unit(&state) - 2), damping = damped ? stiffness : 0;
    const double share = 1 / (valence[i] / s->mass[i] + valence[j] / s->mass[j]);
    add_pair(s->stiffness, i, j, along, stiffness);
    add_pair(s->damping, i, j, along, damping);
    add_pair(b, i, j, NULL, fmax(0, (stiffness + 2 * damping) / RADIUS - share));
  }
  invert(s->inverse, b);
  make_held(s, &state);
}

/* C M P */
static void make_impulses(model *s, matrix out) {
  matrix massed;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      massed[i][j] = s->mass[i / 2] * s->held[i][j];
  multiply(out, s->inverse, massed);
}

/* C P (P C P + 1 - P)^-1 P */
static void make_exact(model *s, matrix out) {
  matrix within, inverse;
  multiply(within, s->held, s->inverse);
  multiply(within, within, s->held);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      within[i][j] += (i == j) - s->held[i][j];
  invert(inverse, within);
  multiply(out, s->inverse, s->held);
  multiply(out, out, inverse);
  multiply(out, out, s->held);
}

static void one_less(matrix m) {
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      m[i][j] = (i == j) - m[i][j];
}

static void make_holding(model *s, holding how, matrix r) {
  matrix hard;
  memcpy(hard, s->held, sizeof hard);
  one_less(hard);
  memset(r, 0, sizeof(matrix));
  if (how == HARD)
    memcpy(r, s->held, sizeof(matrix));
  else if (how == EXACT)
    make_exact(s, r);
  else if (how != FREE)
    make_impulses(s, r);
  one_less(r);
  for (int n = 0; n < 2 && (how == TURNS || how == CELLS); n++)
    multiply(r, r, r);
  if (how == CELLS)
    multiply(r, hard, r);
}

static double largest_root(model *s, holding how) {
  static step_matrix step;
  matrix r, by_place, by_way;
  make_holding(s, how, r);
  multiply(by_place, s->inverse, s->stiffness);
  multiply(by_place, r, by_place);
  multiply(by_way, s->inverse, s->damping);
  one_less(by_way);
  multiply(by_way, r, by_way);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      step[i][j] = (i == j) - by_place[i][j];
      step[SIZE + i][j] = -by_place[i][j];
      step[i][SIZE + j] = step[SIZE + i][SIZE + j] = by_way[i][j];
    }
  return spectral_radius(step);
}

int main(int argc, char **argv) {
  static const char *const names[HOLDINGS] = {"none", "hard", "impulses", "impulses_4", "impulses_4_hard",
                                              "exact"};
  char *end = "";
  const long networks = argc > 1 ? strtol(argv[1], &end, 10) : NETWORKS;
  if (argc > 2 || *end != '\0' || networks < 1 || networks > 1000000) {
    fprintf(stderr, "usage: pins [NETWORKS]: number of random networks [%d]\n", NETWORKS);
    return 2;
  }
  printf("constraint,damping,networks,with_root_above_1,largest_root\n");
  for (int damped = 0; damped < 2; damped++)
    for (int how = 0; how < HOLDINGS; how++) {
      long above = 0;
      double largest = 0;
      for (long n = 0; n < networks; n++) {
        static model s;
        make_network(&s, (uint64_t)n, damped);
        const double root = largest_root(&s, (holding)how);
        above += root > 1 + ABOVE;
        largest = fmax(largest, root);
      }
      printf("%s,%s,%ld,%ld,%.4f\n", names[how], damped ? "dt k" : "none", networks, above, largest);
    }
  return 0;
}

/* Bounds on constraints for the analysis of bound.h.

   Linearized in a configuration, a constraint with the gradients g_j, stiffness k and damping mu has

       K = k g g' + k C H,    D = mu g g',        H the Hessian of C.

   Its diagonal term at corner j is a number own_j with sum own_j |x_j|^2 >= x' (dt^2 K + 2 dt D) x for all x.

   The Gauss-Newton term g g'. For any positive a, by Cauchy and Schwarz,

       (sum g_j . x_j)^2 <= (sum a_j) sum |g_j|^2 |x_j|^2 / a_j.

   Each law has its own best a, with m = 1/sum w_j |g_j|^2 and m^ = 1/sum n_j w_j |g_j|^2 of the reference
   configuration:

       law                                     a_j                own_j                         holds in
       stiffness, frequency: k, mu             |g_j|              kappa |g_j| sum of |g|        the current one
       coefficient: k = ck m/dt^2 ...          w_j |g_j|^2        (ck + 2 cd)/w_j               every one
       max_stable: k = m^/dt^2, mu = m^/dt     n_j w_j |g_j|^2    (1 + 2)/(n_j w_j)             every one

   Coefficients hold in every configuration because the substep softens them where they would exceed those of
   the reference configuration. The last row lets springs and constraints share a particle: taken together,
   the max_stable ones use 3 of the 4 that each particle has, for any substep and any type.

   The geometric term k C H belongs to a force that rotates with the configuration. It needs shorter substeps
   only where k C H has positive eigenvalues; negative ones cause buckling, as in a compressed spring. Bounds
   of the positive side, with E = |C| unless said otherwise:

   - angle, with legs a and b from the middle. In the plane each leg has (t r' + r t')/a^2, with r along it
     and t across, which is at most 1/a^2. Out of the plane, with p and q the displacements of the tips over
     their legs, it is p^2 cot + q^2 cot - 2 p q / sin, with the eigenvalues cot(theta/2) and -tan(theta/2).
     So with E = max(|C|, C cot(theta/2), -C tan(theta/2)), which stays below pi for a rest angle of 0..pi, C
     H <= E (|x0 - x1|^2/a^2 + |x2 - x1|^2/b^2), and |x0 - x1|^2 <= 2 |x0|^2 + 2 |x1|^2.
   - dihedral. Let y = x_tip - (1-s) x_0 - s x_1 be the displacement of a tip from its foot on the edge e, h
     its height, u = x_1 - x_0, and n (normal), t (height), r (edge) the directions. Each triangle adds -2
     (t.y)(n.y)/h^2 - 2 (r.y)(n.u)/(h e) - (t.u)(n.u)/e^2 to x' H x. That is at most |y|^2/h^2 + 3/2 |u|^2/e^2
     in size, and |y|^2 <= (1 + |1-s| + |s|)(|x_tip|^2 + |1-s| |x_0|^2 + |s| |x_1|^2).
   - area. x' H x = |the change of n orthogonal to n|^2/(4 A) + n^ . (x0 x x1 + x1 x x2 + x2 x x0). With the
     opposite sides e that is at most (sum |e_j| |x_j|)^2/(4 A) and E at each corner. The first term is out of
     the plane, where g g' vanishes, and C/A times the bound of g g' in it. Up to C = A the one bound serves
     both, and C is larger only if the rest area is negative.
   - volume. The block of two corners is the cross product with the edge between the other two, over 6.
   - closed mesh. The same with the edge that joins the opposite corners of the two triangles, for each edge
     of the mesh; at most the sum of the two other edges that leave the vertex.

   This term depends on the current configuration, so stiff constraints are not proven stable in every
   configuration. All bounds in the current configuration have a margin of CONSTRAINT_MARGIN: |g|^2 may
   double, or E of an angle grow from 0 to about 1, before the bound is wrong.

   Beyond the margin the substep softens constraints in every configuration to the stiffness budget that they
   have (softening_weights.h). Diagonal terms therefore cover both the bounds above and the desired budget, so
   that none is softened in the current configuration, and at least SOFTENING_LEFT_LEAST, so that none is soon
   after. Automatic substeps follow a deforming constraint only up to a limit (SOFTENED_FOLLOWED); a collapsed
   or inflated one is softened instead.

   Fibers need neither margin nor budget: fiber_bound.h bounds them in every configuration. Diagonal terms for
   them are used only for coefficient laws, and for all if stiffness clamping turns them into coefficients.

   Coefficients count without their geometric term ck m C H. It does not depend on the substep, so more
   substeps do not help, and only their Gauss-Newton term is proven stable. In 1500 random networks of
   max_stable springs and constraints of all types, between 5 to 10 particles, the whole matrix exceeds 4 in
   19. */
#ifndef MSD_ENGINE_STABILITY_CONSTRAINT_BOUND_H
#define MSD_ENGINE_STABILITY_CONSTRAINT_BOUND_H

#include "engine/stability/bound.h"

/* The safety factor for all bounds in the current configuration. */
#define CONSTRAINT_MARGIN 2.0

/* Adds the diagonal terms of all constraints, and counts the constraints at each particle. limited_dt 0: as
   defined; else as stiffness clamping softens them at that substep. */
void constraint_bound_fill(analysis *a, double limited_dt);

/* The demands of constraints with a stiffness budget on the mass of each particle, for an analysis that has
   left them out. `used` is what they need. `wanted`: a budget b suffices for all of them if each free
   particle has a mass of at least wanted/b. is_held: as automatic substeps follow them. */
void constraint_bound_demands(analysis *a, bool is_held, step_load *used, step_load *wanted);

/* The number of constraints that stiffness clamping softens at dt. Lowers *least to the smallest remaining
   fraction of stiffness. */
int32_t constraint_bound_capped(const world_model *model, double dt, double *least);

/* The influence of one constraint at dt. */
typedef struct constraint_influence {
  /* x' (its diagonal terms) x; the analogue for a spring is (x_a + x_b)^2 kappa. */
  double part;
  /* The kappa of a spring with the same load at each of its ends: half the mean diagonal term. */
  double weight;
} constraint_influence;

constraint_influence constraint_bound_influence(const analysis *a, int32_t constraint, double dt);

/* Returns whether every constraint is bounded in every configuration. */
bool constraint_bound_every_shape(const world_model *model);

/* The requirements of sequential impulses for constraints: whether any is stiff or damped, and the largest dt
   at which cd of all is at most cd_max; INFINITY if it always is, 0 if it never is. */
typedef struct constraint_impulse_bound {
  bool is_stiff, is_damped;
  double step;
} constraint_impulse_bound;

constraint_impulse_bound constraint_bound_impulses(const world_model *model, double cd_max);

#endif

/* Bounds on springs on constraints for the analysis of bound.h.

   Linearised at a shape, a constraint with the gradients g_j, stiffness k and damping mu has

       K = k g g' + k C H,    D = mu g g',        H the Hessian of C.

   Its own term at corner j is a number own_j with sum own_j |x_j|^2 >= x' (dt^2 K + 2 dt D) x for all x.

   The Gauss-Newton part g g'. For any positive a, by Cauchy and Schwarz,

       (sum g_j . x_j)^2 <= (sum a_j) sum |g_j|^2 |x_j|^2 / a_j,

   and of the terms that the shape makes each has its own best a, with m = 1/sum w_j |g_j|^2 and m^ = 1/sum
   n_j w_j |g_j|^2 of the shape in which the constraint was placed:

       law                                     a_j                own_j                         holds at
       physical, frequency: k, mu              |g_j|              kappa |g_j| sum of |g|        this shape
       coefficient: k = ck m/dt^2 ...          w_j |g_j|^2        (ck + 2 cd)/w_j               every shape
       stiffest: k = m^/dt^2, mu = m^/dt       n_j w_j |g_j|^2    (1 + 2)/(n_j w_j)             every shape

   Coefficients hold at every shape as the step softens them where they would be more than at the placed
   one. The last row is what lets springs and constraints share: taken together, the stiffest ones use 3 of
   the 4 that each particle has, at any step, whatever their kinds.

   The geometric part k C H is that of a force which turns with the shape. It asks for smaller steps only
   where k C H has positive eigenvalues; negative ones let the shape buckle, as a compressed spring does.
   Bounds of the positive side, with E = |C| unless said otherwise:

   - angle, with legs a and b from the middle. In the plane each leg has (t r' + r t')/a^2, with r along it
     and t across, which is at most 1/a^2. Out of the plane, with p and q the displacements of the tips over
     their legs, it is p^2 cot + q^2 cot - 2 p q / sin, with the eigenvalues cot(theta/2) and -tan(theta/2).
     So with E = max(|C|, C cot(theta/2), -C tan(theta/2)), which stays below pi for a rest angle of 0..pi, C
     H <= E (|x0 - x1|^2/a^2 + |x2 - x1|^2/b^2), and |x0 - x1|^2 <= 2 |x0|^2 + 2 |x1|^2.
   - dihedral. With y = x_tip - (1-s) x_0 - s x_1 the displacement of a tip from its foot on the edge e, h its
     height, u = x_1 - x_0 and the directions n (normal), t (height), r (edge), each triangle adds -2
     (t.y)(n.y)/h^2 - 2 (r.y)(n.u)/(h e) - (t.u)(n.u)/e^2 to x' H x, which is at most |y|^2/h^2 + 3/2
     |u|^2/e^2 in size; and |y|^2 <= (1 + |1-s| + |s|)(|x_tip|^2 + |1-s| |x_0|^2 + |s| |x_1|^2).
   - area. x' H x = |the change of n across itself|^2/(4 A) + n^ . (x0 x x1 + x1 x x2 + x2 x x0). With the
     opposite sides e that is at most (sum |e_j| |x_j|)^2/(4 A) and E at each corner. The first term is out of
     the plane, where g g' is nothing, and C/A times the bound of g g' in it: up to C = A the one bound serves
     both, and C is larger only if the rest area is negative.
   - volume. The block of two corners is the cross product with the edge between the other two, over 6.
   - closed mesh. The same with the edge that joins the opposite corners of the two triangles, for each edge
     of the mesh; at most the sum of the two other edges that leave the vertex.

   This part belongs to the present shape, so that stiff constraints are not certified at every shape. All
   that is taken at the present shape has a margin of CONSTRAINT_MARGIN: |g|^2 may double, or E of an angle
   grow from 0 to about 1, before the bound is wrong.

   What no margin covers the step does: it softens constraints at every shape to what a substep has for them
   (softening_weights.h). Own terms therefore cover both the bounds above and the room that is wanted, so
   that none is softened at the present shape, and at least SOFTENING_LEFT_LEAST, so that none is soon
   after. Automatic substeps follow shapes only so far (SOFTENED_FOLLOWED); what has collapsed or blown up
   is softened instead.

   Fibres have neither margin nor room: fibre_bound.h has their bound at every shape. Own terms are only
   those by coefficients, and all where a limit makes coefficients of them.

   Coefficients count without their geometric part ck m C H: it does not depend on the step, so no number of
   substeps makes room for it, and only their Gauss-Newton part is certified. In 1500 tangles of the
   stiffest springs and constraints of all kinds, between 5 to 10 particles at random places, the whole
   matrix exceeds 4 in 19. */
#ifndef MSD_ENGINE_STABILITY_CONSTRAINT_BOUND_H
#define MSD_ENGINE_STABILITY_CONSTRAINT_BOUND_H

#include "engine/stability/bound.h"

/* Of all that is taken at the present shape. */
#define CONSTRAINT_MARGIN 2.0

/* Adds the own terms of all constraints, and counts the constraints at each particle. limited_dt 0: as they
   are defined; otherwise as MSD_LIMIT_COEFFICIENTS softens them at that substep. */
void constraint_bound_fill(analysis *a, double limited_dt);

/* What those that take room ask of the mass of each particle, for an analysis that has left them out: what
   they use, and what makes `room` enough for all of them where each free particle has wanted/room or more.
   is_held: as automatic substeps follow them. */
void constraint_bound_demands(analysis *a, bool is_held, step_load *used, step_load *wanted);

/* How many constraints MSD_LIMIT_COEFFICIENTS softens at dt; lowers *least to what it leaves of the stiffness
   of the one that loses most. */
int32_t constraint_bound_capped(const world_model *model, double dt, double *least);

/* What one constraint does at dt. */
typedef struct constraint_influence {
  /* x' (its own terms) x; of a spring (x_a + x_b)^2 kappa. */
  double part;
  /* The kappa of a spring that would weigh as much at each of its ends: half the mean own term. */
  double weight;
} constraint_influence;

constraint_influence constraint_bound_influence(const analysis *a, int32_t constraint, double dt);

/* Whether every constraint is bounded at every shape. */
bool constraint_bound_every_shape(const world_model *model);

/* What sequential impulses ask of constraints: whether any is stiff or damped, and the largest dt at which cd
   of all is at most cd_max; INFINITY when it is at any dt, 0 when it is at none. */
typedef struct constraint_impulse_bound {
  bool is_stiff, is_damped;
  double step;
} constraint_impulse_bound;

constraint_impulse_bound constraint_bound_impulses(const world_model *model, double cd_max);

#endif

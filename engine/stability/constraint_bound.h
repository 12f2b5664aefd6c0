/* Bounds on springs on constraints for the analysis of stability_bound.h.

   Linearised at a shape, a constraint with the gradients g_j, stiffness k and damping mu has

       K = k g g' + k C H,    D = mu g g',        H the Hessian of C.

   Its own term at corner j is a number own_j with sum own_j |x_j|^2 >= x' (dt^2 K + 2 dt D) x for all x.

   The Gauss-Newton part g g'. For any positive a, by Cauchy and Schwarz,

       (sum g_j . x_j)^2 <= (sum a_j) sum |g_j|^2 |x_j|^2 / a_j,

   and each law has its own best a, with m = 1/sum w_j |g_j|^2 and m^ = 1/sum n_j w_j |g_j|^2:

       law                                     a_j                own_j                         holds at
       physical: k, mu                         |g_j|              kappa |g_j| sum of |g|        this shape
       coefficient: k = ck m/dt^2 ...          w_j |g_j|^2        (ck + 2 cd)/w_j               every shape
       frequency: k = m W^2, mu = 2 zeta m W   w_j |g_j|^2        (dt^2 W^2 + 4 dt zeta W)/w_j  every shape
       stiffest: k = m^/dt^2, mu = m^/dt       n_j w_j |g_j|^2    (1 + 2)/(n_j w_j)             every shape

   The last is what lets springs and constraints share: over all of them the stiffest use 3 of the 4 that each
   particle has, at any step, whatever their kinds.

   The geometric part k C H is that of a force which turns with the shape. Only where k C H is above zero does it
   ask for smaller steps: below, the shape buckles, as a compressed spring does. The bounds of its upper side, with
   E = |C| unless said otherwise:

   - angle, with legs a and b from the middle. In the plane each leg has (t r' + r t')/a^2, r along it and t across,
     which is at most 1/a^2. Out of the plane, with p and q the displacements of the tips over their legs,
     p^2 cot + q^2 cot - 2 p q / sin, whose eigenvalues are cot(theta/2) and -tan(theta/2). So with
     E = max(|C|, C cot(theta/2), -C tan(theta/2)), which stays below pi for a rest angle of 0..pi,
     C H <= E (|x0 - x1|^2/a^2 + |x2 - x1|^2/b^2), and |x0 - x1|^2 <= 2 |x0|^2 + 2 |x1|^2.
   - dihedral. With y = x_tip - (1-s) x_0 - s x_1 the displacement of a tip from its foot on the edge e, h its
     height, u = x_1 - x_0 and the directions n (normal), t (height), r (edge), each triangle adds
     -2 (t.y)(n.y)/h^2 - 2 (r.y)(n.u)/(h e) - (t.u)(n.u)/e^2 to x' H x, which is within |y|^2/h^2 + 3/2 |u|^2/e^2;
     and |y|^2 <= (1 + |1-s| + |s|)(|x_tip|^2 + |1-s| |x_0|^2 + |s| |x_1|^2).
   - area. x' H x = |the change of n across itself|^2/(4 A) + n^ . (x0 x x1 + x1 x x2 + x2 x x0), with the opposite
     sides e: at most (sum |e_j| |x_j|)^2/(4 A) and E at each corner. The first is out of the plane, where g g' is
     nothing, and C/A times the bound of g g' in it: up to C = A the one bound serves both, and C is more only when
     the rest area is negative.
   - volume. The block of two corners is the cross product with the edge between the others, over 6.
   - closed mesh. The same with the edge that joins the two triangles' other corners, for each edge of the mesh; at
     most the sum of the two other edges that leave the vertex.

   It stands for the present shape, so constraints are certified at every shape only where they are damped and not
   stiff, and that by a coefficient or a ratio. A margin of CONSTRAINT_MARGIN is kept on all that is taken at the
   present shape: until the limit is asked for again, which is at the next msd_world_step, |g|^2 may double, or an
   angle's E grow from 0 to about 1, before what was certified is wrong.

   Folds, the physical springs on angles and dihedral angles, have gradients without bound, and no margin lasts: what
   they take of the radius is bounded by the step itself (constraint_room in constraint.h). Own terms then hold both
   the bounds above and the room that is wanted: the largest load dt^2 k + 2 dt mu over m^ of all folds, so that none is
   softened at the present shape, and CONSTRAINT_ROOM_LEAST more. Automatic substeps count folds that have collapsed
   as what is left of them (FOLDS_HELD).

   Coefficients count without their geometric part, ck m C H: it does not depend on the step, so no substeps make room
   for it, and what is certified of them is the Gauss-Newton part alone. In 1500 tangles of the stiffest springs and
   constraints of all kinds between 5 to 10 particles at random places the whole matrix passes 4 in 19. Such a law is
   no energy's either, since m changes with the shape: constraints that nothing holds together (angles without springs
   along their legs) can drive each other apart, at any step. Networks whose lengths are held have not done it. */
#ifndef MSD_ENGINE_STABILITY_CONSTRAINT_BOUND_H
#define MSD_ENGINE_STABILITY_CONSTRAINT_BOUND_H

#include "engine/stability/bound.h"

#define CONSTRAINT_MARGIN 2.0

/* Adds the own terms of all constraints, and counts the constraints at each particle. limited_dt 0: as they are
   defined; else as MSD_LIMIT_COEFFICIENTS softens them at that substep. */
void constraint_bound_fill(analysis *a, double limited_dt);

/* The room that folds are left at least where the rest of the network uses up what the integrator bears, of 4. */
#define CONSTRAINT_ROOM_LEAST 0.25

/* Whether there are folds that the step softens where their shape needs it. */
bool constraint_bound_has_room(const world_model *model);

/* How many folds `room` softens at dt. */
int32_t constraint_bound_softened(const world_model *model, const constraint_room *room, double dt);

/* How many constraints MSD_LIMIT_COEFFICIENTS softens at dt; lowers *least to what it leaves of the stiffness of the
   one that loses most. */
int32_t constraint_bound_capped(const world_model *model, double dt, double *least);

/* What one constraint does at dt. */
typedef struct constraint_influence {
  double part; /* x' (its own terms) x, as (x_a + x_b)^2 kappa of a spring */
  double
      weight; /* the kappa of a spring that would weigh as much at each of its ends: half of the mean own term */
} constraint_influence;

constraint_influence constraint_bound_influence(const analysis *a, int32_t constraint, double dt);

/* Whether every constraint is bounded at every shape. */
bool constraint_bound_every_shape(const world_model *model);

/* What sequential impulses ask of constraints: whether any is stiff or damped, and the largest dt for which cd of
   all of them is at most cd_max; INFINITY when every dt is, 0 when none is. */
typedef struct constraint_impulse_bound {
  bool is_stiff, is_damped;
  double step;
} constraint_impulse_bound;

constraint_impulse_bound constraint_bound_impulses(const world_model *model, double cd_max);

#endif

/* The terms that mass scaling adds between pairs of particles, for everything that kicks through C
   (mass_scaling.h): springs, fibers and other constraints, and soft pins.

   Each gets a fraction of the masses of its particles: springs that of law.h; a constraint of n corners, for
   each of its pairs, 1/(n - 1) of what a spring would have. So all fractions together are at most M. With
   load = dt^2 k + 2 dt mu, its contribution to x'Wx is bounded by sum kappa (x_i - x_j)^2 over pairs:

       springs        kappa = load at its two ends
       fibers         |sum w_j x_j|^2 = -sum w_i w_j (x_i - x_j)^2 over all pairs, as the w_j sum to 0. So
                      kappa = load |w_i w_j| where w_i w_j < 0, and 0 elsewhere; in every configuration
       others         sum g_j . x_j = sum over pairs of (g_i - g_j)/n . (x_i - x_j), as the g_j sum to 0, and
                      sum |g_i - g_j|^2 = n sum |g_j|^2. So kappa = load sum |g_j|^2/n of each pair, by Cauchy
                      and Schwarz. The bound uses `growth` times the sum of the reference configuration; a
                      substep softens constraints that exceed it (softening_weights.h)
       closed meshes, and constraints with a degenerate reference configuration, are softened to their mass
                      fractions
       soft pins      have no fraction: kappa = load at their particle

   and b = max(0, kappa/3.92 - share) is added. With stiffness clamping all are softened to their fractions,
   and nothing is added. */
#ifndef MSD_ENGINE_SCALING_PAIR_WEIGHTS_H
#define MSD_ENGINE_SCALING_PAIR_WEIGHTS_H

#include "engine/store/model.h"

/* Receives both particles as slots, and b > 0 in kg. The same slot twice means a term against a fixed
   point. */
typedef void scaled_pair_visit(void *context, size_t a, size_t b, double added);

void pair_weights_visit(const world_model *model, double substep, scaled_pair_visit *visit, void *context);

/* dt^2 k + 2 dt mu of a constraint without softening; 0 if it is broken. */
double scaled_constraint_load(const world_model *model, int32_t constraint, double substep);

/* The largest sum of |g_j|^2 of a constraint without softening; 0: it is softened to its mass fraction. Not
   for fibers. */
double scaled_constraint_size(const world_model *model, int32_t constraint);

#endif

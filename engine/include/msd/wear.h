/* msd: what strain does to springs and constraints: they tear, they yield, they stiffen, and they end.
   docs/tearing.md has the formulas and why none of it takes anything of the certified time step. */
#ifndef MSD_WEAR_H
#define MSD_WEAR_H

#include "msd/constraint.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lengths here are relative to the rest length that a spring was given, by msd_add_springs,
   msd_spring_set_rest_length or msd_spring_move_rest_length_to; a spring without one (0 m) neither tears nor
   yields. Of constraints the same holds for the rest value that they were given, by msd_add_constraints or
   msd_constraint_set_rest, but for angles and dihedral angles: their numbers are in rad, and they yield
   whatever they were given.

   Both happen at the end of a step of the world, and of no step that fails or is stopped. Torn springs are
   broken (msd_spring_is_broken), and there is no way back; but they keep their share of the masses at their
   ends, so that the stiffest springs beside them do not become stiffer. With `splits` a step may add particles
   and springs: what a program has looked up of the world is to be looked up anew then, corners of surfaces
   (msd_surface_get_def) and particles of constraints too. A step that finds no memory for that returns
   MSD_OUT_OF_MEMORY: it has been taken, and nothing has torn or yielded. */
typedef struct msd_wear_def {
  /* A spring tears when its mean length during a step is above `tear` times its rest length: the mean of four
     moments, two in the middle of the step and two at its end, so that a vibration tears nothing. Above 1; 0
     (default): never. A strut never does. Of constraints 0. */
  msd_real tear;
  /* A spring yields when its length at the end of a step differs from its rest length by more than `yield`
     times the given one: its rest length then takes over the share `creep` of what is beyond. Above 0; 0
     (default): never. */
  msd_real yield;
  /* Above 0, up to 1 (default): with 1 the force of a spring never stays above that at which it yields. */
  msd_real creep;
  /* The rest length yields no further than to (1 +- set_limit) times the given one, an angle by no more than
     that many rad to either side (pi is as far as a fold can be from it); there it becomes elastic again. What
     is beyond a limit that is set later stays there until it yields back. Above 0; 0 (default): no limit. */
  msd_real set_limit;
  /* A spring that tears does not break, but splits one of its ends, where that is a corner of triangles or
     segments of a surface with the spring as an edge: those towards the spring get a particle of their own,
     behind all others (msd_particle_get_origin), with a share of the mass, and the tear opens between the two.
     What is next to a split, or being let go, waits for another step.
     Nothing vanishes. Where that cannot be, as at pins, it breaks. Wants a `tear`; default false. A world in
     which some spring may split is certified by rows, for a step that may be some per cent shorter. */
  bool splits;
  /* Set by msd_default_wear_def. */
  uint32_t cookie;
} msd_wear_def;

MSD_API msd_wear_def msd_default_wear_def(void);

/* All of a range of springs, or none; what they have yielded stays. The default definition takes away what they
   had. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE (a catch, or a spring that backs another, where the definition
   is not the default), MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_springs_set_wear(msd_world *world, msd_range springs, const msd_wear_def *def);

/* As it was set. */
MSD_API msd_wear_def msd_spring_get_wear(const msd_world *world, int32_t spring);

/* Whether it was its strain that broke a spring. */
MSD_API bool msd_spring_is_torn(const msd_world *world, int32_t spring);

/* rest_length/given rest length - 1: what is left of its strain without any force. 0 of a spring that has not
   yielded. */
MSD_API double msd_spring_get_set(const msd_world *world, int32_t spring);

/* All of a range of constraints, or none, as springs: their rest values yield, so that folds keep a crease and
   wires stay bent. Their stiffness stays as it is. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE (also where `tear`
   is not 0), MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_constraints_set_wear(msd_world *world, msd_range constraints, const msd_wear_def *def);

/* As it was set. */
MSD_API msd_wear_def msd_constraint_get_wear(const msd_world *world, int32_t constraint);

/* By how much the rest value differs from the given one: of angles in rad, of a dihedral angle the short way
   round; of others relative to it. 0 of a constraint that has not yielded. */
MSD_API double msd_constraint_get_set(const msd_world *world, int32_t constraint);

/* Springs that back others: tethers between the same ends, added behind all springs, one for each of a range of
   springs in its order. Their rest lengths stay at one ratio to those of the springs that they back, also when
   those yield or get another one, and they break and tear with them. All or none are added; *made (may be NULL)
   gets their range. A spring may be backed several times, one that backs another not at all. MSD_BAD_INDEX,
   MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */

/* Stiffens: beyond the strain `strain`, >= 0, the springs are `factor` > 1 times as stiff as below. What backs
   them has the law of each with factor - 1 times its stiffness and without damping; not of catches, not of
   struts, which have no tension, and not of MSD_STIFFEST springs, which have no room for more (MSD_BAD_VALUE).
   It counts in the certified time step like any spring. */
MSD_API msd_result msd_springs_stiffen(msd_world *world, msd_range springs, msd_real strain, msd_real factor,
                                       msd_range *made);

/* Limits the length to `stretch` >= 1 times the rest length: by catches of that share, above 0 up to 1, which
   take nothing of the time step (docs/catches.md). */
MSD_API msd_result msd_springs_limit_stretch(msd_world *world, msd_range springs, msd_real stretch,
                                             msd_real share, msd_range *made);

#ifdef __cplusplus
}
#endif

#endif

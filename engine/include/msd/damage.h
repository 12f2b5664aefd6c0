/* msd: damage and plasticity. Strain makes springs tear, yield and stiffen, and makes constraints yield.
   docs/theory/damage.md has the formulas and shows why none of it reduces the stable substep. */
#ifndef MSD_DAMAGE_H
#define MSD_DAMAGE_H

#include "msd/constraint.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rules of damage and plasticity for a spring or constraint.

   Lengths are relative to the initial rest length of a spring: the one set by msd_add_springs,
   msd_spring_set_rest_length or msd_spring_move_rest_length_to, before any yielding. A spring with rest
   length 0 neither tears nor yields. For constraints the same holds for the rest value set by
   msd_add_constraints or msd_constraint_set_rest. Angles and dihedral angles are an exception: their numbers
   are in rad, and they yield whatever their rest value.

   Tearing and yielding happen within a frame, so that their moments do not depend on the frame rate; what has
   happened before a frame fails or is stopped remains. A torn spring is broken for good
   (msd_spring_is_broken). It keeps its part of the masses at its ends, so that neighboring springs with
   MSD_MAX_STABLE do not become stiffer.

   When several connected springs are beyond their limits the one that exceeds its limit most, by length/limit,
   tears first; ties go to the smaller index. The others are asked again when the unloading has had twice the
   time to reach them, at sqrt(m/k) for each spring on its way. Pins stop it. A spring whose strain exceeds one
   and a half times its limit does not wait, unless one beside it tears.

   With `split` a frame may add particles and springs. Counts, views, corners of collision meshes
   (msd_collision_mesh_get_def) and particles of constraints must then be read again. If memory runs out,
   msd_world_step returns MSD_OUT_OF_MEMORY: the frame is complete, and what is due to split or tear waits. */
typedef struct msd_damage_def {
  /* Strain, > 0; default 0: never. The spring tears when its length exceeds (1 + tear_strain) times its initial
     rest length, as the mean of two consecutive substeps: vibrations at the stability limit do not tear it.
     Compression-only springs never tear. Must be 0 for constraints. */
  msd_real tear_strain;
  /* Energy in J, > 0; default 0: never. The spring tears when its own energy k (length - rest)^2/2 exceeds it,
     by the same mean; that of its companion springs does not count. With `tear_strain`, the limit reached
     first counts. A sheet that tears at the energy G per length of cut has G times the length of the cut for
     which the spring stands: it is then as tough on every mesh (docs/theory/damage.md). Must be 0 for
     constraints. */
  msd_real tear_energy;
  /* Strain, or rad for angles, > 0; default 0: never. The spring yields when its length
     differs from its rest length by more than `yield_strain` times the initial rest length. */
  msd_real yield_strain;
  /* Rate in 1/s, > 0; default infinite. The excess over `yield_strain` becomes permanent by exp(-plastic_rate
     time), at least 240 times a second and at the end of each frame. If infinite, at once: the force of a
     spring after a frame never exceeds its yield force. */
  msd_real plastic_rate;
  /* Plastic strain, or rad for angles, > 0; default 0: no limit. The rest length stays within (1 +-
     max_plastic_strain) times the initial one, an angle within that many rad on either side; at the limit the
     material is elastic again. pi allows every dihedral angle. A rest length that is already beyond a new limit
     stays until it yields back. */
  msd_real max_plastic_strain;
  /* Default false. If true, a spring that tears splits one of its ends at the end of the frame instead of
     breaking. That end must be a corner of triangles or segments of a collision mesh in which the spring is an
     edge. The elements on the side of the spring get a new particle with a part of the mass, appended after all
     others (msd_particle_get_origin), and the crack opens between the two. A particle next to a split, or at
     the end of a spring that has just broken, waits for another frame. No triangle or segment is lost. Where
     splitting is impossible, as at pins, the spring breaks.

     Requires `tear_strain` or `tear_energy`. In a world where springs may split, the stable substep is computed
     by rows and may be a few percent shorter. */
  bool split;
  /* Internal mark of an initialized definition. Set by msd_default_damage_def. */
  uint32_t cookie;
} msd_damage_def;

MSD_API msd_damage_def msd_default_damage_def(void);

/* Sets the rules of a range of springs, all of them or none; existing plastic strain remains. The default
   definition removes the rules. Returns:
   - MSD_UNINITIALIZED_DEF if the definition was not initialized.
   - MSD_BAD_INDEX if some of the springs do not exist.
   - MSD_BAD_VALUE if a value is out of its range; and, with rules to set, for a hard length limit or a
     companion spring (below).
   - MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_springs_set_damage(msd_world *world, msd_range springs, const msd_damage_def *def);

/* Returns the rules of a spring; the default definition if it neither tears nor yields. */
MSD_API msd_damage_def msd_spring_get_damage(const msd_world *world, int32_t spring);

/* Returns whether strain has broken a spring. */
MSD_API bool msd_spring_is_torn(const msd_world *world, int32_t spring);

/* Returns the plastic strain, rest length/initial rest length - 1, which remains without any force. 0 for a
   spring that has not yielded. */
MSD_API double msd_spring_get_plastic_strain(const msd_world *world, int32_t spring);

/* Sets the rules of a range of constraints, all of them or none: their rest values yield, so that hinges keep
   creases and wires stay bent. The stiffness does not change. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_INDEX,
   MSD_BAD_VALUE (also if `tear_strain` is not 0) or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_constraints_set_damage(msd_world *world, msd_range constraints,
                                              const msd_damage_def *def);

/* Returns the rules of a constraint; the default definition if it does not yield. */
MSD_API msd_damage_def msd_constraint_get_damage(const msd_world *world, int32_t constraint);

/* Returns how far the rest value has yielded: the difference in rad for angles, by the shorter arc for
   dihedral angles; relative to the initial rest value for other kinds. 0 for a constraint that has not
   yielded. */
MSD_API double msd_constraint_get_plastic_strain(const msd_world *world, int32_t constraint);

/* Companion springs: tension-only springs between the same ends, one for each spring of a range and in the
   same order, appended after all others. Their rest lengths keep a fixed ratio to those of the springs they
   accompany, also when these yield or are set, and they break and tear with them.

   The two functions below add all of them or none, and store their range in *made, which may be NULL. A
   spring can have several companions; a companion cannot have any. They return MSD_BAD_INDEX, MSD_BAD_VALUE,
   MSD_TOO_LARGE or MSD_OUT_OF_MEMORY on failure. */

/* Makes springs stiffer under large strain: beyond the strain `strain` (>= 0) their stiffness is multiplied
   by `factor` (> 1). The companions have the law of each spring with factor - 1 times its stiffness, and no
   damping; they count in the stable substep like any spring. Returns MSD_BAD_VALUE also for hard length
   limits, for compression-only springs, and for springs with MSD_MAX_STABLE, which are already at the stable
   limit. */
MSD_API msd_result msd_springs_stiffen(msd_world *world, msd_range springs, msd_real strain, msd_real factor,
                                       msd_range *made);

/* Limits the strain to `max_stretch` (>= 0), by hard length limits as companions. After each substep they
   correct the fraction `ck` (above 0 to 1) of the violation. They do not reduce the
   stable substep: docs/theory/hard_limits.md. */
MSD_API msd_result msd_springs_limit_stretch(msd_world *world, msd_range springs, msd_real max_stretch,
                                             msd_real ck, msd_range *made);

#ifdef __cplusplus
}
#endif

#endif

/* msd: materials, physical parameters that are independent of mesh and resolution.

   Builders (builder.h) convert a material into masses, springs and constraints for the size of their cells
   and triangles. docs/theory/fibers.md derives the conversion and its accuracy. The meaning of a parameter
   depends on the body:

       body                  density            stretch                      bend
       rope                  line_density       EA in N                      EI in N m^2
       cloth, mesh           area_density       Young's modulus times        flexural rigidity of a strip with
                                                thickness, N/m               free sides, N m
       block, tetmesh        density            Young's modulus, Pa          none

   Damping. Every spring and constraint of stiffness k has the damping

       mu = damping_time k + 2 damping_ratio sqrt(k m),        m = 1/(n_a w_a + n_b w_b)

   w are the inverse masses, n_a and n_b the numbers of springs and constraints at its ends.

   The first part belongs to the material: that of a Kelvin-Voigt solid with this retardation time. A mode of
   the angular frequency w decays with the damping ratio w damping_time/2, on any mesh. On a mesh whose highest
   mode has w_max, the stable substep is about sqrt(1 + r^2) - r of the undamped one with r = w_max
   damping_time/2. So it decreases with the square of the cell, once r is above 1.

   The second part belongs to the mesh. It has the damping ratio r = damping_ratio at the scale of a cell, and
   leaves sqrt(1 + r^2) - r of the stable substep at any resolution (0.95 at 0.05), but slower motion decays the
   less the finer the mesh is. */
#ifndef MSD_MATERIAL_H
#define MSD_MATERIAL_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value of `weft` and `shear` for an isotropic material. */
#define MSD_ISOTROPIC ((msd_real)-1)

/* Elements that represent a sheet. */
typedef enum msd_elements {
  /* Default. Fibers in triangles (constraint.h), which are exact on any mesh. A cloth uses springs where
     those are exact too: in rectangular cells whose sides do not differ too much. */
  MSD_ELEMENTS_FIBERS,
  /* Springs along edges: faster, and with fewer substeps on sliver triangles, but only approximate. */
  MSD_ELEMENTS_SPRINGS,
  MSD_ELEMENTS_COUNT
} msd_elements;

typedef struct msd_material {
  /* kg/m, kg/m^2, kg/m^3; default 0 each. The one that the body uses must be above 0. */
  msd_real line_density, area_density, density;
  /* N, N/m or Pa, > 0; default 0, so it must be set. Stretch modulus; of a cloth in the warp direction u. */
  msd_real stretch_modulus;
  /* N/m, > 0, or MSD_ISOTROPIC (default): equal to `stretch`. Stretch modulus in the weft direction: along v
     in a cloth, across the warp direction in a mesh. */
  msd_real weft_modulus;
  /* N/m, >= 0, or MSD_ISOTROPIC (default): 3/8 of `stretch`, or of the geometric mean of `stretch` and
     `weft`. Shear modulus of a cloth or mesh. */
  msd_real shear_modulus;
  /* N m^2 or N m, >= 0; default 0: none. Bending rigidity; of a cloth or mesh for curvature along the warp. */
  msd_real bend_rigidity;
  /* N m, > 0, or MSD_ISOTROPIC (default): equal to bend_rigidity. Bending rigidity of a cloth or mesh for
     curvature along the weft. A hinge of a mesh has (sqrt(B_u) c^2 + sqrt(B_v) s^2)^2, with c and s the
     cosine and sine of the angle between the warp and the normal of its edge. Those of a cloth are exact. On a
     mesh the smaller one comes out too large, by up to a third where one is twice the other. */
  msd_real weft_bend_rigidity;
  /* 0 to 1; default 1. Used by cloth and mesh: the stiffness against compression over that against tension. A
     sheet of threads is pressed together with a fraction of the force that stretches it, because its threads
     bend aside. Below 1 the sheet is made of fibers, and the factor acts on all of them. Springs (`elements`)
     resist compression as tension. docs/explain/materials.md says what remains of the moduli. */
  msd_real compression_factor;
  /* 0 to 10; default 0.05. 1 is critical damping. Damping at the scale of a cell, see above. */
  msd_real damping_ratio;
  /* s, 0 to 10; default 0. Damping of the material, see above. */
  msd_real damping_time;
  /* Strain, >= 0; default 0: off. Reduces the stretch moduli to what the body needs to stretch by this strain
     under its own weight, hanging from one end of its longest side L. The smaller of the stretch and weft
     moduli becomes at most max(density g L / stretch_under_weight, 10 bend/h^2), with h the shortest side of a
     cell or the mean edge length; the other moduli are scaled by the same factor. The number of substeps falls
     with the square root of the modulus. No effect without gravity and bending. */
  msd_real stretch_under_weight;
  /* Default MSD_ELEMENTS_FIBERS. Used by cloth and mesh. */
  msd_elements elements;
  /* Internal mark of an initialized definition. Set by msd_default_material and msd_material_named. */
  uint32_t cookie;
} msd_material;

/* Returns the default material. */
MSD_API msd_material msd_default_material(void);

/* Copies a built-in fabric, sheet or rope to *material: area_density or line_density, stretch, shear, bend,
   compression_factor and damping_ratio. docs/reference/materials.md lists the values and their sources. Returns
   MSD_BAD_VALUE, with *material unchanged, if no material has that name or an argument is NULL. */
MSD_API msd_result msd_material_named(const char *name, msd_material *material);

/* Returns the name of a built-in material, by indices from 0; NULL after the last. */
MSD_API const char *msd_material_name(int index);

/* What a number of a built-in material rests on. */
typedef enum msd_material_basis {
  /* The material does not use the number, or has its default. */
  MSD_MATERIAL_BASIS_NONE,
  /* Published measurements or handbooks. */
  MSD_MATERIAL_BASIS_MEASURED,
  /* Chosen so that a published test comes out right: the drape of fabrics, the standard of ropes. */
  MSD_MATERIAL_BASIS_FITTED,
  /* An estimate; materials of that kind differ by factors of 2 or more. */
  MSD_MATERIAL_BASIS_ESTIMATED,
  MSD_MATERIAL_BASIS_COUNT
} msd_material_basis;

/* Where the numbers of a built-in material come from. The texts are constant; English. */
typedef struct msd_material_origin {
  const char *description, *source;
  msd_material_basis density, stretch, shear, bend, compression, damping;
} msd_material_origin;

/* Returns the origin of a built-in material, by the indices of msd_material_name; empty texts for any other
   index. */
MSD_API msd_material_origin msd_material_get_origin(int index);

#ifdef __cplusplus
}
#endif

#endif

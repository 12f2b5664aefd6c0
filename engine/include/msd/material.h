/* msd: materials: what a body is made of, in numbers that mean the same at any resolution and on any mesh.

   The builders (builder.h) turn a material into masses, springs and constraints of the size of their cells and
   triangles; docs/materials.md derives how, and tells how exact it is. What a number is follows from the body:

       body                  density            stretch                      bend
       rope                  line_density       EA in N                      EI in N m^2
       cloth, mesh           area_density       Young's modulus times        flexural rigidity of a strip with
                                                thickness, N/m               free sides, N m
       block, tetmesh        density            Young's modulus, Pa          none

   Every spring and constraint is damped by damping_ratio of what is critical for it and the mass that it has a
   share in, 1/(n_a w_a + n_b w_b) with w the inverse masses and n the springs and constraints at its ends. That
   leaves about sqrt(1 + r^2) - r of the time step at any resolution (0.95 at 0.05), while a damping in N s/m
   that is the same for all leaves ever less of it on fine meshes. */
#ifndef MSD_MATERIAL_H
#define MSD_MATERIAL_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For `weft` and `shear`: as of a material that is alike in all directions. */
#define MSD_ISOTROPIC ((msd_real)-1)

/* What stands for a sheet. */
typedef enum msd_elements {
  /* The default, and exact on any mesh: fibres in triangles (constraint.h). A cloth has springs where those are
     exact too, which is in cells at right angles whose sides are not too unlike. */
  MSD_ELEMENTS_EXACT,
  /* Springs along edges: cheaper, and on needles of triangles at fewer substeps, but only near it. */
  MSD_ELEMENTS_SPRINGS,
  MSD_ELEMENTS_COUNT
} msd_elements;

typedef struct msd_material {
  /* kg/m, kg/m^2, kg/m^3: the one that the body asks for is above 0; default 0 each. */
  msd_real line_density, area_density, density;
  /* N, N/m or Pa, above 0; default 0, so it must be given. Of a cloth along u, the warp. */
  msd_real stretch;
  /* N/m: of a cloth along v, of a mesh across its grain. Above 0, or MSD_ISOTROPIC (default): as stretch. */
  msd_real weft;
  /* N/m: of a cloth or mesh, the stiffness against shear. 0 or more, or MSD_ISOTROPIC (default): 3/8 of
     stretch, or of the geometric mean of stretch and weft. */
  msd_real shear;
  /* N m^2 or N m, 0 or more; default 0: none. */
  msd_real bend;
  /* 0 to 10; 1 is critical; default 0.05. */
  msd_real damping_ratio;
  /* 0 (default): stretch is as given. Above 0: where stretch is more than a body needs to stretch by this share
     under its own weight, hanging by one end of its longest side L, it is made that soft, max(density g L /
     soft_stretch, 10 bend/h^2) with h the shortest side of a cell or the mean edge, and weft and shear with it.
     Substeps fall with the square root. As given without gravity and bending. */
  msd_real soft_stretch;
  /* Of a cloth or mesh. */
  msd_elements elements;
  /* Set by msd_default_material and msd_material_named. */
  uint32_t cookie;
} msd_material;

MSD_API msd_material msd_default_material(void);

/* Fills *material with a fabric, a sheet or a rope of the list: area_density or line_density, stretch, shear,
   bend and damping_ratio as docs/materials.md has them with their sources. MSD_BAD_VALUE: there is none of that
   name, or a NULL; *material stays as it is. */
MSD_API msd_result msd_material_named(const char *name, msd_material *material);

/* The names of the list, from 0 on; NULL behind the last. */
MSD_API const char *msd_material_name(int index);

#ifdef __cplusplus
}
#endif

#endif

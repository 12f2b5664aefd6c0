/* Fabrics, sheets and ropes by name; the materials page of the documentation lists their sources. */

#include <msd/material.h>

#include <string.h>

typedef struct named_material {
  const char *name;
  /* kg/m of ropes, kg/m^2 of sheets. */
  double line_density, area_density;
  double stretch, shear, bend, damping_ratio;
} named_material;

static const named_material list[] = {
    {"cotton", 0, 0.22, 4070, 60, 125e-6, 0.1},
    {"cotton_jersey", 0, 0.187, 69, 25, 23e-6, 0.1},
    {"denim", 0, 0.324, 2030, 137, 64e-6, 0.1},
    {"leather", 0, 1.1, 30000, 11400, 2500e-6, 0.1},
    {"paper", 0, 0.08, 350000, 130000, 300e-6, 0.02},
    {"polyester", 0, 0.113, 343, 20, 14e-6, 0.05},
    {"rubber", 0, 0.95, 1200, 400, 100e-6, 0.05},
    {"silk", 0, 0.05, 500, 15, 4.5e-6, 0.05},
    {"climbing_rope", 0.062, 0, 9200, MSD_ISOTROPIC, 0.002, 0.2},
    {"nylon_thread", 2.2e-4, 0, 490, MSD_ISOTROPIC, 7.7e-6, 0.05},
    {"steel_rope", 0.24, 0, 2.5e6, MSD_ISOTROPIC, 0.085, 0.02},
};

enum { MATERIALS = sizeof list / sizeof list[0] };

const char *msd_material_name(int index) {
  return index >= 0 && index < MATERIALS ? list[index].name : NULL;
}

msd_result msd_material_named(const char *name, msd_material *material) {
  if (!name || !material)
    return MSD_BAD_VALUE;
  for (int n = 0; n < MATERIALS; n++) {
    const named_material *from = &list[n];
    if (strcmp(from->name, name) != 0)
      continue;
    *material = msd_default_material();
    material->line_density = (msd_real)from->line_density;
    material->area_density = (msd_real)from->area_density;
    material->stretch_modulus = (msd_real)from->stretch;
    material->shear_modulus = (msd_real)from->shear;
    material->bend_rigidity = (msd_real)from->bend;
    material->damping_ratio = (msd_real)from->damping_ratio;
    return MSD_OK;
  }
  return MSD_BAD_VALUE;
}

/* Fabrics, sheets and ropes by name. docs/reference/materials.md has the sources in full. */

#include <msd/material.h>

#include <string.h>

typedef struct named_material {
  const char *name;
  /* kg/m of ropes, kg/m^2 of sheets. */
  double line_density, area_density;
  /* Along the warp and the weft; both numbers of a rope are the same. */
  double stretch[2], shear, bend[2], compression, damping_ratio;
  msd_material_origin origin;
} named_material;

#define NONE     MSD_MATERIAL_BASIS_NONE
#define MEASURED MSD_MATERIAL_BASIS_MEASURED
#define FITTED   MSD_MATERIAL_BASIS_FITTED
#define GUESS    MSD_MATERIAL_BASIS_ESTIMATED
#define FENG     "Feng 2022"
#define WANG     "Wang 2011"

/* The compression factor was fitted once, to the drape of silk and polyester, and serves all fabrics. */
#define THREADS 0.05

#define SHEET(name, density, u, v, shear, bend_u, bend_v, compression, ratio, ...)                           \
  {                                                                                                          \
    name, 0, density, {u, v}, shear, {bend_u, bend_v}, compression, ratio, {                                 \
      __VA_ARGS__                                                                                            \
    }                                                                                                        \
  }
#define ROPE(name, density, stretch, bend, ratio, ...)                                                       \
  {                                                                                                          \
    name, density, 0, {stretch, stretch}, MSD_ISOTROPIC, {bend, bend}, 1, ratio, {                           \
      __VA_ARGS__                                                                                            \
    }                                                                                                        \
  }

static const named_material list[] = {
    SHEET("canvas", 0.34, 8000, 8000, 200, 80e-6, 80e-6, THREADS, 0.1, "cotton duck, 10 oz",
          "bend: 90th percentile of " FENG " 78e-6", MEASURED, GUESS, GUESS, GUESS, FITTED, GUESS),
    SHEET("cotton", 0.22, 4030, 4070, 52, 31e-6, 31e-6, THREADS, 0.1, "trousers, woven",
          WANG " royal-target; its stretch is the upper bound of the fit", MEASURED, GUESS, MEASURED,
          MEASURED, FITTED, GUESS),
    SHEET("cotton_jersey", 0.187, 33, 69, 18, 5.8e-6, 3.6e-6, THREADS, 0.1, "T-shirt, knitted",
          WANG " gray-interlock", MEASURED, MEASURED, MEASURED, MEASURED, FITTED, GUESS),
    SHEET("cotton_shirting", 0.12, 4000, 4000, 55, 9e-6, 9e-6, THREADS, 0.1, "shirt, woven",
          "bend: drape, quartiles of " FENG " 3.8e-6 to 9.9e-6; shear: KES", MEASURED, GUESS, GUESS, FITTED,
          FITTED, GUESS),
    SHEET("denim", 0.324, 410, 2030, 100, 55e-6, 55e-6, THREADS, 0.1, "raw, 11 oz",
          WANG " 11oz-black-denim; shear: KES 84 to 190; bend: drape, soft denim has 16e-6", MEASURED,
          MEASURED, MEASURED, FITTED, FITTED, GUESS),
    SHEET("felt", 0.25, 3000, 3000, MSD_ISOTROPIC, 150e-6, 150e-6, 1, 0.1, "craft felt, 2 mm",
          "estimates; stiffest of " FENG " 45e-6", GUESS, GUESS, GUESS, GUESS, NONE, GUESS),
    SHEET("leather", 0.6, 8000, 8000, 1000, 50e-6, 50e-6, THREADS, 0.1, "garments, 0.8 mm",
          "bend: drape, quartiles of " FENG " 33e-6 to 73e-6", MEASURED, GUESS, GUESS, FITTED, FITTED, GUESS),
    SHEET("leather_shoe", 1.1, 30000, 30000, 11400, 2500e-6, 2500e-6, 1, 0.1, "shoes, 1.3 mm",
          "E of 10 to 60 MPa", GUESS, GUESS, GUESS, GUESS, NONE, GUESS),
    SHEET("linen", 0.19, 5000, 5000, 45, 14e-6, 14e-6, THREADS, 0.1, "clothing, woven",
          "bend: median of " FENG " 16e-6 (7e-6 to 29e-6)", MEASURED, GUESS, GUESS, MEASURED, FITTED, GUESS),
    SHEET("paper", 0.08, 500000, 240000, 130000, 417e-6, 200e-6, 1, 0.02, "copies, 80 g/m^2, 0.1 mm",
          "E 5.0 and 2.4 GPa along and across the machine; bend E t^3/12", MEASURED, GUESS, GUESS, GUESS,
          NONE, GUESS),
    SHEET("polyester", 0.113, 86, 343, 7, 3.6e-6, 5.1e-6, THREADS, 0.05, "light, woven",
          WANG " tango-red-jet-set", MEASURED, MEASURED, MEASURED, MEASURED, FITTED, GUESS),
    SHEET("ripstop", 0.04, 5000, 5000, 150, 1.2e-6, 1.2e-6, THREADS, 0.05, "parachute nylon",
          "bend: quartiles of " FENG " at 0.045 kg/m^2 1.0e-6 to 4.1e-6", MEASURED, GUESS, GUESS, MEASURED,
          FITTED, GUESS),
    SHEET("rubber", 0.95, 1200, 1200, MSD_ISOTROPIC, 100e-6, 100e-6, 1, 0.05, "sheet, 1 mm",
          "E 1.2 MPa, handbooks; Poisson's ratio is that of the elements", MEASURED, MEASURED, MEASURED,
          MEASURED, NONE, GUESS),
    SHEET("silk", 0.05, 500, 500, 15, 1.2e-6, 1.2e-6, THREADS, 0.05, "habotai",
          "bend: drape, KES 1.5e-6, quartiles of " FENG " 1.0e-6 to 4.9e-6; shear: KES", MEASURED, GUESS,
          GUESS, FITTED, FITTED, GUESS),
    SHEET("spinnaker", 0.041, 15000, 15000, 3000, 5e-6, 5e-6, THREADS, 0.05, "resin-coated nylon",
          "estimates", MEASURED, GUESS, GUESS, GUESS, FITTED, GUESS),
    SHEET("wool", 0.2, 2000, 2000, 40, 10e-6, 10e-6, THREADS, 0.1, "worsted suiting",
          "bend: quartiles of " FENG " 6e-6 to 31e-6; usual KES shear 0.7 gf/(cm deg)", MEASURED, GUESS,
          GUESS, GUESS, FITTED, GUESS),
    ROPE("bungee_cord", 0.09, 270, 0.001, 0.1, "shock cord, 12 mm", "100 % longer at 250 to 300 N", GUESS,
         GUESS, NONE, GUESS, NONE, GUESS),
    ROPE("climbing_rope", 0.062, 24000, 0.002, 0.3, "dynamic, 9.8 mm",
         "UIAA 101: impact force 9 kN, 37 % longer in a fall; under 80 kg 3 %, where ropes have 7 to 9 %",
         MEASURED, FITTED, NONE, GUESS, NONE, GUESS),
    ROPE("hemp_rope", 0.107, 100000, 0.02, 0.1, "3-strand, 12 mm", "estimates; breaks at 10.5 kN", GUESS,
         GUESS, NONE, GUESS, NONE, GUESS),
    ROPE("nylon_rope", 0.086, 45000, 0.01, 0.1, "3-strand, 12 mm",
         "15 to 20 % longer at a fifth of 29 kN, where it breaks", GUESS, GUESS, NONE, GUESS, NONE, GUESS),
    ROPE("nylon_thread", 2.2e-4, 490, 7.7e-6, 0.05, "0.5 mm", "E 2.5 GPa, 1140 kg/m^3, handbooks", MEASURED,
         MEASURED, NONE, MEASURED, NONE, GUESS),
    ROPE("polyester_rope", 0.11, 250000, 0.01, 0.1, "braided, 12 mm",
         "3 % longer at a fifth of 40 kN, where it breaks", GUESS, GUESS, NONE, GUESS, NONE, GUESS),
    ROPE("static_rope", 0.075, 30000, 0.005, 0.2, "EN 1891 A, 11 mm",
         "at most 5 % longer from 50 to 150 kg (EN 1891): 3.3 %", MEASURED, GUESS, NONE, GUESS, NONE, GUESS),
    ROPE("steel_rope", 0.24, 2.5e6, 0.085, 0.02, "6x19, 8 mm",
         "E 112 GPa on 0.357 d^2 of metal; bend: its wires alone, at least", MEASURED, MEASURED, NONE, GUESS,
         NONE, GUESS),
};

enum { MATERIALS = sizeof list / sizeof list[0] };

const char *msd_material_name(int index) {
  return index >= 0 && index < MATERIALS ? list[index].name : NULL;
}

msd_material_origin msd_material_get_origin(int index) {
  return index >= 0 && index < MATERIALS ? list[index].origin
                                         : (msd_material_origin){"", "", NONE, NONE, NONE, NONE, NONE, NONE};
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
    material->stretch_modulus = (msd_real)from->stretch[0];
    material->bend_rigidity = (msd_real)from->bend[0];
    if (from->stretch[1] != from->stretch[0])
      material->weft_modulus = (msd_real)from->stretch[1];
    if (from->bend[1] != from->bend[0])
      material->weft_bend_rigidity = (msd_real)from->bend[1];
    material->shear_modulus = (msd_real)from->shear;
    material->compression_factor = (msd_real)from->compression;
    material->damping_ratio = (msd_real)from->damping_ratio;
    return MSD_OK;
  }
  return MSD_BAD_VALUE;
}

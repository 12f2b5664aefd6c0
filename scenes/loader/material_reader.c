#include "scenes/loader/material_reader.h"

#include "scenes/input/suggestion.h"
#include "scenes/loader/spring_reader.h"

/* The keys of each form, and what their numbers are. */
typedef struct form_words {
  const char *body;
  const char *density_key;
  quantity density, stretch, bend;
  const char *const *keys;
} form_words;

/* What strain does is read by damage_reader.c. */
static const char *const line_keys[] = {
    "name",         "line_density",         "stretch_modulus", "bend_rigidity",    "damping_ratio",
    "damping_time", "stretch_under_weight", "bend_yield",      SPRING_DAMAGE_KEYS, NULL};
static const char *const sheet_keys[] = {"name",
                                         "area_density",
                                         "stretch_modulus",
                                         "shear_modulus",
                                         "bend_rigidity",
                                         "compression_factor",
                                         "damping_ratio",
                                         "damping_time",
                                         "stretch_under_weight",
                                         "elements",
                                         "bend_yield",
                                         SPRING_DAMAGE_KEYS,
                                         NULL};
static const char *const solid_keys[] = {
    "density", "stretch_modulus", "damping_ratio", "damping_time", "stretch_under_weight", SPRING_DAMAGE_KEYS,
    NULL};

static const char *const tetrahedra_keys[] = {"density",      "stretch_modulus",      "damping_ratio",
                                              "damping_time", "stretch_under_weight", NULL};

static const form_words forms[MATERIAL_FORM_COUNT] = {
    [MATERIAL_LINE] = {"rope",
                       "line_density",
                       {"a mass per length above 0 in kg/m", NUMBER_SMALLEST, NUMBER_LARGEST},
                       {"the force EA over strain, above 0 in N", NUMBER_SMALLEST, NUMBER_LARGEST},
                       {"a rigidity EI of 0 or more in N m^2", 0, NUMBER_LARGEST},
                       line_keys},
    [MATERIAL_SHEET] = {"sheet",
                        "area_density",
                        {"a mass per area above 0 in kg/m^2", NUMBER_SMALLEST, NUMBER_LARGEST},
                        {"a force per width over strain, above 0 in N/m", NUMBER_SMALLEST, NUMBER_LARGEST},
                        {"a rigidity of 0 or more in N m", 0, NUMBER_LARGEST},
                        sheet_keys},
    [MATERIAL_SOLID] = {"solid",
                        "density",
                        {"a density above 0 in kg/m^3", NUMBER_SMALLEST, NUMBER_LARGEST},
                        {"Young's modulus, above 0 in Pa", NUMBER_SMALLEST, NUMBER_LARGEST},
                        {"", 0, 0},
                        solid_keys},
    [MATERIAL_TETRAHEDRA] = {"solid",
                             "density",
                             {"a density above 0 in kg/m^3", NUMBER_SMALLEST, NUMBER_LARGEST},
                             {"Young's modulus, above 0 in Pa", NUMBER_SMALLEST, NUMBER_LARGEST},
                             {"", 0, 0},
                             tetrahedra_keys}};

enum { NAMES_MAX = 64 };

static msd_real *density_of(msd_material *material, const form_words *form) {
  return form == &forms[MATERIAL_LINE]    ? &material->line_density
         : form == &forms[MATERIAL_SHEET] ? &material->area_density
                                          : &material->density;
}

/* A name is for bodies of one form: the others would take its numbers in another unit. */
static bool read_name(const json_place *place, const char *name, const form_words *form,
                      msd_material *material) {
  const char *names[NAMES_MAX + 1] = {NULL};
  int count = 0;
  for (int n = 0; n < NAMES_MAX && msd_material_name(n); n++) {
    msd_material listed;
    if (msd_material_named(msd_material_name(n), &listed) == MSD_OK && *density_of(&listed, form) > 0)
      names[count++] = msd_material_name(n);
  }
  if (word_index(name, names) >= 0)
    return msd_material_named(name, material) == MSD_OK;
  if (count == 0)
    return place_fail(
        place, "is \"%.60s\", but no material of a %s has a name; give its \"%s\" and \"stretch_modulus\"",
        name, form->body, form->density_key);
  char remedy[SUGGESTION_MAX];
  suggest_word(remedy, name, names);
  return place_fail(place, "is \"%.60s\", which is not a known material of a %s; %s", name, form->body,
                    remedy);
}

/* One number, or of a sheet one along u and one along v. */
static bool read_pair(const json_place *place, const char *key, const form_words *form, const quantity *one,
                      const quantity *each, msd_real *warp, msd_real *weft) {
  const json_place member = place_member(place, key);
  if (!json_is_array(member.value) || form != &forms[MATERIAL_SHEET]) {
    if (member.value)
      *weft = MSD_ISOTROPIC;
    return read_real(place, key, one, warp);
  }
  if (!place_check_array_of(&member, 2, "a number, or two, along u and along v: [2000, 1500]"))
    return false;
  double both[2];
  for (size_t n = 0; n < 2; n++) {
    const json_place item = place_item(&member, n);
    if (!place_get_number(&item, each, &both[n]))
      return false;
  }
  *warp = (msd_real)both[0];
  *weft = (msd_real)both[1];
  return true;
}

/* What strain does to more than folds, it does to springs. */
static bool read_elements(const json_place *place, msd_elements *elements) {
  static const char *const names[MSD_ELEMENTS_COUNT + 1] = {
      [MSD_ELEMENTS_FIBERS] = "fibers", [MSD_ELEMENTS_SPRINGS] = "springs"};
  static const char *const damage_keys[] = {"tear_strain", "tear_energy", "yield_strain", "stiffening",
                                            "max_stretch"};
  const json_place given = place_member(place, "elements");
  int choice = (int)*elements;
  if (!read_choice(place, "elements", names, &choice))
    return false;
  *elements = (msd_elements)choice;
  for (size_t k = 0; k < sizeof damage_keys / sizeof *damage_keys; k++) {
    if (!place_member(place, damage_keys[k]).value)
      continue;
    if (given.value && *elements == MSD_ELEMENTS_FIBERS)
      return place_fail(&given, "is \"fibers\", which have no springs for \"%s\"; it must be \"springs\"",
                        damage_keys[k]);
    *elements = MSD_ELEMENTS_SPRINGS;
  }
  return true;
}

static bool read_numbers(const json_place *place, const form_words *form, msd_material *material) {
  static const quantity shear = {"a force per width over the angle, 0 or more in N/m", 0, NUMBER_LARGEST},
                        ratio = {"a damping ratio from 0 to 10 (1 is critical)", 0, 10},
                        strain = {"a strain from 0.0001 to 1, by which it may stretch under its weight", 1e-4,
                                  1},
                        part = {"a factor from 0 to 1 on the stiffness against compression", 0, 1},
                        time = {"a time from 0 to 10 s", 0, 10},
                        rigidity = {"a rigidity above 0 in N m", NUMBER_SMALLEST, NUMBER_LARGEST};
  const char *name = NULL;
  const json_place member = place_member(place, "name");
  if (!place_check_object(place, form->keys) || !read_text(place, "name", &name) ||
      (name && !read_name(&member, name, form, material)))
    return false;
  return read_real(place, form->density_key, &form->density, density_of(material, form)) &&
         read_pair(place, "stretch_modulus", form, &form->stretch, &form->stretch, &material->stretch_modulus,
                   &material->weft_modulus) &&
         read_real(place, "shear_modulus", &shear, &material->shear_modulus) &&
         read_pair(place, "bend_rigidity", form, &form->bend, &rigidity, &material->bend_rigidity,
                   &material->weft_bend_rigidity) &&
         read_real(place, "compression_factor", &part, &material->compression_factor) &&
         read_real(place, "damping_time", &time, &material->damping_time) &&
         read_real(place, "damping_ratio", &ratio, &material->damping_ratio) &&
         read_real(place, "stretch_under_weight", &strain, &material->stretch_under_weight) &&
         read_elements(place, &material->elements);
}

static bool check_complete(const json_place *place, const form_words *form, msd_material *material) {
  if (!(*density_of(material, form) > 0))
    return place_fail(place, "has no \"%s\", as a material of a %s does; give %s", form->density_key,
                      form->body, form->density.text);
  return material->stretch_modulus > 0 ||
         place_fail(place, "has no \"stretch_modulus\"; give %s", form->stretch.text);
}

bool material_read(const body_task *t, material_form form, const char *const *replaced,
                   const msd_material **material) {
  const json_place place = place_member(t->place, "material");
  *material = NULL;
  if (!place.value)
    return true;
  for (; *replaced; replaced++) {
    const json_place key = place_member(t->place, *replaced);
    if (key.value)
      return place_fail(&key, "cannot be combined with \"material\", which sets it; leave it out");
  }
  msd_material *asked = &t->body->asked;
  *asked = msd_default_material();
  if (!(json_is_string(place.value) ? read_name(&place, json_string_value(place.value), &forms[form], asked)
                                    : read_numbers(&place, &forms[form], asked)) ||
      !check_complete(&place, &forms[form], asked))
    return false;
  *material = asked;
  return true;
}

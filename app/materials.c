/* msd materials: the named fabrics, sheets and ropes, with what each number rests on. */
#include "app/commands.h"

#include "app/base/json_values.h"
#include "app/base/options.h"
#include "app/base/text_line.h"

#include <msd/msd.h>

#include <stdio.h>

enum { OPTION_JSON = OPTIONS_FIRST_ID };

static const option_spec specs[] = {{OPTION_JSON, "json", NULL, "print the table as one JSON array", NULL}};

static const command_line line = {
    .name = "materials",
    .summary =
        "Lists the named fabrics, sheets and ropes: the names that \"material\" of a scene takes, and their\n"
        "values. Two numbers are along warp and weft.",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .notes = "exit status: 0 done; 2 bad usage.",
};

/* By basis: what is printed behind a number, and the word of JSON. */
static const char *const marks[MSD_MATERIAL_BASIS_COUNT] = {"", "", "*", "?"};
static const char *const words[MSD_MATERIAL_BASIS_COUNT] = {"none", "measured", "fitted", "estimated"};

enum { CELL_MAX = 32 };

/* One number, or two where the second differs. MSD_ISOTROPIC: as the first. */
static void put_cell(char cell[CELL_MAX], double one, double other, msd_material_basis basis) {
  if (other < 0 || other == one)
    snprintf(cell, CELL_MAX, "%.6g%s", one, marks[basis]);
  else
    snprintf(cell, CELL_MAX, "%.6g, %.6g%s", one, other, marks[basis]);
}

static bool is_rope(const msd_material *m) {
  return m->line_density > 0;
}

static double shear_of(const msd_material *m) {
  return m->shear_modulus < 0 ? 0.375 * (double)m->stretch_modulus : (double)m->shear_modulus;
}

static void print_one(const char *name, const msd_material *m, const msd_material_origin *o) {
  char density[CELL_MAX], stretch[CELL_MAX], shear[CELL_MAX] = "", bend[CELL_MAX], push[CELL_MAX] = "",
                                             damp[CELL_MAX];
  put_cell(density, (double)(is_rope(m) ? m->line_density : m->area_density), -1, o->density);
  put_cell(stretch, (double)m->stretch_modulus, (double)m->weft_modulus, o->stretch);
  const double unit = is_rope(m) ? 1 : 1e6;
  put_cell(bend, unit * (double)m->bend_rigidity, unit * (double)m->weft_bend_rigidity, o->bend);
  put_cell(damp, (double)m->damping_ratio, -1, o->damping);
  if (!is_rope(m)) {
    put_cell(shear, shear_of(m), -1, o->shear);
    put_cell(push, (double)m->compression_factor, -1, o->compression);
    printf("%-16s %-8s %-16s %-8s %-18s %-8s %s\n", name, density, stretch, shear, bend, push, damp);
  } else {
    printf("%-16s %-8s %-16s %-18s %s\n", name, density, stretch, bend, damp);
  }
  char label[CELL_MAX] = "    ";
  char text[512];
  snprintf(text, sizeof text, "%s. %s", o->description, o->source);
  text_print(label, 4, text, stdout);
}

static void print_all(bool ropes) {
  msd_material m;
  if (ropes)
    printf("\n%-16s %-8s %-16s %-18s %s\n", "ropes", "kg/m", "EA N", "EI N m^2", "damping ratio");
  else
    printf("%-16s %-8s %-16s %-8s %-18s %-8s %s\n", "sheets", "kg/m^2", "stretch N/m", "shear", "bend uN m",
           "compr.", "damping ratio");
  for (int n = 0; msd_material_name(n); n++) {
    const msd_material_origin o = msd_material_get_origin(n);
    if (msd_material_named(msd_material_name(n), &m) == MSD_OK && is_rope(&m) == ropes)
      print_one(msd_material_name(n), &m, &o);
  }
}

/* [warp, weft], or one number of a rope. */
static json_t *both(double one, double other) {
  json_t *pair = json_array();
  json_array_append_new(pair, json_number(one));
  json_array_append_new(pair, json_number(other < 0 ? one : other));
  return pair;
}

static json_t *entry_of(const char *name, const msd_material *m, const msd_material_origin *o) {
  json_t *entry = json_object(), *basis = json_object();
  const bool rope = is_rope(m);
  bool failed = entry == NULL || basis == NULL;
#define KEY(to, name, value) failed |= json_object_set_new(to, name, value) != 0
  KEY(entry, "name", json_string(name));
  KEY(entry, "of", json_string(rope ? "rope" : "sheet"));
  KEY(entry, "description", json_string(o->description));
  KEY(entry, rope ? "line_density" : "area_density",
      json_number((double)(rope ? m->line_density : m->area_density)));
  KEY(entry, "stretch_modulus",
      rope ? json_number((double)m->stretch_modulus)
           : both((double)m->stretch_modulus, (double)m->weft_modulus));
  if (!rope)
    KEY(entry, "shear_modulus", json_number(shear_of(m)));
  KEY(entry, "bend_rigidity",
      rope ? json_number((double)m->bend_rigidity)
           : both((double)m->bend_rigidity, (double)m->weft_bend_rigidity));
  if (!rope)
    KEY(entry, "compression_factor", json_number((double)m->compression_factor));
  KEY(entry, "damping_ratio", json_number((double)m->damping_ratio));
  KEY(entry, "source", json_string(o->source));
  KEY(basis, "density", json_string(words[o->density]));
  KEY(basis, "stretch", json_string(words[o->stretch]));
  KEY(basis, "shear", json_string(words[o->shear]));
  KEY(basis, "bend", json_string(words[o->bend]));
  KEY(basis, "compression", json_string(words[o->compression]));
  KEY(basis, "damping", json_string(words[o->damping]));
  KEY(entry, "basis", basis);
#undef KEY
  return failed ? NULL : entry;
}

static int print_json(void) {
  json_t *list = json_array();
  msd_material m;
  bool failed = list == NULL;
  for (int n = 0; msd_material_name(n) && !failed; n++) {
    const msd_material_origin o = msd_material_get_origin(n);
    failed = msd_material_named(msd_material_name(n), &m) != MSD_OK ||
             json_array_append_new(list, entry_of(msd_material_name(n), &m, &o)) != 0;
  }
  failed = failed || json_dumpf(list, stdout, JSON_INDENT(2)) != 0;
  json_decref(list);
  printf("\n");
  return failed ? STATUS_IO : STATUS_DONE;
}

int command_materials(int argc, char **argv) {
  bool json = false;
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  while ((id = options_next(&reader)) > OPTIONS_END)
    json = json || id == OPTION_JSON;
  if (id != OPTIONS_END)
    return id == OPTIONS_HELP ? STATUS_DONE : STATUS_BAD_INPUT;
  if (json)
    return print_json();
  print_all(false);
  print_all(true);
  printf("\nNo mark: measured, or from handbooks. *: fitted to a drape test or a standard. ?: estimated.\n"
         "compr.: stiffness against compression over that against tension.\n");
  return STATUS_DONE;
}

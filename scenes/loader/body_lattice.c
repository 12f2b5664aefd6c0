/* Ropes, cloths and blocks. */
#include "scenes/loader/body_task.h"
#include "scenes/loader/collision.h"
#include "scenes/loader/material_reader.h"
#include "scenes/loader/rope_path.h"
#include "scenes/loader/spring_reader.h"

#include <stdlib.h>

static bool is_zero(msd_vec3 v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

/* --------------------------------------------------------------------------------------------------- rope */

/* From end to end, or along a path: then it is made as straight as it would be if pulled, and laid there. */
static bool read_course(const json_place *place, msd_rope_def *def, const rope_path *path) {
  const json_place from = place_member(place, "from"), to = place_member(place, "to");
  if (path->count > 0) {
    def->from = (msd_vec3){0, 0, 0};
    def->to = (msd_vec3){(msd_real)path->length, 0, 0};
    return !(from.value || to.value) ||
           place_fail(from.value ? &from : &to, "cannot be combined with \"path\"; give one of them");
  }
  return read_position(place, "from", &def->from) && read_position(place, "to", &def->to) &&
         (def->from.x != def->to.x || def->from.y != def->to.y || def->from.z != def->to.z ||
          place_fail(&to, "is where the rope begins; give it a length"));
}

static bool read_rope(const body_task *t, msd_rope_def *def) {
  static const char *const replaced[] = {"mass", "stretch", "bend", NULL};
  const json_place *place = t->place;
  double particles = def->particles;
  if (!(material_read(t, MATERIAL_LINE, replaced, &def->material) &&
        read_whole(place, "particles", &body_count, &particles) &&
        read_real(place, "mass", &body_mass, &def->mass) &&
        spring_read_group(place, "stretch", SPRING_LENGTH, &def->stretch) &&
        spring_read_bend(place, 1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_ANGLE, &def->bend, &def->bend_kind)))
    return false;
  const json_place number = place_member(place, "particles");
  if (particles < 2)
    return place_fail(&number, "is 1; a rope needs 2 or more");
  const double bends = particles * (def->material ? 1 : body_wants(&def->bend));
  const bool angles = def->material || def->bend_kind != MSD_BEND_DISTANCE;
  if (!body_check_size(&number, "rope",
                       (body_size){particles, particles + (angles ? 0 : bends), angles ? bends : 0}))
    return false;
  def->particles = (int32_t)particles;
  return true;
}

static bool add_rope(const body_task *t, const msd_rope_def *def, const rope_path *path) {
  msd_body made;
  if (!body_check_added(t, msd_add_rope(t->world, def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "stretch", "volume");
  if (path->count > 0 && !body_check_added(t, rope_path_place(path, t->world, t->body->particles)))
    return false;
  return t->body->is_part || surface_of_rope(t->body) || place_out_of_memory(t->place);
}

bool body_read_rope(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "from",    "to",   "path",     "particles",
                                     "mass",    "stretch", "bend", "material", NULL};
  msd_rope_def def = msd_default_rope_def();
  rope_path path = {0};
  const bool done = place_check_object(t->place, keys) && rope_path_read(t->place, &path) &&
                    read_course(t->place, &def, &path) && read_rope(t, &def) &&
                    (!t->world || add_rope(t, &def, &path));
  free(path.points);
  return done;
}

/* -------------------------------------------------------------------------------------------------- cloth */

static bool check_cloth_shape(const body_task *t, const msd_cloth_def *def, double columns, double rows) {
  json_place u = place_member(t->place, "u"), v = place_member(t->place, "v");
  if (columns > 1 && is_zero(def->u))
    return place_fail(&u, "is zero; it must point along a row, in m");
  if (rows > 1 && is_zero(def->v))
    return place_fail(&v, "is zero; it must point down a column, in m");
  double x = (double)def->u.y * (double)def->v.z - (double)def->u.z * (double)def->v.y;
  double y = (double)def->u.z * (double)def->v.x - (double)def->u.x * (double)def->v.z;
  double z = (double)def->u.x * (double)def->v.y - (double)def->u.y * (double)def->v.x;
  if (columns > 1 && rows > 1 && x == 0 && y == 0 && z == 0)
    return place_fail(&v, "is parallel to u; a cloth needs two directions");
  return true;
}

static bool check_cloth_size(const body_task *t, const msd_cloth_def *def, double columns, double rows) {
  json_place larger = place_member(t->place, columns >= rows ? "columns" : "rows");
  if (columns * rows < 2)
    return place_fail(&larger, "makes a cloth of 1 particle; it needs 2 or more");
  /* Of each family two for a particle, of dihedral angles three; a material may have eight fibers too. */
  const bool all = def->material != NULL, angles = all || def->bend_kind != MSD_BEND_DISTANCE;
  double particles = columns * rows;
  double springs = all ? 2 : body_wants(&def->stretch) + body_wants(&def->shear);
  double bends =
      particles * (all ? 11 : body_wants(&def->bend) * (def->bend_kind == MSD_BEND_DIHEDRAL ? 3 : 2));
  return body_check_size(
      &larger, "cloth",
      (body_size){particles, 2 * particles * springs + (angles ? 0 : bends), angles ? bends : 0});
}

/* Springs cannot be softer than nothing: what else a cloth has become than was asked for. */
static void warn_of_cells(const body_task *t) {
  const msd_material *asked = &t->body->asked, *made = &t->body->material;
  const msd_real weft = asked->weft_modulus > 0 ? asked->weft_modulus : asked->stretch_modulus;
  if (asked->cookie == 0 || asked->stretch_under_weight > 0 ||
      (made->stretch_modulus <= (msd_real)1.001 * asked->stretch_modulus &&
       made->weft_modulus <= (msd_real)1.001 * weft))
    return;
  char path[256];
  place_path(t->place, path, sizeof path);
  scene_warn(
      t->place->source->warnings,
      "%s: %s: the shear modulus is too large for these cells: the springs stretch with %.3g N/m along u and "
      "%.3g along v instead of %.3g and %.3g; lower shear_modulus, or use \"elements\": \"fibers\"",
      t->place->source->file, path, (double)made->stretch_modulus, (double)made->weft_modulus,
      (double)asked->stretch_modulus, (double)weft);
}

bool body_read_cloth(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "origin",  "u",     "v",    "columns",  "rows",
                                     "mass",    "stretch", "shear", "bend", "material", NULL};
  static const char *const replaced[] = {"mass", "stretch", "shear", "bend", NULL};
  msd_cloth_def def = msd_default_cloth_def();
  double columns = def.columns, rows = def.rows;
  if (!(place_check_object(t->place, keys) && material_read(t, MATERIAL_SHEET, replaced, &def.material) &&
        read_position(t->place, "origin", &def.origin) && read_vector(t->place, "u", &def.u) &&
        read_vector(t->place, "v", &def.v) && read_whole(t->place, "columns", &body_count, &columns) &&
        read_whole(t->place, "rows", &body_count, &rows) &&
        read_real(t->place, "mass", &body_mass, &def.mass) &&
        spring_read_group(t->place, "stretch", SPRING_LENGTH, &def.stretch) &&
        spring_read_group(t->place, "shear", SPRING_LENGTH, &def.shear) &&
        spring_read_bend(t->place, 1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_ANGLE | 1u << MSD_BEND_DIHEDRAL,
                         &def.bend, &def.bend_kind)))
    return false;
  if (!check_cloth_size(t, &def, columns, rows) || !check_cloth_shape(t, &def, columns, rows))
    return false;
  if (!t->world)
    return true;

  def.columns = (int32_t)columns;
  def.rows = (int32_t)rows;
  msd_body made;
  if (!body_check_added(t, msd_add_cloth(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "stretch", "volume");
  t->body->columns = def.columns;
  t->body->rows = def.rows;
  warn_of_cells(t);
  return t->body->is_part || surface_of_cloth(t->body, &def) || place_out_of_memory(t->place);
}

/* -------------------------------------------------------------------------------------------------- block */

static bool read_size(const json_place *object, msd_vec3 *size) {
  static const quantity side = {"a length above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};
  json_place list = place_member(object, "size");
  if (!read_vector(object, "size", size))
    return false;
  for (size_t c = 0; list.value && c < 3; c++) {
    json_place item = place_item(&list, c);
    double meters = 0;
    if (!place_get_number(&item, &side, &meters))
      return false;
  }
  return true;
}

static bool read_cells(const json_place *object, double cells[3]) {
  json_place list = place_member(object, "cells");
  if (!list.value)
    return true;
  if (!place_check_array_of(&list, 3, "three whole numbers, such as [8, 8, 8]"))
    return false;
  for (size_t c = 0; c < 3; c++) {
    json_place item = place_item(&list, c);
    if (!place_get_whole(&item, &body_count, &cells[c]))
      return false;
  }
  return true;
}

bool body_read_block(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "origin", "size",   "cells",    "mass",
                                     "stretch", "shear",  "volume", "material", NULL};
  static const char *const replaced[] = {"mass", "stretch", "shear", NULL};
  const json_place file = place_member(t->place, "file");
  if (file.value)
    return place_fail(&file, "cannot be combined with a block, which is a box of cells; use type \"tetmesh\" "
                             "for a mesh filled by TetGen, or \"balloon\" for a closed surface");
  msd_block_def def = msd_default_block_def();
  double cells[3] = {def.cells[0], def.cells[1], def.cells[2]};
  if (!(place_check_object(t->place, keys) && material_read(t, MATERIAL_SOLID, replaced, &def.material) &&
        read_position(t->place, "origin", &def.origin) && read_size(t->place, &def.size) &&
        read_cells(t->place, cells) && read_real(t->place, "mass", &body_mass, &def.mass) &&
        spring_read_group(t->place, "stretch", SPRING_LENGTH, &def.stretch) &&
        spring_read_group(t->place, "shear", SPRING_LENGTH, &def.shear) &&
        spring_read_group(t->place, "volume", SPRING_VOLUME, &def.volume)))
    return false;
  json_place number = place_member(t->place, "cells");
  double particles = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
  if (!body_check_size(
          &number, "block",
          (body_size){particles,
                      particles *
                          (def.material ? 9 : 3 * body_wants(&def.stretch) + 6 * body_wants(&def.shear)),
                      5 * cells[0] * cells[1] * cells[2] * body_wants(&def.volume)}))
    return false;
  if (!t->world)
    return true;

  for (int c = 0; c < 3; c++)
    t->body->cells[c] = def.cells[c] = (int32_t)cells[c];
  msd_body made;
  if (!body_check_added(t, msd_add_block(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "stretch", "volume");
  return t->body->is_part || surface_of_block(t->body, &def) || place_out_of_memory(t->place);
}

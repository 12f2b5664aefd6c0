/* The "material" of a body: a name, or numbers, or both. */
#ifndef MSD_SCENES_LOADER_MATERIAL_READER_H
#define MSD_SCENES_LOADER_MATERIAL_READER_H

#include "scenes/loader/body_task.h"

/* What a body is: its numbers are per length, per area and per volume. */
typedef enum material_form {
  MATERIAL_LINE,
  MATERIAL_SHEET,
  MATERIAL_SOLID,
  /* A solid without springs. */
  MATERIAL_TETRAHEDRA,
  MATERIAL_FORM_COUNT
} material_form;

/* Reads the member "material" of a body into its `asked` material, and leads *material there; NULL where it has
   none. `replaced` are the keys, ended by NULL, that then have nothing to say. */
bool material_read(const body_task *t, material_form form, const char *const *replaced,
                   const msd_material **material);

#endif

/* The names of the items of a list: those that the file gives, and made-up ones. */
#ifndef MSD_SCENES_LOADER_ITEM_NAMES_H
#define MSD_SCENES_LOADER_ITEM_NAMES_H

#include "scenes/input/json_reader.h"

typedef struct named_item {
  const char *kind;

  /* Where its name goes, to be freed. */
  char **name;
} named_item;

/* Names the items of a list by their member "name"; those that have none get one like "cloth 2", of their
   kind. Fills *numbers with the number of each by its name, an object of jansson, to be freed by json_decref
   also on failure. */
bool item_names_read(const json_place *list, const named_item *items, int count, json_t **numbers);

#endif

/* Names that other programs, and earlier versions of msd, use for keys and values of a scene file. They are not
   accepted: an error about an unknown name suggests the one that the format has. */
#ifndef MSD_SCENES_INPUT_PEER_NAMES_H
#define MSD_SCENES_INPUT_PEER_NAMES_H

#include <stddef.h>

/* What the key `name` is called here: `"columns"`, or a phrase such as `"size" of a block`. `object` is the key
   of the object that has it, "" for the scene itself, "bodies" for an item of that list; `known` are the keys
   that the object can have, ended by NULL. NULL: no such name is known. */
const char *peer_key(const char *object, const char *name, const char *const *known);

/* The same for the value of a key: `"gauss_seidel"` for the value "xpbd" of "solver". */
const char *peer_value(const char *object, const char *key, const char *value);

/* What an error says after one of them was found: `did you mean "columns"?` */
void peer_advice(char *text, size_t size, const char *here);

#endif

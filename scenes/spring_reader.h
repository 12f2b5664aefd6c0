/* How a scene file gives springs: the four ways, alone or in groups. */
#ifndef MSD_SCENES_SPRING_READER_H
#define MSD_SCENES_SPRING_READER_H

#include "scenes/json_reader.h"

/* Reads the member `key` of a body into the pattern of one kind of springs. An absent or empty group leaves
   the pattern as the builder's default has it. */
bool spring_read_group(const json_place *body, const char *key, msd_spring_def *pattern);

/* Reads a spring of its own: its law and rest length; the caller reads "between". Without any law it is the
   stiffest certified. `text` says what "between" must be, for errors. */
bool spring_read_single(const json_place *place, const char *text, msd_spring_def *def);

#endif

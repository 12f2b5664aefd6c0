/* The pictures of a run: `--png FILE` and how they look. */
#ifndef MSD_PICTURES_H
#define MSD_PICTURES_H

#include "message.h"
#include "render/picture.h"

typedef struct pictures pictures;

/* Whether a pattern has a number in it, %d or %04d: then every frame has a picture, else only the last. */
bool pictures_is_series(const char *pattern);

/* Makes ready to draw `s`. NULL with *p filled when the files cannot be written or the machine cannot
   draw. */
pictures *pictures_open(const char *pattern, const picture_options *options, const scene *s, problem *p);

/* Draws the world as it now is into the file of picture `index`. */
bool pictures_write(pictures *all, int64_t index, problem *p);

void pictures_close(pictures *all); /* NULL is allowed */

#endif

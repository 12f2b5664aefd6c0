/* The pictures and the film of a run: `--png FILE`, `--video FILE`, and how they look. */
#ifndef MSD_APP_EXPORT_PICTURES_H
#define MSD_APP_EXPORT_PICTURES_H

#include "app/base/message.h"
#include "render/paint/picture.h"

typedef struct pictures pictures;

typedef struct pictures_request {
  /* With %d or %04d in the name every frame has a picture, else only the last; NULL: none. */
  const char *png;
  /* NULL: none. */
  const char *video;
  /* Of the film: as many as there are frames in a simulated second. */
  double frames_per_second;
  picture_options look;
} pictures_request;

/* Makes ready to draw `s`. The texts of the request stay with the caller. NULL with *p filled when a file
   cannot be written, the machine cannot draw, or ffmpeg is missing. */
pictures *pictures_open(const pictures_request *request, const scene *s, problem *p);

/* Draws the world as it now is, where this frame, number `index` of those drawn, is wanted. */
bool pictures_frame(pictures *all, int64_t index, problem *p);

/* Draws the end of the run where that is wanted and puts the film in its place; frees the pictures. After a
   failure elsewhere (`ok` false) the film so far is kept and no more is drawn. NULL is allowed. */
bool pictures_end(pictures *all, bool ok, problem *p);

/* Frees the pictures; what is not in its place yet is dropped. NULL is allowed. */
void pictures_discard(pictures *all);

#endif

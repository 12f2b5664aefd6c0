/* How many pixels are drawn as one, so that frames that must not take long do not: found from the time that
   they take, and found again all the time, as it depends on what else the machine does. */
#ifndef MSD_RENDER_VIEW_PIXEL_LEVEL_H
#define MSD_RENDER_VIEW_PIXEL_LEVEL_H

/* At most this x this. */
enum { PIXELS_SIDE_MAX = 4 };

/* s: what frames may take while something moves. */
#define PIXELS_SECONDS_MAX 0.1

typedef struct pixel_level {
  /* 1 to PIXELS_SIDE_MAX: so many x so many pixels are drawn as one. */
  int side;
  /* s: the longest that frames with this side have taken, or are taken to before one is drawn, which is
     forgotten little by little. */
  double seconds;
} pixel_level;

pixel_level pixel_level_make(void);

/* Records the time in s of a frame with `side`. */
void pixel_level_look(pixel_level *p, double seconds);

#endif

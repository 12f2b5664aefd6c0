/* The text in the window: what runs and how fast, the keys, messages, and the numbers of what was clicked. */
#ifndef MSD_RENDER_VIEW_HUD_H
#define MSD_RENDER_VIEW_HUD_H

#include "render/paint/overlay.h"
#include "render/view/details.h"

typedef struct hud {
  /* "": neither it nor the status is shown. */
  const char *title;
  /* Lines below the title; empty ones are left out. */
  char status[DETAIL_LINES][DETAIL_MAX];
  /* The numbers of what was clicked, in the lower right corner. */
  char details[DETAIL_LINES][DETAIL_MAX];
  /* "" for none. */
  const char *message;
  bool shows_keys;
} hud;

/* Adds the text to the overlay of a picture of this size. */
void hud_add(overlay *o, int width, int height, const hud *h);

/* Adds a small mark around a pixel, where something is held or was clicked. */
void hud_mark(overlay *o, int height, const float pixel[2], bool is_held);

/* Adds the path of a stroke that cuts. */
void hud_stroke(overlay *o, int height, const float (*points)[2], int count);

#endif

#include "render/view/hud.h"

#include "render/view/viewer.h"

#include <math.h>

static const rgb ink = {40, 45, 54}, pale_ink = {96, 103, 114}, paper = {255, 255, 255};

/* Opaque enough to read on, and transparent enough to see motion behind it. */
#define PAPER_OPACITY 0.75f

typedef struct help_line {
  const char *keys, *text;
} help_line;

static const help_line help[] = {{"drag", "pull a body"},
                                 {"drag beside", "turn (right button: always)"},
                                 {"middle drag", "move the view"},
                                 {"wheel", "nearer, farther"},
                                 {"Shift + drag", "cut springs"},
                                 {"Ctrl + click", "pin or unpin"},
                                 {"click", "show numbers"},
#define HELP_LINE(code, action, name, text) {name, text},
                                 VIEWER_KEYS(HELP_LINE)
#undef HELP_LINE
};

enum { HELP_LINES = sizeof help / sizeof *help };

/* The factor on all lengths: 1 in a window 800 pixels high. Text stays readable in a small one. */
static float scale_of(int height) {
  return fmaxf((float)height / 800, 0.85f);
}

static void add_status(overlay *o, float s, const hud *h) {
  float widest = overlay_text_width(22 * s, h->title), y = 20 * s;
  int lines = 0;
  for (int i = 0; i < DETAIL_LINES; i++) {
    widest = fmaxf(widest, overlay_text_width(16 * s, h->status[i]));
    lines += h->status[i][0] != '\0';
  }
  overlay_rectangle(o, 16 * s, y - 8 * s, widest + 24 * s, 45 * s + 21 * s * (float)lines, paper,
                    PAPER_OPACITY);
  overlay_text(o, 28 * s, y, 22 * s, 0, ink, h->title);
  y += 29 * s;
  for (int i = 0; i < DETAIL_LINES; i++) {
    if (h->status[i][0] == '\0')
      continue;
    overlay_text(o, 28 * s, y, 16 * s, 0, pale_ink, h->status[i]);
    y += 21 * s;
  }
}

static void add_help(overlay *o, int width, float s) {
  float row = 20 * s, text = 16 * s, keys_width = 0, texts_width = 0;
  for (int i = 0; i < HELP_LINES; i++) {
    keys_width = fmaxf(keys_width, overlay_text_width(text, help[i].keys));
    texts_width = fmaxf(texts_width, overlay_text_width(text, help[i].text));
  }
  float panel_width = keys_width + texts_width + 40 * s;
  float left = (float)width - panel_width - 20 * s, top = 20 * s;
  overlay_rectangle(o, left, top, panel_width, row * HELP_LINES + 22 * s, paper, PAPER_OPACITY);
  for (int i = 0; i < HELP_LINES; i++) {
    float y = top + 11 * s + row * (float)i;
    overlay_text(o, left + 13 * s + keys_width, y, text, 1, ink, help[i].keys);
    overlay_text(o, left + 27 * s + keys_width, y, text, 0, pale_ink, help[i].text);
  }
}

static void add_details(overlay *o, int width, int height, float s, const hud *h) {
  float widest = 0;
  int lines = 0;
  for (int i = 0; i < DETAIL_LINES; i++) {
    widest = fmaxf(widest, overlay_text_width(16 * s, h->details[i]));
    lines += h->details[i][0] != '\0';
  }
  if (lines == 0)
    return;
  float left = (float)width - widest - 44 * s,
        top = (float)height - (24 * s + 21 * s * (float)lines) - 20 * s;
  overlay_rectangle(o, left, top, widest + 24 * s, 21 * s * (float)lines + 20 * s, paper, PAPER_OPACITY);
  for (int i = 0; i < lines; i++)
    overlay_text(o, left + 12 * s, top + 10 * s + 21 * s * (float)i, 16 * s, 0, i == 0 ? ink : pale_ink,
                 h->details[i]);
}

static void add_message(overlay *o, int width, int height, float s, const char *text) {
  float size = 17 * s, needed = overlay_text_width(size, text);
  if (needed > (float)width - 80 * s)
    size *= ((float)width - 80 * s) / needed;
  float text_width = overlay_text_width(size, text);
  float left = ((float)width - text_width) / 2;
  float top = (float)height - 150 * s;
  overlay_rectangle(o, left - 16 * s, top, text_width + 32 * s, size + 18 * s, paper, PAPER_OPACITY);
  overlay_text(o, left, top + 9 * s, size, 0, ink, text);
}

void hud_add(overlay *o, int width, int height, const hud *h) {
  float s = scale_of(height);
  if (h->title[0] != '\0')
    add_status(o, s, h);
  if (h->shows_keys)
    add_help(o, width, s);
  add_details(o, width, height, s, h);
  if (h->message[0] != '\0')
    add_message(o, width, height, s, h->message);
}

void hud_mark(overlay *o, int height, const float pixel[2], bool is_held) {
  float s = scale_of(height), reach = 7 * s, thick = 2 * s;
  rgb color = is_held ? (rgb){250, 170, 30} : (rgb){20, 110, 200};
  float x = pixel[0] - reach, y = pixel[1] - reach, side = 2 * reach;
  overlay_rectangle(o, x, y, side, thick, color, 1);
  overlay_rectangle(o, x, y + side - thick, side, thick, color, 1);
  overlay_rectangle(o, x, y, thick, side, color, 1);
  overlay_rectangle(o, x + side - thick, y, thick, side, color, 1);
}

void hud_stroke(overlay *o, int height, const float (*points)[2], int count) {
  float thick = 2.5f * scale_of(height);
  for (int i = 1; i < count; i++)
    overlay_line(o, points[i - 1], points[i], thick, (rgb){200, 40, 30}, 0.9f);
}

#include "render/paint/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const color_names[PICTURE_COLOR_COUNT] = {"none",  "strain", "force",
                                                             "speed", "energy", "kind"};

picture_options picture_default_options(void) {
  return (picture_options){.width = 1280,
                           .height = 800,
                           .samples = 4,
                           .camera = {.azimuth = 25, .elevation = 12, .zoom = 1},
                           .ground = true,
                           .legend = true};
}

const char *picture_color_name(picture_color color) {
  return (int)color >= 0 && color < PICTURE_COLOR_COUNT ? color_names[color] : NULL;
}

bool picture_parse_size(const char *text, int *width, int *height, char *error, size_t size) {
  char *end;
  long w = strtol(text, &end, 10);
  const char *rest = end;
  long h = *rest == 'x' && rest[1] >= '0' && rest[1] <= '9' ? strtol(rest + 1, &end, 10) : 0;
  bool is_size = text[0] >= '0' && text[0] <= '9' && *end == '\0' && end != rest;
  if (!is_size || w < 16 || w > PICTURE_SIDE_MAX || h < 16 || h > PICTURE_SIDE_MAX) {
    snprintf(error, size, "size \"%.40s\": give WIDTHxHEIGHT in pixels, each 16 to %d, like 1280x800", text,
             PICTURE_SIDE_MAX);
    return false;
  }
  *width = (int)w;
  *height = (int)h;
  return true;
}

bool picture_parse_color(const char *text, picture_color *color, char *error, size_t size) {
  for (int i = 0; i < PICTURE_COLOR_COUNT; i++) {
    if (strcmp(text, color_names[i]) == 0) {
      *color = (picture_color)i;
      return true;
    }
  }
  snprintf(error, size, "color \"%.40s\": give one of none, strain, force, speed, energy, kind", text);
  return false;
}

bool picture_parse_camera(const char *text, picture_camera *camera, char *error, size_t size) {
  double numbers[6] = {0, 0, 1};
  int count = 0;
  const char *at = text;
  bool done = false;
  while (count < 6 && !done) {
    char *end;
    numbers[count] = strtod(at, &end);
    if (end == at || !isfinite(numbers[count]))
      break;
    count++;
    done = *end == '\0';
    if (!done && *end != ',')
      break;
    at = end + 1;
  }
  if (!done || (count != 2 && count != 3 && count != 6)) {
    snprintf(error, size, "camera \"%.60s\": give AZIMUTH,ELEVATION[,ZOOM[,X,Y,Z]], like 30,15 or 30,15,2",
             text);
    return false;
  }
  if (numbers[1] < -89 || numbers[1] > 89 || numbers[2] < 0.01 || numbers[2] > 100) {
    snprintf(error, size, "camera \"%.60s\": the elevation is -89 to 89 degrees and the zoom 0.01 to 100",
             text);
    return false;
  }
  *camera = (picture_camera){.azimuth = numbers[0], .elevation = numbers[1], .zoom = numbers[2]};
  camera->has_target = count == 6;
  memcpy(camera->target, numbers + 3, sizeof camera->target);
  return true;
}

/* The value of a hexadecimal digit; -1 of any other character. */
static int hexadecimal(char digit) {
  const char *const digits = "0123456789abcdef0123456789ABCDEF";
  const char *at = digit != '\0' ? strchr(digits, digit) : NULL;
  return at != NULL ? (int)(at - digits) % 16 : -1;
}

static bool parse_rgb(const char *text, uint8_t color[3]) {
  if (text[0] != '#' || strlen(text) != 7)
    return false;
  for (int i = 0; i < 3; i++) {
    int high = hexadecimal(text[1 + 2 * i]), low = hexadecimal(text[2 + 2 * i]);
    if (high < 0 || low < 0)
      return false;
    color[i] = (uint8_t)(16 * high + low);
  }
  return true;
}

bool picture_parse_background(const char *text, picture_background *background, char *error, size_t size) {
  static const struct {
    const char *name;
    picture_background background;
  } named[] = {{"sky", {.is_plain = false}},
               {"white", {.is_plain = true, .color = {255, 255, 255}}},
               {"black", {.is_plain = true}}};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    if (strcmp(text, named[i].name) == 0) {
      *background = named[i].background;
      return true;
    }
  }
  picture_background plain = {.is_plain = true};
  if (!parse_rgb(text, plain.color)) {
    snprintf(error, size, "background \"%.40s\": give sky, white, black or #rrggbb, like #f4f1e8", text);
    return false;
  }
  *background = plain;
  return true;
}

/* The length of the placeholder of the frame number, %d or %04d, at `at`; 0 when there is none. */
static size_t placeholder_length(const char *at, int *width) {
  *width = 0;
  if (at[0] == '%' && at[1] == 'd')
    return 2;
  if (at[0] == '%' && at[1] == '0' && at[2] >= '1' && at[2] <= '9' && at[3] == 'd') {
    *width = at[2] - '0';
    return 4;
  }
  return 0;
}

bool picture_frame_path(const char *pattern, int frame, char *path, size_t path_size, char *error,
                        size_t size) {
  size_t used = 0;
  bool has_number = false;
  for (const char *at = pattern; *at != '\0';) {
    int width, written = 1;
    size_t place = placeholder_length(at, &width);
    char piece[16] = {*at, '\0'};
    if (place > 0 && !has_number) {
      written = snprintf(piece, sizeof piece, "%0*d", width, frame);
      has_number = true;
    } else if (at[0] == '%' && at[1] == '%') {
      place = 2;
    } else if (at[0] == '%') {
      snprintf(error, size,
               "file name \"%.200s\": a %% must be %%%%, or the one %%d or %%04d of the frame number",
               pattern);
      return false;
    } else {
      place = 1;
    }
    if (used + (size_t)written + 1 > path_size) {
      snprintf(error, size, "file name \"%.200s\" is longer than %zu bytes", pattern, path_size - 1);
      return false;
    }
    memcpy(path + used, piece, (size_t)written);
    used += (size_t)written;
    at += place;
  }
  path[used] = '\0';
  return true;
}

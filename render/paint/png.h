/* PNG files. */
#ifndef MSD_RENDER_PAINT_PNG_H
#define MSD_RENDER_PAINT_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes rows from the top as a PNG file: to a file beside `path` first, which is then renamed. A pixel has 3
   channels, red, green and blue, or 4 with its opacity. False, with a line in `error` that names the file, on
   failure. */
bool png_write(const char *path, int width, int height, int channels, const uint8_t *pixels, char *error,
               size_t size);

#endif

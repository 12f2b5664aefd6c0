/* PNG files. */
#ifndef MSD_RENDER_PAINT_PNG_H
#define MSD_RENDER_PAINT_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes rows of red, green and blue bytes, from the top, as a PNG file: to a file beside `path` first, then
   renamed. False with a line in `error` that names the file. */
bool png_write(const char *path, int width, int height, const uint8_t *pixels, char *error, size_t size);

#endif

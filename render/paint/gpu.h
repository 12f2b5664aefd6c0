/* What all drawing code needs of OpenGL 3.3 core. OpenGL ES 3.0 has everything that is used, and is what
   browsers have. */
#ifndef MSD_RENDER_PAINT_GPU_H
#define MSD_RENDER_PAINT_GPU_H

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <glad/gl.h>
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The texture units. A texture has the same unit in all programs. */
typedef enum gpu_unit {
  GPU_POINTS,
  GPU_GATHERED,
  GPU_VALUES,
  GPU_COLOR_MAP,
  GPU_SHADOW_MAP,
  GPU_SHADE_MAP,
  GPU_WIDE_MAP,
  GPU_FANS,
  GPU_CORNERS,
  GPU_LINKS,
  GPU_GLYPHS,
  GPU_PICTURE,
  GPU_UNIT_COUNT
} gpu_unit;

/* Texels per row of a texture that holds an array. */
enum { GPU_ROW = 2048 };

/* Finds a function of OpenGL by its name. */
typedef void (*(*gpu_finder)(const char *name))(void);

/* Loads the functions of the current context. False, with a line in `error`, when it is older than 3.3. In a
   browser they are there. */
bool gpu_load(gpu_finder find, char *error, size_t size);

/* Compiles both stages of a shader file, with `defines` (lines of #define, or "") before the first line. 0,
   with a line in `error`, on failure. */
GLuint gpu_program(const char *name, const char *source, const char *defines, char *error, size_t size);

/* Makes a texture, unfiltered and clamped, and leaves it bound to `unit`. */
GLuint gpu_texture(gpu_unit unit, GLenum internal_format, int width, int height, GLenum format, GLenum type,
                   const void *pixels);

/* Turns on linear filtering for the texture that is bound to `unit`. */
void gpu_texture_smooth(gpu_unit unit);

/* A texture for an array of `count` items in rows of GPU_ROW. 0, with a line in `error`, when the machine has
   no texture of that size. */
GLuint gpu_array(gpu_unit unit, GLenum internal_format, int32_t count, char *error, size_t size);

/* Uploads the array: all full rows, then the last, shorter one. */
void gpu_array_upload(gpu_unit unit, GLenum format, GLenum type, int32_t count, size_t item_bytes,
                      const void *items);

/* A buffer with these contents, or room for `bytes` when `contents` is NULL. */
GLuint gpu_buffer(GLenum target, int64_t bytes, const void *contents);

/* Reads the current framebuffer: rows from the top, 3 bytes per pixel. `rows` is scratch memory of 4 bytes per
   pixel. */
void gpu_read_pixels(int width, int height, uint8_t *rows, uint8_t *pixels);

/* True when OpenGL has reported no error since the last call; else a line in `error` that names `where`. */
bool gpu_check(const char *where, char *error, size_t size);

#endif

/* An OpenGL context that needs no display and no window, through EGL. */
#ifndef MSD_RENDER_PAINT_HEADLESS_H
#define MSD_RENDER_PAINT_HEADLESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct headless headless;

/* Creates a context for OpenGL 3.3 core and makes it current on this thread: on a graphics card if EGL offers
   one, else on Mesa's software renderer. NULL, with a line in `error`, when neither works. */
headless *headless_open(char *error, size_t size);

/* NULL is allowed. */
void headless_close(headless *h);

/* Looks up an OpenGL function by name. */
void (*headless_function(const char *name))(void);

#endif

/* The panel of the window, through Dear ImGui. A program built without that library has none. */
#ifndef MSD_RENDER_VIEW_PANEL_H
#define MSD_RENDER_VIEW_PANEL_H

#include "render/view/controls.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;

/* On a window with a current OpenGL context whose callbacks are set: the panel sees events first. False when
   it cannot be opened, or was not built. */
bool panel_open(struct GLFWwindow *window);
void panel_close(void);

/* Whether the panel takes the pointer or the keys at the moment. */
bool panel_has_pointer(void);
bool panel_has_keys(void);

/* Draws the panel into the current framebuffer, and writes what a person changes into `c`. */
void panel_draw(controls *c);

#ifdef __cplusplus
}
#endif

#endif

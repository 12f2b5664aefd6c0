/* The tuning panel of the window, made with Dear ImGui. A program built without that library has none. */
#ifndef MSD_RENDER_VIEW_PANEL_H
#define MSD_RENDER_VIEW_PANEL_H

#include "render/view/controls.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;

/* Opens the panel on a window whose OpenGL context is current and whose callbacks are set, so that the panel
   sees events first. False when it cannot be opened, or was not built. */
bool panel_open(struct GLFWwindow *window);
void panel_close(void);

/* Whether the pointer is over the panel, or the keys go to it. */
bool panel_has_pointer(void);
bool panel_has_keys(void);

/* Draws the panel into the current framebuffer, and writes what the user changes into `c`. */
void panel_draw(controls *c);

#ifdef __cplusplus
}
#endif

#endif

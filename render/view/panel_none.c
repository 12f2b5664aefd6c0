#include "render/view/panel.h"

bool panel_open(struct GLFWwindow *window) {
  (void)window;
  return false;
}

void panel_close(void) {
}

bool panel_has_pointer(void) {
  return false;
}

bool panel_has_keys(void) {
  return false;
}

void panel_draw(controls *c) {
  (void)c;
}

#include "render/paint/headless.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 16 };

struct headless {
  EGLDisplay display;
  EGLContext context;
  /* EGL_NO_SURFACE when the context needs none. */
  EGLSurface surface;
};

static bool has_extension(const char *extensions, const char *name) {
  size_t length = strlen(name);
  for (const char *at = extensions; at != NULL && (at = strstr(at, name)) != NULL; at += length)
    if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

/* The displays to try, best first: the devices in EGL's order, graphics cards before Mesa's software device;
   Mesa without a surface; the default display. */
static int list_displays(EGLDisplay displays[DEVICES_MAX + 2]) {
  const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  int count = 0;
  PFNEGLQUERYDEVICESEXTPROC query = (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
  if (has_extension(extensions, "EGL_EXT_platform_device") && query != NULL) {
    EGLDeviceEXT devices[DEVICES_MAX];
    EGLint found = 0;
    if (!query(DEVICES_MAX, devices, &found))
      found = 0;
    for (EGLint i = 0; i < found; i++)
      displays[count++] = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
  }
  if (has_extension(extensions, "EGL_MESA_platform_surfaceless"))
    displays[count++] =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL);
  displays[count++] = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  return count;
}

void headless_close(headless *h) {
  if (h == NULL)
    return;
  if (h->display != EGL_NO_DISPLAY) {
    eglMakeCurrent(h->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (h->surface != EGL_NO_SURFACE)
      eglDestroySurface(h->display, h->surface);
    if (h->context != EGL_NO_CONTEXT)
      eglDestroyContext(h->display, h->context);
    eglTerminate(h->display);
  }
  free(h);
}

static bool open_on(headless *h, EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
    return false;
  static const EGLint config_wishes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                         EGL_OPENGL_BIT, EGL_NONE};
  static const EGLint context_wishes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                          3,
                                          EGL_CONTEXT_MINOR_VERSION,
                                          3,
                                          EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                          EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                          EGL_NONE};
  static const EGLint surface_wishes[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
  EGLConfig config;
  EGLint configs = 0;
  *h = (headless){display, EGL_NO_CONTEXT, EGL_NO_SURFACE};
  if (eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, config_wishes, &config, 1, &configs) &&
      configs > 0)
    h->context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wishes);
  if (h->context != EGL_NO_CONTEXT) {
    if (!has_extension(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context"))
      h->surface = eglCreatePbufferSurface(display, config, surface_wishes);
    if (eglMakeCurrent(display, h->surface, h->surface, h->context))
      return true;
    if (h->surface != EGL_NO_SURFACE)
      eglDestroySurface(display, h->surface);
    eglDestroyContext(display, h->context);
  }
  eglTerminate(display);
  *h = (headless){EGL_NO_DISPLAY, EGL_NO_CONTEXT, EGL_NO_SURFACE};
  return false;
}

headless *headless_open(char *error, size_t size) {
  headless *h = calloc(1, sizeof *h);
  if (h == NULL) {
    snprintf(error, size, "out of memory for a picture");
    return NULL;
  }
  EGLDisplay displays[DEVICES_MAX + 2];
  int count = list_displays(displays);
  for (int i = 0; i < count; i++)
    if (open_on(h, displays[i]))
      return h;
  snprintf(error, size,
           "no OpenGL 3.3 without a display: EGL offered %d displays and none could draw (Mesa's software "
           "renderer can; in Debian: libegl1 and libgl1-mesa-dri)",
           count);
  free(h);
  return NULL;
}

void (*headless_function(const char *name))(void) {
  return eglGetProcAddress(name);
}

#include "render/paint/canvas.h"

#include <stdio.h>
#include <stdlib.h>

struct canvas {
  int width, height;
  /* Framebuffers: with several samples per pixel, and with one. */
  GLuint sampled, resolved;
  GLuint sampled_color, sampled_depth, resolved_color;
  /* As OpenGL returns them: from the bottom. */
  uint8_t *rows;
};

void canvas_destroy(canvas *c) {
  if (c == NULL)
    return;
  glDeleteFramebuffers(2, (GLuint[]){c->sampled, c->resolved});
  glDeleteRenderbuffers(3, (GLuint[]){c->sampled_color, c->sampled_depth, c->resolved_color});
  free(c->rows);
  free(c);
}

static GLuint renderbuffer(GLsizei samples, GLenum format, const canvas *c) {
  GLuint name;
  glGenRenderbuffers(1, &name);
  glBindRenderbuffer(GL_RENDERBUFFER, name);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, c->width, c->height);
  return name;
}

static GLenum make(canvas *c, int samples) {
  GLint most = 1;
  glGetIntegerv(GL_MAX_SAMPLES, &most);
  GLsizei count = samples < most ? samples : most;
  /* OpenGL says 0 for a single sample. */
  if (count == 1)
    count = 0;
  c->sampled_color = renderbuffer(count, GL_RGBA8, c);
  c->sampled_depth = renderbuffer(count, GL_DEPTH_COMPONENT24, c);
  c->resolved_color = renderbuffer(0, GL_RGBA8, c);
  glGenFramebuffers(1, &c->resolved);
  glBindFramebuffer(GL_FRAMEBUFFER, c->resolved);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, c->resolved_color);
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status != GL_FRAMEBUFFER_COMPLETE)
    return status;
  glGenFramebuffers(1, &c->sampled);
  glBindFramebuffer(GL_FRAMEBUFFER, c->sampled);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, c->sampled_color);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, c->sampled_depth);
  return glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

canvas *canvas_create(int width, int height, int samples, char *error, size_t size) {
  canvas *c = calloc(1, sizeof *c);
  uint8_t *rows = calloc((size_t)width * (size_t)height, 4);
  if (c == NULL || rows == NULL) {
    snprintf(error, size, "out of memory for a picture of %d x %d pixels", width, height);
    free(c);
    free(rows);
    return NULL;
  }
  *c = (canvas){.width = width, .height = height, .rows = rows};
  GLenum status = make(c, samples);
  bool done = status == GL_FRAMEBUFFER_COMPLETE;
  if (!done)
    snprintf(error, size, "the graphics driver cannot draw %d x %d pixels (framebuffer status 0x%04x)", width,
             height, status);
  else
    done = gpu_check("when making a picture", error, size);
  if (!done) {
    canvas_destroy(c);
    return NULL;
  }
  return c;
}

GLuint canvas_framebuffer(const canvas *c) {
  return c->sampled;
}

static void copy(const canvas *c, GLuint from, GLuint to) {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
  glBlitFramebuffer(0, 0, c->width, c->height, 0, 0, c->width, c->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void canvas_show(const canvas *c, GLuint framebuffer) {
  /* Samples can only be resolved into a framebuffer of the same format, which a window's need not have. */
  copy(c, c->sampled, c->resolved);
  copy(c, c->resolved, framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

void canvas_read(canvas *c, uint8_t *pixels) {
  copy(c, c->sampled, c->resolved);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, c->resolved);
  gpu_read_pixels(c->width, c->height, c->rows, pixels);
}

#include "render/paint/enlarged.h"

#include "shaders.h"

bool enlarged_create(enlarged *e, char *error, size_t size) {
  *e = (enlarged){.program = gpu_program("enlarge", shader_enlarge, "", error, size)};
  glGenVertexArrays(1, &e->triangle);
  return e->program != 0;
}

static void free_target(enlarged *e) {
  glDeleteTextures(1, &e->color);
  glDeleteRenderbuffers(1, &e->depth);
  glDeleteFramebuffers(1, &e->framebuffer);
  e->color = e->depth = e->framebuffer = 0;
}

void enlarged_destroy(enlarged *e) {
  free_target(e);
  glDeleteVertexArrays(1, &e->triangle);
  glDeleteProgram(e->program);
  *e = (enlarged){0};
}

static bool make_target(enlarged *e) {
  e->color = gpu_texture(GPU_PICTURE, GL_RGBA8, e->width, e->height, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
  gpu_texture_smooth(GPU_PICTURE);
  glGenRenderbuffers(1, &e->depth);
  glBindRenderbuffer(GL_RENDERBUFFER, e->depth);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, e->width, e->height);
  glGenFramebuffers(1, &e->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, e->framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, e->color, 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, e->depth);
  return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

GLuint enlarged_begin(enlarged *e, int width, int height, int side) {
  const int w = (width + side - 1) / side, h = (height + side - 1) / side;
  if (e->framebuffer != 0 && e->width == w && e->height == h)
    return e->framebuffer;
  free_target(e);
  e->width = w;
  e->height = h;
  if (!make_target(e))
    free_target(e);
  return e->framebuffer;
}

void enlarged_end(const enlarged *e, GLuint framebuffer, int width, int height) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glDisable(GL_DEPTH_TEST);
  glActiveTexture(GL_TEXTURE0 + GPU_PICTURE);
  glBindTexture(GL_TEXTURE_2D, e->color);
  glUseProgram(e->program);
  glBindVertexArray(e->triangle);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindVertexArray(0);
  glEnable(GL_DEPTH_TEST);
}

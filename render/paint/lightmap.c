#include "render/paint/lightmap.h"

#include "shaders.h"

#include <stdio.h>

/* Texels along each side of the blurred copies. The first is as large as what shrinking makes of the cover, the
   second half as large. */
enum { SHADE_SIDE = LIGHTMAP_SIDE / 4, WIDE_SIDE = SHADE_SIDE / 2 };

static GLuint target_of(GLuint color, GLuint depth) {
  GLuint framebuffer;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
  if (depth != 0)
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
  return framebuffer;
}

static GLuint cover_texture(gpu_unit unit, int side) {
  GLuint texture = gpu_texture(unit, GL_RG8, side, side, GL_RG, GL_UNSIGNED_BYTE, NULL);
  gpu_texture_smooth(unit);
  return texture;
}

bool lightmap_create(lightmap *m, char *error, size_t size) {
  *m = (lightmap){0};
  m->shrink_program = gpu_program("shrink", shader_lightmap, "#define SHRINK\n", error, size);
  m->blur_program = m->shrink_program != 0 ? gpu_program("blur", shader_lightmap, "", error, size) : 0;
  if (m->blur_program == 0)
    return false;
  m->blur_location = glGetUniformLocation(m->blur_program, "blur");
  glGenVertexArrays(1, &m->triangle);
  m->depth = gpu_texture(GPU_SHADOW_MAP, GL_DEPTH_COMPONENT24, LIGHTMAP_SIDE, LIGHTMAP_SIDE,
                         GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
  gpu_texture_smooth(GPU_SHADOW_MAP);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  m->cover = cover_texture(GPU_PICTURE, LIGHTMAP_SIDE);
  m->framebuffer = target_of(m->cover, m->depth);
  m->small = cover_texture(GPU_PICTURE, SHADE_SIDE);
  m->small_target = target_of(m->small, 0);
  for (int pass = 0; pass < 2; pass++) {
    m->shade[pass] = cover_texture(GPU_SHADE_MAP, SHADE_SIDE);
    m->wide[pass] = cover_texture(GPU_WIDE_MAP, WIDE_SIDE);
    m->shade_targets[pass] = target_of(m->shade[pass], 0);
    m->wide_targets[pass] = target_of(m->wide[pass], 0);
  }
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status == GL_FRAMEBUFFER_COMPLETE)
    return true;
  snprintf(error, size, "the graphics driver cannot draw shadows (framebuffer status 0x%04x)", status);
  return false;
}

void lightmap_destroy(lightmap *m) {
  glDeleteTextures(1, &m->depth);
  glDeleteTextures(1, &m->cover);
  glDeleteTextures(1, &m->small);
  glDeleteTextures(2, m->shade);
  glDeleteTextures(2, m->wide);
  glDeleteFramebuffers(1, &m->framebuffer);
  glDeleteFramebuffers(1, &m->small_target);
  glDeleteFramebuffers(2, m->shade_targets);
  glDeleteFramebuffers(2, m->wide_targets);
  glDeleteVertexArrays(1, &m->triangle);
  glDeleteProgram(m->shrink_program);
  glDeleteProgram(m->blur_program);
  *m = (lightmap){0};
}

void lightmap_begin(const lightmap *m) {
  glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer);
  glViewport(0, 0, LIGHTMAP_SIDE, LIGHTMAP_SIDE);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
}

/* Blurs `small` along x, then along y. Where the result has half its side, bilinear samples give means of 2 x
   2. */
static void blur(const lightmap *m, const GLuint textures[2], const GLuint targets[2], int side,
                 float deviation) {
  glViewport(0, 0, side, side);
  for (int pass = 0; pass < 2; pass++) {
    glBindFramebuffer(GL_FRAMEBUFFER, targets[pass]);
    glBindTexture(GL_TEXTURE_2D, pass == 0 ? m->small : textures[0]);
    float step = 1 / (float)side;
    glUniform3f(m->blur_location, pass == 0 ? step : 0, pass == 0 ? 0 : step, deviation);
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }
}

/* Mipmaps would do for the shrinking, but software drivers take long to prepare for them. */
void lightmap_end(const lightmap *m) {
  glDisable(GL_DEPTH_TEST);
  glBindVertexArray(m->triangle);
  glActiveTexture(GL_TEXTURE0 + GPU_PICTURE);
  glBindTexture(GL_TEXTURE_2D, m->cover);
  glBindFramebuffer(GL_FRAMEBUFFER, m->small_target);
  glViewport(0, 0, SHADE_SIDE, SHADE_SIDE);
  glUseProgram(m->shrink_program);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glUseProgram(m->blur_program);
  blur(m, m->shade, m->shade_targets, SHADE_SIDE, 1.0f);
  blur(m, m->wide, m->wide_targets, WIDE_SIDE, 2.2f);
  glEnable(GL_DEPTH_TEST);
}

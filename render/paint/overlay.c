#include "render/paint/overlay.h"

#include "render/paint/font.h"
#include "render/paint/gpu.h"
#include "shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct vertex {
  float x, y, u, v;
  uint8_t tint[4];
  /* See overlay.glsl. */
  float kind;
} vertex;

struct overlay {
  GLuint program, vertices, indices, array, glyphs;
  int quads;
  vertex corners[OVERLAY_QUADS][4];
  /* The corners of each quad as two triangles. */
  uint16_t order[OVERLAY_QUADS][6];
};

void overlay_destroy(overlay *o) {
  if (o == NULL)
    return;
  glDeleteProgram(o->program);
  glDeleteTextures(1, &o->glyphs);
  glDeleteBuffers(1, &o->vertices);
  glDeleteBuffers(1, &o->indices);
  glDeleteVertexArrays(1, &o->array);
  free(o);
}

static void make_array(overlay *o) {
  static const uint16_t order[6] = {0, 1, 2, 2, 1, 3};
  for (int q = 0; q < OVERLAY_QUADS; q++)
    for (int i = 0; i < 6; i++)
      o->order[q][i] = (uint16_t)(4 * q + order[i]);
  glGenVertexArrays(1, &o->array);
  glBindVertexArray(o->array);
  o->vertices = gpu_buffer(GL_ARRAY_BUFFER, sizeof o->corners, NULL);
  static const struct {
    GLint size;
    GLenum type;
    GLboolean normalized;
    size_t offset;
  } attributes[] = {{2, GL_FLOAT, GL_FALSE, offsetof(vertex, x)},
                    {2, GL_FLOAT, GL_FALSE, offsetof(vertex, u)},
                    {4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(vertex, tint)},
                    {1, GL_FLOAT, GL_FALSE, offsetof(vertex, kind)}};
  for (GLuint i = 0; i < 4; i++) {
    glEnableVertexAttribArray(i);
    glVertexAttribPointer(i, attributes[i].size, attributes[i].type, attributes[i].normalized, sizeof(vertex),
                          (const void *)attributes[i].offset);
  }
  o->indices = gpu_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof o->order, o->order);
  glBindVertexArray(0);
}

overlay *overlay_create(char *error, size_t size) {
  overlay *o = calloc(1, sizeof *o);
  if (o == NULL) {
    snprintf(error, size, "out of memory for the text of the picture");
    return NULL;
  }
  o->program = gpu_program("overlay", shader_overlay, "", error, size);
  o->glyphs = gpu_texture(GPU_GLYPHS, GL_R8, FONT_ATLAS_WIDTH, FONT_ATLAS_HEIGHT, GL_RED, GL_UNSIGNED_BYTE,
                          font_atlas);
  gpu_texture_smooth(GPU_GLYPHS);
  make_array(o);
  if (o->program == 0) {
    overlay_destroy(o);
    return NULL;
  }
  return o;
}

/* Corners 0 to 3: top left, top right, bottom left, bottom right. */
static void add_quad(overlay *o, const float place[4], const float texture[4], rgb color, float opacity,
                     float kind) {
  if (o->quads == OVERLAY_QUADS)
    return;
  for (int i = 0; i < 4; i++) {
    int right = i & 1, low = i >> 1;
    o->corners[o->quads][i] = (vertex){place[0] + (float)right * place[2],
                                       place[1] + (float)low * place[3],
                                       texture[0] + (float)right * texture[2],
                                       texture[1] + (float)low * texture[3],
                                       {color.r, color.g, color.b, (uint8_t)(opacity * 255 + 0.5f)},
                                       kind};
  }
  o->quads++;
}

static const font_glyph *glyph_of(char letter) {
  return letter >= FONT_FIRST && letter <= FONT_LAST ? &font_glyphs[letter - FONT_FIRST]
                                                     : &font_glyphs['?' - FONT_FIRST];
}

float overlay_text_width(float height, const char *text) {
  float width = 0;
  for (; *text != '\0'; text++)
    width += glyph_of(*text)->advance * height;
  return width;
}

float overlay_text(overlay *o, float x, float top, float height, float align, rgb color, const char *text) {
  float width = overlay_text_width(height, text);
  float scale = height / FONT_SIZE;
  /* The distance field rises by FONT_STEEPNESS / 255 per atlas pixel; an outline that is soft over one pixel of
     the picture looks smooth. */
  float sharpness = 255 / FONT_STEEPNESS * scale;
  float pen = x - align * width, baseline = top + 0.78f * height;
  for (; *text != '\0'; text++) {
    const font_glyph *g = glyph_of(*text);
    if (g->width > 0)
      add_quad(o,
               (float[]){pen + (float)g->left * scale, baseline + (float)g->top * scale,
                         (float)g->width * scale, (float)g->height * scale},
               (float[]){(float)g->x / FONT_ATLAS_WIDTH, (float)g->y / FONT_ATLAS_HEIGHT,
                         (float)g->width / FONT_ATLAS_WIDTH, (float)g->height / FONT_ATLAS_HEIGHT},
               color, 1, sharpness);
    pen += g->advance * height;
  }
  return width;
}

void overlay_rectangle(overlay *o, float x, float top, float width, float height, rgb color, float opacity) {
  add_quad(o, (float[]){x, top, width, height}, (float[]){0, 0, 0, 0}, color, opacity, 0);
}

void overlay_line(overlay *o, const float from[2], const float to[2], float width, rgb color, float opacity) {
  float along[2] = {to[0] - from[0], to[1] - from[1]}, length = hypotf(along[0], along[1]);
  if (o->quads == OVERLAY_QUADS || length == 0)
    return;
  float aside[2] = {-along[1] * width / (2 * length), along[0] * width / (2 * length)};
  for (int i = 0; i < 4; i++) {
    const float *end = i & 1 ? to : from;
    float side = i >> 1 ? 1.0f : -1.0f;
    o->corners[o->quads][i] = (vertex){.x = end[0] + side * aside[0],
                                       .y = end[1] + side * aside[1],
                                       .tint = {color.r, color.g, color.b, (uint8_t)(opacity * 255 + 0.5f)}};
  }
  o->quads++;
}

void overlay_scale(overlay *o, float x, float top, float width, float height) {
  add_quad(o, (float[]){x, top, width, height}, (float[]){0, 0, 1, 0}, (rgb){0, 0, 0}, 1, -1);
}

void overlay_draw(overlay *o) {
  if (o->quads == 0)
    return;
  glUseProgram(o->program);
  glBindVertexArray(o->array);
  glBindBuffer(GL_ARRAY_BUFFER, o->vertices);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)((size_t)o->quads * sizeof o->corners[0]), o->corners);
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawElements(GL_TRIANGLES, o->quads * 6, GL_UNSIGNED_SHORT, NULL);
  glDisable(GL_BLEND);
  glEnable(GL_DEPTH_TEST);
  glBindVertexArray(0);
  o->quads = 0;
}

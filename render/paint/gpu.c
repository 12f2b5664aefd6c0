#include "render/paint/gpu.h"

#include "shaders.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a driver's log that are read. */
enum { LOG_MAX = 512 };

static const char *const unit_names[GPU_UNIT_COUNT] = {"points",     "gathered",  "values",   "color_map",
                                                       "shadow_map", "shade_map", "wide_map", "fans",
                                                       "corners",    "links",     "glyphs",   "picture"};

#ifdef __EMSCRIPTEN__

/* Floats and integers of the default precision of a desktop. */
static const char shader_version[] = "#version 300 es\n"
                                     "precision highp float;\n"
                                     "precision highp int;\n"
                                     "precision highp sampler2D;\n"
                                     "precision highp isampler2D;\n"
                                     "precision highp usampler2D;\n";

bool gpu_load(gpu_finder find, char *error, size_t size) {
  (void)find, (void)error, (void)size;
  return true;
}

#else

static const char shader_version[] = "#version 330 core\n";

bool gpu_load(gpu_finder find, char *error, size_t size) {
  int version = gladLoadGL(find);
  if (version >= GLAD_MAKE_VERSION(3, 3))
    return true;
  snprintf(error, size, "this machine offers OpenGL %d.%d; pictures need 3.3 or newer",
           GLAD_VERSION_MAJOR(version), GLAD_VERSION_MINOR(version));
  return false;
}

#endif

/* Puts the first line of the driver's log into `error`. */
static void explain(char *log, const char *refusal, const char *name, char *error, size_t size) {
  log[strcspn(log, "\n")] = '\0';
  snprintf(error, size, "the graphics driver %s the %s shader: %s", refusal, name, log);
}

static GLuint compile(const char *name, GLenum stage, const char *source, const char *defines, char *error,
                      size_t size) {
  const char *parts[] = {shader_version,
                         stage == GL_VERTEX_SHADER ? "#define VERTEX\n" : "#define FRAGMENT\n", defines,
                         shader_common, source};
  GLuint shader = glCreateShader(stage);
  glShaderSource(shader, sizeof parts / sizeof *parts, parts, NULL);
  glCompileShader(shader);
  GLint done = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done)
    return shader;
  char log[LOG_MAX] = "";
  glGetShaderInfoLog(shader, sizeof log, NULL, log);
  explain(log, "rejects", name, error, size);
  glDeleteShader(shader);
  return 0;
}

GLuint gpu_program(const char *name, const char *source, const char *defines, char *error, size_t size) {
  GLuint vertex = compile(name, GL_VERTEX_SHADER, source, defines, error, size);
  GLuint fragment = vertex != 0 ? compile(name, GL_FRAGMENT_SHADER, source, defines, error, size) : 0;
  GLuint program = fragment != 0 ? glCreateProgram() : 0;
  if (program != 0) {
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint done = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (!done) {
      char log[LOG_MAX] = "";
      glGetProgramInfoLog(program, sizeof log, NULL, log);
      explain(log, "cannot link", name, error, size);
      glDeleteProgram(program);
      program = 0;
    }
  }
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  if (program == 0)
    return 0;
  GLuint frame = glGetUniformBlockIndex(program, "Frame");
  if (frame != GL_INVALID_INDEX)
    glUniformBlockBinding(program, frame, 0);
  glUseProgram(program);
  for (int unit = 0; unit < GPU_UNIT_COUNT; unit++) {
    GLint location = glGetUniformLocation(program, unit_names[unit]);
    if (location >= 0)
      glUniform1i(location, unit);
  }
  return program;
}

GLuint gpu_texture(gpu_unit unit, GLenum internal_format, int width, int height, GLenum format, GLenum type,
                   const void *pixels) {
  GLuint texture;
  glGenTextures(1, &texture);
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal_format, width, height, 0, format, type, pixels);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return texture;
}

void gpu_texture_smooth(gpu_unit unit) {
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

/* The pixel format and type that glTexImage2D wants to go with an internal format, even without pixels. */
static void formats_of(GLenum internal_format, GLenum *format, GLenum *type) {
  bool is_integer = internal_format == GL_RGBA32I || internal_format == GL_RGB32I;
  *type = is_integer ? GL_INT : internal_format == GL_RGBA32UI ? GL_UNSIGNED_INT : GL_FLOAT;
  switch (internal_format) {
  case GL_RGB32I:
    *format = GL_RGB_INTEGER;
    break;
  case GL_RGBA32I:
  case GL_RGBA32UI:
    *format = GL_RGBA_INTEGER;
    break;
  case GL_R32F:
    *format = GL_RED;
    break;
  default:
    *format = GL_RGBA;
  }
}

GLuint gpu_array(gpu_unit unit, GLenum internal_format, int32_t count, char *error, size_t size) {
  GLint side = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
  int64_t rows = ((int64_t)count + GPU_ROW - 1) / GPU_ROW;
  if (rows > side) {
    snprintf(error, size, "the scene has %d items of one kind; this machine can draw %lld", (int)count,
             (long long)side * GPU_ROW);
    return 0;
  }
  GLenum format, type;
  formats_of(internal_format, &format, &type);
  return gpu_texture(unit, internal_format, GPU_ROW, rows > 0 ? (int)rows : 1, format, type, NULL);
}

void gpu_array_upload(gpu_unit unit, GLenum format, GLenum type, int32_t count, size_t item_bytes,
                      const void *items) {
  int rows = count / GPU_ROW, rest = count % GPU_ROW;
  glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  if (rows > 0)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, GPU_ROW, rows, format, type, items);
  if (rest > 0)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows, rest, 1, format, type,
                    (const char *)items + (size_t)rows * GPU_ROW * item_bytes);
}

GLuint gpu_buffer(GLenum target, int64_t bytes, const void *contents) {
  GLuint buffer;
  glGenBuffers(1, &buffer);
  glBindBuffer(target, buffer);
  glBufferData(target, (GLsizeiptr)bytes, contents, contents != NULL ? GL_STATIC_DRAW : GL_DYNAMIC_DRAW);
  return buffer;
}

void gpu_read_pixels(int width, int height, uint8_t *rows, uint8_t *pixels) {
  /* From the bottom. */
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rows);
  size_t columns = (size_t)width;
  for (size_t y = 0; y < (size_t)height; y++) {
    const uint8_t *row = rows + 4 * columns * ((size_t)height - 1 - y);
    for (size_t x = 0; x < columns; x++)
      memcpy(pixels + 3 * (y * columns + x), row + 4 * x, 3);
  }
}

bool gpu_check(const char *where, char *error, size_t size) {
  GLenum code = glGetError();
  if (code == GL_NO_ERROR)
    return true;
  const char *name = code == GL_OUT_OF_MEMORY                   ? "out of graphics memory"
                     : code == GL_INVALID_ENUM                  ? "invalid enum"
                     : code == GL_INVALID_VALUE                 ? "invalid value"
                     : code == GL_INVALID_OPERATION             ? "invalid operation"
                     : code == GL_INVALID_FRAMEBUFFER_OPERATION ? "invalid framebuffer"
                                                                : "unknown error";
  snprintf(error, size, "OpenGL reports \"%s\" (0x%04x) %s", name, code, where);
  return false;
}

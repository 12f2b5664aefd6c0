#define _POSIX_C_SOURCE 200809L
#include "render/paint/png.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

/* Opens a new file: a link or a pipe that somebody has put there is removed, not followed. */
static FILE *open_new(const char *path) {
  unlink(path);
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
}

static bool write_file(const char *path, const void *bytes, size_t count) {
  FILE *file = open_new(path);
  if (file == NULL)
    return false;
  bool done = fwrite(bytes, 1, count, file) == count;
  int reason = errno;
  if (fclose(file) != 0 && done) {
    done = false;
    reason = errno;
  }
  errno = reason;
  return done;
}

bool png_write(const char *path, int width, int height, int channels, const uint8_t *pixels, char *error,
               size_t size) {
  int count = 0;
  unsigned char *png = stbi_write_png_to_mem(pixels, channels * width, width, height, channels, &count);
  size_t length = strlen(path) + 32;
  char *beside = malloc(length);
  bool done = false;
  if (png == NULL || beside == NULL) {
    snprintf(error, size, "%.300s: out of memory for a picture of %d x %d pixels", path, width, height);
  } else {
    snprintf(beside, length, "%s.%ld.part", path, (long)getpid());
    done = write_file(beside, png, (size_t)count) && rename(beside, path) == 0;
    if (!done) {
      snprintf(error, size, "%.300s: cannot write the picture: %s", path, strerror(errno));
      remove(beside);
    }
  }
  free(beside);
  free(png);
  return done;
}

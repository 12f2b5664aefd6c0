#include "scenes/input/file_bytes.h"

#include "scenes/input/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LARGEST_MB = 2000 };

char *file_bytes_read(const char *path, const char *what, size_t *size, scene_error *error) {
  struct stat status;
  if (stat(path, &status) != 0) {
    report(error, "%s: %s; mesh files are looked for beside the scene file", report_path(path),
           strerror(errno));
    return NULL;
  }
  if (!S_ISREG(status.st_mode)) {
    report(error, "%s: is not a file; give %s", report_path(path), what);
    return NULL;
  }
  if (status.st_size > (off_t)LARGEST_MB * 1000000) {
    report(error, "%s: has %.0f MB; mesh files go to %d MB", report_path(path), (double)status.st_size / 1e6,
           LARGEST_MB);
    return NULL;
  }
  FILE *file = fopen(path, "rb");
  if (!file) {
    report(error, "%s: %s; make it readable", report_path(path), strerror(errno));
    return NULL;
  }
  char *bytes = malloc((size_t)status.st_size + 1);
  if (bytes) {
    *size = fread(bytes, 1, (size_t)status.st_size, file);
    bytes[*size] = '\0';
  } else {
    report_out_of_memory(error);
  }
  fclose(file);
  return bytes;
}

bool file_has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

char *file_path_in_folder(const char *folder, const char *file) {
  size_t size = strlen(folder) + strlen(file) + 2;
  char *path = malloc(size);
  if (!path)
    return NULL;
  if (file[0] == '/')
    snprintf(path, size, "%s", file);
  else
    snprintf(path, size, "%s/%s", folder, file);
  return path;
}

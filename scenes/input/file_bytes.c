#include "scenes/input/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_open(const char *path, const file_kind *kind, scene_error *error) {
  const char *remedy = errno == ENOENT ? kind->missing_remedy : "make it readable";
  return scene_fail(error, "%s: %s; %s", scene_error_path(path), strerror(errno), remedy);
}

static const char *type_of_file(mode_t mode) {
  return S_ISDIR(mode) ? "folder" : S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
}

/* Looks at the open file, so that nobody can put another one in its place between the look and the reading. */
static bool check_file(int file, const char *path, const file_kind *kind, size_t *size, scene_error *error) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return fail_open(path, kind, error);
  if (!S_ISREG(status.st_mode))
    return scene_fail(error, "%s: is a %s; give %s", scene_error_path(path), type_of_file(status.st_mode),
                      kind->what);
  if ((double)status.st_size > kind->largest_mb * 1e6)
    return scene_fail(error, "%s: has %.4g MB; %s may have %.4g MB: %s", scene_error_path(path),
                      (double)status.st_size / 1e6, kind->what, kind->largest_mb, kind->size_remedy);
  *size = (size_t)status.st_size;
  return true;
}

/* Up to *size bytes; *size becomes how many there were. */
static char *read_bytes(int file, const char *path, size_t *size, scene_error *error) {
  char *bytes = malloc(*size + 1);
  if (!bytes) {
    scene_fail_out_of_memory(error);
    return NULL;
  }
  size_t used = 0;
  ssize_t count = 1;
  while (used < *size && count > 0) {
    count = read(file, bytes + used, *size - used);
    used += count > 0 ? (size_t)count : 0;
  }
  if (count < 0) {
    scene_fail(error, "%s: cannot be read: %s", scene_error_path(path), strerror(errno));
    free(bytes);
    return NULL;
  }
  bytes[used] = '\0';
  *size = used;
  return bytes;
}

/* Open for reading; below 0 with the error filled. Without O_NONBLOCK opening a pipe waits for somebody who
   writes to it. */
static int open_file(const char *path, const file_kind *kind, size_t *size, scene_error *error) {
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return fail_open(path, kind, error), -1;
  if (check_file(file, path, kind, size, error))
    return file;
  close(file);
  return -1;
}

bool file_measure(const char *path, const file_kind *kind, size_t *size, scene_error *error) {
  const int file = open_file(path, kind, size, error);
  if (file >= 0)
    close(file);
  return file >= 0;
}

char *file_bytes_read(const char *path, const file_kind *kind, size_t *size, scene_error *error) {
  const int file = open_file(path, kind, size, error);
  if (file < 0)
    return NULL;
  char *bytes = read_bytes(file, path, size, error);
  close(file);
  return bytes;
}

size_t file_mark_length(const char *bytes, size_t size) {
  static const char mark[] = "\xef\xbb\xbf";
  const size_t length = sizeof mark - 1;
  return size >= length && memcmp(bytes, mark, length) == 0 ? length : 0;
}

bool file_check_text(const char *shown, const char *bytes, size_t size, scene_error *error) {
  if (size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
    return scene_fail(error, "%s: is text in UTF-16; save it as UTF-8", shown);
  return !memchr(bytes, '\0', size) || scene_fail(error, "%s: holds zero bytes; it must be text", shown);
}

/* --------------------------------------------------------------------------------------------- line by line */

/* The lines that have been read and not been taken, and those who get them. */
typedef struct line_reader {
  int file;
  const char *path;
  char *bytes;
  size_t used, capacity;
  bool has_begun;
  line_taker take;
  void *context;
  scene_error *error;
} line_reader;

enum { LINES_AT_ONCE = 1 << 20 };

/* Doubles where a line is longer than what there is room for. */
static bool make_room(line_reader *r) {
  if (r->capacity - r->used > LINES_AT_ONCE / 2)
    return true;
  const size_t capacity = r->capacity > 0 ? 2 * r->capacity : LINES_AT_ONCE;
  char *larger = realloc(r->bytes, capacity + 1);
  if (!larger)
    return scene_fail_out_of_memory(r->error);
  r->bytes = larger;
  r->capacity = capacity;
  return true;
}

/* Behind the last line that has ended, and is not joined with the next by a backslash; 0: none has. */
static size_t end_of_lines(const char *bytes, size_t used) {
  for (size_t end = used; end > 0; end--) {
    if (bytes[end - 1] != '\n')
      continue;
    const size_t before = end > 1 && bytes[end - 2] == '\r' ? end - 2 : end - 1;
    if (before == 0 || bytes[before - 1] != '\\')
      return end;
  }
  return 0;
}

static bool take_lines(line_reader *r, size_t count) {
  const size_t mark = r->has_begun ? 0 : file_mark_length(r->bytes, r->used);
  if (!r->has_begun && !file_check_text(scene_error_path(r->path), r->bytes, r->used, r->error))
    return false;
  if (memchr(r->bytes, '\0', count))
    return file_check_text(scene_error_path(r->path), r->bytes, count, r->error);
  r->has_begun = true;
  const char kept = r->bytes[count];
  r->bytes[count] = '\0';
  if (!r->take(r->context, r->bytes + mark))
    return false;
  r->bytes[count] = kept;
  memmove(r->bytes, r->bytes + count, r->used - count);
  r->used -= count;
  return true;
}

static bool take_all_lines(line_reader *r) {
  for (ssize_t count = 1; count > 0;) {
    if (!make_room(r))
      return false;
    count = read(r->file, r->bytes + r->used, r->capacity - r->used);
    if (count < 0)
      return scene_fail(r->error, "%s: cannot be read: %s", scene_error_path(r->path), strerror(errno));
    r->used += (size_t)count;
    const size_t end = count > 0 ? end_of_lines(r->bytes, r->used) : r->used;
    if (end > 0 && !take_lines(r, end))
      return false;
  }
  return true;
}

bool file_lines_read(const char *path, const file_kind *kind, line_taker take, void *context,
                     scene_error *error) {
  size_t size;
  const int file = open_file(path, kind, &size, error);
  if (file < 0)
    return false;
  line_reader r = {.file = file, .path = path, .take = take, .context = context, .error = error};
  const bool done = take_all_lines(&r);
  free(r.bytes);
  close(file);
  return done;
}

/* ---------------------------------------------------------------------------------------------------- paths */

bool file_has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

char *file_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return strdup(".");
  return strndup(path, slash > path ? (size_t)(slash - path) : 1);
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

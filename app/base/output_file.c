#include "app/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Large enough that a trace is written in few system calls. */
enum { BUFFER_BYTES = 1 << 20 };

static char *join(const char *first, const char *second) {
  size_t size = strlen(first) + strlen(second) + 1;
  char *text = malloc(size);
  if (text != NULL)
    snprintf(text, size, "%s%s", first, second);
  return text;
}

/* The folder of a path, which the caller frees. */
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    return join(".", "");
  char *folder = join(path, "");
  if (folder != NULL)
    folder[slash == path ? 1 : slash - path] = '\0';
  return folder;
}

static bool out_of_memory(const char *path, problem *p) {
  return problem_set(p, "%s: out of memory", path);
}

static bool folder_check(const char *folder, problem *p) {
  struct stat status;
  if (stat(folder, &status) != 0)
    return problem_set(p, "folder %s: %s; make it first", folder, strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return problem_set(p, "%s: not a folder", folder);
  if (access(folder, W_OK | X_OK) != 0)
    return problem_set(p, "folder %s: cannot be written (%s); choose another", folder, strerror(errno));
  return true;
}

/* Permissions do not tell everything (a special file system, a full one): only making the file does. */
static bool try_part(const char *path, problem *p) {
  char *part = join(path, ".part");
  if (part == NULL)
    return out_of_memory(path, p);
  struct stat status;
  bool existed = stat(part, &status) == 0;
  int descriptor = open(part, O_WRONLY | O_CREAT | O_APPEND, 0666);
  bool ok = descriptor >= 0 || problem_set(p, "%s: cannot be written (%s)", part, strerror(errno));
  if (descriptor >= 0) {
    close(descriptor);
    if (!existed)
      unlink(part);
  }
  free(part);
  return ok;
}

bool output_file_check(const char *path, problem *p) {
  if (*path == '\0')
    return problem_set(p, "the name of a file to write is empty");
  struct stat status;
  if (stat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return problem_set(p, "%s: is a folder; name a file in it", path);
    if (!S_ISREG(status.st_mode))
      return problem_set(
          p, "%s: is not an ordinary file; results are written beside and renamed, so name one", path);
    if (access(path, W_OK) != 0)
      return problem_set(p, "%s: cannot be overwritten (%s)", path, strerror(errno));
  }
  char *folder = folder_of(path);
  if (folder == NULL)
    return out_of_memory(path, p);
  problem cause;
  bool ok = folder_check(folder, &cause) || problem_set(p, "%s: %.1000s", path, cause.text);
  free(folder);
  return ok && try_part(path, p);
}

bool output_folder_prepare(const char *path, problem *p) {
  if (*path == '\0')
    return problem_set(p, "the name of a folder to write in is empty");
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return problem_set(p, "folder %s: cannot be made (%s)", path, strerror(errno));
  return folder_check(path, p);
}

static void forget(output_file *file) {
  free(file->path);
  free(file->part);
  *file = (output_file){.stream = NULL};
}

static bool open_part(output_file *file, const char *path, const char *mode, problem *p) {
  *file = (output_file){.path = join(path, ""), .part = join(path, ".part")};
  if (file->path == NULL || file->part == NULL) {
    forget(file);
    return out_of_memory(path, p);
  }
  file->stream = fopen(file->part, mode);
  if (file->stream == NULL) {
    problem_set(p, "%s: cannot be written (%s)", file->part, strerror(errno));
    forget(file);
    return false;
  }
  setvbuf(file->stream, NULL, _IOFBF, BUFFER_BYTES);
  return true;
}

bool output_file_open(output_file *file, const char *path, problem *p) {
  return open_part(file, path, "wb", p);
}

static bool failed_write(const output_file *file, problem *p) {
  return problem_set(p, "%s: cannot be written (%s)", file->part, strerror(errno));
}

static bool copy(FILE *from, output_file *to, problem *p) {
  char buffer[1 << 14];
  size_t count;
  while ((count = fread(buffer, 1, sizeof buffer, from)) > 0) {
    if (fwrite(buffer, 1, count, to->stream) != count)
      return failed_write(to, p);
  }
  if (ferror(from))
    return problem_set(p, "%s: cannot be read (%s)", to->path, strerror(errno));
  rewind(to->stream);
  return true;
}

bool output_file_continue(output_file *file, const char *path, bool *found, problem *p) {
  char *part = join(path, ".part");
  if (part == NULL)
    return out_of_memory(path, p);
  bool unfinished = access(part, F_OK) == 0;
  free(part);
  *found = true;
  if (unfinished) {
    if (!open_part(file, path, "r+b", p))
      return false;
    file->inherited = true;
    return true;
  }

  FILE *finished = fopen(path, "rb");
  if (finished == NULL && errno != ENOENT)
    return problem_set(p, "%s: cannot be read (%s)", path, strerror(errno));
  *found = finished != NULL;
  if (!open_part(file, path, "w+b", p)) {
    if (finished != NULL)
      fclose(finished);
    return false;
  }
  if (finished == NULL)
    return true;
  bool ok = copy(finished, file, p);
  fclose(finished);
  if (!ok)
    output_file_discard(file);
  return ok;
}

bool output_file_cut(output_file *file, long long length, problem *p) {
  if (fflush(file->stream) != 0 || ftruncate(fileno(file->stream), (off_t)length) != 0 ||
      fseeko(file->stream, (off_t)length, SEEK_SET) != 0)
    return failed_write(file, p);
  return true;
}

bool output_file_flush(output_file *file, problem *p) {
  if (fflush(file->stream) != 0 || ferror(file->stream))
    return failed_write(file, p);
  return true;
}

/* A rename is on the disk once the folder is. Not every file system offers it, so failure is no error. */
static void sync_folder(const char *path) {
  char *folder = folder_of(path);
  if (folder == NULL)
    return;
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
  free(folder);
}

bool output_file_commit(output_file *file, bool durable, problem *p) {
  bool ok = fflush(file->stream) == 0 && !ferror(file->stream);
  if (ok && durable)
    ok = fsync(fileno(file->stream)) == 0;
  if (!ok)
    failed_write(file, p);
  if (fclose(file->stream) != 0 && ok)
    ok = failed_write(file, p);
  if (ok && rename(file->part, file->path) != 0)
    ok = problem_set(p, "%s: cannot be written (%s)", file->path, strerror(errno));
  if (ok && durable)
    sync_folder(file->path);
  if (!ok && !file->inherited)
    unlink(file->part);
  forget(file);
  return ok;
}

void output_file_discard(output_file *file) {
  if (file->stream == NULL)
    return;
  fclose(file->stream);
  if (!file->inherited)
    unlink(file->part);
  forget(file);
}

#include "app/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Large enough that a trace is written in few system calls, and small enough for a cache. */
enum { BUFFER_BYTES = 1 << 17 };

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

/* What is at `part` can be replaced: nothing, a file that a run has left, or a link, which is not followed. */
static bool check_part(const char *part, problem *p) {
  struct stat status;
  return lstat(part, &status) != 0 || S_ISREG(status.st_mode) || S_ISLNK(status.st_mode) ||
         problem_set(p, "%s: is in the way and not an ordinary file; remove it", part);
}

/* A file that was not there before: whatever else comes to stand under that name is not opened. -1, with *p
   filled, when it cannot be made. */
static int make_part(const char *part, problem *p) {
  enum { TRIES = 4 }; /* somebody may put another one there between the removal and the opening */
  for (int i = 0; i < TRIES; i++) {
    if (!check_part(part, p))
      return -1;
    unlink(part);
    const int descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0)
      return descriptor;
    if (errno != EEXIST)
      break;
  }
  problem_set(p, "%s: cannot be written (%s)", part, strerror(errno));
  return -1;
}

/* Permissions do not tell everything (a special file system, a full one): only making the file does. One that
   an unfinished run has left may still be continued, and stays. */
static bool try_part(const char *path, problem *p) {
  char *part = join(path, ".part");
  if (part == NULL)
    return out_of_memory(path, p);
  bool ok = check_part(part, p);
  struct stat status;
  if (ok && lstat(part, &status) != 0) {
    const int descriptor = make_part(part, p);
    ok = descriptor >= 0;
    if (ok) {
      close(descriptor);
      unlink(part);
    }
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

static bool same_place(const char *a, const char *b) {
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

bool output_file_same(const char *a, const char *b) {
  if (strcmp(a, b) == 0 || same_place(a, b))
    return true;
  char *folder = folder_of(a), *other = folder_of(b);
  const bool same =
      folder != NULL && other != NULL && strcmp(last_part(a), last_part(b)) == 0 && same_place(folder, other);
  free(folder);
  free(other);
  return same;
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
  free(file->buffer);
  *file = (output_file){.stream = NULL};
}

/* Takes over `part`, which may be NULL for want of memory. */
static bool name_file(output_file *file, const char *path, char *part, problem *p) {
  *file = (output_file){.path = join(path, ""), .part = part};
  if (file->path != NULL && file->part != NULL)
    return true;
  forget(file);
  return out_of_memory(path, p);
}

/* Takes over the descriptor, which is negative when *p says already why there is none. */
static bool open_stream(output_file *file, int descriptor, problem *p) {
  file->stream = descriptor >= 0 ? fdopen(descriptor, "r+b") : NULL;
  if (file->stream == NULL) {
    if (descriptor >= 0) {
      problem_set(p, "%s: cannot be written (%s)", file->part, strerror(errno));
      close(descriptor);
    }
    forget(file);
    return false;
  }
  file->buffer = malloc(BUFFER_BYTES);
  if (file->buffer != NULL)
    setvbuf(file->stream, file->buffer, _IOFBF, BUFFER_BYTES);
  return true;
}

bool output_file_open(output_file *file, const char *path, problem *p) {
  return name_file(file, path, join(path, ".part"), p) && open_stream(file, make_part(file->part, p), p);
}

bool output_file_open_with_ending(output_file *file, const char *path, problem *p) {
  const char *slash = strrchr(path, '/'), *ending = strrchr(slash != NULL ? slash : path, '.');
  if (ending == NULL || ending[1] == '\0')
    return problem_set(p, "%s: needs an ending that says its format, like .mp4", path);
  const size_t size = strlen(path) + sizeof ".part";
  char *part = malloc(size);
  if (part != NULL)
    snprintf(part, size, "%.*s.part%s", (int)(ending - path), path, ending);
  return name_file(file, path, part, p) && open_stream(file, make_part(file->part, p), p);
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

/* What an unfinished run of ours has left: no link to another file, by either kind of link. -1 without one;
   *ok is false, with *p filled, when there is something else. */
static int open_unfinished(const char *part, bool *ok, problem *p) {
  const int descriptor = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  *ok = descriptor >= 0 || errno == ENOENT;
  if (descriptor < 0) {
    if (!*ok)
      problem_set(p, "%s: cannot be continued (%s); remove it", part,
                  errno == ELOOP ? "it is a link" : strerror(errno));
    return -1;
  }
  struct stat status;
  *ok = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
        status.st_uid == geteuid();
  if (*ok)
    return descriptor;
  problem_set(p, "%s: is not what an earlier run has left, and is not continued; remove it", part);
  close(descriptor);
  return -1;
}

/* NULL with *ok true when there is none. */
static FILE *open_finished(const char *path, bool *ok, problem *p) {
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  *ok = descriptor >= 0 ? fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) : errno == ENOENT;
  FILE *stream = *ok && descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
  if (!*ok)
    problem_set(p, "%s: cannot be continued (%s)", path,
                descriptor >= 0 ? "not an ordinary file" : strerror(errno));
  else if (descriptor >= 0 && stream == NULL)
    *ok = problem_set(p, "%s: cannot be read (%s)", path, strerror(errno));
  if (stream == NULL && descriptor >= 0)
    close(descriptor);
  return stream;
}

/* A copy, so that PATH stays what it is until the end. */
static bool continue_finished(output_file *file, const char *path, bool *found, problem *p) {
  bool ok;
  FILE *finished = open_finished(path, &ok, p);
  *found = finished != NULL;
  if (ok)
    ok = open_stream(file, make_part(file->part, p), p);
  else
    forget(file);
  if (ok && finished != NULL && !copy(finished, file, p)) {
    output_file_discard(file);
    ok = false;
  }
  if (finished != NULL)
    fclose(finished);
  return ok;
}

bool output_file_continue(output_file *file, const char *path, bool *found, problem *p) {
  if (!name_file(file, path, join(path, ".part"), p))
    return false;
  bool ok;
  const int unfinished = open_unfinished(file->part, &ok, p);
  if (!ok) {
    forget(file);
    return false;
  }
  if (unfinished < 0)
    return continue_finished(file, path, found, p);
  *found = file->inherited = true;
  return open_stream(file, unfinished, p);
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

/* Whether PATH.part still is the file that was opened: another run that writes the same PATH has replaced
   it. */
static bool is_ours(const output_file *file) {
  struct stat opened, named;
  return fstat(fileno(file->stream), &opened) == 0 && lstat(file->part, &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool output_file_commit(output_file *file, bool durable, problem *p) {
  const bool ours = is_ours(file);
  bool ok = fflush(file->stream) == 0 && !ferror(file->stream);
  if (ok && durable)
    ok = fsync(fileno(file->stream)) == 0;
  if (!ok)
    failed_write(file, p);
  else if (!ours)
    ok = problem_set(p, "%s: was replaced while it was written; does another run write it?", file->part);
  if (fclose(file->stream) != 0 && ok)
    ok = failed_write(file, p);
  if (ok && rename(file->part, file->path) != 0)
    ok = problem_set(p, "%s: cannot be written (%s)", file->path, strerror(errno));
  if (ok && durable)
    sync_folder(file->path);
  if (!ok && ours && !file->inherited)
    unlink(file->part);
  forget(file);
  return ok;
}

void output_file_discard(output_file *file) {
  if (file->stream == NULL)
    return;
  const bool ours = is_ours(file);
  fclose(file->stream);
  if (ours && !file->inherited)
    unlink(file->part);
  forget(file);
}

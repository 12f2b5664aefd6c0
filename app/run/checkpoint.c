/* A checkpoint file, all numbers least significant byte first:

     8 bytes   "msd run" and a zero
     4         version of this format
     4         bytes of a number of the world: 4 or 8
     4         n, length of the scene's name
     n         the scene's name
     8         fingerprint of the scene
     8         frames done
     8 each    duration, frame time, wall seconds (doubles)
     4         substeps
     8         m, length of the snapshot
     m         the snapshot of the world
     8         checksum of everything before: FNV-1a, 64 bits */
#include "app/run/checkpoint.h"

#include "app/base/bytes.h"
#include "app/base/mpi_shim.h"
#include "app/base/output_file.h"
#include "scenes/input/checksum.h"
#include "scenes/input/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char magic[8] = "msd run";

enum {
  VERSION = 1,
  FIXED_BYTES = 8 + 4 + 4 + 4 + 8 + 8 + 3 * 8 + 4 + 8,
  CHECKSUM_BYTES = 8,
  SCENE_NAME_MAX = 4096,
  /* Of a frame; the engine takes no more. */
  SUBSTEPS_MAX = 1000000
};

/* Whether each process has a part of the scene. Then all of them save and load together. */
static bool is_in_parts(const scene *s) {
  return msd_world_get_subdomain(s->world).particles > 0;
}

static msd_result measure_snapshot(const scene *s, uint64_t *size) {
  size_t bytes = 0;
  if (is_in_parts(s))
    return msd_world_save_global(s->world, NULL, NULL, size);
  const msd_result result = msd_world_save(s->world, NULL, 0, &bytes);
  *size = bytes;
  return result;
}

/* Gives `write` all bytes of the snapshot, of parts on the first process alone. */
static msd_result give_snapshot(const scene *s, msd_write_function write, void *context) {
  uint64_t total;
  size_t size = 0;
  if (is_in_parts(s))
    return msd_world_save_global(s->world, write, context, &total);
  msd_result result = msd_world_save(s->world, NULL, 0, &size);
  if (result != MSD_OK)
    return result;
  unsigned char *bytes = malloc(size);
  result = bytes != NULL ? msd_world_save(s->world, bytes, size, &size) : MSD_OUT_OF_MEMORY;
  if (result == MSD_OK)
    write(bytes, size, context);
  free(bytes);
  return result;
}

/* Bytes that are summed, and written if there is a stream, with which errors stay. */
typedef struct sink {
  FILE *stream;
  uint64_t sum;
} sink;

static void sink_bytes(const void *bytes, size_t count, void *context) {
  sink *to = context;
  to->sum = checksum_of_more(to->sum, bytes, count);
  if (to->stream != NULL)
    fwrite(bytes, 1, count, to->stream);
}

/* What the first process has. */
static uint64_t of_first(uint64_t value) {
  const uint64_t own = processes_is_first() ? value : 0;
  const double high = processes_largest((double)(own >> 32)),
               low = processes_largest((double)(own & UINT32_MAX));
  return (uint64_t)high << 32 | (uint64_t)low;
}

uint64_t checkpoint_fingerprint(const scene *s) {
  sink to = {.sum = CHECKSUM_START};
  if (give_snapshot(s, sink_bytes, &to) != MSD_OK)
    return 0;
  if (s->animation.text != NULL)
    sink_bytes(s->animation.text, strlen(s->animation.text), &to);
  return is_in_parts(s) ? of_first(to.sum) : to.sum;
}

/* A place in a file held in memory, which stores or loads field after field. */
typedef struct cursor {
  unsigned char *at;
} cursor;

static void put(cursor *to, uint64_t bits, int count) {
  bytes_store_little(to->at, bits, count);
  to->at += count;
}

static void put_bytes(cursor *to, const void *bytes, size_t count) {
  memcpy(to->at, bytes, count);
  to->at += count;
}

static uint64_t take(cursor *from, int count) {
  uint64_t bits = bytes_load_little(from->at, count);
  from->at += count;
  return bits;
}

static void put_head(sink *to, const scene *s, uint64_t fingerprint, const checkpoint *c, uint64_t snapshot) {
  unsigned char bytes[FIXED_BYTES];
  const size_t name = strlen(s->name);
  cursor at = {bytes};
  put_bytes(&at, magic, sizeof magic);
  put(&at, VERSION, 4);
  put(&at, BYTES_REAL, 4);
  put(&at, name, 4);
  sink_bytes(bytes, (size_t)(at.at - bytes), to);
  sink_bytes(s->name, name, to);
  at.at = bytes;
  put(&at, fingerprint, 8);
  put(&at, (uint64_t)c->frame, 8);
  put(&at, bytes_of_double(c->duration), 8);
  put(&at, bytes_of_double(c->frame_time), 8);
  put(&at, bytes_of_double(c->wall_seconds), 8);
  put(&at, (uint32_t)c->substeps, 4);
  put(&at, snapshot, 8);
  sink_bytes(bytes, (size_t)(at.at - bytes), to);
}

/* All of the file into `file`, where it is open. */
static bool write_file(output_file *file, const char *path, const scene *s, uint64_t fingerprint,
                       const checkpoint *c, problem *p) {
  unsigned char bytes[CHECKSUM_BYTES];
  uint64_t size;
  sink to = {file->stream, CHECKSUM_START};
  msd_result result = measure_snapshot(s, &size);
  if (result == MSD_OK) {
    put_head(&to, s, fingerprint, c, size);
    result = give_snapshot(s, sink_bytes, &to);
  }
  if (result != MSD_OK)
    return problem_set(p, "%s: no checkpoint can be made: %s", path, msd_result_string(result));
  bytes_store_little(bytes, to.sum, CHECKSUM_BYTES);
  sink_bytes(bytes, sizeof bytes, &to);
  return true;
}

bool checkpoint_save(const char *path, const scene *s, uint64_t fingerprint, const checkpoint *c,
                     problem *p) {
  const bool in_parts = is_in_parts(s), writes = !in_parts || processes_is_first();
  output_file file = {.stream = NULL};
  bool ok = !writes || output_file_open(&file, path, p);
  if (in_parts)
    ok = processes_all_succeed(ok, p);
  ok = ok && write_file(&file, path, s, fingerprint, c, p);
  if (file.stream != NULL && !ok)
    output_file_discard(&file);
  else if (file.stream != NULL)
    ok = output_file_commit(&file, true, p);
  return in_parts ? processes_all_succeed(ok, p) : ok;
}

/* The whole file, which the caller frees. None is read that is larger than one of this scene can be. */
static unsigned char *read_file(const char *path, const scene *s, size_t *size, problem *p) {
  char what[300];
  snprintf(what, sizeof what, "a checkpoint of %.200s", s->name);
  const double largest =
      (double)msd_world_get_save_bound(s->world) + FIXED_BYTES + CHECKSUM_BYTES + SCENE_NAME_MAX;
  const file_kind kind = {.what = what,
                          .missing_remedy = "'msd run SCENE --save FILE' writes one",
                          .size_remedy = "name the scene that it was saved from",
                          .largest_mb = largest / 1e6};
  scene_error error;
  char *bytes = file_bytes_read(path, &kind, size, &error);
  if (bytes == NULL)
    problem_set(p, "%s", error.text);
  return (unsigned char *)bytes;
}

/* Where the snapshot is in the file, once everything before it has been believed. */
typedef struct contents {
  uint64_t at, size;
} contents;

static bool damaged(const char *path, problem *p) {
  return problem_set(p, "%s: the checkpoint is cut or corrupted; resume from another one", path);
}

/* A checksum tells damage, and nothing about whoever wrote the file. */
static bool check(const char *path, const checkpoint *c, problem *p) {
  const msd_real step = (msd_real)c->frame_time;
  const char *field = NULL;
  double value = 0;
  if (c->frame < 0 || c->frame > CHECKPOINT_FRAMES_MAX)
    field = "frame", value = (double)c->frame;
  else if (!isfinite(c->duration) || c->duration < 0)
    field = "duration", value = c->duration;
  else if (!isfinite(c->frame_time) || !isfinite(step) || !(step > 0))
    field = "frame time", value = c->frame_time;
  else if (!isfinite(c->wall_seconds) || c->wall_seconds < 0)
    field = "wall time", value = c->wall_seconds;
  else if (c->substeps < 0 || c->substeps > SUBSTEPS_MAX)
    field = "number of substeps", value = c->substeps;
  return field == NULL ||
         problem_set(p, "%s: holds a %s of %g, which no run has; resume from another checkpoint", path, field,
                     value);
}

/* A file of `size` bytes, of which those before the snapshot are in `head`, if there are so many. */
static bool parse(const char *path, unsigned char *head, uint64_t size, bool is_intact, const scene *s,
                  uint64_t fingerprint, checkpoint *c, contents *out, problem *p) {
  if (size < sizeof magic || memcmp(head, magic, sizeof magic) != 0)
    return problem_set(p, "%s: is not a checkpoint; 'msd run SCENE --save FILE' writes one", path);
  if (size < FIXED_BYTES + CHECKSUM_BYTES || !is_intact)
    return damaged(path, p);

  cursor from = {head + sizeof magic};
  uint64_t version = take(&from, 4), real = take(&from, 4), name_length = take(&from, 4);
  if (version != VERSION)
    return problem_set(p, "%s: a checkpoint of format %u, and this msd reads format %d", path,
                       (unsigned)version, VERSION);
  if (name_length > SCENE_NAME_MAX || name_length > size - FIXED_BYTES - CHECKSUM_BYTES)
    return damaged(path, p);
  char name[SCENE_NAME_MAX + 1];
  memcpy(name, from.at, name_length);
  name[name_length] = '\0';
  from.at += name_length;
  if (strcmp(name, s->name) != 0)
    return problem_set(p, "%s: was saved from the scene %.200s, not %.200s; name that scene", path, name,
                       s->name);
  if (real != BYTES_REAL)
    return problem_set(p, "%s: was saved in %s precision, and this msd computes in %s", path,
                       real == 8 ? "double" : "float", BYTES_REAL == 8 ? "double" : "float");
  if (take(&from, 8) != fingerprint)
    return problem_set(
        p, "%s: was saved from another version of the scene %.200s; resume needs the same file", path, name);
  c->frame = (int64_t)take(&from, 8);
  c->duration = bytes_to_double(take(&from, 8));
  c->frame_time = bytes_to_double(take(&from, 8));
  c->wall_seconds = bytes_to_double(take(&from, 8));
  c->substeps = (int32_t)(uint32_t)take(&from, 4);
  out->size = take(&from, 8);
  out->at = (uint64_t)(from.at - head);
  if (out->size != size - FIXED_BYTES - CHECKSUM_BYTES - name_length)
    return damaged(path, p);
  return check(path, c, p);
}

/* In one piece. */
static bool load_whole(const char *path, scene *s, uint64_t fingerprint, checkpoint *c, problem *p) {
  size_t size;
  unsigned char *bytes = read_file(path, s, &size, p);
  if (bytes == NULL)
    return false;
  contents found;
  const bool is_intact =
      size >= CHECKSUM_BYTES && bytes_load_little(bytes + size - CHECKSUM_BYTES, CHECKSUM_BYTES) ==
                                    checksum_of_more(CHECKSUM_START, bytes, size - CHECKSUM_BYTES);
  bool ok = parse(path, bytes, size, is_intact, s, fingerprint, c, &found, p);
  if (ok) {
    const msd_result result = msd_world_restore(s->world, bytes + found.at, (size_t)found.size);
    ok = result == MSD_OK || problem_set(p, "%s: %s", path, msd_result_string(result));
  }
  free(bytes);
  return ok;
}

/* A file of which each process reads what it needs, and where its snapshot begins. */
typedef struct pieces {
  int file;
  uint64_t size, snapshot;
} pieces;

static bool read_at(const pieces *from, void *bytes, uint64_t at, size_t count) {
  size_t done = 0;
  while (done < count) {
    const ssize_t got = pread(from->file, (char *)bytes + done, count - done, (off_t)(at + done));
    if (got <= 0)
      return false;
    done += (size_t)got;
  }
  return true;
}

static bool read_snapshot(void *bytes, uint64_t at, size_t count, void *context) {
  const pieces *from = context;
  return read_at(from, bytes, from->snapshot + at, count);
}

static bool open_pieces(pieces *from, const char *path, problem *p) {
  struct stat status;
  /* Without O_NONBLOCK opening a pipe waits for somebody who writes to it. */
  from->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (from->file < 0 || fstat(from->file, &status) != 0)
    return problem_set(p, "%s: %s; 'msd run SCENE --save FILE' writes one", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return problem_set(p, "%s: is no file; give a checkpoint", path);
  from->size = (uint64_t)status.st_size;
  return true;
}

static bool is_intact(const pieces *from) {
  unsigned char bytes[1 << 14];
  uint64_t sum = CHECKSUM_START;
  if (from->size < CHECKSUM_BYTES)
    return false;
  const uint64_t summed = from->size - CHECKSUM_BYTES;
  for (uint64_t at = 0; at < summed; at += sizeof bytes) {
    const size_t count = summed - at < sizeof bytes ? (size_t)(summed - at) : sizeof bytes;
    if (!read_at(from, bytes, at, count))
      return false;
    sum = checksum_of_more(sum, bytes, count);
  }
  return read_at(from, bytes, summed, CHECKSUM_BYTES) && bytes_load_little(bytes, CHECKSUM_BYTES) == sum;
}

/* What the file ends with, of which each process may see another one. */
static bool is_one_file(const pieces *from) {
  unsigned char bytes[CHECKSUM_BYTES] = {0};
  const bool read = read_at(from, bytes, from->size - CHECKSUM_BYTES, CHECKSUM_BYTES);
  return processes_agree(bytes_load_little(bytes, CHECKSUM_BYTES)) && !processes_any(!read);
}

/* One process is enough to find the checksum. */
static bool parse_pieces(const pieces *from, const char *path, const scene *s, uint64_t fingerprint,
                         checkpoint *c, contents *found, problem *p) {
  unsigned char head[FIXED_BYTES + SCENE_NAME_MAX] = {0};
  return (read_at(from, head, 0, from->size < sizeof head ? (size_t)from->size : sizeof head) ||
          problem_set(p, "%s: cannot be read: %s", path, strerror(errno))) &&
         parse(path, head, from->size, !processes_is_first() || is_intact(from), s, fingerprint, c, found, p);
}

/* By all processes together. */
static bool load_parts(const char *path, scene *s, uint64_t fingerprint, checkpoint *c, problem *p) {
  pieces from;
  contents found;
  const bool ok = open_pieces(&from, path, p) && parse_pieces(&from, path, s, fingerprint, c, &found, p);
  msd_result result = MSD_BAD_SNAPSHOT;
  bool all = processes_all_succeed(ok, p);
  if (all && !is_one_file(&from))
    all = problem_set(p, "%s: is another file to one process than to others; all must see the same", path);
  if (all) {
    from.snapshot = found.at;
    result = msd_world_restore_global(s->world, read_snapshot, &from, found.size);
  }
  if (from.file >= 0)
    close(from.file);
  return all && (result == MSD_OK || problem_set(p, "%s: %s", path, msd_world_message(s->world)));
}

bool checkpoint_load(const char *path, scene *s, uint64_t fingerprint, checkpoint *c, problem *p) {
  return is_in_parts(s) ? load_parts(path, s, fingerprint, c, p) : load_whole(path, s, fingerprint, c, p);
}

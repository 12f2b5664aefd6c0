/* A checkpoint file, all numbers least significant byte first:

     8 bytes   "msd run" and a zero
     4         version of this format
     4         bytes of a number of the world: 4 or 8
     4         n, length of the scene's name
     n         the scene's name
     8         fingerprint of the scene
     8         frames done
     8 each    duration, time step, wall seconds (doubles)
     4         substeps
     8         m, length of the snapshot
     m         the snapshot of the world
     8         checksum of everything before: FNV-1a, 64 bits */
#include "app/run/checkpoint.h"

#include "app/base/bytes.h"
#include "app/base/output_file.h"
#include "scenes/input/checksum.h"
#include "scenes/input/file_bytes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char magic[8] = "msd run";

enum {
  VERSION = 1,
  FIXED_BYTES = 8 + 4 + 4 + 4 + 8 + 8 + 3 * 8 + 4 + 8,
  CHECKSUM_BYTES = 8,
  SCENE_NAME_MAX = 4096,
  /* Of a frame; the engine takes no more. */
  SUBSTEPS_MAX = 1000000
};

static uint64_t checksum(const unsigned char *bytes, size_t count) {
  return checksum_of_more(CHECKSUM_START, bytes, count);
}

uint64_t checkpoint_fingerprint(const scene *s) {
  size_t size = 0;
  if (msd_world_save(s->world, NULL, 0, &size) != MSD_OK)
    return 0;
  unsigned char *snapshot = malloc(size);
  uint64_t fingerprint = 0;
  if (snapshot != NULL && msd_world_save(s->world, snapshot, size, &size) == MSD_OK)
    fingerprint = checksum(snapshot, size);
  if (fingerprint != 0 && s->timetable.text != NULL)
    fingerprint =
        checksum_of_more(fingerprint, (const unsigned char *)s->timetable.text, strlen(s->timetable.text));
  free(snapshot);
  return fingerprint;
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

bool checkpoint_save(const char *path, const scene *s, uint64_t fingerprint, const checkpoint *c,
                     problem *p) {
  size_t snapshot = 0, name = strlen(s->name);
  if (msd_world_save(s->world, NULL, 0, &snapshot) != MSD_OK)
    return problem_set(p, "%s: no snapshot can be made: %s", path, msd_world_message(s->world));
  size_t total = FIXED_BYTES + name + snapshot + CHECKSUM_BYTES;
  unsigned char *bytes = malloc(total);
  if (bytes == NULL)
    return problem_set(p, "%s: out of memory for a checkpoint of %zu bytes", path, total);

  cursor to = {bytes};
  put_bytes(&to, magic, sizeof magic);
  put(&to, VERSION, 4);
  put(&to, BYTES_REAL, 4);
  put(&to, name, 4);
  put_bytes(&to, s->name, name);
  put(&to, fingerprint, 8);
  put(&to, (uint64_t)c->frame, 8);
  put(&to, bytes_of_double(c->duration), 8);
  put(&to, bytes_of_double(c->time_step), 8);
  put(&to, bytes_of_double(c->wall_seconds), 8);
  put(&to, (uint32_t)c->substeps, 4);
  put(&to, snapshot, 8);
  if (msd_world_save(s->world, to.at, snapshot, &snapshot) != MSD_OK) {
    free(bytes);
    return problem_set(p, "%s: no snapshot can be made: %s", path, msd_world_message(s->world));
  }
  to.at += snapshot;
  put(&to, checksum(bytes, total - CHECKSUM_BYTES), CHECKSUM_BYTES);

  output_file file;
  bool ok = output_file_open(&file, path, p);
  if (ok) {
    fwrite(bytes, 1, total, file.stream);
    ok = output_file_commit(&file, true, p);
  }
  free(bytes);
  return ok;
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

/* Where the snapshot is, once everything before it has been believed. */
typedef struct contents {
  const unsigned char *snapshot;
  size_t size;
} contents;

static bool damaged(const char *path, problem *p) {
  return problem_set(p, "%s: the checkpoint is cut or corrupted; resume from another one", path);
}

/* A checksum tells damage, and nothing about whoever wrote the file. */
static bool check(const char *path, const checkpoint *c, problem *p) {
  const msd_real step = (msd_real)c->time_step;
  const char *field = NULL;
  double value = 0;
  if (c->frame < 0 || c->frame > CHECKPOINT_FRAMES_MAX)
    field = "frame", value = (double)c->frame;
  else if (!isfinite(c->duration) || c->duration < 0)
    field = "duration", value = c->duration;
  else if (!isfinite(c->time_step) || !isfinite(step) || !(step > 0))
    field = "time step", value = c->time_step;
  else if (!isfinite(c->wall_seconds) || c->wall_seconds < 0)
    field = "wall time", value = c->wall_seconds;
  else if (c->substeps < 0 || c->substeps > SUBSTEPS_MAX)
    field = "number of substeps", value = c->substeps;
  return field == NULL ||
         problem_set(p, "%s: holds a %s of %g, which no run has; resume from another checkpoint", path, field,
                     value);
}

static bool parse(const char *path, unsigned char *bytes, size_t size, const scene *s, uint64_t fingerprint,
                  checkpoint *c, contents *out, problem *p) {
  if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
    return problem_set(p, "%s: is not a checkpoint; 'msd run SCENE --save FILE' writes one", path);
  if (size < FIXED_BYTES + CHECKSUM_BYTES)
    return damaged(path, p);
  cursor from = {bytes + size - CHECKSUM_BYTES};
  if (take(&from, CHECKSUM_BYTES) != checksum(bytes, size - CHECKSUM_BYTES))
    return damaged(path, p);

  from.at = bytes + sizeof magic;
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
  c->time_step = bytes_to_double(take(&from, 8));
  c->wall_seconds = bytes_to_double(take(&from, 8));
  c->substeps = (int32_t)(uint32_t)take(&from, 4);
  out->size = (size_t)take(&from, 8);
  out->snapshot = from.at;
  if (out->size != size - FIXED_BYTES - CHECKSUM_BYTES - (size_t)name_length)
    return damaged(path, p);
  return check(path, c, p);
}

bool checkpoint_load(const char *path, scene *s, uint64_t fingerprint, checkpoint *c, problem *p) {
  size_t size;
  unsigned char *bytes = read_file(path, s, &size, p);
  if (bytes == NULL)
    return false;
  contents found;
  bool ok = parse(path, bytes, size, s, fingerprint, c, &found, p);
  if (ok) {
    msd_result result = msd_world_restore(s->world, found.snapshot, found.size);
    ok = result == MSD_OK || problem_set(p, "%s: %s", path, msd_result_string(result));
  }
  free(bytes);
  return ok;
}

/* PC2, the point cache that Blender's Mesh Cache modifier reads: a header of 32 bytes, then for every frame
   the positions as 3 floats each, all least significant byte first.

     bytes  0..11  "POINTCACHE2" and a zero
           12..15  version, 1
           16..19  points
           20..23  start, a float: the frame of the first sample
           24..27  frames between samples, a float
           28..31  samples

   The number of samples is known at the end and written there. */
#include "app/export/formats.h"

#include "app/base/bytes.h"
#include "app/base/output_file.h"
#include "app/base/write_buffer.h"

#include <stdlib.h>

enum { HEADER_BYTES = 32, POINT_BYTES = 12, POINTS_AT = 16, START_AT = 20, SAMPLES_AT = 28 };

struct point_cache {
  output_file file;
  int32_t points;
  int64_t samples;
};

static void write_header(point_cache *cache, int64_t first) {
  unsigned char header[HEADER_BYTES] = "POINTCACHE2";
  bytes_store_little(header + 12, 1, 4);
  bytes_store_little(header + POINTS_AT, (uint32_t)cache->points, 4);
  bytes_store_little(header + START_AT, bytes_of_float((float)first), 4);
  bytes_store_little(header + 24, bytes_of_float(1), 4);
  fwrite(header, 1, sizeof header, cache->file.stream);
}

static long long length_of(const point_cache *cache, int64_t samples) {
  return HEADER_BYTES + (long long)samples * cache->points * POINT_BYTES;
}

/* Goes to the end of the first `samples` samples of a cache found on disk. */
static bool keep_samples(point_cache *cache, int64_t samples, problem *p) {
  FILE *stream = cache->file.stream;
  unsigned char header[HEADER_BYTES];
  if (fread(header, 1, sizeof header, stream) != sizeof header || memcmp(header, "POINTCACHE2", 12) != 0 ||
      bytes_load_little(header + POINTS_AT, 4) != (uint64_t)cache->points ||
      bytes_load_little(header + START_AT, 4) != 0)
    return problem_set(
        p,
        "%s: is not the point cache of this scene from its first frame, so it is not continued; "
        "name another folder",
        cache->file.path);
  const long long length = length_of(cache, samples);
  if (fseeko(stream, 0, SEEK_END) != 0 || (long long)ftello(stream) < length)
    return problem_set(p, "%s: ends before the checkpoint, so it is not continued; name another folder",
                       cache->file.path);
  cache->samples = samples;
  return output_file_cut(&cache->file, length, p);
}

void point_cache_discard(point_cache *cache) {
  if (cache == NULL)
    return;
  output_file_discard(&cache->file);
  free(cache);
}

point_cache *point_cache_open(const char *path, int32_t points, int64_t first, problem *p) {
  point_cache *cache = calloc(1, sizeof *cache);
  if (cache == NULL) {
    problem_set(p, "out of memory for a point cache");
    return NULL;
  }
  cache->points = points;
  bool found = false;
  bool opened = first > 0 ? output_file_continue(&cache->file, path, &found, p)
                          : output_file_open(&cache->file, path, p);
  if (!opened) {
    free(cache);
    return NULL;
  }
  if (found && !keep_samples(cache, first, p)) {
    point_cache_discard(cache);
    return NULL;
  }
  if (!found)
    write_header(cache, first);
  return cache;
}

/* Of a sample whose points could not all be had nothing stays. */
static bool take_back(point_cache *cache, problem *p) {
  return output_file_cut(&cache->file, length_of(cache, cache->samples), p) &&
         problem_set(p, "out of memory for the points of a frame");
}

bool point_cache_write(point_cache *cache, const export_frame *frame, problem *p) {
  write_buffer out;
  write_buffer_begin(&out, cache->file.stream);
  msd_range left = {0, cache->points};
  export_stretch s;
  while (export_next(frame->source, EXPORT_POSITIONS, &left, &s))
    for (int32_t i = 0, end; i < s.rows.count; i = end) {
      end = i + write_buffer_rows(&out, POINT_BYTES, s.rows.count - i);
      unsigned char *to = write_buffer_room(&out, POINT_BYTES);
      for (int32_t n = i; n < end; n++) {
        const msd_vec3 x = msd_view_at(s.vectors, n);
        to = bytes_put_little(to, bytes_of_float((float)x.x), 4);
        to = bytes_put_little(to, bytes_of_float((float)x.y), 4);
        to = bytes_put_little(to, bytes_of_float((float)x.z), 4);
      }
      write_buffer_take(&out, to);
    }
  write_buffer_flush(&out);
  if (left.count > 0)
    return take_back(cache, p);
  cache->samples++;
  return !ferror(cache->file.stream) || output_file_flush(&cache->file, p);
}

bool point_cache_flush(point_cache *cache, problem *p) {
  return output_file_flush(&cache->file, p);
}

bool point_cache_close(point_cache *cache, problem *p) {
  if (cache == NULL)
    return true;
  FILE *stream = cache->file.stream;
  if (fseeko(stream, SAMPLES_AT, SEEK_SET) == 0)
    bytes_write_little(stream, (uint64_t)cache->samples, 4);
  bool ok = output_file_commit(&cache->file, false, p);
  free(cache);
  return ok;
}

static bool read_header(point_samples *samples) {
  unsigned char header[HEADER_BYTES];
  uint32_t bits;
  float first;
  if (fread(header, 1, sizeof header, samples->stream) != sizeof header)
    return false;
  bits = (uint32_t)bytes_load_little(header + START_AT, 4);
  memcpy(&first, &bits, sizeof first);
  samples->points = (int32_t)bytes_load_little(header + POINTS_AT, 4);
  samples->first = (int64_t)first;
  samples->count = (int64_t)bytes_load_little(header + SAMPLES_AT, 4);
  return true;
}

bool point_samples_open(point_samples *samples, const char *path, problem *p) {
  *samples = (point_samples){.stream = fopen(path, "rb")};
  if (samples->stream != NULL && read_header(samples))
    return true;
  point_samples_close(samples);
  return problem_set(p, "%s: cannot be read again", path);
}

void point_samples_close(point_samples *samples) {
  if (samples->stream != NULL)
    fclose(samples->stream);
  samples->stream = NULL;
}

void point_samples_load(point_samples *samples, int64_t sample, msd_range points, float (*out)[3]) {
  const long long at = HEADER_BYTES + ((long long)sample * samples->points + points.first) * POINT_BYTES;
  if (fseeko(samples->stream, at, SEEK_SET) != 0)
    return;
  /* The bytes of each number are where it will be. */
  const size_t found = fread(out, POINT_BYTES, (size_t)points.count, samples->stream);
  for (size_t i = 0; i < found; i++)
    for (int c = 0; c < 3; c++) {
      unsigned char bytes[4];
      memcpy(bytes, &out[i][c], sizeof bytes);
      const uint32_t bits = (uint32_t)bytes_load_little(bytes, 4);
      memcpy(&out[i][c], &bits, sizeof bits);
    }
}

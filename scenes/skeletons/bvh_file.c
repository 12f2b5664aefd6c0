/* The format, as Biovision made it and M. Meredith and S. Maddock, "Motion Capture File Formats Explained",
   describe it:

       HIERARCHY
       ROOT <name> { OFFSET <x> <y> <z> CHANNELS <count> <channel>...
         JOINT <name> { the same }...  or  End Site { OFFSET <x> <y> <z> } }
       MOTION
       Frames: <count>
       Frame Time: <seconds>
       the numbers of all channels in their order, a line for each frame */
#include "scenes/skeletons/bvh_file.h"

#include "scenes/input/checksum.h"
#include "scenes/input/file_bytes.h"
#include "scenes/input/number_range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SPACES " \t\r\n"

enum { WORD_SHOWN = 40 };

typedef struct bvh_reader {
  const char *path;
  /* The unread rest. */
  const char *at;
  /* Of the word read last. */
  int line;
  size_t size;
  bvh_data *data;
  scene_error *error;
} bvh_reader;

typedef struct word {
  const char *at;
  size_t length;
} word;

/* ------------------------------------------------------------------------------------------------- words */

/* Empty at the end of the file. */
static word next_word(bvh_reader *r) {
  for (; *r->at && strchr(SPACES, *r->at); r->at++)
    r->line += *r->at == '\n';
  const size_t length = *r->at == '{' || *r->at == '}' ? 1 : strcspn(r->at, SPACES "{}");
  const word w = {r->at, length};
  r->at += length;
  return w;
}

static bool is_word(word w, const char *text) {
  return w.length == strlen(text) && strncasecmp(w.at, text, w.length) == 0;
}

static bool fail_word(const bvh_reader *r, word w, const char *expected) {
  if (w.length == 0)
    return scene_fail(r->error, "%s:%d: ends where %s is expected; complete the file", r->path, r->line,
                      expected);
  const int shown = w.length < WORD_SHOWN ? (int)w.length : WORD_SHOWN;
  return scene_fail(r->error, "%s:%d: \"%.*s\" is given where %s is expected", r->path, r->line, shown, w.at,
                    expected);
}

static bool expect(bvh_reader *r, const char *text, const char *expected) {
  const word w = next_word(r);
  return is_word(w, text) || fail_word(r, w, expected);
}

static bool is_number(word w, double *out) {
  char *end = NULL;
  if (w.length > 0)
    *out = strtod(w.at, &end);
  return end == w.at + w.length && fabs(*out) <= NUMBER_LARGEST;
}

static bool take_number(bvh_reader *r, const char *what, double *out) {
  const word w = next_word(r);
  return is_number(w, out) || fail_word(r, w, what);
}

/* A whole number of `least` to `most`. */
static bool take_count(bvh_reader *r, const char *what, int least, double most, int32_t *out) {
  double number = 0;
  if (!take_number(r, what, &number))
    return false;
  if (number != floor(number) || number < least || number > most)
    return scene_fail(r->error, "%s:%d: %.9g is given where %s is expected", r->path, r->line, number, what);
  *out = (int32_t)number;
  return true;
}

/* --------------------------------------------------------------------------------------------- hierarchy */

/* The rest of the line: names may have blanks. */
static bool take_name(bvh_reader *r, char **name) {
  const char *at = r->at + strspn(r->at, " \t");
  size_t length = strcspn(at, "\r\n{}");
  r->at = at + length;
  while (length > 0 && strchr(SPACES, at[length - 1]))
    length--;
  if (length == 0)
    return scene_fail(r->error, "%s:%d: a joint needs a name", r->path, r->line);
  for (int32_t j = 0; j < r->data->joint_count; j++) {
    const char *other = r->data->joints[j].name;
    if (other && strlen(other) == length && memcmp(other, at, length) == 0)
      return scene_fail(r->error, "%s:%d: a second joint has the name \"%.*s\"; each needs one of its own",
                        r->path, r->line, length < WORD_SHOWN ? (int)length : WORD_SHOWN, at);
  }
  *name = strndup(at, length);
  return *name || scene_fail_out_of_memory(r->error);
}

static bool add_connection(bvh_reader *r, int32_t parent) {
  bvh_data *d = r->data;
  if (d->joint_count == BVH_JOINTS_MAX)
    return scene_fail(r->error, "%s:%d: has more than %d joints and ends, the most that a skeleton can have",
                      r->path, r->line, BVH_JOINTS_MAX);
  d->joints[d->joint_count++] = (bvh_joint){.parent = parent, .first_channel = d->channel_count};
  return true;
}

static bool take_offset(bvh_reader *r, bvh_joint *joint) {
  if (!expect(r, "{", "\"{\"") || !expect(r, "OFFSET", "\"OFFSET\""))
    return false;
  for (int c = 0; c < 3; c++)
    if (!take_number(r, "one of three lengths of an offset", &joint->offset[c]))
      return false;
  return true;
}

static bool take_channel(bvh_reader *r, bvh_joint *joint) {
  static const char *const names[] = {"Xposition", "Yposition", "Zposition",
                                      "Xrotation", "Yrotation", "Zrotation"};
  const word w = next_word(r);
  int channel = 0;
  while (channel < BVH_CHANNEL_COUNT && !is_word(w, names[channel]))
    channel++;
  if (channel == BVH_CHANNEL_COUNT)
    return fail_word(r, w, "a channel, \"Xposition\" to \"Zposition\" or \"Xrotation\" to \"Zrotation\",");
  for (int c = 0; c < joint->channel_count; c++)
    if ((int)joint->channels[c] == channel)
      return scene_fail(r->error, "%s:%d: the channel \"%s\" occurs twice; a joint has each at most once",
                        r->path, r->line, names[channel]);
  joint->channels[joint->channel_count++] = (bvh_channel)channel;
  r->data->channel_count++;
  return true;
}

/* A joint from its name to its first child. */
static bool take_joint(bvh_reader *r, int32_t parent) {
  char *name = NULL;
  if (!take_name(r, &name) || !add_connection(r, parent)) {
    free(name);
    return false;
  }
  bvh_joint *joint = &r->data->joints[r->data->joint_count - 1];
  joint->name = name;
  int32_t channels = 0;
  bool done = take_offset(r, joint) && expect(r, "CHANNELS", "\"CHANNELS\"") &&
              take_count(r, "the number of channels, 0 to 6,", 0, BVH_CHANNEL_COUNT, &channels);
  for (int32_t c = 0; done && c < channels; c++)
    done = take_channel(r, joint);
  return done;
}

static bool take_end(bvh_reader *r, int32_t parent) {
  return expect(r, "Site", "\"Site\"") && add_connection(r, parent) &&
         take_offset(r, &r->data->joints[r->data->joint_count - 1]) && expect(r, "}", "\"}\"");
}

static bool read_hierarchy(bvh_reader *r) {
  r->data->joints = calloc(BVH_JOINTS_MAX, sizeof *r->data->joints);
  if (!r->data->joints)
    return scene_fail_out_of_memory(r->error);
  if (!expect(r, "HIERARCHY", "\"HIERARCHY\", with which BVH files begin,") ||
      !expect(r, "ROOT", "\"ROOT\"") || !take_joint(r, -1))
    return false;
  int32_t open = 0;
  while (open >= 0) {
    const word w = next_word(r);
    if (is_word(w, "JOINT")) {
      const int32_t parent = open;
      open = r->data->joint_count;
      if (!take_joint(r, parent))
        return false;
    } else if (is_word(w, "End")) {
      if (!take_end(r, open))
        return false;
    } else if (is_word(w, "}")) {
      open = r->data->joints[open].parent;
    } else {
      return fail_word(r, w, "\"JOINT\", \"End Site\" or \"}\"");
    }
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------ motion */

/* A number takes two bytes at least, which keeps a wrong count from asking for all memory. */
static bool take_frame_count(bvh_reader *r) {
  bvh_data *d = r->data;
  if (!expect(r, "Frames:", "\"Frames:\"") ||
      !take_count(r, "the number of frames, 1 or more,", 1, INT32_MAX, &d->frame_count))
    return false;
  const double numbers = (double)d->frame_count * (d->channel_count > 0 ? d->channel_count : 1);
  return numbers <= (double)r->size / 2 ||
         scene_fail(r->error, "%s:%d: announces %d frames of %d numbers, more than the file has; correct it",
                    r->path, r->line, (int)d->frame_count, d->channel_count);
}

static bool take_frame_time(bvh_reader *r) {
  const char *what = "the seconds of a frame, a number above 0,";
  double *time = &r->data->frame_time;
  if (!expect(r, "Frame", "\"Frame Time:\"") || !expect(r, "Time:", "\"Time:\"") ||
      !take_number(r, what, time))
    return false;
  return *time >= NUMBER_SMALLEST ||
         scene_fail(r->error, "%s:%d: %g is given where %s is expected", r->path, r->line, *time, what);
}

static bool fail_frame(const bvh_reader *r, word w, size_t number) {
  const size_t channels = (size_t)r->data->channel_count;
  char expected[96];
  snprintf(expected, sizeof expected, "number %zu of %zu of frame %zu of %d", number % channels + 1, channels,
           number / channels + 1, (int)r->data->frame_count);
  return fail_word(r, w, expected);
}

static bool read_motion(bvh_reader *r) {
  bvh_data *d = r->data;
  if (!expect(r, "MOTION", "\"MOTION\" (a file has one skeleton, with one root)") || !take_frame_count(r) ||
      !take_frame_time(r))
    return false;
  const size_t count = (size_t)d->frame_count * (size_t)d->channel_count;
  d->numbers = malloc((count + 1) * sizeof *d->numbers);
  if (!d->numbers)
    return scene_fail_out_of_memory(r->error);
  for (size_t n = 0; n < count; n++) {
    const word number = next_word(r);
    if (!is_number(number, &d->numbers[n]))
      return fail_frame(r, number, n);
  }
  const word w = next_word(r);
  return w.length == 0 || fail_word(r, w, "the end of the file after its last frame,");
}

/* ------------------------------------------------------------------------------------------------- files */

bool bvh_file_read(const char *path, bvh_data *out, scene_error *error) {
  static const file_kind kind = {.what = "a BVH file",
                                 .missing_remedy = "BVH files are looked for beside the scene file",
                                 .size_remedy = "use fewer frames",
                                 .largest_mb = 500};
  *out = (bvh_data){0};
  size_t size = 0;
  char *text = file_bytes_read(path, &kind, &size, error);
  if (!text)
    return false;
  bvh_reader r = {.path = scene_error_path(path),
                  .at = text + file_mark_length(text, size),
                  .line = 1,
                  .size = size,
                  .data = out,
                  .error = error};
  out->checksum = checksum_of_more(CHECKSUM_START, (const unsigned char *)text, size);
  const bool done = file_check_text(r.path, text, size, error) && read_hierarchy(&r) && read_motion(&r);
  free(text);
  if (!done)
    bvh_data_free(out);
  return done;
}

void bvh_data_free(bvh_data *data) {
  for (int32_t j = 0; j < data->joint_count; j++)
    free(data->joints[j].name);
  free(data->joints);
  free(data->numbers);
  *data = (bvh_data){0};
}

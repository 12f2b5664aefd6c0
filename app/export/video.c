#include "app/export/video.h"

#include "app/base/child.h"
#include "app/base/output_file.h"

#include <stdlib.h>
#include <string.h>

struct video {
  child ffmpeg;
  output_file film;
  size_t frame_bytes;
};

/* Without "file:" ffmpeg takes a name that begins with a dash for an option, and one with a colon for an
   address. */
static char *url_of(const char *path) {
  static const char protocol[] = "file:";
  char *url = malloc(strlen(path) + sizeof protocol);
  if (url != NULL)
    strcat(strcpy(url, protocol), path);
  return url;
}

static bool start(video *v, int width, int height, double frames_per_second, problem *p) {
  char frame_size[32], rate[32], *url = url_of(v->film.part);
  if (url == NULL)
    return problem_set(p, "%s: out of memory for a film", v->film.path);
  snprintf(frame_size, sizeof frame_size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.9g", frames_per_second);
  char *const arguments[] = {
      "ffmpeg",   "-loglevel", "error",
      "-f",       "rawvideo",  "-pix_fmt",
      "rgb24",    "-s",        frame_size,
      "-r",       rate,        "-i",
      "-",        "-vf",       "crop=trunc(iw/2)*2:trunc(ih/2)*2", /* players want even sides */
      "-pix_fmt", "yuv420p",   "-y",
      url,        NULL};
  const int refused = child_start(&v->ffmpeg, arguments, -1, false);
  free(url);
  return refused == 0 ||
         problem_set(p,
                     "%s: films are made by ffmpeg, which cannot be started (%s); in Debian it is in the "
                     "package ffmpeg",
                     v->film.path, strerror(refused));
}

video *video_open(const char *path, int width, int height, double frames_per_second, problem *p) {
  video *v = calloc(1, sizeof *v);
  if (v == NULL) {
    problem_set(p, "%s: out of memory for a film", path);
    return NULL;
  }
  v->frame_bytes = 3 * (size_t)width * (size_t)height;
  if (!output_file_open_with_ending(&v->film, path, p)) {
    free(v);
    return NULL;
  }
  if (start(v, width, height, frames_per_second, p))
    return v;
  output_file_discard(&v->film);
  free(v);
  return NULL;
}

bool video_write(video *v, const uint8_t *pixels, problem *p) {
  return child_send(&v->ffmpeg, pixels, v->frame_bytes) ||
         problem_set(p, "%s: ffmpeg ended before the film did", v->film.path);
}

/* Under some endings ffmpeg writes its files elsewhere: a number for each picture. */
static bool has_film(const video *v) {
  return fseek(v->film.stream, 0, SEEK_END) == 0 && ftell(v->film.stream) > 0;
}

bool video_close(video *v, problem *p) {
  bool ok = child_finish(&v->ffmpeg) && has_film(v);
  if (ok)
    ok = output_file_commit(&v->film, false, p);
  else {
    problem_set(p, "%s: ffmpeg could not make the film", v->film.path);
    output_file_discard(&v->film);
  }
  free(v);
  return ok;
}

void video_abandon(video *v) {
  if (v == NULL)
    return;
  child_finish(&v->ffmpeg);
  output_file_discard(&v->film);
  free(v);
}

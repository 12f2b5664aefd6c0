#include "app/export/pictures.h"

#include "app/base/output_file.h"
#include "app/base/scene_input.h"
#include "app/export/video.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

struct pictures {
  pictures_request request;
  picture *picture;
  video *video;
};

static bool is_series(const char *pattern) {
  char first[PATH_BYTES], second[PATH_BYTES], error[PICTURE_ERROR_MAX];
  return pattern != NULL && picture_frame_path(pattern, 0, first, sizeof first, error, sizeof error) &&
         picture_frame_path(pattern, 1, second, sizeof second, error, sizeof error) &&
         strcmp(first, second) != 0;
}

static bool frame_path(const char *pattern, int64_t index, char path[PATH_BYTES], problem *p) {
  char error[PICTURE_ERROR_MAX];
  if (index > INT_MAX)
    return problem_set(p, "%s: more than %d pictures", pattern, INT_MAX);
  return picture_frame_path(pattern, (int)index, path, PATH_BYTES, error, sizeof error) ||
         problem_set(p, "--png: %s", error);
}

static bool check_file(const scene *s, const char *path, problem *p) {
  return scene_input_spare(s, path, p) && output_file_check(path, p);
}

static bool check_files(const pictures_request *r, const scene *s, problem *p) {
  char path[PATH_BYTES];
  if (r->png != NULL && (!frame_path(r->png, 0, path, p) || !check_file(s, path, p)))
    return false;
  return r->video == NULL || check_file(s, r->video, p);
}

static bool open_all(pictures *all, const scene *s, problem *p) {
  const pictures_request *r = &all->request;
  char error[PICTURE_ERROR_MAX];
  if (!picture_open(s, &r->look, &all->picture, error, sizeof error))
    return problem_set(p, "%s: %s", r->png != NULL ? "--png" : "--video", error);
  if (r->video == NULL)
    return true;
  all->video = video_open(r->video, r->look.width, r->look.height, r->frames_per_second, p);
  return all->video != NULL;
}

pictures *pictures_open(const pictures_request *request, const scene *s, problem *p) {
  if (!check_files(request, s, p))
    return NULL;
  pictures *all = calloc(1, sizeof *all);
  if (all == NULL) {
    problem_set(p, "out of memory for pictures");
    return NULL;
  }
  all->request = *request;
  if (!open_all(all, s, p)) {
    pictures_discard(all);
    return NULL;
  }
  return all;
}

static bool draw(pictures *all, problem *p) {
  char error[PICTURE_ERROR_MAX];
  return picture_draw(all->picture, error, sizeof error) || problem_set(p, "%s", error);
}

static bool write_png(pictures *all, int64_t index, problem *p) {
  char path[PATH_BYTES], error[PICTURE_ERROR_MAX];
  return frame_path(all->request.png, index, path, p) &&
         (picture_write_png(all->picture, path, error, sizeof error) || problem_set(p, "%s", error));
}

bool pictures_frame(pictures *all, int64_t index, problem *p) {
  const bool png = is_series(all->request.png);
  if ((png || all->video != NULL) && !draw(all, p))
    return false;
  if (png && !write_png(all, index, p))
    return false;
  return all->video == NULL || video_write(all->video, picture_pixels(all->picture), p);
}

bool pictures_end(pictures *all, bool ok, problem *p) {
  if (all == NULL)
    return true;
  if (ok && all->request.png != NULL && !is_series(all->request.png)) {
    picture_begin_anew(all->picture); /* a film before it has seen more */
    ok = draw(all, p) && write_png(all, 0, p);
  }
  problem later;
  if (all->video != NULL)
    ok = video_close(all->video, ok ? p : &later) && ok;
  all->video = NULL;
  pictures_discard(all);
  return ok;
}

void pictures_discard(pictures *all) {
  if (all == NULL)
    return;
  video_abandon(all->video);
  picture_close(all->picture);
  free(all);
}

#include "pictures.h"

#include "output_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

struct pictures {
  picture *picture;
  const char *pattern;
};

bool pictures_is_series(const char *pattern) {
  char first[PATH_BYTES], second[PATH_BYTES], error[PICTURE_ERROR_MAX];
  return picture_frame_path(pattern, 0, first, sizeof first, error, sizeof error) &&
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

pictures *pictures_open(const char *pattern, const picture_options *options, const scene *s, problem *p) {
  char path[PATH_BYTES], error[PICTURE_ERROR_MAX];
  if (!frame_path(pattern, 0, path, p) || !output_file_check(path, p))
    return NULL;
  pictures *all = calloc(1, sizeof *all);
  if (all == NULL) {
    problem_set(p, "out of memory for pictures");
    return NULL;
  }
  all->pattern = pattern;
  if (!picture_open(s, options, &all->picture, error, sizeof error)) {
    problem_set(p, "--png: %s", error);
    free(all);
    return NULL;
  }
  return all;
}

bool pictures_write(pictures *all, int64_t index, problem *p) {
  char path[PATH_BYTES], error[PICTURE_ERROR_MAX];
  if (!frame_path(all->pattern, index, path, p))
    return false;
  return (picture_draw(all->picture, error, sizeof error) &&
          picture_write_png(all->picture, path, error, sizeof error)) ||
         problem_set(p, "%s", error);
}

void pictures_close(pictures *all) {
  if (all == NULL)
    return;
  picture_close(all->picture);
  free(all);
}

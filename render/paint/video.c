#define _POSIX_C_SOURCE 200809L
#include "render/paint/video.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct video {
  pid_t process;
  /* A socket rather than a pipe: writing to a program that has exited is an error, not a signal. */
  int input;
  size_t frame_bytes;
  char *path, *part;
};

/* NAME.part.ENDING: ffmpeg chooses the format by the ending. */
static char *part_of(const char *path) {
  const char *name = strrchr(path, '/');
  const char *ending = strrchr(name != NULL ? name : path, '.');
  if (ending == NULL || ending[1] == '\0')
    return NULL;
  char *part = malloc(strlen(path) + sizeof ".part");
  if (part != NULL)
    sprintf(part, "%.*s.part%s", (int)(ending - path), path, ending);
  return part;
}

/* Starts ffmpeg with `end` as its standard input. The number that says why it cannot; 0 when it runs. */
static int start(video *v, int end, int width, int height, double frames_per_second) {
  char frame_size[32], rate[32];
  snprintf(frame_size, sizeof frame_size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%.9g", frames_per_second);
  char *const arguments[] = {
      "ffmpeg",   "-loglevel", "error",
      "-f",       "rawvideo",  "-pix_fmt",
      "rgb24",    "-s",        frame_size,
      "-r",       rate,        "-i",
      "-",        "-vf",       "crop=trunc(iw/2)*2:trunc(ih/2)*2", /* the usual players want even sides */
      "-pix_fmt", "yuv420p",   "-y",
      v->part,    NULL};
  posix_spawn_file_actions_t actions;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0)
    return problem;
  /* In a group of its own, so that Ctrl-C ends the simulation and not the film of what was simulated. */
  posix_spawnattr_t attributes;
  if ((problem = posix_spawnattr_init(&attributes)) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return problem;
  }
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_addclose(&actions, v->input);
  problem = posix_spawnp(&v->process, "ffmpeg", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

static void release(video *v) {
  free(v->path);
  free(v->part);
  free(v);
}

video *video_open(const char *path, int width, int height, double frames_per_second, char *error,
                  size_t size) {
  char *part = part_of(path);
  if (part == NULL) {
    snprintf(error, size, "%.300s: a film needs an ending that says its format, like .mp4", path);
    return NULL;
  }
  video *v = calloc(1, sizeof *v);
  char *copy = strdup(path);
  int ends[2];
  if (v == NULL || copy == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    snprintf(error, size, "%.300s: out of memory for a film", path);
    free(v);
    free(copy);
    free(part);
    return NULL;
  }
  *v = (video){
      .input = ends[0], .frame_bytes = 3 * (size_t)width * (size_t)height, .path = copy, .part = part};
  int problem = start(v, ends[1], width, height, frames_per_second);
  close(ends[1]);
  if (problem == 0)
    return v;
  snprintf(error, size, "%.300s: films are made by ffmpeg, which cannot be started (%s); in Debian: ffmpeg",
           path, strerror(problem));
  close(v->input);
  release(v);
  return NULL;
}

bool video_write(video *v, const uint8_t *pixels, char *error, size_t size) {
  size_t sent = 0;
  while (sent < v->frame_bytes) {
    ssize_t count = send(v->input, pixels + sent, v->frame_bytes - sent, MSG_NOSIGNAL);
    if (count > 0)
      sent += (size_t)count;
    else if (errno != EINTR)
      break;
  }
  if (sent == v->frame_bytes)
    return true;
  snprintf(error, size, "%.300s: ffmpeg ended before the film did", v->path);
  return false;
}

/* Whether ffmpeg ended well. */
static bool finish(video *v) {
  int status;
  close(v->input);
  while (waitpid(v->process, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool video_close(video *v, char *error, size_t size) {
  bool done = finish(v);
  if (!done)
    snprintf(error, size, "%.300s: ffmpeg could not make the film", v->path);
  else if (rename(v->part, v->path) != 0) {
    snprintf(error, size, "%.300s: cannot put the film in its place: %s", v->path, strerror(errno));
    done = false;
  }
  if (!done)
    remove(v->part);
  release(v);
  return done;
}

void video_abandon(video *v) {
  if (v == NULL)
    return;
  finish(v);
  remove(v->part);
  release(v);
}

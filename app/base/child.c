#include "app/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int spawn(child *c, char *const arguments[], int input, int output, bool quiet) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0)
    return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem == 0) {
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (output >= 0)
      posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    else
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (quiet)
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    problem = posix_spawnp(&c->process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int child_start(child *c, char *const arguments[], int output, bool quiet) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  c->input = ends[0];
  const int problem = spawn(c, arguments, ends[1], output, quiet);
  close(ends[1]);
  if (problem != 0)
    close(ends[0]);
  return problem;
}

bool child_send(const child *c, const void *bytes, size_t count) {
  const char *at = bytes;
  while (count > 0) {
    const ssize_t sent = send(c->input, at, count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return false;
    if (sent > 0) {
      at += sent;
      count -= (size_t)sent;
    }
  }
  return true;
}

bool child_finish(child *c) {
  int status;
  close(c->input);
  while (waitpid(c->process, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#include "bench/peers.h"

#include "bench/peers/peer.h"

#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 4096 };

const char *peers_name(peer p) {
  static const char *const names[PEER_COUNT] = {"bullet", "lammps", "chipmunk"};
  return names[p];
}

const char *peers_packages(peer p) {
  static const char *const packages[PEER_COUNT] = {"libbullet-dev", "liblammps-dev", "libchipmunk-dev"};
  return packages[p];
}

/* False if the system does not report the path of this program. */
static bool find_path(peer p, char path[PATH_BYTES]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 64);
  if (length <= 0)
    return false;
  path[length] = '\0';
  char *const slash = strrchr(path, '/');
  if (!slash)
    return false;
  snprintf(slash, 64, "/../libexec/msd/%s", peers_name(p));
  return true;
}

bool peers_found(peer p) {
  char path[PATH_BYTES];
  return find_path(p, path) && access(path, X_OK) == 0;
}

/* ------------------------------------------------------------------------------------------------ network */

static void put_vector(double to[3], msd_vec3 from) {
  to[0] = (double)from.x;
  to[1] = (double)from.y;
  to[2] = (double)from.z;
}

static bool write_network(FILE *to, const msd_world *world, peer_header header) {
  header.magic = PEER_MAGIC;
  header.particles = msd_world_get_particle_count(world);
  header.springs = msd_world_get_spring_count(world);
  put_vector(header.gravity, msd_world_get_gravity(world));
  bool done = fwrite(&header, sizeof header, 1, to) == 1;
  for (int32_t i = 0; i < header.particles && done; i++) {
    peer_particle p = {.mass = (double)msd_particle_get_mass(world, i),
                       .pinned = msd_particle_is_pinned(world, i)};
    put_vector(p.position, msd_particle_get_position(world, i));
    put_vector(p.velocity, msd_particle_get_velocity(world, i));
    done = fwrite(&p, sizeof p, 1, to) == 1;
  }
  for (int32_t s = 0; s < header.springs && done; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    const peer_spring spring = {.a = def.a,
                                .b = def.b,
                                .rest = (double)def.rest_length,
                                .stiffness = (double)def.stiffness,
                                .damping = (double)def.damping};
    done = fwrite(&spring, sizeof spring, 1, to) == 1;
  }
  return done && fflush(to) == 0;
}

static bool read_answer(FILE *from, const msd_world *after, peers_result *out) {
  out->distance = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(after); i++) {
    double there[3], here[3];
    if (fread(there, sizeof there, 1, from) != 1)
      return false;
    put_vector(here, msd_particle_get_position(after, i));
    for (int c = 0; c < 3; c++)
      out->distance = fmax(out->distance, fabs(there[c] - here[c])); /* ignores NaN */
  }
  peer_answer answer;
  if (fread(&answer, sizeof answer, 1, from) != 1 || answer.magic != PEER_MAGIC)
    return false;
  out->least = answer.least;
  out->median = answer.median;
  return true;
}

/* ------------------------------------------------------------------------------------------------ program */

typedef struct child {
  pid_t id;
  /* Pipes to the child and from it. */
  FILE *input, *output;
} child;

static bool start(const char *path, const char *name, child *c) {
  int in[2], out[2];
  if (pipe(in) != 0)
    return false;
  if (pipe(out) != 0) {
    close(in[0]);
    close(in[1]);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const int pipes[4] = {in[0], in[1], out[0], out[1]};
  for (int n = 0; n < 4; n++)
    if (pipes[n] > STDERR_FILENO)
      posix_spawn_file_actions_addclose(&actions, pipes[n]);
  char *const arguments[] = {(char *)(uintptr_t)name, NULL};
  const bool started = posix_spawn(&c->id, path, &actions, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  c->input = fdopen(in[1], "wb");
  c->output = fdopen(out[0], "rb");
  return started && c->input && c->output;
}

/* SIGPIPE is ignored, so that a peer that ends early makes this function fail and not the program. */
bool peers_measure(peer p, const msd_world *before, const msd_world *after, msd_real time_step,
                   int checked_steps, int samples, double seconds, peers_result *out) {
  char path[PATH_BYTES];
  child c = {0};
  if (!find_path(p, path) || !start(path, peers_name(p), &c))
    return false;
  struct sigaction ignore = {.sa_handler = SIG_IGN}, kept;
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGPIPE, &ignore, &kept);
  const peer_header header = {
      .checked_steps = checked_steps, .samples = samples, .seconds = seconds, .time_step = (double)time_step};
  bool done = write_network(c.input, before, header);
  fclose(c.input);
  done = done && read_answer(c.output, after, out);
  fclose(c.output);
  sigaction(SIGPIPE, &kept, NULL);
  int status;
  return waitpid(c.id, &status, 0) == c.id && done && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

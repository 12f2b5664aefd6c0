/* Rollback netcode: two players pull at one flag over a network with latency. Each machine predicts that the
   other player repeats the last known input. If that turns out wrong, it restores the state of that frame and
   simulates the frames since again. Both machines end bitwise identical, because the simulation is
   deterministic. */
#include <msd/msd.h>

#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 600, LATE = 7, KEPT = LATE + 1, COLUMNS = 24, ROWS = 16, PLAYERS = 2 };

/* Input of a player in a frame, in newtons; it changes now and then. */
static msd_vec3 input_of(int player, int frame) {
  const unsigned choice = (unsigned)(frame / 11 + 3 * player) * 2654435761u >> 29;
  return (msd_vec3){0, (msd_real)(choice & 3) - 1, (msd_real)(choice >> 2) * (player ? 1 : -1)};
}

typedef struct machine {
  msd_world *world;
  /* The local player, whose inputs are known at once; those of the other arrive LATE frames later. */
  int own;
  void *states[KEPT];
  size_t state_size;
  /* The inputs that each frame was simulated with. */
  msd_vec3 used[FRAMES][PLAYERS];
  int rollbacks, frames_again;
} machine;

static int fail(machine *m) {
  fprintf(stderr, "rollback: %s\n", msd_world_message(m->world));
  return 0;
}

static int machine_open(machine *m, int own) {
  const msd_world_def def = msd_default_world_def();
  msd_cloth_def flag = msd_default_cloth_def();
  flag.columns = COLUMNS;
  flag.rows = ROWS;
  flag.stretch.law = MSD_SPRING_STIFFNESS;
  flag.stretch.stiffness = 2000;
  flag.stretch.damping = (msd_real)0.5;
  *m = (machine){.own = own};
  if (msd_create_world(&def, &m->world))
    return 0;
  if (msd_add_cloth(m->world, &flag, NULL) || msd_particle_pin(m->world, 0) ||
      msd_particle_pin(m->world, (ROWS - 1) * COLUMNS) ||
      msd_world_save_state(m->world, NULL, 0, &m->state_size))
    return fail(m);
  for (int i = 0; i < KEPT; i++)
    if (!(m->states[i] = malloc(m->state_size)))
      return 0;
  return 1;
}

static void machine_close(machine *m) {
  for (int i = 0; i < KEPT; i++)
    free(m->states[i]);
  msd_destroy_world(m->world);
}

/* Saves the state at the start of a frame and simulates the frame. */
static int step(machine *m, int frame) {
  size_t size;
  if (msd_world_save_state(m->world, m->states[frame % KEPT], m->state_size, &size) ||
      msd_particle_apply_force(m->world, COLUMNS - 1, m->used[frame][0]) ||
      msd_particle_apply_force(m->world, ROWS * COLUMNS - 1, m->used[frame][1]) ||
      msd_world_step(m->world, (msd_real)1 / 60, 0))
    return fail(m);
  return 1;
}

/* Predicts the input of the other player: the last one that has arrived. */
static msd_vec3 foretell(const machine *m, int frame) {
  return frame < LATE ? (msd_vec3){0, 0, 0} : input_of(!m->own, frame - LATE);
}

/* Handles the input of a past frame that has just arrived. If the prediction was different, simulates again
   from that frame. */
static int receive(machine *m, int past, int now) {
  const int other = !m->own;
  const msd_vec3 sent = input_of(other, past), used = m->used[past][other];
  if (sent.y == used.y && sent.z == used.z)
    return 1;
  if (msd_world_restore_state(m->world, m->states[past % KEPT], m->state_size))
    return fail(m);
  m->rollbacks++;
  for (int frame = past; frame < now; frame++, m->frames_again++) {
    m->used[frame][other] = sent;
    if (!step(m, frame))
      return 0;
  }
  return 1;
}

static int run(machine *m) {
  for (int now = 0; now < FRAMES + LATE; now++) {
    if (now >= LATE && !receive(m, now - LATE, now < FRAMES ? now : FRAMES))
      return 0;
    if (now >= FRAMES)
      continue;
    m->used[now][m->own] = input_of(m->own, now);
    m->used[now][!m->own] = foretell(m, now);
    if (!step(m, now))
      return 0;
  }
  return 1;
}

int main(void) {
  static machine machines[PLAYERS];
  int done = machine_open(&machines[0], 0) && machine_open(&machines[1], 1) && run(&machines[0]) &&
             run(&machines[1]);
  for (int n = 0; n < PLAYERS && done; n++)
    printf(
        "machine %d: %d frames, went back %d times, took %d frames again; %zu bytes a state; hash %016llx\n",
        n, FRAMES, machines[n].rollbacks, machines[n].frames_again, machines[n].state_size,
        (unsigned long long)msd_world_hash(machines[n].world));
  done = done && msd_world_hash(machines[0].world) == msd_world_hash(machines[1].world);
  for (int n = 0; n < PLAYERS; n++)
    machine_close(&machines[n]);
  return done ? 0 : 1;
}

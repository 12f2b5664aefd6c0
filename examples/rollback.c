/* Rollback: two players pull at one flag over a network that is late. Each machine goes on with what it
   foretells of the other, that it does what it did last; where that turns out wrong it goes back to that frame
   and takes the frames since again. Both end with the same bits, as the same steps always have. */
#include <msd/msd.h>

#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 600, LATE = 7, KEPT = LATE + 1, COLUMNS = 24, ROWS = 16, PLAYERS = 2 };

/* What a player does in a frame, in newtons: another choice now and then. */
static msd_vec3 input_of(int player, int frame) {
  const unsigned choice = (unsigned)(frame / 11 + 3 * player) * 2654435761u >> 29;
  return (msd_vec3){0, (msd_real)(choice & 3) - 1, (msd_real)(choice >> 2) * (player ? 1 : -1)};
}

typedef struct machine {
  msd_world *world;
  /* Which player's inputs it has at once; those of the other come LATE frames later. */
  int own;
  void *states[KEPT];
  size_t state_size;
  /* What each frame was stepped with. */
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
  flag.structural.law = MSD_SPRING_PHYSICAL;
  flag.structural.stiffness = 2000;
  flag.structural.damping = (msd_real)0.5;
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

/* Keeps the state that a frame begins with, and takes the frame. */
static int step(machine *m, int frame) {
  size_t size;
  if (msd_world_save_state(m->world, m->states[frame % KEPT], m->state_size, &size) ||
      msd_particle_apply_force(m->world, COLUMNS - 1, m->used[frame][0]) ||
      msd_particle_apply_force(m->world, ROWS * COLUMNS - 1, m->used[frame][1]) ||
      msd_world_step(m->world, (msd_real)1 / 60, 0))
    return fail(m);
  return 1;
}

/* What of the other player is known when a frame is taken. */
static msd_vec3 foretell(const machine *m, int frame) {
  return frame < LATE ? (msd_vec3){0, 0, 0} : input_of(!m->own, frame - LATE);
}

/* The input of a frame gone by arrives. Where another was foretold, all is taken again from there. */
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

/* Threads: the same cloth, stepped and changed in the same way, has the same hash on any number of threads,
   also when two host threads each step a world of their own at the same time.

   No test framework: this runs under ThreadSanitizer too, which reports any race in the engine. */
#include <msd/msd.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

enum { COLUMNS = 65, ROWS = 67, FRAMES = 12, SUBSTEPS = 5 };

static bool add_cloth(msd_world *world, msd_body *body) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.shear = cloth.structural;
  cloth.bend = cloth.structural;
  return msd_add_cloth(world, &cloth, body) == MSD_OK &&
         msd_particle_pin(world, body->particles.first) == MSD_OK &&
         msd_particle_pin(world, body->particles.first + COLUMNS - 1) == MSD_OK;
}

/* Between two frames: cut one spring of every kind, soften another, carry a pin, push a corner. In the middle
   of the run a spring across the cloth is added, so that the network has to be laid out anew. */
static bool change(msd_world *world, const msd_body *body, int frame) {
  msd_spring_def soft = msd_default_spring_def();
  soft.stiffness = (msd_real)0.5;
  soft.damping = (msd_real)0.0005;
  const msd_vec3 pin = {(msd_real)0.01 * (msd_real)frame, 0, 0};
  const msd_vec3 push = {0, 0, 3};
  bool ok = msd_spring_break(world, body->structural.first + 37 * frame) == MSD_OK &&
            msd_spring_break(world, body->shear.first + 41 * frame) == MSD_OK &&
            msd_spring_break(world, body->bend.first + 43 * frame) == MSD_OK &&
            msd_spring_retune(world, body->bend.first + 43 * frame + 1, &soft) == MSD_OK &&
            msd_particle_move_to(world, body->particles.first, pin) == MSD_OK &&
            msd_particle_apply_force(world, body->particles.first + COLUMNS * ROWS - 1, push) == MSD_OK;
  if (frame == FRAMES / 2) {
    soft.a = body->particles.first + 5 * COLUMNS;
    soft.b = body->particles.first + 60 * COLUMNS + 30;
    ok = ok && msd_add_springs(world, &soft, 1, NULL) == MSD_OK;
  }
  return ok;
}

typedef struct job {
  int threads;
  uint64_t hash; /* 0: the run failed */
} job;

static void *run(void *argument) {
  job *j = argument;
  j->hash = 0;
  msd_world_def def = msd_default_world_def();
  def.thread_count = j->threads;
  msd_world *world;
  if (msd_create_world(&def, &world) != MSD_OK)
    return NULL;
  msd_body body;
  bool ok = add_cloth(world, &body);
  for (int frame = 0; ok && frame < FRAMES; frame++)
    ok = change(world, &body, frame) && msd_world_step(world, (msd_real)1 / 60, SUBSTEPS) == MSD_OK;
  if (ok)
    j->hash = msd_world_hash(world);
  else
    fprintf(stderr, "threads: %s\n", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

int main(void) {
  job reference = {.threads = 1};
  run(&reference);
  int failures = reference.hash == 0;
  printf("1 thread: %016" PRIx64 "\n", reference.hash);

  const int counts[] = {2, 3, 4, 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    job j = {.threads = counts[i]};
    run(&j);
    printf("%d threads: %016" PRIx64 "\n", j.threads, j.hash);
    failures += j.hash != reference.hash;
  }

  job pair[2] = {{.threads = 2}, {.threads = 3}};
  pthread_t host[2];
  for (int i = 0; i < 2; i++)
    if (pthread_create(&host[i], NULL, run, &pair[i]) != 0)
      return fputs("threads: no host thread could be started\n", stderr), 1;
  for (int i = 0; i < 2; i++) {
    pthread_join(host[i], NULL);
    printf("beside another world, %d threads: %016" PRIx64 "\n", pair[i].threads, pair[i].hash);
    failures += pair[i].hash != reference.hash;
  }
  return failures != 0;
}

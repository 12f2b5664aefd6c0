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
  msd_anchor_def held = msd_default_anchor_def();
  bool ok = msd_add_cloth(world, &cloth, body) == MSD_OK &&
            msd_particle_pin(world, body->particles.first) == MSD_OK &&
            msd_particle_pin(world, body->particles.first + COLUMNS - 1) == MSD_OK;
  for (int32_t row = 3; ok && row < ROWS; row += 9) {
    held.particle = body->particles.first + row * COLUMNS + 40;
    held.point = msd_particle_get_position(world, held.particle);
    ok = msd_add_anchors(world, &held, 1, NULL) == MSD_OK;
  }
  return ok;
}

/* Across the cells of the cloth, and on a tetrahedron that hangs at its lower border. */
static bool add_constraints(msd_world *world, const msd_body *body) {
  bool ok = true;
  for (int32_t row = 0; row + 1 < ROWS; row++)
    for (int32_t column = row % 2; column + 1 < COLUMNS && ok; column += 2) {
      const int32_t a = body->particles.first + row * COLUMNS + column;
      msd_constraint_def bend = msd_default_constraint_def();
      bend.kind = MSD_CONSTRAINT_DIHEDRAL;
      bend.particles[0] = a + 1;
      bend.particles[1] = a + COLUMNS;
      bend.particles[2] = a;
      bend.particles[3] = a + COLUMNS + 1;
      bend.law = MSD_SPRING_COEFFICIENT;
      ok = msd_add_constraints(world, &bend, 1, NULL) == MSD_OK;
    }
  msd_particle_def tip = msd_default_particle_def();
  tip.position = (msd_vec3){(msd_real)0.5, (msd_real)-1.25, (msd_real)0.25};
  tip.mass = (msd_real)0.01;
  int32_t first = 0;
  ok = ok && msd_add_particles(world, &tip, 1, &first) == MSD_OK;
  const int32_t a = body->particles.first + (ROWS - 1) * COLUMNS + 30, b = a + 5, c = a - 2 * COLUMNS;
  const int32_t triangles[] = {a, b, c, a, first, b, b, first, c, c, first, a};
  msd_constraint_def pressure = msd_default_constraint_def();
  pressure.kind = MSD_CONSTRAINT_MESH_VOLUME;
  pressure.triangles = triangles;
  pressure.triangle_count = 4;
  pressure.law = MSD_SPRING_COEFFICIENT;
  return ok && msd_add_constraints(world, &pressure, 1, NULL) == MSD_OK;
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
            msd_anchor_move_to(world, frame % 3, push) == MSD_OK &&
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
  bool ok = add_cloth(world, &body) && add_constraints(world, &body);
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

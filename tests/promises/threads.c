/* Threads: the same cloth with constraints, soft pins and rotors, stepped and changed in the same way, has the
   same hash on any number of threads, OpenMP's or those of a host's pool, also when two host threads each step
   a world of their own at the same time, on one pool. So have several worlds that are stepped in one call,
   strands that are long enough for several substeps to go through memory together, and short ones whose ranges
   have halos. Where a world is told how many threads to use, its next step uses them all.

   No test framework: this runs under ThreadSanitizer too, which reports any race in the engine. */
#include "tests/support/schedulers.h"

#include <msd/msd.h>

#include <inttypes.h>
#include <stdio.h>

enum { COLUMNS = 65, ROWS = 67, FRAMES = 12, SUBSTEPS = 5 };

static bool add_cloth(msd_world *world, msd_body *body) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.shear = cloth.stretch;
  cloth.bend = cloth.stretch;
  msd_soft_pin_def held = msd_default_soft_pin_def();
  bool ok = msd_add_cloth(world, &cloth, body) == MSD_OK &&
            msd_particle_pin(world, body->particles.first) == MSD_OK &&
            msd_particle_pin(world, body->particles.first + COLUMNS - 1) == MSD_OK;
  for (int32_t row = 3; ok && row < ROWS; row += 9) {
    held.particle = body->particles.first + row * COLUMNS + 40;
    held.position = msd_particle_get_position(world, held.particle);
    ok = msd_add_soft_pins(world, &held, 1, NULL) == MSD_OK;
  }
  return ok;
}

/* On every second cell of the cloth one of the kinds by turns. */
static bool add_constraints(msd_world *world, const msd_body *body) {
  bool ok = true;
  for (int32_t row = 0; row + 1 < ROWS; row++)
    for (int32_t column = row % 2; column + 1 < COLUMNS && ok; column += 2) {
      const int32_t a = body->particles.first + row * COLUMNS + column;
      const int32_t corners[4] = {a + 1, a + COLUMNS, a, a + COLUMNS + 1};
      msd_constraint_def def = msd_default_constraint_def();
      def.kind = (msd_constraint_kind)((column / 2 + row) % MSD_CONSTRAINT_MESH_VOLUME);
      for (int n = 0; n < msd_constraint_kind_particles(def.kind); n++)
        def.particles[n] = corners[n];
      def.weights[0] = -1, def.weights[1] = def.weights[2] = (msd_real)0.5;
      def.law = MSD_SPRING_COEFFICIENT;
      ok = msd_add_constraints(world, &def, 1, NULL) == MSD_OK;
    }
  return ok;
}

static int32_t *put(int32_t *to, int32_t a, int32_t b, int32_t c) {
  to[0] = a;
  to[1] = b;
  to[2] = c;
  return to + 3;
}

/* The volume between a part of the cloth, of so many vertices that several threads sum it up, and a tip. */
static bool add_tent(msd_world *world, const msd_body *body) {
  enum { WIDE = 20, HIGH = 40, TRIANGLES = 2 * WIDE * HIGH + 2 * WIDE + 2 * HIGH };
  static const int32_t FIRST = 12 * COLUMNS + 20;
  msd_particle_def apex = msd_default_particle_def();
  apex.position = (msd_vec3){(msd_real)0.5, (msd_real)-0.5, (msd_real)0.5};
  apex.mass = (msd_real)0.01;
  int32_t tip = 0, triangles[3 * TRIANGLES], *to = triangles;
  if (msd_add_particles(world, &apex, 1, &tip) != MSD_OK)
    return false;
  for (int32_t row = 0; row < HIGH; row++)
    for (int32_t column = 0; column < WIDE; column++) {
      const int32_t a = body->particles.first + FIRST + row * COLUMNS + column, b = a + 1, c = a + COLUMNS,
                    d = c + 1;
      to = put(put(to, a, c, b), b, c, d);
      to = row == 0 ? put(to, a, b, tip) : to;
      to = row == HIGH - 1 ? put(to, d, c, tip) : to;
      to = column == 0 ? put(to, c, a, tip) : to;
      to = column == WIDE - 1 ? put(to, b, d, tip) : to;
    }
  msd_constraint_def pressure = msd_default_constraint_def();
  pressure.kind = MSD_CONSTRAINT_MESH_VOLUME;
  pressure.triangles = triangles;
  pressure.triangle_count = TRIANGLES;
  pressure.law = MSD_SPRING_COEFFICIENT;
  return msd_add_constraints(world, &pressure, 1, NULL) == MSD_OK;
}

static bool add_rotors(msd_world *world) {
  bool ok = true;
  for (int32_t n = 0; n < 8 && ok; n++) {
    msd_rotor_def rotor = msd_default_rotor_def();
    rotor.angular_velocity = n;
    msd_torsion_spring_def spring = msd_default_torsion_spring_def();
    spring.a = n;
    spring.b = n - 1;
    spring.law = MSD_SPRING_COEFFICIENT;
    ok = msd_add_rotors(world, &rotor, 1, NULL) == MSD_OK &&
         msd_add_torsion_springs(world, &spring, 1, NULL) == MSD_OK;
  }
  return ok;
}

/* All integrators by turns, the last with constraints half of which are broken. */
static bool change_integrator(msd_world *world, int frame) {
  bool ok = true;
  if (frame % 2 == 1)
    ok = msd_world_set_integrator(world, (msd_integrator)(frame / 2 % MSD_INTEGRATOR_COUNT)) == MSD_OK;
  for (int32_t c = 0; frame == FRAMES - 1 && ok && c < msd_world_get_constraint_count(world); c += 2)
    ok = msd_constraint_break(world, c) == MSD_OK;
  return ok;
}

/* Between two frames: cut one spring of every kind and a constraint, soften another spring, carry a pin and an
   soft pin, push a corner. In the middle of the run a spring across the cloth is added, so that the network has
   to be laid out anew. */
static bool change(msd_world *world, const msd_body *body, int frame) {
  msd_spring_def soft = msd_default_spring_def();
  soft.stiffness = (msd_real)0.5;
  soft.damping = (msd_real)0.0005;
  const msd_vec3 pin = {(msd_real)0.01 * (msd_real)frame, 0, 0};
  const msd_vec3 push = {0, 0, 3};
  bool ok = msd_spring_break(world, body->stretch.first + 37 * frame) == MSD_OK &&
            msd_spring_break(world, body->shear.first + 41 * frame) == MSD_OK &&
            msd_spring_break(world, body->bend.first + 43 * frame) == MSD_OK &&
            msd_constraint_break(world, 47 * frame) == MSD_OK &&
            msd_spring_set_law(world, body->bend.first + 43 * frame + 1, &soft) == MSD_OK &&
            msd_particle_move_to(world, body->particles.first, pin) == MSD_OK &&
            msd_soft_pin_move_to(world, frame % 3, push) == MSD_OK &&
            msd_particle_apply_force(world, body->particles.first + COLUMNS * ROWS - 1, push) == MSD_OK;
  if (frame == FRAMES / 2) {
    soft.a = body->particles.first + 5 * COLUMNS;
    soft.b = body->particles.first + 60 * COLUMNS + 30;
    ok = ok && msd_add_springs(world, &soft, 1, NULL) == MSD_OK;
  }
  return ok;
}

typedef struct job {
  bool has_tent; /* a volume brings barriers of its own: without one the others are seen */
  int threads;
  msd_simd simd;
  host_pool *pool; /* NULL: OpenMP */
  uint64_t hash;   /* 0: the run failed */
} job;

static void *run(void *argument) {
  job *j = argument;
  j->hash = 0;
  msd_world_def def = msd_default_world_def();
  def.thread_count = j->threads;
  def.simd = j->simd;
  if (j->pool)
    def.tasks = host_pool_tasks(j->pool);
  msd_world *world;
  if (msd_create_world(&def, &world) != MSD_OK)
    return NULL;
  msd_body body;
  bool ok = add_cloth(world, &body) && add_constraints(world, &body) &&
            (!j->has_tent || add_tent(world, &body)) && add_rotors(world);
  for (int frame = 0; ok && frame < FRAMES; frame++)
    ok = change(world, &body, frame) && change_integrator(world, frame) &&
         msd_world_set_thread_count(world, j->threads) == MSD_OK &&
         msd_world_step(world, (msd_real)1 / 60, SUBSTEPS) == MSD_OK;
  if (ok)
    j->hash = msd_world_hash(world);
  else
    fprintf(stderr, "threads: %s\n", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

/* Two host threads with a world each. */
static int count_failures_of_two(job pair[2], uint64_t expected) {
  pthread_t host[2];
  for (int i = 0; i < 2; i++)
    if (pthread_create(&host[i], NULL, run, &pair[i]) != 0)
      return fputs("threads: no host thread could be started\n", stderr), 1;
  int failures = 0;
  for (int i = 0; i < 2; i++) {
    pthread_join(host[i], NULL);
    printf("beside another world, %d threads%s: %016" PRIx64 "\n", pair[i].threads,
           pair[i].pool ? " of a pool" : "", pair[i].hash);
    failures += pair[i].hash != expected;
  }
  return failures;
}

/* The pool has a thread less than two worlds want. */
static int count_failures_on_pool(bool has_tent, uint64_t expected) {
  host_pool pool;
  host_pool_open(&pool, 2);
  int failures = 0;
  for (int threads = 2; threads <= 3; threads++) {
    job j = {.has_tent = has_tent, .threads = threads, .simd = MSD_SIMD_128, .pool = &pool};
    run(&j);
    printf("%d threads of a pool: %016" PRIx64 "\n", threads, j.hash);
    failures += j.hash != expected;
  }
  job pair[2] = {{.has_tent = has_tent, .threads = 3, .simd = MSD_SIMD_128, .pool = &pool},
                 {.has_tent = has_tent, .threads = 2, .simd = MSD_SIMD_SCALAR, .pool = &pool}};
  for (int trial = 0; trial == 0 || (trial < POOL_TRIALS && !host_pool_has_begun(&pool)); trial++)
    failures += count_failures_of_two(pair, expected);
  failures += !host_pool_has_begun(&pool);
  host_pool_close(&pool);
  return failures;
}

/* On any number of threads. ThreadSanitizer sees no access of more than 16 bytes, so narrow vectors and none
   are tried beside the widest. */
static int count_failures(bool has_tent) {
  job reference = {.has_tent = has_tent, .threads = 1};
  run(&reference);
  int failures = reference.hash == 0;
  printf("%s, 1 thread: %016" PRIx64 "\n", has_tent ? "tent" : "cloth", reference.hash);

  static const msd_simd widths[] = {MSD_SIMD_SCALAR, MSD_SIMD_128, MSD_SIMD_WIDEST};
  static const int counts[] = {2, 3, 4, 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    job j = {.has_tent = has_tent, .threads = counts[i], .simd = widths[i % 3]};
    run(&j);
    printf("%d threads, width %d: %016" PRIx64 "\n", j.threads, (int)j.simd, j.hash);
    failures += j.hash != reference.hash;
  }

  job pair[2] = {{.has_tent = has_tent, .threads = 2, .simd = MSD_SIMD_128},
                 {.has_tent = has_tent, .threads = 3, .simd = MSD_SIMD_SCALAR}};
  failures += count_failures_of_two(pair, reference.hash);
  return failures + count_failures_on_pool(has_tent, reference.hash);
}

/* A strand whose particles are joined to the next two, which makes rows, or to three of the next forty, which
   makes none. */
static bool add_strand(msd_world *world, int32_t particles, bool is_knotted) {
  bool ok = true;
  for (int32_t i = 0; i < particles && ok; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = (msd_vec3){(msd_real)i / 64, 0, 0};
    particle.velocity = (msd_vec3){0, (msd_real)(i % 7) / 8, 0};
    ok = msd_add_particles(world, &particle, 1, NULL) == MSD_OK;
  }
  uint32_t random = 1;
  for (int32_t i = 0; i < particles && ok; i++)
    for (int n = 1; n <= 2 + is_knotted && ok; n++) {
      msd_spring_def spring = msd_default_spring_def();
      random = random * 1664525 + 1013904223;
      spring.a = i;
      spring.b = i + (is_knotted ? 1 + (int32_t)(random >> 16) % 40 : n);
      spring.stiffness = 100;
      ok = spring.b >= particles || msd_add_springs(world, &spring, 1, NULL) == MSD_OK;
    }
  return ok;
}

typedef struct strand {
  const char *name;
  int32_t particles;
  bool is_knotted;
} strand;

static const strand strands[] = {{"plain", 190000, false},
                                 {"knotted", 110000, true},
                                 {"short", 1500, false},
                                 {"short knotted", 1500, true}};
enum { STRANDS = sizeof strands / sizeof *strands };

static uint64_t hash_of_strand(const strand *s, int threads, msd_simd simd, int calls) {
  enum { TOGETHER = 6 };
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.simd = simd;
  msd_world *world;
  if (msd_create_world(&def, &world) != MSD_OK)
    return 0;
  bool ok = add_strand(world, s->particles, s->is_knotted);
  for (int call = 0; call < calls && ok; call++)
    ok = msd_world_step(world, (msd_real)(TOGETHER / calls) / 1024, TOGETHER / calls) == MSD_OK;
  const uint64_t hash = ok ? msd_world_hash(world) : 0;
  msd_destroy_world(world);
  return hash;
}

static int count_strand_failures(const strand *s) {
  const uint64_t one_by_one = hash_of_strand(s, 1, MSD_SIMD_WIDEST, 6);
  int failures = one_by_one == 0;
  static const msd_simd widths[] = {MSD_SIMD_SCALAR, MSD_SIMD_128, MSD_SIMD_WIDEST};
  for (int n = 0; n < 3; n++) {
    const uint64_t together = hash_of_strand(s, n + 2, widths[n], 1);
    printf("%s strand, %d threads, width %d: %016" PRIx64 "\n", s->name, n + 2, (int)widths[n], together);
    failures += together != one_by_one;
  }
  return failures;
}

enum { WORLDS = 6 };

static void count_moment(const msd_world *world, const msd_substep_info *moment, void *moments) {
  (void)world, (void)moment;
  ++*(int *)moments;
}

/* Each counts for itself what its steps tell. */
static bool open_worlds(msd_step steps[WORLDS], int moments[WORLDS]) {
  bool ok = true;
  for (int n = 0; n < WORLDS; n++) {
    const msd_world_def def = msd_default_world_def();
    const msd_callbacks callbacks = {.after_substep = count_moment, .context = &moments[n]};
    msd_body body;
    moments[n] = 0;
    steps[n] = (msd_step){.frame_time = (msd_real)1 / 60, .substeps = 1 + n};
    ok = ok && msd_create_world(&def, &steps[n].world) == MSD_OK && add_cloth(steps[n].world, &body) &&
         msd_world_set_callbacks(steps[n].world, &callbacks) == MSD_OK;
  }
  return ok;
}

/* Six worlds, frame by frame: one after the other where threads is 0, else in one call for each frame. */
static uint64_t hash_of_worlds(int threads, const msd_tasks *tasks) {
  msd_step steps[WORLDS];
  int moments[WORLDS];
  bool ok = open_worlds(steps, moments);
  for (int frame = 0; frame < FRAMES && ok; frame++) {
    ok = threads == 0 || msd_worlds_step(steps, WORLDS, threads, tasks) == MSD_OK;
    for (int n = 0; n < WORLDS && threads == 0; n++)
      ok = ok && msd_world_step(steps[n].world, steps[n].frame_time, steps[n].substeps) == MSD_OK;
  }
  uint64_t hash = 0;
  for (int n = 0; n < WORLDS; n++) {
    ok = ok && moments[n] == FRAMES * steps[n].substeps;
    hash = hash * 31 + msd_world_hash(steps[n].world);
    msd_destroy_world(steps[n].world);
  }
  return ok ? hash : 0;
}

static int count_failures_of_worlds(void) {
  host_pool pool;
  host_pool_open(&pool, 2);
  const msd_tasks tasks = host_pool_tasks(&pool);
  const uint64_t alone = hash_of_worlds(0, NULL), together = hash_of_worlds(3, NULL),
                 on_pool = hash_of_worlds(3, &tasks);
  host_pool_close(&pool);
  printf("worlds: %016" PRIx64 " one by one, %016" PRIx64 " together, %016" PRIx64 " on a pool\n", alone,
         together, on_pool);
  return (alone == 0) + (together != alone) + (on_pool != alone);
}

int main(void) {
  int failures = count_failures(true) + count_failures(false) + count_failures_of_worlds();
  for (int n = 0; n < STRANDS; n++)
    failures += count_strand_failures(&strands[n]);
  return failures > 0;
}

/* Random worlds with collision meshes under everything that can happen to them, and the exact intersection test
   after each frame: cloths, ropes and blocks that fall on each other, on colliders and on kinematic sheets,
   tear and split; particles are put elsewhere, pins moved, springs cut, bodies added and destroyed, snapshots
   and states restored, and frame times change. An intersection that the world does not report is an error.

     random_contact [WORLDS [FIRST]]     200 worlds from seed 1 on */
#include "bench/random_numbers.h"
#include "bench/reported_penetrations.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 12, FRAMES = 40, SIDE_MAX = 12 };

typedef struct trial {
  msd_world *world;
  uint64_t random;

  msd_body bodies[BODIES_MAX];
  bool is_kinematic[BODIES_MAX];
  int body_count;

  /* m: where the next body is placed. */
  double height;

  /* Substeps longer than the stable one have thrown particles too far for contact. */
  bool is_lost;

  /* A whole world and a state, and how many bodies it has; NULL before they are saved. */
  void *snapshot, *state;
  size_t snapshot_size, state_size;
  int snapshot_bodies;

  /* Buffers for the corners of a new body. */
  int32_t *triangles, *segments;
} trial;

/* Sums over all worlds. */
typedef struct tally {
  told_tally told;
  int64_t frames, failed_frames, bodies, cuts, teleports, restores, torn, split, forced, destroyed;
} tally;

static double between(trial *t, double low, double high) {
  return low + (high - low) * random_uniform(&t->random);
}

static bool chance(trial *t, double share) {
  return random_uniform(&t->random) < share;
}

static int whole(trial *t, int least, int most) {
  return (int)random_whole(&t->random, least, most);
}

static void fail(const trial *t, const char *what, msd_result result) {
  fprintf(stderr, "random_contact: %s: %s: %s\n", what, msd_result_string(result),
          msd_world_message(t->world));
  exit(1);
}

/* ------------------------------------------------------------------------------------------------ bodies */

/* From soft to stiff, some undamped. */
static msd_spring_def random_spring(trial *t) {
  msd_spring_def spring = msd_default_spring_def();
  spring.law = MSD_SPRING_STIFFNESS;
  spring.stiffness = (msd_real)(10 * pow(1000, random_uniform(&t->random)));
  spring.damping =
      chance(t, 0.3) ? 0 : (msd_real)(1e-3 * (double)spring.stiffness * random_uniform(&t->random));
  return spring;
}

static msd_result add_cloth(trial *t, msd_body *body, msd_collision_mesh_def *mesh) {
  msd_cloth_def def = msd_default_cloth_def();
  const double size = between(t, 0.3, 1), tilt = chance(t, 0.5) ? 0 : between(t, -0.3, 0.3);
  def.columns = whole(t, 2, SIDE_MAX);
  def.rows = whole(t, 2, SIDE_MAX);
  def.origin = (msd_vec3){(msd_real)between(t, -0.5, 0), (msd_real)t->height, (msd_real)between(t, -0.5, 0)};
  def.u = (msd_vec3){(msd_real)size, (msd_real)tilt, 0};
  def.v = (msd_vec3){(msd_real)(0.3 * tilt), 0, (msd_real)size};
  def.mass = (msd_real)between(t, 0.05, 1);
  def.stretch = random_spring(t);
  if (chance(t, 0.7))
    def.shear = random_spring(t);
  t->height += fabs(tilt);
  const msd_result result = msd_add_cloth(t->world, &def, body);
  if (result == MSD_OK)
    msd_cloth_get_triangles(&def, body->particles.first, t->triangles, 2 * SIDE_MAX * SIDE_MAX,
                            &mesh->triangle_count);
  return result;
}

static msd_result add_rope(trial *t, msd_body *body, msd_collision_mesh_def *mesh) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = whole(t, 2, 30);
  def.from =
      (msd_vec3){(msd_real)between(t, -0.6, -0.1), (msd_real)t->height, (msd_real)between(t, -0.3, 0.3)};
  def.to = (msd_vec3){(msd_real)between(t, 0.1, 0.6), (msd_real)(t->height + between(t, 0, 0.2)),
                      (msd_real)between(t, -0.3, 0.3)};
  def.mass = (msd_real)between(t, 0.05, 1);
  def.stretch = random_spring(t);
  t->height += 0.2;
  const msd_result result = msd_add_rope(t->world, &def, body);
  for (int32_t n = 0; result == MSD_OK && n + 1 < body->particles.count; n++) {
    t->segments[2 * n] = body->particles.first + n;
    t->segments[2 * n + 1] = body->particles.first + n + 1;
    mesh->segment_count++;
  }
  return result;
}

static msd_result add_block(trial *t, msd_body *body, msd_collision_mesh_def *mesh) {
  msd_block_def def = msd_default_block_def();
  for (int c = 0; c < 3; c++)
    def.cells[c] = whole(t, 1, 4);
  const double cell = between(t, 0.05, 0.15);
  def.size = (msd_vec3){(msd_real)(cell * def.cells[0]), (msd_real)(cell * def.cells[1]),
                        (msd_real)(cell * def.cells[2])};
  def.origin =
      (msd_vec3){(msd_real)between(t, -0.4, 0.1), (msd_real)t->height, (msd_real)between(t, -0.4, 0.1)};
  def.mass = (msd_real)between(t, 0.1, 3);
  def.stretch = random_spring(t);
  def.shear = random_spring(t);
  t->height += (double)def.size.y;
  const msd_result result = msd_add_block(t->world, &def, body);
  if (result == MSD_OK)
    msd_block_get_triangles(&def, body->particles.first, t->triangles, 2 * SIDE_MAX * SIDE_MAX,
                            &mesh->triangle_count);
  return result;
}

static void add_damage(trial *t, const msd_body *body) {
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)between(t, 0.01, 0.3);
  damage.split = chance(t, 0.6);
  if (chance(t, 0.3)) {
    damage.yield_strain = (msd_real)between(t, 0.005, 0.1);
    damage.max_plastic_strain = (msd_real)0.3;
  }
  msd_springs_set_damage(t->world, body->springs, &damage);
}

static void add_body(trial *t, tally *all) {
  msd_body body;
  msd_collision_mesh_def mesh = msd_default_collision_mesh_def();
  if (t->body_count == BODIES_MAX)
    return;
  const int kind = whole(t, 0, 9);
  msd_result result = kind < 6   ? add_cloth(t, &body, &mesh)
                      : kind < 8 ? add_rope(t, &body, &mesh)
                                 : add_block(t, &body, &mesh);
  if (result != MSD_OK)
    fail(t, "a body", result);
  mesh.triangles = mesh.triangle_count > 0 ? t->triangles : NULL;
  mesh.segments = mesh.segment_count > 0 ? t->segments : NULL;
  if (chance(t, 0.4))
    mesh.thickness = (msd_real)(0.0005 * pow(40, random_uniform(&t->random)));
  result = msd_add_collision_meshes(t->world, &mesh, 1, NULL);
  if (result != MSD_OK)
    fail(t, "a collision mesh", result);
  const bool is_kinematic = kind < 6 && chance(t, 0.15);
  for (int32_t n = 0; n < body.particles.count; n++)
    if (is_kinematic || (kind < 6 && n < 2 && t->body_count % 3 == 0))
      msd_particle_pin(t->world, body.particles.first + n);
  if (!is_kinematic && chance(t, 0.5))
    add_damage(t, &body);
  if (!is_kinematic && chance(t, 0.3)) {
    const double speed = between(t, -20, 5);
    for (int32_t n = 0; n < body.particles.count; n++)
      if (!msd_particle_is_pinned(t->world, body.particles.first + n))
        msd_particle_set_velocity(t->world, body.particles.first + n, (msd_vec3){0, (msd_real)speed, 0});
  }
  t->is_kinematic[t->body_count] = is_kinematic;
  t->bodies[t->body_count++] = body;
  t->height += between(t, 0.02, 0.3);
  all->bodies++;
}

static void add_colliders(trial *t) {
  msd_collider_def plane = msd_default_collider_def(), sphere = msd_default_collider_def();
  plane.kind = MSD_COLLIDER_PLANE;
  plane.position.y = -1;
  sphere.kind = MSD_COLLIDER_SPHERE;
  sphere.position.y = (msd_real)-0.5;
  sphere.radius = (msd_real)between(t, 0.1, 0.4);
  msd_add_colliders(t->world, &plane, 1, NULL);
  if (chance(t, 0.5))
    msd_add_colliders(t->world, &sphere, 1, NULL);
}

/* ------------------------------------------------------------------------------------------------ events */

static const msd_body *any_body(trial *t) {
  return &t->bodies[whole(t, 0, t->body_count - 1)];
}

static int32_t any_particle(trial *t) {
  const msd_body *body = any_body(t);
  return body->particles.first + whole(t, 0, body->particles.count - 1);
}

static msd_vec3 near_by(trial *t, int32_t particle, double reach) {
  const msd_vec3 x = msd_particle_get_position(t->world, particle);
  return (msd_vec3){x.x + (msd_real)between(t, -reach, reach), x.y + (msd_real)between(t, -reach, reach),
                    x.z + (msd_real)between(t, -reach, reach)};
}

/* One particle or a whole body, near or far. */
static void teleport(trial *t, tally *all) {
  const double reach = chance(t, 0.5) ? 0.05 : 0.5;
  if (chance(t, 0.5)) {
    const int32_t particle = any_particle(t);
    msd_particle_set_position(t->world, particle, near_by(t, particle, reach));
  } else {
    const msd_body *body = any_body(t);
    const msd_vec3 by = {(msd_real)between(t, -reach, reach), (msd_real)between(t, -reach, reach),
                         (msd_real)between(t, -reach, reach)};
    for (int32_t n = 0; n < body->particles.count; n++) {
      const msd_vec3 x = msd_particle_get_position(t->world, body->particles.first + n);
      msd_particle_set_position(t->world, body->particles.first + n,
                                (msd_vec3){x.x + by.x, x.y + by.y, x.z + by.z});
    }
  }
  all->teleports++;
}

/* Pins of one body, as a whole, at up to 10 m/s. */
static void move_pins(trial *t) {
  const msd_body *body = any_body(t);
  const msd_vec3 by = {(msd_real)between(t, -0.15, 0.15), (msd_real)between(t, -0.15, 0.15),
                       (msd_real)between(t, -0.15, 0.15)};
  for (int32_t n = 0; n < body->particles.count; n++) {
    const int32_t particle = body->particles.first + n;
    const msd_vec3 x = msd_particle_get_position(t->world, particle);
    if (msd_particle_is_pinned(t->world, particle))
      msd_particle_move_to(t->world, particle, (msd_vec3){x.x + by.x, x.y + by.y, x.z + by.z});
  }
}

static void cut(trial *t, tally *all) {
  const msd_range springs = any_body(t)->springs;
  for (int n = 0; n < 4 && springs.count > 0; n++)
    msd_spring_break(t->world, springs.first + whole(t, 0, springs.count - 1));
  all->cuts++;
}

static void destroy(trial *t, tally *all) {
  const int n = whole(t, 0, t->body_count - 1);
  if (t->body_count < 3)
    return;
  if (msd_destroy_range(t->world, MSD_OBJECT_PARTICLE, t->bodies[n].particles) == MSD_OK)
    all->destroyed++;
  t->bodies[n] = t->bodies[--t->body_count];
  t->is_kinematic[n] = t->is_kinematic[t->body_count];
  free(t->snapshot);
  t->snapshot = NULL;
}

static void save(trial *t) {
  free(t->snapshot);
  msd_world_save(t->world, NULL, 0, &t->snapshot_size);
  t->snapshot = malloc(t->snapshot_size);
  if (!t->snapshot || msd_world_save(t->world, t->snapshot, t->snapshot_size, &t->snapshot_size) != MSD_OK)
    fail(t, "save", MSD_OUT_OF_MEMORY);
  t->snapshot_bodies = t->body_count;
}

static void restore(trial *t, tally *all) {
  if (!t->snapshot)
    return;
  const msd_result result = msd_world_restore(t->world, t->snapshot, t->snapshot_size);
  if (result != MSD_OK)
    fail(t, "restore", result);
  t->body_count = t->snapshot_bodies;
  all->restores++;
}

static void save_state(trial *t) {
  free(t->state);
  msd_world_save_state(t->world, NULL, 0, &t->state_size);
  t->state = malloc(t->state_size);
  if (!t->state || msd_world_save_state(t->world, t->state, t->state_size, &t->state_size) != MSD_OK) {
    free(t->state);
    t->state = NULL;
  }
}

/* A state fits the world only while no object was added, destroyed or torn. */
static void restore_state(trial *t, tally *all) {
  if (t->state && msd_world_restore_state(t->world, t->state, t->state_size) == MSD_OK)
    all->restores++;
}

static void happen(trial *t, tally *all) {
  if (chance(t, 0.08))
    teleport(t, all);
  if (chance(t, 0.3))
    move_pins(t);
  if (chance(t, 0.1))
    cut(t, all);
  if (chance(t, 0.05))
    add_body(t, all);
  if (chance(t, 0.02))
    destroy(t, all);
  if (chance(t, 0.1))
    save(t);
  if (chance(t, 0.06))
    restore(t, all);
  if (chance(t, 0.1))
    save_state(t);
  if (chance(t, 0.06))
    restore_state(t, all);
  if (chance(t, 0.1))
    msd_world_set_thread_count(t->world, whole(t, 1, 2));
}

/* ------------------------------------------------------------------------------------------------ check */

/* Mostly automatic; now and then more than are needed, or somewhat fewer. */
static int any_substeps(trial *t, double frame_time) {
  int32_t needed;
  if (!chance(t, 0.2) || msd_world_find_substeps(t->world, (msd_real)frame_time, &needed) != MSD_OK ||
      needed == 0)
    return 0;
  return 1 + (int)(needed * between(t, 0.8, 2));
}

/* False if an intersection was not reported. */
static bool take_frame(trial *t, int64_t seed, int frame, tally *all) {
  static const double frame_times[] = {1.0 / 240, 1.0 / 60, 1.0 / 60, 1.0 / 30, 1.0 / 20};
  const double frame_time = frame_times[whole(t, 0, 4)];
  const msd_result result = msd_world_step(t->world, (msd_real)frame_time, any_substeps(t, frame_time));
  all->frames++;
  t->is_lost = result == MSD_TOO_FAR;
  if (result != MSD_OK && result != MSD_DIVERGED && !t->is_lost)
    fail(t, "a frame", result);
  all->failed_frames += result != MSD_OK;
  const int64_t before = all->told.untold;
  const msd_result looked = told_look_at_meshes(t->world, &all->told);
  if (looked != MSD_OK)
    fail(t, "the exact test", looked);
  if (all->told.untold > before)
    printf("world %" PRId64 ", frame %d: %" PRId64 " intersections that are not reported\n", seed, frame,
           all->told.untold - before);
  return all->told.untold == before;
}

static bool run_world(int64_t seed, tally *all) {
  trial t = {.random = (uint64_t)seed};
  msd_world_def def = msd_default_world_def();
  t.triangles = malloc(6 * SIDE_MAX * SIDE_MAX * sizeof *t.triangles);
  t.segments = malloc(100 * sizeof *t.segments);
  if (!t.triangles || !t.segments || msd_create_world(&def, &t.world) != MSD_OK)
    exit(1);
  add_colliders(&t);
  for (int n = whole(&t, 2, 5); n > 0; n--)
    add_body(&t, all);
  bool is_right = true;
  for (int frame = 0; is_right && !t.is_lost && frame < FRAMES; frame++) {
    if (frame > 0)
      happen(&t, all);
    is_right = take_frame(&t, seed, frame, all);
  }
  const msd_stats stats = msd_world_get_stats(t.world);
  all->torn += stats.torn;
  all->split += stats.split;
  all->forced += stats.forced_intersections;
  msd_destroy_world(t.world);
  free(t.triangles);
  free(t.segments);
  free(t.snapshot);
  free(t.state);
  return is_right;
}

int main(int argc, char **argv) {
  const int64_t worlds = argc > 1 ? strtoll(argv[1], NULL, 10) : 200,
                first = argc > 2 ? strtoll(argv[2], NULL, 10) : 1;
  tally all = {.frames = 0};
  int64_t wrong = 0;
  if (argc > 3 || worlds < 1) {
    fprintf(stderr, "usage: random_contact [WORLDS [FIRST]]\n");
    return 2;
  }
  for (int64_t n = 0; n < worlds; n++)
    wrong += !run_world(first + n, &all);
  printf("%" PRId64 " worlds, %" PRId64 " bodies, %" PRId64 " frames (%" PRId64
         " failed as too few substeps were taken)\n",
         worlds, all.bodies, all.frames, all.failed_frames);
  printf("%" PRId64 " teleports, %" PRId64 " restores, %" PRId64 " cuts, %" PRId64 " springs torn, %" PRId64
         " particles split, %" PRId64 " bodies destroyed\n",
         all.teleports, all.restores, all.cuts, all.torn, all.split, all.destroyed);
  printf("%" PRId64 " intersecting pairs, each of them reported but %" PRId64 "; %" PRId64 " forced; %" PRId64
         " overlaps of neighboring segments\n",
         all.told.found, all.told.untold, all.forced, all.told.folded);
  return wrong > 0;
}

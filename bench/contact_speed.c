#include "bench/contact_speed.h"

#include "bench/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger cases are longer strips, so that they fold as the small ones do. */
static const contact_case cases[] = {
    {"drape 1e4", CONTACT_DRAPE, 100, 100, 40, 20},      {"drape 1e5", CONTACT_DRAPE, 1000, 100, 40, 10},
    {"drape 1e6", CONTACT_DRAPE, 10000, 100, 40, 5},     {"crumple 1e4", CONTACT_CRUMPLE, 100, 100, 40, 20},
    {"crumple 1e5", CONTACT_CRUMPLE, 1000, 100, 40, 10}, {"crumple 1e6", CONTACT_CRUMPLE, 10000, 100, 40, 5},
    {"stack 1e4", CONTACT_STACK, 32, 32, 40, 20},        {"stack 1e5", CONTACT_STACK, 100, 100, 40, 10},
    {"stack 1e6", CONTACT_STACK, 1000, 100, 40, 5},
};

const contact_case *contact_cases(int *count) {
  *count = (int)(sizeof cases / sizeof *cases);
  return cases;
}

enum { FRAMES_MOST = 20, FRAMES_PER_SECOND = 60 };

static const msd_real SPACING = (msd_real)0.01;

static void add_triangles(contact_scene *s, const contact_case *c, int32_t first) {
  int32_t *next = s->triangles + 3 * (size_t)s->triangle_count;
  for (int32_t row = 0; row + 1 < c->rows; row++)
    for (int32_t column = 0; column + 1 < c->columns; column++) {
      const int32_t a = first + row * c->columns + column, below = a + c->columns;
      const int32_t two[6] = {a, a + 1, below, a + 1, below + 1, below};
      memcpy(next, two, sizeof two);
      next += 6;
    }
  s->triangle_count += 2 * (c->rows - 1) * (c->columns - 1);
}

static msd_result add_cloth(contact_scene *s, const contact_case *c, msd_vec3 origin, msd_vec3 along,
                            msd_vec3 across) {
  msd_cloth_def def = msd_default_cloth_def();
  const msd_real length = SPACING * (msd_real)(c->columns - 1), width = SPACING * (msd_real)(c->rows - 1);
  def.columns = c->columns;
  def.rows = c->rows;
  def.origin = origin;
  def.u = (msd_vec3){along.x * length, along.y * length, along.z * length};
  def.v = (msd_vec3){across.x * width, across.y * width, across.z * width};
  def.mass = (msd_real)0.2 * length * width;
  def.stretch.law = MSD_SPRING_COEFFICIENT;
  def.stretch.ck = (msd_real)0.24;
  def.stretch.cd = (msd_real)0.03;
  def.shear = def.stretch;
  def.bend = def.stretch;
  def.bend.ck = (msd_real)0.01;
  msd_body body;
  const msd_result result = msd_add_cloth(s->world, &def, &body);
  if (result == MSD_OK)
    add_triangles(s, c, body.particles.first);
  return result;
}

static msd_result add_floor(msd_world *world, msd_real height) {
  msd_collider_def def = msd_default_collider_def();
  def.position.y = height;
  return msd_add_colliders(world, &def, 1, NULL);
}

static msd_result add_drape(contact_scene *s, const contact_case *c) {
  const msd_real length = SPACING * (msd_real)c->columns;
  msd_collider_def bar = msd_default_collider_def();
  bar.kind = MSD_COLLIDER_CAPSULE;
  bar.radius = (msd_real)0.1;
  bar.from.x = -1;
  bar.to.x = length + 1;
  msd_result result = msd_add_colliders(s->world, &bar, 1, NULL);
  if (result == MSD_OK)
    result = add_floor(s->world, (msd_real)-0.3);
  if (result != MSD_OK)
    return result;
  const msd_vec3 origin = {0, (msd_real)0.11, SPACING * (msd_real)(1 - c->rows) / 2};
  return add_cloth(s, c, origin, (msd_vec3){1, 0, 0}, (msd_vec3){0, (msd_real)0.02, 1});
}

static msd_result add_crumple(contact_scene *s, const contact_case *c) {
  const msd_result result = add_floor(s->world, 0);
  if (result != MSD_OK)
    return result;
  return add_cloth(s, c, (msd_vec3){0, (msd_real)0.02, 0}, (msd_vec3){1, 0, 0},
                   (msd_vec3){0, 1, (msd_real)0.03});
}

static msd_result add_stack(contact_scene *s, const contact_case *c) {
  msd_result result = add_floor(s->world, 0);
  for (int n = 0; n < CONTACT_SHEETS && result == MSD_OK; n++) {
    const msd_vec3 origin = {SPACING * (msd_real)n / 7, SPACING * (msd_real)(n + 1),
                             SPACING * (msd_real)n / 5};
    result = add_cloth(s, c, origin, (msd_vec3){1, 0, 0}, (msd_vec3){0, 0, 1});
  }
  return result;
}

static msd_result add_hit(contact_scene *s, const contact_case *c) {
  msd_result result = msd_world_set_gravity(s->world, (msd_vec3){0, 0, 0});
  if (result == MSD_OK)
    result = add_cloth(s, c, (msd_vec3){0, 0, 0}, (msd_vec3){1, 0, 0}, (msd_vec3){0, 0, 1});
  if (result == MSD_OK)
    result = add_cloth(s, c, (msd_vec3){SPACING / 3, (msd_real)0.3, SPACING / 5}, (msd_vec3){1, 0, 0},
                       (msd_vec3){0, (msd_real)0.02, 1});
  return result;
}

static msd_result add_fall(contact_scene *s, const contact_case *c) {
  return add_cloth(s, c, (msd_vec3){0, 0, 0}, (msd_vec3){1, 0, 0}, (msd_vec3){0, 0, 1});
}

static msd_result add_hanging(contact_scene *s, const contact_case *c) {
  msd_result result = add_cloth(s, c, (msd_vec3){0, 0, 0}, (msd_vec3){1, 0, 0}, (msd_vec3){0, -1, 0});
  if (result == MSD_OK)
    result = msd_particle_pin(s->world, 0);
  return result == MSD_OK ? msd_particle_pin(s->world, c->columns - 1) : result;
}

/* One half lies above the other at the distance of one spacing; a half circle connects them. */
static msd_result add_fold(contact_scene *s, const contact_case *c) {
  const double pi = 3.14159265358979323846, turn = (double)SPACING / 2 * pi;
  msd_result result = add_floor(s->world, 0);
  if (result == MSD_OK)
    result = add_cloth(s, c, (msd_vec3){0, SPACING, 0}, (msd_vec3){1, 0, 0}, (msd_vec3){0, 0, 1});
  const double flat = ((double)SPACING * (c->rows - 1) - turn) / 2;
  for (int32_t i = 0; i < c->rows * c->columns && result == MSD_OK; i++) {
    const double along = (double)SPACING * (i / c->columns), round = (along - flat) / turn;
    double z = along, y = 0;
    if (round > 0) {
      const double angle = pi * (round < 1 ? round : 1);
      z = flat + (double)SPACING / 2 * sin(angle) - (round > 1 ? along - flat - turn : 0);
      y = (double)SPACING / 2 * (1 - cos(angle));
    }
    const msd_vec3 at = {SPACING * (msd_real)(i % c->columns), (msd_real)y + SPACING, (msd_real)z};
    result = msd_particle_set_position(s->world, i, at);
  }
  return result;
}

/* rad/s of each end of the twist, and the height of its axis in m. */
static const double TWIST_RATE = 1.0471975511965976, TWIST_AXIS = 1;

static msd_result add_twist(contact_scene *s, const contact_case *c) {
  msd_material material = msd_default_material();
  material.area_density = (msd_real)0.2;
  material.stretch_modulus = 1000;
  material.shear_modulus = 500;
  material.bend_rigidity = (msd_real)0.001;
  material.damping_ratio = (msd_real)0.02;
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = c->columns;
  def.rows = c->rows;
  def.origin = (msd_vec3){(msd_real)-0.5, (msd_real)TWIST_AXIS, (msd_real)-0.5};
  def.u = (msd_vec3){1, 0, 0};
  def.v = (msd_vec3){0, 0, 1};
  def.material = &material;
  msd_contact_settings contact = msd_world_get_contact_settings(s->world);
  contact.thickness = (msd_real)0.004;
  contact.friction = (msd_real)0.2;
  msd_body body;
  msd_result result = msd_world_set_gravity(s->world, (msd_vec3){0, 0, 0});
  if (result == MSD_OK)
    result = msd_world_set_contact_settings(s->world, &contact);
  if (result == MSD_OK)
    result = msd_add_cloth(s->world, &def, &body);
  if (result == MSD_OK)
    add_triangles(s, c, body.particles.first);
  msd_vec3 at;
  for (int32_t i = 0; i < c->rows * c->columns && result == MSD_OK; i++)
    if (contact_leads(c, i, 0, &at))
      result = msd_particle_pin(s->world, i);
  return result;
}

/* Sets velocities of up to 1 cm/s by a pattern with a long period, so that the cloth leaves its plane. */
static msd_result shake(msd_world *world, const contact_case *c) {
  const int32_t hits = c->kind == CONTACT_HIT ? c->rows * c->columns : INT32_MAX;
  msd_result result = MSD_OK;
  for (int32_t i = 0; i < msd_world_get_particle_count(world) && result == MSD_OK; i++) {
    const int32_t x = i % 89 * 37 % 89 - 44, y = i % 97 * 41 % 97 - 48, z = i % 83 * 29 % 83 - 41;
    result = msd_particle_set_velocity(
        world, i,
        (msd_vec3){(msd_real)x / 4400, (msd_real)y / 4800 - (i < hits ? 0 : 30), (msd_real)z / 4100});
  }
  return result;
}

static msd_result add_surfaces(contact_scene *s) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = s->triangles;
  def.triangle_count = s->triangle_count;
  return msd_add_collision_meshes(s->world, &def, 1, NULL);
}

static msd_result (*const add[])(contact_scene *s, const contact_case *c) = {
    [CONTACT_DRAPE] = add_drape, [CONTACT_CRUMPLE] = add_crumple, [CONTACT_STACK] = add_stack,
    [CONTACT_HIT] = add_hit,     [CONTACT_FALL] = add_fall,       [CONTACT_HANG] = add_hanging,
    [CONTACT_FOLD] = add_fold,   [CONTACT_TWIST] = add_twist};

msd_result contact_open(contact_scene *s, const contact_case *c, int threads, bool has_surfaces) {
  const int32_t cloths = c->kind == CONTACT_STACK ? CONTACT_SHEETS : c->kind == CONTACT_HIT ? 2 : 1;
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.linear_damping = c->kind == CONTACT_HIT || c->kind == CONTACT_TWIST ? 0 : (msd_real)0.5;
  *s = (contact_scene){
      .of = c,
      .triangles = malloc(6 * (size_t)cloths * (size_t)c->rows * (size_t)c->columns * sizeof *s->triangles)};
  msd_result result = s->triangles ? msd_create_world(&def, &s->world) : MSD_OUT_OF_MEMORY;
  if (result == MSD_OK)
    result = add[c->kind](s, c);
  if (result == MSD_OK && c->kind != CONTACT_TWIST)
    result = shake(s->world, c);
  if (result == MSD_OK && has_surfaces)
    result = add_surfaces(s);
  return result;
}

void contact_close(contact_scene *s) {
  msd_destroy_world(s->world);
  free(s->triangles);
}

bool contact_leads(const contact_case *c, int32_t particle, double time, msd_vec3 *at) {
  const int32_t column = particle % c->columns, row = particle / c->columns;
  const bool is_first = column == 0;
  if (c->kind != CONTACT_TWIST || !(is_first || column == c->columns - 1))
    return false;
  const double angle = (is_first ? -1 : 1) * TWIST_RATE * time, z = row / (double)(c->rows - 1) - 0.5;
  *at = (msd_vec3){(msd_real)(is_first ? -0.5 : 0.5), (msd_real)(TWIST_AXIS - z * sin(angle)),
                   (msd_real)(z * cos(angle))};
  return true;
}

/* Of the frame that ends at a time in s. */
static msd_result lead(contact_scene *s, double time) {
  const contact_case *c = s->of;
  const double turn = TWIST_RATE / FRAMES_PER_SECOND;
  msd_result result = MSD_OK;
  for (int32_t i = 0; c->kind == CONTACT_TWIST && i < c->rows * c->columns && result == MSD_OK; i++) {
    msd_vec3 at;
    if (contact_leads(c, i, time, &at))
      result = msd_particle_move_along(s->world, i, at,
                                       (msd_turn){.rotation = {(msd_real)(at.x < 0 ? -turn : turn), 0, 0},
                                                  .pivot = {at.x, (msd_real)TWIST_AXIS, 0}});
  }
  return result;
}

msd_result contact_scene_step(contact_scene *s) {
  const double frames = round(msd_world_get_time(s->world) * FRAMES_PER_SECOND);
  const msd_result result = lead(s, (frames + 1) / FRAMES_PER_SECOND);
  if (result != MSD_OK)
    return result;
  return msd_world_step(s->world, (msd_real)1 / FRAMES_PER_SECOND,
                        s->of->kind == CONTACT_TWIST ? 0 : CONTACT_SUBSTEPS);
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static msd_result run(contact_scene *s, const contact_case *c, double *median) {
  double times[FRAMES_MOST];
  msd_result result = MSD_OK;
  for (int frame = -c->warm_frames; frame < c->frames && result == MSD_OK; frame++) {
    const double start = machine_clock();
    result = contact_scene_step(s);
    if (frame >= 0)
      times[frame] = machine_clock() - start;
  }
  if (result == MSD_OK) {
    qsort(times, (size_t)c->frames, sizeof *times, compare_numbers);
    *median = times[c->frames / 2];
  }
  return result;
}

static told_pieces pieces_of(const contact_scene *s) {
  return (told_pieces){.triangles = s->triangles, .triangle_count = s->triangle_count};
}

/* Counts pairs of triangles. */
msd_result contact_count_intersections(const contact_scene *s, int64_t *found) {
  const told_pieces pieces = pieces_of(s);
  told_tally tally = {0};
  const msd_result result = told_look(s->world, &pieces, &tally);
  *found = tally.found;
  return result;
}

/* Runs a case in one configuration: its frame time, its hash and, on one thread, its intersections. */
static bool measure_way(const contact_case *c, int way, bool is_bare, contact_result *out, uint64_t *hash) {
  contact_scene s;
  msd_result result = contact_open(&s, c, out->threads[way], !is_bare);
  if (result == MSD_OK)
    result = run(&s, c, is_bare ? &out->bare_seconds[way] : &out->seconds[way]);
  if (result == MSD_OK && way == 0)
    result = contact_count_intersections(&s, is_bare ? &out->bare_intersections : &out->intersections);
  if (result == MSD_OK) {
    *hash = msd_world_hash(s.world);
    out->particles = msd_world_get_particle_count(s.world);
    out->triangles = s.triangle_count;
  }
  contact_close(&s);
  return result == MSD_OK;
}

static msd_result step(void *of) {
  return contact_scene_step(of);
}

static double mean_height(const msd_world *world, int32_t first, int32_t count) {
  double sum = 0;
  for (int32_t i = first; i < first + count; i++)
    sum += (double)msd_particle_get_position(world, i).y;
  return sum / count;
}

/* The sheet that arrives at 30 m/s moves farther in a frame than its thickness. After 0.1 s the two sheets may
   turn over. */
static bool is_above(const void *of) {
  const msd_world *world = ((const contact_scene *)of)->world;
  const int32_t each = msd_world_get_particle_count(world) / 2;
  return msd_world_get_time(world) > 0.1 || mean_height(world, each, each) > mean_height(world, 0, each);
}

contact_trial contact_trial_of(contact_scene *s, const contact_case *c) {
  contact_trial t = {.name = c->name, .side = c->columns, .world = s->world, .step = step, .of = s};
  t.pieces = pieces_of(s);
  t.is_in_order = c->kind == CONTACT_HIT ? is_above : NULL;
  return t;
}

bool contact_measure(const contact_case *c, contact_result *out) {
  *out = (contact_result){.threads = {1, machine_threads()}};
  bool done = true;
  for (int is_bare = 0; is_bare < 2 && done; is_bare++) {
    uint64_t hash[CONTACT_THREADS];
    for (int way = 0; way < CONTACT_THREADS && done; way++)
      done = measure_way(c, way, is_bare, out, &hash[way]);
    out->is_one_state = done && hash[0] == hash[1] && (out->is_one_state || !is_bare);
  }
  return done;
}

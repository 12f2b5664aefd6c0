#include "bench/kinematic_scene.h"
#include "bench/random_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MOST = 5, PARTICLES_MOST = 1024, FACES_MOST = 4096, FRAMES_PER_SECOND = 60 };

/* m: the distance between the centers of bodies, and the range of kinematic motion around the start. */
static const double SPACING = 0.5, REACH = 0.6;

/* Which particles of a body are pinned and moved: none, a random subset, a row or all. */
typedef enum led_kind { LED_NONE, LED_SOME, LED_ROW, LED_ALL, LED_KINDS } led_kind;

typedef struct led_body {
  int32_t first, count;
  bool together;
  /* m, relative to the initial positions; m/s. */
  msd_vec3 offset, target;
  double speed;
} led_body;

typedef struct scene {
  msd_world *world;
  uint64_t state;
  led_body bodies[BODIES_MOST];
  int body_count, substeps;
  bool has_collider;
  led_body collider;
  /* The initial positions, and the targets of pins that move independently. */
  msd_vec3 begun[PARTICLES_MOST], offset[PARTICLES_MOST], target[PARTICLES_MOST];
  int32_t triangles[FACES_MOST][3], segments[FACES_MOST][2];
  int32_t triangle_count, segment_count;
  /* The first failure. */
  msd_result result;
} scene;

static double uniform(scene *s) {
  return random_uniform(&s->state);
}

static int32_t whole(scene *s, int32_t least, int32_t most) {
  return random_whole(&s->state, least, most);
}

static msd_vec3 vector(scene *s, double size) {
  const double x = 2 * uniform(s) - 1, y = 2 * uniform(s) - 1, z = 2 * uniform(s) - 1;
  return (msd_vec3){(msd_real)(size * x), (msd_real)(size * y), (msd_real)(size * z)};
}

static msd_vec3 sum(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static void note(scene *s, msd_result result) {
  s->result = s->result == MSD_OK ? result : s->result;
}

/* ------------------------------------------------------------------------------------------------- bodies */

/* A body before it is added: vertices around the origin, its cells, and its collision mesh. */
typedef struct shape {
  msd_vec3 vertices[PARTICLES_MOST];
  int32_t triangles[FACES_MOST][3], cells[FACES_MOST][4];
  int32_t vertex_count, triangle_count, cell_count;
  bool is_rope;
} shape;

static int32_t put_vertex(shape *p, double x, double y, double z) {
  p->vertices[p->vertex_count] = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  return p->vertex_count++;
}

static void put_triangle(shape *p, int32_t a, int32_t b, int32_t c) {
  const int32_t corners[3] = {a, b, c};
  memcpy(p->triangles[p->triangle_count++], corners, sizeof corners);
}

static void make_sheet(scene *s, shape *p) {
  const int32_t columns = whole(s, 2, 9), rows = whole(s, 2, 9);
  const double edge = 0.02 + 0.03 * uniform(s);
  for (int32_t n = 0; n < columns * rows; n++)
    put_vertex(p, edge * (n % columns - 0.5 * columns), 0, edge * (n / columns - 0.5 * rows));
  for (int32_t n = 0; n < columns * (rows - 1); n++)
    if (n % columns < columns - 1) {
      put_triangle(p, n, n + 1, n + columns);
      put_triangle(p, n + 1, n + columns + 1, n + columns);
    }
}

static void make_rope(scene *s, shape *p) {
  const int32_t count = whole(s, 3, 16);
  const double edge = 0.3 / count;
  for (int32_t n = 0; n < count; n++)
    put_vertex(p, edge * (n - 0.5 * count), 0.01 * sin(n), 0);
  p->is_rope = true;
}

/* Rings of a sphere and its two poles. */
static void make_sphere(scene *s, shape *p) {
  const int32_t around = whole(s, 4, 10), rings = whole(s, 2, 6);
  const double radius = 0.05 + 0.1 * uniform(s), pi = 3.14159265358979323846;
  for (int32_t n = 0; n < rings * around; n++) {
    const double down = pi * (n / around + 1) / (rings + 1),
                 turn = 2 * pi * (n % around + 0.5 * (n / around % 2)) / around;
    put_vertex(p, radius * sin(down) * cos(turn), radius * cos(down), radius * sin(down) * sin(turn));
  }
  const int32_t top = put_vertex(p, 0, radius, 0), bottom = put_vertex(p, 0, -radius, 0),
                last = (rings - 1) * around;
  for (int32_t k = 0; k < around; k++) {
    const int32_t next = (k + 1) % around;
    put_triangle(p, top, next, k);
    put_triangle(p, bottom, last + k, last + next);
    for (int32_t ring = 0; ring + 1 < rings; ring++) {
      const int32_t a = ring * around + k, b = ring * around + next;
      put_triangle(p, a, b, a + around);
      put_triangle(p, b, b + around, a + around);
    }
  }
}

static int32_t lattice(const int32_t cells[3], const int32_t at[3]) {
  return (at[2] * (cells[1] + 1) + at[1]) * (cells[0] + 1) + at[0];
}

/* The corner of a cell that is one step farther along each axis whose bit is set. */
static int32_t corner_of(const int32_t cells[3], const int32_t at[3], int steps) {
  const int32_t to[3] = {at[0] + (steps & 1), at[1] + (steps >> 1 & 1), at[2] + (steps >> 2 & 1)};
  return lattice(cells, to);
}

/* Splits a cell into six tetrahedra around its diagonal, so that the faces of adjacent cells match. */
static void put_cell(shape *p, const int32_t cells[3], const int32_t at[3]) {
  static const int ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
  for (int n = 0; n < 6; n++) {
    const int32_t corners[4] = {corner_of(cells, at, 0), corner_of(cells, at, ways[n][0]),
                                corner_of(cells, at, ways[n][1]), corner_of(cells, at, 7)};
    memcpy(p->cells[p->cell_count++], corners, sizeof corners);
  }
  for (int axis = 0; axis < 3; axis++) {
    const int one = 1 << (axis + 1) % 3, other = 1 << (axis + 2) % 3;
    for (int end = 0; end < 2; end++) {
      const int from = end << axis;
      if (end ? at[axis] + 1 < cells[axis] : at[axis] > 0)
        continue;
      const int32_t a = corner_of(cells, at, from), b = corner_of(cells, at, from | one),
                    c = corner_of(cells, at, from | other), d = corner_of(cells, at, from | one | other);
      put_triangle(p, a, b, d);
      put_triangle(p, a, d, c);
    }
  }
}

static void make_block(scene *s, shape *p) {
  const int32_t cells[3] = {whole(s, 1, 4), whole(s, 1, 3), whole(s, 1, 4)};
  const double edge = 0.04 + 0.03 * uniform(s);
  int32_t at[3];
  for (at[2] = 0; at[2] <= cells[2]; at[2]++)
    for (at[1] = 0; at[1] <= cells[1]; at[1]++)
      for (at[0] = 0; at[0] <= cells[0]; at[0]++)
        put_vertex(p, edge * (at[0] - 0.5 * cells[0]), edge * (at[1] - 0.5 * cells[1]),
                   edge * (at[2] - 0.5 * cells[2]));
  for (at[2] = 0; at[2] < cells[2]; at[2]++)
    for (at[1] = 0; at[1] < cells[1]; at[1]++)
      for (at[0] = 0; at[0] < cells[0]; at[0]++)
        put_cell(p, cells, at);
}

static msd_spring_def spring(double ck, double cd) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)ck;
  def.cd = (msd_real)cd;
  return def;
}

static void add_rope(scene *s, const shape *p, int32_t *first) {
  for (int32_t n = 0; n < p->vertex_count; n++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = p->vertices[n];
    def.mass = (msd_real)0.001;
    int32_t particle = 0;
    note(s, msd_add_particles(s->world, &def, 1, &particle));
    *first = n == 0 ? particle : *first;
    msd_spring_def link = spring(0.2, 0.05);
    link.a = particle - 1;
    link.b = particle;
    link.rest_length = (msd_real)(0.3 / p->vertex_count);
    if (n > 0)
      note(s, msd_add_springs(s->world, &link, 1, NULL));
  }
}

static void add_solid(scene *s, const shape *p, bool is_balloon, int32_t *first) {
  msd_body body = {0};
  if (p->cell_count > 0) {
    msd_tetmesh_def def = msd_default_tetmesh_def();
    def.vertices = p->vertices;
    def.vertex_count = p->vertex_count;
    def.tetrahedra = p->cells[0];
    def.tetrahedron_count = p->cell_count;
    def.density = 100;
    note(s, msd_add_tetmesh(s->world, &def, &body));
  } else {
    msd_mesh_def def = msd_default_mesh_def();
    def.vertices = p->vertices;
    def.vertex_count = p->vertex_count;
    def.triangles = p->triangles[0];
    def.triangle_count = p->triangle_count;
    def.area_density = (msd_real)0.2;
    def.stretch = spring(0.1, 0.03);
    if (uniform(s) < 0.5)
      def.bend = spring(0.02, 0.01);
    if (is_balloon) {
      def.pressure = spring(0.1, 0.02);
      def.rest_volume_scale = (msd_real)1.1;
    }
    note(s, msd_add_mesh(s->world, &def, &body));
  }
  *first = body.particles.first;
}

/* Adds the collision mesh of a body whose particles begin at `first`, and appends its triangles and segments to
   those of the scene. */
static void add_surface(scene *s, const shape *p, int32_t first) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = s->triangles[s->triangle_count];
  def.triangle_count = p->triangle_count;
  def.segments = s->segments[s->segment_count];
  def.segment_count = p->is_rope ? p->vertex_count - 1 : 0;
  for (int32_t n = 0; n < p->triangle_count; n++, s->triangle_count++)
    for (int k = 0; k < 3; k++)
      s->triangles[s->triangle_count][k] = first + p->triangles[n][k];
  for (int32_t n = 0; n < def.segment_count; n++, s->segment_count++)
    for (int k = 0; k < 2; k++)
      s->segments[s->segment_count][k] = first + n + k;
  if (def.triangle_count == 0)
    def.triangles = NULL;
  if (def.segment_count == 0)
    def.segments = NULL;
  note(s, msd_add_collision_meshes(s->world, &def, 1, NULL));
}

static void pin(scene *s, led_body *b) {
  const led_kind kind = (led_kind)whole(s, 0, LED_KINDS - 1);
  const double share = 1 / pow(2, whole(s, 1, 3));
  for (int32_t n = 0; n < b->count; n++) {
    const bool some = uniform(s) < share;
    if (kind == LED_ALL || (kind == LED_SOME && some) || (kind == LED_ROW && n < (b->count + 3) / 4))
      note(s, msd_particle_pin(s->world, b->first + n));
  }
}

static void place(scene *s, shape *p, int at) {
  const msd_vec3 shift = {(msd_real)(SPACING * (at % 2)), (msd_real)(SPACING * (at / 2 % 2)),
                          (msd_real)(SPACING * (at / 4))};
  const double turn = 6.3 * uniform(s), lean = 6.3 * uniform(s);
  for (int32_t n = 0; n < p->vertex_count; n++) {
    msd_vec3 *v = &p->vertices[n];
    const double x = (double)v->x * cos(turn) - (double)v->z * sin(turn),
                 z = (double)v->x * sin(turn) + (double)v->z * cos(turn),
                 y = (double)v->y * cos(lean) - z * sin(lean);
    *v = sum(shift,
             (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)((double)v->y * sin(lean) + z * cos(lean))});
  }
}

static void add_body(scene *s, shape *p, int at) {
  static void (*const make[])(scene *, shape *) = {make_sheet, make_rope, make_sphere, make_sphere,
                                                   make_block};
  enum { BALLOON = 3, MAKES = sizeof make / sizeof *make };
  const int kind = whole(s, 0, MAKES - 1);
  led_body *b = &s->bodies[s->body_count++];
  memset(p, 0, sizeof *p);
  make[kind](s, p);
  place(s, p, at);
  if (p->is_rope)
    add_rope(s, p, &b->first);
  else
    add_solid(s, p, kind == BALLOON, &b->first);
  b->count = p->vertex_count;
  b->together = uniform(s) < 0.7;
  b->speed = 0.1 * pow(500, uniform(s));
  if (s->result != MSD_OK)
    return;
  add_surface(s, p, b->first);
  pin(s, b);
}

static void add_collider(scene *s) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.radius = (msd_real)(0.02 + 0.1 * uniform(s));
  def.position = (msd_vec3){(msd_real)(SPACING / 2), (msd_real)(SPACING / 2), (msd_real)(-SPACING / 2)};
  s->collider.speed = 0.1 * pow(500, uniform(s));
  note(s, msd_add_colliders(s->world, &def, 1, NULL));
}

static void build(scene *s, shape *p) {
  static const int substeps[] = {1, 3, 10, 40};
  msd_world_def def = msd_default_world_def();
  def.thread_count = 1;
  def.linear_damping = (msd_real)0.5;
  if (uniform(s) < 0.5)
    def.gravity = (msd_vec3){0, 0, 0};
  s->result = msd_create_world(&def, &s->world);
  if (s->result != MSD_OK)
    return;
  msd_contact_settings contact = msd_default_contact_settings();
  contact.friction = (msd_real)uniform(s);
  contact.relaxation = (msd_real)(uniform(s) < 0.3 ? 0.9 : 0);
  note(s, msd_world_set_contact_settings(s->world, &contact));
  s->substeps = substeps[whole(s, 0, 3)];
  const int bodies = whole(s, 2, BODIES_MOST);
  for (int n = 0; n < bodies && s->result == MSD_OK; n++)
    add_body(s, p, n);
  s->has_collider = uniform(s) < 1.0 / 3;
  if (s->has_collider)
    add_collider(s);
  for (int32_t i = 0; i < msd_world_get_particle_count(s->world) && i < PARTICLES_MOST; i++)
    s->begun[i] = msd_particle_get_position(s->world, i);
}

/* ------------------------------------------------------------------------------------------------ motions */

/* Moves toward the target. At the target it stops for this frame and draws another one. */
static void go_on(scene *s, msd_vec3 *at, msd_vec3 *target, double speed) {
  const double x = (double)(target->x - at->x), y = (double)(target->y - at->y),
               z = (double)(target->z - at->z);
  const double left = sqrt(x * x + y * y + z * z), way = speed / FRAMES_PER_SECOND;
  if (way >= left) {
    *at = *target;
    *target = vector(s, REACH);
    return;
  }
  const double share = way / left;
  *at = sum(*at, (msd_vec3){(msd_real)(share * x), (msd_real)(share * y), (msd_real)(share * z)});
}

static void lead_body(scene *s, led_body *b) {
  go_on(s, &b->offset, &b->target, b->speed);
  for (int32_t i = b->first; i < b->first + b->count; i++) {
    if (!msd_particle_is_pinned(s->world, i))
      continue;
    if (!b->together)
      go_on(s, &s->offset[i], &s->target[i], b->speed);
    note(s, msd_particle_move_to(s->world, i, sum(s->begun[i], b->together ? b->offset : s->offset[i])));
  }
}

static void lead(scene *s) {
  for (int n = 0; n < s->body_count; n++)
    lead_body(s, &s->bodies[n]);
  if (!s->has_collider)
    return;
  go_on(s, &s->collider.offset, &s->collider.target, s->collider.speed);
  const msd_collider_def def = msd_collider_get_def(s->world, 0);
  note(s, msd_collider_move_to(s->world, 0, s->collider.offset, def.rotation));
}

/* ------------------------------------------------------------------------------------------------ a look */

static void look(scene *s, led_tally *tally) {
  const told_pieces pieces = {s->triangle_count > 0 ? s->triangles[0] : NULL,
                              s->segment_count > 0 ? s->segments[0] : NULL, s->triangle_count,
                              s->segment_count};
  const int64_t before = tally->told.found;
  note(s, told_look(s->world, &pieces, &tally->told));
  tally->with_some += tally->told.found > before;
  tally->frames++;
}

msd_result led_scene_run(uint64_t seed, int frames, led_tally *tally) {
  scene *s = calloc(1, sizeof *s);
  shape *p = malloc(sizeof *p);
  if (!s || !p) {
    free(s);
    free(p);
    return MSD_OUT_OF_MEMORY;
  }
  s->state = seed;
  build(s, p);
  for (int frame = 0; frame < frames && s->result == MSD_OK; frame++) {
    lead(s);
    if (s->result == MSD_OK)
      note(s, msd_world_step(s->world, (msd_real)1 / FRAMES_PER_SECOND, s->substeps));
    if (s->result == MSD_OK)
      look(s, tally);
  }
  if (s->world)
    tally->squeezed += msd_world_get_stats(s->world).forced_intersections;
  const msd_result result = s->result;
  msd_destroy_world(s->world);
  free(s);
  free(p);
  return result;
}

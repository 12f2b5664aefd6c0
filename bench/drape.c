/* drape [--quick]: Cusick's drape test (ISO 9073-9, BS 5058). A round cloth of 30 cm diameter is clamped
   between two discs of 18 cm and hangs over their edge. Prints the table of bench/notes/materials.md: the drape
   coefficient and the number of folds of named fabrics on three meshes, two regular ones and an irregular one,
   for two sets of initial velocities each. --quick: one mesh, one set. Exit status: 0 done, 1 a drape
   coefficient is outside the published band, or a cloth could not be run, 2 bad usage. */
#include <msd/msd.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RADIUS = 0.15, HELD = 0.6; /* Radius in m; radius of the discs as a fraction of it. */
static const double THICKNESS = 0.001, FRAME = 1 / 60.0;
/* Linear damping in 1/s, under which oscillations decay in about a second, and the speed in m/s below which the
   cloth counts as settled. */
static const double DRAG = 5, REST = 0.001;
/* Minimum and maximum number of frames. */
enum { FEWEST = 60, MOST = 480 };
/* Largest displacement of the vertices of an irregular mesh, as a fraction of a cell. */
static const double SHAKE = 0.3;
static const double PI = 3.14159265358979323846;
enum { PIXELS = 1200 };

/* Named materials and published bands of their drape coefficient: as collected by the drape test of
   ppf-contact-solver; cotton includes 0.684 of Gan 1991, leather is that of Memon 2021. `most` is 0 without a
   published band. */
static const struct {
  const char *name;
  double least, most;
} fabrics[] = {
    {"silk", 0.20, 0.40},   {"polyester", 0.20, 0.40}, {"wool", 0.40, 0.70},    {"leather", 0.47, 0.70},
    {"cotton", 0.60, 0.76}, {"denim", 0.70, 0.90},     {"cotton_jersey", 0, 0}, {"cotton_shirting", 0, 0},
    {"linen", 0, 0},        {"canvas", 0, 0},          {"ripstop", 0, 0},
};
enum { FABRICS = sizeof fabrics / sizeof *fabrics, BANDS = 6 };

/* Rings of triangles between center and edge. */
static const struct {
  int rings;
  bool is_irregular;
} meshes[] = {{15, true}, {15, false}, {20, false}};
enum { MESHES = sizeof meshes / sizeof *meshes, SEEDS = 2 };

static void check(msd_result result, const msd_world *world) {
  if (result == MSD_OK)
    return;
  fprintf(stderr, "drape: %s %s\n", msd_result_string(result), world != NULL ? msd_world_message(world) : "");
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *block = calloc(count, size);
  if (block == NULL) {
    fprintf(stderr, "drape: out of memory\n");
    exit(1);
  }
  return block;
}

/* Uniform in [-1/2, 1/2). */
static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* ---------------------------------------------------------------------------------------------- the disc */

/* A vertex in the center and rings of 6, 12, 18, ... vertices around it, at equal distances. */
typedef struct disc {
  msd_vec3 *vertices;
  int32_t *triangles;
  int32_t vertex_count, triangle_count;
  int rings;
} disc;

/* Vertex j of a ring; j wraps around. */
static int32_t vertex_at(int ring, int j) {
  return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + j % (6 * ring);
}

static bool is_held(const disc *d, int ring) {
  return ring <= HELD * d->rings + 1e-9;
}

static void add_triangle(disc *d, int32_t a, int32_t b, int32_t c) {
  int32_t *to = d->triangles + 3 * d->triangle_count++;
  to[0] = a;
  to[1] = b;
  to[2] = c;
}

static void add_ring(disc *d, int ring, bool is_irregular, uint64_t *seed) {
  const bool keeps_radius = ring == d->rings || is_held(d, ring) != is_held(d, ring + 1);
  for (int j = 0; j < 6 * ring; j++) {
    const double shake = is_irregular ? 2 * SHAKE : 0, out = keeps_radius ? 0 : shake * draw(seed);
    const double r = RADIUS * (ring + out) / d->rings, angle = PI * (j + shake * draw(seed)) / (3 * ring);
    d->vertices[vertex_at(ring, j)] = (msd_vec3){(msd_real)(r * cos(angle)), 0, (msd_real)(r * sin(angle))};
  }
  for (int sector = 0; sector < 6; sector++)
    for (int j = 0; j < ring; j++) {
      const int outer = sector * ring + j, inner = sector * (ring - 1) + j;
      add_triangle(d, vertex_at(ring - 1, inner), vertex_at(ring, outer), vertex_at(ring, outer + 1));
      if (j + 1 < ring)
        add_triangle(d, vertex_at(ring - 1, inner), vertex_at(ring, outer + 1),
                     vertex_at(ring - 1, inner + 1));
    }
}

static disc new_disc(int rings, bool is_irregular) {
  disc d = {.rings = rings, .vertex_count = 1 + 3 * rings * (rings + 1)};
  d.vertices = allocate((size_t)d.vertex_count, sizeof *d.vertices);
  d.triangles = allocate(18 * (size_t)rings * (size_t)rings, sizeof *d.triangles);
  uint64_t seed = 7;
  for (int ring = 1; ring <= rings; ring++)
    add_ring(&d, ring, is_irregular, &seed);
  return d;
}

static void free_disc(disc *d) {
  free(d->vertices);
  free(d->triangles);
}

/* -------------------------------------------------------------------------------------------- the shadow */

static double side(const double *a, const double *b, double x, double z) {
  return (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int between(double value) {
  return value < 0 ? 0 : value > PIXELS - 1 ? PIXELS - 1 : (int)value;
}

/* Marks the pixels whose centers are inside a triangle, which is given in pixels. */
static void shade(uint8_t *pixels, double corners[3][2]) {
  double low[2], high[2];
  for (int axis = 0; axis < 2; axis++) {
    low[axis] = fmin(corners[0][axis], fmin(corners[1][axis], corners[2][axis]));
    high[axis] = fmax(corners[0][axis], fmax(corners[1][axis], corners[2][axis]));
  }
  for (int row = between(low[1]); row <= between(high[1]); row++)
    for (int column = between(low[0]); column <= between(high[0]); column++) {
      const double x = column + 0.5, z = row + 0.5;
      const double a = side(corners[0], corners[1], x, z), b = side(corners[1], corners[2], x, z),
                   c = side(corners[2], corners[0], x, z);
      if ((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0))
        pixels[row * PIXELS + column] = 1;
    }
}

/* Area in m^2 of the vertical projection of the first `triangles` triangles of a disc. */
static double shadow(const disc *d, const msd_vec3 *places, int32_t triangles) {
  uint8_t *pixels = allocate((size_t)PIXELS * PIXELS, sizeof *pixels);
  const double pixel = 2.1 * RADIUS / PIXELS;
  for (int32_t t = 0; t < triangles; t++) {
    double corners[3][2];
    for (int n = 0; n < 3; n++) {
      const msd_vec3 p = places[d->triangles[3 * t + n]];
      corners[n][0] = (double)p.x / pixel + PIXELS / 2.0;
      corners[n][1] = (double)p.z / pixel + PIXELS / 2.0;
    }
    shade(pixels, corners);
  }
  int64_t dark = 0;
  for (int n = 0; n < PIXELS * PIXELS; n++)
    dark += pixels[n];
  free(pixels);
  return (double)dark * pixel * pixel;
}

static int held_rings(const disc *d) {
  int rings = 0;
  while (is_held(d, rings + 1))
    rings++;
  return rings;
}

/* The drape coefficient: the projected area of the hanging cloth, divided by its flat area. */
static double drape_coefficient(const disc *d, const msd_vec3 *places) {
  const int rings = held_rings(d);
  const double support = shadow(d, d->vertices, 6 * rings * rings),
               cloth = shadow(d, d->vertices, d->triangle_count);
  return (shadow(d, places, d->triangle_count) - support) / (cloth - support);
}

/* Counts how often the edge rises through its middle height, with a hysteresis of a tenth of its height range
   on both sides. */
static int count_folds(const disc *d, const msd_vec3 *places) {
  const int border = 6 * d->rings;
  double low = INFINITY, high = -INFINITY;
  for (int j = 0; j < border; j++) {
    const double y = (double)places[vertex_at(d->rings, j)].y;
    low = fmin(low, y);
    high = fmax(high, y);
  }
  const double middle = (low + high) / 2, margin = (high - low) / 10;
  int folds = 0;
  bool is_down = false;
  for (int j = 0; j < 2 * border; j++) {
    const double y = (double)places[vertex_at(d->rings, j)].y;
    if (y > middle + margin && is_down) {
      folds += j >= border; /* the first round finds out on which side the edge starts */
      is_down = false;
    } else if (y < middle - margin)
      is_down = true;
  }
  return folds;
}

/* --------------------------------------------------------------------------------------------- the cloth */

/* Pins the vertices between the discs. A hinge with three pinned vertices has one rigid half, so its stiffness
   is doubled and the clamp acts at the edge of the disc. */
static void clamp(msd_world *world, const disc *d, const msd_body *body) {
  const int rings = held_rings(d);
  for (int32_t i = 0; i < vertex_at(rings + 1, 0); i++)
    check(msd_particle_pin(world, i), world);
  for (int32_t c = body->bend_constraints.first;
       c < body->bend_constraints.first + body->bend_constraints.count; c++) {
    msd_constraint_def fold = msd_constraint_get_def(world, c);
    int held = 0;
    for (int n = 0; n < 4; n++)
      held += msd_particle_is_pinned(world, fold.particles[n]);
    fold.stiffness *= 2;
    if (held == 3)
      check(msd_constraint_set_law(world, c, &fold), world);
  }
}

static msd_world *new_cloth(const disc *d, int fabric) {
  msd_material material;
  check(msd_material_named(fabrics[fabric].name, &material), NULL);
  msd_world_def settings = msd_default_world_def();
  settings.linear_damping = (msd_real)DRAG;
  settings.thread_count = 1;
  msd_world *world;
  check(msd_create_world(&settings, &world), NULL);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = d->vertices;
  def.vertex_count = d->vertex_count;
  def.triangles = d->triangles;
  def.triangle_count = d->triangle_count;
  def.material = &material;
  def.warp = (msd_vec3){1, 0, 0};
  msd_body body;
  check(msd_add_mesh(world, &def, &body), world);
  clamp(world, d, &body);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = d->triangles;
  surface.triangle_count = d->triangle_count;
  surface.thickness = (msd_real)THICKNESS;
  check(msd_add_collision_meshes(world, &surface, 1, NULL), world);
  return world;
}

/* Gives the free particles vertical velocities of up to 5 cm/s, because a symmetric cloth would never
   buckle. */
static void push(msd_world *world, uint64_t seed) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    if (!msd_particle_is_pinned(world, i))
      check(msd_particle_set_velocity(world, i, (msd_vec3){0, (msd_real)(0.1 * draw(&seed)), 0}), world);
}

/* Returns whether the drape coefficient is in the published band. */
static bool print_row(int fabric, int mesh, int seed) {
  disc d = new_disc(meshes[mesh].rings, meshes[mesh].is_irregular);
  msd_world *world = new_cloth(&d, fabric);
  push(world, 11 + (uint64_t)seed);
  msd_stats stats = msd_world_get_stats(world);
  int frame = 0;
  for (; frame < FEWEST || (frame < MOST && stats.max_speed > REST); frame++) {
    check(msd_world_step(world, (msd_real)FRAME, 0), world);
    stats = msd_world_get_stats(world);
  }
  msd_vec3 *places = allocate((size_t)d.vertex_count, sizeof *places);
  for (int32_t i = 0; i < d.vertex_count; i++)
    places[i] = msd_particle_get_position(world, i);
  const double drape = drape_coefficient(&d, places), least = fabrics[fabric].least,
               most = fabrics[fabric].most;
  const bool is_inside = most == 0 || (drape >= least && drape <= most);
  printf("| %s | %d%s | %d | %.3f | ", fabrics[fabric].name, d.rings,
         meshes[mesh].is_irregular ? " irregular" : "", seed + 1, drape);
  if (most > 0)
    printf("%.2f to %.2f%s | ", least, most, is_inside ? "" : ", OUTSIDE");
  else
    printf("| ");
  printf("%d | %.1f | %.0f |\n", count_folds(&d, places), frame * FRAME,
         (double)msd_world_get_steps(world) / frame);
  fflush(stdout);
  free(places);
  msd_destroy_world(world);
  free_disc(&d);
  return is_inside;
}

int main(int argc, char **argv) {
  const bool is_quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !is_quick) {
    fprintf(stderr, "usage: drape [--quick]\n");
    return 2;
  }
  puts("| fabric | rings | velocities | drape coefficient | published | folds | s to settle | substeps |\n"
       "|---|---|---|---|---|---|---|---|");
  bool is_inside = true;
  for (int fabric = 0; fabric < (is_quick ? BANDS : FABRICS); fabric++)
    for (int mesh = 0; mesh < (is_quick ? 1 : MESHES); mesh++)
      for (int seed = 0; seed < (is_quick ? 1 : SEEDS); seed++)
        is_inside = print_row(fabric, mesh, seed) && is_inside;
  return is_inside ? 0 : 1;
}

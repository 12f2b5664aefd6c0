/* The time that irregular meshes need before their first substep, and the memory of worlds. */
#include "bench/machine.h"
#include "bench/networks.h"
#include "bench/overhead.h"
#include "scenes/loader/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 3 };

/* ------------------------------------------------------------------------------------------ files of meshes */

/* A square triangle mesh with random displacements and a shuffled vertex order. */
typedef struct sheet {
  int32_t side, count, triangle_count;
  double (*vertices)[3];
  /* The index of the vertex at each grid point. */
  int32_t *number;
  int32_t (*triangles)[3];
} sheet;

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

static double next_share(uint64_t *state) {
  return next_random(state) / 2147483648.0;
}

static void add_cell(sheet *s, int32_t corner, uint64_t *state) {
  const int32_t a = s->number[corner], b = s->number[corner + 1], c = s->number[corner + s->side],
                d = s->number[corner + s->side + 1];
  const bool other = next_random(state) & 1;
  const int32_t both[2][3] = {{a, b, other ? c : d}, {other ? b : a, d, c}};
  for (int t = 0; t < 2; t++, s->triangle_count++)
    for (int k = 0; k < 3; k++)
      s->triangles[s->triangle_count][k] = both[t][k];
}

static sheet make_sheet(int32_t particles) {
  const int32_t side = (int32_t)lround(sqrt(particles));
  const size_t count = (size_t)side * (size_t)side;
  sheet s = {.side = side,
             .count = side * side,
             .vertices = malloc(count * sizeof *s.vertices),
             .number = malloc(count * sizeof *s.number),
             .triangles = malloc(2 * count * sizeof *s.triangles)};
  uint64_t state = 1;
  around_check(s.vertices != NULL && s.number != NULL && s.triangles != NULL, "memory");
  for (int32_t i = 0; i < s.count; i++)
    s.number[i] = i;
  for (int32_t i = s.count - 1; i > 0; i--) {
    const int32_t other = (int32_t)(next_random(&state) % (uint32_t)(i + 1)), kept = s.number[i];
    s.number[i] = s.number[other];
    s.number[other] = kept;
  }
  for (int32_t i = 0; i < s.count; i++) {
    double *v = s.vertices[s.number[i]];
    v[0] = 0.002 * (i % side + 0.6 * next_share(&state));
    v[1] = 0.0002 * next_share(&state);
    v[2] = 0.002 * (i / side + 0.6 * next_share(&state));
  }
  for (int32_t j = 0; j + 1 < side; j++)
    for (int32_t i = 0; i + 1 < side; i++)
      add_cell(&s, j * side + i, &state);
  return s;
}

static void free_sheet(sheet *s) {
  free(s->vertices);
  free(s->number);
  free(s->triangles);
}

static void write_obj(const sheet *s, FILE *file) {
  for (int32_t i = 0; i < s->count; i++)
    fprintf(file, "v %.9g %.9g %.9g\n", s->vertices[i][0], s->vertices[i][1], s->vertices[i][2]);
  for (int32_t t = 0; t < s->triangle_count; t++)
    fprintf(file, "f %d %d %d\n", (int)s->triangles[t][0] + 1, (int)s->triangles[t][1] + 1,
            (int)s->triangles[t][2] + 1);
}

static void write_ply_head(const sheet *s, FILE *file, const char *format) {
  fprintf(file,
          "ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
          "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
          format, (int)s->count, (int)s->triangle_count);
}

static void write_ply_text(const sheet *s, FILE *file) {
  write_ply_head(s, file, "ascii");
  for (int32_t i = 0; i < s->count; i++)
    fprintf(file, "%.9g %.9g %.9g\n", s->vertices[i][0], s->vertices[i][1], s->vertices[i][2]);
  for (int32_t t = 0; t < s->triangle_count; t++)
    fprintf(file, "3 %d %d %d\n", (int)s->triangles[t][0], (int)s->triangles[t][1], (int)s->triangles[t][2]);
}

static void write_ply(const sheet *s, FILE *file) {
  const uint16_t one = 1;
  write_ply_head(s, file, *(const unsigned char *)&one == 1 ? "binary_little_endian" : "binary_big_endian");
  for (int32_t i = 0; i < s->count; i++) {
    const float xyz[3] = {(float)s->vertices[i][0], (float)s->vertices[i][1], (float)s->vertices[i][2]};
    fwrite(xyz, sizeof *xyz, 3, file);
  }
  for (int32_t t = 0; t < s->triangle_count; t++) {
    fputc(3, file);
    fwrite(s->triangles[t], sizeof(int32_t), 3, file);
  }
}

static void write_stl(const sheet *s, FILE *file) {
  const char head[80] = "binary", rest[2] = {0};
  const uint32_t count = (uint32_t)s->triangle_count;
  const float normal[3] = {0, 1, 0};
  fwrite(head, 1, sizeof head, file);
  fwrite(&count, sizeof count, 1, file);
  for (int32_t t = 0; t < s->triangle_count; t++) {
    fwrite(normal, sizeof *normal, 3, file);
    for (int k = 0; k < 3; k++) {
      const double *v = s->vertices[s->triangles[t][k]];
      const float xyz[3] = {(float)v[0], (float)v[1], (float)v[2]};
      fwrite(xyz, sizeof *xyz, 3, file);
    }
    fwrite(rest, 1, sizeof rest, file);
  }
}

static const struct {
  const char *name, *file;
  void (*write)(const sheet *s, FILE *file);
} kinds[] = {{"load from OBJ", "sheet.obj", write_obj},
             {"load from PLY, text", "text.ply", write_ply_text},
             {"load from PLY, binary", "sheet.ply", write_ply},
             {"load from STL, binary", "sheet.stl", write_stl}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* s: time to load a scene with this mesh. */
static double load_seconds(const around_command *c, const sheet *s, int kind) {
  char mesh[2 * AROUND_PATH_MAX], path[2 * AROUND_PATH_MAX];
  double least = INFINITY;
  snprintf(mesh, sizeof mesh, "%s/%s", c->folder, kinds[kind].file);
  snprintf(path, sizeof path, "%s/mesh.json", c->folder);
  FILE *file = fopen(mesh, "wb"), *scene_file = fopen(path, "w");
  around_check(file != NULL && scene_file != NULL, mesh);
  kinds[kind].write(s, file);
  fprintf(scene_file,
          "{\"msd\": 1, \"bodies\": [{\"type\": \"mesh\", \"file\": \"%s\", \"area_density\": 0.2, "
          "\"stretch\": {\"stiffness\": 100}, \"bend\": {\"stiffness\": 1}}]}\n",
          kinds[kind].file);
  around_check(fclose(file) == 0 && fclose(scene_file) == 0, mesh);
  for (int n = 0; n < TIMES; n++) {
    scene_error error;
    const double start = machine_clock();
    scene *loaded = scene_load(path, &error);
    around_check(loaded != NULL, path);
    least = fmin(least, machine_clock() - start);
    scene_free(loaded);
  }
  return least;
}

/* s: time to compile a network and take one substep. */
static double layout_seconds(networks_kind kind, int32_t particles) {
  double least = INFINITY;
  for (int n = 0; n < TIMES; n++) {
    const msd_world_def def = msd_default_world_def();
    msd_world *world = NULL;
    around_check(msd_create_world(&def, &world) == MSD_OK && networks_add(world, kind, particles) == MSD_OK,
                 "a network");
    const double start = machine_clock();
    around_check(msd_world_step(world, NETWORKS_TIME_STEP, 1) == MSD_OK, "the first step");
    least = fmin(least, machine_clock() - start);
    msd_destroy_world(world);
  }
  return least;
}

void around_meshes(const around_command *c) {
  static const struct {
    const char *name;
    networks_kind kind;
  } networks[] = {{"compile and first substep: triangles", NETWORKS_TRIANGLES},
                  {"compile and first substep: tetrahedra", NETWORKS_TETRAHEDRA}};
  around_print_head("irregular mesh, shuffled: ns a particle", c->sizes, c->count);
  for (int kind = 0; kind < KINDS; kind++) {
    printf("| %s |", kinds[kind].name);
    for (int n = 0; n < c->count; n++) {
      sheet s = make_sheet(c->sizes[n]);
      printf(" %.0f |", 1e9 * load_seconds(c, &s, kind) / s.count);
      free_sheet(&s);
    }
    puts("");
  }
  for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
    printf("| %s |", networks[n].name);
    for (int k = 0; k < c->count; k++)
      printf(" %.0f |", 1e9 * layout_seconds(networks[n].kind, c->sizes[k]) / c->sizes[k]);
    puts("");
  }
}

/* --------------------------------------------------------------------------------------------------- memory */

/* The properties in which all springs differ. */
typedef enum unlike { UNLIKE_NOTHING, UNLIKE_STIFFNESS, UNLIKE_BOTH } unlike;

/* Bytes a spring after the first step, beyond 160 bytes a particle (single precision). */
static double spring_bytes(networks_kind kind, int32_t size, unlike of) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  around_check(msd_create_world(&def, &world) == MSD_OK && networks_add(world, kind, size) == MSD_OK,
               "a network");
  for (int32_t e = 0; of != UNLIKE_NOTHING && e < msd_world_get_spring_count(world); e++) {
    const msd_real share = 1 - (msd_real)1e-7 * (msd_real)(e % 1000000);
    msd_spring_def own = msd_spring_get_def(world, e);
    own.stiffness *= share;
    own.damping *= of == UNLIKE_BOTH ? share : 1;
    around_check(msd_spring_set_law(world, e, &own) == MSD_OK, "another stiffness");
  }
  around_check(msd_world_step(world, NETWORKS_TIME_STEP, 1) == MSD_OK, "the first step");
  const msd_stats stats = msd_world_get_counts(world);
  msd_destroy_world(world);
  return ((double)stats.bytes - 40.0 * sizeof(msd_real) * stats.particles) / stats.springs;
}

void around_memory(const around_command *c) {
  static const struct {
    const char *name;
    networks_kind kind;
  } rows[] = {
      {"cloth", NETWORKS_CLOTH}, {"triangles", NETWORKS_TRIANGLES}, {"tetrahedra", NETWORKS_TETRAHEDRA}};
  static const char *const names[] = {"", ", stiffness differs", ", stiffness and damping differ"};
  around_print_head("bytes a spring, beyond 160 a particle", c->sizes, c->count);
  for (int row = 0; row < 9; row++) {
    const networks_kind kind = rows[row / 3].kind;
    printf("| %s%s |", rows[row / 3].name, names[row % 3]);
    for (int n = 0; n < c->count; n++) {
      const int32_t side = (int32_t)lround(sqrt(c->sizes[n]));
      const int32_t size = kind == NETWORKS_CLOTH ? side : c->sizes[n];
      printf(" %.1f |", spring_bytes(kind, size, (unlike)(row % 3)));
    }
    puts("");
  }
}

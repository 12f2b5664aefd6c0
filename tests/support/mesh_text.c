#define _POSIX_C_SOURCE 200809L
#include "tests/support/mesh_text.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <string.h>

mesh_data read_mesh_warned(const char *name, const char *text, scene_warnings *warnings) {
  write_text(name, text);
  mesh_data mesh;
  scene_error error;
  cr_assert(mesh_file_read(name, &mesh, warnings, &error), "%s", error.text);
  return mesh;
}

mesh_data read_mesh(const char *name, const char *text) {
  scene_warnings warnings = {0};
  mesh_data mesh = read_mesh_warned(name, text, &warnings);
  cr_expect_eq(warnings.count, 0, "%s", warnings.count > 0 ? warnings.lines[0] : "");
  scene_warnings_free(&warnings);
  return mesh;
}

bool has_vertex(const mesh_data *mesh, int32_t i, double x, double y, double z) {
  msd_vec3 v = mesh->vertices[i];
  return v.x == (msd_real)x && v.y == (msd_real)y && v.z == (msd_real)z;
}

void expect_triangle(const mesh_data *mesh, int32_t t, int32_t a, int32_t b, int32_t c) {
  const int32_t *triangle = mesh->triangles + 3 * t;
  cr_expect(triangle[0] == a && triangle[1] == b && triangle[2] == c, "triangle %d is %d %d %d", t,
            triangle[0], triangle[1], triangle[2]);
}

void expect_mesh_refused(const char *file, const char *place, const char *remedy) {
  scene_error error = {{0}};
  mesh_data mesh;
  cr_expect(!mesh_file_read(file, &mesh, NULL, &error), "%s: was read", file);
  cr_expect(strstr(error.text, place) != NULL, "should name %s: %s", place, error.text);
  cr_expect(strstr(error.text, remedy) != NULL, "should say %s: %s", remedy, error.text);
  cr_expect(strpbrk(error.text, "\n\r\t") == NULL);
  cr_expect(mesh.vertices == NULL && mesh.triangles == NULL);
}

/* A small generator of pseudo-random numbers, the same on every machine. */
static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

void expect_survival(const char *name, const char *bytes, size_t size, uint32_t seed) {
  for (int n = 0; n < 300; n++) {
    char damaged[2048];
    memcpy(damaged, bytes, size);
    size_t kept = n % 3 ? size : next_random(&seed) % size;
    for (uint32_t change = next_random(&seed) % 4; kept > 0 && change > 0; change--) {
      uint32_t where = next_random(&seed) % (uint32_t)kept, what = next_random(&seed);
      damaged[where] = n % 2 ? (char)(what & 0xff) : "0123456789-/. \nvfe\\"[what % 19];
    }
    write_file(name, damaged, kept);
    scene_error error = {{0}};
    mesh_data mesh;
    if (mesh_file_read(name, &mesh, NULL, &error)) {
      for (int32_t i = 0; i < 3 * mesh.triangle_count; i++)
        cr_assert(mesh.triangles[i] >= 0 && mesh.triangles[i] < mesh.vertex_count);
      mesh_data_free(&mesh);
    } else {
      cr_assert(error.text[0] != '\0' && strpbrk(error.text, "\n\r\t") == NULL, "%s", error.text);
    }
  }
}

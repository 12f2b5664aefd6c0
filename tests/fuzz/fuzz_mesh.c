/* Mesh files and figures: the first byte of an input chooses the format, a zero byte parts the two files of
   TetGen. What can be read becomes a body or is refused with a message. */
#include "scenes/meshes/mesh_file.h"
#include "scenes/meshes/tetgen_file.h"
#include "scenes/skeletons/bvh_file.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

enum { VERTICES_MAX = 2000 };

static void step_if_made(msd_world *world, msd_result made) {
  if (made == MSD_OK) {
    msd_world_step(world, (msd_real)0.01, 2);
    fuzz_expect_finite(world);
  } else {
    EXPECT(msd_world_message(world)[0] != '\0');
  }
  msd_destroy_world(world);
}

static void try_triangles(const mesh_data *mesh) {
  for (int closed = 0; closed < 2; closed++) {
    msd_mesh_def def = msd_default_mesh_def();
    def.vertices = mesh->vertices;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.bend = def.stretch;
    def.bend_kind = closed ? MSD_BEND_DIHEDRAL : MSD_BEND_DISTANCE;
    if (closed)
      def.pressure = def.stretch;
    msd_world *world = fuzz_world();
    step_if_made(world, msd_add_mesh(world, &def, NULL));
  }
}

static void try_tetrahedra(const tet_data *mesh) {
  msd_tetmesh_def def = msd_default_tetmesh_def();
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.tetrahedra = mesh->tetrahedra;
  def.tetrahedron_count = mesh->tetrahedron_count;
  msd_world *world = fuzz_world();
  step_if_made(world, msd_add_tetmesh(world, &def, NULL));
}

static void expect_one_line(const scene_error *error) {
  EXPECT(error->text[0] != '\0' && !strchr(error->text, '\n'));
}

/* What corners have is there. */
static void expect_attributes(const mesh_data *mesh) {
  const corner_attributes *a = &mesh->attributes;
  for (int32_t i = 0; i < CORNERS * mesh->triangle_count; i++) {
    EXPECT(!a->texture_of || (a->texture_of[i] >= -1 && a->texture_of[i] < a->texture_count));
    EXPECT(!a->normal_of || (a->normal_of[i] >= -1 && a->normal_of[i] < a->normal_count));
  }
}

/* The vertices of groups are there. */
static void expect_groups(const mesh_data *mesh) {
  const vertex_groups *groups = &mesh->groups;
  for (int32_t g = 0; g < groups->count; g++)
    for (int32_t c = groups->items[g].first; c < groups->items[g].end; c++)
      EXPECT(groups->vertices[c] >= -1 && groups->vertices[c] < mesh->vertex_count);
}

static void read_triangles(const char *name, const uint8_t *bytes, size_t size) {
  fuzz_write_file(name, bytes, size);
  mesh_data mesh;
  scene_warnings warnings = {0};
  scene_error error = {""};
  /* Welded over no distance or a small one; the whole, or its first piece. */
  const mesh_options options = {.weld = {size % 2 ? 0.01 : 0}, .has_piece = size % 3 == 0};
  const bool done = mesh_file_read_with(name, &options, &mesh, &warnings, &error);
  scene_warnings_free(&warnings);
  if (!done) {
    expect_one_line(&error);
    return;
  }
  expect_attributes(&mesh);
  expect_groups(&mesh);
  if (mesh.vertex_count <= VERTICES_MAX)
    try_triangles(&mesh);
  if (!mesh_data_check_closed(&mesh, "leave it open", &error))
    expect_one_line(&error);
  mesh_data_free(&mesh);
}

static void read_tetrahedra(const uint8_t *bytes, size_t size) {
  const uint8_t *zero = size > 0 ? memchr(bytes, 0, size) : NULL;
  const size_t nodes = zero ? (size_t)(zero - bytes) : size;
  fuzz_write_file("mesh.node", bytes, nodes);
  fuzz_write_file("mesh.ele", bytes + nodes + (zero != NULL), size - nodes - (zero != NULL));
  tet_data mesh;
  scene_error error = {""};
  if (!tetgen_file_read("mesh.node", NULL, &mesh, &error)) {
    expect_one_line(&error);
    return;
  }
  if (mesh.vertex_count <= VERTICES_MAX)
    try_tetrahedra(&mesh);
  tet_data_free(&mesh);
}

/* Joints stand behind their parents, and each has its numbers in a frame. */
static void read_skeleton(const uint8_t *bytes, size_t size) {
  fuzz_write_file("walk.bvh", bytes, size);
  bvh_data skeleton;
  scene_error error = {""};
  if (!bvh_file_read("walk.bvh", &skeleton, &error)) {
    expect_one_line(&error);
    return;
  }
  EXPECT(skeleton.joint_count >= 1 && skeleton.frame_count >= 1 && skeleton.frame_time > 0);
  for (int32_t j = 0; j < skeleton.joint_count; j++) {
    const bvh_joint *joint = &skeleton.joints[j];
    EXPECT(joint->parent < j && (joint->parent >= 0) == (j > 0));
    EXPECT(joint->first_channel + joint->channel_count <= skeleton.channel_count);
  }
  for (int64_t n = 0; n < (int64_t)skeleton.frame_count * skeleton.channel_count; n++)
    EXPECT(isfinite(skeleton.numbers[n]));
  bvh_data_free(&skeleton);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_enter_folder();
  if (size == 0)
    return 0;
  switch (bytes[0]) {
  case 'o':
    read_triangles("mesh.obj", bytes + 1, size - 1);
    break;
  case 'p':
    read_triangles("mesh.ply", bytes + 1, size - 1);
    break;
  case 'b':
    read_skeleton(bytes + 1, size - 1);
    break;
  case 'g':
    read_triangles("mesh.gltf", bytes + 1, size - 1);
    break;
  case 's':
    read_triangles("mesh.stl", bytes + 1, size - 1);
    break;
  default:
    read_tetrahedra(bytes + 1, size - 1);
  }
  return 0;
}

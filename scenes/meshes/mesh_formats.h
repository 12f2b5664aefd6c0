/* The readers behind mesh_file: the bytes of a file, with a zero after them, become polygons. */
#ifndef MSD_SCENES_MESHES_MESH_FORMATS_H
#define MSD_SCENES_MESHES_MESH_FORMATS_H

#include "scenes/input/file_bytes.h"
#include "scenes/meshes/polygon_mesh.h"

/* Wavefront OBJ: the v, vt, vn, f, g and o lines, and l where lines are wanted; everything else is skipped. The
   text may be cut into lines. */
bool obj_read(char *text, size_t size, polygon_mesh *mesh, scene_error *error);

/* The same for a mesh with a window, of the v and f lines, some lines of the file at a time. */
bool obj_read_window(const char *path, const file_kind *kind, polygon_mesh *mesh, scene_error *error);

/* PLY 1.0, ascii or binary of both byte orders: x, y, z, nx, ny, nz and s, t of "vertex", vertex_indices and
   texcoord of "face", vertex_indices of "tristrips". */
bool ply_read(char *text, size_t size, polygon_mesh *mesh, scene_error *error);

/* STL, text or binary: the corners of its triangles and the names of its solids. The text is cut into lines. */
bool stl_read(char *bytes, size_t size, polygon_mesh *mesh, scene_error *error);

/* glTF 2.0, as JSON or binary: what the nodes of its scene hold as triangles, strips and fans, with normals and
   the first texture coordinates, and the names of nodes, meshes and materials as groups. */
bool gltf_read(char *bytes, size_t size, polygon_mesh *mesh, scene_error *error);

#endif

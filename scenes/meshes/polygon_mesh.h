/* A mesh as its file gives it: vertices, polygons of any number of corners, and lines. */
#ifndef MSD_SCENES_MESHES_POLYGON_MESH_H
#define MSD_SCENES_MESHES_POLYGON_MESH_H

#include "scenes/input/scene_error.h"
#include "scenes/meshes/corner_values.h"
#include "scenes/meshes/transform.h"
#include "scenes/meshes/vertex_groups.h"
#include "scenes/meshes/welding.h"

#include <msd/msd.h>

typedef struct polygon {
  /* Where its corners begin and end. */
  int32_t first, end;

  /* Where it stands in the file: a line, or the number of a face. */
  int32_t number;

  /* Of a mesh with a window: the triangles that polygons before it are cut into, INT32_MAX at most. */
  int32_t before;
} polygon;

/* Which vertices of a mesh are kept that is not to be held as a whole, and what it has. */
typedef struct polygon_window {
  /* From the first to the one behind the last, with the polygons all of whose corners are among them. */
  int32_t first, end;
  /* Or, of `shares` of them, more than 0: those whose position falls to a share, and no polygons. */
  uint32_t share, shares;
  /* The most that two corners of a polygon are apart. */
  int32_t span;
  /* Vertices that are kept so far; corners of polygons count from the first of the mesh until it is read. */
  int32_t kept;
  /* The triangles that all polygons so far are cut into, where none repeats another or names a vertex twice;
     and whether a corner names texture coordinates or a normal. */
  int64_t triangles;
  bool has_attributes;
} polygon_window;

typedef struct polygon_mesh {
  /* The path of the file, and as errors name it. */
  const char *file, *path;

  /* Whether polygons are found by their lines, as in OBJ, or by the numbers of their faces. */
  bool has_lines;

  /* NULL: all is kept; else positions and polygons alone. */
  polygon_window *window;

  /* Where the mesh is put; NULL: where the file has it. */
  transform *where;

  /* Where vertices are put, and where the file has them. While a mesh with a window is read vertex_count
     is that of the file. */
  msd_vec3 *vertices;
  double (*file_vertices)[3];
  int32_t vertex_count, vertex_capacity, file_vertex_capacity;
  int32_t *corners;
  int32_t corner_count, corner_capacity;
  polygon *polygons;
  int32_t polygon_count, polygon_capacity;

  /* The two ends of each line, which are vertices, where lines are wanted; else how many there are. */
  bool wants_lines;
  int32_t unread_lines;
  int32_t *ends;
  int32_t end_count, end_capacity;

  /* Of the faces, as long as the file is read. */
  vertex_groups groups;

  /* Whether a group of faces is all that is left, so that vertices without a face are not to be merged. */
  bool is_part;

  /* Of the corners that have any. */
  corner_values texture, normals;

  /* Corners that name texture coordinates or normals that are not there, and the line of the first. */
  int32_t lost_count, lost_line;
} polygon_mesh;

void polygon_mesh_free(polygon_mesh *mesh);

enum { FACE_TEXT_MAX = 512 };

/* "FILE:LINE", or "FILE: face NUMBER"; returns `text`. */
const char *face_text(const char *path, bool has_lines, int32_t number, char text[FACE_TEXT_MAX]);

/* Whether coordinates are numbers that a vertex may have, in the file and where it is put. */
bool polygon_mesh_takes(const polygon_mesh *mesh, const double xyz[3]);

/* `where` is "FILE:LINE" or the like, for the error where they are not; else it may be NULL. */
bool polygon_mesh_add_vertex(polygon_mesh *mesh, const double xyz[3], const char *where, scene_error *error);

/* A polygon is added corner by corner, which are vertices that are already there, and then ended. */
bool polygon_mesh_add_corner(polygon_mesh *mesh, int32_t vertex, scene_error *error);
bool polygon_mesh_end_polygon(polygon_mesh *mesh, int32_t number, scene_error *error);

/* Adds a line between two vertices that are already there. */
bool polygon_mesh_add_line(polygon_mesh *mesh, int32_t a, int32_t b, scene_error *error);

/* Gives a corner texture coordinates and a normal that are already there; -1: none. */
bool polygon_mesh_set_attributes(polygon_mesh *mesh, int32_t corner, int32_t texture, int32_t normal,
                                 scene_error *error);

/* Leaves only the faces of a group; false when there is none of that name. */
bool polygon_mesh_keep_group(polygon_mesh *mesh, const char *name);

/* Makes one vertex of those that are merged (files repeat them for their texture or normals): the first of them
   stays, and those after it move up. vertex_of[i] becomes the new number of vertex i.
   Corners follow with what they have, and a corner that is then the same as the one before it goes; so do the
   ends of lines, and lines of no length. */
bool polygon_mesh_weld(polygon_mesh *mesh, const welding *how, int32_t *vertex_of, weld_result *result,
                       scene_error *error);

#endif

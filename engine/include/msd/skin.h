/* msd: skins: the triangles and lines by which a body is drawn, and touched (surface.h), with normals and
   tangents straight into a vertex buffer. Positions come by msd_world_read (bulk.h). */
#ifndef MSD_SKIN_H
#define MSD_SKIN_H

#include "msd/builder.h"
#include "msd/bulk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vertices that show particles, and triangles of them. A body without seams has a vertex for each particle,
   msd_particles_in_range(body.particles); where a texture has a seam, several vertices of a list show one. */
typedef struct msd_skin {
  msd_particles vertices;
  /* 3 vertices each, 0 to vertices.count - 1, anticlockwise seen from the side that the normals point to. They
     may be NULL where there are none. */
  const int32_t *triangles;
  int32_t triangle_count;
  /* u and v of each vertex, for tangents; NULL otherwise. */
  const float *texture;
  /* false: all vertices of a particle have one normal, so that no seam is seen; true: each has that of its own
     triangles, as at the edges of a box. */
  bool has_edges;
} msd_skin;

/* Fills `to` with the normals of the vertices, 3 numbers of length 1: of all triangles around one, each by its
   area. (0,0,0) where there is no triangle, or none with an area. The same bits on every machine.
   MSD_BAD_INDEX; MSD_BAD_VALUE of negative counts, of a layout within which 3 numbers have no room, of
   MSD_NUMBER_BYTE, and of no memory where there is something to read; MSD_OUT_OF_MEMORY, MSD_TOO_LARGE: nothing
   is filled. Leaves no message, as many threads may read a world at once. O(vertices + triangles), and memory
   for 24 bytes for each vertex and for each particle from the first to the last that is shown. */
MSD_API msd_result msd_world_read_normals(const msd_world *world, const msd_skin *skin, msd_layout layout,
                                          void *to);

/* The same of the tangents, 4 numbers: a direction of length 1 at right angles to the normal, along which u
   grows, of all triangles of the vertex, each by its area, and 1 or -1: v grows along that times the cross
   product of the normal and the tangent. (0,0,0,1) where no triangle tells. MSD_BAD_VALUE also of a `texture`
   that is NULL or not finite. As glTF 2.0 has them. */
MSD_API msd_result msd_world_read_tangents(const msd_world *world, const msd_skin *skin, msd_layout layout,
                                           void *to);

/* Writes the first `capacity` of the lines of a range of springs, which are not broken, the particles at the
   ends of each, and returns how many there are: `structural` of a msd_body is the segments of a rope, the
   wires of a net. Catches and springs between pins are there too. 0 of a range that the world does not have. */
MSD_API int32_t msd_world_get_lines(const msd_world *world, msd_range springs, int32_t *lines,
                                    int32_t capacity);

/* The triangles of what a builder makes of a definition, numbered from `first` (0 for a skin, the first
   particle of the body for a surface): the first `capacity` of them go to `triangles`, 3 numbers each, and how
   many there are to *count. Of a cloth two for each cell, seen anticlockwise from where u points right and v
   down; of a block and of tetrahedra the outside, anticlockwise seen from there; of a mesh those that it was
   given. Only what this takes is looked at of a definition. MSD_BAD_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE, and of
   tetrahedra MSD_OUT_OF_MEMORY: nothing is written. */
MSD_API msd_result msd_cloth_get_triangles(const msd_cloth_def *def, int32_t first, int32_t *triangles,
                                           int32_t capacity, int32_t *count);
MSD_API msd_result msd_mesh_get_triangles(const msd_mesh_def *def, int32_t first, int32_t *triangles,
                                          int32_t capacity, int32_t *count);
MSD_API msd_result msd_block_get_triangles(const msd_block_def *def, int32_t first, int32_t *triangles,
                                           int32_t capacity, int32_t *count);
MSD_API msd_result msd_tetmesh_get_triangles(const msd_tetmesh_def *def, int32_t first, int32_t *triangles,
                                             int32_t capacity, int32_t *count);

#ifdef __cplusplus
}
#endif

#endif

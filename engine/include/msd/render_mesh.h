/* msd: render meshes, the triangles and lines for drawing a body, with normals and tangents written directly
   into a vertex buffer. msd_world_read (bulk.h) copies positions. The same triangles serve as collision
   meshes (collision_mesh.h). */
#ifndef MSD_RENDER_MESH_H
#define MSD_RENDER_MESH_H

#include "msd/builder.h"
#include "msd/bulk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A render mesh: vertices that show particles, and triangles of vertices. Without texture seams every
   particle has one vertex, msd_particle_set_of_range(body.particles). At a seam, several vertices of a list
   show one particle. */
typedef struct msd_render_mesh {
  /* The particle of each vertex. */
  msd_particle_set vertices;
  /* 3 vertices each, 0 to vertices.count - 1, counterclockwise seen from the side that the normals point to.
     May be NULL if triangle_count is 0. */
  const int32_t *triangles;
  int32_t triangle_count;
  /* u and v of each vertex, needed for tangents; NULL otherwise. */
  const float *texture;
  /* Default false: all vertices of a particle have the same normal (smooth shading, invisible seams). If
     true, each vertex uses its own triangles only, for hard edges as on a box. */
  bool has_edges;
} msd_render_mesh;

/* Computes unit normals of the vertices, 3 numbers each, as area-weighted averages over the adjacent
   triangles. (0,0,0) for a vertex without triangles, or with triangles without area. The result is bitwise
   identical on all machines. Returns, without writing anything:
   - MSD_BAD_INDEX if a particle or vertex does not exist.
   - MSD_BAD_VALUE for negative counts, a layout with a stride too small for the numbers, MSD_SCALAR_BYTE, or
     NULL memory with a count above 0.
   - MSD_OUT_OF_MEMORY or MSD_TOO_LARGE.

   Sets no message, because many threads may read a world at the same time. O(vertices + triangles). Temporary
   memory is 24 bytes for each vertex, and for each particle from the first to the last that is shown. */
MSD_API msd_result msd_world_read_normals(const msd_world *world, const msd_render_mesh *skin,
                                          msd_memory_layout layout, void *to);

/* Computes tangents as in glTF 2.0, 4 numbers each. The first three are a unit vector perpendicular to the
   normal, in the direction of growing u, averaged over the adjacent triangles by area. The fourth is 1 or -1:
   v grows along it times the cross product of normal and tangent. (0,0,0,1) where no triangle determines a
   direction. Results are those of msd_world_read_normals, and MSD_BAD_VALUE also if `texture` is NULL or not
   finite. */
MSD_API msd_result msd_world_read_tangents(const msd_world *world, const msd_render_mesh *skin,
                                           msd_memory_layout layout, void *to);

/* Writes the particles at both ends of the first `capacity` unbroken springs of a range, and returns the
   total number of lines. `stretch` of an msd_body gives the segments of a rope or the wires of a net. Hard
   length limits and springs between pins are included. Returns 0 for a range that does not exist. */
MSD_API int32_t msd_world_get_lines(const msd_world *world, msd_range springs, int32_t *lines,
                                    int32_t capacity);

/* Write the triangles of the body that a builder makes from a definition. Indices start at `first`: 0 for a
   render mesh, the first particle of the body for a collision mesh. The first `capacity` triangles go to
   `triangles`, 3 indices each, and the total number to *count.
   - Cloth: two triangles per cell, counterclockwise seen from where u points right and v down.
   - Mesh: its own triangles.
   - Block and tetrahedral mesh: the boundary, counterclockwise seen from outside.

   Only the fields that this needs are checked. Returns MSD_UNINITIALIZED_DEF or MSD_BAD_VALUE, MSD_TOO_LARGE,
   and for tetrahedral meshes MSD_OUT_OF_MEMORY, without writing anything. */
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

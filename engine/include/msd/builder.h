/* msd: builders of whole bodies: ropes, cloths, triangle meshes, blocks, tetrahedral meshes, and their
   tethers. */
#ifndef MSD_BUILDER_H
#define MSD_BUILDER_H

#include "msd/material.h"
#include "msd/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Index ranges of everything that a builder added. Ranges of kinds that the body does not have are empty. */
typedef struct msd_body {
  /* All particles of the body. */
  msd_range particles;
  /* All springs of the body; the ranges of stretch, shear and bend springs are inside this range. */
  msd_range springs;
  /* Stretch springs: between neighbors of a rope, along edges of a mesh. */
  msd_range stretch;
  /* Shear springs. */
  msd_range shear;
  /* Bend springs. */
  msd_range bend;
  /* All constraints of the body. */
  msd_range constraints;
  /* Constraints that resist bending, and constraints on volumes. */
  msd_range bend_constraints, volume;
  /* Fibers: directional membrane elements that a material is built from. */
  msd_range fibers;
  /* Effective material of the body; all 0 without a material. It differs from the requested one where
     stretch_under_weight reduced it, or where springs cannot represent it (docs/theory/fibers.md). */
  msd_material material;
} msd_body;

/* Bending model: springs that skip a particle, or springs on angles. */
typedef enum msd_bend_kind {
  /* Default. Springs between every second particle of a row; in a mesh, between the opposite corners of two
     triangles that share an edge. */
  MSD_BEND_DISTANCE,
  /* Rope and cloth: an angle constraint at the middle of every three particles in a line. */
  MSD_BEND_ANGLE,
  /* Cloth and mesh: a dihedral constraint (hinge) across every edge that two triangles share. Each cell of a
     cloth is split into two triangles, with alternating diagonals. */
  MSD_BEND_DIHEDRAL,
  MSD_BEND_KIND_COUNT
} msd_bend_kind;

/* Common to all builders.

   Springs. A spring definition in the structs below is a template: its law and numbers are used, its ends and
   rest length are ignored, because springs are at rest as built. `law = MSD_SPRING_NONE` omits that kind of
   spring. By default stretch springs use MSD_SPRING_COEFFICIENT with MSD_MAX_STABLE, and all other kinds are
   omitted.

   Material. With a material (material.h; default NULL: none), the material determines masses, springs and
   constraints. Then mass, density, area_density, bend_kind and the templates are ignored, except `pressure`
   of a mesh and `volume` of a block.

   Results. Builders return MSD_UNINITIALIZED_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE or MSD_OUT_OF_MEMORY and then
   add nothing. `body` may be NULL; it receives what was added, and is empty after a failure. Pin particles
   afterwards with msd_particle_pin. */

/* A rope: `particles` points, evenly spaced on the line from `from` to `to` and connected in a row. Bend
   springs connect every second particle. */
typedef struct msd_rope_def {
  /* m; default (0,0,0) to (1,0,0). The end points, which must differ. */
  msd_vec3 from, to;
  /* >= 2; default 2. Number of particles. */
  int32_t particles;
  /* kg of the whole rope, distributed evenly; default 1. */
  msd_real mass;
  /* Between neighbors. */
  msd_spring_def stretch;
  /* Between every second particle, or on angles. */
  msd_spring_def bend;
  /* Default MSD_BEND_DISTANCE. Distance or angle. */
  msd_bend_kind bend_kind;
  /* Default NULL: none. A material gives springs of stiffness EA/h and angle constraints of EI/h, with h the
     distance of neighbors. The two end particles have half the mass of the others. */
  const msd_material *material;
  /* Internal mark of an initialized definition. Set by msd_default_rope_def. */
  uint32_t cookie;
} msd_rope_def;

MSD_API msd_rope_def msd_default_rope_def(void);
MSD_API msd_result msd_add_rope(msd_world *world, const msd_rope_def *def, msd_body *body);

/* A cloth: a grid of rows x columns particles over the parallelogram origin, origin + u, origin + v. The
   particle in row r and column c has index first + r*columns + c and position origin + u c/(columns-1) + v
   r/(rows-1). Stretch springs go right and down, shear springs along both diagonals of a cell, and bend
   springs two particles right and two down. */
typedef struct msd_cloth_def {
  /* m; default (0,0,0), (1,0,0), (0,-1,0). u must not be 0 with 2 or more columns, nor v with 2 or more
     rows. */
  msd_vec3 origin, u, v;
  /* >= 1 each, >= 2 particles in all; default 2 and 2. */
  int32_t columns, rows;
  /* kg of the whole cloth, distributed evenly; default 1. */
  msd_real mass;
  /* Templates of stretch, shear and bend springs. */
  msd_spring_def stretch, shear, bend;
  msd_bend_kind bend_kind;
  /* Default NULL: none. A material gives stretch and shear springs, or fibers in the two triangles of each
     cell, and hinges. It needs 2 or more columns and rows. Each particle has the mass of a quarter of the
     cells around it. The warp direction is along u. */
  const msd_material *material;
  /* Internal mark of an initialized definition. Set by msd_default_cloth_def. */
  uint32_t cookie;
} msd_cloth_def;

MSD_API msd_cloth_def msd_default_cloth_def(void);
MSD_API msd_result msd_add_cloth(msd_world *world, const msd_cloth_def *def, msd_body *body);

/* A triangle mesh: one particle per vertex and one stretch spring per edge. Each triangle adds a third of
   area_density times its area to the mass of each corner. Bend springs connect the two opposite corners
   across every edge that two triangles share; if more triangles share an edge, across every two of them.

   Returns MSD_BAD_VALUE, with a message that names the index, for:
   - a vertex that no triangle uses, or only triangles without area;
   - a triangle that occurs twice, or uses a vertex twice;
   - with pressure: an edge that is not in exactly two triangles, once in each direction. The orientation seen
     from outside is detected automatically. */
typedef struct msd_mesh_def {
  /* m. Vertex positions. */
  const msd_vec3 *vertices;
  /* >= 3. */
  int32_t vertex_count;
  /* 3 vertex indices each, 0 to vertex_count - 1. */
  const int32_t *triangles;
  /* >= 1. */
  int32_t triangle_count;
  /* kg/m^2, > 0; default 1. */
  msd_real area_density;
  msd_spring_def stretch, bend;
  /* Default MSD_BEND_DISTANCE. Distance or dihedral. */
  msd_bend_kind bend_kind;
  /* Default none. Spring on the enclosed volume of a closed mesh. */
  msd_spring_def pressure;
  /* Finite and > 0; default 1. Rest volume divided by the volume as built. */
  msd_real rest_volume_scale;
  /* Default NULL: none. A material gives fibers in the triangles or springs along the edges, and hinges.
     Springs have no direction: they approximate an isotropic sheet whose stretch modulus is `stretch` of the
     material, and ignore the weft and shear moduli. */
  const msd_material *material;
  /* Default (0,1,0). Warp direction, projected onto the plane of each triangle. In triangles perpendicular to
     it, x or z is used instead. */
  msd_vec3 warp;
  /* Internal mark of an initialized definition. Set by msd_default_mesh_def. */
  uint32_t cookie;
} msd_mesh_def;

MSD_API msd_mesh_def msd_default_mesh_def(void);
MSD_API msd_result msd_add_mesh(msd_world *world, const msd_mesh_def *def, msd_body *body);

/* The subdomain of a mesh that one rank receives, if no rank has the whole mesh (ranks.h). */
typedef struct msd_mesh_subdomain {
  /* Number of vertices of the whole mesh (>= 3 for triangles, >= 4 for tetrahedra), and the index in the
     whole mesh of the first vertex that this rank receives. */
  int32_t vertex_count, first;
  /* Largest difference of two vertex indices in one triangle or tetrahedron of the whole mesh. */
  int32_t span;
} msd_mesh_subdomain;

/* Adds a mesh to a distributed world (ranks.h), of which each rank has a subdomain. All ranks call it with
   the same settings.

   `def` has the vertices of the subdomain of this rank, and up to `span` more on both sides. Its triangles
   are those whose corners are all among these vertices, in the order of the whole mesh; indices count from
   the first given vertex. A rank that owns no vertex of the mesh may receive none.

   A world that was created only to measure bodies stores nothing: msd_world_get_subdomain then reports
   particles and reach, but no springs. The mesh can have springs only: no dihedral bending, pressure or
   material. If one rank fails, the call fails on all ranks.

   Returns MSD_BAD_VALUE also if the data are not a subdomain of a mesh, or the world is not distributed. */
MSD_API msd_result msd_add_mesh_subdomain(msd_world *world, const msd_mesh_def *def,
                                          const msd_mesh_subdomain *part, msd_body *body);

/* A block: a box of cells[0] x cells[1] x cells[2] cells, with cells + 1 particles along each axis. Particle
   (i, j, k) has index first + (k*(cells[1]+1) + j)*(cells[0]+1) + i. Stretch springs go along the three axes,
   shear springs along both diagonals of every face of a cell. */
typedef struct msd_block_def {
  /* m; default (0,0,0) and (1,1,1). Lowest corner, and side lengths (> 0). */
  msd_vec3 origin, size;
  /* >= 1 each; default 1, 1, 1. Number of cells along each axis. */
  int32_t cells[3];
  /* kg of the whole block, distributed evenly; default 1. */
  msd_real mass;
  /* Templates of stretch and shear springs. */
  msd_spring_def stretch, shear;
  /* Default none. Volume constraints on the five tetrahedra that each cell is split into. */
  msd_spring_def volume;
  /* Default NULL: none. A material gives stretch and shear springs; Poisson's ratio is 1/4. Each particle has
     the mass of an eighth of the cells around it. */
  const msd_material *material;
  /* Internal mark of an initialized definition. Set by msd_default_block_def. */
  uint32_t cookie;
} msd_block_def;

MSD_API msd_block_def msd_default_block_def(void);
MSD_API msd_result msd_add_block(msd_world *world, const msd_block_def *def, msd_body *body);

/* A tetrahedral mesh: one particle per vertex, one stretch spring per edge and one volume constraint per
   tetrahedron. Each tetrahedron adds a quarter of density times its volume to the mass of each corner. Either
   orientation of a tetrahedron is accepted.

   Returns MSD_BAD_VALUE, with a message that names the index, for:
   - a vertex that no tetrahedron uses;
   - a flat tetrahedron, whose volume is below a millionth of the cube of its longest edge;
   - a tetrahedron that uses a vertex twice. */
typedef struct msd_tetmesh_def {
  /* m. Vertex positions. */
  const msd_vec3 *vertices;
  /* >= 4. */
  int32_t vertex_count;
  /* 4 vertex indices each, 0 to vertex_count - 1. */
  const int32_t *tetrahedra;
  /* >= 1. */
  int32_t tetrahedron_count;
  /* kg/m^3, > 0; default 1000. */
  msd_real density;
  /* Templates of stretch springs and volume constraints; default MSD_SPRING_COEFFICIENT with MSD_MAX_STABLE for
     both. */
  msd_spring_def stretch, volume;
  /* Default NULL: none. A material gives six fibers in each tetrahedron instead of springs and volume
     constraints; Poisson's ratio is 1/4. */
  const msd_material *material;
  /* Internal mark of an initialized definition. Set by msd_default_tetmesh_def. */
  uint32_t cookie;
} msd_tetmesh_def;

MSD_API msd_tetmesh_def msd_default_tetmesh_def(void);
MSD_API msd_result msd_add_tetmesh(msd_world *world, const msd_tetmesh_def *def, msd_body *body);

/* Adds a tetrahedral mesh to a distributed world, as msd_add_mesh_subdomain does with triangles. The mesh can
   have springs only, so `volume` must be none. */
MSD_API msd_result msd_add_tetmesh_subdomain(msd_world *world, const msd_tetmesh_def *def,
                                             const msd_mesh_subdomain *part, msd_body *body);

/* Tethers (long-range attachments): tension-only springs or hard length limits from every unpinned particle
   of a range to the nearest pinned particles of that range. They keep a cloth from stretching further than
   its springs would allow at the same substep. Rest lengths are (1 + slack) times the distances when added. Add
   tethers after pinning, while the body is flat. */
typedef struct msd_tethers_def {
  /* Default none. At least one particle of the range must be pinned. */
  msd_range particles;
  /* 1 to 8; default 2. Number of nearest pins that each particle is attached to. */
  int32_t pins_each;
  /* Strain, >= 0 and finite; default 0. Rest length divided by the distance when added, minus 1. */
  msd_real slack;
  /* Template; default a coefficient spring with ck = 0.007 and cd = MSD_MAX_STABLE, which rebounds with little
     of the impact speed. */
  msd_spring_def spring;
  /* Internal mark of an initialized definition. Set by msd_default_tethers_def. */
  uint32_t cookie;
} msd_tethers_def;

MSD_API msd_tethers_def msd_default_tethers_def(void);

/* Adds tethers and stores their range in *springs, which may be NULL. Returns:
   - MSD_UNINITIALIZED_DEF if a definition was not initialized.
   - MSD_BAD_INDEX if the range has particles that do not exist.
   - MSD_BAD_VALUE if a value is out of its range, or no particle of the range is pinned.
   - MSD_TOO_LARGE or MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_tethers(msd_world *world, const msd_tethers_def *def, msd_range *springs);

#ifdef __cplusplus
}
#endif

#endif

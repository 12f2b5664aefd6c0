/* msd: builders of whole bodies: ropes, cloths, meshes, blocks, tetrahedral meshes, and their tethers. */
#ifndef MSD_BUILDER_H
#define MSD_BUILDER_H

#include "msd/material.h"
#include "msd/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a builder made. Kinds of springs that it has none of are empty. */
typedef struct msd_body {
  msd_range particles;
  /* All of them. */
  msd_range springs;
  /* Of a rope those between neighbours, of a mesh those on edges. */
  msd_range structural;
  msd_range shear;
  msd_range bend;
  /* All of them. */
  msd_range constraints;
  /* Of the constraints those that resist bending, and those on volumes. */
  msd_range bend_constraints, volume;
  /* Of the constraints those that are fibres of a material. */
  msd_range fibres;
  /* The material as the body has it, all 0 without one: as asked for, but for what was made softer by
     soft_stretch, or cannot be had of its springs (docs/materials.md). */
  msd_material material;
} msd_body;

/* How a body resists bending: by springs that skip a particle, or by springs on angles. */
typedef enum msd_bend_kind {
  /* The default: springs between every second particle of a row; of a mesh, between the far corners of two
     triangles. */
  MSD_BEND_DISTANCE,
  /* Rope, cloth: at the middle of every three particles in a line. */
  MSD_BEND_ANGLE,
  /* Cloth, mesh: across every edge that two triangles share; a cloth's cells are cut into two triangles
     each, by diagonals that alternate. */
  MSD_BEND_DIHEDRAL,
  MSD_BEND_KIND_COUNT
} msd_bend_kind;

/* In the definitions below a spring definition is a pattern: its law and numbers are used, its ends and
   rest length are not (springs rest as they are placed). `law = MSD_SPRING_NONE` makes none of that kind.
   By default structural springs are MSD_SPRING_COEFFICIENT at MSD_STIFFEST and the other kinds are none.
   With a material (material.h; NULL, the default: none) it is the material that says what masses, springs and
   constraints there are: mass, density and area_density, the patterns and bend_kind are then not looked at, but
   for the `pressure` of a mesh and the `volume` of a block.
   All builders fail with MSD_BAD_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE or MSD_OUT_OF_MEMORY and then add
   nothing. `body` gets what was made, and is emptied on failure; it may be NULL. Pins are set afterwards with
   msd_particle_pin. */

/* `particles` points evenly spaced on the line from..to, joined in a row; bend springs join every second. */
typedef struct msd_rope_def {
  /* m, two different points; default (0,0,0) to (1,0,0). */
  msd_vec3 from, to;
  /* >= 2; default 2. */
  int32_t particles;
  /* kg of the whole rope, shared evenly; default 1. */
  msd_real mass;
  /* Between neighbours. */
  msd_spring_def stretch;
  /* Between every second particle, or on angles. */
  msd_spring_def bend;
  /* Distance or angle. */
  msd_bend_kind bend_kind;
  /* Springs of EA/h and angles of EI/h, with h the distance of neighbours; the ends have half the mass. */
  const msd_material *material;
  uint32_t cookie;
} msd_rope_def;

MSD_API msd_rope_def msd_default_rope_def(void);
MSD_API msd_result msd_add_rope(msd_world *world, const msd_rope_def *def, msd_body *body);

/* A grid of rows x columns particles over the parallelogram origin, origin + u, origin + v: row r, column c
   has index first + r*columns + c and stands at origin + u c/(columns-1) + v r/(rows-1). Structural springs
   go right and down, shear springs along both diagonals, bend springs two right and two down. */
typedef struct msd_cloth_def {
  /* m; u and v not 0 where there are 2 or more columns or rows; default (0,0,0), (1,0,0), (0,-1,0). */
  msd_vec3 origin, u, v;
  /* >= 1 each, >= 2 in all; default 2 and 2. */
  int32_t columns, rows;
  /* kg of the whole cloth, shared evenly; default 1. */
  msd_real mass;
  msd_spring_def structural, shear, bend;
  msd_bend_kind bend_kind;
  /* Structural and shear springs, or fibres in two triangles of each cell, and folds. There are 2 or more
     columns and rows; a particle has the mass of a quarter of the cells around it. The warp runs along u. */
  const msd_material *material;
  uint32_t cookie;
} msd_cloth_def;

MSD_API msd_cloth_def msd_default_cloth_def(void);
MSD_API msd_result msd_add_cloth(msd_world *world, const msd_cloth_def *def, msd_body *body);

/* A particle per vertex and a structural spring per edge; bend springs join the two far corners across
   every edge that two triangles share (where more share it, of every two of them). Each triangle gives a
   third of area_density times its area to each corner. A vertex of no triangle or of flat ones alone, a
   triangle that comes twice, and one with a vertex twice are errors that name the index (MSD_BAD_VALUE).
   With pressure every edge is in two triangles, once in each direction; whether they go clockwise or
   anticlockwise seen from outside is found out. */
typedef struct msd_mesh_def {
  /* m. */
  const msd_vec3 *vertices;
  /* >= 3. */
  int32_t vertex_count;
  /* 3 indices each, 0..vertex_count-1. */
  const int32_t *triangles;
  /* >= 1. */
  int32_t triangle_count;
  /* kg/m^2, > 0; default 1. */
  msd_real area_density;
  msd_spring_def structural, bend;
  /* Distance or dihedral. */
  msd_bend_kind bend_kind;
  /* On the volume inside, of a closed mesh; default none. */
  msd_spring_def pressure;
  /* Rest volume over the placed one, finite and > 0; default 1. */
  msd_real inflation;
  /* Fibres in the triangles, or springs on the edges, and folds. Springs take no direction: `stretch` of the
     material is what they come close to, and weft and shear are those of a sheet alike in all directions. */
  const msd_material *material;
  /* The direction of the warp, as far as the plane of a triangle lets it, in triangles across it x or z.
     Default (0,1,0). */
  msd_vec3 grain;
  uint32_t cookie;
} msd_mesh_def;

MSD_API msd_mesh_def msd_default_mesh_def(void);
MSD_API msd_result msd_add_mesh(msd_world *world, const msd_mesh_def *def, msd_body *body);

/* What a rank is given of a mesh that no rank has all of (msd/ranks.h). */
typedef struct msd_mesh_part {
  /* Of the whole, 3 or more, or 4; and the number in it of the first of the vertices that are given. */
  int32_t vertex_count, first;
  /* The most that two corners of a triangle, or tetrahedron, of the whole are apart in the order of the
     vertices. */
  int32_t span;
} msd_mesh_part;

/* The same in a world in parts: `def` has the vertices of this rank's part and `span` around them on both
   sides, as far as there are any, and the triangles all of whose corners are among these, counted from the
   first of them, in the order of the whole. A rank of which the whole has no vertex may be given none. All
   ranks call it alike; where the world keeps nothing, since it is to tell what bodies bring, it tells
   particles and reach, and no springs. The mesh has springs alone: no folds by angles, no pressure, no
   material. Behind it no rank goes on where one has failed. MSD_BAD_VALUE besides: what is given is no part
   of a mesh, or the world no part. */
MSD_API msd_result msd_add_mesh_part(msd_world *world, const msd_mesh_def *def, const msd_mesh_part *part,
                                     msd_body *body);

/* A box of cells[0] x cells[1] x cells[2] cells, (cells+1) particles along each side; particle (i, j, k) has
   index first + (k*(cells[1]+1) + j)*(cells[0]+1) + i. Structural springs go along the three axes, shear
   springs along both diagonals of every face of a cell. */
typedef struct msd_block_def {
  /* m: lowest corner and side lengths (> 0); default (0,0,0) and (1,1,1). */
  msd_vec3 origin, size;
  /* >= 1 each; default 1, 1, 1. */
  int32_t cells[3];
  /* kg of the whole block, shared evenly; default 1. */
  msd_real mass;
  msd_spring_def structural, shear;
  /* On the volumes of five tetrahedra that each cell is cut into; default none. */
  msd_spring_def volume;
  /* Structural and shear springs; Poisson's ratio is 1/4. A particle has the mass of an eighth of the cells
     around it. */
  const msd_material *material;
  uint32_t cookie;
} msd_block_def;

MSD_API msd_block_def msd_default_block_def(void);
MSD_API msd_result msd_add_block(msd_world *world, const msd_block_def *def, msd_body *body);

/* A particle per vertex, a structural spring per edge of a tetrahedron, and a volume constraint per
   tetrahedron. Each tetrahedron gives a quarter of density times its volume to each corner. Vertices of no
   tetrahedron, flat tetrahedra (a volume below a millionth of the cube of the longest edge) and corners
   that come twice are errors that name the index (MSD_BAD_VALUE); tetrahedra may go either way round. */
typedef struct msd_tetmesh_def {
  /* m. */
  const msd_vec3 *vertices;
  /* >= 4. */
  int32_t vertex_count;
  /* 4 indices each, 0..vertex_count-1. */
  const int32_t *tetrahedra;
  /* >= 1. */
  int32_t tetrahedron_count;
  /* kg/m^3, > 0; default 1000. */
  msd_real density;
  /* Both by default coefficient springs at MSD_STIFFEST. */
  msd_spring_def structural, volume;
  /* Six fibres in each tetrahedron, in place of springs and volumes; Poisson's ratio is 1/4. */
  const msd_material *material;
  uint32_t cookie;
} msd_tetmesh_def;

MSD_API msd_tetmesh_def msd_default_tetmesh_def(void);
MSD_API msd_result msd_add_tetmesh(msd_world *world, const msd_tetmesh_def *def, msd_body *body);

/* The same in a world in parts, as msd_add_mesh_part does it with triangles. The mesh has springs alone, so
   that `volume` must be none. */
MSD_API msd_result msd_add_tetmesh_part(msd_world *world, const msd_tetmesh_def *def,
                                        const msd_mesh_part *part, msd_body *body);

/* Tethers: springs of side MSD_SPRING_TETHER, catches too, from every unpinned particle of a range to the
   nearest of its pins, which keep a cloth from stretching further than its springs would at the same step.
   Their rest length is `slack` times the distance as placed: put them on while the body is flat, after
   pinning. */
typedef struct msd_tethers_def {
  /* At least one is pinned; default none. */
  msd_range particles;
  /* How many of the nearest pins, 1 to 8; default 2. */
  int32_t pins_each;
  /* >= 1 and finite; default 1. */
  msd_real slack;
  /* The pattern; default a coefficient spring of ck = 0.007 and cd = MSD_STIFFEST, which gives back little of
     the speed with which the body runs into it. */
  msd_spring_def spring;
  uint32_t cookie;
} msd_tethers_def;

MSD_API msd_tethers_def msd_default_tethers_def(void);

/* *springs gets what was added (may be NULL). MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE (no pin in the
   range), MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_tethers(msd_world *world, const msd_tethers_def *def, msd_range *springs);

#ifdef __cplusplus
}
#endif

#endif

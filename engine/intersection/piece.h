/* Triangles and segments between particles, and whether two of them meet anywhere except where they are
   joined. */
#ifndef MSD_ENGINE_INTERSECTION_PIECE_H
#define MSD_ENGINE_INTERSECTION_PIECE_H

#include "engine/intersection/hull.h"

#include <stdint.h>

/* A triangle or a segment: three or two different particles and their positions. */
typedef struct mesh_piece {
  int32_t particle[HULL_CORNERS_MAX];
  const point *corner[HULL_CORNERS_MAX];
  int count;
} mesh_piece;

/* True if a face of one and a face of the other (itself, an edge or a corner) share a point but no particle.
   Exact. */
bool pieces_meet(const mesh_piece *one, const mesh_piece *other);

#endif

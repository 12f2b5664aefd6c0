/* Triangles and segments between particles, and whether two of them meet elsewhere than where they are
   joined. */
#ifndef MSD_ENGINE_INTERSECTION_PIECE_H
#define MSD_ENGINE_INTERSECTION_PIECE_H

#include "engine/intersection/hull.h"

#include <stdint.h>

/* A triangle of three corners or a segment of two: its particles, which differ, and where they are. */
typedef struct mesh_piece {
  int32_t particle[HULL_CORNERS_MAX];
  const point *corner[HULL_CORNERS_MAX];
  int count;
} mesh_piece;

/* Whether a face of the one and a face of the other, that is itself, an edge or a corner, share a point and no
   particle: exactly. */
bool pieces_meet(const mesh_piece *one, const mesh_piece *other);

#endif

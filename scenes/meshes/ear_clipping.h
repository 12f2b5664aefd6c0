/* Polygons become triangles by ear clipping: G. H. Meisters, "Polygons have ears", Am. Math. Monthly 82 (1975).

   A triangle of two neighboring edges with a convex corner is an ear where no other corner of the polygon lies
   in it. Cutting it off leaves a polygon of one corner less. No triangle turns against the polygon, so together
   they cover each point as often as the polygon goes round it: a polygon that does not cross itself is covered
   once, and its area is kept. */
#ifndef MSD_SCENES_MESHES_EAR_CLIPPING_H
#define MSD_SCENES_MESHES_EAR_CLIPPING_H

#include <stdbool.h>
#include <stdint.h>

/* The time grows with the square of the corners. */
enum { EAR_CORNERS_MAX = 20000 };

/* Twice the area of a triangle over the sum of the squares of its edges, below which its corners count as
   being in a line: above the rounding of files of seven digits, far below what can be seen. */
static const double EAR_FLATTEST = 1e-6;

typedef struct ear_polygon {
  /* From 3 to EAR_CORNERS_MAX. */
  int32_t count;

  /* Where each corner lies in the plane of the polygon, which is counterclockwise there. */
  double (*at)[2];

  /* Of each corner its vertex; corners may share one, as those of a cut that leads to a hole do. */
  const int32_t *vertices;

  /* Whether there is a triangle of three vertices already, which is cut off only where nothing else can be. */
  bool (*is_taken)(void *context, const int32_t vertices[3]);
  void *context;
} ear_polygon;

/* Fills count - 2 triangles of three corners each, the least of which is the first. Of several ears the
   one of the best shape is cut off first: of the most area for its edges. Ears beside a corner in the
   middle of a straight side come before these, so that its vertex is in a triangle that has an area. Where
   a polygon that crosses itself has no ear, a triangle that overlaps others is cut off. False when out of
   memory. */
bool ear_clipping_cut(const ear_polygon *polygon, int32_t (*triangles)[3]);

#endif

/* Which frames of a run have bodies that intersect, themselves or each other: counted exactly, where the run is
   asked to check. */
#ifndef MSD_APP_REPORT_INTERSECTION_TALLY_H
#define MSD_APP_REPORT_INTERSECTION_TALLY_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

typedef struct intersection_tally {
  /* NULL: nobody checks. */
  const scene *scene;
  /* The triangles of all surfaces and the segments of all ropes, as msd_intersection_def has them, but for
     those with a torn edge. */
  int32_t *triangles, *segments;
  int32_t triangle_count, segment_count;
  /* Frames looked at, and those of them with intersections. */
  int64_t frames, crossed_frames;
  /* The sum over the frames, and those of frame 0. */
  int64_t intersections, at_start;
  /* The first of all, and its frame; -1: there was none. */
  int64_t first_frame;
  /* A particle of each of the two, and whether they are triangles. */
  int32_t first_particle[2];
  bool first_is_triangle[2];
} intersection_tally;

/* Ready for a run of that scene. False, with *p filled, without memory. */
bool intersection_tally_begin(intersection_tally *t, const scene *s, problem *p);

/* Counts those of the frame of that number, as the world now is. False, with *p filled, where that fails. */
bool intersection_tally_look(intersection_tally *t, int64_t frame, problem *p);

enum { INTERSECTION_TEXT_MAX = 512 };

/* "none in 61 frames", or "7 in 3 of 61 frames, 2 at the start; first in frame 12, of ... and ...". */
void intersection_tally_describe(const intersection_tally *t, char text[INTERSECTION_TEXT_MAX]);

/* Where the first is, if there is any: `triangle at cloth "c" row 3 column 17`; `which` of the two, 0 or 1. */
void intersection_tally_describe_first(const intersection_tally *t, int which, char *text, size_t size);

void intersection_tally_free(intersection_tally *t);

#endif

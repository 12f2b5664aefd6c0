#include "app/report/intersection_tally.h"

#include "scenes/loader/edges.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 3, ENDS = 2 };

/* How many of each a scene has. */
static void count_pieces(intersection_tally *t, const scene *s) {
  for (int i = 0; i < s->body_count; i++) {
    t->triangle_count += s->bodies[i].triangle_count;
    t->segment_count += s->bodies[i].segment_count;
  }
}

/* Those without a torn edge, which nothing touches. */
static void add_body(intersection_tally *t, const scene *s, const scene_body *body, const edge_set *torn) {
  const int32_t *triangles = scene_triangles(s, body), *segments = scene_segments(s, body);
  for (int32_t i = 0; i < body->triangle_count; i++) {
    const int32_t *corners = &triangles[CORNERS * i];
    if (!edge_set_cuts(torn, corners))
      memcpy(&t->triangles[CORNERS * t->triangle_count++], corners, CORNERS * sizeof *corners);
  }
  for (int32_t i = 0; i < body->segment_count; i++) {
    const int32_t *ends = &segments[ENDS * i];
    if (!edge_set_has(torn, ends[0], ends[1]))
      memcpy(&t->segments[ENDS * t->segment_count++], ends, ENDS * sizeof *ends);
  }
}

static bool list_pieces(intersection_tally *t) {
  edge_set torn = edge_set_of_springs(t->scene->world, msd_spring_is_torn);
  t->triangle_count = t->segment_count = 0;
  for (int i = 0; i < t->scene->body_count && torn.edges != NULL; i++)
    add_body(t, t->scene, &t->scene->bodies[i], &torn);
  free(torn.edges);
  return torn.edges != NULL;
}

bool intersection_tally_begin(intersection_tally *t, const scene *s, problem *p) {
  *t = (intersection_tally){.scene = s, .first_frame = -1};
  count_pieces(t, s);
  t->triangles = calloc((size_t)t->triangle_count + 1, CORNERS * sizeof *t->triangles);
  t->segments = calloc((size_t)t->segment_count + 1, ENDS * sizeof *t->segments);
  if (t->triangles == NULL || t->segments == NULL) {
    intersection_tally_free(t);
    return problem_set(p, "%s: out of memory to check for intersections", s->name);
  }
  return true;
}

static void keep_first(intersection_tally *t, int64_t frame, const msd_intersection *first) {
  const int32_t pieces[2] = {first->a, first->b};
  t->first_frame = frame;
  for (int which = 0; which < 2; which++) {
    t->first_is_triangle[which] = pieces[which] < t->triangle_count;
    t->first_particle[which] = t->first_is_triangle[which]
                                   ? t->triangles[CORNERS * (size_t)pieces[which]]
                                   : t->segments[ENDS * (size_t)(pieces[which] - t->triangle_count)];
  }
}

bool intersection_tally_look(intersection_tally *t, int64_t frame, problem *p) {
  if (t->scene == NULL)
    return true;
  if (!list_pieces(t))
    return problem_set(p, "%s: out of memory to check for intersections", t->scene->name);
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = t->triangles;
  def.triangle_count = t->triangle_count;
  def.segments = t->segments;
  def.segment_count = t->segment_count;
  msd_intersection first;
  int64_t found = 0;
  const msd_result result = msd_world_find_intersections(t->scene->world, &def, &first, 1, &found);
  if (result != MSD_OK)
    return problem_set(p, "%s: frame %" PRId64 ": cannot check for intersections: %s", t->scene->name, frame,
                       msd_result_string(result));
  if (found > 0 && t->intersections == 0)
    keep_first(t, frame, &first);
  t->frames++;
  t->crossed_frames += found > 0;
  t->intersections += found;
  t->at_start += frame == 0 ? found : 0;
  return true;
}

void intersection_tally_describe_first(const intersection_tally *t, int which, char *text, size_t size) {
  char place[160];
  scene_describe_particle(t->scene, t->first_particle[which], place, sizeof place);
  snprintf(text, size, "%s at %s", t->first_is_triangle[which] ? "triangle" : "segment", place);
}

void intersection_tally_describe(const intersection_tally *t, char text[INTERSECTION_TEXT_MAX]) {
  if (t->intersections == 0) {
    snprintf(text, INTERSECTION_TEXT_MAX, "none in %" PRId64 " frame%s", t->frames,
             t->frames == 1 ? "" : "s");
    return;
  }
  char start[48] = "", one[192], other[192];
  if (t->at_start > 0)
    snprintf(start, sizeof start, ", %" PRId64 " at the start", t->at_start);
  intersection_tally_describe_first(t, 0, one, sizeof one);
  intersection_tally_describe_first(t, 1, other, sizeof other);
  snprintf(text, INTERSECTION_TEXT_MAX,
           "%" PRId64 " in %" PRId64 " of %" PRId64 " frames%s; first in frame %" PRId64 ", of %s and %s",
           t->intersections, t->crossed_frames, t->frames, start, t->first_frame, one, other);
}

void intersection_tally_free(intersection_tally *t) {
  free(t->triangles);
  free(t->segments);
  *t = (intersection_tally){.first_frame = -1};
}

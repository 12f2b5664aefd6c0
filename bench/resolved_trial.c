#include "bench/resolved_trial.h"

#include "bench/resolution.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS = 3, ENDS = 2 };

static bool list_pieces(resolved_trial *t) {
  const scene *s = t->of;
  told_pieces *all = &t->trial.pieces;
  for (int b = 0; b < s->body_count; b++) {
    all->triangle_count += s->bodies[b].triangle_count;
    all->segment_count += s->bodies[b].segment_count;
  }
  t->triangles = malloc(((size_t)all->triangle_count + 1) * CORNERS * sizeof *t->triangles);
  t->segments = malloc(((size_t)all->segment_count + 1) * ENDS * sizeof *t->segments);
  if (!t->triangles || !t->segments)
    return false;
  int32_t *triangle = t->triangles, *segment = t->segments;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    const size_t corners = CORNERS * (size_t)body->triangle_count, ends = ENDS * (size_t)body->segment_count;
    if (corners > 0)
      memcpy(triangle, scene_triangles(s, body), corners * sizeof *triangle);
    if (ends > 0)
      memcpy(segment, scene_segments(s, body), ends * sizeof *segment);
    triangle += corners;
    segment += ends;
  }
  all->triangles = t->triangles;
  all->segments = t->segments;
  return true;
}

static msd_result step(void *of) {
  const scene *s = of;
  return scene_step(s, s->frame_time, s->substeps);
}

static bool is_driven(const scene *s) {
  const scene_animation *t = &s->animation;
  return t->motion_count + t->collider_motion_count + t->skeleton_count + t->force_count + t->seam_count >
             0 ||
         msd_world_get_wind(s->world).density > 0;
}

bool resolved_trial_open(const char *name_or_path, int32_t side, resolved_trial *out, scene_error *error) {
  *out = (resolved_trial){.of = resolution_load(name_or_path, side, error)};
  if (!out->of)
    return false;
  out->trial.name = out->of->name;
  out->trial.side = side;
  out->trial.world = out->of->world;
  out->trial.step = step;
  out->trial.of = out->of;
  out->trial.is_driven = is_driven(out->of);
  return list_pieces(out) || scene_fail_out_of_memory(error);
}

void resolved_trial_close(resolved_trial *t) {
  scene_free(t->of);
  free(t->triangles);
  free(t->segments);
}

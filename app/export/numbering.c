#include "app/export/numbering.h"

#include <stdlib.h>

/* Of the vertices that follow a particle, that with the largest weight on it. */
static bool number_particles(const scene_body *body, int32_t *numbers) {
  const msd_range particles = body->particles;
  double *best = calloc((size_t)particles.count + 1, sizeof *best);
  if (best == NULL)
    return false;
  for (int32_t i = 0; i < particles.count; i++)
    numbers[particles.first + i] = numbers[body->skin.first];
  for (int32_t p = 0; p < body->skin.count; p++)
    for (int c = 0; c < 3; c++) {
      const embedded_point *at = &body->skin.points[p];
      const int32_t i = at->corners[c] - particles.first;
      if (!(at->weights[c] > best[i]))
        continue;
      best[i] = at->weights[c];
      numbers[at->corners[c]] = numbers[body->skin.first + p];
    }
  free(best);
  return true;
}

bool export_numbering_make(const scene *s, export_numbering *out) {
  const int32_t shown = shown_point_count(s);
  *out = (export_numbering){.count = shown};
  if (shown == msd_world_get_particle_count(s->world))
    return true;
  out->count = 0;
  out->points = calloc((size_t)shown, sizeof *out->points);
  out->numbers = calloc((size_t)shown, sizeof *out->numbers);
  bool done = out->points != NULL && out->numbers != NULL;
  for (int b = 0; done && b < s->body_count; b++) {
    const msd_range range = shown_range(&s->bodies[b]);
    for (int32_t p = range.first; p < range.first + range.count; p++) {
      out->numbers[p] = out->count;
      out->points[out->count++] = p;
    }
    if (s->bodies[b].skin.points != NULL)
      done = number_particles(&s->bodies[b], out->numbers);
  }
  if (!done)
    export_numbering_free(out);
  return done;
}

void export_numbering_free(export_numbering *numbering) {
  free(numbering->points);
  free(numbering->numbers);
  *numbering = (export_numbering){0};
}

msd_view export_view(const export_numbering *numbering, msd_view shown) {
  if (numbering->points != NULL)
    shown.slot = numbering->points;
  shown.count = numbering->count;
  return shown;
}

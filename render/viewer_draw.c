#include "viewer_state.h"

#include "legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fill_status(const viewer *v, hud *h) {
  const topology *t = painter_shapes(v->painter);
  snprintf(h->status[0], DETAIL_MAX, "%d particles   %d springs   %.2f s", (int)t->particles,
           (int)t->line_count, v->time);
  snprintf(h->status[1], DETAIL_MAX, "step %.3g ms   draw %.3g ms", 1e3 * v->step_seconds,
           1e3 * v->draw_seconds);
  if (v->is_paused)
    snprintf(h->status[2], DETAIL_MAX, "paused");
  else if (!v->is_lockstep && v->pace.rate < 0.93 * v->pace.speed)
    snprintf(h->status[2], DETAIL_MAX, "x %.2g of real time: this machine is slower than the scene",
             v->pace.rate);
  else if (v->pace.speed != 1)
    snprintf(h->status[2], DETAIL_MAX, "x %.3g of real time", v->pace.speed);
}

/* Marks a particle, or a spring at its middle. */
static void add_mark(viewer *v, int32_t a, int32_t b, bool is_held) {
  pick_view view = viewer_pick_view(v);
  float ends[2][2], depth;
  if (a >= 0 && pick_project(&view, a, ends[0], &depth) && pick_project(&view, b, ends[1], &depth))
    hud_mark(v->overlay, v->height, (float[]){(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2},
             is_held);
}

void viewer_draw(viewer *v, GLuint framebuffer) {
  v->value_high = fmax(v->value_high, painter_value_high(v->painter));
  double color_max = v->color_max > 0 ? v->color_max : legend_round_up(v->color, v->value_high);
  painter_view view = {.camera = v->camera,
                       .width = v->width,
                       .height = v->height,
                       .color = v->color,
                       .color_max = color_max,
                       .springs = v->springs,
                       .particles = v->particles,
                       .ground = v->ground};
  painter_draw(v->painter, &view, framebuffer);
  legend_add(v->overlay, v->width, v->height, v->color, color_max, painter_shapes(v->painter)->kinds);
  hud h = {.title = v->scene->title[0] != '\0' ? v->scene->title : v->scene->name,
           .message = v->message_seconds > 0 ? v->message : "",
           .shows_keys = v->shows_keys};
  fill_status(v, &h);
  memcpy(h.details, v->details, sizeof h.details);
  hud_add(v->overlay, v->width, v->height, &h);
  add_mark(v, v->selected_particle, v->selected_particle, false);
  if (v->selected_spring >= 0) {
    topology_line line = painter_shapes(v->painter)->lines[v->selected_spring];
    add_mark(v, line.a, line.b, false);
  }
  add_mark(v, v->hand.particle, v->hand.particle, true);
  if (v->gesture == GESTURE_CUT)
    hud_stroke(v->overlay, v->height, (const float(*)[2])v->stroke, v->stroke_count);
  overlay_draw(v->overlay);
}

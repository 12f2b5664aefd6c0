#include "render/view/viewer_state.h"

#include "render/paint/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Appends "   3 rotors" to the text, or nothing when there are none. */
static void add_count(char *text, int32_t count, const char *name) {
  size_t used = strlen(text);
  if (count > 0)
    snprintf(text + used, DETAIL_MAX - used, "%s%d %s%s", used > 0 ? "   " : "", (int)count, name,
             count > 1 ? "s" : "");
}

static void add_counts(char *text, const viewer *v) {
  int32_t constraints = 0, soft_pins = 0, rotors = 0, angular = 0;
  for (int i = 0; i < v->scene->body_count; i++) {
    const scene_body *b = &v->scene->bodies[i];
    constraints += b->constraints.count;
    soft_pins += b->soft_pins.count;
    rotors += b->rotors.rotors.count;
    angular += b->rotors.springs.count;
  }
  const topology *t = painter_shapes(v->painter);
  add_count(text, t->particles, "particle");
  add_count(text, t->line_count, "spring");
  add_count(text, constraints, "constraint");
  add_count(text, soft_pins, "soft_pin");
  add_count(text, rotors, "rotor");
  add_count(text, angular, "angular spring");
  add_count(text, painter_contacts(v->painter), "contact");
}

static void fill_status(const viewer *v, hud *h) {
  add_counts(h->status[0], v);
  size_t used = strlen(h->status[0]);
  snprintf(h->status[0] + used, DETAIL_MAX - used, "%s%.2f s", used > 0 ? "   " : "", v->time);
  snprintf(h->status[1], DETAIL_MAX, "step %.3g ms   draw %.3g ms", 1e3 * v->step_seconds,
           1e3 * v->draw_seconds);
  pace_cause cause = v->is_lockstep ? PACE_KEEPS_UP : pace_find_cause(&v->pace, v->own_seconds);
  if (v->is_paused)
    snprintf(h->status[2], DETAIL_MAX, "paused");
  else if (cause != PACE_KEEPS_UP)
    snprintf(h->status[2], DETAIL_MAX, "x %.2g of real time: %s", v->pace.rate,
             cause == PACE_STEPS_ARE_SLOW ? "steps take longer than the time they simulate"
                                          : "drawing is slow");
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
                       .contacts = v->contacts,
                       .ground = v->ground,
                       .coarse = v->is_coarse,
                       .pixel_side = v->is_coarse ? v->level.side : 1,
                       .background = v->background};
  painter_draw(v->painter, &view, framebuffer);
  if (painter_has_values(v->painter, v->color))
    legend_add(v->overlay, v->width, v->height, v->color, color_max, painter_shapes(v->painter)->kinds,
               LEGEND_ON_PAPER);
  hud h = {.title = v->scene->title[0] != '\0' ? v->scene->title : v->scene->name,
           .message = v->message_seconds > 0 ? v->message : "",
           .shows_keys = v->shows_keys};
  if (v->hides_status)
    h.title = "";
  else
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

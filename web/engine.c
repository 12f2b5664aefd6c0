/* The engine for JavaScript: a scene by its address, and flat functions for npm/index.mjs. JSON results are
   valid until the next call. */
#include "render/view/hand.h"
#include "web/report.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct engine {
  scene *scene;
  hand hand;
} engine;

static char message[1024];

const char *engine_message(void) {
  return message;
}

/* Loads a scene; NULL, with a message, on failure. */
engine *engine_open(const char *path) {
  scene_error problem;
  engine *e = calloc(1, sizeof *e);
  scene *s = e != NULL ? scene_load(path, &problem) : NULL;
  if (s == NULL) {
    snprintf(message, sizeof message, "%s", e != NULL ? problem.text : "out of memory");
    free(e);
    return NULL;
  }
  *e = (engine){.scene = s, .hand = hand_empty()};
  return e;
}

void engine_close(engine *e) {
  hand_forget(&e->hand);
  scene_free(e->scene);
  free(e);
}

/* Keeps the message of a failed call; false if it failed. */
static int keep_message(const engine *e, msd_result result) {
  const char *words = msd_world_message(e->scene->world);
  if (result != MSD_OK)
    snprintf(message, sizeof message, "%s", words[0] != '\0' ? words : msd_result_string(result));
  return result == MSD_OK;
}

/* Advances one frame; with 0 it has the frame time of the scene. */
int engine_step(engine *e, double frame_time) {
  const double seconds = frame_time > 0 ? frame_time : e->scene->frame_time;
  hand_step(&e->hand, e->scene->world, seconds);
  return keep_message(e, scene_step(e->scene, seconds, e->scene->substeps));
}

int engine_count(const engine *e) {
  return msd_world_get_particle_count(e->scene->world);
}

int engine_springs(const engine *e) {
  return msd_world_get_spring_count(e->scene->world);
}

double engine_frame_time(const engine *e) {
  return e->scene->frame_time;
}

int engine_substeps(const engine *e) {
  return e->scene->substeps;
}

void engine_set_substeps(engine *e, int substeps) {
  e->scene->substeps = substeps;
}

static const msd_real *axis_of(msd_view view, int axis) {
  return axis == 0 ? view.x : axis == 1 ? view.y : view.z;
}

const msd_real *engine_positions(const engine *e, int axis) {
  return axis_of(msd_world_get_positions(e->scene->world), axis);
}

const msd_real *engine_velocities(const engine *e, int axis) {
  return axis_of(msd_world_get_velocities(e->scene->world), axis);
}

const int32_t *engine_slots(const engine *e) {
  return msd_world_get_positions(e->scene->world).slot;
}

const char *engine_hash(const engine *e) {
  char *text = malloc(17);
  if (text != NULL)
    snprintf(text, 17, "%016" PRIx64, msd_world_hash(e->scene->world));
  return web_keep(text);
}

const char *engine_report(const engine *e) {
  return web_keep(web_report(e->scene));
}

/* The bodies with their particles, springs and triangles. */
const char *engine_bodies(const engine *e) {
  json_t *list = json_array();
  for (int b = 0; b < e->scene->body_count; b++) {
    const scene_body *body = &e->scene->bodies[b];
    const int32_t *corners = scene_triangles(e->scene, body);
    json_t *triangles = json_array();
    for (int32_t i = 0; i < 3 * body->triangle_count; i++)
      json_array_append_new(triangles, json_integer(corners[i]));
    json_array_append_new(list,
                          json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:o}", "name", body->name, "type", body->kind,
                                    "firstParticle", (int)body->particles.first, "particles",
                                    (int)body->particles.count, "firstSpring", (int)body->springs.first,
                                    "springs", (int)body->springs.count, "triangles", triangles));
  }
  char *text = json_dumps(list, 0);
  json_decref(list);
  return web_keep(text);
}

int engine_pin(engine *e, int particle) {
  return keep_message(e, msd_particle_pin(e->scene->world, particle));
}

int engine_unpin(engine *e, int particle) {
  return keep_message(e, msd_particle_unpin(e->scene->world, particle));
}

/* Sets the kinematic target of a pinned particle for the next frame. */
int engine_move(engine *e, int particle, double x, double y, double z) {
  return keep_message(
      e, msd_particle_move_to(e->scene->world, particle, (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z}));
}

int engine_cut(engine *e, int spring) {
  return keep_message(e, msd_spring_break(e->scene->world, spring));
}

int engine_is_broken(const engine *e, int spring) {
  return msd_spring_is_broken(e->scene->world, spring);
}

/* Pulls a particle to a position by a damped spring, like the pointer of the viewer, until it is released. */
int engine_drag(engine *e, int particle, double x, double y, double z) {
  if (particle < 0 || particle >= engine_count(e))
    return keep_message(e, MSD_BAD_INDEX);
  if (e->hand.particle != particle)
    hand_grab(&e->hand, e->scene->world, particle);
  e->hand.goal[0] = x;
  e->hand.goal[1] = y;
  e->hand.goal[2] = z;
  return 1;
}

void engine_release(engine *e) {
  hand_release(&e->hand, e->scene->world);
}

/* Gives a spring the stiffness law, in N/m and N s/m. */
int engine_set_spring(engine *e, int spring, double stiffness, double damping) {
  msd_spring_def def = msd_spring_get_def(e->scene->world, spring);
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return keep_message(e, msd_spring_set_law(e->scene->world, spring, &def));
}

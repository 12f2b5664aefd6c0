#include "scenes/loader/collider_mesh.h"

#include "scenes/loader/collision.h"
#include "scenes/loader/rotation.h"

#include <stdlib.h>
#include <string.h>

/* kg: pinned for ever, its particles add nothing to any sum. */
#define NO_MASS ((msd_real)1e-30)

/* Where a motion moves a vertex from. */
static void scale_vertex(const mesh_data *mesh, int32_t vertex, const double scale[3], double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = mesh->file_vertices[vertex][c] * scale[c];
}

static bool add_particles(const body_task *t, const mesh_data *mesh, const double scale[3],
                          const scene_motion *motion) {
  msd_particle_def *defs = malloc(((size_t)mesh->vertex_count + 1) * sizeof *defs);
  if (!defs)
    return place_out_of_memory(t->place);
  const motion_place placed = motion_place_at(motion, 0);
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    defs[i] = msd_default_particle_def();
    double from[3];
    scale_vertex(mesh, i, scale, from);
    defs[i].position = motion_place_of(&placed, from);
    defs[i].mass = NO_MASS;
    defs[i].pinned = true;
  }
  t->body->particles.count = mesh->vertex_count;
  const msd_result result = msd_add_particles(t->world, defs, mesh->vertex_count, &t->body->particles.first);
  free(defs);
  return body_check_added(t, result);
}

static bool add_mesh(const body_task *t, const mesh_data *mesh, const double scale[3],
                     const scene_motion *motion) {
  return add_particles(t, mesh, scale, motion) && body_keep_vertex_numbers(t, mesh) &&
         ((surface_of_mesh(t->body, mesh->triangles, mesh->triangle_count) &&
           surface_of_lines(t->body, mesh->segments, mesh->segment_count)) ||
          place_out_of_memory(t->place));
}

static bool keep_motion(const body_task *t, scene *s, const mesh_data *mesh, const double scale[3],
                        scene_track *track) {
  const size_t count = (size_t)mesh->vertex_count;
  scene_motion *motion = animation_add_motion(&s->animation);
  if (!motion)
    return place_out_of_memory(t->place);
  motion->particles = malloc((count + 1) * sizeof *motion->particles);
  motion->placed = malloc((count + 1) * sizeof *motion->placed);
  if (!motion->particles || !motion->placed)
    return place_out_of_memory(t->place);
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    motion->particles[i] = t->body->particles.first + i;
    scale_vertex(mesh, i, scale, motion->placed[i]);
  }
  motion->count = mesh->vertex_count;
  motion->track = *track;
  *track = (scene_track){0};
  return true;
}

static scene_body *add_body(const json_place *collider, scene *s, msd_real friction) {
  scene_body *bodies = realloc(s->bodies, ((size_t)s->body_count + 1) * sizeof *bodies);
  if (!bodies) {
    place_out_of_memory(collider);
    return NULL;
  }
  s->bodies = bodies;
  bodies[s->body_count] =
      (scene_body){.kind = "collider",
                   .is_collider = true,
                   .surface = {.thickness = MSD_CONTACT_THICKNESS, .friction = friction, .number = -1}};
  return &bodies[s->body_count++];
}

bool collider_mesh_add(const json_place *collider, const char *folder, scene *s, const mesh_options *given,
                       const double scale[3], msd_real friction, const scene_key *place, scene_track *track) {
  transform where = {.scale = {scale[0], scale[1], scale[2]}};
  mesh_options options = *given;
  scene_key key = *place;
  const scene_motion placed = {.track = {&key, 1}};
  scene_body *body = add_body(collider, s, friction);
  if (!body)
    return false;
  const body_task task = {collider, folder, s->frame_time, s->world, body};
  mesh_data mesh = {0};
  rotation_of_degrees(key.rotation, where.rotation);
  memcpy(where.position, key.offset, sizeof where.position);
  options.where = &where;
  const bool done = mesh_input_read(&task, &options, &mesh) && add_mesh(&task, &mesh, scale, &placed) &&
                    (track->count == 0 || keep_motion(&task, s, &mesh, scale, track));
  mesh_data_free(&mesh);
  return done;
}

/* Public functions of collision meshes: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

msd_collision_mesh_def msd_default_collision_mesh_def(void) {
  return (msd_collision_mesh_def){.thickness = MSD_CONTACT_THICKNESS,
                                  .friction = MSD_CONTACT_FRICTION,
                                  .self_collision = true,
                                  .cookie = MSD_SURFACE_COOKIE};
}

/* Checks that all primitives of `size` corners consist of distinct, existing particles. */
static msd_result check_corners(msd_world *world, subject about, const char *what, const int32_t *corners,
                                int32_t count, int size) {
  if (count < 0 || (count > 0 && !corners))
    return fail_field(world, MSD_BAD_VALUE, about, "has %d %ss%s", (int)count, what,
                      count > 0 ? ", and no list of them" : "; it must be 0 or more");
  for (int32_t n = 0; n < count; n++) {
    const int32_t *c = corners + (size_t)n * (size_t)size;
    for (int k = 0; k < size; k++) {
      if (!world_has(world, MSD_OBJECT_PARTICLE, c[k]))
        return world_refuse_particle(world, about, what, n, c[k]);
      for (int other = 0; other < k; other++)
        if (c[other] == c[k])
          return fail_field(world, MSD_BAD_VALUE, about, "%s %d has particle %d twice", what, (int)n,
                            (int)c[k]);
    }
  }
  return MSD_OK;
}

static msd_result check_def(msd_world *world, const msd_collision_mesh_def *def, subject about) {
  report *r = &world->model.report;
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_SURFACE_COOKIE);
  if (result == MSD_OK)
    result = check_corners(world, about, "triangle", def->triangles, def->triangle_count, 3);
  if (result == MSD_OK)
    result = check_corners(world, about, "segment", def->segments, def->segment_count, 2);
  if (result != MSD_OK)
    return result;
  if (def->triangle_count + (int64_t)def->segment_count == 0)
    return report_refuse(r, MSD_BAD_VALUE, about, "has neither triangles nor segments; give one or both");
  if (def->thickness != MSD_CONTACT_THICKNESS && !(def->thickness >= 0 && isfinite(def->thickness)))
    return report_refuse(r, MSD_BAD_VALUE, about,
                         "thickness is %g; it must be finite and 0 or more, or MSD_CONTACT_THICKNESS",
                         (double)def->thickness);
  if (def->friction != MSD_CONTACT_FRICTION && !(def->friction >= 0 && isfinite(def->friction)))
    return report_refuse(r, MSD_BAD_VALUE, about,
                         "friction is %g; it must be finite and 0 or more, or MSD_CONTACT_FRICTION",
                         (double)def->friction);
  return MSD_OK;
}

msd_result msd_add_collision_meshes(msd_world *world, const msd_collision_mesh_def *defs, int count,
                                    int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  int64_t triangles = 0, segments = 0;
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int i = 0; i < count && result == MSD_OK; i++) {
    result = check_def(world, &defs[i], (subject){"collision mesh definition", i, NULL});
    triangles += defs[i].triangle_count;
    segments += defs[i].segment_count;
  }
  if (result != MSD_OK)
    return result;
  surface_store *s = &world->model.surfaces;
  if (!surface_store_reserve(s, &world->model.memory, count, triangles, segments,
                             world->model.particles.count))
    return world_fail(world, MSD_OUT_OF_MEMORY,
                      "no memory for %lld triangles and %lld segments of collision meshes",
                      (long long)triangles, (long long)segments);
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++)
    surface_store_append(s, &world->model.particles, &defs[i]);
  for (int i = 0; i < count; i++)
    model_wake_surface(&world->model, s->count - 1 - i);
  world->model.revision.surfaces++;
  return MSD_OK;
}

static msd_penetration penetration_of(const penetrating_pair *p) {
  msd_penetration t = {.mesh_a = p->surface[0],
                       .mesh_b = p->surface[1],
                       .is_point_and_triangle = p->kind == PAIR_POINT_TRIANGLE,
                       .is_forced = p->is_forced};
  memcpy(t.particles, p->particle, sizeof t.particles);
  return t;
}

int32_t msd_world_get_penetrations(const msd_world *world, msd_penetration *out, int32_t capacity) {
  if (!world)
    return 0;
  const penetrations *all = &world->stepper.penetrations;
  for (int32_t n = 0; n < all->count && n < capacity && out; n++)
    out[n] = penetration_of(&all->pairs[n]);
  return all->count;
}

bool msd_world_get_first_forced_intersection(const msd_world *world, msd_penetration *out) {
  if (!world || !out || world->stepper.penetrations.forced_count == 0)
    return false;
  *out = penetration_of(&world->stepper.penetrations.first_forced);
  return true;
}

/* The contact point is the midpoint between both primitives: half the weighted sum of the corners of each. */
static msd_mesh_contact contact_of(const msd_world *world, const near_contact *c) {
  const double dt = world->model.substep;
  const world_model *model = &world->model;
  const penetrations *all = &world->stepper.penetrations;
  msd_mesh_contact made = {.is_point_and_triangle = c->kind == PAIR_POINT_TRIANGLE, .normal = c->normal};
  const double factor = 1 / (model->substep * model->substep);
  double point[3] = {0, 0, 0};
  for (int corner = 0; corner < PAIR_CORNERS; corner++) {
    made.particles[corner] = all->particle[c->slots[corner]];
    const msd_vec3 x = particle_vector(&model->particles, POSITION_X, made.particles[corner]);
    const double half = fabs((double)c->weight[corner]) / 2;
    point[0] += half * (double)x.x;
    point[1] += half * (double)x.y;
    point[2] += half * (double)x.z;
  }
  made.mesh_a = all->surface[made.particles[0]];
  made.mesh_b = all->surface[made.particles[PAIR_CORNERS - 1]];
  made.point = (msd_vec3){(msd_real)point[0], (msd_real)point[1], (msd_real)point[2]};
  made.force = (msd_vec3){(msd_real)((double)c->force.x * factor), (msd_real)((double)c->force.y * factor),
                          (msd_real)((double)c->force.z * factor)};
  made.impulse = (msd_vec3){(msd_real)((double)c->force.x / dt), (msd_real)((double)c->force.y / dt),
                            (msd_real)((double)c->force.z / dt)};
  made.is_touching = true;
  return made;
}

static msd_mesh_contact recorded_contact(const msd_world *world, const contact_record *c) {
  const double3 i = c->impulse, f = double3_scale(i, 1 / world->stepper.record.time);
  msd_mesh_contact made = {.is_point_and_triangle = c->key[0] == PAIR_POINT_TRIANGLE,
                           .point = c->point,
                           .normal = c->normal,
                           .force = {(msd_real)f.x, (msd_real)f.y, (msd_real)f.z},
                           .impulse = {(msd_real)i.x, (msd_real)i.y, (msd_real)i.z},
                           .is_touching = c->is_last};
  memcpy(made.particles, c->key + 1, sizeof made.particles);
  made.mesh_a = world->stepper.penetrations.surface[made.particles[0]];
  made.mesh_b = world->stepper.penetrations.surface[made.particles[PAIR_CORNERS - 1]];
  return made;
}

static int32_t list_recorded(const msd_world *world, msd_mesh_contact *out, int32_t capacity) {
  const contact_records *all = &world->stepper.record.contacts[RECORD_OF_MESHES];
  for (int32_t n = 0; out && n < all->count && n < capacity; n++)
    out[n] = recorded_contact(world, &all->items[n]);
  return all->count;
}

int32_t msd_world_get_mesh_contacts(const msd_world *world, msd_mesh_contact *out, int32_t capacity) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || world->stepper.is_running || !stepper_has_surfaces(&world->stepper) ||
      !penetrations_are_placed(&world->stepper.penetrations))
    return 0;
  if (frame_record_has_contacts(&world->stepper.record))
    return list_recorded(world, out, capacity);
  const near_pairs *near = &world->stepper.self.near;
  int32_t count = 0;
  for (int32_t n = 0; n < near->count; n++) {
    near_contact contact;
    if (!near_pairs_get_contact(near, n, &contact))
      continue;
    if (out && count < capacity)
      out[count] = contact_of(world, &contact);
    count++;
  }
  return count;
}

int32_t msd_world_get_collision_mesh_count(const msd_world *world) {
  return world_count(world, MSD_OBJECT_COLLISION_MESH);
}

msd_collision_mesh_def msd_collision_mesh_get_def(const msd_world *world, int32_t surface) {
  return world_has(world, MSD_OBJECT_COLLISION_MESH, surface)
             ? surface_def_of(&world->model.surfaces, surface)
             : msd_default_collision_mesh_def();
}

msd_result msd_collision_mesh_find_cut(const msd_world *world, int32_t surface, bool *triangles,
                                       bool *segments) {
  if (!world_has(world, MSD_OBJECT_COLLISION_MESH, surface))
    return MSD_BAD_INDEX;
  const world_model *model = &world->model;
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  torn_edges torn;
  if (!torn_edges_find(&torn, &scratch, &model->springs))
    return scratch.over_limit ? MSD_TOO_LARGE : MSD_OUT_OF_MEMORY;
  tears_mark(&torn, &model->surfaces, surface, triangles, segments);
  torn_edges_free(&torn, &scratch);
  return MSD_OK;
}

msd_result msd_collision_mesh_exclude(msd_world *world, int32_t surface, int32_t other) {
  msd_result result = world_check(world, MSD_OBJECT_COLLISION_MESH, surface);
  if (result == MSD_OK)
    result = world_check(world, MSD_OBJECT_COLLISION_MESH, other);
  if (result != MSD_OK)
    return result;
  surface_store *s = &world->model.surfaces;
  if (surface_store_ignores(s, surface, other))
    return MSD_OK;
  if (!surface_store_reserve_ignored(s, &world->model.memory, (int64_t)s->ignored_count + 1))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for %d excluded pairs of collision meshes",
                      (int)s->ignored_count + 1);
  surface_store_ignore(s, surface, other);
  model_wake_surface(&world->model, surface);
  model_wake_surface(&world->model, other);
  world->model.revision.surfaces++;
  return MSD_OK;
}

bool msd_collision_mesh_excludes(const msd_world *world, int32_t surface, int32_t other) {
  return world_has(world, MSD_OBJECT_COLLISION_MESH, surface) &&
         world_has(world, MSD_OBJECT_COLLISION_MESH, other) &&
         surface_store_ignores(&world->model.surfaces, surface, other);
}

/* Reserves memory for objects to be added to a world, before the first one is added. */

#include "engine/world/world.h"

#include <stdio.h>

/* Estimated bytes that a frame needs besides the stores, for a cloth or a mesh. The estimate only rejects
   requests that cannot succeed. */
enum {
  STEP_PARTICLE_BYTES = 8,
  STEP_SPRING_BYTES = 8,
  STEP_CONSTRAINT_BYTES = 160,
  STEP_TRIANGLE_BYTES = 40
};

typedef struct request {
  const char *name;
  int64_t more;
  int32_t count, most;
  size_t bytes;
} request;

enum { REQUESTS = 9, TEXT_MAX = 160 };

static void list_requests(const world_model *m, const world_size *more, request list[REQUESTS]) {
  const constraint_store *c = &m->constraints;
  const request all[REQUESTS] = {
      {"particles", more->particles, m->particles.count, PARTICLES_MAX,
       particle_bytes() + STEP_PARTICLE_BYTES},
      {"springs", more->springs, m->springs.count, spring_growth.most,
       growth_item_bytes(&spring_growth) + STEP_SPRING_BYTES},
      {"constraints", more->constraints, c->count, constraint_growth.most,
       growth_item_bytes(&constraint_growth) + STEP_CONSTRAINT_BYTES},
      {"meshes", more->meshes, c->mesh_count, constraint_mesh_growth.most,
       growth_item_bytes(&constraint_mesh_growth)},
      {"triangles", more->triangles, c->triangle_count, constraint_triangle_growth.most,
       growth_item_bytes(&constraint_triangle_growth) + STEP_TRIANGLE_BYTES},
      {"soft_pins", more->soft_pins, m->soft_pins.count, soft_pin_growth.most,
       growth_item_bytes(&soft_pin_growth)},
      {"rotors", more->rotors, m->rotors.count, rotor_growth.most, growth_item_bytes(&rotor_growth)},
      {"torsion springs", more->torsion_springs, m->torsion_springs.count, torsion_spring_growth.most,
       growth_item_bytes(&torsion_spring_growth)},
      {"colliders", more->colliders, m->colliders.count, collider_growth.most,
       growth_item_bytes(&collider_growth)},
  };
  memcpy(list, all, sizeof all);
}

/* Total number including existing objects. Huge counts are clamped to avoid overflow. */
static int64_t count_all(const request *r) {
  const int64_t most = INT64_MAX / 4;
  return r->count + (r->more < most ? r->more : most);
}

/* Writes the requested numbers, such as "20 particles and 30 springs". Called for errors only, because
   springs may be added one at a time. Returns `text`. */
static const char *describe(const request list[REQUESTS], char text[TEXT_MAX]) {
  int wanted = 0, length = 0;
  for (int n = 0; n < REQUESTS; n++)
    wanted += list[n].more > 0;
  text[0] = 0;
  for (int n = 0; n < REQUESTS && length < TEXT_MAX; n++)
    if (list[n].more > 0) {
      wanted--;
      length += snprintf(text + length, (size_t)(TEXT_MAX - length), "%lld %s%s",
                         (long long)count_all(&list[n]), list[n].name,
                         wanted > 1    ? ", "
                         : wanted == 1 ? " and "
                                       : "");
    }
  return text;
}

static bool reserve_stores(world_model *m, const world_size *more) {
  memory *of = &m->memory;
  constraint_store *c = &m->constraints;
  return particle_store_reserve(&m->particles, of, m->particles.count + more->particles) &&
         spring_store_reserve(&m->springs, of, m->springs.count + more->springs) &&
         growth_reserve(&constraint_growth, c, of, c->count + more->constraints) &&
         growth_reserve(&constraint_mesh_growth, c, of, c->mesh_count + more->meshes) &&
         growth_reserve(&constraint_triangle_growth, c, of, c->triangle_count + more->triangles) &&
         growth_reserve(&soft_pin_growth, &m->soft_pins, of, m->soft_pins.count + more->soft_pins) &&
         growth_reserve(&rotor_growth, &m->rotors, of, m->rotors.count + more->rotors) &&
         growth_reserve(&torsion_spring_growth, &m->torsion_springs, of,
                        m->torsion_springs.count + more->torsion_springs) &&
         growth_reserve(&collider_growth, &m->colliders, of, m->colliders.count + more->colliders);
}

msd_result world_reserve(msd_world *world, const world_size *more) {
  world_model *m = &world->model;
  request list[REQUESTS];
  char text[TEXT_MAX];
  double estimate = 0;
  list_requests(m, more, list);
  for (int n = 0; n < REQUESTS; n++)
    estimate += list[n].more > 0 ? (double)count_all(&list[n]) * (double)list[n].bytes : 0;
  if (estimate > (double)m->memory.limit)
    return world_fail(world, MSD_TOO_LARGE, "%s would take about %.3g GB; memory_limit is %.3g GB",
                      describe(list, text), estimate / 1e9, (double)m->memory.limit / 1e9);
  for (int n = 0; n < REQUESTS; n++)
    if (list[n].more > 0 && count_all(&list[n]) > list[n].most)
      return world_fail(world, MSD_TOO_LARGE, "%lld %s; indices end at %d", (long long)count_all(&list[n]),
                        list[n].name, (int)list[n].most - 1);
  if (reserve_stores(m, more))
    return MSD_OK;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for %s (about %.3g GB)", describe(list, text),
                    estimate / 1e9);
}

msd_result world_reserve_laws(msd_world *world, bool any_number) {
  spring_store *s = &world->model.springs;
  return (any_number ? law_table_split : law_table_reserve)(&s->laws, &world->model.memory, s->count,
                                                            s->capacity)
             ? MSD_OK
             : world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the stiffness of %d springs",
                          (int)s->capacity);
}

#include "bench/textbook.h"

#include <math.h>
#include <stdlib.h>

typedef struct particle {
  msd_vec3 position, velocity, force;
  msd_real inverse_mass;
} particle;

typedef struct spring {
  int32_t a, b;
  msd_real rest, stiffness, damping;
} spring;

struct textbook {
  particle *particles;
  spring *springs;
  int32_t particle_count, spring_count;
  msd_vec3 gravity;
};

textbook *textbook_make(const msd_world *world) {
  textbook *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->particle_count = msd_world_get_particle_count(world);
  t->spring_count = msd_world_get_spring_count(world);
  t->gravity = msd_world_get_gravity(world);
  t->particles = calloc((size_t)t->particle_count + 1, sizeof *t->particles);
  t->springs = calloc((size_t)t->spring_count + 1, sizeof *t->springs);
  if (!t->particles || !t->springs) {
    textbook_free(t);
    return NULL;
  }
  for (int32_t i = 0; i < t->particle_count; i++)
    t->particles[i] = (particle){
        .position = msd_particle_get_position(world, i),
        .velocity = msd_particle_get_velocity(world, i),
        .inverse_mass = msd_particle_is_pinned(world, i) ? 0 : 1 / msd_particle_get_mass(world, i),
    };
  for (int32_t s = 0; s < t->spring_count; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    t->springs[s] = (spring){def.a, def.b, def.rest_length, msd_spring_get_stiffness(world, s),
                             msd_spring_get_damping(world, s)};
  }
  return t;
}

void textbook_free(textbook *t) {
  if (!t)
    return;
  free(t->particles);
  free(t->springs);
  free(t);
}

static void add_spring_forces(textbook *t) {
  for (int32_t s = 0; s < t->spring_count; s++) {
    const spring *e = &t->springs[s];
    particle *a = &t->particles[e->a], *b = &t->particles[e->b];
    const msd_real dx = a->position.x - b->position.x, dy = a->position.y - b->position.y,
                   dz = a->position.z - b->position.z;
    const msd_real dvx = a->velocity.x - b->velocity.x, dvy = a->velocity.y - b->velocity.y,
                   dvz = a->velocity.z - b->velocity.z;
#ifdef MSD_DOUBLE
    const msd_real length = sqrt(dx * dx + dy * dy + dz * dz);
#else
    const msd_real length = sqrtf(dx * dx + dy * dy + dz * dz);
#endif
    if (!(length > 0))
      continue;
    const msd_real inverse = 1 / length;
    const msd_real rate = (dvx * dx + dvy * dy + dvz * dz) * inverse;
    const msd_real pull = (e->stiffness * (length - e->rest) + e->damping * rate) * inverse;
    a->force.x -= pull * dx;
    a->force.y -= pull * dy;
    a->force.z -= pull * dz;
    b->force.x += pull * dx;
    b->force.y += pull * dy;
    b->force.z += pull * dz;
  }
}

static void move_particles(textbook *t, msd_real dt) {
  for (int32_t i = 0; i < t->particle_count; i++) {
    particle *p = &t->particles[i];
    if (p->inverse_mass > 0) {
      p->velocity.x += dt * (p->force.x * p->inverse_mass + t->gravity.x);
      p->velocity.y += dt * (p->force.y * p->inverse_mass + t->gravity.y);
      p->velocity.z += dt * (p->force.z * p->inverse_mass + t->gravity.z);
      p->position.x += dt * p->velocity.x;
      p->position.y += dt * p->velocity.y;
      p->position.z += dt * p->velocity.z;
    }
    p->force = (msd_vec3){0, 0, 0};
  }
}

void textbook_step(textbook *t, msd_real dt, int substeps) {
  for (int n = 0; n < substeps; n++) {
    add_spring_forces(t);
    move_particles(t, dt);
  }
}

double textbook_distance(const textbook *t, const msd_world *world) {
  double most = 0;
  for (int32_t i = 0; i < t->particle_count; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), y = t->particles[i].position;
    most = fmax(most, fabs((double)x.x - (double)y.x));
    most = fmax(most, fabs((double)x.y - (double)y.y));
    most = fmax(most, fabs((double)x.z - (double)y.z));
  }
  return most;
}

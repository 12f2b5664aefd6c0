/* Chipmunk 7 (https://github.com/slembcke/Chipmunk2D), double precision, as Debian compiles it, with
   assertions.

   The simulation has two dimensions, x and z of the network, and no gravity. Bodies have a position only: no
   shape and no rotation. Every spring is a cpDampedSpring with the stiffness, damping and rest length of msd. A
   step moves the bodies, applies the elastic impulse of each spring, and then its damping once
   (cpSpaceSetIterations 1), spring by spring, as the exact decay of the relative speed. So it does the work of
   a damped spring on two thirds of the coordinates. It also rotates the attachment points and checks whether
   bodies may sleep. */
#include "bench/peers/peer.h"

#include <chipmunk/chipmunk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct engine {
  cpSpace *space;
  cpBody **bodies;
  cpConstraint **springs;
  const peer_network *network;
} engine;

/* Pinned particles become static bodies. */
static cpBody *make_body(cpSpace *space, const peer_particle *p) {
  cpBody *body = p->pinned ? cpBodyNewStatic() : cpBodyNew(p->mass, INFINITY);
  cpSpaceAddBody(space, body);
  cpBodySetPosition(body, cpv(p->position[0], p->position[2]));
  if (!p->pinned)
    cpBodySetVelocity(body, cpv(p->velocity[0], p->velocity[2]));
  return body;
}

static bool make_engine(engine *e, const peer_network *n) {
  *e = (engine){.space = cpSpaceNew(), .network = n};
  e->bodies = calloc((size_t)n->header.particles, sizeof(cpBody *));
  e->springs = calloc((size_t)n->header.springs + 1, sizeof(cpConstraint *));
  if (!e->bodies || !e->springs) {
    fprintf(stderr, "out of memory\n");
    return false;
  }
  cpSpaceSetIterations(e->space, 1);
  for (int32_t i = 0; i < n->header.particles; i++)
    e->bodies[i] = make_body(e->space, &n->particles[i]);
  for (int32_t s = 0; s < n->header.springs; s++) {
    const peer_spring *spring = &n->springs[s];
    e->springs[s] = cpSpaceAddConstraint(
        e->space, cpDampedSpringNew(e->bodies[spring->a], e->bodies[spring->b], cpvzero, cpvzero,
                                    spring->rest, spring->stiffness, spring->damping));
  }
  return true;
}

/* Frees the objects without removing them from the space, which would search a list for each. */
static void free_engine(engine *e) {
  cpSpaceFree(e->space);
  for (int32_t s = 0; e->springs && s < e->network->header.springs; s++)
    cpConstraintFree(e->springs[s]);
  for (int32_t i = 0; e->bodies && i < e->network->header.particles; i++)
    cpBodyFree(e->bodies[i]);
  free(e->bodies);
  free(e->springs);
}

static void step(void *data, int steps) {
  engine *e = data;
  for (int n = 0; n < steps; n++)
    cpSpaceStep(e->space, e->network->header.time_step);
}

static void positions(void *data, double *xyz) {
  const engine *e = data;
  for (int32_t i = 0; i < e->network->header.particles; i++) {
    const cpVect at = cpBodyGetPosition(e->bodies[i]);
    xyz[3 * i] = at.x;
    xyz[3 * i + 1] = NAN;
    xyz[3 * i + 2] = at.y;
  }
}

int main(void) {
  peer_network network;
  if (!peer_read(&network))
    return 1;
  engine e;
  int status = 1;
  if (make_engine(&e, &network)) {
    const peer_engine functions = {&e, step, positions};
    status = peer_run(&network, &functions);
  }
  free_engine(&e);
  peer_free(&network);
  return status;
}

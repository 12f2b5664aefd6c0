/* Bullet's btSoftBody (https://github.com/bulletphysics/bullet3), single precision, as Debian compiles it.

   Links are position constraints, not springs. A step moves the nodes by their velocities and makes one pass
   over the links (piterations = 1). Each link moves its two nodes to its rest length and removes the whole
   error (m_kLST = 1); velocities follow from the positions. No force is computed: the stiffness is the result
   of one pass, and links have neither a stiffness in N/m nor damping. So the motion differs from that of msd.
   The step also updates a tree of bounding volumes of the nodes, as for every soft body; collision is off. */
#include "bench/peers/peer.h"

#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <vector>

namespace {

struct engine {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  /* Owned by the world. */
  btSoftBody *body = nullptr;
  btScalar time_step = 0;
};

btVector3 vector_of(const double *v) {
  return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
}

btSoftBody *make_body(btSoftBodyWorldInfo *info, const peer_network &n) {
  std::vector<btVector3> positions;
  std::vector<btScalar> masses;
  for (int i = 0; i < n.header.particles; i++) {
    positions.push_back(vector_of(n.particles[i].position));
    masses.push_back(n.particles[i].pinned ? 0 : static_cast<btScalar>(n.particles[i].mass));
  }
  auto *body = new btSoftBody(info, n.header.particles, positions.data(), masses.data());
  body->m_cfg.piterations = 1;
  body->m_cfg.collisions = 0;
  body->setActivationState(DISABLE_DEACTIVATION); /* a sleeping body would cost nothing */
  body->m_materials[0]->m_kLST = 1;
  /* The rest length of a link is its initial length, as in the networks of the benchmark. */
  for (int s = 0; s < n.header.springs; s++)
    body->appendLink(n.springs[s].a, n.springs[s].b, body->m_materials[0]);
  for (int i = 0; i < n.header.particles; i++)
    body->m_nodes[i].m_v = vector_of(n.particles[i].velocity);
  return body;
}

void step(void *data, int steps) {
  auto *e = static_cast<engine *>(data);
  for (int n = 0; n < steps; n++)
    e->world.stepSimulation(e->time_step, 0);
}

void positions(void *data, double *xyz) {
  const auto *e = static_cast<engine *>(data);
  for (int i = 0; i < e->body->m_nodes.size(); i++)
    for (int c = 0; c < 3; c++)
      xyz[3 * i + c] = static_cast<double>(e->body->m_nodes[i].m_x[c]);
}

} // namespace

int main() {
  peer_network network;
  if (!peer_read(&network))
    return 1;
  int status;
  {
    engine e;
    e.time_step = static_cast<btScalar>(network.header.time_step);
    e.world.setGravity(vector_of(network.header.gravity));
    e.world.getWorldInfo().m_gravity = vector_of(network.header.gravity);
    e.body = make_body(&e.world.getWorldInfo(), network);
    e.world.addSoftBody(e.body);
    const peer_engine functions = {&e, step, positions};
    status = peer_run(&network, &functions);
    e.world.removeSoftBody(e.body);
    delete e.body;
  }
  peer_free(&network);
  return status;
}

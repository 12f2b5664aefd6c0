/* Conversion of a world's particles and springs to a soft body of Bullet
   (https://github.com/bulletphysics/bullet3) and back. Bullet's links are position constraints
   (peers/bullet.cpp). */
#ifndef MSD_BENCH_BULLET_BODY_HPP
#define MSD_BENCH_BULLET_BODY_HPP

#include <msd/msd.h>

#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

inline btVector3 vector_of(msd_vec3 v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

struct bullet_engine {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};

  explicit bullet_engine(msd_vec3 gravity) {
    world.setGravity(vector_of(gravity));
    world.getWorldInfo().m_gravity = vector_of(gravity);
    world.getWorldInfo().m_sparsesdf.Initialize();
  }
};

/* Creates a node for each particle, with mass 0 if the particle is pinned, and a link for each spring, whose
   rest length is its current length. The body never sleeps. */
inline std::unique_ptr<btSoftBody> bullet_body_of(bullet_engine &e, const msd_world *world) {
  const int32_t count = msd_world_get_particle_count(world);
  std::vector<btVector3> positions;
  std::vector<btScalar> masses;
  for (int32_t i = 0; i < count; i++) {
    positions.push_back(vector_of(msd_particle_get_position(world, i)));
    masses.push_back(
        msd_particle_is_pinned(world, i) ? 0 : static_cast<btScalar>(msd_particle_get_def(world, i).mass));
  }
  auto body = std::make_unique<btSoftBody>(&e.world.getWorldInfo(), count, positions.data(), masses.data());
  for (int32_t n = 0; n < msd_world_get_spring_count(world); n++) {
    const msd_spring_def spring = msd_spring_get_def(world, n);
    body->appendLink(spring.a, spring.b);
  }
  for (int32_t i = 0; i < count; i++)
    body->m_nodes[i].m_v = vector_of(msd_particle_get_velocity(world, i));
  body->setActivationState(DISABLE_DEACTIVATION);
  return body;
}

/* Copies the positions of the nodes to the particles. */
inline void bullet_put_back(const btSoftBody &body, msd_world *world) {
  for (int32_t i = 0; i < body.m_nodes.size(); i++) {
    const btVector3 &x = body.m_nodes[i].m_x;
    msd_particle_set_position(
        world, i, {static_cast<msd_real>(x.x()), static_cast<msd_real>(x.y()), static_cast<msd_real>(x.z())});
  }
}

#endif

/* bullet_cloth [CASE [STEPS]]: the contact benchmark of msd bench, run with Bullet's btSoftBody
   (https://github.com/bulletphysics/bullet3). Runs the cases with one cloth, or those whose names contain CASE,
   with STEPS (4) steps a frame. Prints comma-separated values: ms a frame, and the intersecting pairs of
   triangles in the last frame and at most in any frame, by msd's exact test.

   Links are position constraints (peers/bullet.cpp); each step makes four passes over them. Self-collision uses
   clusters of 16 nodes, and static bodies use Bullet's signed distance field. Margin and friction equal those
   of msd. */
#include "bench/bullet_body.hpp"
#include "bench/contact_speed.h"
#include "bench/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

constexpr int nodes_of_cluster = 16, passes = 4;
constexpr btScalar margin = 0.005F, friction = 0.3F;

struct engine : bullet_engine {
  using bullet_engine::bullet_engine;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::unique_ptr<btSoftBody> cloth;
};

/* The bar is parallel to x; the floor is the top face of a box. */
void add_colliders(engine &e, const msd_world *world) {
  for (int32_t n = 0; n < msd_world_get_collider_count(world); n++) {
    const msd_collider_def def = msd_collider_get_def(world, n);
    btTransform place = btTransform::getIdentity();
    place.setOrigin(vector_of(def.position));
    if (def.kind == MSD_COLLIDER_CAPSULE) {
      const btVector3 from = vector_of(def.from), to = vector_of(def.to);
      e.shapes.push_back(
          std::make_unique<btCapsuleShapeX>(static_cast<btScalar>(def.radius), (to - from).length()));
      place.setOrigin(place.getOrigin() + (from + to) / 2);
    } else {
      e.shapes.push_back(std::make_unique<btBoxShape>(btVector3(500, 1, 500)));
      place.setOrigin(place.getOrigin() - btVector3(0, 1, 0));
    }
    e.shapes.back()->setMargin(margin);
    e.bodies.push_back(std::make_unique<btRigidBody>(0, nullptr, e.shapes.back().get()));
    e.bodies.back()->setWorldTransform(place);
    e.bodies.back()->setFriction(friction);
    e.world.addRigidBody(e.bodies.back().get());
  }
}

void add_cloth(engine &e, const contact_scene &s) {
  e.cloth = bullet_body_of(e, s.world);
  btSoftBody &cloth = *e.cloth;
  for (int32_t n = 0; n < s.triangle_count; n++)
    cloth.appendFace(s.triangles[3 * n], s.triangles[3 * n + 1], s.triangles[3 * n + 2]);
  cloth.getCollisionShape()->setMargin(margin);
  cloth.m_cfg.kDF = friction;
  cloth.m_cfg.piterations = passes;
  cloth.m_cfg.collisions =
      btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::CL_SS | btSoftBody::fCollision::CL_SELF;
  cloth.generateClusters(cloth.m_nodes.size() / nodes_of_cluster);
  cloth.randomizeConstraints();
  e.world.addSoftBody(&cloth);
}

/* Copies the positions to the world of the scene first, where the exact test reads them. */
int64_t intersections_of(const engine &e, const contact_scene &s) {
  int64_t found = -1;
  bullet_put_back(*e.cloth, s.world);
  contact_count_intersections(&s, &found);
  return found;
}

bool run(const contact_case &c, int steps) {
  contact_scene s;
  const bool opened = contact_open(&s, &c, 1, false) == MSD_OK;
  if (opened) {
    engine e(msd_world_get_gravity(s.world));
    add_colliders(e, s.world);
    add_cloth(e, s);
    std::vector<double> times;
    int64_t found = 0, most = 0;
    for (int frame = -c.warm_frames; frame < c.frames; frame++) {
      const double start = machine_clock();
      for (int n = 0; n < steps; n++)
        e.world.stepSimulation(btScalar(1) / 60 / static_cast<btScalar>(steps), 0);
      if (frame >= 0)
        times.push_back(machine_clock() - start);
      found = intersections_of(e, s);
      most = std::max(most, found);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s,%d,%d,%.2f,%lld,%lld\n", c.name, static_cast<int>(e.cloth->m_nodes.size()), steps,
                1e3 * times[times.size() / 2], static_cast<long long>(found), static_cast<long long>(most));
    std::fflush(stdout);
    e.world.removeSoftBody(e.cloth.get());
    for (auto &body : e.bodies)
      e.world.removeRigidBody(body.get());
  }
  contact_close(&s);
  return opened;
}

} // namespace

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : "";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 4;
  if (argc > 3 || steps < 1) {
    std::fprintf(stderr, "usage: bullet_cloth [CASE [STEPS]]\n");
    return 2;
  }
  std::printf("case,particles,steps,ms_per_frame,intersections,most_intersections\n");
  int count, status = 0;
  const contact_case *cases = contact_cases(&count);
  for (int n = 0; n < count; n++)
    if (std::strstr(cases[n].name, wanted) && cases[n].kind != CONTACT_STACK && !run(cases[n], steps))
      status = 1;
  return status;
}

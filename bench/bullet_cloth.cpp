/* bullet_cloth [CASE [STEPS]]: cloths in contact, by msd and by Bullet's btSoftBody
   (https://github.com/bulletphysics/bullet3), on one thread. Runs the cases of the contact benchmark that have
   one cloth, and a sheet that is wrung for ten seconds, or those whose names contain CASE; Bullet takes STEPS
   (4) steps a frame. Prints comma-separated values: the median ms of the last frames, the intersecting pairs of
   triangles after the last frame and at most after any, by msd's exact test, and the mean and the largest
   stretch of springs at the end.

   Links are position constraints (peers/bullet.cpp); each step makes four passes over them. Self-collision uses
   clusters of 16 nodes, and static bodies use Bullet's signed distance field. Margin and friction equal those
   of msd. Bullet has no hinges: the bending of the wrung sheet is left out. */
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

/* The wrung sheet: the frames before the last ones, and all ten seconds. */
const contact_case wrung = {"wrung", CONTACT_TWIST, 50, 50, 580, 20};

struct engine : bullet_engine {
  using bullet_engine::bullet_engine;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::unique_ptr<btSoftBody> cloth;
};

/* The bar is parallel to x; the floor is the top face of a box. */
void add_colliders(engine &e, const msd_world *world) {
  const msd_contact_settings contact = msd_world_get_contact_settings(world);
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
    e.shapes.back()->setMargin(static_cast<btScalar>(contact.thickness));
    e.bodies.push_back(std::make_unique<btRigidBody>(0, nullptr, e.shapes.back().get()));
    e.bodies.back()->setWorldTransform(place);
    e.bodies.back()->setFriction(static_cast<btScalar>(contact.friction));
    e.world.addRigidBody(e.bodies.back().get());
  }
}

void add_cloth(engine &e, const contact_scene &s) {
  const msd_contact_settings contact = msd_world_get_contact_settings(s.world);
  e.cloth = bullet_body_of(e, s.world);
  btSoftBody &cloth = *e.cloth;
  for (int32_t n = 0; n < s.triangle_count; n++)
    cloth.appendFace(s.triangles[3 * n], s.triangles[3 * n + 1], s.triangles[3 * n + 2]);
  cloth.getCollisionShape()->setMargin(static_cast<btScalar>(contact.thickness));
  cloth.m_cfg.kDF = static_cast<btScalar>(contact.friction);
  cloth.m_cfg.piterations = passes;
  cloth.m_cfg.collisions =
      btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::CL_SS | btSoftBody::fCollision::CL_SELF;
  cloth.generateClusters(cloth.m_nodes.size() / nodes_of_cluster);
  cloth.randomizeConstraints();
  e.world.addSoftBody(&cloth);
}

/* Puts pins where they are at a time in s. */
void lead(engine &e, const contact_case &c, double time) {
  msd_vec3 at;
  for (int n = 0; n < e.cloth->m_nodes.size(); n++)
    if (contact_leads(&c, n, time, &at))
      e.cloth->m_nodes[n].m_x = e.cloth->m_nodes[n].m_q = vector_of(at);
}

/* The frames of one engine: how long they took, and what the exact test finds after them. */
struct outcome {
  std::vector<double> times;
  int64_t found = 0, most = 0;

  void look(const contact_scene &s) {
    contact_count_intersections(&s, &found);
    most = std::max(most, found);
  }

  void print(const contact_case &c, const char *engine, int steps, const msd_world *world) {
    std::sort(times.begin(), times.end());
    const msd_stats stats = msd_world_get_stats(world);
    std::printf("%s,%s,%d,%d,%.2f,%lld,%lld,%.3g,%.3g\n", c.name, engine,
                static_cast<int>(msd_world_get_particle_count(world)), steps, 1e3 * times[times.size() / 2],
                static_cast<long long>(found), static_cast<long long>(most), 100 * stats.mean_stretch,
                100 * stats.max_stretch);
    std::fflush(stdout);
  }
};

/* Takes all frames of a case, and times the last ones. False if one fails. */
template <typename Frame> bool take_frames(const contact_case &c, outcome &out, Frame frame) {
  for (int n = -c.warm_frames; n < c.frames; n++) {
    const double start = machine_clock();
    if (!frame(n + c.warm_frames))
      return false;
    if (n >= 0)
      out.times.push_back(machine_clock() - start);
    frame.look(out);
  }
  return true;
}

struct msd_frames {
  contact_scene &s;

  bool operator()(int) {
    return contact_scene_step(&s) == MSD_OK;
  }
  void look(outcome &out) {
    out.look(s);
  }
};

/* The positions go to the world of the scene, where the exact test reads them. */
struct bullet_frames {
  engine &e;
  contact_scene &s;
  const contact_case &c;
  int steps;

  bool operator()(int frame) {
    for (int n = 0; n < steps; n++) {
      lead(e, c, (frame + (n + 1) / static_cast<double>(steps)) / 60);
      e.world.stepSimulation(btScalar(1) / 60 / static_cast<btScalar>(steps), 0);
    }
    return true;
  }
  void look(outcome &out) {
    bullet_put_back(*e.cloth, s.world);
    out.look(s);
  }
};

bool run_msd(const contact_case &c) {
  contact_scene s;
  outcome out;
  const bool done = contact_open(&s, &c, 1, true) == MSD_OK && take_frames(c, out, msd_frames{s});
  if (done)
    out.print(c, "msd", c.kind == CONTACT_TWIST ? 0 : CONTACT_SUBSTEPS, s.world);
  contact_close(&s);
  return done;
}

bool run_bullet(const contact_case &c, int steps) {
  contact_scene s;
  const bool opened = contact_open(&s, &c, 1, false) == MSD_OK;
  if (opened) {
    engine e(msd_world_get_gravity(s.world));
    add_colliders(e, s.world);
    add_cloth(e, s);
    outcome out;
    take_frames(c, out, bullet_frames{e, s, c, steps});
    out.print(c, "bullet", steps, s.world);
    e.world.removeSoftBody(e.cloth.get());
    for (auto &body : e.bodies)
      e.world.removeRigidBody(body.get());
  }
  contact_close(&s);
  return opened;
}

bool run(const contact_case &c, int steps) {
  return run_msd(c) && run_bullet(c, steps);
}

} // namespace

int main(int argc, char **argv) {
  const char *wanted = argc > 1 ? argv[1] : "";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 4;
  if (argc > 3 || steps < 1) {
    std::fprintf(stderr, "usage: bullet_cloth [CASE [STEPS]]\n");
    return 2;
  }
  std::printf(
      "case,engine,particles,steps,ms_per_frame,intersections,most_intersections,mean_stretch_percent,"
      "max_stretch_percent\n");
  int count, status = 0;
  const contact_case *cases = contact_cases(&count);
  for (int n = 0; n < count; n++)
    if (std::strstr(cases[n].name, wanted) && cases[n].kind != CONTACT_STACK && !run(cases[n], steps))
      status = 1;
  if (std::strstr(wrung.name, wanted) && !run(wrung, steps))
    status = 1;
  return status;
}

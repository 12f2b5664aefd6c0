// msd.hpp, in the standard that it is compiled for: a world lives through all of it. The exit status tells the
// first line that is wrong; 0: none is.
#include <msd/msd.hpp>

#include <array>
#include <cmath>
#include <string>
#if __cplusplus >= 202002L
#include <algorithm>
#include <span>
#endif

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      return __LINE__ % 255 + 1;                                                                             \
  } while (false)

static_assert(std::is_nothrow_move_constructible_v<msd::world> && !std::is_copy_constructible_v<msd::world>);

static int of_bodies() {
  msd::world world;
  msd_rope_def def = msd_default_rope_def();
  def.particles = 11;
  const msd_body rope = world.add(def);
  EXPECT(rope.particles.count == 11);
  world(msd_particle_pin, rope.particles.first);
  EXPECT(world(msd_particle_is_pinned, 0));
  EXPECT(world.add(msd_default_cloth_def()).particles.first == 11);
  EXPECT(world.positions().size() == 15 && world(msd_world_get_particle_count) == 15);
  const auto before = world.save();
  const auto hash = world(msd_world_hash);
  world.step(msd_real(1) / 60);
  msd_real lowest = 0;
  for (const msd_vec3 x : world.positions())
    lowest = x.y < lowest ? x.y : lowest;
  EXPECT(lowest < 0 && world.velocities()[5].y < 0);
  const msd::world copy = world.clone();
  const auto state = world.save_state();
  EXPECT(copy(msd_world_hash) == world(msd_world_hash));
  world.restore(before);
  EXPECT(world(msd_world_hash) == hash);
  world.restore_state(state);
  msd::world less = world.clone();
  less.destroy(MSD_ITEM_PARTICLE, std::vector<std::int32_t>{1});
  less.destroy(MSD_ITEM_SPRING, msd_range{0, 1});
  less.compact();
  if (less.positions().size() + 1 != world.positions().size())
    return 1;
  EXPECT(copy(msd_world_hash) == world(msd_world_hash));
  msd::world moved = std::move(world);
  EXPECT(moved(msd_world_get_particle_count) == 15);
  moved = msd::world();
  EXPECT(moved(msd_world_get_particle_count) == 0 && moved.get() != nullptr);
  return 0;
}

static int of_parts() {
  msd::world world;
  std::array<msd_particle_def, 3> points;
  for (std::size_t i = 0; i < points.size(); i++) {
    points[i] = msd_default_particle_def();
    points[i].position.x = msd_real(i);
  }
  EXPECT(world.add_all(points) == 0 && world.add(points[0]) == 3);
  msd_spring_def spring = msd_default_spring_def();
  spring.b = 1;
  spring.a = 0;
  EXPECT(world.add(spring) == 0 && world.add_all(std::vector<msd_spring_def>(2, spring)) == 1);
#if __cplusplus >= 202002L
  EXPECT(world.add_all(std::span<const msd_particle_def>(points).first(2)) == 4);
  EXPECT(std::ranges::count_if(world.positions(), [](msd_vec3 x) { return x.x == 1; }) == 2);
#endif
  msd_anchor_def anchor = msd_default_anchor_def();
  anchor.particle = 2;
  EXPECT(world.add(anchor) == 0 && world.add(msd_default_rotor_def()) == 0);
  msd_angular_spring_def angular = msd_default_angular_spring_def();
  angular.a = 0;
  EXPECT(world.add(angular) == 0 && world.add(msd_default_collider_def()) == 0);
  const std::int32_t corners[] = {0, 1, 3}, ends[] = {1, 2};
  msd_surface_def surface = msd_default_surface_def();
  surface.segments = ends;
  surface.segment_count = 1;
  EXPECT(world.add(surface) == 0);
  msd_constraint_def area = msd_default_constraint_def();
  area.kind = MSD_CONSTRAINT_AREA;
  for (int i = 0; i < 3; i++)
    area.particles[i] = corners[i];
  world(msd_particle_set_position, 3, msd_vec3{0, 1, 0});
  EXPECT(world.add(area) == 0);
  return 0;
}

static int of_errors() {
  msd::world world;
  try {
    world(msd_particle_pin, 7);
    return __LINE__ % 255 + 1;
  } catch (const msd::error &e) {
    EXPECT(e.result == MSD_BAD_INDEX && std::string(e.what()).find("particle 7") != std::string::npos);
  }
  // What only reads has no message of its own, and not that of the call before.
  try {
    world(msd_world_read, msd_particles_in_range({0, 1}), MSD_POSITION, msd_layout{}, nullptr);
    return __LINE__ % 255 + 1;
  } catch (const msd::error &e) {
    EXPECT(e.result == MSD_BAD_VALUE && std::string(e.what()) == msd_result_string(MSD_BAD_VALUE));
  }
  EXPECT(msd::triangles(msd_default_cloth_def(), 7) == (std::vector<std::int32_t>{7, 9, 10, 7, 10, 8}));
  try {
    msd::triangles(msd_default_mesh_def());
    return __LINE__ % 255 + 1;
  } catch (const msd::error &e) {
    EXPECT(e.result == MSD_BAD_VALUE);
  }
  msd_world_def bad = msd_default_world_def();
  bad.air_drag = -1;
  try {
    msd::world refused(bad);
    return __LINE__ % 255 + 1;
  } catch (const std::runtime_error &e) {
    EXPECT(*e.what() != '\0');
  }
  return 0;
}

static int of_several() {
  std::vector<msd::world> worlds(3);
  int steps = 0;
  msd_callbacks callbacks{};
  callbacks.after_step = [](const msd_world *, const msd_moment *, void *count) {
    ++*static_cast<int *>(count);
  };
  callbacks.context = &steps;
  for (msd::world &world : worlds) {
    world.add(msd_default_rope_def());
    world(msd_world_set_callbacks, &callbacks);
  }
  msd::step_all(worlds, msd_real(1) / 60, 2, 1);
  EXPECT(steps == 3 && worlds[2](msd_world_get_steps) == 2);
  try {
    msd::step_all(worlds, msd_real(-1));
    return __LINE__ % 255 + 1;
  } catch (const msd::error &e) {
    EXPECT(e.result == MSD_BAD_TIME_STEP && std::string(e.what()).find("time step") != std::string::npos);
  }
  try {
    msd::step_all(worlds, msd_real(1), 1, -1);
    return __LINE__ % 255 + 1;
  } catch (const msd::error &e) {
    EXPECT(e.result == MSD_BAD_VALUE && steps == 3);
  }
  return 0;
}

int main() {
  const int results[] = {of_bodies(), of_parts(), of_errors(), of_several()};
  for (const int result : results)
    if (result)
      return result;
  return 0;
}

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
  less.destroy(MSD_OBJECT_PARTICLE, std::vector<std::int32_t>{1});
  less.destroy(MSD_OBJECT_SPRING, msd_range{0, 1});
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
  msd_soft_pin_def anchor = msd_default_soft_pin_def();
  anchor.particle = 2;
  EXPECT(world.add(anchor) == 0 && world.add(msd_default_rotor_def()) == 0);
  msd_torsion_spring_def angular = msd_default_torsion_spring_def();
  angular.a = 0;
  EXPECT(world.add(angular) == 0 && world.add(msd_default_collider_def()) == 0);
  const std::int32_t corners[] = {0, 1, 3}, ends[] = {1, 2};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
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
    world(msd_world_read, msd_particle_set_of_range({0, 1}), MSD_POSITION, msd_memory_layout{}, nullptr);
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
  bad.linear_damping = -1;
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
  callbacks.after_step = [](const msd_world *, const msd_substep_info *, void *count) {
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
    EXPECT(e.result == MSD_BAD_FRAME_TIME && std::string(e.what()).find("frame time") != std::string::npos);
  }
  try {
    msd::step_all(worlds, msd_real(1), 1, -1);
    return __LINE__ % 255 + 1;
  } catch (const msd::error &e) {
    EXPECT(e.result == MSD_BAD_VALUE && steps == 3);
  }
  return 0;
}

// Whether a call is refused so.
template <class Call> static bool refuses(msd_result expected, Call call) {
  try {
    call();
  } catch (const msd::error &e) {
    return e.result == expected;
  }
  return false;
}

static int of_many() {
  msd::world world;
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 4;
  const msd_body sheet = world.add(def);
  const msd_particle_set all = msd::particles(sheet.particles);
  std::vector<msd_vec3> places(16);
  world.read(all, MSD_POSITION, places);
  EXPECT(places[15].x == world.positions()[15].x && places[15].x > 0);
  const std::array<std::int32_t, 2> corners{0, 3};
  const std::array<msd_real, 2> pinned{1, 1};
  world.write(msd::particles(corners), MSD_PINNED, pinned);
  EXPECT(world(msd_particle_is_pinned, 3) && !world(msd_particle_is_pinned, 1));
  const std::array<msd_vec3, 2> targets{places[0], places[0]};
  world.write(msd::particles(corners), MSD_TARGET, targets);
  world.step(msd_real(1) / 60, 8);
  EXPECT(world.positions()[3].x == places[0].x);
  std::vector<msd_real> masses(16);
  world.read(all, MSD_MASS, masses);
  EXPECT(masses[5] == world(msd_particle_get_def, 5).mass);
#if __cplusplus >= 202002L
  world.read(msd::particles(std::span<const std::int32_t>(corners)), MSD_VELOCITY,
             std::span(places).first(2));
  EXPECT(places[1].y == world.velocities()[3].y);
#endif
  EXPECT(refuses(MSD_BAD_VALUE, [&] { world.read(all, MSD_MASS, places); }));
  EXPECT(refuses(MSD_BAD_VALUE, [&] { world.write(all, MSD_PINNED, pinned); }));
  EXPECT(refuses(MSD_BAD_INDEX, [&] {
    world.read(msd::particles(msd_range{10, 16}), MSD_POSITION, places);
  }));
  const auto lines = world.lines(sheet.stretch);
  EXPECT(lines.size() == 24 && lines[0][0] == 0 && lines[0][1] == 1 && world.lines({99, 1}).empty());
  const std::vector<std::int32_t> triangles = msd::triangles(def);
  msd_render_mesh skin{};
  skin.vertices = all;
  skin.triangles = triangles.data();
  skin.triangle_count = static_cast<std::int32_t>(triangles.size() / 3);
  std::vector<float> vertices(16 * 8);
  msd_memory_layout padded{};
  padded.stride = 8 * sizeof(float);
  padded.number = MSD_SCALAR_FLOAT;
  world(msd_world_read, all, MSD_POSITION, padded, vertices.data());
  world(msd_world_read_normals, &skin, padded, vertices.data() + 4);
  EXPECT(std::abs(std::hypot(vertices[4], vertices[5], vertices[6]) - 1) < 1e-6f && vertices[3] == 0);
  return 0;
}

static int of_removal() {
  msd::world world;
  msd_rope_def def = msd_default_rope_def();
  def.particles = 5;
  const msd_body first = world.add(def), second = world.add(def);
  world.destroy(MSD_OBJECT_PARTICLE, first.particles);
  EXPECT(world(msd_object_is_destroyed, MSD_OBJECT_PARTICLE, 4) && world(msd_world_get_particle_count) == 10);
  EXPECT(world(msd_world_get_live_count, MSD_OBJECT_PARTICLE) == 5);
  EXPECT(refuses(MSD_BAD_INDEX, [&] { world.destroy(MSD_OBJECT_PARTICLE, std::array<std::int32_t, 1>{4}); }));
  std::vector<std::int32_t> moved(10);
  msd_index_moves moves{};
  moves.to[MSD_OBJECT_PARTICLE] = moved.data();
  world.compact(&moves);
  EXPECT(moved[4] == -1 && moved[static_cast<std::size_t>(second.particles.first)] == 0);
  EXPECT(world(msd_world_get_particle_count) == 5);
  return 0;
}

// A rope on two pins: it sleeps where it rests, relaxes, and is stepped in other ways.
static int of_settings() {
  msd::world world;
  msd_rope_def def = msd_default_rope_def();
  def.particles = 6;
  def.stretch.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = 1000;
  def.stretch.damping = 1;
  world.add(def);
  world(msd_particle_pin, 0);
  world(msd_particle_pin, 5);
  msd_equilibrium_def rest = msd_default_equilibrium_def();
  msd_equilibrium_report report;
  world(msd_world_find_equilibrium, &rest, &report);
  EXPECT(world(msd_world_get_stats).kinetic_energy == 0);
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = 1;
  sleep.delay = msd_real(0.02);
  world(msd_world_set_sleep, &sleep);
  for (int frame = 0; frame < 4; frame++)
    world.step(msd_real(1) / 60);
  EXPECT(world(msd_particle_is_asleep, 2) && world(msd_world_get_stats).asleep == 6);
  world(msd_particle_wake, 2);
  EXPECT(!world(msd_particle_is_asleep, 2));
  EXPECT(refuses(MSD_BAD_VALUE, [&] {
    world(msd_world_set_solver, MSD_SOLVER_GAUSS_SEIDEL);
    world.step(msd_real(1) / 60);
  }));
  sleep.speed = 0;
  world(msd_world_set_sleep, &sleep);
  world.step(msd_real(1) / 60);
  world(msd_world_set_solver, MSD_SOLVER_EXPLICIT);
  world(msd_world_set_mass_scaling, MSD_MASS_SCALING_SELECTIVE);
  world.step(msd_real(1) / 60, 2);
  EXPECT(world(msd_world_get_mass_scaling) == MSD_MASS_SCALING_SELECTIVE);
  return 0;
}

// A scheduler that calls tasks at once, and callbacks that count and stop.
static int of_threads_and_callbacks() {
  struct counts {
    int tasks = 0, substeps = 0;
  } seen;
  msd_tasks tasks{};
  tasks.enqueue = [](msd_task_function task, void *context, void *count) -> void * {
    ++static_cast<counts *>(count)->tasks;
    task(context);
    return nullptr;
  };
  tasks.finish = [](void *, void *) {};
  tasks.context = &seen;
  tasks.worker_count = 2;
  msd_callbacks callbacks{};
  callbacks.stop = [](void *count) { return static_cast<counts *>(count)->substeps == 3; };
  callbacks.after_substep = [](const msd_world *, const msd_substep_info *, void *count) {
    ++static_cast<counts *>(count)->substeps;
  };
  callbacks.context = &seen;
  msd::world world;
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 40;
  world.add(def);
  world(msd_world_set_tasks, &tasks);
  world(msd_world_set_callbacks, &callbacks);
  EXPECT(refuses(MSD_CANCELED, [&] { world.step(msd_real(1) / 60, 8); }));
  EXPECT(seen.substeps == 3 && world(msd_world_get_steps) == 3);
  // On a busy machine a world goes on alone for a while.
  world(msd_world_set_callbacks, nullptr);
  for (int frame = 0; frame < 500 && seen.tasks == 0; frame++)
    world.step(msd_real(1) / 60, 8);
  EXPECT(seen.tasks > 0);
  return 0;
}

int main() {
  const int results[] = {of_bodies(), of_parts(),   of_errors(),   of_several(),
                         of_many(),   of_removal(), of_settings(), of_threads_and_callbacks()};
  for (const int result : results)
    if (result)
      return result;
  return 0;
}

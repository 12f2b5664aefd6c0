// msd in C++17 and later: a world with ownership, exceptions instead of results, ranges over its arrays.
// Everything else is the C interface, whose functions are called through the world:
//
//   msd::world world;
//   const msd_body rope = world.add(msd_default_rope_def());
//   world(msd_particle_pin, rope.particles.first);   // throws msd::error on failure
//   world.step(1 / 60.f);
//   for (const msd_vec3 x : world.positions()) ...
#ifndef MSD_MSD_HPP
#define MSD_MSD_HPP

#include "msd/msd.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace msd {

// A failed call. what() is the message of the world, or the text of the result if there is none.
struct error : std::runtime_error {
  error(msd_result refused, const char *message)
      : std::runtime_error(message && *message ? message : msd_result_string(refused)), result(refused) {}
  msd_result result;
};

// View of the positions or velocities of all particles, without a copy. Valid as long as msd_view.
struct view : msd_view {
  struct iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = msd_vec3;
    using difference_type = std::ptrdiff_t;
    using pointer = const msd_vec3 *;
    using reference = msd_vec3;
    msd_vec3 operator*() const { return msd_view_at(of, i); }
    iterator &operator++() { return ++i, *this; }
    iterator operator++(int) { return {of, i++}; }
    bool operator==(const iterator &other) const { return i == other.i; }
    bool operator!=(const iterator &other) const { return i != other.i; }
    msd_view of;
    std::int32_t i;
  };
  explicit view(const msd_view &v) : msd_view(v) {}
  std::size_t size() const { return static_cast<std::size_t>(count); }
  msd_vec3 operator[](std::int32_t i) const { return msd_view_at(*this, i); }
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, count}; }
};

// A selection of particles: a range such as body.particles, or a vector, array or span of indices, which must
// stay valid while the selection is used.
inline msd_particle_set particles(msd_range range) { return msd_particle_set_of_range(range); }
template <class Range> msd_particle_set particles(const Range &indices) {
  return msd_particle_set_of_list(std::data(indices), static_cast<std::int32_t>(std::size(indices)));
}

// The triangles of the body that a definition describes, as msd_cloth_get_triangles returns them.
template <class Def>
std::vector<std::int32_t> triangles(msd_result (*get)(const Def *, std::int32_t, std::int32_t *, std::int32_t,
                                                      std::int32_t *),
                                    const Def &def, std::int32_t first) {
  std::int32_t count = 0;
  msd_result result = get(&def, first, nullptr, 0, &count);
  std::vector<std::int32_t> made(3 * static_cast<std::size_t>(count));
  if (result == MSD_OK)
    result = get(&def, first, made.data(), count, &count);
  return result == MSD_OK ? made : throw error(result, nullptr);
}
inline auto triangles(const msd_cloth_def &def, std::int32_t first = 0) {
  return triangles(msd_cloth_get_triangles, def, first);
}
inline auto triangles(const msd_mesh_def &def, std::int32_t first = 0) {
  return triangles(msd_mesh_get_triangles, def, first);
}
inline auto triangles(const msd_block_def &def, std::int32_t first = 0) {
  return triangles(msd_block_get_triangles, def, first);
}
inline auto triangles(const msd_tetmesh_def &def, std::int32_t first = 0) {
  return triangles(msd_tetmesh_get_triangles, def, first);
}

// Owns a world. It can be moved, not copied; clone() copies. A moved-from object can only be destroyed or
// assigned to.
class world {
  static void check(msd_result result, const char *message) {
    if (result != MSD_OK)
      throw error(result, message);
  }

  // Functions with a const world set no message; the stored message would be that of an older call.
  template <class World, class Function, class... Arguments>
  static auto call(World *world, Function function, Arguments &&...arguments) {
    constexpr bool is_reading = std::is_invocable_v<Function, const msd_world *, Arguments...>;
    if constexpr (std::is_same_v<std::invoke_result_t<Function, World *, Arguments...>, msd_result>)
      check(function(world, std::forward<Arguments>(arguments)...),
            is_reading ? nullptr : msd_world_message(world));
    else
      return function(world, std::forward<Arguments>(arguments)...);
  }

public:
  explicit world(const msd_world_def &def = msd_default_world_def()) {
    check(msd_create_world(&def, &handle), nullptr);
  }
  explicit world(msd_world *owned) : handle(owned) {}
  world(world &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  world &operator=(world &&other) noexcept { return std::swap(handle, other.handle), *this; }
  ~world() { msd_destroy_world(handle); }
  msd_world *get() const { return handle; }

  world clone() const {
    msd_world *copy = nullptr;
    check(msd_copy_world(handle, &copy), nullptr);
    return world(copy);
  }

  // Calls any function whose first argument is a world, and returns its result. An msd_result other than MSD_OK
  // is thrown as an error. A const world accepts functions that take a const world.
  template <class Function, class... Arguments> auto operator()(Function function, Arguments &&...arguments) {
    return call(handle, function, std::forward<Arguments>(arguments)...);
  }
  template <class Function, class... Arguments>
  auto operator()(Function function, Arguments &&...arguments) const {
    return call(static_cast<const msd_world *>(handle), function, std::forward<Arguments>(arguments)...);
  }

  void step(msd_real frame_time, int substeps = 0) { (*this)(msd_world_step, frame_time, substeps); }
  view positions() const { return view(msd_world_get_positions(handle)); }
  view velocities() const { return view(msd_world_get_velocities(handle)); }

  // Add a body.
  msd_body add(const msd_rope_def &def) { return build(msd_add_rope, def); }
  msd_body add(const msd_cloth_def &def) { return build(msd_add_cloth, def); }
  msd_body add(const msd_mesh_def &def) { return build(msd_add_mesh, def); }
  msd_body add(const msd_block_def &def) { return build(msd_add_block, def); }
  msd_body add(const msd_tetmesh_def &def) { return build(msd_add_tetmesh, def); }

  // Add one or many particles, springs, constraints, soft pins, rotors, torsion springs, colliders or collision
  // meshes (the latter from a vector, array or span). Return the index of the first.
  template <class Def> std::int32_t add(const Def &def) { return add_some(adder(&def), &def, 1); }
  template <class Range> std::int32_t add_all(const Range &defs) {
    return add_some(adder(std::data(defs)), std::data(defs), static_cast<int>(std::size(defs)));
  }

  // Copy an attribute of particles to or from a vector, array or span with one element per particle: msd_vec3
  // if msd_attribute_components returns 3, msd_real if it returns 1. For other layouts use msd_world_read and
  // msd_world_write.
  template <class Range> void read(msd_particle_set which, msd_attribute attribute, Range &&to) const {
    (*this)(msd_world_read, which, attribute, layout_of(which, attribute, to), std::data(to));
  }
  template <class Range> void write(msd_particle_set which, msd_attribute attribute, const Range &from) {
    (*this)(msd_world_write, which, attribute, layout_of(which, attribute, from), std::data(from));
  }

  // Returns the unbroken springs of a range as lines, two particles each (msd/render_mesh.h).
  std::vector<std::array<std::int32_t, 2>> lines(msd_range springs) const {
    const std::int32_t count = msd_world_get_lines(handle, springs, nullptr, 0);
    std::vector<std::array<std::int32_t, 2>> made(static_cast<std::size_t>(count));
    if (count > 0)
      msd_world_get_lines(handle, springs, made.front().data(), count);
    return made;
  }

  // Destroy objects by index, or all of a range; and close the gaps (msd/removal.h). `moves` receives the new
  // indices.
  template <class Range> void destroy(msd_object item, const Range &indices) {
    (*this)(msd_destroy_objects, item, std::data(indices), static_cast<std::int32_t>(std::size(indices)));
  }
  void destroy(msd_object item, msd_range range) { (*this)(msd_destroy_range, item, range); }
  void compact(const msd_index_moves *moves = nullptr) { (*this)(msd_world_compact, moves); }

  // Save and restore snapshots and states, as msd_world_save and msd_world_save_state do.
  std::vector<unsigned char> save() const { return bytes(msd_world_save); }
  void restore(const std::vector<unsigned char> &from) {
    (*this)(msd_world_restore, from.data(), from.size());
  }
  std::vector<unsigned char> save_state() const { return bytes(msd_world_save_state); }
  void restore_state(const std::vector<unsigned char> &from) {
    (*this)(msd_world_restore_state, from.data(), from.size());
  }

private:
  template <class Def>
  msd_body build(msd_result (*builder)(msd_world *, const Def *, msd_body *), const Def &def) {
    msd_body body;
    (*this)(builder, &def, &body);
    return body;
  }

  // Throws if the element type does not match the attribute, or the number of elements that of the particles.
  template <class Range>
  static msd_memory_layout layout_of(msd_particle_set which, msd_attribute attribute, const Range &elements) {
    constexpr std::size_t size = sizeof *std::data(elements);
    const auto numbers = static_cast<std::size_t>(msd_attribute_components(attribute));
    if (size != numbers * sizeof(msd_real) || std::size(elements) != static_cast<std::size_t>(which.count))
      throw error(MSD_BAD_VALUE, "the elements are not those of the particles and the quantity");
    return {};
  }

  template <class Def> using adding = msd_result (*)(msd_world *, const Def *, int, std::int32_t *);
  template <class Def> std::int32_t add_some(adding<Def> function, const Def *defs, int count) {
    std::int32_t first = 0;
    (*this)(function, defs, count, &first);
    return first;
  }
  static adding<msd_particle_def> adder(const msd_particle_def *) { return msd_add_particles; }
  static adding<msd_spring_def> adder(const msd_spring_def *) { return msd_add_springs; }
  static adding<msd_constraint_def> adder(const msd_constraint_def *) { return msd_add_constraints; }
  static adding<msd_soft_pin_def> adder(const msd_soft_pin_def *) { return msd_add_soft_pins; }
  static adding<msd_rotor_def> adder(const msd_rotor_def *) { return msd_add_rotors; }
  static adding<msd_torsion_spring_def> adder(const msd_torsion_spring_def *) {
    return msd_add_torsion_springs;
  }
  static adding<msd_collider_def> adder(const msd_collider_def *) { return msd_add_colliders; }
  static adding<msd_collision_mesh_def> adder(const msd_collision_mesh_def *) { return msd_add_collision_meshes; }

  std::vector<unsigned char> bytes(msd_result (*writer)(const msd_world *, void *, std::size_t,
                                                        std::size_t *)) const {
    std::size_t size = 0;
    (*this)(writer, nullptr, std::size_t(0), &size);
    std::vector<unsigned char> made(size);
    (*this)(writer, made.data(), made.size(), &size);
    return made;
  }

  msd_world *handle = nullptr;
};

// Advances each world of a range by one frame, as msd_worlds_step does. The first error is thrown after all are
// done.
template <class Worlds>
void step_all(Worlds &worlds, msd_real frame_time, int substeps = 0, int thread_count = 0,
              const msd_tasks *tasks = nullptr) {
  std::vector<msd_step> steps;
  for (world &w : worlds)
    steps.push_back({w.get(), frame_time, substeps, MSD_OK});
  const msd_result result = msd_worlds_step(steps.data(), static_cast<int>(steps.size()), thread_count, tasks);
  for (const msd_step &s : steps)
    if (s.result != MSD_OK)
      throw error(s.result, msd_world_message(s.world));
  if (result != MSD_OK)
    throw error(result, nullptr);
}

} // namespace msd

#endif

// msd in C++17 and later: a world that owns itself, exceptions in the place of results, ranges over its
// arrays. All else is the C interface, whose functions are called through the world:
//
//   msd::world world;
//   const msd_body rope = world.add(msd_default_rope_def());
//   world(msd_particle_pin, rope.particles.first);   // throws msd::error where it is refused
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

// What a function has refused; what() is the message of the world, or else the text of the result.
struct error : std::runtime_error {
  error(msd_result refused, const char *message)
      : std::runtime_error(message && *message ? message : msd_result_string(refused)), result(refused) {}
  msd_result result;
};

// Positions or velocities of all particles, without a copy; valid as msd_view is.
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

// Some particles, for reading and writing: those of a range, as body.particles, or of a vector, array or span
// of indices, which must live as long as it is used.
inline msd_particles particles(msd_range range) { return msd_particles_in_range(range); }
template <class Range> msd_particles particles(const Range &indices) {
  return msd_particles_in_list(std::data(indices), static_cast<std::int32_t>(std::size(indices)));
}

// The triangles of what is built of a definition, as msd_cloth_get_triangles tells them.
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

// Moved, not copied: clone() copies. One that was moved from is only good for being destroyed or assigned to.
class world {
  static void check(msd_result result, const char *message) {
    if (result != MSD_OK)
      throw error(result, message);
  }

  // What takes a const world leaves no message: the one that is there is of an older call.
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

  // Any function whose first argument is a world: what it returns, but for results, which are MSD_OK or
  // thrown. A const world has those that take a const one.
  template <class Function, class... Arguments> auto operator()(Function function, Arguments &&...arguments) {
    return call(handle, function, std::forward<Arguments>(arguments)...);
  }
  template <class Function, class... Arguments>
  auto operator()(Function function, Arguments &&...arguments) const {
    return call(static_cast<const msd_world *>(handle), function, std::forward<Arguments>(arguments)...);
  }

  void step(msd_real time_step, int substeps = 0) { (*this)(msd_world_step, time_step, substeps); }
  view positions() const { return view(msd_world_get_positions(handle)); }
  view velocities() const { return view(msd_world_get_velocities(handle)); }

  // Bodies.
  msd_body add(const msd_rope_def &def) { return build(msd_add_rope, def); }
  msd_body add(const msd_cloth_def &def) { return build(msd_add_cloth, def); }
  msd_body add(const msd_mesh_def &def) { return build(msd_add_mesh, def); }
  msd_body add(const msd_block_def &def) { return build(msd_add_block, def); }
  msd_body add(const msd_tetmesh_def &def) { return build(msd_add_tetmesh, def); }

  // Particles, springs, constraints, anchors, rotors, angular springs, colliders, surfaces: the index of the
  // first; one, or all of a vector, array or span.
  template <class Def> std::int32_t add(const Def &def) { return add_some(adder(&def), &def, 1); }
  template <class Range> std::int32_t add_all(const Range &defs) {
    return add_some(adder(std::data(defs)), std::data(defs), static_cast<int>(std::size(defs)));
  }

  // A quantity of particles out of a vector, array or span, or into it; an element for each: msd_vec3 where
  // msd_quantity_components says 3, msd_real where it says 1. Other layouts: msd_world_read and its like.
  template <class Range> void read(msd_particles which, msd_quantity quantity, Range &&to) const {
    (*this)(msd_world_read, which, quantity, layout_of(which, quantity, to), std::data(to));
  }
  template <class Range> void write(msd_particles which, msd_quantity quantity, const Range &from) {
    (*this)(msd_world_write, which, quantity, layout_of(which, quantity, from), std::data(from));
  }

  // The lines of springs that are not broken, two particles each (msd/skin.h).
  std::vector<std::array<std::int32_t, 2>> lines(msd_range springs) const {
    const std::int32_t count = msd_world_get_lines(handle, springs, nullptr, 0);
    std::vector<std::array<std::int32_t, 2>> made(static_cast<std::size_t>(count));
    if (count > 0)
      msd_world_get_lines(handle, springs, made.front().data(), count);
    return made;
  }

  // Destroys items by their indices, or all of a range (msd/removal.h); and closes the gaps. `moves` tells
  // where everything has gone.
  template <class Range> void destroy(msd_item item, const Range &indices) {
    (*this)(msd_destroy_items, item, std::data(indices), static_cast<std::int32_t>(std::size(indices)));
  }
  void destroy(msd_item item, msd_range range) { (*this)(msd_destroy_range, item, range); }
  void compact(const msd_index_moves *moves = nullptr) { (*this)(msd_world_compact, moves); }

  // Snapshots, as msd_world_save, msd_world_restore and the same of states.
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

  // Throws where elements have not the numbers of the quantity, or are not as many as the particles.
  template <class Range>
  static msd_layout layout_of(msd_particles which, msd_quantity quantity, const Range &elements) {
    constexpr std::size_t size = sizeof *std::data(elements);
    const auto numbers = static_cast<std::size_t>(msd_quantity_components(quantity));
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
  static adding<msd_anchor_def> adder(const msd_anchor_def *) { return msd_add_anchors; }
  static adding<msd_rotor_def> adder(const msd_rotor_def *) { return msd_add_rotors; }
  static adding<msd_angular_spring_def> adder(const msd_angular_spring_def *) {
    return msd_add_angular_springs;
  }
  static adding<msd_collider_def> adder(const msd_collider_def *) { return msd_add_colliders; }
  static adding<msd_surface_def> adder(const msd_surface_def *) { return msd_add_surfaces; }

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

// A step of each world of a range, as msd_worlds_step takes them; the first error is thrown when all are done.
template <class Worlds>
void step_all(Worlds &worlds, msd_real time_step, int substeps = 0, int thread_count = 0,
              const msd_tasks *tasks = nullptr) {
  std::vector<msd_step> steps;
  for (world &w : worlds)
    steps.push_back({w.get(), time_step, substeps, MSD_OK});
  const msd_result result = msd_worlds_step(steps.data(), static_cast<int>(steps.size()), thread_count, tasks);
  for (const msd_step &s : steps)
    if (s.result != MSD_OK)
      throw error(s.result, msd_world_message(s.world));
  if (result != MSD_OK)
    throw error(result, nullptr);
}

} // namespace msd

#endif

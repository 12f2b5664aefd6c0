#include "engine/contact/vertex_order.h"

#include "engine/base/vec3.h"

static double coordinate(const msd_vec3 *rest, int32_t particle, int axis) {
  double at[3];
  vec3_components(rest[particle], at);
  return at[axis];
}

static int longest_axis(const int32_t *particles, int32_t count, const msd_vec3 *rest) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t n = 0; n < count; n++)
    for (int axis = 0; axis < 3; axis++) {
      const double at = coordinate(rest, particles[n], axis);
      low[axis] = at < low[axis] ? at : low[axis];
      high[axis] = at > high[axis] ? at : high[axis];
    }
  int longest = 0;
  for (int axis = 1; axis < 3; axis++)
    if (high[axis] - low[axis] > high[longest] - low[longest])
      longest = axis;
  return longest;
}

/* Particles in one place are told apart by their indices, so that the order of any two is known. */
static bool stands_before(const msd_vec3 *rest, int axis, int32_t a, int32_t b) {
  const double at_a = coordinate(rest, a, axis), at_b = coordinate(rest, b, axis);
  return at_a < at_b || (at_a == at_b && a < b);
}

static void swap(int32_t *particles, int32_t a, int32_t b) {
  const int32_t held = particles[a];
  particles[a] = particles[b];
  particles[b] = held;
}

/* Brings the `wanted` that stand before all others to the front: Hoare's selection, with the median of three as
   its pivot. */
static void select_first(int32_t *particles, int32_t count, int32_t wanted, const msd_vec3 *rest, int axis) {
  int32_t first = 0, last = count - 1;
  while (first < last) {
    const int32_t middle = first + (last - first) / 2;
    if (stands_before(rest, axis, particles[middle], particles[first]))
      swap(particles, first, middle);
    if (stands_before(rest, axis, particles[last], particles[first]))
      swap(particles, first, last);
    if (stands_before(rest, axis, particles[last], particles[middle]))
      swap(particles, middle, last);
    const int32_t pivot = particles[middle];
    int32_t up = first, down = last;
    while (up <= down) {
      while (stands_before(rest, axis, particles[up], pivot))
        up++;
      while (stands_before(rest, axis, pivot, particles[down]))
        down--;
      if (up <= down)
        swap(particles, up++, down--);
    }
    if (wanted <= down)
      last = down;
    else if (wanted >= up)
      first = up;
    else
      return;
  }
}

/* Whole leaves to each side, and whole groups of 16 leaves where there are more. */
static int32_t first_half(int32_t count, int32_t leaf) {
  const int32_t group = count > 32 * leaf ? 16 * leaf : count > leaf ? leaf : 1;
  const int32_t groups = count / group + (count % group != 0);
  return groups / 2 * group;
}

void vertex_order_make(int32_t *particles, int32_t count, const msd_vec3 *rest, int32_t leaf) {
  while (count > 1) {
    const int32_t half = first_half(count, leaf);
    select_first(particles, count, half, rest, longest_axis(particles, count, rest));
    vertex_order_make(particles, half, rest, leaf);
    particles += half;
    count -= half;
  }
}

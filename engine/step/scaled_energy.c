#include "engine/step/scaled_energy.h"

#include "engine/store/particle.h"

/* Sums of a chunk by lane, in the order of its groups. */
typedef struct lane_sums {
  double of[NETWORK_GROUP];
} lane_sums;

static double sum_lanes(const lane_sums *s) {
  double sum = 0;
  for (int lane = 0; lane < NETWORK_GROUP; lane++)
    sum += s->of[lane];
  return sum;
}

/* Groups of the chunk that starts at `first`, clipped to `last`. */
static parallel_range chunk_at(int32_t first, int32_t last) {
  const int32_t end = first + NETWORK_CHUNK_GROUPS;
  return (parallel_range){first, end < last ? end : last};
}

/* Adds m v^2 of a group by lane. The compiler vectorizes loops over arrays of NETWORK_GROUP values. */
static void add_kinetic(const spring_input *in, const msd_real *slab, size_t first, lane_sums *sums) {
  double mass[NETWORK_GROUP];
  for (size_t lane = 0; lane < NETWORK_GROUP; lane++) {
    const double inverse = (double)in->net->inverse_mass[first + lane];
    mass[lane] = inverse > 0 ? 1 / inverse : 0;
  }
  for (size_t c = VELOCITY_X; c < COMPONENTS; c++) {
    const msd_real *row = slab + c * in->stride + first;
    for (size_t lane = 0; lane < NETWORK_GROUP; lane++)
      sums->of[lane] += mass[lane] * (double)row[lane] * (double)row[lane];
  }
}

double scaled_energy_kinetic(const spring_input *in, const msd_real *slab, parallel_range groups) {
  lane_sums sums = {{0}};
  for (int32_t group = groups.first; group < groups.last; group++)
    add_kinetic(in, slab, (size_t)group * NETWORK_GROUP, &sums);
  return sum_lanes(&sums) / 2;
}

void scaled_energy_begin(const spring_input *in, const msd_real *slab, parallel_range groups) {
  for (int32_t at = groups.first; at < groups.last; at += NETWORK_CHUNK_GROUPS)
    in->tallies[at / NETWORK_CHUNK_GROUPS].kinetic =
        scaled_energy_kinetic(in, slab, chunk_at(at, groups.last));
}

/* Adds f . v times the factor of each lane. */
static void add_power(const spring_input *in, const msd_real *slab, size_t first,
                      const double factor[NETWORK_GROUP], lane_sums *sums) {
  for (size_t c = 0; c < 3; c++) {
    const msd_real *force = in->spring_force + c * in->stride + first;
    const msd_real *v = slab + (c + VELOCITY_X) * in->stride + first;
    for (size_t lane = 0; lane < NETWORK_GROUP; lane++)
      sums->of[lane] += (double)force[lane] * (factor[lane] * (double)v[lane]);
  }
}

/* Reciprocal of the linear damping factor; 1 for pins. */
static void find_undrag(const spring_input *in, double decay, size_t first, double undrag[NETWORK_GROUP]) {
  const double of_free = decay > 0 ? 1 / decay : 0;
  for (size_t lane = 0; lane < NETWORK_GROUP; lane++)
    undrag[lane] = in->net->inverse_mass[first + lane] > 0 ? of_free : 1;
}

double scaled_energy_power(const spring_input *in, const msd_real *slab, double decay,
                           parallel_range groups) {
  double undrag[NETWORK_GROUP];
  lane_sums sums = {{0}};
  for (int32_t group = groups.first; group < groups.last; group++) {
    const size_t first = (size_t)group * NETWORK_GROUP;
    find_undrag(in, decay, first, undrag);
    add_power(in, slab, first, undrag, &sums);
  }
  return sum_lanes(&sums);
}

static void fill(double factor[NETWORK_GROUP], double value) {
  for (size_t lane = 0; lane < NETWORK_GROUP; lane++)
    factor[lane] = value;
}

static double kick_of_chunk(const spring_input *in, const msd_real *read, const msd_real *written,
                            parallel_range groups) {
  double one[NETWORK_GROUP], undrag[NETWORK_GROUP];
  lane_sums sums = {{0}};
  fill(one, 1);
  for (int32_t group = groups.first; group < groups.last; group++) {
    const size_t first = (size_t)group * NETWORK_GROUP;
    find_undrag(in, (double)in->decay, first, undrag);
    add_power(in, read, first, one, &sums);
    add_power(in, written, first, undrag, &sums);
  }
  return sum_lanes(&sums);
}

void scaled_energy_of_kick(const spring_input *in, const msd_real *read, const msd_real *written,
                           parallel_range groups) {
  for (int32_t at = groups.first; at < groups.last; at += NETWORK_CHUNK_GROUPS)
    in->tallies[at / NETWORK_CHUNK_GROUPS].work +=
        kick_of_chunk(in, read, written, chunk_at(at, groups.last));
}

static double power_of_chunk(const spring_input *in, const msd_real *written, double sign,
                             parallel_range groups) {
  double factor[NETWORK_GROUP];
  lane_sums sums = {{0}};
  fill(factor, sign);
  for (int32_t group = groups.first; group < groups.last; group++)
    add_power(in, written, (size_t)group * NETWORK_GROUP, factor, &sums);
  return sum_lanes(&sums);
}

void scaled_energy_of_change(const spring_input *in, const msd_real *written, double sign,
                             parallel_range groups) {
  for (int32_t at = groups.first; at < groups.last; at += NETWORK_CHUNK_GROUPS)
    in->tallies[at / NETWORK_CHUNK_GROUPS].work +=
        power_of_chunk(in, written, sign, chunk_at(at, groups.last));
}

/* Energy measurement and force modification for each spring; see energy_meter.h. Included once by
   spring_force_kernel.h, over the lanes of lane.h. */

#include "engine/kernel/energy_meter.h"

typedef struct watch {
  /* A compile-time constant. */
  spring_pass pass;
  /* True if these ends of the springs add to the sums. */
  bool counts;
  /* s and theta of energy_meter.h; half a substep in s. */
  msd_real kept, turned, half_step;
  /* Per particle: twice the sums of a spring_tally. */
  LANE first, second;
  /* N: the spring forces on the particles. */
  LANE3 force;
} watch;

LANE_INLINE watch watch_begin(const energy_meter *order, spring_pass pass, msd_real dt) {
  return (watch){.pass = pass,
                 .kept = pass == SPRING_PASS_SCALE ? order->kept : 1,
                 .turned = pass == SPRING_PASS_SCALE ? order->turned : 0,
                 .half_step = dt / 2,
                 .counts = true,
                 .first = lane_set(0),
                 .second = lane_set(0),
                 .force = lane_set3(0, 0, 0)};
}

/* The springs in the lanes, from q to p, as spring_forces computes them. */
typedef struct watched_springs {
  LANE3 d, dv;
  LANE inverse, rate, error;
  /* Damping is 0 where a spring does not act. */
  LANE stiffness, damping;
  /* The tension along the spring, N. */
  LANE pull;
  /* True where there is a spring. */
  LANE_MASK exist;
  /* The fraction of each spring that is counted at this end. */
  LANE weight;
} watched_springs;

/* With kappa = k + 2 mu/dt: kappa dt/2, so that kappa b/2 is this times the rate. */
LANE_INLINE LANE watch_fitting_damping(const watch *w, const watched_springs *s) {
  return s->stiffness * w->half_step + s->damping;
}

/* Twice e = 1/2 k tau (tau - b) - 1/4 (mu/dt) b^2, where b = dt rate. */
LANE_INLINE LANE watch_energy(const watch *w, const watched_springs *s) {
  const LANE stretch = s->stiffness * s->error, lag = w->half_step * s->rate;
  return stretch * s->error - lag * (stretch + stretch + s->damping * s->rate);
}

/* Adds the energies of the springs to the sums. */
LANE_INLINE void watch_count(watch *w, const watched_springs *s) {
  if (!w->counts)
    return;
  if (w->pass == SPRING_PASS_MEASURE)
    w->first += s->weight * lane_keep(s->exist, watch_energy(w, s));
  if (w->pass == SPRING_PASS_RESERVE) {
    const LANE y = s->error - w->half_step * s->rate;
    const LANE across = lane_dot(s->dv, s->dv) - s->rate * s->rate;
    w->first += s->weight * lane_keep(s->exist, s->stiffness * y * y);
    w->second += s->weight * lane_keep(s->exist, w->half_step * watch_fitting_damping(w, s) * across);
  }
}

/* The forces of a scaling pass. */
LANE_INLINE LANE3 watch_forces(const watch *w, const watched_springs *s) {
  const LANE fitting = watch_fitting_damping(w, s);
  const LANE along = w->kept * s->pull + (1 - w->kept) * fitting * s->rate;
  const LANE turn = w->turned * fitting;
  const LANE scale = (along - turn * s->rate) * s->inverse;
  return lane_keep3(s->exist, lane_add(lane_scale(s->d, scale), lane_scale(s->dv, turn)));
}

/* Adds the work of moving pins. No force is stored at them, so the springs in these lanes account for it. */
LANE_INLINE void watch_held(watch *w, LANE_MASK held, LANE3 force, LANE3 pin_velocity) {
  if (w->pass != SPRING_PASS_RESERVE)
    w->second += 4 * lane_keep(held, lane_dot(force, pin_velocity));
}

/* The springs of an overflow row belong to one particle. Their energies are added one at a time, so that the
   order does not depend on the vector width. */
LANE_INLINE watch watch_again(const watch *w) {
  watch empty = *w;
  empty.first = empty.second = lane_set(0);
  return empty;
}

LANE_INLINE void watch_tail(watch *w, int lane, const watch *of_springs) {
  msd_real first = lane_get(w->first, lane), second = lane_get(w->second, lane);
  for (int n = 0; n < LANE_COUNT; n++) {
    first += lane_get(of_springs->first, n);
    second += lane_get(of_springs->second, n);
  }
  lane_put(&w->first, lane, first);
  lane_put(&w->second, lane, second);
}

/* The sums of a chunk, by lane, in the order of its groups. */
typedef struct watch_rows {
  msd_real first[NETWORK_GROUP], second[NETWORK_GROUP], kinetic[NETWORK_GROUP];
} watch_rows;

LANE_INLINE void watch_add(msd_real *row, LANE a) {
  lane_store(row, lane_load(row) + a);
}

/* Adds particles with the velocity v before the kick and v + change after it. */
LANE_INLINE void watch_particles(watch_rows *rows, const watch *w, int32_t particle, LANE3 v, LANE3 change,
                                 LANE inverse_mass) {
  const int32_t lane = particle % NETWORK_GROUP;
  watch_add(rows->first + lane, w->first);
  watch_add(rows->second + lane, w->second);
  if (w->pass == SPRING_PASS_RESERVE)
    return;
  const LANE work = lane_dot(w->force, lane_add(lane_add(v, v), change));
  watch_add(rows->second + lane, work + work);
  watch_add(rows->kinetic + lane, lane_dot(v, v) * lane_inverse(inverse_mass > 0, inverse_mass));
}

/* The same for particles that other code moves. */
LANE_INLINE void watch_keep(watch_rows *rows, const watch *w, const spring_input *in, int32_t particle) {
  const int32_t lane = particle % NETWORK_GROUP;
  watch_add(rows->first + lane, w->first);
  watch_add(rows->second + lane, w->second);
  lane_store3(in->spring_force + particle, in->stride, w->force);
}

static double watch_sum(const msd_real *row) {
  double sum = 0;
  for (int lane = 0; lane < NETWORK_GROUP; lane++)
    sum += (double)row[lane];
  return sum;
}

static spring_tally watch_tally(const watch_rows *rows) {
  return (spring_tally){watch_sum(rows->first) / 2, watch_sum(rows->second) / 2,
                        watch_sum(rows->kinetic) / 2};
}

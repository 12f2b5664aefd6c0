#include "engine/step/projected_step.h"

#include "engine/store/particle.h"

#include <math.h>
#include <string.h>

typedef struct own_slots {
  size_t first, last;
} own_slots;

static void begin(const spring_input *in, own_slots own) {
  for (size_t c = VELOCITY_X; c < COMPONENTS; c++)
    memcpy(in->write.slab + c * in->stride + own.first, in->read.slab + c * in->stride + own.first,
           (own.last - own.first) * sizeof *in->write.slab);
}

/* By gravity, given forces and drag. */
static void kick(const spring_input *in, own_slots own) {
  for (size_t c = 0; c < 3; c++) {
    const msd_real *force = in->force ? in->force + c * in->stride : NULL;
    msd_real *v = in->write.slab + (c + VELOCITY_X) * in->stride;
    for (size_t i = own.first; i < own.last; i++) {
      const msd_real inverse = in->net->inverse_mass[i];
      if (inverse > 0)
        v[i] = (v[i] + in->time_step * ((force ? force[i] * inverse : 0) + in->gravity[c])) * in->decay;
    }
  }
}

static bool drift(const spring_input *in, own_slots own) {
  bool finite = true;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = in->read.slab + c * in->stride;
    msd_real *next_x = in->write.slab + c * in->stride;
    const msd_real *v = next_x + VELOCITY_X * in->stride;
    for (size_t i = own.first; i < own.last; i++) {
      next_x[i] = x[i] + in->time_step * v[i];
      finite = finite && isfinite(next_x[i]) && isfinite(v[i]);
    }
  }
  return finite;
}

static void hold_tethers(const projected_thread *t, const spring_input *in, own_slots own) {
  if (t->tethers)
    tether_balls_hold(t->tethers, t->catches,
                      &(tether_state){in->read.slab, in->write.slab + VELOCITY_X * in->stride, in->stride,
                                      in->time_step},
                      own.first, own.last);
}

bool projected_step(const projected_thread *t, const spring_input *in) {
  const parallel_range groups = parallel_split(in->net->group_count, t->thread, t->threads);
  const own_slots own = {(size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP};
  const spring_projection_thread springs = {.springs = t->springs,
                                            .net = in->net,
                                            .side = t->side,
                                            .position = in->read.slab,
                                            .velocity = in->write.slab + VELOCITY_X * in->stride,
                                            .stride = in->stride,
                                            .time_step = in->time_step,
                                            .barrier = t->barrier,
                                            .thread = t->thread,
                                            .threads = t->threads};
  begin(in, own);
  parallel_wait(t->barrier, t->threads);
  spring_projection_damp(&springs);
  kick(in, own);
  parallel_wait(t->barrier, t->threads); /* pins that others hold to are there */
  hold_tethers(t, in, own);
  parallel_wait(t->barrier, t->threads);
  spring_projection_project(&springs);
  hold_tethers(t, in, own);
  return drift(in, own);
}

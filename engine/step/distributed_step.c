#include "engine/step/distributed_step.h"

#include "engine/base/min_max.h"
#include "engine/step/rank_step.h"
#include "engine/store/particle.h"

#include <string.h>

static size_t slot_count(const coupled_run *c) {
  return (size_t)c->run.input.net->group_count * NETWORK_GROUP;
}

static msd_real *slab_of(const coupled_run *c, int substep) {
  return c->slab[substep == 0 ? 0 : 2 - substep % 2];
}

/* Index (0 or 1) of the soft-pin state that belongs to the state after `substep` substeps. */
static int parity_of(const coupled_run *c, int substep) {
  return (c->run.current + substep) % 2;
}

/* --------------------------------------------------------------------------------------------- soft pins */

/* Soft pins of the particles in a chunk. */
static parallel_range soft_pins_of(const coupled_run *c, int32_t chunk) {
  const integrator_soft_pins *all = &c->run.soft_pins;
  parallel_range found = {0, 0};
  for (int32_t low = 0, high = all->count; low < high;) {
    const int32_t middle = low + (high - low) / 2;
    if (all->works[middle].slot / NETWORK_CHUNK < (size_t)chunk)
      low = middle + 1;
    else
      high = middle;
    found.first = low;
  }
  found.last = found.first;
  while (found.last < all->count && all->works[found.last].slot / NETWORK_CHUNK == (size_t)chunk)
    found.last++;
  return found;
}

/* Copies three vectors of each soft pin of a chunk to or from a halo message, after the particle state. */
static void copy_soft_pins(const coupled_run *c, int32_t chunk, int parity, msd_real *parcel, bool is_taken) {
  char *at = (char *)(parcel + PARTITION_PARCEL);
  const parallel_range own = soft_pins_of(c, chunk);
  for (int32_t n = own.first; n < own.last; n++) {
    soft_pin_work *work = &c->run.soft_pins.works[n];
    double *const vectors[] = {work->velocity[parity], work->seen[parity], work->change[parity]};
    for (int k = 0; k < 3; k++, at += sizeof work->seen[0]) {
      if (is_taken)
        memcpy(vectors[k], at, sizeof work->seen[0]);
      else
        memcpy(at, vectors[k], sizeof work->seen[0]);
    }
  }
}

static void exchange_states(const coupled_run *c, const halo_route *route, int substep) {
  const partition *s = c->partition;
  const size_t stride = c->run.input.stride;
  msd_real *slab = slab_of(c, substep);
  partition_pack(s, route, slab, stride, slot_count(c), COMPONENTS);
  for (int32_t n = 0; n < route->give_count; n++)
    copy_soft_pins(c, route->give[n], parity_of(c, substep), partition_outgoing(s, n), false);
  s->ranks.begin(route->handle, s->give, s->take, s->ranks.context);
  s->ranks.end(route->handle, s->give, s->take, s->ranks.context);
  partition_unpack(s, route, slab, stride, slot_count(c), COMPONENTS);
  for (int32_t n = 0; n < route->take_count; n++)
    copy_soft_pins(c, route->take[n], parity_of(c, substep), partition_incoming(s, n), true);
}

/* ---------------------------------------------------------------------------------------------- contacts */

/* Received chunks have no valid clearance bounds: other ranks moved their particles. */
static void forget_clear(const coupled_run *c, const halo_route *route) {
  for (int32_t n = 0; n < route->take_count && c->run.contact; n++) {
    const size_t first = (size_t)route->take[n] * NETWORK_CHUNK;
    contact_work_forget_own(c->run.contact->work, first, first + NETWORK_CHUNK);
  }
}

/* Layout of a contact message. The contact counts of a rank follow the contacts in its first message; a rank
   without chunks sends none. */
enum {
  CONTACT_COMPONENTS = 3,
  PUSHED_AT = CONTACT_COMPONENTS * NETWORK_CHUNK,
  TALLY_AT = PUSHED_AT + NETWORK_CHUNK
};

/* Number of entries of pushed_by in a chunk. */
static size_t lanes_of(const contact_work *w, size_t first) {
  const size_t lanes = ((size_t)w->particles + CONTACT_GROUP - 1) / CONTACT_GROUP * CONTACT_GROUP;
  return lanes < first ? 0 : lanes - first < NETWORK_CHUNK ? lanes - first : NETWORK_CHUNK;
}

static void give_contacts(const coupled_run *c, const halo_route *route, contact_tally own) {
  const partition *s = c->partition;
  const contact_work *w = c->run.contact->work;
  partition_pack(s, route, w->given, w->stride, slot_count(c), CONTACT_COMPONENTS);
  for (int32_t n = 0; n < route->give_count; n++) {
    const size_t first = (size_t)route->give[n] * NETWORK_CHUNK;
    const contact_tally tally = n == 0 ? own : (contact_tally){0, 0};
    memcpy(partition_outgoing(s, n) + PUSHED_AT, w->pushed_by + first,
           lanes_of(w, first) * sizeof *w->pushed_by);
    memcpy(partition_outgoing(s, n) + TALLY_AT, &tally, sizeof tally);
  }
}

static contact_tally take_contacts(const coupled_run *c, const halo_route *route, contact_tally sum) {
  const partition *s = c->partition;
  contact_work *w = c->run.contact->work;
  partition_unpack(s, route, w->given, w->stride, slot_count(c), CONTACT_COMPONENTS);
  for (int32_t n = 0; n < route->take_count; n++) {
    const size_t first = (size_t)route->take[n] * NETWORK_CHUNK, lanes = lanes_of(w, first);
    contact_tally tally;
    memcpy(w->pushed_by + first, partition_incoming(s, n) + PUSHED_AT, lanes * sizeof *w->pushed_by);
    memset(w->is_pushed + first / CONTACT_GROUP, 0, lanes / CONTACT_GROUP);
    for (size_t lane = first; lane < first + lanes; lane++)
      w->is_pushed[lane / CONTACT_GROUP] |= w->pushed_by[lane] >= 0;
    memcpy(&tally, partition_incoming(s, n) + TALLY_AT, sizeof tally);
    sum.contacts += tally.contacts;
    sum.squeezed += tally.squeezed;
  }
  return sum;
}

/* Exchanges the contacts of the last substep, which each rank has computed for its own chunks only. */
static void exchange_contacts(const coupled_run *c) {
  const partition *s = c->partition;
  const halo_route *route = &s->whole;
  if (!c->run.contact)
    return;
  contact_work *w = c->run.contact->work;
  contact_tally tally = contact_work_sum(w);
  give_contacts(c, route, tally);
  s->ranks.begin(route->handle, s->give, s->take, s->ranks.context);
  s->ranks.end(route->handle, s->give, s->take, s->ranks.context);
  tally = take_contacts(c, route, tally);
  contact_work_begin(w);
  w->tallies[0] = tally;
  forget_clear(c, route);
}

/* ------------------------------------------------------------------------------------ hard length limits */

enum { LANES_AT_ONCE = 256 };

/* Impulses of hard limits are 0 or more, and ranks without the particle store 0. So the maximum over ranks is
   the value of the owner. */
static void exchange_hard_limits(const coupled_run *c) {
  const partition *s = c->partition;
  const hard_limit_list *list = c->run.hard_limits;
  const int32_t rows = list ? list->rows[2 * list->group_count] : 0;
  for (int32_t k = 0; list && k < list->group_count; k++)
    if (partition_ring_at(s, (size_t)list->groups[k] * HARD_LIMIT_LANES) > 0)
      memset(list->given + (size_t)list->rows[2 * k] * HARD_LIMIT_LANES, 0,
             (size_t)(list->rows[2 * k + 2] - list->rows[2 * k]) * HARD_LIMIT_LANES * sizeof *list->given);
  for (int32_t first = 0; first < rows * HARD_LIMIT_LANES; first += LANES_AT_ONCE) {
    const int32_t count = int_min(LANES_AT_ONCE, rows * HARD_LIMIT_LANES - first);
    double values[LANES_AT_ONCE];
    for (int32_t n = 0; n < count; n++)
      values[n] = (double)list->given[first + n];
    s->ranks.largest(values, count, s->ranks.context);
    for (int32_t n = 0; n < count; n++)
      list->given[first + n] = (msd_real)values[n];
  }
}

/* ---------------------------------------------------------------------------------------------- substeps */

/* Each rank integrates all pins, because the states of distant pins are not exchanged. This matches
   symplectic Euler, where pins do not depend on other particles. */
static void move_pins(const coupled_run *c, int substep) {
  const spring_input *in = &c->run.input;
  const msd_real *from = slab_of(c, substep);
  msd_real *to = slab_of(c, substep + 1);
  for (int32_t n = 0; n < c->lists->pin_count; n++)
    for (size_t axis = 0; axis < 3; axis++) {
      const size_t x = axis * in->stride + (size_t)c->lists->pins[n], v = x + VELOCITY_X * in->stride;
      to[x] = from[x] + in->dt * from[v];
      to[v] = from[v];
    }
}

/* Intermediate RK4 stages treat pins as static. */
static void place_pins(const coupled_run *c) {
  msd_real *stage = integrator_stage(&c->run);
  const size_t stride = c->run.input.stride;
  for (int32_t n = 0; n < c->lists->pin_count && stage; n++)
    for (size_t component = 0; component < COMPONENTS; component++)
      stage[component * stride + (size_t)c->lists->pins[n]] =
          c->slab[0][component * stride + (size_t)c->lists->pins[n]];
}

/* Advances one substep, with `level` more before the next exchange. Afterwards the halo rings up to
   level * reach are valid; hard limits and colliders act there. Returns false also if the energy account of
   constraints would begin: its sums need one order, so that each rank repeats the frame as a whole. */
static bool take_substep(const coupled_run *c, int substep, int level) {
  const partition *s = c->partition;
  const span_list *awake = &s->within[(level + 1) * s->reach - 1], *right = &s->within[level * s->reach];
  substep_inputs run = c->run;
  integrator_contact contact;
  integrator_wind wind;
  run.current = parity_of(c, substep);
  run.slab[run.current] = slab_of(c, substep);
  run.slab[!run.current] = slab_of(c, substep + 1);
  run.before = c->run.before + substep;
  run.substeps = 1;
  run.awake = *awake;
  run.caught = *right;
  run.acting.groups = c->lists->groups[level];
  run.acting.mesh_chunks = c->lists->mesh_chunks[level];
  if (run.contact) {
    contact = *run.contact;
    contact.chunks = *right;
    contact_work_begin(contact.work);
    run.contact = &contact;
  }
  if (run.wind) {
    wind = *run.wind;
    wind.faces = c->lists->faces[level];
    wind.chunks = *awake;
    run.wind = &wind;
  }
  move_pins(c, substep);
  const bool has_account = run.account.account;
  run.account = (account_run){0};
  const bool finite = integrator_advance(&run) == 1;
  return finite && !(has_account && constraint_forces_alarmed(run.acting.forces));
}

/* A rank with a non-finite state continues, because the other ranks do not know yet and still need its
   messages. */
static bool take_substeps(const coupled_run *c) {
  const int most = c->partition->depth / c->partition->reach;
  bool finite = true;
  for (int taken = 0; taken < c->run.substeps;) {
    const int left = c->run.substeps - taken, periods = (left + most - 1) / most;
    if (taken > 0) {
      exchange_states(c, &c->partition->rings, taken);
      forget_clear(c, &c->partition->rings);
    }
    for (int level = (left + periods - 1) / periods - 1; level >= 0; level--, taken++)
      finite = take_substep(c, taken, level) && finite;
  }
  return finite;
}

bool coupled_advance(const coupled_run *c) {
  const integrator_soft_pins *soft_pins = &c->run.soft_pins;
  const size_t kept = (size_t)soft_pins->count * sizeof *soft_pins->works;
  if (kept > 0)
    memcpy(c->lists->kept, soft_pins->works, kept);
  place_pins(c);
  const bool finite = take_substeps(c);
  if (rank_on_any(&c->partition->ranks, !finite)) {
    if (kept > 0)
      memcpy(soft_pins->works, c->lists->kept, kept);
    if (c->run.contact)
      contact_work_forget_clear(c->run.contact->work);
    return false;
  }
  exchange_states(c, &c->partition->whole, c->run.substeps);
  exchange_contacts(c);
  exchange_hard_limits(c);
  return true;
}

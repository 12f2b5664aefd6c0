#include "engine/base/min_max.h"
#include "engine/network/reorder.h"
#include "engine/step/rank_step.h"
#include "engine/step/rank_sum.h"
#include "engine/world/world.h"

#include <string.h>

/* Message size in bytes: the state of one chunk. */
enum { PARCEL_BYTES = COMPONENTS * NETWORK_CHUNK * sizeof(msd_real), DEPTH_MOST = 8 };
_Static_assert(ANALYSIS_WHOLE_BYTES *NETWORK_CHUNK <= PARCEL_BYTES, "a parcel has no room for an analysis");

static int32_t chunks_of(int64_t particles) {
  return (int32_t)((particles + NETWORK_CHUNK - 1) / NETWORK_CHUNK);
}

/* ---------------------------------------------------------------------------------------------- ownership */

/* Range of chunks: from `first` up to `end`, exclusive. */
typedef struct stretch {
  int32_t first, end;
} stretch;

static stretch own_of(const world_part *part, int rank) {
  const int64_t chunks = chunks_of(part->particles), ranks = part->ranks.count;
  return (stretch){(int32_t)(chunks * rank / ranks), (int32_t)(chunks * (rank + 1) / ranks)};
}

static stretch kept_of(const world_part *part, int rank) {
  const int32_t chunks = chunks_of(part->particles);
  const stretch own = own_of(part, rank);
  if (own.first == own.end)
    return own;
  return (stretch){own.first > part->border ? own.first - part->border : 0,
                   own.end < chunks - part->border ? own.end + part->border : chunks};
}

static msd_range particles_of(const world_part *part, stretch chunks) {
  const int64_t first = (int64_t)chunks.first * NETWORK_CHUNK, end = (int64_t)chunks.end * NETWORK_CHUNK,
                most = part->particles;
  return (msd_range){(int32_t)(first < most ? first : most),
                     (int32_t)((end < most ? end : most) - (first < most ? first : most))};
}

/* Chunks that a rank sends: those at its lower and upper end that are ghosts of another rank. */
static stretch given_low(const world_part *part, int rank) {
  const stretch own = own_of(part, rank);
  return (stretch){own.first, own.first == 0 ? 0 : int_min(own.first + part->border, own.end)};
}

static stretch given_high(const world_part *part, int rank) {
  const stretch own = own_of(part, rank), low = given_low(part, rank);
  if (own.end == chunks_of(part->particles) || own.first == own.end)
    return (stretch){own.end, own.end};
  return (stretch){own.end - low.end > part->border ? own.end - part->border : low.end, own.end};
}

/* Number of substeps between exchanges. By default redundant work is at most about an eighth. */
static int depth_for(const world_part *part, int32_t reach) {
  const int64_t own = part->particles / part->ranks.count, most = own / 16 / (reach > 0 ? reach : 1);
  return part->ranks.depth > 0 ? part->ranks.depth
         : most < 1            ? 1
         : most < DEPTH_MOST   ? (int)most
                               : DEPTH_MOST;
}

/* ------------------------------------------------------------------------------------------------ opening */

/* True if nothing has been added or advanced yet; existing objects would have no place in the global
   domain. */
static bool is_empty(const msd_world *world) {
  for (int item = 0; item < MSD_OBJECT_COUNT; item++)
    if (world_count(world, (msd_object)item) > 0)
      return false;
  return !world->part.is_open && world->steps == 0;
}

msd_result msd_world_set_subdomain(msd_world *world, const msd_ranks *ranks, int32_t particles,
                                   int32_t reach) {
  if (!world_is_open(world))
    return fail_locked(world);
  if (!ranks || particles < 0 || reach < 0 || !is_empty(world))
    return world_fail(
        world, MSD_BAD_VALUE,
        "a subdomain needs ranks, an empty world, and %d particles and a reach of %d that are 0 or more",
        (int)particles, (int)reach);
  const msd_result result = msd_world_set_ranks(world, ranks);
  if (result != MSD_OK)
    return result;
  world_part *part = &world->part;
  *part = (world_part){.is_open = true, .ranks = *ranks, .particles = particles};
  part->depth = part->fresh = depth_for(part, reach);
  const int64_t border = chunks_of((int64_t)(part->depth + 1) * reach + NETWORK_GROUP);
  part->border = (int32_t)(border < chunks_of(particles) ? border : chunks_of(particles));
  part->is.rank = ranks->rank;
  part->is.ranks = ranks->count;
  part->is.kept = particles_of(part, kept_of(part, ranks->rank));
  part->is.own = particles_of(part, own_of(part, ranks->rank));
  world->model.preserve_order = true;
  world->stepper.is_subdomain = true;
  return MSD_OK;
}

msd_subdomain msd_world_get_subdomain(const msd_world *world) {
  return world ? world->part.is : (msd_subdomain){0};
}

void msd_world_all_reduce_max(const msd_world *world, double *values, int count) {
  if (world && world->part.is_open && world->part.ranks.count > 1)
    world->part.ranks.largest(values, count, world->part.ranks.context);
}

static void close_route(world_part *part, memory *m) {
  if (part->route)
    part->ranks.close(part->route, part->ranks.context);
  memory_release(m, part->give);
  memory_release(m, part->take);
  part->route = NULL;
  part->give = part->take = NULL;
}

void subdomain_free(world_part *part, memory *m) {
  close_route(part, m);
  memory_release(m, part->families);
  *part = (world_part){0};
}

/* ----------------------------------------------------------------------------------------------- building */

msd_range subdomain_keep(const msd_world *world, int32_t count) {
  const world_part *part = &world->part;
  if (!part->is_open)
    return (msd_range){0, count};
  const int64_t first = part->is.particles, kept = part->is.kept.first, end = kept + part->is.kept.count;
  const int64_t from = kept > first ? kept - first : 0, to = end - first < count ? end - first : count;
  return to > from ? (msd_range){(int32_t)from, (int32_t)(to - from)} : (msd_range){0, 0};
}

msd_result subdomain_reserve(msd_world *world, int64_t particles, int64_t springs, int32_t families) {
  world_part *part = &world->part;
  memory *m = &world->model.memory;
  if (particles > INT32_MAX - part->is.particles || springs > INT32_MAX - part->is.springs)
    return world_fail(world, MSD_TOO_LARGE,
                      "all ranks together would have more than 2147483647 particles or springs");
  if (families <= part->family_room - part->family_count)
    return MSD_OK;
  const int32_t room = 2 * part->family_room + families;
  part_family *larger = memory_allocate(m, (size_t)room * sizeof *larger);
  if (!larger)
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for %d groups of springs", (int)room);
  if (part->family_count > 0)
    memcpy(larger, part->families, (size_t)part->family_count * sizeof *larger);
  memory_release(m, part->families);
  part->families = larger;
  part->family_room = room;
  return MSD_OK;
}

void subdomain_add_family(msd_world *world, int32_t reach, msd_range springs, msd_range own, int64_t before,
                          int64_t count) {
  world_part *part = &world->part;
  if (!part->is_open)
    return;
  part->families[part->family_count++] = (part_family){springs, own, part->is.springs + (int32_t)before};
  part->is.springs += (int32_t)count;
  part->is.reach = reach > part->is.reach ? reach : part->is.reach;
}

void subdomain_add_particles(msd_world *world, int32_t count) {
  if (world->part.is_open)
    world->part.is.particles += count;
}

/* ----------------------------------------------------------------------------------------------- stepping */

/* Unsupported features, in the plural; NULL: none. */
static const char *what_is_refused(const msd_world *world) {
  const world_model *model = &world->model;
  const struct {
    bool is_there;
    const char *what;
  } reasons[] = {{model->integrator != MSD_SYMPLECTIC_EULER, "integrators other than symplectic_euler"},
                 {model->mass_scaling != MSD_MASS_SCALING_NONE, "scaled masses"},
                 {model->solver != MSD_SOLVER_EXPLICIT, "springs by Gauss-Seidel"},
                 {model->energy != MSD_ENERGY_OFF, "energy modes other than off"},
                 {model->springs.hard_limits > 0, "hard_limits"},
                 {model->springs.damage != NULL || model->springs.companion_count > 0, "springs with damage"},
                 {model->sleep.speed > 0, "particles that sleep"},
                 {model->constraints.count > 0, "constraints"},
                 {model->soft_pins.count > 0, "soft_pins"},
                 {model->rotors.count > 0, "rotors"},
                 {model->colliders.count > 0, "colliders"},
                 {model->surfaces.count > 0, "collision meshes"},
                 {model->tombstones.count > 0, "things that were destroyed"}};
  for (size_t n = 0; n < sizeof reasons / sizeof *reasons; n++)
    if (reasons[n].is_there)
      return reasons[n].what;
  return NULL;
}

bool subdomain_is_global(const msd_world *world) {
  const world_part *part = &world->part;
  int64_t springs = 0;
  for (int32_t f = 0; f < part->family_count; f++)
    springs += part->families[f].springs.count;
  return part->is.particles == part->particles && world->model.particles.count == part->is.kept.count &&
         world->model.springs.count == springs;
}

msd_result subdomain_check(msd_world *world) {
  const world_part *part = &world->part;
  if (!part->is_open)
    return MSD_OK;
  const char *what = what_is_refused(world);
  if (what)
    return world_fail(world, MSD_BAD_VALUE, "a divided world cannot have %s", what);
  if (part->is_lost)
    return world_fail(world, MSD_BAD_VALUE, "a divided world that became unstable cannot continue");
  if (!subdomain_is_global(world))
    return world_fail(world, MSD_BAD_VALUE,
                      "a divided world can only have ropes, cloths, blocks and meshes, and it has %d "
                      "particles instead of %d",
                      (int)part->is.particles, (int)part->particles);
  const int64_t right = (int64_t)part->border * NETWORK_CHUNK - NETWORK_GROUP;
  return part->border == chunks_of(part->particles) || right >= (int64_t)(part->depth + 1) * part->is.reach
             ? MSD_OK
             : world_fail(world, MSD_BAD_VALUE, "a divided world has springs that span %d particles",
                          (int)part->is.reach);
}

/* All ranks must call it, also those without particles. */
static bool open_route(msd_world *world) {
  world_part *part = &world->part;
  memory *m = &world->model.memory;
  const int rank = part->ranks.rank;
  const stretch kept = kept_of(part, rank), own = own_of(part, rank), low = given_low(part, rank),
                high = given_high(part, rank);
  part->give_count = low.end - low.first + high.end - high.first;
  part->take_count = kept.end - kept.first - (own.end - own.first);
  msd_halo_message *from = memory_allocate(m, (size_t)part->take_count * sizeof *from + 1);
  part->give = memory_allocate(m, (size_t)part->give_count * PARCEL_BYTES + 1);
  part->take = memory_allocate(m, (size_t)part->take_count * PARCEL_BYTES + 1);
  const bool lacks = rank_on_any(&part->ranks, !from || !part->give || !part->take);
  int owner = 0;
  for (int32_t chunk = kept.first, n = 0; !lacks && chunk < kept.end; chunk++) {
    if (chunk >= own.first && chunk < own.end)
      continue;
    while (chunk >= own_of(part, owner).end)
      owner++;
    const stretch first = given_low(part, owner), last = given_high(part, owner);
    from[n++] = (msd_halo_message){owner, chunk < first.end ? chunk - first.first
                                                            : first.end - first.first + chunk - last.first};
  }
  if (!lacks)
    part->route = part->ranks.open(&(msd_route){.bytes = PARCEL_BYTES,
                                                .give_count = part->give_count,
                                                .take_count = part->take_count,
                                                .take = from},
                                   part->ranks.context);
  memory_release(m, from);
  const bool failed = lacks || rank_on_any(&part->ranks, !part->route);
  if (failed)
    close_route(part, m);
  return !failed;
}

/* Owned springs that are contiguous, and all owned springs. */
typedef struct row_count {
  int64_t in_rows, all;
} row_count;

static void count_rows(const msd_world *world, msd_range springs, void *sum) {
  row_count *count = sum;
  const network *net = &world->stepper.network;
  const network_source source = network_source_of(&world->model);
  for (int32_t e = springs.first; e < springs.first + springs.count; e++)
    count->in_rows += network_place_of(net, &source, e).part < net->run_count + net->held_row_count;
  count->all += springs.count;
}

/* Contribution of one rank to the quality of an order. */
typedef struct order_turn {
  /* At the owned particles of this rank. */
  const int32_t *springs;
  int32_t count;
} order_turn;

static void add_groups(void *context, void *sum) {
  const order_turn *turn = context;
  order_add_groups(sum, turn->springs, turn->count);
}

/* All ranks must call it. */
static bool order_of_whole_serves(const msd_world *world, const int32_t *springs) {
  const msd_range own = subdomain_own_particles(world);
  order_turn turn = {springs + own.first, own.count};
  order_worth worth = {0};
  rank_sum_in_turn(&world->part.ranks, add_groups, &turn, &worth, sizeof worth);
  for (int32_t f = 0; f < world->part.family_count; f++)
    order_add_reach(&worth, &world->model.springs, subdomain_own_springs(world, f));
  double reach = worth.reach;
  msd_world_all_reduce_max(world, &reach, 1);
  worth.reach = (int32_t)reach;
  return order_serves(&worth, world->part.particles);
}

/* A single process would reorder the particles of the global domain if few springs are contiguous and the
   order is bad, except in a small network (see lay_out_network in step/compile.c). A subdomain cannot be
   reordered, so such worlds are refused. */
static msd_result check_order(msd_world *world) {
  memory *m = &world->model.memory;
  row_count count = {0};
  if (world->part.particles < NETWORK_CHUNK)
    return MSD_OK;
  subdomain_sum_springs(world, count_rows, &count, sizeof count);
  if (count.all == 0 || (double)count.in_rows / (double)count.all >= 0.5)
    return MSD_OK;
  int32_t *springs = memory_allocate(m, (size_t)world->model.particles.count * sizeof *springs + 1);
  if (rank_on_any(&world->part.ranks, !springs)) {
    memory_release(m, springs);
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the order of a subdomain");
  }
  order_count_springs(&world->model.particles, &world->model.springs, false, springs);
  const bool serves = order_of_whole_serves(world, springs);
  memory_release(m, springs);
  return serves ? MSD_OK
                : world_fail(world, MSD_BAD_VALUE,
                             "a divided world needs particles in an order with half of the springs in rows; "
                             "make cloths wider, and reorder meshes with 'msd mesh'");
}

static msd_result find_route(msd_world *world) {
  const world_part *part = &world->part;
  if (part->ranks.count > 1 && !part->give && !open_route(world))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the halo of a subdomain");
  return MSD_OK;
}

msd_result subdomain_begin_step(msd_world *world) {
  world_part *part = &world->part;
  const revision now = revision_of_network(&world->model.revision);
  if (!revision_holds(&part->agreed_for, now)) {
    const msd_result result = check_order(world);
    if (result != MSD_OK)
      return result;
    part->agreed_for = now;
  }
  return find_route(world);
}

msd_result subdomain_join(msd_world *world) {
  const msd_result own = subdomain_check(world);
  if (rank_on_any(&world->part.ranks, own != MSD_OK))
    return world_share_failure(world, own, own != MSD_OK);
  return find_route(world);
}

int substeps_until_subdomain(const world_part *part) {
  return part->is_open ? part->fresh : INT32_MAX;
}

/* Local position and number of particles of a global chunk. */
static msd_range place_of(const world_part *part, int32_t chunk) {
  const int32_t first = chunk * NETWORK_CHUNK - part->is.kept.first, left = part->is.kept.count - first;
  return (msd_range){first, left < NETWORK_CHUNK ? left : NETWORK_CHUNK};
}

/* Values of the stored particles: `count` columns that are `apart` bytes apart, with `width` bytes per
   particle. */
typedef struct part_columns {
  unsigned char *first;
  size_t apart, width;
  int count;
} part_columns;

static void pack(const world_part *part, part_columns columns, stretch chunks, unsigned char *to) {
  for (int32_t chunk = chunks.first; chunk < chunks.end; chunk++, to += PARCEL_BYTES) {
    const msd_range at = place_of(part, chunk);
    for (int c = 0; c < columns.count; c++)
      memcpy(to + (size_t)c * NETWORK_CHUNK * columns.width,
             columns.first + (size_t)c * columns.apart + (size_t)at.first * columns.width,
             (size_t)at.count * columns.width);
  }
}

static void unpack(const world_part *part, part_columns columns, stretch chunks, const unsigned char *from) {
  for (int32_t chunk = chunks.first; chunk < chunks.end; chunk++, from += PARCEL_BYTES) {
    const msd_range at = place_of(part, chunk);
    for (int c = 0; c < columns.count; c++)
      memcpy(columns.first + (size_t)c * columns.apart + (size_t)at.first * columns.width,
             from + (size_t)c * NETWORK_CHUNK * columns.width, (size_t)at.count * columns.width);
  }
}

static void exchange(const world_part *part, part_columns columns) {
  const int rank = part->ranks.rank;
  const stretch kept = kept_of(part, rank), own = own_of(part, rank), low = given_low(part, rank),
                high = given_high(part, rank);
  if (part->ranks.count < 2)
    return;
  pack(part, columns, low, part->give);
  pack(part, columns, high, part->give + (size_t)(low.end - low.first) * PARCEL_BYTES);
  part->ranks.begin(part->route, part->give, part->take, part->ranks.context);
  part->ranks.end(part->route, part->give, part->take, part->ranks.context);
  unpack(part, columns, (stretch){kept.first, own.first}, part->take);
  unpack(part, columns, (stretch){own.end, kept.end},
         part->take + (size_t)(own.first - kept.first) * PARCEL_BYTES);
}

static void exchange_state(msd_world *world) {
  particle_store *p = &world->model.particles;
  exchange(&world->part, (part_columns){.first = (unsigned char *)p->slab[p->current],
                                        .apart = p->stride * sizeof(msd_real),
                                        .width = sizeof(msd_real),
                                        .count = COMPONENTS});
}

void subdomain_go_on(msd_world *world, int taken, bool is_end) {
  world_part *part = &world->part;
  if (!part->is_open || part->ranks.count < 2)
    return;
  part->fresh -= taken;
  if (part->fresh > 0 && !is_end)
    return;
  exchange_state(world);
  part->fresh = part->depth;
}

void subdomain_find_failed(msd_world *world, int *done, int32_t *particle) {
  world_part *part = &world->part;
  const int32_t first = part->is.own.first, end = first + part->is.own.count;
  const int32_t found = *particle >= 0 ? *particle + part->is.kept.first : -1;
  /* A failure among ghosts only has occurred at their owner too, or is an artifact of stale ghosts. */
  const double at = *done + (found < 0 ? 1 : found >= first && found < end ? 0 : 0.5);
  double values[1] = {-at};
  msd_world_all_reduce_max(world, values, 1);
  double which[1] = {-values[0] == at ? -found : -(double)INT32_MAX};
  msd_world_all_reduce_max(world, which, 1);
  *done = (int)-values[0];
  *particle = (int32_t)-which[0];
  part->is_lost = true;
}

static void exchange_values(void *context, void *values, size_t bytes) {
  exchange(context, (part_columns){.first = values, .width = bytes, .count = 1});
}

analysis_whole part_whole(msd_world *world) {
  world_part *part = &world->part;
  const msd_range own = subdomain_own_particles(world);
  return (analysis_whole){.ranks = &part->ranks,
                          .first = part->is.kept.first,
                          .own = {own.first, own.first + own.count},
                          .depth = part->depth,
                          .exchange = exchange_values,
                          .context = part};
}

/* --------------------------------------------------------------------------------------------------- sums */

/* Contribution of one rank. */
typedef struct part_turn {
  const msd_world *world;
  part_adder *add;
  msd_range range;
} part_turn;

static void take_turn(void *context, void *sum) {
  const part_turn *turn = context;
  turn->add(turn->world, turn->range, sum);
}

static void sum_in_turn(const msd_world *world, part_adder *add, msd_range range, void *sum, size_t bytes) {
  rank_sum_in_turn(&world->part.ranks, take_turn, &(part_turn){world, add, range}, sum, bytes);
}

msd_range subdomain_own_particles(const msd_world *world) {
  const msd_subdomain *is = &world->part.is;
  return (msd_range){is->own.first - is->kept.first, is->own.count};
}

/* First spring of a range sorted by lower ends whose lower end is at least `particle`. */
static int32_t first_from(const msd_world *world, msd_range springs, int32_t particle) {
  int32_t first = springs.first, end = springs.first + springs.count;
  while (first < end) {
    const int32_t middle = first + (end - first) / 2;
    if (world->model.springs.a[middle] < particle)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

void subdomain_sum_particles(const msd_world *world, part_adder *add, void *sum, size_t bytes) {
  sum_in_turn(world, add, subdomain_own_particles(world), sum, bytes);
}

/* A spring of a lattice is owned by the rank of its lower end. */
msd_range subdomain_own_springs(const msd_world *world, int32_t family) {
  const part_family *is = &world->part.families[family];
  if (is->own.count >= 0)
    return is->own;
  const msd_range own = subdomain_own_particles(world), springs = is->springs;
  const int32_t first = first_from(world, springs, own.first),
                end = first_from(world, springs, own.first + own.count);
  return (msd_range){first, end - first};
}

void subdomain_sum_springs(const msd_world *world, part_adder *add, void *sum, size_t bytes) {
  for (int32_t f = 0; f < world->part.family_count; f++)
    sum_in_turn(world, add, subdomain_own_springs(world, f), sum, bytes);
}

int32_t subdomain_spring_number(const msd_world *world, int32_t spring) {
  const world_part *part = &world->part;
  for (int32_t f = 0; f < part->family_count; f++) {
    const part_family *family = &part->families[f];
    if (spring >= family->springs.first && spring < family->springs.first + family->springs.count)
      return family->first + spring - family->springs.first;
  }
  return spring;
}

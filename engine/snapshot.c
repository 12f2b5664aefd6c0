/* A world as bytes, and back.

   Layout: the header below, then arrays without gaps, in the order of the indices: six components of the
   state, masses, pinned flags, three components of pending forces (when there are any), pending moves of
   pins, slots (when the particles have been reordered), then the springs' ends, rest lengths, stiffness,
   damping and laws, and what they gave in the last substep (when the next one begins with it). Numbers are
   stored as they are in memory: a snapshot is for the same precision and byte order, and says which. The
   order of the springs is kept, broken ones included, so the network compiled from it has the same rows and
   the same bits. */

#include "vec3.h"
#include "world.h"

#include <string.h>

static const char MAGIC[8] = "MSDSNAP";
enum { VERSION = 2, BYTE_ORDER_MARK = 0x01020304 };

typedef struct header {
  char magic[8];
  uint64_t checksum; /* of everything behind this field */
  uint32_t version, byte_order, real_bytes;
  int32_t integrator;
  uint64_t size; /* of everything */
  int32_t particles, springs, moves, forced;
  int32_t limit, ordered;
  int32_t impulse_iterations, impulse_warm_start;
  int32_t impulses, unused; /* how many impulses there are: of the first springs */
  double gravity[3], air_drag;
  double time, tuned_step;
  int64_t steps;
} header;

enum { CHECKED_FROM = offsetof(header, version) };

static uint64_t checksum(const unsigned char *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t snapshot_size(int32_t particles, int32_t springs, int32_t moves, bool forced, bool ordered,
                              int32_t impulses) {
  const uint64_t reals = COMPONENTS + 1 + (forced ? 3 : 0);
  return sizeof(header) +
         (uint64_t)particles * (reals * sizeof(msd_real) + 1 + (ordered ? sizeof(int32_t) : 0)) +
         (uint64_t)moves * sizeof(pin_move) +
         (uint64_t)springs * (2 * sizeof(int32_t) + 3 * sizeof(msd_real) + 1) +
         (uint64_t)impulses * sizeof(msd_real);
}

static void put(unsigned char **to, const void *from, size_t bytes) {
  if (bytes > 0)
    memcpy(*to, from, bytes);
  *to += bytes;
}

/* A component of a slab, in the order of the indices. */
static void put_by_index(unsigned char **to, const particle_store *p, const msd_real *component) {
  for (int32_t i = 0; i < p->count; i++)
    put(to, &component[particle_slot(p, i)], sizeof *component);
}

static void get(void *to, const unsigned char **from, size_t bytes) {
  if (bytes > 0)
    memcpy(to, *from, bytes);
  *from += bytes;
}

msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size) {
  if (!world || !size)
    return MSD_BAD_VALUE;
  const particle_store *p = &world->particles;
  const spring_store *s = &world->springs;
  const bool ordered = p->slot && !world->network_stale;
  const int32_t impulses = world->impulse_warm_start ? world->impulses_size : 0;
  const uint64_t needed = snapshot_size(p->count, s->count, p->move_count, p->forced, ordered, impulses);
  if (needed > SIZE_MAX)
    return MSD_TOO_LARGE;
  *size = (size_t)needed;
  if (!buffer)
    return MSD_OK;
  if (capacity < *size)
    return MSD_BUFFER_TOO_SMALL;

  header h = {
      .version = VERSION,
      .byte_order = BYTE_ORDER_MARK,
      .real_bytes = sizeof(msd_real),
      .integrator = (int32_t)world->integrator,
      .size = needed,
      .particles = p->count,
      .springs = s->count,
      .moves = p->move_count,
      .forced = p->forced,
      .limit = (int32_t)world->limit,
      .ordered = ordered,
      .impulse_iterations = world->impulse_iterations,
      .impulse_warm_start = world->impulse_warm_start,
      .impulses = impulses,
      .gravity = {(double)world->gravity.x, (double)world->gravity.y, (double)world->gravity.z},
      .air_drag = (double)world->air_drag,
      .time = world->time,
      .tuned_step = world->tuned_step,
      .steps = world->steps,
  };
  memcpy(h.magic, MAGIC, sizeof MAGIC);

  const size_t particles = (size_t)p->count, springs = (size_t)s->count;
  unsigned char *to = (unsigned char *)buffer + sizeof h;
  for (size_t c = 0; c < COMPONENTS && particles > 0; c++)
    put_by_index(&to, p, particle_state(p) + c * p->stride);
  put(&to, p->mass, particles * sizeof(msd_real));
  for (size_t i = 0; i < particles; i++)
    *to++ = p->inverse_mass[i] == 0;
  for (size_t c = 0; c < 3 && p->forced; c++)
    put_by_index(&to, p, p->force + c * p->stride);
  put(&to, p->moves, (size_t)p->move_count * sizeof(pin_move));
  if (ordered)
    put(&to, p->slot, particles * sizeof(int32_t));
  put(&to, s->a, springs * sizeof(int32_t));
  put(&to, s->b, springs * sizeof(int32_t));
  put(&to, s->rest, springs * sizeof(msd_real));
  put(&to, s->stiffness, springs * sizeof(msd_real));
  put(&to, s->damping, springs * sizeof(msd_real));
  put(&to, s->law, springs);
  put(&to, world->impulses[world->impulses_current], (size_t)impulses * sizeof(msd_real));

  memcpy(buffer, &h, sizeof h);
  h.checksum = checksum((unsigned char *)buffer + CHECKED_FROM, *size - CHECKED_FROM);
  memcpy(buffer, &h, sizeof h);
  return MSD_OK;
}

static msd_result check_header(msd_world *world, const unsigned char *bytes, size_t size, header *h) {
  if (size < sizeof *h || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
    return world_fail(world, MSD_BAD_SNAPSHOT, "these %zu bytes are no snapshot of a world", size);
  memcpy(h, bytes, sizeof *h);
  if (h->byte_order != BYTE_ORDER_MARK)
    return world_fail(world, MSD_SNAPSHOT_PRECISION,
                      "the snapshot was made on a machine with the other byte order");
  if (h->version != VERSION)
    return world_fail(world, MSD_SNAPSHOT_VERSION, "the snapshot has format %u; this library reads format %d",
                      (unsigned)h->version, VERSION);
  if (h->real_bytes != sizeof(msd_real))
    return world_fail(world, MSD_SNAPSHOT_PRECISION,
                      "the snapshot has numbers of %u bytes; this library was built with %zu",
                      (unsigned)h->real_bytes, sizeof(msd_real));
  if (h->size != size)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has %zu bytes and should have %llu: it was cut",
                      size, (unsigned long long)h->size);
  if (h->checksum != checksum(bytes + CHECKED_FROM, size - CHECKED_FROM))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot's checksum is wrong: it was changed");
  return MSD_OK;
}

/* A checksum proves no good will: whatever indices and sizes rest on is looked at too. */
static bool is_sound(const header *h) {
  return h->particles >= 0 && h->springs >= 0 && h->moves >= 0 && h->moves <= h->particles &&
         (h->forced == 0 || h->forced == 1) && (h->ordered == 0 || h->ordered == 1) &&
         h->size == snapshot_size(h->particles, h->springs, h->moves, h->forced, h->ordered, h->impulses) &&
         h->impulse_iterations >= 1 && h->impulse_iterations <= IMPULSE_ITERATIONS_MAX &&
         (h->impulse_warm_start == 0 || h->impulse_warm_start == 1) && h->impulses >= 0 &&
         h->impulses <= (h->impulse_warm_start ? h->springs : 0) && h->integrator >= 0 &&
         h->integrator < MSD_INTEGRATOR_COUNT && h->limit >= 0 && h->limit < MSD_LIMIT_COUNT &&
         isfinite(h->gravity[0]) && isfinite(h->gravity[1]) && isfinite(h->gravity[2]) &&
         isfinite(h->air_drag) && h->air_drag >= 0 && isfinite(h->time) && isfinite(h->tuned_step) &&
         h->tuned_step >= 0;
}

/* Slots as they were, when they are a permutation. Valence serves to count, and is left zero. */
static bool read_slots(particle_store *p, int32_t *slot, const unsigned char **from) {
  get(slot, from, (size_t)p->count * sizeof *slot);
  bool sound = true;
  for (int32_t i = 0; i < p->count; i++)
    sound = sound && slot[i] >= 0 && slot[i] < p->count && ++p->valence[slot[i]] == 1;
  memset(p->valence, 0, (size_t)p->count * sizeof *p->valence);
  return sound;
}

static bool read_particles(particle_store *p, int32_t *slot, const header *h, const unsigned char **from) {
  const size_t count = (size_t)h->particles;
  p->count = h->particles;
  for (size_t c = 0; c < COMPONENTS && count > 0; c++)
    get(p->slab[0] + c * p->stride, from, count * sizeof(msd_real));
  get(p->mass, from, count * sizeof(msd_real));
  bool sound = true;
  for (size_t i = 0; i < count; i++) {
    const bool pinned = *(*from)++;
    p->pinned += pinned;
    p->inverse_mass[i] = pinned ? 0 : 1 / p->mass[i];
    sound = sound && isfinite(p->mass[i]) && p->mass[i] > 0 && isfinite(1 / p->mass[i]);
    for (size_t c = 0; c < COMPONENTS; c++)
      sound = sound && isfinite(p->slab[0][c * p->stride + i]);
  }
  for (size_t c = 0; c < 3 && h->forced; c++) {
    get(p->force + c * p->stride, from, count * sizeof(msd_real));
    for (size_t i = 0; i < count; i++)
      sound = sound && isfinite(p->force[c * p->stride + i]);
  }
  p->forced = h->forced;
  get(p->moves, from, (size_t)h->moves * sizeof(pin_move));
  p->move_count = h->moves;
  for (int32_t m = 0; m < h->moves; m++)
    sound = sound && p->moves[m].particle >= 0 && p->moves[m].particle < p->count &&
            p->inverse_mass[p->moves[m].particle] == 0 && vec3_is_finite(p->moves[m].target);
  return sound && (!slot || read_slots(p, slot, from));
}

/* Stiffness or damping in the range of its law; negative is MSD_STIFFEST, and has no other value. */
static bool is_tuning(msd_real value, int law) {
  return isfinite(value) && (value >= 0 || (law == MSD_SPRING_COEFFICIENT && value == MSD_STIFFEST));
}

static bool read_springs(spring_store *s, particle_store *p, const header *h, const unsigned char **from) {
  const size_t count = (size_t)h->springs;
  s->count = h->springs;
  get(s->a, from, count * sizeof(int32_t));
  get(s->b, from, count * sizeof(int32_t));
  get(s->rest, from, count * sizeof(msd_real));
  get(s->stiffness, from, count * sizeof(msd_real));
  get(s->damping, from, count * sizeof(msd_real));
  get(s->law, from, count);
  for (int32_t e = 0; e < s->count; e++) {
    const int law = s->law[e] & ~SPRING_BROKEN;
    if (s->a[e] < 0 || s->a[e] >= p->count || s->b[e] < 0 || s->b[e] >= p->count || s->a[e] == s->b[e] ||
        !isfinite(s->rest[e]) || s->rest[e] < 0 || law <= MSD_SPRING_NONE || law >= MSD_SPRING_LAW_COUNT ||
        !is_tuning(s->stiffness[e], law) || !is_tuning(s->damping[e], law))
      return false;
    const bool broken = spring_is_broken(s, e);
    s->broken += broken;
    p->valence[s->a[e]] += !broken;
    p->valence[s->b[e]] += !broken;
  }
  return true;
}

static bool read_impulses(msd_real *impulses, const header *h, const unsigned char **from) {
  get(impulses, from, (size_t)h->impulses * sizeof *impulses);
  bool sound = true;
  for (int32_t e = 0; e < h->impulses; e++)
    sound = sound && isfinite(impulses[e]);
  return sound;
}

static bool reserve(particle_store *p, spring_store *s, int32_t **slot, msd_real *impulses[2], memory *m,
                    const header *h) {
  if (!particle_store_reserve(p, m, h->particles) || !spring_store_reserve(s, m, h->springs))
    return false;
  void *block;
  if (h->forced && !(p->force = particle_allocate_slab(p, m, 3, &block)))
    return false;
  p->moves = memory_allocate(m, (size_t)h->moves * sizeof(pin_move));
  p->move_capacity = h->moves;
  *slot = h->ordered ? memory_allocate(m, particle_slot_bytes(p)) : NULL;
  for (int n = 0; n < 2 && h->impulses > 0; n++)
    impulses[n] = memory_allocate(m, (size_t)h->impulses * sizeof(msd_real));
  return p->moves && (*slot || !h->ordered) && ((impulses[0] && impulses[1]) || h->impulses == 0);
}

msd_result msd_world_restore(msd_world *world, const void *buffer, size_t size) {
  if (!world)
    return MSD_BAD_VALUE;
  if (!buffer)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot is NULL");
  header h;
  const msd_result result = check_header(world, buffer, size, &h);
  if (result != MSD_OK)
    return result;
  if (!is_sound(&h))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot's settings are out of their ranges");

  memory *m = &world->memory;
  particle_store particles = {0};
  spring_store springs = {0};
  int32_t *slot = NULL;
  msd_real *impulses[2] = {NULL, NULL};
  msd_result failed = MSD_OK;
  const unsigned char *from = (const unsigned char *)buffer + sizeof h;
  if (!reserve(&particles, &springs, &slot, impulses, m, &h))
    failed = world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the snapshot's %d particles and %d springs",
                        (int)h.particles, (int)h.springs);
  else if (!read_particles(&particles, slot, &h, &from) || !read_springs(&springs, &particles, &h, &from) ||
           !read_impulses(impulses[0], &h, &from))
    failed = world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a particle or spring out of its range");
  if (failed != MSD_OK) {
    particle_store_free(&particles, m);
    spring_store_free(&springs, m);
    memory_release(m, slot);
    memory_release(m, impulses[0]);
    memory_release(m, impulses[1]);
    return failed;
  }
  particle_store_free(&world->particles, m);
  spring_store_free(&world->springs, m);
  if (slot)
    particle_move_to_slots(&particles, slot, m);
  world->particles = particles;
  world->springs = springs;
  world->gravity = (msd_vec3){(msd_real)h.gravity[0], (msd_real)h.gravity[1], (msd_real)h.gravity[2]};
  world->air_drag = (msd_real)h.air_drag;
  world->integrator = (msd_integrator)h.integrator;
  world->limit = (msd_limit)h.limit;
  world->impulse_iterations = h.impulse_iterations;
  world->impulse_warm_start = h.impulse_warm_start;
  world_forget_impulses(world);
  world->impulses[0] = impulses[0];
  world->impulses[1] = impulses[1];
  world->impulses_size = h.impulses;
  world->impulses_current = 0;
  world->time = h.time;
  world->tuned_step = h.tuned_step;
  world->steps = h.steps;
  network_free(&world->network, m);
  world_touch_network(world);
  world->order_kept = h.ordered;
  return MSD_OK;
}

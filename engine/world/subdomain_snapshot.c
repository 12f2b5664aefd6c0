/* Snapshots of distributed worlds. The bytes are those of a single process.

   Each rank temporarily holds a snapshot of its own world. It consists of columns, with an entry for each
   particle or spring, which are contiguous ranges of the global columns. Only the ends of springs differ:
   they are numbered from the first particle of the rank. To save, ranks send their owned ranges of each
   column to rank 0, one after another. To restore, each rank reads its stored ranges of each column. */

#include "engine/base/float_environment.h"
#include "engine/step/rank_step.h"
#include "engine/step/rank_sum.h"
#include "engine/world/snapshot_checksum.h"
#include "engine/world/snapshot_contents.h"
#include "engine/world/subdomain_stream.h"
#include "engine/world/world.h"

/* Headers of the global and the local snapshot, and the bytes of the local one. */
typedef struct both {
  snapshot_header whole, here;
  unsigned char *bytes;
} both;

/* Allocates the bytes. Returns false if memory runs out. */
static bool open_both(both *b, msd_world *world) {
  b->here.size = snapshot_size(&b->here);
  b->bytes = memory_allocate(&world->model.memory, (size_t)b->here.size);
  return b->bytes;
}

/* Position of the column with the ends of springs. */
static unsigned char *ends_of(const both *b) {
  const particle_snapshot particles = snapshot_particles(&b->here);
  return b->bytes + particle_snapshot_size(&particles);
}

/* Adds an offset to the ends of springs. Forged snapshots can contain any values, so the arithmetic is
   unsigned. */
static void shift_ends(const both *b, int32_t by) {
  unsigned char *at = ends_of(b);
  for (int64_t n = 0; n < 2 * (int64_t)b->here.springs; n++, at += sizeof(uint32_t)) {
    uint32_t end;
    memcpy(&end, at, sizeof end);
    end += (uint32_t)by;
    memcpy(at, &end, sizeof end);
  }
}

/* Receives a range of a column: its offset in the global snapshot, and its local bytes. Returns false to
   stop. */
typedef bool visitor(void *context, uint64_t at, unsigned char *bytes, size_t size);

static bool visit_particles(const msd_world *world, const both *b, msd_range range, visitor *visit,
                            void *context) {
  const particle_snapshot all = snapshot_particles(&b->whole);
  const snapshot_columns columns = particle_snapshot_columns(&all);
  const int64_t first = (int64_t)world->part.is.kept.first + range.first;
  uint64_t at = sizeof b->whole;
  unsigned char *here = b->bytes;
  bool goes_on = true;
  for (int n = 0; n < columns.count && goes_on; n++) {
    const size_t width = columns.bytes[n];
    goes_on = visit(context, at + (uint64_t)first * width, here + (size_t)range.first * width,
                    (size_t)range.count * width);
    at += (uint64_t)b->whole.particles * width;
    here += (size_t)b->here.particles * width;
  }
  return goes_on;
}

/* The springs of a family are contiguous in the global snapshot too. */
static bool visit_springs(const msd_world *world, const both *b, bool own, visitor *visit, void *context) {
  const world_part *part = &world->part;
  const particle_snapshot all = snapshot_particles(&b->whole);
  const snapshot_columns columns = spring_snapshot_columns(snapshot_springs(&b->whole));
  uint64_t at = sizeof b->whole + particle_snapshot_size(&all);
  unsigned char *here = ends_of(b);
  bool goes_on = true;
  for (int n = 0; n < columns.count; n++) {
    const size_t width = columns.bytes[n];
    for (int32_t f = 0; f < part->family_count && goes_on; f++) {
      const part_family *family = &part->families[f];
      const msd_range range = own ? subdomain_own_springs(world, f) : family->springs;
      const int64_t first = (int64_t)family->first + range.first - family->springs.first;
      goes_on = visit(context, at + (uint64_t)first * width, here + (size_t)range.first * width,
                      (size_t)range.count * width);
    }
    at += (uint64_t)b->whole.springs * width;
    here += (size_t)b->here.springs * width;
  }
  return goes_on;
}

/* Visits all stored objects, or only the owned ones. */
static bool visit_columns(const msd_world *world, const both *b, bool own, visitor *visit, void *context) {
  const msd_range particles = own ? subdomain_own_particles(world) : (msd_range){0, b->here.particles};
  return visit_particles(world, b, particles, visit, context) && visit_springs(world, b, own, visit, context);
}

/* Sets the header of a world without a known stable limit, in which no pins are new. */
static void forget_limits(snapshot_header *h) {
  h->limits = (stability_standing){.patience = 0};
  h->has_new_pins = false;
}

/* Returns a result that is the same on all ranks. */
static msd_result agree(msd_world *world, msd_result result) {
  const bool failed = result != MSD_OK;
  return rank_on_any(&world->part.ranks, failed) ? world_share_failure(world, result, failed) : MSD_OK;
}

/* ------------------------------------------------------------------------------------------------- saving */

static bool send_stretch(void *context, uint64_t at, unsigned char *bytes, size_t size) {
  const subdomain_stream *s = context;
  (void)at;
  for (int rank = 0; rank < s->ranks->count; rank++)
    subdomain_send(s, rank, bytes, size);
  return true;
}

static void add_to_sum(const void *bytes, size_t count, void *context) {
  snapshot_checksum_add(context, bytes, count);
}

/* Two passes, because the checksum precedes the contents. */
static void send_both(const msd_world *world, both *b, subdomain_stream *s, msd_write_function write,
                      void *context) {
  snapshot_checksum sum = snapshot_checksum_begin();
  snapshot_checksum_add(&sum, (const unsigned char *)&b->whole + SNAPSHOT_SUMMED_FROM,
                        sizeof b->whole - SNAPSHOT_SUMMED_FROM);
  s->write = add_to_sum;
  s->context = &sum;
  visit_columns(world, b, true, send_stretch, s);
  b->whole.checksum = snapshot_checksum_end(&sum);
  s->write = write;
  s->context = context;
  if (s->ranks->rank == 0)
    write(&b->whole, sizeof b->whole, context);
  visit_columns(world, b, true, send_stretch, s);
}

/* Local checks, without communication. */
static msd_result check_save(msd_world *world) {
  const world_model *model = &world->model;
  const msd_result result = subdomain_check(world);
  if (result != MSD_OK)
    return result;
  if (model->particles.forced || model->particles.move_count > 0 || model->springs.moves.count > 0)
    return world_fail(
        world, MSD_BAD_VALUE,
        "a divided world must be saved before forces, pins and rest lengths are given for a step");
  return MSD_OK;
}

/* True if all ranks have the same stable limit for the global domain and no rank has new pins, which are not
   stored. */
static bool have_limits(const msd_world *world, const snapshot_header *h) {
  const double state = h->limits.state;
  double some[] = {h->limits.patience == 0 || h->has_new_pins, state, -state};
  rank_find_largest(&world->part.ranks, some, 3);
  return some[0] == 0 && some[1] == -some[2];
}

static both both_of(const msd_world *world) {
  both b = {.here = snapshot_header_of(world)};
  if (!have_limits(world, &b.here))
    forget_limits(&b.here);
  b.whole = b.here;
  b.whole.particles = world->part.is.particles;
  b.whole.springs = world->part.is.springs;
  b.whole.size = snapshot_size(&b.whole);
  return b;
}

msd_result msd_world_save_global(msd_world *world, msd_write_function write, void *context, uint64_t *size) {
  if (!world_is_open(world))
    return fail_locked(world);
  if (!world->part.is_open || !size)
    return world_fail(world, MSD_BAD_VALUE, "the world is not divided among ranks, or size is NULL");
  msd_result result = agree(world, check_save(world));
  if (result != MSD_OK)
    return result;
  both b = both_of(world);
  if (!write) {
    *size = b.whole.size;
    return MSD_OK;
  }
  memory *m = &world->model.memory;
  subdomain_stream s = {.ranks = &world->part.ranks};
  if (!rank_on_any(s.ranks, !open_both(&b, world)) && subdomain_stream_open(&s, m)) {
    snapshot_contents_put(b.bytes, &b.here, world);
    shift_ends(&b, world->part.is.kept.first);
    send_both(world, &b, &s, write, context);
    *size = b.whole.size;
  } else {
    result = world_fail(world, MSD_OUT_OF_MEMORY, "no memory to save a divided world");
  }
  subdomain_stream_close(&s, m);
  memory_release(m, b.bytes);
  return result;
}

/* ---------------------------------------------------------------------------------------------- restoring */

typedef struct source {
  msd_read_function read;
  void *context;
} source;

static bool read_stretch(void *context, uint64_t at, unsigned char *bytes, size_t size) {
  const source *from = context;
  return size == 0 || from->read(bytes, at, size, from->context);
}

static msd_result say_unreadable(msd_world *world) {
  return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot cannot be read");
}

/* Computes the checksum on rank 0, for all ranks. */
static bool find_checksum(const msd_world *world, const both *b, source *from, uint64_t *checksum) {
  unsigned char bytes[1 << 14];
  snapshot_checksum sum = snapshot_checksum_begin();
  *checksum = b->whole.checksum;
  if (world->part.ranks.rank > 0)
    return true;
  for (uint64_t at = SNAPSHOT_SUMMED_FROM; at < b->whole.size; at += sizeof bytes) {
    const uint64_t left = b->whole.size - at;
    const size_t count = left < sizeof bytes ? (size_t)left : sizeof bytes;
    if (!read_stretch(from, at, bytes, count))
      return false;
    snapshot_checksum_add(&sum, bytes, count);
  }
  *checksum = snapshot_checksum_end(&sum);
  return true;
}

static msd_result read_headers(msd_world *world, both *b, source *from, uint64_t size) {
  unsigned char head[sizeof b->whole];
  uint64_t checksum;
  if (!read_stretch(from, 0, head, size < sizeof head ? (size_t)size : sizeof head))
    return say_unreadable(world);
  const msd_result result = snapshot_read_header(world, head, size, &b->whole);
  if (result != MSD_OK)
    return result;
  if (!find_checksum(world, b, from, &checksum))
    return say_unreadable(world);
  return snapshot_check_header(world, &b->whole, checksum);
}

/* True if the snapshot has exactly the particles and springs of the global domain, without appended springs
   or any other objects. */
static bool is_of_whole(const msd_world *world, const snapshot_header *h) {
  const snapshot_header plain = {.particles = world->part.is.particles, .springs = world->part.is.springs};
  return subdomain_is_global(world) && h->particles == plain.particles && h->springs == plain.springs &&
         h->size == snapshot_size(&plain) && h->late_springs == 0;
}

/* True if springs have the same ends as those of the bodies. */
static bool has_same_ends(const msd_world *world, const both *b) {
  const spring_store *s = &world->model.springs;
  const size_t bytes = (size_t)s->count * sizeof(int32_t);
  const unsigned char *ends = ends_of(b);
  return s->count == 0 || (memcmp(ends, s->a, bytes) == 0 && memcmp(ends + bytes, s->b, bytes) == 0);
}

static msd_result read_contents(msd_world *world, both *b, source *from, snapshot_contents *c) {
  if (!is_of_whole(world, &b->whole))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has other bodies than this divided world");
  b->here = b->whole;
  b->here.particles = world->model.particles.count;
  b->here.springs = world->model.springs.count;
  if (b->here.has_new_pins)
    forget_limits(&b->here);
  if (!open_both(b, world))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for a subdomain of the snapshot");
  if (!visit_columns(world, b, false, read_stretch, from))
    return say_unreadable(world);
  shift_ends(b, -world->part.is.kept.first);
  if (!has_same_ends(world, b))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has springs of other bodies");
  return snapshot_contents_get(world, c, &b->here, b->bytes);
}

msd_result msd_world_restore_global(msd_world *world, msd_read_function read, void *context, uint64_t size) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  if (!world->part.is_open || !read)
    return world_fail(world, MSD_BAD_VALUE, "the world is not divided among ranks, or read is NULL");
  memory *m = &world->model.memory;
  both b = {.bytes = NULL};
  source from = {read, context};
  snapshot_contents c = {0};
  msd_result own = read_headers(world, &b, &from, size);
  if (own == MSD_OK)
    own = read_contents(world, &b, &from, &c);
  memory_release(m, b.bytes);
  const msd_result result = agree(world, own);
  if (result != MSD_OK) {
    if (own == MSD_OK)
      snapshot_contents_free(&c, m);
    return result;
  }
  snapshot_take_over(world, &b.here, &c);
  world->part.fresh = world->part.depth;
  world->part.is_lost = false;
  return MSD_OK;
}

/* Snapshots of a whole of which each rank has a part: the bytes are those of one process.

   Each rank has, for a while, the bytes of a snapshot of its own world. These are columns, with an entry for
   each particle or spring, and so are those of the whole, of which they are stretches; but for the ends of
   springs, which are counted from the first particle that a rank has. To save, ranks send what is their own of
   each column to the first, one after the other; to restore, each reads what it has of each. */

#include "engine/base/float_environment.h"
#include "engine/step/rank_step.h"
#include "engine/step/rank_sum.h"
#include "engine/world/part_sender.h"
#include "engine/world/snapshot_contents.h"
#include "engine/world/snapshot_sum.h"
#include "engine/world/world.h"

/* The headers of the whole and of what this rank has, and the bytes of the latter. */
typedef struct both {
  snapshot_header whole, here;
  unsigned char *bytes;
} both;

/* Allocates the bytes. False when there is no memory for them. */
static bool open_both(both *b, msd_world *world) {
  b->here.size = snapshot_size(&b->here);
  b->bytes = memory_allocate(&world->model.memory, (size_t)b->here.size);
  return b->bytes;
}

/* Where the ends of springs stand. */
static unsigned char *ends_of(const both *b) {
  const particle_snapshot particles = snapshot_particles(&b->here);
  return b->bytes + particle_snapshot_size(&particles);
}

/* Counts the ends of springs from another particle; ends that are forged may be any numbers. */
static void shift_ends(const both *b, int32_t by) {
  unsigned char *at = ends_of(b);
  for (int64_t n = 0; n < 2 * (int64_t)b->here.springs; n++, at += sizeof(uint32_t)) {
    uint32_t end;
    memcpy(&end, at, sizeof end);
    end += (uint32_t)by;
    memcpy(at, &end, sizeof end);
  }
}

/* Told of a stretch of a column: where it stands in the snapshot of the whole, and in the bytes of this rank.
   False: no more. */
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

/* Springs of a family stand side by side in the whole too. */
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
      const msd_range range = own ? part_own_springs(world, f) : family->springs;
      const int64_t first = (int64_t)family->first + range.first - family->springs.first;
      goes_on = visit(context, at + (uint64_t)first * width, here + (size_t)range.first * width,
                      (size_t)range.count * width);
    }
    at += (uint64_t)b->whole.springs * width;
    here += (size_t)b->here.springs * width;
  }
  return goes_on;
}

/* All that this rank has, or what is its own. */
static bool visit_columns(const msd_world *world, const both *b, bool own, visitor *visit, void *context) {
  const msd_range particles = own ? part_own_particles(world) : (msd_range){0, b->here.particles};
  return visit_particles(world, b, particles, visit, context) && visit_springs(world, b, own, visit, context);
}

/* As of a world of which nobody has asked for limits, to which no pins are new. */
static void forget_limits(snapshot_header *h) {
  h->limits = (stability_standing){.patience = 0};
  h->has_new_pins = false;
}

/* The result of all ranks. */
static msd_result agree(msd_world *world, msd_result result) {
  const bool failed = result != MSD_OK;
  return rank_on_any(&world->part.ranks, failed) ? world_share_failure(world, result, failed) : MSD_OK;
}

/* -------------------------------------------------------------------------------------------------- saving */

static bool send_stretch(void *context, uint64_t at, unsigned char *bytes, size_t size) {
  const part_sender *s = context;
  (void)at;
  for (int rank = 0; rank < s->ranks->count; rank++)
    part_send(s, rank, bytes, size);
  return true;
}

static void add_to_sum(const void *bytes, size_t count, void *context) {
  snapshot_sum_add(context, bytes, count);
}

/* Twice, since the checksum of all stands in front. */
static void send_both(const msd_world *world, both *b, part_sender *s, msd_write_function write,
                      void *context) {
  snapshot_sum sum = snapshot_sum_begin();
  snapshot_sum_add(&sum, (const unsigned char *)&b->whole + SNAPSHOT_SUMMED_FROM,
                   sizeof b->whole - SNAPSHOT_SUMMED_FROM);
  s->write = add_to_sum;
  s->context = &sum;
  visit_columns(world, b, true, send_stretch, s);
  b->whole.checksum = snapshot_sum_end(&sum);
  s->write = write;
  s->context = context;
  if (s->ranks->rank == 0)
    write(&b->whole, sizeof b->whole, context);
  visit_columns(world, b, true, send_stretch, s);
}

/* What this rank knows of it. */
static msd_result check_save(msd_world *world) {
  const world_model *model = &world->model;
  const msd_result result = part_check(world);
  if (result != MSD_OK)
    return result;
  if (model->particles.forced || model->particles.move_count > 0 || model->springs.moves.count > 0)
    return world_fail(world, MSD_BAD_VALUE,
                      "a world in parts is saved before forces, pins and rest lengths are given for a step");
  return MSD_OK;
}

/* Whether limits stand that are those of the whole: alike on all ranks. Which pins are new to them is not
   kept. */
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

msd_result msd_world_save_whole(msd_world *world, msd_write_function write, void *context, uint64_t *size) {
  if (!world_is_open(world))
    return world_say_closed(world);
  if (!world->part.is_open || !size)
    return world_fail(world, MSD_BAD_VALUE, "the world is no part of a whole, or size is NULL");
  msd_result result = agree(world, check_save(world));
  if (result != MSD_OK)
    return result;
  both b = both_of(world);
  if (!write) {
    *size = b.whole.size;
    return MSD_OK;
  }
  memory *m = &world->model.memory;
  part_sender s = {.ranks = &world->part.ranks};
  if (!rank_on_any(s.ranks, !open_both(&b, world)) && part_sender_open(&s, m)) {
    snapshot_contents_put(b.bytes, &b.here, world);
    shift_ends(&b, world->part.is.kept.first);
    send_both(world, &b, &s, write, context);
    *size = b.whole.size;
  } else {
    result = world_fail(world, MSD_OUT_OF_MEMORY, "no memory to save a world in parts");
  }
  part_sender_close(&s, m);
  memory_release(m, b.bytes);
  return result;
}

/* ----------------------------------------------------------------------------------------------- restoring */

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

/* That of all bytes, for which one rank is enough. */
static bool find_checksum(const msd_world *world, const both *b, source *from, uint64_t *checksum) {
  unsigned char bytes[1 << 14];
  snapshot_sum sum = snapshot_sum_begin();
  *checksum = b->whole.checksum;
  if (world->part.ranks.rank > 0)
    return true;
  for (uint64_t at = SNAPSHOT_SUMMED_FROM; at < b->whole.size; at += sizeof bytes) {
    const uint64_t left = b->whole.size - at;
    const size_t count = left < sizeof bytes ? (size_t)left : sizeof bytes;
    if (!read_stretch(from, at, bytes, count))
      return false;
    snapshot_sum_add(&sum, bytes, count);
  }
  *checksum = snapshot_sum_end(&sum);
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

/* Whether it has the particles and springs of the whole, laid out at once, and nothing else. */
static bool is_of_whole(const msd_world *world, const snapshot_header *h) {
  const snapshot_header plain = {.particles = world->part.is.particles, .springs = world->part.is.springs};
  return part_is_whole(world) && h->particles == plain.particles && h->springs == plain.springs &&
         h->size == snapshot_size(&plain) && h->late_springs == 0;
}

/* Whether springs join what those of the bodies do. */
static bool has_same_ends(const msd_world *world, const both *b) {
  const spring_store *s = &world->model.springs;
  const size_t bytes = (size_t)s->count * sizeof(int32_t);
  const unsigned char *ends = ends_of(b);
  return s->count == 0 || (memcmp(ends, s->a, bytes) == 0 && memcmp(ends + bytes, s->b, bytes) == 0);
}

static msd_result read_contents(msd_world *world, both *b, source *from, snapshot_contents *c) {
  if (!is_of_whole(world, &b->whole))
    return world_fail(
        world, MSD_BAD_SNAPSHOT,
        "the snapshot has other things than the bodies of this world in parts, or not only them");
  b->here = b->whole;
  b->here.particles = world->model.particles.count;
  b->here.springs = world->model.springs.count;
  if (b->here.has_new_pins)
    forget_limits(&b->here);
  if (!open_both(b, world))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for a part of the snapshot");
  if (!visit_columns(world, b, false, read_stretch, from))
    return say_unreadable(world);
  shift_ends(b, -world->part.is.kept.first);
  if (!has_same_ends(world, b))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has springs of other bodies");
  return snapshot_contents_get(world, c, &b->here, b->bytes);
}

msd_result msd_world_restore_whole(msd_world *world, msd_read_function read, void *context, uint64_t size) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  if (!world->part.is_open || !read)
    return world_fail(world, MSD_BAD_VALUE, "the world is no part of a whole, or read is NULL");
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

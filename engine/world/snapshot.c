/* A world as bytes, and back.

   Layout: the header below, then arrays without gaps, in the order of the indices, store by store as their
   files write them: particles, springs, impulses of the springs in the last substep (if the next one begins
   with them), constraints, their impulses, anchors, rotors and angular springs, colliders, surfaces, their
   tangles, what particles are parts of (if some were split), what has been destroyed, and who sleeps (if
   anything can). Numbers are stored as they are in memory: a snapshot is for the same precision and byte order,
   and says which. The order of the springs is kept, broken ones included, so the network compiled from it has
   the same rows and gives the same bits. */

#include "engine/world/snapshot.h"

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/stability/steps.h"
#include "engine/world/world.h"

#include <string.h>

static const char MAGIC[8] = "MSDSNAP";
enum { VERSION = 14, BYTE_ORDER_MARK = 0x01020304 };

typedef struct header {
  char magic[8];
  /* Of all bytes behind this field. */
  uint64_t checksum;
  uint32_t version, byte_order, real_bytes;
  int32_t integrator;
  /* Bytes of the whole snapshot. */
  uint64_t size;
  int32_t particles, springs, moves, forced;
  int32_t limit, ordered;
  int32_t impulse_iterations, impulse_warm_start;
  /* The number of impulses, which are those of the first springs. */
  int32_t impulses;
  int32_t constraints, meshes, mesh_triangles, mesh_vertices;
  int32_t anchors;
  int32_t rotors, angular_springs;
  /* The same for constraints. */
  int32_t constraint_impulses;
  int32_t colliders;
  int32_t surfaces, surface_triangles, surface_segments, surface_rests;
  /* Of springs WEAR_OF_SPRINGS, of constraints WEAR_OF_CONSTRAINTS. */
  int32_t has_wear;
  int32_t backings, rest_moves, has_new_pins;
  /* See world_model. */
  int32_t is_laid_out, late_springs;
  /* Whether they are known, or must be found; and those that are. */
  int32_t tangles_known, tangled_pairs;
  double gravity[3], air_drag;
  double wind_velocity[3], gust, gust_length, gust_time, density, normal_drag, tangential_drag;
  double thickness, friction, softness;
  double time, tuned_step;
  int64_t steps, surfaces_ignored;
  int64_t contact_strict, crossings, pinched;
  /* Whether particles have been split. */
  int64_t has_parts;
  /* What has been destroyed, of all kinds. */
  int64_t gaps;
  uint64_t wind_seed;
  /* The msd_energy. */
  int64_t energy;
  /* The msd_mass_scaling. */
  int64_t mass_scaling;
  /* The msd_solver. */
  int64_t solver;
  double sleep_speed, sleep_time;
  sleep_snapshot sleep;
  energy_snapshot account;
  stability_standing limits;
} header;

/* Worlds that are the same have the same bytes. */
_Static_assert(offsetof(header, gravity) == offsetof(header, tangled_pairs) + sizeof(int32_t),
               "there are bytes that mean nothing");

enum { CHECKED_FROM = offsetof(header, version) };
enum { WEAR_OF_SPRINGS = 1, WEAR_OF_CONSTRAINTS = 2 };

/* One word more. What can be undone loses nothing: a change within one word changes every hash that follows. */
static uint64_t with_word(uint64_t hash, const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

enum { WORD = sizeof(uint64_t), CHECKSUM_LANES = 4 };

/* Word by word, each lane every fourth of them, so that they need not wait for each other; zeros follow the
   last byte. */
static uint64_t checksum(const unsigned char *bytes, size_t size) {
  uint64_t lanes[CHECKSUM_LANES] = {0xcbf29ce484222325u, 1, 2, 3};
  unsigned char rest[CHECKSUM_LANES * WORD] = {0};
  const size_t whole = size - size % sizeof rest;
  for (size_t at = 0; at < whole; at += sizeof rest)
    for (size_t lane = 0; lane < CHECKSUM_LANES; lane++)
      lanes[lane] = with_word(lanes[lane], bytes + at + lane * WORD);
  memcpy(rest, bytes + whole, size - whole);
  for (size_t lane = 0; lane < CHECKSUM_LANES; lane++)
    lanes[lane] = with_word(lanes[lane], rest + lane * WORD);
  uint64_t hash = 0;
  for (size_t lane = 0; lane < CHECKSUM_LANES; lane++)
    hash = with_word(hash, (const unsigned char *)&lanes[lane]);
  return hash;
}

static msd_vec3 gravity_of(const header *h) {
  return (msd_vec3){(msd_real)h->gravity[0], (msd_real)h->gravity[1], (msd_real)h->gravity[2]};
}

static contact_settings contact_of(const header *h) {
  return (contact_settings){(msd_real)h->thickness, (msd_real)h->friction, (msd_real)h->softness,
                            h->contact_strict != 0};
}

static msd_wind_def wind_of(const header *h) {
  const double *v = h->wind_velocity;
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){(msd_real)v[0], (msd_real)v[1], (msd_real)v[2]};
  wind.gust = (msd_real)h->gust;
  wind.gust_length = (msd_real)h->gust_length;
  wind.gust_time = (msd_real)h->gust_time;
  wind.density = (msd_real)h->density;
  wind.normal_drag = (msd_real)h->normal_drag;
  wind.tangential_drag = (msd_real)h->tangential_drag;
  wind.seed = (uint32_t)h->wind_seed;
  return wind;
}

static void put_wind(header *h, const msd_wind_def *wind) {
  vec3_components(wind->velocity, h->wind_velocity);
  h->gust = (double)wind->gust;
  h->gust_length = (double)wind->gust_length;
  h->gust_time = (double)wind->gust_time;
  h->density = (double)wind->density;
  h->normal_drag = (double)wind->normal_drag;
  h->tangential_drag = (double)wind->tangential_drag;
  h->wind_seed = wind->seed;
}

static void put_sleep(header *h, const sleep_store *s) {
  h->sleep_speed = (double)s->speed;
  h->sleep_time = (double)s->time;
  h->sleep = sleep_snapshot_of(s);
}

static particle_snapshot particles_of(const header *h) {
  return (particle_snapshot){h->particles, h->moves, h->forced, h->ordered};
}

static spring_snapshot springs_of(const header *h) {
  return (spring_snapshot){h->springs, h->backings, h->rest_moves, h->has_wear & WEAR_OF_SPRINGS};
}

static constraint_snapshot constraints_of(const header *h) {
  return (constraint_snapshot){h->constraints, h->meshes, h->mesh_triangles, h->mesh_vertices,
                               h->has_wear & WEAR_OF_CONSTRAINTS};
}

static surface_snapshot surfaces_of(const header *h) {
  return (surface_snapshot){h->surfaces, h->surface_triangles, h->surface_segments, h->surface_rests,
                            (int32_t)h->surfaces_ignored};
}

static tangles_snapshot tangles_of(const header *h) {
  return (tangles_snapshot){h->tangled_pairs, h->crossings, h->pinched};
}

/* Also of a header that was read, whose counts may be any numbers from 0 up. */
static uint64_t snapshot_size(const header *h) {
  const particle_snapshot particles = particles_of(h);
  return sizeof *h + particle_snapshot_size(&particles) + spring_snapshot_size(springs_of(h)) +
         ((uint64_t)h->impulses + (uint64_t)h->constraint_impulses) * sizeof(msd_real) +
         constraint_snapshot_size(constraints_of(h)) + anchor_snapshot_size(h->anchors) +
         rotor_snapshot_size(h->rotors, h->angular_springs) + collider_snapshot_size(h->colliders) +
         surface_snapshot_size(surfaces_of(h)) + tangles_snapshot_size(tangles_of(h)) +
         (h->has_parts ? split_snapshot_size(h->particles) : 0) + gaps_snapshot_size(h->gaps) +
         sleep_snapshot_size(h->sleep);
}

static bool has_order(const world_model *model) {
  return model->is_laid_out && model->particles.slot;
}

/* The substep that constraints are softened for; 0: that must be found again. */
static double softening_step(const world_model *model) {
  const revision *made_for = &model->constraints.weights_made_for;
  return revision_holds(made_for, revision_of_softening(&model->revision, made_for->step)) ? made_for->step
                                                                                           : 0;
}

static bool is_energy_sound(const header *h) {
  return h->energy >= 0 && h->energy < MSD_ENERGY_COUNT &&
         (h->energy == MSD_ENERGY_PLAIN || h->integrator == MSD_SYMPLECTIC_EULER) &&
         energy_snapshot_is_sound(&h->account);
}

static bool is_scaling_sound(const header *h) {
  return h->mass_scaling >= 0 && h->mass_scaling < MSD_MASS_SCALING_COUNT &&
         (h->mass_scaling == MSD_MASS_SCALING_NONE ||
          (h->integrator == MSD_SYMPLECTIC_EULER && h->energy == MSD_ENERGY_PLAIN));
}

static bool is_solver_sound(const header *h) {
  return h->solver >= 0 && h->solver < MSD_SOLVER_COUNT &&
         (h->solver == MSD_SOLVER_FORCES ||
          (h->integrator == MSD_SYMPLECTIC_EULER && h->energy == MSD_ENERGY_PLAIN &&
           h->mass_scaling == MSD_MASS_SCALING_NONE));
}

static void put_surfaces(header *h, const msd_world *world) {
  const surface_store *s = &world->model.surfaces;
  const contact_settings *contact = &world->model.contact;
  const tangles_snapshot t = tangles_snapshot_of(world);
  h->surfaces = s->count;
  h->surface_triangles = s->triangle_count;
  h->surface_segments = s->segment_count;
  h->surface_rests = s->rest_count;
  h->surfaces_ignored = s->ignored_count;
  h->tangles_known = tangles_are_known(world);
  h->tangled_pairs = t.pairs;
  h->crossings = t.crossings;
  h->pinched = t.pinched;
  h->contact_strict = contact->strict;
  h->thickness = (double)contact->thickness;
  h->friction = (double)contact->friction;
  h->softness = (double)contact->softness;
}

static header header_of(const msd_world *world) {
  const world_model *model = &world->model;
  const bool keeps_impulses = model->impulse_warm_start;
  header h = {
      .version = VERSION,
      .byte_order = BYTE_ORDER_MARK,
      .real_bytes = sizeof(msd_real),
      .integrator = (int32_t)model->integrator,
      .particles = model->particles.count,
      .springs = model->springs.count,
      .moves = model->particles.move_count,
      .forced = model->particles.forced,
      .limit = (int32_t)model->limit,
      .ordered = has_order(model),
      .is_laid_out = model->is_laid_out,
      .late_springs = model->late_springs,
      .impulse_iterations = model->impulse_iterations,
      .impulse_warm_start = model->impulse_warm_start,
      .impulses = keeps_impulses ? world->stepper.spring_given.count : 0,
      .constraint_impulses = keeps_impulses ? world->stepper.constraint_given.count : 0,
      .constraints = model->constraints.count,
      .meshes = model->constraints.mesh_count,
      .mesh_triangles = model->constraints.triangle_count,
      .mesh_vertices = model->constraints.vertex_count,
      .anchors = model->anchors.count,
      .rotors = model->rotors.count,
      .angular_springs = model->angular_springs.count,
      .colliders = model->colliders.count,
      .has_wear =
          (model->springs.wear ? WEAR_OF_SPRINGS : 0) | (model->constraints.wear ? WEAR_OF_CONSTRAINTS : 0),
      .backings = model->springs.backing_count,
      .rest_moves = model->springs.moves.count,
      .has_parts = model->particles.parts > 0,
      .gaps = model->gaps.count,
      .has_new_pins = model->particles.newly_pinned_count > 0,
      .gravity = {(double)model->gravity.x, (double)model->gravity.y, (double)model->gravity.z},
      .air_drag = (double)model->air_drag,
      .time = world->time,
      .tuned_step = model->tuned_step,
      .steps = world->steps,
      .energy = model->energy,
      .mass_scaling = model->mass_scaling,
      .solver = model->solver,
      .account = energy_snapshot_of(world),
      .limits = stability_standing_of(model, &world->limits),
  };
  put_surfaces(&h, world);
  put_wind(&h, &model->wind);
  put_sleep(&h, &model->sleep);
  return h;
}

/* Of each triangle and segment of a surface. There may be more: all may intersect all. */
enum { TANGLES_EXPECTED = 4 };

size_t msd_world_get_save_bound(const msd_world *world) {
  if (!world)
    return 0;
  header h = header_of(world);
  h.moves = h.particles;
  h.rest_moves = h.springs;
  h.forced = h.ordered = 1;
  h.impulses = h.springs;
  h.constraint_impulses = h.constraints;
  const int64_t pairs = TANGLES_EXPECTED * ((int64_t)h.surface_triangles + h.surface_segments);
  h.tangled_pairs = h.tangled_pairs > pairs ? h.tangled_pairs
                    : pairs < INT32_MAX     ? (int32_t)pairs
                                            : INT32_MAX;
  h.pinched = pairs;
  h.sleep = h.sleep_speed > 0 ? (sleep_snapshot){h.particles, h.particles} : h.sleep;
  const uint64_t size = snapshot_size(&h);
  return size < SIZE_MAX ? (size_t)size : SIZE_MAX;
}

static void put_contents(unsigned char *to, const header *h, const msd_world *world) {
  const particle_snapshot particles = particles_of(h);
  const given_impulses *spring_given = &world->stepper.spring_given,
                       *constraint_given = &world->stepper.constraint_given;
  particle_snapshot_put(&to, &particles, &world->model.particles);
  spring_snapshot_put(&to, &world->model.springs);
  snapshot_put(&to, spring_given->of[spring_given->current], (size_t)h->impulses * sizeof(msd_real));
  constraint_snapshot_put(&to, &world->model.constraints, softening_step(&world->model));
  snapshot_put(&to, constraint_given->of[constraint_given->current],
               (size_t)h->constraint_impulses * sizeof(msd_real));
  anchor_snapshot_put(&to, &world->model.anchors);
  rotor_snapshot_put(&to, &world->model.rotors, &world->model.angular_springs);
  collider_snapshot_put(&to, &world->model.colliders);
  surface_snapshot_put(&to, &world->model.surfaces);
  tangles_snapshot_put(&to, tangles_of(h), &world->stepper.tangles);
  if (h->has_parts)
    split_snapshot_put(&to, &world->model.particles);
  gaps_snapshot_put(&to, &world->model.gaps);
  sleep_snapshot_put(&to, h->sleep, &world->model.sleep);
}

msd_result msd_world_save(const msd_world *world, void *buffer, size_t capacity, size_t *size) {
  if (!world || !size || world->part.is_open)
    return MSD_BAD_VALUE;
  if (!world_is_open(world))
    return MSD_BUSY;
  header h = header_of(world);
  h.size = snapshot_size(&h);
  if (h.size > SIZE_MAX)
    return MSD_TOO_LARGE;
  *size = (size_t)h.size;
  if (!buffer)
    return MSD_OK;
  if (capacity < *size)
    return MSD_BUFFER_TOO_SMALL;
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  put_contents((unsigned char *)buffer + sizeof h, &h, world);
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

static bool is_flag(int32_t value) {
  return value == 0 || value == 1;
}

/* A checksum does not protect against forgery, so all counts are checked too. */
static bool are_counts_sound(const header *h) {
  const bool warm = h->impulse_warm_start;
  return h->particles >= 0 && h->springs >= 0 && h->moves >= 0 && h->moves <= h->particles &&
         h->constraints >= 0 && h->constraints <= CONSTRAINTS_MAX && h->meshes >= 0 &&
         h->meshes <= h->constraints && h->mesh_triangles >= 0 &&
         h->mesh_triangles <= CONSTRAINT_TRIANGLES_MAX && h->mesh_vertices >= 0 &&
         h->mesh_vertices <= 3 * (int64_t)h->mesh_triangles && h->anchors >= 0 && h->rotors >= 0 &&
         h->angular_springs >= 0 && h->colliders >= 0 && h->surfaces >= 0 && h->surface_triangles >= 0 &&
         h->surface_segments >= 0 && h->surface_rests >= 0 && h->surface_rests <= h->particles &&
         h->surfaces_ignored >= 0 && h->surfaces_ignored <= INT32_MAX && is_flag(h->tangles_known) &&
         h->tangled_pairs >= 0 && h->crossings >= 0 && h->pinched >= 0 && h->contact_strict >= 0 &&
         h->contact_strict <= 1 && h->has_parts >= 0 && h->has_parts <= 1 && h->gaps >= 0 &&
         h->gaps <= MSD_ITEM_COUNT * (int64_t)INT32_MAX && is_flag(h->has_new_pins) &&
         is_flag(h->is_laid_out) && (h->is_laid_out || !h->ordered) && h->late_springs >= 0 &&
         h->late_springs <= (h->is_laid_out ? h->springs : 0) && h->impulses >= 0 &&
         h->impulses <= (warm ? h->springs : 0) && h->constraint_impulses >= 0 &&
         h->constraint_impulses <= (warm ? h->constraints : 0) && is_flag(h->forced) && is_flag(h->ordered) &&
         h->has_wear >= 0 && h->has_wear <= (WEAR_OF_SPRINGS | WEAR_OF_CONSTRAINTS) && h->backings >= 0 &&
         h->rest_moves >= 0 && h->rest_moves <= h->springs &&
         sleep_snapshot_counts_are_sound(h->sleep, h->particles) && h->size == snapshot_size(h);
}

/* Settings are checked as they will be stored. */
static bool are_settings_sound(const header *h) {
  const msd_wind_def wind = wind_of(h);
  return vec3_is_finite(gravity_of(h)) && contact_settings_are_sound(contact_of(h)) &&
         isfinite((msd_real)h->air_drag) && h->air_drag >= 0 && h->integrator >= 0 &&
         h->integrator < MSD_INTEGRATOR_COUNT && h->limit >= 0 && h->limit < MSD_LIMIT_COUNT &&
         h->impulse_iterations >= 1 && h->impulse_iterations <= IMPULSE_ITERATIONS_MAX &&
         is_flag(h->impulse_warm_start) && isfinite(h->time) && isfinite(h->tuned_step) &&
         h->tuned_step >= 0 && h->steps >= 0 && h->steps <= SNAPSHOT_STEPS_MAX && is_energy_sound(h) &&
         sleep_settings_are_sound((msd_real)h->sleep_speed, (msd_real)h->sleep_time) && is_scaling_sound(h) &&
         is_solver_sound(h) && stability_standing_is_sound(&h->limits) && !wind_fault(&wind) &&
         h->wind_seed <= UINT32_MAX;
}

static bool read_impulses(msd_real *impulses, int32_t count, const unsigned char **from) {
  snapshot_get(impulses, from, (size_t)count * sizeof *impulses);
  bool sound = true;
  for (int32_t e = 0; e < count; e++)
    sound = sound && isfinite(impulses[e]);
  return sound;
}

/* The contents of a snapshot, until all of them have been checked. */
typedef struct contents {
  particle_store particles;
  spring_store springs;
  constraint_store constraints;
  anchor_store anchors;
  rotor_store rotors;
  angular_spring_store angular_springs;
  collider_store colliders;
  surface_store surfaces;
  tangles tangles;
  sleep_store sleep;
  int32_t *slot;
  given_impulses spring_given, constraint_given;
  gap_store gaps;
} contents;

static void forget(contents *c, memory *m) {
  particle_store_free(&c->particles, m);
  spring_store_free(&c->springs, m);
  constraint_store_free(&c->constraints, m);
  anchor_store_free(&c->anchors, m);
  rotor_store_free(&c->rotors, m);
  angular_spring_store_free(&c->angular_springs, m);
  collider_store_free(&c->colliders, m);
  surface_store_free(&c->surfaces, m);
  tangles_free(&c->tangles, m);
  sleep_store_free(&c->sleep, m);
  memory_release(m, c->slot);
  given_impulses_free(&c->spring_given, m);
  given_impulses_free(&c->constraint_given, m);
  gaps_free(&c->gaps, m);
}

static bool reserve(contents *c, memory *m, const header *h) {
  particle_store *p = &c->particles;
  if (!particle_store_reserve(p, m, h->particles) || !spring_store_reserve(&c->springs, m, h->springs) ||
      !growth_reserve(&constraint_growth, &c->constraints, m, h->constraints) ||
      !growth_reserve(&constraint_mesh_growth, &c->constraints, m, h->meshes) ||
      !growth_reserve(&constraint_triangle_growth, &c->constraints, m, h->mesh_triangles) ||
      !growth_reserve(&rotor_growth, &c->rotors, m, h->rotors) ||
      !growth_reserve(&angular_spring_growth, &c->angular_springs, m, h->angular_springs) ||
      !growth_reserve(&collider_growth, &c->colliders, m, h->colliders) ||
      !surface_store_reserve(&c->surfaces, m, h->surfaces, h->surface_triangles, h->surface_segments,
                             h->surface_rests) ||
      !surface_store_reserve_ignored(&c->surfaces, m, h->surfaces_ignored) ||
      !growth_reserve(&tangled_pair_growth, &c->tangles, m, h->tangled_pairs) ||
      !particle_reserve_moves(p, m, h->moves) || (h->has_parts && !particle_open_origins(p, m)) ||
      (h->has_new_pins && !particle_open_new_pins(p, m)) ||
      !given_impulses_reserve(&c->spring_given, m, h->impulses) ||
      !given_impulses_reserve(&c->constraint_given, m, h->constraint_impulses) ||
      (h->sleep.particles > 0 && !sleep_reserve(&c->sleep, m, h->sleep.particles, h->sleep.pieces)))
    return false;
  void *block;
  if (h->forced && !(p->force = particle_allocate_slab(p, m, 3, &block)))
    return false;
  c->slot = h->ordered ? memory_allocate(m, particle_slot_bytes(p)) : NULL;
  return c->slot || !h->ordered;
}

static msd_result read_gaps(msd_world *world, contents *c, const header *h, const unsigned char **from) {
  const gaps_snapshot of = {&c->particles, &c->springs,         &c->constraints, &c->anchors,
                            &c->rotors,    &c->angular_springs, &c->colliders,   &c->surfaces};
  const msd_result result = gaps_snapshot_get(&c->gaps, &world->model.memory, h->gaps, &of, from);
  if (result == MSD_OUT_OF_MEMORY)
    return world_fail(world, result, "no memory for what has been destroyed in the snapshot");
  return result == MSD_OK ? result
                          : world_fail(world, result, "the snapshot has something destroyed that is in use");
}

static msd_result read_contents(msd_world *world, contents *c, const header *h, const unsigned char *from) {
  memory *m = &world->model.memory;
  const particle_snapshot particles = particles_of(h);
  msd_result result = MSD_OUT_OF_MEMORY;
  if (reserve(c, m, h))
    result = particle_snapshot_get(&c->particles, c->slot, &particles, &from)
                 ? spring_snapshot_get(&c->springs, &c->particles, m, springs_of(h), &from)
                 : MSD_BAD_SNAPSHOT;
  if (result == MSD_OUT_OF_MEMORY)
    return world_fail(world, result, "no memory for the snapshot's %d particles and %d springs",
                      (int)h->particles, (int)h->springs);
  if (result != MSD_OK || !read_impulses(c->spring_given.of[0], h->impulses, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a particle or spring out of its range");
  result = constraint_snapshot_get(world, &c->constraints, &c->particles, constraints_of(h), &from);
  if (result == MSD_OK && !read_impulses(c->constraint_given.of[0], h->constraint_impulses, &from))
    result =
        world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has an impulse of a constraint that is not finite");
  if (result == MSD_OK)
    result = anchor_snapshot_get(world, &c->anchors, &c->particles, h->anchors, &from);
  if (result != MSD_OK)
    return result;
  if (!rotor_snapshot_get(&c->rotors, h->rotors, &c->angular_springs, h->angular_springs, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a rotor or angular spring out of its range");
  if (!collider_snapshot_get(&c->colliders, h->colliders, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a collider out of its range");
  if (!surface_snapshot_get(&c->surfaces, surfaces_of(h), &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a surface out of its range");
  if (!tangles_snapshot_get(&c->tangles, tangles_of(h), &c->surfaces, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a tangle out of its range");
  if (h->has_parts && !split_snapshot_get(&c->particles, (int64_t)h->springs + h->constraints, &from))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a part of no particle");
  result = read_gaps(world, c, h, &from);
  if (result == MSD_OK && !sleep_snapshot_get(&c->sleep, h->sleep, &from))
    result = world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot has a sleeper out of its range");
  return result;
}

/* Marks all as changed, but for what was derived and is in the snapshot. `found_step` is the substep that
   constraints are softened for; 0: that must be found again. */
static void resume(msd_world *world, const header *h, double found_step) {
  revision *now = &world->model.revision;
  stepper *s = &world->stepper;
  revision_advance(now);
  if (h->tangles_known)
    s->tangles.found_for = revision_of_tangles(now);
  energy_snapshot_resume(world, &h->account);
  if (found_step > 0)
    world->model.constraints.weights_made_for = revision_of_softening(now, found_step);
  stability_resume(&world->model, &world->limits, &h->limits);
}

msd_result msd_world_restore(msd_world *world, const void *buffer, size_t size) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  if (!buffer || world->part.is_open)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot is NULL, or the world a part of one");
  header h;
  msd_result result = check_header(world, buffer, size, &h);
  if (result != MSD_OK)
    return result;
  if (!are_settings_sound(&h) || !are_counts_sound(&h))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot's settings are out of their ranges");

  memory *m = &world->model.memory;
  contents c = {0};
  result = read_contents(world, &c, &h, (const unsigned char *)buffer + sizeof h);
  if (result != MSD_OK) {
    forget(&c, m);
    return result;
  }
  model_free(&world->model);
  if (c.slot)
    particle_move_to_slots(&c.particles, c.slot, m);
  world->model.particles = c.particles;
  world->model.springs = c.springs;
  world->model.constraints = c.constraints;
  world->model.anchors = c.anchors;
  world->model.rotors = c.rotors;
  world->model.angular_springs = c.angular_springs;
  world->model.colliders = c.colliders;
  world->model.surfaces = c.surfaces;
  world->model.gaps = c.gaps;
  sleep_replace(&world->model.sleep, m, &c.sleep);
  world->model.sleep.speed = (msd_real)h.sleep_speed;
  world->model.sleep.time = (msd_real)h.sleep_time;
  stepper_take_tangles(&world->stepper, &c.tangles);
  world->model.contact = contact_of(&h);
  world->model.wind = wind_of(&h);
  world->model.gravity = gravity_of(&h);
  world->model.air_drag = (msd_real)h.air_drag;
  world->model.integrator = (msd_integrator)h.integrator;
  world->model.limit = (msd_limit)h.limit;
  world->model.energy = (msd_energy)h.energy;
  world->model.mass_scaling = (msd_mass_scaling)h.mass_scaling;
  world->model.solver = (msd_solver)h.solver;
  world->model.impulse_iterations = h.impulse_iterations;
  world->model.impulse_warm_start = h.impulse_warm_start;
  stepper_forget_impulses(&world->stepper);
  world->stepper.spring_given = c.spring_given;
  world->stepper.constraint_given = c.constraint_given;
  world->time = h.time;
  world->model.tuned_step = h.tuned_step;
  world->model.is_laid_out = h.is_laid_out;
  world->model.late_springs = h.late_springs;
  world->steps = h.steps;
  network_free(&world->stepper.network, m);
  resume(world, &h, c.constraints.weights_made_for.step);
  return MSD_OK;
}

#include "engine/world/snapshot_header.h"

#include "engine/base/vec3.h"
#include "engine/stability/steps.h"
#include "engine/world/world.h"

#define MAGIC "MSDSNAP"
enum { VERSION = 23, BYTE_ORDER_MARK = 0x01020304 };

/* Without padding, equal worlds have equal bytes. */
_Static_assert(offsetof(snapshot_header, gravity) ==
                   offsetof(snapshot_header, penetrating_pairs) + sizeof(int32_t),
               "there are bytes that mean nothing");

static msd_vec3 gravity_of(const snapshot_header *h) {
  return (msd_vec3){(msd_real)h->gravity[0], (msd_real)h->gravity[1], (msd_real)h->gravity[2]};
}

static contact_settings contact_of(const snapshot_header *h) {
  return (contact_settings){(msd_real)h->thickness, (msd_real)h->friction, (msd_real)h->relaxation,
                            h->contact_strict != 0};
}

static msd_wind_def wind_of(const snapshot_header *h) {
  const double *v = h->wind_velocity;
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){(msd_real)v[0], (msd_real)v[1], (msd_real)v[2]};
  wind.turbulence = (msd_real)h->turbulence;
  wind.turbulence_length = (msd_real)h->turbulence_length;
  wind.turbulence_time = (msd_real)h->turbulence_time;
  wind.density = (msd_real)h->density;
  wind.normal_drag = (msd_real)h->normal_drag;
  wind.tangential_drag = (msd_real)h->tangential_drag;
  wind.seed = (uint32_t)h->wind_seed;
  return wind;
}

static void put_wind(snapshot_header *h, const msd_wind_def *wind) {
  vec3_components(wind->velocity, h->wind_velocity);
  h->turbulence = (double)wind->turbulence;
  h->turbulence_length = (double)wind->turbulence_length;
  h->turbulence_time = (double)wind->turbulence_time;
  h->density = (double)wind->density;
  h->normal_drag = (double)wind->normal_drag;
  h->tangential_drag = (double)wind->tangential_drag;
  h->wind_seed = wind->seed;
}

static void put_sleep(snapshot_header *h, const sleep_store *s) {
  h->sleep_speed = (double)s->speed;
  h->sleep_time = (double)s->time;
  h->sleep = sleep_snapshot_of(s);
}

particle_snapshot snapshot_particles(const snapshot_header *h) {
  return (particle_snapshot){h->particles, h->moves, h->forced, h->ordered, h->has_new_pins};
}

spring_snapshot snapshot_springs(const snapshot_header *h) {
  return (spring_snapshot){h->springs, h->companions, h->rest_moves,
                           h->has_damage & SNAPSHOT_OF_SPRING_DAMAGE};
}

constraint_snapshot snapshot_constraints(const snapshot_header *h) {
  return (constraint_snapshot){h->constraints, h->meshes, h->mesh_triangles, h->mesh_vertices,
                               h->has_damage & SNAPSHOT_OF_CONSTRAINT_DAMAGE};
}

surface_snapshot snapshot_surfaces(const snapshot_header *h) {
  return (surface_snapshot){h->surfaces, h->surface_triangles, h->surface_segments, h->surface_rests,
                            (int32_t)h->surfaces_ignored};
}

penetrations_snapshot snapshot_penetrations(const snapshot_header *h) {
  return (penetrations_snapshot){h->penetrating_pairs, h->crossings, h->forced_count};
}

uint64_t snapshot_size(const snapshot_header *h) {
  const particle_snapshot particles = snapshot_particles(h);
  return sizeof *h + particle_snapshot_size(&particles) + spring_snapshot_size(snapshot_springs(h)) +
         ((uint64_t)h->impulses + (uint64_t)h->constraint_impulses) * sizeof(msd_real) +
         constraint_snapshot_size(snapshot_constraints(h)) + soft_pin_snapshot_size(h->soft_pins) +
         rotor_snapshot_size(h->rotors, h->torsion_springs) + collider_snapshot_size(h->colliders) +
         surface_snapshot_size(snapshot_surfaces(h)) + penetrations_snapshot_size(snapshot_penetrations(h)) +
         contact_cache_snapshot_size(h->contact_cache) +
         (h->has_parts ? split_snapshot_size(h->particles) : 0) + tombstones_snapshot_size(h->tombstones) +
         sleep_snapshot_size(h->sleep);
}

/* ------------------------------------------------------------------------------------------------ writing */

static bool has_order(const world_model *model) {
  return model->layout_is_fixed && model->particles.slot;
}

static void put_surfaces(snapshot_header *h, const msd_world *world) {
  const surface_store *s = &world->model.surfaces;
  const contact_settings *contact = &world->model.contact;
  const penetrations_snapshot t = penetrations_snapshot_of(world);
  h->surfaces = s->count;
  h->surface_triangles = s->triangle_count;
  h->surface_segments = s->segment_count;
  h->surface_rests = s->rest_count;
  h->surfaces_ignored = s->ignored_count;
  h->penetrations_known = penetrations_are_known(world);
  h->penetrating_pairs = t.pairs;
  h->crossings = t.crossings;
  h->forced_count = t.forced_count;
  h->contact_cache = contact_cache_snapshot_of(world);
  h->contact_strict = contact->error_on_intersection;
  h->thickness = (double)contact->thickness;
  h->friction = (double)contact->friction;
  h->relaxation = (double)contact->relaxation;
}

snapshot_header snapshot_header_of(const msd_world *world) {
  const world_model *model = &world->model;
  const bool keeps_impulses = model->impulse_warm_start;
  snapshot_header h = {
      .magic = MAGIC,
      .version = VERSION,
      .byte_order = BYTE_ORDER_MARK,
      .real_bytes = sizeof(msd_real),
      .integrator = (int32_t)model->integrator,
      .particles = model->particles.count,
      .springs = model->springs.count,
      .moves = model->particles.move_count,
      .forced = model->particles.forced,
      .clamp_stiffness = model->clamp_stiffness,
      .ordered = has_order(model),
      .layout_is_fixed = model->layout_is_fixed,
      .late_springs = model->late_springs,
      .impulse_iterations = model->impulse_iterations,
      .impulse_warm_start = model->impulse_warm_start,
      .impulses = keeps_impulses ? world->stepper.spring_given.count : 0,
      .constraint_impulses = keeps_impulses ? world->stepper.constraint_given.count : 0,
      .constraints = model->constraints.count,
      .meshes = model->constraints.mesh_count,
      .mesh_triangles = model->constraints.triangle_count,
      .mesh_vertices = model->constraints.vertex_count,
      .soft_pins = model->soft_pins.count,
      .rotors = model->rotors.count,
      .torsion_springs = model->torsion_springs.count,
      .colliders = model->colliders.count,
      .has_damage = (model->springs.damage ? SNAPSHOT_OF_SPRING_DAMAGE : 0) |
                    (model->constraints.damage ? SNAPSHOT_OF_CONSTRAINT_DAMAGE : 0),
      .companions = model->springs.companion_count,
      .rest_moves = model->springs.moves.count,
      .has_parts = model->particles.parts > 0,
      .tombstones = model->tombstones.count,
      .gravity = {(double)model->gravity.x, (double)model->gravity.y, (double)model->gravity.z},
      .linear_damping = (double)model->linear_damping,
      .time = world->time,
      .substep = model->substep,
      .frame_time = model->frame_time,
      .tuned_step = model->tuned_step,
      .tuned_left = model->tuned_left,
      .steps = world->steps,
      .energy = model->energy,
      .mass_scaling = model->mass_scaling,
      .solver = model->solver,
      .account = energy_snapshot_of(world),
      .limits = stability_standing_of(model, &world->limits),
  };
  h.changes = h.limits.patience > 0 ? change_list_length(&model->changes, model->revision.definitions) : 0;
  h.has_new_pins = h.limits.patience > 0 && model->particles.newly_pinned_count > 0;
  put_surfaces(&h, world);
  put_wind(&h, &model->wind);
  put_sleep(&h, &model->sleep);
  return h;
}

/* ------------------------------------------------------------------------------------------------ reading */

msd_result snapshot_read_header(msd_world *world, const unsigned char *bytes, uint64_t size,
                                snapshot_header *h) {
  if (size < sizeof *h || memcmp(bytes, MAGIC, sizeof h->magic) != 0)
    return world_fail(world, MSD_BAD_SNAPSHOT, "these %llu bytes are not a snapshot of a world",
                      (unsigned long long)size);
  memcpy(h, bytes, sizeof *h);
  if (h->byte_order != BYTE_ORDER_MARK)
    return world_fail(world, MSD_SNAPSHOT_PRECISION,
                      "the snapshot comes from a machine with another byte order");
  if (h->version != VERSION)
    return world_fail(world, MSD_SNAPSHOT_VERSION, "the snapshot has format %u; this library reads format %d",
                      (unsigned)h->version, VERSION);
  if (h->real_bytes != sizeof(msd_real))
    return world_fail(world, MSD_SNAPSHOT_PRECISION,
                      "the snapshot has numbers of %u bytes; this library was built with %zu",
                      (unsigned)h->real_bytes, sizeof(msd_real));
  if (h->size != size)
    return world_fail(world, MSD_BAD_SNAPSHOT,
                      "the snapshot has %llu bytes and should have %llu: it is truncated",
                      (unsigned long long)size, (unsigned long long)h->size);
  return MSD_OK;
}

static bool is_energy_sound(const snapshot_header *h) {
  return h->energy >= 0 && h->energy < MSD_ENERGY_MODE_COUNT &&
         (h->energy == MSD_ENERGY_OFF || h->integrator == MSD_SYMPLECTIC_EULER) &&
         energy_snapshot_is_sound(&h->account);
}

static bool is_scaling_sound(const snapshot_header *h) {
  return h->mass_scaling >= 0 && h->mass_scaling < MSD_MASS_SCALING_COUNT &&
         (h->mass_scaling == MSD_MASS_SCALING_NONE || h->integrator == MSD_SYMPLECTIC_EULER);
}

static bool is_solver_sound(const snapshot_header *h) {
  return h->solver >= 0 && h->solver < MSD_SOLVER_COUNT &&
         (h->solver == MSD_SOLVER_EXPLICIT ||
          (h->integrator == MSD_SYMPLECTIC_EULER && h->energy == MSD_ENERGY_OFF &&
           h->mass_scaling == MSD_MASS_SCALING_NONE));
}

static bool is_flag(int32_t value) {
  return value == 0 || value == 1;
}

static bool are_counts_sound(const snapshot_header *h) {
  const bool warm = h->impulse_warm_start;
  return h->particles >= 0 && h->springs >= 0 && h->moves >= 0 && h->moves <= h->particles &&
         h->constraints >= 0 && h->constraints <= CONSTRAINTS_MAX && h->meshes >= 0 &&
         h->meshes <= h->constraints && h->mesh_triangles >= 0 &&
         h->mesh_triangles <= CONSTRAINT_TRIANGLES_MAX && h->mesh_vertices >= 0 &&
         h->mesh_vertices <= 3 * (int64_t)h->mesh_triangles && h->soft_pins >= 0 && h->rotors >= 0 &&
         h->torsion_springs >= 0 && h->colliders >= 0 && h->surfaces >= 0 && h->surface_triangles >= 0 &&
         h->surface_segments >= 0 && h->surface_rests >= 0 && h->surface_rests <= h->particles &&
         h->surfaces_ignored >= 0 && h->surfaces_ignored <= INT32_MAX && is_flag(h->penetrations_known) &&
         h->penetrating_pairs >= 0 && h->crossings >= 0 && h->forced_count >= 0 && h->contact_strict >= 0 &&
         h->contact_strict <= 1 &&
         contact_cache_snapshot_counts_are_sound(h->contact_cache, h->surfaces > 0 ? h->particles : 0) &&
         h->has_parts >= 0 && h->has_parts <= 1 && h->tombstones >= 0 &&
         h->tombstones <= MSD_OBJECT_COUNT * (int64_t)INT32_MAX && h->changes >= 0 &&
         h->changes <= INT32_MAX && is_flag(h->has_new_pins) && is_flag(h->layout_is_fixed) &&
         (h->layout_is_fixed || !h->ordered) && h->late_springs >= 0 &&
         h->late_springs <= (h->layout_is_fixed ? h->springs : 0) && h->impulses >= 0 &&
         h->impulses <= (warm ? h->springs : 0) && h->constraint_impulses >= 0 &&
         h->constraint_impulses <= (warm ? h->constraints : 0) && is_flag(h->forced) && is_flag(h->ordered) &&
         h->has_damage >= 0 && h->has_damage <= (SNAPSHOT_OF_SPRING_DAMAGE | SNAPSHOT_OF_CONSTRAINT_DAMAGE) &&
         h->companions >= 0 && h->rest_moves >= 0 && h->rest_moves <= h->springs &&
         h->size == snapshot_size(h);
}

/* Settings are validated in the precision in which they are stored: a speed that rounds to 0 turns sleeping
   off. */
static bool is_sleep_sound(const snapshot_header *h) {
  const msd_real speed = (msd_real)h->sleep_speed;
  return sleep_settings_are_sound(speed, (msd_real)h->sleep_time) &&
         sleep_snapshot_counts_are_sound(h->sleep, h->particles) && (speed > 0 || h->sleep.particles == 0);
}

bool snapshot_steps_are_sound(double substep, double frame_time, double tuned_step, double tuned_left) {
  return isfinite(tuned_step) && substep >= 0 && tuned_step >= substep && isfinite(frame_time) &&
         frame_time >= substep && isfinite(tuned_left) && tuned_left >= 0;
}

static bool are_settings_sound(const snapshot_header *h) {
  const msd_wind_def wind = wind_of(h);
  return vec3_is_finite(gravity_of(h)) && contact_settings_are_sound(contact_of(h)) &&
         isfinite((msd_real)h->linear_damping) && h->linear_damping >= 0 && h->integrator >= 0 &&
         h->integrator < MSD_INTEGRATOR_COUNT && is_flag(h->clamp_stiffness) && h->impulse_iterations >= 1 &&
         h->impulse_iterations <= IMPULSE_ITERATIONS_MAX && is_flag(h->impulse_warm_start) &&
         isfinite(h->time) &&
         snapshot_steps_are_sound(h->substep, h->frame_time, h->tuned_step, h->tuned_left) && h->steps >= 0 &&
         h->steps <= SNAPSHOT_STEPS_MAX && is_energy_sound(h) && is_sleep_sound(h) && is_scaling_sound(h) &&
         is_solver_sound(h) && stability_standing_is_sound(&h->limits) && !wind_fault(&wind) &&
         h->wind_seed <= UINT32_MAX;
}

msd_result snapshot_check_header(msd_world *world, const snapshot_header *h, uint64_t checksum) {
  if (h->checksum != checksum)
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot's checksum is wrong: it is damaged");
  if (!are_settings_sound(h) || !are_counts_sound(h))
    return world_fail(world, MSD_BAD_SNAPSHOT, "the snapshot's settings are out of their ranges");
  return MSD_OK;
}

void snapshot_apply_settings(msd_world *world, const snapshot_header *h) {
  world_model *model = &world->model;
  model->sleep.speed = (msd_real)h->sleep_speed;
  model->sleep.time = (msd_real)h->sleep_time;
  model->contact = contact_of(h);
  model->wind = wind_of(h);
  model->gravity = gravity_of(h);
  model->linear_damping = (msd_real)h->linear_damping;
  model->integrator = (msd_integrator)h->integrator;
  model->clamp_stiffness = h->clamp_stiffness;
  model->energy = (msd_energy_mode)h->energy;
  model->mass_scaling = (msd_mass_scaling)h->mass_scaling;
  model->solver = (msd_solver)h->solver;
  model->impulse_iterations = h->impulse_iterations;
  model->impulse_warm_start = h->impulse_warm_start;
  model->substep = h->substep;
  model->frame_time = h->frame_time;
  model->tuned_step = h->tuned_step;
  model->tuned_left = h->tuned_left;
  model->layout_is_fixed = h->layout_is_fixed;
  model->late_springs = h->late_springs;
  world->time = h->time;
  world->steps = h->steps;
}

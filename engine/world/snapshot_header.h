/* What stands at the begin of a snapshot: its format and size, how much of everything it has, and the settings
   of the world. Behind it are arrays without gaps, in the order of the indices; see snapshot_contents.h. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_HEADER_H
#define MSD_ENGINE_WORLD_SNAPSHOT_HEADER_H

#include "engine/stability/cache.h"
#include "engine/world/snapshot.h"

enum { SNAPSHOT_OF_SPRING_WEAR = 1, SNAPSHOT_OF_CONSTRAINT_WEAR = 2 };

typedef struct snapshot_header {
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
  /* Of springs SNAPSHOT_OF_SPRING_WEAR, of constraints SNAPSHOT_OF_CONSTRAINT_WEAR. */
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
  /* The length of the list of changes where limits stand; else 0. */
  int64_t changes;
  uint64_t wind_seed;
  /* The msd_energy. */
  int64_t energy;
  /* The msd_mass_scaling. */
  int64_t mass_scaling;
  /* The msd_solver. */
  int64_t solver;
  lookout_snapshot look;
  double sleep_speed, sleep_time;
  sleep_snapshot sleep;
  energy_snapshot account;
  stability_standing limits;
} snapshot_header;

/* Of all bytes from here on is the checksum. */
enum { SNAPSHOT_SUMMED_FROM = offsetof(snapshot_header, version) };

/* That of a world, without a checksum and a size. */
snapshot_header snapshot_header_of(const msd_world *world);

/* Bytes of a snapshot with such a header, also of one that was read, whose counts may be any numbers from 0
   up. */
uint64_t snapshot_size(const snapshot_header *h);

/* Reads the header at the begin of `size` bytes, of which at least those of a header are there, or all. Fails
   with a message where it is of another format or length. */
msd_result snapshot_read_header(msd_world *world, const unsigned char *bytes, uint64_t size,
                                snapshot_header *h);

/* Behind that, whether the checksum of the bytes is the one that it says, and whether all counts and settings
   are in their ranges: a checksum does not protect against forgery. Fails with a message. */
msd_result snapshot_check_header(msd_world *world, const snapshot_header *h, uint64_t checksum);

/* Gives them to the world. */
void snapshot_apply_settings(msd_world *world, const snapshot_header *h);

/* How much of each there is. */
particle_snapshot snapshot_particles(const snapshot_header *h);
spring_snapshot snapshot_springs(const snapshot_header *h);
constraint_snapshot snapshot_constraints(const snapshot_header *h);
surface_snapshot snapshot_surfaces(const snapshot_header *h);
tangles_snapshot snapshot_tangles(const snapshot_header *h);

#endif

/* Header of a snapshot: format, size, counts of all objects, and settings of the world. Contiguous arrays
   follow, in the order of the indices; see snapshot_contents.h. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_HEADER_H
#define MSD_ENGINE_WORLD_SNAPSHOT_HEADER_H

#include "engine/stability/limit_cache.h"
#include "engine/world/snapshot.h"

enum { SNAPSHOT_OF_SPRING_DAMAGE = 1, SNAPSHOT_OF_CONSTRAINT_DAMAGE = 2 };

typedef struct snapshot_header {
  char magic[8];
  /* Checksum of all bytes after this field. */
  uint64_t checksum;
  uint32_t version, byte_order, real_bytes;
  int32_t integrator;
  /* Size of the complete snapshot in bytes. */
  uint64_t size;
  int32_t particles, springs, moves, forced;
  int32_t clamp_stiffness, ordered;
  int32_t impulse_iterations, impulse_warm_start;
  /* Number of impulses stored; they belong to the first springs. */
  int32_t impulses;
  int32_t constraints, meshes, mesh_triangles, mesh_vertices;
  int32_t soft_pins;
  int32_t rotors, torsion_springs;
  /* Number of constraint impulses stored. */
  int32_t constraint_impulses;
  int32_t colliders;
  int32_t surfaces, surface_triangles, surface_segments, surface_rests;
  /* SNAPSHOT_OF_SPRING_DAMAGE and SNAPSHOT_OF_CONSTRAINT_DAMAGE. */
  int32_t has_damage;
  int32_t companions, rest_moves, has_new_pins;
  /* As in world_model. */
  int32_t layout_is_fixed, late_springs;
  /* Whether the penetrations are known or must be found; number of those stored. */
  int32_t penetrations_known, penetrating_pairs;
  double gravity[3], linear_damping;
  double wind_velocity[3], turbulence, turbulence_length, turbulence_time, density, normal_drag,
      tangential_drag;
  double thickness, friction, relaxation;
  double time, substep, frame_time, tuned_step, tuned_left;
  int64_t steps, surfaces_ignored;
  int64_t contact_strict, crossings, forced_count;
  /* True if particles have been split. */
  int64_t has_parts;
  /* Number of destroyed objects of all types. */
  int64_t tombstones;
  /* Length of the change list if a stable limit is valid; else 0. */
  int64_t changes;
  uint64_t wind_seed;
  /* Value of msd_energy_mode. */
  int64_t energy;
  /* Value of msd_mass_scaling. */
  int64_t mass_scaling;
  /* Value of msd_solver. */
  int64_t solver;
  contact_cache_snapshot contact_cache;
  double sleep_speed, sleep_time;
  sleep_snapshot sleep;
  energy_snapshots account;
  stability_standing limits;
} snapshot_header;

/* The checksum covers all bytes from this offset on. */
enum { SNAPSHOT_SUMMED_FROM = offsetof(snapshot_header, version) };

/* Header of a world, without checksum and size. */
snapshot_header snapshot_header_of(const msd_world *world);

/* Size in bytes of a snapshot with this header. Counts of a header that was read can be any numbers from 0
   up. */
uint64_t snapshot_size(const snapshot_header *h);

/* Reads the header from the start of a snapshot of `size` bytes. `bytes` contains at least a header, or all
   of a shorter snapshot. Fails with a message if the format or length is wrong. */
msd_result snapshot_read_header(msd_world *world, const unsigned char *bytes, uint64_t size,
                                snapshot_header *h);

/* True if the lengths of the last substep and frame, and of the tuned substep, can come from a world. */
bool snapshot_steps_are_sound(double substep, double frame_time, double tuned_step, double tuned_left);

/* Call it after snapshot_read_header. Compares the checksum, and validates all counts and settings, since a
   checksum does not protect against forgery. Fails with a message. */
msd_result snapshot_check_header(msd_world *world, const snapshot_header *h, uint64_t checksum);

/* Applies the settings to a world. */
void snapshot_apply_settings(msd_world *world, const snapshot_header *h);

/* Counts of each type of object. */
particle_snapshot snapshot_particles(const snapshot_header *h);
spring_snapshot snapshot_springs(const snapshot_header *h);
constraint_snapshot snapshot_constraints(const snapshot_header *h);
surface_snapshot snapshot_surfaces(const snapshot_header *h);
penetrations_snapshot snapshot_penetrations(const snapshot_header *h);

#endif

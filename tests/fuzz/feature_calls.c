/* Bodies of plain numbers that touch, turn, tear and yield together, and what a program asks of them: motion on
   paths, reactions, energy accounts, residuals, frames of changing length, and the exact test of what
   intersects. */
#include "bench/reported_penetrations.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

enum { SIDE_MAX = 6, COLLIDERS_MAX = 6, MESHES_MAX = 6 };

/* A number of the input in a range. */
static msd_real between(fuzz_input *in, double low, double high) {
  return (msd_real)(low + (high - low) * fuzz_byte(in) / 255);
}

static msd_vec3 point_within(fuzz_input *in, double reach) {
  const msd_real x = between(in, -reach, reach), y = between(in, -reach, reach);
  return (msd_vec3){x, y, between(in, -reach, reach)};
}

/* ------------------------------------------------------------------------------------------------ bodies */

static void damage_body(msd_world *world, fuzz_input *in, const msd_body *body) {
  msd_damage_def def = msd_default_damage_def();
  const int which = fuzz_byte(in);
  def.tear_strain = which & 1 ? between(in, 0.01, 0.5) : 0;
  def.tear_energy = which & 2 ? between(in, 1e-4, 1) : 0;
  def.split = which & 4 && which & 3;
  def.yield_strain = which & 8 ? between(in, 0.005, 0.2) : 0;
  def.plastic_rate = which & 16 ? between(in, 0.1, 50) : def.plastic_rate;
  def.max_plastic_strain = which & 32 ? between(in, 0.01, 0.5) : 0;
  msd_springs_set_damage(world, body->springs, &def);
  def.tear_strain = def.tear_energy = 0;
  def.split = false;
  msd_constraints_set_damage(world, body->constraints, &def);
}

/* A cloth near the origin, with hinges, a collision mesh and a pinned corner now and then. */
static void add_sheet(msd_world *world, fuzz_input *in) {
  msd_cloth_def def = msd_default_cloth_def();
  int32_t triangles[6 * SIDE_MAX * SIDE_MAX];
  def.columns = 2 + fuzz_byte(in) % (SIDE_MAX - 1);
  def.rows = 2 + fuzz_byte(in) % (SIDE_MAX - 1);
  def.origin = point_within(in, 0.5);
  def.u = (msd_vec3){between(in, 0.1, 1), between(in, -0.3, 0.3), 0};
  def.v = (msd_vec3){0, between(in, -0.3, 0.3), between(in, 0.1, 1)};
  def.mass = between(in, 0.02, 1);
  const int which = fuzz_byte(in);
  if (which & 1) {
    def.stretch.law = MSD_SPRING_STIFFNESS;
    def.stretch.stiffness = between(in, 1, 3000);
    def.stretch.damping = which & 2 ? between(in, 0, 1) : 0;
  }
  if (which & 4)
    def.shear = def.stretch;
  def.bend_kind = which & 8 ? MSD_BEND_DIHEDRAL : which & 16 ? MSD_BEND_ANGLE : MSD_BEND_DISTANCE;
  if (which & 32) {
    def.bend.law = MSD_SPRING_STIFFNESS;
    def.bend.stiffness = between(in, 0, 10);
  }
  msd_body body;
  if (msd_add_cloth(world, &def, &body) != MSD_OK)
    return;
  if (which & 64)
    damage_body(world, in, &body);
  if (which & 128)
    msd_particle_pin(world, body.particles.first);
  msd_collision_mesh_def mesh = msd_default_collision_mesh_def();
  msd_cloth_get_triangles(&def, body.particles.first, triangles, 2 * SIDE_MAX * SIDE_MAX,
                          &mesh.triangle_count);
  mesh.triangles = triangles;
  mesh.thickness = fuzz_byte(in) % 2 ? mesh.thickness : between(in, 0, 0.05);
  if (msd_world_get_collision_mesh_count(world) < MESHES_MAX)
    msd_add_collision_meshes(world, &mesh, 1, NULL);
}

/* Boxes, thin ones too, and round colliders between the sheets. */
static void add_solid(msd_world *world, fuzz_input *in) {
  msd_collider_def def = msd_default_collider_def();
  if (msd_world_get_collider_count(world) >= COLLIDERS_MAX)
    return;
  static const msd_collider_kind kinds[] = {MSD_COLLIDER_BOX, MSD_COLLIDER_BOX, MSD_COLLIDER_SPHERE,
                                            MSD_COLLIDER_CAPSULE};
  def.kind = kinds[fuzz_byte(in) % 4];
  def.position = point_within(in, 0.7);
  def.rotation = msd_quaternion_from_degrees(point_within(in, 90));
  def.size = (msd_vec3){between(in, 0.001, 1), between(in, 0.001, 1), between(in, 0.001, 1)};
  def.radius = between(in, 0.01, 0.3);
  def.to = point_within(in, 0.3);
  def.friction = between(in, 0, 1);
  msd_add_colliders(world, &def, 1, NULL);
}

static void add_pin(msd_world *world, fuzz_input *in) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = fuzz_index(in, msd_world_get_particle_count(world));
  def.position = msd_particle_get_position(world, def.particle);
  def.frequency = between(in, 0.5, 20);
  msd_add_soft_pins(world, &def, 1, NULL);
}

/* ------------------------------------------------------------------------------------------------ motion */

static msd_quaternion product(msd_quaternion a, msd_quaternion b) {
  return (msd_quaternion){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* A turn that a program would ask for, or now and then any. */
static msd_turn read_turn(fuzz_input *in) {
  const bool is_plain = fuzz_byte(in) % 8 > 0;
  const msd_vec3 rotation = is_plain ? point_within(in, fuzz_byte(in) % 2 ? 1 : 40) : fuzz_vector(in);
  return (msd_turn){rotation, is_plain ? point_within(in, 0.5) : fuzz_vector(in)};
}

/* Where the turn takes a rotation. */
static msd_quaternion turned(msd_quaternion q, msd_turn turn) {
  const double x = (double)turn.rotation.x, y = (double)turn.rotation.y, z = (double)turn.rotation.z;
  const double angle = sqrt(x * x + y * y + z * z), s = angle > 0 ? sin(angle / 2) / angle : 0;
  return product((msd_quaternion){cos(angle / 2), s * x, s * y, s * z}, q);
}

static msd_result move(msd_world *world, fuzz_input *in) {
  const msd_turn turn = read_turn(in);
  const msd_vec3 to = fuzz_byte(in) % 8 ? point_within(in, 0.7) : fuzz_vector(in);
  const int32_t particle = fuzz_index(in, msd_world_get_particle_count(world));
  const int32_t collider = fuzz_index(in, msd_world_get_collider_count(world));
  switch (fuzz_byte(in) % 5) {
  case 0:
    return msd_particle_move_along(world, particle, to, turn);
  case 1:
    return msd_soft_pin_move_along(world, fuzz_index(in, msd_world_get_soft_pin_count(world)), to, turn);
  case 2:
    msd_particle_pin(world, particle);
    return msd_particle_move_to(world, particle, to);
  case 3:
    return msd_collider_move_to(world, collider, to,
                                turned(msd_collider_get_def(world, collider).rotation, turn));
  default:
    return msd_collider_move_along(world, collider, to,
                                   turned(msd_collider_get_def(world, collider).rotation, turn), turn);
  }
}

/* ---------------------------------------------------------------------------------------------- questions */

static void expect_finite(msd_vec3 v) {
  EXPECT(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
}

static void ask_reactions(const msd_world *world, fuzz_input *in, int record) {
  const int32_t i = fuzz_index(in, msd_world_get_particle_count(world));
  msd_vec3 force, torque, forces[4];
  double tension;
  if (msd_particle_get_reaction(world, i, &force) == MSD_OK)
    EXPECT((record & MSD_RECORD_PINS) && msd_particle_is_pinned(world, i));
  expect_finite(force);
  if (msd_soft_pin_get_reaction(world, fuzz_index(in, msd_world_get_soft_pin_count(world)), &force) == MSD_OK)
    EXPECT(record & MSD_RECORD_PINS);
  expect_finite(force);
  msd_collider_get_reaction(world, fuzz_index(in, msd_world_get_collider_count(world)), &force, &torque);
  expect_finite(force);
  expect_finite(torque);
  const int32_t c = fuzz_index(in, msd_world_get_constraint_count(world));
  if (msd_constraint_get_reaction(world, c, &tension, forces) == MSD_OK)
    EXPECT(record & MSD_RECORD_CONSTRAINTS);
  for (int n = 0; n < 4; n++)
    expect_finite(forces[n]);
  EXPECT(isfinite(tension));
}

static void ask_accounts(const msd_world *world) {
  const msd_energy_account a = msd_world_get_energy_account(world);
  EXPECT(!isnan(a.gain) && a.allowance >= 0 && a.least_factor >= 0 && a.least_factor <= 1);
  EXPECT(!isnan(a.constraint_gain) && a.constraint_allowance >= 0);
  const msd_solver_residual r = msd_world_get_solver_residual(world);
  EXPECT(r.mean >= 0 && r.largest >= r.mean * (1 - 1e-9) && r.spring < msd_world_get_spring_count(world));
}

/* Whether contact acts between all collision meshes. */
static bool all_touch(const msd_world *world) {
  const int32_t count = msd_world_get_collision_mesh_count(world);
  for (int32_t a = 0; a < count; a++)
    for (int32_t b = a; b < count; b++)
      if (msd_collision_mesh_excludes(world, a, b))
        return false;
  return msd_world_get_mass_scaling(world) == MSD_MASS_SCALING_NONE;
}

void fuzz_expect_reported(const msd_world *world) {
  told_tally tally = {0, 0, 0, 0};
  if (all_touch(world) && told_look_at_meshes(world, &tally) == MSD_OK)
    EXPECT(tally.untold == 0);
}

/* ------------------------------------------------------------------------------------------------ frames */

/* As a program takes them, with automatic substeps where these are few, and lengths that change. */
static msd_result take_frames(msd_world *world, fuzz_input *in) {
  enum { FRAMES = 3, SUBSTEPS_MAX = 60 };
  const int record = fuzz_byte(in) % 9;
  msd_result result = msd_world_set_record(world, record);
  EXPECT((result == MSD_OK) == (record <= MSD_RECORD_ALL));
  for (int frame = 0; frame < FRAMES; frame++) {
    const msd_real frame_time = between(in, 1.0 / 240, 1.0 / 20);
    int32_t substeps = 0;
    msd_world_find_substeps(world, frame_time, &substeps);
    const bool is_automatic = substeps > 0 && substeps <= SUBSTEPS_MAX && fuzz_byte(in) % 2;
    const uint64_t before = msd_world_hash(world);
    result = msd_world_step(world, frame_time, is_automatic ? 0 : 1 + fuzz_byte(in) % 8);
    if (result == MSD_BAD_VALUE || result == MSD_TOO_FAR || result == MSD_INITIAL_INTERSECTION)
      EXPECT(msd_world_hash(world) == before);
    fuzz_expect_finite(world);
    ask_accounts(world);
    if (result != MSD_OK)
      break;
    ask_reactions(world, in, record <= MSD_RECORD_ALL ? record : msd_world_get_record(world));
    fuzz_expect_reported(world);
  }
  return result;
}

void fuzz_call_of_feature(msd_world *world, fuzz_input *in) {
  enum { PARTICLES_MAX = 200 };
  const int which = fuzz_byte(in) % 12;
  if (which < 3) {
    if (msd_world_get_particle_count(world) < PARTICLES_MAX)
      add_sheet(world, in);
  } else if (which < 5) {
    add_solid(world, in);
  } else if (which == 5) {
    add_pin(world, in);
  } else if (which < 9) {
    move(world, in);
  } else {
    take_frames(world, in);
  }
}

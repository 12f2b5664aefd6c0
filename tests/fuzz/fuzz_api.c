/* Programs of calls with any numbers, under an allocator that fails now and then: a call that fails changes
   nothing, and every state is finite. The first byte tells which allocation fails, the others are calls with
   their arguments. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { PARTICLES_MAX = 400, CALLS_MAX = 200 };

/* Counts down to the allocation that fails. */
typedef struct failing_allocator {
  int until;
} failing_allocator;

static void *allocate(size_t bytes, void *context) {
  failing_allocator *a = context;
  if (a->until > 0 && --a->until == 0)
    return NULL;
  return bytes > ((size_t)64 << 20) ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *memory, void *context) {
  (void)context;
  free(memory);
}

static void read_law(fuzz_input *in, msd_spring_def *def) {
  def->law = (msd_spring_law)(fuzz_byte(in) % (MSD_SPRING_LAW_COUNT + 1));
  def->stiffness = def->frequency = (msd_real)fuzz_number(in);
  def->damping = def->damping_ratio = (msd_real)fuzz_number(in);
  def->ck = def->cd = fuzz_byte(in) % 2 ? MSD_MAX_STABLE : (msd_real)fuzz_number(in);
}

static msd_result add_particles(msd_world *world, fuzz_input *in) {
  msd_particle_def defs[8];
  const int count = fuzz_byte(in) % 9;
  for (int n = 0; n < count; n++) {
    defs[n] = msd_default_particle_def();
    defs[n].position = fuzz_vector(in);
    defs[n].velocity = fuzz_byte(in) % 4 ? (msd_vec3){0, 0, 0} : fuzz_vector(in);
    defs[n].mass = fuzz_byte(in) % 2 ? 1 : (msd_real)fuzz_number(in);
    defs[n].pinned = fuzz_byte(in) % 8 == 0;
  }
  return msd_add_particles(world, defs, count, NULL);
}

static msd_result add_springs(msd_world *world, fuzz_input *in) {
  msd_spring_def defs[8];
  const int count = fuzz_byte(in) % 9, particles = msd_world_get_particle_count(world);
  for (int n = 0; n < count; n++) {
    defs[n] = msd_default_spring_def();
    defs[n].a = fuzz_index(in, particles);
    defs[n].b = fuzz_index(in, particles);
    defs[n].mode = (msd_spring_mode)(fuzz_byte(in) % (MSD_SPRING_MODE_COUNT + 1));
    if (fuzz_byte(in) % 4 == 0)
      defs[n].rest_length = (msd_real)fuzz_number(in);
    read_law(in, &defs[n]);
  }
  return msd_add_springs(world, defs, count, NULL);
}

static msd_result add_constraint(msd_world *world, fuzz_input *in) {
  static const int TETRAHEDRON[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  msd_constraint_def def = msd_default_constraint_def();
  int32_t triangles[12];
  def.kind = (msd_constraint_kind)(fuzz_byte(in) % (MSD_CONSTRAINT_KIND_COUNT + 1));
  for (int n = 0; n < 4; n++)
    def.particles[n] = fuzz_index(in, msd_world_get_particle_count(world));
  for (int n = 1; n < 4 && def.kind == MSD_CONSTRAINT_FIBER; n++) {
    def.weights[n] = (msd_real)fuzz_number(in);
    def.weights[0] -= def.weights[n];
  }
  for (int n = 0; n < 12; n++)
    triangles[n] = def.particles[TETRAHEDRON[n]];
  if (def.kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  if (fuzz_byte(in) % 2)
    def.rest = (msd_real)fuzz_number(in);
  msd_spring_def law = msd_default_spring_def();
  read_law(in, &law);
  def.law = law.law;
  def.stiffness = law.stiffness, def.damping = law.damping;
  def.ck = law.ck, def.cd = law.cd;
  def.frequency = law.frequency, def.damping_ratio = law.damping_ratio;
  return msd_add_constraints(world, &def, 1, NULL);
}

static msd_result add_soft_pin(msd_world *world, fuzz_input *in) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = fuzz_index(in, msd_world_get_particle_count(world));
  def.position = fuzz_vector(in);
  def.frequency = (msd_real)fuzz_number(in);
  def.damping_ratio = (msd_real)fuzz_number(in);
  return fuzz_byte(in) % 2
             ? msd_add_soft_pins(world, &def, 1, NULL)
             : msd_soft_pin_set_def(world, fuzz_index(in, msd_world_get_soft_pin_count(world)), &def);
}

static msd_result add_rotors(msd_world *world, fuzz_input *in) {
  msd_rotor_def rotor = msd_default_rotor_def();
  rotor.angle = fuzz_number(in);
  rotor.angular_velocity = fuzz_number(in);
  rotor.inertia = (msd_real)fuzz_number(in);
  rotor.pinned = fuzz_byte(in) % 8 == 0;
  const msd_result result = msd_add_rotors(world, &rotor, 1, NULL);
  if (result != MSD_OK)
    return result;
  msd_torsion_spring_def spring = msd_default_torsion_spring_def();
  spring.a = fuzz_index(in, msd_world_get_rotor_count(world));
  spring.b = fuzz_byte(in) % 2 ? MSD_GROUND : fuzz_index(in, msd_world_get_rotor_count(world));
  spring.stiffness = (msd_real)fuzz_number(in);
  spring.damping = (msd_real)fuzz_number(in);
  msd_add_torsion_springs(world, &spring, 1, NULL);
  return MSD_OK;
}

static msd_result add_cloth(msd_world *world, fuzz_input *in) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = fuzz_byte(in) % 12;
  cloth.rows = fuzz_byte(in) % 12;
  cloth.u = fuzz_byte(in) % 4 ? cloth.u : fuzz_vector(in);
  read_law(in, &cloth.stretch);
  read_law(in, &cloth.bend);
  cloth.bend_kind = (msd_bend_kind)(fuzz_byte(in) % (MSD_BEND_KIND_COUNT + 1));
  msd_body body;
  msd_result result = msd_add_cloth(world, &cloth, &body);
  if (result == MSD_OK && fuzz_byte(in) % 2) {
    msd_tethers_def tethers = msd_default_tethers_def();
    tethers.particles = body.particles;
    msd_particle_pin(world, body.particles.first);
    msd_add_tethers(world, &tethers, NULL);
  }
  return result;
}

static msd_result add_rope(msd_world *world, fuzz_input *in) {
  msd_rope_def rope = msd_default_rope_def();
  rope.to = fuzz_byte(in) % 2 ? rope.to : fuzz_vector(in);
  rope.particles = fuzz_byte(in) % 20;
  rope.mass = fuzz_byte(in) % 2 ? 1 : (msd_real)fuzz_number(in);
  read_law(in, &rope.stretch);
  read_law(in, &rope.bend);
  rope.bend_kind = (msd_bend_kind)(fuzz_byte(in) % (MSD_BEND_KIND_COUNT + 1));
  return msd_add_rope(world, &rope, NULL);
}

static msd_result add_block(msd_world *world, fuzz_input *in) {
  msd_block_def block = msd_default_block_def();
  block.size = fuzz_byte(in) % 2 ? block.size : fuzz_vector(in);
  for (int c = 0; c < 3; c++)
    block.cells[c] = fuzz_byte(in) % 4;
  block.mass = fuzz_byte(in) % 2 ? 1 : (msd_real)fuzz_number(in);
  read_law(in, &block.stretch);
  read_law(in, &block.shear);
  read_law(in, &block.volume);
  return msd_add_block(world, &block, NULL);
}

/* Triangles and tetrahedra between a few vertices anywhere, which often are no mesh. */
static msd_result add_mesh(msd_world *world, fuzz_input *in) {
  msd_vec3 vertices[8];
  int32_t corners[24];
  const int count = fuzz_byte(in) % 9, cells = fuzz_byte(in) % 7;
  for (int n = 0; n < count; n++)
    vertices[n] = fuzz_vector(in);
  for (int n = 0; n < 4 * cells; n++)
    corners[n] = fuzz_index(in, count);
  if (fuzz_byte(in) % 2) {
    msd_mesh_def mesh = msd_default_mesh_def();
    mesh.vertices = vertices, mesh.vertex_count = count;
    mesh.triangles = corners, mesh.triangle_count = 4 * cells / 3;
    mesh.bend_kind = (msd_bend_kind)(fuzz_byte(in) % (MSD_BEND_KIND_COUNT + 1));
    read_law(in, &mesh.bend);
    read_law(in, &mesh.pressure);
    return msd_add_mesh(world, &mesh, NULL);
  }
  msd_tetmesh_def mesh = msd_default_tetmesh_def();
  mesh.vertices = vertices, mesh.vertex_count = count;
  mesh.tetrahedra = corners, mesh.tetrahedron_count = cells;
  read_law(in, &mesh.stretch);
  read_law(in, &mesh.volume);
  return msd_add_tetmesh(world, &mesh, NULL);
}

/* Of the cells of a grid of some columns, whether or not there is one, or of any particles. */
static msd_result add_surface(msd_world *world, fuzz_input *in) {
  enum { TRIANGLES = 40, SEGMENTS = 6 };
  const int32_t particles = msd_world_get_particle_count(world), columns = fuzz_byte(in) % 13;
  const int32_t first = fuzz_index(in, particles);
  int32_t triangles[3 * TRIANGLES], segments[2 * SEGMENTS];
  for (int32_t n = 0; n < TRIANGLES; n++) {
    const int32_t a = (int32_t)((uint32_t)first + (uint32_t)(n / 2)) % (particles + 1);
    const int32_t corners[3] = {a + n % 2, a + 1 + n % 2 * columns, a + columns};
    memcpy(triangles + 3 * (size_t)n, corners, sizeof corners);
  }
  for (int n = 0; n < 2 * SEGMENTS; n++)
    segments[n] = fuzz_index(in, particles);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = columns > 0 ? triangles : segments;
  def.triangle_count = columns > 0 ? fuzz_byte(in) % (TRIANGLES + 1) : fuzz_byte(in) % 5 - 1;
  def.segments = segments;
  def.segment_count = fuzz_byte(in) % 4 ? 0 : fuzz_byte(in) % (SEGMENTS + 1);
  def.thickness = fuzz_byte(in) % 4 ? def.thickness : (msd_real)fuzz_number(in);
  def.friction = fuzz_byte(in) % 4 ? def.friction : (msd_real)fuzz_number(in);
  def.self_collision = fuzz_byte(in) % 4 > 0;
  return msd_add_collision_meshes(world, &def, 1, NULL);
}

static msd_result change_surface(msd_world *world, fuzz_input *in) {
  enum { SURFACES_MAX = 12 };
  const int32_t count = msd_world_get_collision_mesh_count(world);
  if (fuzz_byte(in) % 4 == 0)
    return msd_collision_mesh_exclude(world, fuzz_index(in, count), fuzz_index(in, count));
  return count < SURFACES_MAX ? add_surface(world, in) : MSD_OK;
}

typedef msd_result change(msd_world *world, fuzz_input *in);

static msd_result add_body(msd_world *world, fuzz_input *in) {
  static change *const bodies[] = {add_cloth, add_rope, add_block, add_mesh};
  return bodies[fuzz_byte(in) % (sizeof bodies / sizeof *bodies)](world, in);
}

static msd_result change_particle(msd_world *world, fuzz_input *in) {
  const int32_t i = fuzz_index(in, msd_world_get_particle_count(world));
  switch (fuzz_byte(in) % 7) {
  case 0:
    return msd_particle_pin(world, i);
  case 1:
    return msd_particle_unpin(world, i);
  case 2:
    return msd_particle_set_mass(world, i, (msd_real)fuzz_number(in));
  case 3:
    return msd_particle_set_position(world, i, fuzz_vector(in));
  case 4:
    return msd_particle_set_velocity(world, i, fuzz_vector(in));
  case 5:
    return msd_particle_move_to(world, i, fuzz_vector(in));
  default:
    return msd_particle_apply_force(world, i, fuzz_vector(in));
  }
}

static msd_result change_spring(msd_world *world, fuzz_input *in) {
  const int32_t e = fuzz_index(in, msd_world_get_spring_count(world));
  msd_spring_def def = msd_default_spring_def();
  switch (fuzz_byte(in) % 5) {
  case 0:
    return msd_spring_break(world, e);
  case 4:
    return msd_spring_move_rest_length_to(world, e, (msd_real)fuzz_number(in));
  case 1:
    return msd_spring_set_rest_length(world, e, (msd_real)fuzz_number(in));
  case 2:
    return msd_world_scale_stiffness(world, fuzz_number(in));
  default:
    read_law(in, &def);
    return msd_spring_set_law(world, e, &def);
  }
}

static msd_result change_constraint(msd_world *world, fuzz_input *in) {
  const int32_t c = fuzz_index(in, msd_world_get_constraint_count(world));
  msd_spring_def law = msd_default_spring_def();
  msd_constraint_def def = msd_default_constraint_def();
  switch (fuzz_byte(in) % 3) {
  case 0:
    return msd_constraint_break(world, c);
  case 1:
    return msd_constraint_set_rest(world, c, fuzz_byte(in) % 4 ? (msd_real)fuzz_number(in) : MSD_AS_PLACED);
  default:
    read_law(in, &law);
    def.law = law.law;
    def.stiffness = law.stiffness, def.damping = law.damping;
    def.ck = law.ck, def.cd = law.cd;
    return msd_constraint_set_law(world, c, &def);
  }
}

static msd_result change_rotor(msd_world *world, fuzz_input *in) {
  const int32_t r = fuzz_index(in, msd_world_get_rotor_count(world));
  const int32_t e = fuzz_index(in, msd_world_get_torsion_spring_count(world));
  msd_rotor_def def = msd_rotor_get_def(world, r);
  switch (fuzz_byte(in) % 4) {
  case 0:
    return msd_torsion_spring_break(world, e);
  case 1:
    return msd_torsion_spring_set_rest_angle(world, e, fuzz_number(in));
  case 2:
    return msd_rotor_apply_torque(world, r, fuzz_number(in));
  default:
    def.angular_velocity = fuzz_number(in);
    def.inertia = (msd_real)fuzz_number(in);
    return msd_rotor_set_def(world, r, &def);
  }
}

static msd_quaternion read_rotation(fuzz_input *in) {
  const msd_vec3 v = fuzz_vector(in);
  return fuzz_byte(in) % 4 ? msd_quaternion_from_degrees(v)
                           : (msd_quaternion){0, (double)v.x, (double)v.y, (double)v.z};
}

static msd_result change_collider(msd_world *world, fuzz_input *in) {
  const int32_t c = fuzz_index(in, msd_world_get_collider_count(world));
  msd_collider_def def = msd_default_collider_def();
  msd_contact_settings contact = msd_default_contact_settings();
  switch (fuzz_byte(in) % 4) {
  case 0:
    def.position = fuzz_vector(in);
    return msd_collider_move_to(world, c, def.position, read_rotation(in));
  case 1:
    contact.thickness = (msd_real)fuzz_number(in);
    contact.friction = (msd_real)fuzz_number(in);
    contact.relaxation = (msd_real)fuzz_byte(in) / 255;
    contact.error_on_intersection = fuzz_byte(in) % 4 == 0;
    return msd_world_set_contact_settings(world, &contact);
  default:
    def.kind = (msd_collider_kind)(fuzz_byte(in) % (MSD_COLLIDER_KIND_COUNT + 1));
    def.position = fuzz_byte(in) % 2 ? def.position : fuzz_vector(in);
    def.rotation = fuzz_byte(in) % 2 ? def.rotation : read_rotation(in);
    def.normal = def.size = def.to = fuzz_vector(in);
    def.radius = (msd_real)fuzz_number(in);
    def.friction = fuzz_byte(in) % 2 ? def.friction : (msd_real)fuzz_number(in);
    return fuzz_byte(in) % 2 ? msd_collider_set_def(world, c, &def) : msd_add_colliders(world, &def, 1, NULL);
  }
}

static msd_result change_wind(msd_world *world, fuzz_input *in) {
  msd_wind_def def = msd_default_wind_def();
  def.velocity = fuzz_vector(in);
  def.turbulence = (msd_real)fuzz_number(in);
  def.turbulence_length = (msd_real)fuzz_number(in);
  def.density = (msd_real)fuzz_number(in);
  return msd_world_set_wind(world, &def);
}

static msd_result change_springs_way(msd_world *world, fuzz_input *in) {
  switch (fuzz_byte(in) % 4) {
  case 0:
  case 1:
    return change_wind(world, in);
  case 2:
    return msd_world_set_solver(world, (msd_solver)(fuzz_byte(in) % (MSD_SOLVER_COUNT + 1)));
  default:
    return msd_world_set_mass_scaling(world,
                                      (msd_mass_scaling)(fuzz_byte(in) % (MSD_MASS_SCALING_COUNT + 1)));
  }
}

static msd_result change_setting(msd_world *world, fuzz_input *in) {
  switch (fuzz_byte(in) % 8) {
  case 0:
    return msd_world_set_gravity(world, fuzz_vector(in));
  case 1:
    return msd_world_set_linear_damping(world, (msd_real)fuzz_number(in));
  case 2:
    return msd_world_set_integrator(world, (msd_integrator)(fuzz_byte(in) % (MSD_INTEGRATOR_COUNT + 1)));
  case 3:
    return fuzz_byte(in) % 2 ? msd_world_set_clamp_stiffness(world, fuzz_byte(in) % 2 == 1)
                             : msd_world_set_energy_mode(
                                   world, (msd_energy_mode)(fuzz_byte(in) % (MSD_ENERGY_MODE_COUNT + 1)));
  case 4:
    return msd_world_set_impulse_iterations(world, fuzz_byte(in) % 5);
  case 5:
    return msd_world_set_impulse_warm_start(world, fuzz_byte(in) % 2);
  case 6:
    return change_springs_way(world, in);
  default:
    return msd_world_set_simd(world, (msd_simd)(fuzz_byte(in) % (MSD_SIMD_COUNT + 1)));
  }
}

/* Destroys a few of a kind, by their indices or as a range, and now and then closes the gaps. All of what was
   named goes, or nothing does; after the gaps are closed only what lives is left. */
static msd_result destroy(msd_world *world, fuzz_input *in) {
  enum { SOME = 6 };
  const int choice = fuzz_byte(in), named = fuzz_byte(in) % SOME + 1;
  const msd_object item = (msd_object)(choice % (MSD_OBJECT_COUNT + 1));
  const int32_t live = msd_world_get_live_count(world, item), particles = msd_world_get_particle_count(world);
  msd_result result;
  if (choice >= 240) {
    const int32_t left = msd_world_get_live_count(world, MSD_OBJECT_PARTICLE);
    result = msd_world_compact(world, NULL);
    EXPECT(msd_world_get_particle_count(world) == (result == MSD_OK ? left : particles));
    return result;
  }
  int32_t indices[SOME];
  for (int n = 0; n < named; n++)
    indices[n] = n > 0 && choice % 2 ? indices[n - 1] + 1 : fuzz_index(in, particles);
  result = choice % 2 ? msd_destroy_range(world, item, (msd_range){indices[0], named})
                      : msd_destroy_objects(world, item, indices, named);
  for (int n = 0; n < named && result == MSD_OK; n++)
    EXPECT(msd_object_is_destroyed(world, item, indices[n]));
  EXPECT(result == MSD_OK || msd_world_get_live_count(world, item) == live);
  return result;
}

/* A diverged step keeps its finite substeps, one of surfaces those for which there was memory; all else that
   fails leaves the state alone. */
static void step(msd_world *world, fuzz_input *in) {
  const uint64_t before = msd_world_hash(world);
  const double time = msd_world_get_time(world);
  const bool has_surfaces = msd_world_get_collision_mesh_count(world) > 0;
  const msd_result result = msd_world_step(world, (msd_real)(fuzz_number(in) / 64), fuzz_byte(in) % 6 + 1);
  const bool may_end_early = result == MSD_DIVERGED || (result == MSD_OUT_OF_MEMORY && has_surfaces);
  if (result != MSD_OK && !may_end_early)
    EXPECT(msd_world_hash(world) == before && msd_world_get_time(world) == time);
  fuzz_expect_finite(world);
}

static void call(msd_world *world, fuzz_input *in) {
  static change *const changes[] = {
      add_particles, add_springs,     add_constraint, add_soft_pin,   add_rotors,
      add_body,      change_particle, change_spring,  change_setting, change_constraint,
      change_rotor,  change_collider, change_surface, destroy};
  enum { CHANGES = sizeof changes / sizeof *changes, OF_FRAMES = 192, OF_FEATURES = 224 };
  const uint8_t choice = fuzz_byte(in);
  const int which = choice % (CHANGES + 4);
  if (choice >= OF_FEATURES) {
    fuzz_call_of_feature(world, in);
  } else if (choice >= OF_FRAMES) {
    fuzz_call_of_frame(world, in);
  } else if (which < CHANGES) {
    if (msd_world_get_particle_count(world) < PARTICLES_MAX || which >= 6)
      changes[which](world, in);
  } else if (which == CHANGES) {
    fuzz_expect_round_trip(world, (msd_real)(1 / 64.0), 2);
  } else if (which == CHANGES + 1) {
    fuzz_expect_answers(world, in);
  } else {
    step(world, in);
  }
}

static long long calls;

static void tell_calls(void) {
  fprintf(stderr, "stat::number_of_calls: %lld\n", calls);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  atexit(tell_calls);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_input in = {bytes, size, 0};
  failing_allocator failing = {fuzz_byte(&in)};
  msd_world_def def = msd_default_world_def();
  def.thread_count = 1;
  def.memory_limit = (size_t)64 << 20;
  def.allocator = (msd_allocator){allocate, release, &failing};
  msd_world *world;
  if (msd_create_world(&def, &world) != MSD_OK)
    return 0;
  for (int n = 0; n < CALLS_MAX && in.at < in.size; n++, calls++)
    call(world, &in);
  msd_destroy_world(world);
  return 0;
}

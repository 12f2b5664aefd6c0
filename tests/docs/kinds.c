#include <msd/msd.h>

#include <stdbool.h>
#include <stdio.h>

static int failed(msd_world *world) {
  fprintf(stderr, "%s\n", msd_world_message(world));
  msd_destroy_world(world);
  return 1;
}

/* A cloth with dihedral bending on two pins. Tethers are added last, while it is flat. */
static bool add_cloth(msd_world *world, msd_range *tied) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 20;
  cloth.mass = (msd_real)0.2;
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  cloth.bend.law = MSD_SPRING_STIFFNESS;
  cloth.bend.stiffness = (msd_real)1e-4; /* N m/rad */
  msd_body sheet;
  if (msd_add_cloth(world, &cloth, &sheet) != MSD_OK ||
      msd_particle_pin(world, sheet.particles.first) != MSD_OK ||
      msd_particle_pin(world, sheet.particles.first + cloth.columns - 1) != MSD_OK)
    return false;
  msd_tethers_def tethers = msd_default_tethers_def();
  tethers.particles = sheet.particles;
  return msd_add_tethers(world, &tethers, tied) == MSD_OK;
}

/* A tetrahedron of 1000 kg/m^3 with a volume constraint; a soft pin holds its first corner. */
static bool add_solid(msd_world *world, msd_body *solid, int32_t *soft_pin) {
  const msd_vec3 vertices[4] = {{3, 0, 0}, {4, 0, 0}, {3, 1, 0}, {3, 0, 1}};
  const int32_t corners[4] = {0, 1, 2, 3};
  msd_tetmesh_def tetmesh = msd_default_tetmesh_def();
  tetmesh.vertices = vertices;
  tetmesh.vertex_count = 4;
  tetmesh.tetrahedra = corners;
  tetmesh.tetrahedron_count = 1;
  if (msd_add_tetmesh(world, &tetmesh, solid) != MSD_OK)
    return false;
  msd_soft_pin_def hold = msd_default_soft_pin_def();
  hold.particle = solid->particles.first;
  hold.position = vertices[0];
  hold.frequency = 8;
  return msd_add_soft_pins(world, &hold, 1, soft_pin) == MSD_OK;
}

/* A wheel on a torsion spring of 1 Hz, slowed by linear damping. */
static bool add_wheel(msd_world *world) {
  msd_rotor_def wheel = msd_default_rotor_def();
  wheel.angle = 1;
  msd_torsion_spring_def spiral = msd_default_torsion_spring_def(); /* b: MSD_GROUND */
  spiral.rest_angle = 0;
  spiral.law = MSD_SPRING_FREQUENCY;
  spiral.frequency = 1;
  return msd_add_rotors(world, &wheel, 1, &spiral.a) == MSD_OK &&
         msd_add_torsion_springs(world, &spiral, 1, NULL) == MSD_OK;
}

int main(void) {
  msd_world_def world_def = msd_default_world_def();
  world_def.linear_damping = 2;
  msd_world *world;
  if (msd_create_world(&world_def, &world) != MSD_OK)
    return 1;
  msd_range tied;
  msd_body solid;
  int32_t soft_pin;
  if (!add_cloth(world, &tied) || !add_solid(world, &solid, &soft_pin) || !add_wheel(world))
    return failed(world);

  for (int frame = 0; frame < 600; frame++) {
    if (frame == 300 && msd_soft_pin_move_to(world, soft_pin, (msd_vec3){3, 1, 0}) != MSD_OK)
      return failed(world);
    if (msd_world_step(world, (msd_real)1 / 60, 40) != MSD_OK)
      return failed(world);
    if (frame == 29)
      printf("after half a second the wheel is at %.3f rad\n", msd_rotor_get_angle(world, 0));
  }
  printf("%d tethers\n", (int)tied.count);
  printf("the volume is %.4f m^3, of 1/6\n", msd_constraint_get_value(world, solid.volume.first));
  printf("the soft pin holds %.0f N\n", msd_soft_pin_get_force(world, soft_pin).y);
  msd_destroy_world(world);
}

#include <msd/msd.h>

#include <stdio.h>

int main(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world;
  if (msd_create_world(&def, &world) != MSD_OK)
    return 1;

  /* the hinge 0-1 and the wall's corner 2 are fixed; the door's corner 3 stands open at a right angle */
  const msd_vec3 corners[4] = {{0, 0, 0}, {0, 2, 0}, {-1, 1, 0}, {0, 1, 1}};
  msd_particle_def particles[4];
  for (int i = 0; i < 4; i++) {
    particles[i] = msd_default_particle_def();
    particles[i].position = corners[i];
    particles[i].mass = 10;
    particles[i].pinned = i < 3;
  }
  msd_spring_def leaf[2] = {msd_default_spring_def(), msd_default_spring_def()};
  for (int i = 0; i < 2; i++) {
    leaf[i].a = i;
    leaf[i].b = 3;
    leaf[i].stiffness = 20000;
    leaf[i].damping = 100;
  }
  msd_constraint_def hinge = msd_default_constraint_def();
  hinge.kind = MSD_CONSTRAINT_DIHEDRAL;
  for (int i = 0; i < 4; i++)
    hinge.particles[i] = i;
  hinge.rest = 0; /* flat: closed */
  hinge.law = MSD_SPRING_FREQUENCY;
  hinge.frequency = (msd_real)0.5;
  hinge.damping_ratio = 1;

  msd_result result = msd_add_particles(world, particles, 4, NULL);
  if (result == MSD_OK)
    result = msd_add_springs(world, leaf, 2, NULL);
  if (result == MSD_OK)
    result = msd_add_constraints(world, &hinge, 1, NULL);
  for (int frame = 0; frame <= 120 && result == MSD_OK; frame++) {
    if (frame % 30 == 0)
      printf("%4.2f s: %6.2f degrees\n", msd_world_get_time(world),
             msd_constraint_get_value(world, 0) * 180 / 3.14159265);
    result = msd_world_step(world, (msd_real)(1.0 / 60), 0);
  }
  if (result != MSD_OK)
    fprintf(stderr, "%s\n", msd_world_message(world));
  msd_destroy_world(world);
  return result == MSD_OK ? 0 : 1;
}

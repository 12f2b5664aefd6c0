#include <msd/msd.h>
#include <stdio.h>

int main(void) {
  msd_world_def world_def = msd_default_world_def();
  world_def.air_drag = 2; /* 1/s */
  msd_world *world;
  if (msd_create_world(&world_def, &world))
    return 1;

  msd_rope_def rope = msd_default_rope_def(); /* from (0,0,0) to (1,0,0), 1 kg */
  rope.particles = 20;
  rope.stretch.law = MSD_SPRING_PHYSICAL;
  rope.stretch.stiffness = 2000; /* N/m */
  rope.stretch.damping = 1;      /* N s/m */
  msd_body body;
  if (msd_add_rope(world, &rope, &body) || msd_particle_pin(world, body.particles.first))
    return 1;

  for (int frame = 0; frame < 600; frame++) /* 10 s; substeps 0: the fewest that are certified stable */
    if (msd_world_step(world, (msd_real)1 / 60, 0))
      return puts(msd_world_message(world)), 1;
  printf("1 m of rope hangs %.3f m deep\n", -msd_particle_get_position(world, 19).y);
  msd_destroy_world(world);
}

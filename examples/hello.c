#include <msd/msd.h>
#include <stdio.h>

int main(void) {
  msd_world_def world_def = msd_default_world_def();
  world_def.linear_damping = 2; /* 1/s */
  msd_world *world;
  if (msd_create_world(&world_def, &world))
    return 1;

  msd_rope_def rope = msd_default_rope_def(); /* from (0,0,0) to (1,0,0), 1 kg */
  rope.particles = 20;
  rope.stretch.law = MSD_SPRING_STIFFNESS;
  rope.stretch.stiffness = 2000; /* N/m, of each spring */
  rope.stretch.damping = 1;      /* N s/m, of each spring */
  msd_body body;
  if (msd_add_rope(world, &rope, &body) || msd_particle_pin(world, body.particles.first))
    return 1;

  for (int frame = 0; frame < 600; frame++)           /* 10 s */
    if (msd_world_step(world, (msd_real)1 / 60, 0)) { /* 0: the fewest substeps that are proven stable */
      puts(msd_world_message(world));
      return 1;
    }
  printf("1 m of rope hangs %.3f m deep\n", -msd_particle_get_position(world, rope.particles - 1).y);
  msd_destroy_world(world);
}

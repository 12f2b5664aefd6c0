/* A robot cable, 2 m long, between the base and a hand that moves in a circle. Prints the largest pull at the
   hand at the end of a frame, the smallest bending radius and the lowest height. */
#include <msd/msd.h>

#include <math.h>
#include <stdio.h>

enum { PARTICLES = 60, FRAMES_A_SECOND = 100, SECONDS = 6 };

typedef struct worst {
  double pull, radius, height;
} worst;

/* Two revolutions in four seconds once it is up to speed. */
static msd_vec3 hand_at(double time) {
  const double angle = 3.14159265 * time * time / (time + 1);
  return (msd_vec3){(msd_real)(0.9 + 0.3 * cos(angle)), (msd_real)(1 + 0.3 * sin(angle)), 0};
}

static double distance(msd_vec3 a, msd_vec3 b) {
  const double x = (double)(a.x - b.x), y = (double)(a.y - b.y), z = (double)(a.z - b.z);
  return sqrt(x * x + y * y + z * z);
}

/* Radius of the circle through three points; INFINITY for a line. */
static double radius_of(msd_vec3 p, msd_vec3 q, msd_vec3 r) {
  const double a = distance(p, q), b = distance(q, r), c = distance(r, p), s = (a + b + c) / 2;
  const double area = sqrt(fmax(s * (s - a) * (s - b) * (s - c), 0));
  return area > 0 ? a * b * c / (4 * area) : INFINITY;
}

/* A cable of copper and rubber, 60 g/m, 8 mm thick. It starts straight with both ends pinned; main moves the
   hand end to its place. */
static msd_result make_cable(msd_world *world, msd_body *cable) {
  msd_material material = msd_default_material();
  material.line_density = (msd_real)0.06;
  material.stretch_modulus = 20000;         /* EA in N */
  material.bend_rigidity = (msd_real)0.004; /* EI in N m^2 */
  material.damping_ratio = (msd_real)0.2;
  msd_rope_def rope = msd_default_rope_def();
  rope.from = (msd_vec3){0, 1, 0};
  rope.to = (msd_vec3){2, 1, 0};
  rope.particles = PARTICLES;
  rope.material = &material;
  msd_result result = msd_add_rope(world, &rope, cable);
  if (result == MSD_OK)
    result = msd_particle_pin(world, 0);
  return result == MSD_OK ? msd_particle_pin(world, PARTICLES - 1) : result;
}

static void look(const msd_world *world, const msd_body *cable, worst *w) {
  const msd_view x = msd_world_get_positions(world);
  /* The last spring but one: the damping of the last takes the velocity of the pin, which is 0 after a step. */
  w->pull =
      fmax(w->pull, (double)msd_spring_get_tension(world, cable->stretch.first + cable->stretch.count - 2));
  for (int32_t i = 0; i < x.count; i++)
    w->height = fmin(w->height, (double)msd_view_at(x, i).y);
  for (int32_t i = 2; i < x.count; i++)
    w->radius = fmin(w->radius, radius_of(msd_view_at(x, i - 2), msd_view_at(x, i - 1), msd_view_at(x, i)));
}

int main(void) {
  msd_world_def def = msd_default_world_def();
  def.linear_damping = (msd_real)0.5;
  msd_world *world;
  msd_body cable;
  worst w = {0, INFINITY, INFINITY};
  msd_result result = msd_create_world(&def, &world);
  if (result != MSD_OK)
    return 1;
  result = make_cable(world, &cable);
  for (int frame = 1; frame <= SECONDS * FRAMES_A_SECOND && result == MSD_OK; frame++) {
    const double time = (double)frame / FRAMES_A_SECOND, share = fmin(time / 2, 1);
    const msd_vec3 goal = hand_at(fmax(time - 2, 0));
    const msd_vec3 hand = {(msd_real)(2 + share * ((double)goal.x - 2)), goal.y, 0};
    result = msd_particle_move_to(world, PARTICLES - 1, hand);
    if (result == MSD_OK)
      result = msd_world_step(world, (msd_real)1 / FRAMES_A_SECOND, 0);
    if (frame > 2 * FRAMES_A_SECOND)
      look(world, &cable, &w);
  }
  if (result != MSD_OK)
    fprintf(stderr, "cable: %s\n", msd_world_message(world));
  else
    printf("pulls with %.2f N at most, bends to a radius of %.0f mm, hangs down to %.2f m\n", w.pull,
           1000 * w.radius, w.height);
  msd_destroy_world(world);
  return result == MSD_OK ? 0 : 1;
}

/* What is promised of every scene that ships: with a frame of 1/60 s and the fewest certified substeps, or with
   one substep of softened springs, it stays finite and gains no energy. */
#include "scenes/scene.h"

#include <criterion/criterion.h>
#include <math.h>

enum { FRAMES = 120 }; /* 2 s */

/* The energy that symplectic Euler keeps instead of H = T + V is, for substeps of h seconds,

       H - h/2 v . grad V - h/4 v' D v + O(h^2),

   exactly constant for an undamped linear network and falling for a damped one (Hairer, Lubich, Wanner,
   "Geometric Numerical Integration", IX.3). So H may swing by the two terms, which are known, and by a rest. */
typedef struct energy {
  double total; /* J: H */
  double swing; /* J: h/2 v . grad V + h/4 v' D v */
  double scale; /* J: kinetic and elastic energy */
} energy;

static double dot(msd_vec3 a, msd_vec3 b) {
  return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static msd_vec3 minus(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static energy energy_of(const msd_world *world, double h) {
  const msd_stats stats = msd_world_get_stats(world);
  const msd_vec3 gravity = msd_world_get_gravity(world);
  double power = 0, damped = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    power -= (double)msd_particle_get_mass(world, i) * dot(gravity, msd_particle_get_velocity(world, i));
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    const double length = (double)msd_spring_get_length(world, e);
    if (!(length > 0) || msd_spring_is_broken(world, e))
      continue;
    const msd_spring_def def = msd_spring_get_def(world, e);
    const msd_vec3 x =
        minus(msd_particle_get_position(world, def.a), msd_particle_get_position(world, def.b));
    const msd_vec3 v =
        minus(msd_particle_get_velocity(world, def.a), msd_particle_get_velocity(world, def.b));
    const double rate = dot(x, v) / length;
    power += (double)msd_spring_get_stiffness(world, e) * (length - (double)def.rest_length) * rate;
    damped += (double)msd_spring_get_damping(world, e) * rate * rate;
  }
  const double moving = stats.kinetic_energy + stats.elastic_energy;
  return (energy){moving + stats.potential_energy, h / 2 * power + h / 4 * damped, moving};
}

/* What the rest may be, as a part of the largest kinetic and elastic energy so far: for the O(h^2) of springs
   that turn, and for rounding. two_body_spring has no damping and is held to it as well. */
static const double REST = 0.005;

static bool is_finite(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return isfinite(s.kinetic_energy) && isfinite(s.elastic_energy) && isfinite(s.potential_energy) &&
         isfinite(s.max_speed);
}

static void check_energy(const scene *s) {
  msd_world *world = s->world;
  msd_stability report;
  cr_assert_eq(msd_world_stability(world, (msd_real)(1.0 / 60), &report), MSD_OK);
  cr_assert_gt(report.substeps, 0, "%s", s->name);
  const double h = 1.0 / 60 / report.substeps;
  const energy start = energy_of(world, h);
  double scale = start.scale, most = -INFINITY;
  for (int frame = 0; frame < FRAMES; frame++) {
    cr_assert_eq(msd_world_step(world, (msd_real)(1.0 / 60), 0), MSD_OK, "%s: %s", s->name,
                 msd_world_message(world));
    cr_assert(is_finite(world), "%s", s->name);
    const energy now = energy_of(world, h);
    scale = fmax(scale, now.scale);
    const double rise = now.total - now.swing - (start.total - start.swing);
    most = fmax(most, rise / scale);
    cr_assert_leq(rise, REST * scale,
                  "%s: frame %d: energy %g J, %g at first; %g J more than symplectic Euler keeps", s->name,
                  frame, now.total, start.total, rise);
  }
  cr_assert_eq(msd_world_get_steps(world), (int64_t)FRAMES * report.substeps);
}

static void check_softened(const scene *s) {
  cr_assert_eq(msd_world_set_limit(s->world, MSD_LIMIT_COEFFICIENTS), MSD_OK);
  for (int frame = 0; frame < FRAMES; frame++) {
    cr_assert_eq(msd_world_step(s->world, (msd_real)(1.0 / 60), 1), MSD_OK, "%s: %s", s->name,
                 msd_world_message(s->world));
    cr_assert(is_finite(s->world), "%s", s->name);
  }
}

static void for_each_scene(void (*check)(const scene *s)) {
  scene_error error;
  int count;
  scene_listing *list = scene_list(&count, &error);
  cr_assert_not_null(list, "%s", error.text);
  cr_assert_geq(count, 12);
  for (int i = 0; i < count; i++) {
    scene *s = scene_load(list[i].path, &error);
    cr_assert_not_null(s, "%s", error.text);
    check(s);
    scene_free(s);
  }
  scene_list_free(list, count);
}

Test(stability_scenes, with_automatic_substeps_every_scene_is_finite_and_gains_no_energy) {
  for_each_scene(check_energy);
}

Test(stability_scenes, with_one_substep_and_the_limit_every_scene_is_finite) {
  for_each_scene(check_softened);
}

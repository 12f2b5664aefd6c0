#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static bool ran_out(msd_result result) {
  return result == MSD_OUT_OF_MEMORY || result == MSD_TOO_LARGE;
}

/* ------------------------------------------------------------------------------- about one of its parts */

static bool lives(const msd_world *world, msd_object item, int32_t index, int32_t count) {
  return index >= 0 && index < count && !msd_object_is_destroyed(world, item, index);
}

/* Any index may be asked about: what comes back for one that does not exist is a default, and no crash. */
static void ask_particle(const msd_world *world, int32_t i) {
  const int32_t count = msd_world_get_particle_count(world), soft_pin = msd_particle_get_soft_pin(world, i);
  EXPECT(soft_pin >= -1 && soft_pin < msd_world_get_soft_pin_count(world));
  EXPECT(soft_pin < 0 || msd_soft_pin_get_def(world, soft_pin).particle == i);
  EXPECT(lives(world, MSD_OBJECT_PARTICLE, i, count) == (msd_particle_get_mass(world, i) > 0));
  EXPECT(!lives(world, MSD_OBJECT_PARTICLE, i, count) ||
         msd_particle_get_def(world, i).pinned == msd_particle_is_pinned(world, i));
}

static void ask_spring(const msd_world *world, int32_t e) {
  const msd_spring_def def = msd_spring_get_def(world, e);
  if (lives(world, MSD_OBJECT_SPRING, e, msd_world_get_spring_count(world)))
    EXPECT(def.a != def.b && def.rest_length >= 0);
  else
    EXPECT(def.a == -1 && def.b == -1);
  msd_spring_get_length(world, e);
  msd_spring_get_stretch(world, e);
  EXPECT(msd_spring_get_stiffness(world, e) >= 0 && msd_spring_get_damping(world, e) >= 0);
  msd_spring_get_tension(world, e);
  msd_spring_is_broken(world, e);
}

static void ask_constraint(const msd_world *world, int32_t c) {
  const msd_constraint_def def = msd_constraint_get_def(world, c);
  EXPECT(msd_constraint_kind_name(def.kind));
  EXPECT((def.kind == MSD_CONSTRAINT_MESH_VOLUME) == (def.triangle_count > 0));
  EXPECT((def.kind == MSD_CONSTRAINT_FIBER) ==
         (def.weights[1] != 0 || def.weights[2] != 0 || def.weights[3] != 0));
  EXPECT(!isnan(msd_constraint_get_value(world, c)));
  msd_constraint_get_tension(world, c);
  msd_constraint_is_broken(world, c);
}

static void ask_others(const msd_world *world, int32_t i) {
  msd_soft_pin_get_force(world, i);
  msd_soft_pin_is_exact(world, i);
  msd_soft_pin_get_def(world, i);
  EXPECT(msd_rotor_get_def(world, i).inertia > 0);
  msd_torsion_spring_get_def(world, i);
  msd_torsion_spring_get_torque(world, i);
  msd_torsion_spring_is_broken(world, i);
}

/* ------------------------------------------------------------------------------------------ about surfaces */

static void expect_touching(const msd_world *world, int32_t a, int32_t b, const int32_t particles[4]) {
  const int32_t surfaces = msd_world_get_collision_mesh_count(world);
  EXPECT(a >= 0 && a < surfaces && b >= 0 && b < surfaces);
  for (int n = 0; n < 4; n++) {
    EXPECT(particles[n] >= 0 && particles[n] < msd_world_get_particle_count(world));
    for (int other = 0; other < n; other++)
      EXPECT(particles[n] != particles[other]);
  }
}

static void ask_surfaces(const msd_world *world, int32_t i, int32_t other) {
  const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, i);
  const bool exists = lives(world, MSD_OBJECT_COLLISION_MESH, i, msd_world_get_collision_mesh_count(world));
  EXPECT(exists == (def.triangle_count + def.segment_count > 0));
  EXPECT(!exists || msd_collision_mesh_excludes(world, i, i) == !def.self_collision);
  const msd_result cut = msd_collision_mesh_find_cut(world, i, NULL, NULL);
  EXPECT(cut == MSD_OK || ran_out(cut) || (!exists && cut == MSD_BAD_INDEX));
  EXPECT(msd_collision_mesh_excludes(world, i, other) == msd_collision_mesh_excludes(world, other, i));
  enum { SOME = 8 };
  msd_penetration penetrations[SOME], first;
  const int32_t count = msd_world_get_penetrations(world, penetrations, SOME);
  for (int32_t n = 0; n < count && n < SOME; n++)
    expect_touching(world, penetrations[n].mesh_a, penetrations[n].mesh_b, penetrations[n].particles);
  if (msd_world_get_first_forced_intersection(world, &first))
    expect_touching(world, first.mesh_a, first.mesh_b, first.particles);
  msd_mesh_contact contacts[SOME];
  const int32_t touching = msd_world_get_mesh_contacts(world, contacts, SOME);
  EXPECT(touching >= 0 && touching == msd_world_get_mesh_contacts(world, NULL, 0));
  for (int32_t n = 0; n < touching && n < SOME; n++) {
    expect_touching(world, contacts[n].mesh_a, contacts[n].mesh_b, contacts[n].particles);
    const msd_vec3 normal = contacts[n].normal;
    const double length = sqrt((double)normal.x * (double)normal.x + (double)normal.y * (double)normal.y +
                               (double)normal.z * (double)normal.z);
    EXPECT(fabs(length - 1) < 1e-3);
  }
}

/* --------------------------------------------------------------------------------- about how long a step */

static void ask_stability(const msd_world *world, msd_real step) {
  msd_stability_explanation e;
  msd_result result = msd_world_explain_stability(world, step, &e);
  EXPECT(result == MSD_OK || result == MSD_BAD_FRAME_TIME || ran_out(result));
  if (result != MSD_OK)
    return;
  const msd_stability *s = &e.limit;
  EXPECT(s->radius >= 0 && s->stable_substep >= 0 && s->rotor_stable_substep >= 0);
  EXPECT(s->stable_substep_quick >= 0 && s->stable_substep_quick <= s->stable_substep);
  EXPECT(s->tightness >= 0 && s->tightness <= 1);
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
    EXPECT(s->integrator_stable_substep[i] >= 0 && s->integrator_substeps[i] >= 0);
  EXPECT(e.cause.spring < msd_world_get_spring_count(world));
  EXPECT(e.cause.constraint < msd_world_get_constraint_count(world));
  EXPECT(e.cause.particle < msd_world_get_particle_count(world) && msd_cause_name(e.cause.cause));
  EXPECT(e.remedy.stiffness_factor >= 0 && e.remedy.damping_factor >= 0 && e.remedy.mass_factor >= 0 &&
         e.remedy.coefficient_factor >= 0);
  EXPECT(e.coefficient_limit >= 0);
  EXPECT(e.max_stable_min <= e.max_stable_max);
  double linearized_limit = 0;
  result = msd_world_estimate_current_limit(world, step, &linearized_limit);
  EXPECT(ran_out(result) || (result == MSD_OK && linearized_limit >= 0));
  int32_t substeps = 0;
  result = msd_world_find_substeps(world, step, &substeps);
  EXPECT(ran_out(result) || (result == MSD_OK && substeps >= 0));
}

static void ask_softening(const msd_world *world, msd_real step, bool limit) {
  msd_softening soft;
  if (msd_world_find_softening(world, step, limit, &soft) == MSD_OK) {
    EXPECT(soft.springs >= 0 && soft.constraints >= 0);
    EXPECT(soft.stiffness_left >= 0 && soft.stiffness_left <= 1);
  }
  const int32_t count = msd_world_get_spring_count(world);
  double *steps = malloc(((size_t)count + 1) * sizeof *steps);
  EXPECT(steps);
  if (msd_world_find_softening_steps(world, steps, NULL) == MSD_OK)
    for (int32_t e = 0; e < count; e++)
      EXPECT(steps[e] >= 0);
  free(steps);
  msd_stiffness_limits limits = {0, 0};
  if (msd_world_find_stiffness_limits(world, &(msd_range){0, count}, 1, step, &limits) == MSD_OK)
    EXPECT(limits.stiffness >= 0 && limits.damping >= 0);
}

static void ask_stretch(const msd_world *world, msd_real step, double wanted) {
  msd_static_stretch stretch;
  if (msd_world_estimate_stretch(world, step, &stretch) == MSD_OK)
    EXPECT(stretch.present >= 0 && stretch.max_stable >= 0);
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = (msd_real)wanted;
  target.frame_time = step;
  msd_stretch_plan plan;
  if (msd_world_plan_stretch(world, &target, &plan) == MSD_OK) {
    EXPECT(plan.substeps >= 0 && plan.substeps <= target.substeps_max);
    EXPECT(plan.stiffness_factor > 0 && plan.stretch >= 0);
  }
}

/* ------------------------------------------------------------------------------------ about the whole of it */

static void ask_whole(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  EXPECT(stats.particles == msd_world_get_live_count(world, MSD_OBJECT_PARTICLE) &&
         stats.pinned <= stats.particles);
  EXPECT(stats.broken <= stats.springs && stats.kinetic_energy >= 0 && stats.max_speed >= 0);
  msd_components components;
  if (msd_world_find_components(world, NULL, NULL, &components) == MSD_OK) {
    EXPECT(components.components >= (stats.particles > 0) && components.components <= stats.particles);
    EXPECT(components.attached >= 0 && components.attached <= components.components);
  }
  size_t size = 0;
  if (msd_world_save(world, NULL, 0, &size) == MSD_OK)
    EXPECT(size <= msd_world_get_save_bound(world));
}

/* Triangles of three particles after another, and segments of two. */
static void ask_intersections(const msd_world *world) {
  enum { CORNERS_MAX = 390 };
  const int32_t particles = msd_world_get_particle_count(world);
  int32_t corners[CORNERS_MAX];
  for (int32_t i = 0; i < CORNERS_MAX; i++)
    corners[i] = i;
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = def.segments = corners;
  def.triangle_count = def.segment_count = (particles < CORNERS_MAX ? particles : CORNERS_MAX) / 3;
  msd_intersection out[16];
  int64_t found = 0, again = 0;
  if (msd_world_find_intersections(world, &def, out, 16, &found) != MSD_OK)
    return;
  for (int n = 0; n < 16 && n < found; n++) {
    EXPECT(out[n].a >= 0 && out[n].a < out[n].b && out[n].b < 2 * def.triangle_count);
    EXPECT(n == 0 || out[n - 1].a < out[n].a || (out[n - 1].a == out[n].a && out[n - 1].b < out[n].b));
  }
  if (msd_world_find_intersections(world, &def, NULL, 0, &again) == MSD_OK)
    EXPECT(again == found);
}

/* Rays and nearest points from particles: each finds alone what it finds in a batch. */
static void ask_queries(const msd_world *world) {
  enum { RAYS = 20 };
  msd_ray rays[RAYS];
  msd_vec3 points[RAYS];
  msd_hit hits[RAYS], nearest[RAYS], one;
  for (int n = 0; n < RAYS; n++) {
    points[n] = msd_particle_get_position(world, n);
    rays[n] = (msd_ray){points[n], {(msd_real)(n % 3 - 1), 1, (msd_real)(n % 5 - 2)}, (msd_real)(n + 1)};
  }
  if (msd_world_cast_rays(world, rays, RAYS, NULL, hits) != MSD_OK ||
      msd_world_find_nearest(world, points, RAYS, 10, NULL, nearest) != MSD_OK)
    return;
  for (int n = 0; n < RAYS; n++) {
    if (msd_world_cast_rays(world, &rays[n], 1, NULL, &one) == MSD_OK)
      EXPECT(one.is_hit == hits[n].is_hit && one.index == hits[n].index && one.element == hits[n].element);
    EXPECT(!hits[n].is_hit || (hits[n].distance >= 0 && hits[n].distance <= rays[n].length));
    if (msd_world_find_nearest(world, &points[n], 1, 10, NULL, &one) == MSD_OK)
      EXPECT(one.is_hit == nearest[n].is_hit && one.index == nearest[n].index);
    EXPECT(!nearest[n].is_hit || nearest[n].distance <= 10);
  }
}

static void ask_copy(const msd_world *world, msd_real step) {
  msd_world *copy, *twin;
  if (msd_copy_world(world, &copy) != MSD_OK) {
    EXPECT(!copy);
    return;
  }
  EXPECT(msd_world_hash(copy) == msd_world_hash(world));
  if (msd_copy_world(copy, &twin) == MSD_OK) {
    const msd_result one = msd_world_step(copy, step, 2), other = msd_world_step(twin, step, 2);
    EXPECT(ran_out(one) || ran_out(other) || one == other);
    EXPECT(ran_out(one) || ran_out(other) || msd_world_hash(copy) == msd_world_hash(twin));
    msd_destroy_world(twin);
  }
  msd_destroy_world(copy);
}

void fuzz_expect_answers(const msd_world *world, fuzz_input *in) {
  const uint64_t before = msd_world_hash(world);
  ask_particle(world, fuzz_index(in, msd_world_get_particle_count(world)));
  ask_spring(world, fuzz_index(in, msd_world_get_spring_count(world)));
  ask_constraint(world, fuzz_index(in, msd_world_get_constraint_count(world)));
  ask_others(world, fuzz_index(in, msd_world_get_soft_pin_count(world)));
  const int32_t surfaces = msd_world_get_collision_mesh_count(world);
  const int32_t surface = fuzz_index(in, surfaces);
  ask_surfaces(world, surface, fuzz_index(in, surfaces));
  const msd_real step = (msd_real)(fuzz_number(in) / 64);
  ask_stability(world, step);
  ask_softening(world, step, fuzz_byte(in) % 2 == 1);
  ask_stretch(world, step, fuzz_number(in));
  ask_whole(world);
  ask_intersections(world);
  ask_queries(world);
  ask_copy(world, step);
  EXPECT(msd_world_hash(world) == before);
}

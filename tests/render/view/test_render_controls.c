#include "tests/support/render_stage.h"

#include "render/view/controls.h"

#include <math.h>

static char error[512];

Test(controls, show_what_the_world_has) {
  stage st;
  controls c;
  make_cloth(&st, down);
  st.scene.substeps = 7;
  cr_assert(controls_open(&c, &st.scene));
  cr_expect(c.integrator == MSD_SYMPLECTIC_EULER && c.limit == false && c.substeps == 7);
  cr_expect(c.frame_time == 1.0 / 60 && c.gravity[0] == 0 && fabs(c.gravity[1] + 9.81) < 1e-6 &&
            c.linear_damping == 0);
  cr_assert_eq(c.group_count, 2);
  cr_expect_str_eq(c.groups[0].name, "stretch");
  cr_expect_str_eq(c.groups[1].name, "shear");
  cr_expect(c.groups[0].springs.count == 430 && c.groups[0].pattern.law == MSD_SPRING_STIFFNESS);
  cr_expect_eq((double)c.groups[0].pattern.stiffness, 100);
  controls_close(&c);
  stage_free(&st);
}

Test(controls, give_changed_settings_to_the_world_and_the_scene) {
  stage st;
  controls c;
  make_cloth(&st, down);
  cr_assert(controls_open(&c, &st.scene));
  c.integrator = MSD_RK4;
  c.limit = true;
  c.gravity[2] = 3;
  c.linear_damping = 0.5;
  c.frame_time = 0.01;
  c.substeps = 12;
  c.threads = 2;
  cr_assert(controls_apply(&c, &st.scene, error, sizeof error));
  cr_expect_eq(msd_world_get_integrator(st.scene.world), MSD_SYMPLECTIC_EULER, "nothing before it is marked");
  c.settings_changed = true;
  cr_assert(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
  cr_expect_eq(msd_world_get_integrator(st.scene.world), MSD_RK4);
  cr_expect_eq(msd_world_get_clamp_stiffness(st.scene.world), true);
  cr_expect_eq((double)msd_world_get_gravity(st.scene.world).z, 3);
  cr_expect_eq((double)msd_world_get_linear_damping(st.scene.world), 0.5);
  cr_expect(st.scene.frame_time == 0.01 && st.scene.substeps == 12);
  cr_expect(!c.settings_changed && c.wants_stability);
  controls_close(&c);
  stage_free(&st);
}

Test(controls, what_the_world_refuses_is_told_and_taken_back) {
  stage st;
  controls c;
  make_cloth(&st, down);
  cr_assert(controls_open(&c, &st.scene));
  c.linear_damping = -1;
  c.settings_changed = true;
  error[0] = '\0';
  cr_expect_not(controls_apply(&c, &st.scene, error, sizeof error));
  cr_expect(strstr(error, "linear damping") != NULL && strchr(error, '\n') == NULL, "%s", error);
  cr_expect_eq(c.linear_damping, 0);
  c.groups[1].pattern.stiffness = -5;
  c.groups[1].is_changed = true;
  cr_expect_not(controls_apply(&c, &st.scene, error, sizeof error));
  cr_expect_eq((double)c.groups[1].pattern.stiffness, 100);
  controls_close(&c);
  stage_free(&st);
}

Test(controls, retune_every_spring_of_a_group_and_no_other) {
  stage st;
  controls c;
  make_cloth(&st, down);
  cr_assert(controls_open(&c, &st.scene));
  c.groups[0].pattern.stiffness = 250;
  c.groups[0].is_changed = true;
  cr_assert(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
  for (int32_t i = 0; i < msd_world_get_spring_count(st.scene.world); i++) {
    bool is_stretch =
        i >= c.groups[0].springs.first && i < c.groups[0].springs.first + c.groups[0].springs.count;
    msd_spring_def def = msd_spring_get_def(st.scene.world, i);
    cr_assert_eq((double)def.stiffness, is_stretch ? 250 : 100);
    cr_assert((double)def.rest_length > 0.09, "rest lengths stay");
  }
  controls_close(&c);
  stage_free(&st);
}

Test(controls, report_the_stability_of_the_substep_taken) {
  stage st;
  controls c;
  make_cloth(&st, down);
  st.scene.substeps = 10;
  cr_assert(controls_open(&c, &st.scene));
  controls_sample(&c, &st.scene, 0);
  msd_stability expected;
  cr_assert(msd_world_analyze_stability(st.scene.world, (msd_real)(1.0 / 600), &expected) == MSD_OK);
  cr_assert(c.has_stability);
  cr_expect_float_eq(c.stability.radius, expected.radius, 1e-4 * expected.radius);
  cr_expect_eq(c.substeps_taken, 10);
  st.scene.substeps = 0;
  c.wants_stability = true;
  controls_sample(&c, &st.scene, 0);
  cr_expect(c.has_stability && c.substeps_taken >= 1 && c.stability.radius < 4,
            "automatic substeps are certified");
  controls_close(&c);
  stage_free(&st);
}

/* 0.3 kg thrown at 2 m/s have 0.6 J, which becomes potential energy as they rise. */
Test(controls, keep_a_history_of_energies) {
  stage st;
  controls c;
  make_cloth(&st, down);
  cr_assert(controls_open(&c, &st.scene));
  for (int32_t i = 0; i < st.body.particles.count; i++)
    msd_particle_set_velocity(st.scene.world, i, (msd_vec3){0, 2, 0});
  controls_sample(&c, &st.scene, 0.004);
  cr_expect_eq(c.samples, 1);
  cr_expect_float_eq((double)c.kinetic[c.newest], 0.6, 1e-5);
  cr_expect_float_eq((double)c.potential[c.newest], 0, 1e-9);
  cr_expect_float_eq((double)c.step_time[c.newest], 4, 1e-6);
  cr_assert(msd_world_step(st.scene.world, (msd_real)0.1, 1000) == MSD_OK);
  controls_sample(&c, &st.scene, 0.004);
  double rise = 0.2 - 9.81 * 0.1 * 0.1 / 2;
  cr_expect_float_eq((double)c.potential[c.newest], 0.3 * 9.81 * rise, 2e-3);
  cr_expect_float_eq((double)c.total[c.newest], 0.6, 2e-3);
  for (int i = 0; i < 2 * CONTROL_HISTORY; i++)
    controls_sample(&c, &st.scene, 0);
  cr_expect(c.samples == CONTROL_HISTORY && c.newest >= 0 && c.newest < CONTROL_HISTORY);
  controls_close(&c);
  stage_free(&st);
}

/* A sheet that falls stretches and turns. */
Test(controls, tell_what_the_steps_have_made_and_where) {
  stage st;
  controls c;
  make_cloth(&st, down);
  cr_assert(controls_open(&c, &st.scene));
  controls_sample(&c, &st.scene, 0);
  cr_expect_str_empty(c.made_most, "nobody measures it");
  c.energy = MSD_ENERGY_MONITOR;
  c.settings_changed = true;
  cr_assert(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
  cr_expect_eq(msd_world_get_energy_mode(st.scene.world), MSD_ENERGY_MONITOR);
  for (int frame = 0; frame < 8; frame++) {
    cr_assert(msd_world_step(st.scene.world, (msd_real)0.1, 64) == MSD_OK);
    controls_sample(&c, &st.scene, 0);
  }
  const double made = msd_world_get_energy_account(st.scene.world).gain;
  cr_expect_eq(c.made[c.newest], (float)made);
  cr_expect(strstr(c.made_most, "spring") != NULL, "%s", c.made_most);
  c.integrator = MSD_RK4;
  c.settings_changed = true;
  cr_expect_not(controls_apply(&c, &st.scene, error, sizeof error), "rk4 takes no other energy than plain");
  c.integrator = MSD_RK4;
  c.energy = MSD_ENERGY_OFF;
  c.settings_changed = true;
  cr_expect(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
  controls_close(&c);
  stage_free(&st);
}

/* Gives a number of a group a value, and returns which share of the limit the network then uses. */
static double radius_with(controls *c, stage *st, int group, int number, double value) {
  msd_spring_def *def = &c->groups[group].pattern;
  msd_real *numbers[2] = {def->law == MSD_SPRING_COEFFICIENT ? &def->ck
                          : def->law == MSD_SPRING_FREQUENCY ? &def->frequency
                                                             : &def->stiffness,
                          def->law == MSD_SPRING_COEFFICIENT ? &def->cd
                          : def->law == MSD_SPRING_FREQUENCY ? &def->damping_ratio
                                                             : &def->damping};
  msd_real before = *numbers[number];
  *numbers[number] = (msd_real)value;
  c->groups[group].is_changed = true;
  cr_assert(controls_apply(c, &st->scene, error, sizeof error), "%s", error);
  msd_stability report;
  cr_assert(msd_world_analyze_stability(st->scene.world, (msd_real)c->stability.substep, &report) == MSD_OK);
  *numbers[number] = before;
  c->groups[group].is_changed = true;
  cr_assert(controls_apply(c, &st->scene, error, sizeof error), "%s", error);
  return report.radius;
}

/* Just below the limit the network is certified, a tenth above it no longer. */
Test(controls, a_limit_is_where_the_certificate_ends) {
  static const msd_spring_law laws[] = {MSD_SPRING_STIFFNESS, MSD_SPRING_COEFFICIENT, MSD_SPRING_FREQUENCY};
  for (int n = 0; n < 3; n++) {
    stage st;
    controls c;
    make_cloth(&st, down);
    st.scene.substeps = 60;
    cr_assert(controls_open(&c, &st.scene));
    for (int g = 0; g < c.group_count && n > 0; g++) {
      c.groups[g].pattern.law = laws[n];
      c.groups[g].pattern.ck = c.groups[g].pattern.cd = (msd_real)0.02;
      c.groups[g].pattern.frequency = 40;
      c.groups[g].pattern.damping_ratio = (msd_real)0.125;
      c.groups[g].is_changed = true;
    }
    cr_assert(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
    controls_sample(&c, &st.scene, 0);
    cr_assert(c.has_stability && c.stability.radius < 4);
    for (int g = 0; g < c.group_count; g++)
      for (int number = 0; number < 2; number++) {
        double limit = c.groups[g].limit[number];
        cr_assert(limit > 0 && isfinite(limit));
        double below = radius_with(&c, &st, g, number, 0.999 * limit);
        double above = radius_with(&c, &st, g, number, 1.1 * limit);
        cr_expect(below < 4 && above >= 4,
                  "law %d, group %d, number %d, limit %g: radius %g below and %g above", (int)laws[n], g,
                  number, limit, below, above);
      }
    controls_close(&c);
    stage_free(&st);
  }
}

Test(controls, limits_agree_with_the_report) {
  stage st;
  controls c;
  make_cloth(&st, down);
  st.scene.substeps = 1;
  cr_assert(controls_open(&c, &st.scene));
  c.groups[0].pattern.stiffness = (msd_real)1e7;
  c.groups[0].is_changed = true;
  cr_assert(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
  controls_sample(&c, &st.scene, 0);
  cr_assert(c.has_stability && c.stability.radius >= 4);
  for (int g = 0; g < c.group_count; g++)
    cr_expect(c.groups[g].limit[0] <= (double)c.groups[g].pattern.stiffness);
  c.limit = true;
  c.settings_changed = true;
  cr_assert(controls_apply(&c, &st.scene, error, sizeof error), "%s", error);
  controls_sample(&c, &st.scene, 0);
  cr_expect(isinf(c.groups[0].limit[0]), "softened springs have none");
  controls_close(&c);
  stage_free(&st);
}

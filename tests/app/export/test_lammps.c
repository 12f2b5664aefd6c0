/* msd run --export --format lammps. That LAMMPS goes through the same places is tested by
   tests/app/export/readers.py; here is what it is told, and what is refused. */
#include "tests/support/command.h"

TestSuite(lammps, .init = command_setup, .fini = command_teardown);

/* Two particles and a spring between them, of these properties; and other keys of the scene. */
static command_result export_pair(const char *spring, const char *more) {
  const char *scene = format_text("{\"msd\": 1, \"frame_time\": 0.0625, \"substeps\": 8, \"duration\": 1, %s "
                                  "\"bodies\": [{\"type\": \"particles\", "
                                  "\"name\": \"p\", \"position\": [[0, 0, 0], [2, 0, 0]], \"mass\": [1, 3], "
                                  "\"pinned\": [0], \"springs\": "
                                  "[{\"between\": [0, 1]%s%s}]}]}",
                                  more, *spring != '\0' ? ", " : "", spring);
  write_file("pair.json", scene, strlen(scene));
  return msd("run pair.json --duration 0.5 --export out --format lammps");
}

Test(lammps, has_half_the_stiffness_the_mass_and_the_pin) {
  const command_result result = export_pair("\"stiffness\": 200, \"rest_length\": 1.5", "");
  cr_assert_eq(result.status, 0, "%s", result.err);
  const char *data = read_text("out/pair.data");
  cr_expect_not_null(strstr(data, "\n1 100 1.5\n"));
  cr_expect_not_null(strstr(data, "\n1 1 0 0 0 2 0 1\n2 1 2 0 0 1 0 3\n"));
  cr_expect_not_null(strstr(data, "\nBonds\n\n1 1 1 2\n"));
  const char *script = read_text("out/pair.in");
  cr_expect_not_null(strstr(script, "frames index 8\nvariable steps equal 8\n"));
  cr_expect_not_null(strstr(script, "timestep 0.0078125\n"));
  cr_expect_not_null(strstr(script, "bond_style harmonic\n"));
  cr_expect_not_null(strstr(script, "variable shifted_x"));
  cr_expect_eq(msd("run pair.json --integrator velocity_verlet --export out --format lammps").status, 0);
  cr_expect_null(strstr(read_text("out/pair.in"), "variable shifted_x"));
}

Test(lammps, damped_springs_that_begin_at_rest_are_bonded_particles) {
  const command_result result = export_pair("\"stiffness\": 200, \"damping\": 0.5", "");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(read_text("out/pair.in"), "bond_style bpm/spring smooth no break no"));
  cr_expect_not_null(strstr(read_text("out/pair.data"), "\n1 200 1 0.5\n"));
}

/* Steps are those of the frames that are left out, too. */
Test(lammps, frames_that_are_left_out_are_stepped_through) {
  export_pair("\"stiffness\": 200", "");
  cr_assert_eq(msd("run pair.json --duration 0.5 --every 4 --export out --format lammps").status, 0);
  const char *script = read_text("out/pair.in");
  cr_expect_not_null(strstr(script, "frames index 2\nvariable steps equal 32\n"));
  cr_expect_not_null(strstr(script, "timestep 0.0078125\n"));
}

Test(lammps, what_it_has_not_is_refused_before_anything_is_written) {
  static const struct {
    const char *spring, *more, *mentions;
  } cases[] = {
      {"\"stiffness\": 9, \"damping\": 1, \"rest_length\": 1.5", "", "damped springs"},
      {"\"ck\": 0.1", "", "coefficients"},
      {"\"stiffness\": 9, \"mode\": \"tension_only\"", "", "only pull"},
      {"\"stiffness\": 9, \"tear_strain\": 1", "", "tear"},
      {"\"stiffness\": 9", "\"linear_damping\": 0.1,", "linear damping"},
      {"\"stiffness\": 9", "\"integrator\": \"rk4\",", "rk4"},
      {"\"stiffness\": 9", "\"clamp_stiffness\": true,", "--clamp-stiffness"},
      {"\"stiffness\": 9", "\"energy_mode\": \"bounded\",", "--energy-mode off"},
      {"\"stiffness\": 9", "\"colliders\": [{\"type\": \"plane\", \"position\": [0, -9, 0]}],", "contact"},
      {"\"stiffness\": 9", "\"animation\": [{\"release\": [\"p\", 0], \"time\": 0.5}],", "animation"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const command_result result = export_pair(cases[n].spring, cases[n].more);
    cr_expect_eq(result.status, 2, "case %zu: %s", n, result.err);
    cr_expect_not_null(strstr(result.err, cases[n].mentions), "no '%s' in: %s", cases[n].mentions,
                       result.err);
    cr_expect_not_null(strstr(result.err, "LAMMPS has no"), "%s", result.err);
    cr_expect_not(exists("out/pair.data"));
  }
  const command_result named = msd("run ball.json --export out --format lammps");
  cr_expect_not_null(strstr(named.err, "without springs"), "%s", named.err);
}

/* In which order connected springs tear, at which moment, and by which energy. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

#include "engine/world/world.h"

static const int RATES[] = {24, 60, 240, 2000};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES };

static msd_damage_def tearing_at(double strain) {
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)strain;
  return def;
}

/* -------------------------------------------------------------------------------------------- elastic bands */

enum { PIECES = 40 };
static const double LENGTH = 0.2, BAND_MASS = 0.002, BAND_EA = 10;

/* A band along y from a pin, as an elastic band: without tension it pushes nothing. Its last particle is
   pinned, too. */
static void add_band(msd_world *world, int32_t pin, double y, bool reversed) {
  const double h = LENGTH / PIECES;
  const int32_t first = msd_world_get_particle_count(world);
  for (int i = 1; i <= PIECES; i++)
    add_particle(world, BAND_MASS / PIECES, i * h, y, 0);
  ok(world, msd_particle_pin(world, first + PIECES - 1));
  for (int n = 0; n < PIECES; n++) {
    const int i = reversed ? PIECES - 1 - n : n;
    msd_spring_def def = physical(BAND_EA / h, 0.02);
    def.mode = MSD_SPRING_TENSION_ONLY;
    add_spring(world, def, i == 0 ? pin : first + i - 1, first + i, h);
  }
}

/* Drag keeps the ends from turning round at the pins and tearing what is left. */
static msd_world *new_band(bool reversed, double drag) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_linear_damping(world, (msd_real)drag));
  add_band(world, add_pin(world, 0, 0, 0), 0, reversed);
  const msd_damage_def def = tearing_at(1);
  ok(world, msd_springs_set_damage(world, (msd_range){0, PIECES}, &def));
  return world;
}

/* Leads the end of a band by 0.1 m/s for a frame. */
static void draw(msd_world *world, int32_t end, double frame_time) {
  msd_vec3 at = msd_particle_get_position(world, end);
  at.x += (msd_real)(0.1 * frame_time);
  ok(world, msd_particle_move_to(world, end, at));
  ok(world, msd_world_step(world, (msd_real)frame_time, 0));
}

static double fastest(const msd_world *world) {
  double most = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    most = largest(most, fabs((double)msd_particle_get_velocity(world, i).x));
  return most;
}

static msd_world *drawn_band(double stretch, double drag) {
  msd_world *world = new_band(false, drag);
  for (int i = 1; i <= PIECES; i++)
    ok(world,
       msd_particle_set_position(world, i, (msd_vec3){(msd_real)(stretch * LENGTH * i / PIECES), 0, 0}));
  return world;
}

/* The whole band has the same strain. */
Test(tearing, a_band_breaks_once_at_any_frame_rate) {
  for (int k = 0; k < RATE_COUNT; k++) {
    msd_world *world = drawn_band(1.99, 100);
    const double frame_time = 1.0 / RATES[k];
    double length = 0;
    while (msd_world_get_stats(world).torn == 0 && length < 2.1 * LENGTH) {
      draw(world, PIECES, frame_time);
      length = (double)msd_particle_get_position(world, PIECES).x;
    }
    cr_expect_float_eq(length, 2 * LENGTH, 0.1 * frame_time + 0.002 * LENGTH, "%g m at %d frames/s", length,
                       RATES[k]);
    for (double time = 0; time < 0.1; time += frame_time)
      draw(world, PIECES, frame_time);
    cr_expect_eq(msd_world_get_stats(world).torn, 1, "%d at %d frames/s", msd_world_get_stats(world).torn,
                 RATES[k]);
    msd_destroy_world(world);
  }
}

/* At the strain times the speed of sound. */
Test(tearing, the_ends_of_a_band_fly_as_theory_says) {
  const double speed = 1 * sqrt(BAND_EA / (BAND_MASS / LENGTH));
  msd_world *world = drawn_band(2.001, 0);
  double most = 0;
  for (int n = 0; n < 8; n++) {
    ok(world, msd_world_step(world, (msd_real)0.00025, 0));
    most = largest(most, fastest(world));
  }
  cr_expect_eq(msd_world_get_stats(world).torn, 1);
  cr_expect_float_eq(most, speed, 0.08 * speed, "%g m/s, not %g", most, speed);
  msd_destroy_world(world);
}

/* Pins hold waves up. */
Test(tearing, bands_at_one_pin_break_each_for_itself) {
  enum { BANDS = 3 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const int32_t pin = add_pin(world, 0, 0, 0);
  for (int n = 0; n < BANDS; n++)
    add_band(world, pin, 0, false);
  const msd_damage_def def = tearing_at(1);
  ok(world, msd_springs_set_damage(world, (msd_range){0, BANDS * PIECES}, &def));
  for (int32_t i = 1; i <= BANDS * PIECES; i++) {
    const double x = 2.001 * LENGTH * ((i - 1) % PIECES + 1) / PIECES;
    ok(world, msd_particle_set_position(world, i, (msd_vec3){(msd_real)x, 0, 0}));
  }
  for (int n = 0; n < 60; n++)
    ok(world, msd_world_step(world, (msd_real)(1.0 / 240), 0));
  for (int n = 0; n < BANDS; n++) {
    int torn = 0;
    for (int32_t e = n * PIECES; e < (n + 1) * PIECES; e++)
      torn += msd_spring_is_torn(world, e);
    cr_expect_eq(torn, 1, "band %d: %d", n, torn);
  }
  msd_destroy_world(world);
}

/* Wherever it is in the list of springs. */
Test(tearing, the_largest_overload_of_a_body_breaks_first) {
  for (int weakest = 3; weakest < PIECES; weakest += 12)
    for (int reversed = 0; reversed < 2; reversed++) {
      msd_world *world = new_band(reversed, 100);
      const int32_t spring = reversed ? PIECES - 1 - weakest : weakest;
      for (int i = 1; i <= PIECES; i++)
        ok(world,
           msd_particle_set_position(world, i, (msd_vec3){(msd_real)(2.01 * LENGTH * i / PIECES), 0, 0}));
      const msd_damage_def def = tearing_at(0.98);
      ok(world, msd_springs_set_damage(world, (msd_range){spring, 1}, &def));
      for (int n = 0; n < 20; n++)
        ok(world, msd_world_step(world, (msd_real)0.01, 0));
      cr_expect(msd_spring_is_torn(world, spring));
      cr_expect_eq(msd_world_get_stats(world).torn, 1);
      msd_destroy_world(world);
    }
}

/* While the band is being unloaded what has to wait is part of the state. */
Test(tearing, a_snapshot_knows_what_waits) {
  msd_world *world = new_band(false, 300), *other = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 1; i <= PIECES; i++)
    ok(world, msd_particle_set_position(world, i, (msd_vec3){(msd_real)(2.001 * LENGTH * i / PIECES), 0, 0}));
  ok(world, msd_world_step(world, (msd_real)0.0005, 0));
  cr_assert_eq(msd_world_get_stats(world).torn, 1);
  snapshot s = snapshot_of(world);
  ok(other, msd_world_restore(other, s.data, s.size));
  for (int n = 0; n < 200; n++) {
    ok(world, msd_world_step(world, (msd_real)0.0005, 0));
    ok(other, msd_world_step(other, (msd_real)0.0005, 0));
    cr_assert_eq(msd_world_hash(world), msd_world_hash(other), "frame %d", n);
  }
  cr_expect_eq(msd_world_get_stats(other).torn, 1);
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* ------------------------------------------------------------------------------------------------- moments */

/* A weight on a spring is let go where it is at rest: its largest strain is twice that under its weight, for a
   moment. */
Test(tearing, the_largest_load_tears_at_any_frame_rate) {
  const double k = 1000, most = 2 * 10 / k; /* 1 kg, 10 m/s^2, 1 m */
  for (int r = 0; r < RATE_COUNT; r++)
    for (int tears = 0; tears < 2; tears++) {
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      ok(world, msd_world_set_gravity(world, (msd_vec3){10, 0, 0}));
      add_pin(world, 0, 0, 0);
      add_particle(world, 1, 1, 0, 0);
      add_spring(world, physical(k, 0), 0, 1, 1);
      const msd_damage_def def = tearing_at(most * (tears ? 0.98 : 1.02));
      ok(world, msd_springs_set_damage(world, (msd_range){0, 1}, &def));
      for (int n = 0; n < RATES[r] / 2; n++)
        ok(world, msd_world_step(world, (msd_real)(1.0 / RATES[r]), RATES[r] < 2000 ? 4800 / RATES[r] : 3));
      cr_expect_eq(msd_spring_is_torn(world, 0), tears, "%d frames/s", RATES[r]);
      msd_destroy_world(world);
    }
}

/* -------------------------------------------------------------------------------------------------- energy */

Test(tearing, a_spring_tears_at_its_energy) {
  for (int above = 0; above < 2; above++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    add_pin(world, 0, 0, 0);
    add_pin(world, 1, 0, 0);
    add_particle(world, 1, 9, 9, 9); /* else nothing moves, and no force is felt */
    ok(world, msd_particle_unpin(world, 1));
    ok(world, msd_particle_set_mass(world, 1, (msd_real)1e9));
    add_spring(world, physical(100, 0), 0, 1, 1);
    msd_damage_def def = msd_default_damage_def();
    def.tear_energy = 2; /* k e^2/2: at e = 0.2 m */
    ok(world, msd_springs_set_damage(world, (msd_range){0, 1}, &def));
    cr_expect_eq((double)msd_spring_get_damage(world, 0).tear_energy, 2);
    ok(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)(above ? 1.201 : 1.199), 0, 0}));
    step(world, 0.001, 4);
    cr_expect_eq(msd_spring_is_torn(world, 0), above);
    msd_destroy_world(world);
  }
}

static const double WIDTH = 0.2, MODULUS = 1000, WAVE = 70;

/* A spring of a sheet that stands for `width` of a cut. Damping lets vibrations die, whatever the cells. */
static void add_member(msd_world *world, int32_t a, int32_t b, double k, double length, double width,
                       double cell, bool by_energy) {
  msd_damage_def def = tearing_at(by_energy ? 0 : 0.09);
  def.tear_energy = (msd_real)(by_energy ? 0.01 * width : 0);
  const int32_t spring = add_spring(world, physical(k, 0.1 * k * cell / WAVE), a, b, length);
  ok(world, msd_springs_set_damage(world, (msd_range){spring, 1}, &def));
}

/* A sheet of squares, twice as long as wide, with a notch of a quarter of the width from the left. */
static msd_world *notched_sheet(int number, bool by_energy) {
  const int columns = number + 1, rows = 2 * number + 1, cut = number / 4 + 1;
  const double h = WIDTH / number, shear = MODULUS / 4;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_linear_damping(world, 20));
  for (int n = 0; n < columns * rows; n++) {
    const int c = n % columns, r = n / columns;
    add_particle(world, 0.2 * h * h * (c == 0 || c == number ? 0.5 : 1), c * h, r * h, 0);
    if (r == 0 || r == rows - 1)
      ok(world, msd_particle_pin(world, n));
  }
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      const int32_t i = r * columns + c;
      const bool is_cut = r == rows / 2 && c < cut;
      const double along = c == 0 || c == number ? 0.5 : 1, across = r == 0 || r == rows - 1 ? 0.5 : 1;
      if (c < number)
        add_member(world, i, i + 1, MODULUS * across, h, h * across, h, by_energy);
      if (r + 1 < rows && !is_cut)
        add_member(world, i, i + columns, MODULUS * along, h, h * along, h, by_energy);
      if (r + 1 < rows && c < number && !is_cut) {
        add_member(world, i, i + columns + 1, shear, h * sqrt(2), h / sqrt(2), h, by_energy);
        add_member(world, i + 1, i + columns, shear, h * sqrt(2), h / sqrt(2), h, by_energy);
      }
    }
  return world;
}

/* The strain at which the stored energy is largest, times the square root of the length of the notch and the
   factor of a strip with a notch on one side (Tada, Paris and Irwin). The notch ends between two columns. */
static double toughness_of(int number, bool by_energy) {
  const int columns = number + 1, rows = 2 * number + 1;
  msd_world *world = notched_sheet(number, by_energy);
  double strain = 0, most = 0, at = 0, energy = 0;
  while (energy >= most / 2 && strain < 0.1) {
    strain += 0.1 / 240;
    for (int32_t c = 0; c < columns; c++) {
      msd_vec3 to = msd_particle_get_position(world, (rows - 1) * columns + c);
      to.y = (msd_real)(2 * WIDTH * (1 + strain));
      ok(world, msd_particle_move_to(world, (rows - 1) * columns + c, to));
    }
    ok(world, msd_world_step(world, (msd_real)(1.0 / 240), 0));
    energy = msd_world_get_stats(world).elastic_energy;
    at = energy > most ? strain : at;
    most = largest(most, energy);
  }
  cr_expect_gt(msd_world_get_stats(world).torn, number / 2);
  msd_destroy_world(world);
  const double x = (number / 4 + 0.5) / number;
  return at * sqrt(x) * (1.12 - 0.231 * x + 10.55 * x * x - 21.72 * x * x * x + 30.39 * x * x * x * x);
}

/* What tears by energy per length has a toughness of the material. What tears by strain has one of the mesh: it
   falls with the root of the size of a cell. */
Test(tearing, a_notched_sheet_is_as_tough_in_any_cells_by_energy) {
  const double coarse = toughness_of(8, true), middle = toughness_of(16, true),
               finest = toughness_of(32, true);
  cr_expect_float_eq(coarse / finest, 1, 0.1, "%g, %g, %g", coarse, middle, finest);
  cr_expect_float_eq(middle / finest, 1, 0.1, "%g, %g, %g", coarse, middle, finest);
  cr_expect_gt(toughness_of(8, false) / toughness_of(32, false), 1.7);
}

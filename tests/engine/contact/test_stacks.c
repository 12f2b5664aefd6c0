/* What lies on each other on a slope: friction that remembers what sticks keeps it there. */
#include "tests/support/slopes.h"

static const double FRAME = 1.0 / 60, FRICTION = 0.5;

/* s: so long a stack settles before it is watched for a second. */
enum { SETTLES = 3, SHEETS = 3, SIDE = 5, SHEET = SIDE * SIDE };

/* A slope, how sheets on it are turned against those that they lie on, and the substeps of a frame. */
typedef struct stacking {
  double angle, turn;
  int substeps;
} stacking;

/* Sheets of 20 cm on each other. */
static touching stack_of(stacking s) {
  touching t = new_slope(s.angle, FRICTION);
  for (int n = 0; n < SHEETS; n++) {
    const double turned = s.turn * (n + 0.25), c = 0.2 * cos(turned), d = 0.2 * sin(turned);
    touching_sheet(&t, SIDE, SIDE,
                   on_slope(s.angle, 0.003 * n - (c - d) / 2, 0.0052 * (n + 1), 0.002 * n - (c + d) / 2),
                   on_slope(s.angle, c, 0, d), on_slope(s.angle, -d, 0, c), true);
  }
  return t;
}

/* m: where the middle of the highest sheet is, downhill. */
static double place_of(const touching *t, double angle) {
  const int32_t middle = msd_world_get_particle_count(t->world) - 1 - SHEET / 2;
  const msd_vec3 x = msd_particle_get_position(t->world, middle);
  return (double)x.x * cos(angle) - (double)x.y * sin(angle);
}

static void take_seconds(touching *t, stacking s, int seconds) {
  for (int frame = 0; frame < 60 * seconds; frame++)
    step(t->world, FRAME, s.substeps);
}

/* m/s */
static double creep_of(stacking s) {
  touching t = stack_of(s);
  take_seconds(&t, s, SETTLES);
  const double before = place_of(&t, s.angle);
  take_seconds(&t, s, 1);
  const double way = fabs(place_of(&t, s.angle) - before);
  cr_expect_eq(touching_intersections(&t), 0);
  contact_step_free(&t);
  return way;
}

/* The same where all is one step. */
static double place_behind(stacking s, int seconds) {
  touching t = stack_of(s);
  step(t.world, seconds, 60 * seconds * s.substeps);
  const double at = place_of(&t, s.angle);
  contact_step_free(&t);
  return at;
}

static double degrees_of(double angle) {
  return angle * PI / 180;
}

/* Each shares its forces among those that it lies on. Without memory of what sticks they crept by 6 to
   40 mm/s. */
Test(stacks, sheets_on_each_other_on_a_slope_hardly_creep) {
  const double most = atan(FRICTION);
  cr_expect_lt(creep_of((stacking){degrees_of(10), 0.4, 80}), 1e-6);
  cr_expect_lt(creep_of((stacking){0.7 * most, 0.4, 80}), 1e-4);
  cr_expect_lt(creep_of((stacking){0.9 * most, 0.4, 80}), 1e-4);
}

/* Edges that are all but parallel have closest points here and there. */
Test(stacks, nor_do_sheets_whose_edges_lie_along_each_other) {
  cr_expect_lt(creep_of((stacking){degrees_of(10), 0, 10}), 1e-6);
}

/* How many ways are cut short in a second of a pile of so many sheets that lies. */
static int64_t cut_of(int sheets, int substeps) {
  touching t = new_slope(0, FRICTION);
  for (int n = 0; n < sheets; n++)
    touching_sheet(&t, SIDE, SIDE, vector(0.003 * n, 0.0052 * (n + 1), 0.002 * n), vector(0.2, 0, 0),
                   vector(0, 0, 0.2), true);
  const stacking s = {.substeps = substeps};
  take_seconds(&t, s, SETTLES);
  const int64_t before = msd_world_get_stats(t.world).clipped_moves;
  take_seconds(&t, s, 1);
  const int64_t cut = msd_world_get_stats(t.world).clipped_moves - before;
  contact_step_free(&t);
  return cut;
}

/* Where each particle shares its mass among pairs above and below alike, the m of all pairs between two sheets
   sum to a quarter of the mass of one. In a substep they give at most 5 cm/s of that, which carries n sheets as
   long as n g dt is no more than a quarter of 5 cm/s. Else cells carry what is left. */
Test(stacks, forces_carry_as_many_sheets_as_can_be_said_beforehand) {
  for (int sheets = 2; sheets <= 6; sheets += 2) {
    const double bound = 4 * sheets * 9.81 * FRAME / 0.05;
    cr_expect_eq(cut_of(sheets, (int)ceil(1.1 * bound)), 0, "%d sheets", sheets);
    cr_expect_gt(cut_of(sheets, (int)ceil(bound / 4)), 0, "%d sheets", sheets);
  }
}

/* Near pairs are chosen many times within a step, in which sheets tremble by a micrometer. */
Test(stacks, nor_does_what_is_taken_in_one_step) {
  enum { SECONDS = 3 };
  const stacking s = {degrees_of(10), 0, 10};
  cr_expect_lt(fabs(place_behind(s, SETTLES + SECONDS) - place_behind(s, SETTLES)), SECONDS * 1e-6);
}

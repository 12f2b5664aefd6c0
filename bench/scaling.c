/* scaling [mesh] [N [SECONDS [SUBSTEPS [all]]]]: the frame time of stiff cloth with each solver, its stretch
   and its fall; SUBSTEPS runs only the rows with that number of substeps. scaling costs [N...]: the cost of a
   substep for each spring and particle. Both print comma-separated values.

   The sheet is that of sheet.h with N x N particles (N is 100 by default) for SECONDS (5 by default). Its
   springs are

       stiff     k = c^2 m/h^2 max(1, 0.3 m/r), r the distance of the spring's middle from the nearest pin,
                 c^2 = 125 m^2/s^2, mu = 1e-4 s k, bend springs a tenth of it; with the explicit solver in
                 automatic substeps, and with selective mass scaling in 18
       held      the same with selective mass scaling and tethers to both pins, which are springs of 25 Hz and
                 half of critical damping
       taut      as held, with tethers of 35 Hz
       firm      four times as stiff as held
       tethered  ck = 0.24 and cd = 0.03, as in quality.c, with springs as tethers to both pins
       rigid     MSD_MAX_STABLE with Gauss-Seidel, and hard length limits as tethers to both pins

   `stiff` with the explicit solver and `rigid` in 40 substeps are run up to N = 200, and for more than a second
   up to N = 100. `tethered` in 160 and 320 substeps is run only if SUBSTEPS selects it.

   Each row runs on one thread and then, for the minimum of 30 frames only, on all threads. With `all` it runs
   on all threads, and for the minimum of 6 frames only on one. All runs give the same state.

   Costs are the minimum of 60 frames on one thread. Four worlds without tethers alternate: the springs of
   `tethered` with the explicit solver; `stiff` with selective mass scaling, as the additional cost for each
   particle; the same without pins on a ball, as the additional cost over that; and `rigid`. */
#include "bench/machine.h"
#include "bench/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest N of the slowest rows, also for more than a second: `stiff` with the explicit solver, and `rigid`
   in SWEEPS substeps or more. The most substeps of `tethered` without SUBSTEPS. The frames of a run for its
   minimum only, on all threads and on one. */
enum {
  COSTLY_MAX = 200,
  COSTLY_LONG_MAX = 100,
  SWEEPS = 40,
  TETHERED_MAX = 80,
  FRAMES_ENOUGH = 30,
  FRAMES_OF_ONE = 6
};
static const double SPEED_SQUARED = 125, DAMPING_TIME = 1e-4, STIFFER_WITHIN = 0.3, BEND_SHARE = 0.1,
                    FIRMER = 4;
/* Tethers with selective mass scaling: Hz, and damping ratio. */
static const double TETHER_FREQUENCY = 25, TAUT_FREQUENCY = 35, TETHER_DAMPING = 0.5;

typedef enum sheet_kind {
  STIFF,
  STIFF_SCALED,
  HELD_SCALED,
  TAUT_SCALED,
  FIRM_SCALED,
  TETHERED,
  RIGID
} sheet_kind;

typedef struct setting {
  sheet_kind kind;
  /* 0: automatic. */
  int substeps;
} setting;

static const setting settings[] = {
    {STIFF, 0},        {STIFF_SCALED, 18}, {HELD_SCALED, 10}, {HELD_SCALED, 12}, {HELD_SCALED, 13},
    {HELD_SCALED, 14}, {TAUT_SCALED, 11},  {HELD_SCALED, 18}, {HELD_SCALED, 28}, {FIRM_SCALED, 14},
    {FIRM_SCALED, 28}, {FIRM_SCALED, 40},  {TETHERED, 20},    {TETHERED, 40},    {TETHERED, 80},
    {TETHERED, 160},   {TETHERED, 320},    {RIGID, 5},        {RIGID, 10},       {RIGID, 20},
    {RIGID, 40}};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Springs near the pins are stiffer, because they carry the whole weight. */
static msd_result stiffen(const sheet *s, msd_range springs, double share) {
  const msd_vec3 pins[2] = {msd_particle_get_position(s->world, 0),
                            msd_particle_get_position(s->world, s->n - 1)};
  msd_result result = MSD_OK;
  for (int32_t e = springs.first; e < springs.first + springs.count && result == MSD_OK; e++) {
    msd_spring_def def = msd_spring_get_def(s->world, e);
    const msd_vec3 a = msd_particle_get_position(s->world, def.a),
                   b = msd_particle_get_position(s->world, def.b);
    const msd_vec3 middle = {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
    const double near = fmin(sheet_apart(middle, pins[0]), sheet_apart(middle, pins[1]));
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = (msd_real)(share * SPEED_SQUARED * fmax(1, STIFFER_WITHIN / near));
    def.damping = (msd_real)(DAMPING_TIME * (double)def.stiffness);
    result = msd_spring_set_law(s->world, e, &def);
  }
  return result;
}

/* With spacing 1/n and masses 1/n^2, c^2 m/h^2 is c^2. */
static msd_result stiffen_all(const sheet *s, double share) {
  msd_result result = stiffen(s, s->body.stretch, share);
  if (result == MSD_OK)
    result = stiffen(s, s->body.shear, share);
  return result == MSD_OK ? stiffen(s, s->body.bend, share * BEND_SHARE) : result;
}

static bool has_scaled_masses(sheet_kind kind) {
  return kind == STIFF_SCALED || kind == HELD_SCALED || kind == TAUT_SCALED || kind == FIRM_SCALED;
}

static msd_result tether(const sheet *s, sheet_kind kind) {
  msd_tethers_def def = msd_default_tethers_def();
  if (kind == RIGID) {
    def.spring.law = MSD_SPRING_HARD_LIMIT;
    def.spring.ck = 1;
  } else if (has_scaled_masses(kind)) {
    def.spring.law = MSD_SPRING_FREQUENCY;
    def.spring.frequency = (msd_real)(kind == TAUT_SCALED ? TAUT_FREQUENCY : TETHER_FREQUENCY);
    def.spring.damping_ratio = (msd_real)TETHER_DAMPING;
  }
  def.particles = s->body.particles;
  return msd_add_tethers(s->world, &def, NULL);
}

static msd_result add_sheet(sheet *s, sheet_kind kind, bool has_tethers) {
  msd_spring_def spring = msd_default_cloth_def().stretch;
  spring.law = MSD_SPRING_COEFFICIENT;
  if (kind == TETHERED) {
    spring.ck = (msd_real)0.24;
    spring.cd = (msd_real)0.03;
  }
  msd_result result = sheet_add(s, spring);
  if (result != MSD_OK)
    return result;
  if (kind == STIFF || has_scaled_masses(kind))
    result = stiffen_all(s, kind == FIRM_SCALED ? FIRMER : 1);
  return result != MSD_OK || !has_tethers ? result : tether(s, kind);
}

/* Creates a world with s->n x s->n particles. */
static msd_result open_sheet(sheet *s, sheet_kind kind, int threads, bool has_tethers) {
  msd_world_def def = sheet_world_def();
  def.thread_count = threads;
  def.mass_scaling = has_scaled_masses(kind) ? MSD_MASS_SCALING_SELECTIVE : MSD_MASS_SCALING_NONE;
  def.solver = kind == RIGID ? MSD_SOLVER_GAUSS_SEIDEL : MSD_SOLVER_EXPLICIT;
  const msd_result result = msd_create_world(&def, &s->world);
  return result == MSD_OK ? add_sheet(s, kind, has_tethers) : result;
}

/* *substeps = 0 is replaced by the automatic number. */
static msd_result run_sheet(const sheet *s, int32_t *substeps, int frames, bool looks, sheet_outcome *out) {
  const msd_real frame = (msd_real)1 / SHEET_FRAMES_PER_SECOND;
  *out = sheet_nothing_yet();
  msd_result result = *substeps > 0 ? MSD_OK : msd_world_find_substeps(s->world, frame, substeps);
  for (int f = 1; f <= frames && result == MSD_OK; f++) {
    const double start = machine_clock();
    result = msd_world_step(s->world, frame, *substeps);
    sheet_look(s, f, machine_clock() - start, looks, out);
  }
  sheet_look_last(s, looks, out);
  return result;
}

/* With looks = false only the minimum frame time is measured. */
static bool run_setting(sheet s, const setting *of, int threads, int frames, bool looks, int32_t *substeps,
                        sheet_outcome *out) {
  msd_result result = open_sheet(&s, of->kind, threads, of->kind != STIFF && of->kind != STIFF_SCALED);
  *substeps = of->substeps;
  if (result == MSD_OK)
    result = run_sheet(&s, substeps, frames, looks, out);
  if (result != MSD_OK)
    fprintf(stderr, "scaling: %d substeps: %s\n", of->substeps,
            s.world ? msd_world_message(s.world) : msd_result_string(result));
  msd_destroy_world(s.world);
  return result == MSD_OK;
}

static bool measure(const sheet_arguments *a, const setting *of) {
  static const char *const names[] = {"stiff,none",        "stiff,selective", "held,selective",
                                      "taut,selective",    "firm,selective",  "tethered,none",
                                      "rigid,gauss_seidel"};
  const int all = machine_threads(), enough = a->on_all ? FRAMES_OF_ONE : FRAMES_ENOUGH;
  int32_t substeps;
  sheet_outcome out, other;
  if (!run_setting(a->s, of, a->on_all ? all : 1, a->frames, true, &substeps, &out) ||
      !run_setting(a->s, of, a->on_all ? 1 : all, a->frames < enough ? a->frames : enough, false, &substeps,
                   &other))
    return false;
  sheet_print_row(&a->s, names[of->kind], (int)substeps, (a->on_all ? &other : &out)->frame,
                  (a->on_all ? &out : &other)->frame, &out);
  return true;
}

static int refuse(void) {
  fprintf(
      stderr,
      "usage: scaling [mesh] [N [SECONDS [SUBSTEPS [all]]]] or scaling costs [N...]: particles along "
      "each side "
      "of the sheet, %d to %d [%d], up to 60 s [5], only rows with SUBSTEPS, and all frames on all threads\n",
      SHEET_SIZE_LEAST, SHEET_SIZE_MOST, SHEET_SIZE);
  return 2;
}

static bool is_run(const setting *of, const sheet_arguments *a) {
  if (a->substeps == 0 ? of->kind == TETHERED && of->substeps > TETHERED_MAX : of->substeps != a->substeps)
    return false;
  const bool is_costly = of->kind == STIFF || (of->kind == RIGID && of->substeps >= SWEEPS);
  return !is_costly || a->s.n <= (a->frames > SHEET_FRAMES_PER_SECOND ? COSTLY_LONG_MAX : COSTLY_MAX);
}

static int measure_all(const sheet_arguments *a) {
  sheet_print_columns();
  for (int k = 0; k < SETTINGS; k++)
    if (is_run(&settings[k], a) && !measure(a, &settings[k]))
      return 1;
  return 0;
}

/* -------------------------------------------------------------------------------------------------- costs */

enum { BY_FORCES, BY_MASSES, ON_BALL, BY_SWEEPS, COSTS, COST_SUBSTEPS = 18, COST_FRAMES = 60 };

/* Unpins the sheet and puts it on a ball. */
static msd_result lay_down(const sheet *s) {
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = (msd_vec3){(msd_real)0.5, (msd_real)-0.301, (msd_real)0.5};
  ball.radius = (msd_real)0.3;
  msd_result result = msd_particle_unpin(s->world, 0);
  if (result == MSD_OK)
    result = msd_particle_unpin(s->world, s->n - 1);
  return result == MSD_OK ? msd_add_colliders(s->world, &ball, 1, NULL) : result;
}

static msd_result open_costs(sheet s[COSTS], int32_t n) {
  static const sheet_kind kinds[COSTS] = {TETHERED, STIFF_SCALED, STIFF_SCALED, RIGID};
  msd_result result = MSD_OK;
  for (int k = 0; k < COSTS && result == MSD_OK; k++) {
    s[k].n = n;
    result = open_sheet(&s[k], kinds[k], 1, false);
  }
  return result == MSD_OK ? lay_down(&s[ON_BALL]) : result;
}

static msd_result time_costs(const sheet s[COSTS], double least[COSTS]) {
  msd_result result = MSD_OK;
  for (int k = 0; k < COSTS; k++)
    least[k] = INFINITY;
  for (int f = 0; f < COST_FRAMES; f++)
    for (int k = 0; k < COSTS && result == MSD_OK; k++) {
      const double start = machine_clock();
      result = msd_world_step(s[k].world, (msd_real)1 / SHEET_FRAMES_PER_SECOND, COST_SUBSTEPS);
      least[k] = fmin(least[k], (machine_clock() - start) / COST_SUBSTEPS);
    }
  return result;
}

static bool measure_costs(int32_t n) {
  sheet s[COSTS] = {{.world = NULL}};
  double least[COSTS];
  msd_result result = open_costs(s, n);
  if (result == MSD_OK)
    result = time_costs(s, least);
  if (result == MSD_OK) {
    const double particles = (double)n * n, springs = msd_world_get_spring_count(s[BY_FORCES].world);
    printf("%d,%.3f,%.2f,%.2f,%.2f\n", (int)n, 1e9 * least[BY_FORCES] / springs,
           1e9 * (least[BY_MASSES] - least[BY_FORCES]) / particles,
           1e9 * (least[ON_BALL] - least[BY_MASSES]) / particles, 1e9 * least[BY_SWEEPS] / springs);
    fflush(stdout);
  } else {
    fprintf(stderr, "scaling: %s\n", msd_result_string(result));
  }
  for (int k = 0; k < COSTS; k++)
    msd_destroy_world(s[k].world);
  return result == MSD_OK;
}

static int measure_all_costs(int count, char **sizes) {
  static char *usual[] = {"50", "100", "200", "300"};
  printf("n,explicit_ns_a_spring,mass_scaling_extra_ns_a_particle,contact_extra_ns_a_particle,gauss_seidel_"
         "ns_a_spring\n");
  if (count == 0) {
    count = sizeof usual / sizeof *usual;
    sizes = usual;
  }
  for (int k = 0; k < count; k++) {
    char *end = "";
    const long n = strtol(sizes[k], &end, 10);
    if (*end != '\0' || n < SHEET_SIZE_LEAST || n > SHEET_SIZE_MOST)
      return refuse();
    if (!measure_costs((int32_t)n))
      return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  sheet_arguments a;
  if (argc > 1 && strcmp(argv[1], "costs") == 0)
    return measure_all_costs(argc - 2, argv + 2);
  return sheet_read_arguments(argc, argv, &a) ? measure_all(&a) : refuse();
}

/* bullet_sheet [mesh] [N [SECONDS [PASSES]]]: the sheet of sheet.h with N x N particles (N is 100 by default)
   for SECONDS (5 by default), run with Bullet's btSoftBody. Prints the columns of scaling.c. Only the steps are
   timed, on one thread.

   Links are position constraints (peers/bullet.cpp), one for each spring, bend springs included, in the order
   of the springs. Each link removes its whole error (kLST = 1); there is no collision. Linear damping is
   Bullet's velocity damping, kDP = 1 - exp(-0.5 dt) in each step.

   The column `substeps` is the number of passes over the links in a frame; PASSES runs only the rows with that
   number. Each pass of `position` is a step of its own. `position_in_1`, `_2` and `_4` distribute the passes
   over one, two and four steps. More than 40 passes are run up to N = 100. */
#include "bench/bullet_body.hpp"
#include "bench/machine.h"
#include "bench/sheet.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace {

/* Passes over the links in a frame, and steps in a frame. */
struct setting {
  const char *way;
  int passes, steps;
};

constexpr setting settings[] = {
    {"position", 4, 4},       {"position", 10, 10},     {"position", 20, 20},     {"position", 40, 40},
    {"position", 80, 80},     {"position", 160, 160},   {"position_in_1", 4, 1},  {"position_in_1", 10, 1},
    {"position_in_1", 20, 1}, {"position_in_1", 40, 1}, {"position_in_2", 8, 2},  {"position_in_2", 20, 2},
    {"position_in_2", 40, 2}, {"position_in_2", 80, 2}, {"position_in_4", 16, 4}, {"position_in_4", 40, 4},
    {"position_in_4", 80, 4}, {"position_in_4", 160, 4}};
/* The largest N for which more than many_passes passes are run. */
constexpr int many_passes = 40, many_passes_size = 100;

sheet_outcome fall(const sheet &s, const setting &of, int frames) {
  bullet_engine e(msd_world_get_gravity(s.world));
  const auto body = bullet_body_of(e, s.world);
  const btScalar dt = btScalar(1) / SHEET_FRAMES_PER_SECOND / static_cast<btScalar>(of.steps);
  body->m_cfg.collisions = 0;
  body->m_cfg.piterations = of.passes / of.steps;
  body->m_cfg.kDP = 1 - std::exp(-static_cast<btScalar>(msd_world_get_linear_damping(s.world)) * dt);
  body->m_materials[0]->m_kLST = 1;
  e.world.addSoftBody(body.get());
  sheet_outcome out = sheet_nothing_yet();
  for (int f = 1; f <= frames; f++) {
    const double start = machine_clock();
    for (int k = 0; k < of.steps; k++)
      e.world.stepSimulation(dt, 0);
    const double taken = machine_clock() - start;
    bullet_put_back(*body, s.world);
    sheet_look(&s, f, taken, true, &out);
  }
  sheet_look_last(&s, true, &out);
  e.world.removeSoftBody(body.get());
  return out;
}

bool measure(sheet s, const setting &of, int frames) {
  const msd_world_def def = sheet_world_def();
  msd_result result = msd_create_world(&def, &s.world);
  if (result == MSD_OK)
    result = sheet_add(&s, msd_default_cloth_def().stretch);
  if (result == MSD_OK) {
    const sheet_outcome out = fall(s, of, frames);
    const std::string way = std::string("bullet,") + of.way;
    sheet_print_row(&s, way.c_str(), of.passes, out.frame, NAN, &out);
  } else {
    std::fprintf(stderr, "bullet_sheet: %s\n", msd_result_string(result));
  }
  msd_destroy_world(s.world);
  return result == MSD_OK;
}

bool is_run(const setting &of, const sheet_arguments &a) {
  return (a.substeps == 0 || of.passes == a.substeps) &&
         (of.passes <= many_passes || a.s.n <= many_passes_size);
}

} // namespace

int main(int argc, char **argv) {
  sheet_arguments a;
  if (!sheet_read_arguments(argc, argv, &a) || a.on_all) {
    std::fprintf(
        stderr,
        "usage: bullet_sheet [mesh] [N [SECONDS [PASSES]]]: particles along each side of the sheet, %d "
        "to %d [%d], up to 60 s [5], and how often a frame goes through the links\n",
        SHEET_SIZE_LEAST, SHEET_SIZE_MOST, SHEET_SIZE);
    return 2;
  }
  sheet_print_columns();
  for (const setting &of : settings)
    if (is_run(of, a) && !measure(a.s, of, a.frames))
      return 1;
  return 0;
}

/* The thread that steps while another draws: a world that is lent, taken back, read and changed in turn, by a
   hand, by cuts and by pins, gives the same bits as one that is stepped in place.

   No test framework and no window: this runs under ThreadSanitizer too, which reports any race between the
   two. */
#include "render/view/runner.h"

#include <inttypes.h>
#include <stdio.h>

enum { COLUMNS = 33, ROWS = 35, ROUNDS = 30, STEPS = 3, SUBSTEPS = 4 };

static const double TIME_STEP = 1.0 / 60;

static msd_world *make_world(int threads, msd_body *body) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  msd_world *world;
  if (msd_create_world(&def, &world) != MSD_OK)
    return NULL;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.shear = cloth.stretch;
  if (msd_add_cloth(world, &cloth, body) == MSD_OK && msd_particle_pin(world, 0) == MSD_OK &&
      msd_particle_pin(world, COLUMNS - 1) == MSD_OK)
    return world;
  msd_destroy_world(world);
  return NULL;
}

/* What a person does between two pictures: takes hold, pulls, lets go, cuts, pins. */
static void change(msd_world *world, hand *h, const msd_body *body, int round) {
  if (round % 10 == 2)
    hand_grab(h, world, COLUMNS * (ROWS / 2) + round);
  for (int c = 0; c < 3; c++)
    h->goal[c] += 0.01 * (round % 7 - 3);
  if (round % 10 == 8)
    hand_release(h, world);
  if (round % 5 == 1)
    msd_spring_break(world, body->stretch.first + 50 * round);
  if (round % 9 == 4)
    msd_particle_pin(world, 5 * round);
}

/* A picture: whatever of the world is looked at while it is free. */
static double look(const msd_world *world) {
  msd_view at = msd_world_get_positions(world);
  double sum = 0;
  for (int32_t i = 0; i < at.count; i++)
    sum += (double)msd_view_at(at, i).y;
  return sum + msd_world_get_stats(world).elastic_energy;
}

/* Stepped by a runner while this thread asks again and again whether it is done, or without one. 0: it
   failed. */
static uint64_t live(bool has_runner, int threads) {
  char error[256] = "";
  msd_body body;
  msd_world *world = make_world(threads, &body);
  const scene s = {.world = world};
  runner *r = has_runner ? runner_create(error, sizeof error) : NULL;
  hand h = hand_empty();
  bool is_good = world != NULL && (r != NULL || !has_runner);
  double seen = 0;
  for (int round = 0; is_good && round < ROUNDS; round++) {
    change(world, &h, &body, round);
    seen += look(world);
    if (!has_runner) {
      for (int step = 0; step < STEPS && is_good; step++) {
        hand_step(&h, world, TIME_STEP);
        is_good = msd_world_step(world, (msd_real)TIME_STEP, SUBSTEPS) == MSD_OK;
      }
      continue;
    }
    runner_start(r, &(run_job){&s, TIME_STEP, SUBSTEPS, STEPS, 1e9, &h});
    for (int polls = 0; polls < 3 && !runner_is_idle(r); polls++)
      ;
    if (round % 2 == 0 || !runner_is_idle(r))
      runner_wait(r);
    is_good = runner_report(r).result == MSD_OK && runner_report(r).steps == STEPS;
  }
  runner_destroy(r);
  const uint64_t hash = is_good && seen == seen ? msd_world_hash(world) : 0;
  if (hash == 0)
    fprintf(stderr, "runner_thread: %s%s\n", error, msd_world_message(world));
  msd_destroy_world(world);
  return hash;
}

int main(void) {
  const uint64_t reference = live(false, 1);
  int failures = reference == 0;
  printf("in place: %016" PRIx64 "\n", reference);
  for (int threads = 1; threads <= 3; threads++) {
    const uint64_t hash = live(true, threads);
    printf("by a runner, %d threads: %016" PRIx64 "\n", threads, hash);
    failures += hash != reference;
  }
  return failures != 0;
}

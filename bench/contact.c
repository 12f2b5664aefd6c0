/* contact [SECONDS [SIDE...]]: what is promised of surfaces, put to the test. Runs scenes of cloths with
   SIDE x SIDE particles each for so many seconds (1 by default, and 25 and 50 to a side), with the forces
   between surfaces and with a hundredth of them, and prints the table of docs/contact.md. Exit status:
   0 nothing passed through anything, 1 something did, 2 bad usage. */
#include "bench/contact_speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUBSTEPS = 40, FRAMES_PER_SECOND = 60, SIDE_MOST = 1000, SIDES_MOST = 8 };

static const struct {
  const char *name;
  contact_kind kind;
} scenes[] = {
    {"drape", CONTACT_DRAPE}, {"crumple", CONTACT_CRUMPLE}, {"stack", CONTACT_STACK}, {"hit", CONTACT_HIT}};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* The shares of the force that are left to later substeps. */
static const double softnesses[] = {0, 0.99};
enum { SOFTNESSES = sizeof softnesses / sizeof *softnesses };

typedef struct outcome {
  /* Pairs, summed over all frames. */
  int64_t intersections;
  double largest_stretch;
  /* J: the most that there was over what there was at first, and the most that moved. */
  double gained, largest_kinetic;
  int64_t pinched, shortened;
} outcome;

static double energy_of(const msd_stats *stats) {
  return stats->kinetic_energy + stats->elastic_energy + stats->potential_energy;
}

static msd_result look(const contact_scene *s, double energy_at_first, outcome *out) {
  int64_t found = 0;
  const msd_result result = contact_count_intersections(s, &found);
  const msd_stats stats = msd_world_get_stats(s->world);
  out->intersections += found;
  out->largest_stretch = fmax(out->largest_stretch, stats.max_stretch);
  out->gained = fmax(out->gained, energy_of(&stats) - energy_at_first);
  out->largest_kinetic = fmax(out->largest_kinetic, stats.kinetic_energy);
  out->pinched = stats.pinched_pairs;
  out->shortened = stats.shortened_steps;
  return result;
}

static msd_result run(contact_scene *s, double softness, int frames, outcome *out) {
  msd_contact_def contact = msd_world_get_contact(s->world);
  contact.softness = (msd_real)softness;
  msd_result result = msd_world_set_contact(s->world, &contact);
  const msd_stats first = msd_world_get_stats(s->world);
  for (int frame = 0; frame < frames && result == MSD_OK; frame++) {
    result = msd_world_step(s->world, (msd_real)1 / FRAMES_PER_SECOND, SUBSTEPS);
    if (result == MSD_OK)
      result = look(s, energy_of(&first), out);
  }
  return result;
}

/* False where something has passed through something, or a step has failed. */
static bool print_row(int scene, double softness, int32_t side, int frames) {
  const contact_case c = {scenes[scene].name, scenes[scene].kind, side, side, 0, frames};
  contact_scene s;
  outcome out = {0};
  msd_result result = contact_open(&s, &c, 0, true);
  if (result == MSD_OK)
    result = run(&s, softness, frames, &out);
  const double ways = (double)frames * SUBSTEPS * (s.world ? msd_world_get_particle_count(s.world) : 1);
  if (result != MSD_OK)
    fprintf(stderr, "contact: %s: %s\n", c.name, s.world ? msd_world_message(s.world) : "no memory");
  else
    printf("| %s, %d x %d | %g %% | %d | %lld | %.3g %% | %.2g %% | %lld | %.2g %% |\n", c.name, (int)side,
           (int)side, 100 * (1 - softness), frames, (long long)out.intersections, 100 * out.largest_stretch,
           100 * out.gained / out.largest_kinetic, (long long)out.pinched,
           100 * (double)out.shortened / ways);
  fflush(stdout);
  contact_close(&s);
  return result == MSD_OK && out.intersections == 0;
}

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  int32_t sides[SIDES_MOST] = {25, 50};
  int side_count = argc > 2 ? 0 : 2;
  bool is_right = seconds > 0 && seconds < 1e6 && argc <= 2 + SIDES_MOST;
  for (int n = 2; n < argc && is_right; n++) {
    sides[side_count++] = atoi(argv[n]);
    is_right = sides[n - 2] >= 2 && sides[n - 2] <= SIDE_MOST;
  }
  if (!is_right) {
    fprintf(stderr, "usage: contact [SECONDS [SIDE...]], up to %d sides of 2 to %d\n", SIDES_MOST, SIDE_MOST);
    return 2;
  }
  puts("| scene | forces | frames | intersections | largest stretch | energy gained | pinched | ways "
       "shortened |\n"
       "|---|---|---|---|---|---|---|---|");
  bool none = true;
  for (int scene = 0; scene < SCENES; scene++)
    for (int n = 0; n < side_count; n++)
      for (int k = 0; k < SOFTNESSES; k++)
        none = print_row(scene, softnesses[k], sides[n], (int)ceil(seconds * FRAMES_PER_SECOND)) && none;
  return none ? 0 : 1;
}

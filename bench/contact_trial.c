#include "bench/contact_trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double contact_softnesses[CONTACT_SOFTNESSES] = {0, 0.99};

/* ----------------------------------------------------------------------------------------------- arguments */

static bool read_side(const char *text, contact_request *out) {
  char *end;
  const long side = strtol(text, &end, 10);
  if (*end != '\0' || side < 2 || side > CONTACT_SIDE_MOST || out->side_count == CONTACT_SIDES_MOST)
    return false;
  out->sides[out->side_count++] = (int32_t)side;
  return true;
}

static bool read_seconds(const char *text, contact_request *out) {
  char *end;
  out->seconds = strtod(text, &end);
  return *end == '\0' && out->seconds > 0 && out->seconds < 1e6;
}

static bool is_number(const char *text) {
  return strchr("+-.0123456789", text[0]) != NULL;
}

bool contact_request_read(int argc, char **argv, contact_request *out) {
  int numbers = 0;
  while (numbers < argc && is_number(argv[numbers]))
    numbers++;
  bool is_right = numbers == 0 || read_seconds(argv[0], out);
  if (numbers > 1)
    out->side_count = 0;
  for (int n = 1; n < numbers && is_right; n++)
    is_right = read_side(argv[n], out);
  out->names = argv + numbers;
  out->name_count = argc - numbers;
  for (int n = numbers; n < argc; n++)
    is_right = is_right && !is_number(argv[n]);
  return is_right;
}

int contact_request_frames(const contact_request *request) {
  return (int)ceil(request->seconds * CONTACT_FRAMES_PER_SECOND);
}

/* ----------------------------------------------------------------------------------------------- the trial */

typedef struct outcome {
  /* The tallies of all frames, and of the state before the first frame. */
  told_tally told, at_first;
  double largest_stretch;
  /* J: the initial energy, the largest gain over it, and the largest kinetic energy. */
  double energy_at_first, gained, largest_kinetic;
  /* The first frame after which something was wrong, or -1. */
  int first_untold, first_out_of_order;
  msd_stats last;
} outcome;

static double energy_of(const msd_stats *stats) {
  return stats->kinetic_energy + stats->elastic_energy + stats->potential_energy;
}

static msd_result look(const contact_trial *t, int frame, outcome *out) {
  const msd_result result = told_look(t->world, &t->pieces, &out->told);
  out->last = msd_world_get_stats(t->world);
  out->largest_stretch = fmax(out->largest_stretch, out->last.max_stretch);
  out->gained = fmax(out->gained, energy_of(&out->last) - out->energy_at_first);
  out->largest_kinetic = fmax(out->largest_kinetic, out->last.kinetic_energy);
  if (out->told.untold > 0 && out->first_untold < 0)
    out->first_untold = frame;
  if (t->is_in_order && !t->is_in_order(t->of) && out->first_out_of_order < 0)
    out->first_out_of_order = frame;
  return result;
}

static msd_result run(const contact_trial *t, double relaxation, int frames, outcome *out) {
  msd_contact_settings contact = msd_world_get_contact_settings(t->world);
  contact.relaxation = (msd_real)relaxation;
  msd_result result = msd_world_set_contact_settings(t->world, &contact);
  const msd_stats first = msd_world_get_stats(t->world);
  *out = (outcome){
      .energy_at_first = energy_of(&first), .first_untold = -1, .first_out_of_order = -1, .last = first};
  if (result == MSD_OK)
    result = told_look(t->world, &t->pieces, &out->at_first);
  for (int frame = 1; frame <= frames && result == MSD_OK && out->at_first.found == 0; frame++) {
    result = t->step(t->of);
    if (result == MSD_OK)
      result = look(t, frame, out);
  }
  return result;
}

void contact_trial_print_header(void) {
  puts("| scene, side | contact force | particles | frames | intersections | not reported | largest stretch "
       "| energy "
       "gain | forced intersections | clipped moves |\n"
       "|---|---|---|---|---|---|---|---|---|---|");
}

static void print_row(const contact_trial *t, double relaxation, int frames, const outcome *out) {
  const double ways = (double)msd_world_get_steps(t->world) * out->last.particles;
  char gained[32] = "driven";
  if (!t->is_driven)
    snprintf(gained, sizeof gained, "%.2g %%",
             out->largest_kinetic > 0 ? 100 * out->gained / out->largest_kinetic : 0);
  printf("| %s, %d | %g %% | %d | %d | %" PRId64 " | %" PRId64 " | %.3g %% | %s | %" PRId64 " | %.2g %% |\n",
         t->name, (int)t->side, 100 * (1 - relaxation), (int)out->last.particles, frames, out->told.found,
         out->told.untold, 100 * out->largest_stretch, gained, out->last.forced_intersections,
         100 * (double)out->last.clipped_moves / ways);
  fflush(stdout);
}

bool contact_trial_run(const contact_trial *t, double relaxation, int frames) {
  outcome out;
  const msd_result result = run(t, relaxation, frames, &out);
  if (result != MSD_OK)
    fprintf(stderr, "contact: %s, %d: %s\n", t->name, (int)t->side,
            result == MSD_OUT_OF_MEMORY ? "no memory" : msd_world_message(t->world));
  else if (out.at_first.found > 0)
    fprintf(stderr, "contact: %s, %d: %" PRId64 " intersections before the first frame\n", t->name,
            (int)t->side, out.at_first.found);
  else
    print_row(t, relaxation, frames, &out);
  if (out.first_untold >= 0)
    fprintf(stderr, "contact: %s, %d, relaxation %g: an intersection after frame %d is not reported\n",
            t->name, (int)t->side, relaxation, out.first_untold);
  if (out.first_out_of_order >= 0)
    fprintf(stderr, "contact: %s, %d, relaxation %g: a body has passed another before the end of frame %d\n",
            t->name, (int)t->side, relaxation, out.first_out_of_order);
  return result == MSD_OK && out.at_first.found == 0 && out.told.untold == 0 && out.first_out_of_order < 0;
}

/* What is promised of surfaces, put to the test on one world: looked at after every frame, and a row of the
   tables of docs/contact.md. */
#ifndef MSD_BENCH_CONTACT_TRIAL_H
#define MSD_BENCH_CONTACT_TRIAL_H

#include "bench/told.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CONTACT_SIDES_MOST = 8, CONTACT_SIDE_MOST = 1000, CONTACT_FRAMES_PER_SECOND = 60 };

/* The shares of the force that are left to later substeps: the forces are all there, and next to none. */
enum { CONTACT_SOFTNESSES = 2 };
extern const double contact_softnesses[CONTACT_SOFTNESSES];

/* What is asked for by [SECONDS [SIDE...]] [NAME...]: what does not begin like a number is a name. */
typedef struct contact_request {
  double seconds;
  int32_t sides[CONTACT_SIDES_MOST];
  int side_count;
  /* Of the arguments. */
  char **names;
  int name_count;
} contact_request;

/* *out has what holds where nothing is said, and keeps it; false where the arguments are none of that. */
bool contact_request_read(int argc, char **argv, contact_request *out);

/* Frames of 1/60 s, at least one. */
int contact_request_frames(const contact_request *request);

typedef struct contact_trial {
  const char *name;
  int32_t side;
  msd_world *world;
  told_pieces pieces;
  /* Takes a frame; `of` is passed on. */
  msd_result (*step)(void *of);
  void *of;
  /* Whether something gives it energy: then what it gains says nothing. */
  bool is_driven;
  /* Asked after every frame: whether all is still on its side of what it could have passed through in between.
     NULL: what passes through stays in it for long enough to be seen. */
  bool (*is_in_order)(const void *of);
} contact_trial;

void contact_trial_print_header(void);

/* Runs so many frames with a softness, prints its row, and on the error stream what failed. False where
   something intersects that nothing tells of, or did before the first frame, or has passed through as a whole,
   or where a step fails. */
bool contact_trial_run(const contact_trial *t, double softness, int frames);

#ifdef __cplusplus
}
#endif

#endif

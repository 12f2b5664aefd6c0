/* A test of the guarantees of collision meshes on one world: a check after every frame, and a row of the tables
   of bench/notes/contact.md. */
#ifndef MSD_BENCH_CONTACT_TRIAL_H
#define MSD_BENCH_CONTACT_TRIAL_H

#include "bench/reported_penetrations.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CONTACT_SIDES_MOST = 8, CONTACT_SIDE_MOST = 1000, CONTACT_FRAMES_PER_SECOND = 60 };

/* Contact relaxation: 0 leaves the whole contact force, 0.99 a hundredth of it. */
enum { CONTACT_SOFTNESSES = 2 };
extern const double contact_softnesses[CONTACT_SOFTNESSES];

/* The arguments [SECONDS [SIDE...]] [NAME...]. An argument that does not begin like a number is a name. */
typedef struct contact_request {
  double seconds;
  int32_t sides[CONTACT_SIDES_MOST];
  int side_count;
  /* Point into the arguments. */
  char **names;
  int name_count;
} contact_request;

/* Reads the arguments. *out holds the defaults, which stay for missing arguments. False if the arguments are
   invalid. */
bool contact_request_read(int argc, char **argv, contact_request *out);

/* The number of frames of 1/60 s, at least one. */
int contact_request_frames(const contact_request *request);

typedef struct contact_trial {
  const char *name;
  int32_t side;
  msd_world *world;
  told_pieces pieces;
  /* Advances the world by a frame; receives `of`. */
  msd_result (*step)(void *of);
  void *of;
  /* True if the scene has a source of energy, so that a gain in energy proves nothing. */
  bool is_driven;
  /* Called after every frame: false if one body has passed another completely between two frames. NULL: a body
     that penetrates another stays in it long enough for the check of intersections. */
  bool (*is_in_order)(const void *of);
} contact_trial;

void contact_trial_print_header(void);

/* Runs `frames` frames with the given relaxation and prints a row; failures go to stderr. False if an
   intersection was not reported or existed before the first frame, a body has passed another, or a step
   failed. */
bool contact_trial_run(const contact_trial *t, double relaxation, int frames);

#ifdef __cplusplus
}
#endif

#endif

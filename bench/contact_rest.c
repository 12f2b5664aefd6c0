/* pile [SECONDS [SIDE [SUBSTEPS]]]: tests that a pile stays at rest. Two scenes have 5 seconds to settle: a
   stack of ten sheets of SIDE x SIDE particles (25 by default), in frames of SUBSTEPS substeps (by default as
   many as the contact forces need to carry the stack), and the scene `layers`, three cloths over a ball. Then
   the program prints, for every 10 of SECONDS (60 by default), the net displacement of the particles and the
   kinetic energy. Exit status: 0 no displacement exceeds that of the first 10 seconds by more than a tenth, 1
   one does, or meshes intersect, 2 bad usage. */
#include "bench/contact_speed.h"
#include "bench/resolved_trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DENORMAL_FLUSH = 5, SPAN = 10 };

/* The allowed growth against the first span, and the displacement in m below which growth is ignored. */
static const double SLACK = 1.1, LEAST = 1e-6;

/* PUSH, m/s: the speed at which particles closer than the thickness are pushed apart (msd/collision_mesh.h).
   GRAVITY, m/s^2. */
static const double PUSH = 0.05, GRAVITY = 9.81;

/* Contact forces alone carry a pile of n equal sheets if n g dt is at most a quarter of PUSH
   (docs/theory/contact.md). */
static int substeps_for(int sheets) {
  return (int)ceil(4 * sheets * GRAVITY / (PUSH * CONTACT_FRAMES_PER_SECOND));
}

typedef struct plastic_rate {
  double furthest, mean, kinetic;
} plastic_rate;

static msd_result take(const contact_trial *t, double seconds, told_tally *told) {
  msd_result result = MSD_OK;
  for (int frame = 0; frame < seconds * CONTACT_FRAMES_PER_SECOND && result == MSD_OK; frame++) {
    result = t->step(t->of);
    if (result == MSD_OK)
      result = told_look(t->world, &t->pieces, told);
  }
  return result;
}

static void note_places(const msd_world *world, msd_vec3 *places) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    places[i] = msd_particle_get_position(world, i);
}

static plastic_rate creep_since(const msd_world *world, const msd_vec3 *places) {
  const int32_t count = msd_world_get_particle_count(world);
  plastic_rate c = {0, 0, msd_world_get_stats(world).kinetic_energy};
  for (int32_t i = 0; i < count; i++) {
    const msd_vec3 at = msd_particle_get_position(world, i);
    const double x = (double)(at.x - places[i].x), y = (double)(at.y - places[i].y),
                 z = (double)(at.z - places[i].z), way = sqrt(x * x + y * y + z * z);
    c.furthest = fmax(c.furthest, way);
    c.mean += way / count;
  }
  return c;
}

static void print_row(const contact_trial *t, double from, double to, const plastic_rate *c,
                      int64_t intersections) {
  printf("| %s, %d | %d | %g to %g s | %.3g mm | %.3g mm | %.2g J | %" PRId64 " |\n", t->name, (int)t->side,
         (int)msd_world_get_particle_count(t->world), from, to, 1000 * c->mean, 1000 * c->furthest,
         c->kinetic, intersections);
  fflush(stdout);
}

static bool grows(double now, double first) {
  return now > SLACK * first + LEAST;
}

/* True if no displacement has grown and nothing intersects. *result is that of the first step that failed. */
static bool watch(const contact_trial *t, double seconds, msd_vec3 *places, msd_result *result) {
  told_tally told = {0};
  plastic_rate first = {0};
  bool is_still = true;
  *result = take(t, DENORMAL_FLUSH, &told);
  for (double at = 0; at < seconds && *result == MSD_OK; at += SPAN) {
    const double span = fmin(SPAN, seconds - at);
    note_places(t->world, places);
    *result = take(t, span, &told);
    const plastic_rate now = creep_since(t->world, places);
    first = at > 0 ? first : now;
    is_still = is_still && !grows(now.mean, first.mean) && !grows(now.furthest, first.furthest);
    if (*result == MSD_OK)
      print_row(t, DENORMAL_FLUSH + at, DENORMAL_FLUSH + at + span, &now, told.found);
  }
  return *result == MSD_OK && is_still && told.untold == 0;
}

static bool try_rest(const contact_trial *t, double seconds) {
  msd_vec3 *places = malloc(((size_t)msd_world_get_particle_count(t->world) + 1) * sizeof *places);
  msd_result result = MSD_OUT_OF_MEMORY;
  const bool is_still = places && watch(t, seconds, places, &result);
  free(places);
  if (result != MSD_OK)
    fprintf(stderr, "pile: %s: %s\n", t->name, msd_result_string(result));
  if (msd_world_get_stats(t->world).asleep > 0)
    fprintf(stderr, "pile: %s: particles sleep, so their rest proves nothing\n", t->name);
  return is_still;
}

/* A stack, and the substeps of its frames. */
typedef struct stack {
  contact_scene scene;
  int substeps;
} stack;

static msd_result step_stack(void *of) {
  const stack *s = of;
  return msd_world_step(s->scene.world, (msd_real)1 / CONTACT_FRAMES_PER_SECOND, s->substeps);
}

static bool try_stack(int32_t side, double seconds, int substeps) {
  const contact_case c = {"stack", CONTACT_STACK, side, side, 0, 0};
  stack s = {.substeps = substeps};
  const msd_result result = contact_open(&s.scene, &c, 0, true);
  contact_trial t = contact_trial_of(&s.scene, &c);
  t.step = step_stack;
  t.of = &s;
  if (result != MSD_OK)
    fprintf(stderr, "pile: stack: %s\n", msd_result_string(result));
  const bool is_still = result == MSD_OK && try_rest(&t, seconds);
  contact_close(&s.scene);
  return is_still;
}

static bool try_layers(int32_t side, double seconds) {
  resolved_trial t;
  scene_error error;
  const bool is_open = resolved_trial_open("layers", side, &t, &error);
  if (!is_open)
    fprintf(stderr, "pile: %s\n", error.text);
  const bool is_still = is_open && try_rest(&t.trial, seconds);
  resolved_trial_close(&t);
  return is_still;
}

int main(int argc, char **argv) {
  contact_request request = {.seconds = 60, .sides = {25}, .side_count = 1};
  if (!contact_request_read(argc - 1, argv + 1, &request) || request.side_count < 1 ||
      request.side_count > 2 || request.name_count > 0) {
    fprintf(stderr, "usage: pile [SECONDS [SIDE [SUBSTEPS]]], SIDE and SUBSTEPS from 2 to %d\n",
            CONTACT_SIDE_MOST);
    return 2;
  }
  const int substeps = request.side_count > 1 ? request.sides[1] : substeps_for(CONTACT_SHEETS);
  puts("| pile, side | particles | time | mean displacement | largest | kinetic energy | intersections |\n"
       "|---|---|---|---|---|---|---|");
  const bool pile = try_stack(request.sides[0], request.seconds, substeps),
             layers = try_layers(request.sides[0], request.seconds);
  return pile && layers ? 0 : 1;
}

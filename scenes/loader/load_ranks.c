#include "scenes/loader/load_ranks.h"

#include <string.h>

/* A question is as long as any other: whether somebody is at an end, whether somebody is not, and numbers. */
enum { AT_END, GOES_ON, NUMBERS, NUMBERS_MAX = 32, QUESTION = NUMBERS + NUMBERS_MAX };

/* ------------------------------------------------------------------------------ what the world goes through */

static void *open_route(const msd_route *route, void *context) {
  const msd_ranks *given = ((const load_ranks *)context)->given;
  return given->open(route, given->context);
}

static void close_route(void *route, void *context) {
  const msd_ranks *given = ((const load_ranks *)context)->given;
  given->close(route, given->context);
}

static void begin_exchange(void *route, const void *give, void *take, void *context) {
  const msd_ranks *given = ((const load_ranks *)context)->given;
  given->begin(route, give, take, given->context);
}

static void end_exchange(void *route, const void *give, void *take, void *context) {
  const msd_ranks *given = ((const load_ranks *)context)->given;
  given->end(route, give, take, given->context);
}

static bool divide(const msd_component_graph *graph, int32_t *rank_of, void *context) {
  const msd_ranks *given = ((const load_ranks *)context)->given;
  return given->divide(graph, rank_of, given->context);
}

static void ask(const load_ranks *ranks, double *values, int count) {
  ranks->given->largest(values, count, ranks->given->context);
}

/* Where not all are there any more each keeps its own numbers. */
static void find_largest(double *values, int count, void *context) {
  load_ranks *ranks = context;
  if (!ranks->is_loading) {
    ask(ranks, values, count);
    return;
  }
  for (int done = 0; done < count && !ranks->is_broken; done += NUMBERS_MAX) {
    const size_t size = (size_t)(count - done < NUMBERS_MAX ? count - done : NUMBERS_MAX) * sizeof *values;
    double question[QUESTION] = {[GOES_ON] = 1};
    memcpy(question + NUMBERS, values + done, size);
    ask(ranks, question, QUESTION);
    ranks->is_broken = question[AT_END] > 0;
    if (!ranks->is_broken)
      memcpy(values + done, question + NUMBERS, size);
  }
}

const msd_ranks *load_ranks_begin(load_ranks *ranks, const msd_ranks *given) {
  *ranks = (load_ranks){.given = given, .is_loading = true};
  if (!given)
    return NULL;
  ranks->through = (msd_ranks){.rank = given->rank,
                               .count = given->count,
                               .depth = given->depth,
                               .open = open_route,
                               .close = close_route,
                               .begin = begin_exchange,
                               .end = end_exchange,
                               .largest = find_largest,
                               .divide = given->divide ? divide : NULL,
                               .context = ranks};
  return &ranks->through;
}

/* ------------------------------------------------------------------------------------------------- the end */

/* Whoever does not tell it gives zeros. Always false. */
static bool share_error(const load_ranks *ranks, bool is_own, scene_error *error) {
  enum { LETTERS = 128 };
  const msd_ranks *given = ranks->given;
  double first = is_own ? -given->rank : -given->count, letters[LETTERS];
  ask(ranks, &first, 1);
  if (-first == given->count)
    return scene_fail(error, "the processes have different scenes");
  for (int at = 0; at < SCENE_ERROR_MAX; at += LETTERS) {
    for (int n = 0; n < LETTERS; n++)
      letters[n] = -first == given->rank ? (unsigned char)error->text[at + n] : 0;
    ask(ranks, letters, LETTERS);
    for (int n = 0; n < LETTERS; n++)
      error->text[at + n] = (char)(unsigned char)letters[n];
  }
  return false;
}

bool load_ranks_end(load_ranks *ranks, bool ok, scene_error *error) {
  const bool is_own = !ok && !ranks->is_broken && error->text[0] != '\0';
  bool failed = ranks->is_broken;
  if (!ranks->given || ranks->given->count < 2)
    return ok;
  if (!failed) {
    double question[QUESTION] = {[AT_END] = 1, [NUMBERS] = !ok};
    ask(ranks, question, QUESTION);
    failed = question[GOES_ON] > 0 || question[NUMBERS] > 0;
  }
  ranks->is_loading = false;
  return !failed || share_error(ranks, is_own, error);
}

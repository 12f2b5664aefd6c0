#include "engine/contact/contact_ranks.h"

#include "engine/base/rank_agreement.h"

#include <string.h>

bool contact_team_reserve(contact_team *t, memory *m, const msd_ranks *ranks) {
  if (t->ranks.count != ranks->count) {
    contact_team_free(t, m);
    t->told = memory_allocate_items(m, ranks->count, sizeof *t->told);
    t->bytes = memory_allocate_items(m, ranks->count, sizeof *t->bytes);
  }
  if (t->told && t->bytes) {
    t->ranks = *ranks;
    return true;
  }
  contact_team_free(t, m);
  return false;
}

void contact_team_free(contact_team *t, memory *m) {
  memory_release(m, t->told);
  memory_release(m, t->bytes);
  *t = (contact_team){.told = NULL};
}

bool contact_team_agrees(const contact_team *t, bool well) {
  return contact_team_count(t) > 1 ? !rank_on_any(&t->ranks, !well) : well;
}

void contact_team_tell(contact_team *t, const int64_t own[CONTACT_TEAM_NUMBERS]) {
  memcpy(t->told[t->ranks.rank], own, sizeof *t->told);
  for (int rank = 0; rank < t->ranks.count; rank++)
    t->bytes[rank] = sizeof *t->told;
  t->ranks.gather(t->told, t->bytes, t->ranks.context);
}

int64_t contact_team_sum(const contact_team *t, int number, int ranks) {
  int64_t sum = 0;
  for (int rank = 0; rank < ranks; rank++)
    sum += t->told[rank][number];
  return sum;
}

/* `items` may be NULL if no rank has any. */
void contact_team_gather(const contact_team *t, void *items, size_t size, int number) {
  if (contact_team_sum(t, number, t->ranks.count) == 0)
    return;
  for (int rank = 0; rank < t->ranks.count; rank++)
    t->bytes[rank] = size * (size_t)t->told[rank][number];
  t->ranks.gather(items, t->bytes, t->ranks.context);
}

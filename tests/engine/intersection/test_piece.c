/* Whether triangles and segments meet elsewhere than where they are joined, in cases that are plain to see. */
#include "engine/intersection/piece.h"

#include <criterion/criterion.h>

static const point PLACES[] = {{{0, 0, 0}}, {{4, 0, 0}}, {{0, 4, 0}}, {{1, 1, -1}},
                               {{1, 1, 1}}, {{4, 4, 0}}, {{1, 1, 0}}};

static mesh_piece piece_of(int count, const int32_t *particles) {
  mesh_piece p = {.count = count};
  for (int n = 0; n < count; n++) {
    p.particle[n] = particles[n];
    p.corner[n] = &PLACES[particles[n]];
  }
  return p;
}

static bool meet(int count, const int32_t *one, int other_count, const int32_t *other) {
  const mesh_piece a = piece_of(count, one), b = piece_of(other_count, other);
  const bool answer = pieces_meet(&a, &b);
  cr_assert_eq(pieces_meet(&b, &a), answer);
  return answer;
}

Test(piece, a_segment_through_a_triangle_meets_it) {
  cr_expect(meet(3, (int32_t[]){0, 1, 2}, 2, (int32_t[]){3, 4}));
  cr_expect_not(meet(3, (int32_t[]){1, 5, 2}, 2, (int32_t[]){3, 4}));
}

Test(piece, what_is_joined_meets_where_it_is_folded_back_alone) {
  cr_expect_not(meet(3, (int32_t[]){0, 1, 2}, 3, (int32_t[]){1, 5, 2}), "flat, with an edge in common");
  cr_expect(meet(3, (int32_t[]){0, 1, 2}, 3, (int32_t[]){1, 6, 2}), "a corner on the other");
  cr_expect_not(meet(3, (int32_t[]){0, 1, 2}, 2, (int32_t[]){0, 4}));
  cr_expect(meet(3, (int32_t[]){0, 1, 2}, 2, (int32_t[]){0, 6}), "a segment laid into it from its corner");
}
